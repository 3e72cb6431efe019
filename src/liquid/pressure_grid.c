// A coarse staggered grid that carries the pressure of particles.
//
// Method   Each substep: particles fall into cells some 2.6 spacings wide, of which the occupied ones are listed;
//          walls lie on faces. Velocities go to the faces linearly by distance, by volume. Then
//              R = mean(b) - div u,  -div(w grad phi) >= R,  phi >= 0     (linear/free_surface.h)
//          with b what the density of the particles asks for [1/s]: with e = rho - 1, min(0.3 e, max) / dt where it
//          is pressed, (0.3 e + min(0, e + 0.1)) / dt where it is not, so that what is loose may close up freely.
//          w is 1 over how full a face is, so what the pressure takes from one particle it gives to others: the sum
//          of momentum is kept. Particles get -grad phi times the density of the first kind over their own: light
//          ones rise. A small part of the difference to the grid's velocity is taken off where there is pressure,
//          or pools shimmer; a large one where water hardly moves. Particles carry p / rho along, the guess of the next step: the grid has no memory.
// Differs  from a liquid on a grid [Batty2007]: volume is that of the particles, whose rows do what the grid cannot
//          see, so one cycle of a coarse grid is enough whatever the depth.
// Source   [Batty2007].
// Checked  tests/unit/test_constraint.c, tests/unit/test_liquid_bodies.c, tests/physics/check_liquid.c.
// Cost     a fourth of a step of constraint liquids, bench/bench_liquid.c; linear in the particles.

#include "liquid/liquid_driver.h"
#include "liquid/pressure_grid.h"
#include <limits.h>

static const float cell_spacings = 2.6f;  // width of a cell
static const float mingling_rate = 12.0f; // [1/s]
// What is added to it where water is about to rest [1/s], and below which part of sqrt(g spacing) it is: waves that are
// not higher than a spacing or so. At that rate everywhere spray is lost, and with several kinds a heavy one above a light
// one hardly begins to sink.
static const float calming_rate = 300.0f, still_part = 0.35f;
// A cell has at least this weight towards others, in those of a free face. Solids that enclose a cell and drive liquid
// into it would ask for any pressure, and liquid that leaves by a crack for any speed.
static const float least_weight = 0.05f;
// Pressures by density errors are as large as steps are short, and no guess for longer ones [s].
static const float least_kept_dt = 1.0f / 240.0f;
static const float least_fill = 1e-4f; // of a face
enum {
    MANY_CELLS =
        4096, // from here on two cycles: water of 200,000 particles fell together with one in 1/60 s
};

static const GridKernels* kernels(const TarnContext* ctx)
{
    return TARN_KERNELS_PICK(ctx->isa, tarn__grid_kernels);
}

void tarn__pressure_grid_lay_out(PressureGrid* g, TarnLayout* layout, char* base, int dims,
                                 int max_particles)
{
    g->dims = dims;
    g->max_cells = max_particles / (dims == 3 ? 8 : 5) + 256;
    size_t cells = (size_t)g->max_cells, faces = 2 * (size_t)dims * cells;
    g->max_touches = g->max_cells / 2;
    size_t sums = (size_t)(dims == 3 ? 4 * 9 * 3 : 4 * 3 * 2) * sizeof(float);
    tarn__free_surface_lay_out(&g->surface, layout, base, dims, g->max_cells, g->max_touches,
                               GRID_MAX_BODIES, cells * sums);
    g->boxes =
        tarn__layout_place(layout, base, 6 * (size_t)liquid_blocks(max_particles), sizeof(int));
    g->begin = tarn__layout_place(layout, base, cells + 1, sizeof(int));
    g->around = tarn__layout_place(layout, base, cells * (dims == 3 ? 27 : 9), sizeof(int));
    g->sums = g->surface.spare;
    if (base !=
        NULL) { // what comes after the sums takes their place, 12 of 24 (3-D: 18 of 108) floats per cell
        g->du = g->sums;
        g->dw = g->du + faces;
        g->grip = g->dw + faces;
    }
    g->lightness = tarn__layout_place(layout, base, cells, sizeof(float));
    g->fill = tarn__layout_place(layout, base, faces, sizeof(float));
    g->u = tarn__layout_place(layout, base, faces, sizeof(float));
    g->opening = tarn__layout_place(layout, base, faces, sizeof(float));
    g->target = tarn__layout_place(layout, base, faces, sizeof(float));
    g->touch_of = tarn__layout_place(layout, base, cells, sizeof(int));
    g->touches = tarn__layout_place(layout, base, (size_t)g->max_touches, sizeof(GridTouch));
    g->bodies = tarn__layout_place(layout, base, GRID_MAX_BODIES, sizeof(GridBody));
    g->body_of = tarn__layout_place(layout, base, GRID_MAX_SLOTS, sizeof(int16_t));
}

// ---- Cells ---------------------------------------------------------------------------------------

// Walls lie on faces: between two of them a whole number of cells.
static void choose_cells(PressureGrid* g)
{
    const TarnLiquid* l = g->l;
    const float min[3] = { l->def.box_min.x, l->def.box_min.y, l->def.box_min.z };
    const float max[3] = { l->def.box_max.x, l->def.box_max.y, l->def.box_max.z };
    float wish = cell_spacings * l->def.spacing;
    g->volume = g->dims == 2 ? l->def.thickness : 1.0f;
    for (int a = 0; a < 3; ++a) {
        bool low = tarn__liquid_has_wall(l, a, 0), high = tarn__liquid_has_wall(l, a, 1);
        int n = (int)tarn_minf((max[a] - min[a]) / wish + 0.5f, 1e6f);
        n = n > 1 ? n : 1;
        g->has_wall[a][0] = low;
        g->has_wall[a][1] = high;
        g->origin[a] = min[a];
        g->width[a] = low && high ? (max[a] - min[a]) / (float)n : wish;
        g->per_m[a] = 1.0f / g->width[a];
        g->last[a] = high ? n - 1 : INT_MAX;
        if (a < g->dims) g->volume *= g->width[a];
    }
    g->unit = g->volume * l->kinds[0].density;
    g->part = l->mass[0] / g->unit;
    g->is_even = true;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        g->lightness_of[k] = l->kinds[0].density / l->kinds[k].density;
        g->is_even = g->is_even && g->lightness_of[k] == 1.0f;
    }
}

static int coordinate(const PressureGrid* g, int axis, float x)
{
    float at = (x - g->origin[axis]) * g->per_m[axis];
    int i = (int)tarn_clampf(at, -(float)GRID_FARTHEST, (float)GRID_FARTHEST);
    i -= (float)i > at;
    if (g->has_wall[axis][0] && i < 0) i = 0;
    return i > g->last[axis] ? g->last[axis] : i;
}

// The box around the particles of each block, in cells.
static void box_block(int block, void* data)
{
    PressureGrid* g = data;
    const TarnLiquid* l = g->l;
    int first = block * LIQUID_BLOCK,
        last = first + LIQUID_BLOCK < l->n ? first + LIQUID_BLOCK : l->n;
    const float* x[3] = { l->x, l->y, l->z };
    float low[3], high[3];
    for (int a = 0; a < g->dims; ++a)
        tarn__neighbors_bounds(l->ctx, x[a] + first, last - first, &low[a], &high[a]);
    for (int a = 0; a < 3; ++a) {
        g->boxes[6 * block + a] = a < g->dims ? coordinate(g, a, low[a]) : 0;
        g->boxes[6 * block + 3 + a] = a < g->dims ? coordinate(g, a, high[a]) : 0;
    }
}

static void clear_cells(PressureGrid* g)
{
    int blocks = liquid_blocks(g->l->n), low[3], high[3];
    tarn__parallel_for(g->l->ctx, blocks, box_block, g);
    for (int a = 0; a < 3; ++a) {
        low[a] = g->boxes[a], high[a] = g->boxes[3 + a];
        for (int b = 1; b < blocks; ++b) {
            int lowest = g->boxes[6 * b + a], highest = g->boxes[6 * b + 3 + a];
            low[a] = lowest < low[a] ? lowest : low[a];
            high[a] = highest > high[a] ? highest : high[a];
        }
    }
    tarn__free_surface_clear(&g->surface, low, high);
}

// Places in the table of the cells of all particles, or what a hash finds them by.
static void places_block(int block, void* data)
{
    PressureGrid* g = data;
    const GridKernels* k = kernels(g->l->ctx);
    (g->surface.is_plain ? k->places : k->keys)(g, block * LIQUID_BLOCK,
                                                liquid_block_end(g->l, block));
}

// A cell and its number: the next particle is often in the same one, and looking it up in a hash takes time. One for
// each parity of the coordinates, as particles of one cell of the neighbor search lie in up to two along each axis.
typedef struct Recent {
    uint64_t key;
    int number;
} Recent;
enum { RECENTS = 8 };

static int number_of(PressureGrid* g, int p, Recent recents[RECENTS])
{
    if (g->surface.is_plain) {
        int place = g->cell_of[p], c = place >= 0 ? g->surface.table[place] : -1;
        return c >= 0 || place < 0 ? c : tarn__free_surface_number(&g->surface, place);
    }
    if (g->list[p] < 0) return -1;
    uint64_t key = (uint64_t)(uint32_t)g->list[p] << 32 | (uint32_t)g->cell_of[p];
    Recent* recent = &recents[(key & 1) | (key >> (GRID_KEY_BITS - 1) & 2) |
                              (key >> (2 * GRID_KEY_BITS - 2) & 4)];
    if (recent->number < 0 || recent->key != key) {
        int at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = (int)(key >> (a * GRID_KEY_BITS) & ((1u << GRID_KEY_BITS) - 1)) - GRID_KEY_ZERO;
        *recent = (Recent){ key, tarn__free_surface_cell(&g->surface, at) };
    }
    return recent->number;
}

// Numbers of the cells of all particles, in the order of the particles, and the particles of each cell.
static void find_cells(PressureGrid* g)
{
    const TarnLiquid* l = g->l;
    clear_cells(g);
    tarn__parallel_for(l->ctx, liquid_blocks(l->n), places_block, g);
    for (int c = 0; c <= g->max_cells; ++c) g->begin[c] = 0;
    Recent recents[RECENTS];
    for (int r = 0; r < RECENTS; ++r) recents[r].number = -1;
    for (int p = 0; p < l->n; ++p) {
        int c = number_of(g, p, recents);
        g->cell_of[p] = c;
        if (c >= 0) ++g->begin[c + 1];
    }
    g->n = g->surface.level[0].n;
    for (int c = 0; c < g->n; ++c) g->begin[c + 1] += g->begin[c];
    for (int p = 0; p < l->n; ++p)
        if (g->cell_of[p] >= 0) g->list[g->begin[g->cell_of[p]]++] = p;
    for (int c = g->n; c > 0; --c) g->begin[c] = g->begin[c - 1];
    g->begin[0] = 0;
}

static void cells_block(int block, void* data)
{
    PressureGrid* g = data;
    int faces = 2 * g->dims, begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    for (int c = begin; c < end; ++c) {
        for (int f = 0; f < faces; ++f) {
            g->opening[faces * c + f] = 1.0f;
            g->target[faces * c + f] = 0.0f;
        }
    }
}

static void splat_block(int block, void* data)
{
    PressureGrid* g = data;
    int faces = 2 * g->dims, begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    for (int c = begin; c < end; ++c)
        for (int f = 0; f < faces; ++f)
            if (grid_is_wall(g, c, f)) g->opening[faces * c + f] = 0.0f;
    kernels(g->l->ctx)->splat(g, begin, end);
}

// ---- Faces ---------------------------------------------------------------------------------------

static const int step_to[3] = { 1, 3, 9 };

static void faces_block(int block, void* data)
{
    PressureGrid* g = data;
    int begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    kernels(g->l->ctx)->gather(g, begin, end);
}

// Upper faces that the cells beyond them have.
static void share_block(int block, void* data)
{
    PressureGrid* g = data;
    int faces = 2 * g->dims, begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    for (int c = begin; c < end; ++c) {
        for (int f = 1; f < faces; f += 2) {
            int n =
                g->around[(g->dims == 3 ? 27 : 9) * c + (g->dims == 3 ? 13 : 4) + step_to[f / 2]];
            if (n == g->n) continue;
            g->fill[faces * c + f] = g->fill[faces * n + f - 1];
            g->u[faces * c + f] = g->u[faces * n + f - 1];
        }
    }
}

// Where a solid takes a part of a face, and particles are too few to tell, the rest is full.
static float fill_of(const PressureGrid* g, int face)
{
    float open = g->opening[face], least = open < 1.0f ? 0.7f * open : 0.0f;
    return tarn_maxf(g->fill[face], tarn_maxf(least, least_fill));
}

static void rows_block(int block, void* data)
{
    PressureGrid* g = data;
    SurfaceLevel* v = &g->surface.level[0];
    int faces = 2 * g->dims, begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    for (int c = begin; c < end; ++c) {
        float flow = 0.0f, sum = 0.0f;
        for (int f = 0; f < faces; ++f) {
            int i = faces * c + f, axis = f / 2;
            float open = g->opening[i], per_m = g->per_m[axis];
            int beyond = g->around[(g->dims == 3 ? 27 : 9) * c + (g->dims == 3 ? 13 : 4) +
                                   (f % 2 ? step_to[axis] : -step_to[axis])];
            v->next[i] = open > 0.0f ? beyond : c;
            float light =
                beyond < g->n ? 0.5f * (g->lightness[c] + g->lightness[beyond]) : g->lightness[c];
            v->weight[i] = open * open * per_m * per_m * light / fill_of(g, i);
            sum += v->weight[i];
            float out = open * g->u[i] + (1.0f - open) * g->target[i];
            flow += (f % 2 ? out : -out) * per_m;
        }
        v->rhs[c] -= flow;
        v->open[c] = tarn_maxf(least_weight * g->per_m[0] * g->per_m[0] - sum, 0.0f);
    }
}

// Square of the speed in a cell, by its faces.
static float speed2_in(const PressureGrid* g, int c)
{
    const float* u = g->u + 2 * g->dims * c;
    float sum = 0.0f;
    for (int a = 0; a < g->dims; ++a) {
        float mean = 0.5f * (fabsf(u[2 * a]) + fabsf(u[2 * a + 1]));
        sum += mean * mean;
    }
    return sum;
}

// Share of the way to the grid's velocity that particles at a face go: more where water is about to rest. The same
// from both cells. speed2: of the cell.
static float grip_at(const PressureGrid* g, int c, int face, float speed2)
{
    const SurfaceLevel* v = &g->surface.level[0];
    int beyond = v->next[2 * g->dims * c + face];
    if (!(v->phi[c] > 0.0f || v->phi[beyond] > 0.0f)) return 0.0f;
    if (!(g->calming > 0.0f)) return g->mingling;
    if (beyond < g->n) speed2 = tarn_maxf(speed2, speed2_in(g, beyond));
    float still = g->still2 > 0.0f ? g->still2 / (g->still2 + speed2) : 0.0f;
    return tarn_minf(g->mingling + g->calming * (still * still), 1.0f);
}

static void change_block(int block, void* data)
{
    PressureGrid* g = data;
    const SurfaceLevel* v = &g->surface.level[0];
    int faces = 2 * g->dims, begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    for (int c = begin; c < end; ++c) {
        float speed2 = g->calming > 0.0f ? speed2_in(g, c) : 0.0f;
        for (int f = 0; f < faces; ++f) {
            int i = faces * c + f;
            float open = g->opening[i], sign = f % 2 ? 1.0f : -1.0f;
            float steep = sign * (v->phi[v->next[i]] - v->phi[c]) * g->per_m[f / 2];
            float held = grid_held_part(open);
            g->du[i] = -(1.0f - held) * open * steep / fill_of(g, i);
            g->dw[i] = 0.0f;
            g->grip[i] = grip_at(g, c, f, speed2);
            if (held > 0.0f) { // a wall stops what comes, and holds what is pressed
                float to_wall = g->target[i] - g->u[i];
                if (v->phi[c] > 0.0f || sign * to_wall < 0.0f || !grid_is_wall(g, c, f))
                    g->dw[i] = held * to_wall;
            }
        }
    }
}

static void apply_block(int block, void* data)
{
    PressureGrid* g = data;
    int begin = block * GRID_BLOCK;
    int end = begin + GRID_BLOCK < g->n ? begin + GRID_BLOCK : g->n;
    kernels(g->l->ctx)->apply(g, begin, end);
}

void tarn__pressure_grid_project(TarnLiquid* l, const float* ratio, float dt, float stiffness,
                                 float max_rate, bool is_calm)
{
    PressureGrid* g = l->grid;
    g->l = l;
    g->surface.ctx = l->ctx;
    g->list = l->neighbors.order; // free within a solve
    g->ratio = ratio;
    g->dt = dt;
    g->stiffness = stiffness;
    g->max_rate = max_rate;
    g->kept_dt = tarn_maxf(dt, least_kept_dt);
    g->warm = l->params.warm_start * g->kept_dt;
    g->mingling = tarn_minf(mingling_rate * dt, 1.0f);
    g->still2 = still_part * still_part * vec3_length(l->params.gravity) * l->def.spacing;
    choose_cells(g);
    find_cells(g);
    tarn__free_surface_around(&g->surface, g->around);
    int blocks = (g->n + GRID_BLOCK - 1) / GRID_BLOCK;
    tarn__parallel_for(l->ctx, blocks, cells_block, g);
    tarn__pressure_grid_close(g);
    // Not at solids: what they feel of water that stands so still is up to 4 % off its weight.
    g->calming = is_calm && g->n_touches == 0 ? calming_rate * dt : 0.0f;
    tarn__parallel_for(l->ctx, blocks, splat_block, g);
    tarn__parallel_for(l->ctx, blocks, faces_block, g);
    tarn__parallel_for(l->ctx, blocks, share_block, g);
    tarn__pressure_grid_hold(g);
    tarn__parallel_for(l->ctx, blocks, rows_block, g);
    tarn__free_surface_solve(&g->surface, g->n > MANY_CELLS ? 2 : 1);
    tarn__pressure_grid_release(g);
    tarn__parallel_for(l->ctx, blocks, change_block, g);
    tarn__parallel_for(l->ctx, blocks, apply_block, g);
    for (int p = 0; p < l->n; ++p)
        if (g->cell_of[p] < 0) l->memory_a[p] = 0.0f;
}
