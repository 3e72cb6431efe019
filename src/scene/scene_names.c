// What things of a scene are called: unique names of solvers, what a name in the file or in an override stands for.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdio.h>

// Sections that overrides name like solvers; no solver may be called so.
static const char* const sections[] = { "run",     "view",   "world",  "curl_noise", "wind",
                                        "solvers", "bodies", "solids", "emitters",   "channels" };
enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

// ---- Names of solvers ------------------------------------------------------------------------------

static bool is_name(const char* text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n > 0 && n < SCENE_NAME && text[n] == '\0';
}

static bool is_section(const char* text)
{
    for (int i = 0; i < N_SECTIONS; ++i) {
        if (strcmp(sections[i], text) == 0) return true;
    }
    return false;
}

static TarnResult refuse_kind(SceneReader* r, const TarnJson* node, int at)
{
    const char* names[64];
    char all[320] = "";
    int n = 0;
    for (const TarnSolverClass* c; n < 64 && (c = tarn_solver_class_at(r->ctx, n)) != NULL; ++n) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", c->name);
        names[n] = c->name;
    }
    const TarnJson* kind = tarn__json_get(node, "kind");
    if (kind == NULL)
        return tarn__scene_refuse_value(r, node, "solvers[%d]: \"kind\" is missing; one of: %s", at,
                                        all);
    const char* near = tarn__nearest(kind->string, names, n);
    return tarn__scene_refuse_value(r, kind, "solvers[%d].kind: '%s' is not one of: %s%s%s%s", at,
                                    tarn__scene_shown(kind->string).text, all,
                                    near ? "; did you mean '" : "", near ? near : "",
                                    near ? "'?" : "");
}

// The kind of an entry, and its name: that of the file, or that of the class with a number from the second on.
static TarnResult name_solver(SceneReader* r, SceneSolver* s, int at)
{
    char path[SCENE_ITEM];
    const TarnJson *kind, *name;
    snprintf(path, sizeof path, "solvers[%d]", at);
    if (s->node->type != TARN_JSON_OBJECT)
        return tarn__scene_refuse_value(r, s->node, "%s: expected an object, found %s", path,
                                        tarn__json_type_name(s->node->type));
    TARN_TRY(tarn__scene_read_string(r, s->node, path, "kind", &kind));
    TARN_TRY(tarn__scene_read_string(r, s->node, path, "name", &name));
    s->of = kind ? tarn_solver_class_find(r->ctx, kind->string) : NULL;
    if (s->of == NULL) return refuse_kind(r, s->node, at);
    s->kind = tarn__scene_kind_of(s->of);
    if (name == NULL) {
        int n = 1;
        for (int i = 0; i < at; ++i)
            n += r->solvers[i].of == s->of && !tarn__json_get(r->solvers[i].node, "name");
        snprintf(s->name, sizeof s->name, n == 1 ? "%.31s" : "%.27s%d", s->of->name, n);
    } else if (!is_name(name->string) || is_section(name->string)) {
        return tarn__scene_refuse_value(
            r, name, "%s.name: '%s' is %s; allowed: 1 to %d letters, digits and _", path,
            tarn__scene_shown(name->string).text,
            is_section(name->string) ? "a reserved section name" : "no name", SCENE_NAME - 1);
    } else {
        snprintf(s->name, sizeof s->name, "%s", name->string);
    }
    for (int i = 0; i < at; ++i) {
        if (strcmp(r->solvers[i].name, s->name) == 0)
            return tarn__scene_refuse_value(
                r, name ? name : s->node,
                "%s.name: solvers[%d] is called '%s' too; choose another name", path, i, s->name);
    }
    return TARN_OK;
}

TarnResult tarn__scene_name_solvers(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "solvers");
    int most = (int)tarn_param_find(tarn_world_def_table(), "max_solvers")->max;
    if (list && list->type != TARN_JSON_ARRAY)
        return tarn__scene_refuse_value(r, list, "solvers: expected an array, found %s",
                                        tarn__json_type_name(list->type));
    int n = list ? list->count : 0;
    if (n > most)
        return tarn__scene_refuse_value(r, list, "solvers: %d are too many; allowed: at most %d", n,
                                        most);
    TARN_TRY(tarn__scene_make_room(r, n, sizeof(SceneSolver), &r->solvers));
    r->n_solvers = n;
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next) {
        r->solvers[i].node = node;
        TARN_TRY(name_solver(r, &r->solvers[i], i));
    }
    return TARN_OK;
}

// ---- References --------------------------------------------------------------------------------------

// "; did you mean 'pond'?", or all there are.
static void suggest(const char* word, const char* const* names, int n, char* out, size_t size)
{
    const char* near = tarn__nearest(word, names, n);
    size_t used = 0;
    out[0] = '\0';
    if (near) {
        snprintf(out, size, "; did you mean '%s'?", near);
        return;
    }
    for (int i = 0; i < n && used + 40 < size; ++i) {
        snprintf(out + used, size - used, "%s%s",
                 i ? ", " : "; there are: ", tarn__scene_shown(names[i]).text);
        used += strlen(out + used);
    }
}

enum { MAX_SUGGESTED = 256 };

TarnResult tarn__scene_find_solver(SceneReader* r, const TarnJson* name, const char* path,
                                   const char* key, SceneSolver** out)
{
    const char* names[MAX_SUGGESTED];
    char better[256];
    int n = 0;
    for (int i = 0; i < r->n_solvers; ++i) {
        *out = &r->solvers[i];
        if (strcmp(r->solvers[i].name, name->string) == 0) return TARN_OK;
        if (n < MAX_SUGGESTED) names[n++] = r->solvers[i].name;
    }
    *out = NULL;
    suggest(name->string, names, n, better, sizeof better);
    return tarn__scene_refuse_value(r, name, "%s.%s: no solver is called '%s'%s", path, key,
                                    tarn__scene_shown(name->string).text, better);
}

TarnResult tarn__scene_need_solver(SceneReader* r, const TarnJson* node, const char* path,
                                   const char* key, SceneSolver** out)
{
    const TarnJson* name;
    TARN_TRY(tarn__scene_read_string(r, node, path, key, &name));
    if (name) return tarn__scene_find_solver(r, name, path, key, out);
    return tarn__scene_refuse_value(r, node, "%s: the name of a solver is missing: \"%s\"", path,
                                    key);
}

TarnResult tarn__scene_find_body(SceneReader* r, const TarnJson* name, const char* path,
                                 const char* key, int* out)
{
    const char* names[MAX_SUGGESTED];
    char better[256];
    int n = 0;
    for (*out = 0; *out < r->n_bodies; ++*out) {
        const char* body = r->bodies[*out].name;
        if (body && strcmp(body, name->string) == 0) return TARN_OK;
        if (body && n < MAX_SUGGESTED) names[n++] = body;
    }
    *out = -1;
    suggest(name->string, names, n, better, sizeof better);
    return tarn__scene_refuse_value(r, name, "%s.%s: no body is called '%s'%s", path, key,
                                    tarn__scene_shown(name->string).text, better);
}

// ---- Overrides ---------------------------------------------------------------------------------------

static bool is_head(const char* path, size_t n, const char* name)
{
    return name && strlen(name) == n && strncmp(path, name, n) == 0;
}

// "solvers[1].dx" is about the solver's name, "boat.density" about a body of that name.
void tarn__scene_resolve_overrides(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "bodies");
    for (int i = 0; i < r->n_sets; ++i) {
        SceneSet* set = &r->sets[i];
        const char* path = set->given->path;
        size_t n = strcspn(path, ".[");
        unsigned at = 0;
        int length = 0;
        bool is_known = false;
        if (sscanf(path, "solvers[%9u]%n", &at, &length) == 1 && length > 0 &&
            at < (unsigned)r->n_solvers) {
            memcpy(set->head, r->solvers[at].name, SCENE_NAME);
            set->rest = path + length;
            continue;
        }
        for (int k = 0; k < N_SECTIONS; ++k) is_known |= is_head(path, n, sections[k]);
        for (int k = 0; k < r->n_solvers; ++k) is_known |= is_head(path, n, r->solvers[k].name);
        const TarnJson* body = list && list->type == TARN_JSON_ARRAY ? list->child : NULL;
        for (int k = 0; body && !is_known; ++k, body = body->next) {
            const TarnJson* name = tarn__json_get(body, "name");
            if (!name || name->type != TARN_JSON_STRING || !is_head(path, n, name->string))
                continue;
            snprintf(set->head, sizeof set->head, "bodies[%d]", k);
            set->rest = path + n;
            break;
        }
    }
}

// What an override could have named instead.
static TarnResult explain(SceneReader* r, const char* path)
{
    const char* names[N_SECTIONS + MAX_SUGGESTED];
    char head[SCENE_PATH], better[256];
    int n = 0;
    size_t length = strcspn(path, ".[");
    snprintf(head, sizeof head, "%.*s", length < sizeof head ? (int)length : (int)sizeof head - 1,
             path);
    for (int i = 0; i < r->n_solvers && n < MAX_SUGGESTED; ++i) names[n++] = r->solvers[i].name;
    for (int i = 0; i < N_SECTIONS; ++i) names[n++] = sections[i];
    for (int i = 0; i < n; ++i) {
        if (strcmp(names[i], head) != 0) continue;
        if (strchr(path, '.') == NULL)
            return tarn__fail(r->ctx, TARN_ERR_ARG, "override '%s': write it like %s.key=value",
                              tarn__scene_shown(path).text, head);
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "override '%s': there is no such value in the scene",
                          tarn__scene_shown(path).text);
    }
    suggest(head, names, n, better, sizeof better);
    return tarn__fail(r->ctx, TARN_ERR_ARG, "override '%s': nothing in this scene is called '%s'%s",
                      tarn__scene_shown(path).text, tarn__scene_shown(head).text, better);
}

TarnResult tarn__scene_check_overrides(SceneReader* r)
{
    for (int i = 0; i < r->n_sets; ++i) {
        if (!r->sets[i].is_used) return explain(r, r->sets[i].given->path);
    }
    return TARN_OK;
}
