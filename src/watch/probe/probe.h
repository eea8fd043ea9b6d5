/* A run with probes: the plan goes to a file, the runtime is loaded into the program, the recordings stay. */
#ifndef WATCH_PROBE_H
#define WATCH_PROBE_H
#include "watch/probe/plan.h"
#include "watch/program.h"
#include "watch/run.h"

struct watch_probe {
    const char *const *words;                  /* program and arguments, NULL after the last */
    const char *runtime;                       /* folder of the runtimes */
    bool is_diverted, is_silent, has_no_input; /* as in struct watch_launch */
};

/* Whether probes can be put into a program at all; the error says why not, and what to do. */
bool watch_probe_may(const struct watch_program *program, const char *word, struct error *error);
/* Runs it to its end.  paths (of char *, to be freed) gets the recordings, that of the program first.  The
   caller forgets the run in any case. */
bool watch_probe_run(const struct watch_probe *probe, const struct watch_plan *plan,
                     const struct watch_program *program, struct watch_run *run, struct array *paths,
                     struct error *error);
#endif
