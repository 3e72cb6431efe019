// What `--set surface.NAME=VALUE` says of the surface of a liquid, for meshes in files and in pictures alike.
#pragma once

#include "command.h"
#include "tarn/particle_surface.h"

// Moves what begins with "surface." from all to surface, without that word.
void surface_take_options(Overrides* all, Overrides* surface);
// The usual parameters, changed as they say. Returns an exit code; anything but EXIT_OK has been explained.
int surface_set_params(TarnContext* ctx, const Overrides* surface,
                       TarnParticleSurfaceParams* params);
// The same for pictures of a scene, which must be drawn as such a mesh; without options *params stays as it is.
int surface_set_picture(TarnContext* ctx, TarnScene* scene, const Overrides* surface,
                        TarnParticleSurfaceParams* params);
// --liquid and --look, NULL where not given: the scene must have a liquid that they are about. Returns an exit code.
int surface_check_looks(const Command* command, TarnScene* scene, const char* liquid,
                        const char* look);
// Is its liquid drawn as a mesh? is_closed: that of its whole surface, not of what is seen alone.
bool surface_is_drawn(TarnScene* scene, bool is_closed);
