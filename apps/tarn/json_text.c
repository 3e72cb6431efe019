// Writing JSON by hand. Bytes above 127 pass through: texts are UTF-8.

#include "json_text.h"
#include <math.h>

void json_string(FILE* out, const char* text)
{
    fputc('"', out);
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void json_number(FILE* out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", value);
    else
        fputs("null", out);
}
