/* The script that a job is, and what it leaves in the spool; shared by the engines that run real commands.

   The script claims its tag by making the folder SPOOL/TAG, runs the command in there, and renames
   SPOOL/TAG/end into place as its last act. A folder can be made once only, so a tag is run at most once,
   however many jobs with that tag there are. The same trick revokes a tag: who makes its folder first without
   running anything knows that no job will ever run it, even one that is still on its way to a queue.

       SPOOL/TAG/begin    when it began, number of its process, name of the computer
       SPOOL/TAG/output   standard output and errors of the command
       SPOOL/TAG/end      exit status, times
       SPOOL/TAG/revoked  instead of all these

   A folder may be removed only when no job with its tag can be left in any queue. */
#ifndef PLAN_SCHEDULE_ENGINE_SCRIPT_H
#define PLAN_SCHEDULE_ENGINE_SCRIPT_H
#include "plan/schedule/engine.h"

/* Letters, digits, `-`, `_` and `.`, at most 100, none at the beginning that an option or a hidden file has.
 */
bool script_is_tag(const char *tag);

/* Writes the script of a job to SPOOL/TAG.sh, whole or not at all.  Returns its path, to be freed, or NULL.
 */
char *script_write(const char *spool, const struct engine_job *job, struct error *error);

enum script_state {
    script_UNCLAIMED, /* no job has begun */
    script_CLAIMED,   /* it runs, or it was killed */
    script_REVOKED,
    script_ENDED, /* status has exit_status, started, ended and cpu_seconds */
    script_UNREADABLE
};
struct script_begin {
    double time; /* NaN: not known */
    int64_t process;
    char host[256];
};
/* What the spool knows of a tag.  Sets started as soon as it is known, and the rest of the status (but not
   its state) where it ended; begin may be NULL. */
enum script_state script_look(const char *spool, const char *tag, struct engine_status *status,
                              struct script_begin *begin);

/* Makes sure that a tag is never run.  false: it cannot be made sure, since it has begun or the spool cannot
   be written; *has_begun says which. */
bool script_revoke(const char *spool, const char *tag, bool *has_begun);
#endif
