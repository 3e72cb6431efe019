// Fork-join over fixed blocks, on the built-in pool, on the host's tasks, or serially.
//
// Every worker owns a contiguous share of the blocks, so that a worker meets the same rows in its
// cache step after step, and helps with the other shares when its own is done. Which worker runs a
// block never shows in the results.
//
// The pool spins briefly for the next job and then sleeps: a fork-join costs 0.3 us while steps
// follow one another, 10 us after a pause, and an idle game keeps its cores. The caller never waits
// for a thread that has not woken up: it closes the job's gate and waits only for those inside.

#include "base/base.h"
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct Share {
    _Alignas(64) atomic_int next;
    int end;
} Share;

typedef struct Job {
    TarnBlockFn* fn;
    void* data;
    TarnContext* ctx;
    int workers;
    Share share[TARN_MAX_WORKERS];
    atomic_int arrivals; // with the host's tasks: gives each task its share
} Job;

// Each worker writes its own time, and the caller waits for all before it reads them.
static void note_busy(TarnContext* ctx, int worker, double since)
{
    if (ctx->def.measure_phases) ctx->busy_ms[worker] += tarn__clock_ms(ctx) - since;
}

static void run_blocks(Job* job, int worker)
{
    double since = tarn__clock_ms(job->ctx);
    for (int s = 0; s < job->workers; ++s) {
        Share* share = &job->share[(worker + s) % job->workers];
        for (;;) {
            int block = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
            if (block >= share->end) break;
            job->fn(block, job->data);
        }
    }
    note_busy(job->ctx, worker, since);
}

static void job_init(Job* job, TarnContext* ctx, int workers, int n, TarnBlockFn* fn, void* data)
{
    job->ctx = ctx;
    job->fn = fn;
    job->data = data;
    job->workers = workers;
    atomic_store_explicit(&job->arrivals, 1, memory_order_relaxed);
    for (int w = 0; w < workers; ++w) {
        atomic_store_explicit(&job->share[w].next, (int)((int64_t)n * w / workers),
                              memory_order_relaxed);
        job->share[w].end = (int)((int64_t)n * (w + 1) / workers);
    }
}

// ---- The pool ----------------------------------------------------------------------------------

enum { SPINS = 4000 };                    // 20 to 80 us, by what the CPU takes for a pause
enum { FEW_SPINS = SPINS / 10 };          // where threads outnumber cores: others wait for this one
static const uint64_t GATE_SHUT = 0x8000; // gate: generation << 16 | shut | threads inside

struct TarnPool {
    _Alignas(64) atomic_uint_fast64_t gate;
    _Alignas(64) atomic_int sleepers;
    atomic_bool quit;
    pthread_mutex_t lock, busy;
    pthread_cond_t wake;
    int n_threads;
    int spins; // before a waiting thread sleeps
    Job job;
    struct Worker {
        TarnPool* pool;
        int index;
        pthread_t thread;
    } worker[TARN_MAX_WORKERS];
};

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static bool has_work(TarnPool* pool, uint64_t seen)
{
    uint64_t gate = atomic_load(&pool->gate);
    return ((gate & GATE_SHUT) == 0 && gate >> 16 != seen) || atomic_load(&pool->quit);
}

static void wait_for_work(TarnPool* pool, uint64_t seen)
{
    for (int i = 0; i < pool->spins; ++i) {
        if (has_work(pool, seen)) return;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!has_work(pool, seen)) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void* worker_main(void* argument)
{
    struct Worker* worker = argument;
    TarnPool* pool = worker->pool;
    uint64_t seen = 0;
    while (!atomic_load(&pool->quit)) {
        wait_for_work(pool, seen);
        uint_fast64_t gate = atomic_load(&pool->gate);
        if ((gate & GATE_SHUT) != 0 || gate >> 16 == seen) continue;
        if (!atomic_compare_exchange_strong(&pool->gate, &gate, gate + 1)) continue;
        seen = gate >> 16;
        run_blocks(&pool->job, worker->index);
        atomic_fetch_sub(&pool->gate, 1);
    }
    return NULL;
}

static void pool_run(TarnContext* ctx, int n, TarnBlockFn* fn, void* data)
{
    TarnPool* pool = ctx->pool;
    // The gate is shut and empty here, so nobody reads the job while it is filled in.
    job_init(&pool->job, ctx, pool->n_threads + 1, n, fn, data);
    uint64_t generation = (atomic_load(&pool->gate) >> 16) + 1;
    atomic_store(&pool->gate, generation << 16);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    run_blocks(&pool->job, 0);
    atomic_fetch_or(&pool->gate, GATE_SHUT);
    for (int i = 0; (atomic_load(&pool->gate) & 0x7fff) != 0; ++i) {
        if (i < pool->spins)
            relax();
        else
            sched_yield();
    }
}

int tarn__cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 1 << 20 ? 1 << 20 : (int)cores;
}

TarnPool* tarn__pool_create(TarnContext* ctx, int threads)
{
    TarnPool* pool = tarn__alloc(ctx, sizeof *pool);
    if (pool == NULL) return NULL;
    pool->spins = threads < tarn__cores() ? SPINS : FEW_SPINS;
    atomic_init(&pool->gate, GATE_SHUT);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->busy, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int t = 0; t < threads; ++t) {
        struct Worker* worker = &pool->worker[t];
        *worker = (struct Worker){ .pool = pool, .index = t + 1 };
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
#if defined(__EMSCRIPTEN__)
            break; // linked without threads, or all are in use: the blocks run on those that there are
#endif
            tarn__pool_destroy(ctx, pool);
            return NULL;
        }
        pool->n_threads++;
    }
    return pool;
}

void tarn__pool_destroy(TarnContext* ctx, TarnPool* pool)
{
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int t = 0; t < pool->n_threads; ++t) pthread_join(pool->worker[t].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->busy);
    pthread_mutex_destroy(&pool->lock);
    tarn__free(ctx, pool, sizeof *pool);
}

// ---- The host's tasks --------------------------------------------------------------------------

static void host_task(void* task)
{
    Job* job = task;
    int worker = atomic_fetch_add_explicit(&job->arrivals, 1, memory_order_relaxed);
    run_blocks(job, worker % job->workers);
}

static void host_run(TarnContext* ctx, int n, TarnBlockFn* fn, void* data)
{
    Job job;
    job_init(&job, ctx, ctx->workers, n, fn, data);
    void* handles[TARN_MAX_WORKERS];
    int tasks = (n < ctx->workers ? n : ctx->workers) - 1;
    for (int t = 0; t < tasks; ++t) {
        handles[t] = ctx->def.enqueue(host_task, &job, ctx->def.task_user);
    }
    run_blocks(&job, 0);
    for (int t = 0; t < tasks; ++t) {
        if (handles[t] != NULL) ctx->def.finish(handles[t], ctx->def.task_user);
    }
}

int tarn_context_busy(const TarnContext* ctx, double* ms, int capacity)
{
    int n = ctx ? ctx->workers : 0;
    for (int w = 0; w < n && w < capacity; ++w) ms[w] = ctx->busy_ms[w];
    return n;
}

void tarn__parallel_for(TarnContext* ctx, int n, TarnBlockFn* fn, void* data)
{
    bool is_parallel = n > 1 && ctx->workers > 1;
    if (is_parallel && ctx->def.enqueue != NULL) {
        host_run(ctx, n, fn, data);
    } else if (is_parallel && ctx->pool != NULL && ctx->pool->n_threads > 0 &&
               pthread_mutex_trylock(&ctx->pool->busy) == 0) {
        pool_run(ctx, n, fn, data);
        pthread_mutex_unlock(&ctx->pool->busy);
    } else { // serial, or another thread's step has the pool just now
        double since = tarn__clock_ms(ctx);
        for (int b = 0; b < n; ++b) fn(b, data);
        if (!is_parallel) note_busy(ctx, 0, since);
    }
}
