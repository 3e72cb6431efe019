// How particles look: their current appearance, the light they block and receive, the texels that the shaders
// read. Particles without a look of their own get one of those below. Drawn by sprites.c.

#include "renderer.h"

static const float pi = 3.14159265f;

// ---- Looks that nobody has chosen --------------------------------------------------------------------

// Radii vary by the thousand between scenes: softness is a share of the radius, see tarn__put_look.
static const TarnParticleLook spray = {
    .color = { { 0.86f, 0.93f, 1.0f }, { 0.86f, 0.93f, 1.0f }, { 0.86f, 0.93f, 1.0f } },
    .opacity = { 0.85f, 0.64f, 0.0f },
    .size = { 1.0f, 1.0f, 1.0f },
    .stretch = 0.024f,
    .texture = { TARN_TEXTURE_DROP, TARN_TEXTURE_DROP, TARN_TEXTURE_PUFF },
};
static const TarnParticleLook flame = {
    .color = { { 1.5f, 1.5f, 1.5f }, { 2.0f, 2.0f, 2.0f }, { 0.8f, 0.8f, 0.8f } },
    .temperature = { 2000.0f, 1700.0f, 1400.0f },
    .opacity = { 0.8f, 0.9f, 0.0f },
    .size = { 0.9f, 1.5f, 0.9f },
    .stretch = 0.02f,
    .is_additive = true,
    .hides = 0.9f,
    .texture = { TARN_TEXTURE_FLAME, TARN_TEXTURE_TONGUE, TARN_TEXTURE_TONGUE },
};
static const TarnParticleLook smoke = {
    .color = { { 0.30f, 0.29f, 0.28f }, { 0.30f, 0.29f, 0.28f }, { 0.30f, 0.29f, 0.28f } },
    .opacity = { 0.40f, 0.20f, 0.0f },
    .size = { 0.8f, 1.7f, 2.6f },
    .texture = { TARN_TEXTURE_SMOKE, TARN_TEXTURE_CURL, TARN_TEXTURE_WISP },
    .turn = 0.6f,
};
// Large, for the core of its picture is a third of it: what is so bright must fade, or it has a hard rim.
static const TarnParticleLook spark = {
    .color = { { 2.0f, 2.0f, 2.0f }, { 2.0f, 2.0f, 2.0f }, { 2.0f, 2.0f, 2.0f } },
    .temperature = { 2500.0f, 1950.0f, 1200.0f },
    .opacity = { 1.0f, 1.0f, 0.0f },
    .size = { 2.0f, 1.6f, 1.0f },
    .stretch = 0.05f,
    .is_additive = true,
    .hides = 0.3f,
    .texture = { TARN_TEXTURE_SPARK, TARN_TEXTURE_SPARK, TARN_TEXTURE_SPARK },
};

// Kinds beyond those with names: sparks, each kind of another color.
static TarnParticleLook colored_spark(int kind)
{
    TarnParticleLook look = spark;
    float hue = (float)kind * 0.381966f, c[3];
    for (int i = 0; i < 3; ++i) {
        float h = hue + (float)(i == 0 ? 0 : 3 - i) / 3.0f;
        float v = clampf(fabsf((h - floorf(h)) * 6.0f - 3.0f) - 1.0f, 0.0f, 1.0f);
        c[i] = 5.0f * (v * v + 0.10f);
    }
    for (int i = 0; i < 3; ++i) {
        float fade = i == 0 ? 1.0f : i == 1 ? 0.4f : 0.1f;
        look.color[i] = vec3(c[0] * fade, c[1] * fade, c[2] * fade);
        look.temperature[i] = 0.0f;
    }
    return look;
}

bool tarn__has_look(const TarnFrameParticles* p, int i)
{
    int kind = p->view.kind ? p->view.kind[i] : 0;
    return p->looks && kind < p->n_looks;
}

// The longest streak of a look that nobody has chosen, in radii: fast spray stays drops.
static float longest_of(const TarnParticleLook* look)
{
    return look->is_additive ? 26.0f : 8.0f;
}

// Of particle i; `side` is that of the stage [m]: small fires are sparks.
static TarnParticleLook look_of(const TarnFrameParticles* p, int i, float radius, float side)
{
    int kind = p->view.kind ? p->view.kind[i] : 0;
    if (tarn__has_look(p, i)) return p->looks[kind];
    TarnParticleLook look = kind == TARN_FRAME_SPRAY   ? spray
                            : kind == TARN_FRAME_SMOKE ? smoke
                            : kind != TARN_FRAME_FIRE  ? colored_spark(kind)
                            : radius < 0.006f * side   ? spark
                                                       : flame;
    look.softness = radius;
    return look;
}

// ---- One particle ------------------------------------------------------------------------------------

static float between(const float* v, float t) // birth, middle, end
{
    return t < 0.5f ? lerpf(v[0], v[1], 2.0f * t) : lerpf(v[1], v[2], 2.0f * t - 1.0f);
}

static float sane(const float* values, int i, float otherwise)
{
    return values && isfinite(values[i]) ? values[i] : otherwise;
}

// The two pictures that it is between, and by how much the second is seen.
static void textures_now(const TarnParticleLook* look, float t, LookNow* now)
{
    int of[3] = { (int)look->texture[0], (int)look->texture[1], (int)look->texture[2] };
    if (!of[0]) of[0] = look->stretch > 0.0f ? TARN_TEXTURE_STREAK : TARN_TEXTURE_PUFF;
    for (int k = 1; k < 3; ++k)
        if (!of[k]) of[k] = of[k - 1];
    int half = t < 0.5f ? 0 : 1;
    now->texture[0] = of[half], now->texture[1] = of[half + 1];
    now->mix = 2.0f * t - (float)half;
}

static bool has_heat(const TarnParticleLook* look)
{
    return look->temperature[0] + look->temperature[1] + look->temperature[2] > 0.0f;
}

// One that lives forever stays in the middle of its life.
LookNow tarn__look_now(const TarnFrameParticles* p, int i, float side, const TarnVec3* heat)
{
    const TarnParticlesView* v = &p->view;
    float r = sane(v->radius, i, 0.0f), radius = r > 0.0f ? r : 0.004f * side;
    LookNow now = { .place = vec3(v->x[i], v->y[i], v->z[i]), .look = look_of(p, i, radius, side) };
    const TarnParticleLook* look = &now.look;
    float life = sane(v->lifetime, i, 0.0f), age = sane(v->age, i, 0.0f);
    float t = life > 0.0f ? clampf(age / life, 0.0f, 1.0f) : 0.5f;
    const TarnVec3* c = look->color;
    const float red[3] = { c[0].x, c[1].x, c[2].x }, green[3] = { c[0].y, c[1].y, c[2].y };
    const float blue[3] = { c[0].z, c[1].z, c[2].z };
    now.color = vec3(between(red, t), between(green, t), between(blue, t));
    now.is_hot = has_heat(look);
    if (now.is_hot) {
        TarnVec3 glow = tarn__heat_color(heat, between(look->temperature, t));
        now.color = vec3(now.color.x * glow.x, now.color.y * glow.y, now.color.z * glow.z);
    }
    now.radius = radius * between(look->size, t);
    now.opacity = clampf(between(look->opacity, t), 0.0f, 1.0f);
    now.age = isfinite(age) ? age : 0.0f;
    textures_now(look, t, &now);
    return now;
}

TarnResult tarn__check_looks(TarnContext* ctx, const TarnFrameParticles* p)
{
    if (!p->looks) return TARN_OK;
    if (p->n_looks < 0 || p->n_looks > MAX_LOOKS)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.particles.n_looks is %d; allowed: 0 to %d",
                          p->n_looks, MAX_LOOKS);
    for (int i = 0; i < p->n_looks; ++i) {
        const TarnParticleLook* l = &p->looks[i];
        bool is_ok = l->hides >= 0.0f && l->hides <= 1.0f && fabsf(l->turn) < 1e4f &&
                     l->stretch >= 0.0f && l->stretch < 1e6f && l->softness >= 0.0f &&
                     l->softness < 1e9f;
        for (int k = 0; k < 3; ++k)
            is_ok = is_ok && (int)l->texture[k] >= 0 && l->texture[k] < TARN_TEXTURES &&
                    l->temperature[k] >= 0.0f && l->temperature[k] <= TARN_HOTTEST &&
                    vec3_is_finite(l->color[k]) && vec3_length(l->color[k]) < 1e6f &&
                    l->opacity[k] >= 0.0f && l->opacity[k] <= 1.0f && l->size[k] >= 0.0f &&
                    l->size[k] < 1e6f;
        if (!is_ok)
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "frame.particles.looks[%d]: colors below 1e6, opacities 0 to 1, sizes "
                "and stretch 0 to 1e6, softness 0 or more, textures 0 to %d, temperatures 0 to %g "
                "K, "
                "hides 0 to 1, turn below 1e4 radians/s are allowed",
                i, TARN_TEXTURES - 1, (double)TARN_HOTTEST);
    }
    return TARN_OK;
}

// ---- Light -----------------------------------------------------------------------------------------

// Particles far away from the stage do not affect the resolution of its light.
static bool is_near(const Stage* s, TarnVec3 p)
{
    TarnVec3 middle = vec3_scale(vec3_add(s->lo, s->hi), 0.5f), d = vec3_sub(p, middle);
    return fmaxf(fmaxf(fabsf(d.x), fabsf(d.y)), fabsf(d.z)) < 1.5f * s->side; // NaN: no
}

void tarn__looks_bounds(const TarnRenderer* r, const TarnFrameParticles* p, GasBounds* b)
{
    const TarnParticlesView* v = &p->view;
    for (int i = 0; i < v->n; ++i) {
        TarnVec3 at = vec3(v->x[i], v->y[i], v->z[i]);
        if (!tarn__has_look(p, i) || !is_near(&r->liquid.stage, at)) continue;
        float more = 0.01f * r->liquid.stage.side;
        b->lo = vec3(fminf(b->lo.x, at.x - more), fminf(b->lo.y, at.y - more),
                     fminf(b->lo.z, at.z - more));
        b->hi = vec3(fmaxf(b->hi.x, at.x + more), fmaxf(b->hi.y, at.y + more),
                     fmaxf(b->hi.z, at.z + more));
        b->finest = fminf(b->finest, 2.0f * more);
    }
}

void tarn__looks_light(TarnRenderer* r, const TarnFrameParticles* p)
{
    GasLight* l = &r->gas.light;
    float radius = 0.004f * r->liquid.stage.side;
    double sum[3] = { 0 }, place[3] = { 0 }, color[3] = { 0 }, total = 0.0;
    for (int i = 0; i < p->view.n; ++i) {
        if (!tarn__has_look(p, i)) continue;
        LookNow now = tarn__look_now(p, i, r->liquid.stage.side, r->gas.heat);
        if (!is_near(&r->liquid.stage, now.place)) continue;
        float area = pi * now.radius * now.radius * now.opacity;
        if (!now.look.is_additive) {
            tarn__gas_light_splat(l, now.place, 0.4f * area, vec3(0, 0, 0));
            continue;
        }
        TarnVec3 glow = vec3_scale(now.color, 0.33f * area);
        double w = (double)(glow.x + glow.y + glow.z),
               at[3] = { now.place.x, now.place.y, now.place.z };
        tarn__gas_light_splat(l, now.place, 0.0f, glow);
        color[0] += glow.x, color[1] += glow.y, color[2] += glow.z;
        total += w;
        for (int a = 0; a < 3; ++a) place[a] += w * at[a], sum[a] += w * at[a] * at[a];
    }
    if (!(total > 0.0)) return;
    double spread = 0.0;
    for (int a = 0; a < 3; ++a) {
        place[a] /= total;
        spread += fmax(sum[a] / total - place[a] * place[a], 0.0);
    }
    Fire f = { .place = vec3((float)place[0], (float)place[1], (float)place[2]),
               .color = vec3((float)color[0], (float)color[1], (float)color[2]),
               .radius = (float)sqrt(spread) + radius,
               .is_in_mirrors = true };
    tarn__gas_light_fire(l, &f);
    r->gas.has_glow = true;
}

// ---- Texels ----------------------------------------------------------------------------------------

// What is not a number of its own, in 23 bits of one: glsl_look_vertex takes it apart.
static float packed(const LookNow* now, bool is_along, float random)
{
    int bits = now->texture[0] | now->texture[1] << 4;
    bits |= (int)(clampf(now->mix, 0.0f, 1.0f) * 63.0f + 0.5f) << 8;
    bits |= (int)(now->look.hides * 31.0f + 0.5f) << 14;
    bits |= (now->look.is_additive ? 1 : 0) << 19;
    bits |= (is_along ? 1 : 0) << 20;
    bits |= (random * 16.0f - floorf(random * 16.0f) < 0.5f ? 1 : 0) << 21; // mirrored
    bits |= (now->is_hot ? 1 : 0) << 22;
    return (float)bits;
}

static bool has_direction(int texture)
{
    return texture == TARN_TEXTURE_TONGUE || texture == TARN_TEXTURE_STREAK;
}

// Laid out as glsl_look_vertex reads them. Returns how many pixels it covers, roughly.
float tarn__put_look(const TarnRenderer* r, float* to, const TarnFrameParticles* p, int i,
                     float random)
{
    const TarnParticlesView* v = &p->view;
    LookNow now = tarn__look_now(p, i, r->liquid.stage.side, r->gas.heat);
    const TarnParticleLook* look = &now.look;
    float light[4] = { 1.0f, 1.0f, 1.0f, 0.0f }, radius = fmaxf(now.radius, 1e-6f);
    if (r->gas.is_seen && !r->gas.light.is_empty && !look->is_additive) {
        tarn__gas_light_at(&r->gas.light, now.place, light);
        // As in the march: light that is scattered often fades slower.
        float once = sqrtf(light[0]);
        light[0] = 0.45f * light[0] + 0.35f * once + 0.20f * sqrtf(once);
        light[1] = 0.15f + 0.35f * light[1] + 0.50f * sqrtf(light[1]);
    }
    TarnVec3 speed = vec3(sane(v->vx, i, 0.0f), sane(v->vy, i, 0.0f), sane(v->vz, i, 0.0f));
    TarnVec3 way = vec3_scale(speed, look->stretch);
    if (!tarn__has_look(p, i) && vec3_length(way) > longest_of(look) * radius)
        way = vec3_scale(vec3_unit(way), longest_of(look) * radius);
    bool is_along = vec3_length(way) > 0.05f * radius;
    if (!is_along && (has_direction(now.texture[0]) || has_direction(now.texture[1]))) {
        is_along = vec3_length(speed) > 1e-6f;
        way = vec3_scale(vec3_unit(speed), 1e-3f * radius);
    }
    float turn = 2.0f * pi * random + look->turn * now.age * (2.0f * random - 1.0f);
    if (!is_along) way = vec3(fmodf(turn, 2.0f * pi), 0, 0);
    to[0] = now.place.x, to[1] = now.place.y, to[2] = now.place.z, to[3] = radius;
    to[4] = way.x, to[5] = way.y, to[6] = way.z;
    to[7] = look->softness;
    to[8] = now.color.x, to[9] = now.color.y, to[10] = now.color.z, to[11] = now.opacity;
    to[12] = packed(&now, is_along, random);
    to[13] = light[0], to[14] = light[1], to[15] = light[3];
    const FrameBlock* f = &r->frame;
    TarnVec3 d = vec3_sub(now.place, vec3(f->eye[0], f->eye[1], f->eye[2]));
    float z = vec3_dot(d, vec3(f->coast[0], f->coast[1], f->coast[2]));
    if (!(z > 0.0f) || now.opacity <= 0.0f) return 0.0f;
    float pixels = fminf(radius * f->coast[3] / z, 300.0f);
    float length = is_along ? vec3_length(way) : 0.0f;
    return pi * pixels * pixels * (1.0f + fminf(0.5f * length / radius, 30.0f));
}
