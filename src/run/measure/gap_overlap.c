/* Faster than predicted, because entries overlap.

   A prediction is for a loop that goes on for ever: what an iteration hands to the next is waited for each
   time. If an entry has few instructions, the reorder buffer holds the next entry, too, whose first iteration
   waits for nobody. A loop that is limited by something else than such a wait gains nothing from that.

   The own code of a loop around others runs while the core still works on the loops inside, or already on
   the next: how much of it that hides is unknown, and no fault of the model. */
#include "run/measure/gap_subject.h"

#include <math.h>

static const double LEAST_SHARE = 0.5; /* of an entry that the reorder buffer must hold */
enum { USUAL_BUFFER = 256 };

bool gap_is_faster(const struct gap_subject *subject)
{
    return -subject->gap > subject->least;
}

bool gap_overlap(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    double buffer =
        machine && machine->core.reorder_buffer ? machine->core.reorder_buffer : (double)USUAL_BUFFER;
    double entry = subject->iterations_per_entry * (subject->instructions ? subject->instructions : 1);
    if (subject->is_around && gap_is_faster(subject)) {
        *evidence = (struct gap_evidence){.certainty = gap_certainty_LIKELY,
                                          .cycles = subject->measured - subject->predicted,
                                          .value = NAN,
                                          .reference = NAN};
        return true;
    }
    if (!gap_is_faster(subject) || !(buffer / entry > LEAST_SHARE))
        return false;
    *evidence = (struct gap_evidence){.certainty = gap_certainty_LIKELY,
                                      .cycles = subject->measured - subject->predicted,
                                      .value = subject->iterations_per_entry,
                                      .reference = buffer / entry};
    return true;
}
