// The lattices: D2Q9 and D3Q19, as pairs of opposite directions.
//
// Pair p has the direction e[p], whose last component that is not zero is positive, and its opposite. Slot 0 holds the
// population at rest, slots 2 p + 1 and 2 p + 2 those of the pair. Weights and c_s^2 = 1/3: [Qian1992].
#pragma once

#include "base/base.h"

enum { LATTICE_PAIRS = 9, LATTICE_SLOTS = 2 * LATTICE_PAIRS + 1 }; // of the largest lattice

typedef struct LatticeKind {
    int dims, pairs, slots;
    float rest;             // weight of the population at rest
    float w[LATTICE_PAIRS]; // weight of each direction of a pair
    signed char e[LATTICE_PAIRS][3];
} LatticeKind;

static const LatticeKind lattice_d2q9 __attribute__((unused)) = {
    .dims = 2,
    .pairs = 4,
    .slots = 9,
    .rest = 4.0f / 9.0f,
    .w = { 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 36.0f, 1.0f / 36.0f },
    .e = { { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } },
};
static const LatticeKind lattice_d3q19 __attribute__((unused)) = {
    .dims = 3,
    .pairs = 9,
    .slots = 19,
    .rest = 1.0f / 3.0f,
    .w = { 1.0f / 18.0f, 1.0f / 18.0f, 1.0f / 18.0f, 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f,
           1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f },
    .e = { { 1, 0, 0 },
           { 0, 1, 0 },
           { 0, 0, 1 },
           { 1, 1, 0 },
           { -1, 1, 0 },
           { 1, 0, 1 },
           { -1, 0, 1 },
           { 0, 1, 1 },
           { 0, -1, 1 } },
};
