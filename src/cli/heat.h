/* assay asm --heat: where the time of functions of a run went, on their lines and instructions. */
#ifndef CLI_HEAT_H
#define CLI_HEAT_H
#include "cli/options.h"

/* The whole command; the exit code. */
int heat_asm(const struct invocation *invocation, struct error *error);
/* Without --heat: whether no option is there that only means something with it. */
bool heat_is_wanted_by(const struct invocation *invocation, struct error *error);
#endif
