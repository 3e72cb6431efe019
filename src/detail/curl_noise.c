// The Flow plug of curl noise, and how it bends around solids.
//
// Method   [Bridson2007], and R. Bridson's remark for 3-D: near a solid at distance d with normal n the
//          potential becomes  a psi + (1 - a) n (n . psi),  a = |ramp(d / reach)|: at the surface only
//          the part along n is left, whose curl has no component along n. A solid that moves adds, with
//          the weight 1 - ramp, a potential whose curl is its own motion V + omega x r:
//              (V x r) / 2 + (R^2 - |r|^2) omega / 2.
//          Far from solids the curl is exact; within their reach it is taken by central differences of
//          the potential, for the normals have no formula.
// Differs  of several solids the nearest counts, with its own motion for all six differences.
// Checked  tests/unit/test_curl_noise.c.

#include "tarn/curl_noise.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "grid/curl.h"
#include "particles/solids_internal.h"

enum { BLOCK = 64, NEAR_SOLIDS = 16 };

#define N TarnCurlNoise
static const TarnParam params[] = {
    P_FLOAT(N, speed, "m/s", 0, 1e3, 1, "Root mean square speed of all octaves together."),
    P_FLOAT(N, size, "m", 1e-3, 1e5, 1, "Size of the largest eddies."),
    P_INT(N, octaves, "", 1, TARN_CURL_NOISE_OCTAVES, 3,
          "Number of octaves, each with eddies half as large as the one before."),
    P_FLOAT(N, gain, "", 0, 1, 0.7937,
            "Speed of an octave relative to the one before; 0.79 is that of real turbulence."),
    P_FLOAT(N, change, "1/s", 0, 1e3, 0.5,
            "How often eddies of the first octave are replaced; larger values flicker more."),
    P_VEC3(N, wind, "m/s", -1e3, 1e3, 0, 0, 0,
           "Wind that carries the eddies along and is added to the velocity."),
    P_FLOAT(N, reach, "m", 0, 1e4, 0,
            "Distance from solids within which the flow bends around them; 0 uses size / 4."),
    P_INT(N, seed, "", 0, 1e9, 1, "Random seed; each value gives a different flow."),
};
#undef N
static const TarnParamTable table = PARAM_TABLE("curl_noise", TarnCurlNoise, params);

const TarnParamTable* tarn_curl_noise_table(void)
{
    return &table;
}

void tarn_curl_noise_init(TarnCurlNoise* out, size_t size, const TarnContext* ctx)
{
    TarnCurlNoise noise = { .isa = (int)tarn_context_isa(ctx) };
    tarn_param_defaults(&table, &noise);
    TARN_INIT_DEF(TarnCurlNoise, out, size, &noise);
}

// ---- Solids -------------------------------------------------------------------------------------

typedef struct Bend {
    const TarnCurlNoise* noise;
    const Curl* curl;
    const CurlKernels* kernels;
    float reach, step; // [m]
} Bend;

static float ramp(float r) // [Bridson2007]: odd, 1 from 1 on, smooth
{
    if (r >= 1.0f) return 1.0f;
    if (r <= -1.0f) return -1.0f;
    float r2 = r * r;
    return r * (1.875f - r2 * (1.25f - 0.375f * r2));
}

static bool nearest_solid(const Bend* b, TarnVec3 at, float reach, const int* slots, int n_slots,
                          SolidContact* out)
{
    return tarn__solids_contacts(b->noise->solids, slots, n_slots, 1.0f, 3, at, reach, out, 1) > 0;
}

// The potential of the motion of a solid: its curl is V + omega x r.
static TarnVec3 motion_potential(const Bend* b, int slot, TarnVec3 arm)
{
    TarnVec3 velocity, spin;
    tarn__solids_get_velocity(b->noise->solids, slot, &velocity, &spin);
    velocity = vec3_sub(velocity, b->noise->wind); // which is added to everything
    float r2 = b->reach * b->reach - vec3_dot(arm, arm);
    return vec3_scale(vec3_add(vec3_cross(velocity, arm), vec3_scale(spin, r2)), 0.5f);
}

// Bends the potential psi at a point `arm` from the center of the nearest solid.
static TarnVec3 bent_potential(const Bend* b, int slot, TarnVec3 at, TarnVec3 arm, TarnVec3 psi)
{
    SolidContact near;
    if (!nearest_solid(b, at, 2.0f * b->reach, &slot, 1, &near)) return psi;
    float r = ramp(near.distance / b->reach), a = fabsf(r);
    TarnVec3 along = vec3_scale(near.normal, vec3_dot(near.normal, psi) * (1.0f - a));
    TarnVec3 own = vec3_scale(motion_potential(b, slot, arm), 1.0f - tarn_maxf(r, 0.0f));
    return vec3_add(vec3_add(vec3_scale(psi, a), along), own);
}

static TarnVec3 bent_velocity(const Bend* b, TarnVec3 at, const SolidContact* near)
{
    const float h = b->step;
    float p[3][6], psi[3][6];
    for (int s = 0; s < 6; ++s) { // -x, +x, -y, +y, -z, +z
        float d = s % 2 ? h : -h;
        p[0][s] = at.x + (s / 2 == 0 ? d : 0.0f);
        p[1][s] = at.y + (s / 2 == 1 ? d : 0.0f);
        p[2][s] = at.z + (s / 2 == 2 ? d : 0.0f);
    }
    b->kernels->potential(b->curl, 6, p[0], p[1], p[2], psi[0], psi[1], psi[2]);
    // The center of the solid: the nearest point of its surface less the way there from the center.
    TarnVec3 surface = vec3_sub(at, vec3_scale(near->normal, near->distance));
    TarnVec3 center = vec3_sub(surface, near->arm);
    for (int s = 0; s < 6; ++s) {
        TarnVec3 q = { p[0][s], p[1][s], p[2][s] };
        TarnVec3 bent = bent_potential(b, near->solid, q, vec3_sub(q, center),
                                       (TarnVec3){ psi[0][s], psi[1][s], psi[2][s] });
        psi[0][s] = bent.x, psi[1][s] = bent.y, psi[2][s] = bent.z;
    }
    float dx = p[0][1] - p[0][0], dy = p[1][3] - p[1][2], dz = p[2][5] - p[2][4];
    return (TarnVec3){ (psi[2][3] - psi[2][2]) / dy - (psi[1][5] - psi[1][4]) / dz,
                       (psi[0][5] - psi[0][4]) / dz - (psi[2][1] - psi[2][0]) / dx,
                       (psi[1][1] - psi[1][0]) / dx - (psi[0][3] - psi[0][2]) / dy };
}

// The slots near a block of points; the box around them, grown by the reach.
static int slots_near(const Bend* b, int n, const float* x, const float* y, const float* z,
                      int slots[NEAR_SOLIDS])
{
    TarnVec3 low = { x[0], y[0], z[0] }, high = low;
    for (int i = 1; i < n; ++i) {
        low = (TarnVec3){ tarn_minf(low.x, x[i]), tarn_minf(low.y, y[i]), tarn_minf(low.z, z[i]) };
        high =
            (TarnVec3){ tarn_maxf(high.x, x[i]), tarn_maxf(high.y, y[i]), tarn_maxf(high.z, z[i]) };
    }
    TarnVec3 grow = { b->reach, b->reach, b->reach };
    return tarn__solids_near(b->noise->solids, vec3_sub(low, grow), vec3_add(high, grow), slots,
                             NEAR_SOLIDS);
}

static void bend_block(const Bend* b, int n, const float* x, const float* y, const float* z,
                       float* const v[3])
{
    int slots[NEAR_SOLIDS];
    int n_slots = slots_near(b, n, x, y, z, slots);
    for (int i = 0; i < n && n_slots > 0; ++i) {
        TarnVec3 at = { x[i], y[i], z[i] };
        SolidContact near;
        if (!nearest_solid(b, at, b->reach, slots, n_slots, &near)) continue;
        TarnVec3 bent = bent_velocity(b, at, &near);
        v[0][i] = bent.x, v[1][i] = bent.y, v[2][i] = bent.z;
    }
}

// ---- The plug -----------------------------------------------------------------------------------

static void write_block(const TarnCurlNoise* noise, int n, const bool* is_inside,
                        const float* const v[3], int first, const TarnFlowSamples* out)
{
    for (int i = 0; i < n; ++i) {
        TarnVec3 velocity = vec3_add((TarnVec3){ v[0][i], v[1][i], v[2][i] }, noise->wind);
        if (!is_inside[i]) velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        if (out->velocity) out->velocity[first + i] = velocity;
        if (out->presence) out->presence[first + i] = is_inside[i] ? 1.0f : 0.0f;
        if (out->density) out->density[first + i] = 0.0f;
        if (out->temperature) out->temperature[first + i] = 0.0f;
    }
}

// Values that were changed to something out of their range since the flow was made.
static TarnCurlNoise tamed(const TarnCurlNoise* noise)
{
    TarnCurlNoise n = *noise;
    n.speed = tarn_clampf(n.speed, 0.0f, 1e3f);
    n.size = tarn_clampf(n.size, 1e-3f, 1e5f);
    n.octaves = n.octaves < 1 ? 1 : n.octaves;
    n.octaves = n.octaves > TARN_CURL_NOISE_OCTAVES ? TARN_CURL_NOISE_OCTAVES : n.octaves;
    n.gain = tarn_clampf(n.gain, 0.0f, 1.0f);
    n.change = tarn_clampf(n.change, 0.0f, 1e3f);
    n.wind = (TarnVec3){ tarn_clampf(n.wind.x, -1e3f, 1e3f), tarn_clampf(n.wind.y, -1e3f, 1e3f),
                         tarn_clampf(n.wind.z, -1e3f, 1e3f) };
    n.reach = tarn_clampf(n.reach, 0.0f, 1e4f);
    n.time = n.time > -1e9 && n.time < 1e9 ? n.time : 0.0;
    return n;
}

static void query(const void* self, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out)
{
    TarnCurlNoise noise = tamed(self);
    Curl curl = tarn__curl(noise.speed, noise.size, noise.octaves, noise.gain, noise.change,
                           noise.wind, noise.seed, noise.time);
    const CurlKernels* kernels = tarn__curl_kernels((TarnIsa)noise.isa);
    float finest = noise.size / (float)(1 << (noise.octaves - 1));
    Bend bend = { .noise = &noise,
                  .curl = &curl,
                  .kernels = kernels,
                  .reach = noise.reach > 0.0f ? noise.reach : 0.25f * noise.size };
    // Long enough for the rounding of the potential, short against the eddies and the ramp.
    bend.step = 0.02f * tarn_minf(finest, bend.reach);
    for (int first = 0; first < n; first += BLOCK) {
        int m = n - first < BLOCK ? n - first : BLOCK;
        float at[3][BLOCK], v[3][BLOCK];
        bool is_inside[BLOCK];
        for (int i = 0; i < m; ++i) {
            TarnVec3 p = { x[first + i], y[first + i], z[first + i] };
            is_inside[i] = tarn__is_finite3(p);
            at[0][i] = is_inside[i] ? p.x : 0.0f;
            at[1][i] = is_inside[i] ? p.y : 0.0f;
            at[2][i] = is_inside[i] ? p.z : 0.0f;
        }
        kernels->velocity(&curl, m, at[0], at[1], at[2], v[0], v[1], v[2]);
        if (noise.solids)
            bend_block(&bend, m, at[0], at[1], at[2], (float* const[]){ v[0], v[1], v[2] });
        write_block(&noise, m, is_inside, (const float* const[]){ v[0], v[1], v[2] }, first, out);
    }
}

TarnFlow tarn_curl_noise_flow(const TarnCurlNoise* noise)
{
    bool is_valid = TARN_CHECK_DEF(NULL, "curl_noise", "tarn/curl_noise.h", TarnCurlNoise,
                                   tarn_curl_noise_default, noise) == TARN_OK &&
                    tarn_param_validate(NULL, &table, noise) == TARN_OK;
    return (TarnFlow){ noise, is_valid ? query : NULL };
}
