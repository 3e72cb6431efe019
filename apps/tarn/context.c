// Contexts that know the program's own solvers.

#include "context.h"
#include "message.h"

static const TarnSolverClass* const* extra_classes;
static int n_extra_classes;

void context_set_extra(const TarnSolverClass* const* extra, int n)
{
    extra_classes = extra;
    n_extra_classes = n;
}

static void say_refusal(TarnResult result, bool has_options)
{
    const char* remedy = "";
    if (has_options && result == TARN_ERR_UNSUPPORTED) remedy = "; use --isa baseline";
    if (has_options && result == TARN_ERR_MEMORY)
        remedy = "; use --threads 1, which starts no threads";
    say("%s%s", tarn_last_error(NULL), remedy);
}

bool context_open(const TarnContextDef* def, bool has_options, TarnContext** out)
{
    TarnResult result = tarn_context_create(def, out);
    if (result != TARN_OK) {
        say_refusal(result, has_options);
        return false;
    }
    for (int i = 0; i < n_extra_classes; ++i) {
        if (tarn_solver_register(*out, extra_classes[i]) == TARN_OK) continue;
        say("%s", tarn_last_error(*out));
        tarn_context_destroy(*out);
        *out = NULL;
        return false;
    }
    return true;
}
