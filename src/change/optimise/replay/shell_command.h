/* Commands of the user, which build and run whole programs: by a shell, in the current folder.  A child process
   is limited in time and output alone, and ends by Ctrl-C (base/interrupt.h). */
#ifndef CHANGE_OPTIMISE_REPLAY_SHELL_COMMAND_H
#define CHANGE_OPTIMISE_REPLAY_SHELL_COMMAND_H
#include "base/child.h"

enum { SHELL_COMMAND_LONGEST = 3600 }; /* seconds */

struct shell_command {
    double seconds; /* of processors; by the clock where it used several at once */
    char *output;
    char *problem; /* a sentence: why it failed; NULL: it did not */
    enum child_end end;
};
/* most: seconds.  false: it could not be started, or Ctrl-C ended it. */
bool shell_command_run(const char *command, double most, struct shell_command *outcome, struct error *error);
void shell_command_free(struct shell_command *outcome);
#endif
