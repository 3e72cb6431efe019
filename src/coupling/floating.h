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

// ---- From columns to a force -----------------------------------------------------------------------

// What the columns of one body add up to. Levers are from its center of mass.
typedef struct FloatSums {
    double volume, all_volume;  // submerged; of the whole body as sampled [m^3]
    double force[3], torque[3]; // of buoyancy and of the slope of the surface [N], [N m]
    double plane, plane_lever;  // waterplane: area [m^2], second moment about the center [m^4]
    double center[3];           // of buoyancy, times volume [m^4]
} FloatSums;

// One column of the body with the area [m^2], under the surface at the height y [m]; adds to all but the
// forces. Returns the length below the surface [m].
float tarn__float_column(FloatSums* sums, const TarnBody* body, const Span* span, float surface,
                         float area);
// The force on a displaced volume [m^3] at the levers x and z [m]: its weight in water (density times
// gravity) upwards, and as much times the slope of the surface sideways. The height at which the
// sideways part acts comes in with tarn__float_center.
void tarn__float_weight(FloatSums* sums, float weight, float volume, TarnVec2 slope, float x,
                        float z);
// Sampling errs by a percent; the volume of the whole body is known. Factor for volumes and forces.
double tarn__float_right(const TarnBody* body, double all_volume);
// Lets the sideways forces act at the center of buoyancy; returns its lever [m].
TarnVec3 tarn__float_center(const FloatSums* sums, TarnVec3 force, TarnVec3* torque);

// Mass of water that moves with a flat bottom of these half widths [m]: about 0.4 rho B^2 L for the
// breadth B and the length L [kg].
float tarn__float_added_mass(float narrow, float wide, float density);

// What water does to a body, before it is made stable.
typedef struct FloatLoads {
    TarnVec3 force, torque; // all of it: buoyancy, drag, lift [N], [N m]
    float volume;           // submerged [m^3]
    TarnVec3 slip;          // velocity of the body through the water [m/s]
    float drag;             // force per speed that is part of the force [kg/s]
    float spring;           // of the waterplane, against heave [N/m]
    float stiffness;        // the stiffest that heave may become within the frame [N/m]
    float spin_stiffness;   // against roll and pitch [N m]
    float spin_drag;        // torque per spin that is part of the torque [kg m^2/s]
    float spin_decay;       // further rate at which spin dies down [1/s]
    float added_mass;       // of water that the body carries along [kg]
} FloatLoads;

// Adds force and torque such that the explicit step of the host, v += dt (F / m + g), lands where an
// implicit one would: drag cannot turn a body around, a stiff waterplane cannot throw it, whatever its
// mass and dt.
void tarn__float_apply(TarnBodies* bodies, TarnBody* body, const FloatLoads* loads, float dt);

TARN_INLINE TarnVec3 to_vec3(const double v[3], double scale)
{
    return (TarnVec3){ (float)(v[0] * scale), (float)(v[1] * scale), (float)(v[2] * scale) };
}
