/* Paths are independent of each other, so workers take them one by one; each worker has its own costs of
   instructions for every machine that it meets. Results go to the path's own record, and rows are made from
   the records in their order, so they do not depend on the number of workers. */
#include "code/cost/loops.h"
#include "model/isa.h"

#include "base/progress.h"
#include "base/workers.h"
#include "code/cost/macs/macs.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_PATHS = 64, MOST_SEARCHED = 1 << 14 };

void block_costs_begin(struct block_costs *work, const struct machine *machine, const struct model *model)
{
    *work = (struct block_costs){.items = ARRAY_OF(struct cost_item),
                                 .encodings = ARRAY_OF(uint32_t),
                                 .entry = ARRAY_OF(const struct machine_cost *),
                                 .repeats = ARRAY_OF(struct cost_repeat)};
    machine_costs_begin(&work->costs, machine, model);
    work->bundled = bundled_begin(model, machine);
}

void block_costs_end(struct block_costs *work)
{
    machine_costs_end(&work->costs);
    bundled_end(work->bundled);
    cost_scratch_end(&work->scratch);
    array_free(&work->items);
    array_free(&work->encodings);
    array_free(&work->entry);
    array_free(&work->repeats);
}

void block_costs_make_alike(struct block_costs *work)
{
    static const char *const of_stack[] = {"rsp", "rbp", "sp", "x29"};
    const struct model *model = work->costs.model;
    struct cost_addresses *addresses = &work->scratch.addresses;
    addresses->is_alike = true;
    for (uint32_t row = 1; row < work->costs.register_count; row++) {
        const struct register_ *register_ = model_register(model, row);
        const char *name = model_text(model, model_register(model, register_->full)->name);
        bool is_alike = register_->kind == register_kind_GENERAL && work->costs.resource_of[row];
        for (unsigned i = 0; i < sizeof of_stack / sizeof *of_stack; i++)
            is_alike &= !name || strcmp(name, of_stack[i]);
        if (is_alike)
            addresses->starts_alike[work->costs.resource_of[row]] = true;
    }
}

void block_costs_forget(struct block_costs *work)
{
    machine_costs_clear(&work->costs);
    block_costs_clear(work);
    work->entry.count = work->entered = 0;
}

void block_costs_clear(struct block_costs *work)
{
    work->items.count = work->encodings.count = work->repeats.count = 0;
    work->block = (struct cost_block){.machine = work->costs.machine};
    work->missing = 0;
    work->lacking = NULL;
    work->is_cut = work->is_bundled = false;
}

void block_costs_add(struct block_costs *work, uint32_t encoding, uint32_t id, uint64_t address,
                     uint64_t target)
{
    if (!encoding)
        return;
    if (work->items.count >= MOST_BLOCK_INSTRUCTIONS) {
        work->is_cut = true;
        return;
    }
    const struct machine_cost *cost = machine_cost(&work->costs, encoding);
    *(struct cost_item *)array_push(&work->items) = (struct cost_item){
        .cost = cost, .id = id, .address = address, .target = target == NO_ADDRESS ? 0 : target};
    *(uint32_t *)array_push(&work->encodings) = encoding;
    work->block.size += cost->size;
    if (cost->is_missing && !work->missing) {
        work->missing = encoding;
        work->lacking = cost;
    }
}

/* Cycles with the operands of divisions at one end of their range. */
static double cycles_at(struct block_costs *work, bool is_hard)
{
    struct cost_item *items = memory_get(work->items.count * sizeof *items);
    struct cost_block block = work->block;
    struct cost_prediction prediction;
    memcpy(items, work->items.data, work->items.count * sizeof *items);
    for (unsigned i = 0; i < block.count; i++) {
        const struct machine_cost *cost = items[i].cost;
        items[i].cost = !cost->easy ? cost : is_hard ? cost->hard : cost->easy;
    }
    block.items = items;
    cost_predict(&block, &work->scratch, cost_ANSWER, &prediction);
    free(items);
    return prediction.cycles;
}

/* The range by the operands, where they decide over the cycles. */
static void find_range(struct block_costs *work, double *easy, double *hard)
{
    static const double LEAST_RANGE = 1.05;
    bool depends = false;
    for (unsigned i = 0; i < work->block.count; i++)
        depends |= work->block.items[i].cost->easy != NULL;
    *easy = *hard = NAN;
    if (!depends)
        return;
    double least = cycles_at(work, false), most = cycles_at(work, true);
    if (most > LEAST_RANGE * least) {
        *easy = least;
        *hard = most;
    }
}

/* Cycles with each such gather repeated for all of its lanes; NaN: the block has none. */
static double scattered_cycles(struct block_costs *work)
{
    if (!work->repeats.count)
        return NAN;
    struct array items = ARRAY_OF(struct cost_item);
    size_t next = 0;
    for (size_t i = 0; i < work->repeats.count; i++) {
        const struct cost_repeat *repeat = ARRAY_AT(struct cost_repeat, &work->repeats, i);
        for (; next < repeat->end; next++)
            *(struct cost_item *)array_push(&items) = work->block.items[next];
        for (uint32_t time = 1; time < repeat->most && items.count < MOST_BLOCK_INSTRUCTIONS; time++)
            for (uint32_t item = repeat->first; item < repeat->end; item++)
                *(struct cost_item *)array_push(&items) = work->block.items[item];
    }
    for (; next < work->block.count; next++)
        *(struct cost_item *)array_push(&items) = work->block.items[next];
    struct cost_block block = work->block;
    struct cost_prediction prediction;
    block.items = items.data;
    block.count = (unsigned)items.count;
    cost_predict(&block, &work->scratch, cost_ANSWER, &prediction);
    array_free(&items);
    return prediction.cycles;
}

static void forget_data(struct cost_data *data)
{
    *data = (struct cost_data){.lines.first = {NAN, NAN, NAN, NAN}, .lines.unknown = NAN};
    for (unsigned place = 0; place < DATA_LEVELS; place++)
        data->at[place] = (struct data_cycles){.cycles = NAN, .lines = NAN, .lack = data_lack_LINES};
}

bool block_costs_predict(struct block_costs *work, enum cost_mode mode, enum cost_detail detail)
{
    work->block.items = work->items.data;
    work->block.count = (unsigned)work->items.count;
    work->block.mode = mode;
    work->prediction = (struct cost_prediction){.cycles = NAN,
                                                .next_cycles = NAN,
                                                .unaligned_cycles = NAN,
                                                .repeated_cycles = NAN,
                                                .easy_cycles = NAN,
                                                .hard_cycles = NAN,
                                                .scattered_cycles = NAN};
    forget_data(&work->data);
    if (work->missing || work->is_cut || !work->items.count)
        return false;
    if (work->is_bundled)
        return bundled_predict(work->bundled, &work->prediction);
    double easy = NAN, hard = NAN, scattered = NAN;
    if (detail != cost_ANSWER) { /* first: marks of a prediction live until the next one */
        find_range(work, &easy, &hard);
        scattered = scattered_cycles(work);
    }
    cost_predict(&work->block, &work->scratch, detail, &work->prediction);
    work->prediction.scattered_cycles = scattered;
    work->prediction.easy_cycles = easy;
    work->prediction.hard_cycles = hard;
    if (detail != cost_ANSWER)
        cost_data(&work->block, &work->scratch, &work->prediction, &work->data);
    return work->prediction.limit != core_part_NONE && isfinite(work->prediction.cycles);
}

static uint32_t first_path_block(const struct model *model, uint32_t loop)
{
    return (uint32_t)array_first_not_below(&model->path_blocks, 0, offsetof(struct path_block, loop), loop);
}

/* The run of a path in path_blocks, searched from a given place on: paths are stored in order there. */
static uint32_t find_blocks(const struct model *model, struct loop_path *path, uint32_t from)
{
    const struct array *rows = &model->path_blocks;
    while (from < rows->count && model_path_block(model, from)->loop == path->loop &&
           model_path_block(model, from)->path < path->path)
        from++;
    path->first_block = from;
    while (from < rows->count && model_path_block(model, from)->loop == path->loop &&
           model_path_block(model, from)->path == path->path)
        from++;
    path->blocks = from - path->first_block;
    return from;
}

void loop_paths_list(const struct model *model, uint32_t loop, struct array *paths)
{
    size_t before = paths->count, returning = 0;
    uint32_t at = first_path_block(model, loop);
    for (size_t i = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), loop);
         i < model->paths.count && model_path(model, (uint32_t)i)->loop == loop; i++) {
        const struct path *row = model_path(model, (uint32_t)i);
        struct loop_path *path = array_add(paths);
        *path =
            (struct loop_path){.loop = loop, .path = row->position, .is_exit = row->is_exit, .cycles = NAN};
        at = find_blocks(model, path, at);
        returning += !row->is_exit;
    }
    size_t kept = before;
    for (size_t i = before; returning && i < paths->count; i++) {
        const struct loop_path *path = ARRAY_AT(struct loop_path, paths, i);
        if (!path->is_exit)
            *ARRAY_AT(struct loop_path, paths, kept++) = *path;
    }
    if (returning)
        paths->count = kept;
}

/* The only block outside an innermost loop (0: any block) from which control comes to a block; 0: none, or
 * several.
 */
static uint32_t sole_predecessor(const struct model *model, uint32_t target, uint32_t loop)
{
    const struct function *function = model_function(model, model_block(model, target)->function);
    size_t offset = offsetof(struct edge, source);
    uint32_t end_block = function->first_block + function->block_count, found = 0;
    size_t first = array_first_not_below(&model->edges, 0, offset, function->first_block);
    size_t end = array_first_not_below(&model->edges, first, offset, end_block);
    if (end - first > MOST_SEARCHED)
        return 0;
    for (size_t i = first; i < end; i++) {
        const struct edge *edge = ARRAY_AT(struct edge, &model->edges, i);
        if (edge->target != target || (loop && model_block(model, edge->source)->loop == loop))
            continue;
        if (found && found != edge->source)
            return 0;
        found = edge->source;
    }
    return found;
}

uint32_t loop_entry(const struct model *model, uint32_t loop, uint32_t blocks[LOOP_ENTRY_BLOCKS])
{
    uint32_t count = 0;
    for (uint32_t block = sole_predecessor(model, model_loop(model, loop)->header, loop);
         block && count < LOOP_ENTRY_BLOCKS; block = sole_predecessor(model, block, 0))
        blocks[count++] = block;
    return count;
}

/* The instructions that lead into a loop, since the last call. */
static void take_entry(const struct model *model, uint32_t loop, struct block_costs *work)
{
    uint32_t blocks[LOOP_ENTRY_BLOCKS], count = loop_entry(model, loop, blocks);
    work->entry.count = 0;
    work->entered = loop;
    while (count--) {
        const struct block *block = model_block(model, blocks[count]);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
            const struct machine_cost *cost = encoding ? machine_cost(&work->costs, encoding) : NULL;
            if (!cost || cost->is_call)
                work->entry.count = 0;
            else
                *(const struct machine_cost **)array_push(&work->entry) = cost;
        }
    }
}

void loop_path_take(const struct model *model, const struct loop_path *path, struct block_costs *work)
{
    block_costs_clear(work);
    if (work->entered != path->loop && path->blocks)
        take_entry(model, path->loop, work);
    work->block.entry = work->entry.data;
    work->block.entry_count = (unsigned)work->entry.count;
    for (uint32_t i = 0; i < path->blocks; i++) {
        const struct block *block = model_block(model, model_path_block(model, path->first_block + i)->block);
        if (block->most_repeats)
            *(struct cost_repeat *)array_push(&work->repeats) = (struct cost_repeat){
                (uint32_t)work->items.count, (uint32_t)work->items.count + block->instruction_count,
                block->most_repeats};
        for (uint32_t k = 0; k < block->instruction_count && !work->is_cut; k++) {
            uint32_t id = block->first_instruction + k;
            const struct instruction *instruction = model_instruction(model, id);
            block_costs_add(work, instruction->encoding, id, block->address + instruction->offset,
                            instruction->target);
        }
    }
    work->is_bundled = work->bundled && path->blocks;
    if (work->is_bundled)
        bundled_take(work->bundled, path->loop, model_path_block(model, path->first_block), path->blocks);
}

void loop_path_note(const struct block_costs *work, bool is_answered, struct loop_path *path)
{
    const struct cost_prediction *prediction = &work->prediction;
    path->instruction_count = (unsigned)work->items.count;
    path->missing = work->missing;
    path->lack = work->lacking ? work->lacking->lack : lack_NONE;
    path->lacking_extension = work->lacking ? work->lacking->lacking_extension : NULL;
    path->is_cut = work->is_cut;
    path->known_count = path->call_count = 0;
    for (size_t i = 0; i < work->items.count; i++) {
        const struct machine_cost *cost = ARRAY_AT(struct cost_item, &work->items, i)->cost;
        path->call_count += cost->is_call;
        path->known_count += cost->form || work->is_bundled;
    }
    path->cycles = path->next_cycles = path->unaligned_cycles = path->repeated_cycles = NAN;
    path->easy_cycles = path->hard_cycles = path->scattered_cycles = NAN;
    path->limit = path->next = core_part_NONE;
    path->lines = work->data.lines.first;
    path->unknown_lines = work->data.lines.unknown;
    path->stride = work->data.lines.stride;
    memcpy(path->data, work->data.at, sizeof path->data);
    if (!is_answered)
        return;
    path->cycles = prediction->cycles;
    path->limit = prediction->limit;
    path->next = prediction->next;
    path->next_cycles = prediction->next_cycles;
    path->unaligned_cycles = prediction->unaligned_cycles;
    path->repeated_cycles = prediction->repeated_cycles;
    path->easy_cycles = prediction->easy_cycles;
    path->hard_cycles = prediction->hard_cycles;
    path->scattered_cycles = prediction->scattered_cycles;
    path->is_loop_buffer = prediction->comes_from_loop_buffer;
    path->is_cached = prediction->comes_from_cache;
    for (unsigned part = 0; part < core_part_COUNT; part++)
        path->bounds[part] = prediction->bounds[part].cycles;
}

const struct machine *loop_machine(const struct loop_machines *machines, const struct model *model,
                                   uint32_t loop)
{
    uint32_t function = model_loop(model, loop)->function;
    enum isa isa = (enum isa)model_program(model, model_function(model, function)->program)->isa;
    return machines->of[isa_facts(isa)->machine];
}

struct all_paths {
    const struct model *model;
    const struct loop_machines *machines;
    struct array *paths;
    enum cost_detail detail;
    struct block_costs (*works)[isa_COUNT]; /* for each worker */
    atomic_size_t done;
};

static void predict_one(void *context, size_t item, unsigned worker)
{
    struct all_paths *all = context;
    struct loop_path *path = ARRAY_AT(struct loop_path, all->paths, item);
    const struct machine *machine = loop_machine(all->machines, all->model, path->loop);
    if (!machine)
        return;
    struct block_costs *work = &all->works[worker][machine->isa];
    if (work->costs.machine != machine)
        block_costs_begin(work, machine, all->model);
    loop_path_take(all->model, path, work);
    loop_path_note(work, block_costs_predict(work, cost_LOOP, all->detail), path);
    size_t done = atomic_fetch_add(&all->done, 1);
    if (!worker)
        progress_tell("cycles of loops", done, all->paths->count);
}

void cost_loops_in(const struct model *model, const struct loop_machines *machines, struct array *paths,
                   enum cost_detail detail, unsigned threads)
{
    unsigned workers = paths->count < FEW_PATHS ? 1 : workers_count(threads);
    struct all_paths all = {.model = model, .machines = machines, .paths = paths, .detail = detail};
    all.works = memory_get(workers * sizeof *all.works);
    workers_run(workers, paths->count, predict_one, &all);
    for (unsigned i = 0; i < workers; i++)
        for (unsigned isa = 0; isa < isa_COUNT; isa++)
            if (all.works[i][isa].costs.machine)
                block_costs_end(&all.works[i][isa]);
    free(all.works);
}

void cost_loops(const struct model *model, const struct loop_machines *machines, struct array *paths,
                unsigned threads)
{
    cost_loops_in(model, machines, paths, cost_BOUNDS, threads);
}

static void add_levels(struct model *model, const struct machine *machine, const struct loop_path *path)
{
    for (unsigned level = data_level_L2; level < data_level_COUNT; level++) {
        int place = data_place(machine, (enum data_level)level);
        if (place <= 0 || isnan(path->data[place].cycles))
            continue;
        struct loop_level *row = model_add(&model->loop_levels);
        *row = (struct loop_level){.loop = path->loop,
                                   .path = path->path,
                                   .level = (uint8_t)level,
                                   .cycles = path->data[place].cycles,
                                   .limit = (uint8_t)path->data[place].limit,
                                   .line_cycles = path->data[place].lines,
                                   .is_assumed =
                                       machine_cache_is_assumed(data_level_of(machine, (unsigned)place))};
    }
}

void cost_loops_add(struct model *model, const struct loop_machines *machines, const struct array *paths)
{
    uint32_t processors[isa_COUNT] = {0};
    model->loop_cycles.count = model->core_bounds.count = model->loop_levels.count = 0;
    for (size_t i = 0; i < paths->count; i++) {
        const struct loop_path *path = ARRAY_AT(struct loop_path, paths, i);
        const struct machine *machine = loop_machine(machines, model, path->loop);
        if (!machine)
            continue;
        if (!processors[machine->isa])
            processors[machine->isa] = cost_processor_row(model, machine);
        struct loop_cycle *row = model_add(&model->loop_cycles);
        *row = (struct loop_cycle){.loop = path->loop,
                                   .path = path->path,
                                   .processor = processors[machine->isa],
                                   .cycles = path->cycles,
                                   .limit = (uint8_t)path->limit,
                                   .next_cycles = path->next_cycles,
                                   .next = (uint8_t)path->next,
                                   .unaligned_cycles = path->unaligned_cycles,
                                   .repeated_cycles = path->repeated_cycles,
                                   .easy_cycles = path->easy_cycles,
                                   .hard_cycles = path->hard_cycles,
                                   .scattered_cycles = path->scattered_cycles,
                                   .instruction_count = path->instruction_count,
                                   .known_count = path->known_count,
                                   .lines_loaded = path->lines.loaded,
                                   .lines_updated = path->lines.updated,
                                   .lines_stored = path->lines.stored,
                                   .lines_streamed = path->lines.streamed,
                                   .lines_unknown = path->unknown_lines,
                                   .missing = path->missing,
                                   .lack = (uint8_t)path->lack,
                                   .lacking_extension = model_string(model, path->lacking_extension),
                                   .share = NAN};
        for (unsigned part = 0; part < core_part_COUNT; part++) {
            if (!(path->bounds[part] > 0))
                continue;
            struct core_bound *bound = model_add(&model->core_bounds);
            *bound = (struct core_bound){
                .loop = path->loop, .path = path->path, .part = (uint8_t)part, .cycles = path->bounds[part]};
        }
        add_levels(model, machine, path);
    }
}

void loop_paths_drop(struct model *model, int64_t limit)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->paths.count; i++)
        if (model_path(model, (uint32_t)i)->position <= limit)
            *model_path(model, (uint32_t)kept++) = *model_path(model, (uint32_t)i);
    model->paths.count = kept;
    kept = 0;
    for (size_t i = 0; i < model->path_blocks.count; i++)
        if (model_path_block(model, (uint32_t)i)->path <= limit)
            *model_path_block(model, (uint32_t)kept++) = *model_path_block(model, (uint32_t)i);
    model->path_blocks.count = kept;
}
