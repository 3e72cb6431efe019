// What the files of the viewer share.
#pragma once

#include "play.h"
#include "ui.h"
#include "view_command.h"
#include "video.h"
#include <stdio.h>

typedef struct GLFWwindow GLFWwindow;

typedef struct Recorder {
    Video video;
    bool is_on;
    char path[1024];
    PixelSize size;
    unsigned char *rgba, *rgb;
} Recorder;

typedef struct Script {
    FILE* file;   // NULL: none
    bool is_live; // standard input, read as lines arrive
    char line[4096];
    size_t size;
    int wait; // frames until the next command
    bool answers_wait;
} Script;

// A button or key that was used while a picture was drawn.
typedef struct Late {
    bool is_key;
    int what, action, mods; // as GLFW calls them
    double x, y;
} Late;

typedef struct View {
    GLFWwindow* window;
    TarnPlay* play;
    TarnRenderer* renderer;
    UiState ui;
    unsigned framebuffer, canvas; // and its texture
    int width, height;            // of the canvas [pixels]
    int wanted_width, wanted_height;
    double resized_at; // [s]
    int next_thumbnail;
    bool is_dragging, is_full, quits;
    int windowed[4];
    Recorder recorder;
    Script script;
    double last_reload;
    int frames;
    double frame_seconds; // of the last frames, about
    double begun;         // [s]
    double started_ms;    // from the start of the program to the window with its panels
    double picture_ms;    // and to the first picture of the scene
    double shown_at;      // [s] when the window was last drawn
    double still_ms;      // the longest time without that, since the first
    int n_between;        // how often it was drawn while shaders compiled
    int n_shaders;        // compiled in this draw
    bool is_drawing;      // the play must not change
    Late late[32];
    int n_late;
    char path[1024]; // of the first scene
    struct {
        TarnScene* scene;
        Engine engine;
    } engines[4];
    int engine; // EngineKind that was asked for
} View;

double view_now(void); // [s]
void view_message(View* view, const char* format, ...) __attribute__((format(printf, 2, 3)));
bool view_list_scenes(View* view); // for the browser; once
bool view_open_scene(View* view, int n);
void view_request(View* view, UiRequest request, int argument);
bool view_write_picture(View* view, const char* path, bool whole_window);

// A small PNG as RGBA, in new memory; NULL: there is none.
unsigned char* thumbnail_read(const char* path, int* width, int* height);

bool script_open(Script* script, const char* path);
void script_run(View* view); // the commands that are due
void script_close(Script* script);

bool recorder_start(View* view, const char* path);
void recorder_add(View* view);
void recorder_end(View* view);
