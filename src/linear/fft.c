// Fourier transforms of square fields.
//
// Method   Rows and columns, eight lines at a time in vectors (fft_kernels.c). The first pass transforms columns and
//          stores them as rows, the second transforms columns again, in place: a field is read and written twice and
//          transposed once, between registers. Forward and inverse differ in which plane counts as real.
//          Two real fields are the real and imaginary parts of one.
// Checked  tests/unit/test_fft.c against sums over all elements
// Cost     bench/bench_linear.c (linear.fft), FFTW beside it by `make peers`

#include "linear/fft_internal.h"

struct Fft {
    TarnContext* ctx;
    const FftKernels* kernels;
    FftTables tables;
    float* scratch; // of FFT_CHUNKS pieces of work: three pieces of 16 n floats, and two for hooks
    int n_chunks;
};

static const uint8_t RADICES[][FFT_MAX_STAGES] = {
    { 4, 4, 4 }, { 4, 4, 8 }, { 4, 4, 4, 4 }, { 4, 4, 4, 8 }, { 4, 4, 4, 4, 4 }
}; // of 64, 128, 256, 512, 1024

static size_t scratch_floats(int n)
{
    return (size_t)n * (5 * FFT_GROUP);
}
static size_t lay_out(int n, Fft* fft)
{
    TarnLayout layout = { 0 };
    FftTables none, *t = fft ? &fft->tables : &none;
    tarn__layout_add(&layout, sizeof(Fft));
    int row = 0, left = n;
    while (FFT_MIN << row < n) ++row;
    t->n = n, t->n_stages = 0;
    for (int i = 0; i < FFT_MAX_STAGES && RADICES[row][i]; ++i) {
        int radix = RADICES[row][i];
        left /= radix;
        size_t turns = (size_t)left * (size_t)(radix - 1);
        t->radix[i] = radix;
        t->twiddle[i] = tarn__layout_place(&layout, (char*)fft, turns, sizeof(Turn));
        t->n_stages = i + 1;
    }
    float* scratch =
        tarn__layout_place(&layout, (char*)fft, scratch_floats(n) * FFT_CHUNKS, sizeof(float));
    if (fft) fft->scratch = scratch;
    return layout.size;
}

static bool is_supported(int n)
{
    return n >= FFT_MIN && n <= FFT_MAX && (n & (n - 1)) == 0;
}

size_t tarn__fft_size(int n)
{
    return is_supported(n) ? lay_out(n, NULL) : 0;
}

Fft* tarn__fft_place(TarnContext* ctx, int n, void* memory)
{
    TARN_ASSERT(ctx, is_supported(n));
    Fft* fft = memory;
    lay_out(n, fft);
    fft->ctx = ctx;
    fft->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__fft_kernels);
    fft->n_chunks = ctx->workers > 1 ? FFT_CHUNKS : 1; // one stays in the nearest cache
    FftTables* t = &fft->tables;
    for (int i = 0, left = n; i < t->n_stages; ++i) {
        int m = left / t->radix[i];
        Turn* w = t->twiddle[i];
        for (int p = 0; p < m; ++p)
            for (int j = 1; j < t->radix[i]; ++j) *w++ = tarn__turn((int64_t)p * j, left);
        left = m;
    }
    return fft;
}

// ---- Passes: groups of eight lines of all fields, in chunks with scratch of their own ----------------------

typedef struct Work {
    Fft* fft;
    int n_transforms;
    const FftField *from, *to;
    const FftField* pairs; // instead of from: Hermitian spectra, two per transform
    const FftHooks* hooks;
    void (*run)(const struct Work* work, int f, int first, float* const scratch[4]);
    bool is_forward;
} Work;

// The two groups of eight columns from first on.
typedef struct Columns {
    FftLines half[2];
} Columns;

static Columns columns_of(FftField field, int n, int first, bool is_forward)
{
    if (!is_forward) field = (FftField){ field.im, field.re }; // i times the conjugate
    return (Columns){ { { field.re + first, field.im + first, n },
                        { field.re + first + 8, field.im + first + 8, n } } };
}
// Those that hooks fill or take: planes of n vectors.
static Columns columns_in(float* buffer, int n)
{
    return (Columns){ { { buffer + 8 * n, buffer, 8 }, { buffer + 24 * n, buffer + 16 * n, 8 } } };
}

static void run_first(const Work* work, int f, int first, float* const scratch[4])
{
    const Fft* fft = work->fft;
    int n = fft->tables.n;
    Columns in;
    if (work->hooks || work->pairs) {
        in = columns_in(scratch[3], n);
        for (int h = 0; h < 2; ++h) {
            FftLines* to = &in.half[h]; // with re and im exchanged
            if (work->hooks) {
                work->hooks->fill(work->hooks->user, f, first + 8 * h, to->im, to->re);
                continue;
            }
            fft->kernels->pair(n, columns_of(work->pairs[2 * f], n, first, true).half[h],
                               columns_of(work->pairs[2 * f + 1], n, first, true).half[h],
                               (FftLines){ to->im, to->re, 8 });
        }
    } else {
        in = columns_of(work->from[f], n, first, work->is_forward);
    }
    ptrdiff_t row = (ptrdiff_t)first * n;
    FftLines rows = { work->to[f].re + row, work->to[f].im + row, n };
    if (!work->is_forward) rows = (FftLines){ rows.im, rows.re, n };
    fft->kernels->lines_to_rows(&fft->tables, in.half, &rows, scratch);
}

static void run_second(const Work* work, int f, int first, float* const scratch[4])
{
    const Fft* fft = work->fft;
    int n = fft->tables.n;
    Columns in = columns_of(work->to[f], n, first, work->is_forward), out = in;
    bool is_taken = work->hooks && work->hooks->take;
    if (is_taken) out = columns_in(scratch[3], n);
    fft->kernels->lines(&fft->tables, in.half, out.half, scratch);
    for (int h = 0; is_taken && h < 2; ++h)
        work->hooks->take(work->hooks->user, f, first + 8 * h, out.half[h].im, out.half[h].re);
}

static void run_chunk(int chunk, void* data)
{
    const Work* work = data;
    const Fft* fft = work->fft;
    int size = fft->tables.n, groups = size / FFT_GROUP, n = groups * work->n_transforms;
    float *base = fft->scratch + scratch_floats(size) * (size_t)chunk, *scratch[4];
    for (int i = 0; i < 4; ++i) scratch[i] = base + (ptrdiff_t)i * size * 16;
    int begin = n * chunk / fft->n_chunks, end = n * (chunk + 1) / fft->n_chunks;
    for (int i = begin; i < end; ++i) work->run(work, i / groups, i % groups * FFT_GROUP, scratch);
}

static void run(Work* work)
{
    work->run = run_first;
    tarn__parallel_for(work->fft->ctx, work->fft->n_chunks, run_chunk, work);
    work->run = run_second;
    tarn__parallel_for(work->fft->ctx, work->fft->n_chunks, run_chunk, work);
}

// ---- Transforms ---------------------------------------------------------------------------------------------

void tarn__fft_forward(Fft* fft, int n_fields, const FftField* from, const FftField* to)
{
    run(&(Work){ fft, n_fields, from, to, .is_forward = true });
}
void tarn__fft_inverse(Fft* fft, int n_fields, const FftField* from, const FftField* to)
{
    run(&(Work){ fft, n_fields, from, to, .is_forward = false });
}
void tarn__fft_inverse_hooked(Fft* fft, int n_fields, const FftHooks* hooks, const FftField* to)
{
    run(&(Work){ fft, n_fields, .to = to, .hooks = hooks });
}

enum { BATCH = 8 }; // transforms of real fields at a time

void tarn__fft_inverse_real(Fft* fft, int n_fields, const FftField* from, float* const* to)
{
    TARN_ASSERT(fft->ctx, n_fields % 2 == 0);
    for (int i = 0; i < n_fields; i += 2 * BATCH) {
        FftField both[BATCH];
        int n = n_fields - i < 2 * BATCH ? (n_fields - i) / 2 : BATCH;
        for (int f = 0; f < n; ++f) both[f] = (FftField){ to[i + 2 * f], to[i + 2 * f + 1] };
        run(&(Work){ fft, n, .to = both, .pairs = from + i });
    }
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
    for (int i = 0; i < n_fields; i += 2 * BATCH) {
        FftField both[BATCH], spectra[BATCH];
        int n = n_fields - i < 2 * BATCH ? (n_fields - i) / 2 : BATCH;
        for (int f = 0; f < n; ++f) {
            both[f] = (FftField){ (float*)from[i + 2 * f], (float*)from[i + 2 * f + 1] };
            spectra[f] = to[i + 2 * f];
        }
        run(&(Work){ fft, n, both, spectra, .is_forward = true });
    }
    for (int i = 0; i < n_fields; i += 2)
        tarn__parallel_for(fft->ctx, fft->tables.n / 2 + 1, split_row, &(Split){ fft, to + i });
}
