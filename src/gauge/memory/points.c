/* Results of walks and of questions to the system, by their names. */
#include "gauge/memory/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* memory|WHAT|BYTES or memory|WHAT NUMBER|BYTES, and |THREADS. */
static bool read_name(const char *name, struct gauge_point *point)
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
    unsigned long count = !strcmp(threads, "all") ? GAUGE_ALL : strtoul(threads, NULL, 10);
    if (found < 1 || !bytes || bytes > 1ULL << 40 || !count || count > GAUGE_ALL)
        return false;
    *point = (struct gauge_point){.number = number, .bytes = bytes, .threads = (unsigned)count};
    memcpy(point->what, word, sizeof point->what);
    return true;
}

/* stream_COUNT: none. */
static enum gauge_stream gauge_stream_named(const char *word)
{
    unsigned kind = 0;
    while (kind < stream_COUNT && strcmp(word, gauge_stream_words[kind]))
        kind++;
    return (enum gauge_stream)kind;
}

static unsigned rank(const struct gauge_point *point)
{
    unsigned stream = gauge_stream_named(point->what);
    return !strcmp(point->what, "latency") ? 0 : stream < stream_COUNT ? 1 + stream : 1 + stream_COUNT;
}

static int by_place(const void *a, const void *b)
{
    const struct gauge_point *x = a, *y = b;
    unsigned left = rank(x), right = rank(y);
    if (left != right)
        return left < right ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

struct array gauge_memory_points(struct gauge_results *results)
{
    struct array points = ARRAY_OF(struct gauge_point);
    gauge_results_find(results, ""); /* from now on each name is there once */
    for (size_t i = 0; i < results->rows.count; i++) {
        const struct gauge_row *row = ARRAY_AT(struct gauge_row, &results->rows, i);
        struct gauge_point point;
        if (!read_name(row->name, &point))
            continue;
        point.result = row->result;
        *(struct gauge_point *)array_push(&points) = point;
    }
    if (points.count)
        qsort(points.data, points.count, points.width, by_place);
    return points;
}

double gauge_point_cycles(const struct gauge_point *point)
{
    const struct gauge_result *result = &point->result;
    if (result->status != gauge_MEASURED || !(result->best > 0) || !(result->median > 0))
        return NAN;
    double cycles = point->threads > 1 ? result->median : result->best;
    return !strcmp(point->what, "stride") ? cycles / MEMORY_STRIDED : cycles;
}

double gauge_point_bytes(const struct gauge_point *point, enum isa isa)
{
    enum { LINE = 64 };
    enum gauge_stream kind = gauge_stream_named(point->what);
    unsigned arrays = kind == stream_LOADS ? gauge_stream_arrays(kind) : 1;
    if (!strcmp(point->what, "stride"))
        return LINE / gauge_point_cycles(point);
    return kind < stream_COUNT ? arrays * gauge_stream_step(isa) / gauge_point_cycles(point) : NAN;
}

static double answer(struct gauge_results *results, unsigned index, const char *question)
{
    char name[GAUGE_NAME];
    const struct gauge_result *result =
        gauge_results_find(results, memory_question_name(name, index, question));
    return result && result->status == gauge_MEASURED && result->best > 0 && result->best < 1e12
               ? result->best
               : 0;
}

unsigned gauge_system_caches(struct gauge_results *results, struct machine_cache *caches, unsigned most)
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

unsigned gauge_system_processors(struct gauge_results *results)
{
    const struct gauge_result *result = gauge_results_find(results, "system|processors");
    return result && result->status == gauge_MEASURED && result->best < GAUGE_ALL ? (unsigned)result->best
                                                                                  : 0;
}
