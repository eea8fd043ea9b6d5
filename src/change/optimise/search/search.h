/* The search: from the user's compilation to the fastest variant that computes the same.

   1. what the report's advice asks for, each alone, then together;   2. each choice alone (screening), and
   again on top of the best as long as that helps;   3. iterated elimination: all that helped alone together,
   then what hurts is dropped, one at a time;   4. local search (change one, change two, restarts) until the
   static part of the budget is spent or nothing new comes any more;   5. the best dozen of *different code*
   and the sets of options that people usually try are run, best first, results compared; the fastest that is
   right wins, of equally fast ones the least intrusive; first, neighbours of the fastest are run, too;
   6. its choices are dropped one by one as long as
   the code, or the measured time, stays.

   Everything tried is a row of the ledger (searches, search_variants), so a second call goes on and Ctrl-C
   (base/interrupt.h) loses nothing. The generator of random numbers has a seed: the same search tries the
   same variants. */
#ifndef CHANGE_OPTIMISE_SEARCH_SEARCH_H
#define CHANGE_OPTIMISE_SEARCH_SEARCH_H
#include "ledger/ledger.h"
#include "change/optimise/judge/judge.h"
#include "change/optimise/replay/replay.h"

/* How a variant is measured: a codelet, or a command that builds and runs the whole program; NULL: judged
   only. false: it could not be measured, the error says why, and the search goes on. */
struct search_measure {
    void *context;
    bool (*run)(void *context, const struct variant *variant, const struct judgement *judgement,
                double seconds, struct replay_result *result, struct error *error);
};

struct search_request {
    const struct extract *extract;
    const struct choices *choices;
    const struct machine *machine;
    struct ledger *ledger; /* NULL: nothing is kept */
    const char *const
        *usual;         /* sets of flags that are always measured, with spaces between them; up to NULL */
    unsigned forbidden; /* risks */
    double budget;      /* seconds, all of it */
    double trips;       /* iterations each time the loop is entered; 0: unknown */
    unsigned finalists; /* 0: the usual dozen */
    bool is_other;  /* not by the user's own compiler: to compile as it is with this one is an answer, too */
    double present; /* then: cycles by the user's own; NaN: not known */
    unsigned processes; /* 0: one for each processor */
    uint64_t seed;
    struct search_measure measure;
    void (*progress)(void *context, const char *stage, size_t tried, size_t distinct, double best_cycles,
                     double seconds_left);
    void *progress_context;
};

struct search_finalist {
    struct variant variant;
    struct judgement judgement;
    struct replay_result result;
    bool is_measured;
    bool is_right;     /* measured, and its results are the original's or within the tolerance */
    bool is_usual;     /* one of the usual sets, and not among the best by its cycles */
    bool is_needed;    /* one of the usual sets, whoever chose it besides: run first */
    bool is_neighbour; /* of one that measured fast: run in the second round */
    double ratio;      /* its measured time, right or not : that of the original code in the same run; NaN */
    unsigned rank;     /* among those that were chosen by their cycles, from 1; 0: it was not */
    char *problem;     /* why it could not be measured; NULL */
};
struct search_answer {
    size_t tried, distinct, earlier; /* earlier: of tried, by earlier calls */
    double seconds;
    struct search_finalist original; /* the user's own compilation of the extract */
    struct array finalists; /* of struct search_finalist; the winner first, then by measured time, then by
                               cycles; empty: nothing is better than the original */
    struct array advice;    /* of char *: rules of the report that speak about the loop as it is */
    bool has_winner;        /* the first finalist is faster than the original and right */
    bool is_measured;       /* by time; else by cycles alone */
    size_t usual_left;      /* usual sets that were not run, because the time was up */
    bool is_interrupted;
    char *problem;     /* what ended the search early, such as a ledger on a full disk; NULL */
    bool is_exhausted; /* nothing new came any more: a longer budget would not help */
};
bool search_run(const struct search_request *request, struct search_answer *answer, struct error *error);
void search_answer_free(struct search_answer *answer);
#endif
