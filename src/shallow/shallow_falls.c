// Waterfalls of the shallow water: what flows over a high edge of the ground leaves the grid and becomes drops
// [Chentanez2010].
//
// Method   A face is a fall if the ground drops by more than def.fall_drop and the water below does not reach the
//          edge. The sweep takes its flux from the upper cell and gives it to none (falls_in in shallow_kernels.c);
//          here the same flux is counted, in whole grains, until a solver catches it. What nobody catches arrives
//          below at the beginning of the next step. For the speed at the edge the water below counts as if it stood
//          at the edge, so that the depth of a fall does not matter.
// Checked  tests/unit/test_spray.c, tests/physics/check_spray.c.

#include "base/maths.h"
#include "shallow/shallow_kernels.h"
#include "tarn/throw.h"

static size_t cell_of(int32_t face)
{
    return (size_t)(face >> 1);
}
static size_t across(const TarnShallow* water, int32_t face)
{
    return face & 1 ? (size_t)water->stride : 1;
}

// Faces whose ground drops far enough, row by row.
void tarn__shallow_find_falls(TarnShallow* water)
{
    water->is_falls_stale = false;
    water->n_falls = 0;
    for (int k = 0; k < water->def.nz; ++k) {
        for (int i = 0; i < water->def.nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            for (int z = 0; z < 2; ++z) {
                if ((z ? k : i) == 0) continue; // the edges' own
                float rise = water->ground[c] - water->ground[c - (z ? (size_t)water->stride : 1)];
                float drop = rise > 0.0f ? rise : -rise;
                if (drop > water->def.fall_drop)
                    water->falls[water->n_falls++] = (int32_t)(2 * c) + z;
            }
        }
    }
}

void tarn__shallow_throw(TarnShallow* water, const ShallowSweep* s)
{
    if (water->is_falls_stale) tarn__shallow_find_falls(water);
    for (int n = 0; n < water->n_falls; ++n) {
        bool is_z = water->falls[n] & 1;
        size_t c = cell_of(water->falls[n]), before = c - across(water, water->falls[n]);
        bool is_down = s->b[before] > s->b[c]; // along the axis
        size_t low = is_down ? c : before, high = is_down ? before : c;
        if (!(s->b[high] - s->b[low] > s->fall && s->b[low] + s->h[low] < s->b[high])) continue;
        float flux = water->kernels->face_depth(s, is_z ? s->w : s->u, (ptrdiff_t)c,
                                                (ptrdiff_t)across(water, water->falls[n]));
        float falls = is_down ? flux : -flux;
        if (falls > 0.0f) (is_z ? water->thrown_z : water->thrown_x)[c] += falls;
    }
}

void tarn__shallow_land_throws(TarnShallow* water)
{
    for (int n = 0; n < water->n_falls; ++n) {
        size_t c = cell_of(water->falls[n]), before = c - across(water, water->falls[n]);
        float* thrown = (water->falls[n] & 1 ? water->thrown_z : water->thrown_x) + c;
        if (!(*thrown > 0.0f)) continue;
        size_t low = water->b[before] > water->b[c] ? c : before;
        water->h[low] += *thrown;
        *thrown = 0.0f;
        int k = (int)(low / (size_t)water->stride), i = (int)(low % (size_t)water->stride);
        water->edited.h = tarn_maxf(water->edited.h, water->h[low]);
        tarn__shallow_touch(water, i, i + 1, k, k + 1);
    }
}

void tarn__shallow_forget_throws(TarnShallow* water)
{
    size_t bytes = shallow_floats(water) * sizeof(float), first = shallow_first(water);
    memset(water->thrown_x - first, 0, bytes);
    memset(water->thrown_z - first, 0, bytes);
}

double tarn__shallow_thrown(const TarnShallow* water)
{
    double sum = 0.0;
    for (int n = 0; water->falls && n < water->n_falls; ++n)
        sum += (double)(water->falls[n] & 1 ? water->thrown_z
                                            : water->thrown_x)[cell_of(water->falls[n])];
    return sum;
}

// What fell over a face in the last step: a box from the edge as far as it flew, as high as the water above.
static TarnThrow throw_of(const TarnShallow* water, int32_t face, float depth)
{
    bool is_z = face & 1;
    size_t c = cell_of(face), before = c - across(water, face);
    bool is_down = water->b[before] > water->b[c];
    size_t high = is_down ? before : c;
    float dx = water->def.dx, speed = (is_z ? water->w : water->u)[c];
    float along = tarn_clampf(speed, -20.0f, 20.0f), fly = 0.5f * along * water->thrown_for;
    float up = tarn_clampf(water->h[high], 0.01f * dx, 10.0f * dx);
    float aside = is_z ? 0.5f * (water->u[high] + water->u[high + 1])
                       : 0.5f * (water->w[high] + water->w[high + (size_t)water->stride]);
    int k = (int)(c / (size_t)water->stride), i = (int)(c % (size_t)water->stride);
    TarnVec2 o = tarn_shallow_origin(water);
    TarnThrow t = { .volume = (double)depth * (double)dx * (double)dx, .kind = TARN_THROW_FALL };
    float side = 0.5f * dx, deep = tarn_maxf(fly < 0.0f ? -fly : fly, 0.02f * dx);
    t.position = (TarnVec3){ o.x + (float)i * dx + (is_z ? side : fly), water->b[high] + 0.5f * up,
                             o.y + (float)k * dx + (is_z ? fly : side) };
    t.half = (TarnVec3){ is_z ? side : deep, 0.5f * up, is_z ? deep : side };
    t.velocity = (TarnVec3){ is_z ? aside : along, 0.0f, is_z ? along : aside };
    return t;
}

int tarn__shallow_take_throws(TarnShallow* water, int capacity, TarnThrow* out)
{
    int n = 0;
    for (int f = 0; water->falls && f < water->n_falls && n < capacity; ++f) {
        int32_t face = water->falls[f];
        float* thrown = (face & 1 ? water->thrown_z : water->thrown_x) + cell_of(face);
        if (!(*thrown > 0.0f)) continue;
        out[n++] = throw_of(water, face, *thrown);
        water->sums.sources -= (double)*thrown;
        *thrown = 0.0f;
    }
    return n;
}
