// ODE moves Tarn's bodies. See tarn_ode.h.

#include "tarn_ode.h"
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTEPS = 4, ITERATIONS = 30, MAX_CONTACTS = 8, MAX_TRIANGLES = 124 };
static const double far_away = 9999.0; // a wall of the box beyond it is no wall [m]

typedef struct Entry {
    TarnBodyId id; // 0: unused
    dBodyID body;
    dGeomID geom;
    dJointID joint;
    dTriMeshDataID mesh;
    dReal* points; // of the mesh
    dTriIndex* triangles;
    float friction, restitution;
    TarnBodyState told; // what the bridge wrote last; anything else came from the host
    bool is_seen;
} Entry;

struct TarnOde {
    TarnBodies* bodies;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    Entry* entries;
    int capacity;
    dGeomID walls[5];
    TarnVec3 box_min, box_max; // that the walls stand at
};

// ---- Walls -----------------------------------------------------------------------------------------

static void put_wall(TarnOde* e, int i, bool is_there, double nx, double ny, double nz, double d)
{
    if (e->walls[i]) dGeomDestroy(e->walls[i]);
    e->walls[i] = is_there ? dCreatePlane(e->space, nx, ny, nz, d) : NULL;
}

static void follow_box(TarnOde* e)
{
    TarnBodiesDef def = tarn_bodies_def(e->bodies);
    TarnVec3 lo = def.box_min, hi = def.box_max;
    if (memcmp(&lo, &e->box_min, sizeof lo) == 0 && memcmp(&hi, &e->box_max, sizeof hi) == 0)
        return;
    e->box_min = lo;
    e->box_max = hi;
    put_wall(e, 0, lo.y > -far_away, 0, 1, 0, lo.y);
    put_wall(e, 1, lo.x > -far_away, 1, 0, 0, lo.x);
    put_wall(e, 2, hi.x < far_away, -1, 0, 0, -hi.x);
    put_wall(e, 3, lo.z > -far_away, 0, 0, 1, lo.z);
    put_wall(e, 4, hi.z < far_away, 0, 0, -1, -hi.z);
}

// ---- Shapes ----------------------------------------------------------------------------------------

// The hull as a mesh, in memory that the entry keeps.
static bool make_hull(TarnOde* e, Entry* entry, const TarnShape* shape, dMass* mass, double kg)
{
    int index[3 * MAX_TRIANGLES];
    int n = tarn_bodies_hull_triangles(e->bodies, entry->id, index, 3 * MAX_TRIANGLES);
    if (n > MAX_TRIANGLES) n = MAX_TRIANGLES;
    size_t n_points = (size_t)shape->n_points;
    entry->points = malloc(3 * n_points * sizeof *entry->points);
    entry->triangles = malloc(3 * (size_t)n * sizeof *entry->triangles);
    if (entry->points == NULL || entry->triangles == NULL) return false;
    for (size_t i = 0; i < n_points; ++i) {
        entry->points[3 * i] = shape->points[i].x;
        entry->points[3 * i + 1] = shape->points[i].y;
        entry->points[3 * i + 2] = shape->points[i].z;
    }
    for (int i = 0; i < 3 * n; ++i) entry->triangles[i] = (dTriIndex)index[i];
    entry->mesh = dGeomTriMeshDataCreate();
#if defined(dDOUBLE)
    dGeomTriMeshDataBuildDouble(entry->mesh, entry->points, 3 * sizeof(dReal), (int)n_points,
                                entry->triangles, 3 * n, 3 * sizeof(dTriIndex));
#else
    dGeomTriMeshDataBuildSingle(entry->mesh, entry->points, 3 * sizeof(dReal), (int)n_points,
                                entry->triangles, 3 * n, 3 * sizeof(dTriIndex));
#endif
    entry->geom = dCreateTriMesh(e->space, entry->mesh, NULL, NULL, NULL);
    dMassSetTrimeshTotal(mass, kg, entry->geom);
    dMassTranslate(mass, -mass->c[0], -mass->c[1], -mass->c[2]); // it is there up to rounding
    return true;
}

// ODE's capsules lie along z, Tarn's along y.
static bool make_geom(TarnOde* e, Entry* entry, const TarnShape* shape, dMass* mass, double kg)
{
    double x = shape->size.x, y = shape->size.y, z = shape->size.z;
    switch (shape->kind) {
    case TARN_SHAPE_SPHERE:
        dMassSetSphereTotal(mass, kg, x);
        entry->geom = dCreateSphere(e->space, x);
        break;
    case TARN_SHAPE_BOX:
        dMassSetBoxTotal(mass, kg, 2.0 * x, 2.0 * y, 2.0 * z);
        entry->geom = dCreateBox(e->space, 2.0 * x, 2.0 * y, 2.0 * z);
        break;
    case TARN_SHAPE_CAPSULE:
        dMassSetCapsuleTotal(mass, kg, 2, x, 2.0 * y);
        entry->geom = dCreateCapsule(e->space, x, 2.0 * y);
        break;
    default:
        if (!make_hull(e, entry, shape, mass, kg)) return false;
    }
    dGeomSetBody(entry->geom, entry->body);
    if (shape->kind == TARN_SHAPE_CAPSULE) {
        dMatrix3 turn;
        dRFromAxisAndAngle(turn, 1, 0, 0, -1.5707963267948966);
        dGeomSetOffsetRotation(entry->geom, turn);
    }
    dGeomSetData(entry->geom, entry);
    return true;
}

// ---- Bodies ----------------------------------------------------------------------------------------

static void take_state(Entry* entry, const TarnBodyState* s)
{
    dQuaternion q = { s->rotation.w, s->rotation.x, s->rotation.y, s->rotation.z };
    dBodySetPosition(entry->body, s->position.x, s->position.y, s->position.z);
    dBodySetQuaternion(entry->body, q);
    dBodySetLinearVel(entry->body, s->velocity.x, s->velocity.y, s->velocity.z);
    dBodySetAngularVel(entry->body, s->angular_velocity.x, s->angular_velocity.y,
                       s->angular_velocity.z);
    entry->told = *s;
}

static void remove_entry(Entry* entry)
{
    if (entry->joint) dJointDestroy(entry->joint);
    if (entry->geom) dGeomDestroy(entry->geom);
    if (entry->mesh) dGeomTriMeshDataDestroy(entry->mesh);
    if (entry->body) dBodyDestroy(entry->body);
    free(entry->points);
    free(entry->triangles);
    *entry = (Entry){ 0 };
}

static void add_joint(TarnOde* e, Entry* entry)
{
    int freedom;
    TarnVec3 axis, at = entry->told.position;
    tarn_bodies_get_freedom(e->bodies, entry->id, &freedom, &axis);
    if (freedom == TARN_BODY_PLANAR) {
        entry->joint = dJointCreatePlane2D(e->world, NULL);
        dJointAttach(entry->joint, entry->body, NULL);
    } else if (freedom == TARN_BODY_HINGE) {
        entry->joint = dJointCreateHinge(e->world, NULL);
        dJointAttach(entry->joint, entry->body, NULL);
        dJointSetHingeAnchor(entry->joint, at.x, at.y, at.z);
        dJointSetHingeAxis(entry->joint, axis.x, axis.y, axis.z);
    }
}

static TarnResult make_entry(TarnOde* e, Entry* entry, TarnBodyId id)
{
    const TarnShape* shape = tarn_bodies_shape(e->bodies, id);
    float kg = 1.0f;
    TarnBodyState state;
    dMass mass;
    if (shape->kind == TARN_SHAPE_SPAN) return TARN_ERR_UNSUPPORTED;
    tarn_bodies_get_mass(e->bodies, id, &kg, NULL);
    tarn_bodies_get_state(e->bodies, id, &state);
    *entry = (Entry){ .id = id, .body = dBodyCreate(e->world) };
    tarn_bodies_get_surface(e->bodies, id, &entry->friction, &entry->restitution);
    if (!make_geom(e, entry, shape, &mass, kg)) {
        remove_entry(entry);
        return TARN_ERR_MEMORY;
    }
    dBodySetMass(entry->body, &mass);
    dBodySetAutoDisableFlag(entry->body, 0); // water wakes nobody
    take_state(entry, &state);
    if (tarn_bodies_is_driven(e->bodies, id))
        dBodySetKinematic(entry->body);
    else
        add_joint(e, entry);
    return TARN_OK;
}

static Entry* find(TarnOde* e, TarnBodyId id) // id 0: an unused one
{
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value == id.value) return &e->entries[i];
    }
    return NULL;
}

static TarnResult follow_bodies(TarnOde* e)
{
    int n = tarn_bodies_count(e->bodies);
    for (int i = 0; i < e->capacity; ++i) e->entries[i].is_seen = false;
    for (int i = 0; i < n; ++i) {
        Entry* entry = find(e, tarn_bodies_at(e->bodies, i));
        if (entry) entry->is_seen = true;
    }
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value != 0 && !e->entries[i].is_seen) remove_entry(&e->entries[i]);
    }
    for (int i = 0; i < n; ++i) {
        TarnBodyId id = tarn_bodies_at(e->bodies, i);
        if (find(e, id)) continue;
        TarnResult result = make_entry(e, find(e, (TarnBodyId){ 0 }), id);
        if (result != TARN_OK) return result;
    }
    return TARN_OK;
}

// ---- Step ------------------------------------------------------------------------------------------

static void touch(void* engine, dGeomID a, dGeomID b)
{
    TarnOde* e = engine;
    const Entry *ea = dGeomGetData(a), *eb = dGeomGetData(b);
    dContact contacts[MAX_CONTACTS];
    int n = dCollide(a, b, MAX_CONTACTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < n; ++i) {
        dSurfaceParameters* s = &contacts[i].surface;
        memset(s, 0, sizeof *s);
        s->mode = dContactBounce | dContactApprox1 | dContactSoftCFM;
        s->mu = ea && eb ? sqrt((double)ea->friction * eb->friction)
                : ea     ? ea->friction
                         : eb->friction;
        s->bounce = ea && eb ? fmax(ea->restitution, eb->restitution)
                    : ea     ? ea->restitution
                             : eb->restitution;
        s->bounce_vel = 0.5;
        s->soft_cfm = 1e-9;
        dJointID joint = dJointCreateContact(e->world, e->contacts, &contacts[i]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}

// What the host changed since the last step.
static void take_states(TarnOde* e)
{
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        TarnBodyState now;
        if (entry->id.value == 0) continue;
        tarn_bodies_get_state(e->bodies, entry->id, &now);
        if (memcmp(&now, &entry->told, sizeof now) != 0) take_state(entry, &now);
    }
}

// ODE forgets forces after each of its steps.
static void apply_forces(TarnOde* e)
{
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        TarnBodyForce water;
        TarnVec3 f, t;
        if (entry->id.value == 0 || tarn_bodies_is_driven(e->bodies, entry->id)) continue;
        tarn_bodies_get_force(e->bodies, entry->id, &water);
        tarn_bodies_get_added_force(e->bodies, entry->id, &f, &t);
        dBodyAddForce(entry->body, (double)water.force.x + f.x, (double)water.force.y + f.y,
                      (double)water.force.z + f.z);
        dBodyAddTorque(entry->body, (double)water.torque.x + t.x, (double)water.torque.y + t.y,
                       (double)water.torque.z + t.z);
    }
}

static void give_state(TarnOde* e, Entry* entry)
{
    const dReal *x = dBodyGetPosition(entry->body), *q = dBodyGetQuaternion(entry->body);
    const dReal *v = dBodyGetLinearVel(entry->body), *w = dBodyGetAngularVel(entry->body);
    TarnBodyState s = { { (float)x[0], (float)x[1], (float)x[2] },
                        { (float)q[1], (float)q[2], (float)q[3], (float)q[0] },
                        { (float)v[0], (float)v[1], (float)v[2] },
                        { (float)w[0], (float)w[1], (float)w[2] } };
    if (tarn_bodies_set_state(e->bodies, entry->id, &s) != TARN_OK) { // beyond all limits: it stops
        s = entry->told;
        s.velocity = s.angular_velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        tarn_bodies_set_state(e->bodies, entry->id, &s);
        take_state(entry, &s);
    }
    tarn_bodies_get_state(e->bodies, entry->id, &entry->told); // as the set keeps it
}

TarnResult tarn_ode_step(TarnBodies* bodies, float dt, void* engine)
{
    TarnOde* e = engine;
    if (e == NULL || bodies != e->bodies || !(dt >= 0.0f && dt <= 10.0f)) return TARN_ERR_ARG;
    TarnVec3 g = tarn_bodies_def(bodies).gravity;
    TarnResult result = follow_bodies(e);
    if (result != TARN_OK || dt == 0.0f) return result;
    follow_box(e);
    take_states(e);
    dWorldSetGravity(e->world, g.x, g.y, g.z);
    for (int i = 0; i < SUBSTEPS; ++i) {
        apply_forces(e);
        dSpaceCollide(e->space, e, touch);
        dWorldQuickStep(e->world, (double)dt / SUBSTEPS);
        dJointGroupEmpty(e->contacts);
    }
    for (int i = 0; i < e->capacity; ++i) {
        Entry* entry = &e->entries[i];
        bool is_free = entry->id.value != 0 && !tarn_bodies_is_driven(bodies, entry->id);
        if (is_free) give_state(e, entry);
    }
    return TARN_OK;
}

// ---- Lifetime --------------------------------------------------------------------------------------

static int n_engines; // ODE starts with the first and ends with the last

TarnResult tarn_ode_create(TarnBodies* bodies, TarnOde** out)
{
    if (out) *out = NULL;
    if (bodies == NULL || out == NULL) return TARN_ERR_ARG;
    int capacity = tarn_bodies_def(bodies).max_bodies;
    TarnOde* e = calloc(1, sizeof *e);
    Entry* entries = calloc((size_t)capacity, sizeof *entries);
    if (e == NULL || entries == NULL) {
        free(entries);
        free(e);
        return TARN_ERR_MEMORY;
    }
    if (n_engines++ == 0) dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    *e = (TarnOde){ .bodies = bodies, .entries = entries, .capacity = capacity };
    e->world = dWorldCreate();
    e->space = dHashSpaceCreate(NULL);
    e->contacts = dJointGroupCreate(0);
    dWorldSetQuickStepNumIterations(e->world, ITERATIONS);
    dWorldSetContactSurfaceLayer(e->world, 0.001);
    dWorldSetContactMaxCorrectingVel(e->world, 3.0);
    dWorldSetERP(e->world, 0.4);
    *out = e;
    return TARN_OK;
}

void tarn_ode_destroy(TarnOde* e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->capacity; ++i) {
        if (e->entries[i].id.value != 0) remove_entry(&e->entries[i]);
    }
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space); // and the walls
    dWorldDestroy(e->world);
    free(e->entries);
    free(e);
    if (--n_engines == 0) dCloseODE();
}

struct dxWorld* tarn_ode_world(TarnOde* e)
{
    return e ? e->world : NULL;
}
struct dxSpace* tarn_ode_space(TarnOde* e)
{
    return e ? e->space : NULL;
}
struct dxBody* tarn_ode_body(TarnOde* e, TarnBodyId id)
{
    Entry* entry = e && id.value != 0 ? find(e, id) : NULL;
    return entry ? entry->body : NULL;
}
