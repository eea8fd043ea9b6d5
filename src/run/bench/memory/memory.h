/* Levels of memory: latency and bandwidth of each cache and of what is behind them, of one core and of all.

   Tests are walks (runtime/bench/walk.c) through regions of growing size.  Names:

     memory|latency|BYTES            a random walk, each load the address of the next
     memory|KIND WIDTH|BYTES         a stream with vectors of WIDTH bytes; KIND: bench_stream_words
     memory|KIND WIDTH|BYTES|N       the same on N processors at once, each with BYTES of its own; N may be
                                     `all`
     memory|stride N|BYTES           loads that are N bytes apart; later passes take the lines between them
     system|WHAT                     what the system says: its caches and processors

   BYTES is what is touched, all arrays of a stream together.  What follows from the results is found by pure
   functions of them. */
#ifndef RUN_BENCH_MEMORY_MEMORY_H
#define RUN_BENCH_MEMORY_MEMORY_H
#include "run/bench/findings.h"
#include "run/bench/plan.h"
#include "run/bench/results.h"
#include "code/machine/machine.h"

enum bench_stream {
    stream_LOAD,
    stream_LOADS, /* of three arrays at once */
    stream_STORE,
    stream_COPY,   /* load from one array, store to another */
    stream_UPDATE, /* load, add, store to the same place */
    stream_TRIAD,  /* two loads, an addition, a store to a third array */
    stream_LIGHT,  /* loads, with arithmetic that takes about as long as lines of a near cache */
    stream_HEAVY,  /* … of a far one: how much of it goes on while lines come */
    stream_COUNT
};
extern const char *const bench_stream_words[stream_COUNT];
/* Bytes of each array that a unit goes through, and arrays. */
unsigned bench_stream_step(enum isa isa);
unsigned bench_stream_arrays(enum bench_stream kind);

/* How far a plan goes. */
struct bench_memory_plan {
    enum isa isa;
    uint64_t largest;    /* bytes of a region */
    unsigned processors; /* 0: unknown, those of another computer */
    unsigned widths;     /* bytes of vectors: 16, or a sum of 32 and 64 */
};
/* Of this computer: four times its last cache, its processors, its vectors. */
struct bench_memory_plan bench_memory_plan_here(enum isa isa);
/* For any computer. */
struct bench_memory_plan bench_memory_plan_anywhere(enum isa isa);
/* 512K, 256M, 1G, as a largest region; false: not one. */
bool bench_memory_size(const char *text, uint64_t *bytes);
/* Appends the tests (struct bench_planned). */
void bench_plan_levels(struct array *planned, const struct bench_memory_plan *plan);
/* A test of a walk that was measured. */
struct bench_point {
    char what[16];    /* latency, stride, or a word of bench_stream_words */
    unsigned number;  /* bytes of a vector, or of a stride; 0 for latencies */
    uint64_t bytes;   /* of the region */
    unsigned threads; /* BENCH_ALL: all processors */
    struct bench_result result;
};
/* All of them, of struct bench_point: by what, number, threads and bytes. */
struct array bench_memory_points(struct bench_results *results);
/* Cycles of a load (latency, stride) or of a unit of a stream; of one processor at best, of several usually:
   what others do on the same computer only ever makes one of them slower.  NaN: not measured. */
double bench_point_cycles(const struct bench_point *point);
/* Bytes that a point moves in a cycle, of all its processors together: what is loaded, of a copy once, of a
   stride whole lines.  NaN for latencies. */
double bench_point_bytes(const struct bench_point *point, enum isa isa);
/* What the system says of its caches of data, the nearest first, and how many processors a test may use (0:
 * unknown). */
unsigned bench_system_caches(struct bench_results *results, struct machine_cache *caches, unsigned most);
unsigned bench_system_processors(struct bench_results *results);

/* A level of memory, with its figures; NaN: not measured. */
struct bench_level {
    struct machine_cache cache; /* level 0: main memory.  Figures are those of one core, 0 for unknown */
    bool is_reported;           /* its size is what the system says */
    double step;                /* bytes where the curves rise; 0: they do not */
    double spread;              /* of its latency, over the sizes that are in it */
    double unsteady;            /* how far samples are apart, of latency or of loads: others disturb them */
    double nanoseconds;         /* of its latency */
    double core[3], all[3];     /* GB/s of one core, and of all: loads, stores, copies */
};
struct bench_levels {
    struct bench_level levels[MOST_CACHES + 1]; /* the nearest first */
    unsigned count;
    unsigned processors; /* of `all`; 0: unknown */
    double ghz;
    double unexplained[4]; /* sizes where the curves rise and the system reports no cache */
    unsigned unexplained_count;
};
struct bench_levels bench_find_levels(struct bench_results *results, enum isa isa);
/* The figure of a stride of so many bytes in a level, in cycles for each load. */
double bench_level_stride(const struct bench_levels *levels, unsigned level, const struct array *points,
                          unsigned stride);

/* Appends what follows from the results (struct bench_finding): lines `cache` and `main-memory`. */
void bench_level_findings(struct array *findings, struct bench_results *results, enum isa isa);
#endif
