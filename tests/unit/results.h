// How tests of results read: assert_ok, assert_result. Behind counting.h, whose context it asks for the sentence.
#pragma once

#include "counting.h"
#include "tarn/base.h"
#include <string.h>

#define TEST(name)                      cmocka_unit_test_setup_teardown(name, begin, end)

#define assert_ok(call)                 assert_result(call, TARN_OK, "")
// The code, and a word that the sentence must hold; an empty one: any sentence.
#define assert_result(call, code, word) check_result(call, code, word, #call, __FILE__, __LINE__)
static inline void check_result(TarnResult result, TarnResult code, const char* word,
                                const char* call, const char* file, int line)
{
    const char* sentence = ctx ? tarn_last_error(ctx) : "";
    if (result == code && (code == TARN_OK || strstr(sentence, word))) return;
    print_error("%s gave %s, not %s, and says '%s', not '%s'\n", call, tarn_result_name(result),
                tarn_result_name(code), sentence, word);
    _fail(file, line);
}
