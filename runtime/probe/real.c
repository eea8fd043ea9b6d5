#include "runtime/probe/real.h"

#include "runtime/common/real_functions.h"

static struct real_functions functions;
static bool is_ready;

const struct real_functions *real(void)
{
    if (__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE))
        return &functions;
    struct real_function wanted[] = {
        {(void **)&functions.pthread_create, "pthread_create"},
        {(void **)&functions.thrd_create, "thrd_create"},
        {(void **)&functions.clone, "clone"},
        {(void **)&functions.execve, "execve"},
        {(void **)&functions.execvpe, "execvpe"},
        {(void **)&functions.fexecve, "fexecve"},
        {(void **)&functions.execveat, "execveat"},
        {(void **)&functions.quick_exit, "quick_exit"},
        {(void **)&functions.fork_plain, "_Fork"},
        {(void **)&functions.sigaction, "sigaction"},
        {(void **)&functions.pthread_sigmask, "pthread_sigmask"},
        {(void **)&functions.sigsuspend, "sigsuspend"},
        {(void **)&functions.signal_simply, "signal"},
        {(void **)&functions.bsd_signal_simply, "bsd_signal"},
        {(void **)&functions.ssignal_simply, "ssignal"},
        {(void **)&functions.sysv_signal_simply, "sysv_signal"},
        {(void **)&functions.__sysv_signal_simply, "__sysv_signal"},
    };
    real_functions_find(wanted, sizeof wanted / sizeof *wanted, &is_ready);
    return &functions;
}
