// `tarn bench liquid --compare`: the six methods of particle liquids on one scene, side by side.
//
// A block of 1 x 1 m of liquid at the left wall of a box of 3 x 2 m, 1600 particles in 2-D, steps of 1/60 s,
// one worker, eight seconds. Height lost: of the mean height after these, against a level pool of the same
// volume. Energy kept: potential and kinetic after one second, when the wave has hit the wall and falls
// back, against the first.

#include "bench/bench.h"
#include <stdlib.h>

typedef struct Compared {
    double ms;                // per simulated second
    double mean, max;         // compression, the worst of all frames
    double height_lost, kept; // shares
} Compared;

static const char* const used_for[] = {
    "games, by default: calm and cheap", "accurate: waves, whirls, jets", "accurate; as dfsph",
    "impacts and sound; no iterations",  "soft, springy liquids",         "droplets and goo",
};

static double mean_height(const TarnLiquid* liquid)
{
    TarnLiquidView view = tarn_liquid_view(liquid);
    double sum = 0.0;
    for (int p = 0; p < view.n; ++p) sum += (double)view.y[p];
    return view.n > 0 ? sum / view.n : 0.0;
}

static double energy(const TarnLiquid* liquid)
{
    double mass = tarn_liquid_view(liquid).n * (double)tarn_liquid_particle_mass(liquid, 0);
    return mass * 9.81 * mean_height(liquid) + tarn_liquid_stats(liquid).kinetic_energy;
}

static Compared run_method(int method, int frames)
{
    TarnContext* ctx = bench_context(1);
    TarnLiquidDef def = tarn_liquid_default_def();
    def.method = method;
    def.spacing = 0.025f;
    def.max_particles = 1700;
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 3.0f, 2.0f, 0.0f };
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between(def.box_min, (TarnVec3){ 1.0f, 1.0f, 0.0f }, &fill.pose.position);
    TarnLiquid* liquid;
    int n = 0;
    if (tarn_liquid_create(ctx, &def, &liquid) != TARN_OK ||
        tarn_liquid_fill(liquid, &fill, &n) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
        exit(1);
    }
    TarnLiquidParams params = tarn_liquid_params(liquid);
    params.max_substeps = 1000;
    tarn_liquid_set_params(liquid, &params);
    Compared c = { 0 };
    double first = energy(liquid), seconds = 0.0;
    for (int f = 0; f < frames; ++f) {
        double start = bench_seconds();
        tarn_liquid_step(liquid, 1.0f / 60.0f, NULL);
        seconds += bench_seconds() - start;
        TarnLiquidStats stats = tarn_liquid_stats(liquid);
        if (stats.mean_compression > c.mean) c.mean = stats.mean_compression;
        if (stats.max_compression > c.max) c.max = stats.max_compression;
        if (f == 59) c.kept = energy(liquid) / first;
    }
    c.ms = 1e3 * seconds * 60.0 / frames;
    double level = 0.5 * n * (double)def.spacing * (double)def.spacing / 3.0;
    c.height_lost = 1.0 - mean_height(liquid) / level;
    tarn_liquid_destroy(liquid);
    tarn_context_destroy(ctx);
    return c;
}

int bench_compare_liquids(FILE* out)
{
    fprintf(out,
            "| method | ms per second | compression, mean | at worst | height lost | energy kept "
            "| for |\n|---|---|---|---|---|---|---|\n");
    const TarnParam* names = tarn_param_find(tarn_liquid_def_table(), "method");
    for (int m = TARN_LIQUID_CONSTRAINT; m <= TARN_LIQUID_LENNARD_JONES; ++m) {
        Compared c = run_method(m, 480);
        fprintf(out, "| `%s` | %.0f | %.2f %% | %.0f %% | %.1f %% | %.0f %% | %s |\n",
                names->names[m], c.ms, 100.0 * c.mean, 100.0 * c.max, 100.0 * c.height_lost,
                100.0 * c.kept, used_for[m]);
        fflush(out);
    }
    return 0;
}
