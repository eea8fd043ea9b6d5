/* Views of predictions: the line after each probe, the answer, and predicted against measured.

   `assay predict` tells an estimate as soon as it has one, and a better one after each probe: a line each in
   text, an object on a line of its own each in json (a stream that a program reads as it comes). The history
   compares, for each inputs and number of processors, what was told with what the program then took. */
#ifndef SHOW_REPORT_PREDICT_PREDICT_VIEW_H
#define SHOW_REPORT_PREDICT_PREDICT_VIEW_H
#include "base/error.h"
#include "ledger/ledger.h"
#include "plan/predict/predict.h"
#include "show/report/common/style.h"

struct predict_subject {
    const char *name;  /* of the description */
    const char *label; /* the inputs as they were named */
    const char *host;
    unsigned processors;
};

struct predict_step {
    unsigned number, count;            /* this probe, of how many; number 0: before the first one */
    const struct predict_probe *probe; /* NULL: before the first one */
    const char *problem;               /* why the probe failed; NULL: it did not */
    struct predict_estimate estimate;  /* after it */
    double spent;                      /* seconds of probes until now, shrinking included */
};
/* A line, or a json object on a line; csv has no steps: nothing. */
void report_predict_step(const struct predict_subject *subject, const struct predict_step *step,
                         const struct report_style *style, FILE *out);

struct predict_answer {
    struct predict_estimate estimate;
    double spent;                     /* seconds of probes for this answer; cached ones cost nothing */
    double shrinking;                 /* part of it that went into making smaller inputs */
    unsigned cached;                  /* probes that were known already */
    unsigned failed;                  /* probes that failed */
    const char *stopped;              /* why not all probes were run (the budget, Ctrl-C); NULL: all were */
    const struct predict_step *steps; /* as they were told, for the table; may be NULL */
    unsigned step_count;
};
/* The answer in a sentence, then the table of its probes and of all models that were tried for it.  In json
   an object on a line, after those of the steps; in csv a row with its head. */
bool report_predict_answer(struct ledger *ledger, const struct predict_subject *subject,
                           const struct predict_answer *answer, const struct report_style *style, FILE *out,
                           struct error *error);

/* predictor: its name, or its file; NULL: all.  *count gets the number of predictions that can be compared.
 */
bool report_predict_history(struct ledger *ledger, const char *predictor, const struct report_style *style,
                            FILE *out, size_t *count, struct error *error);
/* Predicted against measured on logarithmic axes: SVG. */
bool report_predict_plot(struct ledger *ledger, const char *predictor, FILE *out, struct error *error);
#endif
