// The passes of a picture of a 2-D liquid, the look of Sprinkle.
//
// Method   Stretched soft splats are added up; where the sum is dense there is liquid. Size, direction
//          and flags come with the particles (tarn/liquid.h, use_look), each part of the look has a
//          bit.
// Differs  from [Gustafsson2014]: the sprites are summed and cut instead of drawn one over the other,
//          which gives one crisp edge. Its parts are the same and switch on one by one.
// Checked  tests/render/test_liquid_flat.c

#include "renderer.h"
#include <string.h>

enum { MAX_EDGES = 64 };

static uint32_t look_of(const TarnFrame* frame)
{
    uint32_t look = tarn__liquid_of(frame) ? tarn__liquid_of(frame)->look : 0;
    return look ? look : TARN_SPRINKLE_ALL;
}

// What the camera would show of the plane z = 0 from afar.
static void constants(TarnRenderer* r, const TarnFrame* frame)
{
    FrameBlock* f = &r->frame;
    const Stage* s = &r->liquid.stage;
    const TarnCamera* c = &frame->camera;
    *f = (FrameBlock){ 0 }; // nothing of the frame before
    float half_y = vec3_length(vec3_sub(c->target, c->eye)) * tanf(0.5f * c->fov);
    float half_x = half_y * (float)r->width / (float)r->height;
    Mat4 m = mat4_identity();
    m.m[0] = 1.0f / half_x, m.m[12] = -c->target.x / half_x;
    m.m[5] = 1.0f / half_y, m.m[13] = -c->target.y / half_y;
    m.m[10] = 0.0f;
    f->view_proj = f->mirror_view_proj = f->light_proj = m;
    tarn__set4(f->eye, c->target.x, c->target.y, 1.0f, (float)fmod(frame->time, 3600.0));
    tarn__set4(f->basin, c->target.x - half_x, c->target.y - half_y, 2.0f * half_x, 2.0f * half_y);
    tarn__set4(f->coast, s->lo.x, s->lo.y, s->hi.x, s->hi.y);
    tarn__set4(f->levels, tarn__liquid_of(frame) ? (float)tarn__liquid_of(frame)->walls : 0.0f,
               (float)look_of(frame), s->hi.y - s->lo.y, 0.5f * (float)r->height / half_y);
    tarn__set4(f->screen, (float)r->width, (float)r->height, 1.0f / (float)r->width,
               1.0f / (float)r->height);
    float spacing = tarn__liquid_of(frame) ? tarn__liquid_of(frame)->spacing : 0.01f * s->side;
    tarn__set4(f->flow, s->side, s->is_night ? 1.0f : 0.0f, spacing, s->is_night ? 0.03f : 1.0f);
    tarn__set4(f->sun, -0.5f, 0.7f, 0.5f, 1.0f);
    float day = s->is_night ? 0.06f : 1.0f;
    tarn__set4(f->sun_color, 1.9f * day, 1.5f * day, 1.1f * day, 0);
    tarn__set4(f->sky_color, 0.55f * day, 0.52f * day, 0.60f * day, 0);
    tarn__set4(f->ground_color, 0.25f * day, 0.23f * day, 0.20f * day, 0);
    float exposure = frame->sky.exposure > 0.0f ? frame->sky.exposure : 1.0f;
    tarn__set4(f->water_color, 0, 0, 0, 0.86f * exposure);
}

// ---- Solids --------------------------------------------------------------------------------------

// Returns whether there are any.
static bool upload_distances(TarnRenderer* r, const TarnFrameLiquid* liquid)
{
    Liquid* l = &r->liquid;
    bool is_there = liquid && liquid->solid.data;
    if (!is_there) {
        tarn__use(r, &l->sky_paint, NULL);
        glUniform4f(l->sky_paint.gl->color, 0, 0, 0, 0);
        return false;
    }
    const TarnView2* v = &liquid->solid;
    if (!l->solid_texture)
        l->solid_texture =
            tarn__texture_create(1, 1, GL_R16F, GL_RED, GL_FLOAT, NULL, false, GL_CLAMP_TO_EDGE);
    tarn__bind_texture(r, SLOT_SOLID, l->solid_texture);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, v->stride);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R16F, v->nx, v->nz, 0, GL_RED, GL_FLOAT, v->data);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    float dx = liquid->solid_dx; // values sit at the corners of the cells, texels in their middle
    const float place[4] = { liquid->solid_origin.x - 0.5f * dx, liquid->solid_origin.y - 0.5f * dx,
                             1.0f / (dx * (float)v->nx), 1.0f / (dx * (float)v->nz) };
    tarn__use(r, &l->shape, NULL);
    glUniform4fv(glGetUniformLocation(l->shape.gl->id, "u_field"), 1, place);
    tarn__use(r, &l->sky_paint, NULL);
    glUniform4fv(l->sky_paint.gl->param, 1, place);
    glUniform4f(l->sky_paint.gl->color, 1, 0, 0, 0);
    return true;
}

static float turn_of(TarnVec2 a, TarnVec2 b, TarnVec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The convex outline of a mesh seen along z: edges as outward normals and offsets. Returns how many.
static int outline_of(const TarnFrameBody* b, float edges[MAX_EDGES][3], float reach[4])
{
    TarnVec2 lo = { 1e30f, 1e30f }, hi = { -1e30f, -1e30f };
    int start = 0;
    for (int i = 0; i < b->shape.n_points; ++i) {
        TarnVec3 p = b->shape.points[i];
        lo.x = fminf(lo.x, p.x), lo.y = fminf(lo.y, p.y);
        hi.x = fmaxf(hi.x, p.x), hi.y = fmaxf(hi.y, p.y);
        if (p.x < b->shape.points[start].x ||
            (p.x == b->shape.points[start].x && p.y < b->shape.points[start].y))
            start = i;
    }
    tarn__set4(reach, 0.5f * (hi.x - lo.x), 0.5f * (hi.y - lo.y), 0.5f * (lo.x + hi.x),
               0.5f * (lo.y + hi.y));
    int n = 0, at = start;
    do { // around it: the next is the point that has all others to the left
        TarnVec2 a = { b->shape.points[at].x, b->shape.points[at].y }, best = a;
        int next = -1;
        for (int i = 0; i < b->shape.n_points; ++i) {
            TarnVec2 c = { b->shape.points[i].x, b->shape.points[i].y };
            if (c.x == a.x && c.y == a.y) continue;
            float turn = next < 0 ? -1.0f : turn_of(a, best, c);
            float far = hypotf(c.x - a.x, c.y - a.y) - hypotf(best.x - a.x, best.y - a.y);
            if (turn < 0.0f || (turn == 0.0f && far > 0.0f)) next = i, best = c;
        }
        if (next < 0) break;
        float x = best.y - a.y, y = a.x - best.x, l = hypotf(x, y);
        edges[n][0] = x / l, edges[n][1] = y / l, edges[n][2] = (x * a.x + y * a.y) / l;
        ++n;
        at = next;
        TarnVec3 first = b->shape.points[start];
        if (best.x == first.x && best.y == first.y) break;
    } while (n < MAX_EDGES);
    return n;
}

// Meshes: as the distances say if is_field, else their outline.
static void draw_shape(const TarnRenderer* r, const TarnFrameBody* b, bool is_solid, bool is_field)
{
    const Program* p = &r->liquid.shape;
    Mat4 model = mat4_pose(b->position, b->rotation);
    float margin = 2.0f / r->frame.levels[3], reach[4] = { 0 };
    float edges[MAX_EDGES][3];
    int n = 0;
    TarnVec3 s = b->shape.size;
    switch (b->shape.kind) {
    case TARN_SHAPE_SPHERE:
        reach[0] = reach[1] = s.x;
        break;
    case TARN_SHAPE_BOX:
        reach[0] = s.x, reach[1] = s.y;
        break;
    case TARN_SHAPE_CAPSULE:
        reach[0] = s.x, reach[1] = s.x + s.y;
        break;
    default:
        n = outline_of(b, edges, reach);
        s.x = fminf(reach[0], reach[1]);
        glUniform3fv(glGetUniformLocation(p->gl->id, "u_edges"), n, edges[0]);
    }
    float second = b->shape.kind == TARN_SHAPE_MESH ? s.x : s.y,
          shape = tarn__shader_shape(b->shape.kind);
    if (b->shape.kind == TARN_SHAPE_MESH && is_field) {
        shape = 4.0f;
        margin += 0.02f * r->liquid.stage.side; // shells are thicker than their mesh
    }
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, model.m);
    glUniform4f(p->gl->core_size, reach[0] + margin, reach[1] + margin, reach[2], reach[3]);
    glUniform4f(p->gl->color, b->color.x, b->color.y, b->color.z, (float)n);
    glUniform4f(p->gl->param, shape, s.x, second, is_solid ? 1.0f : 0.0f);
    tarn__draw_points(r, 0, 1);
}

static void pass_scene(TarnRenderer* r, const TarnFrame* frame)
{
    Liquid* l = &r->liquid;
    tarn__canvas_bind(r, CANVAS_OVER);
    bool is_field = upload_distances(r, tarn__liquid_of(frame));
    tarn__draw_screen(r);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    tarn__use(r, &l->shape, NULL);
    for (int i = 0; i < frame->n_solids; ++i) draw_shape(r, &frame->solids[i], true, is_field);
    for (int i = 0; i < frame->n_bodies; ++i) draw_shape(r, &frame->bodies[i], false, false);
    glDisable(GL_BLEND);
    tarn__canvas_read(r);
}

// ---- Liquid --------------------------------------------------------------------------------------

static void pass_field(TarnRenderer* r, uint32_t look)
{
    Liquid* l = &r->liquid;
    tarn__target_bind(&l->field);
    glClear(GL_COLOR_BUFFER_BIT);
    tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
    tarn__use(r, &l->field_program, NULL);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    if (look & TARN_SPRINKLE_PARTICLES) tarn__draw_points(r, 0, l->one->points.n);
    glDisable(GL_BLEND);
    tarn__bind_texture(r, SLOT_THICK, l->field.color[0]);
    tarn__bind_texture(r, SLOT_TINT, l->field.color[1]);
}

// How deep in the liquid a place is: what is not air, blurred over a few spacings.
static void pass_depth(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    enum { N = 6 };
    static const float wide[N] = { 0.4f, 0.8f, 1.4f, 2.0f, 2.8f, 3.6f };
    tarn__target_bind(&l->soft_light[0]);
    tarn__use(r, &l->cover, NULL);
    tarn__draw_screen(r);
    float x = r->frame.flow[2] / r->frame.basin[2], y = r->frame.flow[2] / r->frame.basin[3];
    for (int i = 0; i < N; ++i) {
        float a = wide[i] * (i & 1 ? 1.0f : 0.7f), b = i & 1 ? 0.0f : a;
        const float step[4] = { a * x, b * y, -b * x, a * y };
        tarn__target_bind(&l->soft_light[1 - (i & 1)]);
        tarn__bind_texture(r, SLOT_IMAGE, l->soft_light[i & 1].color[0]);
        tarn__use(r, &r->blur, step);
        tarn__draw_screen(r);
    }
    tarn__bind_texture(r, SLOT_LIGHT, l->soft_light[N & 1].color[0]);
}

static void pass_lit(TarnRenderer* r, uint32_t look)
{
    Liquid* l = &r->liquid;
    tarn__canvas_turn(r, CANVAS_OVER);
    tarn__use(r, &l->flat_composite, NULL);
    tarn__draw_screen(r);
    if (look & TARN_SPRINKLE_BUBBLES) {
        tarn__bind_texture(r, SLOT_POINTS, l->one->texture.id);
        tarn__use(r, &l->bubble, NULL);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        tarn__draw_points(r, 0, l->one->points.n);
        glDisable(GL_BLEND);
    }
    tarn__sprites_draw(r);
}

TarnResult tarn__flat_draw(TarnRenderer* r, const TarnFrame* frame)
{
    OneLiquid* one = r->liquid.one = &r->liquid.each[0];
    TARN_TRY(tarn__stage_parts(r));
    r->gas.n = 0;
    r->gas.is_seen = r->gas.has_glow = false;
    one->points.n = 0;
    if (frame->n_liquids > 0) TARN_TRY(tarn__liquid_points(r->ctx, &one->points, frame->liquids));
    tarn__upload_points(r, &one->texture, one->points.texels, one->points.n);
    uint32_t look = look_of(frame);
    constants(r, frame);
    TARN_TRY(tarn__sprites_update(r, frame, (look & TARN_SPRINKLE_SPLASHES) != 0));
    tarn__begin_frame(r);
    tarn__layer(r, LAYER_LIQUID);
    pass_scene(r, frame);
    pass_field(r, look);
    pass_depth(r);
    pass_lit(r, look);
    tarn__layer(r, LAYER_POST);
    tarn__pass_post(r);
    return TARN_OK;
}
