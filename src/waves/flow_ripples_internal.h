// Inside src only: the state of ripples on flowing water.
#pragma once

#include "tarn/flow_ripples.h"
#include "base/kernels.h"
#include "base/maths.h"
#include "linear/fft.h"

enum { RIPPLE_COPIES = TARN_FLOW_RIPPLES_COPIES, RIPPLE_FIELDS = 4 };

enum { RIPPLE_ROW = 2048 + 16 }; // longest row, with a pad on both sides

// One row of a copy. Rows of shifts along x and z: the one before, itself with the ends repeated, the one behind.
typedef struct RippleFade {
    int n;
    const float *x[3], *z[3];
    const float* per_x; // 1 / distance of the neighbors along x
    float per_z;
    float stretching;
    float* out; // eights
} RippleFade;
typedef struct FlowRipplesKernels {
    void (*fade)(const RippleFade* fade);
    void (*turn)(const float* angle, int n, float* sine, float* cosine); // n: a multiple of eight
} FlowRipplesKernels;
TARN_KERNELS(FlowRipplesKernels, tarn__flow_ripples_kernels);

struct TarnFlowRipples {
    const FlowRipplesKernels* kernels;
    TarnContext* ctx;
    size_t memory;
    TarnFlowRipplesDef def;
    TarnFlowRipplesParams params;
    double time; // [s]
    Fft* fft;
    float age[RIPPLE_COPIES];       // share of its period that has gone by, 0 to 1
    int32_t born[RIPPLE_COPIES];    // how often it has begun
    float* shift[RIPPLE_COPIES][2]; // of coordinates along x and z [m]
    float* fade[RIPPLE_COPIES];
    float* next[2]; // while a copy is carried
    float* strength;
    TarnVec3* velocity;                 // of the water [m/s]
    float* depth;                       // [m]
    float *start_re, *start_im, *omega; // of waves, as spectra
    FftField spec[RIPPLE_FIELDS];
    float* tile[RIPPLE_FIELDS]; // height, slopes along x and z, nothing
    const TarnSurface* water;   // during a step
};

TARN_INLINE size_t ripple_field_cells(const TarnFlowRipples* r)
{
    return (size_t)r->def.nx * (size_t)r->def.nz;
}
void tarn__flow_ripples_make_spectrum(TarnFlowRipples* r);
void tarn__flow_ripples_make_tile(TarnFlowRipples* r);
