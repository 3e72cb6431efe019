// Pixels of a plot. A pixel is covered as far as it lies within half a width of a line; the edge is
// one pixel soft. Letters are lines too, on a grid of a few units, so that they may have any size
// and direction.

#include "plot_canvas.h"
#include <math.h>
#include <string.h>

static void blend(Canvas* canvas, int x, int y, Color color, double opacity)
{
    float* p = canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
    float a = (float)opacity;
    p[0] += a * (color.r - p[0]);
    p[1] += a * (color.g - p[1]);
    p[2] += a * (color.b - p[2]);
}

static int pixel(double at, double low, double high) // clamped, and safe for any number
{
    return (int)floor(fmin(fmax(at, low), high));
}

void canvas_box(Canvas* canvas, double x0, double y0, double x1, double y1, Color color,
                double opacity)
{
    x0 = fmax(x0, canvas->x0), x1 = fmin(x1, canvas->x1);
    y0 = fmax(y0, canvas->y0), y1 = fmin(y1, canvas->y1);
    if (!(x0 < x1 && y0 < y1)) return;
    for (int y = (int)floor(y0); y < (int)ceil(y1); ++y) {
        double cover_y = fmin(y + 1.0, y1) - fmax(y, y0);
        for (int x = (int)floor(x0); x < (int)ceil(x1); ++x)
            blend(canvas, x, y, color, opacity * cover_y * (fmin(x + 1.0, x1) - fmax(x, x0)));
    }
}

void canvas_line(Canvas* canvas, double x0, double y0, double x1, double y1, double width,
                 Color color)
{
    double r = 0.5 * width, dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    if (!isfinite(length2)) return;
    double reach = r + 1.0;
    int left = pixel(fmin(x0, x1) - reach, canvas->x0, canvas->x1);
    int right = pixel(fmax(x0, x1) + reach, canvas->x0, canvas->x1 - 1.0);
    int top = pixel(fmin(y0, y1) - reach, canvas->y0, canvas->y1);
    int bottom = pixel(fmax(y0, y1) + reach, canvas->y0, canvas->y1 - 1.0);
    for (int y = top; y <= bottom; ++y) {
        for (int x = left; x <= right; ++x) {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = length2 > 0.0 ? fmin(fmax((px * dx + py * dy) / length2, 0.0), 1.0) : 0.0;
            double distance = hypot(px - t * dx, py - t * dy);
            double cover = fmin(fmax(r + 0.5 - distance, 0.0), 1.0);
            if (cover > 0.0) blend(canvas, x, y, color, cover * fmin(1.0, width));
        }
    }
}

void canvas_disc(Canvas* canvas, double x, double y, double radius, Color color)
{
    canvas_line(canvas, x, y, x, y, 2.0 * radius, color);
}

// ---- Letters -----------------------------------------------------------------------------------

// Strokes of the characters from '!' on: digits in pairs are x and y, a blank lifts the pen. The base
// line is y = 2, small letters reach 6, capitals 8.
static const char* const glyphs[] = {
    "0804 0202",                           // !
    "0907 2927",                           // "
    "1218 3238 0444 0646",                 // #
    "4718070615354443321203 2921",         // $
    "0248 0708181707 3233434232",          // %
    "42071827160403122244",                // &
    "0907",                                // '
    "19070311",                            // (
    "09171301",                            // )
    "2723 0644 0446",                      // *
    "0545 2723",                           // +
    "1201",                                // ,
    "0535",                                // -
    "0202",                                // .
    "0138",                                // /
    "120307183847433212",                  // 0
    "072822",                              // 1
    "07183847460242",                      // 2
    "0718384746352535 354443321203",       // 3
    "32380444",                            // 4
    "480805354443321203",                  // 5
    "473818070312324344351504",            // 6
    "084812",                              // 7
    "150607183847463515 1504031232434435", // 8
    "031232434738180706153546",            // 9
    "0202 0505",                           // :
    "1201 1515",                           // ;
    "470543",                              // <
    "0444 0646",                           // =
    "074503",                              // >
    "07183847462524 2222",                 // ?
    "4312030718384744 3427",               // @
    "022842 1434",                         // A
    "02083847463505 3544433202",           // B
    "4738180703123243",                    // C
    "02083847433202",                      // D
    "48080242 0535",                       // E
    "480802 0535",                         // F
    "47381807031232434525",                // G
    "0802 4842 0545",                      // H
    "0802",                                // I
    "3833221203",                          // J
    "0802 4804 1542",                      // K
    "080242",                              // L
    "0208254842",                          // M
    "02084248",                            // N
    "120307183847433212",                  // O
    "02083847463505",                      // P
    "120307183847433212 2442",             // Q
    "02083847463505 2542",                 // R
    "473818070615354443321203",            // S
    "0848 2822",                           // T
    "080312324348",                        // U
    "082248",                              // V
    "0812263248",                          // W
    "0842 0248",                           // X
    "082548 2522",                         // Y
    "08480242",                            // Z
    "19090111",                            // [
    "0831",                                // backslash
    "09191101",                            // ]
    "061826",                              // ^
    "0141",                                // _
    "0817",                                // `
    "3632 3526160503122233",               // a
    "0802 0516263533221203",               // b
    "3526160503122233",                    // c
    "3832 3526160503122233",               // d
    "04343526160503122233",                // e
    "281712 0626",                         // f
    "3631201001 3526160503122233",         // g
    "0802 0516263532",                     // h
    "0602 0808",                           // i
    "161100 1818",                         // j
    "0802 3604 1532",                      // k
    "0802",                                // l
    "0602 05162522 25364542",              // m
    "0602 0516263532",                     // n
    "050312223335261605",                  // o
    "0600 0516263533221203",               // p
    "3630 3526160503122233",               // q
    "0602 051626",                         // r
    "3616051424332202",                    // s
    "18131222 0626",                       // t
    "0603122233 3632",                     // u
    "062246",                              // v
    "0612253246",                          // w
    "0632 0236",                           // x
    "0622 461000",                         // y
    "06360232",                            // z
    "2918160515140211",                    // {
    "0900",                                // |
    "0918162515140201",                    // }
    "04153445",                            // ~
};

static const char* glyph_of(char c)
{
    int at = c - '!';
    return at >= 0 && at < (int)(sizeof glyphs / sizeof glyphs[0]) ? glyphs[at] : "";
}

// Width of a character with the gap behind it, in units of the grid.
static double advance(char c)
{
    int widest = 1; // a blank: 1 + 2
    const char* p = glyph_of(c);
    if (*p != '\0') widest = 0;
    while (p[0] != '\0' && p[1] != '\0') {
        if (*p == ' ') {
            ++p;
            continue;
        }
        widest = *p - '0' > widest ? *p - '0' : widest;
        p += 2;
    }
    return widest + 1.8;
}

double canvas_text_width(double size, const char* text)
{
    double units = 0.0;
    for (const char* p = text; *p != '\0'; ++p) units += advance(*p);
    return units > 0.0 ? (units - 1.8) * size / 6.0 : 0.0;
}

void canvas_text(Canvas* canvas, double x, double y, double size, Align align, int turned,
                 Color color, const char* text)
{
    double unit = size / 6.0, width = canvas_text_width(size, text);
    double at = align == ALIGN_LEFT ? 0.0 : align == ALIGN_CENTER ? -0.5 * width : -width;
    double pen = size / 7.5 > 1.15 ? size / 7.5 : 1.15;
    for (; *text != '\0'; at += advance(*text) * unit, ++text) {
        double last_x = 0.0, last_y = 0.0;
        int is_down = 0;
        for (const char* p = glyph_of(*text); p[0] != '\0' && p[1] != '\0';) {
            if (*p == ' ') {
                is_down = 0;
                ++p;
                continue;
            }
            double along = at + (p[0] - '0') * unit, up = (p[1] - '2') * unit;
            double px = turned ? x - up : x + along, py = turned ? y - along : y - up;
            if (is_down || p[2] == '\0' || p[2] == ' ')
                canvas_line(canvas, is_down ? last_x : px, is_down ? last_y : py, px, py, pen,
                            color);
            last_x = px, last_y = py;
            is_down = 1;
            p += 2;
        }
    }
}
