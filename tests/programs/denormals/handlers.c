/* handlers: SIGFPE and SIGTRAP are the program's, too.  Each line that it prints is something it saw. */
#include "counted.h"
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t fpe_code, fpe_seen, trap_seen, masked_inside;

static void on_fpe(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    masked_inside = sigismember(&now, SIGUSR2);
    fpe_code = info->si_code;
    fpe_seen++;
    if (info->si_code > 0)
        siglongjmp(back, 1);
}

static void on_trap(int signal)
{
    (void)signal;
    trap_seen++;
}

static void events(int count)
{
    while (count-- > 0)
        double_event();
}

int main(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO}, old;
    action.sa_sigaction = on_fpe;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    if (sigaction(SIGFPE, &action, &old) != 0 || old.sa_handler != SIG_DFL)
        return 1;
    events(10);
    volatile int zero = 0, one = 1;
    if (sigsetjmp(back, 1) == 0)
        one /= zero;
    if (fpe_seen != 1 || fpe_code != FPE_INTDIV || !masked_inside)
        return 2;
    events(10);
    feenableexcept(FE_DIVBYZERO);
    volatile double divisor = 0, dividend = 1;
    if (sigsetjmp(back, 1) == 0)
        dividend /= divisor;
    if (fpe_seen != 2 || fpe_code != FPE_FLTDIV)
        return 3;
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_UNDERFLOW);
    if (fegetexcept() != FE_UNDERFLOW && fegetexcept() != (FE_UNDERFLOW | FE_DIVBYZERO))
        return 4;
    if (sigsetjmp(back, 1) == 0)
        underflow_event();
    if (fpe_seen != 3 || fpe_code != FPE_FLTUND)
        return 5;
    fedisableexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    events(10);
    raise(SIGFPE);
    if (fpe_seen != 4 || fpe_code > 0)
        return 6;
    if (signal(SIGTRAP, on_trap) != SIG_DFL)
        return 7;
    events(10);
    __asm__ volatile("int3");
    raise(SIGTRAP);
    if (trap_seen != 2)
        return 8;
    events(10);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    events(10);
    sigprocmask(SIG_SETMASK, &before, &all);
    if (sigismember(&all, SIGFPE) != 1 || sigismember(&before, SIGFPE) != 0)
        return 9;
    return 0;
}
