/* Where the time of a function went in the last run of the database, line by line.  The rows of one function are read
   for the page alone: those of a whole run may be many. */
#include "show/report/common/html.h"
#include "show/report/heat/heat.h"
#include "show/ui/cells.h"
#include "show/ui/pages/function.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>
#include <string.h>

/* A row of another table, as a column has it; 0 where there is none such. */
static uint32_t row_in(const struct array *table, sqlite3_stmt *row, int column)
{
    int64_t id = sqlite3_column_int64(row, column);
    return id > 0 && (uint64_t)id < table->count ? (uint32_t)id : 0;
}

static void take_positions(struct ui_request *request, struct model *model, uint32_t run, uint32_t function)
{
    struct error ignored = {0};
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "heat_positions"), &ignored);
    model->run_positions.count = 0;
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, function);
    sqlite3_bind_int64(row, 2, run);
    while (sqlite3_step(row) == SQLITE_ROW)
        *(struct run_position *)model_add(&model->run_positions) =
            (struct run_position){.run = run,
                                  .function = function,
                                  .source = row_in(&model->files, row, 0),
                                  .line = (uint32_t)sqlite3_column_int64(row, 1),
                                  .inlined_call = row_in(&model->inlined_calls, row, 2),
                                  .samples = (uint64_t)sqlite3_column_int64(row, 3),
                                  .self_seconds = sqlite3_column_double(row, 4),
                                  .total_seconds = sqlite3_column_double(row, 5)};
    sqlite3_finalize(row);
}

static void take_samples(struct ui_request *request, struct model *model, uint32_t function)
{
    struct error ignored = {0};
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "heat_samples"), &ignored);
    model->samples.count = 0;
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, function);
    while (sqlite3_step(row) == SQLITE_ROW)
        *(struct sample_row *)model_add(&model->samples) =
            (struct sample_row){.function = function,
                                .instruction = row_in(&model->code, row, 0),
                                .count = (uint64_t)sqlite3_column_int64(row, 1),
                                .seconds = sqlite3_column_double(row, 2)};
    sqlite3_finalize(row);
}

void function_heat(struct ui_request *request, const struct workshop_visit *visit, FILE *out)
{
    struct model *model = visit->model;
    uint32_t run = model_last(&model->runs), function = visit->function;
    if (!run || !report_heat_has(model, run, function))
        return;
    take_positions(request, model, run, function);
    take_samples(request, model, function);
    struct heat_view view = {.model = model,
                             .run = run,
                             .functions = &function,
                             .count = 1,
                             .places = visit->places,
                             .demangle = visit->view.demangle};
    autofree char *words = report_heat_words(&view, function);
    html_format(
        out,
        "<section id=\"heat\">\n<h2>Where its time went</h2>\n<p class=\"note\">%s. A line has the time of all "
        "code that was inlined there with it: a click on the line unfolds that.</p>\n",
        words);
    report_heat_html(&view, function, out);
    fputs("</section>\n", out);
    model->samples.count = model->run_positions.count = 0;
}
