// Pictures as PNG files, RGB or RGBA.
#pragma once

#include "command.h"
#include "output.h"

// pixels: 3 channels, or 4 with alpha, a byte each, top row first. Returns false and reports the error if it cannot
// be written.
bool png_write(const char* path, PixelSize size, int channels, const uint8_t* pixels);
// Writes into a file that is already open, and commits it.
bool png_commit(OutputFile* file, PixelSize size, int channels, const uint8_t* pixels);
