/* Sentences about loops that every view for people shares, for readers who do not know assembly. Texts are to
 * be freed; names from files in them are unchanged: the printer makes them safe. */
#ifndef SHOW_REPORT_QUALITY_WORDS_H
#define SHOW_REPORT_QUALITY_WORDS_H
#include "show/report/quality/quality.h"
#include "show/report/quality/rows.h"

/* The machine of a loop's code; NULL: none. */
const struct machine *quality_machine(const struct quality_view *view, uint32_t loop);
/* Whether a loop has, or may have, paths that return to its header and were not analysed. */
bool quality_is_cut(const struct quality_rows *rows);
/* Why a path has no cycles, in a few words; NULL where it has some.  cycles NULL: the loop has no path. */
char *quality_refusal(const struct quality_view *view, uint32_t loop, const struct loop_cycle *cycles);
/* What the figures leave out or assume, or why there are none, in a few words; NULL for neither. */
char *quality_remark(const struct quality_view *view, const struct quality_rows *rows,
                     const struct loop_cycle *cycles);
/* An instruction with its PC-relative operand as an address. */
char *quality_instruction(const struct model *model, uint32_t instruction);
/* The instructions along a path, of uint32_t; to be freed (array_free). */
struct array quality_path_instructions(const struct model *model, uint32_t loop, uint32_t path);
#endif
