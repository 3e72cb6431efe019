// The panels around the picture: a C interface to the one C++ file of Tarn, ui.cpp, which draws them with Dear ImGui.
// All that they show comes from apps/play; what the user asks for that the play cannot do comes back as a request.
#pragma once

#include "play.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct UiScene {
    char name[64], title[128], family[32];
    char path[1024];
    unsigned texture; // thumbnail; 0: none yet
} UiScene;

typedef enum UiRequest {
    UI_NOTHING,
    UI_OPEN, // argument: number of the scene
    UI_PICTURE,
    UI_RECORD,
    UI_SAVE,
    UI_LOAD,
    UI_COPY,
    UI_FULL_SCREEN,
    UI_QUIT,
} UiRequest;

typedef struct UiState {
    TarnPlay* play;
    UiScene* scenes;
    int n_scenes;
    unsigned picture;  // texture of the canvas, upside down as GL draws it
    int width, height; // of the window [pixels of the framebuffer]
    float scale;       // of the screen: 2 on a high-density one
    bool has_panels, has_help;
    bool is_recording;
    int n_shaders; // compiled for the picture that is being drawn; > 0: panels are seen, and do nothing
    double fps, draw_ms;
    char message[512];   // shown for a while
    double message_left; // [s]
    char error[1024];    // shown until it is gone: a scene file that does not parse
    // Out: where the canvas is, and what was asked for.
    float canvas_x, canvas_y, canvas_width, canvas_height; // [pixels], from the upper left corner
    UiRequest request;
    int argument;
} UiState;

// window: a GLFWwindow, whose GL context is current and whose own callbacks are set already.
bool ui_open(void* window, float scale);
void ui_close(void);
void ui_draw(UiState* state, double seconds); // panels and canvas, into the current framebuffer
bool ui_wants_mouse(void);                    // the pointer is over a panel
bool ui_wants_keys(void);                     // a text field has the keyboard
// Where a control is, for tests that drive the window: "scene:harbor", "param:wave.damping", "button:pause". Middle of it
// [pixels]; false: it is not on the screen.
bool ui_find(const char* id, float* x, float* y);
void ui_list(void (*each)(const char* id, float x, float y, void* user), void* user);
// Scrolls to a parameter or scene and opens what it is folded into, in the next frames.
void ui_reveal(const char* id);

#ifdef __cplusplus
}
#endif
