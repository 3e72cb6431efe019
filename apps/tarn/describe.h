// The two things `tarn describe` knows about.
#pragma once

#include "command.h"

typedef enum DescribeStyle { STYLE_TEXT, STYLE_MARKDOWN, STYLE_JSON } DescribeStyle;

// A scene: title, sizes, memory, bodies, emitters. Returns the exit code.
int describe_scene(const char* argument, DescribeStyle style);

// "0.5", "true", "reflecting", "[1, 2]": as a scene file would write the value.
void format_value(const TarnParam* param, const double* value, char* text, size_t size);
