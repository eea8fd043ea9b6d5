/* Findings: what an analysis found, written into the table findings of the database that it was asked of, so
   that other queries can join it with code, blocks, loops and functions.

   A row of the analysis becomes a row of findings.  Its columns are recognised by name:
     function_id, loop_id, block_id, instruction_id   ids; also function, loop, block, instruction where they
                                                      hold a number
     function                                         a name, looked up where there is no function_id
     file, line                                       the place in the source, or in the listing
   All others become the text, `name=value; name=value`.  What is not given follows from what is: the block of
   the instruction, the innermost loop of the block, the function of the block.

   The findings of the same analysis that the same choice covers are replaced: with a function chosen, those
   of the function; with nothing chosen, all.  It happens in one transaction, on a connection of its own. */
#ifndef STORE_FINDINGS_H
#define STORE_FINDINGS_H
#include "store/analyses.h"

struct findings;

/* Opens the database for writing.  NULL, and an error, where it cannot be written. */
struct findings *findings_begin(const char *path, const struct analysis *analysis,
                                const struct store_choice *choice, struct error *error);
/* Adds the rows of a statement, from its first. */
bool findings_add(struct findings *findings, sqlite3_stmt *statement, struct error *error);
/* Makes them last; count (may be NULL) gets their number.  findings is gone afterwards. */
bool findings_commit(struct findings *findings, uint64_t *count, struct error *error);
/* Leaves the database as it was; NULL is allowed. */
void findings_abandon(struct findings *findings);
#endif
