/* The scheduler: packs what is to be done, starts what comes first, watches it, and packs again.

   Its whole state is rows of the ledger. schedule_run ends when nothing is left that can be done, or when it
   is told to stop; jobs that run by then go on, and the next schedule_run takes care of them. */
#ifndef PLAN_SCHEDULE_SCHEDULE_H
#define PLAN_SCHEDULE_SCHEDULE_H
#include "ledger/ledger.h"
#include "plan/schedule/engine.h"
#include "plan/schedule/workflow.h"

#include <signal.h>

struct schedule_options {
    struct ledger *ledger;
    const struct engine_kind *engine;
    struct engine_settings settings;
    bool is_staying;     /* waits for more work instead of ending */
    const char *machine; /* name of this computer's machine file; NULL: there is none */
    double pack_seconds; /* at most, after each change; NaN: usual */
    unsigned threads;    /* of the packer; 0: as it likes */
    const volatile sig_atomic_t *stop;
    void (*tell)(void *context, double time, const char *kind, const char *text);
    void *context;
};

enum schedule_end {
    schedule_DONE,    /* all of it */
    schedule_TROUBLE, /* some tasks failed, or can never be started: the ledger says why */
    schedule_STOPPED, /* told to */
    schedule_ERROR
};
enum schedule_end schedule_run(const struct schedule_options *options, struct error *error);

/* Where a task would run. */
struct schedule_placed {
    char *name, *hosts, *estimate_from;
    unsigned processors;
    double begins, ends, deadline; /* deadline NaN: none of its own */
    double likely;                 /* its end if things go well: three of four times it is later */
};
struct schedule_what_if {
    double now, ends, likely, latest, others_end, others_end_with, deadline;
    unsigned late_before, late_with;
    double others, share; /* processes of others on this computer, and the speed they leave; NaN: not asked */
    double wait, wait_upper; /* forecast: from asking for a job to its beginning; NaN: not known */
    struct array tasks;      /* of schedule_placed, in order of their beginnings */
};
/* Packs for these seconds without the workflow, and for as long with it.  Nothing is started or stored. */
bool schedule_what_if(const struct schedule_options *options, const struct workflow *workflow, double seconds,
                      struct schedule_what_if *result, struct error *error);
void schedule_what_if_free(struct schedule_what_if *result);
#endif
