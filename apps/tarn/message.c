// Messages on stderr. A progress bar may be on the line: on a terminal it is wiped first.

#define _POSIX_C_SOURCE 200809L // isatty
#include "message.h"
#include "tarn/base.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void begin_line(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    fputs("tarn: ", stderr);
}

void say(const char* format, ...)
{
    va_list args;
    va_start(args, format);
    begin_line();
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void say_errno(const char* format, ...)
{
    int reason = errno; // before anything here changes it
    va_list args;
    va_start(args, format);
    begin_line();
    vfprintf(stderr, format, args);
    fprintf(stderr, ": %s\n", strerror(reason));
    va_end(args);
}

const char* nearest_name(const char* word, const char* const* names, int n)
{
    enum { MAX = 64 };
    TarnParam params[MAX]; // the library already finds the nearest name, in its own tables
    memset(params, 0, sizeof params);
    if (n > MAX) n = MAX;
    for (int i = 0; i < n; ++i) params[i].name = names[i];
    TarnParamTable table = { .name = "", .struct_name = "", .params = params, .count = n };
    return tarn_param_nearest(&table, word);
}

const char* suggestion(char* text, int size, const char* word, const char* const* names, int n)
{
    const char* near = nearest_name(word, names, n);
    text[0] = '\0';
    if (near != NULL) snprintf(text, (size_t)size, "; did you mean '%s'?", near);
    return text;
}
