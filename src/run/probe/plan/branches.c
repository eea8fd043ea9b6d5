/* Conditional branches of a loop, or of a function outside its loops, become subjects: how often each went which way, exactly, and a sample of its
   outcomes in order, for a simulated predictor.

   Each way out of a branch has a counter; word 0 of its tally is for the way that follows, word 1 for the
   taken one.  The first outcomes are events, too, up to a limit that the branches of a loop share. */
#include "run/probe/site/entry.h"
#include "run/probe/site/free.h"
#include "run/probe/plan/parts.h"

#include <stddef.h>

struct branch_probe {
    struct probe_plan *plan;
    uint32_t loop, function, program;
    uint32_t limit;
    uint8_t limit_bits;
};

static void add_point(struct branch_probe *probe, uint32_t subject, uint32_t instruction,
                      enum probe_where where, const struct probe_action *action)
{
    struct probe_point *point = probe_add_point(probe->plan, subject, instruction, where);
    point->free = probe_free_at(probe_plan_freedom(probe->plan), instruction, where);
    point->action = *action;
}

static void add_branch(struct branch_probe *probe, uint32_t instruction)
{
    struct probe_plan *plan = probe->plan;
    struct probe_subject subject = {.kind = PROBE_OF_BRANCH,
                                    .program = probe->program,
                                    .function = probe->function,
                                    .loop = probe->loop,
                                    .instruction = instruction,
                                    .how = {.kind = PROBE_COUNT_ONLY, .inverse = 1}};
    uint32_t counted = probe_add_subject(plan, &subject);
    subject.kind = PROBE_OF_OUTCOMES;
    subject.how.kind = PROBE_BRANCH;
    uint32_t guessed = probe_add_subject(plan, &subject);
    uint32_t first = (uint32_t)plan->counter_count + 1;
    plan->counter_count += 1 + PROBE_TALLY_WORDS;
    *(struct probe_plan_tally *)array_push(&plan->tallies) =
        (struct probe_plan_tally){.first = first, .subject = counted};
    for (unsigned is_taken = 0; is_taken < 2; is_taken++) {
        enum probe_where where = is_taken ? PROBE_TAKEN : PROBE_AFTER;
        struct probe_source outcome = {.kind = PROBE_FROM_ADDRESS,
                                       .base = PROBE_NO_REGISTER,
                                       .index = PROBE_NO_REGISTER,
                                       .displacement = is_taken};
        struct probe_action count = {.kind = PROBE_DO_COUNT, .counter = first + is_taken};
        struct probe_action seen = probe_make_event(guessed, PROBE_SEEN, outcome);
        seen.limit = probe->limit;
        seen.limit_bits = probe->limit_bits;
        add_point(probe, counted, instruction, where, &count);
        add_point(probe, guessed, instruction, where, &seen);
    }
}

void probe_plan_branches(struct probe_plan *plan, uint32_t loop, uint8_t limit_bits)
{
    const struct model *model = plan->model;
    uint32_t function = model_loop(model, loop)->function;
    struct branch_probe probe = {.plan = plan,
                                 .loop = loop,
                                 .function = function,
                                 .program = model_function(model, function)->program,
                                 .limit = (uint32_t)++plan->counter_count,
                                 .limit_bits = limit_bits};
    size_t at = array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), loop);
    for (; at < model->loop_blocks.count; at++) {
        const struct loop_block *row = model_loop_block(model, (uint32_t)at);
        if (row->loop != loop)
            break;
        const struct block *block = model_block(model, row->block);
        if (block->loop == loop && block->ends == block_end_BRANCH && probe_is_code(model, row->block))
            add_branch(&probe, probe_last_instruction(block));
    }
}

void probe_plan_function_branches(struct probe_plan *plan, uint32_t function, uint8_t limit_bits)
{
    const struct model *model = plan->model;
    const struct function *row = model_function(model, function);
    struct branch_probe probe = {.plan = plan,
                                 .function = function,
                                 .program = row->program,
                                 .limit = (uint32_t)++plan->counter_count,
                                 .limit_bits = limit_bits};
    for (uint32_t id = row->first_block; id < row->first_block + row->block_count; id++) {
        const struct block *block = model_block(model, id);
        if (!block->loop && block->ends == block_end_BRANCH && probe_is_code(model, id))
            add_branch(&probe, probe_last_instruction(block));
    }
}
