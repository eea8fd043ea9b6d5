/* A small recording with everything that one can have, and what must hold of every recording. */
#ifndef TESTS_UNIT_SAMPLE_RECORDING_H
#define TESTS_UNIT_SAMPLE_RECORDING_H
#include "run/sample/recording_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static inline char *text_of(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static inline void add_file(struct sample_recording *recording, const char *path, const char *build_id,
                            int kind)
{
    struct sample_file *file = array_add(&recording->files);
    file->path = path ? text_of(path) : NULL;
    snprintf(file->build_id, sizeof file->build_id, "%s", build_id);
    file->kind = (uint8_t)kind;
}

static inline void add_frame(struct sample_recording *recording, uint32_t file, uint64_t address)
{
    *(struct sample_frame *)array_add(&recording->frames) = (struct sample_frame){file, address};
}

static inline void add_node(struct sample_recording *recording, uint32_t caller, uint32_t frame, bool is_cut)
{
    *(struct sample_node *)array_add(&recording->nodes) = (struct sample_node){caller, frame, is_cut};
}

static inline void add_count(struct sample_recording *recording, uint32_t thread, uint32_t node, int event,
                             uint64_t samples, double amount)
{
    *(struct sample_count *)array_add(&recording->counts) =
        (struct sample_count){thread, node, (uint16_t)event, samples, amount};
}

/* A rank with two threads: main calls work of a library, which calls the kernel. */
static inline void make_recording(struct sample_recording *recording, int rank, const char *library)
{
    sample_recording_init(recording);
    recording->command = text_of("./solver 3");
    recording->processor = text_of("a processor");
    recording->host = text_of(rank ? "node2" : "node1");
    recording->source = SAMPLE_BY_CPU_CLOCK;
    recording->has_kernel = true;
    recording->frequency = 1000;
    recording->seconds = 2 + rank;
    recording->cpu_seconds = 1.5 + rank;
    recording->kernel_seconds = 0.25;
    recording->cycles_per_second = 3e9 + rank * 1e9;
    recording->slowest_clock = 2e9 + rank;
    recording->fastest_clock = 4e9 + rank;
    recording->others_share = rank == 1 ? 0.5 : 0.25;
    recording->exit_status = rank;
    recording->minor_faults = 100;
    recording->major_faults = 1;
    recording->voluntary_switches = 300;
    recording->involuntary_switches = (uint64_t)1 << 40;
    recording->peak_memory = 1000 + (unsigned)rank;
    recording->lost = 5;
    recording->summarised = 6;
    add_file(recording, "/usr/bin/solver", "0123456789abcdef0123456789abcdef01234567", SAMPLE_FILE_CODE);
    add_file(recording, library, "", SAMPLE_FILE_CODE);
    add_file(recording, NULL, "", SAMPLE_FILE_KERNEL);
    ARRAY_AT(struct sample_file, &recording->files, 2)->is_deleted = rank;
    add_frame(recording, 1, 0x1234);
    add_frame(recording, 2, 0xffff800012345678);
    add_frame(recording, 3, 0);
    add_node(recording, 0, 1, false);
    add_node(recording, 1, 2, false);
    add_node(recording, 2, 3, false);
    add_node(recording, 0, 2, true);
    struct sample_process *process = array_add(&recording->processes);
    *process = (struct sample_process){.process = 1000 + (unsigned)rank,
                                       .parent = 999,
                                       .command = text_of("./solver 3"),
                                       .rank = rank,
                                       .start = 0.001,
                                       .end = NAN,
                                       .cpu = 1.5,
                                       .kernel_cpu = NAN};
    for (unsigned i = 0; i < 2; i++)
        *(struct sample_thread *)array_add(&recording->threads) = (struct sample_thread){
            0, 1000 + (unsigned)rank + i, i ? text_of("worker") : NULL, 0.001, i ? 1.5 : NAN};
    *(struct sample_event *)array_add(&recording->events) =
        (struct sample_event){text_of("time"), NAN, 1, 1000, false};
    *(struct sample_event *)array_add(&recording->events) =
        (struct sample_event){text_of(rank ? "migrations" : "page-faults"), 101, 0.5, 101, true};
    add_count(recording, 0, 1, 0, 700, 0.7);
    add_count(recording, 1, 3, 0, 200, 0.2);
    add_count(recording, 1, 4, 0, 100, 0.1);
    add_count(recording, 0, 2, 1, 101, 101);
}

/* NULL, or what is wrong. */
static inline const char *wrong_with(const struct sample_recording *recording)
{
    if (!recording->files.count || !recording->frames.count || !recording->nodes.count)
        return "entry 0 is missing";
    if (recording->source > SAMPLE_BY_EVENT || !(recording->seconds >= 0) || isinf(recording->cpu_seconds))
        return "facts";
    for (size_t i = 0; i < recording->frames.count; i++)
        if (ARRAY_AT(struct sample_frame, &recording->frames, i)->file >= recording->files.count)
            return "a frame without file";
    for (size_t i = 0; i < recording->nodes.count; i++) {
        const struct sample_node *node = ARRAY_AT(struct sample_node, &recording->nodes, i);
        if (node->frame >= recording->frames.count || (i && node->caller >= i) || (!i && node->caller))
            return "a node without frame or with a later caller";
    }
    for (size_t i = 0; i < recording->threads.count; i++)
        if (ARRAY_AT(struct sample_thread, &recording->threads, i)->process >= recording->processes.count)
            return "a thread without process";
    for (size_t i = 0; i < recording->events.count; i++)
        if (!ARRAY_AT(struct sample_event, &recording->events, i)->name)
            return "an event without name";
    for (size_t i = 0; i < recording->counts.count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        if (count->thread >= recording->threads.count || count->node >= recording->nodes.count ||
            count->event >= recording->events.count || !(count->amount >= 0) || isinf(count->amount))
            return "samples without thread, stack or event, or with a wrong amount";
    }
    return NULL;
}

/* After damage, so that more than the sum is tried. */
static inline void correct_sum(uint8_t *bytes, size_t size)
{
    if (size < RECORDING_FILE_HEAD)
        return;
    uint64_t sum = recording_file_sum(bytes + RECORDING_FILE_HEAD, size - RECORDING_FILE_HEAD);
    for (unsigned i = 0; i < 8; i++)
        bytes[16 + i] = (uint8_t)(sum >> i * 8);
}
#endif
