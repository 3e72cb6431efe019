// The pictures of a run: stills in a folder, a contact sheet, a video. Draws a step at most once,
// and only if one of them needs it.
#pragma once

#include "look_options.h"
#include "steps.h"
#include "video.h"

enum { SHEET_SIDE = 3, SHEET_STILLS = SHEET_SIDE * SHEET_SIDE };

typedef struct PicturesDef {
    const char* png_folder; // NULL: none
    int every;              // every how many frames a still is written
    const char* sheet;      // NULL: none
    const char* video;      // NULL: none
    PixelSize size;
    double fps;   // frames per second of the film
    double lapse; // simulated seconds in a second of the film
    StepPlan plan;
    // As in TarnViewerDef.
    const char* only;
    uint32_t look;
    bool has_wires;
    const TarnParticleSurfaceParams* surface;
} PicturesDef;

typedef struct Pictures {
    PicturesDef def;
    TarnContext* ctx;
    TarnRenderer* renderer;
    TarnViewer* viewer;
    int channels; // of rgb: 3, or 4 with alpha
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
// Opens all files and the renderer before anything is simulated. Returns false after reporting an error.
bool pictures_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def);
// Adds the scene after this many steps; 0 is the beginning. Returns false after an error (reported) or a signal.
bool pictures_add(Pictures* pictures, int64_t step);
// Gives sheet and video their final names. Returns false after reporting an error.
bool pictures_commit(Pictures* pictures);
// Does the folder hold a still with the number after the last one, from an earlier run?
bool pictures_has_older(const Pictures* pictures);
// Frees everything; files that were not committed disappear. Fine on zeroed memory.
void pictures_close(Pictures* pictures);

// Drawers of the program for its own solvers, which all pictures use.
void pictures_set_drawers(const TarnDrawer* const* drawers, int n);

// For one picture: opens viewer and renderer alone; writes the current scene into a file. Return false after reporting
// an error. Of the def only size and what the viewer needs are read.
bool picture_open(Pictures* pictures, TarnContext* ctx, TarnScene* scene, const PicturesDef* def);
bool picture_write(Pictures* pictures, OutputFile* file);
