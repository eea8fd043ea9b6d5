#include "show/ui/budget.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_SECONDS = 30, MOST_BYTES = 256 << 20, STEPS = 20000 };

void ui_budget_begin(struct ui_budget *budget, int socket)
{
    *budget = (struct ui_budget){.socket = socket};
    budget->deadline = clock_monotonic_seconds() + MOST_SECONDS;
}

static ssize_t add_text(void *context, const char *text, size_t size)
{
    struct ui_budget *budget = context;
    if (budget->size + size > MOST_BYTES) {
        budget->exceeded = "The answer would be larger than 256 MB.";
        errno = EFBIG;
        return 0;
    }
    if (budget->size + size > budget->capacity) {
        size_t wanted = 2 * (budget->size + size);
        budget->text = memory_grow(budget->text, budget->capacity, wanted);
        budget->capacity = wanted;
    }
    memcpy(budget->text + budget->size, text, size);
    budget->size += size;
    return (ssize_t)size;
}

FILE *ui_budget_open(struct ui_budget *budget)
{
    return fopencookie(budget, "w", (cookie_io_functions_t){.write = add_text});
}

static atomic_bool is_over;

void ui_budget_end_all(void)
{
    is_over = true;
}

static bool is_gone(int socket)
{
    char byte;
    return socket >= 0 && !recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

bool ui_budget_is_exceeded(struct ui_budget *budget)
{
    if (!budget->exceeded && clock_monotonic_seconds() > budget->deadline)
        budget->exceeded = "This took longer than 30 seconds and was stopped.";
    else if (!budget->exceeded && is_gone(budget->socket))
        budget->exceeded = "Nobody waits for the answer.";
    else if (!budget->exceeded && is_over)
        budget->exceeded = "The server is ending.";
    return budget->exceeded != NULL;
}

static int is_exceeded(void *context)
{
    return ui_budget_is_exceeded(context);
}

void ui_budget_watch(struct ui_budget *budget, sqlite3 *connection)
{
    sqlite3_progress_handler(connection, STEPS, is_exceeded, budget);
}
