// A viewer that is told what to do: `tarn view --script FILE`, or `-` for standard input. One command per line; answers go
// to standard output, one line each. For tests and demonstrations.
//
//     state                 what runs, as JSON
//     status                numbers and words, as JSON
//     open NAME             opens a scene
//     set PATH VALUE        sets a parameter;   value PATH   reads it
//     tool ID               chooses a tool
//     pause | play | step | back | restart
//     debug ID on|off       a debug view
//     find ID               where a control is [pixels]: scene:NAME, param:PATH, button:ID, tool:ID, tab:ID
//     reveal ID             scrolls to it
//     controls              all that are on the screen
//     picture FILE          writes the canvas; window FILE the whole window
//     video FILE | video end
//     size W H              of the window
//     frames N              waits for N pictures
//     quit

#define _POSIX_C_SOURCE 200809L
#include "view.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool script_open(Script* s, const char* path)
{
    *s = (Script){ .is_live = strcmp(path, "-") == 0 };
    s->file = s->is_live ? stdin : fopen(path, "r");
    if (s->file == NULL) return false;
    if (s->is_live) fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    return true;
}

void script_close(Script* s)
{
    if (s->file && !s->is_live) fclose(s->file);
    s->file = NULL;
}

// The next line, without its end. false: none yet. At the end of the file the line is "quit".
static bool next_line(Script* s, char* out, size_t room)
{
    for (;;) {
        char* end = memchr(s->line, '\n', s->size);
        if (end) {
            size_t n = (size_t)(end - s->line);
            snprintf(out, room, "%.*s", (int)n, s->line);
            s->size -= n + 1;
            memmove(s->line, end + 1, s->size);
            return true;
        }
        if (s->size == sizeof s->line) s->size = 0; // no command is that long
        ssize_t n = read(fileno(s->file), s->line + s->size, sizeof s->line - s->size);
        if (n < 0) return false;
        if (n == 0) {
            snprintf(out, room, "quit");
            return true;
        }
        s->size += (size_t)n;
    }
}

static void answer(bool is_good, const char* text)
{
    printf("%s%s%s\n", is_good ? "ok" : "error", text[0] ? " " : "", text);
}

static void print_state(View* v)
{
    TarnPlay* p = v->play;
    printf("{\"scene\":\"%s\",\"hash\":\"%s\",\"steps\":%d,\"time\":%.6g,\"paused\":%s,\"tool\":\"%"
           "s\",\"active\":\"%s\","
           "\"camera\":\"%s\",\"changes\":%d,\"frames\":%d,\"canvas\":[%g,%g,%g,%g],\"recording\":%"
           "s,\"error\":%s,"
           "\"started_ms\":%.0f,\"picture_ms\":%.0f,\"still_ms\":%.0f,\"between\":%d}\n",
           tarn_play_name(p), tarn_play_hash_text(p), tarn_play_step_count(p), tarn_play_time(p),
           tarn_play_is_paused(p) ? "true" : "false", tarn_play_tool(p), tarn_play_active_tool(p),
           tarn_play_camera(p), tarn_play_changes(p)[0] != '\0', v->frames, (double)v->ui.canvas_x,
           (double)v->ui.canvas_y, (double)v->ui.canvas_width, (double)v->ui.canvas_height,
           v->recorder.is_on ? "true" : "false", v->ui.error[0] ? "true" : "false", v->started_ms,
           v->picture_ms, v->still_ms, v->n_between);
}

static void list_control(const char* id, float x, float y, void* user)
{
    (void)user;
    printf("%s %.0f %.0f;", id, (double)x, (double)y);
}

static bool open_named(View* v, const char* name)
{
    if (!view_list_scenes(v)) return false;
    for (int i = 0; i < v->ui.n_scenes; ++i)
        if (strcmp(v->ui.scenes[i].name, name) == 0) return view_open_scene(v, i);
    return false;
}

static bool control_time(TarnPlay* p, const char* word)
{
    if (strcmp(word, "pause") == 0) return tarn_play_pause(p, true), true;
    if (strcmp(word, "play") == 0) return tarn_play_pause(p, false), true;
    if (strcmp(word, "step") == 0) return tarn_play_step(p);
    if (strcmp(word, "back") == 0) return tarn_play_step_back(p);
    return strcmp(word, "restart") == 0 && tarn_play_restart(p);
}

static void obey(View* v, char* line)
{
    char word[32] = "", a[2048] = "", b[512] = "";
    float x, y;
    TarnPlay* p = v->play;
    sscanf(line, "%31s %2047s %511s", word, a, b);
    if (strcmp(word, "") == 0 || word[0] == '#') return;
    if (strcmp(word, "state") == 0)
        print_state(v);
    else if (strcmp(word, "status") == 0)
        printf("%s\n", tarn_play_status_json(p));
    else if (strcmp(word, "open") == 0)
        answer(open_named(v, a), tarn_play_error(p));
    else if (strcmp(word, "set") == 0)
        answer(tarn_play_set(p, a, b), tarn_play_error(p));
    else if (strcmp(word, "value") == 0)
        answer(true, tarn_play_value(p, a));
    else if (strcmp(word, "command") == 0)
        answer(true, tarn_play_command(p));
    else if (strcmp(word, "tool") == 0)
        answer(tarn_play_set_tool(p, a), tarn_play_error(p));
    else if (strcmp(word, "debug") == 0)
        answer(tarn_play_set_debug(p, a, strcmp(b, "on") == 0), tarn_play_error(p));
    else if (strcmp(word, "reveal") == 0)
        ui_reveal(a), answer(true, "");
    else if (strcmp(word, "find") == 0 && ui_find(a, &x, &y))
        printf("ok %.0f %.0f\n", (double)x, (double)y);
    else if (strcmp(word, "controls") == 0)
        ui_list(list_control, NULL), printf("\n");
    else if (strcmp(word, "picture") == 0 || strcmp(word, "window") == 0)
        answer(view_write_picture(v, a, word[0] == 'w'), "");
    else if (strcmp(word, "video") == 0 && strcmp(a, "end") == 0)
        recorder_end(v), answer(true, "");
    else if (strcmp(word, "video") == 0)
        answer(recorder_start(v, a), "");
    else if (strcmp(word, "size") == 0)
        glfwSetWindowSize(v->window, atoi(a), atoi(b)), answer(true, "");
    else if (strcmp(word, "frames") == 0)
        v->script.wait = atoi(a), v->script.answers_wait = true;
    else if (strcmp(word, "quit") == 0)
        v->quits = true, answer(true, "");
    else
        answer(control_time(p, word), tarn_play_error(p));
}

void script_run(View* v)
{
    Script* s = &v->script;
    char line[4096];
    if (s->file == NULL) return;
    if (s->wait > 0 && --s->wait > 0) return;
    if (s->answers_wait) answer(true, "");
    s->answers_wait = false;
    while (!v->quits && s->wait == 0 && next_line(s, line, sizeof line)) obey(v, line);
    fflush(stdout);
}
