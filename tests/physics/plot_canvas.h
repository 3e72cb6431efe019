// What plots are drawn with: smooth lines, discs and text on an RGB picture.
#pragma once

#include <stdint.h>

typedef struct Color {
    float r, g, b; // 0 to 1, as seen (sRGB)
} Color;

typedef struct Canvas {
    int width, height;
    float* rgb; // 3 per pixel, top row first
    // Drawing is cut to this box [pixels].
    double x0, y0, x1, y1;
} Canvas;

typedef enum Align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT } Align;

void canvas_box(Canvas* canvas, double x0, double y0, double x1, double y1, Color color,
                double opacity);
// Round ends. Coordinates in pixels from the top left corner, pixel centers at + 0.5.
void canvas_line(Canvas* canvas, double x0, double y0, double x1, double y1, double width,
                 Color color);
void canvas_disc(Canvas* canvas, double x, double y, double radius, Color color);
// (x, y) is on the base line; size is the height of a capital letter [pixels]. turned: upward.
void canvas_text(Canvas* canvas, double x, double y, double size, Align align, int turned,
                 Color color, const char* text);
double canvas_text_width(double size, const char* text);
