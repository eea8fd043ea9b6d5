/* What the files that make rows share: the rows of one process while they are made. */
#ifndef RUN_PROBE_RECORDING_ROWS_H
#define RUN_PROBE_RECORDING_ROWS_H
#include "run/probe/recording/parts.h"

struct recorded_rows {
    struct model *model;
    const struct probe_plan *plan;
    const struct recorded *recorded;
    uint32_t run;
    double ns, cycles;          /* in 1/64 tick; NaN: unknown */
    uint64_t abandoned, bursts; /* of all rows */
    uint64_t beyond;            /* individual events that were left out */
    uint32_t *value_rows;       /* by subject: row of probe_values */
};

void recorded_add_histogram(struct recorded_rows *rows, enum probe_quantity quantity, uint32_t subject,
                            struct recorded_bucket bucket, uint64_t count);
/* places.c */
void recorded_add_placements(struct recorded_rows *rows);
/* values.c */
void recorded_add_value(struct recorded_rows *rows, uint32_t subject);
void recorded_add_address(struct recorded_rows *rows, uint32_t subject);
/* events.c */
void recorded_add_events(struct recorded_rows *rows);
#endif
