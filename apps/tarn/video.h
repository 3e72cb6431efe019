// Video through ffmpeg: raw frames go to its standard input, and its error messages are read back.
#pragma once

#include "command.h"
#include "output.h"
#include <sys/types.h>

typedef struct Video {
    OutputFile file;
    pid_t pid;         // of ffmpeg, 0: not running
    int input, errors; // our ends of its standard input and error, -1: closed
    size_t frame_bytes;
    char complaint[1024]; // the end of what ffmpeg said
} Video;

// Starts ffmpeg. Returns false and reports the error if it is missing or the file cannot be created.
bool video_open(Video* video, const char* path, PixelSize size, double fps);
// One frame, 3 bytes per pixel, top row first. Returns false if ffmpeg failed (reported) or
// a signal came; the video must be discarded then.
bool video_add(Video* video, const uint8_t* rgb);
// Waits for ffmpeg and gives the file its name. Returns false if it failed; then the file is removed and the error reported.
bool video_commit(Video* video);
// Kills ffmpeg and removes the file. Fine on a video that is not open.
void video_discard(Video* video);
