/* Divisions whose operands decide how long they take, on processors whose file says so (`slow`).  The
   operands are unknown, so that the cause is likely at best. */
#include "run/measure/gap_subject.h"

#include <math.h>

/* The cycles that the prediction is for. */
static double usual_cycles(const struct machine *machine, const char *form)
{
    const struct machine_form *row = machine_form(machine, form);
    return row ? fmax(row->divider > 0 ? row->divider : 0, row->latency > 0 ? row->latency : 0) : NAN;
}

static double share_of(const struct gap_subject *subject, uint32_t block)
{
    const struct model *model = subject->model;
    const struct array *table = &model->path_blocks;
    uint32_t loop = subject->row->loop;
    double share = 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct path_block, loop), loop);
         i < table->count && model_path_block(model, (uint32_t)i)->loop == loop; i++) {
        const struct path_block *row = model_path_block(model, (uint32_t)i);
        if (row->block != block)
            continue;
        if (!subject->has_shares && row->path == subject->path)
            return 1;
        for (uint32_t k = 0; k < model->run_paths.count; k++) {
            const struct run_path *path = model_run_path(model, k);
            if (path->run == subject->row->run && path->loop == loop && path->path == row->path)
                share += path->share;
        }
    }
    return fmin(share, 1);
}

bool gap_division(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct model *model = subject->model;
    const struct machine *machine = subject->machine->machine;
    const struct array *table = &model->loop_blocks;
    uint32_t loop = subject->row->loop, instruction = 0;
    double divisions = 0, extra = 0, slowest = 0;
    if (!machine || subject->gap <= subject->least)
        return false;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct loop_block, loop), loop);
         i < table->count && model_loop_block(model, (uint32_t)i)->loop == loop; i++) {
        uint32_t block = model_loop_block(model, (uint32_t)i)->block;
        double share = share_of(subject, block);
        for (size_t at = array_first_not_below(&model->code, 1, offsetof(struct instruction, block), block);
             share > 0 && at < model->code.count && model_instruction(model, (uint32_t)at)->block == block;
             at++) {
            const struct encoding *encoding =
                model_encoding(model, model_instruction(model, (uint32_t)at)->encoding);
            const char *form = model_text(model, encoding->form);
            double slow = form ? machine_slow_form(machine, form) : 0;
            double usual = slow > 0 ? usual_cycles(machine, form) : NAN;
            if (!(slow > usual))
                continue;
            divisions += share;
            extra += share * (slow - usual);
            slowest = fmax(slowest, slow);
            instruction = instruction ? instruction : (uint32_t)at;
        }
    }
    *evidence = (struct gap_evidence){.certainty = gap_certainty_LIKELY,
                                      .cycles = extra,
                                      .value = divisions,
                                      .reference = slowest,
                                      .instruction = instruction};
    return divisions > 0;
}
