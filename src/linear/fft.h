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

enum { FFT_MIN = 64, FFT_MAX = 1024, FFT_CHUNKS = 16, FFT_MAX_BASES = 8 };

typedef struct Fft Fft;
typedef struct FftField {
    float *re, *im; // n * n each, aligned to 32 bytes
} FftField;

// n: a power of two from FFT_MIN to FFT_MAX. n_bases: 0, or that of tarn__fft_inverse_related, which is then the only
// transform allowed. The caller allocates; nothing else is allocated afterwards.
size_t tarn__fft_size(int n, int n_bases);
Fft* tarn__fft_place(TarnContext* ctx, int n, int n_bases, void* memory);

// n_fields transforms; from and to must not overlap, and from is left as it is. Same bits for any number of workers.
void tarn__fft_forward(Fft* fft, int n_fields, const FftField* from, const FftField* to);
void tarn__fft_inverse(Fft* fft, int n_fields, const FftField* from, const FftField* to);

// Real fields, two per transform: n_fields is even. Spectra are Hermitian, F(-k) = conj F(k), and given in full; what is
// not Hermitian about them leaks into the other field of the pair.
void tarn__fft_inverse_real(Fft* fft, int n_fields, const FftField* from, float* const* to);
void tarn__fft_forward_real(Fft* fft, int n_fields, const float* const* from, const FftField* to);

// Inverse transforms of real fields that share spectra but for factors of kz, such as a height and its slope along z:
// they are one base along kx. Real fields have F(x, -kz) = conj F(x, kz), so that half of kz suffices. All work on a
// group of lines is done while it is in the cache. Eight lanes are n elements of sixteen floats: eight real parts, then
// eight imaginary parts. Calls run on several workers.
typedef struct FftRelated {
    int n_bases, n_transforms;
    int n_groups; // of eight kz from 0 on, at most n / 16; beyond them spectra are 0
    // Writes the bases at kx = 0 .. n - 1 for kz = first .. first + 7.
    void (*fill)(void* user, int first, float* const* base);
    // Gets them at x = 0 .. n - 1, and writes rows kz, and n - kz where kz > 0, of the tiles of all transforms: lanes
    // x = 8 g .. 8 g + 7 are the element g n + kz. A transform is real field A + i real field B.
    void (*combine)(void* user, int first, float* const* base, float* const* tiles);
    // Gets z = 0 .. n - 1 of x = first .. first + 7 of all transforms: A are the real parts and B the imaginary ones.
    void (*take)(void* user, int first, float* const* field);
    void* user;
    float* tiles[FFT_MAX_BASES]; // 2 n n floats of each transform, aligned to 64 bytes
} FftRelated;
void tarn__fft_inverse_related(Fft* fft, const FftRelated* related);
