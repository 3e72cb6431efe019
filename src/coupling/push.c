// Six equations of a body that a fluid pushes, shared by flow_bodies.c and flow_foil.c.
//
// Method   Every force is K times a relative velocity between fluid and surface. With the K of the beginning of the step the
//          velocities at its end are one linear system, together with gravity and all other forces:
//              (M + M_a + dt D) v1 = (M + M_a) v0 + dt (f + b)
//          Drag makes the symmetric part of D, which only takes energy. Lift is across the relative velocity and makes an
//          antisymmetric one, which does neither; so the system can always be solved, and no force throws
//          a body, however light it is and however long the step.

#include "coupling/push.h"
#include "base/maths.h"

static const float max_flow_speed = 1e4f; // faster flows count as this fast [m/s]
static const float max_density = 1e5f;    // [kg/m^3]
static const float max_force = 1e20f;     // that bodies take [N], [N m]

// ---- Filling them in -----------------------------------------------------------------------------

// The lower half of d is filled in at the end.
void tarn__push_along(Push* push, TarnVec3 e, TarnVec3 arm, double k, TarnVec3 fluid)
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

void tarn__push_any_way(Push* push, TarnVec3 arm, double k, TarnVec3 fluid)
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

void tarn__push_close(Push* push)
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j) push->d[i][j] = push->d[j][i];
    }
}

void tarn__push_across(Push* push, TarnVec3 e, TarnVec3 f, TarnVec3 arm, double k, TarnVec3 fluid)
{
    TarnVec3 a = vec3_cross(arm, e), b = vec3_cross(arm, f);
    const double g[6] = { e.x, e.y, e.z, a.x, a.y, a.z }, h[6] = { f.x, f.y, f.z, b.x, b.y, b.z };
    double along_e = (double)vec3_dot(fluid, e), along_f = (double)vec3_dot(fluid, f);
    for (int i = 0; i < 6; ++i) {
        push->b[i] += k * (g[i] * along_f - h[i] * along_e);
        for (int j = 0; j < 6; ++j) push->d[i][j] += k * (g[i] * h[j] - h[i] * g[j]);
    }
}

float tarn__push_density(float given, float presence, float told)
{
    presence = tarn_clampf(presence, 0.0f, 1.0f); // NaN gives 0
    told = tarn_clampf(told, 0.0f, max_density);
    return tarn_maxf(given * presence, presence > 0.0f ? told : 0.0f);
}

TarnVec3 tarn__push_velocity(TarnVec3 v)
{
    float most = tarn_maxf(fabsf(v.x), tarn_maxf(fabsf(v.y), fabsf(v.z)));
    if (most <= max_flow_speed) return v;
    if (!tarn__is_finite3(v)) return (TarnVec3){ 0, 0, 0 };
    return vec3_scale(v, max_flow_speed / most);
}

// ---- Solving them --------------------------------------------------------------------------------

// Inverse masses, as far as the freedom of the body lets it move. In double from here on: what is left of the force on a
// light body is a small difference of large numbers.
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
        out[i] =
            (drag - share * other[i]) / (1.0 + share); // whoever moves it knows its own mass only
        if (!(fabs(out[i]) < 1e19)) return false;
    }
    return true;
}

void tarn__push_apply(Push* push, TarnBody* body, TarnVec3 gravity, double share, float dt,
                      TarnVec3* out)
{
    double force[6];
    if (!find_force(body, gravity, push, share, dt, force)) return;
    TarnVec3 own = { (float)force[0], (float)force[1], (float)force[2] };
    TarnVec3 t = { (float)force[3], (float)force[4], (float)force[5] };
    TarnVec3 f = vec3_add(body->added_force, own);
    t = vec3_add(body->added_torque, t);
    const float sum[6] = { f.x, f.y, f.z, t.x, t.y, t.z };
    if (!tarn__all_within(sum, 6, max_force)) return;
    body->added_force = f;
    body->added_torque = t;
    if (out) *out = own;
}
