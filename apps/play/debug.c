// Debug views: layers of lines on top of the picture.

#include "play_internal.h"

void debug_add(TarnPlay* play, TarnFrame* frame)
{
    (void)play, (void)frame;
}

void debug_free(TarnPlay* play)
{
    (void)play;
}

int tarn_play_debug_count(const TarnPlay* play)
{
    (void)play;
    return 0;
}
const char* tarn_play_debug_id(const TarnPlay* play, int n)
{
    (void)play, (void)n;
    return NULL;
}
const char* tarn_play_debug_name(const TarnPlay* play, int n)
{
    (void)play, (void)n;
    return NULL;
}
const char* tarn_play_debug_help(const TarnPlay* play, int n)
{
    (void)play, (void)n;
    return NULL;
}
bool tarn_play_set_debug(TarnPlay* play, const char* id, bool is_on)
{
    (void)is_on;
    return play_fail(play, "this scene has no debug view '%.40s'", id);
}
bool tarn_play_is_debug(const TarnPlay* play, const char* id)
{
    (void)play, (void)id;
    return false;
}
