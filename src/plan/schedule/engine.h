/* An engine runs jobs on hosts: this computer, a cluster under Slurm, a simulated cluster.

   The scheduler writes an attempt with its tag into the ledger, commits, and only then asks the engine to
   start it. After a crash it opens the engine again and asks what became of the tags it wrote. So an engine
   has to promise: a tag is run at most once, whatever dies at whatever moment; and what became of a tag
   can be asked again later.

   Both promises rest on one thing, the same for engines that run real commands: a job is a shell script
   (engine/script.c) that begins with making the folder SPOOL/TAG. Only one mkdir can succeed, so of two jobs
   with one tag the second ends at once; and the script's last act is to rename SPOOL/TAG/end into place, with
   the exit status and the times. Output goes to SPOOL/TAG/output. */
#ifndef PLAN_SCHEDULE_ENGINE_H
#define PLAN_SCHEDULE_ENGINE_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum engine_host_state { engine_host_UP, engine_host_DRAINED, engine_host_DOWN };

/* A plan has a place for each processor. */
enum { ENGINE_MOST_PROCESSORS = 1 << 20 };

struct engine_host {
    char *name;
    uint32_t processors;
    uint32_t taken; /* of them, by work that is not ours: nothing can be started there now */
    double memory;  /* bytes; NaN: not known */
    double speed;
    double load; /* processes that run there or want to; NaN: not known */
    enum engine_host_state state;
    char *why;     /* NULL: nothing to say */
    char *machine; /* name of its machine file; NULL: not known, as engines leave it */
    /* After measure_moves; 0: data takes no time to it and from it. */
    double bytes_per_second, latency;
    bool reaches_common; /* files of the common file system take that time, too */
};

struct engine_place {
    const char *host;
    uint32_t count; /* processors of it */
    uint32_t first; /* the first of them; engines that cannot bind ignore it */
};

struct engine_file {
    const char *path;
    double bytes;
    bool is_output;
    const char *from; /* host that wrote it; NULL: the common file system */
};

struct engine_job {
    const char *tag, *name, *folder, *command; /* the command has its processors filled in */
    const struct engine_place *places;
    unsigned place_count;
    double expected;  /* seconds, for the engine's own time limits; NaN: not known */
    double memory;    /* bytes on each host; NaN: not said */
    double simulated; /* seconds that it really takes on these processors, if their hosts have speed 1, for
                         simulating engines; NaN: not known */
    const struct engine_file *files;
    unsigned file_count;
};

enum engine_state {
    engine_UNKNOWN, /* the engine never saw this tag */
    engine_QUEUED,
    engine_RUNNING,
    engine_DONE,       /* the command ended: exit_status */
    engine_LOST,       /* it was ended from outside: its host died, somebody cancelled it */
    engine_UNREACHABLE /* cannot be told at the moment (a controller that restarts): ask again */
};

struct engine_status {
    enum engine_state state;
    int exit_status;
    double started, ended; /* engine's clock; NaN: not known */
    double cpu_seconds;    /* NaN: not known */
    char job[64];          /* the engine's number for it */
    char why[200]; /* of LOST; of DONE where the command did not end by itself (a time limit, memory) */
};

struct engine;
struct engine_settings {
    const char *hosts;    /* --hosts: names, or NAME:PROCESSORS, separated by commas; NULL: all */
    const char *platform; /* SimGrid's platform file */
    const char *spool;    /* folder for scripts and results, made already; absolute */
    const char *session;  /* begins the names of jobs, so that others' jobs are left alone */
    const char *runtime;  /* folder of the runtimes, where the simulator is; NULL: there is none */
    uint64_t seed;        /* of simulated failures */
};

struct engine_kind {
    const char *name;
    struct engine *(*open)(const struct engine_settings *settings, struct error *error);
    void (*close)(struct engine *engine); /* jobs go on where the engine can */
    /* Hosts as they are now: of engine_host, freed by engine_hosts_free. false: cannot be told now. */
    bool (*hosts)(struct engine *engine, struct array *hosts, struct error *error);
    /* false: nothing was started and nothing will be.  A call that dies halfway may have started it. */
    bool (*start)(struct engine *engine, const struct engine_job *job, struct error *error);
    /* What became of these tags, in one question where the engine allows it. */
    bool (*poll)(struct engine *engine, const char *const *tags, unsigned count, struct engine_status *status,
                 struct error *error);
    bool (*cancel)(struct engine *engine, const char *tag, struct error *error);
    double (*now)(struct engine *engine); /* seconds since 1970, or of simulated time */
    /* Until this time, or until something may have changed, whichever is first; the packer works meanwhile
       where `is_virtual` is false. */
    void (*wait)(struct engine *engine, double until);
    bool is_virtual;
    /* Engines that move files: hosts tell from now on how quickly that is.  NULL: it moves none. */
    bool (*measure_moves)(struct engine *engine, struct error *error);
};

extern const struct engine_kind engine_local, engine_slurm, engine_simgrid;
/* NULL: there is none; the error lists those that there are. */
const struct engine_kind *engine_find(const char *name, struct error *error);
void engine_hosts_free(struct array *hosts);
#endif
