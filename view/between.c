// Layers between a kept state and that of now. The nearer of the two is the base: its layers, cells, particles and bodies
// are shown, each moved towards what the other has in its place. So what came or went changes halfway, a share of 0 shows
// exactly what was kept, and a share of 1 what is.

#include "viewer.h"
#include <math.h>

typedef struct Blend {
    TarnViewer* viewer;
    const Layers *base, *other;
    float weight; // of the other, 0 to 0.5
    float ahead;  // time from the base to what is shown [s]; below 0 if the base is now
    Arena arena;  // of all that is blended; counts at first
} Blend;

static float mix(const Blend* b, float base, float other)
{
    return base + (other - base) * b->weight;
}

// The layer of the other state that belongs to the n-th of a list: the one of the same owner, in the same place among its
// own. -1: none.
static int partner_of(const LayerList* base, const LayerList* other, int n)
{
    int before = 0;
    for (int i = 0; i < n; ++i) before += layer_owner(base, i) == layer_owner(base, n);
    for (int i = 0; i < other->n; ++i)
        if (layer_owner(other, i) == layer_owner(base, n) && before-- == 0) return i;
    return -1;
}

// ---- Height fields -----------------------------------------------------------------------------------

// The cells of two grids that cover the same place: windows shift by whole cells.
static int cells_apart(float base, float other, float dx)
{
    float cells = (base - other) / dx;
    return fabsf(cells) < 1e6f ? (int)lroundf(cells) : 1000000;
}

static TarnView2 blend_view2(Blend* b, TarnView2 base, TarnView2 other, int di, int dk)
{
    if (base.data == NULL || other.data == NULL) return base;
    float* to = tarn__view_arena_take(&b->arena, (size_t)base.nx * (size_t)base.nz * sizeof *to);
    if (to == NULL) return base;
    for (int k = 0; k < base.nz; ++k) {
        const float* row = base.data + (ptrdiff_t)base.stride * k;
        float* out = to + (ptrdiff_t)base.nx * k;
        bool is_there = k + dk >= 0 && k + dk < other.nz;
        const float* far = is_there ? other.data + (ptrdiff_t)other.stride * (k + dk) : NULL;
        for (int i = 0; i < base.nx; ++i) {
            bool has_partner = is_there && i + di >= 0 && i + di < other.nx;
            out[i] = has_partner ? mix(b, row[i], far[i + di]) : row[i];
        }
    }
    return (TarnView2){ to, base.nx, base.nz, base.nx };
}

static void blend_water(Blend* b, TarnFrameWater* w, const TarnFrameWater* other)
{
    if (other->dx != w->dx) return;
    int di = cells_apart(w->origin.x, other->origin.x, w->dx);
    int dk = cells_apart(w->origin.y, other->origin.y, w->dx);
    w->height = blend_view2(b, w->height, other->height, di, dk);
    w->land.ground = blend_view2(b, w->land.ground, other->land.ground, di, dk);
    w->land.depth = blend_view2(b, w->land.depth, other->land.depth, di, dk);
    w->land.foam = blend_view2(b, w->land.foam, other->land.foam, di, dk);
    w->foam = blend_view2(b, w->foam, other->foam, di, dk);
}

// ---- Gases -------------------------------------------------------------------------------------------

static TarnView3 blend_view3(Blend* b, TarnView3 base, TarnView3 other, const int shift[3])
{
    if (base.data == NULL || other.data == NULL) return base;
    size_t n = (size_t)base.nx * (size_t)base.ny * (size_t)base.nz;
    float* to = tarn__view_arena_take(&b->arena, n * sizeof *to);
    if (to == NULL) return base;
    TarnView3 out = base;
    out.data = to, out.row = base.nx, out.slab = base.nx * base.ny;
    for (int k = 0; k < base.nz; ++k) {
        int ok = k + shift[2];
        for (int j = 0; j < base.ny; ++j, to += base.nx) {
            int oj = j + shift[1];
            bool is_there = ok >= 0 && ok < other.nz && oj >= 0 && oj < other.ny;
            const float* row = base.data + (ptrdiff_t)base.row * j + (ptrdiff_t)base.slab * k;
            const float* far =
                is_there ? other.data + (ptrdiff_t)other.row * oj + (ptrdiff_t)other.slab * ok
                         : NULL;
            for (int i = 0; i < base.nx; ++i) {
                int oi = i + shift[0];
                bool has_partner = is_there && oi >= 0 && oi < other.nx;
                to[i] = has_partner ? mix(b, row[i], far[oi]) : row[i];
            }
        }
    }
    return out;
}

// Grids of different levels are not blended: the drawer fades between them.
static void blend_gas(Blend* b, TarnFrameGas* g, const TarnFrameGas* other)
{
    TarnGasView* v = &g->view;
    const TarnGasView* o = &other->view;
    if (v->dx != o->dx) return;
    const int shift[3] = { cells_apart(v->origin.x, o->origin.x, v->dx),
                           cells_apart(v->origin.y, o->origin.y, v->dx),
                           cells_apart(v->origin.z, o->origin.z, v->dx) };
    v->density = blend_view3(b, v->density, o->density, shift);
    v->temperature = blend_view3(b, v->temperature, o->temperature, shift);
    v->red = blend_view3(b, v->red, o->red, shift);
    v->green = blend_view3(b, v->green, o->green, shift);
    v->blue = blend_view3(b, v->blue, o->blue, shift);
    g->opacity = mix(b, g->opacity, other->opacity);
    g->glow = mix(b, g->glow, other->glow);
}

// ---- Particles, by id ----------------------------------------------------------------------------------

typedef struct Points {
    int n;
    const uint32_t* id;
    const float *x, *y, *z, *vx, *vy, *vz;
} Points;

static float moved(const float* at, const float* velocity, int i, float time)
{
    return velocity ? at[i] + velocity[i] * time : at[i];
}

// Blends positions; a particle that the other state does not have moves by its velocity.
static TarnResult blend_points(Blend* b, const Points* base, const Points* other, const float** x,
                               const float** y, const float** z)
{
    if (base->n == 0 || base->id == NULL || other->id == NULL) return TARN_OK;
    float* to = tarn__view_arena_take(&b->arena, 3 * (size_t)base->n * sizeof *to);
    if (to == NULL) return TARN_OK;
    IdMap* ids = &b->viewer->ids;
    TARN_TRY(tarn__view_ids_clear(b->viewer->ctx, ids, other->n));
    for (int i = 0; i < other->n; ++i) tarn__view_ids_add(ids, other->id[i], i);
    float *tx = to, *ty = tx + base->n, *tz = ty + base->n;
    for (int i = 0; i < base->n; ++i) {
        int o = tarn__view_ids_find(ids, base->id[i]);
        tx[i] = o >= 0 ? mix(b, base->x[i], other->x[o]) : moved(base->x, base->vx, i, b->ahead);
        ty[i] = o >= 0 ? mix(b, base->y[i], other->y[o]) : moved(base->y, base->vy, i, b->ahead);
        tz[i] = o >= 0 ? mix(b, base->z[i], other->z[o]) : moved(base->z, base->vz, i, b->ahead);
    }
    *x = tx, *y = ty, *z = tz;
    return TARN_OK;
}

static Points points_of_liquid(const TarnLiquidView* v)
{
    return (Points){ v->n, v->id, v->x, v->y, v->z, v->vx, v->vy, v->vz };
}

static TarnResult blend_sparks(Blend* b, TarnParticlesView* v, const TarnParticlesView* other)
{
    Points p = { v->n, v->id, v->x, v->y, v->z, v->vx, v->vy, v->vz };
    Points o = {
        other->n, other->id, other->x, other->y, other->z, other->vx, other->vy, other->vz
    };
    TARN_TRY(blend_points(b, &p, &o, &v->x, &v->y, &v->z));
    if (v->age == NULL || v->n == 0) return TARN_OK;
    float* age = tarn__view_arena_take(&b->arena, (size_t)v->n * sizeof *age);
    for (int i = 0; age != NULL && i < v->n; ++i) age[i] = fmaxf(v->age[i] + b->ahead, 0.0f);
    if (age != NULL) v->age = age;
    return TARN_OK;
}

static TarnResult blend_liquid(Blend* b, TarnFrameLiquid* l, const TarnFrameLiquid* other)
{
    Points base = points_of_liquid(&l->view), far = points_of_liquid(&other->view);
    TARN_TRY(blend_points(b, &base, &far, &l->view.x, &l->view.y, &l->view.z));
    return blend_sparks(b, &l->splashes, &other->splashes);
}

// ---- Bodies and solids -----------------------------------------------------------------------------------

static TarnVec3 mix3(const Blend* b, TarnVec3 base, TarnVec3 other)
{
    return (TarnVec3){ mix(b, base.x, other.x), mix(b, base.y, other.y), mix(b, base.z, other.z) };
}

static TarnQuat mix_turn(const Blend* b, TarnQuat p, TarnQuat q)
{
    if (p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f) // the shorter way round
        q = (TarnQuat){ -q.x, -q.y, -q.z, -q.w };
    TarnQuat m = { mix(b, p.x, q.x), mix(b, p.y, q.y), mix(b, p.z, q.z), mix(b, p.w, q.w) };
    float length = sqrtf(m.x * m.x + m.y * m.y + m.z * m.z + m.w * m.w);
    if (b->weight == 0.0f || !(length > 0.0f)) return p;
    return (TarnQuat){ m.x / length, m.y / length, m.z / length, m.w / length };
}

static bool is_plain(const TarnFrameBody* body)
{
    return body->shape.kind != TARN_SHAPE_MESH;
}

static TarnResult blend_things(Blend* b, const LayerList* base, const LayerList* other,
                               LayerList* shown)
{
    TarnContext* ctx = b->viewer->ctx;
    IdMap* ids = &b->viewer->ids;
    shown->n = 0;
    TARN_TRY(tarn__view_ids_clear(ctx, ids, other->n));
    for (int i = 0; i < other->n; ++i) tarn__view_ids_add(ids, layer_owner(other, i), i);
    for (int i = 0; i < base->n; ++i) {
        TarnFrameBody body = *LAYER(TarnFrameBody, base, i);
        int o = tarn__view_ids_find(ids, layer_owner(base, i));
        if (o >= 0) {
            const TarnFrameBody* far = LAYER(TarnFrameBody, other, o);
            body.position = mix3(b, body.position, far->position);
            body.rotation = mix_turn(b, body.rotation, far->rotation);
            if (is_plain(&body) && body.shape.kind == far->shape.kind) // a gate that opens
                body.shape.size = mix3(b, body.shape.size, far->shape.size);
            if (b->ahead > 0.0f && !is_plain(&body)) body.shape = far->shape; // it is alive
        } else if (b->ahead > 0.0f && !is_plain(&body) && body.shape.n_points > 64)
            continue; // a large mesh that went with its solid was not copied
        TARN_TRY(tarn__view_list_add(ctx, shown, &body, sizeof body, layer_owner(base, i)));
    }
    return TARN_OK;
}

// ---- All of it -------------------------------------------------------------------------------------------

static TarnResult blend_fields(Blend* b, Layers* shown)
{
    TarnContext* ctx = b->viewer->ctx;
    shown->waters.n = shown->gases.n = shown->liquids.n = shown->particles.n = 0;
#define BLEND(list, Type, blend)                                                                   \
    for (int i = 0; i < b->base->list.n; ++i) {                                                    \
        Type layer = *LAYER(Type, &b->base->list, i);                                              \
        int o = partner_of(&b->base->list, &b->other->list, i);                                    \
        if (o >= 0) blend(LAYER(Type, &b->other->list, o));                                        \
        TARN_TRY(tarn__view_list_add(ctx, &shown->list, &layer, sizeof layer,                      \
                                     layer_owner(&b->base->list, i)));                             \
    }
#define WATER(other)  blend_water(b, &layer, other)
#define GAS(other)    blend_gas(b, &layer, other)
#define LIQUID(other) TARN_TRY(blend_liquid(b, &layer, other))
#define SPARKS(other) TARN_TRY(blend_sparks(b, &layer.view, &(other)->view))
    BLEND(waters, TarnFrameWater, WATER)
    BLEND(gases, TarnFrameGas, GAS)
    BLEND(liquids, TarnFrameLiquid, LIQUID)
    BLEND(particles, TarnFrameParticles, SPARKS)
    return TARN_OK;
}

TarnResult tarn__view_blend_layers(TarnViewer* v, float share, double span)
{
    bool is_kept = share < 0.5f;
    Blend b = { .viewer = v,
                .base = is_kept ? &v->kept.layers : &v->now,
                .other = is_kept ? &v->now : &v->kept.layers,
                .weight = is_kept ? share : 1.0f - share };
    b.ahead = (float)span * (is_kept ? share : share - 1.0f);
    TARN_TRY(blend_fields(&b, &v->shown));
    TARN_TRY(tarn_drawing_reserve(v->ctx, &v->blended, b.arena.used + 64));
    b.arena = (Arena){ v->blended.data, 0 };
    TARN_TRY(blend_fields(&b, &v->shown));
    TARN_TRY(blend_things(&b, &b.base->bodies, &b.other->bodies, &v->shown.bodies));
    TARN_TRY(blend_things(&b, &b.base->solids, &b.other->solids, &v->shown.solids));
    v->shown.meshes.n = 0;
    for (int i = 0; i < v->now.meshes.n; ++i)
        TARN_TRY(tarn__view_list_add(v->ctx, &v->shown.meshes,
                                     LAYER(TarnFrameMesh, &v->now.meshes, i), sizeof(TarnFrameMesh),
                                     layer_owner(&v->now.meshes, i)));
    return TARN_OK;
}
