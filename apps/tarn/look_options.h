// Options that `tarn render` and `tarn run` share: what of a scene their pictures show, and how.
#pragma once

#include "tarn/view.h"

// "particles,resize" as bits TARN_SPRINKLE_*; NULL is all of it: 0. Returns false for an unknown name or an
// empty list.
bool look_parse(const char* text, uint32_t* look);
// Of the option --look: its help, and the names it takes.
extern const char look_help[], look_names[];
extern const char liquid_help[], only_help[]; // of the options --liquid and --only
