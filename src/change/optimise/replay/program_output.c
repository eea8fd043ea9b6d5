/* Two outputs side by side, word by word. Words that both read as numbers are compared as numbers. */
#include "base/memory.h"
#include "change/optimise/replay/program_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    unsigned line;
};

static const char BLANKS[] = " \t\r\v\f";

/* The next word, an end of line included; its length, 0 at the end. */
static size_t next(struct reader *reader, const char **word)
{
    reader->at += strspn(reader->at, BLANKS);
    *word = reader->at;
    size_t length = *reader->at == '\n' ? 1 : strcspn(reader->at, " \t\r\v\f\n");
    reader->line += *reader->at == '\n';
    reader->at += length;
    return length;
}

static bool read_number(const char *word, size_t length, double *number)
{
    char copy[64], *end;
    if (!length || length >= sizeof copy)
        return false;
    memcpy(copy, word, length);
    copy[length] = 0;
    *number = strtod(copy, &end);
    return !*end;
}

static double difference(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double size = fmax(fabs(a), fabs(b));
    return isfinite(a) && isfinite(b) ? fabs(a - b) / size : INFINITY;
}

/* A word for a sentence; to be freed. */
static char *shown(const char *word, size_t length)
{
    return length && *word != '\n' ? memory_copy_text(word, length < 40 ? length : 40)
                                   : memory_format("nothing");
}

/* Digits that a printed number may lose and still be the same but for its last ones. */
static const double LAST_DIGITS = 1e-6;

enum replay_verdict program_output_compare(const char *original, const char *other, double tolerance,
                                           double *largest, char **where)
{
    struct reader left = {original, 1}, right = {other, 1};
    *largest = 0;
    *where = NULL;
    if (!strcmp(original, other))
        return replay_SAME;
    for (;;) {
        const char *a, *b;
        double x, y;
        unsigned line = left.line;
        size_t n = next(&left, &a), m = next(&right, &b);
        if (n == m && !memcmp(a, b, n)) {
            if (!n)
                break;
            continue;
        }
        bool are_numbers = read_number(a, n, &x) && read_number(b, m, &y);
        if (are_numbers)
            *largest = fmax(*largest, difference(x, y));
        if (!*where && (!are_numbers || difference(x, y) > tolerance)) {
            autofree char *was = shown(a, n), *is = shown(b, m);
            *where = memory_format("line %u of the output has %s where it was %s", line, is, was);
        }
        if (!are_numbers)
            *largest = INFINITY;
        if (!are_numbers)
            break;
    }
    if (!*where)
        return *largest > 0 ? replay_WITHIN : replay_SAME;
    return *largest <= LAST_DIGITS ? replay_NEAR : replay_DIFFERENT;
}
