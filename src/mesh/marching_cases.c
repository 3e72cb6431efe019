// The surface in one cell: a table for the cells whose corner signs say all, and the others by their values.
//
// Method   The surface meets the faces of a cell in segments between cut edges. A face with four cut edges is
//          ambiguous: its fluid corners hang together if the bilinear function is fluid at its saddle
//          [Nielson1991]. Segments make loops, and a loop bounds a disc, or two bound a tunnel. There is a
//          tunnel if the six straight lines that lie in the trilinear surface meet inside the cell: they make
//          a hexagon around its waist [Nielson2003], [Grosso2016].
// Differs  the table is made at creation by the same tracing of loops. A disc whose loop meets a face twice
//          gets a vertex in the middle, because a chord in that face may be the neighbor's chord too.
// Checked  tests/unit/test_marching*.c, `tarn check mesh`: every cell against a fine grid of tetrahedra.

#include "mesh/marching_internal.h"
#include "base/maths.h"

// Corners of the faces, counter-clockwise seen from outside: -x, +x, -y, +y, -z, +z.
static const uint8_t face_corners[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                            { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };

typedef struct Loops {
    int n;
    int size[4];
    uint8_t edge[4][12];
    bool is_doubled[4]; // meets a face twice
} Loops;

// Edge between two corners: axis, then the places along the two other axes.
static int edge_between(int a, int b)
{
    int low = a & b, axis = (a ^ b) >> 1; // 1, 2, 4 to 0, 1, 2
    int u = axis == 0 ? low >> 1 & 1 : low & 1, v = axis == 2 ? low >> 1 & 1 : low >> 2;
    return 4 * axis + u + 2 * v;
}
static int low_corner(int edge)
{
    int axis = edge / 4, u = edge & 1, v = edge >> 1 & 1;
    return axis == 0 ? 2 * u + 4 * v : axis == 1 ? u + 4 * v : u + 2 * v;
}

static bool is_ambiguous(int fluid, const uint8_t* corner)
{
    int s[4];
    for (int i = 0; i < 4; ++i) s[i] = fluid >> corner[i] & 1;
    return s[0] == s[2] && s[1] == s[3] && s[0] != s[1];
}

// Do the fluid corners of an ambiguous face hang together? Exact, and hence the same from both sides.
static bool is_joined(const float* level, int fluid, const uint8_t* corner)
{
    double even = (double)level[corner[0]] * (double)level[corner[2]];
    double odd = (double)level[corner[1]] * (double)level[corner[3]];
    return fluid >> corner[0] & 1 ? even > odd : odd > even;
}

// From each cut edge to the next, so that loops turn left seen from outside of the fluid; pair: where the two
// segments of an ambiguous face begin. level NULL: no face is ambiguous.
static void link_edges(const float* level, int fluid, int8_t next[12], int8_t pair[6][2])
{
    for (int e = 0; e < 12; ++e) next[e] = -1;
    for (int f = 0; f < 6; ++f) {
        const uint8_t* q = face_corners[f];
        bool is_double = is_ambiguous(fluid, q), joined = is_double && is_joined(level, fluid, q);
        pair[f][0] = pair[f][1] = -1;
        for (int i = 0, n = 0; i < 4; ++i) { // leaves the fluid between corners i and i + 1
            if (!(fluid >> q[i] & 1) || fluid >> q[(i + 1) & 3] & 1) continue;
            int enter = joined ? i + 1 : i + 3; // where the fluid is entered again
            while (fluid >> q[enter & 3] & 1 || !(fluid >> q[(enter + 1) & 3] & 1)) ++enter;
            int e = edge_between(q[enter & 3], q[(enter + 1) & 3]);
            next[e] = (int8_t)edge_between(q[i], q[(i + 1) & 3]);
            if (is_double) pair[f][n++] = (int8_t)e;
        }
    }
}

static void trace(const float* level, int fluid, Loops* out)
{
    int8_t next[12], pair[6][2], loop_of[12] = { 0 };
    link_edges(level, fluid, next, pair);
    *out = (Loops){ 0 };
    for (int e = 0; e < 12; ++e) {
        if (next[e] < 0) continue;
        int l = out->n++;
        for (int at = e; next[at] >= 0;) {
            int to = next[at];
            out->edge[l][out->size[l]++] = (uint8_t)at;
            loop_of[at] = (int8_t)l;
            next[at] = -1;
            at = to;
        }
    }
    for (int f = 0; f < 6; ++f) {
        if (pair[f][0] >= 0 && loop_of[(int)pair[f][0]] == loop_of[(int)pair[f][1]])
            out->is_doubled[(int)loop_of[(int)pair[f][0]]] = true;
    }
}

// ---- The table ----------------------------------------------------------------------------------

static uint16_t place_of_edge(int edge)
{
    int c = low_corner(edge);
    return (uint16_t)(IDS_AXIS * (edge / 4) + (c & 1) + IDS_ROW * (c >> 1 & 1) +
                      IDS_SLAB * (c >> 2));
}

static bool is_slow(int fluid)
{
    for (int f = 0; f < 6; ++f)
        if (is_ambiguous(fluid, face_corners[f])) return true;
    for (int c = 0; c < 4; ++c) { // two opposite corners: no face tells whether a tunnel joins them
        int both = 1 << c | 1 << (7 - c);
        if (fluid == both || fluid == (255 ^ both)) return true;
    }
    return false;
}

void tarn__marching_make_cases(MarchingCase cases[256], uint8_t case_edges[256][16])
{
    for (int fluid = 0; fluid < 256; ++fluid) {
        MarchingCase* row = &cases[fluid];
        *row = (MarchingCase){ 0 };
        if (is_slow(fluid)) {
            row->n_triangles = MARCHING_SLOW;
            continue;
        }
        Loops loops;
        trace(NULL, fluid, &loops);
        for (int l = 0; l < loops.n; ++l) {
            for (int i = 2; i < loops.size[l]; ++i) {
                const uint8_t* e = loops.edge[l];
                const uint8_t corner[3] = { e[0], e[i - 1], e[i] };
                for (int c = 0; c < 3; ++c, ++row->n_indices) {
                    case_edges[fluid][row->n_indices] = corner[c];
                    row->at[row->n_indices] = place_of_edge(corner[c]);
                }
                ++row->n_triangles;
            }
        }
    }
}

// ---- Ambiguous cells ----------------------------------------------------------------------------

typedef struct Point {
    double x[3];
} Point;

static double clamp_inside(double x)
{
    const double margin = (double)MARCHING_MARGIN;
    return x > margin ? (x < 1.0 - margin ? x : 1.0 - margin) : margin;
}

static Point edge_point(const float* level, int edge)
{
    int c = low_corner(edge), axis = edge / 4;
    double a = level[c], b = level[c | 1 << axis];
    Point p = { { c & 1, c >> 1 & 1, c >> 2 } };
    p.x[axis] = clamp_inside(a / (a - b));
    return p;
}

// The trilinear function and its gradient.
static double value_at(const float* level, Point p, double gradient[3])
{
    double x = p.x[0], y = p.x[1], z = p.x[2], e[4], g[4];
    for (int r = 0; r < 4; ++r) { // rows along x
        g[r] = (double)level[2 * r + 1] - (double)level[2 * r];
        e[r] = (double)level[2 * r] + x * g[r];
    }
    double low = e[0] + y * (e[1] - e[0]), high = e[2] + y * (e[3] - e[2]);
    double g_low = g[0] + y * (g[1] - g[0]), g_high = g[2] + y * (g[3] - g[2]);
    gradient[0] = g_low + z * (g_high - g_low);
    gradient[1] = (e[1] - e[0]) + z * ((e[3] - e[2]) - (e[1] - e[0]));
    gradient[2] = high - low;
    return low + z * (high - low);
}

static uint8_t add_extra(MarchingCell* cell, Point p)
{
    for (int a = 0; a < 3; ++a) cell->extra[cell->n_extra][a] = (float)clamp_inside(p.x[a]);
    return (uint8_t)(MARCHING_FIRST_EXTRA + cell->n_extra++);
}
static void add_triangle(MarchingCell* cell, int a, int b, int c)
{
    uint8_t* t = cell->triangle[cell->n_triangles++];
    t[0] = (uint8_t)a, t[1] = (uint8_t)b, t[2] = (uint8_t)c;
}

// In the middle of the loop, and brought near the surface by two steps of Newton's within the loop's box.
static Point middle_of(const float* level, const Loops* loops, int l)
{
    Point mid = { { 0, 0, 0 } };
    double lo[3] = { 1, 1, 1 }, hi[3] = { 0, 0, 0 };
    for (int i = 0; i < loops->size[l]; ++i) {
        Point p = edge_point(level, loops->edge[l][i]);
        for (int a = 0; a < 3; ++a) {
            mid.x[a] += p.x[a] / loops->size[l];
            lo[a] = p.x[a] < lo[a] ? p.x[a] : lo[a];
            hi[a] = p.x[a] > hi[a] ? p.x[a] : hi[a];
        }
    }
    for (int step = 0; step < 2; ++step) {
        double g[3], f = value_at(level, mid, g), g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        for (int a = 0; a < 3 && g2 > 0.0; ++a) {
            double x = mid.x[a] - f / g2 * g[a];
            mid.x[a] = x > lo[a] ? (x < hi[a] ? x : hi[a]) : lo[a];
        }
    }
    return mid;
}

static void add_disc(const float* level, const Loops* loops, int l, MarchingCell* cell)
{
    const uint8_t* e = loops->edge[l];
    int n = loops->size[l];
    if (!loops->is_doubled[l]) {
        for (int i = 2; i < n; ++i) add_triangle(cell, e[0], e[i - 1], e[i]);
        return;
    }
    int mid = add_extra(cell, middle_of(level, loops, l));
    for (int i = 0; i < n; ++i) add_triangle(cell, e[i], e[(i + 1) % n], mid);
}

// The hexagon. In slices at w where the product of opposite corners is equal, the bilinear function is a
// product and 0 on two lines; two such slices, and lines between them, make a ring. False: not in the cell.
static bool find_hexagon(const float* level, Point ring[6])
{
    double f[8], u[2], v[2], w[2];
    for (int c = 0; c < 8; ++c) f[c] = (double)level[c];
    // f00 f11 - f10 f01 along z, a w^2 + b w + c.
    double d0 = f[4] - f[0], d1 = f[5] - f[1], d2 = f[6] - f[2], d3 = f[7] - f[3];
    double a = d0 * d3 - d1 * d2;
    double b = f[0] * d3 + f[3] * d0 - f[1] * d2 - f[2] * d1;
    double c = f[0] * f[3] - f[1] * f[2];
    double under = b * b - 4.0 * a * c;
    if (!(under > 0.0) || a == 0.0) return false;
    double q = -0.5 * (b < 0.0 ? b - sqrt(under) : b + sqrt(under));
    w[0] = q / a, w[1] = c / q; // no cancellation; q is not 0, as under > 0
    for (int i = 0; i < 2; ++i) {
        if (!(w[i] > 0.0 && w[i] < 1.0)) return false;
        double s[4];
        for (int r = 0; r < 4; ++r) s[r] = f[r] + w[i] * (f[r + 4] - f[r]);
        u[i] = s[0] / (s[0] - s[1]), v[i] = s[0] / (s[0] - s[2]);
        if (!(u[i] > 0.0 && u[i] < 1.0 && v[i] > 0.0 && v[i] < 1.0)) return false;
    }
    static const uint8_t path[6][3] = { { 0, 1, 0 }, { 0, 1, 1 }, { 1, 1, 1 },
                                        { 1, 0, 1 }, { 1, 0, 0 }, { 0, 0, 0 } };
    for (int i = 0; i < 6; ++i)
        ring[i] = (Point){ { u[path[i][0]], v[path[i][1]], w[path[i][2]] } };
    return true;
}

// Area of a loop seen along a direction, with a sign for the sense in which it turns.
static double turn_of(const Point* p, int n, const double axis[3])
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double *a = p[i].x, *b = p[(i + 1) % n].x;
        sum += axis[0] * (a[1] * b[2] - a[2] * b[1]) + axis[1] * (a[2] * b[0] - a[0] * b[2]) +
               axis[2] * (a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}
static int points_of(const float* level, const Loops* loops, int l, Point* out)
{
    for (int i = 0; i < loops->size[l]; ++i) out[i] = edge_point(level, loops->edge[l][i]);
    return loops->size[l];
}
static double distance2(Point a, Point b)
{
    double x = a.x[0] - b.x[0], y = a.x[1] - b.x[1], z = a.x[2] - b.x[2];
    return x * x + y * y + z * z;
}

// Triangles between a loop and the ring, which run in the same sense. Both advance at an even pace: by the
// shorter diagonal one might run around the other, and an edge would be there twice.
static void add_strip(const uint8_t* edge, const Point* p, int n, const uint8_t ring_id[6],
                      const Point ring[6], MarchingCell* cell)
{
    int start = 0;
    for (int j = 1; j < 6; ++j)
        if (distance2(p[0], ring[j]) < distance2(p[0], ring[start])) start = j;
    for (int i = 0, j = 0; i < n || j < 6;) {
        int i0 = i % n, i1 = (i + 1) % n, j0 = (start + j) % 6, j1 = (start + j + 1) % 6;
        if (j == 6 || (i < n && 6 * (2 * i + 1) <= n * (2 * j + 1))) {
            add_triangle(cell, edge[i0], edge[i1], ring_id[j0]);
            ++i;
        } else {
            add_triangle(cell, edge[i0], ring_id[j1], ring_id[j0]);
            ++j;
        }
    }
}

// Two loops joined through the ring, as seen along its axis.
static void add_tunnel(const float* level, const Loops* loops, const int pair[2],
                       const Point ring[6], const double axis[3], MarchingCell* cell)
{
    Point p[12], way[6];
    uint8_t id[6], way_id[6];
    for (int i = 0; i < 6; ++i) id[i] = add_extra(cell, ring[i]);
    double sense = turn_of(ring, 6, axis);
    bool is_back = false;
    for (int s = 0; s < 2; ++s) { // the other end turns the other way
        int n = points_of(level, loops, pair[s], p);
        is_back = s == 0 ? sense * turn_of(p, n, axis) < 0.0 : !is_back;
        for (int i = 0; i < 6; ++i) {
            int from = is_back ? 5 - i : i;
            way[i] = ring[from], way_id[i] = id[from];
        }
        add_strip(loops->edge[pair[s]], p, n, way_id, way, cell);
    }
}

// The ends of the tunnel: of two loops both, of three the long one and the one around a corner of the sign that is
// in the middle of the waist. False: there are no such ends. Values of very different size, or on the verge of a
// tunnel, give a ring by rounding alone, around which triangles of one end would be turned over.
static bool choose_pair(const float* level, const Loops* loops, const Point ring[6],
                        const double axis[3], int pair[2])
{
    pair[0] = loops->n < 3 ? 0 : -1, pair[1] = loops->n < 3 ? 1 : -1;
    Point mid = { { 0.5 * (ring[0].x[0] + ring[2].x[0]), 0.5 * (ring[2].x[1] + ring[3].x[1]),
                    0.5 * (ring[0].x[2] + ring[1].x[2]) } };
    double g[3], turn[2];
    bool is_fluid = value_at(level, mid, g) < 0.0;
    for (int l = 0; l < loops->n && loops->n > 2; ++l) {
        const uint8_t* e = loops->edge[l];
        if (loops->size[l] > 3) {
            pair[0] = l;
            continue;
        }
        // Edges that meet in one corner: the one they share.
        int a = low_corner(e[0]), b = low_corner(e[1]);
        int a2 = a | 1 << e[0] / 4, b2 = b | 1 << e[1] / 4;
        int corner = a == b || a == b2 ? a : a2;
        if ((level[corner] < 0.0f) == is_fluid) pair[1] = l;
    }
    if (pair[0] < 0 || pair[1] < 0) return false;
    for (int s = 0; s < 2; ++s) {
        Point p[12];
        turn[s] = turn_of(p, points_of(level, loops, pair[s], p), axis);
    }
    return turn[0] * turn[1] < 0.0 && turn_of(ring, 6, axis) != 0.0;
}

static bool find_tunnel(const float* level, const Loops* loops, MarchingCell* out, int pair[2])
{
    Point ring[6];
    if (loops->n < 2 || !find_hexagon(level, ring)) return false;
    // The waist lies around the diagonal between the two corners of its box that it does not meet.
    const double axis[3] = { ring[2].x[0] - ring[0].x[0], ring[2].x[1] - ring[5].x[1],
                             ring[0].x[2] - ring[1].x[2] };
    if (!choose_pair(level, loops, ring, axis, pair)) return false;
    add_tunnel(level, loops, pair, ring, axis, out);
    return true;
}

void tarn__marching_cell(const float level[8], MarchingCell* out)
{
    int fluid = 0;
    for (int c = 0; c < 8; ++c) fluid |= (level[c] < 0.0f) << c;
    Loops loops;
    trace(level, fluid, &loops);
    out->n_extra = out->n_triangles = 0;
    int pair[2];
    if (!find_tunnel(level, &loops, out, pair)) pair[0] = pair[1] = -1;
    for (int l = 0; l < loops.n; ++l)
        if (l != pair[0] && l != pair[1]) add_disc(level, &loops, l, out);
}
