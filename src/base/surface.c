// The Surface plug: checks arguments and calls the object behind it. Sums and patchworks of surfaces.

#include "tarn/surface.h"
#include "base/surface.h"
#include "base/maths.h"

TarnResult tarn_surface_query(TarnSurface surface, int n, const float* x, const float* z,
                              const TarnSurfaceSamples* out)
{
    if (surface.query == NULL || n < 0 || out == NULL || (n > 0 && (x == NULL || z == NULL))) {
        return TARN_ERR_ARG;
    }
    surface.query(surface.self, n, x, z, out);
    return TARN_OK;
}

float tarn_surface_height(TarnSurface surface, float x, float z)
{
    float height = 0.0f;
    tarn_surface_query(surface, 1, &x, &z, &(TarnSurfaceSamples){ .height = &height });
    return height;
}

bool tarn_surface_area(TarnSurface surface, TarnVec2* min, TarnVec2* max)
{
    if (surface.area == NULL || min == NULL || max == NULL) return false;
    return surface.area(surface.self, min, max);
}

bool tarn_surface_covers(TarnSurface surface, float x, float z)
{
    TarnVec2 min, max;
    if (surface.query == NULL) return false;
    if (!tarn_surface_area(surface, &min, &max)) return true;
    return x >= min.x && x <= max.x && z >= min.y && z <= max.y;
}

// ---- Push and pour -------------------------------------------------------------------------------

static const float push_far = 1e6f, push_volume = 1e12f, push_impulse = 1e15f; // see the header

static TarnResult check_disc(TarnContext* ctx, const char* name, TarnVec2 center, float radius)
{
    bool is_good = tarn__all_within(&center, 2, push_far) && radius > 0.0f && radius <= push_far;
    if (is_good) return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "%s: center (%g, %g) m, radius %g m; allowed: within +-1e6 m, above 0 up to 1e6 m", name,
        (double)center.x, (double)center.y, (double)radius);
}

static TarnResult check_amounts(TarnContext* ctx, const char* name, float volume, TarnVec3 impulse)
{
    if (!tarn__all_within(&volume, 1, push_volume)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s.volume: %g m^3 is out of range; allowed: +-1e12 m^3", name,
                          (double)volume);
    }
    if (tarn__all_within(&impulse, 3, push_impulse)) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s.impulse: (%g, %g, %g) N s is out of range; allowed: +-1e15 N s", name,
                      (double)impulse.x, (double)impulse.y, (double)impulse.z);
}

TarnResult tarn__surface_check_push(TarnContext* ctx, const TarnSurfacePush* push)
{
    if (push == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "push: it is NULL; pass a TarnSurfacePush");
    TARN_TRY(check_disc(ctx, "push.center", push->center, push->radius));
    TARN_TRY(check_disc(ctx, "push.from", push->from, push->from_radius));
    TARN_TRY(check_amounts(ctx, "push", push->volume, push->impulse));
    if (push->dt >= 0.0f && push->dt <= 10.0f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "push.dt: %g s is out of range; allowed: 0 to 10 s",
                      (double)push->dt);
}

TarnResult tarn__surface_check_pour(TarnContext* ctx, const TarnSurfacePour* pour)
{
    if (pour == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "pour: it is NULL; pass a TarnSurfacePour");
    TARN_TRY(check_disc(ctx, "pour.center", pour->center, pour->radius));
    return check_amounts(ctx, "pour", pour->volume, pour->impulse);
}

// The object behind the surface checks too and can report the error: a surface has no context.
TarnResult tarn_surface_push(TarnSurface surface, const TarnSurfacePush* push,
                             TarnSurfaceTaken* taken)
{
    TarnSurfaceTaken unused;
    if (taken == NULL) taken = &unused;
    *taken = (TarnSurfaceTaken){ 0 };
    if (push == NULL) return TARN_ERR_ARG;
    if (surface.push == NULL) return TARN_ERR_UNSUPPORTED;
    return surface.push((void*)surface.self, push, taken);
}

TarnResult tarn_surface_pour(TarnSurface surface, const TarnSurfacePour* pour,
                             TarnSurfaceTaken* taken)
{
    TarnSurfaceTaken unused;
    if (taken == NULL) taken = &unused;
    *taken = (TarnSurfaceTaken){ 0 };
    if (pour == NULL) return TARN_ERR_ARG;
    if (surface.pour == NULL) return TARN_ERR_UNSUPPORTED;
    return surface.pour((void*)surface.self, pour, taken);
}

// ---- Several as one ------------------------------------------------------------------------------

enum { BATCH = 64 };

// A batch of points of one member, with slopes in place of normals.
typedef struct Batch {
    int n;
    float height[BATCH], depth[BATCH];
    float slope_x[BATCH], slope_z[BATCH];
    TarnVec3 velocity[BATCH];
} Batch;

static void ask(TarnSurface surface, int n, const float* x, const float* z, Batch* out)
{
    TarnVec3 normal[BATCH];
    TarnSurfaceSamples samples = { out->height, normal, out->velocity, out->depth };
    out->n = n;
    for (int i = 0; i < n; ++i) { // what a host's surface may leave out
        out->height[i] = out->depth[i] = 0.0f;
        normal[i] = (TarnVec3){ 0.0f, 1.0f, 0.0f };
        out->velocity[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    }
    surface.query(surface.self, n, x, z, &samples);
    for (int i = 0; i < n; ++i) {
        float per = normal[i].y > 1e-6f ? 1.0f / normal[i].y : 0.0f;
        out->slope_x[i] = -normal[i].x * per;
        out->slope_z[i] = -normal[i].z * per;
    }
}

static void answer(const Batch* all, int at, const TarnSurfaceSamples* out)
{
    for (int i = 0; i < all->n; ++i) {
        TarnVec3 up = { -all->slope_x[i], 1.0f, -all->slope_z[i] };
        if (out->height) out->height[at + i] = all->height[i];
        if (out->normal) out->normal[at + i] = vec3_normalize(up);
        if (out->velocity) out->velocity[at + i] = all->velocity[i];
        if (out->depth) out->depth[at + i] = all->depth[i];
    }
}

// How much of a member counts at a point, and how that changes along x and z [1/m].
typedef struct Weight {
    float w, dx, dz;
} Weight;

// 0 at the edges of [lo, hi] and beyond, 1 from the rim on, with a smooth step between.
static float ramp(float at, float lo, float hi, float rim, float* change)
{
    float low = at - lo, high = hi - at, inside = low < high ? low : high;
    *change = 0.0f;
    if (!(inside >= 0.0f)) return 0.0f;
    if (inside >= rim) return 1.0f;
    float s = inside / rim;
    *change = 6.0f * s * (1.0f - s) / rim * (low < high ? 1.0f : -1.0f);
    return s * s * (3.0f - 2.0f * s);
}

// Of one member at a batch of points. Returns false if it counts at none of them.
static bool weigh(TarnSurface surface, float rim, int n, const float* x, const float* z,
                  Weight* out)
{
    TarnVec2 min, max;
    if (surface.query == NULL) return false;
    bool is_bounded = tarn_surface_area(surface, &min, &max), is_any = false;
    if (!(rim > 0.0f)) rim = 0.0f;
    for (int i = 0; i < n; ++i) {
        out[i] = (Weight){ 1.0f, 0.0f, 0.0f };
        if (is_bounded) {
            float change_x, change_z, wx = ramp(x[i], min.x, max.x, rim, &change_x);
            float wz = ramp(z[i], min.y, max.y, rim, &change_z);
            out[i] = (Weight){ wx * wz, change_x * wz, wx * change_z };
        }
        is_any = is_any || out[i].w > 0.0f;
    }
    return is_any;
}

static int member_count(int n)
{
    return n < 0 ? 0 : n > TARN_SURFACE_MAX ? TARN_SURFACE_MAX : n;
}

// Adds what a member is over its level, nowhere more than the water can lose.
static void add_member(Batch* all, const Batch* m, float level, int i, Weight w)
{
    float over = m->height[i] - level, more = w.w * over;
    if (!(all->depth[i] > 0.0f) || w.w == 0.0f) return;
    if (more < -all->depth[i]) more = -all->depth[i];
    all->height[i] += more;
    all->depth[i] += more;
    all->slope_x[i] += w.w * m->slope_x[i] + w.dx * over;
    all->slope_z[i] += w.w * m->slope_z[i] + w.dz * over;
    all->velocity[i] = vec3_add(all->velocity[i], vec3_scale(m->velocity[i], w.w));
}

static void query_sum(const void* self, int n, const float* x, const float* z,
                      const TarnSurfaceSamples* out)
{
    const TarnSurfaceSum* sum = self;
    int members = member_count(sum->n);
    Weight w[BATCH];
    for (int at = 0; at < n; at += BATCH, x += BATCH, z += BATCH) {
        Batch all = { .n = n - at < BATCH ? n - at : BATCH }, one;
        bool has_base = members > 0 && sum->members[0].query != NULL;
        if (has_base) ask(sum->members[0], all.n, x, z, &all);
        for (int m = 1; has_base && m < members; ++m) {
            if (!weigh(sum->members[m], sum->rim, all.n, x, z, w)) continue;
            ask(sum->members[m], all.n, x, z, &one);
            for (int i = 0; i < all.n; ++i) add_member(&all, &one, sum->level[m], i, w[i]);
        }
        answer(&all, at, out);
    }
}

// The patch over what is below it.
static void lay_over(Batch* all, const Batch* p, int i, Weight w)
{
    float step = p->height[i] - all->height[i];
    all->slope_x[i] += w.w * (p->slope_x[i] - all->slope_x[i]) + w.dx * step;
    all->slope_z[i] += w.w * (p->slope_z[i] - all->slope_z[i]) + w.dz * step;
    all->height[i] += w.w * step;
    all->depth[i] += w.w * (p->depth[i] - all->depth[i]);
    TarnVec3 change = vec3_sub(p->velocity[i], all->velocity[i]);
    all->velocity[i] = vec3_add(all->velocity[i], vec3_scale(change, w.w));
}

static void query_patchwork(const void* self, int n, const float* x, const float* z,
                            const TarnSurfaceSamples* out)
{
    const TarnSurfacePatchwork* work = self;
    Weight w[BATCH];
    for (int at = 0; at < n; at += BATCH, x += BATCH, z += BATCH) {
        Batch all = { .n = n - at < BATCH ? n - at : BATCH }, one;
        if (work->base.query) ask(work->base, all.n, x, z, &all);
        for (int p = 0; p < member_count(work->n); ++p) {
            if (!weigh(work->patches[p], work->rim, all.n, x, z, w)) continue;
            ask(work->patches[p], all.n, x, z, &one);
            for (int i = 0; i < all.n; ++i) lay_over(&all, &one, i, w[i]);
        }
        answer(&all, at, out);
    }
}

static bool sum_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnSurfaceSum* sum = self;
    return member_count(sum->n) > 0 && tarn_surface_area(sum->members[0], min, max);
}

static bool patchwork_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    return tarn_surface_area(((const TarnSurfacePatchwork*)self)->base, min, max);
}

// Who takes a push or pour at a place: members in this order.
typedef struct Takers {
    TarnSurface in_order[TARN_SURFACE_MAX + 1];
    int n;
} Takers;

static Takers takers_of_sum(const TarnSurfaceSum* sum)
{
    Takers t = { .n = member_count(sum->n) };
    for (int m = 0; m < t.n; ++m) t.in_order[m] = sum->members[m];
    return t;
}

static Takers takers_of_patchwork(const TarnSurfacePatchwork* work)
{
    Takers t = { .n = 0 };
    for (int p = member_count(work->n) - 1; p >= 0; --p) t.in_order[t.n++] = work->patches[p];
    t.in_order[t.n++] = work->base;
    return t;
}

static TarnResult push_first(const Takers* t, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    for (int m = 0; m < t->n; ++m) {
        if (!tarn_surface_covers(t->in_order[m], push->center.x, push->center.y)) continue;
        TarnResult result = tarn_surface_push(t->in_order[m], push, taken);
        if (result != TARN_ERR_UNSUPPORTED) return result;
    }
    return TARN_ERR_UNSUPPORTED;
}

static TarnResult pour_first(const Takers* t, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    for (int m = 0; m < t->n; ++m) {
        if (!tarn_surface_covers(t->in_order[m], pour->center.x, pour->center.y)) continue;
        TarnResult result = tarn_surface_pour(t->in_order[m], pour, taken);
        if (result != TARN_ERR_UNSUPPORTED) return result;
    }
    return TARN_ERR_UNSUPPORTED;
}

static TarnResult push_sum(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    Takers t = takers_of_sum(self);
    return push_first(&t, push, taken);
}
static TarnResult pour_sum(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    Takers t = takers_of_sum(self);
    return pour_first(&t, pour, taken);
}
static TarnResult push_patchwork(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    Takers t = takers_of_patchwork(self);
    return push_first(&t, push, taken);
}
static TarnResult pour_patchwork(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    Takers t = takers_of_patchwork(self);
    return pour_first(&t, pour, taken);
}

TarnSurface tarn_surface_sum(const TarnSurfaceSum* sum)
{
    if (sum == NULL) return (TarnSurface){ 0 };
    return (TarnSurface){
        .self = sum, .query = query_sum, .area = sum_area, .push = push_sum, .pour = pour_sum
    };
}

TarnSurface tarn_surface_patchwork(const TarnSurfacePatchwork* patchwork)
{
    if (patchwork == NULL) return (TarnSurface){ 0 };
    return (TarnSurface){ .self = patchwork,
                          .query = query_patchwork,
                          .area = patchwork_area,
                          .push = push_patchwork,
                          .pour = pour_patchwork };
}
