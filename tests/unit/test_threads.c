// The contract of threads in tarn/base.h, for the thread sanitizer and for results: contexts side by side, objects of one
// context side by side, readers side by side, failures side by side. cmocka's asserts are for its own thread, so threads
// count what went wrong.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tarn/tarn.h"

enum { STEPS = 12, MAX_THREADS = 8 };
static const float dt = 1.0f / 60.0f;

static TarnContext* make_context(int workers)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    TarnContext* ctx = NULL;
    tarn_context_create(&def, &ctx);
    return ctx;
}

// ---- A solver of each family, small, with something going on -----------------------------------------

typedef enum Family { WAVE, SHALLOW, PIPES, LIQUID, GAS, FAMILIES } Family;

typedef struct Solver {
    Family family;
    TarnWave* wave;
    TarnShallow* shallow;
    TarnPipes* pipes;
    TarnLiquid* liquid;
    TarnGas* gas;
} Solver;

static TarnResult create_liquid(TarnContext* ctx, Solver* s)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.max_particles = 2000;
    TarnResult result = tarn_liquid_create(ctx, &def, &s->liquid);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0.0f, 0.0f, 0.0f },
                                        (TarnVec3){ 0.5f, 0.5f, 0.5f }, &fill.pose.position);
    int added = 0;
    if (result == TARN_OK) result = tarn_liquid_fill(s->liquid, &fill, &added);
    return result == TARN_OK && added == 0 ? TARN_ERR_DATA : result;
}

static TarnResult create_gas(TarnContext* ctx, Solver* s)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = 24;
    TarnResult result = tarn_gas_create(ctx, &def, &s->gas);
    TarnGasSourceDef source = tarn_gas_source_default_def();
    source.motion.position = def.center;
    TarnGasSourceId id;
    return result == TARN_OK ? tarn_gas_add_source(s->gas, &source, &id) : result;
}

static TarnResult create(TarnContext* ctx, Family family, Solver* s)
{
    *s = (Solver){ .family = family };
    TarnResult result = TARN_ERR_ARG;
    if (family == WAVE) {
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = def.nz = 96;
        result = tarn_wave_create(ctx, &def, &s->wave);
        if (result == TARN_OK)
            result = tarn_wave_add_drop(s->wave, (TarnVec2){ 1.0f, 1.2f }, 0.4f, 0.1f);
    } else if (family == SHALLOW) {
        TarnShallowDef def = tarn_shallow_default_def();
        def.nx = def.nz = 96;
        float* depth = malloc(sizeof(float) * 96 * 96);
        for (int c = 0; c < 96 * 96; ++c) depth[c] = c % 96 < 40 ? 2.0f : 0.5f;
        def.depth = depth;
        result = tarn_shallow_create(ctx, &def, &s->shallow);
        free(depth);
    } else if (family == PIPES) {
        TarnPipesDef def = tarn_pipes_default_def();
        def.nx = def.nz = 96;
        float* depth = malloc(sizeof(float) * 96 * 96);
        for (int c = 0; c < 96 * 96; ++c) depth[c] = c % 96 < 40 ? 1.0f : 0.1f;
        def.depth = depth;
        result = tarn_pipes_create(ctx, &def, &s->pipes);
        free(depth);
    } else if (family == LIQUID) {
        result = create_liquid(ctx, s);
    } else if (family == GAS) {
        result = create_gas(ctx, s);
    }
    return result;
}

static TarnResult step(Solver* s)
{
    switch (s->family) {
    case WAVE:
        return tarn_wave_step(s->wave, dt, NULL);
    case SHALLOW:
        return tarn_shallow_step(s->shallow, dt, NULL);
    case PIPES:
        return tarn_pipes_step(s->pipes, dt, NULL);
    case LIQUID:
        return tarn_liquid_step(s->liquid, dt, NULL);
    default:
        return tarn_gas_step(s->gas, dt, NULL);
    }
}

static uint64_t hash_of(const Solver* s)
{
    switch (s->family) {
    case WAVE:
        return tarn_wave_hash(s->wave);
    case SHALLOW:
        return tarn_shallow_hash(s->shallow);
    case PIPES:
        return tarn_pipes_hash(s->pipes);
    case LIQUID:
        return tarn_liquid_hash(s->liquid);
    default:
        return tarn_gas_hash(s->gas);
    }
}

static TarnResult save(const Solver* s, void* buffer, size_t capacity, size_t* size)
{
    switch (s->family) {
    case WAVE:
        return tarn_wave_save(s->wave, buffer, capacity, size);
    case SHALLOW:
        return tarn_shallow_save(s->shallow, buffer, capacity, size);
    case PIPES:
        return tarn_pipes_save(s->pipes, buffer, capacity, size);
    case LIQUID:
        return tarn_liquid_save(s->liquid, buffer, capacity, size);
    default:
        return tarn_gas_save(s->gas, buffer, capacity, size);
    }
}

static void destroy(Solver* s)
{
    tarn_wave_destroy(s->wave), tarn_shallow_destroy(s->shallow), tarn_pipes_destroy(s->pipes);
    tarn_liquid_destroy(s->liquid), tarn_gas_destroy(s->gas);
}

// From creation to the end, on any thread: the hash, 0 if something failed.
static uint64_t run(TarnContext* ctx, Family family)
{
    Solver s;
    bool is_good = create(ctx, family, &s) == TARN_OK;
    for (int n = 0; is_good && n < STEPS; ++n) is_good = step(&s) == TARN_OK;
    uint64_t hash = is_good ? hash_of(&s) : 0;
    destroy(&s);
    return hash;
}

// ---- Stepping at once ----------------------------------------------------------------------------

typedef struct Task {
    TarnContext* ctx;
    Family family;
    uint64_t hash;
    const Solver* solver;
    int index, n_bad;
    pthread_t thread;
} Task;

static void* run_main(void* argument)
{
    Task* task = argument;
    task->hash = run(task->ctx, task->family);
    return NULL;
}

static void start(Task* tasks, int n, void* (*fn)(void*))
{
    for (int t = 0; t < n; ++t)
        assert_int_equal(pthread_create(&tasks[t].thread, NULL, fn, &tasks[t]), 0);
    for (int t = 0; t < n; ++t) pthread_join(tasks[t].thread, NULL);
}

static uint64_t alone[FAMILIES];

static int run_alone(void** state)
{
    (void)state;
    TarnContext* ctx = make_context(1);
    for (int f = 0; f < FAMILIES; ++f) {
        alone[f] = run(ctx, (Family)f);
        if (alone[f] == 0) print_error("family %d: %s\n", f, tarn_last_error(ctx));
    }
    tarn_context_destroy(ctx);
    return 0;
}

static void two_contexts_step_at_once(void** state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; ++f) {
        Task tasks[2] = { { .ctx = make_context(2), .family = (Family)f },
                          { .ctx = make_context(3), .family = (Family)f } };
        start(tasks, 2, run_main);
        for (int t = 0; t < 2; ++t) {
            assert_true(alone[f] != 0 && tasks[t].hash == alone[f]);
            tarn_context_destroy(tasks[t].ctx);
        }
    }
}

static void solvers_of_one_context_step_at_once(void** state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers += 2) {
        TarnContext* ctx = make_context(workers);
        Task tasks[FAMILIES + 1];
        for (int t = 0; t <= FAMILIES; ++t) // two of the first family
            tasks[t] = (Task){ .ctx = ctx, .family = (Family)(t % FAMILIES) };
        start(tasks, FAMILIES + 1, run_main);
        for (int t = 0; t <= FAMILIES; ++t)
            assert_true(alone[tasks[t].family] != 0 && tasks[t].hash == alone[tasks[t].family]);
        tarn_context_destroy(ctx);
    }
}

// ---- Reading at once -----------------------------------------------------------------------------

enum { POINTS = 100 };
typedef struct Answers {
    float y[POINTS], depth[POINTS];
    TarnVec3 normal[POINTS], velocity[POINTS];
} Answers;

static uint64_t ask(const Solver* s)
{
    float x[POINTS], y[POINTS], z[POINTS];
    Answers a;
    memset(&a, 0, sizeof a);
    for (int i = 0; i < POINTS; ++i)
        x[i] = 0.04f * (float)i, y[i] = 0.02f * (float)i, z[i] = 1.0f + 0.01f * (float)i;
    TarnSurface surface = { 0 };
    TarnFlow flow = { 0 };
    switch (s->family) {
    case WAVE:
        surface = tarn_wave_surface(s->wave);
        break;
    case SHALLOW:
        surface = tarn_shallow_surface(s->shallow);
        break;
    case PIPES:
        surface = tarn_pipes_surface(s->pipes);
        break;
    case LIQUID:
        flow = tarn_liquid_flow(s->liquid);
        break;
    default:
        flow = tarn_gas_flow(s->gas);
        break;
    }
    TarnSurfaceSamples of_surface = { a.y, a.normal, a.velocity, a.depth };
    TarnFlowSamples of_flow = { .velocity = a.velocity, .presence = a.y };
    if (surface.query != NULL) tarn_surface_query(surface, POINTS, x, z, &of_surface);
    if (flow.query != NULL) tarn_flow_query(flow, POINTS, x, y, z, &of_flow);
    return tarn_hash(&a, sizeof a, hash_of(s));
}

static uint64_t hash_of_save(const Solver* s)
{
    size_t size = 0;
    save(s, NULL, 0, &size);
    char* buffer = malloc(size);
    uint64_t hash = save(s, buffer, size, &size) == TARN_OK ? tarn_hash(buffer, size, 1) : 0;
    free(buffer);
    return hash;
}

static uint64_t answer, saved;

static void* ask_main(void* argument)
{
    Task* task = argument;
    for (int n = 0; n < 5; ++n) task->n_bad += ask(task->solver) != answer;
    task->n_bad += hash_of_save(task->solver) != saved;
    return NULL;
}

static void many_threads_read(void** state)
{
    (void)state;
    TarnContext* ctx = make_context(2);
    for (int f = 0; f < FAMILIES; ++f) {
        Solver s;
        assert_int_equal(create(ctx, (Family)f, &s), TARN_OK);
        for (int n = 0; n < 3; ++n) {
            assert_int_equal(step(&s), TARN_OK);
            answer = ask(&s), saved = hash_of_save(&s);
            assert_true(saved != 0);
            step(&s); // the first to read after a step are many, too
            Solver copy;
            assert_int_equal(create(ctx, (Family)f, &copy), TARN_OK);
            for (int m = 0; m < 2 * (n + 1); ++m) step(&copy);
            answer = ask(&copy), saved = hash_of_save(&copy);
            destroy(&copy);
            Task tasks[MAX_THREADS];
            for (int t = 0; t < MAX_THREADS; ++t) tasks[t] = (Task){ .ctx = ctx, .solver = &s };
            start(tasks, MAX_THREADS, ask_main);
            for (int t = 0; t < MAX_THREADS; ++t) assert_int_equal(tasks[t].n_bad, 0);
        }
        destroy(&s);
    }
    tarn_context_destroy(ctx);
}

// ---- Failing at once -----------------------------------------------------------------------------

static atomic_int n_failing;

static void* fail_main(void* argument)
{
    Task* task = argument;
    TarnWaveDef def = tarn_wave_default_def();
    for (int n = 0; n < 300; ++n) {
        def.nx = -1000 * (task->index + 1) - n; // a sentence that no other thread gets
        char number[16];
        snprintf(number, sizeof number, "%d", def.nx);
        TarnWave* wave;
        TarnResult result = tarn_wave_create(task->ctx, &def, &wave);
        sched_yield(); // others fail meanwhile
        const char* text = tarn_last_error(task->ctx);
        task->n_bad += result != TARN_ERR_ARG || wave != NULL || strstr(text, number) == NULL;
    }
    atomic_fetch_sub(&n_failing, 1);
    return NULL;
}

// It fails never, and reads what others say: nothing, or a whole sentence.
static void* listen_main(void* argument)
{
    Task* task = argument;
    do {
        const char* text = tarn_last_error(task->ctx);
        bool is_whole = strncmp(text, "wave.nx", 7) == 0 && strstr(text, "16384") != NULL;
        task->n_bad += text[0] != '\0' && !is_whole;
    } while (atomic_load(&n_failing) > 0);
    return NULL;
}

static void* fail_or_listen_main(void* argument)
{
    Task* task = argument;
    return task->index < 0 ? listen_main(task) : fail_main(task);
}

static void many_threads_fail(void** state)
{
    (void)state;
    TarnContext* ctx = make_context(2);
    assert_string_equal(tarn_last_error(ctx), "");
    Task tasks[MAX_THREADS];
    atomic_store(&n_failing, MAX_THREADS - 2);
    for (int t = 0; t < MAX_THREADS; ++t) tasks[t] = (Task){ .ctx = ctx, .index = t - 2 };
    start(tasks, MAX_THREADS, fail_or_listen_main);
    for (int t = 0; t < MAX_THREADS; ++t) assert_int_equal(tasks[t].n_bad, 0);
    assert_true(strncmp(tarn_last_error(ctx), "wave.nx", 7) == 0); // another thread's
    tarn_context_destroy(ctx);
}

// A failure belongs to its context, also to a new one at the place of an old one.
static void failures_keep_to_their_context(void** state)
{
    (void)state;
    for (int n = 0; n < 8; ++n) {
        TarnContext *a = make_context(1), *b = make_context(1);
        assert_string_equal(tarn_last_error(a), "");
        TarnWave* wave;
        TarnPipes* pipes;
        tarn_wave_create(a, NULL, &wave);
        tarn_pipes_create(b, NULL, &pipes);
        assert_non_null(strstr(tarn_last_error(a), "TarnWaveDef"));
        assert_non_null(strstr(tarn_last_error(b), "TarnPipesDef"));
        tarn_context_destroy(n % 2 ? a : b);
        tarn_context_destroy(n % 2 ? b : a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_contexts_step_at_once),
        cmocka_unit_test(solvers_of_one_context_step_at_once),
        cmocka_unit_test(many_threads_read),
        cmocka_unit_test(many_threads_fail),
        cmocka_unit_test(failures_keep_to_their_context),
    };
    return cmocka_run_group_tests(tests, run_alone, NULL);
}
