// tarn: the command line of Tarn. Finds the command and calls it; each command has its own file.
//
// Results go to stdout, everything else to stderr as "tarn: message". Exit codes: 0 success,
// 1 the command failed, 2 the command line is invalid.

#define _POSIX_C_SOURCE 200809L // SIGXFSZ is XSI, but defined here too
#include "cli.h"
#include "context.h"
#include "message.h"
#include "options.h"
#include "pictures.h"
#include <signal.h>
#include <string.h>

static const Command* const commands[] = { &list_command,   &describe_command, &run_command,
                                           &render_command, &mesh_command,     &terrain_command,
                                           &view_command,   &bench_command,    &check_command };
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_overview(FILE* out)
{
    fprintf(out, "Tarn %s: real-time fluids for games\n\nusage: tarn COMMAND ...\n\n",
            tarn_version());
    for (int i = 0; i < N_COMMANDS; ++i) {
        fprintf(out, "  %-9s  %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("  help       Explains a command: tarn help run.\n"
          "\n"
          "examples:\n"
          "  tarn list\n"
          "  tarn run pool_drops --video drops.mp4\n"
          "  tarn render pool_drops --at 2.5 -o drops.png\n"
          "  tarn describe wave\n"
          "\n"
          "Exit codes: 0 success, 1 the command failed, 2 the command line is invalid.\n",
          out);
}

static const Command* find_command(const char* name)
{
    for (int i = 0; i < N_COMMANDS; ++i) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

static int unknown_command(const char* word)
{
    const char* names[N_COMMANDS + 3];
    int n = 0;
    for (; n < N_COMMANDS; ++n) names[n] = commands[n]->name;
    names[n++] = "help";
    names[n++] = "--help";
    names[n++] = "--version";
    char near[128];
    suggestion(near, sizeof near, word, names, n);
    say("there is no %s '%s'%s%s `tarn --help`", word[0] == '-' ? "option" : "command", word, near,
        near[0] != '\0' ? " See" : "; see");
    return EXIT_USAGE;
}

static int help(int argc, char** argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        print_overview(stdout);
        return EXIT_OK;
    }
    const Command* command = find_command(argv[1]);
    if (command == NULL) return unknown_command(argv[1]);
    print_help(command, stdout);
    return EXIT_OK;
}

static int dispatch(int argc, char** argv)
{
    const char* word = argc > 0 ? argv[0] : "--help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(0, NULL);
    if (strcmp(word, "help") == 0) return help(argc, argv);
    if (strcmp(word, "--version") == 0) {
        printf("tarn %s\n", tarn_version());
        return EXIT_OK;
    }
    const Command* command = find_command(word);
    return command != NULL ? command->start(command, argc, argv) : unknown_command(word);
}

int tarn_cli(int argc, char** argv, const TarnCliExtra* extra)
{
    signal(SIGXFSZ, SIG_IGN); // exceeding the file size limit becomes an error of write()
    if (extra != NULL) {
        context_set_extra(extra->classes, extra->n_classes);
        pictures_set_drawers(extra->drawers, extra->n_drawers);
    }
    int code = argc > 0 ? dispatch(argc - 1, argv + 1) : EXIT_USAGE;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    say_errno("cannot write to standard output");
    return code != EXIT_OK ? code : EXIT_FAILED;
}
