// Lattices: smoke and dye as a gas, the liquid of a free surface as a mesh of its fill. What is 2-D is drawn as a sheet that
// is a few cells thick.

#include "tarn/lattice.h"
#include "tarn/mesh.h"
#include "viewer.h"
#include "base/base.h"
#include <string.h>

enum { SHEET = 12 }; // cells that a 2-D lattice is drawn thick

typedef struct LatticeMemory {
    TarnDrawingBlock sheet, fill, positions, normals, indices;
    TarnMarching* marching;
    TarnMesh mesh;
} LatticeMemory;

// ---- Smoke -------------------------------------------------------------------------------------------

// Copies of a field of one layer, one behind the other.
static void thicken(TarnView3* v, float* to)
{
    size_t layer = (size_t)v->nx * (size_t)v->ny;
    for (int k = 0; k < SHEET; ++k)
        for (int j = 0; j < v->ny; ++j)
            memcpy(to + layer * (size_t)k + (size_t)v->nx * (size_t)j,
                   v->data + (ptrdiff_t)v->row * j, (size_t)v->nx * sizeof *to);
    *v = (TarnView3){ to, v->nx, v->ny, SHEET, v->nx, (int)layer };
}

static TarnResult add_smoke(TarnDrawing* d)
{
    const TarnLattice* l = d->solver;
    LatticeMemory* m = d->memory;
    TarnLatticeView v = tarn_lattice_view(l);
    TarnFrameGas gas = { .view = { .origin = v.origin,
                                   .dx = v.dx,
                                   .u = v.u,
                                   .v = v.v,
                                   .w = v.w,
                                   .density = v.smoke,
                                   .temperature = v.temperature,
                                   .fuel = v.fuel },
                         .color = d->look->color,
                         .opacity = d->look->opacity,
                         .glow = d->look->glow,
                         .ambient_temperature = tarn_lattice_params(l).ambient_temperature };
    gas.view.u.nx += 1, gas.view.v.ny += 1, gas.view.w.nz += 1; // a gas has its velocities on faces
    if (v.smoke.nz == 1) {
        size_t n = (size_t)v.smoke.nx * (size_t)v.smoke.ny * SHEET;
        TARN_TRY(tarn_drawing_reserve(d->ctx, &m->sheet, n * sizeof(float)));
        thicken(&gas.view.density, m->sheet.data);
        gas.view.u = gas.view.v = gas.view.w = gas.view.temperature = gas.view.fuel =
            (TarnView3){ 0 };
        gas.view.origin.z -= 0.5f * (float)(SHEET - 1) * v.dx;
    }
    return tarn_drawing_add_gas(d, &gas);
}

// ---- Liquid ------------------------------------------------------------------------------------------

static TarnResult grow(TarnContext* ctx, LatticeMemory* m)
{
    TarnMesh* mesh = &m->mesh;
    int v = mesh->n_vertices + mesh->n_vertices / 4 + 4096,
        t = mesh->n_triangles + mesh->n_triangles / 4 + 8192;
    mesh->max_vertices = mesh->max_triangles = 0;
    TARN_TRY(tarn_drawing_reserve(ctx, &m->positions, (size_t)v * sizeof *mesh->position));
    TARN_TRY(tarn_drawing_reserve(ctx, &m->normals, (size_t)v * sizeof *mesh->normal));
    TARN_TRY(tarn_drawing_reserve(ctx, &m->indices, 3 * (size_t)t * sizeof *mesh->index));
    mesh->position = m->positions.data, mesh->normal = m->normals.data,
    mesh->index = m->indices.data;
    mesh->max_vertices = v, mesh->max_triangles = t;
    return TARN_OK;
}

static float fill_at(const TarnView3* v, int i, int j, int k)
{
    i = i < 0 ? 0 : i < v->nx ? i : v->nx - 1;
    j = j < 0 ? 0 : j < v->ny ? j : v->ny - 1;
    k = k < 0 ? 0 : k < v->nz ? k : v->nz - 1;
    return v->data[i + (ptrdiff_t)v->row * j + (ptrdiff_t)v->slab * k];
}

// The fill, smoothed over the neighbors along each axis, with a layer around that continues it: the liquid reaches its
// walls.
static TarnView3 smooth_fill(const TarnView3* v, float* to, int nz, float* scratch)
{
    int nx = v->nx + 2, ny = v->ny + 2;
    float* a = scratch;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                to[i + nx * (j + (ptrdiff_t)ny * k)] =
                    fill_at(v, i - 1, j - 1, v->nz > 1 ? k - 1 : 0);
    const ptrdiff_t step[3] = { 1, nx, (ptrdiff_t)nx * ny };
    const int n[3] = { nx, ny, nz };
    for (int axis = 0; axis < (v->nz > 1 ? 3 : 2); ++axis) {
        memcpy(a, to, (size_t)nx * (size_t)ny * (size_t)nz * sizeof *a);
        for (int k = 0; k < nz; ++k) {
            for (int j = 0; j < ny; ++j) {
                for (int i = 0; i < nx; ++i) {
                    const int at[3] = { i, j, k };
                    ptrdiff_t c = i + nx * (j + (ptrdiff_t)ny * k);
                    ptrdiff_t low = at[axis] > 0 ? c - step[axis] : c,
                              high = at[axis] + 1 < n[axis] ? c + step[axis] : c;
                    to[c] = 0.25f * (a[low] + a[high]) + 0.5f * a[c];
                }
            }
        }
    }
    return (TarnView3){ to, nx, ny, nz, nx, nx * ny };
}

static TarnResult add_liquid(TarnDrawing* d)
{
    const TarnLattice* l = d->solver;
    LatticeMemory* m = d->memory;
    TarnLatticeView v = tarn_lattice_view(l);
    bool is_flat = v.fill.nz == 1;
    int nx = v.fill.nx + 2, ny = v.fill.ny + 2, nz = is_flat ? SHEET : v.fill.nz + 2;
    size_t n = (size_t)nx * (size_t)ny * (size_t)nz;
    TARN_TRY(tarn_drawing_reserve(d->ctx, &m->fill, 2 * n * sizeof(float)));
    if (m->marching == NULL) {
        TarnMarchingDef def = tarn_marching_default_def();
        def.nx = nx, def.ny = ny, def.nz = nz;
        TARN_TRY(tarn_marching_create(d->ctx, &def, &m->marching));
    }
    if (m->mesh.index == NULL) TARN_TRY(grow(d->ctx, m));
    float* fill = m->fill.data;
    TarnField3 field = { .value = smooth_fill(&v.fill, fill, nz, fill + n),
                         .origin = v.origin,
                         .dx = v.dx };
    field.origin.x -= 0.5f * v.dx, field.origin.y -= 0.5f * v.dx;
    field.origin.z += (is_flat ? -0.5f * (float)(SHEET - 2) : -0.5f) * v.dx;
    TarnMarchingParams params = tarn_marching_default_params();
    params.iso = 0.5f;
    params.is_fluid_above = params.is_closed = true;
    TarnResult result = tarn_marching_run(m->marching, &field, &params, &m->mesh);
    if (result == TARN_ERR_CAPACITY) {
        TARN_TRY(grow(d->ctx, m));
        result = tarn_marching_run(m->marching, &field, &params, &m->mesh);
    }
    TARN_TRY(result);
    const TarnLatticeDef* def = tarn_lattice_def(l);
    float z = is_flat ? 0.5f * (float)(SHEET - 1) * v.dx : 0.0f;
    TarnFrameLiquid out = {
        .dimensions = 3,
        .spacing = v.dx,
        .box_min = { v.origin.x, v.origin.y, v.origin.z - z },
        .box_max = { v.origin.x + (float)def->nx * v.dx, v.origin.y + (float)def->ny * v.dx,
                     v.origin.z + (float)def->nz * v.dx + z },
        .walls = TARN_LIQUID_TANK,
        .color = { { 0.16f, 0.42f, 0.58f } },
        // A sheet is thin: as clear as deep water it could hardly be seen before the sky.
        .clarity = { is_flat ? 4.0f * z : 0.0f },
        .mode = TARN_FRAME_SURFACE,
        .mesh = &m->mesh
    };
    return tarn_drawing_add_liquid(d, &out);
}

static TarnResult update(TarnDrawing* d)
{
    const TarnLatticeDef* def = tarn_lattice_def(d->solver);
    if (def->use_surface) return add_liquid(d);
    return def->use_smoke ? add_smoke(d) : TARN_OK;
}

// A state that was kept has no mesh of its own: between two steps the mesh of the later one is shown.
static TarnResult finish(TarnDrawing* d)
{
    LatticeMemory* m = d->memory;
    LayerList* liquids = &d->viewer->target->liquids;
    uint64_t owner = (uint64_t)tarn_world_number(d->world, d->solver);
    for (int i = 0; i < liquids->n; ++i)
        if (layer_owner(liquids, i) == owner) LAYER(TarnFrameLiquid, liquids, i)->mesh = &m->mesh;
    return TARN_OK;
}

static void destroy(TarnDrawing* d)
{
    LatticeMemory* m = d->memory;
    tarn_drawing_free(d->ctx, &m->sheet);
    tarn_drawing_free(d->ctx, &m->fill);
    tarn_drawing_free(d->ctx, &m->positions);
    tarn_drawing_free(d->ctx, &m->normals);
    tarn_drawing_free(d->ctx, &m->indices);
    tarn_marching_destroy(m->marching);
}

const TarnDrawer tarn__view_draw_lattice = { .size = sizeof(TarnDrawer),
                                             .kind = "lattice",
                                             .memory = sizeof(LatticeMemory),
                                             .update = update,
                                             .finish = finish,
                                             .destroy = destroy };
