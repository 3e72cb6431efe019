// Strings that grow. If memory runs out, what no longer fits is left out.

#include "play_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_clear(Text* text)
{
    text->size = 0;
    if (text->data) text->data[0] = '\0';
}

const char* text_of(const Text* text)
{
    return text->data ? text->data : "";
}

void text_free(Text* text)
{
    free(text->data);
    *text = (Text){ 0 };
}

void text_add(Text* text, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return;
    size_t needed = text->size + (size_t)n + 1;
    if (needed > text->room) {
        size_t room = needed > 2 * text->room ? needed : 2 * text->room;
        char* larger = realloc(text->data, room);
        if (larger == NULL) return;
        text->data = larger;
        text->room = room;
    }
    va_start(args, format);
    vsnprintf(text->data + text->size, (size_t)n + 1, format, args);
    va_end(args);
    text->size += (size_t)n;
}
