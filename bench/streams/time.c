/* Cycles of an iteration of each stream with its data in each level of the memory, as rows
   `stream,level,bytes, cycles,spread`.

       time L1 L2 L3 MEMORY [NAME…]    bytes of all arrays of a stream together, for each level;
                                       0 leaves it out

   Without counters of the processor: a chain of dependent additions, one a cycle, is timed around each sample
   and turns time into cycles.  The arrays lie one after the other on huge pages where the system has them, a
   few lines apart so that they do not start in the same set.  A sample takes about 0.4 ms, shorter than the
   turns of other programs: so many passes, or the next piece of the arrays where a pass takes longer.  Of the
   samples the lower quartile counts, because disturbances only add.  The pass before them leaves the ends of
   the arrays in the caches and they take the beginnings, so memory has to be several times the last cache. */
#define _GNU_SOURCE
#include "streams.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LEVELS = 4, SAMPLES = 41, HUGE_PAGE = 2 << 20, LINE = 64, GAP = 37 * LINE, ENOUGH = 64 << 20 };
static const double SAMPLE_SECONDS = 4e-4;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of a cycle. */
static double cycle(void)
{
    enum { ADDITIONS = 160000 };
    double best = 1;
    for (int attempt = 0; attempt < 3; attempt++) {
        double start = now();
        uint64_t sum = 1;
        for (int i = 0; i < ADDITIONS / 16; i++) {
#if defined(__aarch64__)
            __asm__ volatile(".rept 16\n\tadd %0, %0, %0\n\t.endr" : "+r"(sum));
#else
            __asm__ volatile(".rept 16\n\tadd %0, %0\n\t.endr" : "+r"(sum));
#endif
        }
        double seconds = (now() - start) / ADDITIONS;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static volatile double kept;

/* Arrays of n elements; a piece of them takes about SAMPLE_SECONDS, or all of them do in so many passes. */
struct place {
    char *arrays[4];
    long n, piece, passes;
};

static double piece_seconds(const struct stream *stream, const struct place *place, long first)
{
    void *arrays[4];
    for (unsigned i = 0; i < 4; i++)
        arrays[i] = place->arrays[i] + (size_t)first * stream->element_bytes;
    double start = now();
    for (long pass = 0; pass < place->passes; pass++)
        kept = stream->run(arrays, place->piece, 1.0);
    return (now() - start) / (double)place->passes;
}

/* Numbers a little above 1, whether read as doubles or as pairs of floats: streams that multiply end in
   infinity, never in denormals. */
static void fill(char *memory, size_t bytes)
{
    uint64_t *words = (uint64_t *)memory;
    for (size_t i = 0; i < bytes / sizeof *words; i++) {
        uint64_t mixed = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        words[i] = (UINT64_C(0x3ff00000) << 32 | UINT64_C(0x3f800000)) + (mixed >> 46 << 32 | mixed >> 46);
    }
}

static struct place lay_out(const struct stream *stream, char *memory, size_t bytes)
{
    size_t of_array = bytes / stream->arrays / (16 * LINE) * (16 * LINE);
    long grain = (long)(16 * LINE / stream->element_bytes);
    struct place place = {.n = (long)(of_array / stream->element_bytes), .passes = 1};
    for (unsigned i = 0; i < 4; i++)
        place.arrays[i] = memory + (i < stream->arrays ? i : 0) * (of_array + GAP);
    place.piece = place.n;
    double seconds = piece_seconds(stream, &place, 0);
    for (int i = 0; i < 4 && bytes < ENOUGH; i++) {
        double again = piece_seconds(stream, &place, 0);
        seconds = again < seconds ? again : seconds;
    }
    if (seconds < SAMPLE_SECONDS)
        place.passes = (long)(SAMPLE_SECONDS / seconds) + 1;
    else
        place.piece = (long)((double)place.n * SAMPLE_SECONDS / seconds) / grain * grain;
    place.piece = place.piece < 8 * grain ? 8 * grain : place.piece;
    place.piece = place.piece > place.n ? place.n : place.piece;
    return place;
}

static void measure(const struct stream *stream, char *memory, size_t bytes, int level)
{
    static const char *const levels[LEVELS] = {"l1", "l2", "l3", "memory"};
    struct place place = lay_out(stream, memory, bytes);
    unsigned pieces = (unsigned)(place.n / place.piece);
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double before = cycle(), seconds = piece_seconds(stream, &place, (unsigned)i % pieces * place.piece);
        double after = cycle();
        samples[i] = seconds / (before < after ? before : after) / ((double)place.piece / stream->step);
    }
    qsort(samples, SAMPLES, sizeof *samples, by_size);
    double middle = samples[SAMPLES / 2], quartile = samples[SAMPLES / 4];
    printf("%s,%s,%zu,%.4f,%.3f\n", stream->name, levels[level], bytes, quartile, middle / quartile - 1);
    fflush(stdout);
}

int main(int count, char **words)
{
    size_t bytes[LEVELS], most = 0;
    if (count <= LEVELS) {
        fprintf(stderr, "usage: time L1 L2 L3 MEMORY [NAME…] (bytes; 0: leave out)\n");
        return 2;
    }
    for (int i = 0; i < LEVELS; i++) {
        bytes[i] = (size_t)strtoull(words[i + 1], NULL, 10);
        most = bytes[i] > most ? bytes[i] : most;
    }
    most += 2 * HUGE_PAGE;
    char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("time");
        return 1;
    }
    madvise(memory, most, MADV_HUGEPAGE);
    memory = (char *)(((uintptr_t)memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    printf("stream,level,bytes,cycles,spread\n");
    for (int level = 0; level < LEVELS; level++) {
        fill(memory, bytes[level] ? bytes[level] + 4 * GAP : 0);
        for (unsigned i = 0; i < stream_count && bytes[level]; i++) {
            int is_wanted = count == LEVELS + 1;
            for (int k = LEVELS + 1; k < count; k++)
                is_wanted |= !strcmp(words[k], streams[i].name);
            if (is_wanted)
                measure(&streams[i], memory, bytes[level], level);
        }
    }
    return 0;
}
