// Inside src only: the state of breaking waves.
//
//   breakers.c          parameters, creation, the step, reading
//   breakers_detect.c   steep fronts on the grid become lines
//   breakers_lines.c    lines are tracked, resampled, cut, joined
//   breakers_sheets.c   rows of sheets are emitted, fly, land
//   breakers_mesh.c     rows become a closed mesh
//   breakers_curl.c     where a board can ride
//   breakers_state.c    hash and snapshots
#pragma once

#include "tarn/breakers.h"
#include "base/base.h"
#include "base/maths.h"
#include "bodies/bodies.h"

enum { MAX_SPLASHES = 1024 };

// On the steepest place of a front. Only floats and 32-bit integers: it is hashed and saved as bytes.
typedef struct LinePoint {
    float x, z; // [m]
    float dir_x, dir_z;
    float y;       // of the surface there [m]
    float back;    // distance from the crest [m]
    float ahead;   // distance to the foot of the front [m]
    float crest_y; // [m]
    float height;  // of the crest above the foot [m]
    float depth;   // of the water at the crest [m]
    float speed;   // along its direction [m/s]
    float slope;   // falling along the direction [m/m]
    float wait;    // until its sheet begins; negative: for how long it has one [s]
    float strength;
    float arc;        // [m]
    uint32_t key;     // never given twice
    uint32_t row;     // the last row it is in, as Row.number; 0: none
    uint32_t changed; // emission in which it or its neighborhood was last resampled
} LinePoint;

typedef struct Line {
    int32_t first, n; // in points
    int32_t is_closed;
    uint32_t id; // smaller is older
} Line;

enum { NODE_OUT = 1, NODE_SUNK = 2, NODE_GONE = 4 };

typedef struct Node {
    TarnVec3 at, v; // [m], [m/s]
    float age;      // [s]
    float arc;      // [m]
    float thick;    // [m]
    float span;     // length along the line that it stands for [m]
    uint32_t key;   // of its point
    uint32_t flags; // NODE_*
} Node;

typedef struct Row {
    uint32_t first;  // node, modulo max_nodes
    int32_t n, live; // nodes that are not gone
    int32_t is_closed;
    uint32_t number;  // counted from 1; its slot is number modulo max_rows
    uint32_t next[2]; // rows in front of it, emitted before; 0: none
} Row;

// A directed edge of the middle surface of the sheets, in a hash table.
typedef struct MeshEdge {
    uint64_t key;     // 0: free
    int32_t triangle; // that has it
    int32_t vertex;   // of the fan that it begins, if it needs one of its own
} MeshEdge;

// Three offsets of a point that is searched for, and which of their scores are known from the turn before.
enum { TRY_0 = 1, TRY_1 = 2, TRY_2 = 4 };
typedef struct Tries {
    float score[3];
    int32_t known; // TRY_*
} Tries;

// One grid cell while fronts are searched.
enum { CELL_STEEP = 1, CELL_NEAR = 2, CELL_ASKED = 4 };

struct TarnBreakers {
    TarnContext* ctx;
    size_t memory;
    TarnBreakersDef def;
    TarnBreakersParams params;
    double time;                   // [s]
    double moved;                  // [m^3]
    float since_search, since_row; // [s]
    uint32_t emissions, next_key, next_line;

    LinePoint *points, *spare; // of all lines, line by line
    Line *lines, *spare_lines;
    int32_t n_points, n_lines;

    Row* rows;   // ring: numbers row_head to row_end - 1
    Node* nodes; // ring: node_head to node_end - 1
    uint32_t row_head, row_end, node_head, node_end;
    Node* roots; // rows in the making, inside the crests, one node for each point that has a sheet
    Row* root_rows;
    int32_t n_roots, n_root_rows;

    TarnBreakerSplash* splashes;
    int32_t n_splashes;

    // Scratch of a step or of a mesh.
    uint32_t flags;                  // of the report
    float *height, *depth, *gx, *gz; // per cell
    float *steep_x, *steep_z;        // of the places whose velocity is asked for
    int32_t* steep_cell;             // the first n_steep after a search: those of fronts
    int32_t n_steep;
    TarnVec3* velocity;
    uint8_t* mark;                        // CELL_*
    int32_t *region, *stack;              // per cell
    int32_t* owner;                       // per cell: line + 1
    uint8_t* is_dead;                     // per point
    float *ask_x, *ask_z, *ask_y, *ask_d; // batches of queries
    TarnVec3* ask_n;
    float *try_at, *try_step; // per point
    Tries* tries;             // per point
    TarnVec3* normal;         // per node and root
    int32_t* vertex;          // per node and root
    uint32_t* triangles;      // of the middle of the sheets
    int32_t* corner;          // its vertices
    uint8_t* rims;            // per node and root: rims that begin there, at most 2
    uint8_t* open;            // per triangle: bits of its edges that are rims
    MeshEdge* edges;          // hash table
    int32_t max_triangles, edge_slots;
    int32_t ask_capacity;
    const TarnSurface* water; // during a step
};

TARN_INLINE int breakers_cells(const TarnBreakers* b)
{
    return b->def.nx * b->def.nz;
}
TARN_INLINE Row* breakers_row(const TarnBreakers* b, uint32_t number)
{
    return &b->rows[number % (uint32_t)b->def.max_rows];
}
TARN_INLINE bool breakers_has_row(const TarnBreakers* b, uint32_t number)
{
    return number >= b->row_head && number < b->row_end && number > 0;
}
TARN_INLINE Node* breakers_node(const TarnBreakers* b, uint32_t number)
{
    return &b->nodes[number % (uint32_t)b->def.max_nodes];
}
TARN_INLINE int breakers_in_air(const TarnBreakers* b)
{
    return (int)(b->node_end - b->node_head);
}

// Asks the water for n points of ask_x, ask_z: heights into ask_y, depths into ask_d and normals into ask_n if
// wanted. All values are finite afterwards.
void tarn__breakers_ask(TarnBreakers* b, int n, bool wants_depth, bool wants_normal);

// Looks for new fronts, makes lines of them and lengthens those that are there.
void tarn__breakers_search(TarnBreakers* b);
// Moves all lines along with their fronts.
void tarn__breakers_track(TarnBreakers* b, float dt);
// Drops, inserts and merges points, cuts and joins lines.
void tarn__breakers_resample(TarnBreakers* b);
// Finds crest, foot and slope of points that were placed anew: their depth is 0.
void tarn__breakers_settle(TarnBreakers* b);
// Strength of the sheets of all points.
void tarn__breakers_ramp(TarnBreakers* b, float dt);

void tarn__breakers_fly(TarnBreakers* b, TarnBodies* bodies, float dt);
void tarn__breakers_emit(TarnBreakers* b, float dt);
void tarn__breakers_root(TarnBreakers* b);
