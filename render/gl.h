// The GL that this platform has. All of the renderer keeps to what GL ES 3.0, desktop GL 3.3 core and
// WebGL 2 share: no client arrays, no mapped buffers, no formats beyond ES 3.0 but float targets.
#pragma once

#if defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif
