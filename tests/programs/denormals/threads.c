/* threads THREADS EVENTS: POSIX threads, and one of C11, each with so many operand events. */
#include "counted.h"
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

static long events;

static void *work(void *data)
{
    for (long i = 0; i < events; i++)
        operand_event();
    return data;
}

static int work_plain(void *data)
{
    work(data);
    return 7;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 4, result = 0;
    events = count > 2 ? atol(words[2]) : 100;
    pthread_t made[64];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&made[i], NULL, work, &events) != 0)
            return 1;
    for (int i = 0; i < threads; i++) {
        void *answer;
        pthread_join(made[i], &answer);
        if (answer != &events)
            return 2;
    }
    thrd_t plain;
    if (thrd_create(&plain, work_plain, NULL) != thrd_success || thrd_join(plain, &result) != thrd_success)
        return 3;
    return result == 7 ? 0 : 4;
}
