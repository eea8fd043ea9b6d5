/* Least squares with a prior: ln seconds = constant + sum of coefficient × term, where each coefficient is
   drawn toward what was thought of it before, the stronger the fewer rows there are.

   Rows far off the others count less (Huber), so that one run on a busy machine or one probe that lies does
   not bend the fit. What each row would have been predicted to be without it is computed from the one fit,
   by the row's leverage, not by fitting again: 10,000 rows take no longer than a few passes over them. */
#ifndef PLAN_PREDICT_MODEL_FIT_H
#define PLAN_PREDICT_MODEL_FIT_H
#include <stdbool.h>
#include <stddef.h>

enum { MODEL_MOST_TERMS = 8 };

struct model_prior {
    double mean[MODEL_MOST_TERMS], sd[MODEL_MOST_TERMS];
    double constant, constant_sd; /* of the prediction where all terms have their means over the rows, less
                                     the sum of prior mean × such a mean */
    double noise, noise_weight;   /* sd of one row around the fit, and how many rows that thought is worth */
};

struct model_fit {
    unsigned terms;
    double constant, coefficient[MODEL_MOST_TERMS];
    double centre[MODEL_MOST_TERMS];
    double least[MODEL_MOST_TERMS], most[MODEL_MOST_TERMS]; /* of each term over the rows */
    double inverse[MODEL_MOST_TERMS + 1][MODEL_MOST_TERMS + 1];
    double noise; /* sd of a row around the fit */
    size_t rows;
};

/* terms[row * count_of_terms + i]; rows with a NaN among them are left out: `off` (predicted without the row,
   less the value) and `spread` (how much wider than noise that error should be) get NaN there. */
void model_fit(const double *terms, unsigned term_count, const double *values, size_t rows,
               const struct model_prior *prior, struct model_fit *fit, double *off, double *spread);
double model_fit_at(const struct model_fit *fit, const double *terms);
/* How much wider than noise the error at these terms should be: at least 1, more where few rows are near. */
double model_fit_spread(const struct model_fit *fit, const double *terms);
/* How far these terms are outside of what the rows had, as a share of the range that they had; 0: inside. */
double model_fit_beyond(const struct model_fit *fit, const double *terms);
#endif
