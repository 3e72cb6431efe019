// The basin: floor and inner walls, the rim around it, the ground outside, and quay faces where
// the water goes on on one side and the ground on the other.
//
// Everything that can be seen through the water is cut finely, because the under pass bends it
// vertex by vertex; vertical faces are also cut at the water level, where the bend begins.

#include "geometry.h"

enum { N_LONG = 64, N_BELOW = 10, N_ABOVE = 2 };

// A vertical face from a to b (y ignored), seen from `normal`, between two heights.
static void vertical_face(MeshData* data, const BasinShape* s, TarnVec3 a, TarnVec3 b,
                          TarnVec3 normal, float low, float high)
{
    TarnVec3 along = vec3_sub(b, a);
    along.y = 0.0f;
    float level = clampf(s->rest, low, high);
    if (level > low)
        tarn__mesh_grid(data, vec3(a.x, low, a.z), along, vec3(0, level - low, 0), N_LONG, N_BELOW,
                        normal);
    if (high > level)
        tarn__mesh_grid(data, vec3(a.x, level, a.z), along, vec3(0, high - level, 0), N_LONG,
                        N_ABOVE, normal);
}

void tarn__build_pool(MeshData* data, const BasinShape* s)
{
    TarnVec3 corner = vec3(s->x0, s->bottom, s->z0);
    TarnVec3 x = vec3(s->x1 - s->x0, 0, 0), z = vec3(0, 0, s->z1 - s->z0);
    if (!s->has_terrain) tarn__mesh_grid(data, corner, x, z, N_LONG, N_LONG, vec3(0, 1, 0));
    if (s->is_natural) return;
    TarnVec3 far_x = vec3_add(corner, x), far_z = vec3_add(corner, z);
    TarnVec3 opposite = vec3_add(far_x, z);
    float top = s->rim_top - 0.3f * (s->rim_top - s->rest); // the rim stands on it
    if (!s->is_open[0]) vertical_face(data, s, corner, far_z, vec3(1, 0, 0), s->bottom, top);
    if (!s->is_open[1]) vertical_face(data, s, far_x, opposite, vec3(-1, 0, 0), s->bottom, top);
    if (!s->is_open[2]) vertical_face(data, s, corner, far_x, vec3(0, 0, 1), s->bottom, top);
    if (!s->is_open[3]) vertical_face(data, s, far_z, opposite, vec3(0, 0, -1), s->bottom, top);
}

// ---- Rim ---------------------------------------------------------------------------------------

typedef struct Profile {
    float out, y;
} Profile; // outwards from the basin's edge [m], height [m]

// The point of a profile at one end of a side. Ends are mitred with a closed neighbor.
static TarnVec3 rim_point(const BasinShape* s, int side, int end, Profile p)
{
    int neighbor = (side < 2 ? 2 : 0) + end;
    float mitre = s->is_open[neighbor] ? 0.0f : p.out;
    float x = side == 0 ? s->x0 - p.out : s->x1 + p.out;
    float z = side == 2 ? s->z0 - p.out : s->z1 + p.out;
    if (side < 2)
        z = end ? s->z1 + mitre : s->z0 - mitre;
    else
        x = end ? s->x1 + mitre : s->x0 - mitre;
    return vec3(x, p.y, z);
}

static TarnVec3 side_outwards(int side)
{
    return side == 0   ? vec3(-1, 0, 0)
           : side == 1 ? vec3(1, 0, 0)
           : side == 2 ? vec3(0, 0, -1)
                       : vec3(0, 0, 1);
}

static void rim_strip(MeshData* data, const BasinShape* s, int side, Profile a, Profile b)
{
    TarnVec3 out = side_outwards(side);
    float run = b.out - a.out, rise = b.y - a.y;
    TarnVec3 normal = vec3_unit(vec3_add(vec3_scale(out, -rise), vec3(0, run, 0)));
    TarnVec3 p[4] = { rim_point(s, side, 0, a), rim_point(s, side, 1, a), rim_point(s, side, 0, b),
                      rim_point(s, side, 1, b) };
    int first = data->n_vertices;
    for (int row = 0; row < 2; ++row)
        for (int i = 0; i <= N_LONG; ++i) {
            float t = (float)i / N_LONG;
            TarnVec3 q = vec3_add(vec3_scale(p[2 * row], 1.0f - t), vec3_scale(p[2 * row + 1], t));
            tarn__mesh_vertex(data, q, normal);
        }
    TarnVec3 along = vec3_sub(p[1], p[0]), up = vec3_sub(p[2], p[0]);
    bool is_turned = vec3_dot(vec3_cross(along, up), normal) < 0.0f;
    for (int i = 0; i < N_LONG; ++i) {
        int c = first + i, d = c + N_LONG + 1;
        tarn__mesh_triangle(data, c, is_turned ? d + 1 : c + 1, is_turned ? c + 1 : d + 1);
        tarn__mesh_triangle(data, c, is_turned ? d : d + 1, is_turned ? d + 1 : d);
    }
}

void tarn__build_coping(MeshData* data, const BasinShape* s)
{
    if (s->is_natural) return;
    float height = s->rim_top - s->rest;
    float bevel = 0.12f * height, y = s->rim_top;
    Profile profile[] = {
        { 0.0f, y - 0.3f * height },
        { -0.8f * bevel, y - 0.3f * height }, // the nose stands out a little over the wall
        { -0.8f * bevel, y - bevel },
        { -0.5f * bevel, y - 0.3f * bevel },
        { 0.2f * bevel, y },
        { s->coping - 0.4f * bevel, y },
        { s->coping, y - 0.4f * bevel },
        { s->coping, s->deck },
    };
    int n = (int)(sizeof profile / sizeof *profile);
    for (int side = 0; side < 4; ++side)
        for (int i = 0; i + 1 < n && !s->is_open[side]; ++i)
            rim_strip(data, s, side, profile[i], profile[i + 1]);
}

// ---- Ground ------------------------------------------------------------------------------------

static void ground(MeshData* data, const BasinShape* s, float x0, float z0, float x1, float z1)
{
    tarn__mesh_grid(data, vec3(x0, s->deck, z0), vec3(x1 - x0, 0, 0), vec3(0, 0, z1 - z0), 8, 8,
                    vec3(0, 1, 0));
}

void tarn__build_deck(MeshData* data, const BasinShape* s)
{
    if (s->is_natural) return;
    bool closed[4];
    for (int i = 0; i < 4; ++i) closed[i] = !s->is_open[i];
    float c = s->coping;
    float x0 = closed[0] ? s->x0 - c : s->x0, x1 = closed[1] ? s->x1 + c : s->x1;
    float z0 = closed[2] ? s->z0 - c : s->z0, z1 = closed[3] ? s->z1 + c : s->z1;
    float fx0 = s->x0 - s->far, fx1 = s->x1 + s->far, fz0 = s->z0 - s->far, fz1 = s->z1 + s->far;
    if (closed[0]) ground(data, s, fx0, z0, x0, z1);
    if (closed[1]) ground(data, s, x1, z0, fx1, z1);
    if (closed[2]) ground(data, s, x0, fz0, x1, z0);
    if (closed[3]) ground(data, s, x0, z1, x1, fz1);
    if (closed[0] && closed[2]) ground(data, s, fx0, fz0, x0, z0);
    if (closed[1] && closed[2]) ground(data, s, x1, fz0, fx1, z0);
    if (closed[0] && closed[3]) ground(data, s, fx0, z1, x0, fz1);
    if (closed[1] && closed[3]) ground(data, s, x1, z1, fx1, fz1);
}

// The ground of a closed side ends where an open neighbor begins.
void tarn__build_quay(MeshData* data, const BasinShape* s)
{
    if (s->is_natural) return;
    for (int side = 0; side < 4; ++side) {
        if (s->is_open[side]) continue;
        for (int end = 0; end < 2; ++end) {
            int neighbor = (side < 2 ? 2 : 0) + end;
            if (!s->is_open[neighbor]) continue;
            TarnVec3 a = rim_point(s, side, end, (Profile){ 0.0f, 0.0f });
            TarnVec3 b = vec3_add(a, vec3_scale(side_outwards(side), s->far));
            vertical_face(data, s, a, b, side_outwards(neighbor),
                          s->bottom - 0.6f * (s->rest - s->bottom), s->deck);
            TarnVec3 m = vec3_add(a, vec3_scale(side_outwards(side), s->coping));
            vertical_face(data, s, a, m, side_outwards(neighbor), s->deck, s->rim_top);
        }
    }
}
