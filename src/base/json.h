// base/json.h: a small strict JSON reader that remembers where everything stood.
//
// A scene can be valid JSON and still be wrong, and the message that says so needs the line and
// the column of the key or the value. So every node carries both. Texts are not
// trusted: nesting, size and number of values are limited, the time is proportional to
// the size (times a logarithm for the keys of one object), and nothing is repaired or guessed.
//
//     TarnJsonDoc doc;
//     TarnResult result = tarn__json_parse(ctx, "pool.json", text, size, &doc);
//     if (result != TARN_OK) return result; // tarn_last_error: pool.json:12:5: expected ...
//     const TarnJson* depth = tarn__json_get(doc.root, "depth"); // NULL: not there
//     for (const TarnJson* item = doc.root->child; item; item = item->next) ...
//     tarn__json_free(ctx, &doc);
//
// Strict: RFC 8259 and no more. No comments, trailing commas, NaN, hexadecimal or byte order mark.
// Stricter: a key may occur only once in an object, U+0000 is rejected, and so is a number beyond
// the range of a double. It does not write JSON.
#pragma once

#include "tarn/base.h"

enum {
    TARN_JSON_MAX_BYTES = 16 << 20,
    TARN_JSON_MAX_VALUES = 1 << 20,
    TARN_JSON_MAX_DEPTH = 64, // arrays and objects inside each other
};

typedef enum TarnJsonType {
    TARN_JSON_NULL,
    TARN_JSON_BOOL,
    TARN_JSON_NUMBER,
    TARN_JSON_STRING,
    TARN_JSON_ARRAY,
    TARN_JSON_OBJECT,
} TarnJsonType;

// One value. Lines and columns count from 1, columns in characters (code points), a tab is one.
typedef struct TarnJson {
    TarnJsonType type;
    int count;                 // of an array or object: how many children
    int line, column;          // of the first character of the value
    int key_line, key_column;  // of the quote that opens the key; 0 outside objects
    const char* key;           // UTF-8; NULL outside objects
    struct TarnJson* child;    // first item of an array or member of an object, in the text's order
    struct TarnJson* next;     // the item or member after this one
    struct TarnJson* next_key; // members sorted by key; the reader's own
    union {
        bool boolean;
        double number;      // the double nearest to the text, ties to even, on every machine
        const char* string; // UTF-8, escapes resolved, ends with a NUL
    };
} TarnJson;

typedef struct TarnJsonDoc {
    const TarnJson* root; // NULL after a failure
    size_t bytes;         // of the one block that holds the nodes and the strings
} TarnJsonDoc;

// Reads size bytes of UTF-8; no NUL is needed at the end. The text must not change meanwhile and is
// not needed afterwards. The name stands in front of every message: name:line:column: expected ...,
// found ... TARN_ERR_DATA: refused. TARN_ERR_MEMORY. After a failure nothing stays allocated.
TarnResult tarn__json_parse(TarnContext* ctx, const char* name, const char* text, size_t size,
                            TarnJsonDoc* doc);
void tarn__json_free(TarnContext* ctx, TarnJsonDoc* doc); // an empty doc is fine

// Returns the member with that key, or NULL, also if object is NULL or not an object.
const TarnJson* tarn__json_get(const TarnJson* object, const char* key);
const char* tarn__json_type_name(TarnJsonType type); // "a number", "an array": for messages
