/* Calls out of the loop: the processor time of what it called. */
#include "run/measure/gap_subject.h"

static const double LEAST_SHARE = 0.05; /* of the time in and below the loop */

/* Call sites in the loop's own blocks, and the first of them: where it is unknown how many of them an iteration
   reaches, they stand for its calls. */
static unsigned sites_of(const struct gap_subject *subject, uint32_t *first)
{
    const struct model *model = subject->model;
    const struct array *table = &model->loop_blocks;
    uint32_t loop = subject->row->loop;
    unsigned sites = 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_block, loop), loop);
         i < table->count && model_loop_block(model, (uint32_t)i)->loop == loop; i++) {
        uint32_t block = model_loop_block(model, (uint32_t)i)->block;
        for (size_t at = array_first_not_below(&model->code, 1, offsetof(struct instruction, block), block);
             at < model->code.count && model_instruction(model, (uint32_t)at)->block == block; at++) {
            size_t call =
                array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), (uint32_t)at);
            if (call >= model->calls.count || model_call(model, (uint32_t)call)->instruction != at)
                continue;
            *first = *first ? *first : (uint32_t)at;
            sites++;
        }
    }
    return sites;
}

bool gap_calls(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct run_loop *row = subject->row;
    uint32_t first = 0;
    double time = row->self_seconds + row->call_seconds + (row->kernel_seconds > 0 ? row->kernel_seconds : 0);
    if (!(subject->calls > 0) || !(row->call_seconds > LEAST_SHARE * time) ||
        !(subject->calls > 0.1 * subject->predicted))
        return false;
    unsigned sites = sites_of(subject, &first);
    *evidence =
        (struct gap_evidence){.certainty = gap_certainty_SHOWN,
                              .cycles = subject->calls,
                              .value = row->calls_per_iteration > 0 ? row->calls_per_iteration : sites,
                              .reference = row->call_seconds / time,
                              .instruction = first};
    return true;
}
