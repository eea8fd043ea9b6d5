/* A process that cleans up if we are killed, which we could not notice ourselves: it then ends the watched
 * program and removes the folder of the recordings. */
#ifndef RUN_LAUNCH_GUARD_H
#define RUN_LAUNCH_GUARD_H
#include <sys/types.h>

struct guard {
    pid_t process; /* 0: there is none; the run goes on without */
    int pipe;
};

struct guard guard_begin(const char *folder);
void guard_program(const struct guard *guard, pid_t program); /* it has started */
void guard_end(struct guard *guard);                          /* it has ended, and we clean up ourselves */
#endif
