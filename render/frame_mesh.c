// Meshes of the host: checked, cleaned and brought to the GPU, as matte things or as the surface of a liquid.

#include "renderer.h"
#include <string.h>

enum { MAX_MESH = 1 << 25 }; // vertices or triangles

TarnResult tarn__check_mesh(TarnContext* ctx, const char* name, const TarnMesh* m)
{
    if (!m) return tarn__fail(ctx, TARN_ERR_ARG, "frame.%s is NULL; it needs a mesh", name);
    if (m->n_vertices < 0 || m->n_triangles < 0 || m->n_vertices > MAX_MESH ||
        m->n_triangles > MAX_MESH)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.%s has %d vertices and %d triangles; allowed: 0 to %d of both",
                          name, m->n_vertices, m->n_triangles, MAX_MESH);
    if (m->n_triangles > 0 && (!m->position || !m->index))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.%s: position or index is NULL with %d triangles", name,
                          m->n_triangles);
    return TARN_OK;
}

TarnResult tarn__check_meshes(TarnContext* ctx, const TarnFrame* f)
{
    if (f->n_meshes < 0 || (f->n_meshes > 0 && !f->meshes))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.n_meshes is %d with meshes %s", f->n_meshes,
                          f->meshes ? "set" : "NULL");
    for (int i = 0; i < f->n_meshes; ++i) {
        TARN_TRY(tarn__check_mesh(ctx, "meshes[].mesh", f->meshes[i].mesh));
        if (!vec3_is_finite(f->meshes[i].color))
            return tarn__fail(ctx, TARN_ERR_ARG, "frame.meshes[%d].color is not finite", i);
    }
    return TARN_OK;
}

// ---- Cleaning ------------------------------------------------------------------------------------

static bool is_place(TarnVec3 p)
{
    const float limit = 1e6f;
    return fabsf(p.x) < limit && fabsf(p.y) < limit && fabsf(p.z) < limit; // false for NaN
}

static bool is_good(const TarnMesh* m, const uint32_t corner[3])
{
    for (int c = 0; c < 3; ++c)
        if (corner[c] >= (uint32_t)m->n_vertices || !is_place(m->position[corner[c]])) return false;
    return true;
}

bool tarn__is_good_triangle(const TarnMesh* m, int triangle)
{
    return is_good(m, m->index + 3 * (size_t)triangle);
}

static void copy_triangles(const TarnMesh* m, MeshData* to)
{
    for (int t = 0; t < m->n_triangles; ++t) {
        const uint32_t* corner = m->index + 3 * (size_t)t;
        if (!is_good(m, corner)) continue;
        memcpy(to->indices + to->n_indices, corner, 3 * sizeof *corner);
        to->n_indices += 3;
    }
}

// Each of the three edges as a line.
static void copy_edges(const TarnMesh* m, MeshData* to)
{
    for (int t = 0; t < m->n_triangles; ++t) {
        const uint32_t* corner = m->index + 3 * (size_t)t;
        if (!is_good(m, corner)) continue;
        for (int e = 0; e < 3; ++e) {
            to->indices[to->n_indices++] = corner[e];
            to->indices[to->n_indices++] = corner[(e + 1) % 3];
        }
    }
}

// Means of the triangles around each vertex, by their area.
static void guess_normals(MeshData* to)
{
    Vertex* v = to->vertices;
    for (int i = 0; i + 2 < to->n_indices; i += 3) {
        const uint32_t* c = to->indices + i;
        TarnVec3 p[3], sum;
        for (int k = 0; k < 3; ++k) p[k] = vec3(v[c[k]].core[0], v[c[k]].core[1], v[c[k]].core[2]);
        sum = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
        for (int k = 0; k < 3; ++k) {
            float* n = v[c[k]].normal;
            n[0] += sum.x, n[1] += sum.y, n[2] += sum.z;
        }
    }
    for (int i = 0; i < to->n_vertices; ++i) {
        TarnVec3 n = vec3_unit(vec3(v[i].normal[0], v[i].normal[1], v[i].normal[2]));
        v[i].normal[0] = n.x, v[i].normal[1] = n.y, v[i].normal[2] = n.z;
    }
}

static void copy_vertices(const TarnMesh* m, MeshData* to)
{
    for (int i = 0; i < m->n_vertices; ++i) {
        TarnVec3 p = is_place(m->position[i]) ? m->position[i] : vec3(0, 0, 0);
        TarnVec3 n = m->normal ? m->normal[i] : vec3(0, 0, 0);
        if (m->normal && !(vec3_length(n) > 0.1f && vec3_length(n) < 10.0f)) n = vec3(0, 1, 0);
        to->vertices[i] = (Vertex){ { p.x, p.y, p.z }, { n.x, n.y, n.z } };
    }
    to->n_vertices = m->n_vertices;
}

TarnResult tarn__upload_mesh(TarnRenderer* r, const TarnMesh* m, bool is_wires, Mesh* out)
{
    int lines = is_wires ? 2 : 1;
    MeshData data = { .ctx = r->ctx,
                      .capacity_v = maxi(m->n_vertices, 1),
                      .capacity_i = maxi(3 * lines * m->n_triangles, 1) };
    data.vertices = tarn__alloc(r->ctx, (size_t)data.capacity_v * sizeof(Vertex));
    data.indices = tarn__alloc(r->ctx, (size_t)data.capacity_i * sizeof(uint32_t));
    data.is_broken = !data.vertices || !data.indices;
    if (!data.is_broken && m->n_triangles > 0) {
        copy_vertices(m, &data);
        if (is_wires)
            copy_edges(m, &data);
        else
            copy_triangles(m, &data);
        if (!m->normal && !is_wires) guess_normals(&data);
    }
    TarnResult result = tarn__mesh_upload(&data, out);
    tarn__mesh_free(&data);
    return result;
}

// ---- Matte meshes --------------------------------------------------------------------------------

static TarnVec3 middle_of(const TarnMesh* m)
{
    TarnVec3 lo = vec3(1e6f, 1e6f, 1e6f), hi = vec3(-1e6f, -1e6f, -1e6f);
    for (int v = 0; v < m->n_vertices && m->position; ++v) {
        TarnVec3 p = m->position[v];
        if (!is_place(p)) continue;
        lo = vec3(fminf(lo.x, p.x), fminf(lo.y, p.y), fminf(lo.z, p.z));
        hi = vec3(fmaxf(hi.x, p.x), fmaxf(hi.y, p.y), fmaxf(hi.z, p.z));
    }
    return vec3_scale(vec3_add(lo, hi), 0.5f);
}

// As solids among the bodies: they throw shadows and are lit like them.
TarnResult tarn__add_meshes(TarnRenderer* r, const TarnFrame* frame, int n_meshes)
{
    for (int i = 0; i < frame->n_meshes; ++i) {
        const TarnFrameMesh* m = &frame->meshes[i];
        Mesh* to = &r->body_meshes[n_meshes++];
        TARN_TRY(tarn__upload_mesh(r, m->mesh, false, to));
        r->n_body_meshes = maxi(r->n_body_meshes, n_meshes);
        BodyDraw d = { .mesh = to,
                       .model = mat4_identity(),
                       .core_size = { 1, 1, 1, 0 },
                       .color = { m->color.x, m->color.y, m->color.z,
                                  m->mesh->normal ? 0.0f : 1.0f },
                       .param = { tarn__shader_shape(TARN_SHAPE_MESH), 1.0f, 1.0f, 1.0f },
                       .low = 1e6f,
                       .high = -1e6f };
        for (int v = 0; v < m->mesh->n_vertices && m->mesh->position; ++v) {
            if (!is_place(m->mesh->position[v])) continue;
            d.low = fminf(d.low, m->mesh->position[v].y);
            d.high = fmaxf(d.high, m->mesh->position[v].y);
        }
        d.middle = middle_of(m->mesh);
        r->body_draws[r->n_body_draws++] = d;
    }
    return TARN_OK;
}

TarnResult tarn__draw_wires(TarnRenderer* r, const TarnFrame* frame)
{
    Liquid* l = &r->liquid;
    for (int i = 0; i < frame->n_meshes; ++i) {
        const TarnFrameMesh* m = &frame->meshes[i];
        if (!m->has_wires) continue;
        TARN_TRY(tarn__upload_mesh(r, m->mesh, true, &l->wires));
        if (!l->wires.n_indices) continue;
        // Each edge is drawn by both of its triangles: half of it at a time.
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        tarn__use(r, &l->wire, NULL);
        glUniform4f(l->wire.gl->color, 0.1f * m->color.x, 0.1f * m->color.y, 0.1f * m->color.z,
                    0.4f);
        glBindVertexArray(l->wires.vao);
        glDrawElements(GL_LINES, l->wires.n_indices, GL_UNSIGNED_INT, NULL);
        glDisable(GL_BLEND);
    }
    return TARN_OK;
}
