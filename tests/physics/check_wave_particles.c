// Checks of wave particles against geometry, brute force and strip theory.

#include "check.h"
#include "waves/wave_particles_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static TarnWaveParticles* make(CheckRun* run, const TarnWaveParticlesDef* def)
{
    TarnWaveParticles* waves;
    TarnWaveParticlesParams params = tarn_wave_particles_default_params();
    params.damping = 0.0f, params.choppiness = 0.0f, params.restitution = 1.0f;
    params.least = 1e-6f, params.max_height = 1.0f;
    if (tarn_wave_particles_create(run->ctx, def, &waves) != TARN_OK ||
        tarn_wave_particles_set_params(waves, &params) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return waves;
}

static double at(TarnView2 v, int i, int k)
{
    return (double)v.data[i + (ptrdiff_t)v.stride * k];
}

static TarnWaveParticlesDef open_water(int n)
{
    TarnWaveParticlesDef def = tarn_wave_particles_default_def();
    def.nx = def.nz = n;
    def.radii = 1;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_WAVE_PARTICLES_OPEN;
    return def;
}

static double sum_of_amplitudes(const TarnWaveParticles* waves)
{
    double sum = 0.0;
    for (int i = 0; i < tarn_wave_particles_count(waves); ++i) {
        TarnWaveParticle p;
        tarn_wave_particles_get(waves, i, &p);
        sum += (double)p.amplitude;
    }
    return sum;
}

static void add_ring(TarnWaveParticles* waves, int n, TarnVec2 center, float amplitude)
{
    for (int i = 0; i < n; ++i) {
        double angle = 2.0 * pi * (i + 0.5) / n;
        TarnWaveParticle p = { .position = center,
                               .direction = { (float)cos(angle), (float)sin(angle) },
                               .amplitude = amplitude,
                               .angle = (float)(2.0 * pi / n) };
        tarn_wave_particles_add(waves, &p, 1);
    }
}

// ---- Splits ------------------------------------------------------------------------------------------

// Amplitudes have 24 bits and there are fewer than 2^20 of them: their sum in double is exact.
static void check_split(CheckRun* run)
{
    TarnWaveParticlesDef def = open_water(256);
    TarnWaveParticles* waves = make(run, &def);
    add_ring(waves, 12, (TarnVec2){ 6.4f, 6.4f }, 0.0731f);
    double before = sum_of_amplitudes(waves);
    for (int s = 0; s < 300; ++s) tarn_wave_particles_step(waves, 1.0f / 60.0f, NULL);
    check_add(run, "wave_particles.split.count", tarn_wave_particles_count(waves) >= 108, 1.0, 0.0);
    check_add(run, "wave_particles.split.sum", sum_of_amplitudes(waves) - before, 0.0, 0.0);
    tarn_wave_particles_destroy(waves);
}

// A ring from a point: its radius is v t, and along it the sum of amplitudes is spread evenly, so that the crest is
// sum r / (2 pi R) high.
static void check_ring(CheckRun* run)
{
    TarnWaveParticlesDef def = open_water(384);
    TarnWaveParticles* waves = make(run, &def);
    TarnVec2 center = { 9.6f, 9.6f };
    add_ring(waves, 16, center, 0.05f);
    double t = 10.0;
    for (int s = 0; s < 600; ++s) tarn_wave_particles_step(waves, 1.0f / 60.0f, NULL);
    double radius = (double)tarn_wave_particles_speed(waves, 0) * t, off = 0.0;
    double crest = 16 * 0.05 * (double)def.radius / (2.0 * pi * radius), sum = 0.0, spread = 0.0;
    for (int a = 0; a < 360; ++a) {
        double best = 0.0, where = 0.0, x = cos(a * pi / 180.0), z = sin(a * pi / 180.0);
        for (double r = radius - 0.3; r < radius + 0.3; r += 0.005) {
            double h =
                (double)tarn_surface_height(tarn_wave_particles_surface(waves),
                                            center.x + (float)(r * x), center.y + (float)(r * z));
            if (h > best) best = h, where = r;
        }
        sum += best / 360.0;
        off = fmax(off, fabs(where - radius));
        spread = fmax(spread, fabs(best / crest - 1.0));
    }
    check_add(run, "wave_particles.ring.radius", off, 0.0, 0.6 * (double)def.dx);
    check_add(run, "wave_particles.ring.height", sum, crest, 0.05);
    check_add(run, "wave_particles.ring.even", spread, 0.0, 0.15);
    tarn_wave_particles_destroy(waves);
}

// ---- Fronts --------------------------------------------------------------------------------------------

// A straight front whose particles are half a radius apart, along an axis and across the grid.
static void check_front(CheckRun* run)
{
    const double turns[] = { 0.0, 27.0, 45.0 };
    for (int i = 0; i < 3; ++i) {
        char name[56];
        TarnWaveParticlesDef def = open_water(256);
        def.radius = 0.4f; // 8 cells
        TarnWaveParticles* waves = make(run, &def);
        double c = cos(turns[i] * pi / 180.0), s = sin(turns[i] * pi / 180.0), low = 1e9,
               high = 0.0;
        TarnVec2 a = { (float)(6.4 - 5.0 * c), (float)(7.0 - 5.0 * s) };
        TarnVec2 b = { (float)(6.4 + 5.0 * c), (float)(7.0 + 5.0 * s) };
        tarn_wave_particles_add_front(waves, a, b, 0, 0.1f);
        for (int k = 0; k < 37; ++k) tarn_wave_particles_step(waves, 1.0f / 60.0f, NULL);
        double way = 37.0 / 60.0 * (double)tarn_wave_particles_speed(waves, 0);
        for (double u = -3.0; u < 3.0; u += 0.01) {
            float x = (float)(6.4 + u * c + way * s), z = (float)(7.0 + u * s - way * c);
            double h = (double)tarn_surface_height(tarn_wave_particles_surface(waves), x, z);
            low = fmin(low, h), high = fmax(high, h);
        }
        snprintf(name, sizeof name, "wave_particles.front.%g", turns[i]);
        check_add(run, name, (high - low) / (high + low), 0.0, 0.02);
        if (i == 0) check_add(run, "wave_particles.front.height", high, 0.1, 0.02);
        tarn_wave_particles_destroy(waves);
    }
}

// ---- Walls ---------------------------------------------------------------------------------------------

// A box with a wall is half of open water with a mirror image.
static void check_mirror(CheckRun* run)
{
    TarnWaveParticlesDef box = open_water(128), whole = open_water(128);
    box.edge_x0 = TARN_WAVE_PARTICLES_WALL;
    whole.nx = 256, whole.origin.x = -6.4f;
    TarnWaveParticles *a = make(run, &box), *b = make(run, &whole);
    add_ring(a, 24, (TarnVec2){ 1.5f, 3.0f }, 0.03f);
    add_ring(b, 24, (TarnVec2){ 1.5f, 3.0f }, 0.03f);
    add_ring(b, 24, (TarnVec2){ -1.5f, 3.0f }, 0.03f);
    for (int s = 0; s < 240; ++s) {
        tarn_wave_particles_step(a, 1.0f / 60.0f, NULL);
        tarn_wave_particles_step(b, 1.0f / 60.0f, NULL);
    }
    double off = 0.0, highest = 0.0;
    for (int k = 0; k < 128; ++k) {
        for (int i = 0; i < 128; ++i) {
            double x = at(tarn_wave_particles_height(a), i, k);
            double y = at(tarn_wave_particles_height(b), 128 + i, k);
            off = fmax(off, fabs(x - y)), highest = fmax(highest, fabs(y));
        }
    }
    check_add(run, "wave_particles.mirror.edge", off / highest, 0.0, 0.02);
    tarn_wave_particles_destroy(a);
    // The same with a partition at x = 3.2 m, in the middle of open water.
    TarnWaveParticlesDef def = open_water(128);
    a = make(run, &def);
    TarnWavePartitionDef wall = tarn_wave_partition_default_def();
    wall.a = (TarnVec2){ 0.0f, -10.0f }, wall.b = (TarnVec2){ 0.0f, 20.0f };
    tarn_wave_particles_add_partition(a, &wall, NULL);
    add_ring(a, 24, (TarnVec2){ 1.5f, 3.0f }, 0.03f);
    for (int s = 0; s < 240; ++s) tarn_wave_particles_step(a, 1.0f / 60.0f, NULL);
    off = highest = 0.0;
    for (int k = 0; k < 128; ++k) {
        for (int i = 8; i < 128; ++i) { // a radius away: bumps reach through a partition
            double x = at(tarn_wave_particles_height(a), i, k);
            double y = at(tarn_wave_particles_height(b), 128 + i, k);
            off = fmax(off, fabs(x - y)), highest = fmax(highest, fabs(y));
        }
    }
    check_add(run, "wave_particles.mirror.wall", off / highest, 0.0, 0.02);
    tarn_wave_particles_destroy(a);
    tarn_wave_particles_destroy(b);
}

// ---- Queue ---------------------------------------------------------------------------------------------

typedef struct Plain {
    double x, z, dx, dz, s, t0, angle;
    float a;
} Plain;

// Every particle is looked at in each of many small steps, and splits when it is due.
static int brute_force(Plain* p, int n, double t, double v, double r, int room)
{
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (int i = 0; i < n; ++i) {
            if (p[i].angle * (p[i].s + v * (t - p[i].t0)) <= 0.5 * r || n + 2 > room) continue;
            double when = p[i].t0 + (0.5 * r / p[i].angle - p[i].s) / v, way = v * (when - p[i].t0);
            Plain m = p[i];
            m.x += m.dx * way, m.z += m.dz * way, m.s += way, m.t0 = when;
            float side = m.a / 3.0f;
            double bx = m.x - m.dx * m.s, bz = m.z - m.dz * m.s;
            m.angle /= 3.0;
            for (int e = -1; e <= 1; ++e) {
                Plain q = m;
                double c = cos(e * m.angle), s = sin(e * m.angle);
                q.dx = m.dx * c - m.dz * s, q.dz = m.dz * c + m.dx * s;
                q.x = bx + q.dx * m.s, q.z = bz + q.dz * m.s;
                q.a = e ? side : m.a - 2.0f * side;
                p[e ? n++ : i] = q;
            }
            is_done = false;
        }
    }
    return n;
}

static void check_queue(CheckRun* run)
{
    TarnWaveParticlesDef def = open_water(256);
    TarnWaveParticles* waves = make(run, &def);
    enum { ROOM = 20000, FIRST = 20 };
    Plain* p = calloc(ROOM, sizeof *p);
    for (int i = 0; i < FIRST; ++i) {
        double angle = 0.31 * i, open = 0.05 + 0.03 * (i % 7);
        TarnWaveParticle one = { .position = { 6.4f + 0.1f * (float)(i % 5), 6.0f },
                                 .direction = { (float)cos(angle), (float)sin(angle) },
                                 .amplitude = 0.01f + 0.001f * (float)i,
                                 .angle = (float)open,
                                 .distance = 0.05f * (float)(i % 3) };
        tarn_wave_particles_add(waves, &one, 1);
        p[i] = (Plain){ (double)one.position.x, 6.0, cos(angle), sin(angle),
                        (double)one.distance,   0.0, open,       one.amplitude };
    }
    int n = FIRST;
    double v = (double)tarn_wave_particles_speed(waves, 0);
    for (int s = 0; s < 180; ++s) tarn_wave_particles_step(waves, 1.0f / 60.0f, NULL);
    for (int s = 1; s <= 900; ++s) n = brute_force(p, n, s / 300.0, v, (double)def.radius, ROOM);
    check_add(run, "wave_particles.queue.count", tarn_wave_particles_count(waves), n, 0.0);
    double worst = 0.0; // each has its twin
    for (int i = 0; i < tarn_wave_particles_count(waves); ++i) {
        TarnWaveParticle one;
        double best = 1e9;
        tarn_wave_particles_get(waves, i, &one);
        for (int j = 0; j < n; ++j) {
            double way = v * (3.0 - p[j].t0);
            double d = hypot(p[j].x + p[j].dx * way - (double)one.position.x,
                             p[j].z + p[j].dz * way - (double)one.position.y);
            best = fmin(best, d + 100.0 * fabs((double)(p[j].a - one.amplitude)));
        }
        worst = fmax(worst, best);
    }
    check_add(run, "wave_particles.queue.place", worst, 0.0, 1e-3);
    free(p);
    tarn_wave_particles_destroy(waves);
}

// ---- Bodies --------------------------------------------------------------------------------------------

static TarnBodies* one_box(CheckRun* run, TarnVec3 half, TarnVec3 position, TarnVec3 velocity,
                           TarnBodyId* id)
{
    TarnBodies* bodies;
    TarnBodiesDef def = tarn_bodies_default_def();
    tarn_bodies_create(run->ctx, &def, &bodies);
    TarnBodyDef box = tarn_body_default_def();
    box.shape = tarn_shape_box(half.x, half.y, half.z);
    box.state.position = position;
    box.state.velocity = velocity;
    box.density = 500.0f;
    tarn_bodies_add(bodies, &box, id);
    return bodies;
}

// A box that is towed sheds as much trough as crest.
static void check_balance(CheckRun* run)
{
    TarnWaveParticlesDef def = open_water(256);
    TarnWaveParticles* waves = make(run, &def);
    TarnBodyId id;
    TarnBodies* bodies = one_box(run, (TarnVec3){ 0.5f, 0.2f, 0.25f }, (TarnVec3){ 6.4f, 0, 6.4f },
                                 (TarnVec3){ 0.4f, 0, 0.1f }, &id);
    for (int s = 0; s < 30; ++s)
        tarn_couple_wave_particles_bodies(waves, NULL, bodies, 1.0f / 60.0f);
    // The same tick again and again: time stands still, so step once.
    tarn_wave_particles_step(waves, 0.2f, NULL);
    tarn_couple_wave_particles_bodies(waves, NULL, bodies, 0.2f);
    double net = 0.0, size = 0.0, r = (double)def.radius;
    for (int i = 0; i < tarn_wave_particles_count(waves); ++i) {
        TarnWaveParticle p;
        tarn_wave_particles_get(waves, i, &p);
        net += (double)p.amplitude * r * r, size += fabs((double)p.amplitude) * r * r;
    }
    check_add(run, "wave_particles.balance.net", size > 0.0 ? net / size : 1.0, 0.0, 1e-3);
    tarn_bodies_destroy(bodies);
    tarn_wave_particles_destroy(waves);
}

// A box in long regular waves follows them: strip theory for waves much longer than the box gives a heave of the height of
// the wave and a pitch of its slope. Fronts of crests and troughs of the widest class.
static void check_float(CheckRun* run)
{
    TarnWaveParticlesDef def = open_water(256);
    def.dx = 0.25f, def.radius = 2.0f, def.radii = 2; // waves of 8 m
    TarnWaveParticles* waves = make(run, &def);
    TarnBodyId id;
    TarnBodies* bodies = one_box(run, (TarnVec3){ 0.25f, 0.05f, 0.25f }, (TarnVec3){ 32, 0, 32 },
                                 (TarnVec3){ 0 }, &id);
    double v = (double)tarn_wave_particles_speed(waves, 1), heave = 0.0, pitch = 0.0;
    double half = 4.0 / v, next = 0.0, wave = 0.0,
           slope = 0.0; // a crest or trough each half period
    int n = 0;
    TarnSurface surface = tarn_wave_particles_surface(waves);
    for (int s = 0; s < 60 * 22; ++s) {
        if (s / 60.0 >= next) {
            float x = 30.0f, height = n++ % 2 ? -0.1f : 0.1f;
            tarn_wave_particles_add_front(waves, (TarnVec2){ x - 20, 2 }, (TarnVec2){ x - 20, 62 },
                                          1, height);
            next += half;
        }
        tarn_couple_surface_bodies(&surface, NULL, bodies, 1.0f / 60.0f);
        tarn_wave_particles_step(waves, 1.0f / 60.0f, NULL);
        tarn_bodies_step(bodies, 1.0f / 60.0f, NULL);
        TarnBodyState state;
        tarn_bodies_get_state(bodies, id, &state);
        if (s < 60 * 12) continue;
        float height, px = state.position.x, pz = state.position.z;
        TarnVec3 normal;
        TarnSurfaceSamples out = { .height = &height, .normal = &normal };
        tarn_surface_query(surface, 1, &px, &pz, &out);
        double up = 1.0 - 2.0 * (double)(state.rotation.x * state.rotation.x +
                                         state.rotation.z * state.rotation.z);
        heave = fmax(heave, fabs((double)state.position.y));
        wave = fmax(wave, fabs((double)height));
        pitch = fmax(pitch, acos(fmin(up, 1.0)));
        slope = fmax(slope, acos((double)normal.y));
    }
    check_add(run, "wave_particles.float.heave", heave, wave, 0.1);
    check_add(run, "wave_particles.float.pitch", pitch, slope, 0.15);
    tarn_bodies_destroy(bodies);
    tarn_wave_particles_destroy(waves);
}

void check_wave_particles(CheckRun* run, const char* group)
{
    if (strcmp(group, "wave_particles.split") == 0) check_split(run);
    if (strcmp(group, "wave_particles.ring") == 0) check_ring(run);
    if (strcmp(group, "wave_particles.front") == 0) check_front(run);
    if (strcmp(group, "wave_particles.mirror") == 0) check_mirror(run);
    if (strcmp(group, "wave_particles.queue") == 0) check_queue(run);
    if (strcmp(group, "wave_particles.balance") == 0) check_balance(run);
    if (strcmp(group, "wave_particles.float") == 0) check_float(run);
}
