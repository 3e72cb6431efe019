// tarn mesh: the surface of a scene's liquid or water in a mesh file, in many, or in a film; and what is in one.

#define _POSIX_C_SOURCE 200809L // PATH_MAX
#include "context.h"
#include "interrupt.h"
#include "mesh_maker.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "stage.h"
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
      "x.obj, x.ply or x.glb, with %04d for numbered frames; default: SCENE.glb here" },
    { "at", 0, OPTION_NUMBER, AT(at), "T", 0, 1e6, NULL,
      "one mesh of this moment in simulated seconds; default: half way through the scene" },
    { "seconds", 0, OPTION_NUMBER, AT(seconds), "S", 0, 1e6, NULL,
      "a film or numbered frames of this simulated time from the beginning" },
    { "fps", 0, OPTION_NUMBER, AT(fps), "F", 0.1, 1000, NULL,
      "frames per second of a film or of numbered frames; default 30" },
    { "solver", 0, OPTION_TEXT, AT(solver), "NAME", 0, 0, NULL,
      "of a scene with several liquids and waters this one; default: the first" },
    { "method", 0, OPTION_CHOICE, AT(method), "NAME", 0, 0, method_names,
      "surface of a liquid: density, zhu_bridson or anisotropic (the default)" },
    { "cell", 0, OPTION_NUMBER, AT(cell), "M", 1e-4, 1e4, NULL,
      "cells of the mesh [m]; default: 0.65 spacings of particles, or a cell of the water" },
    { "up", 0, OPTION_CHOICE, AT(up), "AXIS", 0, 0, up_names,
      "y (the default, as everywhere here) or z, for programs that do not turn a .ply" },
    { "set", 0, OPTION_SET, AT(overrides), "PATH=VALUE", 0, 0, NULL,
      "change a parameter of the scene, or of a particle surface as surface.smoothing=0.5" },
    { "frame", 0, OPTION_INT, AT(frame), "N", 0, 1e6, NULL, "info: of a film this mesh, from 0" },
    STAGE_OPTIONS(AT),
    { "quiet", 'q', OPTION_FLAG, AT(is_quiet), NULL, 0, 0, NULL, "no progress, no summary" },
};
#undef AT

typedef struct Task {
    MeshOptions o;
    Stage stage;
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

// False: the name is too long, which has been said.
static bool frame_path(const char* path, int64_t number, char out[PATH_MAX])
{
    int length = 0, digits = 1;
    const char* p = find_number(path, &length, &digits);
    int n = p == NULL ? snprintf(out, PATH_MAX, "%s", path)
                      : snprintf(out, PATH_MAX, "%.*s%0*lld%s", (int)(p - path), path, digits,
                                 (long long)number, p + length);
    if (n < PATH_MAX) return true;
    say("the name '%.40s...' is too long", path);
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
    TarnResult result = tarn_mesh_write(task->stage.ctx, mesh, task->format, NULL, 0, &size);
    void* bytes = result == TARN_ERR_CAPACITY && size > 0 ? malloc(size) : NULL;
    if (bytes != NULL)
        result = tarn_mesh_write(task->stage.ctx, mesh, task->format, bytes, size, &size);
    if (result != TARN_OK) say("cannot write '%s': %s", path, tarn_last_error(task->stage.ctx));
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
        say("cannot write '%s': %s", task->path, tarn_last_error(task->stage.ctx));
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
        tarn_mesh_film_create(task->stage.ctx, task->film_file.part, 1.0 / fps, &task->film);
    if (result != TARN_OK) say("%s", tarn_last_error(task->stage.ctx));
    return result == TARN_OK;
}

static bool close_film(Task* task)
{
    if (task->film == NULL) return true;
    if (tarn_mesh_film_finish(task->film) == TARN_OK) return output_rename(&task->film_file);
    say("cannot write '%s': %s", task->path, tarn_last_error(task->stage.ctx));
    return false;
}

static bool make_film(Task* task)
{
    TarnSceneRun run = tarn_scene_run(task->stage.scene);
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
            is_good = steps_advance(&task->steps, task->stage.ctx, task->world, &plan, &report);
            progress_update(&progress, task->steps.done);
        }
        is_good = is_good && !is_interrupted() && add_frame(task);
    }
    progress_end(&progress);
    return is_good && !is_interrupted() && close_film(task);
}

static bool make_one(Task* task)
{
    TarnSceneRun run = tarn_scene_run(task->stage.scene);
    StepPlan plan = steps_plan(task->o.at >= 0.0 ? task->o.at : 0.5 * run.seconds, run.dt);
    return steps_run(&task->steps, task->stage.ctx, task->world, &plan, task->o.is_quiet) &&
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
        return usage_error(command, "--output: '%s' should end in .obj, .ply or .glb", o->file);
    if (o->file != NULL && strchr(o->file, '%') != NULL && !is_numbered(o->file))
        return usage_error(command, "--output: '%s' should have one number, such as %%04d",
                           o->file);
    if (is_film(task) && o->at >= 0.0)
        return usage_error(command, "--at is one mesh, --seconds, --fps and %%04d are many");
    if (is_film(task) && format != TARN_MESH_GLB && !is_numbered(o->file))
        return usage_error(command,
                           "--output: '%s' holds one mesh; for many of them give a number such as "
                           "%%04d, or a .glb",
                           o->file);
    if (o->frame >= 0) return usage_error(command, "--frame is about info");
    task->format = format;
    return EXIT_OK;
}

static void say_summary(const Task* task)
{
    steps_say_flags(&task->steps);
    if (task->triangles == 0.0)
        say("there is nothing to see: no liquid, or water too thin to mesh");
    double now = tarn_world_time(task->world);
    if (task->film != NULL)
        say("wrote %s, a film of %lld frames, %.0f triangles each on average", task->path,
            (long long)task->n_written, task->triangles / (double)task->n_written);
    else if (is_film(task))
        say("wrote %lld meshes as %s, %.0f triangles each on average", (long long)task->n_written,
            task->path, task->triangles / (double)task->n_written);
    else
        say("wrote %s, the scene at %.3f s: %d vertices, %d triangles", task->path, now,
            task->maker.mesh.n_vertices, task->maker.mesh.n_triangles);
}

static int mesh_scene(Task* task, const char* scene)
{
    char name[300], path[320];
    surface_take_options(&task->o.overrides, &task->surface);
    StageDef def = { .scene = scene,
                     .overrides = &task->o.overrides,
                     .threads = task->o.threads,
                     .isa = task->o.isa,
                     .engine = task->o.engine,
                     .has_engine = true,
                     .is_quiet = task->o.is_quiet };
    int code = stage_open(&task->stage, &def);
    if (code != EXIT_OK) return code;
    interrupt_install();
    task->world = tarn_scene_world(task->stage.scene);
    snprintf(path, sizeof path, "%s.glb", scene_short_name(task->stage.path, name, sizeof name));
    task->path = task->o.file != NULL ? task->o.file : path;
    MeshMakerDef maker = { .method = task->o.method,
                           .cell = task->o.cell,
                           .surface = &task->surface,
                           .is_z_up = task->o.up == 1,
                           .solver = task->o.solver };
    code = mesh_maker_open(&task->maker, task->stage.ctx, task->world, &maker);
    if (code == EXIT_OK && !(is_film(task) ? make_film(task) : make_one(task))) code = EXIT_FAILED;
    if (code == EXIT_OK && !task->o.is_quiet) say_summary(task);
    bool is_stopped = code != EXIT_OK && is_interrupted();
    if (is_stopped) say("stopped at %.3f s", tarn_world_time(task->world));
    tarn_mesh_film_destroy(task->film);
    output_discard(&task->film_file);
    mesh_maker_close(&task->maker);
    stage_close(&task->stage);
    if (is_stopped) interrupt_obey();
    return code;
}

// ---- What is in a file ---------------------------------------------------------------------------

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
    if (info->n_meshes > 1) printf("meshes      %d; this is number %d\n", info->n_meshes, frame);
    printf("vertices    %d\ntriangles   %d\n", mesh->n_vertices, mesh->n_triangles);
    printf("bounds      %g %g %g to %g %g %g m\n", (double)lo.x, (double)lo.y, (double)lo.z,
           (double)hi.x, (double)hi.y, (double)hi.z);
    printf("area        %g m^2\n", stats->area);
    if (mesh->n_triangles == 0)
        printf("closed      there are no triangles\n");
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
    if (result == TARN_OK) { // without buffers it has only counted
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
    if (path == NULL) return usage_error(command, "info takes one file");
    if (tarn_mesh_format(NULL, path, &format) != TARN_OK)
        return usage_error(command, "'%s' should end in .obj, .ply or .glb", path);
    if (o->file != NULL || o->at >= 0.0 || o->seconds >= 0.0 || o->fps > 0.0 || o->method >= 0 ||
        o->cell > 0.0 || o->up != 0 || o->solver != NULL || o->overrides.count > 0)
        return usage_error(command, "of the options only --frame is about info");
    if (o->frame > 0 && format != TARN_MESH_GLB)
        return usage_error(command, "--frame is about .glb files, which may have several meshes");
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
    if (arguments[1] != NULL)
        return usage_error(command, "'%s' is one argument too many for `tarn mesh`", arguments[1]);
    int code = check_options(command, &task);
    return code == EXIT_OK ? mesh_scene(&task, arguments[0]) : code;
}

const Command mesh_command = {
    .name = "mesh",
    .arguments = "SCENE [options] | info FILE",
    .summary = "Writes the surface of a liquid or water as a mesh, or as a film of meshes.",
    .details =
        "SCENE is a name from `tarn list` or the path of a JSON file, with a liquid in 3-D or "
        "with\n"
        "water. Meshes carry normals and velocities, those of water its depth too; .obj only\n"
        "normals. A .glb of several frames is a film that plays in Blender and other viewers.\n"
        "Meters, y up. More: docs/meshes/files.md\n"
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
