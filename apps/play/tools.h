// Tools: what the pointer does. Each is an entry of one list (tool_list.c), keyed by what a world offers - a Surface that
// can be pushed, a list of sources, free bodies - and not by the kind of a solver, so that solvers that arrive later get
// their interactions with nothing but their class.
#pragma once

#include "play_internal.h"

// Where the pointer is in the world while it is dragged.
typedef enum ToolPlane {
    PLANE_FACING, // a plane that faces the camera, at the depth where it went down
    PLANE_LEVEL,  // the level plane at the height where it went down
    PLANE_PICKED, // what is seen there, at any moment
} ToolPlane;

typedef struct Tool {
    const char *id, *name, *hint;
    ToolPlane plane;
    bool is_automatic;  // "auto" may choose it, in the order of the list
    const char* target; // what it then acts on, in a sentence; NULL: not named
    // Can the tool act on this solver? NULL: it does not act on solvers.
    bool (*suits)(const TarnPlay* play, void* solver, const TarnSolverClass* of);
    // Is there something for it in this world? NULL: yes if it suits a solver.
    bool (*offers)(const TarnPlay* play);
    // The pointer went down: sets what it acts on. is_auto: only if it is what the pointer is on. false: nothing there.
    bool (*begin)(TarnPlay* play, Grip* grip, bool is_auto);
    // Before each step while the pointer is down, and at least once.
    void (*act)(TarnPlay* play, Grip* grip, float dt);
} Tool;

extern const Tool tool_list[];
extern const int n_tools;

// ---- For tools -------------------------------------------------------------------------------------------------

float tool_radius(const TarnPlay* play, const Grip* grip); // of the brush at the grip's depth [m]
// The first solver that the tool suits: the one that was picked, or any.
void* tool_solver(const TarnPlay* play, const Tool* tool, const TarnPick* pick, bool only_picked);
// The box of a solver [m]: its def's box, or its cells; false: unknown.
bool tool_box(const TarnWorld* world, void* solver, TarnVec3* min, TarnVec3* max);
// A value of the def of a solver by name; `otherwise` if there is none.
double tool_def_value(const TarnSolverClass* of, const void* solver, const char* name,
                      double otherwise);
bool tool_has_surface(const TarnSolverClass* of, const void* solver); // not a lattice full of air
const TarnListClass* tool_find_list(const TarnSolverClass* of, const char* name);
// Adds the part that the grip holds, or changes it: a def of its list, placed at a point with +y along a direction.
void tool_hold_part(TarnPlay* play, Grip* grip, void* def, TarnVec3 at, TarnVec3 up,
                    TarnVec3 velocity);
void tool_set(TarnPlay* play, const TarnListClass* list, void* def, const char* name, double value);
void tool_set3(TarnPlay* play, const TarnListClass* list, void* def, const char* name,
               TarnVec3 value);
bool tool_emits(const TarnSolverClass* of, int kind); // does it take emitters of this kind?

// ---- Gates (tool_gates.c) -----------------------------------------------------------------------------------------

bool tool_has_gates(const TarnPlay* play);
bool tool_begin_gate(TarnPlay* play, Grip* grip, bool is_auto);
void tool_turn_gate(TarnPlay* play, Grip* grip, float dt);
// Moves a gate that was clicked on.
void tool_move_gate(TarnPlay* play, float dt);
