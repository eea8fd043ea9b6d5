/* Queries of users while they run, so that another request can stop them.

   A query has a name that the browser chose.  The thread that waits for its answer asks now and then whether
   to go on; stopping it from another thread sets a flag that this reads. */
#ifndef SHOW_UI_RUNNING_H
#define SHOW_UI_RUNNING_H
#include "show/ui/budget.h"

#include <pthread.h>
#include <stdatomic.h>

struct running_query {
    const char *name;         /* "": cannot be stopped by name */
    struct ui_budget *budget; /* of the request, which may end it as well */
    atomic_bool is_stopped;   /* by name */
    struct running_query *next;
};

struct running {
    pthread_mutex_t lock;
    struct running_query *first;
};

void running_begin(struct running *running);
void running_free(struct running *running);
void running_add(struct running *running, struct running_query *query);
void running_remove(struct running *running, struct running_query *query);
/* Whether a query has to end now. */
bool running_must_end(void *query);
/* Stops the queries of this name; false: there is none. */
bool running_stop(struct running *running, const char *name);
#endif
