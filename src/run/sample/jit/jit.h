/* Code that a program made while it ran, by what its compiler wrote about it.

   - A jitdump file has each function's place, name and bytes, and often its source lines: perf's format for just-in-time
     compilers (tools/perf/Documentation/jitdump-specification.txt of the kernel).  A map of it with the right to
     execute tells whoever samples where it is: jit-PID.dump.
   - /tmp/perf-PID.map has places and names alone, a line each.

   Of both only functions with samples are kept.  Those of a jitdump become a program: an ELF file in memory that is
   read like any other, so hot code of a just-in-time compiler has loops, cycles and advice.  Those of a map have
   names.

   A recording has no times of single samples.  Where two functions were at one place, the later one has all samples
   there, and recording.reused says how many such functions there are.

   Both files are hostile input: every size is checked against the file; what is kept has limits; a file that makes no
   sense from some point on gives what it has until there (recording.undumped).  A file of another user is not read,
   but for root's. */
#ifndef RUN_SAMPLE_JIT_JIT_H
#define RUN_SAMPLE_JIT_JIT_H
#include "run/sample/recording.h"

struct jit_wish {
    /* Where files are looked for by their names before they are at their own place; NULL: nowhere. */
    const char *folder, *beside;
    bool
        is_elsewhere; /* recorded on another computer, as far as is known: what lies at these places here is another's */
};
/* After the last sample, once: frames of such code are put into files of their own, or (wish NULL) all into one again. */
void jit_settle(struct sample_recording *recording, const struct jit_wish *wish);
/* The file in memory of a dump's code; -1 where there is none. */
void jit_forget(struct sample_recording *recording);
/* When the model has been read: its programs have the names of the dumps. */
void jit_name_programs(struct model *model, const struct sample_recording *recording);
#endif
