/* Two threads compute and meet after every piece of work.  One has four times as much to do, so that the
   other waits for it most of the time.  In waiting-without.c there is only one.

   Neoverse V1, two cores that others use too: 4.1 cycles an iteration, and 16.8 more by the clock; 4.0
   without; predicted: 4.0. */
#include <pthread.h>
#include <stdio.h>
#ifndef THREADS
#define THREADS 2
#define PIECES 300
#endif
enum { PIECE = 100000 };
static pthread_barrier_t barrier;

__attribute__((noipa)) static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

__attribute__((noipa)) static double quick(double x)
{
    for (long i = 1; i <= (long)PIECES * PIECE; i++) {
        x = x * 0.999 + 0.5;
        if (i % PIECE == 0)
            meet();
    }
    return x;
}

static void *slow(void *unused)
{
    volatile double x = 1;
    for (long i = 1; i <= (long)PIECES * PIECE; i++) {
        x = x * 0.999 + 0.5;
        if (i % PIECE == 0)
            meet();
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_barrier_init(&barrier, NULL, THREADS);
    if (THREADS > 1)
        pthread_create(&other, NULL, slow, NULL);
    printf("%g\n", quick(1));
    if (THREADS > 1)
        pthread_join(other, NULL);
    return 0;
}
