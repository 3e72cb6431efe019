// The headless platform: a GL context from EGL on Mesa's surfaceless platform, GL ES 3.0 or, with
// TARN_GL=desktop, GL 3.3 core. There is no window and no default framebuffer; the renderer draws into its
// own. Hosts with a window or a browser provide their own context (tarn_renderer_create_in_current_context).
//
// The display is never terminated: EGL shares one per process, and another renderer may use it.

#include "objects.h"

#if defined(__EMSCRIPTEN__)

TarnResult tarn__platform_create(TarnContext* ctx, GlPlatform** out)
{
    *out = NULL;
    return tarn__fail(
        ctx, TARN_ERR_UNSUPPORTED,
        "renderer: a browser gives contexts to pages only; make one with "
        "emscripten_webgl_create_context and call tarn_renderer_create_in_current_context");
}

bool tarn__platform_bind(GlPlatform* platform)
{
    (void)platform;
    return false;
}

void tarn__platform_destroy(TarnContext* ctx, GlPlatform* platform)
{
    (void)ctx, (void)platform;
}

#else

#include <epoxy/egl.h>
#include <stdlib.h>
#include <string.h>

struct GlPlatform {
    EGLDisplay display;
    EGLContext context;
    EGLenum api;
};

static TarnResult no_egl(TarnContext* ctx, const char* step)
{
    return tarn__fail(
        ctx, TARN_ERR_UNSUPPORTED,
        "renderer: %s failed (EGL error 0x%04x); it needs EGL with the platform "
        "EGL_PLATFORM_SURFACELESS_MESA and GL ES 3 (Debian: libegl1, libgl1-mesa-dri)",
        step, (unsigned)eglGetError());
}

static TarnResult wanted_api(TarnContext* ctx, EGLenum* api)
{
    const char* name = getenv("TARN_GL");
    bool is_es = !name || !*name || strcmp(name, "es") == 0;
    *api = is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API;
    if (is_es || strcmp(name, "desktop") == 0) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "renderer: the environment variable TARN_GL is '%.40s'; allowed: es, desktop",
                      name);
}

static EGLContext create_context(EGLDisplay display, EGLenum api)
{
    const EGLint es[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
    const EGLint desktop[] = { EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               3,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               EGL_NONE };
    return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                            api == EGL_OPENGL_API ? desktop : es);
}

TarnResult tarn__platform_create(TarnContext* ctx, GlPlatform** out)
{
    *out = NULL;
    EGLenum api;
    TARN_TRY(wanted_api(ctx, &api));
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        return no_egl(ctx, "finding EGL_MESA_platform_surfaceless");
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY) return no_egl(ctx, "eglGetPlatformDisplay");
    if (!eglInitialize(display, NULL, NULL)) return no_egl(ctx, "eglInitialize");
    if (!eglBindAPI(api)) return no_egl(ctx, "eglBindAPI");
    EGLContext context = create_context(display, api);
    if (context == EGL_NO_CONTEXT)
        return no_egl(ctx, api == EGL_OPENGL_API ? "eglCreateContext for GL 3.3 core"
                                                 : "eglCreateContext for GL ES 3");

    GlPlatform* platform = tarn__alloc(ctx, sizeof *platform);
    if (!platform) {
        eglDestroyContext(display, context);
        return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for the GL platform");
    }
    *platform = (GlPlatform){ display, context, api };
    *out = platform;
    return TARN_OK;
}

bool tarn__platform_bind(GlPlatform* platform)
{
    return eglBindAPI(platform->api) &&
           eglMakeCurrent(platform->display, EGL_NO_SURFACE, EGL_NO_SURFACE, platform->context);
}

void tarn__platform_destroy(TarnContext* ctx, GlPlatform* platform)
{
    if (!platform) return;
    eglMakeCurrent(platform->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(platform->display, platform->context);
    tarn__free(ctx, platform, sizeof *platform);
}

#endif
