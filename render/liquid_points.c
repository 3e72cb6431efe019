// The particles of a liquid as the shaders read them.
//
// Method   Around every particle the weighted mean of its neighbors is found [Yu2013]. In 3-D a particle
//          moves most of the way to it, which takes the bumps out of a surface, and is drawn as an
//          ellipsoid that is flat along the way it moved, the normal of the surface. Particles that
//          hardly moved and have all their neighbors are inside: they add to the thickness only.
//          In 2-D the look comes from the solver; what it does not give is guessed the same way.
// Differs  from [Yu2013]: one flat axis from the mean instead of three from the covariance. At free
//          surfaces they agree, and no eigenvectors are needed.
// Checked  tests/render/test_liquid.c

#include "liquids.h"
#include <stdlib.h>
#include <string.h>

typedef struct Cell {
    int x, y, z;
} Cell;

// Scratch and result, in one block that only grows.
static TarnResult reserve(TarnContext* ctx, LiquidPoints* p, int n)
{
    if (n <= p->capacity && p->texels != NULL) return TARN_OK; // an empty liquid is drawn, too
    int capacity = maxi(maxi(n, 2 * p->capacity), 1024);
    int rows = (capacity + POINTS_PER_ROW - 1) / POINTS_PER_ROW;
    capacity = rows * POINTS_PER_ROW;
    int buckets = 1024;
    while (buckets < 2 * capacity) buckets *= 2;
    size_t c = (size_t)capacity;
    size_t texels = c * POINT_TEXELS * 4 * sizeof(float), cells = c * sizeof(Cell);
    size_t bytes = texels + cells + c * sizeof(Around) + 2 * c * sizeof(int) +
                   ((size_t)buckets + 1) * sizeof(int);
    char* block = tarn__alloc(ctx, bytes);
    if (!block) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for %d particles", n);
    tarn__free(ctx, p->texels, p->bytes);
    p->bytes = bytes;
    p->capacity = capacity;
    p->n_buckets = buckets;
    p->texels = (float*)(void*)block;
    p->cells = (int*)(void*)(block + texels);
    p->around = (Around*)(void*)(block + texels + cells);
    p->source = (int*)(void*)(block + texels + cells + c * sizeof(Around));
    p->sorted = p->source + capacity;
    p->begin = p->sorted + capacity;
    return TARN_OK;
}

void tarn__liquid_points_free(TarnContext* ctx, LiquidPoints* p)
{
    tarn__free(ctx, p->texels, p->bytes);
    *p = (LiquidPoints){ 0 };
}

// ---- Neighbors -----------------------------------------------------------------------------------

static int bucket_of(const LiquidPoints* p, int x, int y, int z)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h ^= h >> 15;
    return (int)(h & (uint32_t)(p->n_buckets - 1));
}

static bool is_drawable(const TarnLiquidView* v, int i, bool is_flat)
{
    const float limit = 1e6f;
    return fabsf(v->x[i]) < limit && fabsf(v->y[i]) < limit && // false for NaN
           (is_flat || fabsf(v->z[i]) < limit);
}

static int cell_at(float x, float size)
{
    return (int)floorf(clampf(x / size, -1e9f, 1e9f));
}

// Which particles can be drawn, and a hashed grid over them.
static void sort_cells(LiquidPoints* p, const TarnLiquidView* v, bool is_flat, float size)
{
    Cell* cells = (Cell*)(void*)p->cells;
    p->n = 0;
    memset(p->begin, 0, ((size_t)p->n_buckets + 1) * sizeof(int));
    for (int i = 0; i < v->n; ++i) {
        if (!is_drawable(v, i, is_flat)) continue;
        Cell c = { cell_at(v->x[i], size), cell_at(v->y[i], size),
                   is_flat ? 0 : cell_at(v->z[i], size) };
        cells[p->n] = c;
        p->source[p->n++] = i;
        ++p->begin[bucket_of(p, c.x, c.y, c.z) + 1];
    }
    for (int b = 0; b < p->n_buckets; ++b) p->begin[b + 1] += p->begin[b];
    for (int a = p->n - 1; a >= 0; --a) { // from behind: each bucket ends up in order
        int b = bucket_of(p, cells[a].x, cells[a].y, cells[a].z);
        p->sorted[--p->begin[b + 1]] = a;
    }
    // begin[b + 1] is now where bucket b begins.
}

static TarnVec3 way_of(const TarnLiquidView* v, int i)
{
    return vec3(v->vx ? v->vx[i] : 0.0f, v->vy ? v->vy[i] : 0.0f, v->vz ? v->vz[i] : 0.0f);
}

static Around look_around(const LiquidPoints* p, const TarnLiquidView* v, bool is_flat, float reach,
                          int a)
{
    const Cell* cells = (const Cell*)(const void*)p->cells;
    int i = p->source[a];
    float x = v->x[i], y = v->y[i], z = is_flat ? 0.0f : v->z[i];
    float sum = 0.0f, mx = 0.0f, my = 0.0f, mz = 0.0f, stir = 0.0f;
    TarnVec3 way = is_flat ? vec3(0, 0, 0) : way_of(v, i);
    int depth = is_flat ? 0 : 1, count = 0;
    for (int dz = -depth; dz <= depth; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                Cell c = { cells[a].x + dx, cells[a].y + dy, cells[a].z + dz };
                int b = bucket_of(p, c.x, c.y, c.z);
                int end = b + 2 <= p->n_buckets ? p->begin[b + 2] : p->n;
                for (int s = p->begin[b + 1]; s < end; ++s) {
                    int o = p->sorted[s], j = p->source[o];
                    if (cells[o].x != c.x || cells[o].y != c.y || cells[o].z != c.z) continue;
                    float qx = v->x[j] - x, qy = v->y[j] - y, qz = is_flat ? 0.0f : v->z[j] - z;
                    float q = (qx * qx + qy * qy + qz * qz) / (reach * reach);
                    if (!(q < 1.0f)) continue;
                    float w = 1.0f - q * sqrtf(q); // broad: it averages over many
                    sum += w, mx += w * qx, my += w * qy, mz += w * qz;
                    ++count;
                    if (is_flat) continue;
                    TarnVec3 u = vec3_sub(way_of(v, j), way);
                    float meet = fminf(u.x * qx + u.y * qy + u.z * qz, 0.0f);
                    stir += w * meet * meet / (q * reach * reach + 1e-12f);
                }
            }
    float whole = is_flat ? 6.5f : 15.8f;               // the others of a dense liquid
    TarnVec3 mean = vec3(mx / sum, my / sum, mz / sum); // with itself: sum >= 1
    stir = sqrtf(stir / sum);
    return (Around){ mean, (sum - 1.0f) / whole, stir < 1e6f ? stir : 0.0f, count - 1, false };
}

// A glass wall holds a liquid as if it continued behind it: the surface is not pulled back. Returns how close it
// is, 0 to 1.
static float lean_on_wall(float at, float lo, float hi, float spacing, float* mean)
{
    float low = 1.0f - smoothf(0.9f * spacing, 1.3f * spacing, at - lo);
    float high = 1.0f - smoothf(0.9f * spacing, 1.3f * spacing, hi - at);
    *mean *= 1.0f - (*mean > 0.0f ? low : high);
    return fmaxf(low, high);
}

static void lean_on_walls(const TarnFrameLiquid* l, Around* s, int i)
{
    if (l->dimensions == 2 || l->walls == TARN_LIQUID_OPEN) return;
    float x = lean_on_wall(l->view.x[i], l->box_min.x, l->box_max.x, l->spacing, &s->mean.x);
    float z = lean_on_wall(l->view.z[i], l->box_min.z, l->box_max.z, l->spacing, &s->mean.z);
    float close = fmaxf(x, z);
    s->is_at_wall = close > 0.0f;
    s->full = fmaxf(s->full, fminf(s->full * lerpf(1.0f, 1.4f, close), 1.0f));
}

// ---- Texels --------------------------------------------------------------------------------------

static int kind_of(const TarnLiquidView* v, int i)
{
    return v->kind ? v->kind[i] & (TARN_LIQUID_KINDS - 1) : 0;
}

static float random_of(const TarnLiquidView* v, int i)
{
    uint32_t h = v->id ? v->id[i] : (uint32_t)i;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return (float)((h ^ (h >> 16)) >> 8) * 0x1p-24f;
}

static float speed_of(const TarnLiquidView* v, int i)
{
    if (!v->vx || !v->vy) return 0.0f;
    float z = v->vz ? v->vz[i] : 0.0f;
    float speed = sqrtf(v->vx[i] * v->vx[i] + v->vy[i] * v->vy[i] + z * z);
    return isfinite(speed) ? speed : 0.0f;
}

// Length of a particle along its path relative to its width: what it covers while the shutter is open. Only
// where the liquid is torn; elsewhere neighbors fill the gap.
static float smear_of(const TarnFrameLiquid* l, int i, float inside)
{
    const float shutter = 1.0f / 50.0f; // [s]
    float way = speed_of(&l->view, i) * shutter / l->spacing;
    return 1.0f + (1.0f - inside) * fminf(way, 2.5f);
}

static TarnVec3 unit_or(TarnVec3 a, TarnVec3 other)
{
    float l = vec3_length(a);
    return l > 1e-9f && l < 1e9f ? vec3_scale(a, 1.0f / l) : other;
}

static void put(float* to, TarnVec3 a, float b)
{
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = b;
}

// Distance over which most of the light is absorbed, relative to the height of the box. Water has 0.5.
static float clarity_of(const TarnFrameLiquid* l, int kind)
{
    float height = l->box_max.y - l->box_min.y;
    return l->clarity[kind] > 0.0f ? l->clarity[kind] / height : 0.5f;
}

float tarn__share_of_light(const TarnFrameLiquid* l, int kind)
{
    return 1.0f / (clarity_of(l, kind) * (l->box_max.y - l->box_min.y));
}

// Clear liquids turn white where they are torn or stirred, because air is mixed in there.
static float foam_of(const TarnFrameLiquid* l, const Around* s, int i, int kind)
{
    float height = l->box_max.y - l->box_min.y, fast = sqrtf(9.81f * fmaxf(height, 1e-3f));
    float clear = smoothf(0.05f, 0.4f, clarity_of(l, kind));
    float torn = 1.0f - smoothf(0.12f, 0.45f, s->full);
    torn *= smoothf(0.15f, 0.7f, speed_of(&l->view, i) / fast);
    float stirred = 0.8f * smoothf(0.07f, 0.22f, s->stir / fast);
    return clear * fmaxf(torn, stirred);
}

// A nearly isolated particle of clear liquid becomes drops instead of surface; in between it is some of both.
// 1: drops only. Viscous liquids do not spray.
static float drop_of(const TarnFrameLiquid* l, const Around* s, int kind)
{
    return (1.0f - smoothf(0.06f, 0.20f, s->full)) * smoothf(0.06f, 0.2f, clarity_of(l, kind));
}

static void point_3d(const TarnFrameLiquid* l, const Around* s, int i, float* to)
{
    const TarnLiquidView* v = &l->view;
    int kind = kind_of(v, i);
    float inside = smoothf(0.04f, 0.45f, s->full), drop = drop_of(l, s, kind);
    float moved = vec3_length(s->mean) / l->spacing;
    float edge = inside * smoothf(0.12f, 0.36f, moved);
    TarnVec3 at = vec3_add(vec3(v->x[i], v->y[i], v->z[i]), vec3_scale(s->mean, 0.95f * inside));
    TarnVec3 normal = unit_or(s->mean, vec3(0, 1, 0));
    float radius =
        l->spacing * lerpf(0.36f, lerpf(0.85f, 1.35f, edge), smoothf(0.08f, 0.6f, s->full));
    float flat = 1.0f / lerpf(1.0f, 0.62f, edge),
          smear = smear_of(l, i, smoothf(0.15f, 0.5f, s->full));
    // The longer its way, the less flat; round in between, where the axis turns, then long along its way.
    float fast = smear / flat;
    flat = lerpf(flat, 1.0f, smoothf(1.0f, 1.3f, fast));
    if (fast > 1.3f) {
        normal = unit_or(way_of(v, i), normal);
        flat = 1.0f / lerpf(1.0f, smear, smoothf(1.3f, 2.2f, fast));
    }
    put(to, at, radius * sqrtf(1.0f - drop));
    put(to + 4, normal, flat);
    put(to + 8, l->color[kind], tarn__share_of_light(l, kind));
    put(to + 12, vec3(foam_of(l, s, i, kind), drop, random_of(v, i)), (float)kind);
}

static void ball_3d(const TarnFrameLiquid* l, int i, float* to)
{
    const TarnLiquidView* v = &l->view;
    int kind = kind_of(v, i);
    put(to, vec3(v->x[i], v->y[i], v->z[i]), 0.5f * l->spacing);
    put(to + 4, vec3(0, 1, 0), 1.0f);
    put(to + 8, l->color[kind], tarn__share_of_light(l, kind));
    put(to + 12, vec3(0.0f, 0.0f, random_of(v, i)), (float)kind);
}

static void point_2d(const TarnFrameLiquid* l, const Around* s, int i, float* to)
{
    const TarnLiquidView* v = &l->view;
    int kind = kind_of(v, i);
    float moved = vec3_length(s->mean) / l->spacing;
    float edge = smoothf(0.15f, 0.45f, moved);
    float size = v->size ? clampf(v->size[i], 0.0f, 1.0f) : smoothf(0.0f, 0.65f, s->full);
    TarnVec3 along = unit_or(vec3(-s->mean.y, s->mean.x, 0.0f), vec3(1, 0, 0));
    float stretch = 1.0f + edge * smoothf(0.16f, 0.6f, s->full);
    if (v->along_x && v->along_y) along = unit_or(vec3(v->along_x[i], v->along_y[i], 0), along);
    if (v->stretch) stretch = v->stretch[i];
    float smear = smear_of(l, i, smoothf(0.6f, 1.0f, size));
    if (smear * smear > stretch) { // the splats keep their area
        along = unit_or(way_of(v, i), along);
        stretch = smear * smear;
    }
    int flags = v->flags ? v->flags[i] : 0;
    if (!v->size) {
        flags &= ~(TARN_LIQUID_EDGE | TARN_LIQUID_UP | TARN_LIQUID_BUBBLE);
        if (edge > 0.5f) flags |= TARN_LIQUID_EDGE;
        if (edge > 0.5f && s->mean.y < -0.5f * vec3_length(s->mean)) flags |= TARN_LIQUID_UP;
        if (edge < 0.1f && random_of(v, i) < 0.03f) flags |= TARN_LIQUID_BUBBLE;
    }
    put(to, vec3(v->x[i], v->y[i], 0.0f), l->spacing);
    put(to + 4, along, stretch > 0.25f ? fminf(stretch, 6.0f) : 1.0f); // also 1 for NaN
    put(to + 8, l->color[kind], tarn__share_of_light(l, kind));
    put(to + 12, vec3((float)flags, size, random_of(v, i)), (float)kind);
}

// The order that particles are drawn in, see LiquidPoints.
enum { CLASS_DROP, CLASS_TORN, CLASS_SURFACE, CLASS_INSIDE, N_CLASSES };

static int class_of(const TarnFrameLiquid* l, const Around* s, int i)
{
    if (l->dimensions == 2 || l->mode == TARN_FRAME_BALLS) return CLASS_SURFACE;
    bool is_full = s->n > 20 && vec3_length(s->mean) < 0.10f * l->spacing;
    if (is_full && !s->is_at_wall) return CLASS_INSIDE;
    int kind = kind_of(&l->view, i);
    float drop = drop_of(l, s, kind);
    if (drop >= 1.0f) return CLASS_DROP;
    const float seen = 0.03f; // less foam is not
    return drop > 0.0f || foam_of(l, s, i, kind) > seen ? CLASS_TORN : CLASS_SURFACE;
}

TarnResult tarn__liquid_points(TarnContext* ctx, LiquidPoints* p, const TarnFrameLiquid* l)
{
    bool is_flat = l->dimensions == 2;
    float reach = 2.0f * l->spacing;
    TARN_TRY(reserve(ctx, p, l->view.n));
    sort_cells(p, &l->view, is_flat, reach);
    for (int a = 0; a < p->n; ++a) {
        p->around[a] = look_around(p, &l->view, is_flat, reach, a);
        lean_on_walls(l, &p->around[a], p->source[a]);
    }
    p->kind = p->n > 0 ? kind_of(&l->view, p->source[0]) : 0;
    for (int a = 1; a < p->n; ++a)
        if (p->kind != kind_of(&l->view, p->source[a])) p->kind = -1;
    int count[N_CLASSES] = { 0 }, to[N_CLASSES] = { 0 };
    for (int a = 0; a < p->n; ++a) { // the order of the cells is not needed any more
        p->sorted[a] = class_of(l, &p->around[a], p->source[a]);
        ++count[p->sorted[a]];
    }
    for (int c = 1; c < N_CLASSES; ++c) to[c] = to[c - 1] + count[c - 1];
    p->n_drops = count[CLASS_DROP];
    p->n_torn = p->n_drops + count[CLASS_TORN];
    p->n_surface = count[CLASS_TORN] + count[CLASS_SURFACE];
    for (int a = 0; a < p->n; ++a) {
        float* texels = p->texels + (size_t)to[p->sorted[a]]++ * POINT_TEXELS * 4;
        if (is_flat)
            point_2d(l, &p->around[a], p->source[a], texels);
        else if (l->mode == TARN_FRAME_BALLS)
            ball_3d(l, p->source[a], texels);
        else
            point_3d(l, &p->around[a], p->source[a], texels);
    }
    return TARN_OK;
}
