/* Paths are independent of each other, so workers take them one by one and keep their results. Afterwards the
   rows go into the model in the order of the paths, so they do not depend on the number of workers. */
#include "code/quality/quality.h"

#include "base/progress.h"
#include "base/workers.h"
#include "code/cost/macs/macs.h"
#include "code/flow/flow.h"
#include "model/expect.h"
#include "code/quality/actions.h"
#include "code/quality/certainty.h"
#include "code/quality/families.h"
#include "code/quality/metrics/metrics.h"
#include "code/quality/path_shares.h"
#include "code/quality/rules/rule.h"
#include "code/quality/stubs.h"
#include "code/quality/templates.h"
#include "code/quality/weight.h"

#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_PATHS = 16 };

enum result_table {
    result_ACCESS,
    result_BOUND,
    result_PORT,
    result_ADVICE,
    result_EVIDENCE,
    result_REMEDY,
    result_TABLES
};

/* Advice that is not in the model yet: texts become strings there. */
struct found_advice {
    const struct rule *rule;
    enum advice_level level;
    double cycles, native, now;
    bool is_upper;
    char *text;
    unsigned evidence_count, remedy_count; /* of the rows after those of the previous advice */
};

static const size_t widths[result_TABLES] = {sizeof(struct access_pattern_row),
                                             sizeof(struct bound_instruction),
                                             sizeof(struct port_use),
                                             sizeof(struct found_advice),
                                             sizeof(uint32_t),
                                             sizeof(const struct remedy *)};

/* Where the rows of a path are: in the arrays of the worker that did it. */
struct outcome {
    unsigned worker;
    bool is_done;
    struct loop_metric metric;
    struct template_match match;
    bool is_template;
    size_t first[result_TABLES], count[result_TABLES];
};

struct worker {
    struct subject_work subjects;
    struct array rows[result_TABLES];
    struct remark remark;
    struct compiler compiler; /* of the last path's function, cached for the next path */
    uint32_t function;
};

struct building {
    struct model *model;
    const struct loop_machines *machines;
    struct array paths; /* of struct loop_path */
    struct outcome *outcomes;
    struct worker *workers;
    uint32_t processors[isa_COUNT];
    struct metric_facts facts;
    const uint32_t *stubs;
    atomic_size_t done;
};

/* Rows are in the order of their keys; a path may go from a block to one with smaller ids. */
static int compare_accesses(const void *left, const void *right)
{
    const struct access_pattern_row *a = left, *b = right;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    return (int)a->position - (int)b->position;
}

static int compare_marked(const void *left, const void *right)
{
    const struct bound_instruction *a = left, *b = right;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

static int compare_evidence(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void sort_rows(struct array *rows, size_t first, int (*compare)(const void *, const void *))
{
    if (rows->count > first + 1)
        qsort(array_at(rows, first), rows->count - first, rows->width, compare);
}

static void keep_accesses(const struct subject *subject, struct array *rows)
{
    size_t first = rows->count;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        *(struct access_pattern_row *)array_push(rows) =
            (struct access_pattern_row){.loop = subject->loop,
                                        .path = subject->path->path,
                                        .instruction = subject->items[access->item].instruction,
                                        .position = access->position,
                                        .pattern = (uint8_t)access->pattern,
                                        .stride = access->stride,
                                        .bytes = access->bytes,
                                        .is_load = access->loads,
                                        .is_store = access->stores,
                                        .is_stack = access->is_stack};
    }
    sort_rows(rows, first, compare_accesses);
}

static void keep_marked(const struct subject *subject, enum core_part part, struct array *rows)
{
    size_t first = rows->count;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject_is_marked(subject, part, i))
            *(struct bound_instruction *)array_push(rows) =
                (struct bound_instruction){.loop = subject->loop,
                                           .path = subject->path->path,
                                           .part = (uint8_t)part,
                                           .instruction = subject->items[i].instruction};
    sort_rows(rows, first, compare_marked);
}

/* In the order of parts: that is how rows are sorted. */
static void keep_bounds(const struct subject *subject, struct array *rows)
{
    enum core_part limit = subject->path->limit;
    if (limit != core_part_NONE && limit < core_part_LATENCY)
        keep_marked(subject, limit, rows);
    keep_marked(subject, core_part_LATENCY, rows);
    if (limit > core_part_LATENCY)
        keep_marked(subject, limit, rows);
}

static void keep_ports(const struct subject *subject, struct array *rows)
{
    unsigned ports = subject->machine->port_count;
    if (subject->path->limit == core_part_NONE || subject->work->is_bundled)
        return;
    double *pressure = arena_get(subject->arena, subject->item_count * (ports + 1) * sizeof *pressure);
    cost_port_pressure(&subject->work->block, &subject->work->scratch, pressure);
    for (unsigned port = 0; port < ports; port++) {
        struct port_use *row = array_push(rows);
        *row = (struct port_use){.loop = subject->loop, .path = subject->path->path, .position = port + 1};
        for (unsigned i = 0; i < subject->item_count; i++)
            row->uops += pressure[i * ports + port];
    }
}

/* An unknown compiler is taken for GCC or Clang: code of Intel's mostly has its name. */
static bool is_for(enum audience audience, const struct compiler *compiler)
{
    switch (audience) {
    case audience_GCC:
        return compiler->family == compiler_GCC || compiler->family == compiler_UNKNOWN;
    case audience_CLANG:
        return compiler->family == compiler_CLANG || compiler->family == compiler_UNKNOWN;
    case audience_INTEL:
        return compiler->family == compiler_INTEL;
    case audience_C:
        return compiler->language != language_FORTRAN;
    case audience_FORTRAN:
        return !compiler->is_not_fortran;
    default:
        return true;
    }
}

static unsigned keep_remedy(const struct remedy *remedy, const struct subject *subject, struct array *rows)
{
    const struct compiler *compiler = subject->compiler;
    if (!is_for(remedy->audience, compiler) || (remedy->option && compiler_has(compiler, remedy->option)) ||
        (remedy->holds && !remedy->holds(subject)))
        return 0;
    *(const struct remedy **)array_push(rows) = remedy;
    return 1;
}

static unsigned keep_remedies(const struct rule *rule, const struct remark *remark,
                              const struct subject *subject, struct array *rows)
{
    unsigned count = 0;
    for (unsigned i = 0; i < remark->more_count; i++)
        count += keep_remedy(remark->more[i], subject, rows);
    for (unsigned i = 0; i < MOST_REMEDIES && rule->remedies[i].text; i++)
        count += keep_remedy(&rule->remedies[i], subject, rows);
    for (unsigned i = 0; i < remark->then_count; i++)
        count += keep_remedy(remark->then[i], subject, rows);
    return count;
}

/* Whether gfortran made the function: it destroys or copies components of a derived type, and nobody wrote its
   loops. */
static bool is_of_nobody(const struct subject *subject)
{
    static const char *const made[] = {"__final_", "__copy_", "___def_init"};
    const struct function *function =
        model_function(subject->model, model_loop(subject->model, subject->loop)->function);
    const char *name = function->name ? model_text(subject->model, function->name) : "";
    if (subject->compiler->language != language_FORTRAN)
        return false;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strstr(name, made[i]))
            return true;
    return false;
}

/* A path that leaves the loop is its last iteration, and counts only where no other was analysed: what is
   found there need not hold for the iterations before. */
static void ask_rules(const struct subject *subject, struct worker *worker)
{
    struct remark *remark = &worker->remark;
    bool is_hint = subject->path->is_exit || is_of_nobody(subject);
    for (unsigned i = 0; i < quality_rule_count; i++) {
        const struct rule *rule = quality_rules[i];
        remark->level = rule->level;
        remark->cycles = remark->native = remark->now = NAN;
        remark->is_upper = false;
        remark->text[0] = 0;
        remark->evidence.width = sizeof(uint32_t);
        remark->evidence.count = remark->more_count = remark->then_count = 0;
        if (!rule->find(subject, remark))
            continue;
        if (is_hint && remark->level < advice_level_HINT)
            remark->level = advice_level_HINT;
        struct found_advice *found = array_add(&worker->rows[result_ADVICE]);
        found->rule = rule;
        found->level = remark->level;
        found->cycles = remark->cycles;
        found->native = remark->native;
        found->now = remark->now;
        found->is_upper = remark->is_upper;
        found->text = memory_copy_text(remark->text, strlen(remark->text));
        found->evidence_count = (unsigned)remark->evidence.count;
        size_t first = worker->rows[result_EVIDENCE].count;
        for (size_t k = 0; k < remark->evidence.count; k++)
            *(uint32_t *)array_push(&worker->rows[result_EVIDENCE]) =
                subject->items[*ARRAY_AT(uint32_t, &remark->evidence, k)].instruction;
        sort_rows(&worker->rows[result_EVIDENCE], first, compare_evidence);
        found->remedy_count = keep_remedies(rule, remark, subject, &worker->rows[result_REMEDY]);
    }
}

static void measure(struct subject *subject, struct loop_metric *metric)
{
    metric_counts(subject, metric);
    metric_vectors(subject, metric);
    metric_registers(subject, metric);
    metric_stack(subject, metric);
    metric_penalties(subject, metric);
    metric_rates(subject, metric);
    metric_what_if(subject, metric);
}

static void do_path(void *context, size_t item, unsigned number)
{
    struct building *building = context;
    struct worker *worker = &building->workers[number];
    struct loop_path *path = ARRAY_AT(struct loop_path, &building->paths, item);
    struct outcome *outcome = &building->outcomes[item];
    const struct machine *machine = loop_machine(building->machines, building->model, path->loop);
    struct subject subject;
    uint32_t function = model_loop(building->model, path->loop)->function;
    outcome->worker = number;
    for (unsigned t = 0; t < result_TABLES; t++)
        outcome->first[t] = worker->rows[t].count;
    if (machine && subject_take(&subject, &worker->subjects, building->model, machine, path)) {
        if (worker->function != function)
            compiler_find(&worker->compiler, building->model, worker->function = function);
        subject.compiler = &worker->compiler;
        subject.role = families_role(building->model, path->loop);
        subject.family = subject.role ? model_loop_family(building->model, subject.role->family) : NULL;
        subject.metric = &outcome->metric;
        subject.facts = &building->facts;
        subject.stubs = building->stubs;
        metric_begin(&outcome->metric, &subject, building->processors[machine->isa]);
        measure(&subject, &outcome->metric);
        outcome->is_template = template_find(&subject, &outcome->match);
        subject.match = outcome->is_template ? &outcome->match : NULL;
        outcome->metric.template_count = outcome->is_template;
        keep_accesses(&subject, &worker->rows[result_ACCESS]);
        keep_bounds(&subject, &worker->rows[result_BOUND]);
        keep_ports(&subject, &worker->rows[result_PORT]);
        ask_rules(&subject, worker);
        outcome->is_done = true;
    }
    for (unsigned t = 0; t < result_TABLES; t++)
        outcome->count[t] = worker->rows[t].count - outcome->first[t];
    size_t done = atomic_fetch_add(&building->done, 1);
    if (!number)
        progress_tell("analysing loops", done, building->paths.count);
}

static void put_rows(struct array *table, const struct array *rows, size_t first, size_t count)
{
    size_t at = table->count;
    if (!count)
        return;
    model_extend(table, at + count);
    memcpy((char *)table->data + at * table->width, (char *)rows->data + first * rows->width,
           count * rows->width);
}

/* Names of ports become strings only here. */
static void put_ports(struct building *building, const struct outcome *outcome, const struct loop_path *path)
{
    struct model *model = building->model;
    const struct machine *machine = loop_machine(building->machines, model, path->loop);
    size_t first = model->port_uses.count;
    put_rows(&model->port_uses, &building->workers[outcome->worker].rows[result_PORT],
             outcome->first[result_PORT], outcome->count[result_PORT]);
    for (size_t i = first; i < model->port_uses.count; i++) {
        struct port_use *row = model_port_use(model, (uint32_t)i);
        row->port = model_string(model, machine->ports[row->position - 1]);
    }
}

static uint32_t rule_id(const struct rule *rule)
{
    unsigned i = 0;
    while (quality_rules[i] != rule)
        i++;
    return i + 1;
}

/* The first remedy that is left is not an alternative: "Or put …" becomes "Put …". */
static string_id first_text(struct model *model, string_id id)
{
    const char *text = model_text(model, id);
    if (strncmp(text, "Or ", 3) != 0)
        return id;
    char *copy = memory_copy_text(text + 3, strlen(text + 3));
    *copy = (char)toupper((unsigned char)*copy);
    id = model_string(model, copy);
    free(copy);
    return id;
}

/* If the remedy is to name the processor to the compiler, it includes the options for this processor. */
static string_id remedy_text(struct model *model, const struct remedy *remedy, const struct machine *machine)
{
    bool is_target =
        remedy->option && !strcmp(remedy->option, "-march") && remedy->audience != audience_INTEL;
    char *options = is_target && machine ? machine_compiler_options(machine) : NULL;
    if (!options)
        return model_string(model, remedy->text);
    char *name = machine_words(machine), *text = memory_format("%s For %s: %s.", remedy->text, name, options);
    string_id id = model_string(model, text);
    free(text);
    free(name);
    free(options);
    return id;
}

/* What GCC and Clang need for the same action, where the compiler is unknown: one remedy for both. */
static bool is_for_both(const struct remedy *one, const struct remedy *other)
{
    return one->audience == audience_GCC && other->audience == audience_CLANG && one->action == other->action;
}

static string_id text_of_both(struct model *model, const struct remedy *gcc, const struct remedy *clang,
                              const struct machine *machine)
{
    string_id one = remedy_text(model, gcc, machine), other = remedy_text(model, clang, machine);
    if (one == other)
        return one;
    char *both = memory_format("GCC: %s Clang: %s", model_text(model, one), model_text(model, other));
    string_id made = model_string(model, both);
    free(both);
    return made;
}

static void write_remedies(struct model *model, uint32_t advice, const struct remedy *const *remedies,
                           unsigned count, const struct machine *machine)
{
    unsigned position = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct remedy *from = remedies[i];
        bool is_both = i + 1 < count && is_for_both(from, remedies[i + 1]);
        string_id text =
            is_both ? text_of_both(model, from, remedies[i + 1], machine) : remedy_text(model, from, machine);
        if (!position)
            text = first_text(model, text);
        struct remedy_row *row = model_add(&model->remedies);
        *row = (struct remedy_row){.advice = advice,
                                   .position = ++position,
                                   .audience = (uint8_t)(is_both ? audience_ANY : from->audience),
                                   .action = (uint8_t)from->action,
                                   .option = model_string(model, from->option),
                                   .text = text};
        i += is_both;
    }
}

/* The advice of a path, with its evidence and remedies. */
static void put_advice(struct building *building, const struct outcome *outcome, const struct loop_path *path)
{
    struct model *model = building->model;
    const struct worker *worker = &building->workers[outcome->worker];
    const struct machine *machine = loop_machine(building->machines, model, path->loop);
    size_t evidence = outcome->first[result_EVIDENCE], remedy = outcome->first[result_REMEDY];
    for (size_t i = 0; i < outcome->count[result_ADVICE]; i++) {
        const struct found_advice *found =
            ARRAY_AT(struct found_advice, &worker->rows[result_ADVICE], outcome->first[result_ADVICE] + i);
        struct advice *advice = model_add(&model->advice);
        uint32_t id = model_last(&model->advice);
        double now = isnan(found->now) ? path->cycles : found->now;
        *advice = (struct advice){.loop = path->loop,
                                  .path = path->path,
                                  .rule = rule_id(found->rule),
                                  .level = (uint8_t)found->level,
                                  .cycles = found->cycles,
                                  .gain = now / found->cycles,
                                  .native_gain = now / found->native,
                                  .is_upper = found->is_upper,
                                  .is_shared = found->rule->is_shared,
                                  .text = model_string(model, found->text)};
        for (unsigned k = 0; k < found->evidence_count; k++) {
            struct advice_evidence_row *row = model_add(&model->advice_evidence);
            *row = (struct advice_evidence_row){
                .advice = id, .instruction = *ARRAY_AT(uint32_t, &worker->rows[result_EVIDENCE], evidence++)};
        }
        write_remedies(model, id, ARRAY_AT(const struct remedy *, &worker->rows[result_REMEDY], remedy),
                       found->remedy_count, machine);
        remedy += found->remedy_count;
        free(found->text);
    }
}

static void put_down(struct building *building)
{
    struct model *model = building->model;
    for (unsigned i = 0; i < quality_rule_count; i++) {
        struct rule_row *row = model_add(&model->rules);
        *row = (struct rule_row){.name = model_string(model, quality_rules[i]->name),
                                 .title = model_string(model, quality_rules[i]->title),
                                 .meaning = model_string(model, quality_rules[i]->meaning)};
    }
    for (size_t i = 0; i < building->paths.count; i++) {
        const struct outcome *outcome = &building->outcomes[i];
        const struct worker *worker = &building->workers[outcome->worker];
        if (!outcome->is_done)
            continue;
        *(struct loop_metric *)model_add(&model->loop_metrics) = outcome->metric;
        if (outcome->is_template)
            *(struct loop_template_row *)model_add(&model->loop_templates) =
                (struct loop_template_row){.loop = ARRAY_AT(struct loop_path, &building->paths, i)->loop,
                                           .template = (uint8_t)outcome->match.kind,
                                           .element = (uint8_t)outcome->match.element,
                                           .is_in_memory = outcome->match.is_in_memory};
        put_rows(&model->access_patterns, &worker->rows[result_ACCESS], outcome->first[result_ACCESS],
                 outcome->count[result_ACCESS]);
        put_rows(&model->bound_instructions, &worker->rows[result_BOUND], outcome->first[result_BOUND],
                 outcome->count[result_BOUND]);
        put_ports(building, outcome, ARRAY_AT(struct loop_path, &building->paths, i));
        put_advice(building, outcome, ARRAY_AT(struct loop_path, &building->paths, i));
    }
}

/* Removes earlier rows; ids start at 1 again. */
static void clear(struct model *model)
{
    model->loop_metrics.count = model->loop_templates.count = model->access_patterns.count = 0;
    model->bound_instructions.count = model->port_uses.count = 0;
    model->advice_evidence.count = model->remedies.count = 0;
    model->rules.count = model->rules.count ? 1 : 0;
    model->advice.count = model->advice.count ? 1 : 0;
    model->run_savings.count = 0; /* of that advice */
}

/* Data flow for the functions of these loops, if the model has none. */
static void follow(struct model *model, const struct array *loops, unsigned threads)
{
    bool is_there = true;
    for (uint32_t id = 1; id < model->programs.count; id++)
        is_there = is_there && model_program(model, id)->has_flow;
    if (is_there)
        return;
    uint8_t *wanted = memory_get(model->functions.count);
    for (size_t i = 0; i < loops->count; i++)
        wanted[model_loop(model, *ARRAY_AT(uint32_t, loops, i))->function] = 1;
    flow_build(model, &(struct flow_options){.threads = threads, .wanted = wanted});
    free(wanted);
}

static void run_paths(struct building *building, unsigned threads)
{
    unsigned workers = building->paths.count < FEW_PATHS ? 1 : workers_count(threads);
    building->workers = memory_get(workers * sizeof *building->workers);
    building->outcomes = memory_get(building->paths.count * sizeof *building->outcomes);
    for (unsigned i = 0; i < workers; i++)
        for (unsigned t = 0; t < result_TABLES; t++)
            building->workers[i].rows[t].width = widths[t];
    workers_run(workers, building->paths.count, do_path, building);
    put_down(building);
    for (unsigned i = 0; i < workers; i++) {
        subject_work_end(&building->workers[i].subjects);
        array_free(&building->workers[i].remark.evidence);
        for (unsigned t = 0; t < result_TABLES; t++)
            array_free(&building->workers[i].rows[t]);
    }
    free(building->workers);
    free(building->outcomes);
}

struct quality_program {
    struct code_facts code;
    uint32_t *stubs;
};

struct quality_program *quality_program_find(const struct model *model)
{
    struct quality_program *program = memory_get(sizeof *program);
    code_facts_find(&program->code, model);
    program->stubs = stubs_find(model);
    return program;
}

void quality_program_free(struct quality_program *program)
{
    if (program)
        free(program->stubs);
    free(program);
}

const uint32_t *quality_program_stubs(const struct quality_program *program)
{
    return program->stubs;
}

void quality_build(struct model *model, const struct quality_options *options, const struct array *loops)
{
    struct building building = {
        .model = model, .machines = &options->machines, .paths = ARRAY_OF(struct loop_path)};
    clear(model);
    follow(model, loops, options->threads);
    families_find(model, loops);
    for (size_t i = 0; i < loops->count; i++) {
        uint32_t loop = *ARRAY_AT(uint32_t, loops, i);
        const struct machine *machine = loop_machine(&options->machines, model, loop);
        if (machine && !building.processors[machine->isa])
            building.processors[machine->isa] = cost_processor_row(model, machine);
        size_t before = building.paths.count;
        loop_paths_list(model, loop, &building.paths);
        if (options->path_limit && building.paths.count > before + options->path_limit)
            building.paths.count = before + options->path_limit;
    }
    struct quality_program *found = options->program ? NULL : quality_program_find(model);
    const struct quality_program *program = options->program ? options->program : found;
    metric_facts_find(&building.facts, model, &options->machines, &program->code);
    building.stubs = program->stubs;
    run_paths(&building, options->threads);
    metric_facts_free(&building.facts);
    cost_loops_add(model, &options->machines, &building.paths);
    certainty_settle(model);
    path_shares_find(model);
    if (found) {
        weight_build(model, building.stubs);
        actions_build(model);
    }
    quality_program_free(found);
    array_free(&building.paths);
    if (!options->program) /* else there may be millions of rows that were not read */
        model_expect(model, "quality");
}
