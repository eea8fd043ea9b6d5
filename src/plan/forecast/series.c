/* Series from text: see series.h. */
#include "plan/forecast/series.h"

#include "base/regular_file.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 28, MOST_CELLS = 256 };
static const double largest = 1e100; /* errors are squared and summed */

struct cell {
    const char *text;
    size_t length;
};

struct reader {
    struct series *series;
    const char *path, *wanted;
    struct error *error;
    unsigned line;
    int value, time; /* columns; -1: not chosen; no time */
    unsigned cells;  /* of the first line that counts; 0: there was none */
    bool is_chosen;
};

/* "'WHAT' is not …", at its place. */
static bool complain(struct reader *reader, const char *line, struct cell cell, const char *before,
                     const char *after)
{
    char *place = memory_format("%s:%u:%zu", reader->path, reader->line, (size_t)(cell.text - line) + 1);
    char *safe = text_safe(cell.text, cell.length < 40 ? cell.length : 40);
    error_set(reader->error, place, "%s'%s' %s", before, safe, after);
    free(safe);
    free(place);
    return false;
}

static bool is_between(char letter)
{
    return letter == ',' || letter == ';' || letter == '\t';
}

/* Cells between commas, semicolons or tabs; without those, between blanks. Quotes around a cell go. */
static unsigned split(const char *line, size_t length, struct cell *cells)
{
    bool has_commas = false;
    unsigned count = 0;
    for (size_t i = 0; i < length; i++)
        has_commas = has_commas || is_between(line[i]);
    for (size_t at = 0; count < MOST_CELLS;) {
        while (at < length && line[at] == ' ')
            at++;
        size_t end = at;
        while (end < length && !(has_commas ? is_between(line[end]) : line[end] == ' '))
            end++;
        size_t size = end - at;
        while (size && line[at + size - 1] == ' ')
            size--;
        bool is_quoted = size >= 2 && line[at] == '"' && line[at + size - 1] == '"';
        if (size || has_commas)
            cells[count++] = (struct cell){line + at + is_quoted, size - 2 * is_quoted};
        if (end >= length)
            break;
        at = end + 1;
    }
    return count;
}

static bool read_number(struct cell cell, double *number)
{
    char text[64], *end;
    if (!cell.length || cell.length >= sizeof text)
        return false;
    memcpy(text, cell.text, cell.length);
    text[cell.length] = 0;
    if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
        return false;
    *number = strtod(text, &end);
    return !*end && fabs(*number) <= largest;
}

/* nan, inf and numbers that are too large to be squared: values that are wrong, not names of columns. */
static bool is_unusable(struct cell cell)
{
    char *text = memory_copy_text(cell.text, cell.length), *end;
    double number = strtod(text, &end);
    bool is_unusable = end != text && !*end && !(fabs(number) <= largest);
    free(text);
    return is_unusable;
}

static bool is_named(struct cell cell, const char *name)
{
    return strlen(name) == cell.length && !strncmp(cell.text, name, cell.length);
}

/* Which columns count; *is_head: the line has names and no values. */
static bool choose(struct reader *reader, const char *line, const struct cell *cells, unsigned count,
                   bool *is_head)
{
    double number;
    *is_head = false;
    for (unsigned i = 0; i < count; i++)
        if (is_unusable(cells[i]))
            return complain(reader, line, cells[i], "", "is not a number that can be forecast from");
    for (unsigned i = 0; i < count; i++)
        *is_head = *is_head || (cells[i].length && !read_number(cells[i], &number));
    reader->cells = count;
    reader->is_chosen = true;
    reader->value = (int)count - 1;
    for (unsigned i = 0; i < count && *is_head; i++)
        if (is_named(cells[i], "time"))
            reader->time = (int)i;
    if (!*is_head && count == 2)
        reader->time = 0;
    if (reader->wanted) {
        char *end;
        long column = strtol(reader->wanted, &end, 10);
        reader->value = -1;
        for (unsigned i = 0; i < count && *is_head && reader->value < 0; i++)
            if (is_named(cells[i], reader->wanted))
                reader->value = (int)i;
        if (reader->value < 0 && *reader->wanted && !*end && column >= 1 && column <= (long)count)
            reader->value = (int)column - 1;
        if (reader->value < 0)
            return error_set(reader->error, reader->path,
                             "there is no column %s: --column takes a name of the first line, or 1 to %u",
                             reader->wanted, count);
    }
    if (reader->value == reader->time)
        reader->time = -1;
    if (*is_head)
        reader->series->name = memory_copy_text(cells[reader->value].text, cells[reader->value].length);
    return true;
}

static bool take(struct reader *reader, const char *line, const struct cell *cells, unsigned count)
{
    struct series_point point = {NAN, NAN};
    struct cell cell = cells[count < reader->cells ? 0 : reader->value],
                time = cells[reader->time < 0 ? 0 : reader->time];
    if (count != reader->cells)
        return complain(reader, line, cells[0], "the line that begins with ",
                        "has another number of columns than the first one");
    if (!read_number(cell, &point.value))
        return complain(reader, line, cell, "", "is not a number");
    if (reader->time >= 0 && !read_number(time, &point.time))
        return complain(reader, line, time, "the time ", "is not a number");
    const struct array *points = &reader->series->points;
    if (points->count && point.time < ARRAY_AT(struct series_point, points, points->count - 1)->time)
        return complain(reader, line, time, "the time ", "is before that of the line above");
    *(struct series_point *)array_push(&reader->series->points) = point;
    return true;
}

bool series_parse(struct series *series, const char *path, const char *text, const char *column,
                  struct error *error)
{
    struct cell cells[MOST_CELLS];
    struct reader reader = {.series = series, .path = path, .wanted = column, .error = error, .time = -1};
    *series = (struct series){.points = ARRAY_OF(struct series_point)};
    bool has_mark = !strncmp(text, "\xef\xbb\xbf", 3); /* of UTF-8: spreadsheets write it */
    for (const char *line = text + (has_mark ? 3 : 0); *line;) {
        size_t length = strcspn(line, "\n"), used = length;
        reader.line++;
        while (used && (line[used - 1] == '\r' || line[used - 1] == ' '))
            used--;
        bool is_head = false, is_used = used && *line != '#';
        unsigned count = is_used ? split(line, used, cells) : 0;
        if (count && !reader.is_chosen && !choose(&reader, line, cells, count, &is_head))
            return false;
        if (count && !is_head && !take(&reader, line, cells, count))
            return false;
        line += length + (line[length] == '\n');
    }
    if (!series->points.count)
        return error_set(error, path, "has no values: one number on a line, or CSV, is wanted");
    if (!series->name)
        series->name = memory_format("value");
    return true;
}

bool series_read(struct series *series, const char *path, const char *column, struct error *error)
{
    *series = (struct series){.points = ARRAY_OF(struct series_point)};
    char *text = regular_file_text(path, MOST_BYTES, "a series", error);
    bool is_good = text && series_parse(series, path, text, column, error);
    free(text);
    return is_good;
}

void series_free(struct series *series)
{
    free(series->name);
    array_free(&series->points);
    *series = (struct series){0};
}
