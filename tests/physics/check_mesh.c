// Checks of marching cubes: shapes of known topology, area and volume, and noise, whose
// topology is that of the trilinear interpolant. That is found twice in other ways: exactly, by slices, and by
// counting simplices of a fine grid.

#include "check.h"
#include "mesh/marching_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void stop_if(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

static TarnMarching* make_marching(CheckRun* run, int n)
{
    TarnMarchingDef def = tarn_marching_default_def();
    def.nx = def.ny = def.nz = n;
    TarnMarching* m;
    stop_if(run, tarn_marching_create(run->ctx, &def, &m));
    return m;
}

// Of a mesh in buffers that grow as needed.
typedef struct Buffers {
    TarnMesh mesh;
} Buffers;

static TarnMeshStats measure(CheckRun* run, TarnMarching* m, const TarnField3* field, float snap,
                             Buffers* b)
{
    TarnMarchingParams params = tarn_marching_default_params();
    params.snap = snap;
    TarnResult result = tarn_marching_run(m, field, &params, &b->mesh);
    if (result == TARN_ERR_CAPACITY) {
        TarnMesh* mesh = &b->mesh;
        mesh->max_vertices = 2 * mesh->n_vertices, mesh->max_triangles = 2 * mesh->n_triangles;
        mesh->position =
            realloc(mesh->position, (size_t)mesh->max_vertices * sizeof *mesh->position);
        mesh->index = realloc(mesh->index, (size_t)mesh->max_triangles * 3 * sizeof *mesh->index);
        result = tarn_marching_run(m, field, &params, mesh);
    }
    stop_if(run, result);
    TarnMeshStats stats;
    stop_if(run, tarn_mesh_stats(run->ctx, &b->mesh, &stats));
    return stats;
}
static Buffers make_buffers(void)
{
    Buffers b = { { .max_vertices = 0 } };
    b.mesh.position = malloc(sizeof(TarnVec3)), b.mesh.index = malloc(3 * sizeof(uint32_t));
    return b;
}
static void drop_buffers(Buffers* b)
{
    free(b->mesh.position), free(b->mesh.index);
}
static int bad_edges(const TarnMeshStats* s)
{
    return s->open_edges + s->crowded_edges + s->flipped_edges + s->degenerate;
}

// ---- Shapes -------------------------------------------------------------------------------------

static const char* const shape_names[6] = { "sphere", "torus",   "two_spheres",
                                            "shell",  "genus_2", "box" };

static double torus(double x, double y, double z, double ring, double tube)
{
    double q = sqrt(x * x + y * y) - ring;
    return sqrt(q * q + z * z) - tube;
}
static double box(double x, double y, double z)
{
    double a = fabs(x) - 0.31, b = fabs(y) - 0.23, c = fabs(z) - 0.17;
    double p = fmax(a, 0.0), q = fmax(b, 0.0), r = fmax(c, 0.0);
    return fmin(fmax(a, fmax(b, c)), 0.0) + sqrt(p * p + q * q + r * r);
}
static double distance_to(int shape, double x, double y, double z)
{
    double r = sqrt(x * x + y * y + z * z);
    switch (shape) {
    case 0:
        return r - 0.37;
    case 1:
        return torus(x, y, z, 0.3, 0.11);
    case 2:
        return sqrt((fabs(x) - 0.22) * (fabs(x) - 0.22) + y * y + z * z) - 0.17;
    case 3:
        return fmax(r - 0.4, 0.2 - r);
    case 4:
        return fmin(torus(x - 0.18, y, z, 0.17, 0.06), torus(x + 0.18, y, z, 0.17, 0.06));
    default:
        return box(x, y, z);
    }
}

static TarnMeshStats measure_shape(CheckRun* run, int shape, int cells, float snap)
{
    int n = cells + 1;
    double h = 1.0 / cells;
    float* value = malloc((size_t)n * (size_t)n * (size_t)n * sizeof(float));
    for (int c = 0; c < n * n * n; ++c)
        value[c] = (float)distance_to(shape, c % n * h - 0.5 + 1e-4, c / n % n * h - 0.5 + 2e-4,
                                      c / n / n * h - 0.5 + 3e-4);
    TarnField3 field = { .value = { value, n, n, n, n, n * n }, .dx = (float)h };
    field.origin = (TarnVec3){ -0.5f, -0.5f, -0.5f };
    TarnMarching* m = make_marching(run, n);
    Buffers b = make_buffers();
    TarnMeshStats stats = measure(run, m, &field, snap, &b);
    drop_buffers(&b);
    tarn_marching_destroy(m);
    free(value);
    return stats;
}

// Area and volume by another extractor at 16, 32, 64 and 128 cells; the shape of genus 2 there
// is another one.
static const double measured[6][4][2] = {
    { { 1.70469584, 0.20848884 },
      { 1.71650323, 0.21127574 },
      { 1.71937474, 0.21194863 },
      { 1.72009568, 0.21211824 } },
    { { 1.27834992, 0.06672890 },
      { 1.29671365, 0.07046345 },
      { 1.30127013, 0.07135143 },
      { 1.30240913, 0.07157824 } },
    { { 0.69476814, 0.03781054 },
      { 0.71860194, 0.04033032 },
      { 0.72441448, 0.04095079 },
      { 0.72585662, 0.04110726 } },
    { { 2.48211614, 0.23257852 },
      { 2.50550910, 0.23408308 },
      { 2.51134363, 0.23444999 },
      { 2.51279295, 0.23454176 } },
    { { 0 } },
    { { 1.13573544, 0.09079411 },
      { 1.24366478, 0.09596821 },
      { 1.26114768, 0.09650149 },
      { 1.28641251, 0.09688213 } },
};

static void check_shapes(CheckRun* run)
{
    const int euler[6] = { 2, 0, 4, 4, -2, 2 };
    int open = 0;
    for (int shape = 0; shape < 6; ++shape) {
        double worst_area = 0.0, worst_volume = 0.0;
        int differs = 0;
        char name[56];
        for (int w = 0; w < (run->is_quick ? 3 : 4); ++w) {
            TarnMeshStats s = measure_shape(run, shape, 16 << w, 0.0f);
            open += bad_edges(&s);
            differs += abs(s.euler - euler[shape]);
            worst_area = fmax(worst_area, fabs(s.area / measured[shape][w][0] - 1.0));
            worst_volume = fmax(worst_volume, fabs(s.volume / measured[shape][w][1] - 1.0));
        }
        snprintf(name, sizeof name, "mesh.shapes.%s.euler", shape_names[shape]);
        check_add(run, name, euler[shape] + differs, euler[shape], 0.0);
        if (shape == 4) continue;
        snprintf(name, sizeof name, "mesh.shapes.%s.area", shape_names[shape]);
        check_add(run, name, worst_area, 0.0, 1e-4);
        snprintf(name, sizeof name, "mesh.shapes.%s.volume", shape_names[shape]);
        check_add(run, name, worst_volume, 0.0, 3e-4);
    }
    check_add(run, "mesh.shapes.bad_edges", open, 0.0, 0.0);
}

// Errors of a sphere are -0.31 and -0.60 (h / R)^2.
static void check_order(CheckRun* run)
{
    double error[2][2], r = 0.37;
    for (int w = 0; w < 2; ++w) {
        TarnMeshStats s = measure_shape(run, 0, 32 << w, 0.0f);
        double hr = 1.0 / (32 << w) / r;
        error[w][0] = (s.area / (4.0 * PI * r * r) - 1.0) / (hr * hr);
        error[w][1] = (s.volume / (4.0 / 3.0 * PI * r * r * r) - 1.0) / (hr * hr);
    }
    check_add(run, "mesh.order.area_error", error[1][0], -0.31, 0.05);
    check_add(run, "mesh.order.volume_error", error[1][1], -0.60, 0.05);
    check_add(run, "mesh.order.area", 2.0 + log2(error[0][0] / error[1][0]), 2.0, 0.03);
    check_add(run, "mesh.order.volume", 2.0 + log2(error[0][1] / error[1][1]), 2.0, 0.03);
}

// ---- The topology of trilinear functions, by slices -----------------------------------------------

// Parts of the fluid of a bilinear function; corners in the order (0, 0), (1, 0), (0, 1), (1, 1).
static int parts_of_square(const double f[4])
{
    bool in[4];
    int n = 0;
    for (int c = 0; c < 4; ++c) n += in[c] = f[c] < 0.0;
    if (n != 2 || in[0] != in[3]) return n > 0;
    double fluid = in[0] ? f[0] * f[3] : f[1] * f[2], other = in[0] ? f[1] * f[2] : f[0] * f[3];
    return fluid > other ? 1 : 2;
}

static void slice_at(const float level[8], double z, double f[4])
{
    for (int c = 0; c < 4; ++c)
        f[c] = (double)level[c] + z * ((double)level[c + 4] - (double)level[c]);
}

// Where slices along z change: a corner changes its sign, or the fluid of the slice parts or joins.
static int find_events(const float level[8], double at[8])
{
    int n = 0;
    double d[4], f[4];
    for (int c = 0; c < 4; ++c) {
        f[c] = level[c], d[c] = (double)level[c + 4] - (double)level[c];
        if ((f[c] < 0.0) != (f[c] + d[c] < 0.0)) at[n++] = -f[c] / d[c];
    }
    double a = d[0] * d[3] - d[1] * d[2], c = f[0] * f[3] - f[1] * f[2];
    double b = f[0] * d[3] + f[3] * d[0] - f[1] * d[2] - f[2] * d[1], under = b * b - 4.0 * a * c;
    if (under > 0.0 && a != 0.0) {
        for (int s = -1; s <= 1; s += 2) {
            double root = (-b + s * sqrt(under)) / (2.0 * a);
            if (root > 0.0 && root < 1.0) at[n++] = root;
        }
    }
    for (int i = 1; i < n; ++i)
        for (int j = i; j > 0 && at[j] < at[j - 1]; --j) {
            double swap = at[j];
            at[j] = at[j - 1], at[j - 1] = swap;
        }
    return n;
}

// Euler characteristic of the fluid in a cell: that of the slices of events and of both ends, less that of one
// slice of each open slab between. At an event the slice is that of the side with more fluid.
static int euler_of_fluid(const float level[8])
{
    double at[8], mid[4], next[4];
    int n = find_events(level, at), sum = 0;
    for (int i = 0; i <= n; ++i) {
        double lo = i == 0 ? 0.0 : at[i - 1], hi = i == n ? 1.0 : at[i];
        slice_at(level, 0.5 * (lo + hi), mid);
        sum += ((i == 0) + (i == n) - 1) * parts_of_square(mid);
        if (i == n) break;
        slice_at(level, 0.5 * (hi + (i + 1 == n ? 1.0 : at[i + 1])), next);
        int fluid = 0, parts = parts_of_square(mid), parts_next = parts_of_square(next);
        for (int c = 0; c < 4; ++c) fluid += (next[c] < 0.0) - (mid[c] < 0.0);
        if (fluid != 0)
            sum += fluid > 0 ? parts_next : parts;
        else // no corner changed: joined on one side, or nothing happened
            sum += parts < parts_next ? parts : parts_next;
    }
    return sum;
}

static const uint8_t faces[6][4] = { { 0, 2, 4, 6 }, { 1, 3, 5, 7 }, { 0, 1, 4, 5 },
                                     { 2, 3, 6, 7 }, { 0, 1, 2, 3 }, { 4, 5, 6, 7 } };

// Of the surface in a closed cell: that of the boundary of the fluid less what of it lies in the cell's faces.
static int euler_of_surface(const float level[8])
{
    int shell = 0;
    for (int s = 0; s < 6; ++s) {
        double f[4];
        for (int c = 0; c < 4; ++c) f[c] = level[faces[s][c]];
        shell += parts_of_square(f);
    }
    for (int c = 0; c < 8; ++c) {
        shell += level[c] < 0.0f;
        for (int a = 1; a < 8; a *= 2)
            if (!(c & a)) shell -= level[c] < 0.0f || level[c | a] < 0.0f;
    }
    return 2 * euler_of_fluid(level) - shell;
}

// ---- The same by counting simplices of a fine grid ----------------------------------------------------

// Each cube is cut into six tetrahedra; those that the surface meets, and their faces and edges that it meets,
// make its Euler characteristic.
static int euler_of_fine(const float l[8], int r)
{
    int n = r + 1, sum = 0;
    uint8_t* in = malloc((size_t)n * (size_t)n * (size_t)n);
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            double y = (double)j / r, z = (double)k / r, e[2];
            for (int s = 0; s < 2; ++s)
                e[s] = (l[s] * (1 - y) + l[s + 2] * y) * (1 - z) +
                       (l[s + 4] * (1 - y) + l[s + 6] * y) * z;
            for (int i = 0; i < n; ++i)
                in[i + n * (j + n * k)] = e[0] + (e[1] - e[0]) * i / r < 0.0;
        }
    }
    for (int c = 0; c < n * n * n; ++c) {
        int x = c % n == r, y = c / n % n == r, z = c / n / n == r, s[8];
        int beyond = x | y << 1 | z << 2, mixed = 0;
        for (int d = 0; d < 8; ++d) {
            s[d] = d & beyond ? in[c] : in[c + (d & 1) + n * ((d >> 1 & 1) + n * (d >> 2))];
            mixed |= s[d] != s[0];
        }
        for (int a = 1; a < 8 && mixed; ++a) {
            if (a & beyond) continue;
            sum += s[a] != s[0];
            for (int b = a + 1; b < 8; ++b) {
                if ((a & b) != a || b & beyond) continue;
                sum -= s[a] != s[0] || s[b] != s[0];
                if (b != 7 && !beyond) sum += s[a] != s[0] || s[b] != s[0] || s[7] != s[0];
            }
        }
    }
    free(in);
    return sum;
}

// ---- Cells and grids of noise -----------------------------------------------------------------------

static float noise(uint32_t* s)
{
    *s = *s * 1664525u + 1013904223u;
    return 2.0f * ((float)(*s >> 8) * 0x1p-24f) - 1.0f;
}

static int euler_of_cell(const MarchingCell* cell)
{
    uint32_t edges[32] = { 0 }, used = 0;
    int n = cell->n_triangles;
    for (int t = 0; t < cell->n_triangles; ++t) {
        for (int i = 0; i < 3; ++i) {
            int a = cell->triangle[t][i], b = cell->triangle[t][(i + 1) % 3];
            int low = a < b ? a : b, high = a < b ? b : a;
            n -= !(edges[low] >> high & 1u);
            edges[low] |= 1u << high;
            used |= 1u << a;
        }
    }
    for (; used; used &= used - 1) ++n;
    return n;
}

// Faces and the hexagon may be as close to undecided as noise makes them: a fine grid does not see that.
static bool agrees_with_fine(const float level[8], int euler)
{
    for (int r = 8; r <= 128; r *= 2)
        if (euler_of_fine(level, r) == euler) return true;
    return false;
}

static void check_cells(CheckRun* run)
{
    static const uint8_t patterns[10] = {
        0x69, 0x81, 0x7e, 0x96, 0xc3, 0xa5, 0xe9, 0x61, 0x85, 0x41
    };
    int n = run->is_quick ? 100000 : 1000000, n_fine = run->is_quick ? 500 : 10000;
    int bad = 0, bad_fine = 0, tunnels = 0;
    uint32_t seed = 7;
    for (int i = 0; i < n; ++i) {
        float level[8];
        for (int c = 0; c < 8; ++c) {
            float v = fabsf(noise(&seed)) + 1e-6f;
            level[c] = patterns[i % 10] >> c & 1 ? -v : v;
        }
        MarchingCell cell;
        tarn__marching_cell(level, &cell);
        int euler = euler_of_cell(&cell);
        bad += euler != euler_of_surface(level);
        tunnels += cell.n_extra >= 6;
        if (i < n_fine) bad_fine += !agrees_with_fine(level, euler);
    }
    check_add(run, "mesh.cells.slices", bad, 0.0, 0.0);
    check_add(run, "mesh.cells.fine_grid", (double)bad_fine / n_fine, 0.0, 5e-4);
    check_add(run, "mesh.cells.tunnels", (double)tunnels / n, 0.0115, 0.2); // there are some
}

// Cells share faces, and faces edges: what is counted twice is taken out.
static int euler_of_grid(const float* value, int n)
{
    int sum = 0;
    const int step[3] = { 1, n, n * n };
    for (int c = 0; c < n * n * n; ++c) {
        const int at[3] = { c % n, c / n % n, c / n / n };
        bool has[3] = { at[0] + 1 < n, at[1] + 1 < n, at[2] + 1 < n };
        for (int a = 0; a < 3; ++a) { // edges and faces from this node on
            if (has[a]) sum += (value[c] < 0.0f) != (value[c + step[a]] < 0.0f);
            int u = (a + 1) % 3, v = (a + 2) % 3;
            if (!has[u] || !has[v]) continue;
            int cut = 0;
            const int corner[5] = { c, c + step[u], c + step[u] + step[v], c + step[v], c };
            for (int i = 0; i < 4; ++i)
                cut += (value[corner[i]] < 0.0f) != (value[corner[i + 1]] < 0.0f);
            sum -= cut / 2;
        }
        if (!has[0] || !has[1] || !has[2]) continue;
        float level[8];
        for (int d = 0; d < 8; ++d)
            level[d] = value[c + (d & 1) + n * (d >> 1 & 1) + n * n * (d >> 2)];
        sum += euler_of_surface(level);
    }
    return sum;
}

static void check_random(CheckRun* run)
{
    enum { N = 6 };
    int grids = run->is_quick ? 1000 : 10000, bad = 0, wrong = 0, inside_out = 0, snapped = 0;
    TarnMarching* m = make_marching(run, N);
    Buffers b = make_buffers();
    for (int g = 0; g < grids; ++g) {
        float value[N * N * N];
        uint32_t seed = (uint32_t)g;
        for (int c = 0; c < N * N * N; ++c) {
            int i = c % N, j = c / N % N, k = c / N / N;
            float v = noise(&seed);
            bool is_rim = i == 0 || j == 0 || k == 0 || i == N - 1 || j == N - 1 || k == N - 1;
            value[c] = is_rim ? 1.0f : v;
        }
        TarnField3 field = { .value = { value, N, N, N, N, N * N }, .dx = 1.0f };
        TarnMeshStats s = measure(run, m, &field, 0.0f, &b);
        int euler = euler_of_grid(value, N);
        bad += bad_edges(&s);
        wrong += s.euler != euler;
        inside_out += !(s.volume > 0.0);
        s = measure(run, m, &field, 0.3f, &b);
        snapped += bad_edges(&s) + (s.euler != euler);
    }
    check_add(run, "mesh.random.bad_edges", bad, 0.0, 0.0);
    check_add(run, "mesh.random.euler", wrong, 0.0, 0.0);
    check_add(run, "mesh.random.inside_out", inside_out, 0.0, 0.0);
    check_add(run, "mesh.random.snapped", snapped, 0.0, 0.0);
    drop_buffers(&b);
    tarn_marching_destroy(m);
}

// ---- Slivers ------------------------------------------------------------------------------------

static double least_angle(const TarnMesh* mesh, int t)
{
    double least = PI;
    for (int c = 0; c < 3; ++c) {
        const float* p = &mesh->position[mesh->index[3 * t + c]].x;
        const float* q = &mesh->position[mesh->index[3 * t + (c + 1) % 3]].x;
        const float* r = &mesh->position[mesh->index[3 * t + (c + 2) % 3]].x;
        double qq = 0.0, rr = 0.0, qr = 0.0;
        for (int a = 0; a < 3; ++a) {
            double u = (double)q[a] - (double)p[a], v = (double)r[a] - (double)p[a];
            qq += u * u, rr += v * v, qr += u * v;
        }
        least = fmin(least, acos(fmax(-1.0, fmin(1.0, qr / sqrt(qq * rr)))));
    }
    return least * 180.0 / PI;
}

// The sphere of the benchmark: how many triangles are slivers without and with snap.
static void check_snap(CheckRun* run)
{
    enum { N = 128 };
    float* value = malloc(sizeof(float) * N * N * N);
    for (int c = 0; c < N * N * N; ++c) {
        double x = c % N / 127.0 - 0.5, y = c / N % N / 127.0 - 0.5, z = c / N / N / 127.0 - 0.5;
        value[c] = (float)(sqrt(x * x + y * y + z * z) - 0.4);
    }
    TarnField3 field = { .value = { value, N, N, N, N, N * N }, .dx = 1.0f / 127.0f };
    TarnMarching* m = make_marching(run, N);
    Buffers b = make_buffers();
    for (int w = 0; w < 4; ++w) {
        TarnMeshStats s = measure(run, m, &field, 0.1f * (float)w, &b);
        double below[2] = { 0.0, 0.0 };
        for (int t = 0; t < b.mesh.n_triangles; ++t) {
            double angle = least_angle(&b.mesh, t);
            below[0] += (angle < 1.0) / (double)b.mesh.n_triangles;
            below[1] += (angle < 5.0) / (double)b.mesh.n_triangles;
        }
        char name[56];
        snprintf(name, sizeof name, "mesh.snap.0.%d.euler", w);
        check_add(run, name, s.euler + 1000.0 * bad_edges(&s), 2.0, 0.0);
        snprintf(name, sizeof name, "mesh.snap.0.%d.below_1_degree", w);
        check_add(run, name, below[0], 0.0, w == 0 ? 0.03 : 0.001);
        snprintf(name, sizeof name, "mesh.snap.0.%d.below_5_degrees", w);
        check_add(run, name, below[1], 0.0, w == 0 ? 0.08 : 0.02);
    }
    drop_buffers(&b);
    tarn_marching_destroy(m);
    free(value);
}

void check_mesh(CheckRun* run, const char* group)
{
    if (strcmp(group, "mesh.shapes") == 0) check_shapes(run);
    if (strcmp(group, "mesh.order") == 0) check_order(run);
    if (strcmp(group, "mesh.cells") == 0) check_cells(run);
    if (strcmp(group, "mesh.random") == 0) check_random(run);
    if (strcmp(group, "mesh.snap") == 0) check_snap(run);
}
