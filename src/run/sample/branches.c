/* Records of branches become measured cycles of loops.

   A record says when code jumped back to a place.  Where that is the header of an innermost loop, the cycles between two
   such jumps are those of an iteration.  How many iterations there were in all follows from the loop's time and the
   core's clock.  An entry is seen where the loop is left: with one exit for so many jumps that were followed by another
   one, an entry has so many iterations and two more, the first and the last (a loop that never goes round twice leaves
   no trace).  A call looks like an exit, so loops with calls have no entries.

   Samples are taken by time, so iterations that took longer are seen more often. */
#include "run/sample/rows.h"

#include "run/places/loaded.h"

#include <stdlib.h>

enum { ENOUGH = 20 }; /* iterations, or jumps whose end was seen */

static void fill(struct model *model, struct run_loop *row, const struct sample_return *seen)
{
    double clock = model_sampled_run(model, row->run)->cycles_per_second;
    double cycles = seen->cycles / (double)seen->iterations, all = row->self_seconds * clock / cycles;
    row->cycles_per_iteration = cycles;
    row->measured_by = run_measure_BRANCHES;
    if (!(all >= 1) || all > 1e18)
        return;
    row->iterations = (uint64_t)all;
    row->sampled_cycles = cycles;
    double length = seen->left ? (double)seen->again / (double)seen->left + 2 : 0;
    if (seen->again + seen->left >= ENOUGH && seen->left && all >= length &&
        !places_has_calls(model, row->loop))
        row->entries = (uint64_t)(all / length);
}

void sample_branches(struct model *model, const struct sample_recording *recording)
{
    uint32_t *rows = memory_get((model->blocks.count + 1) * sizeof *rows); /* by header: place + 1 */
    for (uint32_t i = 0; i < model->run_loops.count; i++) {
        const struct loop *loop = model_loop(model, model_run_loop(model, i)->loop);
        if (loop->is_innermost && !loop->is_irreducible)
            rows[loop->header] = i + 1;
    }
    for (size_t i = 0; i < recording->returns.count; i++) {
        const struct sample_return *seen = ARRAY_AT(struct sample_return, &recording->returns, i);
        const struct sample_file *file = ARRAY_AT(struct sample_file, &recording->files, seen->file);
        uint32_t program = seen->iterations >= ENOUGH && seen->cycles > 0
                               ? places_program_of(model, file->build_id, sample_file_here(file))
                               : 0;
        uint32_t block = program ? places_block_at(model, program, seen->address) : 0;
        if (block && model_block(model, block)->address == seen->address && rows[block])
            fill(model, model_run_loop(model, rows[block] - 1), seen);
    }
    free(rows);
}
