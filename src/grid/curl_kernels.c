// Curl noise, eight points at a time.
//
// Method   [Bridson2007] R. Bridson, J. Hourihan, M. Nordenstam, Curl-noise for procedural fluid flow,
//          SIGGRAPH 2007: velocity = curl of a vector potential, which has no divergence whatever the
//          potential is. The potential is gradient noise with three gradients G_x, G_y, G_z at each
//          lattice point, blended with the quintic of [Perlin2002]. With weights w and offsets d from the
//          corners  psi_m = sum w (G_m . d),  and so
//              curl psi = sum  grad w x (G_x . d, G_y . d, G_z . d) + w (G_z.y - G_y.z, ...),
//          exact: nothing is differenced.
// Differs  no table of permutations: hashes of lattice points, so that it does not repeat.
// Checked  tests/unit/test_curl_noise.c: divergence, root mean square, seams, time.
// Cost     tarn bench detail.

#include "base/kernels.h"
#include "base/simd.h"
#include "grid/curl.h"

// Root mean square of the curl of one octave in lattice units; the test measures it.
static const float curl_rms = 1.2209f;

typedef struct Corner {
    TarnF8 g[9]; // G_x, G_y, G_z, each between -1 and 1
} Corner;

TARN_INLINE TarnF8 from_bits10(TarnU8 word, int shift)
{
    return __builtin_convertvector((TarnI8)((word >> shift) & 1023u), TarnF8) * (2.0f / 1023.0f) -
           1.0f;
}

TARN_INLINE Corner corner_at(TarnU8 i, TarnU8 j, TarnU8 k, uint32_t seed)
{
    TarnU8 h = (i * 0x8da6b343u) ^ (j * 0xd8163841u) ^ (k * 0xcb1ab31fu) ^ seed;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    h = h ^ (h >> 15);
    Corner c;
    for (int m = 0; m < 3; ++m) {
        TarnU8 word = (h ^ (h >> 16)) * (0x9e3779b1u + 0x3c6ef372u * (uint32_t)m);
        for (int a = 0; a < 3; ++a) c.g[3 * m + a] = from_bits10(word, 2 + 10 * a);
        h = h * 0x85ebca6bu + 0x6a09e667u;
    }
    return c;
}

typedef struct Cell {
    TarnU8 at[3];
    TarnF8 u[3];           // place in the cell, 0 to 1
    TarnF8 w[3], slope[3]; // weight of the far corner, and its slope
} Cell;

TARN_INLINE Cell cell_of(const CurlOctave* octave, const TarnF8 p[3])
{
    Cell cell;
    const TarnF8 far = f8_set(1048576.0f); // where a float has no fraction left to speak of
    for (int a = 0; a < 3; ++a) {
        TarnF8 f = f8_max(f8_min(p[a] * octave->waves, far), -far) + octave->fraction[a];
        TarnF8 low = f8_floor(f);
        cell.at[a] = (TarnU8) __builtin_convertvector(low, TarnI8) + (uint32_t)octave->whole[a];
        TarnF8 u = f - low, v = u - 1.0f;
        cell.u[a] = u;
        cell.w[a] = u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
        cell.slope[a] = 30.0f * u * u * v * v;
    }
    return cell;
}

// Adds the potential, or its curl, of one octave in lattice units.
TARN_INLINE void add_octave(const CurlOctave* octave, const TarnF8 p[3], bool is_curl, float scale,
                            TarnF8 sum[3])
{
    Cell cell = cell_of(octave, p);
    TarnF8 total[3] = { f8_set(0.0f), f8_set(0.0f), f8_set(0.0f) };
    for (int c = 0; c < 8; ++c) {
        TarnF8 d[3], w[3], slope[3], noise[3];
        TarnU8 at[3];
        for (int a = 0; a < 3; ++a) {
            bool is_far = (c >> a & 1) != 0;
            at[a] = is_far ? cell.at[a] + 1u : cell.at[a];
            d[a] = is_far ? cell.u[a] - 1.0f : cell.u[a];
            w[a] = is_far ? cell.w[a] : 1.0f - cell.w[a];
            slope[a] = is_far ? cell.slope[a] : -cell.slope[a];
        }
        Corner corner = corner_at(at[0], at[1], at[2], octave->seed);
        const TarnF8* g = corner.g;
        for (int m = 0; m < 3; ++m)
            noise[m] = g[3 * m] * d[0] + g[3 * m + 1] * d[1] + g[3 * m + 2] * d[2];
        TarnF8 weight = w[0] * w[1] * w[2];
        if (!is_curl) {
            for (int m = 0; m < 3; ++m) total[m] += weight * noise[m];
            continue;
        }
        TarnF8 gx = slope[0] * w[1] * w[2], gy = w[0] * slope[1] * w[2],
               gz = w[0] * w[1] * slope[2];
        total[0] += (gy * noise[2] - gz * noise[1]) + weight * (g[7] - g[5]);
        total[1] += (gz * noise[0] - gx * noise[2]) + weight * (g[2] - g[6]);
        total[2] += (gx * noise[1] - gy * noise[0]) + weight * (g[3] - g[1]);
    }
    for (int a = 0; a < 3; ++a) sum[a] += scale * total[a];
}

TARN_INLINE void evaluate(const Curl* curl, bool is_curl, int n, const float* const from[3],
                          float* const to[3])
{
    for (int first = 0; first < n; first += TARN_LANES) {
        int lanes = n - first < TARN_LANES ? n - first : TARN_LANES;
        TarnF8 p[3], sum[3];
        for (int a = 0; a < 3; ++a) {
            float in[TARN_LANES] = { 0 };
            memcpy(in, from[a] + first, (size_t)lanes * sizeof(float));
            p[a] = f8_load(in);
            sum[a] = f8_set(0.0f);
        }
        for (int o = 0; o < curl->octaves; ++o) {
            const CurlOctave* octave = &curl->octave[o];
            float scale = octave->speed / curl_rms;
            if (!is_curl) scale = scale / octave->waves;
            add_octave(octave, p, is_curl, scale, sum);
        }
        for (int a = 0; a < 3; ++a) {
            float out[TARN_LANES];
            f8_store(out, sum[a]);
            memcpy(to[a] + first, out, (size_t)lanes * sizeof(float));
        }
    }
}

static void velocity(const Curl* curl, int n, const float* x, const float* y, const float* z,
                     float* vx, float* vy, float* vz)
{
    evaluate(curl, true, n, (const float* const[]){ x, y, z }, (float* const[]){ vx, vy, vz });
}
static void potential(const Curl* curl, int n, const float* x, const float* y, const float* z,
                      float* px, float* py, float* pz)
{
    evaluate(curl, false, n, (const float* const[]){ x, y, z }, (float* const[]){ px, py, pz });
}

const CurlKernels TARN_KERNEL(tarn__curl_kernels) = { .velocity = velocity,
                                                      .potential = potential };
