// Inside src/coupling only.
#pragma once

#include "bodies/bodies.h"

// Area of a body's section at z = 0 [m^2]; 0: the body is beside the plane.
double tarn__body_section(const TarnBody* body);
