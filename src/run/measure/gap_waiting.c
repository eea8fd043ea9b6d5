/* Threads that wait: by the clock an iteration took longer than its thread ran (samples count processor
   time), and threads of the run waited as long as that at least. */
#include "run/measure/gap_subject.h"

bool gap_waiting(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct sampled_run *run = subject->run;
    double clock = subject->row->probed_cycles;
    double seconds = subject->waited * (double)subject->row->iterations / subject->clock;
    if (!(subject->waited > 0) || !(run->waiting_seconds > 0.5 * seconds))
        return false;
    *evidence = (struct gap_evidence){.certainty = gap_certainty_SHOWN,
                                      .cycles = subject->waited,
                                      .value = subject->waited / clock,
                                      .reference = run->threads};
    return true;
}
