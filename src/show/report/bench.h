/* What was measured of this computer, beside what a machine file says. */
#ifndef SHOW_REPORT_BENCH_H
#define SHOW_REPORT_BENCH_H
#include "run/bench/bench.h"
#include "run/bench/kernel.h"
#include "run/bench/memory/memory.h"
#include "show/report/common/style.h"

struct bench_view {
    const struct array *figures;         /* of struct bench_figure, in the order that they are shown in */
    const struct machine *machine;       /* beside it; NULL: none */
    const struct bench_results *results; /* that the figures are from */
};
/* Forms with all their figures. */
void report_bench_forms(const struct bench_view *view, const struct report_style *style, FILE *out);
/* Whether any figure has counts of events. */
bool report_bench_is_counted(const struct bench_view *view);
/* Differences, worst first, and how many figures agree: at most `most` rows as text. */
void report_bench_compare(const struct bench_view *view, size_t most, const struct report_style *style,
                          FILE *out);

struct bench_kernel_view {
    const struct bench_kernel *kernel;
    const struct bench_result *result;
    const struct machine *machine; /* NULL: none */
    double expected;               /* cycles by its model; NaN: none */
};
/* bench_memory.c: levels of memory, then strides; all points as json or csv. */
void report_bench_memory(struct bench_results *results, enum isa isa, const struct report_style *style,
                         FILE *out);
void report_bench_kernel(const struct bench_kernel_view *view, const struct report_style *style, FILE *out);
#endif
