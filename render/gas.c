// Gases in a frame: checks, their cells as volumes for the shaders, and what is made once. How light goes
// through them: gas_light.c. The passes: gas_passes.c.

#include "renderer.h"
#include <string.h>

// ---- Checks ----------------------------------------------------------------------------------------

static TarnResult check_view(TarnContext* ctx, int n, const char* name, const TarnView3* v,
                             const TarnView3* like)
{
    if (!v->data) return TARN_OK;
    int64_t cells = (int64_t)v->nx * v->ny * v->nz;
    bool is_ok = v->nx > 0 && v->ny > 0 && v->nz > 0 && v->nx <= 4096 && v->ny <= 4096 &&
                 v->nz <= 4096 && cells <= (int64_t)1 << 29;
    is_ok = is_ok && v->row >= v->nx && (int64_t)v->slab >= (int64_t)v->row * v->ny;
    if (is_ok && like->data) is_ok = v->nx == like->nx && v->ny == like->ny && v->nz == like->nz;
    if (is_ok) return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "frame.gases[%d].view.%s is %d x %d x %d with row %d and slab %d; allowed are "
        "1 to 4096 per side, rows of at least nx, slabs of at least row * ny, and the "
        "same size for all fields",
        n, name, v->nx, v->ny, v->nz, v->row, v->slab);
}

static TarnResult check_gas(TarnContext* ctx, int n, const TarnFrameGas* g)
{
    const TarnGasView* v = &g->view;
    const TarnView3* like = v->density.data ? &v->density : &v->temperature;
    TARN_TRY(check_view(ctx, n, "density", &v->density, like));
    TARN_TRY(check_view(ctx, n, "temperature", &v->temperature, like));
    TARN_TRY(check_view(ctx, n, "red", &v->red, like));
    TARN_TRY(check_view(ctx, n, "green", &v->green, like));
    TARN_TRY(check_view(ctx, n, "blue", &v->blue, like));
    if (!(v->dx > 1e-6f && v->dx < 1e6f) || !(vec3_length(v->origin) < 1e6f))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "frame.gases[%d].view: dx is %g m, allowed: 1e-6 to 1e6; origin must lie "
                          "within 1e6 m",
                          n, (double)v->dx);
    bool is_ok = vec3_is_finite(g->color) && g->opacity >= 0.0f && g->opacity < 1e9f &&
                 g->glow >= 0.0f && g->glow < 1e6f && g->ambient_temperature >= 0.0f &&
                 g->ambient_temperature < 1e6f;
    if (is_ok) return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "frame.gases[%d]: opacity is %g 1/m, glow %g, ambient_temperature %g K; all must "
        "be 0 or more, at most 1e6 (opacity 1e9), and color finite",
        n, (double)g->opacity, (double)g->glow, (double)g->ambient_temperature);
}

TarnResult tarn__check_gases(TarnContext* ctx, const TarnFrame* f)
{
    if (f->n_gases < 0 || f->n_gases > MAX_GASES || (f->n_gases > 0 && !f->gases))
        return tarn__fail(ctx, TARN_ERR_ARG, "frame.n_gases is %d with gases %s; allowed: 0 to %d",
                          f->n_gases, f->gases ? "given" : "NULL", MAX_GASES);
    for (int i = 0; i < f->n_gases; ++i) TARN_TRY(check_gas(ctx, i, &f->gases[i]));
    return TARN_OK;
}

// ---- Cells -----------------------------------------------------------------------------------------

static size_t cells_of(const GasVolume* v)
{
    return (size_t)v->nx * (size_t)v->ny * (size_t)v->nz;
}

// Mean of the group of cells that becomes one. What is not a number, or negative, counts as 0.
static float mean_of(const TarnView3* v, int thin, int i, int j, int k)
{
    float sum = 0.0f;
    for (int c = k * thin; c < (k + 1) * thin; ++c)
        for (int b = j * thin; b < (j + 1) * thin; ++b) {
            const float* row = v->data + (size_t)v->row * (size_t)b + (size_t)v->slab * (size_t)c;
            for (int a = i * thin; a < (i + 1) * thin; ++a)
                if (row[a] > 0.0f && row[a] < INFINITY) sum += fminf(row[a], 1e9f);
        }
    return sum / (float)(thin * thin * thin);
}

static void grow(GasVolume* v, int i, int j, int k, int lo[3], int hi[3])
{
    const int at[3] = { i, j, k };
    for (int a = 0; a < 3; ++a) lo[a] = mini(lo[a], at[a]), hi[a] = maxi(hi[a], at[a]);
    v->is_empty = false;
}

// The cells, and the box of those that can be seen.
static void fill_cells(GasVolume* v, const TarnFrameGas* g, int thin)
{
    const TarnView3 *density = &g->view.density, *heat = &g->view.temperature;
    float faint = 0.003f / (v->dx * (float)maxi(maxi(v->nx, v->ny), v->nz));
    float warm = v->has_heat ? 650.0f - v->ambient : INFINITY;
    int lo[3] = { v->nx, v->ny, v->nz }, hi[3] = { 0, 0, 0 };
    float* cell = v->cells;
    v->is_empty = true;
    for (int k = 0; k < v->nz; ++k)
        for (int j = 0; j < v->ny; ++j)
            for (int i = 0; i < v->nx; ++i, cell += 2) {
                float d = density->data ? mean_of(density, thin, i, j, k) : 0.0f;
                cell[0] = fminf(g->opacity * d, 6e4f / v->dx);
                cell[1] = v->has_heat ? fminf(mean_of(heat, thin, i, j, k), 6e4f) : 0.0f;
                if (cell[0] > faint || cell[1] > warm) grow(v, i, j, k, lo, hi);
            }
    if (v->is_empty) return;
    v->lo = vec3_add(
        v->origin,
        vec3_scale(vec3((float)(lo[0] - 1), (float)(lo[1] - 1), (float)(lo[2] - 1)), v->dx));
    v->hi = vec3_add(
        v->origin,
        vec3_scale(vec3((float)(hi[0] + 2), (float)(hi[1] + 2), (float)(hi[2] + 2)), v->dx));
}

static TarnResult update_volume(TarnContext* ctx, GasVolume* v, const TarnFrameGas* g)
{
    const TarnView3* like = g->view.density.data ? &g->view.density : &g->view.temperature;
    v->is_empty = true;
    v->has_heat = g->view.temperature.data && g->glow > 0.0f;
    v->has_color = g->view.red.data && g->view.green.data && g->view.blue.data;
    if (!like->data) return TARN_OK;
    int thin = 1;
    while ((int64_t)(like->nx / thin) * (like->ny / thin) * (like->nz / thin) > MAX_CELLS ||
           maxi(maxi(like->nx, like->ny), like->nz) / thin > 1024)
        ++thin;
    thin = mini(thin, mini(mini(like->nx, like->ny), like->nz));
    v->nx = like->nx / thin, v->ny = like->ny / thin, v->nz = like->nz / thin;
    v->dx = g->view.dx * (float)thin;
    v->origin = g->view.origin;
    v->ambient = g->ambient_temperature;
    v->color = g->color;
    // A flame a tenth of the box thick at 1500 K outshines a sunlit floor, whatever its size.
    float side = v->dx * (float)maxi(maxi(v->nx, v->ny), v->nz);
    v->glow = 30.0f * g->glow / side;
    v->soot = 5.0f / side;
    size_t bytes = cells_of(v) * 2 * sizeof(float);
    if (bytes > v->bytes) {
        tarn__free(ctx, v->cells, v->bytes);
        v->bytes = 0;
        v->cells = tarn__alloc(ctx, bytes);
        if (!v->cells)
            return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for a gas of %d x %d x %d",
                              v->nx, v->ny, v->nz);
        v->bytes = bytes;
    }
    fill_cells(v, g, thin);
    return TARN_OK;
}

// ---- Textures --------------------------------------------------------------------------------------

// Of what is not negative and below 65504, rounded; tiny values become 0.
static uint16_t half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x < 6.2e-5f ? 0 : (uint16_t)((bits - (112u << 23) + 0x1000u) >> 13);
}

static void upload(GLuint* id, int fits[3], const int n[3], GLenum internal, GLenum format,
                   GLenum type, const void* data)
{
    if (!*id) glGenTextures(1, id);
    glBindTexture(GL_TEXTURE_3D, *id);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (fits[0] != n[0] || fits[1] != n[1] || fits[2] != n[2]) {
        glTexImage3D(GL_TEXTURE_3D, 0, (GLint)internal, n[0], n[1], n[2], 0, format, type, data);
        const GLenum wraps[3] = { GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R };
        for (int a = 0; a < 3; ++a) glTexParameteri(GL_TEXTURE_3D, wraps[a], GL_CLAMP_TO_EDGE);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        memcpy(fits, n, 3 * sizeof *n);
    } else
        glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, n[0], n[1], n[2], format, type, data);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static uint8_t byte_of(float x)
{
    return (uint8_t)(255.0f * clampf(x, 0.0f, 1.0f) + 0.5f);
}

// Extinction per cell and temperature; then the colors, of which the density is taken out again.
static void upload_volume(Gas* gas, GasVolume* v, const TarnFrameGas* g)
{
    size_t cells = cells_of(v);
    const int n[3] = { v->nx, v->ny, v->nz };
    for (size_t c = 0; c < cells; ++c) {
        gas->halves[2 * c] = half_of(v->cells[2 * c] * v->dx);
        gas->halves[2 * c + 1] = half_of(v->cells[2 * c + 1]);
    }
    upload(&v->texture, v->texture_cells, n, GL_RG16F, GL_RG, GL_HALF_FLOAT, gas->halves);
    if (!v->has_color) return;
    const TarnView3* views[3] = { &g->view.red, &g->view.green, &g->view.blue };
    uint8_t* to = (uint8_t*)gas->halves;
    int thin = maxi((int)(v->dx / g->view.dx + 0.5f), 1);
    const float* cell = v->cells;
    for (int k = 0; k < v->nz; ++k)
        for (int j = 0; j < v->ny; ++j)
            for (int i = 0; i < v->nx; ++i, cell += 2, to += 4) {
                float scale = g->opacity / fmaxf(cell[0], 1e-6f * g->opacity);
                for (int a = 0; a < 3; ++a)
                    to[a] = byte_of(scale * mean_of(views[a], thin, i, j, k));
                to[3] = 255;
            }
    upload(&v->dye, v->dye_cells, n, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, gas->halves);
}

static void upload_light(Gas* gas)
{
    GasLight* l = &gas->light;
    const int n[3] = { l->nx, l->ny, l->nz };
    size_t values = 4 * (size_t)l->nx * (size_t)l->ny * (size_t)l->nz;
    for (size_t i = 0; i < values; ++i) l->halves[i] = half_of(fminf(l->light[i], 6e4f));
    upload(&gas->light_texture, gas->light_cells, n, GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, l->halves);
}

// ---- The frame -------------------------------------------------------------------------------------

TarnResult tarn__gas_prepare(TarnRenderer* r)
{
    Gas* g = &r->gas;
    if (g->is_ready) return TARN_OK;
    tarn__gas_destroy(r); // left by a failed attempt
    int hw = (r->width + 1) / 2, hh = (r->height + 1) / 2;
    int qw = maxi(r->width / 4, 1), qh = maxi(r->height / 4, 1);
    const struct {
        Target* target;
        TargetDef def;
    } list[] = {
        { &g->march, { r->width, r->height, 0, { GL_RGBA16F, GL_RG32F }, false, false } },
        { &g->cloud[0], { hw, hh, 0, { GL_RGBA16F }, false, false } },
        { &g->cloud[1], { qw, qh, 0, { GL_RGBA16F }, false, false } },
        { &g->bloom[0], { qw, qh, 0, { GL_RGBA16F }, false, false } },
        { &g->bloom[1], { qw, qh, 0, { GL_RGBA16F }, false, false } },
    };
    for (int i = 0; i < (int)(sizeof list / sizeof *list); ++i)
        TARN_TRY(tarn__target_create(r->ctx, &list[i].def, list[i].target));
    TARN_TRY(tarn__gas_programs(r));
    tarn__heat_table(g->heat);
    g->heat_texture = tarn__texture_create(HEAT_TEXELS, 1, GL_RGB16F, GL_RGB, GL_FLOAT, g->heat,
                                           false, GL_CLAMP_TO_EDGE);
    g->is_ready = true;
    return TARN_OK;
}

void tarn__gas_destroy(TarnRenderer* r)
{
    Gas* g = &r->gas;
    Target* targets[] = { &g->march, &g->cloud[0], &g->cloud[1], &g->bloom[0], &g->bloom[1] };
    for (int i = 0; i < 5; ++i) tarn__target_destroy(targets[i]);
    for (int i = 0; i < MAX_GASES; ++i) {
        GLuint ids[] = { g->volumes[i].texture, g->volumes[i].dye };
        glDeleteTextures(2, ids);
        g->volumes[i].texture = g->volumes[i].dye = 0;
        memset(g->volumes[i].texture_cells, 0, sizeof g->volumes[i].texture_cells);
        memset(g->volumes[i].dye_cells, 0, sizeof g->volumes[i].dye_cells);
    }
    GLuint ids[] = { g->light_texture, g->heat_texture };
    glDeleteTextures(2, ids);
    g->light_texture = g->heat_texture = 0;
    memset(g->light_cells, 0, sizeof g->light_cells);
    g->is_ready = false;
}

void tarn__gas_free(TarnContext* ctx, Gas* g)
{
    for (int i = 0; i < MAX_GASES; ++i) tarn__free(ctx, g->volumes[i].cells, g->volumes[i].bytes);
    tarn__free(ctx, g->halves, g->halves_bytes);
    tarn__gas_light_free(ctx, &g->light);
    memset(g, 0, sizeof *g);
}

static TarnResult reserve_halves(TarnContext* ctx, Gas* g, size_t cells)
{
    size_t bytes = 4 * cells;
    if (bytes <= g->halves_bytes) return TARN_OK;
    tarn__free(ctx, g->halves, g->halves_bytes);
    g->halves_bytes = 0;
    g->halves = tarn__alloc(ctx, bytes);
    if (!g->halves) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for a gas");
    g->halves_bytes = bytes;
    return TARN_OK;
}

static void widen(GasBounds* b, TarnVec3 lo, TarnVec3 hi, float cell)
{
    b->lo = vec3(fminf(b->lo.x, lo.x), fminf(b->lo.y, lo.y), fminf(b->lo.z, lo.z));
    b->hi = vec3(fmaxf(b->hi.x, hi.x), fmaxf(b->hi.y, hi.y), fmaxf(b->hi.z, hi.z));
    b->finest = fminf(b->finest, cell);
}

// The farthest first.
static void sort_volumes(TarnRenderer* r)
{
    Gas* g = &r->gas;
    TarnVec3 eye = vec3(r->frame.eye[0], r->frame.eye[1], r->frame.eye[2]);
    for (int i = 1; i < g->n; ++i)
        for (int k = i; k > 0; --k) {
            const GasVolume *a = &g->volumes[g->order[k - 1]], *b = &g->volumes[g->order[k]];
            float da = vec3_length(vec3_sub(vec3_scale(vec3_add(a->lo, a->hi), 0.5f), eye));
            float db = vec3_length(vec3_sub(vec3_scale(vec3_add(b->lo, b->hi), 0.5f), eye));
            if (da >= db) break;
            int swap = g->order[k];
            g->order[k] = g->order[k - 1], g->order[k - 1] = swap;
        }
}

static void set_constants(TarnRenderer* r)
{
    const GasLight* l = &r->gas.light;
    FrameBlock* f = &r->frame;
    const float n[3] = { (float)l->nx, (float)l->ny, (float)l->nz };
    const float lo[3] = { l->lo.x, l->lo.y, l->lo.z };
    for (int a = 0; a < 3; ++a) f->gas_lo[a] = lo[a], f->gas_size[a] = n[a] * l->s;
    f->gas_fire[0] = l->fire_color.x, f->gas_fire[1] = l->fire_color.y,
    f->gas_fire[2] = l->fire_color.z;
    memset(f->fires, 0, sizeof f->fires);
    f->gas_fire[3] = (float)l->n_fires;
    for (int i = 0; i < l->n_fires; ++i) {
        const Fire* fire = &l->fires[i];
        const float values[8] = { fire->place.x, fire->place.y,
                                  fire->place.z, fire->radius * fire->radius,
                                  fire->color.x, fire->color.y,
                                  fire->color.z, fire->is_in_mirrors ? 1.0f : 0.0f };
        memcpy(f->fires[2 * i], values, sizeof values);
    }
}

// There is neither gas nor smoke, only lamps.
static TarnResult light_by_lamps(TarnRenderer* r, const TarnFrame* frame)
{
    GasLight* l = &r->gas.light;
    l->is_empty = true;
    l->nx = l->ny = l->nz = l->n_fires = 0;
    tarn__lamps(frame, l);
    set_constants(r);
    r->gas.is_seen = r->gas.has_glow = true;
    return TARN_OK;
}

TarnResult tarn__gas_update(TarnRenderer* r, const TarnFrame* frame)
{
    Gas* g = &r->gas;
    g->n = 0;
    g->is_seen = g->has_glow = false;
    bool has_looks = false;
    for (int i = 0; i < frame->n_particles; ++i)
        has_looks |= frame->particles[i].looks && frame->particles[i].view.n > 0;
    bool has_lamps = tarn__lamps(frame, NULL) > 0;
    if (!frame->n_gases && !has_looks && !has_lamps) return TARN_OK;
    TARN_TRY(tarn__gas_prepare(r));
    GasBounds bounds = { { 1e30f, 1e30f, 1e30f }, { -1e30f, -1e30f, -1e30f }, 1e30f };
    for (int i = 0; i < frame->n_gases; ++i) {
        GasVolume* v = &g->volumes[i];
        v->heat = g->heat;
        TARN_TRY(update_volume(r->ctx, v, &frame->gases[i]));
        if (v->is_empty) continue;
        TARN_TRY(reserve_halves(r->ctx, g, cells_of(v)));
        upload_volume(g, v, &frame->gases[i]);
        widen(&bounds, v->lo, v->hi, v->dx);
        g->has_glow |= v->has_heat;
        g->order[g->n++] = i;
    }
    sort_volumes(r);
    for (int i = 0; i < frame->n_particles; ++i)
        if (frame->particles[i].looks) tarn__looks_bounds(r, &frame->particles[i], &bounds);
    if (!(bounds.lo.x < bounds.hi.x)) return has_lamps ? light_by_lamps(r, frame) : TARN_OK;
    TARN_TRY(tarn__gas_light_begin(r->ctx, &g->light, &bounds));
    if (g->light.is_empty) { // so far away that its cells are all one
        g->n = 0;
        return TARN_OK;
    }
    for (int i = 0; i < g->n; ++i) tarn__gas_light_add(&g->light, &g->volumes[g->order[i]]);
    for (int i = 0; i < frame->n_particles; ++i)
        if (frame->particles[i].looks) tarn__looks_light(r, &frame->particles[i]);
    g->has_glow |= tarn__lamps(frame, &g->light) > 0;
    tarn__gas_light_finish(&g->light, vec3(r->frame.sun[0], r->frame.sun[1], r->frame.sun[2]));
    upload_light(g);
    set_constants(r);
    g->is_seen = true;
    return TARN_OK;
}
