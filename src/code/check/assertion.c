/* A parser by hand: tokens, then one function for each kind of assertion.  It reads what a person may have
   mistyped, so each error says what could stand at this place. */
#include "code/check/assertion.h"

#include "base/nearest.h"
#include "code/quality/rules/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const comparator_signs[] = {"<=", "<", ">=", ">", "="};

#define FIGURE(word, unit, columns, scale, says)                                                             \
    {word, unit, columns, says, scale, false, false, comparator_EQUAL, 0},
#define COUNT(word, columns, says) {word, "", columns, says, 1, true, false, comparator_EQUAL, 0},
#define PLAIN(word, comparison, number, columns, says)                                                       \
    {word, "", columns, says, 1, false, true, comparator_##comparison, number},
#define ALIAS(word, other)
const struct assertion_word assertion_words[] = {
#include "code/check/assertions.def"
};
const unsigned assertion_word_count = sizeof assertion_words / sizeof *assertion_words;
#undef FIGURE
#undef COUNT
#undef PLAIN
#undef ALIAS

#define FIGURE(word, unit, columns, scale, says)
#define COUNT(word, columns, says)
#define PLAIN(word, comparison, number, columns, says)
#define ALIAS(word, other) {word, other},
static const struct {
    const char *word, *other;
} aliases[] = {
#include "code/check/assertions.def"
};
#undef FIGURE
#undef COUNT
#undef PLAIN
#undef ALIAS

enum token_kind {
    token_END,
    token_WORD,
    token_NUMBER,
    token_COMPARISON,
    token_COMMA,
    token_PERCENT,
    token_OTHER
};

struct token {
    enum token_kind kind;
    const char *at;
    size_t length;
    double number;
    enum comparator comparison;
};

struct parser {
    const char *text, *end, *at; /* at: after the token */
    struct token token;
    const struct assertion_place *place;
    struct error *error;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Names of machines and rules have these inside. */
static bool is_of_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.';
}

static void take_number(struct parser *parser)
{
    enum { LONGEST = 40 };
    char digits[LONGEST + 1], *end;
    size_t length = 0;
    while (parser->at + length < parser->end && length < LONGEST &&
           (is_digit(parser->at[length]) || parser->at[length] == '.'))
        length++;
    memcpy(digits, parser->at, length);
    digits[length] = 0;
    parser->token.number = strtod(digits, &end);
    parser->token.kind = *end ? token_OTHER : token_NUMBER;
    parser->at += length;
}

static void take_comparison(struct parser *parser)
{
    bool has_equals = parser->at + 1 < parser->end && parser->at[1] == '=';
    parser->token.kind = token_COMPARISON;
    parser->token.comparison = *parser->at == '='   ? comparator_EQUAL
                               : *parser->at == '<' ? has_equals ? comparator_AT_MOST : comparator_BELOW
                               : has_equals         ? comparator_AT_LEAST
                                                    : comparator_ABOVE;
    parser->at += has_equals ? 2 : 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A line of a longer comment may begin with an asterisk. */
static void skip_blanks(struct parser *parser)
{
    bool is_at_start = false;
    while (parser->at < parser->end && (is_blank(*parser->at) || (is_at_start && *parser->at == '*'))) {
        is_at_start = *parser->at == '\n' || (is_at_start && *parser->at != '*');
        parser->at++;
    }
}

static void advance(struct parser *parser)
{
    skip_blanks(parser);
    parser->token = (struct token){.kind = token_END, .at = parser->at};
    if (parser->at == parser->end)
        return;
    char c = *parser->at;
    if (is_digit(c)) {
        take_number(parser);
        /* A word may begin with a digit: the name of a machine. */
        if (parser->at < parser->end && is_letter(*parser->at) && parser->token.kind == token_NUMBER) {
            while (parser->at < parser->end && is_of_word(*parser->at))
                parser->at++;
            parser->token.kind = token_WORD;
        }
    } else if (is_letter(c)) {
        parser->token.kind = token_WORD;
        while (parser->at < parser->end && is_of_word(*parser->at))
            parser->at++;
    } else if (c == '<' || c == '>' || c == '=') {
        take_comparison(parser);
    } else {
        parser->token.kind = c == ',' ? token_COMMA : c == '%' ? token_PERCENT : token_OTHER;
        parser->at++;
    }
    parser->token.length = (size_t)(parser->at - parser->token.at);
}

/* The error at the current token. */
static bool fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct parser *parser, const char *format, ...)
{
    uint32_t line = parser->place->line, column = parser->place->column;
    for (const char *at = parser->text; at < parser->token.at; at++) {
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
    }
    va_list arguments;
    va_start(arguments, format);
    char message[600];
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char *where = memory_format("%s:%u:%u", parser->place->file, line, column);
    error_set(parser->error, where, "%s", message);
    free(where);
    return false;
}

static bool is_word(const struct parser *parser, const char *word)
{
    return parser->token.kind == token_WORD && strlen(word) == parser->token.length &&
           !strncasecmp(parser->token.at, word, parser->token.length);
}

/* Of the current token, for messages; to be freed. */
static char *shown(const struct parser *parser)
{
    enum { MOST = 60 };
    size_t length = parser->token.length < MOST ? parser->token.length : MOST;
    return length ? memory_format("'%.*s'", (int)length, parser->token.at) : memory_format("the end");
}

/* The word of the table that the current token is, in its usual spelling; NULL for none. */
static const char *known_word(const struct parser *parser)
{
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is_word(parser, aliases[i].other))
            return aliases[i].word;
    for (unsigned i = 0; i < assertion_word_count; i++)
        if (is_word(parser, assertion_words[i].word))
            return assertion_words[i].word;
    return NULL;
}

/* A column of loop_metrics that can be compared; NULL for none. */
static const struct table_column *metric_named(const char *name, size_t length)
{
    const struct table_description *table = table_named("loop_metrics");
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (column->type != COLUMN_REF && strcmp(column->name, "path") && strlen(column->name) == length &&
            !strncmp(column->name, name, length))
            return column;
    }
    return NULL;
}

static bool fail_unknown_word(struct parser *parser, bool is_after_no)
{
    char *word = memory_copy_text(parser->token.at, parser->token.length);
    struct nearest nearest = {.wanted = word};
    for (unsigned i = 0; i < assertion_word_count; i++)
        if (!is_after_no || assertion_words[i].is_count)
            nearest_offer(&nearest, assertion_words[i].word);
    nearest_offer(&nearest, is_after_no ? "advice" : "limit");
    const struct table_description *table = table_named("loop_metrics");
    for (unsigned i = 0; !is_after_no && i < table->column_count; i++)
        nearest_offer(&nearest, table->columns[i].name);
    char *name = shown(parser);
    if (parser->token.kind != token_WORD)
        fail(parser, "expected an assertion such as `no spills`, not %s", name);
    else if (nearest.best)
        fail(parser, "unknown assertion %s%s; did you mean %s?", is_after_no ? "no " : "", name,
             nearest.best);
    else
        fail(parser, "unknown assertion %s%s (docs/check.md lists them)", is_after_no ? "no " : "", name);
    free(nearest.best);
    free(name);
    free(word);
    return false;
}

/* The columns of a row of the table, which are spelled right: a unit test reads every row. */
static void take_columns(struct assertion *assertion, const char *names)
{
    static const char roles[] = "loop_roles.";
    unsigned count = 0;
    assertion->is_of_roles = !strncmp(names, roles, sizeof roles - 1);
    if (assertion->is_of_roles)
        names += sizeof roles - 1;
    const struct table_description *table =
        table_named(assertion->is_of_roles ? "loop_roles" : "loop_metrics");
    while (*names && count < MOST_SUMMANDS) {
        size_t length = strcspn(names, " ");
        for (unsigned i = 0; i < table->column_count; i++)
            if (strlen(table->columns[i].name) == length && !strncmp(table->columns[i].name, names, length))
                assertion->columns[count++] = &table->columns[i];
        names += length;
        names += strspn(names, " +");
    }
}

/* The unit at the current token, of those that a word has; the token after it is next. */
static const struct assertion_word *take_unit(struct parser *parser, const char *word)
{
    const struct assertion_word *found = NULL;
    for (unsigned i = 0; i < assertion_word_count && !found; i++) {
        const struct assertion_word *row = &assertion_words[i];
        if (row->is_plain || strcmp(row->word, word))
            continue;
        struct parser ahead = *parser;
        const char *unit = row->unit;
        while (*unit) {
            size_t length = strcspn(unit, " ");
            char part[24];
            snprintf(part, sizeof part, "%.*s", (int)length, unit);
            if (*unit == '%' ? ahead.token.kind != token_PERCENT : !is_word(&ahead, part))
                break;
            advance(&ahead);
            unit += length;
            unit += strspn(unit, " ");
        }
        if (*unit)
            continue;
        found = row;
        *parser = ahead;
    }
    return found;
}

static bool fail_unit(struct parser *parser, const char *word)
{
    char units[200] = "";
    unsigned count = 0;
    for (unsigned i = 0; i < assertion_word_count; i++) {
        const struct assertion_word *row = &assertion_words[i];
        if (row->is_plain || strcmp(row->word, word) || !*row->unit)
            continue;
        size_t used = strlen(units);
        snprintf(units + used, sizeof units - used, "%s%s", count++ ? " or " : "", row->unit);
    }
    char *name = shown(parser);
    if (count)
        fail(parser, "%s needs a unit: %s, not %s", word, units, name);
    else
        fail(parser, "%s alone is complete: it takes no number", word);
    free(name);
    return false;
}

/* What follows a comparison. */
static bool take_value(struct parser *parser, struct assertion *assertion, const char *word)
{
    assertion->comparison = parser->token.comparison;
    advance(parser);
    if (parser->token.kind != token_NUMBER) {
        char *name = shown(parser);
        fail(parser, "expected a number after %s, not %s", comparator_signs[assertion->comparison], name);
        free(name);
        return false;
    }
    double number = parser->token.number;
    advance(parser);
    if (!word) { /* a metric by its name: a share may be a percentage */
        bool is_percent = parser->token.kind == token_PERCENT;
        assertion->unit = is_percent ? "%" : "";
        assertion->scale = is_percent ? 0.01 : 1;
        if (is_percent)
            advance(parser);
    } else {
        const struct assertion_word *row = take_unit(parser, word);
        if (!row)
            return fail_unit(parser, word);
        take_columns(assertion, row->columns);
        assertion->unit = row->unit;
        assertion->scale = row->scale;
    }
    assertion->number = number * assertion->scale;
    return true;
}

static bool take_plain(struct parser *parser, struct assertion *assertion, const char *word)
{
    bool has_unit = false;
    for (unsigned i = 0; i < assertion_word_count; i++) {
        const struct assertion_word *row = &assertion_words[i];
        if (strcmp(row->word, word))
            continue;
        has_unit = *row->unit;
        if (!row->is_plain)
            continue;
        take_columns(assertion, row->columns);
        assertion->comparison = row->comparison;
        assertion->number = row->number;
        return true;
    }
    return fail(parser, "%s needs a comparison, such as `%s <= 4%s`", word, word,
                !has_unit                ? ""
                : strcmp(word, "cycles") ? " %"
                                         : " per element");
}

static bool take_figure(struct parser *parser, struct assertion *assertion)
{
    const char *word = known_word(parser);
    const struct table_column *column = word ? NULL : metric_named(parser->token.at, parser->token.length);
    if (!word && !column)
        return fail_unknown_word(parser, false);
    assertion->kind = assertion_FIGURE;
    assertion->word = memory_format("%s", word ? word : column->name);
    assertion->columns[0] = column;
    assertion->scale = 1;
    assertion->unit = "";
    advance(parser);
    if (parser->token.kind == token_COMPARISON)
        return take_value(parser, assertion, word);
    if (column)
        return fail(parser, "%s needs a comparison, such as `%s <= 4`", column->name, column->name);
    return take_plain(parser, assertion, word);
}

/* limit is [not] PART.  Words of parts have blanks. */
static bool take_limit(struct parser *parser, struct assertion *assertion)
{
    assertion->kind = assertion_LIMIT;
    assertion->word = memory_format("limit");
    advance(parser);
    if (!is_word(parser, "is"))
        return fail(parser, "expected `limit is PART` or `limit is not PART`");
    advance(parser);
    assertion->is_not = is_word(parser, "not");
    if (assertion->is_not)
        advance(parser);
    const char *start = parser->token.at, *end = start;
    while (parser->token.kind == token_WORD && !is_word(parser, "on") && !is_word(parser, "and")) {
        end = parser->token.at + parser->token.length;
        advance(parser);
    }
    char *name = memory_copy_text(start, (size_t)(end - start));
    struct nearest nearest = {.wanted = name};
    bool is_known = false;
    for (unsigned part = core_part_NONE + 1; part < core_part_description.count && !is_known; part++) {
        const char *word = core_part_description.words[part];
        nearest_offer(&nearest, word);
        is_known = !strcasecmp(word, name) || (part == core_part_UOP_CACHE && !strcasecmp(name, "uop cache"));
        assertion->part = (enum core_part)part;
    }
    if (!is_known) {
        parser->token.at = start;
        fail(parser, "unknown part of the core '%s'%s%s", name,
             nearest.best ? "; did you mean " : " (assay help tables lists core_part)",
             nearest.best ? nearest.best : "");
    }
    free(nearest.best);
    free(name);
    return is_known;
}

static bool take_advice(struct parser *parser, struct assertion *assertion)
{
    assertion->kind = assertion_ADVICE;
    assertion->word = memory_format("advice");
    advance(parser);
    if (parser->token.kind != token_WORD || is_word(parser, "on") || is_word(parser, "and"))
        return true;
    char *name = memory_copy_text(parser->token.at, parser->token.length);
    struct nearest nearest = {.wanted = name};
    for (unsigned i = 0; i < quality_rule_count && !assertion->rule; i++) {
        nearest_offer(&nearest, quality_rules[i]->name);
        if (!strcmp(quality_rules[i]->name, name))
            assertion->rule = memory_format("%s", name);
    }
    if (assertion->rule)
        advance(parser);
    else if (nearest.best)
        fail(parser, "unknown advice '%s'; did you mean %s?", name, nearest.best);
    else
        fail(parser, "unknown advice '%s' (docs/advice.md lists it)", name);
    free(nearest.best);
    free(name);
    return assertion->rule;
}

static bool take_none(struct parser *parser, struct assertion *assertion)
{
    advance(parser);
    if (is_word(parser, "advice"))
        return take_advice(parser, assertion);
    for (unsigned i = 0; i < assertion_word_count; i++) {
        const struct assertion_word *row = &assertion_words[i];
        if (!row->is_count || !is_word(parser, row->word))
            continue;
        assertion->kind = assertion_FIGURE;
        assertion->word = memory_format("%s", row->word);
        take_columns(assertion, row->columns);
        assertion->comparison = comparator_AT_MOST;
        assertion->scale = 1;
        assertion->unit = "";
        advance(parser);
        return true;
    }
    return fail_unknown_word(parser, true);
}

/* The words from start to the current token, with single blanks. */
static char *text_since(const struct parser *parser, const char *start)
{
    struct parser again = *parser;
    struct array text = ARRAY_OF(char);
    again.at = start;
    for (advance(&again); again.token.kind != token_END && again.token.at < parser->token.at;
         advance(&again)) {
        if (text.count)
            *(char *)array_push(&text) = ' ';
        memcpy(array_add_many(&text, again.token.length), again.token.at, again.token.length);
    }
    *(char *)array_push(&text) = 0;
    return text.data;
}

static bool take_assertion(struct parser *parser, struct array *list)
{
    const char *start = parser->token.at;
    struct assertion *assertion = array_add(list);
    bool done = is_word(parser, "no")      ? take_none(parser, assertion)
                : is_word(parser, "limit") ? take_limit(parser, assertion)
                                           : take_figure(parser, assertion);
    if (done)
        assertion->text = text_since(parser, start);
    return done;
}

/* After `on`.  "on the next loop" says what holds anyway. */
static bool take_machines(struct parser *parser, struct array *machines)
{
    do {
        advance(parser);
        if (parser->token.kind != token_WORD) {
            char *name = shown(parser);
            fail(parser, "expected the name of a machine, not %s (assay machines lists them)", name);
            free(name);
            return false;
        }
        *(char **)array_push(machines) = memory_copy_text(parser->token.at, parser->token.length);
        advance(parser);
    } while (parser->token.kind == token_COMMA);
    return true;
}

static bool skip_next_loop(struct parser *parser)
{
    static const char *const phrase[] = {"on", "the", "next", "loop"};
    struct parser ahead = *parser;
    for (unsigned i = 0; i < sizeof phrase / sizeof *phrase; i++) {
        if (!is_word(&ahead, phrase[i]))
            return false;
        advance(&ahead);
    }
    *parser = ahead;
    return true;
}

bool assertions_parse(struct assertions *assertions, const char *text, size_t length,
                      const struct assertion_place *place, struct error *error)
{
    struct parser parser = {.text = text, .end = text + length, .at = text, .place = place, .error = error};
    *assertions = (struct assertions){.list = ARRAY_OF(struct assertion), .machines = ARRAY_OF(char *)};
    bool done = true;
    advance(&parser);
    do {
        if (assertions->list.count)
            advance(&parser);
        done = take_assertion(&parser, &assertions->list);
    } while (done && (parser.token.kind == token_COMMA || is_word(&parser, "and")));
    if (done)
        skip_next_loop(&parser);
    if (done && is_word(&parser, "on"))
        done = take_machines(&parser, &assertions->machines);
    if (done && parser.token.kind != token_END) {
        char *name = shown(&parser);
        done = fail(&parser, "expected a comma, `on` or the end, not %s", name);
        free(name);
    }
    if (!done)
        assertions_free(assertions);
    return done;
}

void assertions_free(struct assertions *assertions)
{
    for (size_t i = 0; i < assertions->list.count; i++) {
        struct assertion *assertion = ARRAY_AT(struct assertion, &assertions->list, i);
        free(assertion->text);
        free(assertion->word);
        free(assertion->rule);
    }
    for (size_t i = 0; i < assertions->machines.count; i++)
        free(*ARRAY_AT(char *, &assertions->machines, i));
    array_free(&assertions->list);
    array_free(&assertions->machines);
}

bool assertion_holds(const struct assertion *assertion, double figure)
{
    /* Figures of the model have six digits at most; a limit that was read off a report has to hold. */
    double slack = 1e-6 * fmax(fabs(assertion->number), fabs(figure));
    switch (assertion->comparison) {
    case comparator_AT_MOST:
        return figure <= assertion->number + slack;
    case comparator_BELOW:
        return figure < assertion->number;
    case comparator_AT_LEAST:
        return figure >= assertion->number - slack;
    case comparator_ABOVE:
        return figure > assertion->number;
    case comparator_EQUAL:
        return fabs(figure - assertion->number) <= slack;
    }
    return false;
}
