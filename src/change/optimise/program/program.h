/* The options of a whole program, tried by whole runs.

   A *change* is what people try: -O3, instructions of this processor, -flto, a profile, no assertions, an option
   less that harms.  A *variant* is a set of changes for each compile unit, or for all of them where a command of
   the user builds.  Each is built in a private folder, run by turns with the best so far, and what it prints is
   compared with what the program prints as it is.

   The search is greedy: each change alone; then, on top of the best, what else helps; then what does not matter
   goes again; then hot units with and without a change.  At last the winner runs by turns with the program as it
   is, once more: that figure, which chance had no hand in choosing, is the answer. */
#ifndef CHANGE_OPTIMISE_PROGRAM_PROGRAM_H
#define CHANGE_OPTIMISE_PROGRAM_PROGRAM_H
#include "change/optimise/compile/program_units.h"
#include "change/optimise/replay/replay.h"
#include "ledger/ledger.h"

enum program_kind {
    program_FLAGS,  /* words after the unit's own */
    program_LESS,   /* a word of the unit's own goes */
    program_LINK,   /* words for the compiler and the linker */
    program_PROFILE /* built with counters, run, and built again with what they counted */
};
struct program_option {
    enum program_kind kind;
    char *words;      /* as a user writes them; of program_LESS the word that goes */
    char *name;       /* in tables: "-O3", "without -ffloat-store" */
    unsigned risks;   /* of enum choice_risk */
    const char *also; /* what else it risks; NULL: nothing */
    char group;       /* of changes that replace each other; 0: none */
    bool is_second;   /* tried only where the one before it in the list has other results */
};

struct program_trial {
    uint32_t *sets;              /* for each unit, changes by bits */
    char *name;                  /* of the variant, in words */
    bool is_built;               /* else problem says why not */
    bool is_same_code;           /* as another trial, whose figures it has */
    bool is_remembered;          /* from the ledger: measured by an earlier call */
    bool is_accepted;            /* its results are the same, or within the tolerance */
    struct replay_result result; /* original_… are of the best at that time */
    double step,
        step_error; /* of its time to that of the best at that time, median of pairs; NaN: not measured */
    double ratio;   /* of its time to that of the program as it is */
    size_t beside;  /* place of the best at that time; SIZE_MAX: the program as it is */
    unsigned rounds;
    char *problem;
};

struct program_request {
    /* One of them: units and the program that they are of, or a command that builds $ASSAY_PROGRAM. */
    const struct array *units; /* of struct program_unit */
    const struct launch_program *program;
    const char *build;
    const char *run;     /* runs $ASSAY_PROGRAM */
    const uint32_t *hot; /* places of hot units, the hottest first: each is tried apart */
    size_t hot_count;
    struct ledger *ledger;
    double tolerance, budget; /* relative; seconds */
    bool has_tolerance;
    bool may_differ;    /* where it prints something else each time, or nothing: results are not compared */
    unsigned forbidden; /* risks */
    unsigned processes;
    /* Told before each trial; NULL: nobody is. */
    void (*progress)(const char *what, size_t done, double seconds_left);
};
struct program_answer {
    struct array changes; /* of struct program_option */
    struct array trials;  /* of struct program_trial, in the order of trying */
    size_t best;          /* of them; SIZE_MAX: as it is */
    double before, after; /* seconds of a run, medians */
    double ratio, error;  /* after to before, in the last comparison */
    unsigned rounds;      /* of it */
    double own_ratio;     /* of the program that is there to its copy; NaN: there is none */
    unsigned left;        /* changes whose turn did not come */
    bool is_out_of_time, was_interrupted;
    bool is_uncompared; /* nothing says whether results are right: only with may_differ */
    double seconds;     /* that it took */
    char *line;         /* the build line of the best: --build-with; NULL */
};
/* false: nothing could be measured. */
bool program_search(const struct program_request *request, struct program_answer *answer,
                    struct error *error);
void program_answer_free(struct program_answer *answer);

/* A share of time that is no difference: 1 %, or what repeated runs differ by. */
bool program_is_clear(double ratio, double error);
#endif
