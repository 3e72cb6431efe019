// Attractors of particle systems: their table, their ids, and the dense copy that kernels read.

#include "particles/particles_internal.h"
#include "base/def.h"
#include "base/param.h"

#define A TarnAttractorDef
static const TarnParam attractor_params[] = {
    P_VEC3(A, position, "m", -1e6, 1e6, 0, 0, 0, "Center."),
    P_FLOAT(A, strength, "m/s^2", -1e5, 1e5, 10,
            "Acceleration at the distance radius; negative values push away."),
    P_FLOAT(A, radius, "m", 1e-3, 1e4, 1,
            "Distance of the strongest pull; inside it the pull falls to 0 at the center, outside "
            "it falls as 1 / r^2."),
    P_FLOAT(A, reach, "m", 1e-3, 1e6, 1e6, "Distance beyond which there is no pull."),
    P_FLOAT(A, swirl, "", -1, 1, 0,
            "Share of the pull that goes around the y axis instead, right-handed if positive."),
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

void tarn__particles_gather_pulls(TarnParticles* set)
{
    set->n_pulls = 0;
    for (int n = 0; n < set->attractor_ids.count; ++n)
        set->pulls[set->n_pulls++] = set->attractors[set->attractor_ids.order[n]];
}

TarnResult tarn_particles_add_attractor(TarnParticles* set, const TarnAttractorDef* def,
                                        TarnAttractorId* out)
{
    if (out) *out = (TarnAttractorId){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_attractor(set->ctx, def));
    int slot = tarn__handles_add(&set->attractor_ids);
    if (slot < 0) {
        return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                          "all %d attractors are in use; raise particles.max_attractors",
                          set->def.max_attractors);
    }
    set->attractors[slot] = *def;
    tarn__particles_gather_pulls(set);
    if (out) out->value = tarn__handles_id(&set->attractor_ids, slot);
    return TARN_OK;
}

TarnResult tarn_particles_set_attractor(TarnParticles* set, TarnAttractorId id,
                                        const TarnAttractorDef* def)
{
    if (set == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(set->ctx, &set->attractor_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    TARN_TRY(check_attractor(set->ctx, def));
    set->attractors[slot] = *def;
    tarn__particles_gather_pulls(set);
    return TARN_OK;
}

TarnResult tarn_particles_remove_attractor(TarnParticles* set, TarnAttractorId id)
{
    if (set == NULL) return TARN_ERR_ARG;
    int slot = tarn__handles_find(set->ctx, &set->attractor_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    tarn__handles_remove(&set->attractor_ids, slot);
    tarn__particles_gather_pulls(set);
    return TARN_OK;
}
