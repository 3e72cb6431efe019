// Plots of the checks: the data, the axes, the legend. Pixels are made in plot_canvas.c.

#include "check.h"
#include "apps/tarn/png.h"
#include "plot_canvas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 560 };
enum { LEFT = 92, RIGHT = 28, TOP = 66, BOTTOM = 70 }; // margins [pixels]

typedef enum SeriesKind {
    SERIES_LINE,
    SERIES_POINTS,
    SERIES_GROUND,
    SERIES_LEVEL, // y[0]
    SERIES_MOMENT // x[0]
} SeriesKind;

typedef struct Series {
    SeriesKind kind;
    char label[48];
    double *x, *y;
    int n;
    Color color;
} Series;

typedef struct Axis {
    double low, high; // data at its ends
    double from, to;  // the same in pixels
    double step;      // from tick to tick
    bool is_fixed;
} Axis;

struct Plot {
    CheckRun* run;
    char name[64], title[96], note[128], x_label[64], y_label[64];
    Series series[PLOT_MAX_SERIES];
    int n_series, n_colors;
    Axis x, y;
    Canvas canvas;
};

static const Color ink = { 0.13f, 0.15f, 0.19f }, quiet = { 0.40f, 0.43f, 0.48f },
                   grid_color = { 0.88f, 0.89f, 0.91f }, paper = { 1.0f, 1.0f, 1.0f },
                   back = { 0.975f, 0.978f, 0.985f }, ground_color = { 0.55f, 0.47f, 0.37f };

// Told apart also by those who see red and green alike: they differ in brightness.
static const Color palette[] = {
    { 0.10f, 0.25f, 0.50f }, { 0.90f, 0.38f, 0.13f }, { 0.13f, 0.60f, 0.55f },
    { 0.75f, 0.15f, 0.35f }, { 0.48f, 0.36f, 0.72f }, { 0.85f, 0.65f, 0.10f },
    { 0.25f, 0.62f, 0.88f }, { 0.36f, 0.42f, 0.25f }, { 0.55f, 0.30f, 0.20f },
    { 0.92f, 0.45f, 0.65f },
};

static void copy_text(char* to, size_t size, const char* from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
}

static void fail(Plot* plot, const char* why)
{
    fprintf(stderr, "tarn: check: plot %s: %s\n", plot->name, why);
    plot->run->is_plot_bad = true;
}

Plot* check_plot(CheckRun* run, const char* name, const char* x_label, const char* y_label)
{
    if (run->plot_folder == NULL) return NULL;
    Plot* plot = calloc(1, sizeof *plot);
    if (plot == NULL) {
        run->is_plot_bad = true;
        return NULL;
    }
    plot->run = run;
    copy_text(plot->name, sizeof plot->name, name);
    copy_text(plot->title, sizeof plot->title, name);
    copy_text(plot->x_label, sizeof plot->x_label, x_label);
    copy_text(plot->y_label, sizeof plot->y_label, y_label);
    return plot;
}

static void add_series(Plot* plot, SeriesKind kind, const char* label, const double* x,
                       const double* y, int n)
{
    if (plot == NULL || n < 1) return;
    if (plot->n_series == PLOT_MAX_SERIES) {
        fail(plot, "too many series");
        return;
    }
    Series* s = &plot->series[plot->n_series];
    size_t bytes = (size_t)n * sizeof(double);
    s->x = malloc(bytes), s->y = malloc(bytes);
    ++plot->n_series;
    if (s->x == NULL || s->y == NULL) {
        fail(plot, "not enough memory");
        return;
    }
    memcpy(s->x, x, bytes);
    memcpy(s->y, y, bytes);
    s->kind = kind;
    s->n = n;
    copy_text(s->label, sizeof s->label, label);
    if (kind == SERIES_GROUND)
        s->color = ground_color;
    else if (kind == SERIES_LEVEL || kind == SERIES_MOMENT)
        s->color = quiet;
    else
        s->color = palette[plot->n_colors++ % (int)(sizeof palette / sizeof palette[0])];
}

void plot_line(Plot* plot, const char* label, const double* x, const double* y, int n)
{
    add_series(plot, SERIES_LINE, label, x, y, n);
}

void plot_points(Plot* plot, const char* label, const double* x, const double* y, int n)
{
    add_series(plot, SERIES_POINTS, label, x, y, n);
}

void plot_ground(Plot* plot, const char* label, const double* x, const double* y, int n)
{
    add_series(plot, SERIES_GROUND, label, x, y, n);
}

void plot_level(Plot* plot, const char* label, double y)
{
    double nowhere = NAN;
    add_series(plot, SERIES_LEVEL, label, &nowhere, &y, 1);
}

void plot_moment(Plot* plot, const char* label, double x)
{
    double nowhere = NAN;
    add_series(plot, SERIES_MOMENT, label, &x, &nowhere, 1);
}

void plot_title(Plot* plot, const char* title)
{
    if (plot != NULL) copy_text(plot->title, sizeof plot->title, title);
}

void plot_note(Plot* plot, const char* text)
{
    if (plot != NULL) copy_text(plot->note, sizeof plot->note, text);
}

void plot_x_range(Plot* plot, double low, double high)
{
    if (plot != NULL && low < high) plot->x.low = low, plot->x.high = high, plot->x.is_fixed = true;
}

void plot_y_range(Plot* plot, double low, double high)
{
    if (plot != NULL && low < high) plot->y.low = low, plot->y.high = high, plot->y.is_fixed = true;
}

// ---- Axes --------------------------------------------------------------------------------------

static void fit_axis(Axis* axis, const Plot* plot, bool is_y)
{
    if (!axis->is_fixed) {
        double low = INFINITY, high = -INFINITY;
        for (int s = 0; s < plot->n_series; ++s) {
            const double* v = is_y ? plot->series[s].y : plot->series[s].x;
            for (int i = 0; i < plot->series[s].n; ++i) {
                if (!isfinite(v[i])) continue;
                low = fmin(low, v[i]);
                high = fmax(high, v[i]);
            }
        }
        if (!(low <= high)) low = 0.0, high = 1.0;
        double pad = (high - low) * (is_y ? 0.06 : 0.0);
        if (high - low <= 1e-12 * fmax(fabs(low), fabs(high)) || high == low)
            pad = high != 0.0 ? 0.1 * fabs(high) : 1.0;
        axis->low = low - pad, axis->high = high + pad;
    }
    // About six to nine ticks at 1, 2 or 5 times a power of ten.
    double rough = (axis->high - axis->low) / (is_y ? 8.0 : 11.0);
    double power = pow(10.0, floor(log10(rough))), digit = rough / power;
    axis->step = power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
    axis->from = is_y ? HEIGHT - BOTTOM : LEFT;
    axis->to = is_y ? TOP : WIDTH - RIGHT;
}

static double place(const Axis* axis, double value)
{
    return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

static void tick_text(const Axis* axis, double value, char* text, size_t size)
{
    double most = fmax(fabs(axis->low), fabs(axis->high));
    if (fabs(value) < 1e-9 * axis->step) value = 0.0;
    int decimals = (int)fmax(0.0, ceil(-log10(axis->step) - 1e-9));
    if (most >= 1e6 || most < 1e-3)
        snprintf(text, size, "%.3g", value);
    else
        snprintf(text, size, "%.*f", decimals, value);
}

static void draw_axis(Plot* plot, const Axis* axis, bool is_y)
{
    Canvas* c = &plot->canvas;
    double first = ceil(axis->low / axis->step - 1e-9);
    for (int n = 0; n < 40; ++n) {
        double value = (first + n) * axis->step;
        if (value > axis->high + 1e-9 * axis->step) break;
        char text[32];
        tick_text(axis, value, text, sizeof text);
        double at = floor(place(axis, value)) + 0.5;
        if (is_y) {
            canvas_line(c, LEFT, at, WIDTH - RIGHT, at, 1.0, grid_color);
            canvas_line(c, LEFT - 5.0, at, LEFT, at, 1.0, quiet);
            canvas_text(c, LEFT - 11.0, at + 4.5, 9.5, ALIGN_RIGHT, 0, ink, text);
        } else {
            canvas_line(c, at, TOP, at, HEIGHT - BOTTOM, 1.0, grid_color);
            canvas_line(c, at, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 5.0, 1.0, quiet);
            canvas_text(c, at, HEIGHT - BOTTOM + 21.0, 9.5, ALIGN_CENTER, 0, ink, text);
        }
    }
}

static void draw_frame(Plot* plot)
{
    Canvas* c = &plot->canvas;
    double x0 = LEFT - 0.5, x1 = WIDTH - RIGHT + 0.5, y0 = TOP - 0.5, y1 = HEIGHT - BOTTOM + 0.5;
    canvas_line(c, x0, y1, x1, y1, 1.2, quiet);
    canvas_line(c, x0, y0, x0, y1, 1.2, quiet);
    canvas_line(c, x1, y0, x1, y1, 1.0, grid_color);
    canvas_line(c, x0, y0, x1, y0, 1.0, grid_color);
    canvas_text(c, LEFT, 32.0, 13.0, ALIGN_LEFT, 0, ink, plot->title);
    canvas_text(c, LEFT, 53.0, 9.5, ALIGN_LEFT, 0, quiet, plot->note);
    canvas_text(c, 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 20.0, 10.5, ALIGN_CENTER, 0, ink,
                plot->x_label);
    canvas_text(c, 26.0, 0.5 * (TOP + HEIGHT - BOTTOM), 10.5, ALIGN_CENTER, 1, ink, plot->y_label);
}

// ---- Series ------------------------------------------------------------------------------------

static void clip(Canvas* canvas, bool is_inside)
{
    canvas->x0 = is_inside ? LEFT : 0.0, canvas->x1 = is_inside ? WIDTH - RIGHT : WIDTH;
    canvas->y0 = is_inside ? TOP : 0.0, canvas->y1 = is_inside ? HEIGHT - BOTTOM : HEIGHT;
}

static void draw_dashes(Canvas* c, double x0, double y0, double x1, double y1, Color color)
{
    double length = hypot(x1 - x0, y1 - y0);
    for (double at = 0.0; at < length; at += 11.0) {
        double a = at / length, b = fmin(at + 6.0, length) / length;
        canvas_line(c, x0 + a * (x1 - x0), y0 + a * (y1 - y0), x0 + b * (x1 - x0),
                    y0 + b * (y1 - y0), 1.4, color);
    }
}

// Consecutive points fall on the same pixels when there are thousands; each pixel column then gets
// one stroke from the lowest to the highest of them, not thousands of strokes over each other.
static void draw_line(Plot* plot, const Series* s)
{
    Canvas* c = &plot->canvas;
    double last_x = NAN, last_y = NAN;
    for (int i = 0; i < s->n; ++i) {
        double x = place(&plot->x, s->x[i]), y = place(&plot->y, s->y[i]);
        bool is_gap = !isfinite(x) || !isfinite(y);
        y = fmin(fmax(y, -9.0 * HEIGHT), 9.0 * HEIGHT);
        if (!is_gap && isfinite(last_x) && hypot(x - last_x, y - last_y) < 0.7 && i + 1 < s->n)
            continue;
        if (!is_gap && isfinite(last_x)) canvas_line(c, last_x, last_y, x, y, 2.0, s->color);
        last_x = is_gap ? NAN : x, last_y = is_gap ? NAN : y;
    }
}

// Each column of pixels takes the height at its middle.
static void draw_ground(Plot* plot, const Series* s)
{
    for (int i = 0; i + 1 < s->n; ++i) {
        double x0 = place(&plot->x, s->x[i]), x1 = place(&plot->x, s->x[i + 1]);
        double y0 = place(&plot->y, s->y[i]), y1 = place(&plot->y, s->y[i + 1]);
        if (!isfinite(x0 + x1 + y0 + y1) || !(x1 > x0)) continue;
        int from = (int)ceil(fmin(fmax(x0, LEFT), WIDTH - RIGHT) - 0.5);
        int to = (int)ceil(fmin(fmax(x1, LEFT), WIDTH - RIGHT) - 0.5);
        for (int x = from; x < to; ++x) {
            double y = y0 + (x + 0.5 - x0) / (x1 - x0) * (y1 - y0);
            canvas_box(&plot->canvas, x, y, x + 1.0, HEIGHT - BOTTOM, s->color, 0.28);
        }
    }
    draw_line(plot, s);
}

static void draw_series(Plot* plot, const Series* s)
{
    Canvas* c = &plot->canvas;
    double x = place(&plot->x, s->x[0]), y = place(&plot->y, s->y[0]);
    if (s->kind == SERIES_LINE) draw_line(plot, s);
    if (s->kind == SERIES_GROUND) draw_ground(plot, s);
    if (s->kind == SERIES_LEVEL && isfinite(y)) draw_dashes(c, LEFT, y, WIDTH - RIGHT, y, s->color);
    if (s->kind == SERIES_MOMENT && isfinite(x))
        draw_dashes(c, x, HEIGHT - BOTTOM, x, TOP, s->color);
    for (int i = 0; i < s->n && s->kind == SERIES_POINTS; ++i) {
        x = place(&plot->x, s->x[i]), y = place(&plot->y, s->y[i]);
        if (!isfinite(x) || !isfinite(y)) continue;
        double radius = s->n > 120 ? 2.4 : 3.6;
        canvas_disc(c, x, y, radius, s->color);
        if (s->n <= 120) canvas_disc(c, x, y, radius - 1.5, paper);
    }
}

// ---- Legend ------------------------------------------------------------------------------------

typedef struct Box {
    double x0, y0, x1, y1;
} Box;

static int points_inside(const Plot* plot, Box box)
{
    int count = 0;
    for (int s = 0; s < plot->n_series; ++s) {
        const Series* one = &plot->series[s];
        for (int i = 0; i < one->n; ++i) {
            double x = place(&plot->x, one->x[i]), y = place(&plot->y, one->y[i]);
            if (one->kind == SERIES_LEVEL) x = 0.5 * (box.x0 + box.x1);
            if (one->kind == SERIES_MOMENT) y = 0.5 * (box.y0 + box.y1);
            count += x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1;
        }
    }
    return count;
}

// The corner, or the middle of a side, that hides the fewest points.
static Box legend_box(const Plot* plot, double width, double height)
{
    static const double across[] = { 1.0, 0.0, 0.5 }, down[] = { 0.0, 1.0, 0.5 };
    Box best = { 0 };
    int fewest = -1;
    for (int c = 0; c < 9; ++c) {
        double free_x = WIDTH - RIGHT - LEFT - 24.0 - width,
               free_y = HEIGHT - BOTTOM - TOP - 24.0 - height;
        Box box = { .x0 = LEFT + 12.0 + across[c % 3] * free_x,
                    .y0 = TOP + 12.0 + down[c / 3] * free_y };
        box.x1 = box.x0 + width, box.y1 = box.y0 + height;
        int count = points_inside(plot, box);
        if (fewest < 0 || count < fewest) best = box, fewest = count;
    }
    return best;
}

static void draw_legend(Plot* plot)
{
    Canvas* c = &plot->canvas;
    int rows = 0;
    double widest = 0.0;
    for (int s = 0; s < plot->n_series; ++s) {
        if (plot->series[s].label[0] == '\0') continue;
        widest = fmax(widest, canvas_text_width(9.5, plot->series[s].label));
        ++rows;
    }
    if (rows == 0) return;
    Box box = legend_box(plot, widest + 62.0, 20.0 * rows + 12.0);
    canvas_box(c, box.x0, box.y0, box.x1, box.y1, paper, 0.85);
    canvas_line(c, box.x0, box.y0, box.x1, box.y0, 1.0, grid_color);
    canvas_line(c, box.x0, box.y1, box.x1, box.y1, 1.0, grid_color);
    canvas_line(c, box.x0, box.y0, box.x0, box.y1, 1.0, grid_color);
    canvas_line(c, box.x1, box.y0, box.x1, box.y1, 1.0, grid_color);
    double y = box.y0 + 16.0;
    for (int s = 0; s < plot->n_series; ++s) {
        const Series* one = &plot->series[s];
        if (one->label[0] == '\0') continue;
        if (one->kind == SERIES_POINTS) {
            canvas_disc(c, box.x0 + 26.0, y, one->n > 120 ? 2.4 : 3.6, one->color);
            if (one->n <= 120) canvas_disc(c, box.x0 + 26.0, y, 2.1, paper);
        } else if (one->kind == SERIES_LINE) {
            canvas_line(c, box.x0 + 12.0, y, box.x0 + 40.0, y, 2.0, one->color);
        } else if (one->kind == SERIES_GROUND) {
            canvas_box(c, box.x0 + 12.0, y, box.x0 + 40.0, y + 6.0, one->color, 0.28);
            canvas_line(c, box.x0 + 12.0, y, box.x0 + 40.0, y, 2.0, one->color);
        } else {
            draw_dashes(c, box.x0 + 12.0, y, box.x0 + 40.0, y, one->color);
        }
        canvas_text(c, box.x0 + 50.0, y + 4.5, 9.5, ALIGN_LEFT, 0, ink, one->label);
        y += 20.0;
    }
}

// ---- The picture -------------------------------------------------------------------------------

static void draw(Plot* plot)
{
    Canvas* c = &plot->canvas;
    clip(c, false);
    canvas_box(c, 0.0, 0.0, WIDTH, HEIGHT, back, 1.0);
    canvas_box(c, LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM, paper, 1.0);
    fit_axis(&plot->x, plot, false);
    fit_axis(&plot->y, plot, true);
    draw_axis(plot, &plot->x, false);
    draw_axis(plot, &plot->y, true);
    clip(c, true);
    for (int s = 0; s < plot->n_series; ++s)
        if (plot->series[s].kind == SERIES_GROUND) draw_series(plot, &plot->series[s]);
    for (int s = 0; s < plot->n_series; ++s)
        if (plot->series[s].kind != SERIES_GROUND) draw_series(plot, &plot->series[s]);
    draw_legend(plot);
    clip(c, false);
    draw_frame(plot);
}

static bool write_picture(Plot* plot)
{
    char path[4096];
    size_t n = 3 * (size_t)WIDTH * HEIGHT;
    uint8_t* bytes = malloc(n);
    if (bytes == NULL) return false;
    for (size_t i = 0; i < n; ++i)
        bytes[i] = (uint8_t)(fminf(fmaxf(plot->canvas.rgb[i], 0.0f), 1.0f) * 255.0f + 0.5f);
    snprintf(path, sizeof path, "%s/%s.png", plot->run->plot_folder, plot->name);
    bool is_good = png_write(path, (PixelSize){ WIDTH, HEIGHT }, 3, bytes);
    free(bytes);
    return is_good;
}

void plot_done(Plot* plot)
{
    if (plot == NULL) return;
    plot->canvas = (Canvas){ .width = WIDTH,
                             .height = HEIGHT,
                             .rgb = calloc(3 * (size_t)WIDTH * HEIGHT, sizeof(float)) };
    bool has_data = plot->canvas.rgb != NULL;
    for (int s = 0; s < plot->n_series; ++s)
        has_data = has_data && plot->series[s].x != NULL && plot->series[s].y != NULL;
    if (has_data) {
        draw(plot);
        if (!write_picture(plot)) plot->run->is_plot_bad = true;
    }
    for (int s = 0; s < plot->n_series; ++s) {
        free(plot->series[s].x);
        free(plot->series[s].y);
    }
    free(plot->canvas.rgb);
    free(plot);
}
