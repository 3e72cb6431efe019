// Meshes, and what stands around and in the water of a basin.
#pragma once

#include "objects.h"

// ---- Meshes (geometry.c) -----------------------------------------------------------------------

// A vertex stands at core * core_size + normal * radius: one sphere, one rounded box and one
// capsule serve all sizes.
typedef struct Vertex {
    float core[3], normal[3];
} Vertex;

typedef struct MeshData {
    TarnContext* ctx;
    Vertex* vertices;
    uint32_t* indices;
    int n_vertices, n_indices;
    int capacity_v, capacity_i; // elements
    bool is_broken;             // out of memory: everything added since is lost
} MeshData;

int tarn__mesh_vertex(MeshData* data, TarnVec3 core, TarnVec3 normal); // its index
void tarn__mesh_triangle(MeshData* data, int a, int b, int c);
void tarn__mesh_grid(MeshData* data, TarnVec3 corner, TarnVec3 u, TarnVec3 v, int nu, int nv,
                     TarnVec3 normal);
void tarn__mesh_free(MeshData* data);
TarnResult tarn__mesh_upload(const MeshData* data, Mesh* mesh);
void tarn__mesh_destroy(Mesh* mesh);
void tarn__mesh_draw(const Mesh* mesh);

void tarn__build_sphere(MeshData* data);
void tarn__build_box(MeshData* data);
void tarn__build_capsule(MeshData* data);
// Plan grid of the basin: (u, v) from 0 to 1 over it, n by n quads, and rows that grow outwards to
// `reach` basin sizes on the sides that are open. The core holds (u, 0, v).
void tarn__build_plan(MeshData* data, int n_x, int n_z, const bool is_open[4], float reach);

// ---- What stands around and in the water (basin.c, walls.c) -------------------------------------

typedef struct BasinShape {
    float x0, z0, x1, z1; // [m]
    float rest, bottom;   // y of calm water and of the lowest floor [m]
    float rim_top, deck;  // y [m]
    float coping;         // width of the rim [m]
    float plain;          // height of the land outside above calm water [m]
    float far;            // how far ground and sea reach [m]
    bool is_open[4];      // water goes on at -x, +x, -z, +z
    bool is_natural;      // the bed is land: no rim, the land goes on outside
    bool has_terrain;     // the bed varies
    bool is_block;        // a vessel that stands free
} BasinShape;

void tarn__build_pool(MeshData* data, const BasinShape* shape);   // floor (if flat), inner walls
void tarn__build_coping(MeshData* data, const BasinShape* shape); // rim
void tarn__build_deck(MeshData* data, const BasinShape* shape);   // ground around it
void tarn__build_quay(MeshData* data, const BasinShape* shape);   // its faces to open water
void tarn__build_walls(MeshData* data, const float* mask, int nx, int nz, const BasinShape* shape,
                       float top); // mask: 0 to 1 per cell
// Of land: the four faces of its block.
void tarn__build_cut(MeshData* data, int n_x, int n_z);
