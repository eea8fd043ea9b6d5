/* The main program of every kernel.
     program            sets the data up, runs the kernel three times and prints the result
     program SECONDS    then runs it in slices of a millisecond for that long, and prints the nanoseconds of a run in the
                        quickest slice on a second line: on a busy machine that one was not interrupted */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "corpus.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static double slice(long repetitions)
{
    double start = now();
    for (long i = 0; i < repetitions; i++)
        run();
    return now() - start;
}

int main(int count, char **words)
{
    set_up();
    for (int i = 0; i < 3; i++)
        run();
    printf("%.9g\n", result());
    if (count < 2)
        return 0;
    double end = now() + atof(words[1]), best = 1e9;
    long repetitions = 1;
    while (slice(repetitions) < 1e-3 && repetitions < 1L << 40)
        repetitions *= 2;
    do {
        double seconds = slice(repetitions);
        if (seconds < best)
            best = seconds;
    } while (now() < end);
    printf("%.9g\n", best / (double) repetitions * 1e9);
    return 0;
}
