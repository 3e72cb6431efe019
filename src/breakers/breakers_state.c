// Hash and snapshots of breaking waves.

#include "breakers/breakers_internal.h"
#include "base/snapshot.h"
#include <string.h>

// Everything besides the arrays, as it is saved.
typedef struct Head {
    double time, moved;
    float since_search, since_row;
    uint32_t emissions, next_key, next_line;
    int32_t n_points, n_lines, n_roots, n_root_rows, n_splashes;
    uint32_t row_head, row_end, node_head, node_end;
} Head;

static Head head_of(const TarnBreakers* b)
{
    Head h;
    memset(&h, 0, sizeof h);
    h.time = b->time, h.moved = b->moved;
    h.since_search = b->since_search, h.since_row = b->since_row;
    h.emissions = b->emissions, h.next_key = b->next_key, h.next_line = b->next_line;
    h.n_points = b->n_points, h.n_lines = b->n_lines, h.n_splashes = b->n_splashes;
    h.n_roots = b->n_roots, h.n_root_rows = b->n_root_rows;
    h.row_head = b->row_head, h.row_end = b->row_end;
    h.node_head = b->node_head, h.node_end = b->node_end;
    return h;
}

uint64_t tarn_breakers_hash(const TarnBreakers* b)
{
    Head head = head_of(b);
    uint64_t h = tarn_hash(&head, sizeof head, 0);
    h = tarn_hash(b->points, (size_t)b->n_points * sizeof *b->points, h);
    h = tarn_hash(b->lines, (size_t)b->n_lines * sizeof *b->lines, h);
    for (uint32_t n = b->row_head; n < b->row_end; ++n)
        h = tarn_hash(breakers_row(b, n), sizeof(Row), h);
    for (uint32_t n = b->node_head; n < b->node_end; ++n)
        h = tarn_hash(breakers_node(b, n), sizeof(Node), h);
    h = tarn_hash(b->roots, (size_t)b->n_roots * sizeof *b->roots, h);
    h = tarn_hash(b->root_rows, (size_t)b->n_root_rows * sizeof *b->root_rows, h);
    h = tarn_hash(b->splashes, (size_t)b->n_splashes * sizeof *b->splashes, h);
    return tarn__param_hash(tarn_breakers_params_table(), &b->params, h);
}

static uint64_t def_hash(const TarnBreakers* b)
{
    return tarn__param_hash(tarn_breakers_def_table(), &b->def, 0);
}

TarnResult tarn_breakers_save(const TarnBreakers* b, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (b == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(b->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    Head head = head_of(b);
    tarn__write(&w, &head, sizeof head);
    tarn__write_table(&w, tarn_breakers_params_table(), &b->params);
    tarn__write(&w, b->points, (size_t)b->n_points * sizeof *b->points);
    tarn__write(&w, b->lines, (size_t)b->n_lines * sizeof *b->lines);
    for (uint32_t n = b->row_head; n < b->row_end; ++n)
        tarn__write(&w, breakers_row(b, n), sizeof(Row));
    for (uint32_t n = b->node_head; n < b->node_end; ++n)
        tarn__write(&w, breakers_node(b, n), sizeof(Node));
    tarn__write(&w, b->roots, (size_t)b->n_roots * sizeof *b->roots);
    tarn__write(&w, b->root_rows, (size_t)b->n_root_rows * sizeof *b->root_rows);
    tarn__write(&w, b->splashes, (size_t)b->n_splashes * sizeof *b->splashes);
    return tarn__snapshot_end(b->ctx, &w, "breakers", def_hash(b), size);
}

// ---- Loading: everything is checked before anything is changed ----------------------------------------

typedef struct Saved {
    Head head;
    TarnBreakersParams params;
    const void *points, *lines, *rows, *nodes, *roots, *root_rows, *splashes; // any alignment
} Saved;

static bool is_head_good(const TarnBreakers* b, const Head* h)
{
    const TarnBreakersDef* d = &b->def;
    return h->time >= 0.0 && h->time <= 1e12 && h->moved >= -1e15 && h->moved <= 1e15 &&
           h->since_search >= 0.0f && h->since_search <= 1e7f && h->since_row >= 0.0f &&
           h->since_row <= 100.0f && h->n_points >= 0 && h->n_points <= d->max_points &&
           h->n_lines >= 0 && h->n_lines <= d->max_lines && h->n_roots >= 0 &&
           h->n_roots <= h->n_points && h->n_root_rows >= 0 && h->n_root_rows <= h->n_points &&
           h->n_splashes >= 0 && h->n_splashes <= MAX_SPLASHES && h->row_head >= 1 &&
           h->row_head <= h->row_end && h->row_end - h->row_head <= (uint32_t)d->max_rows &&
           h->node_head <= h->node_end && h->node_end - h->node_head <= (uint32_t)d->max_nodes;
}

static bool are_points_good(const Saved* s)
{
    for (int i = 0; i < s->head.n_points; ++i) {
        LinePoint p;
        memcpy(&p, (const char*)s->points + (size_t)i * sizeof p, sizeof p);
        const float values[] = { p.x,     p.z,     p.y,     p.back, p.ahead,    p.crest_y, p.height,
                                 p.depth, p.speed, p.slope, p.wait, p.strength, p.arc };
        if (!tarn__all_within(values, 13, 1e7f)) return false;
        float length = p.dir_x * p.dir_x + p.dir_z * p.dir_z;
        bool is_good = length > 0.9f && length < 1.1f && p.strength >= 0.0f && p.strength <= 1.0f;
        if (!is_good || p.back < 0.0f || p.ahead < 0.0f || p.depth < 0.0f || p.height < 0.0f)
            return false;
    }
    int at = 0;
    for (int i = 0; i < s->head.n_lines; ++i) {
        Line l;
        memcpy(&l, (const char*)s->lines + (size_t)i * sizeof l, sizeof l);
        if (l.first != at || l.n < 1 || l.n > s->head.n_points - at) return false;
        at += l.n;
    }
    return at == s->head.n_points;
}

static bool are_nodes_good(const void* nodes, int n)
{
    for (int i = 0; i < n; ++i) {
        Node node;
        memcpy(&node, (const char*)nodes + (size_t)i * sizeof node, sizeof node);
        const float values[] = { node.at.x, node.at.y, node.at.z, node.v.x,   node.v.y,
                                 node.v.z,  node.age,  node.arc,  node.thick, node.span };
        if (!tarn__all_within(values, 10, 1e7f) || node.flags > 7u) return false;
        if (node.age < 0.0f || node.thick < 0.0f || node.span < 0.0f) return false;
    }
    return true;
}

static bool are_rows_good(const Saved* s)
{
    const Head* h = &s->head;
    uint32_t at = h->node_head;
    for (uint32_t n = h->row_head; n < h->row_end; ++n) {
        Row r;
        memcpy(&r, (const char*)s->rows + (size_t)(n - h->row_head) * sizeof r, sizeof r);
        if (r.first != at || r.number != n || r.n < 1 || r.live < 0 || r.live > r.n) return false;
        if ((uint32_t)r.n > h->node_end - at || r.next[0] >= n || r.next[1] >= n) return false;
        at += (uint32_t)r.n;
    }
    uint32_t root = 0;
    for (int i = 0; i < h->n_root_rows; ++i) {
        Row r;
        memcpy(&r, (const char*)s->root_rows + (size_t)i * sizeof r, sizeof r);
        if (r.first != root || r.n < 1 || (uint32_t)r.n > (uint32_t)h->n_roots - root) return false;
        root += (uint32_t)r.n;
    }
    return at == h->node_end && root == (uint32_t)h->n_roots;
}

static bool read_all(const TarnBreakers* b, TarnReader* in, Saved* s)
{
    tarn__read(in, &s->head, sizeof s->head);
    s->params = b->params;
    const Head* h = &s->head;
    bool is_good = tarn__read_table(in, tarn_breakers_params_table(), &s->params);
    if (!is_good || in->is_bad || !is_head_good(b, h)) return false;
    s->points = tarn__read_view(in, (size_t)h->n_points * sizeof(LinePoint));
    s->lines = tarn__read_view(in, (size_t)h->n_lines * sizeof(Line));
    s->rows = tarn__read_view(in, (size_t)(h->row_end - h->row_head) * sizeof(Row));
    s->nodes = tarn__read_view(in, (size_t)(h->node_end - h->node_head) * sizeof(Node));
    s->roots = tarn__read_view(in, (size_t)h->n_roots * sizeof(Node));
    s->root_rows = tarn__read_view(in, (size_t)h->n_root_rows * sizeof(Row));
    size_t splashes = (size_t)h->n_splashes * sizeof(TarnBreakerSplash);
    s->splashes = tarn__read_view(in, splashes);
    if (in->is_bad || in->at != in->size) return false;
    for (int i = 0; i < h->n_splashes; ++i) {
        TarnBreakerSplash one;
        memcpy(&one, (const char*)s->splashes + (size_t)i * sizeof one, sizeof one);
        bool is_sound = tarn__all_within(&one, 8, 1e7f) && one.power >= 0.0f && one.power <= 1e12f;
        if (!is_sound || one.is_impact < 0 || one.is_impact > 2) return false;
    }
    return are_points_good(s) && are_rows_good(s) &&
           are_nodes_good(s->nodes, (int)(h->node_end - h->node_head)) &&
           are_nodes_good(s->roots, h->n_roots);
}

static void copy(void* to, const void* from, size_t n)
{
    if (n > 0) memcpy(to, from, n);
}

TarnResult tarn_breakers_load(TarnBreakers* b, const void* buffer, size_t size)
{
    if (b == NULL) return TARN_ERR_ARG;
    TarnReader in;
    Saved s;
    TARN_TRY(tarn__snapshot_open(b->ctx, buffer, size, "breakers", def_hash(b), &in));
    if (!read_all(b, &in, &s))
        return tarn__fail(b->ctx, TARN_ERR_DATA,
                          "breakers: the snapshot is damaged: it contains values that no run can "
                          "produce");
    const Head* h = &s.head;
    b->time = h->time, b->moved = h->moved;
    b->since_search = h->since_search, b->since_row = h->since_row;
    b->emissions = h->emissions, b->next_key = h->next_key, b->next_line = h->next_line;
    b->n_points = h->n_points, b->n_lines = h->n_lines, b->n_splashes = h->n_splashes;
    b->n_roots = h->n_roots, b->n_root_rows = h->n_root_rows;
    b->row_head = h->row_head, b->row_end = h->row_end;
    b->node_head = h->node_head, b->node_end = h->node_end;
    b->params = s.params;
    copy(b->points, s.points, (size_t)h->n_points * sizeof(LinePoint));
    copy(b->lines, s.lines, (size_t)h->n_lines * sizeof(Line));
    for (uint32_t n = h->row_head; n < h->row_end; ++n)
        copy(breakers_row(b, n), (const char*)s.rows + (size_t)(n - h->row_head) * sizeof(Row),
             sizeof(Row));
    for (uint32_t n = h->node_head; n < h->node_end; ++n)
        copy(breakers_node(b, n), (const char*)s.nodes + (size_t)(n - h->node_head) * sizeof(Node),
             sizeof(Node));
    for (uint32_t n = h->row_head; n < h->row_end; ++n) { // a step only counts what it loses
        Row* r = breakers_row(b, n);
        r->live = 0;
        for (int i = 0; i < r->n; ++i)
            r->live += !(breakers_node(b, r->first + (uint32_t)i)->flags & NODE_GONE);
    }
    copy(b->roots, s.roots, (size_t)h->n_roots * sizeof(Node));
    copy(b->root_rows, s.root_rows, (size_t)h->n_root_rows * sizeof(Row));
    copy(b->splashes, s.splashes, (size_t)h->n_splashes * sizeof(TarnBreakerSplash));
    return TARN_OK;
}
