// Debug views: layers of lines on top of the picture. As with the tools, what they need is asked of the plugs of a solver;
// only fields that no plug offers (pressure, neighbors, fronts) name a class.

#include "tools.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct DebugLayers {
    TarnVec3* points;
    uint32_t* colors;
    int n, room;
};
enum { MOST_LINES = 60000 };

static uint32_t rgba(float r, float g, float b, float a)
{
    float v[4] = { r, g, b, a };
    uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
        float c = v[i] < 0.0f ? 0.0f : v[i] > 1.0f ? 1.0f : v[i];
        uint8_t byte = (uint8_t)(255.0f * c + 0.5f);
        memcpy((char*)&out + i, &byte, 1);
    }
    return out;
}

// 0 blue, through green and yellow, to 1 red.
static uint32_t heat(float t)
{
    t = t >= 0.0f ? (t <= 1.0f ? t : 1.0f) : 0.0f;
    return rgba(2.6f * t - 0.9f, 1.4f - 2.4f * fabsf(t - 0.45f), 1.1f - 2.4f * t, 0.9f);
}

// Of a field with both signs: -1 blue, 1 red, the weaker the fainter.
static uint32_t tint(float t)
{
    float a = 0.2f + 0.8f * sqrtf(fabsf(t));
    return t < 0.0f ? rgba(0.25f, 0.6f, 1.0f, a) : rgba(1.0f, 0.3f, 0.2f, a);
}

static void line(DebugLayers* d, TarnVec3 a, TarnVec3 b, uint32_t color)
{
    if (d->n == d->room) {
        int room = d->room > 0 ? 2 * d->room : 1024;
        TarnVec3* points = realloc(d->points, 2 * (size_t)room * sizeof *points);
        if (points) d->points = points;
        uint32_t* colors = points ? realloc(d->colors, (size_t)room * sizeof *colors) : NULL;
        if (colors == NULL) return;
        d->colors = colors;
        d->room = room;
    }
    if (d->n >= MOST_LINES) return;
    d->points[2 * d->n] = a;
    d->points[2 * d->n + 1] = b;
    d->colors[d->n++] = color;
}

static TarnVec3 at(float x, float y, float z)
{
    return (TarnVec3){ x, y, z };
}

// Its head is a quarter of it, and of long arrows as large as it looks good on the screen.
static void arrow(const TarnPlay* play, DebugLayers* d, TarnVec3 from, TarnVec3 way, uint32_t color)
{
    TarnVec3 to = vec3_add(from, way), sight = vec3_sub(play->shown.eye, to);
    TarnVec3 side = vec3_cross(way, sight);
    float n = vec3_length(side), length = vec3_length(way);
    float head = fminf(0.28f * length, 0.02f * vec3_length(sight));
    line(d, from, to, color);
    if (!(n > 0.0f)) return;
    side = vec3_scale(side, 0.45f * head / n);
    TarnVec3 back = vec3_sub(to, vec3_scale(way, head / length));
    line(d, to, vec3_add(back, side), color);
    line(d, to, vec3_sub(back, side), color);
}

static void cross(DebugLayers* d, TarnVec3 p, float size, uint32_t color)
{
    line(d, at(p.x - size, p.y, p.z), at(p.x + size, p.y, p.z), color);
    line(d, at(p.x, p.y - size, p.z), at(p.x, p.y + size, p.z), color);
    line(d, at(p.x, p.y, p.z - size), at(p.x, p.y, p.z + size), color);
}

static void box(DebugLayers* d, TarnVec3 a, TarnVec3 b, uint32_t color)
{
    for (int e = 0; e < 4; ++e) {
        float u = e & 1 ? 1.0f : 0.0f, v = e & 2 ? 1.0f : 0.0f;
        float y = a.y + u * (b.y - a.y), z = a.z + v * (b.z - a.z), x = a.x + u * (b.x - a.x);
        float w = a.z + v * (b.z - a.z), h = a.y + v * (b.y - a.y);
        line(d, at(a.x, y, z), at(b.x, y, z), color);
        line(d, at(x, a.y, w), at(x, b.y, w), color);
        line(d, at(x, h, a.z), at(x, h, b.z), color);
    }
}

// ---- Points where fields are sampled -------------------------------------------------------------------------------

enum { MOST_POINTS = 2304 };
typedef struct Samples {
    int n;
    float x[MOST_POINTS], y[MOST_POINTS], z[MOST_POINTS];
    TarnVec3 velocity[MOST_POINTS];
    float height[MOST_POINTS], depth[MOST_POINTS], presence[MOST_POINTS];
    float spacing; // between the points [m]
} Samples;

// On the surface of a water; of one that is everywhere, around the place that the camera looks at.
static bool sample_surface(const TarnPlay* play, void* solver, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    TarnVec2 min, max;
    if (of->surface == NULL) return false;
    TarnSurface surface = of->surface(solver);
    if (!tarn_surface_area(surface, &min, &max)) {
        TarnVec3 middle = play->shown.target;
        float half = 0.6f * vec3_length(vec3_sub(middle, play->shown.eye));
        min = (TarnVec2){ middle.x - half, middle.z - half };
        max = (TarnVec2){ middle.x + half, middle.z + half };
    }
    float longer = fmaxf(max.x - min.x, max.y - min.y);
    s->spacing = longer / 40.0f;
    s->n = 0;
    for (float z = min.y + 0.5f * s->spacing; z < max.y; z += s->spacing)
        for (float x = min.x + 0.5f * s->spacing; x < max.x && s->n < MOST_POINTS; x += s->spacing)
            s->x[s->n] = x, s->z[s->n++] = z;
    TarnSurfaceSamples out = { .height = s->height, .velocity = s->velocity, .depth = s->depth };
    return tarn_surface_query(surface, s->n, s->x, s->z, &out) == TARN_OK;
}

// In the box of a flow; of a 2-D one in its plane.
static bool sample_flow(const TarnPlay* play, void* solver, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    TarnVec3 min, max;
    if (of->flow == NULL || !tool_box(play->world, solver, &min, &max)) return false;
    TarnVec3 size = vec3_sub(max, min);
    bool is_flat = of->is_flat && of->is_flat(solver);
    if (is_flat) min.z = max.z = size.z = 0.0f;
    float room =
        is_flat ? sqrtf(size.x * size.y / 900.0f) : cbrtf(size.x * size.y * size.z / 1600.0f);
    if (!(room > 0.0f)) return false;
    s->spacing = room;
    s->n = 0;
    for (float z = is_flat ? 0.0f : min.z + 0.5f * room; z <= max.z; z += room)
        for (float y = min.y + 0.5f * room; y < max.y; y += room)
            for (float x = min.x + 0.5f * room; x < max.x && s->n < MOST_POINTS; x += room)
                s->x[s->n] = x, s->y[s->n] = y, s->z[s->n++] = z;
    TarnFlowSamples out = { .velocity = s->velocity, .presence = s->presence };
    return tarn_flow_query(of->flow(solver), s->n, s->x, s->y, s->z, &out) == TARN_OK;
}

static float fastest(const Samples* s)
{
    float most = 1e-6f;
    for (int i = 0; i < s->n; ++i) most = fmaxf(most, vec3_length(s->velocity[i]));
    return most;
}

// Inside a fluid that fills a box, otherwise on the surface of a water.
static bool sample(const TarnPlay* play, void* solver, Samples* s, bool* is_surface)
{
    *is_surface = tarn_world_class_of(play->world, solver)->flow == NULL;
    return *is_surface ? sample_surface(play, solver, s) : sample_flow(play, solver, s);
}

// ---- The layers ------------------------------------------------------------------------------------------------------

// The way of each particle in a twentieth of a second.
static void draw_drops(TarnPlay* play, const TarnParticlesView* v, DebugLayers* d)
{
    int skip = 1 + v->n / 3000;
    float most = 1e-6f;
    for (int i = 0; i < v->n; ++i)
        most = fmaxf(most, vec3_length(at(v->vx[i], v->vy[i], v->vz[i])));
    for (int i = 0; i < v->n; i += skip) {
        TarnVec3 u = at(v->vx[i], v->vy[i], v->vz[i]);
        arrow(play, d, at(v->x[i], v->y[i], v->z[i]), vec3_scale(u, 0.05f),
              heat(vec3_length(u) / most));
    }
}

static bool get_drops(const TarnSolverClass* of, const void* solver, TarnParticlesView* out)
{
    if (of == tarn_particles_class()) return *out = tarn_particles_view(solver), true;
    if (of == tarn_spray_class()) return *out = tarn_spray_drops(solver), true;
    return false;
}

static void draw_velocity(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    bool is_surface;
    TarnParticlesView drops;
    if (get_drops(of, solver, &drops)) draw_drops(play, &drops, d);
    if (!sample(play, solver, s, &is_surface)) return;
    float most = fastest(s);
    for (int i = 0; i < s->n; ++i) {
        float speed = vec3_length(s->velocity[i]);
        bool is_there = is_surface ? s->depth[i] > 0.0f : s->presence[i] > 0.1f;
        if (!is_there || speed < 0.01f * most) continue;
        TarnVec3 p = at(s->x[i], is_surface ? s->height[i] + 0.05f * s->spacing : s->y[i], s->z[i]);
        float length = s->spacing * (0.25f + 0.75f * speed / most) / speed;
        arrow(play, d, p, vec3_scale(s->velocity[i], length), heat(speed / most));
    }
}

// By differences of the velocity over a tenth of the spacing.
static void draw_divergence(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    bool is_surface;
    if (!sample(play, solver, s, &is_surface)) return;
    float h = fmaxf(0.1f * s->spacing, (float)tool_def_value(of, solver, "dx", 0.0));
    float most = 1e-6f, *div = malloc((size_t)s->n * sizeof *div + 1);
    if (div == NULL) return;
    for (int i = 0; i < s->n; ++i) {
        TarnVec3 v[6] = { { 0 } };
        float x[6], y[6], z[6];
        for (int k = 0; k < 6; ++k) {
            float e = k & 1 ? h : -h;
            x[k] = s->x[i] + (k / 2 == 0 ? e : 0.0f);
            y[k] = s->y[i] + (k / 2 == 1 ? e : 0.0f);
            z[k] = s->z[i] + (k / 2 == 2 ? e : 0.0f);
        }
        if (is_surface)
            tarn_surface_query(of->surface(solver), 6, x, z,
                               &(TarnSurfaceSamples){ .velocity = v });
        else
            tarn_flow_query(of->flow(solver), 6, x, y, z, &(TarnFlowSamples){ .velocity = v });
        float dv = is_surface ? 0.0f : v[3].y - v[2].y;
        div[i] = (v[1].x - v[0].x + dv + v[5].z - v[4].z) / (2.0f * h);
        bool is_there = is_surface ? s->depth[i] > 0.0f : s->presence[i] > 0.9f;
        if (!is_there) div[i] = 0.0f;
        most = fmaxf(most, fabsf(div[i]));
    }
    for (int i = 0; i < s->n; ++i) {
        float share = div[i] / most, y = is_surface ? s->height[i] : s->y[i];
        if (fabsf(share) > 0.01f)
            cross(d, at(s->x[i], y, s->z[i]), (0.1f + 0.25f * sqrtf(fabsf(share))) * s->spacing,
                  tint(share));
    }
    free(div);
}

static void draw_depth(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    float most = 1e-6f;
    if (!sample_surface(play, solver, s)) return;
    for (int i = 0; i < s->n; ++i) most = fmaxf(most, s->depth[i]);
    for (int i = 0; i < s->n; ++i) {
        if (!(s->depth[i] > 0.0f)) continue;
        TarnVec3 top = at(s->x[i], s->height[i], s->z[i]);
        float e = 0.2f * s->spacing;
        uint32_t color = heat(s->depth[i] / most);
        line(d, top, at(top.x, top.y - s->depth[i], top.z), color);
        line(d, at(top.x - e, top.y, top.z), at(top.x + e, top.y, top.z), color);
    }
}

static void draw_gas_pressure(const TarnGas* gas, DebugLayers* d)
{
    TarnGasView v = tarn_gas_view(gas);
    TarnView3 p = v.pressure;
    float most = 1e-9f;
    int skip = 1 + p.nx * p.ny / 1600, k = p.nz / 2; // a slice through the middle
    skip = (int)ceilf(sqrtf((float)skip));
    if (p.data == NULL) return;
    for (int j = 0; j < p.ny; j += skip)
        for (int i = 0; i < p.nx; i += skip)
            most = fmaxf(most, fabsf(p.data[i + p.row * j + p.slab * k]));
    for (int j = 0; j < p.ny; j += skip)
        for (int i = 0; i < p.nx; i += skip) {
            float value = p.data[i + p.row * j + p.slab * k] / most;
            TarnVec3 c =
                at(v.origin.x + ((float)i + 0.5f) * v.dx, v.origin.y + ((float)j + 0.5f) * v.dx,
                   v.origin.z + ((float)k + 0.5f) * v.dx);
            if (fabsf(value) > 0.01f) cross(d, c, 0.35f * v.dx * (float)skip, tint(value));
        }
}

static void draw_pressure(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    (void)s;
    if (of == tarn_gas_class()) draw_gas_pressure(solver, d);
    if (of != tarn_liquid_class()) return;
    TarnLiquidView v = tarn_liquid_view(solver);
    float most = 1.0f, size = 0.35f * tarn_liquid_def(solver)->spacing;
    int skip = 1 + v.n / 5000;
    if (v.pressure == NULL) return;
    for (int i = 0; i < v.n; ++i) most = fmaxf(most, v.pressure[i]);
    for (int i = 0; i < v.n; i += skip)
        cross(d, at(v.x[i], v.y[i], v.z[i]), size, heat(v.pressure[i] / most));
}

static void draw_tiles(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    TarnTiles t;
    (void)s;
    if (of->tiles == NULL || !of->tiles(solver, &t)) return;
    TarnSurface surface = of->surface(solver);
    float wide = t.dx * (float)t.cells_x, deep = t.dx * (float)t.cells_z,
          e = 0.06f * fminf(wide, deep);
    for (int k = 0; k < t.nz; ++k)
        for (int i = 0; i < t.nx; ++i) {
            bool is_awake = t.awake[i + t.nx * k] != 0;
            float x0 = t.origin.x + wide * (float)i, z0 = t.origin.y + deep * (float)k;
            float y = tarn_surface_height(surface, x0 + 0.5f * wide, z0 + 0.5f * deep) + e;
            float x1 = x0 + wide - e, z1 = z0 + deep - e;
            x0 += e, z0 += e;
            uint32_t color =
                is_awake ? rgba(1.0f, 0.65f, 0.2f, 0.9f) : rgba(0.45f, 0.6f, 0.9f, 0.45f);
            line(d, at(x0, y, z0), at(x1, y, z0), color);
            line(d, at(x1, y, z0), at(x1, y, z1), color);
            line(d, at(x1, y, z1), at(x0, y, z1), color);
            line(d, at(x0, y, z1), at(x0, y, z0), color);
        }
}

// Of a few particles, all within the reach of the smoothing kernels.
static void draw_neighbors(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    (void)s;
    if (tarn_world_class_of(play->world, solver) != tarn_liquid_class()) return;
    TarnLiquidView v = tarn_liquid_view(solver);
    float reach = 2.0f * tarn_liquid_def(solver)->spacing;
    enum { CHOSEN = 40 };
    for (int c = 0; c < CHOSEN && v.n > 0; ++c) {
        int i = (int)(((int64_t)v.n * c + v.n / 2) / CHOSEN);
        TarnVec3 p = at(v.x[i], v.y[i], v.z[i]);
        for (int k = 0; k < v.n; ++k) {
            TarnVec3 q = at(v.x[k], v.y[k], v.z[k]);
            float far = vec3_length(vec3_sub(q, p));
            if (k != i && far < reach) line(d, p, q, heat(1.0f - far / reach));
        }
    }
}

// Breaking fronts: along their steepest part, red where a sheet is thrown, with a stroke to the crest from each point.
static void draw_fronts(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    (void)s;
    if (tarn_world_class_of(play->world, solver) != tarn_breakers_class()) return;
    enum { MOST = 2048 };
    TarnBreakerPoint points[MOST];
    for (int l = 0; l < tarn_breakers_line_count(solver); ++l) {
        int n;
        bool is_closed;
        if (tarn_breakers_line(solver, l, MOST, points, &n, &is_closed) != TARN_OK) continue;
        for (int i = 0; i < n; ++i) {
            const TarnBreakerPoint* p = &points[i];
            uint32_t color = heat(p->strength);
            if (i > 0 || is_closed)
                line(d, points[i > 0 ? i - 1 : n - 1].position, p->position, color);
            line(d, p->position, p->crest, color);
        }
    }
}

// Lines of cells on the floor of a box, at most 128 each way.
static void lattice(DebugLayers* d, TarnVec3 a, TarnVec3 b, float dx, uint32_t color)
{
    float step = dx;
    while ((b.x - a.x) / step > 128.0f || (b.z - a.z) / step > 128.0f) step *= 2.0f;
    for (float x = a.x; x <= b.x + 0.01f * step; x += step)
        line(d, at(x, a.y, a.z), at(x, a.y, b.z), color);
    for (float z = a.z; z <= b.z + 0.01f * step; z += step)
        line(d, at(a.x, a.y, z), at(b.x, a.y, z), color);
}

static float cell_size(const TarnSolverClass* of, const void* solver)
{
    float dx = (float)tool_def_value(of, solver, "dx", tool_def_value(of, solver, "spacing", 0.0));
    for (int i = 0; i < of->n_stats; ++i)
        if (strcmp(of->stats[i].name, "dx") == 0) dx = (float)of->stats[i].value(solver);
    return dx;
}

static void draw_grids(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    TarnVec3 a, b;
    (void)s;
    if (!tool_box(play->world, solver, &a, &b)) return;
    float dx = cell_size(of, solver);
    box(d, a, b, rgba(1.0f, 1.0f, 1.0f, 0.7f));
    if (dx > 0.0f && !play->is_flat) lattice(d, a, b, dx, rgba(1.0f, 1.0f, 1.0f, 0.16f));
}

static bool has_levels(const TarnSolverClass* of, const void* solver)
{
    (void)solver;
    return of->set_detail && tarn_param_find(of->def_table(), "levels") != NULL;
}

// The lattice in the color of its level: green is the finest.
static void draw_levels(TarnPlay* play, void* solver, DebugLayers* d, Samples* s)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    TarnVec3 a, b;
    (void)s;
    if (!has_levels(of, solver) || !tool_box(play->world, solver, &a, &b)) return;
    float finest = (float)tool_def_value(of, solver, "dx", 1.0), dx = cell_size(of, solver);
    float level = log2f(dx / finest);
    uint32_t color = heat(0.45f + 0.25f * level);
    box(d, a, b, color);
    lattice(d, a, b, dx, color);
}

static void draw_forces(TarnPlay* play, DebugLayers* d)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    float g = tarn_world_def(play->world)->gravity;
    for (int i = 0; i < tarn_bodies_count(bodies); ++i) {
        TarnBodyId id = tarn_bodies_at(bodies, i);
        TarnBodyState state;
        TarnBodyForce force;
        float mass, volume;
        if (tarn_bodies_get_state(bodies, id, &state) != TARN_OK ||
            tarn_bodies_get_force(bodies, id, &force) != TARN_OK ||
            tarn_bodies_get_mass(bodies, id, &mass, &volume) != TARN_OK)
            continue;
        // An arrow as long as two of the body's sizes is its own weight.
        float size = 2.0f * cbrtf(volume), weight = mass * (g > 0.0f ? g : 9.81f);
        TarnVec3 way = vec3_scale(force.force, size / weight);
        float n = vec3_length(way);
        if (n > 4.0f * size) way = vec3_scale(way, 4.0f * size / n);
        if (n > 0.02f * size) arrow(play, d, state.position, way, rgba(0.3f, 0.9f, 1.0f, 1.0f));
        if (!tarn_bodies_is_driven(bodies, id))
            arrow(play, d, state.position, at(0.0f, -size, 0.0f), rgba(1.0f, 0.45f, 0.3f, 0.8f));
        float speed = vec3_length(state.velocity);
        if (speed > 0.05f)
            arrow(play, d, state.position, vec3_scale(state.velocity, 0.4f),
                  rgba(1.0f, 1.0f, 0.4f, 0.9f));
    }
}

// ---- Which there are -------------------------------------------------------------------------------------------------

static bool has_motion(const TarnSolverClass* of, const void* solver)
{
    TarnParticlesView drops;
    return of->surface || of->flow || get_drops(of, solver, &drops);
}
// Waves on a surface only move up and down.
static bool has_currents(const TarnSolverClass* of, const void* solver)
{
    (void)solver;
    return of->flow || (of->surface && (of->emitters >> TARN_EMITTER_SOURCE & 1u));
}
static bool has_pressure(const TarnSolverClass* of, const void* solver)
{
    (void)solver;
    return of == tarn_gas_class() || of == tarn_liquid_class();
}
static bool has_tiles(const TarnSolverClass* of, const void* solver)
{
    TarnTiles tiles;
    return of->tiles && of->tiles(solver, &tiles);
}
static bool has_neighbors(const TarnSolverClass* of, const void* solver)
{
    (void)solver;
    return of == tarn_liquid_class();
}
static bool has_fronts(const TarnSolverClass* of, const void* solver)
{
    (void)solver;
    return of == tarn_breakers_class();
}
static bool has_cells(const TarnSolverClass* of, const void* solver)
{
    return cell_size(of, solver) > 0.0f;
}

typedef struct DebugView {
    const char *id, *name, *help;
    bool (*suits)(const TarnSolverClass* of, const void* solver); // NULL: it is about bodies
    void (*draw)(TarnPlay* play, void* solver, DebugLayers* d, Samples* s);
} DebugView;

static const DebugView views[] = {
    { "velocity", "Velocity", "Arrows along the flow, and of drops and sparks; red is fast.",
      has_motion, draw_velocity },
    { "pressure", "Pressure",
      "Of liquids each particle, red is high; of gases a slice through the middle, red above 0 "
      "and blue below.",
      has_pressure, draw_pressure },
    { "divergence", "Divergence", "Where the flow spreads (red) or gathers (blue).", has_currents,
      draw_divergence },
    { "depth", "Depth", "Plumb lines from the surface to the bed; red is deep.", tool_has_surface,
      draw_depth },
    { "tiles", "Tiles asleep", "Orange tiles are computed, blue ones sleep.", has_tiles,
      draw_tiles },
    { "neighbors", "Neighbors", "Lines from some particles to all that they interact with.",
      has_neighbors, draw_neighbors },
    { "fronts", "Breaking fronts",
      "Lines that throw sheets: blue before the sheet begins, red at its full strength.",
      has_fronts, draw_fronts },
    { "grids", "Grids", "The box of each solver and its cells on the floor.", has_cells,
      draw_grids },
    { "levels", "Levels of detail", "Cells in the color of their level: green is the finest.",
      has_levels, draw_levels },
    { "forces", "Forces",
      "On each body: of the water (blue), its weight (red), its velocity (yellow).", NULL, NULL },
};
enum { N_VIEWS = sizeof views / sizeof views[0] };

static bool is_offered(const TarnPlay* play, const DebugView* view)
{
    void* solver;
    if (play->world == NULL) return false;
    if (view->suits == NULL) return tarn_bodies_count(tarn_world_bodies(play->world)) > 0;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
        if (view->suits(tarn_world_class_of(play->world, solver), solver)) return true;
    return false;
}

static const DebugView* nth(const TarnPlay* play, int n)
{
    for (int i = 0; i < N_VIEWS; ++i)
        if (is_offered(play, &views[i]) && n-- == 0) return &views[i];
    return NULL;
}

static int find(const char* id)
{
    for (int i = 0; i < N_VIEWS; ++i)
        if (strcmp(views[i].id, id) == 0) return i;
    return -1;
}

int tarn_play_debug_count(const TarnPlay* play)
{
    int n = 0;
    while (nth(play, n)) ++n;
    return n;
}
const char* tarn_play_debug_id(const TarnPlay* play, int n)
{
    return nth(play, n) ? nth(play, n)->id : NULL;
}
const char* tarn_play_debug_name(const TarnPlay* play, int n)
{
    return nth(play, n) ? nth(play, n)->name : NULL;
}
const char* tarn_play_debug_help(const TarnPlay* play, int n)
{
    return nth(play, n) ? nth(play, n)->help : NULL;
}

bool tarn_play_set_debug(TarnPlay* play, const char* id, bool is_on)
{
    int i = find(id);
    play_clear_error(play);
    if (i < 0 || !is_offered(play, &views[i]))
        return play_fail(play, "this scene has no debug view '%.40s'", id);
    play->debug = is_on ? play->debug | 1u << i : play->debug & ~(1u << i);
    return true;
}

bool tarn_play_is_debug(const TarnPlay* play, const char* id)
{
    int i = find(id);
    return i >= 0 && (play->debug >> i & 1u) != 0;
}

void debug_add(TarnPlay* play, TarnFrame* frame)
{
    if (play->debug == 0) return;
    Samples* samples = calloc(1, sizeof *samples);
    if (play->layers == NULL) play->layers = calloc(1, sizeof *play->layers);
    DebugLayers* d = play->layers;
    if (d && samples) {
        d->n = 0;
        for (int v = 0; v < N_VIEWS; ++v) {
            void* solver;
            if (!(play->debug >> v & 1u)) continue;
            if (views[v].draw == NULL) draw_forces(play, d);
            for (int i = 0;
                 views[v].draw && (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
                if (views[v].suits(tarn_world_class_of(play->world, solver), solver))
                    views[v].draw(play, solver, d, samples);
        }
        frame->lines = (TarnFrameLines){ .points = d->points, .colors = d->colors, .n = d->n };
    }
    free(samples);
}

void debug_free(TarnPlay* play)
{
    if (play->layers == NULL) return;
    free(play->layers->points);
    free(play->layers->colors);
    free(play->layers);
    play->layers = NULL;
}
