/* Jobs: files come first, one after the other, to the first of the hosts; then each processor computes its
   amount.

   If the host that has a file is down, the common file system has a copy. A job ends by itself, or is ended
   by somebody else who knows why it is lost: in both cases it is told once, by `tell_end`. */
#include "runtime/simgrid/simulator.h"

#include <simgrid/exec.h>

#include <stdlib.h>
#include <string.h>

static struct job *running;

static void fetch(const struct input *input, sg_host_t to)
{
    sg_host_t common = simulator_has_files ? simulator_home : NULL;
    sg_host_t from = input->host && sg_host_is_on(input->host) ? input->host : common;
    if (from && from != to)
        sg_host_sendto(from, to, input->bytes);
}

static bool compute(const struct job *job)
{
    size_t count = 0, left = 0;
    for (size_t i = 0; i < job->place_count; i++)
        count += job->places[i].processors;
    sg_exec_t *parts = calloc(count, sizeof *parts);
    for (size_t i = 0; i < job->place_count; i++)
        for (unsigned k = 0; k < job->places[i].processors; k++) {
            parts[left] = sg_actor_exec_init(job->flops);
            sg_exec_set_host(parts[left], job->places[i].host);
            sg_exec_start(parts[left++]);
        }
    bool is_fine = true;
    while (left && is_fine)
        is_fine = sg_exec_wait(parts[--left]) == SG_OK;
    free(parts);
    return is_fine;
}

static sg_host_t failed_host(const struct job *job)
{
    for (size_t i = 0; i < job->place_count; i++)
        if (!sg_host_is_on(job->places[i].host))
            return job->places[i].host;
    return NULL;
}

/* And forgets it. */
static void tell_end(struct job *job)
{
    double now = simgrid_get_clock();
    sg_host_t failed = job->why ? NULL : failed_host(job);
    if (failed)
        fprintf(simulator_events, "%s\t%s\t%.17g\thost %s failed\n", SIMULATOR_LOST, job->tag, now,
                sg_host_get_name(failed));
    else if (job->why)
        fprintf(simulator_events, "%s\t%s\t%.17g\t%s\n", SIMULATOR_LOST, job->tag, now, job->why);
    else
        fprintf(simulator_events, "%s\t%s\t%.17g\n", SIMULATOR_DONE, job->tag, now);
    if (job->previous)
        job->previous->next = job->next;
    else
        running = job->next;
    if (job->next)
        job->next->previous = job->previous;
    free(job->tag);
    free(job->places);
    free(job->inputs);
    free(job);
}

static void work(int count, char **words)
{
    (void)count, (void)words;
    struct job *job = sg_actor_self_get_data();
    for (size_t i = 0; i < job->input_count; i++)
        fetch(&job->inputs[i], job->places[0].host);
    if (!failed_host(job)) {
        fprintf(simulator_events, "%s\t%s\t%.17g\n", SIMULATOR_BEGUN, job->tag, simgrid_get_clock());
        if (!compute(job) && !failed_host(job))
            job->why = "one of its hosts failed";
    }
    tell_end(job);
    simulator_wake();
}

void jobs_start(struct job *job)
{
    job->next = running;
    if (running)
        running->previous = job;
    running = job;
    if (failed_host(job)) {
        tell_end(job);
        simulator_wake();
        return;
    }
    job->actor = sg_actor_init(job->tag, simulator_home);
    sg_actor_set_data(job->actor, job);
    sg_actor_start(job->actor, work, 0, NULL);
}

static void lose(struct job *job, const char *why)
{
    sg_actor_kill(job->actor);
    job->why = why;
    tell_end(job);
    simulator_wake();
}

void jobs_kill(const char *tag)
{
    for (struct job *job = running; job; job = job->next)
        if (!strcmp(job->tag, tag)) {
            lose(job, "cancelled");
            return;
        }
}

static bool uses(const struct job *job, const_sg_host_t host)
{
    for (size_t i = 0; i < job->place_count; i++)
        if (job->places[i].host == host)
            return true;
    return false;
}

void jobs_lose(sg_host_t host)
{
    for (struct job *job = running, *next; job; job = next) {
        next = job->next;
        if (uses(job, host))
            lose(job, NULL);
    }
}
