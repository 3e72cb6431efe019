// tarn-view: the window behind `tarn view`. A program of its own, so that `tarn` needs neither a display nor its libraries.

#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "view_command.h"
#include <stdlib.h>
#include <time.h>

static double begun;

static int start(const ViewOptions* options)
{
    return view_run(options, begun);
}

int main(int argc, char** argv)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    begun = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    char** words = calloc((size_t)argc + 2, sizeof *words);
    char view[] = "view";
    if (words == NULL) return 1;
    words[0] = argv[0], words[1] = view;
    for (int i = 1; i < argc; ++i) words[i + 1] = argv[i];
    view_set_window(start);
    int code = tarn_cli(argc + 1, words, NULL);
    free(words);
    return code;
}
