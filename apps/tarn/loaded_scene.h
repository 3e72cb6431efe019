// A context with a scene and the engine that moves its bodies. Most commands start by loading one.
#pragma once

#include "command.h"
#include "engine.h"

typedef struct SceneLoadDef {
    const char* scene;          // as given: a path or a name
    const Overrides* overrides; // may be NULL
    int threads;                // 0: one per core
    int isa;                    // TarnIsa
    size_t* memory;  // receives the bytes that the library has allocated. NULL: not counted
    int engine;      // EngineKind, for commands that step; 0: the one the scene asks for
    bool has_engine; // false: the scene is not stepped
    bool has_phases; // step reports include the milliseconds of each phase
    bool is_quiet;   // no message about an engine that is not built in
} SceneLoadDef;

typedef struct LoadedScene {
    TarnContext* ctx;
    TarnScene* scene;
    Engine engine;
    char* path; // of the scene file
} LoadedScene;

// Returns an exit code. Unless it is EXIT_OK, the error has been reported and nothing stays allocated.
int scene_load(LoadedScene* loaded, const SceneLoadDef* def);
void scene_unload(LoadedScene* loaded);
// "pool_drops" of "scenes/pool_drops.json", in a buffer of the given size. Returns it.
const char* scene_short_name(const char* path, char* name, size_t size);

// The choices of --isa, in the order of TarnIsa.
extern const char* const isa_names[];
// The options of commands that run a scene, whose struct has int threads, isa, engine; AT(field): its place there.
#define SCENE_OPTIONS(AT)                                                                          \
    { "threads",        0,    OPTION_INT,                                                          \
      AT(threads),      "N",  1,                                                                   \
      TARN_MAX_WORKERS, NULL, "number of worker threads; default: one per core" },                 \
        { "isa",                                                                                   \
          0,                                                                                       \
          OPTION_CHOICE,                                                                           \
          AT(isa),                                                                                 \
          "NAME",                                                                                  \
          0,                                                                                       \
          0,                                                                                       \
          isa_names,                                                                               \
          "instruction set: auto, baseline, avx2 or avx512; results are identical" },              \
    {                                                                                              \
        "engine", 0, OPTION_CHOICE, AT(engine), "NAME", 0, 0, engine_names,                        \
            "body engine: scene (the one it asks for), builtin, chipmunk or ode"                   \
    }
