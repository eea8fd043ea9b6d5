/* Runs a program to its end, with a private folder for what is recorded.

   launch_run_begin, then the launch is made (the folder may be named in it), then launch_run; recordings are
   listed and read, and launch_run_forget removes the folder. */
#ifndef RUN_LAUNCH_RUN_H
#define RUN_LAUNCH_RUN_H
#include "run/launch/guard.h"
#include "run/launch/launch.h"

/* What the program and the children that it waited for used, by the kernel's account.  Children that it left
   behind (daemons) are not in it. */
struct launch_usage {
    double user, kernel; /* seconds of processor time */
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t peak_memory; /* bytes, of the largest process */
    double queued;        /* seconds that its first thread waited for a processor; NaN: unknown */
};

struct launch_run {
    char *folder;     /* private; removed by launch_run_forget */
    uint32_t process; /* number of the program's own process */
    int exit_status;  /* of the program itself, or -1 */
    int end_signal;   /* 0: no signal ended it */
    double seconds;
    struct launch_usage usage;
    struct guard guard; /* until the program has ended */
};

/* Makes the folder. */
bool launch_run_begin(struct launch_run *run, struct error *error);
/* Standard streams are the program's own; SIGINT and SIGTERM go only to it.  false: it could not be started;
   the error says why. */
bool launch_run(const struct launch *launch, struct launch_run *run, struct error *error);
/* The same, for somebody who watches from outside: when there is a process, and before it becomes the
   program, `prepare` is called with its number.  If that returns false, nothing is run. */
struct launch_outsider {
    bool (*prepare)(void *context, uint32_t process, struct error *error);
    void *context;
};
bool launch_run_from_outside(const struct launch *launch, struct launch_run *run,
                             const struct launch_outsider *outsider, struct error *error);
/* Of char *, to be freed: files of the folder that have contents and names of BEGINNING…ENDING. The first
   digits of a name are the number of a process: the program's own comes first, then the others by their
   numbers; those of one process by length (name, name.2), then by name. */
void launch_run_list(const struct launch_run *run, const char *beginning, const char *ending,
                     struct array *paths);
/* Of any state, also after a failed begin. */
void launch_run_forget(struct launch_run *run);
#endif
