/* A loop that waits for its sum, inside another loop: a processor that works out of order has the next instructions, and
   they belong to the next sum as soon as this one's iterations are all in flight. So the last iterations, as many as
   the reorder buffer holds, wait beside the first ones of the next sum, and cost no more than their work.

   Without a count of iterations, so many are supposed as rows of small matrices have. With few, everything overlaps;
   with thousands nothing to speak of. Sums that the next one needs (a forward substitution) do not overlap, which is
   left out: the promise is too small there. */
#include "code/quality/rules/overlap.h"

#include <math.h>

enum { SUPPOSED = 50 };
static const double WORTH_A_WORD = 0.9, LIMITS = 0.9;

double overlap_cycles(const struct subject *subject)
{
    const struct machine_core *core = &subject->machine->core;
    double cycles = subject->path->cycles, work = subject->metric->cycles_without_dependence;
    double uops = subject->metric->uop_count ? subject->metric->uop_count : subject->item_count;
    bool waits = subject_bound(subject, core_part_LATENCY) >= LIMITS * cycles;
    if (model_loop(subject->model, subject->loop)->depth < 2 || !waits || !core->reorder_buffer ||
        !(work > 0 && work < cycles))
        return cycles;
    double trips = isfinite(subject->counted_trips) ? subject->counted_trips
                   : subject->trips                 ? (double)subject->trips
                                                    : SUPPOSED;
    double beside = fmin(trips, core->reorder_buffer / uops);
    return cycles - beside / trips * (cycles - work);
}

void overlap_take(const struct subject *subject, struct remark *remark)
{
    double cycles = overlap_cycles(subject);
    if (!(cycles < WORTH_A_WORD * subject->path->cycles) || isnan(remark->cycles))
        return;
    remark->now = cycles;
    remark->is_upper = true;
    remark_say(
        remark,
        " The loop around it begins the next one before this one is done, so an iteration is counted with %.2f "
        "cycles.",
        cycles);
}
