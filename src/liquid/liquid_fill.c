// Particles come and go by the host's hand: filling, adding, removing, finding.

#include "liquid/liquid_driver.h"
#include "base/def.h"
#include <math.h>

static const TarnParam fill_params[] = {
    P_SHAPE(TarnLiquidFill, SHAPES_VOLUMES, TARN_SHAPE_BOX, "Shape that is filled."),
    P_SHAPE_SIZE(
        TarnLiquidFill, 1e6, 0.5, 0.5, 0.5,
        "Half extents of a box; radius of a sphere; radius and half length of a capsule or "
        "cylinder."),
    P_VEC3(TarnLiquidFill, velocity, "m/s", -1e4, 1e4, 0, 0, 0, "Of the particles."),
    P_INT(TarnLiquidFill, kind, "", 0, TARN_LIQUID_KINDS - 1, 0,
          "Kind of liquid of the particles."),
    P_INT(TarnLiquidFill, group, "", 0, 255, 0, "Group of the particles, for the host's use."),
    P_FLOAT(TarnLiquidFill, jitter, "spacings", 0, 0.5, 0,
            "Random offset of the particles from the lattice."),
    P_FLOAT(TarnLiquidFill, temperature, "K", -1e4, 1e4, 0,
            "Temperature of the particles above ambient."),
};
static const TarnParamTable fill_table = PARAM_TABLE("fill", TarnLiquidFill, fill_params);

const TarnParamTable* tarn_liquid_fill_table(void)
{
    return &fill_table;
}
void tarn_liquid_init_fill(TarnLiquidFill* out, size_t size)
{
    TarnLiquidFill fill = { 0 };
    tarn_param_defaults(&fill_table, &fill);
    fill.pose.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnLiquidFill, out, size, &fill);
}

// ---- One particle ------------------------------------------------------------------------------

static TarnVec3 limit_speed(TarnVec3 v, float limit)
{
    double speed = vec3__length(v);
    return speed > (double)limit ? vec3_scale(v, (float)((double)limit / speed)) : v;
}

void tarn__liquid_append(TarnLiquid* l, const LiquidNew* new)
{
    LiquidDriver* d = l->driver;
    int p = l->n++;
    bool is_3d = l->def.dimensions == 3;
    TarnVec3 v = new->velocity;
    if (!is_3d) v.z = 0.0f;
    v = limit_speed(v, l->params.max_speed);
    l->x[p] = new->position.x, l->y[p] = new->position.y;
    l->z[p] = is_3d ? new->position.z : 0.0f;
    l->vx[p] = v.x, l->vy[p] = v.y, l->vz[p] = v.z;
    l->density[p] = l->kinds[new->kind].density;
    l->pressure[p] = l->memory_a[p] = l->memory_b[p] = 0.0f;
    l->temperature[p] = new->temperature;
    l->id[p] = l->next_id++;
    l->user[p] = l->inside[p] = 0;
    l->kind[p] = (uint8_t) new->kind;
    l->group[p] = (uint8_t) new->group;
    l->flags[p] = 0;
    if (d->size) {
        d->size[p] = 1.0f;
        d->along_x[p] = 1.0f;
        d->along_y[p] = d->along_z[p] = 0.0f;
        d->stretch[p] = 1.0f;
    }
    d->is_warm = d->is_warm || new->temperature != 0.0f;
    d->is_indexed = false;
    ++d->ledger.added;
}

void tarn__liquid_remove_at(TarnLiquid* l, int p)
{
    LiquidDriver* d = l->driver;
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = tarn__liquid_arrays(l, arrays), last = --l->n;
    for (int r = 0; l->inside[p] != 0 && r < l->def.max_regions; ++r)
        d->regions[r].count -= (int)(l->inside[p] >> r & 1u);
    for (int a = 0; a < n_arrays; ++a) {
        size_t size = (size_t)arrays[a].size;
        char* data = arrays[a].data;
        memmove(data + (size_t)p * size, data + (size_t)last * size, size);
    }
    d->n_sorted = -1;
    d->is_indexed = false;
}

// Room for n more, of particles and of ids.
static TarnResult check_room(const TarnLiquid* l, double n)
{
    int room = l->def.max_particles - l->n;
    if (n > room) {
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "liquid: %.0f particles do not fit; only %d of %d places are free; "
                          "raise liquid.max_particles",
                          n, room, l->def.max_particles);
    }
    if (n > (double)(UINT32_MAX - l->next_id))
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "liquid: all ids are used up; reset the liquid");
    return TARN_OK;
}

// ---- Filling -----------------------------------------------------------------------------------

typedef struct Lattice {
    TarnVec3 first; // point (0, 0, 0)
    int64_t n[3];
    PlacedShape place;
} Lattice;

// Over the part of the shape's bounds that lies in the domain.
static Lattice lattice_of(const TarnLiquid* l, const TarnLiquidFill* fill)
{
    const TarnLiquidDef* def = &l->def;
    TarnVec3 lo = l->driver->domain_min, hi = l->driver->domain_max;
    PlacedShape place = tarn__liquid_place(l, &fill->shape, &fill->pose);
    const float min[3] = { tarn_maxf(place.low.x, lo.x), tarn_maxf(place.low.y, lo.y),
                           tarn_maxf(place.low.z, lo.z) };
    const float max[3] = { tarn_minf(place.high.x, hi.x), tarn_minf(place.high.y, hi.y),
                           tarn_minf(place.high.z, hi.z) };
    float s = def->spacing;
    Lattice lat = { .place = place,
                    .first = { min[0] + 0.5f * s, min[1] + 0.5f * s, min[2] + 0.5f * s } };
    for (int a = 0; a < 3; ++a) {
        double room = ((double)max[a] - (double)min[a]) / (double)s;
        lat.n[a] = room > 0.0 ? (int64_t)(room + 0.01) : 0; // 39 spacings of 1/39 are 39
    }
    if (def->dimensions == 2) lat.n[2] = 1, lat.first.z = 0.0f;
    return lat;
}

// The points of an upright box are inside as they are.
static bool is_free(const TarnLiquid* l, const Lattice* lat, TarnVec3 at, const int* slots,
                    int n_slots)
{
    if (!lat->place.is_upright_box && !shape__holds(&lat->place, at)) return false;
    if (n_slots == 0) return true;
    SolidContact contact;
    float reach = 0.45f * l->def.spacing; // half, and the rounding of who counts on half
    return tarn__solids_contacts(l->solids, slots, n_slots, 1.0f, l->def.dimensions, at, reach,
                                 &contact, 1) == 0;
}

// Adds the free points, or only counts them.
static int64_t walk_lattice(TarnLiquid* l, const TarnLiquidFill* fill, const Lattice* lat,
                            bool is_adding)
{
    int slots[LIQUID_NEAR], n_slots = 0;
    float s = l->def.spacing;
    int64_t n = 0;
    if (l->solids) {
        TarnVec3 reach = { s, s, s };
        n_slots = tarn__solids_near(l->solids, vec3_sub(lat->place.low, reach),
                                    vec3_add(lat->place.high, reach), slots, LIQUID_NEAR);
    }
    for (int64_t k = 0; k < lat->n[2]; ++k) {
        for (int64_t j = 0; j < lat->n[1]; ++j) {
            for (int64_t i = 0; i < lat->n[0]; ++i) {
                TarnVec3 at = { lat->first.x + (float)i * s, lat->first.y + (float)j * s,
                                lat->first.z + (float)k * s };
                if (!is_free(l, lat, at, slots, n_slots)) continue;
                ++n;
                if (!is_adding) continue;
                float* axis[3] = { &at.x, &at.y, &at.z };
                for (unsigned a = 0; a < (unsigned)l->def.dimensions; ++a) {
                    float r = tarn__random01((uint64_t)l->def.seed, 1 + a, l->next_id);
                    *axis[a] += fill->jitter * s * (2.0f * r - 1.0f);
                }
                tarn__liquid_append(l, &(LiquidNew){ at, fill->velocity, fill->kind, fill->group,
                                                     fill->temperature });
            }
        }
    }
    return n;
}

TarnResult tarn__liquid_check_shape(const TarnLiquid* l, const char* owner, const TarnShape* shape,
                                    const TarnPose* pose)
{
    TarnShape s = *shape;
    if (l->def.dimensions == 2 && s.kind == TARN_SHAPE_BOX && s.size.z == 0.0f)
        s.size.z = s.size.x; // flat boxes are good enough for the plane
    TARN_TRY(tarn__shape_check_size(l->ctx, owner, &s, 1e-5f, 1e6f));
    return tarn__pose_check(l->ctx, owner, pose);
}

PlacedShape tarn__liquid_place(const TarnLiquid* l, const TarnShape* shape, const TarnPose* pose)
{
    TarnPose at = *pose;
    if (l->def.dimensions == 2) at.position.z = 0.0f;
    return tarn__shape_place(shape, &at);
}

static TarnResult check_fill(const TarnLiquid* l, const TarnLiquidFill* fill)
{
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "fill", "tarn/liquid.h", TarnLiquidFill,
                            tarn_liquid_fill_default, fill));
    TARN_TRY(tarn_param_validate(l->ctx, &fill_table, fill));
    return tarn__liquid_check_shape(l, "fill", &fill->shape, &fill->pose);
}

TarnResult tarn_liquid_fill(TarnLiquid* l, const TarnLiquidFill* fill, int* added)
{
    if (added) *added = 0;
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_fill(l, fill));
    Lattice lat = lattice_of(l, fill);
    // Looking at points takes time too: beyond this the answer is clear.
    double points = (double)lat.n[0] * (double)lat.n[1] * (double)lat.n[2];
    bool is_plain = lat.place.is_upright_box && l->solids == NULL;
    if (is_plain || points > 100.0 * l->def.max_particles + 1e5) TARN_TRY(check_room(l, points));
    if (!is_plain) TARN_TRY(check_room(l, (double)walk_lattice(l, fill, &lat, false)));
    int64_t n = walk_lattice(l, fill, &lat, true);
    tarn__liquid_ghosts(l);
    if (added) *added = (int)n;
    return TARN_OK;
}

// ---- One by one --------------------------------------------------------------------------------

static TarnResult check_numbers(const TarnLiquid* l, int n, const TarnVec3* position,
                                const TarnVec3* velocity)
{
    for (int i = 0; i < n; ++i) {
        if (!tarn__all_within(&position[i], 3, liquid_max_place)) {
            return tarn__fail(l->ctx, TARN_ERR_DATA,
                              "tarn_liquid_add: position %d (%g, %g, %g) is not within +-1e6 m", i,
                              (double)position[i].x, (double)position[i].y, (double)position[i].z);
        }
        if (velocity && !tarn__is_finite3(velocity[i])) {
            return tarn__fail(l->ctx, TARN_ERR_DATA,
                              "tarn_liquid_add: velocity %d (%g, %g, %g) is not finite", i,
                              (double)velocity[i].x, (double)velocity[i].y, (double)velocity[i].z);
        }
    }
    return TARN_OK;
}

TarnResult tarn_liquid_add(TarnLiquid* l, int n, const TarnVec3* position, const TarnVec3* velocity,
                           int kind, int group, uint32_t* first_id)
{
    if (first_id) *first_id = 0;
    if (l == NULL) return TARN_ERR_ARG;
    if (n < 0 || (n > 0 && position == NULL)) {
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_liquid_add: n is %d; it must be 0 or more, with positions", n);
    }
    if (kind < 0 || kind >= TARN_LIQUID_KINDS || group < 0 || group > 255) {
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_liquid_add: kind %d, group %d; allowed: 0 to %d, 0 to 255", kind,
                          group, TARN_LIQUID_KINDS - 1);
    }
    TARN_TRY(check_room(l, n));
    TARN_TRY(check_numbers(l, n, position, velocity));
    if (first_id && n > 0) *first_id = l->next_id;
    for (int i = 0; i < n; ++i) {
        TarnVec3 v = velocity ? velocity[i] : (TarnVec3){ 0.0f, 0.0f, 0.0f };
        tarn__liquid_append(l, &(LiquidNew){ position[i], v, kind, group, 0.0f });
    }
    tarn__liquid_ghosts(l);
    return TARN_OK;
}

TarnResult tarn_liquid_push_group(TarnLiquid* l, int group, TarnVec3 velocity)
{
    if (l == NULL) return TARN_ERR_ARG;
    if (group < -1 || group > 255)
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_liquid_push_group: group %d; allowed: -1 to 255", group);
    if (!tarn__all_within(&velocity, 3, 1e6f)) {
        return tarn__fail(l->ctx, TARN_ERR_ARG,
                          "tarn_liquid_push_group: velocity (%g, %g, %g) is not within +-1e6 m/s",
                          (double)velocity.x, (double)velocity.y, (double)velocity.z);
    }
    if (l->def.dimensions == 2) velocity.z = 0.0f;
    for (int p = 0; p < l->n; ++p) {
        if (group >= 0 && l->group[p] != group) continue;
        TarnVec3 v = limit_speed(vec3_add(liquid_velocity(l, p), velocity), l->params.max_speed);
        l->vx[p] = v.x, l->vy[p] = v.y, l->vz[p] = v.z;
    }
    return TARN_OK;
}

int tarn_liquid_remove_group(TarnLiquid* l, int group)
{
    if (l == NULL) return 0;
    int before = l->n;
    for (int p = l->n - 1; p >= 0; --p) { // from behind: what takes its place was looked at
        if (l->group[p] == group) tarn__liquid_remove_at(l, p);
    }
    l->driver->ledger.removed += (uint64_t)(before - l->n);
    tarn__liquid_ghosts(l);
    return before - l->n;
}

void tarn__liquid_take(TarnLiquid* l, int n, const int* indices)
{
    for (int i = n - 1; i >= 0; --i)
        tarn__liquid_remove_at(l, indices[i]); // the last fills its place
    l->driver->ledger.removed += (uint64_t)n;
    tarn__liquid_ghosts(l);
}

// ---- By id -------------------------------------------------------------------------------------

// Particles by id, into neighbors.cell_of: a radix sort over the bytes of the ids, with order as the
// second buffer. Neither is needed between steps.
static void build_index(TarnLiquid* l)
{
    int *from = l->neighbors.cell_of, *to = l->neighbors.order;
    for (int p = 0; p < l->n; ++p) from[p] = p;
    for (int shift = 0; shift < 32; shift += 8) {
        int begin[257] = { 0 };
        for (int p = 0; p < l->n; ++p) begin[(l->id[p] >> shift & 255u) + 1]++;
        for (int b = 0; b < 256; ++b) begin[b + 1] += begin[b];
        for (int i = 0; i < l->n; ++i) to[begin[l->id[from[i]] >> shift & 255u]++] = from[i];
        int* swap = from;
        from = to;
        to = swap;
    }
    l->driver->is_indexed = true; // four passes: the result is back in cell_of
}

static int find_indexed(const TarnLiquid* l, uint32_t id)
{
    const int* index = l->neighbors.cell_of;
    int lo = 0, hi = l->n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (l->id[index[mid]] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < l->n && l->id[index[lo]] == id ? index[lo] : -1;
}

int tarn_liquid_find(const TarnLiquid* l, uint32_t id)
{
    if (l == NULL || id == 0) return -1;
    if (l->driver->is_indexed) return find_indexed(l, id);
    for (int p = 0; p < l->n; ++p) { // any thread may ask: an index is not made here
        if (l->id[p] == id) return p;
    }
    return -1;
}

static TarnResult find_or_fail(const TarnLiquid* l, uint32_t id, int p)
{
    if (p >= 0) return TARN_OK;
    return tarn__fail(l->ctx, TARN_ERR_ARG, "liquid: there is no particle %u", (unsigned)id);
}

TarnResult tarn_liquid_set_user(TarnLiquid* l, uint32_t id, uint32_t user)
{
    if (l == NULL) return TARN_ERR_ARG;
    if (!l->driver->is_indexed) build_index(l);
    int p = find_indexed(l, id);
    TARN_TRY(find_or_fail(l, id, p));
    l->user[p] = user;
    return TARN_OK;
}

TarnResult tarn_liquid_remove(TarnLiquid* l, uint32_t id)
{
    if (l == NULL) return TARN_ERR_ARG;
    int p = tarn_liquid_find(l, id);
    TARN_TRY(find_or_fail(l, id, p));
    tarn__liquid_remove_at(l, p);
    ++l->driver->ledger.removed;
    tarn__liquid_ghosts(l);
    return TARN_OK;
}
