// RGB pictures as PNG files.
#pragma once

#include "command.h"
#include "output.h"

// rgb: 3 bytes per pixel, top row first. False: it could not be written, which has been said.
bool png_write(const char* path, PixelSize size, const uint8_t* rgb);
// Into a file that is open already, and commits it.
bool png_commit(OutputFile* file, PixelSize size, const uint8_t* rgb);
