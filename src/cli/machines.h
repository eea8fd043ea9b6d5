/* The machine that a command works for. */
#ifndef CLI_MACHINES_H
#define CLI_MACHINES_H
#include "machine/machine.h"

/* The one that is named, else the host where it runs code of this ISA and is known, else the default of the
 *ISA; is_host says whether it is the host's, for people to be told. */
struct machine *machines_take(const char *name, enum isa isa, bool *is_host, struct error *error);
/* Bounds for the innermost loops of all listings, on the machines that are taken where none is named.  What
   could not be done is noted as a problem. */
void machines_bound_listings(struct model *model, unsigned threads);
#endif
