/* Which loop of a kernel does the work, exactly: a child runs it step by step.

   The places it passes are kept.  A jump backwards makes a loop of all between its target and itself; the
   smallest loop in which at least half of the steps happen is the one.  What is executed from one arrival at
   its head to the next is an iteration; the most frequent way through is printed as bytes, in the order of
   execution, with how often it is the way taken.  Two trip counts tell how many iterations of the source an
   iteration of the loop does.  Where iterations go different ways, the others are printed too, each with its
   share, and how often in an iteration a branch goes another way than the last time.

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

enum {
    STEPS_AT_MOST = 1 << 20,
    BODY_AT_MOST = 4096,
    WAYS_AT_MOST = 64,
    WAYS_PRINTED = 16,
    BRANCHES_AT_MOST = 256
};

struct trace {
    uint64_t steps[STEPS_AT_MOST];
    long count;
};

static struct trace shorter, longer;

/* From the head to the head. */
struct way {
    uint64_t hash;
    long first, length, times; /* steps; how often */
};

struct loop {
    uint64_t head, end;
    long iterations, whole;        /* arrivals at the head, and those that are followed by another */
    struct way ways[WAYS_AT_MOST]; /* the most frequent first */
    int way_count;
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

static int more_frequent(const void *first, const void *second)
{
    const struct way *a = first, *b = second;
    return a->times != b->times ? (a->times < b->times ? 1 : -1)
                                : (a->first > b->first) - (a->first < b->first);
}

static void follow_loop(const struct trace *trace, struct loop *loop)
{
    long start = -1;
    uint64_t hash = 0;
    loop->iterations = loop->whole = 0;
    loop->way_count = 0;
    for (long i = 0; i < trace->count; i++) {
        if (trace->steps[i] == loop->head) {
            loop->iterations++;
            int k = 0;
            while (k < loop->way_count && loop->ways[k].hash != hash)
                k++;
            if (start >= 0 && k < loop->way_count)
                loop->ways[k].times++;
            else if (start >= 0 && k < WAYS_AT_MOST)
                loop->ways[loop->way_count++] = (struct way){hash, start, i - start, 1};
            loop->whole += start >= 0;
            start = i;
            hash = 14695981039346656037u;
        }
        hash = (hash ^ trace->steps[i]) * 1099511628211u;
    }
    qsort(loop->ways, (size_t)loop->way_count, sizeof *loop->ways, more_frequent);
}

/* How often in an iteration a step is followed by another place than the last time. */
static double count_turns(const struct trace *trace, const struct loop *loop)
{
    struct {
        uint64_t place, next;
    } last[BRANCHES_AT_MOST];
    int number = 0;
    long turns = 0, first = 0, end = trace->count - 1;
    while (first < end && trace->steps[first] != loop->head)
        first++;
    while (end > first && trace->steps[end] != loop->head)
        end--;
    for (long i = first; i < end; i++) {
        int k = 0;
        while (k < number && last[k].place != trace->steps[i])
            k++;
        if (k == BRANCHES_AT_MOST)
            continue;
        turns += k < number && last[k].next != trace->steps[i + 1];
        number += k == number;
        last[k].place = trace->steps[i];
        last[k].next = trace->steps[i + 1];
    }
    return (double)turns / (double)loop->whole;
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

static double share(const struct loop *loop, int way)
{
    return (double)loop->ways[way].times / (double)loop->whole;
}

static void print_bytes(const struct way *way)
{
    for (long i = way->first; i < way->first + way->length; i++) {
        const unsigned char *code = (const unsigned char *)(uintptr_t)longer.steps[i];
        for (int k = 0, length = instruction_length(&longer, longer.steps[i]); k < length; k++)
            printf("%02x", code[k]);
    }
}

void print_trace(const struct kernel *kernel)
{
    const long first = FIRST_COUNT,
               second = 2 * FIRST_COUNT; /* whatever the unrolling, the rests are equal */
    static struct loop loop, short_loop;
    bool found = record(kernel, first, &shorter) && record(kernel, second, &longer) && find_loop(&loop);
    if (found) {
        short_loop = loop;
        follow_loop(&shorter, &short_loop);
        follow_loop(&longer, &loop);
        found =
            loop.way_count && loop.ways[0].length <= BODY_AT_MOST && loop.iterations > short_loop.iterations;
    }
    if (!found) {
        printf("%s,,,,,,\n", kernel->name);
        return;
    }
    printf("%s,%.4f,%.3f,%lx,", kernel->name,
           (double)(second - first) / (double)(loop.iterations - short_loop.iterations), share(&loop, 0),
           (unsigned long)loop.head);
    print_bytes(&loop.ways[0]);
    printf(",%.3f,", count_turns(&longer, &loop));
    for (int k = 1; k < loop.way_count && k < WAYS_PRINTED && share(&loop, k) >= 0.01; k++) {
        printf("%s%.3f ", k > 1 ? " " : "", share(&loop, k));
        print_bytes(&loop.ways[k]);
    }
    printf("\n");
}
