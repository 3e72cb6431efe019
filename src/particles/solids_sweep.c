// Particles among moving solids: neighbors, contacts, and swept paths that nothing passes through.
//
// Method   A way is followed in the frame of each solid, which is at rest there: conservative
//          advancement. All of them tell how far the particle gets (solids_shapes.c), it goes the
//          shortest of these ways, its velocity is turned along the walls it stands at, which carry
//          it along, and so on. A turning solid makes ways bend in its frame; they are cut until
//          the bend is a fifth of the particle's radius, half of which is kept clear. So however
//          fast a paddle and however thin: a particle that starts on one side ends on that side.
// Differs  A particle that starts too near or inside is pushed out first by the shortest way,
//          through nothing else. One without any room is carried by what it met, or stays; see
//          rescue.
// Checked  tests/unit/test_solids.c, tests/robust/test_solids_storms.c.
// Cost     0.03 to 0.1 us when nothing is within the way, 0.3 to 0.6 us for a particle at a wall.

#include "particles/solids_parts.h"

enum {
    MAX_NEAR = 64,
    MAX_CONTACTS = 16,
    MAX_PIECES = 128,
    MAX_TURNS = 12,      // at walls, in one piece
    MAX_ALL_TURNS = 256, // in all pieces
    MAX_RESCUES = 4,     // after this many pieces without room the rest of the path is one piece
};

// ---- Poses --------------------------------------------------------------------------------------

SolidPose tarn__solid_pose(const Solid* s, float t)
{
    const TarnMotion* end = &s->def.motion;
    if (t >= 1.0f) return (SolidPose){ end->position, end->rotation };
    SolidPose pose = { solid__lerp(s->start.position, end->position, t), end->rotation };
    if (s->angle > 0.0f) {
        float sine, cosine;
        tarn_sincos(0.5f * t * s->angle, &sine, &cosine);
        TarnQuat turn = { sine * s->axis.x, sine * s->axis.y, sine * s->axis.z, cosine };
        TarnQuat q = quat_multiply(turn, s->start.rotation); // unit but for rounding
        float f = 1.5f - 0.5f * (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        pose.rotation = (TarnQuat){ f * q.x, f * q.y, f * q.z, f * q.w };
    }
    return pose;
}

static TarnVec3 to_local(const SolidPose* pose, TarnVec3 p)
{
    return quat_rotate_inverse(pose->rotation, vec3_sub(p, pose->position));
}
static TarnVec3 to_world(const SolidPose* pose, TarnVec3 q)
{
    return vec3_add(quat_rotate(pose->rotation, q), pose->position);
}

// The section of 2-D: the world's z axis in the frame of a solid.
static const TarnVec3* section(const SolidPose* pose, int dims, TarnVec3* m)
{
    if (dims != 2) return NULL;
    *m = quat_rotate_inverse(pose->rotation, (TarnVec3){ 0.0f, 0.0f, 1.0f });
    return m;
}

// How far a solid's own motion carries what is at p, at most, per unit of the frame's way.
static float own_motion(const Solid* s, float from_center)
{
    TarnVec3 way = vec3_sub(s->def.motion.position, s->start.position);
    return sqrtf(vec3_dot(way, way)) + s->angle * from_center;
}

static bool is_at_rest(const Solid* s)
{
    TarnVec3 way = vec3_sub(s->def.motion.position, s->start.position);
    return !(s->angle > 0.0f) && vec3_dot(way, way) == 0.0f;
}

static void add_bounds(Solid* s, const SolidPose* pose)
{
    TarnVec3 half = vec3_scale(vec3_sub(s->high, s->low), 0.5f), x = pose->position;
    if (s->angle > 0.0f) { // whatever way it turns
        half = (TarnVec3){ s->reach, s->reach, s->reach };
    } else {
        x = to_world(pose, vec3_scale(vec3_add(s->high, s->low), 0.5f));
        TarnVec3 a = quat_rotate(pose->rotation, (TarnVec3){ half.x, 0.0f, 0.0f });
        TarnVec3 b = quat_rotate(pose->rotation, (TarnVec3){ 0.0f, half.y, 0.0f });
        TarnVec3 c = quat_rotate(pose->rotation, (TarnVec3){ 0.0f, 0.0f, half.z });
        half =
            (TarnVec3){ fabsf(a.x) + fabsf(b.x) + fabsf(c.x), fabsf(a.y) + fabsf(b.y) + fabsf(c.y),
                        fabsf(a.z) + fabsf(b.z) + fabsf(c.z) };
    }
    float slack = 1e-6f * (fabsf(x.x) + fabsf(x.y) + fabsf(x.z) + s->reach) + 1e-6f;
    s->box_min.x = tarn_minf(s->box_min.x, x.x - half.x - slack);
    s->box_min.y = tarn_minf(s->box_min.y, x.y - half.y - slack);
    s->box_min.z = tarn_minf(s->box_min.z, x.z - half.z - slack);
    s->box_max.x = tarn_maxf(s->box_max.x, x.x + half.x + slack);
    s->box_max.y = tarn_maxf(s->box_max.y, x.y + half.y + slack);
    s->box_max.z = tarn_maxf(s->box_max.z, x.z + half.z + slack);
}

void tarn__solid_update_bounds(Solid* s)
{
    s->box_min = (TarnVec3){ solid_far, solid_far, solid_far };
    s->box_max = (TarnVec3){ -solid_far, -solid_far, -solid_far };
    if (s->reach >= solid_far) { // everywhere
        TarnVec3 swap = s->box_min;
        s->box_min = s->box_max;
        s->box_max = swap;
        return;
    }
    SolidPose end = tarn__solid_pose(s, 1.0f);
    add_bounds(s, &s->start);
    add_bounds(s, &end);
}

// ---- Who is near --------------------------------------------------------------------------------

// Farther from a ball than all its motion of this frame. For solids whose boxes say little.
static bool is_clear(const Solid* s, TarnVec3 center, float radius)
{
    if (s->def.shape.kind == TARN_SHAPE_TERRAIN) {
        const SolidPose* pose = &s->start;
        if (!is_at_rest(s)) return false;
        TarnVec3 q = to_local(pose, center);
        float r = 1.0001f * radius;
        return q.y - r > tarn__terrain_highest(s, q.x - r, q.x + r, q.z - r, q.z + r);
    }
    TarnVec3 from = vec3_sub(center, s->start.position);
    float moved = own_motion(s, sqrtf(vec3_dot(from, from)) + radius) + 1.0001f * radius;
    LocalContact c = tarn__solid_nearest(s, to_local(&s->start, center), NULL, moved);
    return c.d > moved;
}

int tarn__solids_near(const TarnSolids* set, TarnVec3 box_min, TarnVec3 box_max, int* slots,
                      int capacity)
{
    int n = 0;
    TarnVec3 half = vec3_scale(vec3_sub(box_max, box_min), 0.5f);
    TarnVec3 center = vec3_add(box_min, half);
    float radius = sqrtf(vec3_dot(half, half));
    for (int i = 0; i < set->ids.count && n < capacity; ++i) {
        const Solid* s = &set->solid[set->ids.order[i]];
        bool is_off = s->box_min.x > box_max.x || s->box_max.x < box_min.x ||
                      s->box_min.y > box_max.y || s->box_max.y < box_min.y ||
                      s->box_min.z > box_max.z || s->box_max.z < box_min.z;
        if (is_off || is_clear(s, center, radius)) continue;
        slots[n++] = set->ids.order[i];
    }
    return n;
}

// Farther from the bounds of a whole way than this.
static bool is_apart(const Solid* s, TarnVec3 p, float reach)
{
    return s->box_min.x > p.x + reach || s->box_max.x < p.x - reach || s->box_min.y > p.y + reach ||
           s->box_max.y < p.y - reach || s->box_min.z > p.z + reach || s->box_max.z < p.z - reach;
}

// ---- Contacts -----------------------------------------------------------------------------------

// Inserts by distance; the farthest falls out of a full list.
static int insert(SolidContact* out, int n, int max, SolidContact c)
{
    int at = n < max ? n : max - 1;
    if (n >= max && !(c.distance < out[at].distance)) return n;
    for (; at > 0 && c.distance < out[at - 1].distance; --at) out[at] = out[at - 1];
    out[at] = c;
    return n < max ? n + 1 : n;
}

static int add_contacts(const TarnSolids* set, int slot, const SolidPose* pose, int dims,
                        TarnVec3 p, float reach, SolidContact* out, int n, int max)
{
    const Solid* s = &set->solid[slot];
    TarnVec3 m;
    LocalContact local[LOCAL_CONTACTS];
    if (is_apart(s, p, reach)) return n;
    int found = tarn__solid_contacts(s, to_local(pose, p), section(pose, dims, &m), reach, local,
                                     max > 1 ? LOCAL_CONTACTS : 1); // one is the nearest
    for (int i = 0; i < found; ++i) {
        SolidContact c = { .solid = slot, .distance = local[i].d };
        c.normal = quat_rotate(pose->rotation, local[i].n);
        if (dims == 2) {
            c.normal.z = 0.0f;
            c.normal = vec3_normalize(c.normal);
        }
        c.arm = vec3_sub(vec3_sub(p, vec3_scale(c.normal, c.distance)), pose->position);
        c.velocity = vec3_add(s->velocity, vec3_cross(s->spin, c.arm));
        if (dims == 2) c.velocity.z = 0.0f;
        n = insert(out, n, max, c);
    }
    return n;
}

int tarn__solids_contacts(const TarnSolids* set, const int* slots, int n_slots, float t, int dims,
                          TarnVec3 position, float reach, SolidContact* out, int max)
{
    int n = 0;
    if (max < 1) return 0;
    if (dims == 2) position.z = 0.0f;
    for (int i = 0; i < n_slots; ++i) {
        SolidPose pose = tarn__solid_pose(&set->solid[slots[i]], t);
        n = add_contacts(set, slots[i], &pose, dims, position, reach, out, n, max);
    }
    return n;
}

// ---- Sweep: parts -------------------------------------------------------------------------------

typedef struct Placed { // the last two poses asked for
    float u[2];
    SolidPose pose[2];
    int oldest;
} Placed;

// Time u runs from 0 to 1 over the way of the particle, while the solids go from t0 to t0 + dt of
// theirs.
typedef struct Sweep {
    const TarnSolids* set;
    const int* slots;
    int n, dims;
    float t0, dt;
    float r;    // clearance wanted [m]
    TarnVec3 p; // where the particle is
    TarnVec3 v; // where it goes, per unit of u
    int hit;    // slot met first, -1: none
    TarnVec3 hit_normal;
    float hit_u;
    int turns, rescues; // so far
    TarnVec3 center;    // the slots are all there are within this ball
    float covered;      // its radius [m]
    bool is_straight;   // still on the way that the slots were given for
    int* near;          // MAX_NEAR, for the slots that matter
    Placed* placed;     // the same
} Sweep;

static SolidPose pose_at(const Sweep* w, int slot, float u)
{
    return tarn__solid_pose(&w->set->solid[slot], w->t0 + u * w->dt);
}

// Of the slot number i. Poses of turning solids cost the most, and are asked for again and again.
static const SolidPose* known_pose(const Sweep* w, int i, float u, SolidPose* made)
{
    Placed* k = &w->placed[i];
    if (w->slots == w->near && k->u[0] == u) return &k->pose[0];
    if (w->slots == w->near && k->u[1] == u) return &k->pose[1];
    *made = pose_at(w, w->slots[i], u);
    if (w->slots != w->near) return made;
    k->u[k->oldest] = u;
    k->pose[k->oldest] = *made;
    k->oldest = 1 - k->oldest;
    return made;
}

static void keep(Sweep* w, int n)
{
    w->slots = w->near;
    w->n = n;
    for (int i = 0; i < n; ++i)
        w->placed[i].u[0] = w->placed[i].u[1] = -1.0f, w->placed[i].oldest = 0;
}

static int touching(const Sweep* w, float u, float reach, SolidContact* out)
{
    int n = 0;
    for (int i = 0; i < w->n; ++i) {
        SolidPose made;
        const SolidPose* pose = known_pose(w, i, u, &made);
        n = add_contacts(w->set, w->slots[i], pose, w->dims, w->p, reach, out, n, MAX_CONTACTS);
    }
    return n;
}

// Velocity of a solid's surface on its way, per unit of u.
static TarnVec3 surface_way(const Sweep* w, const SolidContact* c)
{
    const Solid* s = &w->set->solid[c->solid];
    TarnVec3 way = vec3_sub(s->def.motion.position, s->start.position);
    way = vec3_add(way, vec3_cross(vec3_scale(s->axis, s->angle), c->arm));
    if (w->dims == 2) way.z = 0.0f;
    return vec3_scale(way, w->dt);
}

// The nearest vector x to x0 with n.x >= least for each contact: Gauss-Seidel with sums that do not
// pull.
static TarnVec3 project(TarnVec3 x, const SolidContact* c, const float* least, int n)
{
    float sum[MAX_CONTACTS] = { 0.0f };
    for (int round = 0; round < (n > 1 ? 24 : 1); ++round) {
        float most = 0.0f, scale = 0.0f;
        for (int i = 0; i < n; ++i) {
            float add = tarn_maxf(least[i] - vec3_dot(c[i].normal, x), -sum[i]);
            sum[i] += add;
            x = vec3_add(x, vec3_scale(c[i].normal, add));
            most = tarn_maxf(most, fabsf(add));
            scale = tarn_maxf(scale, fabsf(least[i]));
        }
        if (most <= 1e-4f * scale) break;
    }
    return x;
}

// Turns the velocity along all walls at hand; they carry the particle along.
static void slide(Sweep* w, const SolidContact* c, int n)
{
    float least[MAX_CONTACTS], fastest = vec3_length(w->v);
    for (int i = 0; i < n; ++i) {
        TarnVec3 wall = surface_way(w, &c[i]);
        least[i] = vec3_dot(c[i].normal, wall);
        fastest = tarn_maxf(fastest, vec3_length(wall));
    }
    w->v = project(w->v, c, least, n);
    float speed = vec3_length(w->v), limit = 3.0f * fastest; // out of a wedge that closes
    if (speed > limit) w->v = vec3_scale(w->v, limit / speed);
}

// How far it gets from p at u0 to b at u1 with the clearance r to slot number i.
static float cast_one(const Sweep* w, int i, float u0, float u1, TarnVec3 b, float r)
{
    SolidPose made[2];
    const SolidPose* from = known_pose(w, i, u0, &made[0]);
    TarnVec3 m, q = to_local(from, w->p);
    const TarnVec3* plane = section(from, w->dims, &m);
    const SolidPose* to = u1 > u0 ? known_pose(w, i, u1, &made[1]) : from;
    return tarn__solid_cast(&w->set->solid[w->slots[i]], q, to_local(to, b), plane, r);
}

static float cast(const Sweep* w, float u0, float u1, TarnVec3 b, int* who)
{
    float at = 1.0f;
    for (int i = 0; i < w->n; ++i) {
        float until = cast_one(w, i, u0, u1, b, w->r);
        if (!(until < at)) continue;
        at = tarn_maxf(until, 0.0f);
        *who = w->slots[i];
    }
    return at;
}

// A slot within the distance, as it may become over the whole way. *d: the distance now.
static bool is_within(const Sweep* w, int slot, float u, float distance, float* d)
{
    const Solid* s = &w->set->solid[slot];
    if (is_apart(s, w->p, distance)) return false;
    SolidPose pose = pose_at(w, slot, u);
    TarnVec3 from = vec3_sub(w->p, pose.position), m;
    float out = sqrtf(vec3_dot(from, from));
    distance += w->dt * own_motion(s, out + distance);
    if (out - s->reach > distance) return false;
    *d = tarn__solid_nearest(s, to_local(&pose, w->p), section(&pose, w->dims, &m), distance).d;
    return *d <= distance || s->def.shape.kind == TARN_SHAPE_TERRAIN;
}

// A particle that leaves its straight way may meet solids that nobody thought of.
static void cover(Sweep* w, float u, TarnVec3 to)
{
    TarnVec3 off = vec3_sub(to, w->center), way = vec3_sub(to, w->p);
    if (vec3_length(off) + 1.1f * w->r <= w->covered) return;
    int n = 0;
    float reach = 1.5f * vec3_length(way) + 4.0f * w->r, d;
    w->center = w->p;
    w->covered = reach;
    for (int i = 0; i < w->set->ids.count; ++i) {
        int slot = w->set->ids.order[i];
        if (!is_within(w, slot, u, reach, &d)) continue;
        if (n == MAX_NEAR) { // a crowd: look at all of them
            w->slots = w->set->ids.order;
            w->n = w->set->ids.count;
            return;
        }
        w->near[n++] = slot;
    }
    keep(w, n);
}

static bool is_inside_of(const SolidContact* c, int n, int slot)
{
    for (int i = 0; i < n; ++i) {
        if (c[i].solid == slot && c[i].distance <= 0.0f) return true;
    }
    return false;
}

// Out of all solids by the shortest way at one moment, without crossing any it is not in. What
// cannot be is left.
static void push_out(Sweep* w, float u)
{
    for (int round = 0; round < 8; ++round) {
        SolidContact c[MAX_CONTACTS];
        float least[MAX_CONTACTS];
        int n = touching(w, u, w->r, c);
        if (n == 0 || c[0].distance >= 0.998f * w->r) return;
        for (int i = 0; i < n; ++i) least[i] = w->r - c[i].distance;
        TarnVec3 way = project((TarnVec3){ 0.0f, 0.0f, 0.0f }, c, least, n);
        float length = vec3_length(way), limit = 2.0f * (w->r + fabsf(c[0].distance));
        if (length > limit) { // walls against each other
            way = vec3_scale(way, limit / length);
            length = limit;
        }
        TarnVec3 to = vec3_add(w->p, way);
        float at = 1.0f;
        cover(w, u, to);
        for (int i = 0; i < w->n; ++i) {
            if (is_inside_of(c, n, w->slots[i])) continue;
            at = tarn_minf(at, cast_one(w, i, u, u, to, w->r));
        }
        float depth = -c[0].distance; // from deep inside it does not creep out past obstacles
        float least_way = depth > w->r ? 0.05f * depth : 1e-4f * w->r;
        if (!(at * length > least_way)) return;
        w->p = at < 1.0f ? solid__lerp(w->p, to, at) : to;
    }
}

static void note_hit(Sweep* w, int slot, float u)
{
    SolidContact c[LOCAL_CONTACTS];
    if (w->hit >= 0) return;
    SolidPose pose = pose_at(w, slot, u);
    int n = add_contacts(w->set, slot, &pose, w->dims, w->p, 1.1f * w->r, c, 0, LOCAL_CONTACTS);
    w->hit = slot;
    w->hit_u = u;
    w->hit_normal = n > 0 ? c[0].normal : (TarnVec3){ 0.0f, 1.0f, 0.0f };
}

// ---- Sweep --------------------------------------------------------------------------------------

static TarnVec3 carried(const Sweep* w, int slot, float u0, float u1)
{
    SolidPose from = pose_at(w, slot, u0), to = pose_at(w, slot, u1);
    TarnVec3 p = to_world(&to, to_local(&from, w->p));
    if (w->dims == 2) p.z = 0.0f;
    return p;
}

// How bad it would be to go to b until u1: out of a tank, through something, inside of something.
static int price(const Sweep* w, float u0, float u1, TarnVec3 b)
{
    int sum = 0;
    for (int i = 0; i < w->n; ++i) {
        const Solid* s = &w->set->solid[w->slots[i]];
        SolidPose pose = pose_at(w, w->slots[i], u1);
        TarnVec3 m;
        const TarnVec3* plane = section(&pose, w->dims, &m);
        float d = tarn__solid_nearest(s, to_local(&pose, b), plane, w->r).d;
        bool is_crossed = cast_one(w, i, u0, u1, b, 0.1f * w->r) < 1.0f;
        if (d < 0.0f) sum += s->def.is_inside_out ? 1000 : 1;
        if (is_crossed) sum += s->def.is_inside_out ? 1000 : 30;
    }
    return sum;
}

// No way forward: it is squeezed. It goes with one of the solids it stands at, or stays, whichever
// breaks the least.
static void rescue(Sweep* w, float u0, float u1)
{
    SolidContact c[MAX_CONTACTS];
    int n = touching(w, u0, 1.5f * w->r, c);
    TarnVec3 best = w->p;
    ++w->rescues;
    int least = price(w, u0, u1, w->p);
    for (int i = 0; i < n && least > 0; ++i) {
        TarnVec3 b = carried(w, c[i].solid, u0, u1);
        int cost = price(w, u0, u1, b);
        if (cost >= least) continue;
        least = cost;
        best = b;
    }
    w->p = best;
}

static void follow(Sweep* w, float u, float u1)
{
    for (int turn = 0; turn < MAX_TURNS && w->turns < MAX_ALL_TURNS; ++turn, ++w->turns) {
        SolidContact c[MAX_CONTACTS];
        int who = -1, n = touching(w, u, 1.05f * w->r, c);
        if (n > 0 && c[0].distance < 0.6f * w->r) {
            push_out(w, u);
            n = touching(w, u, 1.05f * w->r, c);
        }
        if (n > 0) slide(w, c, n);
        TarnVec3 to = vec3_add(w->p, vec3_scale(w->v, u1 - u));
        if (n > 0) w->is_straight = false;
        if (!w->is_straight) cover(w, u, vec3_add(w->p, vec3_scale(w->v, 1.0f - u)));
        float at = cast(w, u, u1, to, &who);
        if (at >= 1.0f) {
            w->p = to;
            return;
        }
        w->p = solid__lerp(w->p, to, at);
        u += at * (u1 - u);
        note_hit(w, who, u);
    }
    rescue(w, u, u1);
}

// The longest piece of the way from u on in which no turning solid bends it by more than a fifth of
// the clearance, and none turns by more than a quarter of a radian.
static float piece(const Sweep* w, float u)
{
    float most = 1.0f, length = vec3_length(w->v);
    for (int i = 0; i < w->n; ++i) {
        const Solid* s = &w->set->solid[w->slots[i]];
        float angle = s->angle * w->dt;
        if (!(angle > 0.0f)) continue;
        TarnVec3 from = vec3_sub(w->p, pose_at(w, w->slots[i], u).position);
        TarnVec3 way = vec3_sub(s->def.motion.position, s->start.position);
        float l = length + sqrtf(vec3_dot(way, way)) * w->dt, out = sqrtf(vec3_dot(from, from)) + l;
        float bend = 0.125f * out * angle * angle + 0.25f * l * angle;
        most = tarn_maxf(most, tarn_maxf(sqrtf(bend / (0.2f * w->r)), 4.0f * angle));
    }
    return 1.0f / tarn_minf(most, (float)MAX_PIECES);
}

// Leaves the solids that are within the straight way. False: none are.
static bool keep_near(Sweep* w, float length, float* nearest)
{
    int n = 0;
    *nearest = solid_far;
    for (int i = 0; i < w->n; ++i) {
        float d = solid_far;
        if (!is_within(w, w->slots[i], 0.0f, length + 1.1f * w->r, &d)) continue;
        *nearest = tarn_minf(*nearest, d);
        if (n < MAX_NEAR) w->near[n] = w->slots[i];
        ++n;
    }
    if (n > 0 && n <= MAX_NEAR) keep(w, n); // else all of them are looked at
    return n > 0;
}

// Is it still inside of something, from which nothing leads out? Then that is what it hits.
static bool is_buried(Sweep* w)
{
    SolidContact c[MAX_CONTACTS];
    int n = touching(w, 0.0f, w->r, c);
    if (n == 0 || c[0].distance >= 0.0f) return false;
    w->hit = c[0].solid;
    w->hit_normal = c[0].normal;
    w->hit_u = 0.0f;
    return true;
}

// From w->p to b, piece by piece. nearest: distance to the first solid at the start.
static void travel(Sweep* w, TarnVec3 b, float nearest)
{
    if (nearest < 0.998f * w->r) {
        push_out(w, 0.0f);
        w->is_straight = false;
    }
    if (nearest < 0.0f && is_buried(w)) { // it would find that out again at each turn of the way
        rescue(w, 0.0f, 1.0f);
        return;
    }
    w->v = vec3_sub(b, w->p);
    for (float u = 0.0f; u < 1.0f;) {
        bool is_hopeless = w->rescues >= MAX_RESCUES || w->turns >= MAX_ALL_TURNS;
        float next = is_hopeless ? 1.0f : u + piece(w, u);
        if (next > 0.9999f) next = 1.0f;
        follow(w, u, next);
        u = next;
    }
    push_out(w, 1.0f);
}

// A clearance below what floats can tell apart here would be none.
static float least_clearance(TarnVec3 a, TarnVec3 b)
{
    float size = fabsf(a.x) + fabsf(a.y) + fabsf(a.z) + fabsf(b.x) + fabsf(b.y) + fabsf(b.z);
    return 2e-5f + 2e-6f * size;
}

TarnVec3 tarn__solids_sweep(const TarnSolids* set, const int* slots, int n_slots, float t0,
                            float t1, int dims, TarnVec3 a, TarnVec3 b, float radius, int* hit,
                            TarnVec3* hit_normal, float* hit_at)
{
    if (dims == 2) a.z = b.z = 0.0f;
    Sweep w = { .set = set, .slots = slots, .n = n_slots, .dims = dims, .t0 = t0, .p = a };
    float length = vec3_length(vec3_sub(b, a)), nearest;
    int slots_near[MAX_NEAR];
    Placed placed[MAX_NEAR];
    w.near = slots_near, w.placed = placed;
    w.is_straight = true, w.covered = -1.0f;
    w.dt = tarn_maxf(t1 - t0, 0.0f);
    w.r = tarn_maxf(radius, least_clearance(a, b));
    w.hit = -1, w.hit_u = 1.0f;
    if (!keep_near(&w, length, &nearest)) {
        w.p = b;
    } else {
        travel(&w, b, nearest);
    }
    if (hit) *hit = w.hit;
    if (hit_normal) *hit_normal = w.hit_normal;
    if (hit_at) *hit_at = tarn_clampf(w.hit_u, 0.0f, 1.0f);
    return w.p;
}

// ---- Questions of the host ----------------------------------------------------------------------

static void query_one(const TarnSolids* set, TarnVec3 p, float reach, SolidContact* best)
{
    *best = (SolidContact){
        -1, reach, { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f }
    };
    if (!tarn__is_finite3(p)) return;
    for (int i = 0; i < set->ids.count; ++i) {
        const Solid* s = &set->solid[set->ids.order[i]];
        float near = best->distance;
        SolidContact c;
        if (is_apart(s, p, tarn_maxf(near, 0.0f))) continue;
        SolidPose pose = tarn__solid_pose(s, 1.0f);
        if (add_contacts(set, set->ids.order[i], &pose, 3, p, near, &c, 0, 1) > 0) *best = c;
    }
}

TarnResult tarn_solids_query(const TarnSolids* set, int n, const float* x, const float* y,
                             const float* z, float reach, float* distance, TarnVec3* normal,
                             TarnVec3* velocity)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (n < 0 || (n > 0 && (x == NULL || y == NULL || z == NULL))) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "n, x, y, z: %d points%s; pass the coordinates of 0 or more points", n,
                          n < 0 ? "" : " without coordinates");
    }
    if (!(reach > 0.0f && reach <= 1e6f)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "reach: %g m is out of range; allowed: above 0 up to 1e6 m",
                          (double)reach);
    }
    for (int i = 0; i < n; ++i) {
        SolidContact c;
        query_one(set, (TarnVec3){ x[i], y[i], z[i] }, reach, &c);
        if (distance) distance[i] = c.distance;
        if (normal) normal[i] = c.normal;
        if (velocity) velocity[i] = c.velocity;
    }
    return TARN_OK;
}
