/* gfortran's dump has the statements of a program and their types, but no lines.  It does have labels.  So
   each statement that is a loop, ends one, or may hold one (an assignment, an if) is given a label that
   the source does not use, and gfortran is given that text.

   This needs no parser of Fortran: the form of the lines shows where a statement starts, and its first word,
   or an equals sign outside parentheses and strings, shows what it is.  An extra label does no harm.  A
   statement that has a label already keeps it, and a CONTINUE with ours is put before it.  Lines are those of
   the file, also after a preprocessor, whose line markers are followed. */
#include "code/source/fortran.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A statement as it is found: where it starts in the output and what it says, without blanks and strings. */
struct statement {
    bool is_open; /* one is being read */
    size_t place; /* in the output: where its label may be put */
    size_t line_start;
    bool has_label;
    bool is_foreign; /* in another file */
    uint32_t first, last;
    struct array words; /* of char: its text, as far as it matters */
};

struct scan {
    struct fortran_text *result;
    const char *at, *end;
    bool is_fixed;
    size_t width;                 /* of lines in fixed form */
    uint32_t line;                /* of the file */
    bool is_foreign;              /* a line marker says that this is another file */
    bool continues;               /* free form: the line before ended with & */
    char quote;                   /* free form: inside of a string */
    bool is_used[FORTRAN_LABELS]; /* labels of the source */
    uint32_t next_label;
    struct statement statement;
    struct array marks; /* of struct mark */
};

/* A label to put into the output. */
struct mark {
    size_t place;
    bool is_line;  /* as a line of its own: the statement has a label */
    bool is_tight; /* fixed form: it replaces blanks */
    uint32_t first, last;
};

enum { MOST_WORDS = 100000 }; /* of one statement; what follows cannot change what it is */

static void put(struct array *text, const char *data, size_t size)
{
    if (size)
        memcpy(array_add_many(text, size), data, size);
}

static bool starts(const struct array *words, const char *start)
{
    size_t length = strlen(start);
    return words->count >= length && !memcmp(words->data, start, length);
}

/* Past a construct's name: outer: do … */
static void drop_name(struct array *words)
{
    const char *text = words->data;
    size_t at = 0;
    while (at < words->count && (isalnum((unsigned char)text[at]) || text[at] == '_'))
        at++;
    if (at && at + 1 < words->count && text[at] == ':' && text[at + 1] != ':') {
        memmove(words->data, text + at + 1, words->count - at - 1);
        words->count -= at + 1;
    }
}

/* An equals sign outside of parentheses in something that declares nothing. */
static bool is_assignment(const struct array *words)
{
    const char *text = words->data;
    size_t depth = 0;
    for (size_t i = 0; i < words->count; i++) {
        char before = i ? text[i - 1] : 0, behind = i + 1 < words->count ? text[i + 1] : 0;
        if (text[i] == '(' || text[i] == '[')
            depth++;
        else if ((text[i] == ')' || text[i] == ']') && depth)
            depth--;
        else if (!depth && text[i] == ':' && behind == ':')
            return false;
        else if (!depth && text[i] == '=' && !(before && strchr("=<>/", before)) && behind != '=' &&
                 behind != '>')
            return i > 0;
    }
    return false;
}

static bool is_interesting(struct array *words)
{
    drop_name(words);
    static const char *const first[] = {"do",   "enddo", "where(", "forall(", "if(",
                                        "call", "print", "write(", "read",    "continue"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (starts(words, first[i]))
            return !starts(words, "double");
    return is_assignment(words);
}

static void finish_statement(struct scan *scan)
{
    struct statement *statement = &scan->statement;
    if (!statement->is_open)
        return;
    statement->is_open = false;
    if (starts(&statement->words, "include"))
        scan->result->has_includes = true;
    if (!statement->is_foreign && is_interesting(&statement->words)) {
        struct mark *mark = array_push(&scan->marks);
        *mark = (struct mark){.place = statement->has_label ? statement->line_start : statement->place,
                              .is_line = statement->has_label,
                              .is_tight = scan->is_fixed && !statement->has_label,
                              .first = statement->first,
                              .last = statement->last};
    }
    statement->words.count = 0;
}

static void add_word_character(struct scan *scan, char c)
{
    if (scan->statement.words.count < MOST_WORDS && !isspace((unsigned char)c))
        *(char *)array_push(&scan->statement.words) = (char)tolower((unsigned char)c);
}

/* # 12 "file.F90": what follows is line 12 of that file.  Lines of other files get no labels. */
static void follow_marker(struct scan *scan, const char *line, size_t length, const char *name,
                          size_t name_length)
{
    size_t at = 1;
    while (at < length && line[at] == ' ')
        at++;
    if (at >= length || !isdigit((unsigned char)line[at]))
        return;
    uint32_t number = 0;
    for (; at < length && isdigit((unsigned char)line[at]); at++)
        number = number < 100000000 ? number * 10 + (uint32_t)(line[at] - '0') : number;
    scan->line = number - 1; /* the caller goes on to the next line */
    const char *quote = memchr(line + at, '"', length - at);
    const char *close = quote ? memchr(quote + 1, '"', (size_t)(line + length - quote - 1)) : NULL;
    if (close)
        scan->is_foreign = (size_t)(close - quote - 1) != name_length || memcmp(quote + 1, name, name_length);
}

static uint32_t label_value(struct scan *scan, const char *text, size_t length)
{
    uint32_t value = 0;
    bool is_there = false;
    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)text[i])) {
            value = value < FORTRAN_LABELS ? value * 10 + (uint32_t)(text[i] - '0') : value;
            is_there = true;
        }
    if (is_there && value < FORTRAN_LABELS)
        scan->is_used[value] = true;
    return is_there;
}

static void open_statement(struct scan *scan, size_t line_start, size_t place, bool has_label)
{
    finish_statement(scan);
    scan->statement.is_open = true;
    scan->statement.place = place;
    scan->statement.line_start = line_start;
    scan->statement.has_label = has_label;
    scan->statement.is_foreign = scan->is_foreign;
    scan->statement.first = scan->line;
    scan->result->has_includes |= scan->is_foreign;
}

/* A line in free form: blanks, an optional label, statements, perhaps a comment, perhaps & at the end. */
static void scan_free_line(struct scan *scan, const char *line, size_t length, size_t line_start)
{
    size_t at = 0;
    while (at < length && isspace((unsigned char)line[at]))
        at++;
    if (at == length || (line[at] == '!' && !scan->quote))
        return; /* a comment does not end a continued statement */
    if (scan->continues) {
        at += line[at] == '&';
    } else {
        size_t digits = at;
        while (digits < length && isdigit((unsigned char)line[digits]))
            digits++;
        bool has_label = digits > at && digits - at <= 5 && label_value(scan, line + at, digits - at);
        open_statement(scan, line_start, line_start + at, has_label);
        at = has_label ? digits : at;
        scan->quote = 0;
    }
    scan->statement.last = scan->line;
    scan->continues = false;
    for (; at < length; at++) {
        char c = line[at];
        if (scan->quote) {
            if (c == scan->quote)
                scan->quote = 0;
            else if (c == '&') {
                size_t rest = at + 1;
                while (rest < length && isspace((unsigned char)line[rest]))
                    rest++;
                scan->continues = rest == length;
            }
            continue;
        }
        if (c == '!')
            break;
        if (c == '\'' || c == '"')
            scan->quote = c;
        else if (!isspace((unsigned char)c))
            scan->continues = c == '&';
        if (c != '&')
            add_word_character(scan, c);
    }
    if (!scan->continues)
        scan->quote = 0;
}

/* A line in fixed form: label in columns 1 to 5, continuation in column 6, a tab before column 7 goes there.
 */
static void scan_fixed_line(struct scan *scan, const char *line, size_t length, size_t line_start)
{
    if (!length || strchr("cC*!dD", line[0]))
        return;
    size_t at = 0, label = 0;
    while (at < length && at < 5 && (line[at] == ' ' || isdigit((unsigned char)line[at])))
        at++;
    label = at;
    bool has_tab = at < length && line[at] == '\t';
    bool continues;
    if (has_tab) {
        at++;
        continues = at < length && line[at] >= '1' && line[at] <= '9';
        at += continues;
    } else {
        continues = length > 5 && at == 5 && line[5] != ' ' && line[5] != '0';
        at = at == 5 && length > 5 ? 6 : at;
    }
    size_t stop = has_tab || !scan->width || length < scan->width ? length : scan->width;
    size_t rest = at;
    while (rest < stop && isspace((unsigned char)line[rest]))
        rest++;
    if (!continues && (rest >= stop || line[rest] == '!'))
        return;
    if (!continues) {
        open_statement(scan, line_start, line_start, label_value(scan, line, label));
        scan->quote = 0;
    }
    scan->statement.last = scan->line;
    for (; at < stop; at++) {
        char c = line[at];
        if (scan->quote) {
            scan->quote = c == scan->quote ? 0 : scan->quote;
            continue;
        }
        if (c == '!')
            break;
        if (c == '\'' || c == '"')
            scan->quote = c;
        add_word_character(scan, c);
    }
}

static uint32_t next_label(struct scan *scan)
{
    while (scan->next_label < FORTRAN_LABELS && scan->is_used[scan->next_label])
        scan->next_label++;
    return scan->next_label < FORTRAN_LABELS ? scan->next_label++ : 0;
}

/* Blanks of a fixed line that a label may take: its first five, or those before a tab. */
static size_t blanks_at(const char *text, size_t size)
{
    size_t blanks = 0;
    while (blanks < size && blanks < 5 && text[blanks] == ' ')
        blanks++;
    return blanks;
}

static void write_labelled(struct scan *scan, struct span source)
{
    struct array *out = &scan->result->text;
    const char *text = (const char *)source.data;
    size_t done = 0;
    for (size_t i = 0; i < scan->marks.count; i++) {
        const struct mark *mark = ARRAY_AT(struct mark, &scan->marks, i);
        uint32_t label = next_label(scan);
        if (!label)
            break;
        put(out, text + done, mark->place - done);
        done = mark->place;
        char number[40];
        int length = snprintf(number, sizeof number,
                              mark->is_line    ? "%05u continue\n"
                              : mark->is_tight ? "%05u"
                                               : "%u ",
                              label);
        put(out, number, (size_t)length);
        if (mark->is_tight)
            done += blanks_at(text + done, source.size - done);
        scan->result->lines[label] = (struct fortran_lines){mark->first, mark->last};
    }
    put(out, text + done, source.size - done);
}

void fortran_label(struct fortran_text *result, struct span source, bool is_fixed, size_t width)
{
    *result = (struct fortran_text){.text = ARRAY_OF(char),
                                    .lines = memory_get(FORTRAN_LABELS * sizeof(struct fortran_lines))};
    struct scan *scan = memory_get(sizeof *scan);
    const char *text = (const char *)source.data, *end = text + source.size, *name = NULL;
    size_t name_length = 0;
    *scan = (struct scan){.result = result, .is_fixed = is_fixed, .width = width, .next_label = 10000};
    scan->statement.words = ARRAY_OF(char);
    scan->marks = ARRAY_OF(struct mark);
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        scan->line++;
        if (*line == '#') {
            if (!name && (name = memchr(line, '"', length))) { /* the first marker names the file itself */
                name++;
                const char *close = memchr(name, '"', (size_t)(line + length - name));
                name_length = close ? (size_t)(close - name) : 0;
            }
            follow_marker(scan, line, length, name, name_length);
        } else if (is_fixed) {
            scan_fixed_line(scan, line, length, (size_t)(line - text));
        } else {
            scan_free_line(scan, line, length, (size_t)(line - text));
        }
        line = stop ? stop + 1 : end;
    }
    finish_statement(scan);
    write_labelled(scan, source);
    array_free(&scan->statement.words);
    array_free(&scan->marks);
    free(scan);
}

void fortran_text_free(struct fortran_text *text)
{
    array_free(&text->text);
    free(text->lines);
}
