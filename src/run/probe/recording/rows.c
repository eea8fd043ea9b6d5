/* The recording of a process becomes rows.

   Times in recordings are net (record_file.h), in 1/64 ticks; here they become nanoseconds and cycles, never
   below 0.  Rows are in order of their keys, and a key has one row: of two subjects with the same key the
   first counts. */
#include "run/probe/recording/rows.h"

#include "run/launch/processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FREQUENT_SHARE = 0.1;    /* of a usual number of iterations */
static const double MUCH_OVERHEAD = 0.3;     /* of the time of threads, in probes */
static const double STEADY_FREQUENCY = 0.03; /* largest difference between start and end */

static const struct probe_subject *subject_at(const struct recorded_rows *rows, uint32_t subject)
{
    return ARRAY_AT(struct probe_subject, &rows->plan->subjects, subject);
}

/* ---- the run ---- */

static string_id command_of(struct model *model, const struct probe_header *header)
{
    char text[PROBE_COMMAND_BYTES];
    size_t size = sizeof text - 1;
    memcpy(text, header->command, sizeof text);
    while (size && !text[size - 1])
        size--;
    for (size_t i = 0; i < size; i++)
        if (!text[i])
            text[i] = ' ';
    text[size] = 0;
    return size ? model_string(model, text) : 0;
}

static double cycles_per_kilotick(const struct probe_header *header)
{
    double start = (double)header->cycles_per_kilotick, end = (double)header->cycles_per_kilotick_end;
    return start > 0 && end > 0 ? (start + end) / 2 : start > 0 ? start : end > 0 ? end : NAN;
}

static void add_run(struct recorded_rows *rows)
{
    const struct probe_header *header = &rows->recorded->header;
    double ticks = header->ticks_per_second ? (double)header->ticks_per_second : NAN;
    rows->ns = 1e9 / ticks / 64;
    rows->cycles = cycles_per_kilotick(header) / 1024 / 64;
    struct probe_run run = {
        .command = command_of(rows->model, header),
        .process = header->process,
        .processor = header->isa == PROBE_ISA_IA64 ? model_string(rows->model, "Itanium")
                                                   : launch_processor(rows->model),
        .seconds = header->end_nanoseconds > header->start_nanoseconds
                       ? (double)(header->end_nanoseconds - header->start_nanoseconds) / 1e9
                       : NAN,
        .exit_status = header->end == PROBE_END_EXIT ? (int32_t)(header->status & 255) : NO_NUMBER,
        .end_signal = header->end == PROBE_END_SIGNAL ? (int32_t)(header->status & 127) : NO_NUMBER,
        .threads = rows->recorded->threads,
        .thread_seconds = rows->recorded->thread_ticks / ticks,
        .probe_seconds = rows->recorded->probe_ticks / ticks,
        .ticks_per_second = ticks,
        .cycles_per_second = ticks * cycles_per_kilotick(header) / 1024,
        .reading_ns = (double)header->reading_cost * rows->ns,
        .inner_ns = (double)header->inner_cost * rows->ns,
        .pair_ns = (double)header->pair_cost * rows->ns,
        .traps = header->traps,
    };
    *(struct probe_run *)model_add(&rows->model->probe_runs) = run;
    rows->run = model_last(&rows->model->probe_runs);
}

void recorded_add_limit(struct model *model, uint32_t run, enum probe_limit_kind kind, uint64_t count)
{
    uint32_t position = 1;
    size_t at = model->probe_limits.count;
    if (!count)
        return;
    while (at && model_probe_limit(model, (uint32_t)at - 1)->run > run)
        at--;
    if (at && model_probe_limit(model, (uint32_t)at - 1)->run == run)
        position += model_probe_limit(model, (uint32_t)at - 1)->position;
    model_add(&model->probe_limits);
    struct probe_limit *row = model_probe_limit(model, (uint32_t)at);
    memmove(row + 1, row, (model->probe_limits.count - 1 - at) * sizeof *row);
    *row = (struct probe_limit){.run = run, .position = position, .kind = (uint8_t)kind, .count = count};
}

static void add_limits(struct recorded_rows *rows)
{
    const struct recorded *recorded = rows->recorded;
    const struct probe_header *header = &recorded->header;
    double start = (double)header->cycles_per_kilotick, end = (double)header->cycles_per_kilotick_end;
    double change = start > 0 && end > 0 ? fabs(end - start) / fmin(start, end) : 0;
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_UNPAIRED, recorded->unpaired);
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_ABANDONED, rows->abandoned);
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_BURST, rows->bursts);
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_FOREIGN, header->foreign_events);
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_LOST, recorded->lost);
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_DAMAGED,
                       recorded->damaged + recorded->is_cut);
    if (change > STEADY_FREQUENCY)
        recorded_add_limit(rows->model, rows->run, probe_limit_kind_FREQUENCY,
                           (uint64_t)llround(fmin(change, 1000) * 100));
    recorded_add_limit(rows->model, rows->run, probe_limit_kind_BEYOND, rows->beyond);
    double overhead = recorded->thread_ticks > 0 ? recorded->probe_ticks / recorded->thread_ticks : 0;
    if (overhead > MUCH_OVERHEAD)
        recorded_add_limit(rows->model, rows->run, probe_limit_kind_OVERHEAD,
                           (uint64_t)llround(fmin(overhead, 1) * 100));
}

/* ---- histograms ---- */

void recorded_add_histogram(struct recorded_rows *rows, enum probe_quantity quantity, uint32_t subject,
                            struct recorded_bucket bucket, uint64_t count)
{
    if (count)
        *(struct probe_histogram *)model_add(&rows->model->probe_histograms) =
            (struct probe_histogram){.run = rows->run,
                                     .quantity = (uint8_t)quantity,
                                     .subject = subject,
                                     .low = bucket.low,
                                     .high = bucket.high,
                                     .count = count};
}

static void add_times(struct recorded_rows *rows, enum probe_quantity quantity, uint32_t subject,
                      const struct recorded_spread *time)
{
    for (unsigned i = 0; isfinite(rows->ns) && i < PROBE_BUCKETS; i++) {
        struct recorded_bucket bucket = recorded_bucket_of_integers(i);
        if (bucket.low > 0 && bucket.low == bucket.high)
            bucket.high++;
        recorded_add_histogram(rows, quantity, subject,
                               (struct recorded_bucket){bucket.low * rows->ns, bucket.high * rows->ns},
                               time->buckets[i]);
    }
}

static void add_iterations(struct recorded_rows *rows, uint32_t loop, const struct recorded_loop *recorded)
{
    /* Numbers from a tally are exact and below PROBE_TALLY_WORDS, where a bucket begins. */
    for (unsigned i = 0; recorded->tally && i < PROBE_TALLY_WORDS; i++)
        recorded_add_histogram(rows, probe_quantity_ITERATIONS, loop, (struct recorded_bucket){i, i},
                               recorded->tally[i]);
    const struct recorded_spread *iterations = &recorded->iterations;
    unsigned first = recorded->tally ? probe_bucket(PROBE_TALLY_WORDS) : 0;
    bool is_one = iterations->count && iterations->minimum == iterations->maximum;
    for (unsigned i = first; i < PROBE_BUCKETS; i++) {
        double only = (double)iterations->minimum;
        recorded_add_histogram(rows, probe_quantity_ITERATIONS, loop,
                               is_one && i == probe_bucket(iterations->minimum)
                                   ? (struct recorded_bucket){only, only}
                                   : recorded_bucket_of_integers(i),
                               iterations->buckets[i]);
    }
}

static int by_quantity(const void *left, const void *right)
{
    const struct probe_histogram *a = left, *b = right;
    if (a->quantity != b->quantity)
        return a->quantity < b->quantity ? -1 : 1;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

/* ---- spans ---- */

struct span_row {
    uint64_t calls, abandoned, bursts;
    double sum_ns, min_ns, median_ns, mean_ns, max_ns, deviation_ns;
};

/* What functions, calls and loops have in columns of the same names. */
#define SPAN_COLUMNS(row)                                                                                    \
    .abandoned = (row).abandoned, .bursts = (row).bursts, .min_ns = (row).min_ns,                            \
    .median_ns = (row).median_ns, .max_ns = (row).max_ns, .deviation_ns = (row).deviation_ns

static struct span_row row_of_span(struct recorded_rows *rows, const struct recorded_spread *time,
                                   uint64_t abandoned, uint64_t open, uint64_t bursts)
{
    bool has_time = time->count > 0;
    rows->abandoned += abandoned + open;
    rows->bursts += bursts;
    return (struct span_row){
        .calls = time->count + abandoned + open,
        .abandoned = abandoned + open,
        .bursts = bursts,
        .sum_ns = has_time ? fmax(0, recorded_mean(time)) * (double)time->count * rows->ns : 0,
        .min_ns = has_time ? (double)time->minimum * rows->ns : NAN,
        .median_ns = recorded_median(time) * rows->ns,
        .mean_ns = has_time ? fmax(0, recorded_mean(time)) * rows->ns : NAN,
        .max_ns = has_time ? (double)time->maximum * rows->ns : NAN,
        .deviation_ns = recorded_deviation(time, false) * rows->ns,
    };
}

static double net_ns(const struct recorded_rows *rows, __int128 net)
{
    return net > 0 ? (double)net * rows->ns : 0;
}

/* Calls that were only counted: in word 0 of the tally. */
static void add_counted_function(struct recorded_rows *rows, uint32_t subject)
{
    const struct recorded_loop *counted = rows->recorded->subjects[subject];
    if (counted->tally)
        *(struct probe_function *)model_add(&rows->model->probe_functions) =
            (struct probe_function){.run = rows->run,
                                    .function = subject_at(rows, subject)->function,
                                    .calls = counted->tally[0],
                                    .total_ns = NAN,
                                    .self_ns = NAN,
                                    .min_ns = NAN,
                                    .median_ns = NAN,
                                    .mean_ns = NAN,
                                    .max_ns = NAN,
                                    .deviation_ns = NAN};
}

static void add_function(struct recorded_rows *rows, uint32_t subject)
{
    if (subject_at(rows, subject)->how.kind == PROBE_COUNT_ONLY) {
        add_counted_function(rows, subject);
        return;
    }
    const struct recorded_span *span = rows->recorded->subjects[subject];
    uint32_t function = subject_at(rows, subject)->function;
    struct span_row row = row_of_span(rows, &span->time, span->abandoned, span->open, span->bursts);
    *(struct probe_function *)model_add(&rows->model->probe_functions) =
        (struct probe_function){.run = rows->run,
                                .function = function,
                                .calls = row.calls,
                                .total_ns = net_ns(rows, span->total),
                                .self_ns = net_ns(rows, span->self),
                                .mean_ns = row.mean_ns,
                                SPAN_COLUMNS(row)};
    add_times(rows, probe_quantity_FUNCTION_TIME, function, &span->time);
}

static void add_call(struct recorded_rows *rows, uint32_t subject)
{
    const struct recorded_span *span = rows->recorded->subjects[subject];
    const struct probe_subject *call = subject_at(rows, subject);
    struct span_row row = row_of_span(rows, &span->time, span->abandoned, span->open, span->bursts);
    *(struct probe_call *)model_add(&rows->model->probe_calls) =
        (struct probe_call){.run = rows->run,
                            .instruction = call->instruction,
                            .caller = call->function,
                            .callee = call->callee,
                            .calls = row.calls,
                            .total_ns = row.sum_ns,
                            .mean_ns = row.mean_ns,
                            SPAN_COLUMNS(row)};
    add_times(rows, probe_quantity_CALL_TIME, call->instruction, &span->time);
}

/* ---- loops ---- */

/* Entries that were only added up: as if all were alike. */
static void add_summed(struct recorded_spread *all, const struct recorded_loop *loop)
{
    uint64_t mean = loop->summed ? loop->summed_iterations / loop->summed : 0;
    if (!loop->summed)
        return;
    all->minimum = !all->count || mean < all->minimum ? mean : all->minimum;
    all->maximum = !all->count || mean > all->maximum ? mean : all->maximum;
    all->count += loop->summed;
    all->sum += loop->summed_iterations;
}

/* Iterations with those of the tally; its buckets without them. */
static struct recorded_spread all_iterations(const struct recorded_loop *loop)
{
    struct recorded_spread all = loop->iterations;
    add_summed(&all, loop);
    for (unsigned i = 0; loop->tally && i < PROBE_TALLY_WORDS; i++) {
        uint64_t count = loop->tally[i];
        if (!count)
            continue;
        if (!all.count || i < all.minimum)
            all.minimum = i;
        if (!all.count || i > all.maximum)
            all.maximum = i;
        all.count += count;
        all.sum += (unsigned __int128)count * i;
        all.square += (unsigned __int128)count * i * i;
    }
    return all;
}

static void find_usual(const struct recorded_loop *loop, struct probe_loop *row, uint64_t counted)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < loop->frequent.count; i++) {
        const struct probe_frequency *value = &loop->frequent.values[i];
        if (value->count - value->error > most) {
            most = value->count - value->error;
            row->usual_iterations = value->value;
        }
    }
    for (unsigned i = 0; loop->tally && i < PROBE_TALLY_WORDS; i++)
        if (loop->tally[i] > most) {
            most = loop->tally[i];
            row->usual_iterations = i;
        }
    row->usual_share = counted ? (double)most / (double)counted : NAN;
    if (!(row->usual_share >= FREQUENT_SHARE)) {
        row->usual_iterations = 0;
        row->usual_share = NAN;
    } else if (row->usual_share > 1) {
        row->usual_share = 1;
    }
}

static enum probe_counting counting_of(uint8_t counting)
{
    return counting == PROBE_BY_VARIABLE   ? probe_counting_VARIABLE
           : counting == PROBE_BY_REGISTER ? probe_counting_REGISTER
                                           : probe_counting_MEMORY;
}

static void add_loop(struct recorded_rows *rows, uint32_t subject)
{
    const struct recorded_loop *loop = rows->recorded->subjects[subject];
    const struct probe_subject *planned = subject_at(rows, subject);
    struct recorded_spread all = all_iterations(loop);
    bool has_clock = loop->time.count > 0;
    struct span_row time = row_of_span(rows, &loop->time, loop->abandoned, loop->open, loop->bursts);
    double mean_cycles = has_clock ? fmax(0, recorded_calm_mean(&loop->time)) * rows->cycles : NAN;
    /* Where only the first entries were timed, the others are taken to be like them. */
    bool has_untimed = has_clock && (loop->tally || loop->summed);
    double mean_iterations = recorded_mean(has_untimed ? &loop->iterations : &all);
    double whole = has_untimed ? (double)all.sum / (double)loop->iterations.sum : 1;
    struct probe_loop row = {
        .run = rows->run,
        .loop = planned->loop,
        .entries = all.count + time.abandoned,
        .iterations = (uint64_t)all.sum,
        .min_iterations = all.count ? all.minimum : 0,
        .median_iterations = recorded_median_iterations(loop),
        .max_iterations = all.count ? all.maximum : 0,
        .deviation_iterations = loop->summed ? NAN : recorded_deviation(&all, false),
        .counting = (uint8_t)counting_of(planned->counting),
        .is_partial = loop->is_partial,
        .total_ns = has_clock ? time.sum_ns * whole : NAN,
        SPAN_COLUMNS(time),
        .cycles_per_entry = mean_cycles,
        .cycles_per_iteration = mean_iterations > 0 ? mean_cycles / mean_iterations : NAN,
        .setup_cycles = recorded_setup(loop) * rows->cycles,
    };
    row.setup = isnan(row.setup_cycles) ? probe_setup_NONE : probe_setup_FITTED;
    find_usual(loop, &row, all.count);
    *(struct probe_loop *)model_add(&rows->model->probe_loops) = row;
    add_times(rows, probe_quantity_LOOP_TIME, planned->loop, &loop->time);
    add_iterations(rows, planned->loop, loop);
}

/* ---- branches ---- */

static void add_branch(struct recorded_rows *rows, uint32_t subject)
{
    const struct probe_subject *branch = subject_at(rows, subject), *outcomes = branch + 1;
    const struct recorded_loop *counted = rows->recorded->subjects[subject];
    bool has_outcomes = subject + 1 < rows->plan->subjects.count && outcomes->kind == PROBE_OF_OUTCOMES &&
                        outcomes->how.kind == PROBE_BRANCH;
    const struct recorded_branch *guessed = has_outcomes ? rows->recorded->subjects[subject + 1] : NULL;
    if (!counted->tally)
        return;
    struct probe_branch row = {.run = rows->run,
                               .instruction = branch->instruction,
                               .loop = branch->loop,
                               .count = counted->tally[0] + counted->tally[1],
                               .taken = counted->tally[1]};
    if (guessed) {
        row.guessed = guessed->count;
        row.misses = guessed->misses[0] < guessed->misses[1] ? guessed->misses[0] : guessed->misses[1];
    }
    *(struct probe_branch *)model_add(&rows->model->probe_branches) = row;
}

/* ---- subjects by key ---- */

struct keyed {
    uint32_t key, subject;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->subject > b->subject) - (a->subject < b->subject);
}

static uint32_t key_of(const struct probe_subject *subject)
{
    switch (subject->kind) {
    case PROBE_OF_FUNCTION:
        return subject->function;
    case PROBE_OF_LOOP:
        return subject->loop;
    default:
        return subject->instruction;
    }
}

/* Whether events of the subject are summarised as its kind needs; recordings of programs with nodes say both.
 */
static bool is_sound(const struct probe_subject *subject)
{
    switch (subject->kind) {
    case PROBE_OF_FUNCTION:
        return subject->how.kind == PROBE_SPAN || subject->how.kind == PROBE_COUNT_ONLY;
    case PROBE_OF_CALL:
        return subject->how.kind == PROBE_SPAN;
    case PROBE_OF_LOOP:
        return subject->how.kind == PROBE_LOOP || subject->how.kind == PROBE_COUNT_ONLY;
    case PROBE_OF_BRANCH:
        return subject->how.kind == PROBE_COUNT_ONLY;
    default:
        return subject->how.kind == PROBE_ADDRESS;
    }
}

/* Calls `add` for every subject of a kind of which something was recorded, by key. */
static void each_of(struct recorded_rows *rows, enum probe_subject_of kind,
                    void (*add)(struct recorded_rows *rows, uint32_t subject))
{
    struct array found = ARRAY_OF(struct keyed);
    for (uint32_t i = 0; i < rows->plan->subjects.count; i++) {
        const struct probe_subject *subject = subject_at(rows, i);
        if (subject->kind == kind && rows->recorded->subjects[i] && key_of(subject) && is_sound(subject))
            *(struct keyed *)array_push(&found) = (struct keyed){key_of(subject), i};
    }
    if (found.count)
        qsort(found.data, found.count, found.width, by_key);
    for (size_t i = 0; i < found.count; i++) {
        const struct keyed *it = ARRAY_AT(struct keyed, &found, i);
        if (!i || it[-1].key != it->key)
            add(rows, it->subject);
    }
    array_free(&found);
}

void recorded_add_rows(struct model *model, const struct probe_plan *plan, const struct recorded *recorded)
{
    struct recorded_rows rows = {.model = model, .plan = plan, .recorded = recorded};
    size_t first = model->probe_histograms.count;
    rows.value_rows = memory_get((plan->subjects.count + 1) * sizeof *rows.value_rows);
    add_run(&rows);
    recorded_add_placements(&rows);
    each_of(&rows, PROBE_OF_FUNCTION, add_function);
    each_of(&rows, PROBE_OF_LOOP, add_loop);
    each_of(&rows, PROBE_OF_CALL, add_call);
    for (uint32_t i = 0; i < plan->subjects.count; i++)
        if (recorded->subjects[i])
            recorded_add_value(&rows, i);
    each_of(&rows, PROBE_OF_ACCESS, recorded_add_address);
    each_of(&rows, PROBE_OF_BRANCH, add_branch);
    recorded_add_events(&rows);
    add_limits(&rows);
    struct array *histograms = &model->probe_histograms;
    if (histograms->count > first)
        qsort(array_at(histograms, first), histograms->count - first, histograms->width, by_quantity);
    free(rows.value_rows);
}
