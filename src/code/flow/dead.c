/* Finds loads and stores that nothing needs.

   A load is dead if its register is not live after it.  Liveness is conservative here: a call reads every
   register that the ABI does not preserve, because functions of one file may agree on more than the ABI.

   A store is dead if its slot is not live after it: every path reaches another store of all its bytes, or the
   end of the function, before anything reads one of them.  Callees may read arguments: slots that the
   function itself never loads.  If an address into the frame has escaped, or is indexed, only the rest of the
   block is searched, up to the first possible read. */
#include "code/flow/useless.h"

#include <string.h>

enum { MOST_CLUSTER = 64, MOST_STEPS_AHEAD = 256 };

static struct verdict *verdict_at(const struct useless *useless, size_t index)
{
    return ARRAY_AT(struct verdict, &useless->verdicts, index);
}

/* The first event of a unit after an instruction. */
static uint32_t next_event(const struct flow_graph *graph, uint16_t unit, uint32_t instruction)
{
    struct bisection search = {graph->event_first[unit], graph->event_end[unit]};
    while (bisect(&search))
        bisect_past(&search, graph->events[search.middle].instruction <= instruction);
    return (uint32_t)search.first;
}

static bool is_scratch(const struct flow_graph *graph, uint16_t unit)
{
    return flow_graph_is_clobbered(graph, unit) ||
           graph->units->abi[unit] & (ABI_ARGUMENT | ABI_POINTER | ABI_RETURNED | ABI_MAYBE_RETURNED);
}

/* Whether the register is read after the load, which is in this block. */
static bool is_read_later(const struct useless *useless, const struct strands *strands, uint16_t unit,
                          uint32_t instruction, uint32_t block)
{
    const struct flow_graph *graph = strands->graph;
    uint32_t end = graph->start[block + 1], at = instruction + 1;
    for (uint32_t e = next_event(graph, unit, instruction);
         e < graph->event_end[unit] && graph->events[e].instruction < end; e++) {
        const struct event *event = &graph->events[e];
        if (is_scratch(graph, unit) && flow_graph_has_barrier(graph, at, event->instruction + 1))
            return true;
        at = event->instruction + 1;
        if (useless_is_removed(useless, event->instruction))
            continue;
        if (event->what & USE_READS)
            return true;
        if (!(event->what & USE_KEEPS))
            return false;
    }
    if (is_scratch(graph, unit) && flow_graph_has_barrier(graph, at, end))
        return true;
    for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
        if (strands_is_live(strands, graph->successors[s]))
            return true;
    return graph->block_flags[block] & BLOCK_IS_OPEN;
}

/* The store that puts back what a load loaded, or NONE. */
static uint32_t store_for(const struct useless *useless, const struct frame *frame,
                          const struct frame_access *load)
{
    for (size_t i = 0; i < useless->order.count; i++) {
        size_t index = *ARRAY_AT(uint32_t, &useless->order, i);
        const struct frame_access *store = useless_access(frame, index);
        uint32_t partner = verdict_at(useless, index)->partner;
        if (partner == load->instruction ||
            (partner == NONE && store->unit == load->unit && store->slot == load->slot))
            return store->instruction;
    }
    return NONE;
}

/* Stores that put back, as indexes of accesses; not more than can be searched for every load. */
static void list_stores(struct useless *useless, const struct frame *frame)
{
    enum { MOST_LISTED = 4096 };
    useless->order.width = sizeof(uint32_t);
    useless->order.count = 0;
    for (size_t i = 0; i < frame->accesses.count && useless->order.count < MOST_LISTED; i++)
        if (verdict_at(useless, i)->reason == 1 + uselessness_PUT_BACK &&
            useless_is_removed(useless, useless_access(frame, i)->instruction))
            *(uint32_t *)array_push(&useless->order) = (uint32_t)i;
}

static void find_unit_loads(struct useless *useless, const struct flow_graph *graph, struct strands *strands,
                            const struct frame *frame, uint16_t unit)
{
    strands->removed = useless->removed.data;
    strands->is_careful = true;
    bool is_walked = strands_walk(strands, graph, unit, (uint16_t)(unit + 1));
    if (is_walked)
        strands_find_live(strands);
    for (size_t i = 0; is_walked && i < frame->accesses.count; i++) {
        const struct frame_access *access = useless_access(frame, i);
        if (access->unit != unit || !(access->flags & ACCESS_IS_PLAIN) || access->flags & ACCESS_WRITES ||
            useless_is_removed(useless, access->instruction))
            continue;
        uint32_t block = flow_graph_block_of(graph, access->instruction);
        if (is_read_later(useless, strands, unit, access->instruction, block))
            continue;
        uint32_t store = store_for(useless, frame, access);
        *verdict_at(useless, i) = (struct verdict){
            .reason = (uint8_t)(1 + (store == NONE ? uselessness_NEVER_USED : uselessness_ONLY_PUT_BACK)),
            .partner = store,
            .is_across_blocks = store != NONE && flow_graph_block_of(graph, store) != block};
    }
    strands->removed = NULL;
    strands->is_careful = false;
}

void useless_find_dead_loads(struct useless *useless, const struct flow_graph *graph, struct strands *strands,
                             const struct frame *frame)
{
    list_stores(useless, frame);
    /* A finding about one half of a pair is not a verdict. */
    for (size_t i = 0; i < frame->accesses.count; i++)
        if (!useless_is_removed(useless, useless_access(frame, i)->instruction))
            verdict_at(useless, i)->reason = 0;
    const uint8_t *interest = useless->interest.data;
    for (uint16_t unit = 0; unit < graph->units->count; unit++) {
        uint16_t from, to;
        flow_graph_turning(graph, unit, &from, &to);
        if (interest[unit] && to - from == 1)
            find_unit_loads(useless, graph, strands, frame, unit);
    }
}

/* Whether the unwinder may need the stored value: a preserved register, or a special one through a general
   one, with its value at entry. */
static bool is_kept_for_unwinding(const struct flow_graph *graph, const struct frame_access *store,
                                  const struct array *def_use, size_t first_row)
{
    const struct units *units = graph->units;
    if (store->unit == NO_UNIT)
        return false;
    uint32_t use = graph->first_instruction + store->instruction, row = units->registers[store->unit];
    bool is_entry = true;
    for (size_t i = array_first_not_below(def_use, first_row, offsetof(struct def_use, use), use);
         i < def_use->count && ARRAY_AT(struct def_use, def_use, i)->use == use; i++) {
        const struct def_use *at = ARRAY_AT(struct def_use, def_use, i);
        if (at->register_ != row)
            continue;
        is_entry = at->is_entry_too;
        uint32_t encoding = model_instruction(graph->model, at->definition)->encoding;
        unsigned count;
        const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
        for (unsigned k = 0; units->isa == isa_IA64 && k < count; k++)
            if (uses[k].what & USE_READS &&
                (units->stacked == NO_UNIT || uses[k].unit < units->stacked - 31 ||
                 uses[k].unit >= units->stacked + 96) &&
                graph->meanings->encodings[encoding].class != class_LOAD)
                return true;
    }
    return is_entry && units->abi[store->unit] & ABI_PRESERVED;
}

enum { BLOCK_READS = 1, BLOCK_STORES = 2, BLOCK_IS_LIVE = 4 };

/* What the first step that concerns a slot does to it: the bits above, or 0 for none.  Searches forward from
   first. */
static unsigned first_concern(const struct useless *useless, const struct frame *frame,
                              const struct slot *slot, bool is_guarded, uint32_t first, uint32_t end,
                              uint32_t *instruction)
{
    for (uint32_t i = first; i < end; i++) {
        const struct step *step = ARRAY_AT(struct step, &useless->steps, i);
        if (useless_is_removed(useless, step->instruction))
            continue;
        *instruction = step->instruction;
        if (i - first == MOST_STEPS_AHEAD)
            return BLOCK_READS;
        if (step->kind == STEP_EFFECT) {
            const struct frame_effect *effect = ARRAY_AT(struct frame_effect, &frame->effects, step->index);
            bool is_call = effect->kind == EFFECT_CALL;
            if (effect->access & ACCESS_READS &&
                (is_guarded || effect->kind == EFFECT_WILD || (is_call && !slot->is_loaded)))
                return BLOCK_READS;
        }
        if (step->kind > STEP_TOUCH)
            continue;
        const struct frame_access *access = useless_access(frame, step->index);
        const struct slot *other = useless_slot(useless, access->slot);
        if (!useless_overlap(slot, other))
            continue;
        if (access->flags & ACCESS_READS)
            return BLOCK_READS;
        bool covers =
            other->offset <= slot->offset && other->offset + other->bytes >= slot->offset + slot->bytes;
        if (covers && !(access->flags & ACCESS_IS_CONDITIONAL))
            return BLOCK_STORES;
    }
    return 0;
}

/* A store and the accesses of its cluster, by instruction: everything needed to judge its slot. */
struct slot_search {
    struct useless *useless;
    const struct flow_graph *graph;
    const struct frame *frame;
    const struct slot *slot;
    const uint32_t *accesses; /* of the cluster */
    size_t count;
};

static unsigned concern(const struct slot_search *search, const struct frame_access *access)
{
    const struct slot *other = useless_slot(search->useless, access->slot);
    if (useless_is_removed(search->useless, access->instruction) || !useless_overlap(search->slot, other))
        return 0;
    if (access->flags & ACCESS_READS)
        return BLOCK_READS;
    bool covers = other->offset <= search->slot->offset &&
                  other->offset + other->bytes >= search->slot->offset + search->slot->bytes;
    return covers && !(access->flags & ACCESS_IS_CONDITIONAL) ? BLOCK_STORES : 0;
}

/* marks holds, for this search, the mark times 8 plus the bits of the block. */
static unsigned bits_of(const struct slot_search *search, uint32_t block)
{
    uint32_t mark = *ARRAY_AT(uint32_t, &search->useless->marks, block);
    return mark >> 3 == search->useless->mark ? mark & 7 : 0;
}

static void set_bits(const struct slot_search *search, uint32_t block, unsigned bits)
{
    *ARRAY_AT(uint32_t, &search->useless->marks, block) = search->useless->mark << 3 | bits;
}

/* Blocks at whose start the slot is live. */
static void find_live_blocks(const struct slot_search *search)
{
    struct useless *useless = search->useless;
    const struct flow_graph *graph = search->graph;
    useless->queue.count = 0;
    if (++useless->mark >= UINT32_MAX >> 3) {
        memset(useless->marks.data, 0, useless->marks.count * sizeof(uint32_t));
        useless->mark = 1;
    }
    for (size_t i = 0; i < search->count; i++) {
        const struct frame_access *access = useless_access(search->frame, search->accesses[i]);
        unsigned what = concern(search, access);
        uint32_t block = flow_graph_block_of(graph, access->instruction);
        if (!what || bits_of(search, block))
            continue;
        set_bits(search, block, what == BLOCK_READS ? BLOCK_READS | BLOCK_IS_LIVE : BLOCK_STORES);
        if (what == BLOCK_READS)
            *(uint32_t *)array_push(&useless->queue) = block;
    }
    for (size_t next = 0; next < useless->queue.count; next++) {
        uint32_t block = *ARRAY_AT(uint32_t, &useless->queue, next);
        for (uint32_t p = graph->predecessor_first[block]; p < graph->predecessor_first[block + 1]; p++) {
            uint32_t before = graph->predecessors[p];
            if (bits_of(search, before))
                continue;
            set_bits(search, before, BLOCK_IS_LIVE);
            *(uint32_t *)array_push(&useless->queue) = before;
        }
    }
}

/* Whether nothing reads the slot after the store at this place of the cluster's list. */
static bool is_dead_store(const struct slot_search *search, size_t place, uint32_t *partner)
{
    const struct flow_graph *graph = search->graph;
    const struct frame_access *store = useless_access(search->frame, search->accesses[place]);
    uint32_t block = flow_graph_block_of(graph, store->instruction);
    for (size_t i = place + 1; i < search->count; i++) {
        const struct frame_access *access = useless_access(search->frame, search->accesses[i]);
        if (access->instruction >= graph->start[block + 1])
            break;
        unsigned what = access->instruction == store->instruction ? 0 : concern(search, access);
        if (what == BLOCK_READS || i - place == MOST_STEPS_AHEAD)
            return false;
        *partner = access->instruction;
        if (what == BLOCK_STORES)
            return true;
    }
    *partner = NONE;
    for (uint32_t s = graph->successor_first[block]; s < graph->successor_first[block + 1]; s++)
        if (bits_of(search, graph->successors[s]) & BLOCK_IS_LIVE)
            return false;
    return true;
}

static void note_dead(struct useless *useless, size_t index, uint32_t partner)
{
    *verdict_at(useless, index) = (struct verdict){.reason = 1 + uselessness_NEVER_READ, .partner = partner};
}

/* Slots that only the function's own loads can read: searches every path. */
static void search_paths(struct slot_search *search, uint32_t slot, const struct array *def_use,
                         size_t first_row)
{
    bool is_searched = false;
    for (size_t i = 0; i < search->count; i++) {
        const struct frame_access *access = useless_access(search->frame, search->accesses[i]);
        uint32_t partner;
        if (access->slot != slot || !(access->flags & ACCESS_IS_PLAIN) || !(access->flags & ACCESS_WRITES) ||
            useless_is_removed(search->useless, access->instruction) ||
            is_kept_for_unwinding(search->graph, access, def_use, first_row))
            continue;
        if (!is_searched)
            find_live_blocks(search);
        is_searched = true;
        if (is_dead_store(search, i, &partner))
            note_dead(search->useless, search->accesses[i], partner);
    }
}

/* Slots that others may read: searches only the rest of the block. */
static void search_blocks(struct useless *useless, const struct flow_graph *graph, const struct frame *frame,
                          const uint8_t *is_done, const struct array *def_use, size_t first_row)
{
    const uint32_t *first = useless->step_first.data;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        for (uint32_t i = first[b]; i < first[b + 1]; i++) {
            const struct step *step = ARRAY_AT(struct step, &useless->steps, i);
            if (step->kind != STEP_STORE || useless_is_removed(useless, step->instruction))
                continue;
            const struct frame_access *store = useless_access(frame, step->index);
            const struct slot *slot = useless_slot(useless, store->slot);
            uint32_t partner, next = i + 1;
            if (is_done[store->slot] || slot->offset + slot->bytes > 0 ||
                is_kept_for_unwinding(graph, store, def_use, first_row))
                continue;
            while (next < first[b + 1] &&
                   ARRAY_AT(struct step, &useless->steps, next)->instruction == step->instruction)
                next++;
            if (first_concern(useless, frame, slot, frame->escapes, next, first[b + 1], &partner) ==
                BLOCK_STORES)
                note_dead(useless, step->index, partner);
        }
    }
}

/* Accesses by cluster, then by instruction: places[c] … places[c + 1] in order. */
static void sort_by_cluster(struct useless *useless, const struct frame *frame, struct array *places)
{
    size_t slots = useless->slots.count, count = frame->accesses.count;
    uint32_t *place = array_add_many(places, slots + 2);
    useless->order.width = sizeof(uint32_t);
    useless->order.count = 0;
    array_add_many(&useless->order, count);
    uint32_t *order = useless->order.data;
    for (size_t i = 0; i < count; i++)
        place[useless_slot(useless, useless_access(frame, i)->slot)->cluster + 2]++;
    for (size_t c = 0; c < slots; c++)
        place[c + 2] += place[c + 1];
    for (size_t i = 0; i < count; i++)
        order[place[useless_slot(useless, useless_access(frame, i)->slot)->cluster + 1]++] = (uint32_t)i;
}

void useless_find_dead_stores(struct useless *useless, const struct flow_graph *graph,
                              const struct frame *frame, const struct array *def_use, size_t first_row)
{
    struct array places = ARRAY_OF(uint32_t), done = ARRAY_OF(uint8_t);
    uint8_t *is_done = array_add_many(&done, useless->slots.count + 1);
    sort_by_cluster(useless, frame, &places);
    const uint32_t *place = places.data, *order = useless->order.data;
    useless->marks.width = sizeof(uint32_t);
    if (useless->marks.count < graph->block_count)
        array_add_many(&useless->marks, graph->block_count - useless->marks.count);
    size_t last = 0;
    for (uint32_t s = 0; s < useless->slots.count; s++) {
        const struct slot *slot = useless_slot(useless, s);
        last = slot->cluster;
        if (frame->escapes || useless->has_wild_reads || slot->offset + slot->bytes > 0 ||
            (!slot->is_loaded && graph->has_calls) || s - last >= MOST_CLUSTER)
            continue;
        is_done[s] = 1;
        struct slot_search search = {
            useless, graph, frame, slot, order + place[last], place[last + 1] - place[last]};
        search_paths(&search, s, def_use, first_row);
    }
    search_blocks(useless, graph, frame, is_done, def_use, first_row);
    array_free(&places);
    array_free(&done);
}
