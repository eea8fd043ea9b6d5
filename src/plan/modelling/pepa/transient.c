/* Probabilities at moments, by uniformisation: the chain as one that jumps at the events of a clock which is
   as quick as its quickest state, and stays where it is at some of them.  Then probabilities after t are a
   sum over numbers of events of Poisson weights times powers of a matrix: nothing is ever subtracted, and
   what the sum leaves out is known.

   Where a jump changes less than what all jumps to come may change, the rest is the same vector: the change
   of a jump never grows.  Where rates are very different (a stiff chain), events are too many; a small chain
   is then taken by the whole matrix of one interval, squared from a very short one. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "plan/modelling/pepa/chain.h"
#include "plan/modelling/pepa/poisson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DENSE = 300 };
static const double most_work = 2e13, settled = 1e-12;

struct running {
    struct pepa_chain chain;
    double clock; /* events a second */
    double *now, *next, *sum;
    double *whole; /* dense: the matrix of one interval; NULL: jump by jump */
    double error;
    uint64_t steps;
};

/* The sum of changes. */
static double jump(const struct running *running, const double *from, double *to)
{
    const struct pepa_chain *chain = &running->chain;
    double change = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        double in = 0;
        for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++)
            in += from[chain->sources[k]] * chain->rates[k];
        to[i] = from[i] * (1 - chain->out[i] / running->clock) + in / running->clock;
        change += fabs(to[i] - from[i]);
    }
    return change;
}

static void swap(double **one, double **other)
{
    double *kept = *one;
    *one = *other;
    *other = kept;
}

static bool pass(struct running *running, const struct poisson *poisson, struct error *error)
{
    size_t count = running->chain.count;
    double left = 1;
    uint64_t last = poisson->first + poisson->count - 1;
    memset(running->sum, 0, count * sizeof *running->sum);
    for (uint64_t k = 0; k <= last; k++) {
        if (k >= poisson->first) {
            double weight = poisson->weights[k - poisson->first];
            for (size_t i = 0; i < count; i++)
                running->sum[i] += weight * running->now[i];
            left -= weight;
        }
        if (k == last)
            break;
        double change = jump(running, running->now, running->next);
        running->steps++;
        swap(&running->now, &running->next);
        if (change * (double)(last - k) < settled) {
            for (size_t i = 0; i < count; i++)
                running->sum[i] += fmax(0, left) * running->now[i];
            running->error += change * (double)(last - k);
            break;
        }
        if (!(k % 64) && interrupt_came())
            return pepa_stopped(error);
    }
    running->error += poisson->lost;
    swap(&running->now, &running->sum);
    return true;
}

static void multiply(const double *left, const double *right, double *product, size_t n)
{
    memset(product, 0, n * n * sizeof *product);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double factor = left[i * n + k];
            if (factor != 0)
                for (size_t j = 0; j < n; j++)
                    product[i * n + j] += factor * right[k * n + j];
        }
}

/* The matrix of an interval: of one in which half an event happens by the series, then squared. */
static bool make_whole(struct running *running, double interval, struct error *error)
{
    enum { TERMS = 18 }; /* 0.5^19 / 19! < 1e-22 */
    size_t n = running->chain.count;
    int halvings = (int)ceil(log2(fmax(1, running->clock * interval / 0.5)));
    double mean = running->clock * ldexp(interval, -halvings);
    double *step = memory_get(n * n * sizeof *step), *power = memory_get(n * n * sizeof *power),
           *spare = memory_get(n * n * sizeof *spare), *whole = memory_get(n * n * sizeof *whole);
    for (size_t j = 0; j < n; j++) {
        step[j * n + j] += 1 - running->chain.out[j] / running->clock;
        for (uint64_t k = running->chain.rows[j]; k < running->chain.rows[j + 1]; k++)
            step[running->chain.sources[k] * n + j] += running->chain.rates[k] / running->clock;
        power[j * n + j] = 1;
    }
    double weight = exp(-mean);
    for (int term = 0; term <= TERMS; term++) {
        for (size_t i = 0; i < n * n; i++)
            whole[i] += weight * power[i];
        multiply(power, step, spare, n);
        swap(&power, &spare);
        weight *= mean / (term + 1);
    }
    for (int i = 0; i < halvings && !interrupt_came(); i++) {
        multiply(whole, whole, spare, n);
        swap(&whole, &spare);
        for (size_t row = 0; row < n; row++) { /* rounding doubles with each square: rows sum to 1 */
            double total = 0;
            for (size_t j = 0; j < n; j++)
                total += whole[row * n + j];
            for (size_t j = 0; j < n; j++)
                whole[row * n + j] /= total;
        }
        progress_tell("squares of the matrix", (size_t)i, (size_t)halvings);
    }
    running->whole = whole;
    free(step);
    free(power);
    free(spare);
    return !interrupt_came() || pepa_stopped(error);
}

static void pass_whole(struct running *running)
{
    size_t n = running->chain.count;
    memset(running->next, 0, n * sizeof *running->next);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; running->now[i] != 0 && j < n; j++)
            running->next[j] += running->now[i] * running->whole[i * n + j];
    swap(&running->now, &running->next);
    running->error += 1e-14 * (double)n;
    running->steps++;
}

static bool run(struct running *running, const struct pepa_space *space, double interval, unsigned points,
                struct pepa_curve *curve, struct error *error)
{
    struct poisson poisson = {0};
    bool is_fine = true;
    if (!running->whole && running->clock > 0)
        poisson_make(&poisson, running->clock * interval);
    for (unsigned i = 0; is_fine && i <= points; i++) {
        *(double *)array_add(&curve->times) = interval * i;
        struct pepa_measures *measures = array_add(&curve->moments);
        *measures = pepa_measures_new(space->structure);
        pepa_measure(space, running->now, measures);
        progress_tell("moments", i, points);
        if (i == points)
            break;
        if (running->whole)
            pass_whole(running);
        else if (running->clock > 0)
            is_fine = pass(running, &poisson, error);
    }
    poisson_free(&poisson);
    return is_fine;
}

bool pepa_transient(const struct pepa_space *space, double until, unsigned points, struct pepa_curve *curve,
                    struct error *error)
{
    struct running running = {0};
    uint32_t *number = memory_get(space->count * sizeof *number);
    for (uint32_t i = 0; i < space->count; i++)
        number[i] = i;
    pepa_chain_make(&running.chain, space, number, space->count);
    free(number);
    for (uint32_t i = 0; i < space->count; i++)
        running.clock = fmax(running.clock, running.chain.out[i]);
    running.now = memory_get(space->count * sizeof(double));
    running.next = memory_get(space->count * sizeof(double));
    running.sum = memory_get(space->count * sizeof(double));
    running.now[0] = 1;
    *curve = (struct pepa_curve){
        .times = ARRAY_OF(double), .moments = ARRAY_OF(struct pepa_measures), .method = "uniformisation"};
    double interval = until / points, events = running.clock * until, n = space->count;
    double work = events * (double)(space->rows[space->count] + space->count),
           dense = n * n * n * (20 + log2(events + 2));
    bool is_fine = true;
    if (n <= MOST_DENSE && work > dense) {
        curve->method = "squares of the matrix of a short interval";
        is_fine = make_whole(&running, interval, error);
    } else if (work > most_work && events > 1e9) {
        is_fine =
            error_set(error, space->structure->model->path,
                      "until %g there are about %.2g events of the quickest state, too many to follow: a "
                      "shorter --time, or the steady state",
                      until, events);
    }
    is_fine = is_fine && run(&running, space, interval, points, curve, error);
    curve->error = running.error;
    curve->steps = running.steps;
    pepa_chain_free(&running.chain);
    free(running.now);
    free(running.next);
    free(running.sum);
    free(running.whole);
    return is_fine;
}
