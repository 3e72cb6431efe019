// A buoy on a chain: Chipmunk moves the bodies and provides the joint, Tarn simulates the water. Built if Chipmunk is installed.
#include "tarn/tarn.h"
#include "tarn_chipmunk.h"
#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>

static const float dt = 1.0f / 60.0f;
static const double chain = 0.45; // [m]

typedef struct Tank {
    TarnContext* ctx;
    TarnSolids* solids; // where the liquid meets the bodies
    TarnLiquid* liquid;
    TarnBodies* bodies;
    TarnChipmunk* engine;
} Tank;

static bool make_tank(Tank* t)
{
    TarnContextDef context = tarn_context_default_def();
    TarnSolidsDef solids = tarn_solids_default_def();
    TarnLiquidDef liquid = tarn_liquid_default_def();
    TarnBodiesDef bodies = tarn_bodies_default_def();
    liquid.spacing = 0.03f;
    liquid.box_min = bodies.box_min = (TarnVec3){ -1.0f, 0.0f, -1.0f };
    liquid.box_max = bodies.box_max = (TarnVec3){ 1.0f, 2.0f, 1.0f };
    *t = (Tank){ 0 };
    return tarn_context_create(&context, &t->ctx) == TARN_OK &&
           tarn_solids_create(t->ctx, &solids, &t->solids) == TARN_OK &&
           tarn_liquid_create(t->ctx, &liquid, &t->liquid) == TARN_OK &&
           tarn_liquid_set_solids(t->liquid, t->solids) == TARN_OK &&
           tarn_bodies_create(t->ctx, &bodies, &t->bodies) == TARN_OK &&
           tarn_chipmunk_create(t->bodies, &t->engine) == TARN_OK;
}

static TarnBodyId add_buoy(Tank* t, TarnVec3 at)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id = { 0 };
    def.shape = tarn_shape_sphere(0.12f);
    def.density = 200.0f;
    def.freedom = TARN_BODY_PLANAR; // Chipmunk's plane
    def.state.position = at;
    tarn_bodies_add(t->bodies, &def, &id);
    return id;
}

// The bridge creates the Chipmunk body in the first step; after that, any Chipmunk joint can be attached to it.
static cpConstraint* tie(Tank* t, TarnBodyId id, double x)
{
    tarn_chipmunk_step(t->bodies, 0.0f, t->engine);
    cpSpace* space = tarn_chipmunk_space(t->engine);
    cpBody *ground = cpSpaceGetStaticBody(space), *buoy = tarn_chipmunk_body(t->engine, id);
    cpConstraint* joint = cpSlideJointNew(ground, buoy, cpv(x, 0.0), cpvzero, 0.0, chain);
    return cpSpaceAddConstraint(space, joint);
}

// A frame of a host: solids move, the liquid pushes the bodies, the engine moves them.
static bool step(Tank* t)
{
    return tarn_solids_advance(t->solids, dt) == TARN_OK &&
           tarn_couple_liquid_bodies(t->liquid, t->bodies, dt, NULL) == TARN_OK &&
           tarn_chipmunk_step(t->bodies, dt, t->engine) == TARN_OK;
}

static TarnVec3 place(Tank* t, TarnBodyId id)
{
    TarnBodyState state = { 0 };
    tarn_bodies_get_state(t->bodies, id, &state);
    return state.position;
}

static void destroy_tank(Tank* t)
{
    tarn_chipmunk_destroy(t->engine); // before the bodies
    tarn_bodies_destroy(t->bodies);
    tarn_liquid_destroy(t->liquid);
    tarn_solids_destroy(t->solids);
    tarn_context_destroy(t->ctx);
}

int main(void)
{
    Tank tank;
    if (!make_tank(&tank)) return 1;
    TarnBodyId tied = add_buoy(&tank, (TarnVec3){ -0.4f, 0.3f, 0.0f });
    TarnBodyId loose = add_buoy(&tank, (TarnVec3){ 0.4f, 0.3f, 0.0f });
    cpConstraint* joint = tie(&tank, tied, -0.4);
    tarn_couple_solids_prepare(tank.solids, tank.bodies); // so that the water leaves room for them
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ -1.0f, 0.0f, 0.0f },
                                        (TarnVec3){ 1.0f, 0.8f, 0.0f }, &fill.pose.position);
    tarn_liquid_fill(tank.liquid, &fill, NULL);
    bool is_fine = true;
    for (int frame = 1; frame <= 4 * 60 && is_fine; ++frame) {
        is_fine = step(&tank);
        if (frame % 60 != 0) continue;
        printf("%d s: tied buoy at %.2f m, its chain is %s; loose one at %.2f m\n", frame / 60,
               (double)place(&tank, tied).y, cpConstraintGetImpulse(joint) > 0.0 ? "taut" : "slack",
               (double)place(&tank, loose).y);
    }
    TarnVec3 a = place(&tank, tied), b = place(&tank, loose);
    bool is_held = hypot((double)a.x + 0.4, (double)a.y) < 1.05 * chain && a.y > 0.35f;
    bool is_afloat = b.y > 0.75f && b.y < 1.0f;
    cpSpaceRemoveConstraint(tarn_chipmunk_space(tank.engine), joint);
    cpConstraintFree(joint);
    destroy_tank(&tank);
    return is_fine && is_held && is_afloat ? 0 : 1;
}
