// Lattice Boltzmann in 42 lines: a box whose lid moves, as bare as the method can be written, next to the library.
// Prints how far the two are apart.
#include "tarn/tarn.h"
#include <math.h>
#include <stdio.h>

enum { N = 24, STEPS = 2000 };
static const double lid = 0.1, tau = 0.8;

// ---- The 42 lines ----------------------------------------------------------------------------------
static const int ex[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int ey[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int opposite[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const double w[9] = { 4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                             1. / 36, 1. / 36, 1. / 36, 1. / 36 };
static double f[9][N][N], g[9][N][N], u[N][N], v[N][N]; // populations before and after, velocity

static void stream(void) // g: what comes from the neighbors, or back from a wall
{
    for (int i = 0; i < 9; ++i)
        for (int y = 0; y < N; ++y)
            for (int x = 0; x < N; ++x) {
                int px = x - ex[i], py = y - ey[i];
                if (px < 0 || px >= N || py < 0)
                    g[i][y][x] = f[opposite[i]][y][x];
                else if (py >= N)
                    g[i][y][x] = f[opposite[i]][y][x] + 6.0 * w[i] * ex[i] * lid;
                else
                    g[i][y][x] = f[i][py][px];
            }
}

static void collide(void) // f: relaxed towards the equilibrium of density and velocity
{
    for (int y = 0; y < N; ++y)
        for (int x = 0; x < N; ++x) {
            double rho = 0.0, a = 0.0, b = 0.0;
            for (int i = 0; i < 9; ++i)
                rho += g[i][y][x], a += ex[i] * g[i][y][x], b += ey[i] * g[i][y][x];
            u[y][x] = a /= rho, v[y][x] = b /= rho;
            for (int i = 0; i < 9; ++i) {
                double eu = ex[i] * a + ey[i] * b;
                double equilibrium =
                    w[i] * rho * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * (a * a + b * b));
                f[i][y][x] = g[i][y][x] + (equilibrium - g[i][y][x]) / tau;
            }
        }
}
// ---- The end of the 42 lines -------------------------------------------------------------------------

int main(void)
{
    for (int i = 0; i < 9; ++i)
        for (int c = 0; c < N * N; ++c) f[i][c / N][c % N] = w[i];
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = def.ny = N, def.nz = 1;
    def.dx = 1.0f, def.speed = def.lattice_speed = (float)lid; // a cell is 1 m, a substep 1 s
    TarnLattice* lattice;
    TarnLatticeParams params = tarn_lattice_default_params();
    params.collision = TARN_LATTICE_BGK;
    params.viscosity = (float)((tau - 0.5) / 3.0);
    params.smagorinsky = 0.0f;
    params.flow_y1.x = (float)lid;
    if (tarn_lattice_create(ctx, &def, &lattice) != TARN_OK ||
        tarn_lattice_set_params(lattice, &params) != TARN_OK) {
        fprintf(stderr, "%s\n", tarn_last_error(ctx));
        return 1;
    }
    for (int s = 0; s < STEPS; ++s) {
        stream();
        collide(); // its velocity is that before the collision, as the library's is after a step
        if (s > 0) tarn_lattice_step(lattice, 1.0f, NULL);
    }
    double apart = 0.0;
    for (int c = 0; c < N * N; ++c) {
        TarnVec3 at;
        tarn_lattice_cell(lattice, c % N, c / N, 0, NULL, &at);
        apart = fmax(apart, fmax(fabs((double)at.x - u[c / N][c % N]),
                                 fabs((double)at.y - v[c / N][c % N])));
    }
    printf("the 42 lines and the library are %.1e of the lid's speed apart after %d steps\n",
           apart / lid, STEPS);
    tarn_lattice_destroy(lattice);
    tarn_context_destroy(ctx);
    return apart < 1e-4 * lid ? 0 : 1;
}
