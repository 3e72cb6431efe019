// The surface of a liquid as a mesh, frame by frame: what an engine would upload to the GPU. The last
// frame goes to a file that any 3-D program opens.
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f;

// A block of water that falls over in a tank.
static TarnLiquid* make_liquid(TarnContext* ctx)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3;
    def.spacing = 0.04f;
    def.max_particles = 6000;
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 1.6f, 1.2f, 0.6f };
    TarnLiquid* liquid;
    if (tarn_liquid_create(ctx, &def, &liquid) != TARN_OK) return NULL;
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between(def.box_min, (TarnVec3){ 0.6f, 0.8f, 0.6f }, &fill.pose.position);
    tarn_liquid_fill(liquid, &fill, NULL);
    return liquid;
}

static TarnParticleSurface* make_surface(TarnContext* ctx, const TarnLiquid* liquid)
{
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = tarn_liquid_def(liquid)->max_particles;
    def.spacing = tarn_liquid_def(liquid)->spacing;
    def.use_velocity = true; // for motion blur
    def.n_attributes = 1;    // and something of our own, here the speed: foam is where it is high
    TarnParticleSurface* surface;
    return tarn_particle_surface_create(ctx, &def, &surface) == TARN_OK ? surface : NULL;
}

// We own the buffers. They start small and grow to the size that a run asks for.
static bool grow(TarnMesh* mesh)
{
    mesh->max_vertices = mesh->n_vertices + mesh->n_vertices / 4;
    mesh->max_triangles = mesh->n_triangles + mesh->n_triangles / 4;
    size_t vertices = (size_t)mesh->max_vertices, triangles = (size_t)mesh->max_triangles;
    mesh->position = realloc(mesh->position, vertices * sizeof *mesh->position);
    mesh->normal = realloc(mesh->normal, vertices * sizeof *mesh->normal);
    mesh->velocity = realloc(mesh->velocity, vertices * sizeof *mesh->velocity);
    mesh->attribute = realloc(mesh->attribute, vertices * sizeof *mesh->attribute);
    mesh->index = realloc(mesh->index, 3 * triangles * sizeof *mesh->index);
    return mesh->position && mesh->normal && mesh->velocity && mesh->attribute && mesh->index;
}

static TarnResult mesh_of(const TarnLiquid* liquid, TarnParticleSurface* surface, float* speed2,
                          TarnMesh* mesh)
{
    TarnLiquidView view = tarn_liquid_view(liquid);
    for (int i = 0; i < view.n; ++i) {
        float x = view.vx[i], y = view.vy[i], z = view.vz[i];
        speed2[i] = x * x + y * y + z * z;
    }
    TarnPoints points = tarn_liquid_points(&view);
    points.attribute = speed2;
    points.n_attributes = 1;
    TarnResult result = tarn_particle_surface_update(surface, &points, NULL);
    if (result != TARN_OK) return result;
    result = tarn_particle_surface_mesh(surface, mesh);
    if (result != TARN_ERR_CAPACITY || !grow(mesh)) return result;
    return tarn_particle_surface_mesh(surface, mesh);
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 2;
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnLiquid* liquid = make_liquid(ctx);
    TarnParticleSurface* surface = liquid ? make_surface(ctx, liquid) : NULL;
    if (surface == NULL) {
        fprintf(stderr, "%s\n", tarn_last_error(ctx));
        return 1;
    }
    float* speed2 = malloc((size_t)tarn_liquid_def(liquid)->max_particles * sizeof *speed2);
    TarnMesh mesh = { .n_attributes = 1, .n_vertices = 100, .n_triangles = 200 };
    if (speed2 == NULL || !grow(&mesh)) return 1;

    for (int frame = 0; frame < 60; ++frame) {
        tarn_liquid_step(liquid, dt, NULL);
        if (mesh_of(liquid, surface, speed2, &mesh) != TARN_OK) {
            fprintf(stderr, "%s\n", tarn_last_error(ctx));
            return 1;
        }
        if (frame % 12 != 11) continue;
        TarnMeshStats stats;
        if (tarn_mesh_stats(ctx, &mesh, &stats) != TARN_OK) return 1;
        printf("%.1f s: %d particles, %d vertices, %d triangles, %d parts, %.3f m^3\n",
               (double)dt * (frame + 1), tarn_liquid_view(liquid).n, mesh.n_vertices,
               mesh.n_triangles, stats.parts, stats.volume);
    }
    TarnResult saved = tarn_mesh_save(ctx, &mesh, "surface.obj");
    if (saved == TARN_OK) printf("surface.obj has the last one\n");

    free(speed2);
    free(mesh.position), free(mesh.normal), free(mesh.velocity), free(mesh.attribute);
    free(mesh.index);
    tarn_particle_surface_destroy(surface);
    tarn_liquid_destroy(liquid);
    tarn_context_destroy(ctx);
    return saved == TARN_OK ? 0 : 1;
}
