/* Bytes of code that are never executed, for jumps that short jumps lead to. */
#ifndef WATCH_ROOMS_H
#define WATCH_ROOMS_H
#include "watch/probe/targets.h"

struct watch_rooms {
    struct array rooms; /* of struct watch_room, by address, disjoint */
};
struct watch_room {
    uint64_t address, end;
};

/* Padding of the chosen program, without what is taken; with `spare`.  Both are of struct watch_room, by
   address. */
void watch_rooms_find(struct watch_rooms *rooms, const struct watch_targets *targets,
                      const struct array *taken, const struct array *spare);
void watch_rooms_free(struct watch_rooms *rooms);
/* Takes `size` bytes that start between low and high; NO_ADDRESS if there are none. */
uint64_t watch_rooms_take(struct watch_rooms *rooms, uint64_t low, uint64_t high, uint32_t size);
#endif
