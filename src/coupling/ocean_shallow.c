// The sea around a window of shallow water: its long waves come in through the absorbing edges.
//
// Method   Each wave of the sea with the height eta has the depth-averaged velocity w eta / (k H), which carries its volume.
//          What comes in at an edge is the characteristic of both that points inwards, which for a wave that meets the
//          edge at an angle a is (1 + w / (k sqrt(g H)) cos a) / 2 of its height. So waves that leave count as good as
//          nothing, and all four edges are treated alike.
// Differs  from a band in which both waters are blended: shallow water absorbs at its edges already, and a band would need
//          waves that the window does not hold.
// Checked  tests/physics/check_coast.c

#include "base/maths.h"
#include "ocean/ocean_internal.h"
#include "shallow/shallow_internal.h"
#include "tarn/coupling.h"

static const double TWO_PI = 6.283185307179586476925;

typedef struct Edge {
    TarnVec2 first, step; // of its cells [m]
    TarnVec2 inward;      // unit vector
    int n;
} Edge;

static Edge edge_of(const TarnShallow* water, int side)
{
    const TarnShallowDef* def = &water->def;
    TarnVec2 at = tarn_shallow_origin(water);
    float half = 0.5f * def->dx;
    Edge e = { .first = { at.x + half, at.y + half }, .n = side < 2 ? def->nz : def->nx };
    if (side < 2) {
        e.step.y = def->dx;
        e.inward.x = side == 0 ? 1.0f : -1.0f;
        e.first.x = side == 0 ? at.x : at.x + (float)def->nx * def->dx;
    } else {
        e.step.x = def->dx;
        e.inward.y = side == 2 ? 1.0f : -1.0f;
        e.first.y = side == 2 ? at.y : at.y + (float)def->nz * def->dx;
    }
    return e;
}

// Of a wave that enters: shallow water would carry those that are short for the depth too fast.
static float wave_share(float k_depth)
{
    return tarn_clampf((1.4f - k_depth) / 0.7f, 0.0f, 1.0f);
}

// One wave along an edge: its phase grows evenly, so it is turned from cell to cell.
static void add_wave(const TarnOceanWave* wave, double time, float depth, float gravity,
                     const Edge* e, float* heights)
{
    double kx = (double)wave->kx, kz = (double)wave->kz, k = sqrt(kx * kx + kz * kz);
    double turns = (double)wave->frequency / TWO_PI * time;
    double phase = kx * (double)e->first.x + kz * (double)e->first.y + (double)wave->phase -
                   TWO_PI * (turns - floor(turns));
    phase -= TWO_PI * floor(phase / TWO_PI);
    float fade = wave_share((float)k * depth);
    float slower = wave->frequency / ((float)k * sqrtf(gravity * depth));
    float cosine = (wave->kx * e->inward.x + wave->kz * e->inward.y) / (float)k;
    float share = 0.5f * (1.0f + slower * cosine) * fade, c, s, turn_c, turn_s;
    tarn_sincos((float)phase, &s, &c);
    tarn_sincos((float)(kx * (double)e->step.x + kz * (double)e->step.y), &turn_s, &turn_c);
    for (int i = 0; i < e->n; ++i) {
        heights[i] += wave->amplitude * share * c;
        float next = c * turn_c - s * turn_s;
        s = s * turn_c + c * turn_s, c = next;
    }
}

// ---- The window at the start --------------------------------------------------------------------------------------

enum { PIECE = 64 }; // cells of a row at a time

typedef struct Piece {
    float rise[PIECE], u[PIECE], w[PIECE];
} Piece;

// One wave at n cells from the corner at x, z [m] on: its height at their centers, its speeds at their first faces.
static void add_to_piece(const TarnOceanWave* wave, double time, const TarnOceanDef* sea, double x,
                         double z, float dx, int n, Piece* to)
{
    double kx = (double)wave->kx, kz = (double)wave->kz, k = sqrt(kx * kx + kz * kz);
    double turns = (double)wave->frequency / TWO_PI * time + (double)wave->phase / -TWO_PI;
    turns = (kx * x + kz * z) / TWO_PI - turns;
    float fade = wave_share((float)k * sea->depth), size = wave->amplitude * fade;
    float speed = wave->frequency / ((float)(k * k) * sea->depth);
    float half_x = 0.5f * dx * wave->kx, half_z = 0.5f * dx * wave->kz, c, s, turn_c, turn_s;
    float cx, sx, cz, sz;
    tarn_sincos((float)(TWO_PI * (turns - floor(turns))) + half_x + half_z, &s, &c);
    tarn_sincos(2.0f * half_x, &turn_s, &turn_c);
    tarn_sincos(half_x, &sx, &cx);
    tarn_sincos(half_z, &sz, &cz);
    for (int i = 0; i < n; ++i) {
        to->rise[i] += size * c;
        to->u[i] += size * speed * wave->kx * (c * cx + s * sx);
        to->w[i] += size * speed * wave->kz * (c * cz + s * sz);
        float next = c * turn_c - s * turn_s;
        s = s * turn_c + c * turn_s, c = next;
    }
}

// The waves are there from the start, but for water less than half as deep as the sea, where they fade: otherwise a calm
// window would lie in the swell until its waves have crossed it.
static void start_window(const TarnOcean* ocean, TarnShallow* water)
{
    const TarnShallowDef* def = &water->def;
    TarnVec2 at = tarn_shallow_origin(water);
    for (int k = 0; k < def->nz; ++k) {
        for (int i0 = 0; i0 < def->nx; i0 += PIECE) {
            int n = def->nx - i0 < PIECE ? def->nx - i0 : PIECE;
            Piece piece = { 0 };
            for (int w = 0; w < ocean->n_long; ++w)
                add_to_piece(&ocean->long_wave[w], tarn__ocean_looped(ocean), &ocean->def,
                             (double)at.x + (double)def->dx * i0,
                             (double)at.y + (double)def->dx * k, def->dx, n, &piece);
            for (int i = 0; i < n; ++i) {
                float deep =
                    (def->level - water->b[shallow_cell(water, i0 + i, k)]) / ocean->def.depth;
                float share = tarn_clampf(2.5f * (deep - 0.1f), 0.0f, 1.0f);
                piece.rise[i] = tarn_clampf(share * piece.rise[i], -1e3f, 1e3f);
                piece.u[i] *= share, piece.w[i] *= share;
            }
            tarn__shallow_put_waves(water, i0, k, n, piece.rise, piece.u, piece.w);
        }
    }
}

TarnResult tarn_couple_ocean_shallow(const TarnOcean* ocean, TarnShallow* water)
{
    if (ocean == NULL || water == NULL) return TARN_ERR_ARG;
    const TarnShallowDef* def = &water->def;
    const int kinds[4] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    bool is_open = false;
    for (int side = 0; side < 4; ++side) is_open |= kinds[side] == TARN_SHALLOW_ABSORBING;
    if (is_open && water->time == 0.0 && def->has_level && ocean->n_long > 0)
        start_window(ocean, water);
    for (int side = 0; side < 4 && ocean->n_long > 0; ++side) {
        if (kinds[side] != TARN_SHALLOW_ABSORBING) continue;
        Edge e = edge_of(water, side);
        float* heights = water->sent[side];
        memset(heights, 0, (size_t)e.n * sizeof(float));
        for (int i = 0; i < ocean->n_long; ++i)
            add_wave(&ocean->long_wave[i], tarn__ocean_looped(ocean), ocean->def.depth,
                     ocean->def.gravity, &e, heights);
        for (int j = 0; j < e.n; ++j) heights[j] = tarn_clampf(heights[j], -1e3f, 1e3f);
        water->is_sent[side] = true;
    }
    return TARN_OK;
}
