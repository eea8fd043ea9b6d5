/* From probabilities of states to what people ask for: how often each action happens, and how many components
   are in each local state, on average. */
#include "plan/modelling/pepa/pepa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pepa_measures pepa_measures_new(const struct pepa_structure *structure)
{
    struct pepa_measures measures = {
        .throughputs = ARRAY_OF(double), .populations = ARRAY_OF(double), .offsets = ARRAY_OF(uint32_t)};
    array_add_many(&measures.throughputs, 2 * structure->model->actions.count);
    for (size_t i = 0; i < structure->components.count; i++) {
        *(uint32_t *)array_add(&measures.offsets) = (uint32_t)measures.populations.count;
        array_add_many(&measures.populations,
                       PEPA_AUTOMATON(structure, PEPA_COMPONENT(structure, i)->automaton)->states.count);
    }
    return measures;
}

void pepa_measures_free(struct pepa_measures *measures)
{
    array_free(&measures->throughputs);
    array_free(&measures->populations);
    array_free(&measures->offsets);
}

void pepa_measures_populate(const struct pepa_structure *structure, const struct pepa_group *group,
                            uint32_t state, double count, struct pepa_measures *measures)
{
    if (group->component != pepa_NONE) {
        *pepa_population(measures, group->component, state) += count;
        return;
    }
    const struct pepa_automaton *automaton = PEPA_AUTOMATON(structure, group->automaton);
    const struct pepa_local_state *local = ARRAY_AT(struct pepa_local_state, &automaton->states, state);
    for (uint32_t i = 0; i < local->part_count; i++) {
        const struct pepa_part *part = ARRAY_AT(struct pepa_part, &automaton->parts, local->first_part + i);
        *pepa_population(measures, part->component, part->state) += count * part->count;
    }
}

void pepa_measure(const struct pepa_space *space, const double *probability, struct pepa_measures *measures)
{
    const struct pepa_structure *structure = space->structure;
    double *throughputs = measures->throughputs.data;
    int32_t *slots = memory_get((structure->slot_count + 1) * sizeof *slots);
    memset(throughputs, 0, measures->throughputs.count * sizeof *throughputs);
    memset(measures->populations.data, 0, measures->populations.count * sizeof(double));
    for (uint32_t i = 0; i < space->count; i++) {
        if (probability[i] == 0)
            continue;
        for (uint64_t k = space->rows[i]; k < space->rows[i + 1]; k++)
            throughputs[space->labels[k]] += probability[i] * space->rates[k];
        pepa_space_slots(space, i, slots);
        for (size_t g = 0; g < structure->groups.count; g++) {
            const struct pepa_group *group = PEPA_GROUP(structure, g);
            uint32_t states = (uint32_t)PEPA_AUTOMATON(structure, group->automaton)->states.count;
            if (group->count == 1)
                pepa_measures_populate(structure, group, (uint32_t)slots[group->slot], probability[i],
                                       measures);
            for (uint32_t s = 0; group->count > 1 && s < states; s++)
                if (slots[group->slot + s])
                    pepa_measures_populate(structure, group, s, probability[i] * slots[group->slot + s],
                                           measures);
        }
    }
    free(slots);
    for (size_t i = 0; i < structure->lost_count; i++)
        if (structure->lost[i])
            *ARRAY_AT(double, &measures->populations, i) = NAN;
}

void pepa_curve_free(struct pepa_curve *curve)
{
    for (size_t i = 0; i < curve->moments.count; i++)
        pepa_measures_free(ARRAY_AT(struct pepa_measures, &curve->moments, i));
    array_free(&curve->moments);
    array_free(&curve->times);
}
