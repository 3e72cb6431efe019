// tarn bench: how fast this machine runs every solver.

#include "bench/bench.h"
#include "options.h"

typedef struct BenchOptions {
    bool is_json, is_quick, is_compare;
    const char* skip;
    int threads;
} BenchOptions;

static const Option options[] = {
    { "json", 0, OPTION_FLAG, offsetof(BenchOptions, is_json), NULL, 0, 0, NULL, "print JSON" },
    { "threads", 0, OPTION_INT, offsetof(BenchOptions, threads), "N", 1, TARN_MAX_WORKERS, NULL,
      "number of worker threads; default: one per core" },
    { "quick", 0, OPTION_FLAG, offsetof(BenchOptions, is_quick), NULL, 0, 0, NULL,
      "do fewer and shorter runs, for a first look" },
    { "compare", 0, OPTION_FLAG, offsetof(BenchOptions, is_compare), NULL, 0, 0, NULL,
      "with FILTER liquid: print all methods of liquids on one scene, side by side" },
    { "skip", 0, OPTION_TEXT, offsetof(BenchOptions, skip), "PART", 0, 0, NULL,
      "skip benchmarks whose name contains PART" },
};

static int start(const Command* command, int argc, char** argv)
{
    BenchOptions o = { 0 };
    const char* filter = NULL;
    ParseResult parsed = parse_options(command, argc, argv, &o, &filter);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (o.is_compare) return bench_compare_liquids(stdout);
    return bench_run(filter, o.skip, o.is_json, o.threads, o.is_quick, stdout);
}

const Command bench_command = {
    .name = "bench",
    .arguments = "[FILTER] [options]",
    .summary = "Measures the speed of every solver, and the memory bandwidth of this machine.",
    .details = "With FILTER, only benchmarks whose name contains FILTER are run.\n"
               "\n"
               "examples:\n"
               "  tarn bench --quick\n"
               "  tarn bench wave --threads 1 --json > wave.json\n"
               "  tarn bench liquid --skip .rest\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_arguments = 1,
    .start = start,
};
