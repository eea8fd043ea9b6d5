/* Tests of machine code: what is executed, and what was measured.

   A test is a unit of code (a few instructions, as bytes) that is repeated: `copies` times in a row inside a
   loop of `trips`.  Two sizes of it are timed, and the difference divided by the units that it has is the
   cycles of one unit: entry, exit and loop overhead are the same in both and vanish.

   The unit may use all registers but the counter, and must fall through at its end.  Registers have the given
   values each time the loop is entered.  Pointers point around the middle of a buffer of BENCH_BUFFER bytes
   that is filled with one pattern.

   A test with units of a `pass` walks through memory that may be larger than caches (walk.c): each entry goes on where the
   one before ended, so that a short sample is a piece of a walk through all of it.

   The runner knows no instruction beyond its own loop.  It is linked into Assay, and written out with tests
   as C arrays for computers without it. */
#ifndef RUNTIME_BENCH_BENCH_FILE_H
#define RUNTIME_BENCH_BENCH_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    BENCH_GENERAL = 32,
    BENCH_VECTORS = 32,
    BENCH_VECTOR_BYTES = 64,
    BENCH_BUFFER = 1 << 17,
    BENCH_SAMPLES = 31,
    BENCH_NAME = 160,   /* longest name of a test, with its end */
    BENCH_WALKING = 1,  /* the general register of a walk: x1, rcx */
    BENCH_ALL = 0xffff, /* threads: one on each processor */
    BENCH_EVENTS = 16,  /* that are counted at most */
    BENCH_MODELS = 24,
};

/* What the value of a register is. */
enum bench_pointer {
    bench_NUMBER,
    bench_POINTER, /* an offset from the middle of the buffer */
    bench_CHASER,  /* a line of the chase, another one each time the loop starts */
    bench_WALKER,  /* an offset from the start of `bytes`; the register BENCH_WALKING goes on with what it ended with */
};

/* The state of a register when the loop starts. */
struct bench_value {
    uint8_t is_vector, number;
    uint8_t is_pointer; /* enum bench_pointer */
    uint64_t value;     /* vectors: in each 8 bytes */
};

/* What lies in the memory of a test. */
enum bench_layout {
    bench_PATTERN,   /* a buffer, filled with one pattern */
    bench_ON_DEMAND, /* any page that is touched appears: all of them are a few pages of memory */
    bench_CHASE,     /* the buffer, and `bytes` whose lines form one cycle in random order */
    bench_STREAM,    /* the buffer, and `bytes` of numbers */
    bench_SYSTEM,    /* no code: the unit is the name of a number that the system knows (system.c) */
};

struct bench_test {
    const char *name;
    const uint8_t *unit;
    uint32_t unit_size;
    uint32_t copies[2];
    uint32_t trips[2];   /* 0: the runner chooses, the same for both */
    uint32_t most_trips; /* of one entry; 0: any */
    uint8_t counter;     /* the general register that counts trips: 30 on AArch64, 15 on x86-64, if free */
    /* x86-64: registers are loaded and cleaned with 16, 32 or 64 bytes, which sets masks, too; 8: mm registers.
       AArch64: 64 sets predicates. */
    uint8_t vector_bytes;
    uint8_t layout;       /* enum bench_layout */
    uint16_t threads;     /* processors that do the same at once, each with memory of its own; 0: one */
    uint64_t bytes;       /* of the chase or stream */
    uint64_t pass;        /* units until a walk was everywhere; 0: not a walk */
    uint64_t general, vector; /* registers without a value have these */
    uint64_t memory;          /* in each 8 bytes of the buffer */
    const struct bench_value *values;
    uint32_t value_count;
    uint8_t is_counted; /* events are counted, too */
};

/* An event of processors, and what it tells: µops that are issued, retired or executed, or those of ports (p23). */
struct bench_event {
    char what[12];
    uint32_t type; /* as perf_event_open takes them */
    uint64_t config;
    uint32_t family, models[BENCH_MODELS]; /* CPUID's, or implementer and parts of MIDR_EL1 */
    uint32_t model_count;                  /* 0: it is for any */
};

struct bench_count {
    char what[12];
    double count;  /* of one unit */
    double spread; /* relative, as that of cycles */
};

enum bench_status {
    bench_MEASURED,
    bench_MISSING, /* the processor does not have an instruction of it, or there are not so many processors */
    bench_TRAPPED, /* another signal */
    bench_SLOW,    /* it did not end in time */
    bench_FAILED,  /* no process, no memory, no clock */
};

/* All cycles are those of one unit. */
struct bench_result {
    enum bench_status status;
    int signal;    /* of TRAPPED */
    double best;   /* from the quickest of the samples */
    double median; /* from their medians */
    double spread; /* relative: how far the quickest samples and the medians are apart, at worst */
    double ghz;    /* of the core, beside the measurement */
    unsigned counted;
    struct bench_count counts[BENCH_EVENTS];
};

/* One line without its end: name, status, best, median, spread, clock, with tabs between them, and for each
   event WHAT=COUNT~SPREAD. */
void bench_print_result(FILE *out, const char *name, const struct bench_result *result);
/* computer.c: comments at the top of a file of results: whose they are. */
void bench_print_computer(FILE *out);
/* A comment before the results of a run: of which day they are, and which version of Assay made the tests. */
void bench_print_session(FILE *out, const char *version);
/* events.c: a comment that says which events can be counted here, or with which errno the kernel refused the first that is for
   this processor (0: none is). */
void bench_print_events(FILE *out, const struct bench_event *events, size_t count);
/* The words of enum bench_status. */
extern const char *const bench_status_words[];

/* Runs the tests in children, in order, each with a limit of `seconds`.  `note` gets each result as it comes;
   if it returns 0 the rest is left out.  Events are those of a list that this computer counts; of several that
   tell the same the first counts.  Returns 0, or an errno where nothing can run. */
typedef int bench_note(void *context, size_t test, const struct bench_result *result);
struct bench_batch {
    const struct bench_test *tests;
    size_t count;
    const struct bench_event *events;
    size_t event_count;
    unsigned seconds;
};
int bench_run(const struct bench_batch *batch, bench_note *note, void *context);
#endif
