// The step of a lattice.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

static const float max_lattice_speed = 0.4f; // of sound: 0.577

LatticePass tarn__lattice_pass(const TarnLattice* l)
{
    const TarnLatticeParams* p = &l->params;
    double acceleration = l->dt * l->dt / (double)l->def.dx;
    LatticePass pass = { .grid = l->grid,
                         .f = l->f,
                         .is_odd = lattice_is_odd(l),
                         .tau = tarn__lattice_tau(l),
                         .magic = p->collision == TARN_LATTICE_TRT ? 3.0f / 16.0f : 0.0f,
                         .eddy = 25.455844f * p->smagorinsky * p->smagorinsky, // 18 sqrt(2) C^2
                         .sponge = l->has_sponge ? l->sponge : NULL,
                         .kinds = l->kinds,
                         .cells = l->cells,
                         .max_speed2 = max_lattice_speed * max_lattice_speed };
    const TarnVec3 *force = &p->force, *gravity = &p->gravity;
    const double a[3] = { (double)force->x, (double)force->y, (double)force->z };
    const double g[3] = { (double)gravity->x, (double)gravity->y, (double)gravity->z };
    for (int d = 0; d < l->kind->dims; ++d) {
        double fall = l->surface ? g[d] : 0.0;
        pass.force[d] = (float)lattice_clamp((a[d] + fall) * acceleration, -0.01, 0.01);
        if (l->temperature == NULL) continue;
        double lift = -g[d] * (double)p->buoyancy / (double)p->ambient_temperature;
        pass.lift[d] = (float)(lift * acceleration);
        pass.heat = l->temperature;
    }
    return pass;
}

static LatticeMode mode_of(const TarnLattice* l, const LatticePass* pass)
{
    if (l->params.collision == TARN_LATTICE_REGULARISED) return LATTICE_REGULAR;
    bool is_plain =
        pass->magic == 0.0f && pass->eddy == 0.0f && pass->heat == NULL && pass->sponge == NULL;
    for (int d = 0; d < 3; ++d) is_plain = is_plain && pass->force[d] == 0.0f;
    return is_plain ? LATTICE_PLAIN : LATTICE_GENERAL;
}

typedef struct Stepping {
    TarnLattice* l;
    LatticePass pass;
    LatticeCollideFn* collide;
    LatticeFace faces[6];
    int n_faces;
} Stepping;

static void step_block(int block, void* data)
{
    Stepping* s = data;
    TarnLattice* l = s->l;
    int r0, r1;
    lattice_block_rows(l, block, &r0, &r1);
    l->limits[block] = (LatticeLimit){ 0, -1 };
    for (int r = r0; r < r1; r += 2) { // while they are in the nearest cache
        int end = r + 2 < r1 ? r + 2 : r1;
        s->collide(&s->pass, r, end, &l->limits[block]);
        tarn__lattice_fix_rows(s->faces, s->n_faces, r, end);
    }
}

static void note_limits(TarnLattice* l)
{
    for (int b = 0; b < lattice_blocks(l); ++b) {
        const LatticeLimit* limit = &l->limits[b];
        if (limit->n == 0) continue;
        l->limited += limit->n;
        l->step_flags |= TARN_STEP_CLAMPED;
        if (l->limit.what) continue;
        int i = limit->first % l->grid.nx, r = limit->first / l->grid.nx;
        float dx = l->def.dx;
        l->limit =
            (TarnStepLimit){ .what = "speed",
                             .solver = "lattice",
                             .parameter = "lattice.speed",
                             .unit = "m/s",
                             .limit = (float)((double)max_lattice_speed / l->to_lattice),
                             .index = limit->first,
                             .position = { l->origin.x + ((float)i + 0.5f) * dx,
                                           l->origin.y + ((float)(r % l->grid.ny) + 0.5f) * dx,
                                           l->origin.z + ((float)(r / l->grid.ny) + 0.5f) * dx } };
    }
}

static void substep(TarnLattice* l)
{
    Stepping s = { .l = l, .pass = tarn__lattice_pass(l) };
    LatticeMode mode = mode_of(l, &s.pass);
    s.collide = l->kernels->collide[l->kind->dims == 3][l->is_half][mode];
    s.n_faces = tarn__lattice_faces(l, s.pass.is_odd, s.faces);
    if (l->surface) tarn__lattice_exchange(l);
    tarn__parallel_for(l->ctx, lattice_blocks(l), step_block, &s);
    tarn__lattice_fix_faces(s.faces, s.n_faces);
    if (l->n_links > 0) tarn__lattice_fix_links(l, s.pass.is_odd);
    note_limits(l);
    l->steps += 1;
    l->time += l->dt;
    if (l->surface) tarn__lattice_convert(l);
    if (l->heat) tarn__lattice_heat(l);
}

// Solids move during the frame; each goes less than a cell between two looks.
static int looks_of(const TarnLattice* l, float dt, int n)
{
    if (l->solid == NULL || l->solids == NULL) return 1;
    float way = 0.0f;
    for (int s = 0; s < tarn__solids_capacity(l->solids); ++s) {
        if (!tarn__solids_is_used(l->solids, s)) continue;
        TarnMotion a = tarn__solids_motion(l->solids, s, 0.0f),
                   b = tarn__solids_motion(l->solids, s, 1.0f);
        float turn = vec3_length(b.angular_velocity) * 0.25f * (float)l->grid.ny * l->def.dx * dt;
        way = tarn_maxf(way, vec3_length(vec3_sub(b.position, a.position)) + turn);
    }
    int looks = (int)tarn_clampf(way / (0.5f * l->def.dx), 0.0f, 1000.0f) + 1;
    return looks < n ? looks : n;
}

static void run_substeps(TarnLattice* l, float dt, int n)
{
    int looks = looks_of(l, dt, n);
    for (int s = 0; s < l->n_solids; ++s) {
        LatticeSolid* solid = &l->solids_in[s];
        for (int d = 0; d < 3; ++d) solid->impulse[d] = solid->angular[d] = 0.0;
    }
    l->force_time = (double)n * l->dt;
    for (int s = 0, look = 0; s < n; ++s) {
        if (s * looks >= look * n && l->solid)
            tarn__lattice_find_obstacles(l, (float)++look / (float)looks);
        if (l->surface) tarn__lattice_surface_sources(l);
        substep(l);
    }
}

TarnResult tarn_lattice_step(TarnLattice* l, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_lattice_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    l->step_flags = 0;
    l->limited = 0;
    l->limit = (TarnStepLimit){ 0 };
    // A frame of 1/60 s in a float is a little less than its substeps together: a share of one counts as whole.
    double due = l->carry + (double)dt, most = (double)l->params.max_substeps * l->dt;
    double dropped = due > most + l->dt ? due - most : 0.0;
    int n = (int)lattice_clamp(due / l->dt + 1e-3, 0.0, (double)l->params.max_substeps);
    l->carry = dropped > 0.0 ? 0.0 : due - (double)n * l->dt;
    if (n > 0) {
        tarn__lattice_set_faces(l);
        run_substeps(l, dt, n);
        if (l->surface) {
            tarn__lattice_list(l);
            tarn__lattice_balance(l);
            tarn__lattice_find_bubbles(l, true);
        }
        if (l->u[0]) tarn__lattice_read_velocity(l);
        float moved = (float)((double)n * l->dt);
        tarn__lattice_carry(l, moved);
        tarn__lattice_sources(l, moved);
        tarn__lattice_burn(l, moved);
        tarn__lattice_push_solids(l);
    }
    if (dropped > 0.0) l->step_flags |= TARN_STEP_TIME_CUT;
    if (report) {
        report->substeps = n;
        report->flags = l->step_flags;
        report->limited = l->limit;
        report->time_advanced = (double)dt - dropped;
        report->time_dropped = dropped;
        report->time_limit = dropped > 0.0 ? "lattice.max_substeps" : NULL;
        report->stable_dt = l->dt;
    }
    return TARN_OK;
}
