/* Whether two systems are strongly equivalent.  Both are put side by side as one system of transitions; they are equivalent if
   their initial states fall into one class.  Actions of both files are one if they have one name; all that is hidden is tau.

   If they are not, pairs of states that both systems reach by the same actions are looked through, nearest first, until one
   is found that does an action at another rate: that is the reason.  There is one: if no such pair were reached, all these
   states would be equivalent. */
#include "base/hash_index.h"
#include "plan/modelling/pepa/equivalence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 200000 };

struct both {
    const struct pepa_space *spaces[2];
    uint64_t *rows;
    uint32_t *targets;
    double *rates;
    pepa_label *labels;
    struct strings names; /* of actions of both; 0 is none of them */
};
struct pair {
    uint32_t one, other; /* states of both */
    uint32_t before;     /* the pair that led here; pepa_NONE: none */
    string_id label;     /* by doing this */
};

static const char *action_name(const struct pepa_space *space, pepa_label label)
{
    const struct pepa_model *model = space->structure->model;
    return strings_text(&model->names, *ARRAY_AT(string_id, &model->actions, label / 2));
}

static void put_beside(struct both *both)
{
    uint32_t counts[] = {both->spaces[0]->count, both->spaces[1]->count};
    uint64_t total = both->spaces[0]->rows[counts[0]] + both->spaces[1]->rows[counts[1]], at = 0;
    both->rows = memory_get(((size_t)counts[0] + counts[1] + 1) * sizeof *both->rows);
    both->targets = memory_get((total + 1) * sizeof *both->targets);
    both->rates = memory_get((total + 1) * sizeof *both->rates);
    both->labels = memory_get((total + 1) * sizeof *both->labels);
    string_id tau = strings_add(&both->names, "tau");
    for (unsigned s = 0; s < 2; s++) {
        const struct pepa_space *space = both->spaces[s];
        uint32_t base = s ? counts[0] : 0;
        size_t actions = space->structure->model->actions.count;
        pepa_label *labels = memory_get(2 * actions * sizeof *labels);
        for (pepa_label i = 0; i < 2 * actions; i++)
            labels[i] = i % 2 ? tau : strings_add(&both->names, action_name(space, i));
        for (uint32_t i = 0; i < space->count; i++) {
            both->rows[base + i] = at;
            for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++, at++) {
                both->targets[at] = base + space->targets[k];
                both->rates[at] = space->rates[k];
                both->labels[at] = labels[space->labels[k]];
            }
        }
        free(labels);
    }
    both->rows[counts[0] + counts[1]] = at;
}

static double rate_of(const struct both *both, uint32_t state, pepa_label label)
{
    double sum = 0;
    for (uint64_t k = both->rows[state]; k < both->rows[state + 1]; k++)
        sum += both->labels[k] == label ? both->rates[k] : 0;
    return sum;
}

static bool is_near(double one, double other)
{
    return fabs(one - other) <= 1e-9 * fmax(one, other);
}

/* An action that two states do at different rates; 0: none. */
static string_id differing(const struct both *both, const struct pair *pair)
{
    uint32_t states[] = {pair->one, pair->other};
    for (unsigned s = 0; s < 2; s++)
        for (uint64_t k = both->rows[states[s]]; k < both->rows[states[s] + 1]; k++)
            if (!is_near(rate_of(both, pair->one, both->labels[k]),
                         rate_of(both, pair->other, both->labels[k])))
                return both->labels[k];
    return 0;
}

static void tell(const struct both *both, const struct array *pairs, uint32_t found, string_id label,
                 struct pepa_difference *difference)
{
    const struct pair *pair = ARRAY_AT(struct pair, pairs, found);
    for (uint32_t at = found; ARRAY_AT(struct pair, pairs, at)->before != pepa_NONE;
         at = ARRAY_AT(struct pair, pairs, at)->before)
        *(char **)array_add(&difference->steps) =
            memory_format("%s", strings_text(&both->names, ARRAY_AT(struct pair, pairs, at)->label));
    for (size_t i = 0; i < difference->steps.count / 2; i++) { /* they were found from the end on */
        char **one = ARRAY_AT(char *, &difference->steps, i),
             **other = ARRAY_AT(char *, &difference->steps, difference->steps.count - 1 - i), *kept = *one;
        *one = *other;
        *other = kept;
    }
    difference->action = memory_format("%s", strings_text(&both->names, label));
    difference->rates[0] = rate_of(both, pair->one, label);
    difference->rates[1] = rate_of(both, pair->other, label);
    difference->states[0] = pepa_state_text(both->spaces[0], pair->one);
    difference->states[1] = pepa_state_text(both->spaces[1], pair->other - both->spaces[0]->count);
}

void pepa_difference_free(struct pepa_difference *difference)
{
    for (size_t i = 0; i < difference->steps.count; i++)
        free(*ARRAY_AT(char *, &difference->steps, i));
    array_free(&difference->steps);
    free(difference->action);
    free(difference->states[0]);
    free(difference->states[1]);
}

/* Breadth first over pairs of states that are not equivalent. */
static void explain(const struct both *both, const struct pepa_partition *partition,
                    struct pepa_difference *difference)
{
    struct array pairs = ARRAY_OF(struct pair);
    struct hash_index known = {0};
    *(struct pair *)array_push(&pairs) = (struct pair){0, both->spaces[0]->count, pepa_NONE, 0};
    hash_index_add(&known, hash_mix(0, both->spaces[0]->count), 0);
    for (uint32_t i = 0; !difference->action && i < pairs.count && pairs.count < MOST_PAIRS; i++) {
        struct pair pair = *ARRAY_AT(struct pair, &pairs, i);
        string_id label = differing(both, &pair);
        if (label)
            tell(both, &pairs, i, label, difference);
        for (uint64_t k = both->rows[pair.one]; !label && k < both->rows[pair.one + 1]; k++)
            for (uint64_t m = both->rows[pair.other];
                 m < both->rows[pair.other + 1] && pairs.count < MOST_PAIRS; m++) {
                uint32_t one = both->targets[k], other = both->targets[m], place;
                if (both->labels[k] != both->labels[m] || partition->of[one] == partition->of[other])
                    continue;
                uint64_t hash = hash_mix(one, other);
                size_t slot = SIZE_MAX;
                while ((place = hash_index_next(&known, hash, &slot)) != UINT32_MAX &&
                       (ARRAY_AT(struct pair, &pairs, place)->one != one ||
                        ARRAY_AT(struct pair, &pairs, place)->other != other))
                    ;
                if (place != UINT32_MAX)
                    continue;
                hash_index_add(&known, hash, (uint32_t)pairs.count);
                *(struct pair *)array_push(&pairs) = (struct pair){one, other, i, both->labels[k]};
            }
    }
    array_free(&pairs);
    hash_index_free(&known);
}

bool pepa_compare(const struct pepa_space *one, const struct pepa_space *other, bool *is_same,
                  struct pepa_difference *difference, struct error *error)
{
    struct both both = {.spaces = {one, other}};
    struct pepa_partition partition = {0};
    *difference = (struct pepa_difference){.steps = ARRAY_OF(char *)};
    if ((uint64_t)one->count + other->count >= pepa_NONE)
        return error_set(error, NULL, "these two models have too many states to be compared");
    put_beside(&both);
    struct pepa_transitions all = {one->count + other->count, both.rows, both.targets, both.rates,
                                   both.labels};
    bool is_fine = pepa_partition_find(&all, NULL, &partition, error);
    *is_same = is_fine && partition.of[0] == partition.of[one->count];
    if (is_fine && !*is_same)
        explain(&both, &partition, difference);
    pepa_partition_free(&partition);
    free(both.rows);
    free(both.targets);
    free(both.rates);
    free(both.labels);
    strings_free(&both.names);
    return is_fine;
}
