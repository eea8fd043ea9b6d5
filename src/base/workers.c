#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_WORKERS = 64 };

struct shared_work {
    atomic_size_t next;
    size_t count;
    work_function *function;
    void *context;
};

struct one_worker {
    struct shared_work *work;
    unsigned number;
    pthread_t thread;
};

unsigned workers_count(unsigned threads)
{
    if (!threads) {
        cpu_set_t set;
        threads = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    }
    return threads < 1 ? 1 : threads > MOST_WORKERS ? MOST_WORKERS : threads;
}

static void *take_items(void *pointer)
{
    struct one_worker *worker = pointer;
    struct shared_work *work = worker->work;
    for (size_t item; (item = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->function(work->context, item, worker->number);
    return NULL;
}

void workers_run(unsigned threads, size_t count, work_function *function, void *context)
{
    struct shared_work work = {.count = count, .function = function, .context = context};
    struct one_worker workers[MOST_WORKERS];
    unsigned wanted = workers_count(threads), started = 1;
    if (wanted > count)
        wanted = count ? (unsigned)count : 1;
    for (; started < wanted; started++) {
        workers[started] = (struct one_worker){.work = &work, .number = started};
        if (pthread_create(&workers[started].thread, NULL, take_items, &workers[started]))
            break; /* fewer threads do the same work */
    }
    workers[0] = (struct one_worker){.work = &work};
    take_items(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}
