/* Points become windows.

   Points are put in order of their instructions; those of one instruction lie together (point_order.c). Those
   that have no place are refused.  Each instruction with points gets a window, a stretch of rows at first
   (stretches.c); some of them need a jump nearby that a short jump leads to (hops.c).  Where only a trap
   fits, the points may be moved to the ways that lead there (ways.c); then stretches are made again.  At last
   windows are written with their moved instructions.

   On AArch64 a jump takes one instruction, and so does a window.  There, no point may lie between a
   load-exclusive and its store-exclusive. */
#include "run/probe/window/parts.h"

#include "base/expect.h"

#include <stdlib.h>
#include <string.h>

enum { CAN_MOVE = 1, CANNOT = 2 };

static bool windows_describe_row(const struct making *making, uint32_t row, struct probe_moved *moved)
{
    const struct model *model = making->model;
    const struct instruction *instruction = model_instruction(model, row);
    const struct block *block = model_block(model, instruction->block);
    const struct encoding *encoding = model_encoding(model, instruction->encoding);
    struct span bytes = model_block_bytes(model, block);
    *moved = (struct probe_moved){.address = block->address + instruction->offset,
                                  .size = encoding->size,
                                  .target = instruction->target,
                                  .flow = encoding->flow};
    if (!bytes.data || encoding->size > sizeof moved->bytes || encoding->size > bytes.size ||
        instruction->offset > bytes.size - encoding->size)
        return false;
    memcpy(moved->bytes, bytes.data + instruction->offset, encoding->size);
    return true;
}

/* Instructions of one encoding differ in nothing but their targets, so the answer is kept. */
bool windows_can_move(const struct making *making, uint32_t row)
{
    uint8_t *known = &making->movable[model_instruction(making->model, row)->encoding];
    struct probe_moved moved;
    if (!*known)
        *known = windows_describe_row(making, row, &moved) && making->encoder->can_move(&moved) ? CAN_MOVE
                                                                                                : CANNOT;
    return *known == CAN_MOVE;
}

/* Refusals */

/* A branch that leaves the loop around the two exclusives may be watched where it leads. */
static bool is_taken_in_exclusive(const struct making *making, uint32_t row)
{
    const struct model *model = making->model;
    uint32_t block = model_instruction(model, row)->block;
    for (size_t i = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
         i < model->edges.count && model_edge(model, i)->source == block; i++) {
        const struct edge *edge = model_edge(model, i);
        if (edge->kind != edge_kind_FALL &&
            probe_exclusives_hold(&making->exclusives, model_block(model, edge->target)->first_instruction))
            return true;
    }
    return false;
}

static bool is_in_exclusive(const struct making *making, const struct probe_point *point)
{
    switch (point->where) {
    case PROBE_BEFORE:
        return probe_exclusives_hold(&making->exclusives, point->instruction);
    case PROBE_AFTER:
        return probe_exclusives_hold(&making->exclusives, point->instruction + 1);
    default:
        return is_taken_in_exclusive(making, point->instruction);
    }
}

/* Whether there is such a place: nothing is behind a jump, and what is behind a call belongs to the next
   instruction. */
static bool has_place(const struct making *making, const struct probe_point *point)
{
    uint8_t flow = encoding_of(making->model, point->instruction)->flow;
    switch (point->where) {
    case PROBE_BEFORE:
        return true;
    case PROBE_AFTER:
        return flow == flow_NEXT || flow == flow_SYSTEM || flow == flow_BRANCH;
    default:
        return flow == flow_JUMP || flow == flow_BRANCH;
    }
}

void windows_choose_program(struct making *making, uint32_t row)
{
    uint32_t program = program_of(making->model, row);
    if (program == making->program)
        return;
    making->program = program;
    making->encoder = trampoline_encoder((enum isa)model_program(making->model, program)->isa);
    probe_targets_choose(&making->targets, program);
}

uint8_t windows_refuse(struct making *making, const struct probe_point *point)
{
    uint32_t row = point->instruction;
    if (!row || row >= making->model->code.count)
        return PROBE_REFUSED_NO_CODE;
    windows_choose_program(making, row);
    struct probe_moved moved;
    if (!making->encoder || !windows_describe_row(making, row, &moved) ||
        probe_targets_is_padding(&making->targets, model_instruction(making->model, row)->block))
        return PROBE_REFUSED_NO_CODE;
    if (!has_place(making, point))
        return PROBE_REFUSED_NO_PLACE;
    if (is_in_exclusive(making, point))
        return PROBE_REFUSED_EXCLUSIVE;
    return windows_can_move(making, row) ? PROBE_NOT_REFUSED : PROBE_REFUSED_NOT_MOVABLE;
}

/* What happens before a call happens after the instruction before, if a jump fits there: a call that is moved
   costs a return that the processor did not foresee. */
static void leave_call(const struct making *making, struct probe_point *point)
{
    uint32_t row = point->instruction;
    if (point->where != PROBE_BEFORE || encoding_of(making->model, row)->flow != flow_CALL || row < 2 ||
        encoding_of(making->model, row - 1)->flow != flow_NEXT || !windows_have_room_before(making, row))
        return;
    point->instruction = row - 1;
    point->where = PROBE_AFTER;
}

/* Keeps the points that have a place. */
static void sift(struct making *making)
{
    struct array *points = &making->windows->points;
    struct probe_point *all = points->data;
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++) {
        uint8_t refusal = windows_refuse(making, &all[i]);
        if (refusal == PROBE_NOT_REFUSED) {
            leave_call(making, &all[i]);
            all[kept++] = all[i];
        } else
            *(struct probe_refused *)array_push(&making->windows->refused) =
                (struct probe_refused){all[i].instruction, all[i].subject, refusal};
    }
    points->count = kept;
}

/* Windows */

static void finish_window(struct making *making, const struct stretch *stretch, uint32_t *point)
{
    const struct model *model = making->model;
    const struct array *points = &making->windows->points;
    struct probe_window *window = array_push(&making->windows->windows);
    *window = (struct probe_window){.program = program_of(model, stretch->first),
                                    .address = model_address(model, stretch->first),
                                    .size = (uint8_t)windows_bytes_of(making, stretch),
                                    .way = stretch->way,
                                    .refusal = stretch->refusal,
                                    .hop = stretch->hop,
                                    .moved_count = (uint8_t)windows_count_of(stretch)};
    for (uint32_t row = stretch->first; row <= stretch->last; row++) {
        struct probe_moved *moved = array_push(&making->windows->moved);
        windows_describe_row(making, row, moved);
        moved->first_point = *point;
        while (*point < points->count && ARRAY_AT(struct probe_point, points, *point)->instruction == row)
            ++*point;
        moved->point_count = *point - moved->first_point;
    }
}

static int by_program_and_address(const void *a, const void *b)
{
    const struct probe_window *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const struct probe_window *window_at(const struct probe_windows *windows, uint32_t program,
                                            uint64_t address)
{
    struct bisection search = {0, windows->windows.count};
    struct probe_window wanted = {.program = program, .address = address};
    while (bisect(&search))
        bisect_past(&search, by_program_and_address(array_at(&windows->windows, search.middle), &wanted) < 0);
    const struct probe_window *found = array_at(&windows->windows, search.first);
    return search.first < windows->windows.count && !by_program_and_address(found, &wanted) ? found : NULL;
}

static bool goes_past_entry(const struct probe_windows *windows, const struct probe_moved *moved)
{
    for (uint32_t i = 0; i < moved->point_count; i++)
        if (ARRAY_AT(struct probe_point, &windows->points, moved->first_point + i)->is_past_entry)
            return true;
    return false;
}

/* Moved instructions lie in one array, whose place is known now; branches past entries find their windows. */
static void connect(struct probe_windows *windows)
{
    struct probe_window *all = windows->windows.data;
    struct probe_moved *moved = windows->moved.data;
    for (size_t i = 0; i < windows->windows.count; i++) {
        all[i].moved = moved;
        moved += all[i].moved_count;
    }
    bool is_sorted = true;
    for (size_t i = 1; i < windows->windows.count; i++)
        is_sorted &= by_program_and_address(&all[i - 1], &all[i]) < 0;
    if (!is_sorted)
        qsort(all, windows->windows.count, sizeof *all, by_program_and_address);
    for (size_t i = 0; i < windows->windows.count; i++)
        for (unsigned j = 0; j < all[i].moved_count; j++) {
            struct probe_moved *one = (struct probe_moved *)&all[i].moved[j];
            if (!goes_past_entry(windows, one))
                continue;
            const struct probe_window *found = window_at(windows, all[i].program, one->target);
            one->past_entry = found ? (uint32_t)(found - all) + 1 : 0;
        }
}

static void make_stretches(struct making *making)
{
    const struct array *points = &making->windows->points;
    making->stretches.count = 0;
    for (size_t i = 0; i < points->count; i++)
        windows_add_stretch(making, ARRAY_AT(struct probe_point, points, i)->instruction);
    windows_find_hops(making);
}

/* No two patches change the same byte. */
static bool are_apart(const struct probe_windows *windows)
{
    const struct probe_window *all = windows->windows.data;
    for (size_t i = 1; i < windows->windows.count; i++)
        if (all[i].program == all[i - 1].program && all[i].address - all[i - 1].address < all[i - 1].size)
            return false;
    return true;
}

void probe_windows_make(struct probe_windows *windows, const struct model *model, struct array *points)
{
    *windows = (struct probe_windows){.windows = ARRAY_OF(struct probe_window),
                                      .moved = ARRAY_OF(struct probe_moved),
                                      .points = *points,
                                      .refused = ARRAY_OF(struct probe_refused)};
    *points = ARRAY_OF(struct probe_point);
    windows_sort_points(&windows->points);
    struct making making = {.model = model,
                            .windows = windows,
                            .stretches = ARRAY_OF(struct stretch),
                            .movable = memory_get(model->encodings.count)};
    probe_targets_init(&making.targets, model);
    probe_exclusives_init(&making.exclusives, model);
    sift(&making);
    make_stretches(&making);
    if (windows_use_ways(&making))
        make_stretches(&making);
    uint32_t point = 0;
    for (size_t i = 0; i < making.stretches.count; i++)
        finish_window(&making, ARRAY_AT(struct stretch, &making.stretches, i), &point);
    connect(windows);
    expect(are_apart(windows));
    probe_exclusives_free(&making.exclusives);
    probe_targets_free(&making.targets);
    array_free(&making.stretches);
    free(making.movable);
}

void probe_windows_free(struct probe_windows *windows)
{
    array_free(&windows->windows);
    array_free(&windows->moved);
    array_free(&windows->points);
    array_free(&windows->refused);
}
