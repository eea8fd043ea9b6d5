/* The tracer's part of the library that Valgrind preloads into the program: the function that marks phases,
   and a handler for SIGUSR1 that also marks one, if the program starts without a handler.

   The library is linked without libc; sigaction is the program's own, and a program without it has no
   handler. */
#include "assay/denormals.h"

#include <signal.h>
#include <stddef.h>

extern int sigaction(int number, const struct sigaction *action, struct sigaction *before)
    __attribute__((weak));

__attribute__((visibility("default"))) void assay_denormal_phase(const char *name)
{
    assay_denormal_request(name);
}

static void mark(int number)
{
    (void)number;
    assay_denormal_request("signal");
}

__attribute__((constructor)) static void listen(void)
{
    struct sigaction action = {.sa_handler = mark, .sa_flags = SA_RESTART}, before;
    if (!sigaction || sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    sigaction(SIGUSR1, &action, NULL);
}
