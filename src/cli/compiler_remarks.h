/* The compiler's own records of its optimisations (code/remarks), for reports: those that --remarks names,
   else those that are found beside the program and its sources. */
#ifndef CLI_COMPILER_REMARKS_H
#define CLI_COMPILER_REMARKS_H
#include "cli/session.h"

/* Fills the table remarks for these loops (of uint32_t, in order), whose metrics were computed. Rows that a
   database brought stay, unless --remarks names others. */
bool compiler_remarks_take(struct session *session, const struct array *loops, struct error *error);
#endif
