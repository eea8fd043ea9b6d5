/* Runs a program, or watches one that runs, and takes samples of it.

   perf_event_open is asked first: cycles where there is a PMU, else the kernel's cpu clock; user and kernel
   code, or user code alone where the system allows no more.  Where it is forbidden, a library in the program
   takes samples by a timer (runtime/sample).  Either way one thread of ours reads the rings and feeds a
   collector (run/sample/collector.h) while the program runs.

   perf_parts.h has the parts that take the kernel's samples, timer.h those of the library's; reader.c is the
   thread, source.h what it reads; sampler.c runs a program, attach.c watches one that runs. */
#ifndef RUN_SAMPLE_SAMPLER_H
#define RUN_SAMPLE_SAMPLER_H
#include "run/launch/program.h"
#include "run/launch/run.h"
#include "run/sample/recording.h"

/* A counter besides time: what perf_event_open wants (run/sample/counters.h makes it from a name). */
struct sample_wish {
    const char *name;
    uint32_t type;
    uint64_t config, config1, config2;
    uint64_t period; /* events between two samples; 1: every one; 0: as many samples a second as for time */
};

struct sampler_options {
    double frequency; /* samples a second of each running thread; 0: 997 (not in step with what happens every
                         millisecond), or less if the system allows less */
    bool has_no_stacks; /* no callers */
    bool uses_timer;    /* as if perf_event_open were forbidden (ASSAY_SAMPLER=timer) */
    const struct sample_wish *wishes;
    size_t wish_count;
    const char *runtime; /* folder of the runtimes; NULL: no timer */
    double seconds;      /* for a running process: how long; 0: until it ends or Ctrl-C */
    bool is_diverted;    /* the program's standard output goes to standard error */
};

/* Runs the words (NULL after the last) to their end.  The recording is empty (sample_recording_init), and
   filled in any case that returns true; the caller forgets the run. */
bool sampler_run(const char *const *words, const struct launch_program *program,
                 const struct sampler_options *options, struct launch_run *run,
                 struct sample_recording *recording, struct error *error);
/* Watches a process and its children.  Ctrl-C ends the watching, not the process. */
bool sampler_attach(uint32_t process, const struct sampler_options *options,
                    struct sample_recording *recording, struct error *error);

/* clock.c: cycles a second of the core that we run on, from a chain of additions timed for about 30 µs;
   NaN if it was disturbed. */
double sample_clock_measure(void);
#endif
