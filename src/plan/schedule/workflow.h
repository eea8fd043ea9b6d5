/* A workflow: tasks with their dependences, as a file states them (docs/schedule.md has the format), checked
   and turned into rows.

       name = study             deadline = 2h
       [task align]
       command = mrregister a.mif b.mif -nl_warp warp.mif
       predictor = register source=a.mif target=b.mif
       processors = 1..4        outputs = warp.mif 20M
       [task apply]
       command = mrtransform a.mif -warp warp.mif out.mif
       inputs = warp.mif        seconds = 30

   A task that reads a file which another one writes waits for it, as if `after` named it. Everything that can
   be wrong without knowing the hosts is found here: cycles, unknown tasks, files that are missing and that no
   task writes. */
#ifndef PLAN_SCHEDULE_WORKFLOW_H
#define PLAN_SCHEDULE_WORKFLOW_H
#include "base/settings.h"
#include "ledger/ledger.h"

struct workflow_need {
    const char *name;              /* as in the file */
    const struct setting *setting; /* where */
    size_t task;                   /* of this workflow; SIZE_MAX: of another one */
    double bytes;
};

struct workflow_file {
    const char *path; /* absolute */
    double bytes;     /* NaN: not known */
    bool is_output;
    const struct setting *setting;
};

struct workflow_task {
    const char *name, *command, *hosts, *predictor, *inputs, *scaling; /* NULL: none */
    unsigned line, least, most, tries;
    bool spans;
    double memory, deadline, seconds, simulated; /* NaN: none */
    struct array needs;                          /* of workflow_need */
    struct array files;                          /* of workflow_file */
};

struct workflow {
    struct settings settings;
    const char *name, *user;
    char *path, *folder; /* absolute */
    double share;        /* NaN: not said */
    double deadline;     /* seconds since 1970; NaN: none */
    bool is_speculative;
    struct array tasks; /* of workflow_task */
};

extern const struct settings_key workflow_keys[];

/* now: seconds since 1970, from which deadlines count. */
bool workflow_read(struct workflow *workflow, const char *path, double now, struct error *error);
void workflow_free(struct workflow *workflow);
/* Rows of it, within a transaction of the caller: who fails halfway is undone. *id is its row. */
bool workflow_add(const struct workflow *workflow, struct ledger *ledger, double now, int64_t *id,
                  struct error *error);
/* "2h", "17:30" (today, or tomorrow where that is over), "2026-11-17", "2026-11-17 17:30". */
bool workflow_parse_time(const char *text, double now, double *time);
#endif
