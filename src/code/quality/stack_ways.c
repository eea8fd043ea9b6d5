/* Places on the stack come from the table stack_accesses, as distances from where the stack pointer was when
   the function was entered: so calls do not matter, although the dependences of the core end there. A load
   reads the value of the last earlier store to its place in the path, or, if there is none, of the last store
   of the path, in the iteration before. */
#include "code/quality/stack_ways.h"

#include <stddef.h>

struct place {
    int64_t offset;
    uint32_t stored; /* the last store so far */
    uint32_t last;   /* of the path */
    bool is_used;
};

struct places {
    struct place *table;
    uint32_t mask;
};

static struct place *place_at(const struct places *places, int64_t offset)
{
    uint32_t at = (uint32_t)(((uint64_t)offset * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & places->mask;
    while (places->table[at].is_used && places->table[at].offset != offset)
        at = (at + 1) & places->mask;
    if (!places->table[at].is_used)
        places->table[at] =
            (struct place){.offset = offset, .stored = NO_ITEM, .last = NO_ITEM, .is_used = true};
    return &places->table[at];
}

static size_t rows_of(const struct model *model, uint32_t instruction, size_t *end)
{
    size_t first = array_first_not_below(&model->stack_accesses, 0,
                                         offsetof(struct stack_access, instruction), instruction);
    *end = first;
    while (*end < model->stack_accesses.count &&
           model_stack_access(model, (uint32_t)*end)->instruction == instruction)
        ++*end;
    return first;
}

static bool is_transfer(const struct subject_item *item)
{
    unsigned class = item->row->class;
    return class == class_LOAD || class == class_STORE || class == class_PUSH || class == class_POP;
}

/* The rows of an item: loads of an instruction come before its stores. */
static void take(struct stack_ways *ways, const struct places *places, const struct subject *subject,
                 uint32_t item, bool is_first_time)
{
    const struct model *model = subject->model;
    size_t end, first = rows_of(model, subject->items[item].instruction, &end);
    bool is_plain = is_transfer(&subject->items[item]);
    unsigned loads = 0;
    for (size_t i = first; i < end; i++) {
        const struct stack_access *row = model_stack_access(model, (uint32_t)i);
        bool is_load = !row->is_store || (!is_plain && subject->items[item].row->load_bytes);
        ways->is_spill[item] |= row->register_ && is_plain;
        ways->is_kept[item] |= row->is_store;
        if (!is_load || loads == MOST_STACK_WAYS || is_first_time)
            continue;
        const struct place *place = place_at(places, row->offset);
        ways->sources[item][loads++] = place->stored != NO_ITEM ? place->stored : place->last;
    }
    for (size_t i = first; i < end; i++) {
        const struct stack_access *row = model_stack_access(model, (uint32_t)i);
        if (!row->is_store)
            continue;
        struct place *place = place_at(places, row->offset);
        place->stored = is_first_time ? NO_ITEM : item;
        place->last = is_first_time ? item : place->last;
    }
}

/* Whether an access is the first of its item that is on the stack. */
static bool starts_item(const struct subject *subject, unsigned access)
{
    const struct subject_access *row = &subject->accesses[access];
    return row->is_stack && !(access && row[-1].item == row->item && row[-1].is_stack);
}

void stack_ways_find(struct stack_ways *ways, const struct subject *subject)
{
    size_t size = 16, count = 0, end;
    ways->is_spill = arena_get(subject->arena, subject->item_count + 1);
    ways->is_kept = arena_get(subject->arena, subject->item_count + 1);
    ways->sources = arena_get(subject->arena, (subject->item_count + 1) * sizeof *ways->sources);
    for (uint32_t i = 0; i < subject->item_count; i++)
        ways->sources[i][0] = ways->sources[i][1] = NO_ITEM;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (starts_item(subject, i)) {
            size_t first =
                rows_of(subject->model, subject->items[subject->accesses[i].item].instruction, &end);
            count += end - first;
        }
    if (!count)
        return;
    while (size < 2 * count)
        size *= 2;
    struct places places = {.table = arena_get(subject->arena, size * sizeof *places.table),
                            .mask = (uint32_t)(size - 1)};
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < subject->access_count; i++)
            if (starts_item(subject, i))
                take(ways, &places, subject, subject->accesses[i].item, !round);
}
