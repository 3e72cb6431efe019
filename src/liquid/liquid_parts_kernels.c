// Loops of the parts of liquids over neighbors, eight at a time. Gather only: forces of a pair are computed twice, with the same
// bits but for the sign, so that momentum is kept to rounding.

#include "base/kernels.h"
#include "liquid/liquid_parts_kernels.h"
#include "liquid/sph_lanes.h"

static void pack(const PartSweep* s, int begin, int end)
{
    sph_pack_some(s->l, s->inverse_mass, s->packed, begin, end);
}

// What the pairs of i with eight neighbors have.
TARN_INLINE TarnF8 pair_values(const PartSweep* s, const float* row, const int* j)
{
    if (s->is_plain) return f8_set(row[0]);
    TarnF8 value;
    for (int k = 0; k < TARN_LANES; ++k) value[k] = row[s->l->kind[j[k]]];
    return value;
}
TARN_INLINE const float* pair_row(const PartSweep* s, int i)
{
    return s->pair + (s->is_plain ? 0 : s->l->kind[i] * TARN_LIQUID_KINDS);
}

// Adds a change of velocity, not more than the limit.
TARN_INLINE void add_change(const PartSweep* s, int i, float x, float y, float z)
{
    TarnLiquid* l = s->l;
    float size2 = (x * x + y * y) + z * z;
    float k = size2 > s->limit * s->limit ? s->limit / sqrtf(size2) : 1.0f;
    if (!(size2 < 1e30f)) k = 0.0f;
    l->vx[i] += k * x;
    l->vy[i] += k * y;
    if (s->dims == 3) l->vz[i] += k * z;
}

// ---- Tension and cohesion --------------------------------------------------------------------------

// Also the pressure that this push and pull is inside [Pa], into l->pressure: below 0 where it pulls.
static void tension(const PartSweep* s, int begin, int end)
{
    TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    TarnF8 none = f8_set(0.0f);
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + neighbors_at(nb, i);
        const float *own = s->packed + SPH_PACK * (size_t)i, *row = pair_row(s, i);
        SphLanes here = sph_lanes(own);
        TarnF8 x = none, y = none, z = none, virial = none;
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            TarnF8 r2 = sph_dot(d, d), q = f8_sqrt(r2) * s->inverse_h, p = f8_max(1.0f - q, none);
            TarnF8 f = ((p * p) * (s->zero - q)) / f8_max(q, f8_set(0.125f));
            f = f * pair_values(s, row, j + k);
            x += d.x * f;
            y += d.y * f;
            z += d.z * f;
            virial += r2 * f;
        }
        float m = own[3] * s->dt * s->inverse_h;
        TarnF4 sums = sph_sums(x, y, z, virial);
        add_change(s, i, m * sums[0], m * sums[1], m * sums[2]);
        l->pressure[i] = s->share * sums[3];
    }
}

// ---- Vorticity ---------------------------------------------------------------------------------------

static void curl(const PartSweep* s, int begin, int end)
{
    const Neighbors* nb = &s->l->neighbors;
    TarnF8 none = f8_set(0.0f);
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + neighbors_at(nb, i);
        const float* own = s->packed + SPH_PACK * (size_t)i;
        SphLanes here = sph_lanes(own), v = sph_lanes(own + SPH_VELOCITY);
        TarnF8 x = none, y = none, z = none;
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            TarnF8 q = f8_sqrt(sph_dot(d, d)) * s->inverse_h;
            TarnF8 g = s->w * sph_slope(SMOOTHING_WENDLAND, q);
            SphLanes u = sph_minus(sph_gather(s->packed + SPH_VELOCITY, j + k), v);
            x += (d.y * u.z - d.z * u.y) * g;
            y += (d.z * u.x - d.x * u.z) * g;
            z += (d.x * u.y - d.y * u.x) * g;
        }
        TarnF4 c = sph_sums(x, y, z, none);
        c[3] = sqrtf((c[0] * c[0] + c[1] * c[1]) + c[2] * c[2]);
        f4_store(s->curl + 4 * (size_t)i, c);
    }
}

// Towards where the curl is stronger, across it.
static void confine(const PartSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    TarnF8 none = f8_set(0.0f);
    double sum[3] = { 0.0, 0.0, 0.0 };
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + neighbors_at(nb, i);
        float* own = s->packed + SPH_PACK * (size_t)i;
        const float* c = s->curl + 4 * (size_t)i;
        SphLanes here = sph_lanes(own);
        TarnF8 x = none, y = none, z = none;
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            TarnF8 q = f8_sqrt(sph_dot(d, d)) * s->inverse_h, more;
            for (int n = 0; n < TARN_LANES; ++n) more[n] = s->curl[4 * (size_t)j[k + n] + 3];
            TarnF8 g = (s->w * sph_slope(SMOOTHING_WENDLAND, q)) * (more - c[3]);
            x += d.x * g;
            y += d.y * g;
            z += d.z * g;
        }
        TarnVec3 n = vec3_normalize((TarnVec3){ sph_sum8(x), sph_sum8(y), sph_sum8(z) });
        float push = own[3] > 0.0f ? s->share : 0.0f;
        TarnVec3 dv = vec3_scale(vec3_cross(n, (TarnVec3){ c[0], c[1], c[2] }), push);
        if (s->dims == 2) dv.z = 0.0f;
        f4_store(own + SPH_VELOCITY, (TarnF4){ dv.x, dv.y, dv.z, 0.0f });
        double m = own[3] > 0.0f ? (double)l->mass[l->kind[i]] : 0.0;
        sum[0] += m * (double)dv.x;
        sum[1] += m * (double)dv.y;
        sum[2] += m * (double)dv.z;
    }
    for (int a = 0; a < 3; ++a) s->sums[(size_t)begin / 2 + (size_t)a] = sum[a];
}

// ---- Viscosity ---------------------------------------------------------------------------------------

// Pairs at one place have no direction: they slip.
static void couple(const PartSweep* s, int begin, int end)
{
    const Neighbors* nb = &s->l->neighbors;
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + neighbors_at(nb, i);
        float* out = s->l->pair_scratch + neighbors_at(nb, i);
        const float* row = pair_row(s, i);
        SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            TarnF8 r2 = sph_dot(d, d), q = f8_sqrt(r2) * s->inverse_h;
            TarnF8 g = (-s->w * sph_slope(SMOOTHING_WENDLAND, q)) * pair_values(s, row, j + k);
            if (!s->is_whole) g = g / f8_max(r2, f8_set(s->least_r2));
            f8_store(out + k, f8_select(f8_less(q, f8_set(1.0f)), g, f8_set(0.0f)));
        }
    }
}

// Sum of the couplings times what of the difference to each neighbor lies along the line between the two, or
// times the whole difference.
TARN_INLINE TarnF4 differences(const PartSweep* s, int i)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + neighbors_at(nb, i);
    const float* g = s->l->pair_scratch + neighbors_at(nb, i);
    const float* own = s->packed + SPH_PACK * (size_t)i;
    SphLanes here = sph_lanes(own), u = sph_lanes(own + SPH_VELOCITY);
    TarnF8 x = f8_set(0.0f), y = x, z = x;
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        SphLanes du = sph_minus(u, sph_gather(s->packed + SPH_VELOCITY, j + k));
        TarnF8 f = f8_load(g + k);
        if (s->is_whole) d = du;
        if (!s->is_whole) f = f * sph_dot(d, du);
        x += d.x * f;
        y += d.y * f;
        z += d.z * f;
    }
    return sph_sums(x, y, z, f8_set(0.0f));
}

TARN_INLINE float mass_of(const PartSweep* s, int i, float* inverse)
{
    const TarnLiquid* l = s->l;
    bool is_frozen = (l->flags[i] & TARN_LIQUID_FROZEN) != 0;
    *inverse = is_frozen ? 0.0f : s->inverse_mass[l->kind[i]];
    return l->mass[l->kind[i]];
}

// `way` is the velocity when this begins.
static void residual(const PartSweep* s, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        TarnF4 d = differences(s, i);
        float inverse;
        mass_of(s, i, &inverse);
        for (int a = 0; a < 3; ++a) {
            s->r[a][i] = -d[a];
            sum += (double)d[a] * (double)(d[a] * inverse);
        }
    }
    s->sums[(size_t)begin / 2] = sum;
}

static void apply(const PartSweep* s, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        TarnF4 d = differences(s, i),
               way = f4_load(s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY);
        float inverse, m = mass_of(s, i, &inverse);
        for (int a = 0; a < 3; ++a) {
            float b = m * way[a] + d[a];
            s->a_way[a][i] = b;
            sum += (double)way[a] * (double)b;
        }
    }
    s->sums[(size_t)begin / 2] = sum;
}

static void advance(const PartSweep* s, int begin, int end)
{
    TarnLiquid* l = s->l;
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        TarnF4 way = f4_load(s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY);
        float inverse;
        mass_of(s, i, &inverse);
        l->vx[i] += s->step * way[0];
        l->vy[i] += s->step * way[1];
        l->vz[i] += s->step * way[2];
        for (int a = 0; a < 3; ++a) {
            float r = s->r[a][i] - s->step * s->a_way[a][i];
            s->r[a][i] = r;
            sum += (double)r * (double)(r * inverse);
        }
    }
    s->sums[(size_t)begin / 2] = sum;
}

static void turn(const PartSweep* s, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float inverse;
        mass_of(s, i, &inverse);
        TarnF4 r = { s->r[0][i], s->r[1][i], s->r[2][i], 0.0f };
        float* way = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        f4_store(way, r * f4_set(inverse) + f4_load(way) * f4_set(s->turn));
    }
}

// ---- Calm --------------------------------------------------------------------------------------------

static void motion(const PartSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    double squares = 0.0;
    for (int i = begin; i < end; ++i)
        squares += (double)((l->vx[i] * l->vx[i] + l->vy[i] * l->vy[i]) + l->vz[i] * l->vz[i]);
    s->sums[(size_t)begin / 2] = squares;
}

static void crowd(const PartSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    for (int i = begin; i < end; ++i)
        s->packed[SPH_PACK * (size_t)i + SPH_VELOCITY + 3] =
            tarn_maxf(l->density[i] / l->kinds[l->kind[i]].density, 1.0f);
}

TARN_INLINE TarnF8 crowds(const PartSweep* s, const int* j)
{
    TarnF8 value;
    for (int k = 0; k < TARN_LANES; ++k)
        value[k] = s->packed[SPH_PACK * (size_t)j[k] + SPH_VELOCITY + 3];
    return value;
}

// Weights of the pairs, -W' / r and the mass in common. Times r^2 they are 1 together in each direction on a lattice at
// rest; a pair in a crowd has less, so that no round goes too far.
static void bind(const PartSweep* s, int begin, int end)
{
    const Neighbors* nb = &s->l->neighbors;
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + neighbors_at(nb, i);
        float* out = s->l->pair_scratch + neighbors_at(nb, i);
        const float* own = s->packed + SPH_PACK * (size_t)i;
        SphLanes here = sph_lanes(own);
        TarnF8 crowd_here = f8_set(own[SPH_VELOCITY + 3]);
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            TarnF8 q = f8_sqrt(sph_dot(d, d)) * s->inverse_h;
            TarnF8 crowded = f8_max(crowd_here, crowds(s, j + k));
            TarnF8 masses = f8_max((here.w + d.w) * crowded, f8_set(1e-30f));
            f8_store(out + k, (2.0f * s->w) * here.w * sph_slope(SMOOTHING_WENDLAND, q) / masses);
        }
    }
}

// What of i's difference to its neighbors lies along the lines between them, weighed.
TARN_INLINE TarnF4 off_neighbors(const PartSweep* s, int i, size_t wide)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + neighbors_at(nb, i);
    const float* bound = s->l->pair_scratch + neighbors_at(nb, i);
    SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
    SphLanes v = sph_lanes(s->rough + wide * (size_t)i);
    TarnF8 none = f8_set(0.0f), x = none, y = none, z = none;
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        SphLanes u = sph_minus(v, sph_gather_wide(s->rough, j + k, wide));
        TarnF8 f = f8_load(bound + k) * sph_dot(d, u);
        x += d.x * f;
        y += d.y * f;
        z += d.z * f;
    }
    return sph_sums(x, y, z, none);
}

static void smooth(const PartSweep* s, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        TarnF4 off = s->wide == SPH_PACK ? off_neighbors(s, i, SPH_PACK) : off_neighbors(s, i, 4);
        f4_store(s->smooth + 4 * (size_t)i, f4_load(s->rough + (size_t)s->wide * (size_t)i) - off);
    }
}

static void keep_off(const PartSweep* s, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float* at = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        TarnF4 off = f4_load(at) - f4_load(s->smooth + 4 * (size_t)i);
        off[3] = at[3];
        f4_store(at, off);
    }
}

static void take_off(const PartSweep* s, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        const float* at = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        TarnF4 off = f4_load(s->smooth + 4 * (size_t)i) - f4_load(at);
        add_change(s, i, s->share * off[0], s->share * off[1], s->share * off[2]);
    }
}

const PartKernels TARN_KERNEL(tarn__part_kernels) = {
    .pack = pack,
    .tension = tension,
    .curl = curl,
    .confine = confine,
    .couple = couple,
    .residual = residual,
    .apply = apply,
    .advance = advance,
    .turn = turn,
    .motion = motion,
    .crowd = crowd,
    .bind = bind,
    .smooth = smooth,
    .keep_off = keep_off,
    .take_off = take_off,
};
