/* A line of a file of counters/: a question, or a counter with its event and what else is known of it. */
#include "run/sample/counters_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 2, LONGEST_PORTS = 11 };

const char *counters_keep(struct counter_tree *tree, const char *text, size_t length)
{
    char *copy = arena_get(&tree->texts, length + 1);
    memcpy(copy, text, length);
    return copy;
}

bool counters_complain(const struct counter_place *place, const char *what, struct error *error)
{
    return error_set(error, NULL, "%s:%u: %s", place->path, place->line, what);
}

/* What assay bench may take an event for: kinds of µops, or p and the names of ports. */
static bool is_countable(const char *word)
{
    static const char *const kinds[] = {"issued", "retired", "executed"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i], word))
            return true;
    size_t length = strlen(word);
    bool is_name = *word == 'p' && length > 1 && length <= LONGEST_PORTS;
    for (size_t i = 1; is_name && i < length; i++)
        is_name = isalnum((unsigned char)word[i]);
    return is_name;
}

/* every 100, counts p23, raw 4a1 */
static bool take_word(struct counter_line *line, const char *word, const char *value,
                      const struct counter_place *place, struct error *error)
{
    char *end = NULL;
    if (value && !strcmp(word, "counts")) {
        line->counts = value;
        return is_countable(value) ||
               counters_complain(
                   place, "counts is followed by issued, retired, executed, or ports such as p23", error);
    }
    bool is_raw = value && !strcmp(word, "raw"), is_period = value && !strcmp(word, "every");
    uint64_t number = is_raw || is_period ? strtoull(value, &end, is_raw ? 16 : 10) : 0;
    if (!number || *end)
        return counters_complain(
            place, "expected 'every N', 'counts WHAT' or 'raw NUMBER' between the event and the colon",
            error);
    *(is_raw ? &line->raw : &line->period) = number;
    return true;
}

/* "EVENT", "EVENT every 100", "EVENT counts p0 raw 1a1" */
static bool take_event(struct counter_tree *tree, struct counter_line *line, const char *text, size_t length,
                       const struct counter_place *place, struct error *error)
{
    char *rest = NULL, *words = arena_get(&tree->texts, length + 1);
    memcpy(words, text, length);
    line->event = strtok_r(words, " ", &rest);
    if (!line->event)
        return counters_complain(place, "the counter has no event", error);
    for (char *word; (word = strtok_r(NULL, " ", &rest));)
        if (!take_word(line, word, strtok_r(NULL, " ", &rest), place, error))
            return false;
    return true;
}

static bool take_counter(struct counter_tree *tree, struct counter_line *line, char *text, char *equals,
                         const struct counter_place *place, struct error *error)
{
    char *sentence = strstr(equals, ": ");
    size_t length = strcspn(text, " =");
    if (!sentence || !sentence[2])
        return counters_complain(place, "a counter needs a colon and a sentence", error);
    if (!length || text + length + strspn(text + length, " ") != equals)
        return counters_complain(place, "a counter is written as name = EVENT: sentence", error);
    line->name = counters_keep(tree, text, length);
    line->sentence = counters_keep(tree, sentence + 2, strlen(sentence + 2));
    char *event = equals + 1 + strspn(equals + 1, " ");
    return take_event(tree, line, event, (size_t)(sentence - event), place, error);
}

bool counters_take_line(struct counter_tree *tree, const struct counter_head *head, char *text,
                        const struct counter_place *place, struct error *error)
{
    size_t indent = strspn(text, " ");
    char *equals = strchr(text, '=');
    if (indent % STEP)
        return counters_complain(place, "the indentation is not a multiple of two blanks", error);
    struct counter_line *line = array_add(&tree->lines);
    line->depth = (unsigned)(indent / STEP);
    line->file = head->file;
    line->processors = head->processors;
    text += indent;
    if (equals)
        return take_counter(tree, line, text, equals, place, error);
    line->sentence = counters_keep(tree, text, strlen(text));
    return true;
}
