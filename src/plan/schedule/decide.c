/* Decisions: each with its reason, as a row and as a line for whoever watches. */
#include "plan/schedule/queries.h"
#include "plan/schedule/state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct told_line {
    double time;
    const char *kind;
    char *text;
};

void decide_begin(struct state *state)
{
    state->told = ARRAY_OF(struct told_line);
}

bool decide(struct state *state, struct error *error, const char *kind, int64_t task, int64_t attempt,
            int64_t host, const char *format, ...)
{
    char *reason = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&reason, format, arguments);
    va_end(arguments);
    if (length < 0)
        return error_set(error, NULL, "out of memory");
    double now = state_now(state);
    bool is_good = ledger_do(state->ledger, error, query_named(schedule_queries, "add_decision"), "rtiiit",
                             now, kind, task, attempt, host, reason);
    if (is_good && state->options->tell) {
        uint32_t index = task < 0 ? UINT32_MAX : task_of_id(state, task);
        char *title = index == UINT32_MAX ? NULL : task_title(state, task_at(state, index));
        char *line = memory_format("%s%s%s", title ? title : "", title ? ": " : "", reason);
        *(struct told_line *)array_push(&state->told) = (struct told_line){now, kind, line};
        free(title);
    }
    free(reason);
    return is_good;
}

void state_undo(struct state *state)
{
    ledger_undo(state->ledger);
    for (size_t i = 0; i < state->told.count; i++)
        free(ARRAY_AT(struct told_line, &state->told, i)->text);
    state->told.count = 0;
}

bool state_commit(struct state *state, struct error *error)
{
    if (!ledger_commit(state->ledger, error)) {
        state_undo(state);
        return false;
    }
    for (size_t i = 0; i < state->told.count; i++) {
        struct told_line *line = ARRAY_AT(struct told_line, &state->told, i);
        state->options->tell(state->options->context, line->time, line->kind, line->text);
        free(line->text);
    }
    state->told.count = 0;
    return true;
}

char *task_title(const struct state *state, const struct task *task)
{
    return memory_format("%s/%s", workflow_of(state, task)->name, task->name);
}

const char *state_duration(double seconds, char text[40])
{
    if (!(seconds >= 0))
        snprintf(text, 40, "an unknown time");
    else if (seconds < 10)
        snprintf(text, 40, "%.1f s", seconds);
    else if (seconds < 120)
        snprintf(text, 40, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, 40, "%.0f min %02.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    else
        snprintf(text, 40, "%.0f h %02.0f min", floor(seconds / 3600), floor(fmod(seconds, 3600) / 60));
    return text;
}
