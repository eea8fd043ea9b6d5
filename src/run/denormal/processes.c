/* The recordings of the processes of a run: each is read once, at first use, and stays in memory until its
   rows are made or it turns out to have none. */
#include "run/denormal/profile_read.h"
#include "run/denormal/trace.h"

#include <stdlib.h>
#include <string.h>

struct denormal_process {
    char *path;
    bool is_tried, is_read, is_trace;
    struct error failure; /* why it could not be read */
    union {
        struct trace trace;
        struct profile profile;
    };
};

struct denormal_process *denormal_process_make(const char *path)
{
    struct denormal_process *process = memory_get(sizeof *process);
    process->path = memory_copy_text(path, strlen(path));
    return process;
}

static void drop(struct denormal_process *process)
{
    if (process->is_read && process->is_trace)
        trace_free(&process->trace);
    else if (process->is_read)
        profile_close(&process->profile);
    process->is_read = false;
}

void denormal_process_free(struct denormal_process *process)
{
    if (!process)
        return;
    drop(process);
    free(process->path);
    free(process);
}

static bool read_once(struct denormal_process *process, enum denormal_tool tool, struct error *error)
{
    if (!process->is_tried) {
        process->is_tried = true;
        process->is_trace = tool == denormal_tool_TRACER;
        process->is_read = process->is_trace
                               ? trace_read(process->path, &process->trace, &process->failure)
                               : profile_open(&process->profile, process->path, &process->failure);
    }
    return process->is_read || error_set(error, NULL, "%s", process->failure.text);
}

const struct array *denormal_process_modules(struct denormal_process *process, enum denormal_tool tool,
                                             struct error *error)
{
    if (!read_once(process, tool, error))
        return NULL;
    return process->is_trace ? &process->trace.modules : &process->profile.modules;
}

bool denormal_process_add(struct denormal_process *process, struct model *model,
                          const struct denormal_recording *recording, struct error *error)
{
    if (!read_once(process, recording->options.tool, error))
        return false;
    if (process->is_trace)
        trace_add(model, &process->trace, recording);
    else
        profile_add(model, &process->profile, recording);
    drop(process);
    return true;
}
