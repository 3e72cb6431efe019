// Deep water for the pressure solve of dfsph and pcisph: a second, coarse level.
//
// Iterations over neighbors carry a pressure two spacings far, so that the foot of a column of 250 rows does
// not hear of its top for a hundred of them. Here cells of four spacings, with one pressure each, find
// out what the column weighs.
//
// Method   Two-level correction by aggregates [Vanek1996]. The rows of the cells are those of the particles
//          summed up, A_c = P^T A P with P = 1 for the active particles of a cell (Galerkin): since A = dt gain
//          G^T M^-1 G, particle by particle the products of the sums of gradients over each cell. Solved
//          by conjugate gradients with symmetric Gauss-Seidel, far enough that the pressure is right and not
//          only its error small. Added to the particles linearly between the middles of cells, and twice:
//          steps at the borders of cells cost twice the energy of a slope, so A_c is twice too stiff.
// Differs  from plain aggregates (steps, added once): they leave the rough error that iterations over
//          neighbors then take many rounds to smooth.
// Checked  tests/unit/test_sph_coarse.c: rows against sums over all particles, hydrostatic pressure at any depth;
//          bench/bench_liquid.c: liquid.dfsph.2d.50000, compression and substeps.
// Cost     bench/bench_liquid.c: a seventh of the solve of 50,000 particles in 2-D.

#include "liquid/sph.h"
#include "liquid/sph_coarse.h"

enum { MAX_ROUNDS = 500 };
static const float cell_width = 4.0f; // [spacings]: neighbors are in the same or the next cell
static const float too_stiff = 2.0f;  // see Method
// Share of the square of the residual at which the solve ends: the error of the pressure is larger the more cells rest on
// one another. 1e-8 takes a tenth more of the time of pcisph in 2-D, with as many substeps.
static const double goal = 1e-6;

static void lay_out(SphCoarse* c, const TarnLiquid* l, float* const* scratch)
{
    size_t all = (size_t)l->def.max_particles, most = all / 2; // cells
    float* at = scratch[0]; // the arrays lie one behind the other
    c->cell = (int*)(void*)at, at += all;
    c->order = (int*)(void*)at, at += all;
    c->used = (int*)(void*)at, at += most;
    for (int k = 0; k < c->entries; ++k, at += most) c->entry[k] = at;
    float** vectors[7] = { &c->count, &c->x, &c->r, &c->z, &c->d, &c->q, &c->inverse };
    for (int k = 0; k < 7; ++k, at += most) *vectors[k] = at;
    c->layer_begin = c->used; // which is written later
}

// The box of the active particles, in cells that fit into the memory. False: none, or too few.
static bool find_cells(SphCoarse* c, const SphSweep* s)
{
    const TarnLiquid* l = s->l;
    const float* at[3] = { l->x, l->y, l->z };
    float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < l->n; ++i) {
        if (s->active[i] == 0.0f) continue;
        for (int a = 0; a < c->dims; ++a) {
            low[a] = tarn_minf(low[a], at[a][i]);
            high[a] = tarn_maxf(high[a], at[a][i]);
        }
    }
    if (!(low[0] <= high[0])) return false;
    double most = (double)(l->def.max_particles / 2), width = (double)(cell_width * l->def.spacing);
    for (; width < 1e7; width *= 2.0) { // [m], farther than particles get
        double cells = 1.0;
        for (int a = 0; a < 3; ++a) {
            double n = a < c->dims ? ((double)high[a] - (double)low[a]) / width + 4.0 : 1.0;
            c->cells[a] = n < most ? (int)n : 1;
            cells *= n;
        }
        if (cells > most) continue;
        c->per_m = (float)(1.0 / width);
        for (int a = 0; a < c->dims; ++a) c->origin[a] = low[a] - (float)width;
        return true;
    }
    return false;
}

static void find_steps(SphCoarse* c)
{
    int row = c->cells[0], layer = c->cells[0] * c->cells[1], n = 0, up = c->dims == 3 ? 1 : 0;
    for (int z = 0; z <= up; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                if ((z * 3 + y) * 3 + x >= 0) c->step[n++] = z * layer + y * row + x;
}

typedef struct Assembly {
    SphCoarse* c;
    const SphSweep* s;
    int color;
} Assembly;

static void place_block(int block, void* data)
{
    const Assembly* a = data;
    const TarnLiquid* l = a->s->l;
    const SphCoarse* c = a->c;
    const float* at[3] = { l->x, l->y, l->z };
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        c->cell[i] = -1;
        if (a->s->active[i] == 0.0f) continue;
        int cell = 0;
        for (int k = c->dims - 1; k >= 0; --k)
            cell = cell * c->cells[k] + (int)((at[k][i] - c->origin[k]) * c->per_m);
        c->cell[i] = cell;
    }
}

// Of a particle that is not active, too: it may be far away.
static int layer_of(const SphCoarse* c, const TarnLiquid* l, int i)
{
    int last = c->dims - 1;
    float at = ((last == 2 ? l->z[i] : l->y[i]) - c->origin[last]) * c->per_m;
    return at < 1.0f ? 0 : at < (float)(c->layers - 1) ? (int)at : c->layers - 1;
}

static void sort_by_layers(SphCoarse* c, const TarnLiquid* l)
{
    int* begin = c->layer_begin;
    c->layers = c->cells[c->dims - 1];
    memset(begin, 0, ((size_t)c->layers + 1) * sizeof(int));
    for (int i = 0; i < l->n; ++i) begin[layer_of(c, l, i)]++;
    for (int k = 0, sum = 0; k <= c->layers; ++k) begin[k] = sum += begin[k]; // ends, for now
    for (int i = l->n - 1; i >= 0; --i) c->order[--begin[layer_of(c, l, i)]] = i;
}

// Sums of gradients of one particle over each of the cells around it.
typedef struct Gathered {
    int n, cell[8];
    TarnVec3 g[8];
} Gathered;

static void gather(const SphCoarse* c, const SphSweep* s, int i, Gathered* out)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    const float *pair = s->pairs + (size_t)i * (size_t)nb->slots, *own = s->own + 4 * (size_t)i;
    const float* here = s->packed + SPH_PACK * (size_t)i;
    out->n = 0;
    if (c->cell[i] >= 0) {
        out->cell[out->n] = c->cell[i];
        out->g[out->n++] = (TarnVec3){ own[0], own[1], own[2] };
    }
    for (int k = 0; k < nb->count[i]; ++k) {
        int cell = c->cell[j[k]], at = 0;
        if (cell < 0) continue;
        while (at < out->n && out->cell[at] != cell) ++at;
        if (at == 8) continue;
        if (at == out->n) {
            out->cell[at] = cell;
            out->g[out->n++] = (TarnVec3){ 0 };
        }
        const float* there = s->packed + SPH_PACK * (size_t)j[k];
        out->g[at].x += (here[0] - there[0]) * pair[k];
        out->g[at].y += (here[1] - there[1]) * pair[k];
        out->g[at].z += (here[2] - there[2]) * pair[k];
    }
}

static void add_entry(SphCoarse* c, int a, int b, float value)
{
    int from = a < b ? a : b, step = a < b ? b - a : a - b;
    for (int k = 0; k < c->entries; ++k) {
        if (c->step[k] != step) continue;
        c->entry[k][from] += value;
        return;
    }
}

// A particle adds to rows of cells at most one layer away, so layers of one color, every third, can be added up at the
// same time. The order in which a row gets its parts is always the same.
static void add_layer(int task, void* data)
{
    const Assembly* assembly = data;
    SphCoarse* c = assembly->c;
    const SphSweep* s = assembly->s;
    int layer = assembly->color + 3 * task;
    for (int k = c->layer_begin[layer]; k < c->layer_begin[layer + 1]; ++k) {
        int i = c->order[k];
        if (c->cell[i] >= 0) c->count[c->cell[i]] += 1.0f;
        float ease = s->gain * s->dt * s->packed[SPH_PACK * (size_t)i + 3];
        if (!(ease > 0.0f)) continue; // frozen
        Gathered g;
        gather(c, s, i, &g);
        for (int a = 0; a < g.n; ++a)
            for (int b = a; b < g.n; ++b)
                add_entry(c, g.cell[a], g.cell[b], ease * vec3_dot(g.g[a], g.g[b]));
    }
}

static void add_up(SphCoarse* c, const SphSweep* s)
{
    Assembly a = { c, s, 0 };
    tarn__parallel_for(s->l->ctx, tarn__liquid_blocks(s->l), place_block, &a);
    sort_by_layers(c, s->l);
    for (a.color = 0; a.color < 3; ++a.color)
        tarn__parallel_for(s->l->ctx, (c->layers - a.color + 2) / 3, add_layer, &a);
}

void tarn__sph_coarse_make(SphCoarse* c, const SphSweep* s, float* const* scratch)
{
    const TarnLiquid* l = s->l;
    *c = (SphCoarse){ .dims = l->def.dimensions,
                      .entries = l->def.dimensions == 3 ? 14 : 5,
                      .share = too_stiff,
                      .lacking = (double)INFINITY };
    if (!find_cells(c, s)) return;
    lay_out(c, l, scratch);
    find_steps(c);
    size_t cells = (size_t)c->cells[0] * (size_t)c->cells[1] * (size_t)c->cells[2];
    float* vectors[6] = { c->count, c->x, c->r, c->z, c->d, c->q };
    for (int k = 0; k < 6; ++k) memset(vectors[k], 0, cells * sizeof(float));
    for (int k = 0; k < c->entries; ++k) memset(c->entry[k], 0, cells * sizeof(float));
    add_up(c, s);
    for (int k = 0; k < (int)cells; ++k) {
        if (!(c->count[k] > 0.0f && c->entry[0][k] > 0.0f)) continue;
        c->inverse[k] = 1.0f / c->entry[0][k];
        c->used[c->n++] = k;
    }
}

// ---- The solve ---------------------------------------------------------------------------------------

// q = A d; returns d . q.
static double apply(SphCoarse* c)
{
    double dot = 0.0;
    for (int u = 0; u < c->n; ++u) {
        int at = c->used[u];
        float sum = c->entry[0][at] * c->d[at];
        for (int k = 1; k < c->entries; ++k) {
            int up = at + c->step[k], down = at - c->step[k];
            sum += c->entry[k][at] * c->d[up] + c->entry[k][down] * c->d[down];
        }
        c->q[at] = sum;
        dot += (double)(sum * c->d[at]);
    }
    return dot;
}

// z = a forward and a backward sweep of Gauss-Seidel for r; returns z . r. The cell just before comes last, and nothing is
// divided: all else is there already when its z is.
static double precondition(SphCoarse* c)
{
    for (int u = 0; u < c->n; ++u) {
        int at = c->used[u];
        float sum = c->r[at];
        for (int k = c->entries - 1; k > 0; --k) {
            int down = at - c->step[k];
            sum -= c->entry[k][down] * c->z[down];
        }
        c->z[at] = sum * c->inverse[at];
    }
    double dot = 0.0;
    for (int u = c->n - 1; u >= 0; --u) {
        int at = c->used[u];
        float sum = 0.0f;
        for (int k = c->entries - 1; k > 0; --k) sum += c->entry[k][at] * c->z[at + c->step[k]];
        c->z[at] -= sum * c->inverse[at];
        dot += (double)(c->z[at] * c->r[at]);
    }
    return dot;
}

// What x changes of the pressure of a particle. What may not pull does not: cells of liquid that parts ask for it
// forever.
static float change_of(const SphSweep* s, int i, float x)
{
    return tarn_maxf(x, tarn__sph_least_p(s, i) - s->p[i]);
}

double tarn__sph_coarse_solve(SphCoarse* c, const SphSweep* s)
{
    for (int u = 0; u < c->n; ++u) c->r[c->used[u]] = c->x[c->used[u]] = c->d[c->used[u]] = 0.0f;
    for (int i = 0; i < s->l->n; ++i)
        if (c->cell[i] >= 0) c->r[c->cell[i]] += s->residual[i];
    double now = precondition(c), end = goal * now;
    float turn = 0.0f;
    for (int n = 0; n < MAX_ROUNDS && now > end; ++n) {
        for (int u = 0; u < c->n; ++u) {
            int at = c->used[u];
            c->d[at] = c->z[at] + turn * c->d[at];
        }
        double bend = apply(c), before = now;
        if (!(bend > 0.0)) break;
        float step = (float)(now / bend);
        for (int u = 0; u < c->n; ++u) {
            int at = c->used[u];
            c->x[at] += step * c->d[at];
            c->r[at] -= step * c->q[at];
        }
        now = precondition(c);
        turn = (float)(now / before);
    }
    double squares = 0.0;
    for (int i = 0; i < s->l->n; ++i) {
        if (c->cell[i] < 0) continue;
        double change = (double)change_of(s, i, c->x[c->cell[i]]);
        squares += change * change;
    }
    return squares;
}

// Between the middles of the cells around, those that have a row.
static float between(const SphCoarse* c, const TarnLiquid* l, int i)
{
    const float place[3] = { l->x[i], l->y[i], l->z[i] };
    int stride[3] = { 1, c->cells[0], c->cells[0] * c->cells[1] }, first = 0;
    float share[3] = { 0.0f, 0.0f, 0.0f }, sum = 0.0f, all = 0.0f;
    for (int a = 0; a < c->dims; ++a) {
        float at = (place[a] - c->origin[a]) * c->per_m - 0.5f;
        first += (int)at * stride[a];
        share[a] = at - (float)(int)at;
    }
    for (int corner = 0; corner < 1 << c->dims; ++corner) {
        int cell = first;
        float w = 1.0f;
        for (int a = 0; a < c->dims; ++a) {
            bool is_high = (corner >> a & 1) != 0;
            cell += is_high ? stride[a] : 0;
            w *= is_high ? share[a] : 1.0f - share[a];
        }
        if (c->count[cell] > 0.0f) sum += w * c->x[cell], all += w;
    }
    return all > 0.0f ? sum / all : c->x[c->cell[i]];
}

typedef struct Add {
    const SphCoarse* c;
    const SphSweep* s;
} Add;

static void add_block(int block, void* data)
{
    const Add* add = data;
    const SphSweep* s = add->s;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(s->l, block); ++i) {
        if (add->c->cell[i] >= 0 && s->active[i] != 0.0f)
            s->p[i] += change_of(s, i, add->c->share * between(add->c, s->l, i));
        s->p_last[i] = s->p[i];
    }
}

// Drops of a cell or two have no slopes between cells: there A_c is as stiff as it should be, and adding twice what
// is lacking makes it lack as much, the other way round, forever.
bool tarn__sph_coarse_helps(SphCoarse* c, double lacking)
{
    bool helps = lacking <= 0.5 * c->lacking;
    if (!helps) c->share = 1.0f;
    c->idle += helps ? 0 : 1;
    c->lacking = lacking;
    return c->idle < 2;
}

void tarn__sph_coarse_add(const SphCoarse* c, const SphSweep* s)
{
    Add add = { c, s };
    tarn__parallel_for(s->l->ctx, tarn__liquid_blocks(s->l), add_block, &add);
}
