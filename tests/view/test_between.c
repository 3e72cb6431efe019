// States between a kept one and that of now.

#include "view_fixture.h"

static const char text[] =
    "{\"tarn\":1,\"solvers\":["
    "{\"kind\":\"wave\",\"nx\":32,\"nz\":32,\"dx\":0.1},"
    "{\"kind\":\"liquid\",\"dimensions\":3,\"max_particles\":400,\"spacing\":0.1,"
    "\"box_min\":[-3,0,-1],\"box_max\":[-1,2,1],"
    "\"fill\":[{\"size\":[0.3,0.3,0.3],\"position\":[-2,1.2,0]}]},"
    "{\"kind\":\"particles\",\"max_particles\":256,"
    "\"emitters\":[{\"rate\":300,\"speed\":3,\"lifetime\":0.1}]},"
    "{\"kind\":\"gas\",\"nx\":8,\"ny\":8,\"nz\":8,\"dx\":0.1,"
    "\"sources\":[{\"size\":0.3,\"temperature\":500}]}],"
    "\"emitters\":[{\"kind\":\"drop\",\"a\":[1.5,1.5],\"radius\":0.3,\"height\":0.2,\"period\":0."
    "05}],"
    "\"bodies\":[{\"shape\":\"sphere\",\"size\":0.2,\"position\":[1,3,1],\"velocity\":[1,0,0]},{"
    "\"shape\":\"hull\",\"position\":[2,3,2],\"points\":"
    "[[0,0,0],[0.2,0,0],[0,0.2,0],[0,0,0.2]]}],"
    "\"solids\":[{\"shape\":\"box\",\"size\":[0.1,0.1,0.1],\"position\":[-2,0.2,0.5],"
    "\"driver\":{\"kind\":\"spin\",\"turn\":90}}]}";

// A copy of what a frame shows that later calls leave alone.
typedef struct Seen {
    TarnFrameBody bodies[8], solids[8];
    int n_bodies, n_solids, n_drops, n_sparks;
    float heights[32 * 32], drops[3 * 512], sparks[4 * 512], smoke[8 * 8 * 8];
    double time;
} Seen;

static void look_at(Seen* s, const TarnFrame* frame)
{
    memset(s, 0, sizeof *s);
    s->n_bodies = frame->n_bodies, s->n_solids = frame->n_solids;
    memcpy(s->bodies, frame->bodies, (size_t)s->n_bodies * sizeof *s->bodies);
    memcpy(s->solids, frame->solids, (size_t)s->n_solids * sizeof *s->solids);
    for (int c = 0; c < 32 * 32; ++c) s->heights[c] = frame->waters[0].height.data[c];
    const TarnLiquidView* l = &frame->liquids[0].view;
    s->n_drops = l->n;
    for (int i = 0; i < l->n; ++i) {
        float* to = s->drops + 3 * (l->id[i] % 512); // by id: their order changes
        to[0] = l->x[i], to[1] = l->y[i], to[2] = l->z[i];
    }
    const TarnParticlesView* p = &frame->particles[0].view;
    s->n_sparks = p->n;
    for (int i = 0; i < p->n; ++i) {
        float* to = s->sparks + 4 * (p->id[i] % 512);
        to[0] = p->x[i], to[1] = p->y[i], to[2] = p->z[i], to[3] = p->age[i];
    }
    const TarnView3* g = &frame->gases[0].view.density;
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 8; ++i)
                s->smoke[i + 8 * (j + 8 * k)] =
                    g->data[i + (ptrdiff_t)g->row * j + (ptrdiff_t)g->slab * k];
    s->time = frame->time;
}

static bool is_same(const float* a, const float* b, int n, float slack)
{
    for (int i = 0; i < n; ++i)
        if (!(fabsf(a[i] - b[i]) <= slack)) return false;
    return true;
}

static bool is_same_pose(const TarnFrameBody* a, const TarnFrameBody* b)
{
    return is_same(&a->position.x, &b->position.x, 3, 0.0f) &&
           is_same(&a->rotation.x, &b->rotation.x, 4, 0.0f);
}

static void assert_same(const Seen* a, const Seen* b)
{
    assert_int_equal(a->n_bodies, b->n_bodies);
    assert_int_equal(a->n_drops, b->n_drops);
    assert_int_equal(a->n_sparks, b->n_sparks);
    for (int i = 0; i < a->n_bodies; ++i) assert_true(is_same_pose(&a->bodies[i], &b->bodies[i]));
    for (int i = 0; i < a->n_solids; ++i) assert_true(is_same_pose(&a->solids[i], &b->solids[i]));
    assert_true(is_same(a->heights, b->heights, 32 * 32, 0.0f));
    assert_true(is_same(a->drops, b->drops, 3 * 512, 0.0f));
    assert_true(is_same(a->sparks, b->sparks, 4 * 512, 0.0f));
    assert_true(is_same(a->smoke, b->smoke, 8 * 8 * 8, 0.0f));
    assert_true(a->time == b->time);
}

static Seen kept, now, half, other;

static void ends_are_exact_and_the_middle_is_the_middle(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, text);
    step(&f, 20);
    look_at(&kept, shown(&f));
    assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
    look_at(&other, between(&f, 0.3f)); // nothing has moved yet
    assert_true(is_same(other.heights, kept.heights, 32 * 32, 1e-6f));
    step(&f, 1);
    look_at(&now, shown(&f));
    assert_false(is_same(now.heights, kept.heights, 32 * 32, 1e-5f)); // there is something to see
    assert_false(is_same(now.drops, kept.drops, 3 * 512, 1e-3f));
    assert_false(is_same(now.smoke, kept.smoke, 512, 1e-4f));
    look_at(&other, between(&f, 0.0f));
    assert_same(&other, &kept);
    look_at(&other, between(&f, 1.0f));
    assert_same(&other, &now);
    for (int side = 0; side < 2; ++side) { // kept or now as the base
        float share = side ? 0.75f : 0.25f;
        look_at(&half, between(&f, share));
        for (int b = 0; b < 2; ++b) {
            const TarnVec3 p = kept.bodies[b].position, q = now.bodies[b].position,
                           m = half.bodies[b].position;
            assert_float_equal(m.x, p.x + share * (q.x - p.x), 1e-6f);
            assert_float_equal(m.y, p.y + share * (q.y - p.y), 1e-6f);
            TarnQuat r = half.bodies[b].rotation;
            assert_float_equal(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w, 1.0f, 1e-5f);
        }
        // A turn of 90 degrees per second about its axis, at a share of the way.
        TarnQuat a = kept.solids[0].rotation, b = half.solids[0].rotation;
        float cosine = fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
        float angle = 2.0f * acosf(fminf(cosine, 1.0f));
        assert_float_equal(angle, share * 1.5708f / 60.0f, 2e-3f);
        for (int c = 0; c < 32 * 32; ++c)
            assert_float_equal(half.heights[c],
                               kept.heights[c] + share * (now.heights[c] - kept.heights[c]), 1e-6f);
        for (int c = 0; c < 512; ++c)
            assert_float_equal(half.smoke[c],
                               kept.smoke[c] + share * (now.smoke[c] - kept.smoke[c]), 1e-5f);
        for (int c = 0; c < 3 * kept.n_drops; ++c)
            assert_float_equal(half.drops[c],
                               kept.drops[c] + share * (now.drops[c] - kept.drops[c]), 1e-5f);
        assert_float_equal(half.time, kept.time + (double)share / 60.0, 1e-6);
        assert_int_equal(half.n_sparks, side ? now.n_sparks : kept.n_sparks);
    }
    close_all(&f);
}

// Sparks that are born or die in between move by their velocity, and never jump.
static void sparks_move_evenly(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, text);
    step(&f, 20);
    assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
    step(&f, 1);
    look_at(&half, between(&f, 0.49f));
    for (int n = 0; n < 16; ++n) {
        float share = 0.49f + 0.03f * (float)(n + 1);
        if (share > 1.0f) break;
        const TarnFrame* frame = between(&f, share);
        look_at(&other, frame);
        const TarnParticlesView* p = &frame->particles[0].view;
        for (int i = 0; i < p->n; ++i) {
            const float *a = half.sparks + 4 * (p->id[i] % 512),
                        *b = other.sparks + 4 * (p->id[i] % 512);
            bool is_new = a[0] == 0.0f && a[1] == 0.0f && a[2] == 0.0f;
            float dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
            float way = sqrtf(dx * dx + dy * dy + dz * dz);
            assert_true(is_new || way < 0.03f * 5.0f / 60.0f); // 5 m/s at most
            assert_true(p->age[i] >= 0.0f && isfinite(p->x[i]));
        }
        half = other;
    }
    close_all(&f);
}

static void bodies_come_and_go(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, text);
    TarnBodies* bodies = tarn_world_bodies(f.world);
    step(&f, 1);
    TarnBodyId ball = tarn_bodies_at(bodies, 0), hull = tarn_bodies_at(bodies, 1);
    const TarnFrame* frame = shown(&f);
    TarnVec3 corner = frame->bodies[1].shape.points[1];
    assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
    assert_int_equal(tarn_bodies_remove(bodies, hull), TARN_OK);
    TarnBodyDef box = tarn_body_default_def();
    box.shape = tarn_shape_box(0.1f, 0.1f, 0.1f);
    box.state.position = (TarnVec3){ 0, 5, 0 };
    for (int n = 0; n < 3; ++n) // one takes the place of the hull
        assert_int_equal(tarn_world_add_body(f.world, &box, NULL), TARN_OK);
    step(&f, 1);
    frame = between(&f, 0.25f); // as they were: the hull with its own points
    assert_int_equal(frame->n_bodies, 2);
    assert_int_equal(frame->bodies[1].shape.kind, TARN_SHAPE_MESH);
    assert_true(memcmp(&frame->bodies[1].shape.points[1], &corner, sizeof corner) == 0);
    frame = between(&f, 0.75f);
    assert_int_equal(frame->n_bodies, 4);
    for (int i = 1; i < 4; ++i) assert_int_equal(frame->bodies[i].shape.kind, TARN_SHAPE_BOX);
    // A solver that is gone is shown for the first half, too.
    assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
    assert_int_equal(tarn_world_remove(f.world, tarn_world_liquid(f.world, 0)), TARN_OK);
    tarn_world_forget(f.world);
    frame = between(&f, 0.0f);
    assert_true(frame->n_liquids == 1 && frame->liquids[0].view.n > 0);
    assert_true(isfinite(frame->liquids[0].view.x[0]));
    assert_int_equal(between(&f, 0.5f)->n_liquids, 0);
    assert_int_equal(tarn_bodies_remove(bodies, ball), TARN_OK);
    close_all(&f);
}

// A window that moves on by whole cells: what is at a place is blended with what was there.
static void windows_blend_in_place(void** state)
{
    (void)state;
    static const char window[] =
        "{\"tarn\":1,\"solvers\":[{\"kind\":\"wave\",\"nx\":32,\"nz\":32,\"dx\":0.25,"
        "\"edge_x0\":\"absorbing\",\"edge_x1\":\"absorbing\",\"edge_z0\":\"absorbing\",\"edge_z1\":"
        "\"absorbing\","
        "\"window\":{\"body\":\"ship\"}}],\"bodies\":[{\"name\":\"ship\",\"shape\":\"sphere\","
        "\"size\":0.5,"
        "\"position\":[4,0,4],\"driven\":true,"
        "\"driver\":{\"kind\":\"circle\",\"center\":[4,104],\"radius\":100,\"speed\":9}}],"
        "\"emitters\":[{\"kind\":\"drop\",\"a\":[6,4],\"radius\":1,\"height\":0.3,\"period\":0.2}]"
        "}";
    Fixture f;
    open_scene(&f, window);
    TarnWave* wave = tarn_world_wave(f.world, 0);
    int n_moved = 0;
    for (int n = 0; n < 30; ++n) {
        TarnVec2 from = tarn_wave_origin(wave);
        static float before[32 * 32], after[32 * 32];
        const TarnFrame* frame = shown(&f);
        TarnCamera old = frame->camera;
        memcpy(before, frame->waters[0].height.data, sizeof before);
        assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
        step(&f, 1);
        TarnVec2 to = tarn_wave_origin(wave);
        int shift = (int)lroundf((to.x - from.x) / 0.25f);
        frame = shown(&f);
        TarnCamera new = frame->camera;
        memcpy(after, frame->waters[0].height.data, sizeof after);
        for (int side = 0; side < 2; ++side) {
            float share = side ? 0.6f : 0.4f;
            frame = between(&f, share);
            TarnVec2 origin = frame->waters[0].origin;
            assert_true(origin.x == (side ? to.x : from.x));
            for (int c = 0; c < 32 * 32; ++c) {
                int i = c % 32, row = c - i;
                int a = side ? i + shift : i, b = side ? i : i - shift; // in before, in after
                float seen = frame->waters[0].height.data[c];
                if (a >= 0 && a < 32 && b >= 0 && b < 32)
                    assert_float_equal(
                        seen, before[row + a] + share * (after[row + b] - before[row + a]), 1e-5f);
                else
                    assert_true(seen == (side ? after[c] : before[c]));
            }
            // The camera glides, whatever the window does.
            assert_float_equal(frame->camera.eye.x, old.eye.x + share * (new.eye.x - old.eye.x),
                               1e-3f);
        }
        n_moved += shift != 0;
    }
    assert_true(n_moved > 3);
    close_all(&f);
}

// The surface of a lattice is a mesh, which a kept state does not hold.
static void surfaces_of_lattices_stay(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, "{\"tarn\":1,\"solvers\":[{\"kind\":\"lattice\",\"nx\":16,\"ny\":16,\"nz\":16,"
                   "\"dx\":0.1,\"obstacles\":\"none\",\"use_surface\":true,"
                   "\"fills\":[{\"shape\":\"box\",\"size\":[0.4,0.3,2]}]}]}");
    step(&f, 2);
    assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
    step(&f, 1);
    for (int n = 0; n <= 4; ++n) {
        const TarnFrame* frame = between(&f, 0.25f * (float)n);
        assert_int_equal(frame->n_liquids, 1);
        assert_non_null(frame->liquids[0].mesh);
        assert_true(frame->liquids[0].mesh->n_triangles > 0);
    }
    close_all(&f);
}

static void nothing_is_allocated_after_the_first(void** state)
{
    (void)state;
    Fixture f;
    open_scene(&f, text);
    step(&f, 40); // as many sparks as there will be
    for (int n = 0; n < 3; ++n) {
        assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
        step(&f, 1);
        between(&f, 0.2f), between(&f, 0.8f);
    }
    int before = f.n_allocated;
    for (int n = 0; n < 20; ++n) {
        assert_int_equal(tarn_viewer_keep(f.viewer), TARN_OK);
        step(&f, 1);
        between(&f, 0.2f), between(&f, 0.5f), between(&f, 0.9f);
        shown(&f);
    }
    assert_int_equal(f.n_allocated, before);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_exact_and_the_middle_is_the_middle),
        cmocka_unit_test(sparks_move_evenly),
        cmocka_unit_test(bodies_come_and_go),
        cmocka_unit_test(windows_blend_in_place),
        cmocka_unit_test(surfaces_of_lattices_stay),
        cmocka_unit_test(nothing_is_allocated_after_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
