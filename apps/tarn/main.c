// tarn: the command line with the solvers of the library.

#include "cli.h"

int main(int argc, char** argv)
{
    return tarn_cli(argc, argv, NULL);
}
