// tarn/mesh_file.h: meshes to and from files: Wavefront OBJ, PLY (binary), glTF 2.0 (binary, .glb).
//
// Positions in meters, y up, right-handed, as everywhere here and in glTF; Blender's importers turn them. PLY
// and glTF keep velocities (vx vy vz, _VELOCITY) and attributes, OBJ positions, normals and triangles.
// Files from outside are hostile until read: bad ones are refused with a sentence that says where.
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnMeshFormat {
    TARN_MESH_OBJ,
    TARN_MESH_PLY,
    TARN_MESH_GLB,
} TarnMeshFormat;

// By the end of a path: .obj, .ply, .glb. TARN_ERR_ARG: another.
TARN_API TarnResult tarn_mesh_format(TarnContext* ctx, const char* path, TarnMeshFormat* out);
TARN_API TarnResult tarn_mesh_save(TarnContext* ctx, const TarnMesh* mesh, const char* path);
// Into memory. *size: what it takes; TARN_ERR_CAPACITY if that is more than capacity (buffer may be NULL).
TARN_API TarnResult tarn_mesh_write(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format,
                                    void* buffer, size_t capacity, size_t* size);
// Reads what tarn_mesh_save writes, and other files of these formats as far as triangles go. Buffers as with
// tarn_marching_run: what is needed is said before anything is written.
TARN_API TarnResult tarn_mesh_load(TarnContext* ctx, const char* path, TarnMesh* mesh);
TARN_API TarnResult tarn_mesh_read(TarnContext* ctx, const void* data, size_t size,
                                   TarnMeshFormat format, TarnMesh* mesh);

// A film of meshes in one .glb that plays in Blender and in any viewer: each frame is a mesh of its own, shown
// for its time. Frames are written as they come; memory does not grow with them but for a few bytes each.
typedef struct TarnMeshFilm TarnMeshFilm;
TARN_API TarnResult tarn_mesh_film_create(TarnContext* ctx, const char* path,
                                          double seconds_per_frame, TarnMeshFilm** out);
TARN_API TarnResult tarn_mesh_film_add(TarnMeshFilm* film, const TarnMesh* mesh);
// Completes the file. After an error, and without it, the file is removed.
TARN_API TarnResult tarn_mesh_film_finish(TarnMeshFilm* film);
TARN_API void tarn_mesh_film_destroy(TarnMeshFilm* film); // NULL is fine

#ifdef __cplusplus
}
#endif
