// Liquids of particles: parameters, creation, the order of the particles. The substeps are in
// liquid_step.c, the physics in one file per method.

#include "liquid/liquid_driver.h"
#include "base/def.h"
#include "liquid/pressure_grid.h"

static const char* const method_names[] = { "constraint", "dfsph",         "pcisph", "wcsph",
                                            "sph",        "lennard_jones", NULL };
static const char* const wall_names[] = { "open", "tank", "box", "unbounded", NULL };
static const char* const kernel_names[] = { "square", "talk", NULL };
enum { N_METHODS = TARN_LIQUID_LENNARD_JONES + 1 };

#define D TarnLiquidDef
static const TarnParam def_params[] = {
    P_INT(D, dimensions, "", 2, 3, 2, "2 for the plane z = 0 with y up, 3 for space."),
    P_ENUM(D, method, method_names, N_METHODS, TARN_LIQUID_CONSTRAINT,
           "How the liquid keeps its volume. constraint: calm and fast, one step per frame; dfsph, "
           "pcisph: accurate; wcsph: waves and impacts; sph: soft; lennard_jones: goo."),
    P_ENUM(
        D, kernel, kernel_names, 2, TARN_LIQUID_KERNEL_SQUARE,
        "For constraint: weight of a neighbor at a share d of the radius. square: (1 - d)^2; talk: "
        "1 - d, as in the talk about Sprinkle."),
    P_INT(D, max_particles, "particles", 1, 4000000, 20000, "Most particles of the liquid."),
    P_FLOAT(D, spacing, "m", 1e-4, 10, 0.02,
            "Distance between particles at rest; smaller is finer and costs more."),
    P_FLOAT(D, thickness, "m", 1e-4, 1e4, 1,
            "Thickness along z of the slice that a 2-D liquid represents."),
    P_VEC3(D, box_min, "m", -1e5, 1e5, -2, 0, -1, "Lower corner of the box."),
    P_VEC3(D, box_max, "m", -1e5, 1e5, 2, 3, 1, "Upper corner of the box; z is for 3-D only."),
    P_ENUM(
        D, walls, wall_names, 4, TARN_LIQUID_TANK,
        "Walls of the box. open: what leaves the box is removed; tank: walls on all sides but "
        "the top; box: walls all around; unbounded: neither walls nor an end, and the box is only "
        "what cameras frame."),
    P_INT(D, max_sources, "", 0, 256, 8, "Most sources."),
    P_INT(D, max_regions, "", 0, LIQUID_MAX_REGIONS, 8, "Most regions."),
    P_INT(D, max_events, "", 0, 1000000, 1024, "Most events kept per step; more are dropped."),
    P_INT(D, max_splashes, "particles", 0, 1000000, 0,
          "Most ballistic drops around the liquid; 0 makes none."),
    P_BOOL(D, use_look, 0, "Computes what drawing needs: size, orientation, edges, bubbles."),
    P_INT(D, seed, "", 0, 1000000000, 1, "Seed of everything random."),
};
#undef D
#define P TarnLiquidParams
static const TarnParam params_params[] = {
    P_VEC3(P, gravity, "m/s^2", -1e3, 1e3, 0, -9.81, 0, "Acceleration of the whole liquid."),
    P_INT(P, iterations, "", 1, 1000, 4,
          "For constraint: sweeps of the rows in 1/15 s, at least one per substep; more compress "
          "less."),
    P_FLOAT(P, warm_start, "", 0, 1, 1,
            "For constraint: share of the last step's pressure that the solve starts with."),
    P_FLOAT(P, stiffness, "", 0, 1, 0.2,
            "For constraint: share of the density error removed per step; larger is stiffer."),
    P_FLOAT(P, max_push, "spacings", 0, 1, 0.1,
            "For constraint: largest distance by which that removal pushes neighbors apart per "
            "substep. Compressed liquid keeps this speed when it expands, so smaller values "
            "splash less; 0 gives none."),
    P_FLOAT(P, max_error, "", 1e-6, 0.5, 0.001,
            "For dfsph and pcisph: mean density error at which the solve stops; smaller compresses "
            "less and costs more."),
    P_INT(P, max_iterations, "", 1, 1000, 100,
          "For dfsph and pcisph: most iterations per substep."),
    P_FLOAT(P, sound_speed, "m/s", 0, 1e4, 0,
            "For wcsph: speed of sound; 0 uses ten times the largest speed expected from the box "
            "and gravity."),
    P_FLOAT(P, pressure, "m^2/s^2", 0, 1e8, 0,
            "For sph: stiffness; 0 derives it from the box and gravity."),
    P_FLOAT(P, artificial_viscosity, "", 0, 10, 0.2, "For wcsph: viscosity that calms shocks."),
    P_FLOAT(P, attraction, "m/s^2", 0, 1e5, 50,
            "For lennard_jones: acceleration of a pair where it attracts most."),
    P_FLOAT(P, viscosity, "m^2/s", 0, 1e3, 0, "Kinematic viscosity, added to that of each kind."),
    P_FLOAT(P, xsph, "", 0, 1, 0,
            "For the sph methods: share of the mean velocity of its neighbors that a particle "
            "moves with; larger is smoother."),
    P_FLOAT(P, vorticity, "", 0, 1, 0,
            "Vorticity confinement; larger values keep small eddies alive."),
    P_FLOAT(P, surface_tension, "N/m", 0, 1e3, 0, "Surface tension; water has 0.072."),
    P_FLOAT(
        P, cohesion, "", 0, 10, 0,
        "Attraction between particles, as a share of gravity; larger values hold drops together."),
    P_FLOAT(P, friction, "", 0, 1, 0.05, "Friction at the walls of the box; 1 does not slip."),
    P_FLOAT(P, drag, "1/s", 0, 1e3, 0, "Air drag of single particles."),
    P_VEC3(P, wind, "m/s", -1e3, 1e3, 0, 0, 0, "Velocity of the air."),
    P_FLOAT(P, courant, "", 0.01, 1, 0.4,
            "For the sph methods: spacings that the fastest particle may move in a substep. In "
            "dfsph and pcisph one of 200 particles may be faster."),
    P_INT(P, max_substeps, "", 1, 10000, 200,
          "Most substeps per step; time beyond them is dropped and reported."),
    P_FLOAT(P, max_speed, "m/s", 0.01, 1e4, 100, "Faster particles are slowed down to this."),
    P_FLOAT(P, splash_rate, "1/s", 0, 1e3, 10, "Drops per second from a particle that splashes."),
    P_FLOAT(P, splash_speed, "m/s", 0, 1e3, 1, "Upward speed above which particles splash."),
    P_FLOAT(P, look_time, "s", 0, 10, 0.15,
            "Time over which size and orientation are smoothed, for drawing."),
};
#undef P
#define K TarnLiquidKindDef
static const TarnParam kind_params[] = {
    P_FLOAT(K, density, "kg/m^3", 1, 1e5, 1000, "Density at rest."),
    P_FLOAT(K, viscosity, "m^2/s", 0, 1e3, 1e-6,
            "Kinematic viscosity: water 1e-6, oil 1e-4, honey 5e-3."),
    P_FLOAT(K, cohesion, "", 0, 10, 0,
            "Attraction between particles, added to that of the liquid."),
    P_VEC3(K, color, "", 0, 1, 0.05, 0.3, 0.55, "Color, linear red, green, blue."),
    P_FLOAT(K, freezing_point, "K", -1e4, 1e4, -1e4,
            "Temperature above ambient below which particles freeze and stand still."),
    P_FLOAT(K, boiling_point, "K", -1e4, 1e4, 1e4,
            "Temperature above ambient at which particles are removed."),
    P_FLOAT(K, conduction, "1/s", 0, 100, 1, "How fast neighbors exchange heat."),
};
#undef K
static const TarnParamTable def_table = PARAM_TABLE("liquid", TarnLiquidDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("liquid", TarnLiquidParams, params_params);
static const TarnParamTable kind_table = PARAM_TABLE("liquid_kind", TarnLiquidKindDef, kind_params);

const TarnParamTable* tarn_liquid_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_liquid_params_table(void)
{
    return &params_table;
}
const TarnParamTable* tarn_liquid_kind_def_table(void)
{
    return &kind_table;
}
void tarn_liquid_init_def(TarnLiquidDef* out, size_t size)
{
    TarnLiquidDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnLiquidDef, out, size, &def);
}
TarnLiquidParams tarn_liquid_default_params(void)
{
    TarnLiquidParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    return params;
}
void tarn_liquid_kind_init_def(TarnLiquidKindDef* out, size_t size)
{
    TarnLiquidKindDef def = { 0 };
    tarn_param_defaults(&kind_table, &def);
    TARN_INIT_DEF(TarnLiquidKindDef, out, size, &def);
}

// ---- Create ------------------------------------------------------------------------------------

static const LiquidMethod* method_of(int method)
{
    switch (method) {
    case TARN_LIQUID_DFSPH:
        return &tarn__liquid_dfsph;
    case TARN_LIQUID_PCISPH:
        return &tarn__liquid_pcisph;
    case TARN_LIQUID_WCSPH:
        return &tarn__liquid_wcsph;
    case TARN_LIQUID_SPH:
        return &tarn__liquid_sph;
    case TARN_LIQUID_LENNARD_JONES:
        return &tarn__liquid_lennard_jones;
    default:
        return &tarn__liquid_constraint;
    }
}

TarnResult tarn__liquid_check_def(TarnContext* ctx, const TarnLiquidDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "liquid", "tarn/liquid.h", TarnLiquidDef, tarn_liquid_default_def,
                            def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    const float size[3] = { def->box_max.x - def->box_min.x, def->box_max.y - def->box_min.y,
                            def->box_max.z - def->box_min.z };
    for (int a = 0; a < def->dimensions; ++a) {
        if (size[a] >= 2.0f * def->spacing) continue;
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "liquid.box_max: the box is %g m along %c; it must be at least two spacings, %g m",
            (double)size[a], "xyz"[a], (double)(2.0f * def->spacing));
    }
    return TARN_OK;
}

static TarnParticlesDef splash_def(const TarnLiquidDef* def)
{
    TarnParticlesDef splashes = tarn_particles_default_def();
    splashes.max_particles = def->max_splashes;
    splashes.max_emitters = splashes.max_attractors = 0;
    splashes.max_events = 0;
    splashes.seed = def->seed;
    return splashes;
}

// Hands out arrays of a block; without a block it only counts.
typedef struct Places {
    TarnLayout layout;
    char* base;
} Places;

static void* place(Places* at, size_t count, size_t size)
{
    size_t offset = tarn__layout_add(&at->layout, count * size);
    return at->base ? at->base + offset : NULL;
}

// The particles' own arrays.
static void place_particles(TarnLiquid* l, Places* at, size_t n)
{
    float** floats[] = { &l->x,        &l->y,        &l->vx,          &l->vy, &l->density,
                         &l->pressure, &l->memory_a, &l->temperature, &l->z };
    for (size_t f = 0; f < sizeof floats / sizeof floats[0]; ++f)
        *floats[f] = place(at, n, sizeof(float));
    l->vz = l->is_lean ? l->z : place(at, n, sizeof(float));
    l->memory_b = l->is_lean ? l->z : place(at, n, sizeof(float));
    l->id = place(at, n, sizeof(uint32_t));
    l->user = place(at, n, sizeof(uint32_t));
    l->inside = place(at, n, sizeof(uint32_t));
    l->kind = place(at, n, 1);
    l->group = place(at, n, 1);
    l->flags = place(at, n, 1);
}

// Fills in all pointers of *l and *d; with base NULL it only counts.
static size_t lay_out(const TarnLiquidDef* def, char* base, TarnLiquid* l, LiquidDriver* d)
{
    Places at = { .base = base };
    place(&at, 1, sizeof(TarnLiquid));
    l->driver = place(&at, 1, sizeof(LiquidDriver));
    size_t n = (size_t)def->max_particles + LIQUID_PAD;
    const LiquidMethod* method = method_of(def->method);
    l->is_lean = method->is_lean && def->dimensions == 2;
    place_particles(l, &at, n);
    if (def->use_look) {
        d->size = place(&at, n, sizeof(float));
        d->along_x = place(&at, n, sizeof(float));
        d->along_y = place(&at, n, sizeof(float));
        d->along_z = place(&at, n, sizeof(float));
        d->stretch = place(&at, n, sizeof(float));
    }
    int slots = def->dimensions == 2 ? LIQUID_SLOTS_2D : LIQUID_SLOTS_3D;
    int room = l->is_lean ? LIQUID_PACKED_2D : slots;
    tarn__neighbors_lay_out(&l->neighbors, &at.layout, base, def->dimensions, slots, room,
                            def->max_particles, liquid_support * def->spacing);
    size_t blocks = (size_t)liquid_blocks(def->max_particles);
    l->places = l->is_lean ? LIQUID_BLOCK : LIQUID_PLACES;
    size_t places = blocks * (size_t)l->places;
    l->contacts = place(&at, places, sizeof(LiquidContact));
    l->contact_velocity = method->is_lean ? NULL : place(&at, places, sizeof(TarnVec3));
    l->contact_slope = method->is_lean ? place(&at, places, sizeof(float)) : NULL;
    l->contact_begin = place(&at, n, sizeof(int));
    l->contact_count = place(&at, n, 1);
    int n_scratch = method->scratch > LIQUID_LOOK_SCRATCH ? method->scratch : LIQUID_LOOK_SCRATCH;
    if (l->is_lean) n_scratch = LIQUID_LEAN_SCRATCH;
    if (method->needs_grid) l->grid = place(&at, 1, sizeof(PressureGrid));
    // The grid is never needed at the same time as what the parts keep, of particles and of pairs: they share memory.
    Places grid_at = at;
    for (int s = 0; s < n_scratch; ++s) {
        l->scratch[s] = place(&at, n, sizeof(float));
        if (s + 1 == method->beside_grid[def->dimensions - 2]) grid_at = at;
    }
    size_t pairs = (size_t)def->max_particles * (size_t)room;
    l->pair_scratch = place(&at, pairs + LIQUID_PAD, sizeof(float));
    if (method->needs_grid) {
        PressureGrid none;
        tarn__pressure_grid_lay_out(l->grid != NULL ? l->grid : &none, &grid_at.layout, base,
                                    def->dimensions, def->max_particles);
    }
    if (grid_at.layout.size > at.layout.size) at = grid_at;
    d->block_lost = place(&at, blocks, sizeof(int));
    d->block_clamped = place(&at, blocks, 1);
    d->sources = place(&at, (size_t)def->max_sources, sizeof(LiquidSource));
    d->regions = place(&at, (size_t)def->max_regions, sizeof(LiquidRegion));
    tarn__handles_place(&d->source_ids, &at.layout, base, def->max_sources);
    tarn__handles_place(&d->region_ids, &at.layout, base, def->max_regions);
    d->events = place(&at, (size_t)def->max_events, sizeof(TarnLiquidEvent));
    return at.layout.size;
}

size_t tarn_liquid_memory(const TarnLiquidDef* def)
{
    if (tarn__liquid_check_def(NULL, def) != TARN_OK) return 0;
    TarnLiquid l = { 0 };
    LiquidDriver d = { 0 };
    size_t size = lay_out(def, NULL, &l, &d);
    if (def->max_splashes == 0) return size;
    TarnParticlesDef splashes = splash_def(def);
    return size + tarn_particles_memory(&splashes);
}

static TarnResult add_splashes(TarnLiquid* l)
{
    TarnParticlesDef def = splash_def(&l->def);
    return tarn_particles_create(l->ctx, &def, &l->driver->splashes);
}

TarnResult tarn_liquid_create(TarnContext* ctx, const TarnLiquidDef* def, TarnLiquid** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_liquid_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__liquid_check_def(ctx, def));
    TarnLiquid head = { .ctx = ctx, .def = *def, .method = method_of(def->method) };
    LiquidDriver driver = { 0 };
    const float end = liquid_max_place - 1.0f;
    bool is_unbounded = def->walls == TARN_LIQUID_UNBOUNDED;
    driver.domain_min = is_unbounded ? (TarnVec3){ -end, -end, -end } : def->box_min;
    driver.domain_max = is_unbounded ? (TarnVec3){ end, end, end } : def->box_max;
    tarn__handles_begin(&driver.source_ids, "liquid_source", "liquid", "tarn_liquid_add_source");
    tarn__handles_begin(&driver.region_ids, "region", "liquid", "tarn_liquid_add_region");
    head.memory = lay_out(def, NULL, &head, &driver);
    char* base = tarn__alloc(ctx, head.memory);
    if (base == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "liquid: out of memory for %d particles (%zu bytes)", def->max_particles,
                          head.memory);
    }
    lay_out(def, base, &head, &driver);
    TarnLiquid* l = (TarnLiquid*)(void*)base;
    *l = head;
    *l->driver = driver;
    l->support = liquid_support * def->spacing;
    l->params = tarn_liquid_default_params();
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) l->kinds[k] = tarn_liquid_kind_default_def();
    tarn__liquid_set_masses(l);
    tarn_liquid_reset(l);
    if (def->max_splashes > 0) {
        TarnResult result = add_splashes(l);
        if (result != TARN_OK) {
            tarn_liquid_destroy(l);
            return result;
        }
    }
    *out = l;
    return TARN_OK;
}

void tarn_liquid_destroy(TarnLiquid* l)
{
    if (l == NULL) return;
    tarn_particles_destroy(l->driver->splashes);
    tarn__free(l->ctx, l, l->memory);
}

void tarn_liquid_reset(TarnLiquid* l)
{
    if (l == NULL) return;
    LiquidDriver* d = l->driver;
    l->n = 0;
    l->time = 0.0;
    l->next_id = 1;
    l->iterations = 0;
    l->flags_of_step = 0;
    l->n_contacts_lost = 0;
    d->n_events = d->n_events_lost = 0;
    d->steps = 0;
    d->is_warm = false;
    d->ledger = (TarnLiquidLedger){ 0 };
    for (int s = 0; s < l->def.max_sources; ++s) {
        LiquidSource* source = &d->sources[s];
        source->way = source->carry = 0.0;
        source->layers = source->emitted = source->given = 0;
    }
    for (int r = 0; r < l->def.max_regions; ++r) d->regions[r].count = 0;
    if (d->splashes) tarn_particles_reset(d->splashes);
    l->neighbors.overflowed = 0;
    l->neighbors.mean = 0.0;
    tarn__liquid_sort(l);
}

// ---- Settings ----------------------------------------------------------------------------------

TarnResult tarn_liquid_set_params(TarnLiquid* l, const TarnLiquidParams* params)
{
    if (l == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(l->ctx, &params_table, params));
    l->params = *params;
    return TARN_OK;
}
TarnLiquidParams tarn_liquid_params(const TarnLiquid* l)
{
    return l->params;
}

static TarnResult check_kind(const TarnLiquid* l, int kind)
{
    if (kind >= 0 && kind < TARN_LIQUID_KINDS) return TARN_OK;
    return tarn__fail(l->ctx, TARN_ERR_ARG, "liquid: kind %d is out of range; allowed: 0 to %d",
                      kind, TARN_LIQUID_KINDS - 1);
}

TarnResult tarn_liquid_set_kind(TarnLiquid* l, int kind, const TarnLiquidKindDef* def)
{
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_kind(l, kind));
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "liquid_kind", "tarn/liquid.h", TarnLiquidKindDef,
                            tarn_liquid_kind_default_def, def));
    TARN_TRY(tarn_param_validate(l->ctx, &kind_table, def));
    if (!(def->freezing_point < def->boiling_point)) {
        return tarn__fail(
            l->ctx, TARN_ERR_ARG,
            "liquid_kind.freezing_point: %g K is not below the boiling point, %g K; lower it",
            (double)def->freezing_point, (double)def->boiling_point);
    }
    l->kinds[kind] = *def;
    tarn__liquid_set_masses(l);
    tarn__liquid_ghosts(l);
    return TARN_OK;
}
TarnResult tarn_liquid_get_kind(const TarnLiquid* l, int kind, TarnLiquidKindDef* out)
{
    if (l == NULL || out == NULL) return TARN_ERR_ARG;
    *out = (TarnLiquidKindDef){ 0 };
    TARN_TRY(check_kind(l, kind));
    *out = l->kinds[kind];
    return TARN_OK;
}

void tarn__liquid_set_masses(TarnLiquid* l)
{
    double s = l->def.spacing;
    double volume = l->def.dimensions == 2 ? s * s * (double)l->def.thickness : s * s * s;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k)
        l->mass[k] = (float)((double)l->kinds[k].density * volume);
}

TarnResult tarn_liquid_set_solids(TarnLiquid* l, TarnSolids* solids)
{
    if (l == NULL) return TARN_ERR_ARG;
    l->solids = solids;
    if (l->driver->splashes) TARN_TRY(tarn_particles_set_solids(l->driver->splashes, solids));
    return TARN_OK;
}

float tarn_liquid_particle_mass(const TarnLiquid* l, int kind)
{
    return kind >= 0 && kind < TARN_LIQUID_KINDS ? l->mass[kind] : 0.0f;
}
const TarnLiquidDef* tarn_liquid_def(const TarnLiquid* l)
{
    return &l->def;
}
double tarn_liquid_time(const TarnLiquid* l)
{
    return l->time;
}
const TarnParticles* tarn_liquid_splashes(const TarnLiquid* l)
{
    return l->driver->splashes;
}

TarnLiquidView tarn_liquid_view(const TarnLiquid* l)
{
    const LiquidDriver* d = l->driver;
    return (TarnLiquidView){ .n = l->n,
                             .x = l->x,
                             .y = l->y,
                             .z = l->z,
                             .vx = l->vx,
                             .vy = l->vy,
                             .vz = l->vz,
                             .density = l->density,
                             .pressure = l->pressure,
                             .temperature = l->temperature,
                             .id = l->id,
                             .user = l->user,
                             .kind = l->kind,
                             .group = l->group,
                             .flags = l->flags,
                             .size = d->size,
                             .along_x = d->along_x,
                             .along_y = d->along_y,
                             .along_z = d->along_z,
                             .stretch = d->stretch };
}

// ---- Order -------------------------------------------------------------------------------------

int tarn__liquid_arrays(const TarnLiquid* l, NeighborArray out[LIQUID_MAX_ARRAYS])
{
    const LiquidDriver* d = l->driver;
    bool is_3d = l->def.dimensions == 3;
    void* const fours[] = { l->x,        l->y,        is_3d ? l->z : NULL,
                            l->vx,       l->vy,       is_3d ? l->vz : NULL,
                            l->density,  l->pressure, l->temperature,
                            l->memory_a, l->memory_b, l->id,
                            l->user,     l->inside,   d->size,
                            d->along_x,  d->along_y,  is_3d ? d->along_z : NULL,
                            d->stretch };
    void* const ones[] = { l->kind, l->group, l->flags };
    int n = 0;
    for (size_t a = 0; a < sizeof fours / sizeof fours[0]; ++a) {
        if (fours[a]) out[n++] = (NeighborArray){ fours[a], 4 };
    }
    for (size_t a = 0; a < sizeof ones / sizeof ones[0]; ++a)
        out[n++] = (NeighborArray){ ones[a], 1 };
    return n;
}

// The density is that of water at rest: nobody divides by zero.
void tarn__liquid_ghosts(TarnLiquid* l)
{
    LiquidDriver* d = l->driver;
    for (int g = l->n; g < l->n + LIQUID_PAD; ++g) {
        l->x[g] = l->y[g] = liquid_ghost_at;
        l->z[g] = l->def.dimensions == 3 ? liquid_ghost_at : 0.0f;
        l->vx[g] = l->vy[g] = l->vz[g] = 0.0f;
        l->density[g] = l->kinds[0].density;
        l->pressure[g] = l->temperature[g] = l->memory_a[g] = l->memory_b[g] = 0.0f;
        l->id[g] = l->user[g] = l->inside[g] = 0;
        l->kind[g] = l->group[g] = l->flags[g] = 0;
        l->contact_begin[g] = 0;
        l->contact_count[g] = 0;
        if (d->size) {
            d->size[g] = d->along_x[g] = d->along_y[g] = d->along_z[g] = 0.0f;
            d->stretch[g] = 1.0f;
        }
    }
}

// Does each particle have the same in it? Then its order does not matter.
static bool is_even(const TarnLiquid* l, const void* array)
{
    if (array == l->z && l->is_lean) return true; // which is memory_b
    if (array == l->memory_a || array == l->memory_b) return l->method->forgets;
    if (array == l->temperature) return !l->driver->is_warm;
    return array == l->inside && l->def.max_regions == 0;
}

// The lists have room for all or, if they are packed, most of the arrays: 16 ints per particle.
void tarn__liquid_sort(TarnLiquid* l)
{
    LiquidDriver* d = l->driver;
    Neighbors* nb = &l->neighbors;
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = 0, all = tarn__liquid_arrays(l, arrays);
    for (int a = 0; a < all; ++a)
        if (!is_even(l, arrays[a].data)) arrays[n_arrays++] = arrays[a];
    tarn__neighbors_sort(l->ctx, nb, l->n, l->x, l->y, l->def.dimensions == 3 ? l->z : NULL);
    size_t room = (size_t)nb->max_particles * (size_t)nb->room * sizeof(int);
    tarn__neighbors_permute(l->ctx, nb, arrays, n_arrays, nb->list, room);
    d->n_sorted = l->n;
    d->is_indexed = false;
    tarn__liquid_ghosts(l);
}
