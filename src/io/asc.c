// ESRI ASCII grids (.asc): six lines of header, then heights from north to south.
//
//     ncols 393                   xllcorner, yllcorner: the south west corner of the grid, or
//     nrows 244                   xllcenter, yllcenter: the center of its cell
//     xllcorner 0                 NODATA_value: stands for a hole; -9999 if the line is missing
//     yllcorner 0
//     cellsize 0.014
//     NODATA_value -9999
//     -0.13535 -0.13465 ...
//
// The first row is the north of the map. Here z points south, so it is the first row of the terrain
// too, and x grows to the east; the corner is kept as the terrain's place.

#include "io/io_internal.h"
#include "base/maths.h"

typedef struct Words {
    const Input* in;
    size_t at;
    int line;
    char text[MAX_WORD + 1]; // the word
    int length;              // 0: the file ends here
} Words;

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static TarnResult fail_at(const Words* w, const char* what, const char* remedy)
{
    return tarn__fail(w->in->ctx, TARN_ERR_DATA, "%s:%d: '%.40s' %s%s", w->in->name, w->line,
                      w->text, what, remedy);
}

static TarnResult next_word(Words* w)
{
    const Input* in = w->in;
    for (; w->at < in->size && is_blank(in->bytes[w->at]); ++w->at)
        w->line += in->bytes[w->at] == '\n';
    w->length = 0;
    for (; w->at < in->size && !is_blank(in->bytes[w->at]); ++w->at) {
        uint8_t c = in->bytes[w->at];
        if (w->length == MAX_WORD || c < 33 || c > 126) {
            return tarn__fail(in->ctx, TARN_ERR_DATA,
                              "%s:%d: this is not a text of numbers; is it an .asc file?", in->name,
                              w->line);
        }
        w->text[w->length++] = (char)c;
    }
    w->text[w->length] = '\0';
    return TARN_OK;
}

// ---- Header ------------------------------------------------------------------------------------

typedef enum Key {
    NCOLS,
    NROWS,
    XLLCORNER,
    XLLCENTER,
    YLLCORNER,
    YLLCENTER,
    CELLSIZE,
    NODATA,
    N_KEYS
} Key;

typedef struct Header {
    bool has[N_KEYS];
    double value[N_KEYS];
} Header;

static const char* const key_names[N_KEYS] = {
    "ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "nodata_value"
};

static bool is_key(const char* text, const char* key) // case does not matter
{
    for (; *key != '\0'; ++text, ++key) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
        if (c != *key) return false;
    }
    return *text == '\0';
}

static TarnResult read_header(Words* w, Header* h)
{
    for (;;) {
        double ignored;
        TARN_TRY(next_word(w));
        if (w->length == 0 || tarn__word_number(w->text, &ignored))
            return TARN_OK; // the first height
        int key = 0;
        while (key < N_KEYS && !is_key(w->text, key_names[key])) ++key;
        if (key == N_KEYS)
            return fail_at(w, "is neither a height nor a header line",
                           "; known keys are ncols, nrows, xllcorner or xllcenter, yllcorner or "
                           "yllcenter, cellsize, NODATA_value");
        if (h->has[key]) return fail_at(w, "appears twice", "");
        TARN_TRY(next_word(w));
        if (!tarn__word_number(w->text, &h->value[key]))
            return fail_at(w, "is not a number; it is the value of ", key_names[key]);
        h->has[key] = true;
    }
}

static TarnResult check_header(const Words* w, Header* h)
{
    const Input* in = w->in;
    static const Key needed[] = { NCOLS, NROWS, CELLSIZE };
    for (int n = 0; n < 3; ++n) {
        if (!h->has[needed[n]])
            return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: the header has no line '%s'", in->name,
                              key_names[needed[n]]);
    }
    double nx = h->value[NCOLS], nz = h->value[NROWS];
    if (!(nx >= 0.0 && nx < 1e9 && nz >= 0.0 && nz < 1e9 && nx == floor(nx) && nz == floor(nz)))
        return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: ncols %g and nrows %g are not valid sizes",
                          in->name, nx, nz);
    TARN_TRY(tarn__check_size(in, (int64_t)nx, (int64_t)nz));
    if (!(h->value[CELLSIZE] > 0.0))
        return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: cellsize %g must be above 0", in->name,
                          h->value[CELLSIZE]);
    // A height takes two bytes with the blank behind it, so the file cannot promise more than it has.
    uint64_t cells = (uint64_t)nx * (uint64_t)nz;
    if (cells > (in->size - w->at + (size_t)w->length + 1) / 2 + 1)
        return tarn__fail(
            in->ctx, TARN_ERR_DATA,
            "%s: the header announces %.0f x %.0f heights, but the file is too short for them",
            in->name, nx, nz);
    if (!h->has[NODATA]) h->value[NODATA] = -9999.0;
    return TARN_OK;
}

// ---- Heights -----------------------------------------------------------------------------------

static TarnResult read_heights(Words* w, const Header* h, TarnTerrain* t, size_t* holes)
{
    size_t n = (size_t)t->nx * (size_t)t->nz;
    for (size_t c = 0; c < n; ++c) {
        double y;
        if (c > 0) TARN_TRY(next_word(w));
        if (w->length == 0) {
            return tarn__fail(w->in->ctx, TARN_ERR_DATA,
                              "%s:%d: the file ends after %zu of %zu heights", w->in->name, w->line,
                              c, n);
        }
        if (!tarn__word_number(w->text, &y))
            return fail_at(w, "is not a number", "; a point, not a comma?");
        bool is_hole = y == h->value[NODATA] || (float)y == (float)h->value[NODATA];
        if (!is_hole && !(y >= -1e5 && y <= 1e5))
            return fail_at(w, "is beyond +-1e5 m", "; is it the NODATA_value?");
        t->heights[c] = is_hole ? NAN : (float)y;
        *holes += is_hole;
    }
    TARN_TRY(next_word(w));
    if (w->length > 0) return fail_at(w, "comes after the last height", "; check ncols and nrows");
    return TARN_OK;
}

static TarnResult treat_holes(const Input* in, TarnTerrain* t, size_t holes)
{
    size_t n = (size_t)t->nx * (size_t)t->nz;
    if (holes == 0) return TARN_OK;
    if (holes == n)
        return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: all heights are NODATA", in->name);
    if (in->def.holes == TARN_HOLES_REFUSE)
        return tarn__fail(
            in->ctx, TARN_ERR_DATA,
            "%s: %zu of %zu heights are NODATA; set holes to around or lowest to fill them",
            in->name, holes, n);
    if (in->def.holes == TARN_HOLES_AROUND)
        return tarn__fill_holes(in->ctx, t->heights, t->nx, t->nz);
    float low = INFINITY;
    for (size_t c = 0; c < n; ++c) low = t->heights[c] < low ? t->heights[c] : low; // NaN is not
    for (size_t c = 0; c < n; ++c)
        if (!(t->heights[c] == t->heights[c])) t->heights[c] = low;
    return TARN_OK;
}

static void set_place(const Header* h, TarnTerrain* t)
{
    double cell = h->value[CELLSIZE];
    t->has_place = h->has[XLLCORNER] || h->has[XLLCENTER] || h->has[YLLCORNER] || h->has[YLLCENTER];
    if (!t->has_place) return;
    t->east = h->has[XLLCORNER] ? h->value[XLLCORNER] : h->value[XLLCENTER] - 0.5 * cell;
    double south = h->has[YLLCORNER] ? h->value[YLLCORNER] : h->value[YLLCENTER] - 0.5 * cell;
    t->north = south + t->nz * cell;
}

TarnResult tarn__read_asc(const Input* in, TarnTerrain** out)
{
    Words w = { .in = in, .line = 1 };
    Header h = { 0 };
    float dx;
    TARN_TRY(read_header(&w, &h));
    TARN_TRY(check_header(&w, &h));
    TARN_TRY(tarn__choose_dx(in, h.value[CELLSIZE], &dx));
    TARN_TRY(tarn__terrain_new(in->ctx, (int)h.value[NCOLS], (int)h.value[NROWS], dx,
                               in->def.origin, out));
    size_t holes = 0;
    TarnResult result = read_heights(&w, &h, *out, &holes);
    if (result == TARN_OK) result = treat_holes(in, *out, holes);
    if (result != TARN_OK) {
        tarn_terrain_destroy(*out);
        *out = NULL;
        return result;
    }
    set_place(&h, *out);
    return TARN_OK;
}

// ---- Writing -----------------------------------------------------------------------------------

static void put_line(Output* out, const char* key, double value)
{
    char text[NUMBER_TEXT];
    tarn__put(out, key, strlen(key));
    tarn__put(out, " ", 1);
    tarn__put(out, text, (size_t)tarn__double_text(value, text));
    tarn__put(out, "\n", 1);
}

void tarn__write_asc(const TarnTerrain* t, Output* out)
{
    char text[NUMBER_TEXT];
    tarn__float_text(t->dx, text); // 0.05, not 0.0500000007
    double dx = tarn__decimal(text, text + strlen(text));
    double east = t->has_place ? t->east : (double)t->origin.x;
    double north = t->has_place ? t->north : -(double)t->origin.y;
    put_line(out, "ncols", t->nx);
    put_line(out, "nrows", t->nz);
    put_line(out, "xllcorner", east);
    put_line(out, "yllcorner", north - t->nz * dx);
    put_line(out, "cellsize", dx);
    put_line(out, "NODATA_value", -999999.0); // no height is so low
    for (int k = 0; k < t->nz; ++k) {
        for (int i = 0; i < t->nx; ++i) {
            float y = t->heights[(size_t)k * (size_t)t->nx + (size_t)i];
            tarn__put(out, text, (size_t)tarn__float_text(y, text));
            tarn__put(out, i + 1 < t->nx ? " " : "\n", 1);
        }
    }
}
