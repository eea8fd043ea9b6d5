#include "show/lsp/figures.h"

#include "base/path.h"
#include "base/text.h"
#include "code/quality/weight.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/phrases.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 100, LONGEST_NAME = 48 };

/* ", 38 % of the time", where samples say it. */
static char *share_words(const struct model *model, uint32_t loop)
{
    double share = weight_is_sampled(model) ? weight_share(model, loop) : 0;
    autofree char *number = share > 0 ? phrase_share(share) : NULL;
    return number ? memory_format(", %s of the time", number) : memory_format("%s", "");
}

/* Cycles of an iteration; of the source, where the code does several at once. */
static char *cycles_words(const struct quality_rows *rows, const struct loop_cycle *slowest, const char *unit)
{
    const struct loop_metric *metric = quality_metric(rows, slowest->path);
    double cycles = quality_cycles(rows, slowest),
           source = metric ? metric->cycles_per_source_iteration : NAN;
    return isfinite(source) && fabs(source - cycles) > 0.005
               ? memory_format("%.2f cycles%s (%.2f of the source's)", cycles, unit, source)
               : memory_format("%.2f cycles%s", cycles, unit);
}

char *figures_short(const struct figures *figures, const struct shown_loop *shown)
{
    struct quality_rows rows;
    quality_rows_find(&rows, figures->view->model, shown->loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    autofree char *share = share_words(rows.model, shown->loop);
    autofree char *cycles = slowest ? cycles_words(&rows, slowest, "") : NULL;
    return slowest
               ? memory_format("%s, %s%s%s", cycles, core_part_word(slowest->limit), share, figures->older)
               : memory_format("no cycles%s%s", share, figures->older);
}

char *figures_title(const struct figures *figures, const struct shown_loop *shown)
{
    struct quality_rows rows;
    quality_rows_find(&rows, figures->view->model, shown->loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    autofree char *share = share_words(rows.model, shown->loop);
    autofree char *cycles = slowest ? cycles_words(&rows, slowest, " per iteration") : NULL;
    autofree char *refusal =
        slowest ? NULL : quality_refusal(figures->view, shown->loop, rows.cycle_count ? rows.cycles : NULL);
    return slowest ? memory_format("%s, limited by %s%s%s", cycles, core_part_word(slowest->limit), share,
                                   figures->older)
                   : memory_format("no cycles: %s%s%s", refusal ? refusal : "its code is not known", share,
                                   figures->older);
}

char *figures_finding(const struct figures *figures, const struct quality_finding *finding)
{
    const struct model *model = figures->view->model;
    const struct advice *advice = model_advice(model, finding->advice);
    const char *title = model_text(model, model_rule_row(model, finding->rule)->title),
               *text = model_text(model, advice->text);
    autofree char *gain = isfinite(advice->gain) && isfinite(advice->cycles)
                              ? memory_format(" Gain: %.2f -> %.2f cycles, %s%.1f times as fast.",
                                              advice->cycles * advice->gain, advice->cycles,
                                              quality_up_to(advice->is_upper), advice->gain)
                              : memory_format("%s", "");
    return memory_format("%s. %s%s%s", title ? title : "?", text ? text : "", gain, figures->older);
}

static void say_ports(FILE *out, const struct quality_rows *rows, uint32_t path)
{
    struct quality_rows these = quality_rows_of_path(rows, path);
    for (size_t i = 0; i < these.port_count; i++) {
        const char *name = model_text(rows->model, these.ports[i].port);
        fprintf(out, "%s%s %.2f", i ? ", " : "\n\nports (uops): ", name ? name : "?", these.ports[i].uops);
    }
}

static void say_parts(FILE *out, const struct quality_rows *rows, uint32_t path)
{
    struct quality_rows these = quality_rows_of_path(rows, path);
    for (size_t i = 0; i < these.bound_count; i++)
        fprintf(out, "%s%s %.2f", i ? ", " : "\n\nparts of the core: ", core_part_word(these.bounds[i].part),
                these.bounds[i].cycles);
}

static void say_findings(FILE *out, const struct figures *figures, const struct quality_rows *rows)
{
    struct array findings = quality_findings(rows, figures->view->level);
    for (size_t i = 0; i < findings.count; i++) {
        const struct quality_finding *finding = ARRAY_AT(struct quality_finding, &findings, i);
        const struct rule_row *rule = model_rule_row(rows->model, finding->rule);
        const struct advice *advice = model_advice(rows->model, finding->advice);
        fprintf(out, "%s%zu. %s [%s]", i ? "\n" : "\n\n", i + 1, model_text(rows->model, rule->title),
                advice_level_word(finding->level));
        if (isfinite(advice->gain))
            fprintf(out, ", %s%.1f times as fast", quality_up_to(advice->is_upper), advice->gain);
    }
    array_free(&findings);
}

char *figures_hover(const struct figures *figures, const struct shown_loop *shown)
{
    const struct model *model = figures->view->model;
    struct quality_rows rows;
    quality_rows_find(&rows, model, shown->loop);
    const struct loop_cycle *slowest = quality_slowest(&rows);
    autofree char *title = figures_title(figures, shown);
    autofree char *place = loop_place_words(model, shown->loop, figures->places->working_directory);
    autofree char *function = quality_function(model, shown->loop, figures->view->demangle);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return title ? memory_format("%s", title) : NULL;
    fprintf(out, "%s\nin %s, %s", title, function, place);
    if (shown->others)
        fprintf(out, "; %u more loop%s in the code for these lines", shown->others,
                shown->others == 1 ? "" : "s");
    fputs("\n\n", out);
    quality_say_role(out, &rows);
    if (slowest) {
        quality_say_cycles(out, slowest, quality_metric(&rows, slowest->path), rows.cycle_count > 1);
        quality_say_levels(out, &rows, slowest);
        say_parts(out, &rows, slowest->path);
        say_ports(out, &rows, slowest->path);
    }
    if (rows.remark_count)
        fputs("\n\n", out);
    quality_say_remarks(out, &rows);
    say_findings(out, figures, &rows);
    fclose(out);
    return text;
}

char *figures_assembly(const struct figures *figures, const struct shown_loop *shown)
{
    const struct report_style style = {.format = report_TABLE, .unicode = true, .width = PAGE_WIDTH};
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    report_quality_page(figures->view, &style, shown->loop, true, out, &error);
    fclose(out);
    return text;
}

char *figures_name(const struct figures *figures, const struct shown_loop *shown)
{
    autofree char *function = quality_function(figures->view->model, shown->loop, true);
    char name[LONGEST_NAME + 1];
    size_t length = 0;
    for (const char *at = function; *at && length < LONGEST_NAME; at++)
        name[length++] = isalnum((unsigned char)*at) ? *at : '_';
    name[length] = 0;
    return memory_format("%s-%s-%u.txt", name, path_name(figures->document->path), shown->built_first);
}

static uint32_t utf16_length(const char *text, size_t length)
{
    uint32_t units = 0, code_point = 0;
    for (size_t at = 0; at < length; units++) {
        unsigned bytes = text_decode(text + at, length - at, &code_point);
        units += bytes == 4;
        at += bytes ? bytes : 1;
    }
    return units;
}

const char *figures_line(const struct figures *figures, uint32_t line, uint32_t *start, uint32_t *end,
                         size_t *length)
{
    const char *text = places_line(figures->places, figures->document->path, line, length);
    *start = *end = 0;
    while (text && *start < *length && (text[*start] == ' ' || text[*start] == '\t'))
        ++*start;
    if (text)
        *end = utf16_length(text, *length);
    return text;
}
