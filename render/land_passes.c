// The passes of a picture of water over land.

#include "renderer.h"

enum { MAX_LAND = 320, MAX_COARSE = 96 }; // quads of the meshes along one side

// ---- Created once -------------------------------------------------------------------------------

static TarnResult prepare(TarnRenderer* r)
{
    if (r->land_parts.is_ready) return TARN_OK;
    int w = r->width, h = r->height;
    TargetDef depth = { w, h, 0, { 0 }, true, true };
    tarn__land_destroy(r); // left by a failed attempt
    TARN_TRY(tarn__target_create(r->ctx, &depth, &r->land_parts.seen));
    TARN_TRY(tarn__land_textures(r->ctx, &r->materials));
    TARN_TRY(tarn__land_programs(r));
    r->land_parts.is_ready = true;
    return TARN_OK;
}

static TarnResult prepare_dive(TarnRenderer* r)
{
    if (r->land_parts.can_dive) return TARN_OK;
    TargetDef shafts = {
        maxi(r->width / 3, 1), maxi(r->height / 3, 1), 0, { GL_R16F }, false, false
    };
    for (int i = 0; i < 2; ++i) {
        tarn__target_destroy(&r->land_parts.shafts[i]); // left by a failed attempt
        TARN_TRY(tarn__target_create(r->ctx, &shafts, &r->land_parts.shafts[i]));
    }
    TARN_TRY(tarn__land_dive_programs(r));
    r->land_parts.can_dive = true;
    return TARN_OK;
}

void tarn__land_destroy(TarnRenderer* r)
{
    Target* targets[] = { &r->land_parts.seen, &r->land_parts.shafts[0], &r->land_parts.shafts[1] };
    for (int i = 0; i < 3; ++i) tarn__target_destroy(targets[i]);
    tarn__mesh_destroy(&r->land_parts.sheets);
    r->land_parts.can_dive = false;
    for (int i = 0; i < TARN_FRAME_MAX_WATERS; ++i) {
        Land* l = &r->lands[i];
        tarn__mesh_destroy(&l->plan);
        tarn__mesh_destroy(&l->cut);
        tarn__mesh_destroy(&l->coarse);
        GLuint textures[] = { l->ground_texture, l->surface_texture, l->flow_texture,
                              l->shade_texture, l->curvature_texture };
        glDeleteTextures(5, textures);
        tarn__waves_destroy(&l->waves);
        l->ground_texture = l->surface_texture = l->flow_texture = l->shade_texture = 0;
        l->curvature_texture = 0;
        l->plan_nx = l->plan_nz = l->texture_nx = l->texture_nz = 0;
    }
    glDeleteTextures(1, &r->materials.rough);
    r->materials.rough = 0;
    r->land_parts.is_ready = false;
}

// ---- Depends on the size of the grid ---------------------------------------------------------------

static TarnResult build_meshes(TarnRenderer* r)
{
    Land* l = r->land;
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
    tarn__build_plan(&data, mini(nx, MAX_COARSE), mini(nz, MAX_COARSE), closed, 0.0f);
    result = tarn__mesh_upload(&data, &l->coarse);
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
    Land* l = r->land;
    int nx = w->land.ground.nx, nz = w->land.ground.nz;
    TARN_TRY(tarn__land_resize(r->ctx, l, nx, nz));
    if (l->texture_nx == nx && l->texture_nz == nz) return TARN_OK;
    l->is_ground_new = true;
    l->texture_nx = l->texture_nz = 0;
    const Field* f = &l->field;
    GLuint old[] = { l->ground_texture, l->surface_texture, l->flow_texture, l->shade_texture,
                     l->curvature_texture };
    glDeleteTextures(5, old);
    l->ground_texture = field_texture(f->nx, f->nz, true);
    l->surface_texture = field_texture(f->nx, f->nz, false);
    l->flow_texture = field_texture(f->nx / f->fine, f->nz / f->fine, false);
    l->shade_texture = field_texture(f->nx, f->nz, false);
    l->curvature_texture = tarn__texture_create(f->nx, f->nz, GL_R16F, GL_RED, GL_FLOAT, NULL,
                                                false, GL_CLAMP_TO_EDGE);
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
    if (l->is_ground_new) {
        upload(l->ground_texture, f->nx, f->nz, f->bed);
        glGenerateMipmap(GL_TEXTURE_2D);
    }
    upload(l->shade_texture, f->nx, f->nz, l->shade);
    upload(l->surface_texture, f->nx, f->nz, f->surface);
    upload(l->flow_texture, f->nx / f->fine, f->nz / f->fine, l->flow);
    glBindTexture(GL_TEXTURE_2D, l->curvature_texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f->nx, f->nz, GL_RED, GL_FLOAT, l->curvature);
    l->is_ground_new = false;
}

// ---- Passes ------------------------------------------------------------------------------------

static void pass_depth(const TarnRenderer* r, const Target* target, const Program* program,
                       bool is_sea)
{
    const Land* l = r->land;
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
    glUniformMatrix4fv(program->gl->model, 1, GL_FALSE, back->m);
    if (program->gl->emitted >= 0) glUniform4fv(program->gl->emitted, 1, r->land->waves.area);
    glDepthFunc(test);
    tarn__draw_screen(r); // as far away as can be, depth 1
    glDepthFunc(GL_LESS);
}

static void bind_fields(const TarnRenderer* r)
{
    const Land* l = r->land;
    tarn__bind_texture(r, SLOT_SURFACE, l->surface_texture);
    tarn__bind_texture(r, SLOT_GROUND, l->ground_texture);
    tarn__bind_texture(r, SLOT_FLOW, l->flow_texture);
    tarn__bind_texture(r, SLOT_WAVES, l->waves.area[2] > 0.0f ? l->waves.texture : 0);
    tarn__bind_texture(r, SLOT_SHADE, l->shade_texture);
    tarn__bind_texture(r, SLOT_CURVATURE, l->curvature_texture);
    tarn__bind_texture(r, SLOT_ALBEDO, r->materials.rough);
}

// Each shader runs only where it is needed: software drivers compute all sides of a branch.
static void pass_scene(TarnRenderer* r, const Mat4* back, bool is_sea, bool is_first)
{
    const LandParts* l = &r->land_parts;
    bool is_mixed = r->is_mixed;
    tarn__bind_texture(r, SLOT_LAND_DEPTH, l->seen.depth);
    if (is_first) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, l->seen.fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, r->canvas.fbo[r->canvas.now][CANVAS_SOLID]);
        glBlitFramebuffer(0, 0, r->width, r->height, 0, 0, r->width, r->height, GL_DEPTH_BUFFER_BIT,
                          GL_NEAREST);
    }
    tarn__canvas_bind(r, CANVAS_SOLID);
    if (is_first) {
        glDepthMask(GL_FALSE);
        draw_screen_with(r, is_sea ? &l->sea : &l->background, back, GL_LEQUAL);
        draw_screen_with(r, is_mixed ? &r->mixed.ground : &l->ground_program, back, GL_GREATER);
    } else {
        draw_screen_with(r, &r->mixed.later_ground, back, GL_LESS); // with its depth
        glDepthMask(GL_FALSE);
    }
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_POLYGON_OFFSET_FILL); // it has not moved, except for rounding
    glPolygonOffset(-1.0f, -2.0f);
    tarn__use(r, &l->cut_program, NULL);
    if (!is_sea) tarn__mesh_draw(&r->land->cut);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
}

void tarn__land_bodies(TarnRenderer* r, int number)
{
    bind_fields(r);
    glEnable(GL_CULL_FACE);
    const Program* p = r->is_mixed ? &r->mixed.land_body : &r->land_parts.body;
    tarn__draw_bodies(r, p, number, -INFINITY, INFINITY);
}

static bool is_diving(TarnRenderer* r, Dip* dip)
{
    *dip = tarn__dip(r, tarn__land_level);
    return *dip != DIP_NONE;
}

TarnResult tarn__land_prepare(TarnRenderer* r, const TarnFrameWater* w, TarnVec3 sun)
{
    TARN_TRY(prepare(r));
    TARN_TRY(fit(r, w));
    tarn__land_update(r->land, w, sun);
    upload_fields(r->land);
    tarn__waves_upload(&r->land->waves, &w->waves);
    return TARN_OK;
}

void tarn__land_shadow(const TarnRenderer* r)
{
    const float* b = r->frame.basin;
    const float param[4] = { 0.004f * fmaxf(b[2], b[3]), 0, 0, 0 };
    tarn__bind_texture(r, SLOT_GROUND, r->land->ground_texture);
    tarn__use(r, &r->land_parts.shadow_program, param);
    tarn__mesh_draw(&r->land->coarse);
}

// is_first: nothing has been drawn yet, and around the land is its background.
void tarn__land_ground(TarnRenderer* r, const TarnFrameWater* w, bool is_first)
{
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    bind_fields(r);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    pass_depth(r, &r->land_parts.seen, &r->land_parts.ground_depth, w->land.has_sea);
    pass_scene(r, &back, w->land.has_sea, is_first);
}

// Where the block is cut through water.
static bool has_wet_edge(const Land* land)
{
    const Field* g = &land->field;
    bool is_wet = false;
    for (int k = 0; k < g->nz; ++k)
        for (int i = 0; i < g->nx; i += k == 0 || k == g->nz - 1 ? 1 : g->nx - 1)
            is_wet |= g->surface[4 * (i + g->nx * k) + 3] > 0.0f;
    return is_wet;
}

// The water that lies before the scene, near one level or the other. The first copies the scene, too.
static void draw_part(TarnRenderer* r, const Mat4* back, const Program* p, const float part[4],
                      bool is_first)
{
    if (is_first) tarn__canvas_turn(r, CANVAS_FLAGS);
    tarn__bind_texture(r, SLOT_SCENE, r->canvas.color[1 - r->canvas.now]);
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, r->canvas.depth);
    tarn__canvas_bind(r, CANVAS_FLAGS);
    glEnable(GL_DEPTH_TEST);
    const Program* dry = &r->land_parts.dry_program;
    tarn__use(r, dry, part);
    glColorMask(is_first, is_first, is_first, is_first);
    draw_screen_with(r, dry, back, GL_ALWAYS);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthMask(GL_FALSE);
    draw_screen_with(r, p, back, GL_LEQUAL);
    glDepthMask(GL_TRUE);
}

static TarnResult draw_surface(TarnRenderer* r, const Mat4* back, bool is_sea)
{
    const LandParts* l = &r->land_parts;
    const Program* water = r->is_mixed ? r->mixed.river : l->water_program;
    float levels[MAX_MIRRORS] = { 0 };
    int n = tarn__mirror_levels(r->land, levels);
    for (int i = 0; i < maxi(n, 1); ++i) {
        const float part[4] = { levels[i], n == MAX_MIRRORS ? levels[1 - i] : 1e30f, 0, 0 };
        bool has_mirror = false;
        if (n > 0) TARN_TRY(tarn__land_mirror(r, levels[i], &has_mirror));
        draw_part(r, back, &water[has_mirror], part, i == 0);
    }
    if (is_sea || !has_wet_edge(r->land)) return TARN_OK;
    glDisable(GL_DEPTH_TEST);
    tarn__use(r, &l->water_cut, NULL);
    glUniformMatrix4fv(l->water_cut.gl->model, 1, GL_FALSE, back->m);
    tarn__mesh_draw(&r->land->cut);
    glEnable(GL_DEPTH_TEST);
    return TARN_OK;
}

TarnResult tarn__land_water(TarnRenderer* r, const TarnFrameWater* w, bool is_last)
{
    LandParts* l = &r->land_parts;
    Mat4 back = mat4_inverse(&r->frame.view_proj);
    bool is_sea = w->land.has_sea;
    Dip dip;
    if (is_diving(r, &dip)) TARN_TRY(prepare_dive(r));
    bind_fields(r);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    pass_depth(r, &r->water_depth, &l->water_depth, is_sea);
    tarn__bind_texture(r, SLOT_WATER_DEPTH, r->water_depth.depth);
    tarn__bind_texture(r, SLOT_WATER_FLAG, r->water_depth.color[0]);
    if (dip != DIP_FULL)
        TARN_TRY(draw_surface(r, &back, is_sea));
    else
        tarn__canvas_turn(r, CANVAS_FLAGS);
    if (dip != DIP_NONE) {
        tarn__shafts(r, &l->shafts_program, l->shafts, &back);
        tarn__dive_over(r, l->dive_program, &back);
    } else if (!is_last ||
               tarn__has_sheets(
                   w)) { // its surface into the depth of the canvas, for what comes after it
        tarn__canvas_bind(r, CANVAS_SOLID);
        glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
        tarn__use(r, &l->water_depth, NULL);
        tarn__mesh_draw(&r->land->plan);
        if (!is_sea) tarn__mesh_draw(&r->land->cut);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        if (tarn__has_sheets(w)) return tarn__draw_sheets(r, w);
    }
    return TARN_OK;
}
