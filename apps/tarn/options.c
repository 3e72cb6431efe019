// Command-line options: numbers are parsed strictly, and unknown names get a suggestion.

#include "options.h"
#include "message.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64 };

int usage_error(const Command* command, const char* format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t length = strlen(text);
    bool is_question = length > 0 && text[length - 1] == '?';
    say("%s%s `tarn %s --help`", text, is_question ? " See" : "; see", command->name);
    return EXIT_USAGE;
}

// ---- Values ------------------------------------------------------------------------------------

bool parse_number(const char* text, double* out)
{
    // strtod alone would also take blanks in front, "nan", "inf" and hexadecimal numbers.
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') return false;
    char* end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

static bool parse_int(const char* text, size_t length, long* out)
{
    if (length == 0 || strspn(text, "0123456789+-") < length) return false;
    char* end;
    errno = 0;
    *out = strtol(text, &end, 10);
    return end == text + length && errno == 0;
}

static bool is_between(double value, const Option* option)
{
    return value >= option->min && value <= option->max;
}

static bool set_number(const Command* command, const Option* option, const char* text, void* field)
{
    double value = 0.0;
    long whole = 0;
    if (option->type == OPTION_INT ? !parse_int(text, strlen(text), &whole)
                                   : !parse_number(text, &value)) {
        usage_error(command, "--%s: '%s' is not a %s", option->name, text,
                    option->type == OPTION_INT ? "whole number" : "number");
        return false;
    }
    if (option->type == OPTION_INT) value = (double)whole;
    if (!is_between(value, option)) {
        usage_error(command, "--%s: %s is out of range; allowed: %g to %g", option->name, text,
                    option->min, option->max);
        return false;
    }
    if (option->type == OPTION_INT)
        *(int*)field = (int)whole;
    else
        *(double*)field = value;
    return true;
}

static bool set_size(const Command* command, const Option* option, const char* text,
                     PixelSize* field)
{
    const char* x = strchr(text, 'x');
    long width = 0, height = 0;
    if (x == NULL || !parse_int(text, (size_t)(x - text), &width) ||
        !parse_int(x + 1, strlen(x + 1), &height)) {
        usage_error(command, "--%s: '%s' is not a size such as 1280x720", option->name, text);
        return false;
    }
    if (!is_between((double)width, option) || !is_between((double)height, option)) {
        usage_error(command, "--%s: %s is out of range; allowed: %g to %g pixels per side",
                    option->name, text, option->min, option->max);
        return false;
    }
    *field = (PixelSize){ (int)width, (int)height };
    return true;
}

static bool set_choice(const Command* command, const Option* option, const char* text, int* field)
{
    char list[256] = "";
    int n = 0;
    for (; option->choices[n] != NULL; ++n) {
        if (strcmp(option->choices[n], text) == 0) {
            *field = n;
            return true;
        }
        if (n > 0) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, option->choices[n], sizeof list - strlen(list) - 1);
    }
    char near[128];
    usage_error(command, "--%s: '%s' is not one of: %s%s", option->name, text, list,
                suggestion(near, sizeof near, text, option->choices, n));
    return false;
}

static bool add_override(const Command* command, const Option* option, char* text,
                         Overrides* overrides)
{
    char* equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        usage_error(command, "--%s: '%s' is not of the form %s", option->name, text,
                    option->argument);
        return false;
    }
    if (overrides->count == MAX_OVERRIDES) {
        usage_error(command, "--%s can be given at most %d times", option->name, MAX_OVERRIDES);
        return false;
    }
    *equals = '\0';
    overrides->items[overrides->count++] = (TarnSceneOverride){ text, equals + 1 };
    return true;
}

static bool set_value(const Command* command, const Option* option, char* text, void* options)
{
    void* field = (char*)options + option->offset;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool*)field = true;
        return true;
    case OPTION_TEXT:
        if (text[0] == '\0') {
            usage_error(command, "--%s must not be empty", option->name);
            return false;
        }
        *(const char**)field = text;
        return true;
    case OPTION_INT:
    case OPTION_NUMBER:
        return set_number(command, option, text, field);
    case OPTION_CHOICE:
        return set_choice(command, option, text, field);
    case OPTION_SIZE:
        return set_size(command, option, text, field);
    case OPTION_SET:
        return add_override(command, option, text, field);
    }
    return false;
}

// ---- Parsing -----------------------------------------------------------------------------------

// "--name", "--name=..." or "-o": the option it names, or NULL.
static const Option* find_option(const Command* command, const char* text)
{
    for (int i = 0; i < command->n_options; ++i) {
        const Option* option = &command->options[i];
        if (text[1] != '-') {
            if (option->letter != 0 && text[1] == option->letter && text[2] == '\0') return option;
            continue;
        }
        size_t length = strcspn(text + 2, "=");
        if (strlen(option->name) == length && strncmp(option->name, text + 2, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static void unknown_option(const Command* command, const char* text)
{
    char word[128], near[160];
    const char* names[MAX_NAMES];
    int n = 0;
    for (; n < command->n_options && n < MAX_NAMES - 1; ++n) names[n] = command->options[n].name;
    names[n++] = "help";
    const char* bare = text + strspn(text, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    const char* found = nearest_name(word, names, n);
    near[0] = '\0';
    if (found != NULL) snprintf(near, sizeof near, "; did you mean '--%s'?", found);
    usage_error(command, "unknown option '%.*s'%s", (int)strcspn(text, "="), text, near);
}

// Takes the option at argv[*at], and its value.
static bool take_option(const Command* command, int argc, char** argv, int* at, void* options)
{
    char* text = argv[*at];
    const Option* option = find_option(command, text);
    if (option == NULL) {
        unknown_option(command, text);
        return false;
    }
    char* value = text[1] == '-' ? strchr(text, '=') : NULL;
    if (value != NULL) ++value;
    if (option->type == OPTION_FLAG) {
        if (value == NULL) return set_value(command, option, NULL, options);
        usage_error(command, "--%s takes no value, but '%s' was given", option->name, value);
        return false;
    }
    if (value == NULL) {
        bool has_value = *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0;
        if (!has_value) {
            usage_error(command, "--%s needs a value: --%s %s", option->name, option->name,
                        option->argument);
            return false;
        }
        value = argv[++*at];
    }
    return set_value(command, option, value, options);
}

ParseResult parse_options(const Command* command, int argc, char** argv, void* options,
                          const char** arguments)
{
    int n = 0;
    bool is_option_end = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--") == 0) break;
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        print_help(command, stdout);
        return PARSE_HELP;
    }
    for (int i = 1; i < argc; ++i) {
        char* text = argv[i];
        if (!is_option_end && strcmp(text, "--") == 0) {
            is_option_end = true;
        } else if (!is_option_end && text[0] == '-' && text[1] != '\0') {
            if (!take_option(command, argc, argv, &i, options)) return PARSE_BAD;
        } else if (n == command->max_arguments) {
            usage_error(command, "unexpected argument '%s' for `tarn %s`", text, command->name);
            return PARSE_BAD;
        } else {
            arguments[n++] = text;
        }
    }
    if (n >= command->min_arguments) return PARSE_OK;
    usage_error(command, "missing argument: tarn %s %s", command->name, command->arguments);
    return PARSE_BAD;
}

// ---- Help --------------------------------------------------------------------------------------

static int format_option(const Option* option, char* text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter != 0) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(text, size, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
                    option->argument ? option->argument : "");
}

void print_help(const Command* command, FILE* out)
{
    char text[128];
    int width = 0;
    for (int i = 0; i < command->n_options; ++i) {
        int length = format_option(&command->options[i], text, sizeof text);
        if (length > width) width = length;
    }
    fprintf(out, "usage: tarn %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->n_options > 0) fputc('\n', out);
    for (int i = 0; i < command->n_options; ++i) {
        const Option* option = &command->options[i];
        format_option(option, text, sizeof text);
        fprintf(out, "  %-*s  %s\n", width, text, option->help);
    }
    fprintf(out, "\n%s", command->details);
}

bool override_with(Overrides* overrides, const char* path, const char* value)
{
    if (value == NULL) return true;
    if (overrides->count == MAX_OVERRIDES) return false;
    overrides->items[overrides->count++] = (TarnSceneOverride){ path, value };
    return true;
}
