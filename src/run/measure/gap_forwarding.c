/* Loads of what a store of an earlier iteration wrote.

   The model of the core follows addresses through registers and takes two that it cannot compare for
   different places.  Recorded addresses show where they are not: a load and a store that move by the same
   distance, the store ahead by a few steps of it, or both at one place.  Then iterations wait for each other
   through memory. That explains the whole gap if it is no longer than forwarding a value and a little
   arithmetic; of a longer one, and where both stay at one place, only the forwarding itself.  Where both move
   irregularly over little memory (a histogram), a load may meet the store before; how often is unknown. */
#include "run/measure/gap_subject.h"

#include <math.h>

enum { MOST_ITERATIONS = 16, FEW_LINES = 32 };
static const double ARITHMETIC = 12; /* cycles from a load to its store that are still believed */

/* Iterations from the store to the load of its value; 0: they do not meet. */
static double distance_of(const struct gap_access *load, const struct gap_access *store)
{
    if (!load->is_regular || !store->is_regular || load->stride != store->stride)
        return 0;
    if (!load->stride)
        return load->minimum == store->minimum;
    if (load->is_backwards != store->is_backwards)
        return 0;
    /* The place where each began. */
    uint64_t first_load = load->is_backwards ? load->maximum : load->minimum;
    uint64_t first_store = store->is_backwards ? store->maximum : store->minimum;
    bool is_ahead = load->is_backwards ? first_store < first_load : first_store > first_load;
    uint64_t bytes = first_store > first_load ? first_store - first_load : first_load - first_store;
    uint64_t steps = bytes / load->stride, rest = bytes % load->stride;
    return is_ahead && steps >= 1 && steps <= MOST_ITERATIONS && rest < load->bytes ? (double)steps : 0;
}

static bool may_meet(const struct gap_access *load, const struct gap_access *store)
{
    return !load->is_regular && !store->is_regular && load->minimum <= store->maximum &&
           store->minimum <= load->maximum && load->lines <= FEW_LINES && store->lines <= FEW_LINES;
}

/* What a load that reads the store of so many iterations before says. */
static struct gap_evidence judge(const struct gap_subject *subject, const struct gap_access *load,
                                 double steps)
{
    const struct machine *machine = subject->machine->machine;
    double forward = machine && machine->core.forward > 0 ? machine->core.forward : NAN;
    double chain =
        (subject->gap + subject->predicted) * steps; /* from a load to its store and to the next load */
    bool explains_all = load->stride && chain >= forward - 1 && chain <= forward + ARITHMETIC;
    return (struct gap_evidence){.certainty = explains_all ? gap_certainty_SHOWN : gap_certainty_LIKELY,
                                 .cycles = explains_all ? subject->gap
                                                        : fmax(forward / steps - subject->predicted, 0),
                                 .value = steps,
                                 .reference = forward,
                                 .instruction = load->instruction};
}

bool gap_forwarding(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    *evidence = (struct gap_evidence){.cycles = -1};
    if (subject->gap <= subject->least)
        return false;
    for (size_t i = 0; i < subject->accesses.count; i++)
        for (size_t k = 0; k < subject->accesses.count; k++) {
            const struct gap_access *load = gap_access(subject, i), *store = gap_access(subject, k);
            if (!load->is_measured || !store->is_measured || load->is_store || !store->is_store)
                continue;
            double steps = distance_of(load, store);
            bool is_possible = !steps && may_meet(load, store);
            if (!steps && !is_possible)
                continue;
            struct gap_evidence found = judge(subject, load, steps);
            if (is_possible) {
                found.cycles = found.value = NAN;
                found.certainty = gap_certainty_LIKELY;
            }
            if (!evidence->instruction || found.cycles > evidence->cycles)
                *evidence = found;
        }
    return evidence->instruction && evidence->cycles != 0;
}
