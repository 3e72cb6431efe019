// Decimal numbers to doubles: the nearest one, ties to even, the same on every machine and in every
// locale. Scene files and `--set` read numbers with it.
//
// A decimal number is n 10^e with a whole n. With at most 15 digits and |e| <= 22, n and 10^|e| are
// exact doubles, and the one multiplication or division rounds as it should. All others are
// computed in whole numbers, cut to 63 bits with a note whether anything was cut, and rounded once.

#include "base/base.h"
#include <math.h>

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

enum {
    MAX_DIGITS = 800, // a point halfway between two doubles has at most 768
    BIG_LIMBS = 96,   // 2720 bits are needed: 801 digits, or 5^1124 and 66 bits more, and 31
};

typedef struct Big {
    uint32_t limb[BIG_LIMBS]; // the lowest first
    int n;                    // limbs in use; 0: the number is zero
} Big;

static void big_scale(Big* b, uint32_t factor, uint32_t plus) // b = b * factor + plus
{
    uint64_t carry = plus;
    for (int i = 0; i < b->n; ++i) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limb[b->n++] = (uint32_t)carry;
}

static bool big_divide(Big* b, uint32_t divisor) // b = b / divisor; true: there was a remainder
{
    uint64_t rest = 0;
    for (int i = b->n - 1; i >= 0; --i) {
        rest = rest << 32 | b->limb[i];
        b->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->n > 0 && b->limb[b->n - 1] == 0) --b->n;
    return rest != 0;
}

static void big_shift(Big* b, int bits) // b = b * 2^bits
{
    int limbs = bits / 32;
    big_scale(b, 1u << bits % 32, 0);
    memmove(b->limb + limbs, b->limb, (size_t)b->n * sizeof b->limb[0]);
    memset(b->limb, 0, (size_t)limbs * sizeof b->limb[0]);
    b->n += limbs;
}

// The double nearest to n 10^e, ties to even, for n > 0. Infinity beyond the largest double.
static double big_to_double(Big* n, int e)
{
    // n 10^e = n 5^e 2^e. Twos go to the exponent; fives are multiplied or divided 13 at a time.
    // A division comes after a shift that leaves at least 64 bits: 5 < 2^(7/3).
    const uint32_t pow5_13 = 1220703125;
    bool has_more = false; // the number is a little larger than n says
    int k = e;
    for (; k >= 13; k -= 13) big_scale(n, pow5_13, 0);
    for (; k > 0; --k) big_scale(n, 5, 0);
    int bits = 32 * n->n - __builtin_clz(n->limb[n->n - 1]);
    int shift = 66 + (e < 0 ? -e * 7 / 3 : 0) - bits;
    if (shift < 0) shift = 0;
    big_shift(n, shift);
    for (; k <= -13; k += 13) has_more |= big_divide(n, pow5_13);
    for (; k < 0; ++k) has_more |= big_divide(n, 5);

    // The top bit to the top of its limb, then the upper 63 bits are the mantissa.
    int align = __builtin_clz(n->limb[n->n - 1]);
    big_shift(n, align);
    uint64_t lead = (uint64_t)n->limb[n->n - 1] << 32 | n->limb[n->n - 2];
    uint64_t mantissa = lead >> 1;
    has_more |= lead & 1;
    for (int i = 0; i < n->n - 2; ++i) has_more |= n->limb[i] != 0;
    int exponent = e - shift - align + 32 * (n->n - 2) + 1; // mantissa 2^exponent

    // A double keeps 53 bits, a subnormal one fewer: none below 2^-1074.
    int drop = exponent + 10 < -1074 ? -1074 - exponent : 10;
    if (drop > 63) return 0.0;
    uint64_t kept = mantissa >> drop, rest = mantissa - (kept << drop), half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (has_more || kept & 1))) ++kept;
    // The leading bit of kept, and a carry out of it, count up the exponent field.
    uint64_t pattern = ((uint64_t)(exponent + drop + 1074) << 52) + kept;
    if (pattern > 0x7ff0000000000000u) pattern = 0x7ff0000000000000u; // infinity
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}

// A number that the grammar has accepted. Infinity: out of range.
double tarn__decimal(const char* p, const char* end)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    Big n = { .n = 0 };
    int digits = 0;             // in n
    int64_t e = 0, written = 0; // the number is n 10^e; the exponent as written
    bool is_negative = *p == '-', is_fraction = false, has_more = false;
    for (p += is_negative; p < end && *p != 'e' && *p != 'E'; ++p) {
        if (*p == '.') {
            is_fraction = true;
            continue;
        }
        e -= is_fraction;
        if (digits == MAX_DIGITS) {
            has_more |= *p != '0';
            ++e;
        } else if (digits > 0 || *p != '0') {
            big_scale(&n, 10, (uint32_t)(*p - '0'));
            ++digits;
        }
    }
    bool is_small = p < end && p[1] == '-';
    for (; p < end; ++p)
        if (is_digit(*p) && written < 1000000000) written = written * 10 + (*p - '0');
    e += is_small ? -written : written;
    if (has_more) { // one digit for all that were left out: the number stays off any tie
        big_scale(&n, 10, 1);
        ++digits;
        --e;
    }

    double value;
    if (digits == 0 || digits + e < -323) // below 10^-324; the smallest double is 4.9e-324
        value = 0.0;
    else if (digits + e > 309) // at least 10^309
        value = INFINITY;
    else if (digits <= 15 && e >= -22 && e <= 22) {
        double whole = (double)((uint64_t)n.limb[1] << 32 | n.limb[0]);
        value = e < 0 ? whole / tens[-e] : whole * tens[e];
    } else
        value = big_to_double(&n, (int)e);
    return is_negative ? -value : value;
}

static const char* skip_digits(const char* p)
{
    while (is_digit(*p)) ++p;
    return p;
}

const char* tarn__decimal_end(const char* text)
{
    const char* p = text + (*text == '-');
    const char* whole = skip_digits(p);
    if (whole == p) return NULL;
    p = whole;
    if (*p == '.') {
        const char* part = skip_digits(p + 1);
        if (part == p + 1) return NULL;
        p = part;
    }
    if (*p == 'e' || *p == 'E') {
        const char* digits = p + 1 + (p[1] == '+' || p[1] == '-');
        p = skip_digits(digits);
        if (p == digits) return NULL;
    }
    return p;
}
