/* A workflow becomes rows: one transaction of the caller, so that all of it is there or nothing. */
#include "plan/schedule/workflow.h"
#include "plan/schedule/queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find_user(const struct workflow *workflow, struct ledger *ledger, int64_t *user,
                      struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_do(ledger, error, query_named(schedule_queries, "add_user"), "t", workflow->user) ||
        (!isnan(workflow->share) && !ledger_do(ledger, error, query_named(schedule_queries, "set_share"),
                                               "rt", workflow->share, workflow->user)) ||
        !ledger_ask(ledger, &rows, error, query_named(schedule_queries, "user_id"), "t", workflow->user))
        return false;
    if (ledger_next(&rows))
        *user = ledger_integer(&rows, 0);
    return ledger_end(&rows, error);
}

static bool is_new(const struct workflow *workflow, struct ledger *ledger, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(schedule_queries, "workflow_submitted"), "t",
                    workflow->name))
        return false;
    char when[40] = "";
    bool is_known = ledger_next(&rows);
    if (is_known)
        snprintf(when, sizeof when, "%s", ledger_text(&rows, 0) ? ledger_text(&rows, 0) : "");
    if (!ledger_end(&rows, error))
        return false;
    return !is_known ||
           error_set(error, workflow->settings.path,
                     "a workflow '%s' was submitted already (%s); give this one another name = …",
                     workflow->name, when);
}

/* WORKFLOW/TASK of another workflow. */
static bool find_other(const struct workflow *workflow, const struct workflow_need *need,
                       struct ledger *ledger, int64_t *task, struct error *error)
{
    struct ledger_rows rows;
    const char *slash = strchr(need->name, '/');
    autofree char *other = memory_copy_text(need->name, (size_t)(slash - need->name));
    bool is_known = false,
         is_good = ledger_ask(ledger, &rows, error, query_named(schedule_queries, "find_other"), "tt", other,
                              slash + 1);
    if (!is_good)
        return false;
    is_known = ledger_next(&rows);
    if (is_known)
        *task = ledger_integer(&rows, 0);
    if (!ledger_end(&rows, error))
        return false;
    return is_known ||
           settings_complain(&workflow->settings, need->setting, error,
                             "there is no task %s in the ledger; submit that workflow first", need->name);
}

static bool add_task(const struct workflow_task *task, int64_t workflow, struct ledger *ledger, int64_t *id,
                     struct error *error)
{
    if (!ledger_do(ledger, error, query_named(schedule_queries, "add_task"), "ittiiirtrtttrrti", workflow,
                   task->name, task->command, (int64_t)task->least, (int64_t)task->most, (int64_t)task->spans,
                   task->memory, task->hosts, task->deadline, task->predictor, task->inputs, task->scaling,
                   task->seconds, task->simulated, isnan(task->seconds) ? "mean" : "declared",
                   (int64_t)task->tries))
        return false;
    *id = ledger_last_id(ledger);
    for (size_t i = 0; i < task->files.count; i++) {
        const struct workflow_file *file = ARRAY_AT(struct workflow_file, &task->files, i);
        if (!ledger_do(ledger, error, query_named(schedule_queries, "add_task_file"), "itir", *id, file->path,
                       (int64_t)file->is_output, file->bytes))
            return false;
    }
    return true;
}

static bool add_needs(const struct workflow *workflow, const int64_t *ids, struct ledger *ledger,
                      struct error *error)
{
    for (size_t i = 0; i < workflow->tasks.count; i++) {
        const struct array *needs = &ARRAY_AT(struct workflow_task, &workflow->tasks, i)->needs;
        for (size_t j = 0; j < needs->count; j++) {
            const struct workflow_need *need = ARRAY_AT(struct workflow_need, needs, j);
            int64_t needed = need->task == SIZE_MAX ? 0 : ids[need->task];
            if (!needed && !find_other(workflow, need, ledger, &needed, error))
                return false;
            if (!ledger_do(ledger, error, query_named(schedule_queries, "add_need"), "iir", ids[i], needed,
                           need->bytes))
                return false;
        }
    }
    return true;
}

bool workflow_add(const struct workflow *workflow, struct ledger *ledger, double now, int64_t *id,
                  struct error *error)
{
    int64_t user = 0, *ids = memory_get((workflow->tasks.count + 1) * sizeof *ids);
    bool is_good = is_new(workflow, ledger, error) && find_user(workflow, ledger, &user, error) &&
                   ledger_do(ledger, error, query_named(schedule_queries, "add_workflow"), "tittrri",
                             workflow->name, user, workflow->path, workflow->folder, now, workflow->deadline,
                             (int64_t)workflow->is_speculative);
    *id = ledger_last_id(ledger);
    for (size_t i = 0; is_good && i < workflow->tasks.count; i++)
        is_good = add_task(ARRAY_AT(struct workflow_task, &workflow->tasks, i), *id, ledger, &ids[i], error);
    is_good = is_good && add_needs(workflow, ids, ledger, error);
    if (is_good) {
        char *reason = memory_format("workflow %s of %s: %zu task%s%s", workflow->name, workflow->user,
                                     workflow->tasks.count, workflow->tasks.count == 1 ? "" : "s",
                                     workflow->is_speculative ? ", speculative: planned, never started" : "");
        for (size_t i = 0; is_good && i < workflow->tasks.count; i++)
            is_good = ledger_do(ledger, error, query_named(schedule_queries, "add_submission"), "rit", now,
                                ids[i], reason);
        free(reason);
    }
    free(ids);
    return is_good;
}
