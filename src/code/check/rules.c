/* Files of rules.  A line that begins with one of four words begins a rule:

       loop solve.c:40: vectorised >= 256 bits
       function dot: no spills, no calls on zen4
       file kernels/: no x87
       rule 'no x87 in kernels/': select …

   `#` begins a comment.  The SQL of a rule goes on until its semicolon, the next rule or the end of the file.
 */
#include "base/output.h"
#include "base/regular_file.h"
#include "code/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_RULES = 4 << 20, WORDS = 4 };

static const struct {
    const char *word;
    enum check_origin origin;
} words[WORDS] = {
    {"loop", check_LOOP}, {"function", check_FUNCTION}, {"file", check_FILE}, {"rule", check_QUERY}};

struct lines {
    struct check *check;
    const char *path;
    const char *at; /* after the current line */
    uint32_t number;
};

static void complain(const struct lines *lines, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(const struct lines *lines, size_t column, const char *format, ...)
{
    struct error error = {0};
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *where = memory_format("%s:%u:%zu", lines->path, lines->number, column);
    error_set(&error, where, "%s", text);
    *(char **)array_push(&lines->check->problems) = memory_format("%s", error.text);
    free(where);
}

/* The next line, to be freed; NULL: the end. */
static char *next_line(struct lines *lines)
{
    if (!*lines->at)
        return NULL;
    size_t length = strcspn(lines->at, "\n");
    char *line = memory_copy_text(lines->at, length);
    while (length && (line[length - 1] == '\r' || line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = 0;
    lines->at += strcspn(lines->at, "\n");
    lines->at += *lines->at == '\n';
    lines->number++;
    return line;
}

/* Which rule a line begins, or WORDS. */
static unsigned rule_of(const char *line)
{
    unsigned i = 0;
    while (i < WORDS && (strncmp(line, words[i].word, strlen(words[i].word)) ||
                         !strchr(" \t", line[strlen(words[i].word)]) || !line[strlen(words[i].word)]))
        i++;
    return i;
}

/* What a rule is about: quoted, or up to a colon and a blank.  Returns where the rest begins, NULL: there is
 * none. */
static const char *take_subject(const char *at, char **subject)
{
    char quote = *at == '\'' || *at == '"' ? *at : 0;
    const char *end = quote ? strchr(at + 1, quote) : NULL;
    if (quote && end) {
        *subject = memory_copy_text(at + 1, (size_t)(end - at) - 1);
        end++;
        end += strspn(end, " \t");
    } else if (!quote) {
        end = at;
        while (*end && !(*end == ':' && (!end[1] || strchr(" \t", end[1]))))
            end++;
        *subject = memory_copy_text(at, (size_t)(end - at));
    }
    return end && *end == ':' ? end + 1 : NULL;
}

/* FILE:LINE */
static bool split_line(struct check_demand *demand)
{
    char *colon = strrchr(demand->subject, ':'), *end = NULL;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || end == colon + 1 || *end || !line || line > UINT32_MAX)
        return false;
    demand->subject_line = (uint32_t)line;
    *colon = 0;
    return true;
}

/* The SQL after the head of a rule, with the lines that follow. */
static char *take_sql(struct lines *lines, const char *first)
{
    struct array text = ARRAY_OF(char);
    if (*first)
        memcpy(array_add_many(&text, strlen(first)), first, strlen(first));
    *(char *)array_add(&text) = 0;
    while (*lines->at && !store_is_complete(text.data) && rule_of(lines->at) == WORDS) {
        char *line = next_line(lines);
        text.count--;
        *(char *)array_push(&text) = '\n';
        if (*line)
            memcpy(array_add_many(&text, strlen(line)), line, strlen(line));
        *(char *)array_add(&text) = 0;
        free(line);
    }
    return text.data;
}

static void drop_last_demand(struct check *check)
{
    struct check_demand *demand = check_demand_at(check, --check->demands.count);
    free(demand->file);
    free(demand->subject);
    free(demand->sql);
    array_free(&demand->loops);
}

static bool fill(struct lines *lines, struct check_demand *demand, const char *line, const char *word)
{
    const char *at = line + strlen(word), *rest;
    at += strspn(at, " \t");
    rest = take_subject(at, &demand->subject);
    if (!rest || !demand->subject || !*demand->subject) {
        complain(lines, (size_t)(at - line) + 1, "expected `%s %s: …`", word,
                 demand->origin == check_LOOP       ? "FILE:LINE"
                 : demand->origin == check_FUNCTION ? "NAME"
                 : demand->origin == check_FILE     ? "PATH"
                                                    : "'NAME'");
        return false;
    }
    if (demand->origin == check_LOOP && !split_line(demand)) {
        complain(lines, (size_t)(at - line) + 1, "expected `loop FILE:LINE: …`, not '%s'", demand->subject);
        return false;
    }
    rest += strspn(rest, " \t");
    if (demand->origin == check_QUERY) {
        demand->sql = take_sql(lines, rest);
        return true;
    }
    const char *comment = strstr(rest, " #");
    struct assertion_place place = {lines->path, lines->number, (uint32_t)(rest - line) + 1};
    struct error error = {0};
    if (assertions_parse(&demand->assertions, rest, comment ? (size_t)(comment - rest) : strlen(rest), &place,
                         &error))
        return true;
    *(char **)array_push(&lines->check->problems) = memory_format("%s", error.text);
    return false;
}

void check_parse_rules(struct check *check, const char *path, const char *text)
{
    struct lines lines = {.check = check, .path = path, .at = text};
    for (char *line; (line = next_line(&lines)); free(line)) {
        const char *start = line + strspn(line, " \t");
        unsigned rule = rule_of(line);
        if (!*start || *start == '#')
            continue;
        if (rule == WORDS) {
            complain(&lines, (size_t)(start - line) + 1,
                     "expected a rule that begins with loop, function, file or rule, not '%.40s'", start);
            continue;
        }
        struct check_demand *demand = check_add_demand(check, words[rule].origin, path, lines.number, 1);
        if (!fill(&lines, demand, line, words[rule].word))
            drop_last_demand(check);
    }
}

bool check_read_rules(struct check *check, const char *path, struct error *error)
{
    char *text = regular_file_text(path, LARGEST_RULES, "rules", error);
    if (!text)
        return false;
    output_spare(path);
    size_t before = check->demands.count, problems = check->problems.count;
    check_parse_rules(check, path, text);
    free(text);
    if (check->demands.count == before && check->problems.count == problems)
        return error_set(error, path, "has no rule");
    return true;
}
