/* A Markov chain by its incoming transitions, and the ways to solve it: what steady.c puts together. */
#ifndef PLAN_MODELLING_PEPA_CHAIN_H
#define PLAN_MODELLING_PEPA_CHAIN_H
#include "plan/modelling/pepa/pepa.h"

/* The states of one class (or all), numbered from 0: for each the transitions that lead to it, without
   self-loops, and the sum of the rates that lead out. */
struct pepa_chain {
    uint32_t count;
    uint64_t *rows; /* count + 1 */
    uint32_t *sources;
    double *rates;
    double *out;
};
/* number: of each state of the space its number in the chain, or pepa_NONE. */
void pepa_chain_make(struct pepa_chain *chain, const struct pepa_space *space, const uint32_t *number,
                     uint32_t count);
void pepa_chain_free(struct pepa_chain *chain);

/* Bottom classes by Tarjan's algorithm. */
void pepa_classes_find(struct pepa_classes *classes, const struct pepa_space *space);

/* The stationary probabilities of an irreducible chain: directly, where it is small; else by iteration. */
enum { PEPA_DIRECT = 500 };
void pepa_solve_direct(const struct pepa_chain *chain, double *probability);
bool pepa_solve_iterate(const struct pepa_chain *chain, double *probability, uint64_t *sweeps,
                        struct error *error);
/* What flows in and out of states too much or too little, as a share of all flow. */
double pepa_solve_residual(const struct pepa_chain *chain, const double *probability);
#endif
