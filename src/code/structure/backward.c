/* Searches go from entry to entry against the flow, a queue for the points where several paths meet.  An
   entry that starts a block is looked at once in a search.  If nothing known leads to a block (the jump there
   is not resolved yet, or an exception enters), the path ends without an answer and the others decide.  As a
   last resort, such a block counts as a target of every unresolved jump.

   All searches for one jump share a budget of steps, which bounds the work in large functions; a search that
   runs out of steps is incomplete. */
#include "code/structure/backward.h"

#include "model/isa.h"
#include "code/structure/callees.h"
#include "code/structure/frames.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100000, JUMPS_PER_STEP = 16 };

void backward_init(struct backward *backward, const struct switch_context *context)
{
    const struct layout *layout = context->layout;
    size_t count = context->piece->count;
    *backward = (struct backward){.context = context,
                                  .reader = layout->reader,
                                  .section_start = layout_section_start(layout, context->piece),
                                  .seen = memory_get(count * sizeof(uint32_t)),
                                  .queue = memory_get((count + 1) * sizeof(uint32_t)),
                                  .found = ARRAY_OF(uint32_t),
                                  .lowest_circle = UINT_MAX,
                                  .steps_given =
                                      *context->steps_left < MOST_STEPS ? *context->steps_left : MOST_STEPS};
    backward->steps_left = backward->steps_given;
}

void backward_free(struct backward *backward)
{
    free(backward->seen);
    free(backward->queue);
    free(backward->memory);
    array_free(&backward->found);
    *backward->context->steps_left -= backward->steps_given - backward->steps_left;
}

const struct encoding *backward_encoding(const struct backward *backward, uint32_t entry)
{
    return model_encoding(backward->context->layout->model, backward->context->entries[entry].encoding);
}

const struct operand *backward_operands(const struct backward *backward, uint32_t entry, unsigned *count)
{
    const struct layout *layout = backward->context->layout;
    return meanings_operands(layout->meanings, layout->model, backward->context->entries[entry].encoding,
                             count);
}

uint32_t backward_full(const struct backward *backward, uint32_t register_row)
{
    return model_full_register(backward->context->layout->model, register_row);
}

bool backward_memory(const struct backward *backward, uint32_t entry, const struct operand *operand,
                     struct place *place)
{
    if (operand->kind != operand_kind_MEMORY || operand->index_register)
        return false;
    *place = (struct place){.is_memory = true, .bytes = operand->bits / 8u};
    if (operand->is_relative) {
        place->displacement = backward->context->entries[entry].target;
    } else {
        place->base = backward_full(backward, operand->base_register);
        place->displacement = (uint64_t)operand->displacement;
    }
    return true;
}

bool backward_falls(const struct backward *backward, uint32_t entry)
{
    const struct switch_context *context = backward->context;
    if (!context->entries[entry].encoding)
        return false;
    switch (backward_encoding(backward, entry)->flow) {
    case flow_JUMP:
    case flow_RETURN:
    case flow_STOP:
        return false;
    case flow_CALL: {
        struct callee callee = callee_of(context->layout, context->piece, entry);
        return callee_returns(context->layout, &callee);
    }
    default:
        return true;
    }
}

void backward_jumps_to(const struct backward *backward, uint32_t entry, uint32_t *first, uint32_t *end)
{
    const struct switch_context *context = backward->context;
    struct bisection search = {0, context->jump_count};
    while (bisect(&search))
        bisect_past(&search, context->jumps[search.middle].target < entry);
    *first = *end = (uint32_t)search.first;
    while (*end < context->jump_count && context->jumps[*end].target == entry)
        ++*end;
}

bool backward_call_gives_address(const struct backward *backward, uint32_t entry, uint32_t full)
{
    const struct layout *layout = backward->context->layout;
    uint64_t target = backward->context->entries[entry].target;
    if (target == NO_ADDRESS || isa_facts(backward->reader->isa)->address_bytes != 4)
        return false;
    const struct piece *piece = layout_find(layout, target);
    uint32_t at = piece ? layout_index(layout, piece, target) : UINT32_MAX;
    if (at == UINT32_MAX || piece->count - at < 2)
        return false;
    const struct sweep_instruction *entries = layout_instructions(layout, piece) + at;
    if (!entries[0].encoding || !entries[1].encoding)
        return false;
    unsigned count;
    const struct operand *operands =
        meanings_operands(layout->meanings, layout->model, entries[0].encoding, &count);
    if (model_encoding(layout->model, entries[1].encoding)->flow != flow_RETURN || count != 2 ||
        operands[0].kind != operand_kind_REGISTER || operands[1].kind != operand_kind_MEMORY)
        return false;
    uint32_t base = operands[1].base_register;
    return backward_full(backward, operands[0].register_) == full && base &&
           !strcmp(model_text(layout->model, model_register(layout->model, base)->name), "esp") &&
           operands[1].displacement == 0 && !operands[1].index_register;
}

/* mov ebp, ebp and lea esi, [esi]: the second fills gaps between blocks of i386 code. */
static bool keeps_register(const struct backward *backward, uint32_t entry)
{
    const struct encoding *encoding = backward_encoding(backward, entry);
    if (encoding->class != class_MOVE && encoding->class != class_ADDRESS && encoding->class != class_NOP)
        return false;
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    if (count != 2 || operands[0].kind != operand_kind_REGISTER || operands[0].is_conditional)
        return encoding->class == class_NOP;
    if (operands[1].kind == operand_kind_REGISTER)
        return operands[1].register_ == operands[0].register_;
    return operands[1].kind == operand_kind_ADDRESS && !operands[1].is_relative &&
           !operands[1].index_register && operands[1].displacement == 0 &&
           operands[1].base_register == operands[0].register_;
}

static bool writes_register(const struct backward *backward, uint32_t entry, uint32_t full)
{
    const struct layout *layout = backward->context->layout;
    unsigned count;
    uint32_t encoding = backward->context->entries[entry].encoding;
    const struct register_use *uses = meanings_uses(layout->meanings, layout->model, encoding, &count);
    for (unsigned i = 0; i < count; i++) {
        if ((uses[i].access == access_WRITE || uses[i].access == access_BOTH) &&
            backward_full(backward, uses[i].register_) == full)
            return !keeps_register(backward, entry);
    }
    if (model_encoding(layout->model, encoding)->flow != flow_CALL)
        return false;
    const struct register_ *row = model_register(layout->model, full);
    return !strcmp(model_text(layout->model, row->name), backward->reader->values->call_result) ||
           backward_call_gives_address(backward, entry, full);
}

/* Whether a call may change this place: any place except slots of this function's frame whose address does
   not escape. */
static bool call_may_write(struct backward *backward, const struct place *place)
{
    return !frame_keeps(backward, place->base, (int64_t)place->displacement);
}

static bool writes_memory(struct backward *backward, uint32_t entry, const struct place *place)
{
    if (backward_encoding(backward, entry)->flow == flow_CALL) {
        if (!call_may_write(backward, place))
            return false;
        backward->passed_call = true;
        return backward->heeds_calls;
    }
    if (place->base && writes_register(backward, entry, place->base))
        return true;
    unsigned count;
    const struct operand *operands = backward_operands(backward, entry, &count);
    for (unsigned i = 0; i < count; i++) {
        struct place other;
        if ((operands[i].access == access_WRITE || operands[i].access == access_BOTH) &&
            backward_memory(backward, entry, &operands[i], &other) && other.base == place->base &&
            (place->displacement - other.displacement < other.bytes ||
             other.displacement - place->displacement < place->bytes))
            return true;
    }
    return false;
}

static bool writes(struct backward *backward, uint32_t entry, const struct place *place)
{
    return place->is_memory ? writes_memory(backward, entry, place)
                            : writes_register(backward, entry, place->full);
}

bool backward_same_place(const struct place *a, const struct place *b)
{
    return a->is_memory == b->is_memory && a->full == b->full && a->base == b->base &&
           a->displacement == b->displacement && a->bytes == b->bytes;
}

static void add_definition(struct backward *backward, struct definitions *definitions, uint32_t entry)
{
    *(uint32_t *)array_push(&backward->found) = entry;
    definitions->count++;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void order_definitions(struct backward *backward, struct definitions *definitions)
{
    if (definitions->count < 2)
        return;
    uint32_t *entries = (uint32_t *)backward->found.data + definitions->first, kept = 1;
    qsort(entries, definitions->count, sizeof *entries, by_number);
    for (uint32_t i = 1; i < definitions->count; i++) {
        if (entries[i] != entries[kept - 1])
            entries[kept++] = entries[i];
    }
    definitions->count = kept;
    backward->found.count = definitions->first + kept;
}

static void queue_entry(struct backward *backward, uint32_t entry)
{
    if (backward->seen[entry] != backward->search) {
        backward->seen[entry] = backward->search;
        backward->queue[backward->queue_size++] = entry;
    }
}

static void queue_open_jumps(struct backward *backward)
{
    const struct switch_context *context = backward->context;
    backward->met_dead_end = true;
    if (!context->joins_open_jumps)
        return;
    uint32_t steps = context->open_jump_count / JUMPS_PER_STEP;
    if (steps > backward->steps_left) {
        backward->steps_left = 0;
        return;
    }
    backward->steps_left -= steps;
    for (uint32_t i = 0; i < context->open_jump_count; i++)
        queue_entry(backward, context->open_jumps[i]);
}

static void queue_jumps(struct backward *backward, uint32_t entry)
{
    uint32_t first, end;
    backward_jumps_to(backward, entry, &first, &end);
    if (first == end && entry > 0 && !backward_falls(backward, entry - 1) &&
        backward->context->entries[entry].encoding && backward_encoding(backward, entry)->class != class_NOP)
        queue_open_jumps(backward);
    for (; first < end; first++)
        queue_entry(backward, backward->context->jumps[first].source);
}

/* Goes back from after this entry to the start of its path. */
static void follow(struct backward *backward, const struct place *place, uint32_t entry,
                   struct definitions *definitions)
{
    const struct switch_context *context = backward->context;
    for (;; entry--) {
        if (!backward->steps_left) {
            definitions->is_complete = false;
            return;
        }
        backward->steps_left--;
        if (context->entries[entry].encoding && writes(backward, entry, place)) {
            add_definition(backward, definitions, entry);
            return;
        }
        if (context->is_leader[entry] & 1)
            queue_jumps(backward, entry);
        if (entry == 0) {
            add_definition(backward, definitions, FUNCTION_ENTRY);
            return;
        }
        if (!backward_falls(backward, entry - 1))
            return;
        /* The previous entry ends a block: another path through it arrives by its own jump. */
        if (context->is_leader[entry] & 1) {
            if (backward->seen[entry - 1] == backward->search)
                return;
            backward->seen[entry - 1] = backward->search;
        }
    }
}

void backward_find(struct backward *backward, const struct place *place, uint32_t before,
                   struct definitions *definitions)
{
    *definitions = (struct definitions){.first = (uint32_t)backward->found.count, .is_complete = true};
    backward->search++;
    backward->queue_size = 0;
    backward->passed_call = false;
    const struct switch_context *context = backward->context;
    if (context->is_leader[before] & 1)
        queue_jumps(backward, before);
    if (before == 0)
        add_definition(backward, definitions, FUNCTION_ENTRY);
    else if (backward_falls(backward, before - 1))
        follow(backward, place, before - 1, definitions);
    while (backward->queue_size > 0 && definitions->is_complete)
        follow(backward, place, backward->queue[--backward->queue_size], definitions);
    order_definitions(backward, definitions);
}
