// The command line of Tarn with one solver more.

#include "slosh.h"
#include "cli.h"

int main(int argc, char** argv)
{
    const TarnSolverClass* extra[] = { tarn_slosh_class() };
    return tarn_cli(argc, argv, extra, 1);
}
