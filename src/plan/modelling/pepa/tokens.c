/* See tokens.h.  Comments are // and % to the end of the line, and between slash-star and star-slash.  The
   older Workbench marks rates by % and components by #, as in `%r = 1.0;` and `#P = …;`: # is passed over,
   and a % begins a rate where a word and = follow it, and else a comment. */
#include "plan/modelling/pepa/tokens.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct pepa_model *model;
    const char *at, *end, *line_start;
    uint32_t line;
    struct array *tokens;
    struct error *error;
};

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'';
}

static struct pepa_place place_of(const struct reader *reader, const char *at)
{
    return (struct pepa_place){reader->line, (uint32_t)(at - reader->line_start) + 1};
}

static bool begins_rate(const struct reader *reader)
{
    const char *at = reader->at + 1;
    if (at == reader->end || !is_letter(*at))
        return false;
    while (at < reader->end && is_in_word(*at))
        at++;
    while (at < reader->end && (*at == ' ' || *at == '\t'))
        at++;
    return at < reader->end && *at == '=';
}

static void skip_line(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
}

static bool skip_comment(struct reader *reader)
{
    struct pepa_place place = place_of(reader, reader->at);
    for (reader->at += 2; reader->at < reader->end; reader->at++) {
        if (*reader->at == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        } else if (*reader->at == '*' && reader->at + 1 < reader->end && reader->at[1] == '/') {
            reader->at += 2;
            return true;
        }
    }
    return pepa_complain(reader->model, place, reader->error, "this comment does not end: */ is missing");
}

/* Blanks and comments; false: an error. */
static bool skip(struct reader *reader)
{
    while (reader->at < reader->end) {
        char c = *reader->at, next = reader->at + 1 < reader->end ? reader->at[1] : 0;
        if (c == '\n') {
            reader->line++;
            reader->line_start = ++reader->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '#' ||
                   (c == '%' && begins_rate(reader))) {
            reader->at++;
        } else if ((c == '/' && next == '/') || c == '%') {
            skip_line(reader);
        } else if (c == '/' && next == '*') {
            if (!skip_comment(reader))
                return false;
        } else {
            return true;
        }
    }
    return true;
}

static struct pepa_token *add(struct reader *reader, enum pepa_token_kind kind, size_t length)
{
    struct pepa_token *token = array_add(reader->tokens);
    token->kind = (uint8_t)kind;
    token->place = place_of(reader, reader->at);
    token->sign = *reader->at;
    if (kind == token_WORD || kind == token_NUMBER)
        token->word = strings_add_length(&reader->model->names, reader->at, length);
    reader->at += length;
    return token;
}

static bool add_number(struct reader *reader)
{
    const char *at = reader->at;
    char text[64];
    while (at < reader->end && isdigit((unsigned char)*at))
        at++;
    if (at + 1 < reader->end && *at == '.' && isdigit((unsigned char)at[1]))
        for (at++; at < reader->end && isdigit((unsigned char)*at);)
            at++;
    if (at < reader->end && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;
        if (exponent < reader->end && (*exponent == '-' || *exponent == '+'))
            exponent++;
        if (exponent < reader->end && isdigit((unsigned char)*exponent))
            for (at = exponent; at < reader->end && isdigit((unsigned char)*at);)
                at++;
    }
    size_t length = (size_t)(at - reader->at);
    if (length >= sizeof text)
        return pepa_complain(reader->model, place_of(reader, reader->at), reader->error,
                             "a number of %zu characters", length);
    memcpy(text, reader->at, length);
    text[length] = 0;
    struct pepa_token *token = add(reader, token_NUMBER, length);
    token->number = strtod(text, NULL);
    return isfinite(token->number) ||
           pepa_complain(reader->model, token->place, reader->error, "%s is too large", text);
}

static bool add_word(struct reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && is_in_word(*at))
        at++;
    size_t length = (size_t)(at - reader->at);
    bool is_passive = (length == 1 && *reader->at == 'T') ||
                      (length == 5 && !memcmp(reader->at, "infty", 5)) ||
                      (length == 8 && !memcmp(reader->at, "infinity", 8));
    if (length > 200)
        return pepa_complain(reader->model, place_of(reader, reader->at), reader->error,
                             "a name of %zu characters", length);
    add(reader, is_passive ? token_PASSIVE : token_WORD, length);
    return true;
}

static bool add_sign(struct reader *reader)
{
    static const char top[] = "\xe2\x8a\xa4"; /* ⊤ */
    char c = *reader->at;
    size_t left = (size_t)(reader->end - reader->at);
    if (left >= 3 && !memcmp(reader->at, top, 3)) {
        add(reader, token_PASSIVE, 3);
        return true;
    }
    if (left >= 2 && c == '|' && reader->at[1] == '|') {
        add(reader, token_PARALLEL, 2);
        return true;
    }
    if (c && strchr("=;(),.+-*/\\<>[]{}", c)) {
        add(reader, token_SIGN, 1);
        return true;
    }
    char *shown = text_safe(reader->at, 1);
    pepa_complain(reader->model, place_of(reader, reader->at), reader->error,
                  "'%s' has no meaning in PEPA (components cooperate by <action, …> or ||)", shown);
    free(shown);
    return false;
}

bool pepa_tokens(struct pepa_model *model, const char *text, size_t size, struct array *tokens,
                 struct error *error)
{
    struct reader reader = {model, text, text + size, text, 1, tokens, error};
    *tokens = ARRAY_OF(struct pepa_token);
    while (skip(&reader) && reader.at < reader.end) {
        char c = *reader.at;
        bool is_fine = isdigit((unsigned char)c) ? add_number(&reader)
                       : is_letter(c)            ? add_word(&reader)
                                                 : add_sign(&reader);
        if (!is_fine)
            return false;
    }
    struct pepa_token *end = array_add(tokens);
    end->place = place_of(&reader, reader.at);
    return !error->set;
}

char *pepa_token_text(const struct pepa_model *model, const struct pepa_token *token)
{
    switch ((enum pepa_token_kind)token->kind) {
    case token_END:
        return memory_format("the end of the file");
    case token_WORD:
    case token_NUMBER:
        return memory_format("'%s'", strings_text(&model->names, token->word));
    case token_PASSIVE:
        return memory_format("the passive rate");
    case token_PARALLEL:
        return memory_format("'||'");
    case token_SIGN:
        break;
    }
    return memory_format("'%c'", token->sign);
}
