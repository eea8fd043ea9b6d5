/* Jump tables: where an indirect jump goes, for switch statements as gcc and clang compile them.

   Pure and safe on any thread: reads the layout and the model, writes only to what the caller hands over. */
#ifndef STRUCTURE_SWITCHES_H
#define STRUCTURE_SWITCHES_H
#include "structure/layout.h"

struct switch_table {
    uint32_t jump;          /* entry of the piece: the indirect jump */
    uint32_t entry_count;   /* of the table */
    uint64_t table;         /* address of its first entry */
    uint8_t entry_bytes;    /* from one entry to the next */
    bool is_guessed;        /* its length is not bounded by the code: cut where entries stop making sense */
    uint32_t first_target, target_count; /* in the array of targets */
};

/* Memory reused from one piece to the next; one for each thread.  Zero-initialise. */
struct switch_scratch {
    struct array jumps, unresolved, definitions; /* private */
};
void switch_scratch_free(struct switch_scratch *scratch);

/* Whether this entry of the piece is a jump whose target is not in the instruction. */
bool switch_is_indirect_jump(const struct layout *layout, const struct sweep_instruction *instruction);

/* Appends a struct switch_table to tables for every indirect jump of the piece whose table is found, in order of
   the jumps, and the distinct addresses that it leads to, in order of the table, as uint64_t to targets.  Targets are
   inside code sections; almost always inside the piece, but the cold part of a function is another piece.
   Needs layout_sweep and layout_discover; cheap for pieces without indirect jumps. */
void switches_find(const struct layout *layout, const struct piece *piece, struct switch_scratch *scratch,
                   struct array *tables, struct array *targets);
#endif
