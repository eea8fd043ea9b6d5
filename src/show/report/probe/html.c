/* One file that a browser shows without a network: the answer, distributions, tables, how it was measured.
   Everything can be read without the script, which sorts tables.  The policy allows only our own style and
   script. */
#include "show/report/probe/histogram.h"

#include "show/report/common/html.h"
#include "show/report/common/html_table.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PICTURES = 8,
    MOST_BARS = 32,
    BAR_WIDTH = 10,
    BAR_GAP = 2,
    PICTURE_HEIGHT = 100,
    LONGEST_NAME = 200
};

/* Made by tools/page-to-c. */
extern const char report_probe_page_style[], report_probe_page_script[], report_probe_page_policy[];

static void print_start(const struct probe_view *view, FILE *out)
{
    html_format(out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay probes</p>\n<h1>%s</h1>\n</header>\n",
                view->path);
}

static void print_facts(FILE *out, const struct probed_run *run)
{
    autofree char *seconds = phrase_seconds(run->seconds),
                  *end = phrase_end(run->exit_status, run->end_signal);
    html_format(out,
                "<dl class=\"facts\">\n<dt>Run</dt><dd>%s, process %lld, %lld thread%s, %s</dd>\n<dt>"
                "Processor</dt><dd>%s</dd>\n</dl>\n",
                seconds, (long long)run->process, (long long)run->threads, run->threads == 1 ? "" : "s", end,
                run->processor ? run->processor : "unknown");
}

static void print_findings(FILE *out, const struct probed_run *run, const struct array *findings)
{
    if (!findings->count) {
        fprintf(out, "<p class=\"lead answer\">%s</p>\n",
                run->subjects ? "Nothing stands out; the tables have the counts." : "No probe was reached.");
        return;
    }
    fputs("<ul class=\"story findings\">\n", out);
    for (size_t i = 0; i < findings->count; i++) {
        const struct probe_finding *finding = ARRAY_AT(struct probe_finding, findings, i);
        size_t length = strlen(finding->text), tail = finding->advice ? strlen(finding->advice) + 2 : 0;
        fputs("<li>", out);
        html_text(out, finding->text, length - tail);
        if (finding->advice)
            html_format(out, ": <b>%s</b>", finding->advice);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void print_bars(FILE *out, const struct histogram *histogram, bool is_time)
{
    size_t count = histogram->bars.count;
    fprintf(out,
            "<svg class=\"histogram\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"distribution\">",
            count * BAR_WIDTH, PICTURE_HEIGHT);
    for (size_t i = 0; i < count; i++) {
        const struct bar *bar = ARRAY_AT(struct bar, &histogram->bars, i);
        if (!bar->count)
            continue;
        double height = (double)PICTURE_HEIGHT * (double)bar->count / (double)histogram->largest;
        autofree char *range = histogram_range(bar, is_time);
        autofree char *share = phrase_share((double)bar->count / (double)histogram->total);
        height = height < 1 ? 1 : height;
        fprintf(out, "<rect x=\"%zu\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"><title>%s: ", i * BAR_WIDTH + 1,
                PICTURE_HEIGHT - height, BAR_WIDTH - BAR_GAP, height, range);
        html_count(out, bar->count);
        fprintf(out, " (%s)</title></rect>", share);
    }
    fputs("</svg>\n", out);
}

static void print_axis(FILE *out, const struct histogram *histogram, bool is_time)
{
    autofree char *first = histogram_range(ARRAY_AT(struct bar, &histogram->bars, 0), is_time);
    autofree char *last =
        histogram_range(ARRAY_AT(struct bar, &histogram->bars, histogram->bars.count - 1), is_time);
    fprintf(out, "<p class=\"axis\"><span>%s</span><span>%s</span></p>\n", first, last);
}

bool histogram_print(FILE *out, const struct asked *asked, int64_t run, const struct distribution *of,
                     const char *name, size_t length, bool *is_shown, struct error *error)
{
    struct histogram histogram;
    if (!histogram_load(asked, run, of->quantity, of->subject, MOST_BARS, &histogram, error))
        return false;
    *is_shown = histogram_is_picture(&histogram);
    if (*is_shown) {
        fputs("<figure>\n<figcaption><b>", out);
        html_text(out, name, length);
        fprintf(out, "</b><span>%s</span></figcaption>\n", of->what);
        print_bars(out, &histogram, of->is_time);
        print_axis(out, &histogram, of->is_time);
        fputs("</figure>\n", out);
    }
    histogram_free(&histogram);
    return true;
}

static bool print_pictures(const struct probe_view *view, const struct probed_run *run,
                           const struct array *findings, FILE *out, struct error *error)
{
    struct asked asked = probe_asked(view);
    size_t told = 0;
    bool done = true;
    for (size_t i = 0; done && i < findings->count && told < MOST_PICTURES; i++) {
        const struct probe_finding *finding = ARRAY_AT(struct probe_finding, findings, i);
        struct distribution of = distribution_of(finding);
        autofree char *picture = NULL;
        size_t size = 0;
        bool is_shown = false;
        FILE *memory = of.quantity ? open_memstream(&picture, &size) : NULL;
        if (!memory)
            continue;
        done = histogram_print(memory, &asked, run->id, &of, finding->text, finding->subject_length,
                               &is_shown, error);
        fclose(memory);
        if (done && is_shown) {
            fputs(told++
                      ? ""
                      : "<section class=\"loops told\">\n<h2>Distributions</h2>\n<div class=\"pictures\">\n",
                  out);
            fwrite(picture, 1, size, out);
        }
    }
    fputs(told ? "</div>\n</section>\n" : "", out);
    return done;
}

static bool print_measured(const struct asked *asked, const struct probed_run *run, FILE *out,
                           struct error *error)
{
    struct array measured;
    if (!probe_find_measured(asked, run, &measured, error))
        return false;
    fputs(measured.count
              ? "<section class=\"loops told\">\n<h2>How it was measured</h2>\n<ul class=\"story\">\n"
              : "",
          out);
    for (size_t i = 0; i < measured.count; i++)
        html_format(out, "<li>%s</li>\n", *ARRAY_AT(char *, &measured, i));
    fputs(measured.count ? "</ul>\n</section>\n" : "", out);
    sentences_free(&measured);
    return html_print_table(out, asked, query_find(probe_queries, "placements"), run->id, -1, error);
}

static bool print_run(const struct probe_view *view, const struct probed_run *run, FILE *out,
                      struct error *error)
{
    struct array findings;
    struct asked asked = probe_asked(view);
    if (!probe_find_findings(view, run, &findings, error))
        return false;
    html_format(out, "<article class=\"run\" id=\"run-%lld\">\n<h2 class=\"command\">%s</h2>\n",
                (long long)run->id, run->command ? run->command : "a run");
    print_facts(out, run);
    print_findings(out, run, &findings);
    bool done = print_pictures(view, run, &findings, out, error);
    probe_free_findings(&findings);
    for (const struct query *table = probe_sections; done && table->name; table++)
        done = html_print_table(out, &asked, table, run->id, view->top ? (int64_t)view->top : -1, error);
    done = done && print_measured(&asked, run, out, error);
    fputs("</article>\n", out);
    return done;
}

static void print_contents(FILE *out, const struct array *runs)
{
    if (runs->count < 2)
        return;
    fputs("<ul class=\"story\">\n", out);
    for (size_t i = 0; i < runs->count; i++) {
        const struct probed_run *run = ARRAY_AT(struct probed_run, runs, i);
        html_format(out,
                    "<li><a href=\"#run-%lld\"><code>%s</code></a> <span class=\"dim\">process %lld</span>"
                    "</li>\n",
                    (long long)run->id, run->command ? run->command : "a run", (long long)run->process);
    }
    fputs("</ul>\n", out);
}

bool report_probe_content(const struct probe_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    bool done = probe_begin(view, false, LONGEST_NAME, error) && probe_find_runs(view, &runs, error);
    if (done) {
        print_start(view, out);
        print_contents(out, &runs);
    }
    for (size_t i = 0; done && i < runs.count; i++)
        done = print_run(view, ARRAY_AT(struct probed_run, &runs, i), out, error);
    probe_free_runs(&runs);
    return done;
}

bool report_probe_html(const struct probe_view *view, FILE *out, struct error *error)
{
    html_begin_page(out, report_probe_page_policy, "", view->path, "Assay probes", report_probe_page_style);
    bool done = report_probe_content(view, out, error);
    if (done)
        fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_probe_page_script);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
