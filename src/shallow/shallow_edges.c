// Edges of the shallow-water grid: before each substep the ghost cells around it and the speeds
// through its boundary faces are set, so that the sweep needs to know of no edge. Long waves arrive and
// leave along characteristics u +- 2 c, c = sqrt(g h): each open kind says which one comes in.

#include "shallow/shallow_kernels.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>

// One side of the grid, as seen by the loops below.
typedef struct Side {
    int side, n;             // TarnSide; cells along it
    ptrdiff_t first;         // its first cell
    ptrdiff_t inward, along; // to the next cell of the grid, and along the side
    ptrdiff_t face;          // from a cell to the index of its boundary face
    float out;               // sign of the speed that leaves
    float *normal, *tangent; // speeds through this side's faces, and along it
} Side;

static Side side_of(const TarnShallow* water, int side)
{
    ptrdiff_t up = water->stride;
    int nx = water->def.nx, nz = water->def.nz;
    switch (side) {
    case TARN_SIDE_X0:
        return (Side){ side, nz, 0, 1, up, 0, -1.0f, water->u, water->w };
    case TARN_SIDE_X1:
        return (Side){ side, nz, nx - 1, -1, up, 1, 1.0f, water->u, water->w };
    case TARN_SIDE_Z0:
        return (Side){ side, nx, 0, up, 1, 0, -1.0f, water->w, water->u };
    default:
        return (Side){ side, nx, (nz - 1) * up, -up, 1, up, 1.0f, water->w, water->u };
    }
}

static int default_edge(const TarnShallow* water, int side)
{
    const int edges[4] = { water->def.edge_x0, water->def.edge_x1, water->def.edge_z0,
                           water->def.edge_z1 };
    return edges[side];
}

// ---- Spans --------------------------------------------------------------------------------------

void tarn__shallow_map_spans(TarnShallow* water)
{
    TarnVec2 origin = tarn_shallow_origin(water);
    for (int side = 0; side < 4; ++side) {
        int n = side < 2 ? water->def.nz : water->def.nx;
        float begin = side < 2 ? origin.y : origin.x;
        memset(water->span_of[side], 0, (size_t)n);
        for (int s = 0; s < water->n_spans; ++s) {
            const TarnShallowSpanDef* def = &water->spans[s].def;
            if (def->side != side) continue;
            for (int j = 0; j < n; ++j) {
                float at = begin + ((float)j + 0.5f) * water->def.dx;
                if (at >= def->from && at <= def->to) water->span_of[side][j] = (uint8_t)(s + 1);
            }
        }
    }
}

bool tarn__shallow_is_point(float time, float value)
{
    return fabsf(time) <= 1e9f && fabsf(value) <= 1e6f; // not for NaN
}

static TarnResult check_hydrograph(TarnShallow* water, const TarnShallowSpanDef* def)
{
    if (def->n_times == 0) return TARN_OK;
    if (def->n_times < 0 || def->n_times > TARN_SHALLOW_MAX_HYDROGRAPH || def->times == NULL ||
        def->values == NULL) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "span.hydrograph: %d points; allowed: 0 to %d, with both times and values",
            def->n_times, TARN_SHALLOW_MAX_HYDROGRAPH);
    }
    for (int t = 0; t < def->n_times; ++t) {
        bool is_good = tarn__shallow_is_point(def->times[t], def->values[t]);
        if (!is_good || (t > 0 && !(def->times[t] > def->times[t - 1]))) {
            return tarn__fail(water->ctx, TARN_ERR_DATA,
                              "span.hydrograph: point %d (%g s, %g) is not finite, too large, or "
                              "not later than the one before",
                              t, (double)def->times[t], (double)def->values[t]);
        }
    }
    if (water->n_times + def->n_times > SHALLOW_HYDROGRAPHS) {
        return tarn__fail(
            water->ctx, TARN_ERR_CAPACITY,
            "span.hydrograph: all hydrographs together have room for %d points; use fewer points",
            SHALLOW_HYDROGRAPHS);
    }
    return TARN_OK;
}

TarnResult tarn__shallow_check_span(const TarnShallow* water, const TarnShallowSpanDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(water->ctx, "span", "tarn/shallow.h", TarnShallowSpanDef,
                            tarn_shallow_default_span, def));
    TARN_TRY(tarn_param_validate(water->ctx, tarn_shallow_span_table(), def));
    if (def->from > def->to) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "span.from: %g m is beyond span.to, %g m; swap them", (double)def->from,
                          (double)def->to);
    }
    if (def->kind == TARN_SHALLOW_PERIODIC ||
        default_edge(water, def->side) == TARN_SHALLOW_PERIODIC) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "span.kind: periodic applies to whole sides only, and a periodic side "
                          "cannot have spans");
    }
    return TARN_OK;
}

TarnResult tarn_shallow_add_span(TarnShallow* water, const TarnShallowSpanDef* def, int* index)
{
    if (index) *index = -1;
    if (water == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__shallow_check_span(water, def));
    if (water->n_spans == TARN_SHALLOW_MAX_SPANS) {
        return tarn__fail(water->ctx, TARN_ERR_CAPACITY,
                          "span: there are %d already, which is the maximum",
                          TARN_SHALLOW_MAX_SPANS);
    }
    TARN_TRY(check_hydrograph(water, def));
    ShallowSpan* span = &water->spans[water->n_spans];
    *span = (ShallowSpan){ *def, water->n_times, def->n_times };
    span->def.times = span->def.values = NULL;
    size_t bytes = (size_t)def->n_times * sizeof(float);
    if (bytes > 0) memcpy(water->times + span->first, def->times, bytes);
    if (bytes > 0) memcpy(water->values + span->first, def->values, bytes);
    water->n_times += def->n_times;
    if (index) *index = water->n_spans;
    ++water->n_spans;
    tarn__shallow_map_spans(water);
    tarn__shallow_touch(water, 0, water->def.nx, 0, water->def.nz);
    return TARN_OK;
}

TarnResult tarn_shallow_set_span(TarnShallow* water, int index, float value)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (index < 0 || index >= water->n_spans || water->spans[index].count > 0) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_set_span: there is no span %d, or it has a hydrograph",
                          index);
    }
    TarnShallowSpanDef def = water->spans[index].def;
    def.value = value;
    TARN_TRY(tarn_param_validate(water->ctx, tarn_shallow_span_table(), &def));
    water->spans[index].def.value = value;
    return TARN_OK;
}

int tarn_shallow_span_count(const TarnShallow* water)
{
    return water ? water->n_spans : 0;
}

// The hydrograph now: linear between its points, held before and after.
static float span_value(const TarnShallow* water, const ShallowSpan* span)
{
    const float *times = water->times + span->first, *values = water->values + span->first;
    int n = span->count;
    double t = water->time;
    if (n == 0) return span->def.value;
    if (t <= (double)times[0]) return values[0];
    for (int j = 1; j < n; ++j) {
        if (t < (double)times[j]) {
            double part = (t - (double)times[j - 1]) / ((double)times[j] - (double)times[j - 1]);
            return (float)((double)values[j - 1] +
                           part * ((double)values[j] - (double)values[j - 1]));
        }
    }
    return values[n - 1];
}

static float wave_now(const TarnShallow* water, const TarnShallowSpanDef* def)
{
    if (def->wave_height == 0.0f) return 0.0f;
    double turns = water->time / (double)def->wave_period;
    return def->wave_height * tarn_sin(6.2831853f * (float)(turns - floor(turns)));
}

TarnResult tarn_shallow_send_waves(TarnShallow* water, int side, const float* heights)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (side < TARN_SIDE_X0 || side > TARN_SIDE_Z1)
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_send_waves: side is %d; use a TarnSide", side);
    size_t n = (size_t)(side < 2 ? water->def.nz : water->def.nx);
    if (heights != NULL && !tarn__all_within(heights, n, 1e3f))
        return tarn__fail(water->ctx, TARN_ERR_DATA,
                          "tarn_shallow_send_waves: heights must be finite and within +-1000 m");
    water->is_sent[side] = heights != NULL;
    if (heights != NULL) memcpy(water->sent[side], heights, n * sizeof(float));
    return TARN_OK;
}

// ---- What comes in ------------------------------------------------------------------------------

// The state behind the edge: depth and speed outwards.
typedef struct Beyond {
    float h, out;
} Beyond;

// Simple waves over the rest state, one leaving and one coming: each has u = 2 (c - c0) its way. Speed
// and depth lie half a cell and half a substep apart, as they do along the wave.
static Beyond absorb(float g, float rest, float wave, float h)
{
    float c0 = sqrtf(g * rest), cw = sqrtf(g * (rest + wave > 0.0f ? rest + wave : 0.0f));
    float c = sqrtf(g * (h > wave ? h - wave : 0.0f)); // without the wave that comes in
    return (Beyond){ h, 2.0f * (c - c0) - 2.0f * (cw - c0) };
}

static Beyond hold_depth(float g, float held, float h, float out)
{
    float c = sqrtf(g * h), c_held = sqrtf(g * held);
    if (out > c) return (Beyond){ h, out }; // faster than waves: nothing gets in
    float speed = out + 2.0f * (c - c_held);
    return (Beyond){ held, speed > -c_held ? speed : -c_held };
}

// Discharge spreads over a span as critical flow would: deep parts take more. Finds that level.
static float critical_level(const TarnShallow* water, const Side* s, int index, float discharge)
{
    float g = water->def.gravity, low = shallow_limit, wanted = discharge / water->def.dx;
    for (int j = 0; j < s->n; ++j) {
        float b = water->b[s->first + j * s->along];
        if (water->span_of[s->side][j] == index + 1 && b < low) low = b;
    }
    float root = wanted / sqrtf(g), lo = 0.0f;
    float hi = tarn_pow(root, 2.0f / 3.0f) * 1.01f + 1e-6f; // all of it through one cell
    for (int bisection = 0; bisection < 24; ++bisection) {
        float mid = 0.5f * (lo + hi), flow = 0.0f;
        for (int j = 0; j < s->n; ++j) {
            float d = low + mid - water->b[s->first + j * s->along];
            if (water->span_of[s->side][j] == index + 1 && d > 0.0f) flow += d * sqrtf(d);
        }
        if (flow > root)
            hi = mid;
        else
            lo = mid;
    }
    return low + hi;
}

// Per span and substep: what its cells share.
typedef struct SpanNow {
    int kind;
    float value, wave;
    // Kind discharge. The depths below a level of the whole span tell how the flow spreads: by local depths
    // a crest would draw more water than a trough, and waves along the span would grow.
    float critical; // level of critical flow, which a dry bed gets [m]
    float level;    // the higher one of this and of the mean surface [m]
    float weight;   // sum over the span
} SpanNow;

static float discharge_depth(const TarnShallow* water, const SpanNow* now, float fixed, ptrdiff_t c)
{
    if (fixed > 0.0f) return fixed;
    float d = now->value > 0.0f ? now->critical - water->b[c] : 0.0f;
    return d > water->h[c] ? d : water->h[c];
}

// A cell's share of the discharge, to be divided by their sum.
static float discharge_weight(const TarnShallow* water, const SpanNow* now, float fixed,
                              ptrdiff_t c)
{
    if (fixed > 0.0f) return 1.0f;
    float d = now->level - water->b[c];
    bool is_wet = d > 0.0f && discharge_depth(water, now, fixed, c) > water->dry_depth;
    return is_wet ? d * sqrtf(d) : 0.0f;
}

static float mean_surface(const TarnShallow* water, const Side* s, int index)
{
    double sum = 0.0, depths = 0.0;
    for (int j = 0; j < s->n; ++j) {
        if (water->span_of[s->side][j] != index + 1) continue;
        ptrdiff_t c = s->first + j * s->along;
        sum += (double)water->h[c] * ((double)water->b[c] + (double)water->h[c]);
        depths += (double)water->h[c];
    }
    return depths > 0.0 ? (float)(sum / depths) : -shallow_limit;
}

static SpanNow span_now(const TarnShallow* water, const Side* s, int index)
{
    const ShallowSpan* span = &water->spans[index];
    SpanNow now = { .kind = span->def.kind, .value = span_value(water, span) };
    now.wave = wave_now(water, &span->def);
    if (now.kind != TARN_SHALLOW_DISCHARGE) return now;
    now.level = mean_surface(water, s, index);
    if (now.value > 0.0f) now.critical = critical_level(water, s, index, now.value);
    if (now.value > 0.0f && now.critical > now.level) now.level = now.critical;
    for (int j = 0; j < s->n; ++j) {
        if (water->span_of[s->side][j] != index + 1) continue;
        now.weight +=
            discharge_weight(water, &now, span->def.inflow_depth, s->first + j * s->along);
    }
    return now;
}

static Beyond discharge(const TarnShallow* water, const SpanNow* now, float fixed, ptrdiff_t c)
{
    float d = discharge_depth(water, now, fixed, c);
    float weight = discharge_weight(water, now, fixed, c);
    if (!(weight > 0.0f) || !(d > water->dry_depth)) return (Beyond){ water->h[c], 0.0f };
    float width_flow = now->value / water->def.dx * (weight / now->weight); // [m^2/s]
    float speed = width_flow / d, limit = water->params.max_speed;
    return (Beyond){ d, -tarn_clampf(speed, -limit, limit) };
}

// out: speed outwards one face inside; leaving: through an open edge.
static Beyond beyond_edge(const TarnShallow* water, const SpanNow* now, float inflow_depth,
                          ptrdiff_t c, float out, float leaving, float sent)
{
    float g = water->def.gravity, h = water->h[c], b = water->b[c];
    float rest = tarn__shallow_snap(water, water->def.level) - b;
    float level = now->value + now->wave - b;
    Beyond open = { h, leaving };
    switch (now->kind) {
    case TARN_SHALLOW_FALL: {
        float critical = h > water->dry_depth ? sqrtf(g * h) : 0.0f;
        return (Beyond){ h, out > critical ? out : critical };
    }
    case TARN_SHALLOW_ABSORBING:
        return rest > 0.0f ? absorb(g, rest, now->wave + sent, h) : open;
    case TARN_SHALLOW_LEVEL:
        return hold_depth(g, level > 0.0f ? level : 0.0f, h, out);
    case TARN_SHALLOW_DEPTH:
        return hold_depth(g, now->value > 0.0f ? now->value : 0.0f, h, out);
    case TARN_SHALLOW_DISCHARGE:
        return discharge(water, now, inflow_depth, c);
    default:
        return open;
    }
}

// ---- Ghosts -------------------------------------------------------------------------------------

static void note_edge(TarnShallow* water, const Side* s, float h, float speed)
{
    ShallowExtremes* x = &water->edge;
    float *min = s->side < 2 ? &x->u_min : &x->w_min, *max = s->side < 2 ? &x->u_max : &x->w_max;
    if (h > x->h) x->h = h;
    if (speed < *min) *min = speed;
    if (speed > *max) *max = speed;
}

// Ghosts behind cell c: depth, ground, and the speed through all faces from the boundary on.
static void set_ghosts(TarnShallow* water, const Side* s, ptrdiff_t c, float h, float b,
                       float speed)
{
    ptrdiff_t face = c + s->face;
    s->normal[face] = speed;
    for (int j = 1; j <= SHALLOW_GHOSTS; ++j) {
        ptrdiff_t ghost = c - j * s->inward;
        water->h[ghost] = h;
        water->b[ghost] = b;
        // Behind the far sides the face lies one farther out than the cell.
        if (j < SHALLOW_GHOSTS) s->normal[face - j * s->inward] = speed;
        s->tangent[ghost] = s->tangent[c];
    }
}

static void copy_ghosts(TarnShallow* water, const Side* s, ptrdiff_t c)
{
    ptrdiff_t period = (s->side < 2 ? water->def.nx : water->def.nz) * s->inward;
    for (int j = 1; j <= SHALLOW_GHOSTS; ++j) {
        ptrdiff_t ghost = c - j * s->inward, from = ghost + period;
        water->h[ghost] = water->h[from];
        water->b[ghost] = water->b[from];
        water->u[ghost] = water->u[from];
        water->w[ghost] = water->w[from];
    }
}

// Step of the depth from the cell before the last one to the last one, as far as the surface steps with
// it: 0 in a lake and in even flow down a slope, whatever the ground does.
static float edge_step(const TarnShallow* water, const Side* s, ptrdiff_t c)
{
    float depth = water->h[c] - water->h[c + s->inward];
    float level = depth + (water->b[c] - water->b[c + s->inward]);
    if (!(depth * level > 0.0f)) return 0.0f;
    return fabsf(depth) < fabsf(level) ? depth : level;
}

// The characteristic that comes in, u - 2 c with u outwards, as it is one face inside.
static float incoming_at(const TarnShallow* water, const Side* s, ptrdiff_t c, float out)
{
    float h = water->h[c] - 0.5f * edge_step(water, s, c);
    return out - 2.0f * sqrtf(water->def.gravity * (h > 0.0f ? h : 0.0f));
}

// Speed out of an open edge, from the depth at the edge and what comes in. Nothing comes in against flow
// that is faster than waves.
static float leaving(const TarnShallow* water, const Side* s, ptrdiff_t c, float out,
                     float incoming)
{
    float g = water->def.gravity, h = water->h[c];
    if (!(h > water->dry_depth)) return 0.0f;
    if (out > sqrtf(g * h)) return out;
    float h_edge = h + 0.5f * edge_step(water, s, c);
    if (incoming == 0.0f) incoming = incoming_at(water, s, c, out);
    float speed = incoming + 2.0f * sqrtf(g * (h_edge > 0.0f ? h_edge : 0.0f));
    return speed > 0.0f ? speed : 0.0f;
}

static size_t border_tile(const TarnShallow* water, int side, int j)
{
    int far_x = water->tiles_x - 1, far_z = water->tiles_z - 1;
    switch (side) {
    case TARN_SIDE_X0:
        return shallow_tile(water, 0, j / SHALLOW_TILE_Z);
    case TARN_SIDE_X1:
        return shallow_tile(water, far_x, j / SHALLOW_TILE_Z);
    case TARN_SIDE_Z0:
        return shallow_tile(water, j / SHALLOW_TILE_X, 0);
    default:
        return shallow_tile(water, j / SHALLOW_TILE_X, far_z);
    }
}

static void fill_side(TarnShallow* water, int side)
{
    Side s = side_of(water, side);
    SpanNow now[TARN_SHALLOW_MAX_SPANS + 1] = { [0] = { .kind = default_edge(water, side) } };
    bool is_ready[TARN_SHALLOW_MAX_SPANS + 1] = { [0] = true };
    for (int j = 0; j < s.n; ++j) {
        ptrdiff_t c = s.first + j * s.along;
        int span = water->span_of[side][j];
        if (!is_ready[span]) now[span] = span_now(water, &s, span - 1);
        is_ready[span] = true;
        if (now[span].kind == TARN_SHALLOW_PERIODIC) {
            copy_ghosts(water, &s, c);
        } else if (now[span].kind == TARN_SHALLOW_REFLECTING) {
            set_ghosts(water, &s, c, 0.0f, shallow_wall_height, 0.0f);
        } else {
            float out = s.out * s.normal[c + s.face + s.inward];
            float fixed = span > 0 ? water->spans[span - 1].def.inflow_depth : 0.0f;
            Beyond there = beyond_edge(water, &now[span], fixed, c, out,
                                       leaving(water, &s, c, out, water->incoming[side][j]),
                                       water->is_sent[side] ? water->sent[side][j] : 0.0f);
            float limit = water->params.max_speed;
            float speed = s.out * tarn_clampf(there.out, -limit, limit);
            size_t tile = border_tile(water, side, j);
            if (fabsf(speed) > water->def.sleep_speed) water->quiet[tile] = 0;
            bool sleeps = !water->awake[tile] && water->quiet[tile] >= SHALLOW_CALM_CHECKS;
            if (sleeps) speed = 0.0f;
            set_ghosts(water, &s, c, there.h, water->b[c], speed);
            note_edge(water, &s, there.h, speed);
        }
    }
}

// Corners of a grid that is periodic in z: the ghost columns of the rows that ghost rows stand for.
static void wrap_corners(TarnShallow* water)
{
    float* fields[] = { water->h, water->b, water->u, water->w };
    ptrdiff_t up = water->stride, nx = water->def.nx, nz = water->def.nz;
    size_t bytes = SHALLOW_GHOSTS * sizeof(float);
    for (int f = 0; f < 4; ++f) {
        for (ptrdiff_t g = 1; g <= SHALLOW_GHOSTS; ++g) {
            float *below = fields[f] - g * up, *above = fields[f] + (nz - 1 + g) * up;
            memcpy(below - SHALLOW_GHOSTS, below + nz * up - SHALLOW_GHOSTS, bytes);
            memcpy(above - SHALLOW_GHOSTS, above - nz * up - SHALLOW_GHOSTS, bytes);
            memcpy(below + nx, below + nz * up + nx, bytes);
            memcpy(above + nx, above - nz * up + nx, bytes);
        }
    }
}

// Corners repeat the nearest column, or around a periodic edge the one they stand for.
static void fill_corners(TarnShallow* water)
{
    float* fields[] = { water->h, water->b, water->u, water->w };
    ptrdiff_t up = water->stride;
    int nx = water->def.nx, nz = water->def.nz;
    bool is_periodic = water->def.edge_x0 == TARN_SHALLOW_PERIODIC;
    if (water->def.edge_z0 == TARN_SHALLOW_PERIODIC) {
        wrap_corners(water);
        return;
    }
    for (int g = 1; g <= SHALLOW_GHOSTS; ++g) { // u has one face more than there are cells
        water->u[nx - g * up] = water->u[nx];
        water->u[nx + (nz - 1 + g) * up] = water->u[nx + (nz - 1) * up];
    }
    for (int j = 1; j <= SHALLOW_GHOSTS; ++j) { // the boundary faces of z0 were set after x0 and x1
        water->w[-j] = water->w[is_periodic ? nx - j : 0];
        water->w[nx - 1 + j] = water->w[is_periodic ? j - 1 : nx - 1];
    }
    for (int f = 0; f < 4; ++f) {
        int first = fields[f] == water->u && !is_periodic ? 2 : 1; // of the ghosts at +x to fill
        for (int g = 1; g <= SHALLOW_GHOSTS; ++g) {
            float *below = fields[f] - g * up, *above = fields[f] + (nz - 1 + g) * up;
            for (int j = 1; j <= SHALLOW_GHOSTS; ++j) {
                int left = is_periodic ? nx - j : 0;
                int right = is_periodic ? j - 1 : nx - 2 + first;
                below[-j] = below[left], above[-j] = above[left];
                if (j < first) continue;
                below[nx - 1 + j] = below[right], above[nx - 1 + j] = above[right];
            }
        }
    }
}

void tarn__shallow_fill_edges(TarnShallow* water)
{
    water->edge = (ShallowExtremes){ 0 };
    for (int side = 0; side < 4; ++side) fill_side(water, side);
    fill_corners(water);
}

// Waves leave an open edge when what comes in there does not know of them: it follows what is found inside
// only in the time a wave takes for four cells. Across bores it hardly changes, so they leave; in the long run the
// river decides.
void tarn__shallow_radiate(TarnShallow* water, float dt)
{
    float k = dt / water->def.dx;
    for (int side = 0; side < 4; ++side) {
        if (water->n_spans == 0 && shallow_is_closed(default_edge(water, side))) continue;
        Side s = side_of(water, side);
        for (int j = 0; j < s.n; ++j) {
            ptrdiff_t c = s.first + j * s.along;
            float* incoming = &water->incoming[side][j];
            float out = s.out * s.normal[c + s.face + s.inward], h = water->h[c];
            float waves = sqrtf(water->def.gravity * h), now = incoming_at(water, &s, c, out);
            // With implicit gravity a wave crosses many cells in a substep: the edge follows slowly, so that it is
            // all gone before.
            float share = shallow_is_implicit(water) ? tarn_clampf(0.03f * k * waves, 0.0f, 0.1f)
                                                     : tarn_clampf(0.25f * k * waves, 0.0f, 1.0f);
            // A lake that comes to rest gets there: the last bit is not left to rounding.
            bool is_same = *incoming == 0.0f || fabsf(*incoming - now) < 1e-5f * waves;
            *incoming = is_same || out > waves ? now : *incoming + share * (now - *incoming);
            if (!(h > water->dry_depth)) *incoming = 0.0f;
        }
    }
}

double tarn__shallow_edge_flow(const TarnShallow* water, const ShallowSweep* sweep)
{
    double in = 0.0;
    for (int side = 0; side < 4; ++side) {
        Side s = side_of(water, side);
        ptrdiff_t across = side < 2 ? 1 : water->stride;
        for (int j = 0; j < s.n; ++j) {
            if (shallow_is_closed(tarn__shallow_edge_kind(water, side, j))) continue;
            float depth =
                water->kernels->face_depth(sweep, s.normal, s.first + j * s.along + s.face, across);
            in -= (double)(s.out * depth);
        }
    }
    return in;
}

int tarn__shallow_edge_kind(const TarnShallow* water, int side, int j)
{
    int span = water->span_of[side][j];
    return span > 0 ? water->spans[span - 1].def.kind : default_edge(water, side);
}

// ---- Sponge -------------------------------------------------------------------------------------

// In front of absorbing edges the water is drawn towards the rest level: depth and speed at the same
// rate, so that the sponge itself does not reflect.
typedef struct Sponge {
    TarnShallow* water;
    float dt, level;
    float rate[4]; // at the edge of each side, 0: no sponge [1/s]
} Sponge;

static bool has_sponge(const TarnShallow* water, int side, int j)
{
    if (water->is_sent[side]) return false;
    int span = water->span_of[side][j];
    if (span == 0) return default_edge(water, side) == TARN_SHALLOW_ABSORBING;
    const TarnShallowSpanDef* def = &water->spans[span - 1].def;
    return def->kind == TARN_SHALLOW_ABSORBING && def->wave_height == 0.0f; // not where waves come
}

// Together the cells take strength in the exponent from a wave that passes the sponge once.
static float edge_rate(const TarnShallow* water, int side, float level)
{
    const float strength = 2.5f;
    Side s = side_of(water, side);
    float deepest = 0.0f;
    for (int j = 0; j < s.n; ++j) {
        float rest = level - water->b[s.first + j * s.along];
        if (has_sponge(water, side, j) && rest > deepest) deepest = rest;
    }
    float width = (float)water->def.sponge_cells * water->def.dx;
    return 3.0f * strength * sqrtf(water->def.gravity * deepest) / width;
}

// The strongest of the sponges of these sides that reach cell (i, k), growing with the square of the
// way into it.
static float rate_at(const Sponge* sponge, int i, int k, int first, int end)
{
    const TarnShallow* water = sponge->water;
    int nx = water->def.nx, nz = water->def.nz;
    if (i < 0 || k < 0 || i >= nx || k >= nz) return 0.0f;
    if (!(sponge->level - water->b[shallow_cell(water, i, k)] > water->dry_depth)) return 0.0f;
    const int way[4] = { i, nx - 1 - i, k, nz - 1 - k }, along[4] = { k, k, i, i };
    float rate = 0.0f;
    for (int side = first; side < end; ++side) {
        float in = (float)(water->def.sponge_cells - way[side]) / (float)water->def.sponge_cells;
        float r = sponge->rate[side] * in * in;
        if (in > 0.0f && r > rate && has_sponge(water, side, along[side])) rate = r;
    }
    return rate;
}

// One cell and the faces it owns, which lie between two rates. Only the speed towards an edge is
// calmed: waves that meet it at a slant come back less. Returns the depth added.
static float calm_cell(const Sponge* sponge, int i, int k)
{
    TarnShallow* water = sponge->water;
    size_t c = shallow_cell(water, i, k);
    float here = rate_at(sponge, i, k, 0, 4), half = 0.5f * sponge->dt, change = 0.0f;
    if (here > 0.0f) {
        float rest = sponge->level - water->b[c], keep = 1.0f / (1.0f + here * sponge->dt);
        change = tarn__shallow_snap(water, (rest - water->h[c]) * (1.0f - keep));
        water->h[c] += change;
    }
    float x = rate_at(sponge, i - 1, k, 0, 2) + rate_at(sponge, i, k, 0, 2);
    float z = rate_at(sponge, i, k - 1, 2, 4) + rate_at(sponge, i, k, 2, 4);
    if (x > 0.0f) water->u[c] /= 1.0f + half * x;
    if (z > 0.0f) water->w[c] /= 1.0f + half * z;
    return change;
}

static void sponge_row(int tz, void* data)
{
    const Sponge* sponge = data;
    const TarnShallow* water = sponge->water;
    int nx = water->def.nx, nz = water->def.nz, width = water->def.sponge_cells;
    int k1 = (tz + 1) * SHALLOW_TILE_Z < nz ? (tz + 1) * SHALLOW_TILE_Z : nz;
    double added = 0.0;
    for (int k = tz * SHALLOW_TILE_Z; k < k1; ++k) {
        // One cell more behind the sponges at -x and -z: it owns their last face.
        bool is_all =
            (sponge->rate[2] > 0.0f && k <= width) || (sponge->rate[3] > 0.0f && k >= nz - width);
        for (int i = 0; i < nx; ++i) {
            bool is_near = is_all || (sponge->rate[0] > 0.0f && i <= width) ||
                           (sponge->rate[1] > 0.0f && i >= nx - width);
            if (!is_near) { // on to the far side
                i = i < nx - width ? nx - width - 1 : i;
                continue;
            }
            if (water->awake[shallow_tile(water, i / SHALLOW_TILE_X, tz)])
                added += (double)calm_cell(sponge, i, k);
        }
    }
    water->row_sums[tz] = added;
}

void tarn__shallow_sponge(TarnShallow* water, float dt)
{
    Sponge sponge = { .water = water, .dt = dt };
    sponge.level = tarn__shallow_snap(water, water->def.level);
    float most = 0.0f;
    for (int side = 0; side < 4 && water->def.sponge_cells > 0; ++side) {
        sponge.rate[side] = edge_rate(water, side, sponge.level);
        most = sponge.rate[side] > most ? sponge.rate[side] : most;
    }
    if (most == 0.0f) return;
    tarn__parallel_for(water->ctx, water->tiles_z, sponge_row, &sponge);
    water->sums.edges += tarn__sum(water->row_sums, water->tiles_z);
}
