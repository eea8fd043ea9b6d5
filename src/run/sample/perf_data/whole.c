/* A recording of a whole system (perf record -a) has every program that ran meanwhile.  One is reported: the one with
   the most time, or the one that the user names.  Processes of one name are one program. */
#include "run/sample/perf_data/finish.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    const char *name;
    double seconds;
    uint64_t samples;
};

static const char *name_of(const struct sample_recording *recording, uint32_t process)
{
    const char *name = ARRAY_AT(struct sample_process, &recording->processes, process)->command;
    return name ? name : "";
}

static int by_name(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static int by_time(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->seconds != b->seconds ? (a->seconds < b->seconds) - (a->seconds > b->seconds)
                                    : strcmp(a->name, b->name);
}

/* Programs with samples, the most time first: of struct candidate. */
static struct array programs_of(const struct sample_recording *recording)
{
    struct array programs = ARRAY_OF(struct candidate);
    size_t kept = 0;
    for (uint32_t i = 0; i < recording->processes.count; i++)
        *(struct candidate *)array_push(&programs) = (struct candidate){name_of(recording, i), 0, 0};
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        uint32_t process = ARRAY_AT(struct sample_thread, &recording->threads, count->thread)->process;
        struct candidate *program = ARRAY_AT(struct candidate, &programs, process);
        if (!count->event) {
            program->seconds += count->amount;
            program->samples += count->samples;
        }
    }
    if (programs.count)
        qsort(programs.data, programs.count, programs.width, by_name);
    for (size_t i = 0; i < programs.count; i++) {
        struct candidate *program = ARRAY_AT(struct candidate, &programs, i);
        struct candidate *last = kept ? ARRAY_AT(struct candidate, &programs, kept - 1) : NULL;
        if (last && !strcmp(last->name, program->name)) {
            last->seconds += program->seconds;
            last->samples += program->samples;
        } else {
            *ARRAY_AT(struct candidate, &programs, kept++) = *program;
        }
    }
    programs.count = kept;
    if (kept)
        qsort(programs.data, kept, programs.width, by_time);
    return programs;
}

/* perf was told to: the options before the command, which itself may have such words. */
static bool was_asked_for_all(const struct perf_data_header *header)
{
    for (size_t i = 2; i < header->words.count; i++) {
        const char *word = *ARRAY_AT(char *, &header->words, i);
        if (!strcmp(word, "--"))
            return false;
        if (!strcmp(word, "-a") || !strcmp(word, "--all-cpus") || !strncmp(word, "-C", 2) ||
            !strncmp(word, "--cpu", 5) ||
            (word[0] == '-' && word[1] != '-' && word[1] &&
             strspn(word + 1, "agbqsdTRivN") == strlen(word + 1) && strchr(word, 'a')))
            return true;
    }
    return false;
}

static void drop_counts(struct sample_recording *recording, const bool *is_kept, const uint32_t *threads)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->counts.count; i++) {
        struct sample_count count = *ARRAY_AT(struct sample_count, &recording->counts, i);
        uint32_t process = ARRAY_AT(struct sample_thread, &recording->threads, count.thread)->process;
        if (!is_kept[process]) {
            recording->other_programs += count.event ? 0 : count.samples;
            continue;
        }
        count.thread = threads[count.thread];
        *ARRAY_AT(struct sample_count, &recording->counts, kept++) = count;
    }
    recording->counts.count = kept;
}

static void drop_threads(struct sample_recording *recording, const bool *is_kept, const uint32_t *processes)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->threads.count; i++) {
        struct sample_thread thread = *ARRAY_AT(struct sample_thread, &recording->threads, i);
        if (!is_kept[thread.process]) {
            free(thread.name);
            continue;
        }
        thread.process = processes[thread.process];
        *ARRAY_AT(struct sample_thread, &recording->threads, kept++) = thread;
    }
    recording->threads.count = kept;
}

static void drop_processes(struct sample_recording *recording, const bool *is_kept)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->processes.count; i++) {
        struct sample_process process = *ARRAY_AT(struct sample_process, &recording->processes, i);
        if (is_kept[i]) {
            *ARRAY_AT(struct sample_process, &recording->processes, kept++) = process;
        } else {
            free(process.command);
            free(process.host);
        }
    }
    recording->processes.count = kept;
}

/* What events come to without the others. */
static void add_up(struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->events.count; i++) {
        struct sample_event *event = ARRAY_AT(struct sample_event, &recording->events, i);
        event->samples = 0;
        event->total = 0;
    }
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        struct sample_event *event = ARRAY_AT(struct sample_event, &recording->events, count->event);
        event->samples += count->samples;
        event->total += count->amount;
    }
}

static void keep_only(struct sample_recording *recording, const char *name)
{
    size_t process_count = recording->processes.count, thread_count = recording->threads.count;
    autofree bool *is_kept = memory_get((process_count + 1) * sizeof *is_kept);
    autofree uint32_t *processes = memory_get((process_count + 1) * sizeof *processes);
    autofree uint32_t *threads = memory_get((thread_count + 1) * sizeof *threads);
    uint32_t next = 0;
    for (uint32_t i = 0; i < process_count; i++) {
        is_kept[i] = !strcmp(name_of(recording, i), name);
        processes[i] = next;
        next += is_kept[i];
    }
    next = 0;
    for (uint32_t i = 0; i < thread_count; i++) {
        threads[i] = next;
        next += is_kept[ARRAY_AT(struct sample_thread, &recording->threads, i)->process];
    }
    drop_counts(recording, is_kept, threads);
    drop_threads(recording, is_kept, processes);
    drop_processes(recording, is_kept);
    add_up(recording);
}

static bool refuse(const struct array *programs, const char *wished, struct error *error)
{
    autofree char *list = memory_copy_text("", 0);
    enum { LISTED = 8 };
    for (size_t i = 0; i < programs->count && i < LISTED; i++) {
        char *longer =
            memory_format("%s%s%s", list, i ? ", " : "", ARRAY_AT(struct candidate, programs, i)->name);
        free(list);
        list = longer;
    }
    return error_set(error, NULL,
                     "--command: no program of the recording that took time is called '%s'; there are %s",
                     wished, *list ? list : "none");
}

bool perf_data_finish_whole(const struct perf_data_feed *feed, const struct perf_data_header *header,
                            const char *wished, struct sample_recording *recording, struct error *error)
{
    bool is_whole = feed->has_whole_system || was_asked_for_all(header);
    recording->idle = feed->idle;
    recording->other_programs = feed->foreign;
    if (!is_whole && !wished)
        return true;
    struct array programs = programs_of(recording);
    const struct candidate *chosen = NULL;
    for (size_t i = 0; i < programs.count && !chosen; i++) {
        const struct candidate *program = ARRAY_AT(struct candidate, &programs, i);
        if (program->samples && (!wished || !strcmp(program->name, wished)))
            chosen = program;
    }
    bool is_done = chosen || (wished && refuse(&programs, wished, error)) || !wished;
    if (chosen) {
        autofree char *name = memory_copy_text(chosen->name, strlen(chosen->name));
        keep_only(recording, name);
    }
    array_free(&programs);
    return is_done;
}
