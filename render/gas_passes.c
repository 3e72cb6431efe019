// The passes of gases: rays through all that overlaps, laid over the lit scene, and the glow around what is
// hot. stage.c says where they come.
//
// Method   Ray marching with absorption and emission, a ray per pixel or per four; its start is shifted by
//          a fixed pattern, which the way back to the full size smooths out. Light comes from a volume
//          (gas_light.c); multiple scattering is approximated by two weaker and slower octaves.
// Differs  from games on a GPU: few, long steps with one light sample each, since a CPU draws here.
// Checked  tests/render/test_gas.c

#include "renderer.h"

static void set_boxes(const TarnRenderer* r, const Program* p, const int* list, int n)
{
    float lo[MAX_BOXES][4], hi[MAX_BOXES][4], place[MAX_BOXES][4], scale[MAX_BOXES][4],
        tint[MAX_BOXES][4];
    for (int k = 0; k < n; ++k) {
        const GasVolume* v = &r->gas.volumes[list[k]];
        const float values[5][4] = {
            { v->lo.x, v->lo.y, v->lo.z, 1.0f / v->dx },
            { v->hi.x, v->hi.y, v->hi.z, v->has_heat ? v->glow : 0.0f },
            { v->origin.x, v->origin.y, v->origin.z, v->ambient },
            { 1.0f / (v->dx * (float)v->nx), 1.0f / (v->dx * (float)v->ny),
              1.0f / (v->dx * (float)v->nz), v->has_heat ? v->soot : 0.0f },
            { v->color.x, v->color.y, v->color.z, v->has_color ? 1.0f : 0.0f },
        };
        for (int i = 0; i < 4; ++i) {
            lo[k][i] = values[0][i], hi[k][i] = values[1][i], place[k][i] = values[2][i];
            scale[k][i] = values[3][i], tint[k][i] = values[4][i];
        }
        tarn__bind_volume(r, SLOT_GAS0 + k, v->texture);
        tarn__bind_volume(r, SLOT_DYE0 + k, v->has_color ? v->dye : v->texture);
    }
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_lo"), n, lo[0]);
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_hi"), n, hi[0]);
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_place"), n, place[0]);
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_scale"), n, scale[0]);
    glUniform4fv(glGetUniformLocation(p->gl->id, "u_hue"), n, tint[0]);
}

// Up to MAX_BOXES at once.
static TarnResult march(TarnRenderer* r, const Mat4* back, const int* list, int n)
{
    Gas* g = &r->gas;
    bool has_heat = false, has_color = false;
    float finest = INFINITY, longest = 0.0f;
    for (int k = 0; k < n; ++k) {
        const GasVolume* v = &g->volumes[list[k]];
        has_heat |= v->has_heat;
        has_color |= v->has_color;
        finest = fminf(finest, v->dx);
        longest = fmaxf(longest, vec3_length(vec3_sub(v->hi, v->lo)));
    }
    TARN_TRY(tarn__gas_march_program(r, has_heat, has_color, n));
    const Program* p = &g->march_program[has_heat][has_color][n - 1];
    // Smoke is soft: where a cell is a few pixels wide, a ray for every second one will do.
    // Flames are not: their light goes with a high power of the temperature.
    const float few = 3.0f, steps = has_heat ? 96.0f : 64.0f, step = has_heat ? 0.6f : 1.0f;
    float distance = INFINITY;
    for (int k = 0; k < n; ++k) {
        const GasVolume* v = &g->volumes[list[k]];
        TarnVec3 c = vec3_scale(vec3_add(v->lo, v->hi), 0.5f);
        distance = fminf(distance, vec3_length(vec3_sub(c, vec3(r->frame.eye[0], r->frame.eye[1],
                                                                r->frame.eye[2]))));
    }
    g->coarse = finest * r->frame.coast[3] < few * distance ? 1 : 2;
    const float param[4] = { fmaxf(step * finest, longest / steps), steps, 3.0f * finest,
                             (float)g->coarse };
    tarn__target_bind(&g->march);
    int w = (int)r->frame.screen[0], h = (int)r->frame.screen[1];
    glViewport(0, 0, (w + g->coarse - 1) / g->coarse, (h + g->coarse - 1) / g->coarse);
    tarn__use(r, p, param);
    glUniformMatrix4fv(p->gl->model, 1, GL_FALSE, back->m);
    set_boxes(r, p, list, n);
    tarn__bind_texture(r, SLOT_HEAT, g->heat_texture);
    tarn__draw_screen(r);
    return TARN_OK;
}

TarnResult tarn__gas_draw(TarnRenderer* r)
{
    Mat4 inverse = mat4_inverse(&r->frame.view_proj);
    const Mat4* back = &inverse;
    Gas* g = &r->gas;
    tarn__bind_volume(r, SLOT_GAS_LIGHT, g->light_texture);
    for (int from = 0; from < g->n; from += MAX_BOXES) {
        TARN_TRY(march(r, back, g->order + from, mini(g->n - from, MAX_BOXES)));
        tarn__over_bind(r);
        tarn__bind_texture(r, SLOT_MARCH, g->march.color[0]);
        tarn__bind_texture(r, SLOT_MARCH_DEPTH, g->march.color[1]);
        const float param[4] = { (float)g->coarse, 0, 0, 0 };
        tarn__use(r, &g->over, param);
        glEnable(GL_BLEND);
        glBlendFuncSeparate(GL_ONE, GL_SRC_ALPHA, r->is_mirroring ? GL_ZERO : GL_ONE, GL_SRC_ALPHA);
        tarn__draw_screen(r);
        glDisable(GL_BLEND);
    }
    return TARN_OK;
}

// Light that the eye, or a lens, spreads around what is hot: added to the lit scene.
void tarn__gas_bloom(TarnRenderer* r)
{
    Gas* g = &r->gas;
    float sx = 1.0f / (float)r->width, sy = 1.0f / (float)r->height;
    const float bright = r->liquid.stage.is_night ? 0.7f : 2.2f;
    const float param[4] = { sx, sy, bright, 0.25f };
    tarn__target_bind(&g->bloom[0]);
    tarn__bind_texture(r, SLOT_IMAGE, r->canvas.color[r->canvas.now]);
    tarn__use(r, &g->hot, param);
    tarn__draw_screen(r);
    for (int i = 0; i < 6; ++i) {
        float wide = 3.0f * (float)(1 + i) * (float)r->height / 540.0f;
        const float step[4] = { wide * sx, wide * sy, -wide * sx, wide * sy };
        tarn__target_bind(&g->bloom[1 - (i & 1)]);
        tarn__bind_texture(r, SLOT_IMAGE, g->bloom[i & 1].color[0]);
        tarn__use(r, &r->blur, step);
        tarn__draw_screen(r);
    }
    const float none[4] = { 0, 0, 0, 0 };
    tarn__canvas_bind(r, CANVAS_OVER);
    tarn__bind_texture(r, SLOT_IMAGE, g->bloom[0].color[0]);
    tarn__use(r, &r->blur, none);
    glEnable(GL_BLEND);
    glBlendColor(0.22f, 0.22f, 0.22f, 0.22f);
    glBlendFunc(GL_CONSTANT_COLOR, GL_ONE);
    tarn__draw_screen(r);
    glDisable(GL_BLEND);
}
