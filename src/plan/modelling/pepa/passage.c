/* How long it takes from one thing to another: the distribution, not only its mean.

   The chain runs until it gets there: states after that moment are cut off.  Uniformised, it takes a number
   of jumps whose distribution one pass gives (absorbed[n]: there with the nth jump), and the time of n jumps
   of a clock with rate q is Erlang's; so the cdf at any moment is a Poisson-weighted sum of the same numbers,
   and quantiles cost no further pass.  It begins, in the long run: with an action, where it leads to; with a
   set of states, where they are entered; or once, in the initial state.  What can never get there is told
   (reached), and left out of the mean. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "plan/modelling/pepa/chain.h"
#include "plan/modelling/pepa/poisson.h"
#include "plan/modelling/pepa/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_work = 3e12, left_out = 1e-11;
enum { MOST_JUMPS = 100000000 };

struct passing {
    const struct pepa_space *space;
    const struct pepa_end *to;
    struct pepa_chain chain; /* without the transitions that end it */
    double *ending;          /* of each state: the rate of those */
    double *now, *next;
    double clock;
    struct array absorbed; /* of double, by jumps: there by then */
    double at_once;        /* there without any */
};

static bool ends_by(const struct passing *passing, uint64_t transition)
{
    return passing->to->kind == end_ACTION ? passing->space->labels[transition] / 2 == passing->to->action
                                           : passing->to->is_in[passing->space->targets[transition]];
}

/* Transitions that go on, by where they lead to.  States of the end itself have none. */
static void cut(struct passing *passing)
{
    const struct pepa_space *space = passing->space;
    struct pepa_chain *chain = &passing->chain;
    chain->count = space->count;
    chain->rows = memory_get(((size_t)space->count + 2) * sizeof *chain->rows);
    chain->out = memory_get(space->count * sizeof *chain->out);
    passing->ending = memory_get(space->count * sizeof *passing->ending);
    uint64_t *next = chain->rows + 1;
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < space->count; i++)
            for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++) {
                if (passing->to->kind == end_STATES && passing->to->is_in[i])
                    break;
                bool ends = ends_by(passing, k);
                if (space->targets[k] == i && !ends)
                    continue;
                if (!round && !ends)
                    next[space->targets[k] + 1]++;
                if (!round)
                    continue;
                chain->out[i] += space->rates[k];
                if (ends) {
                    passing->ending[i] += space->rates[k];
                    continue;
                }
                uint64_t at = next[space->targets[k]]++;
                chain->sources[at] = i;
                chain->rates[at] = space->rates[k];
            }
        if (round)
            break;
        for (uint32_t i = 0; i < space->count; i++)
            next[i + 1] += next[i];
        chain->sources = memory_get((next[space->count] + 1) * sizeof *chain->sources);
        chain->rates = memory_get((next[space->count] + 1) * sizeof *chain->rates);
    }
    for (uint32_t i = 0; i < space->count; i++)
        passing->clock = fmax(passing->clock, chain->out[i]);
}

static bool begin_at(struct passing *passing, const struct pepa_end *from, const double *probability,
                     struct error *error)
{
    const struct pepa_space *space = passing->space;
    double total = 0;
    if (from->kind == end_INITIAL)
        passing->now[0] = 1;
    for (uint32_t i = 0; i < space->count && from->kind != end_INITIAL; i++)
        for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++)
            if (from->kind == end_ACTION ? space->labels[k] / 2 == from->action
                                         : !from->is_in[i] && from->is_in[space->targets[k]])
                passing->now[space->targets[k]] += probability[i] * space->rates[k];
    for (uint32_t i = 0; i < space->count; i++)
        total += passing->now[i];
    if (!(total > 0))
        return error_set(error, NULL, "--passage: in the long run %s",
                         from->kind == end_ACTION ? "the action it begins with never happens"
                                                  : "the states it begins with are never entered");
    for (uint32_t i = 0; i < space->count; i++) {
        passing->now[i] /= total;
        if (passing->to->kind == end_STATES && passing->to->is_in[i]) {
            passing->at_once += passing->now[i];
            passing->now[i] = 0;
        }
    }
    return true;
}

/* States that can get there: what is in others is lost for good. */
static uint8_t *find_able(const struct passing *passing)
{
    const struct pepa_chain *chain = &passing->chain;
    uint8_t *can = memory_get(chain->count);
    uint32_t *open = memory_get(chain->count * sizeof *open), count = 0;
    for (uint32_t i = 0; i < chain->count; i++)
        if (passing->ending[i] > 0) {
            can[i] = 1;
            open[count++] = i;
        }
    while (count) {
        uint32_t state = open[--count];
        for (uint64_t k = chain->rows[state]; k < chain->rows[state + 1]; k++)
            if (!can[chain->sources[k]]) {
                can[chain->sources[k]] = 1;
                open[count++] = chain->sources[k];
            }
    }
    free(open);
    return can;
}

static bool run(struct passing *passing, const uint8_t *can, struct error *error)
{
    const struct pepa_chain *chain = &passing->chain;
    double there = passing->at_once, left = 1;
    uint64_t cost = chain->rows[chain->count] + chain->count;
    *(double *)array_push(&passing->absorbed) = there;
    for (uint64_t n = 0; left > left_out; n++) {
        if (n > MOST_JUMPS || (double)n * (double)cost > most_work)
            return error_set(
                error, passing->space->structure->model->path,
                "--passage: after %llu jumps of the chain %.2g is still under way: its rates are too "
                "different",
                (unsigned long long)n, left);
        if (!(n % 64) && interrupt_came())
            return pepa_stopped(error);
        if (!(n % 1024))
            progress_tell("jumps", n, 0);
        double ended = 0;
        left = 0;
        for (uint32_t i = 0; i < chain->count; i++) {
            double in = 0;
            if (!can[i]) {
                passing->next[i] = 0;
                continue;
            }
            for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++)
                in += passing->now[chain->sources[k]] * chain->rates[k];
            passing->next[i] = passing->now[i] * (1 - chain->out[i] / passing->clock) + in / passing->clock;
            ended += passing->now[i] * passing->ending[i];
            left += passing->next[i];
        }
        there += ended / passing->clock;
        *(double *)array_push(&passing->absorbed) = there;
        double *kept = passing->now;
        passing->now = passing->next;
        passing->next = kept;
    }
    return true;
}

/* The cdf, and the density, at a moment. */
static double share_at(const struct passing *passing, double time, double *density)
{
    struct poisson poisson;
    double share = 0, jumps = 0;
    size_t last = passing->absorbed.count - 1;
    if (density)
        *density = 0;
    if (!(time > 0)) {
        if (density && last)
            *density = passing->clock * (*ARRAY_AT(double, &passing->absorbed, 1) - passing->at_once);
        return passing->at_once;
    }
    poisson_make(&poisson, passing->clock * time);
    for (uint64_t i = 0; i < poisson.count; i++) {
        uint64_t n = poisson.first + i;
        double here = *ARRAY_AT(double, &passing->absorbed, n < last ? n : last);
        share += poisson.weights[i] * here;
        if (n < last)
            jumps += poisson.weights[i] * (*ARRAY_AT(double, &passing->absorbed, n + 1) - here);
    }
    poisson_free(&poisson);
    if (density)
        *density = jumps * passing->clock;
    return share;
}

static double quantile(const struct passing *passing, double level, double longest)
{
    double low = 0, high = longest;
    if (passing->at_once >= level)
        return 0;
    for (unsigned i = 0; i < 100 && high - low > 1e-12 * high; i++) {
        double middle = (low + high) / 2;
        if (share_at(passing, middle, NULL) < level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void conclude(const struct passing *passing, double until, unsigned points,
                     struct pepa_passage *passage)
{
    static const double levels[] = {0.1, 0.5, 0.9, 0.95, 0.99, 0.999};
    size_t last = passing->absorbed.count - 1;
    double first = 0, second = 0, q = passing->clock;
    passage->reached = *ARRAY_AT(double, &passing->absorbed, last);
    for (size_t n = 0; n < last; n++) { /* the time of n + 1 jumps is Erlang's */
        double share =
            *ARRAY_AT(double, &passing->absorbed, n + 1) - *ARRAY_AT(double, &passing->absorbed, n);
        first += share * ((double)n + 1) / q;
        second += share * ((double)n + 1) * ((double)n + 2) / q / q;
    }
    passage->mean = first / passage->reached;
    passage->deviation = sqrt(fmax(0, second / passage->reached - passage->mean * passage->mean));
    double longest = ((double)last + 12 * sqrt((double)last) + 60) / q;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        *(double *)array_add(&passage->levels) = levels[i];
        *(double *)array_add(&passage->quantiles) =
            levels[i] < passage->reached - 1e-9 ? quantile(passing, levels[i], longest) : NAN;
    }
    if (!(until > 0))
        until = passage->mean > 0 ? quantile(passing, 0.995 * passage->reached, longest) : 1;
    for (unsigned i = 0; i <= points; i++) {
        double *time = array_add(&passage->times), *density = array_add(&passage->density);
        *time = until * i / points;
        *(double *)array_add(&passage->share) = share_at(passing, *time, density);
    }
}

bool pepa_passage(const struct pepa_space *space, const struct pepa_steady *steady, const char *words,
                  double until, unsigned points, struct pepa_passage *passage, struct error *error)
{
    struct pepa_end ends[2];
    *passage = (struct pepa_passage){.times = ARRAY_OF(double),
                                     .density = ARRAY_OF(double),
                                     .share = ARRAY_OF(double),
                                     .levels = ARRAY_OF(double),
                                     .quantiles = ARRAY_OF(double)};
    if (!pepa_ends_read(space, words, ends, error))
        return false;
    struct passing passing = {.space = space,
                              .to = &ends[1],
                              .now = memory_get(space->count * sizeof(double)),
                              .next = memory_get(space->count * sizeof(double)),
                              .absorbed = ARRAY_OF(double)};
    cut(&passing);
    uint8_t *can = find_able(&passing);
    bool is_fine = begin_at(&passing, &ends[0], steady->probability, error) && run(&passing, can, error);
    if (is_fine && !(*ARRAY_AT(double, &passing.absorbed, passing.absorbed.count - 1) > 0))
        is_fine = error_set(error, NULL, "--passage: from there, what it ends with never happens");
    if (is_fine) {
        passage->steps = passing.absorbed.count - 1;
        passage->error = left_out + 1e-15;
        conclude(&passing, until, points, passage);
    }
    pepa_chain_free(&passing.chain);
    free(passing.ending);
    free(passing.now);
    free(passing.next);
    free(can);
    array_free(&passing.absorbed);
    pepa_ends_free(ends);
    return is_fine;
}

void pepa_passage_free(struct pepa_passage *passage)
{
    array_free(&passage->times);
    array_free(&passage->density);
    array_free(&passage->share);
    array_free(&passage->levels);
    array_free(&passage->quantiles);
}
