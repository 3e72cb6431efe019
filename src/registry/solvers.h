// What exists: the one list of solvers, in the order of their classes. A new solver adds its line here, and says what
// else it brings: keys in scenes besides its tables (src/scene, SceneKind tarn__scene_NAME), and how it is drawn
// (view/draw_NAME.c). 1: yes, 0: no.
#pragma once

// X(name, has scene keys, has a drawer)
#define SOLVERS(X)                                                                                 \
    X(wave, 1, 1)                                                                                  \
    X(shallow, 1, 1)                                                                               \
    X(pipes, 1, 1)                                                                                 \
    X(wave_particles, 0, 0)                                                                        \
    X(ripple, 1, 0)                                                                                \
    X(flow_ripples, 0, 0)                                                                          \
    X(ocean, 0, 1)                                                                                 \
    X(liquid, 1, 1)                                                                                \
    X(particles, 1, 1)                                                                             \
    X(gas, 1, 1)                                                                                   \
    X(lattice, 1, 1)                                                                               \
    X(spray, 0, 1)                                                                                 \
    X(breakers, 0, 1)                                                                              \
    X(fire, 0, 0)                                                                                  \
    X(linkage, 1, 0)

// SOLVER_IF(1, text) is the text, SOLVER_IF(0, text) is nothing.
#define SOLVER_IF(has, ...) SOLVER_IF_##has(__VA_ARGS__)
#define SOLVER_IF_1(...)    __VA_ARGS__
#define SOLVER_IF_0(...)
