/* Source on the left, instructions on the right, both in their own order.  A source line and its instructions
   have the same colour at their edge and light up together; what limits the loop, the chain between
   iterations and the evidence of advice are marked on the instructions. */
#include "show/report/quality/html.h"

#include "base/path.h"
#include "model/demangle.h"
#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLOURS = 8,    /* of source lines, one after the other: as many as the style has */
    NARROW_GAP = 6, /* lines without instructions that are shown between others */
    LONGEST_LINE = 400,
    LEAST_INLINED = 3 /* instructions in one piece that can be folded */
};

static const char *file_path(const struct html_report *report, uint32_t file)
{
    const char *path = model_text(report->model, model_file(report->model, file)->path);
    return path ? path : "?";
}

static void print_source_line(struct html_report *report, const struct html_listing *listing, uint32_t file,
                              uint32_t line, int place)
{
    size_t length = 0;
    const char *text = places_line(report->places, file_path(report, file), line, &length);
    if (place != NOT_LISTED)
        fprintf(report->out, "<tr id=\"l%u-s%d\" class=\"k%d\" data-k=\"%d\">", listing->loop, place,
                place % COLOURS, place);
    else
        fputs("<tr class=\"around\">", report->out);
    fprintf(report->out, "<td class=\"number\">%u</td><td class=\"text\">", line);
    html_text(report->out, text ? text : "", length < LONGEST_LINE ? length : LONGEST_LINE);
    fputs(length > LONGEST_LINE ? "…</td></tr>\n" : "</td></tr>\n", report->out);
}

static void print_source(struct html_report *report, const struct html_listing *listing)
{
    uint32_t file = 0, last = 0;
    fputs("<div class=\"source\"><table>\n", report->out);
    for (size_t i = 0; i < listing->lines.count; i++) {
        const struct listed_line *line = ARRAY_AT(struct listed_line, &listing->lines, i);
        if (!line->has_text)
            continue;
        if (line->file != file) {
            html_format(report->out, "<tr class=\"file\"><td colspan=\"2\">%s</td></tr>\n",
                        places_path(report->places, file_path(report, line->file)));
        } else if (line->line - last > NARROW_GAP + 1) {
            fputs("<tr class=\"around\"><td class=\"number\">⋮</td><td></td></tr>\n", report->out);
        } else {
            for (uint32_t between = last + 1; between < line->line; between++)
                print_source_line(report, listing, file, between, NOT_LISTED);
        }
        file = line->file;
        last = line->line;
        print_source_line(report, listing, file, last, (int)i);
    }
    fputs("</table></div>\n", report->out);
}

/* Where a jump leads: a row of the listing, else a name. */
static void print_target(const struct html_report *report, const struct html_listing *listing,
                         uint32_t instruction, uint64_t target)
{
    uint32_t block = model_instruction(report->model, instruction)->block;
    const struct function *function =
        model_function(report->model, model_block(report->model, block)->function);
    struct bisection search = {0, listing ? listing->instructions.count : 0};
    while (bisect(&search)) {
        uint64_t address =
            model_address(report->model, *ARRAY_AT(uint32_t, &listing->instructions, search.middle));
        if (address == target) {
            fprintf(report->out, "<a href=\"#l%u-i%zu\">0x%llx</a>", listing->loop, search.middle,
                    (unsigned long long)target);
            return;
        }
        bisect_past(&search, address < target);
    }
    autofree char *name = places_name(report->places, function->program, target);
    if (name)
        html_string(report->out, name);
    else
        fprintf(report->out, "0x%llx", (unsigned long long)target);
}

/* The symbol that the linker will fill in; to be freed, NULL where it has no name. */
static char *symbol_name(const struct html_report *report, uint32_t instruction)
{
    const struct model *model = report->model;
    const struct instruction *row = model_instruction(model, instruction);
    uint64_t address = model_address(model, instruction);
    uint32_t program = model_function(model, model_block(model, row->block)->function)->program;
    return places_symbol(report->places, program, address,
                         address + model_encoding(model, row->encoding)->size);
}

void html_instruction(const struct html_report *report, const struct html_listing *listing,
                      uint32_t instruction)
{
    const struct instruction *row = model_instruction(report->model, instruction);
    const char *text = model_text(report->model, model_encoding(report->model, row->encoding)->text);
    if (!text)
        text = "?";
    size_t predicate = *text == '(' ? strcspn(text, " \t") + strspn(text + strcspn(text, " \t"), " \t") : 0;
    size_t mnemonic = strcspn(text + predicate, " \t");
    const char *rest = text + predicate + mnemonic, *at = strchr(rest, '@');
    autofree char *symbol = at && row->target == NO_ADDRESS ? symbol_name(report, instruction) : NULL;
    if (row->target == NO_ADDRESS && !symbol)
        at = NULL;
    html_text(report->out, text, predicate);
    fputs("<b>", report->out);
    html_text(report->out, text + predicate, mnemonic);
    fputs("</b>", report->out);
    html_text(report->out, rest, at ? (size_t)(at - rest) : strlen(rest));
    if (!at)
        return;
    if (symbol)
        html_string(report->out, symbol);
    else
        print_target(report, listing, instruction, row->target);
    html_string(report->out, at + 1);
}

enum { mark_LIMIT = 1, mark_CHAIN = 2 };

struct badge {
    uint32_t place;
    unsigned number; /* of the card */
};

/* What is marked, by place, so that each row finds its own at once. */
struct code_marks {
    uint8_t *of_place;   /* mark_LIMIT and mark_CHAIN */
    struct array badges; /* of struct badge, in order */
    struct array blocks; /* of uint32_t: those of the path, in order */
    unsigned all;        /* marks that some row has */
};

/* Whether all instructions of a path contribute to its limit, so that marking them would not help. These
 * parts take every instruction; the second of a fused pair is not marked, but counts as well. */
static bool is_limited_by_all(const struct quality_rows *path)
{
    size_t count = 0;
    switch (path->cycles->limit) {
    case core_part_ISSUE:
    case core_part_RETIRE:
    case core_part_UOP_CACHE:
    case core_part_LOOP_BUFFER:
        return true;
    default:
        for (size_t i = 0; i < path->mark_count; i++)
            count += path->marks[i].part == path->cycles->limit;
        return count && count >= path->cycles->instruction_count;
    }
}

static int compare_badges(const void *left, const void *right)
{
    const struct badge *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void find_badges(struct code_marks *marks, const struct model *model,
                        const struct html_listing *listing, const struct array *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        size_t count;
        const struct advice_evidence_row *rows =
            quality_evidence(model, ARRAY_AT(struct quality_finding, findings, i)->advice, &count);
        for (size_t k = 0; k < count; k++) {
            int place = html_listing_instruction(listing, rows[k].instruction);
            if (place != NOT_LISTED)
                *(struct badge *)array_push(&marks->badges) =
                    (struct badge){(uint32_t)place, (unsigned)i + 1};
        }
    }
    if (marks->badges.count)
        qsort(marks->badges.data, marks->badges.count, sizeof(struct badge), compare_badges);
}

static void find_blocks(struct code_marks *marks, const struct model *model, uint32_t loop, uint32_t path)
{
    const struct array *table = &model->path_blocks;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path_block, loop), loop);
         i < table->count && ARRAY_AT(struct path_block, table, i)->loop == loop; i++)
        if (ARRAY_AT(struct path_block, table, i)->path == path)
            *(uint32_t *)array_push(&marks->blocks) = ARRAY_AT(struct path_block, table, i)->block;
    if (marks->blocks.count)
        qsort(marks->blocks.data, marks->blocks.count, sizeof(uint32_t), compare_numbers);
}

static void find_marks(struct code_marks *marks, const struct model *model,
                       const struct html_listing *listing, const struct array *findings,
                       const struct quality_rows *path)
{
    *marks = (struct code_marks){.of_place = memory_get(listing->instructions.count + 1),
                                 .badges = ARRAY_OF(struct badge),
                                 .blocks = ARRAY_OF(uint32_t)};
    bool marks_limit = path->cycle_count && !is_limited_by_all(path);
    for (size_t i = 0; path->cycle_count && i < path->mark_count; i++) {
        int place = html_listing_instruction(listing, path->marks[i].instruction);
        unsigned mark = (marks_limit && path->marks[i].part == path->cycles->limit ? mark_LIMIT : 0) |
                        (path->marks[i].part == core_part_LATENCY ? mark_CHAIN : 0);
        if (place == NOT_LISTED)
            continue;
        marks->of_place[place] |= (uint8_t)mark;
        marks->all |= mark;
    }
    find_badges(marks, model, listing, findings);
    if (path->cycle_count)
        find_blocks(marks, model, listing->loop, path->cycles->path);
}

static void free_marks(struct code_marks *marks)
{
    free(marks->of_place);
    array_free(&marks->badges);
    array_free(&marks->blocks);
}

/* The numbers of the cards that an instruction is evidence for. */
static void print_badges(const struct html_report *report, const struct html_listing *listing,
                         const struct code_marks *marks, uint32_t place)
{
    const struct array *badges = &marks->badges;
    for (size_t i = array_first_not_below(badges, 0, offsetof(struct badge, place), place);
         i < badges->count && ARRAY_AT(struct badge, badges, i)->place == place; i++) {
        unsigned number = ARRAY_AT(struct badge, badges, i)->number;
        fprintf(report->out, "<a href=\"#l%u-a%u\">%u</a>", listing->loop, number, number);
    }
}

static void print_file_line(const struct html_report *report, const struct listed_line *line)
{
    html_format(report->out, "%s:%u", path_name(file_path(report, line->file)), line->line);
}

static void print_line_of(const struct html_report *report, const struct html_listing *listing, int place)
{
    if (place == NOT_LISTED)
        return;
    const struct listed_line *line = ARRAY_AT(struct listed_line, &listing->lines, place);
    if (line->has_text)
        fprintf(report->out, "<a href=\"#l%u-s%d\">%u</a>", listing->loop, place, line->line);
    else
        print_file_line(report, line);
}

void html_origin(const struct html_report *report, const struct html_listing *listing, uint32_t instruction)
{
    int place = html_listing_line(listing, report->model, instruction);
    const struct listed_line *line =
        place != NOT_LISTED ? ARRAY_AT(struct listed_line, &listing->lines, place) : NULL;
    if (!line)
        fprintf(report->out, "%llx", (unsigned long long)model_address(report->model, instruction));
    else if (line->file == model_loop(report->model, listing->loop)->file)
        fprintf(report->out, "line %u", line->line);
    else
        print_file_line(report, line);
}

static void print_row(const struct html_report *report, const struct html_listing *listing,
                      const struct code_marks *marks, size_t place)
{
    uint32_t instruction = *ARRAY_AT(uint32_t, &listing->instructions, place);
    int line = html_listing_line(listing, report->model, instruction);
    fprintf(report->out, "<tr id=\"l%u-i%zu\" class=\"", listing->loop, place);
    if (line != NOT_LISTED)
        fprintf(report->out, "k%d", line % COLOURS);
    fprintf(report->out, "%s%s\"", marks->of_place[place] & mark_LIMIT ? " limit" : "",
            marks->of_place[place] & mark_CHAIN ? " chain" : "");
    if (line != NOT_LISTED)
        fprintf(report->out, " data-k=\"%d\"", line);
    fprintf(report->out, "><td class=\"address\">%llx</td><td class=\"text\">",
            (unsigned long long)model_address(report->model, instruction));
    html_instruction(report, listing, instruction);
    fputs("</td><td class=\"marks\">", report->out);
    print_badges(report, listing, marks, (uint32_t)place);
    fputs("</td><td class=\"line\">", report->out);
    print_line_of(report, listing, line);
    fputs("</td></tr>\n", report->out);
}

/* The call that brought an instruction into the loop: inlined into what the loop itself is part of.  0: it is
   the loop's own code. */
static uint32_t call_into_loop(const struct html_report *report, const struct html_listing *listing,
                               uint32_t instruction)
{
    enum { MOST_CALLS = 100 };
    const struct model *model = report->model;
    uint32_t own = model_loop(model, listing->loop)->inlined_call;
    uint32_t call =
        model_source_line(model, model_instruction(model, instruction)->source_line)->inlined_call;
    for (unsigned i = 0; call && call != own && i < MOST_CALLS; i++) {
        uint32_t around = model_inlined_call(model, call)->parent;
        if (around == own || !around)
            return call;
        call = around;
    }
    return 0;
}

/* Inlined code in one piece gets a line above it, from which the script folds it, unless it is short. */
static size_t inlined_length(const struct html_report *report, const struct html_listing *listing,
                             size_t from, uint32_t call)
{
    uint32_t block = 0;
    size_t at = from;
    for (; call && at < listing->instructions.count; at++) {
        uint32_t instruction = *ARRAY_AT(uint32_t, &listing->instructions, at);
        uint32_t of = model_instruction(report->model, instruction)->block;
        if ((block && of != block) || call_into_loop(report, listing, instruction) != call)
            break;
        block = of;
    }
    return at - from;
}

static void print_inlined(const struct html_report *report, uint32_t call, size_t length)
{
    const struct inlined_call *row = model_inlined_call(report->model, call);
    const char *given = model_text(report->model, row->name);
    autofree char *name = given && report->view->demangle ? demangle_name(given) : NULL;
    autofree char *shown = name_shorten(name ? name : given ? given : "a function", NAME_COLUMNS, true);
    html_format(report->out,
                "<tr class=\"inlined\" data-fold=\"%zu\"><td></td><td class=\"text\" colspan=\"3\">inlined "
                "%s",
                length, shown);
    if (row->call_file && row->call_line)
        fprintf(report->out, ", called in line %u", row->call_line);
    fputs(": ", report->out);
    html_counted(report->out, length, "instruction", "instructions");
    fputs("</td></tr>\n", report->out);
}

static void begin_block(const struct html_report *report, const struct code_marks *marks, uint32_t block,
                        bool is_first)
{
    bool is_on = !marks->blocks.count ||
                 bsearch(&block, marks->blocks.data, marks->blocks.count, sizeof block, compare_numbers);
    uint32_t position = model_block(report->model, block)->position;
    fprintf(report->out, "%s<tbody data-b=\"%u\"%s>\n", is_first ? "" : "</tbody>", position,
            is_on ? "" : " class=\"off\"");
    if (report->flow)
        fprintf(report->out,
                "<tr class=\"block\"><td></td><td class=\"text\" colspan=\"3\"><a href=\"%s#block-%u\">block "
                "%u</a></td></tr>\n",
                report->flow, block, position);
}

/* A body of the table for each block; those that the path does not pass are dim. */
static void print_assembly(const struct html_report *report, const struct html_listing *listing,
                           const struct code_marks *marks)
{
    uint32_t block = 0, call = 0;
    fputs("<div class=\"assembly\"><table>\n", report->out);
    for (size_t i = 0; i < listing->instructions.count; i++) {
        uint32_t instruction = *ARRAY_AT(uint32_t, &listing->instructions, i);
        uint32_t of = model_instruction(report->model, instruction)->block;
        uint32_t by = call_into_loop(report, listing, instruction);
        if (of != block)
            begin_block(report, marks, of, !block);
        if ((of != block || by != call) && by) {
            size_t length = inlined_length(report, listing, i, by);
            if (length >= LEAST_INLINED)
                print_inlined(report, by, length);
        }
        block = of;
        call = by;
        print_row(report, listing, marks, i);
    }
    fputs(block ? "</tbody></table>" : "</table>", report->out);
    if (listing->left_out) {
        fputs("<p class=\"note\">Not shown: ", report->out);
        html_counted(report->out, listing->left_out, "instruction", "instructions");
        fputs(" more; <code>assay asm</code> lists them.</p>", report->out);
    }
    fputs("</div>\n", report->out);
}

static const char *limit_note(const struct quality_rows *path)
{
    return is_limited_by_all(path) ? ", all of them" : "";
}

static void print_legend(const struct html_report *report, const struct code_marks *marks,
                         const struct quality_rows *path)
{
    fputs("<p class=\"legend\">", report->out);
    if (path->mark_count && path->cycle_count)
        fprintf(report->out, "<span class=\"limit\">contributes to the limit: <b>%s%s</b></span>",
                core_part_word(path->cycles->limit), limit_note(path));
    if (marks->all & mark_CHAIN)
        fputs("<span class=\"chain\">longest loop-carried dependence chain</span>", report->out);
    if (marks->badges.count)
        fputs("<span class=\"badge\"><i>1</i>evidence of advice</span>", report->out);
    fputs("</p>\n", report->out);
}

void html_code(struct html_report *report, const struct html_listing *listing, const struct array *findings,
               const struct quality_rows *path)
{
    struct code_marks marks;
    find_marks(&marks, report->model, listing, findings, path);
    fprintf(report->out, "<h3>%s</h3>\n", listing->has_text ? "Source and instructions" : "Instructions");
    print_legend(report, &marks, path);
    fprintf(report->out, "<div class=\"code%s\">\n", listing->has_text ? "" : " alone");
    if (listing->has_text)
        print_source(report, listing);
    print_assembly(report, listing, &marks);
    fputs("</div>\n", report->out);
    free_marks(&marks);
}

static void print_places(const struct html_report *report, const struct html_listing *listing,
                         const struct quality_rows *path, unsigned part, const char *name)
{
    fprintf(report->out, " data-%s=\"", name);
    for (size_t i = 0, count = 0; i < path->mark_count; i++) {
        int place = html_listing_instruction(listing, path->marks[i].instruction);
        if (path->marks[i].part == part && place != NOT_LISTED)
            fprintf(report->out, "%s%d", count++ ? " " : "", place);
    }
    fputs("\"", report->out);
}

void html_path_marks(const struct html_report *report, const struct html_listing *listing,
                     const struct quality_rows *path)
{
    const struct array *table = &report->model->path_blocks;
    fprintf(report->out, " data-part=\"%s%s\"", core_part_word(path->cycles->limit), limit_note(path));
    print_places(report, listing, path, is_limited_by_all(path) ? core_part_NONE : path->cycles->limit,
                 "limit");
    print_places(report, listing, path, core_part_LATENCY, "chain");
    fputs(" data-blocks=\"", report->out);
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path_block, loop), listing->loop),
                count = 0;
         i < table->count && ARRAY_AT(struct path_block, table, i)->loop == listing->loop; i++) {
        const struct path_block *row = ARRAY_AT(struct path_block, table, i);
        if (row->path == path->cycles->path)
            fprintf(report->out, "%s%u", count++ ? " " : "",
                    model_block(report->model, row->block)->position);
    }
    fputs("\"", report->out);
}
