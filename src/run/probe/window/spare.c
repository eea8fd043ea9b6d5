/* Where there is room for a jump that a short jump leads to: padding between and inside functions, and what
   windows with more bytes than their jump needs leave over. */
#include "run/probe/window/spare.h"

#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
    const struct probe_spare_bytes *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add_room(struct array *rooms, uint64_t address, uint64_t end)
{
    if (address < end)
        *(struct probe_spare_bytes *)array_push(rooms) = (struct probe_spare_bytes){address, end};
}

static void add_padding(struct array *padding, const struct probe_targets *targets, uint32_t block)
{
    const struct block *row = model_block(targets->model, block);
    if (probe_targets_is_spare(targets, block))
        add_room(padding, row->address, row->address + probe_targets_idle_bytes(targets, block));
}

static struct array find_padding(const struct probe_targets *targets)
{
    const struct model *model = targets->model;
    struct array padding = ARRAY_OF(struct probe_spare_bytes);
    struct model_rows rows = MODEL_ROWS_OF(model, functions, function, targets->program);
    for (uint32_t id = rows.first; id < rows.end; id++) {
        const struct function *function = model_function(model, id);
        for (uint32_t i = 1; i < function->block_count; i++)
            add_padding(&padding, targets, function->first_block + i);
    }
    for (size_t i = 0; i < targets->padding.count; i++) {
        uint32_t block = *ARRAY_AT(uint32_t, &targets->padding, i);
        if (model_section(model, model_block(model, block)->section)->program == targets->program)
            add_padding(&padding, targets, block);
    }
    if (padding.count)
        qsort(padding.data, padding.count, sizeof(struct probe_spare_bytes), by_address);
    return padding;
}

/* What is taken lies at the front of a padding or in none. */
static void add_untaken(struct array *rooms, const struct array *padding, const struct array *taken)
{
    size_t next = 0;
    for (size_t i = 0; i < padding->count; i++) {
        struct probe_spare_bytes room = *ARRAY_AT(struct probe_spare_bytes, padding, i);
        while (next < taken->count && ARRAY_AT(struct probe_spare_bytes, taken, next)->end <= room.address)
            next++;
        const struct probe_spare_bytes *other = array_at(taken, next);
        if (next < taken->count && other->address < room.end)
            room.address = other->end;
        add_room(rooms, room.address, room.end);
    }
}

void probe_spare_find(struct probe_spare *rooms, const struct probe_targets *targets,
                      const struct array *taken, const struct array *spare)
{
    rooms->rooms = ARRAY_OF(struct probe_spare_bytes);
    struct array padding = find_padding(targets);
    add_untaken(&rooms->rooms, &padding, taken);
    array_free(&padding);
    for (size_t i = 0; i < spare->count; i++)
        *(struct probe_spare_bytes *)array_push(&rooms->rooms) =
            *ARRAY_AT(struct probe_spare_bytes, spare, i);
    if (rooms->rooms.count)
        qsort(rooms->rooms.data, rooms->rooms.count, sizeof(struct probe_spare_bytes), by_address);
}

void probe_spare_free(struct probe_spare *rooms)
{
    array_free(&rooms->rooms);
}

uint64_t probe_spare_take(struct probe_spare *rooms, uint64_t low, uint64_t high, uint32_t size)
{
    size_t first = array_first_at(&rooms->rooms, 0, offsetof(struct probe_spare_bytes, end), low);
    for (size_t i = first; i < rooms->rooms.count; i++) {
        struct probe_spare_bytes *room = array_at(&rooms->rooms, i);
        uint64_t address = room->address > low ? room->address : low;
        if (address > high)
            break;
        if (address + size > room->end)
            continue;
        room->address = address + size; /* what is before it is lost */
        return address;
    }
    return NO_ADDRESS;
}
