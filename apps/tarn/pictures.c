// The pictures of a run.

#define _POSIX_C_SOURCE 200809L // rmdir
#include "pictures.h"
#include "message.h"
#include "png.h"
#include "steps.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const TarnDrawer* const* own_drawers;
static int n_own_drawers;

void pictures_set_drawers(const TarnDrawer* const* drawers, int n)
{
    own_drawers = drawers;
    n_own_drawers = n;
}

bool pictures_wanted(const PicturesDef* def)
{
    return def->png_folder != NULL || def->sheet != NULL || def->video != NULL;
}

#if !defined(TARN_HAS_RENDER)

static bool fail_no_renderer(void)
{
    say("this tarn was built without its renderer and cannot draw; install libepoxy-dev and "
        "libegl-dev (scripts/setup.sh apps) and build again");
    return false;
}

bool pictures_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def)
{
    (void)ctx, (void)scene, (void)def;
    memset(pictures, 0, sizeof *pictures);
    return fail_no_renderer();
}

bool pictures_add(Pictures* pictures, int64_t step)
{
    (void)pictures, (void)step;
    return true;
}

bool pictures_commit(Pictures* pictures)
{
    (void)pictures;
    return true;
}

bool pictures_has_older(const Pictures* pictures)
{
    (void)pictures;
    return false;
}

void pictures_close(Pictures* pictures)
{
    (void)pictures;
}

bool picture_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def)
{
    (void)pictures, (void)ctx, (void)scene, (void)def;
    return fail_no_renderer();
}

bool picture_write(Pictures* pictures, OutputFile* file)
{
    (void)pictures, (void)file;
    return fail_no_renderer();
}

#else

// ---- Drawing -----------------------------------------------------------------------------------

// Everything that can fail because of the scene fails here, before anything is simulated.
static bool open_viewer(Pictures* p, TarnScene* scene)
{
    TarnViewerDef def = tarn_viewer_default_def();
    def.scene = scene;
    def.width = p->def.size.width, def.height = p->def.size.height;
    def.only = p->def.only;
    def.look = p->def.look;
    def.has_wires = p->def.has_wires;
    def.surface = p->def.surface;
    def.drawers = own_drawers, def.n_drawers = n_own_drawers;
    if (tarn_viewer_create(p->ctx, &def, &p->viewer) == TARN_OK &&
        tarn_viewer_update(p->viewer, NULL) == TARN_OK) {
        TarnViewerCamera anew = { .mode =
                                      TARN_CAMERA_SCENE }; // land is framed in the first picture
        return tarn_viewer_set_camera(p->viewer, &anew) == TARN_OK;
    }
    say("cannot draw: %s", tarn_last_error(p->ctx));
    return false;
}

static bool open_renderer(Pictures* p, TarnScene* scene)
{
    if (!open_viewer(p, scene)) return false;
    p->rgb = malloc((size_t)p->def.size.width * (size_t)p->def.size.height * 4);
    if (p->rgb == NULL) {
        say("not enough memory to draw");
        return false;
    }
    TarnResult result =
        tarn_renderer_create(p->ctx, p->def.size.width, p->def.size.height, &p->renderer);
    if (result != TARN_OK) say("cannot draw: %s", tarn_last_error(p->ctx));
    return result == TARN_OK;
}

static bool draw(Pictures* p)
{
    const TarnFrame* frame;
    TarnResult result = tarn_viewer_update(p->viewer, &frame);
    if (result == TARN_OK)
        result = p->channels == 4 ? tarn_renderer_draw_rgba(p->renderer, frame, p->rgb)
                                  : tarn_renderer_draw(p->renderer, frame, p->rgb);
    if (result == TARN_OK) return true;
    say("cannot draw: %s", tarn_last_error(p->ctx));
    return false;
}

bool picture_open(Pictures* p, TarnContext* ctx, TarnScene* scene, const PicturesDef* def)
{
    bool has_alpha = tarn_scene_view(scene).transparent;
    *p = (Pictures){ .def = *def, .ctx = ctx, .channels = has_alpha ? 4 : 3 };
    if (open_renderer(p, scene)) return true;
    pictures_close(p);
    return false;
}

bool picture_write(Pictures* p, OutputFile* file)
{
    return draw(p) && png_commit(file, p->def.size, p->channels, p->rgb);
}

// ---- The contact sheet -------------------------------------------------------------------------

static PixelSize sheet_cell(PixelSize size)
{
    return (PixelSize){ size.width / SHEET_SIDE, size.height / SHEET_SIDE };
}

// Mean of the block of pixels that becomes one: one color of it.
static uint8_t shrink(const Pictures* p, int x, int y, int color)
{
    int sum = SHEET_STILLS / 2;
    for (int b = 0; b < SHEET_STILLS; ++b) {
        size_t row = (size_t)(y * SHEET_SIDE + b / SHEET_SIDE);
        size_t column = (size_t)(x * SHEET_SIDE + b % SHEET_SIDE);
        sum += p->rgb[(row * (size_t)p->def.size.width + column) * 3 + (size_t)color];
    }
    return (uint8_t)(sum / SHEET_STILLS);
}

// Shrinks the picture and puts it into its place; a white line stays free between two stills.
static void put_still(Pictures* p, int index)
{
    PixelSize cell = sheet_cell(p->def.size);
    int column = index % SHEET_SIDE, row = index / SHEET_SIDE;
    int gap = 1 + cell.width / 300;
    int width = column + 1 < SHEET_SIDE ? cell.width - gap : cell.width;
    int height = row + 1 < SHEET_SIDE ? cell.height - gap : cell.height;
    for (int y = 0; y < height; ++y) {
        size_t at = (size_t)(row * cell.height + y) * (size_t)p->def.size.width;
        uint8_t* out = p->sheet_rgb + (at + (size_t)(column * cell.width)) * 3;
        for (int x = 0; x < width * 3; ++x) out[x] = shrink(p, x / 3, y, x % 3);
    }
}

// ---- When --------------------------------------------------------------------------------------

static int64_t step_of_still(const Pictures* p, int still)
{
    return llround((double)p->def.plan.n * still / (SHEET_STILLS - 1));
}

static bool is_png_frame(const Pictures* p)
{
    return p->def.png_folder != NULL && p->next_frame % p->def.every == 0;
}

static bool is_frame_due(const Pictures* p, int64_t step)
{
    const PicturesDef* d = &p->def;
    return p->next_frame < p->n_frames &&
           step_of_frame(p->next_frame, &d->plan, d->fps, d->lapse) <= step;
}

static bool is_still_due(const Pictures* p, int64_t step)
{
    return p->sheet_rgb != NULL && p->next_still < SHEET_STILLS &&
           step_of_still(p, p->next_still) <= step;
}

typedef struct PngPath {
    char text[PATH_MAX + 32];
} PngPath; // the folder's name is known to fit

static PngPath next_png(const Pictures* p)
{
    PngPath path;
    snprintf(path.text, sizeof path.text, "%s/frame_%04lld.png", p->def.png_folder,
             (long long)p->n_pngs);
    return path;
}

bool pictures_has_older(const Pictures* p)
{
    return p->def.png_folder != NULL && access(next_png(p).text, F_OK) == 0;
}

static bool add_png(Pictures* p)
{
    if (!png_write(next_png(p).text, p->def.size, 3, p->rgb)) return false;
    ++p->n_pngs;
    return true;
}

bool pictures_add(Pictures* p, int64_t step)
{
    bool is_drawn = false;
    for (; is_frame_due(p, step); ++p->next_frame) { // more than one if fps is above the steps'
        bool is_png = is_png_frame(p);
        if (!is_png && p->def.video == NULL) continue;
        if (!is_drawn && !draw(p)) return false;
        is_drawn = true;
        if (is_png && !add_png(p)) return false;
        if (p->def.video != NULL && !video_add(&p->video, p->rgb)) return false;
    }
    for (; is_still_due(p, step); ++p->next_still) {
        if (!is_drawn && !draw(p)) return false;
        is_drawn = true;
        put_still(p, p->next_still);
    }
    return true;
}

// ---- Opening and closing -----------------------------------------------------------------------

static bool open_files(Pictures* p)
{
    const PicturesDef* def = &p->def;
    if (def->png_folder != NULL && !output_folder(def->png_folder, &p->is_folder_new)) return false;
    if (def->sheet != NULL) {
        size_t bytes = (size_t)def->size.width * (size_t)def->size.height * 3;
        p->sheet_rgb = malloc(bytes);
        if (p->sheet_rgb == NULL) {
            say("not enough memory for a sheet of %dx%d", def->size.width, def->size.height);
            return false;
        }
        memset(p->sheet_rgb, 255, bytes);
        if (!output_open(&p->sheet, def->sheet)) return false;
    }
    return def->video == NULL || video_open(&p->video, def->video, def->size, def->fps);
}

bool pictures_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def)
{
    *pictures = (Pictures){ .def = *def, .ctx = ctx, .channels = 3 }; // films have no alpha
    bool has_frames = def->png_folder != NULL || def->video != NULL;
    pictures->n_frames = has_frames ? frames_in(&def->plan, def->fps, def->lapse) : 0;
    if (open_files(pictures) && open_renderer(pictures, scene)) return true;
    pictures_close(pictures);
    return false;
}

bool pictures_commit(Pictures* p)
{
    bool is_good = p->sheet_rgb == NULL || png_commit(&p->sheet, p->def.size, 3, p->sheet_rgb);
    is_good = is_good && (p->def.video == NULL || video_commit(&p->video));
    p->is_finished = is_good;
    return is_good;
}

void pictures_close(Pictures* p)
{
    output_discard(&p->sheet);
    video_discard(&p->video);
    if (p->is_folder_new && !p->is_finished) rmdir(p->def.png_folder); // only if it is empty
    tarn_renderer_destroy(p->renderer);
    tarn_viewer_destroy(p->viewer);
    free(p->rgb);
    free(p->sheet_rgb);
    *p = (Pictures){ 0 };
}

#endif
