/* One ring of the library that samples by timers (runtime/sample/ring_file.h), as it is read. */
#ifndef RUN_SAMPLE_TIMER_RING_H
#define RUN_SAMPLE_TIMER_RING_H
#include "run/sample/timer.h"

#include "runtime/sample/ring_file.h"

struct timer_ring {
    char *name;             /* of the file */
    uint32_t process, turn; /* of the name; the first ring of a process is 1 */
    int file;               /* -1: closed */
    bool is_checked;        /* the header is there, and sound */
    bool is_wrong;          /* nothing more is read */
    struct sample_ring header;
    uint64_t read;
    uint64_t asked; /* number of times that maps were wanted */
    bool is_introduced;
    double seconds, maps_seconds; /* of the last sample; when maps came last */
    struct array maps;            /* of struct timer_map */
    struct array text;            /* of char: of maps that are coming */
    struct array waiting;         /* of struct sample_taken *, whose addresses are unknown so far */
    struct array names;           /* of struct timer_name */
};
struct timer_feed {
    struct collector *collector;
    double start; /* CLOCK_MONOTONIC in seconds */
    struct timer_counts *counts;
};

/* NULL: it cannot be opened, or is not a regular file. */
struct timer_ring *timer_ring_open(int folder, const char *name, uint32_t process, uint32_t turn);
/* Introduces the process to the collector if that was not done yet, and feeds it with what the ring has.
   earlier: the ring of its program before an exec; NULL: none.  is_last: nothing more comes. */
void timer_ring_read(struct timer_ring *ring, const struct timer_feed *feed, const struct timer_ring *earlier,
                     bool is_last);
/* The process has ended. */
void timer_ring_exit(const struct timer_ring *ring, const struct timer_feed *feed);
void timer_ring_close(struct timer_ring *ring, const struct timer_feed *feed);
bool timer_ring_is_closed(const struct timer_ring *ring);
void timer_ring_free(struct timer_ring *ring);
#endif
