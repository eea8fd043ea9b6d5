/* Names for registers and numbers in IA-64 listings.

   An assignment, .equ, .set or a #define gives a name a text; .rotr, .rotf and .rotp give names to runs of
   rotating registers, from r32, f32 and p16 on; and in0, loc0, out0 are registers of the stack frame, which
   .regstk or the alloc instruction describes.  Any change counts up the generation, and instructions whose
   text contains names are resolved again.

   A constant expression that is nested too deep (arithmetic.h), or that divides by zero, has no value. */
#include "code/read/ia64/arithmetic.h"
#include "code/read/ia64/listing.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PASSES = 4, MOST_NAMES = 1000, FIRST_ROTATING = 32, FIRST_ROTATING_PREDICATE = 16 };

static const struct listing_alias *find_alias(const struct ia64_listing *listing, struct words name)
{
    if (!listing->aliases.count)
        return NULL;
    uint32_t number = listing_map_find(
        &listing->alias_of, strings_find_length(&listing->model->strings, name.start, name.length));
    return number ? ARRAY_AT(struct listing_alias, &listing->aliases, number - 1) : NULL;
}

static struct words text_of(const struct ia64_listing *listing, string_id id)
{
    return (struct words){strings_text(&listing->model->strings, id),
                          strings_length(&listing->model->strings, id)};
}

/* Numbers as C writes them, and 0b. */
static bool parse_number(struct words word, int64_t *value)
{
    unsigned base = 10;
    size_t at = 0;
    uint64_t number = 0;
    if (word.length > 1 && word.start[0] == '0') {
        char mark = word.start[1] | 32;
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        at = base == 8 ? 1 : 2;
    }
    while (word.length > at && (word.start[word.length - 1] | 32) == 'l')
        word.length--;
    if (at >= word.length)
        return false;
    for (; at < word.length; at++) {
        char c = word.start[at];
        unsigned digit = is_digit(c)                          ? (unsigned)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a') + 10
                                                              : 99;
        if (digit >= base)
            return false;
        number = number * base + digit;
    }
    *value = (int64_t)number;
    return true;
}

static bool evaluate(struct ia64_listing *listing, struct words words, unsigned *budget, unsigned depth,
                     int64_t *value);

/* A number, or a name for one, whose text may again be an expression. */
static bool value_of_word(struct ia64_listing *listing, struct words word, unsigned *budget, unsigned depth,
                          int64_t *value)
{
    if (is_digit(word.start[0]))
        return parse_number(word, value);
    const struct listing_alias *alias = find_alias(listing, word);
    if (!alias || !alias->value || depth == MOST_PASSES || !*budget)
        return false;
    --*budget;
    return evaluate(listing, text_of(listing, alias->value), budget, depth + 1, value);
}

static size_t name_length(struct words words, size_t at)
{
    size_t length = 0;
    while (at + length < words.length && is_name(words.start[at + length]))
        length++;
    return length;
}

static bool evaluate(struct ia64_listing *listing, struct words words, unsigned *budget, unsigned depth,
                     int64_t *value)
{
    struct arithmetic arithmetic;
    arithmetic_start(&arithmetic);
    bool is_value_next = true;
    for (size_t at = 0; at < words.length;) {
        char c = words.start[at], operation;
        if (is_blank(c)) {
            at++;
        } else if (is_value_next && is_name(c) && c != '~') {
            size_t length = name_length(words, at);
            int64_t number;
            if (!value_of_word(listing, (struct words){words.start + at, length}, budget, depth, &number) ||
                !arithmetic_add_value(&arithmetic, number))
                return false;
            at += length;
            at += at < words.length && words.start[at] == '#';
            is_value_next = false;
        } else if (is_value_next) {
            if (!c || !strchr("+-~!(", c) || !arithmetic_add_sign(&arithmetic, c))
                return false;
            at++;
        } else if (c == ')') {
            if (!arithmetic_finish(&arithmetic))
                return false;
            arithmetic_close(&arithmetic);
            at++;
        } else {
            char second = at + 1 < words.length ? words.start[at + 1] : '\0';
            unsigned length = arithmetic_find_operator(c, second, &operation);
            if (!length || !arithmetic_add_operator(&arithmetic, operation))
                return false;
            at += length;
            is_value_next = true;
        }
    }
    if (is_value_next || arithmetic_finish(&arithmetic) || arithmetic.is_undefined)
        return false;
    *value = arithmetic.values[0];
    return true;
}

bool listing_evaluate(struct ia64_listing *listing, struct words words, int64_t *value)
{
    unsigned budget = MOST_NAMES;
    return evaluate(listing, words, &budget, 0, value);
}

static void set_alias(struct ia64_listing *listing, struct words name, struct listing_alias alias)
{
    string_id id = listing_intern(listing, name);
    if (!id)
        return;
    uint32_t number = listing_map_find(&listing->alias_of, id);
    if (number) {
        struct listing_alias *old = ARRAY_AT(struct listing_alias, &listing->aliases, number - 1);
        if (old->value == alias.value && old->letter == alias.letter && old->first == alias.first &&
            old->size == alias.size)
            return;
        *old = alias;
    } else {
        *(struct listing_alias *)array_add(&listing->aliases) = alias;
        listing_map_set(&listing->alias_of, id, (uint32_t)listing->aliases.count);
    }
    listing->generation++;
}

void listing_define(struct ia64_listing *listing, struct words name, struct words value)
{
    if (!value.length || value.length > MOST_TEXT)
        return;
    set_alias(listing, name, (struct listing_alias){.value = listing_intern(listing, value)});
    listing->has_defines = true;
}

void listing_rotate(struct ia64_listing *listing, char letter, struct words operands)
{
    unsigned next = letter == 'p' ? FIRST_ROTATING_PREDICATE : FIRST_ROTATING;
    unsigned limit = letter == 'p' ? 64 : 128;
    while (operands.length) {
        struct words one = listing_split(&operands, ',');
        const char *bracket = memchr(one.start, '[', one.length);
        struct words name = {one.start, bracket ? (size_t)(bracket - one.start) : one.length}, size = {0};
        int64_t count = -1;
        if (bracket && one.start[one.length - 1] == ']')
            size = (struct words){bracket + 1, one.length - name.length - 2};
        name = listing_bare(name);
        if (!name.length || !size.length || !listing_evaluate(listing, size, &count) || count < 1 ||
            count > (int64_t)(limit - next)) {
            char word[64];
            listing_note(listing, problem_kind_LISTING, one.start, "no such rotating registers: '%s'",
                         listing_word(word, one));
            return;
        }
        set_alias(listing, name,
                  (struct listing_alias){.letter = letter, .first = (uint16_t)next, .size = (uint16_t)count});
        next += (unsigned)count;
    }
}

void listing_set_frame(struct ia64_listing *listing, unsigned ins, unsigned locals)
{
    if (listing->ins == ins && listing->locals == locals)
        return;
    listing->ins = ins;
    listing->locals = locals;
    listing->generation++;
}

/* in0, loc0, out0 → the number of the general register, or 0. */
static unsigned stacked_register(const struct ia64_listing *listing, struct words word)
{
    static const char *const prefixes[] = {"in", "loc", "out"};
    unsigned base[] = {32, 32 + listing->ins, 32 + listing->ins + listing->locals};
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strlen(prefixes[i]);
        uint64_t number;
        struct words digits = {word.start + length, word.length - length};
        if (word.length <= length || memcmp(word.start, prefixes[i], length))
            continue;
        bool has_leading_zero = digits.length > 1 && digits.start[0] == '0'; /* then it is a symbol */
        if (!has_leading_zero && listing_take_number(&digits, &number) && !digits.length && number < 96 &&
            base[i] + number < 128)
            return base[i] + (unsigned)number;
    }
    return 0;
}

struct resolving {
    struct ia64_listing *listing;
    char *buffer;
    size_t length;
    bool is_instruction, has_names, is_changed;
};

static void put(struct resolving *resolving, const char *text, size_t length)
{
    if (length > MOST_TEXT - resolving->length)
        length = MOST_TEXT - resolving->length;
    memcpy(resolving->buffer + resolving->length, text, length);
    resolving->length += length;
}

/* name[index], with index an expression: its length in the text; 0 if it is something else. */
static size_t put_rotating(struct resolving *resolving, const struct listing_alias *alias, const char *at,
                           size_t left)
{
    int64_t index;
    size_t start = 0;
    start += start < left && at[start] == '#';
    while (start < left && is_blank(at[start]))
        start++;
    const char *close = start < left && at[start] == '[' ? memchr(at + start, ']', left - start) : NULL;
    if (!close)
        return 0;
    struct words inside = {at + start + 1, (size_t)(close - at) - start - 1};
    if (!listing_evaluate(resolving->listing, inside, &index) || index < 0 || index >= alias->size)
        return 0;
    char text[16];
    int length = snprintf(text, sizeof text, "%c%d", alias->letter, alias->first + (int)index);
    put(resolving, text, (size_t)length);
    return (size_t)(close - at) + 1;
}

/* One name; returns how much of what follows it was taken too. */
static size_t put_name(struct resolving *resolving, struct words word, size_t left)
{
    struct ia64_listing *listing = resolving->listing;
    const char *after = word.start + word.length;
    unsigned stacked = stacked_register(listing, word);
    resolving->has_names = true;
    if (stacked) {
        char text[8];
        int length = snprintf(text, sizeof text, "r%u", stacked);
        put(resolving, text, (size_t)length);
        return 0;
    }
    const struct listing_alias *alias = find_alias(listing, word);
    if (alias && alias->letter) {
        size_t taken = put_rotating(resolving, alias, after, left);
        if (!taken)
            put(resolving, word.start, word.length);
        return taken;
    }
    struct words value = alias ? text_of(listing, alias->value) : word;
    resolving->is_changed |= alias != NULL;
    put(resolving, value.start, value.length);
    return alias && left && *after == '#';
}

static void resolve_once(struct resolving *resolving, const char *text, size_t length)
{
    bool is_mnemonic = resolving->is_instruction; /* the first word, after the predicate */
    for (size_t at = 0; at < length;) {
        size_t start = at;
        if (text[at] == '"') {
            for (at++; at < length && text[at] != '"'; at++)
                at += text[at] == '\\';
            at = at < length ? at + 1 : length;
        } else if (!is_name(text[at])) {
            at++;
        } else {
            while (at < length && is_name(text[at]))
                at++;
            struct words word = {text + start, at - start};
            bool is_in_predicate = is_mnemonic && start && text[start - 1] == '(';
            bool is_plain = is_digit(text[start]) || text[start] == '@' ||
                            (is_mnemonic && !is_in_predicate && !resolving->listing->has_defines);
            is_mnemonic = is_mnemonic && is_in_predicate;
            /* A name of rotating registers may be that of a register: p1#[2]. */
            bool is_indexed = at < length && (text[at] == '#' || text[at] == '[');
            if (!is_plain && (is_indexed || !ia64_register_number(word.start, word.length))) {
                at += put_name(resolving, word, length - at);
                continue;
            }
        }
        put(resolving, text + start, at - start);
    }
}

static void resolve(struct resolving *resolving, const char *text, size_t length)
{
    resolve_once(resolving, text, length);
    /* The text from == and #define may contain names again. */
    for (unsigned pass = 1; pass < MOST_PASSES && resolving->is_changed; pass++) {
        char again[MOST_TEXT + 1];
        size_t size = resolving->length;
        memcpy(again, resolving->buffer, size);
        resolving->length = 0;
        resolving->is_changed = false;
        resolve_once(resolving, again, size);
    }
    resolving->buffer[resolving->length] = 0;
}

bool listing_resolve(struct ia64_listing *listing, const char *text, size_t length, char *buffer,
                     size_t *resolved_length)
{
    struct resolving resolving = {.listing = listing, .buffer = buffer, .is_instruction = true};
    resolve(&resolving, text, length);
    *resolved_length = resolving.length;
    return resolving.has_names;
}

/* Not its value now, but its value where it is used. */
static void assign_expression(struct ia64_listing *listing, struct words name, struct words value)
{
    char buffer[MOST_TEXT + 3];
    bool is_word = name_length(value, 0) == value.length;
    int length = snprintf(buffer, sizeof buffer, is_word ? "%.*s" : "(%.*s)", (int)value.length, value.start);
    struct words text = {buffer, (size_t)length};
    set_alias(listing, name, (struct listing_alias){.value = listing_intern(listing, text)});
}

void listing_assign(struct ia64_listing *listing, struct words name, struct words value, bool is_late)
{
    int64_t number;
    char buffer[MOST_TEXT + 1];
    if (!name.length || !value.length || value.length > MOST_TEXT)
        return;
    if (listing_equals(value, ".")) {
        listing_add_label(listing, name, false, true);
    } else if (is_late) {
        assign_expression(listing, name, value);
    } else if (listing_evaluate(listing, value, &number)) {
        struct words text = {buffer, (size_t)snprintf(buffer, sizeof buffer, "%lld", (long long)number)};
        set_alias(listing, name, (struct listing_alias){.value = listing_intern(listing, text)});
    } else {
        /* A name for a name takes its current value; later changes do not matter. */
        struct resolving resolving = {.listing = listing, .buffer = buffer};
        resolve(&resolving, value.start, value.length);
        assign_expression(listing, name, (struct words){buffer, resolving.length});
    }
}
