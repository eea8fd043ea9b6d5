/* The table of all calls of a file (show/report/graph/call_view.h), read when the first page asks for it and
   kept: a database has no index by callee, and a scan of millions of calls is too slow for a click. */
#ifndef SHOW_UI_CALLS_H
#define SHOW_UI_CALLS_H
#include "show/report/graph/call_view.h"

struct ui_calls;

struct ui_calls *ui_calls_begin(void);
void ui_calls_free(struct ui_calls *calls);
/* NULL: the error is set. It does not change afterwards. */
const struct call_table *ui_calls_table(struct ui_calls *calls, sqlite3 *connection, struct error *error);
#endif
