// A 3-D liquid: its surface as the camera sees it, its thickness, the light that it lets through.
//
// Method   Screen-space fluids [Laan2009]: the nearest surface of the particles as an image of distances,
//          smoothed within each surface; thickness added up beside it. Or of a closed mesh: its nearest
//          triangles, and where lines leave it minus where they enter.
// Differs  from [Laan2009]: flat ellipsoids and a filter that takes pairs of pixels instead of curvature
//          flow: four passes instead of dozens. Colors of several liquids are summed as
//          absorption, so that they mix like colored glass.
// Checked  tests/render/test_liquid.c, tests/render/test_liquid_mesh.c

#include "renderer.h"

enum { LIGHT_POINTS = 12000 };

void tarn__begin_adding(const Target* target)
{
    tarn__target_bind(target);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
}

void tarn__draw_dots(const TarnRenderer* r, const Program* program, const float param[4], int first,
                     int n)
{
    tarn__use(r, program, param);
    glBindVertexArray(r->empty.vao);
    glDrawArrays(GL_POINTS, first, n);
}

// ---- Closed meshes -------------------------------------------------------------------------------

// Liquids of several kinds have a color for each particle, which a mesh does not know.
bool tarn__is_closed_mesh(const TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    return liquid && liquid->mode == TARN_FRAME_SURFACE && r->liquid.one->points.kind >= 0;
}

static void set_color(const TarnRenderer* r, const Program* p, const TarnFrameLiquid* liquid)
{
    int kind = r->liquid.one->points.kind;
    TarnVec3 c = liquid->color[kind];
    glUniform4f(p->gl->color, c.x, c.y, c.z, tarn__share_of_light(liquid, kind));
}

static float middle_depth(const TarnRenderer* r) // of the box, seen by the camera
{
    const FrameBlock* f = &r->frame;
    const Stage* s = &r->liquid.one->stage;
    TarnVec3 middle = vec3_scale(vec3_add(s->lo, s->hi), 0.5f);
    TarnVec3 to = vec3_sub(middle, vec3(f->eye[0], f->eye[1], f->eye[2]));
    return vec3_dot(to, vec3(f->coast[0], f->coast[1], f->coast[2]));
}

void tarn__use_closed_mesh(const TarnRenderer* r, const Program* p, const TarnFrameLiquid* liquid)
{
    const float param[4] = { middle_depth(r), 0, 0, 0 };
    tarn__use(r, p, param);
    set_color(r, p, liquid);
}

// ---- Light ---------------------------------------------------------------------------------------

static void light_of_points(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    int every =
        maxi(l->one->points.n / LIGHT_POINTS, 1); // the map is soft: fewer, larger ones are enough
    const float param[4] = { (float)every, cbrtf((float)every), 0, 0 };
    tarn__draw_dots(r, &l->light_program, param, 0, l->one->points.n / every);
}

static void light_of_mesh(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    const Program* p = &r->liquid.mesh_light;
    const Stage* s = &r->liquid.one->stage;
    const float* m = r->frame.light_proj.m;
    TarnVec3 c = vec3_scale(vec3_add(s->lo, s->hi), 0.5f);
    float z = m[2] * c.x + m[6] * c.y + m[10] * c.z + m[14];
    const float param[4] = { 0.5f + 0.5f * z, 0, 0, 0 };
    tarn__use(r, p, param);
    set_color(r, p, liquid);
    tarn__mesh_draw(&r->liquid.one->mesh);
}

// What the liquids absorb of the sun's light and how thick they are, seen from the sun, and how far off.
void tarn__pass_light(TarnRenderer* r, const TarnFrame* frame)
{
    Liquid* l = &r->liquid;
    tarn__begin_adding(&l->light);
    for (int i = 0; i < frame->n_liquids; ++i) {
        l->one = &l->each[i];
        tarn__use_block(r, &l->one->block);
        if (tarn__is_closed_mesh(r, &frame->liquids[i]))
            light_of_mesh(r, &frame->liquids[i]);
        else
            light_of_points(r);
    }
    glDisable(GL_BLEND);
    // Waves focus light, single particles do not.
    static const float reach[3] = { 0.75f, 1.5f, 2.5f }; // [texels]
    tarn__bind_texture(r, SLOT_IMAGE, l->light.color[0]);
    for (int i = 0; i < 3; ++i) {
        float x = reach[i] / LIGHT_SIDE;
        const float wide[4] = { x, x, -x, x };
        tarn__target_bind(&l->soft_light[i & 1]);
        tarn__use(r, &r->blur, wide);
        tarn__draw_screen(r);
        tarn__bind_texture(r, SLOT_IMAGE, l->soft_light[i & 1].color[0]);
    }
    tarn__bind_texture(r, SLOT_LIGHT, l->soft_light[0].color[0]);
    tarn__bind_texture(r, SLOT_LIGHT_DEPTH, l->light.color[1]);
}

// ---- Surface -------------------------------------------------------------------------------------

void tarn__smooth_surface(TarnRenderer* r, Target target[2])
{
    for (int pass = 0; pass < 4; ++pass) { // across and up, wide, narrow
        bool is_wide = pass < 2;
        const float param[4] = { pass & 1 ? 0.0f : 1.0f, pass & 1 ? 1.0f : 0.0f,
                                 is_wide ? 2.4f : 0.9f, is_wide ? 8.0f : 12.0f };
        tarn__target_bind(&target[1 - (pass & 1)]);
        glClear(GL_COLOR_BUFFER_BIT);
        tarn__bind_texture(r, SLOT_LIQUID, target[pass & 1].color[0]);
        tarn__use(r, &r->liquid.smooth_program, param);
        tarn__draw_screen(r);
    }
}

static void surface_of_points(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    tarn__target_bind(&l->surface[0]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    tarn__use(r, &l->surface_program, NULL);
    tarn__draw_points(r, l->one->points.n_drops, l->one->points.n_surface);
    glDisable(GL_DEPTH_TEST);
    if (l->one->points.n_surface > 0) tarn__smooth_surface(r, l->surface);
    tarn__bind_texture(r, SLOT_LIQUID, l->surface[0].color[0]);
}

// n 0: the nearest, 1: the next behind it.
static void surface_of_mesh(TarnRenderer* r, int n)
{
    Liquid* l = &r->liquid;
    tarn__target_bind(&l->mesh_surface[n]);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    tarn__use(r, &l->mesh_front[n], NULL);
    tarn__mesh_draw(&l->one->mesh);
    glDisable(GL_DEPTH_TEST);
    tarn__bind_mesh_surface(r, n);
}

void tarn__bind_mesh_surface(const TarnRenderer* r, int n)
{
    tarn__bind_texture(r, SLOT_LIQUID, r->liquid.mesh_surface[n].color[0]);
    tarn__bind_texture(r, SLOT_NORMAL, r->liquid.mesh_surface[n].color[1]);
}

void tarn__pass_surface(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    Liquid* l = &r->liquid;
    if (liquid && tarn__is_mesh_mode(liquid)) {
        surface_of_mesh(r, 0);
        if (tarn__is_closed_mesh(r, liquid)) surface_of_mesh(r, 1);
        return;
    }
    if (liquid && liquid->mode == TARN_FRAME_BALLS)
        l->one->points.n_surface = 0; // part of the scene
    surface_of_points(r);
}

// ---- Thickness -----------------------------------------------------------------------------------

void tarn__pass_thick(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    Liquid* l = &r->liquid;
    if (l->one->behind.n > 0) {
        tarn__pass_thick_apart(r);
        return;
    }
    tarn__begin_adding(&l->thick);
    if (tarn__is_closed_mesh(r, liquid)) {
        tarn__use_closed_mesh(r, &l->mesh_thick, liquid);
        tarn__mesh_draw(&l->one->mesh);
    } else if (!liquid || liquid->mode != TARN_FRAME_BALLS) {
        const float all[4] = { 1, 1, 0, 0 };
        tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
        tarn__draw_dots(r, &l->thick_program, all, l->one->points.n_drops,
                        l->one->points.n - l->one->points.n_drops);
    }
    glDisable(GL_BLEND);
    tarn__bind_texture(r, SLOT_THICK, l->thick.color[0]);
    tarn__bind_texture(r, SLOT_TINT, l->thick.color[1]);
}
