/* Collects what the tables know of a loop for the rules. */
#include "run/measure/gap_subject.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };
static const double LEAST_DIFFERENCE = 0.1;
static const double DEVIATIONS = 2.5;    /* standard errors of samples that are chance */
static const double REGULAR_SHARE = 0.7; /* of the accesses of one that moves by one distance */
static const double LEAST_WAITED = 0.2;  /* of the time by the clock */
static const uint32_t NO_PATH = 0;

struct gap_level gap_level(const struct gap_machine *machine, unsigned place)
{
    if (place < machine->cache_count)
        return (struct gap_level){machine->caches[place].bytes_per_cycle, machine->caches[place].latency};
    const struct machine *file = machine->machine;
    return file ? (struct gap_level){file->main_memory.bytes_per_cycle, file->main_memory.latency}
                : (struct gap_level){0};
}

enum gap_certainty gap_certainty_of(const struct gap_subject *subject, double cycles)
{
    return cycles >= 0.6 * subject->gap ? gap_certainty_SHOWN : gap_certainty_LIKELY;
}

/* ---- counters ---- */

static bool has_word(const char *name, const char *word)
{
    for (size_t length = strlen(word); *name; name++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)name[same]) == word[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

double gap_counted(const struct gap_subject *subject, const char *word, const char *other)
{
    const struct model *model = subject->model;
    double best = NAN;
    for (uint32_t i = 1; i < model->counter_values.count; i++) {
        const struct counter_value *value = model_counter_value(model, i);
        const struct run_counter *counter = model_run_counter(model, value->counter);
        const char *name = model_text(model, counter->name);
        if (value->loop != subject->row->loop || counter->run != subject->row->run || !name ||
            !has_word(name, word) || !has_word(name, other) || !subject->row->iterations)
            continue;
        best = fmax(best, value->count / (double)subject->row->iterations);
    }
    return best;
}

/* ---- paths ---- */

static void find_path(struct gap_subject *subject)
{
    const struct model *model = subject->model;
    uint32_t loop = subject->row->loop;
    double most = -1;
    for (uint32_t i = 0; i < model->paths.count; i++) {
        const struct path *path = model_path(model, i);
        subject->path_count += path->loop == loop && !path->is_exit;
        if (path->loop == loop && !path->is_exit && subject->path == NO_PATH)
            subject->path = path->position;
    }
    for (uint32_t i = 0; i < model->run_paths.count; i++) {
        const struct run_path *path = model_run_path(model, i);
        if (path->loop != loop || path->run != subject->row->run)
            continue;
        subject->has_shares = true;
        if (path->share > most) {
            most = path->share;
            subject->path = path->path;
        }
    }
    if (subject->row->path)
        subject->path = subject->row->path;
    const struct array *table = &model->loop_cycles;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_cycle, loop), loop);
         i < table->count && model_loop_cycle(model, (uint32_t)i)->loop == loop; i++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)i);
        if (row->path != subject->path)
            continue;
        subject->instructions = row->instruction_count;
        subject->has_guessed_figures = row->known_count < row->instruction_count;
    }
}

/* ---- accesses ---- */

static bool is_in_chain(const struct gap_subject *subject, uint32_t instruction)
{
    const struct model *model = subject->model;
    const struct array *table = &model->bound_instructions;
    uint32_t loop = subject->row->loop;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct bound_instruction, loop), loop);
         i < table->count && model_bound_instruction(model, (uint32_t)i)->loop == loop; i++) {
        const struct bound_instruction *row = model_bound_instruction(model, (uint32_t)i);
        if (row->part == core_part_LATENCY && row->instruction == instruction)
            return true;
    }
    return false;
}

static double iterations_of(const struct gap_subject *subject, uint32_t probe_run)
{
    const struct model *model = subject->model;
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *row = model_probe_loop(model, i);
        if (row->run == probe_run && row->loop == subject->row->loop)
            return (double)row->iterations;
    }
    return NAN;
}

static struct gap_access *access_of(struct gap_subject *subject, uint32_t instruction)
{
    for (size_t i = 0; i < subject->accesses.count; i++) {
        struct gap_access *access = ARRAY_AT(struct gap_access, &subject->accesses, i);
        if (access->instruction == instruction)
            return access;
    }
    struct gap_access *access = array_add(&subject->accesses);
    *access = (struct gap_access){.instruction = instruction};
    return access;
}

/* How often the access that ran most often was recorded: a run that stops recording when it has enough counts
   no iterations, and that access runs in each of them. */
static double most_accesses(const struct gap_subject *subject, uint32_t probe_run)
{
    const struct model *model = subject->model;
    uint64_t most = 0;
    for (uint32_t i = 0; i < model->probe_addresses.count; i++) {
        const struct probe_address *row = model_probe_address(model, i);
        if (row->loop == subject->row->loop && row->run == probe_run && row->count > most)
            most = row->count;
    }
    return (double)most;
}

/* Lines of a recorded access.  Probes estimate them by 32768 bits, which are all set beyond about 300000
   lines: then the pages say more, of which each has 64 lines or one for each step. */
static uint64_t recorded_lines(const struct probe_address *row, uint64_t stride)
{
    static const uint64_t MOST_ESTIMATED = 250000;
    if (row->lines < MOST_ESTIMATED)
        return row->lines;
    uint64_t by_pages = row->pages * (4096 / (stride > LINE && stride < 4096 ? stride
                                              : stride < 4096                ? LINE
                                                                             : 4096));
    uint64_t most = by_pages < row->count ? by_pages : row->count;
    return most > row->lines ? most : row->lines;
}

/* Lines that were touched; where the recording ended before any was touched again, those of an entry at
 * least. */
static uint64_t lines_of(const struct gap_subject *subject, const struct gap_access *access)
{
    double step = fmin((double)access->stride, LINE), lines = (double)access->lines;
    bool is_walk = access->is_regular && (double)access->count * step / LINE <= 1.5 * lines;
    double entry = is_walk && subject->iterations_per_entry > 0
                       ? floor(subject->iterations_per_entry * access->per_iteration * step / LINE)
                       : 0;
    return entry > lines ? (uint64_t)entry : access->lines;
}

/* Of several processes, the one that went there most often stands for all. */
static void add_measured(struct gap_subject *subject)
{
    const struct model *model = subject->model;
    for (uint32_t i = 0; i < model->probe_addresses.count; i++) {
        const struct probe_address *row = model_probe_address(model, i);
        if (row->loop != subject->row->loop || !row->count)
            continue;
        struct gap_access *access = access_of(subject, row->instruction);
        if (access->count >= row->count)
            continue;
        double iterations = iterations_of(subject, row->run);
        if (!(iterations > 0))
            iterations = most_accesses(subject, row->run);
        bool is_regular = row->stride_share >= REGULAR_SHARE;
        *access =
            (struct gap_access){.instruction = row->instruction,
                                .is_store = row->is_store,
                                .is_measured = true,
                                .is_regular = is_regular,
                                .is_in_chain = is_in_chain(subject, row->instruction),
                                .per_iteration = (double)row->count / iterations,
                                .bytes = row->bytes,
                                .is_backwards = row->stride < 0,
                                .stride = is_regular ? (uint64_t)llabs(row->stride) : 0,
                                .lines = recorded_lines(row, is_regular ? (uint64_t)llabs(row->stride) : 0),
                                .minimum = row->minimum,
                                .maximum = row->maximum,
                                .count = row->count,
                                .aliases = row->aliases,
                                .alias_instruction = row->alias_instruction,
                                .sets = row->sets};
        access->lines = lines_of(subject, access);
    }
}

/* Without probes of addresses: what an entry walks over, for accesses whose distance is in the code. */
static void add_from_code(struct gap_subject *subject)
{
    const struct model *model = subject->model;
    const struct array *table = &model->access_patterns;
    uint32_t loop = subject->row->loop;
    if (!(subject->iterations_per_entry > 0))
        return;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct access_pattern_row, loop), loop);
         i < table->count && model_access_pattern_row(model, (uint32_t)i)->loop == loop; i++) {
        const struct access_pattern_row *row = model_access_pattern_row(model, (uint32_t)i);
        if (row->path != subject->path || row->is_stack || !row->stride)
            continue;
        uint64_t stride = (uint64_t)llabs(row->stride);
        /* Neighbours share a distance: each brings its own bytes of it, at least. */
        uint64_t step = stride < LINE && row->bytes && row->bytes < stride ? row->bytes : stride;
        struct gap_access *access = array_add(&subject->accesses);
        *access = (struct gap_access){.instruction = row->instruction,
                                      .is_store = row->is_store,
                                      .is_regular = true,
                                      .is_in_chain = is_in_chain(subject, row->instruction),
                                      .per_iteration = 1,
                                      .bytes = row->bytes,
                                      .stride = step};
        access->lines =
            (uint64_t)(subject->iterations_per_entry * (double)(stride < LINE ? step : LINE) / LINE) + 1;
    }
}

/* ---- times ---- */

static void find_entries(struct gap_subject *subject)
{
    const struct model *model = subject->model;
    const struct run_loop *row = subject->row;
    uint64_t most = 0;
    subject->iterations_per_entry =
        row->entries && row->iterations ? (double)row->iterations / (double)row->entries : NAN;
    subject->setup_cycles = NAN;
    for (uint32_t i = 0; i < model->probe_loops.count; i++) {
        const struct probe_loop *probed = model_probe_loop(model, i);
        if (probed->loop != row->loop || probed->iterations < most || !probed->setup)
            continue;
        most = probed->iterations;
        subject->setup_cycles = probed->setup_cycles;
        subject->setup = (enum probe_setup)probed->setup;
    }
}

static double per_iteration(const struct gap_subject *subject, double seconds)
{
    return seconds > 0 && subject->clock > 0 && subject->row->iterations
               ? seconds * subject->clock / (double)subject->row->iterations
               : 0;
}

static void find_times(struct gap_subject *subject)
{
    const struct run_loop *row = subject->row;
    bool is_by_clock = row->measured_by == run_measure_PROBES;
    subject->calls = per_iteration(subject, row->call_seconds);
    subject->kernel = per_iteration(subject, row->kernel_seconds);
    double running = per_iteration(subject, row->self_seconds) + subject->calls + subject->kernel;
    double clock = row->probed_cycles;
    bool has_company = subject->run->threads > 1 && subject->run->waiting_seconds > 0;
    if (has_company && clock > 0 && running > 0 && clock - running > LEAST_WAITED * clock)
        subject->waited = clock - running;
    double own = subject->measured - (is_by_clock ? subject->kernel + subject->waited : 0);
    subject->gap = own - subject->predicted;
}

/* ---- where its samples stand ---- */

static bool is_of_memory(unsigned kind)
{
    return kind == point_kind_LOAD || kind == point_kind_CHAIN || kind == point_kind_STORE ||
           kind == point_kind_GATHER || kind == point_kind_GUARDED_GATHER;
}

/* Points are in the order of their time. */
static void find_points(struct gap_subject *subject)
{
    const struct model *model = subject->model;
    for (uint32_t i = 0; i < model->run_points.count; i++) {
        const struct run_point *point = model_run_point(model, i);
        if (point->run != subject->row->run || point->loop != subject->row->loop ||
            !is_of_memory(point->kind))
            continue;
        subject->at_memory += point->part;
        if (!subject->memory_point)
            subject->memory_point = point->instruction;
    }
}

bool gap_subject_make(struct gap_subject *subject, const struct model *model,
                      const struct gap_machine *machine, const struct run_loop *row)
{
    *subject = (struct gap_subject){.model = model,
                                    .machine = machine,
                                    .run = model_sampled_run(model, row->run),
                                    .row = row,
                                    .is_around = !model_loop(model, row->loop)->is_innermost,
                                    .measured = row->cycles_per_iteration,
                                    .predicted = row->predicted_cycles,
                                    .accesses = ARRAY_OF(struct gap_access)};
    if (!(subject->measured > 0) || !(subject->predicted > 0) || !row->measured_by)
        return false;
    subject->clock = subject->run->cycles_per_second;
    double chance = row->measured_by == run_measure_PROBES ? 0 : DEVIATIONS * row->error * subject->measured;
    subject->least = fmax(LEAST_DIFFERENCE * subject->predicted, chance > 0 ? chance : 0);
    find_entries(subject);
    find_times(subject);
    find_path(subject);
    find_points(subject);
    add_measured(subject);
    if (!subject->accesses.count)
        add_from_code(subject);
    return true;
}

void gap_subject_free(struct gap_subject *subject)
{
    array_free(&subject->accesses);
}
