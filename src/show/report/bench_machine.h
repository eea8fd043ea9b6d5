/* What assay bench found out, on one screen. */
#ifndef SHOW_REPORT_BENCH_MACHINE_H
#define SHOW_REPORT_BENCH_MACHINE_H
#include "run/bench/machine_file.h"
#include "show/report/bench.h"

struct bench_machine_view {
    const char *name, *path;         /* of the file; path NULL: it went to --output */
    const struct machine *nearest;   /* what the rest is assumed from */
    double distance;                 /* to it; NaN: it is the computer's own */
    const struct array *findings;    /* of struct bench_finding */
    const struct array *differences; /* of struct bench_port_difference: ports found and counted, */
    size_t compared;                 /* of so many forms that have both */
    const struct bench_file_counts *counts;
    const struct bench_view *figures; /* beside the nearest core */
    const struct bench_computer *computer;
    bool is_here; /* this computer was measured */
};
void report_bench_machine(const struct bench_machine_view *view, const struct report_style *style, FILE *out);
#endif
