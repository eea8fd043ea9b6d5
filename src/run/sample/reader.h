/* The thread that reads samples while a program runs, and measures the core's clock meanwhile. */
#ifndef RUN_SAMPLE_READER_H
#define RUN_SAMPLE_READER_H
#include "run/sample/company.h"
#include "run/sample/source.h"

#include <pthread.h>

struct reader {
    struct source *source;
    struct collector *collector;
    uint64_t start;      /* CLOCK_MONOTONIC in nanoseconds: time 0 of the recording */
    struct array clocks; /* of double: cycles a second, now and then */
    struct sample_recording *recording;
    struct accounts_computer before; /* at the start */
    pthread_t thread;
    int stop;        /* eventfd; -1: there is no thread */
    bool is_running; /* until reader_end */
};
/* false: nothing has begun. */
bool reader_begin(struct reader *reader, struct source *source, struct collector *collector,
                  struct sample_recording *recording, uint64_t start, struct error *error);
/* Ends the thread; what the source still has is read by the caller. */
void reader_end(struct reader *reader);
/* Of the core: median, slowest and fastest. */
void reader_clocks(const struct reader *reader);
/* When the recording's processor time is known: what others took meanwhile. */
void reader_company(const struct reader *reader);
void reader_free(struct reader *reader);
#endif
