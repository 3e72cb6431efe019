// Meshes: a growing list of vertices, the three body shapes, and the plan grid of the water.

#include "geometry.h"
#include <string.h>

// ---- A growing mesh ----------------------------------------------------------------------------

static void* grow(MeshData* data, void* old, int n, int* capacity, size_t size)
{
    int more = *capacity ? *capacity * 2 : 1024;
    void* memory = tarn__alloc(data->ctx, (size_t)more * size);
    if (!memory) {
        data->is_broken = true;
        return old;
    }
    if (old) {
        memcpy(memory, old, (size_t)n * size);
        tarn__free(data->ctx, old, (size_t)*capacity * size);
    }
    *capacity = more;
    return memory;
}

int tarn__mesh_vertex(MeshData* data, TarnVec3 core, TarnVec3 normal)
{
    if (data->n_vertices == data->capacity_v)
        data->vertices =
            grow(data, data->vertices, data->n_vertices, &data->capacity_v, sizeof(Vertex));
    if (data->is_broken) return 0;
    data->vertices[data->n_vertices] =
        (Vertex){ { core.x, core.y, core.z }, { normal.x, normal.y, normal.z } };
    return data->n_vertices++;
}

void tarn__mesh_triangle(MeshData* data, int a, int b, int c)
{
    if (data->n_indices + 3 > data->capacity_i)
        data->indices =
            grow(data, data->indices, data->n_indices, &data->capacity_i, sizeof(uint32_t));
    if (data->is_broken) return;
    uint32_t* to = data->indices + data->n_indices;
    to[0] = (uint32_t)a;
    to[1] = (uint32_t)b;
    to[2] = (uint32_t)c;
    data->n_indices += 3;
}

// Quads between rows of n_u + 1 vertices that start at `first`. Wound so that u x v is outside.
static void stitch(MeshData* data, int first, int n_u, int n_v)
{
    for (int v = 0; v < n_v; ++v)
        for (int u = 0; u < n_u; ++u) {
            int a = first + v * (n_u + 1) + u, b = a + n_u + 1;
            tarn__mesh_triangle(data, a, a + 1, b + 1);
            tarn__mesh_triangle(data, a, b + 1, b);
        }
}

void tarn__mesh_grid(MeshData* data, TarnVec3 corner, TarnVec3 u, TarnVec3 v, int nu, int nv,
                     TarnVec3 normal)
{
    int first = data->n_vertices;
    for (int j = 0; j <= nv; ++j)
        for (int i = 0; i <= nu; ++i) {
            TarnVec3 p = vec3_add(corner, vec3_scale(u, (float)i / (float)nu));
            tarn__mesh_vertex(data, vec3_add(p, vec3_scale(v, (float)j / (float)nv)), normal);
        }
    bool is_turned = vec3_dot(vec3_cross(u, v), normal) < 0.0f;
    int begin = data->n_indices;
    stitch(data, first, nu, nv);
    if (!is_turned || data->is_broken) return;
    for (int i = begin; i + 2 < data->n_indices; i += 3) {
        uint32_t t = data->indices[i];
        data->indices[i] = data->indices[i + 1];
        data->indices[i + 1] = t;
    }
}

void tarn__mesh_free(MeshData* data)
{
    tarn__free(data->ctx, data->vertices, (size_t)data->capacity_v * sizeof(Vertex));
    tarn__free(data->ctx, data->indices, (size_t)data->capacity_i * sizeof(uint32_t));
    *data = (MeshData){ .ctx = data->ctx };
}

TarnResult tarn__mesh_upload(const MeshData* data, Mesh* mesh)
{
    if (data->is_broken)
        return tarn__fail(data->ctx, TARN_ERR_MEMORY,
                          "renderer: no memory for a mesh of %d vertices", data->n_vertices);
    if (!mesh->vao) {
        glGenVertexArrays(1, &mesh->vao);
        glGenBuffers(1, &mesh->vbo);
        glGenBuffers(1, &mesh->ibo);
    }
    glBindVertexArray(mesh->vao);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vbo);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->ibo);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)data->n_vertices * sizeof(Vertex)),
                 data->vertices, GL_STATIC_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)data->n_indices * sizeof(uint32_t)),
                 data->indices, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), (void*)0);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), (void*)(3 * sizeof(float)));
    mesh->n_indices = data->n_indices;
    return TARN_OK;
}

void tarn__mesh_destroy(Mesh* mesh)
{
    if (mesh->vao) {
        glDeleteVertexArrays(1, &mesh->vao);
        glDeleteBuffers(1, &mesh->vbo);
        glDeleteBuffers(1, &mesh->ibo);
    }
    *mesh = (Mesh){ 0 };
}

void tarn__mesh_draw(const Mesh* mesh)
{
    if (!mesh->n_indices) return;
    glBindVertexArray(mesh->vao);
    glDrawElements(GL_TRIANGLES, mesh->n_indices, GL_UNSIGNED_INT, NULL);
}

// ---- Bodies ------------------------------------------------------------------------------------

enum { N_AROUND = 48, N_UP = 24, N_TUBE = 12 };
static const float pi = 3.14159265f;

static TarnVec3 on_sphere(int a, int b) // around y, from the lower to the upper pole
{
    float phi = 2.0f * pi * (float)a / N_AROUND, theta = pi * ((float)b / N_UP - 0.5f);
    return vec3(cosf(theta) * sinf(phi), sinf(theta), cosf(theta) * cosf(phi));
}

void tarn__build_sphere(MeshData* data)
{
    for (int b = 0; b <= N_UP; ++b)
        for (int a = 0; a <= N_AROUND; ++a) tarn__mesh_vertex(data, vec3(0, 0, 0), on_sphere(a, b));
    stitch(data, 0, N_AROUND, N_UP);
}

// The sphere cut at its equator, with a tube between the halves.
void tarn__build_capsule(MeshData* data)
{
    for (int b = 0; b <= N_UP + N_TUBE; ++b) {
        int below = N_UP / 2;
        float y = clampf((float)(b - below) / N_TUBE, 0.0f, 1.0f) * 2.0f - 1.0f;
        int ring = b < below ? b : b <= below + N_TUBE ? below : b - N_TUBE;
        for (int a = 0; a <= N_AROUND; ++a)
            tarn__mesh_vertex(data, vec3(0, y, 0), on_sphere(a, ring));
    }
    stitch(data, 0, N_AROUND, N_UP + N_TUBE);
}

// Six faces; each covers its flat part and half of the round edges around it.
void tarn__build_box(MeshData* data)
{
    enum { N_FLAT = 8, N_ROUND = 2, N = N_FLAT + 2 * N_ROUND };
    static const float tilt[N_ROUND + 1] = { 1.0f, 0.41421f, 0.0f }; // tangents of 45, 22.5, 0 deg
    float core[N + 1], slope[N + 1];
    for (int i = 0; i <= N; ++i) {
        int outside = i < N_ROUND ? N_ROUND - i : i > N - N_ROUND ? i - (N - N_ROUND) : 0;
        core[i] = clampf((float)(i - N_ROUND) / N_FLAT, 0.0f, 1.0f) * 2.0f - 1.0f;
        slope[i] = (i < N / 2 ? -1.0f : 1.0f) * tilt[N_ROUND - outside];
    }
    for (int axis = 0; axis < 3; ++axis)
        for (int side = -1; side <= 1; side += 2) {
            int first = data->n_vertices;
            for (int j = 0; j <= N; ++j)
                for (int i = 0; i <= N; ++i) {
                    float c[3], n[3];
                    int u = (axis + 1) % 3, v = (axis + 2) % 3;
                    c[axis] = (float)side, n[axis] = (float)side;
                    c[u] = core[i] * (float)side,
                    n[u] = slope[i] * (float)side; // keeps the winding
                    c[v] = core[j], n[v] = slope[j];
                    tarn__mesh_vertex(data, vec3(c[0], c[1], c[2]),
                                      vec3_unit(vec3(n[0], n[1], n[2])));
                }
            stitch(data, first, N, N);
        }
}

// ---- Plan grid ---------------------------------------------------------------------------------

enum { N_OUTSIDE = 14 };

// Coordinates along one axis: n steps over 0..1, and rows growing outwards where it is open.
static int axis_lines(float* lines, int n, bool open_lo, bool open_hi, float reach)
{
    int count = 0;
    float step = 1.0f / (float)n;
    for (int i = N_OUTSIDE; open_lo && i > 0; --i)
        lines[count++] = -step * i - (reach - step * N_OUTSIDE) * powf((float)i / N_OUTSIDE, 4.0f);
    for (int i = 0; i <= n; ++i) lines[count++] = (float)i / (float)n;
    for (int i = 1; open_hi && i <= N_OUTSIDE; ++i)
        lines[count++] =
            1.0f + step * i + (reach - step * N_OUTSIDE) * powf((float)i / N_OUTSIDE, 4.0f);
    return count;
}

static bool is_water_there(const bool is_open[4], float u, float v)
{
    bool is_outside = u < 0.0f || u > 1.0f || v < 0.0f || v > 1.0f;
    return !is_outside || (u < 0.0f && is_open[0]) || (u > 1.0f && is_open[1]) ||
           (v < 0.0f && is_open[2]) || (v > 1.0f && is_open[3]);
}

void tarn__build_plan(MeshData* data, int n_x, int n_z, const bool is_open[4], float reach)
{
    enum { MAX_LINES = 512 + 2 * N_OUTSIDE + 1 };
    float x[MAX_LINES], z[MAX_LINES];
    bool is_any_open = is_open[0] || is_open[1] || is_open[2] || is_open[3];
    n_x = mini(n_x, 512), n_z = mini(n_z, 512);
    int nx = axis_lines(x, n_x, is_any_open, is_any_open, reach);
    int nz = axis_lines(z, n_z, is_any_open, is_any_open, reach);
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i) tarn__mesh_vertex(data, vec3(x[i], 0.0f, z[k]), vec3(0, 1, 0));
    for (int k = 0; k + 1 < nz; ++k)
        for (int i = 0; i + 1 < nx; ++i) {
            if (!is_water_there(is_open, 0.5f * (x[i] + x[i + 1]), 0.5f * (z[k] + z[k + 1])))
                continue;
            int a = k * nx + i, b = a + nx;
            tarn__mesh_triangle(data, a, b, b + 1);
            tarn__mesh_triangle(data, a, b + 1, a + 1);
        }
}

void tarn__build_cut(MeshData* data, int n_x, int n_z)
{
    static const TarnVec3 out[4] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, 0, -1 }, { 0, 0, 1 } };
    for (int side = 0; side < 4; ++side) {
        bool is_x = side < 2;
        int n = is_x ? n_z : n_x, first = data->n_vertices;
        float at = side & 1 ? 1.0f : 0.0f;
        for (int row = 0; row < 2; ++row)
            for (int i = 0; i <= n; ++i) {
                float t = (float)i / (float)n;
                tarn__mesh_vertex(data, vec3(is_x ? at : t, (float)row, is_x ? t : at), out[side]);
            }
        stitch(data, first, n, 1);
    }
}
