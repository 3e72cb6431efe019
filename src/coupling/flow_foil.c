// Sails, keels, fins and wings: lift and drag of a thin plate in any Flow.
//
// Method   The span is cut in strips. In the plane across it u is the velocity of the fluid past a strip, a the angle of attack
//          between u and the chord, A the area, q = rho / 2 |u|:
//              drag  q C_D A u,    lift  q C_L A (span x u)
//          Up to the stall the flow is attached [Prandtl's lifting line, for an elliptic load]:
//              C_L = 2 pi / (1 + 2 / aspect) sin a cos a,    C_D = C_0 + C_L^2 / (pi aspect)
//          beyond it separated, a pressure along the normal:
//              C_L = C_n sin a cos a,                        C_D = C_0 + C_n sin^2 a
//          and a smooth step goes from one to the other. Flow along the span does nothing, so that a sail that heels
//          catches less. The boom falls off to leeward until the flow meets the sail at the angle of
//          attack that it is trimmed to, or the sheet holds it; it has no mass.
//          Both forces are K times u, and push.c makes them stable for any mass and dt.
// Limits   The flow does not feel the foil. No camber and no twist, no dynamic stall; one foil does not shade another.
// Source   [Anderson2011] for the lifting line, [Hoerner1965] for plates across the flow, [Beard2012] for the blend over
//          the stall.
// Checked  tests/unit/test_foils.c, tests/unit/test_world_push.c.

#include "tarn/push.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "coupling/push.h"

enum { STRIPS = 4 };

static const float pi = 3.14159265f;
static const float plate = 1.17f; // C_n: drag coefficient of a plate across the flow, Hoerner
static const float stalled =
    1.5f; // sine of the angle at which the flow is fully separated, over that of the stall

// ---- Parameters ---------------------------------------------------------------------------------

static const char* const mediums[] = { "air", "water", NULL };
static const TarnParam foil_params[] = {
    P_ENUM(TarnFoilDef, medium, mediums, 2, TARN_FOIL_AIR,
           "Medium of the foil: the air of the world for sails and wings, its water for keels."),
    P_FLOAT(TarnFoilDef, area, "m^2", 0.0001, 1e4, 10,
            "Area of one side; larger ones push harder."),
    P_VEC3(TarnFoilDef, position, "m", -1e3, 1e3, 0, 0, 0,
           "Center of the foil in the axes of the body, relative to its center of mass."),
    P_FLOAT(TarnFoilDef, aspect, "", 0.1, 100, 4,
            "Span squared over area; slender foils lift more and drag less."),
    P_ANGLE(TarnFoilDef, stall, "deg", 1, 40, 20,
            "Angle of attack at which the flow begins to separate; lift is largest there."),
    P_FLOAT(TarnFoilDef, drag, "", 0, 10, 0.02, "Drag coefficient at zero angle of attack."),
    P_ANGLE(TarnFoilDef, sheet, "deg", 0, 90, 85,
            "How far the boom of a sail may swing to either side; 0: the foil is fixed, a keel."),
    P_ANGLE(TarnFoilDef, attack, "deg", 0, 90, 18,
            "Angle of attack that a sail is trimmed to, as far as its sheet lets it; 0: it flies "
            "out until the sheet holds it."),
    P_FLOAT(TarnFoilDef, density, "kg/m^3", 0, 1e5, 1.2,
            "Density of the fluid where the flow tells less; larger ones push harder."),
};
static const TarnParamTable foil_table = PARAM_TABLE("foil", TarnFoilDef, foil_params);

const TarnParamTable* tarn_foil_def_table(void)
{
    return &foil_table;
}

void tarn_foil_init_def(TarnFoilDef* out, size_t size)
{
    TarnFoilDef def = { 0 };
    tarn_param_defaults(&foil_table, &def);
    TARN_INIT_DEF(TarnFoilDef, out, size, &def);
}

static TarnResult check_foil(TarnContext* ctx, const TarnFoilDef* foil)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "foil", "tarn/push.h", TarnFoilDef, tarn_foil_default_def, foil));
    return tarn_param_validate(ctx, &foil_table, foil);
}

// ---- Coefficients -------------------------------------------------------------------------------

// s, c: sine and cosine of the angle of attack; from behind a plate is the same plate.
static void coefficients(const TarnFoilDef* foil, float s, float c, float* lift, float* drag)
{
    float sn, cs, attached = 2.0f * pi / (1.0f + 2.0f / foil->aspect) * s * c;
    tarn_sincos(foil->stall, &sn, &cs);
    float t = tarn_clampf((fabsf(s) / sn - 1.0f) / (stalled - 1.0f), 0.0f, 1.0f);
    float beyond = t * t * (3.0f - 2.0f * t);
    float induced = attached * attached / (pi * foil->aspect);
    *lift = attached + beyond * (plate * s * c - attached);
    *drag = foil->drag + induced + beyond * (plate * s * s - induced);
}

TarnResult tarn_foil_coefficients(const TarnFoilDef* foil, float attack, float* lift, float* drag)
{
    float s, c, cl, cd;
    TARN_TRY(check_foil(NULL, foil));
    if (!(fabsf(attack) <= 1e3f)) return TARN_ERR_ARG;
    tarn_sincos(attack, &s, &c);
    coefficients(foil, s, c, &cl, &cd);
    if (lift) *lift = cl;
    if (drag) *drag = cd;
    return TARN_OK;
}

// ---- Strips -------------------------------------------------------------------------------------

typedef struct Strips {
    TarnVec3 nose, up, side; // axes of the body
    TarnVec3 arm[STRIPS], fluid[STRIPS];
    float rho[STRIPS];
    float aft[STRIPS],
        across[STRIPS]; // flow past it, towards the stern and along the body's +z [m/s]
} Strips;

static void ask(TarnFlow flow, const TarnFoilDef* foil, const TarnBody* body, Strips* strips)
{
    float x[STRIPS], y[STRIPS], z[STRIPS], presence[STRIPS], density[STRIPS];
    TarnVec3 velocity[STRIPS], center = quat_rotate(body->state.rotation, foil->position);
    float span = sqrtf(foil->area * foil->aspect);
    strips->nose = quat_rotate(body->state.rotation, (TarnVec3){ 1, 0, 0 });
    strips->up = quat_rotate(body->state.rotation, (TarnVec3){ 0, 1, 0 });
    strips->side = quat_rotate(body->state.rotation, (TarnVec3){ 0, 0, 1 });
    for (int i = 0; i < STRIPS; ++i) {
        float along = span * (((float)i + 0.5f) / (float)STRIPS - 0.5f);
        strips->arm[i] = vec3_add(center, vec3_scale(strips->up, along));
        TarnVec3 p = vec3_add(body->state.position, strips->arm[i]);
        x[i] = p.x, y[i] = p.y, z[i] = p.z;
    }
    flow.query(flow.self, STRIPS, x, y, z, &(TarnFlowSamples){ velocity, presence, density, NULL });
    for (int i = 0; i < STRIPS; ++i) {
        TarnVec3 turn = vec3_cross(body->state.angular_velocity, strips->arm[i]);
        strips->fluid[i] = tarn__push_velocity(velocity[i]);
        strips->rho[i] = tarn__push_density(foil->density, presence[i], density[i]);
        TarnVec3 u = vec3_sub(strips->fluid[i], vec3_add(body->state.velocity, turn));
        strips->aft[i] = -vec3_dot(u, strips->nose);
        strips->across[i] = vec3_dot(u, strips->side);
    }
}

// Angle of the trailing edge off the stern, by the mean of the flow [rad]. 0 without any.
static float trim(const TarnFoilDef* foil, const Strips* strips, TarnFoilState* out)
{
    float aft = 0.0f, across = 0.0f, rho = 0.0f;
    for (int i = 0; i < STRIPS; ++i) {
        aft += strips->rho[i] * strips->aft[i];
        across += strips->rho[i] * strips->across[i];
        rho += strips->rho[i];
    }
    if (!(rho > 0.0f)) return 0.0f;
    float from = tarn_atan2(across, aft); // 0: the flow comes from ahead
    float boom = tarn_clampf(fabsf(from) - foil->attack, 0.0f, foil->sheet);
    if (from < 0.0f) boom = -boom;
    out->speed = sqrtf(aft * aft + across * across) / rho;
    out->attack = from - boom;
    return boom;
}

static void add_strips(const TarnFoilDef* foil, const Strips* strips, float boom, Push* push)
{
    float sb, cb, lift[STRIPS], drag;
    tarn_sincos(boom, &sb, &cb);
    for (int i = 0; i < STRIPS; ++i) {
        float a = strips->aft[i], b = strips->across[i], speed = sqrtf(a * a + b * b);
        double q = 0.5 / STRIPS * (double)strips->rho[i] * (double)foil->area * (double)speed;
        lift[i] = 0.0f;
        if (!(q > 0.0)) continue;
        coefficients(foil, (b * cb - a * sb) / speed, (a * cb + b * sb) / speed, &lift[i], &drag);
        tarn__push_along(push, strips->nose, strips->arm[i], q * (double)drag, strips->fluid[i]);
        tarn__push_along(push, strips->side, strips->arm[i], q * (double)drag, strips->fluid[i]);
        lift[i] = (float)(q * (double)lift[i]);
    }
    tarn__push_close(push);
    for (int i = 0; i < STRIPS; ++i) // along the nose by what flows to the side
        tarn__push_across(push, strips->nose, strips->side, strips->arm[i], (double)lift[i],
                          strips->fluid[i]);
}

// ---- Calls --------------------------------------------------------------------------------------

static TarnResult check_call(TarnFlow flow, const TarnFoilDef* foil, const TarnBodies* bodies,
                             TarnBodyId id, int* slot)
{
    if (bodies == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = tarn__bodies_context(bodies);
    if (flow.query == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "flow: it has no query function; get one from a solver or from "
                          "tarn_flow_uniform");
    TARN_TRY(check_foil(ctx, foil));
    *slot = tarn__bodies_slot_of(bodies, id);
    if (*slot >= 0) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "foil: the body's id is stale, null, or of another set");
}

static void begin(TarnFlow flow, const TarnFoilDef* foil, const TarnBody* body, Push* push,
                  TarnFoilState* out)
{
    Strips strips;
    ask(flow, foil, body, &strips);
    *out = (TarnFoilState){ .span = sqrtf(foil->area * foil->aspect) };
    out->chord = foil->area / out->span;
    out->boom = trim(foil, &strips, out);
    TarnVec3 center = quat_rotate(body->state.rotation, foil->position);
    out->position = vec3_add(body->state.position, center);
    out->rotation = quat_normalize(quat_multiply(
        body->state.rotation, quat_from_axis_angle((TarnVec3){ 0, 1, 0 }, out->boom)));
    add_strips(foil, &strips, out->boom, push);
}

TarnResult tarn_couple_flow_foil(TarnFlow flow, const TarnFoilDef* foil, TarnBodies* bodies,
                                 TarnBodyId id, float dt, TarnFoilState* state)
{
    int slot = -1;
    Push push = { 0 };
    TarnFoilState now;
    if (state) *state = (TarnFoilState){ .rotation = { 0, 0, 0, 1 } };
    TARN_TRY(check_call(flow, foil, bodies, id, &slot));
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(tarn__bodies_context(bodies), TARN_ERR_ARG,
                          "dt: %g s is out of range; allowed: 0 to 10 s", (double)dt);
    TarnBody* body = tarn__bodies_slot(bodies, slot);
    begin(flow, foil, body, &push, &now);
    if (!body->is_driven)
        tarn__push_apply(&push, body, tarn__bodies_gravity(bodies), 0.0, dt, &now.force);
    if (state) *state = now;
    return TARN_OK;
}

TarnResult tarn_foil_state(TarnFlow flow, const TarnFoilDef* foil, TarnBodies* bodies,
                           TarnBodyId id, TarnFoilState* out)
{
    int slot = -1;
    Push push = { 0 };
    if (out == NULL) return TARN_ERR_ARG;
    *out = (TarnFoilState){ .rotation = { 0, 0, 0, 1 } };
    TARN_TRY(check_call(flow, foil, bodies, id, &slot));
    const TarnBody* body = tarn__bodies_slot(bodies, slot);
    begin(flow, foil, body, &push, out);
    TarnVec3 v = body->state.velocity, w = body->state.angular_velocity;
    const double now[6] = { v.x, v.y, v.z, w.x, w.y, w.z };
    double f[3];
    for (int i = 0; i < 3; ++i) {
        f[i] = push.b[i];
        for (int j = 0; j < 6; ++j) f[i] -= push.d[i][j] * now[j];
    }
    out->force = (TarnVec3){ (float)f[0], (float)f[1], (float)f[2] };
    return TARN_OK;
}
