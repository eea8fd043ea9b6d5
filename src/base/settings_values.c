/* What stands after the `=`: found by key, and read as the numbers, times, sizes and lists that it is. */
#include "base/settings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct setting *settings_find(const struct settings *settings, const struct settings_section *section,
                                    const char *key)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct setting *setting = ARRAY_AT(struct setting, &settings->settings, section->first + i);
        if (!strcmp(setting->key->name, key))
            return setting;
    }
    return NULL;
}

const char *settings_value(const struct settings *settings, const struct settings_section *section,
                           const char *key)
{
    const struct setting *setting = settings_find(settings, section, key);
    return setting ? setting->value : NULL;
}

static bool complain_here(const struct settings *settings, unsigned line, size_t column, struct error *error,
                          const char *format, va_list arguments)
{
    char text[700], *where = memory_format("%s:%u:%zu", settings->path, line, column);
    vsnprintf(text, sizeof text, format, arguments);
    error_set(error, where, "%s", text);
    free(where);
    return false;
}

bool settings_complain(const struct settings *settings, const struct setting *setting, struct error *error,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain_here(settings, setting->line, setting->column, error, format, arguments);
    va_end(arguments);
    return false;
}

bool settings_complain_at(const struct settings *settings, const struct setting *setting, size_t offset,
                          struct error *error, const char *format, ...)
{
    const struct settings_piece *piece = ARRAY_AT(struct settings_piece, &settings->pieces, setting->piece);
    for (size_t i = 1; i < setting->piece_count && piece[1].offset <= offset; i++)
        piece++;
    va_list arguments;
    va_start(arguments, format);
    complain_here(settings, piece->line, piece->column + (offset - piece->offset), error, format, arguments);
    va_end(arguments);
    return false;
}

/* A number without a sign in decimal digits: strtod alone takes hexadecimal, "inf" and "nan", too. */
static bool read_number(const char *text, double *value, const char **end)
{
    const char *digits = text + strspn(text, "0123456789.");
    if (digits == text || strspn(text, ".") == (size_t)(digits - text))
        return false;
    char *stop;
    *value = strtod(text, &stop);
    *end = stop;
    return isfinite(*value) && !strpbrk(text, "xX");
}

bool settings_number(const struct settings *settings, const struct setting *setting, double least,
                     double most, double *value, struct error *error)
{
    const char *text = setting->value, *end;
    bool is_negative = *text == '-';
    if (!read_number(text + is_negative, value, &end) || *end)
        return settings_complain(settings, setting, error, "`%s` takes a number, not '%.60s'",
                                 setting->key->name, text);
    *value = is_negative ? -*value : *value;
    if (*value < least || *value > most)
        return settings_complain(settings, setting, error, "`%s` takes a number from %g to %g, not %.60s",
                                 setting->key->name, least, most, text);
    return true;
}

/* 1:30:00 */
static bool read_clock(const char *text, double *seconds)
{
    unsigned hours, minutes;
    int length = 0;
    double rest;
    const char *end;
    if (strspn(text, "0123456789:.") != strlen(text) ||
        sscanf(text, "%6u:%2u:%n", &hours, &minutes, &length) != 2 || !length ||
        !read_number(text + length, &rest, &end) || *end || minutes > 59 || rest >= 60)
        return false;
    *seconds = hours * 3600.0 + minutes * 60.0 + rest;
    return true;
}

bool settings_parse_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"", 1}};
    enum { UNITS = sizeof units / sizeof *units };
    if (read_clock(text, seconds))
        return true;
    *seconds = 0;
    double last = INFINITY;
    do { /* 1h30m: the larger unit first */
        const char *end;
        double value;
        unsigned unit = 0;
        if (!read_number(text, &value, &end))
            return false;
        end += strspn(end, " ");
        while (strncmp(end, units[unit].unit, strlen(units[unit].unit)))
            unit++;
        if (units[unit].seconds >= last || (unit == UNITS - 1 && (*end || isfinite(last))))
            return false;
        last = units[unit].seconds;
        *seconds += value * last;
        text = end + strlen(units[unit].unit);
        text += strspn(text, " ");
    } while (*text);
    return true;
}

bool settings_seconds(const struct settings *settings, const struct setting *setting, double *seconds,
                      struct error *error)
{
    return settings_parse_seconds(setting->value, seconds) ||
           settings_complain(settings, setting, error,
                             "`%s` takes a time such as 90, 90s, 15m, 1h30m, 1d or 1:30:00, not '%.60s'",
                             setting->key->name, setting->value);
}

bool settings_parse_bytes(const char *text, double *bytes)
{
    const char *end;
    double value;
    if (!read_number(text, &value, &end))
        return false;
    end += strspn(end, " ");
    static const char letters[] = "kmgtp";
    const char *letter = *end ? strchr(letters, *end >= 'A' && *end <= 'Z' ? *end - 'A' + 'a' : *end) : NULL;
    if (letter) {
        end++;
        value = ldexp(value, 10 * (int)(letter - letters + 1));
    }
    if (*end && strcmp(end, "B") && !(letter && !strcmp(end, "iB")))
        return false;
    *bytes = value;
    return true;
}

bool settings_bytes(const struct settings *settings, const struct setting *setting, double *bytes,
                    struct error *error)
{
    return settings_parse_bytes(setting->value, bytes) ||
           settings_complain(settings, setting, error,
                             "`%s` takes a size such as 4096, 64M or 2G, not '%.60s'", setting->key->name,
                             setting->value);
}

static bool read_count(const char *text, unsigned *count, const char **end)
{
    size_t length = strspn(text, "0123456789");
    *count = length && length < 9 ? (unsigned)strtoul(text, NULL, 10) : 0;
    *end = text + length;
    return *count > 0;
}

bool settings_range(const struct settings *settings, const struct setting *setting, unsigned *least,
                    unsigned *most, struct error *error)
{
    const char *at = setting->value;
    bool is_fine = read_count(at, least, &at);
    *most = *least;
    at += strspn(at, " ");
    if (is_fine && !strncmp(at, "..", 2)) {
        at += 2 + strspn(at + 2, " ");
        is_fine = read_count(at, most, &at);
    }
    if (!is_fine || *at)
        return settings_complain(settings, setting, error,
                                 "`%s` takes a number or a range such as 4 or 1..16, not '%.60s'",
                                 setting->key->name, setting->value);
    if (*least > *most)
        return settings_complain(settings, setting, error, "`%s` takes the smaller number first: %u..%u",
                                 setting->key->name, *most, *least);
    return true;
}

bool settings_list(struct settings *settings, const struct setting *setting, struct array *items,
                   struct error *error)
{
    *items = ARRAY_OF(char *);
    for (const char *at = setting->value;; at++) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, ","), used = length;
        while (used && strchr(" \t", at[used - 1]))
            used--;
        if (!used) {
            array_free(items);
            return settings_complain_at(settings, setting, (size_t)(at - setting->value), error,
                                        "`%s` has an empty item", setting->key->name);
        }
        char *copy = arena_get(&settings->arena, used + 1);
        *(char **)array_add(items) = memcpy(copy, at, used);
        at += length;
        if (!*at)
            return true;
    }
}
