// Bodies over a height field: which columns they stand in, what these add up to, and the force of that.

#include "coupling/floating.h"
#include <math.h>

static TarnVec2 half_width(const TarnBody* body)
{
    const float* r = body->rotation;
    TarnVec3 s = body->shape.size;
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        return (TarnVec2){ fabsf(r[0]) * s.x + fabsf(r[1]) * s.y + fabsf(r[2]) * s.z,
                           fabsf(r[6]) * s.x + fabsf(r[7]) * s.y + fabsf(r[8]) * s.z };
    case TARN_SHAPE_CAPSULE:
        return (TarnVec2){ fabsf(r[1]) * s.y + s.x, fabsf(r[7]) * s.y + s.x };
    case TARN_SHAPE_HULL: {
        TarnVec2 half = { 0.0f, 0.0f };
        for (int n = 0; n < body->shape.n_points; ++n) {
            TarnVec3 p = body->points[n];
            half.x = tarn_maxf(half.x, fabsf(r[0] * p.x + r[1] * p.y + r[2] * p.z));
            half.y = tarn_maxf(half.y, fabsf(r[6] * p.x + r[7] * p.y + r[8] * p.z));
        }
        return half;
    }
    default:
        return (TarnVec2){ body->radius, body->radius };
    }
}

Footprint tarn__footprint(const Columns* grid, const TarnBody* body)
{
    float h = grid->dx;
    TarnVec2 origin = grid->origin, half = half_width(body);
    TarnVec3 p = body->state.position;
    // Far outside of the grid the body is clipped to one cell beyond it, where it meets no water.
    float nx = (float)grid->nx, nz = (float)grid->nz;
    Footprint f = { .x0 = origin.x, .z0 = origin.y };
    f.i0 = (int)tarn_clampf(floorf((p.x - half.x - origin.x) / h), -nx, 2.0f * nx);
    f.i1 = (int)tarn_clampf(floorf((p.x + half.x - origin.x) / h), -nx, 2.0f * nx) + 1;
    f.k0 = (int)tarn_clampf(floorf((p.z - half.y - origin.y) / h), -nz, 2.0f * nz);
    f.k1 = (int)tarn_clampf(floorf((p.z + half.y - origin.y) / h), -nz, 2.0f * nz) + 1;
    f.narrow = tarn_minf(half.x, half.y);
    f.wide = tarn_maxf(half.x, half.y);
    f.samples = (int)tarn_clampf(4.0f * h / tarn_maxf(f.narrow, 1e-6f), FLOATING_MIN_SAMPLES,
                                 FLOATING_MAX_SAMPLES);
    return f;
}

bool tarn__footprint_is_thin(const Columns* grid, const Footprint* f)
{
    return f->narrow < 0.5f * grid->dx / FLOATING_MAX_SAMPLES;
}

bool tarn__footprint_sample(const Columns* grid, const TarnBody* body, const Footprint* f, int i,
                            int k, int n, Span* span)
{
    float h = grid->dx, part = h / (float)f->samples;
    span->at = (TarnVec3){ f->x0 + (float)i * h + ((float)(n % f->samples) + 0.5f) * part, 0.0f,
                           f->z0 + (float)k * h + ((float)(n / f->samples) + 0.5f) * part };
    return tarn__body_span(body, span->at.x, span->at.z, &span->lo, &span->hi);
}

// A convex body that has all corners of a cell has all of the cell.
static bool is_covered(const Columns* grid, const TarnBody* body, float x, float z)
{
    float lo, hi;
    if (body->shape.kind == TARN_SHAPE_SPAN) return false;
    for (int n = 0; n < 4; ++n) {
        float corner_x = n & 1 ? x + grid->dx : x, corner_z = n >> 1 ? z + grid->dx : z;
        if (!tarn__body_span(body, corner_x, corner_z, &lo, &hi)) return false;
    }
    return true;
}

int tarn__footprint_spans(const Columns* grid, const TarnBody* body, const Footprint* f, int i,
                          int k, Span* out, float* share)
{
    const float golden = 0.618034f;
    float x = f->x0 + (float)i * grid->dx, z = f->z0 + (float)k * grid->dx;
    bool is_full = is_covered(grid, body, x, z);
    int n_samples = is_full ? 4 : f->samples * f->samples < 16 ? 16 : f->samples * f->samples;
    int found = 0;
    *share = 1.0f / (float)n_samples;
    for (int n = 0; n < n_samples; ++n) {
        float a = ((float)n + 0.5f) * *share, b = ((float)n + 0.5f) * golden;
        if (is_full) a = n & 1 ? 0.75f : 0.25f, b = n >> 1 ? 0.75f : 0.25f;
        b -= floorf(b);
        Span* span = &out[found];
        span->at = (TarnVec3){ x + a * grid->dx, 0.0f, z + b * grid->dx };
        found += tarn__body_span(body, span->at.x, span->at.z, &span->lo, &span->hi);
    }
    return found;
}

// ---- From columns to a force -----------------------------------------------------------------------

float tarn__float_column(FloatSums* sums, const TarnBody* body, const Span* span, float surface,
                         float area)
{
    sums->all_volume += (double)((span->hi - span->lo) * area);
    if (surface <= span->lo) return 0.0f;
    float top = tarn_minf(span->hi, surface), length = top - span->lo, volume = length * area;
    TarnVec3 at = body->state.position;
    float lever_x = span->at.x - at.x, lever_z = span->at.z - at.z;
    sums->volume += (double)volume;
    sums->center[0] += (double)(volume * lever_x);
    sums->center[1] += (double)(volume * (0.5f * (top + span->lo) - at.y));
    sums->center[2] += (double)(volume * lever_z);
    if (surface < span->hi) {
        sums->plane += (double)area;
        sums->plane_lever += (double)(area * (lever_x * lever_x + lever_z * lever_z));
    }
    return length;
}

void tarn__float_weight(FloatSums* sums, float weight, float volume, TarnVec2 slope, float x,
                        float z)
{
    float fx = -weight * volume * slope.x, fz = -weight * volume * slope.y, fy = weight * volume;
    sums->force[0] += (double)fx;
    sums->force[1] += (double)fy;
    sums->force[2] += (double)fz;
    sums->torque[0] += (double)(-z * fy);
    sums->torque[1] += (double)(z * fx - x * fz);
    sums->torque[2] += (double)(x * fy);
}

double tarn__float_right(const TarnBody* body, double all_volume)
{
    double right = all_volume > 0.0 ? (double)body->volume / all_volume : 1.0;
    return right < 0.5 ? 0.5 : right > 2.0 ? 2.0 : right;
}

TarnVec3 tarn__float_center(const FloatSums* sums, TarnVec3 force, TarnVec3* torque)
{
    TarnVec3 center = to_vec3(sums->center, 1.0 / sums->volume);
    torque->x += center.y * force.z;
    torque->z -= center.y * force.x;
    return center;
}

float tarn__float_added_mass(float narrow, float wide, float density)
{
    float breadth = 2.0f * narrow, length = 2.0f * wide;
    return 0.4f * density * breadth * breadth * length;
}

// An explicit step is exact enough for a soft spring (s = k dt^2 / m below 0.1) and an implicit one
// stable for a stiff one; in between the second fades in.
static float implicit_part(float s)
{
    return s * s / (0.25f + s);
}

// The force of a spring is held for a frame, in which tarn_bodies_step moves the body in N = 4 steps; on
// its way that force is late, and feeds the swing by the factor 1 + s (1/2 - 1/(2 N)) in a frame, with
// s = k dt^2 / m. The force at this share of a frame from now does not. An engine with one step per
// frame sees a damping of the same small size.
static const float ahead = 0.375f;

// The implicit step of (m + a) dv/dt = F + pull, with the slopes of F known, and what force on m alone
// lands there. The pull is gravity, what other waters did in this frame, and what the host has added so far:
// thrust must move the water that the body carries along, too.
static TarnVec3 stable_force(const TarnBody* body, const FloatLoads* l, TarnVec3 pull, float dt)
{
    float m = body->mass, all = m + l->added_mass, per_dt = dt > 1e-6f ? 1.0f / dt : 0.0f;
    float brake = l->drag * dt / all, per_mass = dt * dt / all;
    float spring = implicit_part(l->stiffness * per_mass) + ahead * l->spring * per_mass;
    float out[3];
    const float force[3] = { l->force.x, l->force.y, l->force.z };
    const float pulls[3] = { pull.x, pull.y, pull.z };
    for (int axis = 0; axis < 3; ++axis) {
        float stiff = axis == 1 ? spring : 0.0f;
        float gain = (force[axis] + pulls[axis]) / all - stiff * l->slip.y * per_dt; // [m/s^2]
        out[axis] = m * gain / (1.0f + brake + stiff) - pulls[axis];
    }
    return (TarnVec3){ out[0], out[1], out[2] };
}

// Inertia times angular velocity, from the inverse inertia by Cramer's rule.
static TarnVec3 angular_momentum(const TarnBody* body)
{
    double m[3][3]; // columns of the inverse; in double, because a large body's are tiny
    for (int axis = 0; axis < 3; ++axis) {
        TarnVec3 unit = { axis == 0, axis == 1, axis == 2 };
        TarnVec3 column = tarn__body_inertia_inv(body, unit);
        m[axis][0] = column.x, m[axis][1] = column.y, m[axis][2] = column.z;
    }
    TarnVec3 w = body->state.angular_velocity;
    double cross[3][3], det = 0.0;
    for (int axis = 0; axis < 3; ++axis) { // of the two other columns
        const double *p = m[(axis + 1) % 3], *q = m[(axis + 2) % 3];
        cross[axis][0] = p[1] * q[2] - p[2] * q[1];
        cross[axis][1] = p[2] * q[0] - p[0] * q[2];
        cross[axis][2] = p[0] * q[1] - p[1] * q[0];
    }
    for (int axis = 0; axis < 3; ++axis) det += m[0][axis] * cross[0][axis];
    if (!(det > 0.0)) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    double l[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double* c = cross[axis];
        l[axis] = ((double)w.x * c[0] + (double)w.y * c[1] + (double)w.z * c[2]) / det;
    }
    return (TarnVec3){ (float)l[0], (float)l[1], (float)l[2] };
}

// The same for spin.
static TarnVec3 stable_torque(const TarnBody* body, const FloatLoads* l, float dt)
{
    float per_dt = dt > 1e-6f ? 1.0f / dt : 0.0f, ease = body->mass / (body->mass + l->added_mass);
    TarnVec3 ix = tarn__body_inertia_inv(body, (TarnVec3){ 1.0f, 0.0f, 0.0f });
    TarnVec3 iy = tarn__body_inertia_inv(body, (TarnVec3){ 0.0f, 1.0f, 0.0f });
    TarnVec3 iz = tarn__body_inertia_inv(body, (TarnVec3){ 0.0f, 0.0f, 1.0f });
    float inertia_inv = ease * tarn_maxf(ix.x, tarn_maxf(iy.y, iz.z));
    float stiff = l->spin_stiffness * dt * dt * inertia_inv;
    float slow = l->spin_decay * dt + implicit_part(stiff) + ahead * stiff;
    float spin = slow + l->spin_drag * inertia_inv * dt;
    TarnVec3 others = vec3_add(body->force.torque, body->added_torque);
    TarnVec3 momentum = vec3_add(angular_momentum(body), vec3_scale(others, dt));
    TarnVec3 torque = vec3_sub(vec3_scale(l->torque, ease), vec3_scale(momentum, slow * per_dt));
    return vec3_scale(torque, 1.0f / (1.0f + spin));
}

void tarn__float_apply(TarnBodies* bodies, TarnBody* body, const FloatLoads* loads, float dt)
{
    TarnVec3 weight = vec3_scale(tarn__bodies_gravity(bodies), body->mass);
    TarnVec3 others = vec3_add(body->force.force, body->added_force);
    TarnVec3 pull = vec3_add(weight, others);
    TarnBodyForce force = { stable_force(body, loads, pull, dt), stable_torque(body, loads, dt),
                            loads->volume };
    tarn__body_add_force(body, force);
}
