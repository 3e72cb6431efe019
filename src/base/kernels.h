// Kernel files (*_kernels.c) are compiled once per instruction set with TARN_KERNEL_ISA set by the
// build. Each ends in one table of function pointers named TARN_KERNEL(x): x__baseline, x__avx2.
#pragma once

#define TARN_KERNEL_PASTE_(name, isa) name##__##isa
#define TARN_KERNEL_PASTE(name, isa)  TARN_KERNEL_PASTE_(name, isa)
#define TARN_KERNEL(name)             TARN_KERNEL_PASTE(name, TARN_KERNEL_ISA)
