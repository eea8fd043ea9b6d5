/* Gathers that microcode guards.

   Since 2023, microcode of Intel's cores from Skylake to Ice Lake and Tiger Lake keeps gathers from leaking what
   other programs loaded (CVE-2022-40982, "Downfall").  They then take many times as long, and no two of them
   overlap.  Published tables are older, or measured without it.  So a machine file has the figures of its model, and

       guarded-gather 15 26 measured on …

   what the guard adds: cycles that a result comes later, and cycles from one gather to the next.  A machine with
   the guard is called NAME+guarded-gathers; this computer is one if its gathers are so slow (host_guards.c). */
#ifndef CODE_MACHINE_GUARDS_H
#define CODE_MACHINE_GUARDS_H
#include <stdbool.h>
#include <stdio.h>

struct gather_guard {
    double later, between; /* 0: the file does not say it */
    const char *source;
};

#define GUARDED_GATHERS "guarded-gathers"

struct machine;
/* Gives gathers the figures that they have with the guard; false: the file has none, and nothing changes. */
bool machine_guard_gathers(struct machine *machine);

/* Line `guarded-gather` of a machine file. */
struct reading;
bool guards_read(struct reading *reading);
bool guards_write(const struct machine *machine, FILE *out);

/* host_guards.c: whether gathers of this computer are guarded, by their time. */
bool host_guards_gathers(void);
#endif
