// The eight-lane functions of maths8.h over arrays, once per instruction set. Out may be x itself.
#pragma once

#include "base/kernels.h"

typedef struct TarnMathKernels { // n: a multiple of 8
    void (*sin8)(const float* x, float* out, int n);
    void (*cos8)(const float* x, float* out, int n);
    void (*tan8)(const float* x, float* out, int n);
    void (*exp8)(const float* x, float* out, int n);
    void (*log8)(const float* x, float* out, int n);
    void (*tanh8)(const float* x, float* out, int n);
    void (*atan28)(const float* y, const float* x, float* out, int n);
    void (*pow8)(const float* x, const float* y, float* out, int n);
} TarnMathKernels;

TARN_KERNELS(TarnMathKernels, tarn__math_kernels);
