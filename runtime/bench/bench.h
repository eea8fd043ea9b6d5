/* What the files of the runner share. */
#ifndef RUNTIME_BENCH_BENCH_H
#define RUNTIME_BENCH_BENCH_H
#include "runtime/bench/bench_file.h"

/* enter.S knows these offsets. */
struct bench_context {
    uint64_t general[BENCH_GENERAL];                      /* 0 */
    uint8_t vectors[BENCH_VECTORS][BENCH_VECTOR_BYTES];   /* 256 */
    uint64_t stack;                                       /* 2304: of the test */
    uint64_t saved_stack;                                 /* 2312: of the caller */
    uint64_t vector_bytes;                                /* 2320 */
    uint64_t code;                                        /* 2328 */
    uint64_t walked;                                      /* 2336: general register 1 when the code ended */
};

/* enter.S: loads all registers, runs the code, and comes back through bench_leave. */
void bench_enter(struct bench_context *context);
void bench_leave(void);

/* code.c: a loop around copies of a unit, ready to run. */
struct bench_code {
    void *memory;
    size_t size;   /* of the mapping */
    void *start;
};
/* 0, or an errno. */
int bench_code_make(struct bench_code *code, const uint8_t *unit, size_t unit_size, uint32_t copies,
                    uint32_t trips, unsigned counter);
void bench_code_change_trips(struct bench_code *code, uint32_t trips, unsigned counter);
void bench_code_free(struct bench_code *code);

/* clock.c: ticks of the counter, serialised. */
uint64_t bench_ticks(void);
double bench_ticks_per_second(void);
/* Chains whose cycles are certain, timed beside each sample. */
struct bench_clock {
    struct bench_code chain;
    struct bench_context context;
    double cycles;       /* of one run of the chain, but its first trip */
    double first_ticks;  /* what entering and the first trip take */
    double sample_ticks; /* that a sample should take */
};
int bench_clock_begin(struct bench_clock *clock);
void bench_clock_end(struct bench_clock *clock);
/* Ticks of a cycle now. */
double bench_clock_tick(struct bench_clock *clock);

/* measure.c: in the process that calls it. */
void bench_measure(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result);
/* pages.c: the buffer, the stack and pages on demand. */
struct bench_memory {
    uint8_t *buffer, *middle, *stack;
    uint8_t *stream; /* NULL: the test has none */
    uint8_t *chase; /* NULL: the test has none */
    uint64_t lines; /* of the chase */
};
/* 0, or an errno; bench_memory_end in any case. */
int bench_memory_begin(struct bench_memory *memory, const struct bench_test *test);
void bench_memory_end(struct bench_memory *memory);
/* Frees what stays for other tests. */
void bench_memory_drop(void);
/* A line of the chase, another one each time. */
uint8_t *bench_chase_line(const struct bench_memory *memory);
/* measure.c: doubles, for qsort. */
int bench_by_size(const void *a, const void *b);
/* measure.c: all registers as a test has them at its start. */
void bench_set_registers(struct bench_context *context, const struct bench_test *test, const struct bench_memory *memory);

/* walk.c: a test with a pass. */
struct bench_walk {
    struct bench_clock *clock;
    const struct bench_test *test;
    struct bench_memory memory;
    struct bench_context context;
    struct bench_code code;
    uint32_t trips;
    uint64_t units; /* done so far */
};
void bench_measure_walk(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result);
/* The parts: warm when it begins (0, or an errno), samples, one more piece. */
int bench_walk_begin(struct bench_walk *walk, struct bench_clock *clock, const struct bench_test *test);
void bench_walk_measure(struct bench_walk *walk, struct bench_result *result);
double bench_walk_on(struct bench_walk *walk);
void bench_walk_end(struct bench_walk *walk);

/* together.c: a walk of several processors at once. */
unsigned bench_test_processes(const struct bench_test *test);
void bench_measure_together(struct bench_clock *clock, const struct bench_test *test, struct bench_result *result);

/* events.c: opens what this computer counts, for the process that calls it; 0, or why the kernel refused the first
   that it refused. */
int bench_events_open(const struct bench_event *events, size_t count);
void bench_events_close(void);
/* Counts around runs of both sizes, whose difference has so many units. */
typedef void bench_body(void *context, int size);
void bench_events_count(bench_body *body, void *context, double units, struct bench_result *result);

/* computer.c: family and model, or implementer and part. */
void bench_identify(unsigned *family, unsigned *model);

/* system.c: processors that this process may use, those of different cores first. */
void bench_find_processors(void);
unsigned bench_processor_count(void);
void bench_stay_on_processor(unsigned place);
/* A test of the layout SYSTEM. */
void bench_ask_system(const struct bench_test *test, struct bench_result *result);
#endif
