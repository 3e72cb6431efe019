// The summary of a run, from the stats of the solvers.

#include "summary.h"
#include "message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Solvers -------------------------------------------------------------------------------------

// " volume 0.2 m^3," at the end of a text of a given size.
static void add_stat(char* text, size_t size, const TarnStat* stat, const void* solver)
{
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s %s %.4g%s%s", n > 0 ? "," : "", stat->name,
             stat->value(solver), stat->unit[0] != '\0' ? " " : "", stat->unit);
}

// "pond (wave)", or "wave" where the name is the kind's.
static const char* title(char* text, size_t size, const TarnWorld* world, const void* solver)
{
    const char *name = tarn_world_name_of(world, solver),
               *kind = tarn_world_class_of(world, solver)->name;
    bool is_plain = strcmp(name, kind) == 0;
    snprintf(text, size, is_plain ? "%s" : "%s (%s)", name, kind);
    return text;
}

void summary_solvers(const TarnWorld* world)
{
    const void* solver;
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n) {
        const TarnSolverClass* of = tarn_world_class_of(world, solver);
        char name[128], text[1024] = "";
        for (int s = 0; s < of->n_stats; ++s) add_stat(text, sizeof text, &of->stats[s], solver);
        if (of->n_stats > 0) say("%s:%s", title(name, sizeof name, world, solver), text);
    }
}

// ---- Liquid --------------------------------------------------------------------------------------

void summary_ledger(const TarnWorld* world, bool is_wanted)
{
    TarnLedger all;
    tarn_world_ledger(world, &all, NULL, 0);
    if (all.n < 2 && !is_wanted) return;
    if (all.n == 0) {
        say("ledger: no solver of this scene holds liquid");
        return;
    }
    TarnLedgerEntry* entries = malloc((size_t)all.n * sizeof *entries);
    if (entries == NULL) {
        say("not enough memory for the ledger of %d solvers", all.n);
        return;
    }
    tarn_world_ledger(world, &all, entries, all.n);
    for (int i = 0; i < all.n; ++i) {
        const TarnLedgerEntry* e = &entries[i];
        say("ledger: %s holds %.6g m^3: %.6g in, %.6g out, %.6g from and %.6g to other solvers; "
            "error %.2g%s",
            e->name, e->held, e->brought, e->taken, e->got, e->given, e->error,
            e->is_exact ? ", exact" : "");
    }
    say("ledger: in total %.6g m^3, and %.6g m^3 in transit: %.6g in, %.6g out; error %.2g m^3",
        all.held, all.transit, all.brought, all.taken, all.error);
    free(entries);
}

// ---- Phases --------------------------------------------------------------------------------------

void summary_phases(const Steps* steps)
{
    double n = steps->done > 0 ? (double)steps->done : 1.0;
    for (int p = 0; p < TARN_PHASES; ++p) {
        if (!(steps->phase_ms[p] > 5e-4 * n)) continue; // nothing to see in three digits
        say("phase %-9s  %8.3f ms per step, %4.1f %%", tarn_phase_name((TarnPhase)p),
            steps->phase_ms[p] / n, 0.1 * steps->phase_ms[p] / steps->clock);
    }
}

// ---- Budget --------------------------------------------------------------------------------------

void summary_budget(const TarnWorld* world)
{
    const TarnBudget* b = tarn_world_budget(world);
    if (b == NULL) return;
    say("budget: %.3g ms of %.3g ms, setting %d (grid level %d, update every %d, %.0f %% of the "
        "particles), %d change%s",
        (double)b->mean_ms, (double)b->target_ms, b->setting, b->level, b->update_every,
        100.0 * (double)b->emission, b->changes, b->changes == 1 ? "" : "s");
}
