// What waters show of the stage: in its mirror, liquids as balls, gases marched coarsely, and
// particles; below its surface, liquids as balls, where calm water shows them.

#include "renderer.h"

TarnResult tarn__mirror_create(TarnRenderer* r)
{
    glGenFramebuffers(2, r->mirror_fbo);
    for (int i = 0; i < 2; ++i) {
        glBindFramebuffer(GL_FRAMEBUFFER, r->mirror_fbo[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               r->mirror.color[0], 0);
        if (i == MIRROR_SOLID)
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D,
                                   r->mirror.depth, 0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                              "renderer: the driver refuses the framebuffer of mirrors");
    }
    return TARN_OK;
}

void tarn__mirror_bind(const TarnRenderer* r, MirrorPart part)
{
    glBindFramebuffer(GL_FRAMEBUFFER, r->mirror_fbo[part]);
    glViewport(0, 0, r->mirror.width, r->mirror.height);
}

// To draw over the canvas, or over the mirror that is made.
void tarn__over_bind(const TarnRenderer* r)
{
    if (r->is_mirroring)
        tarn__mirror_bind(r, MIRROR_OVER);
    else
        tarn__canvas_bind(r, CANVAS_OVER);
}

// The camera below the water that looks up where the eye looks down.
static void turn_over(const TarnRenderer* r, const Mat4* view_proj, float level, FrameBlock* f)
{
    float w = (float)r->mirror.width, h = (float)r->mirror.height;
    f->view_proj = *view_proj;
    f->eye[1] = 2.0f * level - f->eye[1];
    f->coast[1] = -f->coast[1];
    f->coast[3] *= h / f->screen[1];
    tarn__set4(f->screen, w, h, 1.0f / w, 1.0f / h);
    f->mixing[3] = level;
    f->deep_light[3] = 0.0f; // there is fog before the water, not in its mirror
}

static void draw_balls(TarnRenderer* r, const Program* p, int i)
{
    const OneLiquid* one = &r->liquid.each[i];
    tarn__bind_texture(r, SLOT_POINTS, one->texture.id);
    tarn__use(r, p, NULL);
    tarn__draw_points(r, 0, one->points.n);
}

TarnResult tarn__stage_mirrored(TarnRenderer* r, float level)
{
    FrameBlock block;
    const FrameBlock water = r->frame;
    glDisable(GL_CULL_FACE);
    tarn__mirror_bind(r, MIRROR_SOLID);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_ONE, GL_ZERO, GL_ZERO, GL_ZERO); // nothing shines through them
    for (int i = 0; i < r->n_liquids; ++i) {
        block = r->liquid.each[i].block;
        turn_over(r, &water.mirror_view_proj, level, &block);
        tarn__use_block(r, &block);
        draw_balls(r, &r->liquid.balls, i);
    }
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    block = r->stage_block;
    turn_over(r, &water.mirror_view_proj, level, &block);
    tarn__use_block(r, &block);
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, r->mirror.depth);
    tarn__target_bind(&r->liquid.surface[0]); // no liquid is before them
    glClear(GL_COLOR_BUFFER_BIT);
    tarn__bind_texture(r, SLOT_LIQUID, r->liquid.surface[0].color[0]);
    r->is_mirroring = true;
    TARN_TRY(tarn__gas_draw(r));
    tarn__mirror_bind(r, MIRROR_OVER);
    tarn__sprites_draw(r);
    r->is_mirroring = false;
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    tarn__use_block(r, &water);
    return TARN_OK;
}

void tarn__stage_under(TarnRenderer* r)
{
    const FrameBlock* water = &r->basin->block;
    glDisable(GL_CULL_FACE);
    for (int i = 0; i < r->n_liquids; ++i) {
        FrameBlock block = r->liquid.each[i].block;
        block.levels[0] = water->levels[0];
        block.mixing[3] = water->levels[0];
        for (int k = 0; k < 4; ++k) {
            block.light_down[k] = water->light_down[k];
            block.absorb[k] = water->absorb[k];
            block.water_color[k] = water->water_color[k];
        }
        tarn__use_block(r, &block);
        draw_balls(r, &r->liquid.balls_under, i);
    }
    glEnable(GL_CULL_FACE);
    tarn__use_block(r, water);
}
