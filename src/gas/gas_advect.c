// Advection: the air carries itself and all that is in it.
//
// Method   Semi-Lagrangian [Stam1999], and MacCormack's scheme on top of it [Selle2008]: go back and look
//          (a), go forth from there and look (b); q' = a + (q - b) / 2, or a where that leaves the range
//          of the eight values around the first foot. The way is found once, at cell centers, by the midpoint
//          rule; faces take the mean of their two cells.
// Differs  first order near edges that air comes through and near solids. The way forth is that of the
//          same path, not the way back turned around, which would cost an order in time.
// Checked  tests/physics/check_gas.c: rotation, Taylor-Green, uniform flow.
// Cost     four passes; feet of cells are shared by all scalars.

#include "gas/gas_kernels.h"

typedef struct Job {
    TarnGas* gas;
    GasAdvect a;
    int fill[3]; // kind of the ghosts of each field
} Job;

static void center_block(int block, void* data)
{
    Job* job = data;
    int k0, k1;
    gas_block_slabs(job->gas, block, false, &k0, &k1);
    job->gas->advect_kernels->center(&job->a, k0, k1);
    for (int s = 0; s < 3; ++s) tarn__gas_fill_slabs(job->gas, -1, job->a.first[s], k0, k1);
}
static void back_block(int block, void* data)
{
    Job* job = data;
    int k0, k1;
    gas_block_slabs(job->gas, block, false, &k0, &k1);
    job->gas->advect_kernels->back(&job->a, k0, k1);
    for (int s = 0; s < 3; ++s) tarn__gas_fill_slabs(job->gas, -1, job->a.to[s], k0, k1);
}
static void first_block(int block, void* data)
{
    Job* job = data;
    int k0, k1;
    gas_block_slabs(job->gas, block, job->a.component == 2, &k0, &k1);
    job->gas->advect_kernels->first(&job->a, k0, k1);
    for (int s = 0; s < job->a.n_fields; ++s)
        tarn__gas_fill_slabs(job->gas, job->fill[s], job->a.first[s], k0, k1);
}
static void second_block(int block, void* data)
{
    Job* job = data;
    int k0, k1;
    gas_block_slabs(job->gas, block, job->a.component == 2, &k0, &k1);
    job->gas->advect_kernels->second(&job->a, k0, k1);
    for (int s = 0; s < job->a.n_fields; ++s)
        tarn__gas_fill_slabs(job->gas, job->fill[s], job->a.to[s], k0, k1);
}

// ---- Energy --------------------------------------------------------------------------------------

// In a closed box advection moves energy around and creates none; the scheme may, where eddies
// are of few cells and steps short: the vortex of Taylor and Green on 32^3 gained 3.6 % in five seconds. So
// what the velocities hold after it is limited to what they held before, or after the last time: without
// forces the pressure has taken the difference since, and the sum over all steps cannot grow.
typedef struct Velocities {
    Job jobs[3];
    double *before, *after; // a sum of squares per block; NULL: not a closed box
    bool is_second;         // the second pass comes
    float factor;
} Velocities;

// While the slabs are in the cache. The faces at the far sides, which are not counted, hold 0.
static double squares(const Velocities* v, int block, float* const fields[3])
{
    const TarnGas* gas = v->jobs[0].gas;
    int k0, k1;
    double sum = 0.0;
    gas_block_slabs(gas, block, false, &k0, &k1);
    for (int c = 0; c < 3; ++c) sum += gas->kernels->sum_squares(&gas->grid, fields[c], k0, k1);
    return sum;
}
static void velocity_block(int block, void* data)
{
    Velocities* v = data;
    for (int c = 0; c < 3; ++c) first_block(block, &v->jobs[c]);
    if (v->before) v->before[block] = squares(v, block, v->jobs[0].gas->velocity);
    if (v->after && !v->is_second) v->after[block] = squares(v, block, v->jobs[0].gas->next);
}
static void velocity_second_block(int block, void* data)
{
    Velocities* v = data;
    for (int c = 0; c < 3; ++c) second_block(block, &v->jobs[c]);
    if (v->after) v->after[block] = squares(v, block, v->jobs[0].gas->next);
}
static void slow_block(int block, void* data)
{
    Velocities* v = data;
    TarnGas* gas = v->jobs[0].gas;
    for (int c = 0; c < 3; ++c) {
        int k0, k1;
        gas_block_slabs(gas, block, c == 2, &k0, &k1);
        gas->kernels->scale(&gas->grid, gas->next[c], v->factor, k0, k1);
        tarn__gas_fill_slabs(gas, c, gas->next[c], k0, k1);
    }
}
static void keep_energy(TarnGas* gas, Velocities* v)
{
    int n = gas_blocks(gas);
    double before = tarn__sum(v->before, n), after = tarn__sum(v->after, n);
    double most = before > gas->energy ? before : gas->energy;
    gas->energy = after < most ? after : most;
    if (gas->energy > 1e30) gas->energy = 1e30; // whatever the host has set
    if (after <= most) return;
    v->factor = (float)sqrt(most / after);
    tarn__parallel_for(gas->ctx, n, slow_block, v);
}

// ---- Fields --------------------------------------------------------------------------------------

// Where the second pass corrects: everywhere but within a cell of edges that air comes through.
static void set_range(const TarnGas* gas, GasAdvect* a)
{
    const int n[3] = { gas->grid.nx, gas->grid.ny, gas->grid.nz };
    for (int axis = 0; axis < 3; ++axis) {
        int own = axis == a->component ? 1 : 0; // the faces of the rim are set by the edges
        a->lo[axis] = own + (gas_edge(gas, axis, 0) == TARN_GAS_CLOSED ? 0 : 1);
        a->hi[axis] = n[axis] - 1 - (gas_edge(gas, axis, 1) == TARN_GAS_CLOSED ? 0 : 1);
    }
    for (int axis = 0; axis < 3; ++axis) {
        bool has_solids = gas->solid != NULL && gas->n_solid_faces > 0;
        a->solid[axis] = has_solids ? tarn__gas_solid_faces(gas, axis) : NULL;
    }
}

static Job job_of(TarnGas* gas, float* const by[3], float dt, int component)
{
    Job job = { .gas = gas,
                .a = { .grid = gas->grid,
                       .component = component,
                       .frame = gas->frame_velocity,
                       .scale = dt / gas->dx,
                       .keeps_peaks = gas->def.step == TARN_GAS_REFLECTION,
                       .n_fields = 1 } };
    for (int axis = 0; axis < 3; ++axis) {
        job.a.way[axis] = gas->way[axis];
        job.a.velocity[axis] = by[axis];
    }
    set_range(gas, &job.a);
    return job;
}

static void swap(float** a, float** b)
{
    float* t = *a;
    *a = *b;
    *b = t;
}

void tarn__gas_find_way(TarnGas* gas, float* const by[3], float dt)
{
    Job job = job_of(gas, by, dt, GAS_CELLS);
    for (int s = 0; s < 3; ++s) {
        job.a.first[s] = gas->first[s];
        job.a.to[s] = gas->way[s];
    }
    tarn__parallel_for(gas->ctx, gas_blocks(gas), center_block, &job);
    tarn__parallel_for(gas->ctx, gas_blocks(gas), back_block, &job);
}

// Up to three scalars at once: they share their feet.
static void advect_some(TarnGas* gas, float* const by[3], float dt, const int* list, int n)
{
    bool is_second = gas->params.advection == TARN_GAS_MACCORMACK;
    Job job = job_of(gas, by, dt, GAS_CELLS);
    job.a.n_fields = n;
    for (int s = 0; s < n; ++s) {
        job.a.from[s] = gas->scalar[list[s]];
        job.a.first[s] = is_second ? gas->first[s] : gas->next[s];
        job.a.to[s] = gas->next[s];
        job.fill[s] = 3 + list[s];
    }
    tarn__parallel_for(gas->ctx, gas_blocks(gas), first_block, &job);
    if (is_second) tarn__parallel_for(gas->ctx, gas_blocks(gas), second_block, &job);
    for (int s = 0; s < n; ++s) swap(&gas->scalar[list[s]], &gas->next[s]);
}

void tarn__gas_advect_scalars(TarnGas* gas, float* const by[3], float dt)
{
    int list[GAS_SCALARS], n = 0;
    for (int s = 0; s < GAS_SCALARS; ++s) {
        if (gas->scalar[s]) list[n++] = s;
    }
    for (int s = 0; s < n; s += 3) advect_some(gas, by, dt, list + s, n - s < 3 ? n - s : 3);
}

// An open face of the rim has only one cell: what it takes from outside is ambient air.
static void blend_open_faces(TarnGas* gas, const float* by, int axis, int side, float scale,
                             float* out)
{
    const Grid3* g = &gas->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    const float frames[3] = { gas->frame_velocity.x, gas->frame_velocity.y, gas->frame_velocity.z };
    const float winds[3] = { gas_wind(gas).x, gas_wind(gas).y, gas_wind(gas).z };
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    ptrdiff_t first = side ? n[axis] * gas_stride(g, axis) : 0;
    for (int q = 0; q < n[b]; ++q) {
        for (int p = 0; p < n[a]; ++p) {
            ptrdiff_t c = first + p * gas_stride(g, a) + q * gas_stride(g, b);
            float in = (by[c] - frames[axis]) * scale * (side ? -1.0f : 1.0f);
            if (!(in > 0.0f)) continue;
            out[c] += (in < 1.0f ? in : 1.0f) * (winds[axis] - out[c]);
        }
    }
}

void tarn__gas_advect_velocities(TarnGas* gas, float* const by[3], float dt)
{
    bool is_second = gas->params.advection == TARN_GAS_MACCORMACK;
    bool is_closed = tarn__gas_is_closed(gas);
    Velocities v = { .is_second = is_second,
                     .before = is_closed ? gas->sums : NULL,
                     .after = is_closed ? gas->sums + gas_blocks(gas) : NULL };
    for (int c = 0; c < 3; ++c) {
        Job* job = &v.jobs[c];
        *job = job_of(gas, by, dt, c);
        job->a.from[0] = gas->velocity[c];
        job->a.first[0] = is_second ? gas->first[c] : gas->next[c];
        job->a.to[0] = gas->next[c];
        job->fill[0] = c;
    }
    tarn__parallel_for(gas->ctx, gas_blocks(gas), velocity_block, &v);
    if (is_second) tarn__parallel_for(gas->ctx, gas_blocks(gas), velocity_second_block, &v);
    if (is_closed) keep_energy(gas, &v);
    for (int e = 0; e < 6; ++e) {
        if (gas_edge(gas, e / 2, e % 2) == TARN_GAS_OPEN)
            blend_open_faces(gas, by[e / 2], e / 2, e % 2, dt / gas->dx, gas->next[e / 2]);
    }
    for (int c = 0; c < 3; ++c) swap(&gas->velocity[c], &gas->next[c]);
}

void tarn__gas_advect(TarnGas* gas, float dt)
{
    float* const by[3] = { gas->velocity[0], gas->velocity[1], gas->velocity[2] };
    tarn__gas_find_way(gas, by, dt);
    tarn__gas_advect_scalars(gas, by, dt);
    tarn__gas_advect_velocities(gas, by, dt);
}
