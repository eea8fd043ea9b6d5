/* Each thread makes its own timer when it begins, and deletes it when it ends: timers count against a limit
   of the user's (RLIMIT_SIGPENDING). */
#include "runtime/sample/sample.h"
#include "runtime/sample/real.h"

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

__thread struct thread sample_thread __attribute__((tls_model("initial-exec")));

static pthread_key_t end_key;
static bool has_key;

uint64_t thread_ran(void)
{
    struct timespec now = {0, 0};
    system_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool make_timer(struct thread *thread, uint32_t number)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sample_signal};
    event._sigev_un._tid = (pid_t)number;
    event.sigev_value.sival_ptr = &ring;
    if (system_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&thread->timer, 0, 0, 0) !=
        0)
        return false;
    struct timespec period = {(time_t)(settings.period / 1000000000u), (long)(settings.period % 1000000000u)};
    struct itimerspec when = {period, period};
    return system_call(SYS_timer_settime, thread->timer, 0, (long)&when, 0, 0, 0) == 0;
}

static void begin(struct thread *thread)
{
    uint32_t number = system_thread();
    thread->ran = thread_ran();
    thread->number = number;
    if (!make_timer(thread, number))
        thread->number = 0; /* the time that no sample stands for is in the answer */
}

static void end(void *data)
{
    struct thread *thread = data;
    if (!thread->number)
        return;
    thread->number = 0;
    system_call(SYS_timer_delete, thread->timer, 0, 0, 0, 0, 0);
}

void thread_begin(void)
{
    if (!has_key)
        has_key = pthread_key_create(&end_key, end) == 0;
    if (!ring || sample_thread.number)
        return;
    begin(&sample_thread);
    if (has_key)
        pthread_setspecific(end_key, &sample_thread);
}

/* No timer comes along with the child of a fork. */
void thread_forked(void)
{
    sample_thread.number = 0;
    if (ring)
        begin(&sample_thread);
}

/* New threads. */

struct beginning {
    void *(*start)(void *);
    thrd_start_t start_plain;
    void *argument;
    bool is_masked;
};

static struct beginning begin_here(void *data)
{
    struct beginning beginning = *(struct beginning *)data;
    free(data);
    sample_thread.is_masked = beginning.is_masked;
    thread_begin();
    return beginning;
}

/* Both end in a jump, so that no frame of ours stays on the stack. */
static void *begin_thread(void *data)
{
    struct beginning beginning = begin_here(data);
    return beginning.start(beginning.argument);
}

static int begin_plain(void *data)
{
    struct beginning beginning = begin_here(data);
    return beginning.start_plain(beginning.argument);
}

static struct beginning *prepare(void *argument)
{
    sample_start();
    struct beginning *beginning = ring_is_ours() ? malloc(sizeof *beginning) : NULL;
    if (beginning)
        *beginning = (struct beginning){.argument = argument, .is_masked = sample_thread.is_masked};
    return beginning;
}

SAMPLE_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                                 void *argument)
{
    struct beginning *beginning = prepare(argument);
    if (!beginning)
        return real()->pthread_create(thread, attributes, start, argument);
    beginning->start = start;
    int error = real()->pthread_create(thread, attributes, begin_thread, beginning);
    if (error != 0)
        free(beginning);
    return error;
}

SAMPLE_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    struct beginning *beginning = prepare(argument);
    if (!beginning)
        return real()->thrd_create(thread, start, argument);
    beginning->start_plain = start;
    int error = real()->thrd_create(thread, begin_plain, beginning);
    if (error != thrd_success)
        free(beginning);
    return error;
}
