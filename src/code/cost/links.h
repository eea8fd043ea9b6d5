/* The dependences of a block between its instructions, for people: which result each of them waits for, how
   long a value takes from there to its own result, and the cycle that bounds the block by latency. */
#ifndef CODE_COST_LINKS_H
#define CODE_COST_LINKS_H
#include "code/cost/loops.h"

struct cost_link {
    uint32_t from, to; /* items of the block */
    uint32_t distance; /* iterations between them; 0: in the same one */
    double latency;    /* from the value to the result; the longest, where several values go this way */
    bool is_memory;    /* a load reads what a store wrote */
    bool is_on_chain;  /* of the cycle that bounds the block */
};

struct cost_links {
    struct array all; /* of struct cost_link, by to, from and distance */
    double cycles;    /* of an iteration, because of the cycle; 0: iterations wait for none */
};

/* Of the block that was predicted last.  Empty for a block of bundles. */
void cost_links_find(struct cost_links *links, struct block_costs *work);
void cost_links_free(struct cost_links *links);
#endif
