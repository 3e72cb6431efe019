// Solids that are fields: grids of signed distances, functions, the ground below a height field.
//
// Method   Grids are read trilinearly, their normal is the gradient of what is read. Functions are
//          asked and differenced centrally. Ground is bilinear between samples; along a straight
//          way the gap above one cell is a parabola, whose first root is taken.
// Differs  Beyond a distance grid the distance is that to the grid's box or what its border leaves
//          of it, whichever is more: never too large. Beyond a terrain its border goes on level.
// Checked  tests/unit/test_solids.c, tests/robust/test_solids_storms.c.
// Cost     contacts 0.1 us, a way at the surface 0.4 to 0.8 us.

#include "particles/solids_parts.h"

// ---- Distance grids -----------------------------------------------------------------------------

// Share of the way from sample *i to the next, clamped to the grid.
static float cell_of(float x, int n, int* i)
{
    float clamped = tarn_clampf(x, 0.0f, (float)(n - 1));
    *i = (int)clamped;
    if (*i > n - 2) *i = n - 2;
    return clamped - (float)*i;
}

static float grid_read(const Solid* s, TarnVec3 g, TarnVec3* gradient)
{
    int i, j, k;
    float u = cell_of(g.x, s->def.shape.nx, &i), v = cell_of(g.y, s->def.shape.ny, &j);
    float w = cell_of(g.z, s->def.shape.nz, &k);
    size_t row = (size_t)s->def.shape.nx, slab = row * (size_t)s->def.shape.ny;
    const float* f = s->def.shape.distances + (size_t)i + row * (size_t)j + slab * (size_t)k;
    float x00 = f[0] + u * (f[1] - f[0]), x10 = f[row] + u * (f[row + 1] - f[row]);
    float x01 = f[slab] + u * (f[slab + 1] - f[slab]);
    float x11 = f[slab + row] + u * (f[slab + row + 1] - f[slab + row]);
    float y0 = x00 + v * (x10 - x00), y1 = x01 + v * (x11 - x01);
    float d00 = f[1] - f[0], d10 = f[row + 1] - f[row], d01 = f[slab + 1] - f[slab];
    float d11 = f[slab + row + 1] - f[slab + row];
    float e0 = d00 + v * (d10 - d00), e1 = d01 + v * (d11 - d01);
    *gradient =
        (TarnVec3){ e0 + w * (e1 - e0), (x10 - x00) + w * ((x11 - x01) - (x10 - x00)), y1 - y0 };
    return y0 + w * (y1 - y0);
}

LocalContact tarn__grid_nearest(const Solid* s, TarnVec3 q)
{
    float dx = s->def.shape.dx;
    TarnVec3 from = vec3_sub(q, s->def.shape.origin);
    TarnVec3 top = { (float)(s->def.shape.nx - 1) * dx, (float)(s->def.shape.ny - 1) * dx,
                     (float)(s->def.shape.nz - 1) * dx };
    TarnVec3 at = { tarn_clampf(from.x, 0.0f, top.x), tarn_clampf(from.y, 0.0f, top.y),
                    tarn_clampf(from.z, 0.0f, top.z) };
    TarnVec3 n, out = vec3_sub(from, at);
    float d = grid_read(s, vec3_scale(at, 1.0f / dx), &n);
    float beyond = sqrtf(vec3_dot(out, out));
    if (beyond > 0.0f) { // nothing solid is out here: at least as far as the box of the grid
        if (d - beyond < beyond) n = out;
        d = tarn_maxf(d - beyond, beyond);
    }
    n = vec3_normalize(n);
    if (!(vec3_dot(n, n) > 0.5f)) n.y = 1.0f;
    return (LocalContact){ d, n };
}

// ---- Functions ----------------------------------------------------------------------------------

static float ask(const Solid* s, TarnVec3 q)
{
    float d = s->def.shape.distance(q, s->def.shape.user);
    return tarn__is_finite(d) ? tarn_clampf(d, -1e9f, 1e9f) : 1e9f;
}

LocalContact tarn__function_nearest(const Solid* s, TarnVec3 q)
{
    float l = sqrtf(vec3_dot(q, q)), radius = s->def.shape.radius;
    float beyond = l - radius, h = 1e-3f * radius;
    // Outside of its sphere a shape is at least as far as the sphere; too near to matter is asked
    // anyway.
    if (beyond > 0.1f * radius && !s->def.is_inside_out)
        return (LocalContact){ beyond, vec3_scale(q, 1.0f / l) };
    float d = ask(s, q);
    TarnVec3 n = {
        ask(s, (TarnVec3){ q.x + h, q.y, q.z }) - ask(s, (TarnVec3){ q.x - h, q.y, q.z }),
        ask(s, (TarnVec3){ q.x, q.y + h, q.z }) - ask(s, (TarnVec3){ q.x, q.y - h, q.z }),
        ask(s, (TarnVec3){ q.x, q.y, q.z + h }) - ask(s, (TarnVec3){ q.x, q.y, q.z - h }),
    };
    n = vec3_normalize(n);
    if (!(vec3_dot(n, n) > 0.5f)) n = l > 0.0f ? vec3_normalize(q) : (TarnVec3){ 0, 1, 0 };
    return (LocalContact){ d, n };
}

// ---- Terrain ------------------------------------------------------------------------------------

static float sample(const Solid* s, int i, int k)
{
    const TarnView2* view = &s->def.shape.heights;
    i = i < 0 ? 0 : i < view->nx ? i : view->nx - 1;
    k = k < 0 ? 0 : k < view->nz ? k : view->nz - 1;
    float y = view->data[(size_t)i + (size_t)view->stride * (size_t)k];
    return tarn_clampf(y, -1e6f, 1e6f); // the host may write anything: NaN is a pit
}

typedef struct Ground {
    float y, slope_x, slope_z;
} Ground;

// gx, gz: in cells, with whole numbers at the samples.
static Ground ground_at(const Solid* s, float gx, float gz)
{
    float cx = floorf(tarn_clampf(gx, -1.0f, (float)s->def.shape.heights.nx));
    float cz = floorf(tarn_clampf(gz, -1.0f, (float)s->def.shape.heights.nz));
    int i = (int)cx, k = (int)cz;
    float u = tarn_clampf(gx - cx, 0.0f, 1.0f), v = tarn_clampf(gz - cz, 0.0f, 1.0f);
    float a = sample(s, i, k), b = sample(s, i + 1, k), c = sample(s, i, k + 1);
    float d = sample(s, i + 1, k + 1), low = a + u * (b - a), high = c + u * (d - c);
    float inverse = 1.0f / s->def.shape.dx;
    return (Ground){ low + v * (high - low), ((b - a) + v * ((d - c) - (b - a))) * inverse,
                     (high - low) * inverse };
}

static float to_cells(const Solid* s, float x, float origin)
{
    return (x - origin) / s->def.shape.dx - 0.5f;
}

LocalContact tarn__terrain_nearest(const Solid* s, TarnVec3 q)
{
    Ground g = ground_at(s, to_cells(s, q.x, s->def.shape.origin.x),
                         to_cells(s, q.z, s->def.shape.origin.z));
    TarnVec3 n = vec3_normalize((TarnVec3){ -g.slope_x, 1.0f, -g.slope_z });
    return (LocalContact){ (q.y - g.y) * n.y, n };
}

float tarn__terrain_highest(const Solid* s, float x0, float x1, float z0, float z1)
{
    float nx = (float)s->def.shape.heights.nx, nz = (float)s->def.shape.heights.nz;
    int i0 = (int)floorf(tarn_clampf(to_cells(s, x0, s->def.shape.origin.x), -1.0f, nx));
    int i1 = (int)floorf(tarn_clampf(to_cells(s, x1, s->def.shape.origin.x), -1.0f, nx)) + 1;
    int k0 = (int)floorf(tarn_clampf(to_cells(s, z0, s->def.shape.origin.z), -1.0f, nz));
    int k1 = (int)floorf(tarn_clampf(to_cells(s, z1, s->def.shape.origin.z), -1.0f, nz)) + 1;
    if ((int64_t)(i1 - i0 + 1) * (k1 - k0 + 1) > 1024) return solid_far;
    float highest = -solid_far;
    for (int k = k0; k <= k1; ++k) {
        for (int i = i0; i <= i1; ++i) highest = tarn_maxf(highest, sample(s, i, k));
    }
    return highest;
}

// Where the way from a to b (in cells along one axis) next leaves its cell, after the fraction at.
static float next_line(float a, float b, float at, int n)
{
    float x = a + at * (b - a), step = b - a;
    if (!(fabsf(step) > 1e-9f)) return 2.0f;
    float line = step > 0.0f ? floorf(x) + 1.0f : -(floorf(-x) + 1.0f);
    if (step > 0.0f && x < -1.0f) line = 0.0f; // level up to the first sample
    if (step < 0.0f && x > (float)n) line = (float)n - 1.0f;
    return (line - a) / step;
}

// First root in (0, 1) of the parabola through f0, fm, f1 at 0, 1/2, 1; f0 >= 0. 2: none.
static float first_root(float f0, float fm, float f1)
{
    float b = 4.0f * fm - 3.0f * f0 - f1, a = f1 - f0 - b;
    if (f1 >= 0.0f) { // it may dip in between
        if (!(a > 0.0f && b < 0.0f && -b < 2.0f * a)) return 2.0f;
        if (f0 - b * b / (4.0f * a) >= 0.0f) return 2.0f;
    }
    float root = sqrtf(tarn_maxf(0.0f, b * b - 4.0f * a * f0));
    float t = b <= 0.0f ? 2.0f * f0 / tarn_maxf(root - b, 1e-30f)
                        : (-b - root) / tarn_minf(2.0f * a, -1e-30f);
    return tarn_clampf(t, 0.0f, 1.0f);
}

// Height over the ground at the fraction at of a way, less the clearance.
static float gap_at(const Solid* s, const float a[3], const float b[3], float at, float stop)
{
    return a[1] + at * (b[1] - a[1]) - stop -
           ground_at(s, a[0] + at * (b[0] - a[0]), a[2] + at * (b[2] - a[2])).y;
}

float tarn__terrain_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, float r)
{
    TarnVec3 o = s->def.shape.origin;
    const float a[3] = { to_cells(s, q0.x, o.x), q0.y, to_cells(s, q0.z, o.z) };
    const float b[3] = { to_cells(s, q1.x, o.x), q1.y, to_cells(s, q1.z, o.z) };
    float stop = solid__stop(gap_at(s, a, b, 0.0f, 0.0f), r) - 1e-3f * r;
    float at = 0.0f, gap = tarn_maxf(0.0f, gap_at(s, a, b, 0.0f, stop));
    for (int i = 0; i < 4096 && at < 1.0f; ++i) {
        float next = tarn_minf(next_line(a[0], b[0], at, s->def.shape.heights.nx),
                               next_line(a[2], b[2], at, s->def.shape.heights.nz));
        next = tarn_minf(1.0f, tarn_maxf(next, at + 1e-6f));
        float mid = gap_at(s, a, b, 0.5f * (at + next), stop), end = gap_at(s, a, b, next, stop);
        float root = first_root(gap, mid, end);
        if (root <= 1.0f) return at + root * (next - at);
        gap = tarn_maxf(0.0f, end);
        at = next;
    }
    return at;
}
