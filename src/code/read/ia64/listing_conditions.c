/* Conditional parts of IA-64 listings: .if and its variants, .elseif, .else, .endif.

   The state is a single count: after a true .if reading continues, and the next .else or .endif belongs to
   it.  Parts that are not assembled are skipped statement by statement, counting nested .ifs.  Like the body
   of a macro they make no rows; assay asm still prints their text.

   A condition that cannot be computed is a problem and counts as true. */
#include "code/read/ia64/listing.h"

#include <string.h>

static bool is_equal(struct words a, struct words b)
{
    return a.length == b.length && (!a.length || !memcmp(a.start, b.start, a.length));
}

static bool is_defined(struct ia64_listing *listing, struct words name)
{
    name = listing_bare(name);
    string_id id = name.length ? strings_find_length(&listing->model->strings, name.start, name.length) : 0;
    uint32_t number = listing_map_find(&listing->name_of, id);
    return listing_map_find(&listing->alias_of, id) ||
           (number && ARRAY_AT(struct listing_name, &listing->names, number - 1)->line);
}

/* The values for which the condition is true: of .if, .ifeq, .ifne, .ifgt, .ifge, .iflt, .ifle. */
static bool compare(struct words relation, int64_t value)
{
    if (listing_equals(relation, "eq"))
        return value == 0;
    if (listing_equals(relation, "gt"))
        return value > 0;
    if (listing_equals(relation, "ge"))
        return value >= 0;
    if (listing_equals(relation, "lt"))
        return value < 0;
    if (listing_equals(relation, "le"))
        return value <= 0;
    return value != 0;
}

static bool holds(struct ia64_listing *listing, struct words name, struct words operands)
{
    struct words relation = {name.start + 3, name.length - 3}, rest = operands;
    int64_t value;
    char word[64];
    if (listing_equals(relation, "def"))
        return is_defined(listing, operands);
    if (listing_equals(relation, "ndef") || listing_equals(relation, "notdef"))
        return !is_defined(listing, operands);
    if (listing_equals(relation, "b") || listing_equals(relation, "nb"))
        return (listing_bare(operands).length == 0) == (relation.length == 1);
    if (listing_equals(relation, "c") || listing_equals(relation, "nc")) {
        struct words first = listing_split(&rest, ',');
        return is_equal(listing_bare(first), listing_bare(rest)) == (relation.length == 1);
    }
    if (listing_evaluate(listing, operands, &value))
        return compare(relation, value);
    listing_note(listing, problem_kind_LISTING, operands.length ? operands.start : name.start,
                 "a condition that cannot be computed: '%s'", listing_word(word, operands));
    return true;
}

/* The directive of a statement; empty if it is not a directive. */
static struct words take_directive(const char *at, const char *end)
{
    struct words name = {at, 0};
    while (at + name.length < end && *at == '.' && is_name(at[name.length]))
        name.length++;
    return name;
}

static bool is_condition(struct words name)
{
    return name.length >= 3 && !memcmp(name.start, ".if", 3);
}

static const char *end_of_statement(const char *at, const char *end)
{
    while (at < end && *at != '\n' && *at != ';')
        at++;
    return at;
}

static bool is_taken_else(struct ia64_listing *listing, struct words name, struct words operands)
{
    return listing_equals(name, ".else") ||
           (listing_equals(name, ".elseif") && holds(listing, (struct words){".if", 3}, operands));
}

/* Skips statements up to the .endif or, with wants_else, to an .else or .elseif that is assembled.  Returns
   whether it stopped at one of those. */
static bool pass_over(struct ia64_listing *listing, bool wants_else)
{
    const char *at = listing->at, *end = listing->end;
    unsigned depth = 0;
    while (at < end) {
        if (is_blank(*at) || *at == ';') {
            at++;
            continue;
        }
        if (*at == '\n') {
            listing->line += !listing->depth;
            listing->line_start = ++at;
            continue;
        }
        struct words name = take_directive(at, end);
        const char *operands = at + name.length;
        at = listing->at = end_of_statement(at, end);
        struct words rest = listing_trim((struct words){operands, (size_t)(at - operands)});
        bool is_end = listing_equals(name, ".endif");
        if (!depth && is_end)
            return false;
        if (!depth && wants_else && is_taken_else(listing, name, rest))
            return true;
        depth += is_condition(name);
        depth -= is_end;
    }
    listing->at = end;
    listing_note(listing, problem_kind_LISTING, end, "a condition that never ends: '.endif' is missing");
    return false;
}

/* .elseif, .else and .endif of what was assembled. */
static void end_condition(struct ia64_listing *listing, struct words name)
{
    char word[64];
    if (!listing->conditions) {
        listing_note(listing, problem_kind_LISTING, name.start, "no .if before this: '%s'",
                     listing_word(word, name));
        return;
    }
    listing->conditions--;
    if (name.start[2] == 'l')
        pass_over(listing, false);
}

bool listing_take_condition(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (is_condition(name))
        listing->conditions += holds(listing, name, operands) || pass_over(listing, true);
    else if (listing_equals(name, ".else") || listing_equals(name, ".elseif") ||
             listing_equals(name, ".endif"))
        end_condition(listing, name);
    else
        return false;
    return true;
}

void listing_finish_conditions(struct ia64_listing *listing)
{
    if (listing->conditions)
        listing_note(listing, problem_kind_LISTING, listing->end,
                     "a condition that never ends: '.endif' is missing");
    listing->conditions = 0;
}
