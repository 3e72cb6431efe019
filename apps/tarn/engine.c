// Engines that move bodies: those whose bridges were built in.

#include "engine.h"
#include "message.h"
#include <string.h>
#if defined(TARN_HAS_CHIPMUNK)
#include "tarn_chipmunk.h"
#endif
#if defined(TARN_HAS_ODE)
#include "tarn_ode.h"
#endif

const char* const engine_names[] = { "scene", "builtin", "chipmunk", "ode", NULL };

static const char* const packages[] = { "", "", "libchipmunk-dev", "libode-dev" };

static bool is_built(int kind)
{
#if defined(TARN_HAS_CHIPMUNK)
    if (kind == ENGINE_CHIPMUNK) return true;
#endif
#if defined(TARN_HAS_ODE)
    if (kind == ENGINE_ODE) return true;
#endif
    return kind == ENGINE_BUILTIN;
}

static TarnResult start(Engine* engine, TarnWorld* world)
{
    TarnBodies* bodies = tarn_world_bodies(world);
    (void)bodies;
#if defined(TARN_HAS_CHIPMUNK)
    if (engine->kind == ENGINE_CHIPMUNK) {
        TarnChipmunk* own;
        TarnResult result = tarn_chipmunk_create(bodies, &own);
        if (result != TARN_OK) return result;
        engine->own = own;
        result = tarn_chipmunk_step(bodies, 0.0f, own); // can it move all of them?
        if (result != TARN_OK) return result;
        return tarn_world_set_body_engine(world, tarn_chipmunk_step, own);
    }
#endif
#if defined(TARN_HAS_ODE)
    if (engine->kind == ENGINE_ODE) {
        TarnOde* own;
        TarnResult result = tarn_ode_create(bodies, &own);
        if (result != TARN_OK) return result;
        engine->own = own;
        result = tarn_ode_step(bodies, 0.0f, own);
        if (result != TARN_OK) return result;
        return tarn_world_set_body_engine(world, tarn_ode_step, own);
    }
#endif
    return tarn_world_set_body_engine(world, NULL, NULL);
}

bool engine_open(Engine* engine, TarnScene* scene, int wanted, bool is_quiet)
{
    int kind = wanted;
    for (int i = ENGINE_BUILTIN; wanted == ENGINE_SCENE && engine_names[i]; ++i) {
        if (strcmp(engine_names[i], tarn_scene_engine(scene)) == 0) kind = i;
    }
    *engine = (Engine){ .kind = kind };
    if (!is_built(kind)) {
        if (wanted != ENGINE_SCENE) {
            say("--engine %s is not built in: install %s and build again", engine_names[kind],
                packages[kind]);
            return false;
        }
        if (!is_quiet)
            say("the scene asks for the engine %s, which is not built in (%s); Tarn moves the "
                "bodies "
                "itself",
                engine_names[kind], packages[kind]);
        engine->kind = ENGINE_BUILTIN;
    }
    TarnResult result = start(engine, tarn_scene_world(scene));
    if (result == TARN_OK) return true;
    if (result == TARN_ERR_UNSUPPORTED)
        say("the engine %s cannot move all bodies of this scene: Chipmunk supports planar and "
            "hinged "
            "bodies, ODE "
            "all but span shapes; use --engine builtin",
            engine_names[engine->kind]);
    else
        say("cannot start the engine %s (%s)", engine_names[engine->kind],
            tarn_result_name(result));
    engine_close(engine);
    return false;
}

void engine_close(Engine* engine)
{
#if defined(TARN_HAS_CHIPMUNK)
    if (engine->kind == ENGINE_CHIPMUNK) tarn_chipmunk_destroy(engine->own);
#endif
#if defined(TARN_HAS_ODE)
    if (engine->kind == ENGINE_ODE) tarn_ode_destroy(engine->own);
#endif
    *engine = (Engine){ 0 };
}

const char* engine_name(const Engine* engine)
{
    return engine_names[engine->kind];
}
