/* Ctrl-C in long work whose results so far are worth keeping: the first one asks it to stop, the second one
   ends the process. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H
#include <stdbool.h>

/* From here on SIGINT, SIGTERM and SIGHUP are noted once; the next one ends the process, as leftovers_guard
   does. */
void interrupt_catch(void);
/* Whether one came. */
bool interrupt_came(void);
/* As leftovers_guard again, and forgets what came. */
void interrupt_release(void);
#endif
