// Screen-space meshes: parameters, creation, and the run, which reads as the method. The camera is in
// screen_view.c, the order of particles in screen_sort.c, the loops in screen_depth_kernels.c (particles to
// smoothed depths), screen_outline_kernels.c and screen_shape_kernels.c (depths to triangles), where the
// method is told.
//
// Source   [Mueller2007ssm].
// Checked  tests/unit/test_screen_mesh.c, tests/physics/check_mesh_screen.c
// Cost     bench/bench_mesh_screen.c

#include "base/param.h"
#include "base/def.h"
#include "mesh/screen_mesh_internal.h"
#include "mesh/mesh_check.h"

enum { ROWS_MARGIN = 2 };

#define D TarnScreenMeshDef
static const TarnParam def_params[] = {
    P_INT(D, max_particles, "", 1, 1 << 26, 65536, "Most particles of a mesh."),
    P_INT(D, max_width, "", 1, 16384, 1920, "Largest width of the picture in pixels."),
    P_INT(D, max_height, "", 1, 16384, 1080, "Largest height of the picture in pixels."),
    P_INT(D, spacing, "", 1, 64, 2,
          "Distance between nodes in pixels; smaller is finer and costs more."),
};
#undef D
#define P TarnScreenMeshParams
static const TarnParam params_params[] = {
    P_FLOAT(P, radius, "m", 1e-5, 1e4, 0.05,
            "Radius of a particle; about the distance between particles closes the surface."),
    P_FLOAT(P, max_step, "", 1, 1000, 3,
            "Nodes whose depths differ by more radii are not connected."),
    P_INT(P, filter, "", 0, SCREEN_MAX_FILTER, 14,
          "Half width of the depth filter in nodes, which stops at silhouettes; larger is "
          "smoother, 0 is off."),
    P_INT(P, iterations, "", 0, 64, 2, "Smoothing passes over the silhouettes."),
    P_INT(P, layers, "", 1, 2, 1, "1 meshes the front of the liquid only, 2 also its back."),
    P_FLOAT(P, nearest, "m", 1e-4, 1e4, 0.05,
            "Particles that come closer to the camera are skipped."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("screen_mesh", TarnScreenMeshDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("screen_mesh", TarnScreenMeshParams, params_params);

const TarnParamTable* tarn_screen_mesh_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_screen_mesh_params_table(void)
{
    return &params_table;
}
void tarn_screen_mesh_init_def(TarnScreenMeshDef* out, size_t size)
{
    TarnScreenMeshDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnScreenMeshDef, out, size, &def);
}
void tarn_screen_mesh_init_params(TarnScreenMeshParams* out, size_t size)
{
    TarnScreenMeshParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    TARN_INIT_DEF(TarnScreenMeshParams, out, size, &params);
}

// ---- Create --------------------------------------------------------------------------------------

// The nodes of a picture, and the cells of all levels.
static void set_size(TarnScreenMesh* s, int width, int height)
{
    int spacing = s->def.spacing;
    s->nx = (width + spacing - 1) / spacing + 1, s->ny = (height + spacing - 1) / spacing + 1;
    s->words = (s->nx + SCREEN_TILE_X - 1) / SCREEN_TILE_X;
    s->tiles_x = s->words;
    s->tiles_y = (s->ny + SCREEN_TILE_Y - 1) / SCREEN_TILE_Y;
    s->n_levels = s->n_cells = 0;
    for (int l = 0, is_last = 0; !is_last; ++l) {
        int x = ((s->tiles_x - 1) >> l) + 1, y = ((s->tiles_y - 1) >> l) + 1;
        s->level_first[l] = s->n_cells;
        s->level_x[l] = x, s->level_y[l] = y;
        s->n_cells += x * y;
        s->n_levels = l + 1;
        is_last = x == 1 && y == 1;
    }
}

static TarnResult check_def(TarnContext* ctx, const TarnScreenMeshDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "screen_mesh", "tarn/screen_mesh.h", TarnScreenMeshDef,
                            tarn_screen_mesh_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    TarnScreenMesh s = { .def = *def };
    set_size(&s, def->max_width, def->max_height);
    int64_t nodes = (int64_t)s.nx * s.ny;
    if (nodes > SCREEN_MAX_NODES)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "screen_mesh.spacing: %d makes %lld nodes of %d x %d pixels, more than "
                          "%d; use a larger spacing",
                          def->spacing, (long long)nodes, def->max_width, def->max_height,
                          SCREEN_MAX_NODES);
    return TARN_OK;
}

// With margins around; the first node of the picture.
static float* place_nodes(TarnLayout* layout, char* base, const TarnScreenMesh* s)
{
    size_t stride = (size_t)s->stride, rows = (size_t)s->ny + 2 * ROWS_MARGIN;
    float* first = tarn__layout_place(layout, base, rows * stride + SCREEN_MARGIN, sizeof(float));
    return first ? first + ROWS_MARGIN * stride + SCREEN_MARGIN : NULL;
}
static uint32_t* place_bits(TarnLayout* layout, char* base, const TarnScreenMesh* s)
{
    size_t stride = (size_t)s->word_stride, rows = (size_t)s->ny + 2 * ROWS_MARGIN;
    uint32_t* first = tarn__layout_place(layout, base, rows * stride + 1, sizeof(uint32_t));
    return first ? first + ROWS_MARGIN * stride + 1 : NULL;
}

static void lay_out_layer(TarnLayout* layout, char* base, const TarnScreenMesh* s, ScreenLayer* l)
{
    l->k = place_nodes(layout, base, s);
    l->seen = tarn__layout_place(layout, base, (size_t)s->ny * (size_t)s->stride, sizeof(int32_t));
    l->present = place_bits(layout, base, s);
    l->cut_x = place_bits(layout, base, s);
    l->cut_y = place_bits(layout, base, s);
    uint32_t** bits[] = { &l->front_x, &l->front_y, &l->back_x, &l->back_y };
    size_t words = (size_t)s->ny * (size_t)s->word_stride;
    for (int b = 0; b < 4; ++b)
        *bits[b] = tarn__layout_place(layout, base, words, sizeof(uint32_t));
    l->rank_x = tarn__layout_place(layout, base, words, sizeof(uint16_t));
    l->rank_y = tarn__layout_place(layout, base, words, sizeof(uint16_t));
    l->rows = tarn__layout_place(layout, base, (size_t)s->ny, sizeof(ScreenRow));
}

// Places all arrays; with screen NULL it only counts. Rows are as far apart as those of the largest picture.
static size_t lay_out(const TarnScreenMeshDef* def, TarnScreenMesh* screen)
{
    TarnLayout layout = { 0 };
    TarnScreenMesh only_counts = { .def = *def };
    char* base = (char*)screen;
    TarnScreenMesh* s = screen ? screen : &only_counts;
    set_size(s, def->max_width, def->max_height);
    s->word_stride = s->words + 2;
    s->stride = s->words * SCREEN_TILE_X + SCREEN_MARGIN;
    tarn__layout_add(&layout, sizeof(TarnScreenMesh));
    size_t n = (size_t)def->max_particles;
    size_t padded = (size_t)s->words * SCREEN_TILE_X;
    size_t edges = 2 * (size_t)s->nx * (size_t)s->ny;
    for (int l = 0; l < 2; ++l) lay_out_layer(&layout, base, s, &s->layer[l]);
    s->u = tarn__layout_place(&layout, base, padded, sizeof(float));
    s->v = tarn__layout_place(&layout, base, (size_t)s->ny, sizeof(float));
    s->smoothed =
        tarn__layout_place(&layout, base, (size_t)s->ny * (size_t)s->stride, sizeof(float));
    s->clear_x = tarn__layout_place(&layout, base, padded * (size_t)s->ny, 1);
    s->clear_y = tarn__layout_place(&layout, base, padded * (size_t)s->ny, 1);
    s->particles = tarn__layout_place(&layout, base, n, sizeof(ScreenParticle));
    s->sorted = tarn__layout_place(&layout, base, n, sizeof(ScreenParticle));
    s->order = tarn__layout_place(&layout, base, n, sizeof(int32_t));
    s->bucket = tarn__layout_place(&layout, base, SCREEN_BUCKETS, sizeof(int32_t));
    s->cell_first = tarn__layout_place(&layout, base, (size_t)s->n_cells + 2, sizeof(int32_t));
    s->batch_range = tarn__layout_place(&layout, base, 2 * (n / SCREEN_BATCH + 1), sizeof(float));
    float** outline[] = { &s->out_x, &s->out_y, &s->out_k, &s->next_x, &s->next_y, &s->next_k };
    for (int a = 0; a < 6; ++a)
        *outline[a] = tarn__layout_place(&layout, base, edges, sizeof(float));
    s->owner = tarn__layout_place(&layout, base, edges, sizeof(int32_t));
    s->partner = tarn__layout_place(&layout, base, 2 * edges, sizeof(int32_t));
    s->anchor = tarn__layout_place(&layout, base, edges, sizeof(int32_t));
    return layout.size;
}

size_t tarn_screen_mesh_memory(const TarnScreenMeshDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_screen_mesh_create(TarnContext* ctx, const TarnScreenMeshDef* def,
                                   TarnScreenMesh** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_screen_mesh_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnScreenMesh* s = tarn__alloc(ctx, size);
    if (s == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "screen_mesh: out of memory for %d x %d pixels at spacing %d (%zu bytes)",
                          def->max_width, def->max_height, def->spacing, size);
    s->ctx = ctx;
    s->memory = size;
    s->def = *def;
    s->depth = TARN_KERNELS_PICK(ctx->isa, tarn__screen_depth_kernels);
    s->outlines = TARN_KERNELS_PICK(ctx->isa, tarn__screen_outline_kernels);
    s->shape = TARN_KERNELS_PICK(ctx->isa, tarn__screen_shape_kernels);
    lay_out(def, s);
    *out = s;
    return TARN_OK;
}

void tarn_screen_mesh_destroy(TarnScreenMesh* screen)
{
    if (screen != NULL) tarn__free(screen->ctx, screen, screen->memory);
}

// ---- Checks --------------------------------------------------------------------------------------

static TarnResult check_points(TarnScreenMesh* s, const TarnPoints* points)
{
    if (points->n < 0 || points->n > s->def.max_particles)
        return tarn__fail(s->ctx, points->n < 0 ? TARN_ERR_ARG : TARN_ERR_CAPACITY,
                          "screen_mesh: points.n is %d; allowed: 0 to max_particles, %d: create it "
                          "with a larger max_particles",
                          points->n, s->def.max_particles);
    if (points->n_attributes < 0 || (points->n_attributes > 0 && !points->attribute))
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "screen_mesh: points.n_attributes is %d, and attribute is%s NULL; it "
                          "must not be negative, and above 0 it needs the array",
                          points->n_attributes, points->attribute ? " not" : "");
    return TARN_OK;
}

static TarnResult check_run(TarnScreenMesh* s, const TarnPoints* points,
                            const TarnScreenCamera* camera, const TarnScreenMeshParams* params,
                            const TarnMesh* mesh, ScreenView* view)
{
    if (!points || !camera || !params || !mesh)
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "tarn_screen_mesh_run: points, camera, params or mesh is NULL");
    TARN_TRY(TARN_CHECK_DEF(s->ctx, "screen_mesh", "tarn/screen_mesh.h", TarnScreenMeshParams,
                            tarn_screen_mesh_default_params, params));
    TARN_TRY(tarn_param_validate(s->ctx, &params_table, params));
    TARN_TRY(check_points(s, points));
    TARN_TRY(tarn__mesh_accepts(s->ctx, "screen_mesh", mesh));
    if (camera->width < 1 || camera->width > s->def.max_width || camera->height < 1 ||
        camera->height > s->def.max_height)
        return tarn__fail(s->ctx, TARN_ERR_ARG,
                          "screen_mesh: camera.width x height is %d x %d; allowed: 1 x 1 to "
                          "max_width x max_height, %d x %d",
                          camera->width, camera->height, s->def.max_width, s->def.max_height);
    return tarn__screen_view(s->ctx, camera, s->def.spacing, view);
}

// ---- The passes ----------------------------------------------------------------------------------

enum { ROWS = 8, OUTLINES = 1024 }; // of a task
enum { EASE = 2 };                  // nodes that windows of neighbors may differ by
enum { CLEAR = 4 * 16 };            // nodes to each side from which on the widest pass is whole

typedef void RowFn(const TarnScreenMesh* s, int row);
typedef struct RowTask {
    const TarnScreenMesh* s;
    RowFn* fn;
} RowTask;

static void run_rows(int block, void* data)
{
    const RowTask* task = data;
    int end = (block + 1) * ROWS < task->s->ny ? (block + 1) * ROWS : task->s->ny;
    for (int row = block * ROWS; row < end; ++row) task->fn(task->s, row);
}
static void each_row(const TarnScreenMesh* s, RowFn* fn)
{
    RowTask task = { s, fn };
    tarn__parallel_for(s->ctx, (s->ny + ROWS - 1) / ROWS, run_rows, &task);
}
static void run_one(int block, void* data)
{
    const RowTask* task = data;
    task->fn(task->s, block);
}
static void each_of(const TarnScreenMesh* s, int n, RowFn* fn)
{
    RowTask task = { s, fn };
    tarn__parallel_for(s->ctx, n, run_one, &task);
}

// There is nothing outside the picture, and all edges are cut there.
static void set_margins(const TarnScreenMesh* s, const ScreenLayer* l)
{
    int end = s->words * SCREEN_TILE_X;
    for (int row = -ROWS_MARGIN; row < s->ny + ROWS_MARGIN; ++row) {
        bool is_inside = row >= 0 && row < s->ny;
        float* k = l->k + (ptrdiff_t)row * s->stride;
        ptrdiff_t word = (ptrdiff_t)row * s->word_stride;
        for (int i = -SCREEN_MARGIN; i < 0; ++i) k[i] = k[end - i - 1] = INFINITY;
        for (int i = 0; i < end && !is_inside; ++i) k[i] = INFINITY;
        for (int w = -1; w <= s->words; ++w) {
            if (is_inside && w >= 0 && w < s->words) continue;
            l->present[word + w] = 0;
            l->cut_x[word + w] = l->cut_y[word + w] = ~0u;
        }
    }
}

// Slopes of the rays, and where nothing is.
static void begin_run(TarnScreenMesh* s, const TarnScreenCamera* camera)
{
    const ScreenView* v = &s->view;
    set_size(s, camera->width, camera->height);
    for (int i = 0; i < s->words * SCREEN_TILE_X; ++i)
        s->u[i] = ((float)i - v->center_x) / v->scale_x;
    for (int j = 0; j < s->ny; ++j) s->v[j] = ((float)j - v->center_y) / v->scale_y;
    for (int l = 0; l < s->params.layers; ++l) set_margins(s, &s->layer[l]);
    s->step = s->params.max_step * s->params.radius;
}

// How many connected edges there are on both sides of each node, up to as many as matter: along a row, ...
static void clear_row(const TarnScreenMesh* s, int row)
{
    const uint32_t* cut = s->now->cut_x + screen_word(s, 0, row);
    uint8_t* clear = s->clear_x + (size_t)row * (size_t)(s->words * SCREEN_TILE_X);
    int run = 0;
    for (int w = 0; w < s->words; ++w) {
        uint8_t* to = clear + w * SCREEN_TILE_X;
        if (cut[w] == ~0u) { // nothing there
            memset(to, 0, SCREEN_TILE_X);
            run = 0;
            continue;
        }
        for (int a = 0; a < SCREEN_TILE_X; ++a) {
            to[a] = (uint8_t)run;
            run = cut[w] >> a & 1u ? 0 : run < CLEAR ? run + 1 : CLEAR;
        }
    }
    run = 0;
    for (int w = s->words - 1; w >= 0; --w) {
        uint8_t* to = clear + w * SCREEN_TILE_X;
        if (cut[w] == ~0u) run = 0;
        for (int a = SCREEN_TILE_X - 1; a >= 0 && cut[w] != ~0u; --a) {
            run = cut[w] >> a & 1u ? 0 : run < CLEAR ? run + 1 : CLEAR;
            if (run < to[a]) to[a] = (uint8_t)run;
        }
    }
}

// ... and along the columns of a word.
static void clear_columns(const TarnScreenMesh* s, int w)
{
    uint8_t run[SCREEN_TILE_X] = { 0 };
    size_t stride = (size_t)s->words * SCREEN_TILE_X;
    for (int pass = 0; pass < 2; ++pass) { // up, then down
        for (int n = 0; n < s->ny; ++n) {
            int j = pass == 0 ? n : s->ny - 1 - n;
            uint32_t cut = s->now->cut_y[screen_word(s, w, j)];
            uint8_t* clear = s->clear_y + (size_t)j * stride + (size_t)w * SCREEN_TILE_X;
            uint8_t more[SCREEN_TILE_X];
            for (int a = 0; a < SCREEN_TILE_X; ++a)
                more[a] = (uint8_t)(run[a] < CLEAR ? run[a] + 1 : CLEAR);
            if (cut != 0) {
                for (int a = 0; a < SCREEN_TILE_X; ++a) more[a] &= cut >> a & 1u ? 0 : 255;
            }
            const uint8_t* found = pass == 0 ? run : more;
            for (int a = 0; a < SCREEN_TILE_X; ++a) {
                uint8_t least = found[a] < clear[a] ? found[a] : clear[a];
                clear[a] = pass == 0 ? found[a] : least;
            }
            memcpy(run, more, sizeof run);
        }
        memset(run, 0, sizeof run);
    }
}

// Windows change gradually over connected nodes: where a tear ends inside a surface, rows that pass its tip
// must not look far while those through it do not look at all. Along rows, of what was counted along columns,
// ...
static void ease_row(const TarnScreenMesh* s, int row)
{
    const uint32_t* cut = s->now->cut_x + screen_word(s, 0, row);
    uint8_t* clear = s->clear_y + (size_t)row * (size_t)(s->words * SCREEN_TILE_X);
    for (int w = 0; w < s->words; ++w) {
        uint8_t* at = clear + w * SCREEN_TILE_X;
        for (int a = 0; a < SCREEN_TILE_X && cut[w] != ~0u; ++a) {
            bool is_free = !(cut[w] >> a & 1u); // never the last edge of the row
            if (is_free && at[a + 1] > at[a] + EASE) at[a + 1] = (uint8_t)(at[a] + EASE);
        }
    }
    for (int w = s->words - 1; w >= 0; --w) {
        uint8_t* at = clear + w * SCREEN_TILE_X;
        for (int a = SCREEN_TILE_X - 1; a >= 0 && cut[w] != ~0u; --a) {
            bool is_free = !(cut[w] >> a & 1u);
            if (is_free && at[a] > at[a + 1] + EASE) at[a] = (uint8_t)(at[a + 1] + EASE);
        }
    }
}

// ... and along the columns of a word, of what was counted along rows.
static void ease_columns(const TarnScreenMesh* s, int w)
{
    size_t stride = (size_t)s->words * SCREEN_TILE_X;
    for (int pass = 0; pass < 2; ++pass) { // up, then down
        for (int n = 1; n < s->ny; ++n) {
            int j = pass == 0 ? n : s->ny - 1 - n, from = pass == 0 ? j - 1 : j + 1;
            uint32_t cut = s->now->cut_y[screen_word(s, w, pass == 0 ? from : j)];
            if (cut == ~0u) continue;
            uint8_t* clear = s->clear_x + (size_t)j * stride + (size_t)w * SCREEN_TILE_X;
            const uint8_t* before = s->clear_x + (size_t)from * stride + (size_t)w * SCREEN_TILE_X;
            for (int a = 0; a < SCREEN_TILE_X; ++a) {
                uint8_t most = (uint8_t)(before[a] + EASE);
                uint8_t eased = clear[a] < most ? clear[a] : most;
                clear[a] = cut >> a & 1u ? clear[a] : eased;
            }
        }
    }
}

// Passes of five or three weights, each at twice the distance of the one before.
static void smooth_depths(TarnScreenMesh* s)
{
    if (s->params.filter == 0) return;
    each_row(s, clear_row);
    each_of(s, s->words, clear_columns);
    each_row(s, ease_row);
    each_of(s, s->words, ease_columns);
    int left = s->params.filter;
    for (s->reach = 1; left >= s->reach; s->reach *= 2) {
        s->is_double = left >= 2 * s->reach;
        left -= s->is_double ? 2 * s->reach : s->reach;
        each_row(s, s->depth->smooth_x);
        each_row(s, s->depth->smooth_y);
    }
}

// Where vertices and triangles of each row go.
static void place_rows(const TarnScreenMesh* s, ScreenLayer* l)
{
    l->n_vertices = l->n_triangles = l->n_outline = 0;
    for (int row = 0; row < s->ny; ++row) {
        ScreenRow* r = &l->rows[row];
        r->first_triangle = l->n_triangles;
        r->first_outline = l->n_outline;
        for (int c = 0; c < SCREEN_CLASSES; ++c) {
            r->first[c] = l->n_vertices;
            l->n_vertices += r->n[c];
        }
        l->n_outline += r->n[SCREEN_FRONT_X] + r->n[SCREEN_FRONT_Y];
        l->n_triangles += r->n_triangles;
    }
}

static void find_silhouettes(const TarnScreenMesh* s)
{
    each_row(s, s->depth->cut);
    each_row(s, s->depth->heal);
    each_row(s, s->depth->keep_healed);
}

// The map of depths of a layer, smoothed, and what it will take.
static void map_layer(TarnScreenMesh* s, int layer)
{
    s->now = &s->layer[layer];
    s->sign = layer == 0 ? 1.0f : -1.0f;
    each_of(s, s->tiles_x * s->tiles_y, s->depth->splat);
    find_silhouettes(s);
    smooth_depths(s);
    find_silhouettes(s);
    each_row(s, s->shape->count);
    place_rows(s, s->now);
}

// A front vertex goes to the middle of its neighbors along the outline, but not off its edge: at most to
// its ends, and aside by less than half of the way from the near node, so that no triangle turns over.
static void smooth_outline(const TarnScreenMesh* s, int block)
{
    int end =
        (block + 1) * OUTLINES < s->now->n_outline ? (block + 1) * OUTLINES : s->now->n_outline;
    for (int o = block * OUTLINES; o < end; ++o) {
        int a = s->partner[2 * o], b = s->partner[2 * o + 1];
        float x = s->out_x[o], y = s->out_y[o], k = s->out_k[o];
        if (a >= 0 && b >= 0) {
            x = 0.5f * x + 0.25f * (s->out_x[a] + s->out_x[b]);
            y = 0.5f * y + 0.25f * (s->out_y[a] + s->out_y[b]);
            k = 0.5f * k + 0.25f * (s->out_k[a] + s->out_k[b]);
            int node = s->anchor[o] >> 2, axis = s->anchor[o] >> 1 & 1;
            float way = s->anchor[o] & 1 ? -1.0f : 1.0f;
            float dx = x - (float)(node % s->nx), dy = y - (float)(node / s->nx);
            float along = tarn_clampf(way * (axis == 0 ? dx : dy), 0.05f, 1.0f);
            float aside = tarn_clampf(axis == 0 ? dy : dx, -0.45f * along, 0.45f * along);
            x = (float)(node % s->nx) + (axis == 0 ? way * along : aside);
            y = (float)(node / s->nx) + (axis == 0 ? aside : way * along);
        }
        s->next_x[o] = x, s->next_y[o] = y, s->next_k[o] = k;
    }
}

static void swap(float** a, float** b)
{
    float* c = *a;
    *a = *b, *b = c;
}

// Triangles and vertices of a layer, behind those of the one before.
static void build_layer(TarnScreenMesh* s, int layer, int first_vertex, int first_triangle)
{
    ScreenLayer* l = s->now = &s->layer[layer];
    s->sign = layer == 0 ? 1.0f : -1.0f;
    for (int row = 0; row < s->ny; ++row) {
        for (int c = 0; c < SCREEN_CLASSES; ++c) l->rows[row].first[c] += first_vertex;
        l->rows[row].first_triangle += first_triangle;
    }
    each_of(s, s->tiles_x * s->tiles_y, s->outlines->outline);
    each_row(s, s->shape->triangles);
    for (int n = 0; n < s->params.iterations; ++n) {
        each_of(s, (l->n_outline + OUTLINES - 1) / OUTLINES, smooth_outline);
        swap(&s->out_x, &s->next_x), swap(&s->out_y, &s->next_y), swap(&s->out_k, &s->next_k);
    }
    each_row(s, s->shape->vertices);
}

TarnResult tarn_screen_mesh_run(TarnScreenMesh* screen, const TarnPoints* points,
                                const TarnScreenCamera* camera, const TarnScreenMeshParams* params,
                                TarnMesh* mesh, int* n_front)
{
    if (n_front) *n_front = 0;
    if (!screen) return TARN_ERR_ARG;
    TarnScreenMesh* s = screen;
    ScreenView view;
    TARN_TRY(check_run(s, points, camera, params, mesh, &view));
    s->params = *params;
    s->view = view;
    s->points = points;
    s->mesh = mesh;
    begin_run(s, camera);
    each_of(s, (points->n + SCREEN_BATCH - 1) / SCREEN_BATCH, s->depth->transform);
    tarn__screen_sort(s);
    mesh->n_vertices = mesh->n_triangles = 0;
    for (int l = 0; l < params->layers; ++l) {
        map_layer(s, l);
        mesh->n_vertices += s->layer[l].n_vertices;
        mesh->n_triangles += s->layer[l].n_triangles;
    }
    if (n_front) *n_front = s->layer[0].n_triangles;
    TARN_TRY(tarn__mesh_room(s->ctx, "screen_mesh", mesh, mesh->n_vertices, mesh->n_triangles));
    for (int l = 0; l < params->layers; ++l)
        build_layer(s, l, l ? s->layer[0].n_vertices : 0, l ? s->layer[0].n_triangles : 0);
    return TARN_OK;
}
