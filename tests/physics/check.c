// The frame of all physics checks: filter, table and JSON.

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

// Measured series stay outside of this repository: where they come from, and what a check does without.
static const struct {
    const char *prefix, *without, *source;
} references[] = {
    { "02_dambreak/martin_moyce", "the line through its late points is used instead",
      "Martin and Moyce 1952, Phil. Trans. R. Soc. A 244, as columns T, Z" },
    { "02_dambreak/exact_profiles", "its rows are left out; the formulas are checked all the same",
      "the solutions of Stoker and Ritter, tabulated" },
    { "03_swe/synolakis", "its rows are left out",
      "Synolakis 1987; problem BP04 of github.com/rjleveque/nthmp-benchmark-problems" },
    { "03_swe/monai", "its rows are left out",
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
    const char *without = "its rows are left out", *source = NULL;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
        if (strncmp(name, references[i].prefix, strlen(references[i].prefix)) != 0) continue;
        without = references[i].without, source = references[i].source;
    }
    fprintf(stderr,
            "tarn: check: no reference '%s': %s. Put it there, or name its folder in "
            "TARN_VALIDATION%s%s\n",
            path, without, source ? "; source: " : "", source ? source : "");
    return NULL;
}

static const struct {
    const char* name;
    void (*fn)(CheckRun*, const char*);
} groups[] = {
    { "wave.stability", check_wave },
    { "wave.standing", check_wave },
    { "wave.order", check_wave },
    { "wave.level", check_wave },
    { "wave.energy", check_wave },
    { "wave.symmetry", check_wave },
    { "wave.reflection", check_wave },
    { "wave.cone", check_wave },
    { "wave.depth", check_wave },
    { "wave.maker", check_wave },
    { "wave.window", check_wave },
    { "wave.sleep", check_wave },
    { "wave.query", check_wave },
    { "wave.growth", check_growth },
    { "wave.growth.window", check_growth },
    { "float.archimedes", check_floating },
    { "float.neutral", check_floating },
    { "float.in_out", check_floating },
    { "float.bathtub", check_floating },
    { "float.heave", check_floating },
    { "float.terminal", check_floating },
    { "float.light", check_floating },
    { "float.fast", check_floating },
    { "couple.archimedes", check_couple },
    { "couple.heave", check_couple },
    { "couple.terminal", check_couple },
    { "couple.wake", check_couple },
    { "shallow.rest", check_shallow },
    { "shallow.symmetry", check_shallow },
    { "shallow.ledger", check_shallow },
    { "shallow.friction", check_shallow },
    { "shallow.calm", check_shallow },
    { "shallow.growth", check_shallow_growth },
    { "shallow.stoker", check_shallow_waves },
    { "shallow.ritter", check_shallow_waves },
    { "shallow.order", check_shallow_waves },
    { "shallow.speed", check_shallow_waves },
    { "shallow.jump", check_shallow_waves },
    { "shallow.bump", check_shallow_waves },
    { "shallow.thacker", check_shallow_field },
    { "shallow.runup", check_shallow_field },
    { "shallow.monai", check_shallow_field },
    { "shallow.island", check_shallow_island },
    { "shallow.absorbing", check_shallow_edges },
    { "shallow.open", check_shallow_edges },
    { "shallow.maker", check_shallow_edges },
    { "shallow.implicit.rest", check_shallow_implicit },
    { "shallow.implicit.seiche", check_shallow_implicit },
    { "shallow.implicit.stoker", check_shallow_implicit },
    { "shallow.implicit.limit", check_shallow_implicit },
    { "shallow.implicit.volume", check_shallow_implicit },
    { "shallow.implicit.deep", check_shallow_implicit },
    { "shallow.implicit.edge", check_shallow_implicit },
    { "shallow.implicit.growth", check_shallow_implicit },
    { "shallow_bodies.archimedes", check_shallow_bodies },
    { "shallow_bodies.level", check_shallow_bodies },
    { "shallow_bodies.rest", check_shallow_bodies },
    { "shallow_bodies.current", check_shallow_bodies },
    { "shallow_bodies.fast", check_shallow_bodies },
    { "shallow_bodies.wake", check_shallow_bodies },
    { "shallow_bodies.dam", check_shallow_bodies },
    { "push.drag", check_push },
    { "push.terminal", check_push },
    { "push.drift", check_push },
    { "push.turn", check_push },
    { "push.energy", check_push },
    { "push.sail", check_push },
    { "pipes.speed", check_pipes },
    { "pipes.lake", check_pipes },
    { "pipes.ledger", check_pipes },
    { "pipes.talus", check_pipes },
    { "pipes.symmetry", check_pipes },
    { "pipes.dt", check_pipes },
    { "pipes.dam", check_pipes },
    { "pipes.growth", check_growth },
    { "particles.ballistic", check_particles },
    { "particles.drag", check_particles },
    { "particles.rate", check_particles },
    { "particles.bounce", check_particles },
    { "particles.attractor", check_particles },
    { "particles.ledger", check_particles },
    { "liquid.kernels", check_liquid },
    { "liquid.momentum", check_liquid },
    { "liquid.hydrostatic", check_liquid },
    { "liquid.column", check_liquid },
    { "liquid.pool", check_liquid },
    { "liquid.lattice", check_liquid },
    { "liquid.sloshing", check_liquid_flow },
    { "liquid.laplace", check_liquid_flow },
    { "liquid.floating", check_liquid_solids },
    { "liquid.bodies", check_liquid_solids },
    { "liquid.layers", check_liquid_solids },
    { "liquid.dam_break", check_liquid_flow },
    { "liquid.drop", check_liquid_flow },
    { "liquid.patch", check_liquid_flow },
    { "liquid.taylor_green", check_liquid_flow },
    { "liquid.vessels", check_liquid_solids },
    { "liquid.leak", check_liquid_solids },
    { "linear.factor", check_linear },
    { "linear.transform", check_linear },
    { "linear.helmholtz", check_linear },
    { "gas.projection", check_gas },
    { "gas.advection", check_gas },
    { "gas.uniform", check_gas },
    { "gas.taylor_green", check_gas },
    { "gas.fast", check_gas_step },
    { "gas.order", check_gas_step },
    { "gas.reflection", check_gas_step },
    { "gas.tolerance", check_gas_step },
    { "gas.ring", check_gas },
    { "gas.buoyancy", check_gas },
    { "gas.flux", check_gas },
    { "gas.energy", check_gas },
    { "gas.density", check_gas },
    { "gas.moving", check_gas_obstacles },
    { "gas.obstacles", check_gas_obstacles },
    { "mesh.screen.sphere", check_mesh_screen },
    { "mesh.screen.layers", check_mesh_screen },
    { "mesh.screen.filter", check_mesh_screen },
    { "mesh.screen.detail", check_mesh_screen },
    { "mesh.shapes", check_mesh },
    { "mesh.order", check_mesh },
    { "mesh.cells", check_mesh },
    { "mesh.random", check_mesh },
    { "mesh.snap", check_mesh },
    { "mesh.height.cover", check_mesh_height },
    { "mesh.height.surface", check_mesh_height },
    { "mesh.height.steps", check_mesh_height },
    { "mesh.height.island", check_mesh_height },
    { "mesh.height.shallow", check_mesh_height },
    { "mesh.particles.ball", check_mesh_particles },
    { "mesh.particles.pool", check_mesh_particles },
    { "mesh.particles.dam", check_mesh_particles },
    { "mesh.particles.thin", check_mesh_particles },
};

// --quick leaves these out; unit tests look at the same things on a smaller scale.
static bool is_long(const char* name)
{
    static const char* const names[] = { "liquid.floating", "liquid.bodies", "liquid.layers" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

// A filter names a group, a part of its name, or a row of it.
static bool is_wanted(const char* filter, bool is_quick, const char* name)
{
    bool is_match =
        filter == NULL || strstr(name, filter) != NULL || strncmp(filter, name, strlen(name)) == 0;
    return is_match && !(is_quick && is_long(name));
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

int check_run(const char* filter, const char* plot_folder, bool is_json, bool is_quick, FILE* out)
{
    CheckRun* run = calloc(1, sizeof *run);
    TarnContextDef def = tarn_context_default_def();
    def.workers = 0;
    if (run == NULL || tarn_context_create(&def, &run->ctx) != TARN_OK) return 1;
    run->filter = filter;
    run->plot_folder = plot_folder;
    run->is_quick = is_quick;
    int ran = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        const char* name = groups[g].name;
        if (!is_wanted(filter, is_quick, name)) continue;
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
    } else if (is_json) {
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
