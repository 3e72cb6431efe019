// Any two kinds of things in one frame: both are seen. What cannot be shown is an error.

#include "mix_frames.h"
#include "tests/sanitized.h"

static Mix mix;

static void pixel_of(const TarnFrame* frame, TarnVec3 p, int* x, int* y)
{
    const TarnCamera* c = &frame->camera;
    Mat4 view = mat4_look_at(c->eye, c->target);
    Mat4 proj = mat4_perspective(c->fov, (float)WIDTH / HEIGHT, 0.1f, 100.0f);
    Mat4 m = mat4_mul(&proj, &view);
    float q[4];
    for (int k = 0; k < 4; ++k)
        q[k] = m.m[k] * p.x + m.m[4 + k] * p.y + m.m[8 + k] * p.z + m.m[12 + k];
    *x = (int)((0.5f + 0.5f * q[0] / q[3]) * WIDTH);
    *y = (int)((0.5f - 0.5f * q[1] / q[3]) * HEIGHT);
    assert_true(*x > 8 && *x < WIDTH - 8 && *y > 8 && *y < HEIGHT - 8);
}

// Mean difference of two pictures around a place.
static double change_between(const uint8_t* a, const uint8_t* b, const TarnFrame* frame, TarnVec3 p)
{
    int x, y, n = 0;
    double sum = 0.0;
    pixel_of(frame, p, &x, &y);
    for (int j = y - 3; j <= y + 3; ++j)
        for (int i = x - 3; i <= x + 3; ++i)
            for (int c = 0; c < 3; ++c, ++n) {
                int at = 3 * (i + WIDTH * j) + c;
                sum += abs(a[at] - b[at]);
            }
    return sum / n;
}

static double change_near(const Fixture* f, const TarnFrame* frame, TarnVec3 p)
{
    return change_between(f->a, f->b, frame, p);
}

static double change_at(const Fixture* f, const TarnFrame* frame, Kind kind)
{
    return change_near(f, frame, kind_places[kind]);
}

// In the picture f->a a kind is seen that was not there before.
static void assert_adds(const Fixture* f, const TarnFrame* frame, int kind, const uint8_t* before,
                        const char* rest)
{
    double change = change_between(f->a, before, frame, kind_places[kind]);
    if (change < 8.0) print_error("%s with %s: mean change %.1f\n", kind_names[kind], rest, change);
    assert_true(change >= 8.0);
}

static void test_every_pair_is_seen(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    static uint8_t alone[N_KINDS][PIXELS * 3];
    for (int a = 0; a < N_KINDS; ++a) {
        TarnFrame one = mix_frame(&mix, 1u << a);
        draw(f, &one, alone[a]);
    }
    for (int a = 0; a < N_KINDS; ++a)
        for (int b = is_short_run() && a > 0 ? a - 1 : 0; b < a; ++b) { // each once, or all
            TarnFrame both = mix_frame(&mix, 1u << a | 1u << b);
            draw(f, &both, f->a);
            assert_adds(f, &both, a, alone[b], kind_names[b]);
            assert_adds(f, &both, b, alone[a], kind_names[a]);
        }
}

// In dense fog nothing is left of what is 14 m away.
static void test_fog_hides_all(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    for (int kind = LIQUID; kind <= GAS; ++kind) {
        TarnFrame both = mix_frame(&mix, 1u << kind | 1u << BASIN),
                  one = mix_frame(&mix, 1u << BASIN);
        both.sky.fog = one.sky.fog = 0.5f;
        draw(f, &both, f->a);
        draw(f, &one, f->b);
        double change = change_at(f, &both, (Kind)kind);
        if (change > 1.5) print_error("%s in fog: mean change %.1f\n", kind_names[kind], change);
        assert_true(change <= 1.5);
    }
}

// What a thing above a basin changes in the picture of an eye in its water; *angle: where it is seen, from the zenith.
static double seen_from_below(Fixture* f, Kind kind, float clarity, TarnVec3 eye, float* angle)
{
    TarnFrame both = mix_frame(&mix, 1u << kind | 1u << BASIN), one = mix_frame(&mix, 1u << BASIN);
    both.camera = (TarnCamera){ eye, kind_places[kind], 1.2f };
    one.camera = both.camera;
    both.clarity = one.clarity = clarity;
    draw(f, &both, f->a);
    draw(f, &one, f->b);
    double sum = 0.0, x = 0.0, y = 0.0;
    for (int i = 0; i < PIXELS; ++i) {
        int d = abs(f->a[3 * i] - f->b[3 * i]) + abs(f->a[3 * i + 1] - f->b[3 * i + 1]) +
                abs(f->a[3 * i + 2] - f->b[3 * i + 2]);
        if (d < 30) continue;
        sum += d, x += d * (double)(i % WIDTH), y += d * (double)(i / WIDTH);
    }
    Mat4 view = mat4_look_at(eye, kind_places[kind]);
    float t = tanf(0.6f), u = t * (float)(2.0 * x / sum / HEIGHT - (double)WIDTH / HEIGHT);
    float v = t * (float)(1.0 - 2.0 * y / sum / HEIGHT);
    TarnVec3 to = vec3(u, v, -1.0f); // in the view, whose rows are the axes
    float up = view.m[4] * to.x + view.m[5] * to.y + view.m[6] * to.z;
    *angle = acosf(up / vec3_length(to));
    return sum / PIXELS;
}

// The surface bends the line of sight to them, and murky water hides them.
static void test_seen_from_under_water(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    for (int kind = LIQUID; kind <= GAS; ++kind) {
        TarnVec3 at = kind_places[kind], eye = vec3(at.x, -0.6f, at.z + 1.1f);
        float angle, far_angle;
        double clear = seen_from_below(f, (Kind)kind, 30.0f, eye, &angle);
        double murky = seen_from_below(f, (Kind)kind, 0.1f, eye, &far_angle);
        float straight = atanf(1.1f / (at.y + 0.6f)), bent = straight, lo = 0.0f, hi = straight;
        for (int i = 0; i < 40; ++i) { // Snell's law at the calm level
            bent = 0.5f * (lo + hi);
            float away = 0.6f * tanf(bent) + at.y * tanf(asinf(fminf(1.333f * sinf(bent), 1.0f)));
            *(away > 1.1f ? &hi : &lo) = bent;
        }
        print_message("%s: seen at %.3f, straight %.3f, bent %.3f; change %.2f, murky %.2f\n",
                      kind_names[kind], (double)angle, (double)straight, (double)bent, clear,
                      murky);
        assert_true(clear > 0.5);
        assert_true(murky < 0.3 * clear);
        assert_true(fabsf(angle - bent) < 0.5f * fabsf(angle - straight));
    }
}

// Waters show fires in their mirrors, and no lamp in their place besides; lamps, which no mirror shows, are the same for all.
static void test_fires_reach_water_once(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrameBody lamp = mix.solid;
    lamp.glow = vec3(3, 3, 3);
    TarnFrame frame = mix_frame(&mix, 1u << BASIN | 1u << LAND | 1u << GAS);
    frame.solids = &lamp, frame.n_solids = 1;
    draw(f, &frame, f->a);
    const FrameBlock *basin = &f->renderer->basins[0].block, *land = &f->renderer->lands[1].block;
    assert_true(basin->gas_fire[3] == 2.0f);
    for (int i = 0; i < 2; ++i) {
        bool is_lamp = fabsf(basin->fires[2 * i][2] - lamp.position.z) < 0.01f;
        assert_true(basin->fires[2 * i + 1][3] == (is_lamp ? 0.0f : 1.0f));
        assert_true(land->fires[2 * i + 1][3] == basin->fires[2 * i + 1][3]);
        assert_true(land->fires[2 * i + 1][0] == basin->fires[2 * i + 1][0]);
    }
}

// The mirror of a basin shows balls for a dark liquid: no white specks, whatever drops it has.
static void test_no_specks_in_mirrors(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    memset(mix.heights, 0, sizeof mix.heights);
    f->liquid.n = 0;
    fill(&f->liquid, vec3(2.2f, 0.4f, 2.0f), vec3(4.2f, 1.2f, 2.6f), 0.08f, 0.3f, 1);
    mix.liquid = liquid_of(&f->liquid, 3, 0.08f);
    mix.liquid.color[1] = vec3(0.05f, 0.02f, 0.01f);
    mix.liquid.box_min = vec3(2.0f, 0.2f, 1.8f), mix.liquid.box_max = vec3(4.4f, 1.4f, 2.8f);
    mix.liquid.walls = TARN_LIQUID_OPEN;
    TarnFrame both = mix_frame(&mix, 1u << LIQUID | 1u << BASIN),
              one = mix_frame(&mix, 1u << BASIN);
    both.camera = (TarnCamera){ { 3.2f, 0.7f, 7.0f }, { 3.2f, -0.1f, 3.0f }, 0.6f };
    both.clarity = 0.2f; // murky: little but its mirror is seen of the water
    one.camera = both.camera, one.clarity = both.clarity;
    draw(f, &both, f->a);
    draw(f, &one, f->b);
    int darker = 0, brighter = 0;
    for (int i = PIXELS / 2; i < PIXELS; ++i) {
        int change = f->a[3 * i] + f->a[3 * i + 1] + f->a[3 * i + 2];
        change -= f->b[3 * i] + f->b[3 * i + 1] + f->b[3 * i + 2];
        darker += change<-45, brighter += change> 45;
    }
    print_message("in the mirror %d pixels are darker, %d brighter\n", darker, brighter);
    assert_true(darker > 300);
    assert_int_equal(brighter, 0);
}

static void refuse(Fixture* f, const TarnFrame* frame, TarnResult expected, const char* word)
{
    assert_int_equal(tarn_renderer_draw(f->renderer, frame, f->a), expected);
    if (!strstr(tarn_last_error(f->ctx), word)) print_error("%s\n", tarn_last_error(f->ctx));
    assert_non_null(strstr(tarn_last_error(f->ctx), word));
}

// Foam that the solver gives is white where it is, no foam changes nothing, any numbers are drawn.
static void test_foam_of_the_solver(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrameWater water = mix.waters[0];
    const TarnView2* h = &water.height;
    static float foam[64 * 64];
    int cells = h->nx * h->nz;
    assert_true(cells <= 64 * 64);
    TarnFrame frame = mix_frame(&mix, 1u << BASIN);
    frame.waters = &water;
    draw(f, &frame, f->a);
    memset(foam, 0, sizeof foam);
    water.foam = (TarnView2){ foam, h->nx, h->nz, h->nx };
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    float side = water.dx * (float)h->nx, low = water.origin.y, deep = water.dx * (float)h->nz;
    TarnVec3 with = vec3(water.origin.x + 0.3f * side, 0, low + 0.5f * deep), without = with;
    without.x = water.origin.x + 0.75f * side;
    for (int c = 0; c < cells; ++c) foam[c] = c % h->nx < h->nx / 2 ? 1.0f : 0.0f;
    draw(f, &frame, f->b);
    assert_true(change_near(f, &frame, with) > 20.0);
    assert_true(change_near(f, &frame, without) < 1.0);
    const float any[5] = { NAN, INFINITY, -INFINITY, -3.0f, 1e30f };
    for (int c = 0; c < cells; ++c) foam[c] = any[c % 5];
    draw(f, &frame, f->b);
    water.foam.nx = h->nx - 1;
    refuse(f, &frame, TARN_ERR_ARG, "foam");
}

static void test_all_at_once(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    const unsigned all = (1u << N_KINDS) - 1u;
    TarnFrame whole = mix_frame(&mix, all);
    draw(f, &whole, f->a);
    for (int k = 0; k < N_KINDS; k += is_short_run() ? 4 : 1) {
        TarnFrame less = mix_frame(&mix, all & ~(1u << k));
        draw(f, &less, f->b);
        double change = change_at(f, &whole, (Kind)k);
        if (change < 8.0) print_error("all without %s: mean change %.1f\n", kind_names[k], change);
        assert_true(change >= 8.0);
    }
    // The same frame gives the same bytes, whatever was drawn in between.
    draw(f, &whole, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
}

static double mean_of(const uint8_t* rgb)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * PIXELS; ++i) sum += rgb[i];
    return sum / (3.0 * PIXELS);
}

// What hides it hides it: a wall of stone before each, and it is gone.
static void test_solids_hide(void** state)
{
    static const Kind kinds[] = { LIQUID, PARTICLES, GAS, BODY };
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrameBody wall = mix.solid;
    wall.shape = tarn_shape_box(7.0f, 1.6f, 0.1f);
    wall.position = vec3(4.0f, 1.2f, 5.2f);
    mix.waters[0].is_wall = NULL;
    for (int ground = BASIN; ground <= LAND; ++ground)
        for (int i = 0; i < 4; ++i) {
            TarnFrame with = mix_frame(&mix, 1u << ground | 1u << kinds[i]);
            TarnFrame without = mix_frame(&mix, 1u << ground);
            with.solids = without.solids = &wall;
            with.n_solids = without.n_solids = 1;
            with.camera.eye = without.camera.eye = vec3(3.0f, 1.0f, 14.0f);
            with.camera.target = without.camera.target = vec3(3.2f, 0.6f, 4.0f);
            draw(f, &with, f->a);
            draw(f, &without, f->b);
            double change = change_at(f, &with, kinds[i]);
            if (change > 6.0) print_error("%s behind a wall: %.1f\n", kind_names[kinds[i]], change);
            assert_true(change <= 6.0);
        }
}

// Two of each kind, with levels, colors and boxes of their own.
static void test_two_of_each(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrameWater waters[2] = { mix.waters[0], mix.waters[0] };
    waters[1].origin.x = 7.4f, waters[1].rest_level = 0.5f, waters[1].bed_level = -0.5f;
    waters[1].water_color = vec3(0.3f, 0.02f, 0.01f), waters[1].clarity = 0.5f;
    waters[0].is_block = waters[1].is_block = true;
    for (int c = 0; c < MIX_CELLS * MIX_CELLS; ++c) mix.ground[c] = 0.5f; // as its heights
    waters[1].height.data = mix.ground;
    TarnFrame frame = mix_frame(&mix, 0);
    frame.waters = waters, frame.n_waters = 2;
    draw(f, &frame, f->a);
    frame.n_waters = 1;
    draw(f, &frame, f->b);
    assert_true(change_at(f, &frame, LAND) > 20.0); // the second one stands where land did
    TarnFrameLiquid liquids[2] = { mix.liquid, mix.liquid };
    Cloud* second = &f->sprites;
    second->n = 0;
    fill(second, vec3(4.7f, 0.2f, 0.8f), vec3(5.7f, 1.0f, 1.8f), 0.07f, 0.3f, 1);
    liquids[1].view = view_of(second);
    liquids[1].box_min.x += 4.1f, liquids[1].box_max.x += 4.1f;
    liquids[1].color[1] = vec3(0.1f, 0.7f, 0.1f);
    frame.n_waters = 0, frame.liquids = liquids;
    for (int n = 1; n <= 2; ++n) {
        frame.n_liquids = n;
        draw(f, &frame, n == 1 ? f->a : f->b);
    }
    assert_true(change_at(f, &frame, PARTICLES) > 20.0);
    assert_true(change_at(f, &frame, LIQUID) < 3.0);
}

// A fire beside a basin lights its deck, and smoke takes the sun from it.
static void test_light_on_waters(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    for (int ground = BASIN; ground <= LAND; ++ground) {
        TarnFrame frame = mix_frame(&mix, 1u << ground | 1u << GAS);
        mix.gas.glow = 0.0f;
        draw(f, &frame, f->a);
        double dark = mean_of(f->a);
        mix.gas.glow = 60.0f;
        draw(f, &frame, f->b);
        assert_true(mean_of(f->b) > dark + 0.5);
    }
}

// The calm water of a basin mirrors what burns and what is poured above it, and shows a liquid below it.
static void test_water_shows_the_stage(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    memset(mix.heights, 0, sizeof mix.heights);
    static const Kind kinds[] = { LIQUID, PARTICLES, GAS };
    TarnFrame alone = mix_frame(&mix, 1u << BASIN);
    alone.camera = (TarnCamera){ { 3.0f, 1.6f, 9.0f }, { 3.2f, 0.2f, 2.0f }, 0.62f };
    draw(f, &alone, f->b);
    for (int i = 0; i < 3; ++i) {
        TarnFrame frame = mix_frame(&mix, 1u << BASIN | 1u << kinds[i]);
        frame.camera = alone.camera;
        draw(f, &frame, f->a);
        TarnVec3 p = kind_places[kinds[i]];
        p.y = -p.y; // as deep as it is high
        double change = change_near(f, &frame, p);
        if (change < 4.0) print_error("mirrored %s: %.1f\n", kind_names[kinds[i]], change);
        assert_true(change >= 4.0);
    }
    for (int i = 0; i < f->liquid.n; ++i) f->liquid.y[i] -= 1.1f;
    mix.liquid.box_min.y -= 1.1f, mix.liquid.box_max.y -= 1.1f;
    TarnFrame sunken = mix_frame(&mix, 1u << BASIN | 1u << LIQUID);
    alone.camera = sunken.camera;
    draw(f, &sunken, f->a);
    draw(f, &alone, f->b);
    assert_true(change_near(f, &sunken, vec3(1.1f, -0.35f, 1.3f)) > 8.0);
}

static void test_refuses(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrame frame = mix_frame(&mix, 0);
    refuse(f, &frame, TARN_ERR_ARG, "shows nothing");
    mix.liquid.dimensions = 2;
    const char* const words[N_KINDS] = { "a height field has no place",
                                         "a height field has no place",
                                         NULL,
                                         NULL,
                                         "a gas has no place",
                                         NULL,
                                         NULL,
                                         "a mesh has no place" };
    for (int k = 0; k < N_KINDS; ++k) {
        frame = mix_frame(&mix, 1u << LIQUID | 1u << k);
        if (words[k])
            refuse(f, &frame, TARN_ERR_UNSUPPORTED, words[k]);
        else
            draw(f, &frame, f->a);
    }
    TarnFrameLiquid two[2] = { mix.liquid, mix.liquid };
    frame = mix_frame(&mix, 1u << LIQUID);
    frame.liquids = two, frame.n_liquids = 2;
    refuse(f, &frame, TARN_ERR_UNSUPPORTED, "2 2-D liquids");
    two[1].dimensions = 3;
    refuse(f, &frame, TARN_ERR_UNSUPPORTED, "a 3-D liquid has no place");
    frame = mix_frame(&mix, 1u << BASIN);
    frame.n_waters = 9;
    refuse(f, &frame, TARN_ERR_ARG, "n_waters is 9");
    frame = mix_frame(&mix, 1u << GAS);
    frame.gases = NULL;
    refuse(f, &frame, TARN_ERR_ARG, "gases NULL");
}

static void test_timing(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    mix_make(f, &mix);
    TarnFrame frame = mix_frame(&mix, (1u << N_KINDS) - 1u);
    TarnLayerTime times[TARN_RENDER_LAYERS];
    assert_int_equal(tarn_renderer_timing(f->renderer, times), 0);
    draw(f, &frame, f->b);
    tarn_renderer_set_timing(f->renderer, true);
    draw(f, &frame, f->a);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    assert_int_equal(tarn_renderer_timing(f->renderer, times), TARN_RENDER_LAYERS);
    for (int i = 0; i < TARN_RENDER_LAYERS; ++i) assert_true(times[i].ms > 0.0f);
    tarn_renderer_set_timing(f->renderer, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair_is_seen),
        cmocka_unit_test(test_fog_hides_all),
        cmocka_unit_test(test_seen_from_under_water),
        cmocka_unit_test(test_fires_reach_water_once),
        cmocka_unit_test(test_no_specks_in_mirrors),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_foam_of_the_solver),
        cmocka_unit_test(test_solids_hide),
        cmocka_unit_test(test_two_of_each),
        cmocka_unit_test(test_light_on_waters),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_water_shows_the_stage),
        cmocka_unit_test(test_timing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
