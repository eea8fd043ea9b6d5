/* From rows of the ledger to what all views share.

   First the workflows, and which of them are wanted; then the chosen tasks; then the hosts and their bars
   (bars.c) within the times of these. Nothing here trusts the rows: numbers that make no sense are
   left out, and names go through the writers of text, pictures and pages like any other stranger's text. */
#include "show/report/schedule/view.h"
#include "base/clock.h"
#include "show/report/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const task_state_words[task_STATES] = {"waiting", "running",   "done",
                                                   "failed",  "cancelled", "blocked"};

enum { MOST_PROCESSORS = 1 << 20 };

const char *view_copy(struct schedule_view *view, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = arena_get(&view->arena, size);
    memcpy(copy, text, size);
    return copy;
}

static enum task_state state_of(const char *word)
{
    for (enum task_state state = 0; word && state < task_STATES; state++)
        if (!strcmp(word, task_state_words[state]))
            return state;
    return task_WAITING;
}

/* --- workflows --- */

static bool is_named(const struct schedule_choice *choice, const char *name)
{
    for (const char *const *at = choice->workflows; at && *at; at++)
        if (!strcmp(*at, name))
            return true;
    return false;
}

static bool check_names(const struct schedule_view *view, const struct schedule_choice *choice,
                        struct error *error)
{
    for (const char *const *at = choice->workflows; at && *at; at++) {
        bool is_there = false;
        for (size_t i = 0; i < view->workflows.count && !is_there; i++)
            is_there = !strcmp(VIEW_WORKFLOW(view, i)->name, *at);
        if (!is_there)
            return error_set(error, view->path,
                             "has no workflow %s; assay schedule show --all lists those it has", *at);
    }
    return true;
}

/* Where nothing is left to do: the workflow that ended last, or else that was submitted last. */
static bool choose_last(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    struct ledger_rows rows;
    int64_t last = 0;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "choose_last"), ""))
        return false;
    if (ledger_next(&rows))
        last = ledger_integer(&rows, 0);
    if (!ledger_end(&rows, error))
        return false;
    for (size_t i = 0; i < view->workflows.count; i++) {
        struct view_workflow *workflow = VIEW_WORKFLOW(view, i);
        workflow->is_chosen = last ? workflow->id == last : i + 1 == view->workflows.count;
    }
    return true;
}

static bool load_workflows(struct schedule_view *view, struct ledger *ledger,
                           const struct schedule_choice *choice, struct error *error)
{
    struct ledger_rows rows;
    bool has_chosen = false;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "load_workflows"), ""))
        return false;
    while (ledger_next(&rows)) {
        struct view_workflow *workflow = array_add(&view->workflows);
        workflow->id = ledger_integer(&rows, 0);
        workflow->name = view_copy(view, ledger_text(&rows, 1));
        workflow->name = workflow->name ? workflow->name : "";
        workflow->user = view_copy(view, ledger_text(&rows, 2));
        workflow->submitted = ledger_real(&rows, 3);
        workflow->deadline = ledger_real(&rows, 4);
        workflow->is_speculative = ledger_integer(&rows, 5);
        workflow->is_cancelled = ledger_integer(&rows, 6);
        workflow->ends = NAN;
        workflow->is_chosen = choice->is_all || (choice->workflows ? is_named(choice, workflow->name)
                                                                   : ledger_integer(&rows, 7) != 0);
        has_chosen |= workflow->is_chosen;
    }
    if (!ledger_end(&rows, error) || !check_names(view, choice, error))
        return false;
    if (!has_chosen && view->workflows.count && !choose_last(view, ledger, error))
        return false;
    unsigned group = 0;
    for (int chosen = 1; chosen >= 0; chosen--)
        for (size_t i = 0; i < view->workflows.count; i++)
            if (VIEW_WORKFLOW(view, i)->is_chosen == chosen) {
                VIEW_WORKFLOW(view, i)->group = group++;
                view->others += !chosen;
            }
    return true;
}

static struct view_workflow *find_workflow(const struct schedule_view *view, int64_t id)
{
    struct bisection search = {0, view->workflows.count};
    while (bisect(&search))
        bisect_past(&search, VIEW_WORKFLOW(view, search.middle)->id < id);
    bool is_there = search.first < view->workflows.count && VIEW_WORKFLOW(view, search.first)->id == id;
    return is_there ? VIEW_WORKFLOW(view, search.first) : NULL;
}

/* --- tasks --- */

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const struct view_task *)a)->id, y = ((const struct view_task *)b)->id;
    return (x > y) - (x < y);
}

struct view_task *view_find_task(const struct schedule_view *view, int64_t id)
{
    struct bisection search = {0, view->tasks.count};
    while (bisect(&search))
        bisect_past(&search, VIEW_TASK(view, search.middle)->id < id);
    bool is_there = search.first < view->tasks.count && VIEW_TASK(view, search.first)->id == id;
    return is_there ? VIEW_TASK(view, search.first) : NULL;
}

static void take_task(struct schedule_view *view, const struct ledger_rows *rows)
{
    struct view_workflow *workflow = find_workflow(view, ledger_integer(rows, 1));
    if (!workflow)
        return;
    struct view_task *task = array_add(&view->tasks);
    *task = (struct view_task){
        .id = ledger_integer(rows, 0),
        .workflow = (uint32_t)(workflow - VIEW_WORKFLOW(view, 0)),
        .name = view_copy(view, ledger_text(rows, 2)),
        .is_probe = !ledger_is_null(rows, 3),
        .of = view_copy(view, ledger_text(rows, 4)),
        .is_chosen = workflow->is_chosen,
        .state = state_of(ledger_text(rows, 5)),
        .deadline = ledger_real(rows, 6),
        .seconds = ledger_real(rows, 7),
        .lower = ledger_real(rows, 8),
        .upper = ledger_real(rows, 9),
        .estimate_from = view_copy(view, ledger_text(rows, 10)),
        .least = ledger_integer(rows, 11),
        .most = ledger_integer(rows, 12),
        .estimate = ledger_real(rows, 13),
        .share = ledger_real(rows, 14),
        .began_from = view_copy(view, ledger_text(rows, 15)),
        .expected = NAN,
        .begins = NAN,
        .ends = NAN,
        .packed = NAN,
    };
    task->name = task->name ? task->name : "";
    task->estimate_from = task->estimate_from ? task->estimate_from : "";
    task->began_from = task->began_from ? task->began_from : task->estimate_from;
    if (task->is_chosen && task->is_probe) {
        view->probes++;
    } else if (task->is_chosen) {
        view->counts[task->state]++;
        workflow->tasks++;
    }
}

/* Those of one workflow, or one task: the other is 0. */
static bool take_tasks(struct schedule_view *view, struct ledger *ledger, int64_t workflow, int64_t task,
                       struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "tasks"), "ii", workflow, task))
        return false;
    while (ledger_next(&rows))
        take_task(view, &rows);
    return ledger_end(&rows, error);
}

static bool load_tasks(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < view->workflows.count; i++)
        if (VIEW_WORKFLOW(view, i)->is_chosen)
            is_good = take_tasks(view, ledger, VIEW_WORKFLOW(view, i)->id, 0, error);
    if (view->tasks.count)
        qsort(view->tasks.data, view->tasks.count, view->tasks.width, by_id);
    return is_good;
}

/* Tasks of other workflows that have bars: numbers of them, each once. */
bool view_load_tasks(struct schedule_view *view, struct ledger *ledger, const struct array *ids,
                     struct error *error)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < ids->count; i++)
        is_good = take_tasks(view, ledger, 0, *ARRAY_AT(int64_t, ids, i), error);
    if (view->tasks.count)
        qsort(view->tasks.data, view->tasks.count, view->tasks.width, by_id);
    return is_good;
}

char *view_task_name(const struct schedule_view *view, const struct view_task *task)
{
    return memory_format("%s/%s", view_workflow_of(view, task)->name, task->name);
}

double view_task_error(const struct view_task *task)
{
    double measured = task->state == task_DONE ? task->ends - task->begins : NAN;
    return measured > 0 ? task->expected / measured - 1 : NAN;
}

double view_task_estimate_error(const struct view_task *task)
{
    double measured = task->state == task_DONE ? task->ends - task->begins : NAN;
    return measured > 0 ? task->estimate / measured - 1 : NAN;
}

bool view_task_interval(const struct view_task *task, double *lower, double *upper)
{
    double scale = task->expected / task->seconds;
    if (!(task->seconds > 0) || !isfinite(scale) || !strcmp(task->estimate_from, "measured"))
        return false;
    *lower = task->lower * scale;
    *upper = task->upper * scale;
    return isfinite(*lower) || isfinite(*upper);
}

/* --- engine, clock, hosts --- */

/* A simulation may begin at the time when it is started, or at 0. */
bool view_has_clock(const char *engine, double time)
{
    static const double simulated_since_1970 = 1e9;
    return !engine || strcmp(engine, "simgrid") != 0 || time > simulated_since_1970;
}

static bool find_engine(struct schedule_view *view, struct ledger *ledger,
                        const struct schedule_choice *choice, struct error *error)
{
    struct ledger_rows rows;
    view->engine = view_copy(view, choice->engine);
    if (!view->engine) {
        if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "last_engine"), ""))
            return false;
        if (ledger_next(&rows))
            view->engine = view_copy(view, ledger_text(&rows, 0));
        if (!ledger_end(&rows, error))
            return false;
    }
    view->has_clock = view_has_clock(view->engine, NAN);
    view->now = choice->now;
    if (isnan(view->now) && view->has_clock)
        view->now = clock_calendar_seconds();
    if (!isnan(view->now))
        return true;
    /* What was decided at the end of a simulation is its end, too. */
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "find_engine"), "t", view->engine))
        return false;
    if (ledger_next(&rows))
        view->now = ledger_real(&rows, 0);
    view->has_clock = view_has_clock(view->engine, view->now);
    return ledger_end(&rows, error);
}

static bool load_hosts(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "load_hosts"), "t", view->engine))
        return false;
    while (ledger_next(&rows)) {
        struct view_host *host = array_add(&view->hosts);
        int64_t processors = ledger_integer(&rows, 4);
        host->id = ledger_integer(&rows, 0);
        host->name = view_copy(view, ledger_text(&rows, 1));
        host->name = host->name ? host->name : "";
        host->state = view_copy(view, ledger_text(&rows, 2));
        host->state = host->state ? host->state : "up";
        host->why = view_copy(view, ledger_text(&rows, 3));
        host->processors = processors < 1                 ? 1
                           : processors > MOST_PROCESSORS ? MOST_PROCESSORS
                                                          : (uint32_t)processors;
        host->seen = ledger_real(&rows, 5);
    }
    return ledger_end(&rows, error);
}

struct view_host *view_find_host(const struct schedule_view *view, int64_t id)
{
    struct bisection search = {0, view->hosts.count};
    while (bisect(&search))
        bisect_past(&search, VIEW_HOST(view, search.middle)->id < id);
    bool is_there = search.first < view->hosts.count && VIEW_HOST(view, search.first)->id == id;
    return is_there ? VIEW_HOST(view, search.first) : NULL;
}

static bool load_decisions(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "decisions"), ""))
        return false;
    while (ledger_next(&rows)) {
        const struct view_task *task = view_find_task(view, ledger_integer(&rows, 0));
        if (!task || !task->is_chosen)
            continue;
        struct view_decision *decision = array_add(&view->decisions);
        decision->task = (uint32_t)(task - VIEW_TASK(view, 0));
        decision->time = ledger_real(&rows, 1);
        decision->kind = view_copy(view, ledger_text(&rows, 2));
        decision->reason = view_copy(view, ledger_text(&rows, 3));
    }
    return ledger_end(&rows, error);
}

/* What the scheduler said about tasks that wait without a plan: they fit no host. */
static bool load_stuck(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    struct ledger_rows rows;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "load_stuck"), ""))
        return false;
    while (ledger_next(&rows)) {
        struct view_task *task = view_find_task(view, ledger_integer(&rows, 0));
        if (task && task->is_chosen && isnan(task->packed))
            task->stuck = view_copy(view, ledger_text(&rows, 1));
    }
    return ledger_end(&rows, error);
}

static bool load_all(struct schedule_view *view, struct ledger *ledger, const struct schedule_choice *choice,
                     struct error *error)
{
    if (!find_engine(view, ledger, choice, error) || !load_workflows(view, ledger, choice, error) ||
        !load_tasks(view, ledger, error) || !load_hosts(view, ledger, error) ||
        !view_load_bars(view, ledger, error) || !load_stuck(view, ledger, error) ||
        (choice->with_decisions && !load_decisions(view, ledger, error)))
        return false;
    for (size_t i = 0; i < view->tasks.count; i++) {
        const struct view_task *task = VIEW_TASK(view, i);
        struct view_workflow *workflow = VIEW_WORKFLOW(view, task->workflow);
        if (!task->is_probe && !isnan(task->ends))
            workflow->ends = isnan(workflow->ends) ? task->ends : fmax(workflow->ends, task->ends);
    }
    view_find_tracks(view);
    view_find_late(view);
    view_read_outputs(view);
    return view_find_idle(view, ledger, error);
}

struct schedule_view *schedule_view_load(struct ledger *ledger, const struct schedule_choice *choice,
                                         struct error *error)
{
    struct schedule_view *view = memory_get(sizeof *view);
    *view = (struct schedule_view){.workflows = ARRAY_OF(struct view_workflow),
                                   .tasks = ARRAY_OF(struct view_task),
                                   .hosts = ARRAY_OF(struct view_host),
                                   .bars = ARRAY_OF(struct view_bar),
                                   .late = ARRAY_OF(struct view_late),
                                   .decisions = ARRAY_OF(struct view_decision),
                                   .packed = NAN};
    view->path = view_copy(view, ledger_path(ledger));
    view->spool = choice->spool ? memory_format("%s", choice->spool) : NULL;
    view->is_attended = choice->is_attended;
    bool done = ledger_do(ledger, error, "begin", "") && load_all(view, ledger, choice, error);
    struct error ignored = {0};
    ledger_do(ledger, done ? error : &ignored, "commit", "");
    if (done)
        return view;
    schedule_view_free(view);
    return NULL;
}

void schedule_view_free(struct schedule_view *view)
{
    if (!view)
        return;
    for (size_t i = 0; i < view->tasks.count; i++)
        free(VIEW_TASK(view, i)->output);
    for (size_t i = 0; i < view->hosts.count; i++)
        free(VIEW_HOST(view, i)->idle);
    array_free(&view->workflows);
    array_free(&view->tasks);
    array_free(&view->hosts);
    array_free(&view->bars);
    array_free(&view->late);
    array_free(&view->decisions);
    arena_free(&view->arena);
    free(view->spool);
    free(view);
}

bool schedule_view_has_trouble(const struct schedule_view *view)
{
    for (size_t i = 0; i < view->tasks.count; i++)
        if (VIEW_TASK(view, i)->stuck)
            return true;
    for (size_t i = 0; i < view->late.count; i++) {
        const struct view_late *late = ARRAY_AT(struct view_late, &view->late, i);
        if (late->lateness != late_MAY_BE || !late->is_guessed)
            return true;
    }
    return view->counts[task_FAILED] || view->counts[task_BLOCKED];
}

bool schedule_view_is_done(const struct schedule_view *view)
{
    return !view->counts[task_WAITING] && !view->counts[task_RUNNING];
}
