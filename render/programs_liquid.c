// The programs of liquids and particle systems; most renderers never need them.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_solid.h"
#include "shaders_screen.h"
#include "shaders_liquid.h"
#include "shaders_studio.h"
#include "shaders_liquid_shade.h"
#include "shaders_flat.h"
#include <stdio.h>

static TarnResult studio_programs(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* surface_v[] = { glsl_frame, glsl_points, glsl_surface_vertex, NULL };
    const char* surface_f[] = { glsl_frame, glsl_tank, glsl_surface_fragment, NULL };
    const char* smooth_f[] = { glsl_frame, glsl_smooth_fragment, NULL };
    const char* thick_v[] = { glsl_frame, glsl_points, glsl_thick_vertex, NULL };
    const char* thick_f[] = { glsl_frame, glsl_absorption, glsl_thick_fragment, NULL };
    const char* studio_f[] = { glsl_frame,  glsl_rays,         glsl_light,
                               glsl_shadow, glsl_liquid_light, glsl_studio_fragment,
                               NULL };
    const char* body_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* body_f[] = { glsl_frame,
                             glsl_rays,
                             glsl_light,
                             glsl_shadow,
                             glsl_solid_look,
                             glsl_liquid_light,
                             glsl_studio_shade,
                             glsl_studio_body_fragment,
                             NULL };
    const char* glass_f[] = { glsl_frame, glsl_veil,           glsl_rays,
                              glsl_light, glsl_glass_fragment, NULL };
    const char* tank_f[] = {
        glsl_frame, glsl_veil, glsl_rays, glsl_light, glsl_tank_fragment, NULL
    };
    const char* composite_f[] = { glsl_frame,           glsl_veil,   glsl_rays,
                                  glsl_light,           glsl_shadow, glsl_tank,
                                  glsl_liquid_fragment, NULL };
    const char* drop_v[] = { glsl_frame, glsl_veil, glsl_points, glsl_drop_vertex, NULL };
    const char* drop_f[] = { glsl_frame,      glsl_rays,          glsl_light, glsl_shadow,
                             glsl_absorption, glsl_drop_fragment, NULL };
    const char* foam_v[] = { glsl_frame, glsl_veil, glsl_points, glsl_foam_vertex, NULL };
    const char* foam_f[] = { glsl_frame, glsl_foam_fragment, NULL };
    const char* depth_f[] = { glsl_frame, glsl_liquid_depth_fragment, NULL };
    char body[400], back[400];
    snprintf(body, sizeof body, "%s%s", tarn__pass_names, LAND_BODY);
    snprintf(back, sizeof back, "%s%s#define BACK\n", tarn__pass_names, LAND_BODY);
    const ProgramDef list[] = {
        { "surface of particles", "", surface_v, surface_f, &l->surface_program },
        { "smoothed particles", "", screen_v, smooth_f, &l->smooth_program },
        { "thickness of particles", "", thick_v, thick_f, &l->thick_program },
        { "light through particles", "#define LIGHT\n", thick_v, thick_f, &l->light_program },
        { "studio", "#define LAND\n", screen_v, studio_f, &l->studio },
        { "bodies in the studio", body, body_v, body_f, &l->body },
        { "glass", body, body_v, glass_f, &l->glass },
        { "front of the tank", body, body_v, tank_f, &l->tank_front },
        { "back of the tank", back, body_v, tank_f, &l->tank_back },
        { "liquid", "#define LAND\n", screen_v, composite_f, &l->composite },
        { "drops", "#define LAND\n", drop_v, drop_f, &l->drop },
        { "splashes", "#define LAND\n#define SPLASH\n", drop_v, drop_f, &l->splash },
        { "foam", "", foam_v, foam_f, &l->foam },
        { "depth of liquids", "", screen_v, depth_f, &l->depth_program },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

static TarnResult flat_programs(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* paint_f[] = { glsl_frame, glsl_ground, glsl_paint_fragment, NULL };
    const char* shape_v[] = { glsl_frame, glsl_points, glsl_shape_vertex, NULL };
    const char* shape_f[] = { glsl_frame, glsl_shape_fragment, NULL };
    const char* splat_v[] = { glsl_frame, glsl_points, glsl_splat_vertex, NULL };
    const char* splat_f[] = { glsl_splat_fragment, NULL };
    const char* cover_f[] = { glsl_cover_fragment, NULL };
    const char* flat_f[] = { glsl_frame, glsl_absorption, glsl_flat_fragment, NULL };
    const char* bubble_v[] = { glsl_frame, glsl_points, glsl_bubble_vertex, NULL };
    const char* bubble_f[] = { glsl_frame, glsl_bubble_fragment, NULL };
    const ProgramDef list[] = {
        { "painted sky", "", screen_v, paint_f, &l->sky_paint },
        { "flat shapes", "", shape_v, shape_f, &l->shape },
        { "splats", "", splat_v, splat_f, &l->field_program },
        { "cover", "", screen_v, cover_f, &l->cover },
        { "flat liquid", "", screen_v, flat_f, &l->flat_composite },
        { "bubbles", "", bubble_v, bubble_f, &l->bubble },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

TarnResult tarn__liquid_programs(TarnRenderer* r)
{
    TARN_TRY(studio_programs(r));
    return flat_programs(r);
}
