/* Things that a runtime inside a program does not expect; the first word chooses.  Prints what it counted itself. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
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

static int child(void *nothing)
{
    (void)nothing;
    many(30000);
    _exit(0);
}

/* A child that fork did not make. */
static void cloned(int is_by_hand)
{
    enum { STACK_BYTES = 1 << 20 };
    char *stack = malloc(STACK_BYTES);
    long before = many(5000);
    pid_t number = is_by_hand ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)
                              : clone(child, stack + STACK_BYTES, SIGCHLD, NULL);
    if (number == 0)
        child(NULL);
    printf("work %ld\n", before + many(50000));
    waitpid(number, NULL, 0);
    free(stack);
}

int main(int count, char **words)
{
    const char *word = count > 1 ? words[1] : "";
    if (!strcmp(word, "storm"))
        storm();
    if (!strcmp(word, "clone") || !strcmp(word, "system call"))
        cloned(*word == 's');
    return 0;
}
