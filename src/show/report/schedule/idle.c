/* Why a host is idle. In this order: its engine says that it is not up; no scheduler runs; nothing is left to
   do; the plan has a task for it, which waits for others, or for processors that are still taken; the plan
   has nothing for it. The sentences are made while the ledger is read, because they name tasks that a task
   needs. */
#include "show/report/common/phrases.h"
#include "show/report/common/times.h"
#include "show/report/schedule/view.h"
#include "show/report/schedule/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_NEEDS = 3 };

/* What the plan has next for a host; NULL: nothing. */
static const struct view_bar *next_bar(const struct schedule_view *view, const struct view_host *host)
{
    for (uint32_t i = 0; i < host->bar_count; i++) {
        const struct view_bar *bar = VIEW_BAR(view, host->first_bar + i);
        if (bar->kind == bar_PLANNED)
            return bar;
    }
    return NULL;
}

/* "workflow/mask (runs until 14:05), workflow/scan and 3 more"; NULL: it needs nothing more.  To be freed. */
static char *missing_needs(const struct schedule_view *view, struct ledger *ledger, int64_t task,
                           struct error *error)
{
    struct ledger_rows rows;
    char *text = NULL;
    size_t size = 0, count = 0;
    if (!ledger_ask(ledger, &rows, error, query_named(view_queries, "missing_needs"), "i", task))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    while (ledger_next(&rows))
        if (count++ < NAMED_NEEDS) {
            const struct view_task *needed = view_find_task(view, ledger_integer(&rows, 2));
            fprintf(out, "%s%s/%s", count > 1 ? ", " : "", ledger_text(&rows, 0), ledger_text(&rows, 1));
            if (needed && needed->state == task_RUNNING && !isnan(needed->ends)) {
                autofree char *until = phrase_moment(needed->ends, view->now, view->has_clock);
                if (needed->ends > view->now)
                    fprintf(out, " (runs until about %s)", until);
                else
                    fputs(" (runs, longer than estimated)", out);
            }
        }
    if (count > NAMED_NEEDS)
        fprintf(out, " and %zu more", count - NAMED_NEEDS);
    fclose(out);
    bool done = ledger_end(&rows, error);
    if (!done || !count) {
        free(text);
        return NULL;
    }
    return text;
}

static char *reason_of_next(const struct schedule_view *view, struct ledger *ledger,
                            const struct view_host *host, const struct view_bar *next, struct error *error)
{
    const struct view_task *task = VIEW_TASK(view, next->task);
    char *name = view_task_name(view, task), *needs = missing_needs(view, ledger, task->id, error),
         *when = phrase_moment(next->begins, view->now, view->has_clock), *reason;
    uint32_t free_now = host->processors - (host->busy < host->processors ? host->busy : host->processors);
    if (view_workflow_of(view, task)->is_speculative)
        reason = memory_format("its next task, %s, is speculative and is never started", name);
    else if (needs)
        reason = memory_format("its next task, %s, waits for %s", name, needs);
    else if (next->tracks > free_now)
        reason = memory_format("its next task, %s, needs %u processors, and %u %s free until about %s", name,
                               next->tracks, free_now, free_now == 1 ? "is" : "are", when);
    else if (next->begins > view->now + 1)
        reason = memory_format("its next task, %s, is planned for %s", name, when);
    else
        reason = memory_format("its next task, %s, is about to start", name);
    free(name);
    free(needs);
    free(when);
    return reason;
}

static char *reason_of(const struct schedule_view *view, struct ledger *ledger, const struct view_host *host,
                       struct error *error)
{
    unsigned waiting = view->counts[task_WAITING];
    if (strcmp(host->state, "up") != 0)
        return memory_format("%s%s%s", host->state, host->why ? ": " : "", host->why ? host->why : "");
    unsigned stuck = 0;
    for (size_t i = 0; i < view->tasks.count; i++)
        stuck += VIEW_TASK(view, i)->stuck && !VIEW_TASK(view, i)->is_probe;
    waiting -= stuck < waiting ? stuck : waiting;
    if (!view->is_attended && (waiting || view->counts[task_RUNNING]))
        return memory_format("no scheduler runs; assay schedule run starts one");
    const struct view_bar *next = next_bar(view, host);
    if (next)
        return reason_of_next(view, ledger, host, next, error);
    if (!waiting)
        return memory_format(stuck ? "no task is left that fits it" : "no task is left that waits");
    if (isnan(view->packed))
        return memory_format("nothing is planned yet");
    return memory_format(
        "the plan has no task for it: the %u that wait%s %s planned elsewhere, or fit%s no host "
        "that is free",
        waiting, waiting == 1 ? "s" : "", waiting == 1 ? "is" : "are", waiting == 1 ? "s" : "");
}

bool view_find_idle(struct schedule_view *view, struct ledger *ledger, struct error *error)
{
    bool is_over = schedule_view_is_done(view);
    for (size_t i = 0; i < view->hosts.count && !error->set; i++) {
        struct view_host *host = VIEW_HOST(view, i);
        bool is_gone = !strcmp(host->state, "gone");
        if (!is_over && !is_gone && host->busy < host->processors)
            host->idle = reason_of(view, ledger, host, error);
    }
    return !error->set;
}

/* --- the sentences --- */

struct idle_reason {
    const char *reason;
    char *names;
    size_t size, count;
    FILE *out;
};

static char *host_words(const struct view_host *host)
{
    if (!host->busy)
        return memory_format("%s", host->name);
    return memory_format("%s (%u of %u processors)", host->name, host->processors - host->busy,
                         host->processors);
}

struct array schedule_idle(const struct schedule_view *view, size_t most)
{
    enum { NAMED_HOSTS = 6 };
    struct array reasons = ARRAY_OF(struct idle_reason), sentences = ARRAY_OF(char *);
    for (size_t i = 0; i < view->hosts.count; i++) {
        const struct view_host *host = VIEW_HOST(view, i);
        struct idle_reason *it = NULL;
        for (size_t k = 0; host->idle && k < reasons.count && !it; k++)
            if (!strcmp(ARRAY_AT(struct idle_reason, &reasons, k)->reason, host->idle))
                it = ARRAY_AT(struct idle_reason, &reasons, k);
        if (!host->idle)
            continue;
        if (!it) {
            it = array_add(&reasons);
            it->reason = host->idle;
            it->out = open_memstream(&it->names, &it->size);
        }
        autofree char *words = host_words(host);
        if (it->count++ < NAMED_HOSTS)
            fprintf(it->out, "%s%s", it->count > 1 ? ", " : "", words);
    }
    for (size_t i = 0; i < reasons.count; i++) {
        struct idle_reason *it = ARRAY_AT(struct idle_reason, &reasons, i);
        if (it->count > NAMED_HOSTS)
            fprintf(it->out, " and %zu more", it->count - NAMED_HOSTS);
        fclose(it->out);
        if (!most || i < most)
            sentences_say(&sentences, memory_format("%s: %s.", it->names, it->reason));
        free(it->names);
    }
    if (most && reasons.count > most)
        sentences_say(&sentences, memory_format("And %zu more reasons (--all).", reasons.count - most));
    array_free(&reasons);
    return sentences;
}
