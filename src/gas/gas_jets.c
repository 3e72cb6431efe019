// Jets: nozzles, fans, exhausts. Cylinders in which the air is brought towards a velocity.
//
// Method   In each iteration of the pressure loop, so that the projection
//          turns the push into whirls. Towards a target, 1 - exp(-rate dt) of the difference over all
//          iterations of a substep together: more iterations do not push more. The direction wanders and
//          the speed flutters by gradient noise of the time, which is continuous and the same in every run.
// Differs  A rim of at least a cell is soft, so that thin nozzles push whatever their place on the grid.
// Checked  tests/unit/test_gas_obstacles.c, tarn check gas.obstacles.
// Cost     20 ns per face in the cylinder and iteration.

#include "gas/gas_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "grid/noise.h"

enum { SHARES = 32 };

static const float max_place = 1e6f, max_speed = 1000.0f, max_spin = 200.0f;

static const TarnParam jet_params[] = {
    P_FLOAT(TarnGasJetDef, radius, "m", 1e-4, 1e4, 0.2, "Radius of the cylinder."),
    P_FLOAT(TarnGasJetDef, length, "m", 1e-4, 1e4, 0.5,
            "Length of the cylinder, from the position along local +y."),
    P_FLOAT(TarnGasJetDef, speed, "m/s", 0, 1000, 10,
            "Speed that the gas is brought to, added to the velocity of the nozzle."),
    P_FLOAT(TarnGasJetDef, rate, "1/s", 0, 1e5, 0,
            "How fast the gas takes on that speed; 0 for at once."),
    P_ANGLE(TarnGasJetDef, wobble, "deg", 0, 86, 0.1 / PARAM_DEGREE,
            "Half angle by which the direction wanders."),
    P_FLOAT(TarnGasJetDef, flutter, "", 0, 1, 0.1, "Share by which the speed wanders."),
    P_FLOAT(TarnGasJetDef, frequency, "Hz", 0, 1000, 5, "Frequency of wobble and flutter."),
    P_FLOAT(TarnGasJetDef, pulse_period, "s", 0, 1e6, 0,
            "Time between pulses; 0 for a steady jet."),
    P_FLOAT(TarnGasJetDef, pulse_share, "", 0, 1, 0.5,
            "Share of the period in which the jet blows."),
    P_FLOAT(TarnGasJetDef, start, "s", 0, 1e9, 0, "Time of the gas at which the jet starts."),
    P_FLOAT(TarnGasJetDef, stop, "s", 0, 1e9, 1e9, "Time of the gas at which the jet stops."),
};
static const TarnParamTable jet_table = PARAM_TABLE("gas_jet", TarnGasJetDef, jet_params);

const TarnParamTable* tarn_gas_jet_def_table(void)
{
    return &jet_table;
}

void tarn_gas_jet_init_def(TarnGasJetDef* out, size_t size)
{
    TarnGasJetDef def = { .motion.rotation.w = 1.0f };
    tarn_param_defaults(&jet_table, &def);
    TARN_INIT_DEF(TarnGasJetDef, out, size, &def);
}

// ---- Handles ------------------------------------------------------------------------------------

static TarnGasJetDef* find(TarnGas* gas, TarnGasJetId id) // NULL: an error was reported
{
    int slot = gas ? tarn__handles_find(gas->ctx, &gas->jet_ids, id.value) : -1;
    return slot >= 0 ? &gas->jets[slot] : NULL;
}

TarnResult tarn__gas_check_motion(TarnContext* ctx, const char* what, const TarnMotion* m)
{
    if (m == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "%s: it is NULL; pass a motion", what);
    if (!tarn__all_within(&m->position, 3, max_place))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s.position: (%g, %g, %g) m is out of range; allowed: -1e6 to 1e6", what,
                          (double)m->position.x, (double)m->position.y, (double)m->position.z);
    const TarnQuat* q = &m->rotation;
    double length2 =
        (double)q->x * q->x + (double)q->y * q->y + (double)q->z * q->z + (double)q->w * q->w;
    if (!(length2 > 0.81 && length2 < 1.21))
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.rotation: its length is %g; use a unit quaternion",
                          what, sqrt(length2));
    if (!tarn__all_within(&m->velocity, 3, max_speed))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s.velocity: (%g, %g, %g) m/s is out of range; allowed: -1000 to 1000",
                          what, (double)m->velocity.x, (double)m->velocity.y,
                          (double)m->velocity.z);
    const TarnVec3* w = &m->angular_velocity;
    if (!tarn__all_within(w, 3, max_spin))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s.angular_velocity: (%g, %g, %g) rad/s is out of range; allowed: -200 "
                          "to 200",
                          what, (double)w->x, (double)w->y, (double)w->z);
    return TARN_OK;
}

TarnResult tarn__gas_check_jet(const TarnGas* gas, const TarnGasJetDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(gas->ctx, "gas_jet", "tarn/gas.h", TarnGasJetDef,
                            tarn_gas_jet_default_def, def));
    TARN_TRY(tarn_param_validate(gas->ctx, &jet_table, def));
    if (def->stop < def->start)
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "gas_jet.stop: %g s is before gas_jet.start, %g s; use a later time",
                          (double)def->stop, (double)def->start);
    return tarn__gas_check_motion(gas->ctx, "gas_jet.motion", &def->motion);
}

TarnResult tarn_gas_add_jet(TarnGas* gas, const TarnGasJetDef* def, TarnGasJetId* out)
{
    if (out) *out = (TarnGasJetId){ 0 };
    if (gas == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__gas_check_jet(gas, def));
    int slot = tarn__handles_add(&gas->jet_ids);
    if (slot < 0) {
        return tarn__fail(gas->ctx, TARN_ERR_CAPACITY,
                          "there are %d jets already; raise gas.max_jets or remove some",
                          gas->def.max_jets);
    }
    gas->jets[slot] = *def;
    if (out) out->value = tarn__handles_id(&gas->jet_ids, slot);
    return TARN_OK;
}

TarnResult tarn_gas_set_jet(TarnGas* gas, TarnGasJetId id, const TarnGasJetDef* def)
{
    TarnGasJetDef* jet = find(gas, id);
    if (jet == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__gas_check_jet(gas, def));
    *jet = *def;
    return TARN_OK;
}

TarnResult tarn_gas_move_jet(TarnGas* gas, TarnGasJetId id, const TarnMotion* motion)
{
    TarnGasJetDef* jet = find(gas, id);
    if (jet == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__gas_check_motion(gas->ctx, "motion", motion));
    jet->motion = *motion;
    return TARN_OK;
}

TarnResult tarn_gas_remove_jet(TarnGas* gas, TarnGasJetId id)
{
    TarnGasJetDef* jet = find(gas, id);
    if (jet == NULL) return TARN_ERR_ARG;
    tarn__handles_remove(&gas->jet_ids, (int)(jet - gas->jets));
    return TARN_OK;
}

// ---- What a jet does now ------------------------------------------------------------------------

typedef struct Blow {
    TarnGas* gas;
    const TarnGasJetDef* def;
    TarnVec3 axis;                  // of the cylinder
    TarnVec3 target;                // velocity of the air at the position; what turns adds w x r
    float soft_radius, soft_length; // widths of the rims [m]
    float share[SHARES + 2]; // of the difference that goes in this iteration, by the softness
    int lo[3], hi[3];        // cells that it reaches, hi is the first beyond
} Blow;

static float smooth(float x) // 0 to 1
{
    x = tarn_clampf(x, 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// 1 while it blows, with soft ramps of a tenth of the period, or of half a pulse.
static float pulse(const TarnGasJetDef* def, double time)
{
    if (time < (double)def->start || !(time < (double)def->stop)) return 0.0f;
    if (!(def->pulse_period > 0.0f)) return 1.0f;
    double periods = (time - (double)def->start) / (double)def->pulse_period;
    float phase = (float)(periods - floor(periods)), on = def->pulse_share;
    if (on >= 1.0f) return 1.0f;
    float ramp = tarn_minf(0.1f, 0.5f * on);
    if (!(ramp > 0.0f)) return 0.0f;
    return smooth(phase / ramp) * smooth((on - phase) / ramp);
}

// Noise of the time, within -1 to 1.
static float wander(const TarnGas* gas, int slot, int which, float frequency)
{
    uint64_t stream = 0x6a657400u + 4u * (uint64_t)slot + (uint64_t)which;
    Noise noise = { (uint64_t)gas->def.seed, stream, 2, 0.5 };
    double value = tarn__noise_fractal(&noise, gas->time * (double)frequency, 0.37);
    return tarn_clampf(1.6f * (float)value, -1.0f, 1.0f);
}

static TarnVec3 wandering_direction(const TarnGas* gas, int slot)
{
    const TarnGasJetDef* def = &gas->jets[slot];
    TarnVec3 local = { 0.0f, 1.0f, 0.0f };
    if (def->wobble > 0.0f) {
        float a = wander(gas, slot, 0, def->frequency), b = wander(gas, slot, 1, def->frequency);
        float length = sqrtf(a * a + b * b), sine, cosine;
        tarn_sincos(def->wobble * tarn_minf(length, 1.0f), &sine, &cosine);
        if (length > 0.0f) local = (TarnVec3){ sine * a / length, cosine, sine * b / length };
    }
    return quat_rotate(quat_normalize(def->motion.rotation), local);
}

// The share for one of n iterations: all of them together leave (1 - softness * whole) of the difference.
static void fill_shares(Blow* blow, float whole, int n_loops)
{
    for (int s = 0; s <= SHARES; ++s) {
        float left = 1.0f - whole * (float)s / (float)SHARES;
        if (n_loops > 1 && left > 0.0f) left = tarn_pow(left, 1.0f / (float)n_loops);
        blow->share[s] = 1.0f - left;
    }
    blow->share[SHARES + 1] = blow->share[SHARES];
}

static void reach_of(Blow* blow)
{
    const TarnGas* gas = blow->gas;
    const TarnMotion* m = &blow->def->motion;
    const int n[3] = { gas->grid.nx, gas->grid.ny, gas->grid.nz };
    const float base[3] = { m->position.x, m->position.y, m->position.z };
    const float axis[3] = { blow->axis.x, blow->axis.y, blow->axis.z };
    const float origin[3] = { gas->origin.x, gas->origin.y, gas->origin.z };
    float around = blow->def->radius + 0.5f * (blow->soft_radius + blow->soft_length);
    for (int a = 0; a < 3; ++a) {
        float end = base[a] + axis[a] * blow->def->length;
        float lo = (tarn_minf(base[a], end) - around - origin[a]) / gas->dx;
        float hi = (tarn_maxf(base[a], end) + around - origin[a]) / gas->dx;
        blow->lo[a] = (int)tarn_clampf(floorf(lo), 0.0f, (float)(n[a] + 1));
        blow->hi[a] = (int)tarn_clampf(floorf(hi) + 2.0f, 0.0f, (float)(n[a] + 1));
    }
}

static bool prepare(Blow* blow, TarnGas* gas, int slot, float dt, int n_loops)
{
    const TarnGasJetDef* def = &gas->jets[slot];
    float on = pulse(def, gas->time), speed = def->speed;
    if (!(on > 0.0f)) return false;
    *blow = (Blow){ .gas = gas, .def = def };
    if (def->flutter > 0.0f) speed *= 1.0f + def->flutter * wander(gas, slot, 2, def->frequency);
    TarnVec3 direction = wandering_direction(gas, slot);
    blow->target = vec3_add(def->motion.velocity, vec3_scale(direction, speed));
    TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    blow->axis = quat_rotate(quat_normalize(def->motion.rotation), up);
    blow->soft_radius = tarn_maxf(0.5f * def->radius, gas->dx);
    blow->soft_length = tarn_maxf(0.1f * def->length, gas->dx);
    float whole = def->rate > 0.0f ? 1.0f - tarn_exp(-def->rate * dt) : 1.0f;
    fill_shares(blow, on * whole, n_loops);
    reach_of(blow);
    return blow->lo[0] < blow->hi[0] && blow->lo[1] < blow->hi[1] && blow->lo[2] < blow->hi[2];
}

// 1 in the cylinder, 0 outside, half on its surface.
static float softness(const Blow* blow, TarnVec3 r)
{
    float along = vec3_dot(r, blow->axis), half = 0.5f * blow->def->length;
    float b = (half - fabsf(along - half)) / blow->soft_length + 0.5f;
    TarnVec3 off = vec3_sub(r, vec3_scale(blow->axis, along));
    float out2 = vec3_dot(off, off), end = blow->def->radius + 0.5f * blow->soft_radius;
    if (!(b > 0.0f) || !(out2 < end * end)) return 0.0f;
    float a = smooth((blow->def->radius - sqrtf(out2)) / blow->soft_radius + 0.5f);
    return a * smooth(b);
}

static float pick(TarnVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void blow_row(const Blow* blow, int axis, int j, int k)
{
    const TarnGas* gas = blow->gas;
    const TarnMotion* m = &blow->def->motion;
    float* u = gas->velocity[axis] + tarn__grid3_at(&gas->grid, 0, j, k);
    float half[3] = { 0.5f, 0.5f, 0.5f };
    half[axis] = 0.0f;
    float y = gas->origin.y + ((float)j + half[1]) * gas->dx - m->position.y;
    float z = gas->origin.z + ((float)k + half[2]) * gas->dx - m->position.z;
    int end = blow->hi[0] < gas->grid.nx + (axis == 0) ? blow->hi[0] : gas->grid.nx + (axis == 0);
    for (int i = blow->lo[0]; i < end; ++i) {
        float x = gas->origin.x + ((float)i + half[0]) * gas->dx - m->position.x;
        TarnVec3 r = { x, y, z };
        float soft = softness(blow, r) * (float)SHARES;
        if (!(soft > 0.0f)) continue;
        int s = (int)soft;
        float share = blow->share[s] + (soft - (float)s) * (blow->share[s + 1] - blow->share[s]);
        TarnVec3 target = vec3_add(blow->target, vec3_cross(m->angular_velocity, r));
        u[i] += share * (pick(target, axis) - u[i]);
    }
}

static void blow_slab(int block, void* data)
{
    const Blow* blow = data;
    const Grid3* g = &blow->gas->grid;
    int k = blow->lo[2] + block;
    for (int axis = 0; axis < 3; ++axis) {
        if (k >= g->nz + (axis == 2)) continue;
        for (int j = blow->lo[1]; j < blow->hi[1] && j < g->ny + (axis == 1); ++j)
            blow_row(blow, axis, j, k);
    }
}

void tarn__gas_jets(TarnGas* gas, float dt, int n_loops)
{
    for (int n = 0; n < gas->jet_ids.count; ++n) {
        Blow blow;
        if (!prepare(&blow, gas, gas->jet_ids.order[n], dt, n_loops)) continue;
        tarn__parallel_for(gas->ctx, blow.hi[2] - blow.lo[2], blow_slab, &blow);
    }
}
