// Entries of parameter tables. A table is written once, next to its solver, in
// reading order.
#pragma once

#include "base/base.h"

#define P_INT(T, field, unit, lo, hi, value, help)                                                 \
    {                                                                                              \
#field, TARN_PARAM_INT, offsetof(T, field), unit, lo, hi, { value }, NULL, help, 0, 0      \
    }
#define P_FLOAT(T, field, unit, lo, hi, value, help)                                               \
    {                                                                                              \
#field, TARN_PARAM_FLOAT, offsetof(T, field), unit, lo, hi, { value }, NULL, help, 0, 0    \
    }
#define P_BOOL(T, field, value, help)                                                              \
    {                                                                                              \
#field, TARN_PARAM_BOOL, offsetof(T, field), "", 0, 1, { value }, NULL, help, 0, 0         \
    }
#define P_ENUM(T, field, names, count, value, help)                                                \
    {                                                                                              \
#field, TARN_PARAM_ENUM, offsetof(T, field), "", 0, (count)-1,                             \
            { value }, names, help, 0, 0                                                           \
    }
// A field of a struct inside the def.
#define P_FLOAT_IN(T, inner, field, unit, lo, hi, value, help)                                     \
    {                                                                                              \
#field, TARN_PARAM_FLOAT, offsetof(T, inner.field), unit, lo, hi,                          \
            { value }, NULL, help, 0, 0                                                            \
    }
#define P_INT_IN(T, inner, field, unit, lo, hi, value, help)                                       \
    {                                                                                              \
#field, TARN_PARAM_INT, offsetof(T, inner.field), unit, lo, hi,                            \
            { value }, NULL, help, 0, 0                                                            \
    }
#define P_VEC3_IN(T, inner, field, unit, lo, hi, x, y, z, help)                                    \
    {                                                                                              \
#field, TARN_PARAM_VEC3, offsetof(T, inner.field), unit, lo, hi,                           \
            { x, y, z }, NULL, help, 0, 0                                                          \
    }
#define P_VEC2(T, field, unit, lo, hi, x, y, help)                                                 \
    {                                                                                              \
#field, TARN_PARAM_VEC2, offsetof(T, field), unit, lo, hi, { x, y }, NULL, help, 0, 0      \
    }
#define P_VEC3(T, field, unit, lo, hi, x, y, z, help)                                              \
    {                                                                                              \
#field, TARN_PARAM_VEC3, offsetof(T, field), unit, lo, hi, { x, y, z }, NULL, help, 0, 0   \
    }

// Angles, and rates of turn: degrees in tables and scenes, radians in the struct. Range and default are
// degrees.
#define PARAM_DEGREE 0.017453292519943295
#define P_ANGLE(T, field, unit, lo, hi, value, help)                                               \
    {                                                                                              \
#field, TARN_PARAM_FLOAT, offsetof(T, field), unit, lo, hi,                                \
            { value }, NULL, help, PARAM_DEGREE, 0                                                 \
    }
#define P_ANGLE3(T, field, unit, lo, hi, x, y, z, help)                                            \
    {                                                                                              \
#field, TARN_PARAM_VEC3, offsetof(T, field), unit, lo, hi,                                 \
            { x, y, z }, NULL, help, PARAM_DEGREE, 0                                               \
    }

#define PARAM_TABLE(name, T, params)                                                               \
    {                                                                                              \
        name, #T, params, (int)(sizeof(params) / sizeof((params)[0])), sizeof(T)                   \
    }

int tarn__param_components(TarnParamType type); // 1, 2 or 3
// Value of one component as the struct holds it (angles: radians), as a double whatever the type.
double tarn__param_get(const TarnParam* param, const void* object, int component);
// Writes back what tarn__param_get gave, to the same bits. False: out of range.
bool tarn__param_restore(const TarnParam* param, void* object, const double* value);
// Is this a value of the enum that is supported here?
TARN_INLINE bool tarn__param_allows(const TarnParam* param, int value)
{
    return param->allowed == 0 || (param->allowed >> value & 1u);
}
// Refuses what is not: "owner.name: 'span' is not supported; use one of: sphere, box".
TarnResult tarn__param_check_enum(TarnContext* ctx, const char* owner, const TarnParam* param,
                                  double value);
// Hash of all values: two defs with equal hashes make equal solvers (arrays aside).
uint64_t tarn__param_hash(const TarnParamTable* table, const void* object, uint64_t seed);
// The candidate that is fewest edits away from a wrong word, or NULL if none is close.
const char* tarn__nearest(const char* word, const char* const* candidates, int n);
