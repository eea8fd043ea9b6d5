/* Parses the text of an instruction.

   Operands are separated by commas and one =, outside of brackets, parentheses and quotes.  A word that names
   a register is one; a word that only looks like one (r128) has its own kind, because it can be a label;
   everything else is an expression. */
#include "code/read/ia64/parse.h"
#include "code/read/isa_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool ia64_complain(struct ia64_facts *facts, size_t start, size_t length, const char *format, ...)
{
    if (facts->complaint[0])
        return false;
    va_list values;
    va_start(values, format);
    vsnprintf(facts->complaint, sizeof facts->complaint, format, values);
    va_end(values);
    facts->complaint_start = (uint16_t)start;
    facts->complaint_length = (uint16_t)length;
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

static const struct register_family *find_family(const char *name, size_t length)
{
    for (unsigned i = 0; i < ia64_table.family_count; i++) {
        const struct register_family *family = &ia64_table.families[i];
        if (family->length == length && memcmp(family->prefix, name, length) == 0)
            return family;
    }
    return NULL;
}

/* The digits at the end of a name as a number, not larger than 1000; -1 for none or a leading zero. */
static int number_at_end(const char *name, size_t length, size_t *prefix)
{
    size_t start = length;
    while (start > 0 && is_digit(name[start - 1]))
        start--;
    *prefix = start;
    if (start == length || start == 0 || (name[start] == '0' && start + 1 < length))
        return -1;
    int number = 0;
    for (size_t i = start; i < length && number < 1000; i++)
        number = number * 10 + (name[i] - '0');
    return number;
}

static unsigned find_single(const char *name, size_t length)
{
    const struct register_name *row =
        bisect_named(ia64_table.register_names, ia64_table.register_name_count, sizeof *row, name, length);
    return row ? row->number : 0;
}

static unsigned find_register(const char *name, size_t length, bool *looks_like_one)
{
    size_t prefix;
    int number = number_at_end(name, length, &prefix);
    *looks_like_one = false;
    if (number >= 0) {
        const struct register_family *family = find_family(name, prefix);
        if (family) {
            *looks_like_one = true;
            return number < family->count ? family->first + (unsigned)number : 0;
        }
    }
    unsigned single = find_single(name, length);
    *looks_like_one = !single && length > 3 && (!memcmp(name, "ar.", 3) || !memcmp(name, "cr.", 3));
    return single;
}

unsigned ia64_register_number(const char *name, size_t length)
{
    bool looks_like_one;
    return find_register(name, length, &looks_like_one);
}

static size_t skip_blanks(const char *text, size_t at)
{
    while (is_blank(text[at]))
        at++;
    return at;
}

static bool parse_predicate(struct parsed *parsed, size_t *place)
{
    const char *text = parsed->text;
    size_t start = skip_blanks(text, *place + 1), end = start;
    while (is_word_part(text[end]))
        end++;
    size_t close = skip_blanks(text, end);
    parsed->predicate_start = (uint16_t)start;
    parsed->predicate_length = (uint16_t)(end - start);
    if (text[close] != ')') {
        *place = close;
        return ia64_complain(parsed->facts, *place, 1, "the predicate has no closing parenthesis");
    }
    *place = close + 1;
    unsigned number = ia64_register_number(text + start, end - start);
    if (!number || text[start] != 'p' || ia64_registers[number].bits != 1)
        return ia64_complain(parsed->facts, start, end > start ? end - start : 1, "not a predicate register");
    parsed->predicate = (uint16_t)number;
    return true;
}

bool ia64_parse_head(const char *text, struct parsed *parsed, struct ia64_facts *facts)
{
    parsed->text = text;
    parsed->facts = facts;
    parsed->predicate = 0;
    parsed->name_start = parsed->name_length = parsed->completers_length = 0;
    parsed->operand_count = parsed->result_count = 0;
    if (strnlen(text, LONGEST_INSTRUCTION + 1) > LONGEST_INSTRUCTION)
        return ia64_complain(facts, 0, 1, "this is too long for an instruction");
    size_t at = skip_blanks(text, 0);
    bool good = text[at] != '(' || parse_predicate(parsed, &at);
    at = skip_blanks(text, at);
    parsed->name_start = (uint16_t)at;
    while (is_word_part(text[at]) && text[at] != '.')
        at++;
    parsed->name_length = (uint16_t)(at - parsed->name_start);
    while (is_word_part(text[at]))
        at++;
    parsed->completers_length = (uint16_t)(at - parsed->name_start - parsed->name_length);
    if (parsed->name_length == 0)
        return ia64_complain(facts, parsed->name_start, text[parsed->name_start] ? 1 : 0,
                             "an instruction is missing here");
    if (text[at] && !is_blank(text[at]))
        return ia64_complain(facts, at, 1, "this cannot be part of a mnemonic");
    return good;
}

/* [r2] or, after a file's name, its index. */
static bool parse_base(struct parsed *parsed, size_t start, size_t end, uint16_t *number)
{
    const char *text = parsed->text;
    start = skip_blanks(text, start);
    while (end > start && is_blank(text[end - 1]))
        end--;
    unsigned found = ia64_register_number(text + start, end - start);
    if (!found || ia64_registers[found].kind != register_kind_GENERAL || ia64_registers[found].name[0] != 'r')
        return ia64_complain(parsed->facts, start, end > start ? end - start : 1, "not a general register");
    *number = (uint16_t)found;
    return true;
}

static bool parse_bracket(struct parsed *parsed, struct parsed_operand *operand, size_t open)
{
    size_t end = operand->start + operand->length;
    if (parsed->text[end - 1] != ']')
        return ia64_complain(parsed->facts, operand->start, operand->length, "the bracket is not closed");
    if (open == operand->start) {
        operand->shape = PARSED_MEMORY;
        return parse_base(parsed, open + 1, end - 1, &operand->number);
    }
    size_t name_end = open;
    while (is_blank(parsed->text[name_end - 1]))
        name_end--;
    operand->shape = PARSED_FILE;
    operand->number =
        (uint16_t)ia64_register_number(parsed->text + operand->start, name_end - operand->start);
    if (!operand->number)
        return ia64_complain(parsed->facts, operand->start, name_end - operand->start, "not a register file");
    return parse_base(parsed, open + 1, end - 1, &operand->index);
}

static bool is_register_in_parentheses(const char *text, size_t start, size_t end)
{
    return end - start > 2 && text[start] == '(' && text[end - 1] == ')' &&
           ia64_register_number(text + start + 1, end - start - 2);
}

static bool parse_operand(struct parsed *parsed, struct parsed_operand *operand)
{
    const char *text = parsed->text;
    size_t start = operand->start, end = start + operand->length, at = start;
    operand->number = operand->index = 0;
    operand->value = 0;
    if (operand->length == 0)
        return ia64_complain(parsed->facts, start, 1, "an operand is missing here");
    if (is_register_in_parentheses(text, start, end)) {
        operand->start++;
        operand->length -= 2;
        return parse_operand(parsed, operand);
    }
    while (at < end && is_word_part(text[at]))
        at++;
    size_t next = at;
    while (next < end && is_blank(text[next]))
        next++;
    if (next < end && text[next] == '[')
        return parse_bracket(parsed, operand, next);
    if (at == end && !is_digit(text[start])) {
        bool looks_like_one;
        operand->number = (uint16_t)find_register(text + start, operand->length, &looks_like_one);
        operand->shape = operand->number ? PARSED_REGISTER : PARSED_NO_REGISTER;
        if (operand->number || looks_like_one)
            return true;
    }
    bool is_symbolic;
    if (!ia64_evaluate(parsed, start, operand->length, &operand->value, &is_symbolic))
        return false;
    operand->shape = is_symbolic ? PARSED_SYMBOL : PARSED_NUMBER;
    return true;
}

/* == != <= >= compare; at is not the first place. */
static bool is_part_of_operator(const char *text, size_t at)
{
    return text[at + 1] == '=' || strchr("=!<>", text[at - 1]);
}

/* The end of an operand: the next , or = outside of brackets and quotes, or the end of the text. */
static size_t find_operand_end(const char *text, size_t at, bool has_results)
{
    size_t start = at;
    unsigned depth = 0;
    for (;; at++) {
        switch (text[at]) {
        case '\0':
            return at;
        case '(':
        case '[':
            depth++;
            break;
        case ')':
        case ']':
            depth -= depth > 0;
            break;
        case '"':
            for (at++; text[at] && text[at] != '"'; at++)
                if (text[at] == '\\' && text[at + 1])
                    at++;
            if (!text[at])
                return at;
            break;
        case '\'':
            at += text[at + 1] != 0;
            at += text[at] && text[at + 1] == '\'';
            if (!text[at])
                return at;
            break;
        case '=':
            if (has_results && at > start && is_part_of_operator(text, at))
                break;
            /* fall through */
        case ',':
            if (depth == 0)
                return at;
        }
    }
}

bool ia64_parse_operands(struct parsed *parsed)
{
    const char *text = parsed->text;
    size_t at =
        skip_blanks(text, (size_t)parsed->name_start + parsed->name_length + parsed->completers_length);
    if (!text[at])
        return true;
    bool has_results = false;
    for (;;) {
        size_t start = skip_blanks(text, at), separator = find_operand_end(text, start, has_results),
               end = separator;
        while (end > start && is_blank(text[end - 1]))
            end--;
        if (parsed->operand_count == MOST_OPERANDS)
            return ia64_complain(parsed->facts, start, end - start, "no instruction has this many operands");
        struct parsed_operand *operand = &parsed->operands[parsed->operand_count++];
        operand->start = (uint16_t)start;
        operand->length = (uint16_t)(end - start);
        if (!parse_operand(parsed, operand))
            return false;
        if (text[separator] == '=') {
            if (has_results)
                return ia64_complain(parsed->facts, separator, 1, "a second = in one instruction");
            has_results = true;
            parsed->result_count = parsed->operand_count;
        }
        if (!text[separator])
            return true;
        at = separator + 1;
    }
}
