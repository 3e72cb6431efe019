// Panels, tools, status and debug views as JSON, for JavaScript.

#include "play_internal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Values --------------------------------------------------------------------------------------------------------

static void put_string(Text* t, const char* text)
{
    text_add(t, "\"");
    for (const char* c = text; *c; ++c) {
        if (*c == '"' || *c == '\\')
            text_add(t, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            text_add(t, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            text_add(t, "%c", *c);
    }
    text_add(t, "\"");
}

static void key(Text* t, const char* name) // after a "{" or a value
{
    char last = t->size > 0 ? t->data[t->size - 1] : '{';
    text_add(t, "%s\"%s\":", last == '{' ? "" : ",", name);
}
static void put_text(Text* t, const char* name, const char* value)
{
    key(t, name);
    put_string(t, value ? value : "");
}
static void number(Text* t, double value)
{
    if (isfinite(value))
        text_add(t, "%.9g", value);
    else
        text_add(t, "null");
}
static void put_number(Text* t, const char* name, double value)
{
    key(t, name);
    number(t, value);
}
static void put_bool(Text* t, const char* name, bool value)
{
    key(t, name);
    text_add(t, value ? "true" : "false");
}

static Text* start(TarnPlay* play, int n)
{
    text_clear(&play->json[n]);
    return &play->json[n];
}

// Writes the keys of the i-th object of a list; false: there is none.
typedef bool Item(TarnPlay* play, Text* t, int i, const void* data);

static void put_objects(TarnPlay* play, Text* t, Item* item, const void* data)
{
    text_add(t, "[");
    for (int i = 0;; ++i) {
        size_t end = t->size;
        text_add(t, i > 0 ? ",\n{" : "{");
        if (!item(play, t, i, data)) {
            t->size = end;
            if (t->data) t->data[end] = '\0';
            break;
        }
        text_add(t, "}");
    }
    text_add(t, "]");
}

// ---- Parameters ----------------------------------------------------------------------------------------------------

static void put_value(Text* t, const char* name, const TarnPlayParam* p, const double* value)
{
    key(t, name);
    switch (p->type) {
    case TARN_PARAM_BOOL:
        text_add(t, value[0] != 0.0 ? "true" : "false");
        break;
    case TARN_PARAM_ENUM:
        put_string(t, p->choices[(int)value[0]]);
        break;
    case TARN_PARAM_VEC2:
    case TARN_PARAM_VEC3:
        for (int c = 0; c < p->components; ++c) {
            text_add(t, c == 0 ? "[" : ",");
            number(t, value[c]);
        }
        text_add(t, "]");
        break;
    default:
        number(t, value[0]);
    }
}

static void put_choices(Text* t, const TarnPlayParam* p)
{
    bool is_first = true;
    key(t, "choices");
    text_add(t, "[");
    for (int i = 0; p->choices[i]; ++i) {
        if (p->allowed != 0 && !(p->allowed >> i & 1u)) continue;
        if (!is_first) text_add(t, ",");
        put_string(t, p->choices[i]);
        is_first = false;
    }
    text_add(t, "]");
}

static bool put_param(TarnPlay* play, Text* t, int i, const void* data)
{
    static const char* const kinds[] = { "live", "rebuild", "view" };
    static const char* const types[] = { "int", "float", "bool", "enum", "vec2", "vec3" };
    TarnPlayParam p;
    (void)data;
    if (!tarn_play_param_at(play, i, &p)) return false;
    put_text(t, "path", p.path);
    put_text(t, "group", p.group);
    put_text(t, "table", p.table);
    put_text(t, "name", p.name);
    put_text(t, "unit", p.unit);
    put_text(t, "help", p.help);
    put_text(t, "kind", kinds[p.kind]);
    put_text(t, "type", types[p.type]);
    put_number(t, "min", p.min);
    put_number(t, "max", p.max);
    put_value(t, "value", &p, p.value);
    put_value(t, "start", &p, p.start);
    put_value(t, "default", &p, p.usual);
    if (p.type == TARN_PARAM_ENUM) put_choices(t, &p);
    put_bool(t, "changed", p.is_changed);
    return true;
}

const char* tarn_play_params_json(TarnPlay* play)
{
    Text* t = start(play, 0);
    put_objects(play, t, put_param, NULL);
    return text_of(t);
}

// ---- Tools and debug views -------------------------------------------------------------------------------------------

static bool put_tool(TarnPlay* play, Text* t, int i, const void* data)
{
    TarnPlayTool tool;
    (void)data;
    if (!tarn_play_tool_at(play, i, &tool)) return false;
    put_text(t, "id", tool.id);
    put_text(t, "name", tool.name);
    put_text(t, "hint", tool.hint);
    put_bool(t, "chosen", strcmp(tool.id, tarn_play_tool(play)) == 0);
    return true;
}

const char* tarn_play_tools_json(TarnPlay* play)
{
    Text* t = start(play, 1);
    put_objects(play, t, put_tool, NULL);
    return text_of(t);
}

static bool put_debug_view(TarnPlay* play, Text* t, int i, const void* data)
{
    (void)data;
    if (i >= tarn_play_debug_count(play)) return false;
    put_text(t, "id", tarn_play_debug_id(play, i));
    put_text(t, "name", tarn_play_debug_name(play, i));
    put_text(t, "help", tarn_play_debug_help(play, i));
    put_bool(t, "on", tarn_play_is_debug(play, tarn_play_debug_id(play, i)));
    return true;
}

const char* tarn_play_debug_json(TarnPlay* play)
{
    Text* t = start(play, 2);
    put_objects(play, t, put_debug_view, NULL);
    return text_of(t);
}

// ---- Status ----------------------------------------------------------------------------------------------------------

static void put_words(Text* t, const char* words)
{
    key(t, "words");
    text_add(t, "[");
    for (const char* at = words; *at;) {
        size_t n = strcspn(at, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)n, at);
        if (at != words) text_add(t, ",");
        put_string(t, line);
        at += n + (at[n] == '\n');
    }
    text_add(t, "]");
}

static void put_times(Text* t, const TarnPlayStatus* s)
{
    key(t, "phases");
    text_add(t, "{");
    for (int p = 0; p < TARN_PHASES; ++p)
        put_number(t, tarn_phase_name((TarnPhase)p), (double)s->phase_ms[p]);
    text_add(t, "}");
    key(t, "worker_ms");
    for (int w = 0; w < s->workers; ++w)
        text_add(t, "%s%.4g", w == 0 ? "[" : ",", (double)s->worker_ms[w]);
    text_add(t, "]");
}

enum { MAX_ENTRIES = 16 };
typedef struct Entries {
    TarnLedger all;
    TarnLedgerEntry list[MAX_ENTRIES];
} Entries;

static bool put_entry(TarnPlay* play, Text* t, int i, const void* data)
{
    const Entries* entries = data;
    const TarnLedgerEntry* e = &entries->list[i];
    (void)play;
    if (i >= entries->all.n || i >= MAX_ENTRIES) return false;
    put_text(t, "name", e->name);
    put_number(t, "held", e->held);
    put_number(t, "brought", e->brought);
    put_number(t, "taken", e->taken);
    put_number(t, "got", e->got);
    put_number(t, "given", e->given);
    put_number(t, "error", e->error);
    put_bool(t, "exact", e->is_exact);
    return true;
}

static void put_ledger(TarnPlay* play, Text* t)
{
    Entries entries;
    const TarnLedger* all = &entries.all;
    if (tarn_world_ledger(play->world, &entries.all, entries.list, MAX_ENTRIES) != TARN_OK) return;
    key(t, "ledger");
    text_add(t, "{");
    put_number(t, "held", all->held);
    put_number(t, "transit", all->transit);
    put_number(t, "brought", all->brought);
    put_number(t, "taken", all->taken);
    put_number(t, "error", all->error);
    key(t, "solvers");
    put_objects(play, t, put_entry, &entries);
    text_add(t, "}");
}

static bool put_stat(TarnPlay* play, Text* t, int i, const void* data)
{
    TarnPlayStat stat;
    (void)data;
    if (!tarn_play_stat_at(play, i, &stat)) return false;
    put_text(t, "name", stat.name);
    put_text(t, "unit", stat.unit);
    put_text(t, "help", stat.help);
    put_number(t, "value", stat.value);
    return true;
}

const char* tarn_play_status_json(TarnPlay* play)
{
    Text* t = start(play, 3);
    TarnPlayStatus s;
    if (play->world == NULL) return "{}";
    tarn_play_status(play, &s);
    text_add(t, "{");
    put_number(t, "time", s.time);
    put_number(t, "dt", s.dt);
    put_number(t, "steps", s.steps);
    put_number(t, "substeps", s.substeps);
    put_bool(t, "paused", play->clock.is_paused);
    put_number(t, "step_ms", s.step_ms);
    put_number(t, "mean_ms", s.mean_ms);
    put_times(t, &s);
    put_number(t, "real_time", s.real_time);
    put_number(t, "dropped", s.dropped);
    put_number(t, "memory", (double)s.memory);
    put_number(t, "history_bytes", (double)s.history_bytes);
    put_number(t, "history_steps", s.history_steps);
    put_number(t, "solvers", s.solvers);
    put_number(t, "bodies", s.bodies);
    put_number(t, "solids", s.solids);
    put_number(t, "emitters", s.emitters);
    put_number(t, "flags", s.flags);
    put_text(t, "hash", tarn_play_hash_text(play));
    put_words(t, tarn_play_words(play));
    put_ledger(play, t);
    key(t, "stats");
    put_objects(play, t, put_stat, NULL);
    text_add(t, "}");
    return text_of(t);
}
