// Messages to the user: sentences on stderr, each prefixed with "tarn: ".
#pragma once

// Prints one message.
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The same, for something the operating system refused: ": " and its reason are added.
void say_errno(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The candidate closest to a wrong word, or NULL if none is close.
const char* nearest_name(const char* word, const char* const* names, int n);
// "; did you mean 'pool_drops'?" in text, or "" if nothing is close. Returns text.
const char* suggestion(char* text, int size, const char* word, const char* const* names, int n);
