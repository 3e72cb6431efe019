// The inner loops of the pipe model, eight cells at a time.
//
// A substep is one pass over blocks of rows, in which a few rows are in work at a time: the new flow
// through every face, which share of it each cell can give, and then what water and sediment move,
// dissolve and settle. Everything that moves is a whole number of grains, found by the same operations on both sides of a
// face, so nothing is lost, and no cell gives more than it has. Sums are paired so that mirrored and
// transposed input gives mirrored and transposed output, bit for bit.

#include "base/kernels.h"
#include "waves/pipes_internal.h"

// Adding it rounds a float of less than 2^22 to a whole number, found in the low bits.
#define ROUND      0x1.8p23f
#define ROUND_BITS 0x4b400000

// Grains that move at once at most, far below what rounding takes: 1/4 of max_depth of water, 1/8 of
// ground.
static const float most_water = 0x1p22f - 4.0f, most_ground = 0x1p21f;

#if defined(__AVX__) || defined(__clang__)
TARN_INLINE TarnF8 to_float(TarnI8 v)
{
    return __builtin_convertvector(v, TarnF8);
}
#else // gcc would convert one lane at a time
TARN_INLINE TarnF8 to_float(TarnI8 v)
{
    typedef float F4 __attribute__((vector_size(16)));
    typedef int32_t I4 __attribute__((vector_size(16)));
    I4 half[2];
    F4 out[2];
    TarnF8 f;
    memcpy(half, &v, sizeof half);
    for (int h = 0; h < 2; ++h) out[h] = __builtin_convertvector(half[h], F4);
    memcpy(&f, out, sizeof f);
    return f;
}
#endif
// Of a whole number below 2^22.
TARN_INLINE TarnI8 to_int(TarnF8 whole)
{
    return f8_bits(whole + ROUND) - ROUND_BITS;
}

// y >= 0 to a whole number. With a dither that runs through [-0.5, 0.5) the mean over time is y, and
// it is the same dither for all cells, so that symmetric water stays symmetric. With -0.5 it is never
// more than y.
TARN_INLINE TarnF8 whole(TarnF8 y, float most, TarnF8 dither)
{
    return ((f8_min(y, f8_set(most)) + dither) + ROUND) - ROUND;
}
TARN_INLINE TarnF8 with_sign(TarnF8 positive, TarnF8 of)
{
    return f8_from_bits(f8_bits(positive) | (f8_bits(of) & (int32_t)0x80000000));
}

// Stores the first n lanes.
TARN_INLINE void put(float* p, TarnF8 v, int n)
{
    if (n >= TARN_LANES) {
        f8_store(p, v);
        return;
    }
    for (int l = 0; l < n; ++l) p[l] = v[l];
}
TARN_INLINE void put_int(int32_t* p, TarnI8 v, int n)
{
    if (n >= TARN_LANES) {
        i8_store(p, v);
        return;
    }
    for (int l = 0; l < n; ++l) p[l] = v[l];
}
// Lanes below n.
TARN_INLINE TarnI8 first_lanes(int n)
{
    const TarnI8 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
    return lane < i8_set(n);
}

// ---- Flow ----------------------------------------------------------------------------------------

// New flow through a face from its own and the two cells beside it. Water flows in the depth that
// stands above the higher ground of the two, on the side it comes from: none out of a dry cell, none
// over a ridge that it does not reach, and a level lake is driven by exactly zero.
TARN_INLINE TarnF8 flow(const PipesSweep* s, TarnF8 f, const int32_t* g, const float* d,
                        ptrdiff_t back)
{
    TarnF8 none = f8_set(0.0f);
    TarnF8 rise = to_float(i8_load(g - back) - i8_load(g)) * s->grain; // of the ground, backwards
    TarnF8 d0 = f8_load(d - back), d1 = f8_load(d);
    TarnF8 fall = rise + (d0 - d1); // of the surface, exact where it is level
    TarnF8 h0 = d0 - f8_max(-rise, none), h1 = d1 - f8_max(rise, none);
    TarnF8 h = f8_max(f8_select(f8_less(none, fall), h0, h1), none);
    if (s->pipe > 0.0f) h = f8_set(s->pipe);
    f = (f + (s->push * h) * fall) * s->keep;
    // Drag at the end of the substep, f + dt drag |f| f / h^2 = what is there: right for films, too,
    // where it stops all in much less than a substep.
    TarnF8 drag4 = s->drag4 + s->steep4 * f8_abs(rise);
    f = (f * (h + h)) / ((h + f8_sqrt(h * h + drag4 * f8_abs(f))) + 1e-30f);
    return f8_select(f8_less(f8_abs(f), f8_set(s->still)), none, f);
}

static void flow_x(const PipesSweep* sweep, int k, float* out)
{
    const PipesSweep copy = *sweep; // ours alone: no store can change it, it stays in registers
    const PipesSweep* s = &copy;
    size_t row = (size_t)k * (size_t)s->stride;
    for (int i = 0; i <= s->nx; i += TARN_LANES) {
        size_t c = row + (size_t)i;
        f8_store(out + i, flow(s, f8_load(s->fx + c), s->ground + c, s->d + c, 1));
    }
}

static void flow_z(const PipesSweep* sweep, int k, float* out)
{
    const PipesSweep copy = *sweep;
    const PipesSweep* s = &copy;
    ptrdiff_t row = (ptrdiff_t)k * s->stride;
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        ptrdiff_t c = row + i;
        f8_store(out + i, flow(s, f8_load(s->fz + c), s->ground + c, s->d + c, s->stride));
    }
}

// A cell that has some grains to spare gives what is asked, and roundings even out over time. One
// that does not gives a share, always rounded down.
static void limit(const PipesSweep* sweep, int k, const PipesRows* sweep_rows)
{
    const PipesSweep copy = *sweep;
    const PipesRows r = *sweep_rows;
    const PipesSweep* s = &copy;
    const TarnF8 none = f8_set(0.0f), spare = f8_set(4.0f * s->grain);
    ptrdiff_t row = (ptrdiff_t)k * s->stride;
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        TarnF8 west = f8_max(-f8_load(r.fx + i), none), east = f8_max(f8_load(r.fx + i + 1), none);
        TarnF8 south = f8_max(-f8_load(r.south + i), none);
        TarnF8 north = f8_max(f8_load(r.north + i), none);
        TarnF8 out = ((west + east) + (south + north)) * s->move;
        TarnF8 d = f8_load(s->d + row + i);
        TarnF8 most = f8_min((d / (out + 1e-30f)) * (1.0f - 0x1p-21f), f8_set(1.0f - 0x1p-20f));
        TarnI8 is_short = f8_less(d, out + spare);
        TarnF8 share = f8_select(is_short, most, f8_set(1.0f));
        put(r.share + i, share, s->nx - i);
        if (!s->has_erosion) continue;
        TarnF8 sediment = f8_load(s->s + row + i);
        TarnF8 load = sediment / f8_max(d, f8_set(s->grain));
        load = f8_min(load, f8_set(s->thickest));
        TarnF8 left = sediment - (out * share + spare) * load;
        load = f8_select(f8_less(left, spare), -load, load);
        put(r.load + i, load, s->nx - i);
    }
}

// ---- What moves, dissolves and settles ------------------------------------------------------------

typedef struct Crossing {
    TarnF8 flow;            // [m^2/s]
    TarnF8 water, sediment; // [grains]
} Crossing;

// One side of a face: what its cell can give, and the sediment in it.
typedef struct Giver {
    const float *share, *load;
} Giver;

// What flows through a face, by the share of the cell it comes from.
TARN_INLINE Crossing cross(const PipesSweep* s, TarnF8 f, Giver back, Giver ahead, bool has_erosion)
{
    TarnF8 none = f8_set(0.0f), low = f8_set(-0.5f);
    TarnI8 is_ahead = f8_less(none, f); // it flows ahead, from the cell at the back
    TarnF8 share = f8_select(is_ahead, f8_load(back.share), f8_load(ahead.share));
    TarnF8 dither = f8_select(f8_less(share, f8_set(1.0f)), low, f8_set(s->dither_water));
    Crossing x;
    x.flow = f * share;
    TarnF8 water = whole(f8_abs(x.flow) * (s->move * s->per_grain), most_water, dither);
    x.water = with_sign(water, f);
    x.sediment = none;
    if (!has_erosion) return x;
    TarnF8 load = f8_select(is_ahead, f8_load(back.load), f8_load(ahead.load));
    dither = f8_select(f8_less(load, none), low, f8_set(s->dither_sediment));
    x.sediment = with_sign(whole(water * f8_abs(load), most_water, dither), f);
    return x;
}

TARN_INLINE Crossing cross_west(const PipesSweep* s, const PipesRows* r, int i, bool has_erosion)
{
    Giver back = { r->share + i - 1, r->load + i - 1 }, ahead = { r->share + i, r->load + i };
    return cross(s, f8_load(r->fx + i), back, ahead, has_erosion);
}

// The same for the faces one further, from this one and the next eight.
TARN_INLINE TarnF8 shift(TarnF8 now, TarnF8 next)
{
#if defined(__clang__)
    return __builtin_shufflevector(now, next, 1, 2, 3, 4, 5, 6, 7, 8);
#else
    return __builtin_shuffle(now, next, (TarnI8){ 1, 2, 3, 4, 5, 6, 7, 8 });
#endif
}

TARN_INLINE void keep_crossing(const PipesRows* r, int i, Crossing x, bool has_erosion)
{
    f8_store(r->cross_flow + i, x.flow);
    f8_store(r->cross_water + i, x.water);
    if (has_erosion) f8_store(r->cross_sediment + i, x.sediment);
}

static void cross_south(const PipesSweep* sweep, const PipesRows* r)
{
    for (int i = 0; i < sweep->nx; i += TARN_LANES) {
        Giver back = { r->share_south + i, r->load_south + i };
        Giver ahead = { r->share + i, r->load + i };
        Crossing x = cross(sweep, f8_load(r->south + i), back, ahead, sweep->has_erosion);
        keep_crossing(r, i, x, sweep->has_erosion);
    }
}

// Grains that crossed, in the first n lanes, added up.
static void count_crossing(Crossing x, int n, int sign, PipesTally* tally)
{
    for (int l = 0; l < n && l < TARN_LANES; ++l) {
        tally->edge_water += sign * (int64_t)x.water[l];
        tally->edge_sediment += sign * (int64_t)x.sediment[l];
    }
}

// Slope of the surface, squared: central differences, smoothed across as Sobel did. Of the surface, not
// of the ground: ripples on a river bed would make their own slopes, and grow.
TARN_INLINE TarnF8 tilt2(const PipesSweep* s, const float* south, const float* here,
                         const float* north)
{
    TarnF8 sw = f8_load(south - 1), so = f8_load(south), se = f8_load(south + 1);
    TarnF8 nw = f8_load(north - 1), no = f8_load(north), ne = f8_load(north + 1);
    TarnF8 gx = ((se - sw) + (ne - nw)) + 2.0f * (f8_load(here + 1) - f8_load(here - 1));
    TarnF8 gz = ((nw - sw) + (ne - se)) + 2.0f * (no - so);
    gx *= s->tilt;
    gz *= s->tilt;
    return gx * gx + gz * gz;
}

// Grains that go from the ground into the water, or back (negative), in a column of water.
TARN_INLINE TarnF8 exchange(const PipesSweep* s, TarnI8 ground, TarnF8 g2, TarnF8 power, TarnF8 d,
                            TarnF8 sediment, TarnF8 soil)
{
    TarnF8 none = f8_set(0.0f);
    TarnF8 sine2 = f8_max(g2 / (1.0f + g2), f8_set(s->min_tilt2));
    TarnF8 holds = (s->capacity * power) * f8_sqrt(sine2);
    holds = f8_min(holds, f8_min(s->thickest * d, f8_set(s->most)));
    TarnF8 missing = holds - sediment;
    TarnI8 is_dissolving = f8_less(none, missing);

    TarnF8 want = s->soil_rate * missing, of_soil = f8_min(want, soil);
    TarnF8 dissolved = of_soil + s->rock_ratio * (want - of_soil);
    dissolved = f8_min(dissolved, 0.25f * d); // a film does not dig holes
    // What there is no room for settles at once.
    TarnF8 settled = f8_max(-s->deposit_rate * missing, sediment - s->most);
    TarnF8 amount = f8_select(is_dissolving, dissolved, settled) * s->per_grain;
    amount = whole(amount, most_ground, f8_set(s->dither_ground));
    TarnF8 held = sediment * s->per_grain;
    TarnI8 is_dry = f8_less(d, f8_set((float)PIPES_DRY_GRAINS * s->grain));
    TarnF8 out = f8_select(is_dissolving, amount, -f8_min(amount, held));
    out = f8_select(is_dry, -f8_min(held, f8_set(most_ground)), out);
    // At the ends of the range of heights nothing changes any more.
    TarnF8 height = to_float(ground), limit = f8_set((float)PIPES_LIMIT);
    TarnI8 is_low = f8_less(height, -limit), is_high = f8_less(limit, height);
    out = f8_select(is_low, f8_min(out, none), out);
    return f8_select(is_high, f8_max(out, none), out);
}

// What the water of row k could carry on a slope of 1, its speed times its depth; and its surface. Where
// water is very thin, what is left of a flow is no speed: [Mei2007] divides by any depth.
static void power(const PipesSweep* sweep, int k, float* out, float* surface)
{
    const PipesSweep copy = *sweep;
    const PipesSweep* s = &copy;
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        size_t c = (size_t)k * (size_t)s->stride + (size_t)i;
        TarnF8 d = f8_load(s->d + c), half = f8_set(0.5f);
        TarnF8 per_depth = half / f8_max(d, f8_set(s->min_depth));
        TarnF8 u = (f8_load(s->fx + c) + f8_load(s->fx + c + 1)) * per_depth;
        TarnF8 w = (f8_load(s->fz + c) + f8_load(s->fz + c + (size_t)s->stride)) * per_depth;
        TarnF8 speed2 = f8_min(u * u + w * w, f8_set(s->max_speed2));
        f8_store(out + i, f8_sqrt(speed2) * f8_min(d, f8_set(s->ramp)));
        f8_store(surface + i, to_float(i8_load(s->ground + c)) * s->grain + d);
    }
}

// The mean over nine cells. Without it channels are one cell wide and run along the grid.
TARN_INLINE TarnF8 mean_power(const float* south, const float* here, const float* north)
{
    TarnF8 corners =
        (f8_load(south - 1) + f8_load(north + 1)) + (f8_load(north - 1) + f8_load(south + 1));
    TarnF8 sides = (f8_load(here - 1) + f8_load(here + 1)) + (f8_load(south) + f8_load(north));
    return ((corners + 2.0f * sides) + 4.0f * f8_load(here)) * 0.0625f;
}

// Cells at an open edge are not carved: they are the level that the land drains to.
TARN_INLINE TarnF8 spare_edges(const PipesSweep* s, int i, bool is_border, TarnF8 out)
{
    int n = s->nx - i;
    bool is_west = i == 0 && s->is_open_x0, is_east = n <= TARN_LANES && s->is_open_x1;
    if (!is_border && !is_west && !is_east) return out;
    TarnI8 fixed = is_border ? i8_set(-1) : i8_set(0);
    if (is_west) fixed |= first_lanes(1);
    if (is_east) fixed |= ~first_lanes(n - 1);
    return f8_select(fixed, f8_min(out, f8_set(0.0f)), out);
}

static void erode(const PipesSweep* sweep, int k, const PipesGround* rows)
{
    const PipesSweep copy = *sweep;
    const PipesSweep* s = &copy;
    const PipesGround r = *rows;
    bool is_border = (k == 0 && s->is_open_z0) || (k == s->nz - 1 && s->is_open_z1);
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        size_t c = (size_t)k * (size_t)s->stride + (size_t)i;
        int n = s->nx - i;
        TarnI8 ground = i8_load(s->ground + c);
        TarnF8 soil = f8_load(s->soil + c), sediment = f8_load(s->s1 + c);
        TarnF8 g2 = tilt2(s, r.surface_south + i, r.surface + i, r.surface_north + i);
        TarnF8 mean = mean_power(r.power_south + i, r.power + i, r.power_north + i);
        TarnF8 out = exchange(s, ground, g2, mean, f8_load(s->d + c), sediment, soil);
        out = spare_edges(s, i, is_border, out);
        ground -= to_int(out);
        out *= s->grain;
        soil = f8_max(soil - out, f8_set(0.0f));
        soil = f8_min(soil, f8_set(0x1p24f * s->grain)); // deeper soil has turned to rock
        put(s->s1 + c, sediment + out, n);
        put(s->soil + c, soil, n);
        put_int(s->ground1 + c, ground, n);
        if (s->is_last) put(s->height + c, to_float(ground) * s->grain, n);
    }
}

// Water of eight cells from what crossed their faces.
TARN_INLINE TarnF8 next_depth(const PipesSweep* s, TarnF8 before, TarnF8 gain, int n, TarnI8* dried)
{
    TarnF8 d = (before + gain * s->grain) + s->rain, none = f8_set(0.0f);
    TarnF8 dries = f8_min(d, f8_set(s->drying));
    d -= dries;
    if (n < TARN_LANES) {
        d = f8_select(first_lanes(n), d, none);
        dries = f8_select(first_lanes(n), dries, none);
    }
    *dried += to_int(dries * s->per_grain);
    return d;
}

TARN_INLINE void advance_row(const PipesSweep* s, int k, const PipesRows* r, bool has_erosion,
                             PipesTally* tally)
{
    TarnF8 deepest = f8_set(0.0f);
    TarnI8 dried = i8_set(0);
    bool is_first = k == 0, is_last = k == s->nz - 1;
    Crossing west = cross_west(s, r, 0, has_erosion), next;
    count_crossing(west, 1, 1, tally);
    for (int i = 0; i < s->nx; i += TARN_LANES, west = next) {
        size_t c = (size_t)k * (size_t)s->stride + (size_t)i, up = (size_t)s->stride;
        int n = s->nx - i;
        next = cross_west(s, r, i + TARN_LANES, has_erosion);
        Crossing east = { shift(west.flow, next.flow), shift(west.water, next.water),
                          shift(west.sediment, next.sediment) };
        Crossing south = { f8_load(r->cross_flow + i), f8_load(r->cross_water + i), f8_set(0.0f) };
        if (has_erosion) south.sediment = f8_load(r->cross_sediment + i);
        Giver back = { r->share + i, r->load + i };
        Giver ahead = { r->share_north + i, r->load_north + i };
        Crossing north = cross(s, f8_load(r->north + i), back, ahead, has_erosion);
        keep_crossing(r, i, north, has_erosion);
        if (is_first) count_crossing(south, n, 1, tally);
        if (is_last) count_crossing(north, n, -1, tally);

        TarnF8 before = f8_load(s->d + c);
        TarnF8 gain = (west.water - east.water) + (south.water - north.water);
        TarnF8 d = next_depth(s, before, gain, n, &dried);
        deepest = f8_max(deepest, d);
        put(s->d1 + c, d, n);
        put(s->fx1 + c, west.flow, n);
        put(s->fz1 + c, south.flow, n);
        if (is_last) put(s->fz1 + c + up, north.flow, n);
        if (n <= TARN_LANES) { // the face beyond the last cell
            s->fx1[c + (size_t)n] = east.flow[n - 1];
            tally->edge_water -= (int64_t)east.water[n - 1];
            tally->edge_sediment -= (int64_t)east.sediment[n - 1];
        }
        if (!has_erosion) continue;
        TarnF8 carried = (west.sediment - east.sediment) + (south.sediment - north.sediment);
        put(s->s1 + c, f8_load(s->s + c) + carried * s->grain, n);
    }
    double high = (double)f8_max_lane(deepest);
    tally->deepest = tally->deepest > high ? tally->deepest : high;
    for (int l = 0; l < TARN_LANES; ++l) tally->dried += dried[l];
}

static void advance(const PipesSweep* sweep, int k, const PipesRows* rows, PipesTally* tally)
{
    const PipesSweep copy = *sweep;
    const PipesRows copy_rows = *rows;
    if (copy.has_erosion)
        advance_row(&copy, k, &copy_rows, true, tally);
    else
        advance_row(&copy, k, &copy_rows, false, tally);
}

// ---- Slopes that slip --------------------------------------------------------------------------

typedef struct Slide {
    TarnI8 ground;
    TarnF8 soil; // [grains]
} Slide;

// Between a cell and one neighbor at an offset; is_live: which lanes have one. Ground creeps down every
// slope, and faster where it is steeper than its talus. The higher cell gives soil, an eighth of what
// it has at most, so that all eight neighbors may ask, and rock for the rest of the creep and for
// what is beyond the rock's own talus. What arrives is soil.
TARN_INLINE void slide(const PipesSweep* s, size_t c, ptrdiff_t offset, bool is_diagonal,
                       TarnI8 is_live, TarnF8 soil, Slide* sum)
{
    const float far = is_diagonal ? 1.41421356f : 1.0f, creep = is_diagonal ? 0.25f : 1.0f;
    TarnF8 none = f8_set(0.0f), dither = f8_set(s->dither_ground);
    const int32_t* g = s->ground + c;
    TarnF8 rise = to_float(i8_load(g + offset) - i8_load(g));
    TarnI8 is_gain = f8_less(none, rise);
    TarnF8 there = f8_load(s->soil + c + offset) * s->per_grain;
    TarnF8 cover = f8_select(is_gain, there, soil), steep = f8_abs(rise);
    TarnF8 most = whole(0.125f * cover, most_ground, f8_set(-0.5f));
    TarnF8 creeps = (creep * s->creep) * steep;
    TarnF8 free = steep - (float)PIPES_STICK_GRAINS; // so that slopes come to rest
    TarnF8 slides = s->slip * f8_max(free - far * s->soil_steep, none);
    TarnF8 breaks = s->slip * f8_max((free - cover) - far * s->rock_steep, none);
    TarnF8 moved = f8_min(whole(creeps + slides, most_ground, dither), most);
    TarnF8 broken = whole(f8_max(creeps - most, none) + breaks, most_ground, dither);
    moved = f8_select(is_live, moved, none);
    TarnF8 all = f8_select(is_live, moved + broken, none);
    sum->ground += to_int(f8_select(is_gain, all, -all));
    sum->soil += f8_select(is_gain, all, -moved);
}

static void slip(const PipesSweep* sweep, int k, bool has_south, bool has_north)
{
    const PipesSweep copy = *sweep;
    const PipesSweep* s = &copy;
    ptrdiff_t up = s->stride;
    for (int i = 0; i < s->nx; i += TARN_LANES) {
        size_t c = (size_t)k * (size_t)s->stride + (size_t)i;
        int n = s->nx - i;
        TarnI8 all = i8_set(-1), has_west = i == 0 ? ~first_lanes(1) : all;
        TarnI8 has_east = n <= TARN_LANES ? first_lanes(n - 1) : all;
        TarnF8 soil = f8_load(s->soil + c) * s->per_grain;
        Slide sum = { i8_set(0), f8_set(0.0f) };
        slide(s, c, -1, false, has_west, soil, &sum);
        slide(s, c, 1, false, has_east, soil, &sum);
        if (has_south) {
            slide(s, c, -up, false, all, soil, &sum);
            slide(s, c, -up - 1, true, has_west, soil, &sum);
            slide(s, c, -up + 1, true, has_east, soil, &sum);
        }
        if (has_north) {
            slide(s, c, up, false, all, soil, &sum);
            slide(s, c, up - 1, true, has_west, soil, &sum);
            slide(s, c, up + 1, true, has_east, soil, &sum);
        }
        TarnI8 ground = i8_load(s->ground + c) + sum.ground;
        put_int(s->ground1 + c, ground, n);
        put(s->soil1 + c, f8_min(soil + sum.soil, f8_set(0x1p24f)) * s->grain, n);
        if (s->is_last) put(s->height + c, to_float(ground) * s->grain, n);
    }
}

const PipesKernels TARN_KERNEL(tarn__pipes_kernels) = { flow_x,  flow_z, limit, cross_south,
                                                        advance, power,  erode, slip };
