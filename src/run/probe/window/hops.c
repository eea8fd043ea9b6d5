/* Jumps that a short jump leads to.

   Short stretches need a place of 5 bytes that are never executed, within 128 bytes: padding, or what a
   window with more bytes than its jump needs leaves over (spare.h).  Where there is none, a window nearby is
   made wider, so that there is room after its jump; or code nearby becomes a window without points, for the
   room alone, unless that would slow a loop down.  What finds no place becomes traps. */
#include "run/probe/window/spare.h"
#include "run/probe/window/parts.h"

#include <stdlib.h>

enum { MOST_ASKED = 16, MOST_ROWS = 64 }; /* windows and instructions to each side that may give room */

static struct probe_spare_bytes room_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t address = model_address(making->model, stretch->first);
    return (struct probe_spare_bytes){address, address + windows_bytes_of(making, stretch)};
}

/* Rooms around the stretches first … end-1, which are of one program. */
static void find_rooms(struct making *making, struct probe_spare *rooms, size_t first, size_t end)
{
    struct array taken = ARRAY_OF(struct probe_spare_bytes), spare = ARRAY_OF(struct probe_spare_bytes);
    for (size_t i = first; i < end; i++) {
        struct stretch *stretch = ARRAY_AT(struct stretch, &making->stretches, i);
        struct probe_spare_bytes room = room_of(making, stretch);
        *(struct probe_spare_bytes *)array_push(&taken) = room;
        room.address += making->encoder->jump_bytes;
        stretch->gives_room = stretch->way == PROBE_BY_JUMP && !stretch->is_short &&
                              room.address + making->encoder->jump_bytes <= room.end;
        if (stretch->gives_room)
            *(struct probe_spare_bytes *)array_push(&spare) = room;
    }
    probe_spare_find(rooms, &making->targets, &taken, &spare);
    array_free(&taken);
    array_free(&spare);
}

/* Where the jump may be that a short jump reaches: low … high. */
static struct probe_spare_bytes reach_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t start = model_address(making->model, stretch->first) + making->encoder->hop_bytes;
    return (struct probe_spare_bytes){start > -INT8_MIN ? start + INT8_MIN : 0, start + INT8_MAX};
}

/* Lets a window take more instructions than it needs, so that there is room after its jump.  `next`: the
   window after it, or NULL. */
static bool widen(const struct making *making, struct stretch *stretch, const struct stretch *next)
{
    struct stretch wide = *stretch;
    while (!wide.padding && windows_bytes_of(making, &wide) < 2u * making->encoder->jump_bytes) {
        if (!windows_can_go_on(making, wide.last) || (next && next->first <= wide.last + 1))
            return false;
        wide.last++;
    }
    if (wide.padding || !windows_are_closed(making, &wide))
        return false;
    wide.gives_room = true;
    *stretch = wide;
    return true;
}

/* The nearest windows are asked. */
static uint64_t ask_neighbours(const struct making *making, struct stretch *all, size_t count, size_t number)
{
    struct probe_spare_bytes reach = reach_of(making, &all[number]);
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

static bool is_in_other_loop(const struct model *model, uint32_t row, uint32_t than)
{
    uint32_t loop = model_block(model, model_instruction(model, row)->block)->loop;
    return loop && loop != model_block(model, model_instruction(model, than)->block)->loop;
}

/* Rows from `row` on that give room, before `end`. */
static bool can_give_room(const struct making *making, uint32_t row, uint32_t end, struct stretch *made)
{
    const struct stretch after = {.first = end};
    uint32_t block = model_instruction(making->model, row)->block;
    *made = (struct stretch){.first = row, .last = row, .way = PROBE_BY_JUMP, .refusal = PROBE_NOT_REFUSED};
    if (probe_targets_is_padding(&making->targets, block) || !windows_can_move(making, row) ||
        !widen(making, made, &after))
        return false;
    for (uint32_t i = made->first; i <= made->last; i++)
        if (encoding_of(making->model, i)->flow == flow_CALL)
            return false;
    return true;
}

/* Code between two windows becomes one that gives room; it is in `added` then. */
static uint64_t make_neighbour(const struct making *making, const struct stretch *all, size_t count,
                               size_t number, struct array *added)
{
    const struct stretch *one = &all[number];
    struct probe_spare_bytes reach = reach_of(making, one);
    uint32_t count_all = (uint32_t)making->model->code.count;
    uint32_t low = one->first > MOST_ROWS ? one->first - MOST_ROWS : 1;
    uint32_t high = count_all - one->last > MOST_ROWS ? one->last + MOST_ROWS : count_all;
    uint32_t last_added = added->count ? ARRAY_AT(struct stretch, added, added->count - 1)->last : 0;
    size_t next = number;
    while (next > 0 && all[next - 1].last >= low)
        next--;
    for (uint32_t row = low; row < high; row++) {
        while (next < count && all[next].last < row)
            next++;
        uint64_t place = model_address(making->model, row) + making->encoder->jump_bytes;
        uint32_t end = next < count && all[next].first < high ? all[next].first : high;
        struct stretch made;
        if (place < reach.address || place > reach.end || row <= last_added || row >= end ||
            program_of(making->model, row) != making->program ||
            is_in_other_loop(making->model, row, one->first) || !can_give_room(making, row, end, &made))
            continue;
        *(struct stretch *)array_push(added) = made;
        return place;
    }
    return NO_ADDRESS;
}

static int by_row(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void set_hop(const struct making *making, struct stretch *stretch, uint64_t place)
{
    uint64_t start = model_address(making->model, stretch->first) + making->encoder->hop_bytes;
    stretch->hop = place == NO_ADDRESS ? 0 : (int8_t)(place - start);
}

/* For all stretches of one program.  Code becomes windows last: by then the others are as wide as they get.
 */
static void find_places(struct making *making, struct stretch *all, size_t count, struct probe_spare *rooms,
                        struct array *added)
{
    for (size_t i = 0; i < count; i++) {
        if (!all[i].is_short)
            continue;
        struct probe_spare_bytes reach = reach_of(making, &all[i]);
        uint64_t place = probe_spare_take(rooms, reach.address, reach.end, making->encoder->jump_bytes);
        set_hop(making, &all[i], place == NO_ADDRESS ? ask_neighbours(making, all, count, i) : place);
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].is_short && !all[i].hop)
            set_hop(making, &all[i], make_neighbour(making, all, count, i, added));
}

/* Each of its instructions that has points becomes a trap. */
static void add_traps(const struct making *making, const struct stretch *stretch, struct array *stretches)
{
    const struct array *points = &making->windows->points;
    for (uint32_t row = stretch->first; row <= stretch->last; row++) {
        size_t first = array_first_not_below(points, 0, offsetof(struct probe_point, instruction), row);
        if (first < points->count && ARRAY_AT(struct probe_point, points, first)->instruction == row)
            *(struct stretch *)array_push(stretches) = windows_trap_at(making, row);
    }
}

void windows_find_hops(struct making *making)
{
    struct array old = making->stretches, *stretches = &making->stretches;
    struct array found = ARRAY_OF(struct stretch), added = ARRAY_OF(struct stretch);
    struct stretch *all = old.data;
    for (size_t first = 0, end; first < old.count; first = end) {
        windows_choose_program(making, all[first].first);
        bool has_short = false;
        for (end = first; end < old.count && program_of(making->model, all[end].first) == making->program;
             end++)
            has_short |= all[end].is_short;
        struct probe_spare rooms = {0};
        if (has_short) {
            find_rooms(making, &rooms, first, end);
            find_places(making, all + first, end - first, &rooms, &added);
        }
        for (size_t i = first; i < end; i++) {
            if (all[i].is_short && !all[i].hop)
                add_traps(making, &all[i], &found);
            else
                *(struct stretch *)array_push(&found) = all[i];
        }
        probe_spare_free(&rooms);
    }
    for (size_t i = 0; i < added.count; i++)
        *(struct stretch *)array_push(&found) = *ARRAY_AT(struct stretch, &added, i);
    if (added.count)
        qsort(found.data, found.count, sizeof(struct stretch), by_row);
    array_free(&added);
    array_free(&old);
    *stretches = found;
}
