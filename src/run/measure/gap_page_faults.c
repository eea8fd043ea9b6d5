/* Page faults: the kernel's time below the loop's own code, which it entered without a call.  Interrupts are
   in that time, too, but take far less than a tenth of it; the count of faults of the whole run must allow
   it. */
#include "run/measure/gap_subject.h"

static const double LEAST_SAMPLES = 8;
static const double LEAST_SHARE = 0.05;    /* of the loop's time */
static const double MOST_A_FAULT = 100e-6; /* seconds: more than any fault without a disc takes */

bool gap_page_faults(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct run_loop *row = subject->row;
    double faults = (double)subject->run->minor_faults + (double)subject->run->major_faults;
    double time = row->self_seconds + row->kernel_seconds;
    double samples = row->kernel_seconds * subject->run->frequency;
    if (!(row->kernel_seconds > LEAST_SHARE * time) || !(subject->kernel > 0) || !(samples >= LEAST_SAMPLES))
        return false;
    if (!subject->run->major_faults && row->kernel_seconds > faults * MOST_A_FAULT)
        return false;
    *evidence = (struct gap_evidence){.certainty = gap_certainty_SHOWN,
                                      .cycles = subject->kernel,
                                      .value = row->kernel_seconds / time,
                                      .reference = faults};
    return true;
}
