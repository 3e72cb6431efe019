// Checks of breaking waves: what breaks and what does not, that lines stay on their fronts, that landing sheets move no
// net volume, that sheets fly as thrown and are closed.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 160, NZ = 96, MAX_POINTS = 2048 };
static const float dx = 0.25f, rest = 1.0f;

typedef struct Tank {
    TarnShallow* water;
    TarnBreakers* breakers;
} Tank;

typedef float FieldFn(float x, float z, const void* user);

static Tank fill(CheckRun* run, FieldFn* bed, FieldFn* depth, const void* user)
{
    static float ground[NX * NZ], water[NX * NZ];
    TarnShallowDef def = tarn_shallow_default_def();
    TarnBreakersDef sheets = tarn_breakers_default_def();
    Tank tank = { 0 };
    for (int c = 0; c < NX * NZ; ++c) {
        float x = ((float)(c % NX) + 0.5f) * dx, z = ((float)(c / NX) + 0.5f) * dx;
        ground[c] = bed ? bed(x, z, user) : 0.0f;
        water[c] = depth(x, z, user);
    }
    def.nx = sheets.nx = NX, def.nz = sheets.nz = NZ, def.dx = sheets.dx = dx;
    def.bed = ground, def.depth = water;
    if (tarn_shallow_create(run->ctx, &def, &tank.water) != TARN_OK ||
        tarn_breakers_create(run->ctx, &sheets, &tank.breakers) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return tank;
}

static void empty(Tank* tank)
{
    tarn_breakers_destroy(tank->breakers);
    tarn_shallow_destroy(tank->water);
}

static void step(Tank* tank)
{
    tarn_shallow_step(tank->water, 1.0f / 60.0f, NULL);
    TarnSurface surface = tarn_shallow_surface(tank->water);
    tarn_breakers_step(tank->breakers, &surface, NULL, 1.0f / 60.0f, NULL);
}

// The longest line.
static int longest(const Tank* tank, TarnBreakerPoint* points, bool* is_closed)
{
    int best = 0, line = -1;
    for (int i = 0; i < tarn_breakers_line_count(tank->breakers); ++i) {
        int n;
        tarn_breakers_line(tank->breakers, i, 0, NULL, &n, NULL);
        if (n > best) best = n, line = i;
    }
    if (line < 0) return 0;
    tarn_breakers_line(tank->breakers, line, MAX_POINTS, points, &best, is_closed);
    return best;
}

// Distance along its direction from a point to the steepest place of the surface near it [cells], by trying all.
static double off_steepest(const Tank* tank, const TarnBreakerPoint* p)
{
    TarnSurface surface = tarn_shallow_surface(tank->water);
    double best = -1.0, at = 0.0;
    for (int i = -48; i <= 48; ++i) {
        float t = (float)i * dx / 16.0f;
        float x = p->position.x + t * p->direction.x, z = p->position.z + t * p->direction.y;
        float ax = dx * p->direction.x, az = dx * p->direction.y;
        double fall = (double)tarn_surface_height(surface, x - ax, z - az) -
                      (double)tarn_surface_height(surface, x + ax, z + az);
        if (fall > best) best = fall, at = (double)t;
    }
    return fabs(at) / (double)dx;
}

// ---- A plane step ------------------------------------------------------------------------------------

// Water one and a half times as high as the rest behind a line through (8, 12) whose normal is turned.
static float plane_step(float x, float z, const void* user)
{
    float angle = *(const float*)user;
    float s = (x - 8.0f) * cosf(angle) + (z - 12.0f) * sinf(angle);
    return s < 0.0f ? 1.5f * rest : rest;
}

static void check_step(CheckRun* run, float angle, const char* name)
{
    static TarnBreakerPoint points[MAX_POINTS];
    Tank tank = fill(run, NULL, plane_step, &angle);
    double off = 0.0, mean = 0.0, turned = 0.0, length = 0.0;
    int count = 0, frames = 0;
    char label[64];
    for (int s = 0; s < 150; ++s) {
        bool is_closed;
        step(&tank);
        int n = longest(&tank, points, &is_closed);
        if (s < 30) continue;
        ++frames;
        for (int i = 0; i < n; ++i) {
            if (points[i].position.z < 5.0f || points[i].position.z > 19.0f) continue;
            double o = off_steepest(&tank, &points[i]);
            off = fmax(off, o), mean += o, ++count;
            turned += atan2((double)points[i].direction.y, (double)points[i].direction.x);
        }
        for (int i = 1; i < n; ++i)
            length += hypot((double)points[i].position.x - (double)points[i - 1].position.x,
                            (double)points[i].position.z - (double)points[i - 1].position.z);
    }
    snprintf(label, sizeof label, "breakers.%s.off_steepest", name);
    check_add(run, label, off, 0.0, 1.0);
    snprintf(label, sizeof label, "breakers.%s.mean_off", name);
    check_add(run, label, count ? mean / count : 9.0, 0.0, 0.35);
    snprintf(label, sizeof label, "breakers.%s.direction", name);
    check_add(run, label, count ? turned / count : 9.0, (double)angle, angle > 0.0f ? 0.1 : 0.02);
    snprintf(label, sizeof label, "breakers.%s.length", name); // of the crest, between the walls
    check_add(run, label, length / frames, 24.0 / cos((double)angle), 0.12);
    snprintf(label, sizeof label, "breakers.%s.sheet", name);
    check_add(run, label, tarn_breakers_node_count(tank.breakers) > 500, 1.0, 0.0);
    empty(&tank);
}

// ---- A square column ------------------------------------------------------------------------------------

static float column(float x, float z, const void* user)
{
    (void)user;
    return fabsf(x - 20.0f) < 3.0f && fabsf(z - 12.0f) < 3.0f ? 3.0f : rest;
}

static void check_column(CheckRun* run)
{
    static TarnBreakerPoint points[MAX_POINTS];
    Tank tank = fill(run, NULL, column, NULL);
    bool is_closed = false, was_closed = false;
    int n = 0;
    double low = 1e9, high = 0.0;
    for (int s = 0; s < 60; ++s) {
        step(&tank);
        n = longest(&tank, points, &is_closed);
        was_closed |= is_closed;
        if (s == 30)
            for (int i = 0; i < n; ++i) {
                double r =
                    hypot((double)points[i].position.x - 20.0, (double)points[i].position.z - 12.0);
                low = fmin(low, r), high = fmax(high, r);
            }
    }
    check_add(run, "breakers.column.closed", was_closed, 1.0, 0.0);
    check_add(run, "breakers.column.round", low / high, 1.0, 0.25);
    empty(&tank);
}

// ---- What does not break, or not yet ------------------------------------------------------------------

static float gentle(float x, float z, const void* user)
{
    (void)z, (void)user;
    return rest + 0.05f * sinf(6.2831853f * x / 10.0f);
}

static void check_sine(CheckRun* run)
{
    Tank tank = fill(run, NULL, gentle, NULL);
    int lines = 0;
    for (int s = 0; s < 240; ++s) {
        step(&tank);
        lines += tarn_breakers_line_count(tank.breakers);
    }
    check_add(run, "breakers.sine.lines", lines, 0.0, 0.0);
    empty(&tank);
}

static const float shelf_at = 12.0f;

static float shelf(float x, float z, const void* user)
{
    (void)z, (void)user;
    float t = fminf(fmaxf((x - shelf_at) / 6.0f, 0.0f), 1.0f);
    return 1.6f * t * t * (3.0f - 2.0f * t);
}

// Half a hump at the left wall, at rest: it runs to the right over water 2.5 m deep.
static float hump(float x, float z, const void* user)
{
    float s = x / 3.5f;
    return 2.5f - shelf(x, z, user) + 0.7f * expf(-s * s);
}

static void check_shelf(CheckRun* run)
{
    static TarnBreakerPoint points[MAX_POINTS];
    Tank tank = fill(run, shelf, hump, NULL);
    double first = 0.0, begin = 0.0;
    for (int s = 0; s < 360 && first == 0.0; ++s) {
        bool is_closed;
        step(&tank);
        int n = longest(&tank, points, &is_closed);
        if (n > 0) first = (double)points[n / 2].position.x, begin = (double)(s + 1) / 60.0;
    }
    check_add(run, "breakers.shelf.breaks", begin > 0.0, 1.0, 0.0);
    check_add(run, "breakers.shelf.only_after", first > (double)shelf_at, 1.0, 0.0);
    empty(&tank);
}

// ---- Volume, flight, mesh -------------------------------------------------------------------------------

static void check_volume(CheckRun* run)
{
    float angle = 0.0f;
    Tank tank = fill(run, NULL, plane_step, &angle);
    double before = tarn_shallow_ledger(tank.water).volume;
    for (int s = 0; s < 240; ++s) step(&tank);
    TarnShallowLedger ledger = tarn_shallow_ledger(tank.water);
    check_add(run, "breakers.volume.moved", tarn_breakers_moved(tank.breakers) > 0.1, 1.0, 0.0);
    check_add(run, "breakers.volume.error", ledger.error, 0.0, 0.0);
    check_add(run, "breakers.volume.net", ledger.volume - before, 0.0, 0.0);
    check_add(run, "breakers.volume.sources", ledger.sources, 0.0, 0.0);
    empty(&tank);
}

static void check_sheet_mesh(CheckRun* run)
{
    static TarnVec3 position[65536], velocity[65536];
    static uint32_t index[3 * 131072];
    float angle = 0.0f;
    int open = 0, crowded = 0, flipped = 0;
    double thinnest = 1e9;
    for (int shape = 0; shape < 2; ++shape) {
        Tank tank = fill(run, NULL, shape ? column : plane_step, &angle);
        for (int s = 0; s < 90; ++s) {
            step(&tank);
            TarnMesh mesh = { .position = position, .velocity = velocity, .index = index };
            TarnMeshStats stats;
            mesh.max_vertices = 65536, mesh.max_triangles = 131072;
            if (tarn_breakers_mesh(tank.breakers, &mesh) != TARN_OK || mesh.n_triangles == 0)
                continue;
            tarn_mesh_stats(run->ctx, &mesh, &stats);
            open += stats.open_edges, crowded += stats.crowded_edges,
                flipped += stats.flipped_edges;
            thinnest = fmin(thinnest, stats.volume);
        }
        empty(&tank);
    }
    check_add(run, "breakers.mesh.open_edges", open, 0.0, 0.0);
    check_add(run, "breakers.mesh.crowded_edges", crowded, 0.0, 0.0);
    check_add(run, "breakers.mesh.flipped_edges", flipped, 0.0, 0.0);
    check_add(run, "breakers.mesh.volume", thinnest > 0.0, 1.0, 0.0);
}

void check_breakers(CheckRun* run, const char* group)
{
    if (strcmp(group, "breakers.step") == 0) check_step(run, 0.0f, "step");
    if (strcmp(group, "breakers.turned") == 0) check_step(run, 0.17453293f, "turned");
    if (strcmp(group, "breakers.column") == 0) check_column(run);
    if (strcmp(group, "breakers.sine") == 0) check_sine(run);
    if (strcmp(group, "breakers.shelf") == 0) check_shelf(run);
    if (strcmp(group, "breakers.volume") == 0) check_volume(run);
    if (strcmp(group, "breakers.mesh") == 0) check_sheet_mesh(run);
}
