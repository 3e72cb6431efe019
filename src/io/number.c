// Numbers as text that reads back exactly: printf would ask the locale how to write a point.

#include "io/file.h"
#include <math.h>

// 10^e, exact up to 10^22.
static double ten_to(int e)
{
    double p = 1.0;
    for (int i = 0; i < e; ++i) p *= 10.0;
    return p;
}

// n 10^e as text: plain where that is short, else with an exponent.
static int write_decimal(bool is_negative, uint64_t n, int e, char* text)
{
    char digits[24];
    while (n != 0 && n % 10 == 0) n /= 10, ++e;
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    if (is_negative) text[at++] = '-';
    int point = count + e; // digits before the point
    if (point > 17 || point < -4) {
        text[at++] = digits[0];
        if (count > 1) text[at++] = '.';
        for (int i = 1; i < count; ++i) text[at++] = digits[i];
        return at + snprintf(text + at, 8, "e%d", point - 1);
    }
    if (point <= 0) {
        text[at++] = '0';
        text[at++] = '.';
        for (int i = point; i < 0; ++i) text[at++] = '0';
    }
    for (int i = 0; i < count || i < point; ++i) {
        if (i == point && i > 0) text[at++] = '.';
        text[at++] = i < count ? digits[i] : '0';
    }
    text[at] = '\0';
    return at;
}

// value (> 0) in about this many digits: n 10^e.
static uint64_t scale(double value, int digits, int* e)
{
    int power = 0; // value is about 10^power
    double v = value;
    for (; v >= 10.0 && power < 320; ++power) v /= 10.0;
    for (; v < 1.0 && power > -340; --power) v *= 10.0;
    *e = power + 1 - digits;
    double n = *e > 300     ? v * ten_to(digits - 1)
               : *e >= 0    ? value / ten_to(*e)
               : *e >= -300 ? value * ten_to(-*e)
                            : v * ten_to(digits - 1);
    return (uint64_t)(n + 0.5);
}

int tarn__double_text(double value, char text[NUMBER_TEXT])
{
    bool is_negative = value < 0.0;
    double v = is_negative ? -value : value;
    if (!(v > 0.0) || v > 1.7e308) {
        memcpy(text, "0", 2);
        return 1;
    }
    int n = 0;
    for (int digits = 15; digits <= 17; ++digits) {
        // Beyond 2^53 scaling rounds: the right digits are some units away.
        int e, reach = digits < 16 ? 0 : 64;
        uint64_t whole = scale(v, digits, &e);
        for (int off = 0; off <= reach; ++off) {
            uint64_t half = (uint64_t)(off + 1) / 2;
            n = write_decimal(is_negative, off % 2 ? whole - half : whole + half, e, text);
            if (tarn__decimal(text, text + n) == value) return n;
        }
    }
    return n;
}

int tarn__float_text(float value, char text[NUMBER_TEXT])
{
    bool is_negative = value < 0.0f;
    double v = (double)(is_negative ? -value : value);
    if (!(v > 0.0)) {
        memcpy(text, "0", 2);
        return 1;
    }
    int e = 0;
    uint64_t whole = 0;
    for (int digits = 6; digits <= 9; ++digits) {
        whole = scale(v, digits, &e);
        // The reader computes the same: whole and the power of ten are exact, one rounding.
        double back = e > 22 || e < -22 ? -1.0
                      : e < 0           ? (double)whole / ten_to(-e)
                                        : (double)whole * ten_to(e);
        if ((float)back == (float)v) break;
    }
    return write_decimal(is_negative, whole, e, text);
}

bool tarn__word_number(const char* word, double* value)
{
    char text[MAX_WORD + 3]; // with room for a zero that is put in front of a point
    int n = 0;
    const char* p = word + (word[0] == '+');
    if (*p == '-') text[n++] = *p++;
    if (*p == '.' && p[1] >= '0' && p[1] <= '9') text[n++] = '0';
    for (; *p != '\0' && n < MAX_WORD + 2; ++p) {
        bool is_bare_point = *p == '.' && !(p[1] >= '0' && p[1] <= '9');
        if (!is_bare_point) text[n++] = *p;
        if (is_bare_point && (n == 0 || text[n - 1] < '0' || text[n - 1] > '9')) return false;
    }
    text[n] = '\0';
    const char* end = tarn__decimal_end(text);
    if (end == NULL || end != text + n) return false;
    *value = tarn__decimal(text, end);
    return *value > -INFINITY && *value < INFINITY;
}
