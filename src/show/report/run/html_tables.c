/* Tables of the page of a run that few readers need: threads, and counters by function and loop. */
#include "show/report/run/html.h"

#include "show/report/common/html.h"

#include <math.h>
#include <stdlib.h>

static void print_seconds(FILE *out, double seconds)
{
    fputs("<td class=\"figure\">", out);
    if (seconds > 0)
        fprintf(out, "%.3g", seconds);
    fputs("</td>", out);
}

static void print_thread(const struct run_page *page, const struct run_thread *thread, double most,
                         bool has_ranks)
{
    const struct run_process *process = model_run_process(page->report->model, thread->process);
    FILE *out = page->out;
    fputs("<tr>", out);
    if (has_ranks && process->rank != NO_NUMBER)
        fprintf(out, "<td class=\"figure\">%d</td>", process->rank);
    else if (has_ranks)
        fputs("<td class=\"figure\"></td>", out);
    html_format(out, "<td class=\"figure\">%u</td><td class=\"figure\">%u</td><td class=\"text\">%s</td>",
                process->process, thread->thread, model_text(page->report->model, thread->name));
    print_seconds(out, thread->cpu_seconds);
    print_seconds(out, thread->waiting_seconds);
    print_seconds(out, thread->parallel_wait_seconds);
    print_seconds(out, thread->mpi_seconds);
    fputs("<td class=\"room\">", out);
    html_bar(out, "own", most > 0 ? thread->cpu_seconds / most : 0);
    fputs("</td></tr>\n", out);
}

void run_html_threads(const struct run_page *page)
{
    const struct run_report *report = page->report;
    const struct model *model = report->model;
    bool has_ranks = report->run->ranks > 0;
    double most = 0;
    size_t count = 0;
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *thread = model_run_thread(model, id);
        if (model_run_process(model, thread->process)->run != report->view->run)
            continue;
        count++;
        most = fmax(most, thread->cpu_seconds);
    }
    if (count < 2)
        return;
    fprintf(
        page->out,
        "<details class=\"fold told\"%s><summary>Time by thread, in seconds</summary>\n<div "
        "class=\"wide\"><table "
        "class=\"loops sortable\">\n<thead><tr>%s<th scope=\"col\" class=\"figure\">process</th><th "
        "scope=\"col\" "
        "class=\"figure\">thread</th><th scope=\"col\">name</th><th scope=\"col\" "
        "class=\"figure\">processor</th><th "
        "scope=\"col\" class=\"figure\">waiting</th><th scope=\"col\" class=\"figure\">in OpenMP's "
        "waits</th><th "
        "scope=\"col\" class=\"figure\">in MPI calls</th><th class=\"room\"></th></tr></thead>\n<tbody>\n",
        count <= 16 ? " open" : "", has_ranks ? "<th scope=\"col\" class=\"figure\">rank</th>" : "");
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *thread = model_run_thread(model, id);
        if (model_run_process(model, thread->process)->run == report->view->run)
            print_thread(page, thread, most, has_ranks);
    }
    fputs("</tbody></table></div>\n</details>\n", page->out);
}

static void print_counter(const struct run_page *page, uint32_t id)
{
    const struct run_report *report = page->report;
    struct array counted = run_find_counted(report, id);
    FILE *out = page->out;
    size_t shown = counted.count < report->rows ? counted.count : report->rows;
    if (shown) {
        html_format(out,
                    "<details class=\"fold told\"><summary>%s by function and loop</summary>\n<div "
                    "class=\"wide\"><table class=\"loops sortable\">\n<thead><tr><th scope=\"col\">"
                    "function or loop</th><th scope=\"col\" class=\"figure\">events</th><th class=\"room\">"
                    "</th></tr></thead>\n<tbody>\n",
                    model_text(report->model, model_run_counter(report->model, id)->name));
        double most = ARRAY_AT(struct run_counted, &counted, 0)->count;
        for (size_t i = 0; i < shown; i++) {
            const struct run_counted *it = ARRAY_AT(struct run_counted, &counted, i);
            autofree char *name = run_counted_name(report, it);
            html_format(out, "<tr><td class=\"text\">%s</td><td class=\"figure\">", name);
            html_count(out, (uint64_t)it->count);
            fputs("</td><td class=\"room\">", out);
            html_bar(out, "own", it->count / most);
            fputs("</td></tr>\n", out);
        }
        fputs("</tbody></table></div>\n</details>\n", out);
    }
    array_free(&counted);
}

void run_html_counters(const struct run_page *page)
{
    for (uint32_t id = 1; id < page->report->model->run_counters.count; id++)
        if (model_run_counter(page->report->model, id)->run == page->report->view->run)
            print_counter(page, id);
}
