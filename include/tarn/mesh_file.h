// tarn/mesh_file.h: reads and writes meshes as Wavefront OBJ, binary PLY and binary glTF 2.0 (.glb).
//
// Positions are in meters, right-handed with y up, as everywhere in Tarn and in glTF. PLY and glTF store
// velocities (vx vy vz, _VELOCITY) and named attributes; OBJ stores positions, normals and triangles only.
// What was written is read back bit for bit.
//
//     tarn_mesh_save(ctx, &mesh, "wave.glb");
//     tarn_mesh_film_create(ctx, "splash.glb", 1.0 / 30.0, &film); // then _add each frame, _finish, _destroy
//
// Files are not trusted: invalid ones are rejected with a message that says where. Which programs open them,
// with which axes and names: docs/meshes/files.md
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of files; TARN_MESH_MAX_NAME includes the terminating zero.
enum { TARN_MESH_MAX_ATTRIBUTES = 16, TARN_MESH_MAX_NAME = 32 };

typedef enum TarnMeshFormat {
    TARN_MESH_OBJ,
    TARN_MESH_PLY,
    TARN_MESH_GLB,
} TarnMeshFormat;

// Finds the format from the extension of a path: .obj, .ply or .glb. TARN_ERR_ARG: any other extension.
TARN_API TarnResult tarn_mesh_format(TarnContext* ctx, const char* path, TarnMeshFormat* out);

// ---- Writing -------------------------------------------------------------------------------------

// Writes a mesh to a file, in the format of its extension. TARN_ERR_DATA: a value is not finite, or an index
// refers to no vertex. TARN_ERR_ARG: an attribute name is invalid. TARN_ERR_IO: the file could not be
// written; no partial file stays.
TARN_API TarnResult tarn_mesh_save(TarnContext* ctx, const TarnMesh* mesh, const char* path);
// Writes a mesh to memory. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
// buffer may be NULL.
TARN_API TarnResult tarn_mesh_write(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format,
                                    void* buffer, size_t capacity, size_t* size);

// ---- Reading -------------------------------------------------------------------------------------

// What a file contains.
typedef struct TarnMeshInfo {
    int n_meshes; // meshes in a .glb; in a film, the frames that are not empty
    // The mesh that was read:
    int n_vertices, n_triangles;
    bool has_normal, has_velocity;
    int n_attributes;
    char attribute_name[TARN_MESH_MAX_ATTRIBUTES][TARN_MESH_MAX_NAME];
} TarnMeshInfo;

// Reads what tarn_mesh_save writes, and the triangles of other files of these formats; polygons become
// triangle fans. Buffers work as in tarn_marching_run: TARN_ERR_CAPACITY gives the sizes needed before
// anything is written, and without buffers the call only counts. Values that the file does not have are set
// to 0. info may be NULL. TARN_ERR_IO: the file cannot be read. TARN_ERR_DATA: it is invalid; the message
// says where and why.
TARN_API TarnResult tarn_mesh_load(TarnContext* ctx, const char* path, TarnMesh* mesh,
                                   TarnMeshInfo* info);
// Reads a mesh from memory. name is used in messages only; NULL: "mesh". A .glb with several meshes gives the
// first.
TARN_API TarnResult tarn_mesh_read(TarnContext* ctx, const void* data, size_t size,
                                   const char* name, TarnMeshFormat format, TarnMesh* mesh,
                                   TarnMeshInfo* info);
// Reads the n-th mesh of a .glb, from 0. Node transforms are not applied.
TARN_API TarnResult tarn_mesh_read_frame(TarnContext* ctx, const void* data, size_t size,
                                         const char* name, int n, TarnMesh* mesh,
                                         TarnMeshInfo* info);

// ---- Films ---------------------------------------------------------------------------------------

// An animated sequence of meshes in one .glb, which plays in Blender and in any viewer: each frame is its own
// mesh, shown for its time by an animation of its scale. Frames are written to a temporary file (path.bin) as
// they are added; memory grows by 40 bytes per frame.
typedef struct TarnMeshFilm TarnMeshFilm;
TARN_API TarnResult tarn_mesh_film_create(TarnContext* ctx, const char* path,
                                          double seconds_per_frame, TarnMeshFilm** out);
// Adds a frame. All frames must have the same arrays. TARN_ERR_CAPACITY: the .glb would exceed 4 GiB; the
// film can still be finished.
TARN_API TarnResult tarn_mesh_film_add(TarnMeshFilm* film, const TarnMesh* mesh);
// Completes the file. If it fails, or is never called, no file stays.
TARN_API TarnResult tarn_mesh_film_finish(TarnMeshFilm* film);
TARN_API void tarn_mesh_film_destroy(TarnMeshFilm* film); // NULL is fine

#ifdef __cplusplus
}
#endif
