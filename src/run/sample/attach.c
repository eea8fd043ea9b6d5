/* Watches a process that runs already.

   Every thread of the process and of its descendants gets events of its own, and what they start inherits
   them.  Threads that appear meanwhile are found by looking again until nothing is new.  Such a thread may
   have inherited events already from one that had them: its own count, and the inherited ones do not
   (perf_records.c), so no thread is missed and none counts twice.

   Events write records before maps and threads are taken from /proc; records from before that moment are left
   out, since /proc has what they say.

   Ctrl-C, SIGTERM and SIGHUP end the watching, as does the end of the process or of the time. */
#include "run/sample/perf_source.h"
#include "base/clock.h"
#include "run/sample/processes.h"
#include "run/sample/reader.h"
#include "run/sample/sampler_parts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_LOOKS = 20 };

struct watching {
    uint32_t process;
    const struct sampler_options *options;
    struct perf_source kernel;
    struct reader reader;
    struct collector *collector; /* NULL: nothing has begun */
    struct array family;         /* of uint32_t: processes */
};

/* All threads that are there now.  *is_new: there was one that has no events yet. */
static bool add_threads(struct watching *watching, bool *is_new, struct error *error)
{
    struct perf_events *events = &watching->kernel.events;
    size_t before = events->threads.count;
    bool is_done = true;
    watching->family.count = 0;
    processes_family(watching->process, &watching->family);
    for (size_t i = 0; i < watching->family.count && is_done; i++) {
        struct array threads = ARRAY_OF(uint32_t);
        processes_threads(*ARRAY_AT(uint32_t, &watching->family, i), &threads);
        for (size_t j = 0; j < threads.count && is_done; j++)
            is_done = perf_events_add(events, *ARRAY_AT(uint32_t, &threads, j), error);
        array_free(&threads);
    }
    *is_new = events->threads.count > before;
    return is_done;
}

static bool open_all(struct watching *watching, struct error *error)
{
    struct error trouble = {0};
    if (!perf_source_begin(&watching->kernel, watching->options, watching->process, false, &trouble)) {
        if (watching->kernel.events.is_refused && processes_is_foreign(watching->process))
            return error_set(error, NULL,
                             "process %u belongs to another user: only that user and root may watch it",
                             watching->process);
        if (watching->kernel.events.is_refused)
            return error_set(error, NULL, "%s; a process that runs already cannot be watched without it",
                             trouble.text);
        return error_set(error, NULL, "%s", trouble.text);
    }
    bool is_new = true;
    for (unsigned i = 0; i < MOST_LOOKS && is_new; i++)
        if (!add_threads(watching, &is_new, error))
            return false;
    return true;
}

static bool begin(struct watching *watching, struct sample_recording *recording, struct error *error)
{
    if (!open_all(watching, error))
        return false;
    uint64_t start = clock_monotonic_nanoseconds();
    watching->collector = collector_begin(recording, 0);
    for (size_t i = 0; i < watching->family.count; i++)
        collector_adopt(watching->collector, *ARRAY_AT(uint32_t, &watching->family, i), 0);
    company_begin(recording);
    return reader_begin(&watching->reader, &watching->kernel.source, watching->collector, recording, start,
                        error);
}

/* Until it ends, time is over, or a signal wants us to end. */
static void wait_for_end(int process, int signals, double seconds)
{
    struct pollfd ends[] = {{.fd = process, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    uint64_t end = clock_monotonic_nanoseconds() + (uint64_t)(seconds * 1e9);
    for (;;) {
        uint64_t now = clock_monotonic_nanoseconds();
        double left = seconds > 0 ? now < end ? (double)(end - now) * 1e-6 + 1 : 0 : -1;
        int ready = poll(ends, 2, left > INT32_MAX ? INT32_MAX : (int)left);
        if (ready > 0 || (ready == 0 && (seconds <= 0 || clock_monotonic_nanoseconds() >= end)) ||
            (ready < 0 && errno != EINTR))
            return;
    }
}

static void finish(struct watching *watching, bool is_done, struct sample_recording *recording)
{
    struct source *source = &watching->kernel.source;
    perf_events_stop(&watching->kernel.events);
    double seconds = (double)(clock_monotonic_nanoseconds() - watching->reader.start) * 1e-9;
    reader_end(&watching->reader);
    if (is_done)
        source->read(source->context, watching->collector, watching->reader.start, true);
    if (watching->collector)
        collector_end(watching->collector, seconds);
    if (is_done) {
        recording->seconds = seconds;
        reader_clocks(&watching->reader);
        perf_source_finish(&watching->kernel, recording);
        recording->cpu_seconds = ARRAY_AT(struct sample_event, &recording->events, 0)->total;
        reader_company(&watching->reader);
    }
    reader_free(&watching->reader);
    perf_source_end(&watching->kernel);
    array_free(&watching->family);
}

/* The signals that end the watching wait in a descriptor meanwhile. */
static int take_signals(sigset_t *before)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &wanted, before);
    return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void give_signals_back(int signals, const sigset_t *before)
{
    struct signalfd_siginfo taken;
    while (signals >= 0 && read(signals, &taken, sizeof taken) == sizeof taken)
        ;
    if (signals >= 0)
        close(signals);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool sampler_attach(uint32_t process, const struct sampler_options *options,
                    struct sample_recording *recording, struct error *error)
{
    struct watching watching = {
        .process = process, .options = options, .reader.stop = -1, .family = ARRAY_OF(uint32_t)};
    if (!processes_check(process, error))
        return false;
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0)
        return error_set_errno(error, NULL, "process %u cannot be watched", process);
    char *command = memory_format("process %u", process);
    const char *const words[] = {command, NULL};
    sigset_t before;
    int signals = take_signals(&before);
    sampler_describe(recording, words, options);
    bool is_done = begin(&watching, recording, error);
    if (is_done)
        wait_for_end(descriptor, signals, options->seconds);
    finish(&watching, is_done, recording);
    give_signals_back(signals, &before);
    close(descriptor);
    free(command);
    return is_done;
}
