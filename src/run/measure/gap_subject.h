/* What is known of one loop of a run, for the rules of gaps.def.

   All figures are cycles of an iteration unless they say otherwise.  `measured` is what the run has: of the
   loop's own code where samples counted it, of all that went by where the clock did.  `gap` is what the own
   code took beyond the prediction; what the loop called, the kernel below it and waiting are apart, and
   explain themselves. */
#ifndef RUN_MEASURE_GAP_SUBJECT_H
#define RUN_MEASURE_GAP_SUBJECT_H
#include "run/measure/gap.h"

/* Where a level of the memory is: places in gap_machine.caches, and after the last the memory itself. */
struct gap_level {
    double bytes_per_cycle, latency; /* 0: unknown */
};

/* A load or store of the loop. */
struct gap_access {
    uint32_t instruction;
    bool is_store;
    bool is_measured;     /* by probes; else from the code and the number of iterations */
    bool is_regular;      /* moves by one distance most of the time */
    bool is_in_chain;     /* of the loop-carried dependency chain: its latency counts */
    double per_iteration; /* executions */
    uint64_t bytes;       /* of one access */
    uint64_t stride;      /* without its sign; 0 where it is not regular */
    bool is_backwards;    /* its sign */
    uint64_t lines;       /* of 64 bytes that were touched: of the whole run if measured, else of an entry */
    uint64_t minimum, maximum; /* addresses; 0 where not measured */
    uint64_t count, aliases;   /* measured accesses */
    uint32_t alias_instruction;
    uint32_t sets; /* of 64 that were used; 0: unknown */
};

struct gap_subject {
    const struct model *model;
    const struct gap_machine *machine;
    const struct sampled_run *run;
    const struct run_loop *row;
    double clock; /* cycles a second; NaN: unknown */
    double measured, predicted;
    bool is_around;              /* other loops are inside it: all is of its own code */
    double least;                /* smaller differences are none */
    double calls;                /* of the functions that it called */
    double kernel;               /* of the kernel below its own code */
    double waited;               /* that its thread did not run; 0: none, or unknown */
    double gap;                  /* of its own code; below 0: faster than predicted */
    double iterations_per_entry; /* NaN: unknown */
    double setup_cycles;         /* of an entry; NaN: unknown */
    enum probe_setup setup;
    uint32_t path;            /* that most iterations take */
    uint32_t path_count;      /* paths that return to the header */
    bool has_shares;          /* of paths (run_paths) */
    unsigned instructions;    /* of that path; 0: unknown */
    bool has_guessed_figures; /* the prediction assumes figures of some instruction */
    struct array accesses;    /* of struct gap_access */
    double at_memory;         /* share of its samples that wait for single loads and stores (run_points) */
    uint32_t memory_point;    /* the one of these that most wait for; 0: none */
};

/* false: not measured or not predicted, so that there is nothing to explain. */
bool gap_subject_make(struct gap_subject *subject, const struct model *model,
                      const struct gap_machine *machine, const struct run_loop *row);
void gap_subject_free(struct gap_subject *subject);
struct gap_level gap_level(const struct gap_machine *machine, unsigned place);
static inline const struct gap_access *gap_access(const struct gap_subject *subject, size_t place)
{
    return ARRAY_AT(struct gap_access, &subject->accesses, place);
}
/* Events an iteration of a counter whose name has these two words, such as "br" and "mis"; NaN: not counted.
 */
double gap_counted(const struct gap_subject *subject, const char *word, const char *other);

/* gap_branches.c: mispredicted branches of an iteration, as simulated from recorded outcomes: those that stay
   in the loop, or those that may leave it; *instruction is the worst of them.  NaN: not recorded. */
double gap_simulated_misses(const struct gap_subject *subject, bool of_exits, uint32_t *instruction);

/* The same of any loop, in misses for each time through it. */
double gap_misses_of(const struct model *model, uint32_t loop, bool of_exits, uint32_t *instruction);

/* gap_overlap.c: it took less than predicted. */
bool gap_is_faster(const struct gap_subject *subject);

/* What a rule found. */
struct gap_evidence {
    enum gap_certainty certainty;
    double cycles; /* that it explains, not limited by the gap; NaN: unknown */
    double value, reference;
    uint32_t instruction; /* 0: none */
};
/* SHOWN if these cycles are most of the own code's gap, else LIKELY. */
enum gap_certainty gap_certainty_of(const struct gap_subject *subject, double cycles);

typedef bool gap_rule_function(const struct gap_subject *subject, struct gap_evidence *evidence);
#define RULE(symbol, name, title, meaning, remedy) gap_rule_function gap_##name;
#include "run/measure/gaps.def"
#endif
