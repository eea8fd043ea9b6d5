/* Loads that wait for stores with the same low 12 bits of the address: x86, whose processors compare these
   bits first and find out later that the addresses differ.  Such a load starts anew, which costs about as
   much as forwarding a stored value. */
#include "run/measure/gap_subject.h"

#include <math.h>

static const double LEAST_SHARE = 0.05;

bool gap_aliasing(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    const struct machine *machine = subject->machine->machine;
    double loads = 0, aliases = 0, aliases_per_iteration = 0, most = 0;
    uint32_t instruction = 0;
    if (!machine || machine->isa != isa_X86_64 || subject->gap <= subject->least)
        return false;
    for (size_t i = 0; i < subject->accesses.count; i++) {
        const struct gap_access *access = gap_access(subject, i);
        if (!access->is_measured || access->is_store || !access->count)
            continue;
        loads += (double)access->count;
        aliases += (double)access->aliases;
        double mine = (double)access->aliases / (double)access->count * access->per_iteration;
        aliases_per_iteration += mine;
        if (mine > most) {
            most = mine;
            instruction = access->instruction;
        }
    }
    if (!(aliases > LEAST_SHARE * loads))
        return false;
    double penalty = machine->core.forward > 0 ? machine->core.forward : NAN;
    double cycles = aliases_per_iteration * penalty;
    *evidence = (struct gap_evidence){.certainty = isnan(cycles) ? gap_certainty_LIKELY
                                                                 : gap_certainty_of(subject, cycles),
                                      .cycles = cycles,
                                      .value = aliases / loads,
                                      .instruction = instruction};
    return true;
}
