#include "runtime/sample/real.h"

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
        {(void **)&functions.fork_plain, "_Fork"},
        {(void **)&functions.dlclose, "dlclose"},
        {(void **)&functions.sigaction, "sigaction"},
        {(void **)&functions.pthread_sigmask, "pthread_sigmask"},
        {(void **)&functions.signal_simply, "signal"},
        {(void **)&functions.bsd_signal_simply, "bsd_signal"},
        {(void **)&functions.ssignal_simply, "ssignal"},
        {(void **)&functions.sysv_signal_simply, "sysv_signal"},
        {(void **)&functions.__sysv_signal_simply, "__sysv_signal"},
        {(void **)&functions.sigsuspend, "sigsuspend"},
        {(void **)&functions.pause, "pause"},
        {(void **)&functions.sigwait, "sigwait"},
        {(void **)&functions.sigwaitinfo, "sigwaitinfo"},
        {(void **)&functions.sigtimedwait, "sigtimedwait"},
        {(void **)&functions.nanosleep, "nanosleep"},
        {(void **)&functions.clock_nanosleep, "clock_nanosleep"},
        {(void **)&functions.thrd_sleep, "thrd_sleep"},
        {(void **)&functions.usleep, "usleep"},
        {(void **)&functions.sleep, "sleep"},
        {(void **)&functions.poll, "poll"},
        {(void **)&functions.__poll_chk, "__poll_chk"},
        {(void **)&functions.ppoll, "ppoll"},
        {(void **)&functions.__ppoll_chk, "__ppoll_chk"},
        {(void **)&functions.select, "select"},
        {(void **)&functions.pselect, "pselect"},
        {(void **)&functions.epoll_wait, "epoll_wait"},
        {(void **)&functions.epoll_pwait, "epoll_pwait"},
        {(void **)&functions.epoll_pwait2, "epoll_pwait2"},
        {(void **)&functions.sem_timedwait, "sem_timedwait"},
        {(void **)&functions.sem_clockwait, "sem_clockwait"},
        {(void **)&functions.semop, "semop"},
        {(void **)&functions.semtimedop, "semtimedop"},
        {(void **)&functions.msgrcv, "msgrcv"},
        {(void **)&functions.msgsnd, "msgsnd"},
    };
    real_functions_find(wanted, sizeof wanted / sizeof *wanted, &is_ready);
    return &functions;
}
