// tarn/mesh_file.h: meshes to and from files: Wavefront OBJ, PLY (binary), glTF 2.0 (binary, .glb).
//
// Positions in meters, y up, right-handed, as everywhere here and in glTF. PLY and glTF keep velocities
// (vx vy vz, _VELOCITY) and attributes with their names, OBJ positions, normals and triangles. What was
// written reads back to the same bits.
//
//     tarn_mesh_save(ctx, &mesh, "wave.glb");
//     tarn_mesh_film_create(ctx, "splash.glb", 1.0 / 30.0, &film); // then _add each frame, _finish, _destroy
//
// Files from outside are hostile until read: bad ones are refused with a sentence that says where.
// What opens them, with which axes and names: docs/meshes/files.md
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TARN_MESH_MAX_ATTRIBUTES = 16, TARN_MESH_MAX_NAME = 32 }; // of files; a name with its zero

typedef enum TarnMeshFormat {
    TARN_MESH_OBJ,
    TARN_MESH_PLY,
    TARN_MESH_GLB,
} TarnMeshFormat;

// By the end of a path: .obj, .ply, .glb. TARN_ERR_ARG: another.
TARN_API TarnResult tarn_mesh_format(TarnContext* ctx, const char* path, TarnMeshFormat* out);

// ---- Writing -------------------------------------------------------------------------------------

// TARN_ERR_DATA: something is not finite, or an index has no vertex. TARN_ERR_ARG: a name that cannot be.
// TARN_ERR_IO: the file could not be written; no half file stays.
TARN_API TarnResult tarn_mesh_save(TarnContext* ctx, const TarnMesh* mesh, const char* path);
// Into memory. *size: what it takes; TARN_ERR_CAPACITY if that is more than capacity (buffer may be NULL).
TARN_API TarnResult tarn_mesh_write(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format,
                                    void* buffer, size_t capacity, size_t* size);

// ---- Reading -------------------------------------------------------------------------------------

// What is in a file.
typedef struct TarnMeshInfo {
    int n_meshes; // of a .glb; the frames of a film that are not empty
    // Of the mesh that is read:
    int n_vertices, n_triangles;
    bool has_normal, has_velocity;
    int n_attributes;
    char attribute_name[TARN_MESH_MAX_ATTRIBUTES][TARN_MESH_MAX_NAME];
} TarnMeshInfo;

// Reads what tarn_mesh_save writes, and other files of these formats as far as triangles go (polygons become
// fans). Buffers as with tarn_marching_run: TARN_ERR_CAPACITY says what is needed before anything is written;
// without buffers it only counts. What the file does not have is 0. name is used in sentences only, NULL:
// "mesh". info may be NULL. TARN_ERR_DATA: refused, the sentence says why and where.
TARN_API TarnResult tarn_mesh_load(TarnContext* ctx, const char* path, TarnMesh* mesh,
                                   TarnMeshInfo* info);
TARN_API TarnResult tarn_mesh_read(TarnContext* ctx, const void* data, size_t size,
                                   const char* name, TarnMeshFormat format, TarnMesh* mesh,
                                   TarnMeshInfo* info);
// Of several meshes in a .glb the n-th, from 0; tarn_mesh_read gives the first. Transforms of nodes are
// not applied.
TARN_API TarnResult tarn_mesh_read_frame(TarnContext* ctx, const void* data, size_t size,
                                         const char* name, int n, TarnMesh* mesh,
                                         TarnMeshInfo* info);

// ---- Films ---------------------------------------------------------------------------------------

// A film of meshes in one .glb that plays in Blender and in any viewer: each frame is a mesh of its own,
// shown for its time by an animation of its scale. Frames go to a file beside (path.bin) as they come; memory
// grows by 40 bytes with each.
typedef struct TarnMeshFilm TarnMeshFilm;
TARN_API TarnResult tarn_mesh_film_create(TarnContext* ctx, const char* path,
                                          double seconds_per_frame, TarnMeshFilm** out);
// All frames have the same arrays. TARN_ERR_CAPACITY: a .glb has at most 4 GiB; the film may be finished.
TARN_API TarnResult tarn_mesh_film_add(TarnMeshFilm* film, const TarnMesh* mesh);
// Completes the file. After an error, and without it, no file stays.
TARN_API TarnResult tarn_mesh_film_finish(TarnMeshFilm* film);
TARN_API void tarn_mesh_film_destroy(TarnMeshFilm* film); // NULL is fine

#ifdef __cplusplus
}
#endif
