// Frames of gases: smoke, fire, jets, and the looks of particles.

#include "frame_gas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(TARN_HAS_RENDER)

static TarnVec3 size_of(const TarnGas* gas)
{
    const TarnGasDef* d = tarn_gas_def(gas);
    return (TarnVec3){ d->dx * (float)d->nx, d->dx * (float)d->ny, d->dx * (float)d->nz };
}

static TarnVec3 corner_of(const TarnGas* gas, float side) // side -1: the lowest, 1: the highest
{
    TarnVec3 c = tarn_gas_center(gas), s = size_of(gas);
    float h = 0.5f * side;
    return (TarnVec3){ c.x + h * s.x, c.y + h * s.y, c.z + h * s.z };
}

static bool is_zero(TarnVec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

bool frame_gas_box(TarnScene* scene, TarnVec3* lo, TarnVec3* hi)
{
    TarnWorld* world = tarn_scene_world(scene);
    TarnSceneView view = tarn_scene_view(scene);
    int n = tarn_world_gas_count(world);
    if (is_zero(view.box_min) && is_zero(view.box_max)) {
        for (int i = 0; i < n; ++i) {
            TarnVec3 a = corner_of(tarn_world_gas(world, i), -1.0f);
            TarnVec3 b = corner_of(tarn_world_gas(world, i), 1.0f);
            *lo = i ? (TarnVec3){ fminf(lo->x, a.x), fminf(lo->y, a.y), fminf(lo->z, a.z) } : a;
            *hi = i ? (TarnVec3){ fmaxf(hi->x, b.x), fmaxf(hi->y, b.y), fmaxf(hi->z, b.z) } : b;
        }
        return n > 0;
    }
    *lo = view.box_min;
    *hi = view.box_max;
    if (!view.follow || n == 0) return true;
    const TarnGas* first = tarn_world_gas(world, 0);
    TarnVec3 now = tarn_gas_center(first), then = tarn_gas_def(first)->center;
    TarnVec3 way = { now.x - then.x, now.y - then.y, now.z - then.z };
    lo->x += way.x, lo->z += way.z;
    hi->x += way.x, hi->z += way.z;
    hi->y += fmaxf(way.y, 0.0f);
    return true;
}

// ---- Fading between levels ------------------------------------------------------------------------

static const double fade_time = 0.3; // [s]

static float* copy_field(TarnView3* v, float* to)
{
    if (v->data == NULL) return to;
    for (int k = 0; k < v->nz; ++k) {
        for (int j = 0; j < v->ny; ++j) {
            const float* row = v->data + (ptrdiff_t)v->row * j + (ptrdiff_t)v->slab * k;
            memcpy(to + ((size_t)k * (size_t)v->ny + (size_t)j) * (size_t)v->nx, row,
                   (size_t)v->nx * sizeof *to);
        }
    }
    v->data = to;
    v->row = v->nx;
    v->slab = v->nx * v->ny;
    return to + (size_t)v->nx * (size_t)v->ny * (size_t)v->nz;
}

// Keeps what is drawn now for when the level changes. Without memory there is just no fading.
static void keep(GasFade* f, const TarnFrameGas* now)
{
    TarnGasView* v = &f->last.view;
    f->last = *now;
    TarnView3* fields[] = { &v->density, &v->temperature, &v->red, &v->green, &v->blue };
    size_t n = 0;
    for (int i = 0; i < 5; ++i) {
        const TarnView3* field = fields[i];
        if (field->data) n += (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
    }
    if (n > f->last_room) {
        free(f->last_memory);
        f->last_memory = malloc(n * sizeof *f->last_memory);
        f->last_room = f->last_memory ? n : 0;
    }
    f->has_last = f->last_memory != NULL;
    float* at = f->last_memory;
    for (int i = 0; f->has_last && i < 5; ++i) at = copy_field(fields[i], at);
}

static void begin_fade(GasFade* f, double time)
{
    float* memory = f->old_memory;
    size_t room = f->old_room;
    f->old = f->last;
    f->old_memory = f->last_memory;
    f->old_room = f->last_room;
    f->last_memory = memory;
    f->last_room = room;
    f->since = time;
    f->is_fading = true;
}

// Returns how many are drawn: one, or two while it fades.
static int fade(GasFade* f, int level, double time, TarnFrameGas* out)
{
    if (f->has_last && level != f->level) begin_fade(f, time);
    f->level = level;
    keep(f, out);
    double share = (time - f->since) / fade_time;
    if (!(share >= 0.0 && share < 1.0)) f->is_fading = false;
    if (!f->is_fading) return 1;
    float s = (float)(share * share * (3.0 - 2.0 * share));
    out[1] = f->old;
    out[1].box_min = out[0].box_min;
    out[1].box_max = out[0].box_max;
    out[0].opacity *= s, out[0].glow *= s;
    out[1].opacity *= 1.0f - s, out[1].glow *= 1.0f - s;
    return 2;
}

void frame_free_fades(GasFade* fades)
{
    for (int i = 0; i < FRAME_MAX_GASES; ++i) {
        free(fades[i].last_memory);
        free(fades[i].old_memory);
    }
}

int frame_gases(TarnScene* scene, GasFade* fades, TarnFrameGas* out)
{
    TarnWorld* world = tarn_scene_world(scene);
    TarnVec3 lo = { 0 }, hi = { 0 };
    frame_gas_box(scene, &lo, &hi);
    int n = tarn_world_gas_count(world), drawn = 0;
    if (n > FRAME_MAX_GASES) n = FRAME_MAX_GASES;
    for (int i = 0; i < n; ++i) {
        const TarnGas* gas = tarn_world_gas(world, i);
        TarnSceneGasLook look = tarn_scene_gas_look(scene, i);
        TarnFrameGas* now = &out[drawn];
        *now = (TarnFrameGas){ .view = tarn_gas_view(gas),
                               .color = look.color,
                               .opacity = look.opacity,
                               .glow = look.glow,
                               .ambient_temperature = tarn_gas_params(gas).ambient_temperature,
                               .box_min = lo,
                               .box_max = hi };
        bool has_levels = tarn_gas_def(gas)->levels > 1;
        double time = tarn_world_time(world);
        drawn += has_levels ? fade(&fades[i], tarn_gas_level(gas), time, now) : 1;
    }
    return drawn;
}

int frame_looks(const TarnScene* scene, TarnParticleLook* out)
{
    int n = 0;
    const TarnSceneLook* looks = tarn_scene_looks(scene, 0, &n);
    if (looks == NULL || n <= 0) return 0;
    if (n > FRAME_MAX_LOOKS) n = FRAME_MAX_LOOKS;
    for (int i = 0; i < n; ++i) {
        const TarnSceneLook* l = &looks[i];
        out[i] = (TarnParticleLook){ .color = { l->birth, l->middle, l->end },
                                     .opacity = { l->opacity.x, l->opacity.y, l->opacity.z },
                                     .size = { l->size.x, l->size.y, l->size.z },
                                     .stretch = l->stretch,
                                     .is_additive = l->additive,
                                     .softness = l->softness };
    }
    return n;
}

#endif
