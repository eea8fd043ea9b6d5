/* A run with probes: the plan goes to a file, the runtime is loaded into the program, the recordings stay. */
#ifndef RUN_PROBE_PROBE_H
#define RUN_PROBE_PROBE_H
#include "run/probe/plan/plan.h"
#include "run/launch/program.h"
#include "run/launch/run.h"

struct probe_request {
    const char *const *words;                  /* program and arguments, NULL after the last */
    const char *runtime;                       /* folder of the runtimes */
    bool is_diverted, is_silent, has_no_input; /* as in struct launch */
};

/* Whether probes can be put into a program at all; the error says why not, and what to do. */
bool probe_may_run(const struct launch_program *program, const char *word, struct error *error);
/* Runs it to its end.  paths (of char *, to be freed) gets the recordings, that of the program first.  The
   caller forgets the run in any case. */
bool probe_launch(const struct probe_request *probe, const struct probe_plan *plan,
                  const struct launch_program *program, struct launch_run *run, struct array *paths,
                  struct error *error);
#endif
