// The passes of one picture, in order. internal.h lists what each is for.

#include "internal.h"

// ---- Small helpers -----------------------------------------------------------------------------

void tarn__draw_screen(const TarnRenderer* r)
{
    glBindVertexArray(r->empty.vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

const Program* tarn__solid_program(const TarnRenderer* r, Material material, Pass pass)
{
    return pass < PASS_WITHIN ? &r->solid[material][pass]
                              : &r->dive.solid[material][pass - PASS_WITHIN];
}

// A mesh in world coordinates, tinted.
static void draw_solid(const TarnRenderer* r, Material material, Pass pass, const Mesh* mesh,
                       GLuint albedo, const float tint[3])
{
    if (!mesh->n_indices) return;
    const Program* p = tarn__solid_program(r, material, pass);
    Mat4 identity = mat4_identity();
    tarn__use(r, p, NULL);
    if (p->model >= 0) glUniformMatrix4fv(p->model, 1, GL_FALSE, identity.m);
    if (p->core_size >= 0) glUniform4f(p->core_size, 1, 1, 1, 0);
    if (p->color >= 0) glUniform4f(p->color, tint[0], tint[1], tint[2], 0);
    tarn__bind_texture(r, SLOT_ALBEDO, albedo);
    tarn__mesh_draw(mesh);
}

void tarn__draw_bodies(const TarnRenderer* r, const Program* p, float low, float high)
{
    tarn__use(r, p, NULL);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        if (d->is_glass || d->high < low || d->low > high) continue;
        if (p->model >= 0) glUniformMatrix4fv(p->model, 1, GL_FALSE, d->model.m);
        if (p->core_size >= 0) glUniform4fv(p->core_size, 1, d->core_size);
        if (p->color >= 0) glUniform4fv(p->color, 1, d->color);
        if (p->param >= 0) glUniform4fv(p->param, 1, d->param);
        tarn__mesh_draw(d->mesh);
    }
}

static void draw_bodies(const TarnRenderer* r, Pass pass, float low, float high)
{
    tarn__draw_bodies(r, &r->solid[MATERIAL_BODY][pass], low, high);
}

static const float white[3] = { 1, 1, 1 };
static const float coping_tint[3] = { 1.06f, 1.04f, 1.0f };
static const float deck_tint[3] = { 0.58f, 0.50f, 0.42f };
static const float quay_tint[3] = { 0.52f, 0.50f, 0.47f };

void tarn__draw_scenery(const TarnRenderer* r, Pass pass)
{
    const BasinShape* s = &r->shape;
    const MaterialTextures* t = &r->materials;
    bool is_tiled =
        !r->field.has_walls && !s->is_open[0] && !s->is_open[1] && !s->is_open[2] && !s->is_open[3];
    if (is_tiled)
        draw_solid(r, MATERIAL_TILE, pass, &r->pool, t->tile, white);
    else
        draw_solid(r, MATERIAL_STONE, pass, &r->pool, t->stone, quay_tint);
    bool is_above = pass == PASS_MIRROR || pass == PASS_WINDOW; // and nothing below is seen
    bool is_below = pass == PASS_UNDER || pass == PASS_WITHIN || pass == PASS_INNER;
    if (s->has_terrain && pass != PASS_SHADOW && (!is_above || r->field.bed_max > 0.0f))
        draw_solid(r, MATERIAL_TERRAIN, pass, &r->terrain, t->sand, white);
    draw_solid(r, MATERIAL_STONE, pass, &r->walls, t->stone, quay_tint);
    draw_solid(r, MATERIAL_STONE, pass, &r->quay, t->stone, quay_tint);
    if (!is_below) draw_solid(r, MATERIAL_STONE, pass, &r->coping, t->stone, coping_tint);
    if (pass == PASS_FINAL) draw_solid(r, MATERIAL_DECK, pass, &r->deck, t->stone, deck_tint);
}

// ---- Passes ------------------------------------------------------------------------------------

void tarn__pass_sky(TarnRenderer* r)
{
    tarn__target_bind(&r->sky);
    tarn__use(r, &r->sky_program, NULL);
    tarn__draw_screen(r);
    tarn__bind_texture(r, SLOT_SKY, r->sky.color[0]);
}

static void pass_caustics(TarnRenderer* r, const TarnFrame* frame)
{
    const float margin = 0.06f; // as in glsl_frame
    float texels = CAUSTICS_SIDE / (1.0f + 2.0f * margin);
    float side = fmaxf(r->frame.basin[2], r->frame.basin[3]);
    float level = fmaxf(log2f(side / r->frame.scale[2]), 0.0f);
    const float param[4] = { tarn__water_of(frame)->bed.data ? 1.0f : 0.0f, texels * texels, level,
                             0 };
    tarn__target_bind(&r->caustics[0]);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    tarn__use(r, &r->caustics_program, param);
    tarn__mesh_draw(&r->caustic_plan);
    glDisable(GL_BLEND);
    const float half = 0.5f / CAUSTICS_SIDE;
    const float tent[4] = { half, half, -half, half }; // a blur over 3 x 3 texels
    tarn__target_bind(&r->caustics[1]);
    tarn__bind_texture(r, SLOT_IMAGE, r->caustics[0].color[0]);
    tarn__use(r, &r->blur, tent);
    tarn__draw_screen(r);
    tarn__bind_texture(r, SLOT_CAUSTICS, r->caustics[1].color[0]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glGenerateMipmap(GL_TEXTURE_2D); // far away the net is finer than pixels and would flicker
}

void tarn__blur_shadow(TarnRenderer* r)
{
    glDisable(GL_DEPTH_TEST);
    const float x = 0.9f / SHADOW_SIDE;
    const float wide[4] = { x, x, -x, x };
    tarn__target_bind(&r->soft_shadow);
    tarn__bind_texture(r, SLOT_IMAGE, r->shadow.color[0]);
    tarn__use(r, &r->blur, wide);
    tarn__draw_screen(r);
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_SHADOW, r->soft_shadow.color[0]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR); // coarser levels are old
}

static void pass_shadow(TarnRenderer* r, bool is_bars)
{
    const float far[4] = { 1, 1, 0, 0 };
    tarn__target_bind(&r->shadow);
    glClearBufferfv(GL_COLOR, 0, far);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    if (is_bars) {
        const float param[4] = { (float)r->bars_x, (float)r->bars_z, 1.0f, 0.0f };
        tarn__use(r, &r->bars_program[1], param);
        glBindVertexArray(r->bar.vao);
        glDrawElementsInstanced(GL_TRIANGLES, r->bar.n_indices, GL_UNSIGNED_INT, NULL,
                                r->bars_x * r->bars_z);
    } else
        tarn__draw_scenery(r, PASS_SHADOW);
    draw_bodies(r, PASS_SHADOW, -INFINITY, INFINITY);
    tarn__blur_shadow(r);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    glGenerateMipmap(GL_TEXTURE_2D); // for soft shadows of what is far away
    glEnable(GL_CULL_FACE);
}

static void pass_under(TarnRenderer* r)
{
    const FrameBlock* f = &r->frame;
    tarn__target_bind(&r->under);
    float c[4] = { 0, 0, 0, 4.0f * r->depth };
    for (int i = 0; i < 3; ++i)
        c[i] = f->water_color[i] * (f->sky_color[i] + 0.35f * f->sun_color[i]);
    glClearBufferfv(GL_COLOR, 0, c);
    glClear(GL_DEPTH_BUFFER_BIT);
    if (r->shape.is_natural) { // much of the picture is land: keep it out
        glDepthFunc(GL_ALWAYS);
        tarn__use(r, &r->dry, NULL);
        tarn__draw_screen(r);
        glDepthFunc(GL_LESS);
    }
    draw_bodies(r, PASS_UNDER, -INFINITY, r->shape.rest + 2.0f * r->depth);
    tarn__draw_scenery(r, PASS_UNDER);
    tarn__bind_texture(r, SLOT_UNDER, r->under.color[0]);
}

static void pass_mirror(TarnRenderer* r)
{
    const float nothing[4] = { 0 };
    tarn__target_bind(&r->mirror);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_COLOR, 1, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    glFrontFace(GL_CW);
    draw_bodies(r, PASS_MIRROR, r->shape.rest, INFINITY);
    tarn__draw_scenery(r, PASS_MIRROR);
    glFrontFace(GL_CCW);
    tarn__bind_texture(r, SLOT_MIRROR, r->mirror.color[0]);
    tarn__bind_texture(r, SLOT_MIRROR_HEIGHT, r->mirror.color[1]);
}

static void draw_backdrop(const TarnRenderer* r)
{
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    tarn__use(r, &r->backdrop, NULL);
    glUniformMatrix4fv(r->backdrop.model, 1, GL_FALSE, back.m);
    glDepthFunc(GL_LEQUAL);
    tarn__draw_screen(r);
    glDepthFunc(GL_LESS);
}

// The height of the water mesh first, as depth alone: its triangles are small, and shading them
// one by one would take three times as long as one pass over the screen.
static void pass_water_depth(TarnRenderer* r)
{
    tarn__target_bind(&r->water_depth);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_CULL_FACE);
    bool has_flag = r->shape.has_terrain;
    if (has_flag)
        glClear(GL_COLOR_BUFFER_BIT);
    else
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    tarn__use(r, &r->water_depth_program, NULL);
    tarn__mesh_draw(&r->plan);
    if (r->shape.is_natural) {
        tarn__use(r, &r->land_depth, NULL);
        tarn__mesh_draw(&r->terrain);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_CULL_FACE);
    tarn__bind_texture(r, SLOT_WATER_DEPTH, r->water_depth.depth);
    tarn__bind_texture(r, SLOT_WATER_FLAG, r->water_depth.color[0]);
}

// Water first: what it covers is then not shaded.
static void pass_final_water(TarnRenderer* r)
{
    tarn__canvas_bind(r, CANVAS_SOLID);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    const Program* water = &r->water[r->shape.has_terrain ? 1 : 0];
    tarn__use(r, water, NULL);
    glUniformMatrix4fv(water->model, 1, GL_FALSE, back.m);
    glDepthFunc(GL_ALWAYS);
    tarn__draw_screen(r);
    glDepthFunc(GL_LESS);
    draw_bodies(r, PASS_FINAL, r->shape.rest - r->depth, INFINITY);
    tarn__draw_scenery(r, PASS_FINAL);
    draw_backdrop(r);
}

static void pass_final_bars(TarnRenderer* r)
{
    const BasinShape* s = &r->shape;
    float range = 0.25f * fminf(r->depth, 0.1f * (s->x1 - s->x0));
    const float param[4] = { (float)r->bars_x, (float)r->bars_z, range, 0.0f };
    tarn__canvas_bind(r, CANVAS_SOLID);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_bodies(r, PASS_FINAL, -INFINITY, INFINITY);
    tarn__use(r, &r->bars_program[0], param);
    glBindVertexArray(r->bar.vao);
    glDrawElementsInstanced(GL_TRIANGLES, r->bar.n_indices, GL_UNSIGNED_INT, NULL,
                            r->bars_x * r->bars_z);
    // The studio's floor: the top of a huge flat box.
    Mat4 model = mat4_identity();
    float side = fmaxf(s->x1 - s->x0, s->z1 - s->z0);
    model.m[12] = 0.5f * (s->x0 + s->x1);
    model.m[13] = s->bottom - 1.0f;
    model.m[14] = 0.5f * (s->z0 + s->z1);
    tarn__use(r, &r->stage, NULL);
    glUniformMatrix4fv(r->stage.model, 1, GL_FALSE, model.m);
    glUniform4f(r->stage.core_size, 6.0f * side, 1.0f, 6.0f * side, 0.0f);
    tarn__mesh_draw(&r->bar);
    draw_backdrop(r);
}

void tarn__pass_post(TarnRenderer* r)
{
    GLuint image = r->canvas.color[r->canvas.now];
    glDisable(GL_DEPTH_TEST);
    float sx = 1.0f / (float)r->width, sy = 1.0f / (float)r->height;
    const float bright[4] = { sx, sy, 0, 0 };
    tarn__target_bind(&r->glow[0]);
    tarn__bind_texture(r, SLOT_IMAGE, image);
    tarn__use(r, &r->bright, bright);
    tarn__draw_screen(r);
    for (int i = 0; i < 4; ++i) {
        float wide = 4.0f * (i < 2 ? 1.0f : 2.2f);
        const float step[4] = { wide * sx, wide * sy, -wide * sx, wide * sy };
        tarn__target_bind(&r->glow[1 - (i & 1)]);
        tarn__bind_texture(r, SLOT_IMAGE, r->glow[i & 1].color[0]);
        tarn__use(r, &r->blur, step);
        tarn__draw_screen(r);
    }
    tarn__target_bind(&r->output);
    tarn__bind_texture(r, SLOT_IMAGE, image);
    tarn__bind_texture(r, SLOT_GLOW, r->glow[0].color[0]);
    tarn__use(r, &r->post, bright);
    tarn__draw_screen(r);
}

// Groups cells to at most MAX_BARS per side. A bar holds its top, its bottom and its kind.
static void fill_bars(TarnRenderer* r, const TarnFrameWater* w)
{
    const Field* f = &r->field;
    int group = (maxi(w->height.nx, w->height.nz) + MAX_BARS - 1) / MAX_BARS;
    r->bars_x = maxi(w->height.nx / group, 1);
    r->bars_z = maxi(w->height.nz / group, 1);
    for (int k = 0; k < r->bars_z; ++k)
        for (int i = 0; i < r->bars_x; ++i) {
            int i0 = i * f->nx / r->bars_x, i1 = (i + 1) * f->nx / r->bars_x;
            int k0 = k * f->nz / r->bars_z, k1 = (k + 1) * f->nz / r->bars_z;
            float sum = 0.0f, wall = 0.0f, wet = 0.0f;
            int n = 0;
            for (int b = k0; b < k1; ++b)
                for (int a = i0; a < i1; ++a, ++n) {
                    sum += f->surface[4 * (a + f->nx * b)];
                    int c = a / f->fine + f->nx / f->fine * (b / f->fine);
                    wall += f->mask[c];
                    wet += r->bar_wet ? r->bar_wet[c] : 1.0f;
                }
            bool is_wall = f->has_walls && wall > 0.5f * (float)n;
            float* bar = r->bar_data + 4 * (i + MAX_BARS * k);
            float top = w->rest_level + sum / (float)n;
            bar[0] = is_wall ? w->wall_top : fmaxf(top, r->shape.bottom + 1e-3f * w->dx);
            bar[1] = r->shape.bottom;
            bar[2] = is_wall || wet < 0.5f * (float)n ? 1.0f : 0.0f;
            bar[3] = 0.0f;
        }
    tarn__bind_texture(r, SLOT_BARS, r->bars);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, MAX_BARS, MAX_BARS, GL_RGBA, GL_FLOAT, r->bar_data);
}

void tarn__begin_frame(TarnRenderer* r)
{
    glBindBuffer(GL_UNIFORM_BUFFER, r->frame_buffer);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(FrameBlock), &r->frame);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->frame_buffer);
    tarn__bind_texture(r, SLOT_RIPPLE, r->materials.ripple);
    tarn__bind_texture(r, SLOT_NOISE, r->materials.noise);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glClearColor(0, 0, 0, 0);
}

TarnResult tarn__draw_frame(TarnRenderer* r, const TarnFrame* frame)
{
    bool is_bars = frame->mode == TARN_RENDER_BARS;
    Dip dip = is_bars ? DIP_NONE : tarn__dip(r, tarn__basin_level);
    if (dip != DIP_NONE) TARN_TRY(tarn__dive_prepare(r));
    tarn__begin_frame(r);
    tarn__bind_texture(r, SLOT_SURFACE, r->surface);
    tarn__bind_texture(r, SLOT_BED, r->bed);
    tarn__pass_sky(r);
    if (is_bars)
        fill_bars(r, tarn__water_of(frame));
    else
        pass_caustics(r, frame);
    pass_shadow(r, is_bars);
    if (is_bars) {
        pass_final_bars(r);
    } else {
        pass_water_depth(r);
        if (dip != DIP_FULL) {
            pass_under(r);
            pass_mirror(r);
            pass_final_water(r);
        }
        if (dip != DIP_NONE) tarn__pass_dive(r);
    }
    tarn__pass_post(r);
    return TARN_OK;
}
