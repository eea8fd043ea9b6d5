/* The file of layouts, line by line:

     array NAME [from N]           elements count from N; else from 0
     FIRST..LAST TYPE WORDS        a part of it; FIRST.. goes on to the end of the array

   Parts ascend and do not overlap; what lies between them stays with the array.  Everything after # is a
   comment. */
#include "run/denormal/layout.h"

#include "base/regular_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_ARRAYS = 1000, MOST_PARTS = 64, LONGEST_NAME = 100 };
static const uint64_t MOST_ELEMENTS = (uint64_t)1 << 40;

struct reader {
    struct denormal_layout *layout;
    struct error *error;
    unsigned line;
};

static bool complain(const struct reader *reader, const char *text, const char *word)
{
    char *where = memory_format("%s:%u", reader->layout->path, reader->line);
    error_set(reader->error, where, text, word);
    free(where);
    return false;
}

/* The next word of a line, which ends there; NULL: none. */
static char *take_word(char **at)
{
    *at += strspn(*at, " \t");
    char *word = *at;
    *at += strcspn(*at, " \t");
    if (**at)
        *(*at)++ = 0;
    return *word ? word : NULL;
}

static bool take_count(char **at, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at) || strspn(*at, "0123456789") > 15)
        return false;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return *number <= MOST_ELEMENTS;
}

static bool is_name(const char *name)
{
    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return false;
    return *name && strlen(name) <= LONGEST_NAME;
}

static bool read_array(struct reader *reader, char *rest)
{
    struct array *arrays = &reader->layout->arrays;
    char *name = take_word(&rest), *from = take_word(&rest), *number = take_word(&rest);
    uint64_t lowest = 0;
    if (!name || !is_name(name) || (from && strcmp(from, "from") != 0) || (from && !number) ||
        take_word(&rest))
        return complain(reader, "expected: array NAME, or array NAME from N%s", "");
    if (number && (!take_count(&number, &lowest) || *number))
        return complain(reader, "'%s' is no number that elements count from", number);
    if (denormal_layout_of(reader->layout, name))
        return complain(reader, "%s was laid out above", name);
    if (arrays->count == MOST_ARRAYS)
        return complain(reader, "more arrays than anybody lays out%s", "");
    *(struct layout_array *)array_push(arrays) = (struct layout_array){
        memory_copy_text(name, strlen(name)), ARRAY_OF(struct layout_part), lowest, reader->line};
    return true;
}

static bool take_range(char *range, uint64_t lowest, struct layout_part *part)
{
    uint64_t last = 0;
    if (!take_count(&range, &part->first) || strncmp(range, "..", 2) != 0)
        return false;
    range += 2;
    bool is_open = !*range;
    if (!is_open && (!take_count(&range, &last) || *range || last < part->first))
        return false;
    if (part->first < lowest)
        return false;
    part->count = is_open ? 0 : last - part->first + 1;
    part->first -= lowest;
    return true;
}

static bool read_part(struct reader *reader, char *range, char *rest)
{
    static const char *const types[] = {"real", "float", "double", "complex", "integer"};
    enum { TYPES = sizeof types / sizeof *types };
    struct array *arrays = &reader->layout->arrays;
    struct layout_array *array =
        arrays->count ? ARRAY_AT(struct layout_array, arrays, arrays->count - 1) : NULL;
    struct layout_part part = {.line = reader->line};
    char *type = take_word(&rest);
    unsigned kind = 0;
    if (!array)
        return complain(reader, "'%s' is no part of an array: a line `array NAME` comes first", range);
    if (!take_range(range, array->lowest, &part))
        return complain(reader, "'%s' is no range of elements, such as 0..511 or 512..", range);
    while (kind < TYPES && (!type || strcmp(type, types[kind]) != 0))
        kind++;
    if (kind == TYPES)
        return complain(reader, "'%s' is no type: real, float, double, complex or integer", type ? type : "");
    rest += strspn(rest, " \t");
    if (!is_name(rest))
        return complain(reader, "after the type comes a name for the part%s", "");
    const struct layout_part *last =
        array->parts.count ? ARRAY_AT(struct layout_part, &array->parts, array->parts.count - 1) : NULL;
    if (last && (!last->count || part.first < last->first + last->count))
        return complain(reader, "%s begins before the part above ends", rest);
    if (array->parts.count == MOST_PARTS)
        return complain(reader, "%s has more parts than an array can have here (64)", array->name);
    part.type = (enum layout_type)kind;
    part.name = memory_copy_text(rest, strlen(rest));
    *(struct layout_part *)array_push(&array->parts) = part;
    return true;
}

static bool read_line(struct reader *reader, char *line)
{
    line[strcspn(line, "#")] = 0;
    for (size_t length = strlen(line); length && isspace((unsigned char)line[length - 1]);)
        line[--length] = 0;
    char *word = take_word(&line);
    if (!word)
        return true;
    return strcmp(word, "array") ? read_part(reader, word, line) : read_array(reader, line);
}

/* An array without parts says nothing. */
static bool check_parts(struct reader *reader)
{
    for (size_t i = 0; i < reader->layout->arrays.count; i++) {
        const struct layout_array *array = ARRAY_AT(struct layout_array, &reader->layout->arrays, i);
        reader->line = array->line;
        if (!array->parts.count)
            return complain(reader, "%s has no parts: lines such as `0..511 real temporaries` follow",
                            array->name);
    }
    return reader->layout->arrays.count || complain(reader, "lays out no array%s", "");
}

struct denormal_layout *denormal_layout_text(const char *path, const char *text, size_t size,
                                             struct error *error)
{
    struct denormal_layout *layout = memory_get(sizeof *layout);
    struct reader reader = {.layout = layout, .error = error};
    *layout = (struct denormal_layout){memory_copy_text(path, strlen(path)), ARRAY_OF(struct layout_array)};
    char *copy = memory_copy_text(text, size), *next;
    bool is_fine = !memchr(text, 0, size);
    if (!is_fine)
        error_set(error, path, "is no file of layouts: it is not text");
    for (char *line = copy; is_fine && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        reader.line++;
        is_fine = read_line(&reader, line);
    }
    free(copy);
    if (is_fine && check_parts(&reader))
        return layout;
    denormal_layout_free(layout);
    return NULL;
}

struct denormal_layout *denormal_layout_read(const char *path, struct error *error)
{
    char *text = regular_file_text(path, MOST_BYTES, "a file of layouts", error);
    struct denormal_layout *layout = text ? denormal_layout_text(path, text, strlen(text), error) : NULL;
    free(text);
    return layout;
}

void denormal_layout_free(struct denormal_layout *layout)
{
    if (!layout)
        return;
    for (size_t i = 0; i < layout->arrays.count; i++) {
        struct layout_array *array = ARRAY_AT(struct layout_array, &layout->arrays, i);
        for (size_t k = 0; k < array->parts.count; k++)
            free(ARRAY_AT(struct layout_part, &array->parts, k)->name);
        array_free(&array->parts);
        free(array->name);
    }
    array_free(&layout->arrays);
    free(layout->path);
    free(layout);
}

const struct layout_array *denormal_layout_of(const struct denormal_layout *layout, const char *name)
{
    for (size_t i = 0; layout && i < layout->arrays.count; i++)
        if (!strcmp(ARRAY_AT(struct layout_array, &layout->arrays, i)->name, name))
            return ARRAY_AT(struct layout_array, &layout->arrays, i);
    return NULL;
}
