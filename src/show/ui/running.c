#include "show/ui/running.h"

#include <string.h>

void running_begin(struct running *running)
{
    *running = (struct running){.first = NULL};
    pthread_mutex_init(&running->lock, NULL);
}

void running_free(struct running *running)
{
    pthread_mutex_destroy(&running->lock);
}

bool running_must_end(void *context)
{
    struct running_query *query = context;
    return query->is_stopped || ui_budget_is_exceeded(query->budget);
}

void running_add(struct running *running, struct running_query *query)
{
    pthread_mutex_lock(&running->lock);
    query->next = running->first;
    running->first = query;
    pthread_mutex_unlock(&running->lock);
}

void running_remove(struct running *running, struct running_query *query)
{
    pthread_mutex_lock(&running->lock);
    for (struct running_query **at = &running->first; *at; at = &(*at)->next)
        if (*at == query) {
            *at = query->next;
            break;
        }
    pthread_mutex_unlock(&running->lock);
}

bool running_stop(struct running *running, const char *name)
{
    bool is_found = false;
    pthread_mutex_lock(&running->lock);
    for (struct running_query *query = running->first; query; query = query->next)
        if (*query->name && !strcmp(query->name, name)) {
            query->is_stopped = true;
            is_found = true;
        }
    pthread_mutex_unlock(&running->lock);
    return is_found;
}
