// tarn describe: the parameter tables, as text, as a table for the docs, or as JSON.

#include "describe.h"
#include "context.h"
#include "json_text.h"
#include "message.h"
#include "options.h"
#include "scene_file.h"
#include "tarn/height_mesh.h"
#include "tarn/particle_surface.h"
#include "tarn/screen_mesh.h"
#include "tarn/terrain.h"
#include <stdlib.h>
#include <string.h>

typedef struct DescribeOptions {
    bool is_markdown, is_json;
} DescribeOptions;

static const Option options[] = {
    { "markdown", 0, OPTION_FLAG, offsetof(DescribeOptions, is_markdown), NULL, 0, 0, NULL,
      "print a table for the docs" },
    { "json", 0, OPTION_FLAG, offsetof(DescribeOptions, is_json), NULL, 0, 0, NULL, "print JSON" },
};

// ---- Cells of the table ------------------------------------------------------------------------

typedef struct Cells {
    char type[16], unit[16], range[64], value[64];
} Cells;

static const char* type_name(TarnParamType type)
{
    static const char* const names[] = { "int", "float", "bool", "enum", "vec2", "vec3" };
    return (unsigned)type <= TARN_PARAM_VEC3 ? names[type] : "?";
}

static Cells make_cells(const TarnParam* param)
{
    Cells cells = { 0 };
    snprintf(cells.type, sizeof cells.type, "%s", type_name(param->type));
    snprintf(cells.unit, sizeof cells.unit, "%s", param->unit);
    if (param->type == TARN_PARAM_BOOL)
        snprintf(cells.range, sizeof cells.range, "true, false");
    else if (param->type == TARN_PARAM_ENUM)
        snprintf(cells.range, sizeof cells.range, "a name");
    else if (param->type == TARN_PARAM_INT)
        snprintf(cells.range, sizeof cells.range, "%.0f to %.0f", param->min, param->max);
    else
        snprintf(cells.range, sizeof cells.range, "%.7g to %.7g", param->min, param->max);
    tarn_param_format(param, param->value, cells.value, sizeof cells.value);
    return cells;
}

static void print_names(const TarnParam* param, const char* quote)
{
    const char* gap = "";
    for (int i = 0; param->names[i] != NULL; ++i) {
        if (param->allowed != 0 && !(param->allowed >> i & 1u)) continue;
        printf("%s%s%s%s", gap, quote, param->names[i], quote);
        gap = ", ";
    }
}

// ---- One table ---------------------------------------------------------------------------------

static int widest(int width, const char* text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void print_text(const TarnParamTable* table)
{
    int w[5] = { 4, 4, 4, 5, 7 };
    for (int i = 0; i < table->count; ++i) {
        Cells cells = make_cells(&table->params[i]);
        w[0] = widest(w[0], table->params[i].name);
        w[1] = widest(w[1], cells.type);
        w[2] = widest(w[2], cells.unit);
        w[3] = widest(w[3], cells.range);
        w[4] = widest(w[4], cells.value);
    }
    printf("%s (%s)\n\n", table->name, table->struct_name);
    printf("  %-*s  %-*s  %-*s  %-*s  %-*s  meaning\n", w[0], "name", w[1], "type", w[2], "unit",
           w[3], "range", w[4], "default");
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* param = &table->params[i];
        Cells cells = make_cells(param);
        printf("  %-*s  %-*s  %-*s  %-*s  %-*s  %s\n", w[0], param->name, w[1], cells.type, w[2],
               cells.unit, w[3], cells.range, w[4], cells.value, param->help);
        if (param->type != TARN_PARAM_ENUM) continue;
        printf("%*s", 2 + w[0] + 2 + w[1] + 2 + w[2] + 2 + w[3] + 2 + w[4] + 2, "");
        print_names(param, "");
        fputc('\n', stdout);
    }
}

// A bar would end the cell.
static void print_escaped(const char* text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '|') fputc('\\', stdout);
        fputc(*text, stdout);
    }
}

static void print_markdown(const TarnParamTable* table)
{
    printf("### %s (`%s`)\n\n", table->name, table->struct_name);
    printf("| name | type | unit | range | default | meaning |\n");
    printf("|---|---|---|---|---|---|\n");
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* param = &table->params[i];
        Cells cells = make_cells(param);
        printf("| `%s` | %s | %s | ", param->name, cells.type, cells.unit);
        if (param->type == TARN_PARAM_ENUM)
            print_names(param, "`");
        else
            fputs(cells.range, stdout);
        printf(" | `%s` | ", cells.value);
        print_escaped(param->help);
        fputs(" |\n", stdout);
    }
}

static void print_param_json(const TarnParam* param)
{
    int count = param->type == TARN_PARAM_VEC3 ? 3 : param->type == TARN_PARAM_VEC2 ? 2 : 1;
    printf("    {\"name\": \"%s\", \"type\": \"%s\", \"unit\": ", param->name,
           type_name(param->type));
    json_string(stdout, param->unit);
    if (param->type == TARN_PARAM_ENUM) {
        fputs(", \"names\": [", stdout);
        print_names(param, "\"");
        printf("], \"default\": \"%s\"", param->names[(int)param->value[0]]);
    } else if (param->type == TARN_PARAM_BOOL) {
        printf(", \"default\": %s", param->value[0] != 0.0 ? "true" : "false");
    } else {
        fputs(", \"min\": ", stdout);
        json_number(stdout, param->min);
        fputs(", \"max\": ", stdout);
        json_number(stdout, param->max);
        fputs(count > 1 ? ", \"default\": [" : ", \"default\": ", stdout);
        for (int c = 0; c < count; ++c) {
            if (c > 0) fputs(", ", stdout);
            json_number(stdout, param->value[c]);
        }
        if (count > 1) fputc(']', stdout);
    }
    fputs(", \"help\": ", stdout);
    json_string(stdout, param->help);
    fputc('}', stdout);
}

static void print_json(const TarnParamTable* table)
{
    printf("  {\"table\": \"%s\", \"struct\": \"%s\", \"params\": [\n", table->name,
           table->struct_name);
    for (int i = 0; i < table->count; ++i) {
        print_param_json(&table->params[i]);
        fputs(i + 1 < table->count ? ",\n" : "\n", stdout);
    }
    fputs("  ]}", stdout);
}

static void print_table(const TarnParamTable* table, DescribeStyle style)
{
    if (style == STYLE_JSON)
        print_json(table);
    else
        (style == STYLE_MARKDOWN ? print_markdown : print_text)(table);
}

// ---- All tables --------------------------------------------------------------------------------

// The tables that scenes use, then those that only the library, `tarn terrain` and `tarn mesh` use.
enum { MAX_TABLES = 256 };
static int list_tables(const TarnContext* ctx, const TarnParamTable* out[MAX_TABLES])
{
    static const TarnParamTable* (*const of_others[])(void) = {
        tarn_terrain_def_table,
        tarn_marching_def_table,
        tarn_marching_params_table,
        tarn_particle_surface_def_table,
        tarn_particle_surface_params_table,
        tarn_height_mesh_def_table,
        tarn_height_mesh_source_table,
        tarn_screen_mesh_def_table,
        tarn_screen_mesh_params_table,
    };
    int n = tarn_scene_tables(ctx, out, MAX_TABLES);
    if (n > MAX_TABLES) n = MAX_TABLES;
    for (size_t i = 0; i < sizeof of_others / sizeof of_others[0] && n < MAX_TABLES; ++i)
        out[n++] = of_others[i]();
    return n;
}

// Prints the tables of this name, or all if it is NULL. Returns how many there were.
static int print_tables(const TarnContext* ctx, const char* name, DescribeStyle style)
{
    const TarnParamTable* tables[MAX_TABLES];
    int n = list_tables(ctx, tables), found = 0;
    for (int i = 0; i < n; ++i) {
        if (name != NULL && strcmp(tables[i]->name, name) != 0) continue;
        if (style == STYLE_JSON)
            fputs(found > 0 ? ",\n" : "[\n", stdout);
        else if (found > 0)
            fputc('\n', stdout);
        print_table(tables[i], style);
        ++found;
    }
    if (style == STYLE_JSON && found > 0) fputs("\n]\n", stdout);
    return found;
}

static void print_overview(const TarnContext* ctx)
{
    const TarnParamTable* tables[MAX_TABLES];
    const TarnSolverClass* of;
    int n = list_tables(ctx, tables);
    fputs("Solvers (values of \"kind\" in the solvers list of a scene):\n\n", stdout);
    for (int i = 0; (of = tarn_solver_class_at(ctx, i)) != NULL; ++i)
        printf("  %-18s %s\n", of->name, of->about);
    fputs("\nParameter tables:\n\n", stdout);
    for (int i = 0; i < n; ++i) {
        printf("  %-18s %-26s %d parameter%s\n", tables[i]->name, tables[i]->struct_name,
               tables[i]->count, tables[i]->count == 1 ? "" : "s");
    }
}

// ---- A solver ----------------------------------------------------------------------------------

static void print_stats_text(const TarnSolverClass* of)
{
    int w[2] = { 0, 0 };
    if (of->n_stats == 0) return;
    for (int s = 0; s < of->n_stats; ++s) {
        w[0] = widest(w[0], of->stats[s].name);
        w[1] = widest(w[1], of->stats[s].unit);
    }
    fputs("\nstats, which are columns of `tarn run --csv`:\n\n", stdout);
    for (int s = 0; s < of->n_stats; ++s)
        printf("  %-*s  %-*s  %s\n", w[0], of->stats[s].name, w[1], of->stats[s].unit,
               of->stats[s].help);
}

static void print_emitters(const TarnSolverClass* of, const char* quote)
{
    bool is_first = true;
    for (int k = 0; k < TARN_EMITTER_KINDS; ++k) {
        if ((of->emitters >> k & 1u) == 0) continue;
        printf("%s%s%s%s", is_first ? "" : ", ", quote, tarn_emitter_kind_name(k), quote);
        is_first = false;
    }
    if (is_first && quote[0] == '\0') fputs("none", stdout);
}

// Tables of def, params and lists; returns how many.
static int tables_of(const TarnSolverClass* of, const TarnParamTable* out[MAX_TABLES])
{
    int n = 0;
    out[n++] = of->def_table();
    if (of->params_table != NULL) out[n++] = of->params_table();
    for (int l = 0; l < of->n_lists && n < MAX_TABLES; ++l) out[n++] = of->lists[l].table();
    return n;
}

static void print_solver_text(const TarnSolverClass* of)
{
    const TarnParamTable* tables[MAX_TABLES];
    int n = tables_of(of, tables), own = n - of->n_lists;
    printf("%s: %s\n", of->name, of->about);
    for (int t = 0; t < n; ++t) {
        if (t >= own) printf("\neach entry of its list \"%s\":", of->lists[t - own].name);
        fputc('\n', stdout);
        print_text(tables[t]);
    }
    print_stats_text(of);
    fputs("\nemitter kinds that it supports: ", stdout);
    print_emitters(of, "");
    fputc('\n', stdout);
}

static void print_solver_json(const TarnSolverClass* of)
{
    const TarnParamTable* tables[MAX_TABLES];
    int n = tables_of(of, tables), own = n - of->n_lists;
    printf("{\"solver\": \"%s\", \"about\": ", of->name);
    json_string(stdout, of->about);
    fputs(",\n \"tables\": [\n", stdout);
    for (int t = 0; t < own; ++t) {
        print_json(tables[t]);
        fputs(t + 1 < own ? ",\n" : "\n", stdout);
    }
    fputs(" ],\n \"lists\": {", stdout);
    for (int t = own; t < n; ++t) {
        printf("%s\n  \"%s\":\n", t > own ? "," : "", of->lists[t - own].name);
        print_json(tables[t]);
    }
    fputs("},\n \"stats\": [", stdout);
    for (int s = 0; s < of->n_stats; ++s) {
        printf("%s\n  {\"name\": \"%s\", \"unit\": \"%s\", \"help\": ", s > 0 ? "," : "",
               of->stats[s].name, of->stats[s].unit);
        json_string(stdout, of->stats[s].help);
        fputc('}', stdout);
    }
    fputs("],\n \"emitters\": [", stdout);
    print_emitters(of, "\"");
    fputs("]}\n", stdout);
}

static void print_solver(const TarnSolverClass* of, DescribeStyle style)
{
    const TarnParamTable* tables[MAX_TABLES];
    if (style == STYLE_TEXT) print_solver_text(of);
    if (style == STYLE_JSON) print_solver_json(of);
    if (style != STYLE_MARKDOWN) return;
    int n = tables_of(of, tables);
    for (int t = 0; t < n; ++t) {
        if (t > 0) fputc('\n', stdout);
        print_markdown(tables[t]);
    }
}

// ---- The command -------------------------------------------------------------------------------

static int say_unknown(const Command* command, const TarnContext* ctx, const char* name)
{
    const char* names[MAX_TABLES];
    const TarnParamTable* tables[MAX_TABLES];
    SceneList list;
    int n = list_tables(ctx, tables), count = 0;
    if (!scene_list_create(&list)) return EXIT_FAILED;
    for (int i = 0; i < n && count < MAX_TABLES; ++i) names[count++] = tables[i]->name;
    for (int i = 0; i < list.count && count < MAX_TABLES; ++i)
        names[count++] = list.entries[i].name;
    char near[256];
    suggestion(near, sizeof near, name, names, count);
    usage_error(command, "there is no solver, parameter table or scene named '%s'%s", name, near);
    scene_list_destroy(&list);
    return EXIT_USAGE;
}

static int describe(const Command* command, const TarnContext* ctx, const char* name,
                    DescribeStyle style)
{
    const TarnSolverClass* of = tarn_solver_class_find(ctx, name);
    if (name == NULL && style == STYLE_TEXT) {
        print_overview(ctx);
        return EXIT_OK;
    }
    if (of != NULL) {
        print_solver(of, style);
        return EXIT_OK;
    }
    if (print_tables(ctx, name, style) > 0) return EXIT_OK;
    char* path = name != NULL ? scene_find_quietly(name) : NULL;
    if (path == NULL) return say_unknown(command, ctx, name != NULL ? name : "");
    free(path);
    if (style == STYLE_MARKDOWN) {
        return usage_error(command, "--markdown prints parameter tables, but '%s' is a scene",
                           name);
    }
    return describe_scene(name, style);
}

static int start(const Command* command, int argc, char** argv)
{
    DescribeOptions o = { 0 };
    const char* name = NULL;
    ParseResult parsed = parse_options(command, argc, argv, &o, &name);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (o.is_markdown && o.is_json) {
        return usage_error(command, "--markdown and --json cannot be combined");
    }
    DescribeStyle style = o.is_json ? STYLE_JSON : o.is_markdown ? STYLE_MARKDOWN : STYLE_TEXT;
    TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    if (!context_open(&def, false, &ctx)) return EXIT_FAILED;
    int code = describe(command, ctx, name, style);
    tarn_context_destroy(ctx);
    return code;
}

const Command describe_command = {
    .name = "describe",
    .arguments = "[NAME] [options]",
    .summary = "Explains a solver, a parameter table or a scene.",
    .details =
        "Without NAME, it lists all solvers and parameter tables; with --markdown or --json, it\n"
        "prints all tables. The parameters of a table are the keys of a scene file, and --set can\n"
        "change them. The mesh tables belong to the library; `tarn mesh`, `render` and `run` "
        "accept\n"
        "those of particle_surface as --set surface.NAME=VALUE.\n"
        "\n"
        "examples:\n"
        "  tarn describe wave\n"
        "  tarn describe emitter --markdown\n"
        "  tarn describe pool_drops\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_arguments = 1,
    .start = start,
};
