// The pictures of a run: stills in a folder, a contact sheet, a video. Draws a step at most once,
// and only if one of them wants it.
#pragma once

#include "frame.h"
#include "steps.h"
#include "video.h"

enum { SHEET_SIDE = 3, SHEET_STILLS = SHEET_SIDE * SHEET_SIDE };

typedef struct PicturesDef {
    const char* png_folder; // NULL: none
    int every;              // of the frames, one in this many goes to the folder
    const char* sheet;      // NULL: none
    const char* video;      // NULL: none
    PixelSize size;
    double fps;   // frames per second of the film
    double lapse; // simulated seconds in a second of the film
    StepPlan plan;
} PicturesDef;

typedef struct Pictures {
    PicturesDef def;
    TarnContext* ctx;
    TarnRenderer* renderer;
    SceneFrame scene_frame;
    uint8_t *rgb, *sheet_rgb;
    OutputFile sheet;
    Video video;
    int64_t n_frames, next_frame; // at fps
    int64_t n_pngs;               // written
    int next_still;               // of the sheet
    bool is_folder_new;
    bool is_finished;
} Pictures;

// Does the def ask for any picture?
bool pictures_wanted(const PicturesDef* def);
// Opens all files and the renderer before anything is simulated. False: said.
bool pictures_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def);
// The scene after this many steps, 0 is the beginning. False: said, or a signal came.
bool pictures_add(Pictures* pictures, TarnScene* scene, int64_t step);
// Sheet and video get their names. False: said.
bool pictures_commit(Pictures* pictures);
// Does the folder hold a still with the number after the last one, from an earlier run?
bool pictures_has_older(const Pictures* pictures);
// Frees everything; files that were not committed disappear. Fine on zeroed memory.
void pictures_close(Pictures* pictures);

// For one picture: the renderer alone, and the scene as it is now into a file. False: said.
bool picture_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, PixelSize size);
bool picture_write(Pictures* pictures, TarnScene* scene, OutputFile* file);
