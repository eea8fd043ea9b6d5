/* The places of wishes in the text, and the text with them.

   An instruction can be edited where it stands alone on its line, without a label, and the reader knows its place:
   what macros and repetitions make has none.  Inline assembler is the programmer's, and stays.

   Whole lines change: a comment line says what was done, and the new lines follow.  origins says of every line of
   the new text where it is from, so that what the assembler makes of it can be compared line by line. */
#include "change/edit/parts.h"

#include <ctype.h>
#include <string.h>

enum { MOST_REASON = 200, MOST_LINES = 1000, MOST_BUNDLE_LINES = 8 };

static size_t start_of(const struct edit_making *making, uint32_t line)
{
    return *ARRAY_AT(size_t, &making->lines.starts, line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

/* The text of a line without blanks around it. */
static struct span line_text(const struct edit_making *making, uint32_t line)
{
    size_t at = start_of(making, line), end = start_of(making, line + 1);
    const char *text = making->lines.text;
    while (end > at && (is_blank(text[end - 1]) || text[end - 1] == '\n'))
        end--;
    while (at < end && is_blank(text[at]))
        at++;
    return (struct span){(const uint8_t *)text + at, end - at};
}

static bool is_word(struct span text, const char *word)
{
    return text.size == strlen(word) && !memcmp(text.data, word, text.size);
}

/* Compilers put inline assembler between two comments. */
static void find_inline(struct edit_making *making)
{
    bool is_inside = false;
    for (uint32_t line = 0; line + 1 < making->lines.starts.count; line++) {
        struct span text = line_text(making, line);
        if (is_word(text, "#APP") || is_word(text, "//APP") || is_word(text, "# APP"))
            is_inside = true;
        *(uint8_t *)array_push(&making->inline_lines) = is_inside;
        if (is_word(text, "#NO_APP") || is_word(text, "//NO_APP") || is_word(text, "# NO_APP"))
            is_inside = false;
    }
}

void edit_text_begin(struct edit_making *making)
{
    const struct edit_work *work = making->work;
    making->listing = (struct nodes_listing){
        .path = work->path, .program = work->program, .file = work->file, .text = work->text};
    making->inline_lines = ARRAY_OF(uint8_t);
    making->text = ARRAY_OF(char);
    making->origins = ARRAY_OF(struct edit_origin);
    making->fresh = ARRAY_OF(struct edit_fresh);
    making->firsts = ARRAY_OF(uint32_t);
    array_add_many(&making->firsts, making->wishes->count);
    making->regions = ARRAY_OF(struct edit_region);
    struct array *numbers[] = {&making->changes, &making->befores, &making->afters};
    for (unsigned i = 0; i < 3; i++) {
        *numbers[i] = ARRAY_OF(uint32_t);
        array_add_many(numbers[i], work->model->code.count);
    }
    making->next = ARRAY_OF(uint32_t);
    array_add_many(&making->next, making->wishes->count);
    node_lines_make(&making->lines, work->model, &making->listing,
                    node_writer((enum isa)model_program(work->model, work->program)->isa));
    find_inline(making);
}

void edit_text_end(struct edit_making *making)
{
    struct array *arrays[] = {&making->inline_lines, &making->firsts, &making->regions, &making->text,
                              &making->origins,      &making->fresh,  &making->changes, &making->befores,
                              &making->afters,       &making->next};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
    node_lines_free(&making->lines);
}

char *edit_place(const struct edit_making *making, uint32_t instruction)
{
    const struct node_instruction *place = node_lines_find(&making->lines, instruction);
    uint32_t line = edit_line_of(making->work->model, instruction);
    struct span text = place ? node_lines_statement(&making->lines, place) : (struct span){0};
    char *words = memory_format("line %u%s%.*s%s", line, text.size ? " (" : "", (int)text.size,
                                text.size ? (const char *)text.data : "", text.size ? ")" : "");
    for (char *at = words; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    return words;
}

/* Places */

static enum isa isa_of(const struct edit_making *making)
{
    return (enum isa)model_program(making->work->model, making->work->program)->isa;
}

static bool is_alone(const struct edit_making *making, const struct node_instruction *place,
                     struct span statement)
{
    const char *text = making->lines.text;
    size_t at = start_of(making, place->line), end = start_of(making, place->line + 1);
    size_t first = (size_t)((const char *)statement.data - text), last = first + statement.size;
    while (at < first && is_blank(text[at]))
        at++;
    while (last < end && is_blank(text[last]))
        last++;
    if (isa_of(making) == isa_IA64 && last + 1 < end && text[last] == ';' && text[last + 1] == ';')
        for (last += 2; last < end && is_blank(text[last]);)
            last++;
    bool is_comment =
        last < end && (text[last] == '#' || (text[last] == '/' && last + 1 < end && text[last + 1] == '/'));
    return at == first && (last == end || text[last] == '\n' || is_comment);
}

/* Of thread-local variables: the linker takes the whole sequence for another one. */
static bool is_rewritten(struct span statement)
{
    static const char *const signs[] = {"@tls",     "@TLS",   "@dtpoff", "@DTPOFF", "__tls_get_addr",
                                        ":tlsdesc", ":tlsgd", ":tlsld",  "@dtpmod", "@ltoff(@"};
    for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(statement.data, statement.size, signs[i], strlen(signs[i])))
            return true;
    return false;
}

static void check_place(const struct edit_making *making, struct edit_wish *wish, uint32_t instruction)
{
    const struct model *model = making->work->model;
    if (!instruction || instruction >= model->code.count) {
        edit_refuse(wish, "there is no instruction %u", instruction);
        return;
    }
    uint32_t function = model_block(model, model_instruction(model, instruction)->block)->function;
    if (!function || model_function(model, function)->program != making->work->program) {
        edit_refuse(wish, "instruction %u is in no function of this listing", instruction);
        return;
    }
    const struct node_instruction *place = node_lines_find(&making->lines, instruction);
    struct span statement = place ? node_lines_statement(&making->lines, place) : (struct span){0};
    if (!statement.size)
        edit_refuse(wish,
                    "instruction %u has no place of its own in the text: a macro or a repetition made it",
                    instruction);
    else if (is_rewritten(statement))
        edit_refuse(wish, "it belongs to a sequence that the linker may rewrite (thread-local variables)");
    else if (*ARRAY_AT(uint8_t, &making->inline_lines, place->line))
        edit_refuse(wish, "it is inline assembler, which stays as the programmer wrote it");
    else if (node_is_lone_prefix(statement) || !is_alone(making, place, statement))
        edit_refuse(wish, "it shares its line with a label, a prefix or another statement");
}

/* Lines of new text: instructions alone. */
static const char *wrong_line(const char *line, size_t length, enum isa isa)
{
    size_t word = 0;
    while (word < length && !isspace((unsigned char)line[word]))
        word++;
    if (*line == '.')
        return "its text has a directive: only instructions are inserted";
    if (*line == '#' || (length > 1 && *line == '/' && line[1] == '/'))
        return "its text has a line with a comment alone";
    if (memchr(line, ':', word))
        return "its text has a label: control flow stays as it is";
    for (size_t i = 0; i < length; i++) {
        if (line[i] == ';' || line[i] == '"' || line[i] == '\\' ||
            (line[i] == '/' && i + 1 < length && line[i + 1] == '*'))
            return "its text has one of ; \" \\ /*: write plain instructions, one a line";
        if ((unsigned char)line[i] < ' ' && line[i] != '\t')
            return "its text has control characters";
        if (line[i] == '=' && isa != isa_IA64)
            return "its text has an assignment or a literal pool";
    }
    return node_is_lone_prefix((struct span){(const uint8_t *)line, length})
               ? "its text has a prefix without its instruction"
               : NULL;
}

static bool next_line(const char **at, const char **line, size_t *length)
{
    while (**at) {
        const char *start = *at;
        size_t size = strcspn(start, "\n");
        *at = start + size + (start[size] == '\n');
        while (size && is_blank(*start)) {
            start++;
            size--;
        }
        while (size && is_blank(start[size - 1]))
            size--;
        *line = start;
        *length = size;
        if (size)
            return true;
    }
    return false;
}

static void check_text(const struct edit_making *making, struct edit_wish *wish)
{
    enum isa isa = isa_of(making);
    const char *at = wish->text ? wish->text : "", *line;
    size_t length, lines = 0;
    for (; next_line(&at, &line, &length); lines++) {
        const char *wrong = wrong_line(line, length, isa);
        if (wrong)
            edit_refuse(wish, "%s", wrong);
    }
    if (!lines)
        edit_refuse(wish, "it has no text");
    else if (lines > MOST_LINES)
        edit_refuse(wish, "its text has more than %d lines", MOST_LINES);
    else if (wish->kind == edit_kind_REPLACE && lines > 1)
        edit_refuse(wish, "one instruction is replaced by one; insert others before or after it");
}

static void change_once(struct edit_making *making, struct edit_wish *wish, uint32_t instruction,
                        uint32_t number)
{
    uint32_t *change = ARRAY_AT(uint32_t, &making->changes, instruction);
    if (*change)
        edit_refuse(wish, "another edit changes the same instruction");
    else
        *change = number + 1;
}

static bool starts_with(struct span text, char sign)
{
    return text.size && text.data[0] == (uint8_t)sign;
}

/* Between the braces stand instructions, comments, and perhaps the template on a line of its own. */
static bool is_of_bundle(const struct edit_making *making, uint32_t line)
{
    struct span text = line_text(making, line);
    bool is_comment = text.size > 1 && text.data[0] == '/' && text.data[1] == '/';
    bool is_template = starts_with(text, '.') && text.size == 4;
    bool is_instruction = false;
    for (size_t i = 0; i < making->lines.instructions.count; i++)
        is_instruction |= ARRAY_AT(struct node_instruction, &making->lines.instructions, i)->line == line;
    return !text.size || is_comment || is_template || is_instruction;
}

/* The lines of a bundle with its braces; false: they hold something else, too. */
static bool find_bundle(const struct edit_making *making, uint32_t instruction, uint32_t *first,
                        uint32_t *last)
{
    uint32_t count, row = edit_bundles_first(making->work->model, instruction, &count);
    const struct node_instruction *begin = count ? node_lines_find(&making->lines, row) : NULL;
    const struct node_instruction *end = count ? node_lines_find(&making->lines, row + count - 1) : NULL;
    if (!begin || !end)
        return false;
    *first = begin->line;
    *last = end->line;
    while (*first && is_of_bundle(making, *first) && begin->line - *first < MOST_BUNDLE_LINES)
        --*first;
    while (*last + 2 < making->lines.starts.count && is_of_bundle(making, *last) &&
           *last - end->line < MOST_BUNDLE_LINES)
        ++*last;
    bool is_whole = starts_with(line_text(making, *first), '{') && starts_with(line_text(making, *last), '}');
    for (uint32_t line = *first + 1; line < *last; line++)
        is_whole &= is_of_bundle(making, line);
    return is_whole;
}

static void change_bundles(struct edit_making *making, struct edit_wish *wish, uint32_t number)
{
    struct edit_region region = {.wish = number};
    if (isa_of(making) != isa_IA64) {
        edit_refuse(wish, "only IA-64 has bundles");
        return;
    }
    if (!find_bundle(making, wish->instruction, &region.first, &region.last) ||
        !find_bundle(making, wish->other, &region.other_first, &region.other_last)) {
        edit_refuse(wish, "a bundle does not stand between braces on lines of its own");
        return;
    }
    if (region.first == region.other_first) {
        edit_refuse(wish, "the two are in one bundle");
        return;
    }
    struct edit_region back = {region.other_first, region.other_last, region.first, region.last, number};
    *(struct edit_region *)array_push(&making->regions) = region;
    *(struct edit_region *)array_push(&making->regions) = back;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t count,
            first = edit_bundles_first(making->work->model, i ? wish->other : wish->instruction, &count);
        for (uint32_t k = 0; k < count; k++)
            change_once(making, wish, first + k, number);
    }
}

void edit_text_check(struct edit_making *making)
{
    for (uint32_t i = 0; i < making->wishes->count; i++) {
        struct edit_wish *wish = edit_wish_at(making, i);
        check_place(making, wish, wish->instruction);
        if (wish->kind == edit_kind_SWAP || wish->kind == edit_kind_SWAP_BUNDLES)
            check_place(making, wish, wish->other);
        else if (wish->kind != edit_kind_DELETE)
            check_text(making, wish);
        if (wish->refusal)
            continue;
        if (wish->kind == edit_kind_BEFORE || wish->kind == edit_kind_AFTER) {
            uint32_t *link =
                ARRAY_AT(uint32_t, wish->kind == edit_kind_BEFORE ? &making->befores : &making->afters,
                         wish->instruction);
            while (*link)
                link = ARRAY_AT(uint32_t, &making->next, *link - 1);
            *link = i + 1;
            continue;
        }
        if (wish->kind == edit_kind_SWAP_BUNDLES) {
            change_bundles(making, wish, i);
            continue;
        }
        change_once(making, wish, wish->instruction, i);
        if (wish->kind == edit_kind_SWAP && !wish->refusal)
            change_once(making, wish, wish->other, i);
    }
}

/* The text */

static void append(struct array *out, const char *text, size_t size)
{
    if (size)
        memcpy(array_push_many(out, size), text, size);
}

static void add_line(struct edit_making *making, struct edit_origin origin, const char *text, size_t size)
{
    append(&making->text, text, size);
    if (!size || text[size - 1] != '\n')
        append(&making->text, "\n", 1);
    *(struct edit_origin *)array_push(&making->origins) = origin;
}

static void add_remark(struct edit_making *making, uint32_t number, const char *what, struct span text)
{
    const char *reason = edit_wish_at(making, number)->reason;
    char words[MOST_REASON + 1] = "";
    for (size_t i = 0; reason && reason[i] && i < MOST_REASON; i++) {
        words[i] = (unsigned char)reason[i] < ' ' ? ' ' : reason[i];
        words[i + 1] = 0;
    }
    autofree char *line =
        memory_format("// assay: %s%s%s%s%s%.*s", what, *words ? " (" : "", words, *words ? ")" : "",
                      text.size ? ": " : "", (int)text.size, text.size ? (const char *)text.data : "");
    for (char *at = line; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    add_line(making, (struct edit_origin){NO_LINE, number + 1}, line, strlen(line));
}

/* IA-64: a stop after the instruction stays where it is. */
static const char *stop_of(const struct edit_making *making, uint32_t instruction)
{
    const struct node_instruction *place = node_lines_find(&making->lines, instruction);
    struct span line = line_text(making, place->line),
                statement = node_lines_statement(&making->lines, place);
    const char *at = (const char *)statement.data + statement.size,
               *end = (const char *)line.data + line.size;
    while (at < end && is_blank(*at))
        at++;
    return isa_of(making) == isa_IA64 && end - at > 1 && at[0] == ';' && at[1] == ';' ? " ;;" : "";
}

static void add_slot(struct edit_making *making, uint32_t number, const char *text, size_t length)
{
    uint32_t instruction = edit_wish_at(making, number)->instruction;
    autofree char *line = memory_format("\t%.*s%s", (int)length, text, stop_of(making, instruction));
    add_line(making, (struct edit_origin){NO_LINE, number + 1}, line, strlen(line));
}

static void add_no_op(struct edit_making *making, uint32_t number)
{
    char words[] = "nop.? 0";
    words[4] = edit_bundles_no_op(making->work->model, edit_wish_at(making, number)->instruction);
    add_slot(making, number, words, strlen(words));
}

static void add_text(struct edit_making *making, uint32_t number)
{
    const char *at = edit_wish_at(making, number)->text, *line;
    size_t length;
    while (next_line(&at, &line, &length)) {
        autofree char *indented = memory_format("\t%.*s", (int)length, line);
        add_line(making, (struct edit_origin){NO_LINE, number + 1}, indented, strlen(indented));
    }
}

static void add_inserted(struct edit_making *making, uint32_t first)
{
    for (uint32_t link = first; link; link = *ARRAY_AT(uint32_t, &making->next, link - 1)) {
        if (edit_wish_at(making, link - 1)->refusal)
            continue;
        add_remark(making, link - 1, "inserted", (struct span){0});
        add_text(making, link - 1);
    }
}

static void add_old_line(struct edit_making *making, uint32_t line)
{
    size_t at = start_of(making, line), end = start_of(making, line + 1);
    append(&making->text, making->lines.text + at, end - at);
    *(struct edit_origin *)array_push(&making->origins) = (struct edit_origin){line, 0};
}

/* The last line may have no newline. */
static void close_line(struct edit_making *making)
{
    if (making->text.count && *ARRAY_AT(char, &making->text, making->text.count - 1) != '\n')
        append(&making->text, "\n", 1);
}

static void add_swapped(struct edit_making *making, uint32_t number, uint32_t instruction)
{
    const struct edit_wish *wish = edit_wish_at(making, number);
    uint32_t there = wish->instruction == instruction ? wish->other : wish->instruction;
    uint32_t line = node_lines_find(&making->lines, there)->line;
    autofree char *what = memory_format("swapped with line %u", line + 1);
    add_remark(making, number, what, (struct span){0});
    if (isa_of(making) == isa_IA64) { /* stops stay, so the statement moves alone */
        struct span text = node_lines_statement(&making->lines, node_lines_find(&making->lines, there));
        autofree char *moved =
            memory_format("\t%.*s%s", (int)text.size, (const char *)text.data, stop_of(making, instruction));
        add_line(making, (struct edit_origin){line, 0}, moved, strlen(moved));
        return;
    }
    add_old_line(making, line);
    close_line(making);
}

static void add_instruction(struct edit_making *making, uint32_t instruction, uint32_t line)
{
    uint32_t change = edit_number(&making->changes, instruction),
             after = edit_number(&making->afters, instruction);
    enum edit_kind kind = change ? edit_wish_at(making, change - 1)->kind : edit_kind_BEFORE;
    add_inserted(making, edit_number(&making->befores, instruction));
    if (!change || kind == edit_kind_SWAP_BUNDLES || edit_wish_at(making, change - 1)->refusal) {
        add_old_line(making, line);
    } else if (kind == edit_kind_SWAP) {
        add_swapped(making, change - 1, instruction);
    } else {
        add_remark(making, change - 1, kind == edit_kind_DELETE ? "deleted" : "replaced",
                   line_text(making, line));
        const char *at = edit_wish_at(making, change - 1)->text, *text;
        size_t length;
        if (kind == edit_kind_REPLACE && next_line(&at, &text, &length))
            add_slot(making, change - 1, text, length);
        else if (isa_of(making) == isa_IA64)
            add_no_op(making, change - 1);
    }
    if (after) {
        close_line(making);
        add_inserted(making, after);
    }
}

/* The other bundle in the place of one; the last line of the old one, or NO_LINE: no bundle goes from here. */
static uint32_t add_bundle(struct edit_making *making, uint32_t line)
{
    for (size_t i = 0; i < making->regions.count; i++) {
        const struct edit_region *region = array_at(&making->regions, i);
        if (region->first != line || edit_wish_at(making, region->wish)->refusal)
            continue;
        autofree char *what = memory_format("bundle swapped with line %u", region->other_first + 1);
        add_remark(making, region->wish, what, (struct span){0});
        for (uint32_t at = region->other_first; at <= region->other_last; at++)
            add_old_line(making, at);
        return region->last;
    }
    return NO_LINE;
}

void edit_text_make(struct edit_making *making)
{
    const struct node_instruction *at = making->lines.instructions.data,
                                  *end = at + making->lines.instructions.count;
    making->text.count = making->origins.count = making->fresh.count = 0;
    for (uint32_t line = 0; line + 1 < making->lines.starts.count; line++) {
        const struct node_instruction *found = NULL;
        uint32_t last = add_bundle(making, line);
        if (last != NO_LINE) {
            line = last;
            continue;
        }
        for (; at < end && at->line <= line; at++)
            if (at->line == line && (edit_number(&making->changes, at->instruction) ||
                                     edit_number(&making->befores, at->instruction) ||
                                     edit_number(&making->afters, at->instruction)))
                found = at;
        if (found)
            add_instruction(making, found->instruction, line);
        else
            add_old_line(making, line);
    }
}
