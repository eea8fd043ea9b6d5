/* Recordings of probes as the runtime leaves them, for the tests of their reader: events of threads go
   through buffers and the runtime's own summaries (summary.c). */
#ifndef TESTS_UNIT_PROBE_RECORDING_H
#define TESTS_UNIT_PROBE_RECORDING_H
#include "runtime/probe/summary_file.h"
#include "run/probe/plan/plan.h"

#include "run/probe/recording/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAPE_PAGE = 4096, TAPE_SEGMENTS = 256 };

struct tape {
    struct probe_header header;
    const struct probe_plan *plan;
    struct array subjects; /* of struct probe_plan_subject */
    struct probe_segment *segments[TAPE_SEGMENTS];
    unsigned segment_count;
};

struct tape_thread {
    struct tape *tape;
    struct probe_thread *thread;
    struct probe_event *buffer;
    unsigned used;
    struct probe_slot **slots;
    struct probe_group *groups;
    struct probe_summary summary;
    struct probe_event *kept; /* PROBE_KEEP_ALL */
    unsigned kept_count;
};

static inline void *tape_segment(struct tape *tape, uint32_t kind, uint32_t thread, uint64_t bytes)
{
    uint64_t size = (sizeof(struct probe_segment) + bytes + TAPE_PAGE - 1) / TAPE_PAGE * TAPE_PAGE;
    struct probe_segment *segment = aligned_alloc(TAPE_PAGE, size);
    memset(segment, 0, size);
    *segment = (struct probe_segment){.kind = kind, .thread = thread, .size = size};
    tape->segments[tape->segment_count++] = segment;
    return segment;
}

static inline void tape_init(struct tape *tape, const struct probe_plan *plan)
{
    *tape = (struct tape){.header = {.version = PROBE_RECORD_VERSION,
                                     .process = 4242,
                                     .end = PROBE_END_EXIT,
                                     .status = 3,
                                     .start_nanoseconds = 1000,
                                     .end_nanoseconds = 2000001000,
                                     .start_ticks = 1000,
                                     .end_ticks = 1000000,
                                     .ticks_per_second = 500000000, /* a tick is 2 ns */
                                     .cycles_per_kilotick = 4096,   /* and 4 cycles */
                                     .cycles_per_kilotick_end = 4096},
                          .plan = plan,
                          .subjects = ARRAY_OF(struct probe_plan_subject)};
    memcpy(tape->header.magic, PROBE_RECORD_MAGIC, sizeof tape->header.magic);
    memcpy(tape->header.command, "./solver\0--steps\0007", 19);
    for (size_t i = 0; i < plan->subjects.count; i++)
        *(struct probe_plan_subject *)array_push(&tape->subjects) =
            ARRAY_AT(struct probe_subject, &plan->subjects, i)->how;
}

static inline struct probe_segment *tape_more(struct probe_summary *summary, uint32_t kind, uint64_t bytes)
{
    struct tape_thread *thread = summary->owner;
    return tape_segment(thread->tape, kind, thread->thread->number, bytes);
}

static inline void tape_thread_init(struct tape_thread *thread, struct tape *tape, uint32_t number)
{
    *thread = (struct tape_thread){.tape = tape};
    thread->thread =
        tape_segment(tape, PROBE_SEGMENT_THREAD, number, 2 * TAPE_PAGE + PROBE_BUFFER_BYTES - 64);
    thread->thread->number = number;
    thread->buffer = (void *)((char *)thread->thread + TAPE_PAGE);
    thread->slots = memory_get(tape->subjects.count * sizeof *thread->slots);
    thread->groups = memory_get(8 * sizeof *thread->groups);
    if (tape->header.flags & PROBE_KEEP_ALL)
        thread->kept =
            (void *)((struct probe_segment *)tape_segment(tape, PROBE_SEGMENT_EVENTS, number, 1 << 16) + 1);
    thread->summary = (struct probe_summary){.subjects = tape->subjects.data,
                                             .subject_count = (uint32_t)tape->subjects.count,
                                             .slots = thread->slots,
                                             .groups = thread->groups,
                                             .group_count = 8,
                                             .thread = thread->thread,
                                             .reading_cost = tape->header.reading_cost,
                                             .inner_cost = tape->header.inner_cost,
                                             .pair_cost = tape->header.pair_cost,
                                             .value_cost = tape->header.value_cost,
                                             .more = tape_more,
                                             .owner = thread};
}

static inline void tape_summarise(struct tape_thread *thread)
{
    for (unsigned i = 0; thread->kept && i < thread->used; i++)
        thread->kept[thread->kept_count++] = thread->buffer[i];
    summary_run(&thread->summary, thread->buffer, thread->used);
    thread->used = 0;
}

/* stack: bytes. */
static inline void tape_event(struct tape_thread *thread, enum probe_event_kind kind, uint32_t subject,
                              uint64_t stack, uint64_t value)
{
    thread->buffer[thread->used++] =
        (struct probe_event){(subject + 1) << 4 | (uint32_t)kind, (uint32_t)(stack >> 3), value};
    if (thread->used == PROBE_BUFFER_EVENTS)
        tape_summarise(thread);
}

/* is_killed: events stay in the buffer. */
static inline void tape_thread_end(struct tape_thread *thread, bool is_killed)
{
    if (!is_killed) {
        tape_summarise(thread);
        summary_close(&thread->summary, thread->tape->header.end_ticks);
    }
    free(thread->slots);
    free(thread->groups);
}

/* The bytes of the file; the tape is empty afterwards. */
static inline uint8_t *tape_bytes(struct tape *tape, size_t *size)
{
    uint64_t offset = TAPE_PAGE;
    *size = TAPE_PAGE;
    for (unsigned i = 0; i < tape->segment_count; i++)
        *size += tape->segments[i]->size;
    uint8_t *bytes = memory_get(*size);
    for (unsigned i = 0; i < tape->segment_count; i++) {
        struct probe_segment *segment = tape->segments[i];
        if (segment->kind == PROBE_SEGMENT_THREAD)
            ((struct probe_thread *)(void *)segment)->buffer = offset + TAPE_PAGE;
        memcpy(bytes + offset, segment, segment->size);
        offset += segment->size;
        free(segment);
    }
    tape->header.size = *size;
    memcpy(bytes, &tape->header, sizeof tape->header);
    array_free(&tape->subjects);
    return bytes;
}
enum { TICK_NS = 2, TICK_CYCLES = 4, STACK = 0x7fff0000 };

/* Numbers of subjects. */
enum {
    OUTER,
    INNER,
    CALL,
    LOOP,
    TALLIED,
    SIGNED_VALUE,
    FLOAT_VALUE,
    POINTER,
    LOAD,
    STORE,
    ARGUMENT,
    SUBJECTS
};

struct fixture {
    struct model model;
    struct probe_plan plan;
    struct array paths; /* of char * */
};

static inline void add_code(struct model *model)
{
    *(struct program *)model_add(&model->programs) = (struct program){.isa = isa_AARCH64, .bits = 64};
    for (uint32_t i = 0; i < 2; i++) {
        *(struct function *)model_add(&model->functions) =
            (struct function){.program = 1, .address = 0x1000 * (i + 1), .first_block = i + 1};
        *(struct block *)model_add(&model->blocks) =
            (struct block){.function = i + 1, .address = 0x1000 * (i + 1)};
        *(struct loop *)model_add(&model->loops) = (struct loop){.function = 1};
    }
    for (uint32_t i = 0; i < 8; i++)
        *(struct instruction *)model_add(&model->code) = (struct instruction){.block = 1, .offset = 4 * i};
    *(struct variable *)model_add(&model->variables) = (struct variable){.program = 1};
}

static inline void add_subject(struct probe_plan *plan, struct probe_subject subject)
{
    subject.program = 1;
    *(struct probe_subject *)array_push(&plan->subjects) = subject;
}

static inline void set_up(struct fixture *fixture)
{
    model_init(&fixture->model);
    add_code(&fixture->model);
    struct probe_plan *plan = &fixture->plan;
    probe_plan_init(plan, &fixture->model);
    fixture->paths = ARRAY_OF(char *);
    struct probe_plan_subject span = {.kind = PROBE_SPAN};
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_FUNCTION, .function = 2, .how = span});
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_FUNCTION, .function = 1, .how = span});
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_CALL,
                                             .function = 1,
                                             .instruction = 3,
                                             .callee = 2,
                                             .how = {.kind = PROBE_SPAN, .flags = PROBE_IS_OUTSIDE}});
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_LOOP,
                                             .function = 1,
                                             .loop = 1,
                                             .counting = PROBE_BY_REGISTER,
                                             .how = {.kind = PROBE_LOOP, .inverse = 1}});
    add_subject(plan,
                (struct probe_subject){
                    .kind = PROBE_OF_LOOP, .function = 1, .loop = 2, .how = {.kind = PROBE_COUNT_ONLY}});
    add_subject(plan,
                (struct probe_subject){.kind = PROBE_OF_PARAMETER,
                                       .function = 1,
                                       .position = 1,
                                       .instruction = 1,
                                       .name = model_string(&fixture->model, "n"),
                                       .how = {.kind = PROBE_VALUE, .width = 4, .flags = PROBE_IS_SIGNED}});
    add_subject(plan,
                (struct probe_subject){.kind = PROBE_OF_AT,
                                       .function = 1,
                                       .instruction = 2,
                                       .how = {.kind = PROBE_VALUE, .width = 8, .flags = PROBE_IS_FLOAT}});
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_AT,
                                             .function = 1,
                                             .instruction = 2,
                                             .variable = 1,
                                             .is_address = true,
                                             .how = {.kind = PROBE_VALUE, .width = 8}});
    struct probe_plan_subject load = {.kind = PROBE_ADDRESS, .width = 8, .group = 1};
    add_subject(plan, (struct probe_subject){
                          .kind = PROBE_OF_ACCESS, .function = 1, .loop = 1, .instruction = 4, .how = load});
    load.flags = PROBE_IS_STORE;
    add_subject(plan, (struct probe_subject){
                          .kind = PROBE_OF_ACCESS, .function = 1, .loop = 1, .instruction = 5, .how = load});
    add_subject(plan, (struct probe_subject){.kind = PROBE_OF_PARAMETER,
                                             .function = 1,
                                             .position = 2,
                                             .instruction = 3,
                                             .how = {.kind = PROBE_VALUE, .width = 8}});
    *(struct probe_plan_tally *)array_push(&plan->tallies) =
        (struct probe_plan_tally){.first = 1, .subject = TALLIED};
    plan->counter_count = 1 + PROBE_TALLY_WORDS;
    *(struct probe_made_module *)array_add(&plan->modules) = (struct probe_made_module){.program = 1};
}

static inline void tear_down(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->paths.count; i++) {
        char *path = *ARRAY_AT(char *, &fixture->paths, i);
        close(atoi(path + strlen("/proc/self/fd/")));
        free(path);
    }
    array_free(&fixture->paths);
    probe_plan_free(&fixture->plan);
    model_free(&fixture->model);
}

static inline uint64_t limit_of(const struct model *model, uint32_t run, enum probe_limit_kind kind)
{
    for (uint32_t i = 0; i < model->probe_limits.count; i++)
        if (model_probe_limit(model, i)->run == run && model_probe_limit(model, i)->kind == kind)
            return model_probe_limit(model, i)->count;
    return 0;
}

static inline bool is_near(double value, double wanted, double error)
{
    return fabs(value - wanted) <= error * fabs(wanted) + 1e-9;
}

static uint64_t random_state = 88172645463325252u;
static inline uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

static inline void record_loop(struct tape_thread *thread, uint64_t *now, uint64_t iterations, uint64_t ticks)
{
    tape_event(thread, PROBE_ENTER, LOOP, STACK, *now);
    tape_event(thread, PROBE_START, LOOP, STACK, 100);
    *now += ticks;
    tape_event(thread, PROBE_STOP, LOOP, STACK, 100 + iterations);
    tape_event(thread, PROBE_LEAVE, LOOP, STACK, *now);
    *now += 1000;
}

/* A recording with everything in it. */
static inline uint8_t *whole_recording(struct fixture *fixture, size_t *size)
{
    struct tape tape;
    tape_init(&tape, &fixture->plan);
    tape.header.flags = PROBE_KEEP_ALL;
    tape.header.inner_cost = 64 * 3;
    tape.header.pair_cost = 64 * 8;
    tape_segment(&tape, PROBE_SEGMENT_MODULE, 0, sizeof(struct probe_module));
    for (uint32_t i = 1; i <= 2; i++) {
        struct tape_thread thread;
        uint64_t now = 2000;
        tape_thread_init(&thread, &tape, i);
        for (unsigned k = 0; k < 50; k++, now += 100) {
            tape_event(&thread, PROBE_ENTER, OUTER, STACK, now);
            tape_event(&thread, PROBE_ENTER, INNER, STACK - 64, now + 10);
            tape_event(&thread, PROBE_LEAVE, INNER, STACK - 64, now + 20 + k);
            tape_event(&thread, PROBE_LEAVE, OUTER, STACK, now + 99);
        }
        for (unsigned k = 0; k < 50; k++) {
            record_loop(&thread, &now, k, 5 + k);
            for (uint32_t subject = SIGNED_VALUE; subject <= POINTER; subject++)
                tape_event(&thread, PROBE_SEEN, subject, STACK, k << 20);
            tape_event(&thread, PROBE_TOUCH, LOAD, STACK, 0x10000 + 8 * k);
            tape_event(&thread, PROBE_TOUCH, STORE, STACK, 0x20000 + 8 * k);
        }
        tape_event(&thread, PROBE_ENTER, OUTER, STACK, now);
        if (i == 1) /* slots and open frames in the file, too */
            tape_summarise(&thread);
        uint64_t *words = (uint64_t *)((struct probe_segment *)tape_segment(&tape, PROBE_SEGMENT_COUNTERS, i,
                                                                            8 * (1 + PROBE_TALLY_WORDS)) +
                                       1);
        words[9] = 100;
        tape_thread_end(&thread, true);
    }
    return tape_bytes(&tape, size);
}
#endif
