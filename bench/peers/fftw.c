// FFTW in single precision, out of place, as ours; plans are measured once.

#include "bench/peers/fftw.h"
#include <fftw3.h>
#include <stdlib.h>

struct PeerFftw {
    fftwf_complex *from, *to;
    fftwf_plan plan;
};

PeerFftw* peer_fftw_create(int n)
{
    PeerFftw* p = malloc(sizeof *p);
    size_t cells = (size_t)n * (size_t)n;
    p->from = fftwf_malloc(cells * sizeof(fftwf_complex));
    p->to = fftwf_malloc(cells * sizeof(fftwf_complex));
    p->plan = fftwf_plan_dft_2d(n, n, p->from, p->to, FFTW_BACKWARD, FFTW_MEASURE);
    for (size_t c = 0; c < cells; ++c)
        p->from[c][0] = (float)(c * 7919 % 1000) * 1e-3f, p->from[c][1] = 0.0f;
    return p;
}
void peer_fftw_run(PeerFftw* p)
{
    fftwf_execute(p->plan);
}
void peer_fftw_destroy(PeerFftw* p)
{
    fftwf_destroy_plan(p->plan);
    fftwf_free(p->from), fftwf_free(p->to);
    free(p);
}
