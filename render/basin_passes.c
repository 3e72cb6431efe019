// The passes of a basin:
//   caustics    the light that the waves focus on the floor, as a map over the basin
//   water depth the surface as seen by the camera, depth alone
//   under       everything below the water, where it appears through calm water
//   mirror      everything above the water, mirrored at its level
//   water       into the canvas, from those
//   scenery     rim, deck, walls and terrain above the water, into the canvas

#include "renderer.h"

const Program* tarn__solid_program(const TarnRenderer* r, Material material, Pass pass)
{
    if (pass >= PASS_WITHIN) return &r->dive.solid[material][pass - PASS_WITHIN];
    bool is_mixed = r->is_mixed && pass <= PASS_MIRROR;
    return is_mixed ? &r->mixed.solid[material][pass] : &r->solid[material][pass];
}

// A mesh in world coordinates, tinted.
static void draw_solid(const TarnRenderer* r, Material material, Pass pass, const Mesh* mesh,
                       GLuint albedo, const float tint[3])
{
    if (!mesh->n_indices) return;
    const Program* p = tarn__solid_program(r, material, pass);
    Mat4 identity = mat4_identity();
    tarn__use(r, p, NULL);
    if (p->gl->model >= 0) glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, identity.m);
    if (p->gl->core_size >= 0) glUniform4f(p->gl->core_size, 1, 1, 1, 0);
    if (p->gl->color >= 0) glUniform4f(p->gl->color, tint[0], tint[1], tint[2], 0);
    tarn__bind_texture(r, SLOT_ALBEDO, albedo);
    tarn__mesh_draw(mesh);
}

static void draw_bodies(const TarnRenderer* r, Pass pass, int water, float low, float high)
{
    tarn__draw_bodies(r, tarn__solid_program(r, MATERIAL_BODY, pass), water, low, high);
}

// A deck is open over lower basins.
static void set_holes(const TarnRenderer* r)
{
    const Program* p = tarn__solid_program(r, MATERIAL_DECK, PASS_FINAL);
    float holes[TARN_FRAME_MAX_WATERS][4] = { { 0 } };
    for (int i = 0; i < r->n_waters; ++i) {
        const BasinShape* s = &r->basins[i].shape;
        if (&r->basins[i] == r->basin || s->is_block || s->rim_top > r->basin->shape.rim_top)
            continue; // a higher one covers it by itself
        float m = 0.9f * s->coping;
        tarn__set4(holes[i], s->x0 - m, s->z0 - m, s->x1 - s->x0 + 2.0f * m,
                   s->z1 - s->z0 + 2.0f * m);
    }
    tarn__use(r, p, NULL);
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_holes"), TARN_FRAME_MAX_WATERS, holes[0]);
}

static const float white[3] = { 1, 1, 1 };
static const float coping_tint[3] = { 1.06f, 1.04f, 1.0f };
static const float deck_tint[3] = { 0.58f, 0.50f, 0.42f };
static const float quay_tint[3] = { 0.52f, 0.50f, 0.47f };

void tarn__draw_scenery(const TarnRenderer* r, Pass pass)
{
    const BasinShape* s = &r->basin->shape;
    const MaterialTextures* t = &r->materials;
    bool is_tiled = !r->basin->field.has_walls && !s->is_open[0] && !s->is_open[1] &&
                    !s->is_open[2] && !s->is_open[3];
    if (is_tiled)
        draw_solid(r, MATERIAL_TILE, pass, &r->basin->pool, t->tile, white);
    else
        draw_solid(r, MATERIAL_STONE, pass, &r->basin->pool, t->stone, quay_tint);
    bool is_above = pass == PASS_MIRROR || pass == PASS_WINDOW; // and nothing below is seen
    bool is_below = pass == PASS_UNDER || pass == PASS_WITHIN || pass == PASS_INNER;
    if (s->has_terrain && pass != PASS_SHADOW && (!is_above || r->basin->field.bed_max > 0.0f))
        draw_solid(r, MATERIAL_TERRAIN, pass, &r->basin->terrain, t->sand, white);
    draw_solid(r, MATERIAL_STONE, pass, &r->basin->walls, t->stone, quay_tint);
    draw_solid(r, MATERIAL_STONE, pass, &r->basin->quay, t->stone, quay_tint);
    if (!is_below) draw_solid(r, MATERIAL_STONE, pass, &r->basin->coping, t->stone, coping_tint);
    if (pass == PASS_FINAL && r->is_mixed) set_holes(r);
    if (pass == PASS_FINAL)
        draw_solid(r, MATERIAL_DECK, pass, &r->basin->deck, t->stone, deck_tint);
}

static void pass_caustics(TarnRenderer* r, const TarnFrameWater* w)
{
    const float margin = 0.06f; // as in glsl_frame
    float texels = CAUSTICS_SIDE / (1.0f + 2.0f * margin);
    float side = fmaxf(r->frame.basin[2], r->frame.basin[3]);
    float level = fmaxf(log2f(side / r->frame.scale[2]), 0.0f);
    const float param[4] = { w->bed.data ? 1.0f : 0.0f, texels * texels, level, 0 };
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

static void pass_under(TarnRenderer* r, int number)
{
    const FrameBlock* f = &r->frame;
    tarn__target_bind(&r->under);
    float c[4] = { 0, 0, 0, 4.0f * r->basin->depth };
    for (int i = 0; i < 3; ++i)
        c[i] = f->water_color[i] * (f->sky_color[i] + 0.35f * f->sun_color[i]);
    glClearBufferfv(GL_COLOR, 0, c);
    glClear(GL_DEPTH_BUFFER_BIT);
    if (r->basin->shape.is_natural) { // much of the picture is land: keep it out
        glDepthFunc(GL_ALWAYS);
        tarn__use(r, &r->dry, NULL);
        tarn__draw_screen(r);
        glDepthFunc(GL_LESS);
    }
    draw_bodies(r, PASS_UNDER, number, -INFINITY, r->basin->shape.rest + 2.0f * r->basin->depth);
    tarn__draw_scenery(r, PASS_UNDER);
    if (r->is_mixed) tarn__stage_under(r);
    tarn__bind_texture(r, SLOT_UNDER, r->under.color[0]);
}

static TarnResult pass_mirror(TarnRenderer* r)
{
    const float nothing[4] = { 0 };
    const float clear[4] = { 0, 0, 0, 1 }; // all of the sky shines through
    tarn__target_bind(&r->mirror);
    glClearBufferfv(GL_COLOR, 0, clear);
    glClearBufferfv(GL_COLOR, 1, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    glFrontFace(GL_CW);
    draw_bodies(r, PASS_MIRROR, ALL_BODIES, r->basin->shape.rest, INFINITY);
    tarn__draw_scenery(r, PASS_MIRROR);
    glFrontFace(GL_CCW);
    tarn__bind_texture(r, SLOT_MIRROR, r->mirror.color[0]);
    tarn__bind_texture(r, SLOT_MIRROR_HEIGHT, r->mirror.color[1]);
    return r->is_mixed && r->has_stage ? tarn__stage_mirrored(r, r->basin->shape.rest) : TARN_OK;
}

// The height of the water mesh first, as depth alone: its triangles are small, and shading them
// one by one would take three times as long as one pass over the screen.
static void pass_water_depth(TarnRenderer* r)
{
    tarn__target_bind(&r->water_depth);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDisable(GL_CULL_FACE);
    bool has_flag = r->basin->shape.has_terrain;
    if (has_flag)
        glClear(GL_COLOR_BUFFER_BIT);
    else
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    tarn__use(r, &r->water_depth_program, NULL);
    tarn__mesh_draw(&r->basin->plan);
    if (r->basin->shape.is_natural) {
        tarn__use(r, &r->land_depth, NULL);
        tarn__mesh_draw(&r->basin->terrain);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_CULL_FACE);
    tarn__bind_texture(r, SLOT_WATER_DEPTH, r->water_depth.depth);
    tarn__bind_texture(r, SLOT_WATER_FLAG, r->water_depth.color[0]);
}

void tarn__basin_shadow(TarnRenderer* r, bool is_bars)
{
    glDisable(GL_CULL_FACE);
    if (is_bars) {
        const float param[4] = { (float)r->basin->bars_x, (float)r->basin->bars_z, 1.0f, 0.0f };
        tarn__bind_texture(r, SLOT_BARS, r->basin->bars);
        tarn__use(r, &r->bars_program[1], param);
        glBindVertexArray(r->bar.vao);
        glDrawElementsInstanced(GL_TRIANGLES, r->bar.n_indices, GL_UNSIGNED_INT, NULL,
                                r->basin->bars_x * r->basin->bars_z);
    } else
        tarn__draw_scenery(r, PASS_SHADOW);
}

void tarn__draw_backdrop(const TarnRenderer* r)
{
    glDepthFunc(GL_LEQUAL);
    tarn__draw_screen_back(r, &r->backdrop);
    glDepthFunc(GL_LESS);
}

TarnResult tarn__basin_water(TarnRenderer* r, const TarnFrameWater* w, int number, Dip dip)
{
    tarn__basin_bind(r);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    pass_caustics(r, w);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    pass_water_depth(r);
    if (dip == DIP_FULL) return TARN_OK;
    pass_under(r, number);
    TARN_TRY(pass_mirror(r));
    tarn__canvas_bind(r, CANVAS_SOLID);
    tarn__draw_screen_back(r, &r->water[r->basin->shape.has_terrain][r->basin->has_foam]);
    return TARN_OK;
}

void tarn__basin_bars(TarnRenderer* r, bool is_ground)
{
    const BasinShape* s = &r->basin->shape;
    float range = 0.25f * fminf(r->basin->depth, 0.1f * (s->x1 - s->x0));
    tarn__bind_texture(r, SLOT_BARS, r->basin->bars);
    const float param[4] = { (float)r->basin->bars_x, (float)r->basin->bars_z, range, 0.0f };
    tarn__use(r, &r->bars_program[0], param);
    glBindVertexArray(r->bar.vao);
    glDrawElementsInstanced(GL_TRIANGLES, r->bar.n_indices, GL_UNSIGNED_INT, NULL,
                            r->basin->bars_x * r->basin->bars_z);
    if (!is_ground) return;
    // The studio's floor: the top of a huge flat box.
    Mat4 model = mat4_identity();
    float side = fmaxf(s->x1 - s->x0, s->z1 - s->z0);
    model.m[12] = 0.5f * (s->x0 + s->x1);
    model.m[13] = s->bottom - 1.0f;
    model.m[14] = 0.5f * (s->z0 + s->z1);
    tarn__use(r, &r->stage, NULL);
    glUniformMatrix4fv(r->stage.gl->model, 1, GL_FALSE, model.m);
    glUniform4f(r->stage.gl->core_size, 6.0f * side, 1.0f, 6.0f * side, 0.0f);
    tarn__mesh_draw(&r->bar);
}

// Groups cells to at most MAX_BARS per side. A bar holds its top, its bottom and its kind.
void tarn__fill_bars(TarnRenderer* r, const TarnFrameWater* w)
{
    const Field* f = &r->basin->field;
    int group = (maxi(w->height.nx, w->height.nz) + MAX_BARS - 1) / MAX_BARS;
    r->basin->bars_x = maxi(w->height.nx / group, 1);
    r->basin->bars_z = maxi(w->height.nz / group, 1);
    for (int k = 0; k < r->basin->bars_z; ++k)
        for (int i = 0; i < r->basin->bars_x; ++i) {
            int i0 = i * f->nx / r->basin->bars_x, i1 = (i + 1) * f->nx / r->basin->bars_x;
            int k0 = k * f->nz / r->basin->bars_z, k1 = (k + 1) * f->nz / r->basin->bars_z;
            float sum = 0.0f, wall = 0.0f, wet = 0.0f;
            int n = 0;
            for (int b = k0; b < k1; ++b)
                for (int a = i0; a < i1; ++a, ++n) {
                    sum += f->surface[4 * (a + f->nx * b)];
                    int c = a / f->fine + f->nx / f->fine * (b / f->fine);
                    wall += f->mask[c];
                    wet += r->basin->bar_wet ? r->basin->bar_wet[c] : 1.0f;
                }
            bool is_wall = f->has_walls && wall > 0.5f * (float)n;
            float* bar = r->bar_data + 4 * (i + MAX_BARS * k);
            float top = w->rest_level + sum / (float)n;
            bar[0] = is_wall ? w->wall_top : fmaxf(top, r->basin->shape.bottom + 1e-3f * w->dx);
            bar[1] = r->basin->shape.bottom;
            bar[2] = is_wall || wet < 0.5f * (float)n ? 1.0f : 0.0f;
            bar[3] = 0.0f;
        }
    if (!r->basin->bars) {
        r->basin->bars = tarn__texture_create(MAX_BARS, MAX_BARS, GL_RGBA32F, GL_RGBA, GL_FLOAT,
                                              NULL, false, GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    tarn__bind_texture(r, SLOT_BARS, r->basin->bars);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, MAX_BARS, MAX_BARS, GL_RGBA, GL_FLOAT, r->bar_data);
}
