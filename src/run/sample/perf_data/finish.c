/* Time.  A clock of the kernel counts nanoseconds.  Cycles are seconds by the core's clock, which follows from the
   times of samples (clock.h).  Where it is unknown, and for every other event: perf was asked for so many samples a
   second of each running thread, or else the time between the first and the last record is all there is. */
#include "run/sample/perf_data/finish.h"

#include "base/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct perf_data_event *event_of(const struct perf_data_events *events, uint16_t number)
{
    uint32_t place = ARRAY_AT(struct perf_data_total, &events->totals, number)->event;
    return ARRAY_AT(struct perf_data_event, &events->events, place);
}

static char *copied(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

/* Seconds that one of the event's counts stands for. */
static double seconds_of_one(struct perf_data_feed *feed, const struct perf_data_event *event,
                             const struct perf_data_total *total, struct sample_recording *recording)
{
    double clock = perf_data_clock_end(&feed->clock), frequency = (double)event->attribute.sample_freq;
    if (event->kind == PERF_DATA_CLOCK)
        return 1e-9;
    if (event->kind == PERF_DATA_CYCLES && isfinite(clock)) {
        recording->cycles_per_second = recording->slowest_clock = recording->fastest_clock = clock;
        return 1 / clock;
    }
    double all =
        event->attribute.freq && frequency > 0 ? (double)total->samples / frequency : recording->seconds;
    return total->amount > 0 ? all / total->amount : 0;
}

static double frequency_of(const struct perf_data_event *event, double seconds, uint64_t samples)
{
    if (event->attribute.freq)
        return (double)event->attribute.sample_freq;
    return seconds > 0 ? (double)samples / seconds : 0;
}

static void add_event(struct sample_recording *recording, const char *name,
                      const struct perf_data_event *event, const struct perf_data_total *total, double each)
{
    *(struct sample_event *)array_push(&recording->events) =
        (struct sample_event){.name = copied(name),
                              .total = total->amount * each,
                              .running = 1,
                              .samples = total->samples,
                              .is_exact = !event->attribute.freq && event->attribute.sample_period == 1};
}

bool perf_data_finish_time(struct perf_data_feed *feed, const char *wished,
                           struct sample_recording *recording, struct error *error)
{
    const struct array *totals = &feed->events->totals;
    uint16_t time = perf_data_events_choose(feed->events, wished, error);
    if (time == UINT16_MAX)
        return false;
    const struct perf_data_event *event = event_of(feed->events, time);
    const struct perf_data_total *total = ARRAY_AT(struct perf_data_total, totals, time);
    recording->seconds = (double)(feed->last - feed->first) * 1e-9;
    double each = seconds_of_one(feed, event, total, recording);
    recording->event = copied(perf_data_events_word(event));
    recording->source = event->kind == PERF_DATA_CYCLES  ? SAMPLE_BY_CYCLES
                        : event->kind == PERF_DATA_CLOCK ? SAMPLE_BY_CPU_CLOCK
                                                         : SAMPLE_BY_EVENT;
    recording->has_kernel = !event->attribute.exclude_kernel;
    recording->frequency = frequency_of(event, total->amount * each, total->samples);
    add_event(recording, "time", event, total, each);
    uint16_t *numbers = memory_get((totals->count + 1) * sizeof *numbers);
    for (uint16_t i = 0; i < totals->count; i++) {
        numbers[i] = i == time ? 0 : (uint16_t)recording->events.count;
        if (i != time)
            add_event(recording, perf_data_events_word(event_of(feed->events, i)), event_of(feed->events, i),
                      ARRAY_AT(struct perf_data_total, totals, i), 1);
    }
    for (size_t i = 0; i < recording->counts.count; i++) {
        struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        count->event = numbers[count->event];
        count->amount *= count->event ? 1 : each;
    }
    free(numbers);
    return true;
}

/* ---- names ---- */

/* The kernel keeps 15 letters of a program's name. */
static bool is_program(const char *word, const char *name)
{
    enum { KEPT = 15 };
    const char *own = path_name(word);
    return !strncmp(own, name, KEPT) && strlen(name) == (strlen(own) > KEPT ? KEPT : strlen(own));
}

/* perf's own words come first: the command begins where the program that ran is named. */
static char *command_of(const struct perf_data_header *header, const char *name)
{
    char *text = NULL;
    for (size_t i = 2; name && i < header->words.count; i++) {
        const char *word = *ARRAY_AT(char *, &header->words, i);
        char *longer = text                     ? memory_format("%s %s", text, word)
                       : is_program(word, name) ? memory_copy_text(word, strlen(word))
                                                : NULL;
        free(text);
        text = longer;
    }
    return text;
}

/* The first process: perf started it, or was told to watch it. */
void perf_data_finish_names(const struct perf_data_header *header, struct sample_recording *recording)
{
    const struct array *processes = &recording->processes;
    struct sample_process *first = processes->count ? ARRAY_AT(struct sample_process, processes, 0) : NULL;
    char *command = command_of(header, first ? first->command : NULL);
    recording->command = command ? command : copied(first ? first->command : NULL);
    if (command && first) {
        free(first->command);
        first->command = copied(command);
    }
    recording->host = copied(header->host);
    recording->processor = copied(header->processor);
    recording->processor_id = copied(header->processor_id);
}
