// Particle systems as sprites: gathered from all systems, sorted with the farthest first, uploaded. One blend serves
// all: colors are multiplied by their alpha already, and what glows has little or none, so that sparks in smoke are
// where they are. How each one looks: looks.c. Where they cover much, they are drawn at half the size.

#include "renderer.h"
#include <string.h>

static TarnResult reserve(TarnContext* ctx, Sprites* s, int n)
{
    if (n <= s->capacity) return TARN_OK;
    int capacity = maxi(maxi(n, 2 * s->capacity), 1024);
    capacity = (capacity + POINTS_PER_ROW - 1) / POINTS_PER_ROW * POINTS_PER_ROW;
    size_t c = (size_t)capacity, texels = c * POINT_TEXELS * 4 * sizeof(float);
    size_t bytes = texels + 3 * c * sizeof(uint32_t);
    char* block = tarn__alloc(ctx, bytes);
    if (!block) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for %d sprites", n);
    tarn__free(ctx, s->texels, s->bytes);
    s->bytes = bytes;
    s->capacity = capacity;
    s->texels = (float*)(void*)block;
    s->keys = (uint32_t*)(void*)(block + texels);
    s->order = s->keys + capacity;
    s->spare = s->order + capacity;
    return TARN_OK;
}

// Larger is nearer. Flat: what covers lies behind what glows, and that behind drops.
static uint32_t key_of(const TarnRenderer* r, TarnVec3 p, const TarnParticleLook* look)
{
    if (r->liquid.stage.is_flat)
        return look->is_additive ? 1u : look->texture[0] == TARN_TEXTURE_DROP ? 2u : 0u;
    const FrameBlock* f = &r->frame;
    TarnVec3 to = vec3_sub(p, vec3(f->eye[0], f->eye[1], f->eye[2]));
    float z = fmaxf(vec3_dot(to, vec3(f->coast[0], f->coast[1], f->coast[2])), 0.0f);
    uint32_t bits;
    memcpy(&bits, &z, sizeof bits); // of a number that is not negative: they sort like it
    return ~bits;
}

// By bytes, from the lowest to the highest; equal keys keep their order. The result is in `order`.
static void sort_keys(Sprites* s)
{
    for (int i = 0; i < s->n; ++i) s->order[i] = (uint32_t)i;
    for (int shift = 0; shift < 32; shift += 8) {
        int begin[257] = { 0 };
        for (int i = 0; i < s->n; ++i) ++begin[((s->keys[i] >> shift) & 255) + 1];
        for (int b = 0; b < 256; ++b) begin[b + 1] += begin[b];
        for (int i = 0; i < s->n; ++i) {
            uint32_t o = s->order[i];
            s->spare[begin[(s->keys[o] >> shift) & 255]++] = o;
        }
        uint32_t* swap = s->order;
        s->order = s->spare;
        s->spare = swap;
    }
}

static float random_of(uint32_t h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return (float)((h ^ (h >> 16)) >> 8) * 0x1p-24f;
}

static bool is_drawable(const TarnParticlesView* v, int i)
{
    float limit = 1e6f;
    return fabsf(v->x[i]) < limit && fabsf(v->y[i]) < limit && fabsf(v->z[i]) < limit;
}

static float sane(const float* values, int i, float otherwise)
{
    return values && isfinite(values[i]) ? values[i] : otherwise;
}

// Share of its size that a splash has at this age [s]: it grows in over a tenth of a second instead of popping up.
float tarn__splash_growth(float age)
{
    const float first = 0.15f; // of a drop's radius: below a pixel in most pictures
    return lerpf(first, 1.0f, smoothf(0.0f, 0.1f, age));
}

// Of a 3-D liquid: a small bright drop, as the drops of glsl_drop_vertex.
static void put_splash(float* to, const TarnFrameLiquid* liquid, int i)
{
    const TarnParticlesView* v = &liquid->splashes;
    float r = sane(v->radius, i, 0.0f);
    TarnVec3 c = liquid->color[0];
    to[0] = v->x[i], to[1] = v->y[i], to[2] = v->z[i];
    to[3] = r > 0.0f ? r : 0.30f * liquid->spacing;
    if (v->age) to[3] *= tarn__splash_growth(sane(v->age, i, 0.0f));
    to[4] = sane(v->vx, i, 0.0f), to[5] = sane(v->vy, i, 0.0f), to[6] = sane(v->vz, i, 0.0f);
    to[7] = to[8] = 0.0f;
    to[9] = random_of(v->id ? v->id[i] : (uint32_t)i);
    to[10] = sane(v->lifetime, i, 0.0f), to[11] = 1.0f;
    to[12] = c.x, to[13] = c.y, to[14] = c.z, to[15] = tarn__share_of_light(liquid, 0);
}

// Particle systems, then the splashes of liquids: in 3-D as drops, in 2-D as a system of spray.
enum { MOST_SOURCES = TARN_FRAME_MAX_PARTICLES + TARN_FRAME_MAX_LIQUIDS };
typedef struct Sources {
    TarnFrameParticles system[MOST_SOURCES];
    const TarnFrameLiquid* liquid[MOST_SOURCES]; // whose splashes these are; NULL: a system
    int n;
} Sources;

static Sources sources_of(const TarnRenderer* r, const TarnFrame* frame, bool has_splashes)
{
    Sources s = { .n = 0 };
    for (int i = 0; i < frame->n_particles; ++i) s.system[s.n++] = frame->particles[i];
    for (int i = 0; i < frame->n_liquids && has_splashes; ++i) {
        const TarnFrameLiquid* l = &frame->liquids[i];
        s.system[s.n].view = l->splashes;
        s.system[s.n].view.kind = NULL; // whatever kind they are
        s.liquid[s.n++] = r->liquid.stage.is_flat ? NULL : l;
    }
    return s;
}

// The keys of all that can be drawn, in the order of the sources. The highest bit, which no other key needs, puts
// splashes first.
static void gather_keys(const TarnRenderer* r, const Sources* from, Sprites* s)
{
    s->n = s->n_splashes = 0;
    for (int a = 0; a < from->n; ++a) {
        const TarnFrameParticles* p = &from->system[a];
        bool is_splash = from->liquid[a] != NULL;
        for (int i = 0; i < p->view.n; ++i) {
            if (!is_drawable(&p->view, i)) continue;
            LookNow now = tarn__look_now(p, i, r->liquid.stage.side, r->gas.heat);
            s->n_splashes += is_splash;
            s->keys[s->n++] =
                (key_of(r, now.place, &now.look) & 0x7fffffffu) | (is_splash ? 0u : 0x80000000u);
        }
    }
}

TarnResult tarn__sprites_update(TarnRenderer* r, const TarnFrame* frame, bool has_splashes)
{
    Sprites* s = &r->liquid.sprites;
    Sources from = sources_of(r, frame, has_splashes);
    int most = 0, n = 0;
    for (int a = 0; a < from.n; ++a) most += from.system[a].view.n;
    s->n = s->n_splashes = 0;
    s->fill = 0.0;
    if (!most) return TARN_OK;
    TARN_TRY(tarn__gas_prepare(r));
    TARN_TRY(tarn__particle_atlas(r->ctx, &r->materials.atlas));
    TARN_TRY(reserve(r->ctx, s, most));
    gather_keys(r, &from, s);
    sort_keys(s);
    // Positions first, then a second pass in the same order fills them.
    for (int i = 0; i < s->n; ++i) s->spare[s->order[i]] = (uint32_t)i;
    for (int a = 0; a < from.n; ++a) {
        const TarnParticlesView* v = &from.system[a].view;
        for (int i = 0; i < v->n; ++i) {
            if (!is_drawable(v, i)) continue;
            float* to = s->texels + (size_t)s->spare[n++] * POINT_TEXELS * 4;
            float random = random_of(v->id ? v->id[i] : (uint32_t)i);
            if (from.liquid[a])
                put_splash(to, from.liquid[a], i);
            else
                s->fill += (double)tarn__put_look(r, to, &from.system[a], i, random);
        }
    }
    tarn__upload_points(r, &r->liquid.sprite_texture, s->texels, s->n);
    return TARN_OK;
}

// In a mirror alpha is what shines through.
static void blend(const TarnRenderer* r)
{
    glBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, r->is_mirroring ? GL_ZERO : GL_ONE,
                        GL_ONE_MINUS_SRC_ALPHA);
}

static void bind_part(const TarnRenderer* r, const Target* target) // NULL: the canvas
{
    if (target)
        tarn__target_bind(target);
    else
        tarn__over_bind(r);
}

static void draw_part(const TarnRenderer* r, const Program* program, const Target* target,
                      float part)
{
    const Sprites* s = &r->liquid.sprites;
    const float param[4] = { 1.0f / (target ? (float)target->width : r->frame.screen[0]),
                             1.0f / (target ? (float)target->height : r->frame.screen[1]),
                             r->gas.n > 0 ? r->frame.screen[0] / (float)(r->width * r->gas.coarse)
                                          : 0.0f,
                             part };
    tarn__bind_texture(r, SLOT_POINTS, r->liquid.sprite_texture.id);
    tarn__bind_texture(r, SLOT_ATLAS, r->materials.atlas);
    tarn__use(r, program, param);
    glBindVertexArray(r->empty.vao);
    glDrawArrays(GL_TRIANGLES, POINT_VERTICES * s->n_splashes,
                 POINT_VERTICES * (s->n - s->n_splashes));
}

// The more of the picture they cover, the smaller the target they are drawn to. Between two sizes each gets a
// part; switching all at once would be visible.
static void parts_by_size(const TarnRenderer* r, float parts[3])
{
    double fill = r->liquid.sprites.fill / ((double)r->width * r->height);
    float half = smoothf(4.0f, 7.0f, (float)fill), quarter = smoothf(24.0f, 40.0f, (float)fill);
    if (r->liquid.stage.is_flat || r->is_mirroring) half = quarter = 0.0f;
    parts[0] = 1.0f - half;
    parts[1] = half - quarter;
    parts[2] = quarter;
}

void tarn__sprites_draw(TarnRenderer* r)
{
    const Sprites* s = &r->liquid.sprites;
    if (s->n == s->n_splashes) return;
    const Target* targets[3] = { NULL, &r->gas.cloud[0], &r->gas.cloud[1] };
    const Program* program = r->liquid.stage.is_flat ? &r->gas.flat_look : &r->gas.look;
    float parts[3];
    parts_by_size(r, parts);
    glEnable(GL_BLEND);
    blend(r);
    for (int i = 2; i >= 0; --i) { // all of them before the march's picture gives up its unit
        if (!(parts[i] > 0.0f) && i > 0) continue; // at full size: streaks, if nothing else
        bind_part(r, targets[i]);
        if (i > 0) glClear(GL_COLOR_BUFFER_BIT);
        draw_part(r, program, targets[i], parts[i]);
    }
    for (int i = 1; i < 3; ++i) {
        if (!(parts[i] > 0.0f)) continue;
        tarn__canvas_bind(r, CANVAS_OVER);
        tarn__bind_texture(r, SLOT_MARCH, targets[i]->color[0]);
        tarn__use(r, &r->gas.cloud_over, NULL);
        tarn__draw_screen(r);
    }
    glDisable(GL_BLEND);
}
