/* Sentences about loops that every view for people tells alike, in plain text.  Texts are to be freed unless
   they are const. */
#ifndef REPORT_QUALITY_SENTENCES_H
#define REPORT_QUALITY_SENTENCES_H
#include "machine/machine.h"
#include "report/quality/rows.h"
#include <stdio.h>

/* What it means that a part of the core limits a loop, for somebody who knows no processor from inside; goes
   on after a colon, without a full stop: "each iteration waits for a result of an earlier one". */
const char *quality_limit_words(enum core_part part);
/* Sentences that are written one behind the other, each but the first with a blank before it.  They hold
   nothing from files but numbers. */
/* What a loop is among those of its source loop; nothing where there is nothing to say. */
void quality_say_role(FILE *out, const struct quality_rows *rows);
/* Cycles of a path, what limits it and what would be next. */
void quality_say_cycles(FILE *out, const struct loop_cycle *cycles, const struct loop_metric *metric,
                        bool is_one_of_many);
/* Operations and bytes of a cycle; how much of it works on vectors. */
void quality_say_rates(FILE *out, const struct loop_metric *metric);
void quality_say_vectors(FILE *out, const struct loop_metric *metric);
/* What the figures do not cover; metric may be NULL. */
void quality_say_reservations(FILE *out, const struct model *model, const struct loop_cycle *cycles,
                              const struct loop_metric *metric);
/* "loads 8 bytes, stride one" */
char *quality_access_words(const struct access_pattern_row *access);

/* The function of a loop, demangled or not, and where it is: "heat.c:30-31" with the path as debug
   information has it but for a directory in front, or the address of its first block, "0x11a0". */
char *quality_function(const struct model *model, uint32_t loop, bool demangle);
char *quality_place(const struct model *model, uint32_t loop, const char *directory);
#endif
