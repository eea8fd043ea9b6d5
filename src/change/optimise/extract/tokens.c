#include "change/optimise/extract/tokens.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Whether a # at this place begins a line. */
static bool begins_line(const char *text, size_t at)
{
    while (at && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    return !at || text[at - 1] == '\n';
}

static size_t past_line(const char *text, size_t at, size_t end)
{
    while (at < end && text[at] != '\n')
        at += text[at] == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at : end;
}

static size_t past_space(const char *text, size_t at, size_t end)
{
    while (at < end) {
        if (isspace((unsigned char)text[at]) || (text[at] == '\\' && at + 1 < end && text[at + 1] == '\n'))
            at++;
        else if (text[at] == '#' && begins_line(text, at))
            at = past_line(text, at, end);
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '/')
            at = past_line(text, at, end);
        else if (text[at] == '/' && at + 1 < end && text[at + 1] == '*') {
            for (at += 2; at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'); at++)
                ;
            at = at + 2 < end ? at + 2 : end;
        } else
            return at;
    }
    return end;
}

static size_t past_string(const char *text, size_t at, size_t end)
{
    char quote = text[at++];
    while (at < end && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* R"mark(…)mark" */
static size_t past_raw_string(const char *text, size_t at, size_t end)
{
    size_t mark = at + 1, length = 0;
    while (mark + length < end && length < 16 && text[mark + length] != '(')
        length++;
    for (size_t i = mark + length; i + length + 1 < end; i++)
        if (text[i] == ')' && !memcmp(text + i + 1, text + mark, length) && text[i + 1 + length] == '"')
            return i + length + 2;
    return end;
}

struct token tokens_next(const char *text, size_t *at, size_t end)
{
    size_t start = past_space(text, *at, end), stop = start;
    enum token_kind kind = token_END;
    if (start >= end) {
        *at = end;
        return (struct token){token_END, end, 0};
    }
    char c = text[start];
    if (isdigit((unsigned char)c) ||
        (c == '.' && start + 1 < end && isdigit((unsigned char)text[start + 1]))) {
        kind = token_NUMBER;
        while (stop < end && (is_word(text[stop]) || text[stop] == '.' || text[stop] == '\'' ||
                              (strchr("+-", text[stop]) && strchr("eEpP", text[stop - 1]))))
            stop++;
    } else if (is_word(c)) {
        kind = token_NAME;
        while (stop < end && is_word(text[stop]))
            stop++;
        if (stop < end && text[stop] == '"' && text[stop - 1] == 'R' && stop - start <= 3) {
            kind = token_STRING;
            stop = past_raw_string(text, stop, end);
        }
    } else if (c == '"' || c == '\'') {
        kind = token_STRING;
        stop = past_string(text, start, end);
    } else {
        kind = token_SIGN;
        stop = start + 1;
    }
    *at = stop;
    return (struct token){kind, start, stop - start};
}

bool tokens_is(const char *text, struct token token, const char *word)
{
    return token.length == strlen(word) && !memcmp(text + token.at, word, token.length);
}

size_t tokens_past_bracket(const char *text, size_t at, size_t end)
{
    size_t depth = 0;
    struct token token;
    do {
        token = tokens_next(text, &at, end);
        if (token.kind == token_SIGN && strchr("([{", text[token.at]))
            depth++;
        else if (token.kind == token_SIGN && strchr(")]}", text[token.at]) && depth)
            depth--;
    } while (depth && token.kind != token_END);
    return at;
}
