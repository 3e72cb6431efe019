// The kernels of particles: what the params come to, and which particles need no look at their neighbors.
//
// The params ask for the surface of calm liquid at a distance from the uppermost particles. Which value of the
// field that is depends on the method, the radius, the stretch and the smoothing, so it is measured: on half a
// space of particles on a cubic lattice, whose layers all have one kernel each.

#include "mesh/particle_surface_kernels.h"
#include "base/maths.h"

enum {
    MAX_LAYERS = 16,
    SAMPLES = 4,      // along both axes of a square of the lattice
    DEEP_TASK = 4096, // cells
};
static const double kernel_norm =
    1.5666814710608448; // 315 / (64 pi): the integral of (1 - r^2)^3 is 1 / it

// ---- Half a space of particles, in spacings -----------------------------------------------------------

typedef struct Layer {
    double w;          // sum of weights
    double way;        // to the mean of the neighbors, upwards
    double flat, high; // variance along the layer, across it
} Layer;

typedef struct Lattice {
    double support, look, smoothing, stretch, least, most, lone;
    int n; // layers that differ; below they are as the last one
    Layer layer[MAX_LAYERS];
} Lattice;

static double clampd(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static double weight_at(const Lattice* p, int i, int j, int k)
{
    double w = 1.0 - (double)(i * i + j * j + k * k) / (p->look * p->look);
    return w > 0.0 ? w : 0.0;
}

static const Layer* layer_at(const Lattice* p, int k)
{
    return &p->layer[k < p->n ? k : p->n - 1];
}

static void measure_layer(Lattice* p, int k)
{
    int r = (int)p->look;
    double w = 0.0, y = 0.0, xx = 0.0, yy = 0.0;
    for (int j = -r; j <= (k < r ? k : r); ++j) { // j up: layer k - j
        for (int i = -r; i <= r; ++i) {
            for (int l = -r; l <= r; ++l) {
                double a = weight_at(p, i, j, l);
                w += a, y += a * j, xx += a * i * i, yy += a * j * j;
            }
        }
    }
    Layer* out = &p->layer[k];
    out->w = w;
    out->way = y / w;
    out->flat = xx / w;
    out->high = yy / w - out->way * out->way;
}

// As size_axes in particle_shape_kernels.c.
static void size_axes(const Lattice* p, const Layer* layer, double* flat, double* high)
{
    const Layer* full = layer_at(p, MAX_LAYERS);
    double a = sqrt(layer->flat / full->flat), b = sqrt(layer->high / full->flat);
    double longest = a > b ? a : b;
    double t = clampd((layer->w - 1.5) / 1.5, 0.0, 1.0), trust = t * t * (3.0 - 2.0 * t);
    double shortest = longest / p->stretch;
    a = a > shortest ? a : shortest, b = b > shortest ? b : shortest;
    double quarter = sqrt(sqrt(clampd(a * a * b, 1e-4, 1e4))), sixteenth = sqrt(sqrt(quarter));
    double whole = 1.0 / (quarter * sixteenth * sqrt(sqrt(sixteenth)));
    *flat = clampd(p->lone + trust * (a * whole - p->lone), p->least, p->most);
    *high = clampd(p->lone + trust * (b * whole - p->lone), p->least, p->most);
}

// The sum of the kernels of a layer at a height above it, mean of several places. Axes in spacings.
static double sum_of_layer(double flat, double high, double height)
{
    double up = height / high, weight = kernel_norm / (flat * flat * high), sum = 0.0;
    int reach = (int)flat + 1;
    for (int c = 0; c < SAMPLES * SAMPLES && up * up < 1.0; ++c) {
        double x = (c % SAMPLES + 0.5) / SAMPLES, z = (c / SAMPLES + 0.5) / SAMPLES;
        for (int i = -reach; i <= reach + 1; ++i) {
            for (int l = -reach; l <= reach + 1; ++l) {
                double dx = (x - i) / flat, dz = (z - l) / flat;
                double t = 1.0 - dx * dx - dz * dz - up * up;
                if (t > 0.0) sum += weight * t * t * t;
            }
        }
    }
    return sum / (SAMPLES * SAMPLES);
}

// The sum of all kernels at a height above the uppermost particles.
static double sum_at(const Lattice* p, bool is_round, double height)
{
    double sum = 0.0;
    for (int k = 0; k < 2 * MAX_LAYERS; ++k) {
        double flat = 1.0, high = 1.0, y = -k;
        if (!is_round) {
            size_axes(p, layer_at(p, k), &flat, &high);
            y += p->smoothing * layer_at(p, k)->way;
        }
        sum += sum_of_layer(flat * p->support, high * p->support, height - y);
    }
    return sum;
}

// The share of their weight that kernels of a sheet one particle thick keep, so that it is as thick as the
// level says, and not as if it had the rest of the liquid below it.
static double sheet_share(const Lattice* p, double level, double iso)
{
    int r = (int)p->look;
    Layer sheet = { .w = 0.0 };
    for (int i = -r; i <= r; ++i) {
        for (int l = -r; l <= r; ++l) {
            double a = weight_at(p, i, 0, l);
            sheet.w += a, sheet.flat += a * i * i;
        }
    }
    double flat, high;
    sheet.flat /= sheet.w;
    size_axes(p, &sheet, &flat, &high);
    double sum = sum_of_layer(flat * p->support, high * p->support, level);
    return clampd(iso * iso / (sum + 1e-9), 0.3, 1.0);
}

// The distance to the mean of the particles around, mean of several places.
static double distance_at(const Lattice* p, double height)
{
    double total = 0.0, r = p->support;
    int reach = (int)r + 1;
    for (int c = 0; c < SAMPLES * SAMPLES; ++c) {
        double x = (c % SAMPLES + 0.5) / SAMPLES, z = (c / SAMPLES + 0.5) / SAMPLES;
        double w = 1e-20, sx = 0.0, sy = 0.0, sz = 0.0;
        for (int k = 0; k <= reach; ++k) {
            for (int i = -reach; i <= reach + 1; ++i) {
                for (int l = -reach; l <= reach + 1; ++l) {
                    double dx = i - x, dy = -k - height, dz = l - z;
                    double t = 1.0 - (dx * dx + dy * dy + dz * dz) / (r * r);
                    if (!(t > 0.0)) continue;
                    t = t * t * t;
                    w += t, sx += t * dx, sy += t * dy, sz += t * dz;
                }
            }
        }
        total += sqrt(sx * sx + sy * sy + sz * sz) / w;
    }
    return total / (SAMPLES * SAMPLES);
}

static Lattice lattice_of(const TarnParticleSurfaceDef* def,
                          const TarnParticleSurfaceParams* params)
{
    Lattice p = { .support = (double)params->radius, .smoothing = (double)params->smoothing };
    p.stretch = (double)params->stretch;
    p.look = 1.2 * p.support;
    // Kernels thinner than cells would fall through between nodes.
    p.least = clampd(1.2 * (double)def->cell / p.support, 0.1, 1.0);
    p.most = 1.6;
    p.lone = clampd(1.0 / p.support, p.least, 1.0); // a spacing
    p.n = (int)p.look + 2;
    for (int k = 0; k < p.n; ++k) measure_layer(&p, k);
    return p;
}

SurfaceShape tarn__surface_shape(const TarnParticleSurfaceDef* def,
                                 const TarnParticleSurfaceParams* params)
{
    Lattice p = lattice_of(def, params);
    const Layer* full = layer_at(&p, MAX_LAYERS);
    double d = (double)def->spacing, level = (double)params->level, r = p.support;
    SurfaceShape k = { .method = params->method, .support = (float)(r * d) };
    k.look = (float)(p.look * d);
    k.smoothing = params->smoothing, k.stretch = params->stretch;
    k.least = (float)p.least, k.most = (float)p.most, k.lone = (float)p.lone;
    k.inner = 0.6f; // smaller ones leave holes between them
    k.full = (float)full->w;
    k.inv_variance = (float)(1.0 / (full->flat * d * d));
    k.weight = (float)(kernel_norm / (r * r * r));
    k.sheet = 1.0f;
    if (k.method == TARN_PARTICLE_SURFACE_ZHU_BRIDSON) {
        k.ball = (float)(distance_at(&p, level) * d);
        k.outside = (float)(r * d) - k.ball;
        k.inside = -k.ball;
        if (!(k.outside > 0.1f * k.support)) k.outside = 0.1f * k.support;
        return k;
    }
    bool is_round = k.method == TARN_PARTICLE_SURFACE_DENSITY;
    // A level that kernels hardly reach is brought to where they do.
    double iso = sqrt(clampd(sum_at(&p, is_round, level), 0.03, 0.97));
    double slope =
        (sqrt(sum_at(&p, is_round, level - 0.1)) - sqrt(sum_at(&p, is_round, level + 0.1))) / 0.2;
    slope = clampd(slope, 0.1, 10.0);
    k.iso = (float)iso;
    k.scale = (float)(d / slope);
    k.sheet = (float)sheet_share(&p, level, iso);
    k.outside = k.iso * k.scale;
    k.inside = (k.iso - 1.0f) * k.scale;
    return k;
}

// ---- Deep cells -----------------------------------------------------------------------------------------

// Particles of a cell that is full, with full cells around it, have neighbors on all sides: their kernels are
// round, and they do not move to the mean of their neighbors.
static bool is_deep(const Neighbors* nb, int cell, int full)
{
    int nx = nb->cells[0], ny = nb->cells[1], nz = nb->cells[2];
    const int* begin = nb->cell_begin;
    if (begin[cell + 1] - begin[cell] < full) return false;
    int row = cell / nx, z = row / ny, x = cell - row * nx, y = row - z * ny;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) return false;
    for (int k = -1; k <= 1; ++k)
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {
                int c = cell + (k * ny + j) * nx + i;
                if (begin[c + 1] - begin[c] < full) return false;
            }
    return true;
}

typedef struct Shaping {
    TarnParticleSurface* s;
    const ParticleShapeKernels* kernels;
    int n_cells, full;
} Shaping;

static void deep_task(int task, void* data)
{
    const Shaping* w = data;
    int begin = task * DEEP_TASK, end = begin + DEEP_TASK;
    for (int c = begin; c < end && c < w->n_cells; ++c)
        w->s->is_deep[c] = w->full > 0 && is_deep(&w->s->nb, c, w->full);
}

static int end_of(const TarnParticleSurface* s, int task)
{
    int end = (task + 1) * SURFACE_SHAPE_TASK;
    return end < s->n ? end : s->n;
}
static void shape_task(int task, void* data)
{
    const Shaping* w = data;
    int begin = task * SURFACE_SHAPE_TASK;
    w->s->task_reach[task] = w->kernels->shape(w->s, begin, end_of(w->s, task));
}

void tarn__surface_shape_particles(TarnParticleSurface* s)
{
    Shaping w = { .s = s, .kernels = TARN_KERNELS_PICK(s->ctx->isa, tarn__particle_shape_kernels) };
    const Neighbors* nb = &s->nb;
    w.n_cells = nb->cells[0] * nb->cells[1] * nb->cells[2];
    // Three quarters of what a cell holds at rest. Cells that wrap hold strangers.
    float in_spacings = s->shape.look / s->def.spacing,
          at_rest = in_spacings * in_spacings * in_spacings;
    bool is_wrapped = nb->wraps[0] || nb->wraps[1] || nb->wraps[2];
    w.full = is_wrapped ? 0 : (int)(0.75f * at_rest + 0.5f);
    if (w.full < 2) w.full = 0;
    tarn__parallel_for(s->ctx, (w.n_cells + DEEP_TASK - 1) / DEEP_TASK, deep_task, &w);
    int tasks = (s->n + SURFACE_SHAPE_TASK - 1) / SURFACE_SHAPE_TASK;
    tarn__parallel_for(s->ctx, tasks, shape_task, &w);
    s->reach = 0.0f;
    for (int t = 0; t < tasks; ++t) s->reach = tarn_maxf(s->reach, s->task_reach[t]);
}
