// Rows of ripples that flow, eight cells or waves at a time: what stretch leaves of a copy, and the turning of waves.

#include "waves/flow_ripples_internal.h"
#include "base/maths8.h"

// Green's strain of the coordinates by central differences; one-sided at the ends of rows, which the caller pads.
static void fade(const RippleFade* f)
{
    for (int i = 0; i < f->n; i += 8) {
        TarnF8 px = f8_load(f->per_x + i), pz = f8_set(f->per_z);
        TarnF8 a = 1.0f + (f8_load(f->x[1] + i + 1) - f8_load(f->x[1] + i - 1)) * px;
        TarnF8 b = (f8_load(f->x[2] + i) - f8_load(f->x[0] + i)) * pz;
        TarnF8 c = (f8_load(f->z[1] + i + 1) - f8_load(f->z[1] + i - 1)) * px;
        TarnF8 d = 1.0f + (f8_load(f->z[2] + i) - f8_load(f->z[0] + i)) * pz;
        TarnF8 xx = 0.5f * (a * a + c * c - 1.0f), zz = 0.5f * (b * b + d * d - 1.0f);
        TarnF8 xz = 0.5f * (a * b + c * d), half = 0.5f * (xx + zz), off = 0.5f * (xx - zz);
        TarnF8 mu = half + f8_sqrt(off * off + xz * xz);
        TarnF8 weak = f8_min(f8_max(mu, f8_set(0.0f)), f8_set(50.0f)) * f->stretching;
        f8_store(f->out + i, f8_exp(-f8_min(weak, f8_set(80.0f))));
    }
}

static void turn(const float* angle, int n, float* sine, float* cosine)
{
    for (int i = 0; i < n; i += 8) {
        TarnF8 a = f8_load(angle + i);
        f8_store(sine + i, f8_sin(a));
        f8_store(cosine + i, f8_cos(a));
    }
}

const FlowRipplesKernels TARN_KERNEL(tarn__flow_ripples_kernels) = { fade, turn };
