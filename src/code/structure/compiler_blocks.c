/* Compares our blocks with those in the compiler's comments.

   Before blocks are cut, the starts of the compiler's blocks become starts of ours.  Afterwards its edges are
   compared with ours, in rows of our blocks.

   The two graphs do not have the same blocks.  Ours may have more: a block that the comments do not mention
   is followed to the stated blocks it leads to.  The compiler's may have numbers without a comment, for
   blocks that became empty: such a number leads to the blocks that name it as predecessor, or out of the
   function if none does.  Several blocks may start at one place: all but the last are empty and lead to it.
   A call to a function that never returns may or may not have the next block as successor.

   Different sets of successors, and blocks of ours (with more than no-ops) that are not in the comments, are
   counted as problems, whose text names the first place. */
#include "code/structure/layout.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the blocks passed between stated blocks, in all: crafted files would take forever. */
enum { STEPS_FOR_EACH = 64, STEPS_AT_LEAST = 100000 };

struct numbered {
    uint32_t number, row; /* of the compiler; of compiler_blocks */
};

struct comparison {
    struct layout *layout;
    struct model *model;
    uint32_t first_block;
    uint32_t *stated; /* by block: last row of compiler_blocks that starts there, 0 for none */
    uint32_t *seen;   /* by block: mark of the last walk that came by */
    uint32_t mark;
    uint64_t steps_left;
    struct array rows;                  /* of uint32_t: rows of compiler_blocks, by function and address */
    struct array numbers;               /* of struct numbered: those of one function */
    struct array left_out;              /* of struct numbered: number without comment, row that it leads to */
    struct array theirs, ours, waiting; /* of uint32_t: blocks */
    uint32_t different, first_different; /* rows */
    uint32_t missing, first_missing;     /* blocks */
};

void layout_take_stated_blocks(struct layout *layout)
{
    const struct model *model = layout->model;
    for (uint32_t id = 1; id < model->compiler_blocks.count; id++) {
        const struct compiler_block *row = model_compiler_block(model, id);
        if (row->program == layout->program && row->address != NO_ADDRESS)
            *(uint64_t *)array_add(&layout->stated_blocks) = row->address;
    }
    layout_sort_addresses(&layout->stated_blocks);
}

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_numbers(struct array *numbers)
{
    if (numbers->count)
        qsort(numbers->data, numbers->count, sizeof(struct numbered), by_number);
}

/* Index of the first with this number, or count. */
static size_t find_number(const struct array *numbers, uint32_t number)
{
    size_t low = array_first_not_below(numbers, 0, offsetof(struct numbered, number), number);
    return low < numbers->count && ARRAY_AT(struct numbered, numbers, low)->number == number ? low
                                                                                             : numbers->count;
}

/* The next number of a list in words, or false. */
static bool next_number(const char **text, uint32_t *number)
{
    const char *at = *text;
    while (at && *at && !(*at >= '0' && *at <= '9'))
        at++;
    if (!at || !*at)
        return false;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        value = value < UINT32_MAX ? value * 10 + (uint64_t)(*at - '0') : value;
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    *text = at;
    return true;
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_blocks(struct array *blocks)
{
    uint32_t *values = blocks->data;
    size_t kept = 0;
    for (size_t i = 1; i < blocks->count; i++) /* a handful, nearly always */
        if (values[i - 1] >= values[i]) {
            qsort(values, blocks->count, sizeof *values, by_id);
            break;
        }
    for (size_t i = 0; i < blocks->count; i++)
        if (!kept || values[kept - 1] != values[i])
            values[kept++] = values[i];
    blocks->count = kept;
}

/* The blocks that the comment gives as successors; 0 among them for a number that leads nowhere. */
static void find_theirs(struct comparison *work, const struct compiler_block *row)
{
    const char *text = model_text(work->model, row->successors);
    uint32_t number;
    work->theirs.count = 0;
    while (next_number(&text, &number)) {
        const struct array *list = &work->numbers;
        size_t i = find_number(list, number), before = work->theirs.count;
        bool is_left_out = i == list->count;
        if (is_left_out) {
            list = &work->left_out;
            i = find_number(list, number);
        }
        for (; i < list->count && ARRAY_AT(struct numbered, list, i)->number == number; i++) {
            uint32_t to = ARRAY_AT(struct numbered, list, i)->row;
            *(uint32_t *)array_push(&work->theirs) = model_compiler_block(work->model, to)->block;
            if (!is_left_out || !work->steps_left || !work->steps_left--)
                break;
        }
        if (work->theirs.count == before)
            *(uint32_t *)array_push(&work->theirs) = 0;
    }
    sort_blocks(&work->theirs);
}

static uint32_t first_edge_of(const struct comparison *work, uint32_t block)
{
    return (uint32_t)array_first_not_below(&work->model->edges, work->layout->first_edge,
                                           offsetof(struct edge, source), block);
}

/* A successor: a stated block is one of ours, another one is passed through. */
static void reach(struct comparison *work, uint32_t block)
{
    uint32_t *seen = &work->seen[block - work->first_block];
    if (*seen == work->mark)
        return;
    *seen = work->mark;
    struct array *list = work->stated[block - work->first_block] ? &work->ours : &work->waiting;
    *(uint32_t *)array_push(list) = block;
}

static bool leaves_function(const struct block *block)
{
    return block->ends == block_end_RETURN || block->ends == block_end_TAIL_CALL ||
           block->ends == block_end_NO_RETURN || block->ends == block_end_STOP;
}

/* Follows our edges from a stated block to stated ones; optional gets the block after a call that does not
   return, or 0. */
static void find_ours(struct comparison *work, uint32_t start, uint32_t *optional, bool *is_exit)
{
    const struct model *model = work->model;
    uint32_t function = model_block(model, start)->function;
    work->ours.count = work->waiting.count = 0;
    work->mark++;
    *optional = 0;
    *is_exit = false;
    *(uint32_t *)array_push(&work->waiting) = start;
    while (work->waiting.count && work->steps_left) {
        uint32_t block = *ARRAY_AT(uint32_t, &work->waiting, --work->waiting.count);
        work->steps_left--;
        for (uint32_t i = first_edge_of(work, block); i < model->edges.count; i++) {
            const struct edge *edge = model_edge(model, i);
            if (edge->source != block)
                break;
            if (edge->kind != edge_kind_EXCEPTION && model_block(model, edge->target)->function == function)
                reach(work, edge->target);
        }
        *is_exit |= leaves_function(model_block(model, block));
        if (model_block(model, block)->ends == block_end_NO_RETURN && block + 1 < model->blocks.count &&
            model_block(model, block + 1)->function == function)
            *optional = block + 1;
    }
    sort_blocks(&work->ours);
}

static bool are_equal(const struct array *a, const struct array *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->data, b->data, a->count * sizeof(uint32_t)));
}

static void drop_first(struct array *blocks)
{
    uint32_t *values = blocks->data;
    memmove(values, values + 1, --blocks->count * sizeof *values);
}

static bool is_agreed(struct comparison *work, uint32_t id)
{
    const struct compiler_block *row = model_compiler_block(work->model, id);
    if (!row->block)
        return false;
    find_theirs(work, row);
    if (work->stated[row->block - work->first_block] != id) /* empty: another one starts here */
        return work->theirs.count == 1 && *ARRAY_AT(uint32_t, &work->theirs, 0) == row->block;
    uint32_t optional;
    bool is_exit;
    find_ours(work, row->block, &optional, &is_exit);
    if (is_exit && work->theirs.count && !*ARRAY_AT(uint32_t, &work->theirs, 0))
        drop_first(&work->theirs);
    if (are_equal(&work->theirs, &work->ours))
        return true;
    if (!optional)
        return false;
    *(uint32_t *)array_push(&work->ours) = optional;
    sort_blocks(&work->ours);
    return are_equal(&work->theirs, &work->ours);
}

/* A block of ours that comments need not mention: no-ops that fill a bundle after a branch, and the code
   after a speculation check. */
static bool is_silent(const struct comparison *work, uint32_t id)
{
    const struct model *model = work->model;
    const struct block *block = model_block(model, id), *before = model_block(model, id - 1);
    bool is_empty = true;
    for (uint32_t i = 0; i < block->instruction_count && is_empty; i++) {
        uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
        is_empty = model_encoding(model, encoding)->class == class_NOP;
    }
    if (is_empty || !block->is_reachable || before->function != block->function)
        return true;
    uint32_t last = before->first_instruction + before->instruction_count - 1;
    return before->ends == block_end_BRANCH &&
           model_encoding(model, model_instruction(model, last)->encoding)->operation == operation_CHECK;
}

static void find_missing_borders(struct comparison *work, const struct function *function)
{
    for (uint32_t i = 0; i < function->block_count; i++) {
        uint32_t id = function->first_block + i;
        if (!work->stated[id - work->first_block] && !is_silent(work, id) && !work->missing++)
            work->first_missing = id;
    }
}

/* Rows [first, end) of work->rows are those of one function. */
static void compare_function(struct comparison *work, size_t first, size_t end)
{
    struct model *model = work->model;
    work->numbers.count = work->left_out.count = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t row = *ARRAY_AT(uint32_t, &work->rows, i);
        *(struct numbered *)array_push(&work->numbers) =
            (struct numbered){model_compiler_block(model, row)->number, row};
    }
    sort_numbers(&work->numbers);
    for (size_t i = first; i < end; i++) {
        uint32_t row = *ARRAY_AT(uint32_t, &work->rows, i), number;
        const char *text = model_text(model, model_compiler_block(model, row)->predecessors);
        while (next_number(&text, &number))
            if (find_number(&work->numbers, number) == work->numbers.count)
                *(struct numbered *)array_push(&work->left_out) = (struct numbered){number, row};
    }
    sort_numbers(&work->left_out);
    for (size_t i = first; i < end; i++) {
        uint32_t row = *ARRAY_AT(uint32_t, &work->rows, i);
        bool agreed = is_agreed(work, row);
        model_compiler_block(model, row)->is_agreed = agreed;
        if (!agreed && !work->different++)
            work->first_different = row;
    }
    uint32_t function = model_compiler_block(model, *ARRAY_AT(uint32_t, &work->rows, first))->function;
    if (function)
        find_missing_borders(work, model_function(model, function));
}

/* Blocks by function, then as they lie in the code; rows are in order of the listing, so a later row at the
   same place is the later block. */
static struct array place_rows(struct comparison *work)
{
    struct model *model = work->model;
    const struct layout *layout = work->layout;
    struct array placed = ARRAY_OF(struct numbered), rows = ARRAY_OF(uint32_t);
    for (uint32_t id = 1; id < model->compiler_blocks.count; id++) {
        struct compiler_block *row = model_compiler_block(model, id);
        if (row->program != layout->program)
            continue;
        row->block =
            layout_block_at(layout, layout->first_block, (uint32_t)model->blocks.count, row->address);
        const struct piece *piece = layout_find(layout, row->address);
        row->function = piece ? piece->function : 0;
        if (row->block)
            work->stated[row->block - work->first_block] = id;
        *(struct numbered *)array_push(&placed) = (struct numbered){row->function, id};
    }
    sort_numbers(&placed);
    for (size_t i = 0; i < placed.count; i++)
        *(uint32_t *)array_push(&rows) = ARRAY_AT(struct numbered, &placed, i)->row;
    array_free(&placed);
    return rows;
}

static const char *function_name(const struct model *model, uint32_t function)
{
    const char *name = model_text(model, model_function(model, function)->name);
    return function && name ? name : "no function";
}

/* Line of the first instruction of a block in the listing; 0 if unknown. */
static uint32_t listing_line(const struct comparison *work, uint64_t address)
{
    const struct array *rows = &work->model->listing_instructions;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct listing_instruction *row = model_listing_instruction(work->model, i);
        if (row->program == work->layout->program && row->address == address)
            return row->line;
    }
    return 0;
}

static void note_problems(const struct comparison *work)
{
    struct model *model = work->model;
    if (work->different) {
        const struct compiler_block *row = model_compiler_block(model, work->first_different);
        char *text =
            memory_format("blocks whose edges differ from the compiler's comments (the first: %s, line %u)",
                          function_name(model, row->function), row->line);
        model_note_problem(model, work->layout->program, problem_kind_BLOCKS, row->address, work->different,
                           text);
        free(text);
    }
    if (work->missing) {
        const struct block *block = model_block(model, work->first_missing);
        char *text = memory_format(
            "blocks in the code that are missing from the compiler's comments (the first: %s, line %u)",
            function_name(model, block->function), listing_line(work, block->address));
        model_note_problem(model, work->layout->program, problem_kind_BLOCKS, block->address, work->missing,
                           text);
        free(text);
    }
}

void layout_compare_stated_blocks(struct layout *layout)
{
    struct model *model = layout->model;
    if (!layout->stated_blocks.count)
        return;
    size_t blocks = model->blocks.count - layout->first_block;
    struct comparison work = {.layout = layout,
                              .model = model,
                              .first_block = layout->first_block,
                              .stated = memory_get((blocks + 1) * sizeof(uint32_t)),
                              .seen = memory_get((blocks + 1) * sizeof(uint32_t)),
                              .steps_left = STEPS_AT_LEAST + (uint64_t)blocks * STEPS_FOR_EACH,
                              .numbers = ARRAY_OF(struct numbered),
                              .left_out = ARRAY_OF(struct numbered),
                              .theirs = ARRAY_OF(uint32_t),
                              .ours = ARRAY_OF(uint32_t),
                              .waiting = ARRAY_OF(uint32_t)};
    work.rows = place_rows(&work);
    for (size_t first = 0, end; first < work.rows.count; first = end) {
        uint32_t function = model_compiler_block(model, *ARRAY_AT(uint32_t, &work.rows, first))->function;
        for (end = first + 1; end < work.rows.count; end++)
            if (model_compiler_block(model, *ARRAY_AT(uint32_t, &work.rows, end))->function != function)
                break;
        compare_function(&work, first, end);
    }
    note_problems(&work);
    struct array *arrays[] = {&work.rows,   &work.numbers, &work.left_out,
                              &work.theirs, &work.ours,    &work.waiting};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        array_free(arrays[i]);
    free(work.stated);
    free(work.seen);
}
