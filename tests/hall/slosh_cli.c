// The command line of Tarn with one solver more.

#include "slosh.h"
#include "cli.h"

int main(int argc, char** argv)
{
    const TarnSolverClass* classes[] = { tarn_slosh_class() };
    TarnCliExtra extra = { .classes = classes, .n_classes = 1 };
    return tarn_cli(argc, argv, &extra);
}
