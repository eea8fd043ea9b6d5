/* Denormal numbers: as `assay denormals` found them in this loop (its tables in the same database), or as a
   counter of assists says. */
#include "run/measure/gap_subject.h"

#include <math.h>

bool gap_denormals(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct model *model = subject->model;
    double iterations = (double)subject->row->iterations, events = 0, seconds = 0, most = 0;
    uint32_t instruction = 0;
    if (!(iterations > 0) || subject->gap <= subject->least)
        return false;
    for (uint32_t i = 1; i < model->denormal_sites.count; i++) {
        const struct denormal_site *site = model_denormal_site(model, i);
        double here = (double)site->operand_events + (double)site->underflow_events;
        if (site->loop != subject->row->loop)
            continue;
        events += here;
        seconds += site->seconds; /* NaN: the penalty is unknown */
        if (here > most) {
            most = here;
            instruction = site->instruction;
        }
    }
    double assists = gap_counted(subject, "assist", "fp");
    if (!(events > 0) && !(assists > 0.001))
        return false;
    double cycles = events > 0 ? seconds * subject->clock / iterations : NAN;
    *evidence = (struct gap_evidence){.certainty = isnan(cycles) ? gap_certainty_LIKELY
                                                                 : gap_certainty_of(subject, cycles),
                                      .cycles = cycles,
                                      .value = events > 0 ? events / iterations : assists,
                                      .instruction = instruction};
    return isnan(cycles) || cycles > 0;
}
