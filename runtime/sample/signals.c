/* The functions of signal.h, for the one real-time signal that the library owns.

   What the program wants to do with that signal is kept here, and done when one arrives that is not from our
   timers.  The signal is never really blocked, but for the time of a wait (waiting.c); each thread remembers
   whether the program believes it to be. */
#include "runtime/sample/sample.h"
#include "runtime/sample/real.h"
#include "runtime/common/set_simply.h"

#include <errno.h>
#include <ucontext.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum {
    FROM_END = 6
}; /* programs that use real-time signals mostly count from the start; the profiler of denormals has the next one */

int sample_signal;
static struct sigaction wish; /* of the program */
static bool is_ours;

void signals_begin(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigset_t ours;
    sample_signal = SIGRTMAX - FROM_END;
    action.sa_sigaction = take_sample;
    sigfillset(&action.sa_mask);
    if (real()->sigaction(sample_signal, &action, &wish) != 0)
        return;
    sigemptyset(&ours);
    sigaddset(&ours, sample_signal);
    sigset_t before;
    sigemptyset(&before);
    real()->pthread_sigmask(SIG_UNBLOCK, &ours, &before);
    sample_thread.is_masked = sigismember(&before, sample_signal) == 1;
    is_ours = true;
}

static bool has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static void call_program(int signal, siginfo_t *info, ucontext_t *context)
{
    struct sigaction action = wish;
    uint64_t mask = *(const uint64_t *)(const void *)&context->uc_sigmask |
                    *(const uint64_t *)(const void *)&action.sa_mask;
    if (action.sa_flags & (int)SA_RESETHAND)
        wish = (struct sigaction){.sa_handler = SIG_DFL};
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
    action.sa_sigaction(signal, info, context); /* more arguments than it may take do no harm */
}

void signals_pass_on(int signal, siginfo_t *info, void *context)
{
    if (has_handler(&wish)) {
        call_program(signal, info, context);
    } else if (wish.sa_handler == SIG_DFL) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        real()->sigaction(signal, &action, NULL);
        system_call(SYS_tgkill, system_process(), system_thread(), signal, 0, 0, 0);
    }
}

SAMPLE_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (!is_ours || signal != sample_signal)
        return real()->sigaction(signal, action, old);
    struct sigaction before = wish;
    if (action)
        wish = *action;
    if (old)
        *old = before;
    return 0;
}

/* Other signals are libc's business: siginterrupt changes what signal does. */
#define SET_SIMPLY(name, flags)                                                                              \
    SAMPLE_EXPORT sighandler_t(name)(int number, sighandler_t handler)                                       \
    {                                                                                                        \
        return is_ours && number == sample_signal ? set_simply(number, handler, flags)                       \
                                                  : real()->name##_simply(number, handler);                  \
    }
EVERY_SIMPLE_SIGNAL(SET_SIMPLY)

static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
    if (!is_ours)
        return real()->pthread_sigmask(how, set, old);
    bool was_masked = sample_thread.is_masked, is_masked = was_masked;
    sigset_t rest;
    if (set) {
        bool has_it = sigismember(set, sample_signal) == 1;
        rest = *set;
        sigdelset(&rest, sample_signal);
        is_masked = how == SIG_SETMASK ? has_it : has_it ? how == SIG_BLOCK : was_masked;
    }
    int result = real()->pthread_sigmask(how, set ? &rest : NULL, old);
    if (result != 0)
        return result;
    sample_thread.is_masked = is_masked;
    if (old && was_masked)
        sigaddset(old, sample_signal);
    else if (old)
        sigdelset(old, sample_signal);
    return 0;
}

SAMPLE_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(how, set, old);
}

SAMPLE_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int error = change_mask(how, set, old);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}
