// Vectors and 4x4 matrices of the renderer. Column-major, as GL wants them.
#pragma once

#include "tarn/base.h"
#include <math.h>

typedef struct Mat4 {
    float m[16];
} Mat4;

static inline TarnVec3 vec3(float x, float y, float z)
{
    return (TarnVec3){ x, y, z };
}
static inline TarnVec3 vec3_add(TarnVec3 a, TarnVec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline TarnVec3 vec3_sub(TarnVec3 a, TarnVec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline TarnVec3 vec3_scale(TarnVec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}
static inline float vec3_dot(TarnVec3 a, TarnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline TarnVec3 vec3_cross(TarnVec3 a, TarnVec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float vec3_length(TarnVec3 a)
{
    return sqrtf(vec3_dot(a, a));
}
static inline TarnVec3 vec3_unit(TarnVec3 a) // (0, 1, 0) for a zero vector
{
    float l = vec3_length(a);
    return l > 0.0f ? vec3_scale(a, 1.0f / l) : vec3(0.0f, 1.0f, 0.0f);
}
static inline bool vec3_is_equal(TarnVec3 a, TarnVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool vec3_is_finite(TarnVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline float clampf(float x, float lo, float hi) // lo for a NaN: it may become an index
{
    return x > lo ? (x < hi ? x : hi) : lo;
}
static inline float lerpf(float a, float b, float t)
{
    return a + (b - a) * t;
}
static inline float smoothf(float lo, float hi, float x)
{
    float t = clampf((x - lo) / (hi - lo), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
static inline int mini(int a, int b)
{
    return a < b ? a : b;
}
static inline int maxi(int a, int b)
{
    return a > b ? a : b;
}

static inline Mat4 mat4_identity(void)
{
    return (Mat4){ { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
}

static inline Mat4 mat4_mul(const Mat4* a, const Mat4* b)
{
    Mat4 r;
    for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 4; ++i) {
            float s = 0.0f;
            for (int k = 0; k < 4; ++k) s += a->m[k * 4 + i] * b->m[c * 4 + k];
            r.m[c * 4 + i] = s;
        }
    return r;
}

// Right-handed, looking along -z of the view.
static inline Mat4 mat4_look_at(TarnVec3 eye, TarnVec3 target)
{
    TarnVec3 f = vec3_unit(vec3_sub(target, eye));
    TarnVec3 up = fabsf(f.y) > 0.9995f ? vec3(0, 0, -1) : vec3(0, 1, 0);
    TarnVec3 s = vec3_unit(vec3_cross(f, up));
    TarnVec3 u = vec3_cross(s, f);
    return (Mat4){ { s.x, u.x, -f.x, 0, s.y, u.y, -f.y, 0, s.z, u.z, -f.z, 0, -vec3_dot(s, eye),
                     -vec3_dot(u, eye), vec3_dot(f, eye), 1 } };
}

static inline Mat4 mat4_perspective(float fov, float aspect, float near, float far)
{
    float f = 1.0f / tanf(0.5f * fov);
    Mat4 r = { { 0 } };
    r.m[0] = f / aspect;
    r.m[5] = f;
    r.m[10] = (far + near) / (near - far);
    r.m[11] = -1.0f;
    r.m[14] = 2.0f * far * near / (near - far);
    return r;
}

// Mirror at the plane y = level.
static inline Mat4 mat4_mirror_y(float level)
{
    Mat4 r = mat4_identity();
    r.m[5] = -1.0f;
    r.m[13] = 2.0f * level;
    return r;
}

static inline Mat4 mat4_pose(TarnVec3 p, TarnQuat q)
{
    float n = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    float s = n > 0.0f ? 1.0f / n : 0.0f;
    float x = q.x * s, y = q.y * s, z = q.z * s, w = n > 0.0f ? q.w * s : 1.0f;
    return (Mat4){ { 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
                     2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
                     2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, p.x, p.y,
                     p.z, 1 } };
}

// By elimination with pivots.
static inline Mat4 mat4_inverse(const Mat4* a)
{
    double m[4][8];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            m[i][j] = a->m[j * 4 + i];
            m[i][4 + j] = i == j;
        }
    for (int c = 0; c < 4; ++c) {
        int best = c;
        for (int i = c + 1; i < 4; ++i)
            if (fabs(m[i][c]) > fabs(m[best][c])) best = i;
        for (int j = 0; j < 8; ++j) {
            double t = m[c][j];
            m[c][j] = m[best][j];
            m[best][j] = t;
        }
        double scale = m[c][c] != 0.0 ? 1.0 / m[c][c] : 0.0;
        for (int j = 0; j < 8; ++j) m[c][j] *= scale;
        for (int i = 0; i < 4; ++i) {
            double k = m[i][c];
            for (int j = 0; j < 8 && i != c; ++j) m[i][j] -= k * m[c][j];
        }
    }
    Mat4 r;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) r.m[j * 4 + i] = (float)m[i][4 + j];
    return r;
}
