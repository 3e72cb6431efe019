// Every parameter of every scene at its minimum, its maximum and random values, alone and with another one: see
// sweep_case.c for what must hold. Each case is a process of its own, so a crash, an endless step or a report of a
// sanitizer is one finding, printed with the command that shows it again.
//
//     sweep_scenes                                everything, in an order that --seed shuffles
//     sweep_scenes --seconds 60 --seed 7          what can be done in a minute
//     sweep_scenes --scene sparks                 one scene
//     sweep_scenes --scene sparks --set a.b=1     one case, in this process: for the debugger

#define _XOPEN_SOURCE   700 // fork, mmap, dirent
#define _DEFAULT_SOURCE     // MAP_ANONYMOUS
#include "sweep.h"
#include "tests/sanitized.h"
#include "scene/scene_internal.h"
#include "base/param.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_SCENES = 128,
    MAX_JOBS = 64,
    TEXT = 128, // of a path, and of a value
    N_NUMBERS =
        5, // cases of a parameter that is a number: minimum, maximum, two random ones, a pair
};

typedef struct Parameter {
    int scene;
    char path[TEXT]; // "bodies[0].density"
    const TarnParam* param;
} Parameter;

typedef struct Item {
    int parameter;
    int kind; // 0 minimum, 1 maximum, then random; of an enum its values, then random. The last is a pair
} Item;

typedef struct Sweep {
    uint64_t seed;
    double seconds; // 0: no limit
    int n_jobs;
    const char* only; // scene; NULL: all
    const char* sets[SWEEP_MAX_SETS];
    int n_sets;
    int n_scenes, n_parameters, n_items;
    char scenes[MAX_SCENES][64];
    int first[MAX_SCENES + 1]; // parameter of each scene
    Parameter* parameters;
    Item* items;
} Sweep;

static void quit(const char* what)
{
    fprintf(stderr, "sweep_scenes: %s\n", what);
    exit(2);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- What there is ------------------------------------------------------------------------------------

static void* grow(void* block, int n, size_t size) // doubles at powers of two
{
    if (n != 0 && (n & (n - 1)) != 0) return block;
    block = realloc(block, size * (n == 0 ? 1 : 2 * (size_t)n));
    if (block == NULL) quit("out of memory");
    return block;
}

static void add_parameters(const char* path, const TarnParamTable* table, const void* values,
                           void* user)
{
    (void)values;
    Sweep* s = user;
    for (int i = 0; i < table->count; ++i) {
        // In no snapshot by choice: what a cosmetic solver pushes has another future after a load.
        if (strcmp(table->params[i].name, "cosmetic") == 0) continue;
        s->parameters = grow(s->parameters, s->n_parameters, sizeof(Parameter));
        Parameter* p = &s->parameters[s->n_parameters++];
        p->scene = s->n_scenes - 1;
        p->param = &table->params[i];
        snprintf(p->path, sizeof p->path, "%s.%s", path, table->params[i].name);
    }
}

static int kinds_of(const TarnParam* p)
{
    bool has_names = p->type == TARN_PARAM_ENUM || p->type == TARN_PARAM_BOOL;
    return has_names ? (int)p->max + 2 : N_NUMBERS;
}

static int compare_texts(const void* a, const void* b)
{
    return strcmp(a, b);
}

static void find_scenes(Sweep* s)
{
    DIR* dir = opendir(TARN_SCENES_DIR);
    if (dir == NULL) quit("cannot open the folder with the scenes");
    for (struct dirent* e; (e = readdir(dir)) != NULL && s->n_scenes < MAX_SCENES;) {
        char* end = strstr(e->d_name, ".json");
        int length = end ? (int)(end - e->d_name) : 0;
        if (length <= 0 || length >= 64 || end[5] != '\0') continue;
        snprintf(s->scenes[s->n_scenes], 64, "%.*s", length, e->d_name);
        if (s->only && strcmp(s->only, s->scenes[s->n_scenes]) != 0) continue;
        ++s->n_scenes;
    }
    closedir(dir);
    if (s->n_scenes == 0) quit("no such scene");
    qsort(s->scenes, (size_t)s->n_scenes, 64, compare_texts);
}

static void find_parameters(Sweep* s)
{
    TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    SceneVisitor visitor = { .visit = add_parameters, .user = s };
    int n = s->n_scenes;
    if (tarn_context_create(&def, &ctx) != TARN_OK) quit("no context");
    for (s->n_scenes = 1; s->n_scenes <= n; ++s->n_scenes) {
        char path[512];
        s->first[s->n_scenes - 1] = s->n_parameters;
        snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, s->scenes[s->n_scenes - 1]);
        if (tarn__scene_visit_file(ctx, path, &visitor) != TARN_OK) quit(tarn_last_error(ctx));
    }
    s->n_scenes = n;
    s->first[n] = s->n_parameters;
    tarn_context_destroy(ctx);
}

static void make_items(Sweep* s)
{
    for (int i = 0; i < s->n_parameters; ++i) {
        for (int k = 0; k < kinds_of(s->parameters[i].param); ++k) {
            s->items = grow(s->items, s->n_items, sizeof(Item));
            s->items[s->n_items++] = (Item){ i, k };
        }
    }
    for (int i = s->n_items - 1; i > 0; --i) {
        uint64_t wide = tarn__random(s->seed, 1, (uint64_t)i);
        int other = (int)(wide * (uint64_t)(i + 1) >> 32);
        Item item = s->items[i];
        s->items[i] = s->items[other];
        s->items[other] = item;
    }
}

// ---- Values --------------------------------------------------------------------------------------------

// Between the default and one of the bounds, as often near to the one as to the other: by powers of ten.
static double random_number(const TarnParam* p, int component, uint64_t stream)
{
    double share = pow(10.0, -6.0 * (double)tarn__random01(stream, 2, (uint64_t)component));
    bool is_up = tarn__random(stream, 3, (uint64_t)component) & 1u;
    double bound = is_up ? p->max : p->min, start = p->value[component];
    return start + (bound - start) * share;
}

static void write_value(const TarnParam* p, int kind, uint64_t stream, char text[TEXT])
{
    bool has_names = p->type == TARN_PARAM_ENUM || p->type == TARN_PARAM_BOOL;
    if (has_names) {
        int n = (int)p->max + 1;
        int value = kind < n ? kind : (int)(tarn__random(stream, 4, 0) % (uint32_t)n);
        while (!tarn__param_allows(p, value)) value = (value + 1) % n;
        const char* word = value ? "true" : "false";
        snprintf(text, TEXT, "%s", p->type == TARN_PARAM_ENUM ? p->names[value] : word);
        return;
    }
    int n = tarn__param_components(p->type), used = 0;
    for (int i = 0; i < n; ++i) {
        double value = kind == 0 ? p->min : kind == 1 ? p->max : random_number(p, i, stream);
        if (p->type == TARN_PARAM_INT) value = floor(value);
        used += snprintf(text + used, TEXT - (size_t)used, "%s%.9g", i ? "," : "", value);
    }
}

typedef struct Texts {
    char values[SWEEP_MAX_SETS][TEXT];
} Texts;

static void choose_steps(SweepCase* c) // the same whenever the case is run
{
    uint64_t h = tarn_hash(c->scene, strlen(c->scene), 0);
    for (int i = 0; i < c->n_sets; ++i) {
        h = tarn_hash(c->sets[i].path, strlen(c->sets[i].path), h);
        h = tarn_hash(c->sets[i].value, strlen(c->sets[i].value), h);
    }
    c->steps_before = 1 + (int)(h % 5);
    c->steps_after = 3;
    c->slow = is_sanitized ? 20 : 1;
}

static SweepCase make_case(const Sweep* s, Item item, Texts* texts)
{
    const Parameter* p = &s->parameters[item.parameter];
    uint64_t stream = tarn_hash(p->path, strlen(p->path), s->seed + (uint64_t)item.kind);
    SweepCase c = { .scene = s->scenes[p->scene], .n_sets = 1 };
    bool is_pair = item.kind == kinds_of(p->param) - 1;
    if (is_pair && tarn__random(stream, 5, 0) & 1u) item.kind = 1; // as often at its maximum
    write_value(p->param, item.kind, stream, texts->values[0]);
    c.sets[0] = (TarnSceneOverride){ p->path, texts->values[0] };
    if (is_pair) {
        int n = s->first[p->scene + 1] - s->first[p->scene];
        const Parameter* q =
            &s->parameters[s->first[p->scene] + (int)(tarn__random(stream, 6, 0) % (uint32_t)n)];
        int kind = (int)(tarn__random(stream, 7, 0) % (uint32_t)kinds_of(q->param));
        write_value(q->param, kind, stream + 1, texts->values[1]);
        c.sets[1] = (TarnSceneOverride){ q->path, texts->values[1] };
        c.n_sets = q == p ? 1 : 2;
    }
    choose_steps(&c);
    return c;
}

// ---- Processes -----------------------------------------------------------------------------------------

typedef struct Job {
    pid_t pid; // 0: free
    Item item;
    SweepResult* result; // shared
    FILE* errors;        // what it wrote to stderr
} Job;

typedef struct Counts {
    int passed, refused, failed;
} Counts;

static void start_job(const Sweep* s, Job* job, Item item)
{
    job->item = item;
    memset(job->result, 0, sizeof *job->result);
    job->errors = tmpfile();
    if (job->errors == NULL) quit("no temporary file");
    fflush(NULL);
    job->pid = fork();
    if (job->pid < 0) quit("cannot start a process");
    if (job->pid > 0) return;
    Texts texts;
    SweepCase c = make_case(s, item, &texts);
    dup2(fileno(job->errors), STDERR_FILENO);
    _exit(sweep_case(&c, job->result));
}

// The line that says most of what a process printed before it died.
static void last_words(FILE* errors, char* text, size_t size)
{
    char line[400];
    text[0] = '\0';
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        bool is_telling = strstr(line, "ERROR") || strstr(line, "runtime error");
        if (text[0] != '\0' && !is_telling) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, ": %.300s", line);
        if (is_telling) return;
    }
}

static void print_command(const SweepCase* c, const char* program)
{
    printf("    %s --scene %s", program, c->scene);
    for (int i = 0; i < c->n_sets; ++i) printf(" --set '%s=%s'", c->sets[i].path, c->sets[i].value);
    printf("\n    tarn run %s --hash", c->scene);
    for (int i = 0; i < c->n_sets; ++i) printf(" --set '%s=%s'", c->sets[i].path, c->sets[i].value);
    printf("\n");
}

static void describe_end(const Job* job, int status, char* text, size_t size)
{
    const SweepResult* r = job->result;
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char words[400];
    last_words(job->errors, words, sizeof words);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SWEEP_FOUND && r->text[0])
        snprintf(text, size, "%s", r->text);
    else if (number == SIGPROF || number == SIGALRM)
        snprintf(text, size, "%s: one takes more than %g s%s", r->phase, r->seconds,
                 number == SIGALRM ? ", waiting" : "");
    else if (number != 0)
        snprintf(text, size, "%s: %s%s", r->phase, strsignal(number), words);
    else
        snprintf(text, size, "%s: exit %d%s", r->phase, WEXITSTATUS(status), words);
}

static void end_job(const Sweep* s, Job* job, int status, const char* program, Counts* counts)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : SWEEP_FOUND;
    job->pid = 0;
    if (code == SWEEP_PASSED || code == SWEEP_REFUSED) {
        ++counts->passed;
        counts->refused += code == SWEEP_REFUSED;
    } else {
        Texts texts;
        char text[1200];
        SweepCase c = make_case(s, job->item, &texts);
        describe_end(job, status, text, sizeof text);
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
        printf("FAILED %s: %s\n", c.scene, text);
        print_command(&c, program);
        fflush(stdout);
        ++counts->failed;
    }
    fclose(job->errors);
}

static void wait_for_one(const Sweep* s, Job* jobs, const char* program, Counts* counts)
{
    int status;
    pid_t pid = wait(&status);
    if (pid < 0) quit(strerror(errno));
    for (int j = 0; j < s->n_jobs; ++j)
        if (jobs[j].pid == pid) end_job(s, &jobs[j], status, program, counts);
}

static void show_progress(const Sweep* s, const Counts* counts, int started, double start)
{
    static double last;
    double t = now();
    if (!isatty(STDERR_FILENO) || t - last < 0.2) return;
    last = t;
    double share = (double)started / s->n_items, by_time = (t - start) / s->seconds;
    if (s->seconds > 0.0 && by_time > share) share = by_time;
    char bar[25];
    for (int i = 0; i < 24; ++i) bar[i] = i < (int)(share * 24) ? '#' : '.';
    bar[24] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f%%  %d of %d cases, %d failed, %.0f s left", bar,
            100.0 * share, started, s->n_items, counts->failed,
            share > 0.0 ? (t - start) * (1.0 - share) / share : 0.0);
}

static Counts run_all(const Sweep* s, const char* program)
{
    Job jobs[MAX_JOBS] = { 0 };
    Counts counts = { 0 };
    int started = 0, running = 0;
    double start = now();
    for (int j = 0; j < s->n_jobs; ++j) {
        jobs[j].result = mmap(NULL, sizeof(SweepResult), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (jobs[j].result == MAP_FAILED) quit("no shared memory");
    }
    for (;;) {
        bool is_over = s->seconds > 0.0 && now() - start > s->seconds;
        for (int j = 0; j < s->n_jobs && !is_over && started < s->n_items; ++j) {
            if (jobs[j].pid != 0) continue;
            start_job(s, &jobs[j], s->items[started++]);
            ++running;
        }
        if (running == 0) break;
        wait_for_one(s, jobs, program, &counts);
        --running;
        show_progress(s, &counts, started, start);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    return counts;
}

// ---- The program ---------------------------------------------------------------------------------------

static int run_one(const Sweep* s)
{
    char texts[SWEEP_MAX_SETS][2 * TEXT];
    SweepCase c = { .scene = s->only, .n_sets = s->n_sets };
    SweepResult result = { 0 };
    for (int i = 0; i < s->n_sets; ++i) {
        snprintf(texts[i], sizeof texts[i], "%s", s->sets[i]);
        char* equals = strchr(texts[i], '=');
        if (equals == NULL) quit("--set takes PATH=VALUE");
        *equals = '\0';
        c.sets[i] = (TarnSceneOverride){ texts[i], equals + 1 };
    }
    choose_steps(&c);
    SweepOutcome outcome = sweep_case(&c, &result);
    const char* const words[] = { "passed", "passed: refused", result.text };
    printf("%s\n", words[outcome]);
    return outcome == SWEEP_FOUND;
}

static void read_options(Sweep* s, int argc, char** argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--seconds") == 0)
            s->seconds = atof(value);
        else if (strcmp(name, "--seed") == 0)
            s->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--jobs") == 0)
            s->n_jobs = atoi(value);
        else if (strcmp(name, "--scene") == 0)
            s->only = value;
        else if (strcmp(name, "--set") == 0 && s->n_sets < SWEEP_MAX_SETS)
            s->sets[s->n_sets++] = value;
        else
            quit("options: --seconds S, --seed N, --jobs N, --scene NAME, --set PATH=VALUE");
    }
    if (argc % 2 == 0) quit("an option has no value");
    if (s->n_jobs < 1 || s->n_jobs > MAX_JOBS) quit("--jobs: 1 to 64");
    if (s->n_sets > 0 && s->only == NULL) quit("--set needs --scene");
}

int main(int argc, char** argv)
{
    static Sweep s = { .n_jobs = 2 };
    read_options(&s, argc, argv);
    if (s.n_sets > 0) return run_one(&s);
    find_scenes(&s);
    find_parameters(&s);
    make_items(&s);
    printf("%d parameters in %d scenes, %d cases, seed %llu\n", s.n_parameters, s.n_scenes,
           s.n_items, (unsigned long long)s.seed);
    Counts counts = run_all(&s, argv[0]);
    printf("%d of %d cases; %d of them were refused as they should\n",
           counts.passed + counts.failed, s.n_items, counts.refused);
    printf("%d passed, %d failed\n", counts.passed, counts.failed);
    free(s.parameters);
    free(s.items);
    return counts.failed > 0;
}
