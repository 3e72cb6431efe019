// The programs and the target of meshes and balls; most renderers never need them.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_solid.h"
#include "shaders_liquid.h"
#include "shaders_liquid_shade.h"
#include "shaders_mesh.h"
#include "shaders_screen.h"
#include "shaders_studio.h"

static TarnResult create(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    const TargetDef def = {
        r->width, r->height, 0, { GL_RG32F, GL_RGBA16F }, true, false,
    };
    const TargetDef behind = { r->width, r->height, 0, { GL_RGBA16F }, false, false };
    TARN_TRY(tarn__target_create(r->ctx, &def, &l->mesh_surface[0]));
    TARN_TRY(tarn__target_create(r->ctx, &def, &l->mesh_surface[1]));
    TARN_TRY(tarn__target_create(r->ctx, &behind, &l->behind));
    const char* screen_v[] = { glsl_screen_vertex, NULL };
    const char* ball_v[] = { glsl_frame, glsl_points, glsl_surface_vertex, NULL };
    const char* under_v[] = { glsl_frame, glsl_points, glsl_apparent, glsl_surface_vertex, NULL };
    const char* ball_f[] = { glsl_frame,        glsl_rays,         glsl_light,         glsl_shadow,
                             glsl_liquid_light, glsl_studio_shade, glsl_ball_fragment, NULL };
    const char* mesh_v[] = { glsl_frame, glsl_mesh_vertex, NULL };
    const char* front_f[] = { glsl_frame, glsl_mesh_front_fragment, NULL };
    const char* thick_f[] = { glsl_frame, glsl_absorption, glsl_mesh_thick_fragment, NULL };
    const char* wire_v[] = { glsl_frame, glsl_wire_vertex, NULL };
    const char* wire_f[] = { glsl_wire_fragment, NULL };
    const char* composite_f[] = { glsl_frame,  glsl_veil, glsl_rays,       glsl_light,
                                  glsl_shadow, glsl_tank, glsl_absorption, glsl_liquid_fragment,
                                  NULL };
    const ProgramDef list[] = {
        { "balls", "#define LAND\n#define BALLS\n", ball_v, ball_f, &l->balls },
        { "balls under water", "#define BALLS\n#define SUNKEN\n", under_v, ball_f,
          &l->balls_under },
        { "wires", "", wire_v, wire_f, &l->wire },
        { "front of a mesh", "", mesh_v, front_f, &l->mesh_front[0] },
        { "second front of a mesh", "#define BEHIND\n", mesh_v, front_f, &l->mesh_front[1] },
        { "thickness of a mesh", "", mesh_v, thick_f, &l->mesh_thick },
        { "light through a mesh", "#define LIGHT\n", mesh_v, thick_f, &l->mesh_light },
        { "liquid in a mesh", "#define LAND\n#define NORMALS\n#define CLOSED\n", screen_v,
          composite_f, &l->mesh_composite[0] },
        { "liquid behind a mesh", "#define LAND\n#define NORMALS\n", screen_v, composite_f,
          &l->mesh_composite[1] },
    };
    return tarn__programs_create(r->shelf, list, (int)(sizeof list / sizeof *list));
}

TarnResult tarn__mesh_parts(TarnRenderer* r)
{
    if (r->liquid.has_mesh_parts) return TARN_OK;
    tarn__mesh_parts_destroy(r); // left by a failed attempt
    TARN_TRY(create(r));
    r->liquid.has_mesh_parts = true;
    return TARN_OK;
}

void tarn__mesh_parts_destroy(TarnRenderer* r)
{
    Liquid* l = &r->liquid;
    tarn__target_destroy(&l->mesh_surface[0]);
    tarn__target_destroy(&l->mesh_surface[1]);
    tarn__target_destroy(&l->behind);
    tarn__mesh_destroy(&l->wires);
    l->has_mesh_parts = false;
}
