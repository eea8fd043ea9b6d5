#include "show/ui/calls.h"

#include <pthread.h>
#include <stdlib.h>

struct ui_calls {
    pthread_mutex_t lock;
    struct call_table *table;
};

struct ui_calls *ui_calls_begin(void)
{
    struct ui_calls *calls = memory_get(sizeof *calls);
    pthread_mutex_init(&calls->lock, NULL);
    return calls;
}

void ui_calls_free(struct ui_calls *calls)
{
    if (!calls)
        return;
    call_table_free(calls->table);
    pthread_mutex_destroy(&calls->lock);
    free(calls);
}

const struct call_table *ui_calls_table(struct ui_calls *calls, sqlite3 *connection, struct error *error)
{
    pthread_mutex_lock(&calls->lock);
    if (!calls->table)
        calls->table = call_table_read(connection, error);
    const struct call_table *table = calls->table;
    pthread_mutex_unlock(&calls->lock);
    return table;
}
