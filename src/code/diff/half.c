#include "code/diff/half.h"

#include "code/quality/families.h"

#include <math.h>
#include <stddef.h>

static void read_code(struct half *half)
{
    const struct model *model = half->model;
    struct diff_rows rows = diff_blocks_of_loop(model, half->loop);
    for (uint32_t i = rows.first; i < rows.end; i++) {
        const struct block *block = model_block(model, model_loop_block(model, i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            uint32_t instruction = block->first_instruction + k;
            const struct encoding *encoding =
                model_encoding(model, model_instruction(model, instruction)->encoding);
            footprint_add(&half->footprint, model, instruction);
            if (encoding->is_vector && encoding->vector_bits > half->vector_bits)
                half->vector_bits = encoding->vector_bits;
        }
    }
}

struct half half_read(const struct model *model, uint32_t loop)
{
    struct half half = {.model = model, .loop = loop, .cycles = NAN};
    double cycles = 0, shares = 0, best = -1;
    if (!loop)
        return half;
    for (size_t i = array_first_not_below(&model->loop_cycles, 0, offsetof(struct loop_cycle, loop), loop);
         i < model->loop_cycles.count && model_loop_cycle(model, (uint32_t)i)->loop == loop; i++) {
        const struct loop_cycle *row = model_loop_cycle(model, (uint32_t)i);
        if (!(row->cycles > 0))
            continue;
        double share = row->share > 0 ? row->share : 0;
        half.path_count++;
        half.slowest = fmax(half.slowest, row->cycles);
        half.fastest = half.path_count == 1 ? row->cycles : fmin(half.fastest, row->cycles);
        /* Shares are of time: so many iterations of each path. */
        cycles += share;
        shares += share / row->cycles;
        if (share > best) {
            best = share;
            half.path = row->path;
            half.limit = row->limit;
        }
    }
    if (shares > 0)
        half.cycles = cycles / shares;
    half.role = families_role(model, loop);
    half.iterations = half.role && half.role->iterations > 0 ? half.role->iterations : 0;
    read_code(&half);
    return half;
}

double half_work_ratio(const struct half *old, const struct half *new)
{
    uint32_t more = footprint_ratio(&new->footprint, &old->footprint);
    uint32_t less = footprint_ratio(&old->footprint, &new->footprint);
    return more ? more : less ? 1.0 / less : 0;
}
