// Checks of bodies in every water that they can float in: the two specialized couplings (waves, shallow
// water), and the generic one for any Surface, on waves, shallow water, pipes, and a surface of the host.
// Archimedes, heave, terminal speed, wake, and that nothing drifts without a force.

#include "check.h"
#include "tarn/coupling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float frame = 1.0f / 60.0f;
static const double pi = 3.14159265358979323846, gravity = 9.81;

typedef enum Kind {
    OWN_WAVE,
    OWN_SHALLOW,
    ANY_WAVE,
    ANY_SHALLOW,
    ANY_PIPES,
    ANY_HOST, // a long swell that nothing pushes
    KINDS
} Kind;
static const char* const kind_names[KINDS] = { "own_wave",    "own_shallow", "any_wave",
                                               "any_shallow", "any_pipes",   "any_host" };

// A swell of the host: y = level + amplitude sin(k x - w t).
typedef struct Swell {
    float level, amplitude, k, w, time;
} Swell;

static void swell_query(const void* self, int n, const float* x, const float* z,
                        const TarnSurfaceSamples* out)
{
    const Swell* s = self;
    (void)z;
    for (int i = 0; i < n; ++i) {
        float phase = s->k * x[i] - s->w * s->time;
        float slope = s->amplitude * s->k * cosf(phase), length = sqrtf(1.0f + slope * slope);
        if (out->height) out->height[i] = s->level + s->amplitude * sinf(phase);
        if (out->normal) out->normal[i] = (TarnVec3){ -slope / length, 1.0f / length, 0.0f };
        if (out->velocity)
            out->velocity[i] = (TarnVec3){ 0.0f, -s->amplitude * s->w * cosf(phase), 0.0f };
        if (out->depth) out->depth[i] = 1e3f;
    }
}

typedef struct Basin {
    Kind kind;
    TarnWave* wave;
    TarnShallow* shallow;
    TarnPipes* pipes;
    Swell swell;
    TarnSurface surface;
    TarnFloatParams params;
    TarnBodies* bodies;
} Basin;

static void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

static void fill_wave(CheckRun* run, Basin* b, int nx, int nz, float dx, float depth)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = nx, def.nz = nz, def.dx = dx, def.depth = depth, def.level = depth;
    def.use_bodies = b->kind == OWN_WAVE;
    def.max_substeps = 64;
    b->wave = check_wave_create(run, &def);
    b->surface = tarn_wave_surface(b->wave);
}

static void fill_shallow(CheckRun* run, Basin* b, int nx, int nz, float dx, float depth)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx, def.nz = nz, def.dx = dx, def.level = depth, def.has_level = true;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_REFLECTING;
    def.use_bodies = b->kind == OWN_SHALLOW;
    def.max_substeps = 64;
    must(run, tarn_shallow_create(run->ctx, &def, &b->shallow));
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = params.damping = 0.0f;
    must(run, tarn_shallow_set_params(b->shallow, &params));
    b->surface = tarn_shallow_surface(b->shallow);
}

static void fill_pipes(CheckRun* run, Basin* b, int nx, int nz, float dx, float depth)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = nx, def.nz = nz, def.dx = dx, def.level = depth, def.has_level = true;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_PIPES_CLOSED;
    def.use_erosion = false;
    def.soil = 0.0f;
    def.max_substeps = 64;
    must(run, tarn_pipes_create(run->ctx, &def, &b->pipes));
    TarnPipesParams params = tarn_pipes_default_params();
    params.friction = params.drag = params.steep_drag = 0.0f;
    must(run, tarn_pipes_set_params(b->pipes, &params));
    b->surface = tarn_pipes_surface(b->pipes);
}

// Water of the given depth over flat ground at y = 0, between walls.
static Basin make_basin(CheckRun* run, Kind kind, int nx, int nz, float dx, float depth)
{
    Basin b = { .kind = kind, .params = tarn_float_default_params() };
    if (kind == OWN_WAVE || kind == ANY_WAVE)
        fill_wave(run, &b, nx, nz, dx, depth);
    else if (kind == OWN_SHALLOW || kind == ANY_SHALLOW)
        fill_shallow(run, &b, nx, nz, dx, depth);
    else if (kind == ANY_PIPES)
        fill_pipes(run, &b, nx, nz, dx, depth);
    b.swell.level = depth;
    TarnBodiesDef def = tarn_bodies_default_def();
    must(run, tarn_bodies_create(run->ctx, &def, &b.bodies));
    return b;
}

static void end_basin(Basin* b)
{
    tarn_bodies_destroy(b->bodies);
    tarn_wave_destroy(b->wave);
    tarn_shallow_destroy(b->shallow);
    tarn_pipes_destroy(b->pipes);
}

// Drag of bodies in all waters alike.
static void set_drag(CheckRun* run, Basin* b, float drag, float damping)
{
    b->params.drag = drag, b->params.damping = damping;
    if (b->wave) {
        TarnWaveParams p = tarn_wave_params(b->wave);
        p.body_drag = drag, p.body_damping = damping;
        must(run, tarn_wave_set_params(b->wave, &p));
    }
    if (b->shallow) {
        TarnShallowParams p = tarn_shallow_params(b->shallow);
        p.body_drag = drag, p.body_damping = damping, p.body_lift = 0.0f;
        must(run, tarn_shallow_set_params(b->shallow, &p));
    }
}

static TarnBodyId add(CheckRun* run, Basin* b, TarnShape shape, float density, TarnVec3 at,
                      bool is_driven)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = shape, def.density = density, def.is_driven = is_driven;
    def.state.position = at;
    must(run, tarn_bodies_add(b->bodies, &def, &id));
    return id;
}

static void step(CheckRun* run, Basin* b)
{
    TarnSurface host = { .self = &b->swell, .query = swell_query };
    if (b->kind == OWN_WAVE)
        must(run, tarn_couple_wave_bodies(b->wave, b->bodies, frame));
    else if (b->kind == OWN_SHALLOW)
        must(run, tarn_couple_shallow_bodies(b->shallow, b->bodies, frame));
    else
        must(run, tarn_couple_surface_bodies(b->kind == ANY_HOST ? &host : &b->surface, &b->params,
                                             b->bodies, frame));
    if (b->wave) must(run, tarn_wave_step(b->wave, frame, NULL));
    if (b->shallow) must(run, tarn_shallow_step(b->shallow, frame, NULL));
    if (b->pipes) must(run, tarn_pipes_step(b->pipes, frame, NULL));
    b->swell.time += frame;
    must(run, tarn_bodies_step(b->bodies, frame, NULL));
}

static TarnBodyState state_of(const Basin* b, TarnBodyId id)
{
    TarnBodyState s = { 0 };
    tarn_bodies_get_state(b->bodies, id, &s);
    return s;
}

static void row(CheckRun* run, const char* what, Kind kind, double value, double reference,
                double tolerance)
{
    char name[80];
    snprintf(name, sizeof name, "couple.%s.%s", what, kind_names[kind]);
    check_add(run, name, value, reference, tolerance);
}

// ---- Archimedes ----------------------------------------------------------------------------------

// An upright cylinder, 0.6 m wide and 0.3 m high.
static bool cylinder(float x, float z, TarnVec3 position, TarnQuat rotation, float* lo, float* hi,
                     void* user)
{
    (void)rotation, (void)user;
    float dx = x - position.x, dz = z - position.z;
    *lo = position.y - 0.15f, *hi = position.y + 0.15f;
    return dx * dx + dz * dz < 0.09f;
}

static TarnShape shape_of(int n)
{
    static const TarnVec3 prism[8] = { { -0.5f, -0.2f, -0.3f }, { 0.5f, -0.2f, -0.3f },
                                       { -0.5f, -0.2f, 0.3f },  { 0.5f, -0.2f, 0.3f },
                                       { -0.5f, 0.2f, -0.3f },  { 0.5f, 0.2f, -0.3f },
                                       { -0.5f, 0.2f, 0.3f },   { 0.5f, 0.2f, 0.3f } };
    switch (n) {
    case 0:
        return tarn_shape_sphere(0.4f);
    case 1:
        return tarn_shape_box(0.5f, 0.2f, 0.4f);
    case 2:
        return tarn_shape_capsule(0.3f, 0.5f);
    case 3:
        return tarn_shape_hull(prism, 8);
    default:
        return (TarnShape){ .kind = TARN_SHAPE_SPAN,
                            .span = cylinder,
                            .radius = 0.34f,
                            .volume = (float)(pi * 0.09 * 0.3) };
    }
}

// Half as heavy as water: half of each is under it. The capsule lies on its side.
static void check_archimedes(CheckRun* run)
{
    static const char* const shapes[] = { "sphere", "box", "capsule", "hull", "span" };
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int s = 0; s < 5; ++s) {
            Basin b = make_basin(run, (Kind)kind, 96, 96, 0.1f, 2.0f);
            TarnBodyDef def = tarn_body_default_def();
            TarnBodyId id;
            def.shape = shape_of(s), def.density = 500.0f;
            def.state.position = (TarnVec3){ 4.83f, 2.1f, 4.77f };
            if (s == 2) def.state.rotation = (TarnQuat){ 0.0f, 0.0f, 0.70710678f, 0.70710678f };
            must(run, tarn_bodies_add(b.bodies, &def, &id));
            double y = 0.0;
            int seconds = run->is_quick ? 12 : 30, mean = 60 * seconds / 3; // of the last third
            for (int n = 0; n < 60 * seconds; ++n) {
                step(run, &b);
                if (n >= 2 * mean) y += (double)state_of(&b, id).position.y / mean;
            }
            float mass, volume;
            tarn_bodies_get_mass(b.bodies, id, &mass, &volume);
            double half = s == 0 ? 0.4 : s == 1 || s == 3 ? 0.2 : s == 2 ? 0.3 : 0.15;
            // Only the specialized couplings raise the level by what bodies displace.
            double level = kind < ANY_WAVE ? 2.0 + (double)mass / 1000.0 / (9.6 * 9.6) : 2.0;
            char name[32];
            snprintf(name, sizeof name, "archimedes.%s", shapes[s]);
            row(run, name, (Kind)kind, half - (y - level), half, 0.02);
            end_basin(&b);
        }
    }
}

// ---- Heave ---------------------------------------------------------------------------------------

typedef struct Heave {
    double period, decay; // [s], ratio of one swing to the one before
} Heave;

static Heave heave_of(CheckRun* run, Basin* b, TarnBodyId id, double rest, int frames)
{
    double last = (double)state_of(b, id).position.y - rest, first = -1.0, crossing = 0.0;
    double peak = 0.0, peaks[64] = { 0.0 };
    int count = 0;
    for (int n = 1; n < frames && count < 60; ++n) {
        step(run, b);
        double y = (double)state_of(b, id).position.y - rest;
        peak = fmax(peak, y);
        if (last > 0.0 && y <= 0.0) {
            crossing = (n - 1 + last / (last - y)) / 60.0;
            if (first < 0.0) first = crossing;
            peaks[count++] = peak;
            peak = 0.0;
        }
        last = y;
    }
    Heave out = { 0 };
    if (count > 1) out.period = (crossing - first) / (count - 1);
    if (count > 1) out.decay = pow(peaks[count - 1] / peaks[0], 1.0 / (count - 1));
    return out;
}

// Without drag a box heaves at sqrt(rho g A / (m + a)), with the mass a of the water that it moves, which
// the specialized couplings leave to the water. On a surface that nothing pushes it does so for ever;
// else it makes waves, which take its energy, and lag behind it, which changes the period a little.
static void check_heave(CheckRun* run)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        Basin b = make_basin(run, (Kind)kind, 128, 128, 0.1f, 3.0f);
        set_drag(run, &b, 0.0f, 0.0f);
        TarnBodyId id = add(run, &b, tarn_shape_box(0.5f, 0.25f, 0.5f), 500.0f,
                            (TarnVec3){ 6.4f, 3.05f, 6.4f }, false);
        Heave h = heave_of(run, &b, id, 3.0, 60 * 8);
        double mass = 250.0, added = kind < ANY_WAVE ? 0.0 : 0.5 * mass;
        double period = 2.0 * pi * sqrt((mass + added) / (1000.0 * gravity));
        bool is_pushed = kind != ANY_HOST;
        row(run, "heave.period_s", (Kind)kind, h.period, period, is_pushed ? 0.05 : 0.005);
        row(run, "heave.swing", (Kind)kind, h.decay, is_pushed ? 0.88 : 1.0,
            is_pushed ? 0.1 : 0.01);
        end_basin(&b);
    }
}

// ---- Terminal speed --------------------------------------------------------------------------------

// A sphere twice as heavy as water sinks at sqrt(8 r g / (3 C_D)).
static void check_terminal(CheckRun* run)
{
    for (int kind = 0; kind < KINDS; ++kind) {
        Basin b = make_basin(run, (Kind)kind, 32, 32, 0.4f, 20.0f);
        set_drag(run, &b, 0.5f, 0.0f);
        TarnBodyId id =
            add(run, &b, tarn_shape_sphere(0.1f), 2000.0f, (TarnVec3){ 6.4f, 19.5f, 6.4f }, false);
        for (int n = 0; n < 60 * 6; ++n) step(run, &b);
        row(run, "terminal.sink", (Kind)kind, -(double)state_of(&b, id).velocity.y,
            sqrt(8.0 * 0.1 * gravity / (3.0 * 0.5)), 0.02);
        end_basin(&b);
    }
}

// A motor that pushes a floating box with 100 N against a drag of rho c V v, on calm water of the host: 0.4 m/s in the
// end, (1 - exp(-t / T)) of it on the way with T = (m + added) / (rho c V).
static void check_thrust(CheckRun* run)
{
    const double rate = 1000.0 * 1.0 * 0.25, mass = 250.0, added = 0.5 * mass;
    Basin b = make_basin(run, ANY_HOST, 32, 32, 0.4f, 20.0f);
    set_drag(run, &b, 0.0f, 1.0f);
    TarnBodyId id = add(run, &b, tarn_shape_box(0.5f, 0.25f, 0.5f), 500.0f,
                        (TarnVec3){ 6.4f, 20.0f, 6.4f }, false);
    for (int n = 1; n <= 60 * 12; ++n) {
        must(run, tarn_bodies_add_force(b.bodies, id, (TarnVec3){ 100, 0, 0 }, (TarnVec3){ 0 }));
        step(run, &b);
        double theory = 100.0 / rate * (1.0 - exp(-n / 60.0 * rate / (mass + added)));
        const char* name = n == 60 ? "terminal.thrust_after_1_s" : "terminal.thrust_after_12_s";
        if (n == 60 || n == 60 * 12)
            row(run, name, ANY_HOST, (double)state_of(&b, id).velocity.x, theory, 0.02);
    }
    end_basin(&b);
}

// ---- Wake ----------------------------------------------------------------------------------------

// Height of the outermost crest along z at x that is at least half as high as the highest.
static double outer_crest(const Basin* b, double x, double* at)
{
    enum { N = 370 };
    double y[N], most = 0.0;
    for (int n = 0; n < N; ++n) {
        float z = 20.5f + 0.05f * (float)n;
        y[n] = (double)tarn_surface_height(b->surface, (float)x, z) - 1.0;
        most = fmax(most, y[n]);
    }
    int n = N - 2;
    while (n > 1 && !(y[n] > 0.5 * most && y[n] >= y[n - 1] && y[n] >= y[n + 1])) --n;
    *at = 0.5 + 0.05 * n;
    return y[n];
}

// A boat that is faster than the waves has them in a wedge of asin(c / v) behind it, and calm water ahead.
static void check_wake(CheckRun* run)
{
    const double speed = 8.0, degree = 180.0 / pi;
    for (int kind = 0; kind < ANY_HOST; ++kind) {
        Basin b = make_basin(run, (Kind)kind, 300, 160, 0.25f, 1.0f);
        TarnBodyId id = add(run, &b, tarn_shape_box(0.8f, 0.15f, 0.4f), 500.0f,
                            (TarnVec3){ 5.0f, 1.1f, 20.0f }, true);
        double boat = 5.0;
        for (int n = 0; n < 60 * 7; ++n) {
            TarnBodyState s = { .position = { (float)boat, 1.1f, 20.0f },
                                .rotation = { 0.0f, 0.0f, 0.0f, 1.0f },
                                .velocity = { (float)speed, 0.0f, 0.0f } };
            must(run, tarn_bodies_set_state(b.bodies, id, &s));
            step(run, &b);
            boat += speed / 60.0;
        }
        double sx = 0.0, sz = 0.0, sxx = 0.0, sxz = 0.0, height = 0.0, ahead = 0.0;
        int count = 0;
        for (double x = boat - 36.0; x < boat - 12.0; x += 0.25, ++count) {
            double at = 0.0, crest = outer_crest(&b, x, &at);
            double back = boat - x;
            sx += back, sz += at, sxx += back * back, sxz += back * at, height += crest;
        }
        for (double x = boat + 3.0; x < 74.0; x += 0.25)
            ahead =
                fmax(ahead, fabs((double)tarn_surface_height(b.surface, (float)x, 20.0f) - 1.0));
        height /= count;
        double slope = (count * sxz - sx * sz) / (count * sxx - sx * sx);
        bool is_linear = b.wave != NULL;
        double c = sqrt(gravity * (is_linear ? 1.0 : 1.0 + 1.5 * height));
        row(run, "wake.angle_deg", (Kind)kind, atan(slope) * degree, asin(c / speed) * degree,
            0.06);
        row(run, "wake.is_there", (Kind)kind, height > 0.05 * 0.05 && height < 0.05, 1.0, 0.0);
        row(run, "wake.ahead", (Kind)kind, ahead / height, 0.0, 0.1);
        end_basin(&b);
    }
}

void check_couple(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = {
        { "couple.archimedes", check_archimedes },
        { "couple.heave", check_heave },
        { "couple.terminal", check_terminal },
        { "couple.terminal", check_thrust },
        { "couple.wake", check_wake },
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(parts[p].name, group) == 0) parts[p].fn(run);
    }
}
