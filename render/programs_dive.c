// The programs of an eye under water; most renderers never need them.

#include "renderer.h"
#include "shaders_common.h"
#include "shaders_solid.h"
#include "shaders_land.h"
#include "shaders_river.h"
#include "shaders_dive.h"
#include "shaders_screen.h"
#include <stdio.h>

static TarnResult solid_programs(TarnRenderer* r)
{
    const char* vertex[] = { glsl_frame, glsl_rays, glsl_apparent, glsl_solid_vertex, NULL };
    const char* fragment[] = { glsl_frame,      glsl_rays,           glsl_light, glsl_shadow,
                               glsl_solid_look, glsl_solid_fragment, NULL };
    char defines[400];
    for (int m = 0; m < N_MATERIALS; ++m)
        for (int p = 0; p < N_DIVE_PASSES; ++p) {
            if (m == MATERIAL_DECK) continue; // it lies higher than the eye, facing up
            snprintf(defines, sizeof defines, "%s%s#define MATERIAL %d\n#define PASS %d\n",
                     tarn__pass_names, p == PASS_WINDOW - PASS_WITHIN ? "#define FROM_BELOW\n" : "",
                     m, PASS_WITHIN + p);
            TARN_TRY(tarn__program_create(r->shelf, "solids under water", defines, vertex, fragment,
                                          &r->dive.solid[m][p]));
        }
    return TARN_OK;
}

TarnResult tarn__dive_programs(TarnRenderer* r)
{
    Dive* d = &r->dive;
    TARN_TRY(solid_programs(r));
    const char* screen[] = { glsl_screen_vertex, NULL };
    const char* shafts[] = { glsl_frame,           glsl_rays, glsl_light, glsl_shadow, glsl_dive,
                             glsl_shafts_fragment, NULL };
    const char* dive[] = { glsl_frame,       glsl_light,         glsl_ripples, glsl_dive,
                           glsl_basin_level, glsl_dive_fragment, NULL };
    TARN_TRY(
        tarn__program_create(r->shelf, "shafts of light", "", screen, shafts, &d->shafts_program));
    for (int i = 0; i < 4; ++i) {
        char defines[80];
        snprintf(defines, sizeof defines, "%s%s", i / 2 ? "#define SHORE\n" : "",
                 i % 2 == DIVE_SURFACE ? "#define SURFACE\n" : "");
        TARN_TRY(tarn__program_create(r->shelf, "under water", defines, screen, dive,
                                      &d->program[i / 2][i % 2]));
    }
    return TARN_OK;
}

TarnResult tarn__land_dive_programs(TarnRenderer* r)
{
    LandParts* l = &r->land_parts;
    const char* screen[] = { glsl_screen_vertex, NULL };
    const char* shafts[] = { glsl_frame,  glsl_rays, glsl_light,
                             glsl_shadow, glsl_land, glsl_land_shafts_fragment,
                             NULL };
    const char* dive[] = { glsl_frame,
                           glsl_light,
                           glsl_land,
                           glsl_river_surface,
                           glsl_picture,
                           glsl_dive,
                           glsl_land_dive_fragment,
                           NULL };
    TARN_TRY(tarn__program_create(r->shelf, "shafts of light over land", "#define LAND\n", screen,
                                  shafts, &l->shafts_program));
    TARN_TRY(tarn__program_create(r->shelf, "under water over land", "#define LAND\n", screen, dive,
                                  &l->dive_program[DIVE_SOLIDS]));
    return tarn__program_create(r->shelf, "surface from below over land",
                                "#define LAND\n#define SURFACE\n", screen, dive,
                                &l->dive_program[DIVE_SURFACE]);
}
