/* The simulator: a cluster from one of SimGrid's platform files, with jobs that Assay starts.

   SimGrid runs actors, and an actor dies with its host. So all that decide anything live on one host, the
   *home*, which must not fail: the president reads Assay's orders and lets time pass, each job is an actor
   that moves files and computes on other hosts, and a watcher for each host waits for its *sentry*. Sentries
   are the only actors elsewhere: their end tells that a host failed, and SimGrid starts them again when it
   comes back. An actor that is dying may ask nothing of SimGrid: it only prints.

   Whoever has news prints it and calls simulator_wake, which makes the president answer. */
#ifndef RUNTIME_SIMGRID_SIMULATOR_H
#define RUNTIME_SIMGRID_SIMULATOR_H
#include "runtime/simgrid/lines_file.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct place {
    sg_host_t host;
    unsigned processors;
};

struct input {
    sg_host_t host; /* NULL: nothing has to be moved */
    double bytes;
};

struct job {
    char *tag;
    double flops; /* for each processor */
    struct place *places;
    size_t place_count;
    struct input *inputs;
    size_t input_count;
    sg_actor_t actor;
    const char *why;             /* it was lost; NULL: it was not */
    struct job *previous, *next; /* of those that run */
};

/* Where events are printed.  They are told when Assay waits for them, with `now`: it could be about to write
   to us, and neither would read. */
extern FILE *simulator_events;

extern sg_host_t simulator_home;
void simulator_tell_routes(void);
extern bool simulator_has_files; /* the home is the common file system, too; else its files take no time */

void simulator_wake(void);
_Noreturn void simulator_fail(const char *what, const char *which);

/* orders.c: reads orders until the next `advance`, and tells its time; false: the input has ended. */
bool orders_read(double *until);

/* jobs.c */
void jobs_start(struct job *job); /* becomes its own */
void jobs_kill(const char *tag);  /* nothing happens if it has ended */
void jobs_lose(sg_host_t host);   /* all that use it */
#endif
