/* Opens the kernel's events on a process.

   Time comes from an event that interrupts each thread so many times a second while it runs: cycles of the
   PMU; where there is none (most virtual machines) the kernel's cpu clock.  The kernel's own code is sampled
   if we may, else user code alone.  Threads and children inherit events, which the kernel allows only with a
   ring for each processor: so there is one event for each processor on the process, and one ring.  Counters
   that the user wants are further events, written into the rings of time.

   A record holds a copy of the top of the stack, so that callers are found in code without frame pointers.
   Copying 8 KB costs the program less than a microsecond; deeper callers come from the chain of frame
   pointers, which the kernel follows.  Rings hold a quarter of a second of samples where we may have so much
   memory, and as much as the kernel gives us elsewhere (perf_event_mlock_kb).

   Time stamps are CLOCK_MONOTONIC's: records are compared with our own clock. */
#include "run/sample/perf_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    USUAL_FREQUENCY = 997, /* a prime: not in step with what happens every millisecond */
    STACK_COPY = 8 << 10,
    MOST_RING = 4 << 20,
    LEAST_RING = 64 << 10,
    MOST_RINGS = 256 << 20, /* all of them together, unless they get too small */
    USEFUL_RING = 512 << 10
};

static int open_event(const struct perf_event_attr *attribute, uint32_t thread, int processor)
{
    return (int)syscall(SYS_perf_event_open, attribute, (pid_t)thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A number of a file of /proc/sys; otherwise if there is none. */
static double system_number(const char *path, double otherwise)
{
    FILE *file = fopen(path, "re");
    double number = otherwise;
    if (file && fscanf(file, "%lf", &number) != 1)
        number = otherwise;
    if (file)
        fclose(file);
    return number;
}

/* Throttling begins at the system's limit: we stay below it. */
static double allowed_frequency(double wanted)
{
    double frequency = wanted > 0 ? wanted : USUAL_FREQUENCY,
           most = system_number("/proc/sys/kernel/perf_event_max_sample_rate", frequency);
    frequency = frequency > most && most >= 1 ? most : frequency;
    return frequency < 1 ? 1 : frequency;
}

static void describe(struct perf_events *events, bool is_waiting)
{
    events->layout.sample_type =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
    if (!events->options->has_no_stacks) {
        events->layout.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        events->layout.registers = perf_registers_mask();
    }
    events->attribute = (struct perf_event_attr){
        .size = sizeof events->attribute,
        .sample_freq = (uint64_t)events->frequency,
        .freq = 1,
        .sample_type = events->layout.sample_type,
        .sample_regs_user = events->layout.registers,
        .sample_stack_user = events->options->has_no_stacks ? 0 : STACK_COPY,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .enable_on_exec = is_waiting,
        .inherit = 1,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .watermark = 1, /* half a ring */
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static bool remember(struct perf_events *events, int file, uint16_t event, size_t ring, uint32_t thread)
{
    uint64_t id;
    *(struct perf_descriptor *)array_push(&events->descriptors) =
        (struct perf_descriptor){.file = file, .event = event, .processor = (uint16_t)ring};
    if (ioctl(file, PERF_EVENT_IOC_ID, &id))
        return false;
    size_t at = array_first_at(&events->identities, 0, offsetof(struct perf_identity, id), id);
    array_push(&events->identities);
    struct perf_identity *place = ARRAY_AT(struct perf_identity, &events->identities, at);
    memmove(place + 1, place, (events->identities.count - 1 - at) * sizeof *place);
    *place = (struct perf_identity){.id = id, .thread = thread, .event = event};
    return true;
}

static void forget(struct perf_events *events)
{
    int error = errno;
    for (size_t i = 0; i < events->descriptors.count; i++)
        close(ARRAY_AT(struct perf_descriptor, &events->descriptors, i)->file);
    events->descriptors.count = events->identities.count = events->processors.count = 0;
    errno = error;
}

/* Time, on every processor that is there.  false: errno says why; nothing is open. */
static bool open_time(struct perf_events *events, uint32_t thread)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    forget(events);
    for (int processor = 0; processor < count; processor++) {
        int file = open_event(&events->attribute, thread, processor);
        if (file < 0 && errno == ENODEV)
            continue; /* switched off */
        if (file < 0 || !remember(events, file, 0, events->processors.count, thread)) {
            forget(events);
            return false;
        }
        *(int *)array_push(&events->processors) = processor;
    }
    errno = ENODEV;
    return events->processors.count;
}

/* The best that the kernel gives us.  false: errno is that of the last, most modest wish. */
static bool choose(struct perf_events *events, uint32_t thread)
{
    static const struct {
        uint32_t type, config;
        uint8_t source;
        bool has_kernel;
    } wishes[] = {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, SAMPLE_BY_CYCLES, true},
                  {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, SAMPLE_BY_CYCLES, false},
                  {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, SAMPLE_BY_CPU_CLOCK, true},
                  {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, SAMPLE_BY_CPU_CLOCK, false}};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        events->attribute.type = wishes[i].type;
        events->attribute.config = wishes[i].config;
        events->attribute.exclude_kernel = !wishes[i].has_kernel;
        events->source = wishes[i].source;
        events->has_kernel = wishes[i].has_kernel;
        if (open_time(events, thread))
            return true;
        if (errno == ESRCH || errno == EMFILE || errno == ENFILE)
            return false;
    }
    return false;
}

static bool refuse(struct perf_events *events, struct error *error)
{
    static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";
    int number = errno;
    double level = system_number(paranoid, -1);
    events->is_refused = true;
    if (number == EACCES && level > 2)
        return error_set(error, NULL, "the system allows no sampling to users (%s is %.0f; 2 would allow it)",
                         paranoid, level);
    if (number == EACCES || number == EPERM)
        return error_set(error, NULL,
                         "perf_event_open is forbidden here, as in most containers (a security policy)");
    if (number == ENOSYS)
        return error_set(error, NULL, "this system has no perf_event_open");
    errno = number;
    return error_set_errno(error, NULL, "the kernel takes no samples here (perf_event_open)");
}

static bool too_many(struct error *error)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    return error_set(error, NULL,
                     "sampling needs a file for each thread, processor and counter, and %llu may be open; "
                     "raise the limit (ulimit -n)",
                     (unsigned long long)limit.rlim_cur);
}

static bool map_all(struct perf_events *events, size_t size)
{
    for (size_t i = 0; i < events->processors.count; i++) {
        struct perf_ring *ring = array_add(&events->rings);
        if (perf_ring_map(ring, ARRAY_AT(struct perf_descriptor, &events->descriptors, i)->file, size))
            continue;
        int error = errno;
        for (size_t j = 0; j < i; j++)
            perf_ring_unmap(ARRAY_AT(struct perf_ring, &events->rings, j));
        events->rings.count = 0;
        errno = error;
        return false;
    }
    return true;
}

/* The first descriptors are those of time, in the order of processors. */
static bool map_rings(struct perf_events *events)
{
    size_t size = MOST_RING;
    while (size > USEFUL_RING && size * events->processors.count > MOST_RINGS)
        size /= 2;
    for (; size >= LEAST_RING; size /= 2) {
        if (map_all(events, size))
            return true;
        if (errno != EPERM && errno != ENOMEM && errno != EAGAIN)
            return false;
    }
    return false;
}

static int ring_file(const struct perf_events *events, size_t ring)
{
    return ARRAY_AT(struct perf_descriptor, &events->descriptors, ring)->file;
}

/* One event on all processors, into the rings of time.  false: errno says why. */
static bool open_into_rings(struct perf_events *events, const struct perf_event_attr *attribute,
                            uint32_t thread, uint16_t event)
{
    for (size_t i = 0; i < events->processors.count; i++) {
        int file = open_event(attribute, thread, *ARRAY_AT(int, &events->processors, i));
        if (file < 0)
            return false;
        if (!remember(events, file, event, i, thread) ||
            ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, ring_file(events, i)))
            return false;
        if (!attribute->enable_on_exec && ioctl(file, PERF_EVENT_IOC_ENABLE, 0))
            return false;
    }
    return true;
}

static struct perf_event_attr attribute_of(const struct perf_events *events, const struct sample_wish *wish)
{
    struct perf_event_attr attribute = events->attribute;
    attribute.type = wish->type;
    attribute.config = wish->config;
    attribute.config1 = wish->config1;
    attribute.config2 = wish->config2;
    attribute.mmap = attribute.mmap2 = attribute.comm = attribute.comm_exec = attribute.task = 0;
    if (wish->period) { /* who knows how many: no copies of the stack */
        attribute.freq = 0;
        attribute.sample_period = wish->period;
        attribute.sample_stack_user = 0;
    }
    return attribute;
}

static bool open_wishes(struct perf_events *events, uint32_t thread, struct error *error)
{
    for (size_t i = 0; i < events->options->wish_count; i++) {
        const struct sample_wish *wish = &events->options->wishes[i];
        struct perf_event_attr attribute = attribute_of(events, wish);
        if (open_into_rings(events, &attribute, thread, (uint16_t)(i + 1)))
            continue;
        if (errno == EMFILE)
            return too_many(error);
        if (errno == ESRCH)
            return true;
        if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV)
            return error_set(error, wish->name, "this machine cannot count it");
        return error_set_errno(error, wish->name, "the kernel does not count it");
    }
    return true;
}

static void know(struct perf_events *events, uint32_t thread)
{
    size_t at = array_first_not_below(&events->threads, 0, 0, thread);
    array_push(&events->threads);
    uint32_t *place = ARRAY_AT(uint32_t, &events->threads, at);
    memmove(place + 1, place, (events->threads.count - 1 - at) * sizeof *place);
    *place = thread;
}

static void raise_limit(struct perf_events *events)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    events->most_files = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void lower_limit(const struct perf_events *events)
{
    struct rlimit limit;
    if (!events->most_files || getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = events->most_files;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static bool start(struct perf_events *events)
{
    for (size_t i = 0; i < events->processors.count && !events->attribute.enable_on_exec; i++)
        if (ioctl(ring_file(events, i), PERF_EVENT_IOC_ENABLE, 0))
            return false;
    return true;
}

bool perf_events_open(struct perf_events *events, const struct sampler_options *options, uint32_t thread,
                      bool is_waiting, struct error *error)
{
    *events = (struct perf_events){.options = options,
                                   .frequency = allowed_frequency(options->frequency),
                                   .descriptors = ARRAY_OF(struct perf_descriptor),
                                   .processors = ARRAY_OF(int),
                                   .rings = ARRAY_OF(struct perf_ring),
                                   .identities = ARRAY_OF(struct perf_identity),
                                   .threads = ARRAY_OF(uint32_t)};
    raise_limit(events);
    describe(events, is_waiting);
    if (!choose(events, thread)) {
        if (errno == ESRCH)
            return error_set(error, NULL, "process %u has ended", thread);
        return errno == EMFILE || errno == ENFILE ? too_many(error) : refuse(events, error);
    }
    if (!map_rings(events)) {
        events->is_refused = true;
        return error_set_errno(error, NULL, "the kernel gives no memory for samples (perf_event_mlock_kb)");
    }
    know(events, thread);
    if (!start(events)) {
        events->is_refused = true;
        return error_set_errno(error, NULL, "the kernel's samples cannot be started");
    }
    return open_wishes(events, thread, error);
}

bool perf_events_add(struct perf_events *events, uint32_t thread, struct error *error)
{
    size_t at = array_first_not_below(&events->threads, 0, 0, thread);
    if (at < events->threads.count && *ARRAY_AT(uint32_t, &events->threads, at) == thread)
        return true;
    if (!open_into_rings(events, &events->attribute, thread, 0)) {
        if (errno == ESRCH)
            return true;
        if (errno == EMFILE)
            return too_many(error);
        return error_set_errno(error, NULL, "no samples of thread %u can be taken", thread);
    }
    know(events, thread);
    return open_wishes(events, thread, error);
}

void perf_events_stop(struct perf_events *events)
{
    for (size_t i = 0; i < events->descriptors.count; i++)
        ioctl(ARRAY_AT(struct perf_descriptor, &events->descriptors, i)->file, PERF_EVENT_IOC_DISABLE, 0);
}

struct perf_total perf_events_total(const struct perf_events *events, uint16_t event)
{
    struct perf_total total = {0};
    for (size_t i = 0; i < events->descriptors.count; i++) {
        const struct perf_descriptor *one = ARRAY_AT(struct perf_descriptor, &events->descriptors, i);
        uint64_t numbers[3]; /* value, time enabled, time running */
        if (one->event != event || read(one->file, numbers, sizeof numbers) != sizeof numbers)
            continue;
        total.count += (double)numbers[0];
        total.enabled += (double)numbers[1] * 1e-9;
        total.running += (double)numbers[2] * 1e-9;
    }
    return total;
}

void perf_events_close(struct perf_events *events)
{
    for (size_t i = 0; i < events->rings.count; i++)
        perf_ring_unmap(ARRAY_AT(struct perf_ring, &events->rings, i));
    forget(events);
    lower_limit(events);
    array_free(&events->descriptors);
    array_free(&events->processors);
    array_free(&events->rings);
    array_free(&events->identities);
    array_free(&events->threads);
    *events = (struct perf_events){0};
}
