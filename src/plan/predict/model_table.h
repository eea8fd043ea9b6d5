/* The cases of a question as one table of plain numbers: a row for each set of inputs with a whole run, a
   column for each thing that may tell something about it.

   Cases with the same inputs become one row, so that leaving out a row leaves out all that is known of its
   inputs: of several runs and probes the geometric means count, and the last run is kept beside them to judge
   by, because a run to be predicted is a single one. A column is only there if the question has a value for
   it and at least one row has. */
#ifndef PLAN_PREDICT_MODEL_TABLE_H
#define PLAN_PREDICT_MODEL_TABLE_H
#include "base/memory.h"
#include "plan/predict/model.h"

enum model_column_kind {
    model_COLUMN_PAIR,
    model_COLUMN_IDENTITY,
    model_COLUMN_SCALED, /* the largest probe, scaled to the whole size by the usual exponent: for cases that
                            were probed at other factors than the question */
    model_COLUMN_SIZE,
    model_COLUMN_FEATURE
};

struct model_column {
    enum model_column_kind kind;
    double factor;    /* of a probe */
    unsigned feature; /* number of a feature */
    bool is_raw;      /* a feature that is not above zero everywhere: no logarithm is taken */
    double scale;     /* of a raw feature: its standard deviation over the rows */
    double question;  /* seconds, size or feature of the question */
    double *values;   /* the same of the rows; NaN: not known */
};

struct model_table {
    size_t count;         /* rows */
    double *seconds;      /* whole runs: geometric mean of those with the same inputs */
    double *latest;       /* the last of them */
    struct array columns; /* of model_column: pairs by falling factor, identities too, the others */
    double startup;       /* seconds that no probe of anybody was quicker than, but for a few; 0: no probes */
    double exponent;      /* time of a probe ~ factor^-exponent: what all probes say together */
    double exponent_sd;   /* how sure that is, for one more case and beyond the probed factors */
    double others_exponent, others_exponent_sd; /* the same without the question's own probes */
    bool has_others;                            /* false: nobody else's probes say it */
    double repeat_sd;      /* of ln seconds, of runs with the same inputs; NaN: there were none twice */
    struct array repeated; /* of double: seconds of earlier runs of the question's own inputs */
    unsigned probes;       /* usable ones of the question */
    bool is_telling;       /* its probes grow as its bytes do: false where they hardly grow, or much faster */
};

void model_table_make(const struct model_case *cases, size_t count, unsigned feature_count,
                      const struct model_case *question, struct model_table *table);
void model_table_free(struct model_table *table);
/* NULL: there is no such column. */
const struct model_column *model_table_find(const struct model_table *table, enum model_column_kind kind,
                                            double factor);
/* A time without the time to start: never below a twentieth of it. */
double model_without_startup(double seconds, double startup);
bool model_is_time(double seconds);
/* A possible time of a possible size, and no larger probe of the case was much quicker: this one was kept waiting by others. */
bool model_is_plausible(const struct model_case *a_case, const struct model_probe *probe);
/* Of ln seconds: its standard deviation. */
double model_probe_noise(const struct model_probe *probe);
/* Numbers are put in order; the value that this share of them is not above. */
double model_quantile(double *numbers, size_t count, double share);
#endif
