// A drop falls into a tank, and its surface becomes an animation: splash.glb plays in Blender or any glTF viewer.
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>

static TarnLiquid* make_liquid(TarnContext* ctx)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3;
    def.spacing = 0.04f;
    def.max_particles = 6000;
    def.box_min = (TarnVec3){ -0.4f, 0.0f, -0.4f };
    def.box_max = (TarnVec3){ 0.4f, 1.0f, 0.4f };
    TarnLiquid* liquid;
    if (tarn_liquid_create(ctx, &def, &liquid) != TARN_OK) return NULL;
    TarnLiquidFill water = tarn_liquid_fill_default();
    water.shape = tarn_shape_box(0.4f, 0.08f, 0.4f);
    water.pose.position = (TarnVec3){ 0.0f, 0.08f, 0.0f };
    tarn_liquid_fill(liquid, &water, NULL);
    water.shape = tarn_shape_sphere(0.12f);
    water.pose.position = (TarnVec3){ 0.0f, 0.62f, 0.0f };
    water.velocity = (TarnVec3){ 0.0f, -2.0f, 0.0f };
    tarn_liquid_fill(liquid, &water, NULL);
    return liquid;
}

// Makes room for a mesh. The call that fills it returns the size if the buffers are too small.
static void reserve(TarnMesh* mesh, int vertices, int triangles)
{
    mesh->position = realloc(mesh->position, (size_t)vertices * sizeof *mesh->position);
    mesh->normal = realloc(mesh->normal, (size_t)vertices * sizeof *mesh->normal);
    mesh->velocity = realloc(mesh->velocity, (size_t)vertices * sizeof *mesh->velocity);
    mesh->index = realloc(mesh->index, 3 * (size_t)triangles * sizeof *mesh->index);
    mesh->max_vertices = vertices;
    mesh->max_triangles = triangles;
}

static TarnResult update(const TarnLiquid* liquid, TarnParticleSurface* surface, TarnMesh* mesh)
{
    TarnLiquidView view = tarn_liquid_view(liquid);
    TarnPoints points = tarn_liquid_points(&view);
    TarnResult result = tarn_particle_surface_update(surface, &points, NULL);
    if (result != TARN_OK) return result;
    result = tarn_particle_surface_mesh(surface, mesh);
    if (result == TARN_ERR_CAPACITY) {
        reserve(mesh, mesh->n_vertices, mesh->n_triangles);
        result = tarn_particle_surface_mesh(surface, mesh);
    }
    return result;
}

static TarnResult shoot(TarnContext* ctx, TarnLiquid* liquid, TarnParticleSurface* surface,
                        TarnMeshFilm* film, TarnMesh* mesh)
{
    TarnResult result = TARN_OK;
    for (int frame = 0; frame < 20 && result == TARN_OK; ++frame) {
        result = update(liquid, surface, mesh);
        if (result == TARN_OK) result = tarn_mesh_film_add(film, mesh);
        if (frame % 5 == 0 && result == TARN_OK) {
            TarnMeshStats stats;
            tarn_mesh_stats(ctx, mesh, &stats);
            printf("%.2f s: %d triangles around %.1f liters, %s\n", tarn_liquid_time(liquid),
                   mesh->n_triangles, 1e3 * stats.volume,
                   stats.open_edges == 0 ? "closed" : "open");
        }
        tarn_liquid_step(liquid, 0.02f, NULL); // the animation plays at half speed
    }
    return result == TARN_OK ? tarn_mesh_film_finish(film) : result;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnLiquid* liquid = make_liquid(ctx);
    TarnParticleSurface* surface = NULL;
    TarnMeshFilm* film = NULL;
    TarnMesh mesh = { 0 };
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = 6000;
    def.spacing = 0.04f;
    def.use_velocity = true; // for motion blur
    reserve(&mesh, 10000, 20000);
    bool is_good = liquid != NULL && tarn_particle_surface_create(ctx, &def, &surface) == TARN_OK &&
                   tarn_mesh_film_create(ctx, "splash.glb", 1.0 / 24.0, &film) == TARN_OK &&
                   shoot(ctx, liquid, surface, film, &mesh) == TARN_OK;
    printf("%s\n", is_good ? "wrote splash.glb" : tarn_last_error(ctx));
    tarn_mesh_film_destroy(film);
    tarn_particle_surface_destroy(surface);
    tarn_liquid_destroy(liquid);
    tarn_context_destroy(ctx);
    free(mesh.position);
    free(mesh.normal);
    free(mesh.velocity);
    free(mesh.index);
    return is_good ? 0 : 1;
}
