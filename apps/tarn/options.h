// Reading the command line against a command's table.
#pragma once

#include "command.h"
#include <stdio.h>

typedef enum ParseResult {
    PARSE_OK,
    PARSE_HELP, // --help was given, and the help has been printed
    PARSE_BAD,  // the error has been reported
} ParseResult;

// Fills the fields of options that are given, keeps the others. arguments takes what is no option,
// up to command->max_arguments. argv[0] is the command's name. Cuts the texts of --set in place.
ParseResult parse_options(const Command* command, int argc, char** argv, void* options,
                          const char** arguments);
// "tarn: SENTENCE; see `tarn run --help`". Returns EXIT_USAGE.
int usage_error(const Command* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void print_help(const Command* command, FILE* out);
// Adds PATH=VALUE as if it had been given with --set, so that the scene's own checks apply. NULL adds nothing.
// Returns false if there are too many.
bool override_with(Overrides* overrides, const char* path, const char* value);
// Whole text, finite, nothing around it.
bool parse_number(const char* text, double* out);
