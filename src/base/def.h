// Inside src only: how a Def, or another struct with a cookie, is filled and checked. See TARN_DEFAULT_DEF in
// tarn/base.h.
#pragma once

#include "base/base.h"

typedef struct TarnDefKind {
    const char* label;       // of messages: "wave"
    const char* header;      // "tarn/wave.h"
    const char* struct_name; // "TarnWaveDef"
    const char* maker;       // "tarn_wave_default_def"
    size_t size;             // sizeof in the library
} TarnDefKind;
#define TARN_DEF_KIND(label, header, Struct, maker)                                                \
    (&(const TarnDefKind){ label, header, #Struct, #maker, sizeof(Struct) })

// Fills the program's struct of size bytes from a full one and sets its cookie. Writes nothing beyond.
#define TARN_INIT_DEF(Struct, def, size, full)                                                     \
    tarn__init_def(#Struct, def, size, full, sizeof(Struct))
void tarn__init_def(const char* struct_name, void* def, size_t size, const void* full,
                    size_t full_size);

// TARN_ERR_ARG: NULL, or not initialized by its maker. TARN_ERR_VERSION: the program has another size for it.
// Reads only the cookie.
#define TARN_CHECK_DEF(ctx, label, header, Struct, maker, def)                                     \
    tarn__check_def(ctx, TARN_DEF_KIND(label, header, Struct, maker), def)
TarnResult tarn__check_def(TarnContext* ctx, const TarnDefKind* kind, const void* def);
// The same without a context: the message goes to text.
TarnResult tarn__def_problem(const TarnDefKind* kind, const void* def, char* text, size_t capacity);
