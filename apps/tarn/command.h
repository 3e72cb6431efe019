// The commands of `tarn`, and the tables that describe them. One table makes the parser, the help
// page and the suggestions for a typo.
#pragma once

#include "tarn/scene.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
enum { MAX_OVERRIDES = 64 };

typedef struct PixelSize {
    int width, height;
} PixelSize;
typedef struct Overrides {
    TarnSceneOverride items[MAX_OVERRIDES];
    int count;
} Overrides;

// Each type writes to a field of the command's own options struct.
typedef enum OptionType {
    OPTION_FLAG,   // bool
    OPTION_TEXT,   // const char*
    OPTION_INT,    // int
    OPTION_NUMBER, // double
    OPTION_CHOICE, // int, index into choices
    OPTION_SIZE,   // PixelSize, written 1280x720
    OPTION_SET,    // Overrides, may be given many times
} OptionType;

typedef struct Option {
    const char* name; // without the dashes
    char letter;      // of the short form, or 0
    OptionType type;
    size_t offset;              // of the field in the options struct
    const char* argument;       // as the help page writes it, NULL for a flag
    double min, max;            // of numbers, inclusive; of each side of a size
    const char* const* choices; // NULL-terminated
    const char* help;
} Option;

typedef struct Command Command;
typedef int CommandFn(const Command* command, int argc, char** argv); // returns the exit code

struct Command {
    const char* name;
    const char* arguments; // "SCENE [options]"
    const char* summary;   // one line
    const char* details;   // paragraphs and examples of the help page
    const Option* options;
    int n_options;
    int min_arguments, max_arguments; // without the options
    CommandFn* start;
};

extern const Command list_command, describe_command, run_command, render_command, bench_command,
    check_command, terrain_command, mesh_command, view_command;
