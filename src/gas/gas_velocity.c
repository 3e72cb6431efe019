// Velocities that the host sets on faces: from arrays, or from a function of the place.

#include "gas/gas_kernels.h"

static const float max_velocity = 1e4f; // [m/s], the largest max_speed

// Faces of one component. Those on closed and wind edges are the edge's, and are left out.
typedef struct Faces {
    int lo[3], hi[3]; // the first, and the one behind the last
    int n[3];         // all of them, as arrays of the host count them
} Faces;

static Faces faces_of(const TarnGas* gas, int component)
{
    Faces f = { .n = { gas->grid.nx, gas->grid.ny, gas->grid.nz } };
    f.n[component] += 1;
    for (int axis = 0; axis < 3; ++axis) f.lo[axis] = 0, f.hi[axis] = f.n[axis];
    if (gas_edge(gas, component, 0) != TARN_GAS_OPEN) f.lo[component] += 1;
    if (gas_edge(gas, component, 1) != TARN_GAS_OPEN) f.hi[component] -= 1;
    return f;
}

// New velocities: the pressure of the last step is no guess for them, and their energy is their own.
static void note_change(TarnGas* gas)
{
    gas->has_guess = false;
    gas->energy = 0.0;
    tarn__gas_fill_all(gas);
}

TarnResult tarn_gas_set_face_velocities(TarnGas* gas, const float* u, const float* v,
                                        const float* w)
{
    if (gas == NULL) return TARN_ERR_ARG;
    const float* const from[3] = { u, v, w };
    static const char* const names[3] = { "u", "v", "w" };
    for (int c = 0; c < 3; ++c) {
        Faces f = faces_of(gas, c);
        size_t n = (size_t)f.n[0] * (size_t)f.n[1] * (size_t)f.n[2];
        if (from[c] && !tarn__all_within(from[c], n, max_velocity))
            return tarn__fail(
                gas->ctx, TARN_ERR_DATA,
                "tarn_gas_set_face_velocities: %s contains a NaN or a value beyond +-%g m/s",
                names[c], (double)max_velocity);
    }
    for (int c = 0; c < 3; ++c) {
        Faces f = faces_of(gas, c);
        for (int k = f.lo[2]; k < f.hi[2] && from[c]; ++k) {
            for (int j = f.lo[1]; j < f.hi[1]; ++j) {
                const float* row =
                    from[c] + ((size_t)k * (size_t)f.n[1] + (size_t)j) * (size_t)f.n[0];
                memcpy(gas->velocity[c] + tarn__grid3_at(&gas->grid, f.lo[0], j, k), row + f.lo[0],
                       (size_t)(f.hi[0] - f.lo[0]) * sizeof(float));
            }
        }
    }
    if (u || v || w) note_change(gas);
    return TARN_OK;
}

// ---- From a function ---------------------------------------------------------------------------

enum { RUN = 256 };

typedef struct Asked {
    TarnGas* gas;
    TarnGasVelocityFn* fn;
    void* user;
    int component;
    bool is_taken; // else only checked
} Asked;

// Faces i0 to i1 of a row, at most RUN.
static bool ask(const Asked* a, int i0, int i1, int j, int k)
{
    TarnGas* gas = a->gas;
    float x[RUN], y[RUN], z[RUN];
    TarnVec3 v[RUN];
    const float half[3] = { a->component == 0 ? 0.0f : 0.5f, a->component == 1 ? 0.0f : 0.5f,
                            a->component == 2 ? 0.0f : 0.5f };
    int n = i1 - i0;
    for (int i = 0; i < n; ++i) {
        x[i] = gas->origin.x + ((float)(i0 + i) + half[0]) * gas->dx;
        y[i] = gas->origin.y + ((float)j + half[1]) * gas->dx;
        z[i] = gas->origin.z + ((float)k + half[2]) * gas->dx;
        v[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    }
    a->fn(n, x, y, z, v, a->user);
    if (!a->is_taken) return tarn__all_within(v, 3 * (size_t)n, max_velocity);
    float* to = gas->velocity[a->component] + tarn__grid3_at(&gas->grid, i0, j, k);
    for (int i = 0; i < n; ++i) to[i] = (&v[i].x)[a->component];
    return true;
}

static bool ask_all(const Asked* a, const Faces* f)
{
    for (int k = f->lo[2]; k < f->hi[2]; ++k) {
        for (int j = f->lo[1]; j < f->hi[1]; ++j) {
            for (int i = f->lo[0]; i < f->hi[0]; i += RUN) {
                if (!ask(a, i, i + RUN < f->hi[0] ? i + RUN : f->hi[0], j, k)) return false;
            }
        }
    }
    return true;
}

// Faces whose centers lie in the region.
static Faces faces_within(const TarnGas* gas, int component, TarnVec3 lo, TarnVec3 hi)
{
    Faces f = faces_of(gas, component);
    const float from[3] = { lo.x, lo.y, lo.z }, to[3] = { hi.x, hi.y, hi.z };
    const float corner[3] = { gas->origin.x, gas->origin.y, gas->origin.z };
    for (int axis = 0; axis < 3; ++axis) {
        float half = axis == component ? 0.0f : 0.5f;
        while (f.lo[axis] < f.hi[axis] &&
               corner[axis] + ((float)f.lo[axis] + half) * gas->dx < from[axis])
            f.lo[axis] += 1;
        while (f.hi[axis] > f.lo[axis] &&
               corner[axis] + ((float)(f.hi[axis] - 1) + half) * gas->dx > to[axis])
            f.hi[axis] -= 1;
    }
    return f;
}

TarnResult tarn_gas_set_velocity(TarnGas* gas, TarnVec3 lo, TarnVec3 hi, TarnGasVelocityFn* fn,
                                 void* user)
{
    if (gas == NULL) return TARN_ERR_ARG;
    if (fn == NULL)
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "tarn_gas_set_velocity: fn is NULL; pass a function that returns the "
                          "velocity at points");
    if (!(lo.x <= hi.x && lo.y <= hi.y && lo.z <= hi.z))
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "tarn_gas_set_velocity: the region from (%g, %g, %g) to (%g, %g, %g) m "
                          "is empty or not a number; lo must not be beyond hi",
                          (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x, (double)hi.y,
                          (double)hi.z);
    for (int pass = 0; pass < 2; ++pass) { // all are asked before any is changed
        for (int c = 0; c < 3; ++c) {
            Asked a = { gas, fn, user, c, pass == 1 };
            Faces f = faces_within(gas, c, lo, hi);
            if (!ask_all(&a, &f))
                return tarn__fail(gas->ctx, TARN_ERR_DATA,
                                  "tarn_gas_set_velocity: fn returned a NaN or a value beyond "
                                  "+-%g m/s",
                                  (double)max_velocity);
        }
    }
    note_change(gas);
    return TARN_OK;
}
