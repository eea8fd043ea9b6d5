/* crash HOW: 50 events, then it ends by a signal (segv, abort, kill, divide, trap, or quit by _exit). */
#include "counted.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    volatile int zero = 0, one = 1;
    for (int i = 0; i < 50; i++)
        operand_event();
    if (strcmp(how, "segv") == 0)
        *(volatile int *)(long)zero = 1;
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "divide") == 0)
        return one / zero;
    if (strcmp(how, "trap") == 0)
        __asm__ volatile("int3");
    if (strcmp(how, "quit") == 0)
        _exit(5);
    return 0;
}
