/* Sentences about loops that every view for people shares, in plain text.  Texts are to be freed unless
   they are const. */
#ifndef SHOW_REPORT_QUALITY_SENTENCES_H
#define SHOW_REPORT_QUALITY_SENTENCES_H
#include "code/machine/machine.h"
#include "show/report/quality/rows.h"
#include <stdio.h>

/* What it means that a part of the core limits a loop, with the vendors' names; continues after a colon,
 * without a full stop: "each iteration waits for a result of an earlier one". */
const char *quality_limit_words(enum core_part part);
/* Sentences written one after the other, each except the first with a blank before it. They contain nothing
 * from files but numbers. */
/* The role of a loop among those of its source loop; writes nothing if it is the only one and not unrolled.
 */
void quality_say_role(FILE *out, const struct quality_rows *rows);
/* Cycles of a path, its limit and the next limit. */
void quality_say_cycles(FILE *out, const struct loop_cycle *cycles, const struct loop_metric *metric,
                        bool is_one_of_many);
/* The same with data beyond the first cache; writes nothing where that changes little. */
void quality_say_levels(FILE *out, const struct quality_rows *rows, const struct loop_cycle *cycles);
/* Operations and bytes per cycle; use of vectors. */
void quality_say_rates(FILE *out, const struct loop_metric *metric);
void quality_say_vectors(FILE *out, const struct loop_metric *metric);
/* What the figures do not cover; metric may be NULL. */
void quality_say_reservations(FILE *out, const struct model *model, const struct loop_cycle *cycles,
                              const struct loop_metric *metric);
/* "loads 8 bytes, stride one" */
char *quality_access_words(const struct access_pattern_row *access);

/* The function of a loop, demangled or not; show/report/common/loop_place.h says where it is. */
char *quality_function(const struct model *model, uint32_t loop, bool demangle);
#endif
