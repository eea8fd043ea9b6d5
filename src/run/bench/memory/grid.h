/* The regions that are measured, and the names of their tests: the same for planning and for reading results.
 */
#ifndef RUN_BENCH_MEMORY_GRID_H
#define RUN_BENCH_MEMORY_GRID_H
#include "run/bench/memory/memory.h"

enum {
    MEMORY_SMALLEST = 4 << 10,
    MEMORY_STRIDE_SMALLEST = 256 << 10,
    MEMORY_MOST_SIZES = 100,
    MEMORY_MOST_THREADS = 1024,
    MEMORY_STRIDED = 8 /* loads of a unit with strides */
};

/* Sizes from the smallest to at most the largest, so many (1, 2 or 4) for each octave; the number of them. */
unsigned memory_sizes(uint64_t smallest, uint64_t largest, unsigned per_octave, uint64_t *sizes);
/* Kinds that are measured on several processors, and their sizes: all of them for all processors, for some
   processors those that are likely to be in what they share. */
bool memory_has_crowd(enum bench_stream kind);
unsigned memory_crowd_sizes(uint64_t largest, unsigned threads, uint64_t *sizes);

extern const unsigned memory_strides[];
extern const unsigned memory_stride_count;
/* Bytes of vectors. */
extern const unsigned memory_widths[];
extern const unsigned memory_width_count;

/* What is asked of the system: files in each folder index0, index1, … of a folder. */
enum { MEMORY_INDICES = 6 };
extern const char *const memory_questions[];
extern const unsigned memory_question_count;
/* system|… of one of them. */
const char *memory_question_name(char name[BENCH_NAME], unsigned index, const char *question);

/* threads: 0 for one, BENCH_ALL for all. */
const char *memory_name(char name[BENCH_NAME], const char *what, unsigned number, uint64_t bytes,
                        unsigned threads);
#endif
