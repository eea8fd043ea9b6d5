/* The system equation as a tree: groups of automata at its leaves, cooperations and hiding above them.

   Copies that cannot be told apart become one group with a count for each local state.  That is exact:
   whoever swaps two of them gets a state with the same behaviour (PEPA's strong equivalence), and the rates
   of swapped states add up.  Replicas P[n] are such copies, and so are equal parts of a chain P <L> Q <L> P
   with one set, because cooperation over one set does not care about order.  Replicas of something that is
   itself composed, (A <x> B)[n], are explored first and become an automaton like any other, with hidden steps
   and all; its parts say how many of which components are in which state there.

   With limits->is_expanded nothing is merged: the state space as the textbook has it. */
#include "plan/modelling/pepa/local.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 20000, DEEPEST = 3000, MOST_PART_STATES = 20000 };

struct builder {
    struct pepa_locals locals;
    struct pepa_structure *structure;
    struct pepa_limits limits;
    double copies; /* of what is being built: replicas around it */
    unsigned depth;
    struct error *error;
};

/* A part of a cooperation before it gets its node: a group where possible. */
struct operand {
    uint32_t term;
    uint32_t automaton; /* pepa_NONE: not a group */
    uint32_t count;
    uint32_t set, set_count; /* of the model */
};

static bool build(struct builder *builder, uint32_t term, uint32_t *node);

static struct pepa_model *model_of(const struct builder *builder)
{
    return builder->locals.model;
}

static bool is_sequential(const struct pepa_term *term)
{
    return term->kind == pepa_PREFIX || term->kind == pepa_CHOICE || term->kind == pepa_STOP;
}

static uint32_t copy_set(struct builder *builder, uint32_t set, uint32_t count)
{
    struct array *sets = &builder->structure->sets;
    uint32_t first = (uint32_t)sets->count;
    for (uint32_t i = 0; i < count; i++)
        *(uint32_t *)array_add(sets) = *ARRAY_AT(uint32_t, &model_of(builder)->sets, set + i);
    return first;
}

static bool is_same_set(const struct pepa_model *model, uint32_t set, uint32_t count, uint32_t other,
                        uint32_t other_count)
{
    if (count != other_count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = false;
        for (uint32_t k = 0; k < count; k++)
            is_there |=
                *ARRAY_AT(uint32_t, &model->sets, set + i) == *ARRAY_AT(uint32_t, &model->sets, other + k);
        if (!is_there)
            return false;
    }
    return true;
}

static bool add_node(struct builder *builder, struct pepa_node node, uint32_t *index)
{
    if (builder->structure->nodes.count >= MOST_NODES)
        return error_set(builder->error, model_of(builder)->path,
                         "the system equation has more than %d parts: write P[n] for equal ones", MOST_NODES);
    *index = (uint32_t)builder->structure->nodes.count;
    *(struct pepa_node *)array_add(&builder->structure->nodes) = node;
    return true;
}

/* What an operand is, if it can be a group.  false: an error. */
static bool look(struct builder *builder, uint32_t term, struct operand *operand)
{
    uint32_t resolved = pepa_resolve(model_of(builder), term, builder->error);
    *operand = (struct operand){.term = term, .automaton = pepa_NONE, .count = 1};
    if (resolved == pepa_NONE)
        return false;
    const struct pepa_term *found = PEPA_TERM(model_of(builder), resolved);
    if (is_sequential(found)) {
        operand->automaton = pepa_local_automaton(&builder->locals, builder->structure, term, builder->error);
        return operand->automaton != pepa_NONE;
    }
    if (found->kind != pepa_REPLICAS || builder->limits.is_expanded || found->is_all)
        return true;
    uint32_t inner = pepa_resolve(model_of(builder), found->left, builder->error);
    if (inner == pepa_NONE)
        return false;
    if (!is_sequential(PEPA_TERM(model_of(builder), inner)))
        return true;
    operand->term = found->left;
    operand->count = found->count;
    operand->set = found->set;
    operand->set_count = found->set_count;
    operand->automaton =
        pepa_local_automaton(&builder->locals, builder->structure, found->left, builder->error);
    return operand->automaton != pepa_NONE;
}

static bool add_group(struct builder *builder, const struct operand *operand, uint32_t *node)
{
    struct pepa_structure *structure = builder->structure;
    struct pepa_group *group = array_add(&structure->groups);
    *group = (struct pepa_group){.automaton = operand->automaton,
                                 .count = operand->count,
                                 .component = (uint32_t)structure->components.count,
                                 .set = copy_set(builder, operand->set, operand->set_count),
                                 .set_count = operand->set_count};
    struct pepa_component *component = array_add(&structure->components);
    char *name = pepa_term_text(model_of(builder), operand->term, 40);
    component->automaton = operand->automaton;
    component->count = operand->count * builder->copies;
    component->name =
        component->count > 1 ? memory_format("%s[%.0f]", name, component->count) : memory_format("%s", name);
    free(name);
    return add_node(
        builder, (struct pepa_node){.kind = pepa_NAME, .group = (uint32_t)structure->groups.count - 1}, node);
}

static bool can_merge(const struct builder *builder, const struct operand *one, const struct operand *other,
                      const struct pepa_term *cooperation)
{
    if (builder->limits.is_expanded || one->automaton == pepa_NONE || one->automaton != other->automaton ||
        (uint64_t)one->count + other->count > 1000000000u)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct operand *each = i ? other : one;
        if (each->count > 1 && !is_same_set(model_of(builder), each->set, each->set_count, cooperation->set,
                                            cooperation->set_count))
            return false;
    }
    return true;
}

/* The parts of a chain of cooperations over one set, from left to right, merged where they are equal. */
static bool gather(struct builder *builder, uint32_t index, struct array *operands)
{
    const struct pepa_term *top = PEPA_TERM(model_of(builder), index);
    struct array chain = ARRAY_OF(uint32_t);
    bool is_fine = true;
    while (PEPA_TERM(model_of(builder), index)->kind == pepa_COOPERATION &&
           !PEPA_TERM(model_of(builder), index)->is_all) {
        const struct pepa_term *term = PEPA_TERM(model_of(builder), index);
        if (!is_same_set(model_of(builder), top->set, top->set_count, term->set, term->set_count))
            break;
        *(uint32_t *)array_add(&chain) = term->right;
        index = term->left;
    }
    *(uint32_t *)array_add(&chain) = index;
    for (size_t i = chain.count; is_fine && i-- > 0;) {
        struct operand operand;
        is_fine = look(builder, *ARRAY_AT(uint32_t, &chain, i), &operand);
        bool is_merged = false;
        for (size_t k = 0; is_fine && !is_merged && k < operands->count; k++) {
            struct operand *earlier = ARRAY_AT(struct operand, operands, k);
            if (can_merge(builder, earlier, &operand, top)) {
                earlier->count += operand.count;
                earlier->set = top->set;
                earlier->set_count = top->set_count;
                is_merged = true;
            }
        }
        if (is_fine && !is_merged)
            *(struct operand *)array_add(operands) = operand;
    }
    array_free(&chain);
    return is_fine;
}

static bool build_operand(struct builder *builder, const struct operand *operand, uint32_t *node)
{
    return operand->automaton == pepa_NONE ? build(builder, operand->term, node)
                                           : add_group(builder, operand, node);
}

static bool build_chain(struct builder *builder, uint32_t index, uint32_t *node)
{
    struct array operands = ARRAY_OF(struct operand);
    bool is_fine = gather(builder, index, &operands);
    for (size_t i = 0; is_fine && i < operands.count; i++) {
        uint32_t right;
        is_fine = build_operand(builder, ARRAY_AT(struct operand, &operands, i), i ? &right : node);
        if (is_fine && i) {
            const struct pepa_term *term = PEPA_TERM(model_of(builder), index);
            is_fine = add_node(builder,
                               (struct pepa_node){.kind = pepa_COOPERATION,
                                                  .left = *node,
                                                  .right = right,
                                                  .set = copy_set(builder, term->set, term->set_count),
                                                  .set_count = term->set_count},
                               node);
        }
    }
    array_free(&operands);
    return is_fine;
}

/* <*>: all actions of both sides. */
static bool build_all(struct builder *builder, const struct pepa_term *term, uint32_t *node)
{
    struct pepa_structure *structure = builder->structure;
    struct pepa_node made = {.kind = pepa_COOPERATION};
    if (!build(builder, term->left, &made.left) || !build(builder, term->right, &made.right))
        return false;
    size_t count = structure->model->actions.count;
    uint8_t *left = memory_get(count), *right = memory_get(count);
    pepa_mark_visible(structure, made.left, left);
    pepa_mark_visible(structure, made.right, right);
    made.set = (uint32_t)structure->sets.count;
    for (size_t i = 1; i < count; i++)
        if (left[i] && right[i])
            *(uint32_t *)array_add(&structure->sets) = (uint32_t)i;
    made.set_count = (uint32_t)structure->sets.count - made.set;
    free(left);
    free(right);
    return add_node(builder, made, node);
}

/* One copy after the other. */
static bool build_copies(struct builder *builder, const struct pepa_term *term, uint32_t *node)
{
    uint32_t inner = term->left;
    struct operand single;
    for (uint32_t i = 0; i < term->count; i++) {
        uint32_t right;
        if (!look(builder, inner, &single) || !build_operand(builder, &single, i ? &right : node))
            return false;
        if (i && !add_node(builder,
                           (struct pepa_node){.kind = pepa_COOPERATION,
                                              .left = *node,
                                              .right = right,
                                              .set = copy_set(builder, term->set, term->set_count),
                                              .set_count = term->set_count},
                           node))
            return false;
    }
    return true;
}

/* A local state for each state of a part of the system that was explored alone. */
static void take_states(struct pepa_automaton *automaton, const struct pepa_space *space)
{
    const struct pepa_structure *structure = space->structure;
    int32_t *slots = memory_get((structure->slot_count + 1) * sizeof *slots);
    for (uint32_t i = 0; i < space->count; i++) {
        struct pepa_local_state *state = array_add(&automaton->states);
        state->name = pepa_state_text(space, i);
        state->first_step = (uint32_t)automaton->steps.count;
        for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++)
            *(struct pepa_step *)array_add(&automaton->steps) = (struct pepa_step){
                .label = space->labels[k],
                .target = space->targets[k],
                .rate = {space->rates[k] < 0 ? -space->rates[k] : space->rates[k], space->rates[k] < 0}};
        state->step_count = (uint32_t)automaton->steps.count - state->first_step;
        state->first_part = (uint32_t)automaton->parts.count;
        pepa_space_slots(space, i, slots);
        for (size_t g = 0; g < structure->groups.count; g++) {
            const struct pepa_group *group = PEPA_GROUP(structure, g);
            const struct pepa_automaton *inner = PEPA_AUTOMATON(structure, group->automaton);
            double *counts = memory_get(inner->states.count * sizeof *counts);
            pepa_group_counts(structure, group, slots, counts);
            for (uint32_t s = 0; s < inner->states.count; s++) {
                const struct pepa_local_state *local = ARRAY_AT(struct pepa_local_state, &inner->states, s);
                if (counts[s] && group->component != pepa_NONE)
                    *(struct pepa_part *)array_add(&automaton->parts) =
                        (struct pepa_part){group->component, s, counts[s]};
                for (uint32_t p = 0; counts[s] && group->component == pepa_NONE && p < local->part_count;
                     p++) {
                    struct pepa_part part = *ARRAY_AT(struct pepa_part, &inner->parts, local->first_part + p);
                    part.count *= counts[s];
                    *(struct pepa_part *)array_add(&automaton->parts) = part;
                }
            }
            free(counts);
        }
        state->part_count = (uint32_t)automaton->parts.count - state->first_part;
    }
    free(slots);
}

static void place_slots(struct pepa_structure *structure)
{
    structure->slot_count = 0;
    for (size_t i = 0; i < structure->groups.count; i++) {
        struct pepa_group *group = PEPA_GROUP(structure, i);
        group->slot = structure->slot_count;
        structure->slot_count +=
            group->count == 1 ? 1 : (uint32_t)PEPA_AUTOMATON(structure, group->automaton)->states.count;
    }
}

/* Replicas of a composed part: it is explored alone, and becomes an automaton. */
static bool build_composed(struct builder *builder, const struct pepa_term *term, uint32_t *node)
{
    struct pepa_structure *structure = builder->structure;
    struct array nodes = structure->nodes, groups = structure->groups;
    uint32_t root;
    structure->nodes = ARRAY_OF(struct pepa_node);
    structure->groups = ARRAY_OF(struct pepa_group);
    builder->copies *= term->count;
    bool is_fine = build(builder, term->left, &root);
    builder->copies /= term->count;
    struct pepa_automaton automaton = {.states = ARRAY_OF(struct pepa_local_state),
                                       .steps = ARRAY_OF(struct pepa_step),
                                       .parts = ARRAY_OF(struct pepa_part)};
    if (is_fine) {
        struct pepa_limits limits = builder->limits;
        limits.most_states = MOST_PART_STATES;
        place_slots(structure);
        struct pepa_space *space = pepa_explore_part(structure, &limits, builder->error);
        is_fine = space && (!limits.is_lumped || pepa_lump(space, structure, NULL, builder->error));
        if (is_fine)
            take_states(&automaton, space);
        pepa_space_free(space);
    }
    array_free(&structure->nodes);
    array_free(&structure->groups);
    structure->nodes = nodes;
    structure->groups = groups;
    *(struct pepa_automaton *)array_add(&structure->automata) = automaton;
    if (!is_fine)
        return false;
    *(struct pepa_group *)array_add(&structure->groups) =
        (struct pepa_group){.automaton = (uint32_t)structure->automata.count - 1,
                            .count = term->count,
                            .component = pepa_NONE,
                            .set = copy_set(builder, term->set, term->set_count),
                            .set_count = term->set_count};
    return add_node(
        builder, (struct pepa_node){.kind = pepa_NAME, .group = (uint32_t)structure->groups.count - 1}, node);
}

static bool build_hiding(struct builder *builder, const struct pepa_term *term, uint32_t *node)
{
    struct pepa_node made = {.kind = pepa_HIDING, .set_count = term->set_count};
    if (!build(builder, term->left, &made.left))
        return false;
    made.set = copy_set(builder, term->set, term->set_count);
    return add_node(builder, made, node);
}

static bool build(struct builder *builder, uint32_t index, uint32_t *node)
{
    struct operand operand;
    struct pepa_term term = *PEPA_TERM(model_of(builder), index);
    if (++builder->depth > DEEPEST)
        return pepa_complain(model_of(builder), term.place, builder->error,
                             "the system equation is more than %d parts deep", DEEPEST);
    bool is_fine = look(builder, index, &operand);
    if (!is_fine) {
    } else if (operand.automaton != pepa_NONE) {
        is_fine = add_group(builder, &operand, node);
    } else if (term.kind == pepa_NAME) {
        uint8_t *is_open = &builder->locals.is_open[term.name];
        is_fine = !*is_open ||
                  pepa_complain(model_of(builder), term.place, builder->error, "%s is a part of itself",
                                strings_text(&model_of(builder)->names,
                                             PEPA_DEFINITION(model_of(builder), term.name)->name));
        if (is_fine) {
            *is_open = 1;
            is_fine = build(builder, PEPA_DEFINITION(model_of(builder), term.name)->term, node);
            *is_open = 0;
        }
    } else if (term.kind == pepa_COOPERATION) {
        is_fine = term.is_all ? build_all(builder, &term, node) : build_chain(builder, index, node);
    } else if (term.kind == pepa_HIDING) {
        is_fine = build_hiding(builder, &term, node);
    } else if (term.is_all) {
        is_fine = pepa_complain(model_of(builder), term.place, builder->error,
                                "replicas need the names of the actions that they share");
    } else {
        is_fine = builder->limits.is_expanded || term.count == 1 ? build_copies(builder, &term, node)
                                                                 : build_composed(builder, &term, node);
    }
    builder->depth--;
    return is_fine;
}

struct pepa_structure *pepa_build(struct pepa_model *model, const struct pepa_limits *limits,
                                  struct error *error)
{
    struct pepa_structure *structure = memory_get(sizeof *structure);
    *structure = (struct pepa_structure){.model = model,
                                         .automata = ARRAY_OF(struct pepa_automaton),
                                         .components = ARRAY_OF(struct pepa_component),
                                         .groups = ARRAY_OF(struct pepa_group),
                                         .nodes = ARRAY_OF(struct pepa_node),
                                         .sets = ARRAY_OF(uint32_t)};
    struct builder builder = {.structure = structure, .limits = *limits, .copies = 1, .error = error};
    uint32_t root;
    pepa_locals_begin(&builder.locals, model);
    bool is_fine = build(&builder, model->system, &root);
    pepa_locals_end(&builder.locals);
    if (!is_fine) {
        pepa_structure_free(structure);
        return NULL;
    }
    place_slots(structure);
    pepa_check_structure(model, structure);
    return structure;
}

void pepa_structure_free(struct pepa_structure *structure)
{
    if (!structure)
        return;
    for (size_t i = 0; i < structure->automata.count; i++)
        pepa_automaton_free(PEPA_AUTOMATON(structure, i));
    for (size_t i = 0; i < structure->components.count; i++)
        free(PEPA_COMPONENT(structure, i)->name);
    array_free(&structure->automata);
    array_free(&structure->components);
    array_free(&structure->groups);
    array_free(&structure->nodes);
    array_free(&structure->sets);
    free(structure->lost);
    free(structure);
}
