// Fronts on the grid: steep places (set Ps of [Thuerey2007b]), regions closed over gaps (Pb), lines through them.

#include "breakers/breakers_internal.h"
#include <math.h>
#include <string.h>

// ---- The grid ------------------------------------------------------------------------------------

// Most water is calm. Every other cell of every other row is asked first; all cells only around those that differ from
// the next by this share of the height by which a front of the least slope would fall between them. A front that rises
// all the way falls by 0.7 of it at least along x or z, between a place on it and one of the two beside it.
static const float suspicious = 0.5f;

static uint64_t eight_marks(const TarnBreakers* b, int c)
{
    uint64_t marks;
    memcpy(&marks, b->mark + c, sizeof marks);
    return marks;
}

// Heights of cells, and their depths if wanted.
enum { BATCH = 256 };
typedef struct Batch {
    int n, cell[BATCH];
    float x[BATCH], z[BATCH];
} Batch;

static void ask_batch(TarnBreakers* b, Batch* a, bool wants_depth)
{
    float height[BATCH], depth[BATCH];
    TarnSurfaceSamples out = { .height = height, .depth = wants_depth ? depth : NULL };
    if (a->n > 0) b->water->query(b->water->self, a->n, a->x, a->z, &out);
    for (int m = 0; m < a->n; ++m) {
        b->height[a->cell[m]] = height[m] == height[m] ? tarn_clampf(height[m], -1e6f, 1e6f) : 0.0f;
        if (wants_depth) b->depth[a->cell[m]] = tarn_clampf(depth[m], 0.0f, 1e6f); // NaN: 0
    }
    a->n = 0;
}

static void put_cell(TarnBreakers* b, Batch* a, int i, int k, bool wants_depth)
{
    a->x[a->n] = b->def.origin.x + ((float)i + 0.5f) * b->def.dx;
    a->z[a->n] = b->def.origin.y + ((float)k + 0.5f) * b->def.dx;
    a->cell[a->n++] = k * b->def.nx + i;
    if (a->n == BATCH) ask_batch(b, a, wants_depth);
}

// Rows are searched in blocks of about as many cells: fewer are not worth the wait for another thread.
enum { BLOCK_CELLS = 32768 };

static int rows_per_block(const TarnBreakers* b)
{
    return 2 *
           (BLOCK_CELLS /
            (2 * b->def.nx)); // at least 16, and even, so that every block begins with a coarse row
}
static int end_of_block(const TarnBreakers* b, int block)
{
    int end = (block + 1) * rows_per_block(b);
    return end < b->def.nz ? end : b->def.nz;
}
static void in_blocks(TarnBreakers* b, TarnBlockFn* rows)
{
    int per_block = rows_per_block(b);
    tarn__parallel_for(b->ctx, (b->def.nz + per_block - 1) / per_block, rows, b);
}

static void ask_coarse(int block, void* data)
{
    TarnBreakers* b = data;
    Batch batch = { .n = 0 };
    for (int k = block * rows_per_block(b); k < end_of_block(b, block); k += 2) {
        for (int i = 0; i < b->def.nx; i += 2) put_cell(b, &batch, i, k, false);
    }
    ask_batch(b, &batch, false);
}

static void mark_asked(TarnBreakers* b, int i0, int i1, int k0, int k1)
{
    for (int k = k0; k < k1 && i0 < i1; ++k)
        memset(b->mark + k * b->def.nx + i0, CELL_ASKED, (size_t)(i1 - i0));
}

// Marks what is to be asked: four cells to each side of two places that differ. Those of one row that overlap are
// marked together.
static void find_suspicious(TarnBreakers* b)
{
    enum { MARGIN = 4 };
    int nx = b->def.nx, nz = b->def.nz;
    float least = suspicious * b->params.slope * b->def.dx;
    memset(b->mark, 0, (size_t)breakers_cells(b));
    for (int k = 0; k < nz; k += 2) {
        int k0 = k > MARGIN ? k - MARGIN : 0, k1 = k + MARGIN + 2 < nz ? k + MARGIN + 3 : nz;
        int begin = 0, end = 0;
        for (int i = 0; i < nx; i += 2) {
            int c = k * nx + i;
            float h = b->height[c];
            bool is_it = (i + 2 < nx && fabsf(b->height[c + 2] - h) > least) ||
                         (k + 2 < nz && fabsf(b->height[c + 2 * nx] - h) > least);
            if (!is_it) continue;
            int i0 = i > MARGIN ? i - MARGIN : 0, i1 = i + MARGIN + 2 < nx ? i + MARGIN + 3 : nx;
            if (i0 > end) {
                mark_asked(b, begin, end, k0, k1);
                begin = i0;
            }
            end = i1;
        }
        mark_asked(b, begin, end, k0, k1);
    }
}

static void ask_fine(int block, void* data)
{
    TarnBreakers* b = data;
    Batch batch = { .n = 0 };
    for (int k = block * rows_per_block(b); k < end_of_block(b, block); ++k) {
        for (int i = 0; i < b->def.nx; ++i) {
            if (b->mark[k * b->def.nx + i] & CELL_ASKED) put_cell(b, &batch, i, k, true);
        }
    }
    ask_batch(b, &batch, true);
}

// Slopes of the inner cells that have water on all sides; 0 elsewhere.
static void slope_row(TarnBreakers* b, int k)
{
    int nx = b->def.nx, nz = b->def.nz;
    float per = 0.5f / b->def.dx, least = b->params.min_depth;
    memset(b->gx + k * nx, 0, (size_t)nx * sizeof *b->gx);
    memset(b->gz + k * nx, 0, (size_t)nx * sizeof *b->gz);
    if (k == 0 || k == nz - 1) return;
    for (int i = 1; i < nx - 1; ++i) {
        while (i + 8 <= nx && eight_marks(b, k * nx + i) == 0) i += 8;
        if (i >= nx - 1) break;
        int c = k * nx + i;
        const int around[5] = { c, c - 1, c + 1, c - nx, c + nx };
        bool is_wet = true;
        for (int n = 0; n < 5; ++n)
            is_wet = is_wet && (b->mark[around[n]] & CELL_ASKED) && b->depth[around[n]] > least;
        if (!is_wet) continue;
        b->gx[c] = (b->height[c + 1] - b->height[c - 1]) * per;
        b->gz[c] = (b->height[c + nx] - b->height[c - nx]) * per;
    }
}

static void find_slopes(int block, void* data)
{
    TarnBreakers* b = data;
    for (int k = block * rows_per_block(b); k < end_of_block(b, block); ++k) slope_row(b, k);
}

// D.1: steep, and a front, not a back: the water runs down the slope. [Thuerey2007b] stops there, but so does the water
// of a dam that empties, whose slope runs the other way: at a front the surface rises, too.
static void find_steep(TarnBreakers* b)
{
    int cells = breakers_cells(b), n = 0;
    float least = b->params.slope * b->params.slope;
    for (int c = 0; c < cells; ++c) {
        while (c + 8 <= cells && eight_marks(b, c) == 0) c += 8;
        if (c == cells) break;
        if (!(b->gx[c] * b->gx[c] + b->gz[c] * b->gz[c] > least)) continue;
        b->steep_x[n] = b->def.origin.x + ((float)(c % b->def.nx) + 0.5f) * b->def.dx;
        b->steep_z[n] = b->def.origin.y + ((float)(c / b->def.nx) + 0.5f) * b->def.dx;
        b->steep_cell[n++] = c;
    }
    TarnSurfaceSamples out = { .velocity = b->velocity };
    if (n > 0) b->water->query(b->water->self, n, b->steep_x, b->steep_z, &out);
    b->n_steep = 0;
    for (int i = 0; i < n; ++i) {
        int c = b->steep_cell[i];
        TarnVec3 v = b->velocity[i];
        bool is_moving = v.x * v.x + v.z * v.z > 1e-8f;
        float down = v.x * b->gx[c] + v.z * b->gz[c];
        bool is_rising = v.y - down > 0.0f; // d eta / dt
        if (!is_rising || (is_moving && !(down < 0.0f))) continue;
        b->mark[c] |= CELL_STEEP;
        b->steep_cell[b->n_steep++] = c;
    }
}

// Marks all cells within a radius [cells] of a place.
static void stamp(TarnBreakers* b, float x, float z, float radius, uint8_t bit)
{
    int nx = b->def.nx, nz = b->def.nz;
    float fx = (x - b->def.origin.x) / b->def.dx - 0.5f;
    float fz = (z - b->def.origin.y) / b->def.dx - 0.5f;
    int i0 = (int)tarn_clampf(ceilf(fx - radius), 0.0f, (float)nx);
    int i1 = (int)tarn_clampf(floorf(fx + radius) + 1.0f, 0.0f, (float)nx);
    int k0 = (int)tarn_clampf(ceilf(fz - radius), 0.0f, (float)nz);
    int k1 = (int)tarn_clampf(floorf(fz + radius) + 1.0f, 0.0f, (float)nz);
    for (int k = k0; k < k1; ++k) {
        for (int i = i0; i < i1; ++i) {
            float ax = (float)i - fx, az = (float)k - fz;
            if (ax * ax + az * az <= radius * radius) b->mark[k * nx + i] |= bit;
        }
    }
}

static void forget_near(TarnBreakers* b)
{
    int cells = breakers_cells(b), c = 0;
    for (; c + 8 <= cells; c += 8) {
        uint64_t marks = eight_marks(b, c) & ~(0x0101010101010101u * (uint64_t)CELL_NEAR);
        memcpy(b->mark + c, &marks, sizeof marks);
    }
    for (; c < cells; ++c) b->mark[c] &= (uint8_t)~CELL_NEAR;
}

// D.2: regions of all cells within the gap of a steep one, joined over their sides; numbered from 1 in the order of
// their first steep cells.
static void fill_regions(TarnBreakers* b)
{
    int nx = b->def.nx, nz = b->def.nz, reach = (int)ceilf(b->params.gap), n = 0;
    float gap2 = b->params.gap * b->params.gap;
    memset(b->region, 0, (size_t)breakers_cells(b) * sizeof *b->region);
    for (int s = 0; s < b->n_steep; ++s) {
        int c = b->steep_cell[s], i = c % nx, k = c / nx;
        for (int dk = -reach; dk <= reach; ++dk) {
            for (int di = -reach; di <= reach; ++di) {
                bool is_there = i + di >= 0 && i + di < nx && k + dk >= 0 && k + dk < nz;
                if (is_there && (float)(di * di + dk * dk) <= gap2)
                    b->region[c + dk * nx + di] = -1;
            }
        }
    }
    for (int s = 0; s < b->n_steep; ++s) {
        if (b->region[b->steep_cell[s]] != -1) continue;
        int top = 0;
        b->region[b->steep_cell[s]] = ++n;
        b->stack[top++] = b->steep_cell[s];
        while (top > 0) {
            int c = b->stack[--top], i = c % nx, k = c / nx;
            const int next[4] = { i > 0 ? c - 1 : c, i < nx - 1 ? c + 1 : c, k > 0 ? c - nx : c,
                                  k < nz - 1 ? c + nx : c };
            for (int m = 0; m < 4; ++m) {
                if (b->region[next[m]] != -1) continue;
                b->region[next[m]] = n;
                b->stack[top++] = next[m];
            }
        }
    }
}

// ---- Walking along a front -------------------------------------------------------------------------

typedef struct Spot { // of the grid
    float x, z;       // [m]
    float gx, gz;     // slopes
    int cell;         // -1: outside
} Spot;

static Spot spot_at(const TarnBreakers* b, float x, float z)
{
    int nx = b->def.nx, nz = b->def.nz;
    float fx = (x - b->def.origin.x) / b->def.dx - 0.5f;
    float fz = (z - b->def.origin.y) / b->def.dx - 0.5f;
    Spot s = { x, z, 0.0f, 0.0f, -1 };
    if (!(fx >= 0.0f && fx <= (float)(nx - 1) && fz >= 0.0f && fz <= (float)(nz - 1))) return s;
    int i = (int)fx < nx - 2 ? (int)fx : nx - 2, k = (int)fz < nz - 2 ? (int)fz : nz - 2;
    float u = fx - (float)i, w = fz - (float)k;
    int c = k * nx + i;
    const float* fields[2] = { b->gx, b->gz };
    float out[2];
    for (int a = 0; a < 2; ++a) {
        const float* f = fields[a] + c;
        float near = f[0] + u * (f[1] - f[0]), far = f[nx] + u * (f[nx + 1] - f[nx]);
        out[a] = near + w * (far - near);
    }
    s.gx = out[0], s.gz = out[1];
    s.cell = c + (u >= 0.5f ? 1 : 0) + (w >= 0.5f ? nx : 0);
    return s;
}

static float steepness(const Spot* s)
{
    return s->gx * s->gx + s->gz * s->gz;
}

// The steepest place near a spot along its gradient, within its region.
static Spot recenter(const TarnBreakers* b, Spot s, int region)
{
    float g = sqrtf(steepness(&s));
    if (!(g > 0.0f)) return s;
    float ux = s.gx / g, uz = s.gz / g, step = 0.5f * b->def.dx;
    Spot best = s;
    for (int n = -4; n <= 4; ++n) {
        Spot t = spot_at(b, s.x + ux * step * (float)n, s.z + uz * step * (float)n);
        bool is_inside = t.cell >= 0 && b->region[t.cell] == region;
        bool is_same_side = t.gx * ux + t.gz * uz > 0.0f;
        if (is_inside && is_same_side && steepness(&t) > steepness(&best)) best = t;
    }
    return best;
}

// A place along a line as seen from another: the front runs down the gradient, and lines run so that it runs to
// their left: along (-dir_z, dir_x). side: 1 forward, -1 backward.
static bool next_spot(const TarnBreakers* b, const Spot* s, int region, float side, Spot* out)
{
    float g = sqrtf(steepness(s));
    if (!(g > 0.0f)) return false;
    float dir_x = -s->gx / g, dir_z = -s->gz / g, step = side * b->def.dx;
    Spot t = spot_at(b, s->x - dir_z * step, s->z + dir_x * step);
    if (t.cell < 0 || b->region[t.cell] != region) return false;
    t = recenter(b, t, region);
    float tg = sqrtf(steepness(&t)), far = 2.0f * b->def.dx;
    float ax = t.x - s->x, az = t.z - s->z;
    bool is_steep = tg > 0.7f * b->params.slope; // within gaps it is less
    bool is_along = t.gx * s->gx + t.gz * s->gz > 0.3f * g * tg;
    bool is_on = (-dir_z * ax + dir_x * az) * side > 0.25f * b->def.dx;
    *out = t;
    return is_steep && is_along && is_on && ax * ax + az * az < far * far;
}

static LinePoint point_from(TarnBreakers* b, const Spot* s)
{
    float g = sqrtf(steepness(s));
    LinePoint p = { .x = s->x, .z = s->z, .wait = 1e6f, .slope = g, .key = b->next_key++ };
    p.dir_x = g > 0.0f ? -s->gx / g : 1.0f;
    p.dir_z = g > 0.0f ? -s->gz / g : 0.0f;
    p.back = p.ahead = b->def.dx;
    p.changed = b->emissions;
    return p;
}

static float apart(const LinePoint* p, float x, float z)
{
    float ax = p->x - x, az = p->z - z;
    return sqrtf(ax * ax + az * az);
}

// Walks from a spot and appends points to spare[n ...] until the front ends, another line begins, the loop is closed
// (true; forward only: backward every walk begins beside the first point) or there is no room.
static bool walk(TarnBreakers* b, Spot s, int region, float side, int room, int* n)
{
    float gap = b->params.gap * b->def.dx;
    const LinePoint first = b->spare[0];
    for (int steps = 0; steps < room; ++steps) {
        Spot t;
        if (!next_spot(b, &s, region, side, &t)) return false;
        if (b->mark[t.cell] & CELL_NEAR) return false;
        if (side > 0.0f && *n > 6 && apart(&first, t.x, t.z) < gap) return true;
        b->spare[*n] = point_from(b, &t);
        ++*n;
        s = t;
    }
    b->flags |= TARN_STEP_CAPACITY_FULL;
    return false;
}

static void turn_around(LinePoint* p, int n)
{
    for (int i = 0; i < n / 2; ++i) {
        LinePoint t = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

// ---- New lines and longer ones -----------------------------------------------------------------------

enum { LEAST_POINTS = 3 };

static void measure_arc(TarnBreakers* b, const Line* l)
{
    LinePoint* p = b->points + l->first;
    float length = 0.0f, best = -1.0f;
    p[0].arc = 0.0f;
    for (int i = 1; i < l->n; ++i) p[i].arc = length += apart(&p[i - 1], p[i].x, p[i].z);
    // D.6: a wave begins to break in the middle of its line.
    int middle = 0;
    for (int i = 0; i < l->n; ++i) {
        float off = -fabsf(p[i].arc - 0.5f * length);
        if (i == 0 || off > best) best = off, middle = i;
    }
    float origin = p[middle].arc;
    for (int i = 0; i < l->n; ++i) {
        p[i].arc -= origin;
        p[i].wait = fabsf(p[i].arc) / b->params.spread;
    }
}

// D.3: a line through a steep cell, in both directions. False: there is no room for any more.
static bool build_line(TarnBreakers* b, int cell)
{
    int region = b->region[cell], room = b->def.max_points - b->n_points - 1, n = 0;
    Spot s = spot_at(b, b->def.origin.x + ((float)(cell % b->def.nx) + 0.5f) * b->def.dx,
                     b->def.origin.y + ((float)(cell / b->def.nx) + 0.5f) * b->def.dx);
    float gap = b->params.gap;
    s = recenter(b, s, region);
    b->mark[cell] &= (uint8_t)~CELL_STEEP; // whatever comes of it, it is done
    if (b->n_lines == b->def.max_lines || room < LEAST_POINTS) {
        b->flags |= TARN_STEP_CAPACITY_FULL;
        return false;
    }
    b->spare[n++] = point_from(b, &s);
    bool is_closed = walk(b, s, region, 1.0f, room, &n);
    if (!is_closed) {
        int forward = n;
        walk(b, s, region, -1.0f, room - n + 1, &n);
        turn_around(b->spare + forward, n - forward); // those before the first point come first
        for (int i = forward; i < n; ++i) b->points[b->n_points + i - forward] = b->spare[i];
        for (int i = 0; i < forward; ++i) b->points[b->n_points + n - forward + i] = b->spare[i];
    } else {
        for (int i = 0; i < n; ++i) b->points[b->n_points + i] = b->spare[i];
    }
    for (int i = 0; i < n; ++i) stamp(b, b->spare[i].x, b->spare[i].z, gap, CELL_NEAR);
    if (n < LEAST_POINTS) return true;
    Line* l = &b->lines[b->n_lines++];
    *l = (Line){ b->n_points, n, is_closed, b->next_line++ };
    b->n_points += n;
    measure_arc(b, l);
    return true;
}

// Open lines go on where the front has grown beyond their ends. The points are gathered anew in the spare array's
// place, so that lines stay side by side.
static void lengthen_end(TarnBreakers* b, int line, bool is_front)
{
    Line* l = &b->lines[line];
    const LinePoint end = b->points[is_front ? l->first : l->first + l->n - 1];
    Spot s = spot_at(b, end.x, end.z);
    int room = b->def.max_points - b->n_points, n = 1;
    if (l->is_closed || s.cell < 0 || b->region[s.cell] == 0 || room < 1) return;
    b->spare[0] = end;
    walk(b, s, b->region[s.cell], is_front ? -1.0f : 1.0f, room < 256 ? room : 256, &n);
    int more = n - 1, at = is_front ? l->first : l->first + l->n;
    if (more == 0) return;
    for (int i = b->n_points - 1; i >= at; --i) b->points[i + more] = b->points[i];
    float arc = end.arc, wait = tarn_maxf(end.wait, 0.0f);
    for (int i = 1; i <= more; ++i) {
        LinePoint p = b->spare[i];
        float way = apart(&b->spare[i - 1], p.x, p.z);
        arc += is_front ? -way : way;
        wait += way / b->params.spread;
        p.arc = arc, p.wait = wait;
        p.speed = end.speed; // until it is known better
        b->points[is_front ? at + more - i : at + i - 1] = p;
        stamp(b, p.x, p.z, b->params.gap, CELL_NEAR);
    }
    l->n += more;
    b->n_points += more;
    for (int m = line + 1; m < b->n_lines; ++m) b->lines[m].first += more;
}

// The cells next to the end of a line are near to it, but a walk has to leave it: only other lines stop it.
static void lengthen(TarnBreakers* b)
{
    for (int line = 0; line < b->n_lines; ++line) {
        const Line* l = &b->lines[line];
        if (l->is_closed) continue;
        forget_near(b);
        for (int i = 0; i < b->n_points; ++i) {
            const LinePoint* p = &b->points[i];
            if (i < l->first || i >= l->first + l->n) stamp(b, p->x, p->z, 1.0f, CELL_NEAR);
        }
        lengthen_end(b, line, true);
        lengthen_end(b, line, false);
    }
}

// Lines through what no line is near to yet: first from the steepest cell of each region, then through the branches
// that are left.
static void build_lines(TarnBreakers* b)
{
    int regions = 0;
    for (int s = 0; s < b->n_steep; ++s) {
        int c = b->steep_cell[s], r = b->region[c];
        if (r > regions) regions = r, b->stack[r - 1] = c; // numbered in this order
        int best = b->stack[r - 1];
        if (b->gx[c] * b->gx[c] + b->gz[c] * b->gz[c] >
            b->gx[best] * b->gx[best] + b->gz[best] * b->gz[best])
            b->stack[r - 1] = c;
    }
    for (int n = 0; n < regions + b->n_steep; ++n) {
        int c = n < regions ? b->stack[n] : b->steep_cell[n - regions];
        if ((b->mark[c] & (CELL_STEEP | CELL_NEAR)) != CELL_STEEP) continue;
        if (!build_line(b, c)) return;
    }
}

void tarn__breakers_search(TarnBreakers* b)
{
    in_blocks(b, ask_coarse);
    find_suspicious(b);
    in_blocks(b, ask_fine);
    in_blocks(b, find_slopes);
    find_steep(b);
    if (b->n_steep == 0) return;
    fill_regions(b);
    lengthen(b);
    forget_near(b);
    for (int i = 0; i < b->n_points; ++i)
        stamp(b, b->points[i].x, b->points[i].z, b->params.gap, CELL_NEAR);
    build_lines(b);
    tarn__breakers_settle(b);
}
