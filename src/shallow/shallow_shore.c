// The front line between water and land, as polylines.
//
// Method   The drawn surface and the ground are meshes of the same triangles, so their intersection
//          is one segment per triangle that has wet and dry corners. Neighboring triangles share the
//          end points; walking from one to the next chains the segments.
// Checked  tests/unit/test_shallow_shore.c
//
// A square (i, k) between four cell centers is cut into two halves by the line from (i + 1, k) to
// (i, k + 1). The corners of a half are listed counterclockwise, seen from above; edge j goes from
// corner j to corner j + 1, and is edge j of the half on its other side, too.

#include "shallow/shallow_internal.h"
#include <math.h>

static const int corner_x[2][3] = { { 0, 0, 1 }, { 1, 1, 0 } };
static const int corner_z[2][3] = { { 0, 1, 0 }, { 1, 0, 1 } };
static const int across_x[2][3] = { { -1, 0, 0 }, { 1, 0, 0 } };
static const int across_z[2][3] = { { 0, 0, -1 }, { 0, 0, 1 } };

typedef struct Half {
    int i, k;  // the square
    int which; // of its halves
} Half;

typedef struct Tracer {
    const TarnShallow* water;
    TarnVec2 origin;
    float* phi;    // drawn surface over the ground [m]: water where it is above 0
    uint8_t* seen; // bit per half, nx to a row
    TarnVec3* points;
    int* ends;
    int point_capacity, line_capacity;
    int n_points, n_lines;
    int first;           // point of the line that is being traced
    TarnVec3 last, head; // its last and first point
} Tracer;

// ---- One half ------------------------------------------------------------------------------------

static size_t cell_of(const Tracer* t, Half half, int corner)
{
    int i = half.i + corner_x[half.which][corner], k = half.k + corner_z[half.which][corner];
    return (size_t)k * (size_t)t->water->def.nx + (size_t)i;
}

static bool is_wet(const Tracer* t, Half half, int corner)
{
    return t->phi[cell_of(t, half, corner)] > 0.0f;
}

// The edge where a line with water on its left enters (from wet to dry, counterclockwise) or leaves.
// -1: all corners are alike.
static int crossed_edge(const Tracer* t, Half half, bool is_entry)
{
    for (int j = 0; j < 3; ++j) {
        bool from = is_wet(t, half, j), to = is_wet(t, half, (j + 1) % 3);
        if (from != to && from == is_entry) return j;
    }
    return -1;
}

static bool is_inside(const Tracer* t, Half half)
{
    return half.i >= 0 && half.k >= 0 && half.i < t->water->def.nx - 1 &&
           half.k < t->water->def.nz - 1;
}

static Half across(Half half, int edge)
{
    return (Half){ half.i + across_x[half.which][edge], half.k + across_z[half.which][edge],
                   1 - half.which };
}

static uint8_t* seen_of(const Tracer* t, Half half)
{
    return &t->seen[(size_t)half.k * (size_t)t->water->def.nx + (size_t)half.i];
}

// Where phi is zero on an edge. Always reckoned from the wet end, so that both halves agree.
static TarnVec3 point_on(const Tracer* t, Half half, int edge)
{
    int wet = edge, dry = (edge + 1) % 3;
    if (!is_wet(t, half, wet)) wet = dry, dry = edge;
    const int *cx = corner_x[half.which], *cz = corner_z[half.which];
    double phi_wet = (double)t->phi[cell_of(t, half, wet)];
    double phi_dry = (double)t->phi[cell_of(t, half, dry)];
    double s = phi_wet / (phi_wet - phi_dry), dx = (double)t->water->def.dx;
    double i = (double)(half.i + cx[wet]) + s * (double)(cx[dry] - cx[wet]);
    double k = (double)(half.k + cz[wet]) + s * (double)(cz[dry] - cz[wet]);
    const float* ground = t->water->ground;
    double y_wet = (double)ground[shallow_cell(t->water, half.i + cx[wet], half.k + cz[wet])];
    double y_dry = (double)ground[shallow_cell(t->water, half.i + cx[dry], half.k + cz[dry])];
    return (TarnVec3){ (float)((double)t->origin.x + (i + 0.5) * dx),
                       (float)(y_wet + s * (y_dry - y_wet)),
                       (float)((double)t->origin.y + (k + 0.5) * dx) };
}

// ---- Lines ---------------------------------------------------------------------------------------

static void put(Tracer* t, TarnVec3 p)
{
    if (t->n_points < t->point_capacity) t->points[t->n_points] = p;
    if (t->n_points == t->first) t->head = p;
    t->n_points++;
    t->last = p;
}

// Points closer than this share of a cell are left out: where the shore passes a cell center they
// crowd, and the direction between them is rounding.
static const float closest = 1.0f / 16.0f;

static bool is_close(const Tracer* t, TarnVec3 a, TarnVec3 b)
{
    float x = a.x - b.x, z = a.z - b.z, reach = closest * t->water->def.dx;
    return x * x + z * z < reach * reach;
}

static void add_point(Tracer* t, TarnVec3 p, bool is_end)
{
    int n = t->n_points - t->first;
    if (n > 0 && is_close(t, t->last, p)) {
        if (!is_end) return;
        if (n > 1) t->n_points--; // the end takes its place
    }
    put(t, p);
}

static void trace(Tracer* t, Half half)
{
    t->first = t->n_points;
    add_point(t, point_on(t, half, crossed_edge(t, half, true)), false);
    for (bool is_end = false; !is_end;) {
        *seen_of(t, half) |= (uint8_t)(1 << half.which);
        int edge = crossed_edge(t, half, false);
        Half next = across(half, edge);
        is_end = !is_inside(t, next) || (*seen_of(t, next) & 1 << next.which);
        add_point(t, point_on(t, half, edge), is_end);
        half = next;
    }
    // A closed line of less than a triangle is a dot: a cell center that just touches the surface.
    bool is_closed = memcmp(&t->head, &t->last, sizeof t->head) == 0;
    if (is_closed && t->n_points - t->first < 4) {
        t->n_points = t->first;
        return;
    }
    if (t->n_lines < t->line_capacity) t->ends[t->n_lines] = t->n_points;
    t->n_lines++;
}

static bool is_start(const Tracer* t, Half half, bool only_edges)
{
    if (*seen_of(t, half) & 1 << half.which) return false;
    int entry = crossed_edge(t, half, true);
    return entry >= 0 && (!only_edges || !is_inside(t, across(half, entry)));
}

// First the lines that begin at the edge of the grid, then those that are closed.
static void trace_all(Tracer* t, bool only_edges)
{
    int nx = t->water->def.nx, nz = t->water->def.nz;
    for (int k = 0; k < nz - 1; ++k) {
        const float *low = t->phi + (size_t)k * (size_t)nx, *high = low + nx;
        bool is_edge_row = k == 0 || k == nz - 2;
        int stride = only_edges && !is_edge_row && nx > 2 ? nx - 2 : 1;
        for (int i = 0; i < nx - 1; i += stride) {
            int n_wet =
                (low[i] > 0.0f) + (low[i + 1] > 0.0f) + (high[i] > 0.0f) + (high[i + 1] > 0.0f);
            if (n_wet == 0 || n_wet == 4) continue;
            for (int which = 0; which < 2; ++which) {
                Half half = { i, k, which };
                if (is_start(t, half, only_edges)) trace(t, half);
            }
        }
    }
}

// ---- The call ------------------------------------------------------------------------------------

static size_t cells_of(const TarnShallow* water)
{
    return (size_t)water->def.nx * (size_t)water->def.nz;
}

size_t tarn_shallow_shore_work(const TarnShallow* water)
{
    if (water == NULL) return 0;
    return cells_of(water) * (sizeof(float) + 1) + sizeof(float); // one to align
}

static TarnResult check_buffers(const TarnShallow* water, const void* work, const TarnVec3* points,
                                int point_capacity, const int* ends, int line_capacity)
{
    if (work == NULL) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_shore: work is NULL; pass %zu bytes",
                          tarn_shallow_shore_work(water));
    }
    if (point_capacity < 0 || (point_capacity > 0 && points == NULL)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_shore: points is NULL, but point_capacity is %d; pass an "
                          "array of that size, or 0 to query the size",
                          point_capacity);
    }
    if (line_capacity < 0 || (line_capacity > 0 && ends == NULL)) {
        return tarn__fail(water->ctx, TARN_ERR_ARG,
                          "tarn_shallow_shore: ends is NULL, but line_capacity is %d; pass an "
                          "array of that size, or 0 to query the size",
                          line_capacity);
    }
    return TARN_OK;
}

TarnResult tarn_shallow_shore(const TarnShallow* water, void* work, TarnVec3* points,
                              int point_capacity, int* ends, int line_capacity, int* n_points,
                              int* n_lines)
{
    if (n_points) *n_points = 0;
    if (n_lines) *n_lines = 0;
    if (water == NULL || n_points == NULL || n_lines == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_buffers(water, work, points, point_capacity, ends, line_capacity));

    size_t odd = (uintptr_t)work % sizeof(float);
    Tracer t = { .water = water,
                 .origin = tarn_shallow_origin(water),
                 .phi = (float*)(void*)((char*)work + (odd ? sizeof(float) - odd : 0)),
                 .points = points,
                 .ends = ends,
                 .point_capacity = point_capacity,
                 .line_capacity = line_capacity };
    t.seen = (uint8_t*)(t.phi + cells_of(water));
    memset(t.seen, 0, cells_of(water));
    TARN_TRY(tarn_shallow_drawn_surface(water, t.phi));
    for (int k = 0; k < water->def.nz; ++k) {
        float* row = t.phi + (size_t)k * (size_t)water->def.nx;
        const float* ground = water->ground + shallow_cell(water, 0, k);
        for (int i = 0; i < water->def.nx; ++i) row[i] -= ground[i];
    }
    trace_all(&t, true);
    trace_all(&t, false);
    *n_points = t.n_points, *n_lines = t.n_lines;
    if (t.n_points <= point_capacity && t.n_lines <= line_capacity) return TARN_OK;
    return tarn__fail(water->ctx, TARN_ERR_CAPACITY,
                      "tarn_shallow_shore: %d points in %d lines do not fit in buffers of %d and "
                      "%d; enlarge them",
                      t.n_points, t.n_lines, point_capacity, line_capacity);
}
