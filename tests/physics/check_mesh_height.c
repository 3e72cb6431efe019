// Checks of height-field meshes: the area they cover, cracks, how far they are off the surface, what is seen
// when rings take steps, and shores against circles.

#include "check.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- Surfaces and meshes -------------------------------------------------------------------------

typedef struct Lake {
    float wave;   // amplitude [m]
    float island; // radius of a cone at (middle, middle) [m]; 0: none
    float middle;
} Lake;

static void lake_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    const Lake* lake = self;
    for (int p = 0; p < n; ++p) {
        float dx = x[p] - lake->middle, dz = z[p] - lake->middle;
        float slope = 0.3f * (sqrtf(dx * dx + dz * dz) - lake->island);
        if (out->height) out->height[p] = lake->wave * sinf(0.31f * x[p]) * cosf(0.23f * z[p]);
        if (out->depth) out->depth[p] = lake->island > 0.0f ? fmaxf(slope, 0.0f) : 1.0f;
        if (out->normal) out->normal[p] = (TarnVec3){ 0.0f, 1.0f, 0.0f };
        if (out->velocity) out->velocity[p] = (TarnVec3){ 0 };
    }
}

static TarnHeightMeshSource source_of_lake(const Lake* lake, float width, float cell)
{
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    source.surface = (TarnSurface){ .self = lake, .query = lake_query };
    source.max = (TarnVec2){ width, width };
    source.cell = cell;
    source.camera = (TarnVec3){ 0.5f * width, 2.0f, 0.5f * width };
    return source;
}

typedef struct Rings {
    TarnHeightMesh* heights;
    TarnMesh mesh;
} Rings;

static void stop(const CheckRun* run)
{
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

static Rings make_rings(CheckRun* run, int cells, int levels)
{
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    Rings rings = { 0 };
    if (tarn_height_mesh_create(run->ctx, &def, &rings.heights) != TARN_OK) stop(run);
    TarnMesh* m = &rings.mesh;
    tarn_height_mesh_max_size(&def, &m->max_vertices, &m->max_triangles);
    m->n_attributes = 1;
    m->position = malloc((size_t)m->max_vertices * sizeof *m->position);
    m->attribute = malloc((size_t)m->max_vertices * sizeof *m->attribute);
    m->index = malloc((size_t)m->max_triangles * 3 * sizeof *m->index);
    return rings;
}
static void drop_rings(Rings* rings)
{
    free(rings->mesh.position);
    free(rings->mesh.attribute);
    free(rings->mesh.index);
    tarn_height_mesh_destroy(rings->heights);
}
static void run_rings(CheckRun* run, Rings* rings, const TarnHeightMeshSource* source)
{
    if (tarn_height_mesh_run(rings->heights, source, &rings->mesh) != TARN_OK) stop(run);
}

static TarnVec3 corner_of(const TarnMesh* mesh, int t, int corner)
{
    return mesh->position[mesh->index[3 * (size_t)t + (size_t)(corner % 3)]];
}

static double plan_area(const TarnMesh* mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->n_triangles; ++t) {
        TarnVec3 a = corner_of(mesh, t, 0), b = corner_of(mesh, t, 1), c = corner_of(mesh, t, 2);
        double ux = (double)b.x - (double)a.x, uz = (double)b.z - (double)a.z;
        double vx = (double)c.x - (double)a.x, vz = (double)c.z - (double)a.z;
        sum += 0.5 * (uz * vx - ux * vz);
    }
    return sum;
}

// Height of the mesh under a point; NaN: there is none.
static double height_under(const TarnMesh* mesh, double x, double z)
{
    for (int t = 0; t < mesh->n_triangles; ++t) {
        double w[3], sum = 0.0, y = 0.0;
        for (int j = 0; j < 3; ++j) {
            TarnVec3 a = corner_of(mesh, t, j + 1), b = corner_of(mesh, t, j + 2);
            w[j] = ((double)a.z - z) * ((double)b.x - x) - ((double)a.x - x) * ((double)b.z - z);
            sum += w[j];
        }
        if (!(sum > 0.0) || w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0) continue;
        for (int j = 0; j < 3; ++j) y += w[j] / sum * (double)corner_of(mesh, t, j).y;
        return y;
    }
    return NAN;
}

// ---- Area and cracks -----------------------------------------------------------------------------

// Not of edges without length: of a node that has just left the outline.
static bool is_outline(const TarnHeightMeshSource* s, TarnVec3 a, TarnVec3 b)
{
    if (a.x == b.x && a.z == b.z) return false;
    return (a.x == b.x && (a.x == s->min.x || a.x == s->max.x)) ||
           (a.z == b.z && (a.z == s->min.y || a.z == s->max.y));
}

// Cameras in and around a basin that the rings cover: open edges on its outline only.
static void check_cover(CheckRun* run)
{
    Rings rings = make_rings(run, 32, 5);
    Lake lake = { .wave = 0.3f };
    TarnHeightMeshSource s = source_of_lake(&lake, 61.3f, 0.5f);
    s.has_shore = false;
    int n_cameras = run->is_quick ? 40 : 400;
    double stray = 0.0, odd = 0.0, worst = 0.0;
    for (int n = 0; n < n_cameras; ++n) {
        float r[4];
        for (int j = 0; j < 4; ++j) r[j] = tarn__random01(3, (uint64_t)j, (uint64_t)n);
        s.camera = (TarnVec3){ -20.0f + 100.0f * r[0], 30.0f * r[3], -20.0f + 100.0f * r[1] };
        s.anchor = (TarnVec2){ r[2], r[3] };
        s.altitude_weight = n % 2 ? 0.5f : 0.0f;
        run_rings(run, &rings, &s);
        TarnMeshStats stats;
        if (tarn_mesh_stats(run->ctx, &rings.mesh, &stats) != TARN_OK) stop(run);
        int n_outline = 0;
        for (int t = 0; t < rings.mesh.n_triangles; ++t)
            for (int j = 0; j < 3; ++j)
                n_outline +=
                    is_outline(&s, corner_of(&rings.mesh, t, j), corner_of(&rings.mesh, t, j + 1));
        stray += abs(stats.open_edges - n_outline);
        odd += stats.crowded_edges + stats.flipped_edges + stats.degenerate;
        double wanted = (double)s.max.x * (double)s.max.y;
        worst = fmax(worst, fabs(plan_area(&rings.mesh) / wanted - 1.0));
    }
    check_add(run, "mesh.height.cover.area", worst, 0.0, 1e-6);
    check_add(run, "mesh.height.cover.cracks", stray, 0.0, 0.0);
    check_add(run, "mesh.height.cover.bad_edges", odd, 0.0, 0.0);
    drop_rings(&rings);
}

// ---- On the surface ------------------------------------------------------------------------------

static TarnWave* make_pool(CheckRun* run)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 128;
    TarnWave* wave = check_wave_create(run, &def);
    tarn_wave_add_drop(wave, (TarnVec2){ 2.0f, 2.5f }, 0.4f, 0.2f);
    for (int n = 0; n < 60; ++n) tarn_wave_step(wave, 1.0f / 60.0f, NULL);
    return wave;
}

// Vertices of all rings, and any point around the camera, against queries of a pool in motion.
static void check_surface(CheckRun* run)
{
    TarnWave* wave = make_pool(run);
    Rings rings = make_rings(run, 64, 3);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_wave(wave);
    s.camera = (TarnVec3){ 2.4f, 1.0f, 3.1f };
    run_rings(run, &rings, &s);
    double at_vertices = 0.0, between = 0.0;
    for (int v = 0; v < rings.mesh.n_vertices; ++v) {
        TarnVec3 p = rings.mesh.position[v];
        at_vertices =
            fmax(at_vertices, fabs((double)p.y - (double)tarn_surface_height(s.surface, p.x, p.z)));
    }
    float reach = (0.7f * 32.0f - 3.0f) * s.cell;
    for (int n = 0; n < 500; ++n) {
        float x = s.camera.x + reach * (2.0f * tarn__random01(5, 1, (uint64_t)n) - 1.0f);
        float z = s.camera.z + reach * (2.0f * tarn__random01(5, 2, (uint64_t)n) - 1.0f);
        double y = height_under(&rings.mesh, (double)x, (double)z);
        between = fmax(between, fabs(y - (double)tarn_surface_height(s.surface, x, z)));
    }
    check_add(run, "mesh.height.surface.vertices", at_vertices, 0.0, 0.0);
    check_add(run, "mesh.height.surface.between", between, 0.0, 1e-6);
    drop_rings(&rings);
    tarn_wave_destroy(wave);
}

// ---- Steps of rings ------------------------------------------------------------------------------

enum { PROBES = 100 };

static void look(const Rings* rings, float width, double y[PROBES])
{
    for (int n = 0; n < PROBES; ++n) {
        double x = (double)(width * tarn__random01(9, 1, (uint64_t)n));
        y[n] = height_under(&rings->mesh, x, (double)(width * tarn__random01(9, 2, (uint64_t)n)));
    }
}

// The camera passes the places where rings take steps, 0.2 mm further: what the mesh of waves of 1 m does.
static void check_steps(CheckRun* run)
{
    enum { LEVELS = 4 };
    Rings rings = make_rings(run, 32, LEVELS);
    Lake lake = { .wave = 1.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 60.0f, 0.5f);
    double worst = 0.0;
    for (int n = 0; n < LEVELS * (run->is_quick ? 3 : 10); ++n) {
        float size = 0.5f * (float)(1 << n % LEVELS);
        float at = (2.0f * floorf(0.5f * 20.0f / size) + 1.0f) * size;
        double before[PROBES], after[PROBES];
        s.camera = (TarnVec3){ at - 1e-4f, 1.0f, 10.0f + 3.7f * (float)n / LEVELS };
        run_rings(run, &rings, &s);
        look(&rings, 60.0f, before);
        s.camera.x = at + 1e-4f;
        run_rings(run, &rings, &s);
        look(&rings, 60.0f, after);
        for (int p = 0; p < PROBES; ++p) {
            double moved = fabs(after[p] - before[p]);
            worst = moved <= worst ? worst : moved; // NaN stays
        }
    }
    check_add(run, "mesh.height.steps.pop", worst, 0.0, 1e-4);
    drop_rings(&rings);
}

// ---- Shores --------------------------------------------------------------------------------------

// How far shore vertices are off a circle at most.
static double off_circle(const TarnMesh* mesh, double middle, double radius)
{
    double worst = 0.0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        if (mesh->attribute[v] != 0.0f) continue;
        double x = (double)mesh->position[v].x - middle, z = (double)mesh->position[v].z - middle;
        worst = fmax(worst, fabs(sqrt(x * x + z * z) - radius));
    }
    return worst;
}

// A cone with an exact depth: vertices on the circle, the area of the chords.
static void check_island(CheckRun* run)
{
    Rings rings = make_rings(run, 128, 2);
    Lake lake = { .island = 6.3f, .middle = 15.6f };
    double area[3], off = 0.0;
    for (int n = 0; n < 3; ++n) {
        TarnHeightMeshSource s = source_of_lake(&lake, 32.0f, 1.0f / (float)(1 << n));
        run_rings(run, &rings, &s);
        double wanted = 1024.0 - pi * (double)lake.island * (double)lake.island;
        area[n] = fabs(plan_area(&rings.mesh) - wanted);
        double cell = (double)s.cell;
        off = fmax(off, off_circle(&rings.mesh, (double)lake.middle, (double)lake.island) / cell);
    }
    check_add(run, "mesh.height.island.off_cells", off, 0.0, 1e-3);
    check_add(run, "mesh.height.island.area_order", 0.5 * log2(area[0] / area[2]), 2.0, 0.15);
    drop_rings(&rings);
}

// The same cone as the bed of a lake of the shallow-water solver, which draws its shore between cells.
static double solver_island(CheckRun* run, int n)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = n;
    def.dx = 20.0f / (float)n;
    def.has_level = true;
    float* bed = malloc((size_t)n * (size_t)n * sizeof *bed);
    for (int c = 0; c < n * n; ++c) {
        float x = ((float)(c % n) + 0.5f) * def.dx - 10.2f;
        float z = ((float)(c / n) + 0.5f) * def.dx - 10.2f;
        bed[c] = 0.2f * (5.0f - sqrtf(x * x + z * z));
    }
    def.bed = bed;
    TarnShallow* water;
    if (tarn_shallow_create(run->ctx, &def, &water) != TARN_OK) stop(run);
    free(bed);
    Rings rings = make_rings(run, 128, 2);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_shallow(water);
    s.camera = (TarnVec3){ 10.0f, 1.0f, 10.0f };
    run_rings(run, &rings, &s);
    double off = off_circle(&rings.mesh, 10.2, 5.0);
    drop_rings(&rings);
    tarn_shallow_destroy(water);
    return off;
}

static void check_solver_island(CheckRun* run)
{
    double coarse = solver_island(run, 25), fine = solver_island(run, 100);
    check_add(run, "mesh.height.shallow.order", 0.5 * log2(coarse / fine), 2.0, 0.2);
    check_add(run, "mesh.height.shallow.off_cells", fine / 0.2, 0.0, 0.05);
}

// ---- A picture -----------------------------------------------------------------------------------

// The edges seen from above, as one line with gaps.
static void plot_rings(CheckRun* run)
{
    Plot* plot = check_plot(run, "mesh.height.rings", "x [m]", "z [m]");
    if (plot == NULL) return;
    Rings rings = make_rings(run, 24, 4);
    Lake lake = { .island = 4.0f, .middle = 14.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 48.0f, 0.5f);
    s.max.y = 26.0f;
    s.anchor = (TarnVec2){ 0.25f, 0.25f };
    s.camera = (TarnVec3){ 19.0f, 1.0f, 11.0f };
    run_rings(run, &rings, &s);
    int n = rings.mesh.n_triangles;
    double *x = malloc((size_t)n * 5 * sizeof *x), *z = malloc((size_t)n * 5 * sizeof *z);
    for (int t = 0; t < n; ++t) {
        for (int j = 0; j < 4; ++j) {
            x[5 * t + j] = (double)corner_of(&rings.mesh, t, j).x;
            z[5 * t + j] = (double)corner_of(&rings.mesh, t, j).z;
        }
        x[5 * t + 4] = z[5 * t + 4] = NAN;
    }
    plot_title(plot, "Four rings of 24 cells around a camera at 19, 11, and an island");
    plot_x_range(plot, 0.0, 48.0);
    plot_y_range(plot, 0.0, 26.0);
    plot_line(plot, NULL, x, z, 5 * n);
    plot_done(plot);
    free(x);
    free(z);
    drop_rings(&rings);
}

void check_mesh_height(CheckRun* run, const char* group)
{
    if (strcmp(group, "mesh.height.cover") == 0) check_cover(run);
    if (strcmp(group, "mesh.height.surface") == 0) check_surface(run);
    if (strcmp(group, "mesh.height.steps") == 0) check_steps(run);
    if (strcmp(group, "mesh.height.island") == 0) check_island(run), plot_rings(run);
    if (strcmp(group, "mesh.height.shallow") == 0) check_solver_island(run);
}
