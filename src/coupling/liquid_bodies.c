// Bodies in liquids of particles: each body is a solid of the liquid's set that has a mass.
//
// Method   The liquid solves contacts between particles and solids together with its own constraints,
//          with the masses of both sides (tarn__solids_set_mass) and from the velocities that both would
//          have without each other (tarn__solids_predict). The impulses that it found are handed to the
//          bodies as one force over the step, so that what moves them, tarn_bodies_step or an engine,
//          ends at the velocities that the liquid solved for. Buoyancy and drag need no formula:
//          they are what the particles push.
//          In 2-D a body counts as its section at z = 0, as thick as the liquid's slice: the liquid
//          is told a mass of that, and forces are scaled back to the body's own mass. A sphere and a box
//          of the liquid's density both hover then.
//          Light bodies carry some of the water's mass along (least_inertia): particles weigh more than
//          they do, and what the liquid pushes in one step would throw them about.
// Tried    Pressure samples on the surface [Akinci2012] need boundary particles per body and a second
//          solve for light bodies; impulses at the contacts have neither.
// Source   [Gustafsson2014] for contacts in the liquid's own iterations.
// Checked  tests/unit/test_liquid_bodies.c; tests/physics: floating depth.
// Cost     per body and step below a microsecond, besides the contacts of the liquid.

#include "tarn/coupling.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "coupling/body_section.h"
#include "liquid/liquid_internal.h"

// ---- The solid of a body -------------------------------------------------------------------------

// Coulomb's friction with liquid that presses on a body. It must be small: particles beside a body that fall
// a little in each substep, and are lifted again where no velocity tells of it, hang on it by all that
// friction can hold. With 0.1 a box of 750 kg/m^3 and 0.6 m floated 3 cm too deep in dfsph, with 0.3
// 6 cm. What drags a body is the liquid in front of it, not beside it.
static const float body_friction = 0.01f;

// The convex shape of a body. planes: room for those of a hull.
static void describe(const TarnBody* body, TarnPlane* planes, TarnSolidDef* def)
{
    enum { MOST_PLANES = 64 }; // of a convex solid
    def->friction = body_friction;
    if (body->shape.kind != TARN_SHAPE_HULL) {
        def->shape = body->shape;
        // In the plane a thin board would be left by its near faces at +-z, which are none.
        if (body->freedom == TARN_BODY_PLANAR && body->shape.kind == TARN_SHAPE_BOX)
            def->shape.size.z = tarn_maxf(def->shape.size.z, 4.0f * body->radius);
    } else if (body->n_planes <= MOST_PLANES) {
        for (int i = 0; i < body->n_planes; ++i)
            planes[i] = (TarnPlane){ body->planes[i].normal, body->planes[i].offset };
        def->shape = tarn_shape_convex(planes, body->n_planes);
    } else {
        def->shape =
            tarn_shape_mesh(body->points, body->shape.n_points, body->triangles, body->n_triangles);
    }
}

// Takes the place of the one before it.
static TarnResult put(TarnSolids* solids, TarnBodies* bodies, int slot, TarnSolidDef* def)
{
    const TarnBody* body = tarn__bodies_slot(bodies, slot);
    BodySolid* solid = tarn__bodies_solid(bodies, slot);
    TarnSolidId id;
    def->motion = body->state;
    TARN_TRY(tarn_solids_add(solids, def, &id));
    tarn__solids_set_body(solids, tarn__solids_slot(solids, id));
    tarn__bodies_use_solids(bodies, tarn__solids_owner(solids));
    TarnSolidId old = { solid->id };
    *solid = (BodySolid){ .id = id.value, .generation = body->generation };
    if (tarn__solids_slot(solids, old) >= 0) tarn_solids_remove(solids, old);
    return TARN_OK;
}

// The slot of the body's solid in the set; -1: none.
static int solid_slot(const TarnSolids* solids, TarnBodies* bodies, int slot)
{
    const TarnBody* body = tarn__bodies_slot(bodies, slot);
    const BodySolid* solid = tarn__bodies_solid(bodies, slot);
    if (!body->is_used || solid->id == 0 || solid->generation != body->generation) return -1;
    return tarn__solids_slot(solids, (TarnSolidId){ solid->id });
}

static void forget(TarnSolids* solids, TarnBodies* bodies, int slot)
{
    BodySolid* solid = tarn__bodies_solid(bodies, slot);
    TarnSolidId id = { solid->id };
    if (tarn__solids_slot(solids, id) >= 0) tarn_solids_remove(solids, id);
    *solid = (BodySolid){ 0 };
}

static TarnResult prepare(TarnSolids* solids, TarnBodies* bodies)
{
    tarn__bodies_use_solids(bodies, tarn__solids_owner(solids));
    for (int slot = 0; slot < tarn__bodies_capacity(bodies); ++slot) {
        const TarnBody* body = tarn__bodies_slot(bodies, slot);
        if (solid_slot(solids, bodies, slot) >= 0) continue;
        forget(solids, bodies, slot);
        if (!body->is_used || body->shape.kind == TARN_SHAPE_SPAN) continue;
        TarnSolidDef def = tarn_solid_default_def();
        TarnPlane planes[BODY_MAX_PLANES];
        describe(body, planes, &def);
        def.user = (uint32_t)TARN_COUPLE_SOLID_USER + (uint32_t)slot;
        TARN_TRY(put(solids, bodies, slot, &def));
    }
    return TARN_OK;
}

TarnResult tarn_couple_solids_prepare(TarnSolids* solids, TarnBodies* bodies)
{
    return solids && bodies ? prepare(solids, bodies) : TARN_ERR_ARG;
}

TarnResult tarn_couple_solid_shape(TarnSolids* solids, TarnBodies* bodies, TarnBodyId id,
                                   const TarnSolidDef* shape)
{
    if (solids == NULL || bodies == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = tarn__bodies_context(bodies);
    int slot = tarn__bodies_slot_of(bodies, id);
    if (slot < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body: the id is null, stale or belongs to another set");
    if (shape == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "shape: it is NULL; pass the def of a solid");
    TarnSolidDef def = *shape;
    TARN_TRY(put(solids, bodies, slot, &def)); // or refuses, and all is as before
    tarn__bodies_solid(bodies, slot)->is_own = true;
    return TARN_OK;
}

TarnSolidId tarn_couple_solid_of(TarnBodies* bodies, TarnBodyId id)
{
    int slot = bodies ? tarn__bodies_slot_of(bodies, id) : -1;
    if (slot < 0) return (TarnSolidId){ 0 };
    const BodySolid* solid = tarn__bodies_solid(bodies, slot);
    bool is_mine = solid->generation == tarn__bodies_slot(bodies, slot)->generation;
    return (TarnSolidId){ is_mine ? solid->id : 0 };
}

TarnBodyId tarn_couple_body_of(TarnBodies* bodies, TarnSolidId id)
{
    for (int slot = 0; bodies && id.value != 0 && slot < tarn__bodies_capacity(bodies); ++slot) {
        const TarnBody* body = tarn__bodies_slot(bodies, slot);
        const BodySolid* solid = tarn__bodies_solid(bodies, slot);
        bool is_it =
            body->is_used && solid->id == id.value && solid->generation == body->generation;
        if (is_it) return tarn__bodies_id(bodies, slot);
    }
    return (TarnBodyId){ 0 };
}

// ---- Sections --------------------------------------------------------------------------------------

// Area in which the surface meets the plane z = 0 [m^2]: the shoelace formula over the cut triangles. *outline: of it
// [m].
static double cut_area(const TarnBody* body, double* outline)
{
    BodyTriangle triangles[BODY_MAX_SURFACE];
    int n = tarn__body_surface(body, triangles);
    double area = 0.0, z0 = -body->state.position.z;
    *outline = 0.0;
    for (int t = 0; t < n; ++t) {
        double px[2], py[2];
        int found = 0;
        bool is_up = false; // does the first crossing go up along z?
        for (int e = 0; e < 3 && found < 2; ++e) {
            TarnVec3 a = triangles[t].p[e], b = triangles[t].p[(e + 1) % 3];
            if ((a.z < z0) == (b.z < z0)) continue;
            double s = (z0 - a.z) / ((double)b.z - a.z);
            if (found == 0) is_up = a.z < z0;
            px[found] = a.x + s * ((double)b.x - a.x);
            py[found++] = a.y + s * ((double)b.y - a.y);
        }
        if (found < 2) continue;
        double cross = px[0] * py[1] - px[1] * py[0];
        area += is_up ? cross : -cross;
        double dx = px[1] - px[0], dy = py[1] - py[0];
        *outline += sqrt(dx * dx + dy * dy);
    }
    return 0.5 * fabs(area);
}

double tarn__body_section(const TarnBody* body)
{
    const double pi = 3.141592653589793;
    double outline, r = body->shape.size.x, z = body->state.position.z, half = body->shape.size.y;
    double chord2 = r * r - z * z;
    bool is_round = body->shape.kind == TARN_SHAPE_SPHERE || body->shape.kind == TARN_SHAPE_CAPSULE;
    if (is_round && !(chord2 > 0.0)) return 0.0;
    if (body->shape.kind == TARN_SHAPE_SPHERE) return pi * chord2;
    bool is_flat = fabsf(body->rotation[7]) < 1e-3f; // is the capsule's axis in the plane?
    if (body->shape.kind == TARN_SHAPE_CAPSULE && is_flat)
        return pi * chord2 + 4.0 * half * sqrt(chord2);
    return cut_area(body, &outline);
}

// The body's mass over the mass that the liquid is told.
static double share_of(const TarnLiquid* liquid, const TarnBody* body, bool is_own)
{
    if (liquid->def.dimensions == 3 || is_own) return 1.0;
    double slice = tarn__body_section(body) * liquid->def.thickness;
    double share = slice > 0.0 ? body->volume / slice : 1.0;
    return share < 1e-6 ? 1e-6 : share > 1e6 ? 1e6 : share;
}

// Surface of the body [m^2].
static double skin(const TarnBody* body)
{
    BodyTriangle triangles[BODY_MAX_SURFACE];
    int n = tarn__body_surface(body, triangles);
    double sum = 0.0;
    for (int t = 0; t < n; ++t) {
        const TarnVec3* p = triangles[t].p;
        sum += 0.5 * vec3__length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
    }
    return sum;
}

// ---- Added mass --------------------------------------------------------------------------------------

// Nothing in water has less inertia than this share of what it displaces. It changes how light bodies speed
// up, not where they come to rest; a body that is held by something else feels its forces smaller by as much.
// The water that a body carries along is in the solves of these methods, so that little is enough: at 0.02
// dfsph and pcisph are calm yet, but constraint, whose sweeps are few, flings a box of 20 kg/m^3 at 0.1 (9
// m/s). Methods without such a solve need more.
static float least_inertia(int method)
{
    if (method == TARN_LIQUID_CONSTRAINT) return 0.35f;
    return method == TARN_LIQUID_DFSPH || method == TARN_LIQUID_PCISPH ? 0.1f : 1.0f;
}

// The body's inertia over the one it has with the water that it carried in the last step.
static float ease_of(const TarnLiquid* liquid, const TarnBody* body)
{
    float wet = tarn_clampf(3.0f * body->liquid_volume / body->volume, 0.0f, 1.0f);
    float least = least_inertia(liquid->def.method);
    float lacking = least * liquid->kinds[0].density - body->density; // [kg/m^3]
    return lacking > 0.0f ? body->density / (body->density + wet * lacking) : 1.0f;
}

// ---- There ---------------------------------------------------------------------------------------------

// A body that jumped (the host set its state) is put to its place; else it sweeps what is in between.
static TarnResult follow(TarnSolids* solids, TarnSolidId id, const TarnBody* body, float dt)
{
    TarnSolidDef was;
    TARN_TRY(tarn_solids_get(solids, id, &was));
    TarnVec3 way = vec3_sub(body->state.position, was.motion.position);
    float speed = vec3_length(body->state.velocity) + vec3_length(was.motion.velocity);
    float plausible = 2.0f * speed * dt + 0.5f * body->radius;
    if (vec3_length(way) > plausible) return tarn_solids_place(solids, id, &body->state);
    return tarn_solids_move(solids, id, &body->state);
}

// What the liquid needs to know: inverse masses, and how the body would move without it.
static void tell(TarnSolids* solids, int at, const TarnBodies* bodies, const TarnBody* body,
                 float share, float ease)
{
    SolidMass mass = { 0 };
    if (!body->is_driven) {
        // A hinged body goes nowhere, and still it reacts: 0 would say that it does not turn, either.
        float reacts = body->freedom == TARN_BODY_HINGE ? 1e-12f : 1.0f;
        mass.inverse_mass = share * ease * reacts / body->mass;
        for (int c = 0; c < 3; ++c) {
            TarnVec3 unit = { c == 0, c == 1, c == 2 };
            TarnVec3 column = vec3_scale(tarn__body_inertia_inv(body, unit), share * ease);
            mass.inverse_inertia[c] = column.x;
            mass.inverse_inertia[3 + c] = column.y;
            mass.inverse_inertia[6 + c] = column.z;
        }
        TarnVec3 others = vec3_add(body->added_force, body->force.force); // host, other waters
        TarnVec3 turn = vec3_add(body->added_torque, body->force.torque);
        TarnVec3 pull = vec3_scale(others, 1.0f / body->mass);
        pull = tarn__body_free_part(body, vec3_add(pull, tarn__bodies_gravity(bodies)));
        mass.acceleration = vec3_scale(pull, ease);
        mass.angular_acceleration = vec3_scale(tarn__body_inertia_inv(body, turn), ease);
    }
    tarn__solids_set_mass(solids, at, &mass);
    tarn__solids_predict(solids, at, body->state.velocity, body->state.angular_velocity);
}

// ---- And back ------------------------------------------------------------------------------------------

// How much of the body is under water, by what the particles around it say (tarn__solids_add_wet): they see it as if
// it was 0.82 spacings larger, by the ratio of its surface to its volume.
static float wet_volume(const TarnLiquid* liquid, const TarnBody* body, double wet)
{
    double grown = 0.82 * liquid->def.spacing, volume = body->volume, more;
    if (!(wet > 0.0)) return 0.0f;
    if (liquid->def.dimensions == 3) {
        more = 1.0 + grown * skin(body) / (3.0 * volume);
        more *= more * more;
    } else {
        double outline, section = cut_area(body, &outline);
        if (!(section > 0.0)) return 0.0f;
        volume = section * liquid->def.thickness;
        more = 1.0 + 0.5 * grown * outline / section;
        more *= more;
    }
    double share = wet / (volume * more);
    return share < 1.0 ? (float)(body->volume * share) : body->volume;
}

// Speed of the fastest particle [m/s].
static float fastest_of(const TarnLiquid* l)
{
    float most = 0.0f;
    for (int p = 0; p < l->n; ++p)
        most = tarn_maxf(most, l->vx[p] * l->vx[p] + l->vy[p] * l->vy[p] + l->vz[p] * l->vz[p]);
    return sqrtf(most);
}

// Water does not throw a body faster than waves of its size are, beyond the speed that it takes away and the speed
// that the water came with. What remains of an impulse after that; 1: all of it.
static float within(float change, float speed, float wave)
{
    float most = 2.0f * speed + wave;
    return change > most ? most / change : 1.0f;
}

static float plausible_share(const TarnBodies* bodies, const TarnBody* body, TarnVec3 velocity,
                             TarnVec3 spin, float fastest)
{
    float g = vec3_length(tarn__bodies_gravity(bodies));
    float wave = sqrtf((g + 1.0f) * body->radius) + fastest;
    float a = within(vec3_length(velocity), vec3_length(body->state.velocity), wave);
    float b =
        within(vec3_length(spin), vec3_length(body->state.angular_velocity), wave / body->radius);
    return tarn_minf(a, b);
}

// The liquid's impulses as a force. The mover knows the body's own inertia only, so that what gravity and
// the host do is eased here, too: (m g + f) / m becomes (m g + f) ease / m.
static TarnBodyForce force_of(const TarnLiquid* liquid, const TarnBodies* bodies,
                              const TarnBody* body, int slot, const BodySolid* before, float share,
                              double wet, float fastest, TarnStepReport* report)
{
    TarnSolidId id = { before->id };
    const float most = 1e20f; // what bodies take
    double dt = report->time_advanced;
    TarnSolidPush push = { 0 };
    TarnBodyForce force = { 0 };
    if (tarn_solids_get_push(liquid->solids, id, &push) != TARN_OK || !(dt > 0.0)) return force;
    push.impulse = vec3_sub(push.impulse, before->impulse);
    push.angular_impulse = vec3_sub(push.angular_impulse, before->angular_impulse);
    float ease = body->is_driven ? 1.0f : ease_of(liquid, body), less = ease - 1.0f;
    float own = share * ease;
    TarnVec3 gain = vec3_scale(push.impulse, own / body->mass);
    TarnVec3 turn = tarn__body_inertia_inv(body, vec3_scale(push.angular_impulse, own));
    float kept = body->is_driven ? 1.0f : plausible_share(bodies, body, gain, turn, fastest);
    if (kept < 1.0f) {
        TarnStepLimit limited = { .what = "push",
                                  .solver = "liquid",
                                  .unit = "of a body's push",
                                  .limit = kept,
                                  .index = slot,
                                  .position = body->state.position };
        report->flags |= TARN_STEP_CLAMPED;
        tarn__report_limit(report, &limited);
    }
    float scale = (float)((double)own * kept / dt);
    TarnVec3 pull = vec3_scale(tarn__bodies_gravity(bodies), body->mass);
    TarnVec3 others = vec3_add(body->added_force, body->force.force); // host, other waters
    TarnVec3 spin = vec3_add(body->added_torque, body->force.torque);
    force.force =
        vec3_add(vec3_scale(push.impulse, scale), vec3_scale(vec3_add(pull, others), less));
    force.torque = vec3_add(vec3_scale(push.angular_impulse, scale), vec3_scale(spin, less));
    const float f[6] = { force.force.x,  force.force.y,  force.force.z,
                         force.torque.x, force.torque.y, force.torque.z };
    if (!tarn__all_within(f, 6, most)) return (TarnBodyForce){ 0 };
    force.submerged_volume = wet_volume(liquid, body, wet);
    return force;
}

static TarnResult check(const TarnLiquid* liquid, const TarnBodies* bodies, float dt)
{
    if (liquid == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = liquid->ctx;
    if (bodies == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "bodies: it is NULL; pass a set of bodies");
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(ctx, TARN_ERR_ARG, "dt: %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (liquid->solids == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "liquid: it has no set of solids for the bodies; call "
                          "tarn_liquid_set_solids first");
    return TARN_OK;
}

static TarnResult follow_all(TarnSolids* solids, TarnBodies* bodies, float dt)
{
    TARN_TRY(prepare(solids, bodies));
    for (int slot = 0; slot < tarn__bodies_capacity(bodies); ++slot) {
        TarnSolidId id = { tarn__bodies_solid(bodies, slot)->id };
        if (solid_slot(solids, bodies, slot) < 0) continue;
        TARN_TRY(follow(solids, id, tarn__bodies_slot(bodies, slot), dt));
    }
    return TARN_OK;
}

TarnResult tarn_couple_solids_bodies(TarnSolids* solids, TarnBodies* bodies, float dt)
{
    if (solids == NULL || bodies == NULL) return TARN_ERR_ARG;
    if (dt >= 0.0f && dt <= 10.0f) return follow_all(solids, bodies, dt);
    return tarn__fail(tarn__bodies_context(bodies), TARN_ERR_ARG,
                      "dt: %g s is out of range; allowed: 0 to 10 s", (double)dt);
}

// Several liquids may share a set of solids: each counts what it adds to the push of the frame.
static void note_push(const TarnSolids* solids, BodySolid* solid)
{
    TarnSolidPush push = { 0 };
    tarn_solids_get_push(solids, (TarnSolidId){ solid->id }, &push);
    solid->impulse = push.impulse;
    solid->angular_impulse = push.angular_impulse;
}

TarnResult tarn_couple_liquid_bodies(TarnLiquid* liquid, TarnBodies* bodies, float dt,
                                     TarnStepReport* report)
{
    TarnStepReport own = { 0 };
    if (report == NULL) report = &own;
    *report = own;
    TARN_TRY(check(liquid, bodies, dt));
    TarnSolids* solids = liquid->solids;
    TARN_TRY(follow_all(solids, bodies, dt));
    tarn__bodies_open_forces(bodies);
    int n = tarn__bodies_capacity(bodies);
    for (int slot = 0; slot < n; ++slot) {
        const TarnBody* body = tarn__bodies_slot(bodies, slot);
        bool is_own = tarn__bodies_solid(bodies, slot)->is_own;
        int at = solid_slot(solids, bodies, slot);
        if (at < 0) continue;
        float share = (float)share_of(liquid, body, is_own), ease = ease_of(liquid, body);
        tell(solids, at, bodies, body, share, ease);
        note_push(solids, tarn__bodies_solid(bodies, slot));
    }
    float fastest = fastest_of(liquid);
    TarnResult result = tarn_liquid_step(liquid, dt, report);
    for (int slot = 0; slot < n; ++slot) {
        TarnBody* body = tarn__bodies_slot(bodies, slot);
        const BodySolid* solid = tarn__bodies_solid(bodies, slot);
        int at = solid_slot(solids, bodies, slot);
        if (at < 0) continue;
        double wet = tarn__solids_wet(solids, at);
        // Gases and particles that share the set must not see what this liquid was told: another one asks anew.
        tarn__solids_release(solids, at);
        if (result != TARN_OK) continue;
        float share = (float)share_of(liquid, body, solid->is_own);
        TarnBodyForce force =
            force_of(liquid, bodies, body, slot, solid, share, wet, fastest, report);
        body->liquid_volume = force.submerged_volume;
        tarn__body_add_force(body, force);
    }
    return result;
}
