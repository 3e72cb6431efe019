// Files that are written completely or not at all: under a temporary name in the same folder (FILE.part-PID),
// synced, then renamed. A file that fails is removed, and the error is reported. What a killed process left of
// the same file is removed when it is opened again.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct OutputFile {
    FILE* stream; // write here, then ask output_check. NULL: not open
    char* path;   // the final name, links followed
    char* part;   // the temporary name, NULL if path is a device or a pipe and written directly
} OutputFile;

// Returns false and reports the error if the file cannot be created. "-" is standard output.
bool output_open(OutputFile* file, const char* path);
// To be called after writing. Returns false if a write failed; then the file has been removed and the error reported.
bool output_check(OutputFile* file);
// Gives the file its final name. Returns false if it could not be written; then it has been removed and the error reported.
bool output_commit(OutputFile* file);
// Removes what was written. Fine on a file that is not open or already committed.
void output_discard(OutputFile* file);

// The two halves of the above for a file that another program writes: part must end in suffix.
bool output_reserve(OutputFile* file, const char* path, const char* suffix);
bool output_rename(OutputFile* file);

// All bytes at once.
bool output_write(const char* path, const void* data, size_t size);
// Makes the folder if it is missing and checks that files can be created in it. *is_new: it was made.
bool output_folder(const char* path, bool* is_new);
// Do both names refer to the same file, as far as can be told before the files exist?
bool is_same_file(const char* a, const char* b);
// ".png": case does not matter.
bool has_extension(const char* path, const char* extension);
// The whole file in new memory (free it) with a terminating zero; NULL after reporting an error.
char* read_whole_file(const char* path, size_t* size);
