// Walls and islands (is_wall) as stone: the mask is blurred and its outline found by
// marching squares, so that a slanted wall is a slanted face and not a staircase. The top is flat,
// the sides are vertical with normals from the gradient of the blurred mask.

#include "geometry.h"
#include <stdlib.h>

static const float iso = 0.45f;

typedef struct Outline {
    MeshData* data;
    const float* f; // blurred mask, (nx + 2) * (nz + 2), one ring outside
    int nx, nz;     // of the mask
    const BasinShape* shape;
    float top;
} Outline;

static float at(const Outline* o, int i, int k) // -1 .. nx
{
    return o->f[(i + 1) + (o->nx + 2) * (k + 1)];
}

// Node position: cell centers, the outer ring stands on the basin's edge.
static TarnVec3 node(const Outline* o, float i, float k)
{
    const BasinShape* s = o->shape;
    float u = clampf((i + 0.5f) / (float)o->nx, 0.0f, 1.0f);
    float v = clampf((k + 0.5f) / (float)o->nz, 0.0f, 1.0f);
    return vec3(lerpf(s->x0, s->x1, u), o->top, lerpf(s->z0, s->z1, v));
}

static TarnVec3 outwards(const Outline* o, float i, float k)
{
    const int reach = 3;
    int i0 = (int)lroundf(i), k0 = (int)lroundf(k);
    float gx = 0.0f, gz = 0.0f; // from all nodes around, nearer ones count more
    for (int b = -reach; b <= reach; ++b)
        for (int a = -reach; a <= reach; ++a) {
            int ia = mini(maxi(i0 + a, -1), o->nx), kb = mini(maxi(k0 + b, -1), o->nz);
            float di = (float)(i0 + a) - i, dk = (float)(k0 + b) - k;
            float weight = expf(-0.45f * (di * di + dk * dk)) * at(o, ia, kb);
            gx -= weight * di;
            gz -= weight * dk;
        }
    return vec3(gx, 0.0f, gz);
}

typedef struct Corner {
    float i, k;
} Corner;

static Corner crossing(const Outline* o, int i0, int k0, int i1, int k1)
{
    float a = at(o, i0, k0), b = at(o, i1, k1);
    float t = fabsf(b - a) > 1e-6f ? clampf((iso - a) / (b - a), 0.0f, 1.0f) : 0.5f;
    return (Corner){ lerpf((float)i0, (float)i1, t), lerpf((float)k0, (float)k1, t) };
}

static void side_face(const Outline* o, Corner p, Corner q) // the wall is on the left of p -> q
{
    const float cuts[] = { o->shape->bottom, lerpf(o->shape->bottom, o->shape->rest, 0.5f),
                           o->shape->rest, o->top };
    TarnVec3 a = node(o, p.i, p.k), b = node(o, q.i, q.k);
    TarnVec3 face = vec3_cross(vec3(0, 1, 0), vec3_sub(b, a));
    TarnVec3 na = outwards(o, p.i, p.k), nb = outwards(o, q.i, q.k);
    if (vec3_dot(face, na) < 0.0f || vec3_dot(face, nb) < 0.0f) face = vec3_scale(face, -1.0f);
    na = vec3_dot(na, na) > 1e-8f ? vec3_unit(na) : vec3_unit(face);
    nb = vec3_dot(nb, nb) > 1e-8f ? vec3_unit(nb) : vec3_unit(face);
    bool is_turned = vec3_dot(vec3_cross(vec3_sub(b, a), vec3(0, 1, 0)), face) < 0.0f;
    int n = (int)(sizeof cuts / sizeof *cuts), low = 0;
    for (int c = 0; c < n; ++c) {
        a.y = b.y = cuts[c];
        int i = tarn__mesh_vertex(o->data, a, na), j = tarn__mesh_vertex(o->data, b, nb);
        if (c > 0 && cuts[c] > cuts[c - 1]) {
            if (is_turned) {
                int t = i;
                i = j, j = t;
                tarn__mesh_triangle(o->data, low + 1, low, j);
                tarn__mesh_triangle(o->data, low + 1, j, i);
            } else {
                tarn__mesh_triangle(o->data, low, low + 1, j);
                tarn__mesh_triangle(o->data, low, j, i);
            }
        }
        low = o->data->n_vertices - 2;
    }
}

static void top_polygon(const Outline* o, const Corner* c, int n)
{
    int first = o->data->n_vertices;
    for (int i = 0; i < n; ++i) tarn__mesh_vertex(o->data, node(o, c[i].i, c[i].k), vec3(0, 1, 0));
    for (int i = 1; i + 1 < n; ++i) tarn__mesh_triangle(o->data, first, first + i + 1, first + i);
}

// Walks around one square of four nodes and collects the part that is wall. The nodes go around
// as seen from above with x right and z down; a saddle is joined.
static void square(const Outline* o, int i, int k)
{
    const int di[4] = { 0, 1, 1, 0 }, dk[4] = { 0, 0, 1, 1 };
    Corner polygon[8], cross[4];
    int n = 0, n_cross = 0;
    for (int a = 0; a < 4; ++a) {
        int b = (a + 1) % 4;
        bool in_a = at(o, i + di[a], k + dk[a]) >= iso, in_b = at(o, i + di[b], k + dk[b]) >= iso;
        if (in_a) polygon[n++] = (Corner){ (float)(i + di[a]), (float)(k + dk[a]) };
        if (in_a == in_b) continue;
        polygon[n] = crossing(o, i + di[a], k + dk[a], i + di[b], k + dk[b]);
        cross[n_cross++] = polygon[n++];
    }
    if (n >= 3) top_polygon(o, polygon, n);
    for (int c = 0; c + 1 < n_cross; c += 2) side_face(o, cross[c], cross[c + 1]);
}

static size_t padded(int i, int k, int nx)
{
    return (size_t)(i + 1) + (size_t)(nx + 2) * (size_t)(k + 1);
}

// One binomial blur from one padded field to another, the edge repeated.
static void blur(const float* from, float* to, int nx, int nz)
{
    for (int k = -1; k <= nz; ++k)
        for (int i = -1; i <= nx; ++i) {
            float sum = 0.0f;
            for (int b = -1; b <= 1; ++b)
                for (int a = -1; a <= 1; ++a) {
                    int ia = mini(maxi(i + a, -1), nx), kb = mini(maxi(k + b, -1), nz);
                    sum += from[padded(ia, kb, nx)] * (float)((2 - abs(a)) * (2 - abs(b)));
                }
            to[padded(i, k, nx)] = sum / 16.0f;
        }
}

// Walls too thin for the blur would be lost: where none is left nearby, cells are put back.
static void keep_thin(const float* mask, const float* from, float* to, int nx, int nz)
{
    for (int k = -1; k <= nz; ++k)
        for (int i = -1; i <= nx; ++i) {
            float own = mask[mini(maxi(i, 0), nx - 1) + nx * mini(maxi(k, 0), nz - 1)], most = 0.0f;
            for (int b = -1; b <= 1 && own > 0.0f; ++b)
                for (int a = -1; a <= 1; ++a) {
                    int ia = mini(maxi(i + a, -1), nx), kb = mini(maxi(k + b, -1), nz);
                    most = fmaxf(most, from[padded(ia, kb, nx)]);
                }
            float f = from[padded(i, k, nx)];
            to[padded(i, k, nx)] = own > 0.0f && most < iso ? fmaxf(f, iso + 0.15f * own) : f;
        }
}

void tarn__build_walls(MeshData* data, const float* mask, int nx, int nz, const BasinShape* shape,
                       float top)
{
    size_t cells = (size_t)(nx + 2) * (size_t)(nz + 2);
    float* f = tarn__alloc(data->ctx, 2 * cells * sizeof(float));
    if (!f) {
        data->is_broken = true;
        return;
    }
    float* g = f + cells;
    for (int k = -1; k <= nz; ++k)
        for (int i = -1; i <= nx; ++i)
            f[padded(i, k, nx)] = mask[mini(maxi(i, 0), nx - 1) + nx * mini(maxi(k, 0), nz - 1)];
    for (int round = 0; round < 2; ++round) {
        blur(f, g, nx, nz);
        blur(g, f, nx, nz);
    }
    keep_thin(mask, f, g, nx, nz);
    Outline o = { data, g, nx, nz, shape, top };
    for (int k = -1; k < nz; ++k)
        for (int i = -1; i < nx; ++i) square(&o, i, k);
    tarn__free(data->ctx, f, 2 * cells * sizeof(float));
}
