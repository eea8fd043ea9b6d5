/* Tokens of languages with braces.  Strings and characters are skipped; an apostrophe may also be part of a
   number (C++) or begin a lifetime (Rust). */
#include "code/check/source_text.h"

#include <string.h>

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

struct reading {
    struct source_text *source;
    const char *at, *end, *line_start;
    uint32_t line;
    bool is_first; /* only blanks so far in this line */
};

static void add(struct reading *reading, enum source_token_kind kind)
{
    source_text_add(reading->source, kind, reading->line);
}

static void count_line(struct reading *reading)
{
    reading->line++;
    reading->line_start = reading->at;
    reading->is_first = true;
}

static void skip_string(struct reading *reading, char quote)
{
    for (reading->at++; reading->at < reading->end && *reading->at != quote; reading->at++) {
        if (*reading->at == '\\' && reading->at + 1 < reading->end)
            reading->at++;
        if (*reading->at != '\n')
            continue;
        if (quote == '"' && reading->source->kind == source_BRACES && reading->at[-1] != '\\')
            return; /* an unclosed string ends with its line */
        reading->at++;
        count_line(reading);
        reading->at--;
    }
    if (reading->at < reading->end)
        reading->at++;
}

/* R"mark( … )mark" */
static void skip_raw_string(struct reading *reading)
{
    enum { LONGEST_MARK = 16 };
    char mark[LONGEST_MARK + 3] = ")";
    const char *open = reading->at + 2;
    size_t length = 0;
    while (open + length < reading->end && length < LONGEST_MARK && open[length] != '(' &&
           open[length] != '\n')
        length++;
    if (open + length >= reading->end || open[length] != '(') {
        reading->at++;
        return;
    }
    memcpy(mark + 1, open, length);
    mark[length + 1] = '"';
    const char *close = memmem(open + length, (size_t)(reading->end - open) - length, mark, length + 2);
    const char *behind = close ? close + length + 2 : reading->end;
    for (; reading->at < behind; reading->at++)
        if (*reading->at == '\n') {
            reading->line++;
            reading->line_start = reading->at + 1;
        }
}

static void skip_apostrophe(struct reading *reading)
{
    enum { LONGEST_CHARACTER = 12 };
    const char *at = reading->at + 1;
    size_t left = (size_t)(reading->end - at);
    const char *newline = memchr(at, '\n', left < LONGEST_CHARACTER ? left : LONGEST_CHARACTER);
    size_t most = newline ? (size_t)(newline - at) : left < LONGEST_CHARACTER ? left : LONGEST_CHARACTER;
    size_t length = 0;
    while (length < most && at[length] != '\'')
        length += at[length] == '\\' ? 2 : 1;
    bool is_character = length < most && (*at == '\\' || length <= 4);
    reading->at = is_character ? at + length + 1 : at;
}

static void read_name(struct reading *reading)
{
    static const struct {
        const char *word;
        enum source_token_kind kind;
    } known[] = {{"for", source_LOOP}, {"while", source_LOOP},   {"loop", source_LOOP},
                 {"do", source_DO},    {"if", source_CONDITION}, {"switch", source_CONDITION},
                 {"else", source_ELSE}};
    const char *start = reading->at;
    while (reading->at < reading->end &&
           (is_name(*reading->at) ||
            (*reading->at == '\'' && reading->at > start && *start >= '0' && *start <= '9')))
        reading->at++;
    size_t length = (size_t)(reading->at - start);
    enum source_token_kind kind = source_WORD;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length && !memcmp(known[i].word, start, length))
            kind = known[i].kind;
    /* loop is a keyword of Rust alone: there a brace follows. */
    if (length == 4 && kind == source_LOOP) {
        const char *next = reading->at;
        while (next < reading->end && (*next == ' ' || *next == '\t'))
            next++;
        kind = next < reading->end && *next == '{' ? source_LOOP : source_WORD;
    }
    add(reading, kind);
}

static void read_comment(struct reading *reading)
{
    bool is_line = reading->at[1] == '/';
    const char *start = reading->at + 2;
    const char *end = is_line ? memchr(start, '\n', (size_t)(reading->end - start))
                              : memmem(start, (size_t)(reading->end - start), "*/", 2);
    if (!end)
        end = reading->end;
    const char *text = start;
    while (text < end && (*text == '/' || *text == '!' || *text == '*'))
        text++; /* of documentation: ///, //!, and two asterisks */
    source_text_add_comment(reading->source, text, end, reading->line_start, reading->line,
                            reading->is_first);
    bool was_first = reading->is_first;
    for (; reading->at < end;) {
        bool is_end = *reading->at++ == '\n';
        if (is_end)
            count_line(reading);
    }
    if (!is_line && reading->at < reading->end) {
        reading->at += 2;
        reading->is_first = was_first;
    }
}

static void read_sign(struct reading *reading)
{
    static const char signs[] = "{}();=";
    static const enum source_token_kind kinds[] = {source_OPEN,      source_CLOSE,     source_PAREN,
                                                   source_PAREN_END, source_SEMICOLON, source_ASSIGN};
    const char *found = strchr(signs, *reading->at);
    bool is_equality =
        *reading->at == '=' && ((reading->at + 1 < reading->end && reading->at[1] == '=') ||
                                (reading->at > reading->line_start && strchr("=<>!", reading->at[-1])));
    add(reading, found && *reading->at && !is_equality ? kinds[found - signs] : source_SIGN);
    reading->at++;
}

void source_text_read_braces(struct source_text *source, const char *text, const char *end)
{
    struct reading reading = {
        .source = source, .at = text, .end = end, .line_start = text, .line = 1, .is_first = true};
    while (reading.at < end) {
        char c = *reading.at;
        bool was_first = reading.is_first;
        char next = reading.at + 1 < end ? reading.at[1] : 0;
        if (c == '\n') {
            reading.at++;
            count_line(&reading);
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            reading.at++;
            continue;
        }
        if (c == '/' && (next == '/' || next == '*')) {
            read_comment(&reading);
            continue;
        }
        if (c == '#' && was_first) {
            reading.at = source_text_read_directive(source, reading.at, end, &reading.line);
            reading.line_start = reading.at;
            continue;
        }
        reading.is_first = false;
        if (c == 'R' && next == '"')
            skip_raw_string(&reading);
        else if (c == '"' || c == '`')
            skip_string(&reading, c);
        else if (c == '\'')
            skip_apostrophe(&reading);
        else if (is_name(c))
            read_name(&reading);
        else
            read_sign(&reading);
    }
    source->last_line = reading.line;
}
