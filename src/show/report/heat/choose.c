/* What is shown of a long function: where its time is, and a little around that.  What is worth showing is a part
   of the function's own time; where that gives too much, it is doubled until it does not. */
#include "show/report/heat/parts.h"

#include <stdlib.h>
#include <string.h>

enum { AROUND = 3, SHORT_GAP = 2, NARROW_GAP = 6, LEAST_SPAN = 200, SHORT_LOOP = 40 };
static const double LEAST_PART = 0.005;
static const double LEAST_CALLS = 0.02; /* of the run */

static const struct heat_node *node_of(const struct heat *heat, uint32_t place)
{
    return ARRAY_AT(struct heat_node, &heat->nodes, place);
}

bool heat_is_calling(const struct heat *heat, uint32_t node)
{
    return node_of(heat, node)->total - node_of(heat, node)->self > LEAST_CALLS * heat->all;
}

bool heat_is_worth_naming(const struct heat *heat, uint32_t node)
{
    double least = LEAST_PART * node_of(heat, 0)->self;
    return node_of(heat, node)->self > 0 && node_of(heat, node)->self >= least;
}

static double time_at(const struct heat *heat, size_t place)
{
    return ARRAY_AT(struct heat_instruction, &heat->instructions, place)->self;
}

/* The place of an address among the instructions; SIZE_MAX: it is none of them. */
static size_t place_of(const struct heat *heat, uint64_t address)
{
    const struct array *all = &heat->instructions;
    struct bisection search = {0, all->count};
    while (bisect(&search))
        bisect_past(
            &search,
            model_address(heat->model, ARRAY_AT(struct heat_instruction, all, search.middle)->instruction) <
                address);
    bool is_there =
        search.first < all->count &&
        model_address(heat->model, ARRAY_AT(struct heat_instruction, all, search.first)->instruction) ==
            address;
    return is_there ? search.first : SIZE_MAX;
}

/* Short loops are shown from end to end: what lies between a jump and where it leads to. */
static void mark_jumps(const struct heat *heat, uint8_t *marks)
{
    for (size_t i = 0; i < heat->instructions.count; i++) {
        uint32_t id = ARRAY_AT(struct heat_instruction, &heat->instructions, i)->instruction;
        const struct instruction *row = model_instruction(heat->model, id);
        uint8_t flow = model_encoding(heat->model, row->encoding)->flow;
        if (marks[i] != 1 || (flow != flow_JUMP && flow != flow_BRANCH) || row->target == NO_ADDRESS)
            continue;
        size_t to = place_of(heat, row->target);
        for (size_t k = to; to != SIZE_MAX && to < i && i - to <= SHORT_LOOP && k < i; k++)
            marks[k] = marks[k] ? marks[k] : 2;
    }
}

/* Not 0 for each instruction that is shown; how many. */
static size_t mark(const struct heat *heat, double least, uint8_t *marks)
{
    size_t count = heat->instructions.count, marked = 0, end = 0;
    memset(marks, 0, count);
    for (size_t i = 0; i < count; i++) {
        if (!(time_at(heat, i) > 0) || time_at(heat, i) < least)
            continue;
        size_t first = i > AROUND ? i - AROUND : 0;
        first = first <= end + SHORT_GAP ? end : first;
        end = i + AROUND + 1 < count ? i + AROUND + 1 : count;
        memset(marks + first, 1, end - first);
    }
    if (end && count - end <= SHORT_GAP)
        memset(marks + end, 1, count - end);
    mark_jumps(heat, marks);
    for (size_t i = 0; i < count; i++)
        marked += marks[i] != 0;
    return marked;
}

struct array heat_choose_instructions(const struct heat *heat, size_t most)
{
    struct array rows = ARRAY_OF(struct heat_row);
    size_t count = heat->instructions.count;
    autofree uint8_t *marks = memory_get(count + 1);
    if (count <= most)
        memset(marks, 1, count);
    else
        for (double least = LEAST_PART * node_of(heat, 0)->self; mark(heat, least, marks) > most; least *= 2)
            ;
    for (size_t i = 0; i < count; i++) {
        struct heat_row *last = rows.count ? ARRAY_AT(struct heat_row, &rows, rows.count - 1) : NULL;
        if (marks[i] || !last || !last->skipped)
            *(struct heat_row *)array_push(&rows) =
                (struct heat_row){.place = (uint32_t)i, .skipped = !marks[i]};
        else
            last->skipped++;
        last = ARRAY_AT(struct heat_row, &rows, rows.count - 1);
        last->seconds += last->skipped ? time_at(heat, i) : 0;
    }
    return rows;
}

/* ---- lines ---- */

/* Nodes of lines of the function's own file, in order. */
static struct array own_lines(const struct heat *heat, double least)
{
    struct array lines = ARRAY_OF(struct heat_text_line);
    for (uint32_t i = 1; i < heat->nodes.count; i = node_of(heat, i)->end) {
        const struct heat_node *node = node_of(heat, i);
        if (node->file == node_of(heat, 0)->file && node->line && node->total >= least)
            *(struct heat_text_line *)array_push(&lines) = (struct heat_text_line){node->line, i, false};
    }
    return lines;
}

struct array heat_choose_lines(const struct heat *heat, size_t most)
{
    struct array chosen = own_lines(heat, 0), lines = ARRAY_OF(struct heat_text_line);
    uint32_t first = node_of(heat, 0)->line, around = 0;
    uint32_t last = chosen.count ? ARRAY_AT(struct heat_text_line, &chosen, chosen.count - 1)->line : first;
    if (last - first > LEAST_SPAN && last - first > most) {
        double least = LEAST_PART * node_of(heat, 0)->total;
        do {
            array_free(&chosen);
            chosen = own_lines(heat, least);
            least *= 2;
        } while (chosen.count > most / AROUND);
        around = AROUND;
    }
    uint32_t shown = 0; /* the last line */
    if (chosen.count && first && first < ARRAY_AT(struct heat_text_line, &chosen, 0)->line) {
        *(struct heat_text_line *)array_push(&lines) = (struct heat_text_line){first, 0, false};
        shown = first;
    }
    for (size_t i = 0; i < chosen.count; i++) {
        struct heat_text_line it = *ARRAY_AT(struct heat_text_line, &chosen, i);
        uint32_t from = it.line > around ? it.line - around : 1;
        bool is_gap = shown && from > shown + NARROW_GAP + 1;
        for (uint32_t line = shown && !is_gap ? shown + 1 : shown ? from : it.line; line < it.line; line++) {
            *(struct heat_text_line *)array_push(&lines) = (struct heat_text_line){line, 0, is_gap};
            is_gap = false;
        }
        it.is_gap = is_gap;
        *(struct heat_text_line *)array_push(&lines) = it;
        shown = it.line;
    }
    array_free(&chosen);
    return lines;
}
