/* Tests run in children: whatever one does, the next starts anew after it.

   A child runs tests one after the other and writes each result into a pipe.  When it dies or takes too
   long, the test that it was at gets that as its result, and another child goes on after it.  Children
   stay on one processor, and die with their parent. */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void use_default_signals(void)
{
    static const int numbers[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS, SIGALRM, SIGINT, SIGTERM};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_DFL);
    struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core);
}

_Noreturn static void run_child(const struct bench_batch *batch, size_t first, int pipe, pid_t parent)
{
    static struct bench_clock clock;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    use_default_signals();
    bench_find_processors();
    bench_stay_on_processor(0);
    if (bench_clock_begin(&clock))
        _exit(1); /* this test fails; the next child may find a clock */
    bench_events_open(batch->events, batch->event_count);
    for (size_t i = first; i < batch->count; i++) {
        struct bench_result result = {.status = bench_FAILED};
        bench_measure(&clock, &batch->tests[i], &result);
        if (write(pipe, &result, sizeof result) != sizeof result)
            break;
    }
    _exit(0);
}

/* The next result of the child: 1, or 0 if there is none within the time. */
static int read_result(int pipe, unsigned seconds, struct bench_result *result)
{
    struct pollfd ready = {.fd = pipe, .events = POLLIN};
    int got;
    do
        got = poll(&ready, 1, (int)seconds * 1000);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return 0;
    *result = (struct bench_result){.status = bench_FAILED};
    return read(pipe, result, sizeof *result) == sizeof *result ? 1 : -1;
}

/* What ended a child in the middle of a test. */
static struct bench_result ended(pid_t child, int was_slow)
{
    struct bench_result result = {.status = was_slow ? bench_SLOW : bench_FAILED};
    int status;
    if (was_slow)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!was_slow && WIFSIGNALED(status)) {
        result.signal = WTERMSIG(status);
        result.status = result.signal == SIGILL ? bench_MISSING : bench_TRAPPED;
    }
    return result;
}

int bench_run(const struct bench_batch *batch, bench_note *note, void *context)
{
    size_t next = 0;
    int goes_on = 1;
    while (goes_on && next < batch->count) {
        int ends[2];
        if (pipe(ends))
            return errno;
        pid_t parent = getpid(), child = fork();
        if (child < 0) {
            close(ends[0]);
            close(ends[1]);
            return errno;
        }
        if (child == 0) {
            close(ends[0]);
            run_child(batch, next, ends[1], parent);
        }
        close(ends[1]);
        struct bench_result result;
        int got = 1;
        while (goes_on && next < batch->count && (got = read_result(ends[0], batch->seconds, &result)) == 1)
            goes_on = note(context, next++, &result);
        if (got != 1) {
            result = ended(child, got == 0);
            goes_on = note(context, next++, &result);
        } else {
            kill(child, SIGKILL);
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
        }
        close(ends[0]);
    }
    return 0;
}
