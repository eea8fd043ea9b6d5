/* Helpers for all parts of the reader of IA-64 listings: pieces of text, maps, problems. */
#include "code/read/ia64/listing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N CLASS_NAME
#define D (CLASS_NAME | CLASS_DIGIT)
const uint8_t listing_classes[256] = {
    [0] = CLASS_BLANK,
    ['\t'] = CLASS_BLANK,
    ['\v'] = CLASS_BLANK,
    ['\f'] = CLASS_BLANK,
    ['\r'] = CLASS_BLANK,
    [' '] = CLASS_BLANK,
    ['\n'] = CLASS_END,
    [';'] = CLASS_END,
    ['{'] = CLASS_END,
    ['}'] = CLASS_END,
    ['$'] = N,
    ['.'] = N,
    ['?'] = N,
    ['@'] = N,
    ['_'] = N,
    ['~'] = N,
    ['0' ... '9'] = D,
    ['A' ... 'Z'] = N,
    ['a' ... 'z'] = N,
    [128 ... 255] = N,
};
#undef N
#undef D

struct words listing_trim(struct words words)
{
    while (words.length && is_blank(words.start[0])) {
        words.start++;
        words.length--;
    }
    while (words.length && is_blank(words.start[words.length - 1]))
        words.length--;
    return words;
}

struct words listing_split(struct words *rest, char separator)
{
    size_t at = 0;
    unsigned depth = 0;
    bool is_quoted = false;
    for (; at < rest->length; at++) {
        char c = rest->start[at];
        if (c == '"')
            is_quoted = !is_quoted;
        else if (is_quoted)
            at += c == '\\';
        else if (c == '(' || c == '[')
            depth++;
        else if (c == ')' || c == ']')
            depth -= depth > 0;
        else if (c == separator && !depth)
            break;
    }
    if (at > rest->length)
        at = rest->length;
    struct words first = {rest->start, at};
    size_t taken = at < rest->length ? at + 1 : at;
    rest->start += taken;
    rest->length -= taken;
    return listing_trim(first);
}

struct words listing_bare(struct words words)
{
    words = listing_trim(words);
    if (words.length && words.start[words.length - 1] == '#')
        words.length--;
    if (words.length >= 2 && words.start[0] == '"' && words.start[words.length - 1] == '"') {
        words.start++;
        words.length -= 2;
    }
    return words;
}

bool listing_equals(struct words words, const char *text)
{
    return strlen(text) == words.length && !memcmp(words.start, text, words.length);
}

bool listing_take_number(struct words *words, uint64_t *number)
{
    size_t at = 0;
    *number = 0;
    while (at < words->length && at < 18 && is_digit(words->start[at]))
        *number = *number * 10 + (uint64_t)(words->start[at++] - '0');
    if (!at || (at < words->length && is_digit(words->start[at])))
        return false;
    words->start += at;
    words->length -= at;
    return true;
}

/* Interned texts hold no zero. */
string_id listing_intern(struct ia64_listing *listing, struct words words)
{
    struct strings *strings = &listing->model->strings;
    if (!words.length)
        return 0;
    if (!memchr(words.start, 0, words.length))
        return strings_add_length(strings, words.start, words.length);
    char *copy = memory_copy_text(words.start, words.length);
    for (size_t i = 0; i < words.length; i++)
        if (!copy[i])
            copy[i] = ' ';
    string_id id = strings_add_length(strings, copy, words.length);
    free(copy);
    return id;
}

const char *listing_word(char buffer[64], struct words words)
{
    size_t length = words.length < 60 ? words.length : 60;
    for (size_t i = 0; i < length; i++)
        buffer[i] = (uint8_t)words.start[i] < ' ' || words.start[i] == 127 ? ' ' : words.start[i];
    /* Do not cut a multi-byte character. */
    if (length < words.length)
        while (length && (words.start[length] & 0xc0) == 0x80)
            length--;
    strcpy(buffer + length, length < words.length ? "…" : "");
    return buffer;
}

static uint32_t column_of(const struct ia64_listing *listing, const char *at)
{
    if (listing->depth)
        return listing->call_column;
    if (!at || at < listing->line_start || at > listing->end)
        at = listing->at;
    return at < listing->line_start ? 1 : (uint32_t)(at - listing->line_start) + 1;
}

static uint32_t add_problem(struct ia64_listing *listing, enum problem_kind kind, uint32_t line,
                            uint32_t column, const char *format, va_list arguments)
{
    if (listing->problems.count >= MOST_NOTES) {
        listing->unnamed++;
        return 0;
    }
    char what[400];
    vsnprintf(what, sizeof what, format, arguments);
    char *text = memory_format("%s:%u:%u: %s", listing->source->path, line, column, what);
    *(struct listing_problem *)array_add(&listing->problems) =
        (struct listing_problem){.text = model_string(listing->model, text),
                                 .address = listing_here(listing),
                                 .count = 1,
                                 .kind = kind};
    free(text);
    return (uint32_t)listing->problems.count;
}

uint32_t listing_note(struct ia64_listing *listing, enum problem_kind kind, const char *at,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    uint32_t note = add_problem(listing, kind, listing->line, column_of(listing, at), format, arguments);
    va_end(arguments);
    return note;
}

uint32_t listing_note_at(struct ia64_listing *listing, enum problem_kind kind, uint32_t line, uint32_t column,
                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    uint32_t note = add_problem(listing, kind, line, column, format, arguments);
    va_end(arguments);
    return note;
}

void listing_note_again(struct ia64_listing *listing, uint32_t note)
{
    if (note)
        ARRAY_AT(struct listing_problem, &listing->problems, note - 1)->count++;
    else
        listing->unnamed++;
}

struct listing_map_slot {
    uint32_t age, value;
};

uint32_t listing_map_find(const struct listing_map *map, string_id key)
{
    if (!key || key >= map->slots.count)
        return 0;
    const struct listing_map_slot *slot = ARRAY_AT(struct listing_map_slot, &map->slots, key);
    return slot->age == map->age + 1 ? slot->value : 0;
}

void listing_map_set(struct listing_map *map, string_id key, uint32_t value)
{
    if (!map->slots.width)
        map->slots = ARRAY_OF(struct listing_map_slot);
    if (key >= map->slots.count)
        array_add_many(&map->slots, key + 1 - map->slots.count);
    *ARRAY_AT(struct listing_map_slot, &map->slots, key) = (struct listing_map_slot){map->age + 1, value};
}

void listing_map_empty(struct listing_map *map)
{
    map->age++;
}
