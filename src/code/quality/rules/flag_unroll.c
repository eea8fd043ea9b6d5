/* Small loops that are not unrolled and spend much of their time on loop overhead. The model computes the
 * cycles of several copies of the path with one counter and one jump. Addresses need no counters of their
 * own: copies use constant offsets. Only loops that a compiler would unroll as a whole are reported: one
 * path, one exit, no calls. A loop limited by a dependence or by its data gains nothing, and the estimate
 * shows it. */
#include "code/quality/altered.h"
#include "code/quality/rules/flags.h"

#include <math.h>

/* GCC unrolls up to eight times, and no loop beyond 200 instructions (max-unroll-times, max-unrolled-insns);
   four times is certain to fit. */
enum { COPIES = 4, MOST_INSTRUCTIONS = 40 };
/* Registers that a copy may take beyond those in use: copies overlap, and each has its own values. */
enum { MOST_GENERAL = 10, MOST_VECTOR = 10 };
/* Smaller gains are lost again at the ends of short loops. On a Neoverse V1, 1.33 became 1.06 when it was
   measured, 1.5 became 1.53. */
static const double WORTH_A_WORD = 1.15, WORTH_THE_TROUBLE = 1.4;

/* Whether all copies share an item: the counter, its comparison, the jump back, and steps of addresses by a
   constant. */
static bool is_shared(const struct subject *subject, unsigned item)
{
    const struct subject_item *row = &subject->items[item];
    const struct machine_cost *cost = ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
    if (row->purpose == purpose_CONTROL || row->purpose == purpose_IDLE)
        return true;
    return row->purpose == purpose_ADDRESS && cost->step.to && cost->step.to == cost->step.from;
}

static double cycles_unrolled(const struct subject *subject)
{
    struct altered altered;
    const struct cost_item *first = subject->work->items.data;
    altered_begin(&altered, subject, COPIES, first->address);
    for (unsigned copy = 0; copy < COPIES; copy++)
        for (unsigned i = 0; i < subject->item_count; i++)
            if (copy == COPIES - 1 || !is_shared(subject, i))
                altered_keep(&altered, i);
    return altered_cycles(&altered);
}

/* Loops that a compiler unrolls only with an option that was not given. */
static bool could_be_unrolled(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    const struct loop *loop = model_loop(subject->model, subject->loop);
    const struct loop_metric *metric = subject->metric;
    if (!flags_matter(subject) || compiler->has_unroll || compiler->optimisation < 2 ||
        compiler->optimises_size || subject->path->call_count || subject->work->is_bundled)
        return false;
    if (loop->exit_count != 1 || loop->block_count != 1 || subject->item_count > MOST_INSTRUCTIONS)
        return false;
    if (!subject->role || subject->role->unroll != 1)
        return false;
    /* Vectors come first: they save more, and the compiler unrolls for them. */
    if (!flags_has_vectors(subject) && flags_vector_speedup(subject) >= WORTH_A_WORD)
        return false;
    return metric->general_pressure != NO_NUMBER && metric->general_pressure <= MOST_GENERAL &&
           metric->vector_pressure != NO_NUMBER && metric->vector_pressure <= MOST_VECTOR &&
           !metric->stack_reference_count;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned shared = 0, work = 0;
    if (!could_be_unrolled(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (is_shared(subject, i)) {
            remark_point(remark, i);
            shared++;
        } else if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_fp) {
            work += subject->items[i].is_arithmetic;
        }
    }
    if (!shared || !work)
        return false;
    double cycles = cycles_unrolled(subject);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    if (subject->path->cycles < WORTH_THE_TROUBLE * cycles || !flags_has_vectors(subject))
        remark->level = advice_level_HINT;
    remark_say(remark,
               "%u of the %u instructions per iteration are loop overhead (count, compare, jump), paid for "
               "%s. Unrolled four times, the work of an iteration would take %.2f cycles instead of %.2f.",
               shared, subject->item_count,
               subject->metric->vector_ratio_fp > 0 ? "each vector" : "each element", cycles,
               subject->path->cycles);
    return true;
}

const struct rule rule_flag_unroll = {
    .name = "flag-unroll",
    .title = "Loop overhead takes a large part of the time",
    .meaning =
        "Every iteration increments a counter, compares it with the end and jumps back. In a small loop this "
        "overhead is large compared with the work. An unrolled loop does several iterations per jump. That "
        "pays for loops with many iterations; loops with few never reach the unrolled part.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_GCC, "-funroll-loops",
          "-funroll-loops for the files with such loops, or #pragma GCC unroll 4 (Fortran: !GCC$ unroll 4) "
          "above this loop only.",
          action_UNROLL},
         {audience_CLANG, "-funroll-loops",
          "Remove -fno-unroll-loops, or put #pragma clang loop unroll_count(4) above this loop only.",
          action_UNROLL},
         {audience_INTEL, "-funroll-loops",
          "-unroll, or #pragma unroll(4) (Fortran: !DIR$ UNROLL(4)) above this loop only.", action_UNROLL}},
    .find = find,
};
