// Passes that all layers share: sky, shadows, the final picture; bodies.

#include "renderer.h"

void tarn__draw_screen(const TarnRenderer* r)
{
    glBindVertexArray(r->empty.vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void tarn__draw_screen_back(const TarnRenderer* r, const Program* p)
{
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    tarn__use(r, p, NULL);
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, back.m);
    tarn__draw_screen(r);
}

void tarn__draw_body(const Program* p, const BodyDraw* d)
{
    if (p->gl->model >= 0) glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, d->model.m);
    if (p->gl->core_size >= 0) glUniform4fv(p->gl->core_size, 1, d->core_size);
    if (p->gl->color >= 0) glUniform4fv(p->gl->color, 1, d->color);
    if (p->gl->emitted >= 0) glUniform4fv(p->gl->emitted, 1, d->glow);
    if (p->gl->param >= 0) glUniform4fv(p->gl->param, 1, d->param);
    tarn__mesh_draw(d->mesh);
}

void tarn__draw_bodies(const TarnRenderer* r, const Program* p, int water, float low, float high)
{
    tarn__use(r, p, NULL);
    for (int i = 0; i < r->n_body_draws; ++i) {
        const BodyDraw* d = &r->body_draws[i];
        if (d->is_glass || d->high < low || d->low > high) continue;
        if (water != ALL_BODIES && d->water != water) continue;
        tarn__draw_body(p, d);
    }
}

void tarn__pass_sky(TarnRenderer* r)
{
    tarn__target_bind(&r->sky);
    tarn__use(r, &r->sky_program, NULL);
    tarn__draw_screen(r);
    tarn__bind_texture(r, SLOT_SKY, r->sky.color[0]);
}

// Over land twice, and wider: the map is coarse where it spans a valley, and the steps of its texels would show.
void tarn__blur_shadow(TarnRenderer* r, bool is_wide)
{
    glDisable(GL_DEPTH_TEST);
    Target* maps[2] = { &r->shadow, &r->soft_shadow };
    int n = is_wide ? 2 : 1;
    for (int i = 0; i < n; ++i) {
        const float x = (!is_wide ? 0.9f : i ? 2.4f : 1.3f) / SHADOW_SIDE;
        const float step[4] = { x, i ? 0.0f : x, i ? 0.0f : -x, x };
        tarn__target_bind(maps[1 - i]);
        tarn__bind_texture(r, SLOT_IMAGE, maps[i]->color[0]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR); // coarser levels are old
        tarn__use(r, &r->blur, step);
        tarn__draw_screen(r);
    }
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_SHADOW, maps[n & 1]->color[0]);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
}

void tarn__pass_post(TarnRenderer* r)
{
    GLuint image = r->canvas.color[r->canvas.now];
    glDisable(GL_DEPTH_TEST);
    float sx = 1.0f / (float)r->width, sy = 1.0f / (float)r->height;
    tarn__target_bind(&r->glow[0]);
    tarn__bind_texture(r, SLOT_IMAGE, image);
    tarn__use(r, &r->bright, NULL);
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
    tarn__use(r, &r->post, NULL);
    tarn__draw_screen(r);
}

void tarn__use_block(TarnRenderer* r, const FrameBlock* block)
{
    r->frame = *block;
    glBindBuffer(GL_UNIFORM_BUFFER, r->frame_buffer);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(FrameBlock), &r->frame);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->frame_buffer);
}

void tarn__begin_frame(TarnRenderer* r)
{
    tarn__use_block(r, &r->frame);
    tarn__bind_texture(r, SLOT_RIPPLE, r->materials.ripple);
    tarn__bind_texture(r, SLOT_NOISE, r->materials.noise);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glClearColor(0, 0, 0, 0);
}
