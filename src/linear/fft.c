// Fourier transforms of square fields.
//
// Method   Rows and columns, eight or sixteen lines at a time in vectors (fft_kernels.c). The first pass transforms
//          columns and stores them as rows of tiles, eight elements of one line after those of the line before: the
//          second pass then reads memory in order, and no stride meets the sets of a cache. A field is read and written
//          twice and transposed once, between registers. Forward and inverse differ in which plane counts as real.
//          Two real fields are the real and imaginary parts of one.
// Checked  tests/unit/test_fft.c against sums over all elements
// Cost     bench/bench_linear.c (linear.fft), FFTW beside it by `make peers`

#include "linear/fft_internal.h"

struct Fft {
    TarnContext* ctx;
    const FftKernels* kernels;
    FftTables tables;
    int n_bases;
    float* tiles;   // of one transform
    float* scratch; // of FFT_CHUNKS pieces of work
    int n_chunks;
};

static const uint8_t RADICES[][FFT_MAX_STAGES] = {
    { 4, 4 }, { 4, 8 }, { 8, 8 }, { 4, 4, 8 }, { 4, 8, 8 }
}; // of the parts of 64, 128, 256, 512, 1024

// Buffers, then two pieces of 16 n floats and three of 4 n; one of the former and two of the latter for eight lanes
// would do, but chunks have room for sixteen.
static size_t buffer_floats(int n, int n_bases)
{
    return (size_t)n * 16 * (size_t)(n_bases > 0 ? n_bases : 2);
}
static size_t scratch_floats(int n, int n_bases)
{
    return buffer_floats(n, n_bases) + (size_t)n * 44;
}
static size_t lay_out(int n, int n_bases, Fft* fft)
{
    TarnLayout layout = { 0 };
    FftTables none, *t = fft ? &fft->tables : &none;
    tarn__layout_add(&layout, sizeof(Fft));
    int row = 0, left = n / FFT_PARTS;
    while (FFT_MIN << row < n) ++row;
    t->n = n, t->part = left, t->n_stages = 0;
    for (int i = 0; i < FFT_MAX_STAGES && RADICES[row][i]; ++i) {
        int radix = RADICES[row][i];
        left /= radix;
        size_t turns = (size_t)left * (size_t)(radix - 1);
        t->radix[i] = radix;
        t->twiddle[i] = tarn__layout_place(&layout, (char*)fft, turns, sizeof(Turn));
        t->n_stages = i + 1;
    }
    t->join = tarn__layout_place(&layout, (char*)fft, (size_t)t->part * 3, sizeof(Turn));
    size_t cells = n_bases > 0 ? 0 : (size_t)n * (size_t)n;
    float* tiles = tarn__layout_place(&layout, (char*)fft, 2 * cells, sizeof(float));
    float* scratch = tarn__layout_place(&layout, (char*)fft,
                                        scratch_floats(n, n_bases) * FFT_CHUNKS, sizeof(float));
    if (fft) fft->scratch = scratch, fft->tiles = tiles, fft->n_bases = n_bases;
    return layout.size;
}

static bool is_supported(int n)
{
    return n >= FFT_MIN && n <= FFT_MAX && (n & (n - 1)) == 0;
}

size_t tarn__fft_size(int n, int n_bases)
{
    return is_supported(n) ? lay_out(n, n_bases, NULL) : 0;
}

Fft* tarn__fft_place(TarnContext* ctx, int n, int n_bases, void* memory)
{
    TARN_ASSERT(ctx, is_supported(n) && n_bases <= FFT_MAX_BASES);
    Fft* fft = memory;
    lay_out(n, n_bases, fft);
    fft->ctx = ctx;
    fft->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__fft_kernels);
    int chunks =
        ctx->workers > 1 ? 2 * ctx->workers : 1; // few, so that their scratch stays in the cache
    fft->n_chunks = chunks < FFT_CHUNKS ? chunks : FFT_CHUNKS;
    FftTables* t = &fft->tables;
    for (int i = 0, left = t->part; i < t->n_stages; ++i) {
        int m = left / t->radix[i];
        Turn* w = t->twiddle[i];
        for (int p = 0; p < m; ++p)
            for (int j = 1; j < t->radix[i]; ++j) *w++ = tarn__turn((int64_t)p * j, left);
        left = m;
    }
    for (int q = 0; q < t->part; ++q)
        for (int j = 1; j < FFT_PARTS; ++j) t->join[3 * q + j - 1] = tarn__turn(q * j, n);
    return fft;
}

// ---- Passes: groups of lines, in chunks with scratch of their own -------------------------------------------

typedef struct Scratch {
    float* buffer;
    float* work[5];
} Scratch;

typedef struct Work {
    Fft* fft;
    FftField from, to;
    const FftField* pair; // instead of from: two Hermitian spectra
    const FftRelated* related;
    bool is_forward;
    int n_groups;
    void (*run)(const struct Work* work, int group, const Scratch* scratch);
} Work;

static void run_chunk(int chunk, void* data)
{
    const Work* work = data;
    const Fft* fft = work->fft;
    int n = fft->tables.n;
    float* base = fft->scratch + scratch_floats(n, fft->n_bases) * (size_t)chunk;
    Scratch scratch = { .buffer = base };
    base += buffer_floats(n, fft->n_bases);
    for (int i = 0; i < 5; ++i) {
        scratch.work[i] = base;
        base += i < 2 ? 16 * n : 16 * fft->tables.part;
    }
    int begin = work->n_groups * chunk / fft->n_chunks,
        end = work->n_groups * (chunk + 1) / fft->n_chunks;
    for (int i = begin; i < end; ++i) work->run(work, i, &scratch);
}

static void run(Work* work, int n_groups,
                void (*pass)(const Work* work, int group, const Scratch* scratch))
{
    work->run = pass, work->n_groups = n_groups;
    tarn__parallel_for(work->fft->ctx, work->fft->n_chunks, run_chunk, work);
}

// Sixteen columns from first on.
typedef struct Columns {
    FftLines half[2];
} Columns;

static Columns columns_of(FftField field, int n, int first, bool is_forward)
{
    if (!is_forward) field = (FftField){ field.im, field.re }; // i times the conjugate
    return (Columns){ { { field.re + first, field.im + first, n },
                        { field.re + first + 8, field.im + first + 8, n } } };
}

static void run_first(const Work* work, int group, const Scratch* scratch)
{
    const Fft* fft = work->fft;
    int n = fft->tables.n, first = 16 * group;
    Columns in;
    if (work->pair) {
        Columns a = columns_of(work->pair[0], n, first, true),
                b = columns_of(work->pair[1], n, first, true);
        for (int h = 0; h < 2; ++h) {
            float* to = scratch->buffer + 16 * n * h;
            fft->kernels->pair(n, a.half[h], b.half[h], (FftLines){ to, to + 8, 16 });
            in.half[h] = (FftLines){ to + 8, to, 16 };
        }
    } else {
        in = columns_of(work->from, n, first, work->is_forward);
    }
    fft->kernels->lines_to_tiles(&fft->tables, in.half, fft->tiles + 16 * first, scratch->work);
}

static void run_second(const Work* work, int group, const Scratch* scratch)
{
    const Fft* fft = work->fft;
    int n = fft->tables.n;
    float* tiles = fft->tiles + (ptrdiff_t)group * 32 * n;
    FftLines in[2] = { { tiles, tiles + 8, 16 }, { tiles + 16 * n, tiles + 16 * n + 8, 16 } };
    Columns out = columns_of(work->to, n, 16 * group, work->is_forward);
    fft->kernels->lines(&fft->tables, 2, in, out.half, scratch->work);
}

static void transform(Work* work)
{
    int groups = work->fft->tables.n / 16;
    run(work, groups, run_first);
    run(work, groups, run_second);
}

// ---- Transforms ---------------------------------------------------------------------------------------------

void tarn__fft_forward(Fft* fft, int n_fields, const FftField* from, const FftField* to)
{
    for (int f = 0; f < n_fields; ++f)
        transform(&(Work){ .fft = fft, .from = from[f], .to = to[f], .is_forward = true });
}
void tarn__fft_inverse(Fft* fft, int n_fields, const FftField* from, const FftField* to)
{
    for (int f = 0; f < n_fields; ++f)
        transform(&(Work){ .fft = fft, .from = from[f], .to = to[f] });
}

void tarn__fft_inverse_real(Fft* fft, int n_fields, const FftField* from, float* const* to)
{
    TARN_ASSERT(fft->ctx, n_fields % 2 == 0);
    for (int i = 0; i < n_fields; i += 2)
        transform(&(Work){ .fft = fft, .to = { to[i], to[i + 1] }, .pair = from + i });
}

typedef struct Split {
    const Fft* fft;
    const FftField* fields;
} Split;

static void split_row(int k, void* data)
{
    const Split* split = data;
    split->fft->kernels->split(split->fft->tables.n, k, split->fields[0], split->fields[1]);
}

void tarn__fft_forward_real(Fft* fft, int n_fields, const float* const* from, const FftField* to)
{
    TARN_ASSERT(fft->ctx, n_fields % 2 == 0);
    for (int i = 0; i < n_fields; i += 2) {
        FftField both = { (float*)from[i], (float*)from[i + 1] };
        transform(&(Work){ .fft = fft, .from = both, .to = to[i], .is_forward = true });
        tarn__parallel_for(fft->ctx, fft->tables.n / 2 + 1, split_row, &(Split){ fft, to + i });
    }
}

// ---- Related fields -----------------------------------------------------------------------------------------

// With re and im exchanged, as inverse transforms are.
static void inverse_lines(const Fft* fft, float* from, float* to, const Scratch* scratch)
{
    FftLines in = { from + 8, from, 16 }, out = { to + 8, to, 16 };
    fft->kernels->lines(&fft->tables, 1, &in, &out, scratch->work);
}

static void related_first(const Work* work, int group, const Scratch* scratch)
{
    const FftRelated* r = work->related;
    float* base[FFT_MAX_BASES];
    for (int b = 0; b < r->n_bases; ++b)
        base[b] = scratch->buffer + (ptrdiff_t)b * 16 * work->fft->tables.n;
    r->fill(r->user, 8 * group, base);
    for (int b = 0; b < r->n_bases; ++b) inverse_lines(work->fft, base[b], base[b], scratch);
    r->combine(r->user, 8 * group, base, r->tiles);
}

static void related_second(const Work* work, int group, const Scratch* scratch)
{
    const FftRelated* r = work->related;
    int n = work->fft->tables.n, end = 8 * r->n_groups; // rows from there to n - end are 0
    float* field[FFT_MAX_BASES];
    for (int t = 0; t < r->n_transforms; ++t) {
        float* tile = r->tiles[t] + (ptrdiff_t)group * 16 * n;
        memset(tile + 16 * end, 0, (size_t)(n - 2 * end + 1) * 16 * sizeof(float));
        field[t] = scratch->buffer + (ptrdiff_t)t * 16 * n;
        inverse_lines(work->fft, tile, field[t], scratch);
    }
    r->take(r->user, 8 * group, field);
}

void tarn__fft_inverse_related(Fft* fft, const FftRelated* related)
{
    TARN_ASSERT(fft->ctx, related->n_bases <= fft->n_bases && related->n_groups > 0 &&
                              related->n_transforms <= fft->n_bases &&
                              related->n_groups <= fft->tables.n / 16);
    Work work = { .fft = fft, .related = related };
    run(&work, related->n_groups, related_first);
    run(&work, fft->tables.n / 8, related_second);
}
