/* Loads of what a store of an earlier iteration wrote.

   The model of the core follows addresses through registers and takes two that it cannot compare for
   different places. Recorded addresses show where they are not: a load and a store that move by the same
   distance, the store ahead by a few steps of it, or both at one place.  Then iterations wait for each other
   through memory: the whole gap is explained if the store is near enough for that.  Where both move
   irregularly over little memory (a histogram), a load may meet the store before; how often is unknown. */
#include "watch/measure/gap_subject.h"

#include <math.h>

enum { MOST_ITERATIONS = 16, FEW_LINES = 32 };
static const double LONGEST_CHAIN = 100; /* cycles between load and store that are still believed */

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

bool gap_forwarding(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    double forward = machine && machine->core.forward > 0 ? machine->core.forward : NAN;
    if (subject->gap <= subject->least)
        return false;
    for (size_t i = 0; i < subject->accesses.count; i++)
        for (size_t k = 0; k < subject->accesses.count; k++) {
            const struct gap_access *load = gap_access(subject, i), *store = gap_access(subject, k);
            if (!load->is_measured || !store->is_measured || load->is_store || !store->is_store)
                continue;
            double steps = distance_of(load, store);
            double chain =
                (subject->gap + subject->predicted) * steps; /* cycles from a load to its store and on */
            bool is_chain = steps > 0 && !(chain < forward - 1) && chain <= LONGEST_CHAIN;
            if (!is_chain && !may_meet(load, store))
                continue;
            *evidence =
                (struct gap_evidence){.certainty = is_chain ? gap_certainty_SHOWN : gap_certainty_LIKELY,
                                      .cycles = is_chain ? subject->gap : NAN,
                                      .value = is_chain ? steps : NAN,
                                      .reference = forward,
                                      .instruction = load->instruction};
            if (is_chain)
                return true;
        }
    return evidence->instruction;
}
