// Who moves the bodies of a scene: Tarn itself, or an engine behind a bridge.
#pragma once

#include "tarn/scene.h"

typedef struct Engine {
    int kind;  // of EngineKind
    void* own; // the bridge's object
} Engine;

typedef enum EngineKind { ENGINE_SCENE, ENGINE_BUILTIN, ENGINE_CHIPMUNK, ENGINE_ODE } EngineKind;

// The choices of --engine, in the order of EngineKind; the first is the one the scene asks for.
extern const char* const engine_names[];

// Gives the scene's world its engine. Returns false and reports the error if the engine given by the user is not
// built in, or if there is not enough memory. If only the scene asks for it, Tarn's own is used, with a message.
bool engine_open(Engine* engine, TarnScene* scene, int wanted, bool is_quiet);
void engine_close(Engine* engine);             // before the scene
const char* engine_name(const Engine* engine); // "builtin"
