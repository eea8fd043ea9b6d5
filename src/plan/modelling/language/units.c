#include "plan/modelling/language/units.h"

#include <stdio.h>
#include <string.h>

static const struct unit units[] = {
    {"s", 1, {{1}}},
    {"second", 1, {{1}}},
    {"seconds", 1, {{1}}},
    {"ms", 1e-3, {{1}}},
    {"us", 1e-6, {{1}}},
    {"µs", 1e-6, {{1}}},
    {"ns", 1e-9, {{1}}},
    {"ps", 1e-12, {{1}}},
    {"minutes", 60, {{1}}},
    {"hours", 3600, {{1}}},
    {"byte", 1, {{0, 1}}},
    {"bytes", 1, {{0, 1}}},
    {"kB", 1e3, {{0, 1}}},
    {"MB", 1e6, {{0, 1}}},
    {"GB", 1e9, {{0, 1}}},
    {"TB", 1e12, {{0, 1}}},
    {"KiB", 1024, {{0, 1}}},
    {"MiB", 1048576, {{0, 1}}},
    {"GiB", 1073741824, {{0, 1}}},
    {"TiB", 1099511627776, {{0, 1}}},
    {"flop", 1, {{0, 0, 1}}},
    {"flops", 1, {{0, 0, 1}}},
    {"Mflops", 1e6, {{0, 0, 1}}},
    {"Gflops", 1e9, {{0, 0, 1}}},
    {"Tflops", 1e12, {{0, 0, 1}}},
    {"cycle", 1, {{0, 0, 0, 1}}},
    {"cycles", 1, {{0, 0, 0, 1}}},
    {"Hz", 1, {{-1, 0, 0, 1}}},
    {"kHz", 1e3, {{-1, 0, 0, 1}}},
    {"MHz", 1e6, {{-1, 0, 0, 1}}},
    {"GHz", 1e9, {{-1, 0, 0, 1}}},
    {"count", 1, {{0}}},
    {"counts", 1, {{0}}},
};
static const char *const base_names[BASE_UNITS] = {"s", "bytes", "flops", "cycles"};

const struct unit *unit_named(const char *name)
{
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, name))
            return &units[i];
    return NULL;
}

struct dimension dimension_of(unsigned base)
{
    struct dimension dimension = {0};
    dimension.power[base] = 1;
    return dimension;
}

struct dimension dimension_number(void)
{
    return (struct dimension){0};
}

struct dimension dimension_any(void)
{
    return (struct dimension){.is_any = true};
}

bool dimension_is_number(struct dimension dimension)
{
    for (unsigned i = 0; i < BASE_UNITS; i++)
        if (dimension.power[i])
            return false;
    return !dimension.is_any;
}

bool dimension_fits(struct dimension left, struct dimension right)
{
    return left.is_any || right.is_any || !memcmp(left.power, right.power, sizeof left.power);
}

bool dimension_multiply(struct dimension left, struct dimension right, int times, struct dimension *result)
{
    *result = dimension_any();
    if (left.is_any || right.is_any)
        return true;
    for (unsigned i = 0; i < BASE_UNITS; i++) {
        int power = left.power[i] + right.power[i] * times;
        if (power < -20 || power > 20)
            return false;
        result->power[i] = (int8_t)power;
    }
    result->is_any = false;
    return true;
}

static size_t add(char *text, size_t size, size_t at, const char *more, int power, bool *has_any)
{
    int wrote = snprintf(text + at, size - at, "%s%s", *has_any ? " " : "", more);
    at += (size_t)wrote < size - at ? (size_t)wrote : size - at - 1;
    if (power > 1) {
        wrote = snprintf(text + at, size - at, "^%d", power);
        at += (size_t)wrote < size - at ? (size_t)wrote : size - at - 1;
    }
    *has_any = true;
    return at;
}

struct dimension_words dimension_unit(struct dimension dimension)
{
    struct dimension_words words = {{0}};
    size_t at = 0, size = sizeof words.text;
    bool has_any = false, has_below = false;
    for (unsigned i = BASE_UNITS; i-- > 0;)
        if (dimension.power[i] > 0)
            at = add(words.text, size, at, base_names[i], dimension.power[i], &has_any);
    for (unsigned i = 0; i < BASE_UNITS; i++)
        if (dimension.power[i] < 0) {
            char below[16];
            snprintf(below, sizeof below, "%s/%s", has_any || has_below ? "" : "1", base_names[i]);
            bool joined = false;
            at = add(words.text, size, at, below, -dimension.power[i], &joined);
            has_below = true;
        }
    return words;
}

struct dimension_words dimension_words(struct dimension dimension)
{
    struct dimension_words words = dimension_unit(dimension);
    if (dimension.is_any)
        strcpy(words.text, "any unit");
    else if (!*words.text)
        strcpy(words.text, "a plain number");
    else if (!strcmp(words.text, "s"))
        strcpy(words.text, "seconds");
    return words;
}
