// Checks of screen-space meshes: the outline, the place and the volume of spheres, which are known; steps that stay
// and bumps that go; triangles by distance.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 20000, MAX_VERTICES = 400000, MAX_TRIANGLES = 800000 };
static const double PI = 3.14159265358979323846;

typedef struct Scene {
    TarnScreenMesh* screen;
    TarnScreenCamera camera; // at the origin, looks along -z
    TarnScreenMeshParams params;
    TarnMesh mesh;
    float* at;
    int n, n_front;
} Scene;

static Scene make_of(CheckRun* run, bool is_perspective, int spacing)
{
    Scene s = { .at = malloc(3 * MAX_POINTS * sizeof(float)) };
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = MAX_POINTS, def.max_width = 1280, def.max_height = 720;
    def.spacing = spacing;
    if (tarn_screen_mesh_create(run->ctx, &def, &s.screen) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    s.params = tarn_screen_mesh_default_params();
    s.camera = (TarnScreenCamera){ .width = 1280, .height = 720 };
    for (int a = 0; a < 4; ++a) s.camera.view[5 * a] = 1.0f;
    float* p = s.camera.projection; // 74 degrees wide; orthographic: 4 m high
    p[5] = is_perspective ? 1.0f / 0.42f : 0.5f, p[0] = p[5] * 720.0f / 1280.0f;
    p[10] = -1.0f, p[is_perspective ? 11 : 15] = is_perspective ? -1.0f : 1.0f;
    s.mesh = (TarnMesh){ .position = malloc(MAX_VERTICES * sizeof(TarnVec3)),
                         .normal = malloc(MAX_VERTICES * sizeof(TarnVec3)),
                         .index = malloc(3 * MAX_TRIANGLES * sizeof(uint32_t)),
                         .max_vertices = MAX_VERTICES,
                         .max_triangles = MAX_TRIANGLES };
    return s;
}
static Scene make(CheckRun* run, bool is_perspective)
{
    return make_of(run, is_perspective, 2);
}
static void drop(Scene* s)
{
    tarn_screen_mesh_destroy(s->screen);
    free(s->at), free(s->mesh.position), free(s->mesh.normal), free(s->mesh.index);
}

static void put(Scene* s, double x, double y, double z)
{
    float* to = s->at + s->n++;
    to[0] = (float)x, to[MAX_POINTS] = (float)y, to[2 * MAX_POINTS] = (float)z;
}
static TarnMeshStats draw(CheckRun* run, Scene* s)
{
    TarnPoints points = {
        .n = s->n, .x = s->at, .y = s->at + MAX_POINTS, .z = s->at + 2 * MAX_POINTS
    };
    TarnMeshStats stats;
    if (tarn_screen_mesh_run(s->screen, &points, &s->camera, &s->params, &s->mesh, &s->n_front) !=
            TARN_OK ||
        tarn_mesh_stats(run->ctx, &s->mesh, &stats) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return stats;
}

// In the picture [pixels].
static void pixel(const Scene* s, TarnVec3 p, double out[2])
{
    double w = s->camera.projection[15] > 0.0f ? 1.0 : -(double)p.z;
    out[0] = 640.0 * (1.0 + (double)s->camera.projection[0] * (double)p.x / w);
    out[1] = 360.0 * (1.0 + (double)s->camera.projection[5] * (double)p.y / w);
}

// ---- One sphere ----------------------------------------------------------------------------------

// How far the ray of a vertex passes the sphere's surface, in pixels at its depth: the error of an outline.
static double off_outline(const Scene* s, TarnVec3 v, const double c[3], double r)
{
    double cross[3], d[3] = { (double)v.x, (double)v.y, (double)v.z };
    if (s->camera.projection[15] > 0.0f)
        return (hypot(d[0] - c[0], d[1] - c[1]) - r) * 360.0 * (double)s->camera.projection[5];
    for (int a = 0; a < 3; ++a)
        cross[a] = d[(a + 1) % 3] * c[(a + 2) % 3] - d[(a + 2) % 3] * c[(a + 1) % 3];
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double away = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / length;
    return (away - r) / -c[2] * 360.0 * (double)s->camera.projection[5];
}

// Spheres in the middle and in the corner: largest error of the outline [pixels], area in the picture over
// the true one, largest distance of nodes from the sphere in radii.
static void check_sphere(CheckRun* run, bool is_perspective)
{
    static const double places[3][3] = { { 0.01, 0.02, -4.0 },
                                         { 2.2, 1.1, -4.0 },
                                         { -0.5, 0.1, -1.2 } };
    double worst = 0.0, worst_area = 0.0, worst_node = 0.0;
    for (int k = 0; k < 3; ++k) {
        Scene s = make(run, is_perspective);
        const double* c = places[k];
        double r = k == 2 ? 0.3 : 0.15, area = 0.0;
        s.params.radius = (float)r, s.params.filter = 0;
        put(&s, c[0], c[1], c[2]);
        draw(run, &s);
        for (int t = 0; t < s.mesh.n_triangles; ++t) {
            double p[3][2];
            for (int v = 0; v < 3; ++v) pixel(&s, s.mesh.position[s.mesh.index[3 * t + v]], p[v]);
            area += 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                           (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]));
        }
        for (int v = 0; v < s.mesh.n_vertices; ++v) {
            TarnVec3 p = s.mesh.position[v], n = s.mesh.normal[v];
            double d[3] = { (double)p.x - c[0], (double)p.y - c[1], (double)p.z - c[2] };
            double away = fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / r - 1.0);
            double look = is_perspective ? ((double)n.x * (double)p.x + (double)n.y * (double)p.y +
                                            (double)n.z * (double)p.z) /
                                               -c[2]
                                         : -(double)n.z;
            if (fabs(look) < 0.05) // normals across the view: the outline
                worst = fmax(worst, fabs(off_outline(&s, p, c, r)));
            else
                worst_node = fmax(worst_node, away);
        }
        // The cone around a sphere cuts the picture in an ellipse: half axes a b = r^2 sqrt(|c|^2 - r^2) / h^3,
        // h^2 = c_z^2 - r^2, at the distance 1.
        double f = 360.0 * (double)s.camera.projection[5], h2 = c[2] * c[2] - r * r;
        double c2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        double full = is_perspective ? PI * r * r * sqrt(c2 - r * r) / (h2 * sqrt(h2)) : PI * r * r;
        worst_area = fmax(worst_area, fabs(area / (full * f * f) - 1.0));
        drop(&s);
    }
    const char* kind = is_perspective ? "perspective" : "orthographic";
    char name[56];
    snprintf(name, sizeof name, "mesh.screen.sphere.%s.outline_px", kind);
    check_add(run, name, worst, 0.0, 1.0);
    snprintf(name, sizeof name, "mesh.screen.sphere.%s.area", kind);
    check_add(run, name, 1.0 + worst_area, 1.0, 0.01);
    snprintf(name, sizeof name, "mesh.screen.sphere.%s.nodes", kind);
    check_add(run, name, worst_node, 0.0, 1e-3);
}

// Front and back together enclose the sphere, but for a gap at its rim.
static void check_thickness(CheckRun* run)
{
    Scene s = make(run, true);
    s.params.radius = 0.5f, s.params.filter = 0, s.params.layers = 2;
    put(&s, 0.3, -0.2, -3.0);
    TarnMeshStats stats = draw(run, &s);
    check_add(run, "mesh.screen.layers.volume", stats.volume, 4.0 / 3.0 * PI * 0.125, 0.01);
    check_add(run, "mesh.screen.layers.area", stats.area, 4.0 * PI * 0.25, 0.02);
    check_add(run, "mesh.screen.layers.flipped", stats.flipped_edges + stats.crowded_edges, 0.0,
              0.0);
    drop(&s);
}

// ---- Walls of particles --------------------------------------------------------------------------

// A wall, its right half nearer by 8 radii: the step between the halves, and what is left of the bumps.
static void check_step(CheckRun* run)
{
    double rough = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        Scene s = make(run, false);
        s.params.radius = 0.05f, s.params.filter = pass ? 14 : 0;
        for (int j = -36; j <= 36; ++j)
            for (int i = -60; i < 60; ++i) put(&s, 0.05 * (i + 0.5), 0.05 * j, i < 0 ? -5.0 : -4.6);
        TarnMeshStats stats = draw(run, &s);
        double low[2] = { 1e9, 1e9 }, high[2] = { 0.0, 0.0 }, sum[2] = { 0.0, 0.0 };
        int n[2] = { 0, 0 };
        for (int v = 0; v < s.mesh.n_vertices; ++v) {
            TarnVec3 p = s.mesh.position[v];
            int side = p.x > 0.0f;
            if (fabsf(p.y) > 1.5f || fabsf(p.x) > 2.5f || fabsf(p.x) < 0.25f) continue;
            low[side] = fmin(low[side], -(double)p.z), high[side] = fmax(high[side], -(double)p.z);
            sum[side] -= (double)p.z;
            ++n[side];
        }
        double bumps = fmax(high[0] - low[0], high[1] - low[1]) / 0.05;
        if (pass == 0) rough = bumps;
        if (pass == 1) {
            check_add(run, "mesh.screen.filter.step", sum[0] / n[0] - sum[1] / n[1], 0.4, 0.01);
            check_add(run, "mesh.screen.filter.bumps", bumps / rough, 0.0, 0.2);
            check_add(run, "mesh.screen.filter.parts", stats.parts, 2.0, 0.0);
        }
        drop(&s);
    }
}

// A ball of particles twice as far is a quarter of the triangles.
static void check_detail(CheckRun* run)
{
    double first = 0.0, last = 0.0;
    for (int d = 0; d < 4; ++d) {
        Scene s = make(run, true);
        s.params.radius = 0.06f;
        for (int n = 0; n < 4096; ++n) {
            double x = n % 16 - 7.5, y = n / 16 % 16 - 7.5, z = n / 256 - 7.5;
            if (x * x + y * y + z * z < 64.0)
                put(&s, 0.05 * x, 0.05 * y, 0.05 * z - 2.0 * (1 << d));
        }
        draw(run, &s);
        if (d == 0) first = s.mesh.n_triangles;
        last = s.mesh.n_triangles;
        drop(&s);
    }
    check_add(run, "mesh.screen.detail.order", log2(first / last) / 3.0, 2.0, 0.1);
}

// A wave in a box and drops over it, as the camera sees the mesh, and the same mesh from the side: what was
// hidden is not there.
static void plot_side(CheckRun* run)
{
    Plot* plot = check_plot(run, "mesh.screen.side", "", "");
    if (plot == NULL) return;
    Scene s = make_of(run, true, 16);
    s.params.radius = 0.06f;
    for (int n = 0; n < 30 * 8 * 30; ++n) {
        double i = n % 30 - 14.5, j = n / 30 % 8, k = n / 240 - 14.5,
               wave = exp(-0.03 * (k + 3.0) * (k + 3.0));
        put(&s, 0.05 * i, 0.05 * j * (1.0 + 1.2 * wave) - 0.75, 0.05 * k - 2.2);
    }
    for (int n = 0; n < 12; ++n)
        put(&s, 0.15 * (n % 5 - 2) + 0.05, 0.2 + 0.09 * (n % 3), -2.6 + 0.11 * (n % 7));
    draw(run, &s);
    double* line = malloc((size_t)s.mesh.n_triangles * 10 * sizeof(double));
    for (int view = 0; view < 2; ++view) {
        int n = 0;
        for (int t = 0; t < s.mesh.n_triangles; ++t) {
            for (int v = 0; v < 5; ++v, ++n) {
                TarnVec3 p = s.mesh.position[s.mesh.index[3 * t + v % 3]];
                double depth = -(double)p.z,
                       x = view ? 2.2 - (depth - 2.2) : 2.2 * (double)p.x / depth;
                double y = view ? (double)p.y : 2.2 * (double)p.y / depth;
                line[2 * n] = v < 4 ? x : NAN, line[2 * n + 1] = v < 4 ? y : NAN;
            }
        }
        double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
        for (int i = 0; i < n; ++i) x[i] = line[2 * i], y[i] = line[2 * i + 1];
        plot_line(plot, view ? "the same mesh from the side" : "as the camera sees it", x, y, n);
        free(x), free(y);
    }
    plot_title(plot, "Nodes 16 pixels apart, and the same triangles from the side");
    plot_done(plot);
    free(line);
    drop(&s);
}

void check_mesh_screen(CheckRun* run, const char* group)
{
    if (strcmp(group, "mesh.screen.sphere") == 0) {
        check_sphere(run, true);
        check_sphere(run, false);
    }
    if (strcmp(group, "mesh.screen.layers") == 0) check_thickness(run);
    if (strcmp(group, "mesh.screen.filter") == 0) check_step(run);
    if (strcmp(group, "mesh.screen.detail") == 0) check_detail(run), plot_side(run);
}
