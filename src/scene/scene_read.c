// Objects of a scene file into structs, by their parameter tables; overrides; messages that say
// where. Nothing here knows which sections a scene has: see scene.c.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdarg.h>
#include <stdio.h>

// ---- Messages ------------------------------------------------------------------------------------

static TarnResult refuse_at(SceneReader* r, int line, int column, const char* format, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    return tarn__fail(r->ctx, TARN_ERR_DATA, "%s:%d:%d: %s", r->name, line, column, text);
}

TarnResult tarn__scene_refuse_key(SceneReader* r, const TarnJson* node, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    TarnResult result = refuse_at(r, node->key_line, node->key_column, format, args);
    va_end(args);
    return result;
}

TarnResult tarn__scene_refuse_value(SceneReader* r, const TarnJson* node, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    TarnResult result = refuse_at(r, node->line, node->column, format, args);
    va_end(args);
    return result;
}

TarnResult tarn__scene_refuse_made(SceneReader* r, const TarnJson* node, const char* path,
                                   TarnResult result)
{
    char text[512];
    snprintf(text, sizeof text, "%s", tarn_last_error(r->ctx));
    if (result == TARN_ERR_MEMORY) return result; // not the text's fault
    if (node) return tarn__scene_refuse_value(r, node, "%s: %s", path, text);
    return tarn__fail(r->ctx, result, "%s: %s: %s", r->name, path, text);
}

// Words of the text appear in messages as short printable ASCII.
typedef struct Shown {
    char text[48];
} Shown;

static Shown shown(const char* word)
{
    Shown s = { "" };
    size_t n = 0;
    for (; word[n] && n < sizeof s.text - 1; ++n)
        s.text[n] = word[n] < ' ' || word[n] > '~' ? '?' : word[n];
    if (word[n]) memcpy(s.text + n - 3, "...", 3);
    return s;
}

// ---- Keys ----------------------------------------------------------------------------------------

// Which of the object's tables knows the key; -1: none.
static int table_of(const SceneObject* object, const char* key)
{
    for (int t = 0; t < 3 && object->tables[t]; ++t) {
        if (tarn_param_find(object->tables[t], key)) return t;
    }
    return -1;
}

static bool is_other(const SceneObject* object, const char* key)
{
    for (int i = 0; object->others && object->others[i]; ++i) {
        if (strcmp(object->others[i], key) == 0) return true;
    }
    return false;
}

static const char* nearest_key(const SceneObject* object, const char* key)
{
    const char* names[96];
    int n = 0, most = (int)(sizeof names / sizeof names[0]);
    for (int t = 0; t < 3 && object->tables[t]; ++t) {
        for (int i = 0; i < object->tables[t]->count && n < most; ++i)
            names[n++] = object->tables[t]->params[i].name;
    }
    for (int i = 0; object->others && object->others[i] && n < most; ++i)
        names[n++] = object->others[i];
    return tarn__nearest(key, names, n);
}

static void hint(const char* near, char* text, size_t size)
{
    snprintf(text, size, near ? "; did you mean '%s'?" : "; docs/scenes.md lists the keys", near);
}

// The table under the name of the object, so that its sentences say bodies[3].density.
static TarnParamTable named(const SceneObject* object, int t)
{
    TarnParamTable table = *object->tables[t];
    table.name = object->path;
    return table;
}

// ---- Values --------------------------------------------------------------------------------------

static TarnResult expect(SceneReader* r, const SceneObject* object, const char* key,
                         const TarnJson* value, TarnJsonType type)
{
    if (value->type == type) return TARN_OK;
    return tarn__scene_refuse_value(r, value, "%s.%s: expected %s, found %s", object->path, key,
                                    tarn__json_type_name(type), tarn__json_type_name(value->type));
}

static TarnResult read_vector(SceneReader* r, const SceneObject* object, const TarnJson* value,
                              double* numbers, int* count)
{
    TARN_TRY(expect(r, object, value->key, value, TARN_JSON_ARRAY));
    *count = 0;
    for (const TarnJson* item = value->child; item; item = item->next) {
        TARN_TRY(expect(r, object, value->key, item, TARN_JSON_NUMBER));
        if (*count < 3) numbers[*count] = item->number;
        ++*count;
    }
    return TARN_OK;
}

// Fewer numbers than three: the last one is repeated.
static void stretch(double* numbers, int* count)
{
    for (; *count > 0 && *count < 3; ++*count) numbers[*count] = numbers[*count - 1];
}

typedef struct Hint {
    char text[128];
} Hint;

// A level, depth or discharge is given to a span of an edge, not to the whole of it: what to write instead.
static Hint span_hint(const TarnParamTable* table, const char* key, const char* word)
{
    Hint hint = { "" };
    bool is_edge =
        strcmp(table->struct_name, "TarnShallowDef") == 0 && strncmp(key, "edge_", 5) == 0;
    const TarnParam* kind = tarn_param_find(tarn_shallow_span_table(), "kind");
    for (int i = 0; is_edge && kind->names[i] != NULL; ++i) {
        if (strcmp(kind->names[i], word) != 0) continue;
        snprintf(
            hint.text, sizeof hint.text,
            "; use a span: \"spans\": [ { \"side\": \"%s\", \"kind\": \"%s\", \"value\": 10 } ]",
            key + 5, word);
    }
    return hint;
}

// The table's own sentence about a value, with its place in front.
static TarnResult said_by_table(SceneReader* r, const TarnJson* value, TarnResult result)
{
    if (result == TARN_OK) return result;
    return tarn__scene_refuse_value(r, value, "%s", tarn_last_error(&r->quiet));
}

static TarnResult read_value(SceneReader* r, const SceneObject* object, int t,
                             const TarnJson* value)
{
    TarnParamTable table = named(object, t);
    const TarnParam* p = tarn_param_find(&table, value->key);
    double numbers[3] = { 0 };
    int count = 1;
    if (p->type == TARN_PARAM_ENUM) {
        TARN_TRY(expect(r, object, p->name, value, TARN_JSON_STRING));
        Shown word = shown(value->string); // no name of an enum is so long that it would be cut
        if (tarn_param_set_text(&r->quiet, &table, object->targets[t], p->name, word.text) ==
            TARN_OK)
            return TARN_OK;
        return tarn__scene_refuse_value(r, value, "%s%s", tarn_last_error(&r->quiet),
                                        span_hint(&table, p->name, word.text).text);
    }
    bool is_stretched = object->stretched && strcmp(object->stretched, p->name) == 0;
    if (p->type == TARN_PARAM_BOOL) {
        TARN_TRY(expect(r, object, p->name, value, TARN_JSON_BOOL));
        numbers[0] = value->boolean;
    } else if (tarn__param_components(p->type) == 1 ||
               (is_stretched && value->type == TARN_JSON_NUMBER)) {
        TARN_TRY(expect(r, object, p->name, value, TARN_JSON_NUMBER));
        numbers[0] = value->number;
    } else {
        TARN_TRY(read_vector(r, object, value, numbers, &count));
    }
    if (is_stretched) stretch(numbers, &count);
    return said_by_table(
        r, value, tarn_param_set(&r->quiet, &table, object->targets[t], p->name, numbers, count));
}

// ---- Overrides -----------------------------------------------------------------------------------

// What stands behind "path." in an override; NULL: it is about something else.
static const char* below(const TarnSceneOverride* o, const char* path)
{
    size_t n = strlen(path);
    return strncmp(o->path, path, n) == 0 && o->path[n] == '.' ? o->path + n + 1 : NULL;
}

// "0.4" to "0.4,0.4,0.4" for a vector that may be given as fewer numbers.
static void stretch_text(const char* text, char* out, size_t size)
{
    const char* last = strrchr(text, ',');
    int commas = 0;
    for (const char* c = text; *c; ++c) commas += *c == ',';
    last = last ? last + 1 : text;
    if (text[0] == '[' || commas >= 2)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, commas ? "%s,%s" : "%s,%s,%s", text, last, last);
}

static TarnResult apply(SceneReader* r, const SceneObject* object, const char* key,
                        const TarnSceneOverride* o)
{
    int t = table_of(object, key);
    char text[256], better[96];
    if (t < 0 && is_other(object, key))
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "%s.%s: an override sets one value; this one is set in the file only",
                          object->path, key);
    if (t < 0) {
        hint(nearest_key(object, key), better, sizeof better);
        return tarn__fail(r->ctx, TARN_ERR_ARG, "unknown key '%s' in %s%s", shown(key).text,
                          object->path, better);
    }
    TarnParamTable table = named(object, t);
    bool is_stretched = object->stretched && strcmp(object->stretched, key) == 0;
    if (is_stretched) stretch_text(o->value, text, sizeof text);
    const char* value = is_stretched ? text : o->value;
    TarnResult result = tarn_param_set_text(&r->quiet, &table, object->targets[t], key, value);
    if (result == TARN_OK) return TARN_OK;
    return tarn__fail(r->ctx, result, "%s%s", tarn_last_error(&r->quiet),
                      span_hint(&table, key, value).text);
}

static TarnResult apply_overrides(SceneReader* r, const SceneObject* object)
{
    for (int i = 0; i < r->n_overrides; ++i) {
        const char* key = below(&r->overrides[i], object->path);
        if (key == NULL || strpbrk(key, ".[") != NULL) continue; // a deeper object will take it
        TARN_TRY(apply(r, object, key, &r->overrides[i]));
        r->is_used[i] = true;
    }
    return TARN_OK;
}

bool tarn__scene_is_overridden(const SceneReader* r, const char* path)
{
    for (int i = 0; i < r->n_overrides; ++i) {
        if (below(&r->overrides[i], path)) return true;
    }
    return false;
}

bool tarn__scene_is_given(const SceneReader* r, const char* path, const TarnJson* node,
                          const char* key)
{
    if (tarn__json_get(node, key)) return true;
    for (int i = 0; i < r->n_overrides; ++i) {
        const char* named_key = below(&r->overrides[i], path);
        if (named_key && strcmp(named_key, key) == 0) return true;
    }
    return false;
}

// A list that overrides may name, and how many things it has.
typedef struct ListFacts {
    const char *name, *things;
    int count;
} ListFacts;

// Is the path about an item of this list? Then it is refused here.
static bool explain_item(SceneReader* r, const char* path, const ListFacts* list)
{
    size_t n = strlen(list->name);
    unsigned index = 0;
    if (strncmp(path, list->name, n) != 0 || strchr(".[", path[n]) == NULL) return false;
    if (sscanf(path + n, "[%9u].", &index) == 1 && index >= (unsigned)list->count)
        tarn__fail(r->ctx, TARN_ERR_ARG, "override '%s': the scene has %d %s, counted from 0",
                   shown(path).text, list->count, list->things);
    else
        tarn__fail(r->ctx, TARN_ERR_ARG, "override '%s': write it like %s[0].key=value",
                   shown(path).text, list->name);
    return true;
}

// What is wrong with an override that no object took.
static TarnResult explain(SceneReader* r, const char* path)
{
    static const char* const sections[] = { "run",      "view",   "world",     "wave",
                                            "shallow",  "pipes",  "window",    "bodies",
                                            "emitters", "liquid", "particles", "fires",
                                            "solids",   "gases",  "curl_noise" };
    const SceneFluids* f = &r->fluids;
    const SceneLand *shallow = &r->lands[LAND_SHALLOW], *pipes = &r->lands[LAND_PIPES];
    const ListFacts lists[] = {
        { "bodies", "bodies", r->n_bodies },
        { "emitters", "emitters", r->n_emitters },
        { "wave.walls", "walls", r->n_walls },
        { "wave.bed", "parts of a bed", r->n_bed },
        { "shallow.walls", "walls", shallow->n_blocks },
        { "shallow.bed", "parts of a bed", shallow->n_parts },
        { "shallow.pools", "pools", shallow->n_pools },
        { "shallow.spans", "spans", shallow->n_spans },
        { "shallow.gates", "gates", shallow->n_gates },
        { "pipes.walls", "walls", pipes->n_blocks },
        { "pipes.bed", "parts of a bed", pipes->n_parts },
        { "liquid.kinds", "kinds of liquid", f->n_kinds },
        { "liquid.fill", "fills", f->n_fills },
        { "liquid.sources", "sources", f->n_sources },
        { "liquid.regions", "regions", f->n_regions },
        { "particles.emitters", "emitters of particles", f->n_emitters },
        { "particles.attractors", "attractors", f->n_attractors },
        { "fires", "fires", f->n_fires },
        { "solids", "solids", f->n_solids },
        { "gases", "gases", f->n_gases },
    };
    enum {
        N_LISTS = sizeof lists / sizeof lists[0],
        N_SECTIONS = sizeof sections / sizeof sections[0]
    };
    TarnContext* ctx = r->ctx;
    for (int l = 0; l < N_LISTS; ++l) {
        if (explain_item(r, path, &lists[l])) return TARN_ERR_ARG;
    }
    Shown head = shown(path);
    head.text[strcspn(head.text, ".[")] = '\0';
    for (int s = 0; s < N_SECTIONS; ++s) {
        if (strcmp(head.text, sections[s]) == 0)
            return tarn__fail(ctx, TARN_ERR_ARG, "override '%s': write it like %s.key=value",
                              shown(path).text, sections[s]);
    }
    const char* near = tarn__nearest(head.text, sections, N_SECTIONS);
    if (near)
        return tarn__fail(ctx, TARN_ERR_ARG, "override '%s': no section '%s'; did you mean '%s'?",
                          shown(path).text, head.text, near);
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "override '%s': no section '%s'; there are run, view, world, wave, shallow, "
        "pipes, liquid, particles, window, solids[n], fires[n], bodies[n] and emitters[n]",
        shown(path).text, head.text);
}

TarnResult tarn__scene_check_overrides(SceneReader* r)
{
    for (int i = 0; i < r->n_overrides; ++i) {
        if (!r->is_used[i]) return explain(r, r->overrides[i].path);
    }
    return TARN_OK;
}

// ---- Objects and lists -----------------------------------------------------------------------------

TarnResult tarn__scene_read_object(SceneReader* r, const SceneObject* object)
{
    const TarnJson* node = object->node;
    if (node && node->type != TARN_JSON_OBJECT)
        return tarn__scene_refuse_value(r, node, "%s: expected an object, found %s", object->path,
                                        tarn__json_type_name(node->type));
    for (const TarnJson* value = node ? node->child : NULL; value; value = value->next) {
        int t = table_of(object, value->key);
        if (t >= 0) {
            TARN_TRY(read_value(r, object, t, value));
        } else if (!is_other(object, value->key)) {
            char better[96];
            hint(nearest_key(object, value->key), better, sizeof better);
            return tarn__scene_refuse_key(r, value, "unknown key '%s' in %s%s",
                                          shown(value->key).text, object->path, better);
        }
    }
    for (int t = 0; r->visitor && t < 2 && object->tables[t]; ++t)
        r->visitor->visit(object->path, object->tables[t], r->visitor->user);
    return apply_overrides(r, object);
}

TarnResult tarn__scene_read_plain(SceneReader* r, const char* path, const TarnJson* node,
                                  const TarnParamTable* table, void* target)
{
    SceneObject object = { .path = path, .node = node };
    object.tables[0] = table;
    object.targets[0] = target;
    return tarn__scene_read_object(r, &object);
}

TarnResult tarn__scene_read_list(SceneReader* r, const TarnJson* node, const char* path, int most,
                                 int* count)
{
    *count = 0;
    if (node == NULL) return TARN_OK;
    if (node->type != TARN_JSON_ARRAY)
        return tarn__scene_refuse_value(r, node, "%s: expected an array, found %s", path,
                                        tarn__json_type_name(node->type));
    if (node->count > most)
        return tarn__scene_refuse_value(r, node, "%s: %d are too many; allowed: at most %d", path,
                                        node->count, most);
    *count = node->count;
    return TARN_OK;
}

TarnResult tarn__scene_make_room(SceneReader* r, int n, size_t size, void* out)
{
    void* room = n > 0 ? tarn__alloc(r->ctx, (size_t)n * size) : NULL;
    if (n > 0 && room == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for %d objects", r->name, n);
    memcpy(out, &room, sizeof room);
    return TARN_OK;
}
