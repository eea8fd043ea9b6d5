/* assay schedule hosts: the directory. Writes what is known now, from this computer, from Slurm and from
   files, and lists what may still be believed. */
#include "cli/folders.h"
#include "cli/machines.h"
#include "cli/queries.h"
#include "cli/schedule.h"
#include "cli/session.h"
#include "plan/forecast/directory.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool write_all(struct ledger *ledger, const char *source, struct array *hosts, double now,
                      double seconds, struct error *error)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < hosts->count; i++)
        is_good =
            directory_write(ledger, source, ARRAY_AT(struct directory_host, hosts, i), now, seconds, error);
    return is_good;
}

static bool write_self(struct ledger *ledger, double now, struct error *error)
{
    struct array folders = folders_find("ASSAY_MACHINES", "machines");
    struct machine *machine = machines_host(&folders);
    struct directory_host host;
    bool is_good = directory_ask_self(&host, machine ? machine->name : NULL, error) &&
                   directory_write(ledger, "self", &host, now, directory_own_seconds, error);
    directory_host_free(&host);
    machine_free(machine);
    folders_free(&folders);
    return is_good;
}

static bool write_slurm(struct ledger *ledger, double now, struct error *error)
{
    struct array hosts;
    bool is_good = directory_ask_slurm(&hosts, error) &&
                   write_all(ledger, "slurm", &hosts, now, directory_slurm_seconds, error);
    directory_free(&hosts);
    return is_good;
}

static bool write_file(struct ledger *ledger, const char *path, double now, struct error *error)
{
    struct array hosts;
    double seconds;
    bool is_good =
        directory_read(&hosts, path, &seconds, error) && write_all(ledger, path, &hosts, now, seconds, error);
    directory_free(&hosts);
    return is_good;
}

/* All sources, or nothing. */
static bool learn(struct ledger *ledger, const struct invocation *invocation, struct error *error)
{
    double now = (double)time(NULL);
    const char *engine = options_value(invocation, OPTION_ENGINE);
    if (engine && strcmp(engine, "slurm") != 0 && strcmp(engine, "local") != 0)
        return error_set(error, NULL, "schedule hosts asks this computer (local) or slurm, not '%s'", engine);
    if (!ledger_begin(ledger, error))
        return false;
    bool is_good =
        engine && !strcmp(engine, "slurm") ? write_slurm(ledger, now, error) : write_self(ledger, now, error);
    for (size_t i = 1; is_good && i < invocation->operands.count; i++)
        is_good = write_file(ledger, options_operand(invocation, i), now, error);
    if (is_good && directory_clean(ledger, now, error))
        return ledger_commit(ledger, error);
    ledger_undo(ledger);
    return false;
}

static bool list(struct session *session, struct ledger *ledger, struct error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(ledger_connection(ledger), query_named(cli_ledger_queries, "hosts"), -1,
                           &statement, NULL))
        return error_set(error, ledger_path(ledger), "%s", sqlite3_errmsg(ledger_connection(ledger)));
    bool is_good = report_rows(statement, &session->style, -1, session->out, NULL, error);
    sqlite3_finalize(statement);
    return is_good;
}

int schedule_hosts(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct ledger *ledger = NULL;
    bool is_good = session_begin(&session, invocation, error) &&
                   (ledger = ledger_open(options_value(invocation, OPTION_LEDGER), true, error)) &&
                   learn(ledger, invocation, error) && list(&session, ledger, error);
    ledger_close(ledger);
    return session_end(&session, is_good ? 0 : 2, error);
}
