// CSV: time, the stats of each solver, bodies. Floats have enough digits to be read back exactly.

#include "csv.h"
#include <inttypes.h>

static void stat_names(FILE* out, const TarnWorld* world, const void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    for (int s = 0; s < of->n_stats; ++s)
        fprintf(out, ",%s_%s", tarn_world_name_of(world, solver), of->stats[s].name);
}

void csv_header(FILE* out, TarnWorld* world)
{
    const void* solver;
    fputs("time", out);
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        stat_names(out, world, solver);
    fputs(",tiles_awake,substeps,flags", out);
    int n = tarn_bodies_count(tarn_world_bodies(world));
    for (int b = 0; b < n; ++b) {
        fprintf(out, ",body%d_x,body%d_y,body%d_z,body%d_vx,body%d_vy,body%d_vz,body%d_submerged",
                b, b, b, b, b, b, b);
    }
    fputc('\n', out);
}

static void stat_values(FILE* out, const TarnSolverClass* of, const void* solver)
{
    for (int s = 0; s < of->n_stats; ++s) fprintf(out, ",%.12g", of->stats[s].value(solver));
}

static void body_columns(FILE* out, const TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState state;
    TarnBodyForce force;
    tarn_bodies_get_state(bodies, id, &state);
    tarn_bodies_get_force(bodies, id, &force);
    TarnVec3 x = state.position, v = state.velocity;
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", x.x, x.y, x.z, v.x, v.y, v.z,
            force.submerged_volume);
}

void csv_row(FILE* out, TarnWorld* world, const TarnStepReport* report)
{
    const void* solver;
    fprintf(out, "%.12g", tarn_world_time(world));
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        stat_values(out, tarn_world_class_of(world, solver), solver);
    fprintf(out, ",%d,%d,%" PRIu32, report->tiles_awake, report->substeps, report->flags);
    const TarnBodies* bodies = tarn_world_bodies(world);
    int n = tarn_bodies_count(bodies);
    for (int b = 0; b < n; ++b) body_columns(out, bodies, tarn_bodies_at(bodies, b));
    fputc('\n', out);
}
