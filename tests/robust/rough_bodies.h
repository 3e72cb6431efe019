// Bodies for storms, in any water: every shape, from a millimeter to a kilometer, thrown anywhere.
#pragma once

#include "tests/unit/test_common.h"
#include "bodies/bodies.h"

// A tilted egg, wider than it is long.
static bool egg(float x, float z, TarnVec3 position, TarnQuat rotation, float* lo, float* hi,
                void* user)
{
    float r = *(const float*)user, dx = x - position.x, dz = z - position.z;
    float rest = 1.0f - (dx * dx + dz * dz) / (r * r);
    if (!(rest > 0.0f)) return false;
    float half = 0.5f * r * sqrtf(rest), tilt = 0.2f * rotation.x * dx;
    *lo = position.y + tilt - half;
    *hi = position.y + tilt + half;
    return *hi > *lo;
}

enum { SHAPES = 5, SIZES = 8 };
static float sizes[SIZES] = { 0.3f, 1e-3f, 0.01f, 0.05f, 0.2f, 1.0f, 30.0f, 1000.0f };

static TarnShape make_shape(int kind, int size)
{
    static TarnVec3 points[SIZES][6];
    float r = sizes[size];
    // A hull must be thick enough to have a volume.
    float h = r < 2e-3f ? 2e-3f : 0.5f * r;
    TarnVec3* p = points[size];
    for (int n = 0; n < 6; ++n) p[n] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    p[0].x = h, p[1].x = -h, p[2].y = 0.7f * h, p[3].y = -h, p[4].z = h, p[5].z = -0.9f * h;
    TarnShape span = { .kind = TARN_SHAPE_SPAN, .span = egg, .user = &sizes[size] };
    span.radius = r;
    span.volume = fmaxf(2.0f * r * r * r, 1e-9f);
    switch (kind) {
    case 0:
        return tarn_shape_sphere(r);
    case 1:
        return tarn_shape_box(r, fmaxf(0.4f * r, 1e-3f), fmaxf(0.7f * r, 1e-3f));
    case 2:
        return tarn_shape_capsule(fmaxf(0.4f * r, 1e-3f), fmaxf(0.6f * r, 1e-3f));
    case 3:
        return tarn_shape_hull(p, 6);
    default:
        return span;
    }
}

// Where bodies are thrown, more often than not; else reach times as far, and up and down as well.
typedef struct Arena {
    float x, z;           // its middle [m]
    float half_x, half_z; // [m]
    float low, high;      // y [m]
    float reach;
    float speed; // of a calm throw [m/s]
} Arena;

static void throw_body(TarnBodies* bodies, TarnBodyId id, const Arena* at)
{
    TarnBodyState s;
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    bool is_far = pick(6) == 0;
    float reach = is_far ? at->reach : 1.0f, speed = pick(3) ? at->speed : 990.0f / 1.7321f;
    s.position.x = at->x + uniform(-at->half_x, at->half_x) * reach;
    s.position.y = is_far ? uniform(-9e3f, 9e3f) : uniform(at->low, at->high);
    s.position.z = at->z + uniform(-at->half_z, at->half_z) * reach;
    s.velocity =
        (TarnVec3){ uniform(-speed, speed), uniform(-speed, speed), uniform(-speed, speed) };
    float spin = pick(3) ? 3.0f : 50.0f;
    s.angular_velocity =
        (TarnVec3){ uniform(-spin, spin), uniform(-spin, spin), uniform(-spin, spin) };
    s.rotation = (TarnQuat){ uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), 0.5f };
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
}

static void assert_finite_bodies(const TarnBodies* bodies)
{
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        TarnBodyForce f;
        TarnBodyId id = tarn_bodies_at(bodies, n);
        assert_ok(tarn_bodies_get_state(bodies, id, &s));
        assert_ok(tarn_bodies_get_force(bodies, id, &f));
        bool is_finite = tarn__is_finite3(s.position) && tarn__is_finite3(s.velocity) &&
                         tarn__is_finite3(s.angular_velocity) && tarn__is_finite3(f.force) &&
                         tarn__is_finite3(f.torque) && tarn__is_finite(f.submerged_volume);
        if (!is_finite) {
            print_error("body %d: force %g %g %g, torque %g %g %g\n", n, (double)f.force.x,
                        (double)f.force.y, (double)f.force.z, (double)f.torque.x,
                        (double)f.torque.y, (double)f.torque.z);
        }
        assert_true(is_finite);
    }
}
