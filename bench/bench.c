// What all benchmarks share: clock, filter, table and JSON.

#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool bench_wants(const BenchRun* run, const char* name)
{
    if (run->skip != NULL && strstr(name, run->skip) != NULL) return false;
    return run->filter == NULL || strstr(name, run->filter) != NULL;
}

void bench_add(BenchRun* run, BenchRow row)
{
    if (run->n_rows < (int)(sizeof run->rows / sizeof run->rows[0])) run->rows[run->n_rows++] = row;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%-40s %d workers %8.3f ms\033[K", row.name, row.workers, row.ms);
}

double bench_best(int repeats, void (*fn)(void* data), void* data)
{
    const int enough = 10; // calls, when they take long
    const double long_run = 4.0;
    fn(data);
    double best = 1e30, first = bench_seconds();
    for (int r = 0; r < repeats; ++r) {
        double start = bench_seconds();
        if (r >= enough && start - first > long_run) break;
        fn(data);
        double took = bench_seconds() - start;
        if (took < best) best = took;
    }
    return best;
}

TarnContext* bench_context(int workers)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers;
    TarnContext* ctx;
    if (tarn_context_create(&def, &ctx) != TARN_OK) {
        fprintf(stderr, "tarn: bench: cannot create a context with %d workers\n", workers);
        exit(1);
    }
    return ctx;
}

void bench_rate(BenchRun* run, const char* name, int workers, double seconds, double elements,
                const char* unit, double held_bytes, double roofline_bytes)
{
    double gbs = roofline_bytes > 0.0 ? bench_bandwidth(run, workers) : -1.0;
    double bound = roofline_bytes > 0.0 ? 1e9 * gbs / roofline_bytes : 0.0;
    BenchRow row = { .workers = workers,
                     .ms = 1e3 * seconds,
                     .rate = elements / seconds,
                     .unit = unit,
                     .bytes_per_element = held_bytes,
                     .bandwidth_gbs = gbs,
                     .roofline = bound > 0.0 ? elements / seconds / bound : -1.0 };
    snprintf(row.name, sizeof row.name, "%s", name);
    bench_add(run, row);
}

void bench_note(BenchRun* run, const char* format, ...)
{
    if (run->n_rows == 0) return;
    BenchRow* row = &run->rows[run->n_rows - 1];
    va_list args;
    va_start(args, format);
    vsnprintf(row->note, sizeof row->note, format, args);
    va_end(args);
}

static void print_number(FILE* out, const char* key, double value, bool is_known)
{
    if (is_known)
        fprintf(out, ", \"%s\": %.6g", key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void print_json(const BenchRun* run, FILE* out)
{
    fprintf(out, "[\n");
    for (int r = 0; r < run->n_rows; ++r) {
        const BenchRow* row = &run->rows[r];
        fprintf(out, "  {\"name\": \"%s\", \"workers\": %d", row->name, row->workers);
        print_number(out, "ms", row->ms, true);
        print_number(out, "rate", row->rate, true);
        fprintf(out, ", \"unit\": \"%s\"", row->unit);
        print_number(out, "bytes_per_element", row->bytes_per_element,
                     row->bytes_per_element >= 0.0);
        print_number(out, "roofline", row->roofline, row->roofline >= 0.0);
        print_number(out, "bandwidth_gbs", row->bandwidth_gbs, row->bandwidth_gbs >= 0.0);
        if (row->note[0] != '\0') fprintf(out, ", \"note\": \"%s\"", row->note);
        fprintf(out, "}%s\n", r + 1 < run->n_rows ? "," : "");
    }
    fprintf(out, "]\n");
}

static void print_table(const BenchRun* run, FILE* out)
{
    fprintf(out, "%-29s %7s %10s %17s %12s %9s %10s\n", "name", "workers", "ms", "million/s",
            "bytes/each", "roofline", "GB/s best");
    for (int r = 0; r < run->n_rows; ++r) {
        const BenchRow* row = &run->rows[r];
        char roofline[16] = "", bytes[16] = "", gbs[16] = "";
        if (row->roofline >= 0.0)
            snprintf(roofline, sizeof roofline, "%.1f %%", 100.0 * row->roofline);
        if (row->bytes_per_element >= 0.0)
            snprintf(bytes, sizeof bytes, "%.2f", row->bytes_per_element);
        if (row->bandwidth_gbs >= 0.0) snprintf(gbs, sizeof gbs, "%.1f", row->bandwidth_gbs);
        fprintf(out, "%-29s %7d %10.4f %8.1f %-8s %12s %9s %10s%s%s\n", row->name, row->workers,
                row->ms, 1e-6 * row->rate, row->unit, bytes, roofline, gbs,
                row->note[0] != '\0' ? "  " : "", row->note);
    }
}

int bench_run(const char* filter, const char* skip, bool is_json, int threads, bool is_quick,
              FILE* out)
{
    BenchRun* run = calloc(1, sizeof *run);
    if (run == NULL) return 1;
    run->filter = filter;
    run->skip = skip;
    run->max_workers = threads > 0 ? threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    run->is_quick = is_quick;
#define BENCH_CALL(name) bench_##name(run);
    BENCH_PARTS(BENCH_CALL)
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    int code = 0;
    if (run->n_rows == 0) {
        fprintf(stderr, "tarn: bench: no benchmark matches '%s'%s; `tarn bench` prints all names\n",
                filter ? filter : "", skip ? " after --skip" : "");
        code = 2;
    } else if (is_json) {
        print_json(run, out);
    } else {
        print_table(run, out);
    }
    free(run);
    return code;
}
