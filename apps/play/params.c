// Panels as data: what the scene reader met, object by object, with its tables.

#include "play_internal.h"
#include "base/param.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Collecting --------------------------------------------------------------------------------------------

void params_begin(Params* p)
{
    params_free_lists(p);
}

void params_free_lists(Params* p)
{
    for (int i = 0; i < p->n_groups; ++i) free(p->groups[i].values), free(p->groups[i].unedited);
    for (int i = 0; i < p->n_entries; ++i) free(p->entries[i].path);
    free(p->groups), free(p->entries);
    p->groups = NULL, p->entries = NULL;
    p->n_groups = p->room_groups = p->n_entries = 0;
}

void params_clear_overrides(Params* p)
{
    for (int i = 0; i < p->n_overrides; ++i)
        free(p->overrides[i].path), free(p->overrides[i].value);
    p->n_overrides = 0;
}

static ParamGroup* find_group(const Params* p, const char* path, const TarnParamTable* table)
{
    for (int i = 0; i < p->n_groups; ++i)
        if (p->groups[i].table == table && strcmp(p->groups[i].path, path) == 0)
            return &p->groups[i];
    return NULL;
}

static void* copied(const void* values, size_t size)
{
    void* copy = malloc(size);
    return copy ? memcpy(copy, values, size) : NULL;
}

void params_visit(const char* path, const TarnParamTable* table, const void* values, void* user)
{
    Params* p = user;
    ParamGroup* g = find_group(p, path, table);
    if (table->count == 0) return;
    if (g == NULL) {
        if (p->n_groups == p->room_groups) {
            int room = p->room_groups > 0 ? 2 * p->room_groups : 64;
            ParamGroup* groups = realloc(p->groups, (size_t)room * sizeof *groups);
            if (groups == NULL) return;
            p->groups = groups;
            p->room_groups = room;
        }
        g = &p->groups[p->n_groups++];
        *g = (ParamGroup){ .table = table };
        snprintf(g->path, sizeof g->path, "%s", path);
    }
    free(g->values);
    g->values = copied(values, table->struct_size);
}

// Is this the params or the def of a solver? Then what counts is what the solver says.
static void find_solver(ParamGroup* g, TarnWorld* world)
{
    void* solver = tarn_world_find(world, g->path);
    const TarnSolverClass* of = solver ? tarn_world_class_of(world, solver) : NULL;
    if (of == NULL) return;
    g->is_live = of->params_table && g->table == of->params_table();
    g->is_def = g->table == of->def_table();
    g->solver = g->is_live || g->is_def ? solver : NULL;
}

static bool add_entry(Params* p, int group, const TarnParam* param)
{
    const char* head = p->groups[group].path;
    size_t size = strlen(head) + strlen(param->name) + 2;
    char* path = malloc(size);
    if (path == NULL) return false;
    snprintf(path, size, "%s.%s", head, param->name);
    p->entries[p->n_entries++] = (ParamEntry){ .path = path, .group = group, .param = param };
    return true;
}

// What one turns first comes first: live parameters, then the solvers, their parts, the picture, the rest.
static int rank_of(const ParamGroup* g, TarnWorld* world)
{
    static const char* const heads[] = { "view", "run", "world", "wind", "emitters", "bodies" };
    char head[sizeof g->path];
    snprintf(head, sizeof head, "%s", g->path);
    head[strcspn(head, ".[")] = '\0';
    if (g->is_live) return 0;
    if (g->is_def) return 1;
    if (tarn_world_find(world, head)) return 2;
    for (int i = 0; i < 6; ++i)
        if (strcmp(head, heads[i]) == 0) return 3 + i;
    return 9;
}

static void sort_groups(Params* p, TarnWorld* world) // stable
{
    for (int i = 1; i < p->n_groups; ++i) {
        ParamGroup g = p->groups[i];
        int k = i, rank = rank_of(&g, world);
        for (; k > 0 && rank_of(&p->groups[k - 1], world) > rank; --k)
            p->groups[k] = p->groups[k - 1];
        p->groups[k] = g;
    }
}

bool params_finish(Params* p, TarnContext* ctx, TarnWorld* world, const Params* unedited)
{
    int n = 0;
    (void)ctx;
    for (int i = 0; i < p->n_groups; ++i) {
        ParamGroup* g = &p->groups[i];
        if (g->values == NULL) return false;
        find_solver(g, world);
        const ParamGroup* file = unedited ? find_group(unedited, g->path, g->table) : g;
        if (file) g->unedited = copied(file->values, g->table->struct_size);
        n += g->table->count;
    }
    sort_groups(p, world);
    p->entries = calloc((size_t)n + 1, sizeof *p->entries);
    if (p->entries == NULL) return false;
    for (int i = 0; i < p->n_groups; ++i)
        for (int k = 0; k < p->groups[i].table->count; ++k)
            if (!add_entry(p, i, &p->groups[i].table->params[k])) return false;
    return true;
}

// ---- Values ------------------------------------------------------------------------------------------------

// In the units of the table. Returns the number of components.
int params_values(const ParamGroup* g, const TarnParam* param, const void* values, double out[3])
{
    int n = tarn__param_components(param->type);
    (void)g;
    for (int c = 0; c < 3; ++c) {
        double v = c < n && values ? tarn__param_get(param, values, c) : 0.0;
        out[c] = param->scale != 0.0 ? (double)(float)(v / param->scale) : v;
    }
    return n;
}

static void current(const ParamGroup* g, const TarnWorld* world, const TarnParam* param,
                    double out[3])
{
    _Alignas(max_align_t) unsigned char room[2048];
    const void* values = g->values;
    const TarnSolverClass* of = g->solver ? tarn_world_class_of(world, g->solver) : NULL;
    if (of && g->is_def) values = of->def(g->solver);
    if (of && g->is_live && g->table->struct_size <= sizeof room) {
        of->get_params(g->solver, room);
        values = room;
    }
    params_values(g, param, values, out);
}

static int find_override(const Params* p, const char* path)
{
    for (int i = 0; i < p->n_overrides; ++i)
        if (strcmp(p->overrides[i].path, path) == 0) return i;
    return -1;
}

static bool is_view_table(const TarnParamTable* t)
{
    return t == tarn_scene_view_table() || t == tarn_scene_water_look_table() ||
           t == tarn_scene_gas_look_table() || t == tarn_scene_look_table();
}

static int kind_of(const ParamGroup* g)
{
    if (g->is_live) return TARN_PLAY_LIVE;
    return is_view_table(g->table) ? TARN_PLAY_VIEW : TARN_PLAY_REBUILD;
}

int tarn_play_param_count(const TarnPlay* play)
{
    return play->params.n_entries;
}

bool tarn_play_param_at(TarnPlay* play, int n, TarnPlayParam* out)
{
    Params* p = &play->params;
    *out = (TarnPlayParam){ 0 };
    if (n < 0 || n >= p->n_entries) return false;
    ParamEntry* e = &p->entries[n];
    const ParamGroup* g = &p->groups[e->group];
    const TarnParam* param = e->param;
    out->path = e->path;
    out->group = g->path;
    out->table = g->table->name;
    out->name = param->name;
    out->unit = param->unit;
    out->help = param->help;
    out->kind = kind_of(g);
    out->type = (int)param->type;
    out->min = param->min, out->max = param->max;
    out->components = tarn__param_components(param->type);
    out->choices = param->names;
    out->allowed = param->allowed;
    out->is_changed = find_override(p, e->path) >= 0;
    current(g, play->world, param, out->value);
    memcpy(out->start, out->value, sizeof out->start);
    if (out->is_changed && g->unedited) params_values(g, param, g->unedited, out->start);
    for (int c = 0; c < 3; ++c) out->usual[c] = param->value[c];
    tarn_param_format(param, out->value, e->text, sizeof e->text);
    out->text = e->text;
    return true;
}

int tarn_play_param_find(const TarnPlay* play, const char* path)
{
    for (int i = 0; i < play->params.n_entries; ++i)
        if (strcmp(play->params.entries[i].path, path) == 0) return i;
    return -1;
}

const char* tarn_play_value(TarnPlay* play, const char* path)
{
    TarnPlayParam param;
    return tarn_play_param_at(play, tarn_play_param_find(play, path), &param) ? param.text : "";
}

int tarn_play_params_version(const TarnPlay* play)
{
    return play->params.version;
}

// ---- Setting -----------------------------------------------------------------------------------------------

static void remove_override(Params* p, int n)
{
    free(p->overrides[n].path), free(p->overrides[n].value);
    memmove(&p->overrides[n], &p->overrides[n + 1],
            (size_t)(--p->n_overrides - n) * sizeof(Override));
}

// "[1, 2]" to "1,2", as the command line wants it.
static char* plain(const char* text)
{
    char *out = play_copy(text), *to = out;
    for (const char* at = text; out && *at; ++at)
        if (*at != '[' && *at != ']' && *at != ' ') *to++ = *at;
    if (out) *to = '\0';
    return out;
}

static bool put_override(TarnPlay* play, const char* path, const char* value)
{
    Params* p = &play->params;
    int n = find_override(p, path);
    char *path_copy = play_copy(path), *value_copy = plain(value);
    bool has_room = n >= 0 || p->n_overrides < MAX_PLAY_OVERRIDES;
    if (!has_room || path_copy == NULL || value_copy == NULL) {
        free(path_copy), free(value_copy);
        return play_fail(play, has_room ? "not enough memory"
                                        : "too many parameters were changed; reset some of them");
    }
    if (n >= 0) free(p->overrides[n].path), free(p->overrides[n].value);
    if (n < 0) n = p->n_overrides++;
    p->overrides[n] = (Override){ path_copy, value_copy };
    return true;
}

static bool set_live(TarnPlay* play, const ParamEntry* e, const char* value)
{
    _Alignas(max_align_t) unsigned char room[2048];
    const ParamGroup* g = &play->params.groups[e->group];
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    TarnParamTable named = *g->table;
    named.name = g->path;
    if (g->table->struct_size > sizeof room) return play_fail(play, "%s is too large", g->path);
    of->get_params(g->solver, room);
    if (tarn_param_set_text(play->ctx, &named, room, e->param->name, value) != TARN_OK ||
        of->set_params(g->solver, room) != TARN_OK)
        return play_fail_library(play);
    play->history.is_pending = true;
    return true;
}

// The camera is the scene's again when one of its parameters is set.
static bool is_camera(const char* path)
{
    static const char* const names[] = { "view.yaw",    "view.pitch",  "view.distance",
                                         "view.target", "view.eye",    "view.look_at",
                                         "view.fov",    "view.solver", "view.body" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], path) == 0) return true;
    return false;
}

// Copies of the overrides, to go back to when a rebuild fails.
typedef struct Before {
    Override overrides[MAX_PLAY_OVERRIDES];
    int n;
} Before;

static bool keep_overrides(const Params* p, Before* before)
{
    before->n = 0;
    for (; before->n < p->n_overrides; ++before->n) {
        Override copy = { play_copy(p->overrides[before->n].path),
                          play_copy(p->overrides[before->n].value) };
        before->overrides[before->n] = copy;
        if (copy.path == NULL || copy.value == NULL) return false;
    }
    return true;
}

static void end_keep(Params* p, Before* before, bool restores)
{
    if (restores) params_clear_overrides(p);
    for (int i = 0; i < before->n; ++i) {
        if (restores)
            p->overrides[p->n_overrides++] = before->overrides[i];
        else
            free(before->overrides[i].path), free(before->overrides[i].value);
    }
    free(before);
}

static bool rebuild_with(TarnPlay* play, const char* path, const char* value, bool keeps_state)
{
    Params* p = &play->params;
    Before* before = calloc(1, sizeof *before);
    if (before == NULL || !keep_overrides(p, before)) {
        free(before);
        return play_fail(play, "not enough memory");
    }
    int n = find_override(p, path);
    bool is_good = true;
    if (value)
        is_good = put_override(play, path, value);
    else if (n >= 0)
        remove_override(p, n);
    is_good = is_good && play_rebuild(play, keeps_state);
    end_keep(p, before, !is_good);
    return is_good;
}

bool tarn_play_set(TarnPlay* play, const char* path, const char* value)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    int n = tarn_play_param_find(play, path);
    const ParamEntry* e = n >= 0 ? &play->params.entries[n] : NULL;
    int kind = e ? kind_of(&play->params.groups[e->group]) : TARN_PLAY_REBUILD;
    if (kind == TARN_PLAY_LIVE) return set_live(play, e, value) && put_override(play, path, value);
    if (!rebuild_with(play, path, value, kind == TARN_PLAY_VIEW)) return false;
    if (is_camera(path)) tarn_play_camera_reset(play);
    if (kind == TARN_PLAY_REBUILD)
        play_note(play, "%s is fixed when the scene is created, so it started over", path);
    return true;
}

bool tarn_play_set_number(TarnPlay* play, const char* path, int component, double value)
{
    TarnPlayParam param;
    char text[96];
    int n = tarn_play_param_find(play, path);
    if (!tarn_play_param_at(play, n, &param)) return tarn_play_set(play, path, "0");
    if (component < 0 || component >= param.components)
        return play_fail(play, "%s has no component %d", path, component);
    param.value[component] = value;
    tarn_param_format(play->params.entries[n].param, param.value, text, sizeof text);
    return tarn_play_set(play, path, text);
}

bool tarn_play_reset(TarnPlay* play, const char* path)
{
    TarnPlayParam param;
    char text[96];
    play_clear_error(play);
    int n = tarn_play_param_find(play, path), o = find_override(&play->params, path);
    if (o < 0) return true;
    if (!tarn_play_param_at(play, n, &param) || param.kind != TARN_PLAY_LIVE)
        return rebuild_with(play, path, NULL, n >= 0 && param.kind == TARN_PLAY_VIEW);
    tarn_param_format(play->params.entries[n].param, param.start, text, sizeof text);
    if (!set_live(play, &play->params.entries[n], text)) return false;
    remove_override(&play->params, o);
    return true;
}

bool tarn_play_reset_all(TarnPlay* play)
{
    return tarn_play_set_changes(play, "");
}

const char* tarn_play_changes(TarnPlay* play)
{
    const Params* p = &play->params;
    text_clear(&play->changes);
    for (int i = 0; i < p->n_overrides; ++i)
        text_add(&play->changes, "%s%s=%s", i > 0 ? "\n" : "", p->overrides[i].path,
                 p->overrides[i].value);
    return text_of(&play->changes);
}

static bool put_lines(TarnPlay* play, char* lines)
{
    for (char* line = lines; line && *line;) {
        char *end = strchr(line, '\n'), *equals = strchr(line, '=');
        if (end) *end = '\0';
        if (equals == NULL || (end && equals > end))
            return play_fail(play, "'%.80s' is not of the form path=value", line);
        *equals = '\0';
        if (!put_override(play, line, equals + 1)) return false;
        line = end ? end + 1 : NULL;
    }
    return true;
}

bool tarn_play_set_changes(TarnPlay* play, const char* changes)
{
    play_clear_error(play);
    if (play->world == NULL) return play_fail(play, "no scene is open");
    if (strcmp(changes, tarn_play_changes(play)) == 0) return true;
    Before* before = calloc(1, sizeof *before);
    char* lines = play_copy(changes);
    bool is_good = before && lines && keep_overrides(&play->params, before);
    if (!is_good) {
        free(before), free(lines);
        return play_fail(play, "not enough memory");
    }
    params_clear_overrides(&play->params);
    is_good = put_lines(play, lines) && play_rebuild(play, false);
    end_keep(&play->params, before, !is_good);
    free(lines);
    return is_good;
}

// A snapshot brings back the parameters of its time.
void params_sync(TarnPlay* play)
{
    Params* p = &play->params;
    for (int i = p->n_overrides - 1; i >= 0; --i) {
        TarnPlayParam param;
        int n = tarn_play_param_find(play, p->overrides[i].path);
        if (!tarn_play_param_at(play, n, &param) || param.kind != TARN_PLAY_LIVE) continue;
        if (memcmp(param.value, param.start, sizeof param.value) == 0) {
            remove_override(p, i);
        } else {
            char* value = plain(param.text);
            if (value == NULL) continue;
            free(p->overrides[i].value);
            p->overrides[i].value = value;
        }
    }
    ++p->version;
}
