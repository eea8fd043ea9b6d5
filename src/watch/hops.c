/* Jumps that a short jump leads to.

   Short stretches need a place of 5 bytes that are never executed, within 128 bytes: padding, or what a
   window with more bytes than its jump needs leaves over (rooms.h).  Where there is none, a window nearby is
   made wider, so that there is room behind its jump.  What finds no place becomes traps. */
#include "watch/rooms.h"
#include "watch/windows_parts.h"

enum { MOST_ASKED = 16 }; /* neighbours to each side that may give room */

static struct watch_room room_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t address = model_address(making->model, stretch->first);
    return (struct watch_room){address, address + windows_bytes_of(making, stretch)};
}

/* Rooms around the stretches first … end-1, which are of one program. */
static void find_rooms(struct making *making, struct watch_rooms *rooms, size_t first, size_t end)
{
    struct array taken = ARRAY_OF(struct watch_room), spare = ARRAY_OF(struct watch_room);
    for (size_t i = first; i < end; i++) {
        struct stretch *stretch = ARRAY_AT(struct stretch, &making->stretches, i);
        struct watch_room room = room_of(making, stretch);
        *(struct watch_room *)array_push(&taken) = room;
        room.address += making->encoder->jump_bytes;
        stretch->gives_room = stretch->way == PROBE_BY_JUMP && !stretch->is_short &&
                              room.address + making->encoder->jump_bytes <= room.end;
        if (stretch->gives_room)
            *(struct watch_room *)array_push(&spare) = room;
    }
    watch_rooms_find(rooms, &making->targets, &taken, &spare);
    array_free(&taken);
    array_free(&spare);
}

/* Where the jump may be that a short jump reaches: low … high. */
static struct watch_room reach_of(const struct making *making, const struct stretch *stretch)
{
    uint64_t start = model_address(making->model, stretch->first) + making->encoder->hop_bytes;
    return (struct watch_room){start > -INT8_MIN ? start + INT8_MIN : 0, start + INT8_MAX};
}

/* Lets a window take more instructions than it needs, so that there is room behind its jump.  `next`: the
   window behind it, or NULL. */
static bool widen(const struct making *making, struct stretch *stretch, const struct stretch *next)
{
    struct stretch wide = *stretch;
    while (!wide.padding && windows_bytes_of(making, &wide) < 2u * making->encoder->jump_bytes) {
        if (!windows_can_go_on(making, wide.last) || (next && next->first <= wide.last + 1))
            return false;
        wide.last++;
    }
    if (wide.padding || windows_count_of(&wide) > WATCH_MOST_MOVED ||
        windows_bytes_of(making, &wide) > PROBE_PATCH_BYTES)
        return false;
    wide.gives_room = true;
    *stretch = wide;
    return true;
}

/* The nearest windows are asked. */
static uint64_t ask_neighbours(const struct making *making, struct stretch *all, size_t count, size_t number)
{
    struct watch_room reach = reach_of(making, &all[number]);
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

static void find_hop(const struct making *making, struct watch_rooms *rooms, struct stretch *all,
                     size_t count, size_t number)
{
    struct watch_room reach = reach_of(making, &all[number]);
    uint64_t place = watch_rooms_take(rooms, reach.address, reach.end, making->encoder->jump_bytes);
    if (place == NO_ADDRESS)
        place = ask_neighbours(making, all, count, number);
    uint64_t start = model_address(making->model, all[number].first) + making->encoder->hop_bytes;
    all[number].hop = place == NO_ADDRESS ? 0 : (int8_t)(place - start);
}

/* Each of its instructions that has points becomes a trap. */
static void add_traps(const struct making *making, const struct stretch *stretch, struct array *stretches)
{
    const struct array *points = &making->windows->points;
    for (uint32_t row = stretch->first; row <= stretch->last; row++) {
        size_t first = array_first_not_below(points, 0, offsetof(struct watch_point, instruction), row);
        if (first < points->count && ARRAY_AT(struct watch_point, points, first)->instruction == row)
            *(struct stretch *)array_push(stretches) = windows_trap_at(making, row);
    }
}

void windows_find_hops(struct making *making)
{
    struct array old = making->stretches, *stretches = &making->stretches;
    struct array found = ARRAY_OF(struct stretch);
    struct stretch *all = old.data;
    for (size_t first = 0, end; first < old.count; first = end) {
        windows_choose_program(making, all[first].first);
        bool has_short = false;
        for (end = first; end < old.count && program_of(making->model, all[end].first) == making->program;
             end++)
            has_short |= all[end].is_short;
        struct watch_rooms rooms = {0};
        if (has_short)
            find_rooms(making, &rooms, first, end);
        for (size_t i = first; i < end; i++)
            if (all[i].is_short)
                find_hop(making, &rooms, all + first, end - first, i - first);
        for (size_t i = first; i < end; i++) {
            if (all[i].is_short && !all[i].hop)
                add_traps(making, &all[i], &found);
            else
                *(struct stretch *)array_push(&found) = all[i];
        }
        watch_rooms_free(&rooms);
    }
    array_free(&old);
    *stretches = found;
}
