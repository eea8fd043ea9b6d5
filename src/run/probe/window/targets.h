/* Where jumps may lead: what windows.c must leave out of the inside of a window. */
#ifndef RUN_PROBE_WINDOW_TARGETS_H
#define RUN_PROBE_WINDOW_TARGETS_H
#include "model/model.h"

struct probe_targets {
    const struct model *model;
    uint8_t *predecessors;     /* by block: edges to it, and what may run into padding; 2 for more than one */
    uint8_t *has_unknown_jump; /* by function: enum unknown_jump */
    struct array padding;      /* of uint32_t: blocks that belong to no function, by section and address */
    uint32_t program;          /* whose places are listed */
    struct array places; /* of uint64_t, sorted: named addresses, landing pads, pointers to code, odd jumps */
};

void probe_targets_init(struct probe_targets *targets, const struct model *model);
void probe_targets_free(struct probe_targets *targets);
/* The places of a program: ask for its blocks and addresses afterwards. */
void probe_targets_choose(struct probe_targets *targets, uint32_t program);
/* Whether one of the places is in low … high-1. */
bool probe_targets_hit(const struct probe_targets *targets, uint64_t low, uint64_t high);
/* Whether control comes to a block from the block before it and from nowhere else. */
bool probe_targets_only_fall(const struct probe_targets *targets, uint32_t block);
/* Whether jumps of unknown target may lead into a block. */
bool probe_targets_are_unknown(const struct probe_targets *targets, uint32_t block);
/* Whether a block is padding, or code outside all functions. */
bool probe_targets_is_padding(const struct probe_targets *targets, uint32_t block);
/* Whether it is padding that nothing leads to and nothing runs through. */
bool probe_targets_is_spare(const struct probe_targets *targets, uint32_t block);
/* No-ops and int3 at the start of a block, in bytes. */
uint32_t probe_targets_idle_bytes(const struct probe_targets *targets, uint32_t block);
/* Bytes of padding that control never reaches, right after a block: up to `most` and a little more. */
uint32_t probe_targets_padding(const struct probe_targets *targets, uint32_t block, uint32_t most);
#endif
