// tarn list: the scenes that can be opened by name.

#include "context.h"
#include "json_text.h"
#include "message.h"
#include "options.h"
#include "scene_file.h"
#include "tarn/scene.h"
#include <string.h>

typedef struct ListOptions {
    bool is_json;
} ListOptions;

static const Option options[] = {
    { "json", 0, OPTION_FLAG, offsetof(ListOptions, is_json), NULL, 0, 0, NULL,
      "print a JSON array" },
};

static void print_scene(const SceneEntry* entry, const TarnSceneTexts* texts, int width)
{
    printf("%-*s  %s\n", width, entry->name, texts->title);
    if (texts->about[0] != '\0') printf("%-*s  %s\n", width, "", texts->about);
}

static void print_scene_json(const SceneEntry* entry, const TarnSceneTexts* texts, bool is_first)
{
    fputs(is_first ? "\n  {\"name\": " : ",\n  {\"name\": ", stdout);
    json_string(stdout, entry->name);
    fputs(", \"path\": ", stdout);
    json_string(stdout, entry->path);
    fputs(", \"title\": ", stdout);
    json_string(stdout, texts->title);
    fputs(", \"about\": ", stdout);
    json_string(stdout, texts->about);
    fputs("}", stdout);
}

// Returns how many could not be read; each has been explained.
static int print_list(TarnContext* ctx, const SceneList* list, bool is_json)
{
    int width = 0, n_bad = 0, n_good = 0;
    for (int i = 0; i < list->count; ++i) {
        int length = (int)strlen(list->entries[i].name);
        if (length > width) width = length;
    }
    if (is_json) fputc('[', stdout);
    for (int i = 0; i < list->count; ++i) {
        const SceneEntry* entry = &list->entries[i];
        TarnSceneTexts texts;
        if (tarn_scene_read_texts(ctx, entry->path, &texts) != TARN_OK) {
            say("%s", tarn_last_error(ctx));
            ++n_bad;
            continue;
        }
        if (is_json)
            print_scene_json(entry, &texts, n_good == 0);
        else
            print_scene(entry, &texts, width);
        ++n_good;
    }
    if (is_json) fputs("\n]\n", stdout);
    return n_bad;
}

static int start(const Command* command, int argc, char** argv)
{
    ListOptions o = { 0 };
    SceneList list;
    ParseResult parsed = parse_options(command, argc, argv, &o, NULL);
    if (parsed != PARSE_OK) return parsed == PARSE_HELP ? EXIT_OK : EXIT_USAGE;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    if (!context_open(&def, false, &ctx)) return EXIT_FAILED;
    if (!scene_list_create(&list)) {
        tarn_context_destroy(ctx);
        return EXIT_FAILED;
    }
    int n_bad = print_list(ctx, &list, o.is_json);
    if (list.count == 0) say("no scenes found; set TARN_SCENES to the folder that contains them");
    bool is_good = n_bad == 0 && list.count > 0;
    scene_list_destroy(&list);
    tarn_context_destroy(ctx);
    return is_good ? EXIT_OK : EXIT_FAILED;
}

const Command list_command = {
    .name = "list",
    .arguments = "[--json]",
    .summary = "Lists the scenes with name, title and description.",
    .details =
        "Scenes are JSON files in the folder $TARN_SCENES, in ./scenes and in the folder that was\n"
        "installed with this program. If two have the same name, the first one wins.\n"
        "\n"
        "examples:\n"
        "  tarn list\n"
        "  TARN_SCENES=my_scenes tarn list\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .start = start,
};
