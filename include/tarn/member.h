// tarn/member.h: typed calls that add a solver to a world and find it there.
//
// Each solver's header ends with TARN_MEMBER(Type, name), which declares tarn_NAME_class and defines
//
//     TarnResult tarn_world_add_NAME(TarnWorld* world, const TypeDef* def, Type** out);
//     Type* tarn_world_NAME(const TarnWorld* world, int n);     the n-th of its kind; NULL if there are fewer
//     int tarn_world_NAME_count(const TarnWorld* world);
//
// tarn_world_add and tarn_world_get do the same for a solver of any class. All other calls are in
// tarn/world.h.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWorld TarnWorld;
typedef struct TarnSolverClass TarnSolverClass; // tarn/solver.h

// Creates a solver in a world, which owns it. With name NULL it is named after its class. *out (may be NULL)
// is the solver. A solver whose def has gravity 0 uses the world's gravity, and so does one with a gravity
// vector in its params. TARN_ERR_CAPACITY: the world holds world.max_solvers already. Errors of the solver's
// create are passed on; nothing stays allocated.
TARN_API TarnResult tarn_world_add(TarnWorld* world, const TarnSolverClass* solver_class,
                                   const char* name, const void* def, void** out);
// Returns the n-th solver of a class (NULL: of any class) in the order of their numbers, or NULL if there are
// fewer.
TARN_API void* tarn_world_get(const TarnWorld* world, const TarnSolverClass* solver_class, int n);
// Returns how many solvers of a class (NULL: of any class) the world holds.
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
