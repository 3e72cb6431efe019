// Wave particles between two steps: a queue of what happens next to each, and what then happens.
//
// Events   A particle splits when its neighbors are half a radius away, and meets the first wall on its line. Both times
//          are known when the line begins, so the queue holds one event per particle and nothing is searched.
// Order    by time, then by slot: the same for any number of workers.

#include "waves/wave_particles_internal.h"
#include "base/def.h"
#include "grid/window.h"
#include <stdlib.h>
#include <math.h>

static const float never = 1e30f; // [s]

// ---- Queue: a binary heap --------------------------------------------------------------------------

static bool is_before(const TarnWaveParticles* w, int a, int b)
{
    float ta = w->motes[a].next, tb = w->motes[b].next;
    return ta < tb || (ta == tb && a < b);
}

static void put(TarnWaveParticles* w, int at, int slot)
{
    w->queue[at] = slot;
    w->motes[slot].at = at;
}

static void sift_up(TarnWaveParticles* w, int at)
{
    int slot = w->queue[at];
    while (at > 0 && is_before(w, slot, w->queue[(at - 1) / 2])) {
        put(w, at, w->queue[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(w, at, slot);
}

static void sift_down(TarnWaveParticles* w, int at)
{
    int slot = w->queue[at];
    for (int child; (child = 2 * at + 1) < w->n; at = child) {
        if (child + 1 < w->n && is_before(w, w->queue[child + 1], w->queue[child])) ++child;
        if (!is_before(w, w->queue[child], slot)) break;
        put(w, at, w->queue[child]);
    }
    put(w, at, slot);
}

// ---- What comes next -------------------------------------------------------------------------------

typedef struct WaveBox {
    float lo[2], hi[2];
    int edge[4];
} WaveBox;

static WaveBox box_of(const TarnWaveParticles* w)
{
    TarnVec2 at = tarn_wave_particles_origin(w);
    const TarnWaveParticlesDef* def = &w->def;
    return (WaveBox){ .lo = { at.x, at.y },
                      .hi = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                      .edge = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 } };
}

static void look_at_edges(const TarnWaveParticles* w, const WaveMote* m, float* nearest, int* wall)
{
    WaveBox box = box_of(w);
    const float p[2] = { m->x, m->z }, d[2] = { m->dx, m->dz };
    for (int axis = 0; axis < 2; ++axis) {
        if (d[axis] == 0.0f) continue;
        int e = 2 * axis + (d[axis] > 0.0f);
        // Waves leave an open edge with the last of their bump.
        float beyond = box.edge[e] == TARN_WAVE_PARTICLES_OPEN ? w->levels[m->radius].radius : 0.0f;
        float to = d[axis] > 0.0f ? box.hi[axis] + beyond : box.lo[axis] - beyond;
        float way = tarn_maxf((to - p[axis]) / d[axis], 0.0f);
        if (way < *nearest) *nearest = way, *wall = WP_EDGE - e;
    }
}

static void look_at_walls(const TarnWaveParticles* w, const WaveMote* m, float* nearest, int* wall)
{
    for (int n = 0; n < w->partition_ids.count; ++n) {
        int slot = w->partition_ids.order[n];
        if (slot == m->last) continue; // a straight wall is not met twice in a row
        const WavePartition* q = &w->partitions[slot];
        float across = m->dx * q->nx + m->dz * q->nz;
        if (across == 0.0f) continue;
        TarnVec2 a = q->def.a, b = q->def.b;
        float way = ((a.x - m->x) * q->nx + (a.y - m->z) * q->nz) / across;
        if (!(way >= 0.0f && way < *nearest)) continue;
        float x = m->x + way * m->dx - a.x, z = m->z + way * m->dz - a.y;
        float ux = b.x - a.x, uz = b.y - a.y, along = x * ux + z * uz;
        if (along >= 0.0f && along <= ux * ux + uz * uz) *nearest = way, *wall = slot;
    }
}

static void plan(const TarnWaveParticles* w, WaveMote* m)
{
    const WaveLevel* level = &w->levels[m->radius];
    float split = m->angle > 1e-6f ? 0.5f * level->radius / m->angle - m->s : never;
    float nearest = tarn_maxf(split, 0.0f);
    int wall = WP_NO_WALL;
    look_at_edges(w, m, &nearest, &wall);
    look_at_walls(w, m, &nearest, &wall);
    m->wall = (int16_t)wall;
    m->next = nearest < never ? m->t0 + nearest / level->speed : never;
}

bool tarn__wave_mote_add(TarnWaveParticles* w, const WaveMote* mote)
{
    if (w->n == w->def.max_particles) return false;
    int slot = w->n++;
    w->motes[slot] = *mote;
    plan(w, &w->motes[slot]);
    put(w, slot, slot);
    sift_up(w, slot);
    return true;
}

void tarn__wave_mote_remove(TarnWaveParticles* w, int slot)
{
    int at = w->motes[slot].at, last = --w->n;
    int moved = w->queue[last]; // the end of the queue takes its place there
    if (at != last) {
        put(w, at, moved);
        sift_up(w, at);
        sift_down(w, w->motes[moved].at);
    }
    if (slot != last) { // and the last particle its slot
        w->motes[slot] = w->motes[last];
        w->queue[w->motes[slot].at] = slot;
        sift_up(w, w->motes[slot].at); // ties are ordered by slots
    }
}

static void replan(TarnWaveParticles* w, int slot)
{
    plan(w, &w->motes[slot]);
    sift_up(w, w->motes[slot].at);
    sift_down(w, w->motes[slot].at);
}

void tarn__wave_queue_build(TarnWaveParticles* w)
{
    for (int i = 0; i < w->n; ++i) {
        plan(w, &w->motes[i]);
        put(w, i, i);
    }
    for (int i = w->n / 2 - 1; i >= 0; --i) sift_down(w, i);
}

// ---- Events ----------------------------------------------------------------------------------------

// Lets the line begin anew where the particle is at t.
static void move_on(const TarnWaveParticles* w, WaveMote* m, float t)
{
    TarnVec2 p = wave_mote_at(w, m, t);
    m->s += w->levels[m->radius].speed * (t - m->t0);
    m->x = p.x, m->z = p.y;
    m->t0 = t;
}

static void turn_back(WaveMote* m, float nx, float nz)
{
    float across = 2.0f * (m->dx * nx + m->dz * nz);
    m->dx -= across * nx;
    m->dz -= across * nz;
    float length = sqrtf(m->dx * m->dx + m->dz * m->dz); // rounding must not add up
    m->dx /= length, m->dz /= length;
}

static void meet(TarnWaveParticles* w, int slot, float t)
{
    WaveMote* m = &w->motes[slot];
    int wall = m->wall;
    move_on(w, m, t);
    m->last = WP_NO_WALL;
    if (wall >= 0) {
        turn_back(m, w->partitions[wall].nx, w->partitions[wall].nz);
        m->last = (int16_t)wall;
    } else {
        int e = WP_EDGE - wall;
        WaveBox box = box_of(w);
        if (box.edge[e] == TARN_WAVE_PARTICLES_OPEN) {
            tarn__wave_mote_remove(w, slot);
            return;
        }
        if (e < 2)
            m->dx = -m->dx, m->x = tarn_clampf(m->x, box.lo[0], box.hi[0]);
        else
            m->dz = -m->dz, m->z = tarn_clampf(m->z, box.lo[1], box.hi[1]);
    }
    m->a *= w->params.restitution;
    if (!(fabsf(m->a) >= w->params.least))
        tarn__wave_mote_remove(w, slot);
    else
        replan(w, slot);
}

// A new neighbor may begin behind a wall that is near: it is there what the wall reflects.
static void keep_inside(const TarnWaveParticles* w, const WaveMote* from, WaveMote* m)
{
    WaveBox box = box_of(w);
    float* p[2] = { &m->x, &m->z };
    float* d[2] = { &m->dx, &m->dz };
    for (int e = 0; e < 4; ++e) {
        int axis = e / 2;
        float edge = e % 2 ? box.hi[axis] : box.lo[axis], out = *p[axis] - edge;
        bool is_out = e % 2 ? out > 0.0f : out < 0.0f;
        if (box.edge[e] == TARN_WAVE_PARTICLES_OPEN || !is_out) continue;
        *p[axis] = edge - out;
        *d[axis] = -*d[axis];
    }
    for (int n = 0; n < w->partition_ids.count; ++n) {
        int slot = w->partition_ids.order[n];
        const WavePartition* q = &w->partitions[slot];
        TarnVec2 a = q->def.a, b = q->def.b;
        float side0 = (from->x - a.x) * q->nx + (from->z - a.y) * q->nz;
        float side1 = (m->x - a.x) * q->nx + (m->z - a.y) * q->nz;
        if (slot == from->last) side0 = from->dx * q->nx + from->dz * q->nz; // it just left it
        if (!(side0 * side1 < 0.0f)) continue;
        float cut = fabsf(side1) / (fabsf(side0) + fabsf(side1));
        float ux = b.x - a.x, uz = b.y - a.y;
        float x = m->x + cut * (from->x - m->x) - a.x, z = m->z + cut * (from->z - m->z) - a.y;
        float along = x * ux + z * uz;
        if (!(along >= 0.0f && along <= ux * ux + uz * uz)) continue;
        m->x -= 2.0f * side1 * q->nx;
        m->z -= 2.0f * side1 * q->nz;
        turn_back(m, q->nx, q->nz);
        m->last = (int16_t)slot;
    }
}

// The particle and two new ones beside it share its front. The middle keeps what the other two leave, so that the sum of
// amplitudes is the same to the last bit: a - 2 (a / 3) is exact.
static void split(TarnWaveParticles* w, int slot, float t)
{
    WaveMote* m = &w->motes[slot];
    move_on(w, m, t);
    float side = m->a / 3.0f;
    bool has_room = w->n + 2 <= w->def.max_particles;
    if (!has_room) w->was_full = true;
    if (!(fabsf(side) >= w->params.least) || !has_room) {
        tarn__wave_mote_remove(w, slot);
        return;
    }
    m->a -= 2.0f * side;
    m->angle /= 3.0f;
    WaveMote whole = *m;
    float sine, cosine;
    tarn_sincos(whole.angle, &sine, &cosine);
    replan(w, slot);
    float x = whole.x - whole.dx * whole.s, z = whole.z - whole.dz * whole.s; // where it began
    for (int k = 0; k < 2; ++k, sine = -sine) {
        WaveMote one = whole;
        one.a = side;
        one.dx = whole.dx * cosine - whole.dz * sine;
        one.dz = whole.dz * cosine + whole.dx * sine;
        one.x = x + one.dx * whole.s;
        one.z = z + one.dz * whole.s;
        one.last = WP_NO_WALL;
        keep_inside(w, &whole, &one);
        tarn__wave_mote_add(w, &one);
    }
}

void tarn__wave_events_run(TarnWaveParticles* w, float t)
{
    // Walls that almost touch would reflect forever: what is left after so many events is gone.
    int64_t left = 8 * (int64_t)w->def.max_particles + 65536;
    while (w->n > 0 && w->motes[w->queue[0]].next <= t) {
        int slot = w->queue[0];
        float at = w->motes[slot].next;
        if (--left < 0)
            tarn__wave_mote_remove(w, slot);
        else if (w->motes[slot].wall == WP_NO_WALL)
            split(w, slot, at);
        else
            meet(w, slot, at);
    }
}

void tarn__wave_rebase(TarnWaveParticles* w)
{
    float now = (float)(w->time - w->epoch);
    for (int i = 0; i < w->n; ++i) {
        move_on(w, &w->motes[i], now);
        w->motes[i].t0 = 0.0f;
        w->motes[i].born = tarn_maxf(w->motes[i].born - now, -1e6f);
    }
    w->epoch = w->time;
    tarn__wave_queue_build(w);
}

// ---- Too many --------------------------------------------------------------------------------------

// What particles to be merged have in common: class, cell of half a radius, one of sixteen directions.
static uint64_t merge_key(const TarnWaveParticles* w, const WaveMote* m)
{
    float cell = 0.5f * w->levels[m->radius].radius;
    int64_t i = (int64_t)floorf(tarn_clampf(m->x / cell, -1e7f, 1e7f));
    int64_t k = (int64_t)floorf(tarn_clampf(m->z / cell, -1e7f, 1e7f));
    int sector = (int)((tarn_atan2(m->dz, m->dx) + 3.1415927f) * (16.0f / 6.2831854f)) & 15;
    return ((uint64_t)(i + (1 << 25)) << 36 | (uint64_t)(k + (1 << 25)) << 8 |
            (uint64_t)sector << 4 | (uint64_t)m->radius << 1 | 1u);
}

static int find_alike(TarnWaveParticles* w, uint64_t key, int slot) // -1: it is the first
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (uint32_t)w->merge_mask;
    while (w->merge_keys[at] != 0 && w->merge_keys[at] != key)
        at = (at + 1) & (uint32_t)w->merge_mask;
    if (w->merge_keys[at] == key) return w->merge_slots[at];
    w->merge_keys[at] = key;
    w->merge_slots[at] = slot;
    return -1;
}

static void join(WaveMote* into, WaveMote* m)
{
    float share = fabsf(m->a) / (fabsf(into->a) + fabsf(m->a) + 1e-30f);
    into->x += share * (m->x - into->x);
    into->z += share * (m->z - into->z);
    TarnVec3 d = { into->dx + share * (m->dx - into->dx), 0.0f,
                   into->dz + share * (m->dz - into->dz) };
    d = vec3_normalize(d);
    into->dx = d.x, into->dz = d.z;
    into->s += share * (m->s - into->s);
    into->angle = tarn_maxf(into->angle, m->angle);
    into->born = tarn_minf(into->born, m->born);
    into->a += m->a;
    m->a = 0.0f;
}

static void drop_below(TarnWaveParticles* w, float least)
{
    for (int i = w->n - 1; i >= 0; --i) {
        if (fabsf(w->motes[i].a) >= least) continue;
        w->motes[i] = w->motes[--w->n];
    }
}

void tarn__wave_merge(TarnWaveParticles* w)
{
    int enough = w->def.max_particles / 4 * 3;
    tarn__wave_rebase(w);
    memset(w->merge_keys, 0, ((size_t)w->merge_mask + 1) * sizeof *w->merge_keys);
    for (int i = 0; i < w->n; ++i) {
        int other = find_alike(w, merge_key(w, &w->motes[i]), i);
        if (other >= 0) join(&w->motes[other], &w->motes[i]);
    }
    drop_below(w, w->params.least);
    for (float least = 2.0f * w->params.least; w->n > enough && least < 1e4f; least *= 2.0f)
        drop_below(w, least);
    tarn__wave_queue_build(w);
}

// ---- Walls -----------------------------------------------------------------------------------------

static TarnResult check_wall(TarnWaveParticles* w, const TarnWavePartitionDef* def,
                             WavePartition* out)
{
    TARN_TRY(TARN_CHECK_DEF(w->ctx, "wave_partition", "tarn/wave_particles.h", TarnWavePartitionDef,
                            tarn_wave_partition_default_def, def));
    TARN_TRY(tarn_param_validate(w->ctx, tarn_wave_partition_def_table(), def));
    double x = (double)def->b.x - def->a.x, z = (double)def->b.y - def->a.y;
    double length = sqrt(x * x + z * z);
    if (!(length > 1e-4))
        return tarn__fail(w->ctx, TARN_ERR_ARG,
                          "wave_partition: its ends (%g, %g) and (%g, %g) m coincide; move one",
                          (double)def->a.x, (double)def->a.y, (double)def->b.x, (double)def->b.y);
    *out = (WavePartition){ *def, (float)(-z / length), (float)(x / length) };
    return TARN_OK;
}

TarnResult tarn_wave_particles_add_partition(TarnWaveParticles* w, const TarnWavePartitionDef* def,
                                             TarnWavePartitionId* out)
{
    WavePartition made;
    if (out) *out = (TarnWavePartitionId){ 0 };
    if (w == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_wall(w, def, &made));
    int slot = w->def.max_walls > 0 ? tarn__handles_add(&w->partition_ids) : -1;
    if (slot < 0)
        return tarn__fail(w->ctx, TARN_ERR_CAPACITY,
                          "wave_particles: there are %d walls already; raise max_walls",
                          w->def.max_walls);
    w->partitions[slot] = made;
    tarn__wave_rebase(w);
    if (out) out->value = tarn__handles_id(&w->partition_ids, slot);
    return TARN_OK;
}

TarnResult tarn_wave_particles_set_partition(TarnWaveParticles* w, TarnWavePartitionId id,
                                             const TarnWavePartitionDef* def)
{
    WavePartition made;
    if (w == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(w->ctx, &w->partition_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    TARN_TRY(check_wall(w, def, &made));
    w->partitions[slot] = made;
    tarn__wave_rebase(w);
    return TARN_OK;
}

TarnResult tarn_wave_particles_remove_partition(TarnWaveParticles* w, TarnWavePartitionId id)
{
    if (w == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(w->ctx, &w->partition_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    tarn__handles_remove(&w->partition_ids, slot);
    w->partitions[slot] = (WavePartition){ 0 };
    tarn__wave_rebase(w);
    return TARN_OK;
}

TarnResult tarn_wave_particles_add_polygon(TarnWaveParticles* w, const TarnVec2* corners, int n)
{
    if (w == NULL || corners == NULL || n < 3) return TARN_ERR_ARG;
    if (w->partition_ids.count + n > w->def.max_walls)
        return tarn__fail(w->ctx, TARN_ERR_CAPACITY,
                          "wave_particles: a polygon of %d sides, and %d walls are there already; "
                          "raise max_walls (%d)",
                          n, w->partition_ids.count, w->def.max_walls);
    for (int pass = 0; pass < 2; ++pass) { // all sides are checked before the first is added
        for (int i = 0; i < n; ++i) {
            WavePartition unused;
            TarnWavePartitionDef def = tarn_wave_partition_default_def();
            def.a = corners[i], def.b = corners[(i + 1) % n];
            TARN_TRY(pass == 0 ? check_wall(w, &def, &unused)
                               : tarn_wave_particles_add_partition(w, &def, NULL));
        }
    }
    return TARN_OK;
}

TarnResult tarn_wave_particles_shift(TarnWaveParticles* w, int di, int dk)
{
    const int most = 1 << 24;
    if (w == NULL) return TARN_ERR_ARG;
    WaveBox box = box_of(w);
    for (int e = 0; e < 4; ++e) {
        if (box.edge[e] != TARN_WAVE_PARTICLES_OPEN)
            return tarn__fail(w->ctx, TARN_ERR_UNSUPPORTED,
                              "wave_particles: a grid with walls cannot move; make all edges open");
    }
    bool is_near = di > -most && di < most && dk > -most && dk < most &&
                   abs(w->shift_i + di) < most && abs(w->shift_k + dk) < most;
    if (!is_near)
        return tarn__fail(w->ctx, TARN_ERR_ARG,
                          "wave_particles: a shift by (%d, %d) cells leaves the range of +-%d", di,
                          dk, most);
    if (di == 0 && dk == 0) return TARN_OK;
    w->shift_i += di;
    w->shift_k += dk;
    tarn__wave_rebase(w);
    tarn__wave_events_run(w, 0.0f); // those far behind are gone
    tarn__wave_draw(w);
    for (int f = 0; f < 3; ++f)
        tarn__grid_shift(w->was[f], w->def.nx, w->def.nx, w->def.nz, di, dk, 0.0f, false);
    return TARN_OK;
}
