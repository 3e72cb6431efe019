// The headless platform: a GL ES 3 context from EGL on Mesa's surfaceless platform. There is no
// window and no default framebuffer; the renderer draws into its own. A window or a browser
// needs another file with these three functions, nothing else changes.
//
// The display is never terminated: EGL shares one per process, and another renderer may use it.

#include "internal.h"
#include <epoxy/egl.h>

struct GlPlatform {
    EGLDisplay display;
    EGLContext context;
};

static TarnResult no_egl(TarnContext* ctx, const char* step)
{
    return tarn__fail(
        ctx, TARN_ERR_UNSUPPORTED,
        "renderer: %s failed (EGL error 0x%04x); it needs EGL with the platform "
        "EGL_PLATFORM_SURFACELESS_MESA and GL ES 3 (Debian: libegl1, libgl1-mesa-dri)",
        step, (unsigned)eglGetError());
}

TarnResult tarn__platform_create(TarnContext* ctx, GlPlatform** out)
{
    *out = NULL;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return no_egl(ctx, "finding EGL_MESA_platform_surfaceless");
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY) return no_egl(ctx, "eglGetPlatformDisplay");
    if (!eglInitialize(display, NULL, NULL)) return no_egl(ctx, "eglInitialize");
    if (!eglBindAPI(EGL_OPENGL_ES_API)) return no_egl(ctx, "eglBindAPI");

    const EGLint version[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0,
                               EGL_NONE };
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT) return no_egl(ctx, "eglCreateContext for GL ES 3");

    GlPlatform* platform = tarn__alloc(ctx, sizeof *platform);
    if (!platform) {
        eglDestroyContext(display, context);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for the GL platform");
    }
    platform->display = display;
    platform->context = context;
    *out = platform;
    return TARN_OK;
}

bool tarn__platform_bind(GlPlatform* platform)
{
    return eglMakeCurrent(platform->display, EGL_NO_SURFACE, EGL_NO_SURFACE, platform->context);
}

void tarn__platform_destroy(TarnContext* ctx, GlPlatform* platform)
{
    if (!platform) return;
    eglMakeCurrent(platform->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(platform->display, platform->context);
    tarn__free(ctx, platform, sizeof *platform);
}
