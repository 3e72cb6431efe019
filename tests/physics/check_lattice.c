// Checks of lattices against exact solutions and reference data: walls, decay, cavities, channels, convection.

#include "check_lattice.h"

// ---- Mass, symmetry of motion --------------------------------------------------------------------------

static void stirred(int n, const float* x, const float* y, const float* z, TarnVec3* u, float* p,
                    void* user)
{
    (void)p, (void)user;
    for (int i = 0; i < n; ++i)
        u[i] = (TarnVec3){ 0.05f * sinf(0.7f * y[i] + 0.3f * z[i]), 0.05f * sinf(0.5f * x[i]),
                           0.03f * cosf(0.4f * x[i] + y[i]) };
}

static void check_mass(CheckRun* run)
{
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLatticeDef def = lattice_box(32, 24, dims == 3 ? 20 : 1);
        TarnLatticeParams params = lattice_plain();
        TarnLattice* l = lattice_make(run, &def, &params);
        tarn_lattice_set_flow(l, stirred, NULL);
        double before = tarn_lattice_stats(l).mass;
        lattice_run(l, 500);
        TarnLatticeStats after = tarn_lattice_stats(l);
        check_add(run, dims == 3 ? "lattice.mass.3d" : "lattice.mass.2d",
                  (after.mass - before) / before, 0.0, 1e-7);
        tarn_lattice_destroy(l);
    }
}

static void shifted(int n, const float* x, const float* y, const float* z, TarnVec3* u, float* p,
                    void* user)
{
    (void)z;
    double k = 2.0 * pi / 64.0, drift = *(const double*)user;
    for (int i = 0; i < n; ++i) {
        double X = k * (double)x[i], Y = k * (double)y[i];
        u[i] = (TarnVec3){ (float)(drift - 0.02 * cos(X) * sin(Y)), (float)(0.02 * sin(X) * cos(Y)),
                           0.0f };
        p[i] = (float)(-0.25 * 0.02 * 0.02 * (cos(2.0 * X) + cos(2.0 * Y)));
    }
}

// Largest difference of velocities after the vortices decay in a flow that carries them over whole cells.
static void check_galilean(CheckRun* run)
{
    TarnLattice* l[2];
    double drift[2] = { 0.0, 0.05 };
    for (int n = 0; n < 2; ++n) {
        TarnLatticeDef def = lattice_box(64, 64, 1);
        for (int f = 0; f < 6; ++f) (&def.face_x0)[f] = TARN_LATTICE_PERIODIC;
        TarnLatticeParams params = lattice_plain();
        params.viscosity = 0.02f;
        l[n] = lattice_make(run, &def, &params);
        tarn_lattice_set_flow(l[n], shifted, &drift[n]);
        lattice_run(l[n], 400); // 20 cells
    }
    double worst = 0.0;
    for (int j = 0; j < 64; ++j) {
        for (int i = 0; i < 64; ++i) {
            TarnVec3 a, b;
            tarn_lattice_cell(l[0], i, j, 0, NULL, &a);
            tarn_lattice_cell(l[1], (i + 20) % 64, j, 0, NULL, &b);
            worst = fmax(worst, fmax(fabs((double)(b.x - a.x) - 0.05), fabs((double)(b.y - a.y))));
        }
    }
    check_add(run, "lattice.galilean", worst / 0.02, 0.0, 0.01);
    tarn_lattice_destroy(l[0]);
    tarn_lattice_destroy(l[1]);
}

static void noisy(int n, const float* x, const float* y, const float* z, TarnVec3* u, float* p,
                  void* user)
{
    (void)p;
    const TarnVec3* stream = user;
    for (int i = 0; i < n; ++i) {
        uint32_t h = 2654435761u * (uint32_t)(x[i] + 131.0f * y[i] + 4099.0f * z[i]);
        float noise[3];
        for (int d = 0; d < 3; ++d) {
            h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
            noise[d] = 1e-3f * ((float)(h >> 8) * 0x1p-23f - 1.0f);
        }
        u[i] = (TarnVec3){ stream->x + noise[0], stream->y + noise[1], stream->z + noise[2] };
    }
}
static double noise_of(const TarnLattice* l, TarnVec3 stream)
{
    const TarnLatticeDef* def = tarn_lattice_def(l);
    double sum = 0.0;
    for (int k = 0; k < def->nz; ++k)
        for (int j = 0; j < def->ny; ++j)
            for (int i = 0; i < def->nx; ++i) {
                TarnVec3 u;
                tarn_lattice_cell(l, i, j, k, NULL, &u);
                double a = (double)(u.x - stream.x), b = (double)(u.y - stream.y),
                       c = def->nz > 1 ? (double)(u.z - stream.z) : 0.0;
                sum += a * a + b * b + c * c;
            }
    return sqrt(sum);
}

// Noise in a stream dies away, at the thinnest viscosity and without eddies: what is left of it, as a share. A collision that is
// unstable makes ripples of it.
static void check_ripples(CheckRun* run)
{
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLatticeDef def = dims == 3 ? lattice_box(24, 24, 24) : lattice_box(64, 64, 1);
        for (int f = 0; f < 6; ++f) (&def.face_x0)[f] = TARN_LATTICE_PERIODIC;
        TarnLatticeParams params = lattice_plain();
        params.viscosity = 1e-5f;
        TarnLattice* l = lattice_make(run, &def, &params);
        TarnVec3 stream = { 0.1f, 0.04f, dims == 3 ? 0.02f : 0.0f };
        tarn_lattice_set_flow(l, noisy, &stream);
        double before = noise_of(l, stream);
        lattice_run(l, run->is_quick ? 1000 : 10000);
        check_add(run, dims == 3 ? "lattice.ripples.3d" : "lattice.ripples.2d",
                  noise_of(l, stream) / before, 0.0, 1.0);
        tarn_lattice_destroy(l);
    }
}

// ---- Channels -----------------------------------------------------------------------------------------

// Largest difference from the parabola that the lattice should have, as a share of its top.
static double poiseuille(CheckRun* run, int collision, float tau, bool is_exact_wall)
{
    enum { H = 16 };
    TarnLatticeDef def = lattice_box(8, H, 1);
    def.face_x0 = def.face_x1 = TARN_LATTICE_PERIODIC;
    TarnLatticeParams params = lattice_plain();
    params.collision = collision;
    params.viscosity = (tau - 0.5f) / 3.0f;
    params.force = (TarnVec3){ 8.0f * params.viscosity * 0.05f / (float)(H * H), 0.0f, 0.0f };
    TarnLattice* l = lattice_make(run, &def, &params);
    lattice_run(l, (int)(12.0 * H * H / (double)params.viscosity / 10.0));
    double nu = (double)params.viscosity, F = (double)params.force.x, worst = 0.0;
    double magic = is_exact_wall ? 3.0 / 16.0 : ((double)tau - 0.5) * ((double)tau - 0.5);
    for (int j = 0; j < H; ++j) {
        TarnVec3 u;
        tarn_lattice_cell(l, 3, j, 0, NULL, &u);
        double y = j + 0.5 - 0.5 * H;
        double exact = F / (2.0 * nu) * (0.25 * H * H - y * y + 4.0 * magic / 3.0 - 0.25);
        worst = fmax(worst, fabs((double)u.x - exact) / 0.05);
    }
    tarn_lattice_destroy(l);
    return worst;
}

static void check_poiseuille(CheckRun* run)
{
    check_add(run, "lattice.poiseuille.trt", poiseuille(run, TARN_LATTICE_TRT, 0.8f, true), 0.0,
              1e-5);
    check_add(run, "lattice.poiseuille.trt.thick", poiseuille(run, TARN_LATTICE_TRT, 1.6f, true),
              0.0, 1e-5);
    check_add(run, "lattice.poiseuille.bgk.slip", poiseuille(run, TARN_LATTICE_BGK, 1.6f, false),
              0.0, 1e-4);
}

static void check_couette(CheckRun* run)
{
    TarnLatticeDef def = lattice_box(8, 16, 8);
    def.face_x0 = def.face_x1 = def.face_z0 = def.face_z1 = TARN_LATTICE_PERIODIC;
    TarnLatticeParams params = lattice_plain();
    params.viscosity = 0.1f;
    params.flow_y1 = (TarnVec3){ 0.05f, 0.0f, 0.02f };
    TarnLattice* l = lattice_make(run, &def, &params);
    lattice_run(l, 12000);
    double worst = 0.0;
    for (int j = 0; j < 16; ++j) {
        TarnVec3 u;
        tarn_lattice_cell(l, 5, j, 2, NULL, &u);
        double share = (j + 0.5) / 16.0;
        worst = fmax(
            worst, fmax(fabs((double)u.x - 0.05 * share), fabs((double)u.z - 0.02 * share)) / 0.05);
    }
    check_add(run, "lattice.couette", worst, 0.0, 2e-5);
    tarn_lattice_destroy(l);
}

// Flow through a square duct, driven by a force: mean over top velocity, from the series.
static void check_duct(CheckRun* run)
{
    int n = run->is_quick ? 16 : 24;
    TarnLatticeDef def = lattice_box(8, n, n);
    def.face_x0 = def.face_x1 = TARN_LATTICE_PERIODIC;
    TarnLatticeParams params = lattice_plain();
    params.collision = TARN_LATTICE_TRT;
    params.viscosity = 0.1f;
    params.force.x = 2e-5f;
    TarnLattice* l = lattice_make(run, &def, &params);
    lattice_run(l, 8 * n * n / 1);
    double mean = 0.0;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            TarnVec3 u;
            tarn_lattice_cell(l, 3, j, k, NULL, &u);
            mean += (double)u.x / (n * n);
        }
    }
    double series = 0.0; // flow = a^4 F / (12 nu) (1 - 192 / pi^5 sum tanh(m pi / 2) / m^5)
    for (int m = 1; m < 60; m += 2) series += tanh(0.5 * pi * m) / pow(m, 5.0);
    double exact =
        (double)params.force.x * n * n / (12.0 * 0.1) * (1.0 - 192.0 / pow(pi, 5.0) * series);
    check_add(run, "lattice.duct", mean, exact, 0.01);
    tarn_lattice_destroy(l);
}

// ---- Taylor-Green ---------------------------------------------------------------------------------------

typedef struct Vortices {
    double n, u;
} Vortices;
static void vortices(int n, const float* x, const float* y, const float* z, TarnVec3* u, float* p,
                     void* user)
{
    (void)z;
    const Vortices* v = user;
    double k = 2.0 * pi / v->n;
    for (int i = 0; i < n; ++i) {
        double X = k * (double)x[i], Y = k * (double)y[i];
        u[i] =
            (TarnVec3){ (float)(-v->u * cos(X) * sin(Y)), (float)(v->u * sin(X) * cos(Y)), 0.0f };
        p[i] = (float)(-0.25 * v->u * v->u * (cos(2.0 * X) + cos(2.0 * Y)));
    }
}

// Relative error of the velocity after its decay by a factor e, at the same Reynolds number; speeds fall with the cells.
static double taylor_green(CheckRun* run, int n, int collision, int storage)
{
    TarnLatticeDef def = lattice_box(n, n, 1);
    for (int f = 0; f < 6; ++f) (&def.face_x0)[f] = TARN_LATTICE_PERIODIC;
    def.storage = storage;
    TarnLatticeParams params = lattice_plain();
    params.collision = collision;
    params.viscosity = 0.05f;
    Vortices v = { n, 0.04 * 32.0 / n };
    TarnLattice* l = lattice_make(run, &def, &params);
    tarn_lattice_set_flow(l, vortices, &v);
    double k = 2.0 * pi / n, rate = 2.0 * (double)params.viscosity * k * k;
    int steps = (int)(1.0 / rate + 0.5);
    lattice_run(l, steps);
    double error = 0.0, size = 0.0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            TarnVec3 u;
            tarn_lattice_cell(l, i, j, 0, NULL, &u);
            double exact = -v.u * cos(k * (i + 0.5)) * sin(k * (j + 0.5)) * exp(-rate * steps);
            error += ((double)u.x - exact) * ((double)u.x - exact);
            size += exact * exact;
        }
    }
    tarn_lattice_destroy(l);
    return sqrt(error / size);
}

static void check_taylor_green(CheckRun* run)
{
    static const char* const names[3] = { "regularised", "bgk", "trt" };
    for (int c = 0; c < 3; ++c) {
        char name[48];
        snprintf(name, sizeof name, "lattice.taylor_green.%s", names[c]);
        check_add(run, name, taylor_green(run, 32, c, TARN_LATTICE_FLOAT32), 0.0, 0.01);
    }
    double coarse = taylor_green(run, 16, TARN_LATTICE_REGULARISED, TARN_LATTICE_FLOAT32);
    double fine = taylor_green(run, 32, TARN_LATTICE_REGULARISED, TARN_LATTICE_FLOAT32);
    check_add(run, "lattice.taylor_green.order", log2(coarse / fine), 2.0, 0.15);
    check_add(run, "lattice.taylor_green.half",
              taylor_green(run, 32, TARN_LATTICE_REGULARISED, TARN_LATTICE_FLOAT16), 0.0, 0.01);
}

// ---- Cavity ---------------------------------------------------------------------------------------------

static TarnLattice* make_cavity(CheckRun* run, int n, bool is_cube, double reynolds, double lid)
{
    TarnLatticeDef def = lattice_box(n, n, is_cube ? n : 1);
    TarnLatticeParams params = lattice_plain();
    params.collision = TARN_LATTICE_TRT;
    params.viscosity = (float)(lid * n / reynolds);
    params.flow_y1.x = (float)lid;
    return lattice_make(run, &def, &params);
}

// Velocity at a place of the unit cavity, by the two cells around it along an axis through the middle.
static double cavity_at(const TarnLattice* l, int n, bool is_u, double at, double lid)
{
    double s = at * n - 0.5, sum = 0.0;
    int low = (int)floor(s);
    for (int side = 0; side < 2; ++side) {
        double w = side ? s - low : 1.0 - (s - low), v = 0.0;
        int i = low + side, nz = tarn_lattice_def(l)->nz;
        for (int half = 0; half < 4 && i >= 0 && i < n; ++half) { // the middle is between cells
            TarnVec3 u;
            int mid = n / 2 - half % 2, k = nz > 1 ? nz / 2 - half / 2 : 0;
            tarn_lattice_cell(l, is_u ? mid : i, is_u ? i : mid, k, NULL, &u);
            v += 0.25 * (double)(is_u ? u.x : u.y);
        }
        if (i < 0 || i >= n) v = i >= n && is_u ? lid : 0.0;
        sum += w * v;
    }
    return sum / lid;
}

static void cavity_extrema(const TarnLattice* l, int n, double lid,
                           double out[3]) // u_min, v_max, v_min
{
    out[0] = out[2] = 1e9, out[1] = -1e9;
    for (int i = 1; i < 1000; ++i) {
        double u = cavity_at(l, n, true, i / 1000.0, lid),
               v = cavity_at(l, n, false, i / 1000.0, lid);
        out[0] = fmin(out[0], u), out[1] = fmax(out[1], v), out[2] = fmin(out[2], v);
    }
}

typedef struct Cavity {
    const char* name;
    double re, want[3]; // u_min, v_max, v_min
    int n;
    bool is_cube;
    double times, tolerance; // times: sides of the cavity that the lid passes
} Cavity;

static void check_one_cavity(CheckRun* run, const Cavity* c)
{
    double lid = 0.08, found[3];
    TarnLattice* l = make_cavity(run, c->n, c->is_cube, c->re, lid);
    lattice_run(l, (int)(c->times * c->n / lid));
    cavity_extrema(l, c->n, lid, found);
    const char* const what[3] = { "u_min", "v_max", "v_min" };
    for (int w = 0; w < 3; ++w) {
        char name[48];
        snprintf(name, sizeof name, "lattice.%s.%s", c->name, what[w]);
        check_add(run, name, found[w], c->want[w], c->tolerance);
    }
    tarn_lattice_destroy(l);
}

// Re 100: Marchi et al. 2009; Re 400: Ghia et al. 1982; Re 1000: Botella and Peyret 1998.
static void check_cavity(CheckRun* run)
{
    const Cavity quick = { "cavity.100", 100,  { -0.2140424, 0.1795728, -0.253803 }, 64, false,
                           20,           0.015 };
    const Cavity rows[] = {
        { "cavity.100", 100, { -0.2140424, 0.1795728, -0.253803 }, 128, false, 20, 0.015 },
        { "cavity.400", 400, { -0.3273, 0.3020, -0.4499 }, 128, false, 40, 0.015 },
        { "cavity.1000", 1000, { -0.3885698, 0.3769447, -0.5270771 }, 128, false, 90, 0.015 },
    };
    if (run->is_quick) check_one_cavity(run, &quick);
    for (int c = 0; c < 3 && !run->is_quick; ++c) check_one_cavity(run, &rows[c]);
}

// The cube at Re 1000: [Albensoeder2005].
static void check_cube(CheckRun* run)
{
    const Cavity cube = { "cube.1000", 1000, { -0.2803833, 0.2466511, -0.4350186 }, 64, true,
                          40,          0.05 };
    if (run->is_quick) return;
    check_one_cavity(run, &cube); // 64 cells are 4.5 % off; the square has 0.5 % with 128
    // Re 100: no data of this accuracy is at hand; two sizes of cells must agree.
    double found[2][3];
    for (int fine = 0; fine < 2; ++fine) {
        int n = fine ? 64 : 32;
        TarnLattice* l = make_cavity(run, n, true, 100.0, 0.08);
        lattice_run(l, (int)(15.0 * n / 0.08));
        cavity_extrema(l, n, 0.08, found[fine]);
        tarn_lattice_destroy(l);
    }
    check_add(run, "lattice.cube.100.u_min", found[0][0], found[1][0], 0.02);
    check_add(run, "lattice.cube.100.v_min", found[0][2], found[1][2], 0.02);
}

void check_lattice(CheckRun* run, const char* group)
{
    if (strcmp(group, "lattice.mass") == 0) check_mass(run);
    if (strcmp(group, "lattice.galilean") == 0) check_galilean(run);
    if (strcmp(group, "lattice.ripples") == 0) check_ripples(run);
    if (strcmp(group, "lattice.poiseuille") == 0) check_poiseuille(run);
    if (strcmp(group, "lattice.couette") == 0) check_couette(run);
    if (strcmp(group, "lattice.duct") == 0) check_duct(run);
    if (strcmp(group, "lattice.taylor_green") == 0) check_taylor_green(run);
    if (strcmp(group, "lattice.cavity") == 0) check_cavity(run);
    if (strcmp(group, "lattice.cube") == 0) check_cube(run);
}
