// Strict JSON into a tree of nodes that know where they stood. See json.h for the contract.
//
// The same code reads the text twice. The first pass checks the syntax and counts nodes and string
// bytes; then one block is allocated; the second pass fills it, and refuses numbers out of range
// and repeated keys. In the first pass every node lands in the same scratch node.
//
// Order of the file: errors, characters, strings, numbers, the grammar.

#include "base/json.h"
#include "base/base.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
    TarnContext* ctx;
    const char* name;
    const char *at, *end;
    int line, column; // of at
    int depth;        // arrays and objects that are open
    int n_nodes;
    size_t n_chars;
    TarnJson* nodes; // NULL in the first pass, and so is chars
    char* chars;
    TarnJson scratch;
} Reader;

// ---- Errors ------------------------------------------------------------------------------------

enum { SHOWN = 24 }; // characters of the text that a message shows at most

static bool refuse_found(const Reader* r, const char* expected, const char* found)
{
    tarn__fail(r->ctx, TARN_ERR_DATA, "%s:%d:%d: expected %s, found %s", r->name, r->line,
               r->column, expected, found);
    return false;
}

static bool refuse_limit(const Reader* r, int limit, const char* what)
{
    char expected[64];
    snprintf(expected, sizeof expected, "at most %d %s", limit, what);
    return refuse_found(r, expected, "one more");
}

// Length of the code point at p, or 0 if the bytes are not UTF-8: overlong, cut off, a surrogate.
static int decode_utf8(const char* p, const char* end, uint32_t* code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800,
                                      0x10000 }; // smallest code point that needs this many bytes
    uint32_t first = (unsigned char)*p;
    int n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (n == 0 || first >= 0xf8 || end - p < n) return 0;

    *code = n == 1 ? first : first & (0x7fu >> n);
    for (int i = 1; i < n; ++i) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code >= least[n] && *code < 0x110000 && !is_surrogate ? n : 0;
}

// What a reader of the message sees as one word or number.
static int word_length(const Reader* r)
{
    const char* p = r->at;
    while (p != r->end && *p > ' ' && *p <= '~' && !strchr("\"'[]{},:/\\", *p)) ++p;
    return (int)(p - r->at);
}

// Refuses what stands at the reader. Only printable ASCII is shown as it is.
static bool refuse(const Reader* r, const char* expected)
{
    char found[SHOWN + 16];
    uint32_t code = 0;
    int word = word_length(r);
    if (r->at == r->end)
        return refuse_found(r, expected, "the end of the text");
    else if (*r->at == '\n' || *r->at == '\r')
        return refuse_found(r, expected, "a line break");
    else if (*r->at == '/')
        return refuse_found(r, expected, "'/' (JSON has no comments)");
    else if (word > SHOWN)
        snprintf(found, sizeof found, "'%.*s...'", SHOWN, r->at);
    else if (word > 0)
        snprintf(found, sizeof found, "'%.*s'", word, r->at);
    else if (decode_utf8(r->at, r->end, &code) == 0)
        snprintf(found, sizeof found, "the byte 0x%02X", (unsigned)(unsigned char)*r->at);
    else if (code > ' ' && code < 0x7f)
        snprintf(found, sizeof found, "'%c'", *r->at);
    else
        snprintf(found, sizeof found, "U+%04X%s", (unsigned)code,
                 code == 0xfeff ? " (byte order mark)" : "");
    return refuse_found(r, expected, found);
}

// Back to the start of an ASCII token, so that the message points there.
static void rewind_to(Reader* r, const char* start)
{
    r->column -= (int)(r->at - start);
    r->at = start;
}

// ---- Characters --------------------------------------------------------------------------------

static int peek(const Reader* r) // -1 at the end
{
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

static bool take(Reader* r, char c)
{
    if (peek(r) != c) return false;
    ++r->at;
    ++r->column;
    return true;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool take_digits(Reader* r)
{
    const char* start = r->at;
    while (is_digit(peek(r))) ++r->at;
    r->column += (int)(r->at - start);
    return r->at > start;
}

static void skip_space(Reader* r)
{
    for (;;) {
        if (take(r, '\n')) {
            ++r->line;
            r->column = 1;
        } else if (!take(r, ' ') && !take(r, '\t') && !take(r, '\r')) {
            return;
        }
    }
}

// ---- Strings -----------------------------------------------------------------------------------

static void put(Reader* r, uint32_t byte)
{
    if (r->chars) r->chars[r->n_chars] = (char)byte;
    ++r->n_chars;
}

static void put_utf8(Reader* r, uint32_t code)
{
    static const uint32_t lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    int tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; // bytes that follow
    put(r, lead[tail] | code >> 6 * tail);
    while (tail-- > 0) put(r, 0x80 | (code >> 6 * tail & 0x3f));
}

static bool read_hex4(Reader* r, uint32_t* unit)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    *unit = 0;
    for (int i = 0; i < 4; ++i) {
        const char* digit = peek(r) > 0 ? strchr(digits, peek(r)) : NULL;
        if (digit == NULL) return refuse(r, "four hexadecimal digits after \\u");
        int value = (int)(digit - digits);
        *unit = *unit << 4 | (uint32_t)(value < 16 ? value : value - 6);
        take(r, *digit);
    }
    return true;
}

// A character beyond U+FFFF is written as two escapes, a high and a low surrogate.
static bool read_unicode_escape(Reader* r, const char* start) // start: the backslash
{
    uint32_t code, low = 0;
    char found[32];
    if (!read_hex4(r, &code)) return false;
    bool is_high = code >= 0xd800 && code < 0xdc00;
    bool has_low = is_high && take(r, '\\') && take(r, 'u');
    if (has_low && !read_hex4(r, &low)) return false;

    bool is_lone = is_high ? low < 0xdc00 || low >= 0xe000 : code >= 0xdc00 && code < 0xe000;
    if (is_lone || code == 0) {
        rewind_to(r, start);
        snprintf(found, sizeof found, "'%.6s'%s", start, is_lone ? " alone" : "");
        return refuse_found(r, is_lone ? "a high and a low surrogate" : "no NUL character", found);
    }
    put_utf8(r, is_high ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code);
    return true;
}

static bool read_escape(Reader* r)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char* start = r->at;
    take(r, '\\');
    if (take(r, 'u')) return read_unicode_escape(r, start);
    for (int i = 0; names[i]; ++i) {
        if (take(r, names[i])) {
            put(r, (uint32_t)meant[i]);
            return true;
        }
    }
    return refuse(r, "one of \" \\ / b f n r t u after '\\'");
}

static bool read_string(Reader* r, const char** out)
{
    *out = r->chars ? r->chars + r->n_chars : NULL;
    take(r, '"');
    while (!take(r, '"')) {
        int c = peek(r);
        uint32_t code;
        if (c == '\\') {
            if (!read_escape(r)) return false;
            continue;
        }
        if (c == -1 || c == '\n' || c == '\r') return refuse(r, "'\"' at the end of a string");
        if (c < ' ') return refuse(r, "an escape such as \\t for a control character");
        int n = decode_utf8(r->at, r->end, &code);
        if (n == 0) return refuse(r, "UTF-8");
        for (int i = 0; i < n; ++i) put(r, (unsigned char)r->at[i]);
        r->at += n;
        ++r->column;
    }
    put(r, '\0');
    return true;
}

// ---- Numbers -----------------------------------------------------------------------------------

static bool read_number(Reader* r, TarnJson* node)
{
    const char* start = r->at;
    node->type = TARN_JSON_NUMBER;
    take(r, '-');
    if (take(r, '0')) {
        if (is_digit(peek(r))) return refuse(r, "no digit after a leading 0");
    } else if (!take_digits(r)) {
        return refuse(r, "a digit after '-'");
    }
    if (take(r, '.') && !take_digits(r)) return refuse(r, "a digit after '.'");
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+')) take(r, '-');
        if (!take_digits(r)) return refuse(r, "a digit in the exponent");
    }
    if (r->nodes == NULL) return true;
    node->number = tarn__decimal(start, r->at);
    if (!isinf(node->number)) return true;
    rewind_to(r, start);
    return refuse(r, "a number between -1.797e308 and 1.797e308");
}

// ---- The grammar -------------------------------------------------------------------------------

static bool take_word(Reader* r, const char* word)
{
    int n = (int)strlen(word);
    if (word_length(r) != n || memcmp(r->at, word, (size_t)n) != 0) return false;
    r->at += n;
    r->column += n;
    return true;
}

static TarnJson* new_node(Reader* r)
{
    TarnJson* node = r->nodes ? &r->nodes[r->n_nodes] : &r->scratch;
    *node = (TarnJson){ 0 };
    ++r->n_nodes;
    return node;
}

// Two lists sorted by key into one. Of equal keys those of a come first.
static TarnJson* merge(TarnJson* a, TarnJson* b)
{
    TarnJson *head = NULL, **tail = &head;
    while (a && b) {
        TarnJson** least = strcmp(a->key, b->key) <= 0 ? &a : &b;
        *tail = *least;
        tail = &(*tail)->next_key;
        *least = *tail;
    }
    *tail = a ? a : b;
    return head;
}

static bool refuse_key(Reader* r, const TarnJson* first, const TarnJson* again)
{
    char shown[SHOWN + 1] = "", found[SHOWN + 64];
    for (int i = 0; i < SHOWN && again->key[i]; ++i) {
        char c = again->key[i];
        shown[i] = c < ' ' || c > '~' ? '?' : c;
    }
    snprintf(found, sizeof found, "\"%s%s\" again (first at %d:%d)", shown,
             strlen(again->key) > SHOWN ? "..." : "", first->key_line, first->key_column);
    r->line = again->key_line;
    r->column = again->key_column;
    return refuse_found(r, "each key once in an object", found);
}

// Merge sort, because no choice of keys can make it slow, as it can a hash table. runs[i] holds
// 2^i members or none, the higher i the earlier members, as in a binary counter.
static bool check_keys(Reader* r, const TarnJson* object)
{
    TarnJson* runs[32] = { NULL };
    for (TarnJson* member = object->child; member; member = member->next) {
        TarnJson* run = member;
        int i = 0;
        for (; runs[i]; runs[i++] = NULL) run = merge(runs[i], run);
        runs[i] = run;
    }
    TarnJson *sorted = NULL, *first = NULL;
    for (int i = 0; i < 32; ++i) sorted = merge(runs[i], sorted);

    for (TarnJson* a = sorted; a && a->next_key; a = a->next_key) {
        bool is_earlier = first == NULL || a->next_key < first->next_key; // nodes lie in text order
        if (is_earlier && strcmp(a->key, a->next_key->key) == 0) first = a;
    }
    return first == NULL || refuse_key(r, first, first->next_key);
}

static bool read_key(Reader* r, TarnJson* member, const char* expected)
{
    member->key_line = r->line;
    member->key_column = r->column;
    if (peek(r) != '"') return refuse(r, expected);
    if (!read_string(r, &member->key)) return false;
    skip_space(r);
    if (!take(r, ':')) return refuse(r, "':' after a key");
    skip_space(r);
    return true;
}

static bool read_value(Reader* r, TarnJson* node, const char* expected);

static bool read_children(Reader* r, TarnJson* node)
{
    bool is_object = peek(r) == '{';
    char close = is_object ? '}' : ']';
    const char* expected = is_object ? "a key in double quotes or '}'" : "a value or ']'";
    TarnJson** link = &node->child;
    node->type = is_object ? TARN_JSON_OBJECT : TARN_JSON_ARRAY;
    if (r->depth == TARN_JSON_MAX_DEPTH) return refuse_limit(r, r->depth, "levels of nesting");
    ++r->depth;
    take(r, is_object ? '{' : '[');
    skip_space(r);

    bool is_done = take(r, close);
    while (!is_done) {
        if (r->n_nodes == TARN_JSON_MAX_VALUES) return refuse_limit(r, r->n_nodes, "values");
        TarnJson* item = new_node(r);
        if (is_object && !read_key(r, item, expected)) return false;
        if (!read_value(r, item, is_object ? "a value after ':'" : expected)) return false;
        *link = item;
        link = &item->next;
        ++node->count;

        skip_space(r);
        is_done = take(r, close);
        if (!is_done && !take(r, ','))
            return refuse(r, is_object ? "',' or '}' after a value" : "',' or ']' after a value");
        skip_space(r);
        expected = is_object ? "a key in double quotes after ','" : "a value after ','";
    }
    --r->depth;
    return !is_object || r->nodes == NULL || check_keys(r, node);
}

static bool read_value(Reader* r, TarnJson* node, const char* expected)
{
    int c = peek(r);
    node->line = r->line;
    node->column = r->column;
    if (c == '{' || c == '[') return read_children(r, node);
    if (c == '-' || is_digit(c)) return read_number(r, node);
    if (c == '"') {
        node->type = TARN_JSON_STRING;
        return read_string(r, &node->string);
    }
    if (take_word(r, "null")) return true; // TARN_JSON_NULL is 0
    node->type = TARN_JSON_BOOL;
    node->boolean = take_word(r, "true");
    return node->boolean || take_word(r, "false") || refuse(r, expected);
}

static bool read_text(Reader* r)
{
    skip_space(r);
    if (!read_value(r, new_node(r), "a value")) return false;
    skip_space(r);
    return r->at == r->end || refuse(r, "the end of the text");
}

TarnResult tarn__json_parse(TarnContext* ctx, const char* name, const char* text, size_t size,
                            TarnJsonDoc* doc)
{
    *doc = (TarnJsonDoc){ 0 };
    if (size > TARN_JSON_MAX_BYTES)
        return tarn__fail(ctx, TARN_ERR_DATA, "%s: expected at most %d bytes, found %zu", name,
                          TARN_JSON_MAX_BYTES, size);
    if (size == 0) text = ""; // it may be NULL

    Reader count = { .ctx = ctx, .name = name, .at = text, .end = text + size };
    count.line = count.column = 1;
    Reader fill = count;
    if (!read_text(&count)) return TARN_ERR_DATA;

    size_t node_bytes = (size_t)count.n_nodes * sizeof(TarnJson);
    size_t bytes = node_bytes + count.n_chars;
    fill.nodes = tarn__alloc(ctx, bytes);
    if (fill.nodes == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "%s: out of memory for %zu bytes", name, bytes);
    fill.chars = (char*)fill.nodes + node_bytes;
    if (!read_text(&fill)) {
        tarn__free(ctx, fill.nodes, bytes);
        return TARN_ERR_DATA;
    }
    *doc = (TarnJsonDoc){ .root = fill.nodes, .bytes = bytes };
    return TARN_OK;
}

void tarn__json_free(TarnContext* ctx, TarnJsonDoc* doc)
{
    tarn__free(ctx, (void*)doc->root, doc->bytes);
    *doc = (TarnJsonDoc){ 0 };
}

const TarnJson* tarn__json_get(const TarnJson* object, const char* key)
{
    if (object == NULL || object->type != TARN_JSON_OBJECT) return NULL;
    const TarnJson* member = object->child;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

const char* tarn__json_type_name(TarnJsonType type)
{
    static const char* const names[] = { "null",     "true or false", "a number",
                                         "a string", "an array",      "an object" };
    return (unsigned)type <= TARN_JSON_OBJECT ? names[type] : "unknown";
}
