/* Bars: each stretch of time for which a task has processors of a host. What ran and what runs are attempts,
   what is to come is the plan. A bar may belong to a task of a workflow that nobody asked for, which is
   loaded with it: its host is not free then. The latest attempt of a task, or its plan, also tells when it
   begins and ends. */
#include "show/report/schedule/view.h"
#include "show/report/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bar as a row has it: its task may not be loaded yet. */
struct raw_bar {
    int64_t task;
    struct view_bar bar;
    const char *tag, *problem;
    int64_t processors, exit_status, attempt;
    bool has_exit;
    double expected, packed;
};

static void set_tracks(struct view_bar *bar, const struct ledger_rows *rows, int processors, int first,
                       const struct view_host *host)
{
    int64_t count = ledger_integer(rows, processors), from = ledger_integer(rows, first);
    bar->tracks = count < 1 ? 1 : count > host->processors ? host->processors : (uint32_t)count;
    bool has_first =
        !ledger_is_null(rows, first) && from >= 0 && from <= (int64_t)host->processors - bar->tracks;
    bar->first = has_first ? from : -1;
}

static bool load_attempts(struct schedule_view *view, struct ledger *ledger, struct array *raw,
                          struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "load_attempts"), "trr", view->engine,
                    view->now, view->begins))
        return false;
    while (ledger_next(&rows)) {
        const struct view_host *host = view_find_host(view, ledger_integer(&rows, 1));
        const char *state = ledger_text(&rows, 4);
        double begins = ledger_real(&rows, 5), ended = ledger_real(&rows, 6);
        if (!host || !state || !isfinite(begins))
            continue;
        struct raw_bar *it = array_add(raw);
        bool is_over = strcmp(state, "starting") && strcmp(state, "queued") && strcmp(state, "running");
        it->task = ledger_integer(&rows, 0);
        it->expected = ledger_real(&rows, 7);
        it->tag = view_copy(view, ledger_text(&rows, 8));
        it->problem = view_copy(view, ledger_text(&rows, 9));
        it->has_exit = !ledger_is_null(&rows, 10);
        it->exit_status = ledger_integer(&rows, 10);
        it->processors = ledger_integer(&rows, 11);
        it->attempt = ledger_integer(&rows, 12);
        it->packed = NAN;
        it->bar.host = (uint32_t)(host - VIEW_HOST(view, 0));
        it->bar.begins = begins;
        it->bar.kind = !is_over ? bar_RUNS : !strcmp(state, "done") ? bar_RAN : bar_FAILED;
        double until = begins + (isfinite(it->expected) ? it->expected : 0);
        it->bar.ends = !is_over ? fmax(until, view->now) : isfinite(ended) ? ended : view->now;
        it->bar.ends = fmax(it->bar.ends, begins);
        set_tracks(&it->bar, &rows, 2, 3, host);
    }
    return ledger_end(&rows, error);
}

static bool load_plan(struct schedule_view *view, struct ledger *ledger, struct array *raw,
                      struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "load_plan"), ""))
        return false;
    while (ledger_next(&rows)) {
        const struct view_host *host = view_find_host(view, ledger_integer(&rows, 1));
        double begins = ledger_real(&rows, 4), ends = ledger_real(&rows, 5);
        if (!host || !isfinite(begins) || !isfinite(ends))
            continue;
        struct raw_bar *it = array_add(raw);
        it->task = ledger_integer(&rows, 0);
        it->processors = ledger_integer(&rows, 2);
        it->expected = fmax(ends - begins, 0);
        it->packed = ledger_real(&rows, 6);
        it->bar.host = (uint32_t)(host - VIEW_HOST(view, 0));
        it->bar.begins = begins;
        it->bar.ends = fmax(ends, begins);
        it->bar.kind = bar_PLANNED;
        set_tracks(&it->bar, &rows, 2, 3, host);
        view->packed = fmax(isnan(view->packed) ? it->packed : view->packed, it->packed);
    }
    return ledger_end(&rows, error);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Ids of tasks that bars name and that are not loaded. */
static struct array unknown_tasks(const struct schedule_view *view, const struct array *raw)
{
    struct array ids = ARRAY_OF(int64_t);
    for (size_t i = 0; i < raw->count; i++)
        if (!view_find_task(view, ARRAY_AT(struct raw_bar, raw, i)->task))
            *(int64_t *)array_add(&ids) = ARRAY_AT(struct raw_bar, raw, i)->task;
    if (ids.count)
        qsort(ids.data, ids.count, ids.width, by_number);
    size_t kept = 0;
    for (size_t i = 0; i < ids.count; i++)
        if (!kept || *ARRAY_AT(int64_t, &ids, i) != *ARRAY_AT(int64_t, &ids, kept - 1))
            *ARRAY_AT(int64_t, &ids, kept++) = *ARRAY_AT(int64_t, &ids, i);
    ids.count = kept;
    return ids;
}

static int by_host(const void *a, const void *b)
{
    const struct view_bar *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->begins > y->begins) - (x->begins < y->begins);
}

/* What the latest attempt of a task, or its plan, tells about it. */
static void tell_task(struct view_task *task, const struct raw_bar *it)
{
    bool is_plan = it->bar.kind == bar_PLANNED, is_same = task->tag && it->tag && !strcmp(task->tag, it->tag);
    if (is_plan && task->state != task_WAITING)
        return;
    if (!is_plan && !is_same) {
        task->attempts++;
        task->processors = 0;
    }
    if (is_plan && isnan(task->packed))
        task->processors = 0;
    task->expected = it->expected;
    task->begins = it->bar.begins;
    task->ends = it->bar.ends;
    task->packed = it->packed;
    if (is_plan) {
        task->processors += it->processors;
        return;
    }
    task->processors = it->processors;
    task->tag = it->tag;
    task->problem = it->problem;
    task->has_exit = it->has_exit;
    task->exit_status = it->exit_status;
}

static void take_bars(struct schedule_view *view, const struct array *raw)
{
    for (size_t i = 0; i < raw->count; i++) {
        const struct raw_bar *it = ARRAY_AT(struct raw_bar, raw, i);
        struct view_task *task = view_find_task(view, it->task);
        if (!task || it->bar.begins > view->ends)
            continue;
        tell_task(task, it);
        struct view_bar *bar = array_add(&view->bars);
        *bar = it->bar;
        bar->task = (uint32_t)(task - VIEW_TASK(view, 0));
    }
    if (view->bars.count)
        qsort(view->bars.data, view->bars.count, view->bars.width, by_host);
    for (uint32_t i = 0; i < view->bars.count; i++) {
        struct view_host *host = VIEW_HOST(view, VIEW_BAR(view, i)->host);
        if (!host->bar_count++)
            host->first_bar = i;
        if (VIEW_BAR(view, i)->kind == bar_RUNS)
            host->busy += VIEW_BAR(view, i)->tracks;
    }
}

bool view_shows_now(const struct schedule_view *view)
{
    bool is_over = !view->counts[task_RUNNING] && !view->counts[task_WAITING];
    return view->now >= view->begins && (is_over ? view->now < view->ends : view->now <= view->ends);
}

/* From the first start of a chosen task to the last end that is known or planned. */
static bool find_window(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    view->begins = INFINITY;
    for (size_t i = 0; i < view->workflows.count; i++) {
        struct ledger_rows rows;
        if (!VIEW_WORKFLOW(view, i)->is_chosen)
            continue;
        if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "find_window"), "it",
                        VIEW_WORKFLOW(view, i)->id, view->engine))
            return false;
        if (ledger_next(&rows) && !ledger_is_null(&rows, 0))
            view->begins = fmin(view->begins, ledger_real(&rows, 0));
        if (!ledger_end(&rows, error))
            return false;
    }
    if (isinf(view->begins))
        view->begins = view->now;
    return true;
}

static void end_window(struct schedule_view *view, const struct array *raw)
{
    view->ends = -INFINITY;
    for (size_t i = 0; i < raw->count; i++) {
        const struct raw_bar *it = ARRAY_AT(struct raw_bar, raw, i);
        const struct view_task *task = view_find_task(view, it->task);
        if (task && task->is_chosen) {
            view->begins = fmin(view->begins, it->bar.begins);
            view->ends = fmax(view->ends, it->bar.ends);
        }
    }
    if (!isfinite(view->ends))
        view->ends = view->now;
    bool is_open = view->counts[task_WAITING] || view->counts[task_RUNNING];
    if (is_open)
        view->ends = fmax(view->ends, view->now);
    view->ends = fmax(view->ends, view->begins + 1e-3);
}

bool view_load_bars(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    struct array raw = ARRAY_OF(struct raw_bar);
    bool done = find_window(view, ledger, error) && load_attempts(view, ledger, &raw, error) &&
                load_plan(view, ledger, &raw, error);
    if (done) {
        struct array unknown = unknown_tasks(view, &raw);
        done = view_load_tasks(view, ledger, &unknown, error);
        array_free(&unknown);
        end_window(view, &raw);
        take_bars(view, &raw);
    }
    array_free(&raw);
    return done;
}
