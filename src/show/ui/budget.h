/* What one request may take: time of its queries, size of its answer, and both only while somebody waits for
   the answer (a browser closes the connection of a request that it gives up). */
#ifndef SHOW_UI_BUDGET_H
#define SHOW_UI_BUDGET_H
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

struct ui_budget {
    double deadline; /* of the monotonic clock */
    int socket;
    char *text; /* the answer; to be freed */
    size_t size, capacity;
    const char *exceeded; /* what was too much, as a sentence; NULL: nothing */
};

void ui_budget_begin(struct ui_budget *budget, int socket);
/* A stream whose text becomes the answer. */
FILE *ui_budget_open(struct ui_budget *budget);
/* Ends queries of this connection that go beyond it.  Until sqlite3_progress_handler sets another one. */
void ui_budget_watch(struct ui_budget *budget, sqlite3 *connection);
/* From here on all are exceeded: the server ends. */
void ui_budget_end_all(void);
/* Whether it is exceeded: for queries with a handler of their own. */
bool ui_budget_is_exceeded(struct ui_budget *budget);
#endif
