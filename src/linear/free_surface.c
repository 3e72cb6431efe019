// Pressure under a free surface, see free_surface.h.
//
// Method   V-cycles. The finest level: red-black Gauss-Seidel, each value clamped at 0; then the cells with
//          phi > 0, or rhs >= 0, are the active set, all others are air for the correction. Coarse cells are 2^dims cells
//          each, as far as they are active: faces between them have half the sum of the weights of theirs
//          (the distance is twice as long), faces to the air 0.6 (it begins half a coarse cell earlier).
//          The correction is restricted by sums, prolonged linearly, and added as far as it lowers the error most
//          (its product with the residual over that with A times itself), clamped at 0 and smoothed.
//          A body adds K B K' to the matrix, which is full: its cells are a third color, solved one after
//          the other with the body's velocity brought up to date after each, so that no body is too light.
// Differs  from multigrid for boxes (multigrid.c): a list of cells, any shape, sparse; air inside; an
//          inequality. The coarse levels are made anew for each cycle, as the active set is not the same.
// Source   [BrandtCryer1983] projected multigrid for complementarity; [Batty2007] bodies in the matrix.
// Checked  tests/unit/test_free_surface.c: hydrostatic columns, a known field, order, bodies.
// Cost     linear in the number of cells; part of bench/bench_liquid.c.

#include "linear/free_surface.h"
#include "base/maths.h"

enum {
    SURFACE_BLOCK = 512, // cells
    COARSEST = 24,       // cells that are not coarsened any more
    COARSE_SWEEPS = 2,
    COARSEST_SWEEPS = 20,
};
static const float coarse_face = 0.5f, coarse_open = 0.6f;
static const double longest_step = 4.0;

// ---- Memory --------------------------------------------------------------------------------------

// Level 0 has all cells; all the others together as many.
static void place_level(SurfaceLevel* v, TarnLayout* layout, char* base, int dims, size_t cells,
                        size_t holds)
{
    size_t faces = 2 * (size_t)dims;
    v->at = tarn__layout_place(layout, base, 3 * cells, sizeof(int));
    v->next = tarn__layout_place(layout, base, faces * cells, sizeof(int));
    v->weight = tarn__layout_place(layout, base, faces * cells, sizeof(float));
    v->open = tarn__layout_place(layout, base, cells, sizeof(float));
    v->inverse = tarn__layout_place(layout, base, cells, sizeof(float));
    v->phi = tarn__layout_place(layout, base, cells + SURFACE_LEVELS, sizeof(float));
    v->step = tarn__layout_place(layout, base, cells + SURFACE_LEVELS, sizeof(float));
    v->rhs = tarn__layout_place(layout, base, cells, sizeof(float));
    v->parent = tarn__layout_place(layout, base, cells, sizeof(int));
    v->order = tarn__layout_place(layout, base, cells, sizeof(int));
    v->first_hold = tarn__layout_place(layout, base, cells, sizeof(int));
    v->holds = tarn__layout_place(layout, base, holds, sizeof(SurfaceHold));
}

void tarn__free_surface_lay_out(FreeSurface* s, TarnLayout* layout, char* base, int dims,
                                int max_cells, int max_holds, int max_bodies, size_t spare_size)
{
    s->dims = dims;
    s->max_cells = max_cells;
    s->max_holds = max_holds;
    s->max_bodies = max_bodies;
    for (s->table_size = 64; s->table_size < 4 * max_cells;) s->table_size *= 2;
    s->table = tarn__layout_place(layout, base, (size_t)s->table_size, sizeof(int));
    place_level(&s->level[0], layout, base, dims, (size_t)max_cells, (size_t)max_holds);
    TarnLayout coarse = *layout;
    place_level(&s->level[1], &coarse, base, dims, (size_t)max_cells, (size_t)max_holds);
    s->spare = tarn__layout_place(layout, base, spare_size, 1);
    if (coarse.size > layout->size) *layout = coarse;
    size_t blocks = (size_t)max_cells / SURFACE_BLOCK + 1;
    s->sums = tarn__layout_place(layout, base, 2 * blocks, sizeof(double));
    s->bodies = tarn__layout_place(layout, base, (size_t)max_bodies, sizeof(SurfaceBody));
}

// The next level lies behind this one, in what level 1 began.
static void place_behind(FreeSurface* s, int level)
{
    const SurfaceLevel* a = &s->level[level - 1];
    SurfaceLevel* b = &s->level[level];
    int faces = 2 * s->dims, n = a->n;
    b->at = a->at + 3 * n;
    b->next = a->next + faces * n;
    b->weight = a->weight + faces * n;
    b->open = a->open + n;
    b->inverse = a->inverse + n;
    b->phi = a->phi + n + 1;
    b->step = a->step + n + 1;
    b->rhs = a->rhs + n;
    b->parent = a->parent + n;
    b->order = a->order + n;
    b->first_hold = a->first_hold + n;
    b->holds = a->holds + a->n_holds;
}

// ---- Cells by their coordinates ------------------------------------------------------------------

static unsigned slot_of(const FreeSurface* s, const int at[3])
{
    uint32_t h = (uint32_t)at[0] * 0x9e3779b1u;
    h = (h ^ (uint32_t)at[1]) * 0x85ebca6bu;
    h = (h ^ (uint32_t)at[2]) * 0xc2b2ae35u;
    h ^= h >> 15;
    return h & (uint32_t)s->table_mask;
}

// Where the cell is or would be in the table. If the box around the cells has room there it is a plain array,
// else a hash.
static int* look_up(const FreeSurface* s, const SurfaceLevel* v, const int at[3])
{
    if (s->is_plain) return &s->table[free_surface_place(s, at)];
    for (unsigned i = slot_of(s, at);; i = (i + 1) & (unsigned)s->table_mask) {
        int c = s->table[i];
        if (c < 0) return &s->table[i];
        const int* b = v->at + 3 * c;
        if (b[0] == at[0] && b[1] == at[1] && b[2] == at[2]) return &s->table[i];
    }
}

// Empty, for at most n cells in the box low .. high.
static void clear_table(FreeSurface* s, int n, const int low[3], const int high[3])
{
    int64_t box = 1;
    s->is_plain = true;
    for (int a = 0; a < 3; ++a) {
        int beside = a < s->dims ? 1 : 0; // cells beside it are looked up, too
        int64_t side = (int64_t)high[a] - low[a] + 1 + 2 * beside;
        s->low[a] = low[a] - beside;
        s->side[a] = (int)side;
        s->is_plain = s->is_plain && side <= s->table_size / box;
        box *= s->is_plain ? side : 1;
    }
    int size = 64;
    while (size < 2 * n) size *= 2;
    s->table_mask = size - 1;
    memset(s->table, 0xff, (s->is_plain ? (size_t)box : (size_t)size) * sizeof(int));
}

static int add_cell(FreeSurface* s, SurfaceLevel* v, const int at[3], int capacity)
{
    int* slot = look_up(s, v, at);
    if (*slot >= 0) return *slot;
    if (v->n == capacity) return -1;
    memcpy(v->at + 3 * v->n, at, 3 * sizeof(int));
    return *slot = v->n++;
}

void tarn__free_surface_clear(FreeSurface* s, const int low[3], const int high[3])
{
    for (int a = 0; a < 3; ++a) s->box[0][a] = low[a], s->box[1][a] = high[a];
    s->level[0].n = s->level[0].n_holds = 0;
    s->n_bodies = 0;
    s->n_levels = 0;
    clear_table(s, s->max_cells, low, high);
}

int tarn__free_surface_cell(FreeSurface* s, const int at[3])
{
    return add_cell(s, &s->level[0], at, s->max_cells);
}

int tarn__free_surface_number(FreeSurface* s, int place)
{
    int at[3] = { s->low[0] + place % s->side[0], s->low[1] + place / s->side[0] % s->side[1],
                  s->low[2] + place / (s->side[0] * s->side[1]) };
    return add_cell(s, &s->level[0], at, s->max_cells);
}

typedef struct Around {
    const FreeSurface* s;
    int* out;
} Around;

static void around_block(int block, void* data)
{
    const Around* a = data;
    const FreeSurface* s = a->s;
    const SurfaceLevel* v = &s->level[0];
    int layers = s->dims == 3 ? 3 : 1, begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < v->n ? begin + SURFACE_BLOCK : v->n;
    int* out = a->out + (size_t)(9 * layers) * (size_t)begin;
    for (int c = begin; c < end; ++c) {
        const int* at = v->at + 3 * c;
        for (int k = 0; k < layers; ++k) {
            for (int j = 0; j < 3; ++j, out += 3) {
                int to[3] = { at[0] - 1, at[1] + j - 1, at[2] + (layers == 3 ? k - 1 : 0) };
                const int* row = look_up(s, v, to);
                for (int i = 0; i < 3; ++i) out[i] = row[i] >= 0 ? row[i] : v->n;
            }
        }
    }
}

static void alone_block(int block, void* data)
{
    const Around* a = data;
    int n = a->s->level[0].n, begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < n ? begin + SURFACE_BLOCK : n;
    size_t size = a->s->dims == 3 ? 27 : 9;
    for (int c = begin; c < end; ++c) {
        int* out = a->out + size * (size_t)c;
        for (size_t i = 0; i < size; ++i) out[i] = n;
        out[size / 2] = c;
    }
}

// Looking up takes time in a hash: a cell looks for half of those around it, and tells them of itself.
static void meet_block(int block, void* data)
{
    const Around* a = data;
    const FreeSurface* s = a->s;
    const SurfaceLevel* v = &s->level[0];
    int size = s->dims == 3 ? 27 : 9, begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < v->n ? begin + SURFACE_BLOCK : v->n;
    for (int c = begin; c < end; ++c) {
        const int* at = v->at + 3 * c;
        for (int i = size / 2 + 1; i < size; ++i) {
            int to[3] = { at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] };
            if (size == 27) to[2] += i / 9 - 1;
            int other = *look_up(s, v, to);
            if (other < 0) continue;
            a->out[(size_t)size * (size_t)c + (size_t)i] = other;
            a->out[(size_t)size * (size_t)other + (size_t)(size - 1 - i)] = c;
        }
    }
}

void tarn__free_surface_around(FreeSurface* s, int* out)
{
    Around a = { s, out };
    int blocks = (s->level[0].n + SURFACE_BLOCK - 1) / SURFACE_BLOCK;
    tarn__parallel_for(s->ctx, blocks, s->is_plain ? around_block : alone_block, &a);
    if (!s->is_plain) tarn__parallel_for(s->ctx, blocks, meet_block, &a);
}

// ---- A level -------------------------------------------------------------------------------------

static float held_by(const SurfaceHold* h, const SurfaceBody* body, float to[SURFACE_DOFS])
{
    float sum = 0.0f;
    for (int i = 0; i < SURFACE_DOFS; ++i) {
        to[i] = 0.0f;
        for (int j = 0; j < SURFACE_DOFS; ++j)
            to[i] += body->answer[i * SURFACE_DOFS + j] * h->k[j];
        sum += to[i] * h->k[i];
    }
    return sum;
}

// Diagonals, colors and holds of a level that is complete.
static void prepare_level(FreeSurface* s, SurfaceLevel* v)
{
    int faces = 2 * s->dims;
    for (int c = 0; c < v->n; ++c) v->first_hold[c] = v->n_holds;
    for (int h = v->n_holds - 1; h >= 0; --h) v->first_hold[v->holds[h].cell] = h;
    int n[3] = { 0, 0, 0 };
    for (int c = 0; c < v->n; ++c) {
        float sum = v->open[c], to[SURFACE_DOFS];
        for (int f = 0; f < faces; ++f) sum += v->weight[faces * c + f];
        for (int h = v->first_hold[c]; h < v->n_holds && v->holds[h].cell == c; ++h)
            sum += held_by(&v->holds[h], &s->bodies[v->holds[h].body], to);
        v->inverse[c] = sum > 1e-20f ? 1.0f / sum : 0.0f;
        const int* at = v->at + 3 * c;
        int color = v->first_hold[c] < v->n_holds ? 2 : (at[0] + at[1] + at[2]) & 1;
        ++n[color];
    }
    int to[3] = { 0, n[0], n[0] + n[1] };
    for (int c = 0; c < v->n; ++c) {
        const int* at = v->at + 3 * c;
        int color = v->first_hold[c] < v->n_holds ? 2 : (at[0] + at[1] + at[2]) & 1;
        v->order[to[color]++] = c;
    }
    memcpy(v->n_color, n, sizeof n);
    v->phi[v->n] = 0.0f;
}

// rhs - A phi, without what bodies do.
TARN_INLINE float residual_of(const SurfaceLevel* v, int faces, int c)
{
    const int* next = v->next + faces * c;
    const float* weight = v->weight + faces * c;
    float here = v->phi[c], sum = v->rhs[c] - v->open[c] * here;
    for (int f = 0; f < faces; ++f) sum += weight[f] * (v->phi[next[f]] - here);
    return sum;
}
static float residual_with_bodies(const FreeSurface* s, const SurfaceLevel* v, int c)
{
    float sum = residual_of(v, 2 * s->dims, c);
    for (int h = v->first_hold[c]; h < v->n_holds && v->holds[h].cell == c; ++h) {
        const float* u = s->bodies[v->holds[h].body].velocity;
        for (int i = 0; i < SURFACE_DOFS; ++i) sum -= v->holds[h].k[i] * u[i];
    }
    return sum;
}

typedef struct Pass {
    FreeSurface* s;
    SurfaceLevel* v;
    int begin, end; // of order
    bool is_clamped;
} Pass;

static void relax_block(int block, void* data)
{
    const Pass* p = data;
    SurfaceLevel* v = p->v;
    int faces = 2 * p->s->dims, begin = p->begin + block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < p->end ? begin + SURFACE_BLOCK : p->end;
    for (int i = begin; i < end; ++i) {
        int c = v->order[i];
        float now = v->phi[c] + residual_of(v, faces, c) * v->inverse[c];
        v->phi[c] = p->is_clamped ? tarn_maxf(now, 0.0f) : now;
    }
}

// One after the other, as each moves its body.
static void relax_held(Pass* p)
{
    SurfaceLevel* v = p->v;
    for (int i = p->begin; i < p->end; ++i) {
        int c = v->order[i];
        float change = residual_with_bodies(p->s, v, c) * v->inverse[c];
        if (p->is_clamped) change = tarn_maxf(change, -v->phi[c]);
        v->phi[c] += change;
        for (int h = v->first_hold[c]; h < v->n_holds && v->holds[h].cell == c; ++h) {
            SurfaceBody* body = &p->s->bodies[v->holds[h].body];
            float to[SURFACE_DOFS];
            held_by(&v->holds[h], body, to);
            for (int k = 0; k < SURFACE_DOFS; ++k) body->velocity[k] += to[k] * change;
        }
    }
}

static void relax(FreeSurface* s, SurfaceLevel* v, bool is_clamped)
{
    Pass p = { .s = s, .v = v, .is_clamped = is_clamped };
    for (int color = 0; color < 2; ++color) {
        p.begin = color == 0 ? 0 : v->n_color[0];
        p.end = p.begin + v->n_color[color];
        int blocks = (v->n_color[color] + SURFACE_BLOCK - 1) / SURFACE_BLOCK;
        if (blocks > 0) tarn__parallel_for(s->ctx, blocks, relax_block, &p);
    }
    p.begin = v->n_color[0] + v->n_color[1];
    p.end = v->n;
    relax_held(&p);
}

// What the bodies' velocities are by the phi of this level.
static void move_bodies(FreeSurface* s, const SurfaceLevel* v)
{
    for (int b = 0; b < s->n_bodies; ++b)
        memset(s->bodies[b].velocity, 0, sizeof s->bodies[b].velocity);
    for (int h = 0; h < v->n_holds; ++h) {
        SurfaceBody* body = &s->bodies[v->holds[h].body];
        float to[SURFACE_DOFS];
        held_by(&v->holds[h], body, to);
        for (int k = 0; k < SURFACE_DOFS; ++k)
            body->velocity[k] += to[k] * v->phi[v->holds[h].cell];
    }
}

// ---- Coarser -------------------------------------------------------------------------------------

static bool is_active(const SurfaceLevel* v, bool is_finest, int c)
{
    return (!is_finest || v->phi[c] > 0.0f || v->rhs[c] >= 0.0f) && v->inverse[c] > 0.0f;
}

// Cells of the coarse level, false: they have no room or gain nothing.
static bool add_parents(FreeSurface* s, int fine, int room)
{
    SurfaceLevel *a = &s->level[fine], *b = &s->level[fine + 1];
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = s->box[0][k] >> (fine + 1);
        high[k] = s->box[1][k] >> (fine + 1);
    }
    clear_table(s, a->n, low, high);
    b->n = b->n_holds = 0;
    for (int c = 0; c < a->n; ++c) {
        const int* at = a->at + 3 * c;
        int up[3] = { at[0] >> 1, at[1] >> 1, at[2] >> 1 };
        a->parent[c] = -1;
        if (!is_active(a, fine == 0, c)) continue;
        if ((a->parent[c] = add_cell(s, b, up, room)) < 0) return false;
    }
    return b->n > 0 && b->n < a->n;
}

static void add_weights(FreeSurface* s, const SurfaceLevel* a, SurfaceLevel* b)
{
    int faces = 2 * s->dims;
    for (int c = 0; c < b->n; ++c) {
        b->open[c] = b->rhs[c] = b->phi[c] = 0.0f;
        for (int f = 0; f < faces; ++f) {
            b->next[faces * c + f] = c;
            b->weight[faces * c + f] = 0.0f;
        }
    }
    for (int c = 0; c < a->n; ++c) {
        int up = a->parent[c];
        if (up < 0) continue;
        b->open[up] += coarse_open * a->open[c];
        b->rhs[up] += residual_with_bodies(s, a, c);
        for (int f = 0; f < faces; ++f) {
            int n = a->next[faces * c + f];
            float w = a->weight[faces * c + f];
            if (!(w > 0.0f)) continue;
            int other = n < a->n ? a->parent[n] : -1;
            if (other < 0) {
                b->open[up] += coarse_open * w;
                if (b->next[faces * up + f] == up) b->next[faces * up + f] = b->n;
            } else if (other != up) {
                b->weight[faces * up + f] += coarse_face * w;
                b->next[faces * up + f] = other;
            }
        }
    }
}

// Holds of a parent are those of its cells together, one for each body.
static void add_holds(const SurfaceLevel* a, SurfaceLevel* b, int room)
{
    for (int i = 0; i < a->n_holds; ++i) {
        const SurfaceHold* from = &a->holds[i];
        int up = a->parent[from->cell], at = 0;
        if (up < 0) continue;
        while (at < b->n_holds && (b->holds[at].cell < up ||
                                   (b->holds[at].cell == up && b->holds[at].body < from->body)))
            ++at;
        if (at == b->n_holds || b->holds[at].cell != up || b->holds[at].body != from->body) {
            if (b->n_holds == room) continue;
            memmove(b->holds + at + 1, b->holds + at, (size_t)(b->n_holds - at) * sizeof *b->holds);
            ++b->n_holds;
            b->holds[at] = (SurfaceHold){ .cell = up, .body = from->body };
        }
        for (int k = 0; k < SURFACE_DOFS; ++k) b->holds[at].k[k] += from->k[k];
    }
}

static bool coarsen(FreeSurface* s, int fine, int* room, int* hold_room)
{
    SurfaceLevel *a = &s->level[fine], *b = &s->level[fine + 1];
    if (fine + 1 == SURFACE_LEVELS || a->n <= COARSEST) return false;
    if (fine > 0) place_behind(s, fine + 1);
    if (!add_parents(s, fine, *room)) return false;
    add_weights(s, a, b);
    add_holds(a, b, *hold_room);
    *room -= b->n;
    *hold_room -= b->n_holds;
    prepare_level(s, b);
    return true;
}

// ---- Finer ---------------------------------------------------------------------------------------

typedef struct Lift {
    FreeSurface* s;
    int dims;
    const SurfaceLevel* coarse;
    SurfaceLevel* fine;
    bool is_finest;
    float length; // of the step
} Lift;

// Linear between the centers of coarse cells: a cell lies a quarter off its parent's, on the side that its
// coordinate tells. Beyond a closed face the parent's own value.
static float lifted(const Lift* l, int c)
{
    const SurfaceLevel* b = l->coarse;
    int faces = 2 * l->dims, up = l->fine->parent[c], corner[8] = { up }, n = 1;
    for (int a = 0; a < l->dims; ++a, n *= 2) {
        int f = 2 * a + (l->fine->at[3 * c + a] & 1);
        for (int i = 0; i < n; ++i)
            corner[n + i] = corner[i] < b->n ? b->next[faces * corner[i] + f] : b->n;
    }
    float value[8];
    for (int i = 0; i < n; ++i) value[i] = b->phi[corner[i]];
    for (int half = n / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) value[i] = 0.75f * value[i] + 0.25f * value[i + half];
    return value[0];
}

static void lift_block(int block, void* data)
{
    const Lift* l = data;
    SurfaceLevel* a = l->fine;
    int begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < a->n ? begin + SURFACE_BLOCK : a->n;
    for (int c = begin; c < end; ++c) a->step[c] = a->parent[c] >= 0 ? lifted(l, c) : 0.0f;
}

// Of the step: its product with the residual, and with A times itself.
static void weigh_block(int block, void* data)
{
    const Lift* l = data;
    const SurfaceLevel* a = l->fine;
    int faces = 2 * l->s->dims, begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < a->n ? begin + SURFACE_BLOCK : a->n;
    double gain = 0.0, cost = 0.0;
    for (int c = begin; c < end; ++c) {
        float here = a->step[c], sum = a->open[c] * here;
        if (here == 0.0f) continue;
        for (int f = faces * c; f < faces * (c + 1); ++f)
            sum += a->weight[f] * (here - a->step[a->next[f]]);
        gain += (double)(here * residual_with_bodies(l->s, a, c));
        cost += (double)(here * sum);
    }
    l->s->sums[2 * block] = gain;
    l->s->sums[2 * block + 1] = cost;
}

// What the bodies add to the second product.
static double cost_of_bodies(FreeSurface* s, const SurfaceLevel* v)
{
    double cost = 0.0;
    for (int b = 0; b < s->n_bodies; ++b) {
        float q[SURFACE_DOFS] = { 0 };
        for (int h = 0; h < v->n_holds; ++h)
            for (int i = 0; v->holds[h].body == b && i < SURFACE_DOFS; ++i)
                q[i] += v->holds[h].k[i] * v->step[v->holds[h].cell];
        for (int i = 0; i < SURFACE_DOFS; ++i)
            for (int j = 0; j < SURFACE_DOFS; ++j)
                cost += (double)(q[i] * s->bodies[b].answer[i * SURFACE_DOFS + j] * q[j]);
    }
    return cost;
}

static void add_step_block(int block, void* data)
{
    const Lift* l = data;
    SurfaceLevel* a = l->fine;
    int begin = block * SURFACE_BLOCK;
    int end = begin + SURFACE_BLOCK < a->n ? begin + SURFACE_BLOCK : a->n;
    for (int c = begin; c < end; ++c) {
        float now = a->phi[c] + l->length * a->step[c];
        a->phi[c] = l->is_finest ? tarn_maxf(now, 0.0f) : now;
    }
}

// The correction of the coarse level is a direction; as far as it lowers the error most.
static void lift(FreeSurface* s, int fine)
{
    Lift l = { .s = s,
               .dims = s->dims,
               .coarse = &s->level[fine + 1],
               .fine = &s->level[fine],
               .is_finest = fine == 0 };
    int blocks = (l.fine->n + SURFACE_BLOCK - 1) / SURFACE_BLOCK;
    l.fine->step[l.fine->n] = 0.0f;
    move_bodies(s, l.fine);
    tarn__parallel_for(s->ctx, blocks, lift_block, &l);
    tarn__parallel_for(s->ctx, blocks, weigh_block, &l);
    double gain = 0.0, cost = cost_of_bodies(s, l.fine);
    for (int b = 0; b < blocks; ++b) {
        gain += s->sums[2 * b];
        cost += s->sums[2 * b + 1];
    }
    l.length = gain > 0.0 && cost > 0.0
                   ? (float)(gain < longest_step * cost ? gain / cost : longest_step)
                   : 0.0f;
    tarn__parallel_for(s->ctx, blocks, add_step_block, &l);
}

static void cycle(FreeSurface* s)
{
    int room = s->max_cells, hold_room = s->max_holds, last = 0;
    move_bodies(s, &s->level[0]);
    relax(s, &s->level[0], true);
    while (coarsen(s, last, &room, &hold_room)) {
        ++last;
        move_bodies(s, &s->level[last]);
        for (int i = 0; i < COARSE_SWEEPS; ++i) relax(s, &s->level[last], false);
    }
    s->n_levels = last + 1;
    if (last > 0)
        for (int i = 0; i < COARSEST_SWEEPS; ++i) relax(s, &s->level[last], false);
    for (int fine = last - 1; fine >= 0; --fine) {
        lift(s, fine);
        move_bodies(s, &s->level[fine]);
        for (int i = 0; i < (fine == 0 ? 1 : COARSE_SWEEPS); ++i)
            relax(s, &s->level[fine], fine == 0);
    }
}

void tarn__free_surface_solve(FreeSurface* s, int cycles)
{
    SurfaceLevel* v = &s->level[0];
    if (v->n == 0) return;
    prepare_level(s, v);
    for (int i = 0; i < cycles; ++i) cycle(s);
}

float tarn__free_surface_error(const FreeSurface* s)
{
    const SurfaceLevel* v = &s->level[0];
    float worst = 0.0f, scale = 1e-30f;
    for (int c = 0; c < v->n; ++c) {
        float r = residual_with_bodies(s, v, c); // positive: the inequality is violated
        if (v->phi[c] > 0.0f || r > 0.0f) worst = tarn_maxf(worst, fabsf(r));
        worst = tarn_maxf(worst, -v->phi[c] * 1e30f);
        scale = tarn_maxf(scale, fabsf(v->rhs[c]));
    }
    return worst / scale;
}
