// Solids as things to draw. Plain shapes are drawn as they are; of the others a mesh is made when they are first seen
// (solid_mesh.c). Shapes turned inside out are hollow: boxes are drawn as the bars of a tank, spheres as a bowl.

#include "viewer.h"
#include <math.h>

enum { TANK_BARS = 12 };

static TarnResult mesh_of(TarnViewer* v, TarnSolidId id, const TarnSolidDef* def,
                          const SolidMesh** out)
{
    ViewThings* t = &v->things;
    SolidMesh* meshes = t->meshes.data;
    for (int i = 0; i < t->n_meshes; ++i)
        if (meshes[i].id.value == id.value) return *out = &meshes[i], TARN_OK;
    TARN_TRY(tarn_drawing_reserve(v->ctx, &t->meshes, ((size_t)t->n_meshes + 1) * sizeof *meshes));
    SolidMesh* made = (SolidMesh*)t->meshes.data + t->n_meshes;
    *made = (SolidMesh){ .id = id };
    TarnResult result = tarn__view_mesh_solid(v->ctx, def, made);
    if (result != TARN_OK) {
        tarn_drawing_free(v->ctx, &made->vertices);
        tarn_drawing_free(v->ctx, &made->triangles);
        return result;
    }
    ++t->n_meshes;
    *out = made;
    return TARN_OK;
}

// Meshes of solids that were removed are freed.
static void forget_meshes(TarnViewer* v, const TarnSolids* solids)
{
    ViewThings* t = &v->things;
    SolidMesh* meshes = t->meshes.data;
    for (int i = 0; i < t->n_meshes;) {
        TarnSolidDef def;
        if (tarn_solids_get(solids, meshes[i].id, &def) == TARN_OK) {
            ++i;
            continue;
        }
        tarn_drawing_free(v->ctx, &meshes[i].vertices);
        tarn_drawing_free(v->ctx, &meshes[i].triangles);
        meshes[i] = meshes[--t->n_meshes];
    }
}

void tarn__view_solids_free(TarnViewer* v)
{
    ViewThings* t = &v->things;
    SolidMesh* meshes = t->meshes.data;
    for (int i = 0; i < t->n_meshes; ++i) {
        tarn_drawing_free(v->ctx, &meshes[i].vertices);
        tarn_drawing_free(v->ctx, &meshes[i].triangles);
    }
    tarn_drawing_free(v->ctx, &t->meshes);
}

TarnVec3 tarn__view_turn(TarnQuat q, TarnVec3 v)
{
    TarnVec3 u = { q.x, q.y, q.z };
    TarnVec3 t = { 2.0f * (u.y * v.z - u.z * v.y), 2.0f * (u.z * v.x - u.x * v.z),
                   2.0f * (u.x * v.y - u.y * v.x) };
    return (TarnVec3){ v.x + q.w * t.x + u.y * t.z - u.z * t.y,
                       v.y + q.w * t.y + u.z * t.x - u.x * t.z,
                       v.z + q.w * t.z + u.x * t.y - u.y * t.x };
}

static TarnResult add(TarnViewer* v, TarnSolidId id, int part, const TarnFrameBody* body)
{
    return tarn__view_list_add(v->ctx, &v->now.solids, body, sizeof *body,
                               tarn__view_thing_key(id.value, part));
}

// A hollow box: its edges.
static TarnResult add_tank(TarnViewer* v, TarnSolidId id, const TarnSolidDef* def, bool is_glass)
{
    const float size[3] = { def->shape.size.x, def->shape.size.y, def->shape.size.z };
    float thin = 0.006f * fmaxf(size[0], fmaxf(size[1], size[2]));
    for (int e = 0; e < TANK_BARS; ++e) {
        int axis = e / 4, u = (axis + 1) % 3, w = (axis + 2) % 3;
        float at[3] = { 0 }, half[3] = { thin, thin, thin };
        at[u] = e & 1 ? size[u] + thin : -size[u] - thin;
        at[w] = e & 2 ? size[w] + thin : -size[w] - thin;
        half[axis] = size[axis] + 2.0f * thin;
        TarnVec3 p = tarn__view_turn(def->motion.rotation, (TarnVec3){ at[0], at[1], at[2] });
        TarnVec3 o = def->motion.position;
        TarnFrameBody bar = { .shape = tarn_shape_box(half[0], half[1], half[2]),
                              .position = { o.x + p.x, o.y + p.y, o.z + p.z },
                              .rotation = def->motion.rotation,
                              .color = { 0.55f, 0.66f, 0.68f },
                              .is_glass = is_glass };
        TARN_TRY(add(v, id, e, &bar));
    }
    return TARN_OK;
}

static TarnResult add_solid(TarnViewer* v, TarnSolidId id, const TarnSolidDef* def,
                            const TarnThingLook* look)
{
    int kind = def->shape.kind;
    TarnFrameBody b = { .shape = def->shape,
                        .position = def->motion.position,
                        .rotation = def->motion.rotation,
                        .color = look->color,
                        .glow = look->glow,
                        .is_glass = look->is_glass };
    bool is_plain = !def->is_inside_out;
    if (kind == TARN_SHAPE_BOX && !is_plain) return add_tank(v, id, def, look->is_glass);
    if (kind == TARN_SHAPE_CONVEX && !is_plain) return TARN_OK; // its far walls only would be seen
    if ((kind == TARN_SHAPE_CAPSULE || kind == TARN_SHAPE_CYLINDER) && !is_plain)
        return TARN_OK; // pipes
    bool is_drawn = kind == TARN_SHAPE_BOX || kind == TARN_SHAPE_CAPSULE ||
                    kind == TARN_SHAPE_MESH || (kind == TARN_SHAPE_SPHERE && is_plain);
    if (!is_drawn) {
        const SolidMesh* m;
        TARN_TRY(mesh_of(v, id, def, &m));
        if (m->n_triangles == 0) return TARN_OK;
        b.shape =
            tarn_shape_mesh(m->vertices.data, m->n_vertices, m->triangles.data, m->n_triangles);
    }
    return add(v, id, 0, &b);
}

// In 2-D sections of these are drawn from distances.
static bool is_section(const TarnSolidDef* def)
{
    return def->is_inside_out || def->shape.kind >= TARN_SHAPE_MESH ||
           def->shape.kind == TARN_SHAPE_CYLINDER;
}

// A thing with a color of its own, or a part of the ground? Small meshes are things.
static bool is_thing(const TarnSolidDef* def, float side)
{
    if (!is_section(def)) return true;
    if (def->is_inside_out || def->shape.kind != TARN_SHAPE_MESH) return false;
    float far = 0.0f;
    for (int i = 0; i < def->shape.n_points; ++i)
        far = fmaxf(far, fmaxf(fabsf(def->shape.points[i].x), fabsf(def->shape.points[i].y)));
    return far < 0.25f * side;
}

TarnResult tarn__view_add_solids(TarnViewer* v, bool is_flat, float side)
{
    const TarnSolids* solids = tarn_world_solids(v->world);
    int n = tarn_solids_count(solids);
    v->things.has_sections = false;
    forget_meshes(v, solids);
    for (int i = 0; i < n; ++i) {
        TarnSolidId id = tarn_solids_at(solids, i);
        TarnSolidDef def;
        TarnThingLook look = tarn__view_look_of_solid(v, id);
        if (look.is_hidden || tarn_solids_get(solids, id, &def) != TARN_OK) continue;
        if (is_flat && is_section(&def)) v->things.has_sections = true;
        if (is_flat && !is_thing(&def, side)) continue;
        TARN_TRY(add_solid(v, id, &def, &look));
    }
    return TARN_OK;
}
