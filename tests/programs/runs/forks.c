/* A parent and two children; each computes for its own number of seconds. */
#include "own_clock.h"
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) double spin(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 10000; i++)
            x = x * 0.5 + 1;
    return x;
}
int main(void)
{
    static const double wanted[] = {0.3, 0.6};
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (!child) {
            spin(wanted[i]);
            _exit(0);
        }
        printf("%d %g\n", (int)child, wanted[i]);
    }
    printf("%d 0.9\n", (int)getpid());
    spin(0.9);
    while (wait(NULL) > 0)
        continue;
    return 0;
}
