// A sloshing plane: see slosh.h.
//
// Method   The trapezoidal rule, solved in closed form: it neither gains nor loses energy, whatever dt is, and its period is
//          too long by (w dt)^2 / 12.
// Checked  tests/hall/test_slosh.c: period against theory, volume, energy, any dt.

#include "slosh.h"
#include "base/base.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>

// One direction: slope and its rate.
typedef struct Mode {
    double slope, rate; // [-], [1/s]
} Mode;

struct TarnSlosh {
    TarnContext* ctx;
    TarnSloshDef def;
    TarnSloshParams params;
    Mode mode[2];  // along x, along z
    double poured; // since the start [m^3]
};

static const TarnParam def_params[] = {
    P_VEC2(TarnSloshDef, origin, "m", -1e5, 1e5, 0, 0, "x and z of the corner of the box."),
    P_VEC2(TarnSloshDef, size, "m", 0.01, 1000, 2, 1, "Length of the box along x and z."),
    P_FLOAT(TarnSloshDef, floor, "m", -1e5, 1e5, 0, "Height y of the bottom."),
    P_FLOAT(TarnSloshDef, depth, "m", 0.001, 100, 0.5, "Depth of the calm water at the start."),
    P_FLOAT(TarnSloshDef, gravity, "m/s^2", 0.001, 1000, 9.81, "Gravity; more sloshes faster."),
};
static const TarnParamTable def_table = PARAM_TABLE("slosh", TarnSloshDef, def_params);

static const TarnParam params_params[] = {
    P_FLOAT(TarnSloshParams, damping, "1/s", 0, 100, 0.1, "Rate at which the sloshing dies down."),
    P_FLOAT(TarnSloshParams, density, "kg/m^3", 1, 1e5, 1000, "Density of the water."),
    P_VEC2(TarnSloshParams, tilt, "", -1, 1, 0, 0,
           "Slope of the calm surface along x and z: of a box that leans or is accelerated."),
};
static const TarnParamTable params_table =
    PARAM_TABLE("slosh_params", TarnSloshParams, params_params);

const TarnParamTable* tarn_slosh_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_slosh_params_table(void)
{
    return &params_table;
}

void tarn_slosh_init_def(TarnSloshDef* out, size_t size)
{
    TarnSloshDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnSloshDef, out, size, &def);
}
TarnSloshParams tarn_slosh_default_params(void)
{
    TarnSloshParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create and destroy --------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnSloshDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "slosh", "slosh.h", TarnSloshDef, tarn_slosh_default_def, def));
    return tarn_param_validate(ctx, &def_table, def);
}

size_t tarn_slosh_memory(const TarnSloshDef* def)
{
    return check_def(NULL, def) == TARN_OK ? sizeof(TarnSlosh) : 0;
}

TarnResult tarn_slosh_create(TarnContext* ctx, const TarnSloshDef* def, TarnSlosh** out)
{
    if (out) *out = NULL;
    if (ctx == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "tarn_slosh_create: ctx and out must not be NULL");
    TARN_TRY(check_def(ctx, def));
    TarnSlosh* slosh = tarn__alloc(ctx, sizeof *slosh); // zeroed
    if (slosh == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "slosh: no memory for %zu bytes", sizeof *slosh);
    slosh->ctx = ctx;
    slosh->def = *def;
    slosh->params = tarn_slosh_default_params();
    *out = slosh;
    return TARN_OK;
}

void tarn_slosh_destroy(TarnSlosh* slosh)
{
    if (slosh) tarn__free(slosh->ctx, slosh, sizeof *slosh);
}

void tarn_slosh_reset(TarnSlosh* slosh)
{
    if (slosh == NULL) return;
    slosh->mode[0] = slosh->mode[1] = (Mode){ 0 };
    slosh->poured = 0.0;
}

TarnResult tarn_slosh_set_params(TarnSlosh* slosh, const TarnSloshParams* params)
{
    if (slosh == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(slosh->ctx, &params_table, params));
    slosh->params = *params;
    return TARN_OK;
}
TarnSloshParams tarn_slosh_params(const TarnSlosh* slosh)
{
    return slosh->params;
}
const TarnSloshDef* tarn_slosh_def(const TarnSlosh* slosh)
{
    return &slosh->def;
}

// ---- Reading -------------------------------------------------------------------------------------

static double area(const TarnSlosh* s)
{
    return (double)s->def.size.x * s->def.size.y;
}
double tarn_slosh_volume(const TarnSlosh* s)
{
    return area(s) * s->def.depth + s->poured;
}
double tarn_slosh_poured(const TarnSlosh* s)
{
    return s->poured;
}
float tarn_slosh_depth(const TarnSlosh* s)
{
    return (float)(tarn_slosh_volume(s) / area(s));
}
TarnVec2 tarn_slosh_slope(const TarnSlosh* s)
{
    return (TarnVec2){ (float)s->mode[0].slope, (float)s->mode[1].slope };
}

static double length(const TarnSlosh* s, int axis) // [m]
{
    return axis == 0 ? (double)s->def.size.x : (double)s->def.size.y;
}
static TarnVec2 center(const TarnSlosh* s)
{
    return (TarnVec2){ s->def.origin.x + 0.5f * s->def.size.x,
                       s->def.origin.y + 0.5f * s->def.size.y };
}

// Square of the natural frequency [1/s^2].
static double stiffness(const TarnSlosh* s, int axis)
{
    double k = 3.141592653589793 / length(s, axis);
    return s->def.gravity * k * (double)tarn_tanh((float)(k * tarn_slosh_depth(s)));
}

// A plane of slope 1 has this first moment of its heights about the center [m^4].
static double moment(const TarnSlosh* s, int axis)
{
    double l = length(s, axis);
    return area(s) * l * l / 12.0;
}

// ---- Step ----------------------------------------------------------------------------------------

// Water may not bare more than the edge of the floor. Returns true if it would have.
static bool limit(TarnSlosh* s, int axis)
{
    Mode* m = &s->mode[axis];
    double most = (double)tarn_slosh_depth(s) / length(s, axis), // at each side half the depth
        fastest = 100.0 * most;
    bool is_steep = fabs(m->slope) > most, is_fast = fabs(m->rate) > fastest;
    if (is_steep) {
        m->slope = m->slope > 0.0 ? most : -most;
        if (m->rate * m->slope > 0.0) m->rate = 0.0; // it runs against the rim
    }
    if (is_fast) m->rate = m->rate > 0.0 ? fastest : -fastest;
    return is_steep || is_fast;
}

// Mean slope and mean rate over the step are those that the step itself leads to.
static void swing(TarnSlosh* s, int axis, double dt)
{
    Mode* m = &s->mode[axis];
    double w2 = stiffness(s, axis), half = 0.5 * dt, d = s->params.damping;
    double calm = axis == 0 ? (double)s->params.tilt.x : (double)s->params.tilt.y;
    double a = m->slope - calm;
    double rate = (m->rate * (1.0 - half * d - half * half * w2) - dt * w2 * a) /
                  (1.0 + half * d + half * half * w2);
    m->slope += half * (m->rate + rate);
    m->rate = rate;
}

TarnResult tarn_slosh_step(TarnSlosh* s, float dt, TarnStepReport* report)
{
    TarnStepReport done = { .substeps = 1, .time_advanced = dt };
    if (report) *report = (TarnStepReport){ 0 };
    if (s == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) // written so that NaN fails it too
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "tarn_slosh_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    for (int axis = 0; axis < 2; ++axis) {
        swing(s, axis, dt);
        if (!limit(s, axis)) continue;
        done.flags |= TARN_STEP_CLAMPED;
        done.limited = (TarnStepLimit){ .what = "slope",
                                        .solver = "slosh",
                                        .unit = "",
                                        .limit = (float)fabs(s->mode[axis].slope),
                                        .index = axis };
    }
    if (report) *report = done;
    return TARN_OK;
}

// ---- Surface -------------------------------------------------------------------------------------

// Points outside take the value of the nearest edge; a NaN is the lowest coordinate.
static float inside(float x, float lo, float hi)
{
    return x > lo ? (x < hi ? x : hi) : lo;
}

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnSlosh* s = self;
    TarnVec2 c = center(s), a = tarn_slosh_slope(s),
             half = { 0.5f * s->def.size.x, 0.5f * s->def.size.y };
    float depth = tarn_slosh_depth(s);
    for (int i = 0; i < n; ++i) {
        float px = inside(x[i] - c.x, -half.x, half.x), pz = inside(z[i] - c.y, -half.y, half.y);
        float h = depth + a.x * px + a.y * pz;
        if (out->height) out->height[i] = s->def.floor + h;
        if (out->depth) out->depth[i] = tarn_maxf(h, 0.0f);
        if (out->normal) out->normal[i] = vec3_normalize((TarnVec3){ -a.x, 1.0f, -a.y });
        if (out->velocity == NULL) continue;
        // The center of mass goes where the slope rises; see push.
        double u[2];
        for (int axis = 0; axis < 2; ++axis)
            u[axis] = s->mode[axis].rate * moment(s, axis) / tarn_slosh_volume(s);
        out->velocity[i] =
            (TarnVec3){ (float)u[0], (float)(s->mode[0].rate * px + s->mode[1].rate * pz),
                        (float)u[1] };
    }
}

static bool where(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnSlosh* s = self;
    *min = s->def.origin;
    *max = (TarnVec2){ min->x + s->def.size.x, min->y + s->def.size.y };
    return true;
}

// The share of an impulse [N s] that each mode feels: along the floor it moves the center of mass, whose speed is the
// rate times moment / volume; downwards it does the work of a force at its place on the plane.
static void kick(TarnSlosh* s, TarnVec2 at, TarnVec3 impulse)
{
    TarnVec2 c = center(s);
    const double arm[2] = { at.x - c.x, at.y - c.y }, along[2] = { impulse.x, impulse.z };
    for (int axis = 0; axis < 2; ++axis) {
        double weight = s->params.density * moment(s, axis); // [kg m]
        s->mode[axis].rate += along[axis] / weight;
        s->mode[axis].rate += impulse.y * arm[axis] * stiffness(s, axis) / s->def.gravity / weight;
        limit(s, axis);
    }
}

static TarnVec2 held(const TarnSlosh* s, TarnVec2 at) // to the box
{
    TarnVec2 lo, hi;
    where(s, &lo, &hi);
    return (TarnVec2){ inside(at.x, lo.x, hi.x), inside(at.y, lo.y, hi.y) };
}

static void lean(TarnSlosh* s, TarnVec2 at, double volume) // more water at one side
{
    TarnVec2 c = center(s);
    s->mode[0].slope += volume * ((double)at.x - c.x) / moment(s, 0);
    s->mode[1].slope += volume * ((double)at.y - c.y) / moment(s, 1);
    limit(s, 0);
    limit(s, 1);
}

static TarnResult push(void* self, const TarnSurfacePush* p, TarnSurfaceTaken* taken)
{
    TarnSlosh* s = self;
    TarnVec2 to = held(s, p->center);
    lean(s, to, p->volume);
    lean(s, held(s, p->from), -(double)p->volume);
    kick(s, to, p->impulse);
    *taken = (TarnSurfaceTaken){ p->volume, p->impulse };
    return TARN_OK;
}

// Never below a tenth of a millimeter, nor above 1000 m.
static TarnResult pour(void* self, const TarnSurfacePour* p, TarnSurfaceTaken* taken)
{
    TarnSlosh* s = self;
    double now = tarn_slosh_volume(s), least = 1e-4 * area(s) - now, most = 1e3 * area(s) - now;
    double volume = p->volume > most ? most : p->volume < least ? least : p->volume;
    TarnVec2 at = held(s, p->center);
    s->poured += volume;
    *taken = (TarnSurfaceTaken){ .volume = volume };
    lean(s, at, volume);
    if (volume <= 0.0) return TARN_OK;
    kick(s, at, p->impulse);
    taken->impulse = p->impulse;
    return TARN_OK;
}

TarnSurface tarn_slosh_surface(const TarnSlosh* slosh)
{
    if (slosh == NULL) return (TarnSurface){ 0 };
    return (TarnSurface){ slosh, query, where, push, pour, 0.0 };
}

// ---- State ---------------------------------------------------------------------------------------

static uint64_t def_hash(const TarnSlosh* s)
{
    return tarn__param_hash(&def_table, &s->def, 0);
}

uint64_t tarn_slosh_hash(const TarnSlosh* s)
{
    if (s == NULL) return 0;
    uint64_t h = tarn__param_hash(&params_table, &s->params, def_hash(s));
    h = tarn_hash(s->mode, sizeof s->mode, h); // doubles only: no padding
    return tarn_hash(&s->poured, sizeof s->poured, h);
}

TarnResult tarn_slosh_save(const TarnSlosh* s, void* buffer, size_t capacity, size_t* size)
{
    if (s == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(s->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write(&w, &s->params, sizeof s->params); // floats only: no padding
    for (int axis = 0; axis < 2; ++axis) {
        tarn__write_f64(&w, s->mode[axis].slope);
        tarn__write_f64(&w, s->mode[axis].rate);
    }
    tarn__write_f64(&w, s->poured);
    return tarn__snapshot_end(s->ctx, &w, "slosh", def_hash(s), size);
}

// All is read and checked before anything is taken over.
TarnResult tarn_slosh_load(TarnSlosh* slosh, const void* buffer, size_t size)
{
    TarnReader r;
    if (slosh == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__snapshot_open(slosh->ctx, buffer, size, "slosh", def_hash(slosh), &r));
    TarnSlosh next = *slosh;
    tarn__read(&r, &next.params, sizeof next.params);
    for (int axis = 0; axis < 2; ++axis) {
        next.mode[axis].slope = tarn__read_f64(&r);
        next.mode[axis].rate = tarn__read_f64(&r);
    }
    next.poured = tarn__read_f64(&r);
    bool is_good = !r.is_bad && r.at == r.size &&
                   tarn_param_validate(NULL, &params_table, &next.params) == TARN_OK &&
                   next.poured > -area(&next) * next.def.depth && next.poured < 1e3 * area(&next);
    for (int axis = 0; axis < 2 && is_good; ++axis) {
        const Mode* m = &next.mode[axis];
        is_good = fabs(m->slope) < 1e9 && fabs(m->rate) < 1e9 && !limit(&next, axis);
    }
    if (!is_good)
        return tarn__fail(slosh->ctx, TARN_ERR_DATA, "snapshot of a slosh: it is damaged");
    *slosh = next;
    return TARN_OK;
}
