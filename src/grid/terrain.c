// Terrain: the grid of heights, reading it at any point, other grids. Generators: terrain_make.c,
// files: src/io.
//
// Checked  tests/unit/test_terrain.c, tests/robust/fuzz_terrain.c.

#include "grid/terrain_internal.h"
#include "base/maths.h"

enum { ROWS_PER_BLOCK = 16 };

TarnResult tarn__terrain_new(TarnContext* ctx, int nx, int nz, float dx, TarnVec2 origin,
                             TarnTerrain** out)
{
    *out = NULL;
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnTerrain));
    size_t heights = tarn__layout_add(&layout, (size_t)nx * (size_t)nz * sizeof(float));
    TarnTerrain* terrain = tarn__alloc(ctx, layout.size);
    if (terrain == NULL) {
        return tarn__fail(
            ctx, TARN_ERR_MEMORY,
            "terrain: out of memory for %d x %d cells (%zu bytes); use a coarser grid", nx, nz,
            layout.size);
    }
    terrain->ctx = ctx;
    terrain->memory = layout.size;
    terrain->nx = nx, terrain->nz = nz;
    terrain->dx = dx;
    terrain->origin = origin;
    terrain->heights = (float*)((char*)terrain + heights);
    *out = terrain;
    return TARN_OK;
}

void tarn__terrain_finish(TarnTerrain* terrain)
{
    size_t n = (size_t)terrain->nx * (size_t)terrain->nz;
    float low = terrain->heights[0], high = low;
    for (size_t c = 1; c < n; ++c) {
        low = tarn_minf(terrain->heights[c], low);
        high = tarn_maxf(terrain->heights[c], high);
    }
    terrain->lowest = low, terrain->highest = high;
}

void tarn_terrain_destroy(TarnTerrain* terrain)
{
    if (terrain != NULL) tarn__free(terrain->ctx, terrain, terrain->memory);
}

// ---- Other grids -------------------------------------------------------------------------------

static TarnResult check_grid(TarnContext* ctx, int nx, int nz, float dx, TarnVec2 origin)
{
    if (nx < 2 || nz < 2 || nx > TARN_TERRAIN_MAX_SIDE || nz > TARN_TERRAIN_MAX_SIDE) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "terrain: %d x %d cells is out of range; allowed: 2 to %d each way", nx,
                          nz, TARN_TERRAIN_MAX_SIDE);
    }
    if (!(dx >= 1e-4f && dx <= 1e4f)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "terrain.dx = %g m is out of range; allowed: 1e-4 to 1e4", (double)dx);
    }
    if (!(fabsf(origin.x) <= 1e6f && fabsf(origin.y) <= 1e6f)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "terrain.origin = [%g, %g] m is out of range; allowed: -1e6 to 1e6",
                          (double)origin.x, (double)origin.y);
    }
    return TARN_OK;
}

TarnResult tarn_terrain_create_from(TarnContext* ctx, TarnView2 heights, float dx, TarnVec2 origin,
                                    TarnTerrain** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_grid(ctx, heights.nx, heights.nz, dx, origin));
    if (heights.data == NULL || heights.stride < heights.nx)
        return tarn__fail(ctx, TARN_ERR_ARG, "terrain: the view of heights is empty");
    for (int k = 0; k < heights.nz; ++k) {
        const float* row = heights.data + (size_t)heights.stride * (size_t)k;
        if (!tarn__all_within(row, (size_t)heights.nx, terrain_limit)) {
            return tarn__fail(ctx, TARN_ERR_DATA,
                              "terrain: row %d contains a NaN or a height beyond +-1e5 m", k);
        }
    }
    TARN_TRY(tarn__terrain_new(ctx, heights.nx, heights.nz, dx, origin, out));
    for (int k = 0; k < heights.nz; ++k) {
        memcpy((*out)->heights + (size_t)heights.nx * (size_t)k,
               heights.data + (size_t)heights.stride * (size_t)k,
               (size_t)heights.nx * sizeof(float));
    }
    tarn__terrain_finish(*out);
    return TARN_OK;
}

typedef struct Resample {
    const TarnTerrain* from;
    TarnTerrain* to;
    int samples; // along each side of a new cell
} Resample;

static void resample_rows(int block, void* data)
{
    const Resample* r = data;
    TarnTerrain* to = r->to;
    int end = (block + 1) * ROWS_PER_BLOCK < to->nz ? (block + 1) * ROWS_PER_BLOCK : to->nz;
    for (int k = block * ROWS_PER_BLOCK; k < end; ++k) {
        for (int i = 0; i < to->nx; ++i) {
            double sum = 0.0;
            for (int s = 0; s < r->samples * r->samples; ++s) {
                double u = ((double)(s % r->samples) + 0.5) / r->samples;
                double v = ((double)(s / r->samples) + 0.5) / r->samples;
                float x = (float)((double)to->origin.x + (i + u) * (double)to->dx);
                float z = (float)((double)to->origin.y + (k + v) * (double)to->dx);
                sum += (double)(r->samples == 1 ? tarn_terrain_sample_smooth(r->from, x, z)
                                                : tarn_terrain_sample(r->from, x, z));
            }
            to->heights[(size_t)k * (size_t)to->nx + (size_t)i] =
                (float)(sum / (r->samples * r->samples));
        }
    }
}

TarnResult tarn_terrain_resample(const TarnTerrain* terrain, int nx, int nz, float dx,
                                 TarnVec2 origin, TarnTerrain** out)
{
    if (out != NULL) *out = NULL;
    if (terrain == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = terrain->ctx;
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "terrain: out is NULL");
    TARN_TRY(check_grid(ctx, nx, nz, dx, origin));
    TARN_TRY(tarn__terrain_new(ctx, nx, nz, dx, origin, out));
    // A coarser cell takes the mean of what lies in it, else fine ridges would come and go.
    float ratio = dx / terrain->dx;
    Resample r = { terrain, *out, ratio <= 1.01f ? 1 : ratio >= 16.0f ? 16 : (int)ceilf(ratio) };
    tarn__parallel_for(ctx, (nz + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK, resample_rows, &r);
    tarn__terrain_finish(*out);
    return TARN_OK;
}

// ---- Reading -----------------------------------------------------------------------------------

TarnView2 tarn_terrain_heights(const TarnTerrain* terrain)
{
    if (terrain == NULL) return (TarnView2){ 0 };
    return (TarnView2){ terrain->heights, terrain->nx, terrain->nz, terrain->nx };
}

float tarn_terrain_dx(const TarnTerrain* terrain)
{
    return terrain ? terrain->dx : 0.0f;
}

TarnVec2 tarn_terrain_origin(const TarnTerrain* terrain)
{
    return terrain ? terrain->origin : (TarnVec2){ 0.0f, 0.0f };
}

void tarn_terrain_range(const TarnTerrain* terrain, float* lowest, float* highest)
{
    if (lowest != NULL) *lowest = terrain ? terrain->lowest : 0.0f;
    if (highest != NULL) *highest = terrain ? terrain->highest : 0.0f;
}

void tarn_terrain_place(const TarnTerrain* terrain, double* east, double* north)
{
    if (east != NULL) *east = terrain ? terrain->east : 0.0;
    if (north != NULL) *north = terrain ? terrain->north : 0.0;
}

// Position on the grid of centers along one axis: the cell before it, and how far behind that. NaN and
// what lies outside go to the border.
static int locate(float at, float origin, float dx, int n, double* part)
{
    double g = ((double)at - (double)origin) / (double)dx - 0.5;
    if (!(g > 0.0)) g = 0.0;
    if (g > n - 1) g = n - 1;
    int i = (int)g < n - 2 ? (int)g : n - 2;
    *part = g - i;
    return i;
}

float tarn_terrain_sample(const TarnTerrain* terrain, float x, float z)
{
    if (terrain == NULL) return 0.0f;
    double u, v;
    int i = locate(x, terrain->origin.x, terrain->dx, terrain->nx, &u);
    int k = locate(z, terrain->origin.y, terrain->dx, terrain->nz, &v);
    const float* row = terrain->heights + (size_t)k * (size_t)terrain->nx + (size_t)i;
    const float* next = row + terrain->nx;
    // Weights, not differences: at a center the height is that of the cell, bit for bit.
    double low = (1.0 - u) * (double)row[0] + u * (double)row[1];
    double high = (1.0 - u) * (double)next[0] + u * (double)next[1];
    return (float)((1.0 - v) * low + v * high);
}

static double cubic(const double* y, double t) // Catmull-Rom through y[1] and y[2]
{
    double a = y[3] - 3.0 * y[2] + 3.0 * y[1] - y[0],
           b = 2.0 * y[0] - 5.0 * y[1] + 4.0 * y[2] - y[3];
    return y[1] + 0.5 * t * (y[2] - y[0] + t * (b + t * a));
}

float tarn_terrain_sample_smooth(const TarnTerrain* terrain, float x, float z)
{
    if (terrain == NULL) return 0.0f;
    double u, v, across[4];
    int i = locate(x, terrain->origin.x, terrain->dx, terrain->nx, &u);
    int k = locate(z, terrain->origin.y, terrain->dx, terrain->nz, &v);
    for (int r = 0; r < 4; ++r) {
        int row = k + r - 1;
        row = row < 0 ? 0 : row > terrain->nz - 1 ? terrain->nz - 1 : row;
        double y[4];
        for (int c = 0; c < 4; ++c) {
            int column = i + c - 1;
            column = column < 0 ? 0 : column > terrain->nx - 1 ? terrain->nx - 1 : column;
            y[c] = (double)terrain->heights[(size_t)row * (size_t)terrain->nx + (size_t)column];
        }
        across[r] = cubic(y, u);
    }
    return tarn_clampf((float)cubic(across, v), -terrain_limit, terrain_limit);
}

float tarn_terrain_ground(float x, float z, void* terrain)
{
    return tarn_terrain_sample(terrain, x, z);
}

float tarn_terrain_smooth_ground(float x, float z, void* terrain)
{
    return tarn_terrain_sample_smooth(terrain, x, z);
}
