// Changes to the shallow water from outside: pouring, filling, digging, gates, the moving window.

#include "shallow/shallow_kernels.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>

// Cells that a disc or box may touch: [i0, i1) x [k0, k1).
typedef struct Box {
    int i0, i1, k0, k1;
} Box;

static int cell_below(float at, int n) // of a coordinate in cells, kept within the grid
{
    return at > 0.0f ? at < (float)n ? (int)at : n : 0;
}

static Box box_around(const TarnShallow* water, TarnVec2 lo, TarnVec2 hi)
{
    TarnVec2 origin = tarn_shallow_origin(water);
    float per = 1.0f / water->def.dx;
    int nx = water->def.nx, nz = water->def.nz;
    return (Box){ cell_below((lo.x - origin.x) * per, nx),
                  cell_below((hi.x - origin.x) * per + 1.0f, nx),
                  cell_below((lo.y - origin.y) * per, nz),
                  cell_below((hi.y - origin.y) * per + 1.0f, nz) };
}

static Box disc_box(const TarnShallow* water, TarnVec2 center, float radius)
{
    return box_around(water, (TarnVec2){ center.x - radius, center.y - radius },
                      (TarnVec2){ center.x + radius, center.y + radius });
}

// A smooth bump: 1 in the middle, 0 from the radius on.
static float bump(const TarnShallow* water, int i, int k, TarnVec2 center, float radius)
{
    TarnVec2 origin = tarn_shallow_origin(water);
    float x = (origin.x + ((float)i + 0.5f) * water->def.dx - center.x) / radius;
    float z = (origin.y + ((float)k + 0.5f) * water->def.dx - center.y) / radius;
    float left = 1.0f - (x * x + z * z);
    return left > 0.0f ? left * left : 0.0f;
}

static float wide_enough(const TarnShallow* water, float radius)
{
    float least = 1.5f * water->def.dx;
    return radius > least ? radius : least;
}

static bool is_within(float value, float limit)
{
    return value >= -limit && value <= limit; // not for NaN
}

static TarnResult check_disc(TarnShallow* water, const char* call, TarnVec2 center, float radius)
{
    if (is_within(center.x, 1e7f) && is_within(center.y, 1e7f) && radius > 0.0f && radius <= 1e6f)
        return TARN_OK;
    return tarn__fail(
        water->ctx, TARN_ERR_ARG,
        "%s: center (%g, %g) m, radius %g m; allowed: within +-1e7 m, above 0 up to 1e6 m", call,
        (double)center.x, (double)center.y, (double)radius);
}

static void note_depth(TarnShallow* water, float h)
{
    if (h > water->edited.h) water->edited.h = h;
}

static void note_u(TarnShallow* water, float u)
{
    if (u > water->edited.u_max) water->edited.u_max = u;
    if (u < water->edited.u_min) water->edited.u_min = u;
}
static void note_w(TarnShallow* water, float w)
{
    if (w > water->edited.w_max) water->edited.w_max = w;
    if (w < water->edited.w_min) water->edited.w_min = w;
}

// ---- Water --------------------------------------------------------------------------------------

// Adds to one cell, rounding into *due; never below dry. Returns what was added.
static float pour(TarnShallow* water, size_t c, double amount, double* due)
{
    double want = amount + *due;
    float give = tarn__shallow_snap(water, (float)want);
    if (give < -water->h[c]) give = -water->h[c], want = (double)give; // dry: the rest is not owed
    if (water->h[c] + give > shallow_limit) give = 0.0f, want = 0.0;
    water->h[c] += give;
    *due = want - (double)give;
    note_depth(water, water->h[c]);
    return give;
}

TarnResult tarn_shallow_add_water(TarnShallow* water, TarnVec2 center, float radius, float volume,
                                  double* done)
{
    if (done) *done = 0.0;
    if (water == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_disc(water, "tarn_shallow_add_water", center, radius));
    if (!is_within(volume, 1e12f)) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_add_water: volume %g m^3 is out of range; allowed: +-1e12 m^3",
            (double)volume);
    }
    radius = wide_enough(water, radius);
    Box box = disc_box(water, center, radius);
    double weight = 0.0, added = 0.0, area = (double)water->def.dx * (double)water->def.dx;
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) weight += (double)bump(water, i, k, center, radius);
    }
    if (weight == 0.0) return TARN_OK;
    // What of the disc lies outside takes its part of the water with it.
    double cells = (double)radius / (double)water->def.dx,
           whole = 3.14159265358979 / 3.0 * cells * cells;
    bool is_cut = box.i0 == 0 || box.k0 == 0 || box.i1 == water->def.nx || box.k1 == water->def.nz;
    if (is_cut && whole > weight) weight = whole;
    double share = (double)volume / area / weight;
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) {
            float part = bump(water, i, k, center, radius);
            if (part > 0.0f)
                added += (double)pour(water, shallow_cell(water, i, k), share * (double)part,
                                      &water->source_due);
        }
    }
    water->sums.sources += added;
    if (done) *done = added * area;
    tarn__shallow_touch(water, box.i0, box.i1, box.k0, box.k1);
    return TARN_OK;
}

TarnResult tarn_shallow_fill(TarnShallow* water, TarnVec2 a, TarnVec2 b, float level)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (!is_within(a.x, 1e7f) || !is_within(a.y, 1e7f) || !is_within(b.x, 1e7f) ||
        !is_within(b.y, 1e7f) || !is_within(level, shallow_limit)) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_fill: level %g m or a corner is out of range; allowed: +-1e5 m, +-1e7 m",
            (double)level);
    }
    TarnVec2 lo = { a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y };
    TarnVec2 hi = { a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y };
    Box box = box_around(water, lo, hi);
    float y = tarn__shallow_snap(water, level);
    TarnVec2 origin = tarn_shallow_origin(water);
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) {
            size_t c = shallow_cell(water, i, k);
            TarnVec2 at = { origin.x + ((float)i + 0.5f) * water->def.dx,
                            origin.y + ((float)k + 0.5f) * water->def.dx };
            bool is_in = at.x >= lo.x && at.x <= hi.x && at.y >= lo.y && at.y <= hi.y;
            if (!is_in || water->b[c] >= y) continue;
            float h = tarn__shallow_snap(water, y - water->b[c]);
            water->sums.sources += (double)h - (double)water->h[c];
            water->h[c] = h;
            note_depth(water, h);
        }
    }
    tarn__shallow_touch(water, box.i0, box.i1, box.k0, box.k1);
    return TARN_OK;
}

// Is the face at -x, or at -z, of a cell between two wet ones? The sweep stops what should not flow. The first
// faces of the grid belong to its edges, unless these are periodic.
static bool joins_wet_x(const TarnShallow* water, int i, int k)
{
    int left = i > 0 ? i - 1 : water->def.nx - 1;
    return (i > 0 || water->def.edge_x0 == TARN_SHALLOW_PERIODIC) &&
           water->h[shallow_cell(water, i, k)] > water->dry_depth &&
           water->h[shallow_cell(water, left, k)] > water->dry_depth;
}
static bool joins_wet_z(const TarnShallow* water, int i, int k)
{
    int below = k > 0 ? k - 1 : water->def.nz - 1;
    return (k > 0 || water->def.edge_z0 == TARN_SHALLOW_PERIODIC) &&
           water->h[shallow_cell(water, i, k)] > water->dry_depth &&
           water->h[shallow_cell(water, i, below)] > water->dry_depth;
}

TarnResult tarn_shallow_add_velocity(TarnShallow* water, TarnVec2 center, float radius,
                                     TarnVec2 velocity)
{
    if (water == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_disc(water, "tarn_shallow_add_velocity", center, radius));
    if (!is_within(velocity.x, 1e4f) || !is_within(velocity.y, 1e4f)) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_add_velocity: (%g, %g) m/s is out of range; allowed: +-1e4 m/s",
            (double)velocity.x, (double)velocity.y);
    }
    if (velocity.x == 0.0f && velocity.y == 0.0f) return TARN_OK;
    radius = wide_enough(water, radius);
    Box box = disc_box(water, center, radius);
    float limit = water->params.max_speed;
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) {
            size_t c = shallow_cell(water, i, k);
            float part = bump(water, i, k, center, radius);
            if (joins_wet_x(water, i, k))
                note_u(water,
                       water->u[c] = tarn_clampf(water->u[c] + part * velocity.x, -limit, limit));
            if (joins_wet_z(water, i, k))
                note_w(water,
                       water->w[c] = tarn_clampf(water->w[c] + part * velocity.y, -limit, limit));
        }
    }
    tarn__shallow_touch(water, box.i0, box.i1, box.k0, box.k1);
    return TARN_OK;
}

TarnResult tarn_shallow_set_velocity(TarnShallow* water, TarnVec2 a, TarnVec2 b, TarnVec2 velocity)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (!is_within(a.x, 1e7f) || !is_within(a.y, 1e7f) || !is_within(b.x, 1e7f) ||
        !is_within(b.y, 1e7f) || !is_within(velocity.x, shallow_max_speed) ||
        !is_within(velocity.y, shallow_max_speed)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_set_velocity: (%g, %g) m/s or a corner is out of range; "
                          "allowed: +-1e4 m/s, +-1e7 m",
                          (double)velocity.x, (double)velocity.y);
    }
    TarnVec2 lo = { a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y };
    TarnVec2 hi = { a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y };
    Box box = box_around(water, lo, (TarnVec2){ hi.x + water->def.dx, hi.y + water->def.dx });
    TarnVec2 origin = tarn_shallow_origin(water);
    float limit = water->params.max_speed;
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) {
            size_t c = shallow_cell(water, i, k);
            float x = origin.x + (float)i * water->def.dx, z = origin.y + (float)k * water->def.dx;
            float half = 0.5f * water->def.dx; // the face of u lies at (x, z + half)
            bool is_u = x >= lo.x && x <= hi.x && z + half >= lo.y && z + half <= hi.y;
            bool is_w = x + half >= lo.x && x + half <= hi.x && z >= lo.y && z <= hi.y;
            if (is_u && joins_wet_x(water, i, k))
                note_u(water, water->u[c] = tarn_clampf(velocity.x, -limit, limit));
            if (is_w && joins_wet_z(water, i, k))
                note_w(water, water->w[c] = tarn_clampf(velocity.y, -limit, limit));
        }
    }
    tarn__shallow_touch(water, box.i0, box.i1, box.k0, box.k1);
    return TARN_OK;
}

void tarn__shallow_start_flow(TarnShallow* water, const float* velocity_x, const float* velocity_z)
{
    const TarnShallowDef* def = &water->def;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            size_t c = shallow_cell(water, i, k), given = (size_t)k * (size_t)def->nx + (size_t)i;
            float u = velocity_x ? velocity_x[given] : def->velocity.x;
            float w = velocity_z ? velocity_z[given] : def->velocity.y;
            water->u[c] = joins_wet_x(water, i, k) ? u : 0.0f;
            water->w[c] = joins_wet_z(water, i, k) ? w : 0.0f;
        }
    }
}

void tarn__shallow_put_waves(TarnShallow* water, int i0, int k, int n, const float* rise,
                             const float* u, const float* w)
{
    float limit = water->params.max_speed;
    for (int i = i0; i < i0 + n; ++i) {
        size_t c = shallow_cell(water, i, k);
        if (!(water->h[c] > water->dry_depth)) continue;
        float h = water->def.level + rise[i - i0] - water->b[c];
        h = tarn__shallow_snap(water, tarn_maxf(h, 0.0f));
        water->sums.sources += (double)h - (double)water->h[c];
        water->h[c] = h;
        if (joins_wet_x(water, i, k)) water->u[c] = tarn_clampf(u[i - i0], -limit, limit);
        if (joins_wet_z(water, i, k)) water->w[c] = tarn_clampf(w[i - i0], -limit, limit);
    }
    water->is_unknown = true;
    tarn__shallow_touch(water, i0, i0 + n, k, k + 1);
}

// ---- Ground -------------------------------------------------------------------------------------

static float gated(const TarnShallow* water, int i, int k, float natural)
{
    float y = natural;
    for (int g = 0; g < water->n_gates; ++g) {
        const ShallowGate* gate = &water->gates[g];
        int at_i = i + water->shift_i, at_k = k + water->shift_k;
        bool is_in = at_i >= gate->i0 && at_i < gate->i1 && at_k >= gate->k0 && at_k < gate->k1;
        if (!is_in || gate->def.top <= natural) continue;
        float raised = natural + (gate->def.top - natural) * (1.0f - gate->def.opening);
        y = raised > y ? raised : y;
    }
    return y;
}

void tarn__shallow_update_bed(TarnShallow* water, int i0, int i1, int k0, int k1)
{
    for (int k = k0; k < k1; ++k) {
        for (int i = i0; i < i1; ++i) {
            size_t c = shallow_cell(water, i, k);
            float y = gated(water, i, k, water->natural[c]);
            float was = water->ground[c];
            water->ground[c] = y == water->natural[c] ? y : tarn__shallow_snap(water, y);
            water->is_falls_stale |= water->ground[c] != was;
            if (water->load) water->b[c] = water->ground[c] + water->load[c];
        }
    }
    tarn__shallow_touch(water, i0, i1, k0, k1);
}

TarnResult tarn_shallow_dig(TarnShallow* water, TarnVec2 center, float radius, float height)
{
    if (water == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_disc(water, "tarn_shallow_dig", center, radius));
    if (!is_within(height, 1e4f)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_dig: height %g m is out of range; allowed: +-1e4 m",
                          (double)height);
    }
    radius = wide_enough(water, radius);
    Box box = disc_box(water, center, radius);
    for (int k = box.k0; k < box.k1; ++k) {
        for (int i = box.i0; i < box.i1; ++i) {
            float* y = &water->natural[shallow_cell(water, i, k)];
            float to = *y + height * bump(water, i, k, center, radius);
            *y = tarn__shallow_snap(water, tarn_clampf(to, -shallow_limit, shallow_limit));
        }
    }
    if (box.i0 < box.i1 && box.k0 < box.k1)
        tarn__shallow_update_bed(water, box.i0, box.i1, box.k0, box.k1);
    return TARN_OK;
}

TarnResult tarn_shallow_set_bed(TarnShallow* water, int i0, int k0, int nx, int nz,
                                const float* bed)
{
    if (water == NULL) return TARN_ERR_ARG;
    const TarnShallowDef* def = &water->def;
    if (i0 < 0 || k0 < 0 || nx < 1 || nz < 1 || nx > def->nx - i0 || nz > def->nz - k0 ||
        bed == NULL) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_set_bed: bed is NULL, or the cells from (%d, %d), %d x %d, "
                          "are not within the %d x %d cells of the grid",
                          i0, k0, nx, nz, def->nx, def->nz);
    }
    if (!tarn__all_within(bed, (size_t)nx * (size_t)nz, shallow_limit)) {
        return tarn__fail(water->ctx, TARN_ERR_DATA,
                          "tarn_shallow_set_bed: bed contains a NaN or a height beyond +-1e5 m");
    }
    for (int k = 0; k < nz; ++k) {
        for (int i = 0; i < nx; ++i) {
            water->natural[shallow_cell(water, i0 + i, k0 + k)] =
                tarn__shallow_snap(water, bed[(size_t)k * (size_t)nx + (size_t)i]);
        }
    }
    tarn__shallow_update_bed(water, i0, i0 + nx, k0, k0 + nz);
    return TARN_OK;
}

// ---- Gates --------------------------------------------------------------------------------------

static int cell_at(float x)
{
    return (int)tarn_clampf(floorf(x), -(float)SHALLOW_FAR, (float)SHALLOW_FAR);
}

static void move_gate(TarnShallow* water, const ShallowGate* gate)
{
    int i0 = gate->i0 - water->shift_i, i1 = gate->i1 - water->shift_i;
    int k0 = gate->k0 - water->shift_k, k1 = gate->k1 - water->shift_k;
    i0 = i0 > 0 ? i0 : 0, i1 = i1 < water->def.nx ? i1 : water->def.nx;
    k0 = k0 > 0 ? k0 : 0, k1 = k1 < water->def.nz ? k1 : water->def.nz;
    if (i0 < i1 && k0 < k1) tarn__shallow_update_bed(water, i0, i1, k0, k1);
}

TarnResult tarn_shallow_add_gate(TarnShallow* water, const TarnShallowGateDef* def, int* index)
{
    if (index) *index = -1;
    if (water == NULL) return TARN_ERR_ARG;
    TARN_TRY(TARN_CHECK_DEF(water->ctx, "gate", "tarn/shallow.h", TarnShallowGateDef,
                            tarn_shallow_default_gate, def));
    TARN_TRY(tarn_param_validate(water->ctx, tarn_shallow_gate_table(), def));
    if (water->n_gates == TARN_SHALLOW_MAX_GATES) {
        return tarn__fail(water->ctx, TARN_ERR_CAPACITY,
                          "gate: there are %d already, which is the maximum",
                          TARN_SHALLOW_MAX_GATES);
    }
    TarnVec2 lo = { def->a.x < def->b.x ? def->a.x : def->b.x,
                    def->a.y < def->b.y ? def->a.y : def->b.y };
    TarnVec2 hi = { def->a.x > def->b.x ? def->a.x : def->b.x,
                    def->a.y > def->b.y ? def->a.y : def->b.y };
    // Cells whose center lies in the box; at least one each way.
    TarnVec2 origin = tarn_shallow_origin(water);
    float per = 1.0f / water->def.dx;
    int i0 = cell_at((lo.x - origin.x) * per + 0.5f), i1 = cell_at((hi.x - origin.x) * per + 0.5f);
    int k0 = cell_at((lo.y - origin.y) * per + 0.5f), k1 = cell_at((hi.y - origin.y) * per + 0.5f);
    if (i1 <= i0) i0 = cell_at((lo.x - origin.x) * per), i1 = i0 + 1;
    if (k1 <= k0) k0 = cell_at((lo.y - origin.y) * per), k1 = k0 + 1;
    if (i1 <= 0 || k1 <= 0 || i0 >= water->def.nx || k0 >= water->def.nz) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "gate.a, gate.b: the box from (%g, %g) to (%g, %g) m lies outside the "
                          "grid; move it inside",
                          (double)lo.x, (double)lo.y, (double)hi.x, (double)hi.y);
    }
    ShallowGate* gate = &water->gates[water->n_gates];
    *gate = (ShallowGate){ *def, i0 + water->shift_i, i1 + water->shift_i, k0 + water->shift_k,
                           k1 + water->shift_k };
    if (index) *index = water->n_gates;
    ++water->n_gates;
    move_gate(water, gate);
    return TARN_OK;
}

TarnResult tarn_shallow_set_gate(TarnShallow* water, int index, float opening)
{
    if (water == NULL) return TARN_ERR_ARG;
    if (index < 0 || index >= water->n_gates || !(opening >= 0.0f && opening <= 1.0f)) {
        return tarn__fail(
            water->ctx, TARN_ERR_ARG,
            "tarn_shallow_set_gate: gate %d of %d, opening %g; allowed: an existing gate, 0 to 1",
            index, water->n_gates, (double)opening);
    }
    ShallowGate* gate = &water->gates[index];
    if (gate->def.opening == opening) return TARN_OK;
    gate->def.opening = opening;
    move_gate(water, gate);
    return TARN_OK;
}

float tarn_shallow_gate_opening(const TarnShallow* water, int index)
{
    bool is_there = water && index >= 0 && index < water->n_gates;
    return is_there ? water->gates[index].def.opening : -1.0f;
}

int tarn_shallow_gate_count(const TarnShallow* water)
{
    return water ? water->n_gates : 0;
}
