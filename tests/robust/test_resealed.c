// Snapshots of worlds of every kind, changed on purpose and sealed again as good ones: wild and harmless-looking
// numbers, wrong counts, bad indices, one by one and in runs. A load either refuses, says why and changes
// nothing; or twenty steps later everything is finite and in range, and the world takes its own snapshots.
//
//     test_resealed              as many as fit into twenty seconds; ten with sanitizers
//     test_resealed 600          ten minutes; or TARN_RESEALED_SECONDS=600
//     test_resealed 0 1234       case 1234 alone
//
// Plain main; a case is a number, see random_scene.h.

#include "tests/robust/random_scene.h"
#include "tests/robust/sane_world.h"
#include "tests/sanitized.h"

enum { STEPS = 20 };
static int n_changes = 4; // of each case, if it is not to run for long

typedef struct Subject {
    TarnContext* ctx;
    TarnWorld* world;
    float dt;
    uint8_t *good, *bad;
    size_t size;
    uint64_t hash;
    char change[160]; // what was done to the snapshot
} Subject;

// ---- Changes ----------------------------------------------------------------------------------------

static const float wild_floats[] = { 1e6f,   -1e6f, 1e30f,   -1e30f, NAN,   INFINITY, -INFINITY,
                                     -1.0f,  -0.1f, 0.0f,    1e-30f, 1e4f,  -1e4f,    100.0f,
                                     -50.0f, 50.0f, 1000.0f, 3e38f,  1e-3f, 0.5f,     1e10f };
static const uint32_t wild_words[] = { 0u,     1u,          2u,          255u,
                                       65535u, 0x7fffffffu, 0x80000000u, 0xffffffffu };
static const double wild_doubles[] = {
    NAN, INFINITY, -1.0, 1e6, 1e9, 1e300, 0.0, -1e15, 0.999, 1e18
};

// One number, or a run of the same, anywhere behind the header of the world.
static void change_snapshot(Subject* s)
{
    size_t room = s->size - TARN_SNAPSHOT_HEADER;
    size_t at = TARN_SNAPSHOT_HEADER + (size_t)(draw_between(0.0, 1.0) * (double)(room - 8));
    if (draw(3) == 0) // the first part of a nested snapshot holds what there is little of
        at = TARN_SNAPSHOT_HEADER + (size_t)draw(room < 4000 ? (int)room - 8 : 4000);
    if (draw(4) != 0) at &= ~(size_t)3;
    int kind = draw(6), run = draw(2) == 0 ? 1 + draw(200) : 1;
    uint32_t word = wild_words[draw(sizeof wild_words / 4)];
    float number = wild_floats[draw(sizeof wild_floats / 4)];
    double wide = wild_doubles[draw(sizeof wild_doubles / 8)];
    size_t each = kind == 0 ? 8 : 4, from = at;
    memcpy(s->bad, s->good, s->size);
    for (int r = 0; r < run && at + each <= s->size; ++r, at += each) {
        float was;
        memcpy(&was, s->bad + at, 4);
        float scaled = was * number; // keeps what is zero, and turns speeds into wild speeds
        if (kind == 0) memcpy(s->bad + at, &wide, 8);
        if (kind == 1) memcpy(s->bad + at, &word, 4);
        if (kind == 2 || kind == 3) memcpy(s->bad + at, &number, 4);
        if (kind >= 4) memcpy(s->bad + at, &scaled, 4);
    }
    // The headers of nested snapshots stay: to change those is what the hashes are for.
    for (size_t h = TARN_SNAPSHOT_HEADER; h + TARN_SNAPSHOT_HEADER < s->size; ++h) {
        if (s->good[h] != 'T' || memcmp(s->good + h, "TARNSNAP", 8) != 0) continue;
        memcpy(s->bad + h - 8, s->good + h - 8, 8 + TARN_SNAPSHOT_HEADER);
    }
    seal_all(s->bad, s->good, s->size);
    static const char* const kinds[] = { "double", "word", "float", "float", "factor", "factor" };
    snprintf(s->change, sizeof s->change, "bytes %zu to %zu of %zu: %s %g, %#x, %g", from, at,
             s->size, kinds[kind], wide, word, (double)number);
}

// ---- A case -----------------------------------------------------------------------------------------

// Saves what came of it and takes that back. NULL, or what is wrong.
static const char* check_own(Subject* s)
{
    size_t size;
    uint64_t hash = tarn_world_hash(s->world);
    tarn_world_save(s->world, NULL, 0, &size);
    uint8_t* own = malloc(size);
    const char* wrong = NULL;
    if (tarn_world_save(s->world, own, size, &size) != TARN_OK)
        wrong = "save failed";
    else if (tarn_world_load(s->world, own, size) != TARN_OK)
        wrong = "the world refuses its own snapshot";
    else if (tarn_world_hash(s->world) != hash)
        wrong = "another hash after the load of its own snapshot";
    free(own);
    return wrong;
}

static const char* check_change(Subject* s)
{
    static char text[100];
    change_snapshot(s);
    if (tarn_world_load(s->world, s->bad, s->size) != TARN_OK) {
        if (tarn_last_error(s->ctx)[0] == '\0') return "refused without a sentence";
        return tarn_world_hash(s->world) == s->hash ? NULL : "refused, and yet something changed";
    }
    const char* wrong = check_own(s);
    for (int i = 0; i < STEPS && wrong == NULL; ++i) {
        if (tarn_world_step(s->world, s->dt, NULL) != TARN_OK) wrong = "a step failed";
        const char* mad = wrong ? NULL : what_is_mad(s->world);
        if (mad == NULL) continue;
        snprintf(text, sizeof text, "out of range %d steps later: %s", i + 1, mad);
        wrong = text;
    }
    if (wrong == NULL) wrong = check_own(s);
    if (wrong) return wrong;
    if (tarn_world_load(s->world, s->good, s->size) != TARN_OK) return "the good one is refused";
    return tarn_world_hash(s->world) == s->hash ? NULL : "the good one gives another hash";
}

static bool run_case(TarnContext* ctx, int n, bool is_told)
{
    Case c;
    TarnScene* scene = open_case(ctx, n, &c);
    if (scene == NULL) return false;
    Subject s = { .ctx = ctx, .world = tarn_scene_world(scene), .dt = tarn_scene_run(scene).dt };
    for (int i = draw(30); i > 0; --i) tarn_world_step(s.world, s.dt, NULL);
    tarn_world_save(s.world, NULL, 0, &s.size);
    s.good = malloc(s.size);
    s.bad = malloc(s.size);
    s.hash = tarn_world_hash(s.world);
    const char* wrong = NULL;
    if (tarn_world_save(s.world, s.good, s.size, &s.size) != TARN_OK) wrong = "save failed";
    for (int i = 0; i < n_changes && wrong == NULL; ++i) wrong = check_change(&s);
    if (wrong) {
        printf("case %d: %s (%s)\n  %s\n", n, wrong, tarn_last_error(ctx), s.change);
        print_case(&c);
    } else if (is_told) {
        print_case(&c);
    }
    free(s.good);
    free(s.bad);
    tarn_scene_destroy(scene);
    return wrong == NULL;
}

// Shallow water that claims to be calm and rushes: the solver trusts what it knows of its speeds.
static bool check_fast_water(TarnContext* ctx)
{
    enum { NX = 48, NZ = 40, FIELDS = 4 };
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = NX, def.nz = NZ, def.dx = 0.5f, def.level = 1.0f, def.has_level = true;
    TarnShallow* water;
    bool is_good = tarn_shallow_create(ctx, &def, &water) == TARN_OK;
    size_t size = 0, field = (size_t)NX * NZ * sizeof(float);
    for (int i = 0; i < 10; ++i) tarn_shallow_step(water, 1.0f / 60, NULL);
    tarn_shallow_save(water, NULL, 0, &size);
    uint8_t *good = malloc(size), *bad = malloc(size);
    tarn_shallow_save(water, good, size, &size);
    static const float speeds[] = { 1e6f, -1e6f, 1e4f, 59.0f, -59.0f, 10.0f };
    for (int n = 0; n < 12;
         ++n) { // u, then w; every other one, so that water runs together and apart
        memcpy(bad, good, size);
        uint8_t* at = bad + size - (FIELDS - 1 - (size_t)(n / 6)) * field;
        for (size_t c = 0; c < NX * NZ; c += 3) memcpy(at + 4 * c, &speeds[n % 6], 4);
        seal_one(bad, size);
        uint64_t hash = tarn_shallow_hash(water);
        if (tarn_shallow_load(water, bad, size) != TARN_OK) {
            is_good = is_good && tarn_shallow_hash(water) == hash;
            continue;
        }
        for (int i = 0; i < STEPS; ++i) {
            tarn_shallow_step(water, 1.0f / 60, NULL);
            bool is_sane = is_view_within(tarn_shallow_depth(water), 0.0f, 1e5f);
            if (!is_sane)
                printf("shallow water of %g m/s: depth after %d steps\n", (double)speeds[n % 6], i);
            is_good = is_good && is_sane;
            if (!is_sane) break;
        }
        is_good = tarn_shallow_load(water, good, size) == TARN_OK && is_good;
    }
    free(good);
    free(bad);
    tarn_shallow_destroy(water);
    return is_good;
}

int main(int argc, char** argv)
{
    const char* asked = argc > 1 ? argv[1] : getenv("TARN_RESEALED_SECONDS");
    double seconds = asked ? atof(asked) : is_short_run() ? 10.0 : 20.0, end = now() + seconds;
    int only = argc > 2 ? atoi(argv[2]) : -1, bad = 0, n = 0;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    if (asked || is_long_run()) n_changes = 8;
    setvbuf(stdout, NULL, _IOLBF, 0); // a run that is stopped has said what it found
    if (tarn_context_create(&def, &ctx) != TARN_OK || !open_library()) return 1;
    if (only < 0) bad += !check_fast_water(ctx);
    if (only >= 0) bad += !run_case(ctx, only, true);
    // Each scene once in any case, unless sanitizers make that too long.
    for (; only < 0 && bad < 20 && (now() < end || (n < n_library && !is_sanitized)); ++n)
        bad += !run_case(ctx, n, false);
    if (only < 0)
        printf("%d cases of %d scenes, %d changes each, %d bad\n", n, n_library, n_changes, bad);
    close_library();
    tarn_context_destroy(ctx);
    return bad > 0;
}
