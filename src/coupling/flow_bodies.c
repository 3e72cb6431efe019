// Wind, jets, blasts and liquids push bodies: forces of any Flow on the faces of a body.
//
// Method   The surface is cut in triangles (surface.c) and sampled. u is the velocity of the fluid relative to the
//          surface, un its part along the outward normal, A the area, q = rho / 2:
//              pressure on faces that meet the flow    q C_p un^2 A w,  un < 0
//              suction on faces that look away         q C_s un^2 A w,  un > 0
//              skin friction                           q C_f |u| u_t A
//          A gain makes q larger where the fluid blows at the body, by the part of u that is the fluid's own.
//          w = 1 - (u_t . r) / (|u| R) gives the part of a face that lies upstream of the center more of the pressure
//          than the part downstream, as measured on plates; its mean is 1. This turns plates and poles
//          across the flow. All three act against the motion of the surface in still fluid, so
//          that they take energy and never give any.
//          Each is K times a relative speed, and push.c makes a force of them that is stable for any mass and dt: a
//          feather ends at the speed of the wind, never beyond. Bodies are heavier by the added mass, a
//          share of the fluid that they displace.
// Theory   Drag coefficients: cube and plate across the flow C_p + C_s, sphere half of it; besides skin friction.
// Limits   The flow does not feel the bodies here (gases and liquids have obstacles of their own). No lift beyond
//          that of pressure along the normals; no buoyancy: couple a Surface or a liquid for it.
// Source   [Hoerner1965] for measured drag coefficients.
// Checked  tests/physics/check_push.c, tests/unit/test_flow_bodies.c, tests/robust/test_body_storms.c.
// Cost     200 boxes in a uniform flow 0.4 ms on one core (tarn bench push).

#include "tarn/push.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include "coupling/push.h"

enum { MAX_SAMPLES = 3 * 64, FEELERS = 15, BODIES_PER_BLOCK = 8 };

// ---- Parameters ---------------------------------------------------------------------------------

static const TarnParam push_params[] = {
    P_FLOAT(TarnFlowPush, density, "kg/m^3", 0, 1e5, 1.2,
            "Lowest density of the fluid, used where the flow reports less; larger values push "
            "harder."),
    P_FLOAT(TarnFlowPush, gain, "", 0, 1e4, 1,
            "Factor on the push of fluid that blows at a body; it does not brake bodies that move "
            "through the fluid. Blasts need more than 1, because they are slower in a grid than in "
            "the open."),
    P_FLOAT(TarnFlowPush, pressure, "", 0, 10, 0.7,
            "Pressure coefficient of faces toward the flow; larger values push harder."),
    P_FLOAT(TarnFlowPush, suction, "", 0, 10, 0.3,
            "Suction coefficient of faces away from the flow."),
    P_FLOAT(TarnFlowPush, skin, "", 0, 10, 0.01, "Coefficient of friction along the surface."),
    P_FLOAT(TarnFlowPush, added_mass, "", 0, 10, 0.5,
            "Fluid that moves with a body, per displaced mass; larger values make light bodies "
            "slower to follow."),
    P_FLOAT(TarnFlowPush, offset, "", 0, 10, 0.5,
            "Distance from the surface at which the flow is sampled, in radii of the body; far "
            "enough that a fluid that flows around the body still shows its undisturbed speed."),
};
static const TarnParamTable push_table = PARAM_TABLE("push", TarnFlowPush, push_params);

const TarnParamTable* tarn_flow_push_table(void)
{
    return &push_table;
}

void tarn_flow_push_init(TarnFlowPush* out, size_t size)
{
    TarnFlowPush push = { 0 };
    tarn_param_defaults(&push_table, &push);
    TARN_INIT_DEF(TarnFlowPush, out, size, &push);
}

// ---- Samples ------------------------------------------------------------------------------------

typedef struct Samples {
    float x[MAX_SAMPLES], y[MAX_SAMPLES], z[MAX_SAMPLES]; // where the flow is asked [m]
    TarnVec3 arm[MAX_SAMPLES], normal[MAX_SAMPLES];       // of the surface
    float area[MAX_SAMPLES];                              // [m^2]
    TarnVec3 velocity[MAX_SAMPLES];                       // of the fluid
    float presence[MAX_SAMPLES], density[MAX_SAMPLES];
    int n;
} Samples;

static void add_sample(Samples* s, const TarnBody* body, TarnVec3 arm, TarnVec3 normal, float area,
                       float offset)
{
    TarnVec3 p = vec3_add(body->state.position, vec3_add(arm, vec3_scale(normal, offset)));
    int n = s->n++;
    s->x[n] = p.x, s->y[n] = p.y, s->z[n] = p.z;
    s->arm[n] = arm, s->normal[n] = normal, s->area[n] = area;
}

// Few triangles are sampled at the middles of their edges, which is exact for what turns; many at their
// centers.
static void make_samples(Samples* s, const TarnBody* body, float offset)
{
    BodyTriangle triangles[BODY_MAX_SURFACE];
    int n = tarn__body_surface(body, triangles);
    bool is_fine = 3 * n > MAX_SAMPLES;
    s->n = 0;
    for (int t = 0; t < n; ++t) {
        const TarnVec3* p = triangles[t].p;
        TarnVec3 across = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
        float twice = vec3_length(across);
        if (!(twice > 0.0f)) continue;
        TarnVec3 normal = vec3_scale(across, 1.0f / twice);
        TarnVec3 middle = vec3_scale(vec3_add(p[0], vec3_add(p[1], p[2])), 1.0f / 3.0f);
        if (is_fine) add_sample(s, body, middle, normal, 0.5f * twice, offset);
        for (int e = 0; e < 3 && !is_fine; ++e) {
            TarnVec3 edge = vec3_scale(vec3_add(p[e], p[(e + 1) % 3]), 0.5f);
            add_sample(s, body, edge, normal, twice / 6.0f, offset);
        }
    }
}

static void ask(TarnFlow flow, Samples* s)
{
    flow.query(flow.self, s->n, s->x, s->y, s->z,
               &(TarnFlowSamples){ s->velocity, s->presence, s->density, NULL });
}

// Is there any fluid at the center, at the corners and sides of the cube around, as far out as it is sampled?
static void make_feelers(const TarnBody* body, float offset, float* x, float* y, float* z)
{
    TarnVec3 p = body->state.position;
    float r = body->radius + offset, corner = 0.57735f * r;
    for (int n = 0; n < 8; ++n) {
        x[n] = p.x + (n & 1 ? corner : -corner);
        y[n] = p.y + (n & 2 ? corner : -corner);
        z[n] = p.z + (n & 4 ? corner : -corner);
    }
    for (int n = 0; n < 6; ++n) {
        float way = n & 1 ? r : -r;
        x[8 + n] = p.x + (n / 2 == 0 ? way : 0.0f);
        y[8 + n] = p.y + (n / 2 == 1 ? way : 0.0f);
        z[8 + n] = p.z + (n / 2 == 2 ? way : 0.0f);
    }
    x[14] = p.x, y[14] = p.y, z[14] = p.z;
}

// ---- Forces ----------------------------------------------------------------------------------------

static void add_to_push(Push* push, const TarnFlowPush* params, const TarnBody* body,
                        const Samples* s, int n)
{
    float rho = tarn__push_density(params->density, s->presence[n], s->density[n]);
    TarnVec3 arm = s->arm[n], normal = s->normal[n], fluid = tarn__push_velocity(s->velocity[n]);
    float area = s->area[n];
    push->rho += (double)rho * (double)area;
    push->area += (double)area;
    if (!(rho > 0.0f)) return;
    TarnVec3 surface =
        vec3_add(body->state.velocity, vec3_cross(body->state.angular_velocity, arm));
    TarnVec3 u = vec3_sub(fluid, surface);
    float un = vec3_dot(u, normal), speed = vec3_length(u);
    if (!(speed > 0.0f)) return;
    // How much of the relative motion is the fluid's: 1 at a body at rest, 0 in still fluid and in what it drags along.
    float blown = tarn_clampf(vec3_dot(u, fluid) / (speed * speed), 0.0f, 1.0f);
    float gain = 1.0f + blown * (params->gain - 1.0f);
    TarnVec3 along = vec3_sub(u, vec3_scale(normal, un));
    float upstream = tarn_clampf(vec3_dot(along, arm) / (speed * body->radius), -1.0f, 1.0f);
    float form = un < 0.0f ? params->pressure : params->suction;
    double q = 0.5 * (double)rho * (double)area * (double)gain;
    double across = q * (double)(form * fabsf(un) * (1.0f - upstream));
    double skin = q * (double)(params->skin * speed); // along the surface only
    tarn__push_along(push, normal, arm, across - skin, fluid);
    tarn__push_any_way(push, arm, skin, fluid);
}

// ---- Bodies -------------------------------------------------------------------------------------

typedef struct Job {
    TarnFlow flow;
    TarnFlowPush params;
    TarnBodies* bodies;
    float dt;
} Job;

static void push_body(const Job* job, TarnBody* body)
{
    Samples s;
    Push push = { 0 };
    make_samples(&s, body, job->params.offset * body->radius);
    ask(job->flow, &s);
    for (int n = 0; n < s.n; ++n) add_to_push(&push, &job->params, body, &s, n);
    tarn__push_close(&push);
    if (!(push.rho > 0.0)) return;
    double around = push.rho / push.area;
    double share = (double)job->params.added_mass * around / (double)body->density;
    tarn__push_apply(&push, body, tarn__bodies_gravity(job->bodies), share, job->dt, NULL);
}

// Which bodies of a block the flow reaches costs one query.
static void push_block(int block, void* data)
{
    const Job* job = data;
    enum { POINTS = BODIES_PER_BLOCK * FEELERS };
    float x[POINTS], y[POINTS], z[POINTS], presence[POINTS];
    TarnBody* near[BODIES_PER_BLOCK];
    int n = 0, first = block * BODIES_PER_BLOCK, end = first + BODIES_PER_BLOCK;
    for (int slot = first; slot < end && slot < tarn__bodies_capacity(job->bodies); ++slot) {
        TarnBody* body = tarn__bodies_slot(job->bodies, slot);
        if (!body->is_used || body->is_driven || body->shape.kind == TARN_SHAPE_SPAN) continue;
        float offset = job->params.offset * body->radius;
        make_feelers(body, offset, x + FEELERS * n, y + FEELERS * n, z + FEELERS * n);
        near[n++] = body;
    }
    if (n == 0) return;
    job->flow.query(job->flow.self, FEELERS * n, x, y, z,
                    &(TarnFlowSamples){ .presence = presence });
    for (int b = 0; b < n; ++b) {
        bool is_in = false;
        for (int i = 0; i < FEELERS; ++i) is_in |= presence[FEELERS * b + i] > 0.0f;
        if (is_in) push_body(job, near[b]);
    }
}

TarnResult tarn_couple_flow_bodies(TarnFlow flow, const TarnFlowPush* params, TarnBodies* bodies,
                                   float dt)
{
    if (bodies == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = tarn__bodies_context(bodies);
    if (flow.query == NULL)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "flow: it has no query function; use the flow of a solver or tarn_flow_uniform");
    TARN_TRY(TARN_CHECK_DEF(ctx, "push", "tarn/coupling.h", TarnFlowPush, tarn_flow_push_default,
                            params));
    TARN_TRY(tarn_param_validate(ctx, &push_table, params));
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(ctx, TARN_ERR_ARG, "dt: %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    Job job = { flow, *params, bodies, dt };
    int blocks = (tarn__bodies_capacity(bodies) + BODIES_PER_BLOCK - 1) / BODIES_PER_BLOCK;
    if (tarn_bodies_count(bodies) > 0) tarn__parallel_for(ctx, blocks, push_block, &job);
    return TARN_OK;
}
