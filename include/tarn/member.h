// tarn/member.h: how a solver gets into a world and out again, by type.
//
// Each solver's header ends in TARN_MEMBER(Type, name), which declares tarn_NAME_class and makes
//
//     TarnResult tarn_world_add_NAME(TarnWorld* world, const TypeDef* def, Type** out);
//     Type* tarn_world_NAME(const TarnWorld* world, int n);     n-th of its kind, NULL: there are fewer
//     int tarn_world_NAME_count(const TarnWorld* world);
//
// The same for a solver of any kind: tarn_world_add, tarn_world_get. All other calls are in tarn/world.h.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWorld TarnWorld;
typedef struct TarnSolverClass TarnSolverClass; // tarn/solver.h

// Creates a solver in a world, which owns it. name NULL: that of the class. *out (may be NULL) is the solver. A solver
// with gravity 0 in its def takes the world's; one with a gravity vector in its params gets it.
// TARN_ERR_CAPACITY: world.max_solvers are there. Refusals of the solver are passed on; nothing stays.
TARN_API TarnResult tarn_world_add(TarnWorld* world, const TarnSolverClass* solver_class,
                                   const char* name, const void* def, void** out);
// The n-th solver of a class in the order of their numbers; class NULL: of any class. NULL: there are fewer.
TARN_API void* tarn_world_get(const TarnWorld* world, const TarnSolverClass* solver_class, int n);
TARN_API int tarn_world_count(const TarnWorld* world, const TarnSolverClass* solver_class);

#define TARN_MEMBER(Type, name)                                                                    \
    TARN_API const TarnSolverClass* tarn_##name##_class(void);                                     \
    static inline TarnResult tarn_world_add_##name(TarnWorld* world, const Type##Def* def,         \
                                                   Type** out)                                     \
    {                                                                                              \
        void* made = (void*)0;                                                                     \
        TarnResult result =                                                                        \
            tarn_world_add(world, tarn_##name##_class(), (const char*)0, def, &made);              \
        if (out) *out = (Type*)made;                                                               \
        return result;                                                                             \
    }                                                                                              \
    static inline Type* tarn_world_##name(const TarnWorld* world, int n)                           \
    {                                                                                              \
        return (Type*)tarn_world_get(world, tarn_##name##_class(), n);                             \
    }                                                                                              \
    static inline int tarn_world_##name##_count(const TarnWorld* world)                            \
    {                                                                                              \
        return tarn_world_count(world, tarn_##name##_class());                                     \
    }

#ifdef __cplusplus
}
#endif
