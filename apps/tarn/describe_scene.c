// tarn describe SCENE: its content and memory, without running it.

#include "describe.h"
#include "json_text.h"
#include "loaded_scene.h"
#include <stddef.h>
#include <string.h>

// Everything that is printed, in any style.
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

// A value of a struct, in the unit of its table.
static void read_value(const TarnParam* param, const void* object, double out[3])
{
    const void* field = (const char*)object + param->offset;
    double scale = param->scale != 0.0 ? param->scale : 1.0;
    const float* f = field;
    out[0] = out[1] = out[2] = 0.0;
    switch (param->type) {
    case TARN_PARAM_INT:
    case TARN_PARAM_ENUM:
        out[0] = *(const int*)field / scale;
        break;
    case TARN_PARAM_BOOL:
        out[0] = *(const bool*)field ? 1.0 : 0.0;
        break;
    case TARN_PARAM_VEC3:
        out[2] = (double)f[2] / scale; // and the others
        /* fall through */
    case TARN_PARAM_VEC2:
        out[1] = (double)f[1] / scale;
        /* fall through */
    case TARN_PARAM_FLOAT:
        out[0] = (double)f[0] / scale;
        break;
    }
}

static void value_text(const TarnParam* param, const void* object, char* text, size_t size)
{
    double value[3];
    read_value(param, object, value);
    tarn_param_format(param, value, text, size);
}

// Values that are not the defaults: "nx 48, dx 0.1 m". Returns how many were printed, n before them.
static int print_changes(const TarnParamTable* table, const void* object, const void* defaults,
                         int n)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* param = &table->params[i];
        char is[64], was[64];
        value_text(param, object, is, sizeof is);
        value_text(param, defaults, was, sizeof was);
        if (strcmp(is, was) == 0) continue;
        printf("%s%s %s%s%s", n > 0 ? ", " : "        set       ", param->name, is,
               param->unit[0] != '\0' ? " " : "", param->unit);
        ++n;
    }
    return n;
}

// Room for any def or params.
typedef union Blob {
    char bytes[4096];
    max_align_t align;
} Blob;

// The def as created and, where a solver has them, its params and their defaults.
typedef struct Settings {
    const void* def;
    Blob def_defaults, params, params_defaults;
} Settings;

static bool read_settings(const TarnSolverClass* of, const void* solver, Settings* out)
{
    *out = (Settings){ .def = of->def(solver) };
    if (of->def_table()->struct_size > sizeof(Blob)) return false;
    of->init_def(&out->def_defaults);
    if (of->params_table == NULL) return true;
    if (of->params_table()->struct_size > sizeof(Blob)) return false;
    of->get_params(solver, &out->params);
    tarn_param_defaults(of->params_table(), &out->params_defaults);
    return true;
}

static void print_solver(const TarnWorld* world, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    Settings s;
    printf("  %-14s  %-10s %8.2f MB\n", tarn_world_name_of(world, solver), of->name,
           (double)of->memory(of->def(solver)) / 1e6);
    if (read_settings(of, solver, &s)) {
        int n = print_changes(of->def_table(), s.def, &s.def_defaults, 0);
        if (of->params_table != NULL)
            n = print_changes(of->params_table(), &s.params, &s.params_defaults, n);
        if (n > 0) fputc('\n', stdout);
    }
    for (int i = 0; i < of->n_stats; ++i)
        printf("%s%s %.4g%s%s", i > 0 ? ", " : "        initially ", of->stats[i].name,
               of->stats[i].value(solver), of->stats[i].unit[0] != '\0' ? " " : "",
               of->stats[i].unit);
    if (of->n_stats > 0) fputc('\n', stdout);
}

static void print_solvers(const TarnWorld* world)
{
    const void* solver;
    printf("solvers   %d\n", tarn_world_count(world, NULL));
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        print_solver(world, solver);
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
               tarn_shape_name(tarn_bodies_shape(bodies, id)->kind), mass, volume, state.position.x,
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
    print_solvers(facts->world);
    printf("solids    %d, including those of bodies\n",
           tarn_solids_count(tarn_world_solids(facts->world)));
    print_bodies(tarn_world_bodies(facts->world));
    print_emitters(facts->world);
}

// ---- JSON --------------------------------------------------------------------------------------

static void print_values_json(const TarnParamTable* table, const void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* param = &table->params[i];
        char text[64];
        bool is_word = param->type == TARN_PARAM_ENUM;
        value_text(param, object, text, sizeof text);
        printf("%s\"%s\": %s%s%s", i > 0 ? ", " : "", param->name, is_word ? "\"" : "", text,
               is_word ? "\"" : "");
    }
}

static void print_solver_json(const TarnWorld* world, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    Settings s;
    printf("    {\"name\": \"%s\", \"kind\": \"%s\", \"memory\": %zu,\n     \"def\": {",
           tarn_world_name_of(world, solver), of->name, of->memory(of->def(solver)));
    bool is_readable = read_settings(of, solver, &s);
    if (is_readable) print_values_json(of->def_table(), s.def);
    fputs("},\n     \"params\": {", stdout);
    if (is_readable && of->params_table != NULL) print_values_json(of->params_table(), &s.params);
    fputs("},\n     \"stats\": {", stdout);
    for (int i = 0; i < of->n_stats; ++i) {
        printf("%s\"%s\": ", i > 0 ? ", " : "", of->stats[i].name);
        json_number(stdout, of->stats[i].value(solver));
    }
    fputs("}}", stdout);
}

static void print_solvers_json(const TarnWorld* world)
{
    const void* solver;
    fputs("  \"solvers\": [", stdout);
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n) {
        fputs(n > 0 ? ",\n" : "\n", stdout);
        print_solver_json(world, solver);
    }
    fputs("],\n", stdout);
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
               b > 0 ? "," : "", tarn_shape_name(tarn_bodies_shape(bodies, id)->kind), mass, volume,
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
    print_solvers_json(facts->world);
    printf("  \"solids\": %d,\n", tarn_solids_count(tarn_world_solids(facts->world)));
    print_bodies_json(tarn_world_bodies(facts->world));
    print_emitters_json(facts->world);
    fputs("}\n", stdout);
}

int describe_scene(const char* argument, DescribeStyle style)
{
    size_t memory = 0;
    LoadedScene loaded;
    SceneLoadDef def = { .scene = argument, .threads = 1, .memory = &memory };
    int code = scene_load(&loaded, &def);
    if (code != EXIT_OK) return code;
    Facts facts = { tarn_scene_world(loaded.scene), loaded.scene, loaded.path, memory };
    (style == STYLE_JSON ? print_json : print_text)(&facts);
    scene_unload(&loaded);
    return EXIT_OK;
}
