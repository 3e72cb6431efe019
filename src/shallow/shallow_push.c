// Pushing shallow water, and pouring into it: what tarn/surface.h asks of a water.
//
// Volumes are whole grains of depth, so that what one disc loses the other gains to the last one. Columns
// have no momentum upwards: of an impulse the vertical part is not taken.

#include "base/maths.h"
#include "base/surface.h"
#include "grid/disc.h"
#include "shallow/shallow_internal.h"
#include <math.h>

static DiscField field_of(TarnShallow* water)
{
    return (DiscField){ .h = water->h,
                        .nx = water->def.nx,
                        .nz = water->def.nz,
                        .stride = water->stride,
                        .dx = water->def.dx,
                        .origin = tarn_shallow_origin(water),
                        .grain = water->grain,
                        .full = tarn_minf(0x1p24f * water->grain, shallow_limit) };
}

// After the depths of a disc have changed.
static void note_depths(TarnShallow* water, const Disc* d)
{
    if (!(d->weight > 0.0)) return;
    float highest = water->edited.h;
    for (int k = d->k0; k < d->k1; ++k) {
        const float* h = &water->h[shallow_cell(water, 0, k)];
        for (int i = d->i0; i < d->i1; ++i) highest = tarn_maxf(highest, h[i]);
    }
    water->edited.h = highest;
    tarn__shallow_touch(water, d->i0, d->i1, d->k0, d->k1);
}

// ---- Impulse -------------------------------------------------------------------------------------

// Mass of the water around the face at -x, or at -z, of a cell [kg]; 0 where nothing can flow.
static double face_mass(const TarnShallow* water, int i, int k, bool is_z)
{
    if ((is_z ? k : i) == 0) return 0.0; // the edges' own
    size_t c = shallow_cell(water, i, k), before = c - (is_z ? (size_t)water->stride : 1);
    if (!(water->h[c] > water->dry_depth && water->h[before] > water->dry_depth)) return 0.0;
    double area = (double)water->def.dx * (double)water->def.dx;
    return 0.5 * (double)water->params.density * area * (double)(water->h[c] + water->h[before]);
}

// Adds gain times the bump to the speeds [m/s]; returns the momentum that this gave [N s].
static double speed_up(TarnShallow* water, const Disc* d, bool is_z, double gain)
{
    float limit = water->params.max_speed, *u = is_z ? water->w : water->u;
    float* least = is_z ? &water->edited.w_min : &water->edited.u_min;
    float* most = is_z ? &water->edited.w_max : &water->edited.u_max;
    double momentum = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            double mass = face_mass(water, i, k, is_z);
            if (!(mass > 0.0)) continue;
            float* here = &u[shallow_cell(water, i, k)];
            float was = *here, more = (float)(gain * (double)disc_bump(d, i, k));
            *here = tarn_clampf(was + more, -limit, limit);
            *least = tarn_minf(*least, *here);
            *most = tarn_maxf(*most, *here);
            momentum += mass * ((double)*here - (double)was);
        }
    }
    return momentum;
}

static TarnVec3 push_speed(TarnShallow* water, const Disc* d, TarnVec3 impulse)
{
    TarnVec3 taken = { 0.0f, 0.0f, 0.0f };
    if (impulse.x == 0.0f && impulse.z == 0.0f) return taken;
    for (int axis = 0; axis < 2; ++axis) {
        bool is_z = axis == 1;
        double mass = 0.0, want = is_z ? (double)impulse.z : (double)impulse.x;
        for (int k = d->k0; k < d->k1; ++k) {
            for (int i = d->i0; i < d->i1; ++i)
                mass += (double)disc_bump(d, i, k) * face_mass(water, i, k, is_z);
        }
        if (!(mass > 0.0) || want == 0.0) continue;
        *(is_z ? &taken.z : &taken.x) = (float)speed_up(water, d, is_z, want / mass);
    }
    if (d->weight > 0.0) tarn__shallow_touch(water, d->i0, d->i1, d->k0, d->k1);
    return taken;
}

// Momentum of the water in the disc and around it [N s].
static TarnVec3 momentum_of(const TarnShallow* water, const Disc* d)
{
    double sum[2] = { 0.0, 0.0 };
    for (int k = d->k0; k <= d->k1 && k < water->def.nz; ++k) { // with the faces beyond its cells
        for (int i = d->i0; i <= d->i1 && i < water->def.nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            sum[0] += face_mass(water, i, k, false) * (double)water->u[c];
            sum[1] += face_mass(water, i, k, true) * (double)water->w[c];
        }
    }
    return (TarnVec3){ (float)sum[0], 0.0f, (float)sum[1] };
}

// ---- The plug ------------------------------------------------------------------------------------

bool tarn__shallow_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnShallow* water = self;
    *min = tarn_shallow_origin(water);
    max->x = min->x + (float)water->def.nx * water->def.dx;
    max->y = min->y + (float)water->def.nz * water->def.dx;
    return true;
}

TarnResult tarn__shallow_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    TarnShallow* water = self;
    TARN_TRY(tarn__surface_check_push(water->ctx, push));
    DiscField field = field_of(water);
    Disc to = tarn__disc(&field, push->center, push->radius);
    Disc from = tarn__disc(&field, push->from, push->from_radius);
    double area = (double)field.dx * (double)field.dx, sum = (double)push->volume / area;
    bool is_back = push->volume < 0.0f;
    double moved =
        tarn__disc_move(&field, is_back ? &to : &from, is_back ? &from : &to, is_back ? -sum : sum);
    if (moved > 0.0) {
        note_depths(water, &to);
        note_depths(water, &from);
    }
    taken->volume = is_back ? -moved * area : moved * area;
    taken->impulse = push_speed(water, &to, push->impulse);
    return TARN_OK;
}

// Deeper water at the same speed has gained momentum; what comes in brings its own instead. Water that
// goes out takes its own along.
TarnResult tarn__shallow_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    TarnShallow* water = self;
    TARN_TRY(tarn__surface_check_pour(water->ctx, pour));
    DiscField field = field_of(water);
    Disc disc = tarn__disc(&field, pour->center, pour->radius);
    if (!(disc.weight > 0.0)) return TARN_OK;
    double area = (double)field.dx * (double)field.dx;
    TarnVec3 before = momentum_of(water, &disc);
    double given = tarn__disc_pour(&field, &disc, (double)pour->volume / area, 1.0f);
    TarnVec3 change = vec3_sub(momentum_of(water, &disc), before);
    note_depths(water, &disc);
    water->sums.sources += given;
    taken->volume = given * area;
    taken->impulse = change;
    if (!(pour->volume > 0.0f)) return TARN_OK;
    float share = (float)(taken->volume / (double)pour->volume);
    TarnVec3 rest = vec3_sub(vec3_scale(pour->impulse, share), change);
    taken->impulse = vec3_add(change, push_speed(water, &disc, rest));
    return TARN_OK;
}
