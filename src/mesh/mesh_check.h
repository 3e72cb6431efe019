// Inside src: what everything that fills or takes a mesh asks of it.
#pragma once

#include "tarn/mesh.h"
#include "base/base.h"

// Counts are not below 0, there are arrays, every index has its vertex. TARN_ERR_ARG, TARN_ERR_DATA.
TarnResult tarn__mesh_check(TarnContext* ctx, const TarnMesh* mesh);
// Checks that a mesh can be filled; `who` begins the message.
TarnResult tarn__mesh_accepts(TarnContext* ctx, const char* who, const TarnMesh* mesh);
// Says how much is needed, and whether there is room in the buffers that are there. TARN_ERR_CAPACITY.
TarnResult tarn__mesh_room(TarnContext* ctx, const char* who, TarnMesh* mesh, int n_vertices,
                           int n_triangles);
