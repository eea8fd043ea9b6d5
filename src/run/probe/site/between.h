/* Whether x16 and x17 of AArch64 are free between functions (between.c). */
#ifndef RUN_PROBE_SITE_BETWEEN_H
#define RUN_PROBE_SITE_BETWEEN_H
#include "model/model.h"

enum { PROBE_BETWEEN = 1 << 16 | 1 << 17 };

struct probe_freedom;

struct probe_between {
    uint8_t *reads;  /* by function: bit 0 for x16, bit 1 for x17: it reads that at its start */
    bool *is_broken; /* by program: its code hands values over in them */
    bool *is_linker; /* by program: the dynamic linker, whose callers have conventions of their own */
};

/* `freedom` is ready but for this. */
void probe_between_find(struct probe_between *between, struct probe_freedom *freedom);
void probe_between_free(struct probe_between *between);
/* Those that a function reads at its start, as a set of registers. */
uint32_t probe_between_read(const struct probe_between *between, uint32_t function);
bool probe_between_is_linker(const struct probe_between *between, uint32_t program);
bool probe_between_is_kept(const struct probe_between *between, uint32_t program);
#endif
