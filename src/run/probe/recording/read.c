/* Reads and checks the recording of one process, thread by thread.

   The process may have been killed at any moment, may still run, or may be hostile, so the file is read in
   pieces and never mapped.  Segments are listed first; each stays within the file.  A slot counts only if its
   subject is in the plan and its kind and size are that subject's; what makes no sense is counted and passed
   over.  Time and memory depend on the file's real size and on the plan, not on numbers in the file. */
#include "run/probe/recording/parts.h"

#include "base/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_SEGMENTS = 1 << 20,
    MOST_SEGMENT_BYTES = 1 << 28, /* of slots and frames */
    MOST_GROUPS = 1 << 10,
    MOST_THREADS = 1 << 14,
    LEAST_SEGMENT = 4096,
};

/* ---- pieces of the file ---- */

bool recorded_bytes(const struct recorded *recorded, uint64_t offset, void *into, size_t size)
{
    size_t done = 0;
    if (offset > recorded->size || size > recorded->size - offset)
        return false;
    while (done < size) {
        ssize_t got = pread(recorded->file, (char *)into + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* ---- segments ---- */

static int by_thread(const void *left, const void *right)
{
    const struct recorded_segment *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* A segment of kind 0 was never finished: it is passed over if it has a size, else it is the end. */
static void recorded_list(struct recorded *recorded, struct array *segments)
{
    uint64_t offset = (sizeof recorded->header + LEAST_SEGMENT - 1) / LEAST_SEGMENT * LEAST_SEGMENT;
    struct probe_segment header;
    while (segments->count < MOST_SEGMENTS && recorded_bytes(recorded, offset, &header, sizeof header)) {
        if (!header.kind && !header.size)
            break;
        if (header.size < LEAST_SEGMENT || header.size % LEAST_SEGMENT) {
            recorded->damaged++;
            break;
        }
        uint64_t left = recorded->size - offset;
        recorded->is_cut |= header.size > left;
        uint64_t size = header.size < left ? header.size : left;
        if (header.kind)
            *(struct recorded_segment *)array_push(segments) =
                (struct recorded_segment){header.thread, header.kind, offset, offset + size};
        offset += size;
    }
    if (segments->count)
        qsort(segments->data, segments->count, segments->width, by_thread);
}

/* Segments of the process. */
static void read_common(struct recorded *recorded, const struct recorded_segment *segment, size_t planned)
{
    struct probe_module module;
    if (segment->kind == PROBE_SEGMENT_SUBJECTS || segment->kind == PROBE_SEGMENT_UNUSED)
        return;
    if (segment->kind != PROBE_SEGMENT_MODULE ||
        !recorded_bytes(recorded, segment->offset, &module, sizeof module) || module.module >= planned) {
        recorded->damaged++;
        return;
    }
    for (size_t i = 0; i < recorded->modules.count; i++) {
        struct probe_module *known = ARRAY_AT(struct probe_module, &recorded->modules, i);
        if (known->module == module.module) { /* loaded again: the last word counts */
            *known = module;
            return;
        }
    }
    *(struct probe_module *)array_push(&recorded->modules) = module;
}

/* ---- a thread ---- */

struct reading {
    struct recorded *recorded;
    const struct probe_plan *plan;
    struct array subjects; /* of struct probe_plan_subject, as the runtime has them */
    struct probe_slot **slots;
    struct arena memory; /* of the thread */
    struct probe_group *groups;
    uint32_t group_count;
    uint32_t threads; /* so far */
    bool has_tallied; /* the thread entered a loop that has only counters */
};

/* A segment in memory, with the size that it has there. */
static struct probe_segment *load_segment(struct reading *reading, const struct recorded_segment *segment)
{
    uint64_t size = segment->end - segment->offset;
    if (size > MOST_SEGMENT_BYTES) {
        reading->recorded->damaged++;
        return NULL;
    }
    struct probe_segment *loaded = arena_get(&reading->memory, size);
    if (!recorded_bytes(reading->recorded, segment->offset, loaded, size)) {
        reading->recorded->is_cut = true;
        return NULL;
    }
    loaded->size = size;
    return loaded;
}

/* For slots and frames that the events in the buffer need besides those of the file. */
static struct probe_segment *more(struct probe_summary *summary, uint32_t kind, uint64_t bytes)
{
    struct reading *reading = summary->owner;
    struct probe_segment *segment = arena_get(&reading->memory, sizeof *segment + bytes);
    *segment = (struct probe_segment){
        .kind = kind, .thread = summary->thread->number, .size = sizeof *segment + bytes};
    return segment;
}

/* Counts slots that the summary did not take. */
static void check_slots(struct reading *reading, const struct probe_segment *segment)
{
    const uint8_t *at = (const uint8_t *)(segment + 1), *end = (const uint8_t *)segment + segment->size;
    while ((size_t)(end - at) >= sizeof(struct probe_slot)) {
        const struct probe_slot *slot = (const void *)at;
        if (!slot->subject_kind)
            return;
        if (slot->subject >= reading->subjects.count || reading->slots[slot->subject] != slot) {
            reading->recorded->damaged++;
            return;
        }
        at += (size_t)slot->words * 8;
    }
}

static bool has_seen_enough(const struct probe_plan_tally *tally, const uint64_t *words)
{
    bool has_enough = tally->enough_sum_bits && words[PROBE_TALLY_WORDS + 1] >> tally->enough_sum_bits;
    for (unsigned i = 0; tally->enough_bits && i < PROBE_TALLY_WORDS; i++)
        has_enough |= words[i] >> tally->enough_bits != 0;
    return has_enough;
}

/* Loops whose events ended before the run did. */
static void read_limits(struct reading *reading, const struct recorded_segment *segment)
{
    uint64_t start = segment->offset + sizeof(struct probe_segment), word;
    uint64_t count = (segment->end - start) / sizeof word;
    for (size_t i = 0; i < reading->plan->limits.count; i++) {
        const struct probe_plan_limit *limit = ARRAY_AT(struct probe_plan_limit, &reading->plan->limits, i);
        if (limit->counter < count &&
            recorded_bytes(reading->recorded, start + limit->counter * sizeof word, &word, sizeof word) &&
            word >> limit->bits)
            recorded_merge_enough(reading->recorded, limit->subject);
    }
}

static void read_tallies(struct reading *reading, const struct recorded_segment *segment)
{
    uint64_t words[PROBE_TALLY_WORDS + PROBE_TALLY_MORE];
    uint64_t start = segment->offset + sizeof(struct probe_segment);
    uint64_t count = (segment->end - start) / sizeof *words;
    for (size_t i = 0; i < reading->plan->tallies.count; i++) {
        const struct probe_plan_tally *tally = ARRAY_AT(struct probe_plan_tally, &reading->plan->tallies, i);
        bool has_sums = tally->flags & PROBE_TALLY_SUMS;
        size_t size = PROBE_TALLY_WORDS + (has_sums ? PROBE_TALLY_MORE : 0);
        if (count < size || tally->first > count - size ||
            !recorded_bytes(reading->recorded, start + tally->first * sizeof *words, words,
                            size * sizeof *words)) {
            reading->recorded->is_cut = true;
            continue;
        }
        reading->has_tallied |= recorded_merge_tally(reading->recorded, tally->subject, words);
        if (has_seen_enough(tally, words))
            recorded_merge_enough(reading->recorded, tally->subject);
        if (has_sums)
            reading->has_tallied |= recorded_merge_sums(
                reading->recorded, tally->subject, words[PROBE_TALLY_WORDS], words[PROBE_TALLY_WORDS + 1]);
    }
}

/* Handlers that come while a buffer is full write behind it, where their segment has room. */
static uint64_t buffer_bytes(const struct recorded_segment *segment, const struct probe_thread *thread)
{
    enum { MOST_BEHIND = 1 << 16 };
    uint64_t bytes = segment->end - thread->buffer, most = PROBE_BUFFER_BYTES + MOST_BEHIND;
    if (thread->buffer < segment->offset || thread->buffer > segment->end || bytes < PROBE_BUFFER_BYTES)
        return PROBE_BUFFER_BYTES;
    return bytes < most ? bytes : most;
}

/* Segments first … end-1 are those of one thread; the one of kind THREAD among them.  events: its buffer. */
static bool find_thread(struct reading *reading, const struct array *segments, size_t first, size_t end,
                        struct probe_thread *thread, struct recorded_events *events)
{
    for (size_t i = first; i < end; i++) {
        const struct recorded_segment *segment = ARRAY_AT(struct recorded_segment, segments, i);
        if (segment->kind == PROBE_SEGMENT_THREAD &&
            recorded_bytes(reading->recorded, segment->offset, thread, sizeof *thread)) {
            *events = (struct recorded_events){thread->segment.thread, thread->buffer,
                                               thread->buffer + buffer_bytes(segment, thread)};
            return true;
        }
    }
    return false;
}

static void read_segment(struct reading *reading, struct probe_summary *summary,
                         const struct recorded_segment *segment)
{
    struct probe_segment *loaded;
    switch (segment->kind) {
    case PROBE_SEGMENT_SLOTS:
    case PROBE_SEGMENT_FRAMES:
        loaded = load_segment(reading, segment);
        if (loaded)
            summary_take(summary, loaded);
        if (loaded && segment->kind == PROBE_SEGMENT_SLOTS)
            check_slots(reading, loaded);
        break;
    case PROBE_SEGMENT_COUNTERS:
        read_tallies(reading, segment);
        read_limits(reading, segment);
        break;
    case PROBE_SEGMENT_EVENTS:
        *(struct recorded_events *)array_push(&reading->recorded->events) = (struct recorded_events){
            segment->thread, segment->offset + sizeof(struct probe_segment), segment->end};
        break;
    case PROBE_SEGMENT_THREAD:
    case PROBE_SEGMENT_UNUSED:
        break;
    default:
        reading->recorded->damaged++;
    }
}

static void summarise(struct reading *reading, struct probe_summary *summary,
                      const struct recorded_events *stretch)
{
    enum { PIECE_EVENTS = 1 << 14 };
    struct recorded *recorded = reading->recorded;
    struct probe_event *events = memory_get(PIECE_EVENTS * sizeof *events);
    for (uint64_t at = stretch->offset; at < stretch->end;) {
        uint64_t left = (stretch->end - at) / sizeof *events,
                 count = left < PIECE_EVENTS ? left : PIECE_EVENTS;
        bool is_whole = count && recorded_bytes(recorded, at, events, count * sizeof *events);
        if (is_whole)
            summary_run(summary, events, count);
        recorded->is_cut |= count && !is_whole;
        at = is_whole ? at + count * sizeof *events : stretch->end;
    }
    free(events);
}

/* What was in the buffer when the process ended, and before it what its runtime left to us, by the runtime's own
   code. */
static void summarise_rest(struct reading *reading, struct probe_summary *summary, size_t first_events,
                           const struct recorded_events *rest)
{
    struct recorded *recorded = reading->recorded;
    struct probe_thread *thread = summary->thread;
    size_t count = recorded->header.flags & PROBE_UNSUMMARISED ? recorded->events.count : first_events;
    for (size_t i = first_events; i < count; i++)
        summarise(reading, summary, ARRAY_AT(struct recorded_events, &recorded->events, i));
    summarise(reading, summary, rest);
    uint64_t end = recorded->header.end_ticks;
    summary_close(summary, end > thread->end_ticks ? end : thread->end_ticks);
    *(struct recorded_events *)array_push(&recorded->events) = *rest;
}

static void read_thread(struct reading *reading, const struct array *segments, size_t first, size_t end)
{
    struct recorded *recorded = reading->recorded;
    const struct probe_header *header = &recorded->header;
    struct probe_thread thread = {0};
    struct recorded_events rest;
    if (reading->threads++ == MOST_THREADS || !find_thread(reading, segments, first, end, &thread, &rest)) {
        recorded->damaged++;
        return;
    }
    if (reading->groups)
        memset(reading->groups, 0, reading->group_count * sizeof *reading->groups);
    struct probe_summary summary = {.subjects = reading->subjects.data,
                                    .subject_count = (uint32_t)reading->subjects.count,
                                    .slots = reading->slots,
                                    .groups = reading->groups,
                                    .group_count = reading->group_count,
                                    .thread = &thread,
                                    .reading_cost = header->reading_cost,
                                    .inner_cost = header->inner_cost,
                                    .pair_cost = header->pair_cost,
                                    .value_cost = header->value_cost,
                                    .more = more,
                                    .owner = reading};
    size_t first_events = recorded->events.count;
    for (size_t i = first; i < end; i++)
        read_segment(reading, &summary, ARRAY_AT(struct recorded_segment, segments, i));
    summarise_rest(reading, &summary, first_events, &rest);
    bool has_reached = reading->has_tallied || thread.events || thread.unpaired || thread.lost;
    for (uint32_t i = 0; i < reading->subjects.count; i++) {
        if (reading->slots[i])
            recorded_merge(recorded, ARRAY_AT(struct probe_plan_subject, &reading->subjects, i),
                           reading->slots[i]);
        has_reached |= reading->slots[i] != NULL;
        reading->slots[i] = NULL;
    }
    reading->has_tallied = false;
    recorded->threads += has_reached;
    recorded->probe_ticks += (double)thread.cost / 64 + (double)thread.away;
    recorded->thread_ticks +=
        thread.end_ticks > thread.start_ticks ? (double)(thread.end_ticks - thread.start_ticks) : 0;
    recorded->unpaired += thread.unpaired;
    recorded->lost += thread.lost;
    arena_empty(&reading->memory);
}

/* ---- the whole ---- */

/* Of a runtime that leaves it to us; 0: the end is unknown. */
static uint64_t frequency_of(const struct probe_header *header)
{
    if (header->end_ticks <= header->start_ticks || header->end_nanoseconds <= header->start_nanoseconds)
        return 0;
    double ticks = (double)(header->end_ticks - header->start_ticks) * 1e9 /
                   (double)(header->end_nanoseconds - header->start_nanoseconds);
    return ticks < 1e12 ? (uint64_t)ticks : 0;
}

static bool read_header(struct recorded *recorded, const char *path, struct error *error)
{
    struct probe_header *header = &recorded->header;
    recorded->file = regular_file_open(path, &recorded->size, error);
    if (recorded->file < 0)
        return false;
    if (!recorded_bytes(recorded, 0, header, sizeof *header))
        return error_set(error, path, "is too short for a recording of probes");
    if (memcmp(header->magic, PROBE_RECORD_MAGIC, sizeof header->magic))
        return error_set(error, path, "is not a recording of probes");
    if (header->version != PROBE_RECORD_VERSION)
        return error_set(error, path, "was recorded by another version of libassay-probe (%u, not %u)",
                         (unsigned)header->version, (unsigned)PROBE_RECORD_VERSION);
    header->command[sizeof header->command - 1] = 0;
    if (!header->ticks_per_second)
        header->ticks_per_second = frequency_of(header);
    recorded->is_cut = header->size > recorded->size;
    if (header->size < recorded->size)
        recorded->size = header->size;
    return true;
}

static void prepare(struct reading *reading)
{
    const struct probe_plan *plan = reading->plan;
    for (size_t i = 0; i < plan->subjects.count; i++) {
        const struct probe_plan_subject *how = &ARRAY_AT(struct probe_subject, &plan->subjects, i)->how;
        *(struct probe_plan_subject *)array_push(&reading->subjects) = *how;
        if (how->kind == PROBE_ADDRESS && how->group >= reading->group_count && how->group < MOST_GROUPS)
            reading->group_count = how->group + 1;
    }
    if (reading->group_count)
        reading->groups = memory_get(reading->group_count * sizeof *reading->groups);
    reading->slots = memory_get((plan->subjects.count + 1) * sizeof *reading->slots);
}

static void read_segments(struct recorded *recorded, const struct probe_plan *plan)
{
    struct array segments = ARRAY_OF(struct recorded_segment);
    struct reading reading = {
        .recorded = recorded, .plan = plan, .subjects = ARRAY_OF(struct probe_plan_subject)};
    prepare(&reading);
    recorded_list(recorded, &segments);
    for (size_t first = 0, end; first < segments.count; first = end) {
        uint32_t thread = ARRAY_AT(struct recorded_segment, &segments, first)->thread;
        for (end = first + 1; end < segments.count; end++)
            if (ARRAY_AT(struct recorded_segment, &segments, end)->thread != thread)
                break;
        if (thread)
            read_thread(&reading, &segments, first, end);
        for (size_t i = first; !thread && i < end; i++)
            read_common(recorded, ARRAY_AT(struct recorded_segment, &segments, i), plan->modules.count);
    }
    array_free(&segments);
    array_free(&reading.subjects);
    arena_free(&reading.memory);
    free(reading.slots);
    free(reading.groups);
}

static bool recorded_open(struct recorded *recorded, const char *path, struct error *error)
{
    *recorded = (struct recorded){
        .file = -1, .modules = ARRAY_OF(struct probe_module), .events = ARRAY_OF(struct recorded_events)};
    bool is_open = read_header(recorded, path, error);
    if (!is_open && recorded->file >= 0)
        close(recorded->file);
    return is_open;
}

bool recorded_read(struct recorded *recorded, const struct probe_plan *plan, const char *path,
                   struct error *error)
{
    if (!recorded_open(recorded, path, error))
        return false;
    recorded->subject_count = plan->subjects.count;
    recorded->subjects = memory_get((plan->subjects.count + 1) * sizeof *recorded->subjects);
    read_segments(recorded, plan);
    return true;
}

void recorded_free(struct recorded *recorded)
{
    close(recorded->file);
    array_free(&recorded->modules);
    array_free(&recorded->events);
    free(recorded->subjects);
    arena_free(&recorded->memory);
}
