/* What measurements say about a computer, in the words of machine files: each finding is a line of one.

   Experiments (core, memory) are tests like those of forms: planned by name, run by the same runner, results
   kept in the same file.  What follows from their results is found by pure functions, so that a file of
   results from another computer gives the same findings as a run here. */
#ifndef RUN_BENCH_FINDINGS_H
#define RUN_BENCH_FINDINGS_H
#include "run/bench/results.h"

struct bench_finding {
    char word[32];    /* of code/machine/core.def or code/machine/facts.def: issue, reorder-buffer, cache */
    char values[160]; /* as the file has them: 8, 2 1M line 64 bandwidth 27 latency 14 */
    double spread;    /* relative; NaN where it makes no sense */
    char how[128];    /* for people: which experiment, and what it saw */
    bench_session session; /* the newest of the results that its experiment looked at */
};

void bench_finding_add(struct array *findings, const char *word, double spread, const char *how,
                       const char *values, ...) __attribute__((format(printf, 5, 6)));
/* Marks findings after the first ones, all from results that were asked for since results->newest was 0. */
void bench_findings_mark(struct array *findings, size_t first, bench_session session);
#endif
