/* Queries of users while they run, so that another request can stop them.

   A query has a name that the browser chose, a deadline and a limit on what it may write.  SQLite asks every
   few thousand steps whether to go on, in the thread of the query; stopping it from another thread sets a
   flag that this check reads, so nothing is done to a connection that may be closed. */
#ifndef UI_RUNNING_H
#define UI_RUNNING_H
#include "ui/budget.h"
#include "ui/request.h"

#include <pthread.h>
#include <stdatomic.h>

enum query_end { query_GOES_ON, query_STOPPED, query_LATE, query_LARGE };

struct running_query {
    const char *name; /* "": cannot be stopped by name */
    double deadline;  /* in seconds of the monotonic clock */
    FILE *out;        /* that it writes to */
    off_t most_bytes;
    struct ui_budget *budget; /* of the request, which may end it as well */
    unsigned checks;
    _Atomic enum query_end end; /* why it was stopped */
    struct running_query *next;
};

struct running {
    pthread_mutex_t lock;
    struct running_query *first;
};

void running_begin(struct running *running);
void running_free(struct running *running);
/* From here on the request's connection obeys the limits of the query. */
void running_add(const struct ui_request *request, struct running_query *query, double seconds);
void running_remove(const struct ui_request *request, struct running_query *query);
/* Whether a query has to end now: for what runs in its place and is no SQL. */
bool running_must_end(struct running_query *query);
/* Stops the queries of this name; false: there is none. */
bool running_stop(struct running *running, const char *name);
/* Seconds of the monotonic clock. */
#endif
