// Nothing that exists is left out. The registry lists the solvers, the folder scenes/ the scenes; each must be in the lists
// that are written by hand: golden hashes, pictures, benches, checks, pages. Fuzzers, sweeps and storms go over the registry
// and over the scenes by themselves: what is needed is a scene that uses the class, and a look at its fields (finite.h).

#include "hall_common.h"
#include "bench/bench.h"
#include "tests/physics/check.h"
#include <dirent.h>

// Fires and linkages belong to the layer on top of worlds (tarn/show.h): they have no method to measure or to compare with
// theory, and their numbers are in their stats alone.
static bool is_show(const TarnSolverClass* of)
{
    return strcmp(of->name, "fire") == 0 || strcmp(of->name, "linkage") == 0;
}

static bool has_file(const char* format, const char* name)
{
    char path[512];
    snprintf(path, sizeof path, format, name);
    FILE* file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

// The whole of a text file, to be freed.
static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) fail_msg("%s cannot be read", path);
    size_t room = (size_t)1 << 20, n;
    char* text = malloc(room);
    n = fread(text, 1, room - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

// Is the name the first word of a line, perhaps with @method behind it?
static bool is_listed(const char* list, const char* name)
{
    size_t n = strlen(name);
    for (const char* line = list; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == '@')) return true;
    }
    return false;
}

// ---- Scenes --------------------------------------------------------------------------------------

enum { MOST_SCENES = 256 };
static char scene_names[MOST_SCENES][64];

static int list_scenes(void)
{
    int n = 0;
    DIR* folder = opendir(TARN_SCENES_DIR);
    assert_non_null(folder);
    for (struct dirent* e; (e = readdir(folder)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length < 6 || strcmp(e->d_name + length - 5, ".json") != 0) continue;
        assert_true(n < MOST_SCENES && length - 5 < sizeof *scene_names);
        snprintf(scene_names[n++], sizeof *scene_names, "%.*s", (int)length - 5, e->d_name);
    }
    closedir(folder);
    assert_true(n > 0);
    return n;
}

static void test_scenes(void** state)
{
    (void)state;
    char* golden = read_text(TARN_SOURCE_DIR "/tests/golden/golden_scenes.txt");
    char* gallery = read_text(TARN_SOURCE_DIR "/scripts/gallery.sh");
    int n = list_scenes();
    for (int i = 0; i < n; ++i) {
        const char* name = scene_names[i];
        if (!is_listed(golden, name))
            fail_msg("%s is not in tests/golden/golden_scenes.txt: golden_scenes --update %s", name,
                     name);
        if (!has_file(TARN_SOURCE_DIR "/tests/pictures/%s.png", name))
            fail_msg("%s has no picture in tests/pictures: make references", name);
    }
    assert_non_null(strstr(gallery, "ls ./*.json")); // its list is the folder itself
    free(golden);
    free(gallery);
}

// ---- Classes -------------------------------------------------------------------------------------

#define PART_NAME(name)     #name,
#define GROUP_NAME(name, f) name,
static const char* const bench_parts[] = { BENCH_PARTS(PART_NAME) };
static const char* const check_groups[] = { CHECK_GROUPS(GROUP_NAME) };

static bool has_bench(const char* name)
{
    for (size_t i = 0; i < sizeof bench_parts / sizeof *bench_parts; ++i)
        if (strcmp(bench_parts[i], name) == 0) return true;
    return false;
}

static bool has_check(const char* name) // a group NAME.something
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof check_groups / sizeof *check_groups; ++i)
        if (strncmp(check_groups[i], name, n) == 0 && check_groups[i][n] == '.') return true;
    return false;
}

// Its own fields are looked at by storms, sweeps and the fuzzer of scenes.
static bool has_look(const char* name)
{
    for (size_t i = 0; i < sizeof nonfinite_of / sizeof *nonfinite_of; ++i)
        if (strcmp(nonfinite_of[i].kind, name) == 0) return true;
    return false;
}

static bool has_scene(const char* name)
{
    char key[64], path[512];
    snprintf(key, sizeof key, "\"kind\": \"%s\"", name);
    bool is_found = false;
    for (int n = list_scenes(), i = 0; i < n && !is_found; ++i) {
        snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, scene_names[i]);
        char* text = read_text(path);
        const char* solvers = strstr(text, "\"solvers\"");
        is_found = solvers && strstr(solvers, key);
        free(text);
    }
    return is_found;
}

// By a file of its own or from its Surface; effects only steer what others draw.
static bool is_drawn(const TarnSolverClass* of)
{
    return of->surface != NULL || of->phase == TARN_PHASE_EFFECTS ||
           has_file(TARN_SOURCE_DIR "/view/draw_%s.c", of->name);
}

static void test_classes(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        const char* name = of->name;
        if (!has_scene(name))
            fail_msg(
                "no scene uses a %s: golden runs, pictures, the sweep and the fuzzer of scenes "
                "do not know it",
                name);
        if (!is_drawn(of))
            fail_msg("%s offers no Surface and has no view/draw_%s.c, so no picture shows it", name,
                     name);
        if (is_show(of)) continue;
        if (!has_bench(name))
            fail_msg("%s has no part of its name in BENCH_PARTS, bench/bench.h", name);
        if (!has_check(name))
            fail_msg("%s has no group %s.* in CHECK_GROUPS, tests/physics/check.h", name, name);
        if (!has_look(name)) fail_msg("%s is not in nonfinite_of, tests/robust/finite.h", name);
        if (!has_file(TARN_SOURCE_DIR "/docs/solvers/%s.md", name))
            fail_msg("%s has no page docs/solvers/%s.md", name, name);
    }
}

// The checks above can fail.
static void test_what_is_not_there(void** state)
{
    (void)state;
    assert_false(has_bench("slosh") || has_check("slosh") || has_look("slosh"));
    assert_false(is_drawn(&(TarnSolverClass){ .name = "slosh", .phase = TARN_PHASE_WATERS }));
    assert_false(has_scene("slosh") || has_file(TARN_SOURCE_DIR "/docs/solvers/%s.md", "slosh"));
    assert_false(is_listed("bars 1\nboat_wake@x 2\n", "boat") || is_listed("bars 1\n", "1"));
    assert_true(is_listed("bars 1\nboat_wake@x 2\n", "boat_wake") && is_listed("bars 1", "bars"));
    assert_false(has_check("wav") || has_scene("wav"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_scenes), TEST(test_classes),
                                        TEST(test_what_is_not_there) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
