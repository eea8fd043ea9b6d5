/* Shared by all steps: slots, the list of steps that concern them, and the rows at the end.

   Never reported as redundant: accesses that do something else as well (push, pop, a stepped base, an
   operation on memory), stores that the unwinder may need (preserved registers with their values at entry),
   and anything in functions whose control flow the graph does not show completely (setjmp, jumps through
   unknown tables, a stack pointer that is not restored). */
#include "code/flow/useless.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void start(struct array *array, size_t width, size_t count)
{
    array->width = width;
    array->count = 0;
    array_add_many(array, count);
    if (count)
        memset(array->data, 0, count * width);
}

static int by_place(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    return a->offset != b->offset ? (a->offset < b->offset ? -1 : 1) : (int)a->bytes - (int)b->bytes;
}

static uint32_t find_slot(const struct useless *useless, int64_t offset, uint16_t bytes)
{
    struct slot wanted = {.offset = offset, .bytes = bytes};
    struct bisection search = {0, useless->slots.count};
    while (bisect(&search))
        bisect_past(&search, by_place(useless_slot(useless, (uint32_t)search.middle), &wanted) < 0);
    return (uint32_t)search.first;
}

static void make_slots(struct useless *useless, struct frame *frame)
{
    start(&useless->slots, sizeof(struct slot), frame->accesses.count);
    struct slot *slots = useless->slots.data;
    for (size_t i = 0; i < frame->accesses.count; i++) {
        slots[i].offset = useless_access(frame, i)->offset;
        slots[i].bytes = useless_access(frame, i)->bytes;
    }
    qsort(slots, frame->accesses.count, sizeof *slots, by_place);
    size_t count = 0;
    int64_t end = INT64_MIN;
    for (size_t i = 0; i < frame->accesses.count; i++) {
        if (count && !by_place(&slots[count - 1], &slots[i]))
            continue;
        slots[count] = slots[i];
        slots[count].cluster = count && slots[i].offset < end ? slots[count - 1].cluster : (uint32_t)count;
        if (slots[i].offset + slots[i].bytes > end)
            end = slots[i].offset + slots[i].bytes;
        count++;
    }
    useless->slots.count = count;
    for (size_t i = 0; i < frame->accesses.count; i++) {
        struct frame_access *access = ARRAY_AT(struct frame_access, &frame->accesses, i);
        access->slot = find_slot(useless, access->offset, access->bytes);
        if (access->flags & ACCESS_IS_PLAIN && access->flags & ACCESS_READS)
            slots[access->slot].is_loaded = true;
    }
}

static void mark_interest(struct useless *useless, const struct flow_graph *graph, const struct frame *frame)
{
    start(&useless->interest, 1, graph->units->count + 1u);
    uint8_t *interest = useless->interest.data;
    bool has_spills = false;
    for (size_t i = 0; i < frame->accesses.count; i++) {
        const struct frame_access *access = useless_access(frame, i);
        if (access->flags & ACCESS_IS_PLAIN && access->unit != NO_UNIT)
            interest[access->unit] = 1;
        has_spills |= (access->flags & ACCESS_IS_EXPLICIT) != 0;
    }
    useless->spilled_bits =
        has_spills ? units_named(graph->units, graph->model, "ar.unat") : (uint16_t)NO_UNIT;
    if (useless->spilled_bits != NO_UNIT)
        interest[useless->spilled_bits] = 1;
}

static void add_step(struct useless *useless, uint32_t instruction, enum step_kind kind, uint16_t unit,
                     size_t index)
{
    *(struct step *)array_push(&useless->steps) =
        (struct step){.instruction = instruction, .kind = kind, .unit = unit, .index = (uint32_t)index};
}

/* The accesses of one instruction; whether they are plain, so that its writes are those of the loads. */
static bool add_accesses(struct useless *useless, const struct frame *frame, uint32_t instruction,
                         size_t *next)
{
    bool is_plain = false;
    for (; *next < frame->accesses.count && useless_access(frame, *next)->instruction == instruction;
         ++*next) {
        const struct frame_access *access = useless_access(frame, *next);
        is_plain = access->flags & ACCESS_IS_PLAIN;
        add_step(useless, instruction,
                 !is_plain                       ? STEP_TOUCH
                 : access->flags & ACCESS_WRITES ? STEP_STORE
                                                 : STEP_LOAD,
                 NO_UNIT, *next);
    }
    return is_plain;
}

static void make_steps(struct useless *useless, const struct flow_graph *graph, const struct frame *frame)
{
    size_t next_access = 0, next_effect = 0;
    const uint8_t *interest = useless->interest.data;
    useless->steps.width = sizeof(struct step);
    useless->steps.count = 0;
    useless->has_wild_reads = false;
    start(&useless->step_first, sizeof(uint32_t), graph->block_count + 1);
    for (uint32_t b = 0; b < graph->block_count; b++) {
        *ARRAY_AT(uint32_t, &useless->step_first, b) = (uint32_t)useless->steps.count;
        for (uint32_t i = graph->start[b]; i < graph->start[b + 1]; i++) {
            uint32_t encoding = flow_graph_encoding(graph, i);
            bool is_plain = add_accesses(useless, frame, i, &next_access);
            for (; next_effect < frame->effects.count; next_effect++) {
                const struct frame_effect *effect =
                    ARRAY_AT(struct frame_effect, &frame->effects, next_effect);
                if (effect->instruction != i)
                    break;
                add_step(useless, i, STEP_EFFECT, NO_UNIT, next_effect);
                useless->has_wild_reads |= effect->kind == EFFECT_WILD && effect->access & ACCESS_READS;
            }
            unsigned count;
            const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
            for (unsigned k = 0; !is_plain && k < count; k++)
                if (uses[k].what & USE_WRITES && interest[uses[k].unit])
                    add_step(useless, i, STEP_WRITE, uses[k].unit, 0);
            if (graph->rotates && graph->meanings->encodings[encoding].clears_rotation)
                add_step(useless, i, STEP_TURN, NO_UNIT, 0);
        }
        if (graph->block_flags[b] & BLOCK_ROTATES)
            add_step(useless, graph->start[b + 1] - 1, STEP_TURN, NO_UNIT, 0);
    }
    *ARRAY_AT(uint32_t, &useless->step_first, graph->block_count) = (uint32_t)useless->steps.count;
}

/* Functions that return more than once: values in registers and in memory may then be from different
   times. */
static bool is_such(const char *name)
{
    static const char *const exact[] = {"vfork", "__vfork", "getcontext", "savectx", "swapcontext", NULL};
    for (unsigned i = 0; exact[i]; i++)
        if (!strcmp(name, exact[i]))
            return true;
    return strstr(name, "setjmp") != NULL;
}

bool useless_returns_twice(const struct flow_graph *graph)
{
    const struct model *model = graph->model;
    size_t low = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), graph->function);
    for (; low < model->calls.count && model_call(model, (uint32_t)low)->caller == graph->function; low++) {
        uint32_t callee = model_call(model, (uint32_t)low)->callee;
        const char *name = callee ? model_text(model, model_function(model, callee)->name) : NULL;
        if (name && is_such(name))
            return true;
    }
    return false;
}

/* Removes instructions all of whose accesses have a finding of one kind, for the next step. */
static void useless_remove(struct useless *useless, const struct frame *frame)
{
    const struct verdict *verdicts = useless->verdicts.data;
    for (size_t i = 0; i < frame->accesses.count;) {
        uint32_t instruction = useless_access(frame, i)->instruction;
        uint8_t reason = verdicts[i].reason;
        for (; i < frame->accesses.count && useless_access(frame, i)->instruction == instruction; i++)
            if (verdicts[i].reason != reason)
                reason = 0;
        if (reason)
            *ARRAY_AT(uint8_t, &useless->removed, instruction) = 1;
    }
}

static void add_rows(const struct useless *useless, const struct flow_graph *graph, const struct frame *frame,
                     struct array *rows)
{
    const struct verdict *verdicts = useless->verdicts.data;
    uint32_t last = NONE;
    for (size_t i = 0; i < frame->accesses.count; i++) {
        uint32_t instruction = useless_access(frame, i)->instruction, partner = verdicts[i].partner;
        if (instruction == last || !verdicts[i].reason || !useless_is_removed(useless, instruction))
            continue;
        last = instruction;
        *(struct useless_access *)array_push(rows) =
            (struct useless_access){.instruction = graph->first_instruction + instruction,
                                    .partner = partner == NONE ? 0 : graph->first_instruction + partner,
                                    .reason = (uint8_t)(verdicts[i].reason - 1),
                                    .is_across_blocks = verdicts[i].is_across_blocks};
    }
}

static bool has_plain_access(const struct frame *frame)
{
    for (size_t i = 0; i < frame->accesses.count; i++)
        if (useless_access(frame, i)->flags & ACCESS_IS_PLAIN)
            return true;
    return false;
}

void useless_find(struct useless *useless, const struct flow_graph *graph, struct strands *strands,
                  struct frame *frame, const struct array *def_use, size_t first_row, struct array *rows)
{
    if (frame->is_unreliable || !has_plain_access(frame) || useless_returns_twice(graph))
        return;
    make_slots(useless, frame);
    mark_interest(useless, graph, frame);
    make_steps(useless, graph, frame);
    start(&useless->verdicts, sizeof(struct verdict), frame->accesses.count);
    start(&useless->removed, 1, graph->instruction_count);
    useless_find_idle(useless, graph, frame);
    useless_remove(useless, frame);
    useless_find_dead_loads(useless, graph, strands, frame);
    useless_remove(useless, frame);
    useless_find_dead_stores(useless, graph, frame, def_use, first_row);
    useless_remove(useless, frame);
    add_rows(useless, graph, frame, rows);
}

void useless_free(struct useless *useless)
{
    struct array *arrays[] = {&useless->slots,   &useless->steps,    &useless->step_first, &useless->verdicts,
                              &useless->removed, &useless->interest, &useless->facts,      &useless->states,
                              &useless->queue,   &useless->order,    &useless->marks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        array_free(arrays[i]);
}
