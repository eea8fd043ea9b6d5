/* Runs the commands of a query here, one after the other, and takes their times.

   predict_run_begin makes a private folder; predict_run_shell runs a command in it, or in the current folder;
   predict_run_finish removes it. Ctrl-C (and SIGTERM, SIGHUP) during a command ends the command and is
   remembered: predict_run_was_interrupted. */
#ifndef PLAN_PREDICT_RUNNING_H
#define PLAN_PREDICT_RUNNING_H
#include "base/error.h"
#include "plan/predict/predict.h"
#include "run/launch/guard.h"

struct running {
    char *folder;
    struct guard guard;
};

enum running_end { running_DONE, running_FAILED, running_SIGNALLED, running_TOO_LONG, running_INTERRUPTED };

struct running_result {
    enum running_end end;
    int status; /* exit status, or the signal */
    double
        seconds; /* wall-clock time; processor time where one processor was asked for and was not to be had */
    double cpu_seconds;
    double wall_seconds;
    double spent_seconds; /* of all repetitions of a quick probe */
    char said[200];       /* the last line of standard error; empty: nothing */
};

bool predict_run_begin(struct running *running, struct error *error);
/* most: seconds until it is ended; INFINITY: none.  is_private: in the private folder, output is thrown away;
   else in the current one, with its output on standard error.  false: it could not be started. */
bool predict_run_shell(struct running *running, const char *command, bool is_private, unsigned processors,
                       double most, struct running_result *result, struct error *error);
bool predict_run_was_interrupted(void);
void predict_run_finish(struct running *running);

/* Shrinks and runs a probe, and notes it.  *problem: why it failed, in words; empty: it did not.  A probe
   that was stopped by `most` or by Ctrl-C is not noted: *is_stopped. */
bool predict_run_probe(struct running *running, struct predict_query *query, struct predict_probe *probe,
                       double most, char problem[300], bool *is_stopped, struct error *error);
/* Makes the smaller inputs of a probe and notes how many bytes they have, but does not run it.  If that fails, the probes
   will say why. */
bool predict_run_trial(struct running *running, struct predict_query *query,
                       const struct predict_probe *probe, double most, struct error *error);
#endif
