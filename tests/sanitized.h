// Is this a build with sanitizers? They are slow and look for other things: fewer rounds will do.
#pragma once

#include <stdbool.h>

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
