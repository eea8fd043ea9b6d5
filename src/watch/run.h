/* Runs a program to its end, with a private folder for what is recorded.

   watch_run_begin, then the launch is made (the folder may be named in it), then watch_run; recordings are
   listed and read, and watch_run_forget removes the folder. */
#ifndef WATCH_RUN_H
#define WATCH_RUN_H
#include "watch/guard.h"
#include "watch/launch.h"

/* What the program and the children that it waited for used, by the kernel's account.  Children that it left
   behind (daemons) are not in it. */
struct watch_usage {
    double user, kernel; /* seconds of processor time */
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    uint64_t peak_memory; /* bytes, of the largest process */
};

struct watch_run {
    char *folder;     /* private; removed by watch_run_forget */
    uint32_t process; /* number of the program's own process */
    int exit_status;  /* of the program itself, or -1 */
    int end_signal;   /* 0: no signal ended it */
    double seconds;
    struct watch_usage usage;
    struct guard guard; /* until the program has ended */
};

/* Makes the folder. */
bool watch_run_begin(struct watch_run *run, struct error *error);
/* Standard streams are the program's own; SIGINT and SIGTERM go only to it.  false: it could not be started;
   the error says why. */
bool watch_run(const struct watch_launch *launch, struct watch_run *run, struct error *error);
/* The same, for somebody who watches from outside: when there is a process, and before it becomes the
   program, `prepare` is called with its number.  If that returns false, nothing is run. */
struct watch_outsider {
    bool (*prepare)(void *context, uint32_t process, struct error *error);
    void *context;
};
bool watch_run_from_outside(const struct watch_launch *launch, struct watch_run *run,
                            const struct watch_outsider *outsider, struct error *error);
/* Of char *, to be freed: files of the folder that have contents and names of BEGINNING…ENDING. The first
   digits of a name are the number of a process: the program's own comes first, then the others by their
   numbers; those of one process by length (name, name.2), then by name. */
void watch_run_list(const struct watch_run *run, const char *beginning, const char *ending,
                    struct array *paths);
/* Of any state, also after a failed begin. */
void watch_run_forget(struct watch_run *run);
#endif
