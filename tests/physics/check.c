// What all physics checks share: filter, table and JSON.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_add(CheckRun* run, const char* name, double value, double reference, double tolerance)
{
    if (run->n_rows == (int)(sizeof run->rows / sizeof run->rows[0])) {
        fprintf(stderr, "tarn: check: too many rows\n");
        exit(1);
    }
    CheckRow* row = &run->rows[run->n_rows++];
    *row = (CheckRow){ .value = value, .reference = reference, .tolerance = tolerance };
    snprintf(row->name, sizeof row->name, "%s", name);
    row->error = fabs(value - reference) / (reference != 0.0 ? fabs(reference) : 1.0);
    row->pass = row->error <= tolerance; // false for NaN
}

void check_not_reached(CheckRun* run)
{
    run->rows[run->n_rows - 1].is_open = true;
}

TarnWave* check_wave_create(CheckRun* run, const TarnWaveDef* def)
{
    TarnWave* wave;
    if (tarn_wave_create(run->ctx, def, &wave) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return wave;
}

// Measured series are not part of this repository: their sources, and what a check does without them.
static const struct {
    const char *prefix, *without, *source;
} references[] = {
    { "02_dambreak/martin_moyce", "the line through its late points is used instead",
      "Martin and Moyce 1952, An Experimental Study of the Collapse of Liquid Columns, as columns "
      "T, Z" },
    { "02_dambreak/exact_profiles", "its rows are skipped; the formulas are still checked",
      "the solutions of Stoker and Ritter, tabulated" },
    { "03_swe/synolakis", "its rows are skipped",
      "Synolakis 1987, The Runup of Solitary Waves; problem BP04 of "
      "github.com/rjleveque/nthmp-benchmark-problems" },
    { "03_swe/monai", "its rows are skipped",
      "problem BP07 of github.com/rjleveque/nthmp-benchmark-problems" },
    { "04_wave/discrete_standing_wave", "its formula is used instead",
      "the dispersion of the scheme, tabulated" },
};

FILE* check_open_reference(const char* name)
{
    char path[1024];
    const char* dir = getenv("TARN_VALIDATION");
    if (dir == NULL) dir = TARN_VALIDATION_DIR;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE* file = fopen(path, "r");
    if (file != NULL) return file;
    const char *without = "its rows are skipped", *source = NULL;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
        if (strncmp(name, references[i].prefix, strlen(references[i].prefix)) != 0) continue;
        without = references[i].without, source = references[i].source;
    }
    fprintf(stderr,
            "tarn: check: missing reference '%s': %s; put it there, or set TARN_VALIDATION to "
            "its folder%s%s\n",
            path, without, source ? "; source: " : "", source ? source : "");
    return NULL;
}

#define CHECK_ROW(name, fn) { name, fn },
static const struct {
    const char* name;
    void (*fn)(CheckRun*, const char*);
} groups[] = { CHECK_GROUPS(CHECK_ROW) };

// --quick skips these; unit tests check the same things on a smaller scale.
static bool is_long(const char* name)
{
    static const char* const names[] = { "liquid.floating", "liquid.bodies", "liquid.layers",
                                         "liquid.calm",     "liquid.stack",  "liquid.afloat" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

// A filter names a group, a part of its name, or a row of it. One that ends with a dot is the beginning of names.
static bool is_match(const char* filter, const char* name)
{
    size_t length = filter ? strlen(filter) : 0;
    if (length == 0) return true;
    if (filter[length - 1] == '.') return strncmp(name, filter, length) == 0;
    return strstr(name, filter) != NULL || strncmp(filter, name, strlen(name)) == 0;
}

static bool is_wanted(const char* filter, bool is_quick, const char* name)
{
    return is_match(filter, name) && !(is_quick && is_long(name));
}

static void say_unknown(const char* filter)
{
    fprintf(stderr, "tarn: check: no check matches '%s'; `tarn check --list` shows all\n", filter);
}

static void print_json(const CheckRun* run, FILE* out)
{
    fprintf(out, "[\n");
    for (int r = 0; r < run->n_rows; ++r) {
        const CheckRow* row = &run->rows[r];
        fprintf(out,
                "  {\"name\": \"%s\", \"value\": %.9g, \"reference\": %.9g, \"error\": %.4g, "
                "\"tolerance\": %.4g, \"pass\": %s%s}%s\n",
                row->name, isfinite(row->value) ? row->value : 1e300, row->reference,
                isfinite(row->error) ? row->error : 1e300, row->tolerance,
                row->pass ? "true" : "false", !row->pass && row->is_open ? ", \"open\": true" : "",
                r + 1 < run->n_rows ? "," : "");
    }
    fprintf(out, "]\n");
}

static void print_table(const CheckRun* run, FILE* out)
{
    fprintf(out, "%-40s %14s %14s %10s %10s\n", "check", "value", "reference", "error",
            "tolerance");
    for (int r = 0; r < run->n_rows; ++r) {
        const CheckRow* row = &run->rows[r];
        fprintf(out, "%-40s %14.7g %14.7g %10.2e %10.1e  %s\n", row->name, row->value,
                row->reference, row->error, row->tolerance,
                row->pass      ? "pass"
                : row->is_open ? "open"
                               : "FAIL");
    }
}

int check_list(const char* filter, bool is_json, bool is_quick, FILE* out)
{
    int n = 0;
    if (is_json) fprintf(out, "[");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        const char* name = groups[g].name;
        if (!is_wanted(filter, is_quick, name)) continue;
        if (is_json)
            fprintf(out, "%s\n  \"%s\"", n > 0 ? "," : "", name);
        else
            fprintf(out, "%s%s\n", name, is_long(name) ? "  (not with --quick)" : "");
        ++n;
    }
    if (is_json) fprintf(out, "\n]\n");
    if (n == 0) say_unknown(filter);
    return n == 0 ? 2 : 0;
}

int check_run(const char* filter, const CheckOptions* options, FILE* out)
{
    CheckRun* run = calloc(1, sizeof *run);
    TarnContextDef def = tarn_context_default_def();
    def.workers = options->threads;
    if (run == NULL || tarn_context_create(&def, &run->ctx) != TARN_OK) return 1;
    run->filter = filter;
    run->plot_folder = options->plot;
    run->is_quick = options->is_quick;
    int ran = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        const char* name = groups[g].name;
        if (!is_wanted(filter, run->is_quick, name)) continue;
        groups[g].fn(run, name);
        ++ran;
    }
    int failed = 0, open = 0;
    for (int r = 0; r < run->n_rows; ++r) {
        failed += !run->rows[r].pass && !run->rows[r].is_open;
        open += !run->rows[r].pass && run->rows[r].is_open;
    }
    if (ran == 0) {
        say_unknown(filter);
    } else if (options->is_json) {
        print_json(run, out);
    } else {
        print_table(run, out);
        fprintf(out, "%d passed, %d failed", run->n_rows - failed - open, failed);
        if (open > 0) fprintf(out, ", %d open (not reached yet)", open);
        fprintf(out, "\n");
    }
    failed += run->is_plot_bad;
    tarn_context_destroy(run->ctx);
    free(run);
    return ran == 0 ? 2 : failed > 0;
}
