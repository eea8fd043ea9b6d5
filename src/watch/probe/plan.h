/* What to measure, and where: the plan of a run.

   A choice (choice.h) finds functions, loops, call sites and values in the model; watch_plan_functions and
   its like give each a subject and its points.  watch_place turns points into windows and islets,
   and watch_plan_write makes the file for the runtime.  The numbers of subjects are those of the recording,
   which watch/probe/recording.h turns into rows. */
#ifndef WATCH_PLAN_H
#define WATCH_PLAN_H
#include "watch/probe/islet.h"
#include "watch/probe/window.h"

enum watch_subject_kind {
    WATCH_FUNCTION,  /* row of functions */
    WATCH_LOOP,      /* row of loops */
    WATCH_CALL,      /* row of code: the call */
    WATCH_PARAMETER, /* value: `name` of `function` at its entry, or argument `position` of `call` */
    WATCH_AT,        /* value at an instruction */
    WATCH_ACCESS,    /* address of a load or store; `instruction`, `loop` */
    WATCH_BRANCH,    /* how often a conditional branch was taken, and how often not; `instruction`, `loop` */
    WATCH_OUTCOMES,  /* the first outcomes of the branch of the subject before */
};

/* How iterations of a loop are counted. */
enum watch_counting {
    WATCH_BY_VARIABLE, /* a register that moves by a constant in every iteration: nothing is done per
                          iteration */
    WATCH_BY_REGISTER, /* a register that the loop leaves alone counts */
    WATCH_BY_MEMORY,   /* a counter in memory counts */
};

struct watch_subject {
    uint8_t kind;     /* enum watch_subject_kind */
    uint8_t counting; /* LOOP */
    uint8_t refusal;  /* enum watch_refusal of the worst of its points, set by watch_place; not placed: it has
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

struct watch_freedom;

struct watch_plan {
    struct model *model;
    struct watch_freedom *freedom; /* made when first needed */
    struct array subjects;         /* of struct watch_subject */
    struct array points;           /* of struct watch_point; moved into windows by watch_place */
    struct array tallies;          /* of struct probe_plan_tally */
    uint64_t counter_count;
    struct watch_windows windows;
    struct array modules; /* of struct watch_module, by program */
    struct array
        refused; /* of struct watch_refused: before windows were made; watch_place adds those of windows */
    struct array reserved; /* of struct watch_reserved */
    bool keeps_all;
    uint8_t clock_bits; /* not 0: of each thread, only the first 2^clock_bits entries of a loop without calls
                           are timed; the others are counted.  With sums_large */
    bool sums_large; /* loops without events: entries of PROBE_TALLY_WORDS iterations and more are only added
                        up, which is quicker */
};

/* Registers that count the iterations of a loop: no other probe may use them from its entries to its exits.
 */
struct watch_reserved {
    uint32_t loop, general;
};

struct watch_module {
    uint32_t program;
    uint32_t first_window, window_count;
    struct watch_islets islets;
};

void watch_plan_init(struct watch_plan *plan, struct model *model);
void watch_plan_free(struct watch_plan *plan);

/* Adds subjects.  `uses_clock`: times as well as counts. */
void watch_plan_functions(struct watch_plan *plan, const uint32_t *functions, size_t count);
void watch_plan_loops(struct watch_plan *plan, const uint32_t *loops, size_t count, bool uses_clock);
void watch_plan_calls(struct watch_plan *plan, const uint32_t *calls, size_t count); /* rows of code */
/* Integer arguments of calls.  Before watch_plan_calls, so that they are not part of the calls' times. */
void watch_plan_arguments(struct watch_plan *plan, const uint32_t *calls, size_t count);
void watch_plan_parameters(struct watch_plan *plan, const uint32_t *functions, size_t count);
/* limit_bits not 0: of each thread, only the first 2^limit_bits accesses of the loop. */
void watch_plan_accesses(struct watch_plan *plan, uint32_t loop, uint8_t limit_bits);
/* Conditional branches of a loop; outcomes are guessed for the first 2^limit_bits of each thread. */
void watch_plan_branches(struct watch_plan *plan, uint32_t loop, uint8_t limit_bits);
/* A register by its name, or a variable that the debug information places there. */
bool watch_plan_at(struct watch_plan *plan, uint32_t instruction, const char *name, struct error *error);

/* Windows and islets. */
void watch_place(struct watch_plan *plan);
/* The file for the runtime. */
bool watch_plan_write(const struct watch_plan *plan, const char *path, struct error *error);
#endif
