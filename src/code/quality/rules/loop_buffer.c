/* Loops that are a little too long for the processor's loop buffer.

   A small loop is replayed from the queue in front of renaming, without being fetched or decoded again. The
   rule reports loops that miss it by a few µops and would be faster in it: mostly on cores without a µop
   cache, where other loops are decoded again in each iteration. Golden Cove and others have no loop buffer;
   so this is a hint, for those who compile for old cores. */
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdio.h>

/* More than that is not a near miss: the loop would have to be rewritten. */
enum { MOST_BEYOND = 4 /* of the buffer: a quarter */ };

static unsigned uops_of(const struct subject *subject)
{
    const struct cost_item *items = subject->work->items.data;
    unsigned count = 0;
    for (unsigned i = 0; i < subject->item_count; i++) {
        unsigned uops = items[i].cost->decoded + items[i].cost->microcoded;
        count += items[i].is_absorbed ? 0 : uops ? uops : 1;
    }
    return count;
}

/* Whether an instruction keeps the loop out of the buffer, whatever its length. */
static bool is_kept_out(const struct subject *subject)
{
    const struct cost_item *items = subject->work->items.data;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct machine_cost *cost = items[i].cost;
        if (cost->leaves_loop_buffer || cost->microcoded || cost->uses_stack_engine || cost->is_call)
            return true;
    }
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    static const enum core_part fetching[] = {core_part_PREDECODE, core_part_DECODE, core_part_FRONT_END,
                                              core_part_UOP_CACHE};
    const struct machine_core *core = &subject->machine->core;
    if (!without_matters(subject) || !core->loop_buffer || !core->issue || subject->path->is_loop_buffer)
        return false;
    unsigned uops = uops_of(subject);
    if (uops <= core->loop_buffer || uops - core->loop_buffer > core->loop_buffer / MOST_BEYOND ||
        is_kept_out(subject))
        return false;
    double cycles = ceil((double)uops / core->issue);
    for (unsigned part = 0; part < core_part_COUNT; part++) {
        bool fetches = false;
        for (size_t i = 0; i < sizeof fetching / sizeof *fetching; i++)
            fetches |= fetching[i] == part;
        if (!fetches)
            cycles = fmax(cycles, subject_bound(subject, part));
    }
    if (!without_gains(subject, cycles))
        return false;
    remark->cycles = cycles;
    remark_say(remark,
               "The loop has %u µops; the loop buffer (LSD) of this processor holds %u. With %u fewer it "
               "would run from this buffer.",
               uops, core->loop_buffer, uops - core->loop_buffer);
    return true;
}

const struct rule rule_loop_buffer = {
    .name = "loop-buffer",
    .title = "The loop is slightly too long for the loop buffer (LSD)",
    .meaning = "Some processors keep a short loop in a buffer (loop stream detector) and replay it without "
               "fetching and decoding it again. A loop that is a few instructions too long does not benefit.",
    .level = advice_level_HINT,
    .remedies = {{audience_ANY, NULL, "Unroll less, or not at all, if the loop was unrolled by hand.",
                  action_UNROLL_LESS},
                 {audience_C, NULL,
                  "Use long or size_t for subscripts and offsets instead of unsigned int, which needs an "
                  "extra instruction for each addition.",
                  action_INDEX_TYPE, precondition_narrow_index},
                 {audience_GCC, NULL,
                  "Compile this file with -fno-unroll-loops, or put #pragma GCC unroll 2 above the loop.",
                  action_UNROLL_LESS},
                 {audience_CLANG, NULL, "Put #pragma clang loop unroll_count(2) above the loop.",
                  action_UNROLL_LESS},
                 {0}},
    .find = find,
};
