/* What the static route said, and what it took then, in the ledger: `assay predict --history` shows both, and
   an answer is as wide as earlier ones about the same program were wrong.

   A program is known by its build-id, as everywhere; its inputs are the size that was told. Recorded runs
   that are given to a later question are the truths: each counts once, as of when it was recorded. */
#ifndef PLAN_PREDICT_STATIC_LEDGER_H
#define PLAN_PREDICT_STATIC_LEDGER_H
#include "base/error.h"
#include "ledger/ledger.h"
#include "plan/predict/static_route.h"

struct static_program {
    char *path, *build; /* the file, and its build-id (its path where it has none) */
};

/* Widens the interval where answers for earlier sizes were wrong by more, and notes how wrong they were. */
bool static_learn(struct ledger *ledger, const struct static_program *program, const struct static_run *runs,
                  size_t count, const char *here, const char *there, struct static_answer *answer,
                  struct error *error);
/* size NaN: the one of the last run. */
bool static_note(struct ledger *ledger, const struct static_program *program, double size, const char *there,
                 const struct static_answer *answer, struct error *error);
#endif
