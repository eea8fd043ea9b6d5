/* One pass over the text. It follows the shell's quotes only so far as to know how to quote what is filled
   in. An expression is read by two stacks' worth of rules (sums of products of powers), with a limit on how
   deep parentheses go. */
#include "plan/predict/template.h"

#include "base/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 20 };

struct filling {
    const char *text;
    struct template_name *names;
    size_t count;
    struct template_fault *fault;
    const char *at, *end; /* of the expression */
    unsigned level;
    bool has_failed;
    struct array out; /* of char */
    char quote;       /* in which quotes the text is: 0, ' or " */
};

static double fail(struct filling *filling, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static double fail(struct filling *filling, const char *at, const char *format, ...)
{
    if (filling->has_failed)
        return NAN;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(filling->fault->problem, sizeof filling->fault->problem, format, arguments);
    va_end(arguments);
    filling->fault->offset = (size_t)(at - filling->text);
    filling->has_failed = true;
    return NAN;
}

static bool is_of_name(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

static struct template_name *find(struct filling *filling, const char *at, size_t length)
{
    for (size_t i = 0; i < filling->count; i++)
        if (strlen(filling->names[i].name) == length && !memcmp(filling->names[i].name, at, length))
            return &filling->names[i];
    return NULL;
}

static void fail_name(struct filling *filling, const char *at, size_t length)
{
    char *wanted = memory_copy_text(at, length < 60 ? length : 60), known[200] = "";
    struct nearest nearest = {.wanted = wanted};
    for (size_t i = 0; i < filling->count; i++) {
        size_t used = strlen(known);
        nearest_offer(&nearest, filling->names[i].name);
        snprintf(known + used, sizeof known - used, "%s{%s}", i ? ", " : "", filling->names[i].name);
    }
    if (nearest.best)
        fail(filling, at, "there is no {%s} here: did you mean {%s}?", wanted, nearest.best);
    else
        fail(filling, at, "there is no {%s} here: known are %s (a brace itself is written twice: {{ }})",
             wanted, known);
    free(nearest.best);
    free(wanted);
}

static void skip(struct filling *filling)
{
    while (filling->at < filling->end && *filling->at == ' ')
        filling->at++;
}

static bool take(struct filling *filling, char letter)
{
    skip(filling);
    if (filling->at == filling->end || *filling->at != letter)
        return false;
    filling->at++;
    return true;
}

static double sum(struct filling *filling);

static double parenthesis(struct filling *filling)
{
    if (++filling->level > MOST_LEVELS)
        return fail(filling, filling->at, "too many parentheses");
    double value = sum(filling);
    filling->level--;
    if (!take(filling, ')'))
        return fail(filling, filling->at, "expected `)`");
    return value;
}

static double atom(struct filling *filling)
{
    if (take(filling, '('))
        return parenthesis(filling);
    const char *begin = filling->at;
    if (begin < filling->end && ((*begin >= '0' && *begin <= '9') || *begin == '.')) {
        char digits[40] = "";
        size_t length = 0;
        while (begin + length < filling->end && strchr("0123456789.", begin[length]))
            length++;
        if (length >= sizeof digits || memchr(begin, '.', length) != memrchr(begin, '.', length))
            return fail(filling, begin, "this is not a number");
        memcpy(digits, begin, length);
        filling->at += length;
        return strtod(digits, NULL);
    }
    size_t length = 0;
    while (begin + length < filling->end && is_of_name(begin[length]))
        length++;
    if (!length)
        return fail(filling, begin, "expected a name or a number");
    filling->at += length;
    if (length == 5 && !memcmp(begin, "round", 5) && take(filling, '('))
        return round(parenthesis(filling));
    struct template_name *name = find(filling, begin, length);
    if (!name) {
        fail_name(filling, begin, length);
        return NAN;
    }
    name->is_used = true;
    return name->text ? fail(filling, begin, "{%s} is not a number", name->name) : name->number;
}

static double power(struct filling *filling)
{
    double base = atom(filling);
    return take(filling, '^') ? pow(base, atom(filling)) : base;
}

static double product(struct filling *filling)
{
    double value = power(filling);
    while (!filling->has_failed) {
        if (take(filling, '*'))
            value *= power(filling);
        else if (take(filling, '/'))
            value /= power(filling);
        else
            break;
    }
    return value;
}

static double sum(struct filling *filling)
{
    double value = product(filling);
    while (!filling->has_failed) {
        if (take(filling, '+'))
            value += product(filling);
        else if (take(filling, '-'))
            value -= product(filling);
        else
            break;
    }
    return value;
}

static void add(struct filling *filling, const char *text, size_t length)
{
    memcpy(array_push_many(&filling->out, length), text, length);
}

/* A text as the shell has to see it at this place. */
static void add_quoted(struct filling *filling, const char *text)
{
    bool is_plain = *text != 0;
    for (const char *at = text; *at; at++)
        is_plain &= is_of_name(*at) || strchr("/.,-+:=%@", *at) != NULL;
    if (is_plain) {
        add(filling, text, strlen(text));
        return;
    }
    if (!filling->quote)
        add(filling, "'", 1);
    for (const char *at = text; *at; at++) {
        if (filling->quote == '"' && strchr("$`\"\\", *at))
            add(filling, "\\", 1);
        if (filling->quote != '"' && *at == '\'')
            add(filling, "'\\''", 4);
        else
            add(filling, at, 1);
    }
    if (!filling->quote)
        add(filling, "'", 1);
}

static void fill_hole(struct filling *filling, const char *begin, const char *end)
{
    filling->at = begin;
    filling->end = end;
    skip(filling);
    while (filling->end > filling->at && filling->end[-1] == ' ')
        filling->end--;
    struct template_name *name = find(filling, filling->at, (size_t)(filling->end - filling->at));
    if (name && name->text) {
        name->is_used = true;
        add_quoted(filling, name->text);
        return;
    }
    const char *first = filling->at;
    double value = sum(filling);
    skip(filling);
    if (!filling->has_failed && filling->at != filling->end)
        fail_name(filling, first, (size_t)(filling->end - first));
    if (!filling->has_failed && !isfinite(value))
        fail(filling, first, "this has no value");
    char text[40];
    int length = snprintf(text, sizeof text, "%.10g", value);
    add(filling, text, (size_t)length);
}

/* One letter, escape or hole; returns what follows. */
static const char *step(struct filling *filling, const char *at)
{
    if ((at[0] == '{' && at[1] == '{') || (at[0] == '}' && at[1] == '}')) {
        add(filling, at, 1);
        return at + 2;
    }
    size_t length = 1;
    if (at[0] == '\\' && at[1] && filling->quote != '\'') {
        length = 2;
    } else if (at[0] == '$' && at[1] == '{') {
        length = strcspn(at, "}");
        length += at[length] == '}';
    } else if (at[0] == '{') {
        const char *end = strchr(at, '}');
        if (!end) {
            fail(filling, at, "expected `}` after this brace (a brace itself is written twice: {{)");
            return at + 1;
        }
        fill_hole(filling, at + 1, end);
        return end + 1;
    } else if (at[0] == '}') {
        fail(filling, at, "this brace closes nothing (a brace itself is written twice: }})");
    } else if (at[0] == '\'' && filling->quote != '"') {
        filling->quote = filling->quote ? 0 : '\'';
    } else if (at[0] == '"' && filling->quote != '\'') {
        filling->quote = filling->quote ? 0 : '"';
    }
    add(filling, at, length);
    return at + length;
}

char *template_fill(const char *text, struct template_name *names, size_t count, struct template_fault *fault)
{
    struct filling filling = {
        .text = text, .names = names, .count = count, .fault = fault, .out = ARRAY_OF(char)};
    *fault = (struct template_fault){0};
    for (const char *at = text; *at && !filling.has_failed;)
        at = step(&filling, at);
    if (!filling.has_failed && filling.quote)
        fail(&filling, text, "a quote (%c) is not closed", filling.quote);
    *(char *)array_add(&filling.out) = 0;
    if (!filling.has_failed)
        return filling.out.data;
    array_free(&filling.out);
    return NULL;
}

char *template_quote(const char *text)
{
    struct filling filling = {.out = ARRAY_OF(char)};
    add_quoted(&filling, text);
    *(char *)array_add(&filling.out) = 0;
    return filling.out.data;
}
