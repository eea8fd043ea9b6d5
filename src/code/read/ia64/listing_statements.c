/* The text of an IA-64 listing becomes statements.

   Statements end at the end of the line, at ; and at braces, which are statements themselves, as ;; is.  The
   start of a statement shows its kind: a label ends in a colon (a tag is also in brackets), an assignment has
   = after its first word, a directive starts with a dot or is one of the data directives, a # that starts a
   line belongs to the C preprocessor.  Everything else is an instruction, with or without a predicate.
   Anything else is a problem, and the rest of its line is skipped.

   One pass over the text copies only instructions, with single spaces, because equal instructions are
   recognised by that text. */
#include "code/read/ia64/listing.h"

#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

/* The place after the closing quote, or the end of the line without one. */
static const char *skip_quoted(const char *at, const char *end)
{
    for (at++; at < end && *at != '\n'; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && at + 1 < end && at[1] != '\n')
            at++;
    }
    return at;
}

/* After 's' or 's: a character, which may be any. */
static const char *skip_character(const char *at, const char *end)
{
    if (at + 1 < end && at[1] != '\n')
        at++;
    at++;
    return at < end && *at == '\'' ? at + 1 : at;
}

static const char *skip_one(const char *at, const char *end)
{
    return *at == '"' ? skip_quoted(at, end) : *at == '\'' ? skip_character(at, end) : at + 1;
}

static bool starts_comment(const char *at, const char *end)
{
    return *at == '/' && at + 1 < end && (at[1] == '/' || at[1] == '*');
}

/* Of a directive, an assignment or a macro. */
static const char *end_of_statement(const char *at, const char *end)
{
    while (at < end && !(listing_classes[(uint8_t)*at] & CLASS_END) && !starts_comment(at, end))
        at = skip_one(at, end);
    return at;
}

static void next_line(struct ia64_listing *listing, const char *at)
{
    if (!listing->depth)
        listing->line++;
    listing->line_start = at;
    listing->last_on_line = 0;
}

static void read_line_comment(struct ia64_listing *listing)
{
    const char *start = listing->at + 2, *end = end_of_line(start, listing->end);
    listing->at = end;
    listing_comment(listing, listing_trim((struct words){start, (size_t)(end - start)}), listing->line);
}

/* A comment over several lines does not belong to an instruction. */
static void read_block_comment(struct ia64_listing *listing)
{
    const char *start = listing->at + 2, *end = listing->end, *close = start;
    uint32_t line = listing->line;
    bool is_closed = false;
    while (close < end && !is_closed) {
        const char *star = memchr(close, '*', (size_t)(end - close));
        close = star ? star + 1 : end;
        is_closed = star && close < end && *close == '/';
    }
    const char *stop = is_closed ? close - 1 : end;
    if (!is_closed)
        listing_note(listing, problem_kind_LISTING, listing->at, "a comment that is never closed");
    listing->at = is_closed ? close + 1 : end;
    for (const char *at = start; (at = memchr(at, '\n', (size_t)(stop - at)));)
        next_line(listing, ++at);
    listing_comment(listing, listing_trim((struct words){start, (size_t)(stop - start)}), line);
}

static void read_comment(struct ia64_listing *listing)
{
    if (listing->at[1] == '/')
        read_line_comment(listing);
    else
        read_block_comment(listing);
}

static void read_junk(struct ia64_listing *listing)
{
    const char *start = listing->at, *end = end_of_line(start, listing->end);
    size_t length = 0;
    while (start + length < end && !is_blank(start[length]))
        length++;
    char word[64];
    listing_note(listing, problem_kind_LISTING, start, "not a statement: '%s'",
                 listing_word(word, (struct words){start, length}));
    listing->at = end;
}

/* Copies up to the end of the statement with single spaces.  Comments inside become spaces; the last one is
   kept.  The length is more than MOST_TEXT if the text does not fit. */
static size_t copy_instruction(struct ia64_listing *listing, char *buffer, struct words *comment)
{
    const char *at = listing->at, *end = listing->end, *line = NULL;
    size_t length = 0;
    bool is_apart = false, is_predicate = *at == '(';
    while (at < end) {
        char c = *at;
        const char *stop = skip_one(at, end);
        if (listing_classes[(uint8_t)c] & CLASS_END)
            break;
        if (is_blank(c)) {
            is_apart = true;
            at++;
            continue;
        }
        if (c == '/' && starts_comment(at, end)) {
            line = line ? line : end_of_line(at, end);
            const char *close = at[1] == '*' ? memmem(at + 2, (size_t)(line - at) - 2, "*/", 2) : NULL;
            if (!close)
                break;
            *comment = (struct words){at + 2, (size_t)(close - at) - 2};
            is_apart = true;
            at = close + 2;
            continue;
        }
        if (is_apart && length && length < MOST_TEXT)
            buffer[length++] = ' ';
        is_apart = is_predicate && c == ')';
        is_predicate = is_predicate && c != ')';
        size_t taken = (size_t)(stop - at);
        if (length + taken > MOST_TEXT)
            length = MOST_TEXT + 1;
        else
            memcpy(buffer + length, at, taken);
        length += length > MOST_TEXT ? 0 : taken;
        at = stop;
    }
    listing->at = at;
    return length;
}

static void read_instruction(struct ia64_listing *listing)
{
    char buffer[MOST_TEXT + 2];
    struct words raw = {listing->at, 0}, comment = {0};
    size_t length = copy_instruction(listing, buffer, &comment);
    raw = listing_trim((struct words){raw.start, (size_t)(listing->at - raw.start)});
    if (length > MOST_TEXT) {
        char word[64];
        listing_note(listing, problem_kind_LISTING, raw.start,
                     "skipped an instruction of more than %d characters: '%s'", MOST_TEXT,
                     listing_word(word, raw));
        return;
    }
    buffer[length] = 0;
    listing_add_instruction(listing, listing_find_text(listing, buffer, length, raw), raw);
    if (comment.length)
        listing_comment(listing, listing_trim(comment), listing->line);
}

/* [.LVL0:] marks a place without starting a bundle. */
static bool read_tag(struct ia64_listing *listing)
{
    const char *start = skip_blanks(listing->at + 1, listing->end), *end = start;
    if (end < listing->end && *end == '"')
        end = skip_quoted(end, listing->end);
    while (end < listing->end && is_name(*end))
        end++;
    struct words name = {start, (size_t)(end - start)};
    end = skip_blanks(end, listing->end);
    if (!name.length || end == listing->end || *end != ':')
        return false;
    end = skip_blanks(end + 1, listing->end);
    if (end == listing->end || *end != ']')
        return false;
    listing->at = end + 1;
    listing_add_label(listing, listing_bare(name), false, true);
    return true;
}

static bool is_shouted(struct words name)
{
    bool has_letter = false;
    for (size_t i = 0; i < name.length; i++) {
        char c = name.start[i];
        if (!(c >= 'A' && c <= 'Z') && c != '_' && !is_digit(c))
            return false;
        has_letter |= c >= 'A' && c <= 'Z';
    }
    return has_letter;
}

static bool ends_with(struct words name, const char *end)
{
    size_t length = strlen(end);
    return name.length >= length && !memcmp(name.start + name.length - length, end, length);
}

/* NAME, or name(…) with a name that is not a mnemonic. */
static bool looks_like_macro(struct ia64_listing *listing, struct words name, struct words operands)
{
    if (is_shouted(name) && (!operands.length || operands.start[0] == '('))
        return true;
    if (operands.length < 2 || operands.start[0] != '(' || operands.start[operands.length - 1] != ')' ||
        name.length > MOST_TEXT)
        return false;
    char text[MOST_TEXT + 1];
    memcpy(text, name.start, name.length);
    text[name.length] = 0;
    struct ia64_facts facts = {0};
    ia64_describe(text, &listing->description, &facts);
    return facts.is_unknown;
}

/* Macros that only declare symbols hide no instructions. */
static bool is_about_symbols(struct words name)
{
    static const char *const parts[] = {"alias", "ALIAS", "hidden", "HIDDEN", "EXPORT", "PROFCODE"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(name.start, name.length, parts[i], strlen(parts[i])))
            return true;
    return false;
}

/* Such macros are unknown: one problem counts them all. */
static void note_unknown_macro(struct ia64_listing *listing, struct words name)
{
    char word[64];
    if (is_about_symbols(name))
        return;
    if (listing->macro_note)
        listing_note_again(listing, listing->macro_note);
    else
        listing->macro_note = listing_note(listing, problem_kind_LISTING, name.start,
                                           "an undefined macro: '%s'", listing_word(word, name));
}

/* Hand-written files hide directives after macros of a missing header.  By convention, macros for the start
   of a function end in ENTRY, and those for its end in END. */
static void use_unknown_macro(struct ia64_listing *listing, struct words name, struct words operands)
{
    struct words rest = operands;
    if (rest.length >= 2 && rest.start[0] == '(' && rest.start[rest.length - 1] == ')') {
        rest.start++;
        rest.length -= 2;
    }
    struct words first = listing_bare(listing_split(&rest, ','));
    bool is_entry = ends_with(name, "ENTRY"), is_label = ends_with(name, "_START");
    if (is_entry && first.length) {
        listing_enter_section(listing, (struct words){".text", 5}, (struct words){0});
        listing_begin_procedure(listing, first);
        listing_name(listing, first)->is_global = !memmem(name.start, name.length, "LOCAL", 5);
    }
    listing_add_directive(listing, directive_kind_MACRO, listing->line, listing_intern(listing, name),
                          operands);
    if ((is_entry || is_label) && first.length)
        listing_add_label(listing, first, false, false);
    else if (ends_with(name, "END") && listing->is_in_procedure)
        listing_end_procedure(listing);
    else if (listing_equals(name, "RODATA"))
        listing_enter_section(listing, (struct words){".rodata", 7}, (struct words){0});
    else if (!ends_with(name, "END"))
        note_unknown_macro(listing, name);
}

/* at is after the name and blanks. */
static bool read_macro_use(struct ia64_listing *listing, struct words name, const char *at)
{
    const char *end = end_of_statement(at, listing->end);
    struct words operands = listing_trim((struct words){at, (size_t)(end - at)});
    const char *before = listing->at;
    if (!listing->depth)
        listing->call_column = (uint32_t)(before - listing->line_start) + 1;
    listing->at = end;
    if (listing->macros.count && listing_use_macro(listing, name, operands))
        return true;
    if (looks_like_macro(listing, name, operands) &&
        !listing_map_find(&listing->alias_of,
                          strings_find_length(&listing->model->strings, name.start, name.length))) {
        use_unknown_macro(listing, name, operands);
        return true;
    }
    listing->at = before;
    return false;
}

static void read_assignment(struct ia64_listing *listing, struct words name, const char *at)
{
    bool is_late = at + 1 < listing->end && at[1] == '=';
    at += 1 + is_late;
    const char *end = end_of_statement(at, listing->end);
    struct words value = listing_trim((struct words){at, (size_t)(end - at)});
    listing_add_directive(listing, directive_kind_ASSIGNMENT, listing->line,
                          listing_intern(listing, listing_bare(name)), value);
    listing->at = end;
    listing_assign(listing, listing_bare(name), value, is_late);
}

static void read_directive(struct ia64_listing *listing, struct words name, const char *at)
{
    if (listing_is_template(listing, name)) {
        listing->at = at;
        listing_set_template(listing, name);
        return;
    }
    const char *end = end_of_statement(at, listing->end);
    struct words operands = listing_trim((struct words){at, (size_t)(end - at)});
    if (listing_equals(name, ".endp") || listing_equals(name, ".proc") || listing_equals(name, ".align"))
        listing_end_bundle(listing); /* they stand between bundles */
    listing_add_directive(listing, directive_kind_DIRECTIVE, listing->line, listing_intern(listing, name),
                          operands);
    listing->at = end;
    if (!listing_take_macro(listing, name, operands) && !listing_take_condition(listing, name, operands))
        listing_directive(listing, name, operands);
}

/* A statement that starts with a name or a number. */
static void read_named(struct ia64_listing *listing)
{
    const char *start = listing->at, *at = start, *end = listing->end;
    if (*at == '"')
        at = skip_quoted(at, end);
    while (at < end && is_name(*at))
        at++;
    struct words name = {start, (size_t)(at - start)};
    if (at < end && *at == '#')
        at++;
    if (at < end && *at == ':') {
        bool is_double = at + 1 < end && at[1] == ':';
        listing->at = at + 1 + is_double;
        listing_add_label(listing, listing_bare(name), is_double, false);
        return;
    }
    at = skip_blanks(at, end);
    if (at < end && *at == '=' && !is_digit(*start))
        read_assignment(listing, name, at);
    else if (is_digit(*start) || *start == '"')
        read_junk(listing);
    else if (*start == '.' || listing_is_data(name))
        read_directive(listing, name, at);
    else if (!read_macro_use(listing, name, at))
        read_instruction(listing);
}

static void read_preprocessor(struct ia64_listing *listing)
{
    const char *start = listing->at, *end = end_of_line(start, listing->end);
    /* A line that ends in a backslash continues. */
    while (end < listing->end && end > start &&
           (end[-1] == '\\' || (end[-1] == '\r' && end - 1 > start && end[-2] == '\\'))) {
        next_line(listing, end + 1);
        end = end_of_line(end + 1, listing->end);
    }
    listing->at = end;
    listing_preprocessor(listing, (struct words){start, (size_t)(end - start)});
}

static bool is_first_on_line(const struct ia64_listing *listing)
{
    return skip_blanks(listing->line_start, listing->at) == listing->at;
}

static void read_statement(struct ia64_listing *listing)
{
    const char *at = listing->at, *end = listing->end;
    switch (*at) {
    case ';':
        listing->at++;
        if (at + 1 < end && at[1] == ';') {
            listing->at++;
            listing_stop(listing);
        }
        return;
    case '{':
        listing->at++;
        listing_open_bundle(listing);
        return;
    case '}':
        listing_close_bundle(listing);
        listing->at++;
        return;
    case '#':
        if (is_first_on_line(listing))
            read_preprocessor(listing);
        else
            read_junk(listing);
        return;
    case '/':
        if (starts_comment(at, end))
            read_comment(listing);
        else
            read_junk(listing);
        return;
    case '[':
        if (!read_tag(listing))
            read_junk(listing);
        return;
    case '(':
        read_instruction(listing);
        return;
    default:
        if (is_name(*at) || *at == '"')
            read_named(listing);
        else
            read_junk(listing);
    }
}

void listing_read_text(struct ia64_listing *listing, const char *start, const char *end)
{
    listing->at = listing->line_start = start;
    listing->end = end;
    while (listing->at < listing->end) {
        char c = *listing->at;
        if (is_blank(c)) {
            listing->at++;
        } else if (c == '\n') {
            listing->at++;
            next_line(listing, listing->at);
        } else {
            read_statement(listing);
        }
    }
}
