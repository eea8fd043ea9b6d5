/* Samples that a library inside the program takes by timers (runtime/sample), where the kernel's sampling is
   forbidden.

   sampler.c asks timer_may, makes the timer while it prepares the launch, polls it from its reading thread
   while the program runs, and once more after its end:

     timer_begin(&launch, …), launch_run in another thread, timer_poll(…) every 20 ms or so, timer_end(…)

   Each process of the run has a ring in the run's folder (runtime/sample/ring_file.h).  A poll finds new
   rings, and feeds the collector with what they have.  Everything in a ring is hostile input: the program can
   write to it. */
#ifndef RUN_SAMPLE_TIMER_H
#define RUN_SAMPLE_TIMER_H
#include "run/launch/launch.h"
#include "run/launch/program.h"
#include "run/sample/collector.h"

/* Whether the library can be loaded into the program; the error says why not. */
bool timer_may(const struct launch_program *program, const char *word, struct error *error);

struct timer_wish {
    const char *runtime; /* folder of the runtimes; NULL: the error says that there is none */
    const char *folder;  /* of the run: rings and links to the library */
    double frequency;    /* samples a second of each running thread */
    bool has_no_stacks;
};
/* Variables that timer_begin assigns; launch_inherit leaves them out (NULL behind the last). */
extern const char *const timer_variables[];
struct timer;
/* Assigns LD_PRELOAD and the variables of the library.  NULL: the error says why. */
struct timer *timer_begin(struct launch *launch, const struct timer_wish *wish, struct error *error);

/* What was counted so far. */
struct timer_counts {
    uint64_t samples, lost;
    uint64_t processes; /* that the library was loaded into */
    double seconds;     /* of processor time in all samples */
};
/* start: CLOCK_MONOTONIC in seconds at the start of the run.  Time is event 0. */
void timer_poll(struct timer *timer, struct collector *collector, double start);
/* After the program's end: polls once more and frees. */
struct timer_counts timer_end(struct timer *timer, struct collector *collector, double start);
#endif
