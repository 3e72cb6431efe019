// tarn mesh: writes the surface of a scene's liquid or water as mesh files or an animation, and inspects mesh files.

#define _POSIX_C_SOURCE 200809L // PATH_MAX
#include "context.h"
#include "interrupt.h"
#include "mesh_maker.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "loaded_scene.h"
#include "steps.h"
#include "surface_options.h"
#include "tarn/mesh_file.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct MeshOptions {
    double at;      // < 0: half way through the scene
    double seconds; // < 0: what the scene says
    double fps;     // 0: 30
    const char *file, *solver;
    int method, up;
    double cell; // [m]; 0: what is usual
    int frame;   // < 0: the first
    Overrides overrides;
    int threads, isa, engine;
    bool is_quiet;
} MeshOptions;

static const char* const method_names[] = { "density", "zhu_bridson", "anisotropic", NULL };
static const char* const up_names[] = { "y", "z", NULL };

#define AT(field) offsetof(MeshOptions, field)
static const Option options[] = {
    { "output", 'o', OPTION_TEXT, AT(file), "FILE", 0, 0, NULL,
      "write to x.obj, x.ply or x.glb; %04d numbers the frames; default: SCENE.glb" },
    { "at", 0, OPTION_NUMBER, AT(at), "T", 0, 1e6, NULL,
      "write one mesh at this simulated time [s]; default: halfway through the scene" },
    { "seconds", 0, OPTION_NUMBER, AT(seconds), "S", 0, 1e6, NULL,
      "write an animation or numbered frames of the first S simulated seconds" },
    { "fps", 0, OPTION_NUMBER, AT(fps), "F", 0.1, 1000, NULL,
      "frames per second of an animation or of numbered frames; default 30" },
    { "solver", 0, OPTION_TEXT, AT(solver), "NAME", 0, 0, NULL,
      "mesh the surface of this solver; default: the first that has one" },
    { "method", 0, OPTION_CHOICE, AT(method), "NAME", 0, 0, method_names,
      "surface of a particle liquid: density, zhu_bridson or anisotropic (default)" },
    { "cell", 0, OPTION_NUMBER, AT(cell), "M", 1e-4, 1e4, NULL,
      "cell size of the mesh [m]; default: 0.65 particle spacings, or the cell of the water" },
    { "up", 0, OPTION_CHOICE, AT(up), "AXIS", 0, 0, up_names,
      "up axis: y (default) or z, for programs that do not convert .ply files" },
    { "set", 0, OPTION_SET, AT(overrides), "PATH=VALUE", 0, 0, NULL,
      "set a parameter of the scene, or of the particle surface (surface.smoothing=0.5)" },
    { "frame", 0, OPTION_INT, AT(frame), "N", 0, 1e6, NULL,
      "info: frame of an animation, counted from 0" },
    SCENE_OPTIONS(AT),
    { "quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL,
      "print no progress and no summary" },
};
#undef AT

typedef struct Task {
    MeshOptions o;
    LoadedScene loaded;
    TarnWorld* world;
    TarnMeshFormat format;
    const char* path; // as given, or SCENE.glb
    Overrides surface;
    MeshMaker maker;
    OutputFile film_file;
    TarnMeshFilm* film;
    Steps steps;
    int64_t n_written;
    double triangles; // of all frames
} Task;

// ---- Names ---------------------------------------------------------------------------------------

// Where the number stands in a name such as frames/%04d.ply: "%d", or "%0Nd". NULL: there is none.
static const char* find_number(const char* path, int* length, int* digits)
{
    const char* p = strchr(path, '%');
    if (p == NULL) return NULL;
    const char* d = p + 1;
    *digits = 1;
    if (*d == '0' && d[1] >= '1' && d[1] <= '9') *digits = d[1] - '0', d += 2;
    if (*d != 'd' || strchr(d, '%') != NULL) return NULL;
    *length = (int)(d + 1 - p);
    return p;
}

static bool is_numbered(const char* path)
{
    int length, digits;
    return find_number(path, &length, &digits) != NULL;
}

// Returns false and reports the error if the name is too long.
static bool frame_path(const char* path, int64_t number, char out[PATH_MAX])
{
    int length = 0, digits = 1;
    const char* p = find_number(path, &length, &digits);
    int n = p == NULL ? snprintf(out, PATH_MAX, "%s", path)
                      : snprintf(out, PATH_MAX, "%.*s%0*lld%s", (int)(p - path), path, digits,
                                 (long long)number, p + length);
    if (n < PATH_MAX) return true;
    say("the file name '%.40s...' is too long", path);
    return false;
}

static bool make_folder(const char* path)
{
    char folder[PATH_MAX];
    const char* slash = strrchr(path, '/');
    bool is_new;
    if (slash == NULL || slash == path) return true;
    if (snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) >= PATH_MAX) return true;
    return output_folder(folder, &is_new);
}

// ---- Writing -------------------------------------------------------------------------------------

static bool write_mesh(Task* task, const char* path)
{
    size_t size = 0;
    const TarnMesh* mesh = &task->maker.mesh;
    TarnResult result = tarn_mesh_write(task->loaded.ctx, mesh, task->format, NULL, 0, &size);
    void* bytes = result == TARN_ERR_CAPACITY && size > 0 ? malloc(size) : NULL;
    if (bytes != NULL)
        result = tarn_mesh_write(task->loaded.ctx, mesh, task->format, bytes, size, &size);
    if (result != TARN_OK) say("cannot write '%s': %s", path, tarn_last_error(task->loaded.ctx));
    bool is_good = result == TARN_OK && output_write(path, bytes, size);
    free(bytes);
    return is_good;
}

static bool add_frame(Task* task)
{
    char path[PATH_MAX];
    if (!mesh_maker_run(&task->maker, task->world)) return false;
    bool is_good = true;
    if (task->film == NULL) {
        is_good = frame_path(task->path, task->n_written, path) && write_mesh(task, path);
    } else if (tarn_mesh_film_add(task->film, &task->maker.mesh) != TARN_OK) {
        say("cannot write '%s': %s", task->path, tarn_last_error(task->loaded.ctx));
        is_good = false;
    }
    ++task->n_written;
    task->triangles += task->maker.mesh.n_triangles;
    return is_good;
}

static bool open_film(Task* task, double fps)
{
    if (is_numbered(task->path)) return make_folder(task->path);
    if (!output_reserve(&task->film_file, task->path, ".glb")) return false;
    TarnResult result =
        tarn_mesh_film_create(task->loaded.ctx, task->film_file.part, 1.0 / fps, &task->film);
    if (result != TARN_OK) say("%s", tarn_last_error(task->loaded.ctx));
    return result == TARN_OK;
}

static bool close_film(Task* task)
{
    if (task->film == NULL) return true;
    if (tarn_mesh_film_finish(task->film) == TARN_OK) return output_rename(&task->film_file);
    say("cannot write '%s': %s", task->path, tarn_last_error(task->loaded.ctx));
    return false;
}

static bool make_film(Task* task)
{
    TarnSceneRun run = tarn_scene_run(task->loaded.scene);
    double fps = task->o.fps > 0.0 ? task->o.fps : 30.0;
    StepPlan plan = steps_plan(task->o.seconds >= 0.0 ? task->o.seconds : run.seconds, run.dt);
    int64_t n_frames = frames_in(&plan, fps, run.lapse);
    if (!open_film(task, fps)) return false;
    Progress progress = progress_begin(plan.n, run.dt, task->o.is_quiet);
    bool is_good = true;
    for (int64_t frame = 0; is_good && frame < n_frames && !is_interrupted(); ++frame) {
        int64_t step = step_of_frame(frame, &plan, fps, run.lapse);
        while (is_good && task->steps.done < step && !is_interrupted()) {
            TarnStepReport report;
            is_good = steps_advance(&task->steps, task->loaded.ctx, task->world, &plan, &report);
            progress_update(&progress, task->steps.done);
        }
        is_good = is_good && !is_interrupted() && add_frame(task);
    }
    progress_end(&progress);
    return is_good && !is_interrupted() && close_film(task);
}

static bool make_one(Task* task)
{
    TarnSceneRun run = tarn_scene_run(task->loaded.scene);
    StepPlan plan = steps_plan(task->o.at >= 0.0 ? task->o.at : 0.5 * run.seconds, run.dt);
    return steps_run(&task->steps, task->loaded.ctx, task->world, &plan, task->o.is_quiet) &&
           add_frame(task);
}

// ---- The command ---------------------------------------------------------------------------------

static bool is_film(const Task* task)
{
    return task->o.seconds >= 0.0 || task->o.fps > 0.0 ||
           (task->o.file != NULL && is_numbered(task->o.file));
}

static int check_options(const Command* command, Task* task)
{
    const MeshOptions* o = &task->o;
    TarnMeshFormat format = TARN_MESH_GLB;
    if (o->file != NULL && tarn_mesh_format(NULL, o->file, &format) != TARN_OK)
        return usage_error(command, "--output: '%s' must end in .obj, .ply or .glb", o->file);
    if (o->file != NULL && strchr(o->file, '%') != NULL && !is_numbered(o->file))
        return usage_error(command, "--output: '%s' must contain exactly one number such as %%04d",
                           o->file);
    if (is_film(task) && o->at >= 0.0)
        return usage_error(
            command, "--at writes one mesh; it cannot be combined with --seconds, --fps or %%04d");
    if (is_film(task) && format != TARN_MESH_GLB && !is_numbered(o->file))
        return usage_error(
            command,
            "--output: '%s' can hold only one mesh; for several, add a number such as "
            "%%04d or write a .glb",
            o->file);
    if (o->frame >= 0) return usage_error(command, "--frame only works with `tarn mesh info`");
    task->format = format;
    return EXIT_OK;
}

static void say_summary(const Task* task)
{
    steps_say_flags(&task->steps);
    if (task->triangles == 0.0)
        say("the mesh is empty: there is no liquid, or the water is too shallow to mesh");
    double now = tarn_world_time(task->world);
    if (task->film != NULL)
        say("wrote %s, an animation of %lld frames with %.0f triangles each on average", task->path,
            (long long)task->n_written, task->triangles / (double)task->n_written);
    else if (is_film(task))
        say("wrote %lld meshes to %s with %.0f triangles each on average",
            (long long)task->n_written, task->path, task->triangles / (double)task->n_written);
    else
        say("wrote %s, the scene at %.3f s: %d vertices, %d triangles", task->path, now,
            task->maker.mesh.n_vertices, task->maker.mesh.n_triangles);
}

static int mesh_scene(Task* task, const char* scene)
{
    char name[300], path[320];
    surface_take_options(&task->o.overrides, &task->surface);
    SceneLoadDef def = { .scene = scene,
                         .overrides = &task->o.overrides,
                         .threads = task->o.threads,
                         .isa = task->o.isa,
                         .engine = task->o.engine,
                         .has_engine = true,
                         .is_quiet = task->o.is_quiet };
    int code = scene_load(&task->loaded, &def);
    if (code != EXIT_OK) return code;
    interrupt_install();
    task->world = tarn_scene_world(task->loaded.scene);
    snprintf(path, sizeof path, "%s.glb", scene_short_name(task->loaded.path, name, sizeof name));
    task->path = task->o.file != NULL ? task->o.file : path;
    MeshMakerDef maker = { .method = task->o.method,
                           .cell = task->o.cell,
                           .surface = &task->surface,
                           .is_z_up = task->o.up == 1,
                           .solver = task->o.solver };
    code = mesh_maker_open(&task->maker, task->loaded.ctx, task->world, &maker);
    if (code == EXIT_OK && !(is_film(task) ? make_film(task) : make_one(task))) code = EXIT_FAILED;
    if (code == EXIT_OK && !task->o.is_quiet) say_summary(task);
    bool is_stopped = code != EXIT_OK && is_interrupted();
    if (is_stopped) say("stopped at %.3f s", tarn_world_time(task->world));
    tarn_mesh_film_destroy(task->film);
    output_discard(&task->film_file);
    mesh_maker_close(&task->maker);
    scene_unload(&task->loaded);
    if (is_stopped) interrupt_obey();
    return code;
}

// ---- tarn mesh info ------------------------------------------------------------------------------

static void print_info(const char* path, const TarnMesh* mesh, const TarnMeshInfo* info,
                       const TarnMeshStats* stats, int frame)
{
    TarnVec3 lo = { 0, 0, 0 }, hi = { 0, 0, 0 };
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v];
        if (v == 0) lo = hi = p;
        lo =
            (TarnVec3){ p.x < lo.x ? p.x : lo.x, p.y < lo.y ? p.y : lo.y, p.z < lo.z ? p.z : lo.z };
        hi =
            (TarnVec3){ p.x > hi.x ? p.x : hi.x, p.y > hi.y ? p.y : hi.y, p.z > hi.z ? p.z : hi.z };
    }
    int bad = stats->open_edges + stats->crowded_edges + stats->flipped_edges;
    printf("file        %s\n", path);
    if (info->n_meshes > 1) printf("frames      %d; showing frame %d\n", info->n_meshes, frame);
    printf("vertices    %d\ntriangles   %d\n", mesh->n_vertices, mesh->n_triangles);
    printf("bounds      %g %g %g to %g %g %g m\n", (double)lo.x, (double)lo.y, (double)lo.z,
           (double)hi.x, (double)hi.y, (double)hi.z);
    printf("area        %g m^2\n", stats->area);
    if (mesh->n_triangles == 0)
        printf("closed      no triangles\n");
    else if (bad == 0)
        printf("volume      %g m^3\nclosed      yes\n", stats->volume);
    else
        printf(
            "closed      no: %d edges are open, %d have more than two triangles, %d are flipped\n",
            stats->open_edges, stats->crowded_edges, stats->flipped_edges);
    printf("parts       %d\n", stats->parts);
    printf("carries     %s%s", info->has_normal ? "normals" : "no normals",
           info->has_velocity ? ", velocities" : "");
    for (int a = 0; a < info->n_attributes; ++a) printf(", %s", info->attribute_name[a]);
    printf("\n");
}

static TarnResult read_mesh(TarnContext* ctx, const void* bytes, size_t size, const char* path,
                            TarnMeshFormat format, int frame, TarnMesh* mesh, TarnMeshInfo* info)
{
    return format == TARN_MESH_GLB ? tarn_mesh_read_frame(ctx, bytes, size, path, frame, mesh, info)
                                   : tarn_mesh_read(ctx, bytes, size, path, format, mesh, info);
}

static int info_of(TarnContext* ctx, const char* path, TarnMeshFormat format, int frame)
{
    TarnMesh mesh = { 0 };
    TarnMeshInfo info;
    TarnMeshStats stats;
    size_t size = 0;
    char* bytes = read_whole_file(path, &size);
    if (bytes == NULL) return EXIT_FAILED;
    TarnResult result = read_mesh(ctx, bytes, size, path, format, frame, &mesh, &info);
    bool has_room = true;
    if (result == TARN_OK) { // without buffers it only counts
        has_room = mesh_reserve(&mesh, mesh.n_vertices, mesh.n_triangles);
        result = TARN_ERR_MEMORY;
        if (has_room) result = read_mesh(ctx, bytes, size, path, format, frame, &mesh, &info);
    }
    if (result == TARN_OK) result = tarn_mesh_stats(ctx, &mesh, &stats);
    if (result == TARN_OK)
        print_info(path, &mesh, &info, &stats, frame);
    else if (has_room)
        say("%s", tarn_last_error(ctx));
    mesh_free(&mesh);
    free(bytes);
    return result == TARN_OK ? EXIT_OK : EXIT_FAILED;
}

static int mesh_info(const Command* command, const MeshOptions* o, const char* path)
{
    TarnMeshFormat format;
    if (path == NULL) return usage_error(command, "missing argument: tarn mesh info FILE");
    if (tarn_mesh_format(NULL, path, &format) != TARN_OK)
        return usage_error(command, "'%s' must end in .obj, .ply or .glb", path);
    if (o->file != NULL || o->at >= 0.0 || o->seconds >= 0.0 || o->fps > 0.0 || o->method >= 0 ||
        o->cell > 0.0 || o->up != 0 || o->solver != NULL || o->overrides.count > 0)
        return usage_error(command, "`tarn mesh info` has only the option --frame");
    if (o->frame > 0 && format != TARN_MESH_GLB)
        return usage_error(command, "--frame only works with .glb files; others hold one mesh");
    TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    if (!context_open(&def, false, &ctx)) return EXIT_FAILED;
    int code = info_of(ctx, path, format, o->frame > 0 ? o->frame : 0);
    tarn_context_destroy(ctx);
    return code;
}

static int start(const Command* command, int argc, char** argv)
{
    Task task = { .o = { .at = -1.0, .seconds = -1.0, .frame = -1, .method = -1 } };
    const char* arguments[2] = { NULL, NULL };
    ParseResult parsed = parse_options(command, argc, argv, &task.o, arguments);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (strcmp(arguments[0], "info") == 0) return mesh_info(command, &task.o, arguments[1]);
    if (arguments[1] != NULL) return usage_error(command, "unexpected argument '%s'", arguments[1]);
    int code = check_options(command, &task);
    return code == EXIT_OK ? mesh_scene(&task, arguments[0]) : code;
}

const Command mesh_command = {
    .name = "mesh",
    .arguments = "SCENE [options] | info FILE",
    .summary = "Writes the surface of a liquid or of water as a mesh or an animated mesh.",
    .details =
        "SCENE is a name from `tarn list` or the path of a JSON file; it needs water or a 3-D\n"
        "liquid. Meshes have normals and velocities, water also its depth; .obj files have\n"
        "normals only. A .glb with several frames plays as an animation in Blender and other\n"
        "viewers. Units are meters, and y is up. See docs/meshes/files.md.\n"
        "\n"
        "examples:\n"
        "  tarn mesh dam_break_3d --at 0.8 -o splash.glb\n"
        "  tarn mesh dam_break_3d --seconds 2 --fps 24 -o film.glb\n"
        "  tarn mesh dam_break_3d --seconds 2 -o frames/%04d.ply --method zhu_bridson --cell 0.02\n"
        "  tarn mesh beach --at 5 -o beach.obj\n"
        "  tarn mesh info splash.glb\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .min_arguments = 1,
    .max_arguments = 2,
    .start = start,
};
