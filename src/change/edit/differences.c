/* Old code and new code run side by side, in thought: which registers and places of the frame may hold something
   else in the new one?

   A deleted instruction makes what it wrote different, an inserted one too; an instruction that both have makes it
   equal again if it writes all of it.  Differences flow forward over the blocks, joined where paths meet, until
   nothing changes.  An instruction that reads a difference condemns the wish that made it: so do calls, returns and
   unknown memory, where they may look at it.

   Accesses that code/flow/ found to change nothing (put back, still in register) make no difference when they go.
   What a replacement computes counts as equal where both write; that is the word of whoever wishes it.  A swap was
   judged by rules.c; where both write the same register and nobody reads it in between, the register differs.

   Calls and returns look at every register that the calling convention does not preserve, because functions of one
   file may agree on more than the convention; but not at flags, which no compiler passes on. */
#include "change/edit/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1 << 27 };

/* What can differ: a unit, or bytes of the frame. */
struct item {
    int64_t offset;
    uint16_t unit, bytes; /* NO_UNIT: bytes at the offset */
    bool is_loaded;       /* by a plain load of exactly these: then it is no argument of a callee */
};

struct comparing {
    struct edit_making *making;
    const struct edit_side *old, *again;
    const struct flow_graph *graph;
    const struct frame *frame;
    struct array items;    /* of struct item */
    uint16_t *of_new_unit; /* units of the old model by unit of the new one; NULL: nothing new */
    uint32_t *starts;      /* by block and item: number + 1 of the wish */
    uint32_t *state;       /* by item, where we are */
    uint8_t *reached, *queued;
    bool touches; /* the wish at hand makes a difference */
    struct array queue;
};

static uint32_t item_of_unit(struct comparing *it, uint16_t unit)
{
    for (uint32_t i = 0; i < it->items.count; i++)
        if (ARRAY_AT(struct item, &it->items, i)->unit == unit)
            return i;
    *(struct item *)array_add(&it->items) = (struct item){.unit = unit};
    return (uint32_t)it->items.count - 1;
}

static bool is_loaded(const struct comparing *it, int64_t offset, uint16_t bytes)
{
    for (size_t i = 0; i < it->frame->accesses.count; i++) {
        const struct frame_access *access = array_at(&it->frame->accesses, i);
        if (access->offset == offset && access->bytes == bytes && access->flags & ACCESS_IS_PLAIN &&
            access->flags & ACCESS_READS)
            return true;
    }
    return false;
}

static uint32_t item_of_place(struct comparing *it, int64_t offset, uint16_t bytes)
{
    for (uint32_t i = 0; i < it->items.count; i++) {
        const struct item *item = array_at(&it->items, i);
        if (item->unit == NO_UNIT && item->offset == offset && item->bytes == bytes)
            return i;
    }
    *(struct item *)array_add(&it->items) = (struct item){
        .offset = offset, .unit = NO_UNIT, .bytes = bytes, .is_loaded = is_loaded(it, offset, bytes)};
    return (uint32_t)it->items.count - 1;
}

/* What a wish makes different, as a visit of each item. */
typedef void item_visit(struct comparing *it, uint32_t item, uint32_t number);

static void note_item(struct comparing *it, uint32_t item, uint32_t number)
{
    it->touches = true;
    (void)item;
    (void)number;
}

static void set_item(struct comparing *it, uint32_t item, uint32_t number)
{
    it->state[item] = number + 1;
}

static uint16_t old_unit(const struct comparing *it, uint16_t unit)
{
    return it->of_new_unit ? it->of_new_unit[unit] : unit;
}

static bool writes(const struct edit_side *side, const struct comparing *it, bool is_new,
                   uint32_t instruction, uint16_t unit)
{
    unsigned count;
    const struct unit_use *uses = edit_uses(side, instruction, &count);
    for (unsigned i = 0; i < count; i++)
        if (uses[i].what & USE_WRITES && (is_new ? old_unit(it, uses[i].unit) : uses[i].unit) == unit)
            return true;
    return false;
}

/* A deleted or replaced instruction of the old code. */
static void visit_old(struct comparing *it, uint32_t number, item_visit *visit)
{
    const struct edit_wish *wish = edit_wish_at(it->making, number);
    bool is_replaced = wish->kind == edit_kind_REPLACE;
    if (!is_replaced && edit_rules_is_idle(it->old, wish->instruction))
        return;
    uint32_t at = 0;
    uint32_t instead = is_replaced ? edit_fresh_next(it->making, number, &at) : 0;
    unsigned count;
    const struct unit_use *uses = edit_uses(it->old, wish->instruction, &count);
    for (unsigned i = 0; i < count; i++)
        if (uses[i].what & USE_WRITES && !(instead && writes(it->again, it, true, instead, uses[i].unit)))
            visit(it, item_of_unit(it, uses[i].unit), number);
    const struct frame_access *accesses =
        edit_accesses(it->old->function, wish->instruction - it->graph->first_instruction, &count);
    for (unsigned i = 0; i < count && !is_replaced; i++)
        if (accesses[i].flags & ACCESS_WRITES)
            visit(it, item_of_place(it, accesses[i].offset, accesses[i].bytes), number);
}

static void visit_new(struct comparing *it, uint32_t number, item_visit *visit)
{
    const struct edit_wish *wish = edit_wish_at(it->making, number);
    uint32_t instruction;
    uint32_t at = 0;
    while ((instruction = edit_fresh_next(it->making, number, &at))) {
        unsigned count;
        const struct unit_use *uses = edit_uses(it->again, instruction, &count);
        for (unsigned i = 0; i < count; i++) {
            uint16_t unit = old_unit(it, uses[i].unit);
            bool is_shared =
                wish->kind == edit_kind_REPLACE && writes(it->old, it, false, wish->instruction, unit);
            if (uses[i].what & USE_WRITES && !is_shared)
                visit(it, item_of_unit(it, unit), number);
        }
    }
}

/* Registers that two swapped instructions, or one of them and one in between, both write. */
static void visit_swap(struct comparing *it, uint32_t number, item_visit *visit)
{
    const struct edit_wish *wish = edit_wish_at(it->making, number);
    uint32_t first = wish->instruction < wish->other ? wish->instruction : wish->other;
    uint32_t last = first == wish->instruction ? wish->other : wish->instruction;
    for (uint32_t i = first; i <= last; i++) {
        unsigned count;
        const struct unit_use *uses = edit_uses(it->old, i, &count);
        for (unsigned k = 0; k < count; k++) {
            bool is_shared = (i != first && writes(it->old, it, false, first, uses[k].unit)) ||
                             (i != last && writes(it->old, it, false, last, uses[k].unit));
            if (uses[k].what & USE_WRITES && is_shared)
                visit(it, item_of_unit(it, uses[k].unit), number);
        }
    }
}

static void condemn(struct comparing *it, uint32_t item, const char *how, uint32_t local)
{
    struct edit_wish *wish = edit_wish_at(it->making, it->state[item] - 1);
    const struct item *what = array_at(&it->items, item);
    const struct model *model = it->old->model;
    autofree char *place = edit_place(it->making, it->graph->first_instruction + local);
    if (what->unit != NO_UNIT)
        edit_refuse(wish, "%s %s %s", place, how,
                    model_text(model, model_register(model, it->graph->units->registers[what->unit])->name));
    else
        edit_refuse(wish, "%s %s the %u bytes of the frame that it writes", place, how, what->bytes);
    it->state[item] = 0;
}

static bool is_scratch(const struct flow_graph *graph, uint16_t unit)
{
    return flow_graph_is_clobbered(graph, unit) || !(graph->units->abi[unit] & ABI_PRESERVED);
}

/* What a call, a system call or the end of the function may look at. */
static bool is_watched(const struct comparing *it, const struct item *item, bool is_end, bool is_tail)
{
    const struct flow_graph *graph = it->graph;
    if (item->unit == NO_UNIT)
        return is_end && item->offset + item->bytes > 0;
    if (graph->units->kind[item->unit] == register_kind_FLAGS &&
        graph->units->abi[item->unit] & ABI_CLOBBERED)
        return is_end && !(graph->is_written[item->unit] & 1);
    uint16_t stacked = graph->units->stacked;
    bool is_stacked = stacked != NO_UNIT && item->unit >= stacked && item->unit < stacked + 96;
    if (is_stacked && !is_tail) /* IA-64: nobody else sees the frame's registers but those for arguments */
        return !is_end && item->unit >= graph->out_from && item->unit < graph->out_to;
    return is_end || is_scratch(graph, item->unit);
}

static bool is_read_by_effect(const struct comparing *it, const struct item *item,
                              const struct frame_effect *effect)
{
    if (!effect || !(effect->access & ACCESS_READS))
        return false;
    if (effect->kind == EFFECT_WILD || it->frame->escapes || item->offset + item->bytes > 0)
        return true;
    return effect->kind == EFFECT_CALL && !item->is_loaded;
}

static bool overlaps(const struct item *item, const struct frame_access *access)
{
    return item->offset < access->offset + access->bytes && access->offset < item->offset + item->bytes;
}

static void look_at_place(struct comparing *it, uint32_t i, uint32_t local)
{
    const struct item *item = array_at(&it->items, i);
    unsigned count;
    const struct frame_access *accesses = edit_accesses(it->old->function, local, &count);
    for (unsigned k = 0; k < count && it->state[i]; k++)
        if (accesses[k].flags & ACCESS_READS && overlaps(item, &accesses[k]))
            condemn(it, i, "reads", local);
    if (it->state[i] && is_read_by_effect(it, item, edit_effect(it->old->function, local)))
        condemn(it, i, "may read", local);
    for (unsigned k = 0; k < count && it->state[i]; k++)
        if (accesses[k].flags & ACCESS_WRITES && !(accesses[k].flags & ACCESS_IS_CONDITIONAL) &&
            accesses[k].offset <= item->offset &&
            accesses[k].offset + accesses[k].bytes >= item->offset + item->bytes)
            it->state[i] = 0;
}

/* A register with itself by exclusive or: the result is 0, whatever it was. */
static bool is_zeroing(const struct model *model, uint32_t instruction)
{
    uint32_t encoding = model_instruction(model, instruction)->encoding, first = 0;
    const struct encoding *row = model_encoding(model, encoding);
    if (row->operation != operation_EXCLUSIVE_OR || row->load_bytes || row->store_bytes || row->is_masked ||
        row->predicate)
        return false;
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    unsigned count = 0;
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding;
         at++, count++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        first = count ? first : operand->register_;
        if (operand->kind != operand_kind_REGISTER || operand->register_ != first || operand->value)
            return false;
    }
    return count >= 2;
}

static void look_at_unit(struct comparing *it, uint32_t i, uint32_t local)
{
    bool is_zero = is_zeroing(it->old->model, it->graph->first_instruction + local);
    uint16_t unit = ARRAY_AT(struct item, &it->items, i)->unit;
    unsigned count;
    const struct unit_use *uses = edit_uses(it->old, it->graph->first_instruction + local, &count);
    for (unsigned k = 0; k < count && it->state[i]; k++) {
        if (uses[k].unit != unit)
            continue;
        bool keeps = uses[k].what & USE_KEEPS &&
                     !(uses[k].what & USE_KEEPS_WIDE && !(it->graph->is_written[unit] & 2));
        if (uses[k].what & USE_READS && !is_zero)
            condemn(it, i, "reads", local);
        else if (uses[k].what & USE_WRITES && !keeps)
            it->state[i] = 0;
    }
}

/* Instructions whose effects are not known register by register. */
static bool looks_everywhere(const struct comparing *it, uint32_t local)
{
    const struct encoding_meaning *meaning = flow_graph_meaning(it->graph, local);
    return meaning->is_unknown || meaning->class == class_SYSTEM || meaning->class == class_OTHER;
}

/* An instruction that both have. */
static void pass_instruction(struct comparing *it, uint32_t block, uint32_t local)
{
    const struct flow_graph *graph = it->graph;
    const struct encoding_meaning *meaning = flow_graph_meaning(graph, local);
    bool is_last = local + 1 == graph->start[block + 1];
    bool is_tail = is_last && graph->block_flags[block] & BLOCK_TAIL_CALLS,
         is_end = meaning_returns(meaning) || is_tail;
    bool is_call = meaning->flow == flow_CALL || meaning->flow == flow_SYSTEM;
    for (uint32_t i = 0; i < it->items.count; i++) {
        const struct item *item = array_at(&it->items, i);
        if (it->state[i] && (is_end || is_call) && is_watched(it, item, is_end, is_tail))
            condemn(it, i, is_end ? "leaves the function with" : "may use", local);
        if (it->state[i] && looks_everywhere(it, local))
            condemn(it, i, "may use", local);
        if (it->state[i] && item->unit == NO_UNIT)
            look_at_place(it, i, local);
        else if (it->state[i])
            look_at_unit(it, i, local);
        if (it->state[i] && meaning->flow == flow_CALL && !meaning->is_conditional && item->unit != NO_UNIT &&
            flow_graph_is_clobbered(graph, item->unit))
            it->state[i] = 0;
    }
}

static void look_at_new_loads(struct comparing *it, uint32_t instruction, uint32_t local)
{
    const struct flow_function *there = it->again->function;
    uint32_t new_local = instruction - there->graph.first_instruction;
    unsigned count;
    const struct frame_access *accesses = edit_accesses(there, new_local, &count);
    for (uint32_t i = 0; i < it->items.count; i++) {
        const struct item *item = array_at(&it->items, i);
        for (unsigned k = 0; k < count && item->unit == NO_UNIT && it->state[i]; k++)
            if (accesses[k].flags & ACCESS_READS && overlaps(item, &accesses[k]))
                condemn(it, i, "reads (as it is replaced)", local);
        if (it->state[i] && item->unit == NO_UNIT &&
            is_read_by_effect(it, item, edit_effect(there, new_local)))
            condemn(it, i, "may read (as it is replaced)", local);
    }
}

/* A new instruction that reads what another wish made different computes something else than was meant. */
static void pass_new(struct comparing *it, uint32_t number, uint32_t local)
{
    const struct edit_wish *wish = edit_wish_at(it->making, number);
    uint32_t instruction;
    uint32_t at = 0;
    while (wish->kind == edit_kind_REPLACE && (instruction = edit_fresh_next(it->making, number, &at))) {
        look_at_new_loads(it, instruction, local);
        unsigned count;
        const struct unit_use *uses = edit_uses(it->again, instruction, &count);
        for (unsigned k = 0; k < count; k++)
            for (uint32_t i = 0; i < it->items.count; i++)
                if (it->state[i] &&
                    ARRAY_AT(struct item, &it->items, i)->unit == old_unit(it, uses[k].unit) &&
                    uses[k].what & USE_READS)
                    condemn(it, i, "reads (as it is replaced)", local);
    }
    visit_new(it, number, set_item);
}

static void pass_inserted(struct comparing *it, const struct array *list, uint32_t row, uint32_t local)
{
    for (uint32_t link = edit_number(list, row); link;
         link = *ARRAY_AT(uint32_t, &it->making->next, link - 1))
        if (!edit_wish_at(it->making, link - 1)->refusal)
            pass_new(it, link - 1, local);
}

static void pass_place(struct comparing *it, uint32_t block, uint32_t local)
{
    uint32_t row = it->graph->first_instruction + local, change = edit_number(&it->making->changes, row);
    const struct edit_wish *wish = change && !edit_wish_at(it->making, change - 1)->refusal
                                       ? edit_wish_at(it->making, change - 1)
                                       : NULL;
    pass_inserted(it, &it->making->befores, row, local);
    if (!wish || wish->kind == edit_kind_SWAP || wish->kind == edit_kind_SWAP_BUNDLES) {
        pass_instruction(it, block, local);
        if (wish && wish->kind == edit_kind_SWAP &&
            row == (wish->instruction > wish->other ? wish->instruction : wish->other))
            visit_swap(it, change - 1, set_item);
    } else {
        visit_old(it, change - 1, set_item);
        pass_new(it, change - 1, local);
    }
    pass_inserted(it, &it->making->afters, row, local);
}

static void flow_into(struct comparing *it, uint32_t block)
{
    uint32_t *start = it->starts + (size_t)block * it->items.count;
    bool has_changed = !it->reached[block];
    it->reached[block] = 1;
    for (uint32_t i = 0; i < it->items.count; i++) {
        if (!it->state[i] || start[i])
            continue;
        start[i] = it->state[i];
        has_changed = true;
    }
    if (has_changed && !it->queued[block]) {
        it->queued[block] = 1;
        *(uint32_t *)array_push(&it->queue) = block;
    }
}

static void follow(struct comparing *it)
{
    const struct flow_graph *graph = it->graph;
    size_t width = it->items.count;
    for (uint32_t b = 0; b < graph->block_count; b++)
        if (graph->block_flags[b] & BLOCK_IS_ENTRY || !b)
            flow_into(it, b);
    for (size_t next = 0; next < it->queue.count; next++) {
        uint32_t block = *ARRAY_AT(uint32_t, &it->queue, next);
        it->queued[block] = 0;
        memcpy(it->state, it->starts + block * width, width * sizeof *it->state);
        for (uint32_t i = graph->start[block]; i < graph->start[block + 1]; i++)
            pass_place(it, block, i);
        for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
            flow_into(it, graph->successors[s]);
    }
}

static bool is_of_function(const struct comparing *it, const struct edit_wish *wish)
{
    return wish->instruction - it->graph->first_instruction < it->graph->instruction_count;
}

/* The places behind an instruction: where control goes on in several ways there is none. */
static void check_after(const struct comparing *it, struct edit_wish *wish)
{
    uint32_t local = wish->instruction - it->graph->first_instruction;
    const struct encoding_meaning *meaning = flow_graph_meaning(it->graph, local);
    uint32_t block = flow_graph_block_of(it->graph, local);
    bool is_last = local + 1 == it->graph->start[block + 1];
    uint32_t ways = it->graph->successor_first[block + 1] - it->graph->successor_first[block];
    if (meaning->flow != flow_NEXT && (meaning->flow != flow_CALL || is_last))
        edit_refuse(wish, "control does not simply go on behind it");
    else if (is_last && ways != 1)
        edit_refuse(wish, "control goes on in several ways behind it");
}

static bool collect(struct comparing *it)
{
    bool has_wishes = false;
    for (uint32_t i = 0; i < it->making->wishes->count; i++) {
        struct edit_wish *wish = edit_wish_at(it->making, i);
        if (wish->refusal || !is_of_function(it, wish))
            continue;
        it->touches = wish->kind == edit_kind_REPLACE;
        if (wish->kind == edit_kind_AFTER)
            check_after(it, wish);
        if (wish->kind == edit_kind_DELETE || wish->kind == edit_kind_REPLACE)
            visit_old(it, i, note_item);
        visit_new(it, i, note_item);
        if (wish->kind == edit_kind_SWAP)
            visit_swap(it, i, note_item);
        if (it->touches &&
            (it->frame->is_unreliable || it->graph->open_count || it->old->function->returns_twice))
            edit_refuse(wish, "the control flow or the stack of its function is not known completely");
        if (it->touches && it->graph->rotates)
            edit_refuse(wish, "registers rotate in its function");
        has_wishes |= !wish->refusal;
    }
    bool is_too_large = (uint64_t)it->items.count * it->graph->block_count > MOST_STATES;
    for (uint32_t i = 0; is_too_large && i < it->making->wishes->count; i++)
        if (is_of_function(it, edit_wish_at(it->making, i)))
            edit_refuse(edit_wish_at(it->making, i), "its function is too large for so many edits at once");
    return has_wishes && it->items.count && !is_too_large;
}

/* Units by name: the tables of registers may differ. */
static void map_units(struct comparing *it)
{
    const struct units *now = it->again->function->graph.units, *before = it->graph->units;
    if (!now)
        return;
    it->of_new_unit = memory_get((now->count + 1u) * sizeof *it->of_new_unit);
    for (uint16_t unit = 0; unit < now->count; unit++) {
        const struct model *model = it->again->model;
        const char *name = model_text(model, model_register(model, now->registers[unit])->name);
        bool is_same =
            unit < before->count &&
            !strcmp(name, model_text(it->old->model,
                                     model_register(it->old->model, before->registers[unit])->name));
        it->of_new_unit[unit] = is_same ? unit : units_named(before, it->old->model, name);
    }
}

void edit_differences(struct edit_making *making, const struct edit_side *old, const struct edit_side *again)
{
    struct comparing it = {.making = making,
                           .old = old,
                           .again = again,
                           .graph = &old->function->graph,
                           .frame = &old->function->frame,
                           .items = ARRAY_OF(struct item),
                           .queue = ARRAY_OF(uint32_t)};
    map_units(&it);
    if (collect(&it)) {
        size_t blocks = it.graph->block_count;
        it.starts = memory_get(blocks * it.items.count * sizeof *it.starts);
        it.state = memory_get(it.items.count * sizeof *it.state);
        it.reached = memory_get(blocks);
        it.queued = memory_get(blocks);
        follow(&it);
        free(it.starts);
        free(it.state);
        free(it.reached);
        free(it.queued);
    }
    free(it.of_new_unit);
    array_free(&it.items);
    array_free(&it.queue);
}
