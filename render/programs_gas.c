// The programs of gases and of particles with looks; most renderers never need them. The march has a
// variant for each number of boxes, made when a frame first asks for it.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_solid.h"
#include "shaders_screen.h"
#include "shaders_liquid.h"
#include "shaders_studio.h"
#include "shaders_gas.h"
#include "shaders_sprites.h"
#include <stdio.h>

TarnResult tarn__gas_programs(TarnRenderer* r)
{
    Gas* g = &r->gas;
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* over_f[] = { glsl_frame, glsl_over_fragment, NULL };
    const char* hot_f[] = { glsl_hot_fragment, NULL };
    const char* studio_f[] = { glsl_frame,        glsl_rays,      glsl_light,           glsl_shadow,
                               glsl_liquid_light, glsl_gas_light, glsl_studio_fragment, NULL };
    const char* body_v[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* body_f[] = { glsl_frame,
                             glsl_rays,
                             glsl_light,
                             glsl_shadow,
                             glsl_solid_look,
                             glsl_liquid_light,
                             glsl_gas_light,
                             glsl_studio_shade,
                             glsl_studio_body_fragment,
                             NULL };
    const char* look_v[] = { glsl_frame,  glsl_veil,   glsl_rays,        glsl_light,
                             glsl_shadow, glsl_points, glsl_look_vertex, NULL };
    const char* look_f[] = { glsl_frame, glsl_look_fragment, NULL };
    char body[400];
    snprintf(body, sizeof body, "%s%s#define GAS\n", tarn__pass_names, LAND_BODY);
    const ProgramDef list[] = {
        { "gas over the scene", "", screen_v, over_f, &g->over },
        { "particles over the scene", "#define CLOUD\n", screen_v, over_f, &g->cloud_over },
        { "what glows", "", screen_v, hot_f, &g->hot },
        { "studio with smoke", "#define LAND\n#define GAS\n", screen_v, studio_f, &g->studio },
        { "bodies in smoke", body, body_v, body_f, &g->body },
        { "looks of particles", "", look_v, look_f, &g->look },
        { "flat looks of particles", "#define FLAT\n", look_v, look_f, &g->flat_look },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

TarnResult tarn__gas_march_program(TarnRenderer* r, bool has_heat, bool has_color, int n)
{
    Program* program = &r->gas.march_program[has_heat][has_color][n - 1];
    if (program->gl) return TARN_OK;
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* march_f[] = { glsl_frame,  glsl_veil,      glsl_rays,           glsl_light,
                              glsl_shadow, glsl_gas_light, glsl_march_fragment, NULL };
    char defines[80];
    snprintf(defines, sizeof defines, "#define N %d\n%s%s", n, has_heat ? "#define HEAT\n" : "",
             has_color ? "#define DYE\n" : "");
    return tarn__program_create(r->shelf, "gas", defines, screen_v, march_f, program);
}
