// The fields of the sea at a time, foam, queries, and what hosts read.

#include "ocean/ocean_internal.h"
#include "base/maths.h"

static const double TWO_PI = 6.283185307179586476925;

// ---- Fields --------------------------------------------------------------------------------------

typedef struct Job {
    TarnOcean* ocean;
    OceanCascade* cascade;
    OceanSpectrum spectrum;
    OceanJoin join;
    OceanSamples samples;
    OceanFoam foam;
    double begin; // of the block of time [s]
} Job;

static void rebase_rows(int block, void* data)
{
    const Job* job = data;
    const OceanCascade* c = job->cascade;
    size_t size = (size_t)OCEAN_ROWS * (size_t)job->ocean->def.size / 2;
    size_t begin = (size_t)block * size;
    for (size_t i = begin; i < begin + size; ++i) {
        double turns = (double)c->turns[i] * job->begin;
        c->base[i] = (float)(turns - floor(turns));
    }
}
static void fill(void* user, int first, float* const* base)
{
    const Job* job = user;
    job->ocean->kernels->fill(&job->spectrum, first, base);
}
static void combine(void* user, int first, float* const* base, float* const* tiles)
{
    const Job* job = user;
    OceanJoin join = job->join;
    join.first = first;
    job->ocean->kernels->combine(&join, base, tiles);
}
static void take(void* user, int first, float* const* field)
{
    const Job* job = user;
    job->ocean->kernels->samples(&job->samples, first, field);
}
static void foam_rows(int block, void* data)
{
    const Job* job = data;
    for (int r = 0; r < OCEAN_ROWS; ++r)
        job->ocean->kernels->foam(&job->foam, block * OCEAN_ROWS + r, job->ocean->fold,
                                  job->cascade->foam);
}

static void evaluate(TarnOcean* o, OceanCascade* c, double time)
{
    int n = o->def.size;
    bool has_folds = o->def.use_foam, has_rates = o->def.use_velocity;
    Job job = { .ocean = o, .cascade = c };
    int64_t block = (int64_t)floor(time / OCEAN_BLOCK_SECONDS);
    job.begin = (double)block * OCEAN_BLOCK_SECONDS;
    if (block != c->block) tarn__parallel_for(o->ctx, n / OCEAN_ROWS, rebase_rows, &job);
    c->block = block;
    job.spectrum = (OceanSpectrum){ n,          { c->wave[0], c->wave[1], c->wave[2], c->wave[3] },
                                    c->turns,   c->base,
                                    o->inverse, (float)(time - job.begin),
                                    has_folds,  has_rates };
    job.join = (OceanJoin){ .n = n,
                            .dk = (float)(TWO_PI / (double)c->length),
                            .has_folds = has_folds,
                            .has_rates = has_rates };
    if (o->def.method != TARN_OCEAN_SINES) job.join.choppiness = o->params.choppiness;
    job.samples = (OceanSamples){ .n = n,
                                  .row = o->row,
                                  .to = c->sample,
                                  .xz = c->fold[0],
                                  .xx = c->fold[1],
                                  .zz = c->fold[2],
                                  .fold = c->foam ? o->fold : NULL,
                                  .has_rates = has_rates,
                                  .is_choppy = job.join.choppiness > 0.0f };
    FftRelated related = { o->n_bases, o->n_transforms, c->n_groups, fill, combine, take,
                           &job,       { NULL } };
    memcpy(related.tiles, o->tiles, sizeof o->tiles);
    tarn__fft_inverse_related(o->fft, &related);
}

double tarn__ocean_looped(const TarnOcean* o)
{
    double loop = (double)o->def.loop, time = o->time;
    return loop > 0.0 ? time - loop * floor(time / loop) : time;
}

// ---- Foam ----------------------------------------------------------------------------------------

// z with a share p of a normal distribution above it, within 5e-4: formula 26.2.23 of [Abramowitz1964].
static float upper_quantile(float p)
{
    float t = sqrtf(-2.0f * tarn_log(tarn_clampf(p, 1e-12f, 0.5f)));
    return t - (2.515517f + t * (0.802853f + t * 0.010328f)) /
                   (1.0f + t * (1.432788f + t * (0.189269f + t * 0.001308f)));
}

// Share of the sea under whitecaps by [Monahan1980], 3.84e-6 U^3.41. Foam stays where a crest broke, so less than that
// must break at a time: the divisor 6 is chosen by eye.
static OceanFoam foam_of(const TarnOcean* o, const OceanCascade* c, float dt)
{
    OceanFoam f = { .n = o->def.size };
    float wind = tarn_maxf(o->sea.wind, 0.0f);
    float cover = o->params.foam * 3.84e-6f * tarn_pow(wind, 3.41f) / 6.0f;
    float spread = o->params.choppiness * sqrtf((float)c->slope_variance);
    f.limit = cover > 0.0f && spread > 0.0f ? 1.0f - spread * upper_quantile(cover) : -1e9f;
    f.gain = 2.5f / tarn_maxf(spread, 1e-3f);
    f.keep = tarn_exp(-dt / o->params.foam_time);
    TarnVec2 at = tarn__ocean_foam_at(o, c);
    float per = (float)f.n / c->length, u = at.x * per, v = at.y * per;
    f.shift_i = (int)u, f.shift_k = (int)v;
    f.share_i = u - (float)f.shift_i, f.share_k = v - (float)f.shift_k;
    return f;
}

TarnVec2 tarn__ocean_foam_at(const TarnOcean* o, const OceanCascade* c)
{
    double speed = (double)o->params.foam_drift * (double)o->sea.wind, length = (double)c->length;
    double x = speed * (double)tarn_cos(o->sea.direction) * o->time,
           z = speed * (double)tarn_sin(o->sea.direction) * o->time;
    x -= length * floor(x / length), z -= length * floor(z / length);
    return (TarnVec2){ (float)x, (float)z };
}

static void foam_cascade(TarnOcean* o, OceanCascade* c, float dt)
{
    Job job = { .ocean = o, .cascade = c, .foam = foam_of(o, c, dt) };
    tarn__parallel_for(o->ctx, o->def.size / OCEAN_ROWS, foam_rows, &job);
}

void tarn__ocean_evaluate(TarnOcean* o, float dt)
{
    double time = tarn__ocean_looped(o);
    for (int i = 0; i < o->def.cascades; ++i) {
        OceanCascade* c = &o->cascade[i];
        if (c->is_calm) continue; // its fields are zero
        evaluate(o, c, time);
        if (c->foam && dt >= 0.0f) foam_cascade(o, c, dt);
    }
}

// ---- Queries -------------------------------------------------------------------------------------

OceanTiles tarn__ocean_tiles(const TarnOcean* o)
{
    OceanTiles t = { .level = o->def.level, .depth = o->def.depth };
    for (int i = 0; i < o->def.cascades; ++i) {
        const OceanCascade* c = &o->cascade[i];
        if (c->is_calm) continue;
        t.tile[t.n++] =
            (OceanTile){ o->def.size, (float)o->def.size / c->length, o->row, c->sample };
        if (i < 2) t.n_coarse = t.n;
    }
    return t;
}

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnOcean* o = self;
    OceanTiles tiles = tarn__ocean_tiles(o);
    o->kernels->query(&tiles, n, x, z, out);
}

TarnSurface tarn_ocean_surface(const TarnOcean* ocean)
{
    return (TarnSurface){ .self = ocean, .query = query };
}

// ---- What hosts read -----------------------------------------------------------------------------

TarnOceanState tarn_ocean_state(const TarnOcean* o)
{
    TarnOceanState s = { .wind = o->sea.wind, .fetch = o->sea.fetch };
    s.significant_height = (float)(4.0 * sqrt(tarn__ocean_m0(&o->sea)));
    if (o->sea.wind > 0.0f) {
        s.peak_period = (float)(TWO_PI / o->sea.peak);
        s.peak_length = (float)(TWO_PI / tarn__ocean_wave_number(&o->sea, o->sea.peak));
    }
    for (int i = 0; i < o->def.cascades; ++i) s.variance += o->cascade[i].variance;
    return s;
}

TarnResult tarn_ocean_cascade(const TarnOcean* o, int index, TarnOceanCascade* out)
{
    if (out) *out = (TarnOceanCascade){ 0 };
    if (o == NULL || out == NULL || index < 0 || index >= o->def.cascades)
        return tarn__fail(o ? o->ctx : NULL, TARN_ERR_ARG,
                          "tarn_ocean_cascade: no cascade %d; there are %d", index,
                          o ? o->def.cascades : 0);
    const OceanCascade* c = &o->cascade[index];
    *out = (TarnOceanCascade){ .n = o->def.size,
                               .length = c->length,
                               .k_min = c->k_min,
                               .k_max = c->k_max,
                               .stride = OCEAN_SAMPLE,
                               .row = o->row,
                               .moved = c->sample,
                               .slopes = c->sample + OCEAN_SLOPES,
                               .velocity = o->def.use_velocity ? c->sample + OCEAN_VELOCITY : NULL,
                               .fold_xx = c->fold[1],
                               .fold_zz = c->fold[2],
                               .fold_xz = c->fold[0],
                               .foam = c->foam,
                               .foam_at = tarn__ocean_foam_at(o, c),
                               .slope_variance = (float)c->slope_variance };
    return TARN_OK;
}

// Inserts into a list by falling amplitude.
static int insert(TarnOceanWave* out, int n, int capacity, TarnOceanWave wave)
{
    if (n == capacity && !(wave.amplitude > out[n - 1].amplitude)) return n;
    int at = n < capacity ? n : n - 1;
    for (; at > 0 && out[at - 1].amplitude < wave.amplitude; --at) out[at] = out[at - 1];
    out[at] = wave;
    return n < capacity ? n + 1 : n;
}

int tarn_ocean_waves(const TarnOcean* o, float k_max, TarnOceanWave* out, int capacity)
{
    if (o == NULL || out == NULL || capacity <= 0) return 0;
    int n = o->def.size, half = n / 2, count = 0;
    for (int index = 0; index < o->def.cascades; ++index) {
        const OceanCascade* c = &o->cascade[index];
        float dk = (float)(TWO_PI / (double)c->length);
        for (int i = 0; i < n * half && !c->is_calm && c->k_min < k_max; ++i) {
            int ix = i % n - half, iz = i / n;
            float kx = dk * (float)ix, kz = dk * (float)iz;
            if (!(kx * kx + kz * kz < k_max * k_max)) continue;
            OceanMode mode[2];
            tarn__ocean_modes(o, c, ix, iz, &mode[0], &mode[1]);
            for (int m = 0; m < (iz > 0 ? 2 : 1); ++m) { // the wave, and the one against it
                float re = mode[m].re, im = mode[m].im, sign = m ? -1.0f : 1.0f;
                float amplitude = 2.0f * sqrtf(re * re + im * im); // a and its conjugate at -k
                if (!(amplitude > 0.0f)) continue;
                TarnOceanWave wave = { amplitude, sign * kx, sign * kz,
                                       (float)TWO_PI * c->turns[ocean_at(n, ix, iz)],
                                       tarn_atan2(im, re) };
                count = insert(out, count, capacity, wave);
            }
        }
    }
    return count;
}
