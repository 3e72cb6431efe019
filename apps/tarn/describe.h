// `tarn describe`, parameter tables and scenes.
#pragma once

#include "command.h"

typedef enum DescribeStyle { STYLE_TEXT, STYLE_MARKDOWN, STYLE_JSON } DescribeStyle;

// A scene: title, sizes, memory, bodies, emitters. Returns the exit code.
int describe_scene(const char* argument, DescribeStyle style);
