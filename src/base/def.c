// Defs begin with a cookie: what they are, and how many bytes the program has for them. A program that was compiled
// against another version of a header thus gets an error, and nothing of its memory is overwritten.

#include "base/def.h"
#include <stdio.h>

// The low half tells the kind, by FNV-1a [Fowler1991] of the struct's name, the high half the size.
static uint32_t make_cookie(const char* struct_name, size_t size)
{
    uint32_t hash = 2166136261u;
    for (const char* c = struct_name; *c != '\0'; ++c)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    uint32_t kind = (hash >> 16 ^ hash) & 0xffff;
    return (uint32_t)(size < 0xffff ? size : 0xffff) << 16 | kind;
}

void tarn__init_def(const char* struct_name, void* def, size_t size, const void* full,
                    size_t full_size)
{
    if (def == NULL) return;
    uint32_t cookie = make_cookie(struct_name, size);
    if (size > full_size) memset((char*)def + full_size, 0, size - full_size);
    memcpy(def, full, size < full_size ? size : full_size);
    if (size >= sizeof cookie) memcpy(def, &cookie, sizeof cookie);
}

TarnResult tarn__def_problem(const TarnDefKind* kind, const void* def, char* text, size_t capacity)
{
    if (def == NULL) {
        snprintf(text, capacity, "%s: the %s is NULL; start from %s()", kind->label,
                 kind->struct_name, kind->maker);
        return TARN_ERR_ARG;
    }
    uint32_t cookie, own = make_cookie(kind->struct_name, kind->size);
    memcpy(&cookie, def, sizeof cookie);
    if (cookie == own) return TARN_OK;
    if ((cookie & 0xffff) != (own & 0xffff)) {
        snprintf(text, capacity, "%s: the cookie of the %s is not set; start from %s()",
                 kind->label, kind->struct_name, kind->maker);
        return TARN_ERR_ARG;
    }
    snprintf(text, capacity,
             "%s: this %s has %u bytes, but that of the library has %zu; the program was compiled "
             "against another version of %s: rebuild it",
             kind->label, kind->struct_name, (unsigned)(cookie >> 16), kind->size, kind->header);
    return TARN_ERR_VERSION;
}

TarnResult tarn__check_def(TarnContext* ctx, const TarnDefKind* kind, const void* def)
{
    char text[320];
    TarnResult result = tarn__def_problem(kind, def, text, sizeof text);
    return result == TARN_OK ? TARN_OK : tarn__fail(ctx, result, "%s", text);
}
