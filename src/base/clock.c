// The clock, in this one file: times go to reports and never into results.

#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "base/base.h"
#include <time.h>

double tarn__clock_ms(const TarnContext* ctx)
{
    struct timespec now;
    if (!ctx->def.measure_phases || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0.0;
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

void tarn__report_phase(const TarnContext* ctx, TarnStepReport* report, TarnPhase phase,
                        double* since)
{
    if (!ctx->def.measure_phases) return;
    double now = tarn__clock_ms(ctx);
    if (report != NULL) report->phase_ms[phase] += (float)(now - *since);
    *since = now;
}

const char* tarn_phase_name(TarnPhase phase)
{
    static const char* const names[TARN_PHASES] = { "emitters", "drivers",   "solids", "wind",
                                                    "liquids",  "handover",  "waters", "gases",
                                                    "effects",  "particles", "bodies" };
    return (unsigned)phase < TARN_PHASES ? names[phase] : "unknown";
}
