// Inside src/coupling only: what every coupling of bodies with a height field needs.
#pragma once

#include "base/maths.h"
#include "bodies/bodies.h"

enum { FLOATING_MIN_SAMPLES = 2, FLOATING_MAX_SAMPLES = 6 }; // per cell and direction

// Where the columns of a height field are.
typedef struct Columns {
    int nx, nz;
    float dx;        // [m]
    TarnVec2 origin; // x, z of the corner of the grid [m]
} Columns;

typedef struct Footprint { // cells whose columns may meet the body
    int i0, i1, k0, k1;
    int samples;        // per cell and direction
    float narrow, wide; // half of the smaller and of the larger width [m]
    float x0, z0;       // corner of the grid [m]
} Footprint;

typedef struct Span { // of a vertical line that is solid
    TarnVec3 at;
    float lo, hi;
} Span;

Footprint tarn__footprint(const Columns* grid, const TarnBody* body);
// A body so thin that samples may miss it.
bool tarn__footprint_is_thin(const Columns* grid, const Footprint* f);
// The n-th sample column of a cell, n < samples^2; false: it misses the body.
bool tarn__footprint_sample(const Columns* grid, const TarnBody* body, const Footprint* f, int i,
                            int k, int n, Span* span);

// All columns of a cell that meet the body; each stands for *share of the cell. Unlike the samples
// above, no two lie in one line along x or z, so that an edge of the body which moves over the cell
// takes them in one by one.
enum { FLOATING_MAX_SPANS = FLOATING_MAX_SAMPLES * FLOATING_MAX_SAMPLES };
int tarn__footprint_spans(const Columns* grid, const TarnBody* body, const Footprint* f, int i,
                          int k, Span* out, float* share);

// Inertia times angular velocity.
TarnVec3 tarn__angular_momentum(const TarnBody* body);

// An explicit step is exact enough for a soft spring (s = k dt^2 / m below 0.1) and an implicit one
// stable for a stiff one; in between the second fades in.
TARN_INLINE float implicit_part(float s)
{
    return s * s / (0.25f + s);
}

TARN_INLINE TarnVec3 to_vec3(const double v[3], double scale)
{
    return (TarnVec3){ (float)(v[0] * scale), (float)(v[1] * scale), (float)(v[2] * scale) };
}
