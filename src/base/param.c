// Parameter tables: defaults, validation, text in and out.

#include "base/param.h"
#include <math.h>
#include <stdio.h>

int tarn__param_components(TarnParamType type)
{
    return type == TARN_PARAM_VEC3 ? 3 : type == TARN_PARAM_VEC2 ? 2 : 1;
}

static const void* field_const(const TarnParam* p, const void* object)
{
    return (const char*)object + p->offset;
}
static void* field(const TarnParam* p, void* object)
{
    return (char*)object + p->offset;
}

// From the unit of the table to that of the struct.
static double scale_of(const TarnParam* p)
{
    return p->scale != 0.0 ? p->scale : 1.0;
}

double tarn__param_get(const TarnParam* p, const void* object, int component)
{
    const void* at = field_const(p, object);
    switch (p->type) {
    case TARN_PARAM_INT:
    case TARN_PARAM_ENUM:
        return *(const int*)at;
    case TARN_PARAM_BOOL:
        return *(const bool*)at ? 1.0 : 0.0;
    default:
        return ((const float*)at)[component]; // TarnVec2, TarnVec3: floats side by side
    }
}

// scale: 1 for values as the struct holds them.
static void put(const TarnParam* p, void* object, const double* value, double scale)
{
    void* at = field(p, object);
    switch (p->type) {
    case TARN_PARAM_INT:
    case TARN_PARAM_ENUM:
        *(int*)at = (int)value[0];
        break;
    case TARN_PARAM_BOOL:
        *(bool*)at = value[0] != 0.0;
        break;
    default:
        for (int c = 0; c < tarn__param_components(p->type); ++c) {
            ((float*)at)[c] = (float)(value[c] * scale);
        }
    }
}

const TarnParam* tarn_param_find(const TarnParamTable* table, const char* name)
{
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->params[i].name, name) == 0) return &table->params[i];
    }
    return NULL;
}

void tarn_param_defaults(const TarnParamTable* table, void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        put(p, object, p->value, scale_of(p));
    }
}

void tarn_param_format(const TarnParam* p, const double* value, char* text, size_t size)
{
    switch (p->type) {
    case TARN_PARAM_BOOL:
        snprintf(text, size, value[0] != 0.0 ? "true" : "false");
        break;
    case TARN_PARAM_ENUM:
        snprintf(text, size, "%s", p->names[(int)value[0]]);
        break;
    case TARN_PARAM_INT:
        snprintf(text, size, "%.0f", value[0]);
        break;
    case TARN_PARAM_VEC2:
        snprintf(text, size, "[%.7g, %.7g]", value[0], value[1]);
        break;
    case TARN_PARAM_VEC3:
        snprintf(text, size, "[%.7g, %.7g, %.7g]", value[0], value[1], value[2]);
        break;
    default:
        snprintf(text, size, "%.7g", value[0]);
    }
}

uint64_t tarn__param_hash(const TarnParamTable* table, const void* object, uint64_t seed)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        for (int c = 0; c < tarn__param_components(p->type); ++c) {
            double value = tarn__param_get(p, object, c);
            seed = tarn_hash(&value, sizeof value, seed);
        }
    }
    return seed;
}

// ---- Validation --------------------------------------------------------------------------------

static const char* enum_list(const TarnParam* p, char* text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; p->names[i] != NULL && n < size; ++i) {
        if (!tarn__param_allows(p, i)) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", p->names[i]);
    }
    return text;
}

TarnResult tarn__param_check_enum(TarnContext* ctx, const char* owner, const TarnParam* p,
                                  double value)
{
    char list[256];
    bool is_value = value >= 0.0 && value <= p->max && value == floor(value);
    if (is_value && tarn__param_allows(p, (int)value)) return TARN_OK;
    enum_list(p, list, sizeof list);
    if (is_value)
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: '%s' is not supported; use one of: %s", owner,
                          p->name, p->names[(int)value], list);
    return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: %g is not one of: %s", owner, p->name, value,
                      list);
}

static bool is_whole_type(const TarnParam* p)
{
    return p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
}

// As it is stored. value: in the unit of the table, times scale in that of the struct.
static bool is_in_range(const TarnParam* p, double value, double scale)
{
    double s = scale_of(p);
    if (is_whole_type(p)) return value >= p->min && value <= p->max;
    float v = (float)(value * scale);
    return v >= (float)(p->min * s) && v <= (float)(p->max * s); // false for NaN
}

static TarnResult check(TarnContext* ctx, const TarnParamTable* table, const TarnParam* p,
                        const double* value)
{
    if (p->type == TARN_PARAM_ENUM) return tarn__param_check_enum(ctx, table->name, p, value[0]);
    for (int c = 0; c < tarn__param_components(p->type); ++c) {
        double v = value[c];
        bool is_inside = is_in_range(p, v, scale_of(p));
        bool is_whole = !is_whole_type(p) || v == floor(v);
        if (is_inside && is_whole) continue;
        if (is_inside) {
            return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: %g must be a whole number", table->name,
                              p->name, v);
        }
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: %g%s%s is out of range; allowed: %g to %g%s%s",
                          table->name, p->name, value[c], p->unit[0] ? " " : "", p->unit, p->min,
                          p->max, p->unit[0] ? " " : "", p->unit);
    }
    return TARN_OK;
}

TarnResult tarn_param_validate(TarnContext* ctx, const TarnParamTable* table, const void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double value[3] = { 0 };
        for (int c = 0; c < tarn__param_components(p->type); ++c) {
            value[c] = tarn__param_get(p, object, c) / scale_of(p);
        }
        TARN_TRY(check(ctx, table, p, value));
    }
    return TARN_OK;
}

bool tarn__param_restore(const TarnParam* p, void* object, const double* value)
{
    for (int c = 0; c < tarn__param_components(p->type); ++c) {
        bool is_whole = !is_whole_type(p) || value[c] == floor(value[c]);
        if (!is_whole || !is_in_range(p, value[c], 1.0)) return false;
    }
    if (p->type == TARN_PARAM_ENUM && !tarn__param_allows(p, (int)value[0])) return false;
    put(p, object, value, 1.0);
    return true;
}

// ---- Nearest name ------------------------------------------------------------------------------

// Edit distance: insert, delete, replace, or swap two neighbors. Words of 64 letters or more are
// nobody's typo.
static int edits(const char* a, const char* b)
{
    enum { MAX = 64 };
    int d[MAX][MAX];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na >= MAX || nb >= MAX) return na + nb;
    for (int i = 0; i <= na; ++i) d[i][0] = i;
    for (int j = 0; j <= nb; ++j) d[0][j] = j;
    for (int i = 1; i <= na; ++i) {
        for (int j = 1; j <= nb; ++j) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[na][nb];
}

const char* tarn__nearest(const char* word, const char* const* candidates, int n)
{
    const char* best = NULL;
    int fewest = (int)strlen(word) / 2 + 1; // more than half wrong is another word
    for (int i = 0; i < n; ++i) {
        int d = edits(word, candidates[i]);
        if (d < fewest) {
            fewest = d;
            best = candidates[i];
        }
    }
    return best;
}

const char* tarn_param_nearest(const TarnParamTable* table, const char* name)
{
    const char* names[64];
    int n = table->count < 64 ? table->count : 64;
    for (int i = 0; i < n; ++i) names[i] = table->params[i].name;
    return tarn__nearest(name, names, n);
}

// ---- Setting -----------------------------------------------------------------------------------

static TarnResult find_or_fail(TarnContext* ctx, const TarnParamTable* table, const char* name,
                               const TarnParam** out)
{
    *out = tarn_param_find(table, name);
    if (*out != NULL) return TARN_OK;
    const char* near = tarn_param_nearest(table, name);
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s has no parameter '%s'%s%s%s; `tarn describe %s` lists them", table->name,
                      name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                      table->name);
}

TarnResult tarn_param_set(TarnContext* ctx, const TarnParamTable* table, void* object,
                          const char* name, const double* value, int count)
{
    const TarnParam* p;
    TARN_TRY(find_or_fail(ctx, table, name, &p));
    int wanted = tarn__param_components(p->type);
    if (count != wanted) {
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: takes %d number%s, got %d", table->name, name,
                          wanted, wanted > 1 ? "s" : "", count);
    }
    TARN_TRY(check(ctx, table, p, value));
    put(p, object, value, scale_of(p));
    return TARN_OK;
}

static bool parse_numbers(const char* text, double* value, int count)
{
    bool is_list = *text == '[';
    if (is_list) ++text;
    for (int c = 0; c < count; ++c) {
        while (*text == ' ') ++text;
        const char* end = tarn__decimal_end(text);
        if (end == NULL) return false;
        value[c] = tarn__decimal(text, end);
        text = end;
        while (*text == ' ') ++text;
        if (c + 1 < count && *text++ != ',') return false;
    }
    if (is_list && *text++ != ']') return false;
    return *text == '\0';
}

TarnResult tarn_param_set_text(TarnContext* ctx, const TarnParamTable* table, void* object,
                               const char* name, const char* text)
{
    const TarnParam* p;
    TARN_TRY(find_or_fail(ctx, table, name, &p));
    double value[3] = { 0 };
    int count = tarn__param_components(p->type);
    if (p->type == TARN_PARAM_ENUM) {
        const char* candidates[64];
        int n = 0;
        for (int i = 0; p->names[i] != NULL; ++i) {
            value[0] = i;
            if (strcmp(p->names[i], text) == 0)
                return tarn_param_set(ctx, table, object, name, value, 1);
            if (tarn__param_allows(p, i) && n < 64) candidates[n++] = p->names[i];
        }
        char list[256];
        const char* near = tarn__nearest(text, candidates, n);
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: '%s' is not one of: %s%s%s%s", table->name,
                          name, text, enum_list(p, list, sizeof list),
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (p->type == TARN_PARAM_BOOL) {
        bool is_true = strcmp(text, "true") == 0;
        if (!is_true && strcmp(text, "false") != 0) {
            return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: '%s' is neither true nor false",
                              table->name, name, text);
        }
        value[0] = is_true;
    } else if (!parse_numbers(text, value, count)) {
        return tarn__fail(ctx, TARN_ERR_ARG, "%s.%s: '%s' is not %s", table->name, name, text,
                          count == 1   ? "a number"
                          : count == 2 ? "two numbers x,y"
                                       : "three numbers x,y,z");
    }
    return tarn_param_set(ctx, table, object, name, value, count);
}
