// Attractors of particle systems: their table, their ids, and the dense copy that kernels read.

#include "particles/particles_internal.h"
#include "base/def.h"
#include "base/param.h"

#define A TarnAttractorDef
static const TarnParam attractor_params[] = {
    P_VEC3(A, position, "m", -1e6, 1e6, 0, 0, 0, "Center."),
    P_FLOAT(A, strength, "m/s^2", -1e5, 1e5, 10,
            "Acceleration at the distance radius; negative: pushes away."),
    P_FLOAT(A, radius, "m", 1e-3, 1e4, 1,
            "Inside it the pull falls to 0 at the center; outside it falls as 1 / r^2."),
    P_FLOAT(A, reach, "m", 1e-3, 1e6, 1e6, "Beyond it there is no pull."),
    P_FLOAT(A, swirl, "", -1, 1, 0,
            "Share of the pull that goes around the y axis instead, to the right-hand side or the "
            "other."),
};
#undef A
static const TarnParamTable attractor_table =
    PARAM_TABLE("attractor", TarnAttractorDef, attractor_params);

const TarnParamTable* tarn_attractor_def_table(void)
{
    return &attractor_table;
}
void tarn_attractor_init_def(TarnAttractorDef* out, size_t size)
{
    TarnAttractorDef def = { 0 };
    tarn_param_defaults(&attractor_table, &def);
    TARN_INIT_DEF(TarnAttractorDef, out, size, &def);
}

static TarnResult check_attractor(TarnContext* ctx, const TarnAttractorDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "attractor", "tarn/particles.h", TarnAttractorDef,
                            tarn_attractor_default_def, def));
    return tarn_param_validate(ctx, &attractor_table, def);
}

static TarnAttractorId id_of(const TarnParticles* set, int slot)
{
    return (TarnAttractorId){ (uint64_t)set->owner << 48 |
                              (uint64_t)set->attractors[slot].generation << 16 |
                              (uint64_t)(slot + 1) };
}

static TarnResult find(const TarnParticles* set, TarnAttractorId id, ParticleAttractor** out)
{
    int slot = (int)(id.value & 0xffff) - 1;
    if (slot >= 0 && slot < set->def.max_attractors && set->attractors[slot].is_used &&
        id_of(set, slot).value == id.value) {
        *out = &set->attractors[slot];
        return TARN_OK;
    }
    return tarn__fail(set->ctx, TARN_ERR_ARG,
                      "attractor: the id is stale, null, or of another particle system");
}

void tarn__particles_gather_pulls(TarnParticles* set)
{
    set->n_pulls = 0;
    for (int a = 0; a < set->def.max_attractors; ++a) {
        if (set->attractors[a].is_used) set->pulls[set->n_pulls++] = set->attractors[a].def;
    }
}

TarnResult tarn_particles_add_attractor(TarnParticles* set, const TarnAttractorDef* def,
                                        TarnAttractorId* out)
{
    if (out) *out = (TarnAttractorId){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_attractor(set->ctx, def));
    int slot = 0;
    while (slot < set->def.max_attractors && set->attractors[slot].is_used) ++slot;
    if (slot == set->def.max_attractors) {
        return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                          "all %d attractors are in use; raise particles.max_attractors", slot);
    }
    ParticleAttractor* attractor = &set->attractors[slot];
    attractor->def = *def;
    attractor->is_used = true;
    if (++attractor->generation == 0) attractor->generation = 1;
    tarn__particles_gather_pulls(set);
    if (out) *out = id_of(set, slot);
    return TARN_OK;
}

TarnResult tarn_particles_set_attractor(TarnParticles* set, TarnAttractorId id,
                                        const TarnAttractorDef* def)
{
    ParticleAttractor* attractor = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &attractor));
    TARN_TRY(check_attractor(set->ctx, def));
    attractor->def = *def;
    tarn__particles_gather_pulls(set);
    return TARN_OK;
}

TarnResult tarn_particles_remove_attractor(TarnParticles* set, TarnAttractorId id)
{
    ParticleAttractor* attractor = NULL;
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(find(set, id, &attractor));
    attractor->is_used = false;
    tarn__particles_gather_pulls(set);
    return TARN_OK;
}
