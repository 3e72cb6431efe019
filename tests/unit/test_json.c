// The JSON reader: tree, positions, every way to be refused, numbers to the last bit, limits,
// failing memory, and thousands of random and damaged texts against jansson. Longer than 600 lines
// because a third of it is tables: one line per message and per number.

#include "counting.h"
#include "base/base.h"
#include "base/json.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Parsing -----------------------------------------------------------------------------------

// Parses a copy of exactly that size, so that a sanitizer sees any read beyond it.
static TarnResult parse_bytes(const char* text, size_t size, TarnJsonDoc* doc)
{
    char* copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    TarnResult result = tarn__json_parse(ctx, "t.json", copy, size, doc);
    free(copy);
    return result;
}

static TarnJsonDoc parse(const char* text)
{
    TarnJsonDoc doc;
    TarnResult result = parse_bytes(text, strlen(text), &doc);
    if (result != TARN_OK) fail_msg("%s", tarn_last_error(ctx));
    return doc;
}

static void assert_refused(const char* text, size_t size, const char* message)
{
    TarnJsonDoc doc;
    size_t before = memory.bytes;
    assert_int_equal(parse_bytes(text, size, &doc), TARN_ERR_DATA);
    assert_string_equal(tarn_last_error(ctx), message);
    assert_null(doc.root);
    assert_int_equal(memory.bytes, before);
}

// ---- Tree and positions ------------------------------------------------------------------------

static void test_structure(void** state)
{
    (void)state;
    TarnJsonDoc doc = parse("{\"a\": [1, true, false, null, \"x\"], \"b\": {}, \"c\": []}");
    const TarnJson* a = tarn__json_get(doc.root, "a");
    assert_int_equal(doc.root->type, TARN_JSON_OBJECT);
    assert_int_equal(doc.root->count, 3);
    assert_null(doc.root->key);
    assert_null(doc.root->next);
    assert_int_equal(a->type, TARN_JSON_ARRAY);
    assert_int_equal(a->count, 5);
    assert_ptr_equal(a, doc.root->child);

    const TarnJson* item = a->child;
    assert_true(item->type == TARN_JSON_NUMBER && item->number == 1.0 && item->key == NULL);
    item = item->next;
    assert_true(item->type == TARN_JSON_BOOL && item->boolean);
    item = item->next;
    assert_true(item->type == TARN_JSON_BOOL && !item->boolean);
    item = item->next;
    assert_true(item->type == TARN_JSON_NULL);
    item = item->next;
    assert_true(item->type == TARN_JSON_STRING && strcmp(item->string, "x") == 0);
    assert_null(item->next);

    assert_int_equal(tarn__json_get(doc.root, "b")->type, TARN_JSON_OBJECT);
    assert_null(tarn__json_get(doc.root, "b")->child);
    assert_string_equal(a->next->next->key, "c");
    assert_null(a->next->next->next);
    assert_null(tarn__json_get(doc.root, "d"));
    assert_null(tarn__json_get(a, "a"));
    assert_null(tarn__json_get(NULL, "a"));
    assert_string_equal(tarn__json_type_name(a->type), "an array");
    tarn__json_free(ctx, &doc);
    assert_null(doc.root);
    tarn__json_free(ctx, &doc);
}

static void assert_at(const TarnJson* node, int line, int column, int key_line, int key_column)
{
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
    assert_int_equal(node->key_line, key_line);
    assert_int_equal(node->key_column, key_column);
}

static void test_positions(void** state)
{
    (void)state;
    TarnJsonDoc doc =
        parse("\n {\r\n\t\"a\":1,\"b\" :\n\n  [ 2,\n3],\n"
              "\"h\u00f6\u6c34\U0001f30a\": \"\u00e9\\u00e9\", \"z\": -0.5e1 , \"y\":{}}");
    const TarnJson* b = tarn__json_get(doc.root, "b");
    assert_at(doc.root, 2, 2, 0, 0);
    assert_at(tarn__json_get(doc.root, "a"), 3, 6, 3, 2);
    assert_at(b, 5, 3, 3, 8);
    assert_at(b->child, 5, 5, 0, 0);
    assert_at(b->child->next, 6, 1, 0, 0);
    assert_at(tarn__json_get(doc.root, "h\u00f6\u6c34\U0001f30a"), 7, 9, 7, 1);
    assert_at(tarn__json_get(doc.root, "z"), 7, 25, 7, 20);
    assert_at(tarn__json_get(doc.root, "y"), 7, 38, 7, 34);
    tarn__json_free(ctx, &doc);
}

static void test_strings(void** state)
{
    (void)state;
    static const struct {
        const char *text, *meant;
    } cases[] = {
        { "\"\"", "" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\u0041\\u00e9\\u00E9\\u6c34\"", "A\u00e9\u00e9\u6c34" },
        { "\"\\ud83c\\uDF0A\"", "\U0001f30a" },
        { "\"\\ud800\\udc00\\udbff\\udfff\"", "\U00010000\U0010ffff" },
        { "\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"", "\x7f\xc2\x80\u07ff\u0800\uffff" },
        { "\"\x7f\u00a0\u07ff\u0800\uffff\U00010000\U0010ffff\"",
          "\x7f\u00a0\u07ff\u0800\uffff\U00010000\U0010ffff" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TarnJsonDoc doc = parse(cases[i].text);
        assert_int_equal(doc.root->type, TARN_JSON_STRING);
        assert_string_equal(doc.root->string, cases[i].meant);
        tarn__json_free(ctx, &doc);
    }
}

// ---- Refusals ----------------------------------------------------------------------------------

static void test_messages(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        // Structure
        { "", "t.json:1:1: expected a value, found the end of the text" },
        { " \n ", "t.json:2:2: expected a value, found the end of the text" },
        { "{\"a\": 1\n \"b\": 2}", "t.json:2:2: expected ',' or '}' after a value, found '\"'" },
        { "[1 2]", "t.json:1:4: expected ',' or ']' after a value, found '2'" },
        { "[1,\n2", "t.json:2:2: expected ',' or ']' after a value, found the end of the text" },
        { "[1,]", "t.json:1:4: expected a value after ',', found ']'" },
        { "[", "t.json:1:2: expected a value or ']', found the end of the text" },
        { "[}", "t.json:1:2: expected a value or ']', found '}'" },
        { "{\"a\":1,}", "t.json:1:8: expected a key in double quotes after ',', found '}'" },
        { "{a:1}", "t.json:1:2: expected a key in double quotes or '}', found 'a'" },
        { "{\"a\" 1}", "t.json:1:6: expected ':' after a key, found '1'" },
        { "{\"a\":}", "t.json:1:6: expected a value after ':', found '}'" },
        { "{} x", "t.json:1:4: expected the end of the text, found 'x'" },
        { "1 // one",
          "t.json:1:3: expected the end of the text, found '/' (JSON has no comments)" },
        { "\xef\xbb\xbf{}", "t.json:1:1: expected a value, found U+FEFF (byte order mark)" },
        { "['a']", "t.json:1:2: expected a value or ']', found '''" },
        { "\v1", "t.json:1:1: expected a value, found U+000B" },
        { "\xff", "t.json:1:1: expected a value, found the byte 0xFF" },
        // Words and numbers
        { "[nul]", "t.json:1:2: expected a value or ']', found 'nul'" },
        { "True", "t.json:1:1: expected a value, found 'True'" },
        { "truest", "t.json:1:1: expected a value, found 'truest'" },
        { "NaN", "t.json:1:1: expected a value, found 'NaN'" },
        { "abcdefghijklmnopqrstuvwxyz", // shown in part
          "t.json:1:1: expected a value, found 'abcdefghijklmnopqrstuvwx...'" },
        { "-Infinity", "t.json:1:2: expected a digit after '-', found 'Infinity'" },
        { "+1", "t.json:1:1: expected a value, found '+1'" },
        { ".5", "t.json:1:1: expected a value, found '.5'" },
        { "012", "t.json:1:2: expected no digit after a leading 0, found '12'" },
        { "[0x10]", "t.json:1:3: expected ',' or ']' after a value, found 'x10'" },
        { "[1.]", "t.json:1:4: expected a digit after '.', found ']'" },
        { "1e+", "t.json:1:4: expected a digit in the exponent, found the end of the text" },
        { "[1, -1e400]",
          "t.json:1:5: expected a number between -1.797e308 and 1.797e308, found '-1e400'" },
        // Strings
        { "\"ab", "t.json:1:4: expected '\"' at the end of a string, found the end of the text" },
        { "[\"ab\n\"]", "t.json:1:5: expected '\"' at the end of a string, found a line break" },
        { "\"a\tb\"",
          "t.json:1:3: expected an escape such as \\t for a control character, found U+0009" },
        { "\"\\x41\"", "t.json:1:3: expected one of \" \\ / b f n r t u after '\\', found 'x41'" },
        { "\"\\u12g4\"", "t.json:1:6: expected four hexadecimal digits after \\u, found 'g4'" },
        { "\"\u00e9\\ud800\"",
          "t.json:1:3: expected a high and a low surrogate, found '\\ud800' alone" },
        { "\"\\ud800\\n\"",
          "t.json:1:2: expected a high and a low surrogate, found '\\ud800' alone" },
        { "\"\\uD800\\u0041\"",
          "t.json:1:2: expected a high and a low surrogate, found '\\uD800' alone" },
        { "\"\\ud800\\ue000\"",
          "t.json:1:2: expected a high and a low surrogate, found '\\ud800' alone" },
        { "\"\\uDC00\"", "t.json:1:2: expected a high and a low surrogate, found '\\uDC00' alone" },
        { "\"a\\u0000\"", "t.json:1:3: expected no NUL character, found '\\u0000'" },
        { "\"\x80\"", "t.json:1:2: expected UTF-8, found the byte 0x80" },             // no start
        { "\"a\xc3\"", "t.json:1:3: expected UTF-8, found the byte 0xC3" },            // cut off
        { "\"\xc0\x80\"", "t.json:1:2: expected UTF-8, found the byte 0xC0" },         // overlong
        { "\"\xe0\x9f\xbf\"", "t.json:1:2: expected UTF-8, found the byte 0xE0" },     // overlong
        { "\"\xed\xa0\x80\"", "t.json:1:2: expected UTF-8, found the byte 0xED" },     // surrogate
        { "\"\xf4\x90\x80\x80\"", "t.json:1:2: expected UTF-8, found the byte 0xF4" }, // too high
        { "\"\xf8\x88\x80\x80\x80\"", "t.json:1:2: expected UTF-8, found the byte 0xF8" },
        { "\"\xfc\x80\x80\x80\"", "t.json:1:2: expected UTF-8, found the byte 0xFC" },
        // Keys
        { "{\"a\": 1,\n \"b\": 2, \"a\": 3, \"b\": 4}",
          "t.json:2:10: expected each key once in an object, found \"a\" again (first at 1:2)" },
        { "{\"a\\n\u00e9\":1, \"a\\u000a\\u00e9\":2}",
          "t.json:1:12: expected each key once in an object, found \"a???\" again (first at 1:2)" },
        { "{\"abcdefghijklmnopqrstuvwx\":1,\"abcdefghijklmnopqrstuvwx\":2}",
          "t.json:1:31: expected each key once in an object, "
          "found \"abcdefghijklmnopqrstuvwx\" again (first at 1:2)" },
        { "[{\"abcdefghijklmnopqrstuvwxyz\":1,\"abcdefghijklmnopqrstuvwxyz\":2}]",
          "t.json:1:34: expected each key once in an object, "
          "found \"abcdefghijklmnopqrstuvwx...\" again (first at 1:3)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        assert_refused(cases[i].text, strlen(cases[i].text), cases[i].message);

    assert_refused("[1]\0", 4, "t.json:1:4: expected the end of the text, found U+0000");
    assert_refused("\"a\0\"", 4,
                   "t.json:1:3: expected an escape such as \\t for a control character, "
                   "found U+0000");
    assert_refused("\"\\\0\"", 4,
                   "t.json:1:3: expected one of \" \\ / b f n r t u after '\\', found U+0000");
    assert_refused("\"\\u\0\"", 5,
                   "t.json:1:4: expected four hexadecimal digits after \\u, found U+0000");
}

// ---- Limits and memory -------------------------------------------------------------------------

static void test_depth(void** state)
{
    (void)state;
    enum { deepest = TARN_JSON_MAX_DEPTH };
    char text[2 * deepest + 3] = "";
    memset(text, '[', deepest);
    memset(text + deepest, ']', deepest);
    TarnJsonDoc doc = parse(text);
    int depth = 0;
    for (const TarnJson* node = doc.root; node; node = node->child) ++depth;
    assert_int_equal(depth, deepest);
    tarn__json_free(ctx, &doc);

    memset(text, '[', deepest + 1);
    memset(text + deepest + 1, ']', deepest + 1);
    assert_refused(text, sizeof text - 1,
                   "t.json:1:65: expected at most 64 levels of nesting, found one more");
}

static void test_size(void** state)
{
    (void)state;
    size_t size = TARN_JSON_MAX_BYTES;
    char* text = malloc(size + 1);
    memset(text, ' ', size + 1);
    text[size - 1] = '7';
    TarnJsonDoc doc;
    assert_int_equal(parse_bytes(text, size, &doc), TARN_OK);
    assert_at(doc.root, 1, TARN_JSON_MAX_BYTES, 0, 0);
    tarn__json_free(ctx, &doc);
    assert_refused(text, size + 1, "t.json: expected at most 16777216 bytes, found 16777217");

    // One value is the array itself, so the limit leaves one less for its items.
    int items = TARN_JSON_MAX_VALUES - 1;
    for (int i = 0; i < items + 1; ++i) memcpy(text + 1 + 2 * i, "0,", 2);
    text[0] = '[';
    text[2 * items] = ']';
    assert_int_equal(parse_bytes(text, 2 * (size_t)items + 1, &doc), TARN_OK);
    assert_int_equal(doc.root->count, items);
    tarn__json_free(ctx, &doc);
    text[2 * items] = ',';
    text[2 * items + 2] = ']';
    assert_refused(text, 2 * (size_t)items + 3,
                   "t.json:1:2097152: expected at most 1048576 values, found one more");
    free(text);
}

// Keys that differ in the last character only, in falling order. A quadratic check would take
// hours here, and so would a hash table whose author did not think of this.
static void test_many_keys(void** state)
{
    (void)state;
    enum { keys = 400000 };
    char* text = malloc((size_t)keys * 20 + 64);
    size_t size = 0;
    text[size++] = '{';
    for (int i = keys; i > 0; --i) size += (size_t)sprintf(text + size, "\"kkkkkk%06d\":0,", i);
    size_t last = size;
    size += (size_t)sprintf(text + size, "\"x\":0}");
    TarnJsonDoc doc;
    assert_int_equal(parse_bytes(text, size, &doc), TARN_OK);
    assert_int_equal(doc.root->count, keys + 1);
    assert_string_equal(doc.root->child->next->key, "kkkkkk399999"); // the text's order stays
    tarn__json_free(ctx, &doc);

    size = last + (size_t)sprintf(text + last, "\"kkkkkk400000\":0}");
    assert_refused(text, size,
                   "t.json:1:6800002: expected each key once in an object, "
                   "found \"kkkkkk400000\" again (first at 1:2)");
    free(text);
}

static void test_memory(void** state)
{
    (void)state;
    TarnJsonDoc doc;
    memory.fail_at = memory.calls + 1;
    TarnResult result = parse_bytes("[1, \"a\"]", 8, &doc);
    memory.fail_at = 0;
    assert_int_equal(result, TARN_ERR_MEMORY);
    assert_null(doc.root);
    assert_int_equal(tarn__json_parse(ctx, "t.json", NULL, 0, &doc), TARN_ERR_DATA);
}

// ---- Numbers -----------------------------------------------------------------------------------

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void test_numbers(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double value;
    } cases[] = {
        { "0", 0.0 },
        { "-0", -0.0 },
        { "-0.0e-5", -0.0 },
        { "0e999999999999", 0.0 },
        { "0.1", 0x1.999999999999ap-4 },
        { "-12.5e+1", -125.0 },
        { "1E2", 100.0 },
        { "123456789012345", 123456789012345.0 },
        { "9007199254740991", 0x1.fffffffffffffp52 },
        { "9007199254740993", 0x1p53 }, // halfway, to even
        { "9007199254740993.0000000000000000000000000000001", 0x1.0000000000001p53 },
        { "9007199254740995", 0x1.0000000000002p53 }, // halfway, to even, up
        { "9223372036854775807", 0x1p63 },
        { "18446744073709551616", 0x1p64 },
        { "9223372036854776832", 0x1p63 }, // halfway, and the next decided by its last bit
        { "9223372036854776833", 0x1.0000000000001p63 },
        { "1e22", 1e22 },
        { "1e23", 0x1.52d02c7e14af6p76 }, // where naive multiplication is one off
        { "8.5e22", 0x1.1ffdbf6b2b2ebp76 },
        { "1.7976931348623157e308", 0x1.fffffffffffffp1023 },
        { "1.797693134862315807e308", 0x1.fffffffffffffp1023 }, // just below the limit
        { "2.2250738585072011e-308", 0x0.fffffffffffffp-1022 }, // hung a famous parser
        { "2.2250738585072012e-308", 0x1p-1022 },
        { "2.2250738585072014e-308", 0x1p-1022 },
        { "4.9e-324", 0x1p-1074 },
        { "5e-324", 0x1p-1074 },
        { "2.4703282292062328e-324", 0x1p-1074 }, // a little more than half of it
        { "2.4703282292062327e-324", 0.0 },       // a little less
        { "5e-325", 0.0 },
        { "-1e-400", -0.0 },
        { "1e-99999999999999999999", 0.0 },
        { "6.02214076e23", 0x1.fe185ca57c517p78 },
        { "0.000000000000000000000000000000000000000000000000001e51", 1.0 },
        { "1000000000000000000000000000000000000000000000000000e-51", 1.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        TarnJsonDoc doc = parse(cases[i].text);
        if (bits_of(doc.root->number) != bits_of(cases[i].value))
            fail_msg("%s gave %a, not %a", cases[i].text, doc.root->number, cases[i].value);
        tarn__json_free(ctx, &doc);
    }
    static const char* const beyond[] = { "1e309", "-1e309", "1e99999999999999999999",
                                          "1.7976931348623159e308", "1.797693134862315808e308" };
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; ++i) {
        TarnJsonDoc doc;
        assert_int_equal(parse_bytes(beyond[i], strlen(beyond[i]), &doc), TARN_ERR_DATA);
        assert_non_null(strstr(tarn_last_error(ctx), "expected a number between"));
    }
}

static uint64_t draws;
static uint32_t draw(uint32_t n) // 0 .. n - 1. Not twice in one argument list: its order is free
{
    return tarn__random(2024, 7, draws++) % n;
}

static void assert_as_strtod(const char* text)
{
    double expected = strtod(text, NULL);
    TarnJsonDoc doc;
    TarnResult result = parse_bytes(text, strlen(text), &doc);
    if (result != (isinf(expected) ? TARN_ERR_DATA : TARN_OK))
        fail_msg("%s: %s", text, tarn_last_error(ctx));
    if (result != TARN_OK) return;
    if (bits_of(doc.root->number) != bits_of(expected))
        fail_msg("%s gave %a, not %a", text, doc.root->number, expected);
    tarn__json_free(ctx, &doc);
}

// The C library of the machine that runs the tests rounds correctly (glibc does).
static void test_numbers_against_strtod(void** state)
{
    (void)state;
    char text[2000];
    for (int i = 0; i < 20000; ++i) { // short decimals, over the whole range of exponents
        const char *sign = draw(2) ? "-" : "", *point = draw(2) ? "." : "1";
        uint32_t first = draw(10), middle = draw(100000), last = draw(100000);
        int exponent = (int)draw(700) - 350;
        snprintf(text, sizeof text, "%s%u%s%u%05ue%d", sign, first, point, middle, last, exponent);
        if (strncmp(text, "01", 2) != 0 && strncmp(text, "-01", 3) != 0) assert_as_strtod(text);
    }
    for (int i = 0; i < 4000; ++i) { // doubles, and the points halfway to the next one, in full
        uint64_t bits = (uint64_t)draw(0x7ff00000) << 32 | tarn__random(2024, 8, (uint64_t)i);
        if (i % 4 == 0) bits &= 0x001fffffffffffffu;                    // subnormal or nearly
        if (i % 4 == 1) bits = (0x340 + bits % 256) << 52 | bits >> 12; // around 1
        double low, high;
        uint64_t next = bits + 1;
        memcpy(&low, &bits, sizeof low);
        memcpy(&high, &next, sizeof high);
        snprintf(text, sizeof text, "%.17g", low);
        assert_as_strtod(text);
        snprintf(text, sizeof text, "%.1100f", low);
        if (low < 1e300) assert_as_strtod(text);

        long double middle = 0.5L * ((long double)low + (long double)high);
        int n = snprintf(text, sizeof text, "%.900Le", middle);
        assert_as_strtod(text);
        char* e = strchr(text, 'e'); // a last digit, far out, decides
        memmove(e + 1, e, (size_t)(text + n + 1 - e));
        *e = '1';
        assert_as_strtod(text);
    }
}

// ---- Against jansson ---------------------------------------------------------------------------

typedef struct Text {
    char data[1 << 15];
    size_t size;
} Text;

static void add_bytes(Text* t, const char* bytes, size_t n)
{
    if (t->size + n > sizeof t->data) return;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
}

static void add(Text* t, const char* string)
{
    add_bytes(t, string, strlen(string));
}

static void add_space(Text* t)
{
    static const char* const spaces[] = { "", "", "", " ", "\n", "\t", "\r\n", "   " };
    add(t, spaces[draw(8)]);
}

static void add_string(Text* t)
{
    static const char* const parts[] = {
        "a",       "b",      "0",      " ",    "depth",  "{",          "\\\\",           "\\\"",
        "\\/",     "\\n",    "\\t",    "\\b",  "\\f",    "\\r",        "\\u0041",        "\\u00e9",
        "\\uFFFF", "\u00e9", "\u6c34", "\x7f", "\uffff", "\U0001f30a", "\\uD83c\\udf0a",
    };
    add(t, "\"");
    for (uint32_t n = draw(4); n > 0; --n) add(t, parts[draw(sizeof parts / sizeof parts[0])]);
    if (draw(50) == 0) {
        static const char* const bad[] = { "\\u0000", "\\ud800", "\\udc00x", "\xc0\x80", "\x1f" };
        add(t, bad[draw(5)]);
    }
    add(t, "\"");
}

static void add_number(Text* t)
{
    static const char* const odd[] = { "-0",
                                       "1e400",
                                       "01",
                                       "1.",
                                       "-",
                                       "123456789012345678901234",
                                       "0.1e-7",
                                       "1E5",
                                       "2e+3",
                                       "5e-325",
                                       "9007199254740993" };
    char text[64];
    const char* sign = draw(2) ? "-" : "";
    uint32_t whole = draw(100000), fraction = draw(1000000000);
    int exponent = (int)draw(640) - 325;
    if (draw(12) == 0)
        snprintf(text, sizeof text, "%s", odd[draw(sizeof odd / sizeof odd[0])]);
    else if (draw(2))
        snprintf(text, sizeof text, "%s%u", sign, whole);
    else
        snprintf(text, sizeof text, "%s%u.%ue%d", sign, whole, fraction, exponent);
    add(t, text);
}

static void add_value(Text* t, int depth)
{
    static const char* const words[] = { "null", "true", "false" };
    uint32_t kind = draw(depth > 0 ? 8 : 4);
    add_space(t);
    if (kind == 0)
        add(t, words[draw(3)]);
    else if (kind == 1)
        add_string(t);
    else if (kind < 4)
        add_number(t);
    else {
        bool is_object = kind < 6;
        add(t, is_object ? "{" : "[");
        for (uint32_t i = 0, n = draw(6); i < n; ++i) {
            if (i > 0) add(t, ",");
            add_space(t);
            if (is_object) {
                add_string(t);
                add_space(t);
                add(t, ":");
            }
            add_value(t, depth - 1);
        }
        add(t, is_object ? "}" : "]");
    }
    add_space(t);
}

static void damage(Text* t)
{
    static const char bytes[] =
        "{}[]\",:\\/'0123456789-+.eEtrufalsn \n\t\r\0\x01\x7f\x80\xc3\xed\xff";
    if (t->size == 0 || t->size + 16 > sizeof t->data) return;
    size_t at = draw((uint32_t)t->size);
    char byte = bytes[draw(sizeof bytes - 1)];
    switch (draw(5)) {
    case 0:
        t->data[at] = byte;
        break;
    case 1:
        t->size = at;
        break;
    case 2: // take out one byte
        memmove(t->data + at, t->data + at + 1, --t->size - at);
        break;
    case 3: // put in one byte
        memmove(t->data + at + 1, t->data + at, t->size++ - at);
        t->data[at] = byte;
        break;
    default: { // a piece once more, somewhere else
        size_t n = draw(16);
        if (n > t->size - at) n = t->size - at;
        size_t from = draw((uint32_t)(t->size - n + 1));
        memmove(t->data + at, t->data + from, n);
    }
    }
}

static bool is_equal(const TarnJson* ours, const json_t* theirs)
{
    static const json_type types[] = { JSON_NULL,   JSON_TRUE,  JSON_REAL,
                                       JSON_STRING, JSON_ARRAY, JSON_OBJECT };
    json_type type = json_typeof(theirs);
    if (type == JSON_FALSE) return ours->type == TARN_JSON_BOOL && !ours->boolean;
    if (types[ours->type] != type) return false;

    int count = 0;
    switch (ours->type) {
    case TARN_JSON_NULL:
        return true;
    case TARN_JSON_BOOL:
        return ours->boolean;
    case TARN_JSON_NUMBER:
        return bits_of(ours->number) == bits_of(json_real_value(theirs));
    case TARN_JSON_STRING:
        return strcmp(ours->string, json_string_value(theirs)) == 0;
    case TARN_JSON_ARRAY:
        for (const TarnJson* item = ours->child; item; item = item->next) {
            const json_t* other = json_array_get(theirs, (size_t)count++);
            if (other == NULL || !is_equal(item, other)) return false;
        }
        return count == ours->count && (size_t)count == json_array_size(theirs);
    case TARN_JSON_OBJECT:
        for (const TarnJson* item = ours->child; item; item = item->next, ++count) {
            const json_t* other = json_object_get(theirs, item->key);
            if (other == NULL || !is_equal(item, other)) return false;
        }
        return count == ours->count && (size_t)count == json_object_size(theirs);
    }
    return false;
}

// With these flags the two agree but for two things: jansson refuses \u0000, lone surrogates, equal
// keys and numbers beyond a double as we do, and its integers of 64 bits are read as doubles.
// Excluded: our depth ends at 64, its at 2048. It takes a NUL byte for the end of the text.
static bool compare(const Text* t)
{
    size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    json_error_t error;
    TarnJsonDoc doc;
    TarnResult result = parse_bytes(t->data, t->size, &doc);
    if (result != TARN_OK && strstr(tarn_last_error(ctx), "levels of nesting")) return false;
    if (memchr(t->data, '\0', t->size)) {
        assert_int_equal(result, TARN_ERR_DATA);
        return false;
    }
    json_t* theirs = json_loadb(t->data, t->size, flags, &error);
    if ((result == TARN_OK) != (theirs != NULL))
        fail_msg("ours: %s\njansson: %s\n%.*s", result == TARN_OK ? "fine" : tarn_last_error(ctx),
                 theirs ? "fine" : error.text, (int)t->size, t->data);
    if (theirs && !is_equal(doc.root, theirs))
        fail_msg("other values:\n%.*s", (int)t->size, t->data);
    json_decref(theirs);
    tarn__json_free(ctx, &doc);
    return result == TARN_OK;
}

static void test_against_jansson(void** state)
{
    (void)state;
    static Text text;
    int accepted = 0, total = 0;
    for (int i = 0; i < 6000; ++i) {
        text.size = 0;
        add_value(&text, (int)draw(6));
        accepted += compare(&text);
        ++total;
        for (uint32_t n = draw(4); n > 0; --n, ++total) {
            damage(&text);
            accepted += compare(&text);
        }
    }
    print_message("%d texts, %d accepted by both\n", total, accepted);
    assert_true(accepted > total / 4 && accepted < 3 * total / 4); // both sides are tested
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure),       cmocka_unit_test(test_positions),
        cmocka_unit_test(test_strings),         cmocka_unit_test(test_messages),
        cmocka_unit_test(test_depth),           cmocka_unit_test(test_size),
        cmocka_unit_test(test_many_keys),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_numbers),         cmocka_unit_test(test_numbers_against_strtod),
        cmocka_unit_test(test_against_jansson),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
