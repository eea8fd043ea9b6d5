/* assay schedule: its words, a function each. */
#ifndef CLI_SCHEDULE_H
#define CLI_SCHEDULE_H
#include "cli/options.h"

/* Operands begin with the word itself. */
command_function schedule_submit, schedule_start, schedule_guess, schedule_cancel, schedule_users,
    schedule_show, schedule_why, schedule_hosts;
/* The folder of job scripts and their outputs, beside a ledger; to be freed. */
char *schedule_spool(const char *ledger);
#endif
