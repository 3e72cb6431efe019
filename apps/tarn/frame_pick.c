// Which solvers of a world a picture shows.

#include "frame_pick.h"
#include <stdio.h>
#include <string.h>

static bool set_water(FramePick* pick, const TarnWorld* world, void* solver)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    if (of == tarn_wave_class())
        pick->wave = solver;
    else if (of == tarn_shallow_class())
        pick->shallow = solver;
    else if (of == tarn_pipes_class())
        pick->pipes = solver;
    else
        return false;
    pick->water = solver;
    return true;
}

FramePick frame_pick(const TarnWorld* world, int number)
{
    FramePick pick = { 0 };
    void *solver, *named = NULL;
    for (int n = 0; number > 0 && (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        if (tarn_world_number(world, solver) == number) named = solver;
    const TarnSolverClass* of = named != NULL ? tarn_world_class_of(world, named) : NULL;
    bool is_dry =
        of == tarn_liquid_class() || of == tarn_particles_class() || of == tarn_gas_class();
    if (named != NULL && set_water(&pick, world, named)) return pick;
    for (int n = 0; !is_dry && (solver = tarn_world_get(world, NULL, n)) != NULL; ++n)
        if (set_water(&pick, world, solver)) return pick;
    pick.liquid = of == tarn_liquid_class() ? named : tarn_world_liquid(world, 0);
    pick.particles = tarn_world_particles(world, 0);
    pick.n_gases = tarn_world_gas_count(world);
    if (pick.n_gases > FRAME_MAX_GASES) pick.n_gases = FRAME_MAX_GASES;
    return pick;
}

static bool is_drawn(const TarnWorld* world, const FramePick* pick, const void* solver)
{
    if (solver == pick->water || solver == pick->liquid || solver == pick->particles) return true;
    for (int g = 0; g < pick->n_gases; ++g)
        if (solver == tarn_world_gas(world, g)) return true;
    // Effects steer what others draw.
    return tarn_world_class_of(world, solver)->phase == TARN_PHASE_EFFECTS;
}

bool frame_left_out(const TarnWorld* world, const FramePick* pick, char* text, size_t size)
{
    const void* solver;
    text[0] = '\0';
    for (int n = 0; (solver = tarn_world_get(world, NULL, n)) != NULL; ++n) {
        size_t length = strlen(text);
        if (is_drawn(world, pick, solver)) continue;
        snprintf(text + length, size - length, "%s%s (%s)", length > 0 ? ", " : "",
                 tarn_world_name_of(world, solver), tarn_world_class_of(world, solver)->name);
    }
    return text[0] != '\0';
}
