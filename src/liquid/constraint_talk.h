// Inside the constraint method only: the kernel of the talk, w = 1 - d, d = r / h [Gustafsson2014], as a choice
// beside (1 - d)^2. The density is the sum of 1 - d, and rows weigh velocities with 1 - d as the talk does, which
// is not the slope of that density: slopes are scaled so that a lattice at rest that is pressed evenly gets denser
// as fast as its rows say.
#pragma once

#include "base/kernels.h"
#include "base/maths.h"

// The kernel at a = 1 - d, and its slope by -d.
TARN_INLINE TarnF8 constraint_kernel(TarnF8 a, bool is_talk)
{
    return is_talk ? a : a * a;
}
TARN_INLINE double constraint_lattice_kernel(double a, bool is_talk, double* slope)
{
    *slope = is_talk ? 1.0 : 2.0 * a;
    return is_talk ? a : a * a;
}

// Its integral over space, in units of h^dims.
static const double constraint_talk_integral = 1.047197551196598; // pi / 3, in 2-D and in 3-D

// The share of the integral of 1 - q beyond a plane at the ratio a = |q| < 1 of the radius, and its slope by a.
// In 3-D exact; in 2-D, where logarithms would come in, fitted to 3e-5.
TARN_INLINE float constraint_talk_share(int dims, float a, float* slope)
{
    if (dims == 3) {
        float a2 = a * a;
        *slope = -1.0f + a2 * (3.0f - 2.0f * a);
        return 0.5f + a * (-1.0f + a2 * (1.0f - 0.5f * a));
    }
    const float c1 = 0.29312419f, c2 = -0.14421960f, c3 = 0.12762586f, c4 = -0.06074817f;
    float b = 1.0f - a, b15 = b * sqrtf(b);
    float f = 0.5f + a * (c1 + a * (c2 + a * (c3 + a * c4)));
    float df = c1 + a * (2.0f * c2 + a * (3.0f * c3 + a * (4.0f * c4)));
    *slope = b15 * (b * df - 2.5f * f);
    return b15 * b * f;
}
