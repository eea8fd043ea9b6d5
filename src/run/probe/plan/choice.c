/* Wishes as options and plans word them. */
#include "run/probe/plan/choice.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

void probe_choice_init(struct probe_choice *choice)
{
    *choice =
        (struct probe_choice){.wishes = ARRAY_OF(struct probe_wish), .files = ARRAY_OF(struct probe_file)};
}

void probe_choice_free(struct probe_choice *choice)
{
    for (size_t i = 0; i < choice->wishes.count; i++) {
        struct probe_wish *wish = ARRAY_AT(struct probe_wish, &choice->wishes, i);
        free(wish->text);
        free(wish->name);
        free(wish->origin);
    }
    for (size_t i = 0; i < choice->files.count; i++) {
        struct probe_file *file = ARRAY_AT(struct probe_file, &choice->files, i);
        free(file->path);
        free(file->build_id);
        free(file->origin);
    }
    array_free(&choice->wishes);
    array_free(&choice->files);
}

struct probe_wish *probe_choice_add(struct probe_choice *choice, enum probe_wish_kind kind, const char *text,
                                    uint64_t number, const char *name, const char *origin)
{
    struct probe_wish *wish = array_add(&choice->wishes);
    *wish = (struct probe_wish){.kind = (uint8_t)kind,
                                .text = copy(text),
                                .name = copy(name),
                                .number = number,
                                .origin = copy(origin)};
    return wish;
}

/* A whole text as a number: decimal, or hexadecimal with 0x. */
static bool is_number(const char *text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    *number = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    return !*end && !errno;
}

/* FILE:LINE; the file is to be freed. */
static bool is_place(const char *text, char **file, uint64_t *line)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || colon[-1] == ':' || !is_number(colon + 1, line) || !*line)
        return false;
    *file = memory_copy_text(text, (size_t)(colon - text));
    return true;
}

static bool add_loops(struct probe_choice *choice, const char *text, const char *origin, struct error *error)
{
    (void)error;
    char *file;
    uint64_t line;
    if (text && is_place(text, &file, &line)) {
        probe_choice_add(choice, PROBE_WISH_LOOP_LINE, file, line, NULL, origin);
        free(file);
    } else {
        probe_choice_add(choice, PROBE_WISH_LOOPS, text, 0, NULL, origin);
    }
    return true;
}

static bool add_functions(struct probe_choice *choice, const char *text, const char *origin,
                          struct error *error)
{
    (void)error;
    probe_choice_add(choice, PROBE_WISH_FUNCTIONS, text, 0, NULL, origin);
    return true;
}

static bool add_calls(struct probe_choice *choice, const char *text, const char *origin, struct error *error)
{
    (void)error;
    probe_choice_add(choice, PROBE_WISH_CALLS, text, 0, NULL, origin);
    return true;
}

static bool add_values(struct probe_choice *choice, const char *text, const char *origin, struct error *error)
{
    if (!text)
        return error_set(error, origin, "values needs the name of a function");
    probe_choice_add(choice, PROBE_WISH_VALUES, text, 0, NULL, origin);
    return true;
}

static bool add_loop(struct probe_choice *choice, const char *text, const char *origin, struct error *error)
{
    uint64_t number;
    if (!text || !is_number(text, &number))
        return error_set(
            error, origin,
            "loop needs the number of a loop, not %s (assay loops lists them; loops takes names)",
            text ? text : "nothing");
    probe_choice_add(choice, PROBE_WISH_LOOP, NULL, number, NULL, origin);
    return true;
}

static bool add_addresses(struct probe_choice *choice, const char *text, const char *origin,
                          struct error *error)
{
    uint64_t number;
    const char *digits = text && !strncmp(text, "loop", 4) ? text + 4 : text;
    while (digits && isblank((unsigned char)*digits))
        digits++;
    char *file;
    if (text && is_place(text, &file, &number)) {
        probe_choice_add(choice, PROBE_WISH_ADDRESSES_LINE, file, number, NULL, origin);
        free(file);
        return true;
    }
    if (!digits || !is_number(digits, &number))
        return error_set(error, origin, "addresses needs a loop, such as loop 12 or solve.f90:40, not %s",
                         text ? text : "nothing");
    probe_choice_add(choice, PROBE_WISH_ADDRESSES, NULL, number, NULL, origin);
    return true;
}

/* Where the name starts in PLACE NAME and PLACE:NAME: after the last blank, else after the last colon. */
static const char *last_part(const char *text)
{
    const char *blank = NULL, *colon = strrchr(text, ':');
    for (const char *at = text; *at; at++)
        if (isblank((unsigned char)*at))
            blank = at;
    return blank ? blank : colon;
}

static bool add_at(struct probe_choice *choice, const char *text, const char *origin, struct error *error)
{
    const char *split = text ? last_part(text) : NULL;
    char *place = split ? memory_copy_text(text, (size_t)(split - text)) : NULL, *file;
    for (size_t end = place ? strlen(place) : 0; end && isblank((unsigned char)place[end - 1]); end--)
        place[end - 1] = 0;
    uint64_t number;
    bool is_known = true;
    if (place && split[1] && !strncasecmp(place, "0x", 2) && is_number(place, &number)) {
        probe_choice_add(choice, PROBE_WISH_AT, NULL, number, split + 1, origin);
    } else if (place && split[1] && is_place(place, &file, &number)) {
        probe_choice_add(choice, PROBE_WISH_AT_LINE, file, number, split + 1, origin);
        free(file);
    } else {
        is_known = error_set(error, origin,
                             "at needs a place and a name, such as 0x1234:x3 or solve.f90:40:i, not %s",
                             text ? text : "nothing");
    }
    free(place);
    return is_known;
}

static const struct {
    const char *word;
    bool (*add)(struct probe_choice *choice, const char *text, const char *origin, struct error *error);
} words[] = {
    {"functions", add_functions}, {"loops", add_loops},         {"loop", add_loop}, {"calls", add_calls},
    {"values", add_values},       {"addresses", add_addresses}, {"at", add_at}};

bool probe_choice_knows(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return true;
    return false;
}

bool probe_choice_word(struct probe_choice *choice, const char *word, const char *text, const char *origin,
                       struct error *error)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return words[i].add(choice, text && *text ? text : NULL, origin, error);
    return error_set(error, origin, "a plan has no word %s", word);
}
