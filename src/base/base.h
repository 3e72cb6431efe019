// Inside src only: the context, memory, errors and tasks that every module uses.
#pragma once

#include "tarn/base.h"
#include "base/simd.h"
#include <pthread.h>

typedef struct TarnPool TarnPool;

enum { CONTEXT_MAX_CLASSES = 16 };
enum { TARN_ERROR_SIZE = 640 };

struct TarnContext {
    double busy_ms[TARN_MAX_WORKERS]; // of each worker in parallel loops, where phases are measured
    TarnContextDef def;               // with the hooks filled in
    TarnIsa isa;
    int workers;
    TarnPool* pool;  // NULL: serial, or the host's tasks
    uint64_t serial; // unique within the process
    pthread_mutex_t error_lock;
    char error[TARN_ERROR_SIZE];                                // of the last failure on any thread
    const struct TarnSolverClass* classes[CONTEXT_MAX_CLASSES]; // that a host registered
    int n_classes;
};

// Whether this build has the kernels and this CPU, with its operating system, runs them.
bool tarn__isa_is_supported(TarnIsa isa);

// ---- Errors ------------------------------------------------------------------------------------

// Stores the message, logs it and returns the code. ctx may be NULL.
TarnResult tarn__fail(TarnContext* ctx, TarnResult code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void tarn__log(TarnContext* ctx, TarnLogLevel level, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void tarn__assert_failed(const TarnContext* ctx, const char* condition, const char* file, int line);

// For bugs in Tarn and violated contracts. Active in every build: one comparison at API boundaries.
#define TARN_ASSERT(ctx, condition)                                                                \
    ((condition) ? (void)0 : tarn__assert_failed((ctx), #condition, __FILE__, __LINE__))

#define TARN_TRY(call)                                                                             \
    do {                                                                                           \
        TarnResult tarn_try_ = (call);                                                             \
        if (tarn_try_ != TARN_OK) return tarn_try_;                                                \
    } while (0)

// ---- Reports -----------------------------------------------------------------------------------

// Merges the time that another part of a step dropped: keeps the larger one, with the name of its limit.
TARN_INLINE void tarn__report_drop(TarnStepReport* report, double dropped, const char* limit)
{
    if (!(dropped > report->time_dropped)) return;
    report->time_dropped = dropped;
    report->time_limit = limit;
}

// Merges what another part of a step clamped: keeps the first.
TARN_INLINE void tarn__report_limit(TarnStepReport* report, const TarnStepLimit* limited)
{
    if (report->limited.what == NULL) report->limited = *limited;
}

// Milliseconds since some moment, 0 unless the context measures phases. For reports only, never for results.
double tarn__clock_ms(const TarnContext* ctx);

// Ends a phase of a step: adds the time since *since to the report, which may be NULL, and begins the next.
//     double since = tarn__clock_ms(ctx);
//     step_emitters(...), tarn__report_phase(ctx, report, TARN_PHASE_EMITTERS, &since);
//     step_drivers(...), tarn__report_phase(ctx, report, TARN_PHASE_DRIVERS, &since);
void tarn__report_phase(const TarnContext* ctx, TarnStepReport* report, TarnPhase phase,
                        double* since);

// ---- Memory ------------------------------------------------------------------------------------

void* tarn__alloc(TarnContext* ctx, size_t size); // 64-byte aligned, zeroed; NULL: out of memory
void tarn__free(TarnContext* ctx, void* ptr, size_t size); // NULL is fine

// An object lives in one block. A layout hands out the offsets of its arrays, so that the size is
// known before creation (tarn_x_memory) and create is one allocation.
typedef struct TarnLayout {
    size_t size;
} TarnLayout;

// A size beyond half of the address space (two gigabytes with 32 bits) saturates there, and the allocation
// fails.
TARN_INLINE size_t tarn__layout_add(TarnLayout* layout, size_t bytes)
{
    const size_t most = (size_t)PTRDIFF_MAX + 1; // a multiple of 64
    size_t offset = layout->size;
    bool is_possible = bytes < most && offset < most - bytes;
    layout->size = is_possible ? offset + ((bytes + 63) & ~(size_t)63) : most;
    return offset;
}
// Places the next n elements of an object at base; with base NULL it only counts them.
TARN_INLINE void* tarn__layout_place(TarnLayout* layout, char* base, size_t n, size_t size)
{
    bool is_possible = size == 0 || n <= (size_t)PTRDIFF_MAX / size;
    size_t offset = tarn__layout_add(layout, is_possible ? n * size : (size_t)PTRDIFF_MAX + 1);
    return base ? base + offset : NULL;
}

// ---- Tasks -------------------------------------------------------------------------------------

// Runs fn for every block 0 .. n-1, on all workers. The caller chooses the blocks, the same for any
// number of workers; a block must not write what another reads. Returns when all are done.
typedef void TarnBlockFn(int block, void* data);
void tarn__parallel_for(TarnContext* ctx, int n, TarnBlockFn* fn, void* data);

// Sum in the order of the array, for per-block results of a parallel-for.
double tarn__sum(const double* values, int n);

int tarn__cores(void); // that this machine offers now, at least 1
TarnPool* tarn__pool_create(TarnContext* ctx, int threads); // NULL: out of memory or threads
void tarn__pool_destroy(TarnContext* ctx, TarnPool* pool);

// ---- Small things ------------------------------------------------------------------------------

TARN_INLINE bool tarn__is_finite(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7f800000u) != 0x7f800000u;
}
TARN_INLINE bool tarn__is_finite3(TarnVec3 v)
{
    return tarn__is_finite(v.x) && tarn__is_finite(v.y) && tarn__is_finite(v.z);
}
// True if all n floats are finite and within [-limit, limit]. Any alignment: they may lie in a file.
bool tarn__all_within(const void* floats, size_t n, float limit);

// The double nearest to the decimal number in [text, end), which must be one: digits, a fraction, an
// exponent. Infinity: beyond the largest double.
double tarn__decimal(const char* text, const char* end);
// End of the decimal number that a text begins with, or NULL if it does not.
const char* tarn__decimal_end(const char* text);

// Counter-based random numbers: the same (seed, stream, index) gives the same number, in any order.
uint32_t tarn__random(uint64_t seed, uint64_t stream, uint64_t index);
TARN_INLINE float tarn__random01(uint64_t seed, uint64_t stream, uint64_t index) // [0, 1)
{
    return (float)(tarn__random(seed, stream, index) >> 8) * 0x1p-24f;
}
