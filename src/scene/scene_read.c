// Objects of a scene file into structs, by their parameter tables; overrides; messages that say
// where. Nothing here knows which sections a scene has (scene.c) or which solvers exist.

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

SceneWord tarn__scene_shown(const char* word)
{
    SceneWord s = { "" };
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
    for (int t = 0; t < 4 && object->tables[t]; ++t) {
        if (tarn_param_find(object->tables[t], key)) return t;
    }
    return -1;
}

static bool is_other(const SceneObject* object, const char* key)
{
    for (int i = 0; i < SCENE_MAX_KEYS && object->others[i]; ++i) {
        if (strcmp(object->others[i], key) == 0) return true;
    }
    return false;
}

static const char* nearest_key(const SceneObject* object, const char* key)
{
    const char* names[192];
    int n = 0, most = (int)(sizeof names / sizeof names[0]);
    for (int t = 0; t < 4 && object->tables[t]; ++t) {
        for (int i = 0; i < object->tables[t]->count && n < most; ++i)
            names[n++] = object->tables[t]->params[i].name;
    }
    for (int i = 0; i < SCENE_MAX_KEYS && object->others[i] && n < most; ++i)
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

static Hint hint_of(const SceneObject* object, const char* key, const char* word)
{
    Hint hint = { "" };
    if (object->hint) object->hint(key, word, hint.text, sizeof hint.text);
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
        SceneWord word =
            tarn__scene_shown(value->string); // no name of an enum is so long that it would be cut
        if (tarn_param_set_text(&r->quiet, &table, object->targets[t], p->name, word.text) ==
            TARN_OK)
            return TARN_OK;
        return tarn__scene_refuse_value(r, value, "%s%s", tarn_last_error(&r->quiet),
                                        hint_of(object, p->name, word.text).text);
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

// What stands behind a path in an override, "" or from a '.' or '[' on; NULL: it is about something else.
static const char* behind(const SceneSet* set, const char* path)
{
    size_t n = strlen(set->head), all = strlen(path);
    if (n > all || strncmp(set->head, path, n) != 0) return NULL;
    if (strncmp(set->rest, path + n, all - n) != 0) return NULL;
    const char* out = set->rest + (all - n);
    return *out == '\0' || *out == '.' || *out == '[' ? out : NULL;
}

// What stands behind "path."; NULL: it is about something else.
static const char* below(const SceneSet* set, const char* path)
{
    const char* out = behind(set, path);
    return out && *out == '.' ? out + 1 : NULL;
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

static TarnResult refuse_unknown(SceneReader* r, const SceneObject* object, const char* key)
{
    char better[96];
    hint(nearest_key(object, key), better, sizeof better);
    return tarn__fail(r->ctx, TARN_ERR_ARG, "unknown key '%s' in %s%s", tarn__scene_shown(key).text,
                      object->path, better);
}

static TarnResult apply(SceneReader* r, const SceneObject* object, const char* key,
                        const SceneSet* set)
{
    int t = table_of(object, key);
    char text[256];
    if (t < 0 && is_other(object, key))
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "%s.%s: an override can only set a single value; change this in the file",
                          object->path, key);
    if (t < 0) return refuse_unknown(r, object, key);
    TarnParamTable table = named(object, t);
    bool is_stretched = object->stretched && strcmp(object->stretched, key) == 0;
    if (is_stretched) stretch_text(set->given->value, text, sizeof text);
    const char* value = is_stretched ? text : set->given->value;
    TarnResult result = tarn_param_set_text(&r->quiet, &table, object->targets[t], key, value);
    if (result == TARN_OK) return TARN_OK;
    return tarn__fail(r->ctx, result, "%s%s", tarn_last_error(&r->quiet),
                      hint_of(object, key, value).text);
}

// A path that goes on: is there an object or a list in this object that may take it?
static TarnResult check_deeper(SceneReader* r, const SceneObject* object, const char* key)
{
    char head[SCENE_PATH];
    size_t n = strcspn(key, ".[");
    snprintf(head, sizeof head, "%.*s", n < sizeof head ? (int)n : (int)sizeof head - 1, key);
    if (is_other(object, head)) return TARN_OK;
    if (table_of(object, head) < 0) return refuse_unknown(r, object, head);
    return tarn__fail(r->ctx, TARN_ERR_ARG,
                      "%s.%s: this is a single value; write it like %s.%s=value", object->path,
                      tarn__scene_shown(key).text, object->path, head);
}

static TarnResult apply_overrides(SceneReader* r, const SceneObject* object)
{
    for (int i = 0; i < r->n_sets; ++i) {
        const char* key = below(&r->sets[i], object->path);
        if (key == NULL) continue;
        if (strpbrk(key, ".[") != NULL) {
            TARN_TRY(check_deeper(r, object, key));
        } else {
            TARN_TRY(apply(r, object, key, &r->sets[i]));
            r->sets[i].is_used = true;
        }
    }
    return TARN_OK;
}

TarnResult tarn__scene_check_items(SceneReader* r, const char* path, int count)
{
    for (int i = 0; i < r->n_sets; ++i) {
        const char* index = behind(&r->sets[i], path);
        const char* given = r->sets[i].given->path;
        unsigned n = 0;
        int length = 0;
        if (index == NULL) continue;
        bool is_item = sscanf(index, "[%9u]%n", &n, &length) == 1 && length > 0;
        if (is_item && n >= (unsigned)count)
            return tarn__fail(r->ctx, TARN_ERR_ARG,
                              "override '%s': %s has %d items, counted from 0",
                              tarn__scene_shown(given).text, path, count);
        if (!is_item || index[length] != '.')
            return tarn__fail(r->ctx, TARN_ERR_ARG, "override '%s': write it like %s[0].key=value",
                              tarn__scene_shown(given).text, path);
    }
    return TARN_OK;
}

bool tarn__scene_is_overridden(const SceneReader* r, const char* path)
{
    for (int i = 0; i < r->n_sets; ++i) {
        if (below(&r->sets[i], path)) return true;
    }
    return false;
}

bool tarn__scene_is_given(const SceneReader* r, const char* path, const TarnJson* node,
                          const char* key)
{
    if (tarn__json_get(node, key)) return true;
    for (int i = 0; i < r->n_sets; ++i) {
        const char* named_key = below(&r->sets[i], path);
        if (named_key && strcmp(named_key, key) == 0) return true;
    }
    return false;
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
                                          tarn__scene_shown(value->key).text, object->path, better);
        }
    }
    TARN_TRY(apply_overrides(r, object));
    for (int t = 0; r->visitor && t < 4 && object->tables[t]; ++t)
        r->visitor->visit(object->path, object->tables[t], object->targets[t], r->visitor->user);
    return TARN_OK;
}

TarnResult tarn__scene_read_plain(SceneReader* r, const char* path, const TarnJson* node,
                                  const TarnParamTable* table, void* target)
{
    SceneObject object = { .path = path, .node = node };
    object.tables[0] = table;
    object.targets[0] = target;
    return tarn__scene_read_object(r, &object);
}

void tarn__scene_add_table(SceneObject* object, const TarnParamTable* table, void* target)
{
    int t = 0;
    while (object->tables[t]) ++t;
    object->tables[t] = table;
    object->targets[t] = target;
}

TarnResult tarn__scene_read_string(SceneReader* r, const TarnJson* node, const char* path,
                                   const char* key, const TarnJson** out)
{
    *out = tarn__json_get(node, key);
    if (*out == NULL || (*out)->type == TARN_JSON_STRING) return TARN_OK;
    return tarn__scene_refuse_value(r, *out, "%s.%s: expected a string, found %s", path, key,
                                    tarn__json_type_name((*out)->type));
}

TarnResult tarn__scene_read_list(SceneReader* r, const TarnJson* node, const char* path, int most,
                                 int* count)
{
    *count = 0;
    if (node && node->type != TARN_JSON_ARRAY)
        return tarn__scene_refuse_value(r, node, "%s: expected an array, found %s", path,
                                        tarn__json_type_name(node->type));
    if (node && node->count > most)
        return tarn__scene_refuse_value(r, node, "%s: %d are too many; allowed: at most %d", path,
                                        node->count, most);
    *count = node ? node->count : 0;
    return tarn__scene_check_items(r, path, *count);
}

TarnResult tarn__scene_read_items(SceneReader* r, const SceneList* list, int* count, void* items)
{
    char path[SCENE_PATH], item_path[SCENE_PATH + SCENE_ITEM];
    const TarnJson* array = tarn__json_get(list->node, list->key);
    int n = 0;
    snprintf(path, sizeof path, "%s%s%s", list->path, list->path[0] ? "." : "", list->key);
    TARN_TRY(tarn__scene_read_list(r, array, path, list->most, &n));
    TARN_TRY(tarn__scene_make_room(r, n, list->size, items));
    *count = n;
    char* item;
    memcpy(&item, items, sizeof item);
    const TarnJson* node = array ? array->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next, item += list->size) {
        snprintf(item_path, sizeof item_path, "%s[%d]", path, i);
        TARN_TRY(list->read(r, node, item_path, item));
    }
    return TARN_OK;
}

TarnResult tarn__scene_grow(SceneReader* r, const SceneObject* owner, const char* key, int needed,
                            const TarnJson* list, const char* what)
{
    int t = table_of(owner, key);
    const TarnParam* p = t >= 0 ? tarn_param_find(owner->tables[t], key) : NULL;
    if (p == NULL || p->type != TARN_PARAM_INT) return TARN_OK;
    int* room = (int*)((char*)owner->targets[t] + p->offset);
    if (needed <= *room) return TARN_OK;
    if (list && tarn__scene_is_given(r, owner->path, owner->node, key))
        return tarn__scene_refuse_value(r, list, "%s: %d are more than %s.%s allows, %d", what,
                                        needed, owner->path, key, *room);
    *room = needed < (int)p->max ? needed : (int)p->max;
    return TARN_OK;
}

TarnResult tarn__scene_make_room(SceneReader* r, int n, size_t size, void* out)
{
    void* room = n > 0 ? tarn__alloc(r->ctx, (size_t)n * size) : NULL;
    if (n > 0 && room == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: out of memory for %d objects", r->name, n);
    memcpy(out, &room, sizeof room);
    return TARN_OK;
}
