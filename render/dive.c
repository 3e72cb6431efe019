// A basin seen from under water, or with the water line on the lens.
//
// The lens is the near plane: each of its pixels is in the air or in the water, and its line of
// sight starts there. So the water line is where the surface meets the lens, and it moves with
// the camera and the waves, without a sudden switch.

#include "renderer.h"

// ---- Is the lens in the water? -------------------------------------------------------------------

float tarn__basin_level(const TarnRenderer* r, TarnVec3 p)
{
    const BasinShape* s = &r->basin->shape;
    const Field* f = &r->basin->field;
    float u = (p.x - s->x0) / (s->x1 - s->x0), v = (p.z - s->z0) / (s->z1 - s->z0);
    float over[4] = { -u, u - 1.0f, -v, v - 1.0f }, out = 0.0f;
    for (int i = 0; i < 4; ++i) {
        if (over[i] > 0.0f && !s->is_open[i] && !s->is_natural) return -INFINITY;
        out += fmaxf(over[i], 0.0f);
    }
    int i = (int)(clampf(u, 0.0f, 1.0f) * (float)(f->nx - 1));
    int k = (int)(clampf(v, 0.0f, 1.0f) * (float)(f->nz - 1));
    return s->rest + f->surface[4 * (i + f->nx * k)] * expf(-5.0f * out);
}

float tarn__land_level(const TarnRenderer* r, TarnVec3 p)
{
    const float* b = r->frame.basin;
    const Field* f = &r->land->field;
    float u = (p.x - b[0]) / b[2], v = (p.z - b[1]) / b[3];
    if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f)) return -INFINITY;
    int i = (int)(u * (float)(f->nx - 1)), k = (int)(v * (float)(f->nz - 1));
    const float* s = f->surface + 4 * (i + f->nx * k);
    // As high as it is drawn.
    return s[3] > 0.0f ? r->land->base + s[0] + r->frame.coast[0] : -INFINITY;
}

Dip tarn__dip(const TarnRenderer* r, LevelAt* level_at)
{
    enum { N = 6 }; // samples along each side of the lens
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    float lowest = INFINITY, highest = -INFINITY, size = 0.0f;
    for (int j = 0; j <= N; ++j)
        for (int i = 0; i <= N; ++i) {
            float x = 2.0f * (float)i / N - 1.0f, y = 2.0f * (float)j / N - 1.0f, q[4];
            for (int k = 0; k < 4; ++k)
                q[k] = back.m[k] * x + back.m[4 + k] * y - back.m[8 + k] + back.m[12 + k];
            TarnVec3 p = vec3(q[0] / q[3], q[1] / q[3], q[2] / q[3]);
            TarnVec3 eye = vec3(r->frame.eye[0], r->frame.eye[1], r->frame.eye[2]);
            float above = p.y - level_at(r, p);
            lowest = fminf(lowest, above);
            highest = fmaxf(highest, above);
            size = fmaxf(size, vec3_length(vec3_sub(p, eye)));
        }
    // Between the samples the surface may be higher or lower. Too wide a margin only costs time.
    float margin = 0.25f * size;
    return lowest > margin ? DIP_NONE : highest < -margin ? DIP_FULL : DIP_HALF;
}

// ---- Passes --------------------------------------------------------------------------------------

TarnResult tarn__dive_prepare(TarnRenderer* r)
{
    Dive* d = &r->dive;
    if (d->is_ready) return TARN_OK;
    tarn__dive_destroy(r); // left by a failed attempt
    int w = r->width, h = r->height;
    TargetDef within = { w, h, 0, { GL_RGBA16F }, true, true };
    TargetDef window = {
        maxi(2 * w / 3, 1), maxi(2 * h / 3, 1), 0, { GL_RGBA16F, GL_R16F }, true, false
    };
    TargetDef shafts = { maxi(w / 3, 1), maxi(h / 3, 1), 0, { GL_R16F }, false, false };
    TARN_TRY(tarn__target_create(r->ctx, &within, &d->within));
    TARN_TRY(tarn__target_create(r->ctx, &window, &d->window));
    TARN_TRY(tarn__target_create(r->ctx, &shafts, &d->shafts[0]));
    TARN_TRY(tarn__target_create(r->ctx, &shafts, &d->shafts[1]));
    TARN_TRY(tarn__dive_programs(r));
    d->is_ready = true;
    return TARN_OK;
}

void tarn__dive_destroy(TarnRenderer* r)
{
    Dive* d = &r->dive;
    Target* targets[] = { &d->within, &d->window, &d->shafts[0], &d->shafts[1] };
    for (int i = 0; i < 4; ++i) tarn__target_destroy(targets[i]);
    d->is_ready = false;
}

static void draw_all(const TarnRenderer* r, const Target* target, Pass pass)
{
    const float nothing[4] = { 0 };
    float rest = r->basin->shape.rest;
    tarn__target_bind(target);
    glClearBufferfv(GL_COLOR, 0, nothing);
    if (target->color[1]) glClearBufferfv(GL_COLOR, 1, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    float low = pass == PASS_WINDOW ? rest : -INFINITY;
    float high = pass == PASS_WINDOW ? INFINITY : rest + 2.0f * r->basin->depth;
    tarn__draw_bodies(r, tarn__solid_program(r, MATERIAL_BODY, pass), ALL_BODIES, low, high);
    tarn__draw_scenery(r, pass);
}

void tarn__shafts(TarnRenderer* r, const Program* program, Target target[2], const Mat4* back)
{
    glDisable(GL_DEPTH_TEST);
    tarn__target_bind(&target[0]);
    tarn__use(r, program, NULL);
    glUniformMatrix4fv(program->gl->model, 1, GL_FALSE, back->m);
    tarn__draw_screen(r);
    for (int i = 0; i < 2; ++i) { // over the pattern of the dither, and it is soft anyway
        float wide = i ? 2.5f : 1.5f;
        float x = wide / (float)target[0].width, y = wide / (float)target[0].height;
        const float step[4] = { x, i ? 0.0f : y, i ? 0.0f : -x, y };
        tarn__target_bind(&target[1 - i]);
        tarn__bind_texture(r, SLOT_IMAGE, target[i].color[0]);
        tarn__use(r, &r->blur, step);
        tarn__draw_screen(r);
    }
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_SHAFTS, target[0].color[0]);
}

// Over the final picture. The first program leaves the depth 1 where the surface is seen from below.
void tarn__dive_over(TarnRenderer* r, const Program program[2], const Mat4* back)
{
    tarn__canvas_bind(r, CANVAS_FLAGS);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (int part = DIVE_SOLIDS; part <= DIVE_SURFACE; ++part) {
        tarn__use(r, &program[part], NULL);
        glUniformMatrix4fv(program[part].gl->model, 1, GL_FALSE, back->m);
        glDepthFunc(part == DIVE_SOLIDS ? GL_ALWAYS : GL_LEQUAL);
        glDepthMask(part == DIVE_SOLIDS ? GL_TRUE : GL_FALSE);
        tarn__draw_screen(r);
    }
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
}

void tarn__pass_dive(TarnRenderer* r)
{
    Dive* d = &r->dive;
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    draw_all(r, &d->within, PASS_WITHIN);
    glFrontFace(GL_CW);
    draw_all(r, &r->mirror, PASS_INNER);
    glFrontFace(GL_CCW);
    draw_all(r, &d->window, PASS_WINDOW);
    tarn__bind_texture(r, SLOT_WITHIN_DEPTH, d->within.depth);
    tarn__shafts(r, &d->shafts_program, d->shafts, &back);

    tarn__bind_texture(r, SLOT_WITHIN, d->within.color[0]);
    tarn__bind_texture(r, SLOT_INNER, r->mirror.color[0]);
    tarn__bind_texture(r, SLOT_INNER_DEPTH, r->mirror.color[1]);
    tarn__bind_texture(r, SLOT_WINDOW, d->window.color[0]);
    tarn__bind_texture(r, SLOT_WINDOW_HEIGHT, d->window.color[1]);
    tarn__dive_over(r, d->program[r->basin->shape.has_terrain ? 1 : 0], &back);
}
