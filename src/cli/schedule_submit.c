/* assay schedule submit, cancel and users: rows of the ledger, which a scheduler that runs takes up at once.
 */
#include "base/output.h"
#include "base/clock.h"
#include "cli/printing.h"
#include "cli/queries.h"
#include "cli/schedule.h"
#include "cli/session.h"
#include "plan/schedule/workflow.h"

#include <stdlib.h>
#include <string.h>

static struct ledger *open_ledger(const struct invocation *invocation, struct error *error)
{
    return ledger_open(options_value(invocation, OPTION_LEDGER), true, error);
}

/* --- submit --- */

static bool add_all(struct ledger *ledger, const struct workflow *flows, size_t count, struct error *error)
{
    int64_t id;
    if (!ledger_begin(ledger, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!workflow_add(&flows[i], ledger, clock_calendar_seconds(), &id, error)) {
            ledger_undo(ledger);
            return false;
        }
    return ledger_commit(ledger, error);
}

/* Nothing is refused for it: who is late wants to know, and wants the result all the same. */
static void say_late(const struct session *session, const struct workflow *flow)
{
    double moment = clock_calendar_seconds();
    if (flow->deadline <= moment)
        session_say(session, "%s: its deadline has passed already", flow->name);
    for (size_t i = 0; i < flow->tasks.count; i++) {
        const struct workflow_task *task = ARRAY_AT(struct workflow_task, &flow->tasks, i);
        if (task->deadline <= moment)
            session_say(session, "%s/%s: its deadline has passed already", flow->name, task->name);
    }
}

static void say_submitted(const struct session *session, struct ledger *ledger, const struct workflow *flows,
                          size_t count)
{
    int64_t holder = ledger_lock_holder(ledger);
    for (size_t i = 0; i < count; i++)
        say_late(session, &flows[i]);
    for (size_t i = 0; i < count; i++)
        session_say(session, "%s: %zu task%s%s", flows[i].name, flows[i].tasks.count,
                    flows[i].tasks.count == 1 ? "" : "s",
                    flows[i].is_speculative ? ", speculative: planned, never started" : "");
    if (holder)
        session_say(session, "the scheduler that runs (process %lld) takes up what is new",
                    (long long)holder);
    else
        session_say(session, "assay schedule run starts what was submitted");
}

int schedule_submit(const struct invocation *invocation, struct error *error)
{
    struct session session;
    size_t count = invocation->operands.count - 1, read = 0;
    autofree struct workflow *flows = memory_get((count + 1) * sizeof *flows);
    struct ledger *ledger = NULL;
    int code = 2;
    bool is_good = session_begin(&session, invocation, error);
    if (is_good && !count)
        is_good =
            error_set(error, NULL, "schedule submit takes files of workflows: assay schedule submit FLOW…");
    while (is_good && read < count) {
        output_spare(options_operand(invocation, read + 1));
        is_good = workflow_read(&flows[read], options_operand(invocation, read + 1), clock_calendar_seconds(),
                                error);
        read++;
    }
    if (is_good && (ledger = open_ledger(invocation, error)) && add_all(ledger, flows, count, error)) {
        say_submitted(&session, ledger, flows, count);
        code = 0;
    }
    ledger_close(ledger);
    for (size_t i = 0; i < read; i++)
        workflow_free(&flows[i]);
    return session_end(&session, code, error);
}

/* --- cancel --- */

static bool find_flow(struct ledger *ledger, const char *name, int64_t *flow, struct error *error)
{
    struct ledger_rows rows;
    *flow = 0;
    if (!ledger_ask(ledger, &rows, error, query_named(cli_ledger_queries, "workflow_named"), "t", name))
        return false;
    if (ledger_next(&rows))
        *flow = ledger_integer(&rows, 0);
    return ledger_end(&rows, error) &&
           (*flow || error_set(error, ledger_path(ledger),
                               "there is no workflow '%s'; assay schedule show --all lists them", name));
}

/* Tasks of a workflow, or the one of this name and its probes. *count gets how many were not over yet. */
static bool cancel_tasks(struct ledger *ledger, int64_t flow, const char *task, int64_t *count,
                         struct error *error)
{
    bool is_good = ledger_do(ledger, error, query_named(cli_ledger_queries, "note_cancelled"), "itr", flow,
                             task, clock_calendar_seconds());
    *count = is_good ? sqlite3_changes64(ledger_connection(ledger)) : 0;
    is_good = is_good &&
              ledger_do(ledger, error, query_named(cli_ledger_queries, "cancel_tasks"), "it", flow, task);
    return is_good;
}

static bool has_task(struct ledger *ledger, int64_t flow, const char *task, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(cli_ledger_queries, "task_named"), "it", flow, task))
        return false;
    bool is_there = ledger_next(&rows);
    return ledger_end(&rows, error) &&
           (is_there || error_set(error, ledger_path(ledger), "that workflow has no task '%s'", task));
}

static bool cancel_one(struct ledger *ledger, const char *name, int64_t *count, struct error *error)
{
    const char *slash = strchr(name, '/'), *task = slash ? slash + 1 : NULL;
    autofree char *flow_name = memory_copy_text(name, slash ? (size_t)(slash - name) : strlen(name));
    int64_t flow;
    bool is_good = find_flow(ledger, flow_name, &flow, error);
    return is_good && (!task || has_task(ledger, flow, task, error)) &&
           cancel_tasks(ledger, flow, task, count, error) &&
           (task || ledger_do(ledger, error, query_named(cli_ledger_queries, "cancel_workflow"), "i", flow));
}

static int64_t count_jobs(struct ledger *ledger)
{
    struct ledger_rows rows;
    struct error ignored = {0};
    int64_t count = 0;
    if (!ledger_ask(ledger, &rows, &ignored, query_named(cli_ledger_queries, "count_cancelled_jobs"), ""))
        return 0;
    if (ledger_next(&rows))
        count = ledger_integer(&rows, 0);
    ledger_end(&rows, &ignored);
    return count;
}

static bool cancel_all(const struct session *session, struct ledger *ledger, struct error *error)
{
    int64_t all = 0;
    if (!ledger_begin(ledger, error))
        return false;
    for (size_t i = 1; i < session->invocation->operands.count; i++) {
        int64_t count = 0;
        if (!cancel_one(ledger, options_operand(session->invocation, i), &count, error)) {
            ledger_undo(ledger);
            return false;
        }
        all += count;
    }
    if (!ledger_commit(ledger, error))
        return false;
    int64_t jobs = count_jobs(ledger);
    session_say(session, "%lld task%s cancelled", (long long)all, all == 1 ? "" : "s");
    if (jobs && !ledger_lock_holder(ledger))
        session_say(session, "%lld job%s: the next assay schedule run ends %s", (long long)jobs,
                    jobs == 1 ? " still runs" : "s still run", jobs == 1 ? "it" : "them");
    return true;
}

int schedule_cancel(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct ledger *ledger = NULL;
    int code = 2;
    bool is_good = session_begin(&session, invocation, error);
    if (is_good && invocation->operands.count < 2)
        is_good = error_set(error, NULL, "schedule cancel takes WORKFLOW or WORKFLOW/TASK");
    /* What does not exist has nothing to cancel: it is not made here. */
    if (is_good && (ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error))) {
        ledger_close(ledger);
        ledger = open_ledger(invocation, error);
        code = ledger && cancel_all(&session, ledger, error) ? 0 : 2;
    }
    ledger_close(ledger);
    return session_end(&session, code, error);
}

/* --- users --- */

static bool set_share(const struct invocation *invocation, struct error *error)
{
    const char *name = options_operand(invocation, 1), *text = options_value(invocation, OPTION_SHARE);
    char *end;
    double share = strtod(text, &end);
    if (!name)
        return error_set(error, NULL, "--share is for one user: assay schedule users NAME --share %s", text);
    if (*end || end == text || !(share >= 0.001 && share <= 1e6))
        return error_set(error, NULL, "--share takes a number from 0.001 to 1000000, not '%s'", text);
    struct ledger *ledger = open_ledger(invocation, error);
    bool is_good =
        ledger && ledger_do(ledger, error, query_named(cli_ledger_queries, "write_share"), "tr", name, share);
    ledger_close(ledger);
    return is_good;
}

int schedule_users(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct store_choice choice = {0};
    struct printing printing = {.session = &session};
    if (options_has(invocation, OPTION_SHARE) && !set_share(invocation, error))
        return 2;
    struct ledger *ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    if (!ledger)
        return 2;
    autofree char *path = memory_format("%s", ledger_path(ledger));
    ledger_close(ledger);
    bool is_good = session_open_ledger(&session, invocation, path, error) &&
                   store_run(session.store, NULL, query_named(cli_ledger_queries, "users"), &choice,
                             printing_rows, &printing, error);
    return session_end(&session, is_good ? 0 : 2, error);
}
