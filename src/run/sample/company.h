/* What else the computer did while a program was sampled: how long the program's threads waited for a processor that others had,
   and how much of the processors' time others took.  Both are the kernel's own accounts. */
#ifndef RUN_SAMPLE_COMPANY_H
#define RUN_SAMPLE_COMPANY_H
#include "run/launch/accounts.h"
#include "run/sample/recording.h"

/* Of threads that run already: what they waited before does not count. */
void company_begin(struct sample_recording *recording);
/* Looks at each thread of a recording that has not ended: the last look before its end is what is known of it. */
void company_look_at_threads(struct sample_recording *recording);
/* What others took between two looks: the recording's processor time is known. */
void company_note(struct sample_recording *recording, struct accounts_computer before,
                  struct accounts_computer after);
#endif
