// Sheets of a water: meshes in front of it, lit and colored as it is, that show what is behind them bent and tinted.
//
// Method   After the water, with its depth. The picture so far is copied, the sheets read one copy and are drawn over the
//          other. Along a line of sight only the nearest face is drawn, with the thickness that the mesh tells.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_land.h"
#include "shaders_sheet.h"

enum { VALUES = 9 }; // per vertex: place, normal, age, arc, thickness

static TarnResult prepare(TarnRenderer* r)
{
    Program* program = &r->land_parts.sheet_program;
    if (program->gl) return TARN_OK;
    const char* sheet_v[] = { glsl_frame, glsl_sheet_vertex, NULL };
    const char* sheet_f[] = { glsl_frame,  glsl_rays,           glsl_light,
                              glsl_shadow, glsl_land,           glsl_sheet_surface,
                              glsl_glint,  glsl_sheet_fragment, NULL };
    const char* shadow_v[] = { glsl_frame, glsl_sheet_shadow_vertex, NULL };
    const char* shadow_f[] = { glsl_land_shadow_fragment, NULL };
    TARN_TRY(tarn__program_create(r->shelf, "shadows of sheets", "#define LAND\n", shadow_v,
                                  shadow_f, &r->land_parts.sheet_shadow_program));
    return tarn__program_create(r->shelf, "sheets of water", "#define LAND\n", sheet_v, sheet_f,
                                program);
}

static void copy_vertex(const TarnMesh* m, int v, float* to)
{
    TarnVec3 p = m->position[v], n = m->normal ? m->normal[v] : vec3(0, 1, 0);
    if (!vec3_is_finite(p)) p = vec3(0, 0, 0); // no triangle has it
    if (!(vec3_length(n) > 0.1f && vec3_length(n) < 10.0f)) n = vec3(0, 1, 0);
    to[0] = p.x, to[1] = p.y, to[2] = p.z, to[3] = n.x, to[4] = n.y, to[5] = n.z;
    for (int i = 0; i < 3; ++i) {
        float value = m->attribute && i < m->n_attributes
                          ? m->attribute[(size_t)v * (size_t)m->n_attributes + (size_t)i]
                          : 0.0f;
        to[6 + i] = value > -1e6f && value < 1e6f ? value : 0.0f; // not for NaN
    }
}

// Its triangles as far as they are sound.
static TarnResult upload(TarnRenderer* r, const TarnMesh* m, Mesh* out)
{
    size_t vertex_bytes = (size_t)m->n_vertices * VALUES * sizeof(float);
    size_t index_bytes = 3 * (size_t)m->n_triangles * sizeof(uint32_t);
    float* vertices = tarn__alloc(r->ctx, vertex_bytes);
    uint32_t* indices = tarn__alloc(r->ctx, index_bytes);
    int n = 0;
    bool is_there = vertices && indices;
    for (int v = 0; is_there && v < m->n_vertices; ++v) copy_vertex(m, v, vertices + VALUES * v);
    for (int t = 0; is_there && t < m->n_triangles; ++t) {
        if (!tarn__is_good_triangle(m, t)) continue;
        for (int i = 0; i < 3; ++i) indices[n++] = m->index[3 * t + i];
    }
    if (is_there) {
        if (!out->vao) {
            glGenVertexArrays(1, &out->vao);
            glGenBuffers(1, &out->vbo);
            glGenBuffers(1, &out->ibo);
        }
        glBindVertexArray(out->vao);
        glBindBuffer(GL_ARRAY_BUFFER, out->vbo);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, out->ibo);
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)vertex_bytes, vertices, GL_STREAM_DRAW);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)n * sizeof(uint32_t)), indices,
                     GL_STREAM_DRAW);
        for (GLuint i = 0; i < 3; ++i) {
            glEnableVertexAttribArray(i);
            glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, VALUES * sizeof(float),
                                  (void*)(3 * (size_t)i * sizeof(float)));
        }
        out->n_indices = n;
    }
    tarn__free(r->ctx, vertices, vertex_bytes);
    tarn__free(r->ctx, indices, index_bytes);
    if (is_there) return TARN_OK;
    return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for sheets of %d vertices",
                      m->n_vertices);
}

bool tarn__has_sheets(const TarnFrameWater* w)
{
    return w->sheets != NULL && w->sheets->n_triangles > 0 && w->sheets->n_vertices > 0;
}

// The map of shadows is bound, with the constants of the water.
TarnResult tarn__shadow_sheets(TarnRenderer* r, const TarnFrameWater* w)
{
    TARN_TRY(prepare(r));
    TARN_TRY(upload(r, w->sheets, &r->land_parts.sheets));
    tarn__use(r, &r->land_parts.sheet_shadow_program, NULL);
    tarn__mesh_draw(&r->land_parts.sheets);
    return TARN_OK;
}

// The canvas holds the water with its depth.
TarnResult tarn__draw_sheets(TarnRenderer* r, const TarnFrameWater* w)
{
    TARN_TRY(prepare(r));
    TARN_TRY(upload(r, w->sheets, &r->land_parts.sheets));
    Canvas* c = &r->canvas;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, c->fbo[c->now][CANVAS_OVER]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, c->fbo[1 - c->now][CANVAS_OVER]);
    glBlitFramebuffer(0, 0, r->width, r->height, 0, 0, r->width, r->height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    tarn__bind_texture(r, SLOT_SCENE, c->color[1 - c->now]);
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, 0); // it is written
    tarn__bind_texture(r, SLOT_WATER_DEPTH, 0);
    tarn__canvas_bind(r, CANVAS_SOLID);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    tarn__use(r, &r->land_parts.sheet_program, NULL);
    tarn__mesh_draw(&r->land_parts.sheets);
    return TARN_OK;
}
