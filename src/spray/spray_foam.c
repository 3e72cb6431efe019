// Foam: a density on the grid, and particles, both carried by the water, fading with time.
//
// Method   The density is advected semi-Lagrangian with cubic interpolation, kept between the values it came from, and
//          gathers where the surface runs together. (MacCormack's scheme, tried first, lagged behind the flow.)
//          Particles ask the water every other step, half way, which is of second order; each fades at a time
//          of its own.

#include "spray/spray_internal.h"
#include <math.h>

static const float parts_per_area = 24.0f; // particles of fresh foam [1/m^2]
static const float thickest = 1.5f;        // foam that lies on foam

void tarn__spray_foam_at(TarnSpray* s, float x, float z, float area)
{
    if (spray_is_outside(s, x, z)) return;
    s->fresh[spray_cell(s, x, z)] += area;
}

// ---- Density -------------------------------------------------------------------------------------

static float gathered(const TarnSpray* s, int i, int k) // by what the surface shrinks in dt
{
    int i0 = i > 0 ? i - 1 : i, i1 = i < s->def.nx - 1 ? i + 1 : i;
    int k0 = k > 0 ? k - 1 : k, k1 = k < s->def.nz - 1 ? k + 1 : k;
    const TarnVec3* v = s->cells.velocity;
    float div = (v[spray_at(s, i1, k)].x - v[spray_at(s, i0, k)].x) / (float)(i1 - i0) +
                (v[spray_at(s, i, k1)].z - v[spray_at(s, i, k0)].z) / (float)(k1 - k0);
    return tarn_clampf(1.0f - div * s->dt / s->def.dx, 0.8f, 1.2f);
}

static void carry_row(int k, void* data)
{
    TarnSpray* s = data;
    float* row = s->foam_next + spray_at(s, 0, k);
    s->kernels->advect(s, k, row);
    for (int i = 0; i < s->def.nx; ++i) {
        float value = row[i] * gathered(s, i, k);
        row[i] = value > 1e-6f ? value : 0.0f;
    }
}

static void carry_density(TarnSpray* s)
{
    tarn__parallel_for(s->ctx, s->def.nz, carry_row, s);
    float keep = tarn_exp(-s->dt / s->params.foam_life), per = 1.0f / (s->def.dx * s->def.dx);
    for (size_t c = 0; c < spray_cells(s); ++c) { // fresh foam finds less and less room
        float old = s->foam_next[c] * keep, more = s->fresh[c] * per;
        float room = tarn_maxf(thickest - old, 0.0f);
        s->foam[c] = tarn_minf(old + more * room / (room + more + 1e-6f), thickest);
    }
}

// ---- Particles -----------------------------------------------------------------------------------

// Half of the foam asks for the water, in turn. It has come half of its way by then, so what it meets is the speed of the
// whole way: v_end = 2 v_mid - v_begin, a little damped, or what is not smooth would swing for ever.
static void ask_piece(const TarnSpray* s, int first, int n)
{
    const SprayPool* f = &s->foam_parts;
    float height[SPRAY_PIECE], depth[SPRAY_PIECE];
    TarnVec3 v[SPRAY_PIECE];
    TarnSurfaceSamples out = { .height = height, .velocity = v, .depth = depth };
    tarn__spray_ask(s, n, f->x + first, f->z + first, &out);
    for (int i = 0; i < n; ++i) {
        int p = first + i;
        f->vx[p] = v[i].x + 0.97f * (v[i].x - f->vx[p]);
        f->vz[p] = v[i].z + 0.97f * (v[i].z - f->vz[p]);
        f->vy[p] = v[i].y;
        f->y[p] = height[i];
        if (!(depth[i] > 0.0f)) f->age[p] += 4.0f * s->dt; // on dry land it seeps away
    }
}

static void drift_piece(const TarnSpray* s, int first, int n, bool asks)
{
    const SprayPool* f = &s->foam_parts;
    TarnVec2 o = tarn_spray_origin(s);
    float wx = (float)s->def.nx * s->def.dx, wz = (float)s->def.nz * s->def.dx;
    for (int p = first; p < first + n; ++p) {
        f->x[p] += s->dt * f->vx[p], f->y[p] += s->dt * f->vy[p], f->z[p] += s->dt * f->vz[p];
        f->age[p] += s->dt;
    }
    if (asks) ask_piece(s, first, n);
    for (int p = first; p < first + n; ++p) {
        bool is_in = f->x[p] >= o.x && f->x[p] <= o.x + wx && f->z[p] >= o.y && f->z[p] <= o.y + wz;
        f->fate[p] = f->age[p] >= f->life[p] || !is_in ? SPRAY_ENDS : SPRAY_STAYS;
    }
}

static void drift_block(int b, void* data)
{
    TarnSpray* s = data;
    int end = (b + 1) * SPRAY_BLOCK < s->foam_parts.n ? (b + 1) * SPRAY_BLOCK : s->foam_parts.n;
    for (int first = b * SPRAY_BLOCK; first < end; first += SPRAY_PIECE)
        drift_piece(s, first, end - first < SPRAY_PIECE ? end - first : SPRAY_PIECE,
                    (b & 1) == s->turn);
}

static void add_part(TarnSpray* s, size_t c)
{
    SprayPool* f = &s->foam_parts;
    TarnVec2 o = tarn_spray_origin(s);
    int p = f->n++;
    float i = (float)(c % (size_t)s->def.nx), k = (float)(c / (size_t)s->def.nx);
    f->x[p] = o.x + (i + spray_random(s)) * s->def.dx;
    f->z[p] = o.y + (k + spray_random(s)) * s->def.dx;
    f->y[p] = s->cells.height[c];
    f->vx[p] = s->cells.velocity[c].x, f->vy[p] = 0.0f, f->vz[p] = s->cells.velocity[c].z;
    f->age[p] = 0.0f;
    f->life[p] = s->params.foam_life * (0.2f + 1.6f * spray_random(s));
    f->radius[p] = 0.05f + 0.1f * spray_random(s);
    f->id[p] = (uint32_t)s->births;
    f->kind[p] = 0;
}

// The fuller the pool, the fewer are added, so that it never fills up at once.
static void add_parts(TarnSpray* s)
{
    const SprayPool* f = &s->foam_parts;
    for (size_t c = 0; c < spray_cells(s); ++c) {
        if (!(s->fresh[c] > 0.0f)) continue;
        double room = 1.0 - (double)f->n / (double)f->capacity;
        s->foam_owed += (double)(tarn_minf(s->fresh[c], 1e4f) * parts_per_area) *
                        (room < 0.25 ? 4.0 * room : 1.0);
        int n = (int)s->foam_owed;
        s->foam_owed -= (double)n;
        for (; n > 0 && f->n < f->capacity; --n) add_part(s, c);
    }
}

void tarn__spray_froth(TarnSpray* s)
{
    SprayPool* f = &s->foam_parts;
    carry_density(s);
    tarn__parallel_for(s->ctx, (f->n + SPRAY_BLOCK - 1) / SPRAY_BLOCK, drift_block, s);
    for (int p = spray_last_fate(f, f->n); p >= 0; p = spray_last_fate(f, p)) {
        if (f->fate[p] == SPRAY_ENDS) tarn__spray_remove(f, p);
    }
    add_parts(s);
}
