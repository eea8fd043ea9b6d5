/* Things that a runtime inside a program does not expect; the first word chooses.  Prints what it counted itself. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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

static volatile long signals, calls_of_handlers, most_calls;

__attribute__((noinline)) void on_alarm(int number)
{
    (void)number;
    long calls = __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED) * 7919 % most_calls;
    many(calls);
    __atomic_add_fetch(&calls_of_handlers, calls, __ATOMIC_RELAXED);
}

/* A signal every so many microseconds. */
static void begin(int number, long each)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct itimerspec often = {{0, each * 1000}, {0, each * 1000}};
    timer_t timer;
    sigaction(number, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
}

/* Signals between any two instructions; a handler makes less than so many calls, and may be interrupted by others. */
static void storm(long calls, int handlers)
{
    sigset_t all;
    most_calls = calls;
    for (int i = 0; i < handlers; i++)
        begin(i ? SIGRTMIN + i : SIGALRM, 50 * handlers);
    long sum = 0;
    while (signals < 2000)
        sum += many(10000);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    printf("work %ld signals %ld\n", sum + calls_of_handlers, signals);
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
        storm(1, 1);
    if (!strcmp(word, "long storm"))
        storm(3000, 1);
    if (!strcmp(word, "crossed storms"))
        storm(10, 4);
    if (!strcmp(word, "clone") || !strcmp(word, "system call"))
        cloned(*word == 's');
    return 0;
}
