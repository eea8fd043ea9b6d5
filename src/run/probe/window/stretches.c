/* How far windows go: as rows of code.

   From left to right, each instruction with points gets a stretch, unless the one before has it already:

     1. Forward: the instructions after it, until a jump fits.  A call ends a stretch, because its return
        address is the original one: control comes back right after the window.
     2. Padding: after a return or an unconditional jump, bytes that are never executed.
     3. Backward: the instructions before it, for `pop; pop; ret`.  A stretch that is there already is taken
        in.
     4. Where that is too little for a jump but enough for a short one (x86: 2 bytes), it is short and needs a
        hop (hops.c).
     5. Otherwise one instruction is the window, and a trap serves.

   Calls stay in place where it can be: a call that is moved costs a return that the processor did not
   foresee.

   A stretch goes over the end of a block only after a branch that falls through, into a block that control
   reaches from nowhere else (targets.h).  In a function with jumps of unknown target it has one instruction,
   unless it begins at the function's entry. */
#include "run/probe/window/parts.h"

static bool is_last_of_block(const struct model *model, uint32_t row)
{
    const struct block *block = model_block(model, model_instruction(model, row)->block);
    return row + 1 == block->first_instruction + block->instruction_count;
}

/* Whether a window may hold `row` and the instruction after it. */
bool windows_can_go_on(const struct making *making, uint32_t row)
{
    const struct model *model = making->model;
    const struct instruction *instruction = model_instruction(model, row);
    uint8_t flow = encoding_of(model, row)->flow;
    if (flow != flow_NEXT && flow != flow_SYSTEM && flow != flow_BRANCH)
        return false;
    if (probe_targets_are_unknown(&making->targets, instruction->block) || row + 1 >= model->code.count)
        return false;
    uint64_t next = model_address(model, row) + size_of(making, row);
    if (is_last_of_block(model, row)) {
        uint32_t block = instruction->block;
        if (flow != flow_BRANCH || block + 1 >= model->blocks.count)
            return false;
        const struct block *behind = model_block(model, block + 1);
        if (behind->function != model_block(model, block)->function || behind->address != next ||
            behind->first_instruction != row + 1 || !probe_targets_only_fall(&making->targets, block + 1))
            return false;
    } else if (probe_targets_hit(&making->targets, next, next + 1)) {
        return false;
    }
    return windows_can_move(making, row) && windows_can_move(making, row + 1);
}

/* Whether a window that starts here is at the function's entry, perhaps after a mark for indirect calls. */
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
           !probe_targets_hit(&making->targets, next, next + 1) && windows_can_move(making, row) &&
           windows_can_move(making, row + 1);
}

static bool falls_through(const struct making *making, uint32_t row)
{
    const struct block *block = model_block(making->model, model_instruction(making->model, row)->block);
    return !is_last_of_block(making->model, row) || block->ends == block_end_FALL ||
           block->ends == block_end_BRANCH || block->ends == block_end_CALL;
}

uint32_t windows_count_of(const struct stretch *stretch)
{
    return stretch->last - stretch->first + 1;
}

uint32_t windows_bytes_of(const struct making *making, const struct stretch *stretch)
{
    uint32_t size = stretch->padding;
    for (uint32_t row = stretch->first; row <= stretch->last; row++)
        size += size_of(making, row);
    return size;
}

bool windows_are_closed(const struct making *making, const struct stretch *stretch)
{
    uint64_t address = model_address(making->model, stretch->first);
    uint32_t size = windows_bytes_of(making, stretch);
    return windows_count_of(stretch) <= PROBE_MOST_MOVED && size <= PROBE_PATCH_BYTES &&
           !probe_targets_hit(&making->targets, address + 1, address + size);
}

/* Takes in the row before, or the whole window that has it.  false: it cannot be. */
static bool go_back(const struct making *making, struct stretch *stretch, const struct stretch *before)
{
    if (stretch->first < 2 || !windows_can_go_on(making, stretch->first - 1))
        return false;
    bool joins = before && before->last + 1 == stretch->first;
    stretch->first = joins ? before->first : stretch->first - 1;
    return true;
}

static bool is_call(const struct making *making, uint32_t row)
{
    return encoding_of(making->model, row)->flow == flow_CALL;
}

static void go_forward(const struct making *making, struct stretch *stretch, uint32_t need, bool takes_calls)
{
    uint32_t size = size_of(making, stretch->first);
    bool is_entry = is_at_entry(making, stretch->first);
    while (size < need && windows_count_of(stretch) < PROBE_MOST_MOVED &&
           (windows_can_go_on(making, stretch->last) ||
            (is_entry && can_go_on_at_entry(making, stretch->last))) &&
           (takes_calls || !is_call(making, stretch->last + 1)))
        size += size_of(making, ++stretch->last);
    if (size < need && !falls_through(making, stretch->last)) {
        uint32_t block = model_instruction(making->model, stretch->last)->block;
        stretch->padding = probe_targets_padding(&making->targets, block, need - size);
    }
}

/* Makes room for a jump of so many bytes; false if there is none. */
static bool grow(const struct making *making, struct stretch *stretch, const struct stretch *before,
                 uint32_t need, bool takes_calls)
{
    go_forward(making, stretch, need, takes_calls);
    while (windows_bytes_of(making, stretch) < need)
        if (!go_back(making, stretch, before))
            return false;
    return windows_are_closed(making, stretch);
}

bool windows_have_room_before(const struct making *making, uint32_t row)
{
    struct stretch stretch = {.first = row - 1, .last = row - 1};
    if (!windows_can_go_on(making, row - 1))
        return false;
    while (windows_bytes_of(making, &stretch) < making->encoder->jump_bytes)
        if (windows_count_of(&stretch) == PROBE_MOST_MOVED || !go_back(making, &stretch, NULL))
            return false;
    return true;
}

bool windows_have_room_at(const struct making *making, uint32_t row)
{
    struct stretch stretch = {.first = row, .last = row};
    uint32_t hop = making->encoder->hop_bytes;
    return grow(making, &stretch, NULL, hop ? hop : making->encoder->jump_bytes, true);
}

struct stretch windows_trap_at(const struct making *making, uint32_t row)
{
    bool is_unknown =
        probe_targets_are_unknown(&making->targets, model_instruction(making->model, row)->block);
    return (struct stretch){.first = row,
                            .last = row,
                            .way = PROBE_BY_TRAP,
                            .refusal = is_unknown ? PROBE_REFUSED_UNKNOWN_JUMPS : PROBE_REFUSED_SMALL};
}

void windows_add_stretch(struct making *making, uint32_t row)
{
    struct array *stretches = &making->stretches;
    struct stretch *before =
        stretches->count ? ARRAY_AT(struct stretch, stretches, stretches->count - 1) : NULL;
    if (before && row >= before->first && row <= before->last)
        return;
    windows_choose_program(making, row);
    /* In order of their worth: what is left in place, how the trampoline is reached. */
    const struct stretch one = {
        .first = row, .last = row, .way = PROBE_BY_JUMP, .refusal = PROBE_NOT_REFUSED};
    const uint8_t needs[] = {making->encoder->jump_bytes, making->encoder->hop_bytes};
    struct stretch made;
    bool is_made = false;
    for (unsigned i = 0; i < 2 && needs[i] && !is_made; i++)
        for (unsigned takes_calls = 0; takes_calls < 2 && !is_made; takes_calls++) {
            made = one;
            made.is_short = i == 1;
            is_made = grow(making, &made, before, needs[i], takes_calls);
        }
    if (!is_made)
        made = windows_trap_at(making, row);
    if (before && made.first <= before->last)
        stretches->count--;
    *(struct stretch *)array_push(stretches) = made;
}
