/* Results of walks and of questions to the system, by their names. */
#include "run/bench/memory/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* memory|WHAT|BYTES or memory|WHAT NUMBER|BYTES, and |THREADS. */
static bool read_name(const char *name, struct bench_point *point)
{
    char word[16], threads[8] = "1";
    unsigned long long bytes;
    unsigned number = 0;
    int end = 0;
    if (sscanf(name, "memory|%15[a-z]%n", word, &end) != 1 || !end)
        return false;
    const char *rest = name + end;
    if (*rest == ' ') {
        if (sscanf(rest, " %u%n", &number, &end) != 1)
            return false;
        rest += end;
    }
    int found = sscanf(rest, "|%llu|%7[a-z0-9]", &bytes, threads);
    unsigned long count = !strcmp(threads, "all") ? BENCH_ALL : strtoul(threads, NULL, 10);
    if (found < 1 || !bytes || bytes > 1ULL << 40 || !count || count > BENCH_ALL)
        return false;
    *point = (struct bench_point){.number = number, .bytes = bytes, .threads = (unsigned)count};
    memcpy(point->what, word, sizeof point->what);
    return true;
}

/* stream_COUNT: none. */
static enum bench_stream bench_stream_named(const char *word)
{
    unsigned kind = 0;
    while (kind < stream_COUNT && strcmp(word, bench_stream_words[kind]))
        kind++;
    return (enum bench_stream)kind;
}

static unsigned rank(const struct bench_point *point)
{
    unsigned stream = bench_stream_named(point->what);
    return !strcmp(point->what, "latency") ? 0 : stream < stream_COUNT ? 1 + stream : 1 + stream_COUNT;
}

static int by_place(const void *a, const void *b)
{
    const struct bench_point *x = a, *y = b;
    unsigned left = rank(x), right = rank(y);
    if (left != right)
        return left < right ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

struct array bench_memory_points(struct bench_results *results)
{
    struct array points = ARRAY_OF(struct bench_point);
    bench_results_find(results, ""); /* from now on each name is there once */
    for (size_t i = 0; i < results->rows.count; i++) {
        const struct bench_row *row = ARRAY_AT(struct bench_row, &results->rows, i);
        struct bench_point point;
        if (!read_name(row->name, &point))
            continue;
        point.result = row->result;
        *(struct bench_point *)array_push(&points) = point;
    }
    if (points.count)
        qsort(points.data, points.count, points.width, by_place);
    return points;
}

double bench_point_cycles(const struct bench_point *point)
{
    const struct bench_result *result = &point->result;
    if (result->status != bench_MEASURED || !(result->best > 0) || !(result->median > 0))
        return NAN;
    double cycles = point->threads > 1 ? result->median : result->best;
    return !strcmp(point->what, "stride") ? cycles / MEMORY_STRIDED : cycles;
}

double bench_point_bytes(const struct bench_point *point, enum isa isa)
{
    enum { LINE = 64 };
    enum bench_stream kind = bench_stream_named(point->what);
    unsigned arrays = kind == stream_LOADS ? bench_stream_arrays(kind) : 1;
    if (!strcmp(point->what, "stride"))
        return LINE / bench_point_cycles(point);
    return kind < stream_COUNT ? arrays * bench_stream_step(isa) / bench_point_cycles(point) : NAN;
}

static double answer(struct bench_results *results, unsigned index, const char *question)
{
    char name[BENCH_NAME];
    const struct bench_result *result =
        bench_results_find(results, memory_question_name(name, index, question));
    return result && result->status == bench_MEASURED && result->best > 0 && result->best < 1e12
               ? result->best
               : 0;
}

unsigned bench_system_caches(struct bench_results *results, struct machine_cache *caches, unsigned most)
{
    unsigned count = 0;
    for (unsigned level = 1; level <= most; level++)
        for (unsigned index = 0; index < MEMORY_INDICES; index++) {
            double bytes = answer(results, index, "size");
            if (answer(results, index, "level") != level || answer(results, index, "type") == 'I' || !bytes)
                continue;
            caches[count++] =
                (struct machine_cache){.level = level,
                                       .bytes = (uint64_t)bytes,
                                       .ways = (unsigned)answer(results, index, "ways_of_associativity"),
                                       .line = (unsigned)answer(results, index, "coherency_line_size"),
                                       .is_shared = answer(results, index, "shared_cpu_list") > 1};
            break;
        }
    return count;
}

unsigned bench_system_processors(struct bench_results *results)
{
    const struct bench_result *result = bench_results_find(results, "system|processors");
    return result && result->status == bench_MEASURED && result->best < BENCH_ALL ? (unsigned)result->best
                                                                                  : 0;
}
