// `--set surface.NAME=VALUE`: parameters of the surface of a liquid, for mesh files and pictures.
#pragma once

#include "command.h"
#include "tarn/particle_surface.h"

// Moves the overrides that begin with "surface." from all to surface and removes that prefix.
void surface_take_options(Overrides* all, Overrides* surface);
// The default parameters with these overrides. Returns an exit code; unless it is EXIT_OK, the error has been reported.
int surface_set_params(TarnContext* ctx, const Overrides* surface,
                       TarnParticleSurfaceParams* params);
// The same for pictures of a scene, which must be drawn as such a mesh; without options *params stays as it is.
int surface_set_picture(TarnContext* ctx, TarnScene* scene, const Overrides* surface,
                        TarnParticleSurfaceParams* params);
// Checks that the scene has a liquid to which --liquid and --look (NULL: not given) apply. Returns an exit code.
int surface_check_looks(const Command* command, TarnScene* scene, const char* liquid,
                        const char* look);
// Is its liquid drawn as a mesh? is_closed: that of its whole surface, not of what is seen alone.
bool surface_is_drawn(TarnScene* scene, bool is_closed);
