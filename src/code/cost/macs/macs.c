/* MACS bounds of innermost loops, after Boyd and Davidson's hierarchy: each level adds one thing that can
   cost time, so the gap between two levels shows who is responsible for the cycles.

     M     the machine alone: its peak rates
     MA    the operations of the application: what the source loop must compute, load, store and branch
     MAC   the operations of the code that the compiler made of it
     MACS  the schedule of that code
     (and a measured time, if the user gives one)

   M, MA and MAC count only floating-point operations, memory operations and branches; address arithmetic,
   moves and no-ops appear in MACS. MA comes from source_loops (code/source/), MAC from the blocks of the loop
   (body.h, operations.h). Both become cycles in the same way:
   - a machine with bundles (Itanium): the fewest pairs of bundles that hold the operations, an integer
     program (bundles.h), or the formula of its optimum where the shapes of bundles allow it;
   - other machines: the busiest kind of unit, or the issue width (bound_by_units);
   - MAC on a machine with a table of forms: the operations' µops over the ports (macs_core.h).
   MACS takes the first of these that exists: the compiler's cycles in a listing (the initiation interval of a
   pipelined loop), the prediction of code/cost/core for the whole body, and a simple schedule (schedule.h),
   which is at least MAC.

   Invariants. A level that is not known has is_known false and NaN in its figures, and gets no row. t_f, t_b
   and t_m of MA are of a source iteration, those of MAC and MACS of an iteration of the code;
   copies_by_floating and copies_by_memory say how many source iterations that is. The result does not depend
   on the number of threads; GLPK is called by one thread only.

   What it cannot do. The source loop is found by lines: the smallest one that covers the lines of the loop,
   or the innermost one that most instructions come from. Loops with other operations at the same lines are
   counted as rivals, not distinguished. No bound includes cache misses, called functions or, in the simple
   schedule, dependences through memory. If blocks of a loop run differently often and no compiler's comment
   says how often, each counts once per iteration. */
#include "code/cost/macs/macs.h"

#include "base/workers.h"
#include "code/cost/macs/body.h"
#include "code/cost/macs/macs_core.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Cache of solved integer programs: most loops of a program need few different ones. */
enum { REMEMBERED = 1024, FEW_LOOPS = 64 };
struct solved {
    bool is_known;
    unsigned floating, memory, branches, least;
    struct macs_solution solution;
};

struct macs_work {
    struct model *model;
    const struct machine *machine;
    struct macs_options options;
    struct bundle_program program;
    struct bodies bodies;
    struct scheduler scheduler;
    struct block_costs costs; /* for machines with forms */
    struct solved *solved;    /* by hash; the last one stays */
    uint32_t processor;       /* row of the machine */
};

uint32_t cost_processor_row(struct model *model, const struct machine *machine)
{
    string_id name = model_string(model, machine->name);
    for (uint32_t id = 1; id < model->processors.count; id++)
        if (model_processor(model, id)->name == name)
            return id;
    string_id title = model_string(model, machine->title);
    *(struct processor *)model_add(&model->processors) = (struct processor){.name = name, .title = title};
    return model_last(&model->processors);
}

struct macs_work *cost_macs_begin(struct model *model, const struct machine *machine,
                                  const struct macs_options *options)
{
    struct macs_work *work = memory_get(sizeof *work);
    *work = (struct macs_work){.model = model, .machine = machine, .options = *options};
    if (machine->bundles)
        bundles_prepare(&work->program, machine, options->single_bundles);
    body_begin(&work->bodies, model, machine);
    schedule_begin(&work->scheduler, model, machine);
    if (macs_core_serves(machine))
        block_costs_begin(&work->costs, machine, model);
    work->solved = memory_get(REMEMBERED * sizeof *work->solved);
    work->processor = cost_processor_row(model, machine);
    return work;
}

void cost_macs_end(struct macs_work *work)
{
    if (!work)
        return;
    body_end(&work->bodies);
    schedule_end(&work->scheduler);
    if (macs_core_serves(work->machine))
        block_costs_end(&work->costs);
    free(work->solved);
    free(work);
}

static double per(double cycles, double count)
{
    return count > 0 ? cycles / count : NAN;
}

static void set_bound(struct macs *macs, enum bound_level level, double cycles, enum bound_origin origin)
{
    struct macs_bound *bound = &macs->bounds[level];
    bound->cycles = cycles;
    bound->cpf = per(cycles, bound->floating);
    bound->cpb = per(cycles, bound->branches);
    bound->cpm = per(cycles, bound->memory);
    bound->origin = (uint8_t)origin;
    macs->is_known[level] = true;
}

static bool is_whole(double number)
{
    return number >= 0 && number <= 1e6 && number == floor(number);
}

static void keep_solution(const struct bundle_program *program, const unsigned counts[MOST_SHAPES],
                          struct macs_solution *solution)
{
    for (unsigned i = 0; i < program->count; i++)
        if (counts[i] && solution->count < MOST_USED_SHAPES) {
            solution->used[solution->count].shape = program->shapes[i];
            solution->used[solution->count++].times = counts[i];
        }
}

static const struct solved *solve(struct macs_work *work, unsigned floating, unsigned memory,
                                  unsigned branches, struct error *error)
{
    unsigned counts[MOST_SHAPES], key[3] = {floating, memory, branches};
    struct solved *place = &work->solved[strings_hash(key, sizeof key) % REMEMBERED];
    if (place->is_known && place->floating == floating && place->memory == memory &&
        place->branches == branches)
        return place;
    *place = (struct solved){.floating = floating, .memory = memory, .branches = branches};
    if (!bundles_solve(&work->program, floating, memory, branches, &place->least, counts, error))
        return NULL;
    keep_solution(&work->program, counts, &place->solution);
    place->is_known = true;
    return place;
}

/* Machines with bundles. */
static bool bound_by_bundles(struct macs_work *work, struct macs *macs, enum bound_level level,
                             struct error *error)
{
    struct macs_bound *bound = &macs->bounds[level];
    struct bundle_program *program = &work->program;
    bool is_exact = is_whole(bound->floating) && is_whole(bound->memory) && is_whole(bound->branches);
    double least;
    if (is_exact && (work->options.proves || !program->is_usual)) {
        const struct solved *solved =
            solve(work, (unsigned)bound->floating, (unsigned)bound->memory, (unsigned)bound->branches, error);
        if (!solved)
            return false;
        macs->solutions[level] = solved->solution;
        least = solved->least;
    } else if (program->is_usual) {
        least = bundles_formula(program, bound->floating, bound->memory, bound->branches);
        least = is_exact ? ceil(least - 1e-9) : least;
    } else {
        least = fmax(fmax(bound->floating / work->machine->floating, bound->memory / work->machine->memory),
                     bound->branches / work->machine->branches);
    }
    double cycles = program->is_single ? least / work->machine->bundles : least;
    if (is_exact)
        cycles = ceil(cycles - 1e-9);
    set_bound(macs, level, cycles,
              !is_exact            ? bound_origin_AVERAGE
              : program->is_single ? bound_origin_BUNDLES
                                   : bound_origin_PAIRS);
    return true;
}

/* Other machines: each kind of unit on its own; every iteration takes a jump. */
static void bound_by_units(struct macs_work *work, struct macs *macs, enum bound_level level, double loads,
                           double stores)
{
    const struct machine *machine = work->machine;
    struct macs_bound *bound = &macs->bounds[level];
    double cycles = fmax(bound->floating / machine->floating, bound->memory / machine->memory);
    cycles = fmax(cycles, bound->branches / machine->branches);
    cycles = fmax(cycles, (bound->floating + bound->memory + bound->branches) / machine->width);
    if (machine->loads)
        cycles = fmax(cycles, loads / machine->loads);
    if (machine->stores)
        cycles = fmax(cycles, stores / machine->stores);
    if (machine->taken)
        cycles = fmax(cycles, 1 / machine->taken);
    set_bound(macs, level, cycles, bound_origin_UNITS);
}

static bool bound_operations(struct macs_work *work, struct macs *macs, enum bound_level level, double loads,
                             double stores, struct error *error)
{
    if (work->machine->bundles)
        return bound_by_bundles(work, macs, level, error);
    bound_by_units(work, macs, level, loads, stores);
    return true;
}

static void bound_machine(struct macs_work *work, struct macs *macs)
{
    struct macs_bound *bound = &macs->bounds[bound_level_M];
    bound->floating = work->machine->floating;
    bound->branches = work->machine->branches;
    bound->memory = work->machine->memory;
    set_bound(macs, bound_level_M, 1, bound_origin_UNITS);
}

/* How many of a loop's instructions come from the lines of a source loop. */
static uint32_t count_inside(const struct macs_work *work, const struct source_loop *source, uint32_t file)
{
    const struct model *model = work->model;
    uint32_t inside = 0;
    for (size_t i = 0; i < work->bodies.blocks.count; i++) {
        const struct block *block =
            model_block(model, ARRAY_AT(struct body_block, &work->bodies.blocks, i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t line = model_instruction(model, block->first_instruction + k)->source_line;
            if (!line || line >= model->source_lines.count)
                continue;
            const struct source_line *row = model_source_line(model, line);
            inside += row->file == file && row->line >= source->first_line && row->line <= source->last_line;
        }
    }
    return inside;
}

/* How badly the operations of a source loop match those of the code: 0 if the code executes a whole number of
   its iterations. */
static double misfit(const struct operation_counts *counts, const struct source_loop *source)
{
    if ((source->floating > 0) != (counts->flops > 0) || (source->memory > 0) != (counts->memory > 0))
        return 2;
    if (!source->floating || !source->memory || isnan(counts->elements))
        return 1;
    double f = counts->flops / source->floating, m = counts->elements / source->memory;
    return fabs(f - m) / fmax(f, m);
}

static bool is_other(const struct source_loop *a, const struct source_loop *b)
{
    return a->floating != b->floating || a->memory != b->memory || a->branches != b->branches;
}

/* Whether a source loop that covers all lines of a loop matches better than the best before. */
static bool is_nearer(const struct macs *macs, const struct source_loop *source,
                      const struct source_loop *known)
{
    uint32_t lines = source->last_line - source->first_line, before = known->last_line - known->first_line;
    if (lines != before || source->is_innermost != known->is_innermost)
        return lines < before || (lines == before && source->is_innermost);
    return misfit(&macs->counts, source) < misfit(&macs->counts, known);
}

/* The smallest source loop that covers all lines of the loop; else, because compilers move code, the
   innermost one that most of its instructions come from. */
static uint32_t find_source_loop(const struct macs_work *work, const struct macs *macs)
{
    enum { MOST_LOOKED_AT = 256 };
    const struct model *model = work->model;
    const struct loop *loop = model_loop(model, macs->loop);
    uint32_t best = 0, most = 0, looked_at = 0, nearest = 0;
    if (!loop->file || !loop->first_line)
        return 0;
    uint32_t file = work->options.source_of ? work->options.source_of[loop->file] : loop->file;
    for (uint32_t id = 1; id < model->source_loops.count; id++) {
        const struct source_loop *source = model_source_loop(model, id);
        if (source->file != file || source->last_line < loop->first_line ||
            source->first_line > loop->last_line)
            continue;
        if (source->first_line <= loop->first_line && source->last_line >= loop->last_line) {
            if (!best || is_nearer(macs, source, model_source_loop(model, best)))
                best = id;
        } else if (source->is_innermost && looked_at++ < MOST_LOOKED_AT) {
            uint32_t inside = count_inside(work, source, loop->file);
            if (inside > most) {
                most = inside;
                nearest = id;
            }
        }
    }
    bool is_inside = best && model_source_loop(model, best)->is_innermost;
    return is_inside || !nearest ? best : nearest;
}

/* Other source loops at the same lines that match as well as the chosen one. */
static unsigned count_rivals(const struct macs_work *work, const struct macs *macs)
{
    const struct model *model = work->model;
    const struct source_loop *taken = model_source_loop(model, macs->source_loop);
    unsigned rivals = 0;
    for (uint32_t id = 1; id < model->source_loops.count; id++) {
        const struct source_loop *source = model_source_loop(model, id);
        rivals += source->file == taken->file && source->first_line == taken->first_line &&
                  source->last_line == taken->last_line && source->is_innermost && is_other(source, taken) &&
                  misfit(&macs->counts, source) <= misfit(&macs->counts, taken);
    }
    return rivals;
}

static bool bound_application(struct macs_work *work, struct macs *macs, struct error *error)
{
    macs->copies_by_floating = macs->copies_by_memory = NAN;
    macs->source_loop = find_source_loop(work, macs);
    if (!macs->source_loop)
        return true;
    macs->source_rivals = count_rivals(work, macs);
    const struct source_loop *source = model_source_loop(work->model, macs->source_loop);
    struct macs_bound *bound = &macs->bounds[bound_level_MA];
    bound->floating = source->floating;
    bound->branches = source->branches;
    bound->memory = source->memory;
    if (source->floating && macs->counts.flops > 0)
        macs->copies_by_floating = macs->counts.flops / source->floating;
    if (source->memory && macs->counts.elements > 0)
        macs->copies_by_memory = macs->counts.elements / source->memory;
    return bound_operations(work, macs, bound_level_MA, 0, 0, error);
}

static bool bound_code(struct macs_work *work, struct macs *macs, struct error *error)
{
    struct macs_bound *bound = &macs->bounds[bound_level_MAC];
    bound->floating = macs->counts.floating;
    bound->branches = macs->counts.branches;
    bound->memory = macs->counts.memory;
    double cycles = macs_core_serves(work->machine) ? macs_core_operations(&work->costs, &work->bodies) : NAN;
    if (!isnan(cycles)) {
        set_bound(macs, bound_level_MAC, cycles, bound_origin_PORTS);
        return true;
    }
    return bound_operations(work, macs, bound_level_MAC, macs->counts.loads, macs->counts.stores, error);
}

static uint32_t find_pipelined(const struct model *model, uint32_t loop)
{
    uint32_t row =
        array_first_not_below(&model->pipelined_loops, 1, offsetof(struct pipelined_loop, loop), loop);
    return row < model->pipelined_loops.count && model_pipelined_loop(model, row)->loop == loop ? row : 0;
}

/* The compiler's cycles if its comments give them, else a schedule. */
static void bound_schedule(struct macs_work *work, struct macs *macs)
{
    static const enum bound_origin origins[] = {
        [macs_COMPILER] = bound_origin_COMPILER, [macs_INTERVAL] = bound_origin_INTERVAL,
        [macs_IN_ORDER] = bound_origin_IN_ORDER, [macs_OUT_OF_ORDER] = bound_origin_OUT_OF_ORDER,
        [macs_CORE] = bound_origin_CORE,
    };
    double cycles = NAN;
    macs->pipelined = find_pipelined(work->model, macs->loop);
    if (body_compiler_cycles(&work->bodies, &cycles)) {
        macs->cycles_from = macs_COMPILER;
        int32_t interval = macs->pipelined
                               ? model_pipelined_loop(work->model, macs->pipelined)->initiation_interval
                               : NO_NUMBER;
        if (interval != NO_NUMBER && interval > 0) {
            macs->cycles_from = macs_INTERVAL;
            cycles = interval;
        }
    } else if (macs_core_serves(work->machine) && macs_core_schedule(&work->costs, &work->bodies)) {
        macs->cycles_from = macs_CORE;
        macs->limit = work->costs.prediction.limit;
        cycles = work->costs.prediction.cycles;
    } else {
        unsigned rotating = body_list_items(&work->bodies, macs->loop);
        const struct schedule_item *items = work->bodies.items.data;
        size_t count = work->bodies.items.count;
        if (work->bodies.is_cut)
            return;
        macs->cycles_from = work->machine->bundles ? macs_IN_ORDER : macs_OUT_OF_ORDER;
        macs->schedule = work->machine->bundles ? schedule_in_order(&work->scheduler, items, count, rotating)
                                                : schedule_out_of_order(&work->scheduler, items, count);
        cycles = fmax(macs->schedule.cycles, macs->bounds[bound_level_MAC].cycles);
    }
    struct macs_bound *bound = &macs->bounds[bound_level_MACS], *code = &macs->bounds[bound_level_MAC];
    bound->floating = code->floating;
    bound->branches = code->branches;
    bound->memory = code->memory;
    set_bound(macs, bound_level_MACS, cycles, origins[macs->cycles_from]);
}

static void bound_measured(struct macs_work *work, struct macs *macs)
{
    bool is_given = !isnan(work->options.measured);
    double cycles = is_given                ? work->options.measured
                    : work->options.in_runs ? work->options.in_runs[macs->loop]
                                            : NAN;
    if (isnan(cycles))
        return;
    struct macs_bound *bound = &macs->bounds[bound_level_MEASURED];
    bound->floating = macs->counts.floating;
    bound->branches = macs->counts.branches;
    bound->memory = macs->counts.memory;
    set_bound(macs, bound_level_MEASURED, cycles, is_given ? bound_origin_GIVEN : bound_origin_RUN);
}

bool cost_macs_loop(struct macs_work *work, uint32_t loop, struct macs *macs, struct error *error)
{
    *macs = (struct macs){.loop = loop, .machine = work->machine};
    for (unsigned level = 0; level < bound_level_COUNT; level++)
        macs->bounds[level] = (struct macs_bound){.loop = loop,
                                                  .level = (uint8_t)level,
                                                  .processor = work->processor,
                                                  .floating = NAN,
                                                  .branches = NAN,
                                                  .memory = NAN,
                                                  .cycles = NAN,
                                                  .cpf = NAN,
                                                  .cpb = NAN,
                                                  .cpm = NAN};
    body_take(&work->bodies, loop);
    body_count(&work->bodies, &macs->counts);
    operations_settle(&macs->counts);
    macs->is_weighted = work->bodies.is_weighted;
    macs->block_count = (unsigned)work->bodies.blocks.count;
    macs->recovery_count = work->bodies.recovery_count;
    macs->repeat_count = work->bodies.repeat_count;
    bound_machine(work, macs);
    if (!bound_application(work, macs, error) || !bound_code(work, macs, error))
        return false;
    bound_schedule(work, macs);
    bound_measured(work, macs);
    return true;
}

static void add_rows(struct model *model, const bool *is_known, const struct macs_bound *bounds)
{
    for (unsigned level = 0; level < bound_level_COUNT; level++)
        if (is_known[level])
            *(struct macs_bound *)array_add(&model->bounds) = bounds[level];
}

void cost_macs_add(struct model *model, const struct macs *macs)
{
    add_rows(model, macs->is_known, macs->bounds);
}

/* The rows of one loop. */
struct loop_bounds {
    bool is_known[bound_level_COUNT];
    struct macs_bound bounds[bound_level_COUNT];
};

/* All loops, several at a time: each worker has its own work, and rows are added in the order of the loops.
 */
struct all_loops {
    struct macs_work **works; /* one for each worker */
    const uint32_t *loops;
    struct loop_bounds *results;
    struct error *errors;
};

static void bound_one(void *context, size_t item, unsigned worker)
{
    const struct all_loops *all = context;
    struct macs macs;
    if (!cost_macs_loop(all->works[worker], all->loops[item], &macs, &all->errors[worker]))
        return;
    memcpy(all->results[item].is_known, macs.is_known, sizeof macs.is_known);
    memcpy(all->results[item].bounds, macs.bounds, sizeof macs.bounds);
}

static struct array choose_loops(const struct model *model, const struct machine *machine,
                                 const struct macs_options *options)
{
    struct array chosen = ARRAY_OF(uint32_t);
    for (uint32_t id = 1; id < model->loops.count; id++) {
        const struct loop *loop = model_loop(model, id);
        const struct program *program = model_program(model, model_function(model, loop->function)->program);
        if (loop->is_innermost && (!options->loop || options->loop == id) &&
            machine_runs(machine, program->isa) &&
            (!options->only_listings || program->format == format_LISTING))
            *(uint32_t *)array_push(&chosen) = id;
    }
    return chosen;
}

bool cost_macs(struct model *model, const struct machine *machine, const struct macs_options *options,
               struct error *error)
{
    struct array chosen = choose_loops(model, machine, options);
    unsigned workers = chosen.count < FEW_LOOPS ? 1 : workers_count(options->threads);
    struct all_loops all = {.works = memory_get(workers * sizeof(struct macs_work *)),
                            .loops = chosen.data,
                            .results = memory_get((chosen.count + 1) * sizeof(struct loop_bounds)),
                            .errors = memory_get(workers * sizeof(struct error))};
    for (unsigned i = 0; i < workers; i++)
        all.works[i] = cost_macs_begin(model, machine, options);
    /* Only one thread may call GLPK. */
    bool asks_glpk = machine->bundles && (options->proves || !all.works[0]->program.is_usual);
    workers_run(asks_glpk ? 1 : workers, chosen.count, bound_one, &all);
    for (unsigned i = 0; i < workers; i++) {
        if (all.errors[i].set && !error->set)
            *error = all.errors[i];
        cost_macs_end(all.works[i]);
    }
    for (size_t i = 0; i < chosen.count && !error->set; i++)
        add_rows(model, all.results[i].is_known, all.results[i].bounds);
    free(all.works);
    free(all.results);
    free(all.errors);
    array_free(&chosen);
    return !error->set;
}
