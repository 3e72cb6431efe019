// Is this a build with sanitizers? They are slow and look at the code rather than at the physics, so fewer rounds will do.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif
#else
static const bool is_sanitized = false;
#endif

// True where a long run of physics is cut short: with sanitizers, unless TARN_LONG is set, as `make asan` and
// `make tsan` do. The physics itself is asserted by the builds without sanitizers.
static inline bool is_short_run(void)
{
    return is_sanitized && getenv("TARN_LONG") == NULL;
}
