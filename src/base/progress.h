/* Progress of long work: one line on standard error, only if that is a terminal, only after a second, at most
   ten times a second. Rooms below cli/ report progress; cli/ decides whether to show it. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H
#include <stdbool.h>
#include <stddef.h>

void progress_enable(bool enabled);
/* done and total in any unit; total 0 if unknown. */
void progress_tell(const char *what, size_t done, size_t total);
void progress_clear(void);
/* Also reports all progress to a function, from any thread that does the work; NULL: to none. */
typedef void progress_listener(void *context, const char *what, size_t done, size_t total);
void progress_follow(progress_listener *listener, void *context);
#endif
