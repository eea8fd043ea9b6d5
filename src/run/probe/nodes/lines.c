/* Where things stand in the text of a listing.

   Instructions have line and column from the reader (listing_instructions), labels from the table directives.
   Code that a macro or a repetition makes has the place of the line that uses it; no node can stand between
   such instructions, so they count as not found.

   A node goes between two lines if it can.  Where a label or another statement stands on the line before the
   instruction, the line is cut there. */
#include "run/probe/nodes/parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t start_of(const struct node_lines *lines, uint32_t line)
{
    return *ARRAY_AT(size_t, &lines->starts, line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

/* What unwind directives and switches of syntax say, statement by statement. */

struct unwind_state {
    struct node_place now, kept[16];
    unsigned depth;
};

static bool is_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && !memcmp(at, word, length);
}

static bool is_stack(const struct node_writer *writer, const char *at, const char *end)
{
    while (at < end && (is_blank(*at) || *at == '%'))
        at++;
    const char *stop = at;
    while (stop < end && !is_blank(*stop) && *stop != ',')
        stop++;
    return is_word(at, (size_t)(stop - at), writer->stack_word) ||
           is_word(at, (size_t)(stop - at), writer->stack_name);
}

static void follow(struct unwind_state *state, const struct node_writer *writer, const char *at,
                   const char *end)
{
    const char *stop = at;
    while (stop < end && !is_blank(*stop))
        stop++;
    size_t length = (size_t)(stop - at);
    struct node_place *now = &state->now;
    if (is_word(at, length, ".cfi_startproc")) {
        now->has_cfi = now->is_cfa_stack = true;
        state->depth = 0;
    } else if (is_word(at, length, ".cfi_endproc")) {
        now->has_cfi = false;
    } else if (is_word(at, length, ".cfi_def_cfa") || is_word(at, length, ".cfi_def_cfa_register")) {
        now->is_cfa_stack = is_stack(writer, stop, end);
    } else if (is_word(at, length, ".cfi_escape")) {
        now->is_cfa_stack = false;
    } else if (is_word(at, length, ".cfi_remember_state")) {
        if (state->depth < sizeof state->kept / sizeof *state->kept)
            state->kept[state->depth] = *now;
        state->depth++;
    } else if (is_word(at, length, ".cfi_restore_state") && state->depth) {
        state->depth--;
        if (state->depth < sizeof state->kept / sizeof *state->kept)
            now->is_cfa_stack = state->kept[state->depth].is_cfa_stack;
    } else if (is_word(at, length, ".section") || is_word(at, length, ".text") ||
               is_word(at, length, ".pushsection")) {
        now->is_group = memmem(stop, (size_t)(end - stop), ",comdat", 7) != NULL;
    } else if (is_word(at, length, ".intel_syntax")) {
        now->is_intel = true;
    } else if (is_word(at, length, ".att_syntax")) {
        now->is_intel = false;
    }
}

static void follow_line(struct unwind_state *state, const struct node_writer *writer, const char *at,
                        const char *end)
{
    while (at < end) {
        while (at < end && (is_blank(*at) || *at == ';'))
            at++;
        if (at < end && *at != '.')
            return;
        const char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop ? stop : end;
        follow(state, writer, at, stop);
        at = stop;
    }
}

static void find_lines(struct node_lines *lines, const struct node_writer *writer)
{
    struct unwind_state state = {0};
    size_t at = 0;
    while (at < lines->size) {
        *(size_t *)array_push(&lines->starts) = at;
        *(struct node_place *)array_push(&lines->places) = state.now;
        const char *newline = memchr(lines->text + at, '\n', lines->size - at);
        size_t stop = newline ? (size_t)(newline - lines->text) : lines->size;
        follow_line(&state, writer, lines->text + at, lines->text + stop);
        at = stop + (newline != NULL);
    }
    *(size_t *)array_push(&lines->starts) = lines->size;
    *(struct node_place *)array_push(&lines->places) = state.now;
}

static int by_text(const void *left, const void *right)
{
    const struct node_instruction *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static void find_instructions(struct node_lines *lines)
{
    const struct model *model = lines->model;
    uint32_t count = (uint32_t)lines->starts.count - 1;
    for (uint32_t i = 0; i < model->listing_instructions.count; i++) {
        const struct listing_instruction *row = model_listing_instruction(model, i);
        if (row->file == lines->listing->file && row->instruction && row->line && row->line <= count)
            *(struct node_instruction *)array_push(&lines->instructions) =
                (struct node_instruction){row->instruction, row->line - 1, row->column};
    }
    if (lines->instructions.count)
        qsort(lines->instructions.data, lines->instructions.count, sizeof(struct node_instruction), by_text);
    array_add_many(&lines->by_row, model->code.count);
    for (uint32_t i = 0; i < lines->instructions.count; i++)
        *ARRAY_AT(uint32_t, &lines->by_row,
                  ARRAY_AT(struct node_instruction, &lines->instructions, i)->instruction) = i + 1;
}

static int by_line(const void *left, const void *right)
{
    const struct node_name *a = left, *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

static void find_labels(struct node_lines *lines)
{
    const struct model *model = lines->model;
    for (uint32_t i = 1; i < model->directives.count; i++) {
        const struct directive *row = model_directive(model, i);
        if (row->file == lines->listing->file && row->kind == directive_kind_LABEL && row->line && row->name)
            *(struct node_name *)array_push(&lines->labels) =
                (struct node_name){row->line - 1, row->address, model_text(model, row->name)};
    }
    if (lines->labels.count)
        qsort(lines->labels.data, lines->labels.count, sizeof(struct node_name), by_line);
}

void node_lines_make(struct node_lines *lines, const struct model *model, const struct nodes_listing *listing,
                     const struct node_writer *writer)
{
    *lines = (struct node_lines){.model = model,
                                 .listing = listing,
                                 .text = (const char *)listing->text.data,
                                 .size = listing->text.size,
                                 .starts = ARRAY_OF(size_t),
                                 .instructions = ARRAY_OF(struct node_instruction),
                                 .by_row = ARRAY_OF(uint32_t),
                                 .labels = ARRAY_OF(struct node_name),
                                 .places = ARRAY_OF(struct node_place)};
    find_lines(lines, writer);
    find_instructions(lines);
    find_labels(lines);
}

void node_lines_free(struct node_lines *lines)
{
    array_free(&lines->starts);
    array_free(&lines->instructions);
    array_free(&lines->by_row);
    array_free(&lines->labels);
    array_free(&lines->places);
}

static bool is_same_place(const struct node_instruction *a, const struct node_instruction *b)
{
    return a->line == b->line && (a->column == b->column || !a->column || !b->column);
}

const struct node_instruction *node_lines_find(const struct node_lines *lines, uint32_t instruction)
{
    uint32_t number =
        instruction < lines->by_row.count ? *ARRAY_AT(uint32_t, &lines->by_row, instruction) : 0;
    if (!number--)
        return NULL;
    const struct node_instruction *found = ARRAY_AT(struct node_instruction, &lines->instructions, number);
    if (number && is_same_place(found - 1, found))
        return NULL;
    return number + 1 < lines->instructions.count && is_same_place(found, found + 1) ? NULL : found;
}

/* The offset of an instruction; SIZE_MAX where the columns do not fit the text. */
static size_t offset_of(const struct node_lines *lines, const struct node_instruction *place)
{
    size_t start = start_of(lines, place->line), end = start_of(lines, place->line + 1);
    if (place->column)
        return start + place->column - 1 < end ? start + place->column - 1 : SIZE_MAX;
    size_t at = start;
    while (at < end && is_blank(lines->text[at]))
        at++;
    const char *colon = memchr(lines->text + at, ':', end - at);
    return colon || at == end ? SIZE_MAX : at;
}

struct span node_lines_statement(const struct node_lines *lines, const struct node_instruction *place)
{
    size_t at = offset_of(lines, place), end = start_of(lines, place->line + 1), stop = at;
    if (at == SIZE_MAX)
        return (struct span){0};
    while (stop < end && !strchr("\n;", lines->text[stop]) &&
           !(lines->text[stop] == '/' && stop + 1 < end && strchr("/*", lines->text[stop + 1])) &&
           !(lines->text[stop] == '#' &&
             model_program(lines->model, lines->listing->program)->isa != isa_AARCH64))
        stop++;
    while (stop > at && is_blank(lines->text[stop - 1]))
        stop--;
    return (struct span){lines->listing->text.data + at, stop - at};
}

/* From the middle of a line to its start, if only blanks are between. */
static size_t at_line_start(const struct node_lines *lines, uint32_t line, size_t offset)
{
    size_t at = offset;
    while (at > start_of(lines, line) && is_blank(lines->text[at - 1]))
        at--;
    return at == start_of(lines, line) ? at : offset;
}

size_t node_before(const struct node_lines *lines, uint32_t instruction)
{
    const struct node_instruction *place = node_lines_find(lines, instruction);
    size_t offset = place ? offset_of(lines, place) : SIZE_MAX;
    return offset == SIZE_MAX ? SIZE_MAX : at_line_start(lines, place->line, offset);
}

const struct listing_instruction *node_listing_row(const struct model *model, uint32_t instruction)
{
    size_t at = array_first_not_below(&model->listing_instructions, 0,
                                      offsetof(struct listing_instruction, instruction), instruction);
    const struct listing_instruction *row =
        at < model->listing_instructions.count ? model_listing_instruction(model, (uint32_t)at) : NULL;
    return row && row->instruction == instruction ? row : NULL;
}

bool node_is_lone_prefix(struct span statement)
{
    static const char *const prefixes[] = {"rep",    "repe", "repz",    "repne",  "repnz",    "lock",
                                           "data16", "bnd",  "notrack", "addr32", "xacquire", "xrelease"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (is_word((const char *)statement.data, statement.size, prefixes[i]))
            return true;
    return false;
}

static size_t first_label_from(const struct node_lines *lines, uint32_t line)
{
    return array_first_not_below(&lines->labels, 0, offsetof(struct node_name, line), line);
}

/* Directives of alignment pad before the loop that they are for; a node stands before the padding. */
static bool is_alignment(const struct node_lines *lines, uint32_t line)
{
    size_t at = start_of(lines, line), end = start_of(lines, line + 1);
    while (at < end && is_blank(lines->text[at]))
        at++;
    static const char *const words[] = {".p2align", ".align", ".balign"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (end - at > strlen(words[i]) && !memcmp(lines->text + at, words[i], strlen(words[i])))
            return true;
    return false;
}

static uint32_t above_alignment(const struct node_lines *lines, uint32_t line)
{
    while (line && is_alignment(lines, line - 1))
        line--;
    return line;
}

/* The instruction, if it is the last of those that share its place. */
static const struct node_instruction *last_of_place(const struct node_lines *lines, uint32_t instruction)
{
    uint32_t number =
        instruction < lines->by_row.count ? *ARRAY_AT(uint32_t, &lines->by_row, instruction) : 0;
    const struct node_instruction *found = array_at(&lines->instructions, number ? number - 1 : 0);
    bool is_shared = number && number < lines->instructions.count && is_same_place(found, found + 1);
    return number && !is_shared ? found : NULL;
}

size_t node_after(const struct node_lines *lines, uint32_t instruction)
{
    const struct node_instruction *place = last_of_place(lines, instruction);
    if (place && is_alignment(lines, place->line)) /* padding does nothing: before it is as good */
        return start_of(lines, above_alignment(lines, place->line));
    if (!place || offset_of(lines, place) == SIZE_MAX ||
        node_is_lone_prefix(node_lines_statement(lines, place)))
        return SIZE_MAX;
    const struct node_instruction *next = place + 1;
    bool has_next =
        next < (const struct node_instruction *)lines->instructions.data + lines->instructions.count;
    size_t end = start_of(lines, place->line + 1);
    if (!has_next || next->line != place->line)
        return memchr(lines->text + offset_of(lines, place), ';', end - offset_of(lines, place)) &&
                       lines->text[end - 1] != '\n'
                   ? SIZE_MAX
                   : end;
    size_t label = first_label_from(lines, place->line);
    bool has_label =
        label < lines->labels.count && ARRAY_AT(struct node_name, &lines->labels, label)->line == place->line;
    return has_label ? SIZE_MAX : offset_of(lines, next);
}

uint32_t node_line_of(const struct node_lines *lines, size_t offset)
{
    struct bisection search = {0, lines->starts.count};
    while (bisect(&search))
        bisect_past(&search, start_of(lines, (uint32_t)search.middle) <= offset);
    return search.first ? (uint32_t)search.first - 1 : 0;
}

/* Labels */

/* The last word of a branch's statement, without the f or b of a numbered label. */
static bool is_target(struct span statement, const char *name)
{
    const char *start = (const char *)statement.data, *end = start + statement.size, *at = end;
    while (at > start && !is_blank(at[-1]) && at[-1] != ',')
        at--;
    size_t length = (size_t)(end - at);
    bool is_number = length && *at >= '0' && *at <= '9';
    if (is_number && (end[-1] == 'f' || end[-1] == 'b'))
        length--;
    return is_word(at, length, name);
}

size_t node_before_label(const struct node_lines *lines, uint32_t instruction, const uint32_t *branches,
                         size_t count)
{
    const struct node_instruction *place = node_lines_find(lines, instruction);
    if (!place)
        return SIZE_MAX;
    uint32_t floor =
        place > (const struct node_instruction *)lines->instructions.data ? place[-1].line + 1 : 0;
    uint64_t address = model_address(lines->model, instruction);
    uint32_t line = place->line;
    for (size_t b = 0; b < count; b++) {
        const struct node_instruction *branch = node_lines_find(lines, branches[b]);
        bool is_found = false;
        for (size_t i = first_label_from(lines, floor); branch && i < lines->labels.count; i++) {
            const struct node_name *label = ARRAY_AT(struct node_name, &lines->labels, i);
            if (label->line >= place->line)
                break;
            if (label->address != address || !is_target(node_lines_statement(lines, branch), label->name))
                continue;
            line = label->line < line ? label->line : line;
            is_found = true;
        }
        if (!is_found)
            return SIZE_MAX;
    }
    line = above_alignment(lines, line);
    return start_of(lines, line > floor ? line : floor);
}
