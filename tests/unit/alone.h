// Tests that keep to one worker. The thread sanitizer finds nothing in them: a short run leaves them out, and says so.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/sanitized.h"

static inline void left_out(void** state)
{
    (void)state;
    skip();
}

// In place of TEST and of cmocka_unit_test.
#define ALONE(test) (is_thread_sanitized && is_short_run() ? left_out : (test))
// clang-format off
#define TEST_ALONE(test) { #test, ALONE(test), begin, end, NULL }
#define UNIT_TEST_ALONE(test) { #test, ALONE(test), NULL, NULL, NULL }
// clang-format on
