// How solvers, bodies and solids look: as the host, the scene or the defaults say.

#include "viewer.h"
#include "tarn/coupling.h"
#include "tarn/gas.h"
#include "tarn/lattice.h"
#include "tarn/particles.h"
#include <math.h>
#include <string.h>

// ---- Solvers ---------------------------------------------------------------------------------------

// Which one of its kind a solver is.
static int place_of(const TarnWorld* world, const void* solver, const TarnSolverClass* of)
{
    int n = 0;
    for (const void* s; (s = tarn_world_get(world, of, n)) != NULL && s != solver;) ++n;
    return n;
}

static TarnParticleLook particle_look(const TarnSceneLook* l)
{
    return (TarnParticleLook){
        .color = { l->birth, l->middle, l->end },
        .opacity = { l->opacity.x, l->opacity.y, l->opacity.z },
        .size = { l->size.x, l->size.y, l->size.z },
        .stretch = l->stretch,
        .is_additive = l->additive,
        .softness = l->softness,
        .texture = { (TarnParticleTexture)l->texture, (TarnParticleTexture)l->texture_middle,
                     (TarnParticleTexture)l->texture_end },
        .temperature = { l->temperature.x, l->temperature.y, l->temperature.z },
        .hides = l->hides,
        .turn = l->turn
    };
}

static void gas_look(const TarnViewer* v, const void* solver, TarnSolverLook* out)
{
    bool is_gas = tarn_world_class_of(v->world, solver) == tarn_gas_class();
    TarnSceneGasLook look =
        is_gas
            ? tarn_scene_gas_look(v->scene, place_of(v->world, solver, tarn_gas_class()))
            : tarn_scene_lattice_look(v->scene, place_of(v->world, solver, tarn_lattice_class()));
    bool is_unset = look.color.x == 0.0f && look.color.y == 0.0f && look.color.z == 0.0f &&
                    look.opacity == 0.0f && look.glow == 0.0f;
    if (is_unset) tarn_param_defaults(tarn_scene_gas_look_table(), &look); // not of the scene
    out->color = look.color;
    out->opacity = look.opacity;
    out->glow = look.glow;
}

static void look_of_scene(const TarnViewer* v, const void* solver, TarnSolverLook* out,
                          TarnParticleLook* looks)
{
    static const int modes[] = { TARN_FRAME_SCREEN_SPACE, TARN_FRAME_SURFACE,
                                 TARN_FRAME_SCREEN_MESH, TARN_FRAME_BALLS };
    const TarnSolverClass* of = tarn_world_class_of(v->world, solver);
    *out = (TarnSolverLook){ .color = v->view.water_color,
                             .clarity = v->view.clarity,
                             .wall_height = v->view.wall_height,
                             .has_beach = v->view.beach,
                             .sand = v->view.sand,
                             .liquid = v->def.liquid >= 0 ? v->def.liquid : modes[v->view.liquid] };
    TarnSceneWaterLook own = tarn_scene_water_look(v->scene, solver);
    if (own.color.x + own.color.y + own.color.z > 0.0f) out->color = own.color;
    if (own.clarity > 0.0f) out->clarity = own.clarity;
    out->is_vessel = own.vessel;
    if (own.wall_height >= 0.0f) out->wall_height = own.wall_height;
    if (of == tarn_gas_class() || of == tarn_lattice_class()) gas_look(v, solver, out);
    if (of != tarn_particles_class()) return;
    int n = 0;
    const TarnSceneLook* of_scene = tarn_scene_looks(v->scene, place_of(v->world, solver, of), &n);
    if (n > MAX_LOOKS) n = MAX_LOOKS;
    for (int i = 0; of_scene != NULL && i < n; ++i) looks[i] = particle_look(&of_scene[i]);
    out->n_particles = of_scene != NULL ? n : 0;
    out->particles = out->n_particles > 0 ? looks : NULL;
}

static SolverView* view_of(TarnViewer* v, const void* solver)
{
    SolverView** views = v->solvers.data;
    int number = tarn_world_number(v->world, solver);
    for (int i = 0; number > 0 && i < v->n_solvers; ++i)
        if (views[i]->solver == solver && views[i]->number == number) return views[i];
    return NULL;
}

static bool is_color(TarnVec3 c)
{
    return c.x >= 0.0f && c.x <= 1e3f && c.y >= 0.0f && c.y <= 1e3f && c.z >= 0.0f && c.z <= 1e3f;
}

static TarnResult check_look(TarnContext* ctx, const TarnSolverLook* l)
{
    if (!is_color(l->color))
        return tarn__fail(ctx, TARN_ERR_ARG, "look.color is (%g, %g, %g); allowed: 0 to 1000",
                          (double)l->color.x, (double)l->color.y, (double)l->color.z);
    const struct {
        const char* name;
        float value;
    } numbers[] = { { "clarity", l->clarity },
                    { "wall_height", l->wall_height },
                    { "sand", l->sand },
                    { "opacity", l->opacity },
                    { "glow", l->glow } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (!(numbers[i].value >= 0.0f && numbers[i].value <= 1e6f))
            return tarn__fail(ctx, TARN_ERR_ARG, "look.%s is %g; allowed: 0 to 1e6",
                              numbers[i].name, (double)numbers[i].value);
    if (l->liquid < TARN_FRAME_SCREEN_SPACE || l->liquid > TARN_FRAME_BALLS)
        return tarn__fail(ctx, TARN_ERR_ARG, "look.liquid is %d, not a TarnFrameLiquidMode",
                          l->liquid);
    if (l->n_particles < 0 || l->n_particles > MAX_LOOKS ||
        (l->n_particles > 0 && l->particles == NULL))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "look.n_particles is %d with particles %s; allowed: 0 to %d",
                          l->n_particles, l->particles ? "set" : "NULL", MAX_LOOKS);
    return TARN_OK;
}

static TarnResult no_such_solver(const TarnViewer* v, const char* call)
{
    return tarn__fail(v->ctx, TARN_ERR_ARG, "%s: the solver is not in the world of this viewer",
                      call);
}

TarnResult tarn_viewer_get_look(TarnViewer* v, const void* solver, TarnSolverLook* out)
{
    if (v == NULL) return TARN_ERR_ARG;
    if (out == NULL) return tarn__fail(v->ctx, TARN_ERR_ARG, "tarn_viewer_get_look: out is NULL");
    *out = (TarnSolverLook){ 0 };
    TARN_TRY(tarn__view_find_solvers(v));
    SolverView* s = view_of(v, solver);
    if (s == NULL) return no_such_solver(v, "tarn_viewer_get_look");
    *out = tarn__view_look_of(v, s);
    return TARN_OK;
}

TarnResult tarn_viewer_set_look(TarnViewer* v, const void* solver, const TarnSolverLook* look)
{
    if (v == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__view_find_solvers(v));
    SolverView* s = view_of(v, solver);
    if (s == NULL) return no_such_solver(v, "tarn_viewer_set_look");
    if (look != NULL) TARN_TRY(check_look(v->ctx, look));
    s->has_look = look != NULL;
    if (look == NULL) return TARN_OK;
    if (look->n_particles > 0)
        memmove(s->looks, look->particles, (size_t)look->n_particles * sizeof *s->looks);
    s->look = *look;
    return TARN_OK;
}

TarnSolverLook tarn__view_look_of(const TarnViewer* v, SolverView* s)
{
    TarnSolverLook look = s->look;
    if (!s->has_look) look_of_scene(v, s->solver, &look, s->looks);
    look.particles = look.n_particles > 0 ? s->looks : NULL;
    return look;
}

// ---- Bodies and solids -----------------------------------------------------------------------------

TarnThingLook tarn__view_look_of_body(const TarnViewer* v, TarnBodyId body)
{
    TarnThingLook look = { .color = tarn_scene_body_color(v->scene, body),
                           .glow = tarn_scene_body_glow(v->scene, body),
                           .is_hidden = tarn_scene_body_is_hidden(v->scene, body) };
    if (v->def.thing_look) v->def.thing_look(body, (TarnSolidId){ 0 }, &look, v->def.user);
    return look;
}

// Without a scene the solid of a body is not drawn: the body is.
TarnThingLook tarn__view_look_of_solid(const TarnViewer* v, TarnSolidId solid)
{
    TarnBodyId body = tarn_couple_body_of(tarn_world_bodies(v->world), solid);
    TarnThingLook look = { .color = tarn_scene_solid_color(v->scene, solid),
                           .glow = tarn_scene_solid_glow(v->scene, solid),
                           .is_hidden = v->scene ? tarn_scene_solid_is_hidden(v->scene, solid)
                                                 : body.value != 0,
                           .is_glass = tarn_scene_solid_is_glass(v->scene, solid) };
    if (v->def.thing_look) v->def.thing_look((TarnBodyId){ 0 }, solid, &look, v->def.user);
    return look;
}
