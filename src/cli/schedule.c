/* assay schedule: which word was given. */
#include "cli/schedule.h"

#include "cli/commands.h"

#include <string.h>

char *schedule_spool(const char *ledger)
{
    return memory_format("%s.spool", ledger);
}

int command_schedule(const struct invocation *invocation, struct error *error)
{
    static const struct {
        const char *name;
        command_function *run;
    } words[] = {{"submit", schedule_submit}, {"run", schedule_start},   {"what-if", schedule_guess},
                 {"cancel", schedule_cancel}, {"users", schedule_users}, {"show", schedule_show},
                 {"why", schedule_why},       {"hosts", schedule_hosts}};
    const char *word = options_operand(invocation, 0);
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].name, word))
            return words[i].run(invocation, error);
    error_set(error, NULL, "schedule takes submit, run, what-if, cancel, users, show, why or hosts, not '%s'",
              word);
    return 2;
}
