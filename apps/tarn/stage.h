// A context and a scene in it: what most commands begin with.
#pragma once

#include "command.h"
#include "engine.h"

typedef struct StageDef {
    const char* scene;          // as given: a path or a name
    const Overrides* overrides; // may be NULL
    int threads;                // 0: one per core
    int isa;                    // TarnIsa
    size_t* memory;             // counts the bytes that the library holds. NULL: not counted
    int engine;                 // EngineKind, for those that step; 0: what the scene wishes for
    bool has_engine;            // else the scene is only looked at
    bool has_phases;            // steps tell the milliseconds of their phases
    bool is_quiet;              // says nothing of an engine that is not there
} StageDef;

typedef struct Stage {
    TarnContext* ctx;
    TarnScene* scene;
    Engine engine;
    char* path; // of the scene file
} Stage;

// Returns an exit code; anything but EXIT_OK has been explained, and nothing stays open.
int stage_open(Stage* stage, const StageDef* def);
void stage_close(Stage* stage);
// "pool_drops" of "scenes/pool_drops.json", in a buffer of the given size. Returns it.
const char* scene_short_name(const char* path, char* name, size_t size);

// The choices of --isa, in the order of TarnIsa.
extern const char* const isa_names[];
// The options of commands that run a scene, whose struct has int threads, isa, engine; AT(field): its place there.
#define STAGE_OPTIONS(AT)                                                                          \
    { "threads",        0,    OPTION_INT,                                                          \
      AT(threads),      "N",  1,                                                                   \
      TARN_MAX_WORKERS, NULL, "threads that compute; default: one per core" },                     \
        { "isa",   0,         OPTION_CHOICE,                                                       \
          AT(isa), "NAME",    0,                                                                   \
          0,       isa_names, "auto, baseline, avx2 or avx512; the results are the same" },        \
    {                                                                                              \
        "engine", 0, OPTION_CHOICE, AT(engine), "NAME", 0, 0, engine_names,                        \
            "who moves bodies: scene (what it wishes for), builtin, chipmunk or ode"               \
    }
