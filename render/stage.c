// The stage: particle liquids, gases and particle systems, with glass, tanks, balls and wires. Alone they stand
// in a studio; with a water, on its ground.
//   floor       of the studio, and its backdrop
//   solids      the tanks' edges, wires, liquids as balls
//   liquid      of each, the farthest first: the nearest surface of the particles, as a distance; then smoothed.
//               Or of a mesh, with normals, and the next one behind it
//   behind      of particles, where there is a second surface behind the first (liquid_behind.c)
//   thick       what it absorbs along each line of sight
//   over        the canvas with the liquid in front of it; foam, drops, panes of the tank
//   glass
//   march       rays through gases (gas_passes.c); then over the canvas
//   sprites     over it, and a glow around what is hot

#include "renderer.h"

// ---- Constants -----------------------------------------------------------------------------------

void tarn__stage_constants(const TarnRenderer* r, const TarnFrame* frame, const Stage* s,
                           const TarnFrameLiquid* liquid, FrameBlock* f)
{
    *f = r->common;
    const View* v = &r->view;
    bool has_gas = tarn__has_gas(frame), is_tank = liquid && liquid->walls != TARN_LIQUID_OPEN;
    TarnVec3 lo = s->lo, hi = s->hi;
    tarn__set4(f->coast, v->forward.x, v->forward.y, v->forward.z,
               0.5f * (float)r->height / tanf(0.5f * frame->camera.fov));
    tarn__set4(f->open_side, -v->proj.m[10], v->proj.m[14], 0.0f, 0.0f);
    f->fog[2] = is_tank ? 1.0f : 0.0f;
    tarn__set4(f->basin, lo.x, lo.z, hi.x - lo.x, hi.z - lo.z);
    tarn__set4(f->levels, lo.y - 100.0f * s->side, lo.y, hi.y, hi.y - lo.y);
    // A box that follows its gas leaves the floor where it is, and does not change its grain.
    float tile = has_gas ? exp2f(roundf(log2f(s->side / 7.0f))) : 0.0f;
    tarn__set4(f->absorb, tile, has_gas ? 0.55f : 0.0f, 0, 1.0f);
    float spacing = liquid ? liquid->spacing : 0.01f * s->side;
    tarn__set4(f->flow, s->side, 0.0f, spacing, 1.0f);
    tarn__set4(f->scale, 1.0f, 1.0f, 1.0f, 0.0f);
}

// ---- Before the passes -----------------------------------------------------------------------------

static Stage box_of(const TarnRenderer* r, const TarnFrameLiquid* l)
{
    Stage s = r->liquid.stage;
    s.lo = l->box_min, s.hi = l->box_max;
    s.side = fmaxf(fmaxf(s.hi.x - s.lo.x, s.hi.z - s.lo.z), s.hi.y - s.lo.y);
    return s;
}

TarnResult tarn__stage_prepare(TarnRenderer* r, const TarnFrame* frame)
{
    bool has_parts = false;
    for (int i = 0; i < frame->n_meshes; ++i) has_parts |= frame->meshes[i].has_wires;
    for (int i = 0; i < frame->n_liquids; ++i)
        has_parts |= frame->liquids[i].mode != TARN_FRAME_SCREEN_SPACE || frame->n_waters > 0;
    if (has_parts) TARN_TRY(tarn__mesh_parts(r));
    for (int i = 0; i < frame->n_liquids; ++i) {
        const TarnFrameLiquid* l = &frame->liquids[i];
        OneLiquid* one = r->liquid.one = &r->liquid.each[i];
        one->stage = frame->n_liquids == 1 && frame->n_waters == 0 ? r->liquid.stage : box_of(r, l);
        TARN_TRY(tarn__liquid_points(r->ctx, &one->points, l));
        tarn__upload_points(r, &one->texture, one->points.texels, one->points.n);
        if (tarn__is_mesh_mode(l)) TARN_TRY(tarn__upload_mesh(r, l->mesh, false, &one->mesh));
    }
    return TARN_OK;
}

// ---- Solid things ----------------------------------------------------------------------------------

const Program* tarn__studio_body(const TarnRenderer* r)
{
    return r->gas.is_seen ? &r->gas.body : &r->liquid.body;
}

void tarn__stage_floor(TarnRenderer* r)
{
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    tarn__draw_screen_back(r, r->gas.is_seen ? &r->gas.studio : &r->liquid.studio);
    glDepthFunc(GL_LESS);
}

// The edges of a tank as thin bars of glass.
static void draw_tank(const TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    if (liquid->walls == TARN_LIQUID_OPEN) return;
    const Program* p = tarn__studio_body(r);
    tarn__use(r, p, NULL);
    const Stage* s = &r->liquid.one->stage;
    const FrameBlock* f = &r->frame; // never thinner than a pixel, else it is drawn in dashes
    TarnVec3 to =
        vec3_sub(vec3_scale(vec3_add(s->lo, s->hi), 0.5f), vec3(f->eye[0], f->eye[1], f->eye[2]));
    float thin = fmaxf(0.0036f * s->side, 0.75f * vec3_length(to) / f->coast[3]);
    const float lo[3] = { s->lo.x, s->lo.y, s->lo.z }, hi[3] = { s->hi.x, s->hi.y, s->hi.z };
    for (int e = 0; e < 12; ++e) {
        int axis = e / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float at[3], half[3] = { thin, thin, thin };
        at[axis] = 0.5f * (lo[axis] + hi[axis]);
        at[u] = e & 1 ? hi[u] + thin : lo[u] - thin;
        at[v] = e & 2 ? hi[v] + thin : lo[v] - thin;
        half[axis] = 0.5f * (hi[axis] - lo[axis]) + 2.0f * thin;
        at[1] = fmaxf(at[1], lo[1] + thin); // on the floor, not in it
        Mat4 model = mat4_identity();
        for (int k = 0; k < 3; ++k) model.m[12 + k] = at[k];
        float edge = 0.5f * thin;
        glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, model.m);
        glUniform4f(p->gl->core_size, half[0] - edge, half[1] - edge, half[2] - edge, edge);
        glUniform4f(p->gl->color, 0.55f, 0.66f, 0.68f, 0.0f);
        glUniform4f(p->gl->param, tarn__shader_shape(TARN_SHAPE_BOX), thin, thin, 1.0f);
        tarn__mesh_draw(&r->box);
    }
}

// Its walls, of glass: those that are seen from inside, or those seen from outside.
static void draw_panes(const TarnRenderer* r, const TarnFrameLiquid* liquid, const Program* p)
{
    if (liquid->walls == TARN_LIQUID_OPEN) return;
    const Stage* s = &r->liquid.one->stage;
    TarnVec3 half = vec3_scale(vec3_sub(s->hi, s->lo), 0.5f);
    Mat4 model = mat4_identity();
    model.m[12] = s->lo.x + half.x, model.m[13] = s->lo.y + half.y, model.m[14] = s->lo.z + half.z;
    tarn__use(r, p, NULL);
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, model.m);
    glUniform4f(p->gl->core_size, half.x, half.y, half.z, 0.0f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    tarn__mesh_draw(&r->box);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

TarnResult tarn__stage_solids(TarnRenderer* r, const TarnFrame* frame)
{
    Liquid* l = &r->liquid;
    for (int i = 0; i < frame->n_liquids; ++i) {
        l->one = &l->each[i];
        tarn__use_block(r, &l->one->block);
        if (!frame->sky.hides_tank) draw_tank(r, &frame->liquids[i]);
        if (frame->liquids[i].mode != TARN_FRAME_BALLS) continue;
        tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
        tarn__use(r, &l->balls, NULL);
        tarn__draw_points(r, 0, l->one->points.n_surface);
    }
    tarn__use_block(r, &r->stage_block);
    TARN_TRY(tarn__draw_wires(r, frame));
    for (int i = 0; i < frame->n_liquids && !frame->sky.hides_tank; ++i) {
        l->one = &l->each[i];
        tarn__use_block(r, &l->one->block);
        draw_panes(r, &frame->liquids[i], &l->tank_back);
    }
    return TARN_OK;
}

// ---- What is seen through --------------------------------------------------------------------------

static void draw_glass(const TarnRenderer* r)
{
    const Program* p = &r->liquid.glass;
    tarn__use(r, p, NULL);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        if (!d->is_glass) continue;
        glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, d->model.m);
        glUniform4fv(p->gl->core_size, 1, d->core_size);
        glUniform4fv(p->gl->color, 1, d->color);
        tarn__mesh_draw(d->mesh);
    }
    glDisable(GL_BLEND);
}

// Spray: foam on and in the liquid, then drops around it.
static void draw_spray(const TarnRenderer* r)
{
    const Liquid* l = &r->liquid;
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    int first = FOAM_PER_POINT * l->one->points.n_drops;
    tarn__draw_dots(r, &l->foam, NULL, first, FOAM_PER_POINT * l->one->points.n_torn - first);
    tarn__use(r, &l->drop, NULL);
    tarn__draw_points(r, 0, DROPS_PER_POINT * l->one->points.n_torn);
    glDisable(GL_BLEND);
}

// Splashes of all liquids.
static void draw_splashes(const TarnRenderer* r)
{
    const Liquid* l = &r->liquid;
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    tarn__bind_texture(r, SLOT_POINTS, l->sprite_texture.id);
    tarn__use(r, &l->splash, NULL);
    tarn__draw_points(r, 0, l->sprites.n_splashes);
    glDisable(GL_BLEND);
}

// The liquid over what is behind it. Of a closed mesh from behind: splashes are seen before the rest of it.
static void composite(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    Liquid* l = &r->liquid;
    bool is_closed = tarn__is_closed_mesh(r, liquid), is_mesh = tarn__is_mesh_mode(liquid);
    const Program* p = is_closed              ? &l->mesh_composite[0]
                       : is_mesh              ? &l->mesh_composite[1]
                       : l->one->behind.n > 0 ? &l->near_composite
                                              : &l->composite;
    if (is_closed)
        tarn__use_closed_mesh(r, p, liquid);
    else
        tarn__use(r, p, NULL);
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, back.m);
    if (is_closed) {
        tarn__target_bind(&l->behind);
        tarn__bind_texture(r, SLOT_THICK, l->thick.color[1]);
        tarn__draw_screen(r);
        tarn__bind_texture(r, SLOT_THICK, l->thick.color[0]);
        tarn__bind_texture(r, SLOT_SCENE, l->behind.color[0]);
        tarn__bind_mesh_surface(r, 0);
    }
    r->canvas.now = 1 - r->canvas.now;
    tarn__canvas_bind(r, CANVAS_OVER);
    tarn__draw_screen(r);
}

// Numbers of the liquids, the farthest first.
static void sort_liquids(const TarnRenderer* r, int n, int* order)
{
    float away[TARN_FRAME_MAX_LIQUIDS];
    TarnVec3 eye = vec3(r->frame.eye[0], r->frame.eye[1], r->frame.eye[2]);
    for (int i = 0; i < n; ++i) {
        const Stage* s = &r->liquid.each[i].stage;
        away[i] = vec3_length(vec3_sub(vec3_scale(vec3_add(s->lo, s->hi), 0.5f), eye));
        int k = i;
        for (; k > 0 && away[order[k - 1]] < away[i]; --k) order[k] = order[k - 1];
        order[k] = i;
    }
}

static void clear_surface(TarnRenderer* r) // no liquid is before what comes next
{
    tarn__target_bind(&r->liquid.surface[0]);
    glClear(GL_COLOR_BUFFER_BIT);
    tarn__bind_texture(r, SLOT_LIQUID, r->liquid.surface[0].color[0]);
}

// The surface into the depth of the canvas, for what comes after it.
static void cover_depth(TarnRenderer* r)
{
    tarn__canvas_bind(r, CANVAS_SOLID);
    glEnable(GL_DEPTH_TEST);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    tarn__use(r, &r->liquid.depth_program, NULL);
    tarn__draw_screen(r);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDisable(GL_DEPTH_TEST);
}

static TarnResult draw_liquid(TarnRenderer* r, const TarnFrame* frame,
                              const TarnFrameLiquid* liquid)
{
    tarn__use_block(r, &r->liquid.one->block);
    tarn__canvas_read(r);
    tarn__pass_surface(r, liquid);
    TARN_TRY(tarn__pass_second_surface(r, liquid));
    tarn__pass_thick(r, liquid);
    if (r->liquid.one->behind.n > 0) tarn__composite_second(r);
    composite(r, liquid);
    draw_spray(r);
    if (!frame->sky.hides_tank) draw_panes(r, liquid, &r->liquid.tank_front);
    return TARN_OK;
}

TarnResult tarn__stage_over(TarnRenderer* r, const TarnFrame* frame)
{
    Liquid* l = &r->liquid;
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    int order[TARN_FRAME_MAX_LIQUIDS] = { 0 };
    sort_liquids(r, frame->n_liquids, order);
    bool is_alone = frame->n_liquids == 1 && frame->n_waters == 0;
    for (int i = 0; i < frame->n_liquids; ++i) {
        l->one = &l->each[order[i]];
        TARN_TRY(draw_liquid(r, frame, &frame->liquids[order[i]]));
        if (!is_alone) cover_depth(r);
    }
    tarn__layer(r, LAYER_GLASS);
    if (!is_alone) clear_surface(r);
    tarn__use_block(r, is_alone ? &l->one->block : &r->stage_block);
    tarn__canvas_read(r);
    tarn__canvas_bind(r, CANVAS_OVER);
    draw_splashes(r);
    draw_glass(r);
    tarn__use_block(r, &r->stage_block);
    tarn__layer(r, LAYER_GASES);
    TARN_TRY(tarn__gas_draw(r));
    tarn__layer(r, LAYER_PARTICLES);
    tarn__canvas_bind(r, CANVAS_OVER);
    tarn__sprites_draw(r);
    if (r->gas.has_glow) tarn__gas_bloom(r);
    return TARN_OK;
}
