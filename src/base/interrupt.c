#include "base/interrupt.h"

#include "base/leftovers.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t has_come;

static void note(int number)
{
    (void)number;
    has_come = 1;
    leftovers_guard();
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    has_come = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

bool interrupt_came(void)
{
    return has_come;
}

void interrupt_release(void)
{
    has_come = 0;
    leftovers_guard();
}
