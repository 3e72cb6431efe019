// Constraint fluids, as in Sprinkle: every particle is one velocity constraint, "my density does not
// grow", solved by sequential impulses like the contacts of rigid bodies. Read it from the bottom up.
//
// Method   density of a particle  rho = W0 + sum_n W(r_n), W = (1 - r/h)^2, scaled so that a pool at rest
//          has rho = 1 (see rest_sum); walls add what liquid in their place would.
//          Row: rate = sum_n g_n . (v_p - v_n) + bias <= 0, with g the gradient; lambda += rate / A,
//          lambda >= 0 accumulated, A = sum_n |g_n|^2 / m_n + |sum g|^2 / m_p exact. Impulses g lambda.
//          Gauss-Seidel over tiles of cells in 4 (8) colors: a row writes to particles at most one cell
//          away and tiles are two cells wide or more, so tiles of one color never meet.
// Differs  from the talk [Gustafsson2014]: signs, exact A, accumulated clamp; the gradient is that of the
//          density. A density below rest may rise to rest, not more, within the step.
//          W: first tries of (1-q)^3, (1-q^2)^3 and Wendland's at 1/60 s fell together or boiled where
//          (1-q)^2 stood; walls and rest were not the same in all of them, so that is a reason, no proof.
//          The pressure of deep liquid is carried by a coarse grid first (pressure_grid.c), so rows start from 0
//          and one sweep of them is enough: they part what the grid cannot see. Sweeps alone needed six inner
//          steps, and were pressed by 10 to 70 % when water met a wall. Substeps are as long as particles are slow:
//          with up to 16 rounds for clumps one of 1/60 s serves where particles cross 8 spacings in it.
//          Sweeps go up and down in turn. Before the grid, particles that came too close are put apart by rows for
//          places, which are no velocity: nothing bursts. Shifting them once, along with the motion, left some twice or
//          three times too dense whenever streams met.
//          Nothing is kept per pair: a row computes its gradients when it is its turn.
// Tried    without gain: a support of 1.7 spacings (fewer neighbors, but pools stand lower). Rows of particles below
//          rest density only, or above it only: the same compression within a tenth, no time gained.
//          Summing up densities within the neighbor search: candidates are three times as many as neighbors, no gain.
//          Rows two at a time, interleaved: no gain. Going to the grid's velocity at 60/s instead of 12/s: pools
//          shimmer half as much, but spray is lost.
// Source   [Gustafsson2014], [Bodin2012].
// Checked  tests/unit/test_constraint.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c.

#include "liquid/constraint_kernels.h"
#include "liquid/pressure_grid.h"
#include <stdatomic.h>

enum {
    TILE_X = 64, // cells; at least two
    TILE_Y = 4,
    TILE_Z = 4,
    COLORS = 8,
    MAX_SLOTS = 4096, // solids
    PART_ROUNDS = 16,
};
// Of the density error, what the rows and the grid remove in 1/120 s, over the stiffness.
static const float row_share = 2.0f, grid_share = 1.5f;
static const float push_part = 0.8f; // of the largest push in each substep

// Spacings that all but few particles go in 1/60 s at most, for one and for two substeps in it; there are no more
// than three. few_of: how many particles have one of the few. Drops that fly on their own, with less than this part of
// the density at rest, meet nobody: they do not count, however many there are.
static const float one_step = 8.0f, two_steps = 40.0f, drop_density = 0.5f;
enum { few_of = 200 };

// Particles of a clump are put apart where the density exceeds this error, until it is so much below it.
static const float push_from = 0.1f, push_more = 0.06f;

// Particles go 12/s of the way to the velocity of a cell 2.6 spacings wide: a thousandth of what that smooths is
// not seen [spacings^2/s]. It took a third of the time of water with a spacing of 4 mm.
static const float least_viscosity = 0.07f;

// The sum of the kernel at rest over that of the densest lattice: water at rest is no lattice, and at 1 in 2-D it
// stood 1 % too high, so that bodies sank by as much. In 3-D a cubic lattice, which boxes are filled with, has 1.025
// of it, and must be at rest within 2 %.
static const double rest_sum[2] = { 1.010, 1.006 };
static const float wall_part[2] = { 1.0f, 0.95f };

typedef struct Sweep {
    ConstraintWork work;
    const ConstraintKernels* kernels;
    int tiles[3];    // along each axis
    int of_color[3]; // of them in the color that runs
    int color[3];
    bool is_down;
    enum { SWEEP_ROWS, SWEEP_APART, SWEEP_MARK } kind;
    atomic_int has_moved;
    float seen[TARN_LIQUID_KINDS]; // pressure by the impulse of a row of each kind [Pa/(J s)]
} Sweep;

static const ConstraintKernels* kernels(const TarnContext* ctx)
{
    return TARN_KERNELS_PICK(ctx->isa, tarn__constraint_kernels);
}

static int block_end(const TarnLiquid* l, int block)
{
    int end = (block + 1) * LIQUID_BLOCK;
    return end < l->n ? end : l->n;
}
static int blocks_of(const TarnLiquid* l)
{
    return (l->n + LIQUID_BLOCK - 1) / LIQUID_BLOCK;
}

// ---- Sweeps --------------------------------------------------------------------------------------

// The neighbors of what was moved.
static void mark_around(const ConstraintWork* w, int begin, int end)
{
    const Neighbors* nb = &w->l->neighbors;
    for (int p = begin; p < end; ++p) {
        if (w->lambda[p] < CONSTRAINT_MOVED) continue;
        const int* list = nb->list + neighbors_at(nb, p);
        for (int i = 0; i < nb->count[p]; ++i)
            w->lambda[list[i]] = tarn_maxf(w->lambda[list[i]], CONSTRAINT_NEAR_MOVED);
    }
}

static void tile_block(int block, void* data)
{
    Sweep* s = data;
    const Neighbors* nb = &s->work.l->neighbors;
    int t[3] = { block % s->of_color[0], block / s->of_color[0] % s->of_color[1],
                 block / (s->of_color[0] * s->of_color[1]) };
    int from[3], to[3];
    for (int a = 0; a < 3; ++a) {
        int tile = 2 * t[a] + s->color[a];
        from[a] = (int)((int64_t)nb->cells[a] * tile / s->tiles[a]);
        to[a] = (int)((int64_t)nb->cells[a] * (tile + 1) / s->tiles[a]);
    }
    int rows_y = to[1] - from[1], rows = rows_y * (to[2] - from[2]);
    for (int r = 0; r < rows; ++r) {
        int at = s->is_down ? rows - 1 - r : r;
        int row = ((from[2] + at / rows_y) * nb->cells[1] + from[1] + at % rows_y) * nb->cells[0];
        int begin = nb->cell_begin[row + from[0]], end = nb->cell_begin[row + to[0]];
        if (begin == end) continue;
        if (s->kind == SWEEP_ROWS)
            s->kernels->solve(&s->work, begin, end, s->is_down);
        else if (s->kind == SWEEP_MARK)
            mark_around(&s->work, begin, end);
        else if (s->kernels->put_apart(&s->work, begin, end))
            atomic_store_explicit(&s->has_moved, 1, memory_order_relaxed);
    }
}

static void sweep(Sweep* s, bool is_down)
{
    s->is_down = is_down;
    for (int c = 0; c < COLORS; ++c) {
        int color = is_down ? COLORS - 1 - c : c, n = 1;
        for (int a = 0; a < 3; ++a) {
            s->color[a] = color >> a & 1;
            s->of_color[a] = (s->tiles[a] + 1 - s->color[a]) / 2;
            n *= s->of_color[a];
        }
        if (n > 0) tarn__parallel_for(s->work.l->ctx, n, tile_block, s);
    }
}

// All tiles are at least as wide as asked for, or there is one only. Around a wrapped axis an even number,
// so that colors alternate there, too; its cells are a multiple of 6.
static void choose_tiles(Sweep* s)
{
    const Neighbors* nb = &s->work.l->neighbors;
    const int want[3] = { TILE_X, TILE_Y, TILE_Z };
    for (int a = 0; a < 3; ++a) {
        int tiles = nb->cells[a] / want[a];
        if (nb->wraps[a]) tiles = tiles < 2 ? 2 : tiles - tiles % 2;
        s->tiles[a] = tiles > 1 ? tiles : 1;
    }
}

// ---- Before, between and after the sweeps ------------------------------------------------------------

static void places_block(int block, void* data)
{
    const ConstraintWork* w = &((const Sweep*)data)->work;
    const TarnLiquid* l = w->l;
    for (int p = block * LIQUID_BLOCK; p < block_end(l, block); ++p) {
        float* at = constraint_place(w, p);
        float root = l->flags[p] & TARN_LIQUID_FROZEN ? 0.0f : w->inverse_root[l->kind[p]];
        at[0] = l->x[p];
        at[1] = l->y[p];
        if (w->dims == 3) {
            at[2] = l->z[p];
            at[3] = root;
        } else {
            w->row[4 * (size_t)p + 2] = root;
        }
    }
}

static void weigh_block(int block, void* data)
{
    const Sweep* s = data;
    s->kernels->weigh(&s->work, block * LIQUID_BLOCK, block_end(s->work.l, block));
}

// ---- Clumps --------------------------------------------------------------------------------------

static void clear_block(int block, void* data)
{
    Sweep* s = data;
    const ConstraintWork* w = &s->work;
    int begin = block * LIQUID_BLOCK, end = block_end(w->l, block);
    float densest = 0.0f;
    for (int p = begin; p < end; ++p) {
        w->lambda[p] = 0.0f;
        densest = tarn_maxf(w->ratio[p], densest);
    }
    if (densest > 1.0f + w->push_from)
        atomic_store_explicit(&s->has_moved, 1, memory_order_relaxed);
}

// Contacts are those of the place where a particle was, and a clump may have gone farther than they reach.
static void stop_block(int block, void* data)
{
    const ConstraintWork* w = &((const Sweep*)data)->work;
    TarnLiquid* l = w->l;
    for (int p = block * LIQUID_BLOCK; p < block_end(l, block); ++p) {
        if (w->lambda[p] < CONSTRAINT_MOVED) continue;
        float* at = constraint_place(w, p);
        TarnVec3 to = { at[0], at[1], w->dims == 3 ? at[2] : 0.0f };
        TarnVec3 end = tarn__liquid_put(l, p, to), back = vec3_sub(end, to);
        at[0] = end.x;
        at[1] = end.y;
        if (w->dims == 3) at[2] = end.z;
        LiquidContact* contact = l->contacts + l->contact_begin[p];
        for (int i = 0; i < l->contact_count[p]; ++i)
            contact[i].at.distance += vec3_dot(back, contact[i].at.normal);
    }
}

static void weigh_anew_block(int block, void* data)
{
    const Sweep* s = data;
    const ConstraintWork* w = &s->work;
    TarnLiquid* l = w->l;
    for (int p = block * LIQUID_BLOCK; p < block_end(l, block); ++p) {
        if (!(w->lambda[p] > 0.0f)) continue;
        s->kernels->weigh(w, p, p + 1);
        if (w->lambda[p] < CONSTRAINT_MOVED) continue;
        const float* at = constraint_place(w, p);
        l->x[p] = at[0];
        l->y[p] = at[1];
        if (w->dims == 3) l->z[p] = at[2];
    }
}

// Particles that came too close in the last substep are put apart before anything else: places only, so that
// nothing bursts. Few are concerned, and they only.
static void part_clumps(Sweep* s)
{
    TarnLiquid* l = s->work.l;
    atomic_store(&s->has_moved, 0);
    tarn__parallel_for(l->ctx, blocks_of(l), clear_block, s);
    if (!atomic_load(&s->has_moved)) return;
    s->kind = SWEEP_APART;
    for (int i = 0; i < PART_ROUNDS && atomic_load(&s->has_moved); ++i) {
        atomic_store(&s->has_moved, 0);
        sweep(s, (i + l->turn) % 2 == 1);
    }
    if (l->solids) tarn__parallel_for(l->ctx, blocks_of(l), stop_block, s);
    s->kind = SWEEP_MARK;
    sweep(s, false);
    s->kind = SWEEP_ROWS;
    tarn__parallel_for(l->ctx, blocks_of(l), weigh_anew_block, s);
}

// Rows go this part of their way where water hardly moves, as the grid carries the pressure there: with whole ways what a
// sweep up leaves to be done differs from what one down leaves, and pools at rest shimmer from one step to the next.
static const float still_row = 0.7f;

static float row_part(const TarnLiquid* l, int p)
{
    float v2 = l->vx[p] * l->vx[p] + l->vy[p] * l->vy[p] + l->vz[p] * l->vz[p];
    float still = l->grid->still2 > 0.0f ? l->grid->still2 / (l->grid->still2 + v2) : 0.0f;
    return 1.0f - (1.0f - still_row) * (still * still);
}

static void begin_block(int block, void* data)
{
    const ConstraintWork* w = &((const Sweep*)data)->work;
    const TarnLiquid* l = w->l;
    for (int p = block * LIQUID_BLOCK; p < block_end(l, block); ++p) {
        float root = constraint_root(w, p) > 0.0f ? w->mass_root[l->kind[p]] : 0.0f;
        float* u = constraint_u(w, p);
        u[0] = l->vx[p] * root;
        u[1] = l->vy[p] * root;
        w->lambda[p] = 0.0f;
        if (l->grid->calming > 0.0f) w->row[4 * (size_t)p + 3] *= row_part(l, p);
        if (w->dims == 2) continue;
        u[2] = l->vz[p] * root;
        u[3] = 0.0f;
    }
}

static void finish_block(int block, void* data)
{
    const Sweep* s = data;
    const ConstraintWork* w = &s->work;
    TarnLiquid* l = w->l;
    float most = l->params.max_speed;
    for (int p = block * LIQUID_BLOCK; p < block_end(l, block); ++p) {
        TarnVec3 v = constraint_velocity(w, p);
        float speed2 = vec3_dot(v, v);
        if (!(speed2 <= most * most))
            v = speed2 < INFINITY ? vec3_scale(v, most / sqrtf(speed2)) : (TarnVec3){ 0 };
        l->vx[p] = v.x;
        l->vy[p] = v.y;
        l->vz[p] = v.z;
        if (l->contact_count[p] > 0) tarn__constraint_settle(w, p);
        l->density[p] = w->ratio[p] * l->kinds[l->kind[p]].density;
        // Frozen particles in a heap yield to nothing, and their pressure grows as long as they are pressed.
        float pressure = s->seen[l->kind[p]] * w->lambda[p];
        pressure += l->memory_a[p] * l->kinds[0].density;
        l->pressure[p] = tarn_minf(pressure, liquid_max_kept);
    }
}

// ---- A solve -------------------------------------------------------------------------------------

// Sum of the kernel over the other points of the densest lattice with one point per spacing^dims,
// h in spacings. And of its slope times r / dims: 1 / (1 + sum) of it is what a gradient of the
// impulses is seen as. *steeper: that over the one of the rows.
static double lattice_sum(int dims, double h, bool is_talk, double* moment, double* steeper)
{
    double sum = 0.0, rows = 0.0, slope;
    *moment = 0.0;
    int n = (int)(2.0 * h) + 2, nz = dims == 3 ? n : 0;
    for (int k = -nz; k <= nz; ++k) {
        for (int j = -n; j <= n; ++j) {
            for (int i = -n; i <= n; ++i) {
                if (dims == 3 && ((i + j + k) & 1) != 0) continue; // the even points of a grid
                double x = 1.07456993182354 * (i + 0.5 * (j & 1)), y = 0.930604859102100 * j;
                double r2 =
                    dims == 2 ? x * x + y * y : 0.629960524947437 * (double)(i * i + j * j + k * k);
                double q = sqrt(r2) / h, a = 1.0 - q;
                if (!(r2 > 0.0 && a > 0.0)) continue;
                sum += constraint_lattice_kernel(a, is_talk, &slope);
                *moment += slope * q / dims;
                rows += 2.0 * a * q / dims;
            }
        }
    }
    *steeper = *moment / rows;
    return sum;
}

static bool is_mixed(const TarnLiquid* l)
{
    bool is = false;
    for (int p = 0; p < l->n; ++p)
        is |= l->mass[l->kind[p]] != l->mass[0] || (l->flags[p] & TARN_LIQUID_FROZEN) != 0;
    return is;
}

static void prepare(Sweep* s, TarnLiquid* l, float dt)
{
    ConstraintWork* w = &s->work;
    w->l = l;
    w->dims = l->def.dimensions;
    w->dt = dt;
    w->per_dt = 1.0f / dt;
    w->inverse_h = 1.0f / l->support;
    double ratio = (double)l->support / (double)l->def.spacing;
    w->is_talk = l->def.kernel == TARN_LIQUID_KERNEL_TALK;
    double moment, steeper;
    double sum = 1.0 + lattice_sum(w->dims, ratio, w->is_talk, &moment, &steeper);
    sum *= rest_sum[w->dims - 2];
    w->weight = (float)(1.0 / sum);
    w->slope_of_kernel = w->weight * w->inverse_h * (float)steeper;
    // The integral of the kernel over space, of which a wall fills a share. A lattice that ends half a row from the
    // wall lacks 0.9 of that, but water at rest stands nearer then, and pushes on bodies are 2 % too small: 1 in
    // 2-D; in 3-D pools have their volume with 0.95.
    double integral = w->dims == 3 ? 0.418879020478639 * ratio * ratio * ratio
                                   : 0.523598775598299 * ratio * ratio;
    if (w->is_talk)
        integral = constraint_talk_integral * ratio * ratio * (w->dims == 3 ? ratio : 1.0);
    w->wall = wall_part[w->dims - 2] * w->weight * (float)integral;
    w->stiffness = tarn_minf(row_share * l->params.stiffness * 120.0f * dt, 1.0f);
    w->max_rate = push_part * l->params.max_push * (float)w->dims / dt;
    w->skin = liquid_skin * l->def.spacing;
    w->max_push = l->params.max_push * l->def.spacing / dt;
    w->wall_area = l->kinds[0].density * l->def.spacing * dt *
                   (w->dims == 3 ? l->def.spacing : l->def.thickness);
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        w->mass_root[k] = sqrtf(l->mass[k]);
        w->inverse_root[k] = 1.0f / w->mass_root[k];
        s->seen[k] = (float)(moment / sum) / dt * l->kinds[k].density / l->mass[k];
    }
    w->push_from = push_from;
    w->push_more = push_more;
    w->is_mixed = is_mixed(l);
    w->place = l->scratch[0];
    // The sums of the grid, which it needs no more when the rows begin: 4.8 (3-D: 13.5) floats per particle.
    w->u = l->grid->sums;
    w->lambda = l->pressure;
    w->ratio = l->density;
    float** rest = l->scratch + (w->dims == 3 ? 4 : 2); // behind the places
    w->row = rest[0];
    l->grid->cell_of = (int*)(void*)rest[4]; // the last before the grid's memory
    s->kernels = kernels(l->ctx);
    choose_tiles(s);
}

// The iterations are meant for 1/15 s; every substep has one at least.
static int sweeps_of(int iterations, float dt)
{
    float sweeps = 15.0f * dt * (float)iterations;
    return sweeps > 1.5f ? (int)(sweeps + 0.5f) : 1;
}

static void solve(TarnLiquid* l, float dt)
{
    if (l->n == 0 || !(dt > 0.0f)) return;
    tarn__liquid_viscosity(l, dt);
    tarn__liquid_tension(l, dt);
    tarn__liquid_vorticity(l, dt);
    tarn__liquid_gravity(l, dt);

    Sweep s = { 0 };
    ConstraintBody bodies[CONSTRAINT_MAX_BODIES];
    uint8_t body_of[MAX_SLOTS];
    prepare(&s, l, dt);
    ConstraintWork* w = &s.work;
    w->bodies = bodies;
    tarn__constraint_find_bodies(w, body_of);
    tarn__parallel_for(l->ctx, blocks_of(l), places_block, &s);
    float* ghost = constraint_place(w, l->n);
    for (int a = 0; a < w->dims; ++a) ghost[a] = liquid_ghost_at;
    *(w->dims == 3 ? ghost + 3 : w->row + 4 * (size_t)l->n + 2) = 0.0f;
    tarn__parallel_for(l->ctx, blocks_of(l), weigh_block, &s);
    part_clumps(&s);
    float share = tarn_minf(grid_share * l->params.stiffness * 120.0f * dt, 1.0f);
    tarn__pressure_grid_project(l, w->ratio, dt, share, push_part * l->params.max_push / dt,
                                !w->is_mixed);
    tarn__constraint_meet_bodies(w);
    tarn__parallel_for(l->ctx, blocks_of(l), begin_block, &s);
    int sweeps = sweeps_of(l->params.iterations, dt);
    for (int i = 0; i < sweeps; ++i) {
        w->is_last = i + 1 == sweeps;
        sweep(&s, (i + l->turn) % 2 == 1);
        if (w->n_bodies > 0) tarn__constraint_move_bodies(w);
    }
    l->iterations = sweeps;
    tarn__parallel_for(l->ctx, blocks_of(l), finish_block, &s);
}

// Particles go no farther than some spacings in a substep, all but a few drops: what meets within one is pressed.
// Bodies are calmer with two.
static float stable_dt(const TarnLiquid* l, float left)
{
    float slow = one_step * 60.0f * l->def.spacing, fast = two_steps * 60.0f * l->def.spacing;
    int faster[2] = { 0, 0 };
    for (int p = 0; p < l->n; ++p) {
        float v2 = l->vx[p] * l->vx[p] + l->vy[p] * l->vy[p] + l->vz[p] * l->vz[p];
        bool is_drop = l->density[p] < drop_density * l->kinds[l->kind[p]].density;
        faster[0] += !is_drop && v2 > slow * slow;
        faster[1] += !is_drop && v2 > fast * fast;
    }
    int few = l->n / few_of, steps = 1 + (faster[0] > few) + (faster[1] > few);
    if (steps == 1 && tarn__liquid_has_bodies(l)) steps = 2;
    return tarn_minf(left, 1.001f / (60.0f * (float)steps)); // a hair more: steps must not round up
}

const LiquidMethod tarn__liquid_constraint = { .name = "constraint",
                                               .scratch = LIQUID_PARTS_SCRATCH,
                                               .needs_lists = true,
                                               .is_lean = true,
                                               .needs_grid = true,
                                               .beside_grid = { 7, 9 },
                                               .least_viscosity = least_viscosity,
                                               .stable_dt = stable_dt,
                                               .solve = solve };
