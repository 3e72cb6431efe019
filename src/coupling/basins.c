// Grids of water as basins of bodies.

#include "coupling/basins.h"

// The wave solver does not know how high its walls are. High enough that no boat climbs them [m].
static const float wall_height = 2.0f;

static bool is_wave_wall(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}

BodyBasin tarn__wave_basin(const TarnWave* wave)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    return (BodyBasin){ .nx = def->nx,
                        .nz = def->nz,
                        .dx = def->dx,
                        .origin = tarn_wave_origin(wave),
                        .is_closed = { is_wave_wall(def->edge_x0), is_wave_wall(def->edge_x1),
                                       is_wave_wall(def->edge_z0), is_wave_wall(def->edge_z1) },
                        .ground = tarn_wave_bed_depths(wave),
                        .floor = def->level - def->depth,
                        .is_depth = true,
                        .level = def->level,
                        .has_walls = true,
                        .wall_top = def->level + wall_height };
}

BodyBasin tarn__shallow_basin(const TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    const int wall = TARN_SHALLOW_REFLECTING;
    return (BodyBasin){ .nx = def->nx,
                        .nz = def->nz,
                        .dx = def->dx,
                        .origin = tarn_shallow_origin(water),
                        .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall,
                                       def->edge_z0 == wall, def->edge_z1 == wall },
                        .ground = tarn_shallow_bed(water) };
}

BodyBasin tarn__pipes_basin(const TarnPipes* pipes)
{
    const TarnPipesDef* def = tarn_pipes_def(pipes);
    const int wall = TARN_PIPES_CLOSED;
    return (BodyBasin){ .nx = def->nx,
                        .nz = def->nz,
                        .dx = def->dx,
                        .origin = tarn_pipes_origin(pipes),
                        .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall,
                                       def->edge_z0 == wall, def->edge_z1 == wall },
                        .ground = tarn_pipes_ground(pipes) };
}
