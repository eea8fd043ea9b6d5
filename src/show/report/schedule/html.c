/* The page of a schedule: one file that a browser shows without a network. The answer, the chart, what needs
   a look, and the tables: tasks with what was predicted and measured, and for each why it waited. Everything
   can be read without the script, which sorts tables. */
#include "show/report/common/html.h"
#include "show/report/common/phrases.h"
#include "show/report/common/share.h"
#include "show/report/common/times.h"
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 5000, MOST_DECISIONS = 20000, MOST_LATE = 100 };

/* Made by tools/page-to-c. */
extern const char report_schedule_page_style[], report_schedule_page_script[], report_schedule_page_policy[];

static void print_answer(const struct schedule_view *view, FILE *out)
{
    struct array sentences = schedule_answer(view);
    for (size_t i = 0; i < sentences.count; i++) {
        fputs(i == 0 ? "<p class=\"lead answer\"><strong>" : i == 1 ? "<p class=\"lead\">" : " ", out);
        html_string(out, *ARRAY_AT(char *, &sentences, i));
        fputs(i == 0 ? "</strong></p>\n" : "", out);
    }
    fputs(sentences.count > 1 ? "</p>\n" : "", out);
    sentences_free(&sentences);
}

static void print_list(const char *title, struct array *sentences, FILE *out)
{
    if (sentences->count) {
        fprintf(out, "<section>\n<h2>%s</h2>\n<ul class=\"story\">\n", title);
        for (size_t i = 0; i < sentences->count; i++)
            html_format(out, "<li>%s</li>\n", *ARRAY_AT(char *, sentences, i));
        fputs("</ul>\n</section>\n", out);
    }
    sentences_free(sentences);
}

static void print_failed(const struct schedule_view *view, FILE *out)
{
    struct array failed = schedule_failed(view);
    if (failed.count)
        fputs("<section>\n<h2>Failed</h2>\n", out);
    for (size_t i = 0; i < failed.count && i < MOST_LATE; i++) {
        const struct view_task *task = VIEW_TASK(view, *ARRAY_AT(uint32_t, &failed, i));
        autofree char *words = schedule_failure_words(view, task), *path = view_output_path(view, task);
        html_format(out, "<p class=\"failure\">%s</p>\n", words);
        if (task->output) {
            fputs("<pre class=\"output\">", out);
            for (const char *line = task->output; *line;) {
                size_t length = strcspn(line, "\n");
                html_text(out, line, length);
                putc('\n', out);
                line += length + (line[length] == '\n');
            }
            fputs("</pre>\n", out);
        }
        if (path)
            html_format(out, "<p class=\"note whole\">All of it: <code>%s</code></p>\n", path);
    }
    if (failed.count)
        fputs("</section>\n", out);
    array_free(&failed);
}

static void print_late(const struct schedule_view *view, FILE *out)
{
    struct array sentences = ARRAY_OF(char *);
    for (size_t i = 0; i < view->late.count && i < MOST_LATE; i++)
        sentences_say(&sentences, schedule_late_words(view, ARRAY_AT(struct view_late, &view->late, i)));
    if (view->late.count > MOST_LATE)
        sentences_say(&sentences, memory_format("And %zu more.", view->late.count - MOST_LATE));
    print_list("Deadlines", &sentences, out);
}

/* Seconds with the digits that matter: columns are sorted by them. */
static void write_seconds(FILE *out, double seconds)
{
    if (isfinite(seconds))
        fprintf(out, fabs(seconds) >= 100 ? "%.0f" : fabs(seconds) >= 1 ? "%.1f" : "%.3f", seconds);
}

static void print_seconds(FILE *out, double seconds)
{
    fputs("<td class=\"figure\">", out);
    write_seconds(out, seconds);
    fputs("</td>", out);
}

static void print_moment(const struct schedule_view *view, double time, FILE *out)
{
    fputs("<td>", out);
    if (isfinite(time)) {
        autofree char *words = phrase_moment(time, view->now, view->has_clock);
        html_string(out, words);
    }
    fputs("</td>", out);
}

static void print_task(const struct schedule_view *view, const struct view_task *task, FILE *out)
{
    double lower = NAN, upper = NAN, error = view_task_error(task);
    bool is_over = task->state == task_DONE || task->state == task_FAILED;
    autofree char *name = view_task_name(view, task);
    html_format(out, "<tr><td class=\"text\">%s", name);
    fprintf(out, "</td><td>%s%s</td>", task->is_probe ? "probe, " : "", task_state_words[task->state]);
    print_moment(view, task->begins, out);
    print_moment(view, task->ends, out);
    fprintf(out, "<td class=\"figure\">%lld</td>", (long long)task->processors);
    print_seconds(out, task->expected);
    fputs("<td>", out);
    if (view_task_interval(task, &lower, &upper)) {
        write_seconds(out, isfinite(lower) ? lower : 0);
        fputs(isfinite(upper) ? " to " : " or more", out);
        write_seconds(out, upper);
    }
    fputs("</td>", out);
    print_seconds(out, is_over ? task->ends - task->begins : NAN);
    fputs("<td class=\"figure\">", out);
    if (isfinite(error))
        fprintf(out, "%+.0f %%", 100 * error);
    html_format(out, "</td><td>%s", task->began_from);
    if (task->share > 0 && task->share < 0.995)
        fprintf(out, ", at %.2f of the speed", task->share);
    fputs("</td></tr>\n", out);
}

static void print_tasks(const struct schedule_view *view, FILE *out)
{
    static const char *const heads[] = {"task",       "state",         "begins",       "ends",
                                        "processors", "predicted (s)", "interval (s)", "measured (s)",
                                        "error",      "estimate from"};
    size_t count = 0;
    fputs("<section>\n<h2>Tasks</h2>\n<div class=\"wide\"><table class=\"loops sortable told\">\n<thead><tr>",
          out);
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(out, "<th scope=\"col\"%s>%s</th>",
                i == 4 || i == 5 || i == 7 || i == 8 ? " class=\"figure\"" : "", heads[i]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < view->tasks.count; i++)
        if (VIEW_TASK(view, i)->is_chosen && count++ < MOST_TASKS)
            print_task(view, VIEW_TASK(view, i), out);
    fputs("</tbody></table></div>\n", out);
    if (count > MOST_TASKS)
        fprintf(out, "<p class=\"note\">And %zu more: assay schedule show --csv lists all.</p>\n",
                count - MOST_TASKS);
    fputs("</section>\n", out);
}

static void print_decisions(const struct schedule_view *view, FILE *out)
{
    uint32_t task = UINT32_MAX;
    if (!view->decisions.count)
        return;
    fputs("<section>\n<h2>Why each task waited</h2>\n", out);
    for (size_t i = 0; i < view->decisions.count && i < MOST_DECISIONS; i++) {
        const struct view_decision *decision = ARRAY_AT(struct view_decision, &view->decisions, i);
        if (decision->task != task) {
            autofree char *name = view_task_name(view, VIEW_TASK(view, decision->task));
            fputs(task == UINT32_MAX ? "" : "</ul></details>\n", out);
            html_format(out, "<details class=\"fold\"><summary>%s</summary>\n<ul class=\"story\">\n", name);
        }
        task = decision->task;
        autofree char *when = phrase_moment(decision->time, view->now, view->has_clock);
        html_format(out, "<li><span class=\"dim\">%s</span> %s: %s</li>\n", when, decision->kind,
                    decision->reason);
    }
    fputs("</ul></details>\n", out);
    if (view->decisions.count > MOST_DECISIONS)
        fprintf(out, "<p class=\"note\">And %zu more decisions: assay schedule why WORKFLOW/TASK.</p>\n",
                view->decisions.count - MOST_DECISIONS);
    fputs("</section>\n", out);
}

bool report_schedule_page(const struct schedule_view *view, FILE *out, struct error *error)
{
    struct array idle = schedule_idle(view, 0), stuck = schedule_stuck(view, MOST_LATE);
    html_begin_page(out, report_schedule_page_policy, "", view->path, "Assay schedule",
                    report_schedule_page_style);
    html_format(out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay schedule</p>\n<h1>%s</h1>\n</header>\n",
                view->path);
    print_answer(view, out);
    fputs("<div class=\"chart\" tabindex=\"0\" role=\"region\" aria-label=\"Chart\">\n", out);
    schedule_print_gantt(view, false, out);
    fputs("</div>\n", out);
    print_failed(view, out);
    print_list("Cannot be started", &stuck, out);
    print_late(view, out);
    print_list("Why hosts are idle", &idle, out);
    print_tasks(view, out);
    print_decisions(view, out);
    fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_schedule_page_script);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
