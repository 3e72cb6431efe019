// Bubbles: regions of gas that keep their amount of gas, pressure times volume.
//
// Method   Runs of gas along x are joined where they touch, as a forest whose roots are the first cells of their regions. The
//          largest region is the atmosphere. The gas of a bubble is spread evenly over the cells that it has now, and each
//          region takes along that of its cells, so regions that merge or split keep it.
// Checked  lattice.bubble of tests/physics/check_lattice_surface.c, tests/unit/test_lattice_parts.c.

#include "lattice/lattice_surface.h"

static int32_t root(int32_t* parent, int32_t c)
{
    while (parent[c] != c) {
        parent[c] = parent[parent[c]];
        c = parent[c];
    }
    return c;
}
static void join(int32_t* parent, int32_t a, int32_t b)
{
    a = root(parent, a), b = root(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

typedef struct Run { // of gas in a row
    int from, end;
} Run;

// The next one from `run->end` on; false: there is none.
static bool next_run(const uint8_t* row, int nx, Run* run)
{
    const uint8_t* found = memchr(row + run->end, LATTICE_GAS, (size_t)(nx - run->end));
    if (found == NULL) return false;
    int i = run->from = (int)(found - row);
    static const uint8_t gas[8] = { LATTICE_GAS, LATTICE_GAS, LATTICE_GAS, LATTICE_GAS,
                                    LATTICE_GAS, LATTICE_GAS, LATTICE_GAS, LATTICE_GAS };
    while (i + 8 <= nx && memcmp(row + i, gas, sizeof gas) == 0) i += 8;
    while (i < nx && row[i] == LATTICE_GAS) ++i;
    run->end = i;
    return true;
}

// Runs of the rows that begin at cells c and d and lie side by side belong together.
static void join_rows(const LatticeSurface* s, int nx, ptrdiff_t c, ptrdiff_t d)
{
    Run a = { 0 }, b = { 0 };
    bool has = next_run(s->type + c, nx, &a) && next_run(s->type + d, nx, &b);
    while (has) {
        if (a.from < b.end && b.from < a.end)
            join(s->parent, (int32_t)(c + a.from), (int32_t)(d + b.from));
        has = a.end < b.end ? next_run(s->type + c, nx, &a) : next_run(s->type + d, nx, &b);
    }
}

static void find_regions(TarnLattice* l)
{
    const LatticeGrid* g = &l->grid;
    const LatticeSurface* s = l->surface;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            ptrdiff_t c = lattice_at(g, 0, j, k);
            for (Run run = { 0 }; next_run(s->type + c, g->nx, &run);)
                s->parent[c + run.from] = (int32_t)(c + run.from);
            if (j > 0) join_rows(s, g->nx, c, c - g->row);
            if (k > 0) join_rows(s, g->nx, c, c - g->slab);
        }
    }
}

typedef struct Regions {
    int32_t roots[LATTICE_BUBBLES];
    int64_t cells[LATTICE_BUBBLES];
    int n;        // and one: number 0 is the atmosphere, and all beyond the last
    int32_t open; // root of the largest, -1: no gas
} Regions;

static int number_of(const Regions* regions, int32_t at)
{
    int b = 1;
    while (b < regions->n && regions->roots[b] != at) ++b;
    return b;
}

static Regions count_regions(TarnLattice* l)
{
    const LatticeSurface* s = l->surface;
    Regions regions = { .n = 1, .open = -1 };
    for (int r = 0; r < lattice_rows(l); ++r) {
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (Run run = { 0 }; next_run(s->type + c, l->grid.nx, &run);) {
            int32_t at = root(s->parent, (int32_t)(c + run.from));
            int b = number_of(&regions, at);
            if (b == regions.n && b < LATTICE_BUBBLES) regions.roots[regions.n++] = at;
            if (b < regions.n) regions.cells[b] += run.end - run.from;
        }
    }
    int64_t most = 0;
    for (int b = 1; b < regions.n; ++b)
        if (regions.cells[b] > most) most = regions.cells[b], regions.open = regions.roots[b];
    return regions;
}

typedef struct Taking {
    LatticeSurface* s;
    int n_old;
    double density[LATTICE_BUBBLES]; // of the gas in the bubbles that were
} Taking;

// With is_kept, the gas that bubbles had over the volume that their cells have now, which differs a little from the one that was
// tracked; else their density stays.
static Taking begin_taking(TarnLattice* l, bool is_kept)
{
    LatticeSurface* s = l->surface;
    Taking t = { .s = s, .n_old = s->n_bubbles };
    double volume[LATTICE_BUBBLES] = { 0 };
    bool is_any = false;
    for (int b = 0; b < s->n_bubbles && is_kept; ++b) is_any |= !s->bubbles[b].is_open;
    for (int r = 0; r < lattice_rows(l) && is_any; ++r) {
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (Run run = { 0 }; next_run(s->type + c, l->grid.nx, &run);)
            for (int i = run.from; i < run.end; ++i)
                if (s->bubble[c + i] < t.n_old) volume[s->bubble[c + i]] += 1.0;
    }
    for (int n = 0; n < s->n_list && is_any; ++n) {
        ptrdiff_t c = s->list[n];
        if (s->bubble[c] < t.n_old) volume[s->bubble[c]] += 1.0 - (double)s->fill[c];
    }
    for (int b = 0; b < LATTICE_BUBBLES; ++b) {
        const LatticeBubble* was = &s->bubbles[b];
        t.density[b] = b < t.n_old ? (double)was->rho : 1.0;
        if (is_any && b < t.n_old && !was->is_open && was->amount > 0.0 && volume[b] > 0.01)
            t.density[b] = lattice_clamp(was->amount / volume[b], 0.1, 10.0);
    }
    return t;
}

// A cell belongs to a bubble from now on, with the gas that it has. The atmosphere is not counted.
static void take_cell(const Taking* t, ptrdiff_t c, int is)
{
    LatticeSurface* s = t->s;
    int was = s->bubble[c] < t->n_old ? s->bubble[c] : 0;
    s->bubble[c] = (uint8_t)is;
    if (is == 0) return;
    double gas = 1.0 - (double)s->fill[c];
    s->bubbles[is].volume += gas;
    s->bubbles[is].amount += gas * t->density[was];
}

static void take_gas(const Taking* t, const LatticeGrid* g, const Regions* regions)
{
    LatticeSurface* s = t->s;
    for (int r = 0; r < g->ny * g->nz; ++r) {
        ptrdiff_t c = lattice_at(g, 0, r % g->ny, r / g->ny);
        for (Run run = { 0 }; next_run(s->type + c, g->nx, &run);) {
            int32_t at = root(s->parent, (int32_t)(c + run.from));
            int b = number_of(regions, at), is = at == regions->open || b == regions->n ? 0 : b;
            if (is == 0) memset(s->bubble + c + run.from, 0, (size_t)(run.end - run.from));
            for (int i = run.from; i < run.end && is > 0; ++i) take_cell(t, c + i, is);
        }
    }
}

// The bubble beside an interface cell, -1: no gas is beside it.
static int bubble_beside(const LatticeSurface* s, const ptrdiff_t* to, int ways, ptrdiff_t c)
{
    for (int way = 0; way < ways; ++way)
        if (s->type[c + to[way]] == LATTICE_GAS) return s->bubble[c + to[way]];
    return -1;
}
// One that touches no gas belongs to the bubble of an interface cell beside it.
static int bubble_near(const LatticeSurface* s, const ptrdiff_t* to, int ways, ptrdiff_t c)
{
    int found = bubble_beside(s, to, ways, c);
    for (int way = 0; way < ways && found < 0 && s->n_bubbles > 2; ++way)
        if (s->type[c + to[way]] == LATTICE_INTERFACE)
            found = bubble_beside(s, to, ways, c + to[way]);
    return found > 0 ? found : 0;
}

void tarn__lattice_find_bubbles(TarnLattice* l, bool is_kept)
{
    LatticeSurface* s = l->surface;
    const Taking t = begin_taking(l, is_kept);
    find_regions(l);
    Regions regions = count_regions(l);
    s->n_bubbles = regions.n;
    for (int b = 0; b < LATTICE_BUBBLES; ++b)
        s->bubbles[b] = (LatticeBubble){
            .rho = 1.0f, .is_open = b == 0 || (b < regions.n && regions.roots[b] == regions.open)
        };
    take_gas(&t, &l->grid, &regions);
    ptrdiff_t to[2 * LATTICE_PAIRS];
    int ways = 2 * l->kind->pairs;
    for (int way = 0; way < ways; ++way) to[way] = (way & 1 ? -1 : 1) * lattice_offset(l, way / 2);
    for (int n = 0; n < s->n_list; ++n)
        take_cell(&t, s->list[n], bubble_near(s, to, ways, s->list[n]));
    // Fluid and solids touch none; the one that they knew may be gone.
    for (size_t c = 0; c < l->grid.stride && regions.n < t.n_old; ++c)
        s->bubble[c] = s->bubble[c] < regions.n ? s->bubble[c] : 0;
    for (int b = 1; b < regions.n; ++b) {
        LatticeBubble* bubble = &s->bubbles[b];
        if (!bubble->is_open && l->params.use_bubbles && bubble->volume > 0.01)
            bubble->rho = (float)lattice_clamp(bubble->amount / bubble->volume, 0.7, 1.4);
        if (!l->params.use_bubbles) bubble->is_open = true;
    }
}
