// tarn check: every solver against theory and measurement.

#include "tests/physics/check.h"
#include "options.h"
#include "output.h"

typedef struct CheckOptions {
    bool is_json;
    const char* plot_folder;
} CheckOptions;

static const Option options[] = {
    { "json", 0, OPTION_FLAG, offsetof(CheckOptions, is_json), NULL, 0, 0, NULL, "print JSON" },
    { "plot", 0, OPTION_TEXT, offsetof(CheckOptions, plot_folder), "DIR", 0, 0, NULL,
      "write the curves to this folder" },
};

static int start(const Command* command, int argc, char** argv)
{
    CheckOptions o = { 0 };
    const char* filter = NULL;
    ParseResult parsed = parse_options(command, argc, argv, &o, &filter);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    bool is_new;
    if (o.plot_folder != NULL && !output_folder(o.plot_folder, &is_new)) return EXIT_FAILED;
    return check_run(filter, o.is_json, o.plot_folder, stdout);
}

const Command check_command = {
    .name = "check",
    .arguments = "[FILTER] [options]",
    .summary = "Compares every solver with theory and measurement. Exit code 1: one is off.",
    .details = "FILTER: only the checks whose name contains it.\n"
               "\n"
               "examples:\n"
               "  tarn check\n"
               "  tarn check wave --plot plots\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_arguments = 1,
    .start = start,
};
