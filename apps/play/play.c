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
