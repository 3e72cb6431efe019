// libFuzzer target for the JSON reader: any bytes are read or refused, and what was read holds
// together. Build: clang -fsanitize=fuzzer,address,undefined, with src/base.

#include "base/base.h"
#include "base/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

// Walks every node below; returns how many there were.
static int walk(const TarnJson* node, int depth)
{
    int total = 1, count = 0;
    require(depth <= TARN_JSON_MAX_DEPTH + 1 && node->line >= 1 && node->column >= 1);
    if (node->type == TARN_JSON_NUMBER) require(isfinite(node->number));
    if (node->type == TARN_JSON_STRING) require(strlen(node->string) <= TARN_JSON_MAX_BYTES);
    if (node->type < TARN_JSON_ARRAY) require(node->child == NULL && node->count == 0);
    for (const TarnJson* item = node->child; item; item = item->next, ++count) {
        bool is_member = node->type == TARN_JSON_OBJECT;
        require((item->key != NULL) == is_member && (item->key_line > 0) == is_member);
        require(item->line > node->line || item->column > node->column);
        if (is_member && count < 100) require(tarn__json_get(node, item->key) == item);
        total += walk(item, depth + 1);
    }
    require(count == node->count);
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    if (ctx == NULL) require(tarn_context_create(&def, &ctx) == TARN_OK);

    TarnJsonDoc doc;
    TarnResult result = tarn__json_parse(ctx, "fuzz.json", (const char*)data, size, &doc);
    if (result == TARN_OK)
        require(walk(doc.root, 1) <= TARN_JSON_MAX_VALUES);
    else
        require(strncmp(tarn_last_error(ctx), "fuzz.json:", 10) == 0 && doc.root == NULL);
    tarn__json_free(ctx, &doc);
    return 0;
}
