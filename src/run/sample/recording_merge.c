/* A recording is put after another: those of the ranks of a parallel run become one.

   Ranks run the same programs, so files, frames and nodes are shared, found by hashing; processes, threads
   and counts stay apart.  Files are the same if path, build-id and kind are: a path on two hosts may hold two
   builds. */
#include "run/sample/recording.h"

#include "base/hash_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The records of an array by their keys. */
struct index {
    struct array *records;
    uint64_t (*hash)(const void *record);
    bool (*is_same)(const void *left, const void *right);
    struct hash_index places;
};

static uint32_t index_find(const struct index *index, uint64_t hash, const void *record)
{
    size_t slot = SIZE_MAX;
    uint32_t place;
    while ((place = hash_index_next(&index->places, hash, &slot)) != UINT32_MAX &&
           !index->is_same(array_at(index->records, place), record))
        ;
    return place;
}

/* Of what the array has. */
static void index_make(struct index *index)
{
    for (size_t i = 0; i < index->records->count; i++) {
        const void *record = array_at(index->records, i);
        uint64_t hash = index->hash(record);
        if (index_find(index, hash, record) == UINT32_MAX)
            hash_index_add(&index->places, hash, (uint32_t)i);
    }
}

/* The place of an equal record, or of this one, which is added. */
static uint32_t index_place(struct index *index, const void *record)
{
    uint64_t hash = index->hash(record);
    uint32_t place = index_find(index, hash, record);
    if (place != UINT32_MAX)
        return place;
    hash_index_add(&index->places, hash, (uint32_t)index->records->count);
    memcpy(array_push(index->records), record, index->records->width);
    return (uint32_t)index->records->count - 1;
}

struct merging {
    struct sample_recording *recording;
    const struct sample_recording *from;
    uint32_t *files, *frames, *nodes, *events; /* places in recording of from's */
};

static bool is_text_same(const char *left, const char *right)
{
    return left == right || (left && right && !strcmp(left, right));
}

static char *copied(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static uint64_t hash_file(const void *record)
{
    const struct sample_file *file = record;
    uint64_t hash = hash_mix(file->kind, strings_hash(file->build_id, strlen(file->build_id)));
    return file->path ? hash_mix(hash, strings_hash(file->path, strlen(file->path))) : hash;
}

static bool is_file_same(const void *left, const void *right)
{
    const struct sample_file *a = left, *b = right;
    return a->kind == b->kind && !strcmp(a->build_id, b->build_id) && is_text_same(a->path, b->path);
}

static void merge_files(struct merging *merging)
{
    struct array *files = &merging->recording->files;
    struct index index = {files, hash_file, is_file_same, {0}};
    index_make(&index);
    for (size_t i = 1; i < merging->from->files.count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, &merging->from->files, i);
        size_t before = files->count;
        merging->files[i] = index_place(&index, file);
        struct sample_file *kept = ARRAY_AT(struct sample_file, files, merging->files[i]);
        if (files->count > before)
            kept->path = copied(file->path);
        kept->is_deleted |= file->is_deleted;
        kept->has_other_code |= file->has_other_code;
    }
    hash_index_free(&index.places);
}

static uint64_t hash_frame(const void *record)
{
    const struct sample_frame *frame = record;
    return hash_mix(hash_mix(0, frame->address), frame->file);
}

static bool is_frame_same(const void *left, const void *right)
{
    const struct sample_frame *a = left, *b = right;
    return a->file == b->file && a->address == b->address;
}

static void merge_frames(struct merging *merging)
{
    struct index index = {&merging->recording->frames, hash_frame, is_frame_same, {0}};
    index_make(&index);
    for (size_t i = 1; i < merging->from->frames.count; i++) {
        struct sample_frame frame = *ARRAY_AT(struct sample_frame, &merging->from->frames, i);
        frame.file = merging->files[frame.file];
        merging->frames[i] = index_place(&index, &frame);
    }
    hash_index_free(&index.places);
}

static uint64_t hash_node(const void *record)
{
    const struct sample_node *node = record;
    return hash_mix(hash_mix(node->is_cut, node->caller), node->frame);
}

static bool is_node_same(const void *left, const void *right)
{
    const struct sample_node *a = left, *b = right;
    return a->caller == b->caller && a->frame == b->frame && a->is_cut == b->is_cut;
}

/* Callers come before their callees. */
static void merge_nodes(struct merging *merging)
{
    struct index index = {&merging->recording->nodes, hash_node, is_node_same, {0}};
    index_make(&index);
    for (size_t i = 1; i < merging->from->nodes.count; i++) {
        struct sample_node node = *ARRAY_AT(struct sample_node, &merging->from->nodes, i);
        node.caller = merging->nodes[node.caller];
        node.frame = merging->frames[node.frame];
        merging->nodes[i] = index_place(&index, &node);
    }
    hash_index_free(&index.places);
}

/* Event 0 is time, however it is named. */
static void merge_events(struct merging *merging)
{
    struct array *events = &merging->recording->events;
    for (size_t i = 0; i < merging->from->events.count; i++) {
        const struct sample_event *event = ARRAY_AT(struct sample_event, &merging->from->events, i);
        size_t place = i ? 1 : 0;
        while (i && place < events->count &&
               !is_text_same(ARRAY_AT(struct sample_event, events, place)->name, event->name))
            place++;
        merging->events[i] = (uint32_t)place;
        if (place >= events->count) {
            struct sample_event *added = array_push(events);
            *added = *event;
            added->name = copied(event->name);
            continue;
        }
        struct sample_event *kept = ARRAY_AT(struct sample_event, events, place);
        kept->total += event->total;
        kept->running = fmin(kept->running, event->running);
        kept->samples += event->samples;
        kept->is_exact &= event->is_exact;
    }
}

static void merge_counts(struct merging *merging)
{
    struct sample_recording *recording = merging->recording;
    const struct sample_recording *from = merging->from;
    uint32_t first_process = (uint32_t)recording->processes.count;
    uint32_t first_thread = (uint32_t)recording->threads.count;
    for (size_t i = 0; i < from->processes.count; i++) {
        struct sample_process *process = array_push(&recording->processes);
        *process = *ARRAY_AT(struct sample_process, &from->processes, i);
        process->command = copied(process->command);
        process->host = copied(process->host ? process->host : from->host);
    }
    for (size_t i = 0; i < from->threads.count; i++) {
        struct sample_thread *thread = array_push(&recording->threads);
        *thread = *ARRAY_AT(struct sample_thread, &from->threads, i);
        thread->process += first_process;
        thread->name = copied(thread->name);
    }
    for (size_t i = 0; i < from->counts.count; i++) {
        struct sample_count *count = array_push(&recording->counts);
        *count = *ARRAY_AT(struct sample_count, &from->counts, i);
        count->thread += first_thread;
        count->node = merging->nodes[count->node];
        count->event = (uint16_t)merging->events[count->event];
    }
}

/* Of the whole run. */

static void take_facts(struct sample_recording *recording, const struct sample_recording *from)
{
    struct sample_recording facts = *from;
    facts.command = recording->command ? recording->command : copied(from->command);
    facts.processor = recording->processor ? recording->processor : copied(from->processor);
    facts.host = recording->host ? recording->host : copied(from->host);
    facts.why_not_kernel =
        recording->why_not_kernel ? recording->why_not_kernel : copied(from->why_not_kernel);
    facts.unread = recording->unread + from->unread;
    facts.files = recording->files;
    facts.frames = recording->frames;
    facts.nodes = recording->nodes;
    facts.processes = recording->processes;
    facts.threads = recording->threads;
    facts.events = recording->events;
    facts.counts = recording->counts;
    *recording = facts;
}

/* By the processor time of both; NaN: unknown. */
static double average_clock(const struct sample_recording *left, const struct sample_recording *right)
{
    if (isnan(left->cycles_per_second) || isnan(right->cycles_per_second))
        return fmax(left->cycles_per_second, right->cycles_per_second);
    double before = isnan(left->cpu_seconds) ? left->seconds : left->cpu_seconds;
    double more = isnan(right->cpu_seconds) ? right->seconds : right->cpu_seconds;
    if (!(before + more > 0))
        return (left->cycles_per_second + right->cycles_per_second) / 2;
    return (left->cycles_per_second * before + right->cycles_per_second * more) / (before + more);
}

static uint64_t larger(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

static void add_facts(struct sample_recording *recording, const struct sample_recording *from)
{
    if (!recording->why_not_kernel)
        recording->why_not_kernel = copied(from->why_not_kernel);
    recording->source = (uint8_t)larger(recording->source, from->source);
    recording->has_kernel &= from->has_kernel;
    recording->frequency = fmin(recording->frequency, from->frequency);
    recording->cycles_per_second = average_clock(recording, from);
    recording->slowest_clock = fmin(recording->slowest_clock, from->slowest_clock);
    recording->fastest_clock = fmax(recording->fastest_clock, from->fastest_clock);
    recording->others_share = fmax(recording->others_share, from->others_share);
    recording->seconds = fmax(recording->seconds, from->seconds);
    recording->cpu_seconds += from->cpu_seconds;
    recording->kernel_seconds += from->kernel_seconds;
    if (!recording->exit_status && !recording->end_signal) {
        recording->exit_status = from->exit_status;
        recording->end_signal = from->end_signal;
    }
    recording->minor_faults += from->minor_faults;
    recording->major_faults += from->major_faults;
    recording->voluntary_switches += from->voluntary_switches;
    recording->involuntary_switches += from->involuntary_switches;
    recording->peak_memory = larger(recording->peak_memory, from->peak_memory);
    recording->lost += from->lost;
    recording->summarised += from->summarised;
    recording->unread += from->unread;
}

void sample_recording_merge(struct sample_recording *recording, const struct sample_recording *from)
{
    if (recording->processes.count || recording->events.count)
        add_facts(recording, from);
    else
        take_facts(recording, from);
    struct arena arena = {0};
    struct merging merging = {
        .recording = recording,
        .from = from,
        .files = arena_get(&arena, from->files.count * sizeof(uint32_t)),
        .frames = arena_get(&arena, from->frames.count * sizeof(uint32_t)),
        .nodes = arena_get(&arena, from->nodes.count * sizeof(uint32_t)),
        .events = arena_get(&arena, (from->events.count + 1) * sizeof(uint32_t)),
    };
    merge_files(&merging);
    merge_frames(&merging);
    merge_nodes(&merging);
    merge_events(&merging);
    merge_counts(&merging);
    arena_free(&arena);
}
