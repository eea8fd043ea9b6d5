#include "code/quality/certainty.h"

#include <stddef.h>
#include <stdlib.h>

static bool has_advice(const struct model *model, size_t first, size_t end, uint32_t path, uint32_t rule)
{
    for (size_t i = first; i < end; i++) {
        const struct advice *row = model_advice(model, (uint32_t)i);
        if (row->path == path && row->rule == rule && row->level == advice_level_GAIN)
            return true;
    }
    return false;
}

/* Whether every analysed path has this advice at level gain. */
static bool is_everywhere(const struct model *model, size_t first, size_t end, const struct advice *advice)
{
    size_t at =
        array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), advice->loop);
    for (; at < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)at)->loop == advice->loop; at++)
        if (!has_advice(model, first, end, model_loop_cycle(model, (uint32_t)at)->path, advice->rule))
            return false;
    return true;
}

static void settle_loop(struct model *model, size_t first, size_t end, bool *is_doubtful)
{
    for (size_t i = first; i < end; i++) {
        const struct advice *advice = model_advice(model, (uint32_t)i);
        is_doubtful[i] = advice->level == advice_level_GAIN && !is_everywhere(model, first, end, advice);
    }
    for (size_t i = first; i < end; i++)
        if (is_doubtful[i]) {
            struct advice *advice = model_advice(model, (uint32_t)i);
            advice->level = advice_level_POTENTIAL;
            advice->is_upper = true;
        }
}

void certainty_settle(struct model *model)
{
    bool *is_doubtful = memory_get((model->advice.count + 1) * sizeof *is_doubtful);
    for (size_t first = 1, end; first < model->advice.count; first = end) {
        uint32_t loop = model_advice(model, (uint32_t)first)->loop;
        for (end = first; end < model->advice.count && model_advice(model, (uint32_t)end)->loop == loop;)
            end++;
        settle_loop(model, first, end, is_doubtful);
    }
    free(is_doubtful);
}
