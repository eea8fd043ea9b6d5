/* The long run, from the initial state.  A chain that returns to every state has one steady state.  One that
   does not ends in a class of states that it never leaves, and often there is one such class: the rest is a
   beginning that is over some day.  Where there are several, chance decides; each has its steady state, and
   the answer is their mean, weighted by the probabilities of ending there. */
#include "base/interrupt.h"
#include "plan/modelling/pepa/chain.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SWEEPS = 1000000 };

/* Expected visits of each transient state, by Gauss-Seidel: visits = start + visits * jumps. */
static bool visit(const struct pepa_chain *chain, double *visits, struct error *error)
{
    for (unsigned round = 0; round < MOST_SWEEPS; round++) {
        double change = 0, most = 0;
        if (interrupt_came())
            return pepa_stopped(error);
        for (uint32_t i = 0; i < chain->count; i++) {
            double in = i == 0;
            for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++)
                in += visits[chain->sources[k]] * chain->rates[k] / chain->out[chain->sources[k]];
            change = fmax(change, fabs(in - visits[i]));
            most = fmax(most, in);
            visits[i] = in;
        }
        if (change <= 1e-13 * most)
            return true;
    }
    return error_set(error, NULL, "the probabilities of the %s were not found", "classes that it can end in");
}

static bool weigh_classes(const struct pepa_space *space, struct pepa_classes *classes, struct error *error)
{
    if (classes->count == 1 || classes->of[0] != pepa_NONE) {
        classes->probability[classes->count == 1 ? 0 : classes->of[0]] = 1;
        return true;
    }
    uint32_t *number = memory_get(space->count * sizeof *number), count = 0;
    for (uint32_t i = 0; i < space->count; i++)
        number[i] = classes->of[i] == pepa_NONE ? count++ : pepa_NONE;
    struct pepa_chain chain;
    pepa_chain_make(&chain, space, number, count);
    double *visits = memory_get(count * sizeof *visits), total = 0;
    bool is_fine = visit(&chain, visits, error);
    for (uint32_t i = 0; is_fine && i < space->count; i++)
        for (uint64_t k = space->rows[i]; number[i] != pepa_NONE && k < space->rows[i + 1]; k++) {
            uint32_t class = classes->of[space->targets[k]];
            if (class != pepa_NONE)
                classes->probability[class] += visits[number[i]] * space->rates[k] / chain.out[number[i]];
        }
    for (uint32_t i = 0; i < classes->count; i++)
        total += classes->probability[i];
    for (uint32_t i = 0; is_fine && i < classes->count; i++)
        classes->probability[i] /= total;
    pepa_chain_free(&chain);
    free(visits);
    free(number);
    return is_fine;
}

static bool solve_class(const struct pepa_space *space, struct pepa_steady *steady, uint32_t class,
                        struct error *error)
{
    const struct pepa_classes *classes = &steady->classes;
    uint32_t *number = memory_get(space->count * sizeof *number), count = 0;
    for (uint32_t i = 0; i < space->count; i++)
        number[i] = classes->of[i] == class ? count++ : pepa_NONE;
    struct pepa_chain chain;
    pepa_chain_make(&chain, space, number, count);
    double *probability = memory_get(count * sizeof *probability);
    bool is_fine = true;
    if (count <= PEPA_DIRECT) {
        pepa_solve_direct(&chain, probability);
    } else {
        is_fine = pepa_solve_iterate(&chain, probability, &steady->sweeps, error);
        steady->method = "Gauss-Seidel with aggregation";
    }
    for (uint32_t i = 0; is_fine && i < count; i++)
        is_fine =
            isfinite(probability[i]) ||
            error_set(error, NULL, "the rates of this model are too far apart for the numbers of a computer");
    if (is_fine)
        steady->residual = fmax(steady->residual, pepa_solve_residual(&chain, probability));
    for (uint32_t i = 0; is_fine && i < space->count; i++)
        if (number[i] != pepa_NONE)
            steady->probability[i] = classes->probability[class] * probability[number[i]];
    pepa_chain_free(&chain);
    free(probability);
    free(number);
    return is_fine;
}

/* Classes of one state are many, at times: one pass for all of them. */
static void take_single(const struct pepa_space *space, struct pepa_steady *steady)
{
    for (uint32_t i = 0; i < space->count; i++) {
        uint32_t class = steady->classes.of[i];
        if (class != pepa_NONE && steady->classes.size[class] == 1)
            steady->probability[i] = steady->classes.probability[class];
    }
}

bool pepa_steady(const struct pepa_space *space, struct pepa_steady *steady, struct error *error)
{
    *steady = (struct pepa_steady){.method = "direct"};
    steady->probability = memory_get(space->count * sizeof *steady->probability);
    pepa_classes_find(&steady->classes, space);
    bool is_fine = weigh_classes(space, &steady->classes, error);
    if (is_fine)
        take_single(space, steady);
    for (uint32_t i = 0; is_fine && i < steady->classes.count; i++)
        if (steady->classes.size[i] > 1 && steady->classes.probability[i] > 0)
            is_fine = solve_class(space, steady, i, error);
    return is_fine;
}

void pepa_steady_free(struct pepa_steady *steady)
{
    free(steady->probability);
    free(steady->classes.of);
    free(steady->classes.first);
    free(steady->classes.size);
    free(steady->classes.probability);
}
