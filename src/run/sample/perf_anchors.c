/* Keeps processes that start many short ones in sight.

   When a processor goes from one thread to another and both have the same inherited events, the kernel does
   not switch events: it swaps them.  So what a process ran since its last sample goes to its child, and is
   lost when that ends.  A shell that starts one short command after the other never gets a sample.  An anchor
   on the thread prevents that: an event that counts nothing and is not inherited, so that parent and child do
   not have the same events.

   Without swaps each switch between threads of the process costs nearly a microsecond more.  So only threads
   that start many processes get an anchor: programs that only have threads keep their speed. */
#include "run/sample/perf_parts.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MANY = 4 };

static void anchor(struct perf_anchors *anchors, uint32_t thread)
{
    struct perf_event_attr attribute = {.size = sizeof attribute,
                                        .type = PERF_TYPE_SOFTWARE,
                                        .config = PERF_COUNT_SW_DUMMY,
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1};
    int file = (int)syscall(SYS_perf_event_open, &attribute, (pid_t)thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return;
    int *place = &anchors->files[anchors->next++ % PERF_ANCHORS];
    if (*place)
        close(*place);
    *place = file;
}

void perf_anchors_look(struct perf_anchors *anchors, const struct perf_event_header *record)
{
    uint32_t numbers[4]; /* process, its parent, thread, its parent */
    if (record->type != PERF_RECORD_FORK || record->size < sizeof *record + sizeof numbers)
        return;
    memcpy(numbers, record + 1, sizeof numbers);
    bool is_process = numbers[0] != numbers[1];
    if (!is_process)
        return;
    uint32_t thread = numbers[3];
    struct perf_forker *forker = &anchors->forkers[thread % PERF_FORKERS];
    if (forker->thread != thread)
        *forker = (struct perf_forker){.thread = thread};
    if (++forker->count == MANY)
        anchor(anchors, thread);
}

void perf_anchors_end(struct perf_anchors *anchors)
{
    for (size_t i = 0; i < PERF_ANCHORS; i++)
        if (anchors->files[i])
            close(anchors->files[i]);
}
