/* signal() and its kin, for libraries that stand in for sigaction: included by one file of each of them. */
#ifndef RUNTIME_COMMON_SET_SIMPLY_H
#define RUNTIME_COMMON_SET_SIMPLY_H
#include <errno.h>
#include <signal.h>
#include <stddef.h>

/* By the library's own sigaction. */
static sighandler_t set_simply(int signal, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_flags = flags}, old;
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* SET(name, flags) for each. */
#define EVERY_SIMPLE_SIGNAL(SET)                                                                             \
    SET(signal, SA_RESTART)                                                                                  \
    SET(bsd_signal, SA_RESTART)                                                                              \
    SET(ssignal, SA_RESTART)                                                                                 \
    SET(sysv_signal, (int)SA_RESETHAND | SA_NODEFER)                                                         \
    SET(__sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
#endif
