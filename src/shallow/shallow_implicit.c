// The implicit gravity step of shallow water: waves may cross many cells in a substep, only the flow must not.
//
// Method   Semi-implicit, after [Casulli1990] and [Casulli1994]. First the flow carries itself along as in the explicit
//          step, without gravity. Then speeds and surface change together, with the weight theta on the new values:
//              u' = keep (u + wind - g k grad(eta + (1 - theta) t + theta d)),       keep: drag and damping
//              d  = -k div(H (theta u' + (1 - theta) u)),                            k = dt / dx
//          The speeds put into the second line give Helmholtz's equation for the rise d of the surface,
//              d - div(a grad d) = right side,             a = theta^2 g k^2 H keep at each face,
//          which src/linear/helmholtz.c solves. A wave of s = omega dt has the factor
//              (1 - i (1 - theta) s) / (1 + i theta s) per substep:
//          theta 1/2 keeps its height, more damps it, short waves first.
//          The depths do not come from d but from the fluxes of the new speeds, in whole grains: the volume is exact
//          whatever the solve left over. A cell that would give more than nine tenths of its water gives less
//          through all its faces. A lake at rest has a right side of exactly 0, and so d = 0.
// Differs  from the papers: t, the change of the surface by the flow alone, is felt by gravity before the solve. Without
//          it the old part of the pressure lags behind the water it stands on, and with theta below 1 waves that run
//          with the flow grow. Face depths are upwind with a limited slope, as in the explicit step.
//          Open edges answer a rise of the surface as a wave that leaves does, by sqrt(g / h) per meter.
//          A fall deeper than a cell is not coupled: what happens below it does not reach up.
// Source   [Thuerey2008], the part on a stable implicit update.
// Checked  tests/physics/check_shallow_implicit.c, tests/unit/test_shallow_implicit.c
// Cost     bench/bench_shallow.c

#include "shallow/shallow_implicit.h"
#include "linear/helmholtz.h"
#include <math.h>

// ---- Memory -----------------------------------------------------------------------------------------------

static HelmholtzDef helmholtz_def(const TarnShallowDef* def)
{
    // Edges that are not periodic have fluxes of their own: closed to the equation.
    uint8_t x = def->edge_x0 == TARN_SHALLOW_PERIODIC ? HELMHOLTZ_PERIODIC : HELMHOLTZ_CLOSED;
    uint8_t z = def->edge_z0 == TARN_SHALLOW_PERIODIC ? HELMHOLTZ_PERIODIC : HELMHOLTZ_CLOSED;
    return (HelmholtzDef){ def->nx, def->nz, { x, x, z, z } };
}

size_t tarn__shallow_implicit_size(const TarnShallowDef* def)
{
    if (def->gravity_step != TARN_GRAVITY_IMPLICIT) return 0;
    HelmholtzDef plane = helmholtz_def(def);
    return tarn__helmholtz_size(&plane);
}

void tarn__shallow_implicit_place(TarnShallow* water, void* memory)
{
    HelmholtzDef plane = helmholtz_def(&water->def);
    water->helmholtz = tarn__helmholtz_place(water->ctx, &plane, memory);
}

// ---- Rows -------------------------------------------------------------------------------------------------

typedef struct Gravity {
    TarnShallow* water;
    ShallowGravity g;
    const ShallowGravityKernels* kernels;
    void (*run)(const ShallowGravity* g, int k0, int k1);
} Gravity;

static void run_tile_row(int tz, void* data)
{
    const Gravity* gravity = data;
    int k0 = tz * SHALLOW_TILE_Z, nz = gravity->g.nz;
    gravity->run(&gravity->g, k0, k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz);
}
static void run_rows(Gravity* gravity, void (*run)(const ShallowGravity* g, int k0, int k1))
{
    gravity->run = run;
    tarn__parallel_for(gravity->water->ctx, gravity->water->tiles_z, run_tile_row, gravity);
}

// ---- Around the grid --------------------------------------------------------------------------------------

// One cell around the grid: the other side's at periodic edges, else a value.
static void set_around(const Gravity* gravity, float* field, float value)
{
    const TarnShallowDef* def = &gravity->water->def;
    bool wraps_x = def->edge_x0 == TARN_SHALLOW_PERIODIC;
    bool wraps_z = def->edge_z0 == TARN_SHALLOW_PERIODIC;
    ptrdiff_t up = gravity->g.stride, nx = def->nx, nz = def->nz;
    for (ptrdiff_t k = 0; k < nz; ++k) {
        float* row = field + k * up;
        row[-1] = wraps_x ? row[nx - 1] : value;
        row[nx] = wraps_x ? row[0] : value;
    }
    for (ptrdiff_t i = 0; i < nx; ++i) {
        field[i - up] = wraps_z ? field[i + (nz - 1) * up] : value;
        field[i + nz * up] = wraps_z ? field[i] : value;
    }
}

// The last faces are the first ones where an edge is periodic.
static void join_faces(const Gravity* gravity, float* x, float* z)
{
    const TarnShallowDef* def = &gravity->water->def;
    ptrdiff_t up = gravity->g.stride;
    for (int k = 0; k < def->nz && def->edge_x0 == TARN_SHALLOW_PERIODIC; ++k)
        x[def->nx + k * up] = x[k * up];
    if (def->edge_z0 == TARN_SHALLOW_PERIODIC)
        memcpy(z + def->nz * up, z, (size_t)def->nx * sizeof(float));
}

// A face of the rim that is not periodic, and its cell.
typedef struct RimFace {
    int kind;             // TarnShallowEdge
    ptrdiff_t cell, face; // of the fields
    ptrdiff_t ghost;      // the cell beyond
    bool is_x;
    float out; // sign of the speed that leaves
} RimFace;

typedef void RimFn(Gravity* gravity, const RimFace* face, void* data);

static void each_rim_face(Gravity* gravity, RimFn* fn, void* data)
{
    const TarnShallow* water = gravity->water;
    ptrdiff_t up = water->stride, nx = water->def.nx, nz = water->def.nz;
    const ptrdiff_t first[4] = { 0, nx - 1, 0, (nz - 1) * up }, beyond[4] = { -1, 1, -up, up };
    for (int side = 0; side < 4; ++side) {
        bool is_x = side < 2, is_far = side % 2;
        for (int j = 0; j < (is_x ? nz : nx); ++j) {
            ptrdiff_t cell = first[side] + j * (is_x ? up : 1);
            RimFace face = { tarn__shallow_edge_kind(water, side, j),
                             cell,
                             is_far ? cell + beyond[side] : cell,
                             cell + beyond[side],
                             is_x,
                             is_far ? 1.0f : -1.0f };
            if (face.kind != TARN_SHALLOW_PERIODIC) fn(gravity, &face, data);
        }
    }
}

// How much faster water leaves when the surface rises by a meter: as in the simple wave u = 2 sqrt(g h).
static float answer(const Gravity* gravity, const RimFace* face)
{
    const TarnShallow* water = gravity->water;
    float h = water->h[face->cell];
    bool is_open = face->kind != TARN_SHALLOW_REFLECTING && face->kind != TARN_SHALLOW_DISCHARGE;
    if (!is_open || !(h > water->dry_depth)) return 0.0f;
    float wave = sqrtf(water->def.gravity / h);
    return face->kind == TARN_SHALLOW_FALL ? 0.5f * wave : wave; // critical speed: sqrt(g h)
}

// The speed through an edge was set from outside: gravity has no part in it.
static void set_rim_face(Gravity* gravity, const RimFace* face, void* data)
{
    (void)data;
    ShallowGravity* g = &gravity->g;
    float speed = (face->is_x ? g->u : g->w)[face->face];
    bool leaves = face->out * speed >= 0.0f;
    float depth = g->h[leaves ? face->cell : face->ghost];
    bool is_open = face->kind != TARN_SHALLOW_REFLECTING && depth > g->dry;
    (face->is_x ? g->ax : g->az)[face->face] = 0.0f;
    (face->is_x ? g->gx : g->gz)[face->face] = is_open ? g->k * depth : 0.0f;
    (face->is_x ? g->u1 : g->w1)[face->face] = is_open ? speed : 0.0f;
}
static void add_rim_mass(Gravity* gravity, const RimFace* face, void* data)
{
    (void)data;
    ShallowGravity* g = &gravity->g;
    g->h1[face->cell] +=
        g->theta * (face->is_x ? g->gx : g->gz)[face->face] * answer(gravity, face);
}
static void set_rim_speed(Gravity* gravity, const RimFace* face, void* data)
{
    (void)data;
    ShallowGravity* g = &gravity->g;
    float* next = &(face->is_x ? g->u1 : g->w1)[face->face];
    float out = face->out * *next + answer(gravity, face) * g->d[face->cell];
    bool is_way_out = face->kind == TARN_SHALLOW_OPEN || face->kind == TARN_SHALLOW_FALL;
    *next = face->out * (is_way_out && out < 0.0f ? 0.0f : out);
}
static void count_rim_face(Gravity* gravity, const RimFace* face, void* data)
{
    const ShallowGravity* g = &gravity->g;
    double* in = data;
    float depth = (face->is_x ? g->gx : g->gz)[face->face];
    float share = face->out * depth > 0.0f ? g->d[face->cell] : 1.0f;
    *in -= (double)(face->out * gravity->kernels->passed(g, depth, share));
}

// ---- Substep ----------------------------------------------------------------------------------------------

static float fastest(float lo, float hi)
{
    return hi > -lo ? hi : -lo;
}

static Gravity make_gravity(TarnShallow* water, float dt)
{
    const TarnShallowDef* def = &water->def;
    const TarnShallowParams* params = &water->params;
    const ShallowExtremes *x = &water->known, *e = &water->edge, *d = &water->edited;
    // Without advection the flow carries the surface, but not itself: half of it is what keeps waves even.
    float carry = def->advection == TARN_ADVECTION_NONE ? 0.5f : 1.0f;
    Gravity gravity = { .water = water };
    gravity.g = (ShallowGravity){
        .h = water->h,
        .b = water->b,
        .u = water->u,
        .w = water->w,
        .u1 = water->u1,
        .w1 = water->w1,
        .h1 = water->h1,
        .ax = water->face_x,
        .az = water->face_z,
        .gx = water->give_x,
        .gz = water->give_z,
        .d = water->lift,
        .stride = water->stride,
        .nx = def->nx,
        .nz = def->nz,
        .k = dt / def->dx,
        .gravity_k = def->gravity * dt / def->dx,
        .theta = def->implicitness,
        .carry = carry,
        .resist = 1.0f + params->damping * dt,
        .drag_dt = params->drag * dt,
        .wind_x = params->wind.x * dt,
        .wind_z = params->wind.y * dt,
        .u_far = fmaxf(fastest(x->u_min, x->u_max),
                       fmaxf(fastest(e->u_min, e->u_max), fastest(d->u_min, d->u_max))),
        .w_far = fmaxf(fastest(x->w_min, x->w_max),
                       fmaxf(fastest(e->w_min, e->w_max), fastest(d->w_min, d->w_max))),
        .dry = water->dry_depth,
        .steep = def->dx,
        .max_speed = params->max_speed,
        .snap = 1.5f * 0x1p23f * water->grain,
        .grain = water->grain,
    };
    gravity.kernels = TARN_KERNELS_PICK(water->ctx->isa, tarn__shallow_gravity_kernels);
    return gravity;
}

static void add_flux_row(int tz, void* data)
{
    const Gravity* gravity = data;
    int k0 = tz * SHALLOW_TILE_Z, nz = gravity->g.nz;
    gravity->kernels->add_flux(&gravity->g, k0, k0 + SHALLOW_TILE_Z < nz ? k0 + SHALLOW_TILE_Z : nz,
                               gravity->water->qx, gravity->water->qz);
}
static void add_discharge(Gravity* gravity, bool is_first)
{
    if (is_first) tarn__shallow_clear_discharge(gravity->water);
    tarn__parallel_for(gravity->water->ctx, gravity->water->tiles_z, add_flux_row, gravity);
}

double tarn__shallow_gravity(TarnShallow* water, float dt, bool is_first)
{
    Gravity gravity = make_gravity(water, dt);
    ShallowGravity* g = &gravity.g;
    const ShallowGravityKernels* kernels = gravity.kernels;
    run_rows(&gravity, kernels->carry);
    set_around(&gravity, g->h1, 0.0f);
    run_rows(&gravity, kernels->faces);
    each_rim_face(&gravity, set_rim_face, NULL);
    join_faces(&gravity, g->ax, g->az);
    join_faces(&gravity, g->gx, g->gz);
    join_faces(&gravity, g->u1, g->w1);

    run_rows(&gravity, kernels->right);
    each_rim_face(&gravity, add_rim_mass, NULL);
    HelmholtzResult result;
    tarn__helmholtz_set(water->helmholtz, g->h1, g->ax, g->az, water->stride);
    tarn__helmholtz_solve(water->helmholtz, g->d, g->d, water->stride, water->def.tolerance,
                          water->def.max_cycles, &result);
    if (!result.is_converged) water->is_unsolved = true;

    set_around(&gravity, g->d, 0.0f);
    each_rim_face(&gravity, set_rim_speed, NULL);
    run_rows(&gravity, kernels->speeds);
    join_faces(&gravity, g->gx, g->gz);
    run_rows(&gravity, kernels->shares);
    set_around(&gravity, g->d, 1.0f);
    run_rows(&gravity, kernels->depths);
    double in = 0.0;
    each_rim_face(&gravity, count_rim_face, &in);
    if (water->qx) add_discharge(&gravity, is_first);
    return in;
}
