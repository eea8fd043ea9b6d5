/* What assay bench found out, on one screen. */
#ifndef REPORT_BENCH_MACHINE_H
#define REPORT_BENCH_MACHINE_H
#include "gauge/machine_file.h"
#include "report/bench.h"

struct bench_machine_view {
    const char *name, *path;         /* of the file; path NULL: it went to --output */
    const struct machine *nearest;   /* what the rest is assumed from */
    double distance;                 /* to it; NaN: it is the computer's own */
    const struct array *findings;    /* of struct gauge_finding */
    const struct array *differences; /* of struct gauge_port_difference: ports found and counted, */
    size_t compared;                 /* of so many forms that have both */
    const struct gauge_file_counts *counts;
    const struct bench_view *figures; /* beside the nearest core */
    const struct gauge_computer *computer;
    bool is_here; /* this computer was measured */
};
void report_bench_machine(const struct bench_machine_view *view, const struct report_style *style, FILE *out);
#endif
