/* A user's block as a test.

   A block that ends in a branch to its own start is a loop: the branch, and a comparison that only it needs,
   make way for the runner's counter.  Other blocks are repeated without a branch.  No other instruction
   may change the flow of control. */
#ifndef GAUGE_KERNEL_H
#define GAUGE_KERNEL_H
#include "gauge/bench.h"

struct gauge_kernel {
    enum isa isa;
    struct array code; /* of uint8_t: what is run */
    bool is_loop;
    unsigned removed; /* instructions that the counter stands for */
    unsigned counter; /* a register that the block does not use */
    unsigned vector_bytes;
};

bool gauge_kernel_read(struct gauge_kernel *kernel, enum isa isa, const uint8_t *bytes, size_t size,
                       struct error *error);
void gauge_kernel_free(struct gauge_kernel *kernel);
/* In a child, a few times; cycles of one iteration, and its counts of events (of struct gauge_event) where
   the computer lets it. */
bool gauge_kernel_measure(const struct gauge_kernel *kernel, const struct array *events,
                          struct gauge_result *result, struct error *error);
#endif
