// What the JavaScript package calls (index.js): worlds from scene texts, steps, queries, views, snapshots.
//
// Views are pointers into the heap of the module, described by a TarnJsView that JavaScript reads as numbers: nothing is
// copied. A row of `readers` names what a kind of solver shows; a kind without a row can still be queried by its
// Surface.

#include "tarn/scene.h"
#include "tarn/tarn.h"
#include <emscripten/emscripten.h>
#include <stdlib.h>
#include <string.h>

#define JS EMSCRIPTEN_KEEPALIVE

typedef enum TarnJsType { JS_FLOAT, JS_UINT32, JS_UINT8 } TarnJsType;

// index.js reads this as 32-bit numbers, in this order.
typedef struct TarnJsView {
    const char* name; // NULL: there is no such view
    const void* data; // NULL: the solver was created without it
    int32_t type;     // TarnJsType
    int32_t nx, ny, nz;
    int32_t row, slab; // elements from one row to the next, and from one slab to the next
    float x, y, z;     // of the first value [m]; 0 for particles
    float dx;          // [m]; 0 for particles
} TarnJsView;

typedef struct TarnJsWorld {
    TarnScene* scene;
    TarnWorld* world;
    TarnStepReport report;
    float* bodies; // BODY_FLOATS each
    int room;      // of them
} TarnJsWorld;

enum {
    BODY_FLOATS = 17
}; // position 3, rotation 4, velocity 3, angular velocity 3, shape 1, size 3

static TarnContext* ctx;
static TarnJsView view;
static double report[4];

// ---- What each kind of solver shows -------------------------------------------------------------------

static void show2(const char* name, TarnView2 of, TarnVec2 origin, float y, float dx)
{
    view = (TarnJsView){ name,
                         of.data,
                         JS_FLOAT,
                         of.nx,
                         1,
                         of.nz,
                         of.stride,
                         of.stride,
                         origin.x + 0.5f * dx,
                         y,
                         origin.y + 0.5f * dx,
                         dx };
}

static void show3(const char* name, TarnView3 of, TarnVec3 origin, TarnVec3 offset, float dx)
{
    view = (TarnJsView){ name,
                         of.data,
                         JS_FLOAT,
                         of.nx,
                         of.ny,
                         of.nz,
                         of.row,
                         of.slab,
                         origin.x + offset.x * dx,
                         origin.y + offset.y * dx,
                         origin.z + offset.z * dx,
                         dx };
}

static void show_list(const char* name, const void* data, TarnJsType type, int n)
{
    view = (TarnJsView){
        .name = name, .data = data, .type = type, .nx = n, .ny = 1, .nz = 1, .row = n, .slab = n
    };
}

static void read_wave(const void* solver, int n)
{
    TarnVec2 origin = tarn_wave_origin(solver);
    float dx = tarn_wave_def(solver)->dx, level = tarn_wave_level(solver);
    if (n == 0) show2("height", tarn_wave_height(solver), origin, level, dx);
    if (n == 1) show2("bed_depth", tarn_wave_bed_depths(solver), origin, level, dx);
}

static void read_shallow(const void* solver, int n)
{
    TarnVec2 origin = tarn_shallow_origin(solver);
    TarnVec2 west = origin, north = origin;
    float dx = tarn_shallow_def(solver)->dx;
    west.x -= 0.5f * dx, north.y -= 0.5f * dx; // faces
    if (n == 0) show2("depth", tarn_shallow_depth(solver), origin, 0, dx);
    if (n == 1) show2("ground", tarn_shallow_bed(solver), origin, 0, dx);
    if (n == 2) show2("velocity_x", tarn_shallow_velocity_x(solver), west, 0, dx);
    if (n == 3) show2("velocity_z", tarn_shallow_velocity_z(solver), north, 0, dx);
}

static void read_pipes(const void* solver, int n)
{
    TarnVec2 origin = tarn_pipes_origin(solver);
    float dx = tarn_pipes_def(solver)->dx;
    if (n == 0) show2("depth", tarn_pipes_depth(solver), origin, 0, dx);
    if (n == 1) show2("ground", tarn_pipes_ground(solver), origin, 0, dx);
    if (n == 2) show2("soil", tarn_pipes_soil(solver), origin, 0, dx);
}

static void read_gas(const void* solver, int n)
{
    TarnGasView of = tarn_gas_view(solver);
    TarnVec3 cell = { 0.5f, 0.5f, 0.5f };
    if (n == 0) show3("density", of.density, of.origin, cell, of.dx);
    if (n == 1) show3("temperature", of.temperature, of.origin, cell, of.dx);
    if (n == 2) show3("fuel", of.fuel, of.origin, cell, of.dx);
    if (n == 3) show3("pressure", of.pressure, of.origin, cell, of.dx);
    if (n == 4) show3("velocity_x", of.u, of.origin, (TarnVec3){ 0, 0.5f, 0.5f }, of.dx);
    if (n == 5) show3("velocity_y", of.v, of.origin, (TarnVec3){ 0.5f, 0, 0.5f }, of.dx);
    if (n == 6) show3("velocity_z", of.w, of.origin, (TarnVec3){ 0.5f, 0.5f, 0 }, of.dx);
}

typedef struct Column {
    const char* name;
    const void* data;
    TarnJsType type;
} Column;

static void read_liquid(const void* solver, int n)
{
    TarnLiquidView of = tarn_liquid_view(solver);
    const Column columns[] = {
        { "x", of.x, JS_FLOAT },
        { "y", of.y, JS_FLOAT },
        { "z", of.z, JS_FLOAT },
        { "vx", of.vx, JS_FLOAT },
        { "vy", of.vy, JS_FLOAT },
        { "vz", of.vz, JS_FLOAT },
        { "density", of.density, JS_FLOAT },
        { "pressure", of.pressure, JS_FLOAT },
        { "temperature", of.temperature, JS_FLOAT },
        { "id", of.id, JS_UINT32 },
        { "kind", of.kind, JS_UINT8 },
    };
    if (n < (int)(sizeof columns / sizeof *columns))
        show_list(columns[n].name, columns[n].data, columns[n].type, of.n);
}

static void read_particles(const void* solver, int n)
{
    TarnParticlesView of = tarn_particles_view(solver);
    const Column columns[] = {
        { "x", of.x, JS_FLOAT },           { "y", of.y, JS_FLOAT },
        { "z", of.z, JS_FLOAT },           { "vx", of.vx, JS_FLOAT },
        { "vy", of.vy, JS_FLOAT },         { "vz", of.vz, JS_FLOAT },
        { "age", of.age, JS_FLOAT },       { "lifetime", of.lifetime, JS_FLOAT },
        { "radius", of.radius, JS_FLOAT }, { "id", of.id, JS_UINT32 },
        { "kind", of.kind, JS_UINT8 },
    };
    if (n < (int)(sizeof columns / sizeof *columns))
        show_list(columns[n].name, columns[n].data, columns[n].type, of.n);
}

static const struct {
    const char* kind;
    void (*read)(const void* solver, int n); // fills `view`, or leaves it empty beyond the last one
} readers[] = {
    { "wave", read_wave }, { "shallow", read_shallow }, { "pipes", read_pipes },
    { "gas", read_gas },   { "liquid", read_liquid },   { "particles", read_particles },
};

// ---- The module -----------------------------------------------------------------------------------------

// Creates the context that all worlds share. Returns false if there are too few threads or too little memory.
JS int tarn_js_open(int workers);
JS const char* tarn_js_error(void);
JS const char* tarn_js_version(void);
int tarn_js_open(int workers)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    return tarn_context_create(&def, &ctx) == TARN_OK;
}

const char* tarn_js_error(void)
{
    return tarn_last_error(ctx);
}

const char* tarn_js_version(void)
{
    return tarn_version();
}

// ---- Worlds ----------------------------------------------------------------------------------------------

// sets: path and value in turn, 2 * n_sets strings that each end with a zero. NULL: tarn_js_error says why.
JS TarnJsWorld* tarn_js_create(const char* text, int size, const char* name, const char* sets,
                               int n_sets);
JS void tarn_js_destroy(TarnJsWorld* world);
JS int tarn_js_step(TarnJsWorld* world, double dt);  // by the scene's own step if dt is below 0
JS const double* tarn_js_report(TarnJsWorld* world); // time advanced, dropped [s], substeps, flags
JS double tarn_js_time(TarnJsWorld* world);
JS double tarn_js_dt(TarnJsWorld* world);
JS const char* tarn_js_title(TarnJsWorld* world);
JS void tarn_js_hash(TarnJsWorld* world, uint32_t out[2]); // low, high
TarnJsWorld* tarn_js_create(const char* text, int size, const char* name, const char* sets,
                            int n_sets)
{
    TarnSceneOverride* overrides = calloc((size_t)n_sets + 1, sizeof *overrides);
    TarnJsWorld* world = calloc(1, sizeof *world);
    TarnResult result = overrides && world ? TARN_OK : TARN_ERR_MEMORY;
    for (int n = 0; result == TARN_OK && n < n_sets; ++n) {
        overrides[n].path = sets;
        overrides[n].value = sets += strlen(sets) + 1;
        sets += strlen(sets) + 1;
    }
    if (result == TARN_OK)
        result = tarn_scene_create(ctx, text, (size_t)size, name, overrides, n_sets, &world->scene);
    free(overrides);
    if (result != TARN_OK) {
        free(world);
        return NULL;
    }
    world->world = tarn_scene_world(world->scene);
    return world;
}

void tarn_js_destroy(TarnJsWorld* world)
{
    if (world == NULL) return;
    tarn_scene_destroy(world->scene);
    free(world->bodies);
    free(world);
}

int tarn_js_step(TarnJsWorld* world, double dt)
{
    float step = dt < 0 ? tarn_scene_run(world->scene).dt : (float)dt;
    return tarn_world_step(world->world, step, &world->report) == TARN_OK;
}

const double* tarn_js_report(TarnJsWorld* world)
{
    report[0] = world->report.time_advanced, report[1] = world->report.time_dropped;
    report[2] = world->report.substeps, report[3] = world->report.flags;
    return report;
}

double tarn_js_time(TarnJsWorld* world)
{
    return tarn_world_time(world->world);
}

double tarn_js_dt(TarnJsWorld* world)
{
    return (double)tarn_scene_run(world->scene).dt;
}

const char* tarn_js_title(TarnJsWorld* world)
{
    return tarn_scene_title(world->scene);
}

void tarn_js_hash(TarnJsWorld* world, uint32_t out[2])
{
    uint64_t hash = tarn_world_hash(world->world);
    out[0] = (uint32_t)hash, out[1] = (uint32_t)(hash >> 32);
}

// Returns the bytes that a snapshot takes, or 0 for an error; it is written if they are at most `capacity`.
JS int tarn_js_save(TarnJsWorld* world, void* buffer, int capacity);
JS int tarn_js_load(TarnJsWorld* world, const void* buffer, int size);
int tarn_js_save(TarnJsWorld* world, void* buffer, int capacity)
{
    size_t size;
    TarnResult result = tarn_world_save(world->world, buffer, (size_t)capacity, &size);
    return result == TARN_OK || result == TARN_ERR_CAPACITY ? (int)size : 0;
}

int tarn_js_load(TarnJsWorld* world, const void* buffer, int size)
{
    return tarn_world_load(world->world, buffer, (size_t)size) == TARN_OK;
}

// ---- Solvers, views, surfaces, bodies ----------------------------------------------------------------------

JS int tarn_js_solver_count(TarnJsWorld* world);
JS const char* tarn_js_solver_name(TarnJsWorld* world, int n);
JS const char* tarn_js_solver_kind(TarnJsWorld* world, int n);
JS const TarnJsView* tarn_js_view(TarnJsWorld* world, int solver,
                                  int n); // its name is NULL beyond the last
int tarn_js_solver_count(TarnJsWorld* world)
{
    return tarn_world_count(world->world, NULL);
}

const char* tarn_js_solver_name(TarnJsWorld* world, int n)
{
    return tarn_world_name_of(world->world, tarn_world_get(world->world, NULL, n));
}

const char* tarn_js_solver_kind(TarnJsWorld* world, int n)
{
    return tarn_world_class_of(world->world, tarn_world_get(world->world, NULL, n))->name;
}

const TarnJsView* tarn_js_view(TarnJsWorld* world, int solver, int n)
{
    const char* kind = tarn_js_solver_kind(world, solver);
    view = (TarnJsView){ 0 };
    for (size_t r = 0; r < sizeof readers / sizeof *readers; ++r)
        if (strcmp(readers[r].kind, kind) == 0)
            readers[r].read(tarn_world_get(world->world, NULL, solver), n);
    return &view;
}

static TarnSurface surface_of(TarnJsWorld* world, int solver) // -1: the first that has one
{
    if (solver < 0) return tarn_world_surface(world->world);
    void* of = tarn_world_get(world->world, NULL, solver);
    const TarnSolverClass* kind = tarn_world_class_of(world->world, of);
    return kind->surface ? kind->surface(of) : (TarnSurface){ 0 };
}

// Samples n points; outputs may be NULL. Returns whether there is such a surface.
JS int tarn_js_surface(TarnJsWorld* world, int solver, int n, const float* x, const float* z,
                       float* height, float* depth, TarnVec3* normal, TarnVec3* velocity);
// Adds (or removes) water over a disc; returns the volume that went in [m^3].
JS double tarn_js_pour(TarnJsWorld* world, int solver, double x, double z, double radius,
                       double volume);
int tarn_js_surface(TarnJsWorld* world, int solver, int n, const float* x, const float* z,
                    float* height, float* depth, TarnVec3* normal, TarnVec3* velocity)
{
    TarnSurfaceSamples out = { height, normal, velocity, depth };
    return tarn_surface_query(surface_of(world, solver), n, x, z, &out) == TARN_OK;
}

double tarn_js_pour(TarnJsWorld* world, int solver, double x, double z, double radius,
                    double volume)
{
    TarnSurface surface = surface_of(world, solver);
    TarnSurfacePour pour = { { (float)x, (float)z }, (float)radius, (float)volume, { 0 } };
    TarnSurfaceTaken taken = { 0 };
    if (surface.pour) surface.pour((void*)surface.self, &pour, &taken);
    return taken.volume;
}

JS int tarn_js_body_count(TarnJsWorld* world);
JS const float* tarn_js_bodies(TarnJsWorld* world); // BODY_FLOATS for each; NULL: no memory
int tarn_js_body_count(TarnJsWorld* world)
{
    return tarn_bodies_count(tarn_world_bodies(world->world));
}

const float* tarn_js_bodies(TarnJsWorld* world)
{
    TarnBodies* bodies = tarn_world_bodies(world->world);
    int n = tarn_bodies_count(bodies);
    if (n > world->room) {
        float* grown = realloc(world->bodies, sizeof(float) * BODY_FLOATS * (size_t)n);
        if (grown == NULL) return NULL;
        world->bodies = grown, world->room = n;
    }
    for (int b = 0; b < n; ++b) {
        TarnBodyId id = tarn_bodies_at(bodies, b);
        const TarnShape* shape = tarn_bodies_shape(bodies, id);
        TarnBodyState state;
        tarn_bodies_get_state(bodies, id, &state);
        float row[BODY_FLOATS] = { state.position.x,
                                   state.position.y,
                                   state.position.z,
                                   state.rotation.x,
                                   state.rotation.y,
                                   state.rotation.z,
                                   state.rotation.w,
                                   state.velocity.x,
                                   state.velocity.y,
                                   state.velocity.z,
                                   state.angular_velocity.x,
                                   state.angular_velocity.y,
                                   state.angular_velocity.z,
                                   (float)shape->kind,
                                   shape->size.x,
                                   shape->size.y,
                                   shape->size.z };
        memcpy(world->bodies + (ptrdiff_t)b * BODY_FLOATS, row, sizeof row);
    }
    return world->bodies;
}
