// The passes of a picture of a 3-D liquid or a particle system in the studio. internal.h lists what each
// is for.

#include "internal.h"

static void set4(float to[4], float x, float y, float z, float w)
{
    to[0] = x, to[1] = y, to[2] = z, to[3] = w;
}

// ---- Constants -----------------------------------------------------------------------------------

static void camera_constants(TarnRenderer* r, const TarnFrame* frame)
{
    FrameBlock* f = &r->frame;
    const TarnCamera* c = &frame->camera;
    const Stage* s = &r->liquid.stage;
    TarnVec3 to = vec3_sub(c->target, c->eye), forward = vec3_unit(to);
    float distance = vec3_length(to);
    float near = clampf(0.02f * distance, 0.002f * s->side, 0.1f * s->side);
    float far = distance + 40.0f * s->side;
    Mat4 view = mat4_look_at(c->eye, c->target);
    Mat4 proj = mat4_perspective(c->fov, (float)r->width / (float)r->height, near, far);
    f->view_proj = mat4_mul(&proj, &view);
    f->mirror_view_proj = f->view_proj;
    set4(f->eye, c->eye.x, c->eye.y, c->eye.z, (float)fmod(frame->time, 3600.0));
    set4(f->coast, forward.x, forward.y, forward.z, 0.5f * (float)r->height / tanf(0.5f * c->fov));
    set4(f->open_side, -proj.m[10], proj.m[14], 0.0f, 0.0f);
    set4(f->screen, (float)r->width, (float)r->height, 1.0f / (float)r->width,
         1.0f / (float)r->height);
    bool is_tank = tarn__liquid_of(frame) && tarn__liquid_of(frame)->walls != TARN_LIQUID_OPEN;
    set4(f->fog, distance + 4.0f * s->side, 1.0f / (8.0f * s->side), is_tank ? 1.0f : 0.0f, 0.0f);
}

static void light_constants(FrameBlock* f, bool is_night, bool has_gas)
{
    if (is_night) {
        set4(f->sun_color, 0.05f, 0.065f, 0.10f, 0); // the moon
        set4(f->sky_color, 0.010f, 0.014f, 0.026f, 0);
        set4(f->ground_color, 0.006f, 0.006f, 0.008f, 0);
        set4(f->haze_color, 0.012f, 0.016f, 0.030f, 0.0f);
    } else {
        set4(f->sun_color, 2.55f, 2.38f, 2.08f, 0);
        set4(f->sky_color, 0.52f, 0.60f, 0.72f, 0);
        set4(f->ground_color, 0.42f, 0.39f, 0.36f, 0);
        set4(f->haze_color, 0.66f, 0.92f, 1.20f, 0.0f);
    }
    if (has_gas && !is_night) // a darker day, so that white smoke and fire stand out
        set4(f->haze_color, 0.36f, 0.48f, 0.62f, 0.0f);
}

static void constants(TarnRenderer* r, const TarnFrame* frame)
{
    FrameBlock* f = &r->frame;
    const Stage* s = &r->liquid.stage;
    camera_constants(r, frame);
    bool has_gas =
        frame->n_gases > 0 || (tarn__particles_of(frame) && tarn__particles_of(frame)->looks &&
                               tarn__particles_of(frame)->n_looks > 0);
    light_constants(f, s->is_night, has_gas);
    TarnVec3 sun = tarn__sky_sun(frame, 0.2f);
    TarnVec3 lo = s->lo, hi = s->hi;
    float margin = 0.03f * s->side, range;
    for (int i = 0; i < r->n_body_draws; ++i) { // only near the box: others may be anywhere
        const BodyDraw* d = &r->body_draws[i];
        hi.y = fmaxf(hi.y, fminf(d->high, s->hi.y + 0.5f * s->side));
    }
    f->light_proj =
        tarn__light_matrix(vec3(lo.x - margin, lo.y - margin, lo.z - margin),
                           vec3(hi.x + margin, hi.y + margin, hi.z + margin), sun, &range);
    set4(f->sun, sun.x, sun.y, sun.z, 1.0f / range);
    set4(f->light_down, -sun.x, -sun.y, -sun.z, 1.0f);
    set4(f->basin, lo.x, lo.z, hi.x - lo.x, hi.z - lo.z);
    set4(f->levels, lo.y - 100.0f * s->side, lo.y, s->hi.y, s->hi.y - lo.y);
    set4(f->water_color, frame->water_color.x, frame->water_color.y, frame->water_color.z, 0.80f);
    // A box that follows its gas leaves the floor where it is, and does not change its grain.
    float tile = has_gas ? exp2f(roundf(log2f(s->side / 7.0f))) : 0.0f;
    set4(f->absorb, tile, has_gas ? 0.55f : 0.0f, 0, 1.0f);
    float spacing = tarn__liquid_of(frame) ? tarn__liquid_of(frame)->spacing : 0.01f * s->side;
    set4(f->flow, s->side, 0.0f, spacing, 1.0f);
    set4(f->scale, 1.0f, 1.0f, 1.0f, 0.0f);
    tarn__sky(frame, f);
}

// ---- Passes --------------------------------------------------------------------------------------

static void pass_shadow(TarnRenderer* r)
{
    const float far[4] = { 1, 1, 0, 0 };
    tarn__target_bind(&r->shadow);
    glClearBufferfv(GL_COLOR, 0, far);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    tarn__draw_bodies(r, &r->solid[MATERIAL_BODY][PASS_SHADOW], -INFINITY, INFINITY);
    tarn__blur_shadow(r);
    glDisable(GL_DEPTH_TEST);
}

// The edges of a tank as thin bars of glass.
static void draw_tank(const TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    if (!liquid || liquid->walls == TARN_LIQUID_OPEN) return;
    const Program* p = &r->liquid.body;
    const Stage* s = &r->liquid.stage;
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
        glUniformMatrix4fv(p->model, 1, GL_FALSE, model.m);
        glUniform4f(p->core_size, half[0] - edge, half[1] - edge, half[2] - edge, edge);
        glUniform4f(p->color, 0.55f, 0.66f, 0.68f, 0.0f);
        glUniform4f(p->param, tarn__shader_shape(TARN_SHAPE_BOX), thin, thin, 1.0f);
        tarn__mesh_draw(&r->box);
    }
}

// Its walls, of glass: those that are seen from inside, or those seen from outside.
static void draw_panes(const TarnRenderer* r, const TarnFrameLiquid* liquid, const Program* p)
{
    if (!liquid || liquid->walls == TARN_LIQUID_OPEN) return;
    const Stage* s = &r->liquid.stage;
    TarnVec3 half = vec3_scale(vec3_sub(s->hi, s->lo), 0.5f);
    Mat4 model = mat4_identity();
    model.m[12] = s->lo.x + half.x, model.m[13] = s->lo.y + half.y, model.m[14] = s->lo.z + half.z;
    tarn__use(r, p, NULL);
    glUniformMatrix4fv(p->model, 1, GL_FALSE, model.m);
    glUniform4f(p->core_size, half.x, half.y, half.z, 0.0f);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    tarn__mesh_draw(&r->box);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

static TarnResult pass_scene(TarnRenderer* r, const TarnFrame* frame, const Mat4* back)
{
    Liquid* l = &r->liquid;
    tarn__canvas_bind(r, CANVAS_SOLID);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    const Program* studio = r->gas.is_seen ? &r->gas.studio : &l->studio;
    if (r->gas.is_seen) tarn__bind_volume(r, SLOT_GAS_LIGHT, r->gas.light_texture);
    tarn__use(r, studio, NULL);
    glUniformMatrix4fv(studio->model, 1, GL_FALSE, back->m);
    tarn__draw_screen(r);
    glDepthFunc(GL_LESS);
    tarn__draw_bodies(r, r->gas.is_seen ? &r->gas.body : &l->body, -INFINITY, INFINITY);
    draw_tank(r, tarn__liquid_of(frame));
    TARN_TRY(tarn__draw_wires(r, frame));
    if (tarn__liquid_of(frame) && tarn__liquid_of(frame)->mode == TARN_FRAME_BALLS) {
        tarn__bind_texture(r, SLOT_POINTS, l->point_texture.id);
        tarn__use(r, &l->balls, NULL);
        tarn__draw_points(r, 0, l->points.n_surface);
    }
    draw_panes(r, tarn__liquid_of(frame), &l->tank_back);
    glDisable(GL_DEPTH_TEST);
    tarn__canvas_read(r);
    return TARN_OK;
}

static void draw_glass(const TarnRenderer* r)
{
    const Program* p = &r->liquid.glass;
    tarn__use(r, p, NULL);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        if (!d->is_glass) continue;
        glUniformMatrix4fv(p->model, 1, GL_FALSE, d->model.m);
        glUniform4fv(p->core_size, 1, d->core_size);
        glUniform4fv(p->color, 1, d->color);
        tarn__mesh_draw(d->mesh);
    }
    glDisable(GL_BLEND);
}

// Spray: foam on and in the liquid, then drops around it.
static void draw_spray(const TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    const Liquid* l = &r->liquid;
    if (!liquid) return;
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    tarn__bind_texture(r, SLOT_POINTS, l->point_texture.id);
    int first = FOAM_PER_POINT * l->points.n_drops;
    tarn__draw_dots(r, &l->foam, NULL, first, FOAM_PER_POINT * l->points.n_torn - first);
    tarn__use(r, &l->drop, NULL);
    tarn__draw_points(r, 0, DROPS_PER_POINT * l->points.n_torn);
    tarn__bind_texture(r, SLOT_POINTS, l->sprite_texture.id);
    TarnVec3 c = liquid->color[0];
    const float tint[4] = { c.x, c.y, c.z, tarn__share_of_light(liquid, 0) };
    tarn__use(r, &l->splash, tint);
    tarn__draw_points(r, 0, l->sprites.n_splashes);
    glDisable(GL_BLEND);
}

// The liquid over what is behind it. Of a closed mesh from behind: splashes are seen before the rest of it.
static void composite(TarnRenderer* r, const TarnFrameLiquid* liquid, const Mat4* back)
{
    Liquid* l = &r->liquid;
    bool is_closed = tarn__is_closed_mesh(r, liquid),
         is_mesh = liquid && tarn__is_mesh_mode(liquid);
    const Program* p = is_closed ? &l->mesh_composite[0]
                       : is_mesh ? &l->mesh_composite[1]
                                 : &l->composite;
    if (is_closed)
        tarn__use_closed_mesh(r, p, liquid);
    else
        tarn__use(r, p, NULL);
    glUniformMatrix4fv(p->model, 1, GL_FALSE, back->m);
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

static TarnResult pass_final(TarnRenderer* r, const TarnFrame* frame, const Mat4* back)
{
    Liquid* l = &r->liquid;
    composite(r, tarn__liquid_of(frame), back);
    draw_spray(r, tarn__liquid_of(frame));
    draw_panes(r, tarn__liquid_of(frame), &l->tank_front);
    draw_glass(r);
    TARN_TRY(tarn__gas_draw(r, back));
    tarn__canvas_bind(r, CANVAS_OVER);
    tarn__sprites_draw(r);
    if (r->gas.has_glow) tarn__gas_bloom(r);
    return TARN_OK;
}

static TarnResult prepare_meshes(TarnRenderer* r, const TarnFrame* frame)
{
    const TarnFrameLiquid* l = tarn__liquid_of(frame);
    bool has_wires = false;
    for (int i = 0; i < frame->n_meshes; ++i) has_wires = has_wires || frame->meshes[i].has_wires;
    if (has_wires || (l && l->mode != TARN_FRAME_SCREEN_SPACE)) TARN_TRY(tarn__mesh_parts(r));
    if (l && tarn__is_mesh_mode(l)) return tarn__upload_mesh(r, l->mesh, false, &r->liquid.mesh);
    return TARN_OK;
}

TarnResult tarn__stage_draw(TarnRenderer* r, const TarnFrame* frame)
{
    TARN_TRY(prepare_meshes(r, frame));
    TARN_TRY(tarn__frame_bodies(r, frame));
    constants(r, frame);
    TARN_TRY(tarn__gas_update(r, frame));
    TARN_TRY(tarn__sprites_update(r, frame, true));
    tarn__begin_frame(r);
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    tarn__pass_sky(r);
    pass_shadow(r);
    tarn__pass_light(r, tarn__liquid_of(frame));
    TARN_TRY(pass_scene(r, frame, &back));
    tarn__pass_surface(r, tarn__liquid_of(frame));
    tarn__pass_thick(r, tarn__liquid_of(frame));
    TARN_TRY(pass_final(r, frame, &back));
    tarn__pass_post(r);
    return TARN_OK;
}
