// Time: steps that are due, frames between two states, snapshots.

#include "play_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Stepping --------------------------------------------------------------------------------------------

// A world that drops time is called again for the rest, as `tarn run` does, but not for ever.
static bool step_world(TarnPlay* play, float dt)
{
    enum { MOST_CALLS = 16 };
    Clock* c = &play->clock;
    double left = (double)dt;
    c->report = (TarnStepReport){ 0 };
    for (int calls = 0; calls < MOST_CALLS && (calls == 0 || left > 1e-7 * (double)dt); ++calls) {
        TarnStepReport one = { 0 };
        if (tarn_world_step(play->world, (float)left, &one) != TARN_OK)
            return play_fail_library(play);
        left = (double)(float)left - one.time_advanced;
        one.substeps += c->report.substeps;
        one.flags |= c->report.flags;
        if (c->report.limited.what != NULL) one.limited = c->report.limited;
        for (int p = 0; p < TARN_PHASES; ++p) one.phase_ms[p] += c->report.phase_ms[p];
        c->report = one;
        if (!(one.time_advanced > 0.0)) break;
    }
    return true;
}

static float smooth(float old, float now)
{
    return old + 0.08f * (now - old);
}

static void note_step(TarnPlay* play, double ms)
{
    Clock* c = &play->clock;
    Graph* g = &play->graph;
    int at = g->next, workers = tarn_context_workers(play->ctx);
    bool is_first = c->mean_ms == 0.0;
    c->step_ms = ms;
    c->mean_ms = is_first ? ms : c->mean_ms + 0.08 * (ms - c->mean_ms);
    g->step[at] = (float)ms;
    for (int p = 0; p < TARN_PHASES; ++p) {
        g->phase[p][at] = c->report.phase_ms[p];
        c->phase_ms[p] =
            is_first ? c->report.phase_ms[p] : smooth(c->phase_ms[p], c->report.phase_ms[p]);
    }
    double busy[TARN_MAX_WORKERS];
    tarn_context_busy(play->ctx, busy, TARN_MAX_WORKERS);
    for (int w = 0; w < workers; ++w) {
        float now = (float)(busy[w] - play->busy[w]);
        play->busy[w] = busy[w];
        g->worker[w][at] = now;
        c->worker_ms[w] = is_first ? now : smooth(c->worker_ms[w], now);
    }
    g->next = (at + 1) % TARN_PLAY_GRAPH;
    if (g->n < TARN_PLAY_GRAPH) ++g->n;
    for (int f = 0; f < 8; ++f) {
        bool is_raised = (c->report.flags >> f & 1u) != 0;
        c->flag_age[f] = is_raised ? 0 : c->flag_age[f] + 1;
        if (is_raised) c->flags |= 1u << f;
        if (c->flag_age[f] > 60) c->flags &= ~(1u << f);
    }
    if (c->report.flags != 0) c->flagged = c->report;
}

bool play_advance(TarnPlay* play, bool keeps)
{
    float dt = (float)play->run.dt;
    history_before_step(play, tools_has_edits(play));
    if (keeps) tarn_viewer_keep(play->viewer);
    tools_before_step(play, dt);
    tarn_context_busy(play->ctx, play->busy, TARN_MAX_WORKERS);
    double start = play_clock_ms();
    if (!step_world(play, dt)) return false;
    note_step(play, play_clock_ms() - start);
    ++play->clock.steps;
    return true;
}

// Steps that are due now, within the time for them; what does not fit is dropped.
static void advance_due(TarnPlay* play, double seconds)
{
    Clock* c = &play->clock;
    double dt = (double)play->run.dt, start = play_clock_ms();
    if (!(seconds > 0.0)) seconds = 0.0;
    if (seconds > 0.25) seconds = 0.25;            // the window was hidden or the debugger held it
    seconds *= c->speed * (double)play->run.lapse; // of the scene: rivers that carve, in time lapse
    c->owed += seconds;
    c->real = 0.97 * c->real + seconds;
    c->simulated *= 0.97;
    while (c->owed >= dt) {
        double spent = play_clock_ms() - start;
        bool is_last = c->owed < 2.0 * dt || spent + 2.0 * c->mean_ms > play->def.max_step_ms;
        if (!play_advance(play, is_last)) {
            c->is_paused = true;
            return;
        }
        c->owed -= dt;
        c->simulated += dt;
        if (!is_last) continue;
        if (c->owed >= dt) {
            double rest = fmod(c->owed, dt);
            c->dropped += c->owed - rest;
            c->owed = rest;
        }
        break;
    }
}

static const TarnFrame* show(TarnPlay* play, double seconds)
{
    const TarnFrame* frame;
    Clock* c = &play->clock;
    double share = c->is_paused ? 1.0 : c->owed / (double)play->run.dt;
    camera_apply(play, seconds);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    if (tarn_viewer_update_between(play->viewer, (float)share, &frame) != TARN_OK) {
        play_fail_library(play);
        return NULL;
    }
    camera_note(play, frame);
    play->frame = *frame;
    debug_add(play, &play->frame);
    return &play->frame;
}

const TarnFrame* tarn_play_frame(TarnPlay* play, double seconds)
{
    if (play->world == NULL) return NULL;
    if (!play->clock.is_paused) advance_due(play, seconds);
    return show(play, seconds);
}

const TarnFrame* tarn_play_redraw(TarnPlay* play)
{
    return play->world ? show(play, 0.0) : NULL;
}

void tarn_play_pause(TarnPlay* play, bool is_paused)
{
    play->clock.is_paused = is_paused;
}
bool tarn_play_is_paused(const TarnPlay* play)
{
    return play->clock.is_paused;
}
void tarn_play_set_speed(TarnPlay* play, double speed)
{
    if (speed >= 0.01 && speed <= 4.0) play->clock.speed = speed;
}
double tarn_play_speed(const TarnPlay* play)
{
    return play->clock.speed;
}

bool tarn_play_step(TarnPlay* play)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    play->clock.is_paused = true;
    play->clock.owed = 0.0;
    return play_advance(play, true);
}

bool tarn_play_step_back(TarnPlay* play)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    play->clock.is_paused = true;
    play->clock.owed = 0.0;
    return history_go_back(play);
}

int tarn_play_steps_back(const TarnPlay* play)
{
    return history_depth(play);
}

bool tarn_play_restart(TarnPlay* play)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    return play_rebuild(play, false);
}

int tarn_play_run_to(TarnPlay* play, double time, int max_steps)
{
    int n = 0;
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open") ? 0 : -1;
    double dt = (double)play->run.dt;
    for (; n < max_steps && tarn_world_time(play->world) < time - 0.01 * dt; ++n)
        if (!play_advance(play, false)) return -1;
    play->clock.owed = 0.0;
    tarn_viewer_keep(play->viewer);
    return n;
}

double tarn_play_time(const TarnPlay* play)
{
    return play->world ? tarn_world_time(play->world) : 0.0;
}
double tarn_play_dt(const TarnPlay* play)
{
    return (double)play->run.dt;
}
int tarn_play_step_count(const TarnPlay* play)
{
    return play->clock.steps;
}
uint64_t tarn_play_hash(const TarnPlay* play)
{
    return play->world ? tarn_world_hash(play->world) : 0;
}
const char* tarn_play_hash_text(TarnPlay* play)
{
    text_clear(&play->hash_text);
    text_add(&play->hash_text, "%016llx", (unsigned long long)tarn_play_hash(play));
    return text_of(&play->hash_text);
}

// ---- Snapshots -------------------------------------------------------------------------------------------

const void* tarn_play_save(TarnPlay* play, size_t* size)
{
    size_t needed = 0;
    play_clear_error(play);
    if (size) *size = 0;
    if (play->world == NULL) return play_fail(play, "no scene is open"), NULL;
    tarn_world_save(play->world, NULL, 0, &needed);
    void* room = realloc(play->saved, needed);
    if (room == NULL) return play_fail(play, "not enough memory for a snapshot"), NULL;
    play->saved = room;
    if (tarn_world_save(play->world, room, needed, &play->saved_size) != TARN_OK)
        return play_fail_library(play), NULL;
    if (size) *size = play->saved_size;
    return play->saved;
}

size_t tarn_play_saved_size(const TarnPlay* play)
{
    return play->saved_size;
}

void play_after_load(TarnPlay* play)
{
    play->clock.owed = 0.0;
    play->clock.flags = 0;
    tools_forget(play);
    params_sync(play);
    tarn_viewer_keep(play->viewer);
}

bool tarn_play_load(TarnPlay* play, const void* bytes, size_t size)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    if (tarn_world_load(play->world, bytes, size) != TARN_OK) return play_fail_library(play);
    history_clear(&play->history);
    play->clock.steps = (int)lround(tarn_world_time(play->world) / (double)play->run.dt);
    play_after_load(play);
    return true;
}
