/* The steps of a search, and its time: with something to measure, half of the budget is for judging; without,
   what is left at the end is for dropping what the winner does not need. */
#include "change/optimise/search/search.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "change/optimise/search/search_parts.h"

#include <math.h>
#include <stdlib.h>

static const double STATIC_PART = 0.5, ALL_STATIC = 0.85;
static const uint64_t FIRST_RANDOM = 0x9e3779b97f4a7c15;

static size_t count_earlier(const struct search *search)
{
    size_t count = 0;
    for (size_t i = 0; i < search->trials.count; i++)
        count += (*ARRAY_AT(struct trial *, &search->trials, i))->is_earlier;
    return count;
}

/* Whether there is anything to choose from. */
static bool is_known(const struct search *search, struct error *error)
{
    if (search_original(search))
        return true;
    if (search->error.set)
        *error = search->error;
    else
        error_set(error, search->request->extract->compilation->source, "%s",
                  interrupt_came() ? "interrupted before anything was judged"
                                   : "the budget was spent before anything was judged; give a larger "
                                     "--budget");
    return false;
}

bool search_run(const struct search_request *request, struct search_answer *answer, struct error *error)
{
    double begin = clock_monotonic_seconds();
    struct search search = {.request = request,
                            .trials = ARRAY_OF(struct trial *),
                            .advice = ARRAY_OF(char *),
                            .begin = begin,
                            .end = begin + request->budget,
                            .end_static =
                                begin + request->budget * (request->measure.run ? STATIC_PART : ALL_STATIC),
                            .random = FIRST_RANDOM ^ request->seed,
                            .stage = ""};
    *answer = (struct search_answer){.finalists = ARRAY_OF(struct search_finalist)};
    search.random = search.random ? search.random : FIRST_RANDOM;
    bool is_fine = judge_begin(request->extract, request->choices, request->machine, request->processes,
                               &search.judge, error) &&
                   search_ledger_begin(&search, error);
    if (is_fine) {
        search_static(&search, answer);
        is_fine = is_known(&search, error) && search_finals(&search, answer, error);
    }
    answer->tried = search.trials.count;
    answer->earlier = count_earlier(&search);
    answer->distinct = search.distinct;
    answer->advice = search.advice;
    answer->is_interrupted = interrupt_came();
    answer->seconds = clock_monotonic_seconds() - begin;
    if (is_fine && search.error.set && !answer->finalists.count) {
        *error = search.error;
        is_fine = false;
    }
    if (is_fine && search.error.set)
        answer->problem = memory_format("%s", search.error.text);
    search_trials_free(&search);
    judge_end(search.judge);
    return is_fine;
}

static void finalist_free(struct search_finalist *finalist)
{
    free(finalist->variant.values);
    free(finalist->problem);
    judgement_free(&finalist->judgement);
    replay_result_free(&finalist->result);
}

void search_answer_free(struct search_answer *answer)
{
    finalist_free(&answer->original);
    for (size_t i = 0; i < answer->finalists.count; i++)
        finalist_free(ARRAY_AT(struct search_finalist, &answer->finalists, i));
    array_free(&answer->finalists);
    for (size_t i = 0; i < answer->advice.count; i++)
        free(*ARRAY_AT(char *, &answer->advice, i));
    array_free(&answer->advice);
    free(answer->problem);
}
