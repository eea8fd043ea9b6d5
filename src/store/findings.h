/* Findings: the results of an analysis, written into the table findings of the analysed database, so that
   other queries can join them with code, blocks, loops and functions.

   A row of the analysis becomes a row of findings.  Its columns are recognised by name:
     function_id, loop_id, block_id, instruction_id   ids; also function, loop, block, instruction if they
                                                      hold a number
     function                                         a name, looked up if there is no function_id
     file, line                                       the place in the source, or in the listing
   All others, and a name that is no function's, become the text, `name=value; name=value`. Missing ids are
   derived: the block of the instruction, the innermost loop of the block, the function of the block.

   Earlier findings of the same analysis within the same selection are replaced: with a function selected, the
   findings in that function; without a selection, all. This is one transaction on a separate connection. */
#ifndef STORE_FINDINGS_H
#define STORE_FINDINGS_H
#include "store/analyses.h"

#include <stdio.h>

struct findings;

/* Opens the database for writing. NULL and an error if it cannot be written. */
struct findings *findings_begin(const char *path, const struct analysis *analysis,
                                const struct store_choice *choice, struct error *error);
/* Adds rows, as finding_rows.h prints them. */
bool findings_add(struct findings *findings, FILE *rows, struct error *error);
/* Commits; count (may be NULL) gets the number of rows. Frees findings. */
bool findings_commit(struct findings *findings, uint64_t *count, struct error *error);
/* Rolls back and frees findings; NULL is allowed. */
void findings_abandon(struct findings *findings);
#endif
