/* Bytes of code that are never executed, for jumps that short jumps lead to. */
#ifndef RUN_PROBE_WINDOW_SPARE_H
#define RUN_PROBE_WINDOW_SPARE_H
#include "run/probe/window/targets.h"

struct probe_spare {
    struct array rooms; /* of struct probe_spare_bytes, by address, disjoint */
};
struct probe_spare_bytes {
    uint64_t address, end;
};

/* Padding of the chosen program, without what is taken; with `spare`.  Both are of struct probe_spare_bytes,
   by address. */
void probe_spare_find(struct probe_spare *rooms, const struct probe_targets *targets,
                      const struct array *taken, const struct array *spare);
void probe_spare_free(struct probe_spare *rooms);
/* Takes `size` bytes that start between low and high; NO_ADDRESS if there are none. */
uint64_t probe_spare_take(struct probe_spare *rooms, uint64_t low, uint64_t high, uint32_t size);
#endif
