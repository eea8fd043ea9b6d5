/* What each distinct instruction counts as in the MACS model.

   Floating: arithmetic on floats; a fused multiply-add and a SIMD instruction count once; conversions and
   moves do not count. Memory: loads and stores; a load of two numbers counts once; prefetches do not count.
   Branches: jumps, calls and returns; on IA-64 the br instructions, not chk. An x86 instruction that computes
   on memory counts in both. */
#ifndef CODE_COST_MACS_OPERATIONS_H
#define CODE_COST_MACS_OPERATIONS_H
#include "code/machine/machine.h"

/* For one instruction, or summed over a loop, where weights may make it an average. */
struct operation_counts {
    double instructions, floating, memory, branches; /* the last three are t_f, t_m and t_b */
    double loads, stores;
    double wide_loads, wide_stores;     /* of more than one number */
    double fused, vectors;              /* floating operations that are fused, that are SIMD */
    double flops;                       /* the numbers computed: lanes, fused ones twice */
    double elements;                    /* the numbers loaded and stored; NaN if unknown */
    double packed;                      /* bytes of SIMD loads and stores, which take any kind of number */
    double float_bytes;                 /* sizes of the numbers of floating, summed */
    double lane_operations, lane_bytes; /* SIMD arithmetic on integers; sizes of its numbers, summed */
    double scalable;                    /* SIMD instructions whose length the code does not give */
    double noops, prefetches, conversions, integers, moves, calls, predicated, unknown, others;
    double busy; /* cycles of the divider */
};

struct macs_operation {
    struct operation_counts counts;
    double latency;       /* of the computation; of the load if it only loads */
    double load_latency;  /* before the computation, from the address; 0 if it loads nothing */
    double accumulate;    /* latency through the register that is added to; NaN: not special */
    uint32_t accumulator; /* that register, full; 0: none */
    uint32_t writeback;   /* full address register that the access also advances; 0: none */
    uint32_t first_use;   /* in register_uses */
    uint32_t use_count;
    uint32_t ports;        /* bits of the machine's ports; 0: needs none */
    bool is_noop, is_zero; /* is_zero: its result does not depend on its inputs */
    bool is_integer_load, is_conditional_branch, may_fuse; /* may_fuse: with the branch after it */
    bool merges;                                           /* leaves part of a vector register as it was */
    bool keeps_stack_pointer; /* moves it at no cost: push, pop, call and return */
    bool is_check;            /* IA-64: chk, which goes to recovery code where speculation failed */
    bool rotates;             /* IA-64: the registers */
};

/* Filled at first use, so only for encodings in loops. */
struct operations {
    const struct model *model;
    const struct machine *machine;
    struct macs_operation **of_encoding;
    struct arena rows;
};
void operations_begin(struct operations *operations, const struct model *model,
                      const struct machine *machine);
void operations_end(struct operations *operations);
/* All zero for an encoding that the machine does not run. */
const struct macs_operation *operations_of(struct operations *operations, uint32_t encoding);
/* Call after summing: finds how many numbers the packed bytes are, from the types that the loop computes
   with. */
void operations_settle(struct operation_counts *counts);
void operations_add(struct operation_counts *sum, const struct operation_counts *counts, double weight);
#endif
