/* See chain.h. */
#include "plan/modelling/pepa/chain.h"

#include <stdlib.h>

void pepa_chain_make(struct pepa_chain *chain, const struct pepa_space *space, const uint32_t *number,
                     uint32_t count)
{
    *chain = (struct pepa_chain){.count = count,
                                 .rows = memory_get(((size_t)count + 2) * sizeof *chain->rows),
                                 .out = memory_get(((size_t)count + 1) * sizeof *chain->out)};
    uint64_t *next = chain->rows + 1; /* the usual shift by one while counting */
    for (uint32_t i = 0; i < space->count; i++)
        for (uint64_t k = space->rows[i]; number[i] != pepa_NONE && k < space->rows[i + 1]; k++)
            if (space->targets[k] != i && number[space->targets[k]] != pepa_NONE)
                next[number[space->targets[k]] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        next[i + 1] += next[i];
    uint64_t total = next[count];
    chain->sources = memory_get((total + 1) * sizeof *chain->sources);
    chain->rates = memory_get((total + 1) * sizeof *chain->rates);
    for (uint32_t i = 0; i < space->count; i++)
        for (uint64_t k = space->rows[i]; number[i] != pepa_NONE && k < space->rows[i + 1]; k++) {
            uint32_t target = space->targets[k];
            if (target == i)
                continue;
            chain->out[number[i]] += space->rates[k];
            if (number[target] == pepa_NONE)
                continue;
            uint64_t at = next[number[target]]++;
            chain->sources[at] = number[i];
            chain->rates[at] = space->rates[k];
        }
}

void pepa_chain_free(struct pepa_chain *chain)
{
    free(chain->rows);
    free(chain->sources);
    free(chain->rates);
    free(chain->out);
}

/* Tarjan's algorithm, without recursion: a state's visit goes on where it stopped. */
struct visit {
    uint32_t state;
    uint64_t next;
};

struct search {
    const struct pepa_space *space;
    uint32_t *order, *low; /* of each state: when it was found, plus 1; the earliest that it leads back to */
    uint32_t found;
    struct array path, open; /* of struct visit; of uint32_t */
    uint8_t *is_open;
    uint32_t *component;
    struct array leaves; /* of uint8_t, by component: it is left */
};

static void enter(struct search *search, uint32_t state)
{
    search->order[state] = search->low[state] = ++search->found;
    search->is_open[state] = 1;
    *(uint32_t *)array_push(&search->open) = state;
    *(struct visit *)array_push(&search->path) = (struct visit){state, search->space->rows[state]};
}

static void close_component(struct search *search, uint32_t state)
{
    uint32_t number = (uint32_t)search->leaves.count, member;
    array_add(&search->leaves);
    do {
        member = *ARRAY_AT(uint32_t, &search->open, --search->open.count);
        search->is_open[member] = 0;
        search->component[member] = number;
    } while (member != state);
}

static void walk(struct search *search)
{
    enter(search, 0);
    while (search->path.count) {
        struct visit *visit = ARRAY_AT(struct visit, &search->path, search->path.count - 1);
        uint32_t state = visit->state;
        if (visit->next < search->space->rows[state + 1]) {
            uint32_t target = search->space->targets[visit->next++];
            if (!search->order[target])
                enter(search, target);
            else if (search->is_open[target] && search->order[target] < search->low[state])
                search->low[state] = search->order[target];
            continue;
        }
        search->path.count--;
        if (search->low[state] == search->order[state])
            close_component(search, state);
        if (search->path.count) {
            uint32_t before = ARRAY_AT(struct visit, &search->path, search->path.count - 1)->state;
            if (search->low[state] < search->low[before])
                search->low[before] = search->low[state];
        }
    }
}

/* Components that no transition leaves, numbered in the order of their first states. */
static void take_bottoms(struct search *search, struct pepa_classes *classes)
{
    const struct pepa_space *space = search->space;
    size_t count = search->leaves.count;
    uint32_t *class_of = memory_get(count * sizeof *class_of);
    for (uint32_t i = 0; i < space->count; i++)
        for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++)
            if (search->component[space->targets[k]] != search->component[i])
                *ARRAY_AT(uint8_t, &search->leaves, search->component[i]) = 1;
    classes->of = memory_get(space->count * sizeof *classes->of);
    classes->first = memory_get(count * sizeof *classes->first);
    classes->size = memory_get(count * sizeof *classes->size);
    for (uint32_t i = 0; i < space->count; i++) {
        uint32_t component = search->component[i];
        classes->of[i] = pepa_NONE;
        if (*ARRAY_AT(uint8_t, &search->leaves, component)) {
            classes->transient++;
            continue;
        }
        if (!class_of[component]) {
            classes->first[classes->count] = i;
            class_of[component] = ++classes->count;
        }
        classes->of[i] = class_of[component] - 1;
        classes->size[classes->of[i]]++;
    }
    classes->probability = memory_get(classes->count * sizeof *classes->probability);
    free(class_of);
}

void pepa_classes_find(struct pepa_classes *classes, const struct pepa_space *space)
{
    struct search search = {.space = space,
                            .order = memory_get(space->count * sizeof(uint32_t)),
                            .low = memory_get(space->count * sizeof(uint32_t)),
                            .path = ARRAY_OF(struct visit),
                            .open = ARRAY_OF(uint32_t),
                            .is_open = memory_get(space->count),
                            .component = memory_get(space->count * sizeof(uint32_t)),
                            .leaves = ARRAY_OF(uint8_t)};
    *classes = (struct pepa_classes){0};
    walk(&search);
    take_bottoms(&search, classes);
    free(search.order);
    free(search.low);
    free(search.is_open);
    free(search.component);
    array_free(&search.path);
    array_free(&search.open);
    array_free(&search.leaves);
}
