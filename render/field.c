// From the frame's views to what the shaders sample: heights, slopes and depths on a grid of a
// handy size, without holes.
//
// Large grids are thinned by averaging, small ones refined. Heights lie on the triangles over the cell
// centers, as in the surface queries of the solver: the picture matches the queries. Slopes
// come from a cubic B-spline, because mirrored clouds show every kink of a slope. Cells that are wall
// or hold no valid number are filled from their neighbors first, so that no spike shows beside a wall.

#include "fields.h"

enum { MAX_SIDE = 1024, FINE_SIDE = 512, MAX_FINE = 16 };

void tarn__field_free(TarnContext* ctx, Field* f)
{
    void* parts[] = { f->source, f->rows, f->surface, f->bed, f->mask, f->is_bad, f->foam };
    for (int i = 0; i < 7; ++i) tarn__free(ctx, parts[i], f->bytes[i]);
    *f = (Field){ 0 };
}

TarnResult tarn__field_resize(TarnContext* ctx, Field* f, int nx, int nz)
{
    int side = maxi(nx, nz);
    int thin = (side + MAX_SIDE - 1) / MAX_SIDE;
    int sx = (nx + thin - 1) / thin, sz = (nz + thin - 1) / thin;
    int fine = mini(maxi(FINE_SIDE / maxi(sx, sz), 1), MAX_FINE);
    tarn__field_free(ctx, f);
    f->nx = sx * fine, f->nz = sz * fine;
    f->thin = thin, f->fine = fine;
    size_t cells = (size_t)sx * (size_t)sz, samples = (size_t)f->nx * (size_t)f->nz;
    f->bytes[0] = cells * sizeof(float);
    f->bytes[1] = (size_t)f->nx * (size_t)sz * sizeof(float);
    f->bytes[2] = f->bytes[3] = samples * 4 * sizeof(float);
    f->bytes[4] = cells * sizeof(float);
    f->bytes[5] = f->bytes[6] = cells;
    f->source = tarn__alloc(ctx, f->bytes[0]);
    f->rows = tarn__alloc(ctx, f->bytes[1]);
    f->surface = tarn__alloc(ctx, f->bytes[2]);
    f->bed = tarn__alloc(ctx, f->bytes[3]);
    f->mask = tarn__alloc(ctx, f->bytes[4]);
    f->is_bad = tarn__alloc(ctx, f->bytes[5]);
    f->foam = tarn__alloc(ctx, f->bytes[6]);
    if (f->source && f->rows && f->surface && f->bed && f->mask && f->is_bad && f->foam)
        return TARN_OK;
    tarn__field_free(ctx, f);
    return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for a grid of %d x %d", nx, nz);
}

// Averages blocks of thin x thin cells. Values are relative to `base`; beyond +-limit
// they count as missing.
static void thin_out(Field* f, const TarnView2* view, const uint8_t* is_wall, float base,
                     float limit)
{
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            float sum = 0.0f;
            int n = 0;
            int k1 = mini((k + 1) * f->thin, view->nz), i1 = mini((i + 1) * f->thin, view->nx);
            for (int b = k * f->thin; b < k1; ++b)
                for (int a = i * f->thin; a < i1; ++a) {
                    float h = view->data[a + (size_t)view->stride * (size_t)b] - base;
                    if (!(fabsf(h) <= limit)) continue; // NaN too
                    if (is_wall && is_wall[a + (size_t)view->nx * (size_t)b]) continue;
                    sum += h;
                    ++n;
                }
            f->is_bad[i + sx * k] = n == 0;
            f->source[i + sx * k] = n ? sum / (float)n : 0.0f;
        }
}

// A few rounds: each cell without a value takes the mean of its neighbors that have one.
static void fill_holes(Field* f)
{
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int round = 1; round <= 4; ++round) {
        bool is_left = false;
        for (int k = 0; k < sz; ++k)
            for (int i = 0; i < sx; ++i) {
                int c = i + sx * k;
                if (f->is_bad[c] != 1) continue;
                float sum = 0.0f;
                int n = 0;
                for (int b = maxi(k - 1, 0); b <= mini(k + 1, sz - 1); ++b)
                    for (int a = maxi(i - 1, 0); a <= mini(i + 1, sx - 1); ++a) {
                        uint8_t state = f->is_bad[a + sx * b];
                        if (state == 1 || state == round + 1) continue;
                        sum += f->source[a + sx * b];
                        ++n;
                    }
                if (n) {
                    f->source[c] = sum / (float)n;
                    f->is_bad[c] = (uint8_t)(round + 1);
                } else
                    is_left = true;
            }
        if (!is_left) return;
    }
}

void tarn__field_thin(Field* f, const TarnView2* view, float base, float limit)
{
    thin_out(f, view, NULL, base, limit);
    fill_holes(f);
}

// Weights of the cubic B-spline for a sample at fraction t between the middle two of four values.
static void spline_weights(float t, float w[4])
{
    float s = 1.0f - t;
    w[0] = s * s * s / 6.0f;
    w[1] = (4.0f - 6.0f * t * t + 3.0f * t * t * t) / 6.0f;
    w[2] = (4.0f - 6.0f * s * s + 3.0f * s * s * s) / 6.0f;
    w[3] = t * t * t / 6.0f;
}

// First of the four values around sample j, and their weights.
static int spline_at(int j, int fine, float w[4])
{
    float x = ((float)j + 0.5f) / (float)fine - 0.5f;
    float base = floorf(x);
    spline_weights(x - base, w);
    return (int)base - 1;
}

// Refines source to the sample grid, into channel 0 of `to`.
void tarn__field_refine(Field* f, float* to)
{
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    if (f->fine == 1) {
        for (int c = 0; c < sx * sz; ++c) to[4 * c] = f->source[c];
        return;
    }
    for (int i = 0; i < f->nx; ++i) {
        float w[4];
        int a = spline_at(i, f->fine, w), c[4];
        for (int t = 0; t < 4; ++t) c[t] = mini(maxi(a + t, 0), sx - 1);
        for (int k = 0; k < sz; ++k) {
            const float* row = f->source + (size_t)sx * (size_t)k;
            f->rows[i + f->nx * k] =
                w[0] * row[c[0]] + w[1] * row[c[1]] + w[2] * row[c[2]] + w[3] * row[c[3]];
        }
    }
    for (int k = 0; k < f->nz; ++k) {
        float w[4];
        int a = spline_at(k, f->fine, w);
        const float* row[4];
        for (int t = 0; t < 4; ++t) row[t] = f->rows + (size_t)f->nx * mini(maxi(a + t, 0), sz - 1);
        float* out = to + 4 * (size_t)f->nx * (size_t)k;
        for (int i = 0; i < f->nx; ++i)
            out[4 * i] = w[0] * row[0][i] + w[1] * row[1][i] + w[2] * row[2][i] + w[3] * row[3][i];
    }
}

void tarn__field_slopes(Field* f, float* to, float dx)
{
    for (int k = 0; k < f->nz; ++k) {
        int ka = maxi(k - 1, 0), kb = mini(k + 1, f->nz - 1);
        const float* up = to + 4 * (size_t)f->nx * (size_t)ka;
        const float* down = to + 4 * (size_t)f->nx * (size_t)kb;
        float* row = to + 4 * (size_t)f->nx * (size_t)k;
        float scale = 0.5f / dx;
        for (int i = 0; i < f->nx; ++i) {
            int ia = maxi(i - 1, 0), ib = mini(i + 1, f->nx - 1);
            row[4 * i + 1] = clampf((row[4 * ib] - row[4 * ia]) * scale, -4.0f, 4.0f);
            row[4 * i + 2] = clampf((down[4 * i] - up[4 * i]) * scale, -4.0f, 4.0f);
        }
    }
}

// The heights of the samples, on the triangles over the cell centers; squares are cut from (i + 1, k)
// to (i, k + 1), as in src/waves/wave_kernels.c.
static void place_on_triangles(Field* f, float* to)
{
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int k = 0; k < f->nz; ++k) {
        float z = clampf(((float)k + 0.5f) / (float)f->fine - 0.5f, 0.0f, (float)(sz - 1));
        int b = mini((int)z, sz - 2);
        float t = z - (float)b;
        for (int i = 0; i < f->nx; ++i) {
            float x = clampf(((float)i + 0.5f) / (float)f->fine - 0.5f, 0.0f, (float)(sx - 1));
            int a = mini((int)x, sx - 2);
            float s = x - (float)a;
            const float* h = f->source + (size_t)sx * (size_t)b + a;
            bool is_far = s + t > 1.0f;
            float corner = is_far ? h[sx + 1] : h[0];
            float along_x = is_far ? 1.0f - t : s, along_z = is_far ? 1.0f - s : t;
            to[4 * ((size_t)f->nx * (size_t)k + (size_t)i)] =
                corner + along_x * (h[1] - corner) + along_z * (h[sx] - corner);
        }
    }
}

static void update_mask(Field* f, const TarnFrameWater* water)
{
    int sx = f->nx / f->fine, sz = f->nz / f->fine, nx = water->height.nx, nz = water->height.nz;
    bool has_walls = false;
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            int n = 0, cells = 0;
            for (int b = k * f->thin; b < mini((k + 1) * f->thin, nz); ++b)
                for (int a = i * f->thin; a < mini((i + 1) * f->thin, nx); ++a, ++cells)
                    n += water->is_wall && water->is_wall[a + (size_t)nx * (size_t)b];
            float share = cells ? (float)n / (float)cells : 0.0f;
            has_walls |= share > 0.0f;
            if (f->mask[i + sx * k] != share) f->is_wall_changed = true;
            f->mask[i + sx * k] = share;
        }
    f->has_walls = has_walls;
}

// Into the last channel of the bed: 1 at walls to 0 a few cells away from them, for foam.
static void update_near_walls(Field* f)
{
    enum { REACH = 4 }; // cells
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int c = 0; c < sx * sz; ++c) f->source[c] = f->mask[c] > 0.5f ? 1.0f : 0.0f;
    for (int round = 0; round < 2; ++round) // forward, then backward
        for (int n = 0; n < sx * sz; ++n) {
            int c = round ? sx * sz - 1 - n : n, i = c % sx, k = c / sx, step = round ? 1 : -1;
            float most = f->source[c] + 1.0f / REACH;
            if (i + step >= 0 && i + step < sx) most = fmaxf(most, f->source[c + step]);
            if (k + step >= 0 && k + step < sz) most = fmaxf(most, f->source[c + step * sx]);
            f->source[c] = fmaxf(most - 1.0f / REACH, 0.0f);
        }
    tarn__field_refine(f, f->bed + 3);
}

// Beside walls the texture is needed although the floor is flat; it may have been another one before.
static void flatten_bed(Field* f)
{
    for (int c = 0; c < f->nx * f->nz; ++c) {
        f->bed[4 * c] = f->bed_min;
        f->bed[4 * c + 1] = f->bed[4 * c + 2] = 0.0f;
    }
}

static void update_bed(Field* f, const TarnFrameWater* water, float dx, float limit)
{
    thin_out(f, &water->bed, NULL, water->rest_level, limit);
    fill_holes(f);
    tarn__field_refine(f, f->bed);
    tarn__field_slopes(f, f->bed, dx);
    int n = f->nx * f->nz;
    f->bed_min = f->bed_max = f->bed[0];
    for (int c = 0; c < n; ++c) {
        float y = f->bed[4 * c];
        f->bed_min = y < f->bed_min ? y : f->bed_min;
        f->bed_max = y > f->bed_max ? y : f->bed_max;
    }
}

static void update_foam(Field* f, const TarnFrameWater* water)
{
    int cells = (f->nx / f->fine) * (f->nz / f->fine);
    tarn__field_thin(f, &water->foam, 0.0f, 1e6f);
    for (int c = 0; c < cells; ++c)
        f->foam[c] = (uint8_t)(255.0f * clampf(f->source[c], 0.0f, 1.0f) + 0.5f);
}

void tarn__field_update(Field* f, const TarnFrameWater* water)
{
    float width = water->dx * (float)maxi(water->height.nx, water->height.nz);
    float dx = water->dx * (float)f->thin / (float)f->fine;
    float limit = 2.0f * width;
    if (water->is_wall || f->has_walls) update_mask(f, water);
    if (water->bed.data)
        update_bed(f, water, dx, limit);
    else
        f->bed_min = f->bed_max = water->bed_level - water->rest_level;
    if (f->has_walls && !water->bed.data) flatten_bed(f);
    if (f->is_wall_changed) update_near_walls(f); // also when the last one is gone
    thin_out(f, &water->height, water->is_wall, water->rest_level, limit);
    fill_holes(f);
    tarn__field_refine(f, f->surface);
    tarn__field_slopes(f, f->surface, dx);
    place_on_triangles(f, f->surface);
    int n = f->nx * f->nz;
    if (water->foam.data) update_foam(f, water);
    float flat = water->rest_level - water->bed_level;
    for (int c = 0; c < n; ++c)
        f->surface[4 * c + 3] = f->surface[4 * c] + (water->bed.data ? -f->bed[4 * c] : flat);
}
