/* Things that a runtime inside a program does not expect; the first word chooses.  Prints what it counted itself. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

__attribute__((noinline)) long work(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static long many(long count)
{
    long x = 0;
    for (long i = 0; i < count; i++)
        x = work(x);
    return x;
}

static volatile long signals;

__attribute__((noinline)) void on_alarm(int number)
{
    (void)number;
    signals++;
}

/* Signals between any two instructions. */
static void storm(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    long sum = 0;
    while (signals < 2000)
        sum += many(10000);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("work %ld signals %ld\n", sum, signals);
}

int main(int count, char **words)
{
    const char *word = count > 1 ? words[1] : "";
    if (!strcmp(word, "storm"))
        storm();
    return 0;
}
