/* Loops that are unrolled so much that it costs time: values do not find registers any more, or the code does
   not fit into the processor's store of decoded instructions.

   The unroll factor must be known.  The figure is what the same loop would take with its values in registers,
   or with its instructions from that store; a smaller unroll factor has the same work for each source
   iteration. */
#include "quality/rule.h"
#include "quality/without.h"

#include <math.h>

/* Two copies are hardly too many. */
enum { LEAST_UNROLL = 4 };
static const double WORTH_A_WORD = 1.1;

static bool is_on_stack(const struct subject *subject, unsigned item)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].item == item)
            return subject->accesses[i].is_stack;
    return false;
}

static bool find_spills(const struct subject *subject, struct remark *remark)
{
    struct without without;
    const struct loop_metric *metric = subject->metric;
    /* A value or two that is reloaded is usual, and would be without unrolling. */
    if (!metric->spill_count || metric->spill_count + metric->fill_count < (uint32_t)subject->role->unroll)
        return false;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_on_stack(subject, i))
            without_memory(&without, i);
    double cycles = without_cycles(&without);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (is_on_stack(subject, i))
            remark_point(remark, i);
    remark->cycles = cycles;
    remark_say(
        remark,
        "The loop is unrolled %d times, and its values do not fit into the registers: %u are stored to the "
        "stack and %u loaded from there in an iteration.",
        subject->role->unroll, metric->spill_count, metric->fill_count);
    return true;
}

/* The µops come from the decoders, and those are what limits. */
static bool find_decoding(const struct subject *subject, struct remark *remark)
{
    const struct machine_core *core = &subject->machine->core;
    enum core_part limit = subject->path->limit;
    double cycles = 0;
    if (!core->cache_width || subject->path->is_cached || subject->path->is_loop_buffer ||
        (limit != core_part_PREDECODE && limit != core_part_DECODE && limit != core_part_FRONT_END))
        return false;
    for (enum core_part part = 0; part < core_part_COUNT; part++)
        if (part != core_part_PREDECODE && part != core_part_DECODE && part != core_part_FRONT_END)
            cycles = fmax(cycles, subject->path->bounds[part]);
    cycles = fmax(cycles, (double)subject->metric->uop_count / core->cache_width);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    remark_say(
        remark,
        "The loop is unrolled %d times, to %u instructions of %u bytes in all: that does not fit into the "
        "processor's store of decoded instructions, so they are decoded again in every iteration.",
        subject->role->unroll, subject->item_count, subject->metric->code_bytes);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct loop_role_row *role = subject->role;
    if (!without_matters(subject) || !role || role->unroll == NO_NUMBER || role->unroll < LEAST_UNROLL)
        return false;
    return find_spills(subject, remark) || find_decoding(subject, remark);
}

const struct rule rule_unrolled_too_much = {
    .name = "unrolled-too-much",
    .title = "The loop is unrolled too much",
    .meaning =
        "Unrolling saves counting and jumping, but every copy needs registers and room for its instructions. "
        "Where these run out, values go to memory and back, or instructions have to be decoded again and "
        "again, "
        "and the loop is slower than with fewer copies.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, NULL,
          "#pragma GCC unroll 2 (or 4) above the loop, which overrides -funroll-loops; Fortran: !GCC$ unroll "
          "2."},
         {audience_CLANG, NULL, "#pragma clang loop unroll_count(2) interleave_count(2) above the loop."},
         {audience_INTEL, NULL, "#pragma unroll(2) (Fortran: !DIR$ UNROLL(2)) above the loop."},
         {audience_ANY, NULL,
          "Where the source itself is unrolled (by hand, by macros or templates), do fewer elements in an "
          "iteration."}},
    .find = find,
};
