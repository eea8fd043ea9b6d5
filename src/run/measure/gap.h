/* Why a loop takes longer, or less long, than predicted.

   Each rule is one pure function (gap_….c): what is known of a loop in, evidence out.  gaps.def lists them,
   with their texts.  A rule speaks only where its evidence was measured or is in the code, and says how
   certain it is; each has a pair of programs in examples/gaps/, with the cause and without. */
#ifndef RUN_MEASURE_GAP_H
#define RUN_MEASURE_GAP_H
#include "code/machine/machine.h"
#include "model/model.h"

/* Caches of the computer that the program ran on: as the system reports them, else as its machine file has
   them. */
struct gap_machine {
    const struct machine *machine; /* NULL: unknown */
    struct machine_cache caches[MOST_CACHES];
    unsigned cache_count;
};
/* Of this computer: sizes, ways and lines as its system reports them; what that leaves out, as the file of
   its machine has it (NULL: none). */
struct gap_machine gap_host(const struct machine *machine);
/* As the machine's file has it all. */
struct gap_machine gap_machine_of(const struct machine *machine);

/* Fills run_gaps for the loops of run_loops; an iteration that is within 10 % of the prediction has no gap.
 */
void gap_explain(struct model *model, const struct gap_machine *machine);

/* What a cause means, for people; plain text, no placeholders. */
struct gap_text {
    const char *title, *meaning, *remedy;
};
const struct gap_text *gap_text(enum gap_rule rule);

/* gap_select.c: what could be done about a branch that is guessed wrong (an instruction; 0: which one is not known). */
enum branch_cure {
    branch_cure_UNKNOWN,
    branch_cure_SELECT, /* both ways computed, one selected */
    branch_cure_EXIT,   /* it ends a loop */
    branch_cure_NONE    /* none that is known to help */
};
enum branch_cure gap_branch_cure(const struct model *model, uint32_t branch);
const char *gap_branch_remedy(enum branch_cure cure);
#endif
