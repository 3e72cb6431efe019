// Linkages: driven bodies that move together, as a lever and its gate or a bucket and the weight at the other end
// of its rope do. A class like any other, on top of worlds.
//
// Method   One degree of freedom: the share of the way. The velocity of a body is the rate of the share times its
//          move and its turn, so by the principle of virtual work its forces act on the rate as
//              (sum m move^2 + I turn^2) rate' = sum (F + m g) . move + T . turn
//          less friction and damping. There is no joint to drift apart.
// Differs  from free bodies: the liquid treats these as moved by the host, so that the mass of the liquid that
//          they carry along is not in the sum. A bucket should not hold much more than the linkage weighs.
// Checked  tests/unit/test_linkage.c, tests/unit/test_switches.c.

#include "tarn/show.h"
#include "base/base.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "base/snapshot.h"
#include "bodies/bodies.h"

typedef struct Part {
    TarnLinkagePartDef def;
    TarnBodyState rest; // where it is at the beginning of the way
} Part;

struct TarnLinkage {
    TarnContext* ctx;
    TarnLinkageDef def;
    TarnBodies* bodies; // NULL until it has joined a world
    double share;       // of the way, 0 to 1
    double rate;        // [1/s]
    int n_parts;
    Part parts[TARN_LINKAGE_PARTS];
};

static const float max_speed = 100.0f, max_turn = 50.0f; // of a part [m/s], [rad/s]

static const TarnParam linkage_params[] = {
    P_FLOAT(TarnLinkageDef, friction, "J", 0, 1e9, 0,
            "Work of dry friction along the whole way; smaller forces do not move the linkage."),
    P_FLOAT(TarnLinkageDef, damping, "1/s", 0, 1e3, 1, "Rate at which the motion decays."),
};
static const TarnParamTable linkage_table = PARAM_TABLE("linkage", TarnLinkageDef, linkage_params);
static const TarnParam part_params[] = {
    P_VEC3(TarnLinkagePartDef, move, "m", -1e3, 1e3, 0, 0, 0,
           "How far the body moves along the whole way."),
    P_ANGLE(TarnLinkagePartDef, turn, "deg", -3600, 3600, 0,
            "How far the body turns about z along the whole way, counter-clockwise."),
};
static const TarnParamTable part_table =
    PARAM_TABLE("linkage_part", TarnLinkagePartDef, part_params);

const TarnParamTable* tarn_linkage_def_table(void)
{
    return &linkage_table;
}
const TarnParamTable* tarn_linkage_part_def_table(void)
{
    return &part_table;
}
void tarn_linkage_init_def(TarnLinkageDef* out, size_t size)
{
    TarnLinkageDef def = { 0 };
    tarn_param_defaults(&linkage_table, &def);
    TARN_INIT_DEF(TarnLinkageDef, out, size, &def);
}
void tarn_linkage_part_init_def(TarnLinkagePartDef* out, size_t size)
{
    TarnLinkagePartDef def = { 0 };
    tarn_param_defaults(&part_table, &def);
    TARN_INIT_DEF(TarnLinkagePartDef, out, size, &def);
}

// ---- Parts -----------------------------------------------------------------------------------------

TarnResult tarn_linkage_add_part(TarnLinkage* linkage, const TarnLinkagePartDef* def)
{
    if (linkage == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = linkage->ctx;
    TARN_TRY(TARN_CHECK_DEF(ctx, "linkage_part", "tarn/show.h", TarnLinkagePartDef,
                            tarn_linkage_part_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &part_table, def));
    if (linkage->bodies == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "linkage: it is in no world; add it to one first");
    if (!tarn_bodies_is_driven(linkage->bodies, def->body))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "linkage: the body is not a driven body of this world; make it driven");
    if (vec3_length(def->move) == 0.0f && def->turn == 0.0f)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "linkage: the part neither moves nor turns; set move or turn");
    if (linkage->n_parts == TARN_LINKAGE_PARTS)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "linkage: it has %d parts already, which is the maximum",
                          TARN_LINKAGE_PARTS);
    Part part = { .def = *def };
    TARN_TRY(tarn_bodies_get_state(linkage->bodies, def->body, &part.rest));
    linkage->parts[linkage->n_parts++] = part;
    return TARN_OK;
}

static TarnBodyState state_of(const TarnLinkage* linkage, const Part* part)
{
    const TarnVec3 axis = { 0.0f, 0.0f, 1.0f };
    float share = (float)linkage->share, rate = (float)linkage->rate;
    TarnBodyState out = part->rest;
    out.position = vec3_add(out.position, vec3_scale(part->def.move, share));
    out.velocity = vec3_scale(part->def.move, rate);
    TarnQuat turn = quat_from_axis_angle(axis, part->def.turn * share);
    if (part->def.turn != 0.0f)
        out.rotation = quat_normalize(quat_multiply(turn, part->rest.rotation));
    out.angular_velocity = vec3_scale(axis, part->def.turn * rate);
    return out;
}

// Bodies that are gone are passed over: their ids are stale.
static void place_parts(const TarnLinkage* linkage)
{
    for (int i = 0; i < linkage->n_parts; ++i) {
        const Part* part = &linkage->parts[i];
        if (!tarn_bodies_is_driven(linkage->bodies, part->def.body)) continue;
        TarnBodyState state = state_of(linkage, part);
        tarn_bodies_set_state(linkage->bodies, part->def.body, &state);
    }
}

// ---- Motion ----------------------------------------------------------------------------------------

typedef struct Sums {
    double inertia; // [kg m^2]
    double work;    // of forces and weight along the whole way [J]
} Sums;

static Sums sum_up(const TarnLinkage* linkage, float gravity)
{
    Sums sums = { 0.0, 0.0 };
    for (int i = 0; i < linkage->n_parts; ++i) {
        const TarnLinkagePartDef* def = &linkage->parts[i].def;
        int slot = tarn__bodies_slot_of(linkage->bodies, def->body);
        if (slot < 0) continue;
        const TarnBody* body = tarn__bodies_slot(linkage->bodies, slot);
        const TarnVec3 axis = { 0.0f, 0.0f, 1.0f };
        double mass = body->mass, ease = vec3_dot(axis, tarn__body_inertia_inv(body, axis));
        double way2 = vec3_dot(def->move, def->move), turn = def->turn;
        sums.inertia += mass * way2 + (ease > 0.0 ? turn * turn / ease : 0.0);
        sums.work += (double)vec3_dot(body->force.force, def->move) +
                     (double)body->force.torque.z * turn - mass * gravity * (double)def->move.y;
    }
    return sums;
}

// The rate at which its fastest part is at a limit.
static double fastest(const TarnLinkage* linkage)
{
    double most = 1e6;
    for (int i = 0; i < linkage->n_parts; ++i) {
        const TarnLinkagePartDef* def = &linkage->parts[i].def;
        double move = vec3_length(def->move), turn = fabs((double)def->turn);
        if (move > 0.0 && max_speed / move < most) most = max_speed / move;
        if (turn > 0.0 && max_turn / turn < most) most = max_turn / turn;
    }
    return most;
}

// Friction takes at most all of the rate: it stops, and never turns around.
static void advance(TarnLinkage* linkage, Sums sums, double dt)
{
    double rate = linkage->rate + dt * sums.work / sums.inertia;
    double brake = dt * (double)linkage->def.friction / sums.inertia;
    rate = rate > brake ? rate - brake : rate < -brake ? rate + brake : 0.0;
    rate /= 1.0 + dt * (double)linkage->def.damping;
    double most = fastest(linkage);
    rate = rate > -most ? rate : -most; // written so that NaN becomes a number
    rate = rate < most ? rate : most;
    double share = linkage->share + dt * rate;
    if (share <= 0.0 || share >= 1.0) rate = 0.0;
    linkage->share = share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0;
    linkage->rate = rate;
}

static TarnResult linkage_step(void* solver, const TarnAround* around, float dt,
                               TarnStepReport* report)
{
    TarnLinkage* linkage = solver;
    *report = (TarnStepReport){ .substeps = 1, .time_advanced = dt };
    linkage->bodies = around->bodies;
    Sums sums = sum_up(linkage, around->gravity);
    if (!(sums.inertia > 0.0)) return TARN_OK; // no parts, or none is left
    advance(linkage, sums, dt);
    place_parts(linkage);
    return TARN_OK;
}

float tarn_linkage_share(const TarnLinkage* linkage)
{
    return linkage ? (float)linkage->share : 0.0f;
}

// ---- The class -------------------------------------------------------------------------------------

static void linkage_init_def(void* def)
{
    *(TarnLinkageDef*)def = tarn_linkage_default_def();
}

static size_t linkage_memory(const void* def)
{
    return tarn_param_validate(NULL, &linkage_table, def) == TARN_OK ? sizeof(TarnLinkage) : 0;
}

static TarnResult linkage_create(TarnContext* ctx, const void* def, void** out)
{
    *out = NULL;
    TARN_TRY(TARN_CHECK_DEF(ctx, "linkage", "tarn/show.h", TarnLinkageDef, tarn_linkage_default_def,
                            (const TarnLinkageDef*)def));
    TARN_TRY(tarn_param_validate(ctx, &linkage_table, def));
    TarnLinkage* linkage = tarn__alloc(ctx, sizeof *linkage);
    if (linkage == NULL) return tarn__fail(ctx, TARN_ERR_MEMORY, "linkage: out of memory");
    *linkage = (TarnLinkage){ .ctx = ctx, .def = *(const TarnLinkageDef*)def };
    *out = linkage;
    return TARN_OK;
}

static void linkage_destroy(void* solver)
{
    TarnLinkage* linkage = solver;
    if (linkage) tarn__free(linkage->ctx, linkage, sizeof *linkage);
}

static TarnResult linkage_join(void* solver, const TarnAround* around)
{
    ((TarnLinkage*)solver)->bodies = around->bodies;
    return TARN_OK;
}

static void linkage_reset(void* solver)
{
    TarnLinkage* linkage = solver;
    linkage->share = linkage->rate = 0.0;
    if (linkage->bodies) place_parts(linkage);
}

static uint64_t hash_parts(const TarnLinkage* linkage)
{
    uint64_t h = tarn__param_hash(&linkage_table, &linkage->def, 0);
    for (int i = 0; i < linkage->n_parts; ++i)
        h = tarn__param_hash(&part_table, &linkage->parts[i].def, h);
    return h;
}

static uint64_t linkage_hash(const void* solver)
{
    const TarnLinkage* linkage = solver;
    const double state[2] = { linkage->share, linkage->rate };
    return tarn_hash(state, sizeof state, hash_parts(linkage));
}

// The parts are as the host has added them.
static TarnResult linkage_save(const void* solver, void* buffer, size_t capacity, size_t* size)
{
    const TarnLinkage* linkage = solver;
    if (size == NULL) return tarn__snapshot_no_size(linkage->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write_f64(&w, linkage->share);
    tarn__write_f64(&w, linkage->rate);
    return tarn__snapshot_end(linkage->ctx, &w, "linkage", hash_parts(linkage), size);
}

static TarnResult linkage_load(void* solver, const void* buffer, size_t size)
{
    TarnLinkage* linkage = solver;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(linkage->ctx, buffer, size, "linkage", hash_parts(linkage), &r));
    double share = tarn__read_f64(&r), rate = tarn__read_f64(&r);
    double most = fastest(linkage);
    bool is_good = share >= 0.0 && share <= 1.0 && rate >= -most && rate <= most;
    if (r.is_bad || r.at != r.size || !is_good)
        return tarn__fail(linkage->ctx, TARN_ERR_DATA, "linkage: the snapshot is damaged");
    linkage->share = share;
    linkage->rate = rate;
    return TARN_OK;
}

static const void* linkage_def(const void* solver)
{
    return &((const TarnLinkage*)solver)->def;
}

static double stat_share(const void* solver)
{
    return ((const TarnLinkage*)solver)->share;
}
static const TarnStat stats[] = { { "share", "",
                                    "How far the linkage has gone: 0 at the beginning of its way, "
                                    "1 at its end.",
                                    stat_share } };

static const TarnSolverClass linkage_class = {
    .size = sizeof(TarnSolverClass),
    .name = "linkage",
    .has_cookie = true,
    .about = "Driven bodies that move together: levers and gates, a bucket and a weight on a rope.",
    .phase = TARN_PHASE_EFFECTS,
    .def_table = tarn_linkage_def_table,
    .init_def = linkage_init_def,
    .create = linkage_create,
    .destroy = linkage_destroy,
    .step = linkage_step,
    .hash = linkage_hash,
    .save = linkage_save,
    .load = linkage_load,
    .reset = linkage_reset,
    .memory = linkage_memory,
    .def = linkage_def,
    .join = linkage_join,
    .stats = stats,
    .n_stats = 1,
};

const TarnSolverClass* tarn_linkage_class(void)
{
    return &linkage_class;
}
