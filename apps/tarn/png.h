// RGB pictures as PNG files.
#pragma once

#include "command.h"
#include "output.h"

// rgb: 3 bytes per pixel, top row first. Returns false and reports the error if it cannot be written.
bool png_write(const char* path, PixelSize size, const uint8_t* rgb);
// Writes into a file that is already open, and commits it.
bool png_commit(OutputFile* file, PixelSize size, const uint8_t* rgb);
