/* A recording becomes rows.

   The rows of processes and threads are in the order of the recording, threads by process; files with the
   most time come first.  Everything that is said of time comes from event 0 of the recording.

   Skid: a sample stands where the processor was interrupted, and that is the instruction that had to wait, or
   one shortly after it.  Nothing is moved back: in a loop all but the last few instructions have the loop
   after them, and moving samples over a loop's exit would be a guess that is wrong for short loops. */
#include "run/sample/rows.h"

#include "base/path.h"
#include "model/expect.h"
#include "run/sample/library.h"
#include "run/sample/rows_parts.h"

#include <math.h>
#include <stdlib.h>

static const double SMALL_SHARE = 0.01;  /* of files: below it they are not read */
static const double LEAST_WAIT = 0.01;   /* seconds: of less it does not matter what for */
static const double QUIET = 0.1;         /* share of all processors that others have without being told of */
static const double STEADY_CLOCK = 0.03; /* largest difference of the core's frequency in a run */
static const double IDLE_SHARE = 0.05; /* of the busiest thread's time: below it a thread is there to wait */
static const uint64_t ENOUGH_SAMPLES = 100;

/* Rows of one run: earlier ones go. */
static void clear(struct model *model)
{
    struct array *links[] = {&model->run_limits,    &model->samples,   &model->run_loops,
                             &model->run_positions, &model->run_paths, &model->run_gaps,
                             &model->run_savings,   &model->run_units, &model->run_options,
                             &model->run_trials,    &model->run_points};
    struct array *tables[] = {
        &model->runs,          &model->run_processes, &model->run_threads,       &model->run_files,
        &model->run_functions, &model->run_calls,     &model->run_library_calls, &model->run_counters,
        &model->counter_values};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        links[i]->count = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        tables[i]->count = tables[i]->count ? 1 : 0;
}

/* ---- files ---- */

static uint8_t state_of(const struct sample_rows *rows, size_t place, double share)
{
    const struct sample_file *file = ARRAY_AT(struct sample_file, &rows->recording->files, place);
    switch (file->kind) {
    case SAMPLE_FILE_CODE:
        return rows->programs[place]                                ? run_file_state_READ
               : file->is_missing                                   ? run_file_state_MISSING
               : file->has_other_code && rows->recording->recording ? run_file_state_OTHER_BUILD
               : file->is_deleted || file->has_other_code           ? run_file_state_REPLACED
               : share < SMALL_SHARE                                ? run_file_state_SMALL
                                                                    : run_file_state_UNREADABLE;
    case SAMPLE_FILE_KERNEL:
        return run_file_state_KERNEL;
    case SAMPLE_FILE_VDSO:
        return run_file_state_VDSO;
    case SAMPLE_FILE_GENERATED:
        return run_file_state_GENERATED;
    default:
        return run_file_state_UNKNOWN;
    }
}

struct file_time {
    uint32_t file;
    bool is_used; /* its code ran, or called what ran */
    uint64_t samples;
    double seconds;
};

static int by_seconds(const void *left, const void *right)
{
    const struct file_time *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

static void add_files(struct sample_rows *rows)
{
    const struct array *files = &rows->recording->files;
    struct file_time *times = memory_get((files->count + 1) * sizeof *times);
    for (uint32_t i = 0; i < files->count; i++)
        times[i].file = i;
    for (size_t i = 0; i < rows->recording->nodes.count; i++) {
        struct file_time *time = &times[recorded_frame(rows, i)->file];
        time->is_used |= (i ? rows->nodes[i].total : rows->nodes[i].self) > 0;
        time->samples += rows->nodes[i].samples;
        time->seconds += rows->nodes[i].self;
    }
    qsort(times, files->count, sizeof *times, by_seconds);
    rows->file_rows = memory_get((files->count + 1) * sizeof *rows->file_rows);
    for (size_t i = 0; i < files->count; i++) {
        const struct sample_file *file = ARRAY_AT(struct sample_file, files, times[i].file);
        if (!times[i].is_used)
            continue;
        double share = row_share(rows, times[i].seconds);
        string_id path = model_string(rows->model, file->path);
        string_id build_id = file->build_id[0] ? model_string(rows->model, file->build_id) : 0;
        *(struct run_file *)model_add(&rows->model->run_files) =
            (struct run_file){.run = rows->run,
                              .path = path,
                              .build_id = build_id,
                              .state = state_of(rows, times[i].file, share),
                              .program = rows->programs[times[i].file],
                              .samples = times[i].samples,
                              .seconds = times[i].seconds,
                              .share = share};
        rows->file_rows[times[i].file] = model_last(&rows->model->run_files);
    }
    free(times);
}

/* ---- processes and threads ---- */

static double lifetime(const struct sample_rows *rows, double start, double end)
{
    double seconds = (isfinite(end) ? end : rows->recording->seconds) - start;
    return seconds > 0 ? seconds : 0;
}

static uint32_t add_process(struct sample_rows *rows, const struct sample_process *process)
{
    string_id command = model_string(rows->model, process->command);
    string_id host = model_string(rows->model, process->host);
    *(struct run_process *)model_add(&rows->model->run_processes) =
        (struct run_process){.run = rows->run,
                             .process = process->process,
                             .parent = process->parent,
                             .command = command,
                             .host = host,
                             .rank = process->rank,
                             .start_seconds = process->start,
                             .seconds = lifetime(rows, process->start, process->end)};
    return model_last(&rows->model->run_processes);
}

static void add_thread(struct sample_rows *rows, uint32_t process, uint32_t place)
{
    const struct sample_thread *thread = ARRAY_AT(struct sample_thread, &rows->recording->threads, place);
    string_id name = model_string(rows->model, thread->name);
    *(struct run_thread *)model_add(&rows->model->run_threads) =
        (struct run_thread){.process = process,
                            .thread = thread->thread,
                            .name = name,
                            .start_seconds = thread->start,
                            .seconds = lifetime(rows, thread->start, thread->end),
                            .queued_seconds = thread->queued};
    rows->thread_rows[place] = model_last(&rows->model->run_threads);
}

static void add_processes(struct sample_rows *rows)
{
    const struct array *processes = &rows->recording->processes, *threads = &rows->recording->threads;
    rows->thread_rows = memory_get((threads->count + 1) * sizeof *rows->thread_rows);
    uint32_t *next = memory_get((threads->count + 1) * sizeof *next);     /* thread of the same process */
    uint32_t *first = memory_get((processes->count + 1) * sizeof *first); /* 1 + thread; 0: none */
    for (uint32_t i = (uint32_t)threads->count; i-- > 0;) {
        uint32_t process = ARRAY_AT(struct sample_thread, threads, i)->process;
        next[i] = first[process];
        first[process] = i + 1;
    }
    for (uint32_t i = 0; i < processes->count; i++) {
        uint32_t row = add_process(rows, ARRAY_AT(struct sample_process, processes, i));
        for (uint32_t thread = first[i]; thread; thread = next[thread - 1])
            add_thread(rows, row, thread - 1);
    }
    free(next);
    free(first);
}

/* Where the kernel could not be sampled, its share of the processor time is missing from the samples. */
static double unsampled_factor(const struct sample_rows *rows)
{
    double cpu = rows->recording->cpu_seconds;
    return !rows->recording->has_kernel && rows->seconds > 0 && cpu > rows->seconds ? cpu / rows->seconds : 1;
}

/* seconds; part of them for a processor, NaN: unknown */
struct waiting {
    double seconds, queued;
};

/* The time of threads and processes; how long they waited in all, without shells, launchers and helpers,
   which are there to wait. */
static struct waiting add_times(struct sample_rows *rows)
{
    struct model *model = rows->model;
    const struct array *counts = &rows->recording->counts;
    double factor = unsampled_factor(rows), busiest = 0;
    struct waiting waiting = {0, 0};
    for (size_t i = 0; i < counts->count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, counts, i);
        if (count->event)
            continue;
        const struct row_node *node = &rows->nodes[count->node];
        struct run_thread *thread = model_run_thread(model, rows->thread_rows[count->thread]);
        thread->samples += count->samples;
        thread->cpu_seconds += count->amount;
        thread->mpi_seconds += node->is_mpi ? count->amount : 0;
        if (!node->is_mpi && node->activity == run_activity_PARALLEL_WAIT)
            thread->parallel_wait_seconds += count->amount;
    }
    for (uint32_t i = 1; i < model->run_threads.count; i++) {
        struct run_thread *thread = model_run_thread(model, i);
        struct run_process *process = model_run_process(model, thread->process);
        thread->waiting_seconds = fmax(0, thread->seconds - thread->cpu_seconds * factor);
        process->cpu_seconds += thread->cpu_seconds;
        process->mpi_seconds += thread->mpi_seconds;
        busiest = fmax(busiest, thread->cpu_seconds);
    }
    for (uint32_t i = 1; i < model->run_threads.count; i++)
        if (model_run_thread(model, i)->cpu_seconds >= IDLE_SHARE * busiest) {
            const struct run_thread *thread = model_run_thread(model, i);
            waiting.seconds += thread->waiting_seconds;
            waiting.queued += isnan(thread->queued_seconds)
                                  ? thread->waiting_seconds > LEAST_WAIT ? NAN : 0
                                  : fmin(thread->queued_seconds, thread->waiting_seconds);
        }
    return waiting;
}

/* ---- the run ---- */

static int by_number(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static uint32_t count_ranks(const struct sample_recording *recording)
{
    const struct array *processes = &recording->processes;
    int32_t *ranks = memory_get((processes->count + 1) * sizeof *ranks);
    size_t count = 0;
    uint32_t different = 0;
    for (size_t i = 0; i < processes->count; i++) {
        int32_t rank = ARRAY_AT(struct sample_process, processes, i)->rank;
        if (rank != NO_NUMBER)
            ranks[count++] = rank;
    }
    qsort(ranks, count, sizeof *ranks, by_number);
    for (size_t i = 0; i < count; i++)
        different += !i || ranks[i - 1] != ranks[i];
    free(ranks);
    return different;
}

static uint8_t sampler_of(const struct sample_recording *recording)
{
    return recording->source == SAMPLE_BY_CYCLES      ? run_sampler_CYCLES
           : recording->source == SAMPLE_BY_CPU_CLOCK ? run_sampler_CPU_CLOCK
           : recording->source == SAMPLE_BY_EVENT     ? run_sampler_EVENT
                                                      : run_sampler_TIMER;
}

static uint32_t add_run(struct model *model, const struct sample_recording *recording)
{
    string_id command = model_string(model, recording->command);
    string_id processor = model_string(model, recording->processor);
    string_id host = model_string(model, recording->host);
    string_id why = model_string(model, recording->why_not_kernel);
    string_id file = model_string(model, recording->recording), event = model_string(model, recording->event);
    *(struct sampled_run *)model_add(&model->runs) =
        (struct sampled_run){.command = command,
                             .processor = processor,
                             .host = host,
                             .sampler = sampler_of(recording),
                             .without_kernel_sampling = why,
                             .recording = file,
                             .event = event,
                             .frequency = recording->frequency,
                             .seconds = recording->seconds,
                             .cpu_seconds = recording->cpu_seconds,
                             .kernel_seconds = recording->kernel_seconds,
                             .processes = (uint32_t)recording->processes.count,
                             .threads = (uint32_t)recording->threads.count,
                             .ranks = count_ranks(recording),
                             .cycles_per_second = recording->cycles_per_second,
                             .slowest_clock = recording->slowest_clock,
                             .fastest_clock = recording->fastest_clock,
                             .exit_status = recording->exit_status < 0 ? NO_NUMBER : recording->exit_status,
                             .end_signal = recording->end_signal ? recording->end_signal : NO_NUMBER,
                             .minor_faults = recording->minor_faults,
                             .major_faults = recording->major_faults,
                             .voluntary_switches = recording->voluntary_switches,
                             .involuntary_switches = recording->involuntary_switches,
                             .peak_bytes = recording->peak_memory};
    return model_last(&model->runs);
}

static void add_limit(struct sample_rows *rows, uint8_t kind, uint64_t count)
{
    struct array *limits = &rows->model->run_limits;
    if (!count)
        return;
    *(struct run_limit *)model_add(limits) = (struct run_limit){
        .run = rows->run, .position = (uint32_t)limits->count, .kind = kind, .count = count};
}

/* Share of the processor time that no sample stands for; 0 where that is no more than chance. */
static double unseen_share(const struct sample_rows *rows)
{
    const struct sample_recording *recording = rows->recording;
    double least = 0.02,
           all = recording->cpu_seconds - (recording->has_kernel ? 0 : recording->kernel_seconds),
           share = 1 - rows->seconds / all;
    return all > least && share > 0.1 ? share : 0;
}

static void add_limits(struct sample_rows *rows)
{
    const struct sample_recording *recording = rows->recording;
    uint64_t cut = 0;
    for (size_t i = 1; i < recording->nodes.count; i++)
        cut += rows->nodes[i].is_cut ? rows->nodes[i].samples : 0;
    double change = (recording->fastest_clock - recording->slowest_clock) / recording->cycles_per_second;
    add_limit(rows, run_limit_kind_LOST, recording->lost);
    add_limit(rows, run_limit_kind_NO_KERNEL, !recording->has_kernel);
    add_limit(rows, run_limit_kind_UNSEEN, (uint64_t)llround(unseen_share(rows) * 100));
    add_limit(rows, run_limit_kind_CUT, cut);
    add_limit(rows, run_limit_kind_SUMMARISED, recording->summarised);
    add_limit(rows, run_limit_kind_UNREAD, recording->unread);
    add_limit(rows, run_limit_kind_FEW, rows->samples < ENOUGH_SAMPLES ? rows->samples : 0);
    if (change > STEADY_CLOCK)
        add_limit(rows, run_limit_kind_CLOCK, (uint64_t)llround(fmin(change, 1000) * 100));
    add_limit(rows, run_limit_kind_OTHER_PROGRAMS, recording->other_programs);
    add_limit(rows, run_limit_kind_IDLE, recording->idle);
    add_limit(rows, run_limit_kind_NONSENSE, recording->nonsense);
    add_limit(rows, run_limit_kind_CUT_SHORT, recording->cut_short);
    add_limit(rows, run_limit_kind_TRACES, recording->traces);
    add_limit(rows, run_limit_kind_REUSED, recording->reused);
    add_limit(rows, run_limit_kind_UNDUMPED, recording->undumped);
    if (recording->others_share > QUIET)
        add_limit(rows, run_limit_kind_BUSY, (uint64_t)llround(recording->others_share * 100));
}

void sample_rows_add(struct model *model, const struct sample_recording *recording)
{
    struct sample_rows rows = {.model = model, .recording = recording};
    clear(model);
    rows.run = add_run(model, recording);
    row_places_find(&rows);
    row_library_find(&rows);
    row_times_find(&rows);
    add_files(&rows);
    add_processes(&rows);
    struct waiting waiting = add_times(&rows);
    struct sampled_run *run = model_sampled_run(model, rows.run);
    run->samples = rows.samples;
    run->sampled_seconds = rows.seconds;
    run->waiting_seconds = waiting.seconds;
    run->queued_seconds = waiting.queued;
    run->others_share = recording->others_share;
    if (isnan(run->cpu_seconds))
        run->cpu_seconds = rows.seconds;
    row_samples_add(&rows);
    row_functions_add(&rows);
    row_lines_find(model);
    row_positions_add(&rows);
    row_loops_add(&rows);
    row_calls_add(&rows);
    row_library_add(&rows);
    row_counters_add(&rows);
    add_limits(&rows);
    free(rows.programs);
    free(rows.file_rows);
    free(rows.thread_rows);
    free(rows.frames);
    free(rows.nodes);
    free(rows.loops);
    array_free(&rows.codes);
    model_expect(model, "sample");
}

static int by_share(const void *left, const void *right)
{
    const struct run_loop *a = *(const struct run_loop *const *)left,
                          *b = *(const struct run_loop *const *)right;
    if (a->self_share != b->self_share)
        return a->self_share > b->self_share ? -1 : 1;
    return (a->loop > b->loop) - (a->loop < b->loop);
}

static const struct run_function *row_of(const struct model *model, uint32_t function)
{
    for (uint32_t i = 1; i < model->run_functions.count; i++)
        if (model_run_function(model, i)->function == function)
            return model_run_function(model, i);
    return NULL;
}

bool sample_waits(const struct model *model, uint32_t function)
{
    const struct run_function *row = row_of(model, function);
    return row && (row->activity == run_activity_MPI || row->activity == run_activity_PARALLEL_WAIT ||
                   row->activity == run_activity_LOCK);
}

bool sample_is_library(const struct model *model, uint32_t function)
{
    const struct run_function *row = row_of(model, function);
    uint32_t program = model_function(model, function)->program;
    const char *path = program ? model_text(model, model_program(model, program)->path) : NULL;
    return (row && row->is_library) || (path && library_is_file(path_name(path)));
}

/* Library calls of a loop make it hot, too: how often it runs says what a call costs. */
static bool is_hot(const struct model *model, const struct run_loop *row, double least_share,
                   enum sample_depth depth)
{
    const struct loop *loop = model_loop(model, row->loop);
    double share = row->self_share;
    for (uint32_t i = 1; i < model->run_library_calls.count; i++)
        if (model_run_library_call(model, i)->loop == row->loop)
            share += model_run_library_call(model, i)->self_share;
    return share >= least_share && (loop->is_innermost || depth == SAMPLE_ANY_DEPTH) &&
           !sample_waits(model, loop->function) && !sample_is_library(model, loop->function);
}

void sample_hot_loops(const struct model *model, enum sample_depth depth, double least_share, size_t most,
                      struct array *loops)
{
    struct array found = ARRAY_OF(const struct run_loop *);
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        const struct run_loop *row = model_run_loop(model, i);
        if (is_hot(model, row, least_share, depth))
            *(const struct run_loop **)array_push(&found) = row;
    }
    if (found.count)
        qsort(found.data, found.count, found.width, by_share);
    for (size_t i = 0; i < found.count && i < most; i++)
        *(uint32_t *)array_push(loops) = (*ARRAY_AT(const struct run_loop *, &found, i))->loop;
    array_free(&found);
}

double sample_outside_seconds(const struct model *model, const struct run_function *row)
{
    double seconds = row->self_seconds;
    for (uint32_t i = 0; row->function && i < model->run_loops.count; i++) {
        const struct run_loop *loop = model_run_loop(model, i);
        if (loop->run == row->run && model_loop(model, loop->loop)->function == row->function)
            seconds -= loop->self_seconds;
    }
    return seconds > 0 ? seconds : 0;
}

struct hot_function {
    uint32_t function;
    double seconds;
};

static int by_outside(const void *left, const void *right)
{
    const struct hot_function *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

void sample_hot_functions(const struct model *model, double least_share, size_t most, struct array *functions)
{
    struct array found = ARRAY_OF(struct hot_function);
    for (uint32_t i = 1; i < model->run_functions.count; i++) {
        const struct run_function *row = model_run_function(model, i);
        double seconds = row->function ? sample_outside_seconds(model, row) : 0;
        double all = model_sampled_run(model, row->run)->sampled_seconds;
        if (seconds > 0 && seconds >= least_share * all && !sample_waits(model, row->function) &&
            !sample_is_library(model, row->function))
            *(struct hot_function *)array_push(&found) = (struct hot_function){row->function, seconds};
    }
    if (found.count)
        qsort(found.data, found.count, found.width, by_outside);
    for (size_t i = 0; i < found.count && i < most; i++)
        *(uint32_t *)array_push(functions) = ARRAY_AT(struct hot_function, &found, i)->function;
    array_free(&found);
}
