// One frame, layer over layer, on one canvas. docs/rendering.md shows the order.

#include "renderer.h"
#include <time.h>

// ---- What a frame holds ----------------------------------------------------------------------------

static bool is_land(const TarnFrame* frame, int i)
{
    return frame->waters[i].land.ground.data != NULL && frame->mode != TARN_RENDER_BARS;
}

// What all stands on: land, else a basin with its deck, else the studio.
static void find_ground(TarnRenderer* r, const TarnFrame* frame)
{
    r->ground = GROUND_STUDIO;
    r->ground_water = -1;
    r->n_waters = frame->n_waters;
    r->n_liquids = frame->n_liquids;
    for (int i = frame->n_waters - 1; i >= 0; --i) {
        Ground kind = frame->mode == TARN_RENDER_BARS ? GROUND_BARS
                      : is_land(frame, i)             ? GROUND_LAND
                      : frame->waters[i].is_block     ? GROUND_STUDIO
                                                      : GROUND_BASIN;
        if (kind == GROUND_STUDIO || kind < r->ground) continue;
        r->ground = kind;
        r->ground_water = i;
    }
    bool has_glass = false, has_wires = false;
    for (int i = 0; i < frame->n_solids; ++i) has_glass |= frame->solids[i].is_glass;
    for (int i = 0; i < frame->n_bodies; ++i) has_glass |= frame->bodies[i].is_glass;
    for (int i = 0; i < frame->n_meshes; ++i) has_wires |= frame->meshes[i].has_wires;
    r->has_stage = frame->n_liquids + frame->n_particles + frame->n_gases > 0 || has_glass ||
                   has_wires || tarn__lamps(frame, NULL) > 0 || r->ground == GROUND_STUDIO;
    r->has_stage |= frame->sea != NULL;
    r->is_mixed = frame->n_waters > 0 && (r->has_stage || frame->n_waters > 1);
}

// The water a frame number stands for; as bars, land is a basin, too.
static void choose(TarnRenderer* r, int i)
{
    r->basin = &r->basins[i];
    r->land = &r->lands[i];
}

typedef struct Waters { // as they are drawn
    TarnFrameWater bars[TARN_FRAME_MAX_WATERS];
    const TarnFrameWater* list[TARN_FRAME_MAX_WATERS];
} Waters;

static TarnResult prepare_waters(TarnRenderer* r, const TarnFrame* frame, Waters* waters)
{
    TarnVec3 sun = tarn__sun_of(r, frame);
    for (int i = 0; i < frame->n_waters; ++i) {
        const TarnFrameWater* w = waters->list[i] = &frame->waters[i];
        choose(r, i);
        r->basin->bar_wet = NULL;
        if (is_land(frame, i)) {
            TARN_TRY(tarn__land_prepare(r, w, sun));
            continue;
        }
        if (w->land.ground.data) {
            TARN_TRY(tarn__land_bars(r->ctx, r->land, w, &waters->bars[i]));
            r->basin->bar_wet = r->land->weight;
            w = waters->list[i] = &waters->bars[i];
        }
        TARN_TRY(tarn__basin_prepare(r, frame, w));
    }
    return TARN_OK;
}

// ---- Constants -------------------------------------------------------------------------------------

static void widen(View* v, float near, float far)
{
    v->near = fminf(v->near, near);
    v->far = fmaxf(v->far, far);
}

static void set_view(TarnRenderer* r, const TarnFrame* frame, const Waters* waters)
{
    View* v = &r->view;
    const TarnCamera* c = &frame->camera;
    const Stage* s = &r->liquid.stage;
    TarnVec3 to = vec3_sub(c->target, c->eye);
    float near, far;
    *v = (View){ .forward = vec3_unit(to), .near = 1e30f, .distance = vec3_length(to) };
    for (int i = 0; i < frame->n_waters; ++i) {
        choose(r, i);
        if (is_land(frame, i))
            tarn__land_reach(r, frame, waters->list[i], &near, &far);
        else
            tarn__basin_reach(r, v->distance, &near, &far);
        widen(v, near, far);
    }
    if (frame->sea) {
        tarn__sea_reach(frame, &near, &far);
        widen(v, near, far);
    }
    float eye = vec3_length(vec3_sub(vec3_scale(vec3_add(s->lo, s->hi), 0.5f), c->eye));
    if (r->ground == GROUND_STUDIO && !frame->sea)
        widen(v, clampf(0.02f * v->distance, 0.002f * s->side, 0.1f * s->side),
              v->distance + 40.0f * s->side);
    else if (r->has_stage) // what is on the ground of a water is not seen from everywhere
        widen(v, clampf(0.2f * (eye - s->side), v->near, fmaxf(v->near, 0.1f * s->side)),
              eye + 2.0f * s->side);
    v->view = mat4_look_at(c->eye, c->target);
    v->proj = mat4_perspective(c->fov, (float)r->width / (float)r->height, v->near, v->far);
}

static void set_fog(const TarnRenderer* r, const TarnFrame* frame, const Waters* waters, float* to)
{
    const View* v = &r->view;
    float start = v->distance + 4.0f * r->liquid.stage.side, range = 8.0f * r->liquid.stage.side;
    if (r->ground_water >= 0) {
        float side = tarn__larger_side(waters->list[r->ground_water]);
        const BasinShape* s = &r->basins[r->ground_water].shape;
        const Land* land = &r->lands[r->ground_water];
        const float* b = land->block.basin;
        if (r->ground == GROUND_LAND) {
            TarnVec3 center =
                vec3(b[0] + 0.5f * b[2], 0.5f * (land->low + land->high), b[1] + 0.5f * b[3]);
            float distance = vec3_length(vec3_sub(center, frame->camera.eye));
            start = fmaxf(distance - 0.6f * side, 0.0f), range = 3.4f * side;
        } else {
            bool is_open = s->is_open[0] || s->is_open[1] || s->is_open[2] || s->is_open[3];
            side = fmaxf(s->x1 - s->x0, s->z1 - s->z0);
            start = v->distance + (is_open || s->is_natural ? 0.35f : 1.0f) * side;
            range = 3.2f * side;
        }
    }
    if (frame->sea) start = 200.0f, range = 7000.0f; // clear air over the sea
    tarn__set4(to, start, 1.0f / range, 0.0f, 0.0f);
}

// One map of shadows over everything that throws one.
static void set_light(TarnRenderer* r, const TarnFrame* frame, const Waters* waters)
{
    FrameBlock* f = &r->common;
    TarnVec3 sun = vec3(f->sun[0], f->sun[1], f->sun[2]);
    TarnVec3 boxes[2 * (TARN_FRAME_MAX_WATERS + 1)];
    int n = 0, lands = 0;
    for (int i = 0; i < frame->n_waters; ++i) {
        choose(r, i);
        if (is_land(frame, i)) {
            ++lands;
            continue;
        }
        tarn__basin_box(r, frame, waters->list[i], &boxes[2 * n], &boxes[2 * n + 1]);
        ++n;
    }
    if (frame->n_liquids + frame->n_particles + frame->n_gases > 0 || r->ground == GROUND_STUDIO) {
        const Stage* s = &r->liquid.stage;
        float m = 0.03f * s->side, high = s->hi.y;
        for (int i = 0; i < r->n_body_draws; ++i) // only near the box: others may be anywhere
            high = fmaxf(high, fminf(r->body_draws[i].high, s->hi.y + 0.5f * s->side));
        boxes[2 * n] = vec3(s->lo.x - m, s->lo.y - m, s->lo.z - m);
        boxes[2 * n + 1] = vec3(s->hi.x + m, high + m, s->hi.z + m);
        ++n;
    }
    float range = 1.0f;
    if (lands > 0) {
        r->land = &r->lands[r->ground_water];
        r->frame = *f;
        for (int k = 0; k < 4; ++k) r->frame.basin[k] = r->land->block.basin[k];
        f->light_proj = tarn__land_light(r, sun, boxes, n, &range);
        f->sun[3] = sun.y / range;
        return;
    }
    TarnVec3 lo = boxes[0], hi = boxes[1];
    for (int i = 1; i < n; ++i) {
        TarnVec3 a = boxes[2 * i], b = boxes[2 * i + 1];
        lo = vec3(fminf(lo.x, a.x), fminf(lo.y, a.y), fminf(lo.z, a.z));
        hi = vec3(fmaxf(hi.x, b.x), fmaxf(hi.y, b.y), fmaxf(hi.z, b.z));
    }
    f->light_proj = tarn__light_matrix(lo, hi, sun, &range);
    f->sun[3] = 1.0f / range;
}

// What all layers share, then the block of each.
static TarnResult set_constants(TarnRenderer* r, const TarnFrame* frame, const Waters* waters)
{
    FrameBlock* f = &r->common;
    const TarnCamera* c = &frame->camera;
    *f = (FrameBlock){ 0 };
    tarn__environment(r, frame);
    set_view(r, frame, waters);
    f->view_proj = f->mirror_view_proj = mat4_mul(&r->view.proj, &r->view.view);
    tarn__set4(f->eye, c->eye.x, c->eye.y, c->eye.z, (float)fmod(frame->time, 3600.0));
    tarn__set4(f->screen, (float)r->width, (float)r->height, 1.0f / (float)r->width,
               1.0f / (float)r->height);
    set_fog(r, frame, waters, f->fog);
    tarn__set4(f->deep_water, 0, 0, 0, -1e9f);
    f->deep_light[3] = frame->mode == TARN_RENDER_BARS ? 0.0f : frame->sky.fog;
    set_light(r, frame, waters);
    float spacing = 0.01f * r->liquid.stage.side;
    for (int i = frame->n_liquids - 1; i >= 0; --i) spacing = frame->liquids[i].spacing;
    tarn__set4(f->mixing, spacing, r->liquid.stage.side, frame->n_liquids > 0 ? 1.0f : 0.0f, -1e9f);
    r->gas.n = 0;
    r->gas.is_seen = r->gas.has_glow = false;
    if (r->has_stage) {
        tarn__stage_constants(r, frame, &r->liquid.stage, tarn__liquid_of(frame), &r->frame);
        TARN_TRY(tarn__gas_update(r, frame)); // light and fires into the block
        TARN_TRY(tarn__sprites_update(r, frame, true));
        for (int i = 0; i < 4; ++i) {
            f->gas_lo[i] = r->frame.gas_lo[i], f->gas_size[i] = r->frame.gas_size[i];
            f->gas_fire[i] = r->frame.gas_fire[i];
            for (int k = 0; k < 2 * MAX_FIRES; ++k) f->fires[k][i] = r->frame.fires[k][i];
        }
        r->stage_block = r->frame;
        for (int i = 0; i < frame->n_liquids; ++i) {
            OneLiquid* one = &r->liquid.each[i];
            tarn__stage_constants(r, frame, &one->stage, &frame->liquids[i], &one->block);
        }
    }
    for (int i = 0; i < frame->n_waters; ++i) {
        choose(r, i);
        if (!is_land(frame, i)) {
            tarn__basin_constants(r, frame, waters->list[i]);
            continue;
        }
        tarn__land_constants(r, frame, waters->list[i]);
    }
    return TARN_OK;
}

// ---- Layers ----------------------------------------------------------------------------------------

static const FrameBlock* block_of(const TarnRenderer* r, const TarnFrame* frame, int water)
{
    return water < 0               ? &r->stage_block
           : is_land(frame, water) ? &r->lands[water].block
                                   : &r->basins[water].block;
}

static TarnResult pass_shadow(TarnRenderer* r, const TarnFrame* frame)
{
    const float far[4] = { 1, 1, 0, 0 };
    bool has_basin = false;
    tarn__target_bind(&r->shadow);
    glClearBufferfv(GL_COLOR, 0, far);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < frame->n_waters; ++i) {
        if (is_land(frame, i)) continue;
        choose(r, i);
        tarn__use_block(r, &r->basin->block);
        tarn__basin_bind(r);
        tarn__basin_shadow(r, frame->mode == TARN_RENDER_BARS);
        has_basin = true;
    }
    for (int i = -1; i < frame->n_waters; ++i) {
        if (i < 0 && r->ground != GROUND_STUDIO) continue;
        tarn__use_block(r, block_of(r, frame, i));
        bool has_sheets = i >= 0 && is_land(frame, i) && tarn__has_sheets(&frame->waters[i]);
        if (i >= 0 && is_land(frame, i) && (r->n_body_draws > 0 || r->is_mixed || has_sheets)) {
            choose(r, i);
            tarn__land_shadow(r);
        }
        if (has_sheets) TARN_TRY(tarn__shadow_sheets(r, &frame->waters[i]));
        tarn__draw_bodies(r, &r->solid[MATERIAL_BODY][PASS_SHADOW], i, -INFINITY, INFINITY);
    }
    bool is_wide = r->ground == GROUND_LAND;
    tarn__blur_shadow(r, is_wide);
    if (!has_basin) return TARN_OK; // for soft shadows of what is far away
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    glGenerateMipmap(GL_TEXTURE_2D);
    return TARN_OK;
}

// Waters from the farthest to the nearest.
static void sort_waters(const TarnRenderer* r, const TarnFrame* frame, int* order)
{
    float away[TARN_FRAME_MAX_WATERS];
    TarnVec3 eye = frame->camera.eye;
    for (int i = 0; i < frame->n_waters; ++i) {
        const float* b = block_of(r, frame, i)->basin;
        float x = clampf(eye.x, b[0], b[0] + b[2]) - eye.x;
        float z = clampf(eye.z, b[1], b[1] + b[3]) - eye.z;
        float y = frame->waters[i].rest_level - eye.y;
        away[i] = x * x + y * y + z * z;
        int k = i;
        for (; k > 0 && away[order[k - 1]] < away[i]; --k) order[k] = order[k - 1];
        order[k] = i;
    }
}

static void draw_bodies(TarnRenderer* r, const TarnFrame* frame)
{
    for (int i = -1; i < frame->n_waters; ++i) {
        if (i < 0 && r->ground != GROUND_STUDIO) continue;
        tarn__use_block(r, block_of(r, frame, i));
        if (i >= 0) choose(r, i);
        if (i < 0) {
            tarn__draw_bodies(r, tarn__studio_body(r), -1, -INFINITY, INFINITY);
        } else if (is_land(frame, i)) {
            tarn__land_bodies(r, i);
        } else {
            bool is_bars = frame->mode == TARN_RENDER_BARS;
            float low = is_bars ? -INFINITY : r->basin->shape.rest - r->basin->depth;
            tarn__basin_bind(r);
            glEnable(GL_CULL_FACE);
            tarn__draw_bodies(r, tarn__solid_program(r, MATERIAL_BODY, PASS_FINAL), i, low,
                              INFINITY);
        }
        glDisable(GL_CULL_FACE);
    }
}

// Everything that hides what is behind it, and the water of basins, which is made from pictures of its own.
// *dip: of the lens in the water of a basin.
static TarnResult draw_solids(TarnRenderer* r, const TarnFrame* frame, const Waters* waters,
                              Dip* dip, int* diving)
{
    bool is_bars = frame->mode == TARN_RENDER_BARS;
    int order[TARN_FRAME_MAX_WATERS] = { 0 };
    sort_waters(r, frame, order);
    *dip = DIP_NONE;
    tarn__canvas_bind(r, CANVAS_SOLID); // land and the studio fill it themselves
    if (r->ground == GROUND_BASIN || r->ground == GROUND_BARS)
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < frame->n_waters; ++i) {
        int land = i == 0 ? r->ground_water : i == r->ground_water ? 0 : i; // the ground first
        if (r->ground != GROUND_LAND || !is_land(frame, land)) continue;
        choose(r, land);
        tarn__use_block(r, &r->land->block);
        tarn__land_ground(r, waters->list[land], land == r->ground_water);
    }
    if (r->ground == GROUND_STUDIO) {
        tarn__use_block(r, &r->stage_block);
        if (frame->sea)
            tarn__sea_sky(r);
        else
            tarn__stage_floor(r);
    }
    for (int k = 0; k < frame->n_waters; ++k) {
        int i = order[k];
        if (is_land(frame, i)) continue;
        choose(r, i);
        tarn__use_block(r, &r->basin->block);
        glEnable(GL_DEPTH_TEST);
        if (is_bars) {
            glEnable(GL_CULL_FACE);
            tarn__canvas_bind(r, CANVAS_SOLID);
            tarn__basin_bars(r, i == r->ground_water);
            continue;
        }
        Dip now = tarn__dip(r, tarn__basin_level);
        if (now != DIP_NONE) {
            TARN_TRY(tarn__dive_prepare(r));
            *dip = now, *diving = i;
        }
        TARN_TRY(tarn__basin_water(r, waters->list[i], i, now));
    }
    tarn__canvas_bind(r, CANVAS_SOLID);
    glEnable(GL_DEPTH_TEST);
    bool is_above = *dip != DIP_FULL || r->is_mixed;
    if (is_above) draw_bodies(r, frame);
    for (int i = 0; i < frame->n_waters && is_above && !is_bars; ++i) {
        if (is_land(frame, i)) continue;
        choose(r, i);
        tarn__use_block(r, &r->basin->block);
        tarn__basin_bind(r);
        glEnable(GL_CULL_FACE);
        tarn__draw_scenery(r, PASS_FINAL);
    }
    glDisable(GL_CULL_FACE);
    if (frame->sea && r->ground != GROUND_LAND) {
        tarn__use_block(r, &r->stage_block);
        tarn__sea_draw(r, frame);
    }
    if (r->has_stage) TARN_TRY(tarn__stage_solids(r, frame));
    if (r->ground_water >= 0 && r->ground != GROUND_LAND && is_above) {
        tarn__use_block(r, &r->basins[r->ground_water].block);
        tarn__draw_backdrop(r);
    }
    return TARN_OK;
}

static TarnResult draw_land_waters(TarnRenderer* r, const TarnFrame* frame, const Waters* waters)
{
    int order[TARN_FRAME_MAX_WATERS] = { 0 }, left = 0;
    sort_waters(r, frame, order);
    for (int i = 0; i < frame->n_waters; ++i) left += is_land(frame, i);
    for (int k = 0; k < frame->n_waters; ++k) {
        if (!is_land(frame, order[k])) continue;
        choose(r, order[k]);
        tarn__use_block(r, &r->land->block);
        TARN_TRY(tarn__land_water(r, waters->list[order[k]], --left == 0 && !r->has_stage));
    }
    return TARN_OK;
}

// ---- All of them -----------------------------------------------------------------------------------

static double now_in_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

void tarn__layer(TarnRenderer* r, Layer next)
{
    if (r->timing.is_on) {
        glFinish();
        double now = now_in_ms();
        r->timing.ms[r->timing.layer] += now - r->timing.since;
        r->timing.since = now;
    }
    r->timing.layer = next;
}

// Over what is solid and over waters; the layers after it have their own.
static void draw_fog(TarnRenderer* r, float per_meter)
{
    const float param[4] = { per_meter, 0, 0, 0 };
    tarn__canvas_bind(r, CANVAS_OVER);
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, r->canvas.depth);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    tarn__use(r, &r->fog, param);
    glUniformMatrix4fv(r->fog.gl->model, 1, GL_FALSE, back.m);
    tarn__draw_screen(r);
    glDisable(GL_BLEND);
}

// The number of the water that the eye is in, and its level there; -1: none.
static int water_around_eye(TarnRenderer* r, const TarnFrame* frame, float* level)
{
    TarnVec3 eye = frame->camera.eye;
    for (int i = 0; i < frame->n_waters && frame->mode != TARN_RENDER_BARS; ++i) {
        choose(r, i);
        r->frame = *block_of(r, frame, i);
        *level = is_land(frame, i) ? tarn__land_level(r, eye) : tarn__basin_level(r, eye);
        float bed = is_land(frame, i) ? -INFINITY : r->basin->shape.rest - 4.0f * r->basin->depth;
        if (eye.y < *level && eye.y > bed) return i; // a vessel on a table has air below it
    }
    return -1;
}

static void set_murk(FrameBlock* f, const FrameBlock* water, float level)
{
    float deep = level - f->eye[1];
    for (int k = 0; k < 3; ++k) {
        f->deep_water[k] = water->absorb[k];
        f->deep_light[k] = water->water_color[k] * (f->sky_color[k] + 0.3f * f->sun_color[k]) *
                           expf(-0.45f * water->absorb[k] * deep);
    }
    f->deep_water[3] = level;
}

// Liquids, gases and particles as the eye sees them from under water.
static void dive_stage(TarnRenderer* r, const TarnFrame* frame)
{
    float level = 0.0f;
    int water = water_around_eye(r, frame, &level);
    if (water < 0) return;
    const FrameBlock* f = block_of(r, frame, water);
    set_murk(&r->stage_block, f, level);
    for (int i = 0; i < frame->n_liquids; ++i) set_murk(&r->liquid.each[i].block, f, level);
    tarn__bend_points(r, frame, level);
}

TarnResult tarn__layers_draw(TarnRenderer* r, const TarnFrame* frame)
{
    Waters waters;
    Dip dip;
    int diving = 0;
    find_ground(r, frame);
    r->liquid.stage = tarn__stage_of(frame);
    if (r->liquid.stage.is_flat) return tarn__flat_draw(r, frame);
    r->liquid.one = &r->liquid.each[0];
    if (r->has_stage) TARN_TRY(tarn__stage_parts(r));
    if (r->is_mixed) TARN_TRY(tarn__mixed_programs(r));
    TARN_TRY(prepare_waters(r, frame, &waters));
    if (frame->sea) TARN_TRY(tarn__sea_prepare(r, frame->sea));
    if (r->has_stage) TARN_TRY(tarn__stage_prepare(r, frame));
    TARN_TRY(tarn__frame_bodies(r, frame));
    TARN_TRY(set_constants(r, frame, &waters));
    for (int i = 0; i < frame->n_waters && frame->mode == TARN_RENDER_BARS; ++i) {
        choose(r, i);
        tarn__fill_bars(r, waters.list[i]);
    }

    tarn__layer(r, LAYER_SHADOW);
    r->frame = *block_of(r, frame, r->ground_water);
    tarn__begin_frame(r);
    tarn__pass_sky(r);
    TARN_TRY(pass_shadow(r, frame));
    glDisable(GL_DEPTH_TEST);
    if (r->has_stage) tarn__pass_light(r, frame);
    if (r->gas.is_seen) tarn__bind_volume(r, SLOT_GAS_LIGHT, r->gas.light_texture);

    tarn__layer(r, LAYER_SOLID);
    TARN_TRY(draw_solids(r, frame, &waters, &dip, &diving));
    tarn__layer(r, LAYER_WATER);
    TARN_TRY(draw_land_waters(r, frame, &waters));
    if (frame->sea && r->ground == GROUND_LAND) {
        tarn__canvas_bind(r, CANVAS_SOLID);
        tarn__use_block(r, &r->lands[r->ground_water].block);
        tarn__sea_draw(r, frame);
    }
    if (dip != DIP_NONE) {
        choose(r, diving);
        tarn__use_block(r, &r->basin->block);
        tarn__basin_bind(r);
        if (frame->n_waters > 1) // others have used its maps
            TARN_TRY(tarn__basin_water(r, waters.list[diving], diving, DIP_FULL));
        glEnable(GL_DEPTH_TEST);
        glEnable(GL_CULL_FACE);
        tarn__pass_dive(r);
    }
    if (frame->sky.fog > 0.0f && frame->mode != TARN_RENDER_BARS) draw_fog(r, frame->sky.fog);
    tarn__layer(r, LAYER_LIQUID);
    if (r->has_stage) {
        dive_stage(r, frame);
        TARN_TRY(tarn__stage_over(r, frame));
    }
    tarn__layer(r, LAYER_POST);
    tarn__use_block(r, block_of(r, frame, r->ground_water));
    tarn__pass_post(r);
    return TARN_OK;
}
