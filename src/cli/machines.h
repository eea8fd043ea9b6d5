/* The machine that a command models: which one, and the words for it. */
#ifndef CLI_MACHINES_H
#define CLI_MACHINES_H
#include "cli/session.h"
#include "code/machine/machine.h"

/* The named machine, which must run code for the ISA; else the host's if it is known and runs this ISA, else
   the default for the ISA.  isa_NONE: whatever a named machine runs, else the host's ISA.  is_host: it is the
   host's, which the output mentions. */
struct machine *machines_take(const char *name, enum isa isa, bool *is_host, struct error *error);
/* Whether --machine, if it is given, names one: asked before a long run, not after it. */
bool machines_know_name(const struct invocation *invocation, struct error *error);
/* This computer's, of these folders; NULL if no file describes its processor. */
struct machine *machines_host(const struct array *directories);
/* The processor of runs by its title, where a file describes it. */
void machines_name_processors(struct model *model);
/* The line that names the machine, and why it is this one, in the output. */
void machines_print(const struct session *session, const struct machine *machine, bool is_host);
/* The same on standard error, unless --machine names it: for output that has no such line. */
void machines_say(const struct session *session, const struct machine *machine, bool is_host);
/* Bounds for the innermost loops of all listings, on the default machines. Failures are recorded as problems.
 */
void machines_bound_listings(struct model *model, unsigned threads);
#endif
