/* The machine that a command models. */
#ifndef CLI_MACHINES_H
#define CLI_MACHINES_H
#include "machine/machine.h"

/* The named machine, else the host's if it is known and runs this ISA, else the default for the ISA; is_host:
   it is the host's, which the output mentions. */
struct machine *machines_take(const char *name, enum isa isa, bool *is_host, struct error *error);
/* Bounds for the innermost loops of all listings, on the default machines. Failures are recorded as problems.
 */
void machines_bound_listings(struct model *model, unsigned threads);
#endif
