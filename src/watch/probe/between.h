/* Whether x16 and x17 of AArch64 are free between functions (between.c). */
#ifndef WATCH_BETWEEN_H
#define WATCH_BETWEEN_H
#include "model/model.h"

enum { WATCH_BETWEEN = 1 << 16 | 1 << 17 };

struct watch_freedom;

struct watch_between {
    uint8_t *reads;  /* by function: bit 0 for x16, bit 1 for x17: it reads that at its start */
    bool *is_broken; /* by program: its code hands values over in them */
    bool *is_linker; /* by program: the dynamic linker, whose callers have conventions of their own */
};

/* `freedom` is ready but for this. */
void watch_between_find(struct watch_between *between, struct watch_freedom *freedom);
void watch_between_free(struct watch_between *between);
/* Those that a function reads at its start, as a set of registers. */
uint32_t watch_between_read(const struct watch_between *between, uint32_t function);
bool watch_between_is_linker(const struct watch_between *between, uint32_t program);
bool watch_between_is_kept(const struct watch_between *between, uint32_t program);
#endif
