// From the frame's views of land to what the shaders sample: ground, water surface, flow, shade.
//
// The water is given as a depth per cell, and a shore is where it ends: drawn cell by cell that is a
// staircase. So the surface of lakes and rivers is extended into the land around them, and water is
// drawn where it lies above the ground, both of them smooth. A film of rain has no surface to
// extend; between film and lake the weight of a cell goes from 0 to 1 smoothly, so nothing jumps from one
// frame to the next while land floods or dries.

#include "waters.h"
#include <string.h>

static const float gravity = 9.81f;

float tarn__land_film(const TarnFrameWater* water)
{
    return 0.002f + 0.005f * fminf(water->dx, 25.0f);
}

float tarn__land_band(const TarnFrameWater* water)
{
    return tarn__land_film(water) + 0.010f + 0.0016f * tarn__larger_side(water);
}

// ---- Memory ------------------------------------------------------------------------------------

void tarn__land_free(TarnContext* ctx, Land* land)
{
    tarn__field_free(ctx, &land->field);
    tarn__free(ctx, land->ground, land->bytes); // the first of the block
    land->ground = NULL;
    land->nx = land->nz = 0;
    land->bytes = 0;
}

TarnResult tarn__land_resize(TarnContext* ctx, Land* land, int nx, int nz)
{
    if (land->nx == nx && land->nz == nz) return TARN_OK;
    tarn__land_free(ctx, land);
    TARN_TRY(tarn__field_resize(ctx, &land->field, nx, nz));
    const Field* f = &land->field;
    size_t samples = (size_t)f->nx * (size_t)f->nz;
    size_t cells = samples / ((size_t)f->fine * (size_t)f->fine);
    size_t bytes = (11 * cells + 5 * samples) * sizeof(float);
    float* block = tarn__alloc(ctx, bytes);
    if (!block) {
        tarn__land_free(ctx, land);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for land of %d x %d", nx, nz);
    }
    land->bytes = bytes;
    land->ground = block;
    land->depth = block + cells;
    land->level = block + 2 * cells;
    land->weight = block + 3 * cells;
    for (int i = 0; i < 3; ++i) land->work[i] = block + (size_t)(4 + i) * cells;
    land->flow = block + 7 * cells;
    land->shade = block + 11 * cells;
    land->curvature = land->shade + 4 * samples;
    memset(block, 0, bytes);
    land->nx = nx;
    land->nz = nz;
    land->is_ground_new = true;
    return TARN_OK;
}

// ---- Ground ------------------------------------------------------------------------------------

static const float base_step = 64.0f; // [m]

static void update_ground(Land* land, const TarnFrameWater* water, float limit)
{
    Field* f = &land->field;
    HeightRange range = tarn__land_range(&water->land);
    // In steps, so that heights of resting ground keep their bits while other ground moves.
    float base = base_step * floorf(0.5f * (range.low + range.high) / base_step);
    tarn__field_thin(f, &water->land.ground, base, limit);
    size_t bytes = (size_t)(f->nx / f->fine) * (size_t)(f->nz / f->fine) * sizeof(float);
    if (!land->is_ground_new && base == land->base && water->dx == land->dx &&
        !memcmp(f->source, land->ground, bytes))
        return;
    memcpy(land->ground, f->source, bytes);
    land->base = base;
    land->dx = water->dx;
    land->is_ground_new = true;
    tarn__field_refine(f, f->bed);
    tarn__field_slopes(f, f->bed, water->dx * (float)f->thin / (float)f->fine);
    float low = f->bed[0], high = f->bed[0];
    for (int c = 0; c < f->nx * f->nz; ++c) {
        low = fminf(low, f->bed[4 * c]);
        high = fmaxf(high, f->bed[4 * c]);
    }
    land->low = base + low;
    land->high = base + high;
}

// ---- Surface -----------------------------------------------------------------------------------

// One round of carrying on: the mean surface of the cells around, weighted with how much lake they
// are; and that weight, which gets less from round to round.
static void carry(const Land* land, const float* level, const float* weight, float* level_out,
                  float* weight_out)
{
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int k = 0; k < sz; ++k) {
        int kk[3] = { maxi(k - 1, 0) * sx, k * sx, mini(k + 1, sz - 1) * sx };
        for (int i = 0; i < sx; ++i) {
            int c = i + sx * k;
            if (weight[c] >= 1.0f) { // no need to look at the neighbors
                level_out[c] = level[c];
                weight_out[c] = 1.0f;
                continue;
            }
            int ii[3] = { maxi(i - 1, 0), i, mini(i + 1, sx - 1) };
            float sum = 0.0f, total = 0.0f;
            for (int n = 0; n < 9; ++n) {
                int d = ii[n % 3] + kk[n / 3];
                float w = weight[d] * (n % 2 == 1 ? 1.0f : 0.5f);
                sum += w * level[d];
                total += w;
            }
            float own = weight[c], reach = fminf(total, 1.0f);
            float around = total > 1e-6f ? sum / total : level[c];
            level_out[c] = own * level[c] + (1.0f - own) * around;
            weight_out[c] = own + (1.0f - own) * reach;
        }
    }
}

// Sheets of water that run down a slope have no level either: the surface of the next cell is lower by more
// than the depth of the water, and extended it would cut into the ground.
static void spare_sheets(Land* land)
{
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            int c = i + sx * k;
            const int next[4] = { i > 0 ? c - 1 : c, i + 1 < sx ? c + 1 : c, k > 0 ? c - sx : c,
                                  k + 1 < sz ? c + sx : c };
            float fall = 1e-6f;
            for (int n = 0; n < 4 && land->weight[c] > 0.0f; ++n) {
                int d = next[n];
                fall = fmaxf(fall, land->weight[d] * fabsf(land->level[d] - land->level[c]));
            }
            land->work[0][c] = land->weight[c] * smoothf(0.1f, 0.6f, land->depth[c] / fall);
        }
    memcpy(land->weight, land->work[0], (size_t)sx * (size_t)sz * sizeof(float));
}

// How wet the ground is, 0 to 1, into the fourth channel of the shade: under films, and in a band
// above lakes and rivers. `level` and `reach` have been extended into the land.
static void update_wetness(Land* land, const float* level, const float* reach, float film,
                           float band)
{
    Field* f = &land->field;
    int n = f->nx / f->fine * (f->nz / f->fine);
    for (int c = 0; c < n; ++c) {
        float rained = land->depth[c] / (land->depth[c] + film);
        float splashed = reach[c] * smoothf(-1.2f * band, 0.0f, level[c] - land->ground[c]);
        f->source[c] = fmaxf(rained, splashed);
    }
    tarn__field_refine(f, land->shade + 3);
}

static void update_surface(Land* land, const TarnFrameWater* water, float film)
{
    Field* f = &land->field;
    int n = f->nx / f->fine * (f->nz / f->fine);
    if (water->land.depth.data)
        tarn__field_thin(f, &water->land.depth, 0.0f, 1e6f);
    else
        memset(f->source, 0, (size_t)n * sizeof(float));
    for (int c = 0; c < n; ++c) {
        float h = fmaxf(f->source[c], 0.0f);
        land->depth[c] = h;
        land->level[c] = land->ground[c] + h;
        land->weight[c] = smoothf(0.25f * film, 1.5f * film, h);
    }
    spare_sheets(land);
    carry(land, land->level, land->weight, land->work[0], land->work[1]);
    carry(land, land->work[0], land->work[1], land->work[2], f->source);
    carry(land, land->work[2], f->source, land->work[0], land->work[1]);
    update_wetness(land, land->work[0], land->work[1], film, tarn__land_band(water));
    for (int c = 0; c < n; ++c) {
        float take = (1.0f - land->weight[c]) * land->work[1][c]; // from the neighbors
        float carried = fminf(land->work[0][c], land->level[c]);
        f->source[c] = land->level[c] = (1.0f - take) * land->level[c] + take * carried;
    }
    tarn__field_refine(f, f->surface);
    tarn__field_slopes(f, f->surface, water->dx * (float)f->thin / (float)f->fine);
    for (int c = 0; c < f->nx * f->nz; ++c)
        f->surface[4 * c + 3] = f->surface[4 * c] - f->bed[4 * c];
}

// ---- Flow --------------------------------------------------------------------------------------

// A speed at the thinned cells, from views at cells or at faces.
static void thin_speed(Land* land, const TarnView2* view, bool is_x, float* to)
{
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    bool has_faces = view->data && (is_x ? view->nx > land->nx : view->nz > land->nz);
    size_t next = is_x ? 1 : (size_t)view->stride;
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            int a = mini(i * f->thin + f->thin / 2, land->nx - 1);
            int b = mini(k * f->thin + f->thin / 2, land->nz - 1);
            float u = 0.0f;
            if (view->data) {
                const float* at = view->data + a + (size_t)view->stride * (size_t)b;
                u = has_faces ? 0.5f * (at[0] + at[next]) : at[0];
            }
            if (!(fabsf(u) < 1e3f)) u = 0.0f; // NaN too
            to[4 * (i + sx * k)] = land->depth[i + sx * k] > 0.0f ? u : 0.0f;
        }
}

// The drift of ripples and foam is smoothed, deep water counts most: a speed that jumps from cell to
// cell folds what drifts in it. At a shore the speed of the water reaches a cell into the land.
static void smooth_speed(Land* land, int channel, float film)
{
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            float sum = 0.0f, total = 1e-3f * film;
            for (int n = 0; n < 9; ++n) {
                int a = mini(maxi(i + n % 3 - 1, 0), sx - 1);
                int b = mini(maxi(k + n / 3 - 1, 0), sz - 1), c = a + sx * b;
                float w = land->depth[c] * (n == 4 ? 4.0f : n % 2 ? 2.0f : 1.0f);
                sum += w * land->flow[4 * c + channel];
                total += w;
            }
            land->work[0][i + sx * k] = sum / total;
        }
    for (int c = 0; c < sx * sz; ++c) land->flow[4 * c + channel] = land->work[0][c];
}

static void thin_share(Land* land, const TarnView2* view, float* to)
{
    Field* f = &land->field;
    int n = f->nx / f->fine * (f->nz / f->fine);
    if (view->data) tarn__field_thin(f, view, 0.0f, 1e6f);
    for (int c = 0; c < n; ++c) to[4 * c] = view->data ? clampf(f->source[c], 0.0f, 1.0f) : 0.0f;
}

// White water where the flow is supercritical, where it piles up, and where it is steep.
static void guess_foam(Land* land, const TarnFrameWater* water, float film)
{
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    float dx = water->dx * (float)f->thin, half = 0.5f / dx;
    float fast = 1.1f * sqrtf(fminf(dx, 16.0f)) + 0.1f; // at this size of cells [m/s]
    for (int k = 0; k < sz; ++k)
        for (int i = 0; i < sx; ++i) {
            int c = i + sx * k, w = i > 0 ? c - 1 : c, e = i + 1 < sx ? c + 1 : c;
            int n = k > 0 ? c - sx : c, s = k + 1 < sz ? c + sx : c;
            const float* q = land->flow;
            float h = land->depth[c], u = q[4 * c], v = q[4 * c + 1];
            float speed = u * u + v * v, shooting = speed / (gravity * fmaxf(h, film));
            float white = smoothf(0.7f, 3.0f, shooting) *
                          smoothf(0.35f * fast * fast, 3.5f * fast * fast, speed);
            float piling = (q[4 * w] - q[4 * e] + q[4 * n + 1] - q[4 * s + 1]) * half * dx / fast;
            float ax = (land->level[e] - land->level[w]) * half;
            float az = (land->level[s] - land->level[n]) * half;
            float steep = smoothf(0.04f, 0.4f, ax * ax + az * az) *
                          smoothf(0.2f * fast * fast, fast * fast, speed);
            float foam = 0.60f * white + 1.3f * clampf(piling - 0.1f, 0.0f, 1.0f) + 0.7f * steep;
            land->work[0][c] = fminf(foam, 1.0f) * smoothf(film, 4.0f * film, h);
        }
    for (int k = 0; k < sz; ++k) // smoothed over the cells around
        for (int i = 0; i < sx; ++i) {
            float sum = 0.0f;
            for (int n = 0; n < 9; ++n) {
                int a = mini(maxi(i + n % 3 - 1, 0), sx - 1);
                int b = mini(maxi(k + n / 3 - 1, 0), sz - 1);
                sum += land->work[0][a + sx * b] * (n == 4 ? 0.25f : n % 2 ? 0.125f : 0.0625f);
            }
            land->flow[4 * (i + sx * k) + 2] = sum;
        }
}

// The Laplacian of the surface, from its slopes: how much the water is a lens.
static void update_curvature(Land* land, float dx)
{
    const Field* f = &land->field;
    float scale = 0.5f / dx;
    for (int k = 0; k < f->nz; ++k) {
        const float* row = f->surface + 4 * f->nx * k;
        const float* before = k > 0 ? row - 4 * f->nx : row;
        const float* after = k + 1 < f->nz ? row + 4 * f->nx : row;
        for (int i = 0; i < f->nx; ++i) {
            int w = i > 0 ? i - 1 : i, e = i + 1 < f->nx ? i + 1 : i;
            land->curvature[i + f->nx * k] =
                scale * (row[4 * e + 1] - row[4 * w + 1] + after[4 * i + 2] - before[4 * i + 2]);
        }
    }
}

// ---- All ---------------------------------------------------------------------------------------

void tarn__land_update(Land* land, const TarnFrameWater* water, TarnVec3 sun)
{
    land->sheets = tarn__has_sheets(water) ? water->sheets : NULL;
    Field* f = &land->field;
    float film = tarn__land_film(water);
    update_ground(land, water, base_step + 8.0f * tarn__larger_side(water));
    update_surface(land, water, film);
    update_curvature(land, water->dx * (float)f->thin / (float)f->fine);
    thin_speed(land, &water->land.velocity_x, true, land->flow);
    thin_speed(land, &water->land.velocity_z, false, land->flow + 1);
    thin_share(land, &water->land.sediment, land->flow + 3);
    if (water->land.foam.data)
        thin_share(land, &water->land.foam, land->flow + 2);
    else
        guess_foam(land, water, film);
    smooth_speed(land, 0, film);
    smooth_speed(land, 1, film);
    if (water->land.soil.data) {
        tarn__field_thin(f, &water->land.soil, 0.0f, 1e6f);
        tarn__field_refine(f, land->shade + 2);
    }
    bool is_sun_new = sun.x != land->sun.x || sun.y != land->sun.y || sun.z != land->sun.z;
    if (land->is_ground_new || is_sun_new)
        tarn__land_shade(land, water->dx * (float)f->thin / (float)f->fine, sun);
    land->sun = sun;
}

TarnResult tarn__land_bars(TarnContext* ctx, Land* land, const TarnFrameWater* w,
                           TarnFrameWater* out)
{
    TARN_TRY(tarn__land_resize(ctx, land, w->land.ground.nx, w->land.ground.nz));
    land->is_ground_new = true; // none of this is uploaded
    tarn__land_update(land, w, vec3(0, 1, 0));
    const Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine;
    double sum = 0.0, wet = 0.0;
    for (int c = 0; c < sx * sz; ++c) {
        land->work[0][c] = land->base + land->ground[c] + land->depth[c];
        sum += (double)(land->weight[c] * land->work[0][c]);
        wet += (double)land->weight[c];
    }
    *out = (TarnFrameWater){
        .height = { land->work[0], sx, sz, sx },
        .origin = w->origin,
        .dx = w->dx * (float)f->thin,
        .rest_level = wet > 0.0 ? (float)(sum / wet) : w->rest_level,
        .bed_level = tarn__land_foot(tarn__larger_side(w), land->low, land->high),
        .has_rim = { true, true, true, true },
    };
    return TARN_OK;
}
