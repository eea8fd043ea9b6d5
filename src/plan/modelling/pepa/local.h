/* Sequential components as automata: what structure.c builds a system from. */
#ifndef PLAN_MODELLING_PEPA_LOCAL_H
#define PLAN_MODELLING_PEPA_LOCAL_H
#include "plan/modelling/pepa/pepa.h"

struct pepa_locals {
    struct pepa_model *model;
    uint32_t *canonical;   /* of each term: the first that is written the same */
    uint32_t *automata;    /* of each canonical term: the automaton that starts there, plus 1 */
    uint8_t *is_open;      /* of each definition: it is being followed */
    uint32_t *local_state; /* of each canonical term: its state in the automaton being made, plus 1 */
};
void pepa_locals_begin(struct pepa_locals *locals, struct pepa_model *model);
void pepa_locals_end(struct pepa_locals *locals);
/* The automaton that starts with a term, in structure->automata; pepa_NONE: an error. */
uint32_t pepa_local_automaton(struct pepa_locals *locals, struct pepa_structure *structure, uint32_t term,
                              struct error *error);
/* The term that a name stands for in the end; pepa_NONE: it stands for itself. */
uint32_t pepa_resolve(const struct pepa_model *model, uint32_t term, struct error *error);
/* checks.c: marks the actions that others can see a node do; and warns about what is hardly meant. */
void pepa_mark_visible(const struct pepa_structure *structure, uint32_t node, uint8_t *is_seen);
void pepa_check_structure(struct pepa_model *model, const struct pepa_structure *structure);
void pepa_automaton_free(struct pepa_automaton *automaton);
#endif
