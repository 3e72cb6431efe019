// Inside src/io: what the readers and writers of mesh files share.
#pragma once

#include "tarn/mesh_file.h"
#include "io/file.h"

// ---- Writing -------------------------------------------------------------------------------------

// Checks all of a mesh that goes to a file, and says what it has.
TarnResult tarn__mesh_describe(TarnContext* ctx, const TarnMesh* mesh, TarnMeshInfo* info);

void tarn__write_obj(const TarnMesh* mesh, const TarnMeshInfo* info, Output* out);
void tarn__write_ply(const TarnMesh* mesh, const TarnMeshInfo* info, Output* out);
// The only one that may fail: TARN_ERR_CAPACITY beyond 4 GiB.
TarnResult tarn__write_glb(TarnContext* ctx, const TarnMesh* mesh, const TarnMeshInfo* info,
                           Output* out);

// A .glb is a head that knows all that follows, then the arrays of its meshes, one after the other.
typedef struct GlbMesh {
    uint64_t offset;             // of its arrays, from the first
    int n_vertices, n_triangles; // no triangles: no arrays
    TarnVec3 min, max;           // of its positions
} GlbMesh;

typedef struct Glb {
    const TarnMeshInfo* parts; // that all its meshes have
    const GlbMesh* meshes;
    int n_meshes;
    double seconds_per_frame; // of a film; 0: it is one mesh
} Glb;

GlbMesh tarn__glb_mesh(const TarnMesh* mesh, uint64_t offset);
uint64_t tarn__glb_mesh_bytes(const TarnMeshInfo* parts, const GlbMesh* mesh);
void tarn__glb_put_arrays(const TarnMesh* mesh, const TarnMeshInfo* parts, Output* out);
// Everything in front of the arrays. TARN_ERR_CAPACITY: the file would be larger than 4 GiB.
TarnResult tarn__glb_put_head(TarnContext* ctx, const Glb* glb, Output* out);
// What a film has behind them: when its frames are shown.
void tarn__glb_put_times(const Glb* glb, Output* out);

// ---- Reading -------------------------------------------------------------------------------------

// A file in memory, with a name for messages.
typedef struct MeshInput {
    TarnContext* ctx;
    const char* name;
    const uint8_t* bytes;
    size_t size;
    int frame;     // of a .glb
    int64_t* memo; // what the first pass has found, for the second
} MeshInput;

// Without a mesh all of the file is checked and described in info; with one, which is large enough and zero,
// it is filled, and nothing can fail but memory.
TarnResult tarn__read_obj(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh);
TarnResult tarn__read_ply(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh);
TarnResult tarn__read_glb(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh);

// An attribute of this name in the file: cut, and made of printable characters.
void tarn__mesh_add_name(TarnMeshInfo* info, const char* name);

// Words of a text, line by line.
typedef struct MeshText {
    const char *at, *end;
    int line;
    char word[MAX_WORD + 1]; // the last one, cut if it is longer
} MeshText;
bool tarn__mesh_word(MeshText* text);      // false: the line has no more
bool tarn__mesh_next_line(MeshText* text); // false: that was the last
