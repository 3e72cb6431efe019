// Which cells and faces solids closed when the air last moved. The next advection reads it before solids are
// looked for again, and they may have gone on meanwhile: an update was skipped, or the host moved them. So it is
// state, and part of hashes and snapshots.

#include "gas/gas_obstacles.h"

enum { CELL_BIT = 8 }; // below it one bit per face: towards -x, -y, -z

// Is there a face of an axis, or with axis 3 a cell, at (i, j, k)?
static bool is_there(const Grid3* g, int axis, int i, int j, int k)
{
    return i < g->nx + (axis == 0) && j < g->ny + (axis == 1) && k < g->nz + (axis == 2);
}

size_t tarn__gas_closed_row(const TarnGas* gas, int j, int k, uint8_t row[GAS_CLOSED_ROW])
{
    const Grid3* g = &gas->grid;
    ptrdiff_t c = tarn__grid3_at(g, 0, j, k);
    for (int i = 0; i <= g->nx; ++i) {
        int bits = is_there(g, 3, i, j, k) && gas->solid_cell[c + i] ? CELL_BIT : 0;
        for (int a = 0; a < 3; ++a) {
            if (is_there(g, a, i, j, k) && tarn__gas_solid_faces(gas, a)[c + i]) bits |= 1 << a;
        }
        row[i] = (uint8_t)bits;
    }
    return (size_t)g->nx + 1;
}

bool tarn__gas_is_closed_row(const Grid3* g, int j, int k, const uint8_t* row)
{
    for (int i = 0; i <= g->nx; ++i) {
        int allowed = is_there(g, 3, i, j, k) ? CELL_BIT : 0;
        for (int a = 0; a < 3; ++a) allowed |= is_there(g, a, i, j, k) << a;
        if (row[i] & ~allowed) return false;
    }
    return true;
}

void tarn__gas_set_closed_row(TarnGas* gas, int j, int k, const uint8_t* row)
{
    const Grid3* g = &gas->grid;
    uint8_t now[GAS_CLOSED_ROW];
    size_t n = tarn__gas_closed_row(gas, j, k, now);
    if (memcmp(now, row, n) == 0) return;
    ptrdiff_t c = tarn__grid3_at(g, 0, j, k);
    for (int i = 0; i <= g->nx; ++i) {
        for (int a = 0; a < 3; ++a) {
            uint8_t* face = tarn__gas_solid_faces(gas, a) + c + i;
            int change = (row[i] >> a & 1) - (now[i] >> a & 1);
            if (change != 0) *face = change > 0;
            gas->n_solid_faces += change;
        }
        int change = (row[i] / CELL_BIT & 1) - (now[i] / CELL_BIT & 1);
        if (change != 0) gas->solid_cell[c + i] = change > 0 ? GAS_CELL_SOLID : GAS_CELL_AIR;
        gas->n_solid_cells += change;
    }
    gas->has_old_flags = true;
}
