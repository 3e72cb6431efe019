// What exists: the solvers of the library (registry/solvers.h), then those that a host has registered.

#include "registry/registry.h"
#include "base/maths.h"
#include "registry/solvers.h"

#define DECLARE(name, keys, drawer)  TARN_API const TarnSolverClass* tarn_##name##_class(void);
#define CLASS_FN(name, keys, drawer) tarn_##name##_class,
SOLVERS(DECLARE)
typedef const TarnSolverClass* ClassFn(void);
static ClassFn* const classes[] = { SOLVERS(CLASS_FN) };

const TarnSolverClass* tarn_solver_class_at(const TarnContext* ctx, int n)
{
    if (n < 0) return NULL;
    if (n < COUNT_OF(classes)) return classes[n]();
    int extra = n - COUNT_OF(classes);
    return ctx && extra < ctx->n_classes ? ctx->classes[extra] : NULL;
}

const TarnSolverClass* tarn_solver_class_find(const TarnContext* ctx, const char* name)
{
    const TarnSolverClass* found;
    for (int n = 0; name && (found = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        if (strcmp(found->name, name) == 0) return found;
    }
    return NULL;
}

static bool is_name(const char* name)
{
    size_t n = name ? strlen(name) : 0;
    bool is_good = n > 0 && n < 32 && name[0] >= 'a' && name[0] <= 'z';
    for (size_t i = 0; is_good && i < n; ++i) {
        char c = name[i];
        is_good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    }
    return is_good;
}

// What is missing, or NULL.
static const char* missing(const TarnSolverClass* c)
{
    if (!c->def_table || !c->init_def || !c->def) return "def_table, init_def and def";
    if (!c->create || !c->destroy || !c->memory) return "create, destroy and memory";
    if (!c->step || !c->reset) return "step and reset";
    if (!c->hash || !c->save || !c->load) return "hash, save and load";
    if (c->params_table && (!c->get_params || !c->set_params)) return "get_params and set_params";
    if (c->emitters && !c->emit) return "emit";
    if (c->shift && !c->basin) return "basin, because its window can shift";
    return NULL;
}

static TarnResult check_lists(TarnContext* ctx, const TarnSolverClass* c)
{
    for (int i = 0; i < c->n_lists; ++i) {
        const TarnListClass* list = &c->lists[i];
        if (!list->name || !list->table || !list->init || !list->add || (list->carry && !list->set))
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "solver %s: list %d lacks name, table, init or add, or it has carry but not set",
                c->name, i);
        if (list->table()->struct_size > TARN_LIST_MAX_DEF)
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "solver %s: the def of its list %s has %zu bytes; allowed: at most %d", c->name,
                list->name, list->table()->struct_size, TARN_LIST_MAX_DEF);
    }
    return TARN_OK;
}

TarnResult tarn_solver_register(TarnContext* ctx, const TarnSolverClass* solver_class)
{
    if (ctx == NULL) return TARN_ERR_ARG;
    if (solver_class == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "solver class: it is NULL; pass a TarnSolverClass");
    if (solver_class->size != sizeof(TarnSolverClass))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solver class: its size is %zu, but that of the library is %zu; set size "
                          "to sizeof(TarnSolverClass) and rebuild against this version's headers",
                          solver_class->size, sizeof(TarnSolverClass));
    if (!is_name(solver_class->name))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solver class: its name must be 1 to 31 lowercase letters, digits and _, "
                          "beginning with a letter");
    if (tarn_solver_class_find(ctx, solver_class->name))
        return tarn__fail(ctx, TARN_ERR_ARG, "solver %s: a solver of this name exists already",
                          solver_class->name);
    const char* lacking = missing(solver_class);
    if (lacking)
        return tarn__fail(ctx, TARN_ERR_ARG, "solver %s: it needs %s", solver_class->name, lacking);
    if (solver_class->phase < TARN_PHASE_LIQUIDS || solver_class->phase > TARN_PHASE_PARTICLES)
        return tarn__fail(
            ctx, TARN_ERR_ARG, "solver %s: it cannot step in phase %d; allowed: %d to %d",
            solver_class->name, solver_class->phase, TARN_PHASE_LIQUIDS, TARN_PHASE_PARTICLES);
    TARN_TRY(check_lists(ctx, solver_class));
    if (ctx->n_classes == CONTEXT_MAX_CLASSES)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "%d solver classes are registered already, which is the maximum",
                          ctx->n_classes);
    ctx->classes[ctx->n_classes++] = solver_class;
    return TARN_OK;
}

// ---- What several classes use ----------------------------------------------------------------------

TarnMotion tarn_motion_carried(const TarnMotion* body, const TarnMotion* local)
{
    TarnMotion out = *local;
    if (body == NULL || local == NULL) return out;
    TarnVec3 arm = quat_rotate(body->rotation, local->position);
    out.position = vec3_add(body->position, arm);
    out.rotation = quat_normalize(quat_multiply(body->rotation, local->rotation));
    out.velocity = vec3_add(vec3_add(body->velocity, vec3_cross(body->angular_velocity, arm)),
                            quat_rotate(body->rotation, local->velocity));
    out.angular_velocity = body->angular_velocity;
    return out;
}

float tarn__view_highest(TarnView2 view, float least)
{
    for (int k = 0; k < view.nz; ++k) {
        const float* row = view.data + (size_t)view.stride * (size_t)k;
        for (int i = 0; i < view.nx; ++i) least = row[i] > least ? row[i] : least;
    }
    return least;
}

float tarn__view_lowest(TarnView2 view, float most)
{
    for (int k = 0; k < view.nz; ++k) {
        const float* row = view.data + (size_t)view.stride * (size_t)k;
        for (int i = 0; i < view.nx; ++i) most = row[i] < most ? row[i] : most;
    }
    return most;
}
