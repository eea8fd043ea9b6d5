/* Rows of denormal_sites. */
#include "run/denormal/parts.h"

#include <math.h>

struct denormal_site denormal_site_at(const struct places_location *place, uint32_t run, uint32_t phase)
{
    return (struct denormal_site){.run = run,
                                  .phase = phase,
                                  .program = place->program,
                                  .address = place->address,
                                  .instruction = place->instruction,
                                  .function = place->function,
                                  .loop = place->loop,
                                  .name = place->name,
                                  .low = NAN,
                                  .high = NAN,
                                  .seconds = NAN};
}
