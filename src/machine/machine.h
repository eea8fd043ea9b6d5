/* Processors, as the files in machines/ describe them.

   A machine file is text: one fact a line, `name value…`, # starts a comment; docs/machines.md has the
   format.  What a machine does with bundles (Itanium) or with ports (others) is behind the same questions. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H
#include "model/model.h"

struct machine;

/* By name, from the directories in order; the error lists the known names.  Loading takes less than 10 ms. */
struct machine *machine_load(const char *name, const char *const *directories, size_t directory_count,
                             struct error *error);
void machine_free(struct machine *machine);
/* The file that a processor without a name in it would use: that of the host (CPUID, MIDR) if its ISA is this
   one and it is known, else the default of the ISA.  *is_host says which. */
const char *machine_default(enum isa isa, bool *is_host);
#endif
