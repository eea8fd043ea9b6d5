/* The rows of one loop in the tables of quality, for views: each table is sorted by loop, then path, so they
 * are ranges of it. */
#ifndef SHOW_REPORT_QUALITY_ROWS_H
#define SHOW_REPORT_QUALITY_ROWS_H
#include "model/model.h"

struct quality_rows {
    const struct model *model;
    uint32_t loop;
    const struct loop_cycle *cycles; /* a row for each path, with or without cycles */
    const struct core_bound *bounds;
    const struct loop_level *levels; /* with data beyond the first cache, the nearest level first */
    const struct loop_metric *metrics;
    const struct access_pattern_row *accesses;
    const struct bound_instruction *marks;
    const struct port_use *ports;
    const struct added_figure *figures; /* of metrics in Lua */
    const struct advice *advice;        /* the ids follow each other: first_advice, … */
    const struct compiler_remark *remarks;
    const struct loop_role_row *role; /* NULL: none */
    const struct loop_family *family; /* NULL: none */
    size_t cycle_count, bound_count, level_count, metric_count, access_count, mark_count, port_count,
        figure_count, advice_count, remark_count;
    uint32_t first_advice;
};

void quality_rows_find(struct quality_rows *rows, const struct model *model, uint32_t loop);
/* The same of one path alone; role and family stay. */
struct quality_rows quality_rows_of_path(const struct quality_rows *rows, uint32_t path);
/* The row of the slowest path (the first of several); NULL where no path has cycles. */
const struct loop_cycle *quality_slowest(const struct quality_rows *rows);
/* Cycles of a path with what its switches between SSE and AVX code cost, which the model of the core leaves out. */
double quality_cycles(const struct quality_rows *rows, const struct loop_cycle *cycles);
/* Metrics of a path; NULL: none. */
const struct loop_metric *quality_metric(const struct quality_rows *rows, uint32_t path);

/* The figure of a metric in Lua (row of added_metrics) for a path; NaN: none. */
double quality_figure(const struct quality_rows *rows, uint32_t path, uint32_t metric);

/* Advice as people see it: a rule that applies to several paths is shown once. */
struct quality_finding {
    uint32_t advice; /* for the path that gains most */
    uint32_t rule;
    unsigned level;    /* the most certain of all paths */
    double expected;   /* its gain, or what advice without a figure usually brings; for the order alone */
    size_t path_count; /* paths that it applies to */
};
/* Of struct quality_finding: up to a level, the most certain first, then by what helps most, then in the order of rules; to be
   freed (array_free). */
struct array quality_findings(const struct quality_rows *rows, enum advice_level level);
/* The evidence for an advice, and its remedies. */
const struct advice_evidence_row *quality_evidence(const struct model *model, uint32_t advice, size_t *count);
const struct remedy_row *quality_remedies(const struct model *model, uint32_t advice, size_t *count);
#endif
