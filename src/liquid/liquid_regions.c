// Regions: places that sense, push, slow down, warm, freeze or remove what is in them. And warmth, which
// neighbors share.

#include "liquid/liquid_driver.h"
#include "base/def.h"

static const char* const action_names[] = { "sense",  "delete", "push", "heat",
                                            "freeze", "drag",   NULL };
static const TarnParam region_params[] = {
    P_SHAPE(TarnRegionDef, SHAPES_VOLUMES, TARN_SHAPE_BOX, "Shape of the region."),
    P_SHAPE_SIZE(
        TarnRegionDef, 1e6, 0.5, 0.5, 0.5,
        "Half extents of a box; radius of a sphere; radius and half length of a capsule or "
        "cylinder."),
    P_ENUM(TarnRegionDef, action, action_names, 6, TARN_REGION_SENSE,
           "What the region does. sense: events only; delete: drains particles; push: accelerates; "
           "heat: warms or cools; freeze: cools and holds what is in it; drag: slows toward push "
           "as a velocity."),
    P_VEC3(TarnRegionDef, push, "m/s^2", -1e4, 1e4, 0, 0, 0,
           "Acceleration; for drag the target velocity [m/s]."),
    P_FLOAT(TarnRegionDef, rate, "1/s", 0, 1e4, 1,
            "Rate of heat, freeze and drag; larger values act faster."),
    P_FLOAT(TarnRegionDef, temperature, "K", -1e4, 1e4, 0, "Target temperature above ambient."),
    P_INT(TarnRegionDef, kind, "", -1, TARN_LIQUID_KINDS - 1, -1,
          "Kind of liquid that the region acts on; -1 for all."),
    P_FLOAT(TarnRegionDef, start, "s", 0, 1e9, 0, "Time of the liquid at which the region begins."),
    P_FLOAT(TarnRegionDef, stop, "s", 0, 1e9, 1e9, "Time of the liquid at which the region ends."),
};
static const TarnParamTable region_table = PARAM_TABLE("region", TarnRegionDef, region_params);

const TarnParamTable* tarn_region_def_table(void)
{
    return &region_table;
}
void tarn_region_init_def(TarnRegionDef* out, size_t size)
{
    TarnRegionDef def = { 0 };
    tarn_param_defaults(&region_table, &def);
    def.pose.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnRegionDef, out, size, &def);
}

// ---- Handles -----------------------------------------------------------------------------------

TarnRegionId tarn__liquid_region_id(const TarnLiquid* l, int slot)
{
    return (TarnRegionId){ tarn__handles_id(&l->driver->region_ids, slot) };
}

static TarnResult find_or_fail(const TarnLiquid* l, TarnRegionId id, int* slot)
{
    *slot = tarn__handles_find(l->ctx, &l->driver->region_ids, id.value);
    return *slot >= 0 ? TARN_OK : TARN_ERR_ARG;
}

TarnResult tarn__liquid_check_region(const TarnLiquid* l, const TarnRegionDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(l->ctx, "region", "tarn/liquid_regions.h", TarnRegionDef,
                            tarn_region_default_def, def));
    TARN_TRY(tarn_param_validate(l->ctx, &region_table, def));
    TARN_TRY(tarn__liquid_check_shape(l, "region", &def->shape, &def->pose));
    if (def->stop < def->start)
        return tarn__fail(l->ctx, TARN_ERR_ARG, "region.stop: %g s is before start, %g s",
                          (double)def->stop, (double)def->start);
    return TARN_OK;
}

void tarn__liquid_put_region(const TarnLiquid* l, LiquidRegion* region, const TarnRegionDef* def)
{
    region->def = *def;
    region->place = tarn__liquid_place(l, &def->shape, &def->pose);
}

TarnResult tarn_liquid_add_region(TarnLiquid* l, const TarnRegionDef* def, TarnRegionId* out)
{
    if (out) *out = (TarnRegionId){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__liquid_check_region(l, def));
    int slot = tarn__handles_add(&l->driver->region_ids);
    if (slot < 0)
        return tarn__fail(l->ctx, TARN_ERR_CAPACITY,
                          "all %d regions are in use; raise liquid.max_regions (at most %d)",
                          l->def.max_regions, LIQUID_MAX_REGIONS);
    l->driver->regions[slot].count = 0;
    tarn__liquid_put_region(l, &l->driver->regions[slot], def);
    if (out) *out = tarn__liquid_region_id(l, slot);
    return TARN_OK;
}

TarnResult tarn_liquid_set_region(TarnLiquid* l, TarnRegionId id, const TarnRegionDef* def)
{
    int slot;
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(l, id, &slot));
    TARN_TRY(tarn__liquid_check_region(l, def));
    tarn__liquid_put_region(l, &l->driver->regions[slot], def);
    return TARN_OK;
}

TarnResult tarn_liquid_remove_region(TarnLiquid* l, TarnRegionId id)
{
    int slot;
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(find_or_fail(l, id, &slot));
    tarn__handles_remove(&l->driver->region_ids, slot);
    l->driver->regions[slot] = (LiquidRegion){ 0 };
    for (int p = 0; p < l->n; ++p) l->inside[p] &= ~(1u << slot);
    return TARN_OK;
}

int tarn_liquid_region_count(const TarnLiquid* l, TarnRegionId id)
{
    int slot = l ? tarn__handles_slot(&l->driver->region_ids, id.value) : -1;
    return slot < 0 ? -1 : l->driver->regions[slot].count;
}

bool tarn__liquid_has_regions(const TarnLiquid* l)
{
    return l->driver->region_ids.count > 0;
}

// ---- Who is where ------------------------------------------------------------------------------

static bool is_on(const LiquidRegion* region, double time)
{
    return time >= (double)region->def.start && time < (double)region->def.stop;
}

static void find_block(int block, void* data)
{
    const Substep* s = data;
    TarnLiquid* l = s->l;
    double time = l->time + (double)s->dt;
    int begin = block * LIQUID_BLOCK, end = liquid_block_end(l, block);
    int* found = l->neighbors.order;
    for (int p = begin; p < end; ++p) found[p] = 0;
    const TarnHandles* ids = &l->driver->region_ids;
    for (int n = 0; n < ids->count; ++n) {
        int r = ids->order[n];
        const LiquidRegion* region = &l->driver->regions[r];
        if (!is_on(region, time)) continue;
        for (int p = begin; p < end; ++p) {
            bool is_kind = region->def.kind < 0 || region->def.kind == l->kind[p];
            if (!is_kind || !shape__holds(&region->place, liquid_position(l, p))) continue;
            found[p] = (int)((uint32_t)found[p] | 1u << r);
            if (region->def.action == TARN_REGION_DELETE) liquid_mark_gone(l, p, GONE_REGION, r);
        }
    }
}

void tarn__liquid_find_regions(const Substep* s)
{
    TarnLiquid* l = s->l;
    if (tarn__liquid_has_regions(l))
        tarn__parallel_for(l->ctx, liquid_blocks(l->n), find_block, (void*)s);
}

// ---- What regions do ---------------------------------------------------------------------------

// Returns whether it freezes.
static bool act(const Substep* s, int p)
{
    TarnLiquid* l = s->l;
    bool is_frozen = false;
    for (int r = 0; r < l->def.max_regions; ++r) {
        if (!(l->inside[p] >> r & 1u)) continue;
        const TarnRegionDef* def = &l->driver->regions[r].def;
        float share = s->dt * def->rate / (1.0f + s->dt * def->rate); // implicit: any rate
        switch (def->action) {
        case TARN_REGION_PUSH:
            l->vx[p] += s->dt * def->push.x;
            l->vy[p] += s->dt * def->push.y;
            if (l->def.dimensions == 3) l->vz[p] += s->dt * def->push.z;
            break;
        case TARN_REGION_DRAG:
            l->vx[p] += share * (def->push.x - l->vx[p]);
            l->vy[p] += share * (def->push.y - l->vy[p]);
            if (l->def.dimensions == 3) l->vz[p] += share * (def->push.z - l->vz[p]);
            break;
        case TARN_REGION_HEAT:
        case TARN_REGION_FREEZE:
            l->temperature[p] += share * (def->temperature - l->temperature[p]);
            is_frozen = is_frozen || def->action == TARN_REGION_FREEZE;
            break;
        default:
            break;
        }
    }
    return is_frozen;
}

static void act_block(int block, void* data)
{
    const Substep* s = data;
    TarnLiquid* l = s->l;
    for (int p = block * LIQUID_BLOCK, end = liquid_block_end(l, block); p < end; ++p) {
        const TarnLiquidKindDef* kind = &l->kinds[l->kind[p]];
        bool is_frozen = l->inside[p] != 0 && act(s, p);
        is_frozen = is_frozen || l->temperature[p] < kind->freezing_point;
        l->flags[p] &= (uint8_t)~TARN_LIQUID_FROZEN;
        if (is_frozen) {
            l->flags[p] |= TARN_LIQUID_FROZEN;
            l->vx[p] = l->vy[p] = l->vz[p] = 0.0f;
        }
        if (l->temperature[p] > kind->boiling_point) liquid_mark_gone(l, p, GONE_BOILED, 0);
    }
}

// ---- Warmth ------------------------------------------------------------------------------------

// Each pair exchanges the same amount both ways, so that the sum stays: gathered, from the temperatures
// before. The share per pair is limited so that all neighbors together never take more than half.
static void conduct_block(int block, void* data)
{
    const Substep* s = data;
    TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    float* next = (float*)(void*)nb->order;
    float inv = 1.0f / (l->support * l->support), limit = 0.5f / (float)nb->slots;
    float per_pair = s->dt * (l->def.dimensions == 2 ? 0.2f : 0.1f); // about 1 / sum of the weights
    for (int p = block * LIQUID_BLOCK, end = liquid_block_end(l, block); p < end; ++p) {
        const int* list = nb->list + neighbors_at(nb, p);
        float mine = l->kinds[l->kind[p]].conduction, sum = 0.0f;
        for (int i = 0; i < nb->count[p]; ++i) {
            int q = list[i];
            float dx = l->x[q] - l->x[p], dy = l->y[q] - l->y[p], dz = l->z[q] - l->z[p];
            float w = 1.0f - (dx * dx + dy * dy + dz * dz) * inv;
            float rate = 0.5f * (mine + l->kinds[l->kind[q]].conduction);
            sum += tarn_minf(tarn_maxf(w, 0.0f) * per_pair * rate, limit) *
                   (l->temperature[q] - l->temperature[p]);
        }
        next[p] = l->temperature[p] + sum;
    }
}

static void copy_block(int block, void* data)
{
    const Substep* s = data;
    TarnLiquid* l = s->l;
    int begin = block * LIQUID_BLOCK, end = liquid_block_end(l, block);
    memcpy(l->temperature + begin, (const float*)(const void*)l->neighbors.order + begin,
           (size_t)(end - begin) * sizeof(float));
}

void tarn__liquid_prepare(const Substep* s)
{
    TarnLiquid* l = s->l;
    LiquidDriver* d = l->driver;
    int blocks = liquid_blocks(l->n);
    bool has_regions = tarn__liquid_has_regions(l), has_points = false, conducts = false;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        has_points =
            has_points || l->kinds[k].freezing_point > 0.0f || l->kinds[k].boiling_point < 0.0f;
        conducts = conducts || l->kinds[k].conduction > 0.0f;
    }
    for (int n = 0; n < d->region_ids.count; ++n) {
        int action = d->regions[d->region_ids.order[n]].def.action;
        if (action == TARN_REGION_HEAT || action == TARN_REGION_FREEZE) d->is_warm = true;
    }
    if (d->is_warm && conducts && l->method->needs_lists) {
        tarn__parallel_for(l->ctx, blocks, conduct_block, (void*)s);
        tarn__parallel_for(l->ctx, blocks, copy_block, (void*)s);
    }
    if (has_regions || has_points || d->is_warm)
        tarn__parallel_for(l->ctx, blocks, act_block, (void*)s);
}
