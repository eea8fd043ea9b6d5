/* Predictions that can be compared with what the program took: one for each run of the whole size, the last
   that was told before it. A run of inputs that had been run before says nothing about predicting, and is
   left out. */
#ifndef SHOW_REPORT_PREDICT_HISTORY_H
#define SHOW_REPORT_PREDICT_HISTORY_H
#include "show/report/predict/predict_view.h"

struct told {
    char *predictor, *label, *host, *model; /* model NULL: none */
    int64_t processors, probes;
    double predicted, lower, upper, measured; /* lower and upper NaN: none */
    double probe_seconds, made;
    bool is_held;   /* the interval */
    unsigned group; /* of the predictor, in the order of names */
};

struct told_summary {
    size_t count, held, with_interval;
    double mean, worst; /* |predicted / measured - 1| */
    double probes;      /* share of the measured time that probes took */
};

/* An array of struct told, in the order of the runs; freed by told_free. */
bool told_load(struct ledger *ledger, const char *predictor, struct array *told, struct error *error);
void told_free(struct array *told);
struct told_summary told_summarise(const struct array *told);
/* The summary in sentences; to be freed. */
char *told_summary_words(const struct told_summary *summary);
#endif
