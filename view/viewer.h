// What the files of the view library share.
//
// One frame is made in these steps (viewer.c):
//   collect   each solver's drawer adds layers (draw_*.c, drawers.c); bodies, solids and buildings are added
//   blend     with a kept state: layers between the two (kept.c, between.c)
//   camera    what it frames, or where it was placed; sun and sky (camera.c)
//   finish    layers that need the camera: meshes of liquids (draw_liquid.c)
#pragma once

#include "base/base.h"
#include "tarn/view.h"

typedef TarnDrawingBlock Block;

// ---- Layers --------------------------------------------------------------------------------------

// Layers of one type, side by side as a frame wants them, and whose each is: a solver's number, or the key of a body or
// a solid.
typedef struct LayerList {
    Block items, owners;
    int n;
} LayerList;
typedef struct Layers {
    LayerList waters, liquids, particles, gases, meshes, bodies, solids;
} Layers;

// Appends an item; TARN_ERR_MEMORY.
TarnResult tarn__view_list_add(TarnContext* ctx, LayerList* list, const void* item, size_t size,
                               uint64_t owner);
void tarn__view_layers_clear(Layers* layers);
void tarn__view_layers_free(TarnContext* ctx, Layers* layers);
// Points the lists of a frame to the layers.
void tarn__view_layers_show(const Layers* layers, TarnFrame* frame);

static inline uint64_t layer_owner(const LayerList* list, int n)
{
    return ((const uint64_t*)list->owners.data)[n];
}
#define LAYER(Type, list, n) (((Type*)(list)->items.data) + (n))

// Bodies are keyed by id and part: 0 the body itself, 1 and up its sails. Buildings are keyed by their number, solids by id
// and part (the bars of a tank).
uint64_t tarn__view_thing_key(uint64_t id, int part);

// A map from keys to indices, rebuilt whenever it is used.
typedef struct IdMap {
    Block block;
    uint64_t mask;
} IdMap;
TarnResult tarn__view_ids_clear(TarnContext* ctx, IdMap* map, int n); // with room for n
void tarn__view_ids_add(IdMap* map, uint64_t key, int index);
int tarn__view_ids_find(const IdMap* map, uint64_t key); // -1: not there

// ---- A state that was kept -------------------------------------------------------------------------

typedef struct Kept {
    bool is_there;
    Layers layers;
    Block memory;    // everything that the layers point to
    double time;     // [s]
    TarnVec3 anchor; // of the camera, which moves on evenly
    bool has_anchor;
} Kept;

// ---- The viewer --------------------------------------------------------------------------------------

enum { MAX_DRAWERS = 16, MAX_LOOKS = 16, MAX_ONLY = 64, NAME_SIZE = 32 };

// A solver as the viewer knows it.
typedef struct SolverView {
    void* solver;
    int number; // in the world; another one at the same address is another solver
    const TarnDrawer* drawer;
    void* memory;
    Block waves; // map of what lies on it
    bool has_look;
    TarnSolverLook look; // that the host has set
    TarnParticleLook looks[MAX_LOOKS];
} SolverView;

typedef struct SolidMesh { // of a solid that is no plain shape, local
    TarnSolidId id;
    Block vertices, triangles;
    int n_vertices, n_triangles;
} SolidMesh;

typedef struct
    ViewThings { // what bodies, solids and buildings are drawn from, beside what the world holds
    Block triangles; // of all hulls, side by side
    Block vertices;  // of all buildings
    Block meshes;    // SolidMesh
    int n_meshes;
    bool has_sections; // 2-D: some solids are no plain shapes
} ViewThings;

typedef struct ViewCamera {
    TarnViewerCamera wish;
    // Land is framed once: ground that is dug, carved or entered by the window would make the picture swim.
    TarnCamera land;
    TarnVec2 land_origin;
    uint64_t land_owner;
    float land_aspect, land_yaw, land_pitch;
    bool has_land;
    TarnVec3 anchor; // what the camera moves with, in the last update [m]
} ViewCamera;

struct TarnViewer {
    TarnContext* ctx;
    TarnViewerDef def; // pointers that were copied are cleared
    TarnWorld* world;
    TarnScene* scene;
    TarnSceneView view; // of the scene, or the defaults
    char only[MAX_ONLY][NAME_SIZE];
    int n_only;
    const TarnDrawer* drawers[MAX_DRAWERS];
    TarnParticleSurfaceParams surface; // cookie 0: the usual
    Block solvers;                     // SolverView*
    int n_solvers;
    ViewThings things;
    ViewCamera camera;
    Layers now, shown;
    Layers* target;   // where layers are added: now, or shown in finish
    TarnFrameSea sea; // of now
    bool has_sea;
    Kept kept;
    Block blended; // what the layers of shown point to
    IdMap ids;
    bool has_sky;
    TarnFrameSky sky; // that the host has set
    TarnFrame frame;
    bool has_frame;
};

// ---- Solvers and drawers (drawers.c) ---------------------------------------------------------------

// The drawer of a class: one of the host, of the library, or the one for any Surface; NULL: none.
const TarnDrawer* tarn__view_drawer_for(const TarnViewer* viewer, const TarnSolverClass* of);
// Updates the list of solvers: new ones get a drawer and its memory, those that are gone are freed.
TarnResult tarn__view_find_solvers(TarnViewer* viewer);
extern const TarnDrawer tarn__view_draw_surface; // for any solver that offers a Surface and a basin

// Samples what lies on top of a water; texels NULL: nothing does. TARN_ERR_MEMORY.
TarnResult tarn__view_waves_on(TarnViewer* viewer, SolverView* solver, TarnFrameWaves* map);

// ---- What is drawn of the world beside its solvers ------------------------------------------------------

TarnResult tarn__view_add_bodies(TarnViewer* viewer);
TarnResult tarn__view_add_blocks(TarnViewer* viewer);
// is_flat: beside a 2-D liquid, whose box has this larger side [m].
TarnResult tarn__view_add_solids(TarnViewer* viewer, bool is_flat, float side);
void tarn__view_solids_free(TarnViewer* viewer);
// Fills an empty mesh with the surface of a solid that is no plain shape. TARN_ERR_MEMORY.
TarnResult tarn__view_mesh_solid(TarnContext* ctx, const TarnSolidDef* def, SolidMesh* out);
TarnVec3 tarn__view_turn(TarnQuat q, TarnVec3 v); // rotates a vector

// ---- Looks (looks.c) -------------------------------------------------------------------------------

// How a solver is drawn, as the host, the scene or the defaults say.
TarnSolverLook tarn__view_look_of(const TarnViewer* viewer, SolverView* solver);
TarnThingLook tarn__view_look_of_body(const TarnViewer* viewer, TarnBodyId body);
TarnThingLook tarn__view_look_of_solid(const TarnViewer* viewer, TarnSolidId solid);

// ---- Between two states ----------------------------------------------------------------------------

TarnResult tarn__view_keep_layers(TarnContext* ctx, const Layers* now, Kept* kept);
// Fills viewer->shown from the kept layers and those of now.
TarnResult tarn__view_blend_layers(TarnViewer* viewer, float share, double span);
// Hands out parts of a block: the first pass counts (base NULL), the second places.
typedef struct Arena {
    char* base;
    size_t used;
} Arena;
void* tarn__view_arena_take(Arena* arena, size_t bytes);

// ---- Camera ------------------------------------------------------------------------------------------

// Sets camera, sun, sky and what else is a matter of taste, from the layers that the frame shows.
void tarn__view_set_camera(TarnViewer* viewer, TarnFrame* frame);
bool tarn__view_is_flat(const Layers* layers); // holds a 2-D liquid
