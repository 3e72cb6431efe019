// A bore that breaks: where its front is, how far its lip reaches, what it loses as white water, and the mesh of its
// sheet as a file.
#include "tarn/tarn.h"
#include <stdio.h>
#include <stdlib.h>

enum { NX = 160, NZ = 64 };

int main(int argc, char** argv)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    tarn_world_create(ctx, &world_def, &world);

    static float depth[NX * NZ]; // a dam of 2.5 m before water of 1 m
    for (int c = 0; c < NX * NZ; ++c) depth[c] = c % NX < 40 ? 2.5f : 1.0f;
    TarnShallowDef water = tarn_shallow_default_def();
    water.nx = NX, water.nz = NZ, water.dx = 0.25f, water.depth = depth;
    TarnShallow* shallow;
    if (tarn_world_add_shallow(world, &water, &shallow) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    TarnBreakersDef def = tarn_breakers_default_def();
    def.nx = NX, def.nz = NZ, def.dx = 0.25f;
    TarnBreakers* breakers;
    if (tarn_world_add_breakers(world, &def, &breakers) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    tarn_world_set_on(world, breakers, shallow);

    double white = 0.0; // [J]
    for (int frame = 0; frame < 150; ++frame) {
        const TarnBreakerSplash* splashes;
        tarn_world_step(world, 1.0f / 60.0f, NULL);
        int n = tarn_breakers_splashes(breakers, &splashes);
        for (int i = 0; i < n; ++i) white += (double)splashes[i].power / 60.0;
    }
    for (int line = 0; line < tarn_breakers_line_count(breakers); ++line) {
        static TarnBreakerPoint points[2048];
        int n;
        if (tarn_breakers_line(breakers, line, 2048, points, &n, NULL) != TARN_OK) continue;
        const TarnBreakerPoint* p = &points[n / 2];
        printf("line of %d points: x %.1f m, %.2f m high, %.1f m/s\n", n, (double)p->position.x,
               (double)p->height, (double)p->speed);
    }
    printf("white water so far: %.0f kJ; volume of the water off by %g m^3\n", 1e-3 * white,
           tarn_shallow_ledger(shallow).error);

    TarnMesh mesh = { 0 };
    tarn_breakers_mesh(breakers, &mesh); // counts
    mesh.max_vertices = mesh.n_vertices, mesh.max_triangles = mesh.n_triangles;
    mesh.position = malloc((size_t)mesh.n_vertices * sizeof *mesh.position);
    mesh.normal = malloc((size_t)mesh.n_vertices * sizeof *mesh.normal);
    mesh.index = malloc(3 * (size_t)mesh.n_triangles * sizeof *mesh.index);
    if (tarn_breakers_mesh(breakers, &mesh) == TARN_OK)
        printf("sheet: %d vertices, %d triangles\n", mesh.n_vertices, mesh.n_triangles);
    if (argc > 1) tarn_mesh_save(ctx, &mesh, argv[1]);
    free(mesh.position);
    free(mesh.normal);
    free(mesh.index);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return 0;
}
