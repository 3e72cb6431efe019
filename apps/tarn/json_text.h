// Writing JSON by hand: strings and numbers.
#pragma once

#include <stdio.h>

void json_string(FILE* out, const char* text); // with quotes
void json_number(FILE* out, double value);     // null if it is not finite
