// Inside src/io: bytes to and from files and memory, and numbers as text. For terrain and meshes.
#pragma once

#include "base/base.h"
#include <stdio.h>

// Where writers put bytes: into memory, where all are counted and those that fit are kept, or to a file.
typedef struct Output {
    uint8_t* bytes;
    size_t capacity, n;
    FILE* file; // NULL: memory
} Output;
void tarn__put(Output* out, const void* bytes, size_t n);
void tarn__put_text(Output* out, const char* text);

// "cannot read 'hill.png': no such file", with the reason in errno.
TarnResult tarn__fail_io(TarnContext* ctx, const char* verb, const char* path);
// A whole file in memory of ctx, at least one byte of it. To be freed with *allocated.
TarnResult tarn__load_bytes(TarnContext* ctx, const char* path, uint8_t** bytes, size_t* size,
                            size_t* allocated);
// Opens a file for an Output, and closes it. What could not be written is removed: no half files.
TarnResult tarn__open_output(TarnContext* ctx, const char* path, Output* out);
TarnResult tarn__close_output(TarnContext* ctx, const char* path, Output* out);
bool tarn__ends_with(const char* path, const char* ending); // ".png"; case does not matter

// A short decimal that reads back as the same number, in any locale. Returns its length.
enum { NUMBER_TEXT = 32 };
int tarn__float_text(float value, char text[NUMBER_TEXT]);
int tarn__double_text(double value, char text[NUMBER_TEXT]);
// The number that a word of at most MAX_WORD characters is, also "+1", ".5" and "1.", which others write. False:
// it is none, or not finite.
enum { MAX_WORD = 80 };
bool tarn__word_number(const char* word, double* value);
