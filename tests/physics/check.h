// Physics checks of `tarn check`: simulation against theory and measurement, each with a number.
// The command line and the tests run the same functions.
#pragma once

#include "plot.h"
#include "tarn/tarn.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct CheckRow {
    char name[56];
    double value, reference;
    double error; // relative where the reference is not zero, else absolute
    double tolerance;
    bool pass;
    bool is_open; // known not to be reached yet: shown as open, not as failed
} CheckRow;

typedef struct CheckRun {
    const char* filter;
    const char* plot_folder; // for check_plot; NULL: no plots
    bool is_quick;           // shorter runs of slow checks
    bool is_plot_bad;        // one could not be written; the error has been reported
    TarnContext* ctx;
    CheckRow rows[2048];
    int n_rows;
} CheckRun;

// value within tolerance of reference; with reference 0 the tolerance bounds |value|.
void check_add(CheckRun* run, const char* name, double value, double reference, double tolerance);
// The last row is known not to be reached yet. It keeps its tolerance and is shown as open as long as it fails.
void check_not_reached(CheckRun* run);
// Creates or stops: a check that cannot set up its solver has failed.
TarnWave* check_wave_create(CheckRun* run, const TarnWaveDef* def);
// A file of measured data, from the folder that TARN_VALIDATION names or the default folder. Returns NULL and
// reports its path and source if it is missing.
FILE* check_open_reference(const char* name);

// Groups of checks and who runs them, in the order in which they run. A new one adds its line here.
// clang-format off
#define CHECK_GROUPS(X) \
    X("wave.stability", check_wave) \
    X("wave.standing", check_wave) \
    X("wave.order", check_wave) \
    X("wave.level", check_wave) \
    X("wave.energy", check_wave) \
    X("wave.symmetry", check_wave) \
    X("wave.reflection", check_wave) \
    X("wave.cone", check_wave) \
    X("wave.depth", check_wave) \
    X("wave.maker", check_wave) \
    X("wave.window", check_wave) \
    X("wave.sleep", check_wave) \
    X("wave.query", check_wave) \
    X("wave.growth", check_growth) \
    X("wave.growth.window", check_growth) \
    X("ocean.transforms", check_ocean) \
    X("ocean.height", check_ocean) \
    X("ocean.variance", check_ocean) \
    X("ocean.speed", check_ocean) \
    X("ocean.time", check_ocean) \
    X("ocean.query", check_ocean) \
    X("ocean.heave", check_ocean) \
    X("coast.swell", check_coast) \
    X("coast.level", check_coast) \
    X("float.archimedes", check_floating) \
    X("float.neutral", check_floating) \
    X("float.in_out", check_floating) \
    X("float.bathtub", check_floating) \
    X("float.heave", check_floating) \
    X("float.terminal", check_floating) \
    X("float.light", check_floating) \
    X("float.fast", check_floating) \
    X("couple.archimedes", check_couple) \
    X("couple.heave", check_couple) \
    X("couple.terminal", check_couple) \
    X("couple.wake", check_couple) \
    X("shallow.rest", check_shallow) \
    X("shallow.symmetry", check_shallow) \
    X("shallow.ledger", check_shallow) \
    X("shallow.friction", check_shallow) \
    X("shallow.calm", check_shallow) \
    X("shallow.growth", check_shallow_growth) \
    X("shallow.stoker", check_shallow_waves) \
    X("shallow.ritter", check_shallow_waves) \
    X("shallow.order", check_shallow_waves) \
    X("shallow.speed", check_shallow_waves) \
    X("shallow.jump", check_shallow_waves) \
    X("shallow.bump", check_shallow_waves) \
    X("shallow.thacker", check_shallow_field) \
    X("shallow.runup", check_shallow_field) \
    X("shallow.monai", check_shallow_field) \
    X("shallow.island", check_shallow_island) \
    X("shallow.absorbing", check_shallow_edges) \
    X("shallow.open", check_shallow_edges) \
    X("shallow.maker", check_shallow_edges) \
    X("shallow.implicit.rest", check_shallow_implicit) \
    X("shallow.implicit.seiche", check_shallow_implicit) \
    X("shallow.implicit.stoker", check_shallow_implicit) \
    X("shallow.implicit.limit", check_shallow_implicit) \
    X("shallow.implicit.volume", check_shallow_implicit) \
    X("shallow.implicit.deep", check_shallow_implicit) \
    X("shallow.implicit.edge", check_shallow_implicit) \
    X("shallow.implicit.growth", check_shallow_implicit) \
    X("shallow_bodies.archimedes", check_shallow_bodies) \
    X("shallow_bodies.level", check_shallow_bodies) \
    X("shallow_bodies.rest", check_shallow_bodies) \
    X("shallow_bodies.current", check_shallow_bodies) \
    X("shallow_bodies.fast", check_shallow_bodies) \
    X("shallow_bodies.wake", check_shallow_bodies) \
    X("shallow_bodies.dam", check_shallow_bodies) \
    X("push.drag", check_push) \
    X("push.terminal", check_push) \
    X("push.drift", check_push) \
    X("push.turn", check_push) \
    X("push.energy", check_push) \
    X("push.sail", check_push) \
    X("pipes.speed", check_pipes) \
    X("pipes.lake", check_pipes) \
    X("pipes.ledger", check_pipes) \
    X("pipes.talus", check_pipes) \
    X("pipes.symmetry", check_pipes) \
    X("pipes.dt", check_pipes) \
    X("pipes.dam", check_pipes) \
    X("pipes.growth", check_growth) \
    X("ripple.rings", check_ripple) \
    X("ripple.wake", check_ripple) \
    X("ripple.rim", check_ripple) \
    X("ripple.land", check_ripple) \
    X("ripple.volume", check_ripple) \
    X("wave_particles.split", check_wave_particles) \
    X("wave_particles.ring", check_wave_particles) \
    X("wave_particles.front", check_wave_particles) \
    X("wave_particles.mirror", check_wave_particles) \
    X("wave_particles.queue", check_wave_particles) \
    X("wave_particles.balance", check_wave_particles) \
    X("wave_particles.float", check_wave_particles) \
    X("flow_ripples.variance", check_flow_ripples) \
    X("flow_ripples.carried", check_flow_ripples) \
    X("flow_ripples.stretch", check_flow_ripples) \
    X("breakers.step", check_breakers) \
    X("breakers.turned", check_breakers) \
    X("breakers.column", check_breakers) \
    X("breakers.sine", check_breakers) \
    X("breakers.shelf", check_breakers) \
    X("breakers.volume", check_breakers) \
    X("breakers.mesh", check_breakers) \
    X("spray.amount", check_spray) \
    X("spray.fall", check_spray) \
    X("spray.momentum", check_spray) \
    X("spray.eddy", check_spray) \
    X("spray.walls", check_spray) \
    X("spray.ledger", check_spray) \
    X("spray.solids", check_spray) \
    X("spray.scenes.waterfall", check_spray_scenes) \
    X("spray.scenes.beach_surf", check_spray_scenes) \
    X("spray.scenes.speedboat", check_spray_scenes) \
    X("spray.scenes.rapids", check_spray_scenes) \
    X("spray.scenes.storm_pier", check_spray_scenes) \
    X("spray.scenes.rain_lake", check_spray_scenes) \
    X("spray.scenes.surfer", check_spray_scenes) \
    X("particles.ballistic", check_particles) \
    X("particles.drag", check_particles) \
    X("particles.rate", check_particles) \
    X("particles.bounce", check_particles) \
    X("particles.attractor", check_particles) \
    X("particles.ledger", check_particles) \
    X("liquid.kernels", check_liquid) \
    X("liquid.momentum", check_liquid) \
    X("liquid.hydrostatic", check_liquid) \
    X("liquid.column", check_liquid) \
    X("liquid.pool", check_liquid) \
    X("liquid.calm", check_liquid) \
    X("liquid.clumps", check_liquid) \
    X("liquid.lattice", check_liquid) \
    X("liquid.sloshing", check_liquid_flow) \
    X("liquid.laplace", check_liquid_flow) \
    X("liquid.floating", check_liquid_solids) \
    X("liquid.afloat", check_liquid_solids) \
    X("liquid.bodies", check_liquid_solids) \
    X("liquid.layers", check_liquid_solids) \
    X("liquid.stack", check_liquid_solids) \
    X("liquid.dam_break", check_liquid_flow) \
    X("liquid.drop", check_liquid_flow) \
    X("liquid.patch", check_liquid_flow) \
    X("liquid.taylor_green", check_liquid_flow) \
    X("liquid.vessels", check_liquid_solids) \
    X("liquid.leak", check_liquid_solids) \
    X("linear.factor", check_linear) \
    X("linear.transform", check_linear) \
    X("linear.helmholtz", check_linear) \
    X("gas.projection", check_gas) \
    X("gas.advection", check_gas) \
    X("gas.uniform", check_gas) \
    X("gas.taylor_green", check_gas) \
    X("gas.fast", check_gas_step) \
    X("gas.order", check_gas_step) \
    X("gas.reflection", check_gas_step) \
    X("gas.tolerance", check_gas_step) \
    X("gas.ring", check_gas) \
    X("gas.buoyancy", check_gas) \
    X("gas.flux", check_gas) \
    X("gas.energy", check_gas) \
    X("gas.density", check_gas) \
    X("gas.moving", check_gas_obstacles) \
    X("gas.obstacles", check_gas_obstacles) \
    X("lattice.mass", check_lattice) \
    X("lattice.galilean", check_lattice) \
    X("lattice.ripples", check_lattice) \
    X("lattice.poiseuille", check_lattice) \
    X("lattice.couette", check_lattice) \
    X("lattice.duct", check_lattice) \
    X("lattice.taylor_green", check_lattice) \
    X("lattice.cavity", check_lattice) \
    X("lattice.cube", check_lattice) \
    X("lattice.cylinder", check_lattice_obstacles) \
    X("lattice.sphere", check_lattice_obstacles) \
    X("lattice.convection", check_lattice_obstacles) \
    X("lattice.pool", check_lattice_surface) \
    X("lattice.sloshing", check_lattice_surface) \
    X("lattice.drop", check_lattice_surface) \
    X("lattice.bubble", check_lattice_surface) \
    X("lattice.dam", check_lattice_surface) \
    X("mesh.screen.sphere", check_mesh_screen) \
    X("mesh.screen.layers", check_mesh_screen) \
    X("mesh.screen.filter", check_mesh_screen) \
    X("mesh.screen.detail", check_mesh_screen) \
    X("mesh.shapes", check_mesh) \
    X("mesh.order", check_mesh) \
    X("mesh.cells", check_mesh) \
    X("mesh.random", check_mesh) \
    X("mesh.snap", check_mesh) \
    X("mesh.height.cover", check_mesh_height) \
    X("mesh.height.surface", check_mesh_height) \
    X("mesh.height.steps", check_mesh_height) \
    X("mesh.height.island", check_mesh_height) \
    X("mesh.height.shallow", check_mesh_height) \
    X("mesh.particles.ball", check_mesh_particles) \
    X("mesh.particles.pool", check_mesh_particles) \
    X("mesh.particles.dam", check_mesh_particles) \
    X("mesh.particles.thin", check_mesh_particles)
// clang-format on
#define CHECK_DECLARE(name, fn) void fn(CheckRun* run, const char* group);
CHECK_GROUPS(CHECK_DECLARE)

typedef struct CheckOptions {
    bool is_json, is_quick, is_list;
    int threads;      // 0: one per core
    const char* plot; // the folder for plots, which must exist; NULL: none
} CheckOptions;

// Prints the names of the groups of checks without running them. Exit code: 0, or 2 if none matched.
int check_list(const char* filter, bool is_json, bool is_quick, FILE* out);
// Exit code for the command line: 0 all passed, 1 a check failed, 2 nothing matched.
int check_run(const char* filter, const CheckOptions* options, FILE* out);
