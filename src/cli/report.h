/* assay report, for other commands. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include "cli/session.h"

/* The tables of the report for all innermost loops of a model, on the machines of --machine: for SQL and for
   assay db --report.  Data flow that had to be made for it goes again: its tables are whole or empty. */
bool report_store(struct model *model, const struct invocation *invocation, struct error *error);
/* Whether it is one of them, loop_cycles and core_bounds apart. */
bool report_has_table(const char *table);
#endif
