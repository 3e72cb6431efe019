// Sources: volumes that make smoke, heat, fuel; bursts; fields given by the host.

#include "base/maths.h"
#include "base/def.h"
#include "base/shape.h"
#include "gas/gas_kernels.h"
#include "grid/noise.h"

#define S TarnGasSourceDef
static const TarnParam source_params[] = {
    P_SHAPE(S, SHAPES_VOLUMES, TARN_SHAPE_SPHERE, "Shape of the volume."),
    P_SHAPE_SIZE(S, 1e4, 0.2, 0.2, 0.2,
                 "Sphere: radius; box: half extents; capsule, cylinder: radius, half length."),
    P_FLOAT(S, softness, "", 0, 1, 0.3, "Share of the size over which it fades in."),
    P_FLOAT(S, density, "", 0, 100, 1, "Density inside."),
    P_FLOAT(S, temperature, "K", -1e4, 1e4, 0, "Temperature inside, above ambient."),
    P_FLOAT(S, fuel, "", 0, 100, 0, "Fuel inside."),
    P_VEC3(S, color, "", 0, 1, 1, 1, 1, "Color of the density, linear."),
    P_FLOAT(S, rate, "1/s", 0, 1e4, 0, "How fast the gas inside takes these on; 0: at once."),
    P_FLOAT(S, speed, "m/s", -1e3, 1e3, 0, "Speed of the gas that leaves it, along local +y."),
    P_FLOAT(S, inherit, "", 0, 1, 0, "Share of motion and speed that the gas takes on."),
    P_FLOAT(S, expansion, "1/s", 0, 1e3, 0,
            "Volume added per second, in multiples of its own; makes explosions."),
    P_FLOAT(S, noise, "", 0, 1, 0, "Share by which the source flickers in space and time."),
    P_FLOAT(S, start, "s", 0, 1e9, 0, "Time of the gas at which the source begins."),
    P_FLOAT(S, stop, "s", 0, 1e9, 1e9, "Time of the gas at which the source ends."),
};
#undef S
static const TarnParamTable source_table =
    PARAM_TABLE("gas_source", TarnGasSourceDef, source_params);

const TarnParamTable* tarn_gas_source_def_table(void)
{
    return &source_table;
}
void tarn_gas_source_init_def(TarnGasSourceDef* out, size_t size)
{
    TarnGasSourceDef def = { 0 };
    tarn_param_defaults(&source_table, &def);
    def.motion.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnGasSourceDef, out, size, &def);
}

// ---- Handles -----------------------------------------------------------------------------------

static TarnResult find_or_fail(const TarnGas* gas, TarnGasSourceId id, TarnGasSourceDef** out)
{
    int slot = tarn__handles_find(gas->ctx, &gas->source_ids, id.value);
    if (slot < 0) return TARN_ERR_ARG;
    *out = &gas->sources[slot];
    return TARN_OK;
}

TarnResult tarn__gas_check_source(const TarnGas* gas, const TarnGasSourceDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(gas->ctx, "gas_source", "tarn/gas.h", TarnGasSourceDef,
                            tarn_gas_source_default_def, def));
    TARN_TRY(tarn_param_validate(gas->ctx, &source_table, def));
    TARN_TRY(tarn__shape_check_size(gas->ctx, "gas_source", &def->shape, 1e-4f, 1e4f));
    TARN_TRY(tarn__gas_check_motion(gas->ctx, "gas_source.motion", &def->motion));
    if (def->stop < def->start)
        return tarn__fail(gas->ctx, TARN_ERR_ARG, "gas_source.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);
    return TARN_OK;
}

TarnResult tarn_gas_add_source(TarnGas* gas, const TarnGasSourceDef* def, TarnGasSourceId* out)
{
    if (out) *out = (TarnGasSourceId){ 0 };
    if (gas == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__gas_check_source(gas, def));
    int slot = tarn__handles_add(&gas->source_ids);
    if (slot < 0)
        return tarn__fail(gas->ctx, TARN_ERR_CAPACITY,
                          "all %d sources are in use; raise gas.max_sources", gas->def.max_sources);
    gas->sources[slot] = *def;
    if (out) out->value = tarn__handles_id(&gas->source_ids, slot);
    return TARN_OK;
}
TarnResult tarn_gas_set_source(TarnGas* gas, TarnGasSourceId id, const TarnGasSourceDef* def)
{
    TarnGasSourceDef* source;
    if (gas == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(gas, id, &source));
    TARN_TRY(tarn__gas_check_source(gas, def));
    *source = *def;
    return TARN_OK;
}
TarnResult tarn_gas_move_source(TarnGas* gas, TarnGasSourceId id, const TarnMotion* motion)
{
    TarnGasSourceDef* source;
    if (gas == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(gas, id, &source));
    TARN_TRY(tarn__gas_check_motion(gas->ctx, "gas_source.motion", motion));
    source->motion = *motion;
    return TARN_OK;
}
TarnResult tarn_gas_remove_source(TarnGas* gas, TarnGasSourceId id)
{
    TarnGasSourceDef* source;
    if (gas == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(gas, id, &source));
    tarn__handles_remove(&gas->source_ids, (int)(source - gas->sources));
    return TARN_OK;
}

// ---- Shapes --------------------------------------------------------------------------------------

static float smooth(float t)
{
    t = tarn_clampf(t, 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

typedef struct Pour {
    TarnGas* gas;
    const TarnGasSourceDef* s;
    uint64_t seed;
    float share;   // of the step
    TarnVec3 blow; // velocity of what leaves it, besides the motion
    int lo[3], hi[3];
} Pour;

static float weight_at(const Pour* p, TarnVec3 at)
{
    const TarnGasSourceDef* s = p->s;
    TarnVec3 local = quat_rotate_inverse(s->motion.rotation, vec3_sub(at, s->motion.position));
    float depth = tarn__shape_depth(&s->shape, local);
    if (!(depth > 0.0f)) return 0.0f;
    float weight = s->softness > 0.0f ? smooth(depth / s->softness) : 1.0f;
    if (s->noise > 0.0f) { // whirls of half the size that rise through the volume
        double r = 2.0 / (double)tarn__shape_reach(&s->shape), t = 4.0 * p->gas->time;
        double n = tarn__noise(p->seed, 1, (double)(local.x + 0.7f * local.y) * r + 0.6 * t,
                               (double)(local.z - 0.7f * local.y) * r + t);
        weight *= tarn_clampf(1.0f - s->noise * (0.5f + 1.5f * (float)n), 0.0f, 1.0f);
    }
    return weight * p->share;
}

static TarnVec3 place_of(const TarnGas* gas, int i, int j, int k, int component)
{
    TarnVec3 at = { (float)i + (component == 0 ? 0.0f : 0.5f),
                    (float)j + (component == 1 ? 0.0f : 0.5f),
                    (float)k + (component == 2 ? 0.0f : 0.5f) };
    return vec3_add(gas->origin, vec3_scale(at, gas->dx));
}

static void take_on(float* value, float target, float share)
{
    *value += share * (target - *value);
}

static void pour_scalars(const Pour* p, int i, int j, int k)
{
    TarnGas* gas = p->gas;
    const TarnGasSourceDef* s = p->s;
    float w = weight_at(p, place_of(gas, i, j, k, 3));
    if (!(w > 0.0f)) return;
    const float target[GAS_SCALARS] = { s->density,
                                        s->temperature,
                                        s->fuel,
                                        s->color.x * s->density,
                                        s->color.y * s->density,
                                        s->color.z * s->density };
    ptrdiff_t c = tarn__grid3_at(&gas->grid, i, j, k);
    for (int f = 0; f < GAS_SCALARS; ++f) {
        if (gas->scalar[f]) take_on(gas->scalar[f] + c, target[f], w);
    }
}

static void pour_velocity(const Pour* p, int component, int i, int j, int k)
{
    TarnGas* gas = p->gas;
    TarnVec3 at = place_of(gas, i, j, k, component);
    float w = weight_at(p, at) * p->s->inherit;
    if (!(w > 0.0f)) return;
    TarnVec3 arm = vec3_sub(at, p->s->motion.position);
    TarnVec3 v = vec3_add(vec3_add(p->s->motion.velocity, p->blow),
                          vec3_cross(p->s->motion.angular_velocity, arm));
    float target = component == 0 ? v.x : component == 1 ? v.y : v.z;
    float most = gas->params.max_speed;
    take_on(gas->velocity[component] + tarn__grid3_at(&gas->grid, i, j, k),
            tarn_clampf(target, -most, most), w);
}

static void pour_block(int block, void* data)
{
    const Pour* p = data;
    int k = p->lo[2] + block;
    for (int j = p->lo[1]; j < p->hi[1]; ++j) {
        for (int i = p->lo[0]; i < p->hi[0]; ++i) {
            pour_scalars(p, i, j, k);
            for (int c = 0; c < 3 && p->s->inherit > 0.0f; ++c) pour_velocity(p, c, i, j, k);
        }
    }
}

// The cells that a ball touches; false: none.
static bool cells_around(const TarnGas* gas, TarnVec3 center, float reach, int lo[3], int hi[3])
{
    TarnVec3 at = vec3_scale(vec3_sub(center, gas->origin), 1.0f / gas->dx);
    const float c[3] = { at.x, at.y, at.z };
    const int n[3] = { gas->grid.nx, gas->grid.ny, gas->grid.nz };
    float r = reach / gas->dx + 1.0f;
    for (int a = 0; a < 3; ++a) {
        lo[a] = (int)tarn_clampf(c[a] - r, 0.0f, (float)n[a]);
        hi[a] = (int)tarn_clampf(c[a] + r + 1.0f, 0.0f, (float)n[a]);
        if (lo[a] >= hi[a]) return false;
    }
    return true;
}

// The air that a source makes, as a burst in a ball of its size.
static void swell(TarnGas* gas, const TarnGasSourceDef* s, float dt)
{
    if (gas->n_bursts == GAS_MAX_BURSTS) { // those that the host set off come first
        gas->step_flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    double volume = tarn__shape_volume(&s->shape) * (double)s->expansion * (double)dt;
    gas->bursts[gas->n_bursts++] = (GasBurst){ s->motion.position, s->shape.size.x, volume };
}

void tarn__gas_sources(TarnGas* gas, float dt)
{
    for (int n = 0; n < gas->def.max_sources; ++n) {
        const TarnGasSourceDef* s = &gas->sources[n];
        if (!tarn__handles_is_used(&gas->source_ids, n)) continue;
        if (gas->time < (double)s->start || gas->time >= (double)s->stop) continue;
        TarnVec3 up = quat_rotate(s->motion.rotation, (TarnVec3){ 0.0f, 1.0f, 0.0f });
        Pour p = { .gas = gas,
                   .s = s,
                   .seed = (uint64_t)gas->def.seed * 1024u + (uint64_t)n,
                   .share = s->rate > 0.0f ? 1.0f - tarn_exp(-s->rate * dt) : 1.0f,
                   .blow = vec3_scale(up, s->speed) };
        if (!cells_around(gas, s->motion.position, tarn__shape_reach(&s->shape), p.lo, p.hi))
            continue;
        tarn__parallel_for(gas->ctx, p.hi[2] - p.lo[2], pour_block, &p);
        if (s->expansion > 0.0f) swell(gas, s, dt);
    }
}

// ---- Bursts and fields ---------------------------------------------------------------------------

TarnResult tarn_gas_burst(TarnGas* gas, TarnVec3 center, float radius, float density,
                          float temperature, float fuel, float volume)
{
    if (gas == NULL) return TARN_ERR_ARG;
    const float values[8] = { center.x, center.y, center.z,    radius,
                              density,  fuel,     temperature, volume };
    if (!tarn__all_within(values, 8, 1e6f) || radius <= 0.0f || density < 0.0f || fuel < 0.0f ||
        volume < 0.0f)
        return tarn__fail(
            gas->ctx, TARN_ERR_ARG,
            "tarn_gas_burst: a value is not finite, beyond +-1e6, or negative; radius > 0");
    if (volume > 0.0f && gas->n_bursts == GAS_MAX_BURSTS)
        return tarn__fail(gas->ctx, TARN_ERR_CAPACITY, "tarn_gas_burst: %d bursts wait; step first",
                          gas->n_bursts);
    TarnGasSourceDef s = tarn_gas_source_default_def();
    s.shape = tarn_shape_sphere(radius);
    s.motion.position = center;
    s.density = density, s.temperature = temperature, s.fuel = fuel;
    s.noise = 0.3f;
    Pour p = { .gas = gas, .s = &s, .seed = gas->substeps, .share = 1.0f };
    if (cells_around(gas, center, radius, p.lo, p.hi)) {
        for (int k = 0; k < p.hi[2] - p.lo[2]; ++k) pour_block(k, &p);
    }
    if (volume > 0.0f) gas->bursts[gas->n_bursts++] = (GasBurst){ center, radius, (double)volume };
    return TARN_OK;
}

static void set_scalar(TarnGas* gas, float* field, const float* from)
{
    const Grid3* g = &gas->grid;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            const float* row = from + ((size_t)k * (size_t)g->ny + (size_t)j) * (size_t)g->nx;
            memcpy(field + tarn__grid3_at(g, 0, j, k), row, (size_t)g->nx * sizeof(float));
        }
    }
}

// Faces between two cells take their mean, those of the rim the value of their cell.
static void set_velocity(TarnGas* gas, const TarnVec3* from, int axis)
{
    const Grid3* g = &gas->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    const int step[3] = { 1, g->nx, g->nx * g->ny };
    float most = gas->params.max_speed;
    for (int k = 0; k < g->nz + (axis == 2); ++k) {
        for (int j = 0; j < g->ny + (axis == 1); ++j) {
            for (int i = 0; i < g->nx + (axis == 0); ++i) {
                int at = axis == 0 ? i : axis == 1 ? j : k;
                ptrdiff_t c = i + ((ptrdiff_t)k * g->ny + j) * g->nx;
                ptrdiff_t a = at > 0 ? c - step[axis] : c, b = at < n[axis] ? c : a;
                float low = (&from[a].x)[axis], high = (&from[b].x)[axis];
                float mean = 0.5f * low + 0.5f * high; // no overflow
                gas->velocity[axis][tarn__grid3_at(g, i, j, k)] = tarn_clampf(mean, -most, most);
            }
        }
    }
}

TarnResult tarn_gas_set_fields(TarnGas* gas, const TarnVec3* velocity, const float* density,
                               const float* temperature, const float* fuel)
{
    if (gas == NULL) return TARN_ERR_ARG;
    const float* const from[3] = { density, temperature, fuel };
    const char* const names[3] = { "density", "temperature", "fuel" };
    size_t n = (size_t)gas->grid.nx * (size_t)gas->grid.ny * (size_t)gas->grid.nz;
    if (velocity && !tarn__all_within(velocity, 3 * n, 1e30f))
        return tarn__fail(gas->ctx, TARN_ERR_DATA,
                          "tarn_gas_set_fields: velocity holds a NaN or a value beyond +-1e30");
    for (int s = 0; s < 3; ++s) {
        if (from[s] == NULL) continue;
        if (gas->scalar[s] == NULL)
            return tarn__fail(gas->ctx, TARN_ERR_ARG,
                              "tarn_gas_set_fields: there is no %s; set gas.use_%s", names[s],
                              names[s]);
        if (!tarn__all_within(from[s], n, 1e6f))
            return tarn__fail(gas->ctx, TARN_ERR_DATA,
                              "tarn_gas_set_fields: %s holds a NaN or a value beyond +-1e6",
                              names[s]);
    }
    for (int a = 0; a < 3 && velocity; ++a) set_velocity(gas, velocity, a);
    for (int s = 0; s < 3; ++s) {
        if (from[s]) set_scalar(gas, gas->scalar[s], from[s]);
    }
    if (velocity) gas->has_guess = false, gas->energy = 0.0;
    tarn__gas_fill_all(gas);
    return TARN_OK;
}
