// Curvature of the free surface.
//
// Method   Height functions: along the axis that the surface looks to most, the fill of seven cells adds up to a height;
//          the heights of three columns (nine in 3-D) give slopes and curvature [Cummins2005]. Where a column does not go
//          from full to empty, the divergence of the normals of the fill, smoothed over the neighbors, serves.
//          At walls the surface stands upright: cells beyond have the fill of the nearest one.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

enum { REACH = 4 };
// The fill around a cell: offsets of the cells up to REACH away along each axis, those beyond a wall being the nearest.
typedef struct Around {
    const float* fill; // of the cell
    ptrdiff_t step[3];
    ptrdiff_t off[3][2 * REACH + 1]; // not set if no wall is near
    int dims;
} Around;

static bool is_near_wall(const TarnLattice* l, int i, int j, int k)
{
    const int at[3] = { i, j, k }, n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    bool is = false;
    for (int d = 0; d < l->kind->dims; ++d) is |= at[d] < REACH || at[d] >= n[d] - REACH;
    return is;
}

static Around around(const TarnLattice* l, int i, int j, int k, bool is_near)
{
    const int at[3] = { i, j, k }, n[3] = { l->grid.nx, l->grid.ny, l->grid.nz };
    Around a;
    a.fill = l->surface->fill + lattice_at(&l->grid, i, j, k);
    a.dims = l->kind->dims;
    a.step[0] = 1, a.step[1] = l->grid.row, a.step[2] = a.dims == 3 ? l->grid.slab : 0;
    for (int d = 0; d < 3 && is_near; ++d) {
        for (int o = -REACH; o <= REACH; ++o) {
            int to = at[d] + o < 0 ? 0 : at[d] + o < n[d] ? at[d] + o : n[d] - 1;
            a.off[d][o + REACH] = a.step[d] * (to - at[d]);
        }
    }
    return a;
}

// Functions with is_near are compiled twice: most cells are near no wall, and there an offset is a product.
TARN_INLINE ptrdiff_t off(const Around* a, const bool is_near, int d, int n)
{
    return is_near ? a->off[d][n + REACH] : n * a->step[d];
}
TARN_INLINE float fill_at(const Around* a, const bool is_near, int x, int y, int z)
{
    return a->fill[off(a, is_near, 0, x) + off(a, is_near, 1, y) + off(a, is_near, 2, z)];
}

// Gradient of the fill, over the cells around.
TARN_INLINE TarnVec3 gradient(const Around* a, const bool is_near, int i, int j, int k)
{
    float g[3] = { 0 };
    int deep = a->dims == 3;
    for (int z = -deep; z <= deep; ++z) {
        for (int y = -1; y <= 1; ++y) {
            int far = (y != 0) + (z != 0);
            float w = far == 0   ? 4.0f
                      : far == 1 ? 2.0f
                                 : 1.0f; // of those beside; half in the middle
            float low = w * fill_at(a, is_near, i - 1, j + y, k + z);
            float mid = 2.0f * w * fill_at(a, is_near, i, j + y, k + z);
            float high = w * fill_at(a, is_near, i + 1, j + y, k + z);
            float sum = low + mid + high;
            g[0] += high - low, g[1] += sum * (float)y, g[2] += sum * (float)z;
        }
    }
    return (TarnVec3){ g[0], g[1], g[2] };
}

// Height of the liquid in a column of seven cells along an axis, counted from its end on the liquid's side. False: it does
// not go from full to empty.
TARN_INLINE bool height(const Around* a, const bool is_near, const int at[3], int axis, int up,
                        float* out)
{
    ptrdiff_t base = 0;
    for (int d = 0; d < 3; ++d) base += d == axis ? 0 : off(a, is_near, d, at[d]);
    const float* column = a->fill + base;
    if (!(column[off(a, is_near, axis, -3 * up)] > 0.98f &&
          column[off(a, is_near, axis, 3 * up)] < 0.02f))
        return false;
    float sum = 0.0f;
    for (int n = -3; n <= 3; ++n) sum += column[off(a, is_near, axis, up * n)];
    *out = sum;
    return true;
}

TARN_INLINE bool by_heights(const Around* a, const bool is_near, int axis, int up, float* out)
{
    int s = axis == 0 ? 1 : 0, t = axis == 2 ? 1 : 2;
    bool is_flat = a->dims == 2;
    float h[3][3];
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            int p[3] = { 0 };
            p[s] = x;
            if (!is_flat) p[t] = y;
            if (is_flat && y != 0) continue;
            if (!height(a, is_near, p, axis, up, &h[y + 1][x + 1])) return false;
        }
    }
    float hx = 0.5f * (h[1][2] - h[1][0]), hxx = h[1][2] - 2.0f * h[1][1] + h[1][0];
    if (is_flat) {
        float q = 1.0f + hx * hx;
        *out = -hxx / (q * sqrtf(q));
        return true;
    }
    float hy = 0.5f * (h[2][1] - h[0][1]), hyy = h[2][1] - 2.0f * h[1][1] + h[0][1];
    float hxy = 0.25f * (h[2][2] - h[2][0] - h[0][2] + h[0][0]), q = 1.0f + hx * hx + hy * hy;
    *out =
        -(hxx * (1.0f + hy * hy) + hyy * (1.0f + hx * hx) - 2.0f * hxy * hx * hy) / (q * sqrtf(q));
    return true;
}

TARN_INLINE float by_normals(const Around* a, const bool is_near)
{
    float sum = 0.0f;
    for (int d = 0; d < a->dims; ++d) {
        int e[3] = { d == 0, d == 1, d == 2 };
        TarnVec3 low = vec3_normalize(gradient(a, is_near, -e[0], -e[1], -e[2]));
        TarnVec3 high = vec3_normalize(gradient(a, is_near, e[0], e[1], e[2]));
        sum += d == 0 ? high.x - low.x : d == 1 ? high.y - low.y : high.z - low.z;
    }
    return -0.5f * sum;
}

TARN_INLINE float curvature(const Around* a, const bool is_near)
{
    TarnVec3 g = gradient(a, is_near, 0, 0, 0); // towards the liquid
    const float size[3] = { fabsf(g.x), fabsf(g.y), fabsf(g.z) }, sign[3] = { g.x, g.y, g.z };
    int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    float kappa;
    if (!by_heights(a, is_near, axis, sign[axis] > 0.0f ? -1 : 1, &kappa))
        kappa = by_normals(a, is_near);
    return tarn_clampf(kappa, -1.0f, 1.0f); // what cells can show
}

float tarn__lattice_curvature(const TarnLattice* l, int i, int j, int k)
{
    bool is_near = is_near_wall(l, i, j, k);
    Around a = around(l, i, j, k, is_near);
    return is_near ? curvature(&a, true) : curvature(&a, false);
}
