// tarn view: the options, and who opens the window.
#pragma once

#include "command.h"
#include "engine.h"

typedef struct ViewOptions {
    const char* scene; // NULL: the flagship
    PixelSize size;
    double at;          // [s]; <= 0: from the beginning
    const char* camera; // NULL: the scene's
    const char* script; // NULL: none
    Overrides overrides;
    int threads, isa, engine;
    bool is_paused, is_bare;
} ViewOptions;

// Opens the window and returns an exit code. `tarn` has none and starts tarn-view, which lies beside it.
typedef int ViewWindowFn(const ViewOptions* options);
void view_set_window(ViewWindowFn* window);
// apps/view/view.c; begun: when the program started [s].
int view_run(const ViewOptions* options, double begun);
