/* Constant expressions in operands: 16 * 8, -(4+3), @nat|@qnan, foo#+8, @ltoff(@fptr(x#)).

   arithmetic.c computes; an expression that is too deep for it is an error.  Names that the instruction set
   defines have values; any other name makes the result symbolic, and its value does not matter. */
#include "code/read/ia64/arithmetic.h"
#include "code/read/ia64/parse.h"
#include "code/read/isa_table.h"

#include <string.h>

struct evaluation {
    const struct parsed *parsed;
    size_t at, end;
    bool is_symbolic;
    struct arithmetic arithmetic; /* with f for the parenthesis of a function */
};

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' || c == '?' ||
           c == '@' || c == '\\' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9');
}

static bool is_not_too_deep(const struct evaluation *e, bool is_added)
{
    return is_added || ia64_complain(e->parsed->facts, e->at, 1, "the expression is too deep");
}

static bool push_sign(struct evaluation *e, char sign)
{
    return is_not_too_deep(e, arithmetic_add_sign(&e->arithmetic, sign));
}

static bool push_value(struct evaluation *e, int64_t value)
{
    return is_not_too_deep(e, arithmetic_add_value(&e->arithmetic, value));
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static char at(const struct evaluation *e, size_t place)
{
    return place < e->end ? e->parsed->text[place] : '\0';
}

/* 10, 0x10, 0b10, 010; 1f and 1b are the nearest label 1. */
static bool take_number(struct evaluation *e)
{
    size_t start = e->at;
    unsigned base = 10;
    if (at(e, e->at) == '0' && (at(e, e->at + 1) | 32) == 'x') {
        base = 16;
        e->at += 2;
    } else if (at(e, e->at) == '0' && (at(e, e->at + 1) | 32) == 'b' && digit_of(at(e, e->at + 2)) < 2) {
        base = 2;
        e->at += 2;
    } else if (at(e, e->at) == '0') {
        base = 8;
    }
    uint64_t value = 0;
    size_t first = e->at;
    bool is_large = false;
    for (; digit_of(at(e, e->at)) < base; e->at++) {
        is_large |= __builtin_mul_overflow(value, base, &value);
        is_large |= __builtin_add_overflow(value, digit_of(at(e, e->at)), &value);
    }
    char next = at(e, e->at);
    bool is_local =
        (base == 10 || base == 8) && (next == 'f' || next == 'b') && !is_name_part(at(e, e->at + 1));
    if (is_local) {
        e->at++;
        e->is_symbolic = true;
    } else if (e->at == first || is_name_part(next)) {
        while (is_name_part(at(e, e->at)))
            e->at++;
        return ia64_complain(e->parsed->facts, start, e->at - start, "not a number");
    } else if (is_large) {
        return ia64_complain(e->parsed->facts, start, e->at - start, "this number does not fit in 64 bits");
    }
    return push_value(e, (int64_t)value);
}

/* true with *opens if a function's parenthesis was opened: a value must follow. */
static bool take_name(struct evaluation *e, bool *opens)
{
    size_t start = e->at;
    while (is_name_part(at(e, e->at)))
        e->at++;
    const struct named_constant *constant =
        bisect_named(ia64_table.constants, ia64_table.constant_count, sizeof *constant,
                     e->parsed->text + start, e->at - start);
    if (!constant)
        e->is_symbolic = true;
    if (at(e, e->at) == '#')
        e->at++;
    *opens = at(e, e->at) == '(';
    if (!*opens)
        return push_value(e, constant ? constant->value : 0);
    if (!push_sign(e, 'f'))
        return false;
    e->at++;
    return true;
}

static bool take_quoted(struct evaluation *e)
{
    char quote = at(e, e->at);
    size_t start = e->at++;
    while (e->at < e->end && at(e, e->at) != quote)
        e->at += at(e, e->at) == '\\' && e->at + 1 < e->end ? 2 : 1;
    if (e->at >= e->end && quote == '"')
        return ia64_complain(e->parsed->facts, start, e->end - start, "the text has no closing quote");
    if (quote == '\'') { /* 'a' or 'a: a character */
        e->at = start + 2 < e->end && at(e, start + 2) == '\'' ? start + 3 : start + 2;
        if (e->at > e->end)
            return ia64_complain(e->parsed->facts, start, 1, "a character is missing");
        return push_value(e, (unsigned char)at(e, start + 1));
    }
    e->at++;
    if (at(e, e->at) == '#')
        e->at++;
    e->is_symbolic = true;
    return push_value(e, 0);
}

/* A value with the signs and parentheses before it. */
static bool take_value(struct evaluation *e, bool *wants_more)
{
    char c = at(e, e->at);
    *wants_more = true;
    if (c == '(' || c == '-' || c == '~' || c == '+' || c == '!') {
        bool pushed = push_sign(e, c);
        e->at++;
        return pushed;
    }
    *wants_more = false;
    if (c >= '0' && c <= '9')
        return take_number(e);
    if (c == '"' || c == '\'')
        return take_quoted(e);
    if (is_name_start(c))
        return take_name(e, wants_more);
    return ia64_complain(e->parsed->facts, e->at < e->end ? e->at : e->end - 1, 1, "a value is missing here");
}

/* What may follow a value; true with *wants_more if another value must follow. */
static bool take_operator(struct evaluation *e, bool *wants_more)
{
    char c = at(e, e->at);
    *wants_more = true;
    if (c == ')' || c == ',') {
        char open = arithmetic_finish(&e->arithmetic);
        if (c == ',' && open == '(')
            return ia64_complain(e->parsed->facts, e->at, 1, "a parenthesis before this is not closed");
        if (open == '\0')
            return ia64_complain(e->parsed->facts, e->at, 1, "there is no open parenthesis to close");
        if (c == ')')
            arithmetic_close(&e->arithmetic);
        else
            arithmetic_next(&e->arithmetic);
        *wants_more = c == ',';
        e->at++;
        return true;
    }
    char operation;
    unsigned length = arithmetic_find_operator(c, at(e, e->at + 1), &operation);
    if (!length)
        return ia64_complain(e->parsed->facts, e->at, 1, "an operator is missing here");
    bool is_added = is_not_too_deep(e, arithmetic_add_operator(&e->arithmetic, operation));
    e->at += length;
    return is_added;
}

bool ia64_evaluate(const struct parsed *parsed, size_t start, size_t length, int64_t *value,
                   bool *is_symbolic)
{
    struct evaluation e;
    e.parsed = parsed;
    e.at = start;
    e.end = start + length;
    e.is_symbolic = false;
    arithmetic_start(&e.arithmetic);
    bool wants_value = true;
    for (;;) {
        while (e.at < e.end && (at(&e, e.at) == ' ' || at(&e, e.at) == '\t'))
            e.at++;
        if (e.at >= e.end && !wants_value)
            break;
        if (!(wants_value ? take_value(&e, &wants_value) : take_operator(&e, &wants_value)))
            return false;
    }
    if (arithmetic_finish(&e.arithmetic))
        return ia64_complain(parsed->facts, start, length, "a parenthesis is not closed");
    if (e.arithmetic.is_undefined && !e.is_symbolic)
        return ia64_complain(parsed->facts, start, length, "a division by zero");
    *value = e.is_symbolic ? 0 : e.arithmetic.values[0];
    *is_symbolic = e.is_symbolic;
    return true;
}
