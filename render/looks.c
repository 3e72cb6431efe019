// Particles with looks: their current appearance, the light they block and receive. Drawn with the other
// sprites (sprites.c).

#include "renderer.h"

static const float pi = 3.14159265f;

int tarn__look_of(const TarnFrameParticles* p, int i)
{
    int kind = p->view.kind ? p->view.kind[i] : 0;
    return p->looks && kind < p->n_looks ? kind : -1;
}

static float between(const float* v, float t) // birth, middle, end
{
    return t < 0.5f ? lerpf(v[0], v[1], 2.0f * t) : lerpf(v[1], v[2], 2.0f * t - 1.0f);
}

static float sane(const float* values, int i, float otherwise)
{
    return values && isfinite(values[i]) ? values[i] : otherwise;
}

// One that lives forever stays in the middle of its life.
LookNow tarn__look_now(const TarnFrameParticles* p, int i, float radius)
{
    const TarnParticlesView* v = &p->view;
    const TarnParticleLook* look = &p->looks[tarn__look_of(p, i)];
    float life = sane(v->lifetime, i, 0.0f), age = sane(v->age, i, 0.0f);
    float t = life > 0.0f ? clampf(age / life, 0.0f, 1.0f) : 0.5f;
    const TarnVec3* c = look->color;
    const float red[3] = { c[0].x, c[1].x, c[2].x }, green[3] = { c[0].y, c[1].y, c[2].y };
    const float blue[3] = { c[0].z, c[1].z, c[2].z };
    float r = sane(v->radius, i, 0.0f);
    return (LookNow){ .place = vec3(v->x[i], v->y[i], v->z[i]),
                      .color = vec3(between(red, t), between(green, t), between(blue, t)),
                      .radius = (r > 0.0f ? r : radius) * between(look->size, t),
                      .opacity = clampf(between(look->opacity, t), 0.0f, 1.0f),
                      .is_additive = look->is_additive };
}

TarnResult tarn__check_looks(TarnContext* ctx, const TarnFrameParticles* p)
{
    if (!p->looks) return TARN_OK;
    if (p->n_looks < 0 || p->n_looks > MAX_LOOKS)
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.particles.n_looks is %d; allowed: 0 to %d",
                          p->n_looks, MAX_LOOKS);
    for (int i = 0; i < p->n_looks; ++i) {
        const TarnParticleLook* l = &p->looks[i];
        bool is_ok =
            l->stretch >= 0.0f && l->stretch < 1e6f && l->softness >= 0.0f && l->softness < 1e9f;
        for (int k = 0; k < 3; ++k)
            is_ok = is_ok && vec3_is_finite(l->color[k]) && vec3_length(l->color[k]) < 1e6f &&
                    l->opacity[k] >= 0.0f && l->opacity[k] <= 1.0f && l->size[k] >= 0.0f &&
                    l->size[k] < 1e6f;
        if (!is_ok)
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "frame.particles.looks[%d]: colors below 1e6, opacities 0 to 1, sizes "
                "and stretch 0 to 1e6, softness 0 or more are allowed",
                i);
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
        if (tarn__look_of(p, i) < 0 || !is_near(&r->liquid.stage, at)) continue;
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
        if (tarn__look_of(p, i) < 0) continue;
        LookNow now = tarn__look_now(p, i, radius);
        if (!is_near(&r->liquid.stage, now.place)) continue;
        float area = pi * now.radius * now.radius * now.opacity;
        if (!now.is_additive) {
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
               .radius = (float)sqrt(spread) + radius };
    tarn__gas_light_fire(l, &f);
    r->gas.has_glow = true;
}

// ---- Texels ----------------------------------------------------------------------------------------

// Laid out as glsl_look_vertex reads them. Returns how many pixels it covers, roughly.
float tarn__put_look(const TarnRenderer* r, float* to, const TarnFrameParticles* p, int i,
                     float random)
{
    const TarnParticlesView* v = &p->view;
    const TarnParticleLook* look = &p->looks[tarn__look_of(p, i)];
    LookNow now = tarn__look_now(p, i, 0.004f * r->liquid.stage.side);
    float light[4] = { 1.0f, 1.0f, 1.0f, 0.0f }, radius = fmaxf(now.radius, 1e-6f);
    if (r->gas.is_seen && !now.is_additive) {
        tarn__gas_light_at(&r->gas.light, now.place, light);
        // As in the march: light that is scattered often fades slower.
        float once = sqrtf(light[0]);
        light[0] = 0.45f * light[0] + 0.35f * once + 0.20f * sqrtf(once);
        light[1] = 0.15f + 0.35f * light[1] + 0.50f * sqrtf(light[1]);
    }
    TarnVec3 way = vec3(sane(v->vx, i, 0.0f), sane(v->vy, i, 0.0f), sane(v->vz, i, 0.0f));
    way = vec3_scale(way, look->stretch);
    to[0] = now.place.x, to[1] = now.place.y, to[2] = now.place.z, to[3] = radius;
    to[4] = way.x, to[5] = way.y, to[6] = way.z;
    to[7] = look->softness;
    to[8] = now.color.x, to[9] = now.color.y, to[10] = now.color.z, to[11] = now.opacity;
    to[12] = fminf(random, 0.999f) + (now.is_additive ? 2.0f : 0.0f);
    to[13] = light[0], to[14] = light[1], to[15] = light[3];
    const FrameBlock* f = &r->frame;
    TarnVec3 d = vec3_sub(now.place, vec3(f->eye[0], f->eye[1], f->eye[2]));
    float z = vec3_dot(d, vec3(f->coast[0], f->coast[1], f->coast[2]));
    if (!(z > 0.0f) || now.opacity <= 0.0f) return 0.0f;
    float pixels = fminf(radius * f->coast[3] / z, 300.0f);
    return pi * pixels * pixels * (1.0f + fminf(0.5f * vec3_length(way) / radius, 30.0f));
}
