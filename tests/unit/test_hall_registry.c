// What exists: the list of classes, and classes of a host.

#include "hall_common.h"

// ---- The list ------------------------------------------------------------------------------------

static void test_list(void** state)
{
    (void)state;
    static const char* const first[] = { "wave",      "shallow",      "pipes",  "wave_particles",
                                         "ripple",    "flow_ripples", "ocean",  "liquid",
                                         "particles", "gas",          "lattice" };
    enum { FIRST = sizeof first / sizeof first[0] };
    int n = 0;
    const TarnSolverClass* of;
    for (; (of = tarn_solver_class_at(NULL, n)) != NULL; ++n) {
        assert_true(of->size == sizeof *of);
        assert_ptr_equal(tarn_solver_class_find(NULL, of->name), of);
        assert_ptr_equal(tarn_solver_class_at(ctx, n), of); // a context knows the same, and more
        assert_true(of->about && strlen(of->about) > 10 && of->about[strlen(of->about) - 1] == '.');
        if (n < FIRST) assert_string_equal(of->name, first[n]);
        for (int m = 0; m < n; ++m)
            assert_string_not_equal(tarn_solver_class_at(NULL, m)->name, of->name);
    }
    assert_true(n >= FIRST);
    assert_null(tarn_solver_class_at(ctx, n));
    assert_null(tarn_solver_class_at(ctx, -1));
    assert_null(tarn_solver_class_at(ctx, 1 << 30));
    assert_null(tarn_solver_class_find(ctx, NULL));
    assert_null(tarn_solver_class_find(ctx, ""));
    assert_null(tarn_solver_class_find(ctx, "Wave"));
    assert_ptr_equal(tarn_wave_class(), tarn_solver_class_at(NULL, 0));
}

// Every class of the library would pass as one of a host: all that register asks for is there. Its tables have names, units
// and ranges, and its stats give finite numbers of a solver that was just made.
static void test_classes_are_whole(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(NULL, n)) != NULL; ++n) {
        TarnContext* other = make_context(1, TARN_ISA_AUTO);
        TarnSolverClass copy = *of;
        assert_result(tarn_solver_register(ctx, &copy), TARN_ERR_ARG, "exists already");
        copy.name = "another";
        if (tarn_solver_register(other, &copy) != TARN_OK)
            fail_msg("%s: %s", of->name, tarn_last_error(other));
        tarn_context_destroy(other);

        AnyDef def = small_def(of, 0.0f);
        assert_true(of->memory(def.bytes) > 0);
        if (of->join) continue; // it may need a world
        void* solver;
        assert_ok(of->create(ctx, def.bytes, &solver));
        for (int i = 0; i < of->n_stats; ++i) {
            assert_true(isfinite(of->stats[i].value(solver)));
            assert_true(of->stats[i].name && of->stats[i].unit && of->stats[i].help);
        }
        of->destroy(solver);
    }
}

// ---- Classes of a host ---------------------------------------------------------------------------

static void test_refusals(void** state)
{
    (void)state;
    static const char* const bad_names[] = {
        NULL, "", "Wave2", "2wave", "a b", "a-b", "wav\xc3\xa9", "a_name_that_is_longer_than_31_ch"
    };
    TarnSolverClass good = *tarn_wave_class(), bad;
    good.name = "mine";
    assert_result(tarn_solver_register(NULL, &good), TARN_ERR_ARG, "");
    assert_result(tarn_solver_register(ctx, NULL), TARN_ERR_ARG, "NULL");
    bad = good, bad.size = 8;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "sizeof(TarnSolverClass)");
    bad.size = sizeof bad + 8; // of a later version
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "rebuild");
    for (size_t i = 0; i < sizeof bad_names / sizeof *bad_names; ++i) {
        bad = good, bad.name = bad_names[i];
        assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "name");
    }
#define WITHOUT(field, word)                                                                       \
    do {                                                                                           \
        bad = good, bad.field = 0;                                                                 \
        assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, word);                        \
    } while (0)
    WITHOUT(def_table, "def_table");
    WITHOUT(init_def, "init_def");
    WITHOUT(def, "def");
    WITHOUT(create, "create");
    WITHOUT(destroy, "destroy");
    WITHOUT(memory, "memory");
    WITHOUT(step, "step");
    WITHOUT(reset, "reset");
    WITHOUT(hash, "hash");
    WITHOUT(save, "save");
    WITHOUT(load, "load");
    WITHOUT(get_params, "get_params");
    WITHOUT(set_params, "set_params");
    WITHOUT(emit, "emit");
    bad = good, bad.shift = tarn_wave_class()->shift, bad.basin = NULL;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "basin");
    bad = good, bad.phase = TARN_PHASE_BODIES;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "phase");
    bad.phase = -1;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "phase");
    TarnListClass list = tarn_gas_class()->lists[0], broken = list;
    bad = good, bad.lists = &broken, bad.n_lists = 1;
    broken.add = NULL;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "add");
    broken = list, broken.set = NULL; // it can be carried
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "it has carry");
    assert_null(tarn_solver_class_find(ctx, "mine"));
}

static const TarnParamTable* big_table(void)
{
    static TarnParamTable table;
    table = *tarn_gas_source_def_table();
    table.struct_size = TARN_LIST_MAX_DEF + 1;
    return &table;
}

static void test_large_parts(void** state)
{
    (void)state;
    TarnListClass list = tarn_gas_class()->lists[0];
    TarnSolverClass bad = *tarn_gas_class();
    bad.name = "mine", bad.lists = &list, bad.n_lists = 1;
    list.table = big_table;
    assert_result(tarn_solver_register(ctx, &bad), TARN_ERR_ARG, "at most 512");
}

// Sixteen of them, each in the order in which it came, and only in this context.
static void test_host_classes(void** state)
{
    (void)state;
    enum { MOST = 16 };
    static TarnSolverClass mine[MOST + 1];
    static char names[MOST + 1][16];
    TarnContext* other = make_context(1, TARN_ISA_AUTO);
    int library = 0;
    while (tarn_solver_class_at(NULL, library)) ++library;
    for (int i = 0; i <= MOST; ++i) {
        mine[i] = *tarn_wave_class();
        snprintf(names[i], sizeof names[i], "mine_%d", i);
        mine[i].name = names[i];
        if (i == MOST)
            assert_result(tarn_solver_register(ctx, &mine[i]), TARN_ERR_CAPACITY, "16");
        else
            assert_ok(tarn_solver_register(ctx, &mine[i]));
    }
    for (int i = 0; i < MOST; ++i) {
        assert_ptr_equal(tarn_solver_class_at(ctx, library + i), &mine[i]);
        assert_ptr_equal(tarn_solver_class_find(ctx, names[i]), &mine[i]);
        assert_null(tarn_solver_class_find(other, names[i]));
        assert_null(tarn_solver_class_find(NULL, names[i]));
    }
    TarnWorld *world = new_world(4), *elsewhere;
    void* solver = add_named(world, &mine[3], NULL, 0.0f);
    assert_string_equal(tarn_world_name_of(world, solver), "mine_3");
    assert_ptr_equal(tarn_world_class_of(world, solver), &mine[3]);
    assert_null(tarn_world_wave(world, 0)); // not one of the library's
    run(world, 3);
    tarn_world_destroy(world);

    TarnWorldDef def = tarn_world_default_def();
    AnyDef wave = small_def(&mine[3], 0.0f);
    assert_int_equal(tarn_world_create(other, &def, &elsewhere), TARN_OK);
    assert_int_equal(tarn_world_add(elsewhere, &mine[3], NULL, wave.bytes, NULL), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(other), "tarn_solver_register"));
    tarn_world_destroy(elsewhere);
    tarn_context_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_list),        TEST(test_classes_are_whole), TEST(test_refusals),
        TEST(test_large_parts), TEST(test_host_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
