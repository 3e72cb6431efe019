// Wind, jets, blasts and liquids push bodies: forces of any Flow on the faces of a body.
//
// Method   The surface is cut in triangles (surface.c) and sampled. u is the velocity of the fluid relative to the
//          surface, un its part along the outward normal, A the area, q = rho / 2:
//              pressure on faces that meet the flow    q C_p un^2 A w,  un < 0
//              suction on faces that look away         q C_s un^2 A w,  un > 0
//              skin friction                           q C_f |u| u_t A
//          w = 1 - (u_t . r) / (|u| R) gives the part of a face that lies upstream of the center more of the pressure
//          than the part downstream, as measured on plates; its mean is 1. This turns plates and poles
//          across the flow. All three act against the motion of the surface in still fluid, so
//          that they take energy and never give any.
//          Each is K times a relative speed. With the K of the beginning of the step the velocities at its end are
//          one linear system of six unknowns, together with gravity and all other forces:
//              (M + M_a + dt D) v1 = (M + M_a) v0 + dt (f + b)
//          which is stable for any mass and dt: a feather ends at the speed of the wind, never beyond. M_a is the
//          added mass, a share of the fluid that the body displaces.
// Theory   Drag coefficients: cube and plate across the flow C_p + C_s, sphere half of it; besides skin friction.
// Limits   The flow does not feel the bodies here (gases and liquids have obstacles of their own). No lift beyond
//          that of pressure along the normals; no buoyancy: couple a Surface or a liquid for it.
// Source   [Hoerner1965] for measured drag coefficients.
// Checked  tests/physics/check_push.c, tests/unit/test_flow_bodies.c, tests/robust/test_body_storms.c.
// Cost     200 boxes in a uniform flow 0.4 ms on one core (tarn bench push).

#include "tarn/coupling.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include "bodies/bodies.h"

enum { MAX_SAMPLES = 3 * 64, FEELERS = 15, BODIES_PER_BLOCK = 8 };

static const float max_flow_speed = 1e4f; // faster flows count as this fast [m/s]
static const float max_density = 1e5f;    // [kg/m^3]
static const float max_force = 1e20f;     // that bodies take [N], [N m]

// ---- Parameters ---------------------------------------------------------------------------------

static const TarnParam push_params[] = {
    P_FLOAT(TarnFlowPush, density, "kg/m^3", 0, 1e5, 1.2,
            "Lowest density of the fluid, used where the flow reports less; larger values push "
            "harder."),
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

// ---- Six equations --------------------------------------------------------------------------------

// Velocities and forces as six numbers: linear, then angular about the center of mass.
typedef struct Push {
    double d[6][6], b[6]; // force of the fluid: b - d v
    double rho, area;     // sums over the surface, for the density of the fluid around
} Push;

// k times the relative speed along e; the lower half of d is filled in at the end.
static void add_direction(Push* push, TarnVec3 e, TarnVec3 arm, double k, TarnVec3 fluid)
{
    TarnVec3 turn = vec3_cross(arm, e);
    const double g[6] = { e.x, e.y, e.z, turn.x, turn.y, turn.z };
    double speed = (double)vec3_dot(fluid, e);
    for (int i = 0; i < 6; ++i) {
        double kg = k * g[i];
        push->b[i] += kg * speed;
        for (int j = i; j < 6; ++j) push->d[i][j] += kg * g[j];
    }
}

// k times the relative velocity, whatever its direction.
static void add_all_directions(Push* push, TarnVec3 arm, double k, TarnVec3 fluid)
{
    double x = arm.x, y = arm.y, z = arm.z;
    TarnVec3 turn = vec3_cross(arm, fluid);
    const double f[6] = { fluid.x, fluid.y, fluid.z, turn.x, turn.y, turn.z };
    for (int i = 0; i < 6; ++i) push->b[i] += k * f[i];
    for (int i = 0; i < 3; ++i) push->d[i][i] += k;
    push->d[0][4] += k * z, push->d[0][5] -= k * y; // v + w x arm
    push->d[1][3] -= k * z, push->d[1][5] += k * x;
    push->d[2][3] += k * y, push->d[2][4] -= k * x;
    push->d[3][3] += k * (y * y + z * z);
    push->d[4][4] += k * (x * x + z * z);
    push->d[5][5] += k * (x * x + y * y);
    push->d[3][4] -= k * x * y;
    push->d[3][5] -= k * x * z;
    push->d[4][5] -= k * y * z;
}

static void mirror(Push* push)
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j) push->d[i][j] = push->d[j][i];
    }
}

static TarnVec3 sane_velocity(TarnVec3 v)
{
    float most = tarn_maxf(fabsf(v.x), tarn_maxf(fabsf(v.y), fabsf(v.z)));
    if (most <= max_flow_speed) return v;
    if (!tarn__is_finite3(v)) return (TarnVec3){ 0, 0, 0 };
    return vec3_scale(v, max_flow_speed / most);
}

static void add_to_push(Push* push, const TarnFlowPush* params, const TarnBody* body,
                        const Samples* s, int n)
{
    float presence = tarn_clampf(s->presence[n], 0.0f, 1.0f); // NaN gives 0
    float told = tarn_clampf(s->density[n], 0.0f, max_density);
    float rho = tarn_maxf(params->density * presence, presence > 0.0f ? told : 0.0f);
    TarnVec3 arm = s->arm[n], normal = s->normal[n], fluid = sane_velocity(s->velocity[n]);
    float area = s->area[n];
    push->rho += (double)rho * (double)area;
    push->area += (double)area;
    if (!(rho > 0.0f)) return;
    TarnVec3 surface =
        vec3_add(body->state.velocity, vec3_cross(body->state.angular_velocity, arm));
    TarnVec3 u = vec3_sub(fluid, surface);
    float un = vec3_dot(u, normal), speed = vec3_length(u);
    if (!(speed > 0.0f)) return;
    TarnVec3 along = vec3_sub(u, vec3_scale(normal, un));
    float upstream = tarn_clampf(vec3_dot(along, arm) / (speed * body->radius), -1.0f, 1.0f);
    float form = un < 0.0f ? params->pressure : params->suction;
    double q = 0.5 * (double)rho * (double)area;
    double across = q * (double)(form * fabsf(un) * (1.0f - upstream));
    double skin = q * (double)(params->skin * speed); // along the surface only
    add_direction(push, normal, arm, across - skin, fluid);
    add_all_directions(push, arm, skin, fluid);
}

// Inverse masses, as far as the freedom of the body lets it move. In double from here on: what is left of the
// force on a light body is a small difference of large numbers.
static void inverse_masses(const TarnBody* body, double w[6][6])
{
    for (int c = 0; c < 3; ++c) {
        TarnVec3 unit = { c == 0, c == 1, c == 2 };
        TarnVec3 linear = tarn__body_free_part(body, unit);
        TarnVec3 angular = tarn__body_inertia_inv(body, unit);
        double m = 1.0 / (double)body->mass;
        w[0][c] = (double)linear.x * m, w[1][c] = (double)linear.y * m;
        w[2][c] = (double)linear.z * m;
        w[3][3 + c] = angular.x, w[4][3 + c] = angular.y, w[5][3 + c] = angular.z;
    }
}

static void multiply(double m[6][6], const double x[6], double out[6])
{
    for (int i = 0; i < 6; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < 6; ++j) out[i] += m[i][j] * x[j];
    }
}

// Gauss with partial pivoting; a and y are overwritten. The matrix is the unit matrix plus a stable one.
static bool solve6(double a[6][6], double y[6])
{
    for (int c = 0; c < 6; ++c) {
        int best = c;
        for (int r = c + 1; r < 6; ++r) {
            if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
        }
        if (!(fabs(a[best][c]) > 1e-300)) return false;
        for (int j = 0; j < 6; ++j) {
            double swap = a[c][j];
            a[c][j] = a[best][j], a[best][j] = swap;
        }
        double swap = y[c];
        y[c] = y[best], y[best] = swap;
        for (int r = c + 1; r < 6; ++r) {
            double f = a[r][c] / a[c][c];
            for (int j = c; j < 6; ++j) a[r][j] -= f * a[c][j];
            y[r] -= f * y[c];
        }
    }
    for (int c = 5; c >= 0; --c) {
        for (int j = c + 1; j < 6; ++j) y[c] -= a[c][j] * y[j];
        y[c] /= a[c][c];
    }
    return true;
}

// All forces but those of this flow.
static void other_forces(const TarnBody* body, TarnVec3 gravity, double out[6])
{
    TarnVec3 f = vec3_add(body->force.force, body->added_force);
    TarnVec3 t = vec3_add(body->force.torque, body->added_torque);
    f = vec3_add(f, vec3_scale(gravity, body->mass));
    out[0] = f.x, out[1] = f.y, out[2] = f.z, out[3] = t.x, out[4] = t.y, out[5] = t.z;
}

// The force of the fluid over the step; false: it is not finite.
static bool find_force(const TarnBody* body, TarnVec3 gravity, Push* push, double share, float dt,
                       double out[6])
{
    const TarnBodyState* s = &body->state;
    const double v0[6] = { s->velocity.x,         s->velocity.y,         s->velocity.z,
                           s->angular_velocity.x, s->angular_velocity.y, s->angular_velocity.z };
    double w[6][6] = { 0 }, a[6][6], v[6], other[6], sum[6], column[6], eased[6];
    double h = (double)dt / (1.0 + share); // added mass: everything speeds up slower
    inverse_masses(body, w);
    other_forces(body, gravity, other);
    for (int i = 0; i < 6; ++i) sum[i] = other[i] + push->b[i];
    multiply(w, sum, eased);
    for (int i = 0; i < 6; ++i) v[i] = v0[i] + h * eased[i];
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) column[i] = push->d[i][j];
        multiply(w, column, eased);
        for (int i = 0; i < 6; ++i) a[i][j] = (i == j ? 1.0 : 0.0) + h * eased[i];
    }
    if (!solve6(a, v)) return false;
    for (int i = 0; i < 6; ++i) {
        double drag = push->b[i];
        for (int j = 0; j < 6; ++j) drag -= push->d[i][j] * v[j];
        out[i] = (drag - share * other[i]) /
                 (1.0 + share); // the engine that moves it knows only its own mass
        if (!(fabs(out[i]) < 1e19)) return false;
    }
    return true;
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
    double force[6];
    make_samples(&s, body, job->params.offset * body->radius);
    ask(job->flow, &s);
    for (int n = 0; n < s.n; ++n) add_to_push(&push, &job->params, body, &s, n);
    mirror(&push);
    if (!(push.rho > 0.0)) return;
    double around = push.rho / push.area;
    double share = (double)job->params.added_mass * around / (double)body->density;
    if (!find_force(body, tarn__bodies_gravity(job->bodies), &push, share, job->dt, force)) return;
    TarnVec3 f = { (float)force[0], (float)force[1], (float)force[2] };
    TarnVec3 t = { (float)force[3], (float)force[4], (float)force[5] };
    f = vec3_add(body->added_force, f);
    t = vec3_add(body->added_torque, t);
    const float sum[6] = { f.x, f.y, f.z, t.x, t.y, t.z };
    if (!tarn__all_within(sum, 6, max_force)) return;
    body->added_force = f;
    body->added_torque = t;
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
