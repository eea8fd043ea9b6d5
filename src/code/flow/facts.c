/* Finds accesses that change nothing.

   A fact says that on every path to here a register equals a slot: it was loaded from the slot or stored
   there, and neither has changed since.  Facts flow forward; where paths meet, only the facts that all of
   them have remain.  A store with such a fact puts back the value that is there; a load with such a fact
   loads the value that is in the register already.  Neither changes any fact.

   States only lose facts, so each block is visited at most as often as it has facts, and twice that for the
   instruction that a fact comes from, which is dropped if paths disagree about it. */
#include "code/flow/useless.h"

#include <string.h>

enum { MOST_FACTS = 32, SPILL_BITS_TURN = 512 /* bytes after which two spills share a bit of ar.unat */ };

struct fact {
    uint32_t slot, form, matter;
    uint32_t origin; /* instruction, or NONE */
    uint16_t unit;
    bool is_stored; /* by a store: the register holds more than the slot, unless the slot is as wide */
};

struct state {
    uint32_t count;
    struct fact facts[MOST_FACTS];
};

struct stored_state {
    uint32_t first, count;
    bool is_reached, is_queued;
};

struct finder {
    struct useless *useless;
    const struct flow_graph *graph;
    const struct frame *frame;
    struct state state;
    uint32_t block;
    bool notes; /* states are final: write verdicts */
};

static const struct slot *slot_of(const struct finder *finder, const struct fact *fact)
{
    return useless_slot(finder->useless, fact->slot);
}

static void forget(struct state *state, uint32_t index)
{
    state->facts[index] = state->facts[--state->count];
}

static void forget_unit(struct finder *finder, uint16_t unit)
{
    for (uint32_t i = finder->state.count; i-- > 0;)
        if (finder->state.facts[i].unit == unit)
            forget(&finder->state, i);
}

/* The NaT bits that spills keep beside the registers have changed. */
static bool shares_bit(const struct finder *finder, const struct fact *fact, const struct slot *slot,
                       uint32_t matter)
{
    return fact->matter == matter && (slot_of(finder, fact)->offset - slot->offset) % SPILL_BITS_TURN == 0;
}

static void forget_place(struct finder *finder, const struct slot *slot, const struct frame_access *access)
{
    bool spills = access && access->flags & ACCESS_IS_EXPLICIT;
    for (uint32_t i = finder->state.count; i-- > 0;) {
        const struct fact *fact = &finder->state.facts[i];
        if (useless_overlap(slot_of(finder, fact), slot) ||
            (spills && shares_bit(finder, fact, slot, access->matter)))
            forget(&finder->state, i);
    }
}

static void learn(struct finder *finder, const struct frame_access *access, bool is_stored)
{
    struct state *state = &finder->state;
    if (state->count == MOST_FACTS)
        return;
    state->facts[state->count++] = (struct fact){.slot = access->slot,
                                                 .form = access->form,
                                                 .matter = access->matter,
                                                 .origin = access->instruction,
                                                 .unit = access->unit,
                                                 .is_stored = is_stored};
}

static void note(struct finder *finder, uint32_t index, enum uselessness reason, uint32_t origin)
{
    if (!finder->notes)
        return;
    *ARRAY_AT(struct verdict, &finder->useless->verdicts, index) = (struct verdict){
        .reason = (uint8_t)(1 + reason),
        .partner = origin,
        .is_across_blocks = origin == NONE || flow_graph_block_of(finder->graph, origin) != finder->block};
}

/* A rotating register has another name when it is read. */
static bool turns(const struct finder *finder, uint16_t unit)
{
    uint16_t from, to;
    flow_graph_turning(finder->graph, unit, &from, &to);
    return to - from > 1;
}

/* Whether a load would keep its register as the fact says. */
static bool holds(const struct finder *finder, const struct fact *fact, const struct frame_access *load)
{
    if (fact->unit != load->unit || fact->slot != load->slot || fact->matter != load->matter)
        return false;
    unsigned bits = finder->graph->units->bits[load->unit];
    return fact->is_stored
               ? finder->graph->units->kind[load->unit] == register_kind_GENERAL && load->bytes * 8u == bits
               : fact->form == load->form;
}

static void load(struct finder *finder, const struct frame_access *access, uint32_t index)
{
    const struct state *state = &finder->state;
    for (uint32_t i = 0; i < state->count; i++) {
        if (holds(finder, &state->facts[i], access)) {
            note(finder, index, uselessness_STILL_IN_REGISTER, state->facts[i].origin);
            return;
        }
    }
    forget_unit(finder, access->unit);
    if (!(access->flags & ACCESS_IS_CONDITIONAL) && !turns(finder, access->unit))
        learn(finder, access, false);
}

static void store(struct finder *finder, const struct frame_access *access, uint32_t index)
{
    const struct state *state = &finder->state;
    for (uint32_t i = 0; access->unit != NO_UNIT && i < state->count; i++) {
        const struct fact *fact = &state->facts[i];
        if (fact->unit == access->unit && fact->slot == access->slot && fact->matter == access->matter) {
            note(finder, index, uselessness_PUT_BACK, fact->origin);
            return;
        }
    }
    forget_place(finder, useless_slot(finder->useless, access->slot), access);
    if (access->unit != NO_UNIT && !(access->flags & ACCESS_IS_CONDITIONAL) && !turns(finder, access->unit))
        learn(finder, access, true);
}

static bool is_changed_by(const struct finder *finder, const struct fact *fact,
                          const struct frame_effect *effect)
{
    const struct flow_graph *graph = finder->graph;
    const struct slot *slot = slot_of(finder, fact);
    bool is_foreign = finder->frame->escapes || slot->offset + slot->bytes > 0;
    if (effect->kind != EFFECT_CALL)
        return effect->access & ACCESS_WRITES && (effect->kind == EFFECT_WILD || is_foreign);
    bool is_system = flow_graph_meaning(graph, effect->instruction)->flow == flow_SYSTEM;
    bool is_lost = is_system ? graph->units->abi[fact->unit] & ABI_SYSTEM_WRITTEN
                             : flow_graph_is_clobbered(graph, fact->unit);
    return is_lost || is_foreign || !slot->is_loaded || effect->stack == NO_OFFSET ||
           slot->offset < effect->stack;
}

static void step(struct finder *finder, const struct step *at)
{
    struct state *state = &finder->state;
    const struct useless *useless = finder->useless;
    const struct frame_access *access;
    switch (at->kind) {
    case STEP_LOAD:
        load(finder, useless_access(finder->frame, at->index), at->index);
        break;
    case STEP_STORE:
        store(finder, useless_access(finder->frame, at->index), at->index);
        break;
    case STEP_TOUCH:
        access = useless_access(finder->frame, at->index);
        if (access->flags & ACCESS_WRITES)
            forget_place(finder, useless_slot(useless, access->slot), access);
        break;
    case STEP_WRITE:
        forget_unit(finder, at->unit);
        for (uint32_t i = state->count; at->unit == useless->spilled_bits && i-- > 0;)
            if (state->facts[i].matter == MATTER_FILL)
                forget(state, i);
        break;
    case STEP_EFFECT:
        for (uint32_t i = state->count; i-- > 0;)
            if (is_changed_by(finder, &state->facts[i],
                              ARRAY_AT(struct frame_effect, &finder->frame->effects, at->index)))
                forget(state, i);
        break;
    case STEP_TURN:
        for (uint32_t i = state->count; i-- > 0;)
            if (turns(finder, state->facts[i].unit))
                forget(state, i);
        break;
    }
}

static void go_through(struct finder *finder, uint32_t block)
{
    const struct stored_state *stored = ARRAY_AT(struct stored_state, &finder->useless->states, block);
    const uint32_t *first = finder->useless->step_first.data;
    finder->block = block;
    finder->state.count = stored->count;
    if (stored->count)
        memcpy(finder->state.facts, ARRAY_AT(struct fact, &finder->useless->facts, stored->first),
               stored->count * sizeof(struct fact));
    for (uint32_t i = first[block]; i < first[block + 1]; i++)
        step(finder, ARRAY_AT(struct step, &finder->useless->steps, i));
}

static bool is_same(const struct fact *a, const struct fact *b)
{
    return a->slot == b->slot && a->unit == b->unit && a->form == b->form && a->matter == b->matter &&
           a->is_stored == b->is_stored;
}

static void flow_into(struct finder *finder, uint32_t block)
{
    struct useless *useless = finder->useless;
    struct stored_state *stored = ARRAY_AT(struct stored_state, &useless->states, block);
    const struct state *state = &finder->state;
    bool has_changed = !stored->is_reached;
    if (!stored->is_reached) {
        stored->is_reached = true;
        stored->first = (uint32_t)useless->facts.count;
        stored->count = state->count;
        for (uint32_t i = 0; i < state->count; i++)
            *(struct fact *)array_push(&useless->facts) = state->facts[i];
    }
    for (uint32_t i = stored->count; i-- > 0;) {
        struct fact *old = ARRAY_AT(struct fact, &useless->facts, stored->first + i);
        uint32_t k = 0;
        while (k < state->count && !is_same(&state->facts[k], old))
            k++;
        if (k == state->count) {
            *old = *ARRAY_AT(struct fact, &useless->facts, stored->first + --stored->count);
            has_changed = true;
        } else if (old->origin != state->facts[k].origin && old->origin != NONE) {
            old->origin = NONE;
            has_changed = true;
        }
    }
    if (has_changed && !stored->is_queued) {
        stored->is_queued = true;
        *(uint32_t *)array_push(&useless->queue) = block;
    }
}

void useless_find_idle(struct useless *useless, const struct flow_graph *graph, const struct frame *frame)
{
    struct finder finder = {.useless = useless, .graph = graph, .frame = frame};
    useless->facts.width = sizeof(struct fact);
    useless->states.width = sizeof(struct stored_state);
    useless->queue.width = sizeof(uint32_t);
    useless->facts.count = useless->states.count = useless->queue.count = 0;
    memset(array_add_many(&useless->states, graph->block_count), 0,
           graph->block_count * sizeof(struct stored_state));
    flow_into(&finder, 0);
    for (size_t next = 0; next < useless->queue.count; next++) {
        uint32_t block = *ARRAY_AT(uint32_t, &useless->queue, next);
        ARRAY_AT(struct stored_state, &useless->states, block)->is_queued = false;
        go_through(&finder, block);
        for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
            flow_into(&finder, graph->successors[s]);
    }
    finder.notes = true;
    for (uint32_t block = 0; block < graph->block_count; block++)
        if (ARRAY_AT(struct stored_state, &useless->states, block)->is_reached)
            go_through(&finder, block);
}
