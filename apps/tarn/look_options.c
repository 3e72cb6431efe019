// What of a scene its pictures show, and how.

#include "look_options.h"
#include <string.h>

static const char* const names[] = { "particles", "resize",   "stretch", "refraction",
                                     "edges",     "splashes", "bubbles" };

#define LOOK_NAMES "particles,resize,stretch,refraction,edges,splashes,bubbles"
const char look_names[] = LOOK_NAMES;
const char look_help[] = "draw only these parts of a 2-D liquid: " LOOK_NAMES "; default: all";
const char liquid_help[] = "how a 3-D liquid is drawn: screen_space, mesh, screen_mesh or "
                           "particles; default: set by the scene";
const char only_help[] = "draw only the solvers with these names, separated by commas; bodies and "
                         "solids are always drawn; default: all";

bool look_parse(const char* text, uint32_t* look)
{
    *look = 0;
    if (text == NULL) return true;
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < (int)(sizeof names / sizeof *names); ++i)
            if (strlen(names[i]) == length && strncmp(at, names[i], length) == 0) found = i;
        if (found < 0) return false;
        *look |= 1u << found;
        at += length;
        if (*at == ',') ++at;
    }
    return *look != 0;
}
