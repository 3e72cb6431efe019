// Inside src/registry only: what every class file begins with.
#pragma once

#include "tarn/solver.h"
#include "base/base.h"

// A class calls a solver through void pointers. The calls that have the same form in every solver,
// tarn_X_hash and so on, are wrapped here once: CLASS_CALLS(TarnWave, wave) makes wave_create ... wave_reset.
#define CLASS_CALLS(Type, x)                                                                       \
    static void x##_init_def(void* def)                                                            \
    {                                                                                              \
        *(Type##Def*)def = tarn_##x##_default_def();                                               \
    }                                                                                              \
    static TarnResult x##_create(TarnContext* ctx, const void* def, void** out)                    \
    {                                                                                              \
        Type* made = NULL;                                                                         \
        TarnResult result = tarn_##x##_create(ctx, def, &made);                                    \
        *out = made;                                                                               \
        return result;                                                                             \
    }                                                                                              \
    static void x##_destroy(void* solver)                                                          \
    {                                                                                              \
        tarn_##x##_destroy(solver);                                                                \
    }                                                                                              \
    static uint64_t x##_hash(const void* solver)                                                   \
    {                                                                                              \
        return tarn_##x##_hash(solver);                                                            \
    }                                                                                              \
    static TarnResult x##_save(const void* solver, void* buffer, size_t capacity, size_t* size)    \
    {                                                                                              \
        return tarn_##x##_save(solver, buffer, capacity, size);                                    \
    }                                                                                              \
    static TarnResult x##_load(void* solver, const void* buffer, size_t size)                      \
    {                                                                                              \
        return tarn_##x##_load(solver, buffer, size);                                              \
    }                                                                                              \
    static void x##_reset(void* solver)                                                            \
    {                                                                                              \
        tarn_##x##_reset(solver);                                                                  \
    }                                                                                              \
    static size_t x##_memory(const void* def)                                                      \
    {                                                                                              \
        return tarn_##x##_memory(def);                                                             \
    }                                                                                              \
    static const void* x##_def(const void* solver)                                                 \
    {                                                                                              \
        return tarn_##x##_def(solver);                                                             \
    }                                                                                              \
    static void x##_get_params(const void* solver, void* params)                                   \
    {                                                                                              \
        *(Type##Params*)params = tarn_##x##_params(solver);                                        \
    }                                                                                              \
    static TarnResult x##_set_params(void* solver, const void* params)                             \
    {                                                                                              \
        return tarn_##x##_set_params(solver, params);                                              \
    }

// The fields of a class that CLASS_CALLS made.
#define CLASS_FIELDS(x)                                                                            \
    .size = sizeof(TarnSolverClass), .name = #x, .has_cookie = true,                               \
    .def_table = tarn_##x##_def_table, .init_def = x##_init_def, .create = x##_create,             \
    .destroy = x##_destroy, .hash = x##_hash, .save = x##_save, .load = x##_load,                  \
    .reset = x##_reset, .memory = x##_memory, .def = x##_def,                                      \
    .params_table = tarn_##x##_params_table, .get_params = x##_get_params,                         \
    .set_params = x##_set_params

// The same for a part in a list, with ids of type TarnYId: LIST_CALLS(gas, TarnGasJet, jet, gas_jet) makes
// gas_jet_init, _add, _set, _remove of tarn_gas_add_jet and so on, and tarn_gas_jet_default_def.
#define LIST_CALLS(x, Part, part, x_part)                                                          \
    static void x_part##_init(void* def)                                                           \
    {                                                                                              \
        *(Part##Def*)def = tarn_##x_part##_default_def();                                          \
    }                                                                                              \
    static TarnResult x_part##_add(void* solver, const void* def, uint64_t* id)                    \
    {                                                                                              \
        Part##Id made = { 0 };                                                                     \
        TarnResult result = tarn_##x##_add_##part(solver, def, &made);                             \
        *id = made.value;                                                                          \
        return result;                                                                             \
    }                                                                                              \
    static TarnResult x_part##_set(void* solver, uint64_t id, const void* def)                     \
    {                                                                                              \
        return tarn_##x##_set_##part(solver, (Part##Id){ id }, def);                               \
    }                                                                                              \
    static TarnResult x_part##_remove(void* solver, uint64_t id)                                   \
    {                                                                                              \
        return tarn_##x##_remove_##part(solver, (Part##Id){ id });                                 \
    }

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Largest value of a field, but at least `least`.
float tarn__view_highest(TarnView2 view, float least);
float tarn__view_lowest(TarnView2 view, float most);
