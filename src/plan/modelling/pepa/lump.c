/* A space becomes that of its classes of equivalent states: the first state of each stands for all.  Rates of actions, and where the
   chain goes, are those of the whole space.  How many components are where is not, unless all states of each class agree on it:
   what they do not agree on is marked as lost, and never told. */
#include "base/memory.h"
#include "plan/modelling/pepa/equivalence.h"
#include "plan/modelling/pepa/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void count_populations(const struct pepa_space *space, uint32_t state, int32_t *slots,
                              struct pepa_measures *measures)
{
    const struct pepa_structure *structure = space->structure;
    memset(measures->populations.data, 0, measures->populations.count * sizeof(double));
    pepa_space_slots(space, state, slots);
    for (size_t g = 0; g < structure->groups.count; g++) {
        const struct pepa_group *group = PEPA_GROUP(structure, g);
        uint32_t states = (uint32_t)PEPA_AUTOMATON(structure, group->automaton)->states.count;
        if (group->count == 1)
            pepa_measures_populate(structure, group, (uint32_t)slots[group->slot], 1, measures);
        for (uint32_t s = 0; group->count > 1 && s < states; s++)
            if (slots[group->slot + s])
                pepa_measures_populate(structure, group, s, slots[group->slot + s], measures);
    }
}

/* Marks what the states of a class do not agree on.  first: of each class its first state. */
static void find_lost(const struct pepa_space *space, const struct pepa_partition *partition,
                      const uint32_t *first, struct pepa_structure *structure)
{
    struct pepa_measures one = pepa_measures_new(structure), other = pepa_measures_new(structure);
    int32_t *slots = memory_get((structure->slot_count + 1) * sizeof *slots);
    size_t count = one.populations.count;
    structure->lost = memory_grow(structure->lost, structure->lost_count, count + 1);
    structure->lost_count = count;
    for (uint32_t i = 0; i < space->count; i++) {
        uint32_t stands = first[partition->of[i]];
        if (stands == i)
            continue;
        count_populations(space, i, slots, &one);
        count_populations(space, stands, slots, &other);
        for (size_t k = 0; k < count; k++)
            structure->lost[k] |=
                *ARRAY_AT(double, &one.populations, k) != *ARRAY_AT(double, &other.populations, k);
    }
    free(slots);
    pepa_measures_free(&one);
    pepa_measures_free(&other);
}

/* Adds the transitions of the state that stands for a class. */
static void add_class(const struct pepa_space *space, uint32_t state, const uint32_t *class_of,
                      struct array held[3])
{
    size_t begin = held[0].count;
    for (uint64_t k = space->rows[state]; k < space->rows[state + 1]; k++) {
        uint32_t target = class_of[space->targets[k]];
        size_t at = begin;
        while (at < held[0].count && (*ARRAY_AT(uint32_t, &held[0], at) != target ||
                                      *ARRAY_AT(pepa_label, &held[2], at) != space->labels[k] ||
                                      (*ARRAY_AT(double, &held[1], at) < 0) != (space->rates[k] < 0)))
            at++;
        if (at < held[0].count) {
            *ARRAY_AT(double, &held[1], at) += space->rates[k];
            continue;
        }
        *(uint32_t *)array_push(&held[0]) = target;
        *(double *)array_push(&held[1]) = space->rates[k];
        *(pepa_label *)array_push(&held[2]) = space->labels[k];
    }
}

static void replace(struct pepa_space *space, const struct pepa_partition *partition, const uint32_t *first)
{
    struct array held[3] = {ARRAY_OF(uint32_t), ARRAY_OF(double), ARRAY_OF(pepa_label)};
    uint64_t *rows = memory_get(((size_t)partition->count + 1) * sizeof *rows);
    size_t size = space->words * sizeof *space->packed;
    for (uint32_t c = 0; c < partition->count; c++) {
        rows[c] = held[0].count;
        add_class(space, first[c], partition->of, held);
    }
    for (uint32_t c = 0; c < partition->count;
         c++) /* first states come in order: nothing is overwritten too early */
        memmove(space->packed + (size_t)c * space->words, space->packed + (size_t)first[c] * space->words,
                size);
    rows[partition->count] = held[0].count;
    free(space->rows);
    space->rows = rows;
    for (unsigned i = 0; i < 3; i++) {
        array_free(&space->held[i]);
        space->held[i] = held[i];
    }
    space->targets = space->held[0].data;
    space->rates = space->held[1].data;
    space->labels = space->held[2].data;
    space->lumped = space->count;
    space->count = partition->count;
}

/* States that a passage begins or ends in stay apart from others. */
static bool colour(const struct pepa_space *space, const char *passage, uint32_t **colours,
                   struct error *error)
{
    struct pepa_end ends[2];
    *colours = NULL;
    if (!passage)
        return true;
    if (!pepa_ends_read(space, passage, ends, error))
        return false;
    *colours = memory_get(((size_t)space->count + 1) * sizeof **colours);
    for (unsigned e = 0; e < 2; e++)
        for (uint32_t i = 0; ends[e].is_in && i < space->count; i++)
            (*colours)[i] |= (uint32_t)(ends[e].is_in[i] != 0) << e;
    pepa_ends_free(ends);
    return true;
}

bool pepa_lump(struct pepa_space *space, struct pepa_structure *structure, const char *passage,
               struct error *error)
{
    struct pepa_partition partition = {0};
    uint32_t *colours;
    if (!colour(space, passage, &colours, error))
        return false;
    struct pepa_transitions all = {space->count, space->rows, space->targets, space->rates, space->labels};
    bool is_fine = pepa_partition_find(&all, colours, &partition, error);
    free(colours);
    if (is_fine) {
        uint32_t *first = memory_get(((size_t)partition.count + 1) * sizeof *first), met = 0;
        for (uint32_t i = 0; i < space->count; i++)
            if (partition.of[i] == met)
                first[met++] = i;
        find_lost(space, &partition, first, structure);
        replace(space, &partition, first);
        free(first);
    }
    pepa_partition_free(&partition);
    return is_fine;
}
