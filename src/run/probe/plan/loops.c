/* Loops become subjects with points on the edges that enter and leave them.

   Iterations are counted by something that moves: an induction variable, a register that the loop leaves
   alone, or a word in memory; the latter two are moved by one in every iteration.  What they held at the
   entry is kept until the exit, where the difference gives the iterations.  With a clock, or where the loop
   contains calls and so may be entered again before it is left, both values are events and are paired later;
   without, the word is kept in the thread's counters and the exit adds one to a histogram there: no event at
   all.

   An iteration is what the source would count.  A loop that tests its condition at the start goes through its
   header once more than through its body, so an exit from the header does not count; where some exit is at
   the end of the iteration, the test is there, and an exit from the header is one from the middle of the
   body.  A loop that is entered at several blocks (irreducible) counts the times through its header.

   An edge is a place of its own: the taken way of a branch, or what follows it.  But then the branch is
   moved, and exits are watched in every iteration.  So the block after an exit serves, if all ways to it are
   alike, or if those that are not can be led past the actions there.  After a call and in a jump table there
   is no other place. */
#include "run/probe/site/induction.h"
#include "run/probe/site/entry.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/registers.h"

#include <stdlib.h>

enum { JUMP_BYTES = 5 }; /* of x86 */
enum { LIMITS = 5, ENOUGH_LIMITS = 2 };

struct loop_probe {
    struct probe_plan *plan;
    const struct model *model;
    struct loop_shape shape;
    struct probe_variable variable;
    uint8_t counting; /* enum probe_counted_by */
    uint8_t counter_register;
    uint32_t counter;     /* BY_MEMORY: the word that moves */
    uint32_t kept, tally; /* without events: the word for the value at the entry, and the tally */
    uint32_t subject;
    bool has_clock, has_events;
    uint32_t limits; /* not 0: events at first, counters later; the first of the limits of ENTER, START, STOP,
                        LEAVE and the tally.  They move alike */
    uint32_t enough; /* not 0: events that end when there were enough; the limits of START and STOP */
    bool is_quiet;   /* its ends may be reached while it is not open */
    bool counts_backs; /* BY_REGISTER, BY_MEMORY: on the ways back to the header, not at the header */
    uint64_t inverse;
    uint8_t shift;
};

static struct probe_point *add_point(struct loop_probe *probe, uint32_t instruction, enum probe_where where)
{
    struct probe_point *point = probe_add_point(probe->plan, probe->subject, instruction, where);
    point->free = probe_free_at(probe_plan_freedom(probe->plan), instruction, where);
    if (probe->counting == PROBE_BY_REGISTER)
        point->free.general &= ~(1u << probe->counter_register);
    return point;
}

/* The place of an edge: false if it has none of its own. */
static bool place_of(const struct model *model, const struct edge *edge, uint32_t *instruction,
                     enum probe_where *where)
{
    const struct block *source = model_block(model, edge->source);
    *instruction = probe_last_instruction(source);
    bool is_jump = source->ends == block_end_JUMP || source->ends == block_end_TAIL_CALL;
    if (edge->kind == edge_kind_TAKEN || edge->kind == edge_kind_TAIL_CALL) {
        *where = is_jump ? PROBE_BEFORE : PROBE_TAKEN;
        return is_jump || source->ends == block_end_BRANCH;
    }
    *where = PROBE_AFTER;
    return edge->kind == edge_kind_FALL &&
           (source->ends == block_end_BRANCH || source->ends == block_end_FALL);
}

/* What counts, plus `steps` steps. */
static struct probe_source value_of(const struct loop_probe *probe, int64_t steps)
{
    if (probe->counting == PROBE_BY_MEMORY)
        return (struct probe_source){
            .kind = PROBE_FROM_COUNTER, .counter = probe->counter, .displacement = steps};
    bool is_variable = probe->counting == PROBE_BY_VARIABLE;
    int64_t distance = is_variable ? steps * probe->variable.step : steps;
    uint8_t number =
        is_variable ? probe_general_number(probe->model, probe->variable.register_) : probe->counter_register;
    return (struct probe_source){.kind = distance ? PROBE_FROM_ADDRESS : PROBE_FROM_GENERAL,
                                 .base = number,
                                 .index = PROBE_NO_REGISTER,
                                 .displacement = distance};
}

static void add_action(struct loop_probe *probe, uint32_t instruction, enum probe_where where, bool is_entry,
                       struct probe_action action)
{
    struct probe_point *point = add_point(probe, instruction, where);
    point->is_entry = is_entry;
    point->action = action;
}

static struct probe_action event(struct loop_probe *probe, enum probe_event_kind kind, uint32_t limit,
                                 struct probe_source source)
{
    struct probe_action action = probe_make_event(probe->subject, kind, source);
    action.limit = limit;
    action.limit_bits = probe->enough ? probe->plan->enough_bits : probe->plan->clock_bits;
    return action;
}

static void add_enter(struct loop_probe *probe, uint32_t instruction, enum probe_where where, bool is_entry)
{
    struct probe_source clock = {.kind = PROBE_FROM_CLOCK};
    if (!probe->has_events || probe->limits)
        add_action(probe, instruction, where, is_entry,
                   (struct probe_action){
                       .kind = PROBE_DO_KEEP, .counter = probe->kept, .source = value_of(probe, 0)});
    if (probe->has_clock)
        add_action(probe, instruction, where, is_entry, event(probe, PROBE_ENTER, probe->limits, clock));
    if (probe->has_events)
        add_action(
            probe, instruction, where, is_entry,
            event(probe, PROBE_START, probe->limits ? probe->limits + 1 : probe->enough, value_of(probe, 0)));
}

/* Entries of many iterations cost as much as others, unless each iteration is counted. */
static uint8_t enough_sum_bits(const struct loop_probe *probe)
{
    return probe->counting == PROBE_BY_VARIABLE ? 0 : probe->plan->enough_sum_bits;
}

static void add_leave(struct loop_probe *probe, uint32_t instruction, enum probe_where where, int bias)
{
    struct probe_source clock = {.kind = PROBE_FROM_CLOCK};
    if (probe->has_events)
        add_action(probe, instruction, where, false,
                   event(probe, PROBE_STOP,
                         probe->limits   ? probe->limits + 2
                         : probe->enough ? probe->enough + 1
                                         : 0,
                         value_of(probe, bias)));
    if (probe->has_clock)
        add_action(probe, instruction, where, false,
                   event(probe, PROBE_LEAVE, probe->limits ? probe->limits + 3 : 0, clock));
    if (!probe->has_events || probe->limits)
        add_action(probe, instruction, where, false,
                   (struct probe_action){.kind = PROBE_DO_TALLY,
                                         .counter = probe->kept,
                                         .tally = probe->tally,
                                         .inverse = probe->inverse,
                                         .shift = probe->shift,
                                         .bias = (int8_t)bias,
                                         .is_summed = probe->plan->sums_large,
                                         .limit = probe->limits ? probe->limits + 4 : 0,
                                         .limit_bits = probe->plan->clock_bits,
                                         .enough_bits = probe->plan->enough_bits,
                                         .enough_sum_bits = enough_sum_bits(probe),
                                         .source = value_of(probe, 0)});
}

static bool is_in_loop(const void *context, uint32_t block)
{
    return loop_shape_has(context, block);
}

static const struct edge *entry_of(const struct loop_probe *probe, size_t number)
{
    return model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.entries, number));
}

/* Whether every way into the loop that leads to this block has a place of its own. */
static bool have_places(const struct loop_probe *probe, uint32_t block)
{
    uint32_t instruction;
    enum probe_where where;
    if (model_block(probe->model, block)->address ==
        model_function(probe->model, probe->shape.function)->address)
        return false; /* calls lead there, too */
    for (size_t i = 0; i < probe->shape.entries.count; i++)
        if (entry_of(probe, i)->target == block &&
            !place_of(probe->model, entry_of(probe, i), &instruction, &where))
            return false;
    return true;
}

/* Ways from outside enter at the start of the block; ways from inside go past that. */
static bool enter_at_block(struct loop_probe *probe, uint32_t block)
{
    add_enter(probe, model_block(probe->model, block)->first_instruction, PROBE_BEFORE, true);
    return probe_pass_by(probe->plan, probe->subject, probe->shape.function, block, is_in_loop,
                         &probe->shape);
}

static bool add_entries(struct loop_probe *probe)
{
    const struct loop_shape *shape = &probe->shape;
    for (size_t b = 0; b < shape->blocks.count; b++) {
        uint32_t block = *ARRAY_AT(uint32_t, &shape->blocks, b);
        if (!have_places(probe, block) && !enter_at_block(probe, block))
            return false;
    }
    for (size_t i = 0; i < shape->entries.count; i++) {
        uint32_t instruction;
        enum probe_where where;
        if (!have_places(probe, entry_of(probe, i)->target))
            continue;
        place_of(probe->model, entry_of(probe, i), &instruction, &where);
        add_enter(probe, instruction, where, false);
    }
    return true;
}

/* Some iteration that is complete leaves the loop: its test is at the end. */
static bool is_left_from_its_end(const struct loop_probe *probe)
{
    const struct loop_shape *shape = &probe->shape;
    for (size_t i = 0; i < shape->backs.count; i++)
        for (size_t k = 0; k < shape->exits.count; k++)
            if (model_edge(probe->model, *ARRAY_AT(uint32_t, &shape->backs, i))->source ==
                model_edge(probe->model, *ARRAY_AT(uint32_t, &shape->exits, k))->source)
                return true;
    return false;
}

/* How many iterations more than moves there are at this exit: what counts moved once for every time through
   the header, or back to it, or as often as the variable's instruction was executed. */
static int bias_of(const struct loop_probe *probe, const struct edge *exit)
{
    const struct loop_shape *shape = &probe->shape;
    int counts = exit->source == shape->header && !is_left_from_its_end(probe) ? 0 : 1;
    if (probe->counting != PROBE_BY_VARIABLE)
        return probe->counts_backs ? counts : counts - 1;
    return counts - probe_variable_moves_before(&probe->variable, shape, exit->source);
}

enum sharing { SHARING_NONE, SHARING_QUIET, SHARING_WRONG };

/* Whether the block after an exit can stand for it: all ways to it come from the loop, with the same bias;
   or others lead there, too, on which the loop is not open, so that a probe there says nothing. */
static enum sharing sharing_of(const struct loop_probe *probe, const struct edge *exit)
{
    struct model_rows rows = probe_edges_of(probe->model, probe->shape.function);
    enum sharing sharing = SHARING_NONE;
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(probe->model, i);
        if (edge->target != exit->target)
            continue;
        if (!loop_shape_has(&probe->shape, edge->source))
            sharing = SHARING_QUIET;
        else if (edge->kind != edge_kind_EXCEPTION && bias_of(probe, edge) != bias_of(probe, exit))
            return SHARING_WRONG;
    }
    return model_block(probe->model, exit->target)->function == probe->shape.function ? sharing
                                                                                      : SHARING_WRONG;
}

/* Some exit has no place but a block that other ways lead to as well. */
static bool has_shared_exit(const struct loop_probe *probe)
{
    uint32_t instruction;
    enum probe_where where;
    for (size_t i = 0; i < probe->shape.exits.count; i++) {
        const struct edge *exit = model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.exits, i));
        if (!place_of(probe->model, exit, &instruction, &where) && sharing_of(probe, exit) == SHARING_QUIET)
            return true;
    }
    return false;
}

/* Unknown jumps may lead anywhere in their function. */
static bool has_unknown_jumps(const struct model *model, uint32_t function)
{
    const struct function *row = model_function(model, function);
    for (uint32_t id = row->first_block; id < row->first_block + row->block_count; id++)
        if (model_block(model, id)->ends == block_end_INDIRECT)
            return true;
    return false;
}

/* Ways that are led past the probes of a block are led past all of them.  So a block has to be left alone
   that another loop may be entered or left at. */
static bool may_concern_others(const struct loop_probe *probe, uint32_t target)
{
    const struct model *model = probe->model;
    uint32_t loop = model_block(model, target)->loop;
    if (loop != model_loop(model, probe->shape.loop)->parent ||
        (loop && model_loop(model, loop)->header == target))
        return true;
    struct model_rows rows = probe_edges_of(model, probe->shape.function);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct edge *edge = model_edge(model, i);
        uint32_t from = model_block(model, edge->source)->loop;
        if (edge->target == target && !loop_shape_has(&probe->shape, edge->source) && from &&
            !probe_loop_has(model, from, target))
            return true;
    }
    return false;
}

/* Whether an exit that has a place of its own is better watched at the block after it, which is not part of
   the loop: so that nothing is done in its iterations.  Where an exit leaves several loops, the order of
   their ends is that of the edge. */
static bool is_better_behind(const struct loop_probe *probe, const struct edge *exit)
{
    const struct model *model = probe->model;
    const struct block *target = model_block(model, exit->target);
    uint32_t parent = model_loop(model, probe->shape.loop)->parent;
    bool is_x86 = probe_isa_of(model, probe->shape.function) == isa_X86_64;
    if (!target->instruction_count || !probe_is_code(model, exit->target) ||
        (parent && !probe_loop_has(model, parent, exit->target)))
        return false;
    if (is_x86 && model_block_bytes(model, target).size < JUMP_BYTES)
        return false;
    enum sharing sharing = sharing_of(probe, exit);
    bool can_be_shared = sharing == SHARING_QUIET && !is_x86 && !may_concern_others(probe, exit->target);
    return (sharing == SHARING_NONE || can_be_shared) && !has_unknown_jumps(model, probe->shape.function);
}

static bool is_outside(const void *context, uint32_t block)
{
    return !loop_shape_has(context, block);
}

/* The block after an exit serves; it comes before whatever else happens there.  Ways to it from outside the
   loop go past that; false: they cannot, and nothing was added. */
static bool leave_behind(struct loop_probe *probe, const struct edge *exit)
{
    size_t first_point = probe->plan->points.count;
    if (!probe_pass_by(probe->plan, probe->subject, probe->shape.function, exit->target, is_outside,
                       &probe->shape)) {
        probe->plan->points.count = first_point;
        return false;
    }
    first_point = probe->plan->points.count;
    add_leave(probe, model_block(probe->model, exit->target)->first_instruction, PROBE_BEFORE,
              bias_of(probe, exit));
    for (size_t i = first_point; i < probe->plan->points.count; i++)
        ARRAY_AT(struct probe_point, &probe->plan->points, i)->is_entry = true;
    return true;
}

static bool is_among(const struct array *blocks, uint32_t block)
{
    for (size_t i = 0; i < blocks->count; i++)
        if (*ARRAY_AT(uint32_t, blocks, i) == block)
            return true;
    return false;
}

static bool add_exit(struct loop_probe *probe, const struct edge *exit, struct array *behind)
{
    uint32_t instruction;
    enum probe_where where;
    bool has_place = place_of(probe->model, exit, &instruction, &where);
    if (is_among(behind, exit->target))
        return true;
    if (!has_place && sharing_of(probe, exit) == SHARING_WRONG)
        return false;
    bool is_behind = !has_place || (is_better_behind(probe, exit) && leave_behind(probe, exit));
    if (is_behind)
        *(uint32_t *)array_push(behind) = exit->target;
    if (has_place && !is_behind)
        add_leave(probe, instruction, where, bias_of(probe, exit));
    if (!has_place)
        add_leave(probe, model_block(probe->model, exit->target)->first_instruction, PROBE_BEFORE,
                  bias_of(probe, exit));
    return true;
}

static bool add_exits(struct loop_probe *probe)
{
    struct array behind = ARRAY_OF(uint32_t); /* blocks whose start stands for all exits to it */
    bool is_placed = true;
    for (unsigned round = 0; round < 2; round++) /* those without a place of their own first */
        for (size_t i = 0; i < probe->shape.exits.count && is_placed; i++) {
            const struct edge *exit = model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.exits, i));
            uint32_t instruction;
            enum probe_where where;
            if (place_of(probe->model, exit, &instruction, &where) == (round == 1))
                is_placed = add_exit(probe, exit, &behind);
        }
    array_free(&behind);
    return is_placed;
}

/* A register that is free at every entry and that the loop never touches stays free until it is left. */
static bool find_free_register(struct loop_probe *probe)
{
    uint32_t free = ~probe->shape.touched;
    uint32_t instruction;
    enum probe_where where;
    bool is_x86 = probe_isa_of(probe->model, probe->shape.function) == isa_X86_64;
    if (probe->shape.has_calls || !probe->shape.entries.count)
        return false;
    for (size_t i = 0; i < probe->shape.entries.count; i++) {
        if (!have_places(probe, entry_of(probe, i)->target))
            return false;
        place_of(probe->model, entry_of(probe, i), &instruction, &where);
        free &= probe_free_at(probe_plan_freedom(probe->plan), instruction, where).general;
    }
    free &= is_x86 ? 0xffef : 0x3fffffff; /* not the stack pointer; not x18 */
    free &= is_x86 ? ~0u : ~(1u << 18);
    for (size_t i = 0; i < probe->plan->reserved.count; i++) { /* loops around this one, and inside it */
        const struct probe_reserved *row = ARRAY_AT(struct probe_reserved, &probe->plan->reserved, i);
        if (model_loop(probe->model, row->loop)->function == probe->shape.function)
            free &= ~row->general;
    }
    for (probe->counter_register = 0; free; free >>= 1, probe->counter_register++)
        if (free & 1)
            return true;
    return false;
}

/* A counter should move once for each iteration: then entries of the same loop inside this one can be told
   apart.  That is so at the header, unless all exits leave from there: then on the ways back.  A register
   counts for one entry only; on AArch64 the way back is quicker, because its jump is moved anyway. */
static bool can_count_backs(struct loop_probe *probe)
{
    uint32_t instruction;
    enum probe_where where;
    bool is_quicker = probe->counting == PROBE_BY_REGISTER &&
                      probe_isa_of(probe->model, probe->shape.function) == isa_AARCH64;
    for (size_t i = 0; i < probe->shape.exits.count && !is_quicker; i++)
        if (bias_of(probe, model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.exits, i))) == 0)
            return false;
    for (size_t i = 0; i < probe->shape.backs.count; i++)
        if (!place_of(probe->model, model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.backs, i)),
                      &instruction, &where))
            return false;
    return probe->shape.exits.count;
}

static void choose_counting(struct loop_probe *probe)
{
    if (!probe->shape.is_irreducible)
        probe->variable = probe_find_variable(probe->model, &probe->shape);
    probe->inverse = 1;
    probe->shift = 0;
    probe->counting = PROBE_BY_VARIABLE;
    if (probe->variable.register_) {
        probe_variable_division(&probe->variable, &probe->inverse, &probe->shift);
    } else if (find_free_register(probe)) {
        probe->counting = PROBE_BY_REGISTER;
    } else {
        probe->counting = PROBE_BY_MEMORY;
        probe->counter = (uint32_t)probe->plan->counter_count++;
    }
    probe->counts_backs =
        probe->counting != PROBE_BY_VARIABLE && !probe->shape.is_irreducible && can_count_backs(probe);
}

/* Probes in the loop and at its ends must leave the register alone, also where the program needs it no more:
   the exit reads it. */
static void reserve(struct loop_probe *probe, uint8_t number)
{
    struct probe_reserved *reserved = array_add(&probe->plan->reserved);
    *reserved = (struct probe_reserved){.loop = probe->shape.loop, .general = 1u << number};
}

static void add_counting(struct loop_probe *probe)
{
    const struct block *header = model_block(probe->model, probe->shape.header);
    bool is_register = probe->counting == PROBE_BY_REGISTER;
    struct probe_action count = {.kind = is_register ? PROBE_DO_INCREMENT : PROBE_DO_COUNT,
                                 .register_ = probe->counter_register,
                                 .counter = probe->counter};
    if (probe->counting == PROBE_BY_VARIABLE) {
        reserve(probe, probe_general_number(probe->model, probe->variable.register_));
        return;
    }
    if (!probe->counts_backs)
        add_point(probe, header->first_instruction, PROBE_BEFORE)->action = count;
    for (size_t i = 0; probe->counts_backs && i < probe->shape.backs.count; i++) {
        uint32_t instruction;
        enum probe_where where;
        place_of(probe->model, model_edge(probe->model, *ARRAY_AT(uint32_t, &probe->shape.backs, i)),
                 &instruction, &where);
        add_point(probe, instruction, where)->action = count;
    }
    if (is_register)
        reserve(probe, probe->counter_register);
}

static void make_subject(struct loop_probe *probe)
{
    struct probe_subject subject = {
        .kind = PROBE_OF_LOOP,
        .counting = probe->counting,
        .program = model_function(probe->model, probe->shape.function)->program,
        .function = probe->shape.function,
        .loop = probe->shape.loop,
        .instruction = model_block(probe->model, probe->shape.header)->first_instruction,
        .how = {.kind = probe->has_events ? PROBE_LOOP : PROBE_COUNT_ONLY,
                .flags = (uint8_t)((probe->counting == PROBE_BY_MEMORY ? PROBE_IS_CUMULATIVE : 0) |
                                   (probe->is_quiet || probe->enough ? PROBE_IS_QUIET : 0)),
                .inverse = probe->inverse,
                .shift = probe->shift}};
    probe->subject = probe_add_subject(probe->plan, &subject);
    if (probe->has_events && !probe->limits)
        return;
    probe->kept = (uint32_t)probe->plan->counter_count;
    probe->tally = (uint32_t)probe->plan->tallies.count;
    *(struct probe_plan_tally *)array_push(&probe->plan->tallies) =
        (struct probe_plan_tally){.first = probe->kept + 1,
                                  .subject = probe->subject,
                                  .flags = probe->plan->sums_large ? PROBE_TALLY_SUMS : 0,
                                  .enough_bits = probe->plan->enough_bits,
                                  .enough_sum_bits = enough_sum_bits(probe)};
    probe->plan->counter_count += 1 + PROBE_TALLY_WORDS + (probe->plan->sums_large ? PROBE_TALLY_MORE : 0);
}

static void plan_loop(struct probe_plan *plan, uint32_t loop, bool uses_clock)
{
    struct loop_probe probe = {.plan = plan, .model = plan->model, .has_clock = uses_clock};
    size_t first_point = plan->points.count, first_reserved = plan->reserved.count;
    loop_shape_make(&probe.shape, plan->model, loop);
    probe.has_events = uses_clock || probe.shape.has_calls;
    choose_counting(&probe);
    probe.is_quiet = has_shared_exit(&probe);
    probe.has_events = probe.has_events || probe.is_quiet;
    if (uses_clock && plan->clock_bits && !probe.shape.has_calls && !probe.is_quiet) {
        probe.limits = (uint32_t)plan->counter_count + 1;
        plan->counter_count += LIMITS;
    }
    if (plan->enough_bits && probe.has_events) {
        probe.enough = (uint32_t)plan->counter_count + 1;
        plan->counter_count += ENOUGH_LIMITS;
    }
    make_subject(&probe);
    if (probe.enough)
        *(struct probe_plan_limit *)array_push(&plan->limits) = (struct probe_plan_limit){
            .subject = probe.subject, .counter = probe.enough - 1, .bits = plan->enough_bits};
    bool is_placed = add_entries(&probe) && add_exits(&probe);
    add_counting(&probe);
    if (!is_placed) {
        plan->reserved.count = first_reserved;
        probe_refuse_subject(plan, probe.subject,
                             ARRAY_AT(struct probe_subject, &plan->subjects, probe.subject)->instruction,
                             PROBE_REFUSED_NO_PLACE, first_point);
    }
    free(probe.variable.moved);
    loop_shape_free(&probe.shape);
}

void probe_plan_loops(struct probe_plan *plan, const uint32_t *loops, size_t count, bool uses_clock)
{
    for (size_t i = 0; i < count; i++)
        plan_loop(plan, loops[i], uses_clock);
}
