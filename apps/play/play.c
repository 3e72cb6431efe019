// Scenes and time.

#define _POSIX_C_SOURCE 200809L // clock_gettime, posix_memalign
#include "play_internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// ---- Small things ------------------------------------------------------------------------------------

double play_clock_ms(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

char* play_copy(const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void play_clear_error(TarnPlay* play)
{
    play->error[0] = '\0';
    play->error_text = play->error;
    play->error_line = play->error_column = 0;
}

// "name:12:5: sentence": finds the numbers and where the sentence begins.
static void find_place(TarnPlay* play)
{
    for (const char* at = strchr(play->error, ':'); at; at = strchr(at + 1, ':')) {
        int line, column, length = 0;
        if (sscanf(at, ":%d:%d: %n", &line, &column, &length) != 2 || length == 0) continue;
        play->error_line = line;
        play->error_column = column;
        play->error_text = at + length;
        return;
    }
}

bool play_fail(TarnPlay* play, const char* format, ...)
{
    va_list args;
    play_clear_error(play);
    va_start(args, format);
    vsnprintf(play->error, sizeof play->error, format, args);
    va_end(args);
    find_place(play);
    return false;
}

bool play_fail_library(TarnPlay* play)
{
    return play_fail(play, "%s", tarn_last_error(play->ctx));
}

void play_note(TarnPlay* play, const char* format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_clear(&play->notice);
    text_add(&play->notice, "%s", text);
}

const char* tarn_play_error(const TarnPlay* play)
{
    return play->error;
}
const char* tarn_play_error_text(const TarnPlay* play)
{
    return play->error_text;
}
int tarn_play_error_line(const TarnPlay* play)
{
    return play->error_line;
}
int tarn_play_error_column(const TarnPlay* play)
{
    return play->error_column;
}
const char* tarn_play_notice(TarnPlay* play)
{
    text_clear(&play->notice_out);
    text_add(&play->notice_out, "%s", text_of(&play->notice));
    text_clear(&play->notice);
    return text_of(&play->notice_out);
}

// ---- Life --------------------------------------------------------------------------------------------

static void* counted_alloc(size_t size, size_t align, void* user)
{
    void* block = NULL;
    if (posix_memalign(&block, align < sizeof(void*) ? sizeof(void*) : align, size) != 0)
        return NULL;
    *(size_t*)user += size;
    return block;
}

static void counted_free(void* ptr, size_t size, size_t align, void* user)
{
    (void)align;
    *(size_t*)user -= size;
    free(ptr);
}

TarnPlayDef tarn_play_default_def(void)
{
    return (TarnPlayDef){
        .width = 1280, .height = 720, .history_bytes = (size_t)256 << 20, .max_step_ms = 40.0
    };
}

TarnPlay* tarn_play_create(const TarnPlayDef* def)
{
    TarnPlay* play = calloc(1, sizeof *play);
    if (play == NULL) return NULL;
    play->def = *def;
    play->ctx = def->ctx;
    play->clock.speed = 1.0;
    play->tools.size = play->tools.strength = 1.0f;
    play->history.limit = def->history_bytes;
    play_clear_error(play);
    if (play->ctx == NULL) {
        TarnContextDef context = tarn_context_default_def();
        context.workers = def->workers;
        context.measure_phases = true;
        context.alloc = counted_alloc;
        context.free = counted_free;
        context.alloc_user = &play->memory;
        play->owns_ctx = tarn_context_create(&context, &play->ctx) == TARN_OK;
        if (!play->owns_ctx) {
            free(play);
            return NULL;
        }
    }
    return play;
}

TarnPlay* tarn_play_new(int workers, int width, int height)
{
    TarnPlayDef def = tarn_play_default_def();
    def.workers = workers;
    def.width = width, def.height = height;
    return tarn_play_create(&def);
}

static void close_scene(TarnPlay* play)
{
    if (play->scene && play->def.before_scene_ends)
        play->def.before_scene_ends(play->scene, play->def.user);
    tarn_viewer_destroy(play->viewer);
    tarn_scene_destroy(play->scene);
    play->viewer = NULL, play->scene = NULL, play->world = NULL;
}

void tarn_play_destroy(TarnPlay* play)
{
    if (play == NULL) return;
    close_scene(play);
    history_free(&play->history);
    debug_free(play);
    params_free_lists(&play->params);
    params_clear_overrides(&play->params);
    Text* texts[] = { &play->notice,      &play->notice_out, &play->words,     &play->command,
                      &play->camera_text, &play->changes,    &play->hash_text, &play->value_text,
                      &play->family,      &play->title };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) text_free(texts[i]);
    for (size_t i = 0; i < sizeof play->json / sizeof *play->json; ++i) text_free(&play->json[i]);
    free(play->text), free(play->name), free(play->path), free(play->folder), free(play->saved);
    if (play->owns_ctx) tarn_context_destroy(play->ctx);
    free(play);
}

bool tarn_play_resize(TarnPlay* play, int width, int height)
{
    play_clear_error(play);
    if (play->viewer && tarn_viewer_resize(play->viewer, width, height) != TARN_OK)
        return play_fail_library(play);
    play->def.width = width, play->def.height = height;
    return true;
}

TarnContext* tarn_play_context(TarnPlay* play)
{
    return play->ctx;
}
TarnScene* tarn_play_scene(TarnPlay* play)
{
    return play->scene;
}
TarnWorld* tarn_play_world(TarnPlay* play)
{
    return play->world;
}
TarnViewer* tarn_play_viewer(TarnPlay* play)
{
    return play->viewer;
}

// ---- Building ------------------------------------------------------------------------------------------

// What a build makes; it takes the place of the old scene only when all of it has worked.
typedef struct Built {
    TarnScene* scene;
    TarnViewer* viewer;
    Params params; // without overrides
} Built;

typedef struct Source { // of a scene
    const char *text, *name, *folder;
} Source;

static bool read_scene(TarnPlay* play, const Source* source, const TarnSceneOverride* sets, int n,
                       Params* params, bool builds, TarnScene** out)
{
    SceneVisitor visitor = { .visit = params_visit, .user = params, .builds = builds };
    TarnScene* scene = NULL;
    params_begin(params);
    TarnResult result = tarn__scene_create(play->ctx, source->text, strlen(source->text),
                                           source->name, source->folder, sets, n, &visitor, &scene);
    if (result != TARN_OK) return play_fail_library(play);
    if (builds)
        *out = scene;
    else
        tarn_scene_destroy(scene);
    return true;
}

static bool open_viewer(TarnPlay* play, Built* built)
{
    TarnViewerDef def = tarn_viewer_default_def();
    def.scene = built->scene;
    def.width = play->def.width, def.height = play->def.height;
    def.drawers = play->def.drawers, def.n_drawers = play->def.n_drawers;
    if (tarn_viewer_create(play->ctx, &def, &built->viewer) != TARN_OK)
        return play_fail_library(play);
    return true;
}

static void discard(TarnPlay* play, Built* built)
{
    (void)play;
    tarn_viewer_destroy(built->viewer);
    tarn_scene_destroy(built->scene);
    params_free_lists(&built->params);
    *built = (Built){ 0 };
}

static bool build(TarnPlay* play, const Source* source, const Params* overrides, Built* out)
{
    TarnSceneOverride sets[MAX_PLAY_OVERRIDES];
    Params unedited = { 0 };
    int n = overrides ? overrides->n_overrides : 0;
    *out = (Built){ 0 };
    for (int i = 0; i < n; ++i)
        sets[i] =
            (TarnSceneOverride){ overrides->overrides[i].path, overrides->overrides[i].value };
    bool is_good = (n == 0 || read_scene(play, source, NULL, 0, &unedited, false, NULL)) &&
                   read_scene(play, source, sets, n, &out->params, true, &out->scene);
    if (is_good && play->def.on_scene && !play->def.on_scene(out->scene, play->def.user))
        is_good =
            play_fail(play, "%s: the engine of its bodies could not be started", source->name);
    if (is_good && !params_finish(&out->params, play->ctx, tarn_scene_world(out->scene),
                                  n > 0 ? &unedited : NULL))
        is_good = play_fail(play, "%s: out of memory", source->name);
    is_good = is_good && open_viewer(play, out);
    params_free_lists(&unedited);
    if (!is_good) discard(play, out);
    return is_good;
}

static bool is_flat_world(const TarnWorld* world)
{
    void* solver;
    for (int i = 0; (solver = tarn_world_get(world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(world, solver);
        if (of->is_flat && of->is_flat(solver)) return true;
    }
    return false;
}

// The new scene takes the place of the old one; overrides stay with the play.
static void adopt(TarnPlay* play, Built* built)
{
    close_scene(play);
    play->scene = built->scene;
    play->viewer = built->viewer;
    play->world = tarn_scene_world(built->scene);
    play->run = tarn_scene_run(built->scene);
    play->is_flat = is_flat_world(play->world);
    params_free_lists(&play->params);
    play->params.groups = built->params.groups;
    play->params.n_groups = built->params.n_groups;
    play->params.room_groups = built->params.room_groups;
    play->params.entries = built->params.entries;
    play->params.n_entries = built->params.n_entries;
    ++play->params.version;
    history_clear(&play->history);
    Clock* c = &play->clock;
    *c = (Clock){ .is_paused = c->is_paused, .speed = c->speed };
    play->graph = (Graph){ 0 };
    play->has_shown = false;
    tools_forget(play);
    tools_find(play);
}

bool play_rebuild(TarnPlay* play, bool keeps_state)
{
    Built built;
    Source source = { play->text, play->name, play->folder };
    void* state = NULL;
    size_t size = 0;
    Clock clock = play->clock;
    if (keeps_state) {
        tarn_world_save(play->world, NULL, 0, &size);
        state = malloc(size);
        if (state == NULL || tarn_world_save(play->world, state, size, &size) != TARN_OK)
            keeps_state = false;
    }
    bool is_good = build(play, &source, &play->params, &built);
    if (is_good) {
        adopt(play, &built);
        if (keeps_state && tarn_world_load(play->world, state, size) == TARN_OK)
            play->clock = clock;
    }
    free(state);
    return is_good;
}

static void take(char** field, char* value)
{
    free(*field);
    *field = value;
}

static bool open_source(TarnPlay* play, const Source* source, const char* path)
{
    Built built;
    play_clear_error(play);
    if (!build(play, source, NULL, &built)) return false;
    char *text = play_copy(source->text), *name = play_copy(source->name);
    char* folder = source->folder ? play_copy(source->folder) : NULL;
    take(&play->text, text), take(&play->name, name), take(&play->folder, folder);
    take(&play->path, path ? play_copy(path) : NULL);
    params_clear_overrides(&play->params);
    play->clock.is_paused = false;
    play->clock.speed = 1.0;
    play->camera = (PlayCamera){ 0 };
    play->debug = 0;
    play->tools.chosen = NULL;
    adopt(play, &built);
    return true;
}

bool tarn_play_open_text(TarnPlay* play, const char* text, const char* name)
{
    return open_source(play, &(Source){ text, name && name[0] ? name : "scene", NULL }, NULL);
}

// ---- Files -----------------------------------------------------------------------------------------------

static int64_t stamp_of(const char* path)
{
    struct stat info;
    if (path == NULL || stat(path, &info) != 0) return 0;
#if defined(__linux__)
    return (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec + info.st_size;
#else
    return (int64_t)info.st_mtime * 1000000000 + info.st_size;
#endif
}

static char* read_file(TarnPlay* play, const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = NULL;
    size_t size = 0, room = 0;
    for (bool is_more = file != NULL; is_more;) {
        if (size + 65536 > room) {
            char* larger = realloc(text, room = 2 * room + 65537);
            if (larger == NULL) break;
            text = larger;
        }
        size_t n = fread(text + size, 1, 65536, file);
        size += n;
        is_more = n == 65536 && size <= TARN_JSON_MAX_BYTES;
    }
    bool is_good = file != NULL && !ferror(file) && text != NULL;
    if (file) fclose(file);
    if (is_good) {
        text[size] = '\0';
        return text;
    }
    free(text);
    play_fail(play, "cannot read '%s'", path);
    return NULL;
}

static char* folder_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    char* folder = play_copy(slash ? path : ".");
    if (folder && slash) folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

bool tarn_play_open_file(TarnPlay* play, const char* path)
{
    play_clear_error(play);
    int64_t stamp = stamp_of(path);
    char *text = read_file(play, path), *folder = folder_of(path);
    const char* slash = strrchr(path, '/');
    char* name = play_copy(slash ? slash + 1 : path);
    bool is_good = false;
    if (text && folder && name) {
        char* dot = strrchr(name, '.');
        if (dot && dot != name) *dot = '\0';
        is_good = open_source(play, &(Source){ text, name, folder }, path);
    }
    if (is_good) play->file_stamp = stamp;
    free(text), free(folder), free(name);
    return is_good;
}

bool tarn_play_check(TarnPlay* play, const char* text, const char* name)
{
    Params params = { 0 };
    Source source = { text, name ? name : "scene", play->folder };
    play_clear_error(play);
    bool is_good = read_scene(play, &source, NULL, 0, &params, false, NULL);
    params_free_lists(&params);
    return is_good;
}

// Overrides that the new text refuses are dropped, one by one from the end.
bool tarn_play_edit(TarnPlay* play, const char* text)
{
    Built built;
    play_clear_error(play);
    if (play->text == NULL) return tarn_play_open_text(play, text, "scene");
    Source source = { text, play->name, play->folder };
    Params kept = play->params;
    if (!build(play, &source, NULL, &built)) return false;
    while (kept.n_overrides > 0) {
        Built with;
        if (build(play, &source, &kept, &with)) {
            discard(play, &built);
            built = with;
            break;
        }
        --kept.n_overrides;
    }
    play_clear_error(play);
    for (int i = kept.n_overrides; i < play->params.n_overrides; ++i)
        free(play->params.overrides[i].path), free(play->params.overrides[i].value);
    play->params.n_overrides = kept.n_overrides;
    take(&play->text, play_copy(text));
    adopt(play, &built);
    return true;
}

int tarn_play_reload(TarnPlay* play)
{
    int64_t stamp = stamp_of(play->path);
    if (play->path == NULL || stamp == 0 || stamp == play->file_stamp) return 0;
    play->file_stamp = stamp;
    play_clear_error(play);
    char* text = read_file(play, play->path);
    bool is_good = text != NULL && tarn_play_edit(play, text);
    free(text);
    if (is_good) play_note(play, "%s has changed on disk and was loaded again", play->name);
    return is_good ? 1 : -1;
}

const char* tarn_play_text(const TarnPlay* play)
{
    return play->text ? play->text : "";
}
const char* tarn_play_name(const TarnPlay* play)
{
    return play->name ? play->name : "";
}
const char* tarn_play_path(const TarnPlay* play)
{
    return play->path ? play->path : "";
}
const char* tarn_play_title(const TarnPlay* play)
{
    return tarn_scene_title(play->scene);
}
const char* tarn_play_about(const TarnPlay* play)
{
    return tarn_scene_about(play->scene);
}

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
