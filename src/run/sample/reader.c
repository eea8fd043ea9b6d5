/* One thread looks at the source whenever a ring is half full, and at least every few milliseconds.

   Four times a second it measures the core's clock, for some 20 microseconds: little enough not to disturb,
   and often enough to see a clock that changes with heat or load; then it asks how long threads waited for a
   processor.  It has no signals: those are for the
   thread that waits for the program. */
#include "run/sample/reader.h"

#include "base/clock.h"
#include "run/sample/sampler.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CLOCK_EVERY = 250 * 1000 * 1000, TRIALS = 4 };

static void measure_clock(struct reader *reader)
{
    double clock = NAN;
    for (unsigned i = 0; i < TRIALS && isnan(clock); i++)
        clock = sample_clock_measure();
    if (!isnan(clock))
        *(double *)array_push(&reader->clocks) = clock;
}

/* Until there is something to read, or time is over.  false: it is the end. */
static bool wait(const struct reader *reader)
{
    struct array *polls = &reader->source->polls;
    struct pollfd *all = polls->data;
    all[0].revents = 0;
    int ready = poll(all, polls->count, reader->source->milliseconds);
    for (size_t i = 1; i < polls->count && ready > 0; i++)
        if (all[i].revents & (POLLHUP | POLLERR | POLLNVAL))
            all[i].fd = -1; /* everything that wrote there has ended */
    return ready <= 0 || !all[0].revents;
}

static void *read_all(void *context)
{
    struct reader *reader = context;
    struct source *source = reader->source;
    uint64_t next_clock = 0;
    do {
        source->read(source->context, reader->collector, reader->start, false);
        uint64_t now = clock_monotonic_nanoseconds();
        if (now >= next_clock) {
            measure_clock(reader);
            company_look_at_threads(reader->recording);
            next_clock = now + CLOCK_EVERY;
        }
    } while (wait(reader));
    return NULL;
}

bool reader_begin(struct reader *reader, struct source *source, struct collector *collector,
                  struct sample_recording *recording, uint64_t start, struct error *error)
{
    *reader = (struct reader){.source = source,
                              .collector = collector,
                              .recording = recording,
                              .before = accounts_of_computer(),
                              .start = start,
                              .clocks = ARRAY_OF(double),
                              .stop = eventfd(0, EFD_CLOEXEC)};
    if (reader->stop < 0)
        return error_set_errno(error, NULL, "cannot create an event");
    struct array *polls = &source->polls; /* our own comes first */
    array_push(polls);
    memmove(ARRAY_AT(struct pollfd, polls, 1), polls->data, (polls->count - 1) * sizeof(struct pollfd));
    *ARRAY_AT(struct pollfd, polls, 0) = (struct pollfd){.fd = reader->stop, .events = POLLIN};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = pthread_create(&reader->thread, NULL, read_all, reader);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    reader->is_running = !number;
    return !number || error_set_errno(error, NULL, "cannot create a thread");
}

void reader_end(struct reader *reader)
{
    uint64_t one = 1;
    if (!reader->is_running)
        return;
    while (write(reader->stop, &one, sizeof one) < 0 && errno == EINTR)
        ;
    pthread_join(reader->thread, NULL);
    reader->is_running = false;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void reader_clocks(const struct reader *reader)
{
    struct sample_recording *recording = reader->recording;
    const struct array *clocks = &reader->clocks;
    if (!clocks->count)
        return;
    qsort(clocks->data, clocks->count, sizeof(double), compare);
    recording->cycles_per_second = *ARRAY_AT(double, clocks, clocks->count / 2);
    recording->slowest_clock = *ARRAY_AT(double, clocks, 0);
    recording->fastest_clock = *ARRAY_AT(double, clocks, clocks->count - 1);
}

void reader_company(const struct reader *reader)
{
    company_note(reader->recording, reader->before, accounts_of_computer());
}

void reader_free(struct reader *reader)
{
    reader_end(reader);
    if (reader->stop > 0)
        close(reader->stop);
    array_free(&reader->clocks);
    reader->stop = -1;
}
