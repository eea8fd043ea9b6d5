/* Where the time of a run went, as assay report shows it: the tables of the run become a model. */
#include "show/ui/pages/pages.h"
#include "show/ui/pages/start.h"

#include "show/report/run/run.h"
#include "store/load.h"
#include "show/ui/cells.h"
#include "show/ui/machines.h"
#include "show/ui/queries.h"

#include <stdlib.h>

/* What the sentences and tables of show/report/run need. */
static const char *const tables[] = {
    "programs", "units", "files", "functions", "blocks", "loops", "inlined_calls", "registers", "processors",
    /* Of a sampled run. */
    "runs", "run_limits", "run_processes", "run_threads", "run_files", "run_functions", "run_loops",
    "run_paths", "run_calls", "run_library_calls", "run_counters", "counter_values", "run_gaps",
    "run_savings", "run_units", "run_options", "run_trials", "run_points", "probe_addresses", "advice",
    "rules", "remedies", "advice_evidence", "loop_cycles", "loop_weights", "loop_roles", "loop_families",
    "core_bounds", "loop_levels", "program_actions", NULL};

enum { MOST_ROWS = 40 }; /* of tables on the page of the run */

/* Blocks refer to their instructions, which nothing here looks at. */
static const char *const later[] = {"code", NULL};

bool start_has_run(const struct ui_request *request)
{
    return ui_ask_number(request, query_named(ui_queries, "has_run"));
}

/* The loops that were analysed, in their order. */
static struct array analysed_loops(const struct model *model)
{
    struct array loops = ARRAY_OF(uint32_t);
    uint32_t last = 0;
    for (uint32_t i = 0; i < model->loop_cycles.count; i++) {
        uint32_t loop = model_loop_cycle(model, i)->loop;
        if (loop != last)
            *(uint32_t *)array_push(&loops) = loop;
        last = loop;
    }
    return loops;
}

static bool print_answer(struct ui_request *request, const struct model *model, bool is_whole, FILE *out,
                         struct error *error)
{
    struct array loops = analysed_loops(model);
    struct run_view view = {.quality = {.model = model,
                                        .path = request->subject->path,
                                        .loops = loops.data,
                                        .analysed_count = loops.count,
                                        .loop_count = loops.count,
                                        .basis = quality_by_SAMPLES,
                                        .demangle = request->options->demangle,
                                        .level = advice_level_POTENTIAL,
                                        .trust = request->options->trust},
                            .run = model_last(&model->runs),
                            .top = is_whole ? MOST_ROWS : 0,
                            .database = request->subject->path};
    autofree char *loop = memory_format("/%u/loop/", request->subject->number),
                  *function = memory_format("/%u/function/", request->subject->number), *behind = NULL;
    size_t size;
    FILE *text = open_memstream(&behind, &size);
    bool done = false;
    if (text) {
        ui_print_machine(request, text);
        fclose(text);
        struct run_links links = {loop, function, behind};
        done = is_whole ? report_run_content(&view, &links, out, error)
                        : report_run_answer(&view, &links, out, error);
    }
    array_free(&loops);
    return done;
}

static bool print_run(struct ui_request *request, bool is_whole, FILE *out, struct error *error)
{
    struct model model;
    model_init(&model);
    bool done = store_load_outline(request->store, &model, tables, later, error) &&
                print_answer(request, &model, is_whole, out, error);
    model_free(&model);
    return done;
}

bool start_run(struct ui_request *request, FILE *out, struct error *error)
{
    return print_run(request, false, out, error);
}

bool page_run(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "run-page.css", "tables.js", "run-page.js", NULL};
    if (!start_has_run(request))
        return ui_missing(answer, error,
                          "%.200s has no sampled run; `assay run -o run.db -- ./prog` records one.",
                          request->subject->name);
    ui_begin_page(request, answer, "Run", "run", files);
    bool done = print_run(request, true, answer->out, error);
    ui_end_page(request, answer);
    return done;
}
