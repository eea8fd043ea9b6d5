#include "code/machine/reading.h"

#include "code/machine/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SIGN[] = "±", ASCII_SIGN[] = "+-";
enum { LARGEST_SPREAD = 1000, MOST_SOURCES = 1000 };

const char *machine_source_text(const struct machine *machine, machine_source source)
{
    return source ? *ARRAY_AT(const char *, &machine->sources, source - 1) : NULL;
}

const struct machine_origin *machine_origin(const struct machine *machine, const char *word,
                                            const char *values)
{
    const struct machine_origin *first = NULL;
    for (size_t i = 0; i < machine->origins.count; i++) {
        const struct machine_origin *origin = ARRAY_AT(struct machine_origin, &machine->origins, i);
        if (strcmp(origin->word, word))
            continue;
        if (!values || !strcmp(origin->values, values))
            return origin;
        first = first ? first : origin;
    }
    return first;
}

void machine_write_spread(float spread, FILE *out)
{
    if (isnan(spread))
        return;
    fprintf(out, " %s ", SIGN);
    machine_write_cycles(spread, out);
    fputs(" %", out);
}

machine_source origins_source(struct reading *reading, const char *text)
{
    struct array *sources = &reading->machine->sources;
    if (!*text)
        return 0;
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(*ARRAY_AT(const char *, sources, i), text))
            return (machine_source)(i + 1);
    if (sources->count == MOST_SOURCES)
        return MOST_SOURCES; /* the last stands for all others */
    *(const char **)array_push(sources) = reading_keep(reading, text);
    return (machine_source)sources->count;
}

static const char *skip_back(const char *start, const char *end)
{
    while (end > start && strchr(" \t\r", end[-1]))
        end--;
    return end;
}

/* Whether the text before `end` is this sign, with a blank before it. */
static bool ends_with(const char *start, const char *end, const char *sign)
{
    size_t length = strlen(sign);
    return (size_t)(end - start) > length && !memcmp(end - length, sign, length) &&
           strchr(" \t", end[-(ptrdiff_t)length - 1]);
}

bool origins_take_spread(struct reading *reading, const char *start, char **end)
{
    reading->spread = NAN;
    const char *comment = memchr(start, '#', (size_t)(*end - start));
    const char *stop = skip_back(start, comment ? comment : *end);
    if (stop == start || stop[-1] != '%')
        return true;
    const char *number_end = skip_back(start, stop - 1), *number = number_end;
    while (number > start && !strchr(" \t", number[-1]))
        number--;
    const char *sign_end = skip_back(start, number);
    bool is_sign = ends_with(start, sign_end, SIGN);
    if (!is_sign && !ends_with(start, sign_end, ASCII_SIGN))
        return true;
    char digits[32], *behind = digits;
    size_t length = (size_t)(number_end - number);
    double spread = NAN;
    if (length && length < sizeof digits) {
        memcpy(digits, number, length);
        digits[length] = 0;
        spread = strtod(digits, &behind);
    }
    if (behind == digits || *behind || !(spread >= 0 && spread <= LARGEST_SPREAD))
        return reading_complain_of(reading, "a spread is a number of per cent from 0 to 1000, not", number,
                                   length);
    reading->spread = (float)spread;
    *end -= *end - sign_end + (ptrdiff_t)strlen(is_sign ? SIGN : ASCII_SIGN);
    return true;
}

void origins_note(struct reading *reading)
{
    if (!reading->source && isnan(reading->spread))
        return;
    *(struct machine_origin *)array_push(&reading->machine->origins) =
        (struct machine_origin){.word = reading_keep(reading, reading->words[0]),
                                .values = reading_keep(reading, reading->rest),
                                .source = reading->source,
                                .spread = reading->spread};
}
