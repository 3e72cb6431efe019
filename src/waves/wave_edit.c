// Disturbances of the wave solver: drops, brush strokes, lines, wave makers.
//
// What is added goes to the height and leaves the speed alone. Drops and strokes give back in a ring
// what they take in the middle, so that the level never drifts.

#include "waves/wave_internal.h"
#include "base/maths.h"
#include <math.h>

typedef struct Segment { // in cells: cell (i, k) is at i, k
    float ax, az, dx, dz, length2;
} Segment;

static Segment make_segment(const TarnWave* wave, TarnVec2 a, TarnVec2 b)
{
    TarnVec2 origin = tarn_wave_origin(wave);
    float h = wave->def.dx;
    Segment s = { .ax = (a.x - origin.x) / h - 0.5f, .az = (a.y - origin.y) / h - 0.5f };
    s.dx = (b.x - a.x) / h;
    s.dz = (b.y - a.y) / h;
    s.length2 = s.dx * s.dx + s.dz * s.dz;
    return s;
}

static float distance(const Segment* s, int i, int k) // [cells]
{
    float x = (float)i - s->ax, z = (float)k - s->az;
    float t =
        s->length2 > 0.0f ? tarn_clampf((x * s->dx + z * s->dz) / s->length2, 0.0f, 1.0f) : 0.0f;
    x -= t * s->dx;
    z -= t * s->dz;
    return sqrtf(x * x + z * z);
}

// Cells within reach of the segment, clipped to the grid. Returns false if there are no such cells.
static bool clip(const TarnWave* wave, const Segment* s, float reach, int box[4])
{
    const int n[2] = { wave->def.nx, wave->def.nz };
    const float from[2] = { s->ax, s->az }, to[2] = { s->ax + s->dx, s->az + s->dz };
    for (int axis = 0; axis < 2; ++axis) {
        float lo = tarn_minf(from[axis], to[axis]) - reach,
              hi = tarn_maxf(from[axis], to[axis]) + reach;
        if (!(hi >= 0.0f && lo <= (float)(n[axis] - 1))) return false;
        box[2 * axis] = (int)tarn_maxf(lo, 0.0f);
        box[2 * axis + 1] = (int)tarn_minf(hi, (float)(n[axis] - 1)) + 1;
    }
    return true;
}

static float bump(float s) // 1 at 0, smooth to 0 at +-1
{
    return s > -1.0f && s < 1.0f ? 0.5f + 0.5f * tarn_cos(3.14159265f * s) : 0.0f;
}

static TarnResult check_edit(TarnWave* wave, const char* what, TarnVec2 a, TarnVec2 b, float radius,
                             float height)
{
    if (wave == NULL) return TARN_ERR_ARG;
    const float limit = 1e6f;
    const float coordinates[4] = { a.x, a.y, b.x, b.y };
    if (!tarn__all_within(coordinates, 4, limit)) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "%s: position (%g, %g) to (%g, %g) is out of range; allowed: +-1e6 m",
                          what, (double)a.x, (double)a.y, (double)b.x, (double)b.y);
    }
    if (!(radius > 0.0f && radius <= limit)) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "%s: radius %g m is out of range; allowed: above 0 up to 1e6 m", what,
                          (double)radius);
    }
    if (!(height >= -1e3f && height <= 1e3f)) {
        return tarn__fail(wave->ctx, TARN_ERR_ARG,
                          "%s: height %g m is out of range; allowed: -1000 to 1000 m", what,
                          (double)height);
    }
    return TARN_OK;
}

// A dip along the segment and a wall around it that holds just what the dip gave.
static void carve(TarnWave* wave, TarnVec2 a, TarnVec2 b, float radius, float height)
{
    Segment s = make_segment(wave, a, b);
    float r = tarn_maxf(radius / wave->def.dx, 1.5f); // narrower ones would be noise
    int box[4];
    if (!clip(wave, &s, 2.0f * r, box)) return;
    double dip = 0.0, ring = 0.0;
    for (int pass = 0; pass < 2; ++pass) {                         // weigh, then add
        if (dip > 2.0 * ring) height *= (float)(2.0 * ring / dip); // little room: no spikes
        float fill = ring > 0.0 ? (float)((double)height * dip / ring) : 0.0f;
        if (pass == 1 && !(ring > 0.0)) return; // no room for the ring: keep the volume instead
        for (int k = box[2]; k < box[3]; ++k) {
            for (int i = box[0]; i < box[1]; ++i) {
                size_t c = wave_cell(wave, i, k);
                if (!wave_is_wet(wave, c)) continue;
                float d = distance(&s, i, k) / r;
                float inner = bump(d), outer = bump(2.0f * d - 3.0f);
                dip += (double)inner;
                ring += (double)outer;
                if (pass == 0) continue;
                float amount = fill * outer - height * inner;
                wave->expected += (double)(tarn__wave_add(wave, c, amount) - amount);
            }
        }
    }
    tarn__wave_touch(wave, box[0], box[1], box[2], box[3]);
    wave->is_edited = true;
}

TarnResult tarn_wave_add_drop(TarnWave* wave, TarnVec2 center, float radius, float height)
{
    TARN_TRY(check_edit(wave, "tarn_wave_add_drop", center, center, radius, height));
    carve(wave, center, center, radius, height);
    return TARN_OK;
}

TarnResult tarn_wave_add_stroke(TarnWave* wave, TarnVec2 a, TarnVec2 b, float radius, float height)
{
    TARN_TRY(check_edit(wave, "tarn_wave_add_stroke", a, b, radius, height));
    carve(wave, a, b, radius, height);
    return TARN_OK;
}

static TarnResult check_dt(TarnWave* wave, const char* what, float dt)
{
    if (dt >= 0.0f && dt <= 10.0f) return TARN_OK;
    return tarn__fail(wave->ctx, TARN_ERR_ARG, "%s: dt %g s is out of range; allowed: 0 to 10 s",
                      what, (double)dt);
}

// A source of q [m^2/s] per length of line sends q / (2 c) to each side.
TarnResult tarn_wave_add_line(TarnWave* wave, TarnVec2 a, TarnVec2 b, float height, float dt)
{
    TARN_TRY(check_edit(wave, "tarn_wave_add_line", a, b, 1.0f, height));
    TARN_TRY(check_dt(wave, "tarn_wave_add_line", dt));
    const float half_width = 2.0f; // [cells]
    Segment s = make_segment(wave, a, b);
    int box[4];
    if (!clip(wave, &s, half_width, box)) return TARN_OK;
    for (int k = box[2]; k < box[3]; ++k) {
        for (int i = box[0]; i < box[1]; ++i) {
            size_t c = wave_cell(wave, i, k);
            float d = distance(&s, i, k);
            if (!wave_is_wet(wave, c) || d >= half_width) continue;
            float share = (1.0f - d / half_width) / half_width; // sums to 1 across the line
            float push = 2.0f * tarn__wave_cell_speed(wave, c) * height * dt / wave->def.dx * share;
            double added = (double)tarn__wave_add(wave, c, push);
            wave->sourced += added;
            wave->expected += added;
        }
    }
    tarn__wave_touch(wave, box[0], box[1], box[2], box[3]);
    wave->is_edited = true;
    return TARN_OK;
}

// All of a source at a wall goes one way: q = c * height.
TarnResult tarn_wave_drive_edge(TarnWave* wave, int edge, float height, float dt)
{
    TarnVec2 none = { 0.0f, 0.0f };
    TARN_TRY(check_edit(wave, "tarn_wave_drive_edge", none, none, 1.0f, height));
    TARN_TRY(check_dt(wave, "tarn_wave_drive_edge", dt));
    if (edge < 0 || edge > 3) {
        return tarn__fail(
            wave->ctx, TARN_ERR_ARG,
            "tarn_wave_drive_edge: edge %d is not one of 0 (-x), 1 (+x), 2 (-z), 3 (+z)", edge);
    }
    int nx = wave->def.nx, nz = wave->def.nz;
    bool is_along_z = edge < 2; // the edge is a column of cells
    int n = is_along_z ? nz : nx, at = edge == 0 || edge == 2 ? 0 : (is_along_z ? nx : nz) - 1;
    for (int j = 0; j < n; ++j) {
        size_t c = is_along_z ? wave_cell(wave, at, j) : wave_cell(wave, j, at);
        if (!wave_is_wet(wave, c)) continue;
        float push = tarn__wave_cell_speed(wave, c) * height * dt / wave->def.dx;
        double added = (double)tarn__wave_add(wave, c, push);
        wave->sourced += added;
        wave->expected += added;
    }
    if (is_along_z)
        tarn__wave_touch(wave, at, at + 1, 0, nz);
    else
        tarn__wave_touch(wave, 0, nx, at, at + 1);
    wave->is_edited = true;
    return TARN_OK;
}
