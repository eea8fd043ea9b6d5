/* The same walk on several processors at once, each with memory of its own.

   Each processor has a process.  They wait for each other when they are warm, measure at the same time, and whoever is
   done goes on walking until all are: nobody is measured on a half idle computer.  The result is the time in
   which all of them together do one unit. */
#include "runtime/bench/bench.h"

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
    struct bench_result results[];
};

unsigned bench_test_processes(const struct bench_test *test)
{
    return test->threads == BENCH_ALL ? bench_processor_count() : test->threads ? test->threads : 1;
}

static void take_part(struct meeting *meeting, unsigned place, struct bench_clock *clock, const struct bench_test *test)
{
    struct bench_walk walk;
    struct bench_result *result = &meeting->results[place];
    bench_stay_on_processor(place);
    int failed = bench_walk_begin(&walk, clock, test);
    atomic_fetch_add(&meeting->ready, 1);
    while (atomic_load(&meeting->ready) < meeting->count) {
        if (failed)
            sched_yield();
        else
            bench_walk_on(&walk);
    }
    if (!failed)
        bench_walk_measure(&walk, result);
    atomic_fetch_add(&meeting->done, 1);
    while (!failed && atomic_load(&meeting->done) < meeting->count)
        bench_walk_on(&walk);
    bench_walk_end(&walk);
}

static void conclude(const struct meeting *meeting, struct bench_result *result)
{
    double best = 0, median = 0, ghz = 0, spread = 0;
    for (unsigned i = 0; i < meeting->count; i++) {
        const struct bench_result *one = &meeting->results[i];
        if (one->status != bench_MEASURED)
            return;
        best += one->ghz / one->best;
        median += one->ghz / one->median;
        ghz += one->ghz / meeting->count;
        spread = one->spread > spread ? one->spread : spread;
    }
    *result = (struct bench_result){
        .status = bench_MEASURED, .best = ghz / best, .median = ghz / median, .spread = spread, .ghz = ghz};
}

void bench_measure_together(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result)
{
    unsigned there = bench_processor_count(), count = bench_test_processes(test);
    size_t size = sizeof(struct meeting) + count * sizeof(struct bench_result);
    *result = (struct bench_result){.status = count > there ? bench_MISSING : bench_FAILED};
    if (count > there)
        return;
    struct meeting *meeting = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (meeting == MAP_FAILED)
        return;
    meeting->count = count;
    for (unsigned i = 0; i < count; i++)
        meeting->results[i].status = bench_FAILED;
    bench_memory_drop(); /* or children would share it */
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
