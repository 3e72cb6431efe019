// Filling holes: the mean of what is known around them, near things first.
//
// Method   pull and push [Gortler1996]: halve the grid until a cell knows something, then come back
//          down and let unknown cells take the interpolated coarser value. Smooth, and of a cost that
//          does not depend on how large a hole is.

#include "io/io_internal.h"
#include "base/maths.h"

enum { MAX_LEVELS = 16 };

typedef struct Level {
    float* v; // NaN: unknown
    int nx, nz;
} Level;

static bool is_known(float y)
{
    return y == y;
}

static void pull(const Level* fine, const Level* coarse)
{
    for (int k = 0; k < coarse->nz; ++k) {
        for (int i = 0; i < coarse->nx; ++i) {
            double sum = 0.0;
            int n = 0;
            for (int c = 0; c < 4; ++c) {
                int fi = 2 * i + (c & 1), fk = 2 * k + (c >> 1);
                if (fi >= fine->nx || fk >= fine->nz) continue;
                float y = fine->v[(size_t)fk * (size_t)fine->nx + (size_t)fi];
                if (is_known(y)) sum += (double)y, ++n;
            }
            coarse->v[(size_t)k * (size_t)coarse->nx + (size_t)i] = n > 0 ? (float)(sum / n) : NAN;
        }
    }
}

static float between(const Level* l, double x, double z)
{
    x = x < 0.0 ? 0.0 : x > l->nx - 1 ? l->nx - 1 : x;
    z = z < 0.0 ? 0.0 : z > l->nz - 1 ? l->nz - 1 : z;
    int i = (int)x, k = (int)z, i1 = i + 1 < l->nx ? i + 1 : i, k1 = k + 1 < l->nz ? k + 1 : k;
    const float *row = l->v + (size_t)k * (size_t)l->nx, *next = l->v + (size_t)k1 * (size_t)l->nx;
    double u = x - i, v = z - k;
    double low = (1.0 - u) * (double)row[i] + u * (double)row[i1];
    double high = (1.0 - u) * (double)next[i] + u * (double)next[i1];
    return (float)((1.0 - v) * low + v * high);
}

static void push(const Level* coarse, const Level* fine)
{
    for (int k = 0; k < fine->nz; ++k) {
        for (int i = 0; i < fine->nx; ++i) {
            float* y = &fine->v[(size_t)k * (size_t)fine->nx + (size_t)i];
            if (!is_known(*y)) *y = between(coarse, 0.5 * i - 0.25, 0.5 * k - 0.25);
        }
    }
}

TarnResult tarn__fill_holes(TarnContext* ctx, float* heights, int nx, int nz)
{
    Level levels[MAX_LEVELS] = { { heights, nx, nz } };
    TarnLayout layout = { 0 };
    size_t at[MAX_LEVELS] = { 0 };
    int n = 1;
    for (; n < MAX_LEVELS && (levels[n - 1].nx > 1 || levels[n - 1].nz > 1); ++n) {
        levels[n].nx = (levels[n - 1].nx + 1) / 2;
        levels[n].nz = (levels[n - 1].nz + 1) / 2;
        at[n] =
            tarn__layout_add(&layout, (size_t)levels[n].nx * (size_t)levels[n].nz * sizeof(float));
    }
    char* block = tarn__alloc(ctx, layout.size);
    if (block == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "terrain: out of memory for filling holes");
    for (int l = 1; l < n; ++l) {
        levels[l].v = (float*)(block + at[l]);
        pull(&levels[l - 1], &levels[l]);
    }
    for (int l = n - 1; l > 0; --l) push(&levels[l], &levels[l - 1]);
    tarn__free(ctx, block, layout.size);
    return TARN_OK;
}
