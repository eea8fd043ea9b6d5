/* From a study whose rounds are complete to the µops of each form. */
#ifndef RUN_BENCH_PORTS_FIND_H
#define RUN_BENCH_PORTS_FIND_H
#include "run/bench/ports/study.h"
#include "run/bench/ports/uses.h"

struct found_form {
    struct uses_answer answer;
    double alone;  /* cycles of an instance */
    double chain;  /* the same where nothing breaks chains */
    double issued; /* NaN: not measured */
    unsigned mixes;
};

struct found {
    struct uses_sets sets;
    double width;             /* places of issue, in those that one-µop forms take */
    struct found_form *forms; /* as many as subjects; mixes 0: nothing was found out */
};

/* Whether no-ops show the places of issue that forms take; if not, crowds have to. */
bool find_has_places(const struct study *study);
/* Probes must be found. */
void find_uses(const struct study *study, struct found *found);
void found_free(struct found *found);
#endif
