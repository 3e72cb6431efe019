// Wave particles: parameters, creation, what adds waves, the step.
//
// Method   [Yuksel2007] C. Yuksel, D. House, J. Keyser, Wave Particles, SIGGRAPH 2007. Fronts are chains of
//          particles that move on straight lines; a particle whose neighbors are further away than half its
//          radius is replaced by three with a third of its amplitude and of its angle.
// Differs  a particle keeps its place at its last event and the way it has traveled, instead of the place of its
//          birth: reflections need no mirrored origins, and time can be rebased. Radii are powers of two of the
//          smallest, each drawn on a grid of its own with cells as much larger, so that all filters have the same
//          few taps. Volume is that of the separable bump, amplitude times radius squared.
// Checked  tests/physics/check_wave_particles.c, tests/unit/test_wave_particles.c, tests/golden.
// Cost     bench/bench_wave_particles.c

#include "waves/wave_particles_internal.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

static const char* const edge_names[] = { "wall", "open", NULL };

#define D TarnWaveParticlesDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 16, 4096, 256, "Cells of the grid along x."),
    P_INT(D, nz, "cells", 16, 4096, 256, "Cells of the grid along z."),
    P_FLOAT(D, dx, "m", 1e-3, 100, 0.05, "Size of a cell."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water."),
    P_FLOAT(D, depth, "m", 1e-3, 1e4, 2,
            "Depth of the water, for queries and for bodies that sink."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Gravity; waves are faster where it is larger."),
    P_FLOAT(D, radius, "m", 2e-3, 800, 0.2,
            "Radius of the smallest particles, 2 to 8 cells; their waves are twice as long."),
    P_INT(D, radii, "", 1, WP_RADII, 2, "Classes of radius, each twice as wide as the one before."),
    P_INT(D, max_particles, "", 64, 1000000, 20000, "Most particles of all classes."),
    P_INT(D, max_walls, "", 0, 1024, 32, "Most straight walls inside the grid."),
    P_ENUM(D, edge_x0, edge_names, 2, TARN_WAVE_PARTICLES_WALL, "What waves meet at the -x edge."),
    P_ENUM(D, edge_x1, edge_names, 2, TARN_WAVE_PARTICLES_WALL, "What waves meet at the +x edge."),
    P_ENUM(D, edge_z0, edge_names, 2, TARN_WAVE_PARTICLES_WALL, "What waves meet at the -z edge."),
    P_ENUM(D, edge_z1, edge_names, 2, TARN_WAVE_PARTICLES_WALL, "What waves meet at the +z edge."),
    P_BOOL(D, use_bodies, 0, "Whether bodies float in it and make waves."),
};
#undef D
#define P TarnWaveParticlesParams
static const TarnParam params_params[] = {
    P_FLOAT(P, damping, "1/s", 0, 100, 0.1, "How fast waves decay."),
    P_FLOAT(P, choppiness, "", 0, 1.5, 0.7,
            "Sideways displacement; larger values sharpen the crests."),
    P_FLOAT(P, least, "m", 1e-6, 10, 5e-4,
            "Particles below this amplitude are dropped; larger values save particles."),
    P_FLOAT(P, wave_gain, "", 0, 10, 1,
            "Share of the volume that bodies displace that makes waves."),
    P_FLOAT(
        P, max_height, "", 0.001, 1, 0.35,
        "Highest amplitude of a new particle as a share of its radius; higher waves would break."),
    P_FLOAT(P, restitution, "", 0, 1, 0.9,
            "Share of its amplitude that a wave keeps when a wall reflects it."),
};
#undef P
static const TarnParam wall_params[] = {
    P_VEC2(TarnWavePartitionDef, a, "m", -1e6, 1e6, 0, 0, "x and z of one end of the wall."),
    P_VEC2(TarnWavePartitionDef, b, "m", -1e6, 1e6, 1, 0, "x and z of the other end."),
};
static const TarnParamTable def_table =
    PARAM_TABLE("wave_particles", TarnWaveParticlesDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("wave_particles", TarnWaveParticlesParams, params_params);
static const TarnParamTable wall_table =
    PARAM_TABLE("wave_partition", TarnWavePartitionDef, wall_params);

const TarnParamTable* tarn_wave_particles_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_wave_particles_params_table(void)
{
    return &params_table;
}
const TarnParamTable* tarn_wave_partition_def_table(void)
{
    return &wall_table;
}

void tarn_wave_particles_init_def(TarnWaveParticlesDef* out, size_t size)
{
    TarnWaveParticlesDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnWaveParticlesDef, out, size, &def);
}
void tarn_wave_partition_init_def(TarnWavePartitionDef* out, size_t size)
{
    TarnWavePartitionDef def = { 0 };
    tarn_param_defaults(&wall_table, &def);
    TARN_INIT_DEF(TarnWavePartitionDef, out, size, &def);
}
TarnWaveParticlesParams tarn_wave_particles_default_params(void)
{
    TarnWaveParticlesParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnWaveParticlesDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "wave_particles", "tarn/wave_particles.h", TarnWaveParticlesDef,
                            tarn_wave_particles_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    float cells = def->radius / def->dx;
    if (cells < 1.999f || cells > 8.001f)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "wave_particles.radius: %g m is %g cells; allowed: 2 to 8 cells, here %g "
                          "to %g m; change radius or dx",
                          (double)def->radius, (double)cells, (double)(2.0f * def->dx),
                          (double)(8.0f * def->dx));
    return TARN_OK;
}

// Smallest power of two that is at least n.
static int power_from(int n)
{
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

static void lay_out_level(const TarnWaveParticlesDef* def, int c, TarnLayout* layout, char* base,
                          WaveLevel* level)
{
    level->nx = (def->nx + (1 << c) - 1) >> c;
    level->nz = (def->nz + (1 << c) - 1) >> c;
    level->stride = (level->nx + 7) / 8 * 8 + 2 * WP_PAD;
    level->dx = def->dx * (float)(1 << c);
    level->radius = def->radius * (float)(1 << c);
    size_t cells = (size_t)level->stride * (size_t)(level->nz + 2 * WP_PAD);
    float* splats = tarn__layout_place(layout, base, cells, sizeof(float));
    if (base) level->splats = splats + (size_t)WP_PAD * (size_t)level->stride + WP_PAD;
    for (int f = 0; f < 5; ++f) // eight more: rows are written in eights
        level->field[f] = tarn__layout_place(
            layout, base, (size_t)level->nx * (size_t)level->nz + 8, sizeof(float));
}

// Places all arrays; with base NULL it only counts.
static size_t lay_out(const TarnWaveParticlesDef* def, TarnWaveParticles* w, char* base)
{
    TarnLayout layout = { 0 };
    size_t most = (size_t)def->max_particles, cells = (size_t)def->nx * (size_t)def->nz + 8;
    tarn__layout_place(&layout, base, 1, sizeof(TarnWaveParticles));
    w->motes = tarn__layout_place(&layout, base, most, sizeof(WaveMote));
    w->queue = tarn__layout_place(&layout, base, most, sizeof(int));
    w->merge_mask = power_from(2 * def->max_particles) - 1;
    w->merge_keys = tarn__layout_place(&layout, base, (size_t)w->merge_mask + 1, sizeof(uint64_t));
    w->merge_slots = tarn__layout_place(&layout, base, (size_t)w->merge_mask + 1, sizeof(int));
    int walls = def->max_walls > 0 ? def->max_walls : 1;
    w->partitions = tarn__layout_place(&layout, base, (size_t)walls, sizeof(WavePartition));
    tarn__handles_place(&w->partition_ids, &layout, base, walls);
    for (int c = 0; c < def->radii; ++c) lay_out_level(def, c, &layout, base, &w->levels[c]);
    for (int f = 0; f < 3; ++f) w->was[f] = tarn__layout_place(&layout, base, cells, sizeof(float));
    w->n_blocks = (def->nz + WP_ROWS - 1) / WP_ROWS;
    w->work = tarn__layout_place(
        &layout, base, (size_t)w->n_blocks * 4 * (size_t)(def->nx + 8 + 2 * WP_PAD), sizeof(float));
    return layout.size;
}

size_t tarn_wave_particles_memory(const TarnWaveParticlesDef* def)
{
    TarnWaveParticles counted = { 0 };
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &counted, NULL) : 0;
}

TarnResult tarn_wave_particles_create(TarnContext* ctx, const TarnWaveParticlesDef* def,
                                      TarnWaveParticles** out)
{
    if (out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_wave_particles_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnWaveParticles counted = { 0 };
    size_t size = lay_out(def, &counted, NULL);
    TarnWaveParticles* w = tarn__alloc(ctx, size);
    if (w == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "wave_particles: out of memory for %d x %d cells and %d particles (%zu "
                          "bytes)",
                          def->nx, def->nz, def->max_particles, size);
    w->ctx = ctx;
    w->memory = size;
    w->def = *def;
    w->params = tarn_wave_particles_default_params();
    w->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__wave_particles_kernels);
    lay_out(def, w, (char*)w);
    tarn__handles_begin(&w->partition_ids, "wave_partition", "wave_particles",
                        "tarn_wave_particles_add_partition");
    tarn__wave_levels_begin(w);
    *out = w;
    return TARN_OK;
}

void tarn_wave_particles_destroy(TarnWaveParticles* w)
{
    if (w != NULL) tarn__free(w->ctx, w, w->memory);
}

TarnResult tarn_wave_particles_set_params(TarnWaveParticles* w,
                                          const TarnWaveParticlesParams* params)
{
    if (w == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(w->ctx, &params_table, params));
    w->params = *params;
    return TARN_OK;
}
TarnWaveParticlesParams tarn_wave_particles_params(const TarnWaveParticles* w)
{
    return w->params;
}

void tarn_wave_particles_reset(TarnWaveParticles* w)
{
    if (w == NULL) return;
    size_t cells = (size_t)w->def.nx * (size_t)w->def.nz;
    w->n = 0;
    w->time = w->epoch = 0.0;
    w->dt = 0.0f;
    w->was_full = false;
    tarn__wave_draw(w);
    for (int f = 0; f < 3; ++f) memset(w->was[f], 0, cells * sizeof(float));
}

// ---- Adding waves --------------------------------------------------------------------------------

static const float far_away = 1e6f; // [m]
static const float two_pi = 6.2831853f;

static TarnResult check_particle(TarnWaveParticles* w, const TarnWaveParticle* p)
{
    bool is_near = tarn__all_within(&p->position, 2, far_away);
    bool is_going = tarn__all_within(&p->direction, 2, far_away) &&
                    (p->direction.x != 0.0f || p->direction.y != 0.0f);
    bool is_good = is_near && is_going && fabsf(p->amplitude) <= 1e4f && p->angle >= 0.0f &&
                   p->angle <= two_pi + 1e-3f && p->distance >= 0.0f && p->distance <= far_away &&
                   p->radius >= 0 && p->radius < w->def.radii;
    if (is_good) return TARN_OK;
    return tarn__fail(
        w->ctx, TARN_ERR_ARG,
        "wave particle: position (%g, %g) m, direction (%g, %g), amplitude %g m, angle "
        "%g, distance %g m, radius class %d; allowed: within +-1e6 m, not zero, +-1e4 "
        "m, 0 to 2 pi, 0 to 1e6 m, 0 to %d",
        (double)p->position.x, (double)p->position.y, (double)p->direction.x,
        (double)p->direction.y, (double)p->amplitude, (double)p->angle, (double)p->distance,
        p->radius, w->def.radii - 1);
}

static void add_one(TarnWaveParticles* w, const TarnWaveParticle* p)
{
    TarnVec3 d = vec3_normalize((TarnVec3){ p->direction.x, 0.0f, p->direction.y });
    float most = w->params.max_height * w->levels[p->radius].radius;
    WaveMote m = { .x = p->position.x,
                   .z = p->position.y,
                   .dx = d.x,
                   .dz = d.z,
                   .a = tarn_clampf(p->amplitude, -most, most),
                   .angle = p->angle,
                   .s = p->distance,
                   .t0 = (float)(w->time - w->epoch),
                   .born = (float)(w->time - w->epoch),
                   .last = WP_NO_WALL,
                   .radius = (int16_t)p->radius };
    if (!(fabsf(m.a) >= w->params.least)) return;
    w->is_stale = true;
    if (!tarn__wave_mote_add(w, &m)) w->was_full = true;
}

TarnResult tarn_wave_particles_add(TarnWaveParticles* w, const TarnWaveParticle* particles, int n)
{
    if (w == NULL || n < 0 || (n > 0 && particles == NULL)) return TARN_ERR_ARG;
    for (int i = 0; i < n; ++i) TARN_TRY(check_particle(w, &particles[i]));
    for (int i = 0; i < n; ++i) add_one(w, &particles[i]);
    return TARN_OK;
}

static TarnResult check_shape(TarnWaveParticles* w, const char* what, TarnVec2 a, TarnVec2 b,
                              float radius, float height)
{
    bool is_good = tarn__all_within(&a, 2, far_away) && tarn__all_within(&b, 2, far_away) &&
                   radius >= 0.0f && radius <= 1e4f && fabsf(height) <= 1e4f;
    if (is_good) return TARN_OK;
    return tarn__fail(
        w->ctx, TARN_ERR_ARG,
        "%s: (%g, %g) to (%g, %g) m, radius %g, height %g m; allowed: within +-1e6 m, "
        "0 to 1e4, +-1e4 m",
        what, (double)a.x, (double)a.y, (double)b.x, (double)b.y, (double)radius, (double)height);
}

// The class whose radius is closest to a size [m].
static int class_of(const TarnWaveParticles* w, float size)
{
    int c = 0;
    while (c + 1 < w->def.radii && size > 1.4f * w->levels[c].radius) ++c;
    return c;
}

// A ring of particles half a radius apart, or less, that began as a point.
static void add_ring(TarnWaveParticles* w, TarnVec2 center, int c, float radius, float amplitude)
{
    float r = w->levels[c].radius;
    int n = (int)tarn_clampf(ceilf(two_pi * radius / (0.5f * r)), 8.0f, 256.0f);
    for (int i = 0; i < n; ++i) {
        float s, co;
        tarn_sincos(two_pi * ((float)i + 0.5f) / (float)n, &s, &co);
        TarnWaveParticle p = { .position = { center.x + radius * co, center.y + radius * s },
                               .direction = { co, s },
                               .amplitude = amplitude * radius / (float)n * two_pi / r,
                               .angle = two_pi / (float)n,
                               .distance = radius,
                               .radius = c };
        add_one(w, &p);
    }
}

TarnResult tarn_wave_particles_add_drop(TarnWaveParticles* w, TarnVec2 center, float radius,
                                        float height)
{
    if (w == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_shape(w, "drop", center, center, radius, height));
    int c = class_of(w, radius);
    float r = w->levels[c].radius, front = tarn_maxf(radius, r);
    // A crest line of particles s apart is a r / s high. Rings of equal sums of amplitudes have equal volumes.
    add_ring(w, center, c, front + r, height * (front / (front + r)));
    add_ring(w, center, c, front, -height);
    return TARN_OK;
}

TarnResult tarn_wave_particles_add_front(TarnWaveParticles* w, TarnVec2 a, TarnVec2 b, int radius,
                                         float height)
{
    if (w == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_shape(w, "front", a, b, (float)radius, height));
    float x = b.x - a.x, z = b.y - a.y, length = sqrtf(x * x + z * z);
    if (radius < 0 || radius >= w->def.radii || !(length > 0.0f))
        return tarn__fail(w->ctx, TARN_ERR_ARG,
                          "front: length %g m, radius class %d; allowed: above 0, 0 to %d",
                          (double)length, radius, w->def.radii - 1);
    float r = w->levels[radius].radius;
    int n = (int)tarn_clampf(ceilf(length / (0.5f * r)), 1.0f, 65536.0f);
    for (int i = 0; i < n; ++i) {
        float at = ((float)i + 0.5f) / (float)n;
        TarnWaveParticle p = { .position = { a.x + x * at, a.y + z * at },
                               .direction = { z, -x },
                               .amplitude = height * length / (float)n / r,
                               .radius = radius };
        add_one(w, &p);
    }
    return TARN_OK;
}

// ---- Step ----------------------------------------------------------------------------------------

static const float longest_epoch = 16.0f; // [s]

// What is drawn now is what was, for velocities.
static void keep_fields(TarnWaveParticles* w)
{
    for (int f = 0; f < 3; ++f) {
        float* now = w->levels[0].field[f];
        w->levels[0].field[f] = w->was[f];
        w->was[f] = now;
    }
}

static void decay(int block, void* data)
{
    TarnWaveParticles* w = data;
    int end = (block + 1) * WP_BLOCK < w->n ? (block + 1) * WP_BLOCK : w->n;
    float keep = tarn_exp(-w->params.damping * w->dt);
    for (int i = block * WP_BLOCK; i < end; ++i) w->motes[i].a *= keep;
}

TarnResult tarn_wave_particles_step(TarnWaveParticles* w, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (w == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(w->ctx, TARN_ERR_ARG,
                          "tarn_wave_particles_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (dt > 0.0f) {
        keep_fields(w);
        w->dt = dt;
        w->time += (double)dt;
        tarn__wave_events_run(w, (float)(w->time - w->epoch));
        tarn__parallel_for(w->ctx, (w->n + WP_BLOCK - 1) / WP_BLOCK, decay, w);
        if (w->time - w->epoch > (double)longest_epoch) tarn__wave_rebase(w);
        if (w->was_full) tarn__wave_merge(w);
    }
    if (dt > 0.0f || w->is_stale) tarn__wave_draw(w);
    if (report) {
        report->substeps = 1;
        report->time_advanced = (double)dt;
        report->flags = w->was_full ? TARN_STEP_CAPACITY_FULL : 0;
    }
    w->was_full = false;
    return TARN_OK;
}
