#include "run/points/points.h"

#include "model/expect.h"
#include "model/isa.h"
#include "run/points/blame.h"
#include "run/points/data.h"
#include "run/points/waits.h"
#include "run/sample/library.h"
#include "run/sample/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_SHARE = 0.03; /* of the run */
static const double LEAST_PART = 0.25;  /* of the loop or function */
static const double MOST_OF_IT = 0.5;
static const double LEAST_OPEN = 0.35; /* where nothing else says that it is slow */
static const double LEAST_MISSES = 0.05;
static const double STEADY = 0.95;     /* of the time at the targets of a jump, at one of them */
static const double FAR = 2.5;         /* times the latency of the first cache: the data was elsewhere */
static const double USUAL_LATENCY = 4; /* of the first cache */
static const double USUAL_MISS = 20;   /* cycles of a wrong guess */
static const double OFTEN_WRONG = 10;  /* cycles of a jump whose guesses mostly are */
enum { LEAST_SAMPLES = 30, USUAL_RETIRED = 8 };

const struct point_text *points_text(enum point_kind kind)
{
    static const struct point_text texts[] = {
#define POINT(symbol, name, finding, open, remedy) [point_kind_##symbol] = {name, finding, open, remedy},
#include "run/points/points.def"
    };
    return &texts[kind];
}

struct point_search {
    struct model *model;
    struct machine *const *machines;
    uint32_t run;
    struct point_namer *namer;
    /* By instruction. */
    uint64_t *counts, *waiting; /* samples that stand there; that wait for it */
    double *seconds, *waited;
    uint32_t *sampled; /* where most of its samples stand */
    uint64_t *others;  /* for a call: samples of what it calls */
    double *called;    /* for a call: seconds of what it calls */
    uint8_t *guesses;  /* enum point_guess */
    /* By function and loop: their own seconds. */
    double *of_function, *of_loop;
    uint64_t *function_samples;
};

static const struct machine *machine_of(const struct point_search *search, uint32_t function)
{
    const struct model *model = search->model;
    enum isa isa = (enum isa)model_program(model, model_function(model, function)->program)->isa;
    return search->machines[isa_facts(isa)->machine];
}

static unsigned retired_of(const struct machine *machine)
{
    return machine && machine->core.retire ? machine->core.retire : USUAL_RETIRED;
}

static uint32_t function_of(const struct model *model, uint32_t instruction)
{
    return model_block(model, model_instruction(model, instruction)->block)->function;
}

static uint32_t loop_of(const struct model *model, uint32_t instruction)
{
    return model_block(model, model_instruction(model, instruction)->block)->loop;
}

/* ---- samples ---- */

static void add_samples(struct point_search *search)
{
    const struct model *model = search->model;
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *sample = model_sample_row(model, i);
        if (!sample->instruction || !sample->function)
            continue;
        search->counts[sample->instruction] += sample->count;
        search->seconds[sample->instruction] += sample->seconds;
        search->function_samples[sample->function] += sample->count;
        if (sample->loop)
            search->of_loop[sample->loop] += sample->seconds;
        else
            search->of_function[sample->function] += sample->seconds;
    }
}

static void find_missed(struct point_search *search)
{
    const struct model *model = search->model;
    for (uint32_t i = 0; i < model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(model, i);
        if (row->guessed && (double)row->misses >= LEAST_MISSES * (double)row->guessed)
            search->guesses[row->instruction] = POINT_GUESS_WRONG;
    }
}

static double seconds_in(const struct point_search *search, uint32_t id)
{
    const struct block *block = model_block(search->model, id);
    double seconds = 0;
    for (uint32_t i = 0; i < block->instruction_count; i++)
        seconds += search->seconds[block->first_instruction + i];
    return seconds;
}

/* A jump through a table whose samples stand at one of its targets goes there nearly always, and is guessed. */
static void find_steady_jumps(struct point_search *search)
{
    const struct model *model = search->model;
    for (size_t i = 0; i < model->edges.count;) {
        uint32_t source = model_edge(model, (uint32_t)i)->source;
        const struct block *block = model_block(model, source);
        double all = 0, most = 0;
        bool is_switch = block->ends == block_end_SWITCH || block->ends == block_end_INDIRECT;
        for (; i < model->edges.count && model_edge(model, (uint32_t)i)->source == source; i++) {
            double seconds = is_switch ? seconds_in(search, model_edge(model, (uint32_t)i)->target) : 0;
            all += seconds;
            most = fmax(most, seconds);
        }
        if (all > 0 && most >= STEADY * all)
            search->guesses[block->first_instruction + block->instruction_count - 1] = POINT_GUESS_RIGHT;
    }
}

static void give(struct point_search *search, uint32_t to, uint32_t from, double share)
{
    search->waiting[to] += (uint64_t)llround(share * (double)search->counts[from]);
    search->waited[to] += share * search->seconds[from];
    uint32_t *most = &search->sampled[to];
    if (!*most || search->counts[from] > search->counts[*most])
        *most = from;
}

/* ---- calls ---- */

/* The one call through a pointer that a function has; 0: none, or several, or it also calls the other one by
   name. */
static uint32_t only_call(const struct model *model, uint32_t caller, uint32_t callee)
{
    uint32_t found = 0;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), caller);
    for (; at < model->calls.count && model_call(model, (uint32_t)at)->caller == caller; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        if (call->callee == callee)
            return 0;
        if (call->kind != call_kind_INDIRECT || call->callee)
            continue;
        if (found)
            return 0;
        found = call->instruction;
    }
    return found;
}

/* Samples at the entry of a function wait for the call, where that goes through a pointer: callers share
   them as they share its time.  false: nobody calls it so. */
static bool blame_callers(struct point_search *search, uint32_t function, uint32_t entry)
{
    const struct model *model = search->model;
    double all = 0;
    bool is_called = false;
    for (uint32_t i = 1; i < model->run_calls.count; i++)
        all += model_run_call(model, i)->function == function ? model_run_call(model, i)->self_seconds : 0;
    for (uint32_t i = 1; all > 0 && i < model->run_calls.count; i++) {
        const struct run_call *row = model_run_call(model, i);
        uint32_t caller = row->function == function ? model_run_call(model, row->caller)->function : 0;
        uint32_t call = caller && !sample_is_library(model, caller) ? only_call(model, caller, function) : 0;
        if (!call || !(row->self_seconds > 0))
            continue;
        double share = row->self_seconds / all;
        give(search, call, entry, share);
        search->others[call] +=
            (uint64_t)(share * (double)(search->function_samples[function] - search->counts[entry]));
        search->called[call] += row->self_seconds;
        is_called = true;
    }
    return is_called;
}

/* ---- who waited for whom ---- */

static void blame_function(struct point_search *search, uint32_t function)
{
    const struct model *model = search->model;
    const struct function *row = model_function(model, function);
    struct point_blame blame;
    point_blame_begin(&blame, model, function, retired_of(machine_of(search, function)), search->guesses);
    for (uint32_t b = 0; b < row->block_count; b++) {
        const struct block *block = model_block(model, row->first_block + b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t at = block->first_instruction + i;
            if (!search->counts[at])
                continue;
            uint32_t slow = point_blame_of(&blame, at);
            bool is_light = !slow || (slow == at && point_kind_of(&blame, at) <= point_kind_STORE);
            if (is_light && point_is_entry(model, function, at) && blame_callers(search, function, at))
                continue;
            if (slow)
                give(search, slow, at, 1);
        }
    }
    point_blame_end(&blame);
}

/* ---- chains of addresses ---- */

/* A plain load that is a link of the longest chain from iteration to iteration. */
static bool is_link(const struct model *model, uint32_t loop, uint32_t instruction)
{
    const struct array *table = &model->bound_instructions;
    size_t at = array_first_not_below(table, 0, offsetof(struct bound_instruction, loop), loop);
    for (; at < table->count && model_bound_instruction(model, (uint32_t)at)->loop == loop; at++) {
        const struct bound_instruction *row = model_bound_instruction(model, (uint32_t)at);
        if (row->part == core_part_LATENCY && row->instruction == instruction)
            return true;
    }
    return false;
}

static bool writes(const struct model *model, uint32_t instruction, uint32_t full)
{
    struct subject_item item;
    subject_item_take(model, &item, instruction);
    for (unsigned i = 0; i < item.use_count; i++)
        if (item.uses[i].access != access_READ && model_full_register(model, item.uses[i].register_) == full)
            return true;
    return false;
}

/* The instruction of the loop's chain that makes the address; 0: none. */
static uint32_t address_link(const struct model *model, uint32_t loop, uint32_t instruction)
{
    struct subject_item item;
    subject_item_take(model, &item, instruction);
    const struct operand *memory = subject_item_memory(&item);
    const struct array *table = &model->bound_instructions;
    uint32_t base = memory ? model_full_register(model, memory->base_register) : 0,
             index = memory ? model_full_register(model, memory->index_register) : 0;
    size_t at = array_first_not_below(table, 0, offsetof(struct bound_instruction, loop), loop);
    for (; at < table->count && model_bound_instruction(model, (uint32_t)at)->loop == loop; at++) {
        const struct bound_instruction *row = model_bound_instruction(model, (uint32_t)at);
        if (row->part == core_part_LATENCY && ((base && writes(model, row->instruction, base)) ||
                                               (index && writes(model, row->instruction, index))))
            return row->instruction;
    }
    return 0;
}

static bool is_plain_load(const struct model *model, uint32_t instruction)
{
    return model_encoding(model, model_instruction(model, instruction)->encoding)->class == class_LOAD;
}

/* The load of the chain that a load waits for, or is: 0: none.  What one node holds comes with its address. */
static uint32_t chain_of(const struct model *model, uint32_t instruction)
{
    uint32_t loop = loop_of(model, instruction);
    if (!loop)
        return 0;
    if (is_plain_load(model, instruction) && is_link(model, loop, instruction))
        return address_link(model, loop, instruction) ? instruction : 0;
    uint32_t link = address_link(model, loop, instruction);
    return link && is_plain_load(model, link) && address_link(model, loop, link) ? link : 0;
}

/* All loads of one step of a chain wait for the same line. */
static void join_chains(struct point_search *search)
{
    const struct model *model = search->model;
    for (uint32_t id = 1; id < model->code.count; id++) {
        if (!search->waiting[id] ||
            !model_encoding(model, model_instruction(model, id)->encoding)->load_bytes)
            continue;
        uint32_t link = chain_of(model, id);
        if (!link || link == id)
            continue;
        search->waiting[link] += search->waiting[id];
        search->waited[link] += search->waited[id];
        uint32_t most = search->sampled[id], *old = &search->sampled[link];
        *old = !*old || search->counts[most] > search->counts[*old] ? most : *old;
        search->waiting[id] = 0;
    }
}

/* ---- evidence ---- */

static double far_cycles(const struct machine *machine)
{
    bool is_known = machine && machine->cache_count && machine->caches[0].latency > 0;
    return FAR * (is_known ? machine->caches[0].latency : USUAL_LATENCY);
}

static double part_of(const struct point_search *search, uint32_t instruction, double waited)
{
    const struct model *model = search->model;
    uint32_t loop = loop_of(model, instruction);
    double all = loop ? search->of_loop[loop] : search->of_function[function_of(model, instruction)];
    /* Samples may stand just behind the loop. */
    all = fmax(all + search->called[instruction], waited);
    return all > 0 ? waited / all : 0;
}

/* Samples behind a branch on what was loaded may wait for the branch instead, which is guessed wrong half the
   time at worst: less than that is none of the load's. */
static double load_cycles(const struct machine *machine, const struct model *model,
                          const struct run_point *point)
{
    uint32_t home = model_instruction(model, point->instruction)->block;
    bool is_behind = point->sampled && model_instruction(model, point->sampled)->block != home &&
                     model_block(model, home)->ends == block_end_BRANCH;
    double miss = machine && machine->core.mispredict > 0 ? machine->core.mispredict : USUAL_MISS;
    return is_behind ? fmax(far_cycles(machine), miss) : far_cycles(machine);
}

/* An instruction that is quick as a rule: counted, or shown by its neighbours, to have taken so many cycles;
   is_open: or with a part that says so by itself. */
static bool took(struct run_point *point, const struct point_wait *wait, double least, bool is_open)
{
    if (wait->cycles >= least)
        return true;
    if (!is_open || wait->is_counted)
        return false;
    point->cycles = NAN;
    point->is_least = 0;
    point->certainty = gap_certainty_POSSIBLE;
    return point->part >= LEAST_OPEN;
}

/* Registers of the system are read quickly on AArch64. */
static bool is_serial(const struct model *model, const struct run_point *point, const struct point_wait *wait)
{
    const struct encoding *row =
        model_encoding(model, model_instruction(model, point->instruction)->encoding);
    return row->class == class_FENCE || row->isa != isa_AARCH64 || wait->cycles >= OFTEN_WRONG;
}

/* Whether it is known to be slow; fills kind, certainty and cycles. */
static bool is_shown(const struct point_search *search, const struct machine *machine,
                     struct run_point *point)
{
    const struct model *model = search->model;
    uint32_t id = point->instruction;
    struct point_samples samples = {.instruction = id,
                                    .sampled = search->sampled[id],
                                    .count = search->waiting[id],
                                    .seconds = search->waited[id],
                                    .counts = search->counts,
                                    .others = search->others[id],
                                    .retired = retired_of(machine)};
    struct point_wait wait = point_wait_of(model, search->run, &samples);
    point->cycles = wait.cycles;
    point->is_least = wait.is_least && isfinite(wait.cycles);
    point->certainty = wait.is_counted ? gap_certainty_SHOWN : gap_certainty_LIKELY;
    switch (point->kind) {
    case point_kind_LOAD:
        point->kind = chain_of(model, id) == id ? point_kind_CHAIN : point_kind_LOAD;
        return took(point, &wait, load_cycles(machine, model, point), point->kind == point_kind_CHAIN);
    case point_kind_STORE:
        return took(point, &wait, far_cycles(machine), false);
    case point_kind_JUMP:
    case point_kind_CALL:
        return took(point, &wait, OFTEN_WRONG, true);
    case point_kind_BRANCH:
        point->certainty = gap_certainty_SHOWN;
        return true;
    case point_kind_SERIAL:
        return is_serial(model, point, &wait);
    case point_kind_GATHER:
        if (machine && machine->guards_gathers)
            point->kind = point_kind_GUARDED_GATHER;
        return true;
    default:
        return true;
    }
}

static double misses_of(const struct model *model, uint32_t instruction)
{
    double misses = 0, guessed = 0;
    for (uint32_t i = 0; i < model->probe_branches.count; i++) {
        const struct probe_branch *row = model_probe_branch(model, i);
        if (row->instruction != instruction)
            continue;
        misses += (double)row->misses;
        guessed += (double)row->guessed;
    }
    return guessed > 0 ? misses / guessed : NAN;
}

/* ---- costs ---- */

/* Cycles until the result; of divisions with the easiest operands. */
static double latency_of(const struct machine *machine, const char *form)
{
    const struct machine_form *row = machine && form ? machine_form(machine, form) : NULL;
    const struct machine_division *division = row ? machine_division(machine, form) : NULL;
    double easy = division ? division->of[division_EASY].latency : NAN;
    return easy > 0 ? easy : row && row->latency > 0 ? row->latency : NAN;
}

/* The form of a multiplication that works on the same operands: "mulsd xmm,xmm" for "divsd xmm,xmm". */
static char *multiplied(const char *form)
{
    static const char *const pairs[][2] = {{"vdiv", "vmul"}, {"fdiv", "fmul"}, {"div", "mul"},
                                           {"idiv", "imul"}, {"udiv", "mul"},  {"sdiv", "mul"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t length = strlen(pairs[i][0]);
        if (!strncmp(form, pairs[i][0], length))
            return memory_format("%s%s", pairs[i][1], form + length);
    }
    return NULL;
}

static void find_cost(const struct point_search *search, const struct machine *machine,
                      struct run_point *point)
{
    const struct model *model = search->model;
    const char *form = model_text(
        model, model_encoding(model, model_instruction(model, point->instruction)->encoding)->form);
    bool divides = point->kind == point_kind_DIVISION || point->kind == point_kind_FLOAT_DIVISION;
    point->cost = point->saving = NAN;
    if (!divides && point->kind != point_kind_ROOT)
        return;
    point->cost = latency_of(machine, form);
    autofree char *other = divides && form ? multiplied(form) : NULL;
    double instead = latency_of(machine, other);
    if (instead < point->cost)
        point->saving = point->share * (1 - instead / point->cost);
}

/* ---- rows ---- */

/* Instructions that samples wait for.  An unrolled loop has several copies of one, which count together. */
struct candidate {
    uint32_t instruction, function, loop, source, line;
    unsigned kind;
    double waited; /* seconds */
};

static struct candidate candidate_of(const struct point_search *search, uint32_t id)
{
    const struct model *model = search->model;
    struct point_blame blame = {.model = model, .guesses = search->guesses};
    struct candidate found = {.instruction = id,
                              .function = function_of(model, id),
                              .loop = loop_of(model, id),
                              .kind = search->called[id] > 0 ? point_kind_CALL : point_kind_of(&blame, id),
                              .waited = search->waited[id]};
    uint32_t row = model_instruction(model, id)->source_line;
    const struct source_line *line = row ? model_source_line(model, row) : NULL;
    if (line) {
        found.source = line->file;
        found.line = line->line;
        library_line_around(model, line->inlined_call, &found.source, &found.line);
    }
    return found;
}

static int by_place(const struct candidate *a, const struct candidate *b)
{
    const uint32_t one[] = {a->function, a->loop, a->source, a->line, a->kind, a->line ? 0 : a->instruction};
    const uint32_t two[] = {b->function, b->loop, b->source, b->line, b->kind, b->line ? 0 : b->instruction};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        if (one[i] != two[i])
            return one[i] < two[i] ? -1 : 1;
    return 0;
}

/* Of one place the most time first. */
static int by_place_and_time(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int places = by_place(a, b);
    if (places)
        return places;
    if (a->waited != b->waited)
        return a->waited > b->waited ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

/* The first of so many copies stands for all. */
static void add_point(struct point_search *search, const struct candidate *copies, size_t count,
                      struct array *points)
{
    struct model *model = search->model;
    double all = model_sampled_run(model, search->run)->sampled_seconds;
    uint32_t id = copies->instruction;
    const struct machine *machine = machine_of(search, copies->function);
    struct run_point point = {.run = search->run,
                              .kind = (uint8_t)copies->kind,
                              .instruction = id,
                              .address = model_address(model, id),
                              .sampled = search->sampled[id],
                              .function = copies->function,
                              .loop = copies->loop,
                              .source = copies->source,
                              .line = copies->line,
                              .misses = copies->kind == point_kind_BRANCH ? misses_of(model, id) : NAN};
    for (size_t i = 0; i < count; i++) {
        point.samples += search->waiting[copies[i].instruction];
        point.seconds += search->waited[copies[i].instruction];
    }
    point.share = point.seconds / all;
    point.part = part_of(search, id, point.seconds);
    if (point.samples < LEAST_SAMPLES || point.share < LEAST_SHARE || point.part < LEAST_PART ||
        !is_shown(search, machine, &point))
        return;
    find_cost(search, machine, &point);
    point_name_data(search->namer, id, &point.data, &point.type);
    *(struct run_point *)array_push(points) = point;
}

static void find_points(struct point_search *search, struct array *points)
{
    struct array candidates = ARRAY_OF(struct candidate);
    for (uint32_t id = 1; id < search->model->code.count; id++) {
        struct candidate one =
            search->waiting[id] ? candidate_of(search, id) : (struct candidate){.kind = POINT_NONE};
        if (one.kind != POINT_NONE)
            *(struct candidate *)array_push(&candidates) = one;
    }
    if (candidates.count)
        qsort(candidates.data, candidates.count, candidates.width, by_place_and_time);
    for (size_t i = 0, end; i < candidates.count; i = end) {
        const struct candidate *first = ARRAY_AT(struct candidate, &candidates, i);
        for (end = i + 1; end < candidates.count; end++)
            if (by_place(first, ARRAY_AT(struct candidate, &candidates, end)))
                break;
        add_point(search, first, end - i, points);
    }
    array_free(&candidates);
}

/* The line of an instruction that the function's own code mostly waits for is its hot line, not that of what
   comes next. */
static void set_hot_line(struct model *model, const struct run_point *point)
{
    for (uint32_t id = 1; id < model->run_functions.count; id++) {
        struct run_function *row = model_run_function(model, id);
        if (row->run != point->run || row->function != point->function || point->loop || !point->line ||
            point->part < MOST_OF_IT)
            continue;
        row->hot_source = point->source;
        row->hot_line = point->line;
    }
}

static int by_seconds(const void *left, const void *right)
{
    const struct run_point *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

static void add_points(struct point_search *search)
{
    struct model *model = search->model;
    struct array points = ARRAY_OF(struct run_point);
    find_points(search, &points);
    if (points.count)
        qsort(points.data, points.count, points.width, by_seconds);
    for (size_t i = 0; i < points.count; i++) {
        struct run_point *point = ARRAY_AT(struct run_point, &points, i);
        point->position = (uint32_t)i + 1;
        *(struct run_point *)model_add(&model->run_points) = *point;
        set_hot_line(model, point);
    }
    array_free(&points);
}

static void *numbers(size_t count, size_t size)
{
    return memory_get((count + 1) * size);
}

void points_find(struct model *model, struct machine *const *machines)
{
    model->run_points.count = 0;
    if (model->runs.count < 2 || !(model_sampled_run(model, 1)->sampled_seconds > 0))
        return;
    size_t code = model->code.count;
    struct point_namer namer;
    struct point_search search = {.model = model,
                                  .machines = machines,
                                  .run = 1,
                                  .namer = &namer,
                                  .counts = numbers(code, sizeof(uint64_t)),
                                  .waiting = numbers(code, sizeof(uint64_t)),
                                  .others = numbers(code, sizeof(uint64_t)),
                                  .seconds = numbers(code, sizeof(double)),
                                  .waited = numbers(code, sizeof(double)),
                                  .called = numbers(code, sizeof(double)),
                                  .sampled = numbers(code, sizeof(uint32_t)),
                                  .guesses = numbers(code, 1),
                                  .of_function = numbers(model->functions.count, sizeof(double)),
                                  .function_samples = numbers(model->functions.count, sizeof(uint64_t)),
                                  .of_loop = numbers(model->loops.count, sizeof(double))};
    point_namer_begin(&namer, model);
    add_samples(&search);
    find_missed(&search);
    find_steady_jumps(&search);
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (search.function_samples[id] && !sample_is_library(model, id) && !sample_waits(model, id))
            blame_function(&search, id);
    join_chains(&search);
    add_points(&search);
    point_namer_end(&namer);
    void *const memory[] = {search.counts,  search.waiting,     search.others,          search.seconds,
                            search.waited,  search.called,      search.sampled,         search.guesses,
                            search.of_loop, search.of_function, search.function_samples};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    model_expect(model, "points");
}
