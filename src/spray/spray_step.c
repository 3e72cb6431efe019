// The step of spray: it looks at the water, moves the drops, lets them land, throws new ones, carries the foam.

#include "spray/spray_internal.h"
#include <math.h>

// ---- The water -----------------------------------------------------------------------------------

// Asks for the water; what is not answered is deep water at rest at y = 0, and what is not a number is that, too.
void tarn__spray_ask(const TarnSpray* s, int n, const float* x, const float* z,
                     const TarnSurfaceSamples* out)
{
    const TarnSurface* water = &s->around->water;
    for (int i = 0; i < n && out->height; ++i) out->height[i] = 0.0f;
    for (int i = 0; i < n && out->depth; ++i) out->depth[i] = 1e4f;
    if (out->velocity) memset(out->velocity, 0, (size_t)n * sizeof *out->velocity);
    if (water->query == NULL) return;
    water->query(water->self, n, x, z, out);
    for (int i = 0; i < n && out->height; ++i)
        out->height[i] = fabsf(out->height[i]) <= spray_reach ? out->height[i] : 0.0f;
    for (int i = 0; i < n && out->depth; ++i)
        out->depth[i] = out->depth[i] >= 0.0f ? tarn_minf(out->depth[i], 1e4f) : 0.0f;
    for (int i = 0; i < n && out->velocity; ++i) {
        TarnVec3* v = &out->velocity[i];
        bool is_good = tarn__is_finite3(*v);
        v->x = is_good ? tarn_clampf(v->x, -spray_fastest, spray_fastest) : 0.0f;
        v->y = is_good ? tarn_clampf(v->y, -spray_fastest, spray_fastest) : 0.0f;
        v->z = is_good ? tarn_clampf(v->z, -spray_fastest, spray_fastest) : 0.0f;
    }
}

// The grid keeps its place on a water that moves, to whole cells.
static void follow(TarnSpray* s)
{
    const TarnSurface* water = s->around->base.query ? &s->around->base : &s->around->water;
    s->has_area = water->query && tarn_surface_area(*water, &s->area_min, &s->area_max);
    if (!s->has_area) return;
    TarnVec2 o = tarn_spray_origin(s);
    if (!s->is_anchored) {
        s->anchor = (TarnVec2){ o.x - s->area_min.x, o.y - s->area_min.y };
        s->is_anchored = tarn__all_within(&s->anchor, 2, spray_reach);
        return;
    }
    double di = floor(((double)s->area_min.x + s->anchor.x - o.x) / (double)s->def.dx + 0.5);
    double dk = floor(((double)s->area_min.y + s->anchor.y - o.y) / (double)s->def.dx + 0.5);
    if ((di != 0.0 || dk != 0.0) && fabs(di) < SPRAY_FAR && fabs(dk) < SPRAY_FAR)
        tarn_spray_shift(s, (int)di, (int)dk); // at the end of the world it stays
}

static void look_row(int k, void* data)
{
    TarnSpray* s = data;
    TarnVec2 o = tarn_spray_origin(s);
    float x[SPRAY_PIECE], z[SPRAY_PIECE];
    for (int from = 0; from < s->def.nx; from += SPRAY_PIECE) {
        int n = s->def.nx - from < SPRAY_PIECE ? s->def.nx - from : SPRAY_PIECE;
        size_t c = spray_at(s, from, k);
        for (int i = 0; i < n; ++i) {
            x[i] = o.x + ((float)(from + i) + 0.5f) * s->def.dx;
            z[i] = o.y + ((float)k + 0.5f) * s->def.dx;
        }
        TarnSurfaceSamples out = { .height = s->cells.height + c,
                                   .depth = s->cells.depth + c,
                                   .velocity = s->cells.velocity + c };
        tarn__spray_ask(s, n, x, z, &out);
    }
}

// The highest water around a cell, and room for what is higher between the places that were asked for.
static void ceiling_row(int k, void* data)
{
    TarnSpray* s = data;
    int nx = s->def.nx, k0 = k > 0 ? k - 1 : k, k1 = k < s->def.nz - 1 ? k + 1 : k;
    for (int i = 0; i < nx; ++i) {
        int i0 = i > 0 ? i - 1 : i, i1 = i < nx - 1 ? i + 1 : i;
        float high = -spray_reach, low = spray_reach;
        for (int b = k0; b <= k1; ++b) {
            for (int a = i0; a <= i1; ++a) {
                float y = s->cells.height[spray_at(s, a, b)];
                high = tarn_maxf(high, y), low = tarn_minf(low, y);
            }
        }
        s->ceiling[spray_at(s, i, k)] = high + 0.25f * s->def.dx + 0.5f * (high - low);
    }
}

void tarn__spray_look(TarnSpray* s)
{
    tarn__parallel_for(s->ctx, s->def.nz, look_row, s);
    tarn__parallel_for(s->ctx, s->def.nz, ceiling_row, s);
    s->highest = -spray_reach, s->lowest = spray_reach;
    double sum = 0.0, wet = 0.0;
    for (size_t c = 0; c < spray_cells(s); ++c) {
        s->highest = tarn_maxf(s->highest, s->cells.height[c]);
        s->lowest = tarn_minf(s->lowest, s->cells.height[c]);
        if (s->cells.depth[c] > 0.0f) sum += (double)s->cells.height[c], wet += 1.0;
    }
    s->level = wet > 0.0 ? (float)(sum / wet) : 0.0f;
}

// ---- Drops in the air ----------------------------------------------------------------------------

// Off walls at the edge of the water, that drops come back from at half their speed.
static void bounce(const TarnSpray* s, int first, int n)
{
    const SprayPool* d = &s->drops;
    const float lo[2] = { s->area_min.x, s->area_min.y }, hi[2] = { s->area_max.x, s->area_max.y };
    for (int a = 0; a < 2; ++a) {
        float *x = (a ? d->z : d->x) + first, *v = (a ? d->vz : d->vx) + first;
        for (int p = 0; p < n && s->around->is_closed[2 * a]; ++p)
            if (x[p] < lo[a]) x[p] = lo[a], v[p] = 0.5f * fabsf(v[p]);
        for (int p = 0; p < n && s->around->is_closed[2 * a + 1]; ++p)
            if (x[p] > hi[a]) x[p] = hi[a], v[p] = -0.5f * fabsf(v[p]);
    }
}

// Of drops that may touch the water: which ones do.
static void find_landed(const TarnSpray* s, int n, const int32_t* list)
{
    const SprayPool* d = &s->drops;
    float x[SPRAY_PIECE], z[SPRAY_PIECE], height[SPRAY_PIECE];
    for (int i = 0; i < n; ++i) x[i] = d->x[list[i]], z[i] = d->z[list[i]];
    TarnSurfaceSamples out = { .height = height };
    tarn__spray_ask(s, n, x, z, &out);
    for (int i = 0; i < n; ++i) {
        if (d->y[list[i]] < height[i]) d->fate[list[i]] = SPRAY_LANDS;
    }
}

static void fly_block(int b, void* data)
{
    TarnSpray* s = data;
    SprayPool* d = &s->drops;
    int first = b * SPRAY_BLOCK, n = d->n - first < SPRAY_BLOCK ? d->n - first : SPRAY_BLOCK;
    SprayMove move = { n,
                       s->dt,
                       s->def.gravity,
                       s->params.wind,
                       d->x + first,
                       d->y + first,
                       d->z + first,
                       d->vx + first,
                       d->vy + first,
                       d->vz + first,
                       d->age + first,
                       d->drag + first };
    bool has_solids = s->n_bodies > 0 || s->around->solids;
    SprayBefore before;
    if (has_solids) {
        size_t bytes = (size_t)n * sizeof(float);
        memcpy(before.x, d->x + first, bytes);
        memcpy(before.y, d->y + first, bytes);
        memcpy(before.z, d->z + first, bytes);
    }
    s->kernels->fly(&move);
    if (s->has_area) bounce(s, first, n);
    memset(d->fate + first, SPRAY_STAYS, (size_t)n);
    if (has_solids) tarn__spray_collide(s, first, n, &before);
    int32_t list[SPRAY_PIECE];
    int listed = 0, nx = s->def.nx;
    TarnVec2 o = tarn_spray_origin(s);
    float per = 1.0f / s->def.dx, right = (float)(nx - 1), top = (float)(s->def.nz - 1);
    for (int p = first; p < first + n; ++p) {
        float y = d->y[p], age = d->age[p];
        int i = (int)tarn_clampf((d->x[p] - o.x) * per, 0.0f, right);
        int k = (int)tarn_clampf((d->z[p] - o.y) * per, 0.0f, top);
        // Water is old when it lay on something for so long. What falls out of the world lands, wherever that is.
        bool is_old = age >= d->life[p], is_lost = y <= -spray_reach;
        bool may_land =
            (y < s->ceiling[k * nx + i]) & (age >= 0.0f) & !is_old & (d->fate[p] != SPRAY_ENDS);
        list[listed] = p; // counted by a sum, not by a branch that nobody can foretell
        listed += may_land;
        if (listed == SPRAY_PIECE) find_landed(s, listed, list), listed = 0;
        if (is_old | is_lost) d->fate[p] = d->grains[p] > 0.0f ? SPRAY_LANDS : SPRAY_ENDS;
    }
    find_landed(s, listed, list);
}

// A drop that carries water adds to what lands in its cell.
static void note_landed(TarnSpray* s, int p)
{
    const SprayPool* d = &s->drops;
    float grains = d->grains[p], mass = spray_density * (float)((double)grains * s->grain);
    if (spray_is_outside(s, d->x[p], d->z[p])) {
        s->sums.left += (double)grains;
        return;
    }
    size_t c = spray_cell(s, d->x[p], d->z[p]);
    SprayLanding* l = &s->landing[c];
    if (l->grains == 0.0) s->landed[s->n_landed++] = (int32_t)c;
    l->grains += (double)grains;
    l->x += grains * d->x[p], l->z += grains * d->z[p];
    TarnVec3 v = { d->vx[p], d->vy[p], d->vz[p] };
    l->impulse = vec3_add(l->impulse, vec3_scale(v, mass));
    l->energy += 0.5f * mass * vec3_dot(v, v);
}

// What a drop makes where it lands: foam, fine drops that leap up again, mist.
static void leap(TarnSpray* s, int p)
{
    const SprayPool* d = &s->drops;
    TarnVec3 at = { d->x[p], d->y[p], d->z[p] }, v = { d->vx[p], d->vy[p], d->vz[p] };
    float size = d->radius[p], down = tarn_maxf(-v.y, 0.0f);
    bool is_splash = d->grains[p] > 0.0f;
    tarn__spray_foam_at(s, at.x, at.z, s->params.foam * size * size * (is_splash ? 4.0f : 1.0f));
    if (d->kind[p] == TARN_SPRAY_RAIN) tarn__spray_crown(s, (TarnVec2){ at.x, at.z });
    if (!is_splash || down < 1.0f) return;
    TarnVec3 up = { 0.35f * v.x, 0.35f * down + 0.5f, 0.35f * v.z };
    at.y += size;
    tarn__spray_fine(s, at, up, size, 0.35f * s->params.fine * tarn_minf(down / 5.0f, 1.5f));
    float cloud = s->params.mist * tarn_minf(down / 6.0f, 2.0f);
    if (spray_random(s) < cloud) {
        float r[5];
        spray_randoms(s, 5, r);
        SprayDrop drop = { .at = at,
                           .velocity = { 0.3f * v.x + 0.6f * (2.0f * r[0] - 1.0f),
                                         0.25f * down * r[1],
                                         0.3f * v.z + 0.6f * (2.0f * r[2] - 1.0f) },
                           .radius = 6.0f * size * (0.6f + 0.8f * r[3]),
                           .life = 2.0f + 3.0f * r[4],
                           .drag = 8.0f * s->params.drag,
                           .kind = TARN_SPRAY_MIST };
        tarn__spray_add(s, &drop);
    }
}

// A drop that hit something hard throws fine ones.
static void burst(TarnSpray* s, int p)
{
    const SprayPool* d = &s->drops;
    TarnVec3 at = { d->x[p], d->y[p], d->z[p] }, v = { d->vx[p], d->vy[p], d->vz[p] };
    tarn__spray_fine(s, at, v, d->radius[p], 0.35f * s->params.fine);
}

void tarn__spray_remove(SprayPool* pool, int p)
{
    int last = --pool->n;
    if (p == last) return;
    float* arrays[] = { pool->x,   pool->y,    pool->z,      pool->vx,     pool->vy,  pool->vz,
                        pool->age, pool->life, pool->radius, pool->grains, pool->drag };
    for (int a = 0; a < (pool->grains ? 11 : 9); ++a) arrays[a][p] = arrays[a][last];
    pool->id[p] = pool->id[last];
    pool->kind[p] = pool->kind[last];
    pool->fate[p] = pool->fate[last];
}

void tarn__spray_fly(TarnSpray* s)
{
    int n = s->drops.n;
    tarn__parallel_for(s->ctx, (n + SPRAY_BLOCK - 1) / SPRAY_BLOCK, fly_block, s);
    SprayPool* d = &s->drops;
    for (int p = spray_next_fate(d, 0, n); p < n; p = spray_next_fate(d, p + 1, n)) {
        if (d->fate[p] == SPRAY_HITS) burst(s, p);
        if (d->fate[p] != SPRAY_LANDS) continue;
        if (d->grains[p] > 0.0f) note_landed(s, p);
        leap(s, p); // adds drops behind the last one
    }
    for (int p = spray_last_fate(d, n); p >= 0; p = spray_last_fate(d, p)) {
        if (d->fate[p] > SPRAY_HITS) tarn__spray_remove(d, p);
    }
}

// ---- Landing -------------------------------------------------------------------------------------

double tarn__spray_whole(TarnSpray* s, double volume)
{
    if (!(s->grain > 0.0)) s->grain = spray_own_grain;
    double grains = (volume + s->loose) / s->grain;
    if (!(fabs(grains) <= spray_most_grains))
        return grains > 0.0 ? spray_most_grains : -spray_most_grains;
    double whole = floor(grains + 0.5);
    s->loose = (grains - whole) * s->grain;
    return whole;
}

double tarn__spray_poured(TarnSpray* s, double volume)
{
    if (s->around->base.grain == s->grain) return floor(volume / s->grain + 0.5);
    return tarn__spray_whole(s, volume);
}

// The largest float that is no more than x.
static float at_most(double x)
{
    float f = (float)(x < 1e12 ? x : 1e12);
    return (double)f > x ? f * (1.0f - 0x1p-23f) : f;
}

static void land_cell(TarnSpray* s, size_t c)
{
    SprayLanding* l = &s->landing[c];
    const TarnSurface* base = &s->around->base;
    float per = 1.0f / (float)l->grains;
    s->power[c] += l->energy / s->dt;
    if (base->pour == NULL) {
        s->sums.to_sea += l->grains + s->rest;
        s->rest = 0.0;
    } else {
        s->rest += l->grains;
        double volume = s->rest * s->grain;
        TarnSurfaceTaken taken = { 0 };
        TarnSurfacePour pour = { .center = { l->x * per, l->z * per },
                                 .radius = 0.5f * s->def.dx,
                                 .volume = at_most(volume),
                                 .impulse = l->impulse };
        if (pour.volume > 0.0f && tarn_surface_pour(*base, &pour, &taken) == TARN_OK) {
            double grains = -tarn__spray_poured(s, -taken.volume);
            s->rest -= grains;
            s->sums.landed += grains;
        }
    }
    *l = (SprayLanding){ 0 };
}

void tarn__spray_land(TarnSpray* s)
{
    for (int n = 0; n < s->n_landed; ++n) land_cell(s, (size_t)s->landed[n]);
    s->n_landed = 0;
}

// ---- Step ----------------------------------------------------------------------------------------

TarnResult tarn_spray_step(TarnSpray* s, const TarnSprayAround* around, float dt,
                           TarnStepReport* report)
{
    static const TarnSprayAround nothing = { 0 };
    if (report) *report = (TarnStepReport){ 0 };
    if (s == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "tarn_spray_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (report) *report = (TarnStepReport){ .substeps = 1, .time_advanced = (double)dt };
    if (dt == 0.0f) return TARN_OK;
    s->around = around ? around : &nothing;
    if (!(s->grain > 0.0) && s->around->base.grain > 0.0) s->grain = s->around->base.grain;
    if (!(s->grain > 0.0)) s->grain = spray_own_grain;
    s->dt = dt;
    s->is_full = false;
    follow(s);
    memset(s->power, 0, spray_cells(s) * sizeof(float));
    memset(s->fresh, 0, spray_cells(s) * sizeof(float));
    tarn__spray_look(s);
    tarn__spray_mark(s);
    tarn__spray_fly(s);
    tarn__spray_land(s);
    tarn__spray_catch(s);
    tarn__spray_crests(s);
    if (s->around->bodies && s->around->water.query) tarn__spray_bodies(s);
    tarn__spray_shower(s);
    tarn__spray_froth(s);
    s->time += (double)dt;
    s->turn = 1 - s->turn;
    s->around = NULL;
    if (report && s->is_full) report->flags |= TARN_STEP_CAPACITY_FULL;
    return TARN_OK;
}
