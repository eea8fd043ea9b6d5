/* What the files of the runner share. */
#ifndef RUNTIME_GAUGE_GAUGE_H
#define RUNTIME_GAUGE_GAUGE_H
#include "runtime/gauge/gauge_file.h"

/* enter.S knows these offsets. */
struct gauge_context {
    uint64_t general[GAUGE_GENERAL];                      /* 0 */
    uint8_t vectors[GAUGE_VECTORS][GAUGE_VECTOR_BYTES];   /* 256 */
    uint64_t stack;                                       /* 2304: of the test */
    uint64_t saved_stack;                                 /* 2312: of the caller */
    uint64_t vector_bytes;                                /* 2320 */
    uint64_t code;                                        /* 2328 */
    uint64_t walked;                                      /* 2336: general register 1 when the code ended */
};

/* enter.S: loads all registers, runs the code, and comes back through gauge_leave. */
void gauge_enter(struct gauge_context *context);
void gauge_leave(void);

/* code.c: a loop around copies of a unit, ready to run. */
struct gauge_code {
    void *memory;
    size_t size;   /* of the mapping */
    void *start;
};
/* 0, or an errno. */
int gauge_code_make(struct gauge_code *code, const uint8_t *unit, size_t unit_size, uint32_t copies,
                    uint32_t trips, unsigned counter);
void gauge_code_change_trips(struct gauge_code *code, uint32_t trips, unsigned counter);
void gauge_code_free(struct gauge_code *code);

/* clock.c: ticks of the counter, serialised. */
uint64_t gauge_ticks(void);
double gauge_ticks_per_second(void);
/* Chains whose cycles are certain, timed beside each sample. */
struct gauge_clock {
    struct gauge_code chain;
    struct gauge_context context;
    double cycles;       /* of one run of the chain, but its first trip */
    double first_ticks;  /* what entering and the first trip take */
    double sample_ticks; /* that a sample should take */
};
int gauge_clock_begin(struct gauge_clock *clock);
void gauge_clock_end(struct gauge_clock *clock);
/* Ticks of a cycle now. */
double gauge_clock_tick(struct gauge_clock *clock);

/* measure.c: in the process that calls it. */
void gauge_measure(struct gauge_clock *clock, const struct gauge_test *test, struct gauge_result *result);
/* pages.c: the buffer, the stack and pages on demand. */
struct gauge_memory {
    uint8_t *buffer, *middle, *stack;
    uint8_t *stream; /* NULL: the test has none */
    uint8_t *chase; /* NULL: the test has none */
    uint64_t lines; /* of the chase */
};
/* 0, or an errno; gauge_memory_end in any case. */
int gauge_memory_begin(struct gauge_memory *memory, const struct gauge_test *test);
void gauge_memory_end(struct gauge_memory *memory);
/* Frees what stays for other tests. */
void gauge_memory_drop(void);
/* A line of the chase, another one each time. */
uint8_t *gauge_chase_line(const struct gauge_memory *memory);
/* measure.c: doubles, for qsort. */
int gauge_by_size(const void *a, const void *b);
/* measure.c: all registers as a test has them at its start. */
void gauge_set_registers(struct gauge_context *context, const struct gauge_test *test, const struct gauge_memory *memory);

/* walk.c: a test with a pass. */
struct gauge_walk {
    struct gauge_clock *clock;
    const struct gauge_test *test;
    struct gauge_memory memory;
    struct gauge_context context;
    struct gauge_code code;
    uint32_t trips;
    uint64_t units; /* done so far */
};
void gauge_measure_walk(struct gauge_clock *clock, const struct gauge_test *test, struct gauge_result *result);
/* The parts: warm when it begins (0, or an errno), samples, one more piece. */
int gauge_walk_begin(struct gauge_walk *walk, struct gauge_clock *clock, const struct gauge_test *test);
void gauge_walk_measure(struct gauge_walk *walk, struct gauge_result *result);
double gauge_walk_on(struct gauge_walk *walk);
void gauge_walk_end(struct gauge_walk *walk);

/* together.c: a walk of several processors at once. */
unsigned gauge_test_processes(const struct gauge_test *test);
void gauge_measure_together(struct gauge_clock *clock, const struct gauge_test *test, struct gauge_result *result);

/* events.c: opens what this computer counts, for the process that calls it; 0, or why the kernel refused the first
   that it refused. */
int gauge_events_open(const struct gauge_event *events, size_t count);
void gauge_events_close(void);
/* Counts around runs of both sizes, whose difference has so many units. */
typedef void gauge_body(void *context, int size);
void gauge_events_count(gauge_body *body, void *context, double units, struct gauge_result *result);

/* computer.c: family and model, or implementer and part. */
void gauge_identify(unsigned *family, unsigned *model);

/* system.c: processors that this process may use, those of different cores first. */
void gauge_find_processors(void);
unsigned gauge_processor_count(void);
void gauge_stay_on_processor(unsigned place);
/* A test of the layout SYSTEM. */
void gauge_ask_system(const struct gauge_test *test, struct gauge_result *result);
#endif
