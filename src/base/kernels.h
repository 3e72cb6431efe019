// Kernel files (*_kernels.c) are compiled once per instruction set, with TARN_KERNEL_ISA set by the build. Each ends
// in one table of function pointers named TARN_KERNEL(x): x__baseline, x__avx2, x__avx512.
//
// A new set is a line in tarn_kernel_objects of cmake/flags.cmake, a line in TARN_KERNEL_SETS below, and its public
// name in TarnIsa and tarn_isa_name.
#pragma once

// Sets beside the baseline, the best first: name in TarnIsa, name in the build, what the CPU must have. The compiler's
// __builtin_cpu_supports also asks the operating system (XGETBV) whether it saves the registers.
#if defined(__x86_64__) && !defined(TARN_NO_AVX2)
// Conversion of 16-bit floats, which clang's __builtin_cpu_supports does not know. It needs AVX, asked for besides.
static inline __attribute__((unused)) int tarn__cpu_has_f16c(void)
{
    unsigned a = 1, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d) : "2"(0));
    return (c >> 29 & 1u) != 0;
}
#ifdef TARN_NO_AVX512
#define TARN_KERNEL_AVX512(X, ...)
#else
#define TARN_KERNEL_AVX512(X, ...)                                                                 \
    X(AVX512, avx512,                                                                              \
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&                  \
          __builtin_cpu_supports("avx512dq") && tarn__cpu_has_f16c(),                              \
      __VA_ARGS__)
#endif
#define TARN_KERNEL_SETS(X, ...)                                                                   \
    TARN_KERNEL_AVX512(X, __VA_ARGS__)                                                             \
    X(AVX2, avx2, __builtin_cpu_supports("avx2") && tarn__cpu_has_f16c(), __VA_ARGS__)
#else
#define TARN_KERNEL_SETS(X, ...)
#endif

// In a kernel file: the name of its table.
#define TARN_KERNEL_PASTE_(name, isa)                     name##__##isa
#define TARN_KERNEL_PASTE(name, isa)                      TARN_KERNEL_PASTE_(name, isa)
#define TARN_KERNEL(name)                                 TARN_KERNEL_PASTE(name, TARN_KERNEL_ISA)

// In a header: declares the tables of all sets.
#define TARN_KERNELS_DECLARE_(ISA, set, has, Table, name) extern const Table name##__##set;
#define TARN_KERNELS(Table, name)                                                                  \
    TARN_KERNEL_SETS(TARN_KERNELS_DECLARE_, Table, name)                                           \
    extern const Table name##__baseline

// The table for an instruction set, const Table*.
#define TARN_KERNELS_CHOOSE_(ISA, set, has, isa, name) (isa) == TARN_ISA_##ISA ? &name##__##set:
#define TARN_KERNELS_PICK(isa, name)                                                               \
    ((void)(isa), TARN_KERNEL_SETS(TARN_KERNELS_CHOOSE_, isa, name) & name##__baseline)
// The same for kernels that the masks of AVX-512 slow down: they take the AVX2 set there. Say what was measured.
#define TARN_KERNELS_PICK_NO_MASKS(isa, name)                                                      \
    TARN_KERNELS_PICK((isa) == TARN_ISA_AVX512 ? TARN_ISA_AVX2 : (isa), name)
