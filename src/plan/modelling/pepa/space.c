/* The state space: all states that the initial one leads to, in breadth-first order, and their transitions.

   A state is packed into as few words as its slots need, none across two words; a hash index finds it again.
   Transitions lie state by state in flat arrays: for each its target, its rate and its label; several ways of
   the same label to the same target are one transition with the sum of their rates. */
#include "base/hash_index.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "plan/modelling/pepa/derive.h"

#include <stdlib.h>
#include <string.h>

struct pepa_packing {
    uint8_t *bits, *shift;
    uint16_t *word;
};

struct exploring {
    struct pepa_space *space;
    struct pepa_deriving deriving;
    uint64_t most;
    struct hash_index known; /* states by what is packed */
    size_t capacity;
    struct array targets, rates, labels;
    int32_t *slots, *next;
    uint64_t *packed; /* of the state that is looked for */
    bool is_part;
    struct error *error;
};

static unsigned bits_for(uint64_t largest)
{
    unsigned bits = 1;
    while (largest >> bits)
        bits++;
    return bits;
}

static void plan_packing(struct pepa_space *space)
{
    const struct pepa_structure *structure = space->structure;
    struct pepa_packing *packing = memory_get(sizeof *packing);
    unsigned used = 0, slots = structure->slot_count;
    packing->bits = memory_get(slots + 1);
    packing->shift = memory_get(slots + 1);
    packing->word = memory_get((slots + 1) * sizeof *packing->word);
    space->words = 1;
    for (size_t i = 0; i < structure->groups.count; i++) {
        const struct pepa_group *group = PEPA_GROUP(structure, i);
        size_t states = PEPA_AUTOMATON(structure, group->automaton)->states.count;
        unsigned bits = bits_for(group->count == 1 ? states - 1 : group->count);
        for (size_t k = 0; k < (group->count == 1 ? 1 : states); k++) {
            if (used + bits > 64) {
                space->words++;
                used = 0;
            }
            packing->bits[group->slot + k] = (uint8_t)bits;
            packing->shift[group->slot + k] = (uint8_t)used;
            packing->word[group->slot + k] = (uint16_t)(space->words - 1);
            used += bits;
        }
    }
    space->packing = packing;
}

static void pack(const struct pepa_space *space, const int32_t *slots, uint64_t *packed)
{
    const struct pepa_packing *packing = space->packing;
    memset(packed, 0, space->words * sizeof *packed);
    for (unsigned i = 0; i < space->structure->slot_count; i++)
        packed[packing->word[i]] |= (uint64_t)(uint32_t)slots[i] << packing->shift[i];
}

void pepa_space_slots(const struct pepa_space *space, uint32_t state, int32_t *slots)
{
    const struct pepa_packing *packing = space->packing;
    const uint64_t *packed = space->packed + (size_t)state * space->words;
    for (unsigned i = 0; i < space->structure->slot_count; i++)
        slots[i] = (int32_t)(packed[packing->word[i]] >> packing->shift[i] &
                             (((uint64_t)1 << packing->bits[i]) - 1));
}

static uint64_t hash_state(const uint64_t *packed, unsigned words)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < words; i++)
        hash = hash_mix(hash, packed[i]);
    return hash;
}

/* The number of the state in exploring->packed, which is new perhaps. */
static uint32_t number_of(struct exploring *exploring)
{
    struct pepa_space *space = exploring->space;
    size_t size = space->words * sizeof(uint64_t);
    uint64_t hash = hash_state(exploring->packed, space->words);
    size_t slot = SIZE_MAX;
    for (uint32_t found; (found = hash_index_next(&exploring->known, hash, &slot)) != UINT32_MAX;)
        if (!memcmp(space->packed + (size_t)found * space->words, exploring->packed, size))
            return found;
    if (space->count == exploring->capacity) {
        space->packed =
            memory_grow(space->packed, exploring->capacity * size, exploring->capacity * 2 * size);
        space->rows = memory_grow(space->rows, (exploring->capacity + 1) * sizeof *space->rows,
                                  (exploring->capacity * 2 + 1) * sizeof *space->rows);
        exploring->capacity *= 2;
    }
    memcpy(space->packed + (size_t)space->count * space->words, exploring->packed, size);
    hash_index_add(&exploring->known, hash, space->count);
    return space->count++;
}

static bool incomplete(const struct exploring *exploring, const struct pepa_move *move)
{
    char *label = pepa_label_text(exploring->space->structure->model, move->label),
         *state = pepa_slots_text(exploring->space->structure, exploring->slots);
    error_set(exploring->error, exploring->space->structure->model->path,
              "the model is incomplete: %s is passive, and no component gives it a rate, in the state %.300s",
              label, state);
    free(label);
    free(state);
    return false;
}

static void add_transition(struct exploring *exploring, uint64_t first, uint32_t target,
                           const struct pepa_move *move)
{
    for (uint64_t i = first; i < exploring->targets.count; i++)
        if (*ARRAY_AT(uint32_t, &exploring->targets, i) == target &&
            *ARRAY_AT(pepa_label, &exploring->labels, i) == move->label &&
            (*ARRAY_AT(double, &exploring->rates, i) < 0) == (move->rate < 0)) {
            *ARRAY_AT(double, &exploring->rates, i) += move->rate;
            return;
        }
    *(uint32_t *)array_push(&exploring->targets) = target;
    *(double *)array_push(&exploring->rates) = move->rate;
    *(pepa_label *)array_push(&exploring->labels) = move->label;
}

static bool expand(struct exploring *exploring, uint32_t state)
{
    struct pepa_space *space = exploring->space;
    const struct pepa_deriving *deriving = &exploring->deriving;
    uint64_t first = exploring->targets.count;
    uint32_t at;
    pepa_space_slots(space, state, exploring->slots);
    space->rows[state] = first;
    if (!pepa_derive(&exploring->deriving, exploring->slots, &at, exploring->error))
        return false;
    for (; at != pepa_NONE; at = PEPA_MOVE(deriving, at)->next) {
        const struct pepa_move *move = PEPA_MOVE(deriving, at);
        if (move->rate < 0 && !exploring->is_part)
            return incomplete(exploring, move);
        memcpy(exploring->next, exploring->slots, space->structure->slot_count * sizeof *exploring->next);
        for (uint32_t i = 0; i < move->change_count; i++) {
            const struct pepa_change *change =
                ARRAY_AT(struct pepa_change, &deriving->changes, move->first_change + i);
            exploring->next[change->slot] += change->by;
        }
        pack(space, exploring->next, exploring->packed);
        uint32_t target = number_of(exploring);
        if (space->count > exploring->most)
            return error_set(
                exploring->error, space->structure->model->path,
                "the state space explodes: more than %llu states. %s", (unsigned long long)exploring->most,
                exploring->is_part
                    ? "This part of it is replicated, and has too many states of its own"
                    : "--fluid answers for large populations; --most-states N allows more, at about "
                      "100 to 300 bytes each");
        add_transition(exploring, first, target, move);
    }
    return true;
}

static bool explore_all(struct exploring *exploring)
{
    struct pepa_space *space = exploring->space;
    for (size_t i = 0; i < space->structure->groups.count; i++) {
        const struct pepa_group *group = PEPA_GROUP(space->structure, i);
        exploring->slots[group->slot] = group->count == 1 ? 0 : (int32_t)group->count;
    }
    pack(space, exploring->slots, exploring->packed);
    number_of(exploring);
    for (uint32_t i = 0; i < space->count; i++) {
        if (!(i % 4096)) {
            progress_tell("states", i, space->count);
            if (interrupt_came())
                return pepa_stopped(exploring->error);
        }
        if (!expand(exploring, i))
            return false;
    }
    space->rows[space->count] = exploring->targets.count;
    return true;
}

static struct pepa_space *explore(const struct pepa_structure *structure, const struct pepa_limits *limits,
                                  bool is_part, struct error *error)
{
    struct pepa_space *space = memory_get(sizeof *space);
    struct exploring exploring = {.space = space,
                                  .most = limits->most_states ? limits->most_states : PEPA_USUAL_STATES,
                                  .capacity = 256,
                                  .targets = ARRAY_OF(uint32_t),
                                  .rates = ARRAY_OF(double),
                                  .labels = ARRAY_OF(pepa_label),
                                  .is_part = is_part,
                                  .error = error};
    space->structure = structure;
    plan_packing(space);
    pepa_deriving_begin(&exploring.deriving, structure);
    space->packed = memory_get(exploring.capacity * space->words * sizeof(uint64_t));
    space->rows = memory_get((exploring.capacity + 1) * sizeof *space->rows);
    exploring.slots = memory_get((structure->slot_count + 1) * sizeof *exploring.slots);
    exploring.next = memory_get((structure->slot_count + 1) * sizeof *exploring.next);
    exploring.packed = memory_get(space->words * sizeof(uint64_t));
    bool is_fine = explore_all(&exploring);
    space->held[0] = exploring.targets;
    space->held[1] = exploring.rates;
    space->held[2] = exploring.labels;
    space->targets = exploring.targets.data;
    space->rates = exploring.rates.data;
    space->labels = exploring.labels.data;
    pepa_deriving_end(&exploring.deriving);
    hash_index_free(&exploring.known);
    free(exploring.slots);
    free(exploring.next);
    free(exploring.packed);
    if (is_fine)
        return space;
    pepa_space_free(space);
    return NULL;
}

struct pepa_space *pepa_explore(const struct pepa_structure *structure, const struct pepa_limits *limits,
                                struct error *error)
{
    return explore(structure, limits, false, error);
}

struct pepa_space *pepa_explore_part(const struct pepa_structure *structure, const struct pepa_limits *limits,
                                     struct error *error)
{
    return explore(structure, limits, true, error);
}

void pepa_space_free(struct pepa_space *space)
{
    if (!space)
        return;
    if (space->packing) {
        free(space->packing->bits);
        free(space->packing->shift);
        free(space->packing->word);
        free(space->packing);
    }
    free(space->packed);
    free(space->rows);
    for (unsigned i = 0; i < 3; i++)
        array_free(&space->held[i]);
    free(space);
}
