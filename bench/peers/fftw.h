// FFTW's measured plan of an inverse transform of a square complex field, behind three functions.
#pragma once

typedef struct PeerFftw PeerFftw;

PeerFftw* peer_fftw_create(int n);
void peer_fftw_run(PeerFftw* peer);
void peer_fftw_destroy(PeerFftw* peer);
