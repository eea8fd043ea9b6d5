/* See sets.h.  Conditions are about local states, summed over all components that have one of this name:

       Server_broken                      at least one is there
       Client_wait>=3 & Server==0         and
       Failed_a | Failed_b                or, which binds less

   A name that is an action and no local state is the action. */
#include "base/nearest.h"
#include "plan/modelling/pepa/sets.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct test {
    char sign; /* '>' at least, '<' at most, '=' , '!' */
    double number;
};

static char *trimmed(const char *text, size_t length)
{
    while (length && isspace((unsigned char)*text)) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return memory_copy_text(text, length);
}

static bool has_local_state(const struct pepa_structure *structure, const char *name)
{
    for (size_t i = 0; i < structure->components.count; i++) {
        const struct array *states =
            &PEPA_AUTOMATON(structure, PEPA_COMPONENT(structure, i)->automaton)->states;
        for (size_t k = 0; k < states->count; k++)
            if (!strcmp(ARRAY_AT(struct pepa_local_state, states, k)->name, name))
                return true;
    }
    return false;
}

static bool unknown(const struct pepa_structure *structure, const char *name, struct error *error)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < structure->components.count; i++) {
        const struct array *states =
            &PEPA_AUTOMATON(structure, PEPA_COMPONENT(structure, i)->automaton)->states;
        for (size_t k = 0; k < states->count; k++)
            nearest_offer(&nearest, ARRAY_AT(struct pepa_local_state, states, k)->name);
    }
    for (size_t i = 0; i < structure->model->actions.count; i++)
        nearest_offer(&nearest, strings_text(&structure->model->names,
                                             *ARRAY_AT(string_id, &structure->model->actions, i)));
    error_set(error, NULL, "--passage: %s is neither a local state nor an action of %s%s%s", name,
              structure->model->path, nearest.best ? "; did you mean " : "",
              nearest.best ? nearest.best : "");
    free(nearest.best);
    return false;
}

static bool read_test(const struct pepa_structure *structure, const char **at, struct test *test, char **name,
                      struct error *error)
{
    *at += strspn(*at, " \t");
    size_t length = strcspn(*at, "<>=!&|");
    *name = trimmed(*at, length);
    *at += length;
    if (!has_local_state(structure, *name))
        return unknown(structure, *name, error);
    *test = (struct test){.sign = '>', .number = 1};
    if (!**at || **at == '&' || **at == '|')
        return true;
    char sign = **at, *end;
    bool has_equal = (*at)[1] == '=';
    *at += 1 + has_equal;
    test->number = strtod(*at, &end);
    if (end == *at || (sign == '!' && !has_equal))
        return error_set(error, NULL, "--passage: expected >=, <=, >, <, == or != and a number after %s",
                         *name);
    test->sign = sign;
    test->number += sign == '>' && !has_equal ? 1 : sign == '<' && !has_equal ? -1 : 0;
    *at = end + strspn(end, " \t");
    return !**at || **at == '&' || **at == '|' ||
           error_set(error, NULL, "--passage: expected & or | after the condition on %s", *name);
}

static bool holds(const struct test *test, double count)
{
    switch (test->sign) {
    case '>':
        return count >= test->number - 1e-9;
    case '<':
        return count <= test->number + 1e-9;
    case '=':
        return fabs(count - test->number) < 1e-9;
    default:
        return fabs(count - test->number) >= 1e-9;
    }
}

/* How many copies are in local states of this name, for each state of the space. */
static void count_states(const struct pepa_space *space, const char *name, double *counts)
{
    const struct pepa_structure *structure = space->structure;
    struct pepa_measures measures = pepa_measures_new(structure);
    int32_t *slots = memory_get((structure->slot_count + 1) * sizeof *slots);
    /* What one copy in a local state of a group counts for this name, group by group and state by state. */
    struct array values = ARRAY_OF(double);
    uint32_t *firsts = memory_get((structure->groups.count + 1) * sizeof *firsts);
    for (size_t g = 0; g < structure->groups.count; g++) {
        const struct pepa_group *group = PEPA_GROUP(structure, g);
        firsts[g] = (uint32_t)values.count;
        for (uint32_t s = 0; s < PEPA_AUTOMATON(structure, group->automaton)->states.count; s++) {
            double value = 0;
            memset(measures.populations.data, 0, measures.populations.count * sizeof(double));
            pepa_measures_populate(structure, group, s, 1, &measures);
            for (uint32_t c = 0; c < structure->components.count; c++) {
                const struct array *states =
                    &PEPA_AUTOMATON(structure, PEPA_COMPONENT(structure, c)->automaton)->states;
                for (uint32_t k = 0; k < states->count; k++)
                    if (!strcmp(ARRAY_AT(struct pepa_local_state, states, k)->name, name))
                        value += *pepa_population(&measures, c, k);
            }
            *(double *)array_add(&values) = value;
        }
    }
    for (uint32_t i = 0; i < space->count; i++) {
        pepa_space_slots(space, i, slots);
        counts[i] = 0;
        for (size_t g = 0; g < structure->groups.count; g++) {
            const struct pepa_group *group = PEPA_GROUP(structure, g);
            const double *value = ARRAY_AT(double, &values, firsts[g]);
            uint32_t states = (uint32_t)PEPA_AUTOMATON(structure, group->automaton)->states.count;
            if (group->count == 1)
                counts[i] += value[slots[group->slot]];
            for (uint32_t s = 0; group->count > 1 && s < states; s++)
                counts[i] += value[s] * slots[group->slot + s];
        }
    }
    array_free(&values);
    free(firsts);
    free(slots);
    pepa_measures_free(&measures);
}

static bool read_condition(const struct pepa_space *space, const char *words, struct pepa_end *end,
                           struct error *error)
{
    double *counts = memory_get(space->count * sizeof *counts);
    uint8_t *part = memory_get(space->count);
    bool is_fine = true, begins = true;
    end->is_in = memory_get(space->count);
    for (const char *at = words; is_fine; at++) {
        struct test test;
        char *name;
        is_fine = read_test(space->structure, &at, &test, &name, error);
        if (is_fine)
            count_states(space, name, counts);
        for (uint32_t i = 0; is_fine && i < space->count; i++)
            part[i] = (begins || part[i]) && holds(&test, counts[i]);
        begins = *at != '&';
        for (uint32_t i = 0; is_fine && begins && i < space->count; i++)
            end->is_in[i] |= part[i];
        free(name);
        if (!*at)
            break;
    }
    for (uint32_t i = 0; i < space->count; i++)
        end->count += end->is_in[i];
    free(counts);
    free(part);
    return is_fine && (end->count || error_set(error, NULL, "--passage: no state has %s", words));
}

static bool read_end(const struct pepa_space *space, char *words, struct pepa_end *end, struct error *error)
{
    const struct pepa_model *model = space->structure->model;
    if (!*words) {
        end->kind = end_INITIAL;
        return true;
    }
    string_id name = strings_find(&model->names, words);
    uint32_t action = name ? pepa_find(model, pepa_ACTIONS, name) : pepa_NONE;
    if (action != pepa_NONE && !has_local_state(space->structure, words)) {
        *end = (struct pepa_end){.kind = end_ACTION, .action = action};
        return true;
    }
    end->kind = end_STATES;
    return read_condition(space, words, end, error);
}

bool pepa_ends_read(const struct pepa_space *space, const char *words, struct pepa_end ends[2],
                    struct error *error)
{
    const char *arrow = strstr(words, "->");
    memset(ends, 0, 2 * sizeof *ends);
    if (!arrow)
        return error_set(error, NULL, "--passage takes 'FROM -> TO', such as 'request -> response', not '%s'",
                         words);
    char *sides[] = {trimmed(words, (size_t)(arrow - words)), trimmed(arrow + 2, strlen(arrow + 2))};
    bool is_fine = *sides[1] || error_set(error, NULL, "--passage: after -> must stand where it ends");
    for (unsigned i = 0; is_fine && i < 2; i++)
        is_fine = read_end(space, sides[i], &ends[i], error);
    free(sides[0]);
    free(sides[1]);
    if (!is_fine)
        pepa_ends_free(ends);
    return is_fine;
}

void pepa_ends_free(struct pepa_end ends[2])
{
    free(ends[0].is_in);
    free(ends[1].is_in);
    ends[0].is_in = ends[1].is_in = NULL;
}
