/* Denormal numbers in runs of programs: where they arise, and where they cost time.

   A run is watched by one of two runtimes, which know nothing of Assay: the profiler
   (runtime/denormal-profile, a library that is preloaded and traps) and the tracer (runtime/denormal-trace, a
   Valgrind tool that follows values). Each leaves a recording, a file for every process of the run. The steps
   are always the same:

   - denormal_watch starts the program under one of them and waits for it; the recordings stay in a folder
   - denormal_modules: the files that events happened in, for cli/ to read into a model
   - denormal_add: the recordings become rows of the tables denormal_…, keyed by the model's own ids
   - denormal_measure: the cost of denormals on this machine, where the run was: rows of denormal_penalties
   - denormal_conclude: extra time of each site, chains from births through arrays (the story)

   Views (show/report/denormal/denormal.h) then read the tables alone. */
#ifndef RUN_DENORMAL_DENORMAL_H
#define RUN_DENORMAL_DENORMAL_H
#include "model/model.h"
#include "run/launch/run.h"

struct denormal_layout;
struct denormal_options {
    const char *const *words; /* program and arguments, NULL after the last */
    /* Folder of the runtimes: libassay-denormal-profile.so (and i386/), denormal-trace/ (a VALGRIND_LIB). */
    const char *runtime;
    enum denormal_tool tool;
    enum denormal_mode mode;
    double budget;              /* sampled: share of the run's time that watching may take, such as 0.05 */
    unsigned binades;           /* also count results within this many binades of the denormals */
    double phase_seconds;       /* seconds of a phase; 0: only the program or a signal begins one */
    const struct model *arrays; /* tracer: the model whose variables are the arrays; NULL: blocks only */
    const struct denormal_layout *layout; /* tracer: parts of arrays (layout.h); NULL: none */
    bool has_log;                         /* tracer: each operation on a denormal, with its values */
    const char *log_array;                /* only those that concern the array of this name; NULL: all */
    int64_t log_around;                   /* only those around this one; 0: the first ones */
    bool has_children;                    /* tracer: follow programs that the program starts */
    bool is_diverted;                     /* the program's standard output goes to standard error */
    bool is_quiet;
};

struct denormal_process;

/* The results of a run. */
struct denormal_recording {
    struct launch_run run;
    struct array processes; /* of struct denormal_process * (parts.h): one for each process */
    bool is_unknown_code;   /* the tracer met an instruction that Valgrind does not know, and that ended it */
    struct denormal_options options;
};

/* Whether this machine can trap denormals at all; if not, *why has the reason. */
bool denormal_can_trap(const char **why);
/* Standard streams are the program's own; SIGINT and SIGTERM go only to it, and everything recorded until
 * then is kept.  false: it could not be started, or nothing was recorded; the error says why.
 */
bool denormal_watch(const struct denormal_options *options, struct denormal_recording *recording,
                    struct error *error);
void denormal_forget(struct denormal_recording *recording);
/* Of char *, to be freed: the program first, then libraries with enough events to be worth reading. */
bool denormal_modules(const struct denormal_recording *recording, struct array *paths, struct error *error);
bool denormal_add(struct model *model, const struct denormal_recording *recording, struct error *error);
void denormal_measure(struct model *model);
void denormal_conclude(struct model *model);
#endif
