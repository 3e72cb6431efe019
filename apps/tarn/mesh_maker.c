// Meshes of worlds: particle surfaces for liquids, height meshes for water.

#include "mesh_maker.h"
#include "message.h"
#include "surface_options.h"
#include "tarn/liquid.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/wave.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Buffers -------------------------------------------------------------------------------------

void mesh_free(TarnMesh* mesh)
{
    free(mesh->position);
    free(mesh->normal);
    free(mesh->velocity);
    free(mesh->attribute);
    free(mesh->index);
    mesh->position = mesh->normal = mesh->velocity = NULL;
    mesh->attribute = NULL;
    mesh->index = NULL;
}

bool mesh_reserve(TarnMesh* mesh, int max_vertices, int max_triangles)
{
    mesh_free(mesh);
    size_t v = (size_t)max_vertices + 1, t = (size_t)max_triangles + 1;
    mesh->position = malloc(v * sizeof *mesh->position);
    mesh->normal = malloc(v * sizeof *mesh->normal);
    mesh->velocity = malloc(v * sizeof *mesh->velocity);
    mesh->attribute = malloc(v * (size_t)(mesh->n_attributes + 1) * sizeof *mesh->attribute);
    mesh->index = malloc(3 * t * sizeof *mesh->index);
    mesh->max_vertices = max_vertices;
    mesh->max_triangles = max_triangles;
    if (mesh->position && mesh->normal && mesh->velocity && mesh->attribute && mesh->index)
        return true;
    say("not enough memory for a mesh of %d vertices and %d triangles", max_vertices,
        max_triangles);
    return false;
}

// Makes room for the size that a run has asked for, plus a quarter for the frames that follow.
static bool grow(MeshMaker* maker)
{
    int64_t vertices = (int64_t)maker->mesh.n_vertices * 5 / 4;
    int64_t triangles = (int64_t)maker->mesh.n_triangles * 5 / 4;
    int most = INT32_MAX / 4;
    return mesh_reserve(&maker->mesh, vertices < most ? (int)vertices : most,
                        triangles < most ? (int)triangles : most);
}

static bool fail(const MeshMaker* maker)
{
    say("cannot make the mesh: %s", tarn_last_error(maker->ctx));
    return false;
}

// ---- Liquids -------------------------------------------------------------------------------------

static int create_surface(MeshMaker* maker)
{
    TarnParticleSurfaceParams params = tarn_particle_surface_default_params();
    if (maker->def.method >= 0) params.method = maker->def.method;
    int code = surface_set_params(maker->ctx, maker->def.surface, &params);
    if (code != EXIT_OK) return code;
    tarn_particle_surface_destroy(maker->surface);
    TarnResult result =
        tarn_particle_surface_create(maker->ctx, &maker->surface_def, &maker->surface);
    if (result == TARN_OK) result = tarn_particle_surface_set_params(maker->surface, &params);
    if (result == TARN_OK) return EXIT_OK;
    say("%s", tarn_last_error(maker->ctx));
    return result == TARN_ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
}

static int open_liquid(MeshMaker* maker, const TarnLiquid* liquid)
{
    const TarnLiquidDef* def = tarn_liquid_def(liquid);
    if (def->dimensions != 3) {
        say("the liquid of this scene is 2-D and has no surface to mesh; use a scene with "
            "liquid.dimensions 3, such as dam_break_3d");
        return EXIT_FAILED;
    }
    maker->surface_def = tarn_particle_surface_default_def();
    maker->surface_def.max_particles = def->max_particles;
    maker->surface_def.spacing = def->spacing;
    maker->surface_def.use_velocity = true;
    const TarnParam* cell = tarn_param_find(tarn_particle_surface_def_table(), "cell");
    double spacings = maker->def.cell / (double)def->spacing;
    if (maker->def.cell > 0.0 && (spacings < cell->min || spacings > cell->max)) {
        say("--cell: %g m is out of range; allowed: %g to %g m (%g to %g particle spacings)",
            maker->def.cell, cell->min * (double)def->spacing, cell->max * (double)def->spacing,
            cell->min, cell->max);
        return EXIT_USAGE;
    }
    if (maker->def.cell > 0.0) maker->surface_def.cell = (float)spacings;
    return create_surface(maker);
}

static bool run_liquid(MeshMaker* maker)
{
    TarnLiquidView view = tarn_liquid_view(maker->solver);
    TarnPoints points = tarn_liquid_points(&view);
    int needed = 0;
    TarnResult result = tarn_particle_surface_update(maker->surface, &points, &needed);
    if (result == TARN_ERR_CAPACITY && needed > 0) { // the liquid has spread out
        maker->surface_def.max_blocks = needed + needed / 4;
        if (create_surface(maker) != EXIT_OK) return false;
        result = tarn_particle_surface_update(maker->surface, &points, &needed);
    }
    if (result != TARN_OK) return fail(maker);
    result = tarn_particle_surface_mesh(maker->surface, &maker->mesh);
    if (result == TARN_ERR_CAPACITY) {
        if (!grow(maker)) return false;
        result = tarn_particle_surface_mesh(maker->surface, &maker->mesh);
    }
    return result == TARN_OK || fail(maker);
}

// ---- Water ---------------------------------------------------------------------------------------

// Of a solver that the height mesh does not know: its surface and the rectangle of its basin.
static TarnHeightMeshSource basin_source(const TarnSolverClass* of, const void* solver)
{
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    TarnBasin basin = { 0 };
    source.surface = of->surface(solver);
    if (of->basin != NULL) of->basin(solver, &basin);
    source.min = basin.min;
    source.max = basin.max;
    tarn_surface_area(source.surface, &source.min, &source.max);
    source.level = basin.rest_level;
    float side = fmaxf(source.max.x - source.min.x, source.max.y - source.min.y);
    source.cell = basin.dx > 0.0f ? basin.dx : side / 64.0f;
    source.anchor =
        (TarnVec2){ source.min.x + 0.5f * source.cell, source.min.y + 0.5f * source.cell };
    return source;
}

static TarnHeightMeshSource water_source(const MeshMaker* maker, const TarnWorld* world)
{
    const TarnSolverClass* of = tarn_world_class_of(world, maker->solver);
    TarnHeightMeshSource source;
    if (of == tarn_wave_class())
        source = tarn_height_mesh_source_of_wave(maker->solver);
    else if (of == tarn_shallow_class())
        source = tarn_height_mesh_source_of_shallow(maker->solver);
    else if (of == tarn_pipes_class())
        source = tarn_height_mesh_source_of_pipes(maker->solver);
    else
        source = basin_source(of, maker->solver);
    // One ring over all of it, however far the camera is.
    source.camera = (TarnVec3){ 0.5f * (source.min.x + source.max.x), source.level,
                                0.5f * (source.min.y + source.max.y) };
    source.altitude_weight = 0.0f;
    if (maker->def.cell > 0.0) source.cell = (float)maker->def.cell;
    return source;
}

// Cells along the longer side of the water, and a few more because rings stand at whole cells.
static int cells_across(const TarnHeightMeshSource* source)
{
    double x = (double)source->max.x - source->min.x, z = (double)source->max.y - source->min.y;
    double cells = ceil((x > z ? x : z) / source->cell) + 8.0;
    return cells < 1e6 ? ((int)cells + 3) / 4 * 4 : 1000000;
}

static int open_water(MeshMaker* maker, const TarnWorld* world)
{
    TarnHeightMeshSource source = water_source(maker, world);
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    int most = (int)tarn_param_find(tarn_height_mesh_def_table(), "cells")->max;
    int wanted = cells_across(&source);
    while (cells_across(&source) > most) {
        source.cell *= 2.0f;
        maker->def.cell = source.cell;
    }
    if (cells_across(&source) != wanted)
        say("the mesh uses cells of %g m; finer cells would exceed %d along one side",
            (double)source.cell, most);
    def.cells = cells_across(&source) > 16 ? cells_across(&source) : 16;
    def.levels = 1;
    if (tarn_height_mesh_create(maker->ctx, &def, &maker->heights) == TARN_OK) return EXIT_OK;
    say("%s", tarn_last_error(maker->ctx));
    return EXIT_FAILED;
}

static bool run_water(MeshMaker* maker, const TarnWorld* world)
{
    TarnHeightMeshSource source = water_source(maker, world);
    TarnResult result = tarn_height_mesh_run(maker->heights, &source, &maker->mesh);
    if (result == TARN_ERR_CAPACITY) {
        if (!grow(maker)) return false;
        result = tarn_height_mesh_run(maker->heights, &source, &maker->mesh);
    }
    return result == TARN_OK || fail(maker);
}

// ---- Either --------------------------------------------------------------------------------------

static bool has_surface(const TarnWorld* world, const void* solver)
{
    return tarn_world_class_of(world, solver)->surface != NULL;
}

static bool is_liquid(const TarnWorld* world, const void* solver)
{
    return tarn_world_class_of(world, solver) == tarn_liquid_class();
}

// The solver of this name, else the first with a surface, else the first liquid. Returns NULL after reporting an error.
static const void* find_solver(const TarnWorld* world, const char* name)
{
    const void* solver = name != NULL ? tarn_world_find(world, name) : NULL;
    if (name != NULL && solver == NULL) {
        say("--solver: this scene has no solver '%s'; `tarn describe SCENE` lists its solvers",
            name);
        return NULL;
    }
    if (name != NULL) {
        if (is_liquid(world, solver) || has_surface(world, solver)) return solver;
        say("--solver: '%s' has no surface to mesh", name);
        return NULL;
    }
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        if (has_surface(world, solver)) return solver;
    solver = tarn_world_liquid(world, 0);
    if (solver == NULL)
        say("this scene has neither liquid nor water, so there is no surface to mesh; try "
            "dam_break_3d or beach");
    return solver;
}

// A mesh shows one surface.
static void say_left_out(const TarnWorld* world, const void* meshed)
{
    const void* solver;
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n) {
        if (solver == meshed || !(is_liquid(world, solver) || has_surface(world, solver))) continue;
        say("the mesh shows '%s' but not '%s'; choose another with --solver",
            tarn_world_name_of(world, meshed), tarn_world_name_of(world, solver));
    }
}

int mesh_maker_open(MeshMaker* maker, TarnContext* ctx, TarnWorld* world, const MeshMakerDef* def)
{
    static const char* const water_names[] = { "depth" };
    *maker = (MeshMaker){ .ctx = ctx, .def = *def, .solver = find_solver(world, def->solver) };
    if (maker->solver == NULL) return def->solver != NULL ? EXIT_USAGE : EXIT_FAILED;
    bool has_water = has_surface(world, maker->solver);
    if (def->solver == NULL) say_left_out(world, maker->solver);
    if (has_water && (def->method >= 0 || def->surface->count > 0)) {
        say("--method and --set surface.* only work with particle liquids, but this mesh shows "
            "water");
        return EXIT_USAGE;
    }
    if (has_water) maker->mesh.n_attributes = 1, maker->mesh.attribute_names = water_names;
    if (!mesh_reserve(&maker->mesh, 4096, 8192)) return EXIT_FAILED; // to begin with
    return has_water ? open_water(maker, world) : open_liquid(maker, maker->solver);
}

static void turn(TarnVec3* v, int n)
{
    for (int i = 0; i < n; ++i) v[i] = (TarnVec3){ v[i].x, -v[i].z, v[i].y };
}

bool mesh_maker_run(MeshMaker* maker, TarnWorld* world)
{
    bool is_good = maker->surface != NULL ? run_liquid(maker) : run_water(maker, world);
    if (is_good && maker->def.is_z_up) {
        turn(maker->mesh.position, maker->mesh.n_vertices);
        turn(maker->mesh.normal, maker->mesh.n_vertices);
        turn(maker->mesh.velocity, maker->mesh.n_vertices);
    }
    return is_good;
}

void mesh_maker_close(MeshMaker* maker)
{
    tarn_particle_surface_destroy(maker->surface);
    tarn_height_mesh_destroy(maker->heights);
    mesh_free(&maker->mesh);
    *maker = (MeshMaker){ 0 };
}
