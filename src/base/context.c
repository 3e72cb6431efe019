// The context: hooks, error messages, memory, hash, random numbers.

#define _DEFAULT_SOURCE // madvise, sysconf
#include "base/base.h"
#include "base/def.h"
#include "base/kernels.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#if !defined(__EMSCRIPTEN__)
#include <sys/mman.h>
#endif

static const size_t block_align = 64; // of all that is allocated

// Large blocks ask for huge pages: a sweep over 128 MB then misses the TLB 500 times less often.
static const size_t huge_page = (size_t)2 << 20;

static void* libc_alloc(size_t size, size_t align, void* user)
{
    (void)user;
    bool is_large = size >= 2 * huge_page;
    if (is_large) align = huge_page;
    if (align < sizeof(void*)) align = sizeof(void*);
    void* block = NULL;
    if (posix_memalign(&block, align, size) != 0) return NULL;
#if defined(MADV_HUGEPAGE)
    if (is_large) madvise(block, size, MADV_HUGEPAGE); // a wish: refusal is fine
#endif
    return block;
}

static void libc_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)size, (void)align, (void)user;
    free(ptr);
}

void tarn_context_init_def(TarnContextDef* out, size_t size)
{
    TarnContextDef def = { .workers = 1, .isa = TARN_ISA_AUTO };
    TARN_INIT_DEF(TarnContextDef, out, size, &def);
}
static TarnResult def_problem(const TarnContextDef* def, char* text, size_t capacity)
{
    return tarn__def_problem(
        TARN_DEF_KIND("context", "tarn/base.h", TarnContextDef, tarn_context_default_def), def,
        text, capacity);
}

bool tarn__isa_is_supported(TarnIsa isa)
{
#define SUPPORTED(ISA, set, has, unused)                                                           \
    if (isa == TARN_ISA_##ISA) return has;
    TARN_KERNEL_SETS(SUPPORTED, 0)
#undef SUPPORTED
    return isa == TARN_ISA_BASELINE;
}

const char* tarn_isa_name(TarnIsa isa)
{
    static const char* const names[TARN_ISA_COUNT] = { "auto", "baseline", "avx2", "avx512" };
    return (unsigned)isa < TARN_ISA_COUNT ? names[isa] : "unknown";
}

// Why tarn_context_create failed: there is no context yet that could hold it.
// As WebAssembly one thread makes all calls, and linkers of LLVM 14 misplace what is thread-local where memory is not
// shared: it would overlap other data.
#if defined(__EMSCRIPTEN__)
#define THREAD_LOCAL
#else
#define THREAD_LOCAL _Thread_local
#endif
static THREAD_LOCAL char create_error[320];

__attribute__((format(printf, 3, 4))) static TarnResult
refuse(const TarnContextDef* def, TarnResult code, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(create_error, sizeof create_error, format, args);
    va_end(args);
    char text[sizeof create_error];
    bool is_readable = def_problem(def, text, sizeof text) == TARN_OK;
    if (is_readable && def->log != NULL) def->log(TARN_LOG_ERROR, create_error, def->log_user);
    return code;
}

static TarnResult check_def(const TarnContextDef* def)
{
    char text[sizeof create_error];
    TarnResult problem = def_problem(def, text, sizeof text);
    if (problem != TARN_OK) return refuse(def, problem, "%s", text);
    if (def->workers < 0 || def->workers > TARN_MAX_WORKERS)
        return refuse(
            def, TARN_ERR_ARG,
            "context.workers: %d is out of range; allowed: 0 to %d, where 0 is one per core",
            def->workers, TARN_MAX_WORKERS);
    if ((unsigned)def->isa >= TARN_ISA_COUNT)
        return refuse(def, TARN_ERR_ARG,
                      "context.isa: %d is not a TarnIsa; use TARN_ISA_AUTO or another TARN_ISA_*",
                      (int)def->isa);
    if ((def->alloc == NULL) != (def->free == NULL))
        return refuse(def, TARN_ERR_ARG,
                      "context.%s: it is NULL; set both alloc and free, or neither",
                      def->alloc == NULL ? "alloc" : "free");
    if ((def->enqueue == NULL) != (def->finish == NULL))
        return refuse(def, TARN_ERR_ARG,
                      "context.%s: it is NULL; set both enqueue and finish, or neither",
                      def->enqueue == NULL ? "enqueue" : "finish");
    return TARN_OK;
}

// What the environment asks for; TARN_ISA_AUTO: nothing.
static TarnResult read_environment(const TarnContextDef* def, TarnIsa* out)
{
    const char* text = getenv("TARN_ISA");
    *out = TARN_ISA_AUTO;
    if (text == NULL || text[0] == '\0') return TARN_OK;
    char allowed[64] = "";
    for (int isa = 0; isa < TARN_ISA_COUNT; ++isa) {
        const char* name = tarn_isa_name((TarnIsa)isa);
        *out = (TarnIsa)isa;
        if (strcmp(text, name) == 0) return TARN_OK;
        strcat(strcat(allowed, isa > 0 ? ", " : ""), name);
    }
    return refuse(def, TARN_ERR_ARG, "the environment variable TARN_ISA is '%.64s'; allowed: %s",
                  text, allowed);
}

// What the def asks for, else what the environment asks for, else the best there is.
static TarnResult choose_isa(const TarnContextDef* def, TarnIsa* out)
{
    TarnIsa wish = def->isa;
    if (wish == TARN_ISA_AUTO) TARN_TRY(read_environment(def, &wish));
    if (wish == TARN_ISA_AUTO)
        for (wish = TARN_ISA_COUNT - 1; !tarn__isa_is_supported(wish);) --wish;
    *out = wish;
    if (tarn__isa_is_supported(wish)) return TARN_OK;
    return refuse(def, TARN_ERR_UNSUPPORTED,
                  "context.isa: this machine cannot run the %s kernels; use TARN_ISA_AUTO or "
                  "TARN_ISA_BASELINE",
                  tarn_isa_name(wish));
}

TarnResult tarn_context_create(const TarnContextDef* def, TarnContext** out)
{
    if (out == NULL) return refuse(def, TARN_ERR_ARG, "tarn_context_create: out must not be NULL");
    *out = NULL;
    TARN_TRY(check_def(def));
    TarnIsa isa;
    TARN_TRY(choose_isa(def, &isa));

    TarnAllocFn* alloc = def->alloc ? def->alloc : libc_alloc;
    TarnContext* ctx = alloc(sizeof *ctx, block_align, def->alloc_user);
    if (ctx == NULL)
        return refuse(def, TARN_ERR_MEMORY,
                      "context: out of memory: the allocator returned NULL for %zu bytes",
                      sizeof *ctx);
    memset(ctx, 0, sizeof *ctx);
    ctx->def = *def;
    ctx->def.alloc = alloc;
    ctx->def.free = def->free ? def->free : libc_free;
    static atomic_uint_fast64_t serials;
    ctx->serial = atomic_fetch_add(&serials, 1) + 1;
    ctx->isa = isa;
    ctx->workers = def->workers;
    if (ctx->workers == 0) {
        int cores = tarn__cores();
        ctx->workers = cores > TARN_MAX_WORKERS ? TARN_MAX_WORKERS : cores;
    }
    pthread_mutex_init(&ctx->error_lock, NULL);
    if (ctx->workers > 1 && def->enqueue == NULL) {
        ctx->pool = tarn__pool_create(ctx, ctx->workers - 1);
        if (ctx->pool == NULL) {
            int threads = ctx->workers - 1;
            tarn_context_destroy(ctx);
            return refuse(def, TARN_ERR_MEMORY,
                          "context.workers: cannot start %d thread%s; ask for fewer workers",
                          threads, threads > 1 ? "s" : "");
        }
    }
    *out = ctx;
    return TARN_OK;
}

void tarn_context_destroy(TarnContext* ctx)
{
    if (ctx == NULL) return;
    tarn__pool_destroy(ctx, ctx->pool);
    pthread_mutex_destroy(&ctx->error_lock);
    ctx->def.free(ctx, sizeof *ctx, block_align, ctx->def.alloc_user);
}

int tarn_context_workers(const TarnContext* ctx)
{
    return ctx ? ctx->workers : 0;
}
TarnIsa tarn_context_isa(const TarnContext* ctx)
{
    return ctx ? ctx->isa : TARN_ISA_AUTO;
}

// ---- Errors ------------------------------------------------------------------------------------

// The last failure on this thread. The serial keeps a new context at the place of an old one apart.
static THREAD_LOCAL struct {
    const TarnContext* ctx;
    uint64_t serial;
    char text[TARN_ERROR_SIZE];
} own_error;

const char* tarn_last_error(const TarnContext* ctx)
{
    if (ctx == NULL) return create_error;
    if (own_error.ctx == ctx && own_error.serial == ctx->serial) return own_error.text;
    static THREAD_LOCAL char copy[TARN_ERROR_SIZE]; // of another thread's
    pthread_mutex_t* lock = (pthread_mutex_t*)&ctx->error_lock;
    pthread_mutex_lock(lock);
    memcpy(copy, ctx->error, sizeof copy);
    pthread_mutex_unlock(lock);
    return copy;
}

const char* tarn_result_name(TarnResult result)
{
    static const char* const names[] = {
        "TARN_OK",     "TARN_ERR_ARG",     "TARN_ERR_MEMORY",      "TARN_ERR_DATA",
        "TARN_ERR_IO", "TARN_ERR_VERSION", "TARN_ERR_UNSUPPORTED", "TARN_ERR_CAPACITY"
    };
    return result <= 0 && result >= TARN_ERR_CAPACITY ? names[-(int)result] : "unknown result";
}

const char* tarn_version(void)
{
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
    return TEXT(TARN_VERSION_MAJOR) "." TEXT(TARN_VERSION_MINOR) "." TEXT(TARN_VERSION_PATCH);
}

void tarn__log(TarnContext* ctx, TarnLogLevel level, const char* format, ...)
{
    if (ctx == NULL || ctx->def.log == NULL) return;
    char text[sizeof ctx->error];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->def.log(level, text, ctx->def.log_user);
}

TarnResult tarn__fail(TarnContext* ctx, TarnResult code, const char* format, ...)
{
    if (ctx == NULL) return code;
    char text[sizeof ctx->error];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&ctx->error_lock);
    memcpy(ctx->error, text, sizeof text);
    pthread_mutex_unlock(&ctx->error_lock);
    own_error.ctx = ctx;
    own_error.serial = ctx->serial;
    memcpy(own_error.text, text, sizeof text);
    if (ctx->def.log) ctx->def.log(TARN_LOG_ERROR, text, ctx->def.log_user);
    return code;
}

void tarn__assert_failed(const TarnContext* ctx, const char* condition, const char* file, int line)
{
    if (ctx != NULL && ctx->def.assert_failed != NULL) {
        ctx->def.assert_failed(condition, file, line, ctx->def.assert_user);
        return;
    }
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

// ---- Memory ------------------------------------------------------------------------------------

void* tarn__alloc(TarnContext* ctx, size_t size)
{
    void* block = ctx->def.alloc(size, block_align, ctx->def.alloc_user);
    if (block != NULL) memset(block, 0, size);
    return block;
}

void tarn__free(TarnContext* ctx, void* ptr, size_t size)
{
    if (ptr != NULL) ctx->def.free(ptr, size, block_align, ctx->def.alloc_user);
}

// ---- Small things ------------------------------------------------------------------------------

double tarn__sum(const double* values, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += values[i];
    return sum;
}

// Without the sign, floats are ordered as their bits are, and NaN and infinity come after all others.
bool tarn__all_within(const void* floats, size_t n, float limit)
{
    const char* p = floats;
    int32_t most;
    memcpy(&most, &limit, sizeof most);
    int32_t bad = 0; // without early exit the loop vectorises
    for (size_t i = 0; i < n; ++i) {
        int32_t bits;
        memcpy(&bits, p + i * sizeof bits, sizeof bits);
        bad |= (bits & 0x7fffffff) > most;
    }
    return bad == 0;
}

// Four lanes of multiply, add, rotate, multiply over 32-byte stripes, as in XXH64 [Collet2012], then
// a final mix. The first multiplication guards the low bits of a word, the second, behind the rotation,
// the high ones: no bit in a word is undone by one bit in the next.
static const uint64_t hash_prime = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t x) // the finaliser of SplitMix64 [Steele2014]
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_word(uint64_t lane, const uint8_t* p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w); // little-endian on every target we build for
    lane += w * 0xc2b2ae3d27d4eb4fu;
    return (lane << 31 | lane >> 33) * hash_prime;
}

uint64_t tarn_hash(const void* data, size_t size, uint64_t seed)
{
    const uint8_t* p = data;
    uint64_t lane[4] = { mix(seed + 1), mix(seed + 2), mix(seed + 3), mix(seed + 4) };
    size_t left = size;
    for (; left >= 32; left -= 32, p += 32) {
        for (int l = 0; l < 4; ++l) lane[l] = hash_word(lane[l], p + 8 * l);
    }
    if (left > 0) {
        uint8_t tail[32] = { 0 };
        memcpy(tail, p, left);
        for (int l = 0; l < 4; ++l) lane[l] = hash_word(lane[l], tail + 8 * l);
    }
    uint64_t h = mix(size ^ hash_prime);
    for (int l = 0; l < 4; ++l) h = mix(h ^ lane[l]) + hash_prime;
    return mix(h);
}

uint32_t tarn__random(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t x = mix(seed + hash_prime * (stream + 1));
    return (uint32_t)(mix(x + hash_prime * (index + 1)) >> 32); // SplitMix64 from x on
}
