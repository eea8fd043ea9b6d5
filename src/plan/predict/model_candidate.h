/* One fitted model among many: what it answers, and how far off it was for each row without that row.

   All kinds of models are candidates, and every candidate has a figure for every row, so that choosing
   among them is the same work for all. A row that a candidate can say nothing about (it lacks a probe) is
   answered by the mean of the others there. */
#ifndef PLAN_PREDICT_MODEL_CANDIDATE_H
#define PLAN_PREDICT_MODEL_CANDIDATE_H
#include "plan/predict/model_table.h"

struct model_candidate {
    enum model_kind kind;
    unsigned terms;  /* how complicated it is */
    double seconds;  /* its answer to the question */
    double spread;   /* how much wider than usual the interval there should be; 1: not at all */
    double beyond;   /* how far outside of the rows the question is, as a share of their range */
    double noise;    /* thought of its error before any row was seen, and how many rows that is worth */
    double *off;     /* ln predicted - ln measured by row, each predicted without it; NaN: it cannot */
    double *spreads; /* by row, as `spread` */
    double sum;      /* of what errors cost (model.c), the mean's where this one cannot */
    size_t rows;     /* that it was fitted to */
    bool is_barred;  /* the description asks for another kind */
    char *parameters;
};

/* Lists get candidates in the order of simplicity; each add_… function adds those of its kinds. */
struct model_candidate *model_candidate_add(struct array *candidates, const struct model_table *table,
                                            enum model_kind kind, unsigned terms);
void model_add_forms(const struct model_table *table, struct array *candidates); /* mean, power, features … */
void model_add_bands(const struct model_table *table, struct array *candidates);
void model_add_nearest(const struct model_table *table, struct array *candidates);
/* Fills `sum` of those from this one on: the first candidate of a list is the mean. */
void model_candidates_sum(const struct model_table *table, struct array *candidates, size_t first);
#endif
