/* Stationary probabilities of an irreducible chain.

   Small chains by elimination as Grassmann, Taksar and Heyman do it: no subtraction, so that even
   probabilities of 1e-200 are right to the last digits, however different the rates are.

   Large ones by Gauss-Seidel, with aggregation: where sweeps get slow, states are put into groups, the chain
   of the groups (with the present probabilities inside each) is solved, and its solution scales the groups.
   Groups are grouped again until they are few (Horton and Leutenegger's multi-level method).  Sweeps remove
   errors between neighbours, the coarse chains those between regions, which sweeps alone need thousands of
   rounds for. Neighbours by their strongest flow go together.

   The end: the change of a sweep, and what is still to come by the ratio of the last changes, are below 1e-12
   of the flow. */
#include "base/interrupt.h"
#include "base/progress.h"
#include "plan/modelling/pepa/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CYCLES = 20000, MOST_LEVELS = 40, SWEEPS = 2 };
static const double wanted = 1e-12;

void pepa_solve_direct(const struct pepa_chain *chain, double *probability)
{
    size_t n = chain->count;
    double *matrix = memory_get(n * n * sizeof *matrix), *out = memory_get(n * sizeof *out), total = 0;
    for (size_t j = 0; j < n; j++)
        for (uint64_t k = chain->rows[j]; k < chain->rows[j + 1]; k++)
            matrix[chain->sources[k] * n + j] += chain->rates[k];
    for (size_t m = n; m-- > 1;) {
        out[m] = 0;
        for (size_t j = 0; j < m; j++)
            out[m] += matrix[m * n + j];
        for (size_t i = 0; i < m; i++) {
            double share = matrix[i * n + m] / out[m];
            if (share != 0)
                for (size_t j = 0; j < m; j++)
                    matrix[i * n + j] += share * matrix[m * n + j];
        }
    }
    probability[0] = 1;
    for (size_t m = 1; m < n; m++) {
        double in = 0;
        for (size_t i = 0; i < m; i++)
            in += probability[i] * matrix[i * n + m];
        probability[m] = in / out[m];
        /* The first state may be rarer than any number can tell. */
        double scale = probability[m];
        for (size_t i = 0; scale > 1e100 && i <= m; i++)
            probability[i] /= scale;
    }
    for (size_t i = 0; i < n; i++)
        total += probability[i];
    for (size_t i = 0; i < n; i++)
        probability[i] /= total;
    free(matrix);
    free(out);
}

double pepa_solve_residual(const struct pepa_chain *chain, const double *probability)
{
    double off = 0, all = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        double in = 0, out = probability[i] * chain->out[i];
        for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++)
            in += probability[chain->sources[k]] * chain->rates[k];
        off += fabs(in - out);
        all += out;
    }
    return all > 0 ? off / all : 0;
}

/* The change, as a share of all flow. */
static double sweep(const struct pepa_chain *chain, double *probability)
{
    double change = 0, all = 0;
    for (uint32_t i = 0; i < chain->count; i++) {
        double in = 0;
        for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++)
            in += probability[chain->sources[k]] * chain->rates[k];
        change += fabs(in - probability[i] * chain->out[i]);
        all += in;
        probability[i] = in / chain->out[i];
    }
    return all > 0 ? change / all : 0;
}

static void normalise(double *probability, uint32_t count)
{
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += probability[i];
    for (uint32_t i = 0; i < count; i++)
        probability[i] /= total;
}

struct level {
    struct pepa_chain chain;
    uint32_t *group; /* of each state: its state one level up; NULL: the last level */
    uint32_t *slots; /* of each transition: its place among those of the coarser chain; pepa_NONE: within */
    double *probability; /* NULL at level 0: the caller's */
};

/* Pairs each state with the free neighbour that it exchanges most with; what is left joins a neighbour's
 * group. */
static uint32_t group_states(const struct pepa_chain *chain, const double *probability, uint32_t *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chain->count; i++)
        group[i] = pepa_NONE;
    for (uint32_t i = 0; i < chain->count; i++) {
        uint32_t best = pepa_NONE, any = pepa_NONE;
        double most = 0, most_any = 0;
        if (group[i] != pepa_NONE)
            continue;
        for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++) {
            double flow = probability[chain->sources[k]] * chain->rates[k];
            if (group[chain->sources[k]] == pepa_NONE && flow >= most) {
                most = flow;
                best = chain->sources[k];
            } else if (flow >= most_any) {
                most_any = flow;
                any = chain->sources[k];
            }
        }
        if (best != pepa_NONE) {
            group[i] = group[best] = count++;
        } else {
            group[i] = any != pepa_NONE && group[any] != pepa_NONE ? group[any] : count++;
        }
    }
    return count;
}

/* The coarser chain's shape; its rates are filled in each cycle. */
static void coarsen(struct level *fine, struct level *coarse, uint32_t count)
{
    const struct pepa_chain *chain = &fine->chain;
    struct pepa_chain *made = &coarse->chain;
    uint64_t total = chain->rows[chain->count];
    uint32_t *members = memory_get(((size_t)chain->count + 1) * sizeof *members),
             *starts = memory_get(((size_t)count + 2) * sizeof *starts);
    uint64_t *seen = memory_get(((size_t)count + 1) * sizeof *seen);
    *made = (struct pepa_chain){.count = count,
                                .rows = memory_get(((size_t)count + 1) * sizeof *made->rows),
                                .sources = memory_get((total + 1) * sizeof *made->sources),
                                .out = memory_get((size_t)count * sizeof *made->out)};
    fine->slots = memory_get((total + 1) * sizeof *fine->slots);
    for (uint32_t i = 0; i < chain->count; i++)
        starts[fine->group[i] + 2]++;
    for (uint32_t i = 0; i + 2 < count + 2; i++)
        starts[i + 2] += starts[i + 1];
    for (uint32_t i = 0; i < chain->count; i++)
        members[starts[fine->group[i] + 1]++] = i;
    uint64_t used = 0;
    for (uint32_t g = 0; g < count; g++) {
        made->rows[g] = used;
        for (uint32_t m = starts[g]; m < starts[g + 1]; m++)
            for (uint64_t k = chain->rows[members[m]]; k < chain->rows[members[m] + 1]; k++) {
                uint32_t source = fine->group[chain->sources[k]];
                if (source == g) {
                    fine->slots[k] = pepa_NONE;
                    continue;
                }
                if (seen[source] <= made->rows[g]) { /* places plus 1: not yet in this row */
                    made->sources[used] = source;
                    seen[source] = ++used;
                }
                fine->slots[k] = (uint32_t)(seen[source] - 1);
            }
    }
    made->rows[count] = used;
    made->rates = memory_get((used + 1) * sizeof *made->rates);
    coarse->probability = memory_get((size_t)count * sizeof *coarse->probability);
    free(members);
    free(starts);
    free(seen);
}

static void fill_coarse(const struct level *fine, struct level *coarse, const double *probability)
{
    const struct pepa_chain *chain = &fine->chain;
    struct pepa_chain *made = &coarse->chain;
    memset(made->rates, 0, made->rows[made->count] * sizeof *made->rates);
    memset(made->out, 0, made->count * sizeof *made->out);
    memset(coarse->probability, 0, made->count * sizeof *coarse->probability);
    for (uint32_t i = 0; i < chain->count; i++)
        coarse->probability[fine->group[i]] += probability[i];
    for (uint32_t i = 0; i < chain->count; i++)
        for (uint64_t k = chain->rows[i]; k < chain->rows[i + 1]; k++) {
            if (fine->slots[k] == pepa_NONE)
                continue;
            uint32_t source = fine->group[chain->sources[k]];
            double mass = coarse->probability[source];
            double rate = mass > 0 ? chain->rates[k] * (probability[chain->sources[k]] / mass) : 0;
            made->rates[fine->slots[k]] += rate;
            made->out[source] += rate;
        }
}

static bool is_sound(const struct pepa_chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (!(chain->out[i] > 0) || !isfinite(chain->out[i]))
            return false;
    return true;
}

static void cycle(struct level *levels, unsigned at, unsigned count, double *probability)
{
    struct level *fine = &levels[at];
    if (at + 1 == count) {
        if (fine->chain.count <= PEPA_DIRECT)
            pepa_solve_direct(&fine->chain, probability);
        else
            for (unsigned i = 0; i < 8 * SWEEPS; i++)
                sweep(&fine->chain, probability);
        return;
    }
    for (unsigned i = 0; i < SWEEPS; i++)
        sweep(&fine->chain, probability);
    struct level *coarse = &levels[at + 1];
    fill_coarse(fine, coarse, probability);
    if (is_sound(&coarse->chain)) {
        double *before = memory_get(coarse->chain.count * sizeof *before);
        memcpy(before, coarse->probability, coarse->chain.count * sizeof *before);
        cycle(levels, at + 1, count, coarse->probability);
        normalise(coarse->probability, coarse->chain.count);
        for (uint32_t i = 0; i < fine->chain.count; i++)
            if (before[fine->group[i]] > 0 && isfinite(coarse->probability[fine->group[i]]))
                probability[i] *= coarse->probability[fine->group[i]] / before[fine->group[i]];
        free(before);
    }
    for (unsigned i = 0; i < SWEEPS; i++)
        sweep(&fine->chain, probability);
}

static unsigned make_levels(const struct pepa_chain *chain, const double *probability, struct level *levels)
{
    unsigned count = 1;
    levels[0] = (struct level){.chain = *chain};
    while (count < MOST_LEVELS && levels[count - 1].chain.count > PEPA_DIRECT / 4) {
        struct level *fine = &levels[count - 1], *coarse = &levels[count];
        const double *weights = count == 1 ? probability : fine->probability;
        fine->group = memory_get(fine->chain.count * sizeof *fine->group);
        uint32_t groups = group_states(&fine->chain, weights, fine->group);
        if (groups > fine->chain.count / 10 * 9) {
            free(fine->group);
            fine->group = NULL;
            break;
        }
        *coarse = (struct level){0};
        coarsen(fine, coarse, groups);
        fill_coarse(fine, coarse, weights);
        count++;
    }
    return count;
}

static void free_levels(struct level *levels, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(levels[i].group);
        free(levels[i].slots);
        free(levels[i].probability);
        if (i)
            pepa_chain_free(&levels[i].chain);
    }
}

/* Whether what is still to come, by the ratio of the last two changes, is small. */
static bool is_done(double change, double before)
{
    double ratio = before > 0 ? change / before : 0;
    return change < 1e-15 || (ratio < 1 && change < wanted && change * ratio / (1 - ratio) < wanted);
}

bool pepa_solve_iterate(const struct pepa_chain *chain, double *probability, uint64_t *sweeps,
                        struct error *error)
{
    enum { FIRST = 30 };
    struct level levels[MOST_LEVELS];
    double before = INFINITY, change = INFINITY;
    unsigned count = 0;
    bool is_fine = true, done = false;
    for (uint32_t i = 0; i < chain->count; i++)
        probability[i] = 1.0 / chain->count;
    for (unsigned i = 0; !done && i < MOST_CYCLES; i++) {
        if (interrupt_came()) {
            is_fine = pepa_stopped(error);
            break;
        }
        if (i == FIRST)
            count = make_levels(chain, probability, levels);
        if (count > 1)
            cycle(levels, 0, count, probability);
        before = change;
        change = sweep(chain, probability);
        *sweeps += count > 1 ? 2 * SWEEPS + 1 : 1;
        normalise(probability, chain->count);
        done = i > 2 && is_done(change, before);
        progress_tell("sweeps over the chain", i, 0);
    }
    free_levels(levels, count);
    if (is_fine && !done)
        is_fine =
            error_set(error, NULL,
                      "the steady state was not found: after %llu sweeps they still change %.2g of the flow",
                      (unsigned long long)*sweeps, change);
    return is_fine;
}
