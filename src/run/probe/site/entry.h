/* Where functions are entered, and the edges between their blocks. */
#ifndef RUN_PROBE_SITE_ENTRY_H
#define RUN_PROBE_SITE_ENTRY_H
#include "run/probe/window.h"

/* The first instruction that does something: landing pads (bti, paciasp, endbr64) stay in place, because
   indirect calls must find them.  0: the function has no code. */
uint32_t probe_entry_instruction(const struct model *model, uint32_t function);

/* Edges of the blocks of a function: rows first … end-1 of edges. */
struct model_rows probe_edges_of(const struct model *model, uint32_t function);
struct model_rows probe_edges_from(const struct model *model, uint32_t block);

enum isa probe_isa_of(const struct model *model, uint32_t function);
static inline uint32_t probe_last_instruction(const struct block *block)
{
    return block->first_instruction + block->instruction_count - 1;
}
#endif
