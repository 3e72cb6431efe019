// Storms over worlds of any mix. A seed builds a world of random solvers of all classes that are registered, the test-only
// one of tests/hall among them, with bodies of all shapes, solids of all kinds, emitters, channels, spouts, windows and
// drivers; then it is stepped by any dt while all of that comes and goes, and older snapshots are loaded.
//
// After each deed: everything is finite; the ledger closes, for exact solvers to the last bit; a call that was refused
// has changed nothing; a step has allocated nothing. After a load the hash is that of the save, and the steps
// that followed the save give the same hashes again. All hashes are the same for 1 and for 3 workers.
//
// TARN_STORMS=1000 takes so many seeds instead of a few, TARN_STORM_SEED=17 this one alone, or begins there
// (`make storms`).

#include "tests/robust/random_world.h"
#include "tests/hall/slosh.h"
#include "tests/sanitized.h"

enum { DEEDS = 60, SNAPSHOTS = 4, MOST_HASHES = 2 * DEEDS };

typedef struct Snapshot {
    uint8_t* bytes; // NULL: none
    size_t size;
    uint64_t hash;
} Snapshot;

static Snapshot snapshots[SNAPSHOTS];
static uint64_t hashes[MOST_HASHES]; // of the run with one worker
static int n_hashes, n_refused, n_loaded, n_solvers_seen;
static const char* deed; // for messages

// ---- What must hold ------------------------------------------------------------------------------

#define need(condition, ...)                                                                       \
    do {                                                                                           \
        if (condition) break;                                                                      \
        print_error("seed %d, deed %d (%s): ", (int)draw_seed, n_hashes, deed);                    \
        print_error(__VA_ARGS__);                                                                  \
        print_error("; TARN_STORM_SEED=%d repeats it\n", (int)draw_seed);                          \
        fail();                                                                                    \
    } while (0)

// The water of a basin up to its highest wave [m^3]: heights round with the largest of them.
static double basin_of(const TarnSolverClass* of, const void* solver)
{
    enum { SIDE = 16 };
    TarnBasin b = { 0 };
    if (of->basin == NULL || of->surface == NULL) return 0.0;
    of->basin(solver, &b);
    TarnSurface surface = of->surface(solver);
    double wide = (double)b.max.x - b.min.x, deep = (double)b.max.y - b.min.y, highest = 0.0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        double x = b.min.x + wide * (i % SIDE + 0.5) / SIDE;
        double z = b.min.y + deep * (i / SIDE + 0.5) / SIDE;
        double y = tarn_surface_height(surface, (float)x, (float)z);
        highest = fmax(highest, fabs(y - b.rest_level));
    }
    return wide * deep * (fabs((double)b.rest_level - b.floor) + highest);
}

// The size that rounding goes with: all that has passed through a solver, and the most that ever swung in its basin. Waves
// hold what is above their rest level only.
static double size_of(const Storm* s, const TarnLedgerEntry* e)
{
    static struct {
        const void* solver;
        double most;
    } seen[64];
    const void* solver = tarn_world_find(s->world, e->name);
    int n = tarn_world_number(s->world, solver) - 1;
    double basin = basin_of(tarn_world_class_of(s->world, solver), solver);
    if (seen[n].solver != solver || basin > seen[n].most) seen[n].most = basin;
    seen[n].solver = solver;
    return seen[n].most + fabs(e->held) + fabs(e->brought) + fabs(e->taken) + fabs(e->got) +
           fabs(e->given);
}

// Is no water of it too deep to be counted exactly? Depths are whole numbers of 2^-24 of max_depth.
static bool is_counted(const Storm* s, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(s->world, solver);
    const TarnParam* p = tarn_param_find(of->def_table(), "max_depth");
    return p == NULL || tarn__param_get(p, of->def(solver), 0) >= p->max;
}

static void check_ledger(const Storm* s)
{
    enum { MOST = 64 };
    TarnLedger all;
    TarnLedgerEntry entries[MOST];
    double size = 1.0;
    need(tarn_world_ledger(s->world, &all, entries, MOST) == TARN_OK, "no ledger");
    for (int n = 0; n < all.n; ++n) {
        const TarnLedgerEntry* e = &entries[n];
        double through = size_of(s, e) + 1e-6;
        double off = e->brought - e->taken + e->got - e->given + e->error - e->held;
        const void* solver = tarn_world_find(s->world, e->name);
        if (e->is_exact && is_counted(s, solver))
            need(e->error == 0.0, "%s is exact and misses %g m^3", e->name, e->error);
        need(fabs(e->error) <= 1e-6 * through, "%s misses %g of %g m^3", e->name, e->error,
             through);
        need(fabs(off) <= 1e-9 * through, "the entry of %s is off by %g m^3", e->name, off);
        size += through;
    }
    need(fabs(all.error) <= 1e-6 * size, "%g of %g m^3 are missing", all.error, size);
}

static void check_world(const Storm* s)
{
    const char* part = nonfinite_part(s->world);
    need(part == NULL, "not finite: %s", part);
    check_ledger(s);
    need(memory.n_bad == 0, "memory was freed wrongly");
}

// ---- Deeds ---------------------------------------------------------------------------------------

static float draw_dt(void)
{
    static const float dts[] = { 0.0f,         1e-9f, 1e-4f, 1.0f / 240.0f, 1.0f / 60.0f,
                                 1.0f / 60.0f, 0.1f,  1.0f,  10.0f };
    return dts[draw(sizeof dts / sizeof *dts)];
}

static void step_by(Storm* s, float dt)
{
    int calls = memory.calls;
    TarnStepReport report;
    TarnResult result = tarn_world_step(s->world, dt, &report);
    need(result == TARN_OK, "a step of %g s says %s: %s", (double)dt, tarn_result_name(result),
         tarn_last_error(s->ctx));
    need(memory.calls == calls, "a step of %g s allocated", (double)dt);
    need(report.time_advanced >= 0.0 && report.time_advanced <= (double)dt * 1.000001,
         "%g of %g s advanced", report.time_advanced, (double)dt);
    check_world(s);
}

static TarnResult step_world(Storm* s)
{
    step_by(s, draw_dt());
    return TARN_OK;
}

static TarnResult remove_solver(Storm* s)
{
    void* solver = draw_solver(s);
    if (solver == NULL) return TARN_OK;
    TarnResult result = tarn_world_remove(s->world, solver);
    if (draw(4) == 0) tarn_world_forget(s->world);
    return result;
}

static TarnResult set_cosmetic(Storm* s)
{
    return tarn_world_set_cosmetic(s->world, draw_solver(s), draw(2));
}

static TarnResult save_world(Storm* s)
{
    Snapshot* to = &snapshots[draw(SNAPSHOTS)];
    free(to->bytes);
    to->bytes = save(s->world, &to->size);
    to->hash = tarn_world_hash(s->world);
    return TARN_OK;
}

// What the host alone has, or what was forgotten, cannot come back: that is all that a load may refuse.
static bool may_refuse(const char* sentence)
{
    return strstr(sentence, "no longer keeps it") || strstr(sentence, "terrain") ||
           strstr(sentence, "distance function") || strstr(sentence, "span");
}

static TarnResult load_world(Storm* s)
{
    const Snapshot* from = &snapshots[draw(SNAPSHOTS)];
    if (from->bytes == NULL) return TARN_OK;
    TarnResult result = tarn_world_load(s->world, from->bytes, from->size);
    if (result != TARN_OK) {
        need(result == TARN_ERR_DATA && may_refuse(tarn_last_error(s->ctx)), "refused: %s",
             tarn_last_error(s->ctx));
        return result;
    }
    ++n_loaded;
    need(tarn_world_hash(s->world) == from->hash, "another hash after a load");
    return TARN_OK;
}

// Two futures of one snapshot are the same. Cosmetic solvers are in none, and may push what is.
static TarnResult replay(Storm* s)
{
    float dt[3];
    uint64_t expected[3];
    for (int n = 0; n < tarn_world_count(s->world, NULL); ++n)
        if (tarn_world_is_cosmetic(s->world, tarn_world_get(s->world, NULL, n))) return TARN_OK;
    Snapshot now = { 0 };
    now.bytes = save(s->world, &now.size);
    now.hash = tarn_world_hash(s->world);
    for (int i = 0; i < 3; ++i) {
        step_by(s, dt[i] = draw_dt());
        expected[i] = tarn_world_hash(s->world);
    }
    TarnResult result = tarn_world_load(s->world, now.bytes, now.size);
    free(now.bytes);
    need(result == TARN_OK, "its own snapshot is refused: %s", tarn_last_error(s->ctx));
    need(tarn_world_hash(s->world) == now.hash, "another hash after a load");
    for (int i = 0; i < 3; ++i) {
        step_by(s, dt[i]);
        need(tarn_world_hash(s->world) == expected[i], "another future, %d steps after a load",
             i + 1);
    }
    ++n_loaded;
    return TARN_OK;
}

static const struct {
    const char* name;
    TarnResult (*act)(Storm* s);
    int weight;
} deeds[] = {
    { "step", step_world, 16 },
    { "replay", replay, 3 },
    { "add a solver", add_solver, 5 },
    { "remove a solver", remove_solver, 2 },
    { "params", change_params, 4 },
    { "add a part", add_part, 5 },
    { "change a part", change_part, 2 },
    { "add a body", add_body, 5 },
    { "remove a body", remove_body, 1 },
    { "push a body", push_body, 3 },
    { "add a solid", add_solid, 3 },
    { "change a solid", change_solid, 2 },
    { "add an emitter", add_emitter, 4 },
    { "remove an emitter", remove_emitter, 1 },
    { "channel", add_channel, 4 },
    { "spout", add_spout, 3 },
    { "window", set_window, 2 },
    { "driver", set_driver, 3 },
    { "attach", attach_part, 3 },
    { "air", set_air, 2 },
    { "wind", set_wind, 2 },
    { "foil", set_foil, 3 },
    { "push", set_push, 2 },
    { "cosmetic", set_cosmetic, 1 },
    { "save", save_world, 3 },
    { "load", load_world, 3 },
};
enum { KINDS = sizeof deeds / sizeof *deeds };

static int draw_deed(void)
{
    int sum = 0;
    for (int i = 0; i < KINDS; ++i) sum += deeds[i].weight;
    int left = draw(sum), i = 0;
    while (left >= deeds[i].weight) left -= deeds[i++].weight;
    return i;
}

// ---- A storm -------------------------------------------------------------------------------------

static void note_hash(uint64_t hash, bool is_first)
{
    assert_true(n_hashes < MOST_HASHES);
    if (is_first) hashes[n_hashes] = hash;
    need(hashes[n_hashes] == hash, "another hash with 3 workers");
    ++n_hashes;
}

static void do_one(Storm* s, int kind, bool is_first)
{
    deed = deeds[kind].name;
    uint64_t before = tarn_world_hash(s->world);
    TarnResult result = deeds[kind].act(s);
    uint64_t after = tarn_world_hash(s->world);
    drop_parts(s);
    if (result != TARN_OK) {
        ++n_refused;
        need(after == before, "refused, and still something changed");
        need(tarn_last_error(s->ctx)[0] != '\0', "refused without a word");
    }
    check_world(s);
    note_hash(after, is_first);
}

static void storm(int seed, int workers)
{
    TarnContext* context = make_context(workers, TARN_ISA_AUTO);
    assert_int_equal(tarn_solver_register(context, tarn_slosh_class()), TARN_OK);
    draw_seed = (uint64_t)seed, draw_at = 0;
    n_hashes = 0, deed = "world";
    TarnContext* outer = ctx;
    ctx = context; // messages of helpers
    Storm s = { .ctx = context };
    TarnWorldDef def = tarn_world_default_def();
    def.max_solvers = 2 + draw(6), def.max_bodies = 1 + draw(8), def.max_emitters = 1 + draw(8);
    def.max_solids = 1 + draw(6), def.max_attached = 1 + draw(4), def.seed = seed;
    def.max_substeps = 1 + draw(4), def.solid_memory = 1 << 16;
    if (draw(4) == 0) def.max_step = draw_float(0.001, 1);
    if (draw(4) == 0) def.gravity = draw_float(0, 100);
    assert_int_equal(tarn_world_create(context, &def, &s.world), TARN_OK);
    for (int n = 0; n < DEEDS; ++n) {
        bool is_start = n < 12; // something to begin with
        do_one(&s, is_start && n % 2 == 0 ? 2 : draw_deed(), workers == 1);
    }
    n_solvers_seen += tarn_world_count(s.world, NULL);
    for (int i = 0; i < SNAPSHOTS; ++i) {
        free(snapshots[i].bytes);
        snapshots[i] = (Snapshot){ 0 };
    }
    tarn_world_destroy(s.world);
    ctx = outer;
    tarn_context_destroy(context);
}

static int number_of(const char* variable, int otherwise)
{
    const char* text = getenv(variable);
    return text && atoi(text) > 0 ? atoi(text) : otherwise;
}

static void test_storms(void** state)
{
    (void)state;
    int first = number_of("TARN_STORM_SEED", 0);
    int n = number_of("TARN_STORMS", first ? 1 : is_sanitized ? 12 : 100);
    if (first == 0) first = 1;
    for (int seed = first; seed < first + n; ++seed) {
        storm(seed, 1);
        storm(seed, 3);
    }
    // A storm in which nothing is refused, loaded or left over would prove little.
    if (n >= 8) assert_true(n_refused > n && n_loaded > 2 * n && n_solvers_seen > 2 * n);
    print_message("%d storms, %d calls refused, %d snapshots loaded\n", n, n_refused, n_loaded);
}

static int stop(void** state)
{
    int result = end(state);
    if (result != 0)
        print_error("it stopped in seed %d, deed %d (%s)\n", (int)draw_seed, n_hashes, deed);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_storms, begin, stop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
