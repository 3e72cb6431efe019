// tarn describe SCENE: what is in it and what it costs, without running it.

#include "describe.h"
#include "json_text.h"
#include "stage.h"

static const char* const shape_names[] = { "sphere", "box", "capsule", "hull", "span" };

// Everything that is printed, whichever way.
typedef struct Facts {
    TarnWorld* world;
    const TarnScene* scene;
    const char* path;
    size_t memory; // bytes
} Facts;

static const char* enum_name(const TarnParamTable* table, const char* field, int value)
{
    const TarnParam* param = tarn_param_find(table, field);
    return param != NULL && value >= 0 && value <= (int)param->max ? param->names[value] : "?";
}

// ---- Text --------------------------------------------------------------------------------------

// The grid of a water, whichever it is.
typedef struct Grid {
    const char* section;
    const TarnParamTable* table; // knows the names of the edges
    int nx, nz;
    float dx;
    int edges[4];
} Grid;

static int find_grids(TarnWorld* world, Grid out[3])
{
    int n = 0;
    const TarnWave* wave = tarn_world_wave(world);
    const TarnShallow* shallow = tarn_world_shallow(world);
    const TarnPipes* pipes = tarn_world_pipes(world);
    if (wave != NULL) {
        const TarnWaveDef* d = tarn_wave_def(wave);
        out[n++] = (Grid){ "wave", tarn_wave_def_table(),
                           d->nx,  d->nz,
                           d->dx,  { d->edge_x0, d->edge_x1, d->edge_z0, d->edge_z1 } };
    }
    if (shallow != NULL) {
        const TarnShallowDef* d = tarn_shallow_def(shallow);
        out[n++] = (Grid){ "shallow", tarn_shallow_def_table(),
                           d->nx,     d->nz,
                           d->dx,     { d->edge_x0, d->edge_x1, d->edge_z0, d->edge_z1 } };
    }
    if (pipes != NULL) {
        const TarnPipesDef* d = tarn_pipes_def(pipes);
        out[n++] = (Grid){ "pipes", tarn_pipes_def_table(),
                           d->nx,   d->nz,
                           d->dx,   { d->edge_x0, d->edge_x1, d->edge_z0, d->edge_z1 } };
    }
    return n;
}

static const char* edge_name(const Grid* grid, int e)
{
    return enum_name(grid->table, "edge_x0", grid->edges[e]);
}

static void print_grid(const Grid* grid)
{
    printf("water     %d x %d cells of %g m: %g m x %g m\n", grid->nx, grid->nz, grid->dx,
           (double)grid->dx * grid->nx, (double)grid->dx * grid->nz);
    printf("edges     x: %s, %s; z: %s, %s\n", edge_name(grid, 0), edge_name(grid, 1),
           edge_name(grid, 2), edge_name(grid, 3));
}

static void print_shallow(const TarnShallow* water)
{
    printf("volume    %.6g m^3 at the start\n", tarn_shallow_ledger(water).volume);
    printf("spans     %d\ngates     %d\n", tarn_shallow_span_count(water),
           tarn_shallow_gate_count(water));
}

static void print_fluids(TarnWorld* world)
{
    const TarnLiquid* liquid = tarn_world_liquid(world);
    const TarnParticles* particles = tarn_world_particles(world);
    if (liquid != NULL) {
        const TarnLiquidDef* d = tarn_liquid_def(liquid);
        TarnVec3 lo = d->box_min, hi = d->box_max;
        printf("liquid    %d-D, %s, %d particles of at most %d, spacing %g m\n", d->dimensions,
               enum_name(tarn_liquid_def_table(), "method", d->method), tarn_liquid_view(liquid).n,
               d->max_particles, (double)d->spacing);
        printf("box       %s, %g m x %g m", enum_name(tarn_liquid_def_table(), "walls", d->walls),
               (double)hi.x - lo.x, (double)hi.y - lo.y);
        if (d->dimensions == 3) printf(" x %g m", (double)hi.z - lo.z);
        fputc('\n', stdout);
    }
    if (particles != NULL) printf("particles %d\n", tarn_particles_view(particles).n);
    if (tarn_world_solids(world) != NULL)
        printf("solids    %d, those of bodies with them\n",
               tarn_solids_count(tarn_world_solids(world)));
    if (tarn_world_fire_count(world) > 0) printf("fires     %d\n", tarn_world_fire_count(world));
}

static void print_gases(TarnWorld* world)
{
    for (int i = 0; i < tarn_world_gas_count(world); ++i) {
        const TarnGasDef* d = tarn_gas_def(tarn_world_gas(world, i));
        double dx = (double)d->dx;
        printf("gas       %d x %d x %d cells of %g m: %g m x %g m x %g m, %s%s%s%s\n", d->nx, d->ny,
               d->nz, dx, dx * d->nx, dx * d->ny, dx * d->nz,
               enum_name(tarn_gas_def_table(), "pressure", d->pressure),
               d->use_density ? ", density" : "", d->use_temperature ? ", temperature" : "",
               d->use_fuel ? ", fuel" : "");
    }
}

static void print_bodies(const TarnBodies* bodies)
{
    int n = tarn_bodies_count(bodies);
    printf("bodies    %d\n", n);
    if (n > 0)
        printf("  %4s  %-8s %12s %12s   %s\n", "", "shape", "mass [kg]", "volume [m^3]", "at [m]");
    for (int b = 0; b < n; ++b) {
        TarnBodyId id = tarn_bodies_at(bodies, b);
        TarnBodyState state = { 0 };
        float mass = 0.0f, volume = 0.0f;
        tarn_bodies_get_state(bodies, id, &state);
        tarn_bodies_get_mass(bodies, id, &mass, &volume);
        printf("  %4d  %-8s %12.5g %12.5g   %.4g, %.4g, %.4g\n", b,
               shape_names[tarn_bodies_shape(bodies, id)->kind], mass, volume, state.position.x,
               state.position.y, state.position.z);
    }
}

static void print_emitters(const TarnWorld* world)
{
    int n = tarn_world_emitter_count(world);
    printf("emitters  %d\n", n);
    for (int i = 0; i < n; ++i) {
        TarnEmitterDef emitter;
        const TarnEmitterDef* def = &emitter;
        if (tarn_world_get_emitter(world, tarn_world_emitter_at(world, i), &emitter) != TARN_OK)
            continue;
        printf("  %4d  %-8s ", i, enum_name(tarn_emitter_def_table(), "kind", def->kind));
        if (def->kind == TARN_EMITTER_DROP)
            printf("at %g s\n", def->start);
        else if (def->stop >= 1e9f)
            printf("from %g s on\n", def->start);
        else
            printf("from %g s to %g s\n", def->start, def->stop);
    }
}

static void print_text(const Facts* facts)
{
    TarnSceneRun run = tarn_scene_run(facts->scene);
    char name[256];
    printf("%s: %s\n", scene_short_name(facts->path, name, sizeof name),
           tarn_scene_title(facts->scene));
    if (tarn_scene_about(facts->scene)[0] != '\0') printf("%s\n", tarn_scene_about(facts->scene));
    printf("\nfile      %s\n", facts->path);
    printf("run       %g s in steps of %.6g s\n", run.seconds, run.dt);
    printf("memory    %.2f MB\n", (double)facts->memory / 1e6);
    Grid grids[3];
    int n = find_grids(facts->world, grids);
    for (int g = 0; g < n; ++g) print_grid(&grids[g]);
    const TarnShallow* shallow = tarn_world_shallow(facts->world);
    if (shallow != NULL) print_shallow(shallow);
    print_fluids(facts->world);
    print_gases(facts->world);
    print_bodies(tarn_world_bodies(facts->world));
    print_emitters(facts->world);
}

// ---- JSON --------------------------------------------------------------------------------------

static void print_grid_json(const Grid* grid)
{
    printf("  \"%s\": {\"nx\": %d, \"nz\": %d, \"dx\": ", grid->section, grid->nx, grid->nz);
    json_number(stdout, grid->dx);
    fputs(", \"edges\": [", stdout);
    for (int e = 0; e < 4; ++e) {
        if (e > 0) fputs(", ", stdout);
        json_string(stdout, edge_name(grid, e));
    }
    fputs("]},\n", stdout);
}

static void print_fluids_json(TarnWorld* world)
{
    const TarnLiquid* liquid = tarn_world_liquid(world);
    if (liquid != NULL) {
        const TarnLiquidDef* d = tarn_liquid_def(liquid);
        printf("  \"liquid\": {\"dimensions\": %d, \"method\": \"%s\", \"particles\": %d, "
               "\"spacing\": %.9g},\n",
               d->dimensions, enum_name(tarn_liquid_def_table(), "method", d->method),
               tarn_liquid_view(liquid).n, (double)d->spacing);
    }
    if (tarn_world_solids(world) != NULL)
        printf("  \"solids\": %d,\n", tarn_solids_count(tarn_world_solids(world)));
}

static void print_gases_json(TarnWorld* world)
{
    int n = tarn_world_gas_count(world);
    for (int i = 0; i < n; ++i) {
        const TarnGasDef* d = tarn_gas_def(tarn_world_gas(world, i));
        printf("%s{\"nx\": %d, \"ny\": %d, \"nz\": %d, \"dx\": %.9g, \"pressure\": \"%s\"}%s",
               i == 0 ? "  \"gases\": [" : ", ", d->nx, d->ny, d->nz, (double)d->dx,
               enum_name(tarn_gas_def_table(), "pressure", d->pressure), i + 1 == n ? "],\n" : "");
    }
}

static void print_bodies_json(const TarnBodies* bodies)
{
    int n = tarn_bodies_count(bodies);
    fputs("  \"bodies\": [", stdout);
    for (int b = 0; b < n; ++b) {
        TarnBodyId id = tarn_bodies_at(bodies, b);
        TarnBodyState state = { 0 };
        float mass = 0.0f, volume = 0.0f;
        tarn_bodies_get_state(bodies, id, &state);
        tarn_bodies_get_mass(bodies, id, &mass, &volume);
        printf("%s\n    {\"shape\": \"%s\", \"mass\": %.9g, \"volume\": %.9g, \"position\": [%.9g, "
               "%.9g, %.9g]}",
               b > 0 ? "," : "", shape_names[tarn_bodies_shape(bodies, id)->kind], mass, volume,
               state.position.x, state.position.y, state.position.z);
    }
    fputs(n > 0 ? "\n  ],\n" : "],\n", stdout);
}

static void print_emitters_json(const TarnWorld* world)
{
    int n = tarn_world_emitter_count(world);
    fputs("  \"emitters\": [", stdout);
    for (int i = 0; i < n; ++i) {
        TarnEmitterDef emitter;
        const TarnEmitterDef* def = &emitter;
        if (tarn_world_get_emitter(world, tarn_world_emitter_at(world, i), &emitter) != TARN_OK)
            continue;
        printf("%s\n    {\"kind\": \"%s\", \"start\": %.9g, \"stop\": %.9g}", i > 0 ? "," : "",
               enum_name(tarn_emitter_def_table(), "kind", def->kind), def->start, def->stop);
    }
    fputs(n > 0 ? "\n  ]\n" : "]\n", stdout);
}

static void print_json(const Facts* facts)
{
    TarnSceneRun run = tarn_scene_run(facts->scene);
    fputs("{\n  \"title\": ", stdout);
    json_string(stdout, tarn_scene_title(facts->scene));
    fputs(",\n  \"about\": ", stdout);
    json_string(stdout, tarn_scene_about(facts->scene));
    fputs(",\n  \"path\": ", stdout);
    json_string(stdout, facts->path);
    printf(",\n  \"seconds\": %.9g,\n  \"dt\": %.9g,\n  \"memory\": %zu,\n", run.seconds, run.dt,
           facts->memory);
    Grid grids[3];
    int n = find_grids(facts->world, grids);
    for (int g = 0; g < n; ++g) print_grid_json(&grids[g]);
    print_fluids_json(facts->world);
    print_gases_json(facts->world);
    print_bodies_json(tarn_world_bodies(facts->world));
    print_emitters_json(facts->world);
    fputs("}\n", stdout);
}

int describe_scene(const char* argument, DescribeStyle style)
{
    size_t memory = 0;
    Stage stage;
    StageDef def = { .scene = argument, .threads = 1, .memory = &memory };
    int code = stage_open(&stage, &def);
    if (code != EXIT_OK) return code;
    Facts facts = { tarn_scene_world(stage.scene), stage.scene, stage.path, memory };
    (style == STYLE_JSON ? print_json : print_text)(&facts);
    stage_close(&stage);
    return EXIT_OK;
}
