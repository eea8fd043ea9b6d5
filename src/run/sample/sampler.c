/* Runs a program and has samples of it taken, by the kernel if that is allowed, else by a timer.

   The program waits at a gate while events are opened on its process (run/launch/run.h), so nothing of it is
   missed.  If the kernel refuses, the process that waited is let go, and another is started with the library
   that takes samples by a timer.  Sampling stops when the program itself has ended: children that it leaves
   behind go on unwatched. */
#include "run/sample/sampler.h"

#include "base/clock.h"
#include "run/launch/processor.h"
#include "run/sample/perf_source.h"
#include "run/sample/reader.h"
#include "run/sample/sampler_parts.h"
#include "run/sample/timer.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMER_LOOKS = 20, USUAL_TIMER_FREQUENCY = 997 };

struct sampling {
    const struct sampler_options *options;
    struct sample_recording *recording;
    struct collector *collector; /* NULL: nothing has begun */
    struct reader reader;
    struct perf_source kernel;
    struct timer *timer; /* NULL: the kernel takes samples */
    struct source timer_source;
};

static char *join(const char *const *words)
{
    size_t length = 0;
    for (size_t i = 0; words[i]; i++)
        length += strlen(words[i]) + 1;
    char *text = memory_get(length + 1), *end = text;
    for (size_t i = 0; words[i]; i++) {
        if (i)
            *end++ = ' ';
        size_t size = strlen(words[i]);
        memcpy(end, words[i], size);
        end += size;
    }
    return text;
}

static void add_event(struct sample_recording *recording, const char *name, bool is_exact)
{
    *(struct sample_event *)array_push(&recording->events) = (struct sample_event){
        .name = memory_copy_text(name, strlen(name)), .total = NAN, .running = 1, .is_exact = is_exact};
}

void sampler_describe(struct sample_recording *recording, const char *const *words,
                      const struct sampler_options *options)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1))
        host[0] = 0;
    recording->command = join(words);
    recording->host = memory_copy_text(host, strlen(host));
    recording->processor = launch_processor_name();
    add_event(recording, "time", false);
    for (size_t i = 0; i < options->wish_count; i++)
        add_event(recording, options->wishes[i].name, options->wishes[i].period == 1);
}

/* The process is there and waits. */
static bool prepare_kernel(void *context, uint32_t process, struct error *error)
{
    struct sampling *sampling = context;
    if (!perf_source_begin(&sampling->kernel, sampling->options, process, true, error))
        return false;
    sampling->collector = collector_begin(sampling->recording, 0);
    collector_fork(sampling->collector, process, process, (uint32_t)getpid(), 0);
    return reader_begin(&sampling->reader, &sampling->kernel.source, sampling->collector, sampling->recording,
                        clock_monotonic_nanoseconds(), error);
}

static void read_timer(void *context, struct collector *collector, uint64_t start, bool is_last)
{
    struct sampling *sampling = context;
    if (!is_last) /* timer_end takes the rest */
        timer_poll(sampling->timer, collector, (double)start * 1e-9);
}

static bool prepare_timer(void *context, uint32_t process, struct error *error)
{
    struct sampling *sampling = context;
    (void)process;
    sampling->timer_source = (struct source){.context = sampling,
                                             .read = read_timer,
                                             .polls = ARRAY_OF(struct pollfd),
                                             .milliseconds = TIMER_LOOKS};
    return reader_begin(&sampling->reader, &sampling->timer_source, sampling->collector, sampling->recording,
                        clock_monotonic_nanoseconds(), error);
}

/* The program's first thread, whose account was looked at when it had ended. */
static void note_queue(const struct launch_run *run, struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->threads.count && !isnan(run->usage.queued); i++) {
        struct sample_thread *thread = ARRAY_AT(struct sample_thread, &recording->threads, i);
        if (thread->thread == run->process) {
            thread->queued = run->usage.queued;
            return;
        }
    }
}

static void note_run(const struct launch_run *run, struct sample_recording *recording)
{
    const struct launch_usage *usage = &run->usage;
    recording->seconds = run->seconds;
    recording->exit_status = run->exit_status;
    recording->end_signal = run->end_signal;
    recording->cpu_seconds = usage->user + usage->kernel;
    recording->kernel_seconds = usage->kernel;
    recording->minor_faults = usage->minor_faults;
    recording->major_faults = usage->major_faults;
    recording->voluntary_switches = usage->voluntary_switches;
    recording->involuntary_switches = usage->involuntary_switches;
    recording->peak_memory = usage->peak_memory;
    note_queue(run, recording);
}

static void fill_launch(struct launch *launch, const char *const *words, const struct launch_program *program,
                        const struct sampler_options *options, const char *const *without)
{
    launch_init(launch);
    launch->file = memory_copy_text(program->path, strlen(program->path));
    launch->is_diverted = options->is_diverted;
    launch_add_words(launch, words);
    launch_inherit(launch, without);
}

/* Children that nobody waited for are only in the kernel's events. */
static void note_kernel(struct sampling *sampling, struct sample_recording *recording)
{
    perf_source_finish(&sampling->kernel, recording);
    double counted = ARRAY_AT(struct sample_event, &recording->events, 0)->total;
    if (counted > recording->cpu_seconds)
        recording->cpu_seconds = counted;
}

/* *is_refused: the kernel takes no samples; nothing ran. */
static bool run_with_kernel(struct sampling *sampling, const char *const *words,
                            const struct launch_program *program, struct launch_run *run, bool *is_refused,
                            struct error *error)
{
    static const char *const nothing[] = {NULL};
    struct launch launch;
    struct launch_outsider outsider = {prepare_kernel, sampling};
    fill_launch(&launch, words, program, sampling->options, nothing);
    bool is_done = launch_run_from_outside(&launch, run, &outsider, error);
    struct source *source = &sampling->kernel.source;
    perf_events_stop(&sampling->kernel.events);
    reader_end(&sampling->reader);
    if (is_done)
        source->read(source->context, sampling->collector, sampling->reader.start, true);
    *is_refused = sampling->kernel.events.is_refused;
    if (sampling->collector)
        collector_end(sampling->collector, run->seconds);
    if (is_done) {
        note_run(run, sampling->recording);
        reader_clocks(&sampling->reader);
        note_kernel(sampling, sampling->recording);
        reader_company(&sampling->reader);
    }
    reader_free(&sampling->reader);
    perf_source_end(&sampling->kernel);
    launch_free(&launch);
    return is_done;
}

static void note_timer(const struct timer_counts *counts, double frequency,
                       struct sample_recording *recording)
{
    struct sample_event *time = ARRAY_AT(struct sample_event, &recording->events, 0);
    recording->source = SAMPLE_BY_TIMER;
    /* The kernel looks at timers of processor time when its clock ticks, which may be less often. */
    recording->frequency =
        counts->seconds > 0 ? fmin(frequency, (double)counts->samples / counts->seconds) : frequency;
    recording->lost += counts->lost;
    time->samples = counts->samples;
    time->total = counts->seconds;
}

static bool run_with_timer(struct sampling *sampling, const char *const *words,
                           const struct launch_program *program, struct launch_run *run, struct error *error)
{
    const struct sampler_options *options = sampling->options;
    struct launch launch;
    struct launch_outsider outsider = {prepare_timer, sampling};
    struct timer_wish wish = {.runtime = options->runtime,
                              .folder = run->folder,
                              .frequency =
                                  options->frequency > 0 ? options->frequency : USUAL_TIMER_FREQUENCY,
                              .has_no_stacks = options->has_no_stacks};
    if (!timer_may(program, words[0], error))
        return false;
    fill_launch(&launch, words, program, options, timer_variables);
    sampling->timer = timer_begin(&launch, &wish, error);
    if (!sampling->timer) {
        launch_free(&launch);
        return false;
    }
    sampling->collector = collector_begin(sampling->recording, 0);
    bool is_done = launch_run_from_outside(&launch, run, &outsider, error);
    reader_end(&sampling->reader);
    struct timer_counts counts =
        timer_end(sampling->timer, sampling->collector, (double)sampling->reader.start * 1e-9);
    collector_end(sampling->collector, run->seconds);
    if (is_done) {
        note_run(run, sampling->recording);
        reader_clocks(&sampling->reader);
        note_timer(&counts, wish.frequency, sampling->recording);
        reader_company(&sampling->reader);
    }
    reader_free(&sampling->reader);
    array_free(&sampling->timer_source.polls);
    launch_free(&launch);
    return is_done;
}

/* The kernel ends all watching of a program that begins with rights that we have not. */
static bool may_watch(const struct launch_program *program, const char *word, struct error *error)
{
    if (program->is_privileged)
        return error_set(error, word,
                         "runs with the rights of another user (setuid), so the system allows no samples of "
                         "it; use a copy without these rights, or root");
    if (program->is_unreadable)
        return error_set(error, word, "may be run but not read, so the system allows no samples of it");
    return true;
}

bool sampler_run(const char *const *words, const struct launch_program *program,
                 const struct sampler_options *options, struct launch_run *run,
                 struct sample_recording *recording, struct error *error)
{
    struct sampling sampling = {.options = options, .recording = recording, .reader.stop = -1};
    struct error refusal = {0}, trouble = {0};
    bool is_refused = options->uses_timer;
    if (!may_watch(program, words[0], error) || !launch_run_begin(run, error))
        return false;
    sampler_describe(recording, words, options);
    if (!is_refused) {
        if (run_with_kernel(&sampling, words, program, run, &is_refused, &refusal))
            return true;
        if (!is_refused)
            return error_set(error, NULL, "%s", refusal.text);
        recording->why_not_kernel = memory_copy_text(refusal.text, strlen(refusal.text));
        launch_run_forget(run);
        if (!launch_run_begin(run, error))
            return false;
        sampling = (struct sampling){.options = options, .recording = recording, .reader.stop = -1};
    }
    if (run_with_timer(&sampling, words, program, run, &trouble))
        return true;
    return refusal.set ? error_set(error, NULL, "%s; %s", refusal.text, trouble.text)
                       : error_set(error, NULL, "%s", trouble.text);
}
