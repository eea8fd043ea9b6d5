/* For programs: csv has a row for each chosen task, json an object with the answer and all of it. Times are
   seconds, as in the ledger. */
#include "show/report/common/row_writer.h"
#include "show/report/common/rows.h"
#include "show/report/schedule/view.h"

#include "show/report/common/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_task(struct row_writer *row, const struct schedule_view *view, const struct view_task *task)
{
    double lower = NAN, upper = NAN;
    bool is_over = task->state == task_DONE || task->state == task_FAILED;
    if (!view_task_interval(task, &lower, &upper))
        lower = upper = NAN;
    row_text(row, "workflow", view_workflow_of(view, task)->name);
    row_text(row, "task", task->name);
    row_text(row, "probe_of", task->of);
    row_text(row, "state", task_state_words[task->state]);
    row_integer(row, "attempts", task->attempts);
    row_integer(row, "processors", task->processors);
    row_number(row, "begins", task->begins);
    row_number(row, "ends", task->ends);
    row_flag(row, "is_planned", !isnan(task->packed));
    row_number(row, "predicted", task->expected);
    row_number(row, "lower", lower);
    row_number(row, "upper", upper);
    row_number(row, "measured", is_over ? task->ends - task->begins : NAN);
    row_number(row, "error", view_task_error(task));
    row_text(row, "estimate_from", task->began_from);
    row_number(row, "deadline", task->deadline);
    if (task->has_exit)
        row_integer(row, "exit_status", task->exit_status);
    else
        row_text(row, "exit_status", NULL);
    row_text(row, "problem", task->problem ? task->problem : task->stuck);
    autofree char *path = task->state == task_FAILED ? view_output_path(view, task) : NULL;
    row_text(row, "output", path);
    row_number(row, "estimate", task->estimate);
    row_number(row, "share", task->share);
    row_number(row, "estimate_error", view_task_estimate_error(task));
}

static void write_decisions(const struct schedule_view *view, uint32_t task, size_t *at,
                            struct row_writer *writer)
{
    struct row_list list = row_begin_list(writer, "decisions", "");
    for (; *at < view->decisions.count; ++*at) {
        const struct view_decision *decision = ARRAY_AT(struct view_decision, &view->decisions, *at);
        if (decision->task > task)
            break;
        if (decision->task < task)
            continue;
        struct row_writer row = row_begin_item(&list);
        row_number(&row, "time", decision->time);
        row_text(&row, "kind", decision->kind);
        row_text(&row, "reason", decision->reason);
        row_end_object(&row);
    }
    row_end_list(&list);
}

static void write_tasks(struct row_writer *row, const struct schedule_view *view)
{
    size_t at = 0;
    struct row_list list = row_begin_list(row, "tasks", "\n");
    for (uint32_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        if (!task->is_chosen)
            continue;
        struct row_writer one = row_begin_item(&list);
        write_task(&one, view, task);
        write_decisions(view, i, &at, &one);
        row_end_object(&one);
    }
    row_end_list(&list);
}

static void write_hosts(struct row_writer *row, const struct schedule_view *view)
{
    struct row_list hosts = row_begin_list(row, "hosts", "\n");
    for (size_t i = 0; i < view->hosts.count; i++) {
        const struct view_host *host = VIEW_HOST(view, i);
        struct row_writer one = row_begin_item(&hosts);
        row_text(&one, "host", host->name);
        row_integer(&one, "processors", host->processors);
        row_integer(&one, "busy", host->busy);
        row_text(&one, "state", host->state);
        row_text(&one, "why", host->why);
        row_text(&one, "idle", host->idle);
        row_end_object(&one);
    }
    row_end_list(&hosts);
}

static void write_late(struct row_writer *row, const struct schedule_view *view)
{
    static const char *const words[] = {"missed", "will be late", "may be late"};
    struct row_list list = row_begin_list(row, "late", "\n");
    for (size_t i = 0; i < view->late.count; i++) {
        const struct view_late *late = ARRAY_AT(struct view_late, &view->late, i);
        struct row_writer one = row_begin_item(&list);
        row_text(&one, "workflow", late->workflow);
        row_text(&one, "task", late->task);
        row_text(&one, "lateness", words[late->lateness]);
        row_number(&one, "deadline", late->deadline);
        row_number(&one, "ends", late->ends);
        row_end_object(&one);
    }
    row_end_list(&list);
}

static void write_json(const struct schedule_view *view, FILE *out)
{
    struct array sentences = schedule_answer(view);
    struct row_writer row = row_begin_object(out);
    struct row_list answer = row_begin_list(&row, "answer", "");
    for (size_t i = 0; i < sentences.count; i++) {
        const char *sentence = *ARRAY_AT(char *, &sentences, i);
        row_separate(&answer);
        report_json_text(out, sentence, strlen(sentence));
    }
    row_end_list(&answer);
    sentences_free(&sentences);
    row_text(&row, "engine", view->engine);
    row_flag(&row, "is_attended", view->is_attended);
    row_number(&row, "now", view->now);
    row_number(&row, "begins", view->bars.count ? view->begins : NAN);
    row_number(&row, "ends", view->bars.count ? view->ends : NAN);
    for (enum task_state state = 0; state < task_STATES; state++)
        row_integer(&row, task_state_words[state], view->counts[state]);
    write_tasks(&row, view);
    write_hosts(&row, view);
    write_late(&row, view);
    fputs("}\n", out);
}

void schedule_print_rows(const struct schedule_view *view, const struct report_style *style, FILE *out)
{
    if (style->format == report_JSON) {
        write_json(view, out);
        return;
    }
    static const struct view_task none = {0};
    struct row_writer row = {.out = out, .is_head = true, .is_first = true};
    struct schedule_view head = {.workflows = ARRAY_OF(struct view_workflow)};
    array_add(&head.workflows);
    write_task(&row, &head, &none);
    array_free(&head.workflows);
    fputs("\r\n", out);
    for (size_t i = 0; i < view->tasks.count; i++) {
        if (!VIEW_TASK(view, i)->is_chosen)
            continue;
        row = (struct row_writer){.out = out, .is_first = true};
        write_task(&row, view, VIEW_TASK(view, i));
        fputs("\r\n", out);
    }
}
