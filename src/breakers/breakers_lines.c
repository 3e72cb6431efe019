// Lines: tracked by bisection along the gradient, resampled, cut where a front has broken down, joined where two meet.

#include "breakers/breakers_internal.h"
#include <math.h>

// ---- Searching along the direction of a point --------------------------------------------------------

// What is searched for, at an offset t [m]: the steepest place ahead by t; the crest behind by t; the foot ahead by t.
// Crest and foot end where the surface is flatter than this share of the slope of a breaking wave: a plateau behind a
// bore has a crest, and a broad wave one near its front.
typedef enum Aim { AIM_STEEPEST, AIM_CREST, AIM_FOOT } Aim;
static const float flat = 0.35f;

static void put(TarnBreakers* b, int slot, const LinePoint* p, float t)
{
    b->ask_x[slot] = p->x + t * p->dir_x;
    b->ask_z[slot] = p->z + t * p->dir_z;
}

// Asks for what a point needs at an offset; returns the next slot: two heights for a slope.
static int put_try(TarnBreakers* b, int slot, const LinePoint* p, float t, Aim aim)
{
    if (aim == AIM_STEEPEST) {
        put(b, slot, p, t - b->def.dx);
        put(b, slot + 1, p, t + b->def.dx);
        return slot + 2;
    }
    put(b, slot, p, aim == AIM_CREST ? -tarn_maxf(t, 0.0f) : tarn_maxf(t, 0.0f));
    return slot + 1;
}

static float score(const TarnBreakers* b, int slot, float t, Aim aim)
{
    const float* y = b->ask_y + slot;
    if (aim == AIM_STEEPEST) return y[0] - y[1];
    float way = flat * b->params.slope * tarn_maxf(t, 0.0f);
    return (aim == AIM_CREST ? y[0] : -y[0]) - way;
}

static float offset(const TarnBreakers* b, int i, int m) // of try m = 0, 1, 2 of a point
{
    return b->try_at[i] + (float)(m - 1) * b->try_step[i];
}

// Goes on from three known scores; those that the next turn needs are kept, the others become unknown.
static void choose(TarnBreakers* b, int i, Aim aim)
{
    Tries* s = &b->tries[i];
    if (s->score[0] > s->score[1] && s->score[0] >= s->score[2]) {
        b->try_at[i] -= b->try_step[i];
        *s = (Tries){ { 0.0f, s->score[0], s->score[1] }, TRY_1 | TRY_2 };
    } else if (s->score[2] > s->score[1]) {
        b->try_at[i] += b->try_step[i];
        *s = (Tries){ { s->score[1], s->score[2], 0.0f }, TRY_0 | TRY_1 };
    } else {
        b->try_step[i] *= 0.5f;
        s->known = TRY_1;
    }
    if (aim != AIM_STEEPEST && b->try_at[i] < 0.0f) b->try_at[i] = 0.0f, s->known = 0;
}

// D.4: bisection. Of three offsets the best one is taken; if that is the middle one, the step is halved. Only points
// whose depth is 0 if is_fresh.
static void climb(TarnBreakers* b, Aim aim, int iterations, bool is_fresh)
{
    for (int i = 0; i < b->n_points; ++i) b->tries[i].known = 0;
    for (int turn = 0; turn < iterations; ++turn) {
        int n = 0, slot = 0;
        for (int i = 0; i < b->n_points; ++i) {
            const LinePoint* p = &b->points[i];
            if (is_fresh && p->depth != 0.0f) continue;
            for (int m = 0; m < 3; ++m)
                if (!(b->tries[i].known & TRY_0 << m)) n = put_try(b, n, p, offset(b, i, m), aim);
        }
        if (n > 0) tarn__breakers_ask(b, n, false, false);
        for (int i = 0; i < b->n_points; ++i) {
            if (is_fresh && b->points[i].depth != 0.0f) continue;
            for (int m = 0; m < 3; ++m) {
                if (b->tries[i].known & TRY_0 << m) continue;
                b->tries[i].score[m] = score(b, slot, offset(b, i, m), aim);
                slot += aim == AIM_STEEPEST ? 2 : 1;
            }
            choose(b, i, aim);
        }
    }
}

static void climb_from(TarnBreakers* b, Aim aim, int iterations, bool is_fresh)
{
    float dx = b->def.dx;
    for (int i = 0; i < b->n_points; ++i) {
        const LinePoint* p = &b->points[i];
        b->try_at[i] = aim == AIM_CREST ? p->back : p->ahead;
        b->try_step[i] = is_fresh ? dx : 0.5f * dx;
    }
    climb(b, aim, iterations, is_fresh);
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        if (is_fresh && p->depth != 0.0f) continue;
        float* to = aim == AIM_CREST ? &p->back : &p->ahead;
        float t = tarn_clampf(b->try_at[i], 0.5f * dx, 24.0f * dx);
        *to = is_fresh ? t : *to + 0.5f * (t - *to); // it must not jump from wiggle to wiggle
    }
}

// Turns a direction by a share towards a vector of any length.
static void turn(LinePoint* p, float to_x, float to_z, float share)
{
    float length = sqrtf(to_x * to_x + to_z * to_z);
    if (!(length > 1e-6f)) return;
    float x = p->dir_x + share * (to_x / length - p->dir_x);
    float z = p->dir_z + share * (to_z / length - p->dir_z);
    length = sqrtf(x * x + z * z);
    if (length > 0.1f) p->dir_x = x / length, p->dir_z = z / length;
}

// ---- What the water is like there ----------------------------------------------------------------------

// Slope, heights, depth and direction of all points, from the places that were found.
static void read_points(TarnBreakers* b, bool is_fresh)
{
    int n = 0;
    for (int i = 0; i < b->n_points; ++i) {
        const LinePoint* p = &b->points[i];
        if (is_fresh && p->depth != 0.0f) continue;
        put(b, n++, p, 0.0f);
        put(b, n++, p, -p->back);
        put(b, n++, p, p->ahead);
        put(b, n++, p, -b->def.dx);
        put(b, n++, p, b->def.dx);
    }
    if (n > 0) tarn__breakers_ask(b, n, true, is_fresh);
    n = 0;
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        if (is_fresh && p->depth != 0.0f) continue;
        const float *y = b->ask_y + n, *deep = b->ask_d + n;
        TarnVec3 normal = is_fresh ? b->ask_n[n] : (TarnVec3){ 0.0f, 1.0f, 0.0f };
        n += 5;
        float was = p->crest_y;
        p->y = y[0];
        p->crest_y = is_fresh ? y[1] : was + 0.6f * (y[1] - was);
        p->height = tarn_maxf(y[1] - y[2], 0.0f);
        p->depth = tarn_maxf(deep[1], 1e-3f);
        p->slope = (y[3] - y[4]) / (2.0f * b->def.dx);
        float steep = sqrtf(normal.x * normal.x + normal.z * normal.z);
        if (steep > 0.05f) turn(p, normal.x, normal.z, 1.0f); // normals point down the front
    }
}

static float wave_speed(const TarnBreakers* b, const LinePoint* p)
{
    return sqrtf(b->def.gravity * p->depth);
}

void tarn__breakers_settle(TarnBreakers* b)
{
    for (int i = 0; i < b->n_points; ++i) b->try_at[i] = 0.0f, b->try_step[i] = 0.5f * b->def.dx;
    climb(b, AIM_STEEPEST, 5, true);
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        float t = tarn_clampf(b->try_at[i], -2.0f * b->def.dx, 2.0f * b->def.dx);
        if (p->depth == 0.0f) p->x += t * p->dir_x, p->z += t * p->dir_z;
    }
    climb_from(b, AIM_CREST, 10, true);
    climb_from(b, AIM_FOOT, 10, true);
    for (int i = 0; i < b->n_points; ++i) b->is_dead[i] = b->points[i].depth == 0.0f;
    read_points(b, true);
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        if (b->is_dead[i] && p->speed == 0.0f) p->speed = wave_speed(b, p);
    }
}

// Draws what a sheet is made from towards the means of the neighbors: a sheet whose nodes fly at different speeds folds.
static void even_out(TarnBreakers* b)
{
    const size_t fields[] = { offsetof(LinePoint, speed), offsetof(LinePoint, height),
                              offsetof(LinePoint, back), offsetof(LinePoint, crest_y) };
    for (int m = 0; m < b->n_lines; ++m) {
        const Line* l = &b->lines[m];
        char* p = (char*)(b->points + l->first);
        float* mean = b->try_at + l->first;
        for (int f = 0; f < 4; ++f) {
#define VALUE(i) (*(float*)(void*)(p + (size_t)(i) * sizeof(LinePoint) + fields[f]))
            for (int i = 0; i < l->n; ++i) {
                int before = i > 0 ? i - 1 : l->is_closed ? l->n - 1 : i;
                int after = i < l->n - 1 ? i + 1 : l->is_closed ? 0 : i;
                mean[i] = 0.5f * (VALUE(before) + VALUE(after));
            }
            for (int i = 0; i < l->n; ++i) VALUE(i) += 0.5f * (mean[i] - VALUE(i));
#undef VALUE
        }
    }
}

// ---- Tracking ------------------------------------------------------------------------------------------

static bool is_in_grid(const TarnBreakers* b, const LinePoint* p)
{
    float x = (p->x - b->def.origin.x) / b->def.dx, z = (p->z - b->def.origin.y) / b->def.dx;
    return x >= 1.0f && x <= (float)(b->def.nx - 1) && z >= 1.0f && z <= (float)(b->def.nz - 1);
}

// Moves the points towards the means of their neighbors, along their directions only, and turns these towards the normal
// of the line: that of the surface depends on how a front lies on the cells.
static void smooth(TarnBreakers* b)
{
    for (int m = 0; m < b->n_lines; ++m) {
        const Line* l = &b->lines[m];
        LinePoint* p = b->points + l->first;
        float* shift = b->try_at + l->first;
        for (int i = 0; i < l->n; ++i) {
            int before = i > 0 ? i - 1 : l->is_closed ? l->n - 1 : i;
            int after = i < l->n - 1 ? i + 1 : l->is_closed ? 0 : i;
            bool is_end = before == i || after == i;
            float x = 0.5f * (p[before].x + p[after].x) - p[i].x;
            float z = 0.5f * (p[before].z + p[after].z) - p[i].z;
            shift[i] = is_end ? 0.0f : 0.3f * (x * p[i].dir_x + z * p[i].dir_z);
        }
        float most = 0.25f * b->def.dx;
        for (int i = 0; i < l->n; ++i) {
            float s = tarn_clampf(shift[i], -most, most);
            p[i].x += s * p[i].dir_x, p[i].z += s * p[i].dir_z;
        }
        for (int i = 0; i < l->n; ++i) {
            int before = i > 1 ? i - 2 : l->is_closed ? (i + l->n - 2) % l->n : 0;
            int after = i < l->n - 2 ? i + 2 : l->is_closed ? (i + 2) % l->n : l->n - 1;
            turn(&p[i], p[after].z - p[before].z, p[before].x - p[after].x, 0.25f);
        }
    }
}

void tarn__breakers_track(TarnBreakers* b, float dt)
{
    float dx = b->def.dx;
    const TarnBreakersParams* q = &b->params;
    if (b->n_points == 0) return;
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        float way = p->speed * dt;
        p->x += way * p->dir_x, p->z += way * p->dir_z; // where it should be by now
        b->try_at[i] = 0.0f;
        b->try_step[i] = tarn_clampf(wave_speed(b, p) * dt, 0.25f * dx, 2.0f * dx);
    }
    climb(b, AIM_STEEPEST, 3, false);
    for (int i = 0; i < b->n_points; ++i) {
        LinePoint* p = &b->points[i];
        float t = b->try_at[i], c = wave_speed(b, p), moved = p->speed * dt + t;
        p->x += t * p->dir_x, p->z += t * p->dir_z;
        b->is_dead[i] = fabsf(moved) > 2.0f * c * dt + dx || !is_in_grid(b, p);
        p->speed += (moved / dt - p->speed) * (dt / (dt + 0.3f));
        p->speed = tarn_clampf(p->speed, 0.0f, 2.5f * c);
    }
    smooth(b);
    climb_from(b, AIM_CREST, 1, false);
    climb_from(b, AIM_FOOT, 1, false);
    read_points(b, false);
    even_out(b);
    for (int i = 0; i < b->n_points; ++i) {
        const LinePoint* p = &b->points[i];
        bool is_alive = p->slope > 0.5f * q->slope && p->height > 0.5f * q->min_height &&
                        p->depth > q->min_depth && p->speed > 0.15f * wave_speed(b, p);
        if (!is_alive) b->is_dead[i] = 1;
    }
}

// ---- Resampling ----------------------------------------------------------------------------------------

static float apart(const LinePoint* p, const LinePoint* q)
{
    float x = p->x - q->x, z = p->z - q->z;
    return sqrtf(x * x + z * z);
}

static LinePoint average(const LinePoint* p, const LinePoint* q)
{
    LinePoint m = *p;
    float* to[] = { &m.x,       &m.z,        &m.y,     &m.back,  &m.ahead,
                    &m.crest_y, &m.height,   &m.depth, &m.speed, &m.slope,
                    &m.wait,    &m.strength, &m.arc,   &m.dir_x, &m.dir_z };
    const float from[] = { q->x,       q->z,        q->y,     q->back,  q->ahead,
                           q->crest_y, q->height,   q->depth, q->speed, q->slope,
                           q->wait,    q->strength, q->arc,   q->dir_x, q->dir_z };
    for (int i = 0; i < 15; ++i) *to[i] = 0.5f * (*to[i] + from[i]);
    float length = sqrtf(m.dir_x * m.dir_x + m.dir_z * m.dir_z);
    if (length > 0.1f)
        m.dir_x /= length, m.dir_z /= length;
    else
        m.dir_x = p->dir_x, m.dir_z = p->dir_z;
    return m;
}

static bool is_fresh_here(const TarnBreakers* b, const LinePoint* p, const LinePoint* q)
{
    return p->changed != b->emissions && q->changed != b->emissions;
}

// D.5: appends a run of points to the spare ones from *n on. Too close: one point instead of two; folded back: left
// out; too far: one in between. Each point once per emission.
static void resample_run(TarnBreakers* b, const LinePoint* p, int count, int* n)
{
    float dx = b->def.dx;
    int first = *n, room = b->def.max_points;
    for (int i = 0; i < count; ++i) {
        LinePoint next = p[i];
        LinePoint* last = *n > first ? &b->spare[*n - 1] : NULL;
        if (last && is_fresh_here(b, last, &next)) {
            float way = apart(last, &next);
            if (way < 0.5f * dx) {
                LinePoint one = average(last, &next);
                one.changed = b->emissions;
                *last = one; // with the key of the first
                continue;
            }
            const LinePoint* after = i + 1 < count ? &p[i + 1] : NULL;
            bool is_fold = after && (after->x - next.x) * (last->x - next.x) +
                                            (after->z - next.z) * (last->z - next.z) >
                                        0.0f;
            if (is_fold) {
                last->changed = b->emissions;
                continue;
            }
            if (way > 2.0f * dx && *n < room) {
                LinePoint one = average(last, &next);
                one.key = b->next_key++;
                one.changed = last->changed = next.changed = b->emissions;
                b->spare[(*n)++] = one;
            }
        }
        if (*n == room) {
            b->flags |= TARN_STEP_CAPACITY_FULL;
            return;
        }
        b->spare[(*n)++] = next;
    }
}

// The same between the last point of a loop and its first.
static void resample_seam(TarnBreakers* b, int first, int* n)
{
    LinePoint *start = &b->spare[first], *end = &b->spare[*n - 1];
    if (*n - first < 3 || !is_fresh_here(b, start, end)) return;
    float way = apart(end, start), dx = b->def.dx;
    if (way < 0.5f * dx) {
        *start = average(start, end);
        start->changed = b->emissions;
        --*n;
    } else if (way > 2.0f * dx && *n < b->def.max_points) {
        LinePoint one = average(end, start);
        one.arc = end->arc + 0.5f * way; // it goes on: the mean would jump back by half the loop
        one.key = b->next_key++;
        one.changed = start->changed = end->changed = b->emissions;
        b->spare[(*n)++] = one;
    }
}

// No two lines follow the same front: points in cells that an older line has taken are dropped.
static void drop_doubles(TarnBreakers* b)
{
    int nx = b->def.nx, nz = b->def.nz;
    for (int c = 0; c < nx * nz && b->n_lines > 1; ++c) b->owner[c] = 0;
    for (int m = 0; m < b->n_lines && b->n_lines > 1; ++m) {
        const Line* l = &b->lines[m];
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = l->first; i < l->first + l->n; ++i) {
                const LinePoint* p = &b->points[i];
                if (b->is_dead[i] || !is_in_grid(b, p)) continue;
                int ci = (int)((p->x - b->def.origin.x) / b->def.dx);
                int ck = (int)((p->z - b->def.origin.y) / b->def.dx);
                ci = ci < nx - 1 ? ci : nx - 2, ck = ck < nz - 1 ? ck : nz - 2;
                int c = ck * nx + ci;
                if (pass == 0) {
                    if (b->owner[c] != 0) b->is_dead[i] = 1;
                    continue;
                }
                b->owner[c] = b->owner[c - 1] = b->owner[c + 1] = m + 1;
                b->owner[c - nx] = b->owner[c + nx] = m + 1;
            }
        }
    }
}

enum { LEAST_POINTS = 3 };

// A run of points that are left of a line becomes a line.
static void add_run(TarnBreakers* b, const LinePoint* p, int count, const Line* of, bool is_closed,
                    int* n, int* n_lines)
{
    if (count < LEAST_POINTS || *n_lines == b->def.max_lines) return;
    int first = *n;
    resample_run(b, p, count, n);
    if (is_closed) resample_seam(b, first, n);
    if (*n - first < LEAST_POINTS) {
        *n = first;
        return;
    }
    bool is_new = *n_lines > 0 && b->spare_lines[*n_lines - 1].id == of->id;
    b->spare_lines[(*n_lines)++] =
        (Line){ first, *n - first, is_closed, is_new ? b->next_line++ : of->id };
}

static void cut_line(TarnBreakers* b, const Line* l, int* n, int* n_lines)
{
    LinePoint* p = b->points + l->first;
    const uint8_t* dead = b->is_dead + l->first;
    int n_dead = 0, start = 0;
    for (int i = 0; i < l->n; ++i) n_dead += dead[i];
    if (n_dead == 0) {
        add_run(b, p, l->n, l, l->is_closed, n, n_lines);
        return;
    }
    if (l->is_closed) { // it opens at a dead point: the points before it go behind the last
        while (!dead[start]) ++start;
    }
    int run = 0;
    for (int k = 0; k <= l->n; ++k) {
        int i = (start + k) % l->n;
        if (k < l->n && !dead[i]) {
            // Gathered beside the spare points, from their end.
            b->spare[b->def.max_points - l->n + run++] = p[i];
            continue;
        }
        if (run > 0 && *n + 2 * run <= b->def.max_points - l->n)
            add_run(b, b->spare + b->def.max_points - l->n, run, l, false, n, n_lines);
        run = 0;
    }
}

// ---- Joining -------------------------------------------------------------------------------------------

static bool can_join(const TarnBreakers* b, const LinePoint* end, const LinePoint* start)
{
    float gap = 1.25f * b->params.gap * b->def.dx, ax = start->x - end->x, az = start->z - end->z;
    bool is_parallel = end->dir_x * start->dir_x + end->dir_z * start->dir_z > 0.5f;
    // Lines run along (-dir_z, dir_x).
    bool is_ahead = -end->dir_z * ax + end->dir_x * az > 0.0f;
    return is_parallel && is_ahead && ax * ax + az * az < gap * gap;
}

static void close_loops(TarnBreakers* b)
{
    for (int m = 0; m < b->n_lines; ++m) {
        Line* l = &b->lines[m];
        if (l->is_closed || l->n < 8) continue;
        l->is_closed = can_join(b, &b->points[l->first + l->n - 1], &b->points[l->first]);
    }
}

// Line n behind line m; all others keep their order.
static void join(TarnBreakers* b, int m, int n)
{
    Line *one = &b->lines[m], *two = &b->lines[n];
    int k = 0, lines = 0;
    uint32_t id = one->id < two->id ? one->id : two->id;
    const LinePoint *end = &b->points[one->first + one->n - 1], *start = &b->points[two->first];
    float shift = end->arc + apart(end, start) - start->arc;
    for (int i = 0; i < b->n_lines; ++i) {
        if (i == n) continue;
        const Line* l = &b->lines[i];
        b->spare_lines[lines] = (Line){ k, l->n, l->is_closed, l->id };
        for (int j = 0; j < l->n; ++j) b->spare[k++] = b->points[l->first + j];
        if (i == m) {
            for (int j = 0; j < two->n; ++j) {
                b->spare[k] = b->points[two->first + j];
                if (b->spare[k].strength == 0.0f) b->spare[k].arc += shift; // no sheet shows it yet
                ++k;
            }
            b->spare_lines[lines].n += two->n;
            b->spare_lines[lines].id = id;
        }
        ++lines;
    }
    b->n_lines = lines;
    LinePoint* p = b->points;
    Line* l = b->lines;
    b->points = b->spare, b->spare = p;
    b->lines = b->spare_lines, b->spare_lines = l;
}

static bool join_two(TarnBreakers* b)
{
    for (int m = 0; m < b->n_lines; ++m) {
        for (int n = 0; n < b->n_lines; ++n) {
            const Line *one = &b->lines[m], *two = &b->lines[n];
            if (m == n || one->is_closed || two->is_closed) continue;
            if (!can_join(b, &b->points[one->first + one->n - 1], &b->points[two->first])) continue;
            join(b, m, n);
            return true;
        }
    }
    return false;
}

void tarn__breakers_resample(TarnBreakers* b)
{
    int n = 0, n_lines = 0;
    if (b->n_lines == 0) return;
    drop_doubles(b);
    for (int m = 0; m < b->n_lines; ++m) cut_line(b, &b->lines[m], &n, &n_lines);
    LinePoint* p = b->points;
    Line* l = b->lines;
    b->points = b->spare, b->spare = p, b->n_points = n;
    b->lines = b->spare_lines, b->spare_lines = l, b->n_lines = n_lines;
    while (join_two(b)) {}
    close_loops(b);
}

// ---- Strength ------------------------------------------------------------------------------------------

// Breaking spreads from point to point.
static void spread(TarnBreakers* b, const Line* l)
{
    LinePoint* p = b->points + l->first;
    int n = l->n, around = l->is_closed ? 2 * n : n;
    for (int side = 0; side < 2; ++side) {
        for (int k = 1; k < around; ++k) {
            int i = side ? (2 * n - 1 - k) % n : k % n;
            int from = side ? (i + 1) % n : (i + n - 1) % n;
            float wait = p[from].wait + apart(&p[i], &p[from]) / b->params.spread;
            p[i].wait = tarn_minf(p[i].wait, wait);
        }
    }
}

static float smoothstep(float x)
{
    x = tarn_clampf(x, 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// A sheet grows from nothing and goes back to nothing: by the time since it began, towards the ends of its line, where
// the front is hardly steep enough, and not faster than the ramp lets it.
void tarn__breakers_ramp(TarnBreakers* b, float dt)
{
    float ramp = tarn_maxf(b->params.ramp, 1e-3f), fastest = dt / (0.5f * ramp);
    for (int m = 0; m < b->n_lines; ++m) {
        const Line* l = &b->lines[m];
        spread(b, l);
        for (int i = 0; i < l->n; ++i) {
            LinePoint* p = &b->points[l->first + i];
            p->wait = tarn_maxf(p->wait - dt, -100.0f);
            int end = i < l->n - 1 - i ? i : l->n - 1 - i;
            float taper = l->is_closed ? 1.0f : smoothstep((float)end / 5.0f);
            float steep = smoothstep((p->slope / b->params.slope - 0.5f) / 0.4f);
            float high = b->params.min_height > 0.0f
                             ? smoothstep((p->height / b->params.min_height - 0.5f) / 0.5f)
                             : 1.0f;
            float want = smoothstep(-p->wait / ramp) * taper * steep * high;
            p->strength += tarn_clampf(want - p->strength, -fastest, fastest);
        }
    }
}
