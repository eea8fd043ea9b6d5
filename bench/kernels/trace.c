/* Which loop of a kernel does the work, exactly: a child runs it step by step.

   The places it passes are kept.  A jump backwards makes a loop of all between its target and itself; the
   smallest loop in which at least half of the steps happen is the one.  What is executed from one arrival at
   its head to the next is an iteration; the most frequent way through is printed as bytes, in the order of
   execution, with how often it is the way taken.  Two trip counts tell how many iterations of the source an
   iteration of the loop does.

   Lengths of x86 instructions come from the steps as well: where the next one went, if it is not far. */
#define _GNU_SOURCE
#include "driver.h"
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_AT_MOST = 1 << 20, BODY_AT_MOST = 4096, WAYS_AT_MOST = 64 };

struct trace {
    uint64_t steps[STEPS_AT_MOST];
    long count;
};

static struct trace shorter, longer;

struct loop {
    uint64_t head, end;
    long iterations;
    long first, length; /* steps of its most frequent way */
    double share;
};

static bool read_place(pid_t child, uint64_t *place, uint64_t *back)
{
    struct user_regs_struct registers;
    struct iovec vector = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &vector))
        return false;
#if defined __x86_64__
    *place = registers.rip;
    *back = registers.rsp;
#else
    *place = registers.pc;
    *back = registers.regs[30];
#endif
    return true;
}

/* Steps from the kernel's first instruction until it returns. */
static bool record(const struct kernel *kernel, long count, struct trace *trace)
{
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        struct arrays arrays;
        fill_arrays(kernel, &arrays);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        kernel->run(&arrays, count);
        _exit(0);
    }
    int status;
    bool inside = false, done = false;
    uint64_t place, back, home = 0;
    trace->count = 0;
    waitpid(child, &status, 0);
    for (long i = 0;
         WIFSTOPPED(status) && !done && trace->count < STEPS_AT_MOST && read_place(child, &place, &back);
         i++) {
        if (!inside && place == (uint64_t)(uintptr_t)kernel->run) {
            inside = true;
#if defined __x86_64__
            home = (uint64_t)ptrace(PTRACE_PEEKDATA, child, (void *)(uintptr_t)back, NULL);
#else
            home = back;
#endif
        }
        done = inside && place == home;
        if (inside)
            trace->steps[trace->count++] = place;
        if (!done && (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) < 0))
            break;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return done;
}

static long count_between(const struct trace *trace, uint64_t head, uint64_t end)
{
    long count = 0;
    for (long i = 0; i < trace->count; i++)
        count += trace->steps[i] >= head && trace->steps[i] <= end;
    return count;
}

static long growth(uint64_t head, uint64_t end)
{
    return count_between(&longer, head, end) - count_between(&shorter, head, end);
}

static bool find_loop(struct loop *loop)
{
    struct loop found[WAYS_AT_MOST];
    int number = 0;
    for (long i = 0; i + 1 < longer.count; i++) {
        if (longer.steps[i + 1] > longer.steps[i])
            continue;
        int k = 0;
        while (k < number && found[k].head != longer.steps[i + 1])
            k++;
        if (k == WAYS_AT_MOST)
            continue;
        if (k == number)
            found[number++] = (struct loop){.head = longer.steps[i + 1], .end = longer.steps[i]};
        else if (longer.steps[i] > found[k].end)
            found[k].end = longer.steps[i];
    }
    bool any = false;
    for (int k = 0; k < number; k++) {
        bool smaller = !any || found[k].end - found[k].head < loop->end - loop->head;
        if (smaller && growth(found[k].head, found[k].end) * 2 >= longer.count - shorter.count) {
            *loop = found[k];
            any = true;
        }
    }
    return any;
}

/* The ways from the head to the head; the most frequent one. */
static void follow_loop(const struct trace *trace, struct loop *loop)
{
    struct way {
        uint64_t hash;
        long first, length, times;
    } ways[WAYS_AT_MOST];
    int number = 0;
    long start = -1, whole = 0;
    uint64_t hash = 0;
    loop->iterations = 0;
    for (long i = 0; i < trace->count; i++) {
        if (trace->steps[i] == loop->head) {
            loop->iterations++;
            int k = 0;
            while (k < number && ways[k].hash != hash)
                k++;
            if (start >= 0 && k < number)
                ways[k].times++;
            else if (start >= 0 && k < WAYS_AT_MOST)
                ways[number++] = (struct way){hash, start, i - start, 1};
            whole += start >= 0;
            start = i;
            hash = 14695981039346656037u;
        }
        hash = (hash ^ trace->steps[i]) * 1099511628211u;
    }
    loop->length = 0;
    loop->share = 0;
    for (int k = 0; k < number; k++)
        if (ways[k].times > loop->share * (double)whole) {
            loop->share = (double)ways[k].times / (double)whole;
            loop->first = ways[k].first;
            loop->length = ways[k].length;
        }
}

static int instruction_length(const struct trace *trace, uint64_t place)
{
#if defined __x86_64__
    int length = 0;
    for (long i = 0; i + 1 < trace->count; i++)
        if (trace->steps[i] == place && trace->steps[i + 1] > place && trace->steps[i + 1] - place <= 15 &&
            (!length || (int)(trace->steps[i + 1] - place) < length))
            length = (int)(trace->steps[i + 1] - place);
    const unsigned char *code = (const unsigned char *)(uintptr_t)place;
    if (code[0] == 0xeb || (code[0] & 0xf0) == 0x70)
        length = 2;
    else if (code[0] == 0xe9)
        length = 5;
    else if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
        length = 6;
    return length;
#else
    (void)place;
    return 4;
#endif
}

void print_trace(const struct kernel *kernel)
{
    const long first = FIRST_COUNT,
               second = 2 * FIRST_COUNT; /* whatever the unrolling, the rests are equal */
    struct loop loop = {0}, short_loop;
    bool found = record(kernel, first, &shorter) && record(kernel, second, &longer) && find_loop(&loop);
    if (found) {
        short_loop = loop;
        follow_loop(&shorter, &short_loop);
        follow_loop(&longer, &loop);
        found = loop.length && loop.length <= BODY_AT_MOST && loop.iterations > short_loop.iterations;
    }
    if (!found) {
        printf("%s,,,,\n", kernel->name);
        return;
    }
    printf("%s,%.4f,%.3f,%lx,", kernel->name,
           (double)(second - first) / (double)(loop.iterations - short_loop.iterations), loop.share,
           (unsigned long)loop.head);
    for (long i = loop.first; i < loop.first + loop.length; i++) {
        const unsigned char *code = (const unsigned char *)(uintptr_t)longer.steps[i];
        for (int k = 0, length = instruction_length(&longer, longer.steps[i]); k < length; k++)
            printf("%02x", code[k]);
    }
    printf("\n");
}
