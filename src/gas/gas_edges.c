// The faces of the rim, and ghosts: what lies outside the box.
//
// Behind a wall is a mirror image. Behind an open edge is ambient air where it comes in, and what is going
// out where it goes out, so that nothing is reflected. The way in is that of the air relative to the box.

#include "gas/gas_kernels.h"

static float component_of(TarnVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

enum { GAS_COPIES = 16 }; // added to a component: copies all around

// ---- Prescribed faces --------------------------------------------------------------------------

static void set_faces(TarnGas* gas, int axis, int side, float value)
{
    const Grid3* g = &gas->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    float* v = gas->velocity[axis] + (side ? n[axis] * gas_stride(g, axis) : 0);
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    ptrdiff_t step_a = gas_stride(g, a), step_b = gas_stride(g, b);
    for (int q = 0; q < n[b]; ++q) {
        for (int p = 0; p < n[a]; ++p) v[p * step_a + q * step_b] = value;
    }
}

static int face_count(const Grid3* g, int axis)
{
    return axis == 0 ? g->ny * g->nz : axis == 1 ? g->nx * g->nz : g->nx * g->ny;
}

static double expansion_sum(const TarnGas* gas)
{
    double sum = 0.0;
    if (!gas->has_expansion) return 0.0;
    for (int k = 0; k < gas->grid.nz; ++k)
        sum += gas->kernels->sum(&gas->grid, gas->expansion, k, k + 1);
    return sum;
}

// The air outside an edge [m/s].
static TarnVec3 air_at(const TarnGas* gas, int axis, int side)
{
    bool has_own = gas_edge(gas, axis, side) == TARN_GAS_FLOW;
    return has_own ? (&gas->params.flow_x0)[2 * axis + side] : gas_wind(gas);
}

// Without an open face as much must go out as comes in, and as fire makes: what is missing is spread over
// the faces with wind, or, where there are none, over those with a prescribed flow.
void tarn__gas_set_edges(TarnGas* gas)
{
    double out = 0.0, faces[2] = { 0.0 }; // of wind, of flow
    bool is_open = false;
    for (int e = 0; e < 6; ++e) {
        int axis = e / 2, side = e % 2, edge = gas_edge(gas, axis, side);
        double n = face_count(&gas->grid, axis);
        double air = (double)component_of(air_at(gas, axis, side), axis);
        if (edge == TARN_GAS_OPEN) is_open = true;
        if (edge != TARN_GAS_WIND && edge != TARN_GAS_FLOW) continue;
        out += (side ? air : -air) * n;
        faces[edge == TARN_GAS_FLOW] += n;
    }
    int spread = faces[0] > 0.0 ? TARN_GAS_WIND : TARN_GAS_FLOW;
    double n_spread = faces[spread == TARN_GAS_FLOW];
    float surplus = 0.0f; // outward, per face
    if (!is_open && n_spread > 0.0) surplus = (float)((out - expansion_sum(gas)) / n_spread);
    for (int e = 0; e < 6; ++e) {
        int axis = e / 2, side = e % 2, edge = gas_edge(gas, axis, side);
        float air = component_of(air_at(gas, axis, side), axis);
        if (edge == spread) air += side ? -surplus : surplus;
        if (edge == TARN_GAS_CLOSED) set_faces(gas, axis, side, 0.0f);
        if (edge == TARN_GAS_WIND || edge == TARN_GAS_FLOW) set_faces(gas, axis, side, air);
    }
}

// ---- Ghosts ------------------------------------------------------------------------------------

// How the ghosts of a field are made.
typedef struct Rim {
    const TarnGas* gas;
    float* field;
    int component; // 0..2, 3 + scalar, or -1: cells that are copied all around
    bool is_copy;  // as behind a wall everywhere
} Rim;

// Ghosts of n cells in a row: ambient where the flow through the rim comes in, else what is inside. The
// flow at a place between two faces is their mean.
static void fill_row(const Rim* r, int axis, int side, float* ghost, const float* inside,
                     const float* flow, int n)
{
    const TarnGas* gas = r->gas;
    if (r->is_copy || gas_edge(gas, axis, side) == TARN_GAS_CLOSED) {
        for (int i = 0; i < n; ++i) ghost[i] = inside[i];
        return;
    }
    ptrdiff_t other = r->component < 3 ? -gas_stride(&gas->grid, r->component) : 0;
    float frame = 2.0f * component_of(gas->frame_velocity, axis), inward = side ? -1.0f : 1.0f;
    bool is_velocity = r->component < 3;
    float ambient = is_velocity ? component_of(air_at(gas, axis, side), r->component) : 0.0f;
    for (int i = 0; i < n; ++i) {
        float in = inward * ((flow[i] + flow[i + other]) - frame);
        ghost[i] = in > 0.0f ? ambient : inside[i];
    }
}

static void fill_slab(const Rim* r, int k)
{
    const Grid3* g = &r->gas->grid;
    float* const* v = r->gas->velocity;
    int ny = g->ny + (r->component == 1 ? 1 : 0), nx = g->nx + (r->component == 0 ? 1 : 0);
    for (int j = 0; j < ny && r->component != 0; ++j) {
        ptrdiff_t c = tarn__grid3_at(g, 0, j, k), e = c + g->nx;
        fill_row(r, 0, 0, r->field + c - 1, r->field + c, v[0] + c, 1);
        fill_row(r, 0, 1, r->field + e, r->field + e - 1, v[0] + e, 1);
    }
    if (r->component == 1) return;
    int lead = r->component == 0 ? 0 : 1; // rows with their ghosts
    ptrdiff_t c = tarn__grid3_at(g, -lead, 0, k), e = tarn__grid3_at(g, -lead, g->ny, k);
    int n = nx + 2 * lead;
    fill_row(r, 1, 0, r->field + c - g->row, r->field + c, v[1] + c, n);
    fill_row(r, 1, 1, r->field + e, r->field + e - g->row, v[1] + e, n);
}

// The slabs beyond the ends, with their own ghosts.
static void fill_end(const Rim* r, int side)
{
    const Grid3* g = &r->gas->grid;
    ptrdiff_t out = side ? 0 : -(ptrdiff_t)g->slab, in = side ? -(ptrdiff_t)g->slab : 0;
    int lead = r->component == 0 ? 0 : 1, n = g->nx + (r->component == 0 ? 1 : 2);
    int j0 = r->component == 1 ? 0 : -1;
    for (int j = j0; j <= g->ny; ++j) {
        ptrdiff_t c = tarn__grid3_at(g, -lead, j, side ? g->nz : 0);
        fill_row(r, 2, side, r->field + c + out, r->field + c + in, r->gas->velocity[2] + c, n);
    }
}

void tarn__gas_fill_slabs(const TarnGas* gas, int component, float* field, int k0, int k1)
{
    bool is_copy = component < 0 || component >= GAS_COPIES;
    if (component >= GAS_COPIES) component -= GAS_COPIES;
    Rim rim = { .gas = gas, .field = field, .component = component, .is_copy = is_copy };
    for (int k = k0; k < k1; ++k) fill_slab(&rim, k);
    if (component == 2) return;
    if (k0 == 0) fill_end(&rim, 0);
    if (k1 >= gas->grid.nz) fill_end(&rim, 1);
}

typedef struct Fill {
    TarnGas* gas;
    int component;
    float* field;
} Fill;
static void fill_block(int block, void* data)
{
    Fill* f = data;
    int k0, k1;
    gas_block_slabs(f->gas, block, f->component % GAS_COPIES == 2, &k0, &k1);
    tarn__gas_fill_slabs(f->gas, f->component, f->field, k0, k1);
}
void tarn__gas_fill_ghosts(TarnGas* gas, int component, float* field)
{
    Fill fill = { gas, component, field };
    tarn__parallel_for(gas->ctx, gas_blocks(gas), fill_block, &fill);
}

// The direction of the air at a corner depends on the ghosts of the others, so these are copies first: what
// they were before must not count.
void tarn__gas_fill_velocities(TarnGas* gas)
{
    for (int a = 0; a < 3 && !tarn__gas_is_closed(gas); ++a)
        tarn__gas_fill_ghosts(gas, GAS_COPIES + a, gas->velocity[a]);
    for (int a = 0; a < 3; ++a) tarn__gas_fill_ghosts(gas, a, gas->velocity[a]);
}
void tarn__gas_fill_all(TarnGas* gas)
{
    tarn__gas_fill_velocities(gas);
    for (int s = 0; s < GAS_SCALARS; ++s) {
        if (gas->scalar[s]) tarn__gas_fill_ghosts(gas, 3 + s, gas->scalar[s]);
    }
}
