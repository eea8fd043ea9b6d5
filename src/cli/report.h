/* assay report, for other commands. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include "cli/session.h"

/* The tables of the report for all innermost loops of the session's model, on the machines of --machine: for
   SQL and for assay db --report. Data flow computed only for the report is removed again, so that its tables
   are either complete or empty. */
bool report_store(struct session *session, struct error *error);
/* All tables that it writes, up to NULL. */
extern const char *const report_tables[];
/* Whether a table is one of them (other than loop_cycles and core_bounds). */
bool report_has_table(const char *table);
/* Reads a file, of a database what the report computes from; and forgets of that what is computed again. */
bool report_read(struct session *session, const char *path, struct error *error);
bool report_forget(struct session *session, struct error *error);
#endif
