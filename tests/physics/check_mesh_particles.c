// Checks of surfaces of particles: volume, level, flatness and smoothness of each method, on lattices whose
// surface is known, and on a dam break.

#include "check.h"
#include "base/base.h"
#include "tarn/particle_surface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 3 };
static const char* const methods[METHODS] = { "density", "zhu_bridson", "anisotropic" };
static const double PI = 3.14159265358979323846;

typedef struct Points {
    int n, room;
    float spacing; // [m]
    float *x, *y, *z;
} Points;

static void stop_if(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

static Points make_points(int room, float spacing)
{
    Points p = { .room = room, .spacing = spacing };
    p.x = malloc((size_t)room * sizeof(float));
    p.y = malloc((size_t)room * sizeof(float));
    p.z = malloc((size_t)room * sizeof(float));
    return p;
}
static void drop_points(Points* p)
{
    free(p->x), free(p->y), free(p->z);
}
// In spacings, off by up to jitter along each axis.
static void add(Points* p, double x, double y, double z, double jitter)
{
    double at[3] = { x, y, z };
    float* const to[3] = { p->x, p->y, p->z };
    for (uint64_t a = 0; a < 3; ++a) {
        double off = 2.0 * (double)tarn__random01(5, a, (uint64_t)p->n) - 1.0;
        to[a][p->n] = p->spacing * (float)(at[a] + jitter * off);
    }
    p->n++;
}
static Points make_ball(double radius, double jitter)
{
    int r = (int)radius + 2;
    Points p = make_points(8 * r * r * r, 0.1f);
    for (int k = -r; k < r; ++k)
        for (int j = -r; j < r; ++j)
            for (int i = -r; i < r; ++i) {
                double x = i + 0.3, y = j + 0.1, z = k + 0.4;
                if (x * x + y * y + z * z < radius * radius) add(&p, x, y, z, jitter);
            }
    return p;
}
static Points make_pool(int side, int layers, double jitter)
{
    Points p = make_points(side * side * layers, 0.1f);
    for (int k = 0; k < side; ++k)
        for (int j = 0; j < layers; ++j)
            for (int i = 0; i < side; ++i) add(&p, i + 0.5, j + 0.5, k + 0.5, jitter);
    return p;
}
// A block of water that has run to the other wall and up it.
static Points make_dam(CheckRun* run)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3;
    def.spacing = 0.05f;
    def.max_particles = 9000;
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 3.0f, 2.0f, 1.0f };
    TarnLiquid* liquid;
    stop_if(run, tarn_liquid_create(run->ctx, &def, &liquid));
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between(def.box_min, (TarnVec3){ 1.0f, 1.0f, 1.0f }, &fill.pose.position);
    stop_if(run, tarn_liquid_fill(liquid, &fill, NULL));
    for (int s = 0; s < 45; ++s) stop_if(run, tarn_liquid_step(liquid, 1.0f / 60.0f, NULL));
    TarnLiquidView view = tarn_liquid_view(liquid);
    Points p = make_points(view.n, def.spacing);
    p.n = view.n;
    memcpy(p.x, view.x, (size_t)view.n * sizeof(float));
    memcpy(p.y, view.y, (size_t)view.n * sizeof(float));
    memcpy(p.z, view.z, (size_t)view.n * sizeof(float));
    tarn_liquid_destroy(liquid);
    return p;
}

// ---- Meshes --------------------------------------------------------------------------------------------

static TarnMesh make_mesh(CheckRun* run, const Points* p, int method)
{
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = p->n;
    def.spacing = p->spacing;
    TarnParticleSurface* surface;
    stop_if(run, tarn_particle_surface_create(run->ctx, &def, &surface));
    TarnParticleSurfaceParams params = tarn_particle_surface_default_params();
    params.method = method;
    stop_if(run, tarn_particle_surface_set_params(surface, &params));
    TarnPoints points = { .n = p->n, .x = p->x, .y = p->y, .z = p->z };
    stop_if(run, tarn_particle_surface_update(surface, &points, NULL));
    TarnMesh mesh = { 0 };
    stop_if(run, tarn_particle_surface_mesh(surface, &mesh)); // without buffers: counts
    mesh.max_vertices = mesh.n_vertices, mesh.max_triangles = mesh.n_triangles;
    mesh.position = malloc((size_t)mesh.n_vertices * sizeof(TarnVec3));
    mesh.normal = malloc((size_t)mesh.n_vertices * sizeof(TarnVec3));
    mesh.index = malloc((size_t)mesh.n_triangles * 3 * sizeof(uint32_t));
    stop_if(run, tarn_particle_surface_mesh(surface, &mesh));
    tarn_particle_surface_destroy(surface);
    return mesh;
}
static void drop_mesh(TarnMesh* mesh)
{
    free(mesh->position), free(mesh->normal), free(mesh->index);
}
static TarnMeshStats stats_of(CheckRun* run, const TarnMesh* mesh)
{
    TarnMeshStats stats;
    stop_if(run, tarn_mesh_stats(run->ctx, mesh, &stats));
    return stats;
}
static int bad_edges(const TarnMeshStats* stats)
{
    return stats->open_edges + stats->crowded_edges + stats->flipped_edges;
}

static double angle(TarnVec3 a, TarnVec3 b) // of unit vectors [degrees]
{
    double dot = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
    return acos(fmax(-1.0, fmin(1.0, dot))) * 180.0 / PI;
}

// How much normals turn along the edges of the mesh, per spacing [degrees], on top of the stream that runs
// through the tank: smooth water, and four spacings from walls and splash.
static bool is_stream(TarnVec3 p, TarnVec3 n)
{
    return p.x > 0.3f && p.x < 1.9f && p.z > 0.2f && p.z < 0.8f && n.y > 0.5f;
}
static double roughness(const TarnMesh* mesh, double spacing)
{
    double turn = 0.0, way = 0.0;
    for (int t = 0; t < mesh->n_triangles; ++t) {
        for (int c = 0; c < 3; ++c) {
            uint32_t a = mesh->index[3 * t + c], b = mesh->index[3 * t + (c + 1) % 3];
            TarnVec3 p = mesh->position[a], q = mesh->position[b];
            if (!is_stream(p, mesh->normal[a])) continue;
            double dx = (double)p.x - q.x, dy = (double)p.y - q.y, dz = (double)p.z - q.z;
            turn += angle(mesh->normal[a], mesh->normal[b]);
            way += sqrt(dx * dx + dy * dy + dz * dz);
        }
    }
    return turn / (way / spacing);
}

static void add_row(CheckRun* run, const char* what, const char* method, double value,
                    double reference, double tolerance)
{
    char name[56];
    snprintf(name, sizeof name, "mesh.particles.%s.%s", what, method);
    check_add(run, name, value, reference, tolerance);
}

// ---- Checks --------------------------------------------------------------------------------------------

// As many times the spacing cubed as there are particles, and the area of a sphere of that volume.
static void check_ball(CheckRun* run)
{
    Points p = make_ball(10.3, 0.2);
    double volume = p.n * pow((double)p.spacing, 3.0), radius = cbrt(0.75 * volume / PI);
    for (int m = 0; m < METHODS; ++m) {
        TarnMesh mesh = make_mesh(run, &p, m);
        TarnMeshStats stats = stats_of(run, &mesh);
        add_row(run, "ball.volume", methods[m], stats.volume / volume, 1.0, 0.03);
        add_row(run, "ball.area", methods[m], stats.area / (4.0 * PI * radius * radius), 1.0, 0.05);
        add_row(run, "ball.euler", methods[m], stats.euler, 2.0, 1e-9);
        drop_mesh(&mesh);
    }
    drop_points(&p);
}

// The middle of the surface of a pool: its level, which is half a spacing above the centers, how far it is
// from flat, and its normals from upright.
static void check_pool(CheckRun* run)
{
    static const struct {
        const char* name;
        double jitter, level, flat, tilt;
    } kinds[] = { { "lattice", 0.0, 0.05, 0.005, 0.1 }, { "jittered", 0.2, 0.05, 0.07, 4.0 } };
    enum { SIDE = 26, LAYERS = 8 };
    for (int k = 0; k < 2; ++k) {
        Points p = make_pool(SIDE, LAYERS, kinds[k].jitter);
        double tilt_of[METHODS];
        for (int m = 0; m < METHODS; ++m) {
            TarnMesh mesh = make_mesh(run, &p, m);
            double sum = 0.0, squares = 0.0, tilt = 0.0;
            int n = 0;
            for (int v = 0; v < mesh.n_vertices; ++v) {
                TarnVec3 at = mesh.position[v];
                double d = (double)p.spacing, x = (double)at.x / d, y = (double)at.y / d;
                double z = (double)at.z / d;
                if (y < 0.5 * LAYERS || fabs(x - 0.5 * SIDE) > 7.0 || fabs(z - 0.5 * SIDE) > 7.0)
                    continue;
                sum += y, squares += y * y, ++n;
                tilt += angle(mesh.normal[v], (TarnVec3){ 0.0f, 1.0f, 0.0f });
            }
            double mean = sum / n, rms = sqrt(fmax(0.0, squares / n - mean * mean));
            char what[40];
            snprintf(what, sizeof what, "%s.level", kinds[k].name);
            add_row(run, what, methods[m], mean - LAYERS, 0.0, kinds[k].level);
            snprintf(what, sizeof what, "%s.flat", kinds[k].name);
            add_row(run, what, methods[m], rms, 0.0, kinds[k].flat);
            snprintf(what, sizeof what, "%s.tilt", kinds[k].name);
            add_row(run, what, methods[m], tilt_of[m] = tilt / n, 0.0, kinds[k].tilt);
            drop_mesh(&mesh);
        }
        if (kinds[k].jitter > 0.0)
            add_row(run, "jittered.tilt", "ratio", tilt_of[2] / tilt_of[0], 0.0, 0.8);
        drop_points(&p);
    }
}

// Closed, of nearly the volume of the liquid, and smoother from method to method.
static void check_dam(CheckRun* run)
{
    Points p = make_dam(run);
    double rough[METHODS];
    for (int m = 0; m < METHODS; ++m) {
        TarnMesh mesh = make_mesh(run, &p, m);
        TarnMeshStats stats = stats_of(run, &mesh);
        double volume = p.n * pow((double)p.spacing, 3.0);
        rough[m] = roughness(&mesh, (double)p.spacing);
        add_row(run, "dam.bad_edges", methods[m], bad_edges(&stats), 0.0, 0.5);
        add_row(run, "dam.volume", methods[m], stats.volume / volume, 1.0, 0.1);
        add_row(run, "dam.roughness", methods[m], rough[m], 0.0, 7.0);
        drop_mesh(&mesh);
    }
    // With one substep per step the particles of constraint lie more evenly: zhu_bridson has 1.85 instead of 2.16 degrees
    // per spacing, while anisotropic has 1.65 as before (1.61).
    add_row(run, "dam.roughness", "anisotropic_by_zhu_bridson", rough[2] / rough[1], 0.0, 0.8);
    check_not_reached(run);
    add_row(run, "dam.roughness", "zhu_bridson_by_density", rough[1] / rough[0], 0.0, 1.0);
    drop_points(&p);
}

// A sheet one particle thick hangs together, without holes; lone particles are small balls.
static void check_thin(CheckRun* run)
{
    Points p = make_pool(24, 1, 0.2);
    TarnMesh mesh = make_mesh(run, &p, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    TarnMeshStats stats = stats_of(run, &mesh);
    double d3 = pow((double)p.spacing, 3.0);
    check_add(run, "mesh.particles.sheet.parts", stats.parts, 1.0, 1e-9);
    check_add(run, "mesh.particles.sheet.holes", 0.5 * (2 - stats.euler), 0.0, 0.1);
    check_add(run, "mesh.particles.sheet.volume", stats.volume / (p.n * d3), 1.0, 0.25);
    drop_mesh(&mesh);
    p.n = 0;
    for (int i = 0; i < 20; ++i) add(&p, 8.1 * i, 3.37 * i, 1.0, 0.5);
    mesh = make_mesh(run, &p, TARN_PARTICLE_SURFACE_ANISOTROPIC);
    stats = stats_of(run, &mesh);
    check_add(run, "mesh.particles.drops.parts", stats.parts, 20.0, 1e-9);
    check_add(run, "mesh.particles.drops.volume", stats.volume / (p.n * d3), 1.0, 0.5);
    drop_mesh(&mesh);
    drop_points(&p);
}

void check_mesh_particles(CheckRun* run, const char* group)
{
    if (strcmp(group, "mesh.particles.ball") == 0) check_ball(run);
    if (strcmp(group, "mesh.particles.pool") == 0) check_pool(run);
    if (strcmp(group, "mesh.particles.dam") == 0) check_dam(run);
    if (strcmp(group, "mesh.particles.thin") == 0) check_thin(run);
}
