/* What the files that make rows share: the rows of one process while they are made. */
#ifndef WATCH_RECORDING_ROWS_H
#define WATCH_RECORDING_ROWS_H
#include "watch/probe/recording_parts.h"

struct recorded_rows {
    struct model *model;
    const struct watch_plan *plan;
    const struct recorded *recorded;
    uint32_t run;
    double ns, cycles;          /* in 1/64 tick; NaN: unknown */
    uint64_t abandoned, bursts; /* of all rows */
    uint64_t beyond;            /* individual events that were left out */
    uint32_t *value_rows;       /* by subject: row of probe_values */
};

void recorded_add_histogram(struct recorded_rows *rows, enum probe_quantity quantity, uint32_t subject,
                            struct recorded_bucket bucket, uint64_t count);
/* recording_places.c */
void recorded_add_placements(struct recorded_rows *rows);
/* recording_values.c */
void recorded_add_value(struct recorded_rows *rows, uint32_t subject);
void recorded_add_address(struct recorded_rows *rows, uint32_t subject);
/* recording_events.c */
void recorded_add_events(struct recorded_rows *rows);
#endif
