/* What a program sees of the library that samples it by timers: nothing.  Each line must be the same with and
   without it. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { MILLION = 1000000, PAGE = 65536 };
static volatile int ticks, queued;
static ucontext_t outside, inside;

__attribute__((noinline)) static unsigned long work(unsigned long count)
{
    unsigned long value = 1;
    for (unsigned long i = 0; i < count; i++) {
        value = value * 6364136223846793005ul + i;
        __asm__ volatile("" ::"r"(value));
    }
    return value;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* No wait is interrupted, though each is also time of the processor. */
static void waits(void)
{
    int interrupted = 0;
    sem_t semaphore;
    sigset_t none, user;
    sigemptyset(&none);
    sigemptyset(&user);
    sigaddset(&user, SIGUSR2);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < 2000 && processor_seconds() < 0.1; i++) {
        struct timespec brief = {0, 50000}, past = {0, 0};
        struct timeval short_time = {0, 50};
        work(20000);
        interrupted += nanosleep(&brief, NULL) != 0;
        interrupted += clock_nanosleep(CLOCK_MONOTONIC, 0, &brief, NULL) != 0;
        interrupted += usleep(50) != 0;
        interrupted += poll(NULL, 0, 1) != 0;
        interrupted += select(0, NULL, NULL, NULL, &short_time) != 0;
        interrupted += ppoll(NULL, 0, &brief, NULL) != 0;
        interrupted += ppoll(NULL, 0, &brief, &none) != 0;
        interrupted += pselect(0, NULL, NULL, NULL, &brief, &none) != 0;
        interrupted += sigtimedwait(&user, NULL, &brief) != -1 || errno != EAGAIN;
        interrupted += sem_timedwait(&semaphore, &past) != -1 || errno != ETIMEDOUT;
    }
    printf("interrupted: %d\n", interrupted);
}

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
}

static void profiler(void)
{
    struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    signal(SIGPROF, on_tick);
    setitimer(ITIMER_PROF, &often, NULL);
    while (ticks < 5)
        work(MILLION);
    setitimer(ITIMER_PROF, &never, NULL);
    signal(SIGPROF, SIG_DFL);
    puts("its own SIGPROF comes");
}

static void on_queued(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    queued += info->si_value.sival_int == 42;
}

/* All of them are the program's, whichever the library uses. */
static void real_time_signals(void)
{
    for (int i = SIGRTMIN; i < SIGRTMAX; i++) {
        struct sigaction action = {.sa_flags = SA_SIGINFO}, before;
        action.sa_sigaction = on_queued;
        if (sigaction(i, &action, &before) || before.sa_handler != SIG_DFL)
            printf("signal %d was taken\n", i);
        sigqueue(getpid(), i, (union sigval){.sival_int = 42});
        work(MILLION);
        if (sigaction(i, NULL, &before) || before.sa_sigaction != on_queued)
            printf("signal %d has another handler\n", i);
        signal(i, SIG_IGN);
        kill(getpid(), i);
        if (signal(i, SIG_DFL) != SIG_IGN)
            printf("signal %d was not ignored\n", i);
    }
    printf("real-time signals: %s\n", queued == SIGRTMAX - SIGRTMIN ? "all" : "some");
}

static void *wait_for_signal(void *signal)
{
    sigset_t all;
    sigfillset(&all);
    sigwait(&all, signal);
    return NULL;
}

static void *wait_forever(void *nothing)
{
    for (;;)
        poll(NULL, 0, 1000);
    return nothing;
}

static void threads(void)
{
    sigset_t all, before, now;
    pthread_t thread;
    void *result;
    int got = 0, holes = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    for (int i = SIGRTMIN; i < SIGRTMAX; i++)
        holes += sigismember(&now, i) != 1 || sigismember(&before, i) != 0;
    pthread_create(&thread, NULL, wait_for_signal, &got);
    work(30 * MILLION);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    printf("a thread got %s; holes in masks: %d\n", got == SIGUSR1 ? "SIGUSR1" : "something else", holes);
    pthread_create(&thread, NULL, wait_forever, NULL);
    usleep(2000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("canceled: %d\n", result == PTHREAD_CANCELED);
}

static void run_inside(void)
{
    work(40 * MILLION);
}

/* A stack of its own, with nothing to be read on either side. */
static void coroutine(void)
{
    char *memory = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE);
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory + PAGE;
    inside.uc_stack.ss_size = PAGE;
    inside.uc_link = &outside;
    makecontext(&inside, run_inside, 0);
    swapcontext(&outside, &inside);
    puts("back from the coroutine");
}

int main(void)
{
    stack_t stack;
    setvbuf(stdout, NULL, _IOLBF, 0);
    waits();
    profiler();
    real_time_signals();
    threads();
    coroutine();
    errno = 77;
    work(30 * MILLION);
    printf("errno: %d\n", errno);
    sigaltstack(NULL, &stack);
    printf("no signal stack: %d\n", stack.ss_flags == SS_DISABLE);
    return 7;
}
