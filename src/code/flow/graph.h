/* One function, laid out for data flow (graph.c explains how).

   Blocks and instructions are numbered from 0 within the function.  Events are what happens to units, sorted
   by unit and then by instruction, one for each pair: what the instructions say, and what the ABI adds:
   arguments of calls, results and preserved registers of returns.  Only units that some instruction of the
   function names have events; preserved ones are used by returns only where the function writes them.

   What calls clobber has no events, because every call would have one for each of a hundred registers: code
   that walks the events of a clobbered unit calls flow_graph_call_between.  Only calls under a predicate have
   such events. */
#ifndef CODE_FLOW_GRAPH_H
#define CODE_FLOW_GRAPH_H
#include "code/flow/meaning.h"

enum { NONE = UINT32_MAX };

enum {
    BLOCK_IS_ENTRY = 1,   /* the function's first block, or one that no edge leads to */
    BLOCK_IS_OPEN = 2,    /* control may continue at unknown places */
    BLOCK_ROTATES = 4,    /* ends with a branch that rotates registers */
    BLOCK_TAIL_CALLS = 8, /* leaves the function */
};

struct event {
    uint32_t instruction, block;
    uint8_t what;
};

struct flow_graph {
    const struct model *model;
    const struct flow_meanings *meanings;
    const struct units *units;
    uint32_t function, first_block, block_count, first_instruction, instruction_count;
    uint32_t *start;                            /* of block_count + 1: first instruction of each block */
    uint32_t *predecessor_first, *predecessors; /* of block b: predecessors[predecessor_first[b]] … */
    uint32_t *successor_first, *successors;
    uint8_t *block_flags;
    uint32_t *open_blocks; /* those with BLOCK_IS_OPEN */
    uint32_t open_count;
    uint32_t *calls; /* that always happen, in order */
    size_t call_count;
    uint32_t *last_call; /* by block, NONE */
    uint32_t *barriers;  /* calls of all kinds and whatever leaves the function, in order */
    uint32_t barrier_count;
    struct event *events;
    uint32_t *event_first, *event_end; /* by unit */
    uint8_t *is_written; /* by unit: some instruction writes it (1), uses more than 128 bits (2) */
    bool has_calls, has_conditional_calls, rotates;
    /* IA-64: stacked registers that carry arguments of calls, and those that rotate; empty: from == to. */
    uint16_t out_from, out_to, turn_from, turn_to;
    struct array memory[16]; /* what the pointers above point into, kept from function to function */
};

/* false if the function is too large or has no code. */
bool flow_graph_make(struct flow_graph *graph, const struct model *model,
                     const struct flow_meanings *meanings, uint32_t function);
void flow_graph_free(struct flow_graph *graph);

static inline uint32_t flow_graph_encoding(const struct flow_graph *graph, uint32_t instruction)
{
    return model_instruction(graph->model, graph->first_instruction + instruction)->encoding;
}
static inline const struct encoding_meaning *flow_graph_meaning(const struct flow_graph *graph,
                                                                uint32_t instruction)
{
    return &graph->meanings->encodings[flow_graph_encoding(graph, instruction)];
}
/* Whether calls that always happen change the unit. */
static inline bool flow_graph_is_clobbered(const struct flow_graph *graph, uint16_t unit)
{
    return (graph->units->abi[unit] & ABI_CLOBBERED) || (unit >= graph->out_from && unit < graph->out_to);
}
/* The last call among the instructions from … to-1 of a block, or NONE. */
uint32_t flow_graph_call_between(const struct flow_graph *graph, uint32_t block, uint32_t from, uint32_t to);
/* Whether a barrier is among the instructions from … to-1. */
bool flow_graph_has_barrier(const struct flow_graph *graph, uint32_t from, uint32_t to);
/* Units that rotate together: [from, to) around unit; only the unit itself if it does not rotate. */
void flow_graph_turning(const struct flow_graph *graph, uint16_t unit, uint16_t *from, uint16_t *to);
/* The block of an instruction. */
uint32_t flow_graph_block_of(const struct flow_graph *graph, uint32_t instruction);
#endif
