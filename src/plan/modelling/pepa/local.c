/* See local.h.  The states of a sequential component are its derivatives, which are terms: `(b, s).P` is a
   state without a name, and the same state wherever it is written.  A state's steps are those of its term: of
   a choice those of both sides, of a name those of its definition.  A name that comes back to itself before
   any activity is an error, and so is a cooperation after an activity: PEPA has none, because components
   could multiply. */
#include "plan/modelling/pepa/local.h"

#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4000, MOST_STEPS = 100000, MOST_LOCAL_STATES = 1000000 };

static uint64_t hash_of(const struct pepa_term *term, const uint32_t *canonical)
{
    uint64_t bits, hash = hash_mix(term->kind, term->name);
    memcpy(&bits, &term->rate.value, sizeof bits);
    hash = hash_mix(hash_mix(hash, bits), term->rate.is_passive);
    hash = hash_mix(hash, term->left == pepa_NONE ? pepa_NONE : canonical[term->left]);
    return hash_mix(hash, term->right == pepa_NONE ? pepa_NONE : canonical[term->right]);
}

static bool is_same(const struct pepa_term *one, const struct pepa_term *other, const uint32_t *canonical)
{
    return one->kind == other->kind && one->name == other->name && one->rate.value == other->rate.value &&
           one->rate.is_passive == other->rate.is_passive &&
           (one->left == pepa_NONE) == (other->left == pepa_NONE) &&
           (one->right == pepa_NONE) == (other->right == pepa_NONE) &&
           (one->left == pepa_NONE || canonical[one->left] == canonical[other->left]) &&
           (one->right == pepa_NONE || canonical[one->right] == canonical[other->right]);
}

/* The first term that is the same: this one, if it is new. */
static uint32_t first_same(struct hash_index *known, const struct pepa_model *model, uint32_t index,
                           const uint32_t *canonical)
{
    const struct pepa_term *term = PEPA_TERM(model, index);
    uint64_t hash = hash_of(term, canonical);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(known, hash, &slot)) != UINT32_MAX;)
        if (is_same(PEPA_TERM(model, place), term, canonical))
            return place;
    hash_index_add(known, hash, index);
    return index;
}

void pepa_locals_begin(struct pepa_locals *locals, struct pepa_model *model)
{
    size_t count = model->terms.count;
    struct hash_index known = {0};
    *locals = (struct pepa_locals){.model = model,
                                   .canonical = memory_get(count * sizeof(uint32_t)),
                                   .automata = memory_get(count * sizeof(uint32_t)),
                                   .is_open = memory_get(model->definitions.count + 1),
                                   .local_state = memory_get(count * sizeof(uint32_t))};
    for (size_t i = 0; i < count; i++) {
        unsigned kind = PEPA_TERM(model, i)->kind;
        bool is_sequential =
            kind == pepa_NAME || kind == pepa_STOP || kind == pepa_PREFIX || kind == pepa_CHOICE;
        locals->canonical[i] =
            is_sequential ? first_same(&known, model, (uint32_t)i, locals->canonical) : (uint32_t)i;
    }
    hash_index_free(&known);
}

void pepa_locals_end(struct pepa_locals *locals)
{
    free(locals->canonical);
    free(locals->automata);
    free(locals->is_open);
    free(locals->local_state);
}

static bool unguarded(const struct pepa_model *model, uint32_t definition, struct error *error)
{
    const struct pepa_definition *found = PEPA_DEFINITION(model, definition);
    return pepa_complain(model, found->place, error,
                         "%s is defined by itself with no activity before it: write (action, rate).%s",
                         strings_text(&model->names, found->name), strings_text(&model->names, found->name));
}

uint32_t pepa_resolve(const struct pepa_model *model, uint32_t term, struct error *error)
{
    for (size_t i = 0; i <= model->definitions.count; i++) {
        const struct pepa_term *at = PEPA_TERM(model, term);
        if (at->kind != pepa_NAME)
            return term;
        term = PEPA_DEFINITION(model, at->name)->term;
    }
    unguarded(model, PEPA_TERM(model, term)->name, error);
    return pepa_NONE;
}

struct following {
    struct pepa_locals *locals;
    struct pepa_automaton *automaton;
    struct array order; /* of uint32_t: the canonical term of each state */
    uint32_t first_step;
    unsigned depth;
    struct error *error;
};

static uint32_t state_of(struct following *following, uint32_t term)
{
    uint32_t canonical = following->locals->canonical[term],
             *known = &following->locals->local_state[canonical];
    if (!*known) {
        *(uint32_t *)array_add(&following->order) = canonical;
        array_add(&following->automaton->states);
        *known = (uint32_t)following->order.count;
    }
    return *known - 1;
}

/* Adds the steps of a term. */
static bool follow(struct following *following, uint32_t index)
{
    struct pepa_model *model = following->locals->model;
    const struct pepa_term *term = PEPA_TERM(model, index);
    if (following->automaton->steps.count - following->first_step > MOST_STEPS ||
        following->automaton->states.count > MOST_LOCAL_STATES)
        return pepa_complain(model, term->place, following->error,
                             "a component with more than %d activities at once, or %d states", MOST_STEPS,
                             MOST_LOCAL_STATES);
    if (following->depth > DEEPEST)
        return pepa_complain(model, term->place, following->error,
                             "more than %d names and choices within each other", DEEPEST);
    bool is_fine = true;
    following->depth++;
    switch (term->kind) {
    case pepa_STOP:
        break;
    case pepa_PREFIX: {
        struct pepa_step *step = array_add(&following->automaton->steps);
        *step = (struct pepa_step){.label = 2 * term->name, .rate = term->rate};
        step->target = state_of(following, term->left);
        break;
    }
    case pepa_CHOICE:
        is_fine = follow(following, term->left) && follow(following, term->right);
        break;
    case pepa_NAME: {
        uint8_t *is_open = &following->locals->is_open[term->name];
        is_fine = !*is_open || unguarded(model, term->name, following->error);
        if (is_fine) {
            *is_open = 1;
            is_fine = follow(following, PEPA_DEFINITION(model, term->name)->term);
            *is_open = 0;
        }
        break;
    }
    case pepa_COOPERATION:
    case pepa_HIDING:
    case pepa_REPLICAS:
        is_fine = pepa_complain(model, term->place, following->error,
                                "%s cannot stand after an activity or in a choice: only the system equation "
                                "puts components together",
                                term->kind == pepa_COOPERATION ? "a cooperation"
                                : term->kind == pepa_HIDING    ? "hiding"
                                                               : "replicas");
    }
    following->depth--;
    return is_fine;
}

static bool follow_all(struct following *following, uint32_t start)
{
    struct pepa_model *model = following->locals->model;
    state_of(following, start);
    for (uint32_t i = 0; i < following->order.count; i++) {
        uint32_t term = *ARRAY_AT(uint32_t, &following->order, i);
        following->first_step = (uint32_t)following->automaton->steps.count;
        if (!follow(following, term))
            return false;
        struct pepa_local_state *state = ARRAY_AT(struct pepa_local_state, &following->automaton->states, i);
        state->first_step = following->first_step;
        state->step_count = (uint32_t)following->automaton->steps.count - following->first_step;
        state->name = pepa_term_text(model, term, 60);
    }
    return true;
}

uint32_t pepa_local_automaton(struct pepa_locals *locals, struct pepa_structure *structure, uint32_t term,
                              struct error *error)
{
    uint32_t start = locals->canonical[term];
    if (locals->automata[start])
        return locals->automata[start] - 1;
    struct pepa_automaton automaton = {.states = ARRAY_OF(struct pepa_local_state),
                                       .steps = ARRAY_OF(struct pepa_step),
                                       .parts = ARRAY_OF(struct pepa_part)};
    struct following following = {locals, &automaton, ARRAY_OF(uint32_t), 0, 0, error};
    bool is_fine = follow_all(&following, term);
    for (size_t i = 0; i < following.order.count; i++)
        locals->local_state[*ARRAY_AT(uint32_t, &following.order, i)] = 0;
    array_free(&following.order);
    if (!is_fine) {
        pepa_automaton_free(&automaton);
        return pepa_NONE;
    }
    *(struct pepa_automaton *)array_add(&structure->automata) = automaton;
    locals->automata[start] = (uint32_t)structure->automata.count;
    return locals->automata[start] - 1;
}

void pepa_automaton_free(struct pepa_automaton *automaton)
{
    for (size_t i = 0; i < automaton->states.count; i++)
        free(ARRAY_AT(struct pepa_local_state, &automaton->states, i)->name);
    array_free(&automaton->states);
    array_free(&automaton->steps);
    array_free(&automaton->parts);
}
