// Curvature of the free surface.
//
// Method   Height functions: along the axis that the surface looks to most, the fill of seven cells adds up to a height;
//          the heights of three columns (nine in 3-D) give slopes and curvature [Cummins2005]. Where a column does not go
//          from full to empty, the divergence of the normals of the fill, smoothed over the neighbors, serves.
//          At walls the surface stands upright: cells beyond have the fill of the nearest one.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

static float fill_at(const TarnLattice* l, int i, int j, int k)
{
    i = i < 0 ? 0 : i < l->grid.nx ? i : l->grid.nx - 1;
    j = j < 0 ? 0 : j < l->grid.ny ? j : l->grid.ny - 1;
    k = k < 0 ? 0 : k < l->grid.nz ? k : l->grid.nz - 1;
    return l->surface->fill[lattice_at(&l->grid, i, j, k)];
}

// Gradient of the fill, over the cells around.
static TarnVec3 gradient(const TarnLattice* l, int i, int j, int k)
{
    float g[3] = { 0 };
    int deep = l->kind->dims == 3;
    for (int z = -deep; z <= deep; ++z) {
        for (int y = -1; y <= 1; ++y) {
            for (int x = -1; x <= 1; ++x) {
                int far = (x != 0) + (y != 0) + (z != 0);
                if (far == 0) continue;
                float w = (far == 1 ? 4.0f : far == 2 ? 2.0f : 1.0f) * fill_at(l, i + x, j + y, k + z);
                g[0] += w * (float)x, g[1] += w * (float)y, g[2] += w * (float)z;
            }
        }
    }
    return (TarnVec3){ g[0], g[1], g[2] };
}

// Height of the liquid in a column of seven cells along an axis, counted from its end on the liquid's side. False: it does
// not go from full to empty.
static bool height(const TarnLattice* l, const int at[3], int axis, int up, float* out)
{
    int p[3] = { at[0], at[1], at[2] };
    float sum = 0.0f, first = 0.0f, last = 0.0f;
    for (int n = -3; n <= 3; ++n) {
        p[axis] = at[axis] + up * n;
        float f = fill_at(l, p[0], p[1], p[2]);
        if (n == -3) first = f;
        last = f;
        sum += f;
    }
    *out = sum;
    return first > 0.98f && last < 0.02f;
}

static bool by_heights(const TarnLattice* l, const int at[3], int axis, int up, float* out)
{
    int s = axis == 0 ? 1 : 0, t = axis == 2 ? 1 : 2;
    bool is_flat = l->kind->dims == 2;
    float h[3][3];
    for (int b = -1; b <= 1; ++b) {
        for (int a = -1; a <= 1; ++a) {
            int p[3] = { at[0], at[1], at[2] };
            p[s] += a;
            if (!is_flat) p[t] += b;
            if (is_flat && b != 0) continue;
            if (!height(l, p, axis, up, &h[b + 1][a + 1])) return false;
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
    *out = -(hxx * (1.0f + hy * hy) + hyy * (1.0f + hx * hx) - 2.0f * hxy * hx * hy) / (q * sqrtf(q));
    return true;
}

static float by_normals(const TarnLattice* l, int i, int j, int k)
{
    float sum = 0.0f;
    for (int a = 0; a < l->kind->dims; ++a) {
        int d[3] = { a == 0, a == 1, a == 2 };
        TarnVec3 low = vec3_normalize(gradient(l, i - d[0], j - d[1], k - d[2]));
        TarnVec3 high = vec3_normalize(gradient(l, i + d[0], j + d[1], k + d[2]));
        sum += a == 0 ? high.x - low.x : a == 1 ? high.y - low.y : high.z - low.z;
    }
    return -0.5f * sum;
}

float tarn__lattice_curvature(const TarnLattice* l, int i, int j, int k)
{
    TarnVec3 g = gradient(l, i, j, k); // towards the liquid
    const float size[3] = { fabsf(g.x), fabsf(g.y), fabsf(g.z) }, sign[3] = { g.x, g.y, g.z };
    int axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    float kappa;
    const int at[3] = { i, j, k };
    if (!by_heights(l, at, axis, sign[axis] > 0.0f ? -1 : 1, &kappa)) kappa = by_normals(l, i, j, k);
    return tarn_clampf(kappa, -1.0f, 1.0f); // what cells can show
}
