// The free surface: volume of fluid on the lattice.
//
// Method   [Koerner2005], [Thuerey2007]: cells are gas, interface or fluid, and an interface cell knows its mass. Mass
//          moves with the populations that cross between cells, weighted by how full they are; what gas would
//          send is made of the equilibrium at its pressure. Cells that run over become fluid, those that run dry
//          gas; the rest of their mass goes to the interface cells around them. The interface stays closed: no
//          fluid cell beside a gas cell.
// Differs  The density that decides on a conversion is that before the collision, which does not change it, so
//          that populations are read once. A new interface cell begins with the density and velocity of the cell that ran over.
//          Mass that finds no neighbor, and what rounding loses, is spread over the whole interface: the sum is
//          that of the ledger. The pressure of gas holds where the surface is in an interface cell (by_height of
//          lattice_surface_kernels.c): a still pool is flat to 0.03 cells after 60 s instead of 0.98. Conversions are
//          decided on one worker, in the order of a list, so that the sums of mass have an order.
// Checked  tests/physics/check_lattice_surface.c, tests/unit/test_lattice.c.
// Cost     lattice.free_surface.128 of bench/bench_lattice.c.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

enum { LIST_BLOCK = 512, CHANGE_BLOCK = 64 }; // cells per block of work

void tarn__lattice_lay_out_surface(TarnLayout* layout, char* base, const LatticeGrid* g,
                                   const TarnLatticeDef* def, LatticeSurface** out)
{
    LatticeSurface none = { 0 }, *s = tarn__layout_place(layout, base, 1, sizeof *s);
    LatticeSurface* at = base ? s : &none;
    size_t cells = (size_t)def->nx * (size_t)def->ny * (size_t)def->nz;
    uint8_t* type = tarn__layout_place(layout, base, g->stride + (size_t)g->slab, 1);
    if (base) at->type = type + g->slab;
    at->bubble = tarn__layout_place(layout, base, g->stride, 1);
    at->mass = tarn__layout_place(layout, base, g->stride, 4);
    at->fill = tarn__layout_place(layout, base, g->stride, 4);
    at->next = tarn__layout_place(layout, base, g->stride, 4);
    at->parent = tarn__layout_place(layout, base, g->stride, 4);
    at->list = tarn__layout_place(layout, base, cells, 4);
    at->marks = tarn__layout_place(layout, base, cells, 1);
    at->swelling = tarn__layout_place(layout, base, (cells / LIST_BLOCK + 1) * LATTICE_BUBBLES, 4);
    if (base) *out = s;
}

const float* tarn__lattice_fill_field(const TarnLattice* l)
{
    return l->surface ? l->surface->fill : NULL;
}

// ---- What all passes need ---------------------------------------------------------------------------

typedef struct Pass {
    TarnLattice* l;
    LatticeSurface* s;
    int ways;
    ptrdiff_t to[2 * LATTICE_PAIRS];   // to the neighbor along a way
    ptrdiff_t sent[2 * LATTICE_PAIRS]; // where the last step left what goes along it
    ptrdiff_t gets[2 * LATTICE_PAIRS]; // where the next one loads what comes along it
    float e[2 * LATTICE_PAIRS][3];
    float tension;
    LatticeExchange x;
    LatticeExchangeFn* exchange;
    // Of a conversion: places of changing cells in the list, how many; cells in the list before; of each new one the cell
    // that ran over, or -1
    int32_t *changing, *from;
    int n_changing, n_before;
} Pass;

static Pass pass_of(TarnLattice* l)
{
    double dx = (double)l->def.dx, unit = l->dt * l->dt / (dx * dx * dx);
    Pass p = { .l = l, .s = l->surface, .ways = 2 * l->kind->pairs };
    p.tension = (float)lattice_clamp(
        (double)l->params.surface_tension / (double)l->params.density * unit, 0.0, 0.05);
    bool is_odd = lattice_is_odd(l);
    for (int way = 0; way < p.ways; ++way) {
        bool is_up = (way & 1) == 0;
        p.to[way] = (is_up ? 1 : -1) * lattice_offset(l, way / 2);
        p.sent[way] = lattice_out(l, !is_odd, way / 2, is_up, 0);
        p.gets[way] = lattice_in(l, is_odd, way / 2, is_up, 0);
        for (int d = 0; d < 3; ++d)
            p.e[way][d] = (float)((is_up ? 1 : -1) * l->kind->e[way / 2][d]);
    }
    return p;
}

// ---- Before the collisions -------------------------------------------------------------------------

// Density - 1 and velocity of what the last step left in a cell.
TARN_INLINE LatticeState left_in(const Pass* p, ptrdiff_t c, float sent[2 * LATTICE_PAIRS])
{
    float rho = tarn__lattice_get(p->l, c), m[3] = { 0 };
    for (int way = 0; way < p->ways; ++way) {
        sent[way] = tarn__lattice_get(p->l, p->sent[way] + c);
        rho += sent[way];
        for (int d = 0; d < 3; ++d) m[d] += p->e[way][d] * sent[way];
    }
    rho = tarn_clampf(rho, -0.6f, 0.6f);
    LatticeState s = { .rho = rho };
    for (int d = 0; d < 3; ++d) s.u[d] = tarn_clampf(m[d] / (1.0f + rho), -0.35f, 0.35f);
    return s;
}

static int list_blocks(const LatticeSurface* s)
{
    return (s->n_list + LIST_BLOCK - 1) / LIST_BLOCK;
}
static void exchange_block(int block, void* data)
{
    const Pass* p = data;
    LatticeSurface* s = p->s;
    float gas[LIST_BLOCK + TARN_LANES];
    int from = block * LIST_BLOCK;
    int n = s->n_list - from < LIST_BLOCK ? s->n_list - from : LIST_BLOCK;
    for (int i = 0; i < n; ++i) {
        ptrdiff_t c = s->list[from + i];
        gas[i] = s->bubbles[s->bubble[c]].rho - 1.0f;
        if (p->tension > 0.0f) {
            int at[3];
            lattice_place(p->l, c, at);
            gas[i] += 3.0f * p->tension * tarn__lattice_curvature(p->l, at[0], at[1], at[2]);
        }
        gas[i] = tarn_clampf(gas[i], -0.3f, 0.3f);
    }
    for (int i = n; i % TARN_LANES != 0; ++i) gas[i] = gas[n - 1];
    p->exchange(&p->x, s->list + from, gas, n, s->marks + from);
}

void tarn__lattice_exchange(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    Pass pass = pass_of(l);
    double most = 0.01 * s->n_list, pay = lattice_clamp(s->debt, -most, most);
    float spread = s->n_list > 0 ? (float)(pay / s->n_list) : 0.0f;
    s->debt -= (double)spread * s->n_list;
    pass.x = (LatticeExchange){ .f = l->f,
                                .row = l->grid.row,
                                .slab = l->grid.slab,
                                .type = s->type,
                                .fill = s->fill,
                                .mass = s->mass,
                                .next = s->next,
                                .spread = spread };
    LatticePass step = tarn__lattice_pass(l);
    memcpy(pass.x.force, step.force, sizeof step.force);
    memcpy(pass.x.to, pass.to, sizeof pass.to);
    memcpy(pass.x.sent, pass.sent, sizeof pass.sent);
    memcpy(pass.x.gets, pass.gets, sizeof pass.gets);
    pass.exchange = TARN_KERNELS_PICK(l->ctx->isa, tarn__lattice_surface_kernels)
                        ->exchange[l->kind->dims == 3][l->is_half];
    tarn__parallel_for(l->ctx, list_blocks(s), exchange_block, &pass);
}

// ---- After the step ---------------------------------------------------------------------------------

void tarn__lattice_begin_cell(TarnLattice* l, int i, int j, int k, float rho, const float u[3])
{
    bool is_odd = lattice_is_odd(l);
    ptrdiff_t c = lattice_at(&l->grid, i, j, k);
    tarn__lattice_put(l, c, tarn__lattice_equilibrium(l->kind, -1, true, rho, u));
    for (int way = 0; way < 2 * l->kind->pairs; ++way) {
        int pair = way / 2;
        bool is_up = (way & 1) == 0;
        ptrdiff_t n = c + (is_up ? 1 : -1) * lattice_offset(l, pair);
        float sent = tarn__lattice_equilibrium(l->kind, pair, is_up, rho, u);
        tarn__lattice_put(l, lattice_out(l, !is_odd, pair, is_up, c), sent);
        if (l->surface->type[n] == LATTICE_SOLID) // a wall has sent it back
            tarn__lattice_put(l, lattice_in(l, is_odd, pair, !is_up, c), sent);
    }
}

static void set_bit(TarnLattice* l, ptrdiff_t c, bool is_on)
{
    int at[3];
    lattice_place(l, c, at);
    int r = at[1] + l->grid.ny * at[2], bytes = l->grid.nx >> 3;
    uint8_t* row = l->cells + (ptrdiff_t)bytes * r;
    uint8_t bit = (uint8_t)(1u << (at[0] & 7));
    row[at[0] >> 3] = (uint8_t)(is_on ? row[at[0] >> 3] | bit : row[at[0] >> 3] & ~bit);
    // A row of one kind becomes mixed; mixed ones are looked at anew once per call of step.
    if (l->kinds[r] != (is_on ? LATTICE_ROW_FULL : LATTICE_ROW_EMPTY))
        l->kinds[r] = LATTICE_ROW_MIXED;
}

// Cells that become interface; those that were gas begin as the cell that ran over left it, the others were full.
static void add_interface(const Pass* p, ptrdiff_t c, int32_t from)
{
    LatticeSurface* s = p->s;
    p->from[s->n_list - p->n_before] = from;
    s->type[c] = LATTICE_INTERFACE;
    s->list[s->n_list++] = (int32_t)c;
}

// A cell that runs over: gas beside it becomes interface, and nothing beside it runs dry.
static void wet_around(const Pass* p, ptrdiff_t c)
{
    LatticeSurface* s = p->s;
    for (int way = 0; way < p->ways; ++way) {
        ptrdiff_t n = c + p->to[way];
        if (s->type[n] == LATTICE_TO_GAS) s->type[n] = LATTICE_INTERFACE;
        if (s->type[n] != LATTICE_GAS) continue;
        s->mass[n] = s->fill[n] = 0.0f;
        add_interface(p, n, (int32_t)c);
        set_bit(p->l, n, true);
    }
}

// A cell that runs dry: fluid beside it becomes interface.
static void open_around(const Pass* p, ptrdiff_t c)
{
    LatticeSurface* s = p->s;
    for (int way = 0; way < p->ways; ++way) {
        ptrdiff_t n = c + p->to[way];
        if (s->type[n] != LATTICE_FLUID) continue;
        s->fill[n] = 1.0f;
        s->bubble[n] = s->bubble[c];
        add_interface(p, n, -1);
    }
}

// The populations of new interface cells, and the density of cells that ran over: what takes time, each on its own.
static void begin_block(int block, void* data)
{
    const Pass* p = data;
    LatticeSurface* s = p->s;
    int added = s->n_list - p->n_before, n = added + p->n_changing;
    int end = (block + 1) * CHANGE_BLOCK < n ? (block + 1) * CHANGE_BLOCK : n;
    float sent[2 * LATTICE_PAIRS];
    for (int i = block * CHANGE_BLOCK; i < end; ++i) {
        ptrdiff_t c = s->list[i < added ? p->n_before + i : p->changing[i - added]];
        if (i >= added) {
            if (s->type[c] == LATTICE_TO_FLUID) s->next[c] = 1.0f + left_in(p, c, sent).rho;
        } else if (p->from[i] < 0) {
            s->mass[c] = 1.0f + left_in(p, c, sent).rho;
        } else {
            LatticeState left = left_in(p, p->from[i], sent);
            int at[3];
            lattice_place(p->l, c, at);
            tarn__lattice_begin_cell(p->l, at[0], at[1], at[2], left.rho, left.u);
        }
    }
}

// What a conversion leaves over, in equal parts to the interface around.
static void give_excess(const Pass* p, ptrdiff_t c, float excess)
{
    LatticeSurface* s = p->s;
    int found = 0;
    for (int way = 0; way < p->ways; ++way) found += s->type[c + p->to[way]] == LATTICE_INTERFACE;
    if (found == 0) s->debt += (double)excess;
    for (int way = 0; way < p->ways && found > 0; ++way)
        if (s->type[c + p->to[way]] == LATTICE_INTERFACE)
            s->mass[c + p->to[way]] += excess / (float)found;
}

static void finish_cell(const Pass* p, ptrdiff_t c)
{
    LatticeSurface* s = p->s;
    float excess = s->mass[c];
    bool is_fluid = s->type[c] == LATTICE_TO_FLUID;
    if (is_fluid) excess -= s->next[c];
    s->type[c] = is_fluid ? LATTICE_FLUID : LATTICE_GAS;
    s->mass[c] = 0.0f;
    s->fill[c] = is_fluid ? 1.0f : 0.0f;
    if (!is_fluid) set_bit(p->l, c, false);
    give_excess(p, c, excess);
}

// Takes over the new fills and the bubbles of the gas beside.
static void settle_block(int block, void* data)
{
    const Pass* p = data;
    LatticeSurface* s = p->s;
    int end = (block + 1) * LIST_BLOCK < s->n_list ? (block + 1) * LIST_BLOCK : s->n_list;
    float* swelling = s->swelling + (ptrdiff_t)block * LATTICE_BUBBLES;
    memset(swelling, 0, LATTICE_BUBBLES * sizeof *swelling);
    for (int n = block * LIST_BLOCK; n < end; ++n) {
        ptrdiff_t c = s->list[n];
        // With one region of gas, all of it is the atmosphere.
        for (int way = 0; way < p->ways && s->n_bubbles > 2; ++way) {
            if (s->type[c + p->to[way]] != LATTICE_GAS) continue;
            s->bubble[c] = s->bubble[c + p->to[way]];
            break;
        }
        float now = s->marks[n] == LATTICE_TO_FLUID ? 1.0f
                    : s->marks[n] == LATTICE_TO_GAS ? 0.0f
                                                    : s->next[c];
        swelling[s->bubble[c]] += s->fill[c] - now;
        s->fill[c] = s->next[c];
    }
}

// Bubbles are compressed and expand: the amount of gas in them stays.
static void swell_bubbles(LatticeSurface* s, int blocks)
{
    for (int b = 1; b < s->n_bubbles; ++b) {
        double change = 0.0;
        for (int n = 0; n < blocks; ++n) change += (double)s->swelling[n * LATTICE_BUBBLES + b];
        LatticeBubble* bubble = &s->bubbles[b];
        bubble->volume = bubble->volume + change > 0.01 ? bubble->volume + change : 0.01;
        if (!bubble->is_open)
            bubble->rho = (float)lattice_clamp(bubble->amount / bubble->volume, 0.7, 1.4);
    }
}

// The places of marks that are set, eight at a time where none is.
static int find_marks(const uint8_t* marks, int n, int32_t* out)
{
    int found = 0;
    for (int i = 0; i < n;) {
        uint64_t word = 1;
        if (i + 8 <= n) memcpy(&word, marks + i, sizeof word);
        if (word == 0) {
            i += 8;
            continue;
        }
        for (int end = i + 8 < n ? i + 8 : n; i < end; ++i)
            if (marks[i]) out[found++] = i;
    }
    return found;
}

// Takes out of the list what is interface no more, in parts between the places that changed.
static void drop_changed(LatticeSurface* s, const int32_t* changing, int n)
{
    int kept = n > 0 ? changing[0] : s->n_list;
    for (int i = 0; i < n; ++i) {
        int from = changing[i], end = i + 1 < n ? changing[i + 1] : s->n_list;
        if (s->type[s->list[from]] != LATTICE_INTERFACE) from += 1;
        memmove(s->list + kept, s->list + from, (size_t)(end - from) * sizeof *s->list);
        kept += end - from;
    }
    s->n_list = kept;
}

void tarn__lattice_convert(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    Pass pass = pass_of(l);
    int n = s->n_list, blocks = list_blocks(s);
    tarn__parallel_for(l->ctx, blocks, settle_block, &pass);
    swell_bubbles(s, blocks);
    // Those that change are few: their places in the list, in its order.
    int32_t* changing = pass.changing = s->parent;
    int found = find_marks(s->marks, n, changing);
    pass.from = changing + n, pass.n_before = n, pass.n_changing = found;
    for (int i = 0; i < found; ++i) s->type[s->list[changing[i]]] = s->marks[changing[i]];
    for (int i = 0; i < found; ++i)
        if (s->marks[changing[i]] == LATTICE_TO_FLUID) wet_around(&pass, s->list[changing[i]]);
    for (int i = 0; i < found; ++i)
        if (s->type[s->list[changing[i]]] == LATTICE_TO_GAS)
            open_around(&pass, s->list[changing[i]]);
    int work = s->n_list - n + found;
    tarn__parallel_for(l->ctx, (work + CHANGE_BLOCK - 1) / CHANGE_BLOCK, begin_block, &pass);
    for (int i = 0; i < found; ++i)
        if (s->type[s->list[changing[i]]] != LATTICE_INTERFACE)
            finish_cell(&pass, s->list[changing[i]]);
    drop_changed(s, changing, found);
}

// ---- Between calls of step --------------------------------------------------------------------------

void tarn__lattice_list(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    tarn__lattice_set_bits(l);
    s->n_list = 0;
    for (int r = 0; r < lattice_rows(l); ++r) {
        if (l->kinds[r] == LATTICE_ROW_EMPTY) continue;
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        const uint8_t *row = s->type + c, *end = row + l->grid.nx, *at = row;
        for (; (at = memchr(at, LATTICE_INTERFACE, (size_t)(end - at))) != NULL; ++at)
            s->list[s->n_list++] = (int32_t)(c + (at - row));
    }
}

static void mass_block(int block, void* data)
{
    const TarnLattice* l = data;
    const LatticeSurface* s = l->surface;
    LatticePass pass = tarn__lattice_pass(l);
    pass.is_odd = !pass.is_odd; // what the last step left lies where it loaded
    LatticeReadFn* read = l->kernels->read[l->kind->dims == 3][l->is_half];
    float rho[4096];
    double sum = 0.0;
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    for (int r = r0; r < r1; ++r) {
        if (l->kinds[r] == LATTICE_ROW_EMPTY) continue;
        int j = r % l->grid.ny, k = r / l->grid.ny;
        ptrdiff_t c = lattice_at(&l->grid, 0, j, k);
        read(&pass, j, k, &(LatticeRowOut){ .rho = rho });
        for (int i = 0; i < l->grid.nx; ++i) {
            if (s->type[c + i] == LATTICE_INTERFACE) sum += (double)s->mass[c + i];
            if (s->type[c + i] == LATTICE_FLUID)
                sum += 1.0 + (double)tarn_clampf(rho[i], -0.6f, 0.6f);
        }
    }
    l->sums[block] = sum;
}

static double mass_of(TarnLattice* l)
{
    tarn__parallel_for(l->ctx, lattice_blocks(l), mass_block, l);
    return l->surface->debt + tarn__sum(l->sums, lattice_blocks(l));
}

// Rounding, and cells that solids cover, change the mass: what is missing goes to the interface.
void tarn__lattice_balance(TarnLattice* l)
{
    l->surface->debt += l->surface->ledger - mass_of(l);
}

void tarn__lattice_close(TarnLattice* l)
{
    LatticeSurface* s = l->surface;
    Pass pass = pass_of(l);
    float sent[2 * LATTICE_PAIRS];
    for (int r = 0; r < lattice_rows(l); ++r) {
        ptrdiff_t c = lattice_at(&l->grid, 0, r % l->grid.ny, r / l->grid.ny);
        for (int i = 0; i < l->grid.nx; ++i, ++c) {
            if (s->type[c] != LATTICE_FLUID) continue;
            bool has_gas = false;
            for (int way = 0; way < pass.ways; ++way)
                has_gas |= s->type[c + pass.to[way]] == LATTICE_GAS;
            if (!has_gas) continue;
            s->type[c] = LATTICE_INTERFACE;
            s->mass[c] = 1.0f + left_in(&pass, c, sent).rho;
            s->fill[c] = 1.0f;
        }
    }
    tarn__lattice_list(l);
}

void tarn__lattice_surface_stats(const TarnLattice* l, TarnLatticeStats* stats)
{
    const LatticeSurface* s = l->surface;
    if (s == NULL) return;
    double volume = 0.0, dx = (double)l->def.dx;
    for (size_t c = 0; c < l->grid.stride; ++c) volume += (double)s->fill[c];
    stats->volume = volume * (l->kind->dims == 3 ? dx * dx * dx : dx * dx);
    stats->mass = mass_of((TarnLattice*)l);
    for (int b = 1; b < s->n_bubbles; ++b) stats->bubbles += !s->bubbles[b].is_open;
}
