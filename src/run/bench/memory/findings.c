/* Levels as lines of a machine file. */
#include "run/bench/memory/memory.h"
#include "code/machine/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three digits, shares two: more would be noise. */
static void put_figure(FILE *out, const char *word, double figure)
{
    if (figure > 0)
        fprintf(out, " %s %.*g", word, !strcmp(word, "overlap") ? 2 : 3, figure);
}

static void describe(const struct bench_level *level, FILE *out)
{
    fputs("random walk, streams", out);
    if (!level->cache.level)
        return;
    if (!level->is_reported)
        fputs("; the size is where the curves rise", out);
    else if (level->step) {
        fputs("; the curves rise beyond ", out);
        machine_write_size((uint64_t)level->step, out);
    } else
        fputs("; the size is what the system says, the curves do not show it", out);
}

static void add_level(struct array *findings, const struct bench_level *level)
{
    const struct machine_cache *cache = &level->cache;
    char *values = NULL, *how = NULL;
    size_t size;
    FILE *out = open_memstream(&values, &size), *story = open_memstream(&how, &size);
    if (!out || !story)
        return;
    if (cache->level) {
        fprintf(out, "%u ", cache->level);
        machine_write_size(cache->bytes, out);
        put_figure(out, "ways", cache->ways);
        put_figure(out, "line", cache->line);
    }
    put_figure(out, "bandwidth", cache->bytes_per_cycle);
    put_figure(out, "store", cache->stored_per_cycle);
    put_figure(out, "copy", cache->copied_per_cycle);
    put_figure(out, "update", cache->updated_per_cycle);
    put_figure(out, "overlap", cache->overlap);
    put_figure(out, "latency", cache->latency);
    if (cache->is_shared)
        fputs(" shared", out);
    describe(level, story);
    fclose(out);
    fclose(story);
    bench_finding_add(findings, cache->level ? "cache" : "main-memory", level->spread, how, "%s",
                      values + (*values == ' '));
    free(values);
    free(how);
}

void bench_level_findings(struct array *findings, struct bench_results *results, enum isa isa)
{
    size_t first = findings->count;
    results->newest = 0;
    struct bench_levels levels = bench_find_levels(results, isa);
    for (unsigned i = 0; i < levels.count; i++) {
        const struct machine_cache *cache = &levels.levels[i].cache;
        if (cache->level || cache->latency > 0 || cache->bytes_per_cycle > 0)
            add_level(findings, &levels.levels[i]);
    }
    bench_findings_mark(findings, first, results->newest);
}
