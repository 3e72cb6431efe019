// A video through ffmpeg: raw frames go to its standard input, what it complains about comes back.
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

// Starts ffmpeg. False: it is missing or the file cannot be created, which has been said.
bool video_open(Video* video, const char* path, PixelSize size, double fps);
// One frame, 3 bytes per pixel, top row first. False: ffmpeg has given up, which has been said, or
// a signal came. The video is to be discarded then.
bool video_add(Video* video, const uint8_t* rgb);
// Waits for ffmpeg and gives the file its name. False: it failed, was removed, has been said.
bool video_commit(Video* video);
// Ends ffmpeg and removes the file. Fine on a video that is not open.
void video_discard(Video* video);
