// Fourier transforms of square complex fields, many at a time, and of real fields two at a time.
//
//     F(kx, kz) = sum over x, z of f(x, z) exp(-2 pi i (kx x + kz z) / n)     forward
//     f(x, z)   = sum over kx, kz of F(kx, kz) exp(+2 pi i (kx x + kz z) / n) inverse
//
// Neither has a factor: one after the other multiplies by n^2. Real and imaginary parts are planes of their own.
// Fields have x fastest, f[z * n + x]; spectra have kz fastest, F[kx * n + kz], which saves a transposition both ways.
// kx and kz run from 0 to n - 1; those from n / 2 on mean kx - n.
#pragma once

#include "base/base.h"

enum { FFT_MIN = 64, FFT_MAX = 1024, FFT_CHUNKS = 16 };

typedef struct Fft Fft;
typedef struct FftField {
    float *re, *im; // n * n each, aligned to 32 bytes
} FftField;

// n: a power of two from FFT_MIN to FFT_MAX. The caller allocates; nothing else is allocated afterwards.
size_t tarn__fft_size(int n);
Fft* tarn__fft_place(TarnContext* ctx, int n, void* memory);

// n_fields transforms; from and to must not overlap, and from is left as it is. Same bits for any number of workers.
void tarn__fft_forward(Fft* fft, int n_fields, const FftField* from, const FftField* to);
void tarn__fft_inverse(Fft* fft, int n_fields, const FftField* from, const FftField* to);

// Real fields, two per transform: n_fields is even. Spectra are Hermitian, F(-k) = conj F(k), and given in full; what is
// not Hermitian about them leaks into the other field of the pair.
void tarn__fft_inverse_real(Fft* fft, int n_fields, const FftField* from, float* const* to);
void tarn__fft_forward_real(Fft* fft, int n_fields, const float* const* from, const FftField* to);

// Inverse transforms whose spectra are made, and whose fields are used, while they are in the cache. All calls get n
// vectors of eight lanes: element i of lane l is re[8 * i + l].
typedef struct FftHooks {
    // Writes spectrum f at kx = 0 .. n - 1 for kz = first .. first + 7. Calls run on several workers.
    void (*fill)(void* user, int f, int first, float* re, float* im);
    // NULL: fields go to `to`. Otherwise it gets z = 0 .. n - 1 of x = first .. first + 7, and `to` is only scratch.
    void (*take)(void* user, int f, int first, float* re, float* im);
    void* user;
} FftHooks;
void tarn__fft_inverse_hooked(Fft* fft, int n_fields, const FftHooks* hooks, const FftField* to);
