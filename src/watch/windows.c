/* Points become windows.

   Points are put in order of their instructions; those of one instruction lie together.  Then each
   instruction with points gets a window, from left to right:

     1. Forward: the instructions behind it, until a jump fits.  A call ends a window, because its return
        address is the original one: control comes back right behind the window.
     2. Padding: behind a return or an unconditional jump, bytes that are never executed.
     3. Backward: the instructions before it, for `pop; pop; ret`.  A window that is there already is taken
        in.
     4. Where that is too little for a jump but enough for a short one (x86: 2 bytes), the short one leads to
        a jump nearby, in bytes that are never executed (rooms.h).  These are looked for when all windows are
        known.
     5. Otherwise one instruction is the window, and a trap serves.

   A window goes over the end of a block only behind a branch that falls through, into a block that control
   reaches from nowhere else (targets.h).  In a function with jumps of unknown target it has one instruction,
   unless it begins at the function's entry.

   On AArch64 a jump takes one instruction, so the first step ends at once.  There, no point may lie between a
   load-exclusive and its store-exclusive. */
#include "watch/islet.h"

#include "watch/exclusives.h"
#include "watch/rooms.h"
#include "watch/targets.h"

#include <stdlib.h>
#include <string.h>

/* A window as rows of code. */
struct stretch {
    uint32_t first, last;
    uint32_t padding;
    uint8_t way, refusal;
    bool is_short;   /* it needs a hop */
    bool gives_room; /* the hop of another leads behind its jump */
    int8_t hop;
};

enum { CAN_MOVE = 1, CANNOT = 2 };
enum { MOST_ASKED = 16 }; /* neighbours to each side that may give room */

struct making {
    const struct model *model;
    struct watch_windows *windows;
    struct watch_targets targets;
    struct watch_exclusives exclusives;
    struct array stretches; /* of struct stretch, by row */
    const struct islet_encoder *encoder;
    uint8_t *movable; /* by encoding: CAN_MOVE, CANNOT; 0: not asked yet */
    uint32_t program;
};

/* Order */

struct sorting_key {
    uint32_t instruction, order, number;
    uint8_t where, rank;
};

static int compare_keys(const struct sorting_key *x, const struct sorting_key *y)
{
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    if (x->where != y->where)
        return x->where < y->where ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_place(const void *a, const void *b)
{
    return compare_keys(a, b);
}

/* Entry actions come first; points without an action last. */
static uint8_t rank_of(const struct watch_point *point)
{
    return point->is_entry ? 0 : point->is_past_entry ? 2 : 1;
}

static void sort_points(struct array *points)
{
    struct sorting_key *keys = memory_get(points->count * sizeof *keys);
    const struct watch_point *all = points->data;
    bool is_sorted = true;
    for (uint32_t i = 0; i < points->count; i++) {
        keys[i] = (struct sorting_key){all[i].instruction, all[i].order, i, all[i].where, rank_of(&all[i])};
        is_sorted &= !i || compare_keys(&keys[i - 1], &keys[i]) < 0;
    }
    if (!is_sorted) {
        qsort(keys, points->count, sizeof *keys, by_place);
        struct array sorted = ARRAY_OF(struct watch_point);
        struct watch_point *to = array_push_many(&sorted, points->count);
        for (uint32_t i = 0; i < points->count; i++)
            to[i] = all[keys[i].number];
        array_free(points);
        *points = sorted;
    }
    free(keys);
}

/* Facts of rows */

static const struct encoding *encoding_of(const struct model *model, uint32_t row)
{
    return model_encoding(model, model_instruction(model, row)->encoding);
}

static uint32_t program_of(const struct model *model, uint32_t row)
{
    const struct block *block = model_block(model, model_instruction(model, row)->block);
    return model_section(model, block->section)->program;
}

static uint32_t size_of(const struct making *making, uint32_t row)
{
    return encoding_of(making->model, row)->size;
}

static bool describe_row(const struct making *making, uint32_t row, struct watch_moved *moved)
{
    const struct model *model = making->model;
    const struct instruction *instruction = model_instruction(model, row);
    const struct block *block = model_block(model, instruction->block);
    const struct encoding *encoding = model_encoding(model, instruction->encoding);
    struct span bytes = model_block_bytes(model, block);
    *moved = (struct watch_moved){.address = block->address + instruction->offset,
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
static bool can_move(const struct making *making, uint32_t row)
{
    uint8_t *known = &making->movable[model_instruction(making->model, row)->encoding];
    struct watch_moved moved;
    if (!*known)
        *known = describe_row(making, row, &moved) && making->encoder->can_move(&moved) ? CAN_MOVE : CANNOT;
    return *known == CAN_MOVE;
}

static bool is_last_of_block(const struct model *model, uint32_t row)
{
    const struct block *block = model_block(model, model_instruction(model, row)->block);
    return row + 1 == block->first_instruction + block->instruction_count;
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
            watch_exclusives_hold(&making->exclusives, model_block(model, edge->target)->first_instruction))
            return true;
    }
    return false;
}

static bool is_in_exclusive(const struct making *making, const struct watch_point *point)
{
    switch (point->where) {
    case WATCH_BEFORE:
        return watch_exclusives_hold(&making->exclusives, point->instruction);
    case WATCH_AFTER:
        return watch_exclusives_hold(&making->exclusives, point->instruction + 1);
    default:
        return is_taken_in_exclusive(making, point->instruction);
    }
}

/* Whether there is such a place: nothing is behind a jump, and what is behind a call belongs to the next
   instruction. */
static bool has_place(const struct making *making, const struct watch_point *point)
{
    uint8_t flow = encoding_of(making->model, point->instruction)->flow;
    switch (point->where) {
    case WATCH_BEFORE:
        return true;
    case WATCH_AFTER:
        return flow == flow_NEXT || flow == flow_SYSTEM || flow == flow_BRANCH;
    default:
        return flow == flow_JUMP || flow == flow_BRANCH;
    }
}

static void choose_program(struct making *making, uint32_t row)
{
    uint32_t program = program_of(making->model, row);
    if (program == making->program)
        return;
    making->program = program;
    making->encoder = islet_encoder((enum isa)model_program(making->model, program)->isa);
    watch_targets_choose(&making->targets, program);
}

static uint8_t refuse(struct making *making, const struct watch_point *point)
{
    uint32_t row = point->instruction;
    if (!row || row >= making->model->code.count)
        return WATCH_NO_CODE;
    choose_program(making, row);
    struct watch_moved moved;
    if (!making->encoder || !describe_row(making, row, &moved) ||
        watch_targets_is_padding(&making->targets, model_instruction(making->model, row)->block))
        return WATCH_NO_CODE;
    if (!has_place(making, point))
        return WATCH_NO_PLACE;
    if (is_in_exclusive(making, point))
        return WATCH_EXCLUSIVE;
    return can_move(making, row) ? WATCH_PLACED : WATCH_NOT_MOVABLE;
}

/* Stretches */

/* Whether a window may hold `row` and the instruction behind it. */
static bool can_go_on(const struct making *making, uint32_t row)
{
    const struct model *model = making->model;
    const struct instruction *instruction = model_instruction(model, row);
    uint8_t flow = encoding_of(model, row)->flow;
    if (flow != flow_NEXT && flow != flow_SYSTEM && flow != flow_BRANCH)
        return false;
    if (watch_targets_are_unknown(&making->targets, instruction->block) || row + 1 >= model->code.count)
        return false;
    uint64_t next = model_address(model, row) + size_of(making, row);
    if (is_last_of_block(model, row)) {
        uint32_t block = instruction->block;
        if (flow != flow_BRANCH || block + 1 >= model->blocks.count)
            return false;
        const struct block *behind = model_block(model, block + 1);
        if (behind->function != model_block(model, block)->function || behind->address != next ||
            behind->first_instruction != row + 1 || !watch_targets_only_fall(&making->targets, block + 1))
            return false;
    } else if (watch_targets_hit(&making->targets, next, next + 1)) {
        return false;
    }
    return can_move(making, row) && can_move(making, row + 1);
}

/* What happens before a call happens after the instruction before, if a jump fits there: a call that is moved
   costs a return that the processor did not foresee. */
static void leave_call(const struct making *making, struct watch_point *point)
{
    uint32_t row = point->instruction;
    if (point->where != WATCH_BEFORE || encoding_of(making->model, row)->flow != flow_CALL || row < 2)
        return;
    if (encoding_of(making->model, row - 1)->flow != flow_NEXT ||
        size_of(making, row - 1) < making->encoder->jump_bytes || !can_go_on(making, row - 1))
        return;
    point->instruction = row - 1;
    point->where = WATCH_AFTER;
}

/* Keeps the points that have a place. */
static void sift(struct making *making)
{
    struct array *points = &making->windows->points;
    struct watch_point *all = points->data;
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++) {
        uint8_t refusal = refuse(making, &all[i]);
        if (refusal == WATCH_PLACED) {
            leave_call(making, &all[i]);
            all[kept++] = all[i];
        } else
            *(struct watch_refused *)array_push(&making->windows->refused) =
                (struct watch_refused){all[i].instruction, all[i].subject, refusal};
    }
    points->count = kept;
}

/* Whether a window that starts here is at the function's entry, perhaps behind a mark for indirect calls. */
static bool is_at_entry(const struct making *making, uint32_t row)
{
    const struct model *model = making->model;
    const struct block *block = model_block(model, model_instruction(model, row)->block);
    if (!block->function || block->position != 1)
        return false;
    return row == block->first_instruction ||
           (row == block->first_instruction + 1 &&
            encoding_of(model, block->first_instruction)->class == class_NOP);
}

/* The same at a function's entry: nothing jumps into the first few instructions but to the first. */
static bool can_go_on_at_entry(const struct making *making, uint32_t row)
{
    const struct model *model = making->model;
    uint64_t next = model_address(model, row) + size_of(making, row);
    return encoding_of(model, row)->flow == flow_NEXT && !is_last_of_block(model, row) &&
           !watch_targets_hit(&making->targets, next, next + 1) && can_move(making, row) &&
           can_move(making, row + 1);
}

static bool falls_through(const struct making *making, uint32_t row)
{
    const struct block *block = model_block(making->model, model_instruction(making->model, row)->block);
    return !is_last_of_block(making->model, row) || block->ends == block_end_FALL ||
           block->ends == block_end_BRANCH || block->ends == block_end_CALL;
}

static uint32_t count_of(const struct stretch *stretch)
{
    return stretch->last - stretch->first + 1;
}

static uint32_t bytes_of(const struct making *making, const struct stretch *stretch)
{
    uint32_t size = stretch->padding;
    for (uint32_t row = stretch->first; row <= stretch->last; row++)
        size += size_of(making, row);
    return size;
}

/* Takes in the row before, or the whole window that has it.  false: it cannot be. */
static bool go_back(const struct making *making, struct stretch *stretch, const struct stretch *before)
{
    if (stretch->first < 2 || !can_go_on(making, stretch->first - 1))
        return false;
    bool joins = before && before->last + 1 == stretch->first;
    stretch->first = joins ? before->first : stretch->first - 1;
    return true;
}

/* Makes room for a jump of so many bytes; false if there is none. */
static bool grow(const struct making *making, struct stretch *stretch, const struct stretch *before,
                 uint32_t need)
{
    uint32_t size = size_of(making, stretch->first);
    bool is_entry = is_at_entry(making, stretch->first);
    while (size < need && count_of(stretch) < WATCH_MOST_MOVED &&
           (can_go_on(making, stretch->last) || (is_entry && can_go_on_at_entry(making, stretch->last))))
        size += size_of(making, ++stretch->last);
    if (size < need && !falls_through(making, stretch->last)) {
        uint32_t block = model_instruction(making->model, stretch->last)->block;
        stretch->padding = watch_targets_padding(&making->targets, block, need - size);
    }
    while (bytes_of(making, stretch) < need)
        if (!go_back(making, stretch, before))
            return false;
    return count_of(stretch) <= WATCH_MOST_MOVED && bytes_of(making, stretch) <= PROBE_PATCH_BYTES;
}

static struct stretch trap_at(const struct making *making, uint32_t row)
{
    bool is_unknown =
        watch_targets_are_unknown(&making->targets, model_instruction(making->model, row)->block);
    return (struct stretch){.first = row,
                            .last = row,
                            .way = PROBE_BY_TRAP,
                            .refusal = is_unknown ? WATCH_UNKNOWN_JUMPS : WATCH_SMALL};
}

static void add_stretch(struct making *making, uint32_t row)
{
    struct array *stretches = &making->stretches;
    struct stretch *before =
        stretches->count ? ARRAY_AT(struct stretch, stretches, stretches->count - 1) : NULL;
    if (before && row >= before->first && row <= before->last)
        return;
    choose_program(making, row);
    const struct stretch one = {.first = row, .last = row, .way = PROBE_BY_JUMP, .refusal = WATCH_PLACED};
    struct stretch made = one;
    if (!grow(making, &made, before, making->encoder->jump_bytes)) {
        made = one;
        made.is_short = true;
        if (!making->encoder->hop_bytes || !grow(making, &made, before, making->encoder->hop_bytes))
            made = trap_at(making, row);
    }
    if (before && made.first <= before->last)
        stretches->count--;
    *(struct stretch *)array_push(stretches) = made;
}

/* Hops */

static struct watch_room room_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t address = model_address(making->model, stretch->first);
    return (struct watch_room){address, address + bytes_of(making, stretch)};
}

/* Rooms around the stretches first … end-1, which are of one program. */
static void find_rooms(struct making *making, struct watch_rooms *rooms, size_t first, size_t end)
{
    struct array taken = ARRAY_OF(struct watch_room), spare = ARRAY_OF(struct watch_room);
    for (size_t i = first; i < end; i++) {
        struct stretch *stretch = ARRAY_AT(struct stretch, &making->stretches, i);
        struct watch_room room = room_of(making, stretch);
        *(struct watch_room *)array_push(&taken) = room;
        room.address += making->encoder->jump_bytes;
        stretch->gives_room = stretch->way == PROBE_BY_JUMP && !stretch->is_short &&
                              room.address + making->encoder->jump_bytes <= room.end;
        if (stretch->gives_room)
            *(struct watch_room *)array_push(&spare) = room;
    }
    watch_rooms_find(rooms, &making->targets, &taken, &spare);
    array_free(&taken);
    array_free(&spare);
}

/* Where the jump may be that a short jump reaches: low … high. */
static struct watch_room reach_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t start = model_address(making->model, stretch->first) + making->encoder->hop_bytes;
    return (struct watch_room){start > -INT8_MIN ? start + INT8_MIN : 0, start + INT8_MAX};
}

/* Lets a window take more instructions than it needs, so that there is room behind its jump.  `next`: the
   window behind it, or NULL. */
static bool widen(const struct making *making, struct stretch *stretch, const struct stretch *next)
{
    struct stretch wide = *stretch;
    while (!wide.padding && bytes_of(making, &wide) < 2u * making->encoder->jump_bytes) {
        if (!can_go_on(making, wide.last) || (next && next->first <= wide.last + 1))
            return false;
        wide.last++;
    }
    if (wide.padding || count_of(&wide) > WATCH_MOST_MOVED || bytes_of(making, &wide) > PROBE_PATCH_BYTES)
        return false;
    wide.gives_room = true;
    *stretch = wide;
    return true;
}

/* The nearest windows are asked. */
static uint64_t ask_neighbours(const struct making *making, struct stretch *all, size_t count, size_t number)
{
    struct watch_room reach = reach_of(making, &all[number]);
    for (size_t distance = 1; distance < MOST_ASKED; distance++)
        for (unsigned is_behind = 0; is_behind < 2; is_behind++) {
            size_t other = is_behind ? number + distance : number - distance;
            if (other >= count || all[other].is_short || all[other].gives_room ||
                all[other].way != PROBE_BY_JUMP || all[other].hop)
                continue;
            uint64_t place = model_address(making->model, all[other].first) + making->encoder->jump_bytes;
            if (place >= reach.address && place <= reach.end &&
                widen(making, &all[other], other + 1 < count ? &all[other + 1] : NULL))
                return place;
        }
    return NO_ADDRESS;
}

static void find_hop(const struct making *making, struct watch_rooms *rooms, struct stretch *all,
                     size_t count, size_t number)
{
    struct watch_room reach = reach_of(making, &all[number]);
    uint64_t place = watch_rooms_take(rooms, reach.address, reach.end, making->encoder->jump_bytes);
    if (place == NO_ADDRESS)
        place = ask_neighbours(making, all, count, number);
    uint64_t start = model_address(making->model, all[number].first) + making->encoder->hop_bytes;
    all[number].hop = place == NO_ADDRESS ? 0 : (int8_t)(place - start);
}

/* Each of its instructions that has points becomes a trap. */
static void add_traps(const struct making *making, const struct stretch *stretch, struct array *stretches)
{
    const struct array *points = &making->windows->points;
    for (uint32_t row = stretch->first; row <= stretch->last; row++) {
        size_t first = array_first_not_below(points, 0, offsetof(struct watch_point, instruction), row);
        if (first < points->count && ARRAY_AT(struct watch_point, points, first)->instruction == row)
            *(struct stretch *)array_push(stretches) = trap_at(making, row);
    }
}

static void find_hops(struct making *making)
{
    struct array old = making->stretches, *stretches = &making->stretches;
    struct array found = ARRAY_OF(struct stretch);
    struct stretch *all = old.data;
    for (size_t first = 0, end; first < old.count; first = end) {
        choose_program(making, all[first].first);
        bool has_short = false;
        for (end = first; end < old.count && program_of(making->model, all[end].first) == making->program;
             end++)
            has_short |= all[end].is_short;
        struct watch_rooms rooms = {0};
        if (has_short)
            find_rooms(making, &rooms, first, end);
        for (size_t i = first; i < end; i++)
            if (all[i].is_short)
                find_hop(making, &rooms, all + first, end - first, i - first);
        for (size_t i = first; i < end; i++) {
            if (all[i].is_short && !all[i].hop)
                add_traps(making, &all[i], &found);
            else
                *(struct stretch *)array_push(&found) = all[i];
        }
        watch_rooms_free(&rooms);
    }
    array_free(&old);
    *stretches = found;
}

/* Windows */

static void finish_window(struct making *making, const struct stretch *stretch, uint32_t *point)
{
    const struct model *model = making->model;
    const struct array *points = &making->windows->points;
    struct watch_window *window = array_push(&making->windows->windows);
    *window = (struct watch_window){.program = program_of(model, stretch->first),
                                    .address = model_address(model, stretch->first),
                                    .size = (uint8_t)bytes_of(making, stretch),
                                    .way = stretch->way,
                                    .refusal = stretch->refusal,
                                    .hop = stretch->hop,
                                    .moved_count = (uint8_t)count_of(stretch)};
    for (uint32_t row = stretch->first; row <= stretch->last; row++) {
        struct watch_moved *moved = array_push(&making->windows->moved);
        describe_row(making, row, moved);
        moved->first_point = *point;
        while (*point < points->count && ARRAY_AT(struct watch_point, points, *point)->instruction == row)
            ++*point;
        moved->point_count = *point - moved->first_point;
    }
}

static int by_program_and_address(const void *a, const void *b)
{
    const struct watch_window *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const struct watch_window *window_at(const struct watch_windows *windows, uint32_t program,
                                            uint64_t address)
{
    struct bisection search = {0, windows->windows.count};
    struct watch_window wanted = {.program = program, .address = address};
    while (bisect(&search))
        bisect_past(&search, by_program_and_address(array_at(&windows->windows, search.middle), &wanted) < 0);
    const struct watch_window *found = array_at(&windows->windows, search.first);
    return search.first < windows->windows.count && !by_program_and_address(found, &wanted) ? found : NULL;
}

static bool goes_past_entry(const struct watch_windows *windows, const struct watch_moved *moved)
{
    for (uint32_t i = 0; i < moved->point_count; i++)
        if (ARRAY_AT(struct watch_point, &windows->points, moved->first_point + i)->is_past_entry)
            return true;
    return false;
}

/* Moved instructions lie in one array, whose place is known now; branches past entries find their windows. */
static void connect(struct watch_windows *windows)
{
    struct watch_window *all = windows->windows.data;
    struct watch_moved *moved = windows->moved.data;
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
            struct watch_moved *one = (struct watch_moved *)&all[i].moved[j];
            if (!goes_past_entry(windows, one))
                continue;
            const struct watch_window *found = window_at(windows, all[i].program, one->target);
            one->past_entry = found ? (uint32_t)(found - all) + 1 : 0;
        }
}

void watch_windows_make(struct watch_windows *windows, const struct model *model, struct array *points)
{
    *windows = (struct watch_windows){.windows = ARRAY_OF(struct watch_window),
                                      .moved = ARRAY_OF(struct watch_moved),
                                      .points = *points,
                                      .refused = ARRAY_OF(struct watch_refused)};
    *points = ARRAY_OF(struct watch_point);
    sort_points(&windows->points);
    struct making making = {.model = model,
                            .windows = windows,
                            .stretches = ARRAY_OF(struct stretch),
                            .movable = memory_get(model->encodings.count)};
    watch_targets_init(&making.targets, model);
    watch_exclusives_init(&making.exclusives, model);
    sift(&making);
    for (size_t i = 0; i < windows->points.count; i++)
        add_stretch(&making, ARRAY_AT(struct watch_point, &windows->points, i)->instruction);
    find_hops(&making);
    uint32_t point = 0;
    for (size_t i = 0; i < making.stretches.count; i++)
        finish_window(&making, ARRAY_AT(struct stretch, &making.stretches, i), &point);
    connect(windows);
    watch_exclusives_free(&making.exclusives);
    watch_targets_free(&making.targets);
    array_free(&making.stretches);
    free(making.movable);
}

void watch_windows_free(struct watch_windows *windows)
{
    array_free(&windows->windows);
    array_free(&windows->moved);
    array_free(&windows->points);
    array_free(&windows->refused);
}
