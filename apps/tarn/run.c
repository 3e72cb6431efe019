// tarn run: runs a scene and writes pictures, numbers and snapshots.

#include "csv.h"
#include "gauges.h"
#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "pictures.h"
#include "progress.h"
#include "loaded_scene.h"
#include "steps.h"
#include "summary.h"
#include "surface_options.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct RunOptions {
    double seconds; // < 0: what the scene says
    double fps;     // 0: 30
    Overrides overrides, gauge;
    Overrides surface_set; // of overrides what begins with surface.
    int threads, isa, engine;
    const char *png, *sheet, *video, *csv, *gauges, *water, *depth, *surface, *save, *load;
    int every;          // 0: each
    PixelSize size;     // 0: 1280x720
    const char* look;   // NULL: all of it
    const char* liquid; // NULL: what the scene says
    const char* only;   // NULL: everything
    double budget;      // for one step [ms]; 0: none
    bool is_hash, is_ledger, is_phases, is_quiet;
} RunOptions;

#define AT(field) offsetof(RunOptions, field)
static const Option options[] = {
    { "seconds", 0, OPTION_NUMBER, AT(seconds), "S", 0, 1e6, NULL,
      "simulated time [s]; default: set by the scene" },
    { "set", 0, OPTION_SET, AT(overrides), "PATH=VALUE", 0, 0, NULL,
      "set a parameter: wave.damping=0.2, or surface.radius=2 of a liquid's mesh; may be "
      "repeated" },
    SCENE_OPTIONS(AT),
    { "budget", 0, OPTION_NUMBER, AT(budget), "MS", 0.01, 1e4, NULL,
      "reduce detail of gases and particles when a step takes longer than MS; not deterministic" },
    { "png", 0, OPTION_TEXT, AT(png), "DIR", 0, 0, NULL,
      "write stills to DIR/frame_0000.png, ..." },
    { "every", 0, OPTION_INT, AT(every), "N", 1, 1e6, NULL,
      "write only every N-th frame as a still" },
    { "sheet", 0, OPTION_TEXT, AT(sheet), "FILE.png", 0, 0, NULL,
      "write a contact sheet of nine frames from beginning to end" },
    { "video", 0, OPTION_TEXT, AT(video), "FILE.mp4", 0, 0, NULL, "write a video (needs ffmpeg)" },
    { "fps", 0, OPTION_NUMBER, AT(fps), "F", 0.1, 1000, NULL,
      "frames per second of stills and video; default 30" },
    { "size", 0, OPTION_SIZE, AT(size), "WxH", 16, 8192, NULL,
      "size of stills, video and contact sheet in pixels; default 1280x720" },
    { "look", 0, OPTION_TEXT, AT(look), "PARTS", 0, 0, NULL, look_help },
    { "liquid", 0, OPTION_TEXT, AT(liquid), "MODE", 0, 0, NULL, liquid_help },
    { "only", 0, OPTION_TEXT, AT(only), "NAMES", 0, 0, NULL, only_help },
    { "csv", 0, OPTION_TEXT, AT(csv), "FILE", 0, 0, NULL,
      "write time, stats of each solver and bodies, one row per step; - is stdout" },
    { "gauge", 0, OPTION_SET, AT(gauge), "NAME=X,Z", 0, 0, NULL,
      "measure here for --gauges; also NAME=SOLVER:X,Z; may be repeated" },
    { "water", 0, OPTION_TEXT, AT(water), "SOLVER", 0, 0, NULL,
      "solver that --gauges, --depth and --surface read; default: the first with a "
      "surface" },
    { "gauges", 0, OPTION_TEXT, AT(gauges), "FILE", 0, 0, NULL,
      "write height, depth and velocity at each --gauge, one row per step; - is stdout" },
    { "depth", 0, OPTION_TEXT, AT(depth), "FILE", 0, 0, NULL,
      "write the final water depth as .png (16 bits), .asc or .raw" },
    { "surface", 0, OPTION_TEXT, AT(surface), "FILE", 0, 0, NULL,
      "write the final height of the water surface as .png, .asc or .raw" },
    { "save", 0, OPTION_TEXT, AT(save), "FILE", 0, 0, NULL, "write a snapshot of the final state" },
    { "load", 0, OPTION_TEXT, AT(load), "FILE", 0, 0, NULL,
      "start from a snapshot of the same scene" },
    { "hash", 0, OPTION_FLAG, AT(is_hash), NULL, 0, 0, NULL, "print the hash of the final state" },
    { "ledger", 0, OPTION_FLAG, AT(is_ledger), NULL, 0, 0, NULL,
      "print how much liquid each solver holds, gained and lost" },
    { "phases", 0, OPTION_FLAG, AT(is_phases), NULL, 0, 0, NULL,
      "print the milliseconds that each phase of a step took" },
    { "quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL,
      "print no progress and no summary" },
};
#undef AT

typedef struct Run {
    RunOptions o;
    LoadedScene loaded;
    TarnWorld* world;
    StepPlan plan;
    OutputFile csv, gauge_file, depth, surface, save;
    Gauges gauges;
    Pictures pictures;
    TarnParticleSurfaceParams surface_params; // of liquids that are drawn as a mesh
    Steps steps;
} Run;

// ---- Before --------------------------------------------------------------------------------------

// Two outputs with one name would overwrite each other.
static int check_names(const Command* command, const RunOptions* o)
{
    const char* names[] = { o->csv, o->gauges, o->depth, o->surface, o->save, o->sheet, o->video };
    enum { N = sizeof names / sizeof names[0] };
    for (int a = 0; a < N; ++a) {
        for (int b = a + 1; b < N; ++b) {
            if (names[a] == NULL || names[b] == NULL || !is_same_file(names[a], names[b])) continue;
            return usage_error(command, "two outputs have the same name '%s'", names[b]);
        }
    }
    if (o->sheet != NULL && !has_extension(o->sheet, ".png"))
        return usage_error(command, "--sheet: '%s' must end in .png", o->sheet);
    if (o->video != NULL && !has_extension(o->video, ".mp4"))
        return usage_error(command, "--video: '%s' must end in .mp4", o->video);
    return EXIT_OK;
}

static int check_gauges(const Command* command, Run* run)
{
    const RunOptions* o = &run->o;
    if ((o->gauge.count > 0) != (o->gauges != NULL))
        return usage_error(command, "--gauge NAME=X,Z and --gauges FILE must be given together");
    if (o->water != NULL && o->gauges == NULL && o->depth == NULL && o->surface == NULL)
        return usage_error(command, "--water needs --gauges, --depth or --surface");
    if (o->depth != NULL && !is_field_name(o->depth))
        return usage_error(command, "--depth: '%s' must end in .png, .asc or .raw", o->depth);
    if (o->surface != NULL && !is_field_name(o->surface))
        return usage_error(command, "--surface: '%s' must end in .png, .asc or .raw", o->surface);
    return gauges_parse(command, &o->gauge, &run->gauges) ? EXIT_OK : EXIT_USAGE;
}

static int check_options(const Command* command, const RunOptions* o)
{
    bool has_frames = o->png != NULL || o->video != NULL;
    if (o->every != 0 && o->png == NULL) return usage_error(command, "--every needs --png");
    if (o->fps != 0.0 && !has_frames) return usage_error(command, "--fps needs --png or --video");
    if (o->size.width != 0 && !has_frames && o->sheet == NULL)
        return usage_error(command, "--size needs --png, --sheet or --video");
    if (o->look != NULL && !has_frames && o->sheet == NULL)
        return usage_error(command, "--look needs --png, --sheet or --video");
    if (o->liquid != NULL && !has_frames && o->sheet == NULL)
        return usage_error(command, "--liquid needs --png, --sheet or --video");
    if (o->only != NULL && !has_frames && o->sheet == NULL)
        return usage_error(command, "--only needs --png, --sheet or --video");
    if (o->surface_set.count > 0 && !has_frames && o->sheet == NULL)
        return usage_error(command, "--set surface.* needs --png, --sheet or --video");
    uint32_t look;
    if (!look_parse(o->look, &look))
        return usage_error(command, "--look: '%s' is not a comma-separated list of: %s", o->look,
                           look_names);
    if (o->video != NULL && (o->size.width % 2 != 0 || o->size.height % 2 != 0))
        return usage_error(command, "--size %dx%d: the width and height of a video must be even",
                           o->size.width, o->size.height);
    return check_names(command, o);
}

static bool load_snapshot(Run* run)
{
    size_t size = 0;
    if (run->o.load == NULL) return true;
    char* data = read_whole_file(run->o.load, &size);
    if (data == NULL) return false;
    TarnResult result = tarn_world_load(run->world, data, size);
    free(data);
    if (result != TARN_OK) say("'%s': %s", run->o.load, tarn_last_error(run->loaded.ctx));
    return result == TARN_OK;
}

// The number of steps: --seconds, or to the end of the scene.
static void plan(Run* run)
{
    TarnSceneRun wish = tarn_scene_run(run->loaded.scene);
    double now = tarn_world_time(run->world);
    double seconds = run->o.seconds >= 0.0 ? run->o.seconds : wish.seconds - now;
    run->plan = steps_plan(seconds, wish.dt);
    if (run->plan.n == 0 && run->o.seconds < 0.0 && !run->o.is_quiet) {
        say("'%s' is at %g s, but the scene ends at %g s; use --seconds S to continue from there",
            run->o.load, now, wish.seconds);
    }
}

static bool open_outputs(Run* run)
{
    const RunOptions* o = &run->o;
    PicturesDef def = { .png_folder = o->png,
                        .every = o->every > 0 ? o->every : 1,
                        .sheet = o->sheet,
                        .video = o->video,
                        .size = o->size.width > 0 ? o->size : (PixelSize){ 1280, 720 },
                        .fps = o->fps > 0.0 ? o->fps : 30.0,
                        .lapse = tarn_scene_run(run->loaded.scene).lapse,
                        .plan = run->plan,
                        .only = o->only };
    if (run->surface_params.cookie != 0) def.surface = &run->surface_params;
    look_parse(o->look, &def.look); // which was checked
    if (o->csv != NULL && !output_open(&run->csv, o->csv)) return false;
    if (!gauges_find(&run->gauges, run->world, o->water)) return false;
    if (o->gauges != NULL && !output_open(&run->gauge_file, o->gauges)) return false;
    if (o->depth != NULL && !output_open(&run->depth, o->depth)) return false;
    if (o->surface != NULL && !output_open(&run->surface, o->surface)) return false;
    if (o->save != NULL && !output_open(&run->save, o->save)) return false;
    if (!pictures_wanted(&def)) return true;
    return pictures_open(&run->pictures, run->loaded.ctx, run->loaded.scene, &def);
}

// ---- The run -------------------------------------------------------------------------------------

static bool record(Run* run, const TarnStepReport* report)
{
    if (run->csv.stream != NULL) {
        csv_row(run->csv.stream, run->world, report);
        if (!output_check(&run->csv)) return false;
    }
    if (run->gauge_file.stream != NULL) {
        gauges_row(run->gauge_file.stream, &run->gauges, run->world);
        if (!output_check(&run->gauge_file)) return false;
    }
    return !pictures_wanted(&run->pictures.def) || pictures_add(&run->pictures, run->steps.done);
}

// Reports the time of the last step to the budget.
static bool note_cost(Run* run, double before)
{
    if (run->o.budget <= 0.0) return true;
    float ms = (float)(1e3 * (run->steps.clock - before));
    if (tarn_world_note_cost(run->world, ms, run->plan.dt) == TARN_OK) return true;
    say("--budget: %s", tarn_last_error(run->loaded.ctx));
    return false;
}

static bool set_budget(Run* run)
{
    if (run->o.budget <= 0.0) return true;
    const void* solver;
    bool can_save = false; // can any solver reduce its detail?
    for (int n = 0; (solver = tarn_world_get(run->world, NULL, n)) != NULL; ++n)
        can_save |= tarn_world_class_of(run->world, solver)->set_detail != NULL;
    if (!can_save) {
        say("--budget only works with gases and particles, and this scene has neither");
        return false;
    }
    TarnBudget budget = tarn_budget_default((float)run->o.budget);
    return tarn_world_set_budget(run->world, &budget) == TARN_OK;
}

static bool simulate(Run* run)
{
    Progress progress = progress_begin(run->plan.n, (double)run->plan.dt, run->o.is_quiet);
    bool is_good = true;
    if (run->csv.stream != NULL) csv_header(run->csv.stream, run->world);
    if (run->gauge_file.stream != NULL) {
        gauges_header(run->gauge_file.stream, &run->gauges);
        gauges_row(run->gauge_file.stream, &run->gauges, run->world); // the beginning, too
    }
    if (pictures_wanted(&run->pictures.def)) { is_good = pictures_add(&run->pictures, 0); }
    while (is_good && run->steps.done < run->plan.n && !is_interrupted()) {
        TarnStepReport report;
        double before = run->steps.clock;
        is_good = steps_advance(&run->steps, run->loaded.ctx, run->world, &run->plan, &report) &&
                  note_cost(run, before) && record(run, &report);
        progress_update(&progress, run->steps.done);
    }
    progress_end(&progress);
    return is_good && !is_interrupted();
}

// ---- After ---------------------------------------------------------------------------------------

static bool save_snapshot(Run* run)
{
    size_t size = 0;
    tarn_world_save(run->world, NULL, 0, &size); // asks how much
    void* data = malloc(size > 0 ? size : 1);
    if (data == NULL) {
        say("not enough memory for a snapshot of %zu bytes", size);
        return false;
    }
    bool is_good = tarn_world_save(run->world, data, size, &size) == TARN_OK;
    if (!is_good) say("cannot save: %s", tarn_last_error(run->loaded.ctx));
    if (is_good) {
        fwrite(data, 1, size, run->save.stream);
        is_good = output_commit(&run->save);
    }
    free(data);
    return is_good;
}

static bool finish(Run* run)
{
    if (run->o.csv != NULL && !output_commit(&run->csv)) return false;
    if (run->o.gauges != NULL && !output_commit(&run->gauge_file)) return false;
    if (run->o.depth != NULL &&
        !field_commit(&run->depth, run->o.depth, FIELD_DEPTH, run->world, run->o.water))
        return false;
    if (run->o.surface != NULL &&
        !field_commit(&run->surface, run->o.surface, FIELD_SURFACE, run->world, run->o.water))
        return false;
    if (run->o.save != NULL && !save_snapshot(run)) return false;
    if (pictures_wanted(&run->pictures.def) && !pictures_commit(&run->pictures)) return false;
    if (run->o.is_hash) printf("%016" PRIx64 "\n", tarn_world_hash(run->world));
    return true;
}

static void say_summary(const Run* run)
{
    const RunOptions* o = &run->o;
    char name[256];
    double steps = run->steps.done > 0 ? (double)run->steps.done : 1.0;
    int threads = tarn_context_workers(run->loaded.ctx);
    steps_say_flags(&run->steps);
    say("%s: %lld step%s to %.3f s, %.3f ms per step, %d thread%s, %s",
        scene_short_name(run->loaded.path, name, sizeof name), (long long)run->steps.done,
        run->steps.done == 1 ? "" : "s", tarn_world_time(run->world),
        1e3 * run->steps.clock / steps, threads, threads > 1 ? "s" : "",
        tarn_isa_name(tarn_context_isa(run->loaded.ctx)));
    if (run->loaded.engine.kind != ENGINE_BUILTIN)
        say("bodies were moved by %s", engine_name(&run->loaded.engine));
    summary_solvers(run->world);
    summary_ledger(run->world, o->is_ledger);
    if (o->is_phases) summary_phases(&run->steps);
    summary_budget(run->world);
    if (o->csv != NULL && strcmp(o->csv, "-") != 0) say("wrote %s", o->csv);
    if (o->gauges != NULL && strcmp(o->gauges, "-") != 0) say("wrote %s", o->gauges);
    if (o->depth != NULL) say("wrote %s", o->depth);
    if (o->surface != NULL) say("wrote %s", o->surface);
    if (o->save != NULL) say("wrote %s", o->save);
    if (o->png != NULL)
        say("wrote %lld pictures to %s%s", (long long)run->pictures.n_pngs, o->png,
            pictures_has_older(&run->pictures)
                ? "; stills of an earlier run with higher numbers are still there"
                : "");
    if (o->sheet != NULL) say("wrote %s", o->sheet);
    if (o->video != NULL) say("wrote %s", o->video);
}

static void close_run(Run* run)
{
    output_discard(&run->csv);
    output_discard(&run->gauge_file);
    output_discard(&run->depth);
    output_discard(&run->surface);
    output_discard(&run->save);
    pictures_close(&run->pictures);
    scene_unload(&run->loaded);
}

static int start(const Command* command, int argc, char** argv)
{
    Run run = { .o = { .seconds = -1.0 } };
    const char* scene = NULL;
    ParseResult parsed = parse_options(command, argc, argv, &run.o, &scene);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    surface_take_options(&run.o.overrides, &run.o.surface_set);
    int code = check_options(command, &run.o);
    if (code == EXIT_OK) code = check_gauges(command, &run);
    if (code != EXIT_OK) return code;
    if (!override_with(&run.o.overrides, "view.liquid", run.o.liquid))
        return usage_error(command, "--set can be given at most %d times", MAX_OVERRIDES);
    SceneLoadDef def = { .scene = scene,
                         .overrides = &run.o.overrides,
                         .threads = run.o.threads,
                         .isa = run.o.isa,
                         .engine = run.o.engine,
                         .has_engine = true,
                         .has_phases = run.o.is_phases,
                         .is_quiet = run.o.is_quiet };
    code = scene_load(&run.loaded, &def);
    if (code != EXIT_OK) return code;
    code = surface_set_picture(run.loaded.ctx, run.loaded.scene, &run.o.surface_set,
                               &run.surface_params);
    if (code == EXIT_OK)
        code = surface_check_looks(command, run.loaded.scene, run.o.liquid, run.o.look);
    if (code != EXIT_OK) {
        close_run(&run);
        return code;
    }

    interrupt_install();
    run.world = tarn_scene_world(run.loaded.scene);
    bool is_good = load_snapshot(&run);
    if (is_good) plan(&run);
    is_good = is_good && set_budget(&run) && open_outputs(&run) && simulate(&run) && finish(&run);
    if (is_good && !run.o.is_quiet) say_summary(&run);
    bool is_stopped = !is_good && is_interrupted();
    if (is_stopped) say("stopped at %.3f s", tarn_world_time(run.world));
    close_run(&run);
    if (is_stopped) interrupt_obey();
    return is_good ? EXIT_OK : EXIT_FAILED;
}

const Command run_command = {
    .name = "run",
    .arguments = "SCENE [options]",
    .summary = "Runs a scene and writes pictures, videos, numbers and snapshots.",
    .details =
        "SCENE is a name from `tarn list` or the path of a JSON file. Files are written under a\n"
        "temporary name and renamed when they are complete; a run that fails or is interrupted\n"
        "leaves only finished stills behind. With --load, --seconds counts from the time of the\n"
        "snapshot; without --seconds, the run continues to the end of the scene.\n"
        "\n"
        "examples:\n"
        "  tarn run pool_drops --video drops.mp4\n"
        "  tarn run pool_drops --seconds 5 --set wave.damping=0.5 --sheet drops.png\n"
        "  tarn run scenes/pool_drops.json --csv drops.csv --hash\n"
        "  tarn run harbor --gauge pier=4,2 --gauges pier.csv --surface end.asc\n"
        "  tarn run pool_drops --seconds 2 --save two.snap\n"
        "  tarn run pool_drops --load two.snap --png frames --every 10\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .min_arguments = 1,
    .max_arguments = 1,
    .start = start,
};
