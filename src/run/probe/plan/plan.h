/* What to measure, and where: the plan of a run.

   A choice (choice.h) finds functions, loops, call sites and values in the model; probe_plan_functions and
   its like give each a subject and its points.  probe_place turns points into windows and trampolines,
   and probe_plan_write makes the file for the runtime.  The numbers of subjects are those of the recording,
   which run/probe/recording/recording.h turns into rows. */
#ifndef RUN_PROBE_PLAN_PLAN_H
#define RUN_PROBE_PLAN_PLAN_H
#include "run/probe/trampoline/trampoline.h"
#include "run/probe/window.h"

enum probe_subject_of {
    PROBE_OF_FUNCTION,  /* row of functions */
    PROBE_OF_LOOP,      /* row of loops */
    PROBE_OF_CALL,      /* row of code: the call */
    PROBE_OF_PARAMETER, /* value: `name` of `function` at its entry, or argument `position` of `call` */
    PROBE_OF_AT,        /* value at an instruction */
    PROBE_OF_ACCESS,    /* address of a load or store; `instruction`, `loop` */
    PROBE_OF_BRANCH, /* how often a conditional branch was taken, and how often not; `instruction`, `loop` */
    PROBE_OF_OUTCOMES, /* the first outcomes of the branch of the subject before */
};

/* How iterations of a loop are counted. */
enum probe_counted_by {
    PROBE_BY_VARIABLE, /* a register that moves by a constant in every iteration: nothing is done per
                          iteration */
    PROBE_BY_REGISTER, /* a register that the loop leaves alone counts */
    PROBE_BY_MEMORY,   /* a counter in memory counts */
};

struct probe_subject {
    uint8_t kind;     /* enum probe_subject_of */
    uint8_t counting; /* LOOP */
    uint8_t refusal;  /* enum probe_refusal of the worst of its points, set by probe_place; not placed: it has
                         no probe */
    uint8_t register_kind; /* PARAMETER, AT: enum register_kind */
    bool is_address;       /* PARAMETER, AT: by its type, or because it is passed so */
    uint32_t program, function, loop, instruction; /* rows; 0: none */
    uint32_t callee;                               /* CALL: row of functions; 0: unknown */
    uint32_t position;                             /* PARAMETER: from 1 */
    uint32_t variable;                             /* row of variables; 0: none */
    string_id name;                                /* of the parameter, register or expression */
    struct probe_plan_subject how;                 /* for the runtime */
};

struct probe_freedom;

struct probe_plan {
    struct model *model;
    struct probe_freedom *freedom; /* made when first needed */
    struct array subjects;         /* of struct probe_subject */
    struct array points;           /* of struct probe_point; moved into windows by probe_place */
    struct array tallies;          /* of struct probe_plan_tally */
    struct array limits;           /* of struct probe_plan_limit */
    uint64_t counter_count;
    struct probe_windows windows;
    struct array modules; /* of struct probe_made_module, by program */
    struct array
        refused; /* of struct probe_refused: before windows were made; probe_place adds those of windows */
    struct array reserved; /* of struct probe_reserved */
    bool keeps_all;
    uint8_t clock_bits; /* not 0: of each thread, only the first 2^clock_bits entries of a loop without calls
                           are timed; the others are counted.  With sums_large */
    /* Loops that are counted: not 0: once a thread has seen 2^enough_bits entries of the same number of
       iterations, or 2^enough_sum_bits iterations in long entries, their probes are taken back.  Of loops with
       events only the first 2^enough_bits entries of each thread are seen.  With sums_large */
    uint8_t enough_bits, enough_sum_bits;
    bool sums_large; /* loops without events: entries of PROBE_TALLY_WORDS iterations and more are only added
                        up, which is quicker */
};

/* Registers that count the iterations of a loop: no other probe may use them from its entries to its exits.
 */
struct probe_reserved {
    uint32_t loop, general;
};

/* A loop with events of which enough are seen once this counter of a thread has this bit. */
struct probe_plan_limit {
    uint32_t subject, counter;
    uint8_t bits;
};

struct probe_made_module {
    uint32_t program;
    uint32_t first_window, window_count;
    struct probe_trampolines trampolines;
};

void probe_plan_init(struct probe_plan *plan, struct model *model);
void probe_plan_free(struct probe_plan *plan);

/* Adds subjects.  `uses_clock`: times as well as counts. */
void probe_plan_functions(struct probe_plan *plan, const uint32_t *functions, size_t count);
/* Calls alone, without events: calls of a function that a jump of its own leads to are not told apart. */
void probe_plan_counted_functions(struct probe_plan *plan, const uint32_t *functions, size_t count);
void probe_plan_loops(struct probe_plan *plan, const uint32_t *loops, size_t count, bool uses_clock);
void probe_plan_calls(struct probe_plan *plan, const uint32_t *calls, size_t count); /* rows of code */
/* Integer arguments of calls.  Before probe_plan_calls, so that they are not part of the calls' times. */
void probe_plan_arguments(struct probe_plan *plan, const uint32_t *calls, size_t count);
void probe_plan_parameters(struct probe_plan *plan, const uint32_t *functions, size_t count);
/* Loads and stores of a loop.  limit_bits not 0: of each thread, only the first 2^limit_bits of the loop's own
   code, without the loops inside it. */
void probe_plan_accesses(struct probe_plan *plan, uint32_t loop, uint8_t limit_bits);
/* Conditional branches of a loop's own code, without the loops inside it; outcomes are guessed for the first 2^limit_bits of each thread. */
void probe_plan_branches(struct probe_plan *plan, uint32_t loop, uint8_t limit_bits);
/* The same of a function outside its loops. */
void probe_plan_function_branches(struct probe_plan *plan, uint32_t function, uint8_t limit_bits);
/* A register by its name, or a variable that the debug information places there. */
bool probe_plan_at(struct probe_plan *plan, uint32_t instruction, const char *name, struct error *error);

/* Windows and trampolines. */
void probe_place(struct probe_plan *plan);
/* The file for the runtime. */
bool probe_plan_write(const struct probe_plan *plan, const char *path, struct error *error);
#endif
