/* Reads the compilers' remarks in the comments of IA-64 listings.

   After an instruction:
     icc        CYCLE: LINE NUMBER, or CYCLE: {LINE:COLUMN} NUMBER, or CYCLE: {LINE:COLUMN:FILE} NUMBER,
                with an optional lat: LATENCY at the end
     HP         SLOT [FILE: LINE/COLUMN]
     Microsoft  LINE, with an optional cc:CYCLE
   On separate lines:
     icc        Block N: FLAGS Pred: N … Succ: N … In Loops: L … -S Freq X
                Branch taken probability X
                mark_description "…"
     Microsoft  R-Addr: 0X…, after the brace of a bundle

   Everything else is kept as text.  A comment on the line of an instruction belongs to the last one there. */
#include "code/read/ia64/listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool take_prefix(struct words *words, const char *text)
{
    size_t length = strlen(text);
    if (words->length < length || memcmp(words->start, text, length))
        return false;
    words->start += length;
    words->length -= length;
    *words = listing_trim(*words);
    return true;
}

static bool take_small(struct words *words, uint32_t *number)
{
    uint64_t value;
    struct words rest = *words;
    if (!listing_take_number(&rest, &value) || value > INT32_MAX)
        return false;
    *number = (uint32_t)value;
    *words = rest;
    return true;
}

static bool take_real(struct words words, double *value)
{
    char text[64], *end;
    if (!words.length || words.length >= sizeof text)
        return false;
    memcpy(text, words.start, words.length);
    text[words.length] = 0;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static uint32_t row_of_file(struct ia64_listing *listing, struct words file)
{
    uint64_t number;
    struct words digits = file;
    if (listing_take_number(&digits, &number) && !digits.length)
        return number < listing->file_rows.count ? *ARRAY_AT(uint32_t, &listing->file_rows, number) : 0;
    string_id id = listing_intern(listing, listing_bare(file));
    return id ? model_file_id(listing->model, model_text(listing->model, id)) : 0;
}

void listing_set_line(struct ia64_listing *listing, uint64_t address, uint32_t file, uint32_t line,
                      uint32_t column)
{
    struct array *rows = &listing->model->source_lines;
    struct source_line *last =
        rows->count > listing->first_source_line ? array_at(rows, rows->count - 1) : NULL;
    if (last && last->address == address) {
        last->file = file;
        last->line = line;
        last->column = column;
        return;
    }
    if (last && last->address >> SECTION_SHIFT == address >> SECTION_SHIFT && last->file == file &&
        last->line == line && last->column == column)
        return;
    struct source_line *row = model_add(rows);
    *row = (struct source_line){.program = listing->program,
                                .address = address,
                                .end = address,
                                .file = file,
                                .line = line,
                                .column = column,
                                .unit = listing->unit};
}

/* CYCLE: … of icc. */
static bool read_icc(struct ia64_listing *listing, struct words comment, struct listing_instruction *row)
{
    uint32_t cycle, line = 0, column = 0, number, latency;
    if (!take_small(&comment, &cycle) || !take_prefix(&comment, ":"))
        return false;
    if (take_prefix(&comment, "{")) {
        if (!take_small(&comment, &line) || !take_prefix(&comment, ":") || !take_small(&comment, &column))
            return false;
        const char *close = memchr(comment.start, '}', comment.length);
        if (!close)
            return false;
        struct words file = {comment.start, (size_t)(close - comment.start)};
        comment = listing_trim((struct words){close + 1, comment.length - file.length - 1});
        if (take_prefix(&file, ":")) {
            uint32_t found = row_of_file(listing, file);
            listing->source_file = found ? found : listing->source_file;
        }
    } else if (!take_small(&comment, &line)) {
        return false;
    }
    comment = listing_trim(comment);
    row->cycle = (int32_t)cycle;
    if (take_small(&comment, &number))
        row->number = (int32_t)number;
    comment = listing_trim(comment);
    if (take_prefix(&comment, "lat:") && take_small(&comment, &latency))
        row->latency = (int32_t)latency;
    row->comment = listing_intern(listing, listing_trim(comment));
    if (line)
        listing_set_line(listing, row->address, listing->source_file, line, column);
    return true;
}

/* SLOT [FILE: LINE/COLUMN] of HP. */
static bool read_hp(struct ia64_listing *listing, struct words comment, struct listing_instruction *row)
{
    uint32_t line, column = 0;
    const char *open = memchr(comment.start, '[', comment.length);
    if (!open || open - comment.start > 8 || comment.start[comment.length - 1] != ']')
        return false;
    struct words inside = {open + 1, comment.length - (size_t)(open - comment.start) - 2};
    const char *colon = memrchr(inside.start, ':', inside.length);
    if (!colon)
        return false;
    struct words file = listing_trim((struct words){inside.start, (size_t)(colon - inside.start)});
    struct words place =
        listing_trim((struct words){colon + 1, inside.length - (size_t)(colon - inside.start) - 1});
    if (!file.length || !take_small(&place, &line))
        return false;
    if (take_prefix(&place, "/"))
        take_small(&place, &column);
    if (place.length)
        return false;
    listing_set_line(listing, row->address, row_of_file(listing, file), line, column);
    return true;
}

/* LINE of Microsoft. */
static bool read_microsoft(struct ia64_listing *listing, struct words comment,
                           struct listing_instruction *row)
{
    uint32_t line, cycle;
    if (!take_small(&comment, &line))
        return false;
    comment = listing_trim(comment);
    if (take_prefix(&comment, "cc:")) {
        if (!take_small(&comment, &cycle))
            return false;
        row->cycle = (int32_t)cycle;
    }
    if (comment.length)
        return false;
    if (line)
        listing_set_line(listing, row->address, listing->source_file, line, 0);
    return true;
}

static void read_after_instruction(struct ia64_listing *listing, struct words comment)
{
    struct listing_instruction *row = model_listing_instruction(listing->model, listing->last_on_line - 1);
    if (is_digit(comment.start[0]) &&
        (read_icc(listing, comment, row) || read_microsoft(listing, comment, row)))
        return;
    if (read_hp(listing, comment, row))
        return;
    if (!row->comment)
        row->comment = listing_intern(listing, comment);
    else
        listing_add_directive(listing, directive_kind_COMMENT, listing->line, 0, comment);
}

/* The words up to one of the marks of a Block comment. */
static struct words take_until_mark(struct words *rest)
{
    static const char *const marks[] = {"Pred:", "Succ:", "In Loops:", "-S", "-G", "-D"};
    size_t best = rest->length;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = memmem(rest->start, best, marks[i], strlen(marks[i]));
        if (found && (found == rest->start || is_blank(found[-1])))
            best = (size_t)(found - rest->start);
    }
    struct words taken = listing_trim((struct words){rest->start, best});
    rest->start += best;
    rest->length -= best;
    return taken;
}

/* Words with single blanks between them. */
static string_id intern_list(struct ia64_listing *listing, struct words words)
{
    char buffer[1000];
    size_t length = 0;
    bool is_apart = false;
    for (size_t i = 0; i < words.length && length + 2 < sizeof buffer; i++) {
        bool blank = is_blank(words.start[i]);
        if (!blank && is_apart && length)
            buffer[length++] = ' ';
        if (!blank)
            buffer[length++] = words.start[i];
        is_apart = blank;
    }
    return listing_intern(listing, (struct words){buffer, length});
}

static bool read_block(struct ia64_listing *listing, struct words comment)
{
    uint32_t number;
    if (!take_prefix(&comment, "Block ") || !take_small(&comment, &number) || !take_prefix(&comment, ":"))
        return false;
    struct compiler_block row = {.program = listing->program,
                                 .file = listing->source->file,
                                 .line = listing->line,
                                 .number = number,
                                 .frequency = NAN,
                                 .address = NO_ADDRESS};
    row.flags = intern_list(listing, take_until_mark(&comment));
    for (;;) {
        if (take_prefix(&comment, "Pred:"))
            row.predecessors = intern_list(listing, take_until_mark(&comment));
        else if (take_prefix(&comment, "Succ:"))
            row.successors = intern_list(listing, take_until_mark(&comment));
        else if (take_prefix(&comment, "In Loops:"))
            row.loops = intern_list(listing, take_until_mark(&comment));
        else
            break;
    }
    *(struct compiler_block *)model_add(&listing->model->compiler_blocks) = row;
    listing->waiting_blocks++;
    return true;
}

static bool read_frequency(struct ia64_listing *listing, struct words comment)
{
    double value;
    struct array *blocks = &listing->model->compiler_blocks;
    if (!take_prefix(&comment, "Freq ") || !take_real(comment, &value) ||
        blocks->count <= listing->first_block)
        return false;
    model_compiler_block(listing->model, model_last(blocks))->frequency = value;
    return true;
}

static bool read_probability(struct ia64_listing *listing, struct words comment)
{
    double value;
    if (!take_prefix(&comment, "Branch taken probability ") || !take_real(comment, &value))
        return false;
    listing->probability = value;
    return true;
}

void listing_set_producer(struct ia64_listing *listing, struct words producer)
{
    struct unit *unit = model_unit(listing->model, listing->unit);
    if (!unit->producer && producer.length)
        unit->producer = unit->compiler = listing_intern(listing, producer);
}

/* Options come in pieces; ia64/listing.c puts them into the row at the end of the file. */
static void add_flags(struct ia64_listing *listing, struct words flags)
{
    if (listing->flags.count)
        *(char *)array_add(&listing->flags) = ' ';
    memcpy(array_add_many(&listing->flags, flags.length), flags.start, flags.length);
}

/* mark_description "compiler"; the ones after it hold the options. */
static bool read_description(struct ia64_listing *listing, struct words comment)
{
    if (!take_prefix(&comment, "mark_description"))
        return false;
    while (comment.length &&
           (comment.start[comment.length - 1] == ';' || is_blank(comment.start[comment.length - 1])))
        comment.length--;
    comment = listing_trim(listing_bare(comment));
    if (comment.length > 3 && !memcmp(comment.start + comment.length - 3, " %s", 3))
        comment = listing_trim((struct words){comment.start, comment.length - 3});
    struct unit *unit = model_unit(listing->model, listing->unit);
    if (comment.length && comment.start[0] != '-' && !unit->producer)
        listing_set_producer(listing, comment);
    else if (comment.length)
        add_flags(listing, comment);
    return true;
}

/* What gcc -fverbose-asm and Microsoft's compiler write at the top; the comment is kept too. */
static void read_header(struct ia64_listing *listing, struct words comment)
{
    if (take_prefix(&comment, "options passed:") && comment.length)
        add_flags(listing, comment);
    else if (comment.length > 4 && !memcmp(comment.start, "GNU ", 4) &&
             memmem(comment.start, comment.length, "version ", 8))
        listing_set_producer(listing, comment);
    else if (take_prefix(&comment, "Listing generated by "))
        listing_set_producer(listing, comment);
}

void listing_comment(struct ia64_listing *listing, struct words comment, uint32_t line)
{
    if (!comment.length)
        return;
    if (listing->last_on_line) {
        read_after_instruction(listing, comment);
        return;
    }
    switch (comment.start[0]) {
    case 'B':
        if (read_block(listing, comment) || read_probability(listing, comment))
            return;
        break;
    case 'F':
        if (read_frequency(listing, comment))
            return;
        break;
    case 'm':
        if (read_description(listing, comment))
            return;
        break;
    default:
        read_header(listing, comment);
    }
    listing_add_directive(listing, directive_kind_COMMENT, line, 0, comment);
}
