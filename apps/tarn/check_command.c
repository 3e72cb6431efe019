// tarn check: compares every solver with theory and measurements.

#include "tests/physics/check.h"
#include "options.h"
#include "output.h"

static const Option options[] = {
    { "json", 0, OPTION_FLAG, offsetof(CheckOptions, is_json), NULL, 0, 0, NULL, "print JSON" },
    { "quick", 0, OPTION_FLAG, offsetof(CheckOptions, is_quick), NULL, 0, 0, NULL,
      "use short versions of the slow checks, as `make test` does" },
    { "list", 0, OPTION_FLAG, offsetof(CheckOptions, is_list), NULL, 0, 0, NULL,
      "print the names of the checks without running them" },
    { "threads", 0, OPTION_INT, offsetof(CheckOptions, threads), "N", 1, TARN_MAX_WORKERS, NULL,
      "number of worker threads; default: one per core" },
    { "plot", 0, OPTION_TEXT, offsetof(CheckOptions, plot), "DIR", 0, 0, NULL,
      "plot simulation against reference into DIR/NAME.png" },
};

static int start(const Command* command, int argc, char** argv)
{
    CheckOptions o = { 0 };
    const char* filter = NULL;
    ParseResult parsed = parse_options(command, argc, argv, &o, &filter);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    if (o.is_list && o.plot != NULL)
        return usage_error(command, "--list runs no checks, so --plot has nothing to draw");
    if (o.is_list) return check_list(filter, o.is_json, o.is_quick, stdout);
    bool is_new;
    if (o.plot != NULL && !output_folder(o.plot, &is_new)) return EXIT_FAILED;
    return check_run(filter, &o, stdout);
}

const Command check_command = {
    .name = "check",
    .arguments = "[FILTER] [options]",
    .summary = "Compares every solver with theory and measurements; exits with 1 if a check fails.",
    .details =
        "With FILTER, only checks whose name contains FILTER are run; FILTER may also be the name\n"
        "of a single row, or end with a dot: then it is the beginning of names. The rows of a\n"
        "check are named NAME.*. Some checks compare with measured data that does not ship with\n"
        "Tarn; set TARN_VALIDATION to the folder that has it.\n"
        "\n"
        "examples:\n"
        "  tarn check\n"
        "  tarn check --list\n"
        "  tarn check float --json\n"
        "  tarn check wave. --threads 1\n"
        "  tarn check shallow --plot plots\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_arguments = 1,
    .start = start,
};
