// A camera in its plain form, from matrices of a host.
//
// A perspective camera with its eye anywhere, off-center, turned in the picture or mirrored is a plain one after
// its axes are turned and its eye is moved. What is left over (shear, unequal scales, no picture at all) is
// refused: distances in the view must be those of the world, or a particle is no sphere.

#include "mesh/screen_mesh_internal.h"

static const double shear_limit = 1e-3; // of right angles and equal lengths

typedef struct Row3 {
    double x, y, z;
} Row3;

static double dot(Row3 a, Row3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static Row3 scaled(Row3 a, double s)
{
    return (Row3){ a.x * s, a.y * s, a.z * s };
}
static Row3 plus(Row3 a, Row3 b)
{
    return (Row3){ a.x + b.x, a.y + b.y, a.z + b.z };
}
static Row3 row_of(const float* m, int r)
{
    return (Row3){ (double)m[r], (double)m[r + 4], (double)m[r + 8] };
}
static TarnVec3 rounded(Row3 a)
{
    return (TarnVec3){ (float)a.x, (float)a.y, (float)a.z };
}

static TarnResult refuse(TarnContext* ctx, const char* matrix, const char* why)
{
    return tarn__fail(ctx, TARN_ERR_ARG, "screen_mesh: camera.%s %s", matrix, why);
}

static TarnResult check_numbers(TarnContext* ctx, const TarnScreenCamera* camera)
{
    for (int i = 0; i < 32; ++i) {
        float value = i < 16 ? camera->view[i] : camera->projection[i - 16];
        if (fabsf(value) <= 1e9f) continue;
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "screen_mesh: camera.%s[%d]: %g is out of range; allowed: +-1e9",
                          i < 16 ? "view" : "projection", i % 16, (double)value);
    }
    return TARN_OK;
}

// Axes of the view, which have the length `scale`, and the eye in the world.
typedef struct Frame {
    Row3 axis[3], shift; // unit; in axes, divided by scale
    double scale;
} Frame;

static TarnResult read_view(TarnContext* ctx, const float* m, Frame* out)
{
    double length[3];
    if (m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f)
        return refuse(ctx, "view", "must have the last row 0 0 0 1");
    for (int a = 0; a < 3; ++a) {
        out->axis[a] = row_of(m, a);
        length[a] = sqrt(dot(out->axis[a], out->axis[a]));
        if (!(length[a] > 1e-9)) return refuse(ctx, "view", "has an axis of length 0");
        out->axis[a] = scaled(out->axis[a], 1.0 / length[a]);
    }
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        bool is_even = fabs(length[a] / length[b] - 1.0) < shear_limit;
        if (!is_even || !(fabs(dot(out->axis[a], out->axis[b])) < shear_limit))
            return refuse(ctx, "view", "must only rotate, translate and scale uniformly");
    }
    out->scale = length[0];
    out->shift = scaled((Row3){ (double)m[12], (double)m[13], (double)m[14] }, 1.0 / out->scale);
    return TARN_OK;
}

// Of ndc = (a . (x, y) + b z + c) / (w z + v), z along -z of the view: two rows of the projection.
typedef struct Lens {
    double ax[2], ay[2], b[2], c[2], w, v;
} Lens;

static TarnResult read_lens(TarnContext* ctx, const float* m, double scale, Lens* out)
{
    if (m[3] != 0.0f || m[7] != 0.0f)
        return refuse(ctx, "projection", "must have a last row that begins with 0 0");
    for (int r = 0; r < 2; ++r) {
        Row3 row = scaled(row_of(m, r), scale);
        out->ax[r] = row.x, out->ay[r] = row.y, out->b[r] = -row.z, out->c[r] = (double)m[r + 12];
    }
    out->w = -(double)m[11] * scale, out->v = (double)m[15];
    bool is_flat = out->w == 0.0;
    if (is_flat ? !(out->v > 1e-9) : !(out->w > 1e-9))
        return refuse(ctx, "projection",
                      "must look along -z: its last row is 0 0 -1 0, or 0 0 0 1 if orthographic");
    for (int r = 0; r < 2; ++r) {
        double n = sqrt(out->ax[r] * out->ax[r] + out->ay[r] * out->ay[r]);
        if (!(n > 1e-9)) return refuse(ctx, "projection", "has no width or no height");
        if (is_flat && !(fabs(out->b[r]) < shear_limit * n))
            return refuse(ctx, "projection", "is orthographic and must not shear");
    }
    return TARN_OK;
}

TarnResult tarn__screen_view(TarnContext* ctx, const TarnScreenCamera* camera, int spacing,
                             ScreenView* out)
{
    Frame f = { 0 };
    Lens lens = { 0 };
    TARN_TRY(check_numbers(ctx, camera));
    TARN_TRY(read_view(ctx, camera->view, &f));
    TARN_TRY(read_lens(ctx, camera->projection, f.scale, &lens));
    bool is_flat = lens.w == 0.0;
    double divide = is_flat ? lens.v : lens.w, length[2];
    Row3 right_up[2];
    // The eye, in axes of the view: where w is 0, and what lies there is not moved sideways either.
    double eye_z = is_flat ? 0.0 : -lens.v / lens.w, inverse[2][2];
    for (int r = 0; r < 2; ++r) {
        length[r] = sqrt(lens.ax[r] * lens.ax[r] + lens.ay[r] * lens.ay[r]);
        double x = lens.ax[r] / length[r], y = lens.ay[r] / length[r];
        right_up[r] = plus(scaled(f.axis[0], x), scaled(f.axis[1], y));
        inverse[r][0] = x, inverse[r][1] = y;
    }
    if (!(fabs(dot(right_up[0], right_up[1])) < shear_limit))
        return refuse(ctx, "projection", "must not shear the picture");
    Row3 eye = { 0.0, 0.0, -eye_z };
    for (int r = 0; r < 2 && !is_flat; ++r) {
        double side = -(lens.c[r] + lens.b[r] * eye_z) / length[r];
        eye.x += inverse[r][0] * side, eye.y += inverse[r][1] * side;
    }
    eye = plus(eye, scaled(f.shift, -1.0));
    Row3 world =
        plus(plus(scaled(f.axis[0], eye.x), scaled(f.axis[1], eye.y)), scaled(f.axis[2], eye.z));
    Row3 ahead = scaled(f.axis[2], -1.0), cross = { 0.0, 0.0, 0.0 };
    Row3 a = right_up[0], b = right_up[1];
    cross = (Row3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    double half[2] = { 0.5 * camera->width / spacing, 0.5 * camera->height / spacing };
    double at[2];
    for (int r = 0; r < 2; ++r) at[r] = (is_flat ? lens.c[r] : lens.b[r]) / divide;
    *out = (ScreenView){ .right = rounded(a),
                         .up = rounded(b),
                         .ahead = rounded(ahead),
                         .eye = rounded(world),
                         .scale_x = (float)(half[0] * length[0] / divide),
                         .scale_y = (float)(half[1] * length[1] / divide),
                         .center_x = (float)(half[0] * (1.0 + at[0])),
                         .center_y = (float)(half[1] * (1.0 + at[1])),
                         .is_perspective = !is_flat,
                         .is_mirrored = dot(cross, ahead) > 0.0 };
    bool is_sane = out->scale_x < 1e9f && out->scale_y < 1e9f && out->scale_x > 1e-9f &&
                   out->scale_y > 1e-9f && fabsf(out->center_x) < 1e6f &&
                   fabsf(out->center_y) < 1e6f;
    return is_sane
               ? TARN_OK
               : refuse(ctx, "projection", "maps to a picture that is out of the range of floats");
}
