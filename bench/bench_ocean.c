// The open sea: one frame of one cascade and of four with five fields, all fields with foam, queries.

#include "bench/bench.h"
#include "ocean/ocean_internal.h"
#include <stdlib.h>

static void step(void* data)
{
    tarn_ocean_step(data, 1.0f / 60.0f, NULL);
}

static TarnOcean* make(TarnContext* ctx, const TarnOceanDef* def)
{
    TarnOcean* ocean;
    if (tarn_ocean_create(ctx, def, &ocean) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
        exit(1);
    }
    return ocean;
}

static void bench_frame(BenchRun* run, const char* name, const TarnOceanDef* def)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)def->size * def->size * def->cascades;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        TarnContext* ctx = bench_context(workers);
        TarnOcean* ocean = make(ctx, def);
        bench_rate(run, name, workers, bench_best(run->is_quick ? 20 : 300, step, ocean), cells,
                   "cell", (double)tarn_ocean_memory(def) / cells, 0.0);
        int fields = 5 + (def->use_foam ? 3 : 0) + (def->use_velocity ? 3 : 0);
        bench_note(run, "%d cascades, %d fields", def->cascades, fields);
        tarn_ocean_destroy(ocean);
        tarn_context_destroy(ctx);
    }
}

void bench_ocean(BenchRun* run)
{
    TarnOceanDef def = tarn_ocean_default_def();
    def.cascades = 1;
    def.use_foam = def.use_velocity = false;
    bench_frame(run, "ocean.frame.256", &def);
    def.cascades = 4;
    bench_frame(run, "ocean.cascades.256", &def);
    def.use_foam = def.use_velocity = true;
    bench_frame(run, "ocean.all_fields.256", &def);
    def.cascades = 1, def.size = 1024, def.use_foam = def.use_velocity = false;
    bench_frame(run, "ocean.frame.1024", &def);
    if (bench_wants(run, "ocean.query")) {
        TarnContext* ctx = bench_context(1);
        def = tarn_ocean_default_def();
        TarnOcean* ocean = make(ctx, &def);
        bench_queries(run, "ocean.query", tarn_ocean_surface(ocean), 200.0f);
        double cells = (double)def.size * def.size * def.cascades;
        bench_note(run, "%d cascades of %d, %.1f bytes/cell", def.cascades, def.size,
                   (double)tarn_ocean_memory(&def) / cells);
        tarn_ocean_destroy(ocean);
        tarn_context_destroy(ctx);
    }
}
