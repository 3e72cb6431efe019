// Lines on top of the finished picture, for debug views: projected here, drawn as thin quads, so that they have any
// width in every GL. Most renderers never need them.

#include "renderer.h"
#include <math.h>

// clang-format off
static const char glsl_line_vertex[] =
    "layout(location = 0) in vec2 a_place;\n"
    "layout(location = 1) in vec4 a_color;\n"
    "out vec4 v_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    v_color = a_color;\n"
    "    gl_Position = vec4(a_place, 0.0, 1.0);\n"
    "}\n";

static const char glsl_line_fragment[] =
    "in vec4 v_color;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    o_color = v_color;\n"
    "}\n";
// clang-format on

typedef struct LineVertex {
    float x, y; // -1 to 1
    uint32_t color;
} LineVertex;

enum { VERTICES = 6, LINES_AT_ONCE = 4096 };

static TarnResult make_parts(TarnRenderer* r)
{
    Lines* l = &r->lines;
    const char *vertex[] = { glsl_line_vertex, NULL }, *fragment[] = { glsl_line_fragment, NULL };
    if (l->program.gl) return TARN_OK;
    TARN_TRY(tarn__program_create(r->shelf, "lines", "", vertex, fragment, &l->program));
    glGenVertexArrays(1, &l->vao);
    glGenBuffers(1, &l->vbo);
    glBindVertexArray(l->vao);
    glBindBuffer(GL_ARRAY_BUFFER, l->vbo);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(LineVertex), (void*)0);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(LineVertex),
                          (void*)(2 * sizeof(float)));
    return TARN_OK;
}

void tarn__lines_destroy(TarnRenderer* r)
{
    glDeleteVertexArrays(1, &r->lines.vao);
    glDeleteBuffers(1, &r->lines.vbo);
    r->lines = (Lines){ 0 };
}

// ---- Projection ------------------------------------------------------------------------------------

typedef struct Eye {
    TarnVec3 at, right, up, forward;
    float tan_x, tan_y;
} Eye;

static Eye eye_of(const TarnRenderer* r, const TarnCamera* c)
{
    Eye e = { .at = c->eye };
    e.forward = vec3_unit(vec3_sub(c->target, c->eye));
    bool is_steep = fabsf(e.forward.y) > 0.9995f;
    e.right = vec3_unit(vec3_cross(e.forward, is_steep ? vec3(0, 0, -1) : vec3(0, 1, 0)));
    e.up = vec3_cross(e.right, e.forward);
    e.tan_y = tanf(0.5f * c->fov);
    e.tan_x = e.tan_y * (float)r->width / (float)r->height;
    return e;
}

static TarnVec3 seen(const Eye* e, TarnVec3 p) // right, up, forward
{
    TarnVec3 d = vec3_sub(p, e->at);
    return vec3(vec3_dot(d, e->right), vec3_dot(d, e->up), vec3_dot(d, e->forward));
}

static bool is_sane(TarnVec3 p)
{
    return fabsf(p.x) < 1e6f && fabsf(p.y) < 1e6f && fabsf(p.z) < 1e6f;
}

// The quad of a segment, cut off just before the eye. false: nothing of it is seen.
static bool project(const TarnRenderer* r, const Eye* e, TarnVec3 a, TarnVec3 b, float width,
                    uint32_t color, LineVertex out[VERTICES])
{
    const float near = 1e-3f;
    if (!is_sane(a) || !is_sane(b)) return false;
    a = seen(e, a), b = seen(e, b);
    if (a.z < near && b.z < near) return false;
    if (a.z < near) a = vec3_add(a, vec3_scale(vec3_sub(b, a), (near - a.z) / (b.z - a.z)));
    if (b.z < near) b = vec3_add(b, vec3_scale(vec3_sub(a, b), (near - b.z) / (a.z - b.z)));
    float ax = a.x / (a.z * e->tan_x), ay = a.y / (a.z * e->tan_y);
    float bx = b.x / (b.z * e->tan_x), by = b.y / (b.z * e->tan_y);
    bool is_outside =
        (ax < -1 && bx < -1) || (ax > 1 && bx > 1) || (ay < -1 && by < -1) || (ay > 1 && by > 1);
    float dx = (bx - ax) * (float)r->width, dy = (by - ay) * (float)r->height;
    float length = sqrtf(dx * dx + dy * dy);
    if (is_outside || !(length > 1e-6f)) return false;
    float nx = -dy / length * width / (float)r->width, ny = dx / length * width / (float)r->height;
    LineVertex q[4] = { { ax + nx, ay + ny, color },
                        { ax - nx, ay - ny, color },
                        { bx + nx, by + ny, color },
                        { bx - nx, by - ny, color } };
    out[0] = q[0], out[1] = q[1], out[2] = q[2];
    out[3] = q[2], out[4] = q[1], out[5] = q[3];
    return true;
}

// ---- Drawing ---------------------------------------------------------------------------------------

static void flush(const LineVertex* vertices, int n)
{
    if (n == 0) return;
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)n * sizeof *vertices), vertices,
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, n);
}

TarnResult tarn__lines_draw(TarnRenderer* r, const TarnFrame* frame)
{
    const TarnFrameLines* lines = &frame->lines;
    if (lines->n <= 0) return TARN_OK;
    TARN_TRY(make_parts(r));
    size_t bytes = LINES_AT_ONCE * VERTICES * sizeof(LineVertex);
    LineVertex* room = tarn__alloc(r->ctx, bytes);
    if (room == NULL) return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for lines");
    Eye eye = eye_of(r, &frame->camera);
    float width = (lines->width > 0.0f ? lines->width : 1.5f) * (float)r->height / 720.0f;
    if (width < 1.0f) width = 1.0f;
    tarn__target_bind(&r->output);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    tarn__use(r, &r->lines.program, NULL);
    glBindVertexArray(r->lines.vao);
    glBindBuffer(GL_ARRAY_BUFFER, r->lines.vbo);
    int n = 0;
    for (int i = 0; i < lines->n; ++i) {
        if (n == LINES_AT_ONCE * VERTICES) flush(room, n), n = 0;
        if (project(r, &eye, lines->points[2 * i], lines->points[2 * i + 1], width,
                    lines->colors[i], room + n))
            n += VERTICES;
    }
    flush(room, n);
    glBindVertexArray(0);
    glDisable(GL_BLEND);
    tarn__free(r->ctx, room, bytes);
    return TARN_OK;
}
