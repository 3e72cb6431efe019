// Bodies and shallow water, both ways.
//
// Method   A body that floats in a column presses on the water like a raised floor: load is the length
//          of the column that it displaces, and the solver's floor is ground + load. The head, floor +
//          depth, is then the true surface above a body at rest, so the water stays calm around it;
//          when the body moves, water flows out from under it and in behind it by itself, and bow
//          wave and wake come from the momentum equation. Depths are never touched: the volume is
//          exact. This is the effect of spreading displaced water to the neighbors [Thuerey2007b], left
//          to the solver. Forces on bodies are in shallow_forces.c.
// Differs  1. Length counts from a slow surface around the body (shallow_around.c says why).
//          2. Loads are those of the time at which the water feels them. The solver moves depths first
//          and speeds then, n times in a frame, so that on average it feels a load (1 + 1/n) / 2
//          of a frame late; bodies are moved ahead by as much when their loads are made. What they feel
//          themselves is between the last loads and the new ones. Without, a barrel that drifts with
//          the current is held back by a load that it leaves behind (measured: 0.86 of the current).
//          3. Columns are sampled and each sample is shared among the four cells around it, so that
//          load moves smoothly from cell to cell.
//          4. Where a body stands on the ground the floor is raised above the water around: it blocks.
//          5. The water under a body takes on what drag takes from the body, or a share body_push of
//          it, and is never drawn past the speed of the body, so that no energy is made.
// Source   [Thuerey2007b], [Thuerey2008], [Chentanez2010].
// Checked  tests/physics/check_afloat.c, tests/robust/test_shallow_coupling.c

#include "tarn/coupling.h"
#include "coupling/shallow_floating.h"
#include <math.h>

static const float start_time = 1.0f; // in which bodies settle into the first water [s]

// ---- From bodies to columns ----------------------------------------------------------------------

typedef struct Press {
    TarnShallow* water;
    Columns grid;
    WaterPlane around;
    float share; // of a cell that a sample stands for
} Press;

// A tile that bodies may press in this frame.
static void open_tile(TarnShallow* water, int tx, int tz)
{
    size_t t = shallow_tile(water, tx, tz);
    if (water->pressed[t] == TILE_OPEN) return;
    water->pressed[t] = TILE_OPEN;
    int i0 = tx * SHALLOW_TILE_X, k0 = tz * SHALLOW_TILE_Z;
    int n = water->def.nx - i0 < SHALLOW_TILE_X ? water->def.nx - i0 : SHALLOW_TILE_X;
    for (int k = k0; k < k0 + SHALLOW_TILE_Z && k < water->def.nz; ++k) {
        memset(shallow_work(water) + shallow_cell(water, i0, k), 0, (size_t)n * sizeof(float));
    }
}

static int tile_of(int cell, int size, int tiles)
{
    int t = cell < 0 ? 0 : cell / size;
    return t < tiles ? t : tiles - 1;
}

static void open_tiles(TarnShallow* water, const Footprint* f)
{
    int x0 = tile_of(f->i0 - 1, SHALLOW_TILE_X, water->tiles_x);
    int x1 = tile_of(f->i1, SHALLOW_TILE_X, water->tiles_x);
    int z1 = tile_of(f->k1, SHALLOW_TILE_Z, water->tiles_z);
    for (int z = tile_of(f->k0 - 1, SHALLOW_TILE_Z, water->tiles_z); z <= z1; ++z) {
        for (int x = x0; x <= x1; ++x) open_tile(water, x, z);
    }
}

// Highest water next to a cell, or under the body in it.
static float highest_around(const TarnShallow* water, int i, int k, float calm)
{
    float most = calm, surface;
    for (int n = 0; n < 4; ++n) {
        int ni = i + (n < 2 ? 2 * n - 1 : 0), nk = k + (n < 2 ? 0 : 2 * n - 5);
        if (!shallow_is_inside(water, ni, nk)) continue;
        if (shallow_column_surface(water, shallow_cell(water, ni, nk), &surface))
            most = tarn_maxf(most, surface);
    }
    return most;
}

static void press_cell(Press* p, int i, int k, float length)
{
    TarnShallow* water = p->water;
    if (!(length > 0.0f)) return;
    size_t c = shallow_cell(water, i, k);
    float x = p->grid.origin.x + ((float)i + 0.5f) * p->grid.dx;
    float z = p->grid.origin.y + ((float)k + 0.5f) * p->grid.dx;
    shallow_work(water)[c] += length;
    water->calm[c] = p->around.n > 0 ? water_plane_at(&p->around, x, z) : water->ground[c];
}

// A length shared among the cells around (x, z), no more than the water that stands there.
static void press_around(Press* p, float x, float z, float length)
{
    const TarnShallow* water = p->water;
    if (!(length > 0.0f)) return;
    SharedCells cells = shallow_share(water, &p->grid, x, z);
    for (int n = 0; n < cells.n; ++n) {
        size_t c = cells.c[n];
        if (!shallow_is_open(water, c)) continue;
        float most = p->share * (water_plane_at(&p->around, x, z) - water->ground[c]);
        press_cell(p, cells.i[n], cells.k[n], cells.weight[n] * tarn_minf(length, most));
    }
}

// How close to the ground a body blocks [m]: the ground is a slope, the column a step.
static float blocking_gap(const TarnShallow* water, int i, int k)
{
    float here = water->ground[shallow_cell(water, i, k)], relief = 0.0f;
    for (int n = 0; n < 4; ++n) {
        int ni = i + (n < 2 ? 2 * n - 1 : 0), nk = k + (n < 2 ? 0 : 2 * n - 5);
        if (!shallow_is_inside(water, ni, nk)) continue;
        relief = tarn_maxf(relief, fabsf(water->ground[shallow_cell(water, ni, nk)] - here));
    }
    float dx = water->def.dx;
    return tarn_clampf(0.05f * dx + 0.25f * relief, 0.005f, 0.5f * dx + 0.005f);
}

static void press_sample(Press* p, int i, int k, const Span* span, float gap_limit)
{
    const TarnShallow* water = p->water;
    size_t c = shallow_cell(water, i, k);
    float ground = water->ground[c], calm = ground;
    if (!(span->hi > ground)) return;
    if (p->around.n > 0) calm = water_plane_at(&p->around, span->at.x, span->at.z);
    float lo = tarn_maxf(span->lo, ground);
    float block = tarn_clampf(1.0f - (lo - ground) / gap_limit, 0.0f, 1.0f);
    float length = tarn_maxf(tarn_minf(span->hi, calm) - lo, 0.0f);
    press_around(p, span->at.x, span->at.z, p->share * (1.0f - block) * length);
    if (!(block > 0.0f)) return;
    // As high as water may come within a frame, not higher: it lifts the water that is there.
    float high = tarn_maxf(highest_around(water, i, k, calm), ground);
    float top = high + 0.5f * (high - ground) + 0.1f * water->def.dx;
    press_cell(p, i, k, p->share * block * (tarn_minf(span->hi, top) - ground));
}

static void press_thin(Press* p, const TarnBody* body)
{
    float dx = p->grid.dx;
    TarnVec3 at = body->state.position;
    Span span = { .at = at };
    float fi = floorf((at.x - p->grid.origin.x) / dx), fk = floorf((at.z - p->grid.origin.y) / dx);
    if (!(fi >= 0.0f && fk >= 0.0f && fi < (float)p->grid.nx && fk < (float)p->grid.nz)) return;
    if (!tarn__body_span(body, at.x, at.z, &span.lo, &span.hi)) return;
    if (!(span.hi - span.lo > 1e-6f)) return;
    p->share = tarn_minf(body->volume / ((span.hi - span.lo) * dx * dx), 1.0f);
    press_sample(p, (int)fi, (int)fk, &span, blocking_gap(p->water, (int)fi, (int)fk));
}

static void press(TarnShallow* water, TarnBody* body, float dt)
{
    Press p = { .water = water, .grid = shallow_columns(water) };
    Footprint f = tarn__footprint(&p.grid, body);
    body->water_plane = (WaterPlane){ 0 };
    bool is_outside = f.i1 < 0 || f.k1 < 0 || f.i0 > water->def.nx || f.k0 > water->def.nz;
    if (is_outside) return;
    open_tiles(water, &f);
    p.around = body->water_plane = tarn__shallow_around(water, &p.grid, body, &f, dt);
    if (tarn__footprint_is_thin(&p.grid, &f)) {
        press_thin(&p, body);
        return;
    }
    int i0 = f.i0 < 0 ? 0 : f.i0, k0 = f.k0 < 0 ? 0 : f.k0;
    for (int k = k0; k < f.k1 && k < water->def.nz; ++k) {
        for (int i = i0; i < f.i1 && i < water->def.nx; ++i) {
            Span spans[FLOATING_MAX_SPANS];
            int n_spans = tarn__footprint_spans(&p.grid, body, &f, i, k, spans, &p.share);
            float gap_limit = n_spans > 0 ? blocking_gap(water, i, k) : 0.0f;
            for (int n = 0; n < n_spans; ++n) press_sample(&p, i, k, &spans[n], gap_limit);
        }
    }
}

// ---- From columns to the floor -------------------------------------------------------------------

typedef struct Push {
    TarnShallow* water;
    float limit; // of the change of a column in this frame [m]
    float still; // changes below this are left for later [m]
    float ramp;  // share of the length that a column may change by in this frame
} Push;

typedef void RowFn(Push* push, int i0, int i1, int k);
static void for_pressed(Push* push, int tz, RowFn* fn)
{
    const TarnShallow* water = push->water;
    for (int tx = 0; tx < water->tiles_x; ++tx) {
        if (!water->pressed[shallow_tile(water, tx, tz)]) continue;
        int i0 = tx * SHALLOW_TILE_X, k0 = tz * SHALLOW_TILE_Z;
        int i1 = i0 + SHALLOW_TILE_X < water->def.nx ? i0 + SHALLOW_TILE_X : water->def.nx;
        for (int k = k0; k < k0 + SHALLOW_TILE_Z && k < water->def.nz; ++k) fn(push, i0, i1, k);
    }
}

// The load that a column gets in this frame takes the place of what was wanted.
static void load_row(Push* push, int i0, int i1, int k)
{
    TarnShallow* water = push->water;
    for (int i = i0; i < i1; ++i) {
        size_t c = shallow_cell(water, i, k);
        float load = water->load[c], want = tarn_minf(shallow_work(water)[c], water->def.max_depth);
        if (load == 0.0f && want == 0.0f) continue;
        float limit = tarn_minf(push->limit, push->ramp * want + push->still);
        float change = want - load;
        if (fabsf(change) <= push->still && want != 0.0f) change = 0.0f;
        float next = load + tarn_clampf(change, -push->limit, limit);
        next = tarn__shallow_snap(water, tarn_maxf(next, 0.0f));
        shallow_work(water)[c] = next;
    }
}

static void load_tiles(int tz, void* data)
{
    for_pressed(data, tz, load_row);
}

typedef struct Box {
    int i0, i1, k0, k1;
} Box;

static Box tile_box(const TarnShallow* water, int tx, int tz)
{
    Box box = { .i0 = tx * SHALLOW_TILE_X, .k0 = tz * SHALLOW_TILE_Z };
    box.i1 = box.i0 + SHALLOW_TILE_X < water->def.nx ? box.i0 + SHALLOW_TILE_X : water->def.nx;
    box.k1 = box.k0 + SHALLOW_TILE_Z < water->def.nz ? box.k0 + SHALLOW_TILE_Z : water->def.nz;
    return box;
}

// Takes the new loads of a tile; the last ones take their place.
static void settle_tile(TarnShallow* water, int tx, int tz)
{
    Box all = tile_box(water, tx, tz), changed = { all.i1, all.i0, all.k1, all.k0 };
    for (int k = all.k0; k < all.k1; ++k) {
        for (int i = all.i0; i < all.i1; ++i) {
            size_t c = shallow_cell(water, i, k);
            float next = shallow_work(water)[c], last = water->load[c];
            shallow_work(water)[c] = last;
            if (next == last) continue;
            water->load[c] = next;
            if (i < changed.i0) changed.i0 = i;
            if (i >= changed.i1) changed.i1 = i + 1;
            if (k < changed.k0) changed.k0 = k;
            if (k >= changed.k1) changed.k1 = k + 1;
        }
    }
    if (changed.i0 < changed.i1)
        tarn__shallow_update_bed(water, changed.i0, changed.i1, changed.k0, changed.k1);
}

// After the frame: the work field is zero again, tiles without load are let go.
static void close_tile(TarnShallow* water, int tx, int tz)
{
    Box all = tile_box(water, tx, tz);
    bool is_free = true;
    for (int k = all.k0; k < all.k1; ++k) {
        size_t c = shallow_cell(water, all.i0, k), n = (size_t)(all.i1 - all.i0);
        memset(shallow_work(water) + c, 0, n * sizeof(float));
        for (size_t i = 0; i < n && is_free; ++i) is_free = water->load[c + i] == 0.0f;
    }
    water->pressed[shallow_tile(water, tx, tz)] = is_free ? TILE_FREE : TILE_HELD;
}

static void for_open(TarnShallow* water, void (*fn)(TarnShallow* water, int tx, int tz))
{
    for (int tz = 0; tz < water->tiles_z; ++tz) {
        for (int tx = 0; tx < water->tiles_x; ++tx) {
            if (water->pressed[shallow_tile(water, tx, tz)] == TILE_OPEN) fn(water, tx, tz);
        }
    }
}

static void push_water(TarnShallow* water, float dt)
{
    Push push = { .water = water,
                  .limit = water->params.max_push * dt,
                  .still = water->def.sleep_speed * dt,
                  .ramp = water->time < (double)start_time ? dt / start_time : 1.0f };
    tarn__parallel_for(water->ctx, water->tiles_z, load_tiles, &push);
    for_open(water, settle_tile);
}

// ---- Forces --------------------------------------------------------------------------------------

static void apply_forces(const TarnShallow* water, TarnBodies* bodies, TarnBody* body,
                         const WetSums* sums, float dt)
{
    const TarnShallowParams* p = &water->params;
    body->water_push = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    body->water_volume = 0.0f;
    if (!(sums->volume > 0.0) || !(sums->area > 0.0)) return;
    double right = tarn__float_right(body, sums->all_volume);
    float m = body->mass, volume = tarn_minf((float)(sums->volume * right), body->volume);
    TarnVec3 flow = to_vec3(sums->water_velocity, 1.0 / sums->area);
    FloatLoads loads = { .volume = volume, .slip = vec3_sub(body->state.velocity, flow) };
    float linear = p->density * p->body_damping * volume; // [kg/s]
    TarnVec3 drag = vec3_sub(to_vec3(sums->drag, 1.0), vec3_scale(loads.slip, linear));
    loads.force = vec3_add(to_vec3(sums->force, right), drag);
    loads.torque = vec3_add(to_vec3(sums->torque, right), to_vec3(sums->drag_torque, 1.0));
    loads.drag = (float)sums->drag_rate + linear;

    float weight = p->density * water->def.gravity, plane = tarn_maxf((float)sums->plane, 0.0f);
    loads.spring = weight * plane;
    loads.stiffness = 2.0f * loads.spring; // the water it pushes up lifts it, too
    // A light body under water reaches the surface within the frame: its lift ends there.
    float depth = body->water_plane.level - body->state.position.y + body->radius;
    if (depth > 0.0f) loads.stiffness = tarn_maxf(loads.stiffness, weight * volume / depth);
    loads.spin_stiffness = weight * tarn_maxf((float)sums->plane_lever, 0.0f);
    loads.spin_drag = (float)sums->spin_rate;
    loads.spin_decay =
        volume / body->volume * p->body_damping * (1.0f + p->density / body->density);
    tarn__float_apply(bodies, body, &loads, dt);
    body->water_volume = volume;
    body->water_push = vec3_scale(drag, -dt / (1.0f + loads.drag * dt / m)); // the water's part
}

typedef struct Measure {
    const TarnShallow* water;
    TarnBodies* bodies;
    float dt;
} Measure;

static void measure_body(int slot, void* data)
{
    const Measure* all = data;
    TarnBody* body = tarn__bodies_slot(all->bodies, slot);
    if (!body->is_used) return;
    WetSums sums = tarn__shallow_wet(all->water, body, all->dt);
    apply_forces(all->water, all->bodies, body, &sums, all->dt);
}

// ---- From bodies to the flow ---------------------------------------------------------------------

static float face_mass(const TarnShallow* water, size_t c, size_t before)
{
    if (!(water->load[c] > 0.0f) || !(water->load[before] > 0.0f)) return 0.0f;
    float h = 0.5f * (water->h[c] + water->h[before]);
    return h > water->dry_depth ? water->params.density * h * water->def.dx * water->def.dx : 0.0f;
}

// What a body does to the faces under it, along x or z.
typedef struct Draw {
    int box[4];
    bool is_z;
    float impulse; // that drag gives to the water [N s]
    float speed;   // of the body [m/s]
    float dt;
} Draw;

// Water in a narrow gap moves as a block: its speeds settle to their mean at this rate [1/s], times
// the share of the columns that the body fills. It keeps momentum, and calms grid-sized noise that
// the edges of a load would make otherwise.
static const float settle_rate = 4.0f;

typedef struct Under { // sums over faces
    double mass, momentum, load, depth;
    float least, most; // speeds [m/s]
} Under;

static Under sum_faces(const TarnShallow* water, const Draw* d)
{
    const float* u = d->is_z ? water->w : water->u;
    size_t back = d->is_z ? (size_t)water->stride : 1;
    Under sums = { .least = INFINITY, .most = -INFINITY };
    for (int k = d->box[2] + d->is_z; k < d->box[3]; ++k) {
        for (int i = d->box[0] + !d->is_z; i < d->box[1]; ++i) {
            size_t c = shallow_cell(water, i, k);
            float mass = face_mass(water, c, c - back);
            if (mass == 0.0f) continue;
            sums.mass += (double)mass;
            sums.momentum += (double)(mass * u[c]);
            sums.least = tarn_minf(sums.least, u[c]);
            sums.most = tarn_maxf(sums.most, u[c]);
            sums.load += (double)(water->load[c] + water->load[c - back]);
            sums.depth += (double)(water->h[c] + water->h[c - back]);
        }
    }
    return sums;
}

static void draw_faces(TarnShallow* water, const Draw* d)
{
    float* u = d->is_z ? water->w : water->u;
    size_t back = d->is_z ? (size_t)water->stride : 1;
    // The solver chooses its next substep by these.
    float* least = d->is_z ? &water->edited.w_min : &water->edited.u_min;
    float* most = d->is_z ? &water->edited.w_max : &water->edited.u_max;
    Under sums = sum_faces(water, d);
    if (!(sums.mass > 0.0)) return;
    float mean = (float)(sums.momentum / sums.mass),
          change = (float)((double)d->impulse / sums.mass);
    float rate = settle_rate * d->dt * (float)(sums.load / (sums.load + sums.depth));
    float settle = rate / (1.0f + rate);
    // All or nothing: the solver counts on sleeping tiles to be still.
    if (settle * (sums.most - sums.least) + fabsf(change) <= 0.1f * water->def.sleep_speed) return;
    for (int k = d->box[2] + d->is_z; k < d->box[3]; ++k) {
        for (int i = d->box[0] + !d->is_z; i < d->box[1]; ++i) {
            size_t c = shallow_cell(water, i, k);
            if (face_mass(water, c, c - back) == 0.0f) continue;
            float was = u[c], next = was + settle * (mean - was);
            float room = d->speed - next; // never away from the body's speed, never past it
            if (room * change > 0.0f) next += fabsf(room) < fabsf(change) ? room : change;
            u[c] = next;
            *least = tarn_minf(*least, next);
            *most = tarn_maxf(*most, next);
        }
    }
    tarn__shallow_touch(water, d->box[0], d->box[1], d->box[2], d->box[3]);
}

static void draw_water(TarnShallow* water, const TarnBody* body, float dt)
{
    Columns grid = shallow_columns(water);
    if (!(body->water_volume > 0.0f)) return;
    TarnVec3 push = vec3_scale(body->water_push, water->params.body_push);
    TarnVec3 v = body->state.velocity;
    Footprint f = tarn__footprint(&grid, body);
    float fastest = water->params.max_speed;
    Draw d = { .box = { f.i0 < 1 ? 0 : f.i0 - 1, f.i1 + 1 < grid.nx ? f.i1 + 1 : grid.nx,
                        f.k0 < 1 ? 0 : f.k0 - 1, f.k1 + 1 < grid.nz ? f.k1 + 1 : grid.nz },
               .dt = dt };
    for (int axis = 0; axis < 2; ++axis) {
        d.is_z = axis == 1;
        d.impulse = d.is_z ? push.z : push.x;
        d.speed = tarn_clampf(d.is_z ? v.z : v.x, -fastest, fastest);
        draw_faces(water, &d);
    }
}

typedef struct FrameTime {
    float ahead; // when on average the water feels the loads of this frame [s]
    float mix;   // how far the present is between the last loads (0) and the new ones (1)
} FrameTime;

// How many substeps the water will take is guessed from the water at nine places on and around the
// body. A wrong guess shifts its load by a part of a frame.
static FrameTime frame_time(const TarnShallow* water, const TarnBody* body, float dt)
{
    Columns grid = shallow_columns(water);
    TarnVec3 at = body->state.position;
    float deepest = 0.0f, fastest = 0.0f, step = body->radius + grid.dx;
    for (int n = 0; n < 9; ++n) {
        float x = at.x + step * (float)(n % 3 - 1), z = at.z + step * (float)(n / 3 - 1);
        SharedCells cells = shallow_share(water, &grid, x, z);
        if (cells.n == 0) continue;
        size_t c = cells.c[0];
        deepest = tarn_maxf(deepest, water->h[c]);
        fastest = tarn_maxf(fastest, fabsf(water->u[c]) + fabsf(water->w[c]));
    }
    float rate = 1.4142136f * sqrtf(water->def.gravity * deepest) + 1.5f * fastest;
    float most = (float)water->def.max_substeps;
    float n = tarn_clampf(dt * rate / (water->def.courant * water->def.dx), 0.0f, most - 1.0f);
    float part = 1.0f / (floorf(n) + 1.0f);
    return (FrameTime){ 0.5f * (1.0f + part) * dt, 0.5f * (1.0f - part) };
}

// The body as its load shall be. A light one rides on the water instead of going on through it: of
// its way up and down only the share m / (m + a) counts, with its added mass a.
static void move_ahead(const TarnShallow* water, TarnBody* body, float dt, TarnBody* moved)
{
    Columns grid = shallow_columns(water);
    Footprint f = tarn__footprint(&grid, body);
    float added = tarn__float_added_mass(f.narrow, f.wide, water->params.density);
    float share = body->is_driven ? 1.0f : body->mass / (body->mass + added);
    FrameTime time = frame_time(water, body, dt);
    TarnVec3 way = vec3_scale(body->state.velocity, time.ahead);
    way.y *= share;
    body->water_mix = time.mix;
    body->water_mix_up = 1.0f - share * (1.0f - time.mix);
    tarn__body_moved(body, way, vec3_scale(body->state.angular_velocity, share * time.ahead),
                     moved);
}

// ---- Entry point ---------------------------------------------------------------------------------

TarnResult tarn_couple_shallow_bodies(TarnShallow* water, TarnBodies* bodies, float dt)
{
    if (water == NULL || bodies == NULL) return TARN_ERR_ARG;
    if (water->load == NULL) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_couple_shallow_bodies: the water has no arrays for bodies; create "
                          "it with use_bodies");
    }
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_couple_shallow_bodies: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    // Bodies at an edge feel the flow through it: that of the water as it is now, also after an edit or a load.
    tarn__shallow_fill_edges(water);
    int n = tarn__bodies_capacity(bodies);
    for (int t = 0; t < water->tiles_x * water->tiles_z; ++t) { // where bodies may have left
        if (water->pressed[t] == TILE_FREE) continue;
        water->pressed[t] = TILE_HELD; // whatever a snapshot says
        open_tile(water, t % water->tiles_x, t / water->tiles_x);
    }
    for (int b = 0; b < n; ++b) {
        TarnBody *body = tarn__bodies_slot(bodies, b), moved;
        if (!body->is_used) continue;
        move_ahead(water, body, dt, &moved);
        press(water, &moved, dt);
        body->water_plane = moved.water_plane;
    }
    push_water(water, dt);
    Measure all = { water, bodies, dt };
    tarn__bodies_open_forces(bodies);
    tarn__parallel_for(water->ctx, n, measure_body, &all);
    for (int b = 0; b < n; ++b) {
        const TarnBody* body = tarn__bodies_slot(bodies, b);
        if (body->is_used) draw_water(water, body, dt);
    }
    for_open(water, close_tile);
    return TARN_OK;
}
