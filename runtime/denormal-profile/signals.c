/* The functions of signal.h, for the signals that the library needs itself.

   The library owns SIGFPE, SIGTRAP, a real-time signal for its timers and the signal that marks phases.  The
   program's requests for them are kept here and honoured when a signal arrives that is not ours.  If a fault
   raises a blocked signal, the kernel ends the program, so SIGFPE and SIGTRAP are never really blocked; each
   thread remembers the program's own mask. */
#include "profile.h"
#include "real.h"
#include "../common/set_simply.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { SIGNALS = 65 };
static struct sigaction wishes[SIGNALS]; /* of the program, for owned signals */
static bool owned[SIGNALS];
static bool is_ready;

int signals_set(int signal, const struct sigaction *action, struct sigaction *old)
{
    static void *place;
    int (*real)(int, const struct sigaction *, struct sigaction *) = real_function(&place, "sigaction");
    return real(signal, action, old);
}

static int signals_mask(int how, const sigset_t *set, sigset_t *old)
{
    static void *place;
    int (*real)(int, const sigset_t *, sigset_t *) = real_function(&place, "pthread_sigmask");
    return real(how, set, old);
}

static bool is_owned(int signal)
{
    return is_ready && signal > 0 && signal < SIGNALS && owned[signal];
}

static void own(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    action.sa_sigaction = handler;
    sigfillset(&action.sa_mask);
    if (signals_set(signal, &action, &wishes[signal]) == 0)
        owned[signal] = true;
}

/* A program that is killed by one of these prints its profile first, where there is no file. */
static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGSEGV, SIGTERM};

static bool is_from_kernel(const siginfo_t *info)
{
    return info->si_code > 0;
}

static void die(int signal, const siginfo_t *info)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    profile_finish(PROFILE_END_SIGNAL, signal);
    signals_set(signal, &action, NULL);
    /* A fault happens again when the handler returns; anything else is sent again, and waits until then.
       int3 does not happen again. */
    if (!is_from_kernel(info) || signal == SIGTRAP)
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
}

static void on_deadly(int signal, siginfo_t *info, void *context)
{
    (void)context;
    die(signal, info);
}

void signals_begin(void)
{
    own(SIGFPE, trap_fpe);
    own(SIGTRAP, trap_step);
    own(profile_settings.timer_signal, thread_timer);
    if (profile_settings.phase_signal)
        own(profile_settings.phase_signal, phase_signal);
    if (!profile_settings.file) {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, old;
        action.sa_sigaction = on_deadly;
        sigfillset(&action.sa_mask);
        for (unsigned i = 0; i < sizeof deadly / sizeof *deadly; i++)
            if (signals_set(deadly[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
                old.sa_handler == SIG_DFL)
                signals_set(deadly[i], &action, NULL);
    }
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGFPE);
    sigaddset(&ours, SIGTRAP);
    sigaddset(&ours, profile_settings.timer_signal);
    signals_mask(SIG_UNBLOCK, &ours, NULL);
    is_ready = true;
}

static bool has_handler(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static void call_program(int signal, siginfo_t *info, ucontext_t *context)
{
    struct sigaction action = wishes[signal];
    if (action.sa_flags & (int)SA_RESETHAND)
        wishes[signal] = (struct sigaction){.sa_handler = SIG_DFL};
    sigset_t mask = context->uc_sigmask;
    for (int i = 1; i < SIGNALS; i++)
        if (sigismember(&action.sa_mask, i) == 1)
            sigaddset(&mask, i);
    if (!(action.sa_flags & SA_NODEFER))
        sigaddset(&mask, signal);
    sigdelset(&mask, SIGFPE);
    sigdelset(&mask, SIGTRAP);
    sigdelset(&mask, profile_settings.timer_signal);
    signals_mask(SIG_SETMASK, &mask, NULL);
    struct profile_thread *thread = &profile_thread;
    arm_show_context(thread, context);
    action.sa_sigaction(signal, info, context); /* more arguments than it may take do no harm on x86 */
    sigfillset(&mask);
    signals_mask(SIG_SETMASK, &mask, NULL);
    arm_take_context(thread, context);
}

void signals_pass_on(int signal, siginfo_t *info, ucontext_t *context)
{
    if (signal == SIGFPE || signal == SIGTRAP)
        note(PROFILE_NOTE_FOREIGN_SIGNALS, context_ip(context));
    if (has_handler(&wishes[signal]))
        call_program(signal, info, context);
    else if (wishes[signal].sa_handler == SIG_DFL || is_from_kernel(info))
        die(signal, info);
}

static void give_up_phase_signal(void)
{
    int signal = profile_settings.phase_signal;
    note(PROFILE_NOTE_PHASE_SIGNAL_TAKEN, 0);
    owned[signal] = false;
}

PROFILE_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (is_owned(signal) && signal == profile_settings.phase_signal && action && has_handler(action)) {
        struct sigaction before = wishes[signal];
        give_up_phase_signal();
        int result = signals_set(signal, action, NULL);
        if (old)
            *old = before;
        return result;
    }
    if (!is_owned(signal)) {
        int result = signals_set(signal, action, old);
        if (result == 0 && old && old->sa_flags & SA_SIGINFO && old->sa_sigaction == on_deadly)
            *old = (struct sigaction){.sa_handler = SIG_DFL};
        return result;
    }
    struct sigaction before = wishes[signal];
    if (action) {
        wishes[signal] = *action;
        if (has_handler(action))
            note(PROFILE_NOTE_HANDLER_OF_PROGRAM, (uintptr_t)action->sa_sigaction);
    }
    if (old)
        *old = before;
    return 0;
}

#define SET_SIMPLY(name, flags)                                                                              \
    PROFILE_EXPORT sighandler_t(name)(int number, sighandler_t handler)                                          \
    {                                                                                                        \
        return set_simply(number, handler, flags);                                                           \
    }
EVERY_SIMPLE_SIGNAL(SET_SIMPLY)

PROFILE_EXPORT int sigignore(int number)
{
    return set_simply(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

PROFILE_EXPORT sighandler_t sigset(int number, sighandler_t disposition)
{
    sigset_t set, old;
    sigemptyset(&set);
    if (sigaddset(&set, number) != 0)
        return SIG_ERR;
    struct sigaction before;
    if (sigaction(number, NULL, &before) != 0)
        return SIG_ERR;
    if (disposition != SIG_HOLD && set_simply(number, disposition, 0) == SIG_ERR)
        return SIG_ERR;
    if (sigprocmask(disposition == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &old) != 0)
        return SIG_ERR;
    return sigismember(&old, number) ? SIG_HOLD : before.sa_handler;
}

/* The bits of the signals that are never blocked, as the program asks for them. */
static uint64_t take_ours(sigset_t *set)
{
    uint64_t bits = 0;
    const int ours[] = {SIGFPE, SIGTRAP, profile_settings.timer_signal};
    for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (sigismember(set, ours[i]) == 1)
            bits |= (uint64_t)1 << (ours[i] - 1);
        sigdelset(set, ours[i]);
    }
    return bits;
}

static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
    if (!is_ready)
        return signals_mask(how, set, old);
    struct profile_thread *thread = &profile_thread;
    uint64_t believed = thread->masked, bits = 0;
    sigset_t rest;
    if (set) {
        rest = *set;
        bits = how == SIG_UNBLOCK ? 0 : take_ours(&rest);
    }
    int result = signals_mask(how, set ? &rest : NULL, old);
    if (result != 0)
        return result;
    if (set && how == SIG_UNBLOCK)
        thread->masked &= ~take_ours(&rest);
    else if (set)
        thread->masked = (how == SIG_BLOCK ? believed : 0) | bits;
    for (int i = 1; old && i < SIGNALS; i++)
        if (believed >> (i - 1) & 1)
            sigaddset(old, i);
    return 0;
}

PROFILE_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask(how, set, old);
}

PROFILE_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int error = change_mask(how, set, old);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}
