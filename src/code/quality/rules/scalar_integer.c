/* Scalar integer instructions that compute addresses: how much slower they make the loop.

   The counter of a loop and an index loaded from an array are not faults; overhead.h defines what counts. Two
   faults have rules of their own (pointers loaded in every iteration, indices times a distance). If removing
   one of them gives the whole gain, that rule fires and this one does not. */
#include "code/quality/metrics/overhead.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/vector/carried.h"
#include "code/quality/without.h"

#include <math.h>

/* Every loop needs a few instructions for addresses, which cannot be removed. */
enum { LEAST_COUNT = 3, LEAST_SHARE = 4 /* at least one in this many */ };
static const double WORTH_A_WORD = 1.15, NEARLY_ALWAYS = 1.3;
/* Nearly the whole gain. */
static const double NEARLY_ALL = 1.02;

static void say(const struct overhead *overhead, struct remark *remark)
{
    const struct subject *subject = overhead->subject;
    unsigned multiplications = 0, divisions = 0, loads = 0;
    char buffer[64];
    const char *before = ": ";
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (overhead->kinds[i] == overhead_NONE)
            continue;
        enum class class = subject->items[i].row->class;
        remark_point(remark, i);
        multiplications += class == class_MULTIPLY || class == class_FMA;
        divisions += class == class_DIVIDE;
        loads += overhead->kinds[i] == overhead_POINTER;
    }
    unsigned others = overhead->count - multiplications - divisions - loads;
    remark_say(remark, "%u of the %u instructions per iteration only compute addresses", overhead->count,
               subject->item_count);
    const struct {
        unsigned count;
        const char *one, *many;
    } parts[] = {{divisions, "integer division", "integer divisions"},
                 {multiplications, "integer multiplication", "integer multiplications"},
                 {loads, "load of a pointer", "loads of pointers"},
                 {others, "addition, shift or copy", "additions, shifts and copies"}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].count)
            continue;
        remark_say(remark, "%s%s", before,
                   remark_count(buffer, sizeof buffer, parts[i].count, parts[i].one, parts[i].many));
        before = ", ";
    }
    remark_say(remark, ".");
}

static unsigned count_class(const struct overhead *overhead, enum class class)
{
    unsigned count = 0;
    for (unsigned i = 0; i < overhead->subject->item_count; i++)
        count += overhead->kinds[i] != overhead_NONE && overhead->subject->items[i].row->class == class;
    return count;
}

static bool has_class(const struct overhead *overhead, enum class class)
{
    return count_class(overhead, class) > 0;
}

/* What does the work of a division afterwards: a running index is stepped, compared and set back. */
static double cycles_of_running_indices(const struct overhead *overhead)
{
    enum { INSTRUCTIONS = 3 };
    const struct machine_core *core = &overhead->subject->machine->core;
    return core->issue ? (double)INSTRUCTIONS * count_class(overhead, class_DIVIDE) / core->issue : 0;
}

/* Whether the address of an iteration needs results of the one before in other ways than by a constant step,
   as in a binary search: then nothing of it can be removed. */
static bool is_search(const struct overhead *overhead)
{
    const struct subject *subject = overhead->subject;
    struct carried carried;
    carried_find(&carried, subject, 2);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (overhead->kinds[i] == overhead_OTHER &&
            (carried.kinds[i] == carried_CHASE || carried.kinds[i] == carried_RECURRENCE))
            return true;
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct overhead overhead;
    if (!overhead_matters(subject) || isnan(subject->metric->cycles_without_scalar_integer) ||
        !without_gains(subject, subject->metric->cycles_without_scalar_integer))
        return false;
    overhead_find(&overhead, subject);
    if (!has_class(&overhead, class_DIVIDE) &&
        (overhead.count < LEAST_COUNT || overhead.count * LEAST_SHARE < subject->item_count))
        return false;
    double cycles = overhead_cycles(&overhead, overhead_NONE) + cycles_of_running_indices(&overhead);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    if (is_search(&overhead))
        return false;
    for (enum overhead_kind kind = overhead_POINTER; kind <= overhead_STRIDE; kind++)
        if (overhead.counts[kind] && overhead_cycles(&overhead, kind) <= NEARLY_ALL * cycles &&
            (kind != overhead_STRIDE || subject->compiler->language == language_FORTRAN))
            return false;
    remark->cycles = cycles;
    /* Additions and copies alone are hard to remove; between branches other things may take the time. */
    bool is_plain = subject->metric->branch_count < 2;
    bool is_dear = has_class(&overhead, class_DIVIDE) || has_class(&overhead, class_MULTIPLY) ||
                   overhead.counts[overhead_POINTER];
    if (subject->path->cycles < NEARLY_ALWAYS * cycles)
        remark->level = is_dear ? advice_level_POTENTIAL : advice_level_HINT;
    else
        remark->level = is_dear && is_plain ? advice_level_GAIN : advice_level_POTENTIAL;
    say(&overhead, remark);
    return true;
}

const struct rule rule_scalar_integer = {
    .name = "scalar-integer",
    .title = "Address computation slows the loop down",
    .meaning = "Much of the loop computes the addresses of array elements. These instructions take issue "
               "slots from useful ones, and the arithmetic has to wait for them.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_ANY, NULL,
          "Make subscripts advance by a constant per iteration (an induction variable): replace divisions, "
          "remainders and products in them by a loop for each dimension or a running index.",
          action_SUBSCRIPT},
         {audience_C, NULL,
          "Use long or size_t as index, not unsigned int: an unsigned 32-bit index has to wrap around, which "
          "can cost an extra instruction per access.",
          action_INDEX_TYPE, precondition_narrow_index},
         {audience_C, NULL,
          "For structures, use at most one arrow in the loop: set a pointer before it (double *x = a->b->x) "
          "and use x[i].",
          action_HOIST, precondition_loaded_pointers},
         {audience_FORTRAN, NULL,
          "For derived types, use at most one % in the loop: p => a%b before it and p%c(i) in it.",
          action_HOIST, precondition_loaded_pointers},
         {0}},
    .find = find,
};
