/* Events of the processor, counted around the loops of a test.

   A list has more events than a processor has counters, and events of several processors.  Those that are for this
   one are opened in the process that measures, in groups: an event that no longer fits becomes the first of
   the next group.  Groups are counted one after the other, each around runs of its own, so that none is scaled up
   from a part of the time: a group is pinned, and the kernel counts all of it or nothing.  It counts nothing if others hold some of
   the counters (the kernel's watchdog holds one), so groups become smaller until each is counted; what is not counted
   even alone is not told.  Only what happens in user mode counts.

   The count of a unit is the same difference of two sizes as its time is.  What disturbs (an instruction that is issued
   again after an interrupt) only ever adds, so the smallest of a few counts of each size is nearest to the truth. */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNTS = 5 };

struct opened {
    const struct bench_event *event;
    int file;
    int is_first; /* of a group */
};
static struct opened opened[BENCH_EVENTS];
static unsigned opened_count;

/* As the kernel gives a group. */
struct group_counts {
    uint64_t count, enabled, running, values[BENCH_EVENTS];
};

static int is_for_this_processor(const struct bench_event *event)
{
    unsigned family, model;
    if (!event->model_count)
        return 1;
    bench_identify(&family, &model);
    for (unsigned i = 0; i < event->model_count; i++)
        if (event->family == family && event->models[i] == model)
            return 1;
    return 0;
}

/* A file, or -1 with errno. */
static int open_event(const struct bench_event *event, int leader)
{
    struct perf_event_attr attributes = {.size = sizeof attributes,
                                         .type = event->type,
                                         .config = event->config,
                                         .disabled = leader < 0,
                                         .pinned = leader < 0,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1,
                                         .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                        PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static int is_opened(const char *what)
{
    for (unsigned i = 0; i < opened_count; i++)
        if (!strcmp(opened[i].event->what, what))
            return 1;
    return 0;
}

void bench_events_close(void)
{
    while (opened_count)
        close(opened[--opened_count].file);
}

/* Counts of the group that begins there, around one run of a size; 0: the kernel did not count all the time. */
static int count_group(const struct opened *first, bench_body *body, void *context, int size,
                       struct group_counts *counts)
{
    ioctl(first->file, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    if (ioctl(first->file, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
        return 0;
    body(context, size);
    ioctl(first->file, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    ssize_t got = read(first->file, counts, sizeof *counts);
    return got >= (ssize_t)offsetof(struct group_counts, values) && counts->count <= BENCH_EVENTS &&
           counts->running == counts->enabled && counts->running > 0;
}

/* Groups of at most so many; 0, or the first errno. */
static int open_groups(const struct bench_event *events, size_t count, unsigned most)
{
    int refused = 0, leader = -1;
    unsigned members = 0;
    for (size_t i = 0; i < count && opened_count < BENCH_EVENTS; i++) {
        if (!is_for_this_processor(&events[i]) || is_opened(events[i].what))
            continue;
        int is_first = leader < 0 || members == most, file = is_first ? -1 : open_event(&events[i], leader);
        if (file < 0) {
            is_first = 1;
            file = open_event(&events[i], -1);
        }
        if (file < 0) {
            refused = refused ? refused : errno;
            continue;
        }
        leader = is_first ? file : leader;
        members = is_first ? 1 : members + 1;
        opened[opened_count++] = (struct opened){&events[i], file, is_first};
    }
    return refused;
}

static void do_nothing(void *context, int size)
{
    (void)context;
    (void)size;
}

/* Whether the kernel counts each group. */
static int are_counted(void)
{
    struct group_counts counts;
    for (unsigned i = 0; i < opened_count; i++)
        if (opened[i].is_first && !count_group(&opened[i], do_nothing, NULL, 0, &counts))
            return 0;
    return 1;
}

int bench_events_open(const struct bench_event *events, size_t count)
{
    int refused = 0;
    for (unsigned most = BENCH_EVENTS; most; most /= 2) {
        bench_events_close();
        refused = open_groups(events, count, most);
        if (are_counted())
            break;
    }
    return refused;
}

void bench_print_events(FILE *out, const struct bench_event *events, size_t count)
{
    int refused = bench_events_open(events, count);
    if (!opened_count)
        fprintf(out, "# no counters %d", refused);
    else
        fputs("# counters", out);
    for (unsigned i = 0; i < opened_count; i++)
        fprintf(out, " %s", opened[i].event->what);
    putc('\n', out);
    bench_events_close();
}

/* Sorted counts of both sizes. */
static void conclude(double sizes[2][COUNTS], double units, struct bench_count *count)
{
    for (int size = 0; size < 2; size++)
        qsort(sizes[size], COUNTS, sizeof(double), bench_by_size);
    double best = (sizes[1][0] - sizes[0][0]) / units;
    double median = (sizes[1][COUNTS / 2] - sizes[0][COUNTS / 2]) / units;
    count->count = best > 0 ? best : 0;
    /* Of what never happens, a stray event is no spread. */
    count->spread = fabs(median - best) / fmax(fmax(median, best), 0.05);
}

void bench_events_count(bench_body *body, void *context, double units, struct bench_result *result)
{
    result->counted = 0;
    for (unsigned first = 0, next; first < opened_count; first = next) {
        double values[BENCH_EVENTS][2][COUNTS];
        int is_whole = 1;
        for (next = first + 1; next < opened_count && !opened[next].is_first;)
            next++;
        for (int i = 0; i < COUNTS && is_whole; i++)
            for (int size = 0; size < 2 && is_whole; size++) {
                struct group_counts counts = {0};
                is_whole = count_group(&opened[first], body, context, size, &counts) && counts.count == next - first;
                for (unsigned k = first; is_whole && k < next; k++)
                    values[k][size][i] = (double)counts.values[k - first];
            }
        for (unsigned k = first; is_whole && k < next; k++) {
            struct bench_count *count = &result->counts[result->counted++];
            strcpy(count->what, opened[k].event->what);
            conclude(values[k], units, count);
        }
    }
}
