/* Metrics and rules of the report that are written in Lua.

   Such a file begins with the header of an analysis (store/analyses.h) that says `-- kind: metric` or `rule`,
   and returns a function of a loop and one of its paths: rows of loops and of loop_metrics. A metric gives a
   number; a rule gives nothing, a sentence, or a table with text, evidence, cycles or gain, and remedies.

   The files of a folder run whenever somebody makes a report, so all of them together have a limit of time,
   of which one may use half, and each has a limit of memory. Each runs in a process of its own
   (base/apart.h); where other threads forbid to make one, somebody else asks it (struct judge_elsewhere). One
   that fails is left out: the report goes on and says so. */
#ifndef SCRIPT_JUDGE_H
#define SCRIPT_JUDGE_H
#include "code/cost/loops.h"
#include "script/script.h"

#include <stdio.h>

enum { JUDGE_SECONDS = 20, JUDGE_MEMORY = 256 << 20 };

/* For a program with threads (base/desk.h). Files that came with Assay are asked where they are. */
struct judge_elsewhere {
    bool (*is_foreign)(void *context, const struct analysis *analysis);
    /* Adds what script_judge_answer printed, in a process that has the same model, to an array of char. */
    bool (*ask)(void *context, const struct analysis *analysis, double seconds, struct array *answer,
                struct error *error);
    void *context;
};

struct script_judging {
    struct model *model; /* quality_build has filled the tables of the report */
    const struct loop_machines *machines;
    const struct array
        *analyses;  /* of struct analysis; those that are neither metric nor rule are passed over */
    double seconds; /* of processor time, for all files; 0: JUDGE_SECONDS */
    const struct judge_elsewhere *elsewhere; /* NULL: there is one thread, which may fork */
};

/* Adds what the files find to the model (code/quality/added.h). Of a file that fails there is a row of
   problems, and its message is added to failures (of char *, to be freed; may be NULL). */
void script_judge(const struct script_judging *judging, struct array *failures);
/* In a process for that: asks one file, and prints what it found, or why it failed. */
void script_judge_answer(const struct script_judging *judging, const struct analysis *analysis,
                         double seconds, FILE *out);
#endif
