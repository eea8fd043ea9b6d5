/* What a workflow would do to the schedule, if it were added now: its own end first, then what the others
   lose. */
#include "show/report/common/row_writer.h"
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/common/wrap.h"
#include "show/report/schedule/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 20 };

static void print_end(const struct what_if *result, const struct report_style *style, size_t width, FILE *out)
{
    autofree char *name = text_safe(result->workflow, strlen(result->workflow)),
                  *when = phrase_moment(result->ends, result->now, result->has_clock),
                  *in = phrase_duration(result->ends - result->now);
    fputs(report_ink(style, ink_BOLD), out);
    if (isnan(result->ends))
        wrap_say(out, 0, width,
                 "When %s would end is not known: nothing is known about the time of its tasks.", name);
    else if (result->has_clock)
        wrap_say(out, 0, width, "If it were added now, %s would end at about %s, in %s.", name, when, in);
    else
        wrap_say(out, 0, width, "If it were added now, %s would end in about %s.", name, in);
    fputs(report_ink(style, ink_PLAIN), out);
    if (result->latest > result->ends) {
        autofree char *latest = phrase_moment(result->latest, result->now, result->has_clock);
        wrap_say(out, 0, width, "By the upper ends of the estimates it could be %s.", latest);
    }
    if (!isnan(result->deadline) && !isnan(result->ends)) {
        autofree char *over = phrase_duration(fabs(result->ends - result->deadline));
        if (result->ends > result->deadline && result->likely <= result->deadline)
            wrap_say(
                out, 0, width,
                "It may miss its deadline: by %s as planned, but too little is known about its tasks to be "
                "sure.",
                over);
        else
            wrap_say(out, 0, width,
                     result->ends > result->deadline ? "It would miss its deadline by %s."
                                                     : "Its deadline would hold, with %s to spare.",
                     over);
    }
}

/* Deadlines of single tasks, which may be missed although the workflow's holds. */
static void print_late(const struct what_if *result, size_t width, FILE *out)
{
    unsigned late = 0;
    const struct what_if_task *worst = NULL;
    for (unsigned i = 0; i < result->count; i++) {
        const struct what_if_task *task = &result->tasks[i];
        if (!(task->ends > task->deadline) || task->likely <= task->deadline)
            continue;
        late++;
        if (!worst || task->ends - task->deadline > worst->ends - worst->deadline)
            worst = task;
    }
    if (!worst)
        return;
    autofree char *name = text_safe(worst->name, strlen(worst->name)),
                  *by = phrase_duration(worst->ends - worst->deadline);
    if (late == 1)
        wrap_say(out, 0, width, "Its task %s would miss its deadline by %s.", name, by);
    else
        wrap_say(out, 0, width, "%u of its tasks would miss their deadlines, %s by the most: %s.", late, name,
                 by);
}

static void print_surroundings(const struct what_if *result, size_t width, FILE *out)
{
    static const double much = 0.8;
    if (result->share < much)
        wrap_say(out, 0, width,
                 "This computer is shared: others have about %.0f processes that want its processors, so "
                 "tasks are "
                 "taken to run at %.0f %% of their speed.",
                 result->others, 100 * result->share);
    if (result->wait >= 1) {
        autofree char *wait = phrase_duration(result->wait);
        wrap_say(out, 0, width, "Jobs began %s after they were asked for lately; each task adds that.", wait);
    }
}

static void print_others(const struct what_if *result, size_t width, FILE *out)
{
    double later = result->others_end_with - result->others_end;
    if (!isnan(later) && fabs(later) >= 1) {
        autofree char *by = phrase_duration(fabs(later));
        wrap_say(out, 0, width, "What is there already would end %s %s.", by,
                 later > 0 ? "later" : "earlier");
    } else if (!isnan(later)) {
        wrap_say(out, 0, width, "What is there already would end as planned.");
    }
    if (result->late_with > result->late_before)
        wrap_say(out, 0, width, "%u more task%s of others would miss a deadline.",
                 result->late_with - result->late_before,
                 result->late_with - result->late_before == 1 ? "" : "s");
}

static void print_tasks(const struct what_if *result, const struct report_style *style, FILE *out)
{
    size_t widest = 4;
    unsigned shown = result->count < MOST_TASKS ? result->count : MOST_TASKS;
    for (unsigned i = 0; i < shown; i++) {
        autofree char *safe = text_safe(result->tasks[i].name, strlen(result->tasks[i].name));
        size_t width = text_width(safe);
        widest = width > widest ? width : widest;
    }
    widest = widest > 40 ? 40 : widest;
    if (shown)
        fprintf(out, "\n%s%-*s  %-18s  %-18s  processors  estimate%s\n", report_ink(style, ink_DIM),
                (int)widest, "task", "begins", "ends", report_ink(style, ink_PLAIN));
    for (unsigned i = 0; i < shown; i++) {
        const struct what_if_task *task = &result->tasks[i];
        autofree char *safe = text_safe(task->name, strlen(task->name)),
                      *cut = text_cut(safe, widest, false, style->unicode),
                      *begins = phrase_moment(task->begins, result->now, result->has_clock),
                      *ends = phrase_moment(task->ends, result->now, result->has_clock),
                      *hosts =
                          text_safe(task->hosts ? task->hosts : "", strlen(task->hosts ? task->hosts : ""));
        fprintf(out, "%s%*s  %-18s  %-18s  %10u  %s%s%s\n", cut, (int)(widest - text_width(cut)), "", begins,
                ends, task->processors, task->estimate_from ? task->estimate_from : "", *hosts ? " on " : "",
                hosts);
    }
    if (result->count > shown)
        fprintf(out, "… and %u more; --csv lists all\n", result->count - shown);
}

static void write_task(struct row_writer *row, const struct what_if_task *task)
{
    row_text(row, "task", task->name);
    row_text(row, "hosts", task->hosts);
    row_integer(row, "processors", task->processors);
    row_number(row, "begins", task->begins);
    row_number(row, "ends", task->ends);
    row_text(row, "estimate_from", task->estimate_from);
    row_number(row, "deadline", task->deadline);
    row_number(row, "likely_ends", task->likely);
}

static void write_json(const struct what_if *result, FILE *out)
{
    struct row_writer row = row_begin_object(out);
    row_text(&row, "workflow", result->workflow);
    row_number(&row, "now", result->now);
    row_number(&row, "ends", result->ends);
    row_number(&row, "likely_ends", result->likely);
    row_number(&row, "latest", result->latest);
    row_number(&row, "deadline", result->deadline);
    row_number(&row, "others_end", result->others_end);
    row_number(&row, "others_end_with", result->others_end_with);
    row_integer(&row, "late_before", result->late_before);
    row_integer(&row, "late_with", result->late_with);
    row_number(&row, "others_running", result->others);
    row_number(&row, "speed", result->share);
    row_number(&row, "wait", result->wait);
    struct row_list tasks = row_begin_list(&row, "tasks", "\n");
    for (unsigned i = 0; i < result->count; i++) {
        struct row_writer one = row_begin_item(&tasks);
        write_task(&one, &result->tasks[i]);
        row_end_object(&one);
    }
    row_end_list(&tasks);
    fputs("}\n", out);
}

void report_what_if(const struct what_if *result, const struct report_style *style, FILE *out)
{
    size_t width = !style->width ? WRAP_USUAL_WIDTH : style->width > WRAP_WIDEST ? WRAP_WIDEST : style->width;
    if (style->format == report_JSON) {
        write_json(result, out);
    } else if (style->format == report_CSV) {
        struct row_writer row = {.out = out, .is_head = true, .is_first = true};
        static const struct what_if_task none = {0};
        write_task(&row, &none);
        fputs("\r\n", out);
        for (unsigned i = 0; i < result->count; i++) {
            row = (struct row_writer){.out = out, .is_first = true};
            write_task(&row, &result->tasks[i]);
            fputs("\r\n", out);
        }
    } else {
        print_end(result, style, width, out);
        print_late(result, width, out);
        print_others(result, width, out);
        print_surroundings(result, width, out);
        wrap_say(out, 0, width, "Nothing was started, and nothing was added.");
        print_tasks(result, style, out);
    }
}
