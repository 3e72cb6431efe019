// tarn view: a window in which scenes run.

#define _POSIX_C_SOURCE 200809L // readlink
#include "view_command.h"
#include "loaded_scene.h"
#include "message.h"
#include "options.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(ViewOptions, field)
static const Option options[] = {
    { "set", 0, OPTION_SET, AT(overrides), "PATH=VALUE", 0, 0, NULL,
      "set a parameter: wave.damping=0.2; may be repeated" },
    { "at", 0, OPTION_NUMBER, AT(at), "T", 0, 1e6, NULL, "simulate to this time first [s]" },
    { "camera", 0, OPTION_TEXT, AT(camera), "X,Y,Z,X,Y,Z,FOV", 0, 0, NULL,
      "eye and target of the camera [m] and its vertical field of view [degrees]; default: set by "
      "the "
      "scene" },
    { "size", 0, OPTION_SIZE, AT(size), "WxH", 320, 8192, NULL,
      "size of the window; default 1600x900" },
    { "paused", 0, OPTION_FLAG, AT(is_paused), NULL, 0, 0, NULL, "begin paused" },
    { "bare", 0, OPTION_FLAG, AT(is_bare), NULL, 0, 0, NULL,
      "begin without panels; Tab shows them" },
    SCENE_OPTIONS(AT),
    { "script", 0, OPTION_TEXT, AT(script), "FILE", 0, 0, NULL,
      "obey the commands in FILE, - is standard input; docs/viewer.md lists them" },
};
#undef AT

static ViewWindowFn* window;

void view_set_window(ViewWindowFn* fn)
{
    window = fn;
}

// Replaces this program by tarn-view, which lies beside it. Returns only if there is none.
static void start_window(int argc, char** argv)
{
    char path[PATH_MAX];
    char* words[256];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    if (n <= 0 || argc > 250) return;
    path[n] = '\0';
    char* slash = strrchr(path, '/');
    if (slash == NULL) return;
    strcpy(slash, "/tarn-view");
    words[0] = path;
    for (int i = 1; i < argc; ++i) words[i] = argv[i];
    words[argc] = NULL;
    execv(path, words);
}

static int start(const Command* command, int argc, char** argv)
{
    ViewOptions o = { .size = { 1600, 900 } };
    if (window == NULL) start_window(argc, argv);
    ParseResult parsed = parse_options(command, argc, argv, &o, &o.scene);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (window != NULL) return window(&o);
    say("the viewer is not built in: install libglfw3-dev and libimgui-dev (scripts/setup.sh view) "
        "and "
        "build again");
    return EXIT_FAILED;
}

const Command view_command = {
    .name = "view",
    .arguments = "[SCENE] [options]",
    .summary = "Opens a window in which scenes run and can be touched.",
    .details = "SCENE is a name from `tarn list` or the path of a JSON file, which is loaded again "
               "when it "
               "changes.\n"
               "H shows the keys.\n"
               "\n"
               "examples:\n"
               "  tarn view harbor\n"
               "  tarn view my_scene.json --set wave.damping=0.1\n"
               "  tarn view flagship --at 4 --paused\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .min_arguments = 0,
    .max_arguments = 1,
    .start = start,
};
