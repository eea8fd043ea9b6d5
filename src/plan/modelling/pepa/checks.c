/* What is allowed, and hardly meant: warnings about a structure.  And which actions a part of it shows. */
#include "plan/modelling/pepa/local.h"

#include <stdlib.h>
#include <string.h>

/* Marks the actions that others can see a node do. */
void pepa_mark_visible(const struct pepa_structure *structure, uint32_t index, uint8_t *is_seen)
{
    const struct pepa_node *node = ARRAY_AT(struct pepa_node, &structure->nodes, index);
    if (node->kind == pepa_COOPERATION) {
        pepa_mark_visible(structure, node->left, is_seen);
        pepa_mark_visible(structure, node->right, is_seen);
    } else if (node->kind == pepa_HIDING) {
        uint8_t *inner = memory_get(structure->model->actions.count);
        pepa_mark_visible(structure, node->left, inner);
        for (uint32_t i = 0; i < node->set_count; i++)
            inner[*ARRAY_AT(uint32_t, &structure->sets, node->set + i)] = 0;
        for (size_t i = 0; i < structure->model->actions.count; i++)
            is_seen[i] |= inner[i];
        free(inner);
    } else {
        const struct array *steps =
            &PEPA_AUTOMATON(structure, PEPA_GROUP(structure, node->group)->automaton)->steps;
        for (size_t i = 0; i < steps->count; i++) {
            pepa_label label = ARRAY_AT(struct pepa_step, steps, i)->label;
            if (!(label % 2) && label)
                is_seen[label / 2] = 1;
        }
    }
}

/* Actions of a set that only one side does can never happen, and those of none need not be there. */
static void check_sets(struct pepa_model *model, const struct pepa_structure *structure)
{
    size_t count = model->actions.count;
    struct pepa_place place = PEPA_TERM(model, model->system)->place;
    if ((double)count * (double)structure->nodes.count > 1e7)
        return;
    uint8_t *left = memory_get(count), *right = memory_get(count);
    for (size_t i = 0; i < structure->nodes.count; i++) {
        const struct pepa_node *node = ARRAY_AT(struct pepa_node, &structure->nodes, i);
        if (node->kind != pepa_COOPERATION)
            continue;
        memset(left, 0, count);
        memset(right, 0, count);
        pepa_mark_visible(structure, node->left, left);
        pepa_mark_visible(structure, node->right, right);
        for (uint32_t k = 0; k < node->set_count; k++) {
            uint32_t action = *ARRAY_AT(uint32_t, &structure->sets, node->set + k);
            const char *name = strings_text(&model->names, *ARRAY_AT(string_id, &model->actions, action));
            if (left[action] != right[action])
                pepa_warn(model, place, "only one side of a cooperation on %s does %s: it never happens",
                          name, name);
            else if (!left[action])
                pepa_warn(model, place, "a cooperation on %s, which neither side does", name);
        }
    }
    free(left);
    free(right);
}

static void check_loops(struct pepa_model *model, const struct pepa_structure *structure)
{
    uint8_t *is_shared = memory_get(model->actions.count);
    for (size_t i = 0; i < model->sets.count; i++)
        is_shared[*ARRAY_AT(uint32_t, &model->sets, i)] = 1;
    for (size_t i = 0; i < structure->automata.count; i++) {
        const struct pepa_automaton *automaton = PEPA_AUTOMATON(structure, i);
        for (uint32_t s = 0; s < automaton->states.count && !automaton->parts.count; s++) {
            const struct pepa_local_state *state = ARRAY_AT(struct pepa_local_state, &automaton->states, s);
            for (uint32_t k = 0; k < state->step_count; k++) {
                const struct pepa_step *step =
                    ARRAY_AT(struct pepa_step, &automaton->steps, state->first_step + k);
                if (step->target != s || is_shared[step->label / 2])
                    continue;
                char *label = pepa_label_text(model, step->label);
                pepa_warn(model, PEPA_TERM(model, model->system)->place,
                          "%s of %s leads back to it: it counts for throughput, and changes nothing", label,
                          state->name);
                free(label);
            }
        }
    }
    free(is_shared);
}

void pepa_check_structure(struct pepa_model *model, const struct pepa_structure *structure)
{
    check_sets(model, structure);
    check_loops(model, structure);
}
