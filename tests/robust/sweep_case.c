// One case of the sweep: a scene with some parameters set is refused with a message that names one of them, or it
// is built, steps within its time, stays finite, and goes on from its own snapshot as if nothing had happened.

#define _XOPEN_SOURCE 700 // setitimer, sigaction
#include "sweep.h"
#include "finite.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

// Memory of both worlds: more is refused, as on a small machine, so that no case takes minutes just because it is
// large.
static const size_t max_bytes = (size_t)512 << 20;
static size_t bytes_live;

static void* sweep_alloc(size_t size, size_t align, void* user)
{
    (void)user;
    if (size > max_bytes - bytes_live) return NULL;
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    if (block) bytes_live += size;
    return block;
}

static void sweep_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align, (void)user;
    if (ptr) bytes_live -= size;
    free(ptr);
}

static SweepOutcome found(SweepResult* out, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    return SWEEP_FOUND;
}

// From here on the process has so much time of the CPU, and ten times as much of the clock in case it just waits.
// When it is over, a signal ends it: SIGPROF or SIGALRM.
static void begin_phase(SweepResult* out, const char* phase, double seconds)
{
    struct itimerval cpu = { .it_value = { (time_t)seconds, 0 } };
    struct itimerval wall = { .it_value = { (time_t)(10.0 * seconds), 0 } };
    snprintf(out->phase, sizeof out->phase, "%s", phase);
    out->seconds = seconds;
    setitimer(ITIMER_PROF, &cpu, NULL);
    setitimer(ITIMER_REAL, &wall, NULL);
}

// A large world may take longer for a step, in proportion.
static double step_seconds(const SweepCase* c, const SweepResult* out)
{
    return c->slow * (SWEEP_STEP_SECONDS + (double)out->bytes / (16 << 20));
}

// ---- Refusals ------------------------------------------------------------------------------------------

// Must name one of the keys that were set, or the object of one: which of its fields does not fit to another one
// is a matter of taste.
static bool is_named(const char* text, const char* path)
{
    char object[128];
    const char* dot = strrchr(path, '.');
    if (dot == NULL) return strstr(text, path) != NULL;
    snprintf(object, sizeof object, "%.*s", (int)(dot - path), path);
    return strstr(text, dot + 1) != NULL || strstr(text, object) != NULL;
}

static SweepOutcome check_refusal(const SweepCase* c, TarnContext* ctx, TarnResult result,
                                  SweepResult* out)
{
    const char* text = tarn_last_error(ctx);
    if (text[0] == '\0')
        return found(out, "refused by %s without a message", tarn_result_name(result));
    if (bytes_live != out->bytes_before) return found(out, "refused, and memory is lost: %s", text);
    if (result == TARN_ERR_MEMORY || c->n_sets == 0) return SWEEP_REFUSED;
    for (int i = 0; i < c->n_sets; ++i) {
        if (is_named(text, c->sets[i].path)) return SWEEP_REFUSED;
    }
    return found(out, "refused by a message that names none of the parameters: %s", text);
}

// ---- Steps ---------------------------------------------------------------------------------------------

static SweepOutcome step(const SweepCase* c, TarnContext* ctx, TarnScene* scene, int n,
                         const char* phase, SweepResult* out)
{
    TarnWorld* world = tarn_scene_world(scene);
    float dt = tarn_scene_run(scene).dt;
    for (int i = 0; i < n; ++i) {
        TarnStepReport report = { 0 };
        begin_phase(out, phase, step_seconds(c, out));
        TarnResult result = tarn_world_step(world, dt, &report);
        if (result != TARN_OK)
            return found(out, "%s: %s: %s", phase, tarn_result_name(result), tarn_last_error(ctx));
        bool is_sane = report.time_advanced >= 0.0 &&
                       report.time_advanced <= (double)dt * (1.0 + 1e-6) && report.substeps >= 0;
        if (!is_sane)
            return found(out, "%s: %g s advanced of %g s, %d substeps", phase, report.time_advanced,
                         (double)dt, report.substeps);
        bool is_short = report.time_advanced < (double)dt * (1.0 - 1e-4);
        if (is_short && !(report.flags & TARN_STEP_TIME_CUT))
            return found(out, "%s: %g s advanced of %g s without TARN_STEP_TIME_CUT", phase,
                         report.time_advanced, (double)dt);
    }
    const char* part = nonfinite_part(world);
    return part ? found(out, "%s: %s not finite", phase, part) : SWEEP_PASSED;
}

// ---- Snapshots -----------------------------------------------------------------------------------------

static SweepOutcome move_over(TarnContext* ctx, TarnWorld* from, TarnWorld* to, SweepResult* out)
{
    size_t size = 0;
    begin_phase(out, "save and load", 60);
    tarn_world_save(from, NULL, 0, &size);
    void* buffer = malloc(size);
    if (buffer == NULL) return SWEEP_REFUSED;
    TarnResult saved = tarn_world_save(from, buffer, size, &size);
    TarnResult loaded = saved == TARN_OK ? tarn_world_load(to, buffer, size) : saved;
    free(buffer);
    if (loaded != TARN_OK)
        return found(out, "%s refused: %s", saved == TARN_OK ? "load" : "save",
                     tarn_last_error(ctx));
    if (tarn_world_hash(from) != tarn_world_hash(to))
        return found(out, "the hash changes by save and load");
    return SWEEP_PASSED;
}

static TarnResult open_scene(const SweepCase* c, TarnContext* ctx, TarnScene** out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, c->scene);
    return tarn_scene_create_from_file(ctx, path, c->sets, c->n_sets, out);
}

static SweepOutcome go_on_twice(const SweepCase* c, TarnContext* ctx, TarnScene* scene,
                                TarnScene* other, SweepResult* out)
{
    SweepOutcome outcome = move_over(ctx, tarn_scene_world(scene), tarn_scene_world(other), out);
    if (outcome == SWEEP_PASSED) outcome = step(c, ctx, scene, c->steps_after, "steps on", out);
    if (outcome == SWEEP_PASSED)
        outcome = step(c, ctx, other, c->steps_after, "steps after load", out);
    if (outcome != SWEEP_PASSED) return outcome;
    if (tarn_world_hash(tarn_scene_world(scene)) == tarn_world_hash(tarn_scene_world(other)))
        return SWEEP_PASSED;
    return found(out, "equal hashes after load, others %d steps later (saved after %d)",
                 c->steps_after, c->steps_before);
}

static SweepOutcome run_scene(const SweepCase* c, TarnContext* ctx, SweepResult* out)
{
    TarnScene *scene, *other = NULL;
    out->bytes_before = bytes_live;
    begin_phase(out, "build", c->slow * 60);
    TarnResult result = open_scene(c, ctx, &scene);
    if (result != TARN_OK) return check_refusal(c, ctx, result, out);
    out->bytes = bytes_live - out->bytes_before;
    SweepOutcome outcome = step(c, ctx, scene, c->steps_before, "steps", out);
    if (outcome == SWEEP_PASSED) {
        begin_phase(out, "second build", c->slow * 60);
        result = open_scene(c, ctx, &other);
        if (result == TARN_ERR_MEMORY)
            outcome = SWEEP_REFUSED;
        else if (result != TARN_OK)
            outcome = found(out, "refused the second time: %s", tarn_last_error(ctx));
        else
            outcome = go_on_twice(c, ctx, scene, other, out);
    }
    tarn_scene_destroy(other);
    tarn_scene_destroy(scene);
    if (outcome == SWEEP_PASSED && bytes_live != out->bytes_before)
        return found(out, "%zu bytes are lost", bytes_live - out->bytes_before);
    return outcome;
}

SweepOutcome sweep_case(const SweepCase* c, SweepResult* out)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    def.alloc = sweep_alloc;
    def.free = sweep_free;
    if (tarn_context_create(&def, &ctx) != TARN_OK) return found(out, "no context");
    SweepOutcome outcome = run_scene(c, ctx, out);
    tarn_context_destroy(ctx);
    return outcome;
}
