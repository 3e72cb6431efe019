// Where a board can ride: a little inside of the place where a sheet ends in the middle of its line.

#include "breakers/breakers_internal.h"

static const float inside = 1.8f; // of the barrel, in heights of the wave
enum { LEAST_LEFT = 6 };          // points between a curl and the end of its line

static float apart(const LinePoint* p, float x, float z)
{
    return vec3_length((TarnVec3){ p->x - x, 0.0f, p->z - z });
}

// The sheet is there on one side of a curl and not yet on the other.
static void look_along(const TarnBreakers* b, const Line* l, TarnVec3 near, float* nearest,
                       TarnCurl* out)
{
    const LinePoint* p = b->points + l->first;
    int n = l->n;
    for (int i = 0; i + 1 < n; ++i) {
        bool is_here = p[i].strength > 0.5f, is_next = p[i + 1].strength > 0.5f;
        if (is_here == is_next) continue;
        int side = is_here ? 1 : -1, j = is_here ? i : i + 1; // breaking goes on towards `side`
        if ((side > 0 && n - 1 - i < LEAST_LEFT) || (side < 0 && i < LEAST_LEFT)) continue;
        float way = 0.0f;
        while (j - side >= 0 && j - side < n && way < inside * p[j].height) {
            way += apart(&p[j], p[j - side].x, p[j - side].z);
            j -= side;
        }
        const LinePoint* at = &p[j];
        float distance = apart(at, near.x, near.z);
        if (!(distance < *nearest)) continue;
        float along = (float)side * b->params.spread; // lines run along (-dir_z, dir_x)
        *nearest = distance;
        *out = (TarnCurl){ .position = { at->x, at->y, at->z },
                           .velocity = { at->dir_x * at->speed - at->dir_z * along, 0.0f,
                                         at->dir_z * at->speed + at->dir_x * along },
                           .direction = { at->dir_x, at->dir_z },
                           .height = at->height,
                           .slope = at->slope,
                           .distance = distance };
    }
}

bool tarn_breakers_curl(const TarnBreakers* b, TarnVec3 near, float reach, TarnCurl* out)
{
    if (out == NULL) return false;
    *out = (TarnCurl){ .distance = reach };
    if (b == NULL) return false;
    float nearest = reach;
    for (int l = 0; l < b->n_lines; ++l) look_along(b, &b->lines[l], near, &nearest, out);
    return nearest < reach;
}
