/* Long work shows how far it is: one line on standard error, only where that is a terminal, only after a
   second, at most ten times a second.  Rooms below cli/ tell, and cli/ decides whether anything shows. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

void progress_enable(bool enabled);
/* done and total in any unit; total 0 where it is not known. */
void progress_tell(const char *what, size_t done, size_t total);
void progress_clear(void);
#endif
