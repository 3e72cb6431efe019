// Pictures and videos of the canvas, through the same code as the command line's.

#include "view.h"
#include "message.h"
#include "png.h"
#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

static void read_canvas(unsigned framebuffer, int width, int height, unsigned char* rgba,
                        unsigned char* rgb)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            memcpy(rgb + 3 * ((size_t)y * (size_t)width + (size_t)x),
                   rgba + 4 * ((size_t)(height - 1 - y) * (size_t)width + (size_t)x), 3);
}

bool view_write_picture(View* v, const char* path, bool whole_window)
{
    int w = whole_window ? v->ui.width : v->width, h = whole_window ? v->ui.height : v->height;
    unsigned char* pixels = malloc((size_t)w * (size_t)h * 7);
    bool is_good = pixels != NULL;
    if (is_good) {
        unsigned char* rgb = pixels + (size_t)w * (size_t)h * 4;
        read_canvas(whole_window ? 0 : v->framebuffer, w, h, pixels, rgb);
        is_good = png_write(path, (PixelSize){ w, h }, 3, rgb);
    }
    free(pixels);
    view_message(v, is_good ? "Wrote %s" : "Could not write %s", path);
    return is_good;
}

bool recorder_start(View* v, const char* path)
{
    Recorder* r = &v->recorder;
    PixelSize size = { v->width & ~1, v->height & ~1 }; // the codec wants even sides
    size_t n = (size_t)v->width * (size_t)v->height;
    if (r->is_on) return false;
    r->rgba = malloc(n * 7);
    if (r->rgba == NULL || !video_open(&r->video, path, size, 30.0)) {
        free(r->rgba);
        r->rgba = NULL;
        view_message(v, "The video cannot be recorded; the terminal says why");
        return false;
    }
    r->rgb = r->rgba + n * 4;
    r->size = size;
    r->is_on = true;
    snprintf(r->path, sizeof r->path, "%s", path);
    return true;
}

// The canvas may be a column or a row larger than the video. If the window is resized, the video ends.
void recorder_add(View* v)
{
    Recorder* r = &v->recorder;
    if (!r->is_on) return;
    if ((v->width & ~1) != r->size.width || (v->height & ~1) != r->size.height) {
        recorder_end(v);
        return;
    }
    read_canvas(v->framebuffer, v->width, v->height, r->rgba, r->rgb);
    for (int y = 0; y < r->size.height; ++y)
        memmove(r->rgb + 3 * (size_t)y * (size_t)r->size.width,
                r->rgb + 3 * (size_t)y * (size_t)v->width, 3 * (size_t)r->size.width);
    if (!video_add(&r->video, r->rgb)) recorder_end(v);
}

void recorder_end(View* v)
{
    Recorder* r = &v->recorder;
    if (!r->is_on) return;
    bool is_good = video_commit(&r->video);
    if (!is_good) video_discard(&r->video);
    free(r->rgba);
    *r = (Recorder){ .path = "" };
    view_message(v, is_good ? "The video is written"
                            : "The video could not be written; the terminal says why");
}
