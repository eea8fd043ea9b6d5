/* Holes in the addresses of a captured process. */
#ifndef CHANGE_OPTIMISE_REPLAY_PLACING_H
#define CHANGE_OPTIMISE_REPLAY_PLACING_H
#include "runtime/replay/codelet_file.h"

#include <stdbool.h>
#include <stddef.h>

struct hole {
    uint64_t start, size; /* size 0: there is none */
};
/* For the replay program; regions in order of their addresses. */
struct hole placing_near(const struct codelet_region *regions, size_t count, uint64_t entry);
/* For everything else that it needs. */
struct hole placing_largest(const struct codelet_region *regions, size_t count, struct hole without);
#endif
