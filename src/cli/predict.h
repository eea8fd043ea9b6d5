/* What the files of assay predict share. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H
#include "cli/session.h"
#include "plan/predict/running.h"
#include "show/report/predict/predict_view.h"

enum { PREDICT_MOST_POINTS = 64 };

struct predict_work {
    struct session session;
    struct predict_description *description;
    struct ledger *ledger;
    struct predict_query *query;
    struct predict_subject subject;
    struct running running;
    unsigned processors;
    unsigned scaling[PREDICT_MOST_POINTS]; /* numbers of processors to measure with */
    size_t scaling_count;
    double budget, deadline; /* seconds; INFINITY: none */
    bool has_took;
    double took;
    unsigned done, to_do, cached, failed; /* probes */
    double spent;
    const char *stopped;
    struct predict_estimate estimate;
};

/* predict_options.c: what does not need the description, and what does. */
bool predict_take_options(struct predict_work *work, struct error *error);
bool predict_take_processors(struct predict_work *work, struct error *error);
command_function predict_static; /* --from */
/* predict_history.c: the exit code. */
int predict_history(struct predict_work *work, struct error *error);
#endif
