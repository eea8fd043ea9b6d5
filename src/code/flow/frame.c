/* Tracks which registers hold an address into the frame, as the stack pointer at entry plus a constant, at
   the start of every block: a forward data flow whose states only lose registers.  A register is not tracked
   where two paths disagree.  A block is visited again only when its state has lost a register, at most
   MOST_TRACKED times.

   Aligning the stack pointer makes a second base at an unknown distance from the first.  Everything below it
   is below everything that was allocated before, so offsets continue as if nothing had been skipped, and the
   two kinds of addresses never overlap as long as each stays on its side.

   An address escapes when it goes where it is not tracked: to a callee, into memory, into arithmetic other
   than adding a constant, or to a merge where paths disagree about a live register.  Then any pointer may
   access the frame. */
#include "code/flow/frame.h"

#include "model/isa.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRACKED = 24, FARTHEST = 1 << 28, MOST_LOOKBACK = 32 };

struct tracked {
    uint16_t unit;
    bool is_aligned; /* counted from the aligned stack pointer */
    int32_t offset;
};

struct state {
    uint64_t mask; /* bit unit % 64 of those that are tracked */
    uint32_t count;
    struct tracked units[MOST_TRACKED];
};

/* The state at the start of a block: a piece of frame->tracked. */
struct stored_state {
    uint32_t first, count;
    bool is_reached, is_queued;
};

struct following {
    struct frame *frame;
    const struct flow_graph *graph;
    const struct array *live;
    size_t first_live;
    struct state state;
    uint32_t block;
    bool collects; /* the states are final: collect accesses and effects */
};

static struct tracked *find(struct state *state, uint16_t unit)
{
    if (!(state->mask >> unit % 64 & 1))
        return NULL;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->units[i].unit == unit)
            return &state->units[i];
    return NULL;
}

static void drop(struct state *state, uint16_t unit)
{
    struct tracked *tracked = find(state, unit);
    if (!tracked)
        return;
    *tracked = state->units[--state->count];
    state->mask = 0;
    for (uint32_t i = 0; i < state->count; i++)
        state->mask |= UINT64_C(1) << state->units[i].unit % 64;
}

static void escape(struct following *following)
{
    following->frame->escapes |= following->collects;
}

/* Gives a register that was just dropped an address, if that is not too far away. */
static void set(struct following *following, uint16_t unit, bool is_aligned, int64_t offset)
{
    struct state *state = &following->state;
    drop(state, unit);
    if (offset <= -FARTHEST || offset >= FARTHEST || state->count == MOST_TRACKED) {
        escape(following);
        return;
    }
    state->units[state->count++] = (struct tracked){unit, is_aligned, (int32_t)offset};
    state->mask |= UINT64_C(1) << unit % 64;
}

static void add_access(struct following *following, uint32_t instruction, const struct shape *shape,
                       const struct tracked *base, int64_t offset, unsigned bytes, unsigned piece,
                       uint8_t how)
{
    struct frame *frame = following->frame;
    bool is_stack_word = shape->kind == SHAPE_PUSH || shape->kind == SHAPE_POP;
    bool is_moved = (shape->flags & SHAPE_IS_PLAIN) || how != (ACCESS_READS | ACCESS_WRITES);
    struct frame_access access = {.instruction = instruction,
                                  .offset = offset,
                                  .bytes = (uint16_t)bytes,
                                  .unit = is_moved ? shape->data[piece] : (uint16_t)NO_UNIT,
                                  .register_ = is_moved ? shape->data_register[piece] : 0,
                                  .flags = how,
                                  .form = shape->form,
                                  .matter = shape->matter};
    if (piece)
        access.form ^= shape->data_register[piece] * UINT32_C(2246822519);
    if (shape->flags & SHAPE_IS_PLAIN && !is_stack_word)
        access.flags |= ACCESS_IS_PLAIN;
    if (shape->flags & SHAPE_IS_CONDITIONAL)
        access.flags |= ACCESS_IS_CONDITIONAL;
    if (shape->flags & SHAPE_IS_EXPLICIT)
        access.flags |= ACCESS_IS_EXPLICIT;
    if (frame->is_aligned &&
        (base->is_aligned ? offset + bytes > frame->aligned_offset : offset < frame->aligned_offset))
        frame->is_unreliable = true;
    *(struct frame_access *)array_push(&frame->accesses) = access;
}

static void add_effect(struct following *following, uint32_t instruction, enum effect_kind kind,
                       uint8_t access)
{
    struct tracked *stack = find(&following->state, following->graph->units->stack);
    if (following->collects)
        *(struct frame_effect *)array_push(&following->frame->effects) =
            (struct frame_effect){.instruction = instruction,
                                  .kind = kind,
                                  .access = access,
                                  .stack = stack ? stack->offset : NO_OFFSET};
}

static uint8_t how_accessed(unsigned load_bytes, unsigned store_bytes)
{
    return (load_bytes ? ACCESS_READS : 0) | (store_bytes ? ACCESS_WRITES : 0);
}

/* The memory operand. */
static void access_memory(struct following *following, uint32_t instruction, const struct shape *shape,
                          unsigned load_bytes, unsigned store_bytes)
{
    struct tracked *base = shape->base == NO_UNIT ? NULL : find(&following->state, shape->base);
    uint8_t how = how_accessed(load_bytes, store_bytes);
    if (!following->collects || !how)
        return;
    unsigned bytes = load_bytes > store_bytes ? load_bytes : store_bytes;
    if (!base || shape->flags & SHAPE_IS_WILD) {
        add_effect(following, instruction, base ? EFFECT_WILD : EFFECT_UNKNOWN, how);
        return;
    }
    int64_t offset = base->offset;
    if (shape->displacement <= -FARTHEST || shape->displacement >= FARTHEST || shape->step <= -FARTHEST ||
        shape->step >= FARTHEST) {
        add_effect(following, instruction, EFFECT_WILD, how);
        return;
    }
    offset += shape->displacement + (shape->flags & SHAPE_IS_BEFORE ? shape->step : 0);
    for (unsigned piece = 0; piece < shape->pieces; piece++)
        add_access(following, instruction, shape, base, offset + piece * (bytes / shape->pieces),
                   bytes / shape->pieces, piece, how);
}

/* The word at the stack pointer that push, pop and leave access. */
static void access_stack(struct following *following, uint32_t instruction, const struct shape *shape)
{
    const struct units *units = following->graph->units;
    int64_t word = isa_facts(units->isa)->address_bytes, moved = shape->store_bytes;
    struct tracked *stack = find(&following->state, units->stack);
    if (shape->kind == SHAPE_LEAVE) {
        uint16_t frame_pointer = shape->from;
        struct tracked *old = frame_pointer == NO_UNIT ? NULL : find(&following->state, frame_pointer);
        struct tracked value = old ? *old : (struct tracked){0};
        if (old && following->collects)
            add_access(following, instruction, shape, &value, value.offset, (unsigned)word, 0, ACCESS_READS);
        else if (!old)
            add_effect(following, instruction, EFFECT_UNKNOWN, ACCESS_READS);
        bool is_known = old != NULL;
        if (is_known)
            drop(&following->state, frame_pointer);
        drop(&following->state, units->stack);
        if (is_known)
            set(following, units->stack, value.is_aligned, value.offset + word);
        return;
    }
    if (!stack) {
        add_effect(following, instruction, EFFECT_UNKNOWN, ACCESS_READS | ACCESS_WRITES);
        return;
    }
    struct tracked value = *stack;
    if (shape->kind == SHAPE_PUSH) {
        access_memory(following, instruction, shape, shape->load_bytes, 0); /* push [rsp+8] */
        if (following->collects)
            add_access(following, instruction, shape, &value, value.offset - moved, (unsigned)moved, 0,
                       ACCESS_WRITES);
        set(following, units->stack, value.is_aligned, value.offset - moved);
        return;
    }
    moved = shape->load_bytes;
    if (following->collects)
        add_access(following, instruction, shape, &value, value.offset, (unsigned)moved, 0, ACCESS_READS);
    if (shape->data[0] != NO_UNIT)
        drop(&following->state, shape->data[0]);
    set(following, units->stack, value.is_aligned, value.offset + moved);
    if (shape->data[0] == units->stack)
        drop(&following->state, units->stack);
    access_memory(following, instruction, shape, 0, shape->store_bytes); /* pop [rsp+8] */
}

/* Whether an address that the instruction reads escapes. */
static bool leaks(const struct shape *shape, const struct units *units, uint16_t unit)
{
    if (unit == shape->base && !(shape->flags & SHAPE_READS_BASE))
        return false;
    switch (shape->kind) {
    case SHAPE_MOVE:
    case SHAPE_ADD:
    case SHAPE_ALIGN:
        return unit != shape->from;
    case SHAPE_ADD_UNIT:
        return unit != shape->from && unit != shape->other; /* handled where the sum is made */
    case SHAPE_COMPARE:
        return false;
    case SHAPE_PUSH:
    case SHAPE_POP:
        return unit != units->stack || shape->data[0] == unit;
    case SHAPE_LEAVE:
        return false;
    default:
        return true;
    }
}

/* The constant in a register, if an instruction shortly before in the same block sets it. */
static bool constant_in(const struct following *following, uint32_t instruction, uint16_t unit,
                        int64_t *constant)
{
    const struct flow_graph *graph = following->graph;
    uint32_t start = graph->start[following->block];
    for (uint32_t i = instruction, steps = 0; i-- > start && steps < MOST_LOOKBACK; steps++) {
        unsigned count;
        uint32_t encoding = flow_graph_encoding(graph, i);
        const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
        for (unsigned k = 0; k < count; k++) {
            if (uses[k].unit != unit || !(uses[k].what & USE_WRITES))
                continue;
            const struct shape *shape = &graph->meanings->shapes[encoding];
            *constant = shape->constant;
            return shape->kind == SHAPE_CONSTANT && shape->to == unit && !(uses[k].what & USE_KEEPS) &&
                   shape->constant > -FARTHEST && shape->constant < FARTHEST;
        }
        if (graph->meanings->encodings[encoding].flow == flow_CALL)
            return false;
    }
    return false;
}

/* The address that an instruction computes from tracked ones; false if it computes none that can be
   tracked. */
static bool computed(struct following *following, uint32_t instruction, const struct shape *shape,
                     struct tracked *result)
{
    struct frame *frame = following->frame;
    struct tracked *from = shape->from == NO_UNIT ? NULL : find(&following->state, shape->from);
    int64_t constant = 0;
    uint16_t other = shape->other;
    if (shape->kind == SHAPE_ADD_UNIT && !from && shape->constant > 0 && other != NO_UNIT) {
        from = find(&following->state, other);
        other = shape->from;
    }
    if (!from)
        return false;
    *result = *from;
    result->unit = shape->to;
    switch (shape->kind) {
    case SHAPE_MOVE:
        return true;
    case SHAPE_ADD:
        constant = shape->constant;
        break;
    case SHAPE_ADD_UNIT:
        if (!constant_in(following, instruction, other, &constant))
            return false;
        constant *= shape->constant;
        break;
    case SHAPE_ALIGN:
        if (!from->is_aligned && !frame->is_aligned) {
            frame->is_aligned = true;
            frame->aligned_offset = from->offset;
            frame->aligned_mask = shape->constant;
        }
        result->is_aligned = true;
        return shape->constant == frame->aligned_mask &&
               (from->is_aligned || from->offset == frame->aligned_offset);
    default:
        return false;
    }
    if (constant <= -FARTHEST || constant >= FARTHEST)
        return false;
    int64_t offset = result->offset + constant;
    result->offset = (int32_t)offset;
    return offset > -FARTHEST && offset < FARTHEST;
}

/* Drops the registers that the instruction writes; tracks the address it computes. */
static void write_registers(struct following *following, uint32_t instruction, uint32_t encoding,
                            const struct shape *shape)
{
    struct state *state = &following->state;
    const struct flow_graph *graph = following->graph;
    struct tracked result = {.unit = NO_UNIT};
    bool is_known = shape->to != NO_UNIT && shape->kind != SHAPE_OTHER && shape->kind != SHAPE_CONSTANT &&
                    computed(following, instruction, shape, &result);
    bool is_address =
        shape->kind == SHAPE_ADD_UNIT && (find(state, shape->from) || find(state, shape->other));
    is_address |= shape->kind == SHAPE_ALIGN && find(state, shape->from);
    if (is_address && !is_known)
        escape(following);
    struct tracked *base =
        shape->flags & SHAPE_STEPS && shape->base != NO_UNIT ? find(state, shape->base) : NULL;
    if (base) {
        is_known = shape->step > -FARTHEST && shape->step < FARTHEST;
        result = *base;
        int64_t stepped = is_known ? base->offset + shape->step : 0;
        is_known &= stepped > -FARTHEST && stepped < FARTHEST;
        result.offset = (int32_t)stepped;
    }
    unsigned count;
    const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
    for (unsigned k = 0; k < count; k++) {
        if (!(uses[k].what & USE_WRITES))
            continue;
        struct tracked *old = find(state, uses[k].unit);
        bool is_result = is_known && uses[k].unit == result.unit;
        if (uses[k].what & USE_KEEPS && (old || is_result)) {
            bool is_same =
                old && is_result && old->offset == result.offset && old->is_aligned == result.is_aligned;
            if (is_same)
                continue;
            escape(following);
            is_known &= !is_result;
        }
        drop(state, uses[k].unit);
    }
    if (is_known)
        set(following, result.unit, result.is_aligned, result.offset);
}

/* A call gets the addresses in its argument registers, and changes what it may. */
static void call(struct following *following, uint32_t instruction, const struct encoding_meaning *meaning)
{
    const struct flow_graph *graph = following->graph;
    const struct units *units = graph->units;
    struct state *state = &following->state;
    bool is_system = meaning->flow == flow_SYSTEM;
    add_effect(following, instruction, EFFECT_CALL, ACCESS_READS | ACCESS_WRITES);
    for (uint32_t i = state->count; i-- > 0;) {
        uint16_t unit = state->units[i].unit;
        bool is_out = unit >= graph->out_from && unit < graph->out_to;
        if (is_out || units->abi[unit] & (is_system ? ABI_SYSTEM_READ : ABI_POINTER))
            escape(following);
        if (is_out || units->abi[unit] & (is_system ? ABI_SYSTEM_WRITTEN : ABI_CLOBBERED))
            drop(state, unit);
    }
    if (is_system || isa_facts(graph->units->isa)->address_bytes != 4)
        return;
    /* call of the next instruction: a way to get the instruction pointer.  It leaves its word on the stack.
     */
    const struct instruction *row = model_instruction(graph->model, graph->first_instruction + instruction);
    uint32_t next = instruction + 1;
    struct tracked *stack = find(state, units->stack);
    if (next < graph->instruction_count && stack && row->target != NO_ADDRESS &&
        row->target == model_address(graph->model, graph->first_instruction + next))
        set(following, units->stack, stack->is_aligned, stack->offset - 4);
    else if (next < graph->start[following->block + 1]) {
        /* Some functions pop their arguments; callers then restore the stack pointer at once. */
        const struct shape *shape = &graph->meanings->shapes[flow_graph_encoding(graph, next)];
        if (shape->kind == SHAPE_ADD && shape->to == units->stack && shape->from == units->stack &&
            shape->constant < 0) {
            following->frame->is_unreliable = true;
            if (stack && shape->constant == -4)
                set(following, units->stack, stack->is_aligned, stack->offset + 4);
        }
    }
}

static void leave_function(struct following *following)
{
    struct tracked *stack = find(&following->state, following->graph->units->stack);
    if (!stack || stack->is_aligned || stack->offset)
        following->frame->is_unreliable |= following->collects;
}

static void follow_instruction(struct following *following, uint32_t instruction)
{
    const struct flow_graph *graph = following->graph;
    uint32_t encoding = flow_graph_encoding(graph, instruction);
    const struct encoding_meaning *meaning = &graph->meanings->encodings[encoding];
    const struct shape *shape = &graph->meanings->shapes[encoding];
    bool is_call = meaning->flow == flow_CALL || meaning->flow == flow_SYSTEM;
    if (following->collects && meaning->is_unknown)
        following->frame->is_unreliable = true;
    if (!is_call && !(meaning->touched & following->state.mask)) {
        if (meaning->accesses_memory)
            add_effect(following, instruction, EFFECT_UNKNOWN,
                       how_accessed(shape->load_bytes, shape->store_bytes));
        if (meaning_returns(meaning))
            leave_function(following);
        return;
    }
    if (meaning_returns(meaning)) {
        leave_function(following);
        return;
    }
    unsigned count;
    const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
    for (unsigned k = 0; following->collects && k < count; k++) {
        bool is_stack = uses[k].unit == graph->units->stack && is_call;
        if (uses[k].what & USE_READS && find(&following->state, uses[k].unit) && !is_stack &&
            leaks(shape, graph->units, uses[k].unit))
            escape(following);
    }
    if (is_call) {
        call(following, instruction, meaning);
        return;
    }
    if (shape->kind == SHAPE_PUSH || shape->kind == SHAPE_POP || shape->kind == SHAPE_LEAVE) {
        access_stack(following, instruction, shape);
        return;
    }
    access_memory(following, instruction, shape, shape->load_bytes, shape->store_bytes);
    write_registers(following, instruction, encoding, shape);
}

/* Sorts the rows of one instruction by offset, each offset once: of two accesses to one place the store
   stays. */
static void put_in_order(struct array *accesses, size_t first)
{
    if (accesses->count != first + 2)
        return;
    struct frame_access *one = array_at(accesses, first), *two = one + 1, kept = *one;
    if (one->offset > two->offset) {
        *one = *two;
        *two = kept;
    } else if (one->offset == two->offset) {
        one->flags |= two->flags;
        one->register_ = 0;
        one->unit = NO_UNIT;
        accesses->count--;
    }
}

/* Rotating registers do not keep their names. */
static void turn(struct following *following)
{
    for (uint32_t i = following->state.count; i-- > 0;) {
        uint16_t from, to, unit = following->state.units[i].unit;
        flow_graph_turning(following->graph, unit, &from, &to);
        if (to - from == 1)
            continue;
        escape(following);
        drop(&following->state, unit);
    }
}

static void follow_block(struct following *following, uint32_t block)
{
    const struct flow_graph *graph = following->graph;
    const struct stored_state *stored = ARRAY_AT(struct stored_state, &following->frame->states, block);
    struct state *state = &following->state;
    following->block = block;
    state->mask = 0;
    state->count = stored->count;
    for (uint32_t i = 0; i < stored->count; i++) {
        state->units[i] = *ARRAY_AT(struct tracked, &following->frame->tracked, stored->first + i);
        state->mask |= UINT64_C(1) << state->units[i].unit % 64;
    }
    for (uint32_t i = graph->start[block]; i < graph->start[block + 1]; i++) {
        size_t first = following->frame->accesses.count;
        follow_instruction(following, i);
        if (following->frame->accesses.count > first + 1)
            put_in_order(&following->frame->accesses, first);
        if (graph->rotates && flow_graph_meaning(graph, i)->clears_rotation)
            turn(following);
    }
    if (graph->block_flags[block] & BLOCK_ROTATES)
        turn(following);
    if (graph->block_flags[block] & BLOCK_TAIL_CALLS)
        leave_function(following);
}

static bool is_live(const struct following *following, uint16_t unit, uint32_t block)
{
    const struct flow_graph *graph = following->graph;
    uint32_t row = graph->units->registers[unit], wanted = graph->first_block + block;
    struct bisection search = {following->first_live, following->live->count};
    while (bisect(&search)) {
        const struct live_range *at = ARRAY_AT(struct live_range, following->live, search.middle);
        bisect_past(&search, at->register_ < row || (at->register_ == row && at->last_block < wanted));
    }
    if (search.first == following->live->count)
        return false;
    const struct live_range *range = ARRAY_AT(struct live_range, following->live, search.first);
    return range->register_ == row && range->first_block <= wanted;
}

/* The state flows into a successor: it keeps what both agree on. */
static void flow_into(struct following *following, uint32_t block)
{
    struct frame *frame = following->frame;
    struct stored_state *stored = ARRAY_AT(struct stored_state, &frame->states, block);
    struct state *state = &following->state;
    bool has_changed = !stored->is_reached;
    if (!stored->is_reached) {
        stored->is_reached = true;
        stored->first = (uint32_t)frame->tracked.count;
        stored->count = state->count;
        for (uint32_t i = 0; i < state->count; i++)
            *(struct tracked *)array_push(&frame->tracked) = state->units[i];
    }
    for (uint32_t i = stored->count; i-- > 0;) {
        struct tracked *old = ARRAY_AT(struct tracked, &frame->tracked, stored->first + i);
        struct tracked *now = find(state, old->unit);
        if (now && now->offset == old->offset && now->is_aligned == old->is_aligned)
            continue;
        *old = *ARRAY_AT(struct tracked, &frame->tracked, stored->first + --stored->count);
        has_changed = true;
    }
    if (has_changed && !stored->is_queued) {
        stored->is_queued = true;
        *(uint32_t *)array_push(&frame->queue) = block;
    }
}

/* States are final: addresses that a successor has lost although it wants the register have escaped. */
static void check_successor(struct following *following, uint32_t block)
{
    const struct stored_state *stored = ARRAY_AT(struct stored_state, &following->frame->states, block);
    for (uint32_t i = 0; i < following->state.count; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < stored->count; k++)
            is_there |= ARRAY_AT(struct tracked, &following->frame->tracked, stored->first + k)->unit ==
                        following->state.units[i].unit;
        if (!is_there && is_live(following, following->state.units[i].unit, block))
            escape(following);
    }
}

/* Code without a known path to it may be reached in an unknown way, unless it does nothing. */
static bool is_idle(const struct flow_graph *graph, uint32_t block)
{
    for (uint32_t i = graph->start[block]; i < graph->start[block + 1]; i++) {
        const struct encoding_meaning *meaning = flow_graph_meaning(graph, i);
        if (meaning->class != class_NOP && meaning->flow != flow_STOP)
            return false;
    }
    return true;
}

static void start(struct following *following)
{
    struct frame *frame = following->frame;
    const struct flow_graph *graph = following->graph;
    frame->accesses = frame->accesses.width ? frame->accesses : ARRAY_OF(struct frame_access);
    frame->effects = frame->effects.width ? frame->effects : ARRAY_OF(struct frame_effect);
    frame->tracked = frame->tracked.width ? frame->tracked : ARRAY_OF(struct tracked);
    frame->states = frame->states.width ? frame->states : ARRAY_OF(struct stored_state);
    frame->queue = frame->queue.width ? frame->queue : ARRAY_OF(uint32_t);
    frame->accesses.count = frame->effects.count = frame->tracked.count = frame->states.count = 0;
    frame->queue.count = 0;
    frame->escapes = frame->is_aligned = false;
    frame->is_unreliable = graph->open_count != 0;
    array_add_many(&frame->states, graph->block_count);
    following->state.count = 0;
    following->state.mask = 0;
    for (uint32_t b = 1; b < graph->block_count; b++) {
        if (!(graph->block_flags[b] & BLOCK_IS_ENTRY) || is_idle(graph, b))
            continue;
        frame->is_unreliable = true;
        flow_into(following, b);
    }
    if (graph->units->stack != NO_UNIT)
        set(following, graph->units->stack, false, 0);
    flow_into(following, 0);
}

static void add_rows(const struct frame *frame, const struct flow_graph *graph, struct array *rows)
{
    for (size_t i = 0; i < frame->accesses.count; i++) {
        const struct frame_access *access = ARRAY_AT(struct frame_access, &frame->accesses, i);
        *(struct stack_access *)array_push(rows) =
            (struct stack_access){.instruction = graph->first_instruction + access->instruction,
                                  .offset = access->offset,
                                  .bytes = access->bytes,
                                  .is_store = (access->flags & ACCESS_WRITES) != 0,
                                  .is_explicit = (access->flags & ACCESS_IS_EXPLICIT) != 0,
                                  .register_ = access->register_};
    }
}

void frame_find(struct frame *frame, const struct flow_graph *graph, const struct array *live,
                size_t first_live, struct array *rows)
{
    struct following following = {.frame = frame, .graph = graph, .live = live, .first_live = first_live};
    start(&following);
    for (size_t next = 0; next < frame->queue.count; next++) {
        uint32_t block = *ARRAY_AT(uint32_t, &frame->queue, next);
        ARRAY_AT(struct stored_state, &frame->states, block)->is_queued = false;
        follow_block(&following, block);
        for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
            flow_into(&following, graph->successors[s]);
    }
    following.collects = true;
    for (uint32_t block = 0; block < graph->block_count; block++) {
        if (!ARRAY_AT(struct stored_state, &frame->states, block)->is_reached)
            continue;
        follow_block(&following, block);
        for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
            check_successor(&following, graph->successors[s]);
    }
    add_rows(frame, graph, rows);
}

void frame_free(struct frame *frame)
{
    array_free(&frame->accesses);
    array_free(&frame->effects);
    array_free(&frame->tracked);
    array_free(&frame->states);
    array_free(&frame->queue);
}
