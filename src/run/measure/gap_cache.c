/* The data does not fit a cache.

   Accesses whose address ranges overlap are one stream (a stencil reads the same lines three times).  Streams
   are put into the caches from the smallest to the largest: one that does not fit beside the smaller ones
   comes from the next level each time.  What that takes:
   - a stream in order comes at the bandwidth of its level, because the processor fetches ahead;
   - loads in any order wait for the latency of their level, as many at a time as the reorder buffer reaches;
   - a load in the loop-carried chain waits for all of its latency;
   - a line that is stored to comes and goes.
   The transfers go on while the loop computes: they count as far as they take longer than the prediction.

   Footprints are those of a whole run.  Where lines are visited again and an entry of the loop alone would
   fit, whether they were still there is unknown, and the cause is likely and not shown.  The translation of
   addresses (TLB) is left out, so that irregular loads through much memory take longer than estimated.

   Without recorded addresses, samples that wait for single loads or stores (run_points) make the cause likely. */
#include "run/measure/gap_subject.h"

#include <math.h>
#include <stdlib.h>

enum { LINE = 64, MOST_MISSES_AT_A_TIME = 16 };

struct stream {
    uint64_t low, high;   /* addresses; both 0: not measured */
    uint64_t lines, seen; /* of the stream; sum of its accesses' */
    double fetched;       /* bytes an iteration that move in order */
    double random;        /* loads an iteration in any order */
    double chained;       /* of the loop-carried chain */
    double visits;        /* lines that all measured accesses went to, again counted */
    double entry_lines;   /* of one entry of the loop; NaN: unknown */
    bool is_measured;
    uint32_t instruction;
};

static int by_address(const void *left, const void *right)
{
    const struct gap_access *a = left, *b = right;
    return a->minimum < b->minimum   ? -1
           : a->minimum > b->minimum ? 1
                                     : (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static int by_lines(const void *left, const void *right)
{
    const struct stream *a = left, *b = right;
    return a->lines < b->lines   ? -1
           : a->lines > b->lines ? 1
                                 : (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static void add_to_stream(struct stream *stream, const struct gap_access *access, double entry_iterations)
{
    double step = access->is_regular ? fmin((double)access->stride, LINE) : LINE;
    double bytes = step * access->per_iteration * (access->is_store ? 2 : 1);
    if (access->is_in_chain && !access->is_store && !access->is_regular)
        stream->chained += access->per_iteration;
    else if (access->is_regular || access->is_store)
        stream->fetched += bytes;
    else
        stream->random += access->per_iteration;
    stream->seen += access->lines;
    stream->visits += (double)access->count * step / LINE;
    stream->entry_lines += access->is_regular ? entry_iterations * access->per_iteration * step / LINE : NAN;
    stream->is_measured = access->is_measured;
    if (!stream->instruction || access->lines > stream->lines)
        stream->instruction = access->instruction;
    if (access->lines > stream->lines)
        stream->lines = access->lines;
}

/* When all accesses are in: lines that several of them touch are there once. */
static void finish_stream(struct stream *stream)
{
    uint64_t span = (stream->high - stream->low) / LINE + 1;
    if (!stream->is_measured || !stream->seen)
        return;
    stream->lines = stream->seen < span ? stream->seen : span;
    double share = (double)stream->lines / (double)stream->seen;
    stream->fetched *= share;
    stream->visits *= share;
    stream->entry_lines *= share;
}

static struct array streams_of(const struct gap_subject *subject)
{
    struct array streams = ARRAY_OF(struct stream), sorted = ARRAY_OF(struct gap_access);
    for (size_t i = 0; i < subject->accesses.count; i++)
        *(struct gap_access *)array_add(&sorted) = *gap_access(subject, i);
    if (sorted.count)
        qsort(sorted.data, sorted.count, sizeof(struct gap_access), by_address);
    struct stream *stream = NULL;
    for (size_t i = 0; i < sorted.count; i++) {
        const struct gap_access *access = ARRAY_AT(struct gap_access, &sorted, i);
        uint64_t high = access->maximum + (access->bytes ? access->bytes - 1 : 0);
        if (!stream || !access->is_measured || access->minimum > stream->high) {
            if (stream)
                finish_stream(stream);
            stream = array_add(&streams);
            *stream = (struct stream){.low = access->minimum, .high = high};
        }
        stream->high = high > stream->high ? high : stream->high;
        add_to_stream(stream, access, subject->iterations_per_entry);
    }
    if (stream)
        finish_stream(stream);
    array_free(&sorted);
    if (streams.count)
        qsort(streams.data, streams.count, sizeof(struct stream), by_lines);
    return streams;
}

/* Loads in any order that are under way at a time. */
static double at_a_time(const struct gap_subject *subject, const struct stream *stream)
{
    const struct machine *machine = subject->machine->machine;
    double window = machine ? machine->core.reorder_buffer : 0;
    double reach = window > 0 && subject->instructions > 0 ? stream->random * window / subject->instructions
                                                           : MOST_MISSES_AT_A_TIME;
    return reach < 1 ? 1 : reach > MOST_MISSES_AT_A_TIME ? MOST_MISSES_AT_A_TIME : reach;
}

struct estimate {
    double transfer, waiting; /* cycles of an iteration */
    bool is_unknown;          /* the file lacks a figure */
    bool is_certain;          /* these lines cannot have been in the cache */
    uint64_t bytes, cache;    /* touched; the largest cache that is too small */
    double largest;           /* cost of a stream */
    uint32_t instruction;
};

static void add_cost(const struct gap_subject *subject, const struct stream *stream, unsigned place,
                     struct estimate *estimate)
{
    const struct machine_cache *missed = &subject->machine->caches[place - 1];
    struct gap_level level = gap_level(subject->machine, place), first = gap_level(subject->machine, 0);
    double misses = 1 - fmin(1, (double)missed->bytes / (double)(stream->lines * LINE));
    double delay = fmax(level.latency - first.latency, 0);
    double random = stream->random * misses, chained = stream->chained * misses;
    double bytes = stream->fetched + random * LINE;
    double transfer = bytes > 0 ? bytes / level.bytes_per_cycle : 0;
    double overlapped = random > 0 ? random * delay / at_a_time(subject, stream) : 0;
    double waiting = chained * delay;
    estimate->is_unknown = estimate->is_unknown || (bytes > 0 && !(level.bytes_per_cycle > 0)) ||
                           (random + chained > 0 && !(level.latency > 0));
    bool is_walk = stream->visits <= 1.5 * (double)stream->lines;
    bool is_long = stream->entry_lines * LINE > (double)missed->bytes;
    estimate->is_certain =
        estimate->is_certain || (stream->is_measured && (is_walk || is_long || random + chained > 0));
    estimate->transfer += fmax(transfer, overlapped);
    estimate->waiting += waiting;
    estimate->bytes += stream->lines * LINE;
    estimate->cache = missed->bytes > estimate->cache ? missed->bytes : estimate->cache;
    double cost = isfinite(transfer) ? fmax(transfer, overlapped) + waiting : bytes;
    if (!estimate->instruction || cost > estimate->largest) {
        estimate->largest = cost;
        estimate->instruction = stream->instruction;
    }
}

/* Addresses were not measured, and the code does not say where this load goes. */
static uint32_t unknown_load(const struct gap_subject *subject)
{
    const struct model *model = subject->model;
    const struct array *table = &model->access_patterns;
    uint32_t loop = subject->row->loop;
    if (subject->accesses.count && gap_access(subject, 0)->is_measured)
        return 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct access_pattern_row, loop), loop);
         i < table->count && model_access_pattern_row(model, (uint32_t)i)->loop == loop; i++) {
        const struct access_pattern_row *row = model_access_pattern_row(model, (uint32_t)i);
        bool is_unknown = row->pattern == access_pattern_INDIRECT || row->pattern == access_pattern_UNKNOWN;
        if (row->path == subject->path && row->is_load && !row->is_stack && is_unknown)
            return row->instruction;
    }
    return 0;
}

/* Without addresses: where the samples stand, else what the code allows. */
static bool guess(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    bool has_addresses = subject->accesses.count && gap_access(subject, 0)->is_measured;
    uint32_t waited = has_addresses ? 0 : subject->memory_point;
    uint32_t instruction = waited ? waited : unknown_load(subject);
    if (instruction)
        *evidence = (struct gap_evidence){waited ? gap_certainty_LIKELY : gap_certainty_POSSIBLE, NAN, NAN,
                                          (double)subject->machine->caches[0].bytes, instruction};
    return instruction;
}

bool gap_cache(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct gap_machine *machine = subject->machine;
    struct array streams = streams_of(subject);
    struct estimate estimate = {0};
    uint64_t together = 0;
    for (size_t i = 0; machine->cache_count && i < streams.count; i++) {
        const struct stream *stream = ARRAY_AT(struct stream, &streams, i);
        together += stream->lines * LINE;
        unsigned place = 0;
        while (place < machine->cache_count && together > machine->caches[place].bytes)
            place++;
        if (place)
            add_cost(subject, stream, place, &estimate);
    }
    array_free(&streams);
    if (!machine->cache_count || subject->gap <= subject->least)
        return false;
    if (!estimate.cache)
        return guess(subject, evidence);
    *evidence = (struct gap_evidence){.certainty = gap_certainty_LIKELY,
                                      .cycles = NAN,
                                      .value = (double)estimate.bytes,
                                      .reference = (double)estimate.cache,
                                      .instruction = estimate.instruction};
    if (estimate.is_unknown)
        return true;
    double cycles = fmax(estimate.transfer - subject->predicted, 0) + estimate.waiting;
    evidence->cycles = cycles;
    if (estimate.is_certain)
        evidence->certainty = gap_certainty_of(subject, cycles);
    /* Transfers that are hidden after the computation explain nothing. */
    return cycles >= 0.05 * subject->gap;
}
