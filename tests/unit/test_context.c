// The context: defs, allocators, instruction sets, tasks of the pool and of the host, errors, asserts;
// and what stands on its own beside it: version, hash, random numbers.

#define _DEFAULT_SOURCE // setenv, fork, usleep
#include "test_common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static TarnContext* create(const TarnContextDef* def)
{
    TarnContext* made;
    assert_int_equal(tarn_context_create(def, &made), TARN_OK);
    return made;
}

// ---- Defs ----------------------------------------------------------------------------------------

static void* host_enqueue(TarnTaskFn* fn, void* data, void* user);
static void host_finish(void* handle, void* user);

static void test_bad_defs(void** state)
{
    (void)state;
    TarnContextDef good = counted_def(1, TARN_ISA_AUTO), bad[12];
    for (int n = 0; n < 12; ++n) bad[n] = good;
    bad[0].cookie = 0;
    bad[1].cookie = good.cookie + 1;
    bad[2].workers = -1;
    bad[3].workers = TARN_MAX_WORKERS + 1;
    bad[4].workers = -2147483647 - 1;
    bad[5].isa = TARN_ISA_COUNT;
    bad[6].isa = (TarnIsa)-1;
    bad[7].free = NULL;
    bad[8].alloc = NULL;
    bad[9].enqueue = host_enqueue;
    bad[10].finish = host_finish;
    bad[11] = (TarnContextDef){ 0 };
    int calls = memory.calls;
    for (int n = 0; n < 13; ++n) {
        TarnContext* out = ctx;
        assert_int_equal(tarn_context_create(n < 12 ? &bad[n] : NULL, &out), TARN_ERR_ARG);
        assert_null(out);
    }
    assert_int_equal(tarn_context_create(&good, NULL), TARN_ERR_ARG);
    assert_int_equal(memory.calls, calls);
    tarn_context_destroy(NULL);
    assert_int_equal(tarn_context_workers(NULL), 0);
    assert_int_equal(tarn_context_isa(NULL), TARN_ISA_AUTO);
}

static void test_default_def(void** state)
{
    (void)state;
    TarnContextDef def = tarn_context_default_def();
    assert_true(def.workers == 1 && def.isa == TARN_ISA_AUTO && !def.alloc && !def.free);
    assert_true(!def.enqueue && !def.finish && !def.log && !def.assert_failed);
    def.workers = 0; // one per core
    TarnContext* made = create(&def);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(tarn_context_workers(made),
                     cores > TARN_MAX_WORKERS ? TARN_MAX_WORKERS : cores);
    tarn_context_destroy(made);
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TARN_VERSION_MAJOR, TARN_VERSION_MINOR,
             TARN_VERSION_PATCH);
    assert_string_equal(tarn_version(), text);
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_default_allocator(void** state)
{
    (void)state;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* made = create(&def);
    const size_t sizes[] = { 1, 63, 64, 65, 4096, (size_t)4 << 20, ((size_t)9 << 20) + 1 };
    for (int n = 0; n < 7; ++n) {
        uint8_t* block = tarn__alloc(made, sizes[n]);
        assert_non_null(block);
        assert_true((uintptr_t)block % 64 == 0);
        for (size_t i = 0; i < sizes[n]; ++i) assert_true(block[i] == 0);
        memset(block, 1, sizes[n]);
        tarn__free(made, block, sizes[n]);
    }
    tarn__free(made, NULL, 5);
    tarn_context_destroy(made);
}

static void test_host_allocator(void** state) // counted_alloc and counted_free check what they get
{
    (void)state;
    for (int workers = 1; workers < 4; ++workers) {
        int calls = memory.calls;
        size_t bytes = memory.bytes;
        TarnContext* made = make_context(workers, TARN_ISA_AUTO);
        uint8_t* block = tarn__alloc(made, 1001);
        for (int i = 0; i < 1001; ++i) assert_int_equal(block[i], 0);
        tarn__free(made, block, 1001);
        assert_int_equal(memory.n_bad, 0);
        assert_int_equal(memory.calls - calls, workers > 1 ? 3 : 2);
        block = tarn__alloc(made, 99);
        tarn__free(made, block, 98); // so that it is seen to check
        memory.bytes -= 1;
        assert_int_equal(memory.n_bad, 1);
        memory.n_bad = 0;
        tarn_context_destroy(made);
        assert_true(memory.bytes == bytes);
    }
}

static void test_no_memory(void** state)
{
    (void)state;
    for (int workers = 1; workers < 9; workers += 7) {
        for (int n = 1, is_done = 0; !is_done; ++n) {
            size_t before = memory.bytes;
            TarnContextDef def = counted_def(workers, TARN_ISA_AUTO);
            TarnContext* made = ctx;
            memory.fail_at = memory.calls + n;
            TarnResult result = tarn_context_create(&def, &made);
            is_done = memory.calls < memory.fail_at;
            memory.fail_at = 0;
            assert_int_equal(result, is_done ? TARN_OK : TARN_ERR_MEMORY);
            assert_true((made != NULL) == (result == TARN_OK));
            tarn_context_destroy(made);
            assert_true(memory.bytes == before && n < 10);
        }
    }
}

// ---- Instruction sets ----------------------------------------------------------------------------

static TarnResult create_isa(const char* variable, TarnIsa isa, TarnIsa* got)
{
    setenv("TARN_ISA", variable ? variable : "", 1);
    if (variable == NULL) unsetenv("TARN_ISA");
    TarnContextDef def = counted_def(1, isa);
    TarnContext* made;
    TarnResult result = tarn_context_create(&def, &made);
    assert_true((made != NULL) == (result == TARN_OK));
    *got = tarn_context_isa(made);
    tarn_context_destroy(made);
    return result;
}

static void test_isa(void** state)
{
    (void)state;
    char* old = getenv("TARN_ISA");
    if (old) old = strdup(old);
    TarnIsa got, best = TARN_ISA_BASELINE;
    TarnResult has[TARN_ISA_COUNT] = { TARN_OK, TARN_OK }; // what this machine has
    for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) {
        has[isa] = create_isa(NULL, (TarnIsa)isa, &got);
        if (has[isa] == TARN_OK)
            best = (TarnIsa)isa;
        else
            assert_int_equal(has[isa], TARN_ERR_UNSUPPORTED);
    }
    const char* const any[] = { NULL, "", "auto" };
    for (int n = 0; n < 3; ++n) {
        assert_int_equal(create_isa(any[n], TARN_ISA_AUTO, &got), TARN_OK);
        assert_int_equal(got, best);
    }
    static const char* const names[] = { "auto", "baseline", "avx2", "avx512" };
    for (int isa = TARN_ISA_BASELINE; isa < TARN_ISA_COUNT; ++isa) {
        assert_string_equal(tarn_isa_name((TarnIsa)isa), names[isa]);
        assert_int_equal(create_isa(names[isa], TARN_ISA_AUTO, &got), has[isa]);
        assert_int_equal(got, has[isa] == TARN_OK ? isa : TARN_ISA_AUTO);
        assert_int_equal(create_isa("baseline", (TarnIsa)isa, &got), has[isa]);
    }
    const char* const garbage[] = { "garbage", "AVX2", "avx2 ", "baselin", "0" };
    for (int n = 0; n < 5; ++n) {
        assert_int_equal(create_isa(garbage[n], TARN_ISA_AUTO, &got), TARN_ERR_ARG);
        assert_non_null(strstr(tarn_last_error(NULL), "; allowed: auto, baseline, avx2, avx512"));
        // What the def asks for goes first.
        assert_int_equal(create_isa(garbage[n], TARN_ISA_BASELINE, &got), TARN_OK);
        assert_int_equal(got, TARN_ISA_BASELINE);
    }
    assert_int_equal(create_isa("avx2", TARN_ISA_BASELINE, &got), TARN_OK);
    assert_int_equal(got, TARN_ISA_BASELINE);
    create_isa(old, TARN_ISA_BASELINE, &got); // leaves it as it was
    free(old);
    assert_string_equal(tarn_isa_name((TarnIsa)-1), "unknown");
    assert_string_equal(tarn_isa_name(TARN_ISA_COUNT), "unknown");
}

// ---- Phases --------------------------------------------------------------------------------------

static void test_phases(void** state)
{
    (void)state;
    for (int p = 0; p < TARN_PHASES; ++p) {
        const char* name = tarn_phase_name((TarnPhase)p);
        assert_true(name != NULL && strcmp(name, "unknown") != 0);
        for (int q = 0; q < p; ++q) assert_string_not_equal(name, tarn_phase_name((TarnPhase)q));
    }
    assert_string_equal(tarn_phase_name(TARN_PHASE_EMITTERS), "emitters");
    assert_string_equal(tarn_phase_name(TARN_PHASE_BODIES), "bodies");
    assert_string_equal(tarn_phase_name(TARN_PHASES), "unknown");
    assert_string_equal(tarn_phase_name((TarnPhase)-1), "unknown");

    TarnStepReport report = { 0 }, zero = { 0 };
    double since = tarn__clock_ms(ctx); // off by default
    usleep(2000);
    tarn__report_phase(ctx, &report, TARN_PHASE_GASES, &since);
    assert_true(since == 0.0 && memcmp(&report, &zero, sizeof report) == 0);

    TarnContextDef def = counted_def(1, TARN_ISA_AUTO);
    assert_false(def.measure_phases);
    def.measure_phases = true;
    TarnContext* made;
    assert_int_equal(tarn_context_create(&def, &made), TARN_OK);
    since = tarn__clock_ms(made);
    double begin_ms = since;
    for (int n = 0; n < 2; ++n) { // substeps add up
        usleep(2000);
        tarn__report_phase(made, &report, TARN_PHASE_GASES, &since);
    }
    tarn__report_phase(made, NULL, TARN_PHASE_BODIES, &since); // nobody asks
    float ms = report.phase_ms[TARN_PHASE_GASES];
    assert_true(ms >= 4.0f && (double)ms <= since - begin_ms + 1e-3);
    for (int p = 0; p < TARN_PHASES; ++p)
        assert_true(p == TARN_PHASE_GASES || report.phase_ms[p] == 0.0f);
    tarn_context_destroy(made);
}

// ---- Tasks ---------------------------------------------------------------------------------------

enum { MAX_N = 3000 };
typedef struct Count {
    atomic_int runs[MAX_N]; // of each block
    double value[MAX_N];    // plain memory: what a block wrote is seen when all are done
    TarnContext* where;     // for blocks that start jobs themselves
} Count;

static void count_block(int block, void* data)
{
    Count* count = data;
    atomic_fetch_add(&count->runs[block], 1);
    count->value[block] = 1.0 / (1.0 + block);
}

// These two return how many blocks ran wrongly, because cmocka's asserts are for its own thread only.
static int run_once(TarnContext* where, Count* count, int n)
{
    memset(count->runs, 0, sizeof count->runs);
    memset(count->value, 0, sizeof count->value);
    tarn__parallel_for(where, n, count_block, count);
    int n_bad = 0;
    for (int b = 0; b < MAX_N; ++b) {
        n_bad += atomic_load(&count->runs[b]) != (b < n) || (count->value[b] > 0.0) != (b < n);
    }
    return n_bad;
}

static int run_all_sizes(TarnContext* where)
{
    static _Thread_local Count count;
    const int sizes[] = { 0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 127, 1000, MAX_N };
    int n_bad = 0;
    for (int n = 0; n < 14; ++n) n_bad += run_once(where, &count, sizes[n]);
    double forwards = 0.0;
    for (int b = 0; b < MAX_N; ++b) forwards += 1.0 / (1.0 + b);
    return n_bad + (tarn__sum(count.value, MAX_N) != forwards); // whoever computed them
}

static void* all_sizes_main(void* where)
{
    intptr_t n_bad = 0;
    for (int n = 0; n < 20; ++n) n_bad += run_all_sizes(where);
    return (void*)n_bad;
}

static const int worker_counts[] = { 1, 2, 3, 8, 64 };

static void test_pool(void** state)
{
    (void)state;
    for (int n = 0; n < 5; ++n) {
        TarnContext* where = make_context(worker_counts[n], TARN_ISA_AUTO);
        assert_int_equal(tarn_context_workers(where), worker_counts[n]);
        assert_int_equal(run_all_sizes(where), 0);
        usleep(3000); // the pool has gone to sleep
        assert_int_equal(run_all_sizes(where), 0);
        pthread_t other; // not the thread that made it, and two at once
        assert_int_equal(pthread_create(&other, NULL, all_sizes_main, where), 0);
        void *bad_here = all_sizes_main(where), *bad_there;
        pthread_join(other, &bad_there);
        assert_true(bad_here == NULL && bad_there == NULL);
        tarn_context_destroy(where);
    }
}

static void nested_block(int block, void* data)
{
    Count *outer = data, *inner = calloc(1, sizeof *inner);
    for (int n = 1; n < 40; n += 19) {
        if (run_once(outer->where, inner, n) == 0) atomic_fetch_add(&outer->runs[block], 1);
    }
    free(inner);
}

static void test_nested(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        static Count count;
        count = (Count){ .where = make_context(worker_counts[n], TARN_ISA_AUTO) };
        tarn__parallel_for(count.where, 30, nested_block, &count);
        for (int b = 0; b < 30; ++b) assert_int_equal(count.runs[b], 3);
        tarn_context_destroy(count.where);
    }
}

static void add_block(int block, void* data)
{
    ((int*)data)[block * 16]++; // no atomics: only one thread may ever run it
}

static void test_tiny_jobs(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        TarnContext* where = make_context(worker_counts[n], TARN_ISA_AUTO);
        int counts[5 * 16] = { 0 };
        for (int job = 0; job < 10000; ++job) {
            tarn__parallel_for(where, 1 + job % 5, add_block, counts);
            if (job % 1000 == 0) usleep(500);
        }
        for (int b = 0; b < 5; ++b) assert_int_equal(counts[16 * b], 10000 - 2000 * b);
        tarn_context_destroy(where);
    }
}

// A thread for each task.
typedef struct Task {
    TarnTaskFn* fn;
    void* data;
    pthread_t thread;
    bool is_started;
} Task;
typedef struct Host {
    atomic_int started, finished;
    int kind; // 0: threads, 1: at once, 2: not before finish, 3: each in turn
} Host;

static void* task_main(void* task)
{
    ((Task*)task)->fn(((Task*)task)->data);
    return NULL;
}
static void* host_enqueue(TarnTaskFn* fn, void* data, void* user)
{
    Host* host = user;
    int n = atomic_fetch_add(&host->started, 1), kind = host->kind < 3 ? host->kind : n % 3;
    if (kind == 1) {
        fn(data);
        atomic_fetch_add(&host->finished, 1);
        return NULL;
    }
    Task* task = malloc(sizeof *task);
    *task = (Task){ .fn = fn, .data = data };
    if (kind == 0) task->is_started = pthread_create(&task->thread, NULL, task_main, task) == 0;
    return task;
}
static void host_finish(void* handle, void* user)
{
    Task* task = handle;
    if (task->is_started)
        pthread_join(task->thread, NULL);
    else
        task->fn(task->data);
    free(task);
    atomic_fetch_add(&((Host*)user)->finished, 1);
}

static void test_host_tasks(void** state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        for (int n = 0; n < 5; ++n) {
            Host host = { .kind = kind };
            TarnContextDef def = counted_def(worker_counts[n], TARN_ISA_AUTO);
            def.enqueue = host_enqueue, def.finish = host_finish, def.task_user = &host;
            TarnContext* where = create(&def);
            static Count count;
            const int sizes[] = { 0, 1, 2, 5, 100 };
            for (int s = 0; s < 5; ++s) {
                int most = sizes[s] < def.workers ? sizes[s] : def.workers, before = host.started;
                assert_int_equal(run_once(where, &count, sizes[s]), 0);
                assert_int_equal(host.started - before, most > 1 ? most - 1 : 0);
                assert_int_equal(host.started, host.finished);
            }
            tarn_context_destroy(where);
        }
    }
}

// ---- Sums, errors, asserts -----------------------------------------------------------------------

static void test_sums(void** state)
{
    (void)state;
    const double values[] = { 1e16, 1.0, 1.0, 1.0, -1e16, 1.0 }; // no other order gives 1
    assert_true(tarn__sum(values, 6) == 1.0 && tarn__sum(values, 0) == 0.0);
    assert_true(tarn__sum(values + 1, 3) == 3.0);
    const float wild[] = { 1.0f, -2.0f, NAN, INFINITY, -INFINITY, 2.0001f };
    assert_true(tarn__all_within(wild, 2, 2.0f) && tarn__all_within(wild, 0, 0.0f));
    for (size_t n = 2; n < 6; ++n) assert_false(tarn__all_within(wild + n, 1, 2.0f));
    assert_false(tarn__all_within(wild, 6, 3.0f));
    for (int n = 0; n < 6; ++n) assert_true(tarn__is_finite(wild[n]) == !!isfinite(wild[n]));
}

typedef struct Log {
    char text[1024];
    TarnLogLevel level;
    int calls;
} Log;
static void keep_log(TarnLogLevel level, const char* message, void* user)
{
    Log* log = user;
    snprintf(log->text, sizeof log->text, "%s", message);
    log->level = level;
    log->calls++;
}

// There is no context yet that could hold the sentence: tarn_last_error(NULL) and the log have it.
static void test_refused_contexts(void** state)
{
    (void)state;
    Log log = { .level = TARN_LOG_INFO };
    TarnContext* made;
    TarnContextDef def = tarn_context_default_def();
    def.log = keep_log, def.log_user = &log;
    def.workers = 65;
    assert_int_equal(tarn_context_create(&def, &made), TARN_ERR_ARG);
    assert_string_equal(
        tarn_last_error(NULL),
        "context.workers: 65 is out of range; allowed: 0 to 64, where 0 is one per core");
    assert_string_equal(log.text, tarn_last_error(NULL));
    def.workers = 1, def.isa = (TarnIsa)7;
    assert_int_equal(tarn_context_create(&def, &made), TARN_ERR_ARG);
    assert_string_equal(tarn_last_error(NULL),
                        "context.isa: 7 is not a TarnIsa; use TARN_ISA_AUTO or another TARN_ISA_*");
    def.isa = TARN_ISA_AUTO, def.alloc = counted_alloc;
    assert_int_equal(tarn_context_create(&def, &made), TARN_ERR_ARG);
    assert_string_equal(tarn_last_error(NULL),
                        "context.free: it is NULL; set both alloc and free, or neither");
    Memory none = { .fail_at = 1 };
    def.free = counted_free, def.alloc_user = &none;
    assert_int_equal(tarn_context_create(&def, &made), TARN_ERR_MEMORY);
    assert_non_null(strstr(tarn_last_error(NULL), "context: out of memory"));
    def = (TarnContextDef){ 0 };
    assert_int_equal(tarn_context_create(&def, &made), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(NULL), "tarn_context_default_def()"));
    assert_int_equal(tarn_context_create(NULL, &made), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(NULL), "the TarnContextDef is NULL"));
    assert_int_equal(log.calls, 4);
}

static void test_errors(void** state)
{
    (void)state;
    Log log = { .level = TARN_LOG_INFO };
    TarnContextDef def = counted_def(1, TARN_ISA_AUTO);
    def.log = keep_log, def.log_user = &log;
    TarnContext* made = create(&def);
    assert_string_equal(tarn_last_error(made), "");
    TarnWaveDef bad = small_def();
    bad.dx = -3.0f;
    TarnWave* wave;
    assert_int_equal(tarn_wave_create(made, &bad, &wave), TARN_ERR_ARG);
    assert_true(log.calls == 1 && log.level == TARN_LOG_ERROR);
    assert_string_equal(log.text, tarn_last_error(made));
    assert_non_null(strstr(log.text, "wave.dx: -3 m is out of range; allowed: 0.0001 to 10000 m"));
    assert_string_equal(tarn_last_error(ctx), ""); // the other context knows nothing of it
    assert_int_equal(tarn__fail(NULL, TARN_ERR_IO, "%d", 1), TARN_ERR_IO);
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(tarn__fail(made, TARN_ERR_DATA, "%s", longer), TARN_ERR_DATA);
    assert_true(strlen(tarn_last_error(made)) == sizeof made->error - 1);
    tarn__log(made, TARN_LOG_WARNING, "%s %d", "warned", 7);
    assert_true(log.level == TARN_LOG_WARNING && strcmp(log.text, "warned 7") == 0);
    assert_true(tarn_last_error(made)[0] == 'x'); // a warning is no failure
    tarn__log(NULL, TARN_LOG_ERROR, "nobody is there");
    tarn_context_destroy(made);
    const char* const names[] = {
        "TARN_OK",     "TARN_ERR_ARG",     "TARN_ERR_MEMORY",      "TARN_ERR_DATA",
        "TARN_ERR_IO", "TARN_ERR_VERSION", "TARN_ERR_UNSUPPORTED", "TARN_ERR_CAPACITY"
    };
    for (int n = 0; n < 8; ++n) assert_string_equal(tarn_result_name((TarnResult)-n), names[n]);
    assert_string_equal(tarn_result_name((TarnResult)-8), "unknown result");
}

static void keep_assert(const char* condition, const char* file, int line, void* user)
{
    snprintf(user, 200, "%s %s %d", condition, strrchr(file, '/') + 1, line > 0);
}

static void test_asserts(void** state)
{
    (void)state;
    char text[200] = "";
    TarnContextDef def = counted_def(1, TARN_ISA_AUTO);
    def.assert_failed = keep_assert, def.assert_user = text;
    TarnContext* made = create(&def);
    TARN_ASSERT(made, 2 + 2 == 4);
    assert_string_equal(text, "");
    TARN_ASSERT(made, text[0] == 'x');
    assert_string_equal(text, "text[0] == 'x' test_context.c 1");
    tarn_context_destroy(made);
    for (int n = 0; n < 2; ++n) { // without a hook, and without a context: the end
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            fclose(stderr);
            signal(SIGABRT, SIG_DFL); // not cmocka's
            TARN_ASSERT(n ? ctx : NULL, child != 0);
            _exit(0);
        }
        int status;
        assert_true(waitpid(child, &status, 0) == child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

// ---- Hash ----------------------------------------------------------------------------------------

static int compare_u64(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}
static void assert_distinct(uint64_t* hashes, int n)
{
    qsort(hashes, (size_t)n, sizeof *hashes, compare_u64);
    for (int i = 1; i < n; ++i) assert_true(hashes[i] != hashes[i - 1]);
}

static void test_hash(void** state)
{
    (void)state;
    uint8_t bytes[101], zeros[100] = { 0 };
    for (int i = 0; i < 101; ++i) bytes[i] = (uint8_t)i;
    const struct {
        const void* data;
        size_t size;
        uint64_t seed, hash;
    } golden[] = {
        { "", 0, 0, 0xe4a9b0ef149c3908 },
        { "", 0, 1, 0x08b5bc3b819577cd },
        { "a", 1, 0, 0x8636dfe3b4817c7c },
        { "tarn", 4, 0, 0xb88cac513a2f945e },
        { bytes, 32, 0, 0x2345143bd4f8ec36 },
        { bytes, 33, 0, 0xdb7582e5254ea948 },
        { bytes, 100, 0, 0x5dac93bf824ce77f },
        { bytes, 100, 7, 0x6b58295841683072 },
        { bytes, 100, UINT64_MAX, 0x91a217919b72b998 },
    };
    for (int n = 0; n < 9; ++n) {
        assert_true(tarn_hash(golden[n].data, golden[n].size, golden[n].seed) == golden[n].hash);
    }
    memmove(bytes + 1, bytes, 100); // at an odd address
    assert_true(tarn_hash(bytes + 1, 100, 0) == golden[6].hash);

    uint64_t hashes[20000];
    int n = 0;
    for (int bit = 0; bit < 1600; ++bit) { // each bit, in two contents
        uint8_t *content = bit % 2 ? bytes : zeros, mask = (uint8_t)(1 << bit / 2 % 8);
        content[bit / 16] ^= mask, hashes[n++] = tarn_hash(content, 100, 0);
        content[bit / 16] ^= mask;
    }
    for (size_t size = 1; size <= 99; ++size) { // length: zeros behind the end count; and seeds
        hashes[n++] = tarn_hash(zeros, size, 0), hashes[n++] = tarn_hash(bytes + 2, size, 0);
        hashes[n++] = tarn_hash(zeros, 100, size);
    }
    float words[96];
    for (int i = 0; i < 96; ++i) words[i] = 0.25f + (float)i;
    for (int c = 0; c < 96 * 96; ++c) { // sign flips in one word and in two
        int a = c / 96, b = c % 96;
        if (b > a) continue;
        words[a] = -words[a], words[b] = a == b ? words[b] : -words[b];
        hashes[n++] = tarn_hash(words, sizeof words, 0);
        words[a] = -words[a], words[b] = a == b ? words[b] : -words[b];
    }
    assert_true(n < 20000);
    assert_distinct(hashes, n);
}

// ---- Random numbers ------------------------------------------------------------------------------

static void test_random_golden(void** state)
{
    (void)state;
    const struct {
        uint64_t seed, stream, index;
        uint32_t value;
    } golden[] = {
        { 0, 0, 0, 0xa706dd2f },          { 0, 0, 1, 0xb382a305 },
        { 0, 1, 0, 0x46b73e79 },          { 1, 0, 0, 0x5e41ab08 },
        { 42, 7, 123456789, 0x3881ed60 }, { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x4bffd802 },
    };
    for (int n = 0; n < 6; ++n) {
        uint32_t got = tarn__random(golden[n].seed, golden[n].stream, golden[n].index);
        if (got != golden[n].value) print_error("%d: %08x\n", n, got);
        assert_true(got == golden[n].value);
    }
    // No number is special: small seeds, streams and indices all give different ones.
    uint64_t all[20 * 20 * 20], n = 0;
    for (; n < 8000; ++n) all[n] = tarn__random(n / 400, n / 20 % 20, n % 20);
    assert_distinct(all, 8000); // of 8000 in 2^32 an equal pair has a chance of 0.7 %
}

static void test_random_statistics(void** state)
{
    (void)state;
    enum { N = 1000000, BINS = 256 };
    static int bins[BINS];
    double sum = 0.0, squares = 0.0, next = 0.0, chi = 0.0, before = 0.5;
    for (int i = 0; i < N; ++i) {
        float x = tarn__random01(11, 3, (uint64_t)i);
        assert_true(x >= 0.0f && x < 1.0f);
        sum += x, squares += (x - 0.5) * (x - 0.5), next += (x - 0.5) * (before - 0.5), before = x;
        bins[(int)(x * BINS)]++;
    }
    for (int b = 0; b < BINS; ++b) {
        double off = bins[b] - (double)N / BINS;
        chi += off * off / ((double)N / BINS);
    }
    assert_true(fabs(sum / N - 0.5) < 1e-3);               // 3.5 sigma
    assert_true(fabs(squares / N - 1.0 / 12.0) < 3e-4);    // 4 sigma
    assert_true(fabs(12.0 * next / N) < 4e-3);             // 4 sigma
    assert_true(chi > 255.0 - 80.0 && chi < 255.0 + 80.0); // 3.5 sigma
}

// Of an object that no memory can hold: its size does not wrap to a small one.
static void test_layouts(void** state)
{
    (void)state;
    const size_t impossible = (size_t)PTRDIFF_MAX + 1;
    char base[256];
    TarnLayout layout = { 0 };
    assert_ptr_equal(tarn__layout_place(&layout, base, 3, 5), base);
    assert_ptr_equal(tarn__layout_place(&layout, base, 0, 5), base + 64);
    assert_ptr_equal(tarn__layout_place(&layout, base, 65, 1), base + 64);
    assert_int_equal(layout.size, 192);
    assert_null(tarn__layout_place(&layout, NULL, SIZE_MAX / 4 + 1, 4)); // 0 bytes, if it wrapped
    assert_true(layout.size == impossible);
    tarn__layout_add(&layout, 64);
    assert_true(layout.size == impossible);
    for (int n = 0; n < 3; ++n) {
        layout = (TarnLayout){ 128 };
        tarn__layout_add(&layout, impossible - (n == 0 ? 1 : n == 1 ? 127 : 128));
        assert_true(layout.size == impossible);
    }
    layout = (TarnLayout){ 0 };
    tarn__layout_place(&layout, NULL, 2, SIZE_MAX / 6);
    assert_true(layout.size < impossible && layout.size > SIZE_MAX / 3 - 64);
}

static void test_random_streams(void** state)
{
    (void)state;
    enum { N = 250000 };
    const uint64_t pairs[][4] = { { 0, 0, 0, 1 },        { 0, 1, 0, 2 },   { 5, 0, 6, 0 },
                                  { 0, 1, 1, 0 },        { 7, 63, 7, 64 }, { 1, 1, 2, 2 },
                                  { 0, 0, 1u << 31, 0 }, { 3, 4, 3, 4 } };
    for (int n = 0; n < 8; ++n) { // pairs of seed and stream; the last two are the same
        const uint64_t* p = pairs[n];
        double sum = 0.0;
        for (uint64_t i = 0; i < N; ++i) {
            sum += (tarn__random01(p[0], p[1], i) - 0.5) * (tarn__random01(p[2], p[3], i) - 0.5);
        }
        double correlation = 12.0 * sum / N;
        assert_true(n < 7 ? fabs(correlation) < 0.01 : correlation > 0.99); // 5 sigma
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_bad_defs),
                                        TEST(test_default_def),
                                        TEST(test_default_allocator),
                                        TEST(test_host_allocator),
                                        TEST(test_no_memory),
                                        TEST(test_isa),
                                        TEST(test_phases),
                                        TEST(test_pool),
                                        TEST(test_nested),
                                        TEST(test_tiny_jobs),
                                        TEST(test_host_tasks),
                                        TEST(test_sums),
                                        TEST(test_refused_contexts),
                                        TEST(test_errors),
                                        TEST(test_asserts),
                                        TEST(test_hash),
                                        TEST(test_random_golden),
                                        TEST(test_random_statistics),
                                        TEST(test_random_streams),
                                        TEST(test_layouts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
