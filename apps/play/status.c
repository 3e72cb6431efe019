// Numbers and words about the run, and the command line that repeats it.

#include "play_internal.h"
#include "base/param.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void tarn_play_status(TarnPlay* play, TarnPlayStatus* out)
{
    const Clock* c = &play->clock;
    *out = (TarnPlayStatus){ 0 };
    if (play->world == NULL) return;
    out->time = tarn_world_time(play->world);
    out->dt = (double)play->run.dt;
    out->steps = c->steps;
    out->substeps = c->report.substeps;
    out->step_ms = c->step_ms;
    out->mean_ms = c->mean_ms;
    memcpy(out->phase_ms, c->phase_ms, sizeof out->phase_ms);
    out->workers = tarn_context_workers(play->ctx);
    memcpy(out->worker_ms, c->worker_ms, sizeof out->worker_ms);
    out->real_time = c->real > 1e-9 && !c->is_paused ? fmin(1.0, c->simulated / c->real) : 1.0;
    out->dropped = c->dropped;
    out->memory = play->memory;
    out->history_bytes = play->history.bytes;
    out->history_steps = tarn_play_steps_back(play);
    out->bodies = tarn_bodies_count(tarn_world_bodies(play->world));
    out->solids = tarn_solids_count(tarn_world_solids(play->world));
    out->solvers = tarn_world_count(play->world, NULL);
    out->emitters = tarn_world_emitter_count(play->world);
    out->flags = c->flags;
    tarn_world_ledger(play->world, &out->ledger, NULL, 0);
}

// ---- Words -----------------------------------------------------------------------------------------------------

static void say_limit(Text* t, const TarnStepLimit* l)
{
    if (l->what == NULL) return;
    text_add(t, "Limited the %s of %s to %.4g %s to keep the state finite", l->what, l->solver,
             (double)l->limit, l->unit);
    if (l->index >= 0)
        text_add(t, ", at (%.4g, %.4g, %.4g) m", (double)l->position.x, (double)l->position.y,
                 (double)l->position.z);
    text_add(t, l->parameter ? "; the limit is %s\n" : "\n", l->parameter);
}

const char* tarn_play_words(TarnPlay* play)
{
    Text* t = &play->words;
    const Clock* c = &play->clock;
    const TarnStepReport* r = &c->flagged;
    text_clear(t);
    if (play->world == NULL) return "";
    if (c->flags & TARN_STEP_TIME_CUT)
        text_add(t, "A step could not advance by all of its time; change %s\n",
                 r->time_limit ? r->time_limit : "max_substeps");
    if (c->flags & TARN_STEP_CLAMPED) say_limit(t, &r->limited);
    if (c->flags & TARN_STEP_NOT_CONVERGED) text_add(t, "A solve stopped before it converged\n");
    if (c->flags & TARN_STEP_CAPACITY_FULL)
        text_add(t, "Something could not be added because a pool was full\n");
    if (c->flags & TARN_STEP_COMPRESSED)
        text_add(t,
                 "A liquid is compressed by more than 10 %%; raise its pressure or sound_speed\n");
    if (!c->is_paused && c->real > 0.2 && c->simulated < 0.93 * c->real)
        text_add(
            t,
            "This machine runs the scene at %.0f %% of the wanted speed; the rest of the time is "
            "dropped\n",
            100.0 * c->simulated / c->real);
    if (t->size > 0) t->data[--t->size] = '\0'; // the last line end
    return text_of(t);
}

// ---- Graphs ------------------------------------------------------------------------------------------------------

static int unroll(const Graph* g, const float* ring, float out[TARN_PLAY_GRAPH])
{
    int first = (g->next - g->n + TARN_PLAY_GRAPH) % TARN_PLAY_GRAPH;
    for (int i = 0; i < g->n; ++i) out[i] = ring[(first + i) % TARN_PLAY_GRAPH];
    return g->n;
}

int tarn_play_graph_step(const TarnPlay* play, float out[TARN_PLAY_GRAPH])
{
    return unroll(&play->graph, play->graph.step, out);
}
int tarn_play_graph_phase(const TarnPlay* play, int phase, float out[TARN_PLAY_GRAPH])
{
    if (phase < 0 || phase >= TARN_PHASES) return 0;
    return unroll(&play->graph, play->graph.phase[phase], out);
}
int tarn_play_graph_worker(const TarnPlay* play, int worker, float out[TARN_PLAY_GRAPH])
{
    if (worker < 0 || worker >= tarn_context_workers(play->ctx)) return 0;
    return unroll(&play->graph, play->graph.worker[worker], out);
}

// ---- Stats -------------------------------------------------------------------------------------------------------

int tarn_play_stat_count(const TarnPlay* play)
{
    int n = 0;
    void* solver;
    for (int i = 0; play->world && (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
        n += tarn_world_class_of(play->world, solver)->n_stats;
    return n;
}

bool tarn_play_stat_at(TarnPlay* play, int n, TarnPlayStat* out)
{
    void* solver;
    *out = (TarnPlayStat){ 0 };
    for (int i = 0; play->world && (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
        if (n >= of->n_stats) {
            n -= of->n_stats;
            continue;
        }
        if (n < 0) return false;
        text_clear(&play->value_text);
        text_add(&play->value_text, "%s.%s", tarn_world_name_of(play->world, solver),
                 of->stats[n].name);
        *out = (TarnPlayStat){ text_of(&play->value_text), of->stats[n].unit, of->stats[n].help,
                               of->stats[n].value(solver) };
        return true;
    }
    return false;
}

// ---- The command line ----------------------------------------------------------------------------------------------

// A word of a shell: in quotes if it needs them.
static void add_word(Text* t, const char* word)
{
    bool is_plain = word[0] != '\0';
    for (const char* c = word; *c; ++c)
        is_plain = is_plain && (strchr("_-./,:=+@%", *c) || (*c >= '0' && *c <= '9') ||
                                (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'));
    if (is_plain) {
        text_add(t, " %s", word);
        return;
    }
    text_add(t, " '");
    for (const char* c = word; *c; ++c) text_add(t, *c == '\'' ? "'\\''" : "%c", *c);
    text_add(t, "'");
}

const char* tarn_play_command(TarnPlay* play)
{
    Text* t = &play->command;
    const Params* p = &play->params;
    text_clear(t);
    if (play->world == NULL) return "tarn view";
    text_add(t, "tarn view");
    add_word(t, play->path ? play->path : play->name);
    for (int i = 0; i < p->n_overrides; ++i) {
        char set[512];
        snprintf(set, sizeof set, "%s=%s", p->overrides[i].path, p->overrides[i].value);
        text_add(t, " --set");
        add_word(t, set);
    }
    const char* camera = tarn_play_camera(play);
    if (camera[0]) text_add(t, " --camera=%s", camera);
    double now = tarn_world_time(play->world);
    if (now > 0.0) text_add(t, " --at %.6g", now);
    return text_of(t);
}

// ---- Families ------------------------------------------------------------------------------------------------------

typedef struct Kinds {
    int n;         // solvers with a look of their own
    uint32_t bits; // FAMILY_*
} Kinds;
enum {
    FAMILY_WAVES = 1,
    FAMILY_FLOWING = 2,
    FAMILY_FLAT = 4,
    FAMILY_LIQUID = 8,
    FAMILY_GAS = 16,
    FAMILY_PARTICLES = 32,
    FAMILY_OTHER = 64
};

static uint32_t family_of_class(const TarnSolverClass* of, const void* def)
{
    const TarnParam* dimensions = tarn_param_find(of->def_table(), "dimensions");
    if (of->phase == TARN_PHASE_EFFECTS) return 0;
    if (dimensions) return tarn__param_get(dimensions, def, 0) < 2.5 ? FAMILY_FLAT : FAMILY_LIQUID;
    if (of->surface)
        return of->emitters >> TARN_EMITTER_SOURCE & 1u ? FAMILY_FLOWING : FAMILY_WAVES;
    if (of->flow) return FAMILY_GAS;
    return of->phase == TARN_PHASE_PARTICLES ? FAMILY_PARTICLES : FAMILY_OTHER;
}

typedef struct FamilySearch {
    TarnContext* ctx;
    uint32_t bits;
} FamilySearch;

static void note_family(const char* path, const TarnParamTable* table, const void* values,
                        void* user)
{
    FamilySearch* f = user;
    const TarnSolverClass* of;
    (void)path;
    for (int i = 0; (of = tarn_solver_class_at(f->ctx, i)) != NULL; ++i)
        if (table == of->def_table()) f->bits |= family_of_class(of, values);
}

static const char* family_name(uint32_t bits)
{
    static const struct {
        uint32_t bit;
        const char* name;
    } names[] = {
        { FAMILY_WAVES, "Waves" },         { FAMILY_FLOWING, "Flowing water" },
        { FAMILY_FLAT, "Liquids in 2-D" }, { FAMILY_LIQUID, "Liquids in 3-D" },
        { FAMILY_GAS, "Smoke and fire" },  { FAMILY_PARTICLES, "Particles" },
    };
    uint32_t main = bits & ~(uint32_t)FAMILY_PARTICLES; // particles decorate everything else
    if (main == 0) main = bits;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (main == names[i].bit) return names[i].name;
    return main & (main - 1) ? "Several together" : "More";
}

const char* tarn_play_family_of(TarnPlay* play, const char* text)
{
    FamilySearch search = { .ctx = play->ctx };
    SceneVisitor visitor = { .visit = note_family, .user = &search };
    TarnScene* scene = NULL;
    play_clear_error(play);
    if (tarn__scene_create(play->ctx, text, strlen(text), "scene",
                           play->folder ? play->folder : ".", NULL, 0, &visitor, &scene) != TARN_OK)
        return play_fail_library(play), "";
    tarn_scene_destroy(scene);
    return family_name(search.bits);
}

const char* tarn_play_title_of(TarnPlay* play, const char* text)
{
    TarnJsonDoc doc = { 0 };
    text_clear(&play->title);
    if (tarn__json_parse(play->ctx, "scene", text, strlen(text), &doc) == TARN_OK) {
        const TarnJson* title = tarn__json_get(doc.root, "title");
        if (title && title->type == TARN_JSON_STRING) text_add(&play->title, "%s", title->string);
        tarn__json_free(play->ctx, &doc);
    }
    return text_of(&play->title);
}
