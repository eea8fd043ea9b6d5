#include "ui/running.h"

#include "base/clock.h"

#include <string.h>

enum {
    STEPS = 100,   /* of SQLite between two checks: few, because a step can make a long value */
    PATIENCE = 200 /* checks until the budget of the request is asked, which needs a system call */
};

void running_begin(struct running *running)
{
    *running = (struct running){.first = NULL};
    pthread_mutex_init(&running->lock, NULL);
}

void running_free(struct running *running)
{
    pthread_mutex_destroy(&running->lock);
}

static int is_to_end(void *context)
{
    struct running_query *query = context;
    if (query->end == query_GOES_ON && monotonic_seconds() > query->deadline)
        query->end = query_LATE;
    if (query->end == query_GOES_ON && ftello(query->out) > query->most_bytes)
        query->end = query_LARGE;
    if (query->end == query_GOES_ON && query->checks++ % PATIENCE == 0 &&
        ui_budget_is_exceeded(query->budget))
        query->end = query_LATE;
    return query->end != query_GOES_ON;
}

bool running_must_end(struct running_query *query)
{
    return is_to_end(query);
}

void running_add(const struct ui_request *request, struct running_query *query, double seconds)
{
    struct running *running = request->running;
    query->deadline = monotonic_seconds() + seconds;
    query->budget = request->budget;
    sqlite3_progress_handler(request->connection, STEPS, is_to_end, query);
    pthread_mutex_lock(&running->lock);
    query->next = running->first;
    running->first = query;
    pthread_mutex_unlock(&running->lock);
}

void running_remove(const struct ui_request *request, struct running_query *query)
{
    struct running *running = request->running;
    pthread_mutex_lock(&running->lock);
    for (struct running_query **at = &running->first; *at; at = &(*at)->next)
        if (*at == query) {
            *at = query->next;
            break;
        }
    pthread_mutex_unlock(&running->lock);
    sqlite3_progress_handler(request->connection, 0, NULL, NULL);
}

bool running_stop(struct running *running, const char *name)
{
    bool is_found = false;
    pthread_mutex_lock(&running->lock);
    for (struct running_query *query = running->first; query; query = query->next)
        if (*query->name && !strcmp(query->name, name)) {
            query->end = query_STOPPED;
            is_found = true;
        }
    pthread_mutex_unlock(&running->lock);
    return is_found;
}
