/* Reads /proc/stat and /proc/PID/task/TID/schedstat.  The account of a thread goes with it: a process that has ended still has
   that of its first thread until somebody waits for it. */
#include "run/launch/accounts.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct accounts_computer accounts_of_computer(void)
{
    enum { IDLE = 3, WAITS_FOR_DISC = 4, FEWEST = 5, MOST = 8 };
    double ticks[MOST] = {0}, second = (double)sysconf(_SC_CLK_TCK), all = 0;
    FILE *file = fopen("/proc/stat", "re");
    int count = file ? fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0], &ticks[1], &ticks[2],
                              &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7])
                     : 0;
    if (file)
        fclose(file);
    if (count < FEWEST)
        return (struct accounts_computer){NAN, NAN};
    for (int i = 0; i < count; i++)
        all += ticks[i];
    return (struct accounts_computer){(all - ticks[IDLE] - ticks[WAITS_FOR_DISC]) / second, all / second};
}

bool accounts_of_thread(uint32_t process, uint32_t thread, struct accounts_thread *account)
{
    char path[60], text[100];
    snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", process, thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return false;
    char *end;
    text[size] = 0;
    account->ran = strtoull(text, &end, 10);
    account->queued = strtoull(end, NULL, 10);
    return account->ran || account->queued;
}
