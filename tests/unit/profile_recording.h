/* A recording of the profiler made by hand, for the tests of its reader and for the fuzzer. */
#ifndef TESTS_UNIT_PROFILE_RECORDING_H
#define TESTS_UNIT_PROFILE_RECORDING_H
#include "runtime/denormal-profile/profile_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORDED_MODULES = 4,
    RECORDED_PHASES = 4,
    RECORDED_SITES = 16,
    RECORDED_SAMPLES = 4,
    PROGRAM_START = 0x400000,
    PROGRAM_END = 0x500000
};
#define LIBRARY_START UINT64_C(0x7f0000000000)
#define STACK_TOP UINT64_C(0x7ffd00000000)
static const uint64_t second = 1000000000;

struct recording {
    struct profile_header header;
    struct profile_module modules[RECORDED_MODULES];
    struct profile_phase phases[RECORDED_PHASES];
    struct profile_site sites[RECORDED_SITES];
    struct profile_sample samples[RECORDED_SAMPLES];
    struct profile_note notes[PROFILE_NOTE_COUNT];
};

static inline struct profile_section recorded_section(size_t offset, size_t entry, size_t capacity,
                                                      size_t used)
{
    return (struct profile_section){
        .offset = offset, .entry_bytes = (uint32_t)entry, .capacity = (uint32_t)capacity, .used = used};
}

static inline void record_sites(struct recording *recording)
{
    recording->sites[3] = (struct profile_site){.address = PROGRAM_START + 0x1234,
                                                .units = PROFILE_UNIT_SSE,
                                                .operand_events = 100,
                                                .underflow_events = 20,
                                                .last = 12 * second};
    recording->sites[4] = recording->sites[3]; /* made by another thread at the same time */
    recording->sites[4].operand_events = 7;
    recording->sites[9] =
        (struct profile_site){.address = PROGRAM_START + 0x1234, .phase = 1, .operand_events = 5};
    recording->sites[15] = (struct profile_site){.address = LIBRARY_START + 0x1010, .operand_events = 1000};
}

static inline void record_samples(struct recording *recording)
{
    const float tiny = -1e-40f;
    struct profile_sample *sample = &recording->samples[0];
    *sample = (struct profile_sample){.ready = 1,
                                      .address = PROGRAM_START + 0x1234,
                                      .time = 11 * second,
                                      .thread = 4242,
                                      .event = PROFILE_OPERAND_EVENT,
                                      .unit = PROFILE_UNIT_SSE,
                                      .operand_number = 1,
                                      .lane = 2,
                                      .operand_bits = 32,
                                      .is_memory = 1,
                                      .stack_bytes = 64,
                                      .data_address = STACK_TOP + 16,
                                      .stack_address = STACK_TOP,
                                      .operand = "memory"};
    memcpy(sample->value, &tiny, sizeof tiny);
    sample->registers[7] = STACK_TOP;
    sample->registers[6] = STACK_TOP + 16; /* a frame: the caller's, and the address after its call */
    sample->registers[16] = sample->address;
    uint64_t back = PROGRAM_START + 0x2000;
    memcpy(sample->stack + 24, &back, sizeof back);
    recording->samples[1] = *sample;
    recording->samples[1].event = PROFILE_UNDERFLOW_EVENT;
    recording->samples[1].address = recording->samples[1].registers[16] = LIBRARY_START + 0x1010;
    recording->samples[1].is_memory = 0;
    recording->samples[1].operand_bits = 80;
    recording->samples[1].phase = 1;
    strcpy(recording->samples[1].operand, "st(0)");
    recording->samples[2] = *sample;
    recording->samples[2].data_address = PROGRAM_END + 0x100000;
    recording->samples[2].operand_bits = 64;
    recording->samples[3].phase = 77; /* never finished */
}

/* 13 seconds of which a phase "solve" begins after 2.  library: a file at LIBRARY_START. */
static inline struct recording *record(uint32_t mode, const char *library)
{
    struct recording *it = calloc(1, sizeof *it);
    it->header = (struct profile_header){
        .magic = {'A', 'S', 'S', 'A', 'Y', 'D', 'I', 'P'},
        .version = PROFILE_VERSION,
        .header_bytes = sizeof it->header,
        .word_bits = 64,
        .mode = mode,
        .pid = 4242,
        .parent_pid = 1,
        .start = 10 * second,
        .end = 23 * second,
        .ended = PROFILE_END_EXIT,
        .exit_status = 3,
        .threads = 1,
        .ticks_per_second = 2 * second,
        .modules =
            recorded_section(offsetof(struct recording, modules), sizeof *it->modules, RECORDED_MODULES, 2),
        .phases =
            recorded_section(offsetof(struct recording, phases), sizeof *it->phases, RECORDED_PHASES, 2),
        .sites = recorded_section(offsetof(struct recording, sites), sizeof *it->sites, RECORDED_SITES, 4),
        .samples =
            recorded_section(offsetof(struct recording, samples), sizeof *it->samples, RECORDED_SAMPLES, 4),
        .notes =
            recorded_section(offsetof(struct recording, notes), sizeof *it->notes, PROFILE_NOTE_COUNT, 1),
        .program = "/nowhere/solver",
        .command_line = "./solver\0--steps\0"
                        "20",
        .command_bytes = 20,
    };
    it->modules[0] =
        (struct profile_module){.ready = 1, .start = LIBRARY_START, .end = LIBRARY_START + 0x100000};
    it->modules[0].bias = LIBRARY_START;
    strncpy(it->modules[0].path, library, sizeof it->modules[0].path - 1);
    it->modules[1] = (struct profile_module){.ready = 1,
                                             .build_id_bytes = 20,
                                             .start = PROGRAM_START,
                                             .end = PROGRAM_END,
                                             .build_id = {0xab, 0xcd},
                                             .path = "/nowhere/solver"};
    it->phases[0] =
        (struct profile_phase){.ready = 1, .start = 10 * second, .end = 12 * second, .name = "start"};
    it->phases[1] = (struct profile_phase){.ready = 1, .start = 12 * second, .name = "solve"};
    record_sites(it);
    record_samples(it);
    it->notes[PROFILE_NOTE_HANDLER_OF_PROGRAM].count = 2;
    return it;
}
#endif
