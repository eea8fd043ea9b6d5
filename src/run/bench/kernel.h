/* A user's block as a test.

   A block that ends in a branch to its own start is a loop: the branch, and a comparison that only it needs,
   make way for the runner's counter.  Other blocks are repeated without a branch.  No other instruction
   may change the flow of control. */
#ifndef RUN_BENCH_KERNEL_H
#define RUN_BENCH_KERNEL_H
#include "run/bench/bench.h"

struct bench_kernel {
    enum isa isa;
    struct array code; /* of uint8_t: what is run */
    bool is_loop;
    unsigned removed; /* instructions that the counter stands for */
    unsigned counter; /* a register that the block does not use */
    unsigned vector_bytes;
};

bool bench_kernel_read(struct bench_kernel *kernel, enum isa isa, const uint8_t *bytes, size_t size,
                       struct error *error);
void bench_kernel_free(struct bench_kernel *kernel);
/* In a child, a few times; cycles of one iteration, and its counts of events (of struct bench_event) where
   the computer lets it. */
bool bench_kernel_measure(const struct bench_kernel *kernel, const struct array *events,
                          struct bench_result *result, struct error *error);
#endif
