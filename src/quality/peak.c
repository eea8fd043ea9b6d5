#include "quality/metrics.h"

void machine_peak_find(struct machine_peak *peak, const struct machine *machine, enum element element)
{
    (void)machine;
    (void)element;
    *peak = (struct machine_peak){0};
}

unsigned machine_vector_bits(const struct machine *machine)
{
    return machine->core.vector_bits;
}
