// tarn render: one picture of a scene.

#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "pictures.h"
#include "loaded_scene.h"
#include "steps.h"
#include "surface_options.h"
#include <math.h>
#include <string.h>

typedef struct RenderOptions {
    double at; // < 0: half way through the scene
    const char* file;
    PixelSize size;
    double yaw, pitch;  // NaN: what the scene says [degrees]
    const char* look;   // NULL: all of it
    const char* liquid; // NULL: what the scene says
    const char* only;   // NULL: everything
    bool has_wires;
    const char *sky, *background; // NULL: what the scene says
    Overrides overrides;
    int threads, isa, engine;
    bool is_quiet;
} RenderOptions;

#define AT(field) offsetof(RenderOptions, field)
static const Option options[] = {
    { "at", 0, OPTION_NUMBER, AT(at), "T", 0, 1e6, NULL,
      "simulated time [s]; default: halfway through the scene" },
    { "output", 'o', OPTION_TEXT, AT(file), "FILE.png", 0, 0, NULL,
      "write the picture to FILE.png; default: SCENE.png" },
    { "size", 0, OPTION_SIZE, AT(size), "WxH", 16, 8192, NULL,
      "size of the picture in pixels; default 1280x720" },
    { "yaw", 0, OPTION_NUMBER, AT(yaw), "D", -360, 360, NULL,
      "camera angle around the scene [degrees]; default: set by the scene" },
    { "pitch", 0, OPTION_NUMBER, AT(pitch), "D", 1, 89, NULL,
      "camera angle above the horizon [degrees]; default: set by the scene" },
    { "look", 0, OPTION_TEXT, AT(look), "PARTS", 0, 0, NULL, look_help },
    { "liquid", 0, OPTION_TEXT, AT(liquid), "MODE", 0, 0, NULL, liquid_help },
    { "only", 0, OPTION_TEXT, AT(only), "NAMES", 0, 0, NULL, only_help },
    { "wires", 0, OPTION_FLAG, AT(has_wires), NULL, 0, 0, NULL,
      "with --liquid mesh or screen_mesh: draw the mesh matte with its edges" },
    { "sky", 0, OPTION_TEXT, AT(sky), "NAME", 0, 0, NULL,
      "what surrounds the scene: auto, day, dusk, night, overcast, studio or none; default: set by "
      "the scene" },
    { "background", 0, OPTION_TEXT, AT(background), "COLOR", 0, 0, NULL,
      "draw no sky but one color, R,G,B from 0 to 1, linear; or none, which writes a picture with "
      "alpha" },
    { "set", 0, OPTION_SET, AT(overrides), "PATH=VALUE", 0, 0, NULL,
      "set a parameter: view.mode=bars, or surface.radius=2 of a liquid's mesh; may be "
      "repeated" },
    SCENE_OPTIONS(AT),
    { "quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL,
      "print no progress and no summary" },
};
#undef AT

// Sets an angle as if it had been given with --set, so that the scene's own checks apply.
static bool add_angle(Overrides* overrides, const char* path, double degrees, char text[32])
{
    if (isnan(degrees)) return true;
    snprintf(text, 32, "%.9g", degrees);
    return override_with(overrides, path, text);
}

// --background is the sky "none", in one color, or clear and without a floor.
static bool add_background(Overrides* overrides, const char* background)
{
    if (background == NULL) return true;
    bool is_clear = strcmp(background, "none") == 0;
    if (!override_with(overrides, "view.sky", "none")) return false;
    if (!is_clear) return override_with(overrides, "view.background", background);
    return override_with(overrides, "view.transparent", "true") &&
           override_with(overrides, "view.floor", "false");
}

// Returns false after a failed step (reported) or a signal.
static bool simulate_to(LoadedScene* loaded, double at, bool is_quiet)
{
    TarnWorld* world = tarn_scene_world(loaded->scene);
    TarnSceneRun run = tarn_scene_run(loaded->scene);
    StepPlan plan = steps_plan(at >= 0.0 ? at : 0.5 * run.seconds, run.dt);
    Steps steps = { 0 };
    bool is_good = steps_run(&steps, loaded->ctx, world, &plan, is_quiet);
    if (is_good && !is_quiet) steps_say_flags(&steps);
    return is_good;
}

static bool render(LoadedScene* loaded, const RenderOptions* o, uint32_t look,
                   const TarnParticleSurfaceParams* surface)
{
    char name[300], path[320];
    OutputFile file = { 0 };
    Pictures pictures = { 0 };
    snprintf(path, sizeof path, "%s.png", scene_short_name(loaded->path, name, sizeof name));
    const char* target = o->file != NULL ? o->file : path;
    PicturesDef def = { .size = o->size, .only = o->only, .look = look, .has_wires = o->has_wires };
    if (surface->cookie != 0) def.surface = surface;
    bool is_good = output_open(&file, target) &&
                   picture_open(&pictures, loaded->ctx, loaded->scene, &def) &&
                   simulate_to(loaded, o->at, o->is_quiet) && picture_write(&pictures, &file);
    pictures_close(&pictures);
    output_discard(&file);
    double now = tarn_world_time(tarn_scene_world(loaded->scene));
    if (is_good && !o->is_quiet) say("wrote %s, the scene at %.3f s", target, now);
    if (!is_good && is_interrupted()) say("stopped at %.3f s", now);
    return is_good;
}

static int start(const Command* command, int argc, char** argv)
{
    RenderOptions o = { .at = -1.0, .yaw = NAN, .pitch = NAN, .size = { 1280, 720 } };
    const char* scene = NULL;
    char yaw[32], pitch[32];
    ParseResult parsed = parse_options(command, argc, argv, &o, &scene);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (o.file != NULL && !has_extension(o.file, ".png"))
        return usage_error(command, "--output: '%s' must end in .png", o.file);
    if (!add_angle(&o.overrides, "view.yaw", o.yaw, yaw) ||
        !add_angle(&o.overrides, "view.pitch", o.pitch, pitch) ||
        !override_with(&o.overrides, "view.liquid", o.liquid) ||
        !override_with(&o.overrides, "view.sky", o.sky) ||
        !add_background(&o.overrides, o.background))
        return usage_error(command, "--set can be given at most %d times", MAX_OVERRIDES);
    if (o.sky != NULL && o.background != NULL)
        return usage_error(command, "--background draws no sky; leave out --sky");
    Overrides surface = { 0 };
    surface_take_options(&o.overrides, &surface);
    uint32_t look = 0;
    if (!look_parse(o.look, &look))
        return usage_error(command, "--look: '%s' is not a comma-separated list of: %s", o.look,
                           look_names);
    SceneLoadDef def = { .scene = scene,
                         .overrides = &o.overrides,
                         .threads = o.threads,
                         .isa = o.isa,
                         .engine = o.engine,
                         .has_engine = true,
                         .is_quiet = o.is_quiet };
    LoadedScene loaded;
    int code = scene_load(&loaded, &def);
    if (code != EXIT_OK) return code;
    interrupt_install();
    TarnParticleSurfaceParams params = { 0 };
    code = surface_set_picture(loaded.ctx, loaded.scene, &surface, &params);
    if (code == EXIT_OK) code = surface_check_looks(command, loaded.scene, o.liquid, o.look);
    if (code == EXIT_OK && o.has_wires && !surface_is_drawn(loaded.scene, false))
        code = usage_error(command,
                           "--wires only works with 3-D liquids that are drawn as a mesh, and "
                           "this scene has none; add --liquid mesh");
    if (code == EXIT_OK && !render(&loaded, &o, look, &params)) code = EXIT_FAILED;
    scene_unload(&loaded);
    if (code == EXIT_FAILED) interrupt_obey();
    return code;
}

const Command render_command = {
    .name = "render",
    .arguments = "SCENE [options]",
    .summary = "Draws one picture of a scene.",
    .details = "SCENE is a name from `tarn list` or the path of a JSON file.\n"
               "\n"
               "examples:\n"
               "  tarn render pool_drops --at 2.5 -o drops.png\n"
               "  tarn render pool_drops --at 1 --yaw 60 --pitch 20 --size 1920x1080\n"
               "  tarn render pool_drops --at 1 --set view.mode=bars\n"
               "  tarn render dam_break_2d --at 1 --look particles,resize\n"
               "  tarn render two_ponds --at 4 --only upper,stream\n"
               "  tarn render campfire --at 3 --background none\n"
               "  tarn render dam_break_3d --at 1 --liquid mesh --set surface.method=zhu_bridson\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .min_arguments = 1,
    .max_arguments = 1,
    .start = start,
};
