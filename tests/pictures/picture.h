// Pictures for tests: read, write, and how far apart two of them look.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct Picture {
    int width, height;
    uint8_t* rgb; // top row first
} Picture;

bool picture_load(const char* path, Picture* out);           // PNG or PPM. False: said on stderr
bool picture_save(const char* path, const Picture* picture); // PNG. False: said
void picture_free(Picture* picture);

// Colors as the eye sees them, CIE L*a*b*, each the mean of what is around it. A step of 2 is just seen.
typedef struct Look {
    int width, height;
    float* lab; // 3 per pixel
} Look;

bool look_create(const Picture* picture,
                 Look* out); // blurred over about 3 pixels. False: no memory
void look_free(Look* look);

enum { TILE = 8 }; // pixels along the side of a tile

// Distances between colors; noise of single pixels counts little, since both are blurred.
typedef struct Difference {
    double mean;
    double most;        // 99 % of the pixels are nearer
    double tile;        // mean of the worst tile: a thing that is missing
    int tile_x, tile_y; // pixel of its corner
} Difference;

// Of two looks of the same size; *out is zero otherwise. distance: per pixel, NULL or where to put it.
bool look_compare(const Look* a, const Look* b, float* distance, Difference* out);
