// Chipmunk moves Tarn's bodies. See tarn_chipmunk.h.

#define _POSIX_C_SOURCE 200809L // dup
#include "tarn_chipmunk.h"
#include <chipmunk/chipmunk.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUBSTEPS = 4, ITERATIONS = 12, MAX_POINTS = 64 };
static const double far_away = 9999.0; // a wall of the box beyond it is no wall [m]

typedef struct Entry {
    TarnBodyId id; // 0: unused
    cpBody* body;
    cpShape* shape;
    cpConstraint* hinge;
    TarnBodyState told; // what the bridge wrote last; anything else came from the host
    bool is_seen;
} Entry;

struct TarnChipmunk {
    TarnBodies* bodies;
    cpSpace* space;
    Entry* entries;
    int capacity, refused;
    cpShape* walls[3];
    TarnVec3 box_min, box_max; // that the walls stand at
};

// ---- Walls -----------------------------------------------------------------------------------------

static cpShape* make_wall(TarnChipmunk* e, cpVect a, cpVect b)
{
    cpShape* wall = cpSegmentShapeNew(cpSpaceGetStaticBody(e->space), a, b, 1.0);
    cpShapeSetFriction(wall, 1.0); // the body's own decides: Chipmunk multiplies
    cpShapeSetElasticity(wall, 1.0);
    return cpSpaceAddShape(e->space, wall);
}

static void remove_walls(TarnChipmunk* e)
{
    for (int i = 0; i < 3; ++i) {
        if (e->walls[i] == NULL) continue;
        cpSpaceRemoveShape(e->space, e->walls[i]);
        cpShapeFree(e->walls[i]);
        e->walls[i] = NULL;
    }
}

// Segments one meter thick behind the faces of the box; the top is open.
static void follow_box(TarnChipmunk* e)
{
    TarnBodiesDef def = tarn_bodies_def(e->bodies);
    TarnVec3 lo = def.box_min, hi = def.box_max;
    if (memcmp(&lo, &e->box_min, sizeof lo) == 0 && memcmp(&hi, &e->box_max, sizeof hi) == 0)
        return;
    remove_walls(e);
    e->box_min = lo;
    e->box_max = hi;
    double x0 = lo.x - 1.0, x1 = hi.x + 1.0, y0 = lo.y - 1.0, top = lo.y + 1000.0;
    if (lo.y > -far_away) e->walls[0] = make_wall(e, cpv(x0, y0), cpv(x1, y0));
    if (lo.x > -far_away) e->walls[1] = make_wall(e, cpv(x0, y0), cpv(x0, top));
    if (hi.x < far_away) e->walls[2] = make_wall(e, cpv(x1, y0), cpv(x1, top));
}

// ---- Bodies ----------------------------------------------------------------------------------------

static double angle_of(TarnQuat q)
{
    return 2.0 * atan2(q.z, q.w);
}

static int outline(const TarnShape* shape, cpVect* out)
{
    if (shape->kind == TARN_SHAPE_BOX) {
        double x = shape->size.x, y = shape->size.y;
        const cpVect box[4] = { { -x, -y }, { x, -y }, { x, y }, { -x, y } };
        memcpy(out, box, sizeof box);
        return 4;
    }
    int n = shape->n_points < MAX_POINTS ? shape->n_points : MAX_POINTS;
    for (int i = 0; i < n; ++i) out[i] = cpv(shape->points[i].x, shape->points[i].y);
    cpFloat tolerance = 0.0;
    return cpConvexHull(n, out, out, NULL, tolerance);
}

static cpShape* make_shape(cpBody* body, const TarnShape* shape)
{
    cpVect points[MAX_POINTS];
    double r = shape->size.x, half = shape->size.y;
    if (shape->kind == TARN_SHAPE_SPHERE) return cpCircleShapeNew(body, r, cpvzero);
    if (shape->kind == TARN_SHAPE_CAPSULE)
        return cpSegmentShapeNew(body, cpv(0.0, -half), cpv(0.0, half), r);
    int n = outline(shape, points);
    return cpPolyShapeNew(body, n, points, cpTransformIdentity, 0.0);
}

static double moment(const TarnShape* shape, double mass)
{
    cpVect points[MAX_POINTS];
    double r = shape->size.x, half = shape->size.y;
    if (shape->kind == TARN_SHAPE_SPHERE) return cpMomentForCircle(mass, 0.0, r, cpvzero);
    if (shape->kind == TARN_SHAPE_CAPSULE)
        return cpMomentForSegment(mass, cpv(0.0, -half), cpv(0.0, half), r);
    int n = outline(shape, points);
    return cpMomentForPoly(mass, n, points, cpvzero, 0.0);
}

static void take_state(Entry* entry, const TarnBodyState* s)
{
    cpBodySetPosition(entry->body, cpv(s->position.x, s->position.y));
    cpBodySetAngle(entry->body, angle_of(s->rotation));
    cpBodySetVelocity(entry->body, cpv(s->velocity.x, s->velocity.y));
    cpBodySetAngularVelocity(entry->body, s->angular_velocity.z);
    entry->told = *s;
}

static bool is_supported(const TarnBodies* bodies, TarnBodyId id)
{
    int freedom;
    TarnVec3 axis;
    tarn_bodies_get_freedom(bodies, id, &freedom, &axis);
    bool is_flat = freedom == TARN_BODY_PLANAR || fabsf(axis.z) > 0.999f;
    bool is_free_in_space = freedom == TARN_BODY_FREE || !is_flat;
    return tarn_bodies_shape(bodies, id)->kind != TARN_SHAPE_SPAN &&
           (tarn_bodies_is_driven(bodies, id) || !is_free_in_space);
}

static void make_entry(TarnChipmunk* e, Entry* entry, TarnBodyId id)
{
    const TarnShape* shape = tarn_bodies_shape(e->bodies, id);
    float mass = 1.0f, friction, restitution;
    int freedom;
    TarnBodyState state;
    tarn_bodies_get_mass(e->bodies, id, &mass, NULL);
    tarn_bodies_get_surface(e->bodies, id, &friction, &restitution);
    tarn_bodies_get_freedom(e->bodies, id, &freedom, NULL);
    tarn_bodies_get_state(e->bodies, id, &state);
    bool is_driven = tarn_bodies_is_driven(e->bodies, id);
    *entry = (Entry){ .id = id };
    entry->body = is_driven ? cpBodyNewKinematic() : cpBodyNew(mass, moment(shape, mass));
    cpSpaceAddBody(e->space, entry->body);
    entry->shape = cpSpaceAddShape(e->space, make_shape(entry->body, shape));
    cpShapeSetFriction(entry->shape, friction);
    cpShapeSetElasticity(entry->shape, restitution);
    take_state(entry, &state);
    if (freedom != TARN_BODY_HINGE || is_driven) return;
    cpVect at = cpv(state.position.x, state.position.y);
    entry->hinge = cpPivotJointNew(cpSpaceGetStaticBody(e->space), entry->body, at);
    cpSpaceAddConstraint(e->space, entry->hinge);
}

static void remove_entry(TarnChipmunk* e, Entry* entry)
{
    if (entry->hinge) {
        cpSpaceRemoveConstraint(e->space, entry->hinge);
        cpConstraintFree(entry->hinge);
    }
    cpSpaceRemoveShape(e->space, entry->shape);
    cpSpaceRemoveBody(e->space, entry->body);
    cpShapeFree(entry->shape);
    cpBodyFree(entry->body);
    *entry = (Entry){ 0 };
}

static Entry* find(TarnChipmunk* e, TarnBodyId id) // id 0: an unused one
{
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value == id.value) return &e->entries[i];
    }
    return NULL;
}

// ---- Step ------------------------------------------------------------------------------------------

static TarnResult follow_bodies(TarnChipmunk* e)
{
    int n = tarn_bodies_count(e->bodies);
    e->refused = -1;
    for (int i = 0; i < e->capacity; ++i) e->entries[i].is_seen = false;
    for (int i = 0; i < n; ++i) {
        TarnBodyId id = tarn_bodies_at(e->bodies, i);
        Entry* entry = find(e, id);
        if (entry) entry->is_seen = true;
    }
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value != 0 && !e->entries[i].is_seen) remove_entry(e, &e->entries[i]);
    }
    for (int i = 0; i < n; ++i) {
        TarnBodyId id = tarn_bodies_at(e->bodies, i);
        if (find(e, id)) continue;
        if (!is_supported(e->bodies, id)) {
            e->refused = i;
            return TARN_ERR_UNSUPPORTED;
        }
        make_entry(e, find(e, (TarnBodyId){ 0 }), id);
    }
    return TARN_OK;
}

// What the host changed since the last step.
static void take_states(TarnChipmunk* e)
{
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        TarnBodyState now;
        if (entry->id.value == 0) continue;
        tarn_bodies_get_state(e->bodies, entry->id, &now);
        if (memcmp(&now, &entry->told, sizeof now) != 0) take_state(entry, &now);
    }
}

// Chipmunk forgets forces after each of its steps.
static void apply_forces(TarnChipmunk* e)
{
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        TarnBodyForce water;
        TarnVec3 force, torque;
        if (entry->id.value == 0 || tarn_bodies_is_driven(e->bodies, entry->id)) continue;
        tarn_bodies_get_force(e->bodies, entry->id, &water);
        tarn_bodies_get_added_force(e->bodies, entry->id, &force, &torque);
        cpBodySetForce(entry->body,
                       cpv((double)water.force.x + force.x, (double)water.force.y + force.y));
        cpBodySetTorque(entry->body, (double)water.torque.z + torque.z);
    }
}

static void give_state(TarnChipmunk* e, Entry* entry)
{
    cpVect x = cpBodyGetPosition(entry->body), v = cpBodyGetVelocity(entry->body);
    double half = 0.5 * cpBodyGetAngle(entry->body);
    TarnBodyState s = entry->told;
    s.position.x = (float)x.x;
    s.position.y = (float)x.y;
    s.velocity = (TarnVec3){ (float)v.x, (float)v.y, 0.0f };
    s.rotation = (TarnQuat){ 0.0f, 0.0f, (float)sin(half), (float)cos(half) };
    s.angular_velocity = (TarnVec3){ 0.0f, 0.0f, (float)cpBodyGetAngularVelocity(entry->body) };
    if (tarn_bodies_set_state(e->bodies, entry->id, &s) != TARN_OK) { // beyond all limits: it stops
        s = entry->told;
        s.velocity = s.angular_velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        tarn_bodies_set_state(e->bodies, entry->id, &s);
        take_state(entry, &s);
    }
    tarn_bodies_get_state(e->bodies, entry->id, &entry->told); // as the set keeps it
}

TarnResult tarn_chipmunk_step(TarnBodies* bodies, float dt, void* engine)
{
    TarnChipmunk* e = engine;
    if (e == NULL || bodies != e->bodies || !(dt >= 0.0f && dt <= 10.0f)) return TARN_ERR_ARG;
    TarnVec3 g = tarn_bodies_def(bodies).gravity;
    TarnResult result = follow_bodies(e);
    if (result != TARN_OK || dt == 0.0f) return result;
    follow_box(e);
    take_states(e);
    cpSpaceSetGravity(e->space, cpv(g.x, g.y));
    for (int i = 0; i < SUBSTEPS; ++i) {
        apply_forces(e);
        cpSpaceStep(e->space, (double)dt / SUBSTEPS);
    }
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        bool is_free = entry->id.value != 0 && !tarn_bodies_is_driven(bodies, entry->id);
        if (is_free) give_state(e, entry);
    }
    return TARN_OK;
}

// ---- Lifetime --------------------------------------------------------------------------------------

// Chipmunk built with its assertions, as Debian does, prints a banner on stdout, where a program may be
// writing data.
static cpSpace* make_space(void)
{
    fflush(stdout);
    int nowhere = open("/dev/null", O_WRONLY), kept = nowhere >= 0 ? dup(1) : -1;
    if (kept >= 0) dup2(nowhere, 1);
    cpSpace* space = cpSpaceNew();
    fflush(stdout);
    if (kept >= 0) dup2(kept, 1);
    if (kept >= 0) close(kept);
    if (nowhere >= 0) close(nowhere);
    return space;
}

TarnResult tarn_chipmunk_create(TarnBodies* bodies, TarnChipmunk** out)
{
    if (out) *out = NULL;
    if (bodies == NULL || out == NULL) return TARN_ERR_ARG;
    TarnChipmunk* e = calloc(1, sizeof *e);
    int capacity = tarn_bodies_def(bodies).max_bodies;
    Entry* entries = calloc((size_t)capacity, sizeof *entries);
    cpSpace* space = e && entries ? make_space() : NULL;
    if (space == NULL) {
        free(entries);
        free(e);
        return TARN_ERR_MEMORY;
    }
    *e = (TarnChipmunk){ .bodies = bodies, .space = space, .entries = entries };
    e->capacity = capacity;
    e->refused = -1;
    cpSpaceSetIterations(space, ITERATIONS);
    cpSpaceSetCollisionSlop(space, 0.001);
    *out = e;
    return TARN_OK;
}

void tarn_chipmunk_destroy(TarnChipmunk* e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value != 0) remove_entry(e, &e->entries[i]);
    }
    remove_walls(e);
    cpSpaceFree(e->space);
    free(e->entries);
    free(e);
}

int tarn_chipmunk_refused(const TarnChipmunk* e)
{
    return e ? e->refused : -1;
}
struct cpSpace* tarn_chipmunk_space(TarnChipmunk* e)
{
    return e ? e->space : NULL;
}
struct cpBody* tarn_chipmunk_body(TarnChipmunk* e, TarnBodyId id)
{
    Entry* entry = e && id.value != 0 ? find(e, id) : NULL;
    return entry ? entry->body : NULL;
}
