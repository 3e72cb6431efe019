// What the renderer needs from a GL context, whoever created it: GL ES 3.0 (headless, phones), WebGL 2, which calls itself
// ES 3.0, or desktop GL 3.3 core. The differences are few and all here: extensions that desktop GL has built
// in, the first lines of a shader, and state that only one of them has.

#include "objects.h"
#include <string.h>

bool tarn__gl_is_es(void)
{
    const char* version = (const char*)glGetString(GL_VERSION);
    return version && strncmp(version, "OpenGL ES", 9) == 0;
}

const char* tarn__gl_prelude(void)
{
    return tarn__gl_is_es() ? "#version 300 es\n"
                              "precision highp float;\n"
                              "precision highp int;\n"
                              "precision highp sampler2D;\n"
                              "precision highp sampler2DShadow;\n"
                              "precision highp sampler3D;\n"
                            : "#version 330 core\n";
}

static bool has_extension(const char* name)
{
    GLint n = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &n);
    for (GLint i = 0; i < n; ++i) {
        const char* one = (const char*)glGetStringi(GL_EXTENSIONS, (GLuint)i);
        if (one && strcmp(one, name) == 0) return true;
    }
    return false;
}

TarnResult tarn__gl_check(TarnContext* ctx)
{
    if (!glGetString(GL_VERSION))
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "renderer: no GL context is current on this thread; make one current "
                          "before tarn_renderer_create_in_current_context");
    bool is_es = tarn__gl_is_es();
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    int version = 10 * major + minor, least = is_es ? 30 : 33;
    if (version < least)
        return tarn__fail(
            ctx, TARN_ERR_UNSUPPORTED,
            "renderer: this context has %s %d.%d; it needs GL ES 3.0, WebGL 2 or GL 3.3",
            is_es ? "GL ES" : "GL", major, minor);
    // Desktop GL has both built in.
    static const char* const needed[] = { "GL_EXT_color_buffer_float",
                                          "GL_OES_texture_float_linear" };
    for (int i = 0; is_es && i < 2; ++i)
        if (!has_extension(needed[i]))
            return tarn__fail(
                ctx, TARN_ERR_UNSUPPORTED,
                "renderer: this driver's GL ES %d.%d is without %s, which pictures in "
                "linear light need",
                major, minor, needed[i]);
    return TARN_OK;
}

static void reset_pixels(void)
{
    static const GLenum zero[] = { GL_UNPACK_ROW_LENGTH,  GL_UNPACK_SKIP_ROWS,
                                   GL_UNPACK_SKIP_PIXELS, GL_UNPACK_IMAGE_HEIGHT,
                                   GL_UNPACK_SKIP_IMAGES, GL_PACK_ROW_LENGTH,
                                   GL_PACK_SKIP_ROWS,     GL_PACK_SKIP_PIXELS };
    for (int i = 0; i < (int)(sizeof zero / sizeof *zero); ++i) glPixelStorei(zero[i], 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

#if !defined(__EMSCRIPTEN__)
static void reset_desktop(void) // what ES does not have
{
    static const GLenum off[] = { GL_FRAMEBUFFER_SRGB, // our shaders encode
                                  GL_PRIMITIVE_RESTART, GL_COLOR_LOGIC_OP, GL_DEPTH_CLAMP,
                                  GL_LINE_SMOOTH,       GL_POLYGON_SMOOTH, GL_SAMPLE_MASK };
    for (int i = 0; i < (int)(sizeof off / sizeof *off); ++i) glDisable(off[i]);
    for (GLenum i = 0; i < 8; ++i) glDisable(GL_CLIP_DISTANCE0 + i);
    glEnable(GL_PROGRAM_POINT_SIZE); // what ES always does
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glPixelStorei(GL_UNPACK_SWAP_BYTES, 0);
    glPixelStorei(GL_PACK_SWAP_BYTES, 0);
}
#endif

void tarn__gl_reset(void)
{
    static const GLenum off[] = { GL_BLEND,
                                  GL_CULL_FACE,
                                  GL_DEPTH_TEST,
                                  GL_STENCIL_TEST,
                                  GL_SCISSOR_TEST,
                                  GL_POLYGON_OFFSET_FILL,
                                  GL_SAMPLE_ALPHA_TO_COVERAGE,
                                  GL_SAMPLE_COVERAGE,
                                  GL_RASTERIZER_DISCARD };
    for (int i = 0; i < (int)(sizeof off / sizeof *off); ++i) glDisable(off[i]);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDepthRangef(0.0f, 1.0f);
    glClearDepthf(1.0f);
    glClearColor(0, 0, 0, 0);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ZERO);
    glCullFace(GL_BACK);
    glFrontFace(GL_CCW);
    glLineWidth(1.0f);
    reset_pixels();
    for (GLuint unit = 0; unit < MAX_UNITS; ++unit) glBindSampler(unit, 0);
    glActiveTexture(GL_TEXTURE0);
    glUseProgram(0);
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBuffer(GL_UNIFORM_BUFFER, 0);
    glBindRenderbuffer(GL_RENDERBUFFER, 0);
#if !defined(__EMSCRIPTEN__)
    if (!tarn__gl_is_es()) reset_desktop();
#endif
}
