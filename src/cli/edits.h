/* Edits of listings: assay asm --apply, and the edits of a database. */
#ifndef CLI_EDITS_H
#define CLI_EDITS_H
#include "change/edit/edit.h"
#include "cli/session.h"
#include "store/analyses.h"

/* edit_rows.c: rows of SQL become wishes.  edits: what the analysis says of its rows.  what: whose rows they are, for messages. */
struct edit_rows {
    FILE *file; /* that the process apart writes, and this one reads */
    const char *what;
    enum analysis_edits edits;
};
bool edit_rows_write(void *context, sqlite3_stmt *statement,
                     struct error *error); /* store_print; struct edit_rows */
bool edit_rows_read(const struct edit_rows *rows, struct array *wishes, struct error *error);

/* Whether the command edits: it has --apply, or a database with rows of edits whose text is wanted. */
bool edits_are_wanted(struct session *session, const struct invocation *invocation);
int edits_asm(struct session *session, const struct invocation *invocation, struct error *error);
#endif
