// Liquids as meshes and as balls, and meshes as things in a frame.

#define PICTURE_WIDTH 320
#include "tests/render/liquid_frames.h"
#include "tarn/screen_mesh.h"

enum { ROUND = 64, RINGS = 32, SPHERE_V = (RINGS + 1) * ROUND, SPHERE_T = 2 * RINGS * ROUND };

typedef struct Shape { // a closed mesh with room for a little more
    TarnVec3 position[SPHERE_V + 4], normal[SPHERE_V + 4];
    uint32_t index[3 * (SPHERE_T + 4)];
    TarnMesh mesh;
} Shape;

// Stretched, if its radii differ.
static void sphere(Shape* s, TarnVec3 center, TarnVec3 radius)
{
    TarnMesh* m = &s->mesh;
    *m = (TarnMesh){ .position = s->position, .normal = s->normal, .index = s->index };
    for (int i = 0; i <= RINGS; ++i)
        for (int k = 0; k < ROUND; ++k) {
            float a = 3.14159265f * (float)i / RINGS, b = 6.2831853f * (float)k / ROUND;
            TarnVec3 n = vec3(sinf(a) * cosf(b), cosf(a), sinf(a) * sinf(b));
            s->position[m->n_vertices] = vec3(center.x + radius.x * n.x, center.y + radius.y * n.y,
                                              center.z + radius.z * n.z);
            s->normal[m->n_vertices++] =
                vec3_unit(vec3(n.x / radius.x, n.y / radius.y, n.z / radius.z));
        }
    for (int i = 0; i < RINGS; ++i)
        for (int k = 0; k < ROUND; ++k) {
            uint32_t a = (uint32_t)(i * ROUND + k), b = (uint32_t)(i * ROUND + (k + 1) % ROUND);
            const uint32_t two[6] = { a, b, a + ROUND, b, b + ROUND, a + ROUND };
            memcpy(s->index + 3 * m->n_triangles, two, sizeof two);
            m->n_triangles += 2;
        }
}

static void ball_of_particles(Cloud* c, TarnVec3 center, float radius, float spacing, int kind)
{
    c->n = 0;
    int n = (int)(radius / spacing) + 1;
    for (int k = -n; k <= n; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                TarnVec3 d = vec3_scale(vec3((float)i, (float)j, (float)k), spacing);
                if (vec3_length(d) <= radius - 0.5f * spacing)
                    add(c, center.x + d.x, center.y + d.y, center.z + d.z, kind);
            }
}

// Where two pictures differ: 1 in mask. Returns how many pixels.
static int differs(const uint8_t* a, const uint8_t* b, uint8_t* mask, int least)
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) {
        int d = abs(a[3 * i] - b[3 * i]) + abs(a[3 * i + 1] - b[3 * i + 1]) +
                abs(a[3 * i + 2] - b[3 * i + 2]);
        mask[i] = d > least;
        n += mask[i];
    }
    return n;
}

static TarnScreenCamera camera_of(const TarnFrame* frame)
{
    Mat4 view = mat4_look_at(frame->camera.eye, frame->camera.target);
    Mat4 proj = mat4_perspective(frame->camera.fov, (float)WIDTH / HEIGHT, 0.01f, 100.0f);
    TarnScreenCamera c = { .width = WIDTH, .height = HEIGHT };
    memcpy(c.view, view.m, sizeof c.view);
    memcpy(c.projection, proj.m, sizeof c.projection);
    return c;
}

static void screen_mesh(Fixture* f, const TarnFrameLiquid* l, const TarnFrame* frame, TarnMesh* m)
{
    enum { MANY = 60000 };
    static TarnVec3 position[MANY], normal[MANY];
    static uint32_t index[3 * MANY];
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_width = WIDTH, def.max_height = HEIGHT, def.max_particles = l->view.n;
    TarnScreenMesh* screen;
    assert_int_equal(tarn_screen_mesh_create(f->ctx, &def, &screen), TARN_OK);
    TarnScreenMeshParams params = tarn_screen_mesh_default_params();
    params.radius = 0.8f * l->spacing;
    TarnPoints points = { .n = l->view.n, .x = l->view.x, .y = l->view.y, .z = l->view.z };
    TarnScreenCamera camera = camera_of(frame);
    *m = (TarnMesh){ .position = position,
                     .normal = normal,
                     .index = index,
                     .max_vertices = MANY,
                     .max_triangles = MANY };
    assert_int_equal(tarn_screen_mesh_run(screen, &points, &camera, &params, m, NULL), TARN_OK);
    tarn_screen_mesh_destroy(screen);
}

// ---- Modes ---------------------------------------------------------------------------------------

static void test_modes_agree(void** state)
{
    static Shape s;
    static uint8_t mask[4][PIXELS];
    Fixture* f = *state;
    need_gl(f);
    const TarnVec3 center = { 1.0f, 0.5f, 0.5f };
    ball_of_particles(&f->liquid, center, 0.36f, 0.04f, 1);
    sphere(&s, center, vec3(0.36f, 0.36f, 0.36f));
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.04f);
    l.walls = TARN_LIQUID_OPEN;
    TarnFrame frame = frame_of(&l);
    frame.sky.sun = vec3(0.9f, 0.3f, -0.2f); // its shadow lies elsewhere
    l.view.n = 0;
    draw(f, &frame, f->b);
    l.view = view_of(&f->liquid);
    int area[4];
    for (int mode = TARN_FRAME_SCREEN_SPACE; mode <= TARN_FRAME_BALLS; ++mode) {
        TarnMesh seen;
        l.mode = mode;
        l.mesh = mode == TARN_FRAME_SCREEN_MESH ? &seen : &s.mesh;
        if (mode == TARN_FRAME_SCREEN_MESH) screen_mesh(f, &l, &frame, &seen);
        draw(f, &frame, f->a);
        assert_int_equal(count_black(f->a), 0);
        area[mode] = differs(f->a, f->b, mask[mode], 80);
        int other = 0;
        for (int i = 0; i < PIXELS; ++i) other += mask[mode][i] != mask[TARN_FRAME_SCREEN_SPACE][i];
        print_message("mode %d covers %d pixels, %d not as the first\n", mode, area[mode], other);
        assert_true(area[mode] > 2500);
        assert_true(other < area[0] / 8); // about a pixel of the outline
    }
}

static bool is_green(const uint8_t* p)
{
    return p[1] > p[0] + 30 && p[1] > p[2] + 30;
}

// Nothing behind an opaque closed surface is seen through it.
static void test_no_cracks(void** state)
{
    static Shape s;
    Fixture* f = *state;
    need_gl(f);
    sphere(&s, vec3(1, 0.5f, 0.5f), vec3(0.7f, 0.35f, 0.3f));
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.view.n = 0;
    l.walls = TARN_LIQUID_OPEN;
    l.mode = TARN_FRAME_SURFACE, l.mesh = &s.mesh;
    l.color[0] = l.color[1], l.clarity[0] = l.clarity[1]; // honey
    TarnFrame frame = frame_of(&l);
    frame.camera = (TarnCamera){ .eye = { 1, 0.5f, 4 }, .target = { 1, 0.5f, 0 }, .fov = 0.3f };
    TarnFrameBody green = { .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.25f, 0.25f, 0.25f } },
                            .position = { 1.0f, 0.5f, -0.2f },
                            .rotation = { 0, 0, 0, 1 },
                            .color = { 0.0f, 0.9f, 0.0f } };
    frame.solids = &green, frame.n_solids = 1;
    draw(f, &frame, f->a);
    int n_green = 0;
    for (int i = 0; i < PIXELS; ++i) n_green += is_green(f->a + 3 * i);
    assert_int_equal(n_green, 0);
    l.mesh = &(TarnMesh){ 0 }; // without it, all of it is there
    draw(f, &frame, f->b);
    for (int i = 0; i < PIXELS; ++i) n_green += is_green(f->b + 3 * i);
    assert_true(n_green > 1000);
    green.position.z = 1.2f; // before the liquid it hides it
    l.mesh = &s.mesh;
    draw(f, &frame, f->a);
    Color c = mean_in(f->a, 150, 80, 170, 100);
    assert_true(c.g > c.r + 50.0);
}

// The thicker the darker, as of particles.
static void test_thickness_of_meshes(void** state)
{
    static Shape s;
    Fixture* f = *state;
    need_gl(f);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.walls = TARN_LIQUID_OPEN;
    l.view.n = 0;
    l.mode = TARN_FRAME_SURFACE, l.mesh = &s.mesh;
    TarnFrame frame = frame_of(&l);
    frame.camera = (TarnCamera){ .eye = { 1, 6, 0.51f }, .target = { 1, 0, 0.5f }, .fov = 0.3f };
    double last = 1e9;
    for (int d = 1; d <= 3; ++d) {
        float half = 0.16f * (float)d;
        sphere(&s, vec3(1, half, 0.5f), vec3(0.9f, half, 0.6f));
        draw(f, &frame, f->a);
        Color c = mean_in(f->a, 150, 80, 170, 100);
        assert_true(c.r < last - 5.0);
        assert_true(c.b > c.r + 15.0);
        last = c.r;
    }
    // Something solid inside ends the way through it.
    TarnFrameBody disc = { .shape = { .kind = TARN_SHAPE_BOX, .size = { 0.3f, 0.1f, 0.3f } },
                           .position = { 1.0f, 0.84f, 0.5f },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.5f, 0.5f, 0.5f } };
    frame.solids = &disc, frame.n_solids = 1;
    draw(f, &frame, f->b);
    assert_true(mean_in(f->b, 150, 80, 170, 100).r > last + 15.0);
}

// ---- Any mesh ------------------------------------------------------------------------------------

static void test_any_mesh(void** state)
{
    static Shape s, broken;
    Fixture* f = *state;
    need_gl(f);
    sphere(&s, vec3(1, 0.5f, 0.5f), vec3(0.5f, 0.3f, 0.3f));
    broken = s;
    TarnMesh* m = &broken.mesh;
    m->position = broken.position, m->normal = broken.normal, m->index = broken.index;
    int v = m->n_vertices;
    broken.position[v] = vec3(NAN, 0, 0), broken.position[v + 1] = vec3(0, INFINITY, 0);
    broken.position[v + 2] = vec3(0, 0, 1e30f), broken.normal[v] = vec3(0, 1, 0);
    m->n_vertices += 3;
    const uint32_t bad[12] = { 0, 1,  (uint32_t)v,     5, 6,  (uint32_t)v + 1,
                               7, 99, (uint32_t)v + 2, 0, 50, 0xffffffffu };
    memcpy(broken.index + 3 * m->n_triangles, bad, sizeof bad);
    m->n_triangles += 4;
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.view.n = 0;
    TarnFrame frame = frame_of(&l);
    for (int mode = TARN_FRAME_SURFACE; mode <= TARN_FRAME_SCREEN_MESH; ++mode) {
        l.mode = mode, l.mesh = &s.mesh;
        draw(f, &frame, f->a);
        l.mesh = m;
        draw(f, &frame, f->b);
        assert_memory_equal(f->a, f->b, sizeof f->a);
        assert_int_equal(count_black(f->a), 0);
    }
    TarnMesh empty = { 0 };
    l.mode = TARN_FRAME_SURFACE, l.mesh = &empty;
    draw(f, &frame, f->a);
    l.mode = TARN_FRAME_SCREEN_SPACE, l.mesh = NULL;
    draw(f, &frame, f->b);
    assert_true(mean_difference(f->a, f->b) < 0.01);
    // Normals that are none, or not there.
    l.mode = TARN_FRAME_SURFACE, l.mesh = m;
    for (int i = 0; i < 100; ++i) broken.normal[i] = vec3(NAN, 0, 0);
    draw(f, &frame, f->a);
    m->normal = NULL;
    draw(f, &frame, f->b);
    assert_int_equal(count_black(f->a) + count_black(f->b), 0);
}

// Matte meshes are things with a shadow; wires make them darker.
static void test_matte_meshes(void** state)
{
    static Shape s;
    static uint8_t mask[PIXELS];
    Fixture* f = *state;
    need_gl(f);
    sphere(&s, vec3(1, 0.5f, 0.5f), vec3(0.4f, 0.3f, 0.3f));
    TarnFrameParticles none = { .box_max = { 2, 1, 1 } };
    TarnFrameMesh mesh = { .mesh = &s.mesh, .color = { 0.8f, 0.3f, 0.1f } };
    TarnFrame frame = { .particles = &none, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    draw(f, &frame, f->a);
    frame.meshes = &mesh, frame.n_meshes = 1;
    draw(f, &frame, f->b);
    assert_true(differs(f->a, f->b, mask, 60) > 3000);
    Color matte = mean_in(f->b, 145, 75, 175, 95);
    assert_true(matte.r > matte.b + 40.0);
    mesh.has_wires = true;
    draw(f, &frame, f->b);
    Color wires = mean_in(f->b, 145, 75, 175, 95);
    assert_true(wires.r < matte.r - 5.0);
}

static void refuse(Fixture* f, const TarnFrame* frame, const char* word)
{
    assert_int_equal(tarn_renderer_draw(f->renderer, frame, f->a), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(f->ctx), word));
}

static void test_bad_meshes(void** state)
{
    static Shape s;
    Fixture* f = *state;
    need_gl(f);
    sphere(&s, vec3(1, 0.5f, 0.5f), vec3(0.4f, 0.3f, 0.3f));
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.view.n = 0;
    TarnFrame frame = frame_of(&l);
    l.mode = 7;
    refuse(f, &frame, "mode");
    l.mode = TARN_FRAME_SURFACE;
    refuse(f, &frame, "liquid.mesh");
    l.mesh = &s.mesh;
    s.mesh.n_triangles = -1;
    refuse(f, &frame, "triangles");
    s.mesh.n_triangles = 4, s.mesh.index = NULL;
    refuse(f, &frame, "index");
    l.mode = TARN_FRAME_SCREEN_SPACE;
    frame.n_meshes = 1;
    refuse(f, &frame, "n_meshes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_agree),         cmocka_unit_test(test_no_cracks),
        cmocka_unit_test(test_thickness_of_meshes), cmocka_unit_test(test_any_mesh),
        cmocka_unit_test(test_matte_meshes),        cmocka_unit_test(test_bad_meshes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
