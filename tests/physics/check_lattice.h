// What the checks of lattices share: boxes in lattice units, where a cell is 1 m and a substep 1 s.
#pragma once

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi __attribute__((unused)) = 3.14159265358979323846;

static inline TarnLatticeDef lattice_box(int nx, int ny, int nz)
{
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = nx, def.ny = ny, def.nz = nz;
    def.dx = 1.0f;
    def.center = (TarnVec3){ 0.5f * (float)nx, 0.5f * (float)ny, 0.5f * (float)nz };
    def.speed = def.lattice_speed = 0.1f; // one substep is 1 s
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.use_flow = false;
    return def;
}

static inline TarnLatticeParams lattice_plain(void) // nothing but the fluid
{
    TarnLatticeParams p = tarn_lattice_default_params();
    p.smagorinsky = 0.0f;
    p.viscosity = 0.05f;
    p.gravity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    return p;
}

static inline TarnLattice* lattice_make(CheckRun* run, const TarnLatticeDef* def,
                                        const TarnLatticeParams* params)
{
    TarnLattice* l = NULL;
    if (tarn_lattice_create(run->ctx, def, &l) != TARN_OK ||
        tarn_lattice_set_params(l, params) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return l;
}

static inline void lattice_run(TarnLattice* l, int substeps)
{
    for (int s = 0; s < substeps; ++s) tarn_lattice_step(l, (float)tarn_lattice_substep(l), NULL);
}
