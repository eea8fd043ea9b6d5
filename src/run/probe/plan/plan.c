/* Functions and call sites become subjects with points.

   A function is entered at one point, its first instruction, and left at every return and tail call.  Where a
   jump inside the function leads back to that first instruction (a loop at the very start), the jump is
   moved, too, and goes past the probe: it is not a call.

   A call site is two points: before the call, and before the instruction after it.  Other ways may lead to
   that instruction as well; an end without a beginning then means nothing (PROBE_IS_QUIET).  A call is never
   moved so that it returns into a trampoline: whoever looks at return addresses (unwinders, exceptions) would
   not find code of the program there. */
#include "run/probe/plan/plan.h"

#include "runtime/probe/record_file.h"
#include "run/probe/site/entry.h"
#include "run/probe/site/function_parts.h"
#include "run/probe/plan/parts.h"

#include <stddef.h>
#include <stdlib.h>

void probe_plan_init(struct probe_plan *plan, struct model *model)
{
    *plan = (struct probe_plan){.model = model,
                                .subjects = ARRAY_OF(struct probe_subject),
                                .points = ARRAY_OF(struct probe_point),
                                .tallies = ARRAY_OF(struct probe_plan_tally),
                                .limits = ARRAY_OF(struct probe_plan_limit),
                                .modules = ARRAY_OF(struct probe_made_module),
                                .refused = ARRAY_OF(struct probe_refused),
                                .reserved = ARRAY_OF(struct probe_reserved)};
}

struct probe_freedom *probe_plan_freedom(struct probe_plan *plan)
{
    if (!plan->freedom) {
        plan->freedom = memory_get(sizeof *plan->freedom);
        probe_free_begin(plan->freedom, plan->model);
    }
    return plan->freedom;
}

uint32_t probe_add_subject(struct probe_plan *plan, const struct probe_subject *subject)
{
    *(struct probe_subject *)array_push(&plan->subjects) = *subject;
    return (uint32_t)plan->subjects.count - 1;
}

struct probe_point *probe_add_point(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                                    enum probe_where where)
{
    struct probe_point *point = array_add(&plan->points);
    point->subject = subject;
    point->instruction = instruction;
    point->where = (uint8_t)where;
    point->order = (uint32_t)plan->points.count;
    return point;
}

struct probe_action probe_make_event(uint32_t subject, enum probe_event_kind kind, struct probe_source source)
{
    return (struct probe_action){
        .kind = PROBE_DO_EVENT, .identity = (subject + 1) << 4 | (uint32_t)kind, .source = source};
}

static struct probe_point *add_clock(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                                     enum probe_where where, enum probe_event_kind kind)
{
    struct probe_point *point = probe_add_point(plan, subject, instruction, where);
    point->action = probe_make_event(subject, kind, (struct probe_source){.kind = PROBE_FROM_CLOCK});
    point->free = probe_free_at(probe_plan_freedom(plan), instruction, where);
    return point;
}

/* Where a call begins or ends, nothing lives below the stack pointer: a caller's red zone ends at its call.
 */
static struct probe_point *add_clock_between(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                                             enum probe_event_kind kind)
{
    struct probe_point *point = add_clock(plan, subject, instruction, PROBE_BEFORE, kind);
    point->free.has_red_zone = true;
    return point;
}

bool probe_pass_by(struct probe_plan *plan, uint32_t subject, uint32_t function, uint32_t block,
                   bool (*is_inside)(const void *context, uint32_t block), const void *context)
{
    struct model_rows rows = probe_edges_of(plan->model, function);
    bool is_done = true;
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(plan->model, i);
        if (edge->target != block || !is_inside(context, edge->source))
            continue;
        if (edge->kind != edge_kind_TAKEN)
            is_done = false;
        else
            probe_add_point(plan, subject, probe_last_instruction(model_block(plan->model, edge->source)),
                            PROBE_TAKEN)
                ->is_past_entry = true;
    }
    return is_done;
}

struct entry_way {
    uint32_t first_block, entry_block;
};

/* Everything but the way from the function's start over its landing pad. */
static bool is_not_from_start(const void *context, uint32_t block)
{
    const struct entry_way *way = context;
    return block != way->first_block || way->first_block == way->entry_block;
}

static void refuse(struct probe_plan *plan, uint32_t subject, uint32_t instruction, enum probe_refusal why)
{
    struct probe_refused *row = array_add(&plan->refused);
    *row = (struct probe_refused){.instruction = instruction, .subject = subject, .refusal = (uint8_t)why};
    ARRAY_AT(struct probe_subject, &plan->subjects, subject)->refusal = (uint8_t)why;
}

void probe_refuse_subject(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                          enum probe_refusal why, size_t first_point)
{
    plan->points.count = first_point;
    refuse(plan, subject, instruction, why);
}

static uint32_t block_at_function(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    uint32_t id = row->first_block;
    while (model_block(model, id)->address != row->address)
        id++;
    return id;
}

/* A jump to the function itself or to one of its parts stays inside. */
static bool stays(const struct model *model, const struct function_parts *parts, const struct edge *edge,
                  uint32_t owner)
{
    uint32_t target = model_block(model, edge->target)->function;
    return target == owner || parts->owner[target] == owner;
}

static void add_exits_of_block(struct probe_plan *plan, uint32_t subject, uint32_t owner, uint32_t id,
                               const struct function_parts *parts)
{
    const struct model *model = plan->model;
    const struct block *block = model_block(model, id);
    uint32_t last = probe_last_instruction(block);
    struct model_rows rows = probe_edges_from(model, id);
    bool is_left = block->ends == block_end_RETURN || block->ends == block_end_TAIL_CALL;
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(model, i);
        if (edge->kind != edge_kind_TAIL_CALL)
            continue;
        bool is_inside = stays(model, parts, edge, owner);
        if (block->ends == block_end_BRANCH && !is_inside)
            add_clock(plan, subject, last, PROBE_TAKEN, PROBE_LEAVE);
        is_left = is_left && !is_inside;
    }
    if (is_left && block->ends == block_end_RETURN)
        add_clock_between(plan, subject, last, PROBE_LEAVE);
    else if (is_left)
        add_clock(plan, subject, last, PROBE_BEFORE, PROBE_LEAVE);
}

static void add_exits(struct probe_plan *plan, uint32_t subject, uint32_t function,
                      const struct function_parts *parts)
{
    const struct model *model = plan->model;
    const struct function *row = model_function(model, function);
    struct array others = ARRAY_OF(uint32_t);
    for (uint32_t id = row->first_block; id < row->first_block + row->block_count; id++)
        if (model_block(model, id)->instruction_count && probe_is_code(model, id))
            add_exits_of_block(plan, subject, function, id, parts);
    function_parts_blocks(parts, model, function, &others);
    for (size_t i = 0; i < others.count; i++)
        add_exits_of_block(plan, subject, function, *ARRAY_AT(uint32_t, &others, i), parts);
    array_free(&others);
}

bool probe_pass_by_entry(struct probe_plan *plan, uint32_t subject, uint32_t function, uint32_t entry)
{
    const struct model *model = plan->model;
    struct entry_way way = {block_at_function(model, function), model_instruction(model, entry)->block};
    bool is_start = model_block(model, way.entry_block)->first_instruction == entry;
    return !is_start || probe_pass_by(plan, subject, function, way.entry_block, is_not_from_start, &way);
}

bool probe_is_code(const struct model *model, uint32_t block)
{
    const struct block *row = model_block(model, block);
    return row->function && (row->is_reachable || !model_function(model, row->function)->is_guessed);
}

bool probe_has_code(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    return row->block_count && row->address != NO_ADDRESS && row->origin != origin_PLT &&
           row->origin != origin_IMPORT;
}

void probe_plan_functions(struct probe_plan *plan, const uint32_t *functions, size_t count)
{
    const struct model *model = plan->model;
    struct function_parts parts;
    function_parts_find(&parts, model);
    for (size_t i = 0; i < count; i++) {
        uint32_t function = functions[i];
        uint32_t entry = probe_has_code(model, function) ? probe_entry_instruction(model, function) : 0;
        if (!entry || parts.owner[function])
            continue;
        struct probe_subject subject = {.kind = PROBE_OF_FUNCTION,
                                        .program = model_function(model, function)->program,
                                        .function = function,
                                        .instruction = entry,
                                        .how = {.kind = PROBE_SPAN}};
        uint32_t number = probe_add_subject(plan, &subject);
        size_t first_point = plan->points.count;
        add_clock_between(plan, number, entry, PROBE_ENTER)->is_entry = true;
        if (!probe_pass_by_entry(plan, number, function, entry)) {
            probe_refuse_subject(plan, number, entry, PROBE_REFUSED_NO_PLACE, first_point);
            continue;
        }
        add_exits(plan, number, function, &parts);
    }
    function_parts_free(&parts);
}

void probe_plan_counted_functions(struct probe_plan *plan, const uint32_t *functions, size_t count)
{
    const struct model *model = plan->model;
    struct function_parts parts;
    function_parts_find(&parts, model);
    for (size_t i = 0; i < count; i++) {
        uint32_t function = functions[i];
        uint32_t entry = probe_has_code(model, function) ? probe_entry_instruction(model, function) : 0;
        if (!entry || parts.owner[function])
            continue;
        struct probe_subject subject = {.kind = PROBE_OF_FUNCTION,
                                        .program = model_function(model, function)->program,
                                        .function = function,
                                        .instruction = entry,
                                        .how = {.kind = PROBE_COUNT_ONLY, .inverse = 1}};
        uint32_t number = probe_add_subject(plan, &subject);
        uint32_t first = (uint32_t)plan->counter_count + 1;
        size_t first_point = plan->points.count;
        plan->counter_count += 1 + PROBE_TALLY_WORDS;
        *(struct probe_plan_tally *)array_push(&plan->tallies) =
            (struct probe_plan_tally){.first = first, .subject = number};
        struct probe_point *point = probe_add_point(plan, number, entry, PROBE_BEFORE);
        point->free = probe_free_at(probe_plan_freedom(plan), entry, PROBE_BEFORE);
        point->free.has_red_zone = true;
        point->action = (struct probe_action){.kind = PROBE_DO_COUNT, .counter = first};
        point->is_entry = true;
        if (!probe_pass_by_entry(plan, number, function, entry))
            probe_refuse_subject(plan, number, entry, PROBE_REFUSED_NO_PLACE, first_point);
    }
    function_parts_free(&parts);
}

void probe_plan_calls(struct probe_plan *plan, const uint32_t *calls, size_t count)
{
    const struct model *model = plan->model;
    for (size_t i = 0; i < count; i++) {
        size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), calls[i]);
        const struct call *call = at < model->calls.count ? model_call(model, (uint32_t)at) : NULL;
        uint32_t block = model_instruction(model, calls[i])->block, next = calls[i] + 1;
        const struct encoding *encoding = model_encoding(model, model_instruction(model, calls[i])->encoding);
        if (!call || call->instruction != calls[i] || encoding->flow != flow_CALL ||
            !probe_is_code(model, block))
            continue;
        struct probe_subject subject = {
            .kind = PROBE_OF_CALL,
            .program = model_function(model, call->caller)->program,
            .function = call->caller,
            .instruction = calls[i],
            .callee = call->callee,
            .how = {.kind = PROBE_SPAN, .flags = PROBE_IS_QUIET | PROBE_IS_OUTSIDE}};
        uint32_t number = probe_add_subject(plan, &subject);
        add_clock_between(plan, number, calls[i], PROBE_ENTER);
        bool is_last = calls[i] == probe_last_instruction(model_block(model, block));
        if (is_last && model_block(model, block)->ends == block_end_NO_RETURN)
            continue;
        const struct function *caller = model_function(model, call->caller);
        bool has_next = !is_last || block + 1 < caller->first_block + caller->block_count;
        if (has_next && is_last)
            next = model_block(model, block + 1)->first_instruction;
        if (!has_next)
            continue;
        add_clock(plan, number, next, PROBE_BEFORE, PROBE_LEAVE);
    }
}

void probe_plan_free(struct probe_plan *plan)
{
    for (size_t i = 0; i < plan->modules.count; i++)
        probe_trampolines_free(&ARRAY_AT(struct probe_made_module, &plan->modules, i)->trampolines);
    array_free(&plan->modules);
    if (plan->freedom)
        probe_free_end(plan->freedom);
    free(plan->freedom);
    probe_windows_free(&plan->windows);
    array_free(&plan->subjects);
    array_free(&plan->points);
    array_free(&plan->tallies);
    array_free(&plan->limits);
    array_free(&plan->refused);
    array_free(&plan->reserved);
}
