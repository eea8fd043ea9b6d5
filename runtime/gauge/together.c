/* The same walk on several processors at once, each with memory of its own.

   Each processor has a process.  They wait for each other when they are warm, measure at the same time, and whoever is
   done goes on walking until all are: nobody is measured on a half idle computer.  The result is the time in
   which all of them together do one unit. */
#include "runtime/gauge/gauge.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct meeting {
    atomic_uint ready, done;
    unsigned count;
    struct gauge_result results[];
};

unsigned gauge_test_processes(const struct gauge_test *test)
{
    return test->threads == GAUGE_ALL ? gauge_processor_count() : test->threads ? test->threads : 1;
}

static void take_part(struct meeting *meeting, unsigned place, struct gauge_clock *clock, const struct gauge_test *test)
{
    struct gauge_walk walk;
    struct gauge_result *result = &meeting->results[place];
    gauge_stay_on_processor(place);
    int failed = gauge_walk_begin(&walk, clock, test);
    atomic_fetch_add(&meeting->ready, 1);
    while (atomic_load(&meeting->ready) < meeting->count) {
        if (failed)
            sched_yield();
        else
            gauge_walk_on(&walk);
    }
    if (!failed)
        gauge_walk_measure(&walk, result);
    atomic_fetch_add(&meeting->done, 1);
    while (!failed && atomic_load(&meeting->done) < meeting->count)
        gauge_walk_on(&walk);
    gauge_walk_end(&walk);
}

static void conclude(const struct meeting *meeting, struct gauge_result *result)
{
    double best = 0, median = 0, ghz = 0, spread = 0;
    for (unsigned i = 0; i < meeting->count; i++) {
        const struct gauge_result *one = &meeting->results[i];
        if (one->status != gauge_MEASURED)
            return;
        best += one->ghz / one->best;
        median += one->ghz / one->median;
        ghz += one->ghz / meeting->count;
        spread = one->spread > spread ? one->spread : spread;
    }
    *result = (struct gauge_result){
        .status = gauge_MEASURED, .best = ghz / best, .median = ghz / median, .spread = spread, .ghz = ghz};
}

void gauge_measure_together(struct gauge_clock *clock, const struct gauge_test *test, struct gauge_result *result)
{
    unsigned there = gauge_processor_count(), count = gauge_test_processes(test);
    size_t size = sizeof(struct meeting) + count * sizeof(struct gauge_result);
    *result = (struct gauge_result){.status = count > there ? gauge_MISSING : gauge_FAILED};
    if (count > there)
        return;
    struct meeting *meeting = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meeting == MAP_FAILED)
        return;
    meeting->count = count;
    for (unsigned i = 0; i < count; i++)
        meeting->results[i].status = gauge_FAILED;
    gauge_memory_drop(); /* or children would share it */
    pid_t parent = getpid();
    unsigned started = 1;
    for (pid_t child = 1; started < count && child > 0; started += child > 0) {
        child = fork();
        if (child)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            take_part(meeting, started, clock, test);
        _exit(0);
    }
    /* Those that could not be started are missed by nobody; their results say that they failed. */
    for (unsigned i = started; i < count; i++) {
        atomic_fetch_add(&meeting->ready, 1);
        atomic_fetch_add(&meeting->done, 1);
    }
    take_part(meeting, 0, clock, test);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    conclude(meeting, result);
    munmap(meeting, size);
}
