// The panels around the picture, drawn with Dear ImGui. C++ because that library is; everything else is C.

#include "ui.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <imgui.h>
#include <imgui_internal.h>
#include <string>
#include <unordered_map>

namespace
{

// ---- State of the panels -------------------------------------------------------------------------

struct Place {
    float x, y;
};
std::unordered_map<std::string, Place> places; // of the controls that were drawn in this frame
std::string revealed;                          // to scroll to
int reveal_frames;
float unit = 1.0f; // one pixel of an ordinary screen
ImFont *body_font, *title_font;
char scene_filter[64], param_filter[64];
bool only_changed;

// A value that is fixed at creation is set when the user lets go of it.
std::string edited_path;
double edited[3];

const ImVec4 accent(0.36f, 0.66f, 0.86f, 1.0f), faint(0.62f, 0.64f, 0.67f, 1.0f),
    warning(0.95f, 0.72f, 0.32f, 1.0f), bad(0.96f, 0.45f, 0.40f, 1.0f);

void mark(const std::string& id)
{
    ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    ImRect clip = ImGui::GetCurrentWindow()->ClipRect;
    if (revealed == id) ImGui::SetScrollHereY(0.4f);
    float x = 0.5f * (a.x + b.x), y = 0.5f * (a.y + b.y);
    if (ImGui::IsItemVisible() && clip.Contains(ImVec2(x, y))) places[id] = { x, y };
}

bool contains(const char* text, const char* part)
{
    return part[0] == '\0' || ImStristr(text, nullptr, part, nullptr) != nullptr;
}

void tooltip(const char* text)
{
    if (!ImGui::IsItemHovered() || text[0] == '\0') return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(320.0f * unit);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// ---- Looks ---------------------------------------------------------------------------------------

void set_style()
{
    ImGuiStyle& s = ImGui::GetStyle();
    s = ImGuiStyle();
    s.WindowPadding = ImVec2(14, 12);
    s.FramePadding = ImVec2(8, 5);
    s.ItemSpacing = ImVec2(8, 7);
    s.ItemInnerSpacing = ImVec2(6, 4);
    s.ScrollbarSize = 11;
    s.GrabMinSize = 10;
    s.WindowRounding = s.ChildRounding = 0;
    s.FrameRounding = s.GrabRounding = s.PopupRounding = s.ScrollbarRounding = 5;
    s.TabRounding = 5;
    s.WindowBorderSize = s.FrameBorderSize = 0;
    s.IndentSpacing = 12;
    s.DisabledAlpha = 1; // only for as long as a shader compiles
    ImVec4* c = s.Colors;
    const ImVec4 ground(0.085f, 0.09f, 0.10f, 0.97f), field(0.155f, 0.165f, 0.18f, 1.0f),
        over(0.21f, 0.225f, 0.245f, 1.0f), press(0.26f, 0.28f, 0.31f, 1.0f);
    c[ImGuiCol_Text] = ImVec4(0.90f, 0.91f, 0.92f, 1.0f);
    c[ImGuiCol_TextDisabled] = faint;
    c[ImGuiCol_WindowBg] = c[ImGuiCol_PopupBg] = ground;
    c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_FrameBg] = c[ImGuiCol_Button] = field;
    c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_ButtonHovered] = over;
    c[ImGuiCol_FrameBgActive] = c[ImGuiCol_ButtonActive] = press;
    c[ImGuiCol_Header] = ImVec4(0.13f, 0.14f, 0.155f, 1.0f);
    c[ImGuiCol_HeaderHovered] = over;
    c[ImGuiCol_HeaderActive] = press;
    c[ImGuiCol_CheckMark] = accent;
    c[ImGuiCol_SliderGrab] = ImVec4(0.20f, 0.42f, 0.58f, 1.0f); // numbers are read on top of it
    c[ImGuiCol_SliderGrabActive] = ImVec4(0.25f, 0.52f, 0.70f, 1.0f);
    c[ImGuiCol_Tab] = c[ImGuiCol_TabUnfocused] = ImVec4(0.12f, 0.125f, 0.14f, 1.0f);
    c[ImGuiCol_TabHovered] = over;
    c[ImGuiCol_TabActive] = c[ImGuiCol_TabUnfocusedActive] = press;
    c[ImGuiCol_Separator] = ImVec4(0.20f, 0.21f, 0.23f, 1.0f);
    c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = over;
    c[ImGuiCol_PlotLines] = accent;
    c[ImGuiCol_PlotHistogram] = accent;
    c[ImGuiCol_TextSelectedBg] = ImVec4(0.2f, 0.4f, 0.55f, 1.0f);
    c[ImGuiCol_NavHighlight] = accent;
    s.ScaleAllSizes(unit);
}

void load_fonts()
{
    static const char* const names[] = { "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                         "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                         "/usr/share/fonts/dejavu/DejaVuSans.ttf",
                                         "/System/Library/Fonts/Helvetica.ttc" };
    static const ImWchar ranges[] = { 0x20, 0xff, 0x2010, 0x2026, 0x2190, 0x21bb, 0 };
    ImGuiIO& io = ImGui::GetIO();
    body_font = title_font = nullptr;
    for (const char* name : names) {
        FILE* file = fopen(name, "rb");
        if (file == nullptr) continue;
        fclose(file);
        body_font = io.Fonts->AddFontFromFileTTF(name, 14.0f * unit, nullptr, ranges);
        title_font = io.Fonts->AddFontFromFileTTF(name, 19.0f * unit, nullptr, ranges);
        break;
    }
    if (body_font != nullptr) return;
    ImFontConfig config;
    config.SizePixels = 14.0f * unit;
    body_font = title_font = io.Fonts->AddFontDefault(&config);
}

void begin_panel(const char* name, float x, float y, float width, float height)
{
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::Begin(name, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
}

void heading(const char* text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

// ---- Scenes --------------------------------------------------------------------------------------

// The text, or as much of it as has room with three dots behind.
std::string shortened(std::string text, float width)
{
    if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
    while (!text.empty() && ImGui::CalcTextSize((text + "\xe2\x80\xa6").c_str()).x > width)
        text.pop_back();
    return text + "\xe2\x80\xa6";
}

void scene_tile(UiState* s, int n, float width)
{
    UiScene* scene = &s->scenes[n];
    bool is_open = strcmp(scene->name, tarn_play_name(s->play)) == 0;
    ImGui::PushID(n);
    ImVec2 at = ImGui::GetCursorScreenPos(), size(width, std::floor(width * 0.5625f));
    float text = ImGui::GetTextLineHeight();
    if (ImGui::InvisibleButton("tile", ImVec2(size.x, size.y + text + 4 * unit))) {
        s->request = UI_OPEN;
        s->argument = n;
    }
    bool is_over = ImGui::IsItemHovered();
    ImDrawList* draw = ImGui::GetWindowDrawList();
    ImVec2 end(at.x + size.x, at.y + size.y);
    draw->AddRectFilled(at, end, IM_COL32(38, 41, 45, 255), 5 * unit);
    if (scene->texture)
        draw->AddImageRounded((ImTextureID)(intptr_t)scene->texture, at, end, ImVec2(0, 0),
                              ImVec2(1, 1), IM_COL32_WHITE, 5 * unit);
    if (is_open || is_over)
        draw->AddRect(at, end, ImGui::GetColorU32(is_open ? accent : faint), 5 * unit, 0, 2 * unit);
    draw->AddText(ImVec2(at.x + 1, end.y + 2 * unit),
                  ImGui::GetColorU32(is_open ? accent : ImVec4(0.80f, 0.81f, 0.83f, 1.0f)),
                  shortened(scene->name, size.x).c_str());
    mark(std::string("scene:") + scene->name);
    tooltip((std::string(scene->title) + "\n" + scene->name).c_str());
    ImGui::PopID();
}

void draw_scenes(UiState* s, float width)
{
    ImGui::PushFont(title_font);
    ImGui::TextUnformatted("Tarn");
    ImGui::PopFont();
    ImGui::SameLine(width - 14 * unit - ImGui::CalcTextSize("Keys").x -
                    2 * ImGui::GetStyle().FramePadding.x);
    if (ImGui::Button("Keys")) s->has_help = !s->has_help;
    mark("button:help");
    tooltip("What keys and mouse do (H)");
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##filter", "Find a scene", scene_filter, sizeof scene_filter);
    mark("field:scenes");
    ImGui::BeginChild("list");
    float gap = 8 * unit, tile = std::floor(0.5f * (width - 28 * unit - 13 * unit - gap));
    for (int first = 0; first < s->n_scenes;) {
        int end = first, shown = 0;
        const char* family = s->scenes[first].family;
        while (end < s->n_scenes && strcmp(s->scenes[end].family, family) == 0) ++end;
        for (int i = first; i < end; ++i) {
            const UiScene& scene = s->scenes[i];
            if (!contains(scene.name, scene_filter) && !contains(scene.title, scene_filter))
                continue;
            if (shown == 0) heading(family);
            if (shown % 2 == 1) ImGui::SameLine(0, gap);
            scene_tile(s, i, tile);
            ++shown;
        }
        if (shown > 0) ImGui::Dummy(ImVec2(1, 6 * unit));
        first = end;
    }
    ImGui::EndChild();
}

// ---- Parameters ----------------------------------------------------------------------------------

void set_text(UiState* s, const char* path, const char* value)
{
    if (s->n_shaders > 0 || tarn_play_set(s->play, path, value)) return;
    snprintf(s->message, sizeof s->message, "%s", tarn_play_error(s->play));
    s->message_left = 6.0;
}

// "kg/m^3" with a raised 3.
std::string raised(const char* text)
{
    std::string out;
    for (const char* c = text; *c; ++c) {
        bool is_power = c[0] == '^' && (c[1] == '2' || c[1] == '3') && !isdigit(c[2]);
        out += is_power ? (*++c == '2' ? "\xc2\xb2" : "\xc2\xb3") : std::string(1, *c);
    }
    return out;
}

void describe(const TarnPlayParam& p)
{
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(330.0f * unit);
    ImGui::TextUnformatted(p.help);
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    if (p.type != TARN_PARAM_BOOL && p.type != TARN_PARAM_ENUM)
        ImGui::Text("%g to %g %s", p.min, p.max, raised(p.unit).c_str());
    ImGui::TextUnformatted(p.path);
    if (p.kind == TARN_PLAY_REBUILD)
        ImGui::TextUnformatted("Fixed at creation: a change starts the scene over.");
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

// Sliders for ranges that a hand can cover, logarithmic where they span decades; fields to drag or type in elsewhere.
bool edit_numbers(const TarnPlayParam& p, double* value)
{
    double span = p.max - p.min, low = p.min, high = p.max;
    double largest = std::fmax(std::fabs(p.usual[0]), std::fabs(p.value[0]));
    bool is_slider = p.components == 1 && span > 0.0 && span <= 2e4;
    bool is_wide = is_slider && p.min >= 0.0 && largest < 0.02 * p.max;
    if (p.type == TARN_PARAM_INT && is_slider) {
        int v = (int)value[0], lo = (int)low, hi = (int)high;
        if (hi - lo > 64) is_slider = false;
        bool is_set = is_slider
                          ? ImGui::SliderInt("##v", &v, lo, hi)
                          : ImGui::DragInt("##v", &v, std::fmax(0.2f, 0.01f * (float)v), lo, hi);
        value[0] = v;
        return is_set;
    }
    int flags = is_wide ? ImGuiSliderFlags_Logarithmic : 0;
    if (is_slider)
        return ImGui::SliderScalar("##v", ImGuiDataType_Double, value, &low, &high, "%.4g", flags);
    double speed = 0.004 * std::fmax(largest, 1e-3 * std::fmin(std::fabs(p.max), 1e3));
    return ImGui::DragScalarN("##v", ImGuiDataType_Double, value, p.components, (float)speed, &low,
                              &high, "%.4g");
}

void set_numbers(UiState* s, const TarnPlayParam& p, const double* value)
{
    char text[128];
    int at = 0;
    for (int c = 0; c < p.components; ++c)
        at += snprintf(text + at, sizeof text - (size_t)at, c ? ",%.9g" : "%.9g", value[c]);
    set_text(s, p.path, text);
}

void edit_value(UiState* s, const TarnPlayParam& p)
{
    if (p.type == TARN_PARAM_BOOL) {
        bool is_on = p.value[0] != 0.0;
        if (ImGui::Checkbox("##v", &is_on)) set_text(s, p.path, is_on ? "true" : "false");
        return;
    }
    if (p.type == TARN_PARAM_ENUM) {
        int now = (int)p.value[0];
        if (!ImGui::BeginCombo("##v", p.choices[now])) return;
        for (int i = 0; p.choices[i]; ++i) {
            if (p.allowed != 0 && !(p.allowed >> i & 1u)) continue;
            if (ImGui::Selectable(p.choices[i], i == now)) set_text(s, p.path, p.choices[i]);
        }
        ImGui::EndCombo();
        return;
    }
    bool is_edited = edited_path == p.path;
    double value[3] = { p.value[0], p.value[1], p.value[2] };
    if (is_edited) memcpy(value, edited, sizeof value);
    bool is_set = edit_numbers(p, value);
    if (p.kind == TARN_PLAY_LIVE) {
        if (is_set) set_numbers(s, p, value);
        return;
    }
    if (is_set) {
        edited_path = p.path;
        memcpy(edited, value, sizeof value);
    }
    if (ImGui::IsItemDeactivatedAfterEdit() && edited_path == p.path) {
        edited_path.clear();
        set_numbers(s, p, value);
    }
}

void draw_param(UiState* s, const TarnPlayParam& p, float width)
{
    std::string path = p.path; // setting may build the scene anew
    ImGui::PushID(p.path);
    float label = std::floor(0.42f * width), reset = 24 * unit;
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text,
                          p.is_changed ? accent : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(at, ImVec2(at.x + label - 4 * unit, at.y + 2 * ImGui::GetTextLineHeight()),
                        true);
    ImGui::TextUnformatted(p.name);
    ImGui::PopClipRect();
    ImGui::PopStyleColor();
    describe(p);
    ImGui::SameLine(label);
    float unit_width = p.unit[0] ? ImGui::CalcTextSize(raised(p.unit).c_str()).x + 6 * unit : 0.0f;
    ImGui::SetNextItemWidth(width - label - reset - unit_width);
    bool is_changed = p.is_changed;
    TarnPlayParam copy = p;
    edit_value(s, p);
    mark("param:" + path);
    if (tarn_play_param_find(s->play, path.c_str()) >= 0) {
        describe(copy);
        if (copy.unit[0]) {
            ImGui::SameLine(0, 6 * unit);
            ImGui::PushStyleColor(ImGuiCol_Text, faint);
            ImGui::TextUnformatted(raised(copy.unit).c_str());
            ImGui::PopStyleColor();
        }
    }
    if (is_changed) {
        ImGui::SameLine(width - reset + 6 * unit);
        ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
        if (ImGui::Button("\xe2\x86\xba", ImVec2(reset, 0))) tarn_play_reset(s->play, path.c_str());
        mark("reset:" + path);
        ImGui::PopStyleColor();
        tooltip("Back to what the scene says");
    }
    ImGui::PopID();
}

void draw_params(UiState* s)
{
    float width = ImGui::GetContentRegionAvail().x - 12 * unit;
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##filter", "Find a parameter", param_filter, sizeof param_filter);
    mark("field:params");
    ImGui::Checkbox("Changed only", &only_changed);
    if (tarn_play_changes(s->play)[0]) {
        ImGui::SameLine();
        if (ImGui::Button("Reset all")) tarn_play_reset_all(s->play);
        mark("button:reset_all");
    }
    ImGui::BeginChild("params");
    std::string group;
    bool is_open = false;
    int version = tarn_play_params_version(s->play);
    TarnPlayParam p;
    for (int i = 0; tarn_play_param_at(s->play, i, &p); ++i) {
        bool is_wanted = (contains(p.path, param_filter) || contains(p.help, param_filter)) &&
                         (!only_changed || p.is_changed);
        bool is_revealed = revealed == std::string("param:") + p.path;
        if (!is_wanted && !is_revealed) continue;
        bool is_filtered = param_filter[0] != '\0' || only_changed;
        std::string name = std::string(p.group) + (p.kind == TARN_PLAY_LIVE ? "" : "##fixed");
        if (name != group) {
            group = name;
            std::string shown =
                std::string(p.group) + (p.kind == TARN_PLAY_LIVE ? "  (live)##" : "##") + name;
            bool is_first = p.kind == TARN_PLAY_LIVE;
            if (is_filtered || is_revealed) ImGui::SetNextItemOpen(true);
            is_open = ImGui::CollapsingHeader(shown.c_str(),
                                              is_first ? ImGuiTreeNodeFlags_DefaultOpen : 0);
            mark("group:" + name);
        }
        if (is_revealed && !is_open) {
            ImGui::GetStateStorage()->SetInt(ImGui::GetID(group.c_str()), 1);
        }
        if (is_open || is_revealed) draw_param(s, p, width);
        if (tarn_play_params_version(s->play) != version)
            break; // built anew: the list is another one
    }
    ImGui::EndChild();
}

// ---- Status --------------------------------------------------------------------------------------

void row(const char* name, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextUnformatted(name);
    ImGui::PopStyleColor();
    ImGui::SameLine(112 * unit);
    ImGui::TextV(format, args);
    va_end(args);
}

void graph(const char* name, const float* values, int n, float height)
{
    float most = 0.0f, last = n > 0 ? values[n - 1] : 0.0f;
    char label[48];
    for (int i = 0; i < n; ++i) most = std::fmax(most, values[i]);
    snprintf(label, sizeof label, "%.2f ms", (double)last);
    float right = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(label).x;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 2 * unit));
    heading(name);
    ImGui::SameLine(right);
    ImGui::TextUnformatted(label);
    ImGui::PopStyleVar();
    ImGui::PlotLines(("##" + std::string(name)).c_str(), values, n, 0, nullptr, 0.0f,
                     std::fmax(most * 1.15f, 0.05f),
                     ImVec2(ImGui::GetContentRegionAvail().x, height));
}

void draw_status(UiState* s)
{
    TarnPlayStatus st;
    float values[TARN_PLAY_GRAPH];
    tarn_play_status(s->play, &st);
    ImGui::BeginChild("status");
    graph("step", values, tarn_play_graph_step(s->play, values), 52 * unit);
    row("time", "%.3f s", st.time);
    row("steps", "%d of %.4g ms", st.steps, 1e3 * st.dt);
    row("step", "%.2f ms, %d substeps", st.mean_ms, st.substeps);
    row("picture", "%.1f ms, %.0f per second", s->draw_ms, s->fps);
    row("speed", "%.0f %% of real time", 100.0 * st.real_time);
    row("memory", "%.1f MB", (double)st.memory / 1048576.0);
    row("history", "%d steps, %.0f MB", st.history_steps, (double)st.history_bytes / 1048576.0);
    row("state", "%s", tarn_play_hash_text(s->play));
    row("solvers", "%d, with %d bodies, %d solids", st.solvers, st.bodies, st.solids);
    const char* words = tarn_play_words(s->play);
    if (words[0]) {
        ImGui::PushStyleColor(ImGuiCol_Text, warning);
        ImGui::TextWrapped("%s", words);
        ImGui::PopStyleColor();
    }
    ImGui::Separator();
    heading("Phases");
    for (int p = 0; p < TARN_PHASES; ++p) {
        if (st.phase_ms[p] < 0.004f) continue;
        graph(tarn_phase_name((TarnPhase)p), values, tarn_play_graph_phase(s->play, p, values),
              26 * unit);
    }
    heading("Workers");
    for (int w = 0; w < st.workers; ++w) {
        char name[24];
        snprintf(name, sizeof name, "worker %d", w + 1);
        graph(name, values, tarn_play_graph_worker(s->play, w, values), 26 * unit);
    }
    if (st.ledger.n > 0) {
        ImGui::Separator();
        heading("Ledger");
        row("held", "%.6g m\xc2\xb3", st.ledger.held);
        row("brought, taken", "%.4g, %.4g m\xc2\xb3", st.ledger.brought, st.ledger.taken);
        row("error", "%.2g m\xc2\xb3", st.ledger.error);
    }
    ImGui::Separator();
    heading("Solvers");
    TarnPlayStat stat;
    for (int i = 0; tarn_play_stat_at(s->play, i, &stat); ++i) {
        row(stat.name, "%.5g %s", stat.value, raised(stat.unit).c_str());
        tooltip(stat.help);
    }
    ImGui::EndChild();
}

void draw_debug(UiState* s)
{
    ImGui::BeginChild("debug");
    for (int i = 0; i < tarn_play_debug_count(s->play); ++i) {
        const char* id = tarn_play_debug_id(s->play, i);
        bool is_on = tarn_play_is_debug(s->play, id);
        if (ImGui::Checkbox(tarn_play_debug_name(s->play, i), &is_on))
            tarn_play_set_debug(s->play, id, is_on);
        mark(std::string("debug:") + id);
        ImGui::Indent(30 * unit); // below its name
        ImGui::SetCursorPosY(ImGui::GetCursorPosY() - 5 * unit);
        ImGui::PushStyleColor(ImGuiCol_Text, faint);
        ImGui::TextWrapped("%s", tarn_play_debug_help(s->play, i));
        ImGui::PopStyleColor();
        ImGui::Unindent(30 * unit);
        ImGui::Dummy(ImVec2(1, 4 * unit));
    }
    ImGui::EndChild();
}

void draw_side(UiState* s)
{
    ImGui::PushFont(title_font);
    ImGui::TextWrapped("%s", tarn_play_title(s->play));
    ImGui::PopFont();
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped("%s", tarn_play_about(s->play));
    ImGui::PopStyleColor();
    if (!ImGui::BeginTabBar("tabs")) return;
    static const char* const names[] = { "Parameters", "Status", "Debug" };
    static const char* const ids[] = { "tab:params", "tab:status", "tab:debug" };
    void (*const draws[])(UiState*) = { draw_params, draw_status, draw_debug };
    for (int i = 0; i < 3; ++i) {
        bool is_wanted = revealed == ids[i] || (revealed.rfind("param:", 0) == 0 && i == 0) ||
                         (revealed.rfind("debug:", 0) == 0 && i == 2);
        bool is_open =
            ImGui::BeginTabItem(names[i], nullptr, is_wanted ? ImGuiTabItemFlags_SetSelected : 0);
        mark(ids[i]);
        if (!is_open) continue;
        draws[i](s);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

// ---- The bar -------------------------------------------------------------------------------------

enum Icon { ICON_RESTART, ICON_BACK, ICON_PAUSE, ICON_PLAY, ICON_STEP, ICON_PICTURE, ICON_RECORD };

void draw_icon(ImDrawList* d, ImVec2 c, Icon icon, ImU32 color)
{
    float r = 7 * unit;
    switch (icon) {
    case ICON_RESTART:
        d->PathArcTo(c, r, 0.6f, 5.6f, 24);
        d->PathStroke(color, 0, 2 * unit);
        d->AddTriangleFilled(ImVec2(c.x + r + 4 * unit, c.y - 5 * unit),
                             ImVec2(c.x + r - 5 * unit, c.y - 5 * unit),
                             ImVec2(c.x + r, c.y + 2 * unit), color);
        break;
    case ICON_BACK:
    case ICON_STEP: {
        float f = icon == ICON_STEP ? 1.0f : -1.0f;
        d->AddTriangleFilled(ImVec2(c.x - f * 5 * unit, c.y - r),
                             ImVec2(c.x - f * 5 * unit, c.y + r), ImVec2(c.x + f * 4 * unit, c.y),
                             color);
        d->AddRectFilled(ImVec2(c.x + f * 6.5f * unit - 1.5f * unit, c.y - r),
                         ImVec2(c.x + f * 6.5f * unit + 1.5f * unit, c.y + r), color);
        break;
    }
    case ICON_PAUSE:
        d->AddRectFilled(ImVec2(c.x - 6 * unit, c.y - r), ImVec2(c.x - 2 * unit, c.y + r), color);
        d->AddRectFilled(ImVec2(c.x + 2 * unit, c.y - r), ImVec2(c.x + 6 * unit, c.y + r), color);
        break;
    case ICON_PLAY:
        d->AddTriangleFilled(ImVec2(c.x - 5 * unit, c.y - r - unit),
                             ImVec2(c.x - 5 * unit, c.y + r + unit), ImVec2(c.x + 8 * unit, c.y),
                             color);
        break;
    case ICON_PICTURE:
        d->AddRect(ImVec2(c.x - 8 * unit, c.y - 6 * unit), ImVec2(c.x + 8 * unit, c.y + 6 * unit),
                   color, 2 * unit, 0, 2 * unit);
        d->AddCircleFilled(c, 3 * unit, color);
        break;
    case ICON_RECORD:
        d->AddCircleFilled(c, 6.5f * unit, color);
        break;
    }
}

bool icon_button(const char* id, Icon icon, const char* tip, ImVec4 color)
{
    float size = 36 * unit;
    ImGui::PushID(id);
    bool is_pressed = ImGui::Button("##icon", ImVec2(size, size));
    ImVec2 a = ImGui::GetItemRectMin();
    draw_icon(ImGui::GetWindowDrawList(), ImVec2(a.x + 0.5f * size, a.y + 0.5f * size), icon,
              ImGui::GetColorU32(color));
    mark(std::string("button:") + id);
    tooltip(tip);
    ImGui::PopID();
    ImGui::SameLine(0, 4 * unit);
    return is_pressed;
}

void draw_speed(UiState* s)
{
    static const double speeds[] = { 0.05, 0.1, 0.25, 0.5, 1.0, 2.0 };
    char now[32];
    snprintf(now, sizeof now, "%g\xc3\x97", tarn_play_speed(s->play));
    float high = 0.5f * (36 * unit - ImGui::GetTextLineHeight()); // as the buttons beside it
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * unit, high));
    ImGui::SetNextItemWidth(84 * unit);
    bool is_open = ImGui::BeginCombo("##speed", now);
    ImGui::PopStyleVar();
    if (is_open) {
        for (double speed : speeds) {
            char text[32];
            snprintf(text, sizeof text, "%g\xc3\x97", speed);
            if (ImGui::Selectable(text, speed == tarn_play_speed(s->play)))
                tarn_play_set_speed(s->play, speed);
        }
        ImGui::EndCombo();
    }
    mark("button:speed");
    tooltip("Slow motion");
}

void draw_tools(UiState* s)
{
    TarnPlayTool tool;
    for (int i = 0; tarn_play_tool_at(s->play, i, &tool); ++i) {
        bool is_chosen = strcmp(tool.id, tarn_play_tool(s->play)) == 0;
        if (i > 0) ImGui::SameLine(0, 4 * unit);
        if (is_chosen) {
            ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0.17f, 0.36f, 0.50f, 1.0f));
            ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImVec4(0.20f, 0.42f, 0.58f, 1.0f));
        }
        if (ImGui::Button(tool.name)) tarn_play_set_tool(s->play, tool.id);
        if (is_chosen) ImGui::PopStyleColor(2);
        mark(std::string("tool:") + tool.id);
        tooltip(tool.hint);
    }
}

// Tools above, time below; what does not fit can be scrolled to.
void draw_bar(UiState* s, float width)
{
    const ImVec4 white = ImGui::GetStyleColorVec4(ImGuiCol_Text);
    bool is_paused = tarn_play_is_paused(s->play);
    float right = 312 * unit;
    ImGui::BeginChild("tools", ImVec2(0, 30 * unit), false, ImGuiWindowFlags_NoScrollbar);
    float wheel = ImGui::GetIO().MouseWheel;
    if (ImGui::IsWindowHovered() && wheel != 0.0f)
        ImGui::SetScrollX(ImGui::GetScrollX() - 60 * unit * wheel);
    draw_tools(s);
    ImGui::EndChild();
    if (icon_button("restart", ICON_RESTART, "Start over (R)", white)) tarn_play_restart(s->play);
    if (icon_button("back", ICON_BACK, "One step back (,)", white)) tarn_play_step_back(s->play);
    if (icon_button("pause", is_paused ? ICON_PLAY : ICON_PAUSE,
                    is_paused ? "Go on (Space)" : "Pause (Space)", white))
        tarn_play_pause(s->play, !is_paused);
    if (icon_button("step", ICON_STEP, "One step (.)", white)) tarn_play_step(s->play);
    ImVec2 at = ImGui::GetCursorScreenPos();
    float end = ImGui::GetWindowPos().x + width - right - 12 * unit;
    ImGui::PushClipRect(at, ImVec2(end, at.y + 40 * unit), true);
    ImGui::PushTextWrapPos(width - right - 12 * unit);
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextUnformatted(tarn_play_hint(s->play));
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::PopClipRect();
    ImGui::SameLine(width - right);
    draw_speed(s);
    ImGui::SameLine(0, 8 * unit);
    if (icon_button("picture", ICON_PICTURE, "Write a PNG (P)", white)) s->request = UI_PICTURE;
    if (icon_button("record", ICON_RECORD,
                    s->is_recording ? "End the video (V)" : "Record a video (V)",
                    s->is_recording ? bad : white))
        s->request = UI_RECORD;
    if (ImGui::Button("Copy", ImVec2(64 * unit, 36 * unit))) s->request = UI_COPY;
    mark("button:copy");
    tooltip("Copy the command line that shows this (Ctrl+C)");
}

// ---- Over the picture ----------------------------------------------------------------------------

// Returns where the next one may begin.
float draw_note(const UiState* s, const char* text, ImVec4 color, float y)
{
    ImDrawList* d = ImGui::GetForegroundDrawList();
    float wrap = std::fmin(s->canvas_width - 40 * unit, 720 * unit), pad = 12 * unit;
    ImVec2 size = body_font->CalcTextSizeA(body_font->FontSize, FLT_MAX, wrap, text);
    ImVec2 at(s->canvas_x + 0.5f * (s->canvas_width - size.x), s->canvas_y + y);
    d->AddRectFilled(ImVec2(at.x - pad, at.y - 0.7f * pad),
                     ImVec2(at.x + size.x + pad, at.y + size.y + 0.7f * pad),
                     IM_COL32(18, 19, 22, 232), 6 * unit);
    d->AddText(body_font, body_font->FontSize, at, ImGui::GetColorU32(color), text, nullptr, wrap);
    return y + size.y + 2.2f * pad;
}

void draw_notes(UiState* s)
{
    const char* help =
        "Space  pause        .  step        ,  step back        R  start over\n"
        "Left drag  the tool        Right drag  orbit        Middle drag  pan        Wheel  zoom\n"
        "W A S D  Q E  fly        Home  the scene's camera        [ ]  slower, faster\n"
        "1 to 9  tools        Tab  panels        F11  full screen\n"
        "P  picture        V  video        F5  save        F9  load        Ctrl+C  copy the "
        "command line";
    float y = s->has_panels ? 44 * unit : 18 * unit; // below the time
    if (s->error[0]) y = draw_note(s, s->error, bad, y);
    if (s->message_left > 0.0) y = draw_note(s, s->message, warning, y);
    if (s->n_shaders > 0) {
        char text[64];
        snprintf(text, sizeof text, "Compiling shaders: %d", s->n_shaders);
        draw_note(s, text, ImVec4(0.9f, 0.91f, 0.92f, 1.0f), y);
    }
    if (s->has_help)
        draw_note(s, help, ImVec4(0.9f, 0.91f, 0.92f, 1.0f), 0.5f * s->canvas_height - 60 * unit);
    if (!s->has_panels) return;
    char fps[64];
    snprintf(fps, sizeof fps, "%.2f s%s%s", tarn_play_time(s->play),
             tarn_play_is_paused(s->play) ? "   paused" : "",
             s->is_recording ? "   recording" : "");
    ImGui::GetForegroundDrawList()->AddText(
        ImVec2(s->canvas_x + 14 * unit, s->canvas_y + 12 * unit), IM_COL32(255, 255, 255, 190),
        fps);
}

} // namespace

// ---- The C interface -----------------------------------------------------------------------------

bool ui_open(void* window, float scale)
{
    unit = scale;
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    set_style();
    load_fonts();
    return ImGui_ImplGlfw_InitForOpenGL((GLFWwindow*)window, true) &&
           ImGui_ImplOpenGL3_Init("#version 330 core");
}

void ui_close(void)
{
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void ui_draw(UiState* s, double seconds)
{
    float left = 250 * unit, right = 340 * unit, bar = 100 * unit;
    float w = (float)s->width, h = (float)s->height;
    s->request = UI_NOTHING;
    s->message_left -= seconds;
    if (!s->has_panels) left = right = bar = 0.0f;
    if (w < left + right + 320 * unit) left = 0.0f; // a small window: the picture first
    if (w < right + 320 * unit) right = 0.0f;
    s->canvas_x = left, s->canvas_y = 0.0f;
    s->canvas_width = std::fmax(16.0f, w - left - right);
    s->canvas_height = std::fmax(16.0f, h - bar);
    places.clear();
    if (reveal_frames > 0 && --reveal_frames == 0) revealed.clear();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    if (s->picture)
        ImGui::GetBackgroundDrawList()->AddImage(
            (ImTextureID)(intptr_t)s->picture, ImVec2(s->canvas_x, s->canvas_y),
            ImVec2(s->canvas_x + s->canvas_width, s->canvas_y + s->canvas_height), ImVec2(0, 1),
            ImVec2(1, 0));
    ImGui::BeginDisabled(s->n_shaders > 0);
    if (left > 0.0f) {
        begin_panel("Scenes", 0, 0, left, h);
        draw_scenes(s, left);
        ImGui::End();
    }
    if (right > 0.0f) {
        begin_panel("Side", w - right, 0, right, h);
        draw_side(s);
        ImGui::End();
    }
    if (bar > 0.0f) {
        begin_panel("Bar", left, h - bar, w - left - right, bar);
        draw_bar(s, w - left - right);
        ImGui::End();
    }
    ImGui::EndDisabled();
    draw_notes(s);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

bool ui_wants_mouse(void)
{
    return ImGui::GetIO().WantCaptureMouse;
}
bool ui_wants_keys(void)
{
    return ImGui::GetIO().WantTextInput;
}

bool ui_find(const char* id, float* x, float* y)
{
    auto found = places.find(id);
    if (found == places.end()) return false;
    *x = found->second.x, *y = found->second.y;
    return true;
}

void ui_list(void (*each)(const char* id, float x, float y, void* user), void* user)
{
    for (const auto& p : places) each(p.first.c_str(), p.second.x, p.second.y, user);
}

void ui_reveal(const char* id)
{
    revealed = id;
    reveal_frames = 6;
}
