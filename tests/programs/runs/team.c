/* OpenMP: threads (argument: how many, up to 8) compute, the first one three times as long; then they meet at a barrier.
   Processor time of each for computing, and in the barriers, and its time by the clock on the wall: "NUMBER ID COMPUTED
   WAITED WALL". */
#include "own_clock.h"
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) double spin(double wanted)
{
    double x = 1;
    for (double start = own_seconds(); own_seconds() - start < wanted;)
        for (int i = 0; i < 10000; i++)
            x = x * 0.5 + 1;
    return x;
}
int main(int argc, char **argv)
{
    double computed[8] = {0}, waited[8] = {0}, wall[8] = {0};
    long ids[8] = {0};
    int count = argc > 1 ? atoi(argv[1]) : 4;
    if (count < 1 || count > 8)
        return 2;
#pragma omp parallel num_threads(count)
    {
        int me = omp_get_thread_num();
        ids[me] = syscall(SYS_gettid);
        double began = omp_get_wtime();
        for (int round = 0; round < 5; round++) {
            double start = own_seconds();
            spin(me ? 0.04 : 0.12);
            double done = own_seconds();
            computed[me] += done - start;
#pragma omp barrier
            waited[me] += own_seconds() - done;
        }
        wall[me] = omp_get_wtime() - began;
    }
    for (int i = 0; i < count; i++)
        printf("%d %ld %g %g %g\n", i, ids[i], computed[i], waited[i], wall[i]);
    return 0;
}
