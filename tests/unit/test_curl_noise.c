// Curl noise: speed, divergence, time, solids that stand and move, what comes from outside.

#include "solids_common.h"
#include "grid/curl.h"

enum { POINTS = 4096 };
static float at[3][POINTS];
static TarnVec3 velocity[POINTS];

static void scatter(float size)
{
    for (int i = 0; i < POINTS; ++i)
        for (int a = 0; a < 3; ++a) at[a][i] = uniform(-size, size);
}
static void ask(const TarnCurlNoise* noise, int n)
{
    TarnFlowSamples out = { .velocity = velocity };
    assert_ok(tarn_flow_query(tarn_curl_noise_flow(noise), n, at[0], at[1], at[2], &out));
}
static TarnVec3 ask_one(const TarnCurlNoise* noise, TarnVec3 p)
{
    at[0][0] = p.x, at[1][0] = p.y, at[2][0] = p.z;
    ask(noise, 1);
    return velocity[0];
}
static double mean_square(void)
{
    double sum = 0.0;
    for (int i = 0; i < POINTS; ++i) sum += (double)vec3_dot(velocity[i], velocity[i]);
    return sum / POINTS;
}

static void speed_is_what_was_asked_for(void** state)
{
    (void)state;
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    for (int octaves = 1; octaves <= TARN_CURL_NOISE_OCTAVES; octaves += 3) {
        noise.octaves = octaves;
        noise.speed = 2.5f;
        noise.size = 0.3f;
        scatter(100.0f);
        ask(&noise, POINTS);
        double rms = sqrt(mean_square());
        if (fabs(rms - 2.5) > 0.08) print_error("%d octaves: %g m/s\n", octaves, rms);
        assert_true(fabs(rms - 2.5) <= 0.08);
    }
}

// Differences of the velocity against its slopes: those of an exact curl cancel to the second order.
static double mean_divergence(const TarnCurlNoise* noise, float h, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        TarnVec3 p = uniform3(3.0f);
        double div = 0.0;
        for (int a = 0; a < 3; ++a) {
            TarnVec3 step = { a == 0 ? h : 0.0f, a == 1 ? h : 0.0f, a == 2 ? h : 0.0f };
            TarnVec3 high = ask_one(noise, vec3_add(p, step));
            TarnVec3 low = ask_one(noise, vec3_sub(p, step));
            TarnVec3 d = vec3_sub(high, low);
            div += (double)(a == 0 ? d.x : a == 1 ? d.y : d.z) / (2.0 * (double)h);
        }
        sum += fabs(div);
    }
    return sum / n;
}
static void no_divergence(void** state)
{
    (void)state;
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    noise.octaves = 1;
    random_at = 1;
    double coarse = mean_divergence(&noise, 0.04f, 300);
    random_at = 1;
    double fine = mean_divergence(&noise, 0.02f, 300);
    random_at = 1;
    double finest = mean_divergence(&noise, 0.004f, 300);
    // Slopes are about speed / size = 1.2 here; what is left falls with the square of the distance.
    assert_true(coarse / fine > 3.4 && coarse / fine < 4.6);
    assert_true(finest < 1e-3);
}

static void the_curl_is_that_of_the_potential(void** state)
{
    (void)state;
    Curl curl = tarn__curl(1.0f, 1.0f, 3, 0.8f, 0.5f, (TarnVec3){ 0 }, 5, 2.0);
    const CurlKernels* kernels = tarn__curl_kernels(TARN_ISA_BASELINE);
    const float h = 0.004f;
    for (int i = 0; i < 200; ++i) {
        TarnVec3 p = uniform3(4.0f);
        float q[3][6], psi[3][6], v[3];
        for (int s = 0; s < 6; ++s) {
            float d = s % 2 ? h : -h;
            q[0][s] = p.x + (s / 2 == 0 ? d : 0.0f);
            q[1][s] = p.y + (s / 2 == 1 ? d : 0.0f);
            q[2][s] = p.z + (s / 2 == 2 ? d : 0.0f);
        }
        kernels->potential(&curl, 6, q[0], q[1], q[2], psi[0], psi[1], psi[2]);
        kernels->velocity(&curl, 1, &p.x, &p.y, &p.z, &v[0], &v[1], &v[2]);
        float rate = 0.5f / h;
        assert_true(fabsf(v[0] - (psi[2][3] - psi[2][2] - psi[1][5] + psi[1][4]) * rate) < 0.01f);
        assert_true(fabsf(v[1] - (psi[0][5] - psi[0][4] - psi[2][1] + psi[2][0]) * rate) < 0.01f);
        assert_true(fabsf(v[2] - (psi[1][1] - psi[1][0] - psi[0][3] + psi[0][2]) * rate) < 0.01f);
    }
}

static void it_changes_smoothly_in_time(void** state)
{
    (void)state;
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    noise.time = 12345.6; // far enough that a float would have lost it
    scatter(20.0f);
    ask(&noise, POINTS);
    static TarnVec3 before[POINTS];
    memcpy(before, velocity, sizeof before);
    noise.time += 1.0 / 600.0;
    ask(&noise, POINTS);
    float largest = 0.0f;
    for (int i = 0; i < POINTS; ++i)
        largest = tarn_maxf(largest, vec3_length(vec3_sub(velocity[i], before[i])));
    assert_true(largest > 1e-4f && largest < 0.05f);
    noise.time += 60.0; // everything is new: as far apart as strangers
    ask(&noise, POINTS);
    double sum = 0.0;
    for (int i = 0; i < POINTS; ++i) sum += (double)vec3_dot(velocity[i], before[i]);
    assert_true(fabs(sum / POINTS) < 0.06);
}

static void the_wind_carries_it(void** state)
{
    (void)state;
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    noise.change = 0.0f;
    TarnVec3 still = ask_one(&noise, (TarnVec3){ 0.3f, 0.4f, 0.5f });
    noise.wind = (TarnVec3){ 2.0f, 0.0f, -1.0f };
    noise.time = 8.0;
    TarnVec3 carried = ask_one(&noise, (TarnVec3){ 16.3f, 0.4f, -7.5f });
    assert_true(vec3_length(vec3_sub(vec3_sub(carried, noise.wind), still)) < 1e-3f);
}

// ---- Solids --------------------------------------------------------------------------------------

static TarnVec3 on_sphere(TarnVec3 center, float radius)
{
    TarnVec3 n = vec3_normalize(uniform3(1.0f));
    return vec3_add(center, vec3_scale(n, radius));
}
// Mean speed of the air into or out of a sphere, relative to it, over the mean speed along it.
static double mean_leak(const TarnCurlNoise* noise, const TarnSolidDef* ball)
{
    double normal = 0.0, all = 0.0;
    for (int i = 0; i < 400; ++i) {
        TarnVec3 p = on_sphere(ball->motion.position, ball->shape.size.x);
        TarnVec3 arm = vec3_sub(p, ball->motion.position);
        TarnVec3 own =
            vec3_add(ball->motion.velocity, vec3_cross(ball->motion.angular_velocity, arm));
        TarnVec3 v = vec3_sub(ask_one(noise, p), own);
        normal += fabs((double)vec3_dot(v, vec3_normalize(arm)));
        all += (double)vec3_length(v);
    }
    return normal / all;
}
static void it_flows_around_solids(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 0.7f, 0.7f, 0.7f });
    ball.motion.position = (TarnVec3){ 0.2f, 1.0f, -0.4f };
    TarnSolidId id = add(set, ball);
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    double free = mean_leak(&noise, &ball);
    noise.solids = set;
    double still = mean_leak(&noise, &ball);
    ball.motion.velocity = (TarnVec3){ 3.0f, -1.0f, 0.5f };
    ball.motion.angular_velocity = (TarnVec3){ 0.0f, 4.0f, 1.0f };
    assert_ok(
        tarn_solids_set_velocity(set, id, ball.motion.velocity, ball.motion.angular_velocity));
    double moving = mean_leak(&noise, &ball);
    print_message("leak %.3f without, %.4f still, %.4f moving\n", free, still, moving);
    assert_true(free > 0.3 && still < 0.02 && moving < 0.02);
    // Beyond its reach nothing has changed.
    TarnVec3 far = { 3.0f, 1.0f, 0.0f }, with = ask_one(&noise, far);
    noise.solids = NULL;
    TarnVec3 without = ask_one(&noise, far);
    assert_memory_equal(&with, &without, sizeof with);
    tarn_solids_destroy(set);
}

// ---- From outside --------------------------------------------------------------------------------

static void the_same_bits_everywhere(void** state)
{
    (void)state;
    TarnContext* plain = make_context(1, TARN_ISA_BASELINE);
    TarnCurlNoise a = tarn_curl_noise_default(plain);
    scatter(1000.0f);
    ask(&a, POINTS);
    uint64_t hash = tarn_hash(velocity, sizeof velocity, 0);
    for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) {
        TarnContext* fast = make_context(1, (TarnIsa)isa);
        if (fast == NULL) continue;
        TarnCurlNoise b = tarn_curl_noise_default(fast);
        ask(&b, POINTS);
        assert_true(hash == tarn_hash(velocity, sizeof velocity, 0));
        tarn_context_destroy(fast);
    }
    for (int i = 0; i < 100; ++i) { // one by one as in a block
        TarnVec3 wanted = velocity[i], p = { at[0][i], at[1][i], at[2][i] };
        float keep[3] = { at[0][0], at[1][0], at[2][0] };
        TarnVec3 first = velocity[0], got = ask_one(&a, p);
        assert_memory_equal(&got, &wanted, sizeof got);
        velocity[0] = first;
        for (int c = 0; c < 3; ++c) at[c][0] = keep[c];
    }
    tarn_context_destroy(plain);
}

static void bad_input(void** state)
{
    (void)state;
    TarnCurlNoise noise = { .speed = 1.0f };
    assert_null(tarn_curl_noise_flow(&noise).query);
    assert_null(tarn_curl_noise_flow(NULL).query);
    noise = tarn_curl_noise_default(NULL);
    noise.size = 0.0f;
    assert_null(tarn_curl_noise_flow(&noise).query);
    noise.size = 1.0f;
    TarnFlow flow = tarn_curl_noise_flow(&noise);
    at[0][0] = NAN, at[1][0] = INFINITY, at[2][0] = 0.0f;
    at[0][1] = 3e38f, at[1][1] = -3e38f, at[2][1] = 1.0f;
    float presence[2];
    TarnFlowSamples out = { .velocity = velocity, .presence = presence };
    assert_ok(tarn_flow_query(flow, 2, at[0], at[1], at[2], &out));
    assert_true(presence[0] == 0.0f && vec3_length(velocity[0]) == 0.0f);
    assert_true(presence[1] == 1.0f && tarn__is_finite3(velocity[1]));
    const TarnParamTable* table = tarn_curl_noise_table();
    for (int p = 0; p < table->count; ++p) { // changed to nonsense after the flow was made
        const double odd[] = { -1e30, 1e30, (double)NAN, 0.0 };
        for (int o = 0; o < 4; ++o) {
            TarnCurlNoise kept = noise;
            if (table->params[p].type == TARN_PARAM_INT)
                poke(&table->params[p], &noise, 0, o == 0 ? -2147483647.0 : 2147483647.0);
            else
                poke(&table->params[p], &noise, 0, odd[o]);
            assert_ok(tarn_flow_query(flow, 2, at[0], at[1], at[2], &out));
            assert_true(tarn__is_finite3(velocity[1]));
            noise = kept;
        }
    }
}

// A place a little below zero is a little below 2^32 after the wrap, and rounds to it; far away places must not
// leave the range either. The sanitizer of float casts (lane asan) watches.
static void places_wrap(void** state)
{
    (void)state;
    const double times[] = { 1e-13, 1e-7, 1.0, 1e6, 1e12, 1e15 };
    const float speeds[] = { 1e-6f, -1e-6f, 3.0f, -3.0f, 100.0f, -100.0f };
    for (int t = 0; t < 6; ++t) {
        for (int s = 0; s < 6; ++s) {
            TarnVec3 wind = { speeds[s], -speeds[s], 0.5f * speeds[s] };
            Curl curl = tarn__curl(1.0f, 0.5f, CURL_MAX_OCTAVES, 0.7f, 1.0f, wind, 7, times[t]);
            for (int o = 0; o < curl.octaves; ++o) {
                for (int a = 0; a < 3; ++a)
                    assert_true(curl.octave[o].fraction[a] >= 0.0f &&
                                curl.octave[o].fraction[a] <= 1.0f);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(speed_is_what_was_asked_for),
        TEST(no_divergence),
        TEST(the_curl_is_that_of_the_potential),
        TEST(it_changes_smoothly_in_time),
        TEST(the_wind_carries_it),
        TEST(it_flows_around_solids),
        TEST(the_same_bits_everywhere),
        TEST(bad_input),
        TEST(places_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
