// Is this a build with sanitizers? They are slow and look at the code rather than at the physics, so fewer rounds will do.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#if defined(__has_feature) // clang
#define TARN_HAS_SANITIZER(name) __has_feature(name)
#else
#define TARN_HAS_SANITIZER(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || TARN_HAS_SANITIZER(thread_sanitizer)
static const bool is_thread_sanitized = true, is_sanitized = true;
#elif defined(__SANITIZE_ADDRESS__) || TARN_HAS_SANITIZER(address_sanitizer)
static const bool is_thread_sanitized = false, is_sanitized = true;
#else
static const bool is_thread_sanitized = false, is_sanitized = false;
#endif

// TARN_LONG is set: `make asan`, `make tsan` and `make storms` do so.
static inline bool is_long_run(void)
{
    return getenv("TARN_LONG") != NULL;
}

// True where a long run of physics is cut short: with sanitizers, unless TARN_LONG is set. The physics itself is asserted
// by the builds without sanitizers.
static inline bool is_short_run(void)
{
    return is_sanitized && !is_long_run();
}
