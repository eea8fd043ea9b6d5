/* The search: from the user's compilation to the fastest variant that computes the same.

   1. what the report's advice asks for, each alone, then together;   2. each choice alone (screening);
   3. iterated elimination from the best set: drop what does not help;  4. local search (change one, swap two,
   with restarts) until the budget's static part is spent;  5. the best dozen of *different code* are run,
   best first, results compared, the fastest that is right wins;  6. its choices are dropped one by one as
   long as the measured time stays (least intrusive).

   Everything tried is a row of the ledger (searches, variants), so a second call goes on and Ctrl-C loses
   nothing. */
#ifndef OPTIMISE_SEARCH_H
#define OPTIMISE_SEARCH_H
#include "ledger/ledger.h"
#include "optimise/judge.h"
#include "optimise/replay.h"

/* How a variant is measured: a codelet, or a command that builds and runs the whole program; NULL functions:
 * judged only. */
struct search_measure {
    void *context;
    bool (*run)(void *context, const struct variant *variant, const struct judgement *judgement,
                struct replay_result *result, struct error *error);
};

struct search_request {
    const struct extract *extract;
    const struct choices *choices;
    const struct machine *machine;
    struct ledger *ledger;
    const char *const *advice; /* rules that spoke about the loop */
    unsigned forbidden;        /* risks */
    double tolerance;
    double budget;      /* seconds, all of it */
    unsigned finalists; /* 12 */
    unsigned processes;
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
};
struct search_answer {
    size_t tried, distinct;
    double seconds;
    struct judgement original;
    struct replay_result original_result;
    struct array
        finalists; /* of struct search_finalist; the winner first, then by measured time, then by cycles */
    bool is_interrupted, is_continued;
};
bool search_run(const struct search_request *request, struct search_answer *answer, struct error *error);
void search_answer_free(struct search_answer *answer);
#endif
