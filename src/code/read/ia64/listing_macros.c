/* Macros of the assembler in IA-64 listings, and the C preprocessor's directives.

   .macro keeps its body; a use becomes text with its parameters replaced, which is read like any other, its
   rows at the line of the use.  .rept is read the given number of times, .irp and .irpc once for each value.
   The depth of macros and the text they make are limited, so that a few lines cannot become a day's work.

   Listings are normally preprocessed.  If one is not, #define without parameters gives a name a text; other
   preprocessor lines only get a row. */
#include "code/read/ia64/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXPANDED = 16 << 20, MOST_REPETITIONS = 1 << 20, MOST_PARAMETERS = 64 };

static bool is_directive(struct words line, const char *name)
{
    size_t length = strlen(name);
    line = listing_trim(line);
    return line.length >= length && !memcmp(line.start, name, length) &&
           (line.length == length || !is_name(line.start[length]));
}

static bool opens(struct words line, bool is_macro)
{
    return is_macro
               ? is_directive(line, ".macro")
               : is_directive(line, ".rept") || is_directive(line, ".irp") || is_directive(line, ".irpc");
}

/* The lines up to the .endm or .endr that belongs to what was just opened; the text goes on after it. */
static struct words take_body(struct ia64_listing *listing, bool is_macro)
{
    const char *end = listing->end;
    const char *at = memchr(listing->at, '\n', (size_t)(end - listing->at));
    at = at ? at + 1 : end;
    struct words body = {at, 0};
    unsigned depth = 1;
    listing->line += !listing->depth && at < end;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        struct words line = {at, (size_t)(stop - at)};
        depth += opens(line, is_macro);
        depth -= is_directive(line, is_macro ? ".endm" : ".endr");
        if (!depth) {
            body.length = (size_t)(at - body.start);
            listing->line_start = at;
            listing->at = stop;
            listing_add_directive(listing, directive_kind_DIRECTIVE, listing->line,
                                  model_string(listing->model, is_macro ? ".endm" : ".endr"),
                                  (struct words){0});
            return body;
        }
        at = stop < end ? stop + 1 : end;
        listing->line += !listing->depth && stop < end;
    }
    listing->at = listing->line_start = end;
    listing_note(listing, problem_kind_LISTING, end, "a macro that never ends: '%s' is missing",
                 is_macro ? ".endm" : ".endr");
    return (struct words){end, 0};
}

/* Reads generated text instead of the text at this place. */
static bool read_made(struct ia64_listing *listing, struct words made)
{
    if (listing->depth == MOST_MACRO_DEPTH || made.length >= MOST_EXPANDED - listing->expanded) {
        listing_note(listing, problem_kind_LIMIT, listing->at,
                     "macros that are nested too deep or make too much text");
        return false;
    }
    const char *at = listing->at, *end = listing->end, *line_start = listing->line_start;
    uint32_t last = listing->last_on_line;
    listing->expanded += made.length + 1;
    listing->depth++;
    listing_read_text(listing, made.start, made.start + made.length);
    listing->depth--;
    listing->at = at;
    listing->end = end;
    listing->line_start = line_start;
    listing->last_on_line = listing->last_on_line ? listing->last_on_line : last;
    return true;
}

static void add_macro(struct ia64_listing *listing, struct words operands)
{
    size_t length = 0;
    while (length < operands.length && is_name(operands.start[length]))
        length++;
    struct words name = {operands.start, length};
    struct words parameters = {operands.start + length, operands.length - length};
    struct listing_macro macro = {.name = listing_intern(listing, name)};
    macro.body = take_body(listing, true);
    macro.parameters = parameters;
    macro.is_alternate = listing->is_alternate;
    if (!macro.name)
        return;
    if (listing->depth) {
        /* Frees that text. */
        string_id kept[] = {listing_intern(listing, macro.body), listing_intern(listing, parameters)};
        macro.body.start = kept[0] ? model_text(listing->model, kept[0]) : "";
        macro.parameters.start = kept[1] ? model_text(listing->model, kept[1]) : "";
    }
    *(struct listing_macro *)array_add(&listing->macros) = macro;
    listing_map_set(&listing->macro_of, macro.name, (uint32_t)listing->macros.count);
}

static void repeat(struct ia64_listing *listing, struct words operands)
{
    int64_t count = 0;
    bool is_known = listing_evaluate(listing, operands, &count) && count >= 0 && count <= MOST_REPETITIONS;
    char word[64];
    if (!is_known)
        listing_note(listing, problem_kind_LISTING, operands.start, "not a number of repetitions: '%s'",
                     listing_word(word, operands));
    uint32_t line = listing->line;
    if (!listing->depth)
        listing->call_column = 1;
    struct words body = take_body(listing, false);
    uint32_t after = listing->line;
    listing->line = line;
    for (int64_t i = 0; is_known && body.length && i < count; i++)
        if (!read_made(listing, body))
            break;
    listing->line = after;
}

struct argument {
    struct words name, value;
    bool takes_rest; /* :vararg */
};

/* Parameters are separated by commas or blanks, and may have a default. */
static struct words next_word(struct words *rest)
{
    *rest = listing_trim(*rest);
    size_t at = 0;
    bool is_quoted = false;
    unsigned depth = 0;
    for (; at < rest->length; at++) {
        char c = rest->start[at];
        is_quoted ^= c == '"';
        depth += !is_quoted && (c == '(' || c == '[');
        depth -= !is_quoted && depth && (c == ')' || c == ']');
        if (!is_quoted && !depth && (c == ',' || is_blank(c)))
            break;
    }
    struct words word = {rest->start, at};
    rest->start += at;
    rest->length -= at;
    *rest = listing_trim(*rest);
    if (rest->length && rest->start[0] == ',') {
        rest->start++;
        rest->length--;
    }
    return word;
}

static unsigned read_parameters(const struct listing_macro *macro, struct argument arguments[MOST_PARAMETERS])
{
    unsigned count = 0;
    struct words rest = listing_trim(macro->parameters);
    while (rest.length && count < MOST_PARAMETERS) {
        struct words one = next_word(&rest), value = {"", 0};
        const char *equals = memchr(one.start, '=', one.length);
        if (equals) {
            value = (struct words){equals + 1, one.length - (size_t)(equals + 1 - one.start)};
            one.length = (size_t)(equals - one.start);
        }
        const char *colon = memchr(one.start, ':', one.length);
        bool takes_rest =
            colon && one.length - (size_t)(colon - one.start) == 7 && !memcmp(colon, ":vararg", 7);
        if (colon)
            one.length = (size_t)(colon - one.start);
        if (one.length)
            arguments[count++] = (struct argument){one, value, takes_rest};
    }
    return count;
}

/* The next value of a use: up to a comma, or to blanks between two words. */
static struct words next_value(struct words *rest)
{
    struct words before = *rest, value = listing_split(rest, ',');
    bool is_quoted = false;
    unsigned depth = 0;
    for (size_t at = 1; at < value.length; at++) {
        char c = value.start[at], last = value.start[at - 1];
        is_quoted ^= last == '"';
        depth += !is_quoted && (last == '(' || last == '[');
        depth -= !is_quoted && depth && (last == ')' || last == ']');
        if (is_quoted || depth || !is_blank(c) || !is_name(last))
            continue;
        size_t next = at;
        while (next < value.length && is_blank(value.start[next]))
            next++;
        if (next == value.length || !is_name(value.start[next]))
            continue;
        size_t taken = (size_t)(value.start + next - before.start);
        *rest = (struct words){before.start + taken, before.length - taken};
        return (struct words){value.start, at};
    }
    return value;
}

static struct words unquoted(struct words value)
{
    value = listing_trim(value);
    if (value.length < 2 || value.start[0] != '"' || value.start[value.length - 1] != '"')
        return value;
    return (struct words){value.start + 1, value.length - 2};
}

static void read_arguments(struct words operands, struct argument *arguments, unsigned count)
{
    unsigned place = 0;
    if (operands.length >= 2 && operands.start[0] == '(' && operands.start[operands.length - 1] == ')') {
        operands.start++;
        operands.length -= 2;
    }
    operands = listing_trim(operands);
    while (operands.length && place < count) {
        if (arguments[place].takes_rest) {
            arguments[place].value = operands;
            return;
        }
        struct words one = next_value(&operands);
        const char *equals = memchr(one.start, '=', one.length);
        unsigned named = count;
        for (unsigned i = 0; equals && i < count; i++)
            if (arguments[i].name.length == (size_t)(equals - one.start) &&
                !memcmp(arguments[i].name.start, one.start, arguments[i].name.length))
                named = i;
        if (named < count)
            arguments[named].value =
                unquoted((struct words){equals + 1, one.length - (size_t)(equals + 1 - one.start)});
        else if (one.length)
            arguments[place].value = unquoted(one);
        place += named == count;
    }
}

static void put(struct array *made, struct words words)
{
    if (words.length && made->count + words.length < MOST_EXPANDED)
        memcpy(array_add_many(made, words.length), words.start, words.length);
}

/* \name, \@ (how many uses there were) and \() (nothing). */
static void put_body(struct ia64_listing *listing, struct words body, const struct argument *arguments,
                     unsigned count, struct array *made)
{
    while (body.length) {
        const char *slash = memchr(body.start, '\\', body.length);
        size_t before = slash ? (size_t)(slash - body.start) : body.length;
        put(made, (struct words){body.start, before});
        body.start += before;
        body.length -= before;
        if (body.length < 2)
            return put(made, body);
        size_t taken = 1;
        struct words value = {body.start, 1};
        char number[24];
        if (body.start[1] == '@') {
            taken = 2;
            int length = snprintf(number, sizeof number, "%llu", (unsigned long long)listing->expanded);
            value = (struct words){number, (size_t)length};
        } else if (body.length >= 3 && body.start[1] == '(' && body.start[2] == ')') {
            taken = 3;
            value.length = 0;
        }
        for (unsigned i = 0; i < count && taken == 1; i++) {
            size_t length = arguments[i].name.length;
            if (body.length > length && !memcmp(body.start + 1, arguments[i].name.start, length) &&
                (body.length == length + 1 || !is_name(body.start[length + 1]) ||
                 body.start[length + 1] == '.')) {
                taken = length + 1;
                value = arguments[i].value;
            }
        }
        put(made, value);
        body.start += taken;
        body.length -= taken;
    }
}

static bool is_word(char c)
{
    return is_name(c) && c != '.' && c != '@' && c != '~';
}

/* After .altmacro: plain words are parameters, and & between words is removed. */
static void put_alternate_body(struct words body, const struct argument *arguments, unsigned count,
                               struct array *made)
{
    for (size_t at = 0; at < body.length;) {
        size_t start = at + (body.start[at] == '&'), end = start;
        while (end < body.length && is_word(body.start[end]))
            end++;
        struct words word = {body.start + start, end - start};
        unsigned found = 0;
        while (found < count && (arguments[found].name.length != word.length ||
                                 memcmp(arguments[found].name.start, word.start, word.length)))
            found++;
        if (!word.length || found == count) {
            end += end == at;
            put(made, (struct words){body.start + at, end - at});
        } else {
            put(made, arguments[found].value);
            end += end < body.length && body.start[end] == '&';
        }
        at = end;
    }
}

/* .irp name, values and .irpc name, letters: the body once for each. */
static void repeat_over(struct ia64_listing *listing, struct words operands, bool is_letters)
{
    struct argument argument = {.name = next_word(&operands)};
    uint32_t line = listing->line;
    if (!listing->depth)
        listing->call_column = 1;
    struct words body = take_body(listing, false);
    uint32_t after = listing->line;
    listing->line = line;
    bool goes_on = body.length && argument.name.length;
    operands = listing_bare(operands);
    while (goes_on) {
        argument.value =
            is_letters ? (struct words){operands.start, operands.length > 0} : next_word(&operands);
        operands.start += is_letters && operands.length;
        operands.length -= is_letters && operands.length;
        struct array made = ARRAY_OF(char);
        put_body(listing, body, &argument, 1, &made);
        goes_on = read_made(listing, (struct words){made.data, made.count}) && operands.length;
        array_free(&made);
    }
    listing->line = after;
}

bool listing_take_macro(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (name.length < 4 || name.length > 11 ||
        (name.start[1] != 'm' && name.start[1] != 'r' && name.start[1] != 'i' && name.start[1] != 'a' &&
         name.start[1] != 'n' && name.start[1] != 'e'))
        return false;
    if (listing_equals(name, ".macro"))
        add_macro(listing, operands);
    else if (listing_equals(name, ".rept"))
        repeat(listing, operands);
    else if (listing_equals(name, ".irp") || listing_equals(name, ".irpc"))
        repeat_over(listing, operands, name.length == 5);
    else if (listing_equals(name, ".exitm") && listing->depth)
        listing->at = listing->end;
    else if (listing_equals(name, ".altmacro") || listing_equals(name, ".noaltmacro"))
        listing->is_alternate = name.start[1] == 'a';
    else
        return false;
    return true;
}

bool listing_use_macro(struct ia64_listing *listing, struct words name, struct words operands)
{
    uint32_t number = listing_map_find(
        &listing->macro_of, strings_find_length(&listing->model->strings, name.start, name.length));
    if (!number)
        return false;
    struct listing_macro macro = *ARRAY_AT(struct listing_macro, &listing->macros, number - 1);
    struct argument arguments[MOST_PARAMETERS];
    unsigned count = read_parameters(&macro, arguments);
    read_arguments(operands, arguments, count);
    listing_add_directive(listing, directive_kind_MACRO, listing->line, macro.name, operands);
    struct array made = ARRAY_OF(char);
    if (macro.is_alternate)
        put_alternate_body(macro.body, arguments, count, &made);
    else
        put_body(listing, macro.body, arguments, count, &made);
    read_made(listing, (struct words){made.data, made.count});
    array_free(&made);
    return true;
}

/* # 12 "x.c", #define X r32, #include … */
void listing_preprocessor(struct ia64_listing *listing, struct words text)
{
    static const char *const words[] = {"define", "undef", "include", "if",   "ifdef",  "ifndef",
                                        "else",   "elif",  "endif",   "line", "pragma", "error"};
    struct words rest = listing_trim((struct words){text.start + 1, text.length - 1}), word = rest;
    word.length = 0;
    while (word.length < rest.length && is_name(rest.start[word.length]))
        word.length++;
    bool is_known = word.length && is_digit(word.start[0]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_known |= listing_equals(word, words[i]);
    listing_add_directive(listing, is_known ? directive_kind_PREPROCESSOR : directive_kind_COMMENT,
                          listing->line, 0, is_known ? listing_trim(text) : rest);
    if (!listing_equals(word, "define"))
        return;
    rest = listing_trim((struct words){rest.start + word.length, rest.length - word.length});
    struct words name = {rest.start, 0};
    while (name.length < rest.length && is_name(rest.start[name.length]))
        name.length++;
    struct words value = {rest.start + name.length, rest.length - name.length};
    if (!name.length || (value.length && value.start[0] == '('))
        return;
    const char *comment = memmem(value.start, value.length, "//", 2);
    const char *block = memmem(value.start, value.length, "/*", 2);
    comment = block && (!comment || block < comment) ? block : comment;
    if (comment)
        value.length = (size_t)(comment - value.start);
    listing_define(listing, name, listing_trim(value));
}
