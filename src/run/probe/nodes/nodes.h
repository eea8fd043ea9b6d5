/* Probes in the text of a listing: nodes.

   A node is a few instructions, put between two lines of the text, that do the actions of a point
   (run/probe/action.h).  Each stands between two comment lines, so that nodes_remove gives the text back
   byte for byte.  Nothing else of the text changes, and no label moves: a branch is measured by a node before
   it that tests the same condition.

   At the end stands a node with data: the table of subjects for the runtime (runtime/probe/nodes_file.h).

   Registers that are not free are saved below the stack pointer (x86-64, where a red zone protects what lies
   there) or pushed (AArch64); unwind directives go along. */
#ifndef RUN_PROBE_NODES_NODES_H
#define RUN_PROBE_NODES_NODES_H
#include "run/probe/plan/plan.h"

/* Why a subject has no node. */
enum node_refusal {
    NODE_IS_PLACED,
    NODE_HAS_NO_PLACE,     /* no place in the text belongs to that way through the code alone */
    NODE_HAS_NO_REGISTERS, /* too few that hold nothing */
    NODE_IS_LATE,          /* IA-64: what it needs is made in the very bundle */
    NODE_HAS_NO_ADDRESS,   /* it is known after linking */
    NODE_IS_EXCLUSIVE,     /* between load-exclusive and store-exclusive */
    NODE_HAS_NO_VALUE,     /* in no register and at no address that a node can compute */
    NODE_IS_RESOLVER,      /* the dynamic linker calls it before there are threads */
    NODE_REFUSALS
};
struct nodes_refused {
    uint32_t subject, instruction; /* instruction: 0 unknown */
    uint8_t why;
};

struct nodes_listing {
    const char *path;
    uint32_t program, file; /* rows */
    struct span text;       /* as it was read into the model */
    struct array far;       /* of uint32_t: functions whose nodes are out of line (nodes_shorten) */
    bool is_prepared;       /* the plan has what the instruction set adds */
    struct array refused;   /* of struct nodes_refused: by nodes_insert, once for each subject */
};

struct nodes_outcome {
    uint32_t subjects, refused; /* refused: of these, because some place cannot have a node */
    uint32_t nodes;
};

/* Puts nodes for the plan's points into a listing; subjects of other files are left alone.  Subjects that
   cannot be placed are marked as refused in the plan and get no node.  out: of char. */
bool nodes_insert(struct probe_plan *plan, struct nodes_listing *listing, struct array *out,
                  struct nodes_outcome *outcome, struct error *error);

/* Where an instruction stands; 0: unknown. */
uint32_t nodes_listing_line(const struct model *model, uint32_t instruction);

/* For an assembler that does not take the text with nodes: its messages (NAME:LINE: …, one a line) say where
   distances became too long.  The functions there get their nodes out of line, and if that is not enough,
   none; nodes_insert makes the new text.  Returns how many functions that concerns; 0: nothing can be done.
 */
uint32_t nodes_shorten(struct probe_plan *plan, struct nodes_listing *listing, struct span with_nodes,
                       const char *name, const char *messages);

/* The text without its nodes. */
bool nodes_remove(struct span text, const char *path, struct array *out, struct error *error);
bool nodes_are_in(struct span text);

/* The runtime of nodes in IA-64 listings, for an assembler (runtime/probe-ia64). */
extern const char nodes_ia64_runtime[];
#endif
