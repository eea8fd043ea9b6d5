/* The text is read word by word; macros are not followed.  What a macro makes is not found, and then a patch
   cannot put anything there.  The caller proves what comes out by compiling it. */
#include "change/optimise/apply/source_places.h"
#include "change/optimise/extract/tokens.h"

#include <stdlib.h>
#include <string.h>

static size_t line_start(const char *text, unsigned line)
{
    size_t at = 0;
    for (unsigned i = 1; i < line && text[at]; i++)
        at += strcspn(text + at, "\n") + (text[at + strcspn(text + at, "\n")] == '\n');
    return at;
}

/* The one word of a loop in a line. */
static size_t find_loop(const char *text, unsigned line)
{
    size_t at = line_start(text, line), end = at + strcspn(text + at, "\n"), found = SIZE_MAX;
    for (;;) {
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END)
            return found;
        if (tokens_is(text, token, "for") || tokens_is(text, token, "while") ||
            tokens_is(text, token, "do")) {
            if (found != SIZE_MAX)
                return SIZE_MAX;
            found = token.at;
        }
    }
}

/* After the head of a function: its {, perhaps after declarations of parameters; SIZE_MAX if it is no
 * definition. */
static size_t find_brace(const char *text, size_t at, size_t end)
{
    for (;;) {
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END || tokens_is(text, token, "=") || tokens_is(text, token, "}"))
            return SIZE_MAX;
        if (tokens_is(text, token, "{"))
            return token.at;
        if (tokens_is(text, token, ";")) {
            /* after ) it is a declaration; behind a name it may be one of K&R's */
            size_t behind = at;
            struct token next = tokens_next(text, &behind, end);
            if (next.kind != token_NAME && !tokens_is(text, next, "{"))
                return SIZE_MAX;
            size_t before = token.at;
            while (before && strchr(" \t\n", text[before - 1]))
                before--;
            if (before && text[before - 1] == ')')
                return SIZE_MAX;
        }
        if (tokens_is(text, token, "("))
            at = tokens_past_bracket(text, token.at, end);
    }
}

/* The first word of the definition: on the line that the parser tells, before the name. */
static size_t find_first_word(const struct extract *extract, const char *text, size_t name_at)
{
    if (!extract->function_word || !extract->function_line)
        return SIZE_MAX;
    for (size_t at = line_start(text, extract->function_line); at <= name_at;) {
        struct token token = tokens_next(text, &at, name_at + 1);
        if (token.kind == token_END)
            break;
        if (!strncmp(text + token.at, extract->function_word, strlen(extract->function_word)))
            return token.at;
    }
    return SIZE_MAX;
}

static void find_names(const struct extract *extract, const char *text, size_t from, size_t to,
                       struct source_places *places)
{
    for (size_t i = 0; i < extract->parameters.count; i++) {
        const struct extract_parameter *one = ARRAY_AT(struct extract_parameter, &extract->parameters, i);
        for (size_t at = from; *one->name;) {
            struct token token = tokens_next(text, &at, to);
            if (token.kind == token_END)
                break;
            size_t behind = at;
            struct token next = tokens_next(text, &behind, to + 1);
            if (tokens_is(text, token, one->name) && next.kind == token_SIGN && strchr(",)[;", text[next.at]))
                places->names[i] = token.at; /* the last one counts: K&R name them twice */
        }
    }
}

void source_places_find(const struct extract *extract, const char *text, struct source_places *places)
{
    *places = (struct source_places){SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                     memory_get((extract->parameters.count + 1) * sizeof *places->names)};
    for (size_t i = 0; i < extract->parameters.count; i++)
        places->names[i] = SIZE_MAX;
    size_t end = strlen(text), limit = line_start(text, extract->source_line);
    limit += strcspn(text + limit, "\n");
    places->loop = find_loop(text, extract->source_line);
    const char *colon = strrchr(extract->function, ':'), *name = colon ? colon + 1 : extract->function;
    for (size_t at = 0; at < limit;) {
        struct token token = tokens_next(text, &at, end);
        if (token.kind == token_END || token.at > limit)
            break;
        size_t behind = at;
        struct token next = tokens_next(text, &behind, end);
        if (!tokens_is(text, token, name) || !tokens_is(text, next, "("))
            continue;
        size_t close = tokens_past_bracket(text, next.at, end), brace = find_brace(text, close, end);
        if (brace == SIZE_MAX || brace > limit)
            continue;
        places->function = find_first_word(extract, text, token.at);
        places->body = brace + 1;
        find_names(extract, text, next.at + 1, brace, places);
    }
}

void source_places_free(struct source_places *places)
{
    free(places->names);
}
