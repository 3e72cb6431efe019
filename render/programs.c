// All programs of the renderer, put together from the GLSL parts in shaders_*.h. Each variant is a
// separate program, because software drivers run both sides of a branch.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_solid.h"
#include "shaders_water.h"
#include "shaders_land.h"
#include "shaders_river.h"
#include "shaders_mirror.h"
#include "shaders_bars.h"
#include "shaders_gas.h"
#include "shaders_studio.h"
#include "shaders_screen.h"
#include "shaders_sea.h"
#include <stdio.h>

const char tarn__pass_names[] = "#define FINAL 0\n#define UNDER 1\n#define MIRROR 2\n"
                                "#define SHADOW 3\n#define BODY 0\n#define TILE 1\n"
                                "#define STONE 2\n#define TERRAIN 3\n"
                                "#define DECK 4\n";

static const char* const water_f[] = { glsl_frame, glsl_rays,    glsl_light,          glsl_shadow,
                                       glsl_glint, glsl_ripples, glsl_water_fragment, NULL };

static TarnResult solid_programs(TarnRenderer* r)
{
    const char* solid_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* solid_f[] = { glsl_frame,      glsl_rays,           glsl_light, glsl_shadow,
                              glsl_solid_look, glsl_solid_fragment, NULL };
    char defines[400];
    for (int m = 0; m < N_MATERIALS; ++m)
        for (int p = 0; p < N_PASSES; ++p) {
            snprintf(defines, sizeof defines, "%s#define MATERIAL %d\n#define PASS %d\n",
                     tarn__pass_names, m, p);
            TARN_TRY(tarn__program_create(r->shelf, "solids", defines, solid_v, solid_f,
                                          &r->solid[m][p]));
        }
    return TARN_OK;
}

TarnResult tarn__renderer_programs(TarnRenderer* r)
{
    TARN_TRY(solid_programs(r));
    const char* solid_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* water_v[] = { glsl_frame, glsl_water_vertex, NULL };
    const char* depth_f[] = { glsl_depth_fragment, NULL };
    const char* land_depth_f[] = { glsl_land_depth_fragment, NULL };
    const char* dry_f[] = { glsl_frame, glsl_dry_fragment, NULL };
    const char* caustics_v[] = { glsl_frame, glsl_ripples, glsl_caustics_vertex, NULL };
    const char* caustics_f[] = { glsl_caustics_fragment, NULL };
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* sky_f[] = { glsl_frame, glsl_sky_fragment, NULL };
    const char* fog_f[] = { glsl_frame, glsl_fog_fragment, NULL };
    const char* backdrop_f[] = { glsl_frame, glsl_light, glsl_backdrop_fragment, NULL };
    const char* blur_f[] = { glsl_blur_fragment, NULL };
    const char* bright_f[] = { glsl_frame, glsl_tone, glsl_bright_fragment, NULL };
    const char* post_f[] = { glsl_frame, glsl_tone, glsl_post_fragment, NULL };
    const char* edges_f[] = { glsl_edges_fragment, NULL };
    const char* bars_v[] = { glsl_frame, glsl_bars_vertex, NULL };
    const char* bars_f[] = { glsl_frame,  glsl_rays,          glsl_light,
                             glsl_shadow, glsl_bars_fragment, NULL };
    const char* stage_f[] = { glsl_frame,  glsl_rays,           glsl_light,
                              glsl_shadow, glsl_stage_fragment, NULL };
    char plain[400], shadow[400], land[400];
    snprintf(land, sizeof land, "%s#define MATERIAL TERRAIN\n#define PASS FINAL\n",
             tarn__pass_names);
    snprintf(plain, sizeof plain, "%s#define MATERIAL BODY\n#define PASS FINAL\n",
             tarn__pass_names);
    snprintf(shadow, sizeof shadow, "%s#define MATERIAL BODY\n#define PASS SHADOW\n",
             tarn__pass_names);
    const ProgramDef list[] = {
        { "water depth", "", water_v, depth_f, &r->water_depth_program },
        { "land depth", land, solid_v, land_depth_f, &r->land_depth },
        { "dry land", "", screen_v, dry_f, &r->dry },
        { "water", "", screen_v, water_f, &r->water[0][0] },
        { "water with shores", "#define SHORE\n", screen_v, water_f, &r->water[1][0] },
        { "caustics", "", caustics_v, caustics_f, &r->caustics_program },
        { "sky", "", screen_v, sky_f, &r->sky_program },
        { "backdrop", "", screen_v, backdrop_f, &r->backdrop },
        { "fog", "", screen_v, fog_f, &r->fog },
        { "blur", "", screen_v, blur_f, &r->blur },
        { "bright", "", screen_v, bright_f, &r->bright },
        { "post", "", screen_v, post_f, &r->post },
        { "edges", "", screen_v, edges_f, &r->edges },
        { "bars", plain, bars_v, bars_f, &r->bars_program[0] },
        { "shadows of bars", shadow, bars_v, bars_f, &r->bars_program[1] },
        { "stage", plain, solid_v, stage_f, &r->stage },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

// Of water over land; most renderers never need them.
TarnResult tarn__foam_program(TarnRenderer* r, bool has_shore)
{
    Program* program = &r->water[has_shore][1];
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    if (program->gl) return TARN_OK;
    return tarn__program_create(r->shelf, "water with foam",
                                has_shore ? "#define SHORE\n#define FOAM\n" : "#define FOAM\n",
                                screen_v, water_f, program);
}

TarnResult tarn__land_programs(TarnRenderer* r)
{
    LandParts* l = &r->land_parts;
    const char* depth_v[] = { glsl_frame, glsl_land, glsl_land_vertex, NULL };
    const char* flag_f[] = { glsl_land_flag_fragment, NULL };
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* back_f[] = { glsl_frame, glsl_light, glsl_land, glsl_background_fragment, NULL };
    const char* sea_f[] = { glsl_frame, glsl_light,        glsl_land, glsl_river_surface,
                            glsl_glint, glsl_sea_fragment, NULL };
    const char* ground_f[] = { glsl_frame, glsl_rays,        glsl_light,           glsl_shadow,
                               glsl_land,  glsl_ground_look, glsl_ground_fragment, NULL };
    const char* cut_f[] = { glsl_frame,       glsl_light,        glsl_land,
                            glsl_ground_look, glsl_cut_fragment, NULL };
    const char* dry_f[] = { glsl_frame, glsl_light, glsl_land, glsl_dry_scene_fragment, NULL };
    const char* river_f[] = { glsl_frame, glsl_rays,          glsl_light,          glsl_shadow,
                              glsl_land,  glsl_river_surface, glsl_mirror_lookup,  glsl_picture,
                              glsl_glint, glsl_waves,         glsl_river_fragment, NULL };
    const char* shadow_v[] = { glsl_frame, glsl_land, glsl_land_shadow_vertex, NULL };
    const char* shadow_f[] = { glsl_land_shadow_fragment, NULL };
    const char* mask_f[] = { glsl_frame, glsl_light, glsl_land, glsl_mirror_mask_fragment, NULL };
    const char* mirror_v[] = { glsl_frame, glsl_land, glsl_mirror_ground_vertex, NULL };
    const char* mirror_f[] = { glsl_frame,
                               glsl_light,
                               glsl_land,
                               glsl_ground_look,
                               glsl_mirror_distance,
                               glsl_mirror_ground_fragment,
                               NULL };
    const char* body_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* body_f[] = {
        glsl_frame, glsl_rays,       glsl_light,           glsl_shadow,
        glsl_land,  glsl_solid_look, glsl_mirror_distance, glsl_land_body_fragment,
        NULL
    };
    char plain[400], mirrored[400];
    snprintf(plain, sizeof plain, "%s%s", tarn__pass_names, LAND_BODY);
    snprintf(mirrored, sizeof mirrored, "%s%s", tarn__pass_names, LAND_MIRROR_BODY);
    const char* land = "#define LAND\n";
    const ProgramDef list[] = {
        { "depth of land", land, depth_v, flag_f, &l->ground_depth },
        { "depth of water over land", "#define WATER\n", depth_v, flag_f, &l->water_depth },
        { "background of land", land, screen_v, back_f, &l->background },
        { "sea around land", land, screen_v, sea_f, &l->sea },
        { "land", land, screen_v, ground_f, &l->ground_program },
        { "cut through land", land, depth_v, cut_f, &l->cut_program },
        { "land without water", land, screen_v, dry_f, &l->dry_program },
        { "water over land", land, screen_v, river_f, &l->water_program[0] },
        { "water over land with a mirror", "#define LAND\n#define PLANAR\n", screen_v, river_f,
          &l->water_program[1] },
        { "water in the cut", "#define LAND\n#define CUT\n#define WATER\n", depth_v, river_f,
          &l->water_cut },
        { "bodies over land", plain, body_v, body_f, &l->body },
        { "mirrored bodies over land", mirrored, body_v, body_f, &l->mirror_body },
        { "depth of mirrored land", "#define LAND\n#define DEPTH\n", mirror_v, mirror_f,
          &l->mirror_depth },
        { "mirrored land", land, mirror_v, mirror_f, &l->mirror_ground },
        { "land below shadows", land, shadow_v, shadow_f, &l->shadow_program },
        { "where the mirror is read", land, screen_v, mask_f, &l->mirror_mask },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

TarnResult tarn__sea_programs(TarnRenderer* r)
{
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* sky_f[] = { glsl_frame, glsl_light, glsl_sea_sky_fragment, NULL };
    const char* sea_v[] = { glsl_frame, glsl_open_sea, glsl_waves, glsl_open_sea_vertex, NULL };
    const char* sea_f[] = { glsl_frame, glsl_rays,     glsl_light, glsl_shadow,
                            glsl_glint, glsl_open_sea, glsl_waves, glsl_open_sea_fragment,
                            NULL };
    const ProgramDef list[] = {
        { "sky over the sea", "", screen_v, sky_f, &r->sea.sky },
        { "open sea", "", sea_v, sea_f, &r->sea.program },
        { "white sea", "#define WHITE\n#define THREE\n", sea_v, sea_f, &r->sea.white[0] },
        { "white sea of four", "#define WHITE\n#define NO_WAVES\n", sea_v, sea_f,
          &r->sea.white[1] },
        { "sea around land", "#define COAST\n#define NO_WAVES\n", sea_v, sea_f, &r->sea.coast },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

// What all shaders in the light of other layers begin with.
#define MIXED_LIGHT                                                                                \
    glsl_frame, glsl_rays, glsl_light, glsl_shadow, glsl_liquid_light, glsl_gas_light, glsl_mix

// In the light of other layers.
TarnResult tarn__mixed_programs(TarnRenderer* r)
{
    Mixed* x = &r->mixed;
    if (x->is_ready) return TARN_OK;
    const char* solid_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* solid_f[] = { MIXED_LIGHT, glsl_solid_look, glsl_solid_fragment, NULL };
    char defines[400];
    for (int m = 0; m < N_MATERIALS; ++m)
        for (int p = PASS_FINAL; p <= PASS_MIRROR; ++p) {
            snprintf(defines, sizeof defines,
                     "%s#define MIX\n#define MATERIAL %d\n#define PASS %d\n", tarn__pass_names, m,
                     p);
            TARN_TRY(tarn__program_create(r->shelf, "solids in other light", defines, solid_v,
                                          solid_f, &x->solid[m][p]));
        }
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* ground_f[] = { MIXED_LIGHT, glsl_land, glsl_ground_look, glsl_ground_fragment,
                               NULL };
    const char* river_f[] = { MIXED_LIGHT,        glsl_land,           glsl_river_surface,
                              glsl_mirror_lookup, glsl_picture,        glsl_glint,
                              glsl_waves,         glsl_river_fragment, NULL };
    const char* body_f[] = {
        MIXED_LIGHT, glsl_land, glsl_solid_look, glsl_mirror_distance, glsl_land_body_fragment, NULL
    };
    char body[400], mirrored[400];
    snprintf(body, sizeof body, "%s%s#define MIX\n", tarn__pass_names, LAND_BODY);
    snprintf(mirrored, sizeof mirrored, "%s%s#define MIX\n", tarn__pass_names, LAND_MIRROR_BODY);
    const ProgramDef list[] = {
        { "land in other light", "#define LAND\n#define MIX\n", screen_v, ground_f, &x->ground },
        { "more land", "#define LAND\n#define MIX\n#define LATER\n", screen_v, ground_f,
          &x->later_ground },
        { "water over land in other light", "#define LAND\n#define MIX\n", screen_v, river_f,
          &x->river[0] },
        { "water over land with a mirror in other light",
          "#define LAND\n#define MIX\n#define PLANAR\n#define NO_WAVES\n", screen_v, river_f,
          &x->river[1] },
        { "bodies over land in other light", body, solid_v, body_f, &x->land_body },
        { "mirrored bodies over land in other light", mirrored, solid_v, body_f, &x->mirror_body },
    };
    TARN_TRY(tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list)));
    x->is_ready = true;
    return TARN_OK;
}
