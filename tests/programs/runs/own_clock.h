/* Programs that measure themselves: processor time of the thread, and lines "NAME SECONDS" at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
