// Bodies over a height field: which columns they stand in, and their angular momentum.

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

// From the inverse inertia, by Cramer's rule.
TarnVec3 tarn__angular_momentum(const TarnBody* body)
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
