// The command line of Tarn with one solver more, and how it is drawn.

#include "slosh.h"
#include "slosh_draw.h"
#include "cli.h"

int main(int argc, char** argv)
{
    const TarnSolverClass* classes[] = { tarn_slosh_class() };
    const TarnDrawer* drawers[] = { &slosh_drawer };
    TarnCliExtra extra = { .classes = classes, .n_classes = 1, .drawers = drawers, .n_drawers = 1 };
    return tarn_cli(argc, argv, &extra);
}
