// Pushing the water of the pipes, and pouring into it: what tarn/surface.h asks of a water.
//
// Volumes are whole grains, so that what one disc loses the other gains to the last one. An impulse goes
// into the flow through the faces: q [m^2/s] of water of density rho has the momentum rho q dx^2. Columns
// have none upwards: of an impulse the vertical part is not taken.

#include "base/maths.h"
#include "base/surface.h"
#include "grid/disc.h"
#include "waves/pipes_internal.h"

static const double density = 1000.0;  // of the water that gives and takes impulse [kg/m^3]
static const float max_speed = 100.0f; // that an impulse gives the water [m/s]

static DiscField field_of(TarnPipes* pipes)
{
    return (DiscField){ .h = pipes->d,
                        .nx = pipes->def.nx,
                        .nz = pipes->def.nz,
                        .stride = pipes->stride,
                        .dx = pipes->def.dx,
                        .origin = pipes->def.origin,
                        .grain = pipes->grain,
                        .full = 0x1p24f * pipes->grain };
}

static float deepest_in(const TarnPipes* pipes, const Disc* d)
{
    float most = 0.0f;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i)
            most = tarn_maxf(most, pipes->d[pipes_cell(pipes, i, k)]);
    }
    return most;
}

// The deepest water of all after a change where the deepest was `before`; the whole grid is looked at only
// if that was the one.
static void find_deepest(TarnPipes* pipes, float before, float after)
{
    if (before >= pipes->deepest && after < before)
        tarn__pipes_find_deepest(pipes);
    else
        pipes->deepest = tarn_maxf(pipes->deepest, after);
}

// ---- Impulse -------------------------------------------------------------------------------------

// Depth around the face at -x, or at -z, of a cell [m]; 0 where nothing can flow.
static float face_depth(const TarnPipes* pipes, int i, int k, bool is_z)
{
    if ((is_z ? k : i) == 0) return 0.0f; // the edges' own
    size_t c = pipes_cell(pipes, i, k), before = c - (is_z ? (size_t)pipes->stride : 1);
    bool is_wet = pipes->d[c] > 0.0f && pipes->d[before] > 0.0f;
    return is_wet ? 0.5f * (pipes->d[c] + pipes->d[before]) : 0.0f;
}

static double push_faces(TarnPipes* pipes, const Disc* d, bool is_z, double impulse)
{
    float* q = is_z ? pipes->fz : pipes->fx;
    double weight = 0.0, sum = 0.0, area = (double)pipes->def.dx * (double)pipes->def.dx;
    for (int pass = 0; pass < 2; ++pass) { // weigh, then add
        if (pass == 1 && !(weight > 0.0)) return 0.0;
        double gain = pass == 1 ? impulse / (density * area * weight) : 0.0; // [m^2/s]
        for (int k = d->k0; k < d->k1; ++k) {
            for (int i = d->i0; i < d->i1; ++i) {
                float h = face_depth(pipes, i, k, is_z), part = disc_bump(d, i, k);
                if (!(h > 0.0f) || !(part > 0.0f)) continue;
                weight += pass == 0 ? (double)part : 0.0;
                if (pass == 0) continue;
                float* here = &q[pipes_cell(pipes, i, k)];
                float was = *here, most = tarn_maxf(fabsf(was), max_speed * h);
                *here = tarn_clampf((float)((double)was + gain * (double)part), -most, most);
                sum += density * area * ((double)*here - (double)was);
            }
        }
    }
    return sum;
}

static TarnVec3 push_flow(TarnPipes* pipes, const Disc* d, TarnVec3 impulse)
{
    TarnVec3 taken = { 0.0f, 0.0f, 0.0f };
    if (impulse.x != 0.0f) taken.x = (float)push_faces(pipes, d, false, (double)impulse.x);
    if (impulse.z != 0.0f) taken.z = (float)push_faces(pipes, d, true, (double)impulse.z);
    return taken;
}

// ---- The plug ------------------------------------------------------------------------------------

bool tarn__pipes_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnPipes* pipes = self;
    *min = pipes->def.origin;
    max->x = min->x + (float)pipes->def.nx * pipes->def.dx;
    max->y = min->y + (float)pipes->def.nz * pipes->def.dx;
    return true;
}

TarnResult tarn__pipes_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    TarnPipes* pipes = self;
    TARN_TRY(tarn__surface_check_push(pipes->ctx, push));
    DiscField field = field_of(pipes);
    Disc to = tarn__disc(&field, push->center, push->radius);
    Disc from = tarn__disc(&field, push->from, push->from_radius);
    double area = (double)field.dx * (double)field.dx, sum = (double)push->volume / area;
    bool is_back = push->volume < 0.0f;
    float before = tarn_maxf(deepest_in(pipes, &to), deepest_in(pipes, &from));
    double moved =
        tarn__disc_move(&field, is_back ? &to : &from, is_back ? &from : &to, is_back ? -sum : sum);
    find_deepest(pipes, before, tarn_maxf(deepest_in(pipes, &to), deepest_in(pipes, &from)));
    taken->volume = is_back ? -moved * area : moved * area;
    taken->impulse = push_flow(pipes, &to, push->impulse);
    return TARN_OK;
}

// Water that goes out takes its own flow along: the share of it that goes in the middle of the disc, less
// towards the rim. Returns what the flow through the faces gained, a loss [N s].
static double drain_faces(TarnPipes* pipes, const Disc* d, bool is_z, double share)
{
    float* q = is_z ? pipes->fz : pipes->fx;
    double sum = 0.0, area = (double)pipes->def.dx * (double)pipes->def.dx;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            if (!(face_depth(pipes, i, k, is_z) > 0.0f)) continue;
            float* here = &q[pipes_cell(pipes, i, k)];
            float lost = (float)(share * (double)disc_bump(d, i, k)) * *here;
            *here -= lost;
            sum -= density * area * (double)lost;
        }
    }
    return sum;
}

// Share of the water in the middle of the disc that an amount, summed over its cells [m], is.
static double share_of(const TarnPipes* pipes, const Disc* d, double sum)
{
    double held = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i)
            held += (double)disc_bump(d, i, k) * (double)pipes->d[pipes_cell(pipes, i, k)];
    }
    return held > sum ? sum / held : 1.0;
}

TarnResult tarn__pipes_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    TarnPipes* pipes = self;
    TARN_TRY(tarn__surface_check_pour(pipes->ctx, pour));
    DiscField field = field_of(pipes);
    Disc disc = tarn__disc(&field, pour->center, pour->radius);
    if (!(disc.weight > 0.0)) return TARN_OK;
    double area = (double)field.dx * (double)field.dx, sum = (double)pour->volume / area;
    double share = sum < 0.0 ? share_of(pipes, &disc, -sum) : 0.0;
    float before = deepest_in(pipes, &disc);
    double given = tarn__disc_pour(&field, &disc, sum, 1.0f);
    find_deepest(pipes, before, deepest_in(pipes, &disc));
    pipes->sources += (int64_t)(given * (double)pipes->per_grain);
    taken->volume = given * area;
    if (sum < 0.0) {
        taken->impulse.x = (float)drain_faces(pipes, &disc, false, share);
        taken->impulse.z = (float)drain_faces(pipes, &disc, true, share);
    } else if (sum > 0.0) {
        taken->impulse = push_flow(pipes, &disc, vec3_scale(pour->impulse, (float)(given / sum)));
    }
    return TARN_OK;
}
