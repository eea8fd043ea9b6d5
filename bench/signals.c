/* The cost of signals on this machine: the reference for the exact mode of the denormal profiler.

       signals [COUNT]

   Prints nanoseconds of processor time for three cases, each done COUNT times with minimal handlers.

   Trap and step: a denormal operand ends in SIGFPE, whose handler masks the exception and asks for a single
   step; SIGTRAP after the instruction undoes both. Letting one instruction through takes these two
   deliveries.

   Two breakpoints: int3 twice, with an empty handler for SIGTRAP.  Two deliveries without single steps, which
   can be expensive on virtual machines.

   One trap: a denormal operand ends in SIGFPE, whose handler steps over the instruction. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

enum { ALL_MASKED = 0x1f80, DENORMAL_MASK = 0x100, STATUS = 0x3f, TRAP_FLAG = 0x100, ADDITION_BYTES = 4 };

static volatile long delivered;

static void do_nothing(int number)
{
    (void)number;
    delivered++;
}

static void let_through(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;
    (void)number, (void)information;
    delivered++;
    interrupted->uc_mcontext.fpregs->mxcsr |= DENORMAL_MASK;
    interrupted->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void take_back(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;
    (void)number, (void)information;
    delivered++;
    interrupted->uc_mcontext.fpregs->mxcsr &= ~(unsigned)(DENORMAL_MASK | STATUS);
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void step_over(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;
    (void)number, (void)information;
    delivered++;
    interrupted->uc_mcontext.fpregs->mxcsr &= ~(unsigned)STATUS;
    interrupted->uc_mcontext.gregs[REG_RIP] += ADDITION_BYTES;
}

static void set_handler(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(number, &action, NULL);
}

static void set_masks(unsigned masks)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(masks));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The form with a plain base register, which is ADDITION_BYTES long. */
static double add_denormals(long count)
{
    static const float denormal = 0x1p-130f;
    float sum = 1;
    set_masks(ALL_MASKED & ~DENORMAL_MASK);
    double start = seconds();
    for (long i = 0; i < count; i++)
        __asm__ volatile("addss (%%rdx), %0" : "+x"(sum) : "d"(&denormal), "m"(denormal));
    double spent = seconds() - start;
    set_masks(ALL_MASKED);
    return spent;
}

static double break_twice(long count)
{
    signal(SIGTRAP, do_nothing);
    double start = seconds();
    for (long i = 0; i < count; i++)
        __asm__ volatile("int3\n\tint3");
    return seconds() - start;
}

int main(int count, char **words)
{
    long times = count > 1 ? atol(words[1]) : 50000;
    set_handler(SIGFPE, let_through);
    set_handler(SIGTRAP, take_back);
    double both = add_denormals(times);
    set_handler(SIGFPE, step_over);
    double one = add_denormals(times);
    double breakpoints = break_twice(times);
    if (delivered != 5 * times) {
        fprintf(stderr, "signals: %ld deliveries of %ld\n", delivered, 5 * times);
        return 1;
    }
    double each = 1e9 / (double)times;
    printf("%.1f %.1f %.1f\n", both * each, breakpoints * each, one * each);
    return 0;
}
