/* Sentences about loops that every view for people tells alike, in plain text.  Texts are to be freed unless
   they are const. */
#ifndef REPORT_QUALITY_SENTENCES_H
#define REPORT_QUALITY_SENTENCES_H
#include "machine/machine.h"
#include "report/quality_rows.h"

/* What it means that a part of the core limits a loop, for somebody who knows no processor from inside; goes
   on after a colon, without a full stop: "each iteration waits for a result of an earlier one". */
const char *quality_limit_words(enum core_part part);
/* Of one path: "An iteration takes 8.00 cycles: … (latency).  Without that it would take 2.00 (ports)." */
char *quality_cycles_words(const struct quality_rows *path);
/* "main loop of 3 that come from one source loop; an iteration does 8 of the source's, unrolled 2 times";
   NULL where there is nothing to say. */
char *quality_role_words(const struct quality_rows *rows);
/* How much of a path the model knows: "The costs of all 9 instructions are known." */
char *quality_coverage_words(const struct loop_cycle *cycle);
/* "loads 8 bytes, stride one" */
char *quality_access_words(const struct access_pattern_row *access);
/* "neoverse-v1 (Arm Neoverse V1), this computer's" */
char *quality_machine_words(const struct machine *machine, bool is_named, bool is_host);

/* The function of a loop, demangled or not, and where it is: "heat.c:30-31" with the path as debug
   information has it but for a directory in front, or the address of its first block, "0x11a0". */
char *quality_function(const struct model *model, uint32_t loop, bool demangle);
char *quality_place(const struct model *model, uint32_t loop, const char *directory);
#endif
