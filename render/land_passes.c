// The passes of a picture of water over land. internal.h lists what each is for.

#include "internal.h"

enum { MAX_LAND = 320 }; // quads of the meshes along one side

// ---- Created once -------------------------------------------------------------------------------

static TarnResult prepare(TarnRenderer* r)
{
    Land* l = &r->land;
    if (l->is_ready) return TARN_OK;
    int w = r->width, h = r->height;
    TargetDef depth = { w, h, 0, { 0 }, true, true };
    tarn__land_destroy(r); // left by a failed attempt
    TARN_TRY(tarn__target_create(r->ctx, &depth, &l->seen));
    TARN_TRY(tarn__land_textures(r->ctx, &r->materials));
    TARN_TRY(tarn__land_programs(r));
    l->is_ready = true;
    return TARN_OK;
}

static TarnResult prepare_dive(TarnRenderer* r)
{
    Land* l = &r->land;
    if (l->can_dive) return TARN_OK;
    TargetDef shafts = {
        maxi(r->width / 3, 1), maxi(r->height / 3, 1), 0, { GL_R16F }, false, false
    };
    for (int i = 0; i < 2; ++i) {
        tarn__target_destroy(&l->shafts[i]); // left by a failed attempt
        TARN_TRY(tarn__target_create(r->ctx, &shafts, &l->shafts[i]));
    }
    tarn__program_destroy(&l->shafts_program);
    for (int i = 0; i < 2; ++i) tarn__program_destroy(&l->dive_program[i]);
    TARN_TRY(tarn__land_dive_programs(r));
    l->can_dive = true;
    return TARN_OK;
}

void tarn__land_destroy(TarnRenderer* r)
{
    Land* l = &r->land;
    Program* programs[] = { &l->sea,
                            &l->ground_depth,
                            &l->water_depth,
                            &l->background,
                            &l->ground_program,
                            &l->cut_program,
                            &l->body,
                            &l->dry_program,
                            &l->water_program,
                            &l->shafts_program,
                            &l->dive_program[0],
                            &l->dive_program[1] };
    for (int i = 0; i < 12; ++i) tarn__program_destroy(programs[i]);
    Target* targets[] = { &l->seen, &l->shafts[0], &l->shafts[1] };
    for (int i = 0; i < 3; ++i) tarn__target_destroy(targets[i]);
    l->can_dive = false;
    tarn__mesh_destroy(&l->plan);
    tarn__mesh_destroy(&l->cut);
    GLuint textures[] = { l->ground_texture, l->surface_texture, l->flow_texture, l->shade_texture,
                          r->materials.rough };
    glDeleteTextures(5, textures);
    l->ground_texture = l->surface_texture = l->flow_texture = l->shade_texture = 0;
    r->materials.rough = 0;
    l->plan_nx = l->plan_nz = l->texture_nx = l->texture_nz = 0;
    l->is_ready = false;
}

// ---- Depends on the size of the grid ---------------------------------------------------------------

static TarnResult build_meshes(TarnRenderer* r)
{
    Land* l = &r->land;
    const bool closed[4] = { false };
    int longer = maxi(l->nx, l->nz), most = mini(MAX_LAND, maxi(l->field.nx, l->field.nz));
    int nx = maxi((int)((long)most * l->nx / longer), 2);
    int nz = maxi((int)((long)most * l->nz / longer), 2);
    if (nx == l->plan_nx && nz == l->plan_nz) return TARN_OK;
    l->plan_nx = l->plan_nz = 0;
    MeshData data = { .ctx = r->ctx };
    tarn__build_plan(&data, nx, nz, closed, 0.0f);
    TarnResult result = tarn__mesh_upload(&data, &l->plan);
    tarn__mesh_free(&data);
    if (result != TARN_OK) return result;
    tarn__build_cut(&data, nx, nz);
    result = tarn__mesh_upload(&data, &l->cut);
    tarn__mesh_free(&data);
    if (result != TARN_OK) return result;
    l->plan_nx = nx;
    l->plan_nz = nz;
    return TARN_OK;
}

static GLuint field_texture(int nx, int nz, bool has_mips)
{
    GLuint id = tarn__texture_create(nx, nz, GL_RGBA32F, GL_RGBA, GL_FLOAT, NULL, has_mips,
                                     GL_CLAMP_TO_EDGE);
    if (has_mips) glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    return id;
}

static TarnResult fit(TarnRenderer* r, const TarnFrameWater* w)
{
    Land* l = &r->land;
    int nx = w->land.ground.nx, nz = w->land.ground.nz;
    TARN_TRY(tarn__land_resize(r->ctx, l, nx, nz));
    if (l->texture_nx == nx && l->texture_nz == nz) return TARN_OK;
    l->is_ground_new = true;
    l->texture_nx = l->texture_nz = 0;
    const Field* f = &l->field;
    GLuint old[] = { l->ground_texture, l->surface_texture, l->flow_texture, l->shade_texture };
    glDeleteTextures(4, old);
    l->ground_texture = field_texture(f->nx, f->nz, true);
    l->surface_texture = field_texture(f->nx, f->nz, false);
    l->flow_texture = field_texture(f->nx / f->fine, f->nz / f->fine, false);
    l->shade_texture = field_texture(f->nx, f->nz, false);
    TARN_TRY(build_meshes(r));
    l->texture_nx = nx;
    l->texture_nz = nz;
    return TARN_OK;
}

static void upload(GLuint id, int nx, int nz, const float* data)
{
    glBindTexture(GL_TEXTURE_2D, id);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, nx, nz, GL_RGBA, GL_FLOAT, data);
}

static void upload_fields(Land* l)
{
    const Field* f = &l->field;
    glActiveTexture(GL_TEXTURE0 + SLOT_GROUND);
    if (l->is_ground_new) {
        upload(l->ground_texture, f->nx, f->nz, f->bed);
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    upload(l->shade_texture, f->nx, f->nz, l->shade);
    upload(l->surface_texture, f->nx, f->nz, f->surface);
    upload(l->flow_texture, f->nx / f->fine, f->nz / f->fine, l->flow);
    l->is_ground_new = false;
}

// ---- Passes ------------------------------------------------------------------------------------

static void pass_shadow(TarnRenderer* r)
{
    const float far[4] = { 1, 1, 0, 0 };
    tarn__target_bind(&r->shadow);
    glClearBufferfv(GL_COLOR, 0, far);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    tarn__draw_bodies(r, &r->solid[MATERIAL_BODY][PASS_SHADOW], -INFINITY, INFINITY);
    tarn__blur_shadow(r);
    // Twice more: the map is coarse where it spans a valley, and the steps of its texels would show.
    Target* maps[2] = { &r->soft_shadow, &r->shadow };
    glDisable(GL_DEPTH_TEST);
    for (int i = 0; i < 2; ++i) {
        float x = (i ? 2.7f : 1.7f) / SHADOW_SIDE;
        const float wide[4] = { x, i ? 0.0f : x, i ? 0.0f : -x, x };
        tarn__target_bind(maps[1 - i]);
        tarn__bind_texture(r, SLOT_IMAGE, maps[i]->color[0]);
        tarn__use(r, &r->blur, wide);
        tarn__draw_screen(r);
    }
    glEnable(GL_DEPTH_TEST);
    tarn__bind_texture(r, SLOT_SHADOW, r->soft_shadow.color[0]);
}

static void pass_depth(const TarnRenderer* r, const Target* target, const Program* program,
                       bool is_sea)
{
    const Land* l = &r->land;
    tarn__target_bind(target);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    tarn__use(r, program, NULL);
    tarn__mesh_draw(&l->plan);
    if (!is_sea) tarn__mesh_draw(&l->cut);
}

static void draw_screen_with(const TarnRenderer* r, const Program* program, const Mat4* back,
                             GLenum test)
{
    tarn__use(r, program, NULL);
    glUniformMatrix4fv(program->model, 1, GL_FALSE, back->m);
    glDepthFunc(test);
    tarn__draw_screen(r); // as far away as can be, depth 1
    glDepthFunc(GL_LESS);
}

// Each shader runs only where it is needed: software drivers compute all sides of a branch.
static void pass_scene(TarnRenderer* r, const Mat4* back, bool is_sea)
{
    Land* l = &r->land;
    tarn__bind_texture(r, SLOT_LAND_DEPTH, l->seen.depth);
    tarn__bind_texture(r, SLOT_ALBEDO, r->materials.rough);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, l->seen.fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, r->canvas.fbo[r->canvas.now][CANVAS_SOLID]);
    glBlitFramebuffer(0, 0, r->width, r->height, 0, 0, r->width, r->height, GL_DEPTH_BUFFER_BIT,
                      GL_NEAREST);
    tarn__canvas_bind(r, CANVAS_SOLID);
    glDepthMask(GL_FALSE);
    draw_screen_with(r, is_sea ? &l->sea : &l->background, back, GL_LEQUAL);
    draw_screen_with(r, &l->ground_program, back, GL_GREATER);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_POLYGON_OFFSET_FILL); // it has not moved, except for rounding
    glPolygonOffset(-1.0f, -2.0f);
    tarn__use(r, &l->cut_program, NULL);
    if (!is_sea) tarn__mesh_draw(&l->cut);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    glEnable(GL_CULL_FACE);
    tarn__draw_bodies(r, &l->body, -INFINITY, INFINITY);
    glDisable(GL_CULL_FACE);
}

static void pass_final(TarnRenderer* r, const Mat4* back)
{
    tarn__canvas_turn(r, CANVAS_FLAGS);
    draw_screen_with(r, &r->land.dry_program, back, GL_ALWAYS);
    glDepthMask(GL_FALSE);
    draw_screen_with(r, &r->land.water_program, back, GL_LEQUAL);
    glDepthMask(GL_TRUE);
}

TarnResult tarn__land_draw(TarnRenderer* r, const TarnFrame* frame)
{
    Land* l = &r->land;
    TARN_TRY(prepare(r));
    TARN_TRY(fit(r, tarn__water_of(frame)));
    TarnVec3 sun = tarn__sky_sun(frame, 0.08f);
    tarn__land_update(l, tarn__water_of(frame), sun);
    upload_fields(l);
    TARN_TRY(tarn__frame_bodies(r, frame));
    tarn__land_constants(r, frame);
    Dip dip = tarn__dip(r, tarn__land_level);
    if (dip != DIP_NONE) TARN_TRY(prepare_dive(r));

    tarn__begin_frame(r);
    tarn__pass_sky(r);
    pass_shadow(r);
    tarn__bind_texture(r, SLOT_SURFACE, l->surface_texture);
    tarn__bind_texture(r, SLOT_GROUND, l->ground_texture);
    tarn__bind_texture(r, SLOT_FLOW, l->flow_texture);
    tarn__bind_texture(r, SLOT_SHADE, l->shade_texture);
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    bool is_sea = tarn__water_of(frame)->land.has_sea;
    pass_depth(r, &l->seen, &l->ground_depth, is_sea);
    pass_scene(r, &back, is_sea);
    pass_depth(r, &r->water_depth, &l->water_depth, is_sea);
    tarn__bind_texture(r, SLOT_WATER_DEPTH, r->water_depth.depth);
    tarn__bind_texture(r, SLOT_WATER_FLAG, r->water_depth.color[0]);
    if (dip != DIP_FULL)
        pass_final(r, &back);
    else
        tarn__canvas_turn(r, CANVAS_FLAGS);
    if (dip != DIP_NONE) {
        tarn__shafts(r, &l->shafts_program, l->shafts, &back);
        tarn__dive_over(r, l->dive_program, &back);
    }
    tarn__pass_post(r);
    return TARN_OK;
}
