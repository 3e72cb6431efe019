// Which solvers of a world a picture shows, where it holds more than one picture can.
#pragma once

#include "tarn/gas.h"
#include "tarn/liquid.h"
#include "tarn/particles.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/wave.h"
#include "tarn/world.h"

enum { FRAME_MAX_GASES = 8 };

// Either one height field, or a liquid, particles and gases.
typedef struct FramePick {
    const void* water; // the height field; NULL: it is the others
    const TarnWave* wave;
    TarnShallow* shallow;
    TarnPipes* pipes; // it by its type: one of the three
    const TarnLiquid* liquid;
    const TarnParticles* particles;
    int n_gases;
} FramePick;

// number: of the solver that the picture is about (view.solver); 0: of height fields the first, if there is one.
FramePick frame_pick(const TarnWorld* world, int number);
// "pond2 (wave), spray (particles)": what is not in the picture. False: everything is.
bool frame_left_out(const TarnWorld* world, const FramePick* pick, char* text, size_t size);
