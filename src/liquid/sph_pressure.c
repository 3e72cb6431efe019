// The pressure solves of dfsph and pcisph.
//
// Method   Projected Jacobi iterations for pressures p >= 0 with momentum [Beck2009] that is forgotten when it
//          overshoots [ODonoghue2015], beginning with the pressures of the last substep. In deep water a
//          coarse level comes first (sph_coarse.c), and the solve ends only when it finds the pressure
//          right as well. Velocities always follow from the pressures as a whole, so momentum is kept
//          after any number of iterations.
// Why so   A frame of 50,000 particles in 2-D took 47 s: the error was judged by its mean over all particles, and
//          a column of 250 rows in free fall has errors in one row only. So it fell for two frames, was
//          pressed at its foot by a tenth and flew apart. The root of the mean of the squares counts now, and
//          the pressure that the coarse level misses. The density solve need not end within a substep: in a column of
//          240 rows it took 15 to 60 iterations per substep, and the next substep begins where it stopped.
// Checked  tests/unit/test_sph.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"
#include "liquid/sph_coarse.h"

enum {
    SMOOTHING_ROUNDS = 4, // iterations after the coarse level: at 2 it is called twice as often
    HEAP_ROUNDS = 5,      // most where lists are full
    SHIFT_ROUNDS = 10,    // most of the density solve: the next substep goes on with what is left
    PATIENCE = 20,        // iterations after which it helps where the water is not deep, too
};
#define LOOSE 0.1f // spacings per substep by which a solve that has not converged may change a way
static const float deep_rows = 40.0f; // from here on the coarse level comes first
static const double missed = 0.03;    // share of the pressure that it may miss in the end
static const double spread = 3.0;     // root of mean squares that passes for a mean of 1

static void fade_block(int block, void* data)
{
    const SphSweep* s = data;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(s->l, block); ++i)
        s->p_last[i] = s->p[i] *= SPH_WARM;
}

static void begin_solve(SphSweep* s, float* memory)
{
    TarnLiquid* l = s->l;
    s->p = memory;
    s->p_next = l->scratch[13];
    s->p_last = l->scratch[15];
    s->residual = l->scratch[16];
    s->active = l->scratch[17];
    s->relax = SPH_RELAX;
    s->push_gain = s->is_shift ? s->gain * s->dt : s->gain;
    float left = s->rows > 0.0f ? SPH_LEFT * s->take : s->take;
    s->weigh_pressed = 1.0f / (l->params.max_error * (s->is_shift ? left : s->growth));
    s->weigh_apart = 1.0f / (l->params.max_error * SPH_APART * s->dt);
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), fade_block, s);
    s->p[l->n] = 0.0f;
}

// Share of the last change of a pressure that is added to it. From 0 on it took a third more iterations.
static float momentum(int since)
{
    return (float)(since + 2) / (float)(since + 3);
}

static void next_iteration(SphSweep* s)
{
    float* t = s->p;
    s->p = s->p_next;
    s->p_next = t;
    s->p[s->l->n] = 0.0f;
}

// Has the coarse level found what the pressures miss to be little? Else it was added.
static bool is_deep_right(SphSweep* s, SphCoarse* coarse, double error)
{
    double squares = tarn__sph_sum(s, 1);
    if (coarse->n < 0) tarn__sph_coarse_make(coarse, s, s->l->scratch + 18);
    if (coarse->n == 0) return error <= 1.0;
    double lacking = tarn__sph_coarse_solve(coarse, s);
    bool is_little = lacking <= missed * missed * squares;
    if ((!tarn__sph_coarse_helps(coarse, lacking) || is_little) && error <= 1.0) return true;
    tarn__sph_coarse_add(coarse, s);
    return false;
}

// Pressures so that what `error` sums up is at most max_error, beginning with those in `memory`: returns the iterations.
// The packed velocities then belong to s->p; s->p_next is one iteration farther and belongs into the memory (keep),
// when s->p is no longer needed.
static int solve(SphSweep* s, SphLoop* error, float* memory)
{
    TarnLiquid* l = s->l;
    begin_solve(s, memory);
    SphCoarse coarse = { .n = -1 };
    // Lists that are full know one side of some pairs only: errors and forces no longer belong together, many
    // iterations lead astray, and cells have no rows that make sense.
    bool is_whole = l->neighbors.overflowed == 0, has_coarse = !s->is_shift && is_whole;
    int most = is_whole ? l->params.max_iterations : HEAP_ROUNDS;
    if (s->is_shift && most > SHIFT_ROUNDS) most = SHIFT_ROUNDS;
    if (most > l->params.max_iterations) most = l->params.max_iterations;
    bool is_deep = has_coarse && s->rows > deep_rows;
    // When the coarse level is asked: whether all is right, and for help.
    int next_check = 0, next_help = is_deep ? 0 : has_coarse ? PATIENCE : INT32_MAX, since = 0;
    double before = (double)INFINITY;
    for (int n = 0;; ++n) {
        tarn__sph_run(tarn__sph_kernels(l)->push, s);
        if (s->bodies != NULL) tarn__sph_move_bodies(s);
        if (n == most) break;
        s->momentum = momentum(since);
        tarn__sph_run(error, s);
        double now = sqrt(tarn__sph_sum(s, 0) / (double)l->n) / spread;
        // Velocities stay with p, but the next substep begins with p_next: so pressures that are no longer
        // needed go down even where one look is enough.
        if (now <= 1.0 && !is_deep) return n + 1;
        if (now <= 1.0 ? n >= next_check : n >= next_help) {
            if (is_deep_right(s, &coarse, now)) return n + 1;
            next_check = n + SMOOTHING_ROUNDS;
            next_help = n + PATIENCE;
            since = 0;
            before = (double)INFINITY;
            if (coarse.n > 0) continue;
        }
        since = now > before ? 0 : since + 1;
        before = now;
        next_iteration(s);
    }
    s->p_next = s->p;
    // Its own limit is no failure, what the user set is.
    if (s->is_shift && is_whole && most == SHIFT_ROUNDS) return most;
    l->flags_of_step |= TARN_STEP_NOT_CONVERGED;
    s->limit = LOOSE * l->def.spacing / s->dt;
    return most;
}

static void keep(const SphSweep* s, float* memory)
{
    if (s->p_next != memory) memcpy(memory, s->p_next, (size_t)s->l->n * sizeof(float));
}

// What a solve that has not converged changes is limited: it must not become speed.
static void take_velocities(int block, void* data)
{
    const SphSweep* s = data;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        if (l->flags[i] & TARN_LIQUID_FROZEN) continue;
        const float* v = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        TarnVec3 change = { v[0] - l->vx[i], v[1] - l->vy[i], v[2] - l->vz[i] };
        float size = vec3_length(change);
        bool is_loose = size > s->limit;
        float share = is_loose ? s->limit / size : 1.0f;
        l->vx[i] = is_loose ? l->vx[i] + share * change.x : v[0];
        l->vy[i] = is_loose ? l->vy[i] + share * change.y : v[1];
        l->vz[i] = is_loose ? l->vz[i] + share * change.z : v[2];
    }
}

static bool has_tension(const TarnLiquid* l)
{
    bool has = l->params.surface_tension > 0.0f || l->params.cohesion > 0.0f;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) has = has || l->kinds[k].cohesion > 0.0f;
    return has;
}

// What walls did, from the pressures: their gradients are still in the impulses.
static void take_pressures(int block, void* data)
{
    const SphSweep* s = data;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        if (!s->has_tension) l->pressure[i] += s->p[i];
        LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k)
            c[k].impulse = vec3_scale(c[k].impulse, -2.0f * s->gain * s->p[i]);
    }
}

// Moves the particles by the displacements of the density solve, a tenth of a spacing at most and not
// into solids. Velocities know nothing of it, so it adds no energy.
static void shift_block(int block, void* data)
{
    const SphSweep* s = data;
    TarnLiquid* l = s->l;
    float most = 0.1f * l->def.spacing, skin = liquid_skin * l->def.spacing;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        const float* u = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        TarnVec3 d = { u[0], u[1], u[2] };
        float length = vec3_length(d);
        if (!(length > 0.0f)) continue; // a number, too
        if (length > most) d = vec3_scale(d, most / length);
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k) {
            float into = vec3_dot(d, c[k].at.normal),
                  room = tarn_maxf(c[k].at.distance - skin, 0.0f);
            if (into < -room) d = vec3_sub(d, vec3_scale(c[k].at.normal, into + room));
        }
        l->x[i] += d.x;
        l->y[i] += d.y;
        if (l->def.dimensions == 3) l->z[i] += d.z;
    }
}

// Density solve, the first of the two: moves the particles apart where they are too dense, and inside the liquid
// together where they are not dense enough. Returns the iterations.
static int shift(SphSweep* s)
{
    TarnLiquid* l = s->l;
    s->take = tarn_minf(SPH_TAKE, SPH_TAKE_ROWS / tarn_maxf(s->rows, 1.0f));
    if (l->def.dimensions == 3 && s->rows > 0.0f)
        s->growth *= tarn_minf(tarn_maxf(SPH_GROWTH_ROWS / s->rows, 1.0f), 2.0f);
    s->is_shift = true;
    float limit = s->limit; // of velocities, not of displacements
    int n = solve(s, tarn__sph_kernels(l)->error, l->memory_b);
    s->limit = limit;
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), shift_block, s);
    keep(s, l->memory_b);
    s->is_shift = false;
    return n;
}

SphSweep tarn__sph_begin(TarnLiquid* l, float dt)
{
    tarn__sph_parts(l, dt);
    tarn__liquid_gravity(l, dt);
    SphSweep s = tarn__sph_sweep(l, SMOOTHING_CUBIC, dt);
    s.rows = tarn__sph_rows(l);
    s.disorder = tarn__sph_freedom(l, s.rows) * l->def.spacing * l->def.spacing;
    tarn__sph_pack(&s);
    tarn__sph_run(tarn__sph_kernels(l)->gradients, &s);
    return s;
}

void tarn__sph_both_solves(SphSweep* s, SphLoop* error)
{
    TarnLiquid* l = s->l;
    int blocks = tarn__liquid_blocks(l);
    SphBodies bodies; // s may point to it
    l->iterations = shift(s);
    tarn__sph_find_bodies(s, &bodies); // they give way to velocities only
    l->iterations += solve(s, error, l->memory_a);
    tarn__parallel_for(l->ctx, blocks, take_velocities, s);
    tarn__sph_unlock(s, 4, 0.03f, s->dt * tarn__sph_survey(l).fastest);
    s->has_tension = has_tension(l);
    if (s->has_tension) tarn__sph_run(tarn__sph_kernels(l)->virial, s);
    tarn__parallel_for(l->ctx, blocks, take_pressures, s); // overwrites the walls' gradients
    keep(s, l->memory_a);
    tarn__liquid_contacts(l, s->dt);
    tarn__sph_report_density(l);
    // After the solve, so that its own noise moves nothing either.
    tarn__liquid_still(l, s->dt);
}
