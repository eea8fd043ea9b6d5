/* Text as a file of results of assay bench: every row that is accepted is found by its name and gives
 * figures. */
#include "fuzz/harness.h"

#include "run/bench/bench.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct bench_session bench;
    bench_session_begin(&bench, isa_AARCH64);
    bench_session_add(&bench, "adcs x,x,x");
    bench_session_add(&bench, "fcmp d,d");
    if (bench_results_parse(&bench.results, "results", (const char *)data, size, &error)) {
        for (size_t i = 0; i < bench.results.rows.count; i++) {
            char name[BENCH_NAME];
            strcpy(name, ARRAY_AT(struct bench_row, &bench.results.rows, i)->name);
            const struct bench_result *result = bench_results_find(&bench.results, name);
            if (!result || !isfinite(result->best))
                harness_wrong("a row that is not found by its name", name);
        }
        struct array figures = bench_session_figures(&bench, NULL);
        for (size_t i = 0; i < figures.count; i++) {
            const struct bench_figure *figure = ARRAY_AT(struct bench_figure, &figures, i);
            if (figure->has_result && figure->status == bench_MEASURED && !isfinite(figure->cycles))
                harness_wrong("a figure without cycles", figure->planned->name);
        }
        array_free(&figures);
    } else if (!error.set || strncmp(error.text, "results:", 8)) {
        harness_wrong("an error without its file", error.text);
    }
    bench_session_end(&bench);
    return 0;
}
