/* Loops around others: how often the end of a loop inside is guessed wrong.

   The wrong guess belongs to the loop inside, but what waits for the right one is the code behind that loop: own
   code of the loop around it, where the samples stand.  Where the outcomes of the inner loop's branches were
   recorded, the misses are those of the simulated predictor.  Else each entry is taken to end with one, unless
   nearly all entries have the same small number of iterations, which predictors learn. */
#include "run/measure/figures.h"
#include "run/measure/gap_subject.h"

#include <math.h>

static const double USUAL = 0.95; /* of the entries with one number of iterations */
enum { MOST_LEARNT = 24 };        /* iterations */
static const double LEAST_PART = 0.1;

static bool is_learnt(const struct model *model, uint32_t loop)
{
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = model_probe_loop(model, i);
        if (row->loop == loop && row->usual_share >= USUAL && row->usual_iterations &&
            row->usual_iterations <= MOST_LEARNT)
            return true;
    }
    return false;
}

/* Misses of an entry of a loop inside. */
static double misses_of(const struct gap_subject *subject, const struct run_loop *inner, bool *is_guessed,
                        uint32_t *instruction)
{
    double rounds = (double)inner->iterations / (double)inner->entries;
    double misses = gap_misses_of(subject->model, inner->loop, true, instruction) * rounds;
    if (misses >= 0)
        return fmin(misses, 1);
    *is_guessed = true;
    return is_learnt(subject->model, inner->loop) ? 0 : 1;
}

bool gap_inner_exits(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct model *model = subject->model;
    const struct machine *machine = subject->machine->machine;
    double penalty = machine && machine->core.mispredict > 0 ? machine->core.mispredict : 0, misses = 0;
    bool is_guessed = false;
    uint32_t instruction = 0;
    if (!subject->is_around || subject->gap <= subject->least || !(penalty > 0) || !subject->row->iterations)
        return false;
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        const struct run_loop *inner = model_run_loop(model, i);
        if (inner->run != subject->row->run || !inner->entries ||
            model_loop(model, inner->loop)->parent != subject->row->loop)
            continue;
        misses += misses_of(subject, inner, &is_guessed, &instruction) * (double)inner->entries /
                  (double)subject->row->iterations;
    }
    double cycles = misses * penalty;
    if (!(cycles >= LEAST_PART * subject->gap))
        return false;
    *evidence = (struct gap_evidence){.certainty = is_guessed ? gap_certainty_LIKELY
                                                              : gap_certainty_of(subject, cycles),
                                      .cycles = cycles,
                                      .value = misses,
                                      .reference = penalty,
                                      .instruction = instruction};
    return true;
}
