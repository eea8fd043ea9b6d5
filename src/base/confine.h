/* For a process that works on a stranger's text: from here on it computes, reads files, and writes to what is
   open already. It starts no program and no process, opens no socket and nothing for writing, makes no memory
   executable, and signals nobody else. There is no way back. confine.c lists what is left. */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H
#include <stdbool.h>

/* To be called while the process has one thread; threads that it starts later are confined, too. false: this
   kernel cannot (no seccomp, or a program that imitates one), and the limits of base/child.h are all that
   there is. */
bool confine(void);
#endif
