// Where bricks are and what is beside them; for sparse blocks the list of all places that the surface reaches.

#include "mesh/marching_internal.h"

// ---- Neighbors ----------------------------------------------------------------------------------

static void near_dense(const TarnMarching* m, int brick, bool is_all, MarchingNear* near)
{
    const int* n = m->per;
    int x = brick % n[0], y = brick / n[0] % n[1], z = brick / n[0] / n[1];
    near->first[0] = 8 * x - m->shift;
    near->first[1] = 8 * y - m->shift;
    near->first[2] = 8 * z - m->shift;
    for (int d = 0; d < 8; ++d) {
        int dx = d & 1, dy = d >> 1 & 1, dz = d >> 2;
        bool is_there = x + dx < n[0] && y + dy < n[1] && z + dz < n[2];
        near->at[NEAR_SELF + dx + 3 * dy + 9 * dz] =
            is_there ? brick + dx + n[0] * (dy + n[1] * dz) : -1;
    }
    if (!is_all) return;
    for (int d = 0; d < 27; ++d) {
        int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        bool is_there = x + dx >= 0 && y + dy >= 0 && z + dz >= 0 && x + dx < n[0] &&
                        y + dy < n[1] && z + dz < n[2];
        near->at[d] = is_there ? brick + dx + n[0] * (dy + n[1] * dz) : -1;
    }
}

// First key that is not lower.
static int lower_bound(const uint64_t* keys, int n, uint64_t key)
{
    int low = 0;
    while (n > 0) {
        int half = n / 2;
        if (keys[low + half] < key)
            low += half + 1, n -= half + 1;
        else
            n = half;
    }
    return low;
}

static void near_sparse(const TarnMarching* m, int brick, bool is_all, MarchingCursor* cursor,
                        MarchingNear* near)
{
    uint64_t key = m->keys[brick];
    const uint64_t mask = (1u << 21) - 1;
    near->first[0] = 8 * ((int)(key & mask) - MARCHING_MAX_PLACE);
    near->first[1] = 8 * ((int)(key >> 21 & mask) - MARCHING_MAX_PLACE);
    near->first[2] = 8 * ((int)(key >> 42) - MARCHING_MAX_PLACE);
    for (int d = 0; d < 27; ++d) {
        int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (!is_all && (dx < 0 || dy < 0 || dz < 0)) continue;
        uint64_t wanted = key + (uint64_t)((int64_t)dx + (int64_t)dy * (1 << 21) +
                                           (int64_t)dz * ((int64_t)1 << 42));
        int at = cursor->is_set ? cursor->at[d] : lower_bound(m->keys, m->n_bricks, wanted);
        while (at < m->n_bricks && m->keys[at] < wanted) ++at;
        cursor->at[d] = at;
        near->at[d] = at < m->n_bricks && m->keys[at] == wanted ? at : -1;
    }
    cursor->is_set = true;
}

void tarn__marching_near(const TarnMarching* m, int brick, bool is_all, MarchingCursor* cursor,
                         MarchingNear* near)
{
    if (m->field)
        near_dense(m, brick, is_all && m->snap > 0.0f, near); // tiles of dense fields need none
    else
        near_sparse(m, brick, is_all, cursor, near);
}

// ---- The list -----------------------------------------------------------------------------------

uint8_t tarn__marching_reach(const TarnMarching* m, int block)
{
    const uint64_t *bits = m->bits[block], rows = 0x0101010101010101u;
    uint64_t low = bits[0] ^ m->outside, any = low; // slice z = 0, and all of them
    for (int z = 1; z < 8; ++z) any |= bits[z] ^ m->outside;
    unsigned reach = 0;
    for (int d = 1; d < 8; ++d) {
        uint64_t differs = d & 4 ? low : any;
        if (d & 1) differs &= rows;
        if (d & 2) differs &= 255u;
        reach |= (unsigned)(differs != 0) << d;
    }
    return (uint8_t)reach;
}

// Eight sorted lists, the blocks and the places below them, are merged into one.
void tarn__marching_list(TarnMarching* m)
{
    const TarnBlocks* blocks = m->blocks;
    const uint64_t end = ~(uint64_t)0;
    int at[8], n = 0;
    unsigned any = 1;
    for (int b = 0; b < blocks->n_blocks; ++b) any |= m->reach[b];
    uint64_t next[8], done = 0; // the key that was taken last; none is 0
    for (int d = 0; d < 8; ++d) at[d] = -1, next[d] = any >> d & 1 ? 0 : end;
    for (;;) {
        uint64_t least = end;
        int from = -1;
        for (int d = 0; d < 8; ++d) {
            while (next[d] <= done) { // of this list the next one that is wanted
                ++at[d];
                if (at[d] >= blocks->n_blocks) {
                    next[d] = end;
                    break;
                }
                if (d > 0 && !(m->reach[at[d]] >> d & 1)) continue;
                const int32_t* p = blocks->place[at[d]];
                next[d] = marching_key(p[0] - (d & 1), p[1] - (d >> 1 & 1), p[2] - (d >> 2));
            }
            if (next[d] < least) least = next[d], from = d;
        }
        if (least == end) break;
        m->keys[n] = least;
        m->block[n++] = from == 0 ? at[0] : -1;
        done = least;
    }
    m->n_bricks = n;
}
