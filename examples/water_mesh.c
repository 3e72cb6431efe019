// Triangles of a lake for your own engine: rings around a camera that flies over it, cut at the shore.
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>

// A lake around an island, 256 x 256 m. Returns NULL on failure; the error says why.
static TarnShallow* make_lake(TarnContext* ctx)
{
    TarnTerrainDef land = tarn_terrain_kind_def(TARN_TERRAIN_ISLAND);
    land.nx = land.nz = 256, land.dx = 1.0f;
    land.center = (TarnVec2){ 128.0f, 128.0f };
    TarnTerrain* terrain;
    if (tarn_terrain_create(ctx, &land, &terrain) != TARN_OK) return NULL;

    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = land.nx, def.nz = land.nz, def.dx = land.dx;
    def.bed = tarn_terrain_heights(terrain).data; // copied by create
    def.has_level = true;
    TarnShallow* lake;
    TarnResult result = tarn_shallow_create(ctx, &def, &lake);
    tarn_terrain_destroy(terrain);
    return result == TARN_OK ? lake : NULL;
}

// Buffers of the largest size ever needed, as an engine would map its vertex buffer.
static TarnMesh make_buffers(const TarnHeightMeshDef* def)
{
    TarnMesh mesh = { .n_attributes = TARN_HEIGHT_MESH_ATTRIBUTES };
    tarn_height_mesh_max_size(def, &mesh.max_vertices, &mesh.max_triangles);
    size_t n = (size_t)mesh.max_vertices;
    mesh.position = malloc(n * sizeof *mesh.position);
    mesh.normal = malloc(n * sizeof *mesh.normal);
    mesh.attribute = malloc(n * sizeof *mesh.attribute * TARN_HEIGHT_MESH_ATTRIBUTES);
    mesh.index = malloc((size_t)mesh.max_triangles * 3 * sizeof *mesh.index);
    return mesh; // velocity stays NULL: it is not written
}

static void drop_buffers(TarnMesh* mesh)
{
    free(mesh->position);
    free(mesh->normal);
    free(mesh->attribute);
    free(mesh->index);
}

// Vertices on the shore are those without depth.
static int count_shore(const TarnMesh* mesh)
{
    int n = 0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        const float* attribute = mesh->attribute + v * TARN_HEIGHT_MESH_ATTRIBUTES;
        n += attribute[TARN_HEIGHT_MESH_DEPTH] == 0.0f;
    }
    return n;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnShallow* lake = make_lake(ctx);
    if (lake == NULL) return puts(tarn_last_error(ctx)), 1;
    TarnHeightMesh* heights;
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = 48, def.levels = 4;
    if (tarn_height_mesh_create(ctx, &def, &heights) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    TarnMesh mesh = make_buffers(&def);

    puts("camera x, y [m]   vertices  triangles  on the shore");
    TarnHeightMeshSource source = tarn_height_mesh_source_of_shallow(lake);
    source.altitude_weight = 0.5f; // coarser as the camera rises
    source.skirt = 1.0f;           // no gap where the lake ends and the view goes on
    for (int frame = 0; frame <= 120; ++frame) {
        float t = (float)frame / 60.0f;
        if (frame % 30 == 0)
            tarn_shallow_add_water(lake, (TarnVec2){ 40.0f + 20.0f * t, 40.0f }, 6.0f, 60.0f, NULL);
        tarn_shallow_step(lake, 1.0f / 60.0f, NULL);
        source.camera = (TarnVec3){ 30.0f + 60.0f * t, 3.0f + 30.0f * t * t, 60.0f };
        if (tarn_height_mesh_run(heights, &source, &mesh) != TARN_OK)
            return puts(tarn_last_error(ctx)), 1;
        if (frame % 20 == 0)
            printf("%8.1f %7.1f   %8d   %8d   %8d\n", (double)source.camera.x,
                   (double)source.camera.y, mesh.n_vertices, mesh.n_triangles, count_shore(&mesh));
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    tarn_shallow_destroy(lake);
    tarn_context_destroy(ctx);
    return 0;
}
