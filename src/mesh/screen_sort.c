// Particles in the order of their cells, near ones first: two counting sorts, first by depth, then by cell.
//
// The second keeps the order of the first, and both keep that of the host, so the order is the same for any
// number of workers. Depths are sorted to buckets only; depth_slack says how far they may be off.

#include "mesh/screen_mesh_internal.h"

// Turns counts into first places; returns the sum.
static int32_t to_places(int32_t* counts, int n)
{
    int32_t at = 0;
    for (int i = 0; i < n; ++i) {
        int32_t count = counts[i];
        counts[i] = at;
        at += count;
    }
    return at;
}

static void depth_range(const TarnScreenMesh* s, float* least, float* most)
{
    int batches = (s->points->n + SCREEN_BATCH - 1) / SCREEN_BATCH;
    *least = INFINITY, *most = -INFINITY;
    for (int b = 0; b < batches; ++b) {
        *least = tarn_minf(*least, s->batch_range[2 * b]);
        *most = tarn_maxf(*most, s->batch_range[2 * b + 1]);
    }
}

static int bucket_of(float z, float least, float scale)
{
    int b = (int)((z - least) * scale);
    return b < SCREEN_BUCKETS ? b : SCREEN_BUCKETS - 1;
}

// Those that are in the picture, by depth, into s->order; returns how many.
static int sort_depths(TarnScreenMesh* s)
{
    float least, most;
    depth_range(s, &least, &most);
    float range = most - least;
    float scale = range > 0.0f ? (float)SCREEN_BUCKETS / range : 0.0f;
    if (!(scale < 1e30f)) scale = 0.0f; // all at the same depth
    s->depth_slack = tarn_maxf(range, 0.0f) * (scale > 0.0f ? 2.0f / SCREEN_BUCKETS : 2.0f);
    memset(s->bucket, 0, SCREEN_BUCKETS * sizeof *s->bucket);
    for (int p = 0; p < s->points->n; ++p) {
        if (s->particles[p].cell >= 0) ++s->bucket[bucket_of(s->particles[p].z, least, scale)];
    }
    int n = to_places(s->bucket, SCREEN_BUCKETS);
    for (int p = 0; p < s->points->n; ++p) {
        if (s->particles[p].cell >= 0)
            s->order[s->bucket[bucket_of(s->particles[p].z, least, scale)]++] = p;
    }
    return n;
}

void tarn__screen_sort(TarnScreenMesh* s)
{
    int n = sort_depths(s);
    memset(s->cell_first, 0, ((size_t)s->n_cells + 1) * sizeof *s->cell_first);
    int32_t* next = s->cell_first + 1; // after the last pass it holds where each cell ends
    for (int i = 0; i < n; ++i) ++next[s->particles[s->order[i]].cell];
    to_places(next, s->n_cells);
    for (int i = 0; i < n; ++i) {
        const ScreenParticle* p = &s->particles[s->order[i]];
        s->sorted[next[p->cell]++] = *p;
    }
}
