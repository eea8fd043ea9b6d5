/* Reports for scripts, as texts (assay.report, assay.text): the views that the commands print with. */
#include "cli/choose.h"
#include "cli/innermost.h"
#include "cli/queries.h"
#include "cli/report.h"
#include "cli/scripts.h"
#include "show/report/common/rows.h"
#include "show/report/quality/quality.h"
#include "store/load.h"

#include <stdlib.h>
#include <string.h>

static struct report_style style_of(const struct scripts *scripts, const char *format)
{
    struct report_style style = scripts->session->style;
    style.color = false;
    style.width = 0;
    style.format = !strcmp(format, "json") ? report_JSON : !strcmp(format, "csv") ? report_CSV : report_TABLE;
    return style;
}

/* The tables of the report are computed when a query first reads them; a database must have them. */
static bool has_report(struct scripts *scripts, struct error *error)
{
    struct store_choice choice = {.may_be_null = ~0u};
    sqlite3_stmt *row = NULL;
    const char *rest;
    if (!store_prepare(scripts->session->store, query_named(cli_queries, "has_metrics"), &choice, &row, &rest,
                       error))
        return false;
    bool is_there = sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return is_there || error_set(error, NULL,
                                 "no report: there are no innermost loops, or the database was made "
                                 "without it (assay db --report)");
}

/* The model with the tables of the report: the session's, or those of a database, read once. */
static const struct model *model_of(struct scripts *scripts, struct error *error)
{
    static const char *const outline[] = {"programs",   "units",         "files", "functions",
                                          "blocks",     "loops",         "calls", "registers",
                                          "processors", "inlined_calls", NULL};
    enum { MOST_TABLES = 64 };
    const char *tables[MOST_TABLES] = {NULL};
    unsigned count = 0;
    if (scripts->session->model)
        return scripts->session->model;
    if (scripts->reported)
        return scripts->reported;
    for (unsigned i = 0; outline[i]; i++)
        tables[count++] = outline[i];
    for (unsigned i = 0; report_tables[i]; i++)
        if (strcmp(report_tables[i], "processors"))
            tables[count++] = report_tables[i];
    for (unsigned i = 0; store_function_tables[i]; i++)
        if (strcmp(store_function_tables[i], "inlined_calls"))
            tables[count++] = store_function_tables[i];
    struct model *model = memory_get(sizeof *model);
    model_init(model);
    if (store_load(scripts->session->store, model, tables, error))
        return scripts->reported = model;
    model_free(model);
    free(model);
    return NULL;
}

static bool set_level(const char *word, enum advice_level *level, struct error *error)
{
    unsigned at = 0;
    while (word && at < advice_level_COUNT && strcmp(word, advice_level_word(at)))
        at++;
    *level = word ? (enum advice_level)at : advice_level_POTENTIAL;
    return at < advice_level_COUNT ||
           error_set(error, NULL, "level: gain, potential, hint or expert is needed");
}

static bool report_loop(struct scripts *scripts, const struct script_report *wanted, FILE *out,
                        struct error *error)
{
    struct session *session = scripts->session;
    const struct model *model = has_report(scripts, error) ? model_of(scripts, error) : NULL;
    if (!model)
        return false;
    if (wanted->id >= (int64_t)model->loops.count || !model_loop(model, (uint32_t)wanted->id)->is_innermost)
        return error_set(error, NULL, "reports are about innermost loops");
    uint32_t loop = (uint32_t)wanted->id;
    struct report_style style = style_of(scripts, wanted->format);
    struct quality_view view = {.model = model,
                                .path = options_operand(session->invocation, 1),
                                .is_named = options_has(session->invocation, OPTION_MACHINE),
                                .loops = &loop,
                                .basis = quality_sort_basis(model),
                                .analysed_count = 1,
                                .loop_count = 1,
                                .is_chosen = true,
                                .page_limit = SIZE_MAX,
                                .demangle = style.demangle,
                                .trust = session->trust};
    enum isa isa = innermost_isa(model, loop);
    view.machines[isa] = scripts_machine(scripts, NULL, isa, error);
    if (!view.machines[isa] || !set_level(wanted->level, &view.level, error))
        return false;
    if (!view.path)
        view.path = options_operand(session->invocation, 0);
    return style.format == report_JSON  ? report_quality_json(&view, out, error)
           : style.format == report_CSV ? report_quality_csv(&view, out, error)
                                        : report_quality_text(&view, &style, out, error);
}

bool scripts_report(void *context, const struct script_report *wanted, FILE *out, struct error *error)
{
    struct scripts *scripts = context;
    if (!wanted->rows)
        return report_loop(scripts, wanted, out, error);
    struct report_style style = style_of(scripts, wanted->format);
    return report_rows(wanted->rows, &style, -1, out, NULL, error);
}
