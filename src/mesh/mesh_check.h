// Inside src: is this a mesh? For everything that takes one.
#pragma once

#include "tarn/mesh.h"
#include "base/base.h"

// Counts are not below 0, there are arrays, every index has its vertex. TARN_ERR_ARG, TARN_ERR_DATA.
TarnResult tarn__mesh_check(TarnContext* ctx, const TarnMesh* mesh);
