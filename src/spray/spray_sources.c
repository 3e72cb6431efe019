// What throws water: breaking fronts, shores and rocks, what other solvers hand over, rain.
//
// Method   A front is a cell where the surface is steeper than anywhere around it across the front, steeper than
//          `steepness`, and rises as the water passes. Along the line of steepest descent the water ahead (depth h1) and
//          behind (h2) is found, a few cells away, where the surface stops falling and rising: a wave curves down
//          there. A bore of that height loses g (h2 - h1)^3 / (4 h1 h2) per unit mass, and takes in
//          q = h1 sqrt(g h2 (h1 + h2) / (2 h1)) per length.
//          A share of that power lifts water by the height of the bore.
// Amounts  Cells of a front count as long as the piece of it in their row or column, so the sum over them is the
//          length of the front, for any size of cells. Rates are per second, and what is less than a drop is kept
//          for later, so steps of any length throw the same.

#include "spray/spray_internal.h"
#include <math.h>

// ---- Drops ---------------------------------------------------------------------------------------

bool tarn__spray_add(TarnSpray* s, const SprayDrop* drop)
{
    SprayPool* d = &s->drops;
    if (d->n == d->capacity) {
        s->is_full = true;
        return false;
    }
    int p = d->n++;
    d->x[p] = tarn_clampf(drop->at.x, -spray_reach, spray_reach);
    d->y[p] = tarn_clampf(drop->at.y, -spray_reach, spray_reach);
    d->z[p] = tarn_clampf(drop->at.z, -spray_reach, spray_reach);
    d->vx[p] = tarn_clampf(drop->velocity.x, -spray_fastest, spray_fastest);
    d->vy[p] = tarn_clampf(drop->velocity.y, -spray_fastest, spray_fastest);
    d->vz[p] = tarn_clampf(drop->velocity.z, -spray_fastest, spray_fastest);
    d->age[p] = drop->age;
    d->life[p] = drop->life;
    d->radius[p] = drop->radius;
    d->grains[p] = drop->grains;
    d->drag[p] = drop->drag;
    d->kind[p] = (uint8_t)drop->kind;
    d->fate[p] = SPRAY_STAYS;
    d->id[p] = (uint32_t)s->births;
    ++s->births;
    return true;
}

// That many on average; the fuller the pool, the fewer, so that drops that carry water have room.
void tarn__spray_fine(TarnSpray* s, TarnVec3 at, TarnVec3 velocity, float size, float amount)
{
    float room = 1.0f - (float)s->drops.n / (float)s->drops.capacity;
    int n = (int)(amount * (room < 0.5f ? tarn_maxf(2.5f * room - 0.25f, 0.0f) : 1.0f) +
                  spray_random(s));
    float speed = vec3_length(velocity), wide = s->params.jitter * (speed + 0.5f);
    for (int i = 0; i < n; ++i) {
        float r[9];
        spray_randoms(s, 9, r);
        SprayDrop drop = { .at = { at.x + size * (2.0f * r[0] - 1.0f), at.y + size * r[1],
                                   at.z + size * (2.0f * r[2] - 1.0f) },
                           .velocity = { velocity.x + wide * (2.0f * r[3] - 1.0f),
                                         velocity.y * (0.7f + 0.6f * r[4]),
                                         velocity.z + wide * (2.0f * r[5] - 1.0f) },
                           .radius = size * (0.15f + 0.25f * r[6]),
                           .life = s->params.fine_life * (0.4f + 0.6f * r[7]),
                           .drag = s->params.drag * (0.5f + r[8]),
                           .kind = TARN_SPRAY_FINE };
        if (!tarn__spray_add(s, &drop)) return;
    }
}

// The n-th part of so many grains: a whole number of them that a float can hold, at most.
static float part_of(double grains, int n)
{
    double part = grains / (double)n;
    return (float)floor(part < 0x1p24 ? part : part * (1.0 - 0x1p-22));
}

// What a drop of so many grains is of a drop of the usual size.
static float share_of(const TarnSpray* s, float grains)
{
    return (float)((double)grains * s->grain) / spray_volume(s->params.radius);
}

void tarn__spray_splash(TarnSpray* s, const SpraySource* src, double grains, int n)
{
    n = grains < (double)n ? (int)grains : n; // none is empty
    if (n <= 0) return;
    float each = part_of(grains, n);
    float size = s->params.radius * tarn_clampf(share_of(s, each), 0.2f, 4.0f);
    float speed = vec3_length(src->velocity), wide = s->params.jitter * speed;
    for (int i = 0; i < n; ++i) {
        float t = spray_random_sign(s), late = s->dt * spray_random(s);
        TarnVec3 v = src->velocity, at = vec3_add(src->at, vec3_scale(src->along, t));
        v.x += wide * spray_random_sign(s), v.z += wide * spray_random_sign(s);
        v.y *= 1.0f + s->params.jitter * spray_random_sign(s);
        SprayDrop drop = { .at = vec3_add(at, vec3_scale(v, late)),
                           .velocity = v,
                           .grains = each,
                           .radius = size,
                           .life = 1e6f,
                           .drag = 0.05f,
                           .kind = TARN_SPRAY_SPLASH };
        drop.at.y += 0.5f * size;
        if (!tarn__spray_add(s, &drop)) return; // the rest stays in rest
        s->rest -= (double)each;
        tarn__spray_fine(s, drop.at, v, size, s->params.fine);
    }
}

// Takes what a source throws in dt out of the water, in whole drops.
void tarn__spray_source(TarnSpray* s, const SpraySource* src)
{
    size_t c = spray_cell(s, src->at.x, src->at.z);
    s->power[c] += src->power;
    tarn__spray_foam_at(s, src->at.x, src->at.z, src->foam * s->dt);
    double want = (double)tarn_minf(src->rate * s->dt, src->most);
    double drop = (double)spray_volume(s->params.radius);
    s->owed += want < 1e6 * drop ? want / drop : 1e6;
    int n = (int)s->owed;
    int room = s->drops.capacity - s->drops.n;
    if (n <= 0) return;
    s->owed -= (double)n;
    if (n > room) s->is_full = true, n = room;
    if (n == 0) return;
    double volume = drop * (double)n, grains;
    const TarnSurface* base = &s->around->base;
    if (base->pour == NULL) {
        grains = tarn__spray_whole(s, volume);
        s->sums.from_sea += grains;
    } else {
        TarnSurfaceTaken taken = { 0 };
        TarnSurfacePour pour = { .center = { src->at.x, src->at.z },
                                 .radius = s->def.dx,
                                 .volume = -(float)volume };
        if (tarn_surface_pour(*base, &pour, &taken) != TARN_OK || !(taken.volume < 0.0)) return;
        grains = tarn__spray_poured(s, -taken.volume);
        s->sums.thrown += grains;
    }
    s->rest += grains;
    tarn__spray_splash(s, src, grains, n);
}

// ---- Breaking fronts -----------------------------------------------------------------------------

static float height_at(const TarnSpray* s, int i, int k)
{
    i = i < 0 ? 0 : i >= s->def.nx ? s->def.nx - 1 : i;
    k = k < 0 ? 0 : k >= s->def.nz ? s->def.nz - 1 : k;
    return s->cells.height[spray_at(s, i, k)];
}

static TarnVec2 slope_at(const TarnSpray* s, int i, int k)
{
    float per = 0.5f / s->def.dx;
    return (TarnVec2){ (height_at(s, i + 1, k) - height_at(s, i - 1, k)) * per,
                       (height_at(s, i, k + 1) - height_at(s, i, k - 1)) * per };
}
static float square(TarnVec2 v)
{
    return v.x * v.x + v.y * v.y;
}

enum { WALK = 3 }; // cells from the steepest place of a front to its foot and to its top

// The cell up to WALK steps along (dx, dz) at which the surface is highest (sign 1) or lowest (-1), as long as it goes
// that way.
static size_t walk(const TarnSpray* s, int i, int k, float dx, float dz, float sign)
{
    size_t best = spray_at(s, i, k);
    for (int n = 1; n <= WALK; ++n) {
        int a = i + (int)floorf(dx * (float)n + 0.5f), b = k + (int)floorf(dz * (float)n + 0.5f);
        if (a < 0 || b < 0 || a >= s->def.nx || b >= s->def.nz) break;
        size_t c = spray_at(s, a, b);
        if (!(sign * (s->cells.height[c] - s->cells.height[best]) > 0.0f)) break;
        best = c;
    }
    return best;
}

static float distance(const TarnSpray* s, size_t a, size_t b) // of cells [m]
{
    int di = (int)(a % (size_t)s->def.nx) - (int)(b % (size_t)s->def.nx);
    int dk = (int)(a / (size_t)s->def.nx) - (int)(b / (size_t)s->def.nx);
    return s->def.dx * sqrtf((float)(di * di + dk * dk));
}

// Power that a bore loses per length of its front [W/m], and what it takes in [m^2/s].
static float bore_power(float g, float h1, float h2, float* discharge)
{
    float jump = h2 - h1;
    *discharge = h1 * sqrtf(g * h2 * (h1 + h2) / (2.0f * h1));
    return spray_density * g * *discharge * (jump * jump * jump / (4.0f * h1 * h2));
}

static bool find_front(const TarnSpray* s, int i, int k, SpraySource* out)
{
    size_t c = spray_at(s, i, k);
    const TarnSprayParams* p = &s->params;
    if (!(s->cells.depth[c] > 0.0f)) return false;
    TarnVec2 g = slope_at(s, i, k);
    float steep = sqrtf(square(g));
    if (!(steep > p->steepness)) return false;
    // The steepest cell across the front, in its row or column.
    float ux = g.x / steep, uz = g.y / steep;
    bool is_x = fabsf(ux) >= fabsf(uz);
    float before = square(is_x ? slope_at(s, i - 1, k) : slope_at(s, i, k - 1));
    float behind = square(is_x ? slope_at(s, i + 1, k) : slope_at(s, i, k + 1));
    if (before >= steep * steep || behind > steep * steep) return false;
    size_t top = walk(s, i, k, ux, uz, 1.0f), foot = walk(s, i, k, -ux, -uz, -1.0f);
    float jump = s->cells.height[top] - s->cells.height[foot];
    if (!(jump > 0.0f) || !(s->cells.depth[top] > 0.0f)) return false;
    // Ground that stands above the water ahead is an edge that water falls over, and no bore.
    if (s->cells.height[top] - s->cells.depth[top] > s->cells.height[foot]) return false;
    // A dry foot is a film; in deep water only what is near the surface breaks.
    float h1 = tarn_clampf(s->cells.depth[foot], 0.1f * jump, 8.0f * jump);
    float q, power = bore_power(s->def.gravity, h1, h1 + jump, &q);
    float length = s->def.dx / (is_x ? fabsf(ux) : fabsf(uz)), fast = q / h1;
    TarnVec3 u = s->cells.velocity[foot], v = s->cells.velocity[top];
    // The water in between is squeezed, and rises; behind a wave it is stretched. Taken over the whole front, since one
    // that is narrower than a cell passes between the places that were asked for.
    float squeeze = (u.x - v.x) * ux + (u.z - v.z) * uz;
    if (!((h1 + 0.5f * jump) * squeeze > p->rising * distance(s, top, foot))) return false;
    float ahead = fast - (u.x * ux + u.z * uz); // speed of the front over ground, downhill
    float across = v.x * uz - v.z * ux;         // of the water along the front
    float up = 0.8f * sqrtf(2.0f * s->def.gravity * jump);
    TarnVec2 o = tarn_spray_origin(s);
    int ti = (int)(top % (size_t)s->def.nx), tk = (int)(top / (size_t)s->def.nx);
    *out =
        (SpraySource){ .at = { o.x + ((float)ti + 0.5f) * s->def.dx, s->cells.height[top],
                               o.y + ((float)tk + 0.5f) * s->def.dx },
                       .along = { 0.5f * length * -uz, 0.0f, 0.5f * length * ux },
                       .velocity = { -ux * ahead + uz * across, up, -uz * ahead - ux * across },
                       .rate = p->crests * power * length / (spray_density * s->def.gravity * jump),
                       .power = power * length,
                       .most = 0.1f * s->cells.depth[top] * s->def.dx * s->def.dx,
                       .foam = p->foam * length * fast * tarn_minf(2.5f * jump / h1, 1.0f) };
    return true;
}

// Water that runs against ground that stands out of it.
static bool find_shore(const TarnSpray* s, int i, int k, SpraySource* out)
{
    size_t c = spray_at(s, i, k);
    const TarnSprayParams* p = &s->params;
    TarnVec3 v = s->cells.velocity[c];
    float h = s->cells.depth[c], limit = p->wall_speed, dx = s->def.dx;
    if (!(h > 0.02f) || v.x * v.x + v.z * v.z < limit * limit || p->walls == 0.0f) return false;
    int di = v.x > limit ? 1 : v.x < -limit ? -1 : 0, dk = v.z > limit ? 1 : v.z < -limit ? -1 : 0;
    float hit = 0.0f;
    TarnVec3 at = { 0.0f, 0.0f, 0.0f };
    for (int a = 0; a < 2; ++a) {
        int n = a ? dk : di, ai = a ? i : i + n, ak = a ? k + n : k;
        if (n == 0 || ai < 0 || ak < 0 || ai >= s->def.nx || ak >= s->def.nz) continue;
        size_t next = spray_at(s, ai, ak);
        // The slope of a beach lets water run up; a wall does not.
        bool is_wall = !(s->cells.depth[next] > 0.02f) &&
                       s->cells.height[next] - s->cells.height[c] > 0.5f * dx;
        float speed = fabsf(a ? v.z : v.x);
        if (is_wall && speed > hit) hit = speed, *(a ? &at.z : &at.x) = (float)n;
    }
    if (!(hit > limit)) return false;
    TarnVec2 o = tarn_spray_origin(s);
    float thick = tarn_minf(h, hit * hit / s->def.gravity), wide = at.x != 0.0f ? 0.0f : 0.5f * dx;
    *out = (SpraySource){ .at = { o.x + ((float)i + 0.5f + 0.4f * at.x) * dx, s->cells.height[c],
                                  o.y + ((float)k + 0.5f + 0.4f * at.z) * dx },
                          .along = { wide, 0.0f, 0.5f * dx - wide },
                          .velocity = { 0.4f * v.x - 0.55f * at.x * hit, 0.75f * hit,
                                        0.4f * v.z - 0.55f * at.z * hit },
                          .rate = p->walls * hit * thick * dx,
                          .power = 0.5f * spray_density * hit * hit * hit * thick * dx,
                          .most = 0.1f * h * dx * dx,
                          .foam = p->foam * dx * hit * 0.7f };
    return true;
}

static void source_row(int k, void* data)
{
    TarnSpray* s = data;
    SpraySource* out = s->sources + 2 * spray_at(s, 0, k);
    int n = 0;
    for (int i = 0; i < s->def.nx; ++i) {
        if (find_front(s, i, k, &out[n])) ++n;
        if (find_shore(s, i, k, &out[n])) ++n;
    }
    s->n_sources[k] = n;
}

void tarn__spray_crests(TarnSpray* s)
{
    if (s->around->water.query == NULL) return;
    tarn__parallel_for(s->ctx, s->def.nz, source_row, s);
    for (int k = 0; k < s->def.nz; ++k) {
        for (int n = 0; n < s->n_sources[k]; ++n)
            tarn__spray_source(s, &s->sources[2 * spray_at(s, 0, k) + (size_t)n]);
    }
}

// ---- What others threw ---------------------------------------------------------------------------

// Over an edge: drops fill the box that the water flew through, and see no ground until they are clear of the edge.
static void catch_fall(TarnSpray* s, const TarnThrow* t)
{
    double grains = tarn__spray_whole(s, t->volume);
    double wanted = t->volume / (double)spray_volume(s->params.radius) + 0.5;
    s->sums.caught += grains;
    s->rest += grains;
    int room = s->drops.capacity - s->drops.n, n = wanted < 64.0 ? (int)wanted : 64;
    n = n < 1 ? 1 : n;
    n = n < room ? n : room;
    float each = n > 0 ? part_of(grains, n) : 0.0f;
    if (!(each > 0.0f)) return; // a trickle waits in rest
    float speed = vec3_length(t->velocity), side = tarn_maxf(t->half.x, t->half.z);
    float size = s->params.radius * tarn_clampf(share_of(s, each), 0.3f, 4.0f);
    for (int i = 0; i < n; ++i) {
        float r[3];
        spray_randoms(s, 3, r);
        TarnVec3 at = { t->position.x + t->half.x * (2.0f * r[0] - 1.0f),
                        t->position.y + t->half.y * (2.0f * r[1] - 1.0f),
                        t->position.z + t->half.z * (2.0f * r[2] - 1.0f) };
        float j = 1.0f + 0.15f * s->params.jitter * spray_random_sign(s);
        SprayDrop d = { .at = at,
                        .velocity = vec3_scale(t->velocity, j),
                        .grains = each,
                        .radius = size,
                        .life = 1e6f,
                        .drag = 0.05f,
                        .age = -tarn_minf(1.1f * side / tarn_maxf(speed, 0.1f), 0.5f),
                        .kind = TARN_SPRAY_FALL };
        if (!tarn__spray_add(s, &d)) return;
        s->rest -= (double)each;
        tarn__spray_fine(s, at, d.velocity, size, 0.1f * s->params.fine);
    }
}

// Water that the thrower kept: its power lifts some of what is below.
static void catch_power(TarnSpray* s, const TarnThrow* t)
{
    float speed = vec3_length(t->velocity),
          lift = tarn_maxf(0.5f * speed * speed, 0.5f * s->def.gravity * s->params.radius);
    SpraySource src = { .at = t->position,
                        .along = t->half,
                        .velocity = t->velocity,
                        .rate = s->params.crests * t->power / (spray_density * lift),
                        .power = t->power,
                        .most = 0.25f * s->def.dx * s->def.dx * s->def.dx };
    src.foam = s->params.foam * 4.0f * src.rate / s->params.radius;
    tarn__spray_source(s, &src);
}

void tarn__spray_catch(TarnSpray* s)
{
    for (int i = 0; i < s->n_throws; ++i) {
        const TarnThrow* t = &s->throws[i];
        if (t->volume > 0.0)
            catch_fall(s, t);
        else
            catch_power(s, t);
    }
    s->n_throws = 0;
}

// ---- Rain ----------------------------------------------------------------------------------------

// What heavy rain leaves over the water.
static void haze(TarnSpray* s, TarnVec3 at, float size)
{
    float r[3];
    spray_randoms(s, 3, r);
    SprayDrop d = { .at = { at.x, at.y + 0.1f, at.z },
                    .velocity = { 0.0f, 0.2f * r[0], 0.0f },
                    .radius = size * (12.0f + 10.0f * r[1]),
                    .life = 3.0f + 3.0f * r[2],
                    .drag = 8.0f * s->params.drag,
                    .kind = TARN_SPRAY_MIST };
    tarn__spray_add(s, &d);
}

// A crown of fine drops, no two alike, and a little mist. Large drops dent the water: one in four makes a ring that is wide enough for its
// cells, and so rings can be told apart in heavy rain.
void tarn__spray_crown(TarnSpray* s, TarnVec2 place)
{
    float height = 0.0f, depth = 0.0f;
    TarnSurfaceSamples out = { .height = &height, .depth = &depth };
    if (spray_is_outside(s, place.x, place.y)) return;
    tarn__spray_ask(s, 1, &place.x, &place.y, &out);
    float size = 0.3f * s->params.radius, start = 6.2831853f * spray_random(s);
    for (int n = 0; n < 9; ++n) {
        float sine, cosine, r[4];
        spray_randoms(s, 4, r);
        tarn_sincos(start + 0.6981317f * ((float)n + 0.8f * r[0]), &sine, &cosine);
        float wide = size * (0.5f + 0.5f * r[1]), fast = 0.4f + 0.6f * r[1];
        float lean = 0.5f * (1.0f - 0.6f * r[2]); // some almost straight up
        SprayDrop d = { .at = { place.x + wide * cosine, height + 0.01f, place.y + wide * sine },
                        .velocity = { lean * fast * cosine, 1.2f * fast, lean * fast * sine },
                        .radius = size * (0.08f + 0.18f * r[3] * r[3]),
                        .life = 0.5f,
                        .drag = 0.3f * s->params.drag,
                        .kind = TARN_SPRAY_FINE };
        if (!tarn__spray_add(s, &d)) return;
    }
    if (spray_random(s) < 0.25f * s->params.mist)
        haze(s, (TarnVec3){ place.x, height, place.y }, size);
    if (depth > 0.0f && s->around->water.push && spray_random(s) < 0.25f) {
        float r = s->params.radius;
        TarnSurfacePush push = { .center = place,
                                 .from = place,
                                 .radius = 2.0f * r,
                                 .from_radius = 4.0f * r,
                                 .volume = -10.0f * r * r * r,
                                 .dt = s->dt };
        tarn_surface_push(s->around->water, &push, NULL);
    }
}

// From a height at which it is seen, and at the speed that the air lets it have.
static void rain_drop(TarnSpray* s, float x, float z)
{
    const float high = 6.0f, fall = 8.0f;
    SprayDrop d = { .at = { x - s->params.wind.x * high / fall,
                            s->highest + high * (0.8f + 0.2f * spray_random(s)),
                            z - s->params.wind.z * high / fall },
                    .velocity = { s->params.wind.x, -fall, s->params.wind.z },
                    .radius = 0.12f * s->params.radius,
                    .life = 2.0f,
                    .kind = TARN_SPRAY_RAIN };
    d.drag = s->def.gravity / fall; // as fast as it will ever be
    tarn__spray_add(s, &d);
}

void tarn__spray_shower(TarnSpray* s)
{
    TarnVec2 o = tarn_spray_origin(s);
    float wx = (float)s->def.nx * s->def.dx, wz = (float)s->def.nz * s->def.dx;
    s->rain_owed += (double)s->params.rain * (double)wx * (double)wz * (double)s->dt;
    int n = s->rain_owed < SPRAY_MAX_RAIN ? (int)s->rain_owed : SPRAY_MAX_RAIN;
    s->rain_owed -= floor(s->rain_owed);
    for (int i = 0; i < n; ++i) {
        float u = spray_random(s), v = spray_random(s);
        rain_drop(s, o.x + u * wx, o.y + v * wz);
    }
    for (int i = 0; i < s->n_rain; ++i) tarn__spray_crown(s, s->rain[i]);
    s->n_rain = 0;
}
